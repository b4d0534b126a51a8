//! Modal bodies: nodes with shapes, or a beam to be reduced.

use super::super::expand::{Item, PlacementKind};
use super::super::node::{Node, parse};
use super::super::resolve::Context;
use super::super::vocabulary::NODE;
use super::beams::beam_from_fields;
use super::placement::transform_rigid;
use super::{deserialize, report_error};
use crate::diagnostic::{Diagnostic, Source};
use serde_json::{Map, Value as Json, json};
use std::path::Path;
use std::sync::Arc;
use taut::RigidBody;
use taut::beams::MotionSpace;
use taut::bodies::Modal;

/// The body of an entry whose fields are resolved.
pub(super) fn modal(mut fields: Map<String, Json>, item: &Item, c: &mut Context) -> Option<Modal> {
    fields.remove("markers");
    let flexibility = match (fields.contains_key("beam"), nodes(&mut fields, item, c)?) {
        (true, None) => json!({ "beam": beam(&mut fields, item, c)? }),
        (false, Some(nodes)) => {
            if let Some(word) =
                ["boundary_conditions", "interface_nodes", "modes", "selected_modes", "added_masses", "marker_nodes"]
                    .iter()
                    .find(|w| fields.contains_key(**w))
            {
                report_error(c, &item.place, &format!("`{word}` needs `beam`"), "leave it out");
                return None;
            }
            json!({ "nodes": nodes })
        }
        (given, _) => {
            let found = if given { "two of them are given" } else { "none is given" };
            let help = "beam = { … } to be reduced, nodes = [ … ] with stiffness = [[…]], or file = \"shapes.toml\"";
            report_error(c, &item.place, &format!("`beam`, `nodes` or `file`: {found}"), help);
            return None;
        }
    };
    if !fields.contains_key("space")
        && let Some(space) = flexibility["beam"]["beam"].get("space")
    {
        fields.insert("space".to_string(), space.clone());
    }
    fields.insert("flexibility".to_string(), flexibility);
    for vector in ["position", "velocity"] {
        if let Some(Json::Array(x)) = fields.get_mut(vector) {
            x.resize(3, json!(0.0));
        }
    }
    match (fields.remove("damping"), fields.remove("damping_matrix")) {
        (Some(ratios), None) => drop(fields.insert("damping".to_string(), json!({ "ratios": ratios }))),
        (None, Some(matrix)) => drop(fields.insert("damping".to_string(), json!({ "matrix": matrix }))),
        (None, None) => {}
        _ => {
            report_error(c, &item.place, "both `damping` and `damping_matrix` are given", "keep one of them");
            return None;
        }
    }
    let body: Modal = deserialize(Json::Object(fields), &item.place, c)?;
    placed(body, item, c)
}

/// A body that moves with its part.
fn placed(mut body: Modal, item: &Item, c: &mut Context) -> Option<Modal> {
    if item.part.placed == PlacementKind::AsWritten {
        return Some(body);
    }
    let [_, x, y, _] = item.part.rotation;
    if body.space == MotionSpace::Planar && (x.abs().max(y.abs()) > 1e-12 || item.part.position[2] != 0.0) {
        let help = "a part with planar bodies can only move in the xy plane and rotate about z";
        report_error(c, &item.place, "a planar modal body would leave the xy plane", help);
        return None;
    }
    let frame = RigidBody {
        position: body.position,
        orientation: body.orientation,
        velocity: body.velocity,
        angular_velocity: body.angular_velocity,
        ..RigidBody::default()
    };
    let frame = transform_rigid(frame, &item.part);
    (body.position, body.orientation) = (frame.position, frame.orientation);
    (body.velocity, body.angular_velocity) = (frame.velocity, frame.angular_velocity);
    Some(body)
}

/// A list of whole numbers; other values are reported.
fn whole_numbers(list: Option<Json>, what: &str, item: &Item, c: &mut Context) -> Option<Vec<usize>> {
    let numbers: Vec<f64> = list.and_then(|l| serde_json::from_value(l).ok()).unwrap_or_default();
    if numbers.iter().any(|x| *x < 0.0 || x.fract() != 0.0 || *x > 1e9) {
        report_error(c, &item.place, &format!("`{what}` must be whole numbers"), &format!("{what} = [0, 4, 8]"));
        return None;
    }
    Some(numbers.into_iter().map(|x| x as usize).collect())
}

