//! Dynamic stall after \[Oye1991\]: the lift follows the separation of the flow, which lags behind the angle of attack.
//!
//! ```text
//!  cl = f cl_att + (1 − f) cl_sep        ḟ = (f_st − f) U/(4c)
//!  cl_att = a (α − α₀)                   lift without separation; a, α₀ from the polar at zero lift
//!  f_st = (2√(cl_st/cl_att) − 1)²        attached part of the chord, from Kirchhoff's plate: cl_st = cl_att ((1 + √f)/2)²
//!  cl_sep = (cl_st − f_st cl_att)/(1 − f_st) = cl_att (1 + 3√f_st)/(4 (1 + √f_st))
//! ```
//!
//! f is 1 for attached flow and 0 for fully separated flow; cl_st is the static lift of the polar. A steady flow has the static lift.
//! Below a quarter of the attached lift f_st = 0 and cl_sep = cl_st. Where the polar exceeds cl_att it takes its place, and f_st = 1.
//! Drag and moment are the static ones. The form with Kirchhoff's plate is that of \[HansenGaunaaMadsen2004\].

use super::SectionMotion;
use crate::air::polar::{Polar, SectionCoefficients};
use crate::scalar::{Dual, Scalar};

pub(super) const STATES: usize = 1;
/// Time constant of the separation by c/U.
const LAG: f64 = 4.0;
/// Iterations for the angle of zero lift.
const ITERATIONS: usize = 8;

/// The static separation at an angle of attack.
struct Separation<S> {
    attached: S,
    separated: S,
    /// f_st.
    attached_part: S,
}

/// Slope and angle of zero lift, near the angle zero.
fn zero_lift(polar: &Polar, mach: f64) -> [f64; 2] {
    let (mut alpha, mut slope) = (0.0, 0.0);
    for _ in 0..ITERATIONS {
        let cl = polar.coefficients(Dual::<1>::variable(alpha, 0), mach.into()).cl;
        slope = cl.eps[0];
        let step = if slope > 0.0 { cl.re / slope } else { 0.0 };
        alpha -= step;
        if step.abs() < 1e-14 {
            break;
        }
    }
    [slope, alpha]
}

fn separation<S: Scalar>(polar: &Polar, alpha: S, mach: S, lift: S) -> Separation<S> {
    let [slope, zero] = zero_lift(polar, mach.value());
    let attached = (alpha - zero) * slope;
    let [a, l] = [attached.value(), lift.value()];
    // The lift of the polar is the larger one, or there is none.
    if a == 0.0 || l / a >= 1.0 {
        return Separation { attached: lift, separated: lift * 0.5, attached_part: S::from(1.0) };
    }
    if l / a <= 0.25 {
        return Separation { attached, separated: lift, attached_part: S::from(0.0) };
    }
    let root = (lift / attached).sqrt() * 2.0 - 1.0;
    Separation { attached, separated: attached * (root * 3.0 + 1.0) / ((root + 1.0) * 4.0), attached_part: root * root }
}

/// The coefficients with the attached part f, or the static ones before the state is known.
pub(super) fn coefficients<S: Scalar>(polar: &Polar, alpha: S, mach: S, z: &[S]) -> SectionCoefficients<S> {
    let fixed = polar.coefficients(alpha, mach);
    let Some(f) = z.first() else { return fixed };
    let at = separation(polar, polar.within_range(alpha), mach, fixed.cl);
    SectionCoefficients { cl: at.attached * *f + at.separated * (-*f + 1.0), ..fixed }
}

pub(super) fn state_rates<S: Scalar>(motion: &SectionMotion<S>, polar: &Polar, alpha: S, mach: S, f: S) -> S {
    let lift = polar.coefficients(alpha, mach).cl;
    let target = separation(polar, polar.within_range(alpha), mach, lift).attached_part;
    (target - f) * motion.flow.speed() / (LAG * motion.chord)
}

pub(super) fn steady_state(polar: &Polar, alpha: f64, mach: f64) -> f64 {
    let lift = polar.coefficients(alpha, mach).cl;
    separation(polar, polar.within_range(alpha), mach, lift).attached_part
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::air::section::SectionFlow;

    /// Kirchhoff's plate with f falling from 1 at 10° to 0 at 30°, and camber: cl = a (α − α₀) ((1 + √f)/2)².
    fn polar() -> Polar {
        let (a, zero) = ("6", "(-0.05)");
        let f = "min(1, max(0, (pi/6 - alpha)/(pi/9)))";
        let text = format!(
            r#"{{"type": "formula", "cl": "{a}*(alpha - {zero})*((1 + sqrt({f}))/2)^2", "cd": "0.01", "cm": "-0.02"}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn a_steady_flow_has_the_static_lift_and_the_separation_of_the_polar() {
        let polar = polar();
        for degrees in [-5.0_f64, 4.0, 12.0, 20.0, 29.0, 35.0, 170.0] {
            let alpha = degrees.to_radians();
            let f = steady_state(&polar, alpha, 0.1);
            let found = coefficients(&polar, alpha, 0.1, &[f]);
            assert!((found.cl - polar.coefficients(alpha, 0.1).cl).abs() < 1e-13, "{degrees}");
            assert_eq!((found.cd, found.cm), (0.01, -0.02));
            if (0.0..30.0).contains(&degrees) {
                assert!((f - ((30.0 - degrees) / 20.0).min(1.0)).abs() < 1e-12, "{degrees} {f}");
            }
        }
    }

    /// At a constant angle f approaches its static value as e^(−Ut/4c), and the lift between the two limits follows f.
    #[test]
    fn separation_lags_behind_a_step() {
        let (polar, alpha) = (polar(), 20.0_f64.to_radians());
        let flow = SectionFlow { tangential: 30.0, normal: 0.0 };
        let motion = SectionMotion { flow, pitch: alpha, pitch_rate: 0.0, chord: 0.5, density: 1.2 };
        let (mut f, h, steps) = (1.0, 1e-5, 4000);
        for _ in 0..steps {
            let middle = f + 0.5 * h * state_rates(&motion, &polar, alpha, 0.1, f);
            f += h * state_rates(&motion, &polar, alpha, 0.1, middle);
        }
        let expected = 0.5 + 0.5 * (-30.0 * h * f64::from(steps) / (4.0 * 0.5)).exp();
        assert!((f - expected).abs() < 1e-8, "{f} {expected}");
        // cl_att = 6 (α + 0.05) and, at f_st = 1/2, cl_sep = cl_att (1 + 3√½)/(4 (1 + √½)).
        let attached = 6.0 * (alpha + 0.05);
        let separated = attached * (1.0 + 3.0 * 0.5_f64.sqrt()) / (4.0 * (1.0 + 0.5_f64.sqrt()));
        let found = coefficients(&polar, alpha, 0.1, &[f]).cl;
        assert!((found - (f * attached + (1.0 - f) * separated)).abs() < 1e-12);
        assert!(found > polar.coefficients(alpha, 0.1).cl);
    }
}
