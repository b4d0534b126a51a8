//! Periodic motions and what rests on them: harmonics, Floquet modes, multiblade coordinates, trim.

use crate::compiled::Compiled;
use crate::errors::{AnalysisError, TautError, analysis_error};
use crate::interruptible::interruptible;
use crate::linear::{PointArguments, run_to};
use crate::solution::{columns, to_python};
use crate::state::State;
use numpy::{Complex64, IntoPyArray};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Map, Value, json};
use std::fmt;
use taut::analyses::linear::OperatingPoint;
use taut::analyses::{
    self, ColumnHarmonics, FloquetMode, HarmonicShare, Period, PeriodicMotion, PeriodicSettings, SmallMotions, Statics,
    TrimParameter, TrimTarget, floquet,
};

/// Rows of the table of one period.
const ROWS: usize = 360;

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(periodic, m)?)?;
    m.add_function(wrap_pyfunction!(multiblade, m)?)?;
    m.add_function(wrap_pyfunction!(trim, m)?)?;
    Ok(())
}

/// Period (s), whether it is unknown, columns that are held, time of the run, equilibrium, number of segments.
#[derive(FromPyObject)]
pub(crate) struct PeriodicArguments(f64, bool, Vec<String>, Option<f64>, bool, usize);

/// The state from which the search starts.
fn start(
    py: Python<'_>,
    compiled: &Compiled,
    state: Option<&State>,
    point: &PeriodicArguments,
) -> PyResult<taut::State> {
    let given = compiled.start(state)?;
    let PeriodicArguments(_, _, _, at, equilibrium, _) = point;
    if *equilibrium {
        let found = interruptible(py, || analyses::statics(&compiled.model, &given, &Statics::default()))?;
        return Ok(found.map_err(analysis_error)?.state);
    }
    match *at {
        None => Ok(given),
        Some(t) if t.is_finite() && t > given.t => run_to(py, compiled, &given, t),
        Some(t) => Err(AnalysisError::new_err(format!(
            "at = {t} is not a time of the run: it starts at {} s; give a later time",
            given.t
        ))),
    }
}

/// A periodic motion; with `modes` also its small motions, otherwise only the motion. Harmonics of columns up to `highest`.
#[pyfunction]
fn periodic<'py>(
    py: Python<'py>,
    compiled: &Compiled,
    state: Option<&State>,
    point: PeriodicArguments,
    modes: bool,
    harmonics: Vec<String>,
    highest: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let near = start(py, compiled, state, &point)?;
    let PeriodicArguments(period, unknown, hold, _, _, segments) = point;
    let settings = PeriodicSettings {
        period: if unknown { Period::Free(period) } else { Period::Given(period) },
        segments,
        hold,
        transient: compiled.file.transient.clone(),
        small_motions: if modes { SmallMotions::Resolved } else { SmallMotions::Omitted },
        ..PeriodicSettings::with_period(period)
    };
    let names: Vec<&str> = harmonics.iter().map(String::as_str).collect();
    let computed = interruptible(py, || {
        let motion = analyses::periodic(&compiled.model, &near, &settings)?;
        let found = if modes { Some(floquet(&motion)?) } else { None };
        let listed = match names.is_empty() {
            true => Vec::new(),
            false => motion.harmonics(&names, highest, &settings.transient)?,
        };
        let rows = if modes { Some(motion.table(ROWS, &settings.transient)?) } else { None };
        Ok::<_, analyses::PeriodicError>((motion, found, listed, rows))
    })?;
    let (motion, found, listed, rows) = computed.map_err(analysis_error)?;
    let result = describe(py, &motion)?;
    let column = |h: &ColumnHarmonics| {
        let values = json!({ "unit": h.unit, "turns": h.turns, "mean": h.mean, "harmonics": h.harmonics });
        (h.name.clone(), values)
    };
    let listed: Map<String, Value> = listed.iter().map(column).collect();
    result.set_item("harmonics", to_python(py, &listed.into())?)?;
    if let (Some(found), Some(rows)) = (found, rows) {
        let multipliers: Vec<Complex64> = found.modes.iter().map(|m| m.multiplier).collect();
        let exponents: Vec<Complex64> = found.modes.iter().map(|m| m.exponent).collect();
        result.set_item("multipliers", multipliers.into_pyarray(py))?;
        result.set_item("exponents", exponents.into_pyarray(py))?;
        result.set_item("dimension", found.dimension)?;
        let each: Value = found.modes.iter().map(|m| mode(compiled, m)).collect();
        result.set_item("modes", to_python(py, &each)?)?;
        result.set_item("columns", columns(py, rows)?)?;
    }
    Ok(result)
}

fn describe<'py>(py: Python<'py>, motion: &PeriodicMotion) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    result.set_item("period", motion.period)?;
    result.set_item("iterations", motion.iterations)?;
    result.set_item("difference", motion.difference)?;
    result.set_item("monodromy_error", motion.monodromy_error)?;
    result.set_item("state", State(motion.start().clone()))?;
    Ok(result)
}

