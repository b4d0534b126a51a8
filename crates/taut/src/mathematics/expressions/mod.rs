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
//! A text of more than [`LENGTH_LIMIT`] bytes or with excessive nesting is refused, so that no
//! input can exhaust the stack.

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
mod rapid;
mod switches;
mod time;
mod tokens;

pub use error::ParseError;
pub use time::TimeExpression;

use code::Code;
use switches::Guard;
use tokens::{Token, Tokens};

/// The names that stand in a text, functions and constants among them, as far as it can be read.
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

/// The longest text accepted, in bytes.
pub const LENGTH_LIMIT: usize = 4096;

/// A parsed formula in named variables.
///
/// It serialises as its text.  Reading it back takes the variables too, which the text does not
/// tell; types that fix them, such as [`TimeExpression`], deserialise.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    text: String,
    variables: Vec<String>,
    code: Code,
    /// Which variable is the time, `t`.
    time: Option<usize>,
    guards: Vec<Guard>,
    /// Parts that depend on the time alone and can change rapidly.
    rapid: Vec<std::ops::Range<usize>>,
}

impl Expression {
    /// Parses `text` as a formula in `variables`.
    pub fn parse(text: &str, variables: &[&str]) -> Result<Expression, ParseError> {
        let code = parser::parse(text, variables)?;
        Ok(Expression::new(text, code, variables.iter().map(|name| name.to_string()).collect()))
    }

    fn new(text: &str, code: Code, variables: Vec<String>) -> Expression {
        let time = variables.iter().position(|name| name == "t");
        let mut guards = switches::guards(&code, time);
        guards.extend(switches::peaks(&code, time));
        let rapid = time.map_or_else(Vec::new, |time| rapid::parts(&code, time));
        Expression { text: text.to_string(), variables, code, time, guards, rapid }
    }

    /// Parses `text` as a formula in `variables` and in every name with a dot that stands in it, such as
    /// `crank.tip.x`; the latter follow the given ones in the order of their appearance.
    pub fn parse_dotted(text: &str, variables: &[&str]) -> Result<Expression, ParseError> {
        let (code, variables) = parser::parse_dotted(text, variables)?;
        Ok(Expression::new(text, code, variables))
    }

    /// The value of the formula, with `values` in the order of the variables.  A variable without
    /// a value counts as NaN.
    pub fn evaluate<S: Scalar>(&self, values: &[S]) -> S {
        self.code.run(values)
    }

    /// Adds what a list asks for between `from` and `to`: the times at which the formula, or a derivative of it, is not
    /// smooth whatever its variables other than `t` are, or the short intervals in which parts of it that depend on the
    /// time alone change rapidly.
    pub fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        let Some(time) = self.time else { return };
        match list.run() {
            None => breaks::find(&self.code, time, from, to, list),
            Some(_) => self.rapid.iter().for_each(|part| rapid::find(&self.code, part, time, from, to, list)),
        }
    }

    /// The number of functions that contain other variables than `t` and tell where the formula, or a derivative of it, is
    /// not smooth (at their zeros: the x of `abs(x)`, `x - y` of `max(x, y)`) or may have a narrow peak (where they are least:
    /// the `1 + x^2` of `1/(1 + x^2)`).
    pub fn guards(&self) -> usize {
        self.guards.len()
    }

    /// What one of these functions stands for.
    pub fn guard_kind(&self, i: usize) -> GuardKind {
        self.guards.get(i).map_or(GuardKind::Switch, |guard| guard.kind)
    }

    /// One of these functions, with `values` in the order of the variables.
    pub fn guard(&self, i: usize, values: &[f64]) -> f64 {
        let Some(guard) = self.guards.get(i) else { return f64::INFINITY };
        let instruction = self.code.instructions()[guard.at];
        self.code.inspect(guard.at, values, |x| match guard.kind {
            GuardKind::Switch => switches::guard_value(instruction, x, guard.corner),
            GuardKind::Peak => switches::peak_value(instruction, x, guard.corner),
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

    /// Whether the formula is of first degree in its variables, as it is written.
    pub fn is_straight(&self) -> bool {
        self.code.is_straight()
    }

    /// The value of a formula in which no variable occurs.
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
