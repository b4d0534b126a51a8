//! Contacts between two decisions: predicted gaps, overlaps, and very slow slips.

use super::ZERO_RATE_TOLERANCE;
use super::contact_switches::{ContactSwitches, FUNCTIONS_PER_CONSTRAINT};
use super::progress_guard::SlowSlip;
use crate::contacts::{GapState, SearchRange};
use crate::dynamics::Dynamics;
use crate::laws::{ConstraintLaw, NEVER_ZERO};
use crate::motion::Vec3;
use crate::solvers::contact_features::for_each_open_contact;
use crate::state::ConstraintMode;

/// Result of lifting a gap that touched zero again while opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LiftResult {
    /// It starts again above zero.
    Done,
    /// It was lifted before, so it is really closing.
    Already,
}

impl ContactSwitches {
    /// Whether function `i` is an opening gap: one that rises slowly from zero touches it again by round-off.
    pub fn is_opening_gap(&self, d: &Dynamics, i: usize, t: f64, z: &[f64]) -> bool {
        let k = i / FUNCTIONS_PER_CONSTRAINT;
        let Some(&c) = self.watched.get(k).filter(|_| i.is_multiple_of(FUNCTIONS_PER_CONSTRAINT)) else {
            return false;
        };
        let gap = matches!(d.model.constraints[c].law, ConstraintLaw::Unilateral(_));
        let GapState { gap: now, rate, .. } = self.open_gaps(d, t, z)[k];
        // `NEVER_ZERO` means that nothing is near.
        d.modes[c] == ConstraintMode::Idle && gap && rate > 0.0 && now < NEVER_ZERO
    }

    /// Restarts an opening gap that touched zero again above zero, so that round-off does not fire it endlessly. If it falls back
    /// after that, it is really closing.
    pub fn lift(&mut self, d: &Dynamics, i: usize, t: f64, z: &[f64]) -> LiftResult {
        if self.lifted.contains(&i) {
            return LiftResult::Already;
        }
        if let Some(seen) = self.open_gaps(d, t, z).get(i / FUNCTIONS_PER_CONSTRAINT) {
            self.offsets[i] = (d.model.contact_scale.lift_height() - seen.gap).max(self.offsets[i]);
        }
        self.lifted.push(i);
        LiftResult::Done
    }

    /// The contacts that slide so slowly that a step can hardly follow their direction.
    pub fn creeping_contacts(&self, d: &Dynamics) -> Vec<SlowSlip> {
        let creeps = |c: &usize| {
            let entry = &d.model.constraints[*c];
            let from = entry.law.first_friction_row().filter(|from| entry.rows.len() > from + 1)?;
            let slip = &d.eq.inactive.rate[entry.rows.start + from..entry.rows.end];
            let creep = d.model.contact_scale.creep_speed();
            let slow = slip.iter().map(|s| s * s).sum::<f64>() < creep * creep;
            let creeps = matches!(d.modes[*c], ConstraintMode::Sliding(_)) && slow;
            creeps.then_some(SlowSlip { constraint: *c, rate: [slip[0], slip[1]] })
        };
        self.watched.iter().filter_map(creeps).collect()
    }

    /// The deepest overlap of a gap that is open by its mode, and its constraint.
    pub fn deepest_overlap(&self, d: &Dynamics, t: f64, z: &[f64]) -> Option<(usize, f64)> {
        let open = |c: &usize| {
            d.modes[*c] == ConstraintMode::Idle && matches!(d.model.constraints[*c].law, ConstraintLaw::Unilateral(_))
        };
        let depths = self.watched.iter().zip(self.open_gaps(d, t, z)).filter(|(c, _)| open(c));
        depths.map(|(c, ahead)| (*c, -ahead.gap)).max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The closed gap with the largest |φ|, and its size.
    pub fn largest_held_gap(&self, d: &Dynamics) -> Option<(usize, f64)> {
        let held = |c: &usize| {
            d.modes[*c] != ConstraintMode::Idle && matches!(d.model.constraints[*c].law, ConstraintLaw::Unilateral(_))
        };
        let off = |c: usize| (c, d.eq.phi[d.model.constraints[c].rows.start].abs());
        self.watched.iter().copied().filter(held).map(off).max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Whether an event was missed: a gap that is open by its mode overlaps, or a contact slides against its direction.
    pub fn has_missed_event(&self, d: &Dynamics, t: f64, z: &[f64]) -> bool {
        let missed = |(c, open): (&usize, GapState)| {
            let entry = &d.model.constraints[*c];
            let first = entry.rows.start;
            match (d.modes[*c], entry.law) {
                (ConstraintMode::Idle, ConstraintLaw::Unilateral(_)) => {
                    open.gap < -d.model.contact_scale.closed_gap() && open.rate < 0.0
                }
                (ConstraintMode::Sliding(s), law) => {
                    let rates = &d.eq.inactive.rate[first + law.first_friction_row().unwrap_or(0)..entry.rows.end];
                    let size = rates.iter().map(|r| r.abs()).sum::<f64>();
                    rates.iter().zip(s).map(|(r, s)| r * s).sum::<f64>()
                        < -1e2 * ZERO_RATE_TOLERANCE * (d.model.contact_scale.length() + size)
                }
                _ => false,
            }
        };
        self.watched.iter().zip(self.open_gaps(d, t, z)).any(missed)
    }

    /// The gaps of all watched constraints, as if open.
    pub(super) fn open_gaps(&self, d: &Dynamics, t: f64, z: &[f64]) -> Vec<GapState> {
        let own = |c: &usize| {
            let first = d.model.constraints[*c].rows.start;
            GapState { gap: d.eq.inactive.phi[first], rate: d.eq.inactive.rate[first], normal: Vec3::zeros() }
        };
        let mut gaps: Vec<GapState> = self.watched.iter().map(own).collect();
        for_each_open_contact(d.model, t, &d.kinematics.motions, &d.modes, z, SearchRange::Near, |c, seen| {
            if let Ok(k) = self.watched.binary_search(&c) {
                gaps[k] = seen;
            }
        });
        gaps
    }
}
