//! Constraints around the user's own `ydot = f(t, y)`.

use crate::errors::{TautError, analysis_error};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::cell::RefCell;
use std::sync::Mutex;
use taut::nalgebra::DMatrix;
use taut_constrain::{ConstrainError, ConstrainedOde, Mass, NumericalConstraints, StateMap};

thread_local! {
    /// The exception of a function during a call.
    static FAILED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Calls a function of Python for numbers; an exception is kept and reported as an error code.
fn call(out: &mut [f64], act: impl for<'py> Fn(Python<'py>) -> PyResult<Bound<'py, PyAny>>) -> Result<(), i32> {
    Python::attach(|py| {
        let result = act(py).and_then(|value| {
            let list: Vec<f64> = match value.extract::<PyReadonlyArray1<'_, f64>>() {
                Ok(array) => array.as_array().to_vec(),
                Err(_) => match value.extract::<f64>() {
                    Ok(x) => vec![x],
                    Err(_) => value.extract::<Vec<f64>>()?,
                },
            };
            if list.len() != out.len() {
                let message = format!("the function returned {} numbers; it must return {}", list.len(), out.len());
                return Err(TautError::new_err(message));
            }
            out.copy_from_slice(&list);
            Ok(())
        });
        result.map_err(|e| {
            FAILED.set(Some(e));
            1
        })
    })
}

/// The exception of a function, or the error of the library.
fn raised(e: ConstrainError) -> PyErr {
    FAILED.take().unwrap_or_else(|| analysis_error(e))
}

/// Constraints around a right-hand side.
#[pyclass(frozen, module = "taut._taut")]
pub(crate) struct Constrained {
    ode: Mutex<ConstrainedOde<NumericalConstraints>>,
    f: Py<PyAny>,
    states: usize,
}

/// φ and ψ with their numbers of rows.
#[derive(FromPyObject)]
pub(crate) struct Functions(Option<Py<PyAny>>, usize, Option<Py<PyAny>>, usize);

#[pymethods]
impl Constrained {
    #[new]
    fn new(
        f: Py<PyAny>,
        functions: Functions,
        states: usize,
        positions: Vec<usize>,
        rates: Vec<usize>,
        mass: Option<PyReadonlyArray2<'_, f64>>,
    ) -> PyResult<Constrained> {
        let Functions(phi, position_rows, psi, velocity_rows) = functions;
        let n = positions.len();
        let mut constraints = NumericalConstraints::new(
            n,
            position_rows,
            Box::new(move |t, q, out| match &phi {
                Some(phi) => call(out, |py| phi.bind(py).call1((t, PyArray1::from_slice(py, q)))),
                None => Ok(()),
            }),
        );
        if let Some(psi) = psi {
            constraints.set_psi(
                velocity_rows,
                Box::new(move |t, q, v, out| {
                    call(out, |py| psi.bind(py).call1((t, PyArray1::from_slice(py, q), PyArray1::from_slice(py, v))))
                }),
            );
        }
        let mass = match mass {
            Some(m) => {
                let view = m.as_array();
                Mass::Dense(DMatrix::from_fn(view.nrows(), view.ncols(), |i, j| view[[i, j]]))
            }
            None => Mass::Identity(n),
        };
        let map = StateMap { states, positions, rates };
        let ode = ConstrainedOde::new(map, constraints, mass).map_err(raised)?;
        Ok(Constrained { ode: Mutex::new(ode), f, states })
    }

    /// ydot with the constraints.
    fn rates<'py>(
        &self,
        py: Python<'py>,
        t: f64,
        y: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let y = y.as_array().to_vec();
        let mut ydot = vec![0.0; self.states];
        let mut ode = self.lock()?;
        let f = |t: f64, y: &[f64], ydot: &mut [f64]| {
            call(ydot, |py| self.f.bind(py).call1((t, PyArray1::from_slice(py, y))))
        };
        ode.try_rates(t, &y, &mut ydot, f).map_err(raised)?;
        Ok(ydot.into_pyarray(py))
    }

    /// The state projected onto the constraints.
    fn project<'py>(
        &self,
        py: Python<'py>,
        t: f64,
        y: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let mut y = y.as_array().to_vec();
        self.lock()?.project(t, &mut y).map_err(raised)?;
        Ok(y.into_pyarray(py))
    }

    /// Multipliers of the last evaluation.
    #[getter]
    fn multipliers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_slice(py, self.lock()?.lambda()))
    }
}

impl Constrained {
    fn lock(&self) -> PyResult<std::sync::MutexGuard<'_, ConstrainedOde<NumericalConstraints>>> {
        self.ode.try_lock().map_err(|_| {
            PyRuntimeError::new_err("these constraints are in use by another thread, or by their own function")
        })
    }
}
