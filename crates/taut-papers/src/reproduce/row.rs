//! One number of a paper: the printed value, the reference value, and ours.

use super::print::{Print, PrintDemand};
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
        }
    }

    /// Whether it bounds our value on one side only.
    pub fn is_one_sided(&self) -> bool {
        matches!(self.tolerance, Tolerance::AtMost | Tolerance::AtLeast)
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
        }
    }

    fn json(&self) -> Value {
        let (kind, size) = match self.tolerance {
            Tolerance::Absolute(most) => ("absolute", Some(most)),
            Tolerance::Relative(most) => ("relative", Some(most)),
            Tolerance::AtMost => ("at_most", None),
            Tolerance::AtLeast => ("at_least", None),
        };
        json!({ "value": self.value, "kind": kind, "tolerance": size, "from": self.source })
    }
}

/// Result of a comparison. The first four are what a row is worth as a reproduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowVerdict {
    /// Ours is what the paper prints.
    Agrees,
    /// Ours is an independent value and not what the paper prints; the remark has the erratum.
    Contradicts,
    /// The paper prints nothing; ours is an independent value.
    Checked,
    /// A formula of the paper, evaluated here; no model is involved.
    Formula,
    /// Ours keeps a one-sided bound, such as one of round-off. This is no reproduction.
    Bound,
    /// Ours is neither, or nothing is there to compare it with.
    Missed,
}

impl RowVerdict {
    /// All of them, in the order in which they are counted.
    pub const ALL: [RowVerdict; 6] = [
        RowVerdict::Agrees,
        RowVerdict::Contradicts,
        RowVerdict::Checked,
        RowVerdict::Formula,
        RowVerdict::Bound,
        RowVerdict::Missed,
    ];

    /// For a table.
    pub fn word(self) -> &'static str {
        match self {
            RowVerdict::Agrees => "agrees with print",
            RowVerdict::Contradicts => "contradicts print",
            RowVerdict::Checked => "checked",
            RowVerdict::Formula => "formula only",
            RowVerdict::Bound => "bound held",
            RowVerdict::Missed => "MISSED",
        }
    }

    /// For programs.
    pub fn key(self) -> &'static str {
        match self {
            RowVerdict::Agrees => "agrees",
            RowVerdict::Contradicts => "contradicts",
            RowVerdict::Checked => "checked",
            RowVerdict::Formula => "formula",
            RowVerdict::Bound => "bound",
            RowVerdict::Missed => "missed",
        }
    }
}

