//! The elimination order of the block matrix [M Aᵀ; A −E], and the pattern of its factor.

mod order;
mod symbolic;

pub use order::{EliminationGraph, elimination_order};
pub use symbolic::SymbolicFactor;
pub(crate) use symbolic::*;
