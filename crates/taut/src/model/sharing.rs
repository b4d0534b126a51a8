//! How joints share the load that the equations of motion leave open: a stiffness that has no effect on the motion.

use crate::error::ParameterError;
use crate::forces::Coefficients;
use nalgebra::{DMatrix, DVector, Matrix6};
use serde::{Deserialize, Serialize};

/// Asymmetry of a stiffness matrix above this, relative to its largest entry, is a mistake.
const ASYMMETRY_TOLERANCE: f64 = 1e-9;

/// The rule by which redundant joints share their load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReactionSharing {
    /// As the formulation computes them.
    #[default]
    Solver,
    /// The least sum of the squares of all components; 1 N counts as 1 N m.
    MinimumNorm,
    /// The least elastic energy of the joints ([`SharingStiffness`]).
    Stiffness,
}

/// The stiffness of a joint that determines its share of the load. The motion is that of a rigid joint.
///
/// ```text
///  x = −K (δ − e)      x: force and moment on the second body, δ: its displacement from the ideal joint, e: the misfit
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SharingStiffness {
    /// Of a joint between two frames: along and about x, y, z of its first marker.
    Frame {
        /// N/m and N m/rad; infinity is rigid.
        stiffness: Coefficients,
        /// Where the second body would be without load, m and rad.
        misfit: [f64; 6],
    },
    /// Of a constraint with one row.
    Row {
        /// Force per unit of the row.
        stiffness: f64,
        /// The value of the row without load.
        misfit: f64,
    },
}

impl SharingStiffness {
    /// Rejects numbers that are no stiffness.
    ///
    /// # Errors
    /// A stiffness that is not positive, a matrix that is not symmetric and positive definite, a misfit that is not finite.
    pub fn check(&self) -> Result<(), ParameterError> {
        let wrong = |what: String| Err(ParameterError::invalid("share_stiffness", what));
        let positive = |k: f64| k > 0.0;
        match self {
            SharingStiffness::Row { stiffness, .. } if !positive(*stiffness) => {
                wrong(format!("{stiffness} is not greater than zero"))?;
            }
            SharingStiffness::Frame { stiffness: Coefficients::Diagonal(k), .. } => {
                if let Some(bad) = k.iter().find(|k| !positive(**k)) {
                    wrong(format!("{bad} is not greater than zero; use inf for a direction that is rigid"))?;
                }
            }
            SharingStiffness::Frame { stiffness: Coefficients::Full(_), .. } => {
                let K = self.matrix();
                let uneven = (K - K.transpose()).amax();
                if K.iter().any(|k| !k.is_finite()) || uneven > ASYMMETRY_TOLERANCE * K.amax() || K.cholesky().is_none()
                {
                    wrong("the matrix is not symmetric and positive definite".to_string())?;
                }
            }
            SharingStiffness::Row { .. } => {}
        }
        match self.misfit().iter().find(|e| !e.is_finite()) {
            Some(e) => Err(ParameterError::invalid("misfit", format!("{e} is not a finite number"))),
            None => Ok(()),
        }
    }

    fn matrix(&self) -> Matrix6<f64> {
        match self {
            SharingStiffness::Frame { stiffness, .. } => stiffness.matrix(),
            SharingStiffness::Row { .. } => Matrix6::zeros(),
        }
    }

    /// K⁻¹, 6×6 or 1×1; zero where it is rigid.
    pub(crate) fn compliance(&self) -> DMatrix<f64> {
        match self {
            SharingStiffness::Row { stiffness, .. } => DMatrix::from_element(1, 1, 1.0 / stiffness),
            SharingStiffness::Frame { stiffness: Coefficients::Diagonal(k), .. } => {
                DMatrix::from_diagonal(&DVector::from_iterator(6, k.iter().map(|k| 1.0 / k)))
            }
            SharingStiffness::Frame { .. } => {
                let inverse = self.matrix().try_inverse().unwrap_or_default();
                DMatrix::from_fn(6, 6, |i, j| inverse[(i, j)])
            }
        }
    }

    /// The misfit, 6 numbers or 1.
    pub(crate) fn misfit(&self) -> &[f64] {
        match self {
            SharingStiffness::Frame { misfit, .. } => misfit,
            SharingStiffness::Row { misfit, .. } => std::slice::from_ref(misfit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_stiffness_is_refused() {
        let frame = |stiffness| SharingStiffness::Frame { stiffness, misfit: [0.0; 6] };
        assert!(frame(Coefficients::Diagonal([1.0, 1.0, f64::INFINITY, 1.0, 1.0, 1.0])).check().is_ok());
        assert!(frame(Coefficients::Diagonal([1.0, 0.0, 1.0, 1.0, 1.0, 1.0])).check().is_err());
        assert!(frame(Coefficients::Diagonal([1.0, f64::NAN, 1.0, 1.0, 1.0, 1.0])).check().is_err());
        let mut K = [[0.0; 6]; 6];
        (0..6).for_each(|i| K[i][i] = 2.0);
        assert!(frame(Coefficients::Full(Box::new(K))).check().is_ok());
        K[0][1] = 1.0;
        assert!(frame(Coefficients::Full(Box::new(K))).check().is_err());
        K[1][0] = 1.0;
        assert!(frame(Coefficients::Full(Box::new(K))).check().is_ok());
        K[0][0] = 0.4;
        assert!(frame(Coefficients::Full(Box::new(K))).check().is_err());
        assert!(SharingStiffness::Row { stiffness: 1.0, misfit: f64::NAN }.check().is_err());
    }
}
