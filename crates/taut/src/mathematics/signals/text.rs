//! A signal as a formula in `t`, so that other formulas can contain it.

use super::{Harmonic, Polynomial, Signal, SmoothStep};

impl Signal {
    /// The signal as a formula in `t`; none for tables and functions written in Rust.
    pub fn formula(&self) -> Option<String> {
        match self {
            Signal::Constant { value } => Some(format!("{value:?}")),
            Signal::Polynomial(Polynomial { coefficients, t0 }) => {
                let nested = coefficients.iter().rev().fold(None, |inner: Option<String>, c| match inner {
                    None => Some(format!("({c:?})")),
                    Some(inner) => Some(format!("(({c:?}) + (t - ({t0:?}))*{inner})")),
                });
                Some(nested.unwrap_or_else(|| "0".to_string()))
            }
            Signal::Harmonic(Harmonic { amplitude, omega, phase, offset }) => {
                Some(format!("({offset:?}) + ({amplitude:?})*sin(({omega:?})*t + ({phase:?}))"))
            }
            Signal::SmoothStep(SmoothStep { t0, t1, y0, y1 }) => {
                let u = format!("(min(max(t - ({t0:?}), 0), {:?})/{:?})", t1 - t0, t1 - t0);
                Some(format!("({y0:?}) + ({:?})*{u}^3*(({u}*6 - 15)*{u} + 10)", y1 - y0))
            }
            Signal::Expression { formula } => Some(formula.expression().text().to_string()),
            Signal::Table(_) | Signal::Custom(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formula_has_the_same_values_and_derivatives() {
        let signals = [
            Signal::constant(-2.5),
            Signal::Polynomial(Polynomial { coefficients: vec![1.0, -2.0, 0.5], t0: 0.3 }),
            Signal::Harmonic(Harmonic { amplitude: 2.0, omega: 3.0, phase: -0.4, offset: -1.0 }),
            Signal::smooth_step(-0.5, 1.5, 2.0, -1.0),
            Signal::expression("sin(t) - 2").unwrap(),
        ];
        for signal in signals {
            let text = Signal::expression(&signal.formula().unwrap()).unwrap();
            for t in [-1.0, 0.2, 0.9, 2.0] {
                let (a, b) = (signal.at(t), text.at(t));
                let error = (a.f - b.f).abs() + (a.df - b.df).abs() + (a.ddf - b.ddf).abs();
                assert!(error < 1e-13, "{signal:?} at {t}: {a:?}, {b:?}");
            }
        }
        assert_eq!(Signal::table([0.0, 1.0], [0.0, 2.0]).unwrap().formula(), None);
    }
}
