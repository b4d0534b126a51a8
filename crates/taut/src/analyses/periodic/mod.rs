//! Periodic motions by shooting on the constraint manifold, and the small motions along them.
//!
//! The unknowns are small motions in the subspace that the constraints allow ([`linear`](crate::analyses::linear)), so Newton's method
//! neither leaves the manifold nor meets singular directions of the constraints. The monodromy matrix comes from the linearised
//! equations, integrated along the motion.

mod chord;
mod continuation;
mod curve;
mod error;
pub(in crate::analyses) mod flow;
pub(in crate::analyses) mod panels;
pub(in crate::analyses) mod shooting;
#[cfg(test)]
mod tests;
mod time_dependence;

pub use chord::ShootingMatrix;
pub use continuation::{Continuation, ContinuationEnd, ContinuationError, CurvePoint, ModelAtValue, continue_periodic};
pub use error::PeriodicError;

use super::linear::local_axes::AxesChoice;
use super::{AssemblySettings, Output, Transient, assemble, simulate};
use crate::forces::ForceKind;
use crate::model::{ForceEntry, Model};
use crate::solution::{Columns, Warning};
use crate::state::State;
use flow::{Flow, Segment, left_inverse};
use nalgebra::DMatrix;
use panels::Panels;
use shooting::Iterate;

/// Relative error of the monodromy matrix at which the number of panels suffices. Extrapolation then reduces the error further.
const MONODROMY_TOLERANCE: f64 = 1e-8;
/// The change after a doubling is so many times the error of the finer matrix: 2⁶ − 1.
const ERRORS_PER_CHANGE: f64 = 63.0;
/// A change below this that more panels do not reduce is round-off.
const STAGNATION: f64 = 1e-5;
/// Fewest and most panels per period.
const PANELS: [usize; 2] = [16, 2048];
/// Rows of a run that looks for warnings.
const WARNING_ROWS: usize = 36;
/// Largest relative tolerance of the run.
const RUN_TOLERANCE: f64 = 1e-10;

/// The period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Period {
    /// It is known, s.
    Given(f64),
    /// It is unknown and near this value, s; no element may depend on time.
    Free(f64),
}

/// Whether the small motions are resolved to their tolerance after the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmallMotions {
    /// They are.
    Resolved,
    /// Only the motion is of interest; the monodromy matrix stays empty.
    Omitted,
}

/// Settings of a search for a periodic motion.
#[derive(Clone, Debug, PartialEq)]
pub struct PeriodicSettings {
    /// The period.
    pub period: Period,
    /// Number of segments, each with its own start (multiple shooting). Unstable motions need several.
    pub segments: usize,
    /// Columns that keep their values at the start: the phase or the amplitude of a motion with a free period.
    pub hold: Vec<String>,
    /// Largest difference after one period, relative to lengths of the mechanism, radians, and these per period/2π.
    pub tolerance: f64,
    /// Most iterations.
    pub iterations: usize,
    /// Settings of the run.
    pub transient: Transient,
    /// Whether the small motions are resolved.
    pub small_motions: SmallMotions,
}

impl PeriodicSettings {
    /// With a known period.
    pub fn with_period(period: f64) -> PeriodicSettings {
        PeriodicSettings {
            period: Period::Given(period),
            segments: 1,
            hold: Vec::new(),
            tolerance: 1e-8,
            iterations: 20,
            transient: Transient::default(),
            small_motions: SmallMotions::Resolved,
        }
    }

    /// With an unknown period near this one.
    pub fn near_period(period: f64) -> PeriodicSettings {
        PeriodicSettings { period: Period::Free(period), ..PeriodicSettings::with_period(period) }
    }
}

/// A periodic motion with its small motions.
#[derive(Clone, Debug)]
pub struct PeriodicMotion<'m> {
    /// The model.
    pub model: &'m Model,
    /// The period, s.
    pub period: f64,
    /// States at the starts of the segments; the first is the start of the motion.
    pub starts: Vec<State>,
    /// Iterations of Newton's method.
    pub iterations: usize,
    /// Largest difference after one period, relative as in [`PeriodicSettings::tolerance`].
    pub difference: f64,
    /// The monodromy matrix: small motions after one period by those at the start, in the subspace that the constraints allow.
    pub monodromy: DMatrix<f64>,
    /// Estimated relative error of the monodromy matrix.
    pub monodromy_error: f64,
    /// The matrix of the search, for searches nearby; none if the start was periodic already.
    pub shooting_matrix: Option<ShootingMatrix>,
    pub(in crate::analyses) flow: Flow<'m>,
    pub(in crate::analyses) segments: Vec<Segment>,
}

