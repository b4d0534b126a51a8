//! A constraint written as text over the names of the solution's columns.
//!
//! ```text
//!  phi = "crank.tip.y - 0.2*sin(crank.tip.x)"       φ(t, q) = 0       positions: crank.x, crank.theta, crank.tip.x
//!  psi = "sled.vy*cos(sled.theta) - sled.vx*sin(sled.theta)"    ψ(t, q, v) = 0    velocities too: rod.wx, rod.tip.vx
//! ```
//!
//! The text is parsed once, its names are looked up when the model is built, and from then on it is a
//! [`UserConstraint`]: A, φ_t and c come from dual numbers and jets, exact.

mod reading;

pub(crate) use reading::{MOST_VARIABLES, Reading, Scope, Source, known, look_up};

use super::{
    Constraint, Dependence, ExtraStates, FrictionLaw, NonSmooth, Reference, Row, Rows, UserConstraint, UserHolonomic,
    UserNonholonomic, View,
};
use super::{UserPlace, UserTwist};
use crate::breaks::{BreakList, GuardKind};
use crate::error::{BuildError, Fault};
use crate::expressions::{Expression, ParseError};
use crate::scalar::Scalar;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Whether a formula constrains positions or velocities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    Phi,
    Psi,
}

impl Held {
    fn field(self) -> &'static str {
        match self {
            Held::Phi => "phi",
            Held::Psi => "psi",
        }
    }
}

/// φ or ψ as text, constrained to zero.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Text", into = "Text")]
pub struct Formula {
    held: Held,
    expression: Expression,
    /// The constraint with its names resolved; none before the model is built.
    bound: Option<UserConstraint>,
    /// The same for the guards: functions at whose zeros the formula changes its form.
    reading: Option<Reading>,
}

/// A formula as written in a model file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    phi: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    psi: Option<String>,
}

/// Why a text is not a formula.
#[derive(Clone, Debug, Error, PartialEq)]
enum TextError {
    #[error("a formula has either `phi` or `psi`; give one of them")]
    NotOne,
    #[error("{field}: {error}")]
    Parse { field: &'static str, error: ParseError },
}

impl TryFrom<Text> for Formula {
    type Error = TextError;
    fn try_from(text: Text) -> Result<Formula, TextError> {
        match (text.phi, text.psi) {
            (Some(phi), None) => Formula::phi(&phi).map_err(|error| TextError::Parse { field: "phi", error }),
            (None, Some(psi)) => Formula::psi(&psi).map_err(|error| TextError::Parse { field: "psi", error }),
            _ => Err(TextError::NotOne),
        }
    }
}

impl From<Formula> for Text {
    fn from(formula: Formula) -> Text {
        let text = Some(formula.expression.text().to_string());
        match formula.held {
            Held::Phi => Text { phi: text, psi: None },
            Held::Psi => Text { phi: None, psi: text },
        }
    }
}

impl PartialEq for Formula {
    fn eq(&self, other: &Formula) -> bool {
        self.held == other.held && self.expression == other.expression
    }
}

impl Formula {
    /// φ(t, q) = 0, over `t` and positions.
    ///
    /// # Errors
    /// The text is not an expression; the error gives the position.
    pub fn phi(text: &str) -> Result<Formula, ParseError> {
        Ok(Formula { held: Held::Phi, expression: Expression::parse_dotted(text, &["t"])?, bound: None, reading: None })
    }

    /// ψ(t, q, v) = 0, over `t`, positions and velocities.
    ///
    /// # Errors
    /// The text is not an expression; the error gives the position.
    pub fn psi(text: &str) -> Result<Formula, ParseError> {
        Ok(Formula { held: Held::Psi, expression: Expression::parse_dotted(text, &["t"])?, bound: None, reading: None })
    }

    /// The text.
    pub fn text(&self) -> &str {
        self.expression.text()
    }

