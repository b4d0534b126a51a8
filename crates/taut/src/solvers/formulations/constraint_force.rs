//! The constraint-force algorithm, sparse and rank-safe: the default.

use super::{Formulation, SolveError};
use crate::equations::{Equations, Layout};
use crate::kkt::{Projector, RankPolicy, RowRank};
use taut_constrain::RowWeighting;

/// M v̇ + Aᵀ(−λ) = f, A v̇ = b by sparse block LDLᵀ.
///
/// \[MitiguyBanerjee2000\] eqs. (7)–(13) eliminate the accelerations body by body and solve for the constraint forces
/// alone. Here the same elimination is applied to the block KKT matrix in the order of least work. Dependent rows are
/// handled in the limit E → 0: the accelerations are those of Gauss' principle, and the multipliers have least norm, both
/// in the weighting of the rows.
#[derive(Clone, Debug)]
pub struct ConstraintForce {
    projector: Projector,
    x: Vec<f64>,
}

impl ConstraintForce {
    /// Allocates the factor, with the scale of each row, diag(A M⁻¹ Aᵀ).
    pub fn new(layout: &Layout, scale: &[f64], policy: &RankPolicy, weighting: RowWeighting) -> ConstraintForce {
        let x = vec![0.0; layout.velocities + layout.rows()];
        ConstraintForce { projector: Projector::new(layout, scale, policy).with_weighting(weighting), x }
    }
}

impl ConstraintForce {
    fn load(&mut self, eq: &Equations) {
        let (top, bottom) = self.x.split_at_mut(eq.f.len());
        top.copy_from_slice(&eq.f);
        bottom.copy_from_slice(&eq.b);
    }

    fn unload(&self, vdot: &mut [f64], lambda: &mut [f64]) -> Result<(), SolveError> {
        let (top, bottom) = self.x.split_at(vdot.len());
        vdot.copy_from_slice(top);
        lambda.iter_mut().zip(bottom).for_each(|(l, mu)| *l = -mu);
        // Sums of products with zero detect any NaN or infinity without a branch per entry; several independent sums,
        // so that none waits for another.
        let (eights, rest) = vdot.as_chunks::<8>();
        let mut sums = [0.0; 8];
        eights.iter().for_each(|a| (0..8).for_each(|i| sums[i] += a[i] * 0.0));
        if sums.iter().chain(rest).fold(0.0, |s, a| s + a * 0.0) == 0.0 { Ok(()) } else { Err(SolveError::NotFinite) }
    }
}

impl Formulation for ConstraintForce {
    fn prepare(&mut self, eq: &Equations) {
        self.projector.factor(&eq.M, &eq.A);
    }

    fn solve(&mut self, eq: &Equations, vdot: &mut [f64], lambda: &mut [f64]) -> Result<(), SolveError> {
        self.load(eq);
        self.projector.solve(eq, &mut self.x);
        self.unload(vdot, lambda)
    }

    fn prepare_and_solve(&mut self, eq: &Equations, vdot: &mut [f64], lambda: &mut [f64]) -> Result<(), SolveError> {
        self.load(eq);
        self.projector.factor_and_solve(eq, &mut self.x);
        self.unload(vdot, lambda)
    }

    fn remove_internal_multipliers(&mut self, eq: &Equations, lambda: &mut [f64]) {
        if self.projector.rank() == RowRank::Deficient {
            self.projector.remove_internal_multipliers(eq, lambda);
        }
    }

    fn row_treatment(&self) -> Option<(RowRank, RankPolicy)> {
        Some((self.projector.rank(), self.projector.policy()))
    }

    fn projector(&mut self) -> Option<&mut Projector> {
        Some(&mut self.projector)
    }
}
