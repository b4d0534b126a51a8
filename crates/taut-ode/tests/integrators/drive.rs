//! The driver: output, hooks, limits, ends.
#![allow(missing_docs)]

use crate::common;

use std::time::Duration;

use common::{Given, distance, oscillator, stepper};
use taut_ode::{
    Hook, IntegrationOutcome, Limits, Method, Plan, PlanError, ProblemParts, Refusal, StateEdit, StepControl, Stepper,
    System, integrate,
};

/// Records output, and applies a function to the state after each step.
struct Recorder<F> {
    after: F,
    refine: fn(&mut [f64]),
    output: Vec<(f64, Vec<f64>)>,
}

impl<F: FnMut(f64, &mut [f64]) -> Result<StateEdit, Refusal>> Recorder<F> {
    fn new(after: F) -> Self {
        Self { after, refine: |_| {}, output: Vec::new() }
    }

    fn times(&self) -> Vec<f64> {
        self.output.iter().map(|(t, _)| *t).collect()
    }
}

impl<F: FnMut(f64, &mut [f64]) -> Result<StateEdit, Refusal>> Hook for Recorder<F> {
    fn after_step(&mut self, t: f64, y: &mut [f64]) -> Result<StateEdit, Refusal> {
        (self.after)(t, y)
    }
    fn refine(&mut self, _: f64, y: &mut [f64]) -> Result<(), Refusal> {
        (self.refine)(y);
        Ok(())
    }
    fn output(&mut self, t: f64, y: &[f64]) {
        self.output.push((t, y.to_vec()));
    }
}

type After = fn(f64, &mut [f64]) -> Result<StateEdit, Refusal>;

fn kept() -> Recorder<After> {
    Recorder::new(|_, _| Ok(StateEdit::Unchanged))
}

fn drive(stepper: &mut dyn Stepper, system: &mut dyn System, hook: &mut dyn Hook, plan: &Plan) -> IntegrationOutcome {
    let events = &mut ();
    let mut parts = ProblemParts { system, events, hook };
    integrate(stepper, &mut parts, plan).expect("valid plan").outcome
}

#[test]
fn requested_times_are_met_forward_and_backward() {
    for method in common::ANY {
        for sign in [1.0, -1.0] {
            let times: Vec<f64> = (0..=50).map(|k| sign * f64::from(k) * 0.1).collect();
            let mut all = vec![-sign];
            all.extend(&times);
            all.push(sign * 5.5);
            let mut recorder = kept();
            let mut stepper = stepper(method, 0.0, &[1.0, 0.0], 1e-9);
            let plan = Plan::to(sign * 5.0).at(all);
            let outcome = drive(&mut *stepper, &mut oscillator(), &mut recorder, &plan);
            assert_eq!(outcome, IntegrationOutcome::Finished);
            assert_eq!(recorder.times(), times, "{method}");
            for (t, y) in &recorder.output {
                // An error of the tolerance in each step adds up to more where there are many steps.
                let bound = if method.order() == 2 { 1e-5 } else { 1e-6 };
                assert!(distance(y, &[t.cos(), -t.sin()]) < bound, "{method}");
            }
        }
    }
}

#[test]
fn every_step_and_requested_times_merge() {
    let mut stepper = stepper(Method::Rk4, 0.0, &[1.0, 0.0], 1e-6);
    let mut recorder = kept();
    let plan = Plan::to(0.03).at(vec![0.0, 0.005, 0.01, 0.025]).every_step();
    drive(&mut *stepper, &mut oscillator(), &mut recorder, &plan);
    assert_eq!(recorder.times(), [0.0, 0.005, 0.01, 0.02, 0.025, 0.03]);
}

#[test]
fn no_distance_is_finished_at_once() {
    for method in common::ANY {
        let mut system = oscillator();
        let mut stepper = stepper(method, 2.0, &[1.0, 0.0], 1e-6);
        let mut recorder = kept();
        let plan = Plan::to(2.0).at(vec![1.0, 2.0, 3.0]);
        let outcome = drive(&mut *stepper, &mut system, &mut recorder, &plan);
        assert_eq!(outcome, IntegrationOutcome::Finished);
        assert_eq!(recorder.times(), [2.0]);
        assert_eq!(system.calls, 0);
    }
}

