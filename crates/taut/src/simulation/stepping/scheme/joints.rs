//! The joints at the end of a step: return to φ = 0 and φ̇ = 0 and its work, and what ends a run that has lost them.

use super::{MoreauScheme, StepFailure};
use crate::bodies::{Manifold, each_body};
use crate::mathematics::magnitude::{largest_magnitude, max_abs};
use crate::solution::Cause;

/// |φ| that a return to the joints must reach, relative to 1 + the size of the coordinates.
const JOINT_TOLERANCE: f64 = 1e-8;
/// A state with larger numbers than this has diverged.
const DIVERGED: f64 = 1e20;

impl MoreauScheme<'_> {
    /// Returns to φ = 0 and φ̇ = 0. The result is the work that moving joints do in it.
    ///
    /// The return of the velocities is an impulse, M (v⁺ − v⁻) = AᵀP. Its work is P·A v⁺ = v⁺·M (v⁺ − v⁻), with A v⁺ = −φ_t from the
    /// drivers. Joints at rest do no work.
    pub(super) fn return_to_joints(&mut self, y: &mut [f64], momentum: &mut [f64]) -> Result<f64, StepFailure> {
        let s = self.model.sizes;
        if !self.islands.has_joints() {
            for b in &self.model.bodies {
                each_body!(&b.kind, body => body.normalise(&mut self.state.q[b.q.clone()]));
            }
            return Ok(0.0);
        }
        self.dynamics.pack(&self.state, y);
        // `end_step` keeps λ and v̇, which the recorder reads.
        self.dynamics.end_step(self.state.t, y);
        self.counts.resets += 1;
        self.counts.factorisations += 1;
        self.state.q.copy_from_slice(&y[..s.q]);
        let after = &y[s.q..s.q + s.v];
        self.dynamics.eq.mass_times(after, momentum);
        let work = momentum.iter().zip(after.iter().zip(&self.state.v)).map(|(p, (v, before))| p * (v - before)).sum();
        self.state.v.copy_from_slice(after);
        let size = 1.0 + max_abs(&self.state.q);
        let (phi, row) = largest_magnitude(&self.dynamics.eq.phi);
        if phi.is_nan() || phi > JOINT_TOLERANCE * size {
            let cause = Cause::Constraint { row: self.model.row_name(row), residual: phi };
            return Err(StepFailure::ConstraintsLost(cause));
        }
        Ok(work)
    }

    /// Stops a run whose state has diverged, and names the body.
    pub(super) fn check_finite(&self) -> Result<(), StepFailure> {
        let lost = |x: &[f64]| x.iter().any(|x| x.is_nan() || x.abs() > DIVERGED);
        for b in &self.model.bodies {
            if lost(&self.state.q[b.q.clone()]) || lost(&self.state.v[b.v.clone()]) {
                return Err(StepFailure::NotFinite(Cause::Body(b.name.clone())));
            }
        }
        Ok(())
    }
}
