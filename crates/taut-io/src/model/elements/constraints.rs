//! Joints, drivers, constraints.

use super::super::expand::Item;
use super::super::resolve::{Context, CoordinateDimension};
use super::super::vocabulary::{ANGLE_DRIVER, CONSTRAINTS, DRIVER, JOINTS, LENGTH_DRIVER, UNILATERAL_CONSTRAINTS};
use super::{deserialize, events, report_error, sharing, string_field, unilateral};
use serde_json::{Map, Value as Json, json};
use taut::constraints::ConstraintKind;
use taut::{Joint, KnifeEdge, Measure, Named, Prescription, Relation, Rolling, Signal, Spec};

/// The joint of that name, as its constructor makes it.
pub(crate) fn named_joint(kind: &str, a: &str, b: &str) -> Option<Joint> {
    let make: fn(&str, &str) -> Joint = match kind {
        "fixed" => Joint::fixed,
        "revolute" => Joint::revolute,
        "prismatic" => Joint::prismatic,
        "cylindrical" => Joint::cylindrical,
        "spherical" => Joint::spherical,
        "universal" => Joint::universal,
        "constant_velocity" => Joint::constant_velocity,
        "planar" => Joint::planar,
        "point_on_line" => Joint::point_on_line,
        "point_on_plane" => Joint::point_on_plane,
        "parallel_axes" => Joint::parallel_axes,
        "perpendicular_axes" => Joint::perpendicular_axes,
        "parallel_frames" => Joint::parallel_frames,
        "pin" => Joint::pin,
        "slider" => Joint::slider,
        "weld" => Joint::weld,
        "slot" => Joint::slot,
        _ => return None,
    };
    Some(make(a, b))
}

pub(super) fn joint(item: &Item, c: &mut Context, spec: &mut Spec) {
    let before = c.diagnostics.len();
    let Some((kind, mut fields)) = c.kind(&item.node, JOINTS, "joint") else { return };
    if c.diagnostics.len() > before {
        return;
    }
    let limited = match kind.name {
        "revolute" | "pin" => Some(CoordinateDimension::Angle),
        "prismatic" | "slider" => Some(CoordinateDimension::Length),
        _ => None,
    };
    c.check_units_of_joint(&item.node, limited);
    if c.diagnostics.len() > before {
        return;
    }
    events::apply_initially_unlocked(&mut fields, item, spec);
    sharing::apply(&mut fields, item, c, spec);
    let (a, b, place) = (string_field(&fields, "a"), string_field(&fields, "b"), &item.place);
    match kind.name {
        "rod" => {
            let Some(length) = fields.remove("length").and_then(|l| deserialize::<Signal>(l, place, c)) else { return };
            if length.is_constant() && length.at(0.0).f <= 0.0 {
                let help = "for a common point use `spherical`, or `pin` in the plane";
                report_error(c, place, "`length` of a rod must be greater than zero", help);
                return;
            }
            spec.constraint(&item.name, Relation::driver(Measure::distance(&a, &b), Prescription::Position(length)));
        }
        "screw" => {
            let pitch = fields.get("pitch").and_then(Json::as_f64).unwrap_or(0.0);
            spec.screw(&item.name, &a, &b, pitch);
        }
        "joint" => {
            if let Some(joint) = deserialize::<Joint>(Json::Object(fields), place, c) {
                spec.constraint(&item.name, joint);
            }
        }
        _ => {
            let Some(mut joint) = named_joint(kind.name, &a, &b) else { return };
            if let Some(hold) = fields.remove("rotation").and_then(|h| deserialize::<Prescription>(h, place, c)) {
                joint = joint.prescribe_rotation(hold);
            }
            if let Some(hold) = fields.remove("translation").and_then(|h| deserialize::<Prescription>(h, place, c)) {
                let along = if matches!(kind.name, "slider" | "slot") { 0 } else { 2 };
                joint = joint.prescribe_translation(along, hold);
            }
            spec.constraint(&item.name, joint);
            if let Some(Json::Object(limits)) = fields.remove("limits") {
                unilateral::joint_limits(kind.name, limits, [&a, &b], item, c, spec);
            }
            if let Some(Json::Object(friction)) = fields.remove("friction") {
                unilateral::friction_of_joint(kind.name, friction, [&a, &b], item, c, spec);
            }
        }
    }
}

/// Exactly one of `position`, `velocity`, `acceleration`.
fn prescribed_motion(fields: &mut Map<String, Json>, item: &Item, c: &mut Context) -> Option<Prescription> {
    let given: Vec<String> = ["position", "velocity", "acceleration"]
        .iter()
        .filter(|k| fields.contains_key(**k))
        .map(|k| k.to_string())
        .collect();
    let [one] = given.as_slice() else {
        let found = if given.is_empty() { "none is".to_string() } else { format!("{} are", given.join(" and ")) };
        let message = format!("give one of `position`, `velocity` and `acceleration`; {found} given");
        report_error(c, &item.place, &message, "a driver prescribes one of them; the others follow");
        return None;
    };
    let signal = fields.remove(one)?;
    deserialize(json!({ one.as_str(): signal }), &item.place, c)
}