/// Finds the periodic motion near a state.
///
/// # Errors
/// The run ends or jumps within the period, an element does not have the period, or Newton's method does not converge.
///
/// # Examples
///
/// ```
/// use taut::analyses::{PeriodicSettings, periodic};
/// use taut::prelude::*;
///
/// // A pendulum at rest under a pivot that moves up and down: hanging straight is periodic.
/// let mut spec = Spec::new();
/// spec.gravity([0.0, -9.81, 0.0])
///     .body("bob", PointMass::new(1.0, [0.0, -0.5, 0.0]))
///     .constraint("rod", Relation::rod("ground", "bob", 0.5));
/// let model = spec.build()?;
/// let found = periodic(&model, &model.initial_state(), &PeriodicSettings::with_period(0.7))?;
/// assert_eq!(found.monodromy.nrows(), 4); // two directions, each with displacement and velocity
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn periodic<'m>(
    model: &'m Model,
    near: &State,
    settings: &PeriodicSettings,
) -> Result<PeriodicMotion<'m>, PeriodicError> {
    periodic_with(model, near, settings, None)
}

/// The same with the matrix of an earlier search nearby, which may save the linearised equations along the motion.
///
/// # Errors
/// As [`periodic`].
pub fn periodic_with<'m>(
    model: &'m Model,
    near: &State,
    settings: &PeriodicSettings,
    known: Option<&ShootingMatrix>,
) -> Result<PeriodicMotion<'m>, PeriodicError> {
    let (Period::Given(guess) | Period::Free(guess)) = settings.period;
    if !(guess.is_finite() && guess > 0.0) {
        return Err(PeriodicError::Period { found: guess });
    }
    let start = assemble(model, near, &AssemblySettings::default())?.state;
    let transient = settings.tight_transient();
    let mut flow = Flow::new(model, &start, &transient, guess, body_axes(model))?;
    let count = settings.segments.max(1);
    let mut starts = vec![start];
    // Where the run passes at first: the starts of the other segments.
    for i in 1..count {
        let passed = flow.segment(&starts[i - 1], guess / count as f64, Panels::new(1))?;
        starts.push(passed.end().sample.state.clone());
    }
    check_time_dependence(model, &starts.iter().collect::<Vec<_>>(), settings.period)?;
    let found = shooting::solve(&mut flow, Iterate { starts, period: guess }, settings, known)?;
    PeriodicMotion::of(flow, found, settings)
}

/// The small motions of every body in its own axes.
fn body_axes(model: &Model) -> Vec<AxesChoice> {
    vec![AxesChoice::Body; model.bodies.len()]
}

/// Elements must repeat with a given period, and must not depend on time if it is free.
fn check_time_dependence(model: &Model, states: &[&State], period: Period) -> Result<(), PeriodicError> {
    match period {
        Period::Given(period) => time_dependence::check_period(model, states, period),
        Period::Free(period) => time_dependence::check_autonomous(model, states, period),
    }
}

impl PeriodicSettings {
    /// The settings of the run, with tolerances that are small enough.
    pub(in crate::analyses) fn tight_transient(&self) -> Transient {
        let tight = |x: f64| x.min(RUN_TOLERANCE);
        let given = &self.transient;
        Transient { rtol: tight(given.rtol), atol: tight(given.atol), ..given.clone() }
    }
}

