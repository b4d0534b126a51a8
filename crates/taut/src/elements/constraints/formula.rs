//! A constraint written as text over the names of the solution's columns.

mod bound_expression;

pub(crate) use bound_expression::{BoundExpression, MAX_VARIABLES, MarkerComponent, Scope, known_names, resolve_name};

use super::{
    Constraint, Dependence, ElementInput, ExtraStates, FrictionLaw, MarkerReference, NonSmooth, RowInfo, RowTerms,
    UserConstraint, UserHolonomic, UserNonholonomic,
};
use super::{UserPlace, UserTwist};
use crate::breaks::{BreakList, GuardKind};
use crate::error::{BuildError, ParameterError};
use crate::expressions::{Expression, ParseError};
use crate::scalar::Scalar;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Whether a formula constrains positions or velocities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FormulaKind {
    Phi,
    Psi,
}

impl FormulaKind {
    fn field(self) -> &'static str {
        match self {
            FormulaKind::Phi => "phi",
            FormulaKind::Psi => "psi",
        }
    }
}

/// φ or ψ as text, constrained to zero.
///
/// ```text
///  phi = "crank.tip.y - 0.2*sin(crank.tip.x)"       φ(t, q) = 0       positions: crank.x, crank.theta, crank.tip.x
///  psi = "sled.vy*cos(sled.theta) - sled.vx*sin(sled.theta)"    ψ(t, q, v) = 0    velocities too: rod.wx, rod.tip.vx
/// ```
///
/// The text is parsed once, its names are looked up when the model is built, and from then on it is a
/// [`UserConstraint`]: A, φ_t and c come from dual numbers and jets, exact.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// // A bead on the parabola y = x², released at x = 1, passes the bottom with v² = 2 g.
/// let mut spec = Spec::new();
/// spec.gravity([0.0, -9.81, 0.0])
///     .body("bead", PointMass::new(1.0, [1.0, 1.0, 0.0]))
///     .constraint("wire", Formula::phi("bead.y - bead.x^2")?)
///     .event("bottom", Trigger::when("bead.x").then(Action::Stop));
/// let model = spec.build()?;
/// let run = simulate(&model, &model.initial_state(), &Transient::to(5.0))?;
/// assert!((run.final_state().v[0].powi(2) - 2.0 * 9.81).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "FormulaText", into = "FormulaText")]
pub struct Formula {
    kind: FormulaKind,
    expression: Expression,
    /// The constraint with its names resolved; none before the model is built.
    constraint: Option<UserConstraint>,
    /// The same for the guards: functions at whose zeros the formula changes its form.
    guard_expression: Option<BoundExpression>,
}

/// A formula as written in a model file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FormulaText {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    phi: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    psi: Option<String>,
}

/// Why a text is not a formula.
#[derive(Clone, Debug, Error, PartialEq)]
enum FormulaTextError {
    #[error("a formula has either `phi` or `psi`; give one of them")]
    NotExactlyOne,
    #[error("{field}: {error}")]
    Parse { field: &'static str, error: ParseError },
}

impl TryFrom<FormulaText> for Formula {
    type Error = FormulaTextError;
    fn try_from(text: FormulaText) -> Result<Formula, FormulaTextError> {
        match (text.phi, text.psi) {
            (Some(phi), None) => Formula::phi(&phi).map_err(|error| FormulaTextError::Parse { field: "phi", error }),
            (None, Some(psi)) => Formula::psi(&psi).map_err(|error| FormulaTextError::Parse { field: "psi", error }),
            _ => Err(FormulaTextError::NotExactlyOne),
        }
    }
}

impl From<Formula> for FormulaText {
    fn from(formula: Formula) -> FormulaText {
        let text = Some(formula.expression.text().to_string());
        match formula.kind {
            FormulaKind::Phi => FormulaText { phi: text, psi: None },
            FormulaKind::Psi => FormulaText { phi: None, psi: text },
        }
    }
}

impl PartialEq for Formula {
    fn eq(&self, other: &Formula) -> bool {
        self.kind == other.kind && self.expression == other.expression
    }
}

impl Formula {
    /// φ(t, q) = 0, over `t` and positions.
    ///
    /// # Errors
    /// The text is not an expression; the error gives the position.
    pub fn phi(text: &str) -> Result<Formula, ParseError> {
        Ok(Formula {
            kind: FormulaKind::Phi,
            expression: Expression::parse_dotted(text, &["t"])?,
            constraint: None,
            guard_expression: None,
        })
    }

