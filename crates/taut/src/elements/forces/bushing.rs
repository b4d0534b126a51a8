//! Six springs and dampers between two frames: rubber mount, flexible coupling.

use super::{Conservation, ExtraStates, Force, ForceReport, NonSmooth};
use crate::constraints::{ElementInput, MarkerReference};
use crate::error::ParameterError;
use crate::motion::{Mat3, Vec3, Wrench, inverse_rotation_jacobian, rotation_vector};
use nalgebra::{Matrix6, Vector6};
use serde::{Deserialize, Serialize};

/// Coefficients of a bushing: along x, y, z and about x, y, z of A.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Coefficients {
    /// One for each axis.
    Diagonal([f64; 6]),
    /// Coupled: row i is the force along axis i for unit displacements.
    Full(Box<[[f64; 6]; 6]>),
}

impl Default for Coefficients {
    fn default() -> Coefficients {
        Coefficients::Diagonal([0.0; 6])
    }
}

impl Coefficients {
    #[inline(always)]
    fn multiply(&self, x: &Vector6<f64>) -> Vector6<f64> {
        match self {
            Coefficients::Diagonal(k) => Vector6::from_fn(|i, _| k[i] * x[i]),
            Coefficients::Full(k) => Vector6::from_fn(|i, _| (0..6).map(|j| k[i][j] * x[j]).sum()),
        }
    }

    pub(crate) fn matrix(&self) -> Matrix6<f64> {
        match self {
            Coefficients::Diagonal(k) => Matrix6::from_diagonal(&Vector6::from(*k)),
            Coefficients::Full(k) => Matrix6::from_fn(|i, j| k[i][j]),
        }
    }

    /// Rejects matrices that are not symmetric positive semidefinite: they would generate energy.
    pub(crate) fn check(&self, field: &'static str) -> Result<(), ParameterError> {
        let k = self.matrix();
        ParameterError::check_finite(field, k.as_slice())?;
        let size = k.amax();
        if (k - k.transpose()).amax() > 1e-9 * size {
            return Err(ParameterError::invalid(field, "the matrix must be symmetric"));
        }
        let least = k.symmetric_eigenvalues().min();
        if least < -1e-9 * size {
            return Err(ParameterError::invalid(
                field,
                format!("it has the negative eigenvalue {least}; none may be below zero"),
            ));
        }
        Ok(())
    }
}

/// A bushing between the frames `a` and `b`, without force when they coincide.
///
/// The rotation vector is unique up to half a turn of B relative to A; use a bushing for smaller angles only.
///
/// ```text
///  ξ = (R_Aᵀ (p_B − p_A), θ),  θ = log(R_Aᵀ R_B)        displacement and rotation vector of B, axes of A
///  V = ½ ξᵀ K ξ                                         Q = −K ξ − C ξ̇
///  force on B  R_A Q₁…₃,   moment on B  R_A J(θ)⁻ᵀ Q₄…₆,   J(θ)⁻ᵀ = I + ½ [θ×] + β [θ×]²
///  β = (1 − (ϑ/2) cot(ϑ/2)) / ϑ²,  ϑ = |θ|
/// ```
///
/// J is the tangent of the rotation vector, w_AB = J θ̇ \[Bauchau2011\]; with its inverse transpose the moment is exactly
/// conjugate to θ, and V̇ = −(elastic power) at any angle. A gets the opposite wrench about the same point.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// // An engine on a mount sinks by m g/k.
/// let mut spec = Spec::new();
/// spec.gravity([0.0, 0.0, -9.81])
///     .body("engine", RigidBody::new(100.0, [5.0, 5.0, 8.0]))
///     .force("mount", Bushing::diagonal("ground", "engine", [1e5, 1e5, 2e5, 1e4, 1e4, 1e4], [0.0; 6]));
/// let model = spec.build()?;
/// let found = statics(&model, &model.initial_state(), &Statics::default())?;
/// assert!((found.state.q[2] + 981.0 / 2e5).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bushing {
    /// The frame of the axes.
    pub a: String,
    /// The frame that moves relative to it.
    pub b: String,
    /// K: N/m and N m/rad.
    #[serde(default)]
    pub stiffness: Coefficients,
    /// C: N s/m and N m s/rad.
    #[serde(default)]
    pub damping: Coefficients,
}