    /// The same with its names resolved in a model.
    pub(crate) fn bind(&self, name: &str, scope: &Scope) -> Result<Formula, BuildError> {
        let field = self.held.field();
        let refuse = |what: String| {
            let fault = Fault::Value { field, what };
            Err(BuildError::Element { family: "constraint", name: name.to_string(), fault })
        };
        let reading = Reading::new(&self.expression, 1, ("constraint", name, field), scope)?;
        let guarded = Some(reading.clone()).filter(|_| self.expression.guards() > 0);
        let velocity = reading.velocity().map(str::to_string);
        if reading.markers().is_empty() {
            return refuse("the formula names no body and no marker; it must act on something".to_string());
        }
        if reading.markers().len() > UserConstraint::MOST_MARKERS {
            return refuse(format!(
                "the formula reads {} frames and angles; it may read {} at most",
                reading.markers().len(),
                UserConstraint::MOST_MARKERS
            ));
        }
        let wanted: Vec<(String, _)> = reading.markers().to_vec();
        let wanted: Vec<Reference> = wanted.iter().map(|(name, needs)| Reference { name, needs: *needs }).collect();
        let bound = match (self.held, velocity) {
            (Held::Phi, Some(velocity)) => {
                return refuse(format!("`{velocity}` is a velocity; give the formula as `psi`"));
            }
            (Held::Psi, None) => {
                return refuse("the formula contains no velocity; give it as `phi`".to_string());
            }
            (Held::Phi, None) => UserConstraint::holonomic(&wanted, Positions(reading)).named(&[("phi", "1")]),
            (Held::Psi, Some(_)) => UserConstraint::nonholonomic(&wanted, Velocities(reading)).named(&[("psi", "1")]),
        };
        Ok(Formula { bound: Some(bound), reading: guarded, ..self.clone() })
    }
}

#[derive(Debug)]
struct Positions(Reading);

impl UserHolonomic for Positions {
    fn rows(&self) -> usize {
        1
    }
    fn phi<S: Scalar>(&self, t: S, at: &[UserPlace<S>], out: &mut [S]) {
        out[0] = self.0.evaluate([t], |marker, source| match source {
            Source::Position(i) => at[marker].p[i],
            Source::Velocity(_) | Source::Spin(_) => S::from(f64::NAN),
        });
    }
}

#[derive(Debug)]
struct Velocities(Reading);

impl UserNonholonomic for Velocities {
    fn rows(&self) -> usize {
        1
    }
    fn psi<S: Scalar>(&self, t: S, at: &[UserPlace<S>], moving: &[UserTwist<S>], out: &mut [S]) {
        out[0] = self.0.evaluate([t], |marker, source| match source {
            Source::Position(i) => at[marker].p[i],
            Source::Velocity(i) => moving[marker].v[i],
            Source::Spin(i) => moving[marker].w[i],
        });
    }
}

impl Constraint for Formula {
    fn markers(&self) -> Vec<Reference<'_>> {
        self.bound.as_ref().map_or(Vec::new(), |b| b.markers())
    }

    fn rows(&self) -> Vec<Row> {
        self.bound.as_ref().map_or(Vec::new(), |b| b.rows())
    }

    fn check(&self) -> Result<(), Fault> {
        let unbound = || Fault::value("phi", "the names of the formula are not resolved; build it as part of a model");
        self.bound.as_ref().ok_or_else(unbound)?.check()
    }

    fn place(&self, at: &View, rows: &mut Rows) {
        if let Some(bound) = &self.bound {
            bound.place(at, rows);
        }
    }

    fn carry(&self, at: &View, rows: &mut Rows) {
        if let Some(bound) = &self.bound {
            bound.carry(at, rows);
        }
    }

    fn dependence(&self) -> Dependence {
        Dependence::Unknown
    }
}

impl ExtraStates for Formula {}

impl NonSmooth for Formula {
    fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        self.expression.breaks(from, to, list);
    }

    fn guards(&self) -> usize {
        self.expression.guards()
    }

    fn guard_kind(&self, i: usize) -> GuardKind {
        self.expression.guard_kind(i)
    }

    fn guard(&self, at: &View, i: usize) -> f64 {
        let Some(reading) = &self.reading else { return f64::INFINITY };
        reading.guard(i, [at.t], |marker, source| source.of(&at[marker]))
    }
}

impl FrictionLaw for Formula {}

#[cfg(test)]
mod tests;
