//! The chain rules: each elementary function with its derivatives at a point.

/// Slope times step; zero for a zero step even if the slope is infinite, instead of ∞ · 0 = NaN.  A
/// constant argument therefore stays constant.
pub(super) fn slope_times_step(slope: f64, step: f64) -> f64 {
    if step == 0.0 { 0.0 } else { slope * step }
}

/// Value, first and second derivative of an elementary function at one point.
///
/// [`Dual`] uses the first two and [`Jet`] all three; one table of rules serves both.
pub(super) struct Rule {
    pub(super) f: f64,
    pub(super) f1: f64,
    pub(super) f2: f64,
}

impl Rule {
    pub(super) fn sin(x: f64) -> Rule {
        let (s, c) = x.sin_cos();
        Rule { f: s, f1: c, f2: -s }
    }

    pub(super) fn cos(x: f64) -> Rule {
        let (s, c) = x.sin_cos();
        Rule { f: c, f1: -s, f2: -c }
    }

    pub(super) fn tan(x: f64) -> Rule {
        let f = x.tan();
        let f1 = 1.0 + f * f;
        Rule { f, f1, f2: 2.0 * f * f1 }
    }

    pub(super) fn asin(x: f64) -> Rule {
        // (1 - x)(1 + x) avoids the cancellation of 1 - x² near the ends.
        let f1 = 1.0 / ((1.0 - x) * (1.0 + x)).sqrt();
        Rule { f: x.asin(), f1, f2: x * f1 * f1 * f1 }
    }

    pub(super) fn acos(x: f64) -> Rule {
        let Rule { f1, f2, .. } = Rule::asin(x);
        Rule { f: x.acos(), f1: -f1, f2: -f2 }
    }

    pub(super) fn atan(x: f64) -> Rule {
        let f1 = 1.0 / (1.0 + x * x);
        Rule { f: x.atan(), f1, f2: -2.0 * x * f1 * f1 }
    }

    pub(super) fn sinh(x: f64) -> Rule {
        let (s, c) = (x.sinh(), x.cosh());
        Rule { f: s, f1: c, f2: s }
    }

    pub(super) fn cosh(x: f64) -> Rule {
        let (s, c) = (x.sinh(), x.cosh());
        Rule { f: c, f1: s, f2: c }
    }

    pub(super) fn tanh(x: f64) -> Rule {
        // 1/cosh² decays to 0 where 1 - tanh² would cancel.
        let f = x.tanh();
        let sech = 1.0 / x.cosh();
        let f1 = sech * sech;
        Rule { f, f1, f2: -2.0 * f * f1 }
    }

    pub(super) fn exp(x: f64) -> Rule {
        let f = x.exp();
        Rule { f, f1: f, f2: f }
    }

    pub(super) fn ln(x: f64) -> Rule {
        let f1 = 1.0 / x;
        Rule { f: x.ln(), f1, f2: -f1 * f1 }
    }

    pub(super) fn log10(x: f64) -> Rule {
        let Rule { f1, f2, .. } = Rule::ln(x);
        Rule { f: x.log10(), f1: f1 / std::f64::consts::LN_10, f2: f2 / std::f64::consts::LN_10 }
    }

    pub(super) fn sqrt(x: f64) -> Rule {
        let f = x.sqrt();
        let f1 = 0.5 / f;
        Rule { f, f1, f2: -0.5 * f1 / x }
    }

    pub(super) fn powi(x: f64, exponent: i32) -> Rule {
        let n = f64::from(exponent);
        // A zero factor cancels the pole of a negative power: x¹ has no curvature at 0.
        Rule {
            f: x.powi(exponent),
            f1: slope_times_step(x.powi(exponent.saturating_sub(1)), n),
            f2: slope_times_step(x.powi(exponent.saturating_sub(2)), n * (n - 1.0)),
        }
    }

    pub(super) fn powf(x: f64, n: f64) -> Rule {
        Rule {
            f: x.powf(n),
            f1: slope_times_step(x.powf(n - 1.0), n),
            f2: slope_times_step(x.powf(n - 2.0), n * (n - 1.0)),
        }
    }

    pub(super) fn abs(x: f64) -> Rule {
        let f1 = if x > 0.0 {
            1.0
        } else if x < 0.0 {
            -1.0
        } else {
            0.0
        };
        Rule { f: x.abs(), f1, f2: 0.0 }
    }
}

/// Value and partial derivatives to second order of a function of two arguments.
pub(super) struct PairRule {
    pub(super) f: f64,
    pub(super) fa: f64,
    pub(super) fb: f64,
    pub(super) faa: f64,
    pub(super) fab: f64,
    pub(super) fbb: f64,
}

impl PairRule {
    /// `a` is the ordinate y, `b` the abscissa x.
    pub(super) fn atan2(y: f64, x: f64) -> PairRule {
        // Scaled by the radius first, to avoid underflow and overflow.
        let r = y.hypot(x);
        let (s, c) = (y / r, x / r);
        PairRule {
            f: y.atan2(x),
            fa: c / r,
            fb: -s / r,
            faa: -2.0 * s * c / r / r,
            fab: (s * s - c * c) / r / r,
            fbb: 2.0 * s * c / r / r,
        }
    }

    /// `a` is the base x, `b` the exponent n.
    pub(super) fn pow(x: f64, n: f64) -> PairRule {
        let base = Rule::powf(x, n);
        // xⁿ ln x tends to 0 with x where n is positive.
        let (log, fb, fbb) = if x == 0.0 && n > 0.0 {
            (f64::NEG_INFINITY, 0.0, 0.0)
        } else {
            let log = x.ln();
            (log, base.f * log, base.f * log * log)
        };
        let fab = if x == 0.0 && n > 1.0 { 0.0 } else { x.powf(n - 1.0) * (1.0 + n * log) };
        PairRule { f: base.f, fa: base.f1, fb, faa: base.f2, fab, fbb }
    }
}
