//! Table of joints, measures and signals by their full names.

use super::error_places::family;
use super::expand::{Expanded, Item, Section};
use super::formula::invalid_name_reason;
use super::resolve::{Context, NameTable, ScopedNode};
use crate::diagnostic::{Diagnostic, Place};
use std::collections::{BTreeMap, HashMap};
use taut::Spec;
use taut::constraints::ConstraintKind;

/// Builds the table of joints, measures and signals by their full names, and reports names that are used twice.
pub(super) fn build_name_table(all: &Expanded, spec: &Spec, findings: &mut Vec<Diagnostic>) -> NameTable {
    let mut register = NameTable::default();
    for constraint in &spec.constraints {
        if let ConstraintKind::Joint(j) = &constraint.item {
            register.joints.insert(constraint.name.clone(), ("joint".to_string(), j.a.clone(), j.b.clone()));
        }
    }
    let mut first: HashMap<(&str, &str), &Place> = HashMap::new();
    for item in &all.items {
        let Item { section, name, place, node, .. } = item;
        let own = name.rsplit('.').next().and_then(invalid_element_name_reason);
        if let Some(why) = own.or_else(|| name.split('.').find_map(invalid_name_part_reason)) {
            let article = if *section == Section::Events { "an" } else { "a" };
            let message = format!("`{name}` cannot name {article} {}: {why}", section.singular());
            findings.push(Diagnostic::error(message).at(place));
        }
        if let Some(other) = first.insert((family(*section), name), place) {
            let (line, _) = other.line_and_column();
            let message = format!("the name `{name}` is used twice; first in line {line}");
            findings.push(
                Diagnostic::error(message).at(place).help("joints, drivers and constraints share one set of names"),
            );
        }
        let text = |key: &str| node.table().and_then(|t| t.get(key)).and_then(|n| n.text()).unwrap_or_default();
        match section {
            Section::Joints => {
                let ends = (text("type").to_string(), item.part.marker(text("a")), item.part.marker(text("b")));
                register.joints.insert(name.clone(), ends);
            }
            Section::Bodies if text("type") == "generalised" => {
                let coordinates = node.table().and_then(|t| t.get("coordinates")).and_then(|n| n.table());
                for entry in coordinates.map(|t| t.0.as_slice()).unwrap_or_default() {
                    let unit = entry.node.table().and_then(|t| t.get("unit")).unwrap_or(&entry.node).text();
                    let unit = unit.unwrap_or_default().to_string();
                    register.generalised.insert(format!("{name}.{}", entry.key), unit);
                }
            }
            Section::Signals => {
                let scoped = ScopedNode { node: node.clone(), scope: item.scope.clone() };
                register.signals.insert(name.clone(), scoped);
            }
            _ => {}
        }
    }
    // Measures may refer to coordinates of joints, which are known by now.
    let (mut measures, mut formula_measures) = (Vec::new(), BTreeMap::new());
    for item in all.items.iter().filter(|i| i.section == Section::Measures) {
        if item.node.table().is_some_and(|t| t.get("formula").is_some()) {
            let scoped = ScopedNode { node: item.node.clone(), scope: item.scope.clone() };
            formula_measures.insert(item.name.clone(), scoped);
            continue;
        }
        let mut unsaid = Vec::new();
        let mut context = Context::new(item.scope.clone(), &item.part, &register, &mut unsaid);
        measures.extend(context.coordinate(&item.node).map(|m| (item.name.clone(), m)));
    }
    register.measures.extend(measures);
    register.formula_measures = formula_measures;
    register
}

/// References and columns are split at dots, so every part of a name must be a valid name.
fn invalid_name_part_reason(part: &str) -> Option<&'static str> {
    let fine = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if part.is_empty() {
        Some("two of its dots have nothing between them")
    } else if part.chars().all(fine) {
        None
    } else {
        Some("names consist of the letters a to z, A to Z, digits, `_` and `-`, with dots between them")
    }
}

fn invalid_element_name_reason(name: &str) -> Option<&'static str> {
    let plain: String = name.chars().map(|c| if c == '-' { '_' } else { c }).collect();
    match plain.as_str() {
        "s" | "rate" | "pi" | "e" => None,
        other => invalid_name_reason(other),
    }
}
