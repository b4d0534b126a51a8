//! The result of an audit: warnings with a severity, and the verdict that follows from them.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The meaning of a warning for the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The results are valid; the warning is information only.
    #[default]
    Notice,
    /// The results may be less accurate than the tolerances demand.
    Doubtful,
    /// The results violate a law of mechanics by far more than the tolerances allow.
    Wrong,
}

/// The verdict of the audit on the results of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// All audited quantities are within what the tolerances allow.
    Sound,
    /// At least one is not, and it may matter.
    Doubtful,
    /// A law of mechanics is violated: do not use the results.
    Wrong,
}

impl Verdict {
    /// The verdict that follows from warnings: the worst one decides.
    pub fn from_warnings(warnings: &[Warning]) -> Verdict {
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

/// A warning about a solution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Warning {
    /// Time at which it was first noticed.
    pub t: f64,
    /// What, where, and how to fix it.
    pub message: String,
    /// Its meaning for the results.
    #[serde(default)]
    pub severity: Severity,
    /// The responsible element, if there is one.
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

    /// Adds the responsible element.
    pub fn with_element(mut self, element: impl Into<String>) -> Warning {
        self.element = Some(element.into());
        self
    }

    /// The warning that decides the verdict: the first of the worst, if any is more than a notice.
    pub fn decisive(warnings: &[Warning]) -> Option<&Warning> {
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
            Warning::wrong(2.0, "early").with_element("rod"),
            Warning::doubtful(1.0, "b"),
        ];
        assert_eq!(Verdict::from_warnings(&list), Verdict::Wrong);
        assert_eq!(Warning::decisive(&list).and_then(|w| w.element.as_deref()), Some("rod"));
        assert_eq!(Verdict::from_warnings(&list[..1]), Verdict::Sound);
        assert_eq!(Warning::decisive(&list[..1]), None);
        assert_eq!(Verdict::from_warnings(&list[3..]), Verdict::Doubtful);
        assert_eq!(Verdict::from_warnings(&[]), Verdict::Sound);
    }

    #[test]
    fn a_warning_of_an_older_file_is_a_notice() {
        let old: Warning = serde_json::from_str(r#"{"t": 1.5, "message": "stiff"}"#).unwrap();
        assert_eq!(old, Warning::notice(1.5, "stiff"));
    }
}
