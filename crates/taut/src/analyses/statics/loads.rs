//! Loads scaled by the load factor s: gravity, applied forces and motors, and the displacements of drivers from the start. Springs and
//! everything else that belongs to the mechanism are not scaled.

use crate::constraints::{ConstraintKind, ElementInput, Joint, MarkerReference, Prescription, RotationMask};
use crate::equations::{Equations, MarkerKinematics, assemble_positions};
use crate::error::ParameterError;
use crate::forces::{Conservation, ExtraStates, Force, ForceKind, ForceReport, NonSmooth, TangentAvailability};
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
pub(super) struct DriverOffset {
    constraint: usize,
    /// 0 to 2: along x, y, z; 3: about z; for a relation 0.
    axis: usize,
    /// Start minus prescribed position, m or rad.
    offset: f64,
}

/// Drivers whose prescribed position differs from a state, and by how much.
pub(super) fn driver_offsets(model: &Model, state: &State) -> Vec<DriverOffset> {
    let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
    assemble_positions(model, state.into(), &mut scene, &mut eq);
    let mut found = Vec::new();
    for (constraint, c) in model.constraints.iter().enumerate() {
        for (axis, name) in ["x", "y", "z", "angle"].into_iter().enumerate() {
            let row = match &c.kind {
                ConstraintKind::Relation(_) if axis == 0 => Some(c.rows.start),
                ConstraintKind::Joint(_) => c.rows.clone().find(|r| model.rows[*r].name == name),
                _ => None,
            };
            let driven = matches!(hold(&mut c.kind.clone(), axis), Some(Prescription::Position(_)));
            if let Some(ahead) = row.filter(|_| driven).map(|r| eq.phi[r]).filter(|phi| *phi != 0.0) {
                found.push(DriverOffset { constraint, axis, offset: ahead });
            }
        }
    }
    found
}

/// The hold of an axis of a constraint.
fn hold(kind: &mut ConstraintKind, axis: usize) -> Option<&mut Prescription> {
    match kind {
        ConstraintKind::Relation(relation) => Some(&mut relation.follows),
        ConstraintKind::Joint(Joint { translation: along, rotation: turning, .. }) => match (axis, turning) {
            (0..=2, _) => Some(&mut along[axis]),
            (_, RotationMask::About(hold) | RotationMask::Locked(hold)) => Some(hold),
            _ => None,
        },
        _ => None,
    }
}

/// Applies a load factor to the loads of `given` in its copy `model`; drivers move by the same fraction, at the time `t`.
pub(super) fn apply_load_factor(given: &Model, model: &mut Model, load_factor: f64, ways: &[DriverOffset], t: f64) {
    for way in ways {
        let mut kind = given.constraints[way.constraint].kind.clone();
        if let Some(Prescription::Position(signal)) = hold(&mut kind, way.axis)
            && load_factor != 1.0
        {
            // The same motion about this instant, minus the remaining displacement.
            let (j, ahead) = (signal.at(t), (1.0 - load_factor) * way.offset);
            let at_zero = j.f + ahead - j.df * t + 0.5 * j.ddf * t * t;
            *signal = Signal::polynomial([at_zero, j.df - j.ddf * t, 0.5 * j.ddf]);
        }
        model.constraints[way.constraint].kind = kind;
    }
    model.gravity = given.gravity * load_factor;
    for (entry, whole) in model.forces.iter_mut().zip(&given.forces).filter(|(_, f)| is_load(&f.kind)) {
        entry.kind = match load_factor {
            1.0 => whole.kind.clone(),
            _ => ForceKind::Custom(Arc::new(ScaledForce { force: whole.kind.clone(), factor: load_factor })),
        };
    }
}

/// A force times a factor.
#[derive(Clone, Debug)]
struct ScaledForce {
    force: ForceKind,
    factor: f64,
}

impl Force for ScaledForce {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        self.force.force().markers()
    }
    fn check(&self) -> Result<(), ParameterError> {
        self.force.force().check()
    }
    fn apply(&self, at: &ElementInput, on: &mut [Wrench]) {
        self.force.force().apply(at, on);
        on.iter_mut().for_each(|w| *w = Wrench { f: w.f * self.factor, m: w.m * self.factor });
    }
    fn tangent(&self, at: &ElementInput, pose: &mut [Matrix6<f64>], twist: &mut [Matrix6<f64>]) -> TangentAvailability {
        let known = self.force.force().tangent(at, pose, twist);
        pose.iter_mut().chain(twist).for_each(|block| *block *= self.factor);
        known
    }
    fn potential(&self, at: &ElementInput) -> f64 {
        self.factor * self.force.force().potential(at)
    }
    fn conservation(&self) -> Conservation {
        self.force.force().conservation()
    }
}

impl ExtraStates for ScaledForce {
    fn state_count(&self) -> usize {
        self.force.force().state_count()
    }
    fn initialise_states(&self, at: &ElementInput, z: &mut [f64]) {
        self.force.force().initialise_states(at, z);
    }
    fn state_rates(&self, at: &ElementInput, zdot: &mut [f64]) {
        self.force.force().state_rates(at, zdot);
    }
    fn angle_markers(&self) -> Vec<[usize; 2]> {
        self.force.force().angle_markers()
    }
}

impl ForceReport for ScaledForce {}
impl NonSmooth for ScaledForce {}
