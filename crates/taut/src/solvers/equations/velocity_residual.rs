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
/// not, because few methods read φ̇ and the hot path need not pay for it. So φ̇ can be older than the other equations.
/// Reading it then is a mistake, which debug builds catch; [`last`](VelocityResidual::last) reads it nevertheless.
#[derive(Clone, Debug)]
pub struct VelocityResidual {
    values: Vec<f64>,
    age: Age,
    /// The velocities it was computed with.
    #[cfg(debug_assertions)]
    v: Vec<f64>,
}

impl VelocityResidual {
    /// Allocates `rows` rows for a model with `velocities` velocities; not computed yet.
    pub(super) fn new(rows: usize, _velocities: usize) -> VelocityResidual {
        VelocityResidual {
            values: vec![0.0; rows],
            age: Age::Outdated,
            #[cfg(debug_assertions)]
            v: vec![0.0; _velocities],
        }
    }

    /// Whether it belongs to the state of the other equations.
    ///
    /// A correction of the velocities between [`assemble_positions`](super::assemble_positions) and
    /// [`assemble_rates`](super::assemble_rates) is detected in debug builds only.
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

    /// Marks all rows as computed with these velocities.
    pub(super) fn mark_computed(&mut self, _v: &[f64]) {
        self.age = Age::Current;
        #[cfg(debug_assertions)]
        self.v.copy_from_slice(_v);
    }

    /// Marks the values as outdated: the other equations belong to another state.
    pub(super) fn mark_outdated(&mut self) {
        self.age = Age::Outdated;
    }

    /// Called when the rates are assembled with these velocities: detects a correction.
    pub(super) fn check_velocities(&mut self, _v: &[f64]) {
        // Compare bits, so that a NaN equals itself.
        #[cfg(debug_assertions)]
        if self.v.iter().zip(_v).any(|(a, b)| a.to_bits() != b.to_bits()) {
            self.mark_outdated();
        }
    }
}

impl Deref for VelocityResidual {
    type Target = [f64];

    #[inline(always)]
    fn deref(&self) -> &[f64] {
        debug_assert!(self.is_current(), "φ̇ belongs to an earlier state: call residual_rates first");
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
