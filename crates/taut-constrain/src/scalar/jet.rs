//! Second-order jets: a value with its first and second derivative along a curve.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::operators::{derived_operators, scalar_by_chain_rule};
use super::rules::{PairRule, Rule, slope_times_step};

/// A quantity with its first and second derivative along a curve, usually in time.
///
/// [`Jet::variable`] is the curve parameter itself; a position, a velocity and an acceleration
/// put together make the jet of a moving coordinate.  See [the module](super) for comparison and
/// for points without a derivative.
///
/// ```text
///  h(x):  ḣ = h′ ẋ        ḧ = h′ ẍ + h″ ẋ²
/// ```
///
/// # Examples
///
/// ```
/// use taut_constrain::scalar::Jet;
///
/// // φ = x² + y² − 1 along a motion: φ̇ = 2 (x ẋ + y ẏ), and φ̈ with the accelerations given.
/// let (x, y) = (Jet::new(0.6, 2.0, 0.0), Jet::new(0.8, -1.5, 0.0));
/// let phi = x * x + y * y - 1.0;
/// assert!(phi.f.abs() < 1e-15 && phi.df.abs() < 1e-15);
/// assert!((phi.ddf - 2.0 * (4.0 + 2.25)).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Jet {
    /// The value.
    pub f: f64,
    /// The first derivative.
    pub df: f64,
    /// The second derivative.
    pub ddf: f64,
}

impl Jet {
    /// A value with its first and second derivative.
    pub const fn new(f: f64, df: f64, ddf: f64) -> Self {
        Jet { f, df, ddf }
    }

    /// A number that does not vary.
    pub const fn constant(f: f64) -> Self {
        Jet::new(f, 0.0, 0.0)
    }

    /// The curve parameter at the given value: slope 1, no curvature.
    pub const fn variable(f: f64) -> Self {
        Jet::new(f, 1.0, 0.0)
    }

    fn is_constant(self) -> bool {
        self.df == 0.0 && self.ddf == 0.0
    }

    fn chain(self, rule: Rule) -> Self {
        Jet {
            f: rule.f,
            df: slope_times_step(rule.f1, self.df),
            ddf: slope_times_step(rule.f2, self.df * self.df) + slope_times_step(rule.f1, self.ddf),
        }
    }

    fn chain_pair(self, rule: PairRule, b: Self) -> Self {
        let a = self;
        Jet {
            f: rule.f,
            df: slope_times_step(rule.fa, a.df) + slope_times_step(rule.fb, b.df),
            ddf: slope_times_step(rule.faa, a.df * a.df)
                + slope_times_step(rule.fab, 2.0 * a.df * b.df)
                + slope_times_step(rule.fbb, b.df * b.df)
                + slope_times_step(rule.fa, a.ddf)
                + slope_times_step(rule.fb, b.ddf),
        }
    }
}

impl From<f64> for Jet {
    fn from(f: f64) -> Self {
        Jet::constant(f)
    }
}

impl Neg for Jet {
    type Output = Self;
    fn neg(self) -> Self {
        Jet::new(-self.f, -self.df, -self.ddf)
    }
}

impl Add for Jet {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        Jet::new(self.f + b.f, self.df + b.df, self.ddf + b.ddf)
    }
}

impl Sub for Jet {
    type Output = Self;
    fn sub(self, b: Self) -> Self {
        Jet::new(self.f - b.f, self.df - b.df, self.ddf - b.ddf)
    }
}

impl Mul for Jet {
    type Output = Self;
    fn mul(self, b: Self) -> Self {
        Jet {
            f: self.f * b.f,
            df: self.df * b.f + self.f * b.df,
            ddf: self.ddf * b.f + 2.0 * self.df * b.df + self.f * b.ddf,
        }
    }
}

impl Div for Jet {
    type Output = Self;
    fn div(self, b: Self) -> Self {
        // From q b = a, differentiated once and twice.
        let f = self.f / b.f;
        let df = (self.df - f * b.df) / b.f;
        let ddf = (self.ddf - 2.0 * df * b.df - f * b.ddf) / b.f;
        Jet { f, df, ddf }
    }
}

