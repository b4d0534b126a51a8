//! Prescribed functions of time, and force laws.
//!
//! A [`Signal`] drives a motion or a load.  [`Signal::at`] gives its value with velocity and
//! acceleration, which a rheonomic constraint needs, and allocates nothing.  A [`ForceLaw`] is the
//! force of a spring, damper or actuator.

use std::fmt;
use std::sync::Arc;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::breaks::BreakList;
use crate::expressions::TimeExpression;
use crate::scalar::{Jet, Scalar};

mod custom;
mod error;
mod force_law;
mod harmonic;
mod interpolant;
mod interpolation_kind;
mod polynomial;
mod smooth_step;
mod table;
mod text;

pub use custom::SignalFunction;
pub use error::SignalError;
pub use force_law::{
    Characteristic, ForceLaw, ForceLawExpression, ForceLawFunction, LinearLaw, PolynomialLaw, TableLaw,
};
pub use harmonic::Harmonic;
pub use interpolant::{Extrapolation, Interpolant, Interpolation, PassedEnd, SplineEnds};
pub use polynomial::Polynomial;
pub use smooth_step::SmoothStep;
pub use table::TableSignal;

/// A prescribed function of time.
///
/// In a file it is a map with a `type`, such as
/// `{"type": "harmonic", "amplitude": 0.1, "omega": 6.28}`; a bare number is a constant and a
/// bare string an expression in `t`.
///
/// # Examples
///
/// ```
/// use taut::Signal;
///
/// let ramp = Signal::polynomial([1.0, 2.0]); // 1 + 2 t
/// let wave = Signal::harmonic(0.5, 4.0, 0.0); // 0.5 sin(4 t)
/// let text = Signal::expression("0.1*t^2")?;
/// assert_eq!(ramp.at(3.0).f, 7.0);
/// assert_eq!(wave.at(0.0).df, 2.0);
/// assert!((text.at(1.0).ddf - 0.2).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Signal {
    /// The same value at all times.
    Constant {
        /// The value.
        value: f64,
    },
    /// A polynomial in time.
    Polynomial(Polynomial),
    /// A harmonic oscillation.
    Harmonic(Harmonic),
    /// A curve through points.
    Table(TableSignal),
    /// A transition between two values with continuous acceleration.
    SmoothStep(SmoothStep),
    /// A formula in `t`.
    Expression {
        /// The formula.
        formula: TimeExpression,
    },
    /// A function written in Rust.  It cannot be written to a file.
    #[serde(skip)]
    Custom(Arc<dyn SignalFunction>),
}

impl Signal {
    /// The same value at all times.
    pub fn constant(value: f64) -> Signal {
        Signal::Constant { value }
    }

    /// c₀ + c₁ t + c₂ t² + … with the coefficients in this order.
    pub fn polynomial(coefficients: impl Into<Vec<f64>>) -> Signal {
        Signal::Polynomial(Polynomial { coefficients: coefficients.into(), t0: 0.0 })
    }

    /// amplitude · sin(omega t + phase); `omega` in rad/s.
    pub fn harmonic(amplitude: f64, omega: f64, phase: f64) -> Signal {
        Signal::Harmonic(Harmonic { amplitude, omega, phase, offset: 0.0 })
    }

    /// Straight lines through the points (t, y), held constant outside.  See [`TableSignal::new`] for other curves.
    pub fn table(t: impl Into<Vec<f64>>, y: impl Into<Vec<f64>>) -> Result<Signal, SignalError> {
        let table = TableSignal::new(t.into(), y.into(), Interpolation::Linear, Extrapolation::Hold)?;
        Ok(Signal::Table(table))
    }

    /// y0 until t0, y1 from t1 on, and a transition with continuous acceleration between them.
    pub fn smooth_step(t0: f64, t1: f64, y0: f64, y1: f64) -> Signal {
        Signal::SmoothStep(SmoothStep { t0, t1, y0, y1 })
    }

    /// A formula in `t`; see [`crate::expressions`] for the language.
    pub fn expression(text: &str) -> Result<Signal, SignalError> {
        let formula = TimeExpression::parse(text)
            .map_err(|source| SignalError::Expression { place: "expression signal", source })?;
        Ok(Signal::Expression { formula })
    }

    /// A closure over jets, printed under the given name.
    pub fn custom(name: impl Into<String>, function: impl Fn(Jet) -> Jet + Send + Sync + 'static) -> Signal {
        let name = name.into();
        Signal::Custom(Arc::new(custom::NamedFunction { name, function }))
    }

    /// The value at time `t` with its first and second derivative.
    pub fn at(&self, t: f64) -> Jet {
        let t = Jet::variable(t);
        match self {
            Signal::Constant { value } => Jet::constant(*value),
            Signal::Polynomial(polynomial) => polynomial.at(t),
            Signal::Harmonic(harmonic) => harmonic.at(t),
            Signal::Table(table) => table.at(t),
            Signal::SmoothStep(step) => step.at(t),
            Signal::Expression { formula } => formula.at(t),
            Signal::Custom(function) => function.at(t),
        }
    }

