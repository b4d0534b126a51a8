//! Positions of the blocks of M and A: all that a formulation knows about a mechanism.

use super::elimination::SymbolicFactor;
use super::{JacobianBlock, Topology};
use crate::bodies::{Definiteness, Symmetry};
use crate::constraints::RowLevel;
use std::ops::Range;
use std::sync::Arc;

/// A block of M: one body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MassBlock {
    /// Its velocities.
    pub v: Range<usize>,
    /// Its values in M, column by column.
    pub mass: Range<usize>,
    /// Whether all motions of the body have kinetic energy.
    pub definiteness: Definiteness,
}

/// The blocks of A of one constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstraintBlocks {
    /// Its rows.
    pub rows: Range<usize>,
    /// One block per body, row by row.
    pub blocks: Vec<JacobianBlock>,
}

/// The pattern of M and A, with the elimination order.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Blocks of M.
    pub bodies: Vec<MassBlock>,
    /// Blocks of A.
    pub constraints: Vec<ConstraintBlocks>,
    /// Number of velocities.
    pub velocities: usize,
    /// Level at which each row is given.
    pub levels: Vec<RowLevel>,
    /// Whether M is symmetric.
    pub symmetry: Symmetry,
    /// Whether the rows are independent by construction.
    pub topology: Topology,
    pub(crate) symbolic: Arc<SymbolicFactor>,
}

impl Layout {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.levels.len()
    }

    /// Whether M is symmetric and positive definite, so that vᵀ M v is a norm.
    pub fn mass_is_norm(&self) -> bool {
        self.symmetry == Symmetry::Symmetric && !self.has_massless_motions()
    }

    /// Whether some motions may have no kinetic energy; constraints must determine them.
    pub fn has_massless_motions(&self) -> bool {
        self.bodies.iter().any(|b| b.definiteness == Definiteness::Semidefinite)
    }
}
