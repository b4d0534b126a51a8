//! What is gathered of each thing: largest values, and where in the rows they are.

use serde_json::{Value, json};

/// A largest value and when it occurred.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Peak {
    /// The value.
    pub value: f64,
    /// When, s.
    pub t: f64,
}

impl Peak {
    /// Takes in a value that may be larger.
    pub fn raise(&mut self, value: f64, t: f64) {
        // What is not a number is worse than any.
        if value > self.value || (value.is_nan() && !self.value.is_nan()) {
            *self = Peak { value, t };
        }
    }

    /// As data, the value under its unit.
    pub fn json(self, unit: &str) -> Value {
        json!({ unit: finite(self.value), "t": self.t })
    }
}

/// Three columns that are a vector.
#[derive(Clone, Debug)]
pub struct Vector {
    pub name: String,
    pub columns: [usize; 3],
    pub peak: Peak,
}

/// Largest reaction of a constraint on a marker.
#[derive(Clone, Debug)]
pub struct Reaction {
    pub force: Vector,
    pub moment: Option<Vector>,
}

/// The multiplier of a row that drives something: the drive's effort.
#[derive(Clone, Debug)]
pub struct Drive {
    pub name: String,
    pub unit: String,
    pub column: usize,
    pub least: Peak,
    pub most: Peak,
}

/// Worst residual at one level.
#[derive(Clone, Debug)]
pub struct Level {
    pub name: &'static str,
    pub columns: [usize; 2],
    pub worst: Peak,
    pub row: usize,
}

/// A contact of a march in time steps.
#[derive(Clone, Debug)]
pub struct Contact {
    pub name: String,
    /// Impulse since the start, and gap.
    pub columns: [usize; 2],
    pub impulse: f64,
    pub deepest: Peak,
}

/// JSON has no word for NaN and infinity.
pub fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}
