//! The enum of all kinds of bodies, and static dispatch to them.

use super::{BeamNodes, Body, Subsystem, SubsystemBody, ritz};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The kinds of bodies: variant, type, file and description. `$d` is a dollar sign, for the macro inside.
macro_rules! body_kinds {
    ($d:tt $($Name:ident($Type:ident) in $file:ident: $what:literal;)*) => {
        $(pub use super::$file::$Type;)*

        /// Every kind of body; the tag is the `type` of the model file.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        #[serde(tag = "type", rename_all = "snake_case")]
        pub enum BodyKind {
            $(#[doc = $what] $Name($Type),)*
            /// The nodes of a beam with consistent inertia; [`Spec::build`](crate::Spec::build) creates them from beams.
            #[serde(skip)]
            BeamNodes(BeamNodes),
            /// A subsystem with its own coordinates, given in code.
            #[serde(skip)]
            Subsystem(SubsystemBody),
            /// Any other body, given in code.
            #[serde(skip)]
            Custom(Arc<dyn Body>),
        }

        /// Calls `$call` on the body inside, without a virtual call for the kinds of this library.
        macro_rules! each_body {
            ($d kind:expr, $d body:ident => $d call:expr) => {
                match $d kind {
                    $($d crate::bodies::BodyKind::$Name($d body) => $d call,)*
                    $d crate::bodies::BodyKind::BeamNodes($d body) => $d call,
                    $d crate::bodies::BodyKind::Subsystem($d body) => $d call,
                    $d crate::bodies::BodyKind::Custom($d body) => $d call,
                }
            };
        }
        pub(crate) use each_body;

        impl BodyKind {
            /// The body as a trait object.
            pub fn body(&self) -> &dyn Body {
                match self {
                    $(BodyKind::$Name(b) => b,)*
                    BodyKind::BeamNodes(b) => b,
                    BodyKind::Subsystem(b) => b,
                    BodyKind::Custom(b) => &**b,
                }
            }
        }

        $(impl From<$Type> for BodyKind {
            fn from(b: $Type) -> Self {
                BodyKind::$Name(b)
            }
        })*
    };
}

body_kinds! { $
    Rigid(RigidBody) in rigid: "A rigid body in space.";
    Planar(PlanarBody) in planar: "A rigid body in the xy plane.";
    PointMass(PointMass) in point_mass: "A particle in space.";
    EulerParameters(EulerParameters) in euler_parameters: "A rigid body with Euler parameters and their rates.";
    Rodrigues(Rodrigues) in rodrigues: "A rigid body with Gibbs–Rodrigues parameters and their rates.";
    EulerAngles(EulerAngles) in euler_angles: "A rigid body with three angles.";
    Ritz(RitzReduction) in ritz: "A set of bodies reduced to given shapes.";
    Modal(Modal) in modal: "A flexible body: a floating frame and mode shapes.";
    Variable(Variable) in variable: "A named number that events change.";
    Generalised(Generalised) in generalised: "A body with coordinates of the user's choice and energies as text.";
}

impl BodyKind {
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

impl<S: Subsystem + 'static> From<S> for BodyKind {
    fn from(s: S) -> Self {
        BodyKind::Subsystem(SubsystemBody::new(s))
    }
}
