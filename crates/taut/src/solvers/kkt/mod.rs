//! The block KKT matrix [W Aᵀ; A −E] and its LDLᵀ factor: a sparse and rank-safe constraint-force algorithm.
//!
//! With E > 0 the matrix is quasi-definite, so the factorisation exists for **any** elimination order. The graph of
//! bodies and constraints is ordered once ([`elimination_order`]); trees are eliminated from the leaves to the root without fill,
//! which is the articulated-inertia recursion. [`SymbolicFactor`] is shared by all threads, [`KktFactor`] holds the numbers.

mod block_elimination;
mod hinge;
mod kernels;
mod numeric;
mod projector;
mod row_weighting;

pub use crate::model::elimination::{EliminationGraph, SymbolicFactor, elimination_order};
pub use numeric::{KktFactor, Pivots, Regularisation};
pub use projector::{Projector, RankPolicy, RowRank};
