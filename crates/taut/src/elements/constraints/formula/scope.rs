//! The names that a formula may use, and what they stand for.
//!
//! ```text
//!  crank.x  rod.tip.x  crank.theta          positions of bodies and markers, variables (`gain.value`)
//!  crank.vx  crank.omega  rod.tip.vx        velocities
//!  hinge.angle  hinge.angle.rate            coordinates of joints
//!  reach  reach.rate                        measures
//!  wind  wind.rate                          signals
//!  slider.fy  slider.fy_j  gear.lambda_relation   reactions and multipliers, in forces of type `formula` only
//! ```

use super::super::joint_coordinates::{JointSpace, joint_coordinates};
use crate::bodies::{Body, BodyKind};
use crate::common::Named;
use crate::common::spelling::did_you_mean;
use crate::constraints::{ConstraintKind, MarkerKind};
use crate::error::{BuildError, ParameterError, element_error};
use crate::marker::Frame;
use crate::measures::Measure;
use crate::motion::Motion;
use crate::signals::Signal;

/// The component of a marker's motion that a name stands for. A coordinate is the first component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkerComponent {
    /// A component of p.
    Position(usize),
    /// A component of v.
    Velocity(usize),
    /// A component of w.
    AngularVelocity(usize),
    /// A component of a reaction: of its force or moment, in world axes or in those of the first marker of the constraint.
    Reaction(ReactionPart, usize),
}

/// A part of the reaction of a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReactionPart {
    Force,
    Moment,
    ForceInJoint,
    MomentInJoint,
    Multiplier,
}

/// Whether formulas may use reactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReactionNames {
    Allowed,
    Refused,
}

impl MarkerComponent {
    /// Its value in a motion.
    pub fn value(self, seen: &Motion) -> f64 {
        match self {
            MarkerComponent::Position(i) => seen.p[i],
            MarkerComponent::Velocity(i) => seen.v[i],
            MarkerComponent::AngularVelocity(i) => seen.w[i],
            MarkerComponent::Reaction(ReactionPart::Force, i) => seen.p[i],
            MarkerComponent::Reaction(ReactionPart::Moment, i) => seen.v[i],
            MarkerComponent::Reaction(ReactionPart::ForceInJoint, i) => seen.w[i],
            MarkerComponent::Reaction(ReactionPart::MomentInJoint, i) => seen.bv[i],
            MarkerComponent::Reaction(ReactionPart::Multiplier, i) => seen.R[i],
        }
    }
}

/// A quantity or its rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MeasureComponent {
    Value,
    Rate,
}

/// What a name stands for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NameMeaning {
    /// A component of the motion of a marker.
    Component(String, MarkerKind, MarkerComponent),
    /// A measured coordinate, or its rate.
    Measure(Measure, MeasureComponent),
    /// A function of time, or its rate.
    Signal(Signal, MeasureComponent),
}

/// The elements that a formula may name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'a> {
    /// The bodies of the model.
    pub bodies: &'a [Named<BodyKind>],
    /// Its markers.
    pub markers: &'a [Named<Frame>],
    /// Its constraints: joints have coordinates.
    pub constraints: &'a [Named<ConstraintKind>],
    /// Its measures.
    pub measures: &'a [Named<Measure>],
    /// Its named functions of time.
    pub signals: &'a [Named<Signal>],
    /// Whether the formula may use reactions of constraints.
    pub reactions: ReactionNames,
}

const AXES: [&str; 3] = ["x", "y", "z"];
const VELOCITIES: [&str; 3] = ["vx", "vy", "vz"];
const ANGULAR_VELOCITIES: [&str; 3] = ["wx", "wy", "wz"];