#[test]
fn a_projection_keeps_the_invariant_and_the_output_on_it() {
    fn project(y: &mut [f64]) {
        let size = y[0].hypot(y[1]);
        y[0] /= size;
        y[1] /= size;
    }
    for method in common::ANY {
        let mut stepper = stepper(method, 0.0, &[1.0, 0.0], 1e-4);
        let mut recorder = Recorder::new(|_, y: &mut [f64]| {
            project(y);
            Ok(StateEdit::Corrected)
        });
        recorder.refine = project;
        let times = (0..=100).map(|k| f64::from(k) * 0.2).collect();
        let plan = Plan::to(20.0).at(times).every_step();
        drive(&mut *stepper, &mut oscillator(), &mut recorder, &plan);
        for (_, y) in &recorder.output {
            assert!((y[0].hypot(y[1]) - 1.0).abs() < 1e-15);
        }
        let end = [20.0_f64.cos(), -20.0_f64.sin()];
        assert!(distance(stepper.y(), &end) < 0.02, "{method}");
    }
}

#[test]
fn a_refusing_hook_has_the_step_repeated_smaller() {
    for method in common::ANY {
        let mut previous = 0.0;
        let mut refusals = 0;
        let mut recorder = Recorder::new(|t: f64, _: &mut [f64]| {
            if t - previous > 0.003 {
                refusals += 1;
                return Err(Refusal::NotConverged);
            }
            previous = t;
            Ok(StateEdit::Unchanged)
        });
        let mut stepper = stepper(method, 0.0, &[1.0, 0.0], 1e-6);
        let plan = Plan::to(0.5).every_step();
        let outcome = drive(&mut *stepper, &mut oscillator(), &mut recorder, &plan);
        if stepper.step_control() == StepControl::Fixed {
            assert!(
                matches!(outcome, IntegrationOutcome::Refused { refusal: Refusal::NotConverged, .. }),
                "{method}: {outcome:?}"
            );
            continue;
        }
        assert_eq!(outcome, IntegrationOutcome::Finished);
        let times = recorder.times();
        assert!(times.windows(2).all(|pair| pair[1] > pair[0] && pair[1] - pair[0] <= 0.003));
        assert!(refusals > 0);
        assert_eq!(stepper.statistics().refused, refusals);
        assert!((stepper.y()[0] - 0.5_f64.cos()).abs() < 1e-6, "{method}");
    }
}

#[test]
fn a_hook_refusing_for_ever_ends_the_run() {
    for method in common::ANY {
        let mut recorder = Recorder::new(
            |t: f64, _: &mut [f64]| if t > 0.25 { Err(Refusal::Other(9)) } else { Ok(StateEdit::Unchanged) },
        );
        let mut stepper = stepper(method, 0.0, &[1.0, 0.0], 1e-6);
        let plan = Plan::to(0.5).every_step();
        let outcome = drive(&mut *stepper, &mut oscillator(), &mut recorder, &plan);
        let IntegrationOutcome::Refused { refusal, .. } = outcome else {
            panic!("{method}: {outcome:?}");
        };
        assert_eq!(refusal, Refusal::Other(9));
        let last = recorder.times().last().copied().expect("output");
        let near = if stepper.step_control() == StepControl::Fixed { 0.239 } else { 0.249 };
        assert!(last <= 0.25 && last > near, "{method}: {last}");
    }
}

