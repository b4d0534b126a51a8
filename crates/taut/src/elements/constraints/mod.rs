//! Constraints: φ, ψ, and their rows of A and b.
//!
//! A constraint sees the motions of its markers and nothing else. For each row it gives φ, the wrenches D that one
//! unit of its multiplier exerts on each marker, the explicit time rate φ_t and the convective term c, so that
//!
//! ```text
//!  φ̇ = Σ D·twist + φ_t          φ̈ = Σ D·acceleration + c
//! ```
//!
//! The assembly turns D into A = Σ D J and b = −Σ D·bias − c. The reaction at a marker is Dᵀλ: it comes for free.

mod asked;
#[cfg(test)]
pub(crate) mod conformance;
mod coupling;
mod formula;
mod friction;
mod joint;
mod knife_edge;
mod point_on_plane;
mod ratchet;
mod relation;
mod rolling;
mod rope;
mod separator;
mod stop;
mod unit_norm;
mod user;

pub(crate) use asked::Still;
pub use coupling::{Bounds, Coupling};
pub use formula::Formula;
pub(crate) use formula::{MOST_VARIABLES, Reading, Scope, Source, known, look_up};
pub use friction::{JointFriction, Rubbing};
pub use joint::{Hold, Joint, Turning};
pub use knife_edge::KnifeEdge;
pub use point_on_plane::{PointOnPlane, Tangents};
pub use ratchet::Ratchet;
pub use relation::{Relation, Term};
pub use rolling::{Rolling, Wheel};
pub use rope::{Rope, Sense, Via};
pub use separator::Separator;
pub use stop::{Limit, Stop};
pub use unit_norm::UnitNorm;
pub use user::{UserConstraint, UserHolonomic, UserNonholonomic};

pub use crate::elements::{ExtraStates, NonSmooth};
pub use crate::kinematics::{Needs, Reference, UserPlace, UserTwist, View};

use crate::contacts::{ContactPoint, ContactTurning};
use crate::error::Fault;
use crate::laws::{Friction, Grip, Law, Press};
use crate::motion::Wrench;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::sync::Arc;

/// The level at which a row is given, and so the highest at which it can be held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// φ(t, q) = 0: held at position, velocity and acceleration.
    Position,
    /// ψ(t, q, v) = 0: held at velocity and acceleration.
    Velocity,
    /// Given as an acceleration only.
    Acceleration,
}

/// Name, level and unit of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Short name within the element: `x`, `angle`.
    pub name: &'static str,
    /// Its level.
    pub level: Level,
    /// Unit of φ (of the corresponding displacement for the other levels).
    pub unit: &'static str,
}

/// Where an element writes its rows. `D` holds, row by row, one wrench per marker.
#[derive(Debug)]
pub struct Rows<'a> {
    /// φ of each row.
    pub phi: &'a mut [f64],
    /// Wrench of one unit of λ on each marker.
    pub D: &'a mut [Wrench],
    /// Explicit rate φ_t of each row.
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
    fn markers(&self) -> Vec<Reference<'_>>;
    /// Its rows.
    fn rows(&self) -> Vec<Row>;
    /// Whether the parameters make sense.
    fn check(&self) -> Result<(), Fault>;
    /// Sets φ, D and φ_t (levels below the row's own are left zero).
    fn place(&self, at: &View, rows: &mut Rows);
    /// Sets c and φ_t, all with the velocities known.
    fn carry(&self, at: &View, rows: &mut Rows);
    /// How its rows come and go.
    fn law(&self) -> Law {
        Law::Bilateral
    }
    /// When its alarms are watched, if it has a law.
    fn alert(&self) -> Alert {
        Alert::WhileHeld
    }
    /// Whether its first rows hold its two markers together in one point.
    fn meeting(&self) -> Meeting {
        Meeting::Apart
    }
    /// Whether rows may be dependent within this one element, or vanish (user functions): needs the loop policy.
    fn dependence(&self) -> Dependence {
        Dependence::Independent
    }
}

/// The friction of the rows that grip ([`Law`]). All methods have defaults: no friction.
///
/// ```text
///  |λ| ≤ bound + μ N,  N: what presses the surfaces together
/// ```
pub trait FrictionLaw {
    /// Bounds of the rows that grip.
    fn grip(&self, _at: &View) -> Grip {
        Grip::coulomb(Friction::NONE)
    }
    /// What presses them together.
    fn press(&self) -> Press<'_> {
        Press::Nothing
    }
    /// N ≥ 0 of a reaction that presses, and its gradient: N and ∂N/∂reaction.
    fn pressed(&self, _at: &View, _reaction: &Wrench) -> (f64, Wrench) {
        (0.0, Wrench::ZERO)
    }
}

