//! Small motions: modes, matrices, frequency responses.

use crate::callbacks::raise_pending;
use crate::compiled::Compiled;
use crate::errors::{AnalysisError, analysis_error};
use crate::interruptible::interruptible;
use crate::owned_run::OwnedRun;
use crate::run::{advance, start_error};
use crate::solution::to_python;
use crate::state::State;
use numpy::{Complex64, IntoPyArray, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::json;
use taut::analyses::linear::{
    EXTRA_TRACKED_MODES, Eigenmode, EnergyShare, LinearInput, Linearised, LinearisedAt, ModeRequest, OperatingPoint,
    VaryingCoefficients, slowest_branches, track_modes,
};
use taut::analyses::{Output, RunMethod, Transient};
use taut::nalgebra::DMatrix;
use taut::{Columns, Outcome};

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(modes, m)?)?;
    m.add_function(wrap_pyfunction!(linearize, m)?)?;
    m.add_function(wrap_pyfunction!(response, m)?)?;
    m.add_function(wrap_pyfunction!(campbell, m)?)?;
    Ok(())
}

/// Values, unit of the input, units of the outputs, notices.
type ResponseParts<'py> = (Bound<'py, PyArray2<Complex64>>, String, Vec<String>, Vec<String>);
/// Eigenvalues and MAC of the branches, rate of the frame and reason of a failure at every value.
type CampbellParts<'py> = (Bound<'py, PyArray2<Complex64>>, Bound<'py, PyArray2<f64>>, Vec<f64>, Vec<String>);

/// Time of the run (none: the start), equilibrium, axis and rate of a rotating frame, frozen coefficients.
#[derive(Clone, Copy, FromPyObject)]
pub(crate) struct PointArguments(Option<f64>, bool, Option<[f64; 3]>, Option<f64>, bool);

impl From<PointArguments> for OperatingPoint {
    fn from(PointArguments(at, equilibrium, rotating_about, rate, frozen): PointArguments) -> OperatingPoint {
        OperatingPoint {
            at: match (at, equilibrium) {
                (Some(t), _) => LinearisedAt::Time(t),
                (None, true) => LinearisedAt::Equilibrium,
                (None, false) => LinearisedAt::Start,
            },
            rotating_about,
            rate,
            varying: if frozen { VaryingCoefficients::Freeze } else { VaryingCoefficients::Reject },
        }
    }
}

/// The linearised equations, with notices.
fn linearised<'m>(
    py: Python<'_>,
    compiled: &'m Compiled,
    state: Option<&State>,
    point: PointArguments,
) -> PyResult<(Linearised<'m>, Vec<String>)> {
    let (mut point, mut given) = (OperatingPoint::from(point), compiled.start(state)?);
    if let LinearisedAt::Time(t) = point.at
        && t.is_finite()
        && t > given.t
    {
        // A run that Ctrl-C can interrupt; the engine would run to its end.
        given = run_to(py, compiled, &given, t)?;
        point.at = LinearisedAt::Start;
    }
    let found = interruptible(py, || point.linearise(&compiled.model, &given, &compiled.file.transient))?;
    let lin = found.map_err(analysis_error)?;
    let notices = point.notices(&lin);
    Ok((lin, notices))
}

/// The state of a run at a time.
pub(crate) fn run_to(py: Python<'_>, compiled: &Compiled, start: &taut::State, t: f64) -> PyResult<taut::State> {
    let own = &compiled.file.transient;
    let settings = Transient { t_end: t, output: Output::Ends, columns: Columns::None, ..own.clone() };
    let started = interruptible(py, || OwnedRun::start(&compiled.model, start, &settings, RunMethod::Events))?;
    let mut owned = started.map_err(|e| start_error(py, compiled, &e))?;
    let run = owned.run();
    let interrupted = py.detach(|| advance(run, t));
    raise_pending(py)?;
    let run = owned.run();
    if interrupted? {
        return Err(PyKeyboardInterrupt::new_err(format!("interrupted at t = {} s", run.t())));
    }
    match run.outcome() {
        Outcome::Finished => Ok(run.final_state()),
        outcome => Err(analysis_error(format!("the run ends before {t} s: {outcome}"))),
    }
}

