//! Ellipsoids that roll and collide, against closed forms.

use std::f64::consts::FRAC_PI_2;
use taut::Verdict;
use taut::prelude::*;
use taut::stepping::{self, TimeSteppingSettings};

const G: f64 = 9.81;
const MASS: f64 = 1.5;
const RADII: [f64; 3] = [0.3, 0.22, 0.15];

/// Principal moments of a solid ellipsoid.
fn inertia(radii: [f64; 3]) -> [f64; 3] {
    let [x, y, z] = radii.map(|r| r * r);
    [y + z, x + z, x + y].map(|sum| 0.2 * MASS * sum)
}

/// Height of the centre over the plane if the ellipsoid is turned about y by θ.
fn height(theta: f64) -> f64 {
    (RADII[0] * theta.sin()).hypot(RADII[2] * theta.cos())
}

/// Square of the distance from the centre to the contact.
fn arm_square(theta: f64) -> f64 {
    let [a, _, c] = RADII.map(|r| r * r);
    ((a * theta.sin()).powi(2) + (c * theta.cos()).powi(2)) / height(theta).powi(2)
}

fn body(theta: f64, z: f64) -> RigidBody {
    RigidBody::new(MASS, inertia(RADII)).at([0.0, 0.0, z]).oriented(Orientation::RotationVector([0.0, theta, 0.0]))
}

/// On a floor that it cannot leave and on which it cannot slip.
fn rolling(body: RigidBody) -> Model {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G]).body("egg", body).constraint("rolls", Rolling::ellipsoid("ground", "egg", RADII));
    spec.build().unwrap()
}

/// Over a floor.
fn over_floor(body: RigidBody, rule: ContactRule) -> Model {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G])
        .body("egg", body)
        .surface("shell", Surface::new("egg", Shape::Ellipsoid { radii: RADII }))
        .surface("floor", Surface::new("ground", Shape::HalfSpace {}))
        .contact("touch", rule);
    spec.build().unwrap()
}

fn run(model: &Model, settings: &Transient) -> Solution {
    let found = simulate(model, &model.initial_state(), settings).unwrap();
    assert_eq!(
        (found.outcome.clone(), found.verdict),
        (Outcome::Finished, Some(Verdict::Sound)),
        "{:?}",
        found.warnings
    );
    found
}

/// Angle about y of the egg at the end.
fn angle(found: &Solution) -> f64 {
    2.0 * found.last("egg.qy").unwrap().atan2(found.last("egg.qw").unwrap())
}

#[test]
fn small_rocking_has_the_frequency_of_the_curvature() {
    let model = rolling(body(0.0, RADII[2]));
    let small = linearise(&model, &model.initial_state(), None).unwrap();
    let mut found: Vec<f64> =
        modes(&small, ModeRequest::All).unwrap().modes.iter().map(|m| m.omega()).filter(|w| *w > 1e-3).collect();
    found.sort_by(f64::total_cmp);
    // About an axis on the floor: (J + m c²) θ̈ = −m g (ρ − c) θ, with the radius of curvature ρ = a²/c.
    let [a, b, c] = RADII;
    let moment = inertia(RADII);
    let rate = |s: f64, moment: f64| (MASS * G * (s * s / c - c) / (moment + MASS * c * c)).sqrt();
    let mut expected = [rate(a, moment[1]), rate(b, moment[0])];
    expected.sort_by(f64::total_cmp);
    assert_eq!(found.len(), 2, "{found:?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!((found / expected - 1.0).abs() < 1e-6, "{found} {expected}");
    }
}

