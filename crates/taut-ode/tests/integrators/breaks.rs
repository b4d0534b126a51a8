//! Breaks and guards: no step crosses a time or a zero at which the right-hand side changes its form.
#![allow(missing_docs)]

use crate::common;

use common::distance;
use taut_ode::{
    Break, Direction, EventResponse, Events, Hook, IntegrationOutcome, Method, Plan, Refusal, Restart, Settings,
    StateEdit, Stepper, System, integrate,
};

type Rates = fn(f64, &[f64], &mut [f64]);

/// A system with known breaks and guards that records its restarts and its output.
struct Pieces {
    dimension: usize,
    rates: Rates,
    breaks: Vec<Break>,
    guards: Vec<fn(f64, &[f64]) -> f64>,
    event: Option<fn(f64, &[f64]) -> f64>,
    /// The state after a break.
    kick: Option<fn(&mut [f64])>,
    restarts: Vec<Restart>,
    output: Vec<(f64, Vec<f64>)>,
    fired: Vec<f64>,
    /// Times of all evaluations since the last attempt began, and the interval of the attempt.
    attempt: (f64, f64),
    crossings: usize,
    calls: usize,
    /// Displacement of interpolated states before the output.
    nudge: f64,
}

fn pieces(dimension: usize, rates: Rates, times: &[f64]) -> Pieces {
    Pieces {
        dimension,
        rates,
        breaks: times.iter().map(|t| Break { before: *t, after: t.next_up() }).collect(),
        guards: Vec::new(),
        event: None,
        kick: None,
        restarts: Vec::new(),
        output: Vec::new(),
        fired: Vec::new(),
        attempt: (0.0, 0.0),
        crossings: 0,
        calls: 0,
        nudge: 0.0,
    }
}