/// A matrix of nalgebra, which is stored by columns.
fn matrix<'py>(py: Python<'py>, m: &DMatrix<f64>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    m.transpose().as_slice().to_vec().into_pyarray(py).reshape([m.nrows(), m.ncols()])
}

fn complex_matrix<'py>(
    py: Python<'py>,
    rows: usize,
    columns: usize,
    values: Vec<Complex64>,
) -> PyResult<Bound<'py, PyArray2<Complex64>>> {
    values.into_pyarray(py).reshape([rows, columns])
}

fn shares(list: Vec<EnergyShare>) -> serde_json::Value {
    list.into_iter().map(|s| (s.name, json!(s.share))).collect::<serde_json::Map<_, _>>().into()
}

/// Frequencies, damping, shapes and energies of the slowest modes.
#[pyfunction]
fn modes<'py>(
    py: Python<'py>,
    compiled: &Compiled,
    state: Option<&State>,
    point: PointArguments,
    number: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    let (lin, notices) = linearised(py, compiled, state, point)?;
    let request = number.map_or(ModeRequest::All, ModeRequest::Lowest);
    let found = interruptible(py, || taut::analyses::linear::modes(&lin, request))?.map_err(analysis_error)?;
    let (n, size) = (found.modes.len(), lin.model.sizes.v);
    let result = PyDict::new(py);
    result
        .set_item("eigenvalues", found.modes.iter().map(|m| m.lambda).collect::<Vec<Complex64>>().into_pyarray(py))?;
    result.set_item("shapes", complex_matrix(py, n, size, found.modes.iter().flat_map(|m| m.xi.clone()).collect())?)?;
    result.set_item("velocities", lin.model.state_names().1.into_iter().map(|v| v.name).collect::<Vec<_>>())?;
    let one = |m: &Eigenmode| {
        json!({
            "frequency": m.frequency(), "omega": m.omega(), "damping": m.damping(), "kind": m.kind,
            "effective_mass": lin.effective_mass(m), "kinetic": shares(lin.kinetic_shares(m)),
            "potential": shares(lin.potential_shares(m)),
        })
    };
    result.set_item("modes", to_python(py, &found.modes.iter().map(one).collect())?)?;
    let markers = PyList::empty(py);
    for m in &found.modes {
        let shapes = PyDict::new(py);
        for s in lin.shapes(m) {
            let values: Vec<Complex64> = s.translation.iter().chain(s.rotation.iter()).copied().collect();
            shapes.set_item(s.marker, values.into_pyarray(py))?;
        }
        markers.append(shapes)?;
    }
    result.set_item("marker_shapes", markers)?;
    raise_pending(py)?;
    result.set_item("zeros", found.zeros)?;
    result.set_item("dimension", found.dimension)?;
    result.set_item("state", State(lin.state.clone()))?;
    result.set_item("notices", notices)?;
    Ok(result)
}

/// The matrices of the linearised equations in one of three forms.
#[pyfunction]
fn linearize<'py>(
    py: Python<'py>,
    compiled: &Compiled,
    state: Option<&State>,
    point: PointArguments,
    form: &str,
    inputs: Vec<String>,
    outputs: Vec<String>,
) -> PyResult<Bound<'py, PyDict>> {
    let (lin, notices) = linearised(py, compiled, state, point)?;
    let result = PyDict::new(py);
    result.set_item("notices", notices)?;
    if form == "second_order" {
        let found = lin.second_order();
        raise_pending(py)?;
        let Some(found) = found else {
            let message = "the second-order form does not apply: the state moves, or the model has extra states or rows without a position level; use form=\"state\"";
            return Err(analysis_error(message));
        };
        for (name, X) in [("M", &found.M), ("C", &found.C), ("K", &found.K), ("N", &found.N)] {
            result.set_item(name, matrix(py, X)?)?;
        }
        result.set_item("velocities", lin.model.state_names().1.into_iter().map(|v| v.name).collect::<Vec<_>>())?;
        return Ok(result);
    }
    let given =
        inputs.iter().map(|name| lin.input(name)).collect::<Result<Vec<LinearInput>, _>>().map_err(analysis_error)?;
    let names: Vec<&str> = outputs.iter().map(String::as_str).collect();
    let wanted = lin.outputs(&names).map_err(analysis_error)?;
    let found = match form {
        "descriptor" => Ok(lin.descriptor(&given, &wanted)),
        "state" => lin.state_space(&given, &wanted),
        other => {
            return Err(PyValueError::new_err(format!("form is `{other}`; choose state, descriptor or second_order")));
        }
    };
    raise_pending(py)?;
    let found = found.map_err(analysis_error)?;
    if let Some(E) = &found.E {
        result.set_item("E", matrix(py, E)?)?;
    }
    for (name, X) in [("A", &found.A), ("B", &found.B), ("C", &found.C), ("D", &found.D)] {
        result.set_item(name, matrix(py, X)?)?;
    }
    result.set_item("states", found.states)?;
    result.set_item("inputs", found.inputs)?;
    result.set_item("outputs", found.outputs)?;
    Ok(result)
}

