//! Inputs, states and formulas of controllers.

use super::super::formula::invalid_name_reason;
use super::super::node::{Entry, Node};
use super::super::vocabulary::{ANY_QUANTITY, CONTROLLER_STATE};
use super::Context;
use crate::diagnostic::Diagnostic;
use serde_json::{Value as Json, json};

impl Context<'_> {
    /// The entries of a table by name; names that formulas cannot use are reported.
    fn named<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n [Entry]> {
        let Some(table) = node.table() else {
            self.report_type_mismatch(node, &format!("a table of {what} by name"));
            return None;
        };
        for Entry { key, place, .. } in &table.0 {
            if let Some(why) = invalid_name_reason(key) {
                self.report(Diagnostic::error(format!("`{key}` cannot be a name in formulas: {why}")).at(place));
            }
        }
        Some(&table.0)
    }

    /// Names with coordinates, or with `{ signal = SIGNAL }`.
    pub(super) fn inputs(&mut self, node: &Node) -> Option<Json> {
        let mut inputs = Vec::new();
        for Entry { key, node, .. } in self.named(node, "inputs")? {
            let signal =
                node.table().and_then(|t| t.get("signal")).filter(|_| node.table().is_some_and(|t| t.0.len() == 1));
            let of = match signal {
                Some(signal) => self.signal(signal, &ANY_QUANTITY, 0).map(|s| json!({ "signal": s })),
                None => self.coordinate(node).map(|m| json!({ "measure": m })),
            };
            inputs.push(json!({ "name": key, "of": of? }));
        }
        Some(Json::Array(inputs))
    }

    /// Names with `{ rate or next, initial }`.
    pub(super) fn controller_states(&mut self, node: &Node) -> Option<Json> {
        let mut states = Vec::new();
        for Entry { key, place, node } in self.named(node, "states")? {
            let mut state = self.table(node, CONTROLLER_STATE)?;
            if state.contains_key("rate") == state.contains_key("next") {
                let message = format!("state `{key}`: give either its `rate` or its `next` value");
                self.report(Diagnostic::error(message).at(place).help("{ rate = \"reference - s\", initial = 0 }"));
                return None;
            }
            state.insert("name".to_string(), json!(key));
            states.push(Json::Object(state));
        }
        Some(Json::Array(states))
    }
}
