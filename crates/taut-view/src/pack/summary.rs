//! Text summary of a run, for the first page of a report.

use crate::scene_graph::RunScene;
use serde::Serialize;
use serde_json::Value;
use taut::analyses::rank;
use taut::{Outcome, Severity, Verdict, Warning};
use taut_io::results::{Manifest, ResultsError};

/// A warning of the run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WarningInfo {
    /// When, s.
    pub t: Option<f64>,
    /// What.
    pub message: String,
    /// Consequence for the results.
    pub severity: Severity,
    /// The element responsible, if there is one.
    pub element: Option<String>,
}

/// Summary of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Title of the model.
    pub title: String,
    /// `finished`, `stopped`, `interrupted` …
    pub outcome: String,
    /// Verdict of the audit; `None` if the run was not audited.
    pub verdict: Option<Verdict>,
    /// The warning that decided the verdict, unless it is `sound`.
    pub cause: Option<WarningInfo>,
    /// Why it stopped early, if it did.
    pub message: Option<String>,
    /// Date and time of the start, UTC.
    pub started: Option<String>,
    /// Date and time of the end.
    pub ended: Option<String>,
    /// Degrees of freedom as text.
    pub freedoms: String,
    /// Integrator and formulation as text.
    pub method: String,
    /// Settings of the analysis.
    pub settings: Vec<(String, String)>,
    /// Numbers of steps and evaluations.
    pub statistics: Vec<(String, String)>,
    /// Warnings of the run.
    pub warnings: Vec<WarningInfo>,
    /// Versions of the program.
    pub versions: Vec<(String, String)>,
    /// SHA-256 of the model.
    pub model_sha256: String,
    /// The model file itself.
    pub model: String,
}

/// Summarises a run.
///
/// # Errors
/// The model cannot be read.
pub fn summary(stage: &RunScene) -> Result<Summary, ResultsError> {
    let manifest = stage.run.manifest();
    let (outcome, message) = match &manifest.outcome {
        Outcome::Finished => ("finished", None),
        Outcome::Underway => ("unfinished", None),
        Outcome::Event { .. } => ("stopped by an event", Some(manifest.outcome.to_string())),
        Outcome::MaxSteps { .. } | Outcome::WallClock { .. } => ("limited", Some(manifest.outcome.to_string())),
        _ => ("stopped early", Some(manifest.outcome.to_string())),
    };
    let statistics = serde_json::to_value(manifest.statistics).unwrap_or_default();
    let mut versions = vec![("taut".to_string(), manifest.versions.taut.clone())];
    versions.push(("rows".to_string(), stage.rows().to_string()));
    if manifest.resumed > 0 {
        versions.push(("resumed".to_string(), manifest.resumed.to_string()));
    }
    Ok(Summary {
        title: manifest.title.clone(),
        outcome: outcome.to_string(),
        message,
        started: Some(manifest.started.clone()),
        ended: manifest.ended.clone(),
        freedoms: freedoms(stage),
        method: method(manifest),
        settings: flattened_settings(&applied_settings(manifest)),
        statistics: flattened_settings(&statistics),
        verdict: manifest.verdict,
        cause: manifest.cause.as_ref().map(warning_info),
        warnings: manifest.warnings.iter().map(warning_info).collect(),
        versions,
        model_sha256: manifest.model_sha256.clone(),
        model: stage.run.model()?,
    })
}

fn warning_info(w: &Warning) -> WarningInfo {
    WarningInfo { t: Some(w.t), message: w.message.clone(), severity: w.severity, element: w.element.clone() }
}

fn freedoms(stage: &RunScene) -> String {
    let (bodies, v) = (stage.model.bodies.len(), stage.model.sizes.v);
    let Ok(found) = rank(&stage.model, &stage.state(0)) else {
        return format!("{bodies} bodies, {v} velocities, {} constraint rows", stage.model.rows.len());
    };
    let redundant = if found.redundant > 0 { format!(", {} redundant", found.redundant) } else { String::new() };
    let one = if found.freedoms == 1 { "degree" } else { "degrees" };
    format!(
        "{} {one} of freedom ({bodies} bodies, {v} velocities, {} constraint rows{redundant})",
        found.freedoms, found.rows
    )
}

fn value_text(value: &Value) -> String {
    match value {
        Value::String(s) => s.clone(),
        Value::Object(map) => map.keys().next().cloned().unwrap_or_default(),
        other => other.to_string(),
    }
}

/// Settings that time stepping does not use.
const NOT_OF_TIME_STEPPING: [&str; 12] = [
    "integrator",
    "rtol",
    "atol",
    "error_norm",
    "error_per",
    "h_max",
    "step_control",
    "spectral_radius",
    "update",
    "stiff",
    "choice",
    "paradox",
];

/// The settings without those that the method ignores.
fn applied_settings(manifest: &Manifest) -> Value {
    let mut settings = manifest.settings.clone();
    if let (Some(_), Some(list)) = (manifest.time_step, settings.as_object_mut()) {
        list.retain(|name, _| !NOT_OF_TIME_STEPPING.contains(&name.as_str()));
    }
    settings
}

/// Time stepping, or integrator, formulation and drift control, if the settings name them.
fn method(manifest: &Manifest) -> String {
    if let Some(step) = manifest.time_step {
        return format!("time stepping, steps of {step} s");
    }
    let settings = &manifest.settings;
    let choice = &settings["choice"];
    let parts = [&settings["integrator"], &choice["method"], &choice["drift"]];
    let words: Vec<String> =
        parts.into_iter().filter(|v| !v.is_null()).map(|v| value_text(v).replace('_', " ")).collect();
    words.join(", ")
}

/// Settings as name-value pairs: nested names are joined by dots, empty values are left out.
fn flattened_settings(settings: &Value) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    fn walk(name: &str, value: &Value, lines: &mut Vec<(String, String)>) {
        match value {
            Value::Null => {}
            Value::Object(map) => {
                for (key, value) in map {
                    let full = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                    walk(&full, value, lines);
                }
            }
            Value::String(s) => lines.push((name.replace('_', " "), s.clone())),
            other => lines.push((name.replace('_', " "), other.to_string())),
        }
    }
    walk("", settings, &mut lines);
    lines
}
