//! Bodies: N(q), M(q), and the motion of every marker.
//!
//! A body turns its coordinates into motions of its markers, and wrenches on its markers into generalised forces
//! (Jᵀ). Nothing outside this folder sees a coordinate. A new kind of body is one file here and two lines below.

mod beam_nodes;
mod euler_angles;
mod euler_parameters;
pub(crate) mod modal;
mod planar;
mod point_mass;
mod rates;
mod rigid;
mod ritz;
mod rodrigues;
mod subsystem;
mod variable;

pub use beam_nodes::BeamNodes;
pub use euler_angles::{EulerAngles, Sequence, Switch};
pub use euler_parameters::EulerParameters;
pub use modal::{Added, Damping, Flexibility, Held, Modal, Modes, Node, Nodes, ReducedBeam, Stiffening};
pub use planar::PlanarBody;
pub use point_mass::PointMass;
pub use rigid::RigidBody;
pub use ritz::Ritz;
pub use rodrigues::Rodrigues;
pub use subsystem::{Subsystem, SubsystemBody};
pub use variable::Variable;

use crate::constraints::ConstraintKind;
use crate::error::Fault;
use crate::marker::Place;
use crate::motion::{Mat3, Motion, Vec3, Wrench};
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::sync::Arc;

/// How many coordinates, velocities and extra states a body has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Coordinates q.
    pub q: usize,
    /// Velocities v.
    pub v: usize,
    /// Extra first-order states z.
    pub z: usize,
}

/// Symmetry of a body's mass matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// M = Mᵀ, the rule.
    Symmetric,
    /// M ≠ Mᵀ: coordinates and test space differ (\[FumagalliMasarati2009\], appendix 2).
    NonSymmetric,
}

/// The axes that move with a body, where its velocities are that of its reference point and its angular velocity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OwnAxes {
    /// It has none, or its velocities are others.
    None,
    /// In the plane: cosine and sine.
    Plane([f64; 2]),
    /// In space.
    Space(Mat3),
}

/// Whether what a body itself brings to the equations depends on where it is and how it moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variation {
    /// M, weight and inertia forces are constant.
    None,
    /// They are not.
    ByState,
}

/// Whether the numbers of a pose and its motion were changed for others that say the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chart {
    /// They were not.
    Kept,
    /// They were: another reference, another sequence of angles.
    Changed,
    /// They could not be, and get ill-conditioned for this reason.
    Strained(&'static str),
}

/// What a solution shows of a body besides its coordinates and velocities, so that all descriptions of a rotation can be
/// compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extra {
    /// The unit quaternion: `qw qx qy qz`.
    Attitude,
    /// Angular velocity and acceleration, world axes: `wx wy wz`, `alpha_x alpha_y alpha_z`.
    AngularVelocity,
}

/// How the rates of the coordinates change with the coordinates themselves, at fixed velocities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Swirl {
    /// Not at all, or nobody asks: q̇ = v.
    Straight,
    /// Coordinates 3 to 6 are a quaternion e, velocities 3 to 5 are ω: ė = ½ ω ∘ e.
    Turning(Vec3),
}

/// Whether a body can be carried round an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carriage {
    /// Its velocities and accelerations are set.
    Carried,
    /// It cannot, for this reason.
    Refused(&'static str),
}

/// What a displacement is measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measured {
    /// A length.
    Length,
    /// An angle, or a number.
    Other,
}

/// One column of the solution that a body owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// Short name within the body: `x`, `theta`.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
}

impl Quantity {
    /// A named quantity.
    pub fn new(name: &str, unit: &'static str) -> Quantity {
        Quantity { name: name.to_string(), unit }
    }
}

