//! Mathematics without mechanics: automatic differentiation, expressions, signals, breaks, complementarity problems.

pub mod breaks;
pub mod complementarity;
pub(crate) mod cone_programme;
pub mod expressions;
pub(crate) mod linear_programme;
pub(crate) mod magnitude;
pub mod scalar;
pub(crate) mod scratch;
pub mod signals;
pub(crate) mod stencils;
pub(crate) mod union_find;
