//! Interval arithmetic: every operation encloses the exact result and the rounded one.
//!
//! On the supported platforms the error of the elementary functions of the standard library is below one unit in the last place;
//! their enclosures are widened by [`FUNCTION_ERROR_ULPS`] units.

use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Units in the last place by which the results of elementary functions are widened.
const FUNCTION_ERROR_ULPS: u32 = 3;

/// All numbers from `lo` to `hi`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Interval {
    pub lo: f64,
    pub hi: f64,
}

impl Interval {
    pub const ENTIRE: Interval = Interval { lo: f64::NEG_INFINITY, hi: f64::INFINITY };
    pub const ZERO: Interval = Interval::point(0.0);

    pub const fn point(x: f64) -> Interval {
        Interval { lo: x, hi: x }
    }

    /// From `lo` to `hi`; the entire line if one of them is NaN or they are not ordered.
    pub fn new(lo: f64, hi: f64) -> Interval {
        if lo <= hi { Interval { lo, hi } } else { Interval::ENTIRE }
    }

    pub fn width(self) -> f64 {
        self.hi - self.lo
    }

    pub fn is_point(self) -> bool {
        self.lo == self.hi
    }

    pub fn contains(self, x: f64) -> bool {
        self.lo <= x && x <= self.hi
    }

    /// The greatest absolute value.
    pub fn magnitude(self) -> f64 {
        self.lo.abs().max(self.hi.abs())
    }

    /// The smallest interval that contains both.
    pub fn hull(self, other: Interval) -> Interval {
        Interval { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// The intersection; `self` if it is empty.
    pub fn intersection(self, other: Interval) -> Interval {
        let (lo, hi) = (self.lo.max(other.lo), self.hi.min(other.hi));
        if lo <= hi { Interval { lo, hi } } else { self }
    }

    /// The non-negative part; zero if there is none.
    pub fn positive_part(self) -> Interval {
        Interval { lo: self.lo.max(0.0), hi: self.hi.max(0.0) }
    }

    /// Enclosure of an increasing function, widened.
    fn increasing(self, f: impl Fn(f64) -> f64) -> Interval {
        Interval::new(widen_down(f(self.lo)), widen_up(f(self.hi)))
    }

    pub fn sin(self) -> Interval {
        // The maxima are at π/2 + 2πk, the minima half a period later.
        self.sinusoid(f64::sin, FRAC_PI_2)
    }

    pub fn cos(self) -> Interval {
        self.sinusoid(f64::cos, 0.0)
    }

    /// A sinusoidal function with a maximum at `crest`.
    fn sinusoid(self, f: impl Fn(f64) -> f64, crest: f64) -> Interval {
        if self.is_point() {
            let y = f(self.lo);
            return Interval::new(widen_down(y).max(-1.0), widen_up(y).min(1.0));
        }
        if !(self.width() < TAU) {
            return Interval { lo: -1.0, hi: 1.0 };
        }
        let (a, b) = (f(self.lo), f(self.hi));
        // Allow for round-off in the location of a maximum.
        let slack = 4.0 * f64::EPSILON * (1.0 + self.magnitude());
        let has = |place: f64| {
            let turn = ((self.lo - slack - place) / TAU).ceil();
            (turn * TAU + place) <= self.hi + slack
        };
        let hi = if has(crest) { 1.0 } else { widen_up(a.max(b)).min(1.0) };
        let lo = if has(crest + PI) { -1.0 } else { widen_down(a.min(b)).max(-1.0) };
        Interval::new(lo, hi)
    }

    pub fn tan(self) -> Interval {
        let cosine = self.cos();
        if cosine.contains(0.0) || self.width() > PI { Interval::ENTIRE } else { self.increasing(f64::tan) }
    }

    pub fn asin(self) -> Interval {
        self.clamped_to_unit().increasing(f64::asin)
    }

    pub fn acos(self) -> Interval {
        let x = self.clamped_to_unit();
        Interval::new(widen_down(x.hi.acos()), widen_up(x.lo.acos()))
    }

    fn clamped_to_unit(self) -> Interval {
        Interval { lo: self.lo.clamp(-1.0, 1.0), hi: self.hi.clamp(-1.0, 1.0) }
    }

    pub fn atan(self) -> Interval {
        self.increasing(f64::atan)
    }

    /// Angle of the points (x, self).
    pub fn atan2(self, x: Interval) -> Interval {
        if x.lo <= 0.0 && self.contains(0.0) {
            return Interval { lo: widen_down(-PI), hi: widen_up(PI) };
        }
        let corners = [(self.lo, x.lo), (self.lo, x.hi), (self.hi, x.lo), (self.hi, x.hi)].map(|(y, x)| y.atan2(x));
        let (lo, hi) = corners.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), c| (l.min(*c), h.max(*c)));
        Interval::new(widen_down(lo), widen_up(hi))
    }

