//! Hyper-dual numbers: a value with mixed second derivatives.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::operators::{derived_operators, scalar_by_chain_rule};
use super::rules::{PairRule, Rule, slope_times_step};

/// A value with its first derivatives along one direction a and N directions b, and the mixed second derivatives ∂²/∂a∂bᵢ.
///
/// ```text
///  h(x):  h.a = h′ x.a        h.bᵢ = h′ x.bᵢ        h.abᵢ = h′ x.abᵢ + h″ x.a x.bᵢ
/// ```
///
/// One pass gives a row of a Hessian, N entries at a time, exactly. See [the module](super) for comparison and for points
/// without a derivative.
#[derive(Debug, Clone, Copy)]
pub struct HyperDual<const N: usize> {
    /// The value.
    pub f: f64,
    /// The derivative along a.
    pub a: f64,
    /// The derivatives along the directions b.
    pub b: [f64; N],
    /// The mixed second derivatives.
    pub ab: [f64; N],
}

impl<const N: usize> HyperDual<N> {
    /// A number that does not vary.
    pub const fn constant(f: f64) -> Self {
        HyperDual { f, a: 0.0, b: [0.0; N], ab: [0.0; N] }
    }

    fn is_constant(self) -> bool {
        let zero = |x: &[f64; N]| x.iter().all(|x| *x == 0.0);
        self.a == 0.0 && zero(&self.b) && zero(&self.ab)
    }

    fn chain(self, rule: Rule) -> Self {
        HyperDual {
            f: rule.f,
            a: slope_times_step(rule.f1, self.a),
            b: self.b.map(|b| slope_times_step(rule.f1, b)),
            ab: std::array::from_fn(|i| {
                slope_times_step(rule.f1, self.ab[i]) + slope_times_step(rule.f2, self.a * self.b[i])
            }),
        }
    }

    fn chain_pair(self, rule: PairRule, y: Self) -> Self {
        let x = self;
        HyperDual {
            f: rule.f,
            a: slope_times_step(rule.fa, x.a) + slope_times_step(rule.fb, y.a),
            b: std::array::from_fn(|i| slope_times_step(rule.fa, x.b[i]) + slope_times_step(rule.fb, y.b[i])),
            ab: std::array::from_fn(|i| {
                slope_times_step(rule.fa, x.ab[i])
                    + slope_times_step(rule.fb, y.ab[i])
                    + slope_times_step(rule.faa, x.a * x.b[i])
                    + slope_times_step(rule.fab, x.a * y.b[i] + y.a * x.b[i])
                    + slope_times_step(rule.fbb, y.a * y.b[i])
            }),
        }
    }
}

impl<const N: usize> From<f64> for HyperDual<N> {
    fn from(f: f64) -> Self {
        HyperDual::constant(f)
    }
}

impl<const N: usize> Neg for HyperDual<N> {
    type Output = Self;
    fn neg(self) -> Self {
        HyperDual { f: -self.f, a: -self.a, b: self.b.map(|x| -x), ab: self.ab.map(|x| -x) }
    }
}

impl<const N: usize> Add for HyperDual<N> {
    type Output = Self;
    fn add(self, y: Self) -> Self {
        HyperDual {
            f: self.f + y.f,
            a: self.a + y.a,
            b: std::array::from_fn(|i| self.b[i] + y.b[i]),
            ab: std::array::from_fn(|i| self.ab[i] + y.ab[i]),
        }
    }
}

impl<const N: usize> Sub for HyperDual<N> {
    type Output = Self;
    fn sub(self, y: Self) -> Self {
        self + -y
    }
}

impl<const N: usize> Mul for HyperDual<N> {
    type Output = Self;
    #[allow(clippy::suspicious_arithmetic_impl)] // the product rule has sums
    fn mul(self, y: Self) -> Self {
        let x = self;
        HyperDual {
            f: x.f * y.f,
            a: x.a * y.f + x.f * y.a,
            b: std::array::from_fn(|i| x.b[i] * y.f + x.f * y.b[i]),
            ab: std::array::from_fn(|i| x.ab[i] * y.f + x.a * y.b[i] + y.a * x.b[i] + x.f * y.ab[i]),
        }
    }
}

