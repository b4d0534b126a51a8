//! Forces and drivers: their work during a step, and the impulses of drivers whose velocity jumps at a break.

use super::{MoreauScheme, StepBuffers, StepFailure};
use crate::constraints::{ElementInput, RowLevel as Given};
use crate::forces::Conservation;
use crate::mathematics::magnitude::{largest_magnitude, max_abs};
use crate::solution::Cause;
use crate::state::State;
use crate::stepping::law_blocks::{BlockRole, LawBlockSource};

/// |φ| from which on a prescribed position has jumped, and |φ̇| from which on a velocity has, relative to 1 + their size.
const POSITION_JUMP_TOLERANCE: f64 = 1e-6;
const VELOCITY_JUMP_TOLERANCE: f64 = 1e-9;
/// Impulse of a gap that contradicts the drivers, relative to the largest momentum; a toggle amplifies forces far less.
const CONTRADICTION: f64 = 1e9;

impl MoreauScheme<'_> {
    /// Work of forces, drivers and moving stops in a step to the velocities v.
    pub(super) fn driver_work(&self, h: f64, v: &[f64], buffers: &mut StepBuffers) -> f64 {
        let (model, t) = (self.model, self.state.t + 0.5 * h);
        let StepBuffers { q, z, P, free: mean, on, .. } = buffers;
        mean.iter_mut().zip(self.state.v.iter().zip(v)).for_each(|(m, (a, b))| *m = 0.5 * (a + b));
        let mut power = 0.0;
        for b in &model.bodies {
            power += b.kind.body().nonconservative_power(t, &q[b.q.clone()], &mean[b.v.clone()], &z[b.z.clone()]);
        }
        for f in model.forces.iter().filter(|f| f.kind.force().conservation() == Conservation::NonConservative) {
            let view = ElementInput { t, motions: &self.middle_scene.motions, markers: &f.markers, z: &z[f.z.clone()] };
            let on = &mut on[..f.markers.len()];
            f.kind.force().apply(&view, on);
            power += f.kind.force().nonconservative_power(&view, on);
        }
        let mut work = h * power + self.blocks.driver_work();
        for c in &model.constraints {
            for (i, r) in c.rows.clone().enumerate() {
                let rate = match model.rows[r].level {
                    Given::Acceleration => self.middle.row_times(c, i, mean),
                    Given::Position | Given::Velocity => -self.middle.phi_t[r],
                };
                work += P[r] * rate;
            }
        }
        work
    }

    /// The contact or stop into which drivers push bodies in a step to the velocities v: joints return its impulse unchanged, so that it grows
    /// beyond all momenta.
    pub(super) fn contradicted_gap(&self, h: f64, v: &[f64], buffers: &mut StepBuffers) -> Option<String> {
        let pressed = self.blocks.list.iter().filter(|b| b.role == BlockRole::Active);
        let hardest = pressed.max_by(|a, b| self.blocks.p[a.rows.start].total_cmp(&self.blocks.p[b.rows.start]))?;
        let impulse = self.blocks.p[hardest.rows.start];
        if impulse <= 0.0 || !self.islands.has_joints() {
            return None;
        }
        let mut most = h * max_abs(&self.middle.f);
        for v in [v, &self.state.v[..]] {
            self.middle.mass_times(v, &mut buffers.momentum);
            most = most.max(max_abs(&buffers.momentum));
        }
        let name = || match hardest.source {
            LawBlockSource::Constraint(c, _) => self.model.constraints[c].name.clone(),
            LawBlockSource::Touch(i) => {
                let [a, b] = self.detector.contacts[i].pair;
                let rule = self.model.contact_rule_between(a, b);
                rule.map_or_else(|| self.detector.surface_names(i), |rule| self.model.contacts[rule].name.clone())
            }
        };
        (impulse > CONTRADICTION * most).then(name)
    }

    /// Continues after a moment at which prescribed velocities jump. The work of the drivers' impulses is recorded.
    pub fn pass_break(&mut self, after: f64) -> Result<(), StepFailure> {
        self.evaluate_start();
        let gaps = self.eq.inactive.phi.clone();
        self.state.t = after;
        self.jumps.clear();
        self.evaluate_start();
        self.check_gaps(&gaps)?;
        if self.islands.has_joints() {
            let before = self.energy();
            self.find_driver_impulses()?;
            let mut buffers = std::mem::take(&mut self.buffers);
            let held = self.return_to_joints(&mut buffers.y, &mut buffers.momentum);
            self.buffers = buffers;
            held?;
            self.counts.driver_work += self.energy() - before;
        }
        self.evaluate_start();
        Ok(())
    }

    /// Rejects a stop or rope whose prescribed place has jumped into a body. The gaps were those before the break.
    fn check_gaps(&self, gaps: &[f64]) -> Result<(), StepFailure> {
        let least = POSITION_JUMP_TOLERANCE * (1.0 + max_abs(&self.state.q));
        for entry in self.model.constraints.iter().filter(|entry| entry.law.has_gap()) {
            let row = entry.rows.start;
            let (gap, change) = (self.eq.inactive.phi[row], self.eq.inactive.phi[row] - gaps[row]);
            if change < -least && gap < -least {
                let cause = Cause::Constraint { row: self.model.row_name(row), residual: change.abs() };
                return Err(StepFailure::PositionJump(cause));
            }
        }
        Ok(())
    }

    /// Rejects a jump of a prescribed position. Finds the impulses of drivers whose velocity jumps.
    fn find_driver_impulses(&mut self) -> Result<(), StepFailure> {
        self.evaluate_start();
        let (apart, row) = largest_magnitude(&self.eq.phi);
        if apart.is_nan() || apart > POSITION_JUMP_TOLERANCE * (1.0 + max_abs(&self.state.q)) {
            let cause = Cause::Constraint { row: self.model.row_name(row), residual: apart };
            return Err(StepFailure::PositionJump(cause));
        }
        let MoreauScheme { eq, response, buffers, model, state, jumps, .. } = self;
        let (v, StepBuffers { momentum, rows, P, v: after, .. }) = (&state.v, buffers);
        eq.jacobian_times(v, rows);
        let (mut jolt, least) = (vec![0.0; rows.len()], VELOCITY_JUMP_TOLERANCE * (1.0 + max_abs(v)));
        for (i, row) in rows.iter_mut().enumerate() {
            // A prescribed acceleration may jump; v does not.
            let requested = if model.rows[i].level == Given::Acceleration { *row } else { -eq.phi_t[i] };
            jolt[i] = requested - *row;
            *row = requested;
        }
        if largest_magnitude(&jolt).0 <= least {
            return Ok(());
        }
        eq.mass_times(v, momentum);
        response.factor(eq);
        response.solve(eq, momentum, rows, after, P);
        for (c, entry) in model.constraints.iter().enumerate() {
            if largest_magnitude(&jolt[entry.rows.clone()]).0 > least {
                let impulse = P[entry.rows.clone()].iter().map(|p| p * p).sum::<f64>().sqrt();
                jumps.push((c, impulse));
            }
        }
        Ok(())
    }

    /// Kinetic and potential energy of the present state.
    fn energy(&mut self) -> f64 {
        self.evaluate_for_recorder();
        let State { t, q, v, z, .. } = &self.state;
        let (kinetic, potential) = self.dynamics.energy(q, v, z, *t);
        kinetic + potential
    }
}
