//! A model of `models/papers`, ready to be run with what a row asks for.

use super::trouble::Trouble;
use crate::models;
use std::path::Path;
use taut::analyses::{Event, Output, Transient, simulate, simulate_with};
use taut::{Happening, Model, Occurrence, Solution, State};
use taut_io::model::{ModelFile, Override, parse};

/// Times closer than this are the same.
const SAME: f64 = 1e-9;
/// An event and the output at it are this close.
const ROUND_OFF: f64 = 1e-13;

/// A model and its start.
#[derive(Debug)]
pub struct Case {
    /// The mechanism.
    pub model: Model,
    /// The state that the file gives.
    pub start: State,
    /// `[settings]` and `[outputs]` of the file.
    pub settings: Transient,
}

impl Case {
    /// Reads `models/papers/NAME.toml` as it was when the crate was built. Changes are those of `--set`: names of
    /// parameters, `link2.mass`, `settings.rtol`, with the text that would stand in the file.
    ///
    /// # Errors
    /// No such model, and whatever is wrong with it.
    pub fn open(name: &str, set: &[(&str, &str)]) -> Result<Case, Trouble> {
        let path = format!("papers/{name}.toml");
        let text = models::text(&path).ok_or_else(|| Trouble::new(format!("there is no model {path}")))?;
        let set: Vec<Override> =
            set.iter().map(|(path, value)| Override { path: path.to_string(), value: value.to_string() }).collect();
        let file: ModelFile = parse(text, Path::new(&path), &set).map_err(|findings| {
            Trouble::new(findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
        })?;
        let model = file.build()?;
        let start = file.state(&model);
        Ok(Case { model, start, settings: file.transient })
    }

    /// Runs as the file says.
    ///
    /// # Errors
    /// Settings that cannot be, and a run that does not come to its end.
    pub fn run(&self) -> Result<Solution, Trouble> {
        self.run_with(&self.settings)
    }

    /// Runs with other settings, to its end.
    ///
    /// # Errors
    /// As [`Case::run`].
    pub fn run_with(&self, settings: &Transient) -> Result<Solution, Trouble> {
        let solution = self.attempt(settings)?;
        match solution.outcome.is_success() {
            true => Ok(solution),
            false => Err(Trouble::new(format!("the run {}", solution.outcome))),
        }
    }

    /// Runs with other settings and watches for events of one's own, which may end it.
    ///
    /// # Errors
    /// As [`Case::run`].
    pub fn watch(&self, settings: &Transient, events: Vec<Box<dyn Event>>) -> Result<Solution, Trouble> {
        let solution = simulate_with(&self.model, &self.start, settings, events)?;
        match solution.outcome.is_success() {
            true => Ok(solution),
            false => Err(Trouble::new(format!("the run {}", solution.outcome))),
        }
    }

    /// Runs with other settings, however it ends.
    ///
    /// # Errors
    /// Settings that cannot be.
    pub fn attempt(&self, settings: &Transient) -> Result<Solution, Trouble> {
        Ok(simulate(&self.model, &self.start, settings)?)
    }
}

/// The settings of a case with every step recorded, and both sides of every jump.
pub fn steps(case: &Case) -> Transient {
    Transient { output: Output::Steps, ..case.settings.clone() }
}

/// All events of an element that are of one kind, in their order.
///
/// # Errors
/// There is none.
pub fn happened<'s>(solution: &'s Solution, name: &str, what: Happening) -> Result<Vec<&'s Occurrence>, Trouble> {
    let found: Vec<&Occurrence> = solution.events.iter().filter(|e| e.name == name && e.what == what).collect();
    match found.is_empty() {
        true => Err(Trouble::new(format!("`{name}` never {}", what.word()))),
        false => Ok(found),
    }
}

/// A column where an event has just happened.
///
/// # Errors
/// No such column, no output then.
pub fn just_after(solution: &Solution, column: &str, t: f64) -> Result<f64, Trouble> {
    let row = solution.t().iter().rposition(|x| (x - t).abs() < ROUND_OFF);
    let row = row.ok_or_else(|| Trouble::new(format!("{column}: there is no output at {t} s")))?;
    Ok(solution.column(column)?[row])
}

/// A column at a time of output.
///
/// # Errors
/// No such column, no output then.
pub fn at(solution: &Solution, column: &str, t: f64) -> Result<f64, Trouble> {
    let row = solution.t().iter().position(|x| (x - t).abs() < SAME);
    let row = row.ok_or_else(|| Trouble::new(format!("{column}: there is no output at {t} s")))?;
    Ok(solution.column(column)?[row])
}

/// The largest |x| of a column; NaN if there is one.
///
/// # Errors
/// No such column.
pub fn largest(solution: &Solution, column: &str) -> Result<f64, Trouble> {
    Ok(solution.column(column)?.iter().fold(0.0, |most, x| worst(most, x.abs())))
}

/// The larger of two; NaN if there is one, which must not hide behind a maximum.
pub fn worst(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}
