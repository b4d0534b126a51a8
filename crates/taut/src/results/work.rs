//! Determines what adds or removes energy, and whether the work is integrated with the motion.

use crate::bodies::BodyKind;
use crate::constraints::{ConstraintKind, Hold, Turning};
use crate::forces::Conservation;
use crate::model::{ConstraintEntry, Model};

/// How the work done on the mechanism is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// Integrated as the last component of y.
    Integrated,
    /// No element can do work.
    Zero,
    /// Not integrated: the motion is prescribed rather than integrated, or the inertia of a body has no energy.
    Unknown,
}

impl Work {
    /// Whether any element of the model adds or removes energy.
    pub fn of(model: &Model) -> Work {
        Work::without(model, |_| false)
    }

    /// Whether a joint or relation prescribes a motion.
    pub fn drives(c: &ConstraintEntry) -> bool {
        let driven = |h: &Hold| !matches!(h, Hold::Free | Hold::Held);
        match &c.kind {
            ConstraintKind::Joint(j) => {
                let turning = match &j.turning {
                    Turning::About(h) | Turning::Locked(h) => driven(h),
                    _ => false,
                };
                turning || j.along.iter().any(driven)
            }
            ConstraintKind::Relation(r) => driven(&r.follows),
            _ => false,
        }
    }

    /// The same, ignoring some constraints that are never active.
    pub fn without(model: &Model, out: impl Fn(&ConstraintEntry) -> bool) -> Work {
        let moves = model.constraints.iter().filter(|c| !out(c)).any(|c| match &c.kind {
            ConstraintKind::Joint(_) | ConstraintKind::Relation(_) => Work::drives(c),
            ConstraintKind::KnifeEdge(_) | ConstraintKind::Rolling(_) | ConstraintKind::UnitNorm(_) => false,
            _ => true,
        });
        if model.bodies.iter().any(|b| matches!(b.kind, BodyKind::BeamNodes(_))) {
            return Work::Unknown;
        }
        let loses = model.bodies.iter().any(|b| {
            matches!(b.kind, BodyKind::Ritz(_) | BodyKind::Modal(_) | BodyKind::Subsystem(_) | BodyKind::Custom(_))
        });
        let open = model.forces_conserve() == Conservation::Open;
        if moves || loses || open { Work::Integrated } else { Work::Zero }
    }
}
