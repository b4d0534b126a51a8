//! `taut compare`: two folders of results, column by column.

use crate::ending::{Ending, Failure, note, say, say_json};
use crate::options::{AsJson, Style};
use crate::text::{self, Align, number, size, table};
use clap::Args;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use taut_io::results::{Comparison, Difference, Run, compare};

/// Most columns that are shown of runs that differ, and of runs that are the same.
const SHOWN: [usize; 2] = [20, 5];

/// Arguments of `taut compare`.
#[derive(Debug, Args)]
#[command(after_help = "\
Columns are compared at the times that both runs have; columns that only one has are listed. The difference of a column \
is measured by its largest value in either run, so that a zero crossing counts as little as it means. What tells of the \
computation rather than of the motion (steps, residuals, energy balance) is shown but not judged.

Exit code 1 if any column differs by more than the tolerance.

Examples:
  taut compare crank.run finer.run
  taut compare crank.run finer.run --tol 1e-6")]
pub struct Arguments {
    /// One run
    first: PathBuf,
    /// The other
    second: PathBuf,
    /// Largest difference allowed, relative to the largest value of the column
    #[arg(long, value_name = "NUMBER", default_value = "1e-6", value_parser = tolerance)]
    tol: f64,
    #[command(flatten)]
    printing: AsJson,
}

fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x >= 0.0 => Ok(x),
        _ => Err("give a number that is not negative".to_string()),
    }
}

/// Whether a column takes part in the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Judged {
    /// It tells of the motion.
    Yes,
    /// It tells of the computation.
    No,
}

impl Judged {
    fn of(name: &str) -> Judged {
        let aside = ["step", "rank", "energy.balance"].contains(&name) || name.starts_with("residual.");
        if aside { Judged::No } else { Judged::Yes }
    }
}

/// Difference by the scale of its column, and of the unit's columns where the column is all round-off.
fn share(d: &Difference, scale: f64) -> f64 {
    match d.absolute.size {
        0.0 => 0.0,
        apart => apart / d.scale.max(1e-6 * scale).max(f64::MIN_POSITIVE),
    }
}

impl Arguments {
    /// Compares and judges.
    pub fn run(self) -> Result<Ending, Failure> {
        let found = compare(&Run::open(&self.first)?, &Run::open(&self.second)?)?;
        // A reaction that is zero but for round-off is measured by the other reactions.
        let scale = |unit: &str| {
            let same = found.differences.iter().filter(|d| d.unit == unit && Judged::of(&d.name) == Judged::Yes);
            same.fold(0.0_f64, |a, d| a.max(d.scale))
        };
        let mut judged: Vec<(f64, &Difference)> = (found.differences.iter())
            .filter(|d| Judged::of(&d.name) == Judged::Yes)
            .map(|d| (share(d, scale(&d.unit)), d))
            .collect();
        judged.sort_by(|a, b| b.0.total_cmp(&a.0));
        let beyond = judged.iter().filter(|(s, _)| *s > self.tol).count();
        match self.printing.style() {
            Style::Json => say_json(&as_json(&found, &judged, self.tol))?,
            _ => say(&told(&found, &judged, self.tol))?,
        }
        if found.rows.common == 0 {
            note("error: the runs have no time in common");
            return Ok(Ending::Refused);
        }
        Ok(if beyond == 0 { Ending::Done } else { Ending::Refused })
    }
}

fn told(found: &Comparison, judged: &[(f64, &Difference)], tol: f64) -> String {
    let mut text = String::new();
    let beyond = judged.iter().filter(|(s, _)| *s > tol).count();
    let columns = text::count(judged.len(), "column", "columns");
    let rows = text::count(found.rows.common, "row", "rows");
    let _ = match beyond {
        0 if found.is_equal() => writeln!(text, "equal: {columns} in {rows}"),
        0 => writeln!(text, "same within {}: {columns} in {rows}", size(tol)),
        _ => writeln!(text, "different: {beyond} of {columns} beyond {} in {rows}", size(tol)),
    };
    let differing = judged.iter().filter(|(s, _)| *s > 0.0);
    let mut lines = vec![["column", "apart by", "unit", "largest", "relative", "at [s]"].map(String::from).to_vec()];
    let shown = if beyond > 0 { SHOWN[0] } else { SHOWN[1] };
    for (share, d) in differing.clone().take(shown) {
        let unit = d.other_unit.as_ref().map_or_else(|| d.unit.clone(), |o| format!("{} / {o}", d.unit));
        let at = number(d.absolute.t);
        lines.push(vec![d.name.clone(), size(d.absolute.size), unit, number(d.scale), size(*share), at]);
    }
    if lines.len() > 1 {
        use Align::{Left, Right};
        text.push_str(&table(&[Left, Right, Left, Right, Right, Right], &lines, "  "));
    }
    let more = differing.count().saturating_sub(shown);
    if more > 0 {
        let _ = writeln!(text, "  and {} that differ less", text::count(more, "column", "columns"));
    }
    for (which, names, rows) in
        [("first", &found.only_first, found.rows.only_first), ("second", &found.only_second, found.rows.only_second)]
    {
        if !names.is_empty() {
            let shown = names.iter().take(8).cloned().collect::<Vec<_>>().join(", ");
            let dots = if names.len() > 8 { ", …" } else { "" };
            let columns = text::count(names.len(), "column", "columns");
            let _ = writeln!(text, "only the {which} has {columns}: {shown}{dots}");
        }
        if rows > 0 {
            let _ = writeln!(text, "only the {which} has {} at other times", text::count(rows, "row", "rows"));
        }
    }
    text
}

fn as_json(found: &Comparison, judged: &[(f64, &Difference)], tol: f64) -> Value {
    let one = |(share, d): &(f64, &Difference)| {
        json!({
            "column": d.name, "unit": d.unit, "other_unit": d.other_unit, "absolute": d.absolute.size, "t": d.absolute.t,
            "scale": d.scale, "relative": share,
        })
    };
    json!({
        "tol": tol,
        "beyond": judged.iter().filter(|(s, _)| *s > tol).count(),
        "rows": { "common": found.rows.common, "only_first": found.rows.only_first, "only_second": found.rows.only_second },
        "differences": judged.iter().filter(|(s, _)| *s != 0.0).map(one).collect::<Vec<_>>(),
        "only_first": found.only_first,
        "only_second": found.only_second,
    })
}
