//! Overrides: `--set link2.mass=3`.

use super::super::Override;
use super::super::imports;
use super::super::node::{self, Node, Table, Value};
use super::{Expanded, Item, Section};
use crate::diagnostic::{Diagnostic, Place, Source, did_you_mean};
use std::path::PathBuf;
use std::sync::Arc;

/// A value given on the command line: parsed as TOML if possible, otherwise a string.
fn override_value(change: &Override) -> Node {
    let text = format!("--set {}={}", change.path, change.value);
    let span = text.len() - change.value.len()..text.len();
    let source = Arc::new(Source { path: PathBuf::from("command line"), text });
    let place = Place { source, span };
    let alone = Arc::new(Source { path: PathBuf::from("command line"), text: format!("x = {}", change.value) });
    let value = node::parse(&alone).ok().and_then(|mut t| t.take("x")).map(|e| e.node.value);
    Node { value: value.unwrap_or(Value::String(change.value.clone())), place }
}

/// Overrides of parameters, settings, outputs, initial values and gravity.
pub(super) fn override_top(root: &mut Table, overrides: &[Override], findings: &mut Vec<Diagnostic>) {
    for change in overrides {
        let node = override_value(change);
        let (section, key) = match change.path.split_once('.') {
            None if change.path == "gravity" || change.path == "title" => {
                root.set(&change.path, node);
                continue;
            }
            None => ("params", change.path.as_str()),
            Some((section @ ("params" | "settings" | "outputs" | "start"), key)) => (section, key),
            Some(("parts", rest)) => {
                let keys: Vec<&str> = rest.split('.').collect();
                let parts = root.0.iter_mut().find(|e| e.key == "parts");
                if !parts.is_some_and(|e| set_field(&mut e.node, &keys, &node)) {
                    let message = format!("there is no `{}` to set", change.path);
                    let help = "write parts.NAME.params.PARAMETER=…";
                    findings.push(Diagnostic::error(message).at(&node.place).help(help));
                }
                continue;
            }
            Some(_) => continue,
        };
        let place = node.place.clone();
        if root.get(section).is_none() {
            root.set(section, Node { value: Value::Table(Table::default()), place: place.clone() });
        }
        let entry = root.0.iter_mut().find(|e| e.key == section);
        let Some(Value::Table(table)) = entry.map(|e| &mut e.node.value) else { continue };
        if section == "params" && table.get(key).is_none() {
            let hint = did_you_mean(key, table.0.iter().map(|e| e.key.as_str()));
            let message = format!("there is no parameter `{key}` to set{hint}");
            let help = "write element.field to set a field of an element, as in link2.mass=3";
            findings.push(Diagnostic::error(message).at(&place).help(help));
            continue;
        }
        // `elbow.angle` of [start] is one name; without quotes the file has tables within each other.
        let keys: Vec<&str> = key.split('.').collect();
        let within = keys.len() > 1 && table.get(keys[0]).is_some();
        if within && table.0.iter_mut().any(|e| e.key == keys[0] && set_field(&mut e.node, &keys[1..], &node)) {
            continue;
        }
        table.set(key, node);
        // `duration` and `end_time` replace each other.
        match (section, key) {
            ("settings", "duration") => drop(table.take("end_time")),
            ("settings", "end_time") => drop(table.take("duration")),
            _ => {}
        }
    }
}

/// Overrides of fields of elements, after repetitions and parts are expanded.
pub(super) fn override_elements(out: &mut Expanded, overrides: &[Override]) {
    for change in overrides {
        let Some((head, rest)) = change.path.split_once('.') else { continue };
        if matches!(head, "params" | "settings" | "outputs" | "start" | "parts") {
            continue;
        }
        let family = Section::ALL.into_iter().find(|s| s.key() == head);
        let (name, field) = match family {
            // The name of a marker has a dot in it: body.marker.
            Some(Section::Markers) => {
                let end = rest.match_indices('.').nth(1).map_or(rest.len(), |(i, _)| i);
                (&rest[..end], rest[end..].trim_start_matches('.'))
            }
            Some(_) => rest.split_once('.').unwrap_or((rest, "")),
            None => (head, rest),
        };
        let node = override_value(change);
        let fits = |i: &&mut Item| i.name == name && family.is_none_or(|s| s == i.section);
        if !out.items.iter().any(|i| i.name == name && family.is_none_or(|s| s == i.section)) {
            let scope = out.scope.clone();
            let mut robots = out.imported.iter_mut();
            if let (Ok(x), true) = (scope.any(&node), family.is_none_or(|s| s == Section::Bodies))
                && robots.any(|(import, _)| imports::set(&mut import.spec, name, field, x.value))
            {
                continue;
            }
        }
        let Some(item) = out.items.iter_mut().find(fits) else {
            let hint = did_you_mean(name, out.items.iter().map(|i| i.name.as_str()));
            let message = format!("there is no element `{name}` to set{hint}");
            out.diagnostics.push(Diagnostic::error(message).at(&node.place));
            continue;
        };
        if field.is_empty() {
            item.node = node;
            continue;
        }
        let keys: Vec<&str> = field.split('.').collect();
        if !set_field(&mut item.node, &keys, &node) {
            out.diagnostics.push(Diagnostic::error(format!("`{}` cannot be set", change.path)).at(&node.place));
        }
    }
}

/// Sets the field at a path of keys; an entry of a list has its number, from 0, as key. False if there is no such table or
/// entry.
fn set_field(target: &mut Node, keys: &[&str], node: &Node) -> bool {
    let Some((first, rest)) = keys.split_first() else { return false };
    match &mut target.value {
        Value::Table(table) if rest.is_empty() => {
            table.set(first, node.clone());
            true
        }
        Value::Table(table) => {
            table.0.iter_mut().find(|e| e.key == *first).is_some_and(|e| set_field(&mut e.node, rest, node))
        }
        Value::List(list) => match first.parse::<usize>().ok().and_then(|i| list.get_mut(i)) {
            Some(entry) if rest.is_empty() => {
                *entry = node.clone();
                true
            }
            Some(entry) => set_field(entry, rest, node),
            None => false,
        },
        _ => false,
    }
}
