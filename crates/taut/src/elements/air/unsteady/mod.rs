//! Unsteady sections: which angle of attack the polar receives, and loads of the pitch rate.
//!
//! All models use the velocity at the three-quarter-chord point, where thin-airfoil theory fulfils its boundary condition
//! \[Theodorsen1935\]. The inertia of the surrounding air (added mass) is not part of a wing; see the page on rotors.

mod stall;
mod wagner;

use super::polar::{Polar, SectionCoefficients};
use super::section::SectionFlow;
use crate::scalar::Scalar;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// The largest number of states of a station.
pub(crate) const MAX_LAGS: usize = wagner::STATES;

/// How a section responds to a change of its motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unsteady {
    /// Instantly, with the velocity of the quarter-chord point.
    #[default]
    None,
    /// Instantly, with the velocity of the three-quarter-chord point and the force of the pitch rate.
    QuasiSteady,
    /// As quasi-steady, with Wagner's lag of the circulation: two states per station.
    Wagner,
    /// As quasi-steady, with the lift of a separation that lags behind: one state per station \[Oye1991\].
    Stall,
}

/// The motion of a section for an unsteady model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SectionMotion<S> {
    /// Flow at the quarter-chord point.
    pub flow: SectionFlow<S>,
    /// θ.
    pub pitch: S,
    /// Angular velocity about the span, nose up.
    pub pitch_rate: S,
    pub chord: f64,
    pub density: f64,
}

/// What an unsteady model returns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Response<S> {
    /// The angle for the polar.
    pub alpha: S,
    /// Additional loads per length: forward, normal, moment about the quarter chord.
    pub forward: S,
    pub normal: S,
    pub moment: S,
}

impl Unsteady {
    /// Number of states per station.
    pub(crate) fn state_count(self) -> usize {
        match self {
            Unsteady::None | Unsteady::QuasiSteady => 0,
            Unsteady::Wagner => wagner::STATES,
            Unsteady::Stall => stall::STATES,
        }
    }

    /// The angle of attack and additional loads.
    #[inline]
    pub(crate) fn response<S: Scalar>(self, motion: &SectionMotion<S>, z: &[S]) -> Response<S> {
        let zero = S::from(0.0);
        let alpha = match self {
            Unsteady::None => {
                let alpha = motion.flow.angle_of_attack(motion.pitch);
                return Response { alpha, forward: zero, normal: zero, moment: zero };
            }
            Unsteady::QuasiSteady | Unsteady::Stall => motion.angle(motion.downwash()),
            // Before the states are known the motion counts as steady.
            Unsteady::Wagner if z.is_empty() => motion.angle(motion.downwash()),
            Unsteady::Wagner => motion.angle(wagner::effective_downwash(motion, z)),
        };
        // πρb²u times the pitch rate, normal to the chord at the three-quarter-chord point [Theodorsen1935].
        let b = 0.5 * motion.chord;
        let force = motion.along_chord() * (motion.pitch_rate * (PI * motion.density * b * b));
        let (sin, cos) = (motion.pitch.sin(), motion.pitch.cos());
        Response { alpha, forward: -(force * sin), normal: force * cos, moment: -(force * b) }
    }

    /// Rates of the states of a station.
    pub(crate) fn state_rates<S: Scalar>(self, motion: &SectionMotion<S>, at: &PolarPoint<S>, z: &[S], zdot: &mut [S]) {
        match self {
            Unsteady::None | Unsteady::QuasiSteady => {}
            Unsteady::Wagner => wagner::state_rates(motion, z, zdot),
            Unsteady::Stall => zdot[0] = stall::state_rates(motion, at.polar, at.alpha, at.mach, z[0]),
        }
    }

    /// The coefficients of a section.
    #[inline]
    pub(crate) fn coefficients<S: Scalar>(self, at: &PolarPoint<S>, z: &[S]) -> SectionCoefficients<S> {
        match self {
            Unsteady::Stall => stall::coefficients(at.polar, at.alpha, at.mach, z),
            _ => at.polar.coefficients(at.alpha, at.mach),
        }
    }

    /// The states of a motion that has lasted for a long time.
    pub(crate) fn steady_states(self, motion: &SectionMotion<f64>, polar: &Polar, speed_of_sound: f64, z: &mut [f64]) {
        match self {
            Unsteady::None | Unsteady::QuasiSteady => {}
            Unsteady::Wagner => wagner::steady_states(motion, z),
            Unsteady::Stall => {
                let (alpha, mach) = (motion.angle(motion.downwash()), motion.flow.speed() / speed_of_sound);
                z[0] = stall::steady_state(polar, alpha, mach);
            }
        }
    }
}

/// A point of a polar.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PolarPoint<'a, S> {
    pub polar: &'a Polar,
    pub alpha: S,
    pub mach: S,
}

impl<S: Scalar> SectionMotion<S> {
    /// Velocity along the chord.
    fn along_chord(&self) -> S {
        self.flow.tangential * self.pitch.cos() + self.flow.normal * self.pitch.sin()
    }

    /// w: velocity of the air normal to the chord at the three-quarter-chord point, positive for a positive angle of attack.
    fn downwash(&self) -> S {
        self.flow.tangential * self.pitch.sin() - self.flow.normal * self.pitch.cos()
            + self.pitch_rate * (0.5 * self.chord)
    }

    fn angle(&self, downwash: S) -> S {
        let along = self.along_chord();
        if along.value() == 0.0 && downwash.value() == 0.0 { S::from(0.0) } else { downwash.atan2(along) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_pitch_rate_the_quasi_steady_angle_is_the_geometric_one() {
        let flow = SectionFlow { tangential: 30.0, normal: -4.0 };
        let motion = SectionMotion { flow, pitch: 0.2, pitch_rate: 0.0, chord: 0.4, density: 1.2 };
        let quasi = Unsteady::QuasiSteady.response(&motion, &[]);
        assert!((quasi.alpha - flow.angle_of_attack(0.2)).abs() < 1e-15 && quasi.normal == 0.0);
        // b q/U more with a pitch rate q.
        let turning = SectionMotion {
            flow: SectionFlow { tangential: 30.0, normal: 0.0 },
            pitch: 0.0,
            pitch_rate: 3.0,
            ..motion
        };
        let found = Unsteady::QuasiSteady.response(&turning, &[]);
        assert!((found.alpha - (0.2 * 3.0_f64 / 30.0).atan()).abs() < 1e-15);
        assert!((found.normal - PI * 1.2 * 0.04 * 30.0 * 3.0).abs() < 1e-12);
        assert!((found.moment + 0.2 * found.normal).abs() < 1e-12);
    }
}
