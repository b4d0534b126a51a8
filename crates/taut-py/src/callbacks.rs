//! Functions written in Python, called from the engine.
//!
//! An exception in such a function stops the run: the function returns NaN from then on, and the exception is raised when the
//! computation has returned to Python.

use crate::errors::TautError;
use numpy::{IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::cell::RefCell;
use taut::analyses::{Event, EventFunction, RunAction};
use taut::constraints::ElementInput;
use taut::motion::Motion;

thread_local! {
    /// The first exception of a function since the last call of `raise_pending` on this thread.
    static PENDING: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Whether a function has raised an exception.
pub(crate) fn is_pending() -> bool {
    PENDING.with_borrow(Option::is_some)
}

/// The exception of a function on this thread, if there was one; it is then no longer pending.
pub(crate) fn take_pending() -> Option<PyErr> {
    PENDING.take()
}

/// Keeps an exception until the computation on this thread has returned to Python, unless there is an earlier one.
pub(crate) fn set_pending(e: PyErr) {
    PENDING.with_borrow_mut(|pending| {
        pending.get_or_insert(e);
    });
}

/// Raises the exception of a function, if there was one.
pub(crate) fn raise_pending(_py: Python<'_>) -> PyResult<()> {
    PENDING.take().map_or(Ok(()), Err)
}

/// Calls a function of Python for numbers, of which there may be as many as one of `allowed` says, and returns how many there
/// are. After an exception all numbers are NaN.
pub(crate) fn call(
    name: &str,
    t: f64,
    allowed: &[usize],
    out: &mut [f64],
    act: impl for<'py> FnOnce(Python<'py>) -> PyResult<Bound<'py, PyAny>>,
) -> usize {
    let failed = |out: &mut [f64]| {
        out.fill(f64::NAN);
        allowed[0]
    };
    if is_pending() {
        return failed(out);
    }
    Python::attach(|py| match act(py).and_then(|value| numbers(&value, allowed, out)) {
        Ok(count) => count,
        Err(e) => {
            // A note needs Python 3.11; without it the traceback still names the function.
            let _ = e.value(py).call_method1("add_note", (format!("in the function of `{name}`, at t = {t} s"),));
            PENDING.set(Some(e));
            failed(out)
        }
    })
}

/// The numbers that a function has returned, in the order of memory.
fn numbers(value: &Bound<'_, PyAny>, allowed: &[usize], out: &mut [f64]) -> PyResult<usize> {
    if allowed.contains(&1)
        && let Ok(x) = value.extract::<f64>()
    {
        out[0] = x;
        return finite(&out[..1]);
    }
    let wrong = |found: String| {
        let counts = allowed.iter().map(usize::to_string).collect::<Vec<_>>().join(" or ");
        let needed = if allowed == [1] { "a number".to_string() } else { format!("{counts} numbers") };
        PyTypeError::new_err(format!("the function returned {found}; it must return {needed}"))
    };
    if let Ok(array) = value.extract::<PyReadonlyArrayDyn<'_, f64>>() {
        let view = array.as_array();
        if !allowed.contains(&view.len()) {
            return Err(wrong(format!("an array of shape {:?}", array.shape())));
        }
        out.iter_mut().zip(view.iter()).for_each(|(out, x)| *out = *x);
        return finite(&out[..view.len()]);
    }
    let list = match (value.extract::<Vec<f64>>(), value.extract::<Vec<Vec<f64>>>()) {
        (Ok(list), _) => list,
        (_, Ok(lists)) => lists.concat(),
        _ => return Err(wrong(value.get_type().name()?.to_string())),
    };
    if !allowed.contains(&list.len()) {
        return Err(wrong(format!("{} numbers", list.len())));
    }
    out[..list.len()].copy_from_slice(&list);
    finite(&out[..list.len()])
}

/// The number of numbers, if all are finite.
fn finite(out: &[f64]) -> PyResult<usize> {
    match out.iter().find(|x| !x.is_finite()) {
        Some(x) => Err(TautError::new_err(format!("the function returned {x}; it must return finite numbers"))),
        None => Ok(out.len()),
    }
}

/// The motions of the markers of an element, as a function of Python sees them: positions `p`, velocities `v`, angular velocities
/// `w`, orientations `R`, in world axes. With one marker they are vectors, otherwise one row per marker.
#[pyclass(frozen, module = "taut._taut")]
pub(crate) struct Markers(Vec<Motion>);

impl Markers {
    pub fn of(at: &ElementInput) -> Markers {
        Markers((0..at.len()).map(|k| at[k]).collect())
    }

    pub fn from_motions(motions: &[Motion]) -> Markers {
        Markers(motions.to_vec())
    }

    fn vectors<'py>(&self, py: Python<'py>, of: impl Fn(&Motion) -> [f64; 3]) -> PyResult<Bound<'py, PyAny>> {
        if let [one] = &self.0[..] {
            return Ok(PyArray1::from_slice(py, &of(one)).into_any());
        }
        let rows: Vec<f64> = self.0.iter().flat_map(of).collect();
        Ok(rows.into_pyarray(py).reshape([self.0.len(), 3])?.into_any())
    }
}

#[pymethods]
impl Markers {
    /// Positions, m.
    #[getter]
    fn p<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.vectors(py, |m| m.p.into())
    }

    /// Velocities, m/s.
    #[getter]
    fn v<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.vectors(py, |m| m.v.into())
    }

    /// Angular velocities, rad/s.
    #[getter]
    fn w<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.vectors(py, |m| m.w.into())
    }

    /// Orientations: the columns are the axes of the marker.
    #[getter]
    fn R<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rows: Vec<f64> = self.0.iter().flat_map(|m| m.R.transpose().iter().copied().collect::<Vec<_>>()).collect();
        let array = rows.into_pyarray(py);
        match self.0.len() {
            1 => Ok(array.reshape([3, 3])?.into_any()),
            n => Ok(array.reshape([n, 3, 3])?.into_any()),
        }
    }

    /// The value of a marker that is a coordinate.
    #[getter]
    fn s(&self) -> f64 {
        self.0.first().map_or(f64::NAN, |m| m.p.x)
    }

    /// The rate of a marker that is a coordinate.
    #[getter]
    fn rate(&self) -> f64 {
        self.0.first().map_or(f64::NAN, |m| m.v.x)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __repr__(&self) -> String {
        format!("Markers({} motions)", self.0.len())
    }
}

/// An event of the user: name, function of (t, y), direction (−1, 0, 1), number of zeros after which the run stops (0: never).
#[derive(FromPyObject)]
pub(crate) struct UserEvent(String, Py<PyAny>, f64, u64);

impl UserEvent {
    pub fn into_event(self) -> Box<dyn Event> {
        let UserEvent(name, function, direction, terminal) = self;
        let label = name.clone();
        let value = move |seen: &taut::analyses::EventInput| {
            let mut out = [0.0];
            call(&label, seen.t, &[1], &mut out, |py| {
                let y: Vec<f64> = seen.q.iter().chain(seen.v).chain(seen.z).copied().collect();
                function.bind(py).call1((seen.t, y.into_pyarray(py)))
            });
            out[0]
        };
        let event = EventFunction::new(&name, value);
        let event = match direction {
            d if d > 0.0 => event.rising(),
            d if d < 0.0 => event.falling(),
            _ => event,
        };
        if terminal == 0 {
            return Box::new(event);
        }
        let mut left = terminal;
        Box::new(event.then(move |_, _| {
            left = left.saturating_sub(1);
            if left == 0 { RunAction::Stop } else { RunAction::Continue }
        }))
    }
}
