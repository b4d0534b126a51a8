//! What follows an accepted step: return to the manifold, audit, missed contacts, new charts, rows of output.

use super::laws::Decided;
use super::manifold::From;
use super::{Problem, parts};
use crate::bodies::Chart;
use crate::model::BodyEntry;
use crate::simulation::transient::diagnosis;
use crate::solution::{Blame, Recorder, worst};
use taut_ode::{Action, Edit, Hook, Refusal, Restart};

/// A state with larger numbers than this has diverged.
const BEYOND: f64 = 1e20;
/// Longest step, s, while contacts are held whose features change with the poses.
const LONGEST: f64 = 0.1;

impl Hook for Problem<'_> {
    fn after_step(&mut self, t: f64, y: &mut [f64]) -> Result<Edit, Refusal> {
        // A diverging motion may stay finite for long: stop it early.
        let near = y[..self.dynamics.dimension()].iter().fold(true, |all, x| all & (x.abs() <= BEYOND));
        if !near {
            self.blame = match diagnosis::not_finite(&self.dynamics, t, y) {
                Blame::Nobody => self.furthest(y),
                found => found,
            };
            return Err(Refusal::NotFinite);
        }
        self.seen.copy_from_slice(y);
        let returned = self.return_to_manifold(t, y, From::Step)?;
        if returned.is_some_and(|reset| reset.phi_before > self.leap) {
            // After so large a correction the step says nothing about the motion, nor about its events.
            let (q, v, z) = parts(self.dynamics.model, &self.seen);
            self.dynamics.place(t, q, v, z);
            if let Some(row) = self.dynamics.model.leapt(&self.dynamics.eq.phi) {
                let residual = self.dynamics.eq.phi[row].abs();
                self.blame = Blame::Constraint { row: self.dynamics.model.row_name(row), residual };
                return Err(Refusal::NotConverged);
            }
            let (q, v, z) = parts(self.dynamics.model, y);
            self.dynamics.place(t, q, v, z);
        }
        let Recorder { turns, gauges, .. } = &mut self.log.recorder;
        match returned {
            _ if gauges.is_empty() => {}
            Some(_) => turns.advance(t, gauges, &self.dynamics.scene.motions),
            None => {
                self.place_for_events(t, y);
                self.log.recorder.turns.advance(t, &self.log.recorder.gauges, &self.scene.motions);
            }
        }
        // A step that was taken back ended later than its repetition does; both began at the same time.
        if t > self.t_step {
            self.t_begin = self.t_step;
            self.work_of_step[0] = self.work_of_step[1];
        }
        self.step = t - self.t_begin;
        self.t_step = t;
        self.work_of_step[1] = self.work_at(y);
        self.watch_tables(t, y);
        self.follow_depths(t, y);
        self.log.audit.stepped();
        let kept = self.seen.iter().zip(&*y).all(|(a, b)| a.to_bits() == b.to_bits());
        let met = self.dynamics.projects() && self.is_met(y);
        let began = std::mem::replace(&mut self.on_manifold, met);
        let held = began && self.on_manifold;
        Ok(match returned {
            _ if kept => Edit::Kept,
            Some(reset) if held && self.is_amplified(&reset, y) => Edit::Amplified,
            _ if held => Edit::Projected,
            _ => Edit::Corrected,
        })
    }

    fn restate(&mut self, t: f64, y: &mut [f64]) -> Edit {
        self.audit_step(t, y);
        let model = self.dynamics.model;
        if !self.switches.watched().is_empty() {
            let (q, v, z) = parts(model, y);
            self.dynamics.place(t, q, v, z);
            self.dynamics.follow_slips();
            self.mind(t);
            // A gap that closed unseen, as from a start in touch.
            if self.switches.missed(&self.dynamics, t, z) {
                match self.jump(t, y) {
                    Action::Jump | Action::JumpAndStop => return Edit::Jumped,
                    _ => return Edit::Kept,
                }
            }
            if let Some(overlap) = self.overlaps(t, y) {
                self.ending = Some(overlap);
            }
        }
        let edit = if self.rewrite(t, y) == Chart::Changed { Edit::Jumped } else { Edit::Kept };
        // The state recorded at this time is the same one in other coordinates.
        if let (Edit::Jumped, Some((last, seen))) = (edit, &mut self.last_output)
            && *last == t
        {
            seen.copy_from_slice(y);
        }
        edit
    }

    fn restart(&mut self, at: Restart, y: &mut [f64]) -> Result<Edit, Refusal> {
        match at {
            Restart::Break { from, to } => Ok(self.pass_break(from, to, y)),
            Restart::Guard { index, t } => Ok(self.pass_guard(index, t, y)),
        }
    }

    fn part(&self) -> f64 {
        self.log.audit.switching.part()
    }

    fn obstacle(&self) -> Option<f64> {
        self.dynamics.obstacle()
    }

    fn longest(&mut self, t: f64) -> Option<f64> {
        let held = self.switches.meets(&self.dynamics).then_some(LONGEST);
        let model = self.dynamics.model;
        let rapid = self.rapid.as_mut().and_then(|search| search.longest(model, t));
        [held, self.longest, rapid].into_iter().flatten().reduce(f64::min)
    }

    fn refine(&mut self, t: f64, y: &mut [f64]) -> Result<(), Refusal> {
        self.decided = Decided::NotYet;
        self.return_to_manifold(t, y, From::Elsewhere).map(|_| ())
    }

    fn output(&mut self, t: f64, y: &[f64]) {
        match &mut self.last_output {
            // A driver that is called again begins with the state it ended with.
            Some((last, seen)) if *last == t && (!self.both_sides || seen == y) => return,
            Some((last, seen)) => {
                *last = t;
                seen.copy_from_slice(y);
            }
            None => self.last_output = Some((t, y.to_vec())),
        }
        self.write_row(t, y);
    }

    fn wants(&mut self, t_old: f64, t: f64) -> Option<f64> {
        self.peaks.as_mut()?.next(t_old, t)
    }

    fn sample(&mut self, t: f64, y: &[f64]) {
        std::mem::swap(&mut self.log.recorder.table, &mut self.samples);
        self.write_row(t, y);
        std::mem::swap(&mut self.log.recorder.table, &mut self.samples);
    }
}

impl Problem<'_> {
    /// The body with the largest number in its coordinates or velocities.
    fn furthest(&self, y: &[f64]) -> Blame {
        let model = self.dynamics.model;
        let (q, v) = y.split_at(model.sizes.q);
        let size = |b: &BodyEntry| worst(&q[b.q.clone()]).0.max(worst(&v[b.v.clone()]).0);
        let most = model.bodies.iter().max_by(|a, b| size(a).total_cmp(&size(b)));
        most.map_or(Blame::Nobody, |b| Blame::Body(b.name.clone()))
    }
}
