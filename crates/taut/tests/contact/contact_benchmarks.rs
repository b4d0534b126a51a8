//! Contact of shapes, event by event, against closed forms: the contact problems of the benchmark collection.
#![allow(non_snake_case)]

use taut::analyses::{Transient, simulate};
use taut::contacts::{ContactRule, HuntCrossley, RigidContact, Surface};
use taut::laws::{Friction, ImpactLaw};
use taut::shapes::Shape;
use taut::{Action, EventKind, FormulaForce, Measure, Orientation, Outcome, PlanarBody, RigidBody, Solution, Spec};
use taut::{Trigger, Variable};

const G: f64 = 9.81;

fn times(solution: &Solution, what: EventKind) -> Vec<f64> {
    solution.events.iter().filter(|o| o.what == what).map(|o| o.t).collect()
}

fn tight(t: f64) -> Transient {
    Transient::to(t).every(t / 50.0).tolerance(1e-12, 1e-12)
}

fn run(spec: &Spec, settings: &Transient) -> Solution {
    let model = spec.build().unwrap();
    let solution = simulate(&model, &model.initial_state(), settings).unwrap();
    assert_eq!(solution.outcome, Outcome::Finished, "{}", solution.outcome);
    solution
}

fn close(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance, "{what}: {found}, not {expected} ({:.1e})", found - expected);
}

fn last(solution: &Solution, name: &str) -> f64 {
    solution.last(name).unwrap()
}

fn sphere(r: f64, p: [f64; 3]) -> RigidBody {
    RigidBody::new(1.0, [0.4 * r * r; 3]).at(p)
}

fn on_floor(body: RigidBody, shape: Shape, kind: RigidContact) -> Spec {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G])
        .body("body", body)
        .surface("skin", Surface::new("body", shape))
        .surface("floor", Surface::new("ground", Shape::HalfSpace {}))
        .contact("touch", ContactRule::pair("skin", "floor", kind));
    spec
}

#[test]
fn bouncing_ball_with_accumulating_impacts() {
    // CT-BALL: R = 0.1, centre dropped from 1, e = 0.9.
    let ball =
        on_floor(sphere(0.1, [0.0, 0.0, 1.0]), Shape::Sphere { radius: 0.1 }, RigidContact::SMOOTH.restitution(0.9));
    let s = run(&ball, &tight(9.0));
    let hits = times(&s, EventKind::Impact);
    let known = [
        0.4283529368781193,
        1.199388223258734,
        1.8933199810012873,
        2.5178585629695855,
        3.0799432867410537,
        3.5858195381353744,
    ];
    for (found, known) in hits.iter().zip(known) {
        close(*found, known, 1e-10, "impact");
    }
    close(times(&s, EventKind::Rests)[0], 8.138705800684269, 1e-9, "comes to rest");
    assert_eq!(times(&s, EventKind::Rests).len(), 1);
    close(last(&s, "body.z"), 0.1, 1e-15, "height at rest");
    close(last(&s, "touch.lost"), 0.9 * G, 1e-9, "everything is lost");
    close(last(&s, "energy.balance"), 0.0, 1e-10, "balance");
    assert_eq!(last(&s, "freedoms"), 5.0);
    assert_eq!(s.column("freedoms").unwrap()[0], 6.0);
}

/// A block of 0.2 × 0.1 on a slope, which lies along x.
fn block(theta: f64, friction: Friction, v: f64) -> Spec {
    let theta = theta.to_radians();
    let mut kind = RigidContact::SMOOTH;
    kind.friction = friction;
    let mut spec = Spec::new();
    spec.gravity([-G * theta.sin(), -G * theta.cos(), 0.0])
        .body("block", PlanarBody::new(1.0, 1.0 / 240.0).at([0.0, 0.05], 0.0).moving([v, 0.0], 0.0))
        .surface("skin", Surface::new("block", Shape::Rectangle { size: [0.2, 0.1] }))
        .surface("slope", Surface::new("ground", Shape::HalfPlane {}))
        .contact("touch", ContactRule::pair("skin", "slope", kind));
    spec
}

