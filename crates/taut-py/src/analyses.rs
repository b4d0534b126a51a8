//! Analyses of one pose or of a prescribed motion: check, assemble, static, kinematics, inverse.

use crate::callbacks::take_pending;
use crate::compiled::Compiled;
use crate::errors::{AnalysisError, TautError, analysis_error, finding};
use crate::interruptible::{detached, interruptible};
use crate::solution::{Extra, RawSolution, to_python};
use crate::state::State;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};
use taut::analyses::{
    self, ArcLength, AssemblySettings, BranchSearch, BranchSwitching, DeterminacyReport, ExaminedPose, GivenPose,
    InitialConditions, JointChange, Loading, Output, RowConsistency, Run, Simulation, Stability, StaticResult, Statics,
    Transient, UniformRotation, body_displacements, determinate_changes, with_load_factor,
};
use taut::dynamics::SolverSettings;
use taut::{ColumnFamily, Columns};
use taut_io::diagnostic::Diagnostic;
use taut_io::model::{BranchName, ModelFile, name_branches, prescription_remedy};

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(check, m)?)?;
    m.add_function(wrap_pyfunction!(assemble, m)?)?;
    m.add_function(wrap_pyfunction!(branches, m)?)?;
    m.add_function(wrap_pyfunction!(equilibrium, m)?)?;
    m.add_function(wrap_pyfunction!(kinematics, m)?)?;
    m.add_function(wrap_pyfunction!(inverse, m)?)?;
    Ok(())
}

fn json_of(value: impl serde::Serialize) -> PyResult<Value> {
    serde_json::to_value(value).map_err(|e| TautError::new_err(format!("the result cannot be converted: {e}")))
}

/// Freedoms, redundant rows and errors of a model at its start.
#[pyfunction]
fn check<'py>(py: Python<'py>, compiled: &Compiled, state: Option<&State>) -> PyResult<Bound<'py, PyDict>> {
    let mut start = compiled.start(state)?;
    let mut errors = Vec::new();
    let mut reactions = None;
    let mut cannot_assemble = false;
    let found = interruptible(py, || {
        // Contacts, ropes and friction constraints count with their modes at the start.
        match Simulation::new(&compiled.model, &start, &compiled.file.transient) {
            Ok(at_start) => {
                let at = at_start.state();
                reactions = Some(match analyses::multipliers(&compiled.model, &at) {
                    Ok(lambda) => DeterminacyReport::at(&compiled.model, &at, &lambda),
                    Err(e) => DeterminacyReport::not_examined(&e),
                });
                start.modes = at.modes;
            }
            Err(
                e @ (analyses::AnalysisError::Overlap { .. }
                | analyses::AnalysisError::PositionJump { .. }
                | analyses::AnalysisError::Paradox { .. }
                | analyses::AnalysisError::CannotAssemble(_)
                | analyses::AnalysisError::Endless { .. }),
            ) => {
                cannot_assemble = matches!(e, analyses::AnalysisError::CannotAssemble(_));
                errors.push(compiled.file.diagnose(&e));
            }
            // The diagnosis below reports all other errors in more detail.
            Err(_) => {}
        }
        analyses::doctor(&compiled.model, &start)
    })?;
    let found = found.map_err(analysis_error)?;
    if found.pose == ExaminedPose::Open && !cannot_assemble {
        errors.push(Diagnostic::error("the constraints cannot be satisfied"));
    }
    for set in found.dependent.iter().filter(|s| matches!(s.verdict, RowConsistency::Contradictory { .. })) {
        let names = set.constraints.iter().map(|c| format!("`{c}`")).collect::<Vec<_>>().join(", ");
        errors.push(Diagnostic::error(format!("these constraints contradict each other: {names}")));
    }
    let report = PyDict::new(py);
    report.set_item("errors", errors.iter().map(|e| finding(py, e)).collect::<PyResult<Vec<_>>>()?)?;
    report.set_item("text", found.to_string())?;
    report.set_item("doctor", to_python(py, &json_of(&found)?)?)?;
    report.set_item("determinacy", to_python(py, &json_of(&reactions)?)?)?;
    let shown = reactions.filter(|r| !r.examined || !r.joints.is_empty()).map(|r| r.to_string());
    report.set_item("determinacy_text", shown)?;
    let changes =
        interruptible(py, || determinate_changes(&compiled.file.spec, &compiled.model, &start))?.unwrap_or_default();
    let texts = |set: &Vec<JointChange>| set.iter().map(JointChange::to_string).collect::<Vec<_>>();
    report.set_item("changes", changes.iter().map(texts).collect::<Vec<_>>())?;
    Ok(report)
}