impl<const N: usize> Div for HyperDual<N> {
    type Output = Self;
    #[allow(clippy::suspicious_arithmetic_impl)] // the quotient rule has differences
    fn div(self, y: Self) -> Self {
        // From q y = x, differentiated along a, b and both.
        let x = self;
        let f = x.f / y.f;
        let a = (x.a - f * y.a) / y.f;
        let b: [f64; N] = std::array::from_fn(|i| (x.b[i] - f * y.b[i]) / y.f);
        let ab = std::array::from_fn(|i| (x.ab[i] - a * y.b[i] - b[i] * y.a - f * y.ab[i]) / y.f);
        HyperDual { f, a, b, ab }
    }
}

impl<const N: usize> Add<f64> for HyperDual<N> {
    type Output = Self;
    fn add(self, y: f64) -> Self {
        HyperDual { f: self.f + y, ..self }
    }
}

impl<const N: usize> Sub<f64> for HyperDual<N> {
    type Output = Self;
    fn sub(self, y: f64) -> Self {
        HyperDual { f: self.f - y, ..self }
    }
}

impl<const N: usize> Mul<f64> for HyperDual<N> {
    type Output = Self;
    fn mul(self, y: f64) -> Self {
        HyperDual { f: self.f * y, a: self.a * y, b: self.b.map(|x| x * y), ab: self.ab.map(|x| x * y) }
    }
}

impl<const N: usize> Div<f64> for HyperDual<N> {
    type Output = Self;
    fn div(self, y: f64) -> Self {
        HyperDual { f: self.f / y, a: self.a / y, b: self.b.map(|x| x / y), ab: self.ab.map(|x| x / y) }
    }
}

derived_operators!([const N: usize] HyperDual<N>, f);
scalar_by_chain_rule!([const N: usize] HyperDual<N>, f);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::scalar::{Dual, Scalar};

    /// A function in which every operator and pair rule appears.
    fn mixture<S: Scalar>([x, y, z]: [S; 3]) -> S {
        let a = (x * y - z / (y * y + 1.0)).sin() + (x - y) / (z * z + 2.0);
        let b = (x * x + 0.5).pow(z) + y.atan2(x * x + 1.0) - S::from(3.0) / (x * x + 4.0);
        (a * b - x).tanh() + (-z).exp() * 0.1 + (y * y / 2.0 + 1.0).sqrt() - x.powi(3) * z.cos()
    }

    proptest! {
        #[test]
        fn mixed_derivatives_match_differences_of_the_gradient(
            x in -2.0..2.0_f64, y in -2.0..2.0_f64, z in -2.0..2.0_f64, da in -1.0..1.0_f64,
        ) {
            let (point, direction) = ([x, y, z], [1.0, da, 0.5]);
            let seeded: [HyperDual<3>; 3] = std::array::from_fn(|i| {
                let mut b = [0.0; 3];
                b[i] = 1.0;
                HyperDual { f: point[i], a: direction[i], b, ab: [0.0; 3] }
            });
            let exact = mixture(seeded);
            let gradient = |h: f64| mixture(Dual::variables(std::array::from_fn(|i| point[i] + h * direction[i])));
            let here = gradient(0.0);
            prop_assert_eq!((exact.f, exact.b), (here.re, here.eps));
            let along: f64 = (0..3).map(|i| here.eps[i] * direction[i]).sum();
            prop_assert!((exact.a - along).abs() < 1e-12 * (1.0 + along.abs()));
            let h = 1e-5;
            let (ahead, behind) = (gradient(h), gradient(-h));
            for i in 0..3 {
                let slope = (ahead.eps[i] - behind.eps[i]) / (2.0 * h);
                prop_assert!((exact.ab[i] - slope).abs() < 1e-5 * (1.0 + slope.abs()), "{i}: {exact:?} {slope}");
            }
        }
    }

    #[test]
    fn a_quadratic_form_has_its_matrix() {
        // T = ½ (3 x² + 4 x y + 5 y²): row 0 of the Hessian is (3, 2).
        let x = HyperDual { f: 0.7, a: 1.0, b: [1.0, 0.0], ab: [0.0; 2] };
        let y = HyperDual { f: -0.2, a: 0.0, b: [0.0, 1.0], ab: [0.0; 2] };
        let T = 0.5 * (3.0 * x.powi(2) + 4.0 * x * y + 5.0 * y.powi(2));
        assert_eq!(T.ab, [3.0, 2.0]);
    }
}