/// When the alarms of a constraint with a law are watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alert {
    /// While it holds or slips: what is open has nothing to lose.
    WhileHeld,
    /// Always: a ratchet passes its teeth while it is open.
    Always,
}

/// Whether a constraint of two frames begins by holding their origins together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meeting {
    /// It does not.
    Apart,
    /// Its first three rows are p_B − p_A = 0 along the axes of the world, the others pure moments: A needs no products.
    InPoint,
}

/// Whether the rows of one constraint are independent of each other by construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependence {
    /// They are, in every pose.
    Independent,
    /// Nobody knows.
    Unknown,
}

/// Every kind of constraint; the tag is the `type` of the model file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ConstraintKind {
    /// Any joint between two frames.
    Joint(Joint),
    /// A linear relation of measured coordinates: rod, gear, rack, screw, driver.
    Relation(Relation),
    /// A blade that does not slip sideways.
    KnifeEdge(KnifeEdge),
    /// A disc, wheel or sphere that rolls on a plane.
    Rolling(Rolling),
    /// A rope: slack or taut.
    Rope(Rope),
    /// A least distance of two points.
    #[serde(rename = "minimum_distance")]
    Separator(Separator),
    /// A limit of a measured coordinate.
    Stop(Stop),
    /// A point on one side of a plane, with or without friction.
    #[serde(rename = "point_plane_contact")]
    PointOnPlane(PointOnPlane),
    /// A coordinate that goes one way, tooth by tooth.
    Ratchet(Ratchet),
    /// Rates held within bounds: brake, clutch, one-way joint, limited actuator.
    Coupling(Coupling),
    /// Dry friction in a joint.
    JointFriction(JointFriction),
    /// Coordinates on the unit sphere: bodies bring it along, no file needs to say it.
    #[serde(skip)]
    UnitNorm(UnitNorm),
    /// A point in which two surfaces touch: contacts bring them along, no file needs to say it.
    #[serde(skip)]
    Contact(ContactPoint),
    /// Friction against turning in such a point.
    #[serde(skip)]
    ContactTurning(ContactTurning),
    /// φ or ψ as text.
    Formula(Formula),
    /// φ or ψ written by the user.
    #[serde(skip)]
    User(UserConstraint),
    /// Any other constraint, given in code.
    #[serde(skip)]
    Custom(Arc<dyn Constraint>),
}

impl ConstraintKind {
    /// A joint nothing of which is driven, in few bytes.
    pub(crate) fn still(&self) -> Option<Still> {
        match self {
            ConstraintKind::Joint(joint) => joint.still(),
            _ => None,
        }
    }

    /// The constraint as a trait object.
    pub fn constraint(&self) -> &dyn Constraint {
        match self {
            ConstraintKind::Joint(c) => c,
            ConstraintKind::Relation(c) => c,
            ConstraintKind::KnifeEdge(c) => c,
            ConstraintKind::Rolling(c) => c,
            ConstraintKind::Rope(c) => c,
            ConstraintKind::Separator(c) => c,
            ConstraintKind::Stop(c) => c,
            ConstraintKind::PointOnPlane(c) => c,
            ConstraintKind::Ratchet(c) => c,
            ConstraintKind::Coupling(c) => c,
            ConstraintKind::JointFriction(c) => c,
            ConstraintKind::UnitNorm(c) => c,
            ConstraintKind::Contact(c) => c,
            ConstraintKind::ContactTurning(c) => c,
            ConstraintKind::Formula(c) => c,
            ConstraintKind::User(c) => c,
            ConstraintKind::Custom(c) => &**c,
        }
    }
}

macro_rules! constraint_from {
    ($($kind:ident),*) => {$(
        impl From<$kind> for ConstraintKind {
            fn from(c: $kind) -> Self {
                constraint_from!(@wrap $kind c)
            }
        }
    )*};
    (@wrap UserConstraint $c:ident) => { ConstraintKind::User($c) };
    (@wrap $kind:ident $c:ident) => { ConstraintKind::$kind($c) };
}
constraint_from!(
    Joint,
    Relation,
    KnifeEdge,
    Rolling,
    Rope,
    Separator,
    Stop,
    PointOnPlane,
    Ratchet,
    Coupling,
    JointFriction,
    UnitNorm,
    Formula,
    UserConstraint
);
