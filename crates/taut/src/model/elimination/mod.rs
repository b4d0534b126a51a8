//! The elimination order of the block matrix [M Aᵀ; A −E], and the pattern of its factor.

mod order;
mod symbolic;

pub use order::{Graph, order};
pub use symbolic::Symbolic;
pub(crate) use symbolic::*;
