//! One number of a paper: the printed value, the reference value, and ours.

use crate::text::significant;
use serde_json::{Value, json};

/// Criterion of agreement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// |ours − value| at most this.
    Absolute(f64),
    /// |ours − value| at most this fraction of |value|.
    Relative(f64),
    /// Ours is at most the value: for errors and drifts.
    AtMost,
    /// Ours is at least the value: for speed-ups and divergences.
    AtLeast,
    /// No criterion.
    Any,
}

/// The value with which ours is compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// The correct value.
    pub value: f64,
    /// Criterion of agreement.
    pub tolerance: Tolerance,
    /// Its source: `closed form (elliptic functions)`.
    pub source: String,
}

impl Reference {
    /// A value with an absolute tolerance.
    pub fn absolute(value: f64, tolerance: f64, from: &str) -> Reference {
        Reference { value, tolerance: Tolerance::Absolute(tolerance), source: from.to_string() }
    }

    /// A value with a relative tolerance.
    pub fn relative(value: f64, tolerance: f64, from: &str) -> Reference {
        Reference { value, tolerance: Tolerance::Relative(tolerance), source: from.to_string() }
    }

    /// An upper bound.
    pub fn at_most(value: f64, from: &str) -> Reference {
        Reference { value, tolerance: Tolerance::AtMost, source: from.to_string() }
    }

    /// A lower bound.
    pub fn at_least(value: f64, from: &str) -> Reference {
        Reference { value, tolerance: Tolerance::AtLeast, source: from.to_string() }
    }

    fn is_met_by(&self, ours: f64) -> bool {
        let apart = (ours - self.value).abs();
        // Comparisons with NaN are false, so NaN never agrees.
        match self.tolerance {
            Tolerance::Absolute(most) => apart <= most,
            Tolerance::Relative(most) => apart <= most * self.value.abs(),
            Tolerance::AtMost => ours <= self.value,
            Tolerance::AtLeast => ours >= self.value,
            Tolerance::Any => true,
        }
    }

    /// As text: `1.5 ± 1e-9`, `1.5 ± 5 %`, `≤ 1e-12`.
    pub fn text(&self) -> String {
        let value = significant(self.value, 10);
        match self.tolerance {
            Tolerance::Absolute(0.0) => format!("{value} exactly"),
            Tolerance::Absolute(most) => format!("{value} ± {}", significant(most, 2)),
            Tolerance::Relative(most) if most >= 1e-3 => format!("{value} ± {} %", significant(100.0 * most, 2)),
            Tolerance::Relative(most) => format!("{value} (1 ± {})", significant(most, 2)),
            Tolerance::AtMost => format!("≤ {value}"),
            Tolerance::AtLeast => format!("≥ {value}"),
            Tolerance::Any => significant(self.value, 3),
        }
    }

    fn json(&self) -> Value {
        let (kind, size) = match self.tolerance {
            Tolerance::Absolute(most) => ("absolute", Some(most)),
            Tolerance::Relative(most) => ("relative", Some(most)),
            Tolerance::AtMost => ("at_most", None),
            Tolerance::AtLeast => ("at_least", None),
            Tolerance::Any => ("any", None),
        };
        json!({ "value": self.value, "kind": kind, "tolerance": size, "from": self.source })
    }
}

/// Result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowVerdict {
    /// Ours agrees.
    Met,
    /// Ours does not agree.
    Missed,
    /// Not yet computed, with the reason.
    #[allow(dead_code)] // unused at present; for rows of future papers
    Pending(String),
    /// For information only: a step count, a time.
    Information,
}

impl RowVerdict {
    /// One word.
    pub fn word(&self) -> &'static str {
        match self {
            RowVerdict::Met => "met",
            RowVerdict::Missed => "MISSED",
            RowVerdict::Pending(_) => "pending",
            RowVerdict::Information => "-",
        }
    }
}

/// Whether a number is reproducible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repeatability {
    /// It is.
    #[default]
    Always,
    /// It is a measured time, which the page leaves out.
    Never,
}

/// A line of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparisonRow {
    /// Section, table or equation.
    pub source: String,
    /// The quantity.
    pub quantity: String,
    /// Its unit; empty for a pure number.
    pub unit: String,
    /// What the paper prints, as printed.
    pub printed: Option<String>,
    /// The reference value.
    pub reference: Option<Reference>,
    /// Our value.
    pub ours: Option<f64>,
    /// Result of the comparison.
    pub verdict: RowVerdict,
    /// Error of the paper (printed and correct form), or how our value was computed.
    pub remark: Option<String>,
    /// Whether it is reproducible.
    pub repeats: Repeatability,
}

impl ComparisonRow {
    /// A row without values.
    pub fn new(source: &str, quantity: impl Into<String>, unit: &str) -> ComparisonRow {
        ComparisonRow {
            source: source.to_string(),
            quantity: quantity.into(),
            unit: unit.to_string(),
            printed: None,
            reference: None,
            ours: None,
            verdict: RowVerdict::Information,
            remark: None,
            repeats: Repeatability::Always,
        }
    }