/// A body: coordinates, inertia, and the frames it carries.
///
/// The phases are those of the assembly: [`place`](Body::place) sees only q, [`twist`](Body::twist) adds v.
/// `own` is the motion of the body's reference frame, already computed.
pub trait Body: Debug + Send + Sync {
    /// Numbers of q, v, z.
    fn sizes(&self) -> Sizes;
    /// Names and units of q.
    fn coordinates(&self) -> Vec<Quantity>;
    /// Names and units of v.
    fn velocities(&self) -> Vec<Quantity>;
    /// What a displacement along velocity `i` is measured in.
    fn measured(&self, i: usize) -> Measured {
        match self.velocities().get(i).map(|q| q.unit) {
            Some("m/s") => Measured::Length,
            _ => Measured::Other,
        }
    }
    /// Index of the scalar coordinate of that name, if a marker may stand for it (q̇ᵢ = vᵢ).
    fn coordinate(&self, name: &str) -> Option<usize>;
    /// Why this body can carry no frames, if it cannot.
    fn frameless(&self) -> Option<&'static str> {
        None
    }
    /// Whether the parameters make sense.
    fn check(&self) -> Result<(), Fault>;
    /// The state given in the model.
    fn initial(&self, q: &mut [f64], v: &mut [f64], z: &mut [f64]);

    /// Pose of the reference frame; identity where a body has none.
    fn reference(&self, q: &[f64], own: &mut Motion);
    /// Pose of one marker.
    fn place(&self, q: &[f64], own: &Motion, marker: &Place, seen: &mut Motion);
    /// Twist and bias of the reference frame.
    fn reference_twist(&self, q: &[f64], v: &[f64], own: &mut Motion);
    /// Twist and bias acceleration of one marker.
    fn twist(&self, q: &[f64], v: &[f64], own: &Motion, marker: &Place, seen: &mut Motion);
    /// f += Jᵀ w: the generalised force of a wrench at a marker.
    fn pull(&self, q: &[f64], own: &Motion, marker: &Place, seen: &Motion, on: &Wrench, f: &mut [f64]);

    /// A row of A: Jᵀ w alone, whatever `row` held before.
    fn spread(&self, q: &[f64], own: &Motion, marker: &Place, seen: &Motion, on: &Wrench, row: &mut [f64]) {
        row.fill(0.0);
        self.pull(q, own, marker, seen, on, row);
    }

    /// Rows of A: of the first wrench of `on`, and of every `step`-th after it, as many as there are rows.
    #[inline(always)]
    fn spread_rows(
        &self,
        q: &[f64],
        own: &Motion,
        marker: &Place,
        seen: &Motion,
        on: &[Wrench],
        step: usize,
        rows: &mut [f64],
    ) {
        for (r, row) in rows.chunks_exact_mut(self.sizes().v).enumerate() {
            self.spread(q, own, marker, seen, &on[r * step], row);
        }
    }

    /// The same where the first three wrenches are `sense` (1 or −1) times the unit forces along the axes of the world,
    /// and the others moments.
    #[inline(always)]
    fn spread_point(
        &self,
        q: &[f64],
        own: &Motion,
        marker: &Place,
        seen: &Motion,
        _sense: f64,
        on: &[Wrench],
        step: usize,
        rows: &mut [f64],
    ) {
        self.spread_rows(q, own, marker, seen, on, step, rows);
    }

    /// M(q), column by column.
    fn mass(&self, q: &[f64], own: &Motion, M: &mut [f64]);
    /// Whether M is symmetric.
    fn symmetry(&self) -> Symmetry {
        Symmetry::Symmetric
    }
    /// Whether M and f of the body alone depend on its state.
    fn variation(&self) -> Variation {
        Variation::ByState
    }
    /// Which components of the twist (v, w) of its reference frame its velocities are, one by one; none where they are
    /// others. Coordinates are displaced by δ as they are.
    fn own_twist(&self) -> &'static [usize] {
        &[]
    }
    /// The axes that move with it.
    fn own_axes(&self, _q: &[f64]) -> OwnAxes {
        OwnAxes::None
    }
    /// Turns a row of A, which acts on v, into what one unit of its multiplier exerts on the equations of motion. The
    /// same thing, unless these are written in another space than that of v (non-symmetric M).
    fn react(&self, _q: &[f64], _row: &mut [f64]) {}
    /// q̇ = N(q) v.
    fn kinematics(&self, q: &[f64], v: &[f64], qdot: &mut [f64]);
    /// Adds what the body itself brings to f (gyroscopic terms, inner forces) and sets ż.
    fn inner(&self, t: f64, q: &[f64], v: &[f64], z: &[f64], own: &Motion, f: &mut [f64], zdot: &mut [f64]);
    /// Adds the weight in a uniform field g.
    fn weight(&self, q: &[f64], own: &Motion, g: &Vec3, f: &mut [f64]);
    /// f of the body alone, whatever it held before: [`inner`](Body::inner) and [`weight`](Body::weight).
    #[inline(always)]
    fn load(&self, t: f64, q: &[f64], v: &[f64], z: &[f64], own: &Motion, g: &Vec3, f: &mut [f64], zdot: &mut [f64]) {
        f.fill(0.0);
        self.inner(t, q, v, z, own, f, zdot);
        self.weight(q, own, g, f);
    }
    /// Potential energy: −m g·p of the mass centre, and inner energy.
    fn potential(&self, q: &[f64], own: &Motion, g: &Vec3) -> f64;
    /// Kinetic energy.
    fn kinetic(&self, q: &[f64], v: &[f64], own: &Motion) -> f64;
    /// Power of the inner forces that no potential accounts for.
    fn loss(&self, _t: f64, _q: &[f64], _v: &[f64], _z: &[f64]) -> f64 {
        0.0
    }
    /// Moves q by the finite displacement δ (δ has the size of v) and brings it back to its own manifold.
    fn displace(&self, q: &mut [f64], delta: &[f64]);
    /// The displacement that a small change of q means, as far as it is one.
    fn displacement(&self, _q: &[f64], dq: &[f64], delta: &mut [f64]) {
        let n = delta.len();
        delta.copy_from_slice(&dq[..n]);
    }
    /// The rate of the finite displacement δ that led to the present pose, where the velocity is v.
    fn unroll(&self, _delta: &[f64], v: &[f64], rate: &mut [f64]) {
        rate.copy_from_slice(v);
    }
    /// How q̇ changes with q at fixed velocities.
    fn swirl(&self, _v: &[f64]) -> Swirl {
        Swirl::Straight
    }
    /// v and v̇ of the body carried round an axis through `point` with the angular velocity Ω; its first velocities are
    /// then those of its reference point, along the axes of the world.
    fn carried(&self, _q: &[f64], _point: &Vec3, _omega: &Vec3, v: &mut [f64], _vdot: &mut [f64]) -> Carriage {
        match v.is_empty() {
            true => Carriage::Carried,
            false => {
                Carriage::Refused("bodies of its kind do not know how; point masses, planar, rigid and modal bodies do")
            }
        }
    }
    /// The angle about z, counted through full turns, where the coordinates hold such a thing.
    fn turn(&self, _q: &[f64]) -> Option<f64> {
        None
    }
    /// Brings q back to its own manifold (unit quaternion).
    fn normalise(&self, _q: &mut [f64]) {}
    /// Writes the same pose and motion in other numbers where these get ill-conditioned; called between two steps.
    fn rechart(&self, _q: &mut [f64], _v: &mut [f64]) -> Chart {
        Chart::Kept
    }
    /// The constraint that belongs to the coordinates themselves, if there is one, for a body of this name. The model
    /// takes it in as `body.norm`.
    fn constraint(&self, _name: &str) -> Option<ConstraintKind> {
        None
    }
    /// What a solution shows besides q and v.
    fn extras(&self) -> &'static [Extra] {
        &[]
    }
    /// The unit quaternion of R_WB, continuous along a motion; asked for where [`Extra::Attitude`] is shown.
    fn attitude(&self, _q: &[f64]) -> [f64; 4] {
        [1.0, 0.0, 0.0, 0.0]
    }
}

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
    Ritz(Ritz),
    /// A flexible body: a floating frame and shapes.
    Modal(Modal),
    /// The nodes of a beam with consistent inertia; [`Spec::build`](crate::Spec::build) makes them of beams.
    #[serde(skip)]
    BeamNodes(BeamNodes),
    /// A named number that events change.
    Variable(Variable),
    /// A subsystem with coordinates of its own, given in code.
    #[serde(skip)]
    Subsystem(SubsystemBody),
    /// Any other body, given in code.
    #[serde(skip)]
    Custom(Arc<dyn Body>),
}

/// Calls `$call` on the body inside; the library kinds are called without a table.
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

    /// The members of a reduced set, the nodes of a modal body or of a beam; none of any other body.
    pub(crate) fn members(&self) -> &[ritz::Member] {
        match self {
            BodyKind::Ritz(b) => b.inside(),
            BodyKind::Modal(b) => b.members(),
            BodyKind::BeamNodes(b) => b.inside(),
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

    /// The same to be changed.
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
impl From<Ritz> for BodyKind {
    fn from(b: Ritz) -> Self {
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
