//! Mass matrices that are no norm, because they are not symmetric or singular: the full saddle-point system by dense LU.

use super::{CompleteOrthogonalDecomposition, Formulation, RANK_TOLERANCE, SolveError};
use crate::equations::Equations;
use crate::mathematics::magnitude::max_abs;
use nalgebra::{DMatrix, DVector, Dyn, LU};
use taut_constrain::RowWeighting;

/// Relative shift of the rows.
const SHIFT: f64 = 1e-9;
/// Proximal refinements.
const REFINEMENTS: usize = 3;
/// |A v̇ − b| above this, relative to |b|, is a contradiction.
const CONTRADICTION: f64 = 1e-6;

/// [M −Bᵀ; A E] by dense LU with refinement.
///
/// \[FumagalliMasarati2009\] §5 and appendix 2: coordinates and test space differ, M v̇ = f + Bᵀλ, A v̇ = b, so LDLᵀ does
/// not apply. A body without mass has a zero block in M, on which a block elimination cannot start; the whole matrix is
/// regular if M is definite on the null space of A. The rows have the same small shift E and proximal refinement.
#[derive(Clone, Debug)]
pub struct SaddlePoint {
    shift: Vec<f64>,
    weighting: RowWeighting,
    factor: Option<LU<f64, Dyn, Dyn>>,
}

impl SaddlePoint {
    /// With the scale of each row and the weighting of contradictory rows.
    pub fn new(scale: &[f64], weighting: RowWeighting) -> SaddlePoint {
        SaddlePoint { shift: scale.iter().map(|s| s * SHIFT).collect(), weighting, factor: None }
    }

    /// v̇ and λ for given b, and what is left of the rows.
    fn solve_for(
        &self,
        eq: &Equations,
        b: &[f64],
        vdot: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<Vec<f64>, SolveError> {
        let n = eq.f.len();
        let factor = self.factor.as_ref().ok_or(SolveError::NotFinite)?;
        let mut rhs = DVector::from_iterator(n + b.len(), eq.f.iter().chain(b).copied());
        let mut residual = vec![0.0; b.len()];
        vdot.fill(0.0);
        lambda.fill(0.0);
        for _ in 0..=REFINEMENTS {
            let x = factor.solve(&rhs).ok_or(SolveError::NotFinite)?;
            vdot.iter_mut().zip(&x.as_slice()[..n]).for_each(|(v, x)| *v += x);
            lambda.iter_mut().zip(&x.as_slice()[n..]).for_each(|(l, x)| *l += x);
            eq.jacobian_times(vdot, &mut residual);
            rhs.fill(0.0);
            residual.iter_mut().zip(b).for_each(|(r, b)| *r = b - *r);
            rhs.as_mut_slice()[n..].copy_from_slice(&residual);
        }
        Ok(residual)
    }
}

impl Formulation for SaddlePoint {
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
        let left = self.solve_for(eq, &eq.b, vdot, lambda)?;
        if self.weighting == RowWeighting::AsWritten && max_abs(&left) > CONTRADICTION * max_abs(&eq.b) {
            // Least squares of the rows as written: b is replaced by its orthogonal projection onto the range of A.
            let A = eq.dense_jacobian();
            let b = DVector::from_column_slice(&eq.b);
            let nearest = CompleteOrthogonalDecomposition::new(&A, RANK_TOLERANCE).and_then(|found| found.solve(&b));
            if let Some(x) = nearest {
                self.solve_for(eq, (A * x).as_slice(), vdot, lambda)?;
            }
        }
        if vdot.iter().all(|a| a.is_finite()) { Ok(()) } else { Err(SolveError::NotFinite) }
    }
}
