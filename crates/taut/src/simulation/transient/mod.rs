//! Transient analysis: settings, and the run in one call.

mod diagnosis;
pub(crate) mod problem;
mod simulation;
mod stability;
mod stiffness_check;
mod vibration_check;

pub(crate) use simulation::EventDrivenCheckpoint;
pub use simulation::Simulation;
pub use stiffness_check::StiffnessAction;

use super::AnalysisError;
use super::events::Event;
use super::run::Run;
use crate::dynamics::{SolverSettings, UpdateAxes};
use crate::events::ParadoxResponse;
use crate::model::{Model, ReactionSharing};
use crate::solution::{Columns, Solution};
use crate::state::State;
use serde::{Deserialize, Serialize};
use taut_ode::{ErrorNorm, Limits, Method as Integrator, StepControl};

/// When the state is recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Output {
    /// At equal intervals, s, from the start, and at the end.
    Every(f64),
    /// At these times, sorted.
    Times(Vec<f64>),
    /// At the start, after every step, and on both sides of every jump.
    Steps,
    /// At the start and at the end.
    Ends,
}

/// Treatment of the initial state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InitialConditions {
    /// It is projected onto the constraints.
    #[default]
    Assemble,
    /// It is used as given.
    AsGiven,
}

/// What the tolerance bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorPer {
    /// The error per step; per unit of time for methods of low order, whose errors would add up over many short steps, and where
    /// restarts are frequent.
    #[default]
    Automatic,
    /// The error per step, for every method, as in MATLAB's ode23 and ode45.
    Step,
}

/// Settings of a transient analysis.
///
/// # Examples
///
/// ```
/// use taut::analyses::{Integrator, Output, Transient};
///
/// let settings = Transient::to(10.0).every(0.01).tolerance(1e-8, 1e-10).integrator(Integrator::RadauIia5);
/// assert_eq!(settings.output, Output::Every(0.01));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Transient {
    /// The end, s.
    pub t_end: f64,
    /// When the state is recorded.
    pub output: Output,
    /// The integrator.
    pub integrator: Integrator,
    /// Relative tolerance of a step.
    pub rtol: f64,
    /// Absolute tolerance of a step.
    pub atol: f64,
    /// How the errors of all coordinates of a step are combined.
    pub error_norm: ErrorNorm,
    /// What the tolerance bounds.
    pub error_per: ErrorPer,
    /// Largest step, s.
    pub h_max: Option<f64>,
    /// First step, s; all steps for integrators with a fixed step.
    pub h_first: Option<f64>,
    /// Whether the error controls the steps, or all are as long as the first.
    pub step_control: StepControl,
    /// Spectral radius at infinity of generalised-α and the two-step method: the part of the fastest oscillation kept per step, 0 to 1.
    pub spectral_radius: Option<f64>,
    /// The axes in which generalised-α writes its increments.
    pub update: UpdateAxes,
    /// What to do if stability limits the step of an explicit method.
    pub stiff: StiffnessAction,
    /// Formulation, drift control, and treatment of rank deficiency.
    pub choice: SolverSettings,
    /// Treatment of the initial state.
    pub start: InitialConditions,
    /// Limits on the computation.
    pub limits: Limits,
    /// What is recorded.
    pub columns: Columns,
    /// What to do if Coulomb's law has no solution.
    pub paradox: ParadoxResponse,
    /// How redundant joints share their load in the results.
    pub reactions: ReactionSharing,
    /// Of time stepping: penetration that contacts may keep, relative to the smaller surface.
    pub contact_penetration: Option<f64>,
    /// Of time stepping: most sweeps over the contacts in a step.
    pub contact_sweeps: Option<usize>,
}

impl Default for Transient {
    fn default() -> Transient {
        Transient::to(1.0)
    }
}

impl Transient {
    /// To `t_end`, recording start and end, with tolerances of 1e-8.
    pub fn to(t_end: f64) -> Transient {
        Transient {
            t_end,
            output: Output::Ends,
            integrator: Integrator::Dop853,
            rtol: 1e-8,
            atol: 1e-8,
            error_norm: ErrorNorm::default(),
            error_per: ErrorPer::default(),
            h_max: None,
            h_first: None,
            step_control: StepControl::Varying,
            spectral_radius: None,
            update: UpdateAxes::default(),
            stiff: StiffnessAction::Warn,
            choice: SolverSettings::default(),
            start: InitialConditions::Assemble,
            limits: Limits::default(),
            columns: Columns::All,
            paradox: ParadoxResponse::Stop,
            reactions: ReactionSharing::Solver,
            contact_penetration: None,
            contact_sweeps: None,
        }
    }

    /// Records at equal intervals.
    pub fn every(mut self, interval: f64) -> Transient {
        self.output = Output::Every(interval);
        self
    }

    /// Records at these times.
    pub fn at(mut self, times: Vec<f64>) -> Transient {
        self.output = Output::Times(times);
        self
    }

    /// Sets when the state is recorded.
    pub fn output(mut self, output: Output) -> Transient {
        self.output = output;
        self
    }

