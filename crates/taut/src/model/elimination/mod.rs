//! The order in which the block matrix [M Aᵀ; A −E] is eliminated, and the pattern of its factor.

mod order;
mod symbolic;

pub use order::{Graph, order};
pub use symbolic::Symbolic;
pub(crate) use symbolic::*;
