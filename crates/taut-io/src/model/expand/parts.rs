//! Parts and repetitions.

use super::super::formula::{identifiers, invalid_name_reason};
use super::super::imports;
use super::super::node::{Entry, Node, Table, Value};
use super::super::resolve::{Context, NameTable, quaternion_product};
use super::super::scope::Scope;
use super::super::vocabulary::{PART, REPEAT};
use super::load::{canonical, check_top, load, open};
use super::{Expanded, MAX_ELEMENTS, PartPlacement, PlacementKind, ROOT_PART, Section, elements};
use crate::diagnostic::{Diagnostic, Place};
use std::path::PathBuf;
use std::sync::Arc;

/// Largest number of parts; more are assumed to be a mistake.
const MAX_PARTS: usize = 20_000;

/// Adds another file as a part of this one.
pub(super) fn add_part(
    entry: &Entry,
    scope: &Arc<Scope>,
    outer: &Arc<PartPlacement>,
    stack: &mut Vec<PathBuf>,
    out: &mut Expanded,
) {
    out.expansions += 1;
    if out.expansions >= MAX_PARTS {
        if out.expansions == MAX_PARTS {
            let message = format!("more than {MAX_PARTS} parts");
            out.diagnostics.push(Diagnostic::error(message).at(&entry.place).help("parts within parts multiply"));
        }
        return;
    }
    let Some(table) = entry.node.table() else {
        out.diagnostics
            .push(Diagnostic::error(format!("part `{}` must be a table with `file`", entry.key)).at(&entry.place));
        return;
    };
    let register = NameTable::default();
    let mut context = Context::new(scope.clone(), &ROOT_PART, &register, &mut out.diagnostics);
    context.element = format!("part `{}`", entry.key);
    let fields = context.fields(table, PART, &entry.place, &[]);
    let vector = |key: &str| fields.get(key).and_then(|v| serde_json::from_value::<Vec<f64>>(v.clone()).ok());
    let p = vector("position").unwrap_or_default();
    let orientation =
        fields.get("orientation").and_then(|o| serde_json::from_value::<taut::Orientation>(o.clone()).ok());
    let rotation = orientation.as_ref().map_or(Ok(None), |o| o.matrix().map(Some));
    let rotation = match rotation {
        Ok(R) => R,
        Err(why) => {
            out.diagnostics.push(Diagnostic::error(format!("part `{}`: {why}", entry.key)).at(&entry.place));
            None
        }
    };
    let Some(Node { place, value: Value::String(name) }) = table.get("file") else { return };
    let here = place.source.path.clone();
    let Some((text, full)) = open(name, &here, place, stack, &mut out.diagnostics) else { return };
    let placed = match (rotation.is_some(), p.is_empty(), outer.placed) {
        (true, _, _) | (_, _, PlacementKind::Rotated) => PlacementKind::Rotated,
        (false, true, outer) => outer,
        (false, false, _) => PlacementKind::Translated,
    };
    let own = [p.first(), p.get(1), p.get(2)].map(|x| x.copied().unwrap_or(0.0));
    let q = rotation.map_or([1.0, 0.0, 0.0, 0.0], |R| taut::motion::quaternion_of_rotation(&R));
    let moved = super::super::elements::rotate_vector(outer.rotation, own);
    let part = Arc::new(PartPlacement {
        prefix: format!("{}{}_", outer.prefix, entry.key),
        placed,
        position: [0, 1, 2].map(|i| outer.position[i] + moved[i]),
        rotation: quaternion_product(outer.rotation, q),
    });
    if part.placed != PlacementKind::AsWritten {
        out.parts.push(part.clone());
    }
    if let Some(read) = imports::reader(&full) {
        match read(&text, &full) {
            Ok(found) => out.imported.push((found, part)),
            Err(finding) => out.diagnostics.push(finding),
        }
        return;
    }
    stack.push(canonical(&full));
    if let Some((mut root, imported)) = load(&text, &full, stack, &mut out.diagnostics) {
        check_top(&root, &mut out.diagnostics);
        replace_params(&mut root, table, scope, &entry.key, &mut out.diagnostics);
        let empty = Table::default();
        let inner = root.get("params").and_then(Node::table).unwrap_or(&empty);
        let scope = Arc::new(Scope::of_params(inner, &mut out.diagnostics));
        out.imported.extend(imported.into_iter().map(|i| (i, part.clone())));
        elements(&root, &scope, &part, stack, out);
    }
    stack.pop();
}

