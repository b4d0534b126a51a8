//! A constraint written as text over the names of the solution's columns.

mod bound_expression;
mod bound_names;
mod scope;

pub(crate) use bound_expression::{BoundExpression, MAX_VARIABLES, check_syntax, parse_names};
pub(crate) use bound_names::{BoundNames, NameSource};
pub(crate) use scope::{MarkerComponent, MeasureComponent, ReactionNames, Scope};

use super::user::{FunctionInput, MarkerDual, UserFunction};
use super::{
    Constraint, Dependence, ElementInput, ExtraStates, FrictionLaw, MarkerReference, NonSmooth, RowInfo, RowLevel,
    RowTerms, UserConstraint,
};
use crate::breaks::{BreakList, GuardKind};
use crate::error::{BuildError, ParameterError};
use crate::expressions::ParseError;
use crate::scalar::{Jet, Scalar};
use crate::signals::PassedEnd;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
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
/// Coordinates of joints (`hinge.angle`), measures (`reach`) and signals (`wind`) have their names too; the rate of each is
/// `name.rate`. The names are looked up when the model is built, and from then on it is a [`UserConstraint`]: A, φ_t and c
/// come from dual numbers and jets, exact.
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
    text: String,
    /// The constraint with its names resolved; none before the model is built.
    bound: Option<BoundFormula>,
}

/// The constraint, and its expression for the guards: functions at whose zeros the formula changes its form.
#[derive(Clone, Debug)]
struct BoundFormula {
    constraint: UserConstraint,
    expression: Arc<BoundExpression>,
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
        let text = Some(formula.text);
        match formula.kind {
            FormulaKind::Phi => FormulaText { phi: text, psi: None },
            FormulaKind::Psi => FormulaText { phi: None, psi: text },
        }
    }
}

impl PartialEq for Formula {
    fn eq(&self, other: &Formula) -> bool {
        self.kind == other.kind && self.text == other.text
    }
}

impl Formula {
    /// φ(t, q) = 0, over `t` and positions.
    ///
    /// # Errors
    /// The text is not an expression; the error gives the position.
    pub fn phi(text: &str) -> Result<Formula, ParseError> {
        check_syntax(text)?;
        Ok(Formula { kind: FormulaKind::Phi, text: text.to_string(), bound: None })
    }

    /// ψ(t, q, v) = 0, over `t`, positions and velocities.
    ///
    /// # Errors
    /// The text is not an expression; the error gives the position.
    pub fn psi(text: &str) -> Result<Formula, ParseError> {
        check_syntax(text)?;
        Ok(Formula { kind: FormulaKind::Psi, text: text.to_string(), bound: None })
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The same with its names resolved in a model.
    pub(crate) fn bind(&self, name: &str, scope: &Scope) -> Result<Formula, BuildError> {
        let field = self.kind.field();
        let refuse = |what: String| {
            let fault = ParameterError::Value { field, what };
            Err(BuildError::Element { family: "constraint", name: name.to_string(), fault })
        };
        let expression = BoundExpression::new(&self.text, &["t"], ("constraint", name, field), scope)?;
        let wanted: Vec<MarkerReference> = expression.names.markers().collect();
        if wanted.is_empty() {
            return refuse("the formula names no body and no marker; it must act on something".to_string());
        }
        let (level, row) = match (self.kind, expression.first_velocity()) {
            (FormulaKind::Phi, Some(velocity)) => {
                return refuse(format!("`{velocity}` is a velocity; give the formula as `psi`"));
            }
            (FormulaKind::Psi, None) => {
                return refuse("the formula contains no velocity; give it as `phi`".to_string());
            }
            (FormulaKind::Phi, None) => (RowLevel::Position, ("phi", "1")),
            (FormulaKind::Psi, Some(_)) => (RowLevel::Velocity, ("psi", "1")),
        };
        let shared = Arc::new(expression.clone());
        let constraint = UserConstraint::new(&wanted, level, Arc::new(FormulaFunction(shared.clone())));
        let bound = BoundFormula { constraint: constraint.name_rows(&[row]), expression: shared };
        Ok(Formula { bound: Some(bound), ..self.clone() })
    }
}

/// The formula as a function over any scalar.
#[derive(Debug)]
struct FormulaFunction(Arc<BoundExpression>);

impl FormulaFunction {
    fn value<S: Scalar>(&self, of: FunctionInput<S>) -> S {
        let FunctionInput { t, at, moving, z } = of;
        self.0.evaluate([t], |k| self.0.names.generic_value(k, t, at, moving, z))
    }
}

impl UserFunction for FormulaFunction {
    fn rows(&self) -> usize {
        1
    }
    fn check(&self) -> Result<(), ParameterError> {
        Ok(())
    }
    fn evaluate_dual(&self, of: FunctionInput<MarkerDual>, out: &mut [MarkerDual]) {
        out[0] = self.value(of);
    }
    fn evaluate_jet(&self, of: FunctionInput<Jet>, out: &mut [Jet]) {
        out[0] = self.value(of);
    }
}

impl Constraint for Formula {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        self.bound.as_ref().map_or(Vec::new(), |b| b.constraint.markers())
    }

