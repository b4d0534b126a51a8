//! An expression whose names are bound to the elements of a model.

use super::bound_names::BoundNames;
use super::scope::Scope;
use crate::breaks::{BreakList, GuardKind};
use crate::error::{BuildError, ParameterError, element_error};
use crate::expressions::{Expression, ParseError, names_in};
use crate::mathematics::scratch::{Scratch, with_list};
use crate::scalar::Scalar;

/// An expression in given variables and in names of the model.
#[derive(Clone, Debug)]
pub(crate) struct BoundExpression {
    expression: Expression,
    /// Number of variables before the names.
    leading_variables: usize,
    pub names: BoundNames,
}

/// Parses a formula in given variables, in the measures and signals of a model, and in dotted names. The names that the formula
/// uses follow the given variables.
pub(crate) fn parse_names(text: &str, given: &[&str], scope: &Scope) -> Result<Expression, ParseError> {
    let used = names_in(text);
    let plain = || scope.plain_names().filter(|name| !given.contains(name));
    let variables: Vec<&str> = given.iter().copied().chain(plain().filter(|name| used.contains(name))).collect();
    Expression::parse_dotted(text, &variables).map_err(|found| {
        // Report the error with all names that might have been meant.
        let all: Vec<&str> = given.iter().copied().chain(plain()).collect();
        Expression::parse_dotted(text, &all).err().unwrap_or(found)
    })
}

/// Checks the syntax of a formula whose names are not known yet.
pub(crate) fn check_syntax(text: &str) -> Result<(), ParseError> {
    Expression::parse(text, &names_in(text)).map(|_| ())
}

impl BoundExpression {
    /// Parses the text of a field of an element (family, name, field) and binds its names, except the `given` ones.
    pub fn new(
        text: &str,
        given: &[&str],
        (family, element, field): (&'static str, &str, &'static str),
        scope: &Scope,
    ) -> Result<BoundExpression, BuildError> {
        let refuse = |what: String| element_error(family, element, ParameterError::Value { field, what });
        let expression = parse_names(text, given, scope).map_err(|e| refuse(e.to_string()))?;
        let leading_variables = given.len();
        let names = expression.variables().get(leading_variables..).unwrap_or_default();
        let names = BoundNames::new(names.iter().map(String::as_str), (family, element), scope)?;
        Ok(BoundExpression { expression, leading_variables, names })
    }

    /// Whether the formula, as written, is of at most first degree in time and depends on no signal.
    pub fn is_affine(&self) -> bool {
        self.expression.is_affine() && self.names.sources().is_empty()
    }

    /// The first velocity among its names.
    pub fn first_velocity(&self) -> Option<&str> {
        let k = (0..self.names.sources().len()).find(|k| self.names.is_velocity(*k))?;
        self.expression.variables().get(self.leading_variables + k).map(String::as_str)
    }

    /// The value of the expression: `given` are the first variables; `read` returns the value of a name.
    pub fn evaluate<S: Scalar + Scratch>(&self, given: impl AsRef<[S]>, read: impl Fn(usize) -> S) -> S {
        self.with_values(given.as_ref(), read, |values| self.expression.evaluate(values))
    }

    /// Guard `i`: a function at whose zeros the formula changes its form.
    pub fn guard(&self, i: usize, given: impl AsRef<[f64]>, read: impl Fn(usize) -> f64) -> f64 {
        self.with_values(given.as_ref(), read, |values| self.expression.guard(i, values))
    }

    /// Number of guards.
    pub fn guard_count(&self) -> usize {
        self.expression.guards()
    }

    /// The kind of guard `i`.
    pub fn guard_kind(&self, i: usize) -> GuardKind {
        self.expression.guard_kind(i)
    }

    /// The guards that mark a possible narrow peak of the formula.
    pub fn peak_guards(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.expression.guards()).filter(|i| self.expression.guard_kind(*i) == GuardKind::Peak)
    }

    /// Adds the times at which the formula or one of its signals is not smooth.
    pub fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        self.expression.breaks(from, to, list);
        self.names.breaks(from, to, list);
    }

    /// Calls `f` with the values of all variables.
    fn with_values<S: Scalar + Scratch, T>(
        &self,
        given: &[S],
        read: impl Fn(usize) -> S,
        f: impl FnOnce(&[S]) -> T,
    ) -> T {
        with_list(|values: &mut Vec<S>| {
            values.extend(&given[..self.leading_variables]);
            values.extend((0..self.names.sources().len()).map(read));
            f(values)
        })
    }
}