    /// Sets the printed value.
    pub fn printed(mut self, text: impl Into<String>) -> ComparisonRow {
        self.printed = Some(text.into());
        self
    }

    /// Sets the remark.
    pub fn remark(mut self, text: impl Into<String>) -> ComparisonRow {
        self.remark = Some(text.into());
        self
    }

    /// Compares our value with the reference: met or missed.
    pub fn compared_with(mut self, ours: f64, reference: Reference) -> ComparisonRow {
        self.verdict = if reference.is_met_by(ours) { RowVerdict::Met } else { RowVerdict::Missed };
        (self.ours, self.reference) = (Some(ours), Some(reference));
        self
    }

    /// Our value, for information only.
    pub fn information(mut self, ours: f64) -> ComparisonRow {
        (self.ours, self.verdict) = (Some(ours), RowVerdict::Information);
        self
    }

    /// Our value and that of another program, for information only.
    pub fn alongside(mut self, ours: f64, value: f64, from: &str) -> ComparisonRow {
        self.reference = Some(Reference { value, tolerance: Tolerance::Any, source: from.to_string() });
        self.information(ours)
    }

    /// A measured time: for information only, and left out of the page.
    pub fn wall_clock(mut self, seconds: f64) -> ComparisonRow {
        self.repeats = Repeatability::Never;
        self.information(seconds)
    }

    /// Not yet computed, with the reason.
    #[allow(dead_code)] // see there
    pub fn pending(mut self, why: &str) -> ComparisonRow {
        self.verdict = RowVerdict::Pending(why.to_string());
        self
    }

    /// Absolute difference between our value and the reference.
    pub fn difference(&self) -> Option<f64> {
        match (&self.reference, self.ours) {
            (Some(r), Some(ours)) if matches!(r.tolerance, Tolerance::Absolute(_) | Tolerance::Relative(_)) => {
                Some((ours - r.value).abs())
            }
            _ => None,
        }
    }

    /// Number of leading digits that agree; sixteen for equal numbers. For a reference of zero, the tolerance is the scale.
    pub fn digits(&self) -> Option<u32> {
        let (apart, reference) = (self.difference()?, self.reference.as_ref()?);
        let scale = match reference.tolerance {
            Tolerance::Absolute(most) if reference.value == 0.0 => most,
            _ => reference.value.abs(),
        };
        let digits = -(apart / scale).log10();
        (!digits.is_nan()).then(|| digits.floor().clamp(0.0, 16.0) as u32)
    }

    /// The row as JSON.
    pub fn json(&self) -> Value {
        let why = match &self.verdict {
            RowVerdict::Pending(why) => Some(why),
            _ => None,
        };
        json!({
            "source": self.source, "quantity": self.quantity, "unit": self.unit, "printed": self.printed,
            "reference": self.reference.as_ref().map(Reference::json), "ours": self.ours, "digits": self.digits(),
            "verdict": match self.verdict { RowVerdict::Information => "information", _ => self.verdict.word() }.to_lowercase(),
            "why": why, "remark": self.remark,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts() {
        let row = |ours, reference| ComparisonRow::new("1", "x", "m").compared_with(ours, reference);
        assert_eq!(row(1.01, Reference::absolute(1.0, 0.02, "")).verdict, RowVerdict::Met);
        assert_eq!(row(1.03, Reference::absolute(1.0, 0.02, "")).verdict, RowVerdict::Missed);
        assert_eq!(row(-1.01, Reference::relative(-1.0, 0.02, "")).verdict, RowVerdict::Met);
        assert_eq!(row(1e-13, Reference::at_most(1e-12, "")).verdict, RowVerdict::Met);
        assert_eq!(row(1e-13, Reference::at_least(1e-12, "")).verdict, RowVerdict::Missed);
        for reference in [Reference::absolute(1.0, 1.0, ""), Reference::at_most(1.0, ""), Reference::at_least(1.0, "")]
        {
            assert_eq!(row(f64::NAN, reference).verdict, RowVerdict::Missed);
        }
    }

    #[test]
    fn digits_of_agreement() {
        let digits = |ours, value| {
            ComparisonRow::new("1", "x", "m").compared_with(ours, Reference::absolute(value, 1e-3, "")).digits()
        };
        assert_eq!(digits(1.0, 1.0), Some(16));
        assert_eq!(digits(1.0000002, 1.0), Some(6));
        assert_eq!(digits(-200.0, 100.0), Some(0));
        assert_eq!(digits(1e-6, 0.0), Some(3));
        assert_eq!(digits(f64::NAN, 1.0), None);
    }

    #[test]
    fn references_as_people_write_them() {
        assert_eq!(Reference::relative(3.1e-5, 0.05, "").text(), "3.1e-5 ± 5 %");
    }
}
