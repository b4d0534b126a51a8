//! Constraints: φ, ψ, and their rows of A and b.
//!
//! A constraint depends on the motions of its markers only. For each row it gives φ, the wrenches D that a unit multiplier
//! exerts on each marker, the partial time derivative φ_t and the convective term c, so that
//!
//! ```text
//!  φ̇ = Σ D·twist + φ_t          φ̈ = Σ D·acceleration + c
//! ```
//!
//! The assembly computes A = Σ D J and b = −Σ D·bias − c. The reaction at a marker is Dᵀλ, without further code.

mod balanced_load;
#[cfg(test)]
pub(crate) mod conformance;
mod coupling;
mod force_balance;
mod formula;
mod joint;
mod joint_coordinates;
mod joint_friction;
mod joint_rows;
mod knife_edge;
mod minimum_distance;
mod point_plane_contact;
mod ratchet;
mod relation;
mod rolling;
mod rope;
mod row_number;
mod stop;
mod unit_norm;
mod user;

pub(crate) use balanced_load::{BalancedLoad, CoordinateAxis};
pub use coupling::Bounds;
pub(crate) use force_balance::BalanceAxis;
pub use force_balance::ForceBalance;
pub(crate) use formula::{
    BoundExpression, BoundNames, MarkerComponent, MeasureComponent, NameSource, ReactionNames, Scope, check_syntax,
    parse_names,
};
pub use joint::{Prescription, RotationMask};
pub(crate) use joint_coordinates::{JointSpace, joint_coordinates};
pub use joint_friction::FrictionGeometry;
pub(crate) use joint_rows::UndrivenJoint;
pub use point_plane_contact::SlipAxes;
pub use relation::Term;
pub use rolling::Wheel;
pub use rope::{Sense, Via};
pub use stop::Limit;
pub use unit_norm::UnitNorm;
pub use user::{UserConstraint, UserHolonomic, UserNonholonomic};

pub use crate::elements::{ExtraStates, NonSmooth};
pub use crate::kinematics::{ElementInput, MarkerKind, MarkerReference, UserPlace, UserTwist};
pub use taut_constrain::RowLevel;

use crate::contacts::{ContactPoint, ContactRotationalFriction};
use crate::error::ParameterError;
use crate::laws::{ConstraintLaw, Friction, FrictionBound, NormalForceSource};
use crate::motion::Wrench;
use row_number::row_number;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::sync::Arc;

/// Name, level and unit of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowInfo {
    /// Short name within the element: `x`, `angle`.
    pub name: &'static str,
    /// Its level.
    pub level: RowLevel,
    /// Unit of φ (of the corresponding displacement for the other levels).
    pub unit: &'static str,
}

impl RowInfo {
    /// Rows named `1`, `2`, … without a unit.
    pub fn numbered(count: usize, level: RowLevel) -> Vec<RowInfo> {
        (1..=count).map(|number| RowInfo { name: row_number(number), level, unit: "1" }).collect()
    }
}

/// Output buffers for the rows of an element. `D` contains, row by row, one wrench per marker.
#[derive(Debug)]
pub struct RowTerms<'a> {
    /// φ of each row.
    pub phi: &'a mut [f64],
    /// Wrench of one unit of λ on each marker.
    pub D: &'a mut [Wrench],
    /// Partial time derivative φ_t of each row.
    pub phi_t: &'a mut [f64],
    /// Convective term c of each row.
    pub c: &'a mut [f64],
}

/// A constraint between markers.
///
/// ```text
///  φ(t, q) = 0,  φ̇ = Σ D·twist + φ_t = 0,  φ̈ = Σ D·acceleration + c = 0
/// ```
///
/// A constraint also implements [`ExtraStates`], [`NonSmooth`] and [`FrictionLaw`]. They have defaults for everything:
/// `impl NonSmooth for OnSphere {}` is enough.
pub trait Constraint: ExtraStates + NonSmooth + FrictionLaw + Debug + Send + Sync {
    /// The markers it acts on.
    fn markers(&self) -> Vec<MarkerReference<'_>>;
    /// Its rows.
    fn rows(&self) -> Vec<RowInfo>;
    /// Checks the parameters.
    fn check(&self) -> Result<(), ParameterError>;
    /// Position terms: sets φ, D and φ_t (φ is zero for rows at velocity or acceleration level).
    fn position_terms(&self, at: &ElementInput, rows: &mut RowTerms);
    /// Velocity terms: sets c and φ_t; the velocities are known here.
    fn velocity_terms(&self, at: &ElementInput, rows: &mut RowTerms);
    /// When its rows are active.
    fn law(&self) -> ConstraintLaw {
        ConstraintLaw::Bilateral
    }
    /// When its reset guards are monitored, if its rows are not bilateral.
    fn reset_guard_activity(&self) -> ResetGuardActivity {
        ResetGuardActivity::WhileClosed
    }
    /// Whether its first rows are the coincidence of its two origins.
    fn coincidence(&self) -> Coincidence {
        Coincidence::None
    }
    /// Whether rows of this element may depend on each other or vanish (user functions). The solver then treats them as
    /// possibly dependent.
    fn dependence(&self) -> Dependence {
        Dependence::Independent
    }
}

