//! Formulas: names of the element itself, of parameters, of definitions, and of the model.
//!
//! The engine receives a text in which parameters are numbers, definitions and most signals are inserted, and names have the prefix
//! of their part.

use super::super::expand::PlacementKind;
use super::super::formula::{Token, for_each_token, identifiers, parse_error};
use super::super::node::Node;
use super::super::scope::{ExpectedQuantity, Parser, Scope};
use super::super::vocabulary::ANY_QUANTITY;
use super::{Context, ScopedNode};
use crate::diagnostic::Diagnostic;
use std::collections::BTreeMap;
use std::sync::Arc;
use taut::Signal;
use taut::expressions::Expression;

/// Longest formula after definitions were inserted, in bytes: definitions that double in every line are a mistake.
const MAX_EXPANDED: usize = 10_000_000;

/// Which names of the model a formula may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModelNames {
    /// Signals only: the formula depends on time, or on the variables of a force law.
    Signals,
    /// Coordinates, velocities, measures and signals.
    All,
}

impl Context<'_> {
    /// A formula of the variables, of local names, parameters and names of the model. Positions in messages refer to the original
    /// text; the result is for the engine.
    pub(crate) fn formula(
        &mut self,
        node: &Node,
        requested: Option<&ExpectedQuantity>,
        variables: &[&str],
        of_model: ModelNames,
    ) -> Option<String> {
        let Some(text) = node.text() else {
            self.report_type_mismatch(node, "a formula");
            return None;
        };
        let outer = self.scope.clone();
        self.scope = Arc::new(Scope::with_variables(&outer, self.locals.typed(text, &outer)));
        let found = self.formula_in_scope(node, text, requested, variables, of_model);
        self.scope = outer;
        found
    }

    fn formula_in_scope(
        &mut self,
        node: &Node,
        text: &str,
        requested: Option<&ExpectedQuantity>,
        variables: &[&str],
        of_model: ModelNames,
    ) -> Option<String> {
        let mut own: Vec<String> = variables.iter().map(ToString::to_string).collect();
        own.extend(self.locals.names().filter(|name| !variables.contains(&name.as_str())).cloned());
        // `reference.rate` of a controller's own input gets no prefix.
        let is_own = |name: &str| own.iter().any(|n| n == name.strip_suffix(".rate").unwrap_or(name));
        let (mut known, mut inserted) = (own.clone(), BTreeMap::new());
        for name in identifiers(text) {
            if is_own(&name) {
                if !known.contains(&name) {
                    known.push(name);
                }
                continue;
            }
            let stem = name.strip_suffix(".rate").unwrap_or(&name);
            let (signal, measure) = (self.is_signal(stem), self.is_measure(stem));
            let by_formula = self.register.formula_measures.get(&format!("{}{name}", self.part.prefix)).cloned();
            if !name.contains('.') && (signal || measure || by_formula.is_some()) && self.scope.get(&name).is_some() {
                let what = if signal { "signal" } else { "measure" };
                let message = format!("`{name}` is a parameter and a {what}");
                self.report(Diagnostic::error(message).at(&node.place).help("give one of them another name"));
                return None;
            }
            if let Some(ScopedNode { node: inner, scope }) = by_formula {
                let part = |key: &str| inner.table().and_then(|t| t.get(key));
                let text = self.inserted(node, &name, scope, |c| {
                    let own = part("definitions").and_then(Node::table).map_or(&[][..], |t| t.0.as_slice());
                    c.define_all(own, &["t"], of_model)?;
                    c.formula(part("formula").unwrap_or(&inner), None, &["t"], of_model)
                })?;
                inserted.insert(name.clone(), text);
                known.push(name);
            } else if signal {
                if let Some(text) = self.signal_of_formula(node, &name, of_model)? {
                    inserted.insert(name.clone(), text);
                }
                known.push(name);
            } else if measure || name.contains('.') {
                self.check_model_name(node, &name, of_model)?;
                known.push(name);
            }
        }
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let spelt = self.with_parameters(node, text, requested, &known)?;
        let mut whole = String::with_capacity(spelt.len());
        for_each_token(&spelt, |piece| match piece {
            Token::Name(_) | Token::Other(_) if whole.len() > MAX_EXPANDED => {}
            Token::Name(name) => match self.locals.definition(name).or(inserted.get(name)) {
                Some(inner) => whole.push_str(&format!("({inner})")),
                None if is_own(name) || !known.contains(&name) => whole.push_str(name),
                None => whole.push_str(&self.part.marker(name)),
            },
            Token::Other(rest) => whole.push_str(rest),
        });
        if whole.len() > MAX_EXPANDED {
            let message = format!("the formula has more than {MAX_EXPANDED} bytes once its definitions are inserted");
            self.report(Diagnostic::error(message).at(&node.place).help("shorten the definitions"));
            return None;
        }
        Some(whole)
    }

    /// Rejects a coordinate, velocity or measure that the formula must not use.
    fn check_model_name(&mut self, node: &Node, name: &str, of_model: ModelNames) -> Option<()> {
        if of_model == ModelNames::Signals {
            let message =
                format!("`{name}` depends on the motion, but this formula may only depend on time and signals");
            let help = "coordinates can be used in forces and constraints of type \"formula\", controllers and events";
            self.report(Diagnostic::error(message).at(&node.place).help(help));
            return None;
        }
        let stem = name.strip_suffix(".rate").unwrap_or(name);
        let joint = stem.rsplit_once('.').map(|(joint, _)| format!("{}{joint}", self.part.prefix));
        let relative = self.is_measure(stem) || joint.is_some_and(|joint| self.register.joints.contains_key(&joint));
        if self.part.placed != PlacementKind::AsWritten && !relative {
            let message = format!("`{name}` is relative to the world, but its part is placed elsewhere");
            let help = "use coordinates of joints or measures, or put the formula into the file that places the part";
            self.report(Diagnostic::error(message).at(&node.place).help(help));
            return None;
        }
        Some(())
    }

    /// A named signal within a formula: its text, or none if the engine evaluates it.
    fn signal_of_formula(&mut self, node: &Node, name: &str, of_model: ModelNames) -> Option<Option<String>> {
        let stem = name.strip_suffix(".rate").unwrap_or(name);
        let whole = format!("{}{stem}", self.part.prefix);
        let ScopedNode { node: inner, scope } = self.register.signals.get(&whole).cloned()?;
        let found = self.inserted(node, stem, scope, |c| c.signal(&inner, &ANY_QUANTITY, 0))?;
        let signal: Option<Signal> = serde_json::from_value(found).ok();
        let text = signal.and_then(|s| s.formula()).filter(|_| stem == name);
        if text.is_none() && of_model == ModelNames::Signals {
            let what = if stem == name { "a table" } else { "the rate of a signal" };
            let message = format!("`{name}` is {what}, which cannot be part of this formula");
            let help = "use a table alone, or in forces and constraints of type \"formula\", controllers and events";
            self.report(Diagnostic::error(message).at(&node.place).help(help));
            return None;
        }
        if text.is_none() {
            self.register.signals_of_formulas.borrow_mut().insert(whole);
        }
        Some(text)
    }

    /// Reads a signal or measure for insertion into a formula, in its own scope; one that contains itself is reported.
    fn inserted<T>(
        &mut self,
        node: &Node,
        name: &str,
        scope: Arc<Scope>,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        if self.in_use.iter().any(|other| other == name) {
            let chain: Vec<String> = self.in_use.iter().map(|n| format!("`{n}`")).collect();
            let message = format!("the definitions {} are circular", chain.join(", "));
            self.report(Diagnostic::error(message).at(&node.place));
            return None;
        }
        let outer = (std::mem::replace(&mut self.scope, scope), std::mem::take(&mut self.locals));
        self.in_use.push(name.to_string());
        let found = read(self);
        self.in_use.pop();
        (self.scope, self.locals) = outer;
        found
    }

    /// The text with every parameter replaced by its number.
    fn with_parameters(
        &mut self,
        node: &Node,
        text: &str,
        requested: Option<&ExpectedQuantity>,
        variables: &[&str],
    ) -> Option<String> {
        let scope = self.scope.clone();
        // The engine resolves dotted names; the parser accepts any.
        const PARSE: Parser = |text, names| {
            let plain: Vec<&str> = names.iter().copied().filter(|n| !n.contains('.')).collect();
            Expression::parse_dotted(text, &plain)
        };
        if let Err(finding) = scope.check_formula(node, requested, variables, PARSE) {
            self.report(finding);
            return None;
        }
        let found = scope.formula(node, variables).and_then(|spelt| {
            let parameters = scope.names();
            let mut names: Vec<&str> = parameters.iter().map(String::as_str).chain(variables.iter().copied()).collect();
            let bracketed = text.contains('[');
            let original = if bracketed { PARSE(&spelt, variables) } else { PARSE(text, &names) };
            original.and_then(|_| PARSE(&spelt, variables)).map(|_| spelt).map_err(|e| {
                // Measures and signals might have been meant too.
                let prefix = self.part.prefix.as_str();
                let register = &self.register;
                let others =
                    register.measures.keys().chain(register.signals.keys()).chain(register.formula_measures.keys());
                names.extend(others.filter_map(|name| name.strip_prefix(prefix)));
                parse_error(node, text, &e, &names)
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

    /// Whether a name is a measure or a signal.
    pub(super) fn is_named(&self, name: &str) -> bool {
        let by_formula = || self.register.formula_measures.contains_key(&format!("{}{name}", self.part.prefix));
        self.is_signal(name) || self.is_measure(name) || by_formula()
    }

    fn is_signal(&self, name: &str) -> bool {
        self.register.signals.contains_key(&format!("{}{name}", self.part.prefix))
    }

    fn is_measure(&self, name: &str) -> bool {
        self.register.measures.contains_key(&format!("{}{name}", self.part.prefix))
    }
}