#[test]
fn block_on_a_slope() {
    // CT-INCLINE, as a body with two corners that share the load unequally.
    let mu = Friction::same(0.4);
    let s = run(&block(20.0, mu, 0.0), &Transient::to(1000.0).every(10.0));
    let x = s.column("block.x").unwrap();
    assert!(x.iter().all(|x| *x == 0.0), "creeps {:e}", x.iter().fold(0.0, |a: f64, x| a.max(x.abs())));
    let held: f64 = (1..=4).filter_map(|i| s.last(&format!("touch.{i}.lambda_slip1")).ok()).sum();
    // The slip of the block against the slope points along −x for +x of the block, or the other way.
    close(held.abs(), 3.355217606, 1e-9, "friction that holds it");
    let s = run(&block(30.0, mu, 0.0), &tight(1.0));
    close(last(&s, "block.ax"), -1.5067163155498622, 1e-10, "slides");
    close(last(&s, "block.x"), -0.5 * 1.5067163155498622, 1e-10, "slides");
    let s = run(&block(20.0, mu, 2.0), &tight(1.0));
    close(times(&s, EventKind::Sticks)[0], 0.28398717914366417, 1e-10, "stops");
    close(last(&s, "block.x"), 0.28398717914366417, 1e-10, "stops after");
    close(last(&s, "energy.balance"), 0.0, 1e-12, "balance");
}

#[test]
fn slow_tilt_slips_at_the_friction_angle_of_the_block() {
    // Two corners with N₁ ≠ N₂: the sum of their friction bounds decides, not each bound alone.
    let theta = (0.5_f64).atan().to_degrees();
    let mu = Friction { stick: 0.5, slip: 0.3 };
    let s = run(&block(theta - 1e-6, mu, 0.0), &Transient::to(1.0));
    assert_eq!(last(&s, "block.x"), 0.0);
    let s = run(&block(theta + 1e-6, mu, 0.0), &tight(1.0));
    let (sin, cos) = ((theta + 1e-6).to_radians().sin(), (theta + 1e-6).to_radians().cos());
    close(last(&s, "block.x"), -0.5 * G * (sin - 0.3 * cos), 1e-9, "slides");
}

#[test]
fn a_sphere_slides_until_it_rolls() {
    // CT-SLIDEROLL.
    let ball = sphere(0.1, [0.0, 0.0, 0.1]).moving([2.0, 0.0, 0.0], [0.0; 3]);
    let spec = on_floor(ball, Shape::Sphere { radius: 0.1 }, RigidContact::SMOOTH.friction(0.2));
    let s = run(&spec, &tight(1.0));
    close(times(&s, EventKind::Sticks)[0], 0.29124799767001597, 1e-10, "rolls");
    close(last(&s, "body.vx"), 1.4285714285714286, 1e-11, "speed");
    close(last(&s, "body.x"), 0.4992822817200274 + 1.4285714285714286 * (1.0 - 0.29124799767001597), 1e-10, "way");
    close(last(&s, "touch.lost"), 2.0 - 0.7 * 1.4285714285714286_f64.powi(2), 1e-11, "lost");
}

#[test]
fn rolling_and_spinning_friction_bring_it_to_rest() {
    let (r, roll, spin) = (0.1, 0.002, 0.001);
    let ball = sphere(r, [0.0, 0.0, r]).moving([1.0, 0.0, 0.0], [0.0, 10.0, 3.0]);
    let kind = RigidContact { rolling_friction: roll, torsional_friction: spin, ..RigidContact::SMOOTH.friction(0.5) };
    let s = run(&on_floor(ball, Shape::Sphere { radius: r }, kind), &tight(8.0));
    // Rolling: (7/5) m r a = −m g roll / … about the point of contact: (7/5) m r² α = −m g roll.
    let stop = 1.0 / (G * roll / r / 1.4);
    let spun = 3.0 * 0.4 * r * r / (G * spin);
    let sticks = times(&s, EventKind::Sticks);
    assert!(sticks.iter().any(|t| (t - stop).abs() < 1e-9), "{sticks:?} {stop}");
    assert!(sticks.iter().any(|t| (t - spun).abs() < 1e-9), "{sticks:?} {spun}");
    close(last(&s, "body.x"), 0.5 * stop, 1e-9, "way");
    assert_eq!(last(&s, "freedoms"), 0.0);
}

