//! φ̇, and the state it belongs to.

use std::ops::Deref;

/// Whether φ̇ belongs to the state of the other equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Age {
    /// It does.
    Current,
    /// It is that of an earlier state, or of the velocities before a correction.
    Earlier,
}

/// The velocity residual φ̇ = A v + φ_t, row by row; zero for rows that have none.
///
/// [`place`](super::place) and [`residual_rates`](super::residual_rates) compute it. [`assemble`](super::assemble) does
/// not: few methods read φ̇, and the hot path need not pay for it. So φ̇ can be older than the rest of the equations.
/// Reading it then is a mistake, which debug builds stop at; [`last`](VelocityResidual::last) reads it nevertheless.
#[derive(Clone, Debug)]
pub struct VelocityResidual {
    values: Vec<f64>,
    age: Age,
    /// The velocities it was computed with.
    #[cfg(debug_assertions)]
    v: Vec<f64>,
}

impl VelocityResidual {
    /// Room for `rows` rows of a model with `velocities` velocities; not computed yet.
    pub(super) fn new(rows: usize, _velocities: usize) -> VelocityResidual {
        VelocityResidual {
            values: vec![0.0; rows],
            age: Age::Earlier,
            #[cfg(debug_assertions)]
            v: vec![0.0; _velocities],
        }
    }

    /// Whether it belongs to the state of the other equations.
    ///
    /// A correction of the velocities between [`place`](super::place) and [`carry`](super::carry) is seen in debug builds
    /// only.
    pub fn is_current(&self) -> bool {
        self.age == Age::Current
    }

    /// As it was computed last, for whatever state.
    pub fn last(&self) -> &[f64] {
        &self.values
    }

    /// To be written row by row.
    #[inline(always)]
    pub(super) fn values(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// All rows were computed with these velocities.
    pub(super) fn computed(&mut self, _v: &[f64]) {
        self.age = Age::Current;
        #[cfg(debug_assertions)]
        self.v.copy_from_slice(_v);
    }

    /// The other equations have gone on to another state.
    pub(super) fn left_behind(&mut self) {
        self.age = Age::Earlier;
    }

    /// The other equations are carried on with these velocities.
    pub(super) fn carried(&mut self, _v: &[f64]) {
        // To the bit, so that a state that is not a number equals itself.
        #[cfg(debug_assertions)]
        if self.v.iter().zip(_v).any(|(a, b)| a.to_bits() != b.to_bits()) {
            self.left_behind();
        }
    }
}

impl Deref for VelocityResidual {
    type Target = [f64];

    #[inline(always)]
    fn deref(&self) -> &[f64] {
        debug_assert!(self.is_current(), "φ̇ of an earlier state is read: call residual_rates first");
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