/// The assembled state and what was moved.
#[pyfunction]
fn assemble<'py>(
    py: Python<'py>,
    compiled: &Compiled,
    state: Option<&State>,
    hold: Vec<String>,
) -> PyResult<(State, Bound<'py, PyAny>)> {
    let start = compiled.start(state)?;
    let SolverSettings { inconsistent, row_weighting, .. } = compiled.file.transient.choice;
    let settings = AssemblySettings { held: hold, inconsistent, row_weighting, ..AssemblySettings::default() };
    let found = interruptible(py, || analyses::assemble(&compiled.model, &start, &settings))?;
    let found = found.map_err(analysis_error)?;
    Ok((State(found.state), to_python(py, &json_of(&found.ledger)?)?))
}

/// Whether Ctrl-C ended the computation.
///
/// # Errors
/// Another exception that ended it.
fn interrupted(py: Python<'_>) -> PyResult<bool> {
    match take_pending() {
        Some(e) if e.is_instance_of::<PyKeyboardInterrupt>(py) => Ok(true),
        Some(e) => Err(e),
        None => Ok(false),
    }
}

/// All poses in which a mechanism can be assembled: states, coordinates, signs that name them, and how complete the list is.
#[pyfunction]
fn branches<'py>(
    py: Python<'py>,
    compiled: &Compiled,
    starts: Option<usize>,
    seed: Option<u64>,
) -> PyResult<(Vec<State>, Bound<'py, PyAny>)> {
    let default = BranchSearch::default();
    let search = BranchSearch { max_starts: starts.unwrap_or(default.max_starts), seed: seed.unwrap_or(default.seed) };
    let computed = detached(py, || {
        let found = compiled.file.branches(&compiled.model, &search)?;
        let names = name_branches(&compiled.model, &found.branches)?;
        Ok::<_, analyses::AnalysisError>((found, names))
    });
    // After Ctrl-C the poses so far are returned, if there are any.
    let interrupted = interrupted(py)?;
    let (found, names) = computed.map_err(|e| match interrupted {
        true => PyKeyboardInterrupt::new_err("interrupted before a pose was found"),
        false => analysis_error(e),
    })?;
    let object = |pairs: Vec<(String, Value)>| pairs.into_iter().collect::<serde_json::Map<_, _>>();
    let one = |(b, name): (&analyses::Branch, &BranchName)| {
        let coordinates = object(name.coordinates.iter().map(|(n, x)| (n.clone(), json!(x))).collect());
        let signs = object(name.signs.iter().map(|(n, s)| (n.clone(), json!(s))).collect());
        json!({ "coordinates": coordinates, "signs": signs, "found": b.found })
    };
    let report = json!({
        "completeness": found.completeness, "bound": found.bound, "given_closes": found.given == GivenPose::FirstBranch,
        "starts": found.starts, "branches": found.branches.iter().zip(&names).map(one).collect::<Vec<_>>(),
    });
    let states = found.branches.into_iter().map(|b| State(b.state)).collect();
    Ok((states, to_python(py, &report)?))
}

/// The model as a file that starts at this state.
pub(crate) fn toml_at(compiled: &Compiled, state: &State) -> PyResult<String> {
    let mut file = ModelFile::from(compiled.file.spec.clone());
    file.title.clone_from(&compiled.file.title);
    file.transient = compiled.file.transient.clone();
    file.contact_method = compiled.file.contact_method;
    file.start_time = state.0.t;
    file.column_patterns.clone_from(&compiled.file.column_patterns);
    file.visuals.clone_from(&compiled.file.visuals);
    file.set_start(&compiled.model, &state.0);
    file.write().map_err(|e| TautError::new_err(e.to_string()))
}

/// How the load is applied: `steps` of equal size, or by arc length with (first step, longest step, points, branch).
#[derive(FromPyObject)]
pub(crate) struct LoadingArguments(Option<usize>, Option<(f64, f64, usize, Option<f64>)>);