/// How our value was computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// By a model and the engine.
    #[default]
    Model,
    /// By a formula alone.
    Formula,
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
    /// What the paper prints.
    pub printed: Option<Print>,
    /// The reference value.
    pub reference: Option<Reference>,
    /// Our value.
    pub ours: Option<f64>,
    /// How it was computed.
    pub origin: Origin,
    /// What is wrong in print: our value must then differ from it.
    pub erratum: Option<String>,
    /// How our value was computed, or what else is known.
    pub remark: Option<String>,
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
            origin: Origin::Model,
            erratum: None,
            remark: None,
        }
    }

    /// Sets what is printed: a number, with which ours must agree to its last digit, or a statement in words.
    pub fn printed(self, text: &str) -> ComparisonRow {
        self.print(Print::parse(text))
    }

    /// Sets what is printed.
    pub fn print(mut self, print: Print) -> ComparisonRow {
        self.printed = Some(print);
        self
    }

    /// Sets what is wrong in print.
    pub fn erratum(mut self, text: impl Into<String>) -> ComparisonRow {
        self.erratum = Some(text.into());
        self
    }

    /// Sets the remark.
    pub fn remark(mut self, text: impl Into<String>) -> ComparisonRow {
        self.remark = Some(text.into());
        self
    }

    /// Marks a value that a formula gives, without a model.
    pub fn by_formula(mut self) -> ComparisonRow {
        self.origin = Origin::Formula;
        self
    }

    /// Sets our value and the reference.
    pub fn compared_with(mut self, ours: f64, reference: Reference) -> ComparisonRow {
        (self.ours, self.reference) = (Some(ours), Some(reference));
        self
    }

    /// Sets our value, to be compared with the print alone.
    pub fn ours(mut self, ours: f64) -> ComparisonRow {
        self.ours = Some(ours);
        self
    }

    /// Result of the comparison. A row that nothing could refute is missed.
    pub fn verdict(&self) -> RowVerdict {
        let Some(ours) = self.ours else { return RowVerdict::Missed };
        if self.reference.as_ref().is_some_and(|r| !r.is_met_by(ours)) {
            return RowVerdict::Missed;
        }
        let demand = self.printed.as_ref().map_or(PrintDemand::Nothing, |p| p.demand);
        let in_print = match demand {
            PrintDemand::Within(low, high) => Some(low <= ours && ours <= high),
            // The words are judged by the one who wrote the row; the reference decides.
            PrintDemand::Words => Some(self.erratum.is_none()),
            PrintDemand::Nothing => None,
        };
        let two_sided = self.reference.as_ref().is_some_and(|r| !r.is_one_sided());
        match (in_print, &self.erratum) {
            (Some(true), None) if two_sided || matches!(demand, PrintDemand::Within(..)) => RowVerdict::Agrees,
            (Some(false), Some(_)) if two_sided => RowVerdict::Contradicts,
            (None, _) if two_sided && self.origin == Origin::Formula => RowVerdict::Formula,
            (None, _) if two_sided => RowVerdict::Checked,
            (Some(true) | None, None) if self.reference.is_some() => RowVerdict::Bound,
            _ => RowVerdict::Missed,
        }
    }

    /// Erratum and remark, as one note.
    pub fn note(&self) -> String {
        self.erratum.iter().chain(&self.remark).cloned().collect::<Vec<_>>().join(" ")
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
        json!({
            "source": self.source, "quantity": self.quantity, "unit": self.unit, "printed": self.printed.as_ref().map(|p| &p.text),
            "reference": self.reference.as_ref().map(Reference::json), "ours": self.ours, "digits": self.digits(),
            "verdict": self.verdict().key(), "erratum": self.erratum, "remark": self.remark,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_decide_what_is_not_printed() {
        let row = |ours, reference| ComparisonRow::new("1", "x", "m").compared_with(ours, reference);
        assert_eq!(row(1.01, Reference::absolute(1.0, 0.02, "")).verdict(), RowVerdict::Checked);
        assert_eq!(row(1.01, Reference::absolute(1.0, 0.02, "")).by_formula().verdict(), RowVerdict::Formula);
        assert_eq!(row(1.03, Reference::absolute(1.0, 0.02, "")).verdict(), RowVerdict::Missed);
        assert_eq!(row(-1.01, Reference::relative(-1.0, 0.02, "")).verdict(), RowVerdict::Checked);
        assert_eq!(row(1e-13, Reference::at_most(1e-12, "")).verdict(), RowVerdict::Bound);
        assert_eq!(row(1e-13, Reference::at_least(1e-12, "")).verdict(), RowVerdict::Missed);
        for reference in [Reference::absolute(1.0, 1.0, ""), Reference::at_most(1.0, ""), Reference::at_least(1.0, "")]
        {
            assert_eq!(row(f64::NAN, reference).verdict(), RowVerdict::Missed);
        }
    }

    #[test]
    fn prints_decide_what_is_printed() {
        let row = |text| ComparisonRow::new("1", "x", "m").printed(text);
        let near = |value| Reference::absolute(value, 1e-3, "");
        assert_eq!(row("1.5").ours(1.52).verdict(), RowVerdict::Agrees);
        assert_eq!(row("1.5").ours(1.6).verdict(), RowVerdict::Missed);
        assert_eq!(row("1.5").compared_with(1.52, near(1.6)).verdict(), RowVerdict::Missed, "not the reference");
        assert_eq!(row("1.5").compared_with(1.6, near(1.6)).verdict(), RowVerdict::Missed, "no erratum");
        assert_eq!(row("1.5").compared_with(1.6, near(1.6)).erratum("a slip").verdict(), RowVerdict::Contradicts);
        assert_eq!(row("1.5").compared_with(1.5, near(1.5)).erratum("a slip").verdict(), RowVerdict::Missed, "no slip");
        assert_eq!(row("1.5").ours(1.6).erratum("a slip").verdict(), RowVerdict::Missed, "no independent value");
        assert_eq!(row("small").ours(1.6).verdict(), RowVerdict::Missed, "nothing to compare with");
        assert_eq!(row("small").compared_with(0.1, near(0.1)).verdict(), RowVerdict::Agrees);
        let beside = ComparisonRow::new("1", "x", "").print(Print::beside("2 s")).compared_with(7.0, near(7.0));
        assert_eq!(beside.verdict(), RowVerdict::Checked);
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
