//! Sparse LU factorisation and dense eigenvalues.
//!
//! A separate crate because its dependency (faer) takes long to compile; no other crate of the workspace depends on it.

#![allow(non_snake_case)] // the theory's letter is the identifier

mod eigen;
mod number;
mod panels;
mod pivots;
mod sparse;
mod symmetric_eigen;

pub use eigen::{Eigen, eigen};
pub use faer::c64;
pub use number::Number;
pub use sparse::{Singular, SparseLu};
pub use symmetric_eigen::symmetric_eigen;
