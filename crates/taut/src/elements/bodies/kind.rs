//! The enum of all kinds of bodies, and static dispatch to them.

use super::{
    BeamNodes, Body, EulerAngles, EulerParameters, Modal, PlanarBody, PointMass, RigidBody, RitzReduction, Rodrigues,
    Subsystem, SubsystemBody, Variable, ritz,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Every kind of body; the tag is the `type` of the model file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum BodyKind {
    /// A particle in space.
    PointMass(PointMass),
    /// A rigid body in the xy plane.
    Planar(PlanarBody),
    /// A rigid body in space.
    Rigid(RigidBody),
    /// A rigid body with Euler parameters and their rates.
    EulerParameters(EulerParameters),
    /// A rigid body with Gibbs–Rodrigues parameters and their rates.
    Rodrigues(Rodrigues),
    /// A rigid body with three angles.
    EulerAngles(EulerAngles),
    /// A set of bodies reduced to given shapes.
    Ritz(RitzReduction),
    /// A flexible body: a floating frame and mode shapes.
    Modal(Modal),
    /// The nodes of a beam with consistent inertia; [`Spec::build`](crate::Spec::build) creates them from beams.
    #[serde(skip)]
    BeamNodes(BeamNodes),
    /// A named number that events change.
    Variable(Variable),
    /// A subsystem with its own coordinates, given in code.
    #[serde(skip)]
    Subsystem(SubsystemBody),
    /// Any other body, given in code.
    #[serde(skip)]
    Custom(Arc<dyn Body>),
}

/// Calls `$call` on the body inside, without a virtual call for the kinds of this library.
macro_rules! each_body {
    ($kind:expr, $body:ident => $call:expr) => {
        match $kind {
            $crate::bodies::BodyKind::Rigid($body) => $call,
            $crate::bodies::BodyKind::Planar($body) => $call,
            $crate::bodies::BodyKind::PointMass($body) => $call,
            $crate::bodies::BodyKind::EulerParameters($body) => $call,
            $crate::bodies::BodyKind::Rodrigues($body) => $call,
            $crate::bodies::BodyKind::EulerAngles($body) => $call,
            $crate::bodies::BodyKind::Ritz($body) => $call,
            $crate::bodies::BodyKind::Modal($body) => $call,
            $crate::bodies::BodyKind::BeamNodes($body) => $call,
            $crate::bodies::BodyKind::Variable($body) => $call,
            $crate::bodies::BodyKind::Subsystem($body) => $call,
            $crate::bodies::BodyKind::Custom($body) => $call,
        }
    };
}
pub(crate) use each_body;

impl BodyKind {
    /// The body as a trait object.
    pub fn body(&self) -> &dyn Body {
        match self {
            BodyKind::Rigid(b) => b,
            BodyKind::Planar(b) => b,
            BodyKind::PointMass(b) => b,
            BodyKind::EulerParameters(b) => b,
            BodyKind::Rodrigues(b) => b,
            BodyKind::EulerAngles(b) => b,
            BodyKind::Ritz(b) => b,
            BodyKind::Modal(b) => b,
            BodyKind::BeamNodes(b) => b,
            BodyKind::Variable(b) => b,
            BodyKind::Subsystem(b) => b,
            BodyKind::Custom(b) => &**b,
        }
    }

    /// The members of a reduced set, the nodes of a modal body or of a beam; empty for any other body.
    pub(crate) fn members(&self) -> &[ritz::Member] {
        match self {
            BodyKind::Ritz(b) => b.bound_members(),
            BodyKind::Modal(b) => b.members(),
            BodyKind::BeamNodes(b) => b.bound_members(),
            _ => &[],
        }
    }

    /// The rigid body in space, however its rotation is described.
    pub fn rigid(&self) -> Option<&RigidBody> {
        match self {
            BodyKind::Rigid(b) => Some(b),
            BodyKind::EulerParameters(b) => Some(&b.rigid),
            BodyKind::Rodrigues(b) => Some(&b.rigid),
            BodyKind::EulerAngles(b) => Some(&b.rigid),
            _ => None,
        }
    }

    /// The same, mutable.
    pub fn rigid_mut(&mut self) -> Option<&mut RigidBody> {
        match self {
            BodyKind::Rigid(b) => Some(b),
            BodyKind::EulerParameters(b) => Some(&mut b.rigid),
            BodyKind::Rodrigues(b) => Some(&mut b.rigid),
            BodyKind::EulerAngles(b) => Some(&mut b.rigid),
            _ => None,
        }
    }
}

impl From<PointMass> for BodyKind {
    fn from(b: PointMass) -> Self {
        BodyKind::PointMass(b)
    }
}
impl From<PlanarBody> for BodyKind {
    fn from(b: PlanarBody) -> Self {
        BodyKind::Planar(b)
    }
}
impl From<RigidBody> for BodyKind {
    fn from(b: RigidBody) -> Self {
        BodyKind::Rigid(b)
    }
}
impl From<EulerParameters> for BodyKind {
    fn from(b: EulerParameters) -> Self {
        BodyKind::EulerParameters(b)
    }
}
impl From<Rodrigues> for BodyKind {
    fn from(b: Rodrigues) -> Self {
        BodyKind::Rodrigues(b)
    }
}
impl From<EulerAngles> for BodyKind {
    fn from(b: EulerAngles) -> Self {
        BodyKind::EulerAngles(b)
    }
}
impl From<RitzReduction> for BodyKind {
    fn from(b: RitzReduction) -> Self {
        BodyKind::Ritz(b)
    }
}
impl From<Modal> for BodyKind {
    fn from(b: Modal) -> Self {
        BodyKind::Modal(b)
    }
}
impl From<Variable> for BodyKind {
    fn from(b: Variable) -> Self {
        BodyKind::Variable(b)
    }
}
impl<S: Subsystem + 'static> From<S> for BodyKind {
    fn from(s: S) -> Self {
        BodyKind::Subsystem(SubsystemBody::new(s))
    }
}
