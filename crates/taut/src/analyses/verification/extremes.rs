//! Extremes with the digits that hold.

use super::ROUND_OFF;
use crate::analyses::{Extremes, Peak};
use serde::Serialize;

/// Most digits that are ever claimed.
const MAX_DIGITS: usize = 12;

/// An extreme with its error.
///
/// A second run with a hundredth of the tolerance is so much more accurate that its distance from the first is the error of the first.
/// A third run with another method shares neither steps nor formulas with it. The larger distance counts:
///
/// ```text
///  e = max |x − xᵢ|          n = ⌊log₁₀(|x| / 2e)⌋ + 1 significant digits hold
/// ```
///
/// Steps of fixed length are halved instead, and compared with a method that controls its error.
///
/// The first of these runs has the rows of the run, so that both can be compared row by row. The second has its rows elsewhere: a peak
/// that is known only from a row, in all runs from the same one, would agree to many digits even if the true one lies beside it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckedExtreme {
    /// The element.
    pub name: String,
    /// `force`, `moment`, `smallest`, `largest` or `impulse`.
    pub quantity: &'static str,
    /// Its unit.
    pub unit: String,
    /// Its value.
    pub value: f64,
    /// When, s.
    pub t: f64,
    /// The largest distance from the checks; none if no check has it.
    pub error: Option<f64>,
    /// The digits that hold; none if it was not checked.
    pub digits: Option<usize>,
}

impl CheckedExtreme {
    /// The value with the digits that hold.
    pub fn text(&self) -> String {
        match self.digits {
            Some(digits) => with_digits(self.value, digits),
            None => format!("{:.3e} (not checked)", self.value),
        }
    }
}

/// All extremes of a run, checked by others.
pub fn checked_extremes(own: &Extremes, checks: &[&Extremes]) -> Vec<CheckedExtreme> {
    let others: Vec<Vec<Extreme>> = checks.iter().map(|c| list(c)).collect();
    let all = list(own);
    // Values that are round-off of the largest of all are zero, whatever their unit.
    let round_off = ROUND_OFF * all.iter().fold(0.0_f64, |a, e| a.max(e.peak.value.abs()));
    let check = |e: &Extreme| {
        let same = |o: &&Extreme| o.name == e.name && o.quantity == e.quantity;
        let found: Vec<f64> = others.iter().filter_map(|o| o.iter().find(same)).map(|o| o.peak.value).collect();
        let error = found
            .iter()
            .map(|x| (x - e.peak.value).abs())
            .fold(0.0_f64, |a, x| if x > a || x.is_nan() { x } else { a });
        let error = (!found.is_empty()).then_some(error);
        let zero = e.peak.value.abs() <= round_off;
        let digits = error.map(|error| match zero && error <= round_off {
            true => MAX_DIGITS,
            false => digits_that_hold(e.peak.value, error),
        });
        CheckedExtreme {
            name: e.name.clone(),
            quantity: e.quantity,
            unit: e.unit.clone(),
            value: if zero { 0.0 } else { e.peak.value },
            t: e.peak.t,
            error,
            digits,
        }
    };
    all.iter().map(check).collect()
}

struct Extreme {
    name: String,
    quantity: &'static str,
    unit: String,
    peak: Peak,
}

fn list(of: &Extremes) -> Vec<Extreme> {
    let mut all = Vec::new();
    let mut push = |name: &str, quantity: &'static str, unit: &str, peak: Peak| {
        if peak.value.is_finite() {
            all.push(Extreme { name: name.to_string(), quantity, unit: unit.to_string(), peak });
        }
    };
    for r in &of.reactions {
        push(&r.force.name, "force", "N", r.force.peak);
        r.moment.iter().for_each(|m| push(&m.name, "moment", "N m", m.peak));
    }
    for d in &of.driver_efforts {
        push(&d.name, "smallest", &d.unit, d.minimum);
        push(&d.name, "largest", &d.unit, d.maximum);
    }
    for c in &of.contacts {
        push(&c.name, "impulse", "N s", Peak { value: c.impulse, t: c.largest_overlap.t });
    }
    if let Some((_, kinetic)) = of.kinetic_energy {
        push("kinetic energy", "largest", "J", kinetic);
    }
    all
}

/// Significant digits of a value that an error leaves; 0 if not even the first holds.
pub fn digits_that_hold(value: f64, error: f64) -> usize {
    if !(error.is_finite() && value.is_finite()) || (value == 0.0 && error > 0.0) {
        return 0;
    }
    if error == 0.0 {
        return MAX_DIGITS;
    }
    // The error stays below half a unit of the last digit.
    let leading = value.abs().log10().floor();
    let digits = (leading + 1.0 - (2.0 * error).log10()).floor();
    digits.clamp(0.0, MAX_DIGITS as f64) as usize
}

/// A value with this many significant digits; `no digit holds` for none.
pub fn with_digits(value: f64, digits: usize) -> String {
    if digits == 0 {
        return "no digit holds".to_string();
    }
    if value == 0.0 {
        return "0".to_string();
    }
    let scientific = format!("{value:.*e}", digits - 1);
    let exponent: i32 = scientific.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    if (-4..6).contains(&exponent) && exponent < digits as i32 {
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        return format!("{value:.decimals$}");
    }
    scientific
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_follow_from_the_error() {
        assert_eq!(digits_that_hold(1234.5, 0.04), 5);
        assert_eq!(digits_that_hold(1234.5, 0.06), 4);
        assert_eq!(digits_that_hold(1234.5, 600.0), 0);
        assert_eq!(digits_that_hold(9.99, 1e-30), MAX_DIGITS);
        assert_eq!(digits_that_hold(0.0, 1e-9), 0);
        assert_eq!(digits_that_hold(f64::NAN, 1e-9), 0);
        assert_eq!(with_digits(1234.5678, 5), "1234.6");
        assert_eq!(with_digits(1234.5678, 4), "1235");
        assert_eq!(with_digits(1234.5678, 2), "1.2e3");
        assert_eq!(with_digits(277.1, 2), "2.8e2");
        assert_eq!(with_digits(-0.00123456, 3), "-0.00123");
        assert_eq!(with_digits(3.0, 0), "no digit holds");
    }
}