/// Displacement ξ, its rate, and J(θ)⁻¹.
struct BushingDeformation {
    xi: Vector6<f64>,
    rate: Vector6<f64>,
    J_inverse: Mat3,
}

impl Bushing {
    /// Uncoupled springs and dampers along and about x, y, z of `a`.
    pub fn diagonal(a: &str, b: &str, stiffness: [f64; 6], damping: [f64; 6]) -> Bushing {
        Bushing {
            a: a.to_string(),
            b: b.to_string(),
            stiffness: Coefficients::Diagonal(stiffness),
            damping: Coefficients::Diagonal(damping),
        }
    }

    /// Coupled springs and dampers; both matrices symmetric.
    pub fn full(a: &str, b: &str, stiffness: [[f64; 6]; 6], damping: [[f64; 6]; 6]) -> Bushing {
        Bushing {
            a: a.to_string(),
            b: b.to_string(),
            stiffness: Coefficients::Full(Box::new(stiffness)),
            damping: Coefficients::Full(Box::new(damping)),
        }
    }

    /// Whether it resists rotation.
    pub(crate) fn resists_rotation(&self) -> bool {
        self.stiffness.matrix().fixed_view::<3, 3>(3, 3).amax() > 0.0
    }

    /// The rotation vector of B relative to A, and its rate; axes of A.
    pub(crate) fn relative_rotation(&self, at: &ElementInput) -> [Vec3; 2] {
        let BushingDeformation { xi, rate, .. } = self.deformation(at);
        [Vec3::new(xi[3], xi[4], xi[5]), Vec3::new(rate[3], rate[4], rate[5])]
    }

    #[inline(always)]
    fn deformation(&self, at: &ElementInput) -> BushingDeformation {
        let (A, B) = (&at[0], &at[1]);
        let d = B.p - A.p;
        let theta = rotation_vector(&(A.R.tr_mul(&B.R)));
        let J_inverse = inverse_rotation_jacobian(&theta);
        let sliding = A.R.tr_mul(&(B.v - A.v - A.w.cross(&d)));
        let turning = J_inverse * A.R.tr_mul(&(B.w - A.w));
        BushingDeformation { xi: stack(&A.R.tr_mul(&d), &theta), rate: stack(&sliding, &turning), J_inverse }
    }
}

#[inline(always)]
fn stack(a: &Vec3, b: &Vec3) -> Vector6<f64> {
    Vector6::new(a.x, a.y, a.z, b.x, b.y, b.z)
}

impl Force for Bushing {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        vec![MarkerReference::frame(&self.a), MarkerReference::frame(&self.b)]
    }

    fn check(&self) -> Result<(), ParameterError> {
        if self.stiffness.matrix().amax() == 0.0 && self.damping.matrix().amax() == 0.0 {
            return Err(ParameterError::invalid(
                "stiffness",
                "the bushing exerts no force; give a stiffness, a damping, or both",
            ));
        }
        self.stiffness.check("stiffness")?;
        self.damping.check("damping")
    }

    fn apply(&self, at: &ElementInput, on: &mut [Wrench]) {
        let bent = self.deformation(at);
        let Q = -self.stiffness.multiply(&bent.xi) - self.damping.multiply(&bent.rate);
        let R = &at[0].R;
        let f = R * Vec3::new(Q[0], Q[1], Q[2]);
        let m = R * bent.J_inverse.tr_mul(&Vec3::new(Q[3], Q[4], Q[5]));
        on[0] = Wrench { f: -f, m: -m - (at[1].p - at[0].p).cross(&f) };
        on[1] = Wrench { f, m };
    }

    fn potential(&self, at: &ElementInput) -> f64 {
        let xi = self.deformation(at).xi;
        0.5 * xi.dot(&self.stiffness.multiply(&xi))
    }

    fn nonconservative_power(&self, at: &ElementInput, _on: &[Wrench]) -> f64 {
        let rate = self.deformation(at).rate;
        -rate.dot(&self.damping.multiply(&rate))
    }

    fn conservation(&self) -> Conservation {
        if self.damping.matrix().amax() == 0.0 { Conservation::Conservative } else { Conservation::NonConservative }
    }
}

