//! Reference values of `models/papers/reference.json`, by paper and example; each example states its source.

use super::error::ReproductionError;
use super::row::Reference;
use crate::models::REFERENCE_JSON;
use serde_json::Value;
use std::sync::OnceLock;

/// Times closer than this are equal.
const TIME_TOLERANCE: f64 = 1e-9;

/// Reference values of one example.
#[derive(Clone, Copy, Debug)]
pub struct ReferenceValues {
    name: &'static str,
    entry: &'static Value,
    source: &'static str,
}

fn all() -> Result<&'static Value, ReproductionError> {
    static ALL: OnceLock<Result<Value, String>> = OnceLock::new();
    let read = ALL.get_or_init(|| serde_json::from_str(REFERENCE_JSON).map_err(|e| e.to_string()));
    read.as_ref().map_err(|e| ReproductionError::new(format!("reference.json: {e}")))
}

impl ReferenceValues {
    /// An example by its path: `newhart-2019/pendulum`.
    ///
    /// # Errors
    /// The example does not exist or has no source.
    pub fn of(name: &'static str) -> Result<ReferenceValues, ReproductionError> {
        let entry = all()?.pointer(&format!("/{name}"));
        let entry = entry.ok_or_else(|| ReproductionError::new(format!("reference.json has no `{name}`")))?;
        let from = entry.get("source").and_then(Value::as_str);
        let from = from.ok_or_else(|| ReproductionError::new(format!("`{name}` in reference.json has no source")))?;
        Ok(ReferenceValues { name, entry, source: from })
    }

    /// Source of the values.
    pub fn from(&self) -> &'static str {
        self.source
    }

    /// A number by its path within the example: `runs/rk4/drift`, `x/4`.
    ///
    /// # Errors
    /// There is none.
    pub fn number(&self, path: &str) -> Result<f64, ReproductionError> {
        let found = self.entry.pointer(&format!("/{path}")).and_then(Value::as_f64);
        found.ok_or_else(|| ReproductionError::new(format!("`{}` in reference.json has no number `{path}`", self.name)))
    }

    /// A list of numbers by its path.
    ///
    /// # Errors
    /// There is none.
    pub fn list(&self, path: &str) -> Result<Vec<f64>, ReproductionError> {
        let found = self.entry.pointer(&format!("/{path}")).and_then(Value::as_array);
        let found = found.and_then(|list| list.iter().map(Value::as_f64).collect());
        found.ok_or_else(|| ReproductionError::new(format!("`{}` in reference.json has no list `{path}`", self.name)))
    }

    /// The entry of a list at a time; the times are the list `t` at the same level.
    ///
    /// # Errors
    /// The list or the time does not exist.
    pub fn at(&self, path: &str, t: f64) -> Result<f64, ReproductionError> {
        let times = path.rsplit_once('/').map_or("t".to_string(), |(folder, _)| format!("{folder}/t"));
        let found = self.list(&times)?.iter().position(|x| (x - t).abs() < TIME_TOLERANCE);
        let value = found.and_then(|i| self.list(path).ok()?.get(i).copied());
        value.ok_or_else(|| {
            ReproductionError::new(format!("`{}/{path}` in reference.json says nothing at {t} s", self.name))
        })
    }

    /// A number with an absolute tolerance.
    ///
    /// # Errors
    /// As [`ReferenceValues::number`].
    pub fn absolute(&self, path: &str, tolerance: f64) -> Result<Reference, ReproductionError> {
        Ok(Reference::absolute(self.number(path)?, tolerance, self.source))
    }

    /// A number with a relative tolerance.
    ///
    /// # Errors
    /// As [`ReferenceValues::number`].
    pub fn relative(&self, path: &str, tolerance: f64) -> Result<Reference, ReproductionError> {
        Ok(Reference::relative(self.number(path)?, tolerance, self.source))
    }

    /// The entry of a list at a time, with an absolute tolerance.
    ///
    /// # Errors
    /// As [`ReferenceValues::at`].
    pub fn absolute_at(&self, path: &str, t: f64, tolerance: f64) -> Result<Reference, ReproductionError> {
        Ok(Reference::absolute(self.at(path, t)?, tolerance, self.source))
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
        assert!(ReferenceValues::of("newhart-2019/nothing").is_err());
        let known = ReferenceValues::of("newhart-2019/scotch").expect("scotch");
        assert!(known.number("nothing").is_err() && known.list("nothing").is_err() && known.at("theta", 77.0).is_err());
    }
}