/// Whether a coordinate of a body has this name.
fn ends_in(of: &Json, name: &str) -> bool {
    of.get("coordinate").and_then(Json::as_str).is_some_and(|c| c.ends_with(name))
}

pub(super) fn driver(item: &Item, c: &mut Context, spec: &mut Spec) {
    let Some(table) = item.node.table() else {
        report_error(
            c,
            &item.place,
            "a driver is a table",
            "give `coordinate` and one of position, velocity, acceleration",
        );
        return;
    };
    let before = c.diagnostics.len();
    // What the coordinate is decides which units fit; what is wrong with it is said with the other fields.
    let mut unsaid = Vec::new();
    let of = table.get("coordinate").and_then(|of| {
        let mut quiet = Context::new(c.scope.clone(), c.part, c.register, &mut unsaid);
        quiet.coordinate(of)
    });
    let words = match of {
        Some(of) if of.get("angle").is_some() || ends_in(&of, ".theta") => ANGLE_DRIVER,
        Some(of) if of.get("distance").or(of.get("slide")).is_some() => LENGTH_DRIVER,
        Some(of) if [".x", ".y", ".z"].iter().any(|x| ends_in(&of, x)) => LENGTH_DRIVER,
        _ => DRIVER,
    };
    let mut fields = c.fields(table, words, &item.place, &[]);
    if c.diagnostics.len() > before {
        return;
    }
    events::apply_initially_unlocked(&mut fields, item, spec);
    sharing::apply(&mut fields, item, c, spec);
    let of = fields.remove("coordinate").and_then(|m| deserialize::<Measure>(m, &item.place, c));
    if let (Some(of), Some(hold)) = (of, prescribed_motion(&mut fields, item, c)) {
        spec.constraint(&item.name, Relation::driver(of, hold));
    }
}

pub(super) fn constraint(item: &Item, c: &mut Context, spec: &mut Spec) {
    let before = c.diagnostics.len();
    let Some((kind, mut fields)) = c.kind(&item.node, CONSTRAINTS, "constraint") else { return };
    if c.diagnostics.len() > before {
        return;
    }
    let along = ["coordinate", "first"].into_iter().find_map(|key| fields.get(key));
    if UNILATERAL_CONSTRAINTS.iter().any(|k| k.name == kind.name) {
        c.check_units_along(kind, &item.node, along);
    }
    if c.diagnostics.len() > before {
        return;
    }
    events::apply_initially_unlocked(&mut fields, item, spec);
    sharing::apply(&mut fields, item, c, spec);
    if UNILATERAL_CONSTRAINTS.iter().any(|k| k.name == kind.name) {
        unilateral::add(kind.name, fields, item, c, spec);
        return;
    }
    let place = &item.place;
    let mut measure = |fields: &mut Map<String, Json>, key: &str| {
        fields.remove(key).and_then(|m| deserialize::<Measure>(m, place, c))
    };
    let found: Option<ConstraintKind> = match kind.name {
        "gear" => {
            let (one, two) = (measure(&mut fields, "first"), measure(&mut fields, "second"));
            let ratio = fields.get("ratio").and_then(Json::as_f64).unwrap_or(1.0);
            let sum = fields.get("sum").and_then(Json::as_f64).unwrap_or(0.0);
            let held = if sum == 0.0 { Prescription::Fixed } else { Prescription::Position(Signal::constant(sum)) };
            one.zip(two).map(|(one, two)| Relation::gear(one, two, ratio).follows(held).into())
        }
        "rack_and_pinion" => {
            let (slide, turn) = (measure(&mut fields, "rack"), measure(&mut fields, "pinion"));
            let radius = fields.get("radius").and_then(Json::as_f64).unwrap_or(1.0);
            slide.zip(turn).map(|(slide, turn)| Relation::rack_and_pinion(slide, turn, radius).into())
        }
        "relation" => {
            let given: Vec<&str> =
                ["equals", "velocity", "acceleration"].into_iter().filter(|k| fields.contains_key(*k)).collect();
            let follows = match given.as_slice() {
                [] => json!("fixed"),
                ["equals"] => json!({ "position": fields.remove("equals") }),
                [one] => json!({ *one: fields.remove(*one) }),
                _ => {
                    report_error(
                        c,
                        place,
                        &format!("{} are mutually exclusive", given.join(" and ")),
                        "keep one of them",
                    );
                    return;
                }
            };
            let terms = fields.remove("terms").unwrap_or_default();
            deserialize::<Relation>(json!({ "terms": terms, "follows": follows }), place, c).map(ConstraintKind::from)
        }
        "knife_edge" => deserialize::<KnifeEdge>(Json::Object(fields), place, c).map(ConstraintKind::from),
        "rolling" => deserialize::<Rolling>(Json::Object(fields), place, c).map(ConstraintKind::from),
        _ => {
            fields.remove("definitions");
            fields.insert("type".to_string(), json!(kind.name));
            deserialize::<ConstraintKind>(Json::Object(fields), place, c)
        }
    };
    if let Some(found) = found {
        spec.constraints.push(Named { name: item.name.clone(), item: found });
    }
}
