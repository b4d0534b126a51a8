//! Force laws of springs, dampers and actuators.
//!
//! A law gives the generalised force that acts **on** a coordinate s, so that a spring pulls
//! back: f = -k (s - s₀) - c ṡ.  For the length of a spring between two points a negative force
//! is tension.  The elastic part derives from a potential, f = -dU/ds; [`ForceLaw::stored_energy`] is
//! that potential if one is known; the rest of the force counts as non-conservative.

use std::fmt;
use std::sync::Arc;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::{PassedEnd, SignalError};
use crate::breaks::{BreakList, GuardKind};
use crate::expressions::names_in;
use crate::scalar::{Dual, Scalar};

mod custom;
mod expression;
mod linear;
mod polynomial;
mod table;

pub use custom::ForceLawFunction;
pub use expression::ForceLawExpression;
pub use linear::LinearLaw;
pub use polynomial::PolynomialLaw;
pub use table::{Characteristic, TableLaw};

/// The force on a coordinate s as a function of s, its rate and the time.
///
/// In a file it is a map with a `type`, such as
/// `{"type": "linear", "stiffness": 1000, "damping": 5, "rest": 0.2}`; a bare string is an
/// expression in `s`, `rate` and `t`.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ForceLaw {
    /// A linear spring and damper in parallel.
    Linear(LinearLaw),
    /// A spring and damper with polynomial characteristics.
    Polynomial(PolynomialLaw),
    /// A spring and damper with measured characteristics.
    Table(TableLaw),
    /// A formula in `s`, `rate` and `t` for the force itself.
    Expression {
        /// The formula.
        formula: ForceLawExpression,
    },
    /// A function written in Rust.  It cannot be written to a file.
    #[serde(skip)]
    Custom(Arc<dyn ForceLawFunction>),
}

impl ForceLaw {
    /// f = -stiffness (s - rest) - damping · rate
    pub fn linear(stiffness: f64, damping: f64, rest: f64) -> ForceLaw {
        ForceLaw::Linear(LinearLaw { stiffness, damping, rest, preload: 0.0 })
    }

    /// A formula in `s`, `rate` and `t` for the force on the coordinate.
    pub fn expression(text: &str) -> Result<ForceLaw, SignalError> {
        let formula = ForceLawExpression::parse(text)?;
        Ok(ForceLaw::Expression { formula })
    }

    /// A closure (s, rate, t) ↦ force, printed under the given name.
    pub fn custom(
        name: impl Into<String>,
        function: impl Fn(Dual<2>, Dual<2>, f64) -> Dual<2> + Send + Sync + 'static,
    ) -> ForceLaw {
        let name = name.into();
        ForceLaw::Custom(Arc::new(super::custom::NamedFunction { name, function }))
    }

    /// The force on the coordinate.
    pub fn force(&self, s: f64, rate: f64, t: f64) -> f64 {
        match self {
            ForceLaw::Linear(law) => law.force(s, rate),
            ForceLaw::Polynomial(law) => law.force(s, rate),
            ForceLaw::Table(law) => law.force(s, rate),
            ForceLaw::Expression { formula } => formula.force(s, rate, t),
            ForceLaw::Custom(law) => {
                let force = law.force(Dual::constant(s), Dual::constant(rate), t);
                force.value()
            }
        }
    }

    /// The force over any scalar; none for a function written in code.
    pub(crate) fn generic_force<S: Scalar>(&self, s: S, rate: S, t: S) -> Option<S> {
        Some(match self {
            ForceLaw::Linear(law) => law.force(s, rate),
            ForceLaw::Polynomial(law) => law.force(s, rate),
            ForceLaw::Table(law) => law.force(s, rate),
            ForceLaw::Expression { formula } => formula.force(s, rate, t),
            ForceLaw::Custom(_) => return None,
        })
    }

    /// Whether it is a function written in code.
    pub(crate) fn is_custom(&self) -> bool {
        matches!(self, ForceLaw::Custom(_))
    }

    /// Whether the force may depend on the rate.
    pub(crate) fn depends_on_rate(&self) -> bool {
        match self {
            ForceLaw::Linear(law) => law.damping != 0.0,
            ForceLaw::Polynomial(law) => law.damping.iter().any(|c| *c != 0.0),
            ForceLaw::Table(law) => law.viscous.is_some(),
            ForceLaw::Expression { formula } => names_in(formula.expression().text()).contains(&"rate"),
            ForceLaw::Custom(_) => true,
        }
    }

    /// The slopes (∂f/∂s, ∂f/∂rate) of the force, exact.
    pub fn derivatives(&self, s: f64, rate: f64, t: f64) -> (f64, f64) {
        let [s, rate] = Dual::variables([s, rate]);
        let force = match self {
            ForceLaw::Linear(law) => law.force(s, rate),
            ForceLaw::Polynomial(law) => law.force(s, rate),
            ForceLaw::Table(law) => law.force(s, rate),
            ForceLaw::Expression { formula } => formula.force(s, rate, Dual::constant(t)),
            ForceLaw::Custom(law) => law.force(s, rate, t),
        };
        (force.eps[0], force.eps[1])
    }

    /// The potential of the elastic part, 0 at the rest position; `None` if the law has no known
    /// potential, and all its work counts as non-conservative.
    pub fn stored_energy(&self, s: f64) -> Option<f64> {
        match self {
            ForceLaw::Linear(law) => Some(law.stored_energy(s)),
            ForceLaw::Polynomial(law) => Some(law.stored_energy(s)),
            ForceLaw::Table(law) => Some(law.stored_energy(s)),
            ForceLaw::Expression { .. } => None,
            ForceLaw::Custom(law) => Some(law.stored_energy(Dual::constant(s))?.value()),
        }
    }

