//! Conditions and actions of events.

use super::super::node::{Node, Value};
use super::super::vocabulary::{ACTION_WORDS, ACTIONS, kind};
use super::Context;
use super::formulas::ModelNames;
use crate::diagnostic::{Diagnostic, did_you_mean};
use serde_json::{Map, Value as Json, json};

impl Context<'_> {
    /// A formula over t and names of the model.
    pub(super) fn event_expression(&mut self, node: &Node) -> Option<Json> {
        self.formula(node, None, &["t"], ModelNames::All).map(|f| json!(f))
    }

    /// The same, or a number: 3 is the same as "3".
    pub(super) fn event_expression_or_number(&mut self, node: &Node) -> Option<Json> {
        match node.value {
            Value::Number(x) if x.is_finite() => Some(json!(format!("{x:?}"))),
            _ => self.event_expression(node),
        }
    }

    /// `["record", { lock = "brake" }, "stop"]`, or one of them.
    pub(super) fn actions(&mut self, node: &Node) -> Option<Json> {
        let list = node.list().map_or(vec![node], |l| l.iter().collect());
        let all: Vec<Option<Json>> = list.into_iter().map(|n| self.action(n)).collect();
        all.into_iter().collect::<Option<Vec<_>>>().map(Json::Array)
    }

    fn action(&mut self, node: &Node) -> Option<Json> {
        let names: Vec<&str> = ACTIONS.iter().map(|k| k.name).collect();
        let or = format!(", or a table with one of {}", names.join(", "));
        if node.text().is_some() {
            return self.choice_or(node, ACTION_WORDS, &or);
        }
        let Some(table) = node.table() else {
            self.report_type_mismatch(node, "an action: \"stop\", \"record\", or a table such as { lock = \"brake\" }");
            return None;
        };
        let Some(action) = table.0.iter().find_map(|e| kind(ACTIONS, &e.key)) else {
            let hint = table.0.first().map_or(String::new(), |e| did_you_mean(&e.key, names.iter().copied()));
            let help = format!("one of {}, each in a table, or \"stop\", \"record\"", names.join(", "));
            self.report(Diagnostic::error(format!("unknown action{hint}")).at(&node.place).help(help));
            return None;
        };
        let mut found = self.table(node, action.fields)?;
        let about = found.remove(action.name).and_then(|n| n.as_str().map(str::to_string))?;
        let whole = format!("{}{about}", self.part.prefix);
        Some(match action.name {
            "lock" | "unlock" => json!({ action.name: { "constraint": whole } }),
            "set" => {
                // The value of a variable; `.value` may be omitted.
                let variable = if whole.contains('.') { whole } else { format!("{whole}.value") };
                json!({ "set": { "variable": variable, "to": found["to"] } })
            }
            "impulse_on_coordinate" => json!({ "push": { "coordinate": about, "impulse": found["impulse"] } }),
            _ => {
                let mut hit = Map::from_iter([("marker".to_string(), json!(about))]);
                hit.extend(found.remove("impulse").map(|p| ("force".to_string(), p)));
                hit.extend(found.remove("angular_impulse").map(|p| ("moment".to_string(), p)));
                hit.extend(found);
                json!({ "impulse": hit })
            }
        })
    }
}