/// A beam and the data of its reduction.
fn beam(fields: &mut Map<String, Json>, item: &Item, c: &mut Context) -> Option<Json> {
    let place = item.node.table().and_then(|t| t.get("beam")).map_or(&item.place, |n| &n.place);
    let Some(Json::Object(given)) = fields.remove("beam") else { return None };
    let beam = beam_from_fields(given, place, place, c)?;
    let held = match (fields.remove("boundary_conditions"), fields.remove("interface_nodes")) {
        (Some(word), None) => word,
        (None, Some(nodes)) => json!({ "interface": whole_numbers(Some(nodes), "interface_nodes", item, c)? }),
        (given, _) => {
            let found = if given.is_some() { "both are given" } else { "none is given" };
            let help = "boundary_conditions = \"cantilever\", \"pinned\" or \"clamped\", or interface_nodes = [0, 40]";
            report_error(c, &item.place, &format!("`boundary_conditions` or `interface_nodes`: {found}"), help);
            return None;
        }
    };
    let modes = match (fields.remove("modes"), fields.remove("selected_modes")) {
        (Some(count), None) => json!({ "first": count }),
        (None, Some(list)) => json!({ "only": whole_numbers(Some(list), "selected_modes", item, c)? }),
        (given, _) => {
            let found = if given.is_some() { "both are given" } else { "none is given" };
            report_error(
                c,
                &item.place,
                &format!("`modes` or `selected_modes`: {found}"),
                "modes = 3, or selected_modes = [1, 2, 9]",
            );
            return None;
        }
    };
    let mut added = Vec::new();
    for pair in fields.remove("added_masses").and_then(|a| a.as_array().cloned()).unwrap_or_default() {
        let given: Vec<f64> = serde_json::from_value(pair).unwrap_or_default();
        let (node, mass, inertia) = match given[..] {
            [node, mass] => (node, mass, [0.0; 3]),
            [node, mass, xx, yy, zz] => (node, mass, [xx, yy, zz]),
            _ => {
                let what = "an entry of `added_masses` has node and mass, or node, mass and three moments of inertia";
                report_error(c, &item.place, what, "added_masses = [[20, 0.5]], in kg and kg m^2");
                return None;
            }
        };
        let node = whole_numbers(Some(json!([node])), "added_masses", item, c)?[0];
        added.push(json!({ "node": node, "mass": mass, "inertia": inertia }));
    }
    let shown = whole_numbers(fields.remove("marker_nodes"), "marker_nodes", item, c)?;
    Some(json!({ "beam": beam, "held": held, "modes": modes, "added": added, "shown": shown }))
}

/// Nodes and stiffness from the entry or a file; none if neither is given.
fn nodes(fields: &mut Map<String, Json>, item: &Item, c: &mut Context) -> Option<Option<Json>> {
    let (inline, stiffness) = (fields.remove("nodes"), fields.remove("stiffness"));
    let file = fields.remove("file");
    let table = item.node.table();
    match (inline, file.as_ref().and_then(Json::as_str)) {
        (None, None) => Some(None),
        (Some(_), None) => {
            let list = resolved(table.and_then(|t| t.get("nodes"))?, c)?;
            Some(Some(json!({ "nodes": list, "stiffness": stiffness.unwrap_or(json!([])) })))
        }
        (None, Some(file)) if stiffness.is_none() => {
            let place = table.and_then(|t| t.get("file")).map_or(&item.place, |n| &n.place);
            let path = place.source.path.parent().unwrap_or(Path::new("")).join(file);
            match read(&path, c) {
                Ok(found) => Some(Some(found?)),
                Err(why) => {
                    let finding = Diagnostic::error(format!("{}, `file`: {why}", c.element)).at(place);
                    c.diagnostics.push(finding.help(
                        "it must be a TOML or JSON file with `nodes` and `stiffness`; its path is relative to the folder of this file",
                    ));
                    None
                }
            }
        }
        _ => {
            report_error(c, &item.place, "both `file` and `nodes` or `stiffness` are given", "keep one of them");
            None
        }
    }
}

/// The entries of a list of nodes.
fn resolved(list: &Node, c: &mut Context) -> Option<Vec<Json>> {
    let Some(entries) = list.list() else {
        report_error(
            c,
            &list.place,
            "`nodes` must be a list of tables",
            "nodes = [{ at = [0, 0, 0], mass = 1, phi = [[0, 1, 0]] }]",
        );
        return None;
    };
    let before = c.diagnostics.len();
    let mut all = Vec::with_capacity(entries.len());
    for entry in entries {
        let Some(table) = entry.table() else {
            report_error(c, &entry.place, "a node is a table", "{ at = [0, 0, 0], mass = 1, phi = [[0, 1, 0]] }");
            return None;
        };
        let mut fields = c.fields(table, NODE, &entry.place, &[]);
        for (name, size) in [("at", 3), ("inertia", 6)] {
            if let Some(Json::Array(x)) = fields.get_mut(name) {
                x.resize(size, json!(0.0));
            }
        }
        all.push(Json::Object(fields));
    }
    (c.diagnostics.len() == before).then_some(all)
}

/// A file with nodes and stiffness, with the keywords of a model file.
fn read(path: &Path, c: &mut Context) -> Result<Option<Json>, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let text = crate::regular_file::read_text(path).map_err(|e| format!("cannot read `{name}`: {e}"))?;
    if path.extension().is_some_and(|e| e == "json") {
        return serde_json::from_str(&text).map(Some).map_err(|e| format!("`{name}`: {e}"));
    }
    let source = Arc::new(Source { path: path.to_path_buf(), text });
    let table = match parse(&source) {
        Ok(table) => table,
        Err(mut findings) => {
            c.diagnostics.append(&mut findings);
            return Ok(None);
        }
    };
    let list = table.get("nodes").ok_or_else(|| format!("`{name}` has no `nodes`"))?;
    let stiffness = table.get("stiffness").ok_or_else(|| format!("`{name}` has no `stiffness`"))?;
    let rows =
        c.resolve(super::super::vocabulary::FieldType::NumberLists(super::super::vocabulary::ANY_QUANTITY), stiffness);
    let (Some(list), Some(rows)) = (resolved(list, c), rows) else { return Ok(None) };
    Ok(Some(json!({ "nodes": list, "stiffness": rows })))
}
