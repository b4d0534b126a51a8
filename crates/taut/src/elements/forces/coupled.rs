//! Forces that compute wrenches and rates of their states together, with their derivatives.

use super::TangentAvailability;
use crate::constraints::ElementInput;
use crate::motion::Wrench;
use nalgebra::{Matrix6, Vector6};

/// Wrenches and rates of the extra states at once, for a force that computes them together.
pub trait CoupledRates {
    /// Sets both.
    fn apply_with_rates(&self, at: &ElementInput, on: &mut [Wrench], zdot: &mut [f64]);
    /// The same for differences: terms that do not depend on what changes may be left out, because they cancel.
    fn apply_changed(&self, at: &ElementInput, _change: Change, on: &mut [Wrench], zdot: &mut [f64]) {
        self.apply_with_rates(at, on, zdot);
    }
    /// Derivatives of both, if the force provides them; all entries are zero on entry.
    fn coupled_tangent(&self, _at: &ElementInput, _tangent: &mut CoupledTangent) -> TangentAvailability {
        TangentAvailability::Unavailable
    }
}

/// What a difference of a force changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change<'a> {
    /// The motions of its markers that are `true`.
    Markers(&'a [bool]),
    /// One of its extra states.
    State(usize),
}

/// Derivatives of the wrenches on n markers and of the rates of m states, with the conventions of
/// [`Force::tangent`](super::Force::tangent).
#[derive(Clone, Debug, Default)]
pub struct CoupledTangent {
    /// Number of markers n.
    pub markers: usize,
    /// Number of states m.
    pub states: usize,
    /// Wrench on marker k by the pose of marker j: entry k n + j.
    pub pose: Vec<Matrix6<f64>>,
    /// Wrench on marker k by the twist of marker j: entry k n + j.
    pub twist: Vec<Matrix6<f64>>,
    /// Wrench on marker k by state i: entry k m + i.
    pub by_state: Vec<Vector6<f64>>,
    /// Rate of state i by the pose of marker j: entry i n + j.
    pub rates_by_pose: Vec<Vector6<f64>>,
    /// Rate of state i by the twist of marker j: entry i n + j.
    pub rates_by_twist: Vec<Vector6<f64>>,
    /// Rate of state i by state j: entry i m + j.
    pub rates_by_state: Vec<f64>,
}

impl CoupledTangent {
    /// Sets the sizes and all entries to zero.
    pub fn reset(&mut self, markers: usize, states: usize) {
        (self.markers, self.states) = (markers, states);
        for blocks in [&mut self.pose, &mut self.twist] {
            blocks.clear();
            blocks.resize(markers * markers, Matrix6::zeros());
        }
        for rows in [&mut self.by_state, &mut self.rates_by_pose, &mut self.rates_by_twist] {
            rows.clear();
            rows.resize(markers * states, Vector6::zeros());
        }
        self.rates_by_state.clear();
        self.rates_by_state.resize(states * states, 0.0);
    }

    /// Adds a multiple of rows to the derivatives of the rate of a state.
    pub(crate) fn add_rate(
        &mut self,
        state: usize,
        factor: f64,
        pose: &[Vector6<f64>],
        twist: &[Vector6<f64>],
        states: &[f64],
    ) {
        if factor == 0.0 {
            return;
        }
        let (n, m) = (self.markers, self.states);
        let add = |rows: &mut [Vector6<f64>], by: &[Vector6<f64>]| {
            rows.iter_mut().zip(by).for_each(|(row, by)| *row += by * factor);
        };
        add(&mut self.rates_by_pose[state * n..], pose);
        add(&mut self.rates_by_twist[state * n..], twist);
        self.rates_by_state[state * m..].iter_mut().zip(states).for_each(|(x, by)| *x += by * factor);
    }

    /// Whether all entries are finite.
    pub fn is_finite(&self) -> bool {
        let blocks = self.pose.iter().chain(&self.twist).flat_map(|block| block.iter());
        let rows = self.by_state.iter().chain(&self.rates_by_pose).chain(&self.rates_by_twist);
        blocks.chain(rows.flat_map(|row| row.iter())).chain(&self.rates_by_state).all(|x| x.is_finite())
    }
}
