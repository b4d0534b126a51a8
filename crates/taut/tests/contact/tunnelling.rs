//! Contacts that open and close within one step: none is missed, however fast, small or short.

use taut::analyses::{Transient, simulate};
use taut::contacts::{ContactRule, HuntCrossley, RigidContact, Surface};
use taut::forces::{Cable, Spring};
use taut::laws::{Impact, ImpactLaw};
use taut::shapes::Shape;
use taut::signals::ForceLaw;
use taut::{Action, EventKind, Frame, Measure, MinimumDistance, Outcome, PlanarBody, PointMass, RigidBody, Rope};
use taut::{Solution, Spec, Stop, Trigger};

const PI: f64 = std::f64::consts::PI;

fn run(spec: &Spec, settings: &Transient) -> Solution {
    let model = spec.build().unwrap();
    let solution = simulate(&model, &model.initial_state(), settings).unwrap();
    assert_eq!(solution.outcome, Outcome::Finished, "{}", solution.outcome);
    solution
}

fn times(solution: &Solution, what: EventKind) -> Vec<f64> {
    solution.events.iter().filter(|o| o.what == what).map(|o| o.t).collect()
}

fn last(solution: &Solution, name: &str) -> f64 {
    solution.last(name).unwrap()
}

fn close(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance, "{what}: {found}, not {expected} ({:.1e})", found - expected);
}

fn bounce(e: f64) -> Impact {
    Impact { law: ImpactLaw::Newton, restitution: e }
}

fn ball(r: f64, m: f64, at: [f64; 3], v: [f64; 3]) -> RigidBody {
    RigidBody::new(m, [0.4 * m * r * r; 3]).at(at).moving(v, [0.0; 3])
}

/// Two balls of one size that fly at each other along x from ±d with speed v.
fn two_balls(r: f64, d: f64, v: f64, contact: impl Into<taut::contacts::ContactKind>) -> Spec {
    let mut spec = Spec::new();
    spec.body("a", ball(r, 1.0, [-d, 0.0, 0.0], [v, 0.0, 0.0]))
        .body("b", ball(r, 1.0, [d, 0.0, 0.0], [-v, 0.0, 0.0]))
        .surface("a", Surface::new("a", Shape::Sphere { radius: r }))
        .surface("b", Surface::new("b", Shape::Sphere { radius: r }))
        .contact("c", ContactRule::pair("a", "b", contact));
    spec
}

#[test]
fn fast_balls_do_not_pass_through_each_other() {
    // They meet after (50 − 0.01)/100 s and exchange their speeds: x = −0.01 − 100 (100 − 0.4999).
    let s =
        run(&two_balls(0.01, 50.0, 100.0, RigidContact::SMOOTH.restitution(1.0)), &Transient::to(100.0).every(10.0));
    close(times(&s, EventKind::Impact)[0], 0.4999, 1e-12, "meet");
    close(last(&s, "a.x"), -9950.02, 1e-6, "turned back");
    for (r, d, v) in [(1e-3, 10.0, 1000.0), (1e-3, 0.5, 0.01), (0.5, 5000.0, 300.0), (1e-3, 100.0, 1000.0)] {
        let s = run(&two_balls(r, d, v, RigidContact::SMOOTH.restitution(1.0)), &Transient::to(3.0 * d / v));
        close(times(&s, EventKind::Impact)[0], (d - r) / v, 1e-11 * d / v, "meet");
        close(last(&s, "a.vx"), -v, 1e-9 * v, "turned back");
    }
}

#[test]
fn a_point_does_not_fly_through_a_separator() {
    // It flies 0.005 off the centre of a ball of radius 0.01 and is reflected by its surface.
    let mut spec = Spec::new();
    let (b, l, v) = (0.005, 0.01, 100.0);
    spec.body("a", PointMass::new(1.0, [-50.0, b, 0.0]).moving([v, 0.0, 0.0]))
        .constraint("s", MinimumDistance::new("ground", "a", l).impact(bounce(1.0)));
    let s = run(&spec, &Transient::to(100.0).every(10.0));
    let (sine, cosine) = (b / l, (1.0 - (b / l) * (b / l)).sqrt());
    close(times(&s, EventKind::Impact)[0], (50.0 - l * cosine) / v, 1e-13, "meets");
    close(last(&s, "a.vx"), v * (1.0 - 2.0 * cosine * cosine), 1e-9, "vx");
    close(last(&s, "a.vy"), v * 2.0 * sine * cosine, 1e-9, "vy");
    // The same as a lower limit of a distance, and one that it just misses.
    for (offset, hits) in [(0.005, 1), (0.0099999, 1), (0.0100001, 0)] {
        let mut spec = Spec::new();
        spec.body("a", PointMass::new(1.0, [-50.0, offset, 0.0]).moving([v, 0.0, 0.0]))
            .constraint("s", Stop::lower(Measure::distance("ground", "a"), l).impact(bounce(1.0)));
        let s = run(&spec, &Transient::to(100.0));
        assert_eq!(times(&s, EventKind::Impact).len(), hits, "{offset}");
    }
}

