//! `taut._taut`: the engine for the Python package `taut`, which adds names, types and conveniences in `python/taut`.
//!
//! A model arrives as text of the model file format, so that the one reader of `taut-io` checks every word and gives every message.
//! Numbers leave as NumPy arrays. Long computations release the interpreter lock and look for Ctrl-C every few milliseconds.
#![allow(non_snake_case)] // the theory's letter is the identifier

mod analyses;
mod arrow;
mod callbacks;
mod compiled;
mod constrain;
mod dense;
mod element_functions;
mod errors;
mod interruptible;
mod lab;
mod linear;
mod matrices;
mod numerical_constraint;
mod owned_run;
mod periodic;
mod run;
mod run_files;
mod solution;
mod state;
mod stepping;
mod stop_flags;
mod sweep;

use pyo3::prelude::*;

/// Runs the command `taut` with these arguments and returns its exit code.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<String>) -> u8 {
    py.detach(|| taut_cli::run_command(arguments))
}

/// The engine behind the Python package `taut`.
#[pymodule(gil_used = false)]
fn _taut(m: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = m.py();
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add("FORMAT", taut_io::model::FORMAT)?;
    m.add("TautError", py.get_type::<errors::TautError>())?;
    m.add("ModelError", py.get_type::<errors::ModelError>())?;
    m.add("AnalysisError", py.get_type::<errors::AnalysisError>())?;
    m.add_class::<compiled::Compiled>()?;
    m.add_class::<state::State>()?;
    m.add_class::<solution::RawSolution>()?;
    m.add_class::<dense::DenseOutput>()?;
    m.add_class::<stepping::Stepper>()?;
    m.add_class::<callbacks::Markers>()?;
    m.add_class::<constrain::Constrained>()?;
    m.add_function(wrap_pyfunction!(main, m)?)?;
    m.add_function(wrap_pyfunction!(compiled::compile, m)?)?;
    m.add_function(wrap_pyfunction!(run::simulate, m)?)?;
    analyses::register(m)?;
    linear::register(m)?;
    periodic::register(m)?;
    m.add_function(wrap_pyfunction!(lab::lab, m)?)?;
    run_files::register(m)?;
    sweep::register(m)?;
    m.add_function(wrap_pyfunction!(arrow::arrow_stream, m)?)?;
    matrices::register(m)?;
    Ok(())
}
