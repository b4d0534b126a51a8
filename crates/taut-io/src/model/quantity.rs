//! Numbers with a dimension, so that an expression over parameters is checked like a quantity.

use super::units::Dimension;
use std::cmp::Ordering;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use taut::scalar::Scalar;

/// What is known about the dimension of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum KnownDimension {
    /// A number written in an expression: a pure factor in a product, SI in a sum.
    Literal,
    /// A parameter without a unit: any dimension.
    Open,
    /// This dimension.
    As(Dimension),
    /// Inconsistent dimensions.
    Clash(UnitClash),
}

/// Why the dimensions of an expression are inconsistent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum UnitClash {
    /// These two were added or compared.
    Unlike(Dimension, Dimension),
    /// A quantity where a plain number or an angle is needed: in a sine, an exponent.
    NotPlain(Dimension),
    /// A root of this.
    Root(Dimension),
}

impl std::fmt::Display for UnitClash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            UnitClash::Unlike(a, b) => {
                write!(
                    f,
                    "this adds or compares quantities of different dimensions: {} and {}",
                    a.to_text(),
                    b.to_text()
                )
            }
            UnitClash::NotPlain(a) => {
                write!(
                    f,
                    "a function or exponent takes a plain number or an angle, found a quantity in {}",
                    a.to_text()
                )
            }
            UnitClash::Root(a) => write!(f, "a root of a quantity in {} has no unit", a.to_text()),
        }
    }
}

/// A number and what is known about its dimension.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quantity {
    pub value: f64,
    pub known: KnownDimension,
}

impl Quantity {
    pub fn new(value: f64, dimension: Dimension) -> Quantity {
        Quantity { value, known: KnownDimension::As(dimension) }
    }

    /// A plain number given by the user.
    pub fn open(value: f64) -> Quantity {
        Quantity { value, known: KnownDimension::Open }
    }

    fn sum(self, other: Quantity, value: f64) -> Quantity {
        let known = match (self.known, other.known) {
            (KnownDimension::Clash(why), _) | (_, KnownDimension::Clash(why)) => KnownDimension::Clash(why),
            (KnownDimension::As(a), KnownDimension::As(b)) if (a.m, a.kg, a.s) != (b.m, b.kg, b.s) => {
                KnownDimension::Clash(UnitClash::Unlike(a, b))
            }
            (KnownDimension::As(a), _) | (_, KnownDimension::As(a)) => KnownDimension::As(a),
            (KnownDimension::Open, _) | (_, KnownDimension::Open) => KnownDimension::Open,
            (KnownDimension::Literal, KnownDimension::Literal) => KnownDimension::Literal,
        };
        Quantity { value, known }
    }

    fn product(self, other: Quantity, n: i8, value: f64) -> Quantity {
        let known = match (self.known, other.known) {
            (KnownDimension::Clash(why), _) | (_, KnownDimension::Clash(why)) => KnownDimension::Clash(why),
            (KnownDimension::As(a), KnownDimension::As(b)) => KnownDimension::As(a.times(b, n)),
            (KnownDimension::Literal, KnownDimension::As(b)) => KnownDimension::As(Dimension::NONE.times(b, n)),
            (KnownDimension::As(a), KnownDimension::Literal) => KnownDimension::As(a),
            (KnownDimension::Literal, KnownDimension::Literal) => KnownDimension::Literal,
            (KnownDimension::Open, _) | (_, KnownDimension::Open) => KnownDimension::Open,
        };
        Quantity { value, known }
    }

    /// The value of a function that takes plain numbers or angles only.
    fn pure(self, value: f64) -> Quantity {
        let known = match self.known {
            KnownDimension::As(a) if (a.m, a.kg, a.s) != (0, 0, 0) => KnownDimension::Clash(UnitClash::NotPlain(a)),
            KnownDimension::Clash(why) => KnownDimension::Clash(why),
            _ => KnownDimension::Literal,
        };
        Quantity { value, known }
    }