#[test]
fn a_quarter_of_a_large_swing_takes_the_time_of_the_energy_integral() {
    // ½ (J + m |k|²) θ̇² = m g (h(θ₀) − h(θ)); θ = θ₀ sin φ removes the singularity.
    let (start, moment) = (0.7_f64, inertia(RADII)[1]);
    let rate =
        |theta: f64| (2.0 * MASS * G * (height(start) - height(theta)) / (moment + MASS * arm_square(theta))).sqrt();
    let n = 20_000;
    let quarter: f64 = (0..n)
        .map(|i| {
            let phi = FRAC_PI_2 * (f64::from(i) + 0.5) / f64::from(n);
            start * phi.cos() / rate(start * phi.sin())
        })
        .sum::<f64>()
        * FRAC_PI_2
        / f64::from(n);
    let model = rolling(body(start, height(start)));
    let found = run(&model, &Transient::to(quarter).tolerance(1e-10, 1e-10));
    assert!(angle(&found).abs() < 1e-7 * rate(0.0), "{}", angle(&found));
    assert!((found.last("egg.wy").unwrap().abs() / rate(0.0) - 1.0).abs() < 1e-8);
    // It has rolled along its own circumference: ∫ |k| of the contact along the floor, less the offset of the contact.
    let way = |theta: f64| {
        // Arc length along the floor: ds = (h + h″) dθ.
        let d = 1e-4;
        height(theta) + (height(theta + d) - 2.0 * height(theta) + height(theta - d)) / (d * d)
    };
    let m = 4000;
    let arc = (0..m).map(|i| way(start * (f64::from(i) + 0.5) / f64::from(m))).sum::<f64>() * start / f64::from(m);
    let offset = (RADII[0].powi(2) - RADII[2].powi(2)) * start.sin() * start.cos() / height(start);
    assert!((found.last("egg.x").unwrap().abs() - (arc - offset)).abs() < 1e-6, "{}", found.last("egg.x").unwrap());
}

/// Position and angular velocity after 1 s and 3 s, from the reduced equations of a rolling convex body in body axes,
/// \[BorisovMamaev2002\]: d/dt (J ω + m r×(ω×r)) = M×ω + m ṙ×(ω×r) + m g r×γ, γ̇ = γ×ω, by DOP853 of SciPy at 1e-13.
const IN_SPACE: [[f64; 6]; 2] = [
    [
        -0.013016155475768926,
        0.014556718528843032,
        0.1633039148265814,
        2.701904763872546,
        0.5230058075790082,
        0.9144463649978788,
    ],
    [
        -0.12876120291887688,
        0.014050569939714552,
        0.15461289151745392,
        -3.1909561537596747,
        -1.4947554178466238,
        0.8527688214943674,
    ],
];

#[test]
fn rolling_in_space_follows_the_reduced_equations() {
    let start = RigidBody::new(MASS, inertia(RADII))
        .oriented(Orientation::RotationVector([0.3, 0.4, 0.2]))
        .at([0.0, 0.0, 0.18324579847380745])
        .moving([-0.06355668083039301, -0.1716573027855179, -0.0325931481293727], [0.4, -0.3, 0.8]);
    let sticking = over_floor(start.clone(), ContactRule::all(RigidContact::SMOOTH.friction(10.0)));
    for (model, most) in [(rolling(start), 2e-8), (sticking, 1e-6)] {
        for (t_end, expected) in [1.0, 3.0].into_iter().zip(IN_SPACE) {
            let found = run(&model, &Transient::to(t_end).tolerance(1e-11, 1e-11));
            let names = ["egg.x", "egg.y", "egg.z", "egg.wx", "egg.wy", "egg.wz"];
            for (name, expected) in names.into_iter().zip(expected) {
                let far = (found.last(name).unwrap() - expected).abs();
                assert!(far < most, "{name} at {t_end} s: {far:e}");
            }
        }
    }
}

#[test]
fn a_tilted_ellipsoid_bounces_as_the_impulse_demands() {
    let (theta, drop, e) = (0.5_f64, 0.2, 0.6);
    let model = over_floor(body(theta, height(theta) + drop), ContactRule::all(RigidContact::SMOOTH.restitution(e)));
    let hit = (2.0 * drop / G).sqrt();
    let found = run(&model, &Transient::to(hit + 0.02).tolerance(1e-10, 1e-10));
    // Contact at −k; a unit impulse at it turns by (k×n)/J.
    let offset = (RADII[0].powi(2) - RADII[2].powi(2)) * theta.sin() * theta.cos() / height(theta);
    let moment = inertia(RADII)[1];
    let impulse = (1.0 + e) * G * hit / (1.0 / MASS + offset * offset / moment);
    assert!((found.last("egg.wy").unwrap().abs() - impulse * offset / moment).abs() < 1e-7);
    let vz = -G * hit + impulse / MASS - G * 0.02;
    assert!((found.last("egg.vz").unwrap() - vz).abs() < 1e-7, "{} {vz}", found.last("egg.vz").unwrap());
    assert!(found.last("egg.vx").unwrap().abs() < 1e-9, "no friction");
}