    pub fn sinh(self) -> Interval {
        self.increasing(f64::sinh)
    }

    pub fn cosh(self) -> Interval {
        let size = self.abs();
        Interval::new(widen_down(size.lo.cosh()).max(1.0), widen_up(size.hi.cosh()))
    }

    pub fn tanh(self) -> Interval {
        let Interval { lo, hi } = self.increasing(f64::tanh);
        Interval { lo: lo.max(-1.0), hi: hi.min(1.0) }
    }

    pub fn exp(self) -> Interval {
        let Interval { lo, hi } = self.increasing(f64::exp);
        Interval { lo: lo.max(0.0), hi }
    }

    pub fn ln(self) -> Interval {
        self.positive_part().increasing(f64::ln)
    }

    pub fn log10(self) -> Interval {
        self.positive_part().increasing(f64::log10)
    }

    pub fn sqrt(self) -> Interval {
        let x = self.positive_part();
        Interval { lo: x.lo.sqrt().next_down().max(0.0), hi: x.hi.sqrt().next_up() }
    }

    pub fn abs(self) -> Interval {
        if self.lo >= 0.0 {
            self
        } else if self.hi <= 0.0 {
            -self
        } else {
            Interval { lo: 0.0, hi: self.magnitude() }
        }
    }

    pub fn powi(self, n: i32) -> Interval {
        if n < 0 {
            return Interval::point(1.0) / self.powi(n.saturating_neg());
        }
        match n {
            0 => Interval::point(1.0),
            1 => self,
            _ if n % 2 == 0 => {
                let size = self.abs();
                let lo = if size.lo == 0.0 { 0.0 } else { widen(size.lo.powi(n), n, f64::next_down).max(0.0) };
                Interval::new(lo, widen(size.hi.powi(n), n, f64::next_up))
            }
            _ => Interval::new(widen(self.lo.powi(n), n, f64::next_down), widen(self.hi.powi(n), n, f64::next_up)),
        }
    }

    /// Power with any exponent; negative bases without a real value are excluded.
    pub fn pow(self, exponent: Interval) -> Interval {
        if exponent.is_point() && exponent.lo.fract() == 0.0 && exponent.lo.abs() < f64::from(i32::MAX) {
            return self.powi(exponent.lo as i32);
        }
        let base = self.positive_part();
        if base.lo == 0.0 && exponent.lo <= 0.0 {
            return Interval { lo: 0.0, hi: f64::INFINITY };
        }
        let (b, e) = (base, exponent);
        let corners = [(b.lo, e.lo), (b.lo, e.hi), (b.hi, e.lo), (b.hi, e.hi)].map(|(b, e)| b.powf(e));
        let (lo, hi) = corners.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), c| (l.min(*c), h.max(*c)));
        Interval::new(widen_down(lo).max(0.0), widen_up(hi))
    }

    pub fn floor(self) -> Interval {
        Interval::new(self.lo.floor(), self.hi.floor())
    }

    pub fn min(self, other: Interval) -> Interval {
        Interval { lo: self.lo.min(other.lo), hi: self.hi.min(other.hi) }
    }

    pub fn max(self, other: Interval) -> Interval {
        Interval { lo: self.lo.max(other.lo), hi: self.hi.max(other.hi) }
    }
}

impl Neg for Interval {
    type Output = Interval;
    fn neg(self) -> Interval {
        Interval { lo: -self.hi, hi: -self.lo }
    }
}

impl Add for Interval {
    type Output = Interval;
    fn add(self, b: Interval) -> Interval {
        let (lo, hi) = (rounded_sum(self.lo, b.lo), rounded_sum(self.hi, b.hi));
        Interval::new(lo.0, hi.1)
    }
}

impl Sub for Interval {
    type Output = Interval;
    fn sub(self, b: Interval) -> Interval {
        self + -b
    }
}

impl Mul for Interval {
    type Output = Interval;
    fn mul(self, b: Interval) -> Interval {
        let pairs = [(self.lo, b.lo), (self.lo, b.hi), (self.hi, b.lo), (self.hi, b.hi)];
        let (mut lo, mut hi) = (f64::INFINITY, f64::NEG_INFINITY);
        for (x, y) in pairs {
            // Products by zero and by one are exact; zero times infinity is zero.
            let product = if x == 0.0 || y == 0.0 { 0.0 } else { x * y };
            let exact = product == 0.0 && (x == 0.0 || y == 0.0) || x.abs() == 1.0 || y.abs() == 1.0;
            let (low, high) = if exact { (product, product) } else { (product.next_down(), product.next_up()) };
            if product.is_nan() {
                return Interval::ENTIRE;
            }
            (lo, hi) = (lo.min(low), hi.max(high));
        }
        Interval { lo, hi }
    }
}

