//! The motion of a member: a run, or a motion that the drivers prescribe.

use super::{Builder, Failure, Found, Needs};
use crate::measure::Evidence;
use std::sync::atomic::{AtomicBool, Ordering};
use taut::analyses::{Output, RunStatus, StartedRun, Transient, kinematic, start_run};
use taut::interruption::Interruption;
use taut::{Model, Outcome, Solution, Table, Warning};
use taut_io::model::ModelFile;

/// Steps between two looks at the flag.
const STEPS_PER_CALL: u64 = 10_000;

/// The settings with rows at further times. They do not change the motion: rows come from dense output.
fn with_times(settings: &Transient, start: f64, times: &[f64]) -> Result<Transient, Failure> {
    let mut settings = settings.clone();
    if times.is_empty() || settings.output == Output::Steps {
        return Ok(settings);
    }
    let mut all = settings.times(start).map_err(|e| Failure::Invalid(e.to_string()))?;
    all.extend(times.iter().filter(|t| (start..=settings.t_end).contains(*t)));
    all.sort_by(f64::total_cmp);
    all.dedup();
    settings.output = Output::Times(all);
    Ok(settings)
}

/// The columns of a run, from its start.
pub(super) fn columns(build: &Builder) -> Result<Table, Failure> {
    let file = build(&[])?;
    let model = file.build()?;
    let started = start_run(&model, &file.state(&model), &file.transient, file.contact_method);
    let mut run = started.map_err(|e| Failure::from(file.diagnose(&e)))?.run;
    Ok(run.take_rows())
}

/// The motion in time.
pub(super) fn run(build: &Builder, needs: &Needs, flag: Option<&'static AtomicBool>) -> Result<Found, Failure> {
    let file = build(&[])?;
    let model = file.build()?;
    let mut found = run_once(&model, &file, needs, &needs.times, flag)?;
    // Values at events: their times are known now, and the second run has the same steps.
    let first = |name: &String| found.evidence.events.iter().find(|e| e.name == *name).map(|e| e.t);
    let instants: Vec<f64> = needs.events.iter().filter_map(first).collect();
    if !instants.is_empty() {
        found = run_once(&model, &file, needs, &[&needs.times[..], &instants].concat(), flag)?;
    }
    Ok(found)
}

fn run_once(
    model: &Model,
    file: &ModelFile,
    needs: &Needs,
    times: &[f64],
    flag: Option<&'static AtomicBool>,
) -> Result<Found, Failure> {
    let state = file.state(model);
    let settings = with_times(&file.transient, state.t, times)?;
    let started = start_run(model, &state, &settings, file.contact_method);
    let StartedRun { mut run, time_step, .. } = started.map_err(|e| Failure::from(file.diagnose(&e)))?;
    run.interrupt(Interruption { flag, ..Interruption::default() });
    run.search_peaks();
    while run.steps(STEPS_PER_CALL) == RunStatus::Underway {
        if flag.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(Failure::Interrupted);
        }
    }
    let mut peaks = Table::default();
    run.take_peak_rows(&mut peaks);
    let found_all_peaks = run.found_all_peaks();
    let solution = needs.solution.then(|| run.solution());
    let outcome = run.outcome().clone();
    let message = decisive(run.warnings());
    Ok(Found {
        stopped: (!outcome.is_success()).then(|| file.diagnose_ending(&outcome).message),
        verdict: run.verdict(),
        steps: run.statistics().steps,
        time_step,
        message,
        evidence: Evidence { rows: run.take_rows(), peaks, events: run.take_events() },
        solution,
        found_all_peaks,
    })
}

/// The warning that decided the verdict.
fn decisive(warnings: &[Warning]) -> String {
    Warning::decisive(warnings).map_or_else(String::new, |w| w.message.clone())
}

/// A motion that the drivers prescribe.
pub(super) fn kinematics(build: &Builder, needs: &Needs) -> Result<Found, Failure> {
    let file = build(&[])?;
    let model = file.build()?;
    let state = file.state(&model);
    let settings = with_times(&file.transient, state.t, &needs.times)?;
    let times = settings.times(state.t).map_err(|e| Failure::Invalid(e.to_string()))?;
    let solution = kinematic(&model, &state, &times).map_err(|e| Failure::from(file.diagnose(&e)))?;
    Ok(from_solution(solution, needs))
}

/// What a solution shows.
pub(super) fn from_solution(solution: Solution, needs: &Needs) -> Found {
    let finished = solution.outcome == Outcome::Finished;
    Found {
        stopped: (!finished).then(|| solution.outcome.to_string()),
        verdict: solution.verdict,
        steps: solution.statistics.steps,
        time_step: None,
        message: decisive(&solution.warnings),
        evidence: Evidence { rows: solution.table.clone(), peaks: Table::default(), events: solution.events.clone() },
        solution: needs.solution.then_some(solution),
        found_all_peaks: false,
    }
}
