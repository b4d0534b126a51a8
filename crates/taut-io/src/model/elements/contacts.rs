//! Surfaces and contacts.

use super::super::expand::Item;
use super::super::resolve::Context;
use super::super::vocabulary::{CONTACT, SURFACES};
use super::unilateral::impact;
use super::{deserialize, report_error};
use crate::diagnostic::Diagnostic;
use crate::mesh;
use serde_json::{Map, Value as Json, json};
use std::path::Path;
use taut::Spec;
use taut::contacts::{ContactRule, HuntCrossley, RigidContact, Surface};

pub(super) fn surface(item: &Item, c: &mut Context, spec: &mut Spec) {
    let before = c.diagnostics.len();
    let Some((kind, mut fields)) = c.kind_by("shape", &item.node, SURFACES, "surface") else { return };
    if c.diagnostics.len() > before || from_file(kind.name, &mut fields, item, c).is_none() {
        return;
    }
    for needed in kind.fields.iter().filter(|f| matches!(f.name, "points" | "triangles")) {
        if !fields.contains_key(needed.name) {
            let help = "give them here, or `file` = the name of an STL, OBJ or glTF file";
            return report_error(c, &item.place, &format!("`{}` is missing", needed.name), help);
        }
    }
    fields.insert("shape".to_string(), json!(kind.name));
    if let Some(surface) = deserialize::<Surface>(Json::Object(fields), &item.place, c) {
        spec.surface(&item.name, surface);
    }
}

/// Reads points and triangles from a file, if one is given.
fn from_file(kind: &str, fields: &mut Map<String, Json>, item: &Item, c: &mut Context) -> Option<()> {
    let (file, scale) = (fields.remove("file"), fields.remove("scale").and_then(|x| x.as_f64()));
    let Some(file) = file.as_ref().and_then(Json::as_str) else {
        if scale.is_some() {
            report_error(c, &item.place, "`scale` needs `file`", "give the points in metres, or with units");
            return None;
        }
        return Some(());
    };
    let node = item.node.table().and_then(|t| t.get("file"));
    let place = node.map_or(&item.place, |n| &n.place);
    if fields.contains_key("points") || fields.contains_key("triangles") {
        report_error(c, place, "both `file` and `points` or `triangles` are given", "keep one of them");
        return None;
    }
    let path = place.source.path.parent().unwrap_or(Path::new("")).join(file);
    match mesh::read(&path) {
        Ok(found) => {
            let scale = scale.unwrap_or(1.0);
            let points: Vec<[f64; 3]> = found.points.iter().map(|p| p.map(|x| scale * x)).collect();
            fields.insert("points".to_string(), json!(points));
            if kind == "mesh" {
                fields.insert("triangles".to_string(), json!(found.triangles));
            }
            Some(())
        }
        Err(why) => {
            let finding = Diagnostic::error(format!("{}, `file`: {why}", c.element)).at(place);
            c.diagnostics.push(finding.help(
                "the file must be STL (text or binary), OBJ or glTF; its path is relative to the folder of this file",
            ));
            None
        }
    }
}

pub(super) fn contact(item: &Item, c: &mut Context, spec: &mut Spec) {
    let Some(table) = item.node.table() else {
        return report_error(
            c,
            &item.place,
            "a contact is a table",
            "give `between` or `groups`, `friction`, `restitution`",
        );
    };
    let before = c.diagnostics.len();
    let mut fields = c.fields(table, CONTACT, &item.place, &[]);
    if c.diagnostics.len() > before {
        return;
    }
    let between = match (fields.remove("between"), fields.remove("groups")) {
        (Some(one), None) | (None, Some(one)) => one,
        (given, _) => {
            let found = if given.is_some() { "both are given" } else { "none is given" };
            let help = "between = [\"ball\", \"floor\"], between = \"all\", or groups = [\"balls\", \"walls\"]";
            return report_error(c, &item.place, &format!("which surfaces? `between` or `groups`: {found}"), help);
        }
    };
    if let Some(Json::Object(mut soft)) = fields.remove("compliant") {
        let place = table.get("compliant").map_or(&item.place, |n| &n.place);
        soft.extend(fields.remove("friction").map(|f| ("friction".to_string(), f)));
        if let Some(other) = fields.keys().next() {
            let help = "a compliant contact has no impacts: use `dissipation` instead of restitution";
            return report_error(c, place, &format!("`compliant` and `{other}` are both given"), help);
        }
        let Some(between) = deserialize(between, place, c) else { return };
        if let Some(soft) = deserialize::<HuntCrossley>(Json::Object(soft), place, c) {
            spec.contact(&item.name, ContactRule { between, kind: soft.into() });
        }
        return;
    }
    impact(&mut fields);
    fields.entry("friction").or_insert(json!({ "stick": 0.0, "slip": 0.0 }));
    let place = &item.place;
    let Some(between) = deserialize(between, place, c) else { return };
    if let Some(rigid) = deserialize::<RigidContact>(Json::Object(fields), place, c) {
        spec.contact(&item.name, ContactRule { between, kind: rigid.into() });
    }
}
