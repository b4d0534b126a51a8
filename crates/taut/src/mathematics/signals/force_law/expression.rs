//! Force laws as formulas.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::expressions::Expression;
use crate::scalar::Scalar;
use crate::signals::SignalError;

/// A formula in `s`, `rate` and `t` for the force on the coordinate s, such as
/// `-100*(s - 0.2) - 3*rate*abs(rate)`.
///
/// The elastic part of a formula is not known; all its work counts as non-conservative.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "Expression")]
pub struct ForceLawExpression(Expression);

impl ForceLawExpression {
    /// Parses a formula in `s`, `rate` and `t`.
    pub fn parse(text: &str) -> Result<ForceLawExpression, SignalError> {
        match Expression::parse(text, &["s", "rate", "t"]) {
            Ok(expression) => Ok(ForceLawExpression(expression)),
            Err(source) => Err(SignalError::Expression { place: "expression law", source }),
        }
    }

    /// The expression itself.
    pub fn expression(&self) -> &Expression {
        &self.0
    }

    pub(super) fn force<S: Scalar>(&self, s: S, rate: S, t: S) -> S {
        self.0.evaluate(&[s, rate, t])
    }
}

impl fmt::Display for ForceLawExpression {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl TryFrom<String> for ForceLawExpression {
    type Error = SignalError;
    fn try_from(text: String) -> Result<ForceLawExpression, SignalError> {
        ForceLawExpression::parse(&text)
    }
}

impl From<ForceLawExpression> for Expression {
    fn from(formula: ForceLawExpression) -> Expression {
        formula.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_variables_have_their_places() {
        let drive = ForceLawExpression::parse("100*s + 10*rate + t").unwrap();
        assert_eq!(drive.force(1.0, 2.0, 3.0), 123.0);
    }

    #[test]
    fn other_variables_are_refused() {
        let error = ForceLawExpression::parse("-k*s").unwrap_err();
        assert_eq!(
            error.to_string(),
            "expression law: at byte 1: found the unknown name 'k', expected a variable \
             ('s', 'rate', 't'), a constant or a function"
        );
    }
}
