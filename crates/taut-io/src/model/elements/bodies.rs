//! Bodies with their mass properties, and frames on them.

use super::super::expand::{Item, PartPlacement, PlacementKind};
use super::super::node::Node;
use super::super::resolve::Context;
use super::super::shapes::mass_properties;
use super::super::visuals;
use super::super::vocabulary::{ANY_QUANTITY, BODIES, FRAME, FieldType, LENGTH};
use super::generalised::generalised;
use super::modal::modal;
use super::placement::{transform_frame, transform_planar, transform_point, transform_rigid};
use super::{deserialize, report_error};
use crate::diagnostic::Place;
use serde_json::{Map, Value as Json, json};
use std::path::Path;
use taut::bodies::{
    AxisSequence, BodyKind, EulerAngles, EulerParameters, RitzReduction, Rodrigues, SequenceSwitching, Variable,
};
use taut::{Frame, FrameReference, PlanarBody, PointMass, RigidBody, Spec};

pub(super) fn body(item: &Item, c: &mut Context, spec: &mut Spec) {
    let before = c.diagnostics.len();
    let Some((kind, mut fields)) = c.kind(&item.node, BODIES, "body") else { return };
    if c.diagnostics.len() > before {
        return;
    }
    if kind.name == "variable" {
        let value = fields.get("value").and_then(Json::as_f64).unwrap_or(0.0);
        spec.body(&item.name, Variable::new(value));
        return;
    }
    if kind.name == "generalised" {
        if let Some(found) = generalised(item, c) {
            spec.body(&item.name, found);
        }
        return;
    }
    if kind.name == "ritz" {
        ritz_set(fields, item, c, spec);
        return;
    }
    if kind.name == "modal" {
        if let Some(found) = modal(fields, item, c) {
            spec.body(&item.name, found);
        }
        return frames(item, c, spec);
    }
    fields.remove("markers");
    fields.remove("visual");
    if let Some(Json::Array(shapes)) = fields.remove("shape")
        && !from_shapes(kind.name, &shapes, &mut fields, item, c)
    {
        return;
    }
    if fields.get("mass").and_then(Json::as_f64) == Some(0.0) {
        let none = if kind.name == "rigid" { json!([0.0, 0.0, 0.0]) } else { json!(0.0) };
        if kind.name != "point_mass" {
            fields.entry("inertia").or_insert(none);
        }
    }
    for needed in ["mass", "inertia"].iter().filter(|n| **n == "mass" || kind.name != "point_mass") {
        if !fields.contains_key(*needed) {
            let help = "give `mass` and `inertia`, or a `shape` with `mass` or `density`";
            report_error(c, &item.place, &format!("`{needed}` is missing"), help);
            return;
        }
    }
    let place = &item.place;
    let found: Option<BodyKind> = match kind.name {
        "rigid" => {
            if let Some(Json::Array(j)) = fields.get_mut("inertia")
                && j.len() == 3
            {
                j.extend([json!(0.0), json!(0.0), json!(0.0)]);
            }
            let rotation = ["rotation_parameters", "sequence", "sequence_switching"].map(|key| fields.remove(key));
            deserialize::<RigidBody>(Json::Object(fields), place, c)
                .and_then(|b| with_rotation_parameters(transform_rigid(b, &item.part), rotation, place, c))
        }
        "planar" => match deserialize::<PlanarBody>(Json::Object(fields), place, c) {
            Some(b) => match transform_planar(b, &item.part) {
                Some(b) => Some(b.into()),
                None => {
                    let help = "a part with planar bodies may be moved in the xy plane and turned about z only";
                    report_error(c, place, "a planar body would leave its plane", help);
                    None
                }
            },
            None => None,
        },
        _ => deserialize::<PointMass>(Json::Object(fields), place, c).map(|b| transform_point(b, &item.part).into()),
    };
    if let Some(found) = found {
        spec.body(&item.name, found);
    }
    frames(item, c, spec);
}

/// The frames given inside a body.
fn frames(item: &Item, c: &mut Context, spec: &mut Spec) {
    let markers = item.node.table().and_then(|t| t.get("markers"));
    let Some(markers) = markers else { return };
    let Some(table) = markers.table() else {
        report_error(c, &markers.place, "`markers` must be a table of frames by name", "markers = { tip = [1, 0, 0] }");
        return;
    };
    for entry in &table.0 {
        let name = format!("{}.{}", item.name, entry.key);
        c.element = format!("marker `{name}`");
        if let Some(frame) = frame(&entry.node, &item.part, c) {
            spec.marker(&name, frame);
        }
    }
}

/// A named number: `[variables] speed = 3`.
pub(super) fn variable(item: &Item, c: &mut Context, spec: &mut Spec) {
    if let Some(value) = c.resolve(FieldType::Number(ANY_QUANTITY), &item.node).and_then(|x| x.as_f64()) {
        spec.body(&item.name, Variable::new(value));
    }
}

