//! Functions of time, force laws.

use super::super::columns::{self, RequestedColumn};
use super::super::formula::{identifiers, is_quantity};
use super::super::node::{Node, Value};
use super::super::scope::ExpectedQuantity;
use super::super::vocabulary::{ANY_QUANTITY, EFFORT, ElementKind, FieldType, LAWS, SIGNALS, TIME};
use super::formulas::ModelNames;
use super::{Context, ScopedNode};
use crate::diagnostic::{Diagnostic, did_you_mean};
use serde_json::{Map, Value as Json, json};
use std::path::Path;

/// Variables of force laws.
const LAW_VARIABLES: &[&str] = &["s", "rate", "t"];

impl Context<'_> {
    /// A number, a formula in t, a named signal, or a table with a type.
    pub fn signal(&mut self, node: &Node, requested: &ExpectedQuantity, depth: usize) -> Option<Json> {
        match &node.value {
            Value::Number(x) => Some(json!(x)),
            Value::String(text) => {
                let named = self.register.signals.get(&format!("{}{text}", self.part.prefix)).cloned();
                if let Some(ScopedNode { node: inner, scope }) = named {
                    if depth > 20 {
                        self.report(Diagnostic::error(format!("signal `{text}` refers to itself")).at(&node.place));
                        return None;
                    }
                    let outer = std::mem::replace(&mut self.scope, scope);
                    let locals = std::mem::take(&mut self.locals);
                    let found = self.signal(&inner, requested, depth + 1);
                    (self.scope, self.locals) = (outer, locals);
                    return found;
                }
                let before = self.diagnostics.len();
                let found = self.formula_or_number(node, text, requested);
                let signals = self.register.signals.keys().filter_map(|n| n.strip_prefix(self.part.prefix.as_str()));
                let hint = did_you_mean(text, signals);
                let unknown =
                    self.diagnostics[before..].first_mut().filter(|finding| finding.message.contains("unknown name"));
                if let (Some(finding), false) = (unknown, hint.is_empty()) {
                    finding.help = Some(format!("or one of [signals]{hint}"));
                }
                found
            }
            Value::Table(_) => {
                let before = self.diagnostics.len();
                let (kind, mut fields) = self.kind(node, SIGNALS, "signal")?;
                fields.insert("type".to_string(), json!(kind.name));
                if self.diagnostics.len() == before && *requested != ANY_QUANTITY {
                    self.check_signal_units(kind, node, requested);
                }
                if kind.name == "expression" {
                    let formula = node.table().and_then(|t| t.get("formula"))?;
                    fields.insert(
                        "formula".to_string(),
                        json!(self.formula(formula, Some(requested), &["t"], ModelNames::Signals)?),
                    );
                }
                if kind.name == "table" {
                    self.points_of_file(node, requested, &mut fields)?;
                }
                Some(Json::Object(fields))
            }
            _ => {
                self.report_type_mismatch(node, "a signal: a number, a formula in t, or a table with a type");
                None
            }
        }
    }

    /// Checks that the values of a signal have the expected dimension.
    fn check_signal_units(&mut self, kind: &ElementKind, node: &Node, requested: &ExpectedQuantity) {
        for field in kind.fields {
            let Some(value) = node.table().and_then(|t| t.get(field.name)) else { continue };
            match field.field_type {
                FieldType::Number(held) if held == ANY_QUANTITY => drop(self.number(value, requested)),
                FieldType::Numbers(held) if held == ANY_QUANTITY => drop(self.numbers(value, requested, &[])),
                FieldType::Powers(held, per) if held == ANY_QUANTITY => drop(self.powers(value, requested, per)),
                FieldType::NumbersOrColumn(held) if held == ANY_QUANTITY && value.text().is_none() => {
                    drop(self.numbers(value, requested, &[]));
                }
                _ => {}
            }
        }
    }

    /// Reads the points of a table from a file, if one is given.
    fn points_of_file(
        &mut self,
        node: &Node,
        requested: &ExpectedQuantity,
        fields: &mut Map<String, Json>,
    ) -> Option<()> {
        let (table, file) = (node.table()?, fields.remove("file"));
        let units = ["t_unit", "y_unit"].map(|key| fields.remove(key));
        let at = |key: &str| table.get(key).map_or(&node.place, |n| &n.place);
        let own = |key: &str| fields.get(key).and_then(Json::as_str).map(str::to_string);
        let names = [own("t"), own("y")];
        let Some(file) = file.as_ref().and_then(Json::as_str) else {
            for (key, name) in ["t", "y"].into_iter().zip(&names) {
                if let Some(name) = name {
                    let message = format!("`{key}` names a column, `{name}`, but there is no `file`");
                    let help = "give a list of numbers, or file = \"points.csv\"";
                    self.report(Diagnostic::error(message).at(at(key)).help(help));
                }
            }
            return names.iter().all(Option::is_none).then_some(());
        };
        let [Some(t), Some(y)] = names else {
            for key in ["t", "y"].into_iter().filter(|key| fields.get(*key).is_some_and(|x| !x.is_string())) {
                let message = format!("`{key}` holds numbers although a `file` is named");
                self.report(Diagnostic::error(message).at(at(key)).help("name the column, or leave the file out"));
            }
            return None;
        };
        let folder = at("file").source.path.parent().unwrap_or(Path::new("")).to_path_buf();
        let [t_unit, y_unit] = units.each_ref().map(|u| u.as_ref().and_then(Json::as_str));
        let wanted = [
            RequestedColumn { name: &t, unit: t_unit, requested: &TIME, place: at("t") },
            RequestedColumn { name: &y, unit: y_unit, requested, place: at("y") },
        ];
        match columns::read(&folder.join(file), at("file"), wanted) {
            Ok([t, y]) => {
                fields.extend([("t".to_string(), json!(t)), ("y".to_string(), json!(y))]);
                Some(())
            }
            Err(finding) => {
                self.report(finding);
                None
            }
        }
    }

    /// A text that names the time, a definition or something that varies is a formula; any other is a quantity.
    fn formula_or_number(&mut self, node: &Node, text: &str, requested: &ExpectedQuantity) -> Option<Json> {
        let varies = |name: &String| {
            let stem = name.strip_suffix(".rate").unwrap_or(name);
            name == "t" || name.contains('.') || self.locals.definition(name).is_some() || self.is_named(stem)
        };
        // `3 t` is three tonnes, not a formula.
        if !is_quantity(text) && identifiers(text).iter().any(varies) {
            return self.formula(node, Some(requested), &["t"], ModelNames::Signals).map(|f| json!(f));
        }
        self.number(node, requested).map(|x| json!(x))
    }

    pub(super) fn law(&mut self, node: &Node) -> Option<Json> {
        if node.text().is_some() {
            return self.formula(node, Some(&EFFORT), LAW_VARIABLES, ModelNames::Signals).map(|f| json!(f));
        }
        let (kind, mut fields) = self.kind(node, LAWS, "law")?;
        fields.insert("type".to_string(), json!(kind.name));
        if kind.name == "expression" {
            let formula = node.table().and_then(|t| t.get("formula"))?;
            let formula = self.formula(formula, Some(&EFFORT), LAW_VARIABLES, ModelNames::Signals)?;
            fields.insert("formula".to_string(), json!(formula));
        }
        Some(Json::Object(fields))
    }
}
