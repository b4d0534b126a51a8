//! What is computed for each member: a run, a prescribed motion, an equilibrium, modes.
//!
//! Every analysis leaves rows of named columns behind, from which the measures are taken.

mod equilibrium;
mod linear;
mod motion;

use crate::design::{Axis, Parameter, Values};
use crate::measure::{Evidence, Measure, extremes};
use crate::vary::{self, Variation};
use serde::{Deserialize, Serialize};
use std::sync::atomic::AtomicBool;
use taut::analyses::linear::OperatingPoint;
use taut::{Solution, Table, Verdict};
use taut_io::diagnostic::Diagnostic;
use taut_io::model::{ModelFile, Override};

/// An analysis and its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum Analysis {
    /// The motion in time.
    Run,
    /// A motion that the drivers prescribe completely.
    Kinematics,
    /// The static equilibrium.
    Static {
        /// Number of load steps; none for the whole load at once.
        load_steps: Option<usize>,
    },
    /// Natural frequencies and damping.
    Modes {
        /// Number of modes, slowest first.
        count: usize,
        /// The state about which the equations are linearised.
        at: OperatingPoint,
    },
    /// Critical speeds: modes tracked over a rotational speed.
    Campbell {
        /// Number of modes, slowest first.
        count: usize,
        /// The state about which the equations are linearised.
        at: OperatingPoint,
        /// The speeds.
        over: Critical,
    },
}

/// The rotational speed over which modes are tracked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Critical {
    /// A parameter or field, named as for `--set`.
    pub parameter: String,
    /// Unit of the speeds.
    pub unit: String,
    /// The speeds, increasing.
    pub speeds: Vec<f64>,
}

impl Critical {
    /// Reads `NAME=VALUES`, given like a grid of `--vary`.
    ///
    /// # Errors
    /// Values that are not at least two increasing speeds.
    pub fn parse(text: &str) -> Result<Critical, Diagnostic> {
        if let Variation::Values(Axis { parameters, values }) = vary::parse(text)?
            && let ([parameter], [Values::Numbers(speeds)]) = (parameters.as_slice(), values.as_slice())
            && speeds.len() > 1
            && speeds.is_sorted()
        {
            let Parameter { name, unit } = parameter.clone();
            return Ok(Critical { parameter: name, unit, speeds: speeds.clone() });
        }
        let message = format!("--over {text}: give at least two increasing speeds");
        Err(Diagnostic::error(message).help("for example --over speed=\"0 rpm:9000 rpm:40\""))
    }
}

/// Makes the model of a member, with further overrides.
pub(crate) type Builder<'a> = dyn Fn(&[Override]) -> Result<ModelFile, Vec<Diagnostic>> + 'a;

/// What the measures ask of an analysis.
#[derive(Clone, Debug, Default)]
pub(crate) struct Needs {
    /// Times at which a row is needed.
    pub times: Vec<f64>,
    /// Events at which a row is needed.
    pub events: Vec<String>,
    /// Whether the whole solution is kept.
    pub solution: bool,
}

impl Needs {
    pub fn of(measures: &[Measure], solution: bool) -> Needs {
        Needs {
            times: measures.iter().flat_map(Measure::times).collect(),
            events: measures.iter().flat_map(Measure::instants).map(str::to_string).collect(),
            solution,
        }
    }
}

/// What an analysis found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub evidence: Evidence,
    /// Why it stopped before its end; none if it did not.
    pub stopped: Option<String>,
    pub verdict: Option<Verdict>,
    pub steps: u64,
    /// Length of the steps of a run by time stepping, s.
    pub time_step: Option<f64>,
    /// What the reader should know; empty if nothing.
    pub message: String,
    pub solution: Option<Solution>,
    /// Whether the peaks of the evidence are all of the motion.
    pub found_all_peaks: bool,
}

/// Why an analysis found nothing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Failure {
    /// An invalid model, or an analysis that does not apply.
    Invalid(String),
    /// The flag was set.
    Interrupted,
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(findings: Vec<Diagnostic>) -> Failure {
        let errors = findings.iter().filter(|f| f.severity == taut_io::diagnostic::Severity::Error);
        Failure::Invalid(errors.map(|f| f.message.as_str()).collect::<Vec<_>>().join("; "))
    }
}

impl From<Diagnostic> for Failure {
    fn from(finding: Diagnostic) -> Failure {
        Failure::Invalid(finding.message)
    }
}

impl Analysis {
    /// Runs the analysis.
    pub(crate) fn compute(
        &self,
        build: &Builder,
        needs: &Needs,
        flag: Option<&'static AtomicBool>,
    ) -> Result<Found, Failure> {
        match self {
            Analysis::Run => motion::run(build, needs, flag),
            Analysis::Kinematics => motion::kinematics(build, needs),
            Analysis::Static { load_steps } => equilibrium::equilibrium(build, *load_steps, needs),
            Analysis::Modes { count, at } => linear::modes_table(build, *count, at),
            Analysis::Campbell { count, at, over } => linear::critical_speeds(build, *count, at, over),
        }
    }

    /// The columns that the analysis of a member will have, without computing more than necessary.
    pub(crate) fn columns(&self, build: &Builder) -> Result<Table, Failure> {
        match self {
            Analysis::Run => motion::columns(build),
            _ => self.compute(build, &Needs::default(), None).map(|found| found.evidence.rows),
        }
    }

    /// Whether members have a motion that can be kept.
    pub fn has_motion(&self) -> bool {
        !matches!(self, Analysis::Modes { .. } | Analysis::Campbell { .. })
    }

    /// What is kept if nothing else is requested.
    pub(crate) fn default_measures(&self, columns: &Table) -> Vec<Measure> {
        match self {
            Analysis::Run | Analysis::Kinematics | Analysis::Static { .. } => extremes(columns),
            Analysis::Modes { .. } => named(columns, |n| n.starts_with("frequency_") || n.starts_with("damping_")),
            Analysis::Campbell { .. } => named(columns, |n| n.starts_with("critical_")),
        }
    }
}

/// The final values of columns.
fn named(columns: &Table, wanted: impl Fn(&str) -> bool) -> Vec<Measure> {
    let names = columns.columns().iter().map(|c| c.name.as_str()).filter(|n| wanted(n));
    names.filter_map(|n| Measure::parse(n).ok()).collect()
}
