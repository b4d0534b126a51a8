//! Bodies whose mass matrix is not symmetric: the full saddle-point system by dense LU.

use super::{Formulation, SolveError};
use crate::equations::Equations;
use nalgebra::{DMatrix, DVector, Dyn, LU};

/// Relative shift of the rows.
const SHIFT: f64 = 1e-9;
/// Proximal refinements.
const REFINEMENTS: usize = 3;

/// [M −Bᵀ; A E] by dense LU with refinement.
///
/// \[FumagalliMasarati2009\] §5 and appendix 2: coordinates and test space differ, M v̇ = f + Bᵀλ, A v̇ = b, so LDLᵀ does
/// not apply. The rows have the same small shift E and proximal refinement.
#[derive(Clone, Debug)]
pub struct NonSymmetric {
    shift: Vec<f64>,
    factor: Option<LU<f64, Dyn, Dyn>>,
}

impl NonSymmetric {
    /// With the scale of each row.
    pub fn new(scale: &[f64]) -> NonSymmetric {
        NonSymmetric { shift: scale.iter().map(|s| s * SHIFT).collect(), factor: None }
    }
}

impl Formulation for NonSymmetric {
    fn prepare(&mut self, eq: &Equations) {
        let (n, m) = (eq.f.len(), eq.b.len());
        let mut K = DMatrix::zeros(n + m, n + m);
        let A = eq.dense_jacobian();
        K.view_mut((0, 0), (n, n)).copy_from(&eq.dense_mass());
        K.view_mut((0, n), (n, m)).copy_from(&(-eq.dense_reactions().transpose()));
        K.view_mut((n, 0), (m, n)).copy_from(&A);
        (0..m).for_each(|r| K[(n + r, n + r)] = self.shift[r]);
        self.factor = Some(K.lu());
    }

    fn solve(&mut self, eq: &Equations, vdot: &mut [f64], lambda: &mut [f64]) -> Result<(), SolveError> {
        let n = eq.f.len();
        let factor = self.factor.as_ref().ok_or(SolveError::NotFinite)?;
        let mut rhs = DVector::from_iterator(n + eq.b.len(), eq.f.iter().chain(&eq.b).copied());
        let mut residual = vec![0.0; eq.b.len()];
        vdot.fill(0.0);
        lambda.fill(0.0);
        for _ in 0..=REFINEMENTS {
            let x = factor.solve(&rhs).ok_or(SolveError::NotFinite)?;
            vdot.iter_mut().zip(&x.as_slice()[..n]).for_each(|(v, x)| *v += x);
            lambda.iter_mut().zip(&x.as_slice()[n..]).for_each(|(l, x)| *l += x);
            eq.jacobian_times(vdot, &mut residual);
            rhs.fill(0.0);
            (0..residual.len()).for_each(|r| rhs[n + r] = eq.b[r] - residual[r]);
        }
        if vdot.iter().all(|a| a.is_finite()) { Ok(()) } else { Err(SolveError::NotFinite) }
    }
}
