//! The functions an expression may call.

use crate::scalar::Scalar;

macro_rules! functions {
    ($($variant:ident, $name:literal, $signature:literal, $arguments:literal;)*) => {
        /// A built-in function.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Function {
            $($variant),*
        }

        impl Function {
            /// Every function, in the order error messages list them.
            pub(super) const ALL: &[Function] = &[$(Function::$variant),*];

            pub(super) fn name(self) -> &'static str {
                match self {
                    $(Function::$variant => $name),*
                }
            }

            pub(super) fn signature(self) -> &'static str {
                match self {
                    $(Function::$variant => $signature),*
                }
            }

            pub(super) fn arguments(self) -> usize {
                match self {
                    $(Function::$variant => $arguments),*
                }
            }
        }
    };
}

functions! {
    Sin, "sin", "sin(x)", 1;
    Cos, "cos", "cos(x)", 1;
    Tan, "tan", "tan(x)", 1;
    Asin, "asin", "asin(x)", 1;
    Acos, "acos", "acos(x)", 1;
    Atan, "atan", "atan(x)", 1;
    Atan2, "atan2", "atan2(y, x)", 2;
    Sinh, "sinh", "sinh(x)", 1;
    Cosh, "cosh", "cosh(x)", 1;
    Tanh, "tanh", "tanh(x)", 1;
    Exp, "exp", "exp(x)", 1;
    Ln, "ln", "ln(x)", 1;
    Log10, "log10", "log10(x)", 1;
    Sqrt, "sqrt", "sqrt(x)", 1;
    Abs, "abs", "abs(x)", 1;
    Sign, "sign", "sign(x)", 1;
    Floor, "floor", "floor(x)", 1;
    Mod, "mod", "mod(x, y)", 2;
    Min, "min", "min(x, y)", 2;
    Max, "max", "max(x, y)", 2;
    Step, "step", "step(x, x0, y0, x1, y1)", 5;
    IfPos, "if_pos", "if_pos(x, positive, otherwise)", 3;
}

impl Function {
    pub(super) fn named(name: &str) -> Option<Function> {
        Function::ALL.iter().copied().find(|f| f.name() == name)
    }

    /// Applies the function. The parser has checked that there are [`Function::arguments`]
    /// arguments.
    pub(super) fn apply<S: Scalar>(self, x: &[S]) -> S {
        match self {
            Function::Sin => x[0].sin(),
            Function::Cos => x[0].cos(),
            Function::Tan => x[0].tan(),
            Function::Asin => x[0].asin(),
            Function::Acos => x[0].acos(),
            Function::Atan => x[0].atan(),
            Function::Atan2 => x[0].atan2(x[1]),
            Function::Sinh => x[0].sinh(),
            Function::Cosh => x[0].cosh(),
            Function::Tanh => x[0].tanh(),
            Function::Exp => x[0].exp(),
            Function::Ln => x[0].ln(),
            Function::Log10 => x[0].log10(),
            Function::Sqrt => x[0].sqrt(),
            Function::Abs => x[0].abs(),
            Function::Sign => sign(x[0]),
            Function::Floor => S::from(x[0].value().floor()),
            Function::Mod => x[0] - x[1] * (x[0].value() / x[1].value()).floor(),
            Function::Min => x[0].min(x[1]),
            Function::Max => x[0].max(x[1]),
            Function::Step => step(x[0], (x[1], x[2]), (x[3], x[4])),
            Function::IfPos => if_pos(x[0], x[1], x[2]),
        }
    }
}

/// -1, 0 or 1, constant on either side of 0.
fn sign<S: Scalar>(x: S) -> S {
    if x > 0.0 {
        S::one()
    } else if x < 0.0 {
        -S::one()
    } else {
        // 0 stays 0 and NaN stays NaN.
        S::from(x.value())
    }
}

/// Cubic transition with zero slope at both corners; a jump at the first corner if the second
/// does not lie beyond it.
fn step<S: Scalar>(x: S, first: (S, S), second: (S, S)) -> S {
    let ((x0, y0), (x1, y1)) = (first, second);
    if x <= x0 {
        y0
    } else if x >= x1 {
        y1
    } else {
        let u = (x - x0) / (x1 - x0);
        y0 + (y1 - y0) * u * u * (-u * 2.0 + 3.0)
    }
}

/// `positive` where x > 0 and `otherwise` where x ≤ 0.
fn if_pos<S: Scalar>(x: S, positive: S, otherwise: S) -> S {
    if x > 0.0 {
        positive
    } else if x <= 0.0 {
        otherwise
    } else {
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::Jet;

    #[test]
    fn signatures_agree_with_name_and_number_of_arguments() {
        for function in Function::ALL {
            let signature = function.signature();
            assert!(signature.starts_with(&format!("{}(", function.name())));
            assert_eq!(signature.matches(',').count() + 1, function.arguments());
            assert_eq!(Function::named(function.name()), Some(*function));
        }
    }

    #[test]
    fn step_is_the_cubic_between_its_corners() {
        let at = |x: f64| {
            let [x0, y0, x1, y1] = [1.0, -2.0, 3.0, 6.0].map(Jet::constant);
            Function::Step.apply(&[Jet::variable(x), x0, y0, x1, y1])
        };
        assert_eq!((at(0.0).f, at(0.0).df), (-2.0, 0.0));
        assert_eq!((at(4.0).f, at(4.0).df), (6.0, 0.0));
        // Halfway the value is the mean and the slope 3/2 of the secant's.
        assert_eq!((at(2.0).f, at(2.0).df, at(2.0).ddf), (2.0, 6.0, 0.0));
        assert!(at(1.0 + 1e-9).df.abs() < 1e-7);
    }

    #[test]
    fn step_of_no_width_is_a_jump() {
        let at = |x: f64| Function::Step.apply(&[x, 1.0, 0.0, 1.0, 5.0]);
        assert_eq!((at(1.0), at(1.0 + 1e-15)), (0.0, 5.0));
    }

    #[test]
    fn piecewise_functions_pass_nan_on() {
        for (function, x) in [
            (Function::Sign, vec![f64::NAN]),
            (Function::IfPos, vec![f64::NAN, 1.0, 2.0]),
            (Function::Step, vec![f64::NAN, 0.0, 0.0, 1.0, 1.0]),
            (Function::Min, vec![f64::NAN, 0.0]),
            (Function::Max, vec![0.0, f64::NAN]),
        ] {
            assert!(function.apply(&x).is_nan(), "{}", function.name());
        }
    }

    #[test]
    fn remainder_has_the_sign_of_the_divisor_and_slope_one() {
        let y = Function::Mod.apply(&[Jet::variable(-0.5), Jet::constant(2.0)]);
        assert_eq!((y.f, y.df, y.ddf), (1.5, 1.0, 0.0));
        assert_eq!(Function::Floor.apply(&[Jet::variable(2.5)]).df, 0.0);
        assert_eq!(Function::Sign.apply(&[Jet::variable(-2.5)]).f, -1.0);
    }
}