/// The static equilibrium near the start, at rest or in a rotating frame.
#[pyfunction]
fn equilibrium<'py>(
    py: Python<'py>,
    compiled: &Compiled,
    state: Option<&State>,
    loading: LoadingArguments,
    rotation: Option<([f64; 3], f64, [f64; 3])>,
) -> PyResult<(State, Bound<'py, PyAny>, RawSolution)> {
    let given = compiled.start(state)?;
    let loading = match (loading.0, loading.1) {
        (_, Some((first_step, max_displacement, max_points, branch))) => Loading::ArcLength(ArcLength {
            first_step,
            max_displacement,
            max_points,
            branching: branch.map_or(BranchSwitching::Stay, BranchSwitching::Switch),
            ..ArcLength::default()
        }),
        (Some(steps), None) => Loading::Steps(steps),
        (None, None) => Loading::AtOnce,
    };
    let rotation = rotation.map(|(axis, speed, through)| UniformRotation::about(axis, speed).through(through));
    if rotation.as_ref().is_some_and(|r| r.omega.iter().any(|x| !x.is_finite())) {
        return Err(TautError::new_err("the axis of the rotation must not be zero"));
    }
    let settings = Statics { loading, rotation, ..Statics::default() };
    let model = &*compiled.model;
    let computed = interruptible(py, || {
        let mut found = StaticResult::find(model, &given, &settings)?;
        let under = with_load_factor(model, found.load_factor());
        let judged = found.equilibrium.assess_stability(&under, &settings).ok();
        found.set_softest_stiffness(judged.as_ref().map(|j| j.stability));
        Ok::<_, analyses::StaticsError>((found, judged))
    })?;
    let (found, judged) = computed.map_err(analysis_error)?;
    let (word, stiffness) = match judged.as_ref().map(|j| j.stability) {
        Some(Stability::Stable(k)) => ("stable", Some(k)),
        Some(Stability::Unstable(k)) => ("unstable", Some(k)),
        Some(Stability::Neutral { .. }) => ("neutral", Some(0.0)),
        _ => ("unknown", None),
    };
    let mut still = given.clone();
    still.v.clone_from(&found.equilibrium.state.v);
    let report = json!({
        "stability": word, "stiffness": stiffness,
        "free_motions": judged.map(|j| j.free_motions).unwrap_or_default(),
        "iterations": found.equilibrium.iterations,
        "load_factor": found.load_factor(),
        "notes": found.equilibrium.notes,
        "moved": json_of(body_displacements(model, &still, &found.equilibrium.state))?,
        "critical_points": found.path.critical.iter().map(|c| json!({
            "kind": c.kind, "load_factor": c.load_factor,
        })).collect::<Vec<_>>(),
    });
    let path = RawSolution::new(py, model, found.path.solution(model), Extra::default())?;
    Ok((State(found.equilibrium.state), to_python(py, &report)?, path))
}

/// The motion that the drivers prescribe, at the output times.
#[pyfunction]
fn kinematics(py: Python<'_>, compiled: &Compiled) -> PyResult<RawSolution> {
    let found = detached(py, || compiled.file.prescribed_motion(&compiled.model));
    let interrupted = interrupted(py)?;
    if interrupted && found.is_err() {
        return Err(PyKeyboardInterrupt::new_err("interrupted before the first pose was found"));
    }
    let found = found.map_err(|e| match prescription_remedy(&compiled.model, &e) {
        Some(help) => AnalysisError::new_err(format!("{e}\n  help: {help}")),
        None => analysis_error(e),
    })?;
    RawSolution::new(py, &compiled.model, found, Extra { interrupted, ..Extra::default() })
}

/// Reactions and efforts in the assembled pose, with given accelerations.
#[pyfunction]
fn inverse<'py>(
    py: Python<'py>,
    compiled: &Compiled,
    state: Option<&State>,
    accelerations: Vec<(String, f64)>,
) -> PyResult<(Vec<String>, Bound<'py, PyAny>)> {
    let (model, given) = (&*compiled.model, compiled.start(state)?);
    let computed = interruptible(py, || {
        let state = analyses::assemble(model, &given, &AssemblySettings::default())?.state;
        let columns = Columns::Only(vec![ColumnFamily::Accelerations]);
        let settings = Transient::to(state.t).columns(columns).output(Output::Ends).start(InitialConditions::AsGiven);
        let solution = Simulation::new(model, &state, &settings)?.into_solution();
        let names: Vec<String> = solution.names().skip(1).map(String::from).collect();
        Ok::<_, analyses::AnalysisError>((state, names))
    })?;
    let (state, names) = computed.map_err(analysis_error)?;
    let mut vdot = vec![0.0; names.len()];
    for (name, x) in &accelerations {
        match names.iter().position(|n| n == name) {
            Some(i) => vdot[i] = *x,
            None => {
                let known = names.join(", ");
                return Err(TautError::new_err(format!(
                    "there is no acceleration `{name}`; the accelerations are: {known}"
                )));
            }
        }
    }
    let found = interruptible(py, || analyses::inverse(model, &state, &vdot))?;
    let rows: Vec<String> = (0..model.rows.len()).map(|r| model.row_name(r)).collect();
    let mut report = json_of(found.map_err(analysis_error)?)?;
    report["rows"] = json!(rows);
    Ok((names, to_python(py, &report)?))
}
