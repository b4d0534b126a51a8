//! Beams: one entry for line, section and mesh.

use super::super::expand::{Item, PartPlacement, PlacementKind};
use super::super::resolve::Context;
use super::super::vocabulary::BEAM;
use super::{deserialize, placement::rotate_vector, report_error};
use crate::diagnostic::Place;
use serde_json::{Map, Value as Json, json};
use taut::Spec;
use taut::beams::{Beam, Curve, ElementType, InertiaModel, Material, MotionSpace, Section, SectionShape};

pub(super) fn beam(item: &Item, c: &mut Context, spec: &mut Spec) {
    let Some(table) = item.node.table() else {
        return report_error(c, &item.place, "a beam is a table", "give `from`, `to`, `section`, `elements`");
    };
    let before = c.diagnostics.len();
    let fields = c.fields(table, BEAM, &item.place, &[]);
    if c.diagnostics.len() > before {
        return;
    }
    let place = table.get("section").map_or(&item.place, |n| &n.place);
    let Some(found) = beam_from_fields(fields, &item.place, place, c) else { return };
    match placed(found, &item.part) {
        Ok(found) => drop(spec.beam(&item.name, found)),
        Err((what, help)) => report_error(c, &item.place, what, help),
    }
}

/// A beam from its resolved fields.
pub(super) fn beam_from_fields(
    mut fields: Map<String, Json>,
    place: &Place,
    of_section: &Place,
    c: &mut Context,
) -> Option<Beam> {
    let line = curve(&mut fields, place, c)?;
    fields.insert("curve".to_string(), line);
    let Some(Json::Object(given)) = fields.remove("section") else { return None };
    let found = section(given, of_section, c)?;
    fields.insert("section".to_string(), json!(found));
    if fields.get("element_type") == Some(&json!(ElementType::Variational)) {
        fields.entry("inertia_model").or_insert(json!(InertiaModel::Lumped));
    }
    deserialize::<Beam>(Json::Object(fields), place, c)
}

/// Three components; the third is zero if it is missing.
fn three_components(value: Option<Json>) -> Json {
    match value {
        Some(Json::Array(mut p)) => {
            p.resize(3, json!(0.0));
            Json::Array(p)
        }
        other => other.unwrap_or_default(),
    }
}

/// `from` and `to`, `arc`, or `points`.
fn curve(fields: &mut Map<String, Json>, place: &Place, c: &mut Context) -> Option<Json> {
    let given = [fields.remove("from"), fields.remove("to"), fields.remove("arc"), fields.remove("points")];
    match given {
        [Some(from), Some(to), None, None] => {
            Some(json!({ "straight": { "from": three_components(Some(from)), "to": three_components(Some(to)) } }))
        }
        [None, None, Some(Json::Object(mut arc)), None] => {
            for point in ["from", "centre"] {
                let full = three_components(arc.remove(point));
                arc.insert(point.to_string(), full);
            }
            arc.entry("axis").or_insert(json!([0.0, 0.0, 1.0]));
            Some(json!({ "arc": arc }))
        }
        [None, None, None, Some(Json::Array(points))] => {
            let count = |p: &Json| p.as_array().map_or(0, Vec::len);
            if points.iter().any(|p| !matches!(count(p), 2 | 3)) {
                report_error(c, place, "a point has 2 or 3 numbers", "points = [[0, 0, 0], [1, 0, 0.2], …]");
                return None;
            }
            Some(json!({ "points": points.into_iter().map(|p| three_components(Some(p))).collect::<Vec<_>>() }))
        }
        _ => {
            let help = "from = [0, 0, 0] and to = [1, 0, 0], or arc = { from, centre, angle }, or points = [[…], …]";
            report_error(c, place, "exactly one of `from` with `to`, `arc` and `points` must be given", help);
            None
        }
    }
}