#[test]
fn a_refused_derivative_at_the_end_takes_the_step_back() {
    // The right-hand side ends at y = 0, which methods that need no derivative at the end of a
    // step could step over.
    for method in common::ANY {
        let mut system = Given::new(1, |_, y: &[f64], f: &mut [f64]| {
            if y[0] < 0.0 {
                return Err(Refusal::OutsideDomain);
            }
            f[0] = -1.0;
            Ok(())
        });
        let mut recorder = kept();
        let mut stepper = stepper(method, 0.0, &[0.995], 1e-6);
        let plan = Plan::to(2.0).every_step();
        let outcome = drive(&mut *stepper, &mut system, &mut recorder, &plan);
        assert!(matches!(outcome, IntegrationOutcome::Refused { refusal: Refusal::OutsideDomain, .. }));
        assert!(recorder.output.iter().all(|(_, y)| y[0] >= 0.0));
        assert!(stepper.t() > 0.99 && stepper.t() <= 0.995, "{method}: {}", stepper.t());
    }
}

#[test]
fn jumps_of_the_hook_show_both_sides() {
    for method in common::ANY {
        let mut recorder = Recorder::new(|_, y: &mut [f64]| {
            y[0] += 1.0;
            Ok(StateEdit::Jumped)
        });
        let mut system = Given::new(1, |_, _: &[f64], f: &mut [f64]| {
            f[0] = 0.0;
            Ok(())
        });
        let mut stepper = stepper(method, 0.0, &[0.0], 1e-6);
        let limits = Limits { max_steps: Some(3), ..Limits::default() };
        let plan = Plan::to(9e9).every_step().within(limits);
        let outcome = drive(&mut *stepper, &mut system, &mut recorder, &plan);
        assert_eq!(outcome, IntegrationOutcome::MaxSteps);
        let values: Vec<f64> = recorder.output.iter().map(|(_, y)| y[0]).collect();
        assert_eq!(values, [0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 3.0], "{method}");
    }
}

#[test]
fn limits_end_the_run_and_keep_what_was_computed() {
    let mut stepper = stepper(Method::DormandPrince, 0.0, &[1.0, 0.0], 1e-9);
    let mut recorder = kept();
    let steps = Limits { max_steps: Some(7), ..Limits::default() };
    let plan = Plan::to(100.0).every_step().within(steps);
    let outcome = drive(&mut *stepper, &mut oscillator(), &mut recorder, &plan);
    assert_eq!(outcome, IntegrationOutcome::MaxSteps);
    assert_eq!(recorder.output.len(), 8);
    let clock = Limits { wall_clock: Some(Duration::from_millis(20)), ..Limits::default() };
    let plan = Plan::to(1e15).within(clock);
    let outcome = drive(&mut *stepper, &mut oscillator(), &mut recorder, &plan);
    assert_eq!(outcome, IntegrationOutcome::WallClock);
    assert!(stepper.t() > 1.0);
}

#[test]
fn the_hook_can_stop_the_run() {
    let mut recorder =
        Recorder::new(|t: f64, _: &mut [f64]| Ok(if t > 0.055 { StateEdit::Stop } else { StateEdit::Unchanged }));
    let mut stepper = stepper(Method::Rk4, 0.0, &[1.0, 0.0], 1e-9);
    let plan = Plan::to(1.0).every_step();
    let outcome = drive(&mut *stepper, &mut oscillator(), &mut recorder, &plan);
    assert_eq!(outcome, IntegrationOutcome::Stopped { t: stepper.t() });
    assert!((stepper.t() - 0.06).abs() < 1e-12);
    assert_eq!(recorder.output.len(), 7);
}

#[test]
fn plans_without_sense_are_refused() {
    let mut stepper = stepper(Method::Dop853, 0.0, &[1.0, 0.0], 1e-9);
    let mut check = |plan: Plan| {
        let mut parts = ProblemParts { system: &mut oscillator(), events: &mut (), hook: &mut () };
        integrate(&mut *stepper, &mut parts, &plan).err()
    };
    assert_eq!(check(Plan::to(f64::NAN)), Some(PlanError::NotFinite));
    assert_eq!(check(Plan::to(f64::INFINITY)), Some(PlanError::NotFinite));
    let unsorted = Plan::to(1.0).at(vec![0.1, 0.3, 0.2]);
    assert_eq!(check(unsorted), Some(PlanError::NotSorted { index: 2 }));
    let mut no_parts = Plan::to(1.0);
    no_parts.search.parts = 0;
    assert_eq!(check(no_parts), Some(PlanError::Search));
}
