//! The summary of a run, collected from its rows while they are written.

mod loads;
mod reaction_table;

pub use loads::{loads_json, loads_text};
pub use reaction_table::reaction_table;

use crate::expectations::CheckedExpectation;
use loads::{contacts_json, finite_or_null};
use serde_json::{Value, json};
use std::fmt::Write;
use taut::analyses::RankReport;
use taut::{Coverage, Extremes, Model, Outcome, ResidualLevel, Statistics, Verdict, Warning};
use taut_papers::text::{self, number, size};

/// Summary of a finished or interrupted run.
#[derive(Debug)]
pub struct Summary<'a> {
    /// Name of the model.
    pub name: &'a str,
    /// The model.
    pub model: &'a Model,
    /// Rank of the constraint rows at the start, if the model is small enough.
    pub rank: Option<RankReport>,
    /// Why it ended; none if it was interrupted.
    pub outcome: Option<&'a Outcome>,
    /// The time reached.
    pub t: f64,
    /// Numbers of steps and evaluations.
    pub statistics: Statistics,
    /// Extremes of reactions, residuals and energies.
    pub extremes: &'a Extremes,
    /// Wall-clock time, s.
    pub wall_clock_seconds: f64,
    /// Warnings.
    pub warnings: &'a [Warning],
    /// Verdict of the audit; `None` for analyses without one.
    pub verdict: Option<Verdict>,
    /// Results of the expectations.
    pub expected: &'a [CheckedExpectation],
    /// Where the results are.
    pub folder: String,
}

impl Summary<'_> {
    /// The summary as text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let how = match self.outcome {
            None => format!("interrupted at t = {} s", number(self.t)),
            Some(Outcome::Finished) => format!("finished at t = {} s", number(self.t)),
            Some(other) => other.to_string(),
        };
        let verdict = self.verdict.map_or_else(String::new, |verdict| self.verdict_text(verdict));
        let _ = writeln!(text, "{}: {verdict}{how}, after {}", self.name, text::clock(self.wall_clock_seconds));
        if let Some(cause) = self.cause() {
            let _ = writeln!(text, "audit      {}", cause.message);
        }
        if let Some(r) = &self.rank {
            let redundant = if r.redundant > 0 { format!(", {} redundant", r.redundant) } else { String::new() };
            let rows = format!("{} velocities, {} constraint rows{redundant}", r.velocities, r.rows);
            let _ = writeln!(text, "freedoms   {} ({rows})", r.freedoms);
        }
        let s = &self.statistics;
        if s.steps > 0 {
            let work = format!("{} ({} rejected), {} evaluations", s.steps, s.rejected, s.evaluations);
            let _ = writeln!(text, "steps      {work}");
        }
        if let Some((_, balance)) = self.extremes.energy_balance {
            let kinetic = self.extremes.kinetic_energy.map_or(0.0, |(_, k)| k.value);
            let scale = format!("kinetic energy up to {} J", number(kinetic));
            let _ = writeln!(text, "energy     balanced within {} J ({scale})", size(balance.value));
        }
        let level = |l: &ResidualLevel| format!("{} {}{}", l.name, size(l.worst.value), self.worst_row_text(l));
        let levels: Vec<String> = self.extremes.residual_levels.iter().map(level).collect();
        if !levels.is_empty() {
            let _ = writeln!(text, "residuals  {}", levels.join(", "));
        }
        text.push_str(&loads_text(self.extremes));
        if !self.expected.is_empty() {
            let met = self.expected.iter().filter(|e| e.is_met()).count();
            let _ = writeln!(text, "expected   {met} of {} met", self.expected.len());
        }
        let rows = text::count(self.extremes.rows, "row", "rows");
        let _ = writeln!(text, "results    {} ({rows})", self.folder);
        text
    }

    /// The warning that decided the verdict.
    fn cause(&self) -> Option<&Warning> {
        self.verdict.and_then(|_| Warning::decisive(self.warnings))
    }

    /// The verdict, the time from which it applies, and the element responsible.
    fn verdict_text(&self, verdict: Verdict) -> String {
        let Some(cause) = self.cause() else { return format!("{verdict}; ") };
        let element = cause.element.as_ref().map_or_else(String::new, |e| format!(", `{e}`"));
        format!("{verdict} from t = {} s on{element}; ", number(cause.t))
    }

    fn worst_row_text(&self, level: &ResidualLevel) -> String {
        match level.worst.value {
            0.0 => String::new(),
            _ if level.row < self.model.rows.len() => format!(" ({})", self.model.row_name(level.row)),
            _ => String::new(),
        }
    }

    /// The summary as JSON.
    pub fn json(&self) -> Value {
        let level = |l: &ResidualLevel| {
            let row = (l.row < self.model.rows.len()).then(|| self.model.row_name(l.row));
            (l.name.to_string(), json!({ "worst": finite_or_null(l.worst.value), "t": l.worst.t, "row": row }))
        };
        let levels: serde_json::Map<_, _> = self.extremes.residual_levels.iter().map(level).collect();
        let (reactions, drives) = loads_json(self.extremes);
        json!({
            "model": self.name,
            "verdict": self.verdict,
            "cause": self.cause(),
            "outcome": self.outcome.map_or_else(|| json!("interrupted"), |o| json!(o)),
            "message": self.outcome.map_or_else(|| "interrupted".to_string(), |o| o.to_string()),
            "t": self.t,
            "elapsed_s": self.wall_clock_seconds,
            "freedoms": self.rank.as_ref().map(|r| r.freedoms),
            "rank": self.rank,
            "statistics": self.statistics,
            "energy": {
                "balance_J": self.extremes.energy_balance.map(|(_, p)| finite_or_null(p.value)),
                "kinetic_J": self.extremes.kinetic_energy.map(|(_, p)| finite_or_null(p.value)),
            },
            "residuals": levels,
            "extremes_of": match self.extremes.coverage {
                Coverage::Rows => "rows",
                Coverage::Motion => "motion",
            },
            "reactions": reactions,
            "drives": drives,
            "contacts": contacts_json(self.extremes),
            "warnings": self.warnings,
            "expected": self.expected.iter().map(CheckedExpectation::json).collect::<Vec<_>>(),
            "results": self.folder,
            "rows": self.extremes.rows,
        })
    }
}
