//! Determines what adds or removes energy, and whether the work is integrated with the motion.

use crate::bodies::BodyKind;
use crate::constraints::{ConstraintKind, Prescription, RotationMask};
use crate::forces::Conservation;
use crate::model::{ConstraintEntry, Model};

/// How the work done on the mechanism is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WorkTracking {
    /// Integrated as the last component of y.
    Integrated,
    /// No element can do work.
    Zero,
    /// Not integrated: the motion is prescribed rather than integrated, or the inertia of a body has no energy.
    Unknown,
}

impl WorkTracking {
    /// Whether any element of the model adds or removes energy.
    pub fn of(model: &Model) -> WorkTracking {
        WorkTracking::excluding(model, |_| false)
    }

    /// Whether a joint or relation prescribes a motion.
    pub fn is_driven(c: &ConstraintEntry) -> bool {
        let driven = |h: &Prescription| !matches!(h, Prescription::Free | Prescription::Fixed);
        match &c.kind {
            ConstraintKind::Joint(j) => {
                let turning = match &j.rotation {
                    RotationMask::About(h) | RotationMask::Locked(h) => driven(h),
                    _ => false,
                };
                turning || j.translation.iter().any(driven)
            }
            ConstraintKind::Relation(r) => driven(&r.follows),
            _ => false,
        }
    }

    /// The same, ignoring some constraints that are never active.
    pub fn excluding(model: &Model, out: impl Fn(&ConstraintEntry) -> bool) -> WorkTracking {
        let moves = model.constraints.iter().filter(|c| !out(c)).any(|c| match &c.kind {
            ConstraintKind::Joint(_) | ConstraintKind::Relation(_) => WorkTracking::is_driven(c),
            ConstraintKind::KnifeEdge(_)
            | ConstraintKind::Rolling(_)
            | ConstraintKind::UnitNorm(_)
            | ConstraintKind::ForceBalance(_) => false,
            _ => true,
        });
        if model.bodies.iter().any(|b| matches!(b.kind, BodyKind::BeamNodes(_))) {
            return WorkTracking::Unknown;
        }
        let loses = model.bodies.iter().any(|b| {
            matches!(
                b.kind,
                BodyKind::Ritz(_)
                    | BodyKind::Modal(_)
                    | BodyKind::Generalised(_)
                    | BodyKind::Subsystem(_)
                    | BodyKind::Custom(_)
            )
        });
        let open = model.force_conservation() == Conservation::NonConservative;
        if moves || loses || open { WorkTracking::Integrated } else { WorkTracking::Zero }
    }
}
