//! Motors and controllers.

use super::super::expand::Item;
use super::super::node::Node;
use super::super::resolve::{Context, ModelNames};
use super::deserialize;
use serde_json::{Map, Value as Json};
use taut::forces::{Controller, ControllerState, ForceKind, Motor};
use taut::{Measure, Signal};

/// A motor, a PID controller, or a controller by its formulas.
pub(super) fn force(kind: &str, mut fields: Map<String, Json>, item: &Item, c: &mut Context) -> Option<ForceKind> {
    let place = &item.place;
    let on = fields.remove("coordinate")?;
    match kind {
        "motor" => {
            fields.insert("coordinate".to_string(), on);
            deserialize::<Motor>(Json::Object(fields), place, c).map(ForceKind::from)
        }
        "pid" => {
            let on = deserialize::<Measure>(on, place, c)?;
            let reference = fields.remove("reference").and_then(|s| deserialize::<Signal>(s, place, c))?;
            let number = |key: &str| fields.get(key).and_then(Json::as_f64);
            let gains = ["kp", "ki", "kd"].map(|k| number(k).unwrap_or(0.0));
            let (lower, upper) = (number("lower"), number("upper"));
            // One limit alone serves too: which numbers stand there matters to the limits only.
            let limits = (lower.is_some() || upper.is_some()).then_some([-1.0, 1.0]);
            let mut pid = Controller::pid(on, reference, gains, limits);
            (pid.lower, pid.upper, pid.sample_time) = (lower, upper, number("sample_time"));
            Some(pid.into())
        }
        _ => controller(on, fields, item, c).map(ForceKind::from),
    }
}

fn controller(on: Json, mut fields: Map<String, Json>, item: &Item, c: &mut Context) -> Option<Controller> {
    let table = item.node.table()?;
    let inside = |key: &str| -> Vec<(String, &Node)> {
        let entries = table.get(key).and_then(Node::table).map(|t| t.0.as_slice()).unwrap_or_default();
        entries.iter().map(|e| (e.key.clone(), &e.node)).collect()
    };
    let (inputs, states) = (inside("inputs"), inside("states"));
    let own: Vec<String> = inputs.iter().chain(&states).map(|(name, _)| name.clone()).collect();
    let whole = c.element.clone();
    let law = |node: &Node, key: &str, more: &[&str], c: &mut Context| {
        c.element = format!("{whole}, {key}");
        let names: Vec<&str> = own.iter().map(String::as_str).chain(more.iter().copied()).collect();
        let found = c.formula(node, None, &names, ModelNames::All);
        c.element.clone_from(&whole);
        found
    };
    fields.remove("definitions");
    let output = law(table.get("output")?, "`output`", &["t", "s", "rate"], c)?;
    fields.insert("output".to_string(), Json::String(output));
    fields.insert("coordinate".to_string(), on);
    let mut found = deserialize::<Controller>(Json::Object(fields), &item.place, c)?;
    for (ControllerState { name, rate, next, .. }, (_, node)) in found.states.iter_mut().zip(&states) {
        for (key, formula) in [("rate", rate), ("next", next)] {
            if let (Some(text), Some(node)) = (formula, node.table().and_then(|t| t.get(key))) {
                *text = law(node, &format!("`{key}` of `{name}`"), &["t", "s", "rate", "output", "wanted"], c)?;
            }
        }
    }
    Some(found)
}
