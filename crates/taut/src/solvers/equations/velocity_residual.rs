//! The velocity residual φ̇, and whether it is up to date.

use std::ops::Deref;

/// Whether φ̇ belongs to the state of the other equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Age {
    /// It does.
    Current,
    /// It belongs to an earlier state, or to the velocities before a correction.
    Outdated,
}

/// The velocity residual φ̇ = A v + φ_t, row by row; zero for rows that have none.
///
/// [`assemble_positions`](super::assemble_positions) and [`assemble_residual_rates`](super::assemble_residual_rates) compute it. [`assemble`](super::assemble) does
/// not, because few methods read φ̇ and the hot path need not pay for it; [`assemble_twists`](super::assemble_twists) is called for other
/// velocities. After these two, φ̇ is older than the other equations. [`is_current`](VelocityResidual::is_current) says so in every build.
/// Reading outdated values as a slice is a mistake: debug builds panic, release builds return them.
/// [`last`](VelocityResidual::last) reads them on purpose.
#[derive(Clone, Debug)]
pub struct VelocityResidual {
    values: Vec<f64>,
    age: Age,
}

impl VelocityResidual {
    /// Allocates `rows` rows; not computed yet.
    pub(super) fn new(rows: usize) -> VelocityResidual {
        VelocityResidual { values: vec![0.0; rows], age: Age::Outdated }
    }

    /// Whether it belongs to the state of the other equations.
    pub fn is_current(&self) -> bool {
        self.age == Age::Current
    }

    /// The last computed values, for whatever state.
    pub fn last(&self) -> &[f64] {
        &self.values
    }

    /// Mutable values, to be written row by row.
    #[inline(always)]
    pub(super) fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Marks all rows as computed.
    pub(super) fn mark_computed(&mut self) {
        self.age = Age::Current;
    }

    /// Marks the values as outdated: the other equations belong to another state.
    pub(super) fn mark_outdated(&mut self) {
        self.age = Age::Outdated;
    }
}

impl Deref for VelocityResidual {
    type Target = [f64];

    #[inline(always)]
    fn deref(&self) -> &[f64] {
        debug_assert!(self.is_current(), "φ̇ belongs to an earlier state: call assemble_residual_rates first");
        &self.values
    }
}

impl<'a> IntoIterator for &'a VelocityResidual {
    type Item = &'a f64;
    type IntoIter = std::slice::Iter<'a, f64>;

    fn into_iter(self) -> std::slice::Iter<'a, f64> {
        self.iter()
    }
}