/// A Ritz set; its members are named as in its own part.
fn ritz_set(mut fields: Map<String, Json>, item: &Item, c: &mut Context, spec: &mut Spec) {
    if item.part.placed == PlacementKind::Rotated {
        let help = "define the shapes outside the part, or do not rotate the part";
        report_error(c, &item.place, "its shapes are given in world axes, but its part is rotated", help);
        return;
    }
    if let Some(Json::Array(members)) = fields.get_mut("members") {
        for m in members.iter_mut() {
            *m = json!(item.part.marker(m.as_str().unwrap_or_default()));
        }
    }
    if let Some(set) = deserialize::<RitzReduction>(Json::Object(fields), &item.place, c) {
        spec.body(&item.name, set);
    }
}

/// A rigid body with the chosen rotation parameters.
fn with_rotation_parameters(
    rigid: RigidBody,
    requested: [Option<Json>; 3],
    place: &Place,
    c: &mut Context,
) -> Option<BodyKind> {
    let [rotation, sequence, switch] = requested;
    let rotation = rotation.as_ref().and_then(Json::as_str).unwrap_or("quaternion");
    if rotation != "euler_angles" && (sequence.is_some() || switch.is_some()) {
        let message = "`sequence` and `sequence_switching` need Euler angles";
        report_error(c, place, message, "write rotation_parameters = \"euler_angles\", or leave them out");
        return None;
    }
    Some(match rotation {
        "euler_parameters" => EulerParameters { rigid }.into(),
        "rodrigues" => Rodrigues { rigid }.into(),
        "euler_angles" => EulerAngles {
            rigid,
            sequence: sequence.map_or(Some(AxisSequence::default()), |s| deserialize(s, place, c))?,
            sequence_switching: switch.map_or(Some(SequenceSwitching::default()), |s| deserialize(s, place, c))?,
        }
        .into(),
        _ => rigid.into(),
    })
}

/// Sets mass, mass centre and inertia from shapes; false if they cannot.
fn from_shapes(kind: &str, shapes: &[Json], fields: &mut Map<String, Json>, item: &Item, c: &mut Context) -> bool {
    for given in ["inertia", "com"] {
        if fields.contains_key(given) {
            let help = "keep either the shape or the numbers";
            report_error(c, &item.place, &format!("both `shape` and `{given}` are given"), help);
            return false;
        }
    }
    let shape_place = item.node.table().and_then(|t| t.get("shape")).map_or(&item.place, |n| &n.place);
    let folder = shape_place.source.path.parent().unwrap_or(Path::new(""));
    let read = with_meshes(shapes, folder);
    match read.and_then(|shapes| mass_properties(&shapes, fields.get("mass").and_then(Json::as_f64))) {
        Ok(found) => {
            fields.insert("mass".to_string(), json!(found.mass));
            if kind == "planar" {
                fields.insert("inertia".to_string(), json!(found.inertia[2]));
                fields.insert("com".to_string(), json!([found.com[0], found.com[1]]));
            } else {
                fields.insert("inertia".to_string(), json!(found.inertia));
                fields.insert("com".to_string(), json!(found.com));
            }
            true
        }
        Err(why) => {
            report_error(
                c,
                shape_place,
                &why,
                "mass properties come from `shape` with `density`, or with the body's `mass`",
            );
            false
        }
    }
}

/// Reads the files of meshes among shapes.
fn with_meshes(shapes: &[Json], folder: &Path) -> Result<Vec<Json>, String> {
    let mut all = shapes.to_vec();
    for shape in all.iter_mut().filter_map(Json::as_object_mut).filter(|s| s.get("type") == Some(&json!("mesh"))) {
        visuals::from_file(shape, folder)?;
    }
    Ok(all)
}

/// `[x, y, z]`, `[x, y]`, or a table with `at`, `orientation`, `relative_to`.
fn frame(node: &Node, part: &PartPlacement, c: &mut Context) -> Option<Frame> {
    let mut fields = match node.table() {
        Some(table) => c.fields(table, FRAME, &node.place, &[]),
        None => Map::from_iter([("at".to_string(), c.resolve(FieldType::Vector(&[2, 3], LENGTH), node)?)]),
    };
    if let Some(Json::Array(at)) = fields.get_mut("at")
        && at.len() == 2
    {
        at.push(json!(0.0));
    }
    let mut frame: Frame = deserialize(Json::Object(fields), &node.place, c)?;
    if frame.relative_to == FrameReference::World {
        transform_frame(&mut frame, part);
    }
    Some(frame)
}

pub(super) fn marker(item: &Item, c: &mut Context, spec: &mut Spec) {
    if let Some(mut frame) = frame(&item.node, &item.part, c) {
        if item.name.starts_with("ground.") && frame.relative_to == FrameReference::Body {
            transform_frame(&mut frame, &item.part);
        }
        spec.marker(&item.name, frame);
    }
}
