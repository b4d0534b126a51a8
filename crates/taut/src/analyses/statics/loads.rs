//! Loads scaled by the load factor s: gravity, applied forces and motors, and the displacements of drivers from the start. Springs and
//! everything else that belongs to the mechanism are not scaled.

use crate::constraints::{ConstraintKind, Hold, Joint, Reference, Turning, View};
use crate::equations::{Equations, Scene, place};
use crate::error::Fault;
use crate::forces::{Conservation, ExtraStates, Force, ForceKind, Known, NonSmooth};
use crate::model::Model;
use crate::motion::Wrench;
use crate::signals::Signal;
use crate::state::State;
use nalgebra::Matrix6;
use std::sync::Arc;

/// Whether a force belongs to the loads.
fn is_load(kind: &ForceKind) -> bool {
    matches!(kind, ForceKind::Applied(_) | ForceKind::Motor(_))
}

/// A driver whose prescribed position differs from the start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    constraint: usize,
    /// 0 to 2: along x, y, z; 3: about z; for a relation 0.
    axis: usize,
    /// Start minus prescribed position, m or rad.
    ahead: f64,
}

/// Drivers whose prescribed position differs from a state, and by how much.
pub(super) fn ways(model: &Model, state: &State) -> Vec<Way> {
    let (mut scene, mut eq) = (Scene::new(model), Equations::new(model));
    place(model, state.into(), &mut scene, &mut eq);
    let mut found = Vec::new();
    for (constraint, c) in model.constraints.iter().enumerate() {
        for (axis, name) in ["x", "y", "z", "angle"].into_iter().enumerate() {
            let row = match &c.kind {
                ConstraintKind::Relation(_) if axis == 0 => Some(c.rows.start),
                ConstraintKind::Joint(_) => c.rows.clone().find(|r| model.rows[*r].name == name),
                _ => None,
            };
            let driven = matches!(hold(&mut c.kind.clone(), axis), Some(Hold::Position(_)));
            if let Some(ahead) = row.filter(|_| driven).map(|r| eq.phi[r]).filter(|phi| *phi != 0.0) {
                found.push(Way { constraint, axis, ahead });
            }
        }
    }
    found
}

/// The hold of an axis of a constraint.
fn hold(kind: &mut ConstraintKind, axis: usize) -> Option<&mut Hold> {
    match kind {
        ConstraintKind::Relation(relation) => Some(&mut relation.follows),
        ConstraintKind::Joint(Joint { along, turning, .. }) => match (axis, turning) {
            (0..=2, _) => Some(&mut along[axis]),
            (_, Turning::About(hold) | Turning::Locked(hold)) => Some(hold),
            _ => None,
        },
        _ => None,
    }
}

/// Applies a load factor to the loads of `given` in its copy `model`; drivers move by the same fraction, at the time `t`.
pub(super) fn bring_on(given: &Model, model: &mut Model, share: f64, ways: &[Way], t: f64) {
    for way in ways {
        let mut kind = given.constraints[way.constraint].kind.clone();
        if let Some(Hold::Position(signal)) = hold(&mut kind, way.axis)
            && share != 1.0
        {
            // The same motion about this instant, minus the remaining displacement.
            let (j, ahead) = (signal.at(t), (1.0 - share) * way.ahead);
            let at_zero = j.f + ahead - j.df * t + 0.5 * j.ddf * t * t;
            *signal = Signal::polynomial([at_zero, j.df - j.ddf * t, 0.5 * j.ddf]);
        }
        model.constraints[way.constraint].kind = kind;
    }
    model.gravity = given.gravity * share;
    for (entry, whole) in model.forces.iter_mut().zip(&given.forces).filter(|(_, f)| is_load(&f.kind)) {
        entry.kind = match share {
            1.0 => whole.kind.clone(),
            _ => ForceKind::Custom(Arc::new(Share { of: whole.kind.clone(), share })),
        };
    }
}

/// A force times a factor.
#[derive(Clone, Debug)]
struct Share {
    of: ForceKind,
    share: f64,
}

impl Force for Share {
    fn markers(&self) -> Vec<Reference<'_>> {
        self.of.force().markers()
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
    fn potential(&self, at: &View) -> f64 {
        self.share * self.of.force().potential(at)
    }
    fn conserves(&self) -> Conservation {
        self.of.force().conserves()
    }
}

impl ExtraStates for Share {
    fn states(&self) -> usize {
        self.of.force().states()
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
}

impl NonSmooth for Share {}