    /// ψ(t, q, v) = 0, over `t`, positions and velocities.
    ///
    /// # Errors
    /// The text is not an expression; the error gives the position.
    pub fn psi(text: &str) -> Result<Formula, ParseError> {
        Ok(Formula {
            kind: FormulaKind::Psi,
            expression: Expression::parse_dotted(text, &["t"])?,
            constraint: None,
            guard_expression: None,
        })
    }

    /// The text.
    pub fn text(&self) -> &str {
        self.expression.text()
    }

    /// The same with its names resolved in a model.
    pub(crate) fn bind(&self, name: &str, scope: &Scope) -> Result<Formula, BuildError> {
        let field = self.kind.field();
        let refuse = |what: String| {
            let fault = ParameterError::Value { field, what };
            Err(BuildError::Element { family: "constraint", name: name.to_string(), fault })
        };
        let reading = BoundExpression::new(&self.expression, 1, ("constraint", name, field), scope)?;
        let guarded = Some(reading.clone()).filter(|_| self.expression.guards() > 0);
        let velocity = reading.first_velocity().map(str::to_string);
        if reading.markers().is_empty() {
            return refuse("the formula names no body and no marker; it must act on something".to_string());
        }
        if reading.markers().len() > UserConstraint::MAX_MARKERS {
            return refuse(format!(
                "the formula reads {} frames and angles; it may read {} at most",
                reading.markers().len(),
                UserConstraint::MAX_MARKERS
            ));
        }
        let wanted: Vec<(String, _)> = reading.markers().to_vec();
        let wanted: Vec<MarkerReference> =
            wanted.iter().map(|(name, needs)| MarkerReference { name, kind: *needs }).collect();
        let bound = match (self.kind, velocity) {
            (FormulaKind::Phi, Some(velocity)) => {
                return refuse(format!("`{velocity}` is a velocity; give the formula as `psi`"));
            }
            (FormulaKind::Psi, None) => {
                return refuse("the formula contains no velocity; give it as `phi`".to_string());
            }
            (FormulaKind::Phi, None) => {
                UserConstraint::holonomic(&wanted, Positions(reading)).name_rows(&[("phi", "1")])
            }
            (FormulaKind::Psi, Some(_)) => {
                UserConstraint::nonholonomic(&wanted, Velocities(reading)).name_rows(&[("psi", "1")])
            }
        };
        Ok(Formula { constraint: Some(bound), guard_expression: guarded, ..self.clone() })
    }
}

#[derive(Debug)]
struct Positions(BoundExpression);

impl UserHolonomic for Positions {
    fn rows(&self) -> usize {
        1
    }
    fn phi<S: Scalar>(&self, t: S, at: &[UserPlace<S>], out: &mut [S]) {
        out[0] = self.0.evaluate([t], |marker, source| match source {
            MarkerComponent::Position(i) => at[marker].p[i],
            MarkerComponent::Velocity(_) | MarkerComponent::AngularVelocity(_) => S::from(f64::NAN),
        });
    }
}

#[derive(Debug)]
struct Velocities(BoundExpression);

impl UserNonholonomic for Velocities {
    fn rows(&self) -> usize {
        1
    }
    fn psi<S: Scalar>(&self, t: S, at: &[UserPlace<S>], moving: &[UserTwist<S>], out: &mut [S]) {
        out[0] = self.0.evaluate([t], |marker, source| match source {
            MarkerComponent::Position(i) => at[marker].p[i],
            MarkerComponent::Velocity(i) => moving[marker].v[i],
            MarkerComponent::AngularVelocity(i) => moving[marker].w[i],
        });
    }
}

impl Constraint for Formula {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        self.constraint.as_ref().map_or(Vec::new(), |b| b.markers())
    }

    fn rows(&self) -> Vec<RowInfo> {
        self.constraint.as_ref().map_or(Vec::new(), |b| b.rows())
    }

    fn check(&self) -> Result<(), ParameterError> {
        let unbound =
            || ParameterError::invalid("phi", "the names of the formula are not resolved; build it as part of a model");
        self.constraint.as_ref().ok_or_else(unbound)?.check()
    }

    fn position_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        if let Some(bound) = &self.constraint {
            bound.position_terms(at, rows);
        }
    }

    fn velocity_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        if let Some(bound) = &self.constraint {
            bound.velocity_terms(at, rows);
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

    fn guard_count(&self) -> usize {
        self.expression.guards()
    }

    fn guard_kind(&self, i: usize) -> GuardKind {
        self.expression.guard_kind(i)
    }

    fn guard(&self, at: &ElementInput, i: usize) -> f64 {
        let Some(reading) = &self.guard_expression else { return f64::INFINITY };
        reading.guard(i, [at.t], |marker, source| source.value(&at[marker]))
    }
}

impl FrictionLaw for Formula {}

#[cfg(test)]
mod tests;
