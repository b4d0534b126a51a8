//! Writes unilateral constraints, motors, controllers, contacts and events with the keywords of the file.

use super::{inline, key, object};
use serde_json::{Map, Value as Json, json};
use std::fmt::Write;
use taut::constraints::{
    Bounds, ConstraintKind, Coupling, FrictionGeometry, JointFriction, Limit, Rope, SlipAxes, Stop, Via,
};
use taut::contacts::{ContactKind, ContactRule, ContactScope};
use taut::events::{Action, Trigger};
use taut::forces::{ControllerState, ForceKind, InputSource};
use taut::laws::{Friction, Impact, ImpactLaw};

/// A constraint with the keywords of the file.
pub(super) fn constraint(kind: &ConstraintKind, mut found: Map<String, Json>) -> Map<String, Json> {
    match kind {
        ConstraintKind::Rope(rope) => self::rope(rope),
        ConstraintKind::Stop(stop) => self::stop(stop),
        ConstraintKind::MinimumDistance(s) => with_impact(found, &s.impact),
        ConstraintKind::Ratchet(r) => with_impact(found, &r.impact),
        ConstraintKind::PointPlaneContact(p) => {
            found.remove("tangents");
            let along = match p.tangents {
                SlipAxes::None => Json::Null,
                SlipAxes::One(axis) => json!(axis),
                SlipAxes::Two => json!("xy"),
            };
            found.insert("friction_axes".to_string(), along);
            let rubs = p.friction != Friction::NONE || p.tangents != SlipAxes::None;
            found.insert("friction".to_string(), if rubs { friction(&p.friction) } else { Json::Null });
            with_impact(found, &p.impact)
        }
        ConstraintKind::JointFriction(f) => joint_friction(f),
        ConstraintKind::Coupling(coupling) => self::coupling(coupling),
        _ => found,
    }
}

fn friction(f: &Friction) -> Json {
    json!({ "static": f.stick, "kinetic": f.slip })
}

/// Impact law and coefficient of restitution, unless they are the defaults.
fn with_impact(mut found: Map<String, Json>, impact: &Impact) -> Map<String, Json> {
    found.remove("impact");
    if impact.law != ImpactLaw::Newton {
        found.insert("impact".to_string(), json!(impact.law));
    }
    if impact.restitution != 0.0 {
        found.insert("restitution".to_string(), json!(impact.restitution));
    }
    found
}

fn rope(r: &Rope) -> Map<String, Json> {
    let via = |via: &Via| match via {
        Via::Point(marker) => json!(marker),
        Via::Pulley { marker, radius, sense, turns, friction: mu } => {
            let mut pulley = object(json!({ "pulley": marker, "radius": radius, "sense": sense }));
            if *turns > 0 {
                pulley.insert("turns".to_string(), json!(turns));
            }
            if let Some(mu) = mu {
                pulley.insert("friction".to_string(), friction(mu));
            }
            Json::Object(pulley)
        }
    };
    let through: Vec<Json> = r.through.iter().map(via).collect();
    with_impact(object(json!({ "type": "rope", "through": through, "length": r.length })), &r.impact)
}

fn stop(s: &Stop) -> Map<String, Json> {
    let side = match s.side {
        Limit::Lower => "lower",
        Limit::Upper => "upper",
    };
    with_impact(object(json!({ "type": "limits", "coordinate": s.of, side: s.at })), &s.impact)
}

fn joint_friction(f: &JointFriction) -> Map<String, Json> {
    let own = match f.rubbing {
        FrictionGeometry::Revolute { radius, axial_radius, arm } => {
            json!({
                "joint_type": "revolute", "radius": radius, "axial_radius": axial_radius, "bearing_distance": arm,
            })
        }
        FrictionGeometry::Prismatic { axis, arm } => {
            json!({ "joint_type": "prismatic", "axis": axis, "bearing_distance": arm })
        }
        FrictionGeometry::Cylindrical { radius, arm } => {
            json!({ "joint_type": "cylindrical", "radius": radius, "bearing_distance": arm })
        }
        FrictionGeometry::Spherical { radius } => json!({ "joint_type": "spherical", "radius": radius }),
        FrictionGeometry::Planar => json!({ "joint_type": "planar" }),
    };
    let mut found = object(json!({
        "type": "joint_friction", "joint": f.joint, "a": f.a, "b": f.b,
        "friction": friction(&f.friction), "preload": f.preload,
    }));
    found.extend(object(own));
    found
}