    /// Sets both tolerances.
    pub fn tolerance(mut self, rtol: f64, atol: f64) -> Transient {
        (self.rtol, self.atol) = (rtol, atol);
        self
    }

    /// Sets how the errors of all coordinates of a step are combined, and what the tolerance bounds.
    pub fn error(mut self, norm: ErrorNorm, per: ErrorPer) -> Transient {
        (self.error_norm, self.error_per) = (norm, per);
        self
    }

    /// Sets the integrator.
    pub fn integrator(mut self, integrator: Integrator) -> Transient {
        self.integrator = integrator;
        self
    }

    /// Sets the first step, which is the fixed step of integrators without control.
    pub fn first_step(mut self, h: f64) -> Transient {
        self.h_first = Some(h);
        self
    }

    /// Uses this step for all steps.
    pub fn fixed_step(mut self, h: f64) -> Transient {
        (self.h_first, self.step_control) = (Some(h), StepControl::Fixed);
        self
    }

    /// Sets the spectral radius of generalised-α and the two-step method.
    pub fn spectral_radius(mut self, rho: f64) -> Transient {
        self.spectral_radius = Some(rho);
        self
    }

    /// Sets the axes in which generalised-α writes its increments.
    pub fn update(mut self, update: UpdateAxes) -> Transient {
        self.update = update;
        self
    }

    /// Sets the treatment of stiffness.
    pub fn stiff(mut self, stiff: StiffnessAction) -> Transient {
        self.stiff = stiff;
        self
    }

    /// Sets the largest step.
    pub fn largest_step(mut self, h: f64) -> Transient {
        self.h_max = Some(h);
        self
    }

    /// Sets formulation and drift control.
    pub fn choice(mut self, choice: SolverSettings) -> Transient {
        self.choice = choice;
        self
    }

    /// Sets the treatment of the initial state.
    pub fn start(mut self, start: InitialConditions) -> Transient {
        self.start = start;
        self
    }

    /// Limits the computation.
    pub fn limits(mut self, limits: Limits) -> Transient {
        self.limits = limits;
        self
    }

    /// Chooses what is recorded.
    pub fn columns(mut self, columns: Columns) -> Transient {
        self.columns = columns;
        self
    }

    /// The times of output from `t` on; none if every step is recorded.
    ///
    /// # Errors
    /// An interval that is not positive or gives too many rows, or times out of order.
    pub fn times(&self, t: f64) -> Result<Vec<f64>, AnalysisError> {
        const MOST: u64 = 100_000_000;
        match &self.output {
            Output::Steps => Ok(Vec::new()),
            Output::Ends => Ok(vec![t, self.t_end]),
            Output::Every(interval) => {
                let count = (self.t_end - t) / interval;
                if !interval.is_finite() || *interval <= 0.0 || count > MOST as f64 {
                    return Err(AnalysisError::Interval { found: *interval, most: MOST });
                }
                // Skip a last interval shorter than round-off.
                let whole = (count * (1.0 + 4.0 * f64::EPSILON)).floor() as u64;
                let mut times: Vec<f64> = (0..=whole).map(|i| (t + i as f64 * interval).min(self.t_end)).collect();
                if let Some(last) = times.last_mut() {
                    if self.t_end - *last <= 1e-9 * interval {
                        *last = self.t_end;
                    } else {
                        times.push(self.t_end);
                    }
                }
                Ok(times)
            }
            Output::Times(times) => {
                let sorted = |i: &usize| times[*i].is_finite() && (*i == 0 || times[*i - 1] <= times[*i]);
                match (0..times.len()).find(|i| !sorted(i)) {
                    Some(index) => Err(AnalysisError::Times { index, t: times[index] }),
                    None => Ok(times.clone()),
                }
            }
        }
    }
}

/// Runs from a state to the end.
///
/// A numerical stop is not an error: the solution has an outcome that says why, and all rows before it.
///
/// # Errors
/// Invalid settings, a state that does not fit, constraints that cannot be met at the start.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// let mut spec = Spec::new();
/// spec.gravity([0.0, 0.0, -9.81]).body("stone", PointMass::new(1.0, [0.0; 3]));
/// let model = spec.build()?;
/// let fall = simulate(&model, &model.initial_state(), &Transient::to(2.0))?;
/// assert!((fall.last("stone.z")? + 2.0 * 9.81).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn simulate(model: &Model, state: &State, settings: &Transient) -> Result<Solution, AnalysisError> {
    simulate_with(model, state, settings, Vec::new())
}

/// Runs from a state to the end, with additional events.
///
/// # Errors
/// As [`simulate`].
pub fn simulate_with(
    model: &Model,
    state: &State,
    settings: &Transient,
    events: Vec<Box<dyn Event>>,
) -> Result<Solution, AnalysisError> {
    let mut simulation = Simulation::new(model, state, settings)?;
    events.into_iter().for_each(|e| simulation.add_event(e));
    simulation.run();
    Ok(simulation.into_solution())
}
