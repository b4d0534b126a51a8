//! `taut compare`: compares two folders of results, column by column.

use crate::exit::{CliError, ExitStatus, print_json, print_stdout};
use crate::options::{JsonOption, OutputStyle};
use clap::Args;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use taut_io::results::{Comparison, Difference, RowMatching, StoredRun, compare};
use taut_papers::text::{self, Align, number, size, table};

/// Largest number of columns shown if the runs differ, and if they agree.
const SHOWN: [usize; 2] = [20, 5];

/// Arguments of `taut compare`.
#[derive(Debug, Args)]
#[command(after_help = "\
Columns are compared at the times that both runs contain; columns that only one run contains are listed. The difference of a \
column is relative to the largest value of all columns with the same unit in both runs, so zero crossings and reactions that \
are only round-off have no effect. Units whose values are only round-off in both runs are ignored. So are columns that describe the \
computation, not the motion (steps, residuals, energy balance).

The exit code is 1 if a column differs by more than the tolerance, or if the runs share fewer than half of the output times \
of the shorter run.

Examples:
  taut compare crank.run finer.run
  taut compare crank.run finer.run --tol 1e-6")]
pub struct Arguments {
    /// First run
    first: PathBuf,
    /// Second run
    second: PathBuf,
    /// Allowed difference, relative to the largest value with the same unit
    #[arg(long, value_name = "NUMBER", default_value = "1e-6", value_parser = parse_tolerance)]
    tol: f64,
    #[command(flatten)]
    printing: JsonOption,
}

fn parse_tolerance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x >= 0.0 => Ok(x),
        _ => Err("expected a non-negative number".to_string()),
    }
}

/// Whether a column counts for the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Judged {
    /// It describes the motion.
    Yes,
    /// It describes the computation.
    No,
}

impl Judged {
    fn of(name: &str) -> Judged {
        let aside = ["step", "rank", "energy.balance"].contains(&name) || name.starts_with("residual.");
        if aside { Judged::No } else { Judged::Yes }
    }
}

/// Values below this, relative to the largest value of both runs, are round-off, whatever their unit.
const ROUND_OFF: f64 = 1e-12;

/// Difference relative to the largest value with the same unit; zero if that value is itself round-off.
fn relative_difference(d: &Difference, unit: f64, all: f64) -> f64 {
    match d.absolute.size {
        apart if apart == 0.0 || (apart.is_finite() && unit <= ROUND_OFF * all) => 0.0,
        apart => apart / unit.max(f64::MIN_POSITIVE),
    }
}

/// Result of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Agreement {
    /// Too few common times.
    NotComparable,
    /// Bitwise equal.
    Equal,
    /// Equal within the tolerance.
    WithinTolerance,
    /// Some columns differ by more than the tolerance.
    Different,
}

impl Agreement {
    fn of(found: &Comparison, beyond: usize) -> Agreement {
        let RowMatching { common, only_first, only_second } = found.rows;
        match beyond {
            _ if common == 0 || 2 * common < common + only_first.min(only_second) => Agreement::NotComparable,
            0 if found.is_equal() => Agreement::Equal,
            0 => Agreement::WithinTolerance,
            _ => Agreement::Different,
        }
    }

    fn label(self) -> &'static str {
        match self {
            Agreement::NotComparable => "not comparable",
            Agreement::Equal => "equal",
            Agreement::WithinTolerance => "same",
            Agreement::Different => "different",
        }
    }
}

impl Arguments {
    /// Compares the runs and prints the result.
    pub fn run(self) -> Result<ExitStatus, CliError> {
        let found = compare(&StoredRun::open(&self.first)?, &StoredRun::open(&self.second)?)?;
        let judged = || found.differences.iter().filter(|d| Judged::of(&d.name) == Judged::Yes);
        let scale = |unit: &str| judged().filter(|d| d.unit == unit).fold(0.0_f64, |a, d| a.max(d.scale));
        let all = judged().fold(0.0_f64, |a, d| a.max(d.scale));
        let mut judged: Vec<(f64, &Difference)> =
            judged().map(|d| (relative_difference(d, scale(&d.unit), all), d)).collect();
        judged.sort_by(|a, b| b.0.total_cmp(&a.0));
        let beyond = judged.iter().filter(|(s, _)| *s > self.tol).count();
        let agreement = Agreement::of(&found, beyond);
        match self.printing.style() {
            OutputStyle::Json => print_json(&as_json(&found, &judged, self.tol, agreement))?,
            _ => print_stdout(&as_text(&found, &judged, self.tol, agreement))?,
        }
        Ok(match agreement {
            Agreement::Equal | Agreement::WithinTolerance => ExitStatus::Success,
            Agreement::NotComparable | Agreement::Different => ExitStatus::Failed,
        })
    }
}