impl Div for Interval {
    type Output = Interval;
    fn div(self, b: Interval) -> Interval {
        if b.contains(0.0) || b.lo.is_nan() {
            return if self == Interval::ZERO { Interval::ZERO } else { Interval::ENTIRE };
        }
        let pairs = [(self.lo, b.lo), (self.lo, b.hi), (self.hi, b.lo), (self.hi, b.hi)];
        let (mut lo, mut hi) = (f64::INFINITY, f64::NEG_INFINITY);
        for (x, y) in pairs {
            let quotient = x / y;
            if quotient.is_nan() {
                return Interval::ENTIRE;
            }
            let exact = x == 0.0 || y.abs() == 1.0;
            let (low, high) = if exact { (quotient, quotient) } else { (quotient.next_down(), quotient.next_up()) };
            (lo, hi) = (lo.min(low), hi.max(high));
        }
        Interval { lo, hi }
    }
}

/// A sum, rounded down and rounded up; both are equal if the sum is exact (checked with Knuth's two-sum).
fn rounded_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let part = s - a;
    let error = (a - (s - part)) + (b - part);
    if error == 0.0 {
        (s, s)
    } else if error > 0.0 {
        (s, s.next_up())
    } else if error < 0.0 {
        (s.next_down(), s)
    } else {
        // Infinite operands, or an overflow.
        (s.next_down(), s.next_up())
    }
}

fn widen_down(x: f64) -> f64 {
    (0..FUNCTION_ERROR_ULPS).fold(x, |x, _| x.next_down())
}

fn widen_up(x: f64) -> f64 {
    (0..FUNCTION_ERROR_ULPS).fold(x, |x, _| x.next_up())
}

/// The error of a power by multiplication is at most one unit in the last place per factor.
fn widen(x: f64, factors: i32, step: fn(f64) -> f64) -> f64 {
    (0..factors.clamp(1, 64)).fold(x, |x, _| step(x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn interval() -> impl Strategy<Value = Interval> {
        (-20.0..20.0_f64, 0.0..4.0_f64).prop_map(|(lo, width)| Interval { lo, hi: lo + width })
    }

    /// A point within an interval.
    fn within(x: Interval, fraction: f64) -> f64 {
        (x.lo + fraction * x.width()).clamp(x.lo, x.hi)
    }

    proptest! {
        #[test]
        fn results_enclose_those_of_every_point(a in interval(), b in interval(), s in 0.0..1.0_f64, r in 0.0..1.0_f64) {
            let (x, y) = (within(a, s), within(b, r));
            let cases = [
                (a + b, x + y), (a - b, x - y), (a * b, x * y), (a / b, x / y), (-a, -x),
                (a.sin(), x.sin()), (a.cos(), x.cos()), (a.tan(), x.tan()), (a.atan(), x.atan()),
                (a.sinh(), x.sinh()), (a.cosh(), x.cosh()), (a.tanh(), x.tanh()), (a.exp(), x.exp()),
                (a.abs(), x.abs()), (a.powi(2), x.powi(2)), (a.powi(3), x.powi(3)), (a.powi(-3), x.powi(-3)),
                (a.floor(), x.floor()), (a.min(b), x.min(y)), (a.max(b), x.max(y)), (a.atan2(b), x.atan2(y)),
                (a.asin(), x.asin()), (a.acos(), x.acos()), (a.ln(), x.ln()), (a.log10(), x.log10()),
                (a.sqrt(), x.sqrt()), (a.pow(b), x.powf(y)), (a.pow(Interval::point(2.5)), x.powf(2.5)),
            ];
            for (k, (all, one)) in cases.into_iter().enumerate() {
                prop_assert!(one.is_nan() || all.contains(one), "case {k}: {one} not in {all:?}");
            }
        }
    }

    #[test]
    fn waves_know_their_crests() {
        let wide = Interval { lo: 1.0, hi: 2.0 };
        assert_eq!(wide.sin().hi, 1.0);
        assert!(wide.sin().lo > 0.8 && wide.cos().lo < -0.4 && wide.cos().hi < 0.55);
        assert_eq!(Interval { lo: 4.0, hi: 5.0 }.sin().lo, -1.0);
        assert_eq!(Interval { lo: -0.5, hi: 7.0 }.cos(), Interval { lo: -1.0, hi: 1.0 });
    }

    #[test]
    fn exact_results_stay_exact() {
        let t = Interval { lo: 0.5, hi: 1.0 };
        assert_eq!(t - Interval::point(1.0), Interval { lo: -0.5, hi: 0.0 });
        assert_eq!(Interval::ZERO * Interval::ENTIRE, Interval::ZERO);
        assert_eq!((t - Interval::point(1.0)).powi(2).lo, 0.0);
    }
}
