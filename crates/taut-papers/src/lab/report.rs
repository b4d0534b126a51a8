//! The table as text, and all results as JSON.

use super::columns::{Columns, TextColumn};
use super::rows::{TrialRow, reason};
use super::sort::Sort;
use crate::text::{Align, count, number, size, table};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use taut::analyses::Transient;
use taut::analyses::laboratory::{LaboratoryReport, ReferenceSolution, TrialOutcome, TrialResult, TrialStepping};

/// Which trials are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrintedTrials {
    /// Only those at the tolerance of the model.
    OwnTolerance,
    /// All trials.
    All,
}

/// The results of `taut lab` with what is needed to present them.
#[derive(Debug)]
pub struct LabReport<'a> {
    /// Name of the model's file.
    pub name: &'a str,
    /// The model's title.
    pub title: &'a str,
    /// The model's own settings.
    pub settings: &'a Transient,
    /// Time at the start.
    pub start_time: f64,
    /// Limit of one trial, s.
    pub limit: f64,
    /// The results.
    pub report: &'a LaboratoryReport,
    /// The order of the printed table.
    pub sort: Sort,
    /// Which trials are printed.
    pub shown: PrintedTrials,
}

impl LabReport<'_> {
    /// The title, or the name if there is no title.
    pub fn heading(&self) -> String {
        if self.title.is_empty() { self.name.to_string() } else { self.title.to_string() }
    }

    /// All trials as rows of cells.
    pub(super) fn rows(&self) -> Vec<TrialRow> {
        self.report.results.iter().map(TrialRow::of).collect()
    }

    /// The table as text: finished trials, then the others, then an explanation of the columns.
    pub fn text(&self) -> String {
        let shown: Vec<&TrialResult> = self.report.results.iter().filter(|f| self.shows(f)).collect();
        let mut finished: Vec<&TrialResult> =
            shown.iter().copied().filter(|f| f.outcome == TrialOutcome::Finished).collect();
        finished.sort_by(|a, b| self.sort.compare(a, b));
        let columns = Columns::of(&shown);
        let mut text = self.header_text(&shown, &columns);
        if !finished.is_empty() {
            let rows: Vec<Vec<String>> =
                std::iter::once(columns.head()).chain(finished.iter().map(|f| columns.row(f))).collect();
            text += &table(&columns.align(), &rows, "");
        }
        let others: Vec<Vec<String>> = shown
            .iter()
            .filter(|f| f.outcome != TrialOutcome::Finished)
            .map(|f| columns.name(f).into_iter().chain([reason(&f.outcome)]).collect())
            .collect();
        if let Some(first) = others.first() {
            text += "\nwithout result:\n";
            text += &table(&vec![Align::Left; first.len()], &others, "  ");
        }
        self.warnings(&shown, &columns, &mut text);
        text + &self.footer_text(shown.len())
    }

    /// Everything as JSON.
    pub fn json(&self) -> Value {
        let reference = match &self.report.reference {
            ReferenceSolution::Known { rtol, second_rtol: second, accuracy } => {
                json!({ "rtol": rtol, "second_rtol": second, "accuracy": accuracy.is_finite().then_some(accuracy) })
            }
            ReferenceSolution::Unknown { reason: why } => json!({ "missing": why }),
        };
        json!({
            "taut_lab": 1,
            "model": self.name,
            "title": self.title,
            "start_time_s": self.start_time,
            "end_time_s": self.settings.t_end,
            "reference": reference,
            "rank": self.report.rank,
            "trials_at_once": self.report.jobs,
            "limit_s": self.limit,
            "trials": self.rows().iter().map(TrialRow::json).collect::<Vec<_>>(),
        })
    }

    fn shows(&self, finding: &TrialResult) -> bool {
        let own = match finding.trial.stepping {
            TrialStepping::Tolerance { rtol, .. } => rtol == self.settings.rtol,
            TrialStepping::Fixed(h) => h == self.settings.h_first,
        };
        own || self.shown == PrintedTrials::All
    }

    fn header_text(&self, shown: &[&TrialResult], columns: &Columns) -> String {
        let mut text = format!("{}: {} s", self.heading(), number(self.settings.t_end - self.start_time));
        // Settings that are a column of the table are not repeated here.
        if let Some(first) = shown.first() {
            if !columns.words.contains(&TextColumn::Integrator) {
                let _ = write!(text, ", {}", first.trial.integrator);
            }
            let _ = match first.trial.stepping {
                _ if columns.words.contains(&TextColumn::StepControl) => Ok(()),
                TrialStepping::Tolerance { rtol, atol } => write!(text, ", rtol {rtol:e}, atol {atol:e}"),
                TrialStepping::Fixed(Some(h)) => write!(text, ", step {} s", number(h)),
                TrialStepping::Fixed(None) => Ok(()),
            };
        }
        text.push('\n');
        if let Some(rank) = &self.report.rank {
            let (rows, freedoms) = (count(rank.rows, "row", "rows"), count(rank.freedoms, "freedom", "freedoms"));
            let _ = write!(text, "{rows} of rank {} at the start, {freedoms}", rank.rank);
            let _ = match rank.redundant {
                0 => writeln!(text),
                n => writeln!(text, "; {n} redundant among {}", first_names(&rank.dependent, 6)),
            };
        }
        text.push('\n');
        text
    }

    /// Each warning once, with the trials that gave it.
    fn warnings(&self, shown: &[&TrialResult], columns: &Columns, text: &mut String) {
        let mut by_message: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for f in shown {
            for w in &f.warnings {
                by_message.entry(&w.message).or_default().push(columns.name(f).join(" + "));
            }
        }
        if !by_message.is_empty() {
            text.push_str("\nwarnings:\n");
        }
        for (message, names) in by_message {
            let _ = writeln!(text, "  {}: {message}", first_names(&names, 3));
        }
    }

    fn footer_text(&self, shown: usize) -> String {
        let mut text = "\n".to_string();
        let _ = match &self.report.reference {
            ReferenceSolution::Known { rtol, second_rtol: second, accuracy } => writeln!(
                text,
                "error: largest difference of a coordinate, in its own unit, from the reference constraint_force + projection, dop853 \
                 at {rtol:e};\n  the reference and a run at {second:e} differ by {}: smaller errors are not significant",
                size(*accuracy)
            ),
            ReferenceSolution::Unknown { reason: why } => {
                writeln!(text, "error: not available, because there is no reference: {why}")
            }
        };
        let at_once = match self.report.jobs {
            1 => "one trial at a time".to_string(),
            n => format!("{n} trials in parallel, --jobs 1 gives more accurate times"),
        };
        let _ = writeln!(
            text,
            "time: wall-clock time of the integration, minimum of five for short runs; {at_once}; limit of {} s per trial \
             (--wall-clock)",
            number(self.limit)
        );
        let _ =
            writeln!(text, "position, velocity, acceleration: largest |φ|, |φ̇|, |A v̇ − b|; energy: largest drift, J");
        let more = self.report.results.len() - shown;
        if more > 0 {
            let _ = writeln!(text, "{more} more trials at other tolerances: see table.csv and the diagram");
        }
        text
    }
}

/// The first few of a list.
fn first_names(names: &[String], most: usize) -> String {
    let shown = names.iter().take(most).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > most { format!("{shown} and {} more", names.len() - most) } else { shown }
}

#[cfg(test)]
mod tests {
    use super::first_names;

    #[test]
    fn the_first_few_of_a_list() {
        let names = ["a", "b", "c"].map(str::to_string);
        assert_eq!((first_names(&names, 2).as_str(), first_names(&names, 3).as_str()), ("a, b and 1 more", "a, b, c"));
    }
}
