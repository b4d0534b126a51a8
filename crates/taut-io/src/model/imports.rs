//! Files of other programs, imported by `include` or as parts.

use super::elements::{transform_frame, transform_point, transform_rigid};
use super::expand::{PartPlacement, PlacementKind};
use super::visuals::{Visual, VisualShape};
use crate::diagnostic::Diagnostic;
use crate::{mjcf, robot, urdf};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use std::path::Path;
use taut::bodies::BodyKind;
use taut::constraints::ConstraintKind;
use taut::shapes::Shape;
use taut::{FrameReference, Named, Spec};

/// The content of a file of another program.
#[derive(Clone, Debug)]
pub(crate) struct ImportedRobot {
    pub spec: Spec,
    /// Shapes that are drawn.
    pub visuals: Vec<Named<Visual>>,
    /// Warnings about what was not imported.
    pub not_imported: Vec<Diagnostic>,
}

/// Reads the text of a file.
pub(crate) type RobotReader = fn(&str, &Path) -> Result<ImportedRobot, Diagnostic>;

/// How to read a file of that name, if it is another program's.
pub(crate) fn reader(path: &Path) -> Option<RobotReader> {
    match path.extension().and_then(|e| e.to_str()).map(str::to_lowercase).as_deref() {
        Some("urdf") => Some(|text, path| urdf::read(text, path).map(import)),
        Some("xml" | "mjcf") => Some(|text, path| match text.contains("<robot") {
            true => urdf::read(text, path).map(import),
            false => mjcf::read(text, path).map(import),
        }),
        _ => None,
    }
}

fn import(found: robot::Robot) -> ImportedRobot {
    let keys: Vec<String> = found.poses.iter().map(|(name, _)| format!("`{name}`")).collect();
    let poses = (!keys.is_empty()).then(|| {
        Diagnostic::warning(format!(
            "not carried over: keyframes {}: the start is the pose of the bodies",
            keys.join(", ")
        ))
    });
    let left = found.not_imported.iter().map(|n| {
        let finding = Diagnostic::warning(format!("not carried over: {}: {}", n.element, n.what));
        Diagnostic { place: n.place.clone(), ..finding }
    });
    let visuals = found.visuals.iter().filter_map(|(body, shape)| visual(body, shape)).collect();
    ImportedRobot { not_imported: left.chain(poses).collect(), visuals, spec: found.spec }
}

/// A shape as the visual of a body.
fn visual(body: &str, from: &robot::LinkShape) -> Option<Named<Visual>> {
    let shape = match &from.shape {
        Shape::Sphere { radius } => VisualShape::Sphere { radius: *radius },
        Shape::Box { size } => VisualShape::Box { size: *size },
        Shape::Cylinder { radius, length } => VisualShape::Cylinder { radius: *radius, length: *length },
        Shape::Capsule { radius, length } => VisualShape::Capsule { radius: *radius, length: *length },
        Shape::Ellipsoid { radii } => VisualShape::Ellipsoid { radii: *radii },
        Shape::Mesh { points, triangles } => VisualShape::Mesh { points: points.clone(), triangles: triangles.clone() },
        _ => return None,
    };
    let item = Visual { shape, at: from.pose.p.into(), orientation: from.orientation(), colour: from.colour.clone() };
    Some(Named { name: body.to_string(), item })
}

/// Adds the elements of an imported mechanism with the prefix and the placement of its part.
pub(crate) fn merge(spec: &mut Spec, mut other: Spec, part: &PartPlacement) {
    if spec.gravity == [0.0; 3] {
        spec.gravity(other.gravity);
    }
    if !part.prefix.is_empty() {
        rename(&mut other, part);
    }
    spec.bodies.append(&mut other.bodies);
    spec.markers.append(&mut other.markers);
    spec.constraints.append(&mut other.constraints);
    spec.forces.append(&mut other.forces);
    spec.measures.append(&mut other.measures);
    spec.surfaces.append(&mut other.surfaces);
}

/// Sets a number of an imported body; false if it has no such field.
pub(crate) fn set(spec: &mut Spec, name: &str, field: &str, x: f64) -> bool {
    let Some(body) = spec.bodies.iter_mut().find(|b| b.name == name) else { return false };
    let Ok(Json::Object(mut fields)) = serde_json::to_value(&body.item) else { return false };
    if !fields.get(field).is_some_and(Json::is_number) {
        return false;
    }
    fields.insert(field.to_string(), serde_json::json!(x));
    serde_json::from_value(Json::Object(fields)).map(|item| body.item = item).is_ok()
}

/// Prefixes every name with that of the part and places every body with the part.
fn rename(spec: &mut Spec, part: &PartPlacement) {
    for body in &mut spec.bodies {
        body.name = format!("{}{}", part.prefix, body.name);
        body.item = match body.item.clone() {
            BodyKind::Rigid(b) => transform_rigid(b, part).into(),
            BodyKind::PointMass(b) => transform_point(b, part).into(),
            other => other,
        };
    }
    for marker in &mut spec.markers {
        let grounded = marker.name.starts_with("ground.");
        marker.name = part.marker(&marker.name);
        if grounded || marker.item.relative_to == FrameReference::World {
            transform_frame(&mut marker.item, part);
        }
    }
    // The flywheels that represent rotor inertia have their own axis, independent of the placement of the part.
    let flywheels: Vec<String> =
        spec.bodies.iter().filter(|b| matches!(b.item, BodyKind::Planar(_))).map(|b| b.name.clone()).collect();
    let still = PartPlacement { placed: PlacementKind::AsWritten, ..part.clone() };
    for constraint in &mut spec.constraints {
        let held = matches!(&constraint.item, ConstraintKind::Joint(j)
            if flywheels.iter().any(|f| j.b.split('.').next() == f.strip_prefix(&part.prefix)));
        renamed(constraint, if held { &still } else { part });
    }
    spec.forces.iter_mut().for_each(|c| renamed(c, part));
    spec.measures.iter_mut().for_each(|c| renamed(c, part));
    for surface in &mut spec.surfaces {
        surface.name = format!("{}{}", part.prefix, surface.name);
        surface.item.marker = part.marker(&surface.item.marker);
    }
}

/// Prefixes the name of an element and all names it refers to. Importers create only elements that can be serialised.
fn renamed<T: Serialize + DeserializeOwned>(element: &mut Named<T>, part: &PartPlacement) {
    element.name = format!("{}{}", part.prefix, element.name);
    if let Ok(mut value) = serde_json::to_value(&element.item) {
        rename_references(&mut value, part);
        if let Ok(item) = serde_json::from_value(value) {
            element.item = item;
        }
    }
}

fn rename_references(value: &mut Json, part: &PartPlacement) {
    match value {
        Json::Object(map) => {
            for (key, inner) in map.iter_mut() {
                match inner {
                    Json::String(name)
                        if matches!(key.as_str(), "a" | "b" | "marker" | "reaction_marker" | "coordinate") =>
                    {
                        *name = part.marker(name);
                    }
                    inner => rename_references(inner, part),
                }
            }
        }
        Json::Array(list) => list.iter_mut().for_each(|v| rename_references(v, part)),
        _ => {}
    }
}
