//! A quantity along the line of a wing.

use crate::error::ParameterError;
use crate::expressions::Expression;
use serde::{Deserialize, Serialize};

/// A number, straight lines between given points along a wing, or a formula.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Distribution {
    /// The same everywhere.
    Constant(f64),
    /// Values at distances from the first point of the wing.
    Points {
        /// Distances, m, increasing from 0 to the length of the wing or beyond.
        x: Vec<f64>,
        /// Values.
        y: Vec<f64>,
    },
    /// A formula of `x`, the distance from the first point of the wing, m.
    Formula(String),
}

impl Default for Distribution {
    fn default() -> Distribution {
        Distribution::Constant(0.0)
    }
}

impl Distribution {
    /// Checks that it covers a line of this length.
    pub(super) fn check(&self, field: &'static str, length: f64) -> Result<(), ParameterError> {
        let refuse = |what: String| Err(ParameterError::invalid(field, what));
        let (x, y) = match self {
            Distribution::Constant(value) => return ParameterError::check_finite(field, &[*value]),
            Distribution::Formula(text) => {
                Expression::parse(text, &["x"]).map_err(|e| ParameterError::invalid(field, e.to_string()))?;
                return Ok(());
            }
            Distribution::Points { x, y } => (x, y),
        };
        ParameterError::check_finite(field, x)?;
        ParameterError::check_finite(field, y)?;
        if x.len() != y.len() || x.len() < 2 {
            return refuse(format!("it has {} distances and {} values; give two or more of each", x.len(), y.len()));
        }
        if let Some(k) = x.windows(2).position(|pair| pair[0] >= pair[1]) {
            return refuse(format!(
                "`x` must increase; number {} is {}, number {} is {}",
                k + 1,
                x[k],
                k + 2,
                x[k + 1]
            ));
        }
        let (first, last) = (x[0], x[x.len() - 1]);
        if first > 1e-9 * length || last < length * (1.0 - 1e-9) {
            return refuse(format!("it covers {first} m to {last} m; the wing reaches from 0 to {length} m"));
        }
        Ok(())
    }

    /// The value at a distance; NaN for a formula that `check` rejects.
    pub(super) fn at(&self, s: f64) -> f64 {
        match self {
            Distribution::Constant(value) => *value,
            Distribution::Formula(text) => Expression::parse(text, &["x"]).map_or(f64::NAN, |f| f.evaluate(&[s])),
            Distribution::Points { x, y } => {
                let k = x.partition_point(|x| *x <= s).clamp(1, x.len() - 1);
                y[k - 1] + (y[k] - y[k - 1]) * (s - x[k - 1]) / (x[k] - x[k - 1])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_number_or_a_table() {
        let flat: Distribution = serde_json::from_str("0.4").unwrap();
        let taper: Distribution = serde_json::from_str(r#"{"x": [0, 2, 4], "y": [1, 0.5, 0.4]}"#).unwrap();
        assert_eq!((flat.at(3.0), taper.at(1.0), taper.at(4.0)), (0.4, 0.75, 0.4));
        let helix: Distribution = serde_json::from_str(r#""atan(2/(1 + x))""#).unwrap();
        assert_eq!(helix.at(1.0), 1.0_f64.atan());
        assert!(Distribution::Formula("atan(y)".into()).check("twist", 1.0).is_err());
        assert!(taper.check("chord", 4.0).is_ok());
        assert!(taper.check("chord", 5.0).unwrap_err().to_string().contains("the wing reaches from 0 to 5 m"));
        let wrong = Distribution::Points { x: vec![0.0, 2.0, 1.0], y: vec![1.0; 3] };
        assert!(wrong.check("chord", 1.0).unwrap_err().to_string().contains("number 2 is 2, number 3 is 1"));
    }
}
