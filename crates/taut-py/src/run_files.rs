//! Folders of results and the page of the viewer.

use crate::compiled::Compiled;
use crate::errors::{TautError, results_error};
use crate::solution::columns;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::path::{Path, PathBuf};
use taut::{Column, EventRecord, Outcome, Statistics, Table, Verdict, Warning};
use taut_io::results::{ExistingResults, Format, Manifest, NewRun, RunWriter, StoredRun};

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(read_run, m)?)?;
    m.add_function(wrap_pyfunction!(write_run, m)?)?;
    m.add_function(wrap_pyfunction!(page, m)?)?;
    Ok(())
}

fn json<T: serde::Serialize>(py: Python<'_>, value: &T) -> PyResult<Py<PyAny>> {
    let value = serde_json::to_value(value).map_err(|e| TautError::new_err(e.to_string()))?;
    Ok(crate::solution::to_python(py, &value)?.unbind())
}

/// A folder of results: the columns, the events, and what the manifest says. Parts of a table are joined.
#[pyfunction]
fn read_run<'py>(py: Python<'py>, folder: PathBuf) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyDict>)> {
    let (table, events, run) = py
        .detach(|| {
            let run = StoredRun::open(&folder)?;
            let names: Vec<&str> = run.columns().iter().map(|c| c.name.as_str()).collect();
            Ok::<_, taut_io::results::ResultsError>((run.table(&names)?, run.events()?, run))
        })
        .map_err(results_error)?;
    let manifest: &Manifest = run.manifest();
    let about = PyDict::new(py);
    about.set_item("title", &manifest.title)?;
    about.set_item("outcome", json(py, &manifest.outcome)?)?;
    about.set_item("message", manifest.outcome.to_string())?;
    about.set_item("success", manifest.outcome.is_success())?;
    about.set_item("verdict", json(py, &manifest.verdict)?)?;
    about.set_item("warnings", json(py, &manifest.warnings)?)?;
    about.set_item("statistics", json(py, &manifest.statistics)?)?;
    about.set_item("time_step", manifest.time_step)?;
    about.set_item("events", json(py, &events)?)?;
    about.set_item("model", run.model().map_err(results_error)?)?;
    Ok((columns(py, table)?, about))
}

/// What is known about a run that is written: outcome, statistics, verdict, warnings and events, each as JSON,
/// and the length of time steps.
#[derive(FromPyObject)]
pub(crate) struct RunFacts(String, String, String, String, String, Option<f64>);

/// Writes columns to a folder of results, as the command does.
#[pyfunction]
fn write_run(
    py: Python<'_>,
    compiled: &Compiled,
    folder: PathBuf,
    format: &str,
    replace: bool,
    data: Vec<(String, String, String, Vec<f64>)>,
    facts: RunFacts,
) -> PyResult<()> {
    let wrong = |e: serde_json::Error| TautError::new_err(format!("the result cannot be written: {e}"));
    let RunFacts(outcome, statistics, verdict, warnings, events, time_step) = facts;
    let outcome: Outcome = serde_json::from_str(&outcome).unwrap_or(Outcome::Underway);
    let statistics: Statistics = serde_json::from_str(&statistics).map_err(wrong)?;
    let verdict: Option<Verdict> = serde_json::from_str(&verdict).map_err(wrong)?;
    let warnings: Vec<Warning> = serde_json::from_str(&warnings).map_err(wrong)?;
    let events: Vec<EventRecord> = serde_json::from_str(&events).map_err(wrong)?;
    let format = match format {
        "csv" => Format::Csv,
        "parquet" => Format::Parquet,
        "npz" => Format::Npz,
        other => return Err(TautError::new_err(format!("format is `{other}`; choose csv, parquet or npz"))),
    };
    let file = &compiled.file;
    let about = NewRun {
        title: file.title.clone(),
        model: file.write().map_err(|e| crate::errors::model_error(py, &[e]))?,
        settings: serde_json::to_value(&file.transient).map_err(wrong)?,
        time_step,
        format,
        only: Vec::new(),
        existing: if replace { ExistingResults::Replace } else { ExistingResults::Keep },
    };
    let column = |(name, unit, meaning, data)| Column { name, unit, meaning, data };
    let table: Table = data.into_iter().map(column).collect();
    py.detach(|| {
        let mut writer = RunWriter::create(&folder, &about, &table)?;
        writer.append(&table)?;
        writer.append_events(&events)?;
        writer.set_verdict(verdict);
        writer.finish(&outcome, &statistics, &warnings).map(|_| ())
    })
    .map_err(results_error)
}

/// The page of a folder of results as one HTML text.
#[pyfunction]
fn page(py: Python<'_>, folder: PathBuf, budget: usize) -> PyResult<String> {
    let wrong = |e: taut_view::ViewError| TautError::new_err(e.to_string());
    py.detach(|| report(&folder, budget)).map_err(wrong)
}

fn report(folder: &Path, budget: usize) -> Result<String, taut_view::ViewError> {
    let page = taut_view::page::html()?;
    let run = taut_view::pack::pack(&taut_view::scene_graph::RunScene::open(folder)?, budget)?;
    taut_view::page::report(page, &run, &[])
}