#[test]
fn a_rope_goes_taut_and_slack_within_a_step() {
    // Thrown up from under the eyelet, it would rise above the length of the rope by a millimetre and come back.
    let (g, l): (f64, f64) = (9.81, 1.0);
    for over in [1e-3, 1e-7] {
        let v = (2.0 * g * (l + over)).sqrt();
        let mut spec = Spec::new();
        spec.gravity([0.0, 0.0, -g])
            .body("bob", PointMass::new(1.0, [0.0; 3]).moving([0.0, 0.0, v]))
            .constraint("rope", Rope::new(&["ground", "bob"], l).impact(bounce(0.5)));
        let s = run(&spec, &Transient::to(0.4 + v / g));
        let up = (2.0 * g * over).sqrt();
        let t = (v - up) / g;
        close(times(&s, EventKind::Impact)[0], t, 1e-9, "taut");
        // Thrown back with half the speed, it falls for the rest of the time.
        let rest = 0.4 + v / g - t;
        close(last(&s, "bob.vz"), -0.5 * up - g * rest, 1e-7, "thrown back");
    }
}

#[test]
fn a_stop_is_hit_and_left_within_a_step() {
    // On a spring, s = sin t: the stop at 0.999999 is beyond the way for 3 ms about the quarter of a period.
    for at in [0.99, 0.999_999] {
        let mut spec = Spec::new();
        spec.body("m", PointMass::new(1.0, [0.0; 3]).moving([1.0, 0.0, 0.0]))
            .force("spring", Spring::new(Measure::coordinate("m.x"), ForceLaw::expression("-s").unwrap()))
            .constraint("stop", Stop::upper(Measure::coordinate("m.x"), at).impact(bounce(1.0)));
        let s = run(&spec, &Transient::to(2.5).tolerance(1e-10, 1e-12));
        close(times(&s, EventKind::Impact)[0], f64::asin(at), 1e-6, "hit");
        close(last(&s, "m.x"), (2.0 * f64::asin(at) - 2.5).sin(), 1e-8, "thrown back");
    }
}

#[test]
fn a_bullet_does_not_pass_through_a_thin_plate() {
    for (r, thickness, v) in [(1e-3, 1e-3, 1000.0), (1e-3, 1e-4, 300.0), (0.1, 1e-3, 50.0)] {
        let mut spec = Spec::new();
        spec.body("bullet", ball(r, 0.01, [0.01, 0.02, 10.0], [0.0, 0.0, -v]))
            .surface("bullet", Surface::new("bullet", Shape::Sphere { radius: r }))
            .surface("plate", Surface::new("ground", Shape::Box { size: [2.0, 2.0, thickness] }))
            .contact("c", ContactRule::pair("bullet", "plate", RigidContact::SMOOTH.restitution(0.5)));
        let s = run(&spec, &Transient::to(30.0 / v));
        close(times(&s, EventKind::Impact)[0], (10.0 - r - 0.5 * thickness) / v, 1e-12, "meets");
        close(last(&s, "bullet.vz"), 0.5 * v, 1e-9 * v, "comes back");
    }
}

#[test]
fn a_corner_that_sweeps_past_a_wall_is_detected() {
    // A plate of 2 m that turns evenly about a fixed axle; a wall is reached by its corners alone, 0.1 mm deep, once in half a
    // turn. The whole run would be few steps.
    let reach = f64::hypot(1.0, 0.05);
    let mut spec = Spec::new();
    spec.body("blade", PlanarBody::new(1.0, 0.4).at([0.0; 2], 0.5).moving([0.0; 2], 40.0))
        .marker("ground.wall", Frame::at([reach - 1e-4 + 0.01, 0.0, 0.0]))
        .surface("blade", Surface::new("blade", Shape::Rectangle { size: [2.0, 0.1] }))
        .surface("wall", Surface::new("ground.wall", Shape::Rectangle { size: [0.02, 4.0] }))
        .constraint("axle", taut::Joint::pin("ground", "blade"))
        .contact("c", ContactRule::pair("blade", "wall", RigidContact::SMOOTH.restitution(1.0)));
    let s = run(&spec, &Transient::to(0.1));
    assert!(!times(&s, EventKind::Impact).is_empty());
    // The near corner of the far end, at π − atan 0.05 in front of the edge, meets the wall 0.1 mm before its summit.
    let depth = f64::acos((reach - 1e-4) / reach);
    let first = (PI - f64::atan(0.05) - depth - 0.5) / 40.0;
    close(times(&s, EventKind::Impact)[0], first, 1e-9, "meets");
}

