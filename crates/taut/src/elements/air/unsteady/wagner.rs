//! Lag of the circulation behind a change of downwash: Wagner's function by two exponentials.
//!
//! ```text
//!  w_e = (1 − A₁ − A₂) w + Σ Aᵢ bᵢ (U/b) zᵢ        żᵢ = −bᵢ (U/b) zᵢ + w
//!  A₁ = 0.165, b₁ = 0.0455, A₂ = 0.335, b₂ = 0.3
//! ```
//!
//! The constants are those of \[Jones1940\]: 1 − A₁ e^(−b₁ s) − A₂ e^(−b₂ s) after s semi-chords of travel.

use super::SectionMotion;
use crate::scalar::Scalar;

pub(super) const STATES: usize = 2;
const A: [f64; 2] = [0.165, 0.335];
const B: [f64; 2] = [0.0455, 0.3];

/// w_e.
pub(super) fn effective_downwash<S: Scalar>(motion: &SectionMotion<S>, z: &[S]) -> S {
    let rate = motion.flow.speed() / (0.5 * motion.chord);
    let immediate = motion.downwash() * (1.0 - A[0] - A[1]);
    (0..STATES).fold(immediate, |sum, i| sum + rate * (z[i] * (A[i] * B[i])))
}

pub(super) fn state_rates<S: Scalar>(motion: &SectionMotion<S>, z: &[S], zdot: &mut [S]) {
    let rate = motion.flow.speed() / (0.5 * motion.chord);
    let w = motion.downwash();
    (0..STATES).for_each(|i| zdot[i] = w - rate * B[i] * z[i]);
}

pub(super) fn steady_states(motion: &SectionMotion<f64>, z: &mut [f64]) {
    let rate = motion.flow.speed() / (0.5 * motion.chord);
    let w = motion.downwash();
    (0..STATES).for_each(|i| z[i] = if rate > 0.0 { w / (B[i] * rate) } else { 0.0 });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::air::section::SectionFlow;

    /// After a step of w the lift follows 1 − A₁ e^(−b₁ s) − A₂ e^(−b₂ s), s = U t/b.
    #[test]
    fn a_step_follows_the_two_exponentials() {
        let flow = SectionFlow { tangential: 20.0, normal: -0.2 };
        let motion = SectionMotion { flow, pitch: 0.0, pitch_rate: 0.0, chord: 2.0, density: 1.0 };
        let (mut z, h) = ([0.0; 2], 1e-4);
        // The states are linear: the midpoint rule is accurate to h².
        for _ in 0..5000 {
            let (mut k, mut mid) = ([0.0; 2], z);
            state_rates(&motion, &z, &mut k);
            (0..2).for_each(|i| mid[i] += 0.5 * h * k[i]);
            state_rates(&motion, &mid, &mut k);
            (0..2).for_each(|i| z[i] += h * k[i]);
        }
        let s = flow.speed() * 0.5;
        let expected = 1.0 - 0.165 * (-0.0455 * s).exp() - 0.335 * (-0.3 * s).exp();
        assert!((effective_downwash(&motion, &z) / 0.2 - expected).abs() < 1e-7);
        let mut steady = [0.0; 2];
        steady_states(&motion, &mut steady);
        assert!((effective_downwash(&motion, &steady) / 0.2 - 1.0).abs() < 1e-14);
    }
}