/// The force bounds of the friction rows of a constraint ([`ConstraintLaw`]). All methods have defaults: no friction.
///
/// ```text
///  |λ| ≤ bound + μ N,  N: normal force
/// ```
pub trait FrictionLaw {
    /// Bounds of the friction rows.
    fn friction_bound(&self, _at: &ElementInput) -> FrictionBound {
        FrictionBound::coulomb(Friction::NONE)
    }
    /// Where the normal force N comes from.
    fn normal_force_source(&self) -> NormalForceSource<'_> {
        NormalForceSource::Nothing
    }
    /// N ≥ 0 for the reaction of a joint, and its gradient ∂N/∂reaction.
    fn normal_force(&self, _at: &ElementInput, _reaction: &Wrench) -> (f64, Wrench) {
        (0.0, Wrench::ZERO)
    }
}

/// When the reset guards of a constraint are monitored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResetGuardActivity {
    /// While it sticks or slips, not while it is open.
    WhileClosed,
    /// Always; a ratchet passes its teeth while it is open.
    Always,
}

/// Whether the first rows of a constraint between two frames are the coincidence of their origins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coincidence {
    /// They are other rows.
    None,
    /// The first three rows are p_B − p_A = 0 along the world axes, the others pure moments: A needs no products.
    Origins,
}

/// Whether the rows of one constraint are independent of each other by construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependence {
    /// They are independent in every pose.
    Independent,
    /// Not known.
    Unknown,
}

/// The kinds of constraints: variant, type, file and description. Those in `code_only` are not in model files.
macro_rules! constraint_kinds {
    (model_file { $($Name:ident($Type:ident) in $file:ident: $what:literal;)* }
     code_only { $($Code:ident($CodeType:ident): $code_what:literal;)* }) => {
        $(pub use $file::$Type;)*

        /// Every kind of constraint; the tag is the `type` of the model file.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        #[serde(tag = "type", rename_all = "snake_case")]
        pub enum ConstraintKind {
            $(#[doc = $what] $Name($Type),)*
            $(#[doc = $code_what] #[serde(skip)] $Code($CodeType),)*
            /// Any other constraint, given in code.
            #[serde(skip)]
            Custom(Arc<dyn Constraint>),
        }

        impl ConstraintKind {
            /// The constraint as a trait object.
            pub fn constraint(&self) -> &dyn Constraint {
                match self {
                    $(ConstraintKind::$Name(c) => c,)*
                    $(ConstraintKind::$Code(c) => c,)*
                    ConstraintKind::Custom(c) => &**c,
                }
            }
        }

        $(impl From<$Type> for ConstraintKind {
            fn from(c: $Type) -> Self {
                ConstraintKind::$Name(c)
            }
        })*
        $(impl From<$CodeType> for ConstraintKind {
            fn from(c: $CodeType) -> Self {
                ConstraintKind::$Code(c)
            }
        })*
    };
}

constraint_kinds! {
    model_file {
        Joint(Joint) in joint: "Any joint between two frames.";
        Relation(Relation) in relation: "A linear relation of measured coordinates: rod, gear, rack, screw, driver.";
        KnifeEdge(KnifeEdge) in knife_edge: "A blade that does not slip sideways.";
        Rolling(Rolling) in rolling: "A disc, wheel or sphere that rolls on a plane.";
        Rope(Rope) in rope: "A rope, slack or taut.";
        MinimumDistance(MinimumDistance) in minimum_distance: "A minimum distance of two points.";
        Stop(Stop) in stop: "A limit of a measured coordinate.";
        PointPlaneContact(PointPlaneContact) in point_plane_contact: "A point on one side of a plane, with or without friction.";
        Ratchet(Ratchet) in ratchet: "A coordinate that moves in one direction, tooth by tooth.";
        Coupling(Coupling) in coupling: "A rate constrained with a bounded force: brake, clutch, one-way joint, limited actuator.";
        JointFriction(JointFriction) in joint_friction: "Dry friction in a joint.";
        Formula(Formula) in formula: "φ or ψ as text.";
    }
    code_only {
        UnitNorm(UnitNorm): "Coordinates with unit norm; added by bodies.";
        ForceBalance(ForceBalance): "The balance of the forces on a body without mass; added by the build.";
        Contact(ContactPoint): "A contact point of two surfaces; added by contacts.";
        ContactRotationalFriction(ContactRotationalFriction): "Spinning or rolling friction in a contact point.";
        User(UserConstraint): "φ or ψ written by the user.";
    }
}

impl ConstraintKind {
    /// The compact form of a joint that is not driven.
    pub(crate) fn undriven_joint(&self) -> Option<UndrivenJoint> {
        match self {
            ConstraintKind::Joint(joint) => joint.undriven(),
            _ => None,
        }
    }
}
