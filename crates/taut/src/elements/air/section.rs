//! One section: velocities → angle of attack → loads per length.
//!
//! ```text
//!  φ = atan2(U_P, U_T)    α = θ − φ    U² = U_T² + U_P²
//!  L = ½ρcU² cl  normal to the relative wind,  D = ½ρcU² cd  along it,  M = ½ρc²U² cm  about the quarter chord
//!  F_n = ½ρcU (cl U_T − cd U_P)        F_l = −½ρcU (cl U_P + cd U_T)
//! ```
//!
//! U_T is the velocity of the section towards its leading edge and U_P along its normal, relative to the air, both at zero pitch;
//! F_l and F_n are the loads in these directions. The velocity along the span has no effect \[Johnson1980\].

use super::polar::{Polar, SectionCoefficients};
use super::unsteady::{PolarPoint, Unsteady};
use crate::scalar::Scalar;

/// Velocity of a section relative to the air, in the axes at zero pitch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SectionFlow<S> {
    /// U_T, towards the leading edge.
    pub tangential: S,
    /// U_P, along the normal.
    pub normal: S,
}

impl<S: Scalar> SectionFlow<S> {
    /// U; a section at rest in the air has speed zero and no derivative.
    #[inline(always)]
    pub fn speed(&self) -> S {
        let squared = self.tangential * self.tangential + self.normal * self.normal;
        if squared.value() > 0.0 { squared.sqrt() } else { S::from(0.0) }
    }

    /// θ − φ.
    #[inline(always)]
    pub fn angle_of_attack(&self, pitch: S) -> S {
        if self.tangential.value() == 0.0 && self.normal.value() == 0.0 {
            return pitch;
        }
        -self.normal.atan2(self.tangential) + pitch
    }
}

/// The properties of a section in its air.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AirSection<'a> {
    pub polar: &'a Polar,
    pub chord: f64,
    pub density: f64,
    pub speed_of_sound: f64,
}

/// Loads per length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SectionLoads<S> {
    /// Towards the leading edge.
    pub forward: S,
    /// Along the normal.
    pub normal: S,
    /// About the quarter-chord point, nose up.
    pub moment: S,
    pub alpha: S,
    pub mach: S,
    pub coefficients: SectionCoefficients<S>,
    /// ½ρcU².
    pub dynamic: S,
}

impl AirSection<'_> {
    /// The loads at an angle of attack, which an unsteady model with the states `z` may have delayed.
    #[inline]
    pub fn loads<S: Scalar>(&self, flow: SectionFlow<S>, alpha: S, unsteady: Unsteady, z: &[S]) -> SectionLoads<S> {
        let speed = flow.speed();
        let mach = speed / self.speed_of_sound;
        let coefficients = unsteady.coefficients(&PolarPoint { polar: self.polar, alpha, mach }, z);
        let SectionCoefficients { cl, cd, cm } = coefficients;
        let momentum = speed * (0.5 * self.density * self.chord);
        let dynamic = momentum * speed;
        SectionLoads {
            forward: -(momentum * (cl * flow.normal + cd * flow.tangential)),
            normal: momentum * (cl * flow.tangential - cd * flow.normal),
            moment: dynamic * cm * self.chord,
            alpha,
            mach,
            coefficients,
            dynamic,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::air::{PlatePolar, SinePolar};

    fn loads(polar: &Polar, flow: SectionFlow<f64>, pitch: f64) -> SectionLoads<f64> {
        let section = AirSection { polar, chord: 0.4, density: 1.2, speed_of_sound: 340.0 };
        section.loads(flow, flow.angle_of_attack(pitch), Unsteady::None, &[])
    }

    /// The sine polar leaves F_n = ½ρc a U_T (U_T sin θ − U_P cos θ) without drag, at any angle.
    #[test]
    fn the_sine_polar_gives_the_classical_equation() {
        let polar = Polar::Sine(SinePolar { slope: 5.7, drag: 0.0 });
        for (ut, up, pitch) in [(30.0, 4.0, 0.2), (-12.0, 7.0, -0.4), (0.5, -9.0, 1.0)] {
            let found = loads(&polar, SectionFlow { tangential: ut, normal: up }, pitch).normal;
            let expected = 0.5 * 1.2 * 0.4 * 5.7 * ut * (ut * pitch.sin() - up * pitch.cos());
            assert!((found - expected).abs() < 1e-11, "{found} {expected}");
        }
    }

    /// Drag takes power: the load against the relative velocity.
    #[test]
    fn drag_opposes_the_motion_and_lift_does_no_work() {
        let polar = Polar::Plate(PlatePolar { slope: 5.7, drag: 0.02 });
        let flow = SectionFlow { tangential: -20.0, normal: 6.0 };
        let found = loads(&polar, flow, 0.1);
        let power = found.forward * flow.tangential + found.normal * flow.normal;
        let speed = flow.speed();
        assert!((power + 0.5 * 1.2 * 0.4 * 0.02 * speed.powi(3)).abs() < 1e-10);
        let still = loads(&polar, SectionFlow { tangential: 0.0, normal: 0.0 }, 0.1);
        assert_eq!((still.forward, still.normal, still.moment), (0.0, 0.0, 0.0));
    }
}
