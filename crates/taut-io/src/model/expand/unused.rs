//! Names that nothing refers to.

use super::super::node::{Node, Table, Value};
use crate::diagnostic::Diagnostic;
use std::collections::HashSet;

/// Warns of parameters and signals that nothing refers to.
pub(super) fn warn_unused(root: &Table, params: &Table, findings: &mut Vec<Diagnostic>) {
    let mut words = HashSet::new();
    root.0.iter().for_each(|e| collect_words(&e.node, &mut words));
    let signals = root.get("signals").and_then(Node::table);
    let named =
        params.0.iter().map(|e| ("parameter", e)).chain(signals.iter().flat_map(|t| t.0.iter().map(|e| ("signal", e))));
    for (what, entry) in named {
        if !words.contains(&entry.key) {
            findings.push(Diagnostic::warning(format!("{what} `{}` is not used", entry.key)).at(&entry.place));
        }
    }
}

fn collect_words(node: &Node, words: &mut HashSet<String>) {
    match &node.value {
        Value::String(text) => {
            let cut = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'));
            words.extend(cut.map(str::to_string));
            let cut = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            words.extend(cut.map(str::to_string));
        }
        Value::List(list) => list.iter().for_each(|n| collect_words(n, words)),
        Value::Table(table) => table.0.iter().for_each(|e| collect_words(&e.node, words)),
        _ => {}
    }
}
