//! What adds or takes energy, and whether its work is integrated along with the motion.

use crate::bodies::BodyKind;
use crate::constraints::{ConstraintKind, Hold, Turning};
use crate::forces::Conservation;
use crate::model::{ConstraintEntry, Model};

/// Whether the work done on the mechanism is integrated along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// As the last component of y.
    Integrated,
    /// Nothing can do any.
    Zero,
    /// Nobody integrates it: a motion is followed, not integrated; or no energy belongs to the inertia of a body.
    Unknown,
}

impl Work {
    /// Whether anything in the model adds or takes energy.
    pub fn of(model: &Model) -> Work {
        Work::without(model, |_| false)
    }

    /// Whether a joint or relation follows something that is given.
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

    /// The same with some constraints left out, which never hold.
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