    fn kept(self, value: f64) -> Quantity {
        Quantity { value, known: self.known }
    }

    fn raised(self, n: f64, value: f64) -> Quantity {
        let known = match self.known {
            KnownDimension::As(a) => {
                let scaled = |x: i8| f64::from(x) * n;
                let parts = [a.m, a.kg, a.s, a.rad].map(scaled);
                if parts.iter().all(|x| x.fract() == 0.0 && x.abs() < 100.0) {
                    let [m, kg, s, rad] = parts.map(|x| x as i8);
                    KnownDimension::As(Dimension { m, kg, s, rad })
                } else {
                    KnownDimension::Clash(UnitClash::Root(a))
                }
            }
            other => other,
        };
        Quantity { value, known }
    }
}

impl From<f64> for Quantity {
    fn from(value: f64) -> Quantity {
        Quantity { value, known: KnownDimension::Literal }
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Quantity) -> bool {
        self.value == other.value
    }
}
impl PartialEq<f64> for Quantity {
    fn eq(&self, other: &f64) -> bool {
        self.value == *other
    }
}
impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Quantity) -> Option<Ordering> {
        self.value.partial_cmp(&other.value)
    }
}
impl PartialOrd<f64> for Quantity {
    fn partial_cmp(&self, other: &f64) -> Option<Ordering> {
        self.value.partial_cmp(other)
    }
}

macro_rules! operator {
    ($Op:ident, $op:ident, $Assign:ident, $assign:ident, |$a:ident, $b:ident| $result:expr) => {
        impl $Op for Quantity {
            type Output = Quantity;
            fn $op(self, other: Quantity) -> Quantity {
                let ($a, $b) = (self, other);
                $result
            }
        }
        impl $Op<f64> for Quantity {
            type Output = Quantity;
            fn $op(self, other: f64) -> Quantity {
                $Op::$op(self, Quantity::from(other))
            }
        }
        impl $Assign for Quantity {
            fn $assign(&mut self, other: Quantity) {
                *self = $Op::$op(*self, other);
            }
        }
    };
}
operator!(Add, add, AddAssign, add_assign, |a, b| a.sum(b, a.value + b.value));
operator!(Sub, sub, SubAssign, sub_assign, |a, b| a.sum(b, a.value - b.value));
operator!(Mul, mul, MulAssign, mul_assign, |a, b| a.product(b, 1, a.value * b.value));
operator!(Div, div, DivAssign, div_assign, |a, b| a.product(b, -1, a.value / b.value));

impl Neg for Quantity {
    type Output = Quantity;
    fn neg(self) -> Quantity {
        self.kept(-self.value)
    }
}

macro_rules! pure_functions {
    ($($name:ident)*) => { $(fn $name(self) -> Quantity { self.pure(self.value.$name()) })* };
}

impl Scalar for Quantity {
    fn value(self) -> f64 {
        self.value
    }
    pure_functions!(sin cos tan asin acos atan sinh cosh tanh exp ln log10);
    fn atan2(self, x: Quantity) -> Quantity {
        let value = self.value.atan2(x.value);
        match self.sum(x, value).known {
            KnownDimension::Clash(why) => Quantity { value, known: KnownDimension::Clash(why) },
            _ => Quantity::from(value),
        }
    }
    fn sqrt(self) -> Quantity {
        self.raised(0.5, self.value.sqrt())
    }
    fn powi(self, exponent: i32) -> Quantity {
        self.raised(f64::from(exponent), self.value.powi(exponent))
    }
    fn powf(self, exponent: f64) -> Quantity {
        self.raised(exponent, self.value.powf(exponent))
    }
    fn pow(self, exponent: Quantity) -> Quantity {
        let value = self.value.powf(exponent.value);
        match exponent.pure(0.0).known {
            KnownDimension::Clash(why) => Quantity { value, known: KnownDimension::Clash(why) },
            _ => self.raised(exponent.value, value),
        }
    }
    fn abs(self) -> Quantity {
        self.kept(self.value.abs())
    }
}
