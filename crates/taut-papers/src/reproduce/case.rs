//! A model of `models/papers`, ready to run with the settings of a row.

use super::error::ReproductionError;
use crate::models;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use taut::analyses::{Event, Output, Transient, simulate, simulate_with};
use taut::{EventKind, EventRecord, Model, Solution, State};
use taut_io::model::{ModelFile, Override, parse};

/// Times closer than this are equal.
const TIME_TOLERANCE: f64 = 1e-9;
/// Largest difference between the time of an event and of its output row.
const EVENT_TIME_TOLERANCE: f64 = 1e-13;

thread_local! {
    /// Names of the models that this thread has opened for the current example.
    static OPENED: RefCell<BTreeSet<String>> = const { RefCell::new(BTreeSet::new()) };
}

/// Names of the models that this thread has opened since the last call.
pub(super) fn take_opened_models() -> BTreeSet<String> {
    OPENED.take()
}

/// A model and its start.
#[derive(Debug)]
pub struct PaperModel {
    /// The mechanism.
    pub model: Model,
    /// The state that the file gives.
    pub start: State,
    /// `[settings]` and `[outputs]` of the file.
    pub settings: Transient,
}

impl PaperModel {
    /// Reads the embedded `models/papers/NAME.toml`. `set` contains overrides as for `--set`: names of parameters, `link2.mass`,
    /// `settings.rtol`, with the text as in the file.
    ///
    /// # Errors
    /// The model does not exist or is invalid.
    pub fn open(name: &str, set: &[(&str, &str)]) -> Result<PaperModel, ReproductionError> {
        let path = format!("papers/{name}.toml");
        let text = models::text(&path).ok_or_else(|| ReproductionError::new(format!("there is no model {path}")))?;
        OPENED.with_borrow_mut(|names| names.insert(name.to_string()));
        PaperModel::of_text(&path, text, set)
    }

    /// Reads a model from a text.
    ///
    /// # Errors
    /// The model is invalid.
    pub fn of_text(path: &str, text: &str, set: &[(&str, &str)]) -> Result<PaperModel, ReproductionError> {
        let set: Vec<Override> =
            set.iter().map(|(path, value)| Override { path: path.to_string(), value: value.to_string() }).collect();
        let file: ModelFile = parse(text, Path::new(path), &set).map_err(|findings| {
            ReproductionError::new(findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
        })?;
        let model = file.build()?;
        let start = file.state(&model);
        Ok(PaperModel { model, start, settings: file.transient })
    }

    /// Runs as the file says.
    ///
    /// # Errors
    /// The settings are invalid, or the run does not finish.
    pub fn run(&self) -> Result<Solution, ReproductionError> {
        self.run_with(&self.settings)
    }

    /// Runs with other settings, to its end.
    ///
    /// # Errors
    /// As [`PaperModel::run`].
    pub fn run_with(&self, settings: &Transient) -> Result<Solution, ReproductionError> {
        let solution = self.run_to_any_end(settings)?;
        match solution.outcome.is_success() {
            true => Ok(solution),
            false => Err(ReproductionError::new(format!("the run {}", solution.outcome))),
        }
    }

    /// Runs with other settings and additional events, which may stop the run.
    ///
    /// # Errors
    /// As [`PaperModel::run`].
    pub fn run_with_events(
        &self,
        settings: &Transient,
        events: Vec<Box<dyn Event>>,
    ) -> Result<Solution, ReproductionError> {
        let solution = simulate_with(&self.model, &self.start, settings, events)?;
        match solution.outcome.is_success() {
            true => Ok(solution),
            false => Err(ReproductionError::new(format!("the run {}", solution.outcome))),
        }
    }

    /// Runs with other settings, however it ends.
    ///
    /// # Errors
    /// The settings are invalid.
    pub fn run_to_any_end(&self, settings: &Transient) -> Result<Solution, ReproductionError> {
        Ok(simulate(&self.model, &self.start, settings)?)
    }
}

/// The settings of a case, with every step and both sides of every jump recorded.
pub fn every_step(case: &PaperModel) -> Transient {
    Transient { output: Output::Steps, ..case.settings.clone() }
}

/// All events of one kind of an element, in order of time.
///
/// # Errors
/// There is none.
pub fn events_of_kind<'s>(
    solution: &'s Solution,
    name: &str,
    what: EventKind,
) -> Result<Vec<&'s EventRecord>, ReproductionError> {
    let found: Vec<&EventRecord> = solution.events.iter().filter(|e| e.name == name && e.what == what).collect();
    match found.is_empty() {
        true => Err(ReproductionError::new(format!("`{name}` never {}", what.label()))),
        false => Ok(found),
    }
}

/// The value of a column just after an event.
///
/// # Errors
/// The column or an output at that time does not exist.
pub fn just_after(solution: &Solution, column: &str, t: f64) -> Result<f64, ReproductionError> {
    let row = solution.t().iter().rposition(|x| (x - t).abs() < EVENT_TIME_TOLERANCE);
    let row = row.ok_or_else(|| ReproductionError::new(format!("{column}: there is no output at {t} s")))?;
    Ok(solution.column(column)?[row])
}

/// The value of a column at an output time.
///
/// # Errors
/// The column or an output at that time does not exist.
pub fn at(solution: &Solution, column: &str, t: f64) -> Result<f64, ReproductionError> {
    let row = solution.t().iter().position(|x| (x - t).abs() < TIME_TOLERANCE);
    let row = row.ok_or_else(|| ReproductionError::new(format!("{column}: there is no output at {t} s")))?;
    Ok(solution.column(column)?[row])
}

/// The largest |x| of a column; NaN if there is one.
///
/// # Errors
/// No such column.
pub fn largest_absolute(solution: &Solution, column: &str) -> Result<f64, ReproductionError> {
    Ok(solution.column(column)?.iter().fold(0.0, |most, x| nan_max(most, x.abs())))
}

/// The larger of two numbers; NaN if one of them is NaN (`f64::max` would drop it).
pub fn nan_max(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}
