//! Checks of an accepted step: its dense output, and the projection onto a manifold.
#![allow(missing_docs)]

use crate::common;

use common::{Given, distance, oscillator, swing, swing_solution};
use taut_ode::{Hook, IntegrationOutcome, Method, Plan, ProblemParts, Refusal, Settings, StateEdit, System, integrate};

/// Largest defect of the dense output along a smooth problem.
fn largest_defect(system: &mut dyn System, start: f64, y: &[f64], end: f64, tolerance: f64) -> f64 {
    let mut stepper = common::stepper(Method::Dop853, start, y, tolerance);
    let mut out = y.to_vec();
    let mut worst = 0.0_f64;
    while stepper.t() != end {
        stepper.step(system, end).expect("smooth");
        let middle = stepper.t_old() + 0.5 * stepper.h();
        stepper.interpolate(system, middle, &mut out).expect("inside");
        worst = worst.max(stepper.dense_output_defect());
    }
    worst
}

#[test]
fn smooth_problems_leave_no_defect_that_is_doubted() {
    let mut stiff = Given::new(1, |t: f64, y: &[f64], dydt: &mut [f64]| {
        dydt[0] = -200.0 * (y[0] - t.cos());
        Ok(())
    });
    for tolerance in [1e-3, 1e-5, 1e-7, 1e-9, 1e-11, 1e-13] {
        let found = [
            largest_defect(&mut oscillator(), 0.0, &[1.0, 0.0], 20.0, tolerance),
            largest_defect(&mut swing(), 0.0, &swing_solution(0.0), 4.0, tolerance),
            largest_defect(&mut stiff, 0.0, &[1.0], 2.0, tolerance),
        ];
        assert!(found.iter().all(|defect| *defect < 0.1), "{tolerance}: {found:?}");
    }
}

struct Output(Vec<(f64, f64)>);

impl Hook for Output {
    fn output(&mut self, t: f64, y: &[f64]) {
        self.0.push((t, y[0]));
    }
}

/// An oscillator of frequency 10 with an unannounced pulse of 2 N s. Wherever the pulse lies, the output is either correct or that
/// without the pulse; it is never disturbed by a stage that the step itself did not have.
#[test]
fn a_pulse_that_only_the_dense_output_sees_shortens_the_step() {
    for k in 0..60 {
        let t0 = 1.0 + 0.004 * f64::from(k);
        let mut system = Given::new(2, move |t: f64, y: &[f64], dydt: &mut [f64]| {
            let force = if t > t0 && t <= t0 + 0.002 { 1000.0 } else { 0.0 };
            dydt.copy_from_slice(&[y[1], force - 100.0 * y[0]]);
            Ok(())
        });
        let mut stepper = common::stepper(Method::Dop853, 0.0, &[0.1, 0.0], 1e-8);
        let times = (0..=400).map(|k| 0.005 * f64::from(k)).collect();
        let mut hook = Output(Vec::new());
        let mut parts = ProblemParts { system: &mut system, events: &mut (), hook: &mut hook };
        integrate(&mut *stepper, &mut parts, &Plan::to(2.0).at(times)).expect("a plan");
        for (t, x) in &hook.0 {
            let pushed = |s: f64| 10.0 * (1.0 - (10.0 * (t - s).max(0.0)).cos());
            let free = 0.1 * (10.0 * t).cos();
            let hit = free + pushed(t0) - pushed(t0 + 0.002);
            assert!((x - free).abs() < 1e-4 || (x - hit).abs() < 1e-4, "{t0} at {t}: {x}, {free} or {hit}");
        }
    }
}

/// A point that a driver holds at a height that rises at t = 3, while the right-hand side does not contain the height.
struct Driven {
    resets: usize,
}

fn height(t: f64) -> f64 {
    0.5 + 0.5 * (50.0 * (t - 3.05)).tanh()
}

impl Hook for Driven {
    fn after_step(&mut self, t: f64, y: &mut [f64]) -> Result<StateEdit, Refusal> {
        self.resets += 1;
        y[0] = height(t);
        Ok(StateEdit::Projected)
    }
}

#[test]
fn a_return_that_moves_more_than_the_step_may_err_rejects_it() {
    // y0 is the driven height, whose rate none of the stages contains; y1 follows it.
    for method in common::ADAPTIVE {
        let mut system = Given::new(2, |t: f64, y: &[f64], dydt: &mut [f64]| {
            let s = (50.0 * (t - 3.05)).tanh();
            dydt.copy_from_slice(&[25.0 * (1.0 - s * s), y[0] - y[1]]);
            Ok(())
        });
        let mut stepper = method.stepper(0.0, &[0.0, 0.0], &Settings::with_tolerance(1e-7, 1e-7)).expect("settings");
        let mut hook = Driven { resets: 0 };
        let mut parts = ProblemParts { system: &mut system, events: &mut (), hook: &mut hook };
        let run = integrate(&mut *stepper, &mut parts, &Plan::to(10.0)).expect("a plan");
        assert_eq!(run.outcome, IntegrationOutcome::Finished, "{method}");
        let expected = 1.0 - (-(10.0_f64 - 3.05)).exp();
        assert!(distance(stepper.y(), &[1.0, expected]) < 1e-3, "{method}: {:?} {expected}", stepper.y());
    }
}

/// An error that no step size can reduce ends the run with an error.
#[test]
fn a_return_from_far_away_ends_the_run() {
    struct Far;
    impl Hook for Far {
        fn after_step(&mut self, t: f64, y: &mut [f64]) -> Result<StateEdit, Refusal> {
            y[0] = if t > 1.0 { 1e6 } else { 0.0 };
            Ok(StateEdit::Projected)
        }
    }
    let mut system = Given::new(1, |_: f64, _: &[f64], dydt: &mut [f64]| {
        dydt[0] = 0.0;
        Ok(())
    });
    let mut stepper = common::stepper(Method::DormandPrince, 0.0, &[0.0], 1e-6);
    let mut parts = ProblemParts { system: &mut system, events: &mut (), hook: &mut Far };
    let run = integrate(&mut *stepper, &mut parts, &Plan::to(2.0)).expect("a plan");
    assert!(
        matches!(run.outcome, IntegrationOutcome::Refused { t, .. } if (t - 1.0).abs() < 1e-9),
        "{:?}",
        run.outcome
    );
}
