//! Formulas as text: `0.2*sin(2*pi*t) + step(t, 0, 0, 1, 0.5)`.
//!
//! [`Expression::parse`] translates a text once; [`Expression::evaluate`] then runs it over any
//! [`Scalar`], so that a formula in a model file has exact derivatives, and allocates nothing.
//!
//! # Language
//!
//! * Numbers `2`, `.5`, `1e-3`; the constants `pi` and `e`; the variables the caller names.
//!   Names are letters, digits and `_`; words may be joined by dots: `crank.tip.x`.
//! * `+ - * / ^` and parentheses.  `^` groups from the right and binds tighter than a sign:
//!   `2^3^2` is 512 and `-2^2` is -4.
//! * `sin cos tan asin acos atan sinh cosh tanh exp ln log10 sqrt abs`, `atan2(y, x)`,
//!   `min(x, y)`, `max(x, y)`.
//! * `sign(x)` and `floor(x)`, with derivatives 0; `mod(x, y)`, which is x - y floor(x/y), with
//!   the sign of y.
//! * `step(x, x0, y0, x1, y1)`: y0 up to x0, y1 from x1 on, and between them the cubic with zero
//!   slope at both ends.  Its second derivative jumps at x0 and x1.
//! * `if_pos(x, a, b)`: a where x > 0, b where x ≤ 0.  Both are evaluated; the one not taken may
//!   be NaN.
//!
//! A text may have any length. One that is nested too deeply is rejected, so that no input can
//! exhaust the stack.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::breaks::{BreakList, GuardKind};
use crate::scalar::Scalar;

mod breaks;
mod code;
mod error;
mod functions;
mod names;
mod parser;
mod range;
mod rapid_changes;
mod switches;
mod time;
mod tokens;

pub use error::ParseError;
pub use time::TimeExpression;

use code::Code;
use switches::Guard;
use tokens::{Token, Tokens};

/// The names in a text, including functions and constants, up to the first error.
pub(crate) fn names_in(text: &str) -> Vec<&str> {
    let (mut tokens, mut names) = (Tokens::new(text), Vec::new());
    loop {
        match tokens.next() {
            Ok((Token::Name(name), _)) => names.push(name),
            Ok((Token::End, _)) | Err(_) => return names,
            Ok(_) => {}
        }
    }
}

/// A parsed formula in named variables.
///
/// It serialises as its text.  To deserialise it, the variables must be known, which the text does
/// not contain; types with fixed variables, such as [`TimeExpression`], implement `Deserialize`.
///
/// # Examples
///
/// ```
/// use taut::expressions::Expression;
/// use taut::scalar::Dual;
///
/// let drag = Expression::parse("-k*v*abs(v)", &["k", "v"])?;
/// assert_eq!(drag.evaluate(&[0.5, 3.0]), -4.5);
/// let [_, v] = Dual::variables([0.5, 3.0]);
/// assert_eq!(drag.evaluate(&[Dual::from(0.5), v]).eps, [0.0, -3.0]); // the exact derivative by v
/// # Ok::<(), taut::expressions::ParseError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    text: String,
    variables: Vec<String>,
    code: Code,
    /// Which variable is the time, `t`.
    time: Option<usize>,
    guards: Vec<Guard>,
    /// Subexpressions that depend on time only and can change rapidly.
    rapid_parts: Vec<std::ops::Range<usize>>,
}

impl Expression {
    /// Parses `text` as a formula in `variables`.
    pub fn parse(text: &str, variables: &[&str]) -> Result<Expression, ParseError> {
        let code = parser::parse(text, variables)?;
        Ok(Expression::new(text, code, variables.iter().map(|name| name.to_string()).collect()))
    }

    fn new(text: &str, code: Code, variables: Vec<String>) -> Expression {
        let time = variables.iter().position(|name| name == "t");
        let mut guards = switches::switch_guards(&code, time);
        guards.extend(switches::peak_guards(&code, time));
        let rapid = time.map_or_else(Vec::new, |time| rapid_changes::rapid_parts(&code, time));
        Expression { text: text.to_string(), variables, code, time, guards, rapid_parts: rapid }
    }

    /// Parses `text` as a formula in `variables` and in every dotted name that it contains, such as
    /// `crank.tip.x`. The dotted names follow the given variables in order of appearance.
    pub fn parse_dotted(text: &str, variables: &[&str]) -> Result<Expression, ParseError> {
        let (code, variables) = parser::parse_dotted(text, variables)?;
        Ok(Expression::new(text, code, variables))
    }

    /// The value of the formula, with `values` in the order of the variables.  A missing value
    /// counts as NaN.
    pub fn evaluate<S: Scalar>(&self, values: &[S]) -> S {
        self.code.run(values)
    }

    /// Adds to a list, between `from` and `to`, either the times at which the formula or one of its derivatives is not smooth
    /// (independent of variables other than `t`), or the short intervals in which subexpressions of `t` alone change rapidly. The list
    /// determines which of the two.
    pub fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        let Some(time) = self.time else { return };
        match list.rapid_change_span() {
            None => breaks::find(&self.code, time, from, to, list),
            Some(_) => {
                self.rapid_parts.iter().for_each(|part| rapid_changes::find(&self.code, part, time, from, to, list))
            }
        }
    }

    /// The number of guards: functions of variables other than `t` that indicate where the formula or one of its derivatives is
    /// not smooth (at their zeros: x of `abs(x)`, `x - y` of `max(x, y)`) or may have a narrow peak (at their minima: `1 + x^2` of
    /// `1/(1 + x^2)`).
    pub fn guards(&self) -> usize {
        self.guards.len()
    }

    /// The kind of guard `i`.
    pub fn guard_kind(&self, i: usize) -> GuardKind {
        self.guards.get(i).map_or(GuardKind::Switch, |guard| guard.kind)
    }

    /// The value of guard `i`, with `values` in the order of the variables.
    pub fn guard(&self, i: usize, values: &[f64]) -> f64 {
        let Some(guard) = self.guards.get(i) else { return f64::INFINITY };
        let instruction = self.code.instructions()[guard.instruction];
        self.code.with_operands(guard.instruction, values, |x| match guard.kind {
            GuardKind::Switch => switches::guard_value(instruction, x, guard.switch_point),
            GuardKind::Peak => switches::peak_value(instruction, x, guard.switch_point),
        })
    }

    /// The text the formula was parsed from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names of the variables.
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// Whether the formula, as written, is of at most first degree in its variables.
    pub fn is_affine(&self) -> bool {
        self.code.is_affine()
    }

    /// The value of a formula without variables.
    pub fn constant(&self) -> Option<f64> {
        self.code.constant()
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl Serialize for Expression {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

#[cfg(test)]
mod tests;
