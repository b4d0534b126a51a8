//! The answers to the search for events: how closely to follow a function, and whether it may have fallen to zero in between.

use crate::constraints::ElementInput;
use crate::contacts::GAP_GUARD;
use crate::dynamics::Dynamics;
use crate::forces::ForceKind;
use crate::laws::ConstraintLaw;
use crate::model::{ForceEntry, Model};
use crate::motion::Motion;
use crate::simulation::events::contact_switches::{ContactSwitches, FUNCTIONS_PER_CONSTRAINT, SwitchOwner};
use crate::state::ConstraintMode;
use taut_ode::{IntervalCheck, SampleId, SamplingPolicy};

impl ContactSwitches {
    /// How closely function `i` is followed.
    pub fn follow(&self, d: &Dynamics, i: usize) -> SamplingPolicy {
        if let Some((owner, _)) = i.checked_sub(self.offsets.len()).map(|i| self.guards[i]) {
            return match owner {
                SwitchOwner::Force(f) if self.compliant.contains(&f) => SamplingPolicy::ByBounds,
                _ => SamplingPolicy::EqualParts,
            };
        }
        let c = self.watched[i / FUNCTIONS_PER_CONSTRAINT];
        let gap = i.is_multiple_of(FUNCTIONS_PER_CONSTRAINT)
            && matches!(d.model.constraints[c].law, ConstraintLaw::Unilateral(_));
        // The remaining features of a pair in contact do not measure its distance.
        let flies = || match d.model.contact_slots.iter().find(|m| m.slots.contains(&c)) {
            Some(meeting) => meeting.slots.iter().all(|c| d.modes[*c] == ConstraintMode::Idle),
            None => d.modes[c] == ConstraintMode::Idle,
        };
        if gap && flies() { SamplingPolicy::ByBounds } else { SamplingPolicy::EqualParts }
    }

    /// Whether contact points are held whose features change with the poses.
    pub fn has_held_features(&self, d: &Dynamics) -> bool {
        d.model.contact_slots.iter().any(|m| m.slots.iter().any(|c| d.modes[*c] != ConstraintMode::Idle))
    }

    /// Forces of compliant contacts.
    pub fn compliant_forces(&self) -> &[usize] {
        &self.compliant
    }

    /// The longest step, s, in which all compliant contacts can be followed.
    pub fn longest_compliant_step(&self, model: &Model, t: f64, motions: &[Motion], z: &[f64]) -> Option<f64> {
        let each = self.compliant.iter().filter_map(|f| match &model.forces[*f] {
            ForceEntry { kind: ForceKind::Compliant(pair), markers, z: own, .. } => {
                pair.max_step(&ElementInput { t, motions, markers, z: &z[own.clone()] })
            }
            _ => None,
        });
        each.reduce(f64::min)
    }

    /// The element behind function `i`.
    pub fn name_of<'m>(&self, model: &'m Model, i: usize) -> &'m str {
        match i.checked_sub(self.offsets.len()).map(|i| self.guards[i].0) {
            Some(SwitchOwner::Force(f)) => &model.forces[f].name,
            Some(SwitchOwner::Constraint(c)) => &model.constraints[c].name,
            None => &model.constraints[self.watched[i / FUNCTIONS_PER_CONSTRAINT]].name,
        }
    }

    /// Stores the state of the last call of `values`.
    pub fn store_gaps(&mut self, d: &Dynamics, at: SampleId) {
        let gaps = std::mem::take(&mut self.gaps);
        self.gap_monitor.store(at.slot, &d.kinematics.motions, &gaps);
        self.gaps = gaps;
    }

    /// Whether function `i` may have fallen to zero between two states.
    pub fn between(&self, d: &Dynamics, i: usize, from: SampleId, to: SampleId) -> IntervalCheck {
        let k = match i.checked_sub(self.offsets.len()).map(|i| self.guards[i]) {
            Some((SwitchOwner::Force(f), GAP_GUARD)) => match self.compliant.iter().position(|s| *s == f) {
                Some(k) => self.watched.len() + k,
                None => return IntervalCheck::NoHiddenZero,
            },
            Some(_) => return IntervalCheck::NoHiddenZero,
            None => i / FUNCTIONS_PER_CONSTRAINT,
        };
        // The first slot of a pair holds its nearest features and stands for all its points.
        let first =
            |c: &usize| d.model.contact_slots.iter().all(|m| !m.slots.contains(c) || m.slots.first() == Some(c));
        if self.watched.get(k).is_none_or(first) {
            self.gap_monitor.between(k, from, to)
        } else {
            IntervalCheck::NoHiddenZero
        }
    }
}
