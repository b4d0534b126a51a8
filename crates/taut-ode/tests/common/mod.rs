//! Problems with known solutions.
#![allow(dead_code, missing_docs)]

use taut_ode::{Method, Refusal, Settings, Stepper, System, Tolerance};

/// A system given by a function.
pub struct Given<F> {
    pub dimension: usize,
    pub rates: F,
    pub calls: usize,
}

impl<F: FnMut(f64, &[f64], &mut [f64]) -> Result<(), Refusal>> Given<F> {
    pub fn new(dimension: usize, rates: F) -> Self {
        Self { dimension, rates, calls: 0 }
    }
}

impl<F: FnMut(f64, &[f64], &mut [f64]) -> Result<(), Refusal>> System for Given<F> {
    fn dimension(&self) -> usize {
        self.dimension
    }
    fn rates(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Refusal> {
        self.calls += 1;
        (self.rates)(t, y, dydt)
    }
}

pub type Rates = fn(f64, &[f64], &mut [f64]) -> Result<(), Refusal>;

/// `y0' = 2 t y0 y1, y1' = -2 t ln y0`, solved by `exp(sin t^2), cos t^2`: neither linear nor
/// autonomous, so that all order conditions matter.
pub fn swing() -> Given<Rates> {
    Given::new(2, |t, y, dydt| {
        if y[0] <= 0.0 {
            return Err(Refusal::OutsideDomain);
        }
        dydt[0] = 2.0 * t * y[0] * y[1];
        dydt[1] = -2.0 * t * y[0].ln();
        Ok(())
    })
}

pub fn swing_solution(t: f64) -> [f64; 2] {
    let s = t * t;
    [s.sin().exp(), s.cos()]
}

/// A harmonic oscillator of unit frequency.
pub fn oscillator() -> Given<Rates> {
    Given::new(2, |_, y, dydt| {
        dydt.copy_from_slice(&[y[1], -y[0]]);
        Ok(())
    })
}

pub fn stepper(method: Method, t: f64, y: &[f64], tolerance: f64) -> Box<dyn Stepper> {
    let mut settings = Settings::with_tolerance(tolerance, tolerance);
    if method == Method::Rk4 {
        settings.h_first = Some(0.01);
    }
    method.stepper(t, y, &settings).expect("valid settings")
}

/// A stepper that accepts every step and keeps its size.
pub fn fixed(method: Method, t: f64, y: &[f64], h: f64) -> Box<dyn Stepper> {
    // An implicit method iterates to its tolerance, even with fixed steps.
    let settings = match Method::EXPLICIT.contains(&method) {
        true => Settings { h_first: Some(h), h_max: Some(h), ..Settings::with_tolerance(1e6, 1e6) },
        false => Settings { tolerance: Tolerance::new(1e-12, 1e-12), ..Settings::with_step(h) },
    };
    method.stepper(t, y, &settings).expect("valid settings")
}

pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

pub const ADAPTIVE: [Method; 6] = [
    Method::BogackiShampine,
    Method::DormandPrince,
    Method::Dop853,
    Method::RadauIia5,
    Method::Trapezoidal,
    Method::TwoStep,
];

/// The methods for any system.
pub const ANY: [Method; 7] = [
    Method::Rk4,
    Method::BogackiShampine,
    Method::DormandPrince,
    Method::Dop853,
    Method::RadauIia5,
    Method::Trapezoidal,
    Method::TwoStep,
];
