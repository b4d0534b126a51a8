//! Reference values of `models/papers/reference.json`, by paper and example; each example states its source.

use super::row::Reference;
use super::trouble::Trouble;
use serde_json::Value;
use std::sync::OnceLock;

/// The file itself.
const TEXT: &str = include_str!("../../../../models/papers/reference.json");

/// Times closer than this are equal.
const SAME: f64 = 1e-9;

/// Reference values of one example.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    name: &'static str,
    entry: &'static Value,
    from: &'static str,
}

fn all() -> Result<&'static Value, Trouble> {
    static ALL: OnceLock<Result<Value, String>> = OnceLock::new();
    let read = ALL.get_or_init(|| serde_json::from_str(TEXT).map_err(|e| e.to_string()));
    read.as_ref().map_err(|e| Trouble::new(format!("reference.json: {e}")))
}

impl Known {
    /// An example by its path: `newhart-2019/pendulum`.
    ///
    /// # Errors
    /// The example does not exist or has no source.
    pub fn of(name: &'static str) -> Result<Known, Trouble> {
        let entry = all()?.pointer(&format!("/{name}"));
        let entry = entry.ok_or_else(|| Trouble::new(format!("reference.json has no `{name}`")))?;
        let from = entry.get("source").and_then(Value::as_str);
        let from = from.ok_or_else(|| Trouble::new(format!("`{name}` in reference.json has no source")))?;
        Ok(Known { name, entry, from })
    }

    /// Source of the values.
    pub fn from(&self) -> &'static str {
        self.from
    }

    /// A number by its path within the example: `runs/rk4/drift`, `x/4`.
    ///
    /// # Errors
    /// There is none.
    pub fn number(&self, path: &str) -> Result<f64, Trouble> {
        let found = self.entry.pointer(&format!("/{path}")).and_then(Value::as_f64);
        found.ok_or_else(|| Trouble::new(format!("`{}` in reference.json has no number `{path}`", self.name)))
    }

    /// A list of numbers by its path.
    ///
    /// # Errors
    /// There is none.
    pub fn list(&self, path: &str) -> Result<Vec<f64>, Trouble> {
        let found = self.entry.pointer(&format!("/{path}")).and_then(Value::as_array);
        let found = found.and_then(|list| list.iter().map(Value::as_f64).collect());
        found.ok_or_else(|| Trouble::new(format!("`{}` in reference.json has no list `{path}`", self.name)))
    }

    /// The entry of a list at a time; the times are the list `t` at the same level.
    ///
    /// # Errors
    /// The list or the time does not exist.
    pub fn at(&self, path: &str, t: f64) -> Result<f64, Trouble> {
        let times = path.rsplit_once('/').map_or("t".to_string(), |(folder, _)| format!("{folder}/t"));
        let found = self.list(&times)?.iter().position(|x| (x - t).abs() < SAME);
        let value = found.and_then(|i| self.list(path).ok()?.get(i).copied());
        value.ok_or_else(|| Trouble::new(format!("`{}/{path}` in reference.json says nothing at {t} s", self.name)))
    }

    /// A number with an absolute tolerance.
    ///
    /// # Errors
    /// As [`Known::number`].
    pub fn absolute(&self, path: &str, tolerance: f64) -> Result<Reference, Trouble> {
        Ok(Reference::absolute(self.number(path)?, tolerance, self.from))
    }

    /// A number with a relative tolerance.
    ///
    /// # Errors
    /// As [`Known::number`].
    pub fn relative(&self, path: &str, tolerance: f64) -> Result<Reference, Trouble> {
        Ok(Reference::relative(self.number(path)?, tolerance, self.from))
    }

    /// The entry of a list at a time, with an absolute tolerance.
    ///
    /// # Errors
    /// As [`Known::at`].
    pub fn absolute_at(&self, path: &str, t: f64, tolerance: f64) -> Result<Reference, Trouble> {
        Ok(Reference::absolute(self.at(path, t)?, tolerance, self.from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::PAPERS;

    #[test]
    fn every_example_of_every_known_paper_has_a_source() {
        let papers = all().ok().and_then(Value::as_object).expect("reference.json");
        for (paper, examples) in papers {
            assert!(
                PAPERS.iter().any(|p| p.key == paper) || examples.as_object().is_some_and(|e| e.is_empty()),
                "{paper}"
            );
            for (name, entry) in examples.as_object().expect("examples") {
                assert!(entry["source"].as_str().is_some_and(|s| s.len() > 10), "{paper}/{name}");
            }
        }
    }

    #[test]
    fn what_is_not_there_is_said() {
        assert!(Known::of("newhart-2019/nothing").is_err());
        let known = Known::of("newhart-2019/scotch").expect("scotch");
        assert!(known.number("nothing").is_err() && known.list("nothing").is_err() && known.at("theta", 77.0).is_err());
    }
}
