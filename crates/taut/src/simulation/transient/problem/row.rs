//! Writes one row of results for a state of the integrator.

use super::Problem;
use crate::dynamics::Dynamics;
use crate::formulations::Exactness;
use crate::model::Topology;
use crate::results::Work;
use crate::solution::{Lost, Moment, worst};

/// |A v̇ − b| worth a warning, relative to 1 + |b|; near a singular pose some 1e-5 are nothing unusual.
const CONTRADICTED: f64 = 1e-3;

impl Problem<'_> {
    /// Solves the equations of y and writes a row of the table.
    pub(super) fn write_row(&mut self, t: f64, y: &[f64]) {
        self.seen.copy_from_slice(y);
        if self.dynamics.shows_otherwise() {
            self.dynamics.show(t, &mut self.seen);
        }
        let s = self.dynamics.model.sizes;
        let (q, rest) = self.seen.split_at(s.q);
        let (v, rest) = rest.split_at(s.v);
        let z = &rest[..s.z];
        self.solves += 1;
        if self.dynamics.accelerate(t, q, v, z).is_err() {
            // The row still shows the state; accelerations and forces become NaN.
            self.dynamics.vdot.fill(f64::NAN);
            self.dynamics.lambda.fill(f64::NAN);
        }
        let Dynamics { modes, model, lambda, .. } = &mut self.dynamics;
        self.switches.complete(modes, model, lambda);
        let work = match self.work {
            Work::Unknown => None,
            _ => Some(self.work_at(&self.seen)),
        };
        let energy_at_start = self.log.energy_at_start;
        let first = self.seen.len() - self.rubbing.len();
        let lost = Lost { rubbing: &self.rubbing, friction: &self.seen[first..], impacts: &self.impact_losses };
        let moment = Moment { t, q, v, z, work, lost, energy_at_start, step: self.step, stepped: None };
        self.log.recorder.record(&self.dynamics, moment);
        self.peaks.iter_mut().for_each(|p| p.see(t, &self.dynamics.lambda));
        self.audit_row(t);
        if self.dynamics.model.topology == Topology::Loops && self.dynamics.claims() == Exactness::Exact {
            let (left, row) = self.dynamics.acceleration_residual();
            if left > CONTRADICTED * (1.0 + worst(&self.dynamics.eq.b).0) {
                let row = self.dynamics.model.row_name(row);
                self.log.warn_doubtful(t, "constraints contradict each other in their accelerations", &row, || {
                    format!(
                        ": `{row}` keeps a residual of {left:.2e}; see the rank of the model for the rows concerned"
                    )
                });
            }
        }
    }
}
