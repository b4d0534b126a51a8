//! Largest values per element, and the columns from which they are read.

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
}

/// Largest magnitude of a vector given by three columns.
#[derive(Clone, Debug)]
pub struct VectorPeak {
    /// The constraint, or the constraint and its marker.
    pub name: String,
    /// Indices of its columns.
    pub columns: [usize; 3],
    /// The largest magnitude.
    pub peak: Peak,
}

/// Largest force and moment of a constraint on a marker.
#[derive(Clone, Debug)]
pub struct ReactionPeak {
    /// The force, N.
    pub force: VectorPeak,
    /// The moment, N m; none if the constraint transmits none.
    pub moment: Option<VectorPeak>,
}

/// Force or torque of a driver: the multiplier of its row.
#[derive(Clone, Debug)]
pub struct DriverEffort {
    /// The driver.
    pub name: String,
    /// `N` or `N m`.
    pub unit: String,
    /// Index of its column.
    pub column: usize,
    /// The smallest value.
    pub minimum: Peak,
    /// The largest value.
    pub maximum: Peak,
}

/// Largest residual at one level (position, velocity, acceleration).
#[derive(Clone, Debug)]
pub struct ResidualLevel {
    /// `position`, `velocity` or `acceleration`.
    pub name: &'static str,
    /// Indices of the columns of the residual and of its row.
    pub columns: [usize; 2],
    /// The largest residual.
    pub worst: Peak,
    /// The row that has it.
    pub row: usize,
}

/// A contact in a time-stepping run.
#[derive(Clone, Debug)]
pub struct ContactPeak {
    /// The contact.
    pub name: String,
    /// Columns of the impulse since the start and of the gap.
    pub columns: [usize; 2],
    /// Impulse since the start, N s.
    pub impulse: f64,
    /// The largest overlap; negative if the gap stays open.
    pub largest_overlap: Peak,
}
