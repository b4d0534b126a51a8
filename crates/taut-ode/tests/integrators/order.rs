//! Measured orders of the methods and of their dense outputs.
#![allow(missing_docs)]

use crate::common;

use common::{Given, distance, fixed, swing, swing_solution};
use taut_ode::{Method, Settings, Stepper, System};

/// Errors over [0.1, 2.1] in `steps` steps: at the end, and of the dense output within steps.
fn errors(method: Method, steps: u32) -> (f64, f64) {
    let (t0, t1) = (0.1, 2.1);
    let mut system = swing();
    let h = (t1 - t0) / f64::from(steps);
    let mut stepper = fixed(method, t0, &swing_solution(t0), h);
    let mut y = [0.0; 2];
    let mut between = 0.0_f64;
    while stepper.t() < t1 {
        stepper.step(&mut system, t1).expect("smooth");
        for k in 1..20 {
            let t = stepper.t_old() + stepper.h() * f64::from(k) / 20.0;
            stepper.interpolate(&mut system, t, &mut y).expect("inside");
            between = between.max(distance(&y, &swing_solution(t)));
        }
    }
    assert_eq!(stepper.statistics().accepted, u64::from(steps));
    (distance(stepper.y(), &swing_solution(t1)), between)
}

/// Slope of the least-squares line through the logarithms.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let mean = |f: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / n;
    let (x, y) = (mean(&|p| p.0.ln()), mean(&|p| p.1.ln()));
    let above: f64 = points.iter().map(|p| (p.0.ln() - x) * (p.1.ln() - y)).sum();
    let below: f64 = points.iter().map(|p| (p.0.ln() - x).powi(2)).sum();
    above / below
}

#[test]
fn methods_and_dense_outputs_converge_with_their_orders() {
    for method in common::ANY {
        let counts: &[u32] = match method {
            Method::Dop853 => &[30, 36, 42, 50, 60],
            Method::RadauIia5 => &[40, 60, 80, 120, 160],
            Method::DormandPrince => &[100, 140, 200, 280, 400],
            _ => &[200, 300, 400, 600, 800],
        };
        let measured: Vec<_> = counts.iter().map(|&n| (n, errors(method, n))).collect();
        let at_end: Vec<_> = measured.iter().map(|&(n, e)| (1.0 / f64::from(n), e.0)).collect();
        let between: Vec<_> = measured.iter().map(|&(n, e)| (1.0 / f64::from(n), e.1)).collect();
        let (order, dense) = (slope(&at_end), slope(&between));
        println!("{method}: order {order:.2}, dense output {dense:.2}; {measured:?}");
        assert!((order - f64::from(method.order())).abs() < 0.35, "{method}: {order}");
        // The local error of the dense output is one order higher than its order, unless the
        // global error of the steps shows first.
        let expected = f64::from((method.interpolation_order() + 1).min(method.order()));
        assert!((dense - expected).abs() < 0.45, "{method}: {dense}");
    }
}

/// One-sided derivative of the dense output by a difference.
fn slope_at(stepper: &mut dyn Stepper, system: &mut dyn taut_ode::System, t: f64, d: f64) -> [f64; 2] {
    let (mut a, mut b, mut c) = ([0.0; 2], [0.0; 2], [0.0; 2]);
    stepper.interpolate(system, t, &mut a).expect("inside");
    stepper.interpolate(system, t + d, &mut b).expect("inside");
    stepper.interpolate(system, t + 2.0 * d, &mut c).expect("inside");
    [0, 1].map(|i| (-3.0 * a[i] + 4.0 * b[i] - c[i]) / (2.0 * d))
}

#[test]
fn dense_output_and_its_derivative_are_continuous() {
    // The collocation polynomial of Radau does not know the derivative at the start.
    for method in common::ANY.into_iter().filter(|m| *m != Method::RadauIia5) {
        let mut system = swing();
        let mut stepper = fixed(method, 0.1, &swing_solution(0.1), 0.1);
        let mut left: Option<[f64; 2]> = None;
        for _ in 0..8 {
            stepper.step(&mut system, 1.3).expect("smooth");
            let (t_old, t) = (stepper.t_old(), stepper.t());
            let right_of_start = slope_at(&mut *stepper, &mut system, t_old, 1e-5);
            if let Some(left) = left {
                assert!(distance(&left, &right_of_start) < 1e-7, "{method}");
            }
            left = Some(slope_at(&mut *stepper, &mut system, t, -1e-5));
            // Values: exact at the ends, and close to them close to them.
            let mut y = [0.0; 2];
            stepper.interpolate(&mut system, t, &mut y).expect("inside");
            assert_eq!(y, stepper.y());
            stepper.interpolate(&mut system, t_old, &mut y).expect("inside");
            assert_eq!(y, stepper.y_old());
            stepper.interpolate(&mut system, t - 1e-13, &mut y).expect("inside");
            assert!(distance(&y, stepper.y()) < 1e-11);
        }
    }
}

#[test]
fn dense_output_does_not_disturb_the_steps() {
    for method in common::ANY {
        let mut system = swing();
        let start = swing_solution(0.1);
        let mut plain = common::stepper(method, 0.1, &start, 1e-6);
        let mut looked_into = common::stepper(method, 0.1, &start, 1e-6);
        let mut y = [0.0; 2];
        while plain.t() < 2.0 {
            plain.step(&mut system, 2.0).expect("smooth");
            looked_into.step(&mut system, 2.0).expect("smooth");
            let middle = 0.5 * (looked_into.t() + looked_into.t_old());
            looked_into.interpolate(&mut system, middle, &mut y).expect("inside");
            assert_eq!(plain.y(), looked_into.y());
            assert_eq!(plain.t(), looked_into.t());
        }
    }
}

#[test]
fn second_order_methods_keep_their_tolerance_over_a_whole_integration() {
    for method in [Method::Trapezoidal, Method::TwoStep] {
        for tolerance in [1e-4, 1e-6] {
            let mut swing = Given::new(2, |_, y, f| {
                (f[0], f[1]) = (y[1], -y[0]);
                Ok(())
            });
            let t_end = 10.0;
            let off = |span: Option<f64>, swing: &mut dyn System| {
                let settings = Settings { span, ..Settings::with_tolerance(tolerance, tolerance) };
                let mut stepper = method.stepper(0.0, &[1.0, 0.0], &settings).unwrap();
                while stepper.t() != t_end {
                    stepper.step(swing, t_end).unwrap();
                }
                distance(stepper.y(), &[t_end.cos(), -t_end.sin()]) / tolerance
            };
            let (held, alone) = (off(Some(t_end), &mut swing), off(None, &mut swing));
            assert!(held < 100.0 && held < 0.6 * alone, "{method} {tolerance}: {held} {alone}");
        }
    }
}