#[test]
fn a_spinning_slender_ellipsoid_is_not_missed() {
    // A needle that turns end over end, 40 rad/s, while it sinks slowly: the first touch lies within one of its short dips.
    let (radii, spin, start, sink) = ([0.5, 0.04, 0.04], 40.0, 0.62, 0.3);
    let gap = |t: f64| {
        let a = spin * t;
        start - sink * t - (radii[0] * a.sin()).hypot(radii[2] * a.cos())
    };
    let mut t = 0.0;
    while gap(t) > 0.0 {
        t += 1e-6;
    }
    let mut spec = Spec::new();
    spec.body(
        "needle",
        RigidBody::new(1.0, [1e-3, 0.05, 0.05]).at([0.0, 0.0, start]).moving([0.0, 0.0, -sink], [0.0, spin, 0.0]),
    )
    .surface("skin", Surface::new("needle", Shape::Ellipsoid { radii }))
    .surface("floor", Surface::new("ground", Shape::HalfSpace {}))
    .contact("touch", ContactRule::all(RigidContact::SMOOTH.restitution(0.3)));
    let model = spec.build().unwrap();
    let found = run(&model, &Transient::to(t + 0.01).tolerance(1e-9, 1e-9));
    let first = found.events.iter().find(|e| e.what == EventKind::Impact).expect("an impact").t;
    assert!((first - t).abs() < 2e-6, "{first} {t}");
}

#[test]
fn it_rests_on_its_flat_side() {
    let model = over_floor(body(0.3, height(0.3)), ContactRule::all(RigidContact::SMOOTH.friction(0.5)));
    let rest = statics(&model, &model.initial_state(), &Statics::default()).unwrap().state;
    assert!((rest.q[2] - RADII[2]).abs() < 1e-6, "{:?}", rest.q);
    assert!((rest.q[3].abs() - 1.0).abs() < 1e-6, "upright");
}

#[test]
fn a_compliant_floor_gives_way_by_the_weight() {
    let stiffness = 1e6;
    let law = HuntCrossley { dissipation: 1.0, ..HuntCrossley::new(stiffness) };
    let model = over_floor(body(0.0, RADII[2]), ContactRule::all(law));
    let found = run(&model, &Transient::to(3.0));
    let depth = (MASS * G / stiffness).powf(2.0 / 3.0);
    assert!(
        (found.last("egg.z").unwrap() - (RADII[2] - depth)).abs() < 2e-2 * depth,
        "{}",
        found.last("egg.z").unwrap()
    );
    let tilted = over_floor(body(0.4, height(0.4) + 0.05), ContactRule::all(HuntCrossley { dissipation: 0.0, ..law }));
    let found = run(&tilted, &Transient::to(0.3).tolerance(1e-9, 1e-9));
    assert!(found.last("egg.wy").unwrap().abs() > 0.1, "it turns by the impact");
}

#[test]
fn time_stepping_bounces_and_rests() {
    let model =
        over_floor(body(0.0, RADII[2] + 0.1), ContactRule::all(RigidContact::SMOOTH.restitution(0.0).friction(0.5)));
    let found = stepping::simulate(&model, &model.initial_state(), &TimeSteppingSettings::to(1.0, 1e-3)).unwrap();
    assert_eq!(found.outcome, Outcome::Finished);
    assert!((found.last("egg.z").unwrap() - RADII[2]).abs() < 1e-4, "{}", found.last("egg.z").unwrap());
    // A tilted one rocks: it never sinks below its support function.
    let model =
        over_floor(body(0.6, height(0.6)), ContactRule::all(RigidContact::SMOOTH.restitution(0.0).friction(1.0)));
    let found = stepping::simulate(&model, &model.initial_state(), &TimeSteppingSettings::to(0.3, 1e-4)).unwrap();
    let event_driven = run(&model, &Transient::to(0.3));
    let far = (found.last("egg.wy").unwrap() - event_driven.last("egg.wy").unwrap()).abs();
    assert!(far < 2e-2, "{far}");
    assert!((found.last("egg.z").unwrap() - height(angle(&found))).abs() < 1e-4);
}