#[test]
fn compliant_balls_neither_gain_energy_nor_pass_through() {
    // 1 J of either ball: they turn back with what the dissipation leaves.
    for (r, d, v, stiffness) in [
        (0.2, 1.0, 1.0, 1e8),
        (0.2, 1.3, 1.0, 1e8),
        (0.05, 20.0, 1.0, 1e8),
        (0.01, 50.0, 100.0, 1e12),
        (1e-3, 10.0, 1000.0, 1e15),
    ] {
        for exponent in [1.0, 1.5] {
            let law = HuntCrossley::new(stiffness).exponent(exponent);
            let settings = Transient::to(4.0 * d / v).every(d / v).tolerance(1e-10, 1e-13);
            let s = run(&two_balls(r, d, v, law), &settings);
            close(times(&s, EventKind::Closes)[0], (d - r) / v, 1e-9 * d / v, "meet");
            assert_eq!(times(&s, EventKind::Opens).len(), 1);
            close(last(&s, "a.vx"), -v, 1e-7 * v, "turned back");
            close(last(&s, "energy.balance"), 0.0, 1e-7 * v * v, "balance");
            let s = run(&two_balls(r, d, v, law.dissipation(0.2 / v)), &settings);
            let back = -last(&s, "a.vx") / v;
            assert!(back > 0.6 && back < 0.95, "{back}");
            close(last(&s, "energy.balance"), 0.0, 1e-7 * v * v, "balance with dissipation");
        }
    }
}

#[test]
fn a_stiff_cable_goes_taut_between_two_stages() {
    // It flies freely for 99 m and is turned back by the cable within microseconds.
    for stiffness in [1e4, 1e10] {
        let mut spec = Spec::new();
        spec.body("m", PointMass::new(1.0, [1.0, 0.0, 0.0]).moving([10.0, 0.0, 0.0]))
            .force("cable", Cable::new("ground", "m", stiffness, 100.0));
        let s = run(&spec, &Transient::to(15.0).tolerance(1e-10, 1e-12));
        let held = PI / f64::sqrt(stiffness);
        close(last(&s, "m.x"), 100.0 - 10.0 * (15.0 - 9.9 - held), 1e-6, "turned back");
        close(last(&s, "m.vx"), -10.0, 1e-7, "turned back");
    }
}

#[test]
fn no_event_is_missed() {
    let all = |when: &str, t_end: f64| {
        let mut spec = Spec::new();
        spec.body("m", PointMass::new(1.0, [0.0; 3]).moving([1.0, 0.0, 0.0]))
            .event("e", Trigger::when(when).then(Action::Record));
        let s = run(&spec, &Transient::to(t_end).every(1.0));
        assert!(s.warnings.is_empty(), "{:?}", s.warnings);
        times(&s, EventKind::Event)
    };
    let found = all("sin(50*t)", 10.0);
    assert_eq!(found.len(), 159);
    found.iter().enumerate().for_each(|(k, t)| close(*t, (k + 1) as f64 * PI / 50.0, 1e-12, "zero"));
    // Zeros of the motion (x = t), of motion and time, closely spaced, and many.
    let found = all("sin(50*m.x)", 10.0);
    assert_eq!(found.len(), 159);
    found.iter().enumerate().for_each(|(k, t)| close(*t, (k + 1) as f64 * PI / 50.0, 1e-9, "zero of the motion"));
    assert_eq!(all("sin(30*t)*cos(20*m.x)", 10.0).len(), 95 + 64);
    assert_eq!(all("sin(t^2)", 20.0).len(), 127);
    assert_eq!(all("cos(2*pi*100*t)", 10.0).len(), 2000);
    assert_eq!(all("sqrt((m.x - 7.3)^2 + 1e-10) - 2e-5", 10.0).len(), 2);
}

#[test]
fn unresolved_events_are_reported() {
    let mut spec = Spec::new();
    spec.body("m", PointMass::new(1.0, [0.0; 3]).moving([1.0, 0.0, 0.0])).event("e", Trigger::when("sin(1e7*t)"));
    let s = run(&spec, &Transient::to(10.0).every(1.0));
    assert!(s.warnings.iter().any(|w| w.message.contains("`e` could not be followed")), "{:?}", s.warnings);
}

#[test]
fn an_event_that_touches_zero_fires() {
    let mut spec = Spec::new();
    spec.body("m", PointMass::new(1.0, [0.0; 3]).moving([1.0, 0.0, 0.0]))
        .body("n", PointMass::new(1.0, [0.0; 3]))
        .event("over", Trigger::when("1 - cos(t)").then(Action::impulse("n", [1.0, 0.0, 0.0])))
        .event("under", Trigger::when("cos(m.x) - 1").rising().then(Action::Stop))
        .event("wrong_side", Trigger::when("cos(m.x) - 1").falling());
    let s = run(&spec, &Transient::to(15.0).tolerance(1e-12, 1e-12));
    let of = |name: &str, what| s.events.iter().filter(|o| o.name == name && o.what == what).count();
    assert_eq!((of("over", EventKind::Touches), of("under", EventKind::Touches)), (2, 2), "{:?}", s.events);
    assert_eq!((of("wrong_side", EventKind::Touches), times(&s, EventKind::Event).len()), (0, 0), "{:?}", s.events);
    assert_eq!(last(&s, "n.vx"), 0.0);
}
