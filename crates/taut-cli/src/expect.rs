//! Checks the results of a run against the `[[expect]]` entries of its model.

use serde_json::{Value, json};
use taut_io::model::{At, Expectation};
use taut_io::results::{ResultsError, Run};
use taut_papers::text::number;

/// Relative difference below which two times are equal.
const ROUND_OFF: f64 = 1e-9;

/// Result of checking one expectation.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The value is within the tolerance.
    Met(f64),
    /// The value is outside the tolerance.
    Missed(f64),
    /// The results do not contain the value; the text says why.
    Unknown(String),
}

/// An expectation and the result of checking it.
#[derive(Clone, Debug)]
pub struct Checked {
    expectation: Expectation,
    verdict: Verdict,
}

impl Checked {
    /// Whether it is met.
    pub fn is_met(&self) -> bool {
        matches!(self.verdict, Verdict::Met(_))
    }

    /// The result as a sentence.
    pub fn text(&self) -> String {
        let Expectation { column, value, tolerance, source, .. } = &self.expectation;
        let place = match self.expectation.at {
            At::Time(t) => format!("at t = {} s", number(t)),
            At::Max => "at its largest".to_string(),
            At::Min => "at its smallest".to_string(),
            At::End => "at the end".to_string(),
        };
        let source = if source.is_empty() { String::new() } else { format!(" ({source})") };
        // All digits, so that the value and the expected one can be told apart.
        match &self.verdict {
            Verdict::Met(x) => format!("`{column}` {place} is {x}, within {tolerance:e} of {value}{source}"),
            Verdict::Missed(x) => {
                let apart = (x - value).abs();
                format!(
                    "`{column}` {place} is {x}; it differs from {value} by {apart:.3e}, more than {tolerance:e}{source}"
                )
            }
            Verdict::Unknown(why) => format!("`{column}` {place}: {why}"),
        }
    }

    /// The result as JSON.
    pub fn json(&self) -> Value {
        let (verdict, found) = match &self.verdict {
            Verdict::Met(x) => ("met", json!(x)),
            Verdict::Missed(x) => ("missed", json!(x)),
            Verdict::Unknown(why) => ("unknown", json!(why)),
        };
        let e = &self.expectation;
        json!({ "column": e.column, "verdict": verdict, "found": found, "value": e.value, "tolerance": e.tolerance })
    }
}

/// Checks expectations against the results in a folder.
///
/// # Errors
/// The results cannot be read.
pub fn check(run: &Run, list: &[Expectation]) -> Result<Vec<Checked>, ResultsError> {
    let mut checked = Vec::with_capacity(list.len());
    for expectation in list {
        let found = match run.table(&["t", &expectation.column]) {
            Ok(table) => match table.columns() {
                [t, x] => value(&t.data, &x.data, expectation.at),
                // The column is the time itself.
                [t] => value(&t.data, &t.data, expectation.at),
                _ => Err("the column was not read".to_string()),
            },
            Err(e @ ResultsError::UnknownColumn { .. }) => Err(e.to_string()),
            Err(e) => return Err(e),
        };
        let verdict = match found {
            Err(why) => Verdict::Unknown(why),
            Ok(x) if (x - expectation.value).abs() <= expectation.tolerance => Verdict::Met(x),
            Ok(x) => Verdict::Missed(x),
        };
        checked.push(Checked { expectation: expectation.clone(), verdict });
    }
    Ok(checked)
}

/// The value to be checked; linear interpolation between two rows.
fn value(t: &[f64], x: &[f64], at: At) -> Result<f64, String> {
    let none = || "nothing was recorded".to_string();
    match at {
        At::Max => x.iter().copied().reduce(f64::max).ok_or_else(none),
        At::Min => x.iter().copied().reduce(f64::min).ok_or_else(none),
        At::End => x.last().copied().ok_or_else(none),
        At::Time(wanted) => {
            let near = ROUND_OFF * wanted.abs().max(1.0);
            if let Some(i) = t.iter().position(|t| (t - wanted).abs() <= near) {
                return Ok(x[i]);
            }
            let after = t.partition_point(|t| *t < wanted);
            match (after.checked_sub(1), t.get(after)) {
                (Some(i), Some(later)) => Ok(x[i] + (x[i + 1] - x[i]) * (wanted - t[i]) / (later - t[i])),
                _ => Err("nothing was recorded at that time".to_string()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_at_times_and_extremes() {
        let (t, x) = ([0.0, 0.1, 0.2], [1.0, 3.0, 2.0]);
        let found = |at| value(&t, &x, at);
        assert_eq!(found(At::Max), Ok(3.0));
        assert_eq!(found(At::Min), Ok(1.0));
        assert_eq!(found(At::End), Ok(2.0));
        assert_eq!(found(At::Time(0.1 + 1e-12)), Ok(3.0));
        assert!((found(At::Time(0.15)).unwrap_or(0.0) - 2.5).abs() < 1e-12);
        assert!(found(At::Time(0.3)).is_err() && value(&[], &[], At::End).is_err());
    }
}
