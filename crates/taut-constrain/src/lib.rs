//! Constraints for ODE code that you already have.
//!
//! ```text
//!  M v̇ = f + Aᵀ λ        A v̇ = b             accelerations and multipliers
//!  δv = W⁻¹ Aᵀ μ         A δv = −φ̇           velocities back onto the constraints
//!  δq = W⁻¹ Aᵀ ν         φ(q + δq) = 0       positions, by Newton's method
//! ```
//!
//! The method of \[Masarati2010\] turns an ordinary differential equation with constraints into an ordinary differential
//! equation: no multipliers among the unknowns, no special integrator. There are two ways in.
//!
//! | you have | use |
//! |---|---|
//! | matrices M, A and vectors f, b | [`ConstraintSolver`], or a published method of [`formulations`] |
//! | a function `ydot = f(t, y)` | [`ConstrainedOde`] |
//! | a residual g(t, y, ẏ) = 0 | [`ConstrainedResidual`] |
//!
//! Constraints are formulas over [`scalar::Scalar`] with exact derivatives ([`Differentiated`]), plain functions
//! ([`NumericalConstraints`]), or your own [`ConstraintFunctions`]. M is dense, diagonal, in blocks, sparse, not symmetric,
//! singular where the constraints determine the motion, or a function that solves with it ([`Mass`]). Rows may be redundant
//! or contradictory. There are no limits on sizes, and after set-up nothing is allocated.
//!
//! Libraries for C, C++ and Fortran call this crate through `taut-c`. Symbols are those of Taut's page on notation; the
//! reaction is +Aᵀλ, where the papers write −Aᵀλ.
#![allow(non_snake_case)] // identifiers use the symbols of the theory

mod envelope;
mod error;
pub mod formulations;
mod functions;
mod implicit;
mod kernel_solve;
mod kernels;
mod levels;
mod metric;
mod numerical;
mod ode;
mod ode_options;
mod pseudo_solve;
mod quality;
pub mod scalar;
mod solver;
mod sparse_rows;
pub mod stencils;

pub use error::ConstrainError;
pub use functions::{ConstraintFormulas, ConstraintFunctions, Differentiated};
pub use implicit::{ConstrainedResidual, ImplicitForm, ResidualRows};
pub use kernel_solve::ReactionRows;
pub use levels::{RowLevel, Symmetry};
pub use metric::{Mass, MassSolve, Metric};
pub use nalgebra;
pub use numerical::{ComplexFunction, NumericalConstraints, PositionFunction, StateFunction};
pub use ode::{ConstrainedOde, MassFunction};
pub use ode_options::{Inconsistent, OdeOptions, Projection, StageCorrection, StateMap};
pub use pseudo_solve::RowWeighting;
pub use quality::{Quality, SolverOptions};
pub use solver::ConstraintSolver;
pub use sparse_rows::SparseRows;

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
