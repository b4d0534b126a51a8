//! Contacts between two decisions: predicted gaps, overlaps, and very slow slips.

use super::patience::Slip;
use super::switches::{PER_CONSTRAINT, Switches};
use super::{REST, TOUCH};
use crate::contacts::{Ahead, Range};
use crate::dynamics::Dynamics;
use crate::laws::{Law, QUIET};
use crate::motion::Vec3;
use crate::solvers::contact_features::ahead;
use crate::state::Mode;

/// Slips slower than this, m/s, creep: friction rotates their direction faster than they decay.
const CREEP: f64 = 1e-4;

/// Offset, m, of an opening gap above its round-off; a fall from this height does not rebound.
const LIFT: f64 = 3e-14;

/// Result of lifting a gap that touched zero again while opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lift {
    /// It starts again above zero.
    Done,
    /// It was lifted before, so it is really closing.
    Already,
}

impl Switches {
    /// Whether function `i` is an opening gap: one that rises slowly from zero touches it again by round-off.
    pub fn opens(&self, d: &Dynamics, i: usize, t: f64, z: &[f64]) -> bool {
        let k = i / PER_CONSTRAINT;
        let Some(&c) = self.watched.get(k).filter(|_| i.is_multiple_of(PER_CONSTRAINT)) else {
            return false;
        };
        let gap = matches!(d.model.constraints[c].law, Law::Unilateral(_));
        let Ahead { gap: now, rate, .. } = self.open_gaps(d, t, z)[k];
        // `QUIET` means that nothing is near.
        d.modes[c] == Mode::Idle && gap && rate > 0.0 && now < QUIET
    }

    /// Restarts an opening gap that touched zero again above zero, so that round-off does not fire it endlessly. If it falls back
    /// after that, it is really closing.
    pub fn lift(&mut self, d: &Dynamics, i: usize, t: f64, z: &[f64]) -> Lift {
        if self.lifted.contains(&i) {
            return Lift::Already;
        }
        if let Some(seen) = self.open_gaps(d, t, z).get(i / PER_CONSTRAINT) {
            self.offsets[i] = (LIFT - seen.gap).max(self.offsets[i]);
        }
        self.lifted.push(i);
        Lift::Done
    }

    /// The contacts that slide so slowly that a step can hardly follow their direction.
    pub fn creeping(&self, d: &Dynamics) -> Vec<Slip> {
        let creeps = |c: &usize| {
            let entry = &d.model.constraints[*c];
            let from = entry.law.gripping_from().filter(|from| entry.rows.len() > from + 1)?;
            let slip = &d.eq.loose.rate[entry.rows.start + from..entry.rows.end];
            let slow = slip.iter().map(|s| s * s).sum::<f64>() < CREEP * CREEP;
            let creeps = matches!(d.modes[*c], Mode::Sliding(_)) && slow;
            creeps.then_some(Slip { constraint: *c, rate: [slip[0], slip[1]] })
        };
        self.watched.iter().filter_map(creeps).collect()
    }

    /// The deepest overlap of a gap that is open by its mode, and its constraint.
    pub fn overlap(&self, d: &Dynamics, t: f64, z: &[f64]) -> Option<(usize, f64)> {
        let open = |c: &usize| d.modes[*c] == Mode::Idle && matches!(d.model.constraints[*c].law, Law::Unilateral(_));
        let depths = self.watched.iter().zip(self.open_gaps(d, t, z)).filter(|(c, _)| open(c));
        depths.map(|(c, ahead)| (*c, -ahead.gap)).max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The closed gap with the largest |φ|, and its size.
    pub fn off(&self, d: &Dynamics) -> Option<(usize, f64)> {
        let held = |c: &usize| d.modes[*c] != Mode::Idle && matches!(d.model.constraints[*c].law, Law::Unilateral(_));
        let off = |c: usize| (c, d.eq.phi[d.model.constraints[c].rows.start].abs());
        self.watched.iter().copied().filter(held).map(off).max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Whether an event was missed: a gap that is open by its mode overlaps, or a contact slides against its direction.
    pub fn missed(&self, d: &Dynamics, t: f64, z: &[f64]) -> bool {
        let missed = |(c, open): (&usize, Ahead)| {
            let entry = &d.model.constraints[*c];
            let first = entry.rows.start;
            match (d.modes[*c], entry.law) {
                (Mode::Idle, Law::Unilateral(_)) => open.gap < -TOUCH && open.rate < 0.0,
                (Mode::Sliding(s), law) => {
                    let rates = &d.eq.loose.rate[first + law.gripping_from().unwrap_or(0)..entry.rows.end];
                    let size = rates.iter().map(|r| r.abs()).sum::<f64>();
                    rates.iter().zip(s).map(|(r, s)| r * s).sum::<f64>() < -1e2 * REST * (1.0 + size)
                }
                _ => false,
            }
        };
        self.watched.iter().zip(self.open_gaps(d, t, z)).any(missed)
    }

    /// The gaps of all watched constraints, as if open.
    pub(super) fn open_gaps(&self, d: &Dynamics, t: f64, z: &[f64]) -> Vec<Ahead> {
        let own = |c: &usize| {
            let first = d.model.constraints[*c].rows.start;
            Ahead { gap: d.eq.loose.phi[first], rate: d.eq.loose.rate[first], normal: Vec3::zeros() }
        };
        let mut gaps: Vec<Ahead> = self.watched.iter().map(own).collect();
        ahead(d.model, t, &d.scene.motions, &d.modes, z, Range::Near, |c, seen| {
            if let Ok(k) = self.watched.binary_search(&c) {
                gaps[k] = seen;
            }
        });
        gaps
    }
}
