//! The state of a model: time, coordinates, velocities, extra states, and the modes of the constraints.

use crate::errors::TautError;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Time, coordinates, velocities, extra states, and the mode of every constraint. It never changes; `replace` makes another.
#[pyclass(frozen, eq, module = "taut._taut")]
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State(pub taut::State);

#[pymethods]
impl State {
    /// Time, s.
    #[getter]
    fn t(&self) -> f64 {
        self.0.t
    }

    /// Coordinates.
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.0.q.clone().into_pyarray(py)
    }

    /// Velocities.
    #[getter]
    fn v<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.0.v.clone().into_pyarray(py)
    }

    /// Extra first-order states.
    #[getter]
    fn z<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.0.z.clone().into_pyarray(py)
    }

    /// The same with other values.
    #[pyo3(signature = (*, t = None, q = None, v = None, z = None))]
    fn replace(
        &self,
        t: Option<f64>,
        q: Option<Vec<f64>>,
        v: Option<Vec<f64>>,
        z: Option<Vec<f64>>,
    ) -> PyResult<State> {
        let mut new = self.0.clone();
        new.t = t.unwrap_or(new.t);
        for (what, own, other) in [("q", &mut new.q, q), ("v", &mut new.v, v), ("z", &mut new.z, z)] {
            let Some(other) = other else { continue };
            if other.len() != own.len() {
                let message = format!("`{what}` has {} entries; the state has {}", other.len(), own.len());
                return Err(TautError::new_err(message));
            }
            *own = other;
        }
        Ok(State(new))
    }

    fn __repr__(&self) -> String {
        let taut::State { t, q, v, z, .. } = &self.0;
        format!("State(t={t}, {} coordinates, {} velocities, {} extra states)", q.len(), v.len(), z.len())
    }

    /// All of it as text.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.0).map_err(|e| TautError::new_err(format!("the state cannot be written: {e}")))
    }

    /// A state from the text of `to_json`.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<State> {
        serde_json::from_str(text).map(State).map_err(|e| TautError::new_err(format!("this is no state of Taut: {e}")))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let make = py.get_type::<State>().getattr("from_json")?;
        Ok((make, PyTuple::new(py, [self.to_json()?])?))
    }
}