impl Add<f64> for Jet {
    type Output = Self;
    fn add(self, b: f64) -> Self {
        Jet::new(self.f + b, self.df, self.ddf)
    }
}

impl Sub<f64> for Jet {
    type Output = Self;
    fn sub(self, b: f64) -> Self {
        Jet::new(self.f - b, self.df, self.ddf)
    }
}

impl Mul<f64> for Jet {
    type Output = Self;
    fn mul(self, b: f64) -> Self {
        Jet::new(self.f * b, self.df * b, self.ddf * b)
    }
}

impl Div<f64> for Jet {
    type Output = Self;
    fn div(self, b: f64) -> Self {
        Jet::new(self.f / b, self.df / b, self.ddf / b)
    }
}

derived_operators!([] Jet, f);
scalar_by_chain_rule!([] Jet, f);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::scalar::Scalar;

    /// One elementary function, as plain number and as jet, with an interval it is smooth on.
    struct Elementary {
        name: &'static str,
        plain: fn(f64) -> f64,
        jet: fn(Jet) -> Jet,
        from: f64,
        to: f64,
    }

    macro_rules! elementary {
        ($($name:ident on $from:literal..$to:literal),* $(,)?) => {
            [$(Elementary {
                name: stringify!($name),
                plain: <f64 as Scalar>::$name,
                jet: <Jet as Scalar>::$name,
                from: $from,
                to: $to,
            }),*]
        };
    }

    const FUNCTIONS: [Elementary; 14] = elementary!(
        sin on -6.0..6.0,
        cos on -6.0..6.0,
        tan on -1.2..1.2,
        asin on -0.9..0.9,
        acos on -0.9..0.9,
        atan on -5.0..5.0,
        sinh on -3.0..3.0,
        cosh on -3.0..3.0,
        tanh on -3.0..3.0,
        exp on -3.0..3.0,
        ln on 0.1..5.0,
        log10 on 0.1..5.0,
        sqrt on 0.1..5.0,
        abs on 0.1..5.0,
    );

    /// x(τ) near τ = 0 for the curve with the given position, velocity and acceleration.
    fn curve(x: Jet, tau: f64) -> Jet {
        Jet { f: x.f + tau * (x.df + 0.5 * tau * x.ddf), df: x.df + tau * x.ddf, ddf: x.ddf }
    }

    fn close(a: f64, b: f64, tolerance: f64) -> bool {
        (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()))
    }

    /// Central differences of the value and of the first derivative along two curves.
    fn agrees(plain: impl Fn(f64, f64) -> f64, jet: impl Fn(Jet, Jet) -> Jet, a: Jet, b: Jet) -> bool {
        let h = 1e-5;
        let value = |tau: f64| plain(curve(a, tau).f, curve(b, tau).f);
        let slope = |tau: f64| jet(curve(a, tau), curve(b, tau)).df;
        let exact = jet(a, b);
        exact.f == value(0.0)
            && close(exact.df, (value(h) - value(-h)) / (2.0 * h), 1e-6)
            && close(exact.ddf, (slope(h) - slope(-h)) / (2.0 * h), 1e-5)
    }

    proptest! {
        #[test]
        fn elementary_functions_match_differences(
            position in 0.0..1.0_f64, v in -2.0..2.0_f64, a in -2.0..2.0_f64,
        ) {
            for Elementary { name, plain, jet, from, to } in FUNCTIONS {
                let x = Jet::new(from + (to - from) * position, v, a);
                prop_assert!(agrees(|x, _| plain(x), |x, _| jet(x), x, x), "{name} at {x:?}");
            }
        }

        #[test]
        fn powers_match_differences(
            x in 0.2..3.0_f64, v in -2.0..2.0_f64, n in -3.0..3.0_f64, w in -2.0..2.0_f64,
            k in -4..5_i32,
        ) {
            let (x, n) = (Jet::new(x, v, -w), Jet::new(n, w, v));
            prop_assert!(agrees(f64::powf, Jet::pow, x, n));
            prop_assert!(agrees(|x, _| x.powf(n.f), |x, _| x.powf(n.f), x, n));
            prop_assert!(agrees(|x, _| x.powi(k), |x, _| x.powi(k), x, n));
            prop_assert!(agrees(|x, _| x.powi(k), |x, _| x.powi(k), -x, n));
        }

        #[test]
        fn operators_match_differences(
            x in -3.0..3.0_f64, v in -2.0..2.0_f64, y in 0.3..3.0_f64, w in -2.0..2.0_f64,
        ) {
            let (a, b) = (Jet::new(x, v, w), Jet::new(y, w, -v));
            prop_assert!(agrees(|a, b| a * b, |a, b| a * b, a, b));
            prop_assert!(agrees(|a, b| a / b, |a, b| a / b, a, b));
            prop_assert!(agrees(|a, b| a / b, |a, b| a / b, a, -b));
            prop_assert!(agrees(|a, b| 3.0 / b - a * 2.0, |a, b| 3.0 / b - a * 2.0, a, b));
            prop_assert!(agrees(f64::atan2, Jet::atan2, a, b));
            prop_assert!(agrees(f64::atan2, Jet::atan2, b, a));
        }

        #[test]
        fn inverse_functions_cancel(x in 0.1..0.9_f64, v in -2.0..2.0_f64, a in -2.0..2.0_f64) {
            let x = Jet::new(x, v, a);
            for back in [x.asin().sin(), x.acos().cos(), x.atan().tan(), x.exp().ln(), x.sqrt() * x.sqrt()] {
                prop_assert!(close(back.f, x.f, 1e-14));
                prop_assert!(close(back.df, x.df, 1e-12));
                prop_assert!(close(back.ddf, x.ddf, 1e-11));
            }
        }
    }

    #[test]
    fn harmonic_motion_has_its_closed_form() {
        let t = Jet::variable(0.3);
        let y = (2.0 * t).sin();
        assert_eq!(y.df, 2.0 * 0.6_f64.cos());
        assert_eq!(y.ddf, -4.0 * 0.6_f64.sin());
    }

    #[test]
    fn powers_at_zero_follow_the_documented_limits() {
        let x = Jet::variable(0.0);
        let parts = |j: Jet| (j.f, j.df, j.ddf);
        assert_eq!(parts(x.powi(0)), (1.0, 0.0, 0.0));
        assert_eq!(parts(x.powi(1)), (0.0, 1.0, 0.0));
        assert_eq!(parts(x.powi(2)), (0.0, 0.0, 2.0));
        assert_eq!(parts(x.powf(0.0)), (1.0, 0.0, 0.0));
        assert_eq!(parts(x.powf(1.0)), (0.0, 1.0, 0.0));
        assert_eq!(parts(x.powf(2.0)), (0.0, 0.0, 2.0));
        assert_eq!(parts(x.powf(3.0)), (0.0, 0.0, 0.0));
        assert_eq!(parts(x.powf(1.5)), (0.0, 0.0, f64::INFINITY));
        assert_eq!(parts(x.powf(0.5)), (0.0, f64::INFINITY, f64::NEG_INFINITY));
        assert_eq!(parts(x.pow(Jet::new(3.0, 1.0, 0.0))), (0.0, 0.0, 0.0));
    }

    #[test]
    fn negative_base_keeps_its_derivatives_under_integer_powers() {
        let y = Jet::variable(-2.0).pow(Jet::constant(3.0));
        assert_eq!((y.f, y.df, y.ddf), (-8.0, 12.0, -12.0));
    }

    #[test]
    fn square_root_and_absolute_value_at_zero() {
        let root = Jet::variable(0.0).sqrt();
        assert_eq!((root.f, root.df), (0.0, f64::INFINITY));
        let rest = Jet::constant(0.0).sqrt();
        assert_eq!((rest.f, rest.df, rest.ddf), (0.0, 0.0, 0.0));
        let kink = Jet::variable(0.0).abs();
        assert_eq!((kink.f, kink.df, kink.ddf), (0.0, 0.0, 0.0));
    }

    #[test]
    fn slope_of_tanh_survives_saturation() {
        let far = Jet::variable(20.0).tanh();
        assert!(far.df > 0.0 && far.df < 1e-16);
        assert_eq!(Jet::variable(1000.0).tanh().df, 0.0);
    }
}