/// Five circles in a row; the first `moving` come in with unit speed.
fn cradle(law: ImpactLaw, moving: usize) -> Vec<f64> {
    let mut spec = Spec::new();
    for i in 0..5_u32 {
        let comes = (i as usize) < moving;
        let (x, v) = (0.2 * f64::from(i) - if comes { 0.1 } else { 0.0 }, if comes { 1.0 } else { 0.0 });
        spec.body(&format!("b{i}"), PlanarBody::new(1.0, 0.004).at([x, 0.0], 0.0).moving([v, 0.0], 0.0))
            .surface(&format!("s{i}"), Surface::new(&format!("b{i}"), Shape::Circle { radius: 0.1 }));
    }
    let mut kind = RigidContact::SMOOTH.restitution(1.0);
    kind.impact.law = law;
    spec.contact("touch", ContactRule::all(kind));
    let s = run(&spec, &tight(0.5));
    (0..5).map(|i| last(&s, &format!("b{i}.vx"))).collect()
}

#[test]
fn newtons_cradle_under_each_law_of_impact() {
    // CT-CRADLE: momentum and energy to 1e-10 under all; only impacts in sequence pass the motion on.
    for law in [ImpactLaw::Sequential, ImpactLaw::Newton, ImpactLaw::Poisson] {
        for moving in [1, 2] {
            let v = cradle(law, moving);
            close(v.iter().sum(), moving as f64, 1e-10, "momentum");
            close(v.iter().map(|v| v * v).sum(), moving as f64, 1e-10, "energy");
            if law == ImpactLaw::Sequential {
                let out = |i: usize| if i + moving >= 5 { 1.0 } else { 0.0 };
                (0..5).for_each(|i| close(v[i], out(i), 1e-12, "passed on"));
            }
        }
    }
    close(cradle(ImpactLaw::Newton, 1)[0], -0.6, 1e-10, "all at once do not");
}

#[test]
fn a_block_hits_a_sphere_without_rebound() {
    // CT-INELASTIC: 100 N for 0.01 s, gap 0.995. The force ends at an event: found by step control it would cost 1e-6 s.
    let mut spec = Spec::new();
    spec.event("over", Trigger::at(0.01).then(Action::set("push.value", "0")));
    spec.body("push", Variable::new(100.0))
        .body("block", RigidBody::new(1.0, [1.0 / 6.0; 3]))
        .body("ball", RigidBody::new(1.0, [0.1; 3]).at([0.5 + 0.995 + 0.5, 0.0, 0.0]))
        .force("pushed", FormulaForce::new(Measure::coordinate("block.x"), "push.value").unwrap())
        .surface("box", Surface::new("block", Shape::Box { size: [1.0, 1.0, 1.0] }))
        .surface("round", Surface::new("ball", Shape::Sphere { radius: 0.5 }))
        .contact("touch", ContactRule::pair("box", "round", RigidContact::SMOOTH));
    let s = run(&spec, &tight(2.0));
    close(times(&s, EventKind::Impact)[0], 1.0, 1e-10, "impact");
    close(last(&s, "block.vx"), 0.5, 1e-10, "block");
    close(last(&s, "ball.vx"), 0.5, 1e-10, "ball");
}

#[test]
fn a_box_dropped_on_its_corner_comes_to_rest_flat() {
    let turned = Orientation::RotationVector([0.3, 0.4, 0.0]);
    let body = RigidBody::new(1.0, [0.02, 0.03, 0.04]).at([0.0, 0.0, 0.6]).oriented(turned);
    let kind = RigidContact::SMOOTH.friction(0.4).restitution(0.3);
    let s = run(&on_floor(body, Shape::Box { size: [0.3, 0.4, 0.5] }, kind), &Transient::to(3.0).every(0.05));
    close(last(&s, "body.z"), 0.25, 1e-12, "flat");
    assert!(last(&s, "energy.kinetic") < 1e-20);
    assert_eq!(last(&s, "freedoms"), 0.0);
    close(last(&s, "energy.balance"), 0.0, 1e-6, "balance");
}

