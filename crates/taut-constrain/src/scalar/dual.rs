//! Dual numbers: a value and its first derivatives in `N` directions.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::operators::{derived_operators, scalar_by_chain_rule};
use super::rules::{PairRule, Rule, slope_times_step};

/// A value `re` with its first derivatives `eps` in `N` directions.
///
/// Seed the independent variables with [`Dual::variable`]; every result then carries its exact
/// gradient.  See [the module](super) for comparison and for points without a derivative.
///
/// ```text
///  h(x):  ∂h/∂ᵢ = h′ ∂x/∂ᵢ
/// ```
///
/// # Examples
///
/// ```
/// use taut_constrain::scalar::{Dual, Scalar};
///
/// let [x, y] = Dual::variables([3.0, 4.0]);
/// let length = (x * x + y * y).sqrt();
/// assert_eq!(length.re, 5.0);
/// assert!((length.eps[0] - 0.6).abs() < 1e-15 && (length.eps[1] - 0.8).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Dual<const N: usize> {
    /// The value.
    pub re: f64,
    /// The derivative in each direction.
    pub eps: [f64; N],
}

impl<const N: usize> Dual<N> {
    /// A number that does not vary.
    pub const fn constant(re: f64) -> Self {
        Dual { re, eps: [0.0; N] }
    }

    /// The independent variable of the given direction: slope 1 there and 0 elsewhere.  There is
    /// no direction `N` or beyond; such a variable is a constant.
    pub fn variable(re: f64, direction: usize) -> Self {
        let mut eps = [0.0; N];
        if let Some(slope) = eps.get_mut(direction) {
            *slope = 1.0;
        }
        Dual { re, eps }
    }

    /// All `N` independent variables at a point.
    pub fn variables(point: [f64; N]) -> [Self; N] {
        std::array::from_fn(|i| Dual::variable(point[i], i))
    }

    fn is_constant(self) -> bool {
        self.eps.iter().all(|&e| e == 0.0)
    }

    fn chain(self, rule: Rule) -> Self {
        Dual { re: rule.f, eps: self.eps.map(|e| slope_times_step(rule.f1, e)) }
    }

    fn chain_pair(self, rule: PairRule, b: Self) -> Self {
        Dual {
            re: rule.f,
            eps: std::array::from_fn(|i| slope_times_step(rule.fa, self.eps[i]) + slope_times_step(rule.fb, b.eps[i])),
        }
    }
}

impl<const N: usize> Default for Dual<N> {
    fn default() -> Self {
        Dual::constant(0.0)
    }
}

impl<const N: usize> From<f64> for Dual<N> {
    fn from(re: f64) -> Self {
        Dual::constant(re)
    }
}

impl<const N: usize> Neg for Dual<N> {
    type Output = Self;
    fn neg(self) -> Self {
        Dual { re: -self.re, eps: self.eps.map(|e| -e) }
    }
}

impl<const N: usize> Add for Dual<N> {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        Dual { re: self.re + b.re, eps: std::array::from_fn(|i| self.eps[i] + b.eps[i]) }
    }
}

impl<const N: usize> Sub for Dual<N> {
    type Output = Self;
    fn sub(self, b: Self) -> Self {
        Dual { re: self.re - b.re, eps: std::array::from_fn(|i| self.eps[i] - b.eps[i]) }
    }
}

impl<const N: usize> Mul for Dual<N> {
    type Output = Self;
    #[allow(clippy::suspicious_arithmetic_impl)] // the product rule has a sum
    fn mul(self, b: Self) -> Self {
        Dual { re: self.re * b.re, eps: std::array::from_fn(|i| self.eps[i] * b.re + self.re * b.eps[i]) }
    }
}

impl<const N: usize> Div for Dual<N> {
    type Output = Self;
    #[allow(clippy::suspicious_arithmetic_impl)] // the quotient rule has a difference
    fn div(self, b: Self) -> Self {
        let re = self.re / b.re;
        Dual { re, eps: std::array::from_fn(|i| (self.eps[i] - re * b.eps[i]) / b.re) }
    }
}

impl<const N: usize> Add<f64> for Dual<N> {
    type Output = Self;
    fn add(self, b: f64) -> Self {
        Dual { re: self.re + b, eps: self.eps }
    }
}

