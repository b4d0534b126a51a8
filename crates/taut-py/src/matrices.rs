//! Matrices: the equations of a model, and constraints on the user's own matrices.

use crate::errors::analysis_error;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use taut::Model;
use taut::dynamics::{Dynamics, SolverSettings};
use taut::nalgebra::{DMatrix, DVector};
use taut_constrain::formulations::{DenseEquations, FormulationParameters, Published};
use taut_constrain::{ConstraintSolver, Mass, Metric, SolverOptions, SparseRows};

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(accelerations, m)?)?;
    m.add_function(wrap_pyfunction!(correction, m)?)?;
    m.add_function(wrap_pyfunction!(published, m)?)?;
    m.add("PUBLISHED", Published::ALL.iter().map(|p| p.name()).collect::<Vec<_>>())?;
    Ok(())
}

/// A vector for Python.
type Vector<'py> = Bound<'py, PyArray1<f64>>;

fn dense(a: &PyReadonlyArray2<'_, f64>) -> DMatrix<f64> {
    let view = a.as_array();
    DMatrix::from_fn(view.nrows(), view.ncols(), |i, j| view[[i, j]])
}

fn vector(a: &PyReadonlyArray1<'_, f64>) -> Vec<f64> {
    a.as_array().to_vec()
}

fn matrix<'py>(py: Python<'py>, m: &DMatrix<f64>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    m.transpose().as_slice().to_vec().into_pyarray(py).reshape([m.nrows(), m.ncols()])
}

/// M, A, f, b, φ, φ̇, v̇ and λ of a model at a state.
pub(crate) fn equations<'py>(py: Python<'py>, model: &Model, state: &taut::State) -> PyResult<Bound<'py, PyDict>> {
    let mut dynamics = Dynamics::at(model, state, &SolverSettings::default());
    let solved = dynamics.solve_accelerations(state.t, &state.q, &state.v, &state.z);
    crate::callbacks::raise_pending(py)?;
    solved.map_err(|e| analysis_error(format!("{e:?}")))?;
    let eq = &dynamics.eq;
    let found = PyDict::new(py);
    found.set_item("M", matrix(py, &eq.dense_mass())?)?;
    found.set_item("A", matrix(py, &eq.dense_jacobian())?)?;
    for (name, values) in [("f", &eq.f[..]), ("b", &eq.b[..]), ("phi", &eq.phi[..]), ("phidot", &eq.phidot[..])] {
        found.set_item(name, PyArray1::from_slice(py, values))?;
    }
    found.set_item("vdot", PyArray1::from_slice(py, &dynamics.vdot))?;
    found.set_item("lambda", PyArray1::from_slice(py, &dynamics.lambda))?;
    found.set_item("rows", (0..model.rows.len()).map(|r| model.row_name(r)).collect::<Vec<_>>())?;
    found.set_item("velocities", model.state_names().1.into_iter().map(|v| v.name).collect::<Vec<_>>())?;
    Ok(found)
}

/// v̇ and λ with M v̇ = f + Aᵀ λ, A v̇ = b, and the rank of A.
#[pyfunction]
fn accelerations<'py>(
    py: Python<'py>,
    M: PyReadonlyArray2<'py, f64>,
    f: PyReadonlyArray1<'py, f64>,
    A: PyReadonlyArray2<'py, f64>,
    b: PyReadonlyArray1<'py, f64>,
) -> PyResult<(Vector<'py>, Vector<'py>, usize)> {
    let rows = SparseRows::from_dense(&dense(&A));
    let (f, b, mass) = (vector(&f), vector(&b), dense(&M));
    let found = py.detach(|| {
        let mut M = Metric::new(Mass::Dense(mass))?;
        let mut solver = ConstraintSolver::new(&M, &rows, SolverOptions::default())?;
        solver.factor(&mut M, &rows)?;
        let (mut vdot, mut lambda) = (vec![0.0; f.len()], vec![0.0; b.len()]);
        let quality = solver.accelerations(&mut M, &rows, &f, &b, &mut vdot, &mut lambda)?;
        Ok::<_, taut_constrain::ConstrainError>((vdot, lambda, quality.rank))
    });
    let (vdot, lambda, rank) = found.map_err(analysis_error)?;
    Ok((vdot.into_pyarray(py), lambda.into_pyarray(py), rank))
}

/// The smallest δ, in the norm of W, with A δ = −r, and its multipliers.
#[pyfunction]
fn correction<'py>(
    py: Python<'py>,
    W: PyReadonlyArray2<'py, f64>,
    A: PyReadonlyArray2<'py, f64>,
    r: PyReadonlyArray1<'py, f64>,
) -> PyResult<(Vector<'py>, Vector<'py>)> {
    let rows = SparseRows::from_dense(&dense(&A));
    let (r, weight) = (vector(&r), dense(&W));
    let found = py.detach(|| {
        let mut W = Metric::new(Mass::Dense(weight))?;
        let mut solver = ConstraintSolver::new(&W, &rows, SolverOptions::default())?;
        solver.factor(&mut W, &rows)?;
        let (mut delta, mut mu) = (vec![0.0; rows.cols()], vec![0.0; r.len()]);
        solver.correction(&mut W, &rows, &r, &mut delta, &mut mu)?;
        Ok::<_, taut_constrain::ConstrainError>((delta, mu))
    });
    let (delta, mu) = found.map_err(analysis_error)?;
    Ok((delta.into_pyarray(py), mu.into_pyarray(py)))
}

/// v̇ and λ by a published method.
#[pyfunction]
fn published<'py>(
    py: Python<'py>,
    method: &str,
    M: PyReadonlyArray2<'py, f64>,
    f: PyReadonlyArray1<'py, f64>,
    A: PyReadonlyArray2<'py, f64>,
    b: PyReadonlyArray1<'py, f64>,
) -> PyResult<(Vector<'py>, Vector<'py>)> {
    let Some(method) = Published::ALL.iter().find(|p| p.name() == method) else {
        let known = Published::ALL.iter().map(|p| p.name()).collect::<Vec<_>>().join(", ");
        return Err(analysis_error(format!("there is no method `{method}`; choose from {known}")));
    };
    let (M, A) = (dense(&M), dense(&A));
    let (f, b) = (DVector::from_vec(vector(&f)), DVector::from_vec(vector(&b)));
    let fits = M.nrows() == M.ncols() && A.ncols() == M.nrows() && f.len() == M.nrows() && b.len() == A.nrows();
    let finite = M.iter().chain(A.iter()).chain(f.iter()).chain(b.iter()).all(|x| x.is_finite());
    if !fits || !finite {
        return Err(analysis_error("M must be n by n, A m by n, f of length n, b of length m, all finite"));
    }
    let found =
        py.detach(|| method.create(&FormulationParameters::default()).solve(&DenseEquations::symmetric(M, f, A, b)));
    let found = found.map_err(|e| analysis_error(format!("{method}: {e:?}")))?;
    Ok((found.vdot.as_slice().to_vec().into_pyarray(py), found.lambda.as_slice().to_vec().into_pyarray(py)))
}