#[test]
fn a_ball_rebounds_along_the_normal_of_an_ellipsoid() {
    let (radii, r, drop) = ([0.5, 0.4, 0.3], 0.05, 0.3);
    // A point of the ellipsoid and its normal.
    let x = [0.3, 0.2].map(|x: f64| x);
    let z = radii[2] * (1.0 - (x[0] / radii[0]).powi(2) - (x[1] / radii[1]).powi(2)).sqrt();
    let mut n = [x[0] / radii[0].powi(2), x[1] / radii[1].powi(2), z / radii[2].powi(2)];
    let length = n.iter().map(|n| n * n).sum::<f64>().sqrt();
    n = n.map(|n| n / length);
    let centre = [x[0] + r * n[0], x[1] + r * n[1], z + r * n[2] + drop];
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G])
        .body("ball", RigidBody::new(0.2, [2e-4; 3]).at(centre))
        .surface("skin", Surface::new("ball", Shape::Sphere { radius: r }))
        .surface("egg", Surface::new("ground", Shape::Ellipsoid { radii }))
        .contact("touch", ContactRule::all(RigidContact::SMOOTH.restitution(1.0)));
    let model = spec.build().unwrap();
    let hit = (2.0 * drop / G).sqrt();
    let found = run(&model, &Transient::to(hit + 0.01).tolerance(1e-10, 1e-10));
    for (name, axis) in [("ball.vx", 0), ("ball.vy", 1), ("ball.vz", 2)] {
        let before = if axis == 2 { -G * hit } else { 0.0 };
        let expected = before + 2.0 * G * hit * n[2] * n[axis] - if axis == 2 { G * 0.01 } else { 0.0 };
        assert!(
            (found.last(name).unwrap() - expected).abs() < 1e-7,
            "{name}: {} {expected}",
            found.last(name).unwrap()
        );
    }
}

/// Two ellipsoids in flight.
fn pair(shape: Shape, rule: ContactRule) -> Model {
    let mut spec = Spec::new();
    let left = RigidBody::new(MASS, inertia(RADII)).moving([1.2, 0.1, 0.0], [0.3, 0.8, -0.4]);
    let right = RigidBody::new(0.7, [0.02, 0.03, 0.04])
        .at([0.9, 0.15, 0.1])
        .oriented(Orientation::RotationVector([0.4, -0.7, 0.2]))
        .moving([-0.8, 0.0, 0.1], [0.0, 0.5, 1.0]);
    spec.body("left", left)
        .body("right", right)
        .surface("one", Surface::new("left", shape.clone()))
        .surface("other", Surface::new("right", shape))
        .contact("touch", rule);
    spec.build().unwrap()
}

#[test]
fn ellipsoids_with_equal_axes_are_spheres() {
    for rule in [
        ContactRule::all(RigidContact::SMOOTH.restitution(1.0)),
        ContactRule::all(RigidContact::SMOOTH.restitution(0.3)),
    ] {
        let of = |shape| run(&pair(shape, rule.clone()), &Transient::to(0.6).tolerance(1e-10, 1e-10));
        let (egg, ball) = (of(Shape::Ellipsoid { radii: [0.25; 3] }), of(Shape::Sphere { radius: 0.25 }));
        for name in ["left.x", "left.vy", "right.vx", "right.wz"] {
            let (one, other) = (egg.last(name).unwrap(), ball.last(name).unwrap());
            assert!((one - other).abs() < 1e-9, "{name}: {one} {other}");
        }
        assert!((ball.last("left.vx").unwrap() - 1.2).abs() > 0.1, "they meet");
    }
}

#[test]
fn time_stepping_and_events_agree_on_two_ellipsoids() {
    let model = pair(Shape::Ellipsoid { radii: RADII }, ContactRule::all(RigidContact::SMOOTH.restitution(0.5)));
    let exact = run(&model, &Transient::to(0.5).tolerance(1e-9, 1e-9));
    let settings = TimeSteppingSettings::to(0.5, 2e-4);
    let found = stepping::simulate(&model, &model.initial_state(), &settings).unwrap();
    for name in ["left.vx", "left.vy", "right.vx", "right.wz"] {
        let (one, other) = (found.last(name).unwrap(), exact.last(name).unwrap());
        assert!((one - other).abs() < 5e-3, "{name}: {one} {other}");
    }
}

#[test]
fn other_shapes_are_refused_by_name() {
    let mut spec = Spec::new();
    spec.body("egg", body(0.0, 1.0))
        .surface("shell", Surface::new("egg", Shape::Ellipsoid { radii: RADII }))
        .surface("table", Surface::new("ground", Shape::Box { size: [1.0; 3] }))
        .contact("touch", ContactRule::all(RigidContact::SMOOTH));
    let message = spec.build().unwrap_err().to_string();
    assert!(message.contains("`shell`") && message.contains("`table`") && message.contains("convex"), "{message}");
    let bad = Surface::new("egg", Shape::Ellipsoid { radii: [0.1, 0.0, 0.1] });
    let mut spec = Spec::new();
    spec.body("egg", body(0.0, 1.0)).surface("shell", bad);
    assert!(spec.build().unwrap_err().to_string().contains("radii is 0"));
}
