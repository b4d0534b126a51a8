//! Settings of time stepping.

use crate::simulation::transient::{InitialConditions, Output, Transient};
use crate::simulation::{AnalysisError, check_positive};
use crate::solution::Columns;
use serde::{Deserialize, Serialize};
use taut_ode::Limits;

/// Settings of time stepping with steps of fixed length.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
/// use taut::stepping::{self, TimeSteppingSettings};
///
/// let mut spec = Spec::new();
/// spec.gravity([0.0, 0.0, -9.81])
///     .body("box", RigidBody::new(1.0, [0.1; 3]).at([0.0, 0.0, 0.6]))
///     .surface("box", Surface::new("box", Shape::Box { size: [1.0; 3] }))
///     .surface("floor", Surface::new("ground", Shape::HalfSpace {}))
///     .contact("touch", ContactRule::all(RigidContact::SMOOTH.friction(0.5)));
/// let model = spec.build()?;
/// let run = stepping::simulate(&model, &model.initial_state(), &TimeSteppingSettings::to(1.0, 1e-3))?;
/// assert!((run.last("box.z")? - 0.5).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TimeSteppingSettings {
    /// The end, s.
    pub t_end: f64,
    /// Length of a step, s. The last step before an output time or the end is shortened to meet it.
    pub step: f64,
    /// When the state is recorded. A shorter step meets a time between two steps.
    pub output: Output,
    /// Residual of the contact laws at which a step counts as solved, relative to the velocities.
    pub tolerance: f64,
    /// Most sweeps over the contacts of an island that is too large for a direct solution.
    pub max_sweeps: usize,
    /// Penetration that contacts may keep, relative to the smaller surface. More makes steps cheaper, and lets bodies move further past each other
    /// in one step. Default: 1e-7, for more than 400 contacts 1e-5.
    pub penetration: Option<f64>,
    /// Treatment of the initial state.
    pub start: InitialConditions,
    /// Limits on the computation.
    pub limits: Limits,
    /// What is recorded.
    pub columns: Columns,
}

impl Default for TimeSteppingSettings {
    fn default() -> TimeSteppingSettings {
        TimeSteppingSettings::to(1.0, DEFAULT_STEP)
    }
}

/// Length of a step, s, if none is given.
const DEFAULT_STEP: f64 = 1e-3;
/// Most sweeps, if no number is given.
const DEFAULT_SWEEPS: usize = 600;
/// Greatest penetration that may be permitted: beyond it the normals of small bodies mean nothing.
const MAX_PENETRATION: f64 = 0.5;

impl From<&Transient> for TimeSteppingSettings {
    /// The settings that both methods share; the first step becomes the length of all.
    fn from(t: &Transient) -> TimeSteppingSettings {
        TimeSteppingSettings {
            output: t.output.clone(),
            start: t.start,
            limits: t.limits,
            columns: t.columns.clone(),
            penetration: t.contact_penetration,
            max_sweeps: t.contact_sweeps.unwrap_or(DEFAULT_SWEEPS),
            ..TimeSteppingSettings::to(t.t_end, t.h_first.unwrap_or(DEFAULT_STEP))
        }
    }
}

impl TimeSteppingSettings {
    /// To `t_end` in steps of `step`, recording start and end.
    pub fn to(t_end: f64, step: f64) -> TimeSteppingSettings {
        TimeSteppingSettings {
            t_end,
            step,
            output: Output::Ends,
            tolerance: 1e-8,
            max_sweeps: DEFAULT_SWEEPS,
            penetration: None,
            start: InitialConditions::Assemble,
            limits: Limits::default(),
            columns: Columns::All,
        }
    }

    /// Records at equal intervals.
    pub fn every(mut self, interval: f64) -> TimeSteppingSettings {
        self.output = Output::Every(interval);
        self
    }

    /// Sets when the state is recorded.
    pub fn output(mut self, output: Output) -> TimeSteppingSettings {
        self.output = output;
        self
    }

    /// Sets the residual at which a step counts as solved.
    pub fn tolerance(mut self, tolerance: f64) -> TimeSteppingSettings {
        self.tolerance = tolerance;
        self
    }

    /// Limits the sweeps of a step.
    pub fn max_sweeps(mut self, most: usize) -> TimeSteppingSettings {
        self.max_sweeps = most;
        self
    }

    /// Sets the penetration that contacts may keep, relative to the smaller surface.
    pub fn penetration(mut self, ratio: f64) -> TimeSteppingSettings {
        self.penetration = Some(ratio);
        self
    }

    /// Sets the treatment of the initial state.
    pub fn start(mut self, start: InitialConditions) -> TimeSteppingSettings {
        self.start = start;
        self
    }

    /// Limits the computation.
    pub fn limits(mut self, limits: Limits) -> TimeSteppingSettings {
        self.limits = limits;
        self
    }

    /// Chooses what is recorded.
    pub fn columns(mut self, columns: Columns) -> TimeSteppingSettings {
        self.columns = columns;
        self
    }

    /// Rejects invalid numbers; returns the output times from `t` on.
    pub(super) fn times(&self, t: f64) -> Result<Vec<f64>, AnalysisError> {
        check_positive("step", self.step)?;
        check_positive("tolerance", self.tolerance)?;
        check_positive("max_sweeps", self.max_sweeps as f64)?;
        if let Some(ratio) = self.penetration {
            check_positive("penetration", ratio)?;
            if ratio > MAX_PENETRATION {
                return Err(AnalysisError::SettingAbove { name: "penetration", found: ratio, most: MAX_PENETRATION });
            }
        }
        if !self.t_end.is_finite() || self.t_end < t {
            return Err(AnalysisError::EndTime { t_end: self.t_end, t });
        }
        Transient::to(self.t_end).output(self.output.clone()).times(t)
    }
}
