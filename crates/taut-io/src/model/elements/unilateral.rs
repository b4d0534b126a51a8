//! Unilateral constraints, and limits and friction of joints.

use super::super::expand::Item;
use super::super::resolve::Context;
use super::{deserialize, report_error, string_field};
use crate::diagnostic::{Place, did_you_mean};
use serde_json::{Map, Value as Json, json};
use taut::bodies::BodyKind;
use taut::constraints::{
    Bounds, ConstraintKind, Coupling, JointFriction, MinimumDistance, PointPlaneContact, Ratchet, Rope, Sense,
};
use taut::constraints::{FrictionGeometry, Limit, SlipAxes, Stop};
use taut::laws::{Friction, Impact};
use taut::{Axis, Measure, Named, Signal, Spec};

/// Adds a constraint of one of these kinds.
pub(super) fn add(kind: &str, mut fields: Map<String, Json>, item: &Item, c: &mut Context, spec: &mut Spec) {
    let (name, place) = (item.name.as_str(), &item.place);
    if kind == "limits" {
        if let Some(of) = fields.remove("coordinate").and_then(|m| deserialize::<Measure>(m, place, c)) {
            limits(name, of, fields, place, c, spec);
        }
        return;
    }
    let found: Option<ConstraintKind> = match kind {
        "joint_friction" => joint_friction(fields, item, c).map(ConstraintKind::from),
        "brake" | "clutch" | "one_way" | "servo" | "coupling" => {
            coupling(kind, fields, place, c).map(ConstraintKind::from)
        }
        _ => {
            impact(&mut fields);
            match kind {
                "rope" => deserialize::<Rope>(Json::Object(fields), place, c).map(ConstraintKind::from),
                "minimum_distance" => {
                    deserialize::<MinimumDistance>(Json::Object(fields), place, c).map(ConstraintKind::from)
                }
                "ratchet" => {
                    fields.entry("sense").or_insert(json!("positive"));
                    deserialize::<Ratchet>(Json::Object(fields), place, c).map(ConstraintKind::from)
                }
                _ => {
                    friction_directions(&mut fields, spec);
                    deserialize::<PointPlaneContact>(Json::Object(fields), place, c).map(ConstraintKind::from)
                }
            }
        }
    };
    if let Some(found) = found {
        spec.constraints.push(Named { name: name.to_string(), item: found });
    }
}

/// `restitution` and `impact` as the engine has them.
pub(super) fn impact(fields: &mut Map<String, Json>) {
    let restitution = fields.remove("restitution").unwrap_or(json!(0.0));
    let law = fields.remove("impact").unwrap_or(json!("newton"));
    fields.insert("impact".to_string(), json!({ "law": law, "restitution": restitution }));
}

/// The stops `string_field.lower` and `string_field.upper`; one alone has the name itself.
fn limits(name: &str, of: Measure, mut fields: Map<String, Json>, place: &Place, c: &mut Context, spec: &mut Spec) {
    let lower = fields.remove("lower").and_then(|s| deserialize::<Signal>(s, place, c));
    let upper = fields.remove("upper").and_then(|s| deserialize::<Signal>(s, place, c));
    impact(&mut fields);
    let Some(impact) = fields.remove("impact").and_then(|i| deserialize::<Impact>(i, place, c)) else { return };
    if let (Some(l), Some(u)) = (&lower, &upper)
        && l.is_constant()
        && u.is_constant()
        && l.at(0.0).f >= u.at(0.0).f
    {
        let message = format!("`lower` is {}, not below `upper`, which is {}", l.at(0.0).f, u.at(0.0).f);
        return report_error(c, place, &message, "the coordinate stays between them");
    }
    let stop = |side, at| ConstraintKind::from(Stop { of: of.clone(), side, at, impact });
    let mut push = |name: String, item| spec.constraints.push(Named { name, item });
    match (lower, upper) {
        (Some(l), Some(u)) => {
            push(format!("{name}.lower"), stop(Limit::Lower, l));
            push(format!("{name}.upper"), stop(Limit::Upper, u));
        }
        (Some(l), None) => push(name.to_string(), stop(Limit::Lower, l)),
        (None, Some(u)) => push(name.to_string(), stop(Limit::Upper, u)),
        (None, None) => {
            report_error(c, place, "there is neither a `lower` nor an `upper` limit", "give one of them, or both")
        }
    }
}

/// The coordinates of a joint of this kind that can have limits.
fn coordinates(kind: &str) -> &'static [&'static str] {
    match kind {
        "revolute" | "pin" => &["angle"],
        "prismatic" | "slider" => &["slide"],
        "cylindrical" | "slot" => &["angle", "slide"],
        _ => &[],
    }
}

/// The axis of A along which such a joint translates.
fn axis(kind: &str) -> Axis {
    if matches!(kind, "slider" | "slot") { Axis::X } else { Axis::Z }
}