    fn rows(&self) -> Vec<RowInfo> {
        self.bound.as_ref().map_or(Vec::new(), |b| b.constraint.rows())
    }

    fn check(&self) -> Result<(), ParameterError> {
        let unbound =
            || ParameterError::invalid("phi", "the names of the formula are not resolved; build it as part of a model");
        self.bound.as_ref().ok_or_else(unbound)?.constraint.check()
    }

    fn position_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        if let Some(bound) = &self.bound {
            bound.constraint.position_terms(at, rows);
        }
    }

    fn velocity_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        if let Some(bound) = &self.bound {
            bound.constraint.velocity_terms(at, rows);
        }
    }

    fn dependence(&self) -> Dependence {
        Dependence::Unknown
    }
}

impl Formula {
    fn names(&self) -> Option<&BoundNames> {
        self.bound.as_ref().map(|b| &b.expression.names)
    }
}

impl ExtraStates for Formula {
    fn state_count(&self) -> usize {
        self.names().map_or(0, BoundNames::counter_count)
    }

    fn initialise_states(&self, at: &ElementInput, z: &mut [f64]) {
        self.names().into_iter().for_each(|names| names.initialise_counters(at, z));
    }

    fn state_rates(&self, at: &ElementInput, zdot: &mut [f64]) {
        self.names().into_iter().for_each(|names| names.counter_rates(at, zdot));
    }

    fn angle_markers(&self) -> Vec<[usize; 2]> {
        self.names().into_iter().flat_map(|names| names.angle_markers(0)).collect()
    }
}

impl NonSmooth for Formula {
    fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        self.bound.iter().for_each(|b| b.expression.breaks(from, to, list));
    }

    fn guard_count(&self) -> usize {
        self.bound.as_ref().map_or(0, |b| b.expression.guard_count())
    }

    fn guard_kind(&self, i: usize) -> GuardKind {
        self.bound.as_ref().map_or(GuardKind::Switch, |b| b.expression.guard_kind(i))
    }

    fn guard(&self, at: &ElementInput, i: usize) -> f64 {
        let Some(BoundFormula { expression, .. }) = &self.bound else { return f64::INFINITY };
        expression.guard(i, [at.t], |k| expression.names.value(k, at))
    }

    fn has_bounded_tables(&self) -> bool {
        self.names().is_some_and(BoundNames::has_bounded_tables)
    }

    fn exceeded_table(&self, at: &ElementInput) -> Option<PassedEnd> {
        self.names()?.exceeded_table(at.t)
    }
}

impl FrictionLaw for Formula {}

#[cfg(test)]
mod tests;
