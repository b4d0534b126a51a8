//! The values of a parameter over which an analysis is repeated.

use crate::exit::CliError;
use clap::Args;
use std::fmt;
use taut_io::model::Override;

/// A parameter and its values.
#[derive(Clone, Debug, Args)]
pub struct ParameterRange {
    /// Repeat the analysis over this parameter, named as for --set
    #[arg(long, value_name = "NAME", requires_all = ["from", "to"])]
    parameter: Option<String>,
    /// First value of the parameter
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true, requires = "parameter")]
    from: Option<f64>,
    /// Last value of the parameter
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true, requires = "parameter")]
    to: Option<f64>,
    /// Number of values
    #[arg(long, value_name = "COUNT", default_value_t = 41)]
    steps: usize,
    /// Unit of the values, for example "rpm" [default: SI]
    #[arg(long, value_name = "UNIT", requires = "parameter")]
    unit: Option<String>,
}

/// The values, checked.
#[derive(Clone, Debug)]
pub struct ParameterValues {
    /// Name of the parameter.
    pub name: String,
    /// First value.
    pub from: f64,
    /// Last value.
    pub to: f64,
    /// Their number.
    pub count: usize,
    unit: Option<String>,
}

impl ParameterRange {
    /// The values, if a parameter is given.
    pub fn values(&self) -> Result<Option<ParameterValues>, CliError> {
        let (Some(name), Some(from), Some(to)) = (&self.parameter, self.from, self.to) else { return Ok(None) };
        if !(from.is_finite() && to.is_finite() && from != to && (2..=10_000).contains(&self.steps)) {
            return Err(CliError::with_help(
                "invalid range of the parameter",
                "--from and --to must be finite and different, --steps between 2 and 10000",
            ));
        }
        Ok(Some(ParameterValues { name: name.clone(), from, to, count: self.steps, unit: self.unit.clone() }))
    }
}

impl ParameterValues {
    /// Equally spaced values.
    pub fn list(&self) -> Vec<f64> {
        let fraction = |i: usize| i as f64 / (self.count - 1) as f64;
        (0..self.count).map(|i| self.from + (self.to - self.from) * fraction(i)).collect()
    }

    /// A value with its unit.
    pub fn text(&self, value: f64) -> String {
        self.unit.as_ref().map_or_else(|| value.to_string(), |u| format!("{value} {u}"))
    }

    /// The change of the model for a value.
    pub fn change(&self, value: f64) -> Override {
        Override { path: self.name.clone(), value: self.text(value) }
    }

    /// The unit of an axis.
    pub fn axis_unit(&self) -> &str {
        self.unit.as_deref().unwrap_or("1")
    }
}

/// An error of an evaluation, as text.
#[derive(Debug)]
pub struct Failure(pub String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}

impl From<CliError> for Failure {
    fn from(e: CliError) -> Failure {
        Failure(e.one_line())
    }
}