    /// The elastic part of the force, minus the slope of the stored energy; 0 where there is no
    /// potential.
    pub fn conservative_force(&self, s: f64) -> f64 {
        match self {
            ForceLaw::Linear(law) => law.elastic_force(s),
            ForceLaw::Polynomial(law) => law.elastic_force(s),
            ForceLaw::Table(law) => law.elastic_force(s),
            ForceLaw::Expression { .. } => 0.0,
            ForceLaw::Custom(law) => match law.stored_energy(Dual::variable(s, 0)) {
                Some(energy) => -energy.eps[0],
                None => 0.0,
            },
        }
    }

    /// The non-elastic part of the force: damping and drive.  Its product with the rate is the
    /// supplied power, negative for dissipation.
    pub fn nonconservative_force(&self, s: f64, rate: f64, t: f64) -> f64 {
        match self {
            // Not by subtraction: the round-off of a stiff spring would remain in the damping.
            ForceLaw::Linear(law) => law.viscous_force(rate),
            ForceLaw::Polynomial(law) => law.viscous_force(rate),
            ForceLaw::Table(law) => law.viscous_force(rate),
            ForceLaw::Expression { .. } | ForceLaw::Custom(_) => self.force(s, rate, t) - self.conservative_force(s),
        }
    }

    /// Adds the times between `from` and `to` at which the force is not smooth for any s and rate.
    pub fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        if let ForceLaw::Expression { formula } = self {
            formula.expression().breaks(from, to, list);
        }
    }

    /// The number of guards: functions of s, its rate and time at whose zeros the force or one of its derivatives is not smooth.
    pub fn guards(&self) -> usize {
        match self {
            ForceLaw::Linear(_) | ForceLaw::Polynomial(_) => 0,
            ForceLaw::Table(law) => law.guards(),
            ForceLaw::Expression { formula } => formula.expression().guards(),
            ForceLaw::Custom(law) => law.guards(),
        }
    }

    /// The kind of guard `i`.
    pub fn guard_kind(&self, i: usize) -> GuardKind {
        match self {
            ForceLaw::Expression { formula } => formula.expression().guard_kind(i),
            _ => GuardKind::Switch,
        }
    }

    /// The value of guard `i`.
    pub fn guard(&self, i: usize, s: f64, rate: f64, t: f64) -> f64 {
        match self {
            ForceLaw::Linear(_) | ForceLaw::Polynomial(_) => f64::INFINITY,
            ForceLaw::Table(law) => law.guard(i, s, rate),
            ForceLaw::Expression { formula } => formula.expression().guard(i, &[s, rate, t]),
            ForceLaw::Custom(law) => law.guard(i, s, rate, t),
        }
    }

    /// Whether it has a table with ends (not periodic).
    pub fn has_ends(&self) -> bool {
        matches!(self, ForceLaw::Table(law) if law.curves(0.0, 0.0).any(|(curve, _)| curve.curve().has_ends()))
    }

    /// The end of a table that s or its rate has passed.
    pub fn passed_end(&self, s: f64, rate: f64) -> Option<PassedEnd> {
        match self {
            ForceLaw::Table(law) => law.curves(s, rate).find_map(|(curve, x)| curve.curve().passed_end(x)),
            _ => None,
        }
    }

    /// Checks the parameters.  Tables and expressions have been checked when they were created; a
    /// custom function is not checked.
    pub fn check(&self) -> Result<(), SignalError> {
        match self {
            ForceLaw::Linear(law) => law.check(),
            ForceLaw::Polynomial(law) => law.check(),
            ForceLaw::Table(law) => law.check(),
            ForceLaw::Expression { .. } | ForceLaw::Custom(_) => Ok(()),
        }
    }
}

/// Equal parameters; custom functions are equal only to themselves and their clones.
impl PartialEq for ForceLaw {
    fn eq(&self, other: &ForceLaw) -> bool {
        match (self, other) {
            (ForceLaw::Linear(a), ForceLaw::Linear(b)) => a == b,
            (ForceLaw::Polynomial(a), ForceLaw::Polynomial(b)) => a == b,
            (ForceLaw::Table(a), ForceLaw::Table(b)) => a == b,
            (ForceLaw::Expression { formula: a }, ForceLaw::Expression { formula: b }) => a == b,
            (ForceLaw::Custom(a), ForceLaw::Custom(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

/// The form of a force law in a file with a `type` tag.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum TaggedForceLaw {
    Linear(LinearLaw),
    Polynomial(PolynomialLaw),
    Table(TableLaw),
    Expression { formula: ForceLawExpression },
}

impl From<TaggedForceLaw> for ForceLaw {
    fn from(spelt: TaggedForceLaw) -> ForceLaw {
        match spelt {
            TaggedForceLaw::Linear(law) => ForceLaw::Linear(law),
            TaggedForceLaw::Polynomial(law) => ForceLaw::Polynomial(law),
            TaggedForceLaw::Table(law) => ForceLaw::Table(law),
            TaggedForceLaw::Expression { formula } => ForceLaw::Expression { formula },
        }
    }
}

impl<'de> Deserialize<'de> for ForceLaw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ForceLaw, D::Error> {
        deserializer.deserialize_any(ForceLawVisitor)
    }
}

struct ForceLawVisitor;

impl<'de> Visitor<'de> for ForceLawVisitor {
    type Value = ForceLaw;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an expression in s, rate and t, or a force law with a type")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<ForceLaw, E> {
        ForceLaw::expression(text).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ForceLaw, A::Error> {
        TaggedForceLaw::deserialize(MapAccessDeserializer::new(map)).map(ForceLaw::from)
    }
}

#[cfg(test)]
mod tests;