impl Scope<'_> {
    /// What a name stands for that an element (family, name) uses.
    pub fn resolve(&self, name: &str, (family, element): (&'static str, &str)) -> Result<NameMeaning, BuildError> {
        if let Some((constraint, component)) = self.find_reaction(name) {
            if self.reactions == ReactionNames::Refused {
                let what = format!(
                    "`{name}` is a reaction; only the `force` of a force of type \"formula\" can read reactions"
                );
                return Err(element_error(family, element, ParameterError::invalid("formula", what)));
            }
            return Ok(NameMeaning::Component(constraint, MarkerKind::Reaction, component));
        }
        self.find(name).ok_or_else(|| {
            let known = self.known_names();
            let hint = did_you_mean(name, known.iter().map(String::as_str));
            BuildError::UnknownMarker { family, name: element.to_string(), marker: name.to_string(), hint }
        })
    }

    /// Names without a dot: measures and signals.
    pub fn plain_names(&self) -> impl Iterator<Item = &str> {
        self.measures.iter().map(|m| m.name.as_str()).chain(self.signals.iter().map(|s| s.name.as_str()))
    }

    /// The coordinates of all joints by name, in the order of the constraints.
    pub fn joint_coordinates(&self) -> impl Iterator<Item = (String, Measure)> {
        self.constraints.iter().flat_map(|c| {
            let ConstraintKind::Joint(joint) = &c.item else { return Vec::new() };
            let space = match [&joint.a, &joint.b].into_iter().all(|m| self.in_plane(m)) {
                true => JointSpace::Plane,
                false => JointSpace::Space,
            };
            let named = |(part, measure): (&str, Measure)| (format!("{}.{part}", c.name), measure);
            joint_coordinates(joint, space).into_iter().map(named).collect()
        })
    }

    /// Whether a marker belongs to the ground or to a planar body.
    fn in_plane(&self, marker: &str) -> bool {
        let body = |name: &str| self.bodies.iter().find(|b| b.name == name);
        let owner = body(marker).or_else(|| body(marker.rsplit_once('.')?.0));
        owner.map_or(marker.split('.').next() == Some("ground"), |b| matches!(b.item, BodyKind::Planar(_)))
    }

    fn find(&self, name: &str) -> Option<NameMeaning> {
        let (stem, part) = match name.strip_suffix(".rate") {
            Some(stem) => (stem, MeasureComponent::Rate),
            None => (name, MeasureComponent::Value),
        };
        if let Some(measure) = self.measures.iter().find(|m| m.name == stem) {
            return Some(NameMeaning::Measure(measure.item.clone(), part));
        }
        if let Some(signal) = self.signals.iter().find(|s| s.name == stem) {
            return Some(NameMeaning::Signal(signal.item.clone(), part));
        }
        if let Some((marker, kind, component)) = find_component(name, self) {
            return Some(NameMeaning::Component(marker, kind, component));
        }
        let (_, measure) = self.joint_coordinates().find(|(joint, _)| joint == stem)?;
        Some(NameMeaning::Measure(measure, part))
    }

    /// The constraint and the component of a reaction, unless the name stands for something else.
    fn find_reaction(&self, name: &str) -> Option<(String, MarkerComponent)> {
        let (owner, part) = name.rsplit_once('.')?;
        let constraint = &self.constraints.iter().find(|c| c.name == owner)?.item;
        if self.find(name).is_some() {
            return None;
        }
        reaction_parts(constraint)
            .find(|(known, ..)| known == part)
            .map(|(_, of, i)| (owner.to_string(), MarkerComponent::Reaction(of, i)))
    }

    /// All names that a formula can use.
    pub fn known_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for b in self.bodies {
            let body = b.item.body();
            let own = coordinates_of(body).chain(body.velocities().into_iter().map(|v| v.name));
            let known = own.map(|part| format!("{}.{part}", b.name));
            names.extend(known.filter(|name| find_component(name, self).is_some()));
        }
        for m in self.markers {
            names.extend(AXES.iter().chain(&VELOCITIES).map(|part| format!("{}.{part}", m.name)));
        }
        if self.reactions == ReactionNames::Allowed {
            let parts = |c: &Named<ConstraintKind>| {
                let name = |(part, ..): (String, ReactionPart, usize)| format!("{}.{part}", c.name);
                reaction_parts(&c.item).map(name).collect::<Vec<_>>()
            };
            names.extend(self.constraints.iter().flat_map(parts));
        }
        let measured = self.plain_names().map(str::to_string).chain(self.joint_coordinates().map(|(name, _)| name));
        names.extend(measured.flat_map(|name| [format!("{name}.rate"), name]));
        names
    }
}