fn mode(compiled: &Compiled, m: &FloquetMode) -> Value {
    let names: Vec<String> = compiled.model.state_names().1.into_iter().map(|v| v.name).collect();
    let harmonic = |h: &HarmonicShare| {
        let shape: Map<String, Value> =
            names.iter().zip(&h.xi).map(|(name, x)| (name.clone(), json!([x.re, x.im]))).collect();
        json!({ "n": h.n, "frequency": h.frequency, "share": h.share, "shape": shape })
    };
    json!({
        "kind": m.kind,
        "frequency": m.frequency(),
        "damping": m.damping(),
        "principal_frequency": m.principal_frequency,
        "harmonics": m.harmonics.iter().map(harmonic).collect::<Vec<_>>(),
    })
}

/// Modes in multiblade coordinates of the bodies with these names and a number.
#[pyfunction]
fn multiblade<'py>(
    py: Python<'py>,
    compiled: &Compiled,
    state: Option<&State>,
    point: PointArguments,
    names: Vec<String>,
) -> PyResult<Bound<'py, PyDict>> {
    let (given, point) = (compiled.start(state)?, OperatingPoint::from(point));
    let settings = &compiled.file.transient;
    let at = interruptible(py, || point.state(&compiled.model, &given, settings))?;
    let (at, frame) = at.map_err(analysis_error)?;
    let Some(frame) = frame else {
        return Err(AnalysisError::new_err("multiblade coordinates need `rotating_about`"));
    };
    let computed = interruptible(py, || {
        let found = analyses::multiblade(&compiled.model, &at, &names, frame, settings)?;
        let modes = found.modes()?;
        Ok::<_, analyses::MultibladeError>((found, modes))
    })?;
    let (found, modes) = computed.map_err(analysis_error)?;
    let result = PyDict::new(py);
    let eigenvalues: Vec<Complex64> = modes.iter().map(|m| m.mode.lambda).collect();
    result.set_item("eigenvalues", eigenvalues.into_pyarray(py))?;
    let shape = |m: &analyses::MultibladeMode| -> Vec<Complex64> {
        m.mode.xi.iter().chain(&m.mode.dv).chain(&m.mode.z).copied().collect()
    };
    let shapes: Vec<Bound<'py, _>> = modes.iter().map(|m| shape(m).into_pyarray(py)).collect();
    result.set_item("shapes", shapes)?;
    result.set_item("names", &found.names)?;
    let one = |m: &analyses::MultibladeMode| {
        json!({
            "frequency": m.mode.frequency(), "omega": m.mode.omega(), "damping": m.mode.damping(),
            "kind": m.mode.kind, "label": m.label, "share": m.share,
        })
    };
    result.set_item("modes", to_python(py, &modes.iter().map(one).collect())?)?;
    result.set_item("state", State(at))?;
    result.set_item("periodicity", found.periodicity)?;
    result.set_item("parts", found.count)?;
    result.set_item("rate", found.rate)?;
    Ok(result)
}

/// An exception of the function that is trimmed.
#[derive(Debug)]
struct Raised(PyErr);

impl fmt::Display for Raised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Python::attach(|py| write!(f, "{}", self.0.value(py)))
    }
}

impl std::error::Error for Raised {}

/// Values of parameters (name, low, first, high) for which a function returns the targets (name, value, tolerance): the
/// parameters, the results, the number of iterations and the derivatives.
#[pyfunction]
#[allow(clippy::type_complexity)] // four plain values
fn trim(
    py: Python<'_>,
    parameters: Vec<(String, f64, f64, f64)>,
    targets: Vec<(String, f64, f64)>,
    iterations: usize,
    function: Py<PyAny>,
) -> PyResult<(Vec<f64>, Vec<f64>, usize, Vec<Vec<f64>>)> {
    let parameter = |(name, low, start, high): (String, f64, f64, f64)| TrimParameter {
        name,
        start,
        bounds: [low, high],
        size: high - low,
    };
    let parameters: Vec<TrimParameter> = parameters.into_iter().map(parameter).collect();
    let target = |(name, value, tolerance): (String, f64, f64)| TrimTarget { name, value, tolerance };
    let targets: Vec<TrimTarget> = targets.into_iter().map(target).collect();
    let count = targets.len();
    // What is no failure of an analysis (Ctrl-C, an exception of a function) ends the search.
    let mut raised: Option<PyErr> = None;
    let found = analyses::trim(&parameters, &targets, iterations, |p| {
        if let Some(e) = &raised {
            return Err(Raised(e.clone_ref(py)));
        }
        let called = function.bind(py).call1((p.to_vec(),)).and_then(|found| found.extract::<Vec<f64>>());
        let values = called.map_err(|e| {
            if !e.is_instance_of::<TautError>(py) {
                raised = Some(e.clone_ref(py));
            }
            Raised(e)
        })?;
        match values.len() == count {
            true => Ok(values),
            false => Err(Raised(AnalysisError::new_err("the number of results is not that of the targets"))),
        }
    });
    if let Some(e) = raised {
        return Err(e);
    }
    let found = found.map_err(analysis_error)?;
    let rows = found.derivatives.row_iter().map(|r| r.iter().copied().collect()).collect();
    Ok((found.parameters, found.results, found.iterations, rows))
}
