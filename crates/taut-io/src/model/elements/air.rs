//! Air, polars, wings and discs.

use super::super::expand::Item;
use super::super::node::{Node, Table};
use super::super::resolve::Context;
use super::super::vocabulary::{AIR, DISCS, POLARS, WING};
use super::{deserialize, report_error};
use crate::model::c81;
use serde_json::{Map, Value as Json, json};
use std::path::Path;
use taut::Spec;
use taut::air::{Disc, Polar, Wing};

/// `[air]` at the top of the file.
pub(crate) fn air(top: &Table, c: &mut Context, spec: &mut Spec) {
    let Some(node) = top.get("air") else { return };
    c.element = "air".to_string();
    if let Some(fields) = c.table(node, AIR)
        && let Some(found) = deserialize(Json::Object(fields), &node.place, c)
    {
        spec.air(found);
    }
}

pub(super) fn polar(item: &Item, c: &mut Context, spec: &mut Spec) {
    let before = c.diagnostics.len();
    let Some((kind, mut fields)) = c.kind(&item.node, POLARS, "polar") else { return };
    if c.diagnostics.len() > before {
        return;
    }
    let found = match kind.name {
        "c81" => file_polar(item, c),
        name => {
            match name {
                "formula" => formulas_as_text(&mut fields),
                "table" => fields.values_mut().for_each(full_grid),
                _ => {}
            }
            fields.insert("type".to_string(), json!(name));
            deserialize::<Polar>(Json::Object(fields), &item.place, c)
        }
    };
    if let Some(found) = found {
        spec.polar(&item.name, found);
    }
}

/// Constant coefficients are formulas too.
fn formulas_as_text(fields: &mut Map<String, Json>) {
    for value in fields.values_mut() {
        if let Some(x) = value.as_f64() {
            *value = json!(format!("{x:?}"));
        }
    }
}

/// Without Mach numbers there is one value per angle.
fn full_grid(grid: &mut Json) {
    if grid.get("mach").is_none() {
        grid["mach"] = json!([0.0]);
    }
    if let Some(values) = grid.get_mut("values").and_then(Json::as_array_mut) {
        values.iter_mut().filter(|v| v.is_number()).for_each(|v| *v = json!([v.clone()]));
    }
}

fn file_polar(item: &Item, c: &mut Context) -> Option<Polar> {
    let node = item.node.table().and_then(|t| t.get("file"))?;
    let name = node.text()?;
    let path = node.place.source.path.parent().unwrap_or(Path::new("")).join(name);
    match c81::read(&path) {
        Ok(found) => Some(Polar::Table(found)),
        Err(what) => {
            let help = "a c81 file has a title, 6 counts, and tables of cl, cd, cm in columns of 7 characters";
            report_error(c, &node.place, &what, help);
            None
        }
    }
}

pub(super) fn wing(item: &Item, c: &mut Context, spec: &mut Spec) {
    let Some(mut fields) = table_of(&item.node, c, "give `on`, `from`, `to`, `chord`, `polar`") else { return };
    if let Some(x) = fields.get("control").and_then(Json::as_f64) {
        fields.insert("control".to_string(), json!(format!("{x:?}")));
    }
    for count in ["stations", "panels"] {
        if fields.get(count).and_then(Json::as_i64).is_some_and(|n| n < 1) {
            let message = format!("`{count}` is {}", fields[count]);
            let place = item.node.table().and_then(|t| t.get(count)).map_or(&item.place, |n| &n.place);
            return report_error(c, place, &message, "give 1 or more");
        }
    }
    if let Some(found) = deserialize::<Wing>(Json::Object(fields), &item.place, c) {
        spec.wing(&item.name, found);
    }
}

fn table_of(node: &Node, c: &mut Context, help: &str) -> Option<Map<String, Json>> {
    let Some(table) = node.table() else {
        report_error(c, &node.place, "a wing is a table", help);
        return None;
    };
    let before = c.diagnostics.len();
    let fields = c.fields(table, WING, &node.place, &[]);
    (c.diagnostics.len() == before).then_some(fields)
}

pub(super) fn disc(item: &Item, c: &mut Context, spec: &mut Spec) {
    let before = c.diagnostics.len();
    let Some((kind, mut fields)) = c.kind(&item.node, DISCS, "disc") else { return };
    if c.diagnostics.len() > before {
        return;
    }
    if fields.get("blades").and_then(Json::as_i64).is_some_and(|n| n < 1) {
        let place = item.node.table().and_then(|t| t.get("blades")).map_or(&item.place, |n| &n.place);
        return report_error(c, place, "a disc needs one blade or more", "leave `blades` out to count its wings");
    }
    fields.insert("type".to_string(), json!(kind.name));
    if let Some(found) = deserialize::<Disc>(Json::Object(fields), &item.place, c) {
        spec.disc(&item.name, found);
    }
}
