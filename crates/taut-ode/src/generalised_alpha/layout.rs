//! The layout of the data that the generalised-alpha method stores from step to step.

use crate::SecondOrder;

/// Sizes of v, z and λ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VariableSizes {
    pub v: usize,
    pub z: usize,
    pub lambda: usize,
}

/// The memory holds, in this order: a block (a, v̇, ż, λ) at the start of the step, one at its end, v̇ and ż at the start of
/// the step before, and v̇ and λ where the derivatives were taken.
impl VariableSizes {
    pub fn of(equations: &dyn SecondOrder) -> Self {
        Self { v: equations.velocity_count(), z: equations.state_count(), lambda: equations.multiplier_count() }
    }
    pub fn block(self) -> usize {
        2 * self.v + self.z + self.lambda
    }
    pub fn total(self) -> usize {
        2 * self.block() + 2 * self.v + self.z + self.lambda
    }
    /// Splits a block into a, v̇, ż, λ.
    pub fn split(self, block: &[f64]) -> (&[f64], &[f64], &[f64], &[f64]) {
        let (a, rest) = block.split_at(self.v);
        let (vdot, rest) = rest.split_at(self.v);
        let (zdot, lambda) = rest.split_at(self.z);
        (a, vdot, zdot, &lambda[..self.lambda])
    }
    pub fn split_mut(self, block: &mut [f64]) -> (&mut [f64], &mut [f64], &mut [f64], &mut [f64]) {
        let (a, rest) = block.split_at_mut(self.v);
        let (vdot, rest) = rest.split_at_mut(self.v);
        let (zdot, lambda) = rest.split_at_mut(self.z);
        (a, vdot, zdot, &mut lambda[..self.lambda])
    }
    pub fn start(self, kept: &[f64]) -> &[f64] {
        &kept[..self.block()]
    }
    /// v̇ and ż at the start of the step before.
    pub fn before(self, kept: &[f64]) -> (&[f64], &[f64]) {
        kept[2 * self.block()..][..self.v + self.z].split_at(self.v)
    }
}
