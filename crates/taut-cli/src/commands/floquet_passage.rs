//! `taut floquet --passage`: multipliers of identical parts from one passage.

use super::operating_point::multiblade_error;
use super::periodic_point::PeriodicPoint;
use crate::exit::{CliError, ExitStatus, print_json, print_stdout};
use crate::options::{ModelSource, OutputStyle};
use serde_json::json;
use std::f64::consts::TAU;
use std::fmt::Write;
use taut::analyses::{PassageModes, passage_modes};
use taut_papers::text::{Align, number, table};

/// Computes and prints the multipliers.
pub fn run(
    source: &ModelSource,
    point: &PeriodicPoint,
    (words, axis): (&[String], [f64; 3]),
    style: OutputStyle,
) -> Result<ExitStatus, CliError> {
    let (file, model, period) = point.open(source, &[], OutputStyle::Text)?;
    let start = point.start(&file, &model)?;
    let found = passage_modes(&model, &start, period, &point.settings(&file, period), words, axis)
        .map_err(|e| multiblade_error(&file, e))?;
    match style {
        OutputStyle::Json => {
            let pairs = |all: &[nalgebra::Complex<f64>]| all.iter().map(|x| [x.re, x.im]).collect::<Vec<_>>();
            print_json(&json!({
                "title": file.title,
                "period": found.period,
                "parts": found.count,
                "passage_multipliers": pairs(&found.passage_multipliers),
                "multipliers": pairs(&found.multipliers),
                "exponents": pairs(&found.exponents),
            }))?;
        }
        _ => print_stdout(&as_text(&found))?,
    }
    Ok(ExitStatus::Success)
}

fn as_text(found: &PassageModes) -> String {
    let heads = ["", "real part [1/s]", "f [Hz]", "|multiplier|", "|multiplier| of a passage"];
    let mut rows = vec![heads.map(String::from).to_vec()];
    let shown = found.exponents.iter().enumerate().filter(|(_, e)| e.im >= 0.0);
    for (line, (i, e)) in shown.enumerate() {
        let sizes = [found.multipliers[i].norm(), found.passage_multipliers[i].norm()];
        let mut row = vec![(line + 1).to_string(), number(e.re), number(e.im / TAU)];
        row.extend(sizes.map(number));
        rows.push(row);
    }
    let mut text = table(&[Align::Right; 5], &rows, "");
    let rate = found.count as f64 / found.period;
    let _ = writeln!(
        text,
        "{} multipliers from one passage of {} parts; frequencies are known up to multiples of {} Hz",
        found.multipliers.len(),
        found.count,
        number(rate)
    );
    text
}
