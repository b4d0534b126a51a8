//! The answers to the search for events: how closely to follow a function, and whether it may have fallen to zero in between.

use crate::constraints::View;
use crate::contacts::GAP;
use crate::dynamics::Dynamics;
use crate::forces::ForceKind;
use crate::laws::Law;
use crate::model::{ForceEntry, Model};
use crate::motion::Motion;
use crate::simulation::events::switches::{Owner, PER_CONSTRAINT, Switches};
use crate::state::Mode;
use taut_ode::{Between, Follow, Noted};

impl Switches {
    /// How closely function `i` is followed.
    pub fn follow(&self, d: &Dynamics, i: usize) -> Follow {
        if let Some((owner, _)) = i.checked_sub(self.offsets.len()).map(|i| self.alarms[i]) {
            return match owner {
                Owner::Force(f) if self.soft.contains(&f) => Follow::Bounds,
                _ => Follow::Parts,
            };
        }
        let c = self.watched[i / PER_CONSTRAINT];
        let gap = i.is_multiple_of(PER_CONSTRAINT) && matches!(d.model.constraints[c].law, Law::Unilateral(_));
        // The remaining features of a pair in contact do not measure its distance.
        let flies = || match d.model.meetings.iter().find(|m| m.slots.contains(&c)) {
            Some(meeting) => meeting.slots.iter().all(|c| d.modes[*c] == Mode::Idle),
            None => d.modes[c] == Mode::Idle,
        };
        if gap && flies() { Follow::Bounds } else { Follow::Parts }
    }

    /// Whether contact points are held whose features change with the poses.
    pub fn meets(&self, d: &Dynamics) -> bool {
        d.model.meetings.iter().any(|m| m.slots.iter().any(|c| d.modes[*c] != Mode::Idle))
    }

    /// Forces of compliant contacts.
    pub fn soft(&self) -> &[usize] {
        &self.soft
    }

    /// The longest step, s, in which all compliant contacts can be followed.
    pub fn longest(&self, model: &Model, t: f64, motions: &[Motion], z: &[f64]) -> Option<f64> {
        let each = self.soft.iter().filter_map(|f| match &model.forces[*f] {
            ForceEntry { kind: ForceKind::Compliant(pair), markers, z: own, .. } => {
                pair.longest(&View { t, motions, ids: markers, z: &z[own.clone()] })
            }
            _ => None,
        });
        each.reduce(f64::min)
    }

    /// The element behind function `i`.
    pub fn name_of<'m>(&self, model: &'m Model, i: usize) -> &'m str {
        match i.checked_sub(self.offsets.len()).map(|i| self.alarms[i].0) {
            Some(Owner::Force(f)) => &model.forces[f].name,
            Some(Owner::Constraint(c)) => &model.constraints[c].name,
            None => &model.constraints[self.watched[i / PER_CONSTRAINT]].name,
        }
    }

    /// Stores the state of the last call of `values`.
    pub fn note(&mut self, d: &Dynamics, at: Noted) {
        let gaps = std::mem::take(&mut self.gaps);
        self.lookout.note(at.slot, &d.scene.motions, &gaps);
        self.gaps = gaps;
    }

    /// Whether function `i` may have fallen to zero between two states.
    pub fn between(&self, d: &Dynamics, i: usize, from: Noted, to: Noted) -> Between {
        let k = match i.checked_sub(self.offsets.len()).map(|i| self.alarms[i]) {
            Some((Owner::Force(f), GAP)) => match self.soft.iter().position(|s| *s == f) {
                Some(k) => self.watched.len() + k,
                None => return Between::Clear,
            },
            Some(_) => return Between::Clear,
            None => i / PER_CONSTRAINT,
        };
        // The first slot of a pair holds its nearest features and stands for all its points.
        let first = |c: &usize| d.model.meetings.iter().all(|m| !m.slots.contains(c) || m.slots.first() == Some(c));
        if self.watched.get(k).is_none_or(first) { self.lookout.between(k, from, to) } else { Between::Clear }
    }
}
