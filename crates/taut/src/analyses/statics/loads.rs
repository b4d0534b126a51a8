//! Loads: weight, given forces and motors, brought on by a share s; springs and all that belongs to the mechanism stay.

use crate::constraints::{Reference, View};
use crate::error::Fault;
use crate::forces::{Conservation, Force, ForceKind, Known};
use crate::model::Model;
use crate::motion::Wrench;
use nalgebra::Matrix6;
use std::sync::Arc;

/// Whether a force belongs to the loads.
fn is_load(kind: &ForceKind) -> bool {
    matches!(kind, ForceKind::Applied(_) | ForceKind::Motor(_))
}

/// Brings the loads of `given` on `model`, its copy, by a share.
pub(super) fn bring_on(given: &Model, model: &mut Model, share: f64) {
    model.gravity = given.gravity * share;
    for (entry, whole) in model.forces.iter_mut().zip(&given.forces).filter(|(_, f)| is_load(&f.kind)) {
        entry.kind = match share {
            1.0 => whole.kind.clone(),
            _ => ForceKind::Custom(Arc::new(Share { of: whole.kind.clone(), share })),
        };
    }
}

/// A share of a force.
#[derive(Clone, Debug)]
struct Share {
    of: ForceKind,
    share: f64,
}

impl Force for Share {
    fn markers(&self) -> Vec<Reference<'_>> {
        self.of.force().markers()
    }
    fn states(&self) -> usize {
        self.of.force().states()
    }
    fn check(&self) -> Result<(), Fault> {
        self.of.force().check()
    }
    fn apply(&self, at: &View, on: &mut [Wrench]) {
        self.of.force().apply(at, on);
        on.iter_mut().for_each(|w| *w = Wrench { f: w.f * self.share, m: w.m * self.share });
    }
    fn tangent(&self, at: &View, pose: &mut [Matrix6<f64>], twist: &mut [Matrix6<f64>]) -> Known {
        let known = self.of.force().tangent(at, pose, twist);
        pose.iter_mut().chain(twist).for_each(|block| *block *= self.share);
        known
    }
    fn settle(&self, at: &View, z: &mut [f64]) {
        self.of.force().settle(at, z);
    }
    fn states_rate(&self, at: &View, zdot: &mut [f64]) {
        self.of.force().states_rate(at, zdot);
    }
    fn angles(&self) -> Vec<[usize; 2]> {
        self.of.force().angles()
    }
    fn potential(&self, at: &View) -> f64 {
        self.share * self.of.force().potential(at)
    }
    fn conserves(&self) -> Conservation {
        self.of.force().conserves()
    }
}