/// Frequency responses of outputs per unit of an input: an array with a row per frequency, and the units.
#[pyfunction]
fn response<'py>(
    py: Python<'py>,
    compiled: &Compiled,
    state: Option<&State>,
    point: PointArguments,
    input: &str,
    outputs: Vec<String>,
    frequencies: Vec<f64>,
) -> PyResult<ResponseParts<'py>> {
    let (lin, notices) = linearised(py, compiled, state, point)?;
    let given = lin.input(input).map_err(analysis_error)?;
    let names: Vec<&str> = outputs.iter().map(String::as_str).collect();
    let wanted = lin.outputs(&names);
    raise_pending(py)?;
    let wanted = wanted.map_err(analysis_error)?;
    let found = interruptible(py, || lin.response(&given, &wanted, &frequencies))?.map_err(analysis_error)?;
    let values = complex_matrix(py, frequencies.len(), outputs.len(), found.into_iter().flatten().collect())?;
    Ok((values, given.unit.to_string(), wanted.into_iter().map(|o| o.unit).collect(), notices))
}

/// Modes tracked over a list of models, one per value of a parameter; none where a model has no modes. Eigenvalues and MAC have a row
/// per branch and a column per value; NaN where a branch was not found.
#[pyfunction]
fn campbell<'py>(
    py: Python<'py>,
    models: Vec<Option<Py<Compiled>>>,
    point: PointArguments,
    number: usize,
) -> PyResult<CampbellParts<'py>> {
    let (mut lists, mut rates, mut failures) = (Vec::new(), Vec::new(), Vec::new());
    for model in &models {
        py.check_signals()?;
        let found = model.as_ref().map(|model| {
            let (lin, _) = linearised(py, model.get(), None, point)?;
            let found = interruptible(py, || {
                taut::analyses::linear::modes(&lin, ModeRequest::Lowest(number + EXTRA_TRACKED_MODES))
            })?;
            Ok::<_, PyErr>((found.map_err(analysis_error)?.modes, lin.turning.map_or(f64::NAN, |t| t.rate)))
        });
        match found {
            Some(Ok((modes, rate))) => {
                lists.push(modes);
                rates.push(rate);
                failures.push(String::new());
            }
            // What is no failure of the analysis: Ctrl-C, an exception of a function.
            Some(Err(e)) if !e.is_instance_of::<AnalysisError>(py) => return Err(e),
            other => {
                lists.push(Vec::new());
                rates.push(f64::NAN);
                failures.push(other.map_or_else(
                    || "no model".to_string(),
                    |e| e.err().map_or_else(String::new, |e| e.value(py).to_string()),
                ));
            }
        }
    }
    let branches = slowest_branches(track_modes(&lists), number);
    let none = Complex64::new(f64::NAN, f64::NAN);
    let lambda = branches.iter().flat_map(|b| b.lambda.iter().map(|l| l.unwrap_or(none))).collect();
    let mac: Vec<f64> = branches.iter().flat_map(|b| b.mac.clone()).collect();
    let (n, k) = (branches.len(), models.len());
    Ok((complex_matrix(py, n, k, lambda)?, mac.into_pyarray(py).reshape([n, k])?, rates, failures))
}
