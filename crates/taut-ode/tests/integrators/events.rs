//! Location of events.
#![allow(missing_docs)]

use crate::common;

use common::{ADAPTIVE, oscillator, stepper};
use taut_ode::{
    Direction, EventResponse, Events, Hook, IntegrationOutcome, Method, Plan, ProblemParts, Refusal, Resting, Settings,
    Stepper, System, integrate,
};

/// A ball over a floor at `floor`, with gravity 2 (so that `y = floor + h0 - t^2`) and restitution
/// 0.8.
struct Ball {
    floor: f64,
    direction: Direction,
    bounces: Vec<f64>,
    output: Vec<(f64, f64, f64)>,
}

impl Ball {
    fn new(floor: f64, direction: Direction) -> Self {
        Self { floor, direction, bounces: Vec::new(), output: Vec::new() }
    }
}

impl System for Ball {
    fn dimension(&self) -> usize {
        2
    }
    fn rates(&mut self, _: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Refusal> {
        dydt.copy_from_slice(&[y[1], -2.0]);
        Ok(())
    }
}

impl Events for Ball {
    fn event_count(&self) -> usize {
        1
    }
    fn direction(&self, _: usize) -> Direction {
        self.direction
    }
    fn values(&mut self, _: f64, y: &[f64], g: &mut [f64]) {
        g[0] = y[0] - self.floor;
    }
    fn fired(&mut self, _: usize, t: f64, y: &mut [f64]) -> EventResponse {
        self.bounces.push(t);
        y[1] *= -0.8;
        EventResponse::Jump
    }
}

impl Hook for Ball {
    fn output(&mut self, t: f64, y: &[f64]) {
        self.output.push((t, y[0], y[1]));
    }
}

/// `t_k = 1 + 2 sum_(j=1)^k 0.8^j`
fn bounce_times(count: usize) -> Vec<f64> {
    let mut times = vec![1.0];
    for k in 1..count {
        times.push(times[k - 1] + 2.0 * 0.8_f64.powi(k as i32));
    }
    times
}

#[test]
fn bouncing_ball_meets_its_closed_form() {
    for method in common::ANY {
        for direction in [Direction::Falling, Direction::Either] {
            for floor in [0.0, 10.0] {
                let mut ball = Ball::new(floor, direction);
                let mut stepper = stepper(method, 0.0, &[floor + 1.0, 0.0], 1e-6);
                // Bounces accumulate at t = 9; 20 of them are over before 8.9.
                let plan = Plan::to(8.9).every_step();
                let run = integrate(&mut *stepper, &mut ball, &plan).expect("valid plan");
                assert_eq!(run.outcome, IntegrationOutcome::Finished);
                let expected = bounce_times(20);
                assert!(ball.bounces.len() < 25, "{method}: {:?}", ball.bounces);
                for (t, expected) in ball.bounces.iter().zip(&expected) {
                    let error = (t - expected).abs();
                    let bound = if floor == 0.0 { 1e-12 } else { 1e-11 };
                    assert!(error < bound, "{method} {direction:?}: {error:e} at {expected}");
                }
                assert!(ball.bounces.len() >= 13);
                // Both sides of each jump are output, in order, and nothing below the floor.
                assert!(ball.output.windows(2).all(|pair| pair[0].0 <= pair[1].0));
                assert!(ball.output.iter().all(|(_, y, _)| *y > floor - 1e-12));
                let twice =
                    ball.output.windows(2).filter(|pair| pair[0].0 == pair[1].0 && pair[0].2 < 0.0 && pair[1].2 > 0.0);
                assert_eq!(twice.count(), ball.bounces.len());
            }
        }
    }
}

#[test]
fn a_jump_keeps_the_step_size() {
    let mut ball = Ball::new(0.0, Direction::Falling);
    let settings = Settings { h_first: Some(0.3), h_max: Some(0.3), ..Settings::default() };
    let stepper = Method::DormandPrince.stepper(0.0, &[1.0, 0.0], &settings);
    let mut stepper = stepper.expect("valid");
    let run = integrate(&mut *stepper, &mut ball, &Plan::to(1.3)).expect("valid plan");
    // 0.3, 0.6, 0.9, 1.2 cut to 1.0, 1.3.
    assert_eq!(run.statistics.accepted, 5);
    assert_eq!(run.statistics.rejected, 0);
}

/// Functions of time and state, each with its direction, recording what fires.
struct Functions<F> {
    directions: Vec<Direction>,
    values: F,
    action: fn(usize) -> EventResponse,
    fired: Vec<(usize, f64)>,
}

impl<F: FnMut(f64, &[f64], &mut [f64])> Events for Functions<F> {
    fn event_count(&self) -> usize {
        self.directions.len()
    }
    fn direction(&self, i: usize) -> Direction {
        self.directions[i]
    }
    fn values(&mut self, t: f64, y: &[f64], g: &mut [f64]) {
        (self.values)(t, y, g);
    }
    fn fired(&mut self, i: usize, t: f64, _: &mut [f64]) -> EventResponse {
        self.fired.push((i, t));
        (self.action)(i)
    }
}

/// Fires of functions along the oscillator `cos t, -sin t`.
fn fires(
    method: Method,
    (t0, t1): (f64, f64),
    directions: &[Direction],
    values: impl FnMut(f64, &[f64], &mut [f64]),
    action: fn(usize) -> EventResponse,
) -> (Vec<(usize, f64)>, IntegrationOutcome, Box<dyn Stepper>) {
    let mut stepper = stepper(method, t0, &[t0.cos(), -t0.sin()], 1e-11);
    let mut events = Functions { directions: directions.to_vec(), values, action, fired: Vec::new() };
    let mut parts = ProblemParts { system: &mut oscillator(), events: &mut events, hook: &mut () };
    let run = integrate(&mut *stepper, &mut parts, &Plan::to(t1)).expect("valid plan");
    (events.fired, run.outcome, stepper)
}

const PI: f64 = std::f64::consts::PI;

#[test]
fn directions_select_and_all_are_found_in_order() {
    for method in ADAPTIVE {
        let all = [Direction::Rising, Direction::Falling, Direction::Either];
        let values = |_: f64, y: &[f64], g: &mut [f64]| g.fill(y[0]);
        let (fired, outcome, _) = fires(method, (0.0, 10.0), &all, values, |_| EventResponse::Continue);
        assert_eq!(outcome, IntegrationOutcome::Finished);
        let tolerance = match method.order() {
            2 => 1e-5,
            3 => 1e-6,
            _ => 1e-8,
        };
        let expected = [(1, 0.5), (2, 0.5), (0, 1.5), (2, 1.5), (1, 2.5), (2, 2.5)];
        assert_eq!(fired.len(), expected.len(), "{method}: {fired:?}");
        for ((i, t), (expected_i, times_pi)) in fired.iter().zip(expected) {
            assert_eq!(*i, expected_i);
            assert!((t - times_pi * PI).abs() < tolerance, "{method}: {t}");
        }
    }
}

#[test]
fn directions_are_those_of_the_integration_when_it_goes_backward() {
    for method in ADAPTIVE {
        let values = |_: f64, y: &[f64], g: &mut [f64]| g.fill(y[0]);
        let directions = [Direction::Rising, Direction::Falling];
        let (fired, _, _) = fires(method, (0.0, -6.0), &directions, values, |_| EventResponse::Continue);
        let indices: Vec<usize> = fired.iter().map(|(i, _)| *i).collect();
        assert_eq!(indices, [1, 0], "{method}");
        assert!((fired[0].1 + 0.5 * PI).abs() < 1e-5 && (fired[1].1 + 1.5 * PI).abs() < 1e-5);
    }
}

#[test]
fn the_located_time_is_on_the_far_side() {
    for method in common::ANY {
        let values = |_: f64, y: &[f64], g: &mut [f64]| g[0] = y[0];
        let (fired, outcome, stepper) =
            fires(method, (0.0, 10.0), &[Direction::Either], values, |_| EventResponse::Stop);
        assert_eq!(outcome, IntegrationOutcome::Event { index: 0, t: fired[0].1 });
        assert_eq!(stepper.t(), fired[0].1);
        assert!(stepper.y()[0] <= 0.0 && stepper.y()[0] > -1e-14, "{method}");
    }
}

#[test]
fn an_event_zero_at_the_start_waits_until_it_has_left_zero() {
    for method in ADAPTIVE {
        // -sin t is zero at the start.
        let values = |_: f64, y: &[f64], g: &mut [f64]| g[0] = y[1];
        let (fired, _, _) = fires(method, (0.0, 4.0), &[Direction::Either], values, |_| EventResponse::Continue);
        assert_eq!(fired.len(), 1, "{method}: {fired:?}");
        assert!((fired[0].1 - PI).abs() < 1e-5);
        // Zero throughout: never.
        let values = |_: f64, _: &[f64], g: &mut [f64]| g[0] = 0.0;
        let (fired, _, _) = fires(method, (0.0, 4.0), &[Direction::Either], values, |_| EventResponse::Continue);
        assert!(fired.is_empty());
    }
}

#[test]
fn simultaneous_events_all_fire() {
    for method in ADAPTIVE {
        let values = |t: f64, y: &[f64], g: &mut [f64]| {
            // The same zero three times, by different roundings, and one a little later.
            g[0] = 3.0 - t;
            g[1] = 1.0 - t / 3.0;
            g[2] = (t - 3.0).sin() * (2.0 + y[0]);
            g[3] = t - 3.0 - 1e-9;
        };
        let (fired, outcome, stepper) = fires(method, (0.0, 10.0), &[Direction::Either; 4], values, |i| {
            if i == 1 { EventResponse::Stop } else { EventResponse::Jump }
        });
        let indices: Vec<usize> = fired.iter().map(|(i, _)| *i).collect();
        assert_eq!(indices, [0, 1, 2], "{method}: {fired:?}");
        assert!(fired.iter().all(|(_, t)| *t == fired[0].1));
        assert!((fired[0].1 - 3.0).abs() < 1e-14);
        assert_eq!(outcome, IntegrationOutcome::Event { index: 1, t: stepper.t() });
    }
}

#[test]
fn grazing_is_seen_if_it_reaches_through() {
    for method in ADAPTIVE {
        for (depth, count) in [(1e-6, 2), (1e-3, 2), (-1e-6, 0), (-1e-9, 0)] {
            // cos t + 1 touches zero at pi; lowered by `depth` it goes through and back.
            let values = |_: f64, y: &[f64], g: &mut [f64]| g[0] = y[0] + 1.0 - depth;
            let (fired, _, _) = fires(method, (0.0, 6.0), &[Direction::Either], values, |_| EventResponse::Continue);
            assert_eq!(fired.len(), count, "{method} {depth}: {fired:?}");
            if let [(_, first), (_, second)] = fired[..] {
                let half = (depth - 1.0_f64).acos();
                assert!((first - half).abs() < 1e-2 * (PI - half), "{method} {depth}");
                assert!((first + second - 2.0 * PI).abs() < 1e-2 * (PI - half), "{method}");
            }
        }
    }
}

#[test]
fn a_jump_to_zero_does_not_fire_again() {
    for method in ADAPTIVE {
        // A switch that stays where it is: every firing leaves g at zero and the state as it is.
        let values = |_: f64, y: &[f64], g: &mut [f64]| g[0] = y[0];
        let (fired, outcome, _) = fires(method, (0.0, 7.0), &[Direction::Either], values, |_| EventResponse::Jump);
        assert_eq!(outcome, IntegrationOutcome::Finished);
        assert_eq!(fired.len(), 2, "{method}: {fired:?}");
    }
}

#[test]
fn values_that_are_no_numbers_never_fire() {
    let values = |t: f64, _: &[f64], g: &mut [f64]| {
        g[0] = f64::NAN;
        g[1] = if t > 1.0 && t < 2.0 { f64::NAN } else { t - 1.5 };
    };
    let directions = [Direction::Either; 2];
    let range = (0.0, 4.0);
    let (fired, outcome, _) = fires(Method::Dop853, range, &directions, values, |_| EventResponse::Continue);
    assert_eq!(outcome, IntegrationOutcome::Finished);
    assert!(fired.len() <= 1 && fired.iter().all(|(i, _)| *i == 1), "{fired:?}");
}

#[test]
fn all_zeros_of_an_oscillation_are_found_within_one_step() {
    // A state that does not change lets the whole run be one step.
    struct Rest;
    impl System for Rest {
        fn dimension(&self) -> usize {
            1
        }
        fn rates(&mut self, _: f64, _: &[f64], dydt: &mut [f64]) -> Result<(), Refusal> {
            dydt.fill(0.0);
            Ok(())
        }
    }
    let found = |t_end: f64, values: fn(f64, &[f64], &mut [f64])| {
        let mut stepper = stepper(Method::Dop853, 0.0, &[0.0], 1e-9);
        let directions = vec![Direction::Either];
        let mut events = Functions { directions, values, action: |_| EventResponse::Continue, fired: Vec::new() };
        let mut parts = ProblemParts { system: &mut Rest, events: &mut events, hook: &mut () };
        integrate(&mut *stepper, &mut parts, &Plan::to(t_end)).expect("valid plan");
        events.fired
    };
    let fired = found(10.0, |t, _, g| g[0] = (50.0 * t).sin());
    assert_eq!(fired.len(), 159);
    for (k, (_, t)) in fired.iter().enumerate() {
        assert!((t - (k + 1) as f64 * PI / 50.0).abs() < 1e-13, "{k}: {t}");
    }
    // The zeros of sin(t²) become denser towards the end: k = 1 … 127 below 20.
    assert_eq!(found(20.0, |t, _, g| g[0] = (t * t).sin()).len(), 127);
    // Periods in simple ratios to the step, and a narrow minimum elsewhere.
    for n in [1.0, 4.0, 64.0, 128.0, 1000.0] {
        let fired = match n as usize {
            1 => found(1.0, |t, _, g| g[0] = (2.0 * PI * t + 1e-3).sin()),
            4 => found(1.0, |t, _, g| g[0] = (8.0 * PI * t + 1e-3).sin()),
            64 => found(1.0, |t, _, g| g[0] = (128.0 * PI * t + 1e-3).sin()),
            128 => found(1.0, |t, _, g| g[0] = (256.0 * PI * t + 1e-3).sin()),
            _ => found(1.0, |t, _, g| g[0] = (2000.0 * PI * t + 1e-3).sin()),
        };
        assert_eq!(fired.len(), 2 * n as usize, "{n}");
    }
    let fired = found(100.0, |t, _, g| g[0] = ((t - 71.3) * 100.0).hypot(0.005) - 0.01);
    assert_eq!(fired.len(), 2, "{fired:?}");
}

#[test]
fn what_touches_zero_is_reported_and_does_not_fire() {
    type Function = fn(f64, &[f64], &mut [f64]);
    struct Touching(Functions<Function>, Vec<f64>);
    impl Events for Touching {
        fn event_count(&self) -> usize {
            1
        }
        fn direction(&self, i: usize) -> Direction {
            self.0.direction(i)
        }
        fn values(&mut self, t: f64, y: &[f64], g: &mut [f64]) {
            self.0.values(t, y, g);
        }
        fn fired(&mut self, i: usize, t: f64, y: &mut [f64]) -> EventResponse {
            self.0.fired(i, t, y)
        }
        fn touched(&mut self, _: usize, t: f64, _: &[f64]) {
            self.1.push(t);
        }
    }
    // cos t along the oscillator, and of the time alone; from above and from below.
    let functions: [(Function, Direction); 4] = [
        (|t, _, g| g[0] = 1.0 - t.cos(), Direction::Either),
        (|t, _, g| g[0] = t.cos() - 1.0, Direction::Rising),
        (|_, y, g| g[0] = 1.0 - y[0], Direction::Falling),
        (|_, y, g| g[0] = y[0] - 1.0, Direction::Either),
    ];
    for (k, (values, direction)) in functions.into_iter().enumerate() {
        let mut stepper = stepper(Method::Dop853, 0.0, &[1.0, 0.0], 1e-13);
        let inner =
            Functions { directions: vec![direction], values, action: |_| EventResponse::Continue, fired: Vec::new() };
        let mut events = Touching(inner, Vec::new());
        let mut parts = ProblemParts { system: &mut oscillator(), events: &mut events, hook: &mut () };
        integrate(&mut *stepper, &mut parts, &Plan::to(20.0)).expect("valid plan");
        assert!(events.0.fired.is_empty(), "{k}: {:?}", events.0.fired);
        assert_eq!(events.1.len(), 3, "{k}: {:?}", events.1);
        for (n, t) in events.1.iter().enumerate() {
            assert!((t - 2.0 * PI * (n + 1) as f64).abs() < 1e-5, "{k}: {t}");
        }
    }
}

/// x' = 1 with an event function that jumps from −1 to 1 at x = 0.5, and a projection that moves the state at the event back to
/// before the jump.
#[derive(Default)]
struct MovedBack {
    fires: Vec<f64>,
    stops: bool,
    resting: Option<(f64, Resting)>,
}

impl System for MovedBack {
    fn dimension(&self) -> usize {
        1
    }
    fn rates(&mut self, _: f64, _: &[f64], dydt: &mut [f64]) -> Result<(), Refusal> {
        dydt[0] = 1.0;
        Ok(())
    }
}

impl Events for MovedBack {
    fn event_count(&self) -> usize {
        1
    }
    fn values(&mut self, _: f64, y: &[f64], g: &mut [f64]) {
        g[0] = if y[0] < 0.5 { -1.0 } else { 1.0 };
    }
    fn set_resting(&mut self, _: usize, t: f64, resting: Resting) {
        self.resting = Some((t, resting));
    }
    fn resting(&self, _: usize, t: f64) -> Option<Resting> {
        self.resting.filter(|(at, _)| *at == t).map(|(_, resting)| resting)
    }
    fn fired(&mut self, _: usize, t: f64, _: &mut [f64]) -> EventResponse {
        self.fires.push(t);
        if self.stops { EventResponse::JumpAndStop } else { EventResponse::Jump }
    }
}

impl Hook for MovedBack {
    fn refine(&mut self, _: f64, y: &mut [f64]) -> Result<(), Refusal> {
        y[0] -= 1e-9;
        Ok(())
    }
}

#[test]
fn a_jumping_event_whose_state_was_moved_back_does_not_fire_again_after_a_cut() {
    for stops in [false, true] {
        let mut problem = MovedBack { stops, ..MovedBack::default() };
        let mut stepper = common::stepper(Method::Dop853, 0.0, &[0.0], 1e-6);
        let mut pieces = 0;
        while stepper.t() < 1.0 && pieces < 9 {
            let run = integrate(&mut *stepper, &mut problem, &Plan::to(1.0)).expect("valid plan");
            assert!(matches!(run.outcome, IntegrationOutcome::Finished | IntegrationOutcome::Event { .. }), "{run:?}");
            pieces += 1;
        }
        assert_eq!((problem.fires.len(), pieces), (1, if stops { 2 } else { 1 }), "{:?}", problem.fires);
    }
}