/// The names of the components of a reaction: multipliers, and force and moment on the last of at most two frames.
fn reaction_parts(constraint: &ConstraintKind) -> impl Iterator<Item = (String, ReactionPart, usize)> {
    let constraint = constraint.constraint();
    let markers = constraint.markers();
    let on_frame = markers.len() <= 2 && markers.last().is_some_and(|m| m.kind == MarkerKind::Frame);
    let parts = [
        ("f", "", ReactionPart::Force),
        ("m", "", ReactionPart::Moment),
        ("f", "_j", ReactionPart::ForceInJoint),
        ("m", "_j", ReactionPart::MomentInJoint),
    ];
    let of_axes = |(what, axes, part): (&'static str, &'static str, ReactionPart)| {
        AXES.iter().enumerate().map(move |(i, axis)| (format!("{what}{axis}{axes}"), part, i))
    };
    let multipliers = constraint.rows().into_iter().take(9).enumerate();
    let multipliers = multipliers.map(|(i, row)| (format!("lambda_{}", row.name), ReactionPart::Multiplier, i));
    parts.into_iter().filter(move |_| on_frame).flat_map(of_axes).chain(multipliers.collect::<Vec<_>>())
}

/// The marker and component of a name.
fn find_component(name: &str, scope: &Scope) -> Option<(String, MarkerKind, MarkerComponent)> {
    let (owner, part) = name.rsplit_once('.')?;
    let among = |list: &[&str; 3]| list.iter().position(|x| *x == part);
    if let Some(body) = scope.bodies.iter().find(|b| b.name == owner) {
        return find_in_body(&body.item, owner, part);
    }
    let node = |b: &Named<BodyKind>| b.item.members().iter().any(|m| m.name == owner);
    if !scope.bodies.iter().any(node) {
        scope.markers.iter().find(|m| m.name == owner)?;
    }
    let source =
        among(&AXES).map(MarkerComponent::Position).or_else(|| among(&VELOCITIES).map(MarkerComponent::Velocity))?;
    Some((owner.to_string(), MarkerKind::Frame, source))
}

/// A coordinate or a velocity of a body. If the reference frame contains it, the frame is used: one marker for all.
fn find_in_body(kind: &BodyKind, owner: &str, part: &str) -> Option<(String, MarkerKind, MarkerComponent)> {
    let body = kind.body();
    let frame = |source| Some((owner.to_string(), MarkerKind::Frame, source));
    let is = |list: Vec<crate::bodies::Quantity>| list.iter().position(|c| c.name == part);
    let library = kind.rigid().is_some() || matches!(kind, BodyKind::Planar(_) | BodyKind::PointMass(_));
    let among = |list: &[&str; 3]| list.iter().position(|x| *x == part).filter(|_| library);
    if is(body.coordinates()).is_some() {
        if let Some(i) = among(&AXES) {
            return frame(MarkerComponent::Position(i));
        }
        body.coordinate_index(part)?;
        return Some((format!("{owner}.{part}"), MarkerKind::Coordinate, MarkerComponent::Position(0)));
    }
    // A rigid body has an angular velocity in every description of its rotation.
    if let Some(i) = among(&ANGULAR_VELOCITIES).filter(|_| kind.rigid().is_some()) {
        return frame(MarkerComponent::AngularVelocity(i));
    }
    let i = is(body.velocities())?;
    if let Some(i) = among(&VELOCITIES) {
        return frame(MarkerComponent::Velocity(i));
    }
    // Any other velocity is the rate of the coordinate with the same index.
    let coordinate = coordinates_of(body).find(|c| body.coordinate_index(c) == Some(i))?;
    Some((format!("{owner}.{coordinate}"), MarkerKind::Coordinate, MarkerComponent::Velocity(0)))
}

fn coordinates_of(body: &dyn Body) -> impl Iterator<Item = String> {
    body.coordinates().into_iter().map(|c| c.name)
}