impl<'m> PeriodicMotion<'m> {
    /// The motion that shooting found, with its small motions.
    fn of(flow: Flow<'m>, found: shooting::Found, settings: &PeriodicSettings) -> Result<Self, PeriodicError> {
        let mut motion = PeriodicMotion {
            model: flow.model,
            period: found.iterate.period,
            starts: found.iterate.starts,
            iterations: found.iterations,
            difference: found.difference,
            shooting_matrix: found.matrix,
            monodromy: DMatrix::zeros(0, 0),
            monodromy_error: f64::INFINITY,
            flow,
            segments: Vec::new(),
        };
        if settings.small_motions == SmallMotions::Omitted {
            return Ok(motion);
        }
        motion.refine_monodromy()?;
        if matches!(settings.period, Period::Given(_)) {
            let passed = motion.segments.iter().flat_map(|s| &s.points).map(|p| &p.sample.state);
            time_dependence::check_period(motion.model, &passed.step_by(13).collect::<Vec<_>>(), motion.period)?;
        }
        Ok(motion)
    }
}

impl PeriodicMotion<'_> {
    /// The start of the motion.
    pub fn start(&self) -> &State {
        &self.starts[0]
    }

    /// What a run over one period says about the loads of the air: angles beyond a polar, states in which a theory does not hold.
    ///
    /// # Errors
    /// A run that fails to start.
    pub fn air_warnings(&self, settings: &Transient) -> Result<Vec<Warning>, PeriodicError> {
        let is_air = |f: &ForceEntry| matches!(f.kind, ForceKind::Air(_));
        if !self.model.forces.iter().any(is_air) {
            return Ok(Vec::new());
        }
        let start = self.start();
        let output =
            Output::Times((0..=WARNING_ROWS).map(|k| start.t + self.period * k as f64 / WARNING_ROWS as f64).collect());
        let run = Transient { t_end: start.t + self.period, output, columns: Columns::State, ..settings.clone() };
        let mut found = simulate(self.model, start, &run)?.warnings;
        let air = |name: &str| self.model.forces.iter().any(|f| is_air(f) && f.name == name);
        found.retain(|warning| warning.element.as_deref().is_some_and(air));
        Ok(found)
    }

    /// Doubles the number of panels until the monodromy matrix settles. Magnus' series is symmetric in time, so its error has even
    /// powers of the panel, from the sixth on, and one extrapolation leaves the eighth.
    fn refine_monodromy(&mut self) -> Result<(), PeriodicError> {
        let count = self.starts.len();
        let mut panels = Panels::new(PANELS[0].div_ceil(count));
        let mut before = self.small_motions(panels)?;
        let mut last = f64::INFINITY;
        loop {
            panels = panels.halved();
            let now = self.small_motions(panels)?;
            let change = (&now - &before).amax() / now.amax().max(1.0);
            // Round-off of stiff models does not become smaller with more panels.
            let round_off = change < STAGNATION && change > 0.25 * last;
            // Coefficients that are not smooth: the error decreases more slowly than with the sixth power.
            let smooth = change <= last / 16.0;
            let error = if smooth { change / ERRORS_PER_CHANGE } else { change };
            if error <= MONODROMY_TOLERANCE || round_off || panels.count() * count >= PANELS[1] {
                let correction = if round_off || !smooth { 0.0 } else { 1.0 / ERRORS_PER_CHANGE };
                self.monodromy = &now + (&now - &before) * correction;
                self.monodromy_error = if round_off { change } else { error };
                return Ok(());
            }
            (before, last) = (now, change);
        }
    }

    /// Integrates the small motions along the motion, and returns the monodromy matrix.
    fn small_motions(&mut self, panels: Panels) -> Result<DMatrix<f64>, PeriodicError> {
        let count = self.starts.len();
        let duration = self.period / count as f64;
        let starts = self.starts.clone();
        self.segments = starts.iter().map(|s| self.flow.segment(s, duration, panels)).collect::<Result<Vec<_>, _>>()?;
        let mut whole: Option<DMatrix<f64>> = None;
        for (i, segment) in self.segments.iter().enumerate() {
            let next = self.segments[(i + 1) % count].start();
            let L = left_inverse(&next.flow.basis).ok_or(PeriodicError::SingularPose {
                t: next.state.t,
                found: 0,
                expected: next.flow.basis.ncols(),
            })?;
            let passed = L * &segment.end().X;
            whole = Some(match whole {
                Some(before) => passed * before,
                None => passed,
            });
        }
        Ok(whole.unwrap_or_else(|| DMatrix::zeros(0, 0)))
    }
}
