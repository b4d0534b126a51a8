//! What a row restricts, and what may be assumed of M.

/// The level at which a row is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum RowLevel {
    /// φ(t, q) = 0: held at position, velocity and acceleration.
    Position,
    /// ψ(t, q, v) = 0: held at velocity and acceleration.
    Velocity,
    /// Given as an acceleration only.
    Acceleration,
}

/// Symmetry of a mass matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// M = Mᵀ, as usual.
    Symmetric,
    /// M ≠ Mᵀ: coordinates and test space differ (\[FumagalliMasarati2009\], appendix 2).
    NonSymmetric,
}
