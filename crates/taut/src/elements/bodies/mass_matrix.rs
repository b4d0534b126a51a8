//! What solvers may assume of the mass matrix of a body.

/// Symmetry of a body's mass matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// M = Mᵀ, the rule.
    Symmetric,
    /// M ≠ Mᵀ: coordinates and test space differ (\[FumagalliMasarati2009\], appendix 2).
    NonSymmetric,
}

/// Whether what a body itself brings to the equations depends on where it is and how it moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variation {
    /// M, weight and inertia forces are constant.
    None,
    /// They are not.
    ByState,
}

/// Properties of M in M v̇ = f + Bᵀ λ. All have defaults: M is symmetric and depends on the state, B = A.
pub trait MassMatrix {
    /// Whether M = Mᵀ.
    fn symmetry(&self) -> Symmetry {
        Symmetry::Symmetric
    }
    /// Whether M and f of the body alone depend on its state.
    fn variation(&self) -> Variation {
        Variation::ByState
    }
    /// Turns a row of A, which acts on v, into what one unit of its multiplier exerts on the equations of motion. The
    /// same thing, unless these are written in another space than that of v (non-symmetric M).
    fn react(&self, _q: &[f64], _row: &mut [f64]) {}
}
