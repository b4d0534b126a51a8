//! One number of a paper beside ours: what is printed, what is right, what comes out here.

use crate::text::significant;
use serde_json::{Value, json};

/// How near is near enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// |ours − value| at most this.
    Absolute(f64),
    /// |ours − value| at most this part of |value|.
    Relative(f64),
    /// Ours is at most the value itself: an error, a drift.
    AtMost,
    /// Ours is at least the value itself: a speed-up, a divergence.
    AtLeast,
    /// Nothing is asked of it.
    Any,
}

/// What ours is held against.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// The right value.
    pub value: f64,
    /// How near ours must come.
    pub tolerance: Tolerance,
    /// Where it comes from, in words: `closed form (elliptic functions)`.
    pub from: String,
}

impl Reference {
    /// A value met within so much of its unit.
    pub fn absolute(value: f64, tolerance: f64, from: &str) -> Reference {
        Reference { value, tolerance: Tolerance::Absolute(tolerance), from: from.to_string() }
    }

    /// A value met within so much of itself.
    pub fn relative(value: f64, tolerance: f64, from: &str) -> Reference {
        Reference { value, tolerance: Tolerance::Relative(tolerance), from: from.to_string() }
    }

    /// A bound from above.
    pub fn at_most(value: f64, from: &str) -> Reference {
        Reference { value, tolerance: Tolerance::AtMost, from: from.to_string() }
    }

    /// A bound from below.
    pub fn at_least(value: f64, from: &str) -> Reference {
        Reference { value, tolerance: Tolerance::AtLeast, from: from.to_string() }
    }

    fn is_met_by(&self, ours: f64) -> bool {
        let apart = (ours - self.value).abs();
        // Comparisons with NaN are false: what is no number meets nothing.
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
        json!({ "value": self.value, "kind": kind, "tolerance": size, "from": self.from })
    }
}

/// What became of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Ours is near enough.
    Met,
    /// It is not.
    Missed,
    /// It cannot be computed yet, and why.
    #[allow(dead_code)] // no row waits now; one of a paper to come may
    Pending(String),
    /// A number that nothing is asked of: a step count, a time.
    Information,
}

impl Verdict {
    /// One word.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Met => "met",
            Verdict::Missed => "MISSED",
            Verdict::Pending(_) => "pending",
            Verdict::Information => "-",
        }
    }
}

/// Whether a number comes out the same every time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repeats {
    /// It does.
    #[default]
    Always,
    /// It was read from the clock: no part of the written page.
    Never,
}

/// A line of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Section, table or equation.
    pub source: String,
    /// What it is.
    pub quantity: String,
    /// Its unit; empty for a pure number.
    pub unit: String,
    /// What the paper prints, as printed.
    pub printed: Option<String>,
    /// What is right.
    pub reference: Option<Reference>,
    /// What comes out here.
    pub ours: Option<f64>,
    /// What became of it.
    pub verdict: Verdict,
    /// Where the paper is wrong: what is printed, what is right; or how ours was found.
    pub remark: Option<String>,
    /// Whether it comes out the same every time.
    pub repeats: Repeats,
}

impl Row {
    /// A row about which nothing is known yet.
    pub fn new(source: &str, quantity: impl Into<String>, unit: &str) -> Row {
        Row {
            source: source.to_string(),
            quantity: quantity.into(),
            unit: unit.to_string(),
            printed: None,
            reference: None,
            ours: None,
            verdict: Verdict::Information,
            remark: None,
            repeats: Repeats::Always,
        }
    }

    /// What the paper prints.
    pub fn printed(mut self, text: impl Into<String>) -> Row {
        self.printed = Some(text.into());
        self
    }

    /// A remark.
    pub fn remark(mut self, text: impl Into<String>) -> Row {
        self.remark = Some(text.into());
        self
    }

    /// Ours held against what is right: met or missed.
    pub fn against(mut self, ours: f64, reference: Reference) -> Row {
        self.verdict = if reference.is_met_by(ours) { Verdict::Met } else { Verdict::Missed };
        (self.ours, self.reference) = (Some(ours), Some(reference));
        self
    }

    /// Ours, of which nothing is asked.
    pub fn information(mut self, ours: f64) -> Row {
        (self.ours, self.verdict) = (Some(ours), Verdict::Information);
        self
    }

    /// Ours beside what another program found; nothing is asked of it.
    pub fn beside(mut self, ours: f64, value: f64, from: &str) -> Row {
        self.reference = Some(Reference { value, tolerance: Tolerance::Any, from: from.to_string() });
        self.information(ours)
    }

    /// A time by the clock: of which nothing is asked, and which the written page leaves out.
    pub fn clock(mut self, seconds: f64) -> Row {
        self.repeats = Repeats::Never;
        self.information(seconds)
    }

    /// Not yet, and why.
    #[allow(dead_code)] // see there
    pub fn pending(mut self, why: &str) -> Row {
        self.verdict = Verdict::Pending(why.to_string());
        self
    }

    /// How far ours is from what is right.
    pub fn apart(&self) -> Option<f64> {
        match (&self.reference, self.ours) {
            (Some(r), Some(ours)) if matches!(r.tolerance, Tolerance::Absolute(_) | Tolerance::Relative(_)) => {
                Some((ours - r.value).abs())
            }
            _ => None,
        }
    }

    /// Leading digits that agree; sixteen where nothing differs. A value of zero is measured by its tolerance.
    pub fn digits(&self) -> Option<u32> {
        let (apart, reference) = (self.apart()?, self.reference.as_ref()?);
        let scale = match reference.tolerance {
            Tolerance::Absolute(most) if reference.value == 0.0 => most,
            _ => reference.value.abs(),
        };
        let digits = -(apart / scale).log10();
        (!digits.is_nan()).then(|| digits.floor().clamp(0.0, 16.0) as u32)
    }

    /// The row as data.
    pub fn json(&self) -> Value {
        let why = match &self.verdict {
            Verdict::Pending(why) => Some(why),
            _ => None,
        };
        json!({
            "source": self.source, "quantity": self.quantity, "unit": self.unit, "printed": self.printed,
            "reference": self.reference.as_ref().map(Reference::json), "ours": self.ours, "digits": self.digits(),
            "verdict": match self.verdict { Verdict::Information => "information", _ => self.verdict.word() }.to_lowercase(),
            "why": why, "remark": self.remark,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts() {
        let row = |ours, reference| Row::new("1", "x", "m").against(ours, reference);
        assert_eq!(row(1.01, Reference::absolute(1.0, 0.02, "")).verdict, Verdict::Met);
        assert_eq!(row(1.03, Reference::absolute(1.0, 0.02, "")).verdict, Verdict::Missed);
        assert_eq!(row(-1.01, Reference::relative(-1.0, 0.02, "")).verdict, Verdict::Met);
        assert_eq!(row(1e-13, Reference::at_most(1e-12, "")).verdict, Verdict::Met);
        assert_eq!(row(1e-13, Reference::at_least(1e-12, "")).verdict, Verdict::Missed);
        for reference in [Reference::absolute(1.0, 1.0, ""), Reference::at_most(1.0, ""), Reference::at_least(1.0, "")]
        {
            assert_eq!(row(f64::NAN, reference).verdict, Verdict::Missed);
        }
    }

    #[test]
    fn digits_of_agreement() {
        let digits = |ours, value| Row::new("1", "x", "m").against(ours, Reference::absolute(value, 1e-3, "")).digits();
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
