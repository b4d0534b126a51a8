//! Mathematics without mechanics: automatic differentiation, expressions, signals, breaks, complementarity problems.

pub mod breaks;
pub mod complementarity;
pub mod expressions;
pub mod scalar;
pub mod signals;
