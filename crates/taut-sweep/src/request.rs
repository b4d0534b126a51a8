//! What a sweep is asked to do, as the user gave it. It is stored with the results, so that a sweep can be resumed.

use crate::analysis::Analysis;
use crate::cases;
use crate::design::{Axis, Design, Parameter, Values};
use crate::distribution::Distribution;
use crate::sampling;
use crate::vary::{self, Variation};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use taut_io::diagnostic::Diagnostic;

/// How values are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SamplingMethod {
    /// Every dimension is covered evenly, with any number of points.
    LatinHypercube,
    /// A sequence of low discrepancy; best with a power of 2 of points.
    Sobol,
    /// Independent random numbers.
    MonteCarlo,
}

/// A sampling method and its number of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// The method.
    pub method: SamplingMethod,
    /// Number of points.
    pub count: usize,
    /// The same seed gives the same points.
    pub seed: u64,
}

/// A file of cases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cases {
    /// Its path, for messages.
    pub path: PathBuf,
    /// Its content.
    pub text: String,
}

/// A sweep as requested.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The model file.
    pub model: PathBuf,
    /// Overrides of every member: names as for `--set`, and values.
    pub set: Vec<(String, String)>,
    /// What is varied: `NAME=VALUES`.
    pub vary: Vec<String>,
    /// Cases from a file.
    pub cases: Option<Cases>,
    /// How ranges and distributions are sampled.
    pub sample: Option<Sample>,
    /// What is computed.
    pub analysis: Analysis,
    /// What is kept of each member; empty for what suits the analysis.
    pub keep: Vec<String>,
}

impl Request {
    /// The design: files of cases first, then grids and lists, then samples.
    ///
    /// # Errors
    /// Values that cannot be read, or sampled parameters without a sampling method.
    pub fn design(&self) -> Result<Design, Diagnostic> {
        let mut axes: Vec<Axis> = Vec::new();
        if let Some(cases) = &self.cases {
            axes.push(cases::axis(cases)?);
        }
        let mut sampled: Vec<(Parameter, Distribution)> = Vec::new();
        for text in &self.vary {
            match vary::parse(text)? {
                Variation::Values(axis) => axes.push(axis),
                Variation::Sampled(parameter, distribution) => sampled.push((parameter, distribution)),
            }
        }
        match (self.sample, sampled.first()) {
            (None, Some((parameter, _))) => {
                let name = &parameter.name;
                let help =
                    "give a grid, FIRST:LAST:COUNT, or a sampling method, for example --sample sobol --count 256";
                return Err(
                    Diagnostic::error(format!("`{name}` has a range, but nothing says how to sample it")).help(help)
                );
            }
            (Some(_), None) => {
                let help = "vary a parameter over a range (LOW:HIGH) or a distribution, or omit --sample";
                return Err(Diagnostic::error("there is nothing to sample").help(help));
            }
            (Some(sample), Some(_)) => axes.push(sample_axis(sample, sampled)?),
            (None, None) => {}
        }
        Design::new(axes)
    }
}

/// The axis of all sampled parameters.
fn sample_axis(sample: Sample, sampled: Vec<(Parameter, Distribution)>) -> Result<Axis, Diagnostic> {
    let Sample { method, count, seed } = sample;
    if count == 0 {
        return Err(Diagnostic::error("--count must be at least 1"));
    }
    if method == SamplingMethod::Sobol && sampled.len() > sampling::MAX_DIMENSIONS {
        let message =
            format!("Sobol points have at most {} dimensions, not {}", sampling::MAX_DIMENSIONS, sampled.len());
        return Err(Diagnostic::error(message).help("use --sample latin_hypercube"));
    }
    let points = sampling::points(method, count, sampled.len(), seed);
    let values = |((_, distribution), u): (&(Parameter, Distribution), &Vec<f64>)| {
        Values::Numbers(u.iter().map(|u| distribution.quantile(*u)).collect())
    };
    let values = sampled.iter().zip(&points).map(values).collect();
    Ok(Axis { parameters: sampled.into_iter().map(|(p, _)| p).collect(), values })
}
