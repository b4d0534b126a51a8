//! Force laws of springs, dampers and actuators.
//!
//! A law gives the generalised force that acts **on** a coordinate s, so that a spring pulls
//! back: f = -k (s - s₀) - c ṡ.  For the length of a spring between two points a negative force
//! is tension.  The elastic part derives from a potential, f = -dU/ds; [`Law::stored_energy`] is
//! that potential if one is known; the rest of the force counts as non-conservative.

use std::fmt;
use std::sync::Arc;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::{Beyond, SignalError};
use crate::breaks::{BreakList, GuardKind};
use crate::scalar::{Dual, Scalar};

mod custom;
mod expression;
mod linear;
mod polynomial;
mod table;

pub use custom::LawFunction;
pub use expression::LawExpression;
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
pub enum Law {
    /// A linear spring and damper in parallel.
    Linear(LinearLaw),
    /// A spring and damper with polynomial characteristics.
    Polynomial(PolynomialLaw),
    /// A spring and damper with measured characteristics.
    Table(TableLaw),
    /// A formula in `s`, `rate` and `t` for the force itself.
    Expression {
        /// The formula.
        formula: LawExpression,
    },
    /// A function written in Rust.  It cannot be written to a file.
    #[serde(skip)]
    Custom(Arc<dyn LawFunction>),
}

impl Law {
    /// f = -stiffness (s - rest) - damping · rate
    pub fn linear(stiffness: f64, damping: f64, rest: f64) -> Law {
        Law::Linear(LinearLaw { stiffness, damping, rest, preload: 0.0 })
    }

    /// A formula in `s`, `rate` and `t` for the force on the coordinate.
    pub fn expression(text: &str) -> Result<Law, SignalError> {
        let formula = LawExpression::parse(text)?;
        Ok(Law::Expression { formula })
    }

    /// A closure (s, rate, t) ↦ force, printed under the given name.
    pub fn custom(
        name: impl Into<String>,
        function: impl Fn(Dual<2>, Dual<2>, f64) -> Dual<2> + Send + Sync + 'static,
    ) -> Law {
        let name = name.into();
        Law::Custom(Arc::new(super::custom::Named { name, function }))
    }

    /// The force on the coordinate.
    pub fn force(&self, s: f64, rate: f64, t: f64) -> f64 {
        match self {
            Law::Linear(law) => law.force(s, rate),
            Law::Polynomial(law) => law.force(s, rate),
            Law::Table(law) => law.force(s, rate),
            Law::Expression { formula } => formula.force(s, rate, t),
            Law::Custom(law) => {
                let force = law.force(Dual::constant(s), Dual::constant(rate), t);
                force.value()
            }
        }
    }

    /// The slopes (∂f/∂s, ∂f/∂rate) of the force, exact.
    pub fn derivatives(&self, s: f64, rate: f64, t: f64) -> (f64, f64) {
        let [s, rate] = Dual::variables([s, rate]);
        let force = match self {
            Law::Linear(law) => law.force(s, rate),
            Law::Polynomial(law) => law.force(s, rate),
            Law::Table(law) => law.force(s, rate),
            Law::Expression { formula } => formula.force(s, rate, Dual::constant(t)),
            Law::Custom(law) => law.force(s, rate, t),
        };
        (force.eps[0], force.eps[1])
    }

    /// The potential of the elastic part, 0 at the rest position; `None` if the law has no known
    /// potential, and all its work counts as non-conservative.
    pub fn stored_energy(&self, s: f64) -> Option<f64> {
        match self {
            Law::Linear(law) => Some(law.stored_energy(s)),
            Law::Polynomial(law) => Some(law.stored_energy(s)),
            Law::Table(law) => Some(law.stored_energy(s)),
            Law::Expression { .. } => None,
            Law::Custom(law) => Some(law.stored_energy(Dual::constant(s))?.value()),
        }
    }