fn as_text(found: &Comparison, judged: &[(f64, &Difference)], tol: f64, agreement: Agreement) -> String {
    let mut text = String::new();
    let beyond = judged.iter().filter(|(s, _)| *s > tol).count();
    let columns = text::count(judged.len(), "column", "columns");
    let rows = text::count(found.rows.common, "row", "rows");
    let _ = match agreement {
        Agreement::NotComparable => {
            let RowMatching { common, only_first, only_second } = found.rows;
            let shorter = text::count(common + only_first.min(only_second), "row", "rows");
            let few = format!("{common} of the {shorter} of the shorter run");
            writeln!(text, "not comparable: only {few} are at common times; run both with the same --every")
        }
        Agreement::Equal => writeln!(text, "equal: {columns} in {rows}"),
        Agreement::WithinTolerance => writeln!(text, "same within {}: {columns} in {rows}", size(tol)),
        Agreement::Different => {
            writeln!(text, "different: {beyond} of {columns} differ by more than {} in {rows}", size(tol))
        }
    };
    let _ = writeln!(text, "tolerance  {} of the largest value with the same unit", size(tol));
    let differing = judged.iter().filter(|(s, _)| *s > 0.0);
    let mut lines = vec![["column", "difference", "unit", "largest", "relative", "at [s]"].map(String::from).to_vec()];
    let shown = if beyond > 0 { SHOWN[0] } else { SHOWN[1] };
    for (relative, d) in differing.clone().take(shown) {
        let unit = d.other_unit.as_ref().map_or_else(|| d.unit.clone(), |o| format!("{} / {o}", d.unit));
        let at = number(d.absolute.t);
        lines.push(vec![d.name.clone(), size(d.absolute.size), unit, number(d.scale), size(*relative), at]);
    }
    if lines.len() > 1 {
        use Align::{Left, Right};
        text.push_str(&table(&[Left, Right, Left, Right, Right, Right], &lines, "  "));
    }
    let more = differing.count().saturating_sub(shown);
    if more > 0 {
        let _ = writeln!(text, "  and {} with smaller differences", text::count(more, "column", "columns"));
    }
    for (which, names, rows) in
        [("first", &found.only_first, found.rows.only_first), ("second", &found.only_second, found.rows.only_second)]
    {
        if !names.is_empty() {
            let shown = names.iter().take(8).cloned().collect::<Vec<_>>().join(", ");
            let dots = if names.len() > 8 { ", …" } else { "" };
            let columns = text::count(names.len(), "column", "columns");
            let _ = writeln!(text, "only the {which} run has {columns}: {shown}{dots}");
        }
        if rows > 0 {
            let _ = writeln!(text, "only the {which} run has {} at other times", text::count(rows, "row", "rows"));
        }
    }
    text
}

fn as_json(found: &Comparison, judged: &[(f64, &Difference)], tol: f64, agreement: Agreement) -> Value {
    let one = |(relative, d): &(f64, &Difference)| {
        json!({
            "column": d.name, "unit": d.unit, "other_unit": d.other_unit, "absolute": d.absolute.size, "t": d.absolute.t,
            "scale": d.scale, "relative": relative,
        })
    };
    json!({
        "verdict": agreement.label(),
        "tol": tol,
        "beyond": judged.iter().filter(|(s, _)| *s > tol).count(),
        "rows": { "common": found.rows.common, "only_first": found.rows.only_first, "only_second": found.rows.only_second },
        "differences": judged.iter().filter(|(s, _)| *s != 0.0).map(one).collect::<Vec<_>>(),
        "only_first": found.only_first,
        "only_second": found.only_second,
    })
}