    /// Adds the times between `from` and `to` at which the signal or one of its derivatives is not smooth.
    pub fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        match self {
            Signal::Constant { .. } | Signal::Polynomial(_) | Signal::Harmonic(_) => {}
            Signal::Table(table) => table.curve().breaks(from, to, list),
            Signal::SmoothStep(step) => step.breaks(from, to, list),
            Signal::Expression { formula } => formula.expression().breaks(from, to, list),
            Signal::Custom(function) => function.breaks(from, to, list),
        }
    }

    /// Whether it is a table with ends (not periodic).
    pub fn has_ends(&self) -> bool {
        matches!(self, Signal::Table(table) if table.curve().has_ends())
    }

    /// The end of the table if `t` lies outside the table.
    pub fn passed_end(&self, t: f64) -> Option<PassedEnd> {
        match self {
            Signal::Table(table) => table.curve().passed_end(t),
            _ => None,
        }
    }

    /// Checks the parameters.  Tables and expressions have been checked when they were created; a
    /// custom function is not checked.
    pub fn check(&self) -> Result<(), SignalError> {
        match self {
            Signal::Constant { value } => error::finite("constant signal", &[("value", *value)]),
            Signal::Polynomial(polynomial) => polynomial.check(),
            Signal::Harmonic(harmonic) => harmonic.check(),
            Signal::SmoothStep(step) => step.check(),
            Signal::Table(_) | Signal::Expression { .. } | Signal::Custom(_) => Ok(()),
        }
    }

    /// Whether the signal is known to have the same value at all times.
    pub fn is_constant(&self) -> bool {
        match self {
            Signal::Constant { .. } => true,
            Signal::Polynomial(polynomial) => polynomial.is_constant(),
            Signal::Harmonic(harmonic) => harmonic.is_constant(),
            Signal::SmoothStep(step) => step.is_constant(),
            Signal::Expression { formula } => formula.expression().constant().is_some(),
            Signal::Table(_) | Signal::Custom(_) => false,
        }
    }

    /// Whether the signal is known to be 0 at all times.
    pub fn is_zero(&self) -> bool {
        self.is_constant() && self.at(0.0).value() == 0.0
    }
}

impl Default for Signal {
    fn default() -> Signal {
        Signal::constant(0.0)
    }
}

impl From<f64> for Signal {
    fn from(value: f64) -> Signal {
        Signal::constant(value)
    }
}

/// Equal parameters; custom functions are equal only to themselves and their clones.
impl PartialEq for Signal {
    fn eq(&self, other: &Signal) -> bool {
        match (self, other) {
            (Signal::Constant { value: a }, Signal::Constant { value: b }) => a == b,
            (Signal::Polynomial(a), Signal::Polynomial(b)) => a == b,
            (Signal::Harmonic(a), Signal::Harmonic(b)) => a == b,
            (Signal::Table(a), Signal::Table(b)) => a == b,
            (Signal::SmoothStep(a), Signal::SmoothStep(b)) => a == b,
            (Signal::Expression { formula: a }, Signal::Expression { formula: b }) => a == b,
            (Signal::Custom(a), Signal::Custom(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

/// The form of a signal in a file with a `type` tag.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum TaggedSignal {
    Constant { value: f64 },
    Polynomial(Polynomial),
    Harmonic(Harmonic),
    Table(TableSignal),
    SmoothStep(SmoothStep),
    Expression { formula: TimeExpression },
}

impl From<TaggedSignal> for Signal {
    fn from(spelt: TaggedSignal) -> Signal {
        match spelt {
            TaggedSignal::Constant { value } => Signal::Constant { value },
            TaggedSignal::Polynomial(polynomial) => Signal::Polynomial(polynomial),
            TaggedSignal::Harmonic(harmonic) => Signal::Harmonic(harmonic),
            TaggedSignal::Table(table) => Signal::Table(table),
            TaggedSignal::SmoothStep(step) => Signal::SmoothStep(step),
            TaggedSignal::Expression { formula } => Signal::Expression { formula },
        }
    }
}

impl<'de> Deserialize<'de> for Signal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Signal, D::Error> {
        // Not an untagged enum: that would lose the reason why a signal is rejected.
        deserializer.deserialize_any(SignalVisitor)
    }
}

struct SignalVisitor;

impl<'de> Visitor<'de> for SignalVisitor {
    type Value = Signal;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a number, an expression in t, or a signal with a type")
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Signal, E> {
        Ok(Signal::constant(value))
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Signal, E> {
        Ok(Signal::constant(value as f64))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Signal, E> {
        Ok(Signal::constant(value as f64))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Signal, E> {
        Signal::expression(text).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Signal, A::Error> {
        TaggedSignal::deserialize(MapAccessDeserializer::new(map)).map(Signal::from)
    }
}

#[cfg(test)]
mod tests;
