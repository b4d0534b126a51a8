//! The block KKT matrix [W Aᵀ; A −E] and its LDLᵀ: the constraint-force algorithm made sparse and rank-safe.
//!
//! With E > 0 the matrix is quasi-definite, so the factorisation exists for **any** order of elimination. The graph of
//! bodies and constraints is ordered once ([`order`]); trees go from the leaves to the root, which is the recursion of
//! articulated inertias, without fill. [`Symbolic`] is shared by all threads, [`Kkt`] holds the numbers.

mod kernels;
mod numeric;
mod projector;

pub use crate::model::elimination::{Graph, Symbolic, order};
pub use numeric::{Kkt, Pivots, Regularisation};
pub use projector::{Policy, Projector, RowRank};