#[test]
fn a_box_falls_on_a_box() {
    // Face contact: contact points are bound as they appear, with a different order of the axes.
    let cube = |z: f64| RigidBody::new(1.0, [1.0 / 600.0; 3]).at([0.0, 0.0, z]);
    let (low, high) = (cube(0.05), cube(0.25).oriented(Orientation::RotationVector([0.0, 0.0, 0.5])));
    // Whichever of the two comes first, the normal points up or down in its axes.
    for order in [[("low", &low), ("high", &high)], [("high", &high), ("low", &low)]] {
        let mut spec = Spec::new();
        spec.gravity([0.0, 0.0, -G]).surface("floor", Surface::new("ground", Shape::HalfSpace {}));
        for (name, body) in order {
            spec.body(name, body.clone());
            spec.surface(name, Surface::new(name, Shape::Box { size: [0.1, 0.1, 0.1] }));
        }
        spec.contact("touch", ContactRule::all(RigidContact::SMOOTH.friction(0.5)));
        let s = run(&spec, &Transient::to(2.0).every(0.05));
        close(times(&s, EventKind::Impact)[0], (2.0 * 0.1 / G).sqrt(), 1e-9, "falls");
        close(last(&s, "high.z"), 0.15, 1e-13, "lies");
        close(last(&s, "low.z"), 0.05, 1e-13, "stays");
        assert_eq!(last(&s, "freedoms"), 0.0);
    }
}

#[test]
fn a_hexagon_tumbles_over_its_corners() {
    // On a table of a finite width its corners are found one after the other; on a line they are always the same.
    let corner = |i: i32| {
        [
            0.1 * (f64::from(i) * std::f64::consts::FRAC_PI_3).cos(),
            0.1 * (f64::from(i) * std::f64::consts::FRAC_PI_3).sin(),
        ]
    };
    let table = |shape: Shape, y: f64| {
        let mut spec = Spec::new();
        let wheel = PlanarBody::new(1.0, 0.004).at([0.0, 0.1 * 0.75_f64.sqrt()], 0.0).moving([0.6, 0.0], -7.0);
        spec.gravity([1.5, -G, 0.0])
            .marker("ground.table", taut::Frame::at([0.0, y, 0.0]))
            .body("nut", wheel)
            .surface("skin", Surface::new("nut", Shape::Polygon { points: (0..6).map(corner).collect() }))
            .surface("table", Surface::new("ground.table", shape))
            .contact("touch", ContactRule::pair("skin", "table", RigidContact::SMOOTH.friction(0.8)));
        run(&spec, &Transient::to(1.0).every(0.05).tolerance(1e-10, 1e-10))
    };
    let (line, finite) = (table(Shape::HalfPlane {}, 0.0), table(Shape::Rectangle { size: [20.0, 1.0] }, -0.5));
    for name in ["nut.x", "nut.y", "nut.theta"] {
        close(last(&finite, name), last(&line, name), 1e-6, name);
    }
    assert!(last(&line, "nut.theta") < -1.2, "it tumbles");
    close(last(&finite, "energy.balance"), 0.0, 1e-7, "balance");
}

#[test]
fn a_box_slides_off_a_table() {
    // The points of contact are lost where the corners pass the edge.
    let mut kind = RigidContact::SMOOTH;
    kind.friction = Friction::same(0.1);
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0])
        .body("block", PlanarBody::new(1.0, 1.0 / 240.0).at([-0.5, 0.05], 0.0).moving([2.0, 0.0], 0.0))
        .surface("skin", Surface::new("block", Shape::Rectangle { size: [0.2, 0.1] }))
        .marker("ground.table", taut::Frame::at([-1.0, -0.5, 0.0]))
        .surface("table", Surface::new("ground.table", Shape::Rectangle { size: [2.0, 1.0] }))
        .contact("touch", ContactRule::pair("skin", "table", kind));
    let s = run(&spec, &Transient::to(1.0).every(0.01).tolerance(1e-10, 1e-10));
    assert!(last(&s, "block.y") < -0.5 && last(&s, "block.theta") < -0.1, "falls over the edge");
    close(last(&s, "energy.balance"), 0.0, 1e-8, "balance");
}

