//! What the audit of a run makes of it: warnings with a severity, and the verdict that follows from them.

use serde::{Deserialize, Serialize};
use std::fmt;

/// How much a warning says about the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The results stand; the reader should know nevertheless.
    #[default]
    Notice,
    /// The results may be less accurate than the tolerances ask for.
    Doubtful,
    /// The results break a law of mechanics by far more than the tolerances allow.
    Wrong,
}

/// What the audit of a run says of its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// All that is audited holds within what the tolerances allow.
    Sound,
    /// Something does not, and may matter.
    Doubtful,
    /// A law of mechanics is broken: the numbers are not to be used.
    Wrong,
}

impl Verdict {
    /// The verdict that warnings lead to: the worst of them decides.
    pub fn of(warnings: &[Warning]) -> Verdict {
        match warnings.iter().map(|w| w.severity).max() {
            Some(Severity::Wrong) => Verdict::Wrong,
            Some(Severity::Doubtful) => Verdict::Doubtful,
            Some(Severity::Notice) | None => Verdict::Sound,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Sound => "sound",
            Verdict::Doubtful => "doubtful",
            Verdict::Wrong => "wrong",
        })
    }
}

/// Something the reader of a solution should know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Warning {
    /// When it was first noticed.
    pub t: f64,
    /// What, where, and the remedy.
    pub message: String,
    /// What it means for the results.
    #[serde(default)]
    pub severity: Severity,
    /// The element responsible, where one is.
    #[serde(default)]
    pub element: Option<String>,
}

impl Warning {
    /// A warning that leaves the verdict as it is.
    pub fn notice(t: f64, message: impl Into<String>) -> Warning {
        Warning { t, message: message.into(), severity: Severity::Notice, element: None }
    }

    /// A warning that makes the results doubtful.
    pub fn doubtful(t: f64, message: impl Into<String>) -> Warning {
        Warning { severity: Severity::Doubtful, ..Warning::notice(t, message) }
    }

    /// A warning that makes the results wrong.
    pub fn wrong(t: f64, message: impl Into<String>) -> Warning {
        Warning { severity: Severity::Wrong, ..Warning::notice(t, message) }
    }

    /// The same with the element responsible.
    pub fn about(mut self, element: impl Into<String>) -> Warning {
        self.element = Some(element.into());
        self
    }

    /// The warning that decides the verdict: the first of the worst, if there is one beyond a notice.
    pub fn deciding(warnings: &[Warning]) -> Option<&Warning> {
        let worst = warnings.iter().map(|w| w.severity).max().filter(|s| *s > Severity::Notice)?;
        let of_worst = warnings.iter().filter(|w| w.severity == worst);
        of_worst.min_by(|a, b| a.t.total_cmp(&b.t))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_warning_decides_and_the_first_of_these_is_named() {
        let list = [
            Warning::notice(0.0, "a"),
            Warning::wrong(3.0, "late"),
            Warning::wrong(2.0, "early").about("rod"),
            Warning::doubtful(1.0, "b"),
        ];
        assert_eq!(Verdict::of(&list), Verdict::Wrong);
        assert_eq!(Warning::deciding(&list).and_then(|w| w.element.as_deref()), Some("rod"));
        assert_eq!(Verdict::of(&list[..1]), Verdict::Sound);
        assert_eq!(Warning::deciding(&list[..1]), None);
        assert_eq!(Verdict::of(&list[3..]), Verdict::Doubtful);
        assert_eq!(Verdict::of(&[]), Verdict::Sound);
    }

    #[test]
    fn a_warning_of_an_older_file_is_a_notice() {
        let old: Warning = serde_json::from_str(r#"{"t": 1.5, "message": "stiff"}"#).unwrap();
        assert_eq!(old, Warning::notice(1.5, "stiff"));
    }
}
