//! Operators derived from the four of arithmetic: with an `f64` on the left, assignment, and
//! comparison by value.

/// Implements the derived operators of a scalar type.  The type itself implements `Neg` and the
/// four operators with itself and with an `f64` on the right.
macro_rules! derived_operators {
    ([$($generics:tt)*] $scalar:ty, $value:ident) => {
        impl<$($generics)*> std::ops::Add<$scalar> for f64 {
            type Output = $scalar;
            fn add(self, right: $scalar) -> $scalar {
                right + self
            }
        }

        impl<$($generics)*> std::ops::Sub<$scalar> for f64 {
            type Output = $scalar;
            fn sub(self, right: $scalar) -> $scalar {
                -right + self
            }
        }

        impl<$($generics)*> std::ops::Mul<$scalar> for f64 {
            type Output = $scalar;
            fn mul(self, right: $scalar) -> $scalar {
                right * self
            }
        }

        impl<$($generics)*> std::ops::Div<$scalar> for f64 {
            type Output = $scalar;
            fn div(self, right: $scalar) -> $scalar {
                <$scalar>::from(self) / right
            }
        }

        impl<$($generics)*> std::ops::AddAssign for $scalar {
            fn add_assign(&mut self, right: Self) {
                *self = *self + right;
            }
        }

        impl<$($generics)*> std::ops::SubAssign for $scalar {
            fn sub_assign(&mut self, right: Self) {
                *self = *self - right;
            }
        }

        impl<$($generics)*> std::ops::MulAssign for $scalar {
            fn mul_assign(&mut self, right: Self) {
                *self = *self * right;
            }
        }

        impl<$($generics)*> std::ops::DivAssign for $scalar {
            fn div_assign(&mut self, right: Self) {
                *self = *self / right;
            }
        }

        impl<$($generics)*> PartialEq for $scalar {
            fn eq(&self, other: &Self) -> bool {
                self.$value == other.$value
            }
        }

        impl<$($generics)*> PartialOrd for $scalar {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                self.$value.partial_cmp(&other.$value)
            }
        }

        impl<$($generics)*> PartialEq<f64> for $scalar {
            fn eq(&self, other: &f64) -> bool {
                self.$value == *other
            }
        }

        impl<$($generics)*> PartialOrd<f64> for $scalar {
            fn partial_cmp(&self, other: &f64) -> Option<std::cmp::Ordering> {
                self.$value.partial_cmp(other)
            }
        }
    };
}

/// Implements [`Scalar`](super::Scalar) for a type with `chain(Rule)` and `chain_pair(PairRule, b)`.
macro_rules! scalar_by_chain_rule {
    ([$($generics:tt)*] $scalar:ty, $value:ident) => {
        impl<$($generics)*> $crate::scalar::Scalar for $scalar {
            fn value(self) -> f64 {
                self.$value
            }
            fn sin(self) -> Self {
                self.chain(Rule::sin(self.$value))
            }
            fn cos(self) -> Self {
                self.chain(Rule::cos(self.$value))
            }
            fn tan(self) -> Self {
                self.chain(Rule::tan(self.$value))
            }
            fn asin(self) -> Self {
                self.chain(Rule::asin(self.$value))
            }
            fn acos(self) -> Self {
                self.chain(Rule::acos(self.$value))
            }
            fn atan(self) -> Self {
                self.chain(Rule::atan(self.$value))
            }
            fn atan2(self, x: Self) -> Self {
                self.chain_pair(PairRule::atan2(self.$value, x.$value), x)
            }
            fn sinh(self) -> Self {
                self.chain(Rule::sinh(self.$value))
            }
            fn cosh(self) -> Self {
                self.chain(Rule::cosh(self.$value))
            }
            fn tanh(self) -> Self {
                self.chain(Rule::tanh(self.$value))
            }
            fn exp(self) -> Self {
                self.chain(Rule::exp(self.$value))
            }
            fn ln(self) -> Self {
                self.chain(Rule::ln(self.$value))
            }
            fn log10(self) -> Self {
                self.chain(Rule::log10(self.$value))
            }
            fn sqrt(self) -> Self {
                self.chain(Rule::sqrt(self.$value))
            }
            fn powi(self, exponent: i32) -> Self {
                self.chain(Rule::powi(self.$value, exponent))
            }
            fn powf(self, exponent: f64) -> Self {
                self.chain(Rule::powf(self.$value, exponent))
            }
            fn pow(self, exponent: Self) -> Self {
                if exponent.is_constant() {
                    self.powf(exponent.$value)
                } else {
                    self.chain_pair(PairRule::pow(self.$value, exponent.$value), exponent)
                }
            }
            fn abs(self) -> Self {
                self.chain(Rule::abs(self.$value))
            }
        }
    };
}

pub(super) use {derived_operators, scalar_by_chain_rule};
