//! Linear algebra that takes long to compile, compiled once: sparse LU and dense eigenvalues.
//!
//! A crate of its own because of the heavy dependency behind it (faer), which nothing else of the workspace sees.

#![allow(non_snake_case)] // the theory's letter is the identifier

mod eigen;
mod number;
mod panels;
mod pivots;
mod sparse;
mod symmetric;

pub use eigen::{Eigen, eigen};
pub use faer::c64;
pub use number::Number;
pub use sparse::{Singular, Sparse};
pub use symmetric::symmetric;
