//! Forces and drivers: their work during a step, and the impulses of drivers whose velocity jumps at a break.

use super::{Buffers, Scheme, Stop};
use crate::constraints::{Level as Given, View};
use crate::drift::largest;
use crate::forces::Conservation;
use crate::solution::{Blame, worst};
use crate::state::State;

/// |φ| from which on a prescribed position has jumped, and |φ̇| from which on a velocity has, relative to 1 + their size.
const APART: f64 = 1e-6;
const JOLTED: f64 = 1e-9;

impl Scheme<'_> {
    /// Work of forces, drivers and moving stops in a step to the velocities v.
    pub(super) fn driven(&self, h: f64, v: &[f64], buffers: &mut Buffers) -> f64 {
        let (model, t) = (self.model, self.state.t + 0.5 * h);
        let Buffers { q, z, P, free: mean, on, .. } = buffers;
        mean.iter_mut().zip(self.state.v.iter().zip(v)).for_each(|(m, (a, b))| *m = 0.5 * (a + b));
        let mut power = 0.0;
        for b in &model.bodies {
            power += b.kind.body().loss(t, &q[b.q.clone()], &mean[b.v.clone()], &z[b.z.clone()]);
        }
        for f in model.forces.iter().filter(|f| f.kind.force().conserves() == Conservation::Open) {
            let view = View { t, motions: &self.mid_scene.motions, ids: &f.markers, z: &z[f.z.clone()] };
            let on = &mut on[..f.markers.len()];
            f.kind.force().apply(&view, on);
            power += f.kind.force().work_rate(&view, on);
        }
        let mut work = h * power + self.blocks.driven();
        for c in &model.constraints {
            for (i, r) in c.rows.clone().enumerate() {
                let rate = match model.rows[r].level {
                    Given::Acceleration => self.mid.row_times(c, i, mean),
                    Given::Position | Given::Velocity => -self.mid.phi_t[r],
                };
                work += P[r] * rate;
            }
        }
        work
    }

    /// Continues after a moment at which prescribed velocities jump. The work of the drivers' impulses is recorded.
    pub fn pass_break(&mut self, after: f64) -> Result<(), Stop> {
        self.state.t = after;
        self.jumps.clear();
        if self.islands.any_joint() {
            let before = self.energy();
            self.look_at_jump()?;
            let mut buffers = std::mem::take(&mut self.buffers);
            let held = self.hold_joints(&mut buffers.y, &mut buffers.momentum);
            self.buffers = buffers;
            held?;
            self.tally.driven += self.energy() - before;
        }
        self.place_here();
        Ok(())
    }

    /// Rejects a jump of a prescribed position. Finds the impulses of drivers whose velocity jumps.
    fn look_at_jump(&mut self) -> Result<(), Stop> {
        self.place_here();
        let (apart, row) = worst(&self.eq.phi);
        if apart.is_nan() || apart > APART * (1.0 + largest(&self.state.q)) {
            let blame = Blame::Constraint { row: self.model.row_name(row), residual: apart };
            return Err(Stop::PositionJump(blame));
        }
        let Scheme { eq, response, buffers, model, state, jumps, .. } = self;
        let (v, Buffers { momentum, rows, P, v: after, .. }) = (&state.v, buffers);
        eq.times(v, rows);
        let (mut jolt, least) = (vec![0.0; rows.len()], JOLTED * (1.0 + largest(v)));
        for (i, row) in rows.iter_mut().enumerate() {
            // A prescribed acceleration may jump; v does not.
            let asked = if model.rows[i].level == Given::Acceleration { *row } else { -eq.phi_t[i] };
            jolt[i] = asked - *row;
            *row = asked;
        }
        if worst(&jolt).0 <= least {
            return Ok(());
        }
        eq.mass_times(v, momentum);
        response.prepare(eq);
        response.solve(eq, momentum, rows, after, P);
        for (c, entry) in model.constraints.iter().enumerate() {
            if worst(&jolt[entry.rows.clone()]).0 > least {
                let impulse = P[entry.rows.clone()].iter().map(|p| p * p).sum::<f64>().sqrt();
                jumps.push((c, impulse));
            }
        }
        Ok(())
    }

    /// Kinetic and potential energy of the present state.
    fn energy(&mut self) -> f64 {
        self.present();
        let State { t, q, v, z, .. } = &self.state;
        let (kinetic, potential) = self.dynamics.energy(q, v, z, *t);
        kinetic + potential
    }
}
