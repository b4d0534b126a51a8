//! Mathematics without mechanics: numbers with derivatives, expressions, signals, breaks, complementarity.

pub mod breaks;
pub mod complementarity;
pub mod expressions;
pub mod scalar;
pub mod signals;
