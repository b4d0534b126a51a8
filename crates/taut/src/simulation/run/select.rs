//! Selects the method of a run: event-driven simulation or time stepping.

use super::Run;
use crate::MAX_CONTACT_PAIRS;
use crate::model::{Model, ReactionSharing};
use crate::simulation::AnalysisError;
use crate::simulation::stepping::{TimeSteppingSettings, TimeSteppingSimulation};
use crate::simulation::transient::{Simulation, Transient};
use crate::state::State;

/// The method of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunMethod {
    /// As the number and the kind of contacts suggest.
    #[default]
    Automatic,
    /// With the integrator; every event is located.
    Events,
    /// In steps of fixed length over all contacts at once; [`Transient::h_first`] is the step.
    TimeStepping,
}

/// A run at its start.
pub struct StartedRun<'m> {
    /// The run.
    pub run: Box<dyn Run + 'm>,
    /// If it takes time steps: their length, s.
    pub time_step: Option<f64>,
    /// If it takes time steps: why.
    pub notice: Option<String>,
}

/// Starts a run with the given method, or with the one that suits the model.
///
/// # Errors
/// As [`Simulation::new`] and [`TimeSteppingSimulation::new`].
pub fn start_run<'m>(
    model: &'m Model,
    state: &State,
    settings: &Transient,
    method: RunMethod,
) -> Result<StartedRun<'m>, AnalysisError> {
    let steps = TimeSteppingSettings::from(settings);
    let time_stepping = || match settings.reactions {
        ReactionSharing::Solver => TimeSteppingSimulation::new(model, state, &steps),
        _ => Err(AnalysisError::Inapplicable {
            method: "time stepping",
            why: "it shares loads as its solver does; leave out `reactions`, or use contact_method = \"event_driven\""
                .to_string(),
        }),
    };
    let started = |run: TimeSteppingSimulation<'m>, reason: &str| StartedRun {
        run: Box::new(run),
        time_step: Some(steps.step),
        notice: Some(format!("using time stepping with steps of {} s: {reason}", steps.step)),
    };
    match method {
        RunMethod::TimeStepping => return Ok(started(time_stepping()?, "the settings request it")),
        RunMethod::Automatic if model.count_contact_pairs() > MAX_CONTACT_PAIRS => {
            let reason = format!("more than {MAX_CONTACT_PAIRS} pairs of surfaces can touch");
            return Ok(started(time_stepping()?, &reason));
        }
        RunMethod::Automatic => {
            // If time stepping rejects the model, its few contacts can still be followed event by event.
            if let Some((a, b)) = model.costly_contact_pair()
                && let Ok(run) = time_stepping()
            {
                let reason = format!(
                    "of `{a}` and `{b}`, one has edges or an axis and the other consists of triangles, which may take very long event \
                     by event; contact_method = \"event_driven\" selects that method anyway"
                );
                return Ok(started(run, &reason));
            }
        }
        RunMethod::Events => {}
    }
    Ok(StartedRun { run: Box::new(Simulation::new(model, state, settings)?), time_step: None, notice: None })
}
