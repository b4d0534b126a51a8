//! A polar as text.

use super::SectionCoefficients;
use crate::error::ParameterError;
use crate::expressions::{Expression, names_in};
use crate::scalar::Scalar;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;
use taut_ode::GuardKind;

/// Angles and Mach numbers among which jumps are looked for.
const RANGES: [[f64; 2]; 2] = [[-PI, PI], [0.0, 2.0]];
/// Number of lines along the other variable, for angles and Mach numbers, less one.
const LINES: [usize; 2] = [18, 4];
/// Number of parts of a line.
const SAMPLES: usize = 180;
const BISECTIONS: usize = 60;
/// Change of a coefficient across a switch that counts as a jump.
const JUMP_TOLERANCE: f64 = 1e-6;

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
        ParameterError::check_finite("cm", &[found.cm])?;
        for (name, formula) in [("cl", &self.cl), ("cd", &self.cd), ("cm", &self.cm)] {
            if let Some(PolarJump { size, values: [alpha, mach] }) = first_jump(formula) {
                let what = format!(
                    "it jumps by {size:.3} at alpha = {:.4} deg and mach = {mach:.3}, and no run would notice where a section passes \
                     this place; write a steep slope instead: `step(alpha, a, y, b, z)` with a < b, or a table",
                    alpha.to_degrees()
                );
                return Err(ParameterError::invalid(name, what));
            }
        }
        Ok(())
    }

    pub(super) fn depends_on_mach(&self) -> bool {
        [&self.text.cl, &self.text.cd, &self.text.cm].iter().any(|text| names_in(text).contains(&VARIABLES[1]))
    }

    pub(super) fn coefficients<S: Scalar>(&self, alpha: S, mach: S) -> SectionCoefficients<S> {
        let values = [alpha, mach];
        SectionCoefficients {
            cl: self.cl.evaluate(&values),
            cd: self.cd.evaluate(&values),
            cm: self.cm.evaluate(&values),
        }
    }
}

/// A place at which a formula jumps.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PolarJump {
    size: f64,
    values: [f64; 2],
}

/// The first jump of a formula over the angle of attack at some Mach numbers, or over the Mach number at some angles.
fn first_jump(formula: &Expression) -> Option<PolarJump> {
    let switches: Vec<usize> = (0..formula.guards()).filter(|i| formula.guard_kind(*i) == GuardKind::Switch).collect();
    if switches.is_empty() {
        return None;
    }
    let lines = |axis: usize| {
        let (other, count) = (1 - axis, if axis == 0 { LINES[1] } else { LINES[0] });
        (0..=count)
            .map(move |k| (axis, RANGES[other][0] + (RANGES[other][1] - RANGES[other][0]) * k as f64 / count as f64))
    };
    lines(0).chain(lines(1)).find_map(|(axis, other)| {
        let at = |x: f64| if axis == 0 { [x, other] } else { [other, x] };
        let [from, to] = RANGES[axis];
        let sample = |k: usize| from + (to - from) * k as f64 / SAMPLES as f64;
        switches.iter().find_map(|&i| {
            let is_positive = |x: f64| formula.guard(i, &at(x)) > 0.0;
            (0..SAMPLES).find_map(|k| {
                let (mut low, mut high) = (sample(k), sample(k + 1));
                let side = is_positive(low);
                if is_positive(high) == side {
                    return None;
                }
                for _ in 0..BISECTIONS {
                    let middle = 0.5 * (low + high);
                    *(if is_positive(middle) == side { &mut low } else { &mut high }) = middle;
                }
                let (before, after) = (formula.evaluate(&at(low)), formula.evaluate(&at(high)));
                let size: f64 = after - before;
                (size.abs() > JUMP_TOLERANCE * (1.0 + before.abs()))
                    .then(|| PolarJump { size: size.abs(), values: at(low) })
            })
        })
    })
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

    #[test]
    fn a_polar_that_jumps_is_refused() {
        let check = |cl: &str| {
            let polar: FormulaPolar = serde_json::from_str(&format!(r#"{{"cl": "{cl}", "cd": "0.01"}}"#)).unwrap();
            polar.check().err().map(|e| e.to_string())
        };
        let stall = check("if_pos(0.2 - abs(alpha), 5.7*alpha, 0.3)").unwrap_or_default();
        assert!(stall.contains("jumps by 1.440 at alpha = -11.4592 deg"), "{stall}");
        assert!(check("5.7*alpha + 0.1*sign(mach - 0.8)").is_some_and(|e| e.contains("mach = 0.800")));
        for smooth in
            ["5.7*min(alpha, 0.2)", "step(alpha, 0.2, 1.1, 0.201, 0.3)", "abs(alpha)", "if_pos(alpha, alpha, 2*alpha)"]
        {
            assert_eq!(check(smooth), None, "{smooth}");
        }
    }
}
