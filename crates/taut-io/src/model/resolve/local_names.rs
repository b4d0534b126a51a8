//! Formulas with local names: coordinates and velocities of known dimension, and definitions.

use super::super::formula::{Token, for_each_token, identifiers, invalid_name_reason};
use super::super::node::{Node, Value};
use super::super::quantity::{KnownDimension, Quantity};
use super::super::scope::{ExpectedQuantity, Scope};
use super::Context;
use crate::diagnostic::{Diagnostic, Place};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Longest formula after definitions were inserted, in bytes: definitions that double in every line are a mistake.
const MAX_EXPANDED: usize = 10_000_000;

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

    /// The variables as far as their dimensions matter for a text: in a formula of plain numbers they may have any.
    fn typed(&self, text: &str, scope: &Scope) -> BTreeMap<String, Quantity> {
        let defined = |name: &String| {
            let of = self.variables.get(name).filter(|_| self.definitions.contains_key(name));
            of.is_some_and(|q| matches!(q.known, KnownDimension::As(_)))
        };
        match scope.has_units(text) || identifiers(text).iter().any(defined) {
            true => self.variables.clone(),
            false => self.variables.keys().map(|name| (name.clone(), Quantity::open(0.7))).collect(),
        }
    }

    /// The text with all definitions inserted in parentheses; none if it becomes too long.
    fn expand(&self, text: &str) -> Option<String> {
        let mut whole = String::with_capacity(text.len());
        for_each_token(text, |piece| match piece {
            Token::Name(_) | Token::Other(_) if whole.len() > MAX_EXPANDED => {}
            Token::Name(name) => match self.definitions.get(name) {
                Some(inner) => whole.push_str(&format!("({inner})")),
                None => whole.push_str(name),
            },
            Token::Other(rest) => whole.push_str(rest),
        });
        (whole.len() <= MAX_EXPANDED).then_some(whole)
    }
}

impl Context<'_> {
    /// Reports a local name that formulas cannot use, or that is taken.
    pub(crate) fn check_local_name(&mut self, name: &str, place: &Place, names: &LocalNames) {
        if let Some(why) = invalid_name_reason(name) {
            self.report(Diagnostic::error(format!("`{name}` cannot be a name in formulas: {why}")).at(place));
        } else if names.variables.contains_key(name) {
            self.report(Diagnostic::error(format!("the name `{name}` is used twice")).at(place));
        }
    }

    /// Adds a definition, a formula of the names so far.
    pub(crate) fn define(&mut self, name: &str, node: &Node, names: &mut LocalNames) -> Option<()> {
        let text = self.local_formula(node, None, names)?;
        let outer = self.scope.clone();
        let scope = Scope::with_variables(&outer, names.typed(node.text().unwrap_or_default(), &outer));
        let known: Vec<&str> = names.variables.keys().map(String::as_str).collect();
        let of = match &node.value {
            Value::Number(x) => Quantity::open(*x),
            _ => scope.check_formula(node, None, &known, taut::expressions::Expression::parse_dotted).ok()?,
        };
        names.add(name, of);
        names.definitions.insert(name.to_string(), text);
        Some(())
    }

    /// A formula of local names, of parameters and of dotted names, with the definitions inserted.
    pub(crate) fn local_formula(
        &mut self,
        node: &Node,
        requested: Option<&ExpectedQuantity>,
        names: &LocalNames,
    ) -> Option<String> {
        if let Value::Number(x) = node.value {
            return Some(format!("{x:?}"));
        }
        let outer = self.scope.clone();
        let typed = names.typed(node.text().unwrap_or_default(), &outer);
        self.scope = Arc::new(Scope::with_variables(&outer, typed));
        let known: Vec<&str> = names.variables.keys().map(String::as_str).collect();
        let found = self.open_formula_of(node, requested, &known);
        self.scope = outer;
        let Some(Json::String(text)) = found else { return None };
        let expanded = names.expand(&text);
        if expanded.is_none() {
            let message = format!("the formula has more than {MAX_EXPANDED} bytes once its definitions are inserted");
            self.report(Diagnostic::error(message).at(&node.place).help("shorten the definitions"));
        }
        expanded
    }
}
