//! Events, and what waits for them.

use super::super::expand::{Item, PlacementKind};
use super::super::resolve::Context;
use super::super::vocabulary::EVENT;
use super::{deserialize, report_error};
use serde_json::{Map, Value as Json, json};
use taut::events::Trigger;
use taut::{Action, ImpulseAxes, Spec};

pub(super) fn event(item: &Item, c: &mut Context, spec: &mut Spec) {
    let Some(table) = item.node.table() else {
        return report_error(c, &item.place, "an event is a table", "give `when` and `actions`");
    };
    let before = c.diagnostics.len();
    let mut fields = c.fields(table, EVENT, &item.place, &[]);
    if c.diagnostics.len() > before {
        return;
    }
    fields.remove("definitions");
    let actions = fields.remove("actions").unwrap_or(json!([]));
    fields.insert("actions".to_string(), actions);
    let Some(trigger) = deserialize::<Trigger>(Json::Object(fields), &item.place, c) else { return };
    let world = |d: &Action| matches!(d, Action::Impulse { axes: ImpulseAxes::World, .. });
    if item.part.placed == PlacementKind::Rotated && trigger.actions.iter().any(world) {
        let help = "give axes = \"marker\", or define the event outside the part";
        return report_error(c, &item.place, "an impulse in world axes would not rotate with its part", help);
    }
    spec.event(&item.name, trigger);
}

/// `initially = "unlocked"` of a constraint.
pub(super) fn apply_initially_unlocked(fields: &mut Map<String, Json>, item: &Item, spec: &mut Spec) {
    if fields.remove("initially").is_some_and(|s| s == "unlocked") {
        spec.unlocked(&item.name);
        // A screw is a joint and its thread.
        if item.node.table().and_then(|t| t.get("type")).and_then(|n| n.text()) == Some("screw") {
            spec.unlocked(&format!("{}.thread", item.name));
        }
    }
}
