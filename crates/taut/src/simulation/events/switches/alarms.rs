//! Guards that elements watch themselves, such as teeth, samples and compliant contacts, and what happens when one fires.

use super::{Owner, Switches};
use crate::constraints::View;
use crate::contacts::CompliantPair;
use crate::dynamics::Dynamics;
use crate::laws::QUIET;
use crate::simulation::events::{Happening, Occurrence};

impl Switches {
    /// The guards that fire at the state of the dynamics.
    pub fn due(&mut self, d: &Dynamics, t: f64, z: &[f64]) -> Vec<usize> {
        let mut g = vec![QUIET; self.count()];
        self.values(d, t, z, &mut g);
        (self.offsets.len()..g.len()).filter(|i| g[*i] <= 0.0).collect()
    }

    /// The compliant contact behind function `i`, if it is one.
    pub fn force_of(&self, i: usize) -> Option<usize> {
        match i.checked_sub(self.offsets.len()).map(|i| self.alarms[i].0) {
            Some(Owner::Force(f)) if self.soft.contains(&f) => Some(f),
            _ => None,
        }
    }

    /// Energy, J, stored in the compliant contact behind function `i`; zero for all others.
    pub fn stored(&self, d: &Dynamics, i: usize, t: f64, z: &[f64]) -> f64 {
        self.force_of(i).map_or(0.0, |f| {
            let entry = &d.model.forces[f];
            let view = View { t, motions: &d.scene.motions, ids: &entry.markers, z: &z[entry.z.clone()] };
            entry.kind.force().potential(&view)
        })
    }

    /// Fires the guard of function `i`: the element changes its own states.
    pub fn ring(&self, d: &Dynamics, i: usize, t: f64, z: &mut [f64]) -> Option<Occurrence> {
        let (owner, i) = self.alarms.get(i.checked_sub(self.offsets.len())?)?;
        let before = z.to_vec();
        let model = d.model;
        let (name, index) = match *owner {
            Owner::Constraint(c) => {
                let entry = &model.constraints[c];
                let view = View { t, motions: &d.scene.motions, ids: &entry.markers, z: &before[entry.z.clone()] };
                entry.kind.constraint().ring(&view, *i, &mut z[entry.z.clone()]);
                (&entry.name, c)
            }
            Owner::Force(f) => {
                let entry = &model.forces[f];
                let view = View { t, motions: &d.scene.motions, ids: &entry.markers, z: &before[entry.z.clone()] };
                entry.kind.force().ring(&view, *i, &mut z[entry.z.clone()]);
                (&entry.name, f)
            }
        };
        let what = match owner {
            Owner::Force(f) if self.soft.contains(f) => {
                let own = model.forces[*f].z.clone();
                if CompliantPair::closes(&before[own.clone()], &z[own])? { Happening::Closes } else { Happening::Opens }
            }
            _ => Happening::Rings,
        };
        Some(Occurrence::new(name, index, t, what))
    }
}
