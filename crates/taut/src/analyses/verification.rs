//! Verification of a run by other runs: the errors of its extremes, and where two runs first disagree.

mod disagreement;
mod extremes;

pub use disagreement::{Disagreement, describes_motion, first_disagreement};
pub use extremes::{CheckedExtreme, checked_extremes, digits_that_hold, with_digits};

use super::{
    AnalysisError, Coverage, Extremes, Integrator, Limits, Output, RunMethod, RunStatus, Transient, start_run,
};
use crate::model::Model;
use crate::solution::{Outcome, Table, Verdict};
use crate::state::State;
use std::time::{Duration, Instant};
use taut_ode::StepControl;

/// The second run has this part of the tolerance.
const TIGHTER: f64 = 1e-2;
/// Smallest tolerance of a check.
const LEAST_TOLERANCE: f64 = 1e-13;
/// Relative tolerance of the check of a run whose steps are fixed.
const CONTROLLED_TOLERANCE: f64 = 1e-9;
/// Distance of the rows of a check, relative to those of the run: the golden ratio, so that none of them coincide.
const OTHER_ROW: f64 = 0.618_033_988_749_894_9;
/// Steps between two looks at the clock.
const STEPS_AT_ONCE: u64 = 64;

/// Values below this, relative to the largest of the run, are round-off, whatever their unit.
const ROUND_OFF: f64 = 1e-12;

/// How a run is checked.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckPlan {
    /// `tolerance / 100`, `method radau5` and the like.
    pub what: String,
    /// Its settings.
    pub settings: Transient,
    /// Its method.
    pub method: RunMethod,
    /// Whether its rows are at the times of the run's.
    pub has_same_rows: bool,
}

/// Rows at other times than these, except for the first and the last one.
fn other_rows(rows: &Output) -> Output {
    match rows {
        Output::Every(interval) => Output::Every(OTHER_ROW * interval),
        Output::Times(times) => {
            let between = times.windows(2).map(|t| t[0] + OTHER_ROW * (t[1] - t[0]));
            Output::Times(
                times.first().into_iter().copied().chain(between).chain(times.iter().skip(1).last().copied()).collect(),
            )
        }
        Output::Steps => Output::Steps,
        Output::Ends => Output::Ends,
    }
}

/// The runs that check a run with these settings; `time_step` is the step of a run by time stepping.
pub fn check_plans(settings: &Transient, method: RunMethod, time_step: Option<f64>) -> Vec<CheckPlan> {
    let plain = Transient { limits: Limits::default(), ..settings.clone() };
    let of = |what: String, settings: Transient, method: RunMethod| CheckPlan {
        what,
        settings,
        method,
        has_same_rows: true,
    };
    let elsewhere = |plan: CheckPlan| {
        let output = other_rows(&plan.settings.output);
        CheckPlan {
            has_same_rows: output == plan.settings.output,
            settings: Transient { output, ..plan.settings },
            ..plan
        }
    };
    if let Some(h) = time_step {
        let half = Transient { h_first: Some(0.5 * h), ..plain.clone() };
        let events = Transient { h_first: None, step_control: StepControl::Varying, ..plain };
        return vec![
            of(format!("half the time step, {} s", short(0.5 * h)), half, RunMethod::TimeStepping),
            elsewhere(of("event by event instead of time steps".to_string(), events, RunMethod::Events)),
        ];
    }
    let fixed = settings.step_control == StepControl::Fixed || settings.integrator == Integrator::Rk4;
    let other = match settings.integrator {
        Integrator::Dop853 => Integrator::DormandPrince,
        _ => Integrator::Dop853,
    };
    let tighten = |x: f64| (TIGHTER * x).max(LEAST_TOLERANCE.min(x));
    let controlled =
        Transient { h_first: None, step_control: StepControl::Varying, integrator: other, ..plain.clone() };
    if let (true, Some(h)) = (fixed, settings.h_first) {
        let half = Transient { h_first: Some(0.5 * h), ..plain };
        let least = |x: f64| x.min(CONTROLLED_TOLERANCE);
        let controlled = controlled.tolerance(least(settings.rtol), least(settings.atol));
        return vec![
            of(format!("half the step, {} s", short(0.5 * h)), half, method),
            elsewhere(of(format!("method {}", other.name()), controlled, method)),
        ];
    }
    let (rtol, atol) = (tighten(settings.rtol), tighten(settings.atol));
    let finer = Transient { h_max: settings.h_max.map(|h| 0.5 * h), ..plain }.tolerance(rtol, atol);
    vec![
        of(format!("tolerance {}", short(rtol)), finer, method),
        elsewhere(of(
            format!("method {} at tolerance {}", other.name(), short(rtol)),
            controlled.tolerance(rtol, atol),
            method,
        )),
    ]
}