/// `params = { … }` of a part replaces parameters of its file; the values are evaluated in the file that gives them.
fn replace_params(root: &mut Table, part: &Table, scope: &Arc<Scope>, name: &str, findings: &mut Vec<Diagnostic>) {
    let Some(given) = part.get("params").and_then(Node::table) else { return };
    for Entry { key, place, node } in &given.0 {
        let inner = root.0.iter_mut().find(|e| e.key == "params").and_then(|e| match &mut e.node.value {
            Value::Table(t) => Some(t),
            _ => None,
        });
        match inner {
            Some(params) if params.get(key).is_some() => match scope.evaluated(node) {
                Ok(value) => params.set(key, Node { value, place: place.clone() }),
                Err(finding) => findings.push(finding),
            },
            _ => {
                let message = format!("the file of part `{name}` has no parameter `{key}`");
                findings.push(Diagnostic::error(message).at(place));
            }
        }
    }
}

/// Adds the same elements for every value of a counter.
pub(super) fn repeat(
    node: &Node,
    scope: &Arc<Scope>,
    part: &Arc<PartPlacement>,
    stack: &mut Vec<PathBuf>,
    out: &mut Expanded,
) {
    let Some(table) = node.table() else {
        out.diagnostics.push(Diagnostic::error("every [[repeat]] must be a table").at(&node.place));
        return;
    };
    let register = NameTable::default();
    let mut context = Context::new(scope.clone(), &ROOT_PART, &register, &mut out.diagnostics);
    context.element = "[[repeat]]".to_string();
    let sections: Vec<&str> = Section::ALL.iter().map(|s| s.key()).chain(["parts", "repeat"]).collect();
    let fields = context.fields(table, REPEAT, &node.place, &sections);
    let whole = |key: &str| fields.get(key).and_then(serde_json::Value::as_i64);
    let (Some(counter), Some(last)) = (fields.get("for").and_then(|v| v.as_str()), whole("to")) else { return };
    if let Some(why) = invalid_name_reason(counter) {
        out.diagnostics.push(Diagnostic::error(format!("`{counter}` cannot be a counter: {why}")).at(&node.place));
        return;
    }
    let first = whole("from").unwrap_or(0);
    let template: usize = table.0.iter().filter_map(|e| e.node.table()).map(|t| t.0.len()).sum();
    let turns = usize::try_from(last - first + 1).unwrap_or(0);
    for i in first..=last {
        out.expansions += 1;
        if out.items.len().max(out.expansions).max(turns.saturating_mul(template.max(1))) >= MAX_ELEMENTS {
            let message = format!("more than {MAX_ELEMENTS} elements");
            out.diagnostics.push(Diagnostic::error(message).at(&node.place).help("check `to` of the repetition"));
            return;
        }
        let inner = Arc::new(Scope::with(scope, counter, i as f64));
        let before = out.diagnostics.len();
        let filled = substitute_braces_in_table(table, &inner, &mut out.diagnostics);
        elements(&filled, &inner, part, stack, out);
        // Errors of one repetition are not repeated for the others.
        if out.diagnostics.len() > before {
            return;
        }
    }
}

/// Replaces `{i}` in keys and texts.
fn substitute_braces_in_table(table: &Table, scope: &Arc<Scope>, findings: &mut Vec<Diagnostic>) -> Table {
    let entries = table.0.iter().map(|Entry { key, place, node }| Entry {
        key: substitute_braces(key, place, scope, findings),
        place: place.clone(),
        node: substitute_braces_in_node(node, scope, findings),
    });
    Table(entries.collect())
}

pub(super) fn substitute_braces_in_node(node: &Node, scope: &Arc<Scope>, findings: &mut Vec<Diagnostic>) -> Node {
    let value = match &node.value {
        Value::String(text) => Value::String(substitute_braces(text, &node.place, scope, findings)),
        Value::List(list) => Value::List(list.iter().map(|n| substitute_braces_in_node(n, scope, findings)).collect()),
        Value::Table(table) => Value::Table(substitute_braces_in_table(table, scope, findings)),
        other => other.clone(),
    };
    Node { value, place: node.place.clone() }
}

pub(super) fn substitute_braces(
    text: &str,
    place: &Place,
    scope: &Arc<Scope>,
    findings: &mut Vec<Diagnostic>,
) -> String {
    if !text.contains('{') {
        return text.to_string();
    }
    let (mut filled, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('{') {
        let Some((inner, behind)) = after.split_once('}') else { break };
        filled.push_str(before);
        let node = Node { value: Value::String(inner.to_string()), place: place.clone() };
        match scope.whole(&node) {
            Ok(n) => filled.push_str(&n.to_string()),
            // The counter of an inner repetition is replaced there.
            Err(_) if identifiers(inner).iter().any(|name| scope.get(name).is_none()) => {
                filled.push_str(&format!("{{{inner}}}"));
            }
            Err(finding) => {
                let message = format!("`{{{inner}}}` in `{text}`: {}", finding.message);
                findings.push(Diagnostic { message, ..finding });
            }
        }
        rest = behind;
    }
    filled.push_str(rest);
    filled
}
