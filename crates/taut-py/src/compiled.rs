//! A model that was read and built: immutable, shared by threads.

use crate::element_functions::{ElementFunction, add_functions};
use crate::errors::{TautError, finding, model_error};
use crate::interruptible::interruptible;
use crate::solution::to_python;
use crate::state::State;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use taut::bodies::BodyKind;
use taut::constraints::ConstraintKind;
use taut::{MarkerPlacement, Model};
use taut_io::diagnostic::Diagnostic;
use taut_io::model::{self, ModelFile, Override};

/// Names with their units.
type NamesAndUnits = Vec<(String, String)>;

/// A model that was read and built.
#[pyclass(frozen, module = "taut._taut")]
pub(crate) struct Compiled {
    pub file: ModelFile,
    pub model: Arc<Model>,
}

/// Reads a text of the model file format, changes values, adds functions written in Python, and builds the model.
#[pyfunction]
pub(crate) fn compile(
    py: Python<'_>,
    text: &str,
    path: PathBuf,
    overrides: Vec<(String, String)>,
    functions: Vec<ElementFunction>,
) -> PyResult<Compiled> {
    let overrides: Vec<Override> = overrides.into_iter().map(|(path, value)| Override { path, value }).collect();
    let read = py.detach(|| model::parse(text, &path, &overrides));
    let mut file = read.map_err(|findings| model_error(py, &findings))?;
    add_functions(&mut file, functions)?;
    let model = interruptible(py, || file.build())?.map_err(|found| model_error(py, &[found]))?;
    Ok(Compiled { file, model: Arc::new(model) })
}

impl Compiled {
    /// The state at which an analysis begins: the given one, or that of the file.
    pub fn start(&self, state: Option<&State>) -> PyResult<taut::State> {
        let Some(State(given)) = state else { return Ok(self.file.state(&self.model)) };
        self.model
            .check_state(given)
            .map_err(|e| TautError::new_err(format!("the state does not fit the model: {e}")))?;
        Ok(given.clone())
    }
}

#[pymethods]
impl Compiled {
    /// The title, or an empty text.
    #[getter]
    fn title(&self) -> &str {
        &self.file.title
    }

    /// Warnings about the file, as the command prints them.
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let notice = self.model.excluded_pairs_notice().map(Diagnostic::warning);
        let all = self.file.warnings.iter().chain(&notice).map(|f| finding(py, f)).collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, all)
    }

    /// The model as a file: no parameters, no includes, plain SI numbers.
    fn to_toml(&self, py: Python<'_>) -> PyResult<String> {
        self.file.write().map_err(|found| model_error(py, &[found]))
    }

    /// The same with the bodies at a state.
    fn to_toml_at(&self, state: &State) -> PyResult<String> {
        self.start(Some(state))?;
        crate::analyses::toml_at(self, state)
    }

    /// The state at the start, not yet assembled.
    #[getter]
    fn initial_state(&self) -> State {
        State(self.file.state(&self.model))
    }

    /// Start and end of a run, s.
    #[getter]
    fn span(&self) -> (f64, f64) {
        (self.file.start_time, self.file.transient.t_end)
    }

    /// `[trim]`: period, start of the search, parameters (low, first, high) and targets by name.
    #[getter]
    fn trim<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let Some(table) = &self.file.trim else { return Ok(py.None().into_bound(py)) };
        let vary = table.vary.iter().map(|v| (v.parameter.clone(), json!([v.low, v.first, v.high])));
        let name = |t: &model::TrimResult| match t.statistic {
            Some(statistic) => format!("{}:{statistic}", t.column),
            None => t.column.clone(),
        };
        let targets = table.targets.iter().map(|t| (name(t), json!(t.value)));
        let value = json!({
            "period": table.period, "free_period": table.free_period, "hold": table.hold, "at": table.at,
            "segments": table.segments,
            "vary": vary.collect::<serde_json::Map<_, _>>(), "target": targets.collect::<serde_json::Map<_, _>>(),
        });
        to_python(py, &value)
    }

    /// Names and units of all coordinates and velocities.
    #[getter]
    fn state_names(&self) -> (NamesAndUnits, NamesAndUnits) {
        let (q, v) = self.model.state_names();
        let named =
            |list: Vec<taut::bodies::Quantity>| list.into_iter().map(|x| (x.name, x.unit.to_string())).collect();
        (named(q), named(v))
    }

    /// The elements of the model by family.
    fn elements<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &elements(&self.file, &self.model))
    }

    /// The settings of the run.
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let settings = serde_json::to_value(&self.file.transient);
        to_python(py, &settings.map_err(|e| TautError::new_err(format!("settings: {e}")))?)
    }

    fn __repr__(&self) -> String {
        let m = &self.model;
        format!("Compiled({} bodies, {} constraints, {} forces)", m.bodies.len(), m.constraints.len(), m.forces.len())
    }

    /// M, A, b, f and the residuals at a state, with names.
    #[pyo3(signature = (state = None))]
    fn equations<'py>(&self, py: Python<'py>, state: Option<&State>) -> PyResult<Bound<'py, PyDict>> {
        crate::matrices::equations(py, &self.model, &self.start(state)?)
    }
}

