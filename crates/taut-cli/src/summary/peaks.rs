//! Largest values per element, and the columns from which they are read.

use serde_json::{Value, json};

/// A largest value and when it occurred.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Peak {
    /// The value.
    pub value: f64,
    /// Time of the value, s.
    pub t: f64,
}

impl Peak {
    /// Replaces the peak if the value is larger.
    pub fn update(&mut self, value: f64, t: f64) {
        // NaN counts as larger than any number.
        if value > self.value || (value.is_nan() && !self.value.is_nan()) {
            *self = Peak { value, t };
        }
    }

    /// As JSON; the unit is the key of the value.
    pub fn json(self, unit: &str) -> Value {
        json!({ unit: finite_or_null(self.value), "t": self.t })
    }
}

/// Largest magnitude of a vector given by three columns.
#[derive(Clone, Debug)]
pub struct VectorPeak {
    pub name: String,
    pub columns: [usize; 3],
    pub peak: Peak,
}

/// Largest force and moment of a constraint on a marker.
#[derive(Clone, Debug)]
pub struct ReactionPeak {
    pub force: VectorPeak,
    pub moment: Option<VectorPeak>,
}

/// Force or torque of a driver: the multiplier of its row.
#[derive(Clone, Debug)]
pub struct DriverEffort {
    pub name: String,
    pub unit: String,
    pub column: usize,
    pub minimum: Peak,
    pub maximum: Peak,
}

/// Largest residual at one level (position, velocity, acceleration).
#[derive(Clone, Debug)]
pub struct ResidualLevel {
    pub name: &'static str,
    pub columns: [usize; 2],
    pub worst: Peak,
    pub row: usize,
}

/// A contact in a time-stepping run.
#[derive(Clone, Debug)]
pub struct ContactPeak {
    pub name: String,
    /// Columns of the impulse since the start and of the gap.
    pub columns: [usize; 2],
    pub impulse: f64,
    pub largest_overlap: Peak,
}

/// The number, or null: JSON has no NaN and no infinity.
pub fn finite_or_null(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}
