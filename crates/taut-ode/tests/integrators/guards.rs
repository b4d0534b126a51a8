//! Guards that a long step could miss: crossed twice within it, beside a narrow peak, or distorted by round-off.
#![allow(missing_docs)]

use crate::common;

use taut_ode::{
    Events, GuardKind, Hook, IntegrationOutcome, Method, Plan, Refusal, Restart, StateEdit, Statistics, System,
    integrate,
};

/// x'' = f(x, v) with one guard.
struct Mass {
    force: fn(f64, f64) -> f64,
    guard: fn(f64, f64) -> f64,
    kind: GuardKind,
    restarts: usize,
    exhausted: usize,
}

impl System for Mass {
    fn dimension(&self) -> usize {
        2
    }
    fn rates(&mut self, _: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Refusal> {
        dydt.copy_from_slice(&[y[1], (self.force)(y[0], y[1])]);
        Ok(())
    }
    fn guard_count(&self) -> usize {
        1
    }
    fn guard_kind(&self, _: usize) -> GuardKind {
        self.kind
    }
    fn guard_values(&mut self, _: f64, y: &[f64], g: &mut [f64]) {
        g[0] = (self.guard)(y[0], y[1]);
    }
    fn guard_search_exhausted(&mut self, i: usize, from: f64, to: f64) {
        assert!(i == 0 && from < to);
        self.exhausted += 1;
    }
}

impl Events for Mass {}

impl Hook for Mass {
    fn restart(&mut self, _: Restart, _: &mut [f64]) -> Result<StateEdit, Refusal> {
        self.restarts += 1;
        Ok(if self.restarts > 2_000 { StateEdit::Stop } else { StateEdit::Unchanged })
    }
}

impl Mass {
    fn run(
        &mut self,
        method: Method,
        y: [f64; 2],
        t_end: f64,
        rtol: f64,
    ) -> (Vec<f64>, IntegrationOutcome, Statistics) {
        let mut stepper = common::stepper(method, 0.0, &y, rtol);
        let mut plan = Plan::to(t_end);
        plan.limits.max_steps = Some(200_000);
        let outcome = integrate(&mut *stepper, self, &plan).expect("valid plan").outcome;
        (stepper.y().to_vec(), outcome, stepper.statistics())
    }
}

/// The methods whose global error stays within a few tolerances.
const ACCURATE: [Method; 4] = [Method::BogackiShampine, Method::DormandPrince, Method::Dop853, Method::RadauIia5];

#[test]
fn a_guard_driven_to_zero_from_both_sides_is_always_seen() {
    for method in common::ADAPTIVE {
        let force = |x: f64, v: f64| -x - 0.1 * v.signum();
        let mut mass = Mass { force, guard: |_, v| v, kind: GuardKind::Switch, restarts: 0, exhausted: 0 };
        let (y, outcome, _) = mass.run(method, [1.0, 0.0], 30.0, 1e-6);
        // Half swings lose 0.2 each, and end at 5 π in the middle.
        assert!(
            matches!(outcome, IntegrationOutcome::Stopped { t } if (t - 15.708).abs() < 0.01),
            "{method}: {outcome:?} {y:?}"
        );
    }
}

#[test]
fn a_guard_crossed_twice_within_a_step_is_seen() {
    // An oscillator that is pulled back by 1 beyond x = 1 − d, where it arrives with v² = 2 d − d².
    for method in ACCURATE {
        for (d, force, guard) in [
            (
                1e-2_f64,
                (|x, _| if x > 0.99 { -x - 1.0 } else { -x }) as fn(f64, f64) -> f64,
                (|x, _| x - 0.99) as fn(f64, f64) -> f64,
            ),
            (1e-6, |x, _| if x > 0.999_999 { -x - 1.0 } else { -x }, |x, _| x - 0.999_999),
        ] {
            let mut mass = Mass { force, guard, kind: GuardKind::Switch, restarts: 0, exhausted: 0 };
            let t_end = 4.5;
            let (y, outcome, _) = mass.run(method, [-1.0, 0.0], t_end, 1e-9);
            assert!(
                outcome == IntegrationOutcome::Finished && mass.restarts >= 2,
                "{method} {d}: {outcome:?} {}",
                mass.restarts
            );
            // Arcs about 0, −1 and 0 again.
            let c = 1.0 - d;
            let into = std::f64::consts::PI - c.acos();
            let speed = (2.0 * d - d * d).sqrt();
            let across = 2.0 * (speed / (1.0 + c)).atan();
            let phase = (-speed).atan2(c) - (t_end - into - across);
            let expected = [phase.cos(), phase.sin()];
            // An error of 1e-9 at the guard is 1e-9 / speed behind it.
            let error = (y[0] - expected[0]).abs().max((y[1] - expected[1]).abs());
            assert!(error < 1e-8 * (1.0 + 4.0 / speed), "{method} {d}: {error:e}, {y:?} {expected:?}");
        }
    }
}

#[test]
fn a_narrow_peak_is_not_passed_over() {
    // Its area is 1.5: the speed becomes 2, at any width.
    for method in common::ADAPTIVE {
        let root = std::f64::consts::PI.sqrt();
        assert!((root - 1.772_453_850_905_516).abs() < 1e-15);
        for (force, guard) in [
            (
                (|x, _| 1.5e4 / 1.772_453_850_905_516 * (-((x - 5.0) * 1e4_f64).powi(2)).exp()) as fn(f64, f64) -> f64,
                (|x, _| -((x - 5.0) * 1e4_f64).powi(2)) as fn(f64, f64) -> f64,
            ),
            (
                |x, _| 1.5 * 16.0 / (5.0 * std::f64::consts::PI * 1e-3) / (1.0 + ((x - 5.0) * 1e3_f64).powi(2)).powi(4),
                |x, _| (1.0 + ((x - 5.0) * 1e3_f64).powi(2)).powi(4),
            ),
        ] {
            let mut mass = Mass { force, guard, kind: GuardKind::Peak, restarts: 0, exhausted: 0 };
            let (y, outcome, statistics) = mass.run(method, [0.0, 1.0], 10.0, 1e-8);
            assert_eq!((outcome, mass.restarts), (IntegrationOutcome::Finished, 0), "{method}");
            // An error of 1e-8 (1 + x) in the middle of the narrower peak is 5e-4 of work, in each of some forty steps.
            assert!((y[1] - 2.0).abs() < 1e-2, "{method}: {y:?}, {statistics:?}");
        }
    }
}

#[test]
fn a_peak_beside_a_guard_that_overflows_is_not_passed_over() {
    // F = 1118.6 exp(1 − exp(u²)). Far from the peak the argument of the outer exponential is −∞.
    struct Nested(Mass);
    impl System for Nested {
        fn dimension(&self) -> usize {
            2
        }
        fn rates(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Refusal> {
            self.0.rates(t, y, dydt)
        }
        fn guard_count(&self) -> usize {
            2
        }
        fn guard_kind(&self, _: usize) -> GuardKind {
            GuardKind::Peak
        }
        fn guard_values(&mut self, _: f64, y: &[f64], g: &mut [f64]) {
            let square = ((y[0] - 5.0) / 1.075e-3).powi(2);
            (g[0], g[1]) = (square, 1.0 - square.exp());
        }
    }
    impl Events for Nested {}
    impl Hook for Nested {}
    let force = |x: f64, _: f64| 1118.6 * (1.0 - ((x - 5.0) / 1.075e-3).powi(2).exp()).exp();
    // Work of the force, by the midpoint rule.
    let width = 4.0 * 1.075e-3 / 4000.0;
    let work: f64 = (0..4000).map(|k| force(5.0 + width * (f64::from(k) - 1999.5), 0.0) * width).sum();
    for method in common::ADAPTIVE {
        let mut nested = Nested(Mass { force, guard: |_, _| 1.0, kind: GuardKind::Peak, restarts: 0, exhausted: 0 });
        let mut stepper = common::stepper(method, 0.0, &[0.0, 1.0], 1e-8);
        let run = integrate(&mut *stepper, &mut nested, &Plan::to(6.0)).expect("valid plan");
        assert_eq!(run.outcome, IntegrationOutcome::Finished, "{method}");
        let speed = (1.0 + 2.0 * work).sqrt();
        assert!((stepper.y()[1] - speed).abs() < 1e-3, "{method}: {:?}, expected {speed}", stepper.y());
    }
}

/// A mass in the plane that flies past the origin; within a narrow range of its angle a force acts along x.
struct FlyBy {
    restarts: usize,
}

impl FlyBy {
    fn guard(y: &[f64]) -> f64 {
        ((y[1] + 3.0).atan2(y[0]) - 1.124).cos() - 0.999_999_801_739
    }
}

impl System for FlyBy {
    fn dimension(&self) -> usize {
        4
    }
    fn rates(&mut self, _: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Refusal> {
        let force = if Self::guard(y) > 0.0 { 2314.7 } else { 0.0 };
        dydt.copy_from_slice(&[y[2], y[3], force, 0.0]);
        Ok(())
    }
    fn guard_count(&self) -> usize {
        1
    }
    fn guard_values(&mut self, _: f64, y: &[f64], g: &mut [f64]) {
        g[0] = Self::guard(y);
    }
}

impl Events for FlyBy {}

impl Hook for FlyBy {
    fn restart(&mut self, _: Restart, _: &mut [f64]) -> Result<StateEdit, Refusal> {
        self.restarts += 1;
        Ok(if self.restarts > 100 { StateEdit::Stop } else { StateEdit::Unchanged })
    }
}

#[test]
fn a_guard_that_rounding_turns_into_a_staircase_is_crossed() {
    // cos(δ) − c with c close to 1 is constant over 1e-13 of the angle, more than the usual distance across a zero.
    for method in common::ADAPTIVE {
        for rtol in [1e-4, 1e-6, 1e-8, 1e-10] {
            for speed in [-1.0, -3.0, -10.0] {
                let mut problem = FlyBy { restarts: 0 };
                let mut stepper = common::stepper(method, 0.0, &[-4.0 * speed, 0.5, speed, 0.1], rtol);
                let run = integrate(&mut *stepper, &mut problem, &Plan::to(8.0)).expect("valid plan");
                println!("{method} {rtol:e} {speed}: {} restarts, {:?}", problem.restarts, stepper.y());
                let found = (run.outcome, problem.restarts);
                assert!(
                    found.0 == IntegrationOutcome::Finished && found.1 <= 3,
                    "{method} {rtol:e} {speed}: {found:?}"
                );
            }
        }
    }
}

#[test]
fn a_guard_that_oscillates_too_fast_is_reported() {
    for method in ACCURATE {
        // Thousands of oscillations within a step; their minima are just above or just below zero.
        for guard in [|x: f64, _: f64| 1.000_001 + (1e6 * x).sin(), |x: f64, _: f64| 0.999_999 - (1e6 * x).cos()] {
            let mut mass = Mass { force: |_, _| 0.0, guard, kind: GuardKind::Switch, restarts: 0, exhausted: 0 };
            let (_, outcome, _) = mass.run(method, [0.0, 1.0], 3.0, 1e-6);
            assert!(mass.exhausted > 0 || mass.restarts > 2_000, "{method}: {outcome:?} {}", mass.restarts);
        }
        // A near touch, a slow oscillation and a steep slope are resolved.
        for guard in [
            |x: f64, _: f64| (x - 1.0) * (x - 1.0) + 1e-9,
            |x: f64, _: f64| 1.001 + (50.0 * x).sin(),
            |x: f64, _: f64| 1e-3 + (20.0 * (x - 3.0)).exp(),
            |x: f64, _: f64| 1.000_000_01 - (x - 1.0).cos(),
        ] {
            let mut mass = Mass { force: |_, _| 0.0, guard, kind: GuardKind::Switch, restarts: 0, exhausted: 0 };
            let (_, outcome, _) = mass.run(method, [0.0, 1.0], 3.0, 1e-6);
            assert_eq!((outcome, mass.exhausted), (IntegrationOutcome::Finished, 0), "{method}");
        }
    }
}