/// `limits = { … }` of a joint: the stops `joint.lower` and `joint.upper`.
pub(super) fn joint_limits(
    kind: &str,
    mut fields: Map<String, Json>,
    [a, b]: [&str; 2],
    item: &Item,
    c: &mut Context,
    spec: &mut Spec,
) {
    let place = item.node.table().and_then(|t| t.get("limits")).map_or(&item.place, |n| &n.place);
    let known = coordinates(kind);
    let requested = fields.remove("coordinate");
    let Some(which) =
        requested.as_ref().and_then(Json::as_str).or(if known.len() == 1 { Some(known[0]) } else { None })
    else {
        return report_error(
            c,
            place,
            "`limits` of a joint with two coordinates",
            "say which: coordinate = \"angle\" or coordinate = \"slide\"",
        );
    };
    if !known.contains(&which) {
        let help = format!("this joint has {}", known.join(" and "));
        return report_error(c, place, &format!("a {kind} joint has no coordinate `{which}` to limit"), &help);
    }
    let of = match which {
        "angle" => Measure::angle(a, b),
        _ => Measure::Slide { a: a.to_string(), b: b.to_string(), axis: axis(kind) },
    };
    // A single limit keeps its side in its name, because the joint has the name itself.
    let name = match (fields.contains_key("lower"), fields.contains_key("upper")) {
        (true, false) => format!("{}.lower", item.name),
        (false, true) => format!("{}.upper", item.name),
        _ => item.name.clone(),
    };
    limits(&name, of, fields, place, c, spec);
}

/// The friction geometry of a joint by its kind.
fn friction_geometry(
    kind: &str,
    axis: Axis,
    fields: &mut Map<String, Json>,
    place: &Place,
    c: &mut Context,
) -> Option<FrictionGeometry> {
    let mut number = |key: &str| fields.remove(key).and_then(|x| x.as_f64());
    let (radius, axial, arm) = (number("radius"), number("axial_radius"), number("bearing_distance"));
    let radius_of = |what: &str, c: &mut Context| {
        if radius.is_none() {
            let help =
                format!("friction = {{ static = 0.2, kinetic = 0.15, radius = \"10 mm\" }}: the radius of the {what}");
            report_error(c, place, "`radius`, at which friction acts, is missing", &help);
        }
        radius
    };
    let needless = |given: &[(&str, Option<f64>)], c: &mut Context| {
        let Some((key, _)) = given.iter().find(|(_, x)| x.is_some()) else { return Some(()) };
        report_error(c, place, &format!("friction of a {kind} joint does not use `{key}`"), "leave it out");
        None
    };
    match kind {
        "revolute" | "pin" => {
            let radius = radius_of("pin", c)?;
            Some(FrictionGeometry::Revolute { radius, axial_radius: axial.unwrap_or(0.0), arm })
        }
        "cylindrical" => {
            let radius = radius_of("shaft", c)?;
            needless(&[("axial_radius", axial)], c)?;
            Some(FrictionGeometry::Cylindrical { radius, arm })
        }
        "prismatic" | "slider" | "slot" => {
            needless(&[("radius", radius), ("axial_radius", axial)], c)?;
            Some(FrictionGeometry::Prismatic { axis, arm })
        }
        "spherical" => {
            let radius = radius_of("ball", c)?;
            needless(&[("axial_radius", axial), ("bearing_distance", arm)], c)?;
            Some(FrictionGeometry::Spherical { radius })
        }
        "planar" => {
            needless(&[("radius", radius), ("axial_radius", axial), ("bearing_distance", arm)], c)?;
            Some(FrictionGeometry::Planar)
        }
        _ => {
            let help = "joints with friction are revolute, prismatic, cylindrical, spherical, planar, pin, slider and slot; \
                        choose one by `joint_type`";
            report_error(c, place, &format!("there is no friction law for joints of type `{kind}`"), help);
            None
        }
    }
}

/// `friction` of a joint: the constraint `joint.friction`.
pub(super) fn friction_of_joint(
    kind: &str,
    mut fields: Map<String, Json>,
    [a, b]: [&str; 2],
    item: &Item,
    c: &mut Context,
    spec: &mut Spec,
) {
    let place = item.node.table().and_then(|t| t.get("friction")).map_or(&item.place, |n| &n.place);
    let Some(rubbing) = friction_geometry(kind, axis(kind), &mut fields, place, c) else { return };
    let preload = fields.remove("preload").and_then(|x| x.as_f64()).unwrap_or(0.0);
    if let Some(friction) = deserialize::<Friction>(Json::Object(fields), place, c) {
        let friction = JointFriction::new(&item.name, a, b, rubbing, friction).preload(preload);
        spec.constraint(&format!("{}.friction", item.name), friction);
    }
}

