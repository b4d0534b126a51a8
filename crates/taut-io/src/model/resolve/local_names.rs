//! Names that only the formulas of one element know: variables, and definitions.

use super::super::formula::{identifiers, invalid_name_reason};
use super::super::node::{Entry, Node, Table, Value};
use super::super::quantity::{KnownDimension, Quantity};
use super::super::scope::{ExpectedQuantity, Scope, definition_order};
use super::Context;
use super::formulas::ModelNames;
use crate::diagnostic::{Diagnostic, Place};
use std::collections::BTreeMap;

/// The local names of an element.
#[derive(Clone, Debug, Default)]
pub(crate) struct LocalNames {
    variables: BTreeMap<String, Quantity>,
    /// Definitions as text, with their own definitions inserted.
    definitions: BTreeMap<String, String>,
}

impl LocalNames {
    /// Adds a variable.
    pub fn add(&mut self, name: &str, of: Quantity) {
        self.variables.insert(name.to_string(), of);
    }

    fn define(&mut self, name: &str, of: Quantity, text: String) {
        self.add(name, of);
        self.definitions.insert(name.to_string(), text);
    }

    /// All names.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.variables.keys()
    }

    /// The text of a definition.
    pub fn definition(&self, name: &str) -> Option<&String> {
        self.definitions.get(name)
    }

    /// The variables as far as their dimensions matter for a text: in a formula of plain numbers they may have any.
    pub fn typed(&self, text: &str, scope: &Scope) -> BTreeMap<String, Quantity> {
        let defined = |name: &String| {
            let of = self.variables.get(name).filter(|_| self.definitions.contains_key(name));
            of.is_some_and(|q| matches!(q.known, KnownDimension::As(_)))
        };
        match scope.has_units(text) || identifiers(text).iter().any(defined) {
            true => self.variables.clone(),
            false => self.variables.keys().map(|name| (name.clone(), Quantity::open(0.7))).collect(),
        }
    }
}

impl Context<'_> {
    /// Reports a local name that formulas cannot use, or that is taken.
    pub(crate) fn check_local_name(&mut self, name: &str, place: &Place) {
        if let Some(why) = invalid_name_reason(name) {
            self.report(Diagnostic::error(format!("`{name}` cannot be a name in formulas: {why}")).at(place));
        } else if self.locals.variables.contains_key(name) {
            self.report(Diagnostic::error(format!("the name `{name}` is used twice")).at(place));
        }
    }

    /// Reads the definitions of an element, which may use `variables` and the element's inputs and states.
    pub(super) fn own_definitions(&mut self, table: &Table, node: &Node, variables: &[&str], of_model: ModelNames) {
        let Some(entries) = node.table() else {
            return self.report_type_mismatch(node, "a table of formulas by name");
        };
        for own in ["inputs", "states"].iter().filter_map(|key| table.get(key)?.table()).flat_map(|t| &t.0) {
            self.locals.add(&own.key, Quantity::open(0.7));
        }
        variables.iter().for_each(|name| self.locals.add(name, Quantity::open(0.7)));
        // Errors are reported.
        let _ = self.define_all(&entries.0, variables, of_model);
    }

    /// Adds the definitions of a table, which may use each other in any order, and `variables`.
    pub(crate) fn define_all(&mut self, entries: &[Entry], variables: &[&str], of_model: ModelNames) -> Option<()> {
        let (whole, before) = (self.element.clone(), self.diagnostics.len());
        let (order, circular) = definition_order(entries);
        if let Some(first) = circular.first() {
            let all: Vec<String> = circular.iter().take(6).map(|i| format!("`{}`", entries[*i].key)).collect();
            let message = match all.as_slice() {
                [one] => format!("the definition of {one} refers to itself"),
                _ => format!("the definitions {} are circular", all.join(", ")),
            };
            self.report(Diagnostic::error(message).at(&entries[*first].place));
            // Formulas that use them are not reported again.
            circular.iter().for_each(|i| self.locals.define(&entries[*i].key, Quantity::open(0.7), "0".to_string()));
            return None;
        }
        for Entry { key, place, node } in order.into_iter().map(|i| &entries[i]) {
            self.element = format!("{whole}, definition `{key}`");
            self.check_local_name(key, place);
            let found = self.definition(node, variables, of_model);
            self.element.clone_from(&whole);
            let (of, text) = found.unwrap_or((Quantity::open(0.7), "0".to_string()));
            self.locals.define(key, of, text);
        }
        (self.diagnostics.len() == before).then_some(())
    }

    /// The dimension and the text of a definition, a formula of the names so far.
    pub(crate) fn definition(
        &mut self,
        node: &Node,
        variables: &[&str],
        of_model: ModelNames,
    ) -> Option<(Quantity, String)> {
        let text = self.local_formula(node, None, variables, of_model)?;
        let scope = Scope::with_variables(&self.scope, self.locals.typed(node.text().unwrap_or_default(), &self.scope));
        let known: Vec<&str> = self.locals.names().map(String::as_str).chain(variables.iter().copied()).collect();
        let of = match &node.value {
            Value::Number(x) => Quantity::open(*x),
            _ => scope.check_formula(node, None, &known, taut::expressions::Expression::parse_dotted).ok()?,
        };
        Some((of, text))
    }

    /// A formula, or a number.
    pub(crate) fn local_formula(
        &mut self,
        node: &Node,
        requested: Option<&ExpectedQuantity>,
        variables: &[&str],
        of_model: ModelNames,
    ) -> Option<String> {
        match node.value {
            Value::Number(x) => Some(format!("{x:?}")),
            _ => self.formula(node, requested, variables, of_model),
        }
    }
}
