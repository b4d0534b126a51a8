//! Points and tangents of a curve of periodic motions; [`continuation`](super::continuation) has the equations.

use super::continuation::{Continuation, CurvePoint, ModelAtValue};
use super::flow::{Flow, Segment, left_inverse};
use super::shooting::{self, Evaluated, Found, Iterate, StepEquations};
use super::{Period, PeriodicError, PeriodicMotion, PeriodicSettings, body_axes, check_time_dependence};
use crate::analyses::linear::state_difference::state_difference;
use crate::analyses::linear::velocity_blocks::recentre_rodrigues;
use crate::analyses::{AssemblySettings, Run, RunStatus, Simulation, Transient, assemble};
use crate::model::Model;
use crate::state::State;
use nalgebra::{DMatrix, DVector};

/// Step of the differences by the parameter, in parts of its range.
const DIFFERENCE_STEP: f64 = 1e-5;
/// Most iterations of one correction.
const MAX_ITERATIONS: usize = 10;

/// A correction that fails, or the caller.
pub(super) enum Failure<E> {
    Caller(E),
    Step(PeriodicError),
}

impl<E> From<PeriodicError> for Failure<E> {
    fn from(e: PeriodicError) -> Failure<E> {
        Failure::Step(e)
    }
}

/// The direction of the curve: displacements of the starts in local axes, ΔT, and Δp in parts of the range.
pub(super) struct Tangent {
    pub starts: Vec<DVector<f64>>,
    pub period: f64,
    pub parameter: f64,
}

/// A motion on the curve.
pub(super) struct MotionOnCurve {
    pub iterate: Iterate,
    pub parameter: f64,
    pub tangent: Tangent,
    pub iterations: usize,
    pub difference: f64,
    /// Length of the step that led here.
    pub length: f64,
}

/// The curve of the motions over the parameter.
pub(super) struct MotionCurve<'s, F> {
    pub settings: &'s PeriodicSettings,
    pub range: Continuation,
    pub at: F,
}

impl Tangent {
    /// The cosine of the angle with another one.
    pub(super) fn along(&self, other: &Tangent) -> f64 {
        let pairs = self.starts.iter().zip(&other.starts);
        let dot = |f: &dyn Fn(&DVector<f64>, &DVector<f64>) -> f64| pairs.clone().map(|(a, b)| f(a, b)).sum::<f64>();
        let both = dot(&|a, b| a.dot(b)) + self.period * other.period + self.parameter * other.parameter;
        let size = |t: &Tangent| {
            (t.starts.iter().map(|x| x.norm_squared()).sum::<f64>() + t.period.powi(2) + t.parameter.powi(2)).sqrt()
        };
        both / (size(self) * size(other)).max(f64::MIN_POSITIVE)
    }
}