fn coupling(k: &Coupling) -> Map<String, Json> {
    let mut found = object(json!({ "type": "coupling", "terms": k.terms, "kinetic_ratio": k.kinetic_ratio }));
    if !k.follows.is_zero() {
        found.insert("velocity".to_string(), json!(k.follows));
    }
    let bounds = match &k.within {
        Bounds::Capacity(capacity) => json!({ "capacity": capacity }),
        Bounds::Between { lower, upper } => json!({ "lower": lower, "upper": upper }),
    };
    found.extend(object(bounds));
    found
}

/// A force with the keywords of the file.
pub(super) fn force(kind: &ForceKind, mut found: Map<String, Json>) -> Map<String, Json> {
    match kind {
        ForceKind::Motor(_) | ForceKind::Controller(_) => {
            // Written after the other fields, in their own order.
            found.remove("inputs");
            found.remove("states");
            found
        }
        _ => found,
    }
}

/// Inputs and states of a controller by their names, in their order, which a map of JSON would not keep.
pub(super) fn inputs_and_states(force: &ForceKind, out: &mut String) {
    let ForceKind::Controller(c) = force else { return };
    let input = |of: &InputSource| match of {
        InputSource::Measure(m) => json!(m),
        InputSource::Signal(s) => json!({ "signal": s }),
    };
    let inputs = c.inputs.iter().map(|i| (i.name.as_str(), input(&i.of)));
    let state = |s: &ControllerState| json!({ "rate": s.rate, "next": s.next, "initial": s.initial });
    let states = c.states.iter().map(|s| (s.name.as_str(), state(s)));
    for (field, entries) in [("inputs", named(inputs)), ("states", named(states))] {
        if !entries.is_empty() {
            let _ = writeln!(out, "{field} = {{ {entries} }}");
        }
    }
}

fn named<'a>(entries: impl Iterator<Item = (&'a str, Json)>) -> String {
    entries.map(|(name, value)| format!("{} = {}", key(name), inline(&value))).collect::<Vec<_>>().join(", ")
}

pub(super) fn contact(contact: &ContactRule) -> Map<String, Json> {
    let mut found = match &contact.between {
        ContactScope::Pair(a, b) => object(json!({ "between": [a, b] })),
        ContactScope::Groups(a, b) => object(json!({ "groups": [a, b] })),
        ContactScope::All => object(json!({ "between": "all" })),
    };
    let rigid = match &contact.kind {
        ContactKind::Rigid(rigid) => rigid,
        ContactKind::Compliant(soft) => {
            found.insert("friction".to_string(), friction(&soft.friction));
            let law = json!({
                "stiffness": soft.stiffness, "exponent": soft.exponent, "dissipation": soft.dissipation,
                "transition_velocity": soft.transition_velocity,
            });
            found.insert("compliant".to_string(), law);
            return found;
        }
    };
    found.insert("friction".to_string(), friction(&rigid.friction));
    let lengths = [("torsional_friction", rigid.torsional_friction), ("rolling_friction", rigid.rolling_friction)];
    for (name, length) in lengths.into_iter().filter(|(_, x)| *x != 0.0) {
        found.insert(name.to_string(), json!(length));
    }
    with_impact(found, &rigid.impact)
}

pub(super) fn event(trigger: &Trigger) -> Map<String, Json> {
    let action = |action: &Action| match action {
        Action::Stop => json!("stop"),
        Action::Record => json!("record"),
        Action::Lock { constraint } => json!({ "lock": constraint }),
        Action::Unlock { constraint } => json!({ "unlock": constraint }),
        Action::Set { variable, to } => json!({ "set": variable, "to": to }),
        Action::Impulse { marker, force, moment, axes } => {
            json!({ "impulse_at_marker": marker, "impulse": force, "angular_impulse": moment, "axes": axes })
        }
        Action::Push { coordinate, impulse } => json!({ "impulse_on_coordinate": coordinate, "impulse": impulse }),
    };
    let actions: Vec<Json> = trigger.actions.iter().map(action).collect();
    object(json!({
        "when": trigger.when, "direction": trigger.direction, "crossings": trigger.crossings, "actions": actions,
    }))
}
