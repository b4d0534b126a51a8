//! Automatic differentiation and interval arithmetic.
//!
//! The numbers that carry their derivatives ([`Scalar`], [`Dual`], [`HyperDual`], [`Jet`]) are those of the crate
//! `taut-constrain`.

mod interval;

pub(crate) use interval::Interval;
pub use taut_constrain::scalar::{
    Dual, HyperDual, Jet, Scalar, add, cross, dot, matrix_vector, norm, scale, sub, transposed_matrix_vector,
};