impl<E: std::error::Error, F: FnMut(f64) -> Result<ModelAtValue, E>> MotionCurve<'_, F> {
    /// The settings with the period of a model.
    pub(super) fn settings_at(&self, period: f64) -> PeriodicSettings {
        let period = match self.settings.period {
            Period::Given(_) => Period::Given(period),
            Period::Free(_) => Period::Free(period),
        };
        PeriodicSettings { period, ..self.settings.clone() }
    }

    fn model_at(&mut self, parameter: f64) -> Result<ModelAtValue, Failure<E>> {
        (self.at)(parameter).map_err(Failure::Caller)
    }

    /// The iterate on the manifold of a model, with its period.
    fn placed(&self, on: &ModelAtValue, iterate: &Iterate) -> Result<Iterate, PeriodicError> {
        let period = match self.settings.period {
            Period::Given(_) => on.period,
            Period::Free(_) => iterate.period,
        };
        let (t0, count) = (iterate.starts[0].t, iterate.starts.len());
        let mut starts = Vec::with_capacity(count);
        for (i, start) in iterate.starts.iter().enumerate() {
            let t = t0 + period * i as f64 / count as f64;
            let moved = State { t, ..start.clone() };
            starts.push(assemble(&on.model, &moved, &AssemblySettings::default())?.state);
        }
        Ok(Iterate { starts, period })
    }

    fn flow<'m>(&self, on: &'m ModelAtValue, iterate: &Iterate) -> Result<Flow<'m>, PeriodicError> {
        let transient = self.settings.tight_transient();
        Flow::new(&on.model, &iterate.starts[0], &transient, iterate.period, body_axes(&on.model))
    }

    /// The point one step along the tangent, corrected.
    pub(super) fn step(
        &mut self,
        from: &MotionOnCurve,
        length: f64,
        longest: f64,
    ) -> Result<MotionOnCurve, Failure<E>> {
        let span = (self.range.to - self.range.from).abs();
        // No step changes the parameter by more than the longest.
        let length = match from.tangent.parameter.abs() {
            t if t * length > longest => longest / t,
            _ => length,
        };
        let here = self.model_at(from.parameter)?;
        let mut flow = self.flow(&here, &from.iterate)?;
        let now = shooting::evaluate(&mut flow, from.iterate.clone())?;
        let step = self.along(&now, &from.tangent)?;
        let predicted = shooting::moved(&flow, &now, &(step * length));
        let parameter = from.parameter + length * from.tangent.parameter * span;
        let there = self.model_at(parameter)?;
        Ok(MotionOnCurve { length, ..self.point(there, parameter, predicted, &from.tangent)? })
    }

    /// Corrects an iterate; the tangent is along the last one.
    pub(super) fn point(
        &mut self,
        on: ModelAtValue,
        parameter: f64,
        iterate: Iterate,
        last: &Tangent,
    ) -> Result<MotionOnCurve, Failure<E>> {
        let span = (self.range.to - self.range.from).abs();
        let (mut on, mut parameter) = (on, parameter);
        let mut iterate = self.placed(&on, &iterate)?;
        let mut before = f64::INFINITY;
        for iteration in 0..=MAX_ITERATIONS {
            let settings = self.settings_at(iterate.period);
            let states: Vec<&State> = iterate.starts.iter().collect();
            check_time_dependence(&on.model, &states, settings.period)?;
            let mut flow = self.flow(&on, &iterate)?;
            let now = shooting::evaluate(&mut flow, iterate.clone())?;
            let done = now.size <= settings.tolerance;
            if !done && (iteration == MAX_ITERATIONS || (iteration > 1 && now.size > before)) {
                return Err(shooting::no_convergence(&flow, &now, iteration).into());
            }
            before = now.size;
            let StepEquations { K, r, allowed } = shooting::step_equations(&flow, &now, &settings)?;
            let slope = self.by_parameter(&flow, &now, parameter)? * span;
            let mut whole = DMatrix::zeros(K.nrows(), K.ncols() + 1);
            whole.columns_mut(0, K.ncols()).copy_from(&K);
            whole.column_mut(K.ncols()).copy_from(&slope);
            let singular = || shooting::singular(now.segments[0].start());
            if done {
                let (count, d) = (now.segments.len(), now.differences[0].len());
                let mut guess = DVector::zeros(whole.ncols());
                if !last.starts.is_empty() {
                    let full = self.along(&now, last)?;
                    guess.rows_mut(0, K.ncols()).copy_from(&allowed.tr_mul(&full));
                }
                guess[K.ncols()] = last.parameter;
                // What of it lies in the null space.
                let across = shooting::least_norm(whole.clone(), &(&whole * &guess)).ok_or_else(singular)?;
                let t = (guess - across).normalize();
                let y = allowed * t.rows(0, K.ncols());
                let local = |(i, s): (usize, &Segment)| &s.start().flow.basis * y.rows(i * d, d);
                let tangent = Tangent {
                    starts: now.segments.iter().enumerate().map(local).collect(),
                    period: if y.len() > count * d { y[count * d] } else { 0.0 },
                    parameter: t[K.ncols()],
                };
                let (iterate, difference) = (now.iterate, now.size);
                return Ok(MotionOnCurve {
                    iterate,
                    parameter,
                    tangent,
                    iterations: iteration,
                    difference,
                    length: 0.0,
                });
            }
            let step = shooting::least_norm(whole, &r).ok_or_else(singular)?;
            let moved = shooting::moved(&flow, &now, &(allowed * step.rows(0, K.ncols())));
            parameter += step[K.ncols()] * span;
            on = self.model_at(parameter)?;
            iterate = self.placed(&on, &moved)?;
        }
        unreachable!("the last iteration returns")
    }

    /// The step (Δy, ΔT) along a tangent, in reduced coordinates.
    fn along(&self, now: &Evaluated, tangent: &Tangent) -> Result<DVector<f64>, PeriodicError> {
        let (count, d) = (now.segments.len(), now.differences[0].len());
        let free = usize::from(matches!(self.settings.period, Period::Free(_)));
        let mut step = DVector::zeros(count * d + free);
        for (i, (segment, x)) in now.segments.iter().zip(&tangent.starts).enumerate() {
            let start = segment.start();
            if x.len() == start.flow.basis.nrows() {
                let L = left_inverse(&start.flow.basis).ok_or_else(|| shooting::singular(start))?;
                step.rows_mut(i * d, d).copy_from(&(L * x));
            }
        }
        if free == 1 {
            step[count * d] = tangent.period;
        }
        Ok(step)
    }

    /// ∂r/∂p: the differences of the same starts, assembled with a slightly different parameter.
    fn by_parameter(&mut self, flow: &Flow, now: &Evaluated, parameter: f64) -> Result<DVector<f64>, Failure<E>> {
        let h = DIFFERENCE_STEP * (self.range.to - self.range.from);
        let on = self.model_at(parameter + h)?;
        let moved = self.placed(&on, &now.iterate)?;
        let (count, d) = (now.segments.len(), now.differences[0].len());
        let mut slope = DVector::zeros(count * d);
        for (i, start) in moved.starts.iter().enumerate() {
            let transient = self.settings.tight_transient();
            let t_end = start.t + moved.period / count as f64;
            let end = run_to(&on.model, start, &Transient { t_end, ..transient })?;
            let next = &now.segments[(i + 1) % count];
            let mut target = moved.starts[(i + 1) % count].clone();
            recentre_rodrigues(&on.model.bodies, &mut target, &mut vec![0.0; on.model.sizes.v]);
            let apart = state_difference(&on.model, &target, &end, &flow.states);
            let there = flow.reduce(next.start(), &apart).ok_or_else(|| shooting::singular(next.start()))?;
            slope.rows_mut(i * d, d).copy_from(&((there - &now.differences[i]) / h));
        }
        Ok(slope)
    }

    /// Shows a motion to the caller; one beyond the last value is found again at that value.
    pub(super) fn visited(
        &mut self,
        point: &MotionOnCurve,
        parameter: f64,
        fold: Option<f64>,
        visit: &mut impl FnMut(CurvePoint, &PeriodicMotion) -> Result<(), E>,
    ) -> Result<(), Failure<E>> {
        let on = self.model_at(parameter)?;
        let iterate = self.placed(&on, &point.iterate)?;
        let settings = self.settings_at(iterate.period);
        let mut flow = self.flow(&on, &iterate)?;
        let found = match parameter == point.parameter {
            true => Found { iterate, iterations: point.iterations, difference: point.difference, matrix: None },
            false => shooting::solve(&mut flow, iterate, &settings, None)?,
        };
        let motion = PeriodicMotion::of(flow, found, &settings)?;
        visit(CurvePoint { parameter, fold }, &motion).map_err(Failure::Caller)
    }
}

/// The state at the end of a run without small motions.
fn run_to(model: &Model, start: &State, settings: &Transient) -> Result<State, PeriodicError> {
    let mut run = Simulation::new(model, start, settings)?;
    let status = run.advance(settings.t_end);
    if status == RunStatus::Ended && run.t() < settings.t_end {
        return Err(PeriodicError::RunEnds { t: run.t(), outcome: Box::new(run.outcome().clone()) });
    }
    let mut end = run.state();
    recentre_rodrigues(&model.bodies, &mut end, &mut vec![0.0; model.sizes.v]);
    Ok(end)
}
