//! Newton's method with a matrix that is kept.
//!
//! A run costs far less than the linearised equations along it. The matrix of one iterate therefore serves further steps as long as
//! each of them reduces the difference enough (simplified Newton method, \[Deuflhard2004\]). Steps and differences have the directions of
//! the iterate that the matrix belongs to. Models that differ in the value of a parameter may share a matrix.

use super::error::PeriodicError;
use super::flow::{Flow, Sample};
use super::shooting::{Evaluated, Found, Iterate, StepEquations, displaced, placed, pseudo_inverse, singular};
use super::{Period, PeriodicSettings};
use crate::analyses::linear::state_difference::state_difference;
use crate::analyses::linear::velocity_blocks::recentre_rodrigues;
use crate::model::Model;
use crate::state::State;
use nalgebra::{DMatrix, DVector};

/// Largest ratio of successive differences with which a matrix is kept.
const CONTRACTION: f64 = 0.25;

/// The linear equations of one iterate, for later searches nearby.
#[derive(Clone, Debug)]
pub struct ShootingMatrix {
    starts: Vec<Sample>,
    /// The step by the differences.
    inverse: DMatrix<f64>,
    states: Vec<bool>,
    hold: Vec<String>,
    free: bool,
}

/// An iterate after a run without linearised equations.
pub(super) struct Tried {
    pub iterate: Iterate,
    differences: DVector<f64>,
    pub size: f64,
    /// Steps that led to it.
    pub iterations: usize,
}

impl ShootingMatrix {
    /// The matrix of an evaluated iterate.
    pub(super) fn new(
        flow: &Flow,
        now: &Evaluated,
        equations: StepEquations,
        settings: &PeriodicSettings,
    ) -> Result<ShootingMatrix, PeriodicError> {
        let start = now.segments[0].start();
        let inverse = pseudo_inverse(equations.K).ok_or_else(|| singular(start))?;
        Ok(ShootingMatrix {
            starts: now.segments.iter().map(|s| s.start().clone()).collect(),
            inverse: equations.allowed * inverse,
            states: flow.states.clone(),
            hold: settings.hold.clone(),
            free: matches!(settings.period, Period::Free(_)),
        })
    }

    /// Whether it belongs to a search of this kind.
    pub(super) fn fits(&self, flow: &Flow, settings: &PeriodicSettings) -> bool {
        let start = &self.starts[0];
        let sizes = (start.state.q.len(), start.state.v.len(), start.axes.len());
        self.starts.len() == settings.segments.max(1)
            && self.states == flow.states
            && self.hold == settings.hold
            && self.free == matches!(settings.period, Period::Free(_))
            && sizes == (flow.model.sizes.q, flow.model.sizes.v, flow.model.bodies.len())
    }

    /// The step (Δy, ΔT) that removes differences r.
    pub(super) fn step(&self, r: &DVector<f64>) -> DVector<f64> {
        -(&self.inverse * r)
    }

    /// Runs all segments of an iterate.
    pub(super) fn run(&self, flow: &Flow, iterate: Iterate, iterations: usize) -> Result<Tried, PeriodicError> {
        let count = iterate.starts.len();
        let d = self.starts[0].flow.basis.ncols();
        let mut differences = DVector::zeros(count * d);
        for (i, start) in iterate.starts.iter().enumerate() {
            let end = recentred(flow.model, flow.end(start, iterate.period / count as f64)?);
            let j = (i + 1) % count;
            let next = recentred(flow.model, iterate.starts[j].clone());
            let apart = state_difference(flow.model, &next, &end, &flow.states);
            let of = &self.starts[j];
            differences.rows_mut(i * d, d).copy_from(&flow.reduce(of, &apart).ok_or_else(|| singular(of))?);
        }
        let size = differences.amax();
        let size = if size.is_nan() { f64::INFINITY } else { size };
        Ok(Tried { iterate, differences, size, iterations })
    }

    /// Steps from an iterate as long as they help; the last one may have the required accuracy.
    pub(super) fn improve(&self, flow: &Flow, mut now: Tried, settings: &PeriodicSettings) -> Tried {
        while now.size > settings.tolerance && now.iterations < settings.iterations {
            let next = self
                .moved(flow, &now.iterate, &self.step(&now.differences))
                .and_then(|iterate| self.run(flow, iterate, now.iterations + 1));
            match next {
                Ok(next) if next.size <= CONTRACTION * now.size => now = next,
                _ => break,
            }
        }
        now
    }

    /// The iterate after a step, on the constraint manifold.
    fn moved(&self, flow: &Flow, from: &Iterate, step: &DVector<f64>) -> Result<Iterate, PeriodicError> {
        let (count, d) = (from.starts.len(), self.starts[0].flow.basis.ncols());
        let moved = |(i, start): (usize, &State)| {
            let of = &self.starts[i];
            let x = flow.to_world(of, &(&of.flow.basis * step.rows(i * d, d)));
            displaced(flow.model, &recentred(flow.model, start.clone()), &x, &flow.states)
        };
        let starts = from.starts.iter().enumerate().map(moved).collect();
        let change = if self.free { step[count * d] } else { 0.0 };
        placed(flow, Iterate { starts, period: (from.period + change).max(0.5 * from.period) })
    }
}

impl Tried {
    /// The result, if it is accurate enough.
    pub(super) fn found(self, settings: &PeriodicSettings, matrix: &ShootingMatrix) -> Result<Found, Tried> {
        if self.size > settings.tolerance {
            return Err(self);
        }
        let Tried { iterate, size, iterations, .. } = self;
        Ok(Found { iterate, iterations, difference: size, matrix: Some(matrix.clone()) })
    }
}

/// The state with Gibbs–Rodrigues parameters relative to its own orientation.
fn recentred(model: &Model, mut state: State) -> State {
    recentre_rodrigues(&model.bodies, &mut state, &mut vec![0.0; model.sizes.v]);
    state
}