    /// The elastic part of the force, minus the slope of the stored energy; 0 where there is no
    /// potential.
    pub fn conservative_force(&self, s: f64) -> f64 {
        match self {
            Law::Linear(law) => law.elastic_force(s),
            Law::Polynomial(law) => law.elastic_force(s),
            Law::Table(law) => law.elastic_force(s),
            Law::Expression { .. } => 0.0,
            Law::Custom(law) => match law.stored_energy(Dual::variable(s, 0)) {
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
            Law::Linear(law) => law.viscous_force(rate),
            Law::Polynomial(law) => law.viscous_force(rate),
            Law::Table(law) => law.viscous_force(rate),
            Law::Expression { .. } | Law::Custom(_) => self.force(s, rate, t) - self.conservative_force(s),
        }
    }

    /// Adds the times between `from` and `to` at which the force is not smooth for any s and rate.
    pub fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        if let Law::Expression { formula } = self {
            formula.expression().breaks(from, to, list);
        }
    }

    /// The number of guards: functions of s, its rate and time at whose zeros the force or one of its derivatives is not smooth.
    pub fn guards(&self) -> usize {
        match self {
            Law::Linear(_) | Law::Polynomial(_) => 0,
            Law::Table(law) => law.guards(),
            Law::Expression { formula } => formula.expression().guards(),
            Law::Custom(law) => law.guards(),
        }
    }

    /// The kind of guard `i`.
    pub fn guard_kind(&self, i: usize) -> GuardKind {
        match self {
            Law::Expression { formula } => formula.expression().guard_kind(i),
            _ => GuardKind::Switch,
        }
    }

    /// The value of guard `i`.
    pub fn guard(&self, i: usize, s: f64, rate: f64, t: f64) -> f64 {
        match self {
            Law::Linear(_) | Law::Polynomial(_) => f64::INFINITY,
            Law::Table(law) => law.guard(i, s, rate),
            Law::Expression { formula } => formula.expression().guard(i, &[s, rate, t]),
            Law::Custom(law) => law.guard(i, s, rate, t),
        }
    }

    /// Whether it has a table with ends (not periodic).
    pub fn has_ends(&self) -> bool {
        matches!(self, Law::Table(law) if law.curves(0.0, 0.0).any(|(curve, _)| curve.curve().has_ends()))
    }

    /// The end of a table that s or its rate has passed.
    pub fn beyond(&self, s: f64, rate: f64) -> Option<Beyond> {
        match self {
            Law::Table(law) => law.curves(s, rate).find_map(|(curve, x)| curve.curve().beyond(x)),
            _ => None,
        }
    }

    /// Checks the parameters.  Tables and expressions have been checked when they were created; a
    /// custom function is not checked.
    pub fn check(&self) -> Result<(), SignalError> {
        match self {
            Law::Linear(law) => law.check(),
            Law::Polynomial(law) => law.check(),
            Law::Table(law) => law.check(),
            Law::Expression { .. } | Law::Custom(_) => Ok(()),
        }
    }
}

/// Equal parameters; custom functions are equal only to themselves and their clones.
impl PartialEq for Law {
    fn eq(&self, other: &Law) -> bool {
        match (self, other) {
            (Law::Linear(a), Law::Linear(b)) => a == b,
            (Law::Polynomial(a), Law::Polynomial(b)) => a == b,
            (Law::Table(a), Law::Table(b)) => a == b,
            (Law::Expression { formula: a }, Law::Expression { formula: b }) => a == b,
            (Law::Custom(a), Law::Custom(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

/// The form of a force law in a file with a `type` tag.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Spelt {
    Linear(LinearLaw),
    Polynomial(PolynomialLaw),
    Table(TableLaw),
    Expression { formula: LawExpression },
}

impl From<Spelt> for Law {
    fn from(spelt: Spelt) -> Law {
        match spelt {
            Spelt::Linear(law) => Law::Linear(law),
            Spelt::Polynomial(law) => Law::Polynomial(law),
            Spelt::Table(law) => Law::Table(law),
            Spelt::Expression { formula } => Law::Expression { formula },
        }
    }
}

impl<'de> Deserialize<'de> for Law {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Law, D::Error> {
        deserializer.deserialize_any(LawVisitor)
    }
}

struct LawVisitor;

impl<'de> Visitor<'de> for LawVisitor {
    type Value = Law;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an expression in s, rate and t, or a force law with a type")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Law, E> {
        Law::expression(text).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Law, A::Error> {
        Spelt::deserialize(MapAccessDeserializer::new(map)).map(Law::from)
    }
}

#[cfg(test)]
mod tests;
