//! The energy balance as an additional row of the velocity projection.
//!
//! On the manifold, the smallest correction in the norm of M that changes T and keeps φ̇ = 0 lies along the motion
//! itself: v = v₀ + v₁ with A v₀ = −φ_t of least norm and A v₁ = 0, and only v₁ is scaled:
//!
//! ```text
//!  v ← v₀ + s v₁,   T₁ s² + c s = E(0) + work − V − T₀,   c = v₀ᵀ M v₁
//! ```
//!
//! c vanishes if the norm is that of M. The row is added after the projection of a step (`Dynamics::restore_energy`); in the four places of a
//! drift control this one acts like the projection.

pub(super) use super::projection::Control;

/// A larger change of the factor would hide a wrong solution, or divide by a vanishing motion.
const MAX_SCALE_CHANGE: f64 = 1e-2;

/// The factor s, from the kinetic energy `own` of v₁, the coefficient `cross` of the linear term and the required
/// energy `due`; none if s is not close to one.
pub(crate) fn energy_scale_factor(own: f64, cross: f64, due: f64) -> Option<f64> {
    // The root near one: 2 due / (c + √(c² + 4 T₁ due)) or the other form, whichever does not cancel.
    let root = (cross * cross + 4.0 * own * due).sqrt();
    let s = if cross > 0.0 { 2.0 * due / (cross + root) } else { (root - cross) / (2.0 * own) };
    ((s - 1.0).abs() <= MAX_SCALE_CHANGE).then_some(s)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_corrections_are_made_and_large_ones_are_not() {
        assert_eq!(energy_scale_factor(1.0, 0.0, 1.0), Some(1.0));
        assert!((energy_scale_factor(4.0, 0.0, 4.0 * 1.002).unwrap() - 1.002_f64.sqrt()).abs() < 1e-15);
        for cross in [-0.7, 0.9] {
            let s: f64 = 0.997;
            assert!((energy_scale_factor(2.0, cross, 2.0 * s * s + cross * s).unwrap() - s).abs() < 1e-14);
        }
        // At rest, at a wrong sign, far away.
        assert_eq!(energy_scale_factor(0.0, 0.0, 1e-9), None);
        assert_eq!(energy_scale_factor(1.0, 0.0, -1.0), None);
        assert_eq!(energy_scale_factor(1.0, 0.0, 2.0), None);
        assert_eq!(energy_scale_factor(f64::NAN, 0.0, 1.0), None);
    }
}