impl System for Pieces {
    fn dimension(&self) -> usize {
        self.dimension
    }
    fn attempt(&mut self, t: f64, h: f64) {
        let (low, high) = if h < 0.0 { (t + h, t) } else { (t, t + h) };
        self.attempt = (low, high);
        self.crossings += self.breaks.iter().filter(|at| low <= at.before && high >= at.after).count();
    }
    fn rates(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Refusal> {
        self.calls += 1;
        (self.rates)(t, y, dydt);
        Ok(())
    }
    fn next_break(&mut self, t: f64, t_end: f64) -> Option<Break> {
        if t_end < t {
            return self.breaks.iter().rev().find(|at| at.after <= t).copied();
        }
        let next = self.breaks.partition_point(|at| at.before < t);
        self.breaks.get(next).copied()
    }
    fn guard_count(&self) -> usize {
        self.guards.len()
    }
    fn guard_values(&mut self, t: f64, y: &[f64], g: &mut [f64]) {
        self.guards.iter().zip(g).for_each(|(guard, g)| *g = guard(t, y));
    }
}

impl Events for Pieces {
    fn event_count(&self) -> usize {
        usize::from(self.event.is_some())
    }
    fn direction(&self, _: usize) -> Direction {
        Direction::Rising
    }
    fn values(&mut self, t: f64, y: &[f64], g: &mut [f64]) {
        g[0] = self.event.map_or(1.0, |event| event(t, y));
    }
    fn fired(&mut self, _: usize, t: f64, _: &mut [f64]) -> EventResponse {
        self.fired.push(t);
        EventResponse::Continue
    }
}

impl Hook for Pieces {
    fn restart(&mut self, at: Restart, y: &mut [f64]) -> Result<StateEdit, Refusal> {
        self.restarts.push(at);
        if self.restarts.len() > 20_000 {
            return Ok(StateEdit::Stop);
        }
        match (at, self.kick) {
            (Restart::Break { .. }, Some(kick)) => {
                kick(y);
                Ok(StateEdit::Jumped)
            }
            _ => Ok(StateEdit::Unchanged),
        }
    }
    fn refine(&mut self, _: f64, y: &mut [f64]) -> Result<(), Refusal> {
        y[0] += self.nudge;
        Ok(())
    }
    fn output(&mut self, t: f64, y: &[f64]) {
        self.output.push((t, y.to_vec()));
    }
}

fn run(stepper: &mut dyn Stepper, problem: &mut Pieces, plan: &Plan) -> IntegrationOutcome {
    integrate(stepper, problem, plan).expect("valid plan").outcome
}

/// An oscillator of frequency 10 with a force of 1000 for 2 ms at t = 1.14, and its solution at 3.
fn hit(t: f64, y: &[f64], dydt: &mut [f64]) {
    let force = if t > 1.14 && t <= 1.142 { 1000.0 } else { 0.0 };
    dydt.copy_from_slice(&[y[1], force - 100.0 * y[0]]);
}

fn hit_solution(t: f64) -> [f64; 2] {
    let free = |t: f64| [0.1 * (10.0 * t).cos(), -(10.0 * t).sin()];
    // The response to a force that is switched on at `s`.
    let pushed = |s: f64| {
        let t = (t - s).max(0.0);
        [10.0 * (1.0 - (10.0 * t).cos()), 100.0 * (10.0 * t).sin()]
    };
    let (a, b) = (pushed(1.14), pushed(1.142));
    [0, 1].map(|i| free(t)[i] + a[i] - b[i])
}

#[test]
fn a_pulse_is_never_stepped_over() {
    for method in common::ANY {
        let times: Vec<f64> = (0..=600).map(|k| 0.005 * f64::from(k)).collect();
        let mut problem = pieces(2, hit, &[1.14, 1.142]);
        let mut stepper = common::stepper(method, 0.0, &[0.1, 0.0], 1e-9);
        let outcome = run(&mut *stepper, &mut problem, &Plan::to(3.0).at(times));
        assert_eq!(outcome, IntegrationOutcome::Finished);
        assert_eq!(problem.crossings, 0, "{method}");
        let bound = match method {
            Method::Rk4 => 2e-3,
            _ if method.order() == 2 => 1e-4,
            _ => 2e-6,
        };
        for (t, y) in &problem.output {
            assert!(distance(y, &hit_solution(*t)) < bound, "{method} at {t}: {y:?} {:?}", hit_solution(*t));
        }
        assert_eq!(problem.output.len(), 601);
    }
}

#[test]
fn backward_too() {
    for method in common::ANY {
        let mut problem = pieces(2, hit, &[1.14, 1.142]);
        let mut stepper = common::stepper(method, 3.0, &hit_solution(3.0), 1e-9);
        assert_eq!(run(&mut *stepper, &mut problem, &Plan::to(0.0)), IntegrationOutcome::Finished);
        assert_eq!((problem.crossings, problem.restarts.len()), (0, 2), "{method}");
        let bound = if method == Method::Rk4 { 2e-3 } else { 1e-4 };
        assert!(distance(stepper.y(), &[0.1, 0.0]) < bound, "{method}: {:?}", stepper.y());
    }
}

/// At rest up to 3, then moves fast.
fn wakes(t: f64, _: &[f64], dydt: &mut [f64]) {
    dydt[0] = if t > 3.0 { (500.0 * (t - 3.0)).cos() } else { 0.0 };
}

#[test]
fn the_first_step_after_a_long_rest_is_chosen_anew() {
    for method in common::ADAPTIVE {
        let mut problem = pieces(1, wakes, &[3.0]);
        let mut stepper = common::stepper(method, 0.0, &[0.0], 1e-9);
        let plan = Plan::to(4.0).at(vec![3.1, 4.0]);
        run(&mut *stepper, &mut problem, &plan);
        for (t, y) in &problem.output {
            let expected = (500.0 * (t - 3.0)).sin() / 500.0;
            assert!((y[0] - expected).abs() < 1e-6, "{method} at {t}: {} {expected}", y[0]);
        }
    }
}

#[test]
fn fixed_steps_return_to_their_grid() {
    for method in [Method::Rk4, Method::TwoStep, Method::RadauIia5] {
        let mut problem = pieces(2, hit, &[0.034, 0.0371]);
        let mut stepper = method.stepper(0.0, &[0.1, 0.0], &Settings::with_step(0.01)).expect("valid");
        run(&mut *stepper, &mut problem, &Plan::to(0.1).every_step());
        let times: Vec<f64> = problem.output.iter().map(|(t, _)| *t).collect();
        let expected = [0.0, 0.01, 0.02, 0.03, 0.034, 0.0371, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1];
        assert!(distance(&times, &expected) < 1e-15 && times.len() == expected.len(), "{method}: {times:?}");
    }
}

#[test]
fn output_at_a_break_is_of_its_own_side() {
    for method in common::ANY {
        let mut problem = pieces(1, |t, _, dydt| dydt[0] = if t > 1.0 { 5.0 } else { 1.0 }, &[1.0]);
        problem.kick = Some(|y| y[0] += 10.0);
        let mut stepper = common::stepper(method, 0.0, &[0.0], 1e-6);
        let times = vec![0.5, 1.0, 1.0_f64.next_up(), 1.5];
        run(&mut *stepper, &mut problem, &Plan::to(1.5).at(times.clone()));
        let expected = [0.5, 1.0, 11.0, 13.5];
        for ((t, y), (due, expected)) in problem.output.iter().zip(times.iter().zip(expected)) {
            assert!(t == due && (y[0] - expected).abs() < 1e-9, "{method}: {:?}", problem.output);
        }
        // Both sides of the jump with every step.
        let mut problem = pieces(1, |t, _, dydt| dydt[0] = if t > 1.0 { 5.0 } else { 1.0 }, &[1.0]);
        problem.kick = Some(|y| y[0] += 10.0);
        let mut stepper = common::stepper(method, 0.0, &[0.0], 1e-6);
        run(&mut *stepper, &mut problem, &Plan::to(1.5).every_step());
        let at = problem.output.iter().position(|(t, _)| *t == 1.0).expect("the near side");
        assert!((problem.output[at].1[0] - 1.0).abs() < 1e-9);
        assert!(problem.output[at + 1].0 == 1.0_f64.next_up() && (problem.output[at + 1].1[0] - 11.0).abs() < 1e-9);
    }
}

#[test]
fn an_event_that_jumps_across_zero_at_a_break_fires_there() {
    let mut problem = pieces(1, |_, _, dydt| dydt[0] = 0.0, &[1.0]);
    problem.event = Some(|t, _| if t > 1.0 { 1.0 } else { -1.0 });
    let mut stepper = common::stepper(Method::DormandPrince, 0.0, &[0.0], 1e-6);
    run(&mut *stepper, &mut problem, &Plan::to(2.0));
    assert_eq!(problem.fired, [1.0_f64.next_up()]);
}

#[test]
fn a_run_taken_up_again_at_any_step_is_the_same_in_every_bit() {
    for method in common::ANY {
        // Output also directly behind a break, between a restart and the first step after it.
        let plan = Plan::to(2.0).at(vec![0.5, 1.14_f64.next_up(), 1.142_f64.next_up(), 1.5]);
        let make = || {
            let mut problem = pieces(2, hit, &[1.14, 1.142]);
            problem.guards = vec![|t, y| (3.0 * t).sin() - y[0]];
            problem.nudge = 1e-12;
            (problem, common::stepper(method, 0.0, &[0.1, 0.0], 1e-7))
        };
        let (mut problem, mut whole) = make();
        run(&mut *whole, &mut problem, &plan);
        let output = problem.output;
        let mut seen: Vec<(f64, Vec<f64>)> = Vec::new();
        let mut note = |output: &[(f64, Vec<f64>)]| {
            for row in output {
                if seen.last().is_none_or(|last| last.0 < row.0) {
                    seen.push(row.clone());
                }
            }
        };
        let (mut problem, mut stepper) = make();
        let one = plan.clone().within(taut_ode::Limits { max_steps: Some(1), ..Default::default() });
        while run(&mut *stepper, &mut problem, &one) != IntegrationOutcome::Finished {
            note(&problem.output);
            let text = serde_json::to_string(&stepper.save()).expect("a checkpoint is plain data");
            let (another, fresh) = make();
            (problem, stepper) = (another, fresh);
            stepper.restore(&serde_json::from_str(&text).expect("as written")).expect("the same method");
        }
        note(&problem.output);
        assert_eq!(stepper.y(), whole.y(), "{method}");
        assert_eq!(seen, output, "{method}");
    }
}

/// A sawtooth with a period of 0.01.
fn saw(t: f64, _: &[f64], dydt: &mut [f64]) {
    let nearest = (t * 100.0).round();
    let tooth = if t <= nearest / 100.0 { nearest } else { nearest + 1.0 };
    dydt[0] = t * 100.0 - tooth + 2.0;
}

#[test]
fn ten_thousand_breaks_cost_a_step_each() {
    let times: Vec<f64> = (1..10_000).map(|k| f64::from(k) / 100.0).collect();
    for (method, most) in [(Method::Dop853, 16), (Method::DormandPrince, 10), (Method::Trapezoidal, 40)] {
        let mut problem = pieces(1, saw, &times);
        let mut stepper = common::stepper(method, 0.0, &[0.0], 1e-6);
        run(&mut *stepper, &mut problem, &Plan::to(100.0));
        assert!((stepper.y()[0] - 150.0).abs() < 1e-3, "{method}: {:?}", stepper.y());
        assert_eq!(problem.crossings, 0);
        assert!(problem.calls < most * times.len(), "{method}: {} calls", problem.calls);
    }
}

/// A ball in a valley of two planes: y'' = −sign y. From rest at 1 it comes back to 1 after 4 √2.
fn valley(_: f64, y: &[f64], dydt: &mut [f64]) {
    dydt.copy_from_slice(&[y[1], if y[0] > 0.0 { -1.0 } else { 1.0 }]);
}

#[test]
fn a_guard_ends_the_step_where_it_crosses_zero() {
    for method in common::ANY {
        let mut problem = pieces(2, valley, &[]);
        problem.guards = vec![|_, y| y[0]];
        let mut stepper = common::stepper(method, 0.0, &[1.0, 0.0], 1e-9);
        let quarter = 2.0_f64.sqrt();
        let times: Vec<f64> = (0..=40).map(|k| 0.1 * quarter * f64::from(k)).collect();
        assert_eq!(run(&mut *stepper, &mut problem, &Plan::to(4.0 * quarter).at(times)), IntegrationOutcome::Finished);
        let bound = if method == Method::Rk4 { 1e-11 } else { 1e-7 };
        assert!(distance(stepper.y(), &[1.0, 0.0]) < bound, "{method}: {:?}", stepper.y());
        let found: Vec<f64> = problem.restarts.iter().map(Restart::t).collect();
        assert!(found.len() == 2, "{method}: {found:?}");
        assert!(distance(&found, &[quarter, 3.0 * quarter]) < bound, "{method}: {found:?}");
        for (t, y) in &problem.output {
            let arc = |t: f64| 1.0 - 0.5 * t * t;
            let expected = if *t < quarter {
                arc(*t)
            } else if *t < 3.0 * quarter {
                -arc(t - 2.0 * quarter)
            } else {
                arc(t - 4.0 * quarter)
            };
            assert!((y[0] - expected).abs() < bound, "{method} at {t}: {} {expected}", y[0]);
        }
    }
}

#[test]
fn a_guard_that_oscillates_within_a_long_step_is_followed() {
    // y' = 1 while sin 50 t > 0.2, otherwise 0: nothing else requires short steps.
    for method in common::ADAPTIVE {
        let mut problem = pieces(1, |t, _, dydt| dydt[0] = f64::from((50.0 * t).sin() > 0.2), &[]);
        problem.guards = vec![|t, _| (50.0 * t).sin() - 0.2];
        let mut stepper = common::stepper(method, 0.0, &[0.0], 1e-9);
        let periods = 12.0;
        run(&mut *stepper, &mut problem, &Plan::to(periods * std::f64::consts::TAU / 50.0));
        let share = (std::f64::consts::PI - 2.0 * 0.2_f64.asin()) / 50.0;
        assert!((stepper.y()[0] - periods * share).abs() < 1e-9, "{method}: {:?}", stepper.y());
        assert_eq!(problem.restarts.len(), 24, "{method}");
    }
}

#[test]
fn a_guard_that_starts_at_zero_spoils_no_step() {
    let mut problem = pieces(1, |t, _, dydt| dydt[0] = if t > 0.0 { 3.0 } else { -1e6 }, &[]);
    problem.guards = vec![|t, _| t];
    let mut stepper = common::stepper(Method::DormandPrince, 0.0, &[0.0], 1e-9);
    run(&mut *stepper, &mut problem, &Plan::to(1.0));
    assert!((stepper.y()[0] - 3.0).abs() < 1e-6, "{:?}", stepper.y());
    assert!(stepper.statistics().accepted < 30);
}

#[test]
fn a_guard_that_chatters_is_left_to_the_hook() {
    let mut problem = pieces(1, |_, y, dydt| dydt[0] = if y[0] > 0.0 { -1.0 } else { 1.0 }, &[]);
    problem.guards = vec![|_, y| y[0]];
    let mut stepper = common::stepper(Method::DormandPrince, 0.0, &[0.5], 1e-6);
    let outcome = run(&mut *stepper, &mut problem, &Plan::to(1.0));
    assert!(matches!(outcome, IntegrationOutcome::Stopped { t } if (t - 0.5).abs() < 1e-2), "{outcome:?}");
}
