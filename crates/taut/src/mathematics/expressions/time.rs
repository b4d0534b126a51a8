//! Expressions of time.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Expression, ParseError};
use crate::scalar::Scalar;

/// An expression in the single variable `t`.
///
/// Unlike a bare [`Expression`] it has a fixed variable and can therefore be read from a file: it
/// is parsed when it is deserialised.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "Expression")]
pub struct TimeExpression(Box<Expression>);

impl TimeExpression {
    /// Parses an expression in `t`.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        Expression::parse(text, &["t"]).map(|e| TimeExpression(Box::new(e)))
    }

    /// The value at time `t`.
    pub fn at<S: Scalar>(&self, t: S) -> S {
        self.0.evaluate(&[t])
    }

    /// The expression itself.
    pub fn expression(&self) -> &Expression {
        &self.0
    }
}

impl fmt::Display for TimeExpression {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl FromStr for TimeExpression {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Self, ParseError> {
        TimeExpression::parse(text)
    }
}

impl TryFrom<String> for TimeExpression {
    type Error = ParseError;
    fn try_from(text: String) -> Result<Self, ParseError> {
        TimeExpression::parse(&text)
    }
}

impl From<TimeExpression> for Expression {
    fn from(expression: TimeExpression) -> Expression {
        *expression.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::Jet;

    #[test]
    fn motion_from_text_has_velocity_and_acceleration() {
        let swing = TimeExpression::parse("0.5*sin(2*t)").unwrap();
        let y = swing.at(Jet::variable(0.4));
        assert!((y.f - 0.5 * 0.8_f64.sin()).abs() < 1e-16);
        assert!((y.df - 0.8_f64.cos()).abs() < 1e-15);
        assert!((y.ddf + 2.0 * 0.8_f64.sin()).abs() < 1e-15);
    }

    #[test]
    fn text_survives_a_round_trip() {
        let ramp: TimeExpression = " 2 * t".parse().unwrap();
        let json = serde_json::to_string(&ramp).unwrap();
        assert_eq!(json, "\" 2 * t\"");
        assert_eq!(serde_json::from_str::<TimeExpression>(&json).unwrap(), ramp);
    }

    #[test]
    fn a_bad_text_is_refused_while_reading() {
        let error = serde_json::from_str::<TimeExpression>("\"2*s\"").unwrap_err();
        assert!(error.to_string().contains("at byte 2"), "{error}");
        assert!(serde_json::from_str::<TimeExpression>("7").is_err());
    }
}
