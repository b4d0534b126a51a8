//! Functions of time, force laws, formulas.

use super::super::columns::{self, RequestedColumn};
use super::super::expand::PlacementKind;
use super::super::formula::{Token, for_each_token, is_quantity, parse_error};
use super::super::node::{Node, Value};
use super::super::scope::{ExpectedQuantity, Parser};
use super::super::vocabulary::{ANY_QUANTITY, EFFORT, ElementKind, FieldType, LAWS, SIGNALS, TIME};
use super::{Context, ScopedNode};
use crate::diagnostic::{Diagnostic, did_you_mean};
use serde_json::{Map, Value as Json, json};
use std::path::Path;
use taut::expressions::{Expression, ParseError};

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
                    let found = self.signal(&inner, requested, depth + 1);
                    self.scope = outer;
                    return found;
                }
                let before = self.diagnostics.len();
                let found = self.formula_or_number(node, text, requested, &["t"]);
                let signals = self.register.signals.keys().filter_map(|n| n.strip_prefix(self.part.prefix.as_str()));
                let hint = did_you_mean(text, signals);
                if let (Some(finding), false) = (self.diagnostics[before..].first_mut(), hint.is_empty()) {
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
                    fields.insert("formula".to_string(), json!(self.formula(formula, Some(requested), &["t"])?));
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

    /// A text without any of the variables is a quantity; with one it is a formula.
    pub(super) fn formula_or_number(
        &mut self,
        node: &Node,
        text: &str,
        requested: &ExpectedQuantity,
        variables: &[&str],
    ) -> Option<Json> {
        let mut varies = false;
        for_each_token(text, |piece| {
            varies |= matches!(piece, Token::Name(name) if variables.contains(&name));
        });
        // `3 t` is three tonnes, not a formula.
        if varies && !is_quantity(text) {
            return self.formula(node, Some(requested), variables).map(|f| json!(f));
        }
        self.number(node, requested).map(|x| json!(x))
    }

    /// A formula of the variables, with parameters replaced by their numbers.
    pub(super) fn formula(
        &mut self,
        node: &Node,
        requested: Option<&ExpectedQuantity>,
        variables: &[&str],
    ) -> Option<String> {
        self.formula_with_parameters(node, requested, variables, Expression::parse)
    }

    /// The formula with every parameter replaced by its number. Positions in messages refer to the original text; the result
    /// is for the engine.
    pub(super) fn formula_with_parameters(
        &mut self,
        node: &Node,
        requested: Option<&ExpectedQuantity>,
        variables: &[&str],
        parse: Parser,
    ) -> Option<String> {
        let scope = self.scope.clone();
        if let Err(finding) = scope.check_formula(node, requested, variables, parse) {
            self.report(finding);
            return None;
        }
        let found = scope.formula(node, variables).and_then(|spelt| {
            let text = node.text().unwrap_or_default();
            let known = scope.names();
            let names: Vec<&str> = known.iter().map(String::as_str).chain(variables.iter().copied()).collect();
            let bracketed = text.contains('[');
            let original = if bracketed { parse(&spelt, variables) } else { parse(text, &names) };
            original.and_then(|_| parse(&spelt, variables)).map(|_| spelt).map_err(|e| {
                let finding = parse_error(node, text, &e, &names);
                match &e {
                    ParseError::UnknownName { name, .. } if self.is_signal(name) => {
                        finding.help(format!("`{name}` is a signal: it can only be used alone, not within a formula"))
                    }
                    _ => finding,
                }
            })
        });
        match found {
            Ok(text) => Some(text),
            Err(finding) => {
                self.report(finding);
                None
            }
        }
    }

    pub(super) fn is_signal(&self, name: &str) -> bool {
        self.register.signals.contains_key(&format!("{}{name}", self.part.prefix))
    }

    /// A formula of coordinates: names with a dot are resolved by the engine, with the prefix of the part.
    pub(super) fn open_formula(&mut self, node: &Node, more: &[&str]) -> Option<Json> {
        self.open_formula_of(node, None, more)
    }

    /// The same for a formula of the expected dimension.
    pub(super) fn open_formula_of(
        &mut self,
        node: &Node,
        asked: Option<&ExpectedQuantity>,
        more: &[&str],
    ) -> Option<Json> {
        let Some(text) = node.text() else {
            self.report_type_mismatch(node, "a formula");
            return None;
        };
        // `reference.rate` of a controller's own input gets no prefix.
        let own = |name: &str| name.strip_suffix(".rate").is_some_and(|input| more.contains(&input));
        let (mut dotted, mut rates) = (Vec::new(), Vec::new());
        for_each_token(text, |piece| {
            if let Token::Name(name) = piece
                && own(name)
            {
                rates.push(name.to_string());
            }
            if let Token::Name(name) = piece
                && name.contains('.')
                && !own(name)
            {
                dotted.push(name.to_string());
            }
        });
        if self.part.placed != PlacementKind::AsWritten && !dotted.is_empty() {
            let message = "a formula over coordinates is relative to the world, but its part is placed elsewhere";
            let help = "put the formula into the file that places the part";
            self.report(Diagnostic::error(message).at(&node.place).help(help));
            return None;
        }
        dotted.extend(more.iter().map(ToString::to_string).chain(rates));
        let names: Vec<&str> = dotted.iter().map(String::as_str).collect();
        // Dotted names are resolved by the engine; the parser accepts any.
        let spelt = self.formula_with_parameters(node, asked, &names, |text, names| {
            let plain: Vec<&str> = names.iter().copied().filter(|n| !n.contains('.')).collect();
            Expression::parse_dotted(text, &plain)
        })?;
        let mut whole = String::new();
        for_each_token(&spelt, |piece| match piece {
            Token::Name(name) if name.contains('.') && !own(name) => whole.push_str(&self.part.marker(name)),
            Token::Name(s) | Token::Other(s) => whole.push_str(s),
        });
        Some(json!(whole))
    }

    pub(super) fn law(&mut self, node: &Node) -> Option<Json> {
        if node.text().is_some() {
            return self.formula(node, Some(&EFFORT), &["s", "rate", "t"]).map(|f| json!(f));
        }
        let (kind, mut fields) = self.kind(node, LAWS, "law")?;
        fields.insert("type".to_string(), json!(kind.name));
        if kind.name == "expression" {
            let formula = node.table().and_then(|t| t.get("formula"))?;
            fields.insert("formula".to_string(), json!(self.formula(formula, Some(&EFFORT), &["s", "rate", "t"])?));
        }
        Some(Json::Object(fields))
    }
}
