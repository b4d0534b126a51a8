//! Measures by formula: columns computed from other measures, coordinates and signals, in a unit of the user's choice.

use super::events::MeasuredExpression;
use serde::{Deserialize, Serialize};

/// A quantity computed from others, and its unit.
///
/// # Examples
///
/// ```
/// use taut::FormulaMeasure;
/// use taut::prelude::*;
///
/// let mut spec = Spec::new();
/// spec.body("rod", PlanarBody::rod(1.0, 0.5).moving([0.0; 2], 2.0))
///     .formula_measure("slope", FormulaMeasure::new("rod.theta").in_unit("deg", 180.0 / std::f64::consts::PI));
/// let model = spec.build()?;
/// let run = simulate(&model, &model.initial_state(), &Transient::to(0.5))?;
/// assert!((run.last("slope")? - 57.29577951).abs() < 1e-6);
/// assert!((run.last("slope.rate")? - 114.591559).abs() < 1e-5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FormulaMeasure {
    /// The formula, in SI units.
    pub formula: String,
    /// The unit of its column.
    pub unit: String,
    /// The value in this unit per value in SI units.
    pub factor: f64,
}

impl FormulaMeasure {
    /// A plain number.
    pub fn new(formula: &str) -> FormulaMeasure {
        FormulaMeasure { formula: formula.to_string(), unit: "1".to_string(), factor: 1.0 }
    }

    /// The same in a unit; `factor` is the value in this unit per value in SI units.
    pub fn in_unit(self, unit: &str, factor: f64) -> FormulaMeasure {
        FormulaMeasure { unit: unit.to_string(), factor, ..self }
    }
}

/// A measure by formula in a model.
#[derive(Clone, Debug)]
pub(crate) struct FormulaMeasureEntry {
    pub name: String,
    pub expression: MeasuredExpression,
    pub unit: String,
    pub factor: f64,
}
