//! What solvers may assume of the mass matrix of a body.

pub use taut_constrain::Symmetry;

/// Whether a body's own terms of the equations of motion depend on its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variation {
    /// M, weight and inertia forces are constant.
    Constant,
    /// They depend on the state.
    StateDependent,
}

/// Whether M of a body is positive definite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Definiteness {
    /// M is positive definite in every pose, and a norm if it is symmetric.
    Definite,
    /// Some motions have no kinetic energy. Constraints must determine them.
    Semidefinite,
}

/// Properties of M in M v̇ = f + Bᵀ λ. All have defaults: M is symmetric, positive definite and depends on the state, B = A.
pub trait MassMatrix {
    /// Whether M = Mᵀ.
    fn symmetry(&self) -> Symmetry {
        Symmetry::Symmetric
    }
    /// Whether all motions of the body have kinetic energy.
    fn definiteness(&self) -> Definiteness {
        Definiteness::Definite
    }
    /// Whether M and f of the body alone depend on its state.
    fn variation(&self) -> Variation {
        Variation::StateDependent
    }
    /// Turns a row of A, which acts on v, into the row of B: the generalised force of a unit multiplier. They are the same
    /// unless the equations of motion are written in another space than v (non-symmetric M).
    fn reaction_row(&self, _q: &[f64], _row: &mut [f64]) {}
}
