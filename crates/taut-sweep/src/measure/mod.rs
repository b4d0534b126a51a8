//! What is kept of a member: formulas over the columns of its results.
//!
//! ```text
//!  max(elbow.fx)                          largest value; also min, mean, rms, range, integral, first, final
//!  time_of_max(elbow.fx)                  when; also time_of_min
//!  at(rocker.theta, 0.5 s)                value at a time
//!  at(rocker.theta, touch)                value at the first event of that name
//!  time(touch), count(touch)              time of the first event, number of events
//!  peak = max(sqrt(a.fx^2 + a.fy^2))/9.81   formulas inside and outside
//! ```
//!
//! A column outside of these functions means its final value.

mod extremes;
mod parse;
mod reduce;

pub(crate) use extremes::extremes;
pub(crate) use reduce::{Evidence, Lookup, values};

use serde::{Deserialize, Serialize};
use taut::Table;
use taut::expressions::Expression;
use taut_io::diagnostic::Diagnostic;

/// How a column over time becomes one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Reduction {
    Max,
    Min,
    Mean,
    Rms,
    Range,
    Integral,
    First,
    Final,
    TimeOfMax,
    TimeOfMin,
}

impl Reduction {
    /// All of them with their names.
    pub const ALL: [(&'static str, Reduction); 10] = [
        ("max", Reduction::Max),
        ("min", Reduction::Min),
        ("mean", Reduction::Mean),
        ("rms", Reduction::Rms),
        ("range", Reduction::Range),
        ("integral", Reduction::Integral),
        ("first", Reduction::First),
        ("final", Reduction::Final),
        ("time_of_max", Reduction::TimeOfMax),
        ("time_of_min", Reduction::TimeOfMin),
    ];
}

/// When a value is taken.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Instant {
    Time(f64),
    /// At the first event of this name.
    Event(String),
}

/// One number taken from the results.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Term {
    /// A formula over the columns, reduced over all rows.
    Reduced(Reduction, Expression),
    /// A formula over the columns at an instant.
    At(Expression, Instant),
    /// Time of the first event of a name.
    EventTime(String),
    /// Number of events of a name.
    EventCount(String),
}

/// A number kept of every member.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// Its name in the table.
    pub name: String,
    /// The formula as given.
    pub text: String,
    pub(crate) terms: Vec<Term>,
    /// The formula in the terms.
    pub(crate) outer: Expression,
}

impl Measure {
    /// Reads `FORMULA` or `NAME = FORMULA`.
    ///
    /// # Errors
    /// A text that is not a formula.
    pub fn parse(text: &str) -> Result<Measure, Diagnostic> {
        parse::measure(text)
    }

    /// The columns it needs.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &str> {
        self.terms.iter().flat_map(|term| {
            match term {
                Term::Reduced(_, x) | Term::At(x, _) => x.variables(),
                Term::EventTime(_) | Term::EventCount(_) => &[],
            }
            .iter()
            .map(String::as_str)
        })
    }

    /// The times at which it needs a row.
    pub(crate) fn times(&self) -> impl Iterator<Item = f64> {
        self.terms.iter().filter_map(|term| match term {
            Term::At(_, Instant::Time(t)) => Some(*t),
            _ => None,
        })
    }

    /// The events at which it needs a row.
    pub(crate) fn instants(&self) -> impl Iterator<Item = &str> {
        self.terms.iter().filter_map(|term| match term {
            Term::At(_, Instant::Event(name)) => Some(name.as_str()),
            _ => None,
        })
    }

    /// Its unit, as far as it follows from the formula.
    pub(crate) fn unit(&self, table: &Table) -> String {
        let unit = |x: &Expression| match x.variables() {
            [name] if x.text().trim() == name => table.get(name).map_or(String::new(), |c| c.unit.clone()),
            names => {
                // |x|, or the length of a vector.
                let mut units = names.iter().filter_map(|n| table.get(n).ok()).map(|c| c.unit.clone());
                let first = units.next().unwrap_or_default();
                let text = x.text().replace(' ', "");
                let alike = units.all(|u| u == first);
                let length = alike && (extremes::is_norm(&text, names) || is_magnitude(&text, names));
                if length { first } else { String::new() }
            }
        };
        match (self.terms.as_slice(), self.outer.text()) {
            ([Term::Reduced(Reduction::TimeOfMax | Reduction::TimeOfMin, _)] | [Term::EventTime(_)], "_0") => {
                "s".to_string()
            }
            ([Term::EventCount(_)], "_0") => "1".to_string(),
            ([Term::Reduced(Reduction::Integral, x)], "_0") => match unit(x).as_str() {
                "" => String::new(),
                "1" => "s".to_string(),
                unit => format!("{unit} s"),
            },
            ([Term::Reduced(_, x) | Term::At(x, _)], "_0") => unit(x),
            _ => String::new(),
        }
    }
}

fn is_magnitude(text: &str, names: &[String]) -> bool {
    matches!(names, [name] if text == format!("abs({name})"))
}