/// Kind, mass and inertia of a body; only the kind for bodies written in code.
fn body_properties(kind: &BodyKind) -> (&'static str, Option<f64>, Vec<f64>) {
    if let Some(b) = kind.rigid() {
        return ("rigid", Some(b.mass), b.inertia.to_vec());
    }
    match kind {
        BodyKind::PointMass(b) => ("point_mass", Some(b.mass), Vec::new()),
        BodyKind::Planar(b) => ("planar", Some(b.mass), vec![b.inertia]),
        BodyKind::Modal(b) => ("modal", Some(b.total_mass()), Vec::new()),
        BodyKind::Ritz(_) => ("ritz", None, Vec::new()),
        BodyKind::Variable(_) => ("variable", None, Vec::new()),
        BodyKind::Generalised(_) => ("generalised", None, Vec::new()),
        _ => ("in code", None, Vec::new()),
    }
}

fn elements(file: &ModelFile, model: &Model) -> Value {
    let written: HashMap<&str, (&str, Option<&str>)> = file
        .written_elements()
        .into_iter()
        .filter(|(section, ..)| *section != "marker")
        .map(|(section, name, kind)| (name, (section, kind)))
        .collect();
    let word = |name: &str, section: &'static str| written.get(name).copied().unwrap_or((section, None));
    let marker_names = |list: &[usize]| list.iter().map(|m| model.markers[*m].name.clone()).collect::<Vec<_>>();
    let (q, v) = model.state_names();
    let body = |b: &taut::BodyEntry| {
        let (kind, mass, inertia) = body_properties(&b.kind);
        let names = |list: &[taut::bodies::Quantity]| list.iter().map(|x| x.name.clone()).collect::<Vec<_>>();
        json!({
            "name": b.name, "section": "body", "type": kind, "mass": mass, "inertia": inertia,
            "coordinates": names(&q[b.q.clone()]), "velocities": names(&v[b.v.clone()]),
        })
    };
    let constraint = |c: &taut::ConstraintEntry| {
        let (section, kind) =
            word(&c.name, if matches!(c.kind, ConstraintKind::Joint(_)) { "joint" } else { "constraint" });
        let rows: Vec<String> = c.rows.clone().map(|r| model.row_name(r)).collect();
        json!({ "name": c.name, "section": section, "type": kind, "markers": marker_names(&c.markers), "rows": rows })
    };
    let force = |f: &taut::ForceEntry| {
        let (section, kind) = word(&f.name, "force");
        json!({ "name": f.name, "section": section, "type": kind, "markers": marker_names(&f.markers) })
    };
    let frames = model.markers.iter().filter(|m| matches!(m.placement, MarkerPlacement::Frame(..)));
    let marker = |m: &taut::Marker| json!({ "name": m.name, "body": m.body.map(|b| model.bodies[b].name.clone()) });
    json!({
        "bodies": model.bodies.iter().map(body).collect::<Vec<_>>(),
        "constraints": model.constraints.iter().map(constraint).collect::<Vec<_>>(),
        "forces": model.forces.iter().map(force).collect::<Vec<_>>(),
        "markers": frames.map(marker).collect::<Vec<_>>(),
        "measures": model.measures.iter().map(|m| json!({ "name": m.name })).collect::<Vec<_>>(),
        "events": model.events.iter().map(|e| json!({ "name": e.name })).collect::<Vec<_>>(),
    })
}
