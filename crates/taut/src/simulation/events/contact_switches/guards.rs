//! Guards that elements watch themselves, such as teeth, samples and compliant contacts, and what happens when one fires.

use super::{ContactSwitches, SwitchOwner};
use crate::constraints::ElementInput;
use crate::contacts::CompliantPair;
use crate::dynamics::Dynamics;
use crate::laws::NEVER_ZERO;
use crate::simulation::events::{EventKind, EventRecord};

impl ContactSwitches {
    /// The guards that fire at the state of the dynamics.
    pub fn due_guards(&mut self, d: &Dynamics, t: f64, z: &[f64]) -> Vec<usize> {
        let mut g = vec![NEVER_ZERO; self.count()];
        self.values(d, t, z, &mut g);
        (self.offsets.len()..g.len()).filter(|i| g[*i] <= 0.0).collect()
    }

    /// The compliant contact behind function `i`, if it is one.
    pub fn force_of(&self, i: usize) -> Option<usize> {
        match i.checked_sub(self.offsets.len()).map(|i| self.guards[i].0) {
            Some(SwitchOwner::Force(f)) if self.compliant.contains(&f) => Some(f),
            _ => None,
        }
    }

    /// Energy, J, stored in the compliant contact behind function `i`; zero for all others.
    pub fn stored_energy(&self, d: &Dynamics, i: usize, t: f64, z: &[f64]) -> f64 {
        self.force_of(i).map_or(0.0, |f| {
            let entry = &d.model.forces[f];
            let view =
                ElementInput { t, motions: &d.kinematics.motions, markers: &entry.markers, z: &z[entry.z.clone()] };
            entry.kind.force().potential(&view)
        })
    }

    /// Fires the guard of function `i`: the element changes its own states.
    pub fn fire(&self, d: &Dynamics, i: usize, t: f64, z: &mut [f64]) -> Option<EventRecord> {
        let (owner, i) = self.guards.get(i.checked_sub(self.offsets.len())?)?;
        let before = z.to_vec();
        let model = d.model;
        let (name, index) = match *owner {
            SwitchOwner::Constraint(c) => {
                let entry = &model.constraints[c];
                let view = ElementInput {
                    t,
                    motions: &d.kinematics.motions,
                    markers: &entry.markers,
                    z: &before[entry.z.clone()],
                };
                entry.kind.constraint().reset_states(&view, *i, &mut z[entry.z.clone()]);
                (&entry.name, c)
            }
            SwitchOwner::Force(f) => {
                let entry = &model.forces[f];
                let view = ElementInput {
                    t,
                    motions: &d.kinematics.motions,
                    markers: &entry.markers,
                    z: &before[entry.z.clone()],
                };
                entry.kind.force().reset_states(&view, *i, &mut z[entry.z.clone()]);
                (&entry.name, f)
            }
        };
        let what = match owner {
            SwitchOwner::Force(f) if self.compliant.contains(f) => {
                let own = model.forces[*f].z.clone();
                if CompliantPair::closing_transition(&before[own.clone()], &z[own])? {
                    EventKind::Closes
                } else {
                    EventKind::Opens
                }
            }
            _ => EventKind::StateReset,
        };
        Some(EventRecord::new(name, index, t, what))
    }
}