/// The numbers of a section from its shape and material, or as they are given.
fn section(mut fields: Map<String, Json>, place: &Place, c: &mut Context) -> Option<Section> {
    let shape = fields.remove("shape");
    let shape = shape.as_ref().and_then(Json::as_str).unwrap_or_default();
    if shape == "general" {
        if let Some(Json::Array(inertia)) = fields.get_mut("inertia") {
            inertia.resize(6, json!(0.0));
        }
        return deserialize(Json::Object(fields), place, c);
    }
    let mut take = |name: &str| fields.remove(name);
    let (E, density) = (take("E").unwrap_or_default(), take("density").unwrap_or_default());
    let nu = match (take("nu"), take("G")) {
        (Some(nu), None) => nu,
        // Poisson's ratio from E and G.
        (None, Some(G)) => json!(0.5 * E.as_f64().unwrap_or(0.0) / G.as_f64().unwrap_or(1.0) - 1.0),
        (given, _) => {
            let found = if given.is_some() { "both are given" } else { "none is given" };
            report_error(c, place, &format!("`nu` or `G`: {found}"), "give one of them");
            return None;
        }
    };
    let (shear, centre) = (take("shear_factors"), take("centre"));
    let sizes: Map<String, Json> = ["width", "height", "radius", "wall_thickness"]
        .into_iter()
        .filter_map(|n| Some((n.to_string(), take(n)?)))
        .collect();
    let material: Material = deserialize(json!({ "E": E, "nu": nu, "density": density }), place, c)?;
    let form: SectionShape = deserialize(json!({ shape: sizes }), place, c)?;
    let shear: Option<[f64; 2]> = shear.and_then(|s| deserialize(s, place, c));
    let found = match Section::new(&material, &form, shear) {
        Ok(found) => found,
        Err(fault) => {
            report_error(c, place, &fault.to_string(), "give the sizes and constants of a real section");
            return None;
        }
    };
    let centre: [f64; 2] = centre.and_then(|p| deserialize(p, place, c)).unwrap_or_default();
    let found = Section { elastic_centre: centre, shear_centre: centre, mass_centre: centre, ..found };
    // The remaining fields are those of any section.
    let Json::Object(mut all) = json!(found) else { return None };
    all.extend(fields);
    deserialize(Json::Object(all), place, c)
}

/// A beam that moves with its part.
fn placed(mut beam: Beam, part: &PartPlacement) -> Result<Beam, (&'static str, &'static str)> {
    if part.placed == PlacementKind::AsWritten {
        return Ok(beam);
    }
    if !beam.node_states.is_empty() {
        return Err((
            "`node_states` are in world coordinates and do not move with a part",
            "define the beam outside the part",
        ));
    }
    let [_, x, y, _] = part.rotation;
    let tilted = x.abs().max(y.abs()) > 1e-12;
    if beam.space == MotionSpace::Planar && (tilted || part.position[2] != 0.0) {
        let help = "a part with planar beams can only move in the xy plane and rotate about z";
        return Err(("a planar beam would leave the xy plane", help));
    }
    if beam.section_y.is_none() && tilted {
        let help = "give section_y, for example [0, 1, 0], in the axes of the part";
        return Err(("the default direction of its section is horizontal in the world, but its part is tilted", help));
    }
    let turned = |v: &mut [f64; 3]| *v = rotate_vector(part.rotation, *v);
    let moved = |p: &mut [f64; 3]| {
        turned(p);
        *p = [0, 1, 2].map(|i| part.position[i] + p[i]);
    };
    match &mut beam.curve {
        Curve::Straight { from, to } => [from, to].into_iter().for_each(moved),
        Curve::Arc { from, centre, axis, .. } => {
            [from, centre].into_iter().for_each(moved);
            turned(axis);
        }
        Curve::Points(points) => points.iter_mut().for_each(moved),
    }
    beam.section_y.iter_mut().for_each(turned);
    turned(&mut beam.velocity);
    turned(&mut beam.angular_velocity);
    Ok(beam)
}
