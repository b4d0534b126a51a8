//! Automatic differentiation: numbers that carry their derivatives.
//!
//! A function written once over [`Scalar`] yields its value with `f64`, its exact gradient with
//! [`Dual`], a row of its exact Hessian with [`HyperDual`], and its exact first and second derivatives
//! along a curve with [`Jet`].  No step size, no truncation error: each elementary function has its own
//! chain rule.
//!
//! # Where a function has no derivative
//!
//! The value always equals that of the `f64` function.  For the derivatives three rules hold:
//!
//! * An argument whose derivatives are all zero is a constant, and so is the result: its
//!   derivatives are zero, even where the function is not differentiable (`sqrt` at 0).
//! * `abs` has slope 0 at 0, the mean of its one-sided slopes.  `min` and `max` of two equal
//!   values return the first.
//! * Otherwise an infinite slope propagates: `sqrt`, and `powf` with an exponent between 0 and
//!   1, have an infinite first derivative at 0 (the second is then infinite or NaN); `powf` with
//!   an exponent between 1 and 2 has the first derivative 0 and an infinite second one.
//!
//! # Comparison
//!
//! Two scalars compare by their values only, `==` included, so that an `if` takes the same branch
//! for every scalar type.  Compare the fields if derivatives matter.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

mod dual;
mod hyper_dual;
mod jet;
mod operators;
mod rules;
mod vectors;

pub use dual::Dual;
pub use hyper_dual::HyperDual;
pub use jet::Jet;
pub use vectors::{add, cross, dot, matrix_vector, norm, scale, sub, transposed_matrix_vector};

/// A real number, possibly with derivatives attached.
pub trait Scalar:
    Copy
    + Debug
    + PartialEq
    + PartialOrd
    + PartialEq<f64>
    + PartialOrd<f64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + From<f64>
    + Send
    + Sync
    + 'static
{
    /// The number without its derivatives.
    fn value(self) -> f64;
    /// Sine.
    fn sin(self) -> Self;
    /// Cosine.
    fn cos(self) -> Self;
    /// Tangent.
    fn tan(self) -> Self;
    /// Arc sine; NaN outside -1 … 1, an infinite slope at the two ends.
    fn asin(self) -> Self;
    /// Arc cosine; NaN outside -1 … 1, an infinite slope at the two ends.
    fn acos(self) -> Self;
    /// Arc tangent.
    fn atan(self) -> Self;
    /// Angle of the point (`x`, `self`) from the x axis, in -π … π.  At the origin the
    /// derivatives are NaN unless both arguments are constants.
    fn atan2(self, x: Self) -> Self;
    /// Hyperbolic sine.
    fn sinh(self) -> Self;
    /// Hyperbolic cosine.
    fn cosh(self) -> Self;
    /// Hyperbolic tangent.
    fn tanh(self) -> Self;
    /// Exponential.
    fn exp(self) -> Self;
    /// Natural logarithm.
    fn ln(self) -> Self;
    /// Logarithm to base ten.
    fn log10(self) -> Self;
    /// Square root; the slope at 0 is infinite.
    fn sqrt(self) -> Self;
    /// Integer power; `x.powi(0)` is 1 everywhere.
    fn powi(self, exponent: i32) -> Self;
    /// Power with a constant real exponent.
    fn powf(self, exponent: f64) -> Self;
    /// Power whose exponent has derivatives of its own.
    ///
    /// With a constant exponent this is [`Scalar::powf`], so that a negative base keeps its
    /// derivatives under an integer exponent.  With a varying exponent the base must be positive
    /// (at base 0 and a positive exponent the slope in the exponent is 0, its limit).
    fn pow(self, exponent: Self) -> Self;
    /// Absolute value; the slope at 0 is 0.
    fn abs(self) -> Self;

    /// The lesser of two numbers, the first of two equal ones.  Unlike `f64::min`, a NaN on
    /// either side propagates: an error in the input must not disappear.
    fn min(self, other: Self) -> Self {
        if self <= other || self.value().is_nan() { self } else { other }
    }

    /// The greater of two numbers, the first of two equal ones.  A NaN on either side
    /// propagates.
    fn max(self, other: Self) -> Self {
        if self >= other || self.value().is_nan() { self } else { other }
    }

    /// The constant 0.
    fn zero() -> Self {
        Self::from(0.0)
    }

    /// The constant 1.
    fn one() -> Self {
        Self::from(1.0)
    }
}

impl Scalar for f64 {
    fn value(self) -> f64 {
        self
    }
    fn sin(self) -> f64 {
        f64::sin(self)
    }
    fn cos(self) -> f64 {
        f64::cos(self)
    }
    fn tan(self) -> f64 {
        f64::tan(self)
    }
    fn asin(self) -> f64 {
        f64::asin(self)
    }
    fn acos(self) -> f64 {
        f64::acos(self)
    }
    fn atan(self) -> f64 {
        f64::atan(self)
    }
    fn atan2(self, x: f64) -> f64 {
        f64::atan2(self, x)
    }
    fn sinh(self) -> f64 {
        f64::sinh(self)
    }
    fn cosh(self) -> f64 {
        f64::cosh(self)
    }
    fn tanh(self) -> f64 {
        f64::tanh(self)
    }
    fn exp(self) -> f64 {
        f64::exp(self)
    }
    fn ln(self) -> f64 {
        f64::ln(self)
    }
    fn log10(self) -> f64 {
        f64::log10(self)
    }
    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }
    fn powi(self, exponent: i32) -> f64 {
        f64::powi(self, exponent)
    }
    fn powf(self, exponent: f64) -> f64 {
        f64::powf(self, exponent)
    }
    fn pow(self, exponent: f64) -> f64 {
        f64::powf(self, exponent)
    }
    fn abs(self) -> f64 {
        f64::abs(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinetic<S: Scalar>(m: f64, v: S) -> S {
        v * v * m * 0.5
    }

    #[test]
    fn one_function_serves_every_scalar() {
        assert_eq!(kinetic(2.0, 3.0), 9.0);
        let dual = kinetic(2.0, Dual::<1>::variable(3.0, 0));
        assert_eq!((dual.re, dual.eps), (9.0, [6.0]));
        let jet = kinetic(2.0, Jet::variable(3.0));
        assert_eq!((jet.f, jet.df, jet.ddf), (9.0, 6.0, 2.0));
    }

    #[test]
    fn comparison_looks_at_the_value_alone() {
        let a = Jet::variable(0.0);
        assert!(a <= Jet::zero() && a >= 0.0 && a == 0.0 && a == Jet::zero());
        assert!(Dual::<2>::variable(1.0, 1) > 0.5);
    }

    #[test]
    fn extrema_keep_nan_and_prefer_the_first() {
        let nan = f64::NAN;
        assert!(Scalar::min(nan, 1.0).is_nan() && Scalar::min(1.0, nan).is_nan());
        assert!(Scalar::max(nan, 1.0).is_nan() && Scalar::max(1.0, nan).is_nan());
        let tie = Scalar::max(Jet::variable(1.0), Jet::one());
        assert_eq!(tie.df, 1.0);
        assert_eq!(Scalar::min(2.0, 1.0), 1.0);
        assert_eq!(Scalar::max(2.0, 3.0), 3.0);
    }
}
