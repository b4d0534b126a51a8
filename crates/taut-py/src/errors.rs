//! Exceptions: the same text, line and caret as the command prints.

use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use taut_io::diagnostic::{Diagnostic, Severity};
use taut_io::results::ResultsError;

create_exception!(
    taut,
    TautError,
    PyValueError,
    "Input that Taut rejects; the message says what, where and what to do."
);
create_exception!(
    taut,
    ModelError,
    TautError,
    "An invalid model or setting. `findings` lists every error with file, line and column."
);
create_exception!(taut, AnalysisError, TautError, "An analysis that cannot begin, or finds no solution.");

/// An error of an analysis.
pub(crate) fn analysis_error(e: impl std::fmt::Display) -> PyErr {
    AnalysisError::new_err(e.to_string())
}

/// An error of a file of results.
pub(crate) fn results_error(e: ResultsError) -> PyErr {
    match e {
        ResultsError::Io { .. } => PyOSError::new_err(e.to_string()),
        _ => TautError::new_err(e.to_string()),
    }
}

/// All errors of a model, as the command prints them.
pub(crate) fn model_error(py: Python<'_>, findings: &[Diagnostic]) -> PyErr {
    let errors = findings.iter().filter(|f| f.severity == Severity::Error);
    let text = errors.map(|f| shown(f).to_string()).collect::<Vec<_>>().join("\n");
    let error = ModelError::new_err(text);
    let attached: PyResult<()> = (|| {
        let list = findings.iter().map(|f| finding(py, f)).collect::<PyResult<Vec<_>>>()?;
        error.value(py).setattr("findings", list)
    })();
    attached.err().unwrap_or(error)
}

/// A diagnostic without the word `error`, which the name of the exception says already.
fn shown(finding: &Diagnostic) -> String {
    let text = finding.to_string();
    text.strip_prefix("error: ").unwrap_or(&text).to_string()
}

/// One diagnostic as a dictionary.
pub(crate) fn finding<'py>(py: Python<'py>, f: &Diagnostic) -> PyResult<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    let severity = if f.severity == Severity::Error { "error" } else { "warning" };
    found.set_item("severity", severity)?;
    found.set_item("message", &f.message)?;
    let place = f.place.as_ref().map(|p| (p.source.path.display().to_string(), p.line_and_column()));
    found.set_item("file", place.as_ref().map(|(file, _)| file))?;
    found.set_item("line", place.as_ref().map(|(_, (line, _))| line))?;
    found.set_item("column", place.as_ref().map(|(_, (_, column))| column))?;
    found.set_item("help", &f.help)?;
    found.set_item("text", f.to_string())?;
    Ok(found)
}
