//! A polar as text.

use super::Coefficients;
use crate::error::ParameterError;
use crate::expressions::Expression;
use crate::scalar::Scalar;
use serde::{Deserialize, Serialize};

const VARIABLES: [&str; 2] = ["alpha", "mach"];

/// cl, cd and cm as formulas of `alpha` (rad, −π … π) and `mach`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "FormulaPolarText", into = "FormulaPolarText")]
pub struct FormulaPolar {
    text: FormulaPolarText,
    cl: Expression,
    cd: Expression,
    cm: Expression,
}

/// The formulas as written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FormulaPolarText {
    cl: String,
    #[serde(default = "zero")]
    cd: String,
    #[serde(default = "zero")]
    cm: String,
}

fn zero() -> String {
    "0".to_string()
}

impl TryFrom<FormulaPolarText> for FormulaPolar {
    type Error = String;
    fn try_from(text: FormulaPolarText) -> Result<FormulaPolar, String> {
        let parse = |name: &str, text: &str| Expression::parse(text, &VARIABLES).map_err(|e| format!("{name}: {e}"));
        let [cl, cd, cm] = [("cl", &text.cl), ("cd", &text.cd), ("cm", &text.cm)].map(|(name, text)| parse(name, text));
        Ok(FormulaPolar { cl: cl?, cd: cd?, cm: cm?, text })
    }
}

impl From<FormulaPolar> for FormulaPolarText {
    fn from(polar: FormulaPolar) -> FormulaPolarText {
        polar.text
    }
}

impl FormulaPolar {
    pub(super) fn check(&self) -> Result<(), ParameterError> {
        let found = self.coefficients(0.0, 0.0);
        ParameterError::check_finite("cl", &[found.cl])?;
        ParameterError::check_finite("cd", &[found.cd])?;
        ParameterError::check_finite("cm", &[found.cm])
    }

    pub(super) fn coefficients<S: Scalar>(&self, alpha: S, mach: S) -> Coefficients<S> {
        let values = [alpha, mach];
        Coefficients { cl: self.cl.evaluate(&values), cd: self.cd.evaluate(&values), cm: self.cm.evaluate(&values) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::Dual;

    #[test]
    fn formulas_have_exact_slopes() {
        let text = r#"{"cl": "5.7*alpha/sqrt(1 - mach^2)", "cd": "0.01 + 0.02*alpha^2"}"#;
        let polar: FormulaPolar = serde_json::from_str(text).unwrap();
        let found = polar.coefficients(Dual::<1>::variable(0.1, 0), Dual::from(0.6));
        assert!((found.cl.eps[0] - 5.7 / 0.8).abs() < 1e-13 && (found.cd.re - 0.0102).abs() < 1e-15);
        assert!(serde_json::from_str::<FormulaPolar>(r#"{"cl": "5.7*aplha"}"#).is_err());
    }
}