/// Friction in a named joint: one of an imported robot, or one with the friction law of another type.
fn joint_friction(mut fields: Map<String, Json>, item: &Item, c: &mut Context) -> Option<JointFriction> {
    let place = &item.place;
    let joint = format!("{}{}", item.part.prefix, string_field(&fields, "joint"));
    let Some((kind, a, b)) = c.register.joints.get(&joint).cloned() else {
        let at = item.node.table().and_then(|t| t.get("joint")).map_or(place, |n| &n.place);
        let hint = did_you_mean(&joint, c.register.joints.keys().map(String::as_str));
        report_error(c, at, &format!("there is no joint `{joint}`{hint}"), "name one of [joints]");
        return None;
    };
    let requested = fields.remove("joint_type").and_then(|k| k.as_str().map(str::to_string));
    let along = match fields.remove("axis") {
        Some(axis) => deserialize::<Axis>(axis, place, c)?,
        None => axis(&kind),
    };
    let (a, b) = (field_or(&mut fields, "a", a), field_or(&mut fields, "b", b));
    let rubbing = friction_geometry(requested.as_deref().unwrap_or(&kind), along, &mut fields, place, c)?;
    let friction = fields.remove("friction").and_then(|f| deserialize::<Friction>(f, place, c))?;
    let preload = fields.remove("preload").and_then(|x| x.as_f64()).unwrap_or(0.0);
    Some(JointFriction::new(&joint, &a, &b, rubbing, friction).preload(preload))
}

fn field_or(fields: &mut Map<String, Json>, key: &str, other: String) -> String {
    fields.remove(key).and_then(|x| x.as_str().map(str::to_string)).unwrap_or(other)
}

/// Brake, clutch, one-way joint, servo, or a coupling given by its terms.
fn coupling(kind: &str, mut fields: Map<String, Json>, place: &Place, c: &mut Context) -> Option<Coupling> {
    let measure = |fields: &mut Map<String, Json>, key: &str, c: &mut Context| {
        fields.remove(key).and_then(|m| deserialize::<Measure>(m, place, c))
    };
    let slipping = fields.remove("kinetic_ratio").and_then(|x| x.as_f64()).unwrap_or(1.0);
    let signal = |fields: &mut Map<String, Json>, key: &str, c: &mut Context| {
        fields.remove(key).and_then(|s| deserialize::<Signal>(s, place, c))
    };
    if kind == "one_way" {
        let sense = fields.remove("sense").map_or(Some(Sense::Positive), |s| deserialize::<Sense>(s, place, c))?;
        return Some(Coupling::one_way(measure(&mut fields, "coordinate", c)?, sense));
    }
    let bounds = ["capacity", "lower", "upper"].map(|key| signal(&mut fields, key, c));
    let within = match bounds {
        [Some(capacity), None, None] => Bounds::Capacity(capacity),
        [None, None, None] => {
            report_error(
                c,
                place,
                "its force has no bound",
                "give `capacity`, or `lower` and `upper`; without bounds use a driver or a relation",
            );
            return None;
        }
        [None, lower, upper] => Bounds::Between { lower, upper },
        _ => {
            report_error(
                c,
                place,
                "`capacity` is given with `lower` or `upper`",
                "keep the capacity, or the two bounds",
            );
            return None;
        }
    };
    let found = match kind {
        "brake" => Coupling::new(vec![(1.0, measure(&mut fields, "coordinate", c)?)], within),
        "clutch" => {
            let (one, two) = (measure(&mut fields, "first", c)?, measure(&mut fields, "second", c)?);
            Coupling::new(vec![(1.0, one), (-1.0, two)], within)
        }
        "servo" => {
            let follows = signal(&mut fields, "velocity", c)?;
            Coupling { follows, ..Coupling::new(vec![(1.0, measure(&mut fields, "coordinate", c)?)], within) }
        }
        _ => {
            let terms = fields.remove("terms").and_then(|t| deserialize(t, place, c))?;
            let follows = signal(&mut fields, "velocity", c).unwrap_or(Signal::constant(0.0));
            Coupling { terms, follows, ..Coupling::new(Vec::new(), within) }
        }
    };
    Some(found.kinetic_ratio(slipping))
}

/// Directions of friction of a point: both axes in space; in the plane the one that lies in it.
fn friction_directions(fields: &mut Map<String, Json>, spec: &Spec) {
    let along = fields.remove("friction_axes");
    let rubs = fields.get("friction").is_some();
    let found = match along.as_ref().and_then(Json::as_str) {
        Some("xy") => SlipAxes::Two,
        Some("x") => SlipAxes::One(Axis::X),
        Some(_) => SlipAxes::One(Axis::Y),
        None if !rubs => SlipAxes::None,
        None => {
            let plane = string_field(fields, "plane");
            let planar = |marker: &str| {
                let body = marker.split('.').next().unwrap_or_default();
                spec.bodies.iter().any(|b| b.name == body && matches!(b.item, BodyKind::Planar(_)))
            };
            let frame = spec.markers.iter().find(|m| m.name == plane).and_then(|m| m.item.orientation.matrix().ok());
            match (planar(&string_field(fields, "point")) || planar(&plane), frame) {
                (false, _) => SlipAxes::Two,
                // The axis normal to the plane of motion is not a direction of sliding.
                (true, Some(R)) if R[(2, 0)].abs() > 0.5 => SlipAxes::One(Axis::Y),
                (true, _) => SlipAxes::One(Axis::X),
            }
        }
    };
    fields.insert("tangents".to_string(), json!(found));
}