/// A number with at most four digits.
fn short(x: f64) -> String {
    let text = format!("{x:.3e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    format!("{}e{exponent}", digits.trim_end_matches('0').trim_end_matches('.'))
}

/// A run that checks another.
#[derive(Clone, Debug)]
pub struct CheckRun {
    /// How it differs from the run that it checks.
    pub what: String,
    /// How it ended; the reason if it did not start.
    pub outcome: Result<Outcome, String>,
    /// Its verdict.
    pub verdict: Option<Verdict>,
    /// Its extremes.
    pub extremes: Extremes,
    /// Its rows, if they were wanted.
    pub rows: Table,
}

impl CheckRun {
    /// Whether it reached the end.
    pub fn is_complete(&self) -> bool {
        self.outcome.as_ref().is_ok_and(Outcome::is_success)
    }
}

/// Whether the rows of a check are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeepRows {
    /// They are.
    Yes,
    /// Only the extremes are.
    No,
}

/// Runs a check, for at most so long.
pub fn run_check(
    model: &Model,
    state: &State,
    plan: &CheckPlan,
    limit: Duration,
    keep: KeepRows,
    stop: &dyn Fn() -> bool,
) -> CheckRun {
    let mut found = CheckRun {
        what: plan.what.clone(),
        outcome: Err(String::new()),
        verdict: None,
        extremes: Extremes::default(),
        rows: Table::default(),
    };
    match follow(model, state, plan, limit, keep, stop, &mut found) {
        Ok(outcome) => found.outcome = Ok(outcome),
        Err(e) => found.outcome = Err(e.to_string()),
    }
    found
}

fn follow(
    model: &Model,
    state: &State,
    plan: &CheckPlan,
    limit: Duration,
    keep: KeepRows,
    stop: &dyn Fn() -> bool,
    found: &mut CheckRun,
) -> Result<Outcome, AnalysisError> {
    let begun = Instant::now();
    let mut run = start_run(model, state, &plan.settings, plan.method)?.run;
    run.search_peaks();
    found.extremes = Extremes::of(model, run.table());
    let (mut rows, mut peaks) = (Table::default(), Table::default());
    loop {
        let status = run.steps(STEPS_AT_ONCE);
        run.take_rows_into(&mut rows);
        found.extremes.add_rows(&rows);
        run.take_peak_rows(&mut peaks);
        found.extremes.add_peaks(&peaks);
        if keep == KeepRows::Yes {
            append(&mut found.rows, &rows);
        }
        found.verdict = run.verdict();
        if status == RunStatus::Ended {
            found.extremes.set_coverage(if run.found_all_peaks() { Coverage::Motion } else { Coverage::Rows });
            return Ok(run.outcome().clone());
        }
        if begun.elapsed() > limit || stop() {
            return Ok(Outcome::WallClock { t: run.t() });
        }
    }
}

fn append(all: &mut Table, rows: &Table) {
    if all.columns().is_empty() {
        *all = rows.clone();
        return;
    }
    all.columns_mut().iter_mut().zip(rows.columns()).for_each(|(a, b)| a.data.extend_from_slice(&b.data));
}