impl ExtraStates for Bushing {}
impl ForceReport for Bushing {}
impl NonSmooth for Bushing {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraints::conformance::{Rig, check_power_balance, resultant};
    use crate::motion::Motion;
    use nalgebra::Rotation3;

    const K: [f64; 6] = [100.0, 80.0, 60.0, 5.0, 4.0, 3.0];
    const C: [f64; 6] = [3.0, 2.0, 1.0, 0.3, 0.2, 0.1];

    /// Symmetric and positive definite, everything coupled.
    fn coupled(k: &[f64; 6]) -> [[f64; 6]; 6] {
        std::array::from_fn(|i| std::array::from_fn(|j| if i == j { k[i] } else { 0.1 * k[i].min(k[j]) }))
    }

    #[test]
    fn stored_and_spent_power_make_up_the_whole() {
        check_power_balance(&Rig::two_frames(), &Bushing::diagonal("a", "b", K, [0.0; 6]));
        check_power_balance(&Rig::two_frames(), &Bushing::diagonal("a", "b", K, C));
        check_power_balance(&Rig::two_frames(), &Bushing::full("a", "b", coupled(&K), coupled(&C)));
    }

    #[test]
    fn action_equals_reaction() {
        let motions = Rig::two_frames().motions(0.9);
        let mut on = [Wrench::ZERO; 2];
        Bushing::full("a", "b", coupled(&K), coupled(&C))
            .apply(&ElementInput::new(0.0, &motions, &[0, 1], &[]), &mut on);
        let sum = resultant(&motions, &on);
        assert!(sum.f.norm() + sum.m.norm() < 1e-12 * on[1].f.norm());
    }

    #[test]
    fn about_one_axis_it_is_a_torsion_spring() {
        for angle in [1e-9, 1e-3, 0.5, 3.0] {
            let R = Rotation3::new(Vec3::new(0.0, angle, 0.0)).into_inner();
            let motions = [Motion::REST, Motion { R, ..Motion::REST }];
            let mut on = [Wrench::ZERO; 2];
            Bushing::diagonal("a", "b", K, C).apply(&ElementInput::new(0.0, &motions, &[0, 1], &[]), &mut on);
            assert!((on[1].m - Vec3::new(0.0, -4.0 * angle, 0.0)).norm() < 1e-14 * (1.0 + angle));
        }
    }

    #[test]
    fn the_tangent_joins_its_series_smoothly() {
        let axis = Vec3::new(0.6, 0.0, 0.8);
        let (below, above) =
            (inverse_rotation_jacobian(&(axis * 0.00999999)), inverse_rotation_jacobian(&(axis * 0.01000001)));
        assert!((below - above).amax() < 2e-8);
    }

    #[test]
    fn senseless_coefficients_are_refused() {
        let mut skew = coupled(&K);
        skew[0][1] += 1.0;
        assert!(Bushing::full("a", "b", skew, coupled(&C)).check().is_err());
        assert!(Bushing::diagonal("a", "b", [-1.0; 6], C).check().is_err());
        assert!(Bushing::diagonal("a", "b", [f64::NAN; 6], C).check().is_err());
        assert!(Bushing::default().check().is_err());
        let text = r#"{"a": "x", "b": "y", "stiffness": {"diagonal": [1, 1, 1, 0, 0, 0]}}"#;
        assert!(serde_json::from_str::<Bushing>(text).unwrap().check().is_ok());
    }
}