#[test]
fn compliant_contact_after_hunt_and_crossley() {
    let ball = || sphere(0.1, [0.0, 0.0, 0.2]);
    let drop = |law: HuntCrossley, t: f64| {
        let mut spec = on_floor(ball(), Shape::Sphere { radius: 0.1 }, RigidContact::SMOOTH);
        spec.contacts.clear();
        spec.contact("touch", ContactRule::pair("skin", "floor", law));
        run(&spec, &tight(t))
    };
    // Elastic: back to where it came from; at rest, K δ^p = m g.
    let s = drop(HuntCrossley::new(1e6), 0.6);
    close(last(&s, "energy.balance"), 0.0, 1e-9, "elastic");
    let top = s.column("body.z").unwrap().iter().skip(20).fold(0.0, |a: f64, z| a.max(*z));
    assert!(top > 0.19 && top <= 0.2 + 1e-9, "back to where it came from: {top}");
    let s = drop(HuntCrossley::new(1e5).dissipation(3.0), 10.0);
    close(last(&s, "body.z"), 0.1 - (G / 1e5_f64).powf(1.0 / 1.5), 1e-6, "sinks in");
    close(last(&s, "energy.balance"), 0.0, 1e-8, "dissipating");
    // For small speeds e = 1 − ⅔ d v.
    let d = 0.01;
    let mut spec = on_floor(
        sphere(0.1, [0.0, 0.0, 0.1]).moving([0.0, 0.0, -1.0], [0.0; 3]),
        Shape::Sphere { radius: 0.1 },
        RigidContact::SMOOTH,
    );
    spec.contacts.clear();
    spec.gravity([0.0; 3]).contact("touch", ContactRule::pair("skin", "floor", HuntCrossley::new(1e6).dissipation(d)));
    let s = run(&spec, &tight(0.1));
    close(last(&s, "body.vz"), 1.0 - 2.0 / 3.0 * d, 1e-4, "restitution");
}

#[test]
fn overlapping_starts_and_invalid_rules_are_rejected() {
    let spec = on_floor(sphere(0.1, [0.0, 0.0, 0.05]), Shape::Sphere { radius: 0.1 }, RigidContact::SMOOTH);
    let model = spec.build().unwrap();
    let error = simulate(&model, &model.initial_state(), &tight(1.0)).unwrap_err().to_string();
    assert!(error.contains("`touch` overlaps by 5.000e-2"), "{error}");
    let refused = |change: &dyn Fn(&mut Spec)| {
        let mut spec = on_floor(sphere(0.1, [0.0, 0.0, 1.0]), Shape::Sphere { radius: 0.1 }, RigidContact::SMOOTH);
        change(&mut spec);
        spec.build().unwrap_err().to_string()
    };
    let with = |kind: RigidContact| {
        move |s: &mut Spec| {
            s.contact("bad", ContactRule::pair("skin", "floor", kind));
        }
    };
    assert!(refused(&with(RigidContact::SMOOTH.restitution(1.5))).contains("restitution"));
    assert!(refused(&with(RigidContact::SMOOTH.friction(f64::NAN))).contains("friction"));
    let unknown = refused(&|s| {
        s.contact("bad", ContactRule::pair("skni", "floor", RigidContact::SMOOTH));
    });
    assert!(unknown.contains("skni") && unknown.contains("did you mean `skin`"), "{unknown}");
    let shape = refused(&|s| {
        s.surface("bad", Surface::new("body", Shape::Sphere { radius: -1.0 }));
    });
    assert!(shape.contains("surface `bad`") && shape.contains("radius"), "{shape}");
    let twice = refused(&|s| {
        s.contact("bad", ContactRule::pair("skin", "skin", RigidContact::SMOOTH));
    });
    assert!(twice.contains("does not touch itself"), "{twice}");
}