impl<const N: usize> Sub<f64> for Dual<N> {
    type Output = Self;
    fn sub(self, b: f64) -> Self {
        Dual { re: self.re - b, eps: self.eps }
    }
}

impl<const N: usize> Mul<f64> for Dual<N> {
    type Output = Self;
    fn mul(self, b: f64) -> Self {
        Dual { re: self.re * b, eps: self.eps.map(|e| e * b) }
    }
}

impl<const N: usize> Div<f64> for Dual<N> {
    type Output = Self;
    fn div(self, b: f64) -> Self {
        Dual { re: self.re / b, eps: self.eps.map(|e| e / b) }
    }
}

derived_operators!([const N: usize] Dual<N>, re);
scalar_by_chain_rule!([const N: usize] Dual<N>, re);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::scalar::Scalar;

    /// A function in which every operator and pair rule appears.
    fn mixture<S: Scalar>([x, y, z]: [S; 3]) -> S {
        let a = (x * y - z / (y * y + 1.0)).sin() + (x - y) / (z * z + 2.0);
        let b = (x * x + 0.5).pow(z) + y.atan2(x * x + 1.0);
        (a * b - x).tanh() + (-z).exp() * 0.1
    }

    proptest! {
        #[test]
        fn gradient_matches_central_differences(
            x in -2.0..2.0_f64, y in -2.0..2.0_f64, z in -2.0..2.0_f64,
        ) {
            let point = [x, y, z];
            let exact = mixture(Dual::variables(point));
            prop_assert_eq!(exact.re, mixture(point));
            let h = 1e-5;
            for i in 0..3 {
                let (mut ahead, mut behind) = (point, point);
                ahead[i] += h;
                behind[i] -= h;
                let slope = (mixture(ahead) - mixture(behind)) / (2.0 * h);
                prop_assert!((exact.eps[i] - slope).abs() < 1e-6 * (1.0 + slope.abs()));
            }
        }

        #[test]
        fn product_and_quotient_are_inverse(a in 0.1..9.0_f64, b in 0.1..9.0_f64) {
            let [a, b] = Dual::variables([a, b]);
            let back = a * b / b;
            prop_assert!((back.re - a.re).abs() < 1e-14 * a.re);
            prop_assert!((back.eps[0] - 1.0).abs() < 1e-14);
            prop_assert!(back.eps[1].abs() < 1e-13 * a.re / b.re);
        }
    }

    #[test]
    fn plain_numbers_stand_on_either_side() {
        let x = Dual::<1>::variable(4.0, 0);
        let cases = [
            (1.0 + x, 5.0, 1.0),
            (1.0 - x, -3.0, -1.0),
            (3.0 * x, 12.0, 3.0),
            (8.0 / x, 2.0, -0.5),
            (x + 1.0, 5.0, 1.0),
            (x - 1.0, 3.0, 1.0),
            (x * 3.0, 12.0, 3.0),
            (x / 8.0, 0.5, 0.125),
        ];
        for (dual, re, eps) in cases {
            assert_eq!((dual.re, dual.eps[0]), (re, eps));
        }
    }

    #[test]
    fn assignments_follow_the_operators() {
        let mut x = Dual::<1>::variable(3.0, 0);
        x += Dual::constant(1.0);
        x *= x;
        x -= Dual::constant(6.0);
        x /= Dual::constant(2.0);
        assert_eq!((x.re, x.eps[0]), (5.0, 4.0));
    }

    #[test]
    fn a_constant_stays_constant_where_the_slope_is_infinite() {
        let zero = Dual::<2>::constant(0.0);
        assert_eq!(zero.sqrt().eps, [0.0; 2]);
        assert_eq!(zero.powf(0.5).eps, [0.0; 2]);
        assert_eq!(zero.atan2(zero).eps, [0.0; 2]);
        assert_eq!(Dual::<2>::variable(0.0, 1).sqrt().eps, [0.0, f64::INFINITY]);
    }

    #[test]
    fn a_direction_beyond_the_last_seeds_nothing() {
        assert_eq!(Dual::<2>::variable(1.0, 2).eps, [0.0; 2]);
    }
}
