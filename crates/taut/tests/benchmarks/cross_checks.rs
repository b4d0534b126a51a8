//! One mechanism built in two ways: planar or in space, joints once or twice, links light or heavy, driven or free.

use crate::common;

use common::{below, close, distance, rk4, run, taut, worst};
use std::f64::consts::FRAC_PI_2;
use taut::analyses::{AssemblySettings, RowConsistency, Transient, assemble, kinematic, rank, simulate};
use taut::{Frame, Joint, Model, Orientation, Outcome, PlanarBody, Prescription, RigidBody, Signal, Solution, Spec};

const G: f64 = 9.81;

/// A link between two points: mass, and whether it is planar or a body in space.
#[derive(Clone, Copy, Debug, PartialEq)]
enum In {
    Plane,
    Space,
}

/// How often every joint is put in.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Joints {
    Once,
    Twice,
}

/// Adds a uniform rod from `a` to `b`, its points moving at the given velocities, with markers at both ends.
fn rod(spec: &mut Spec, how: In, name: &str, mass: f64, [a, b]: [[f64; 2]; 2], [va, vb]: [[f64; 2]; 2]) {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let (length, angle) = (dx.hypot(dy), dy.atan2(dx));
    let middle = [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])];
    let velocity = [0.5 * (va[0] + vb[0]), 0.5 * (va[1] + vb[1])];
    let omega = (dx * (vb[1] - va[1]) - dy * (vb[0] - va[0])) / (length * length);
    match how {
        In::Plane => {
            spec.body(name, PlanarBody::rod(mass, length).at(middle, angle).moving(velocity, omega));
        }
        In::Space => {
            let across = mass * length * length / 12.0;
            let body = RigidBody::new(mass, [0.1 * across, across, across])
                .at([middle[0], middle[1], 0.0])
                .oriented(Orientation::RotationVector([0.0, 0.0, angle]))
                .moving([velocity[0], velocity[1], 0.0], [0.0, 0.0, omega]);
            spec.body(name, body);
        }
    }
    spec.marker(&format!("{name}.a"), Frame::at([-0.5 * length, 0.0, 0.0]));
    spec.marker(&format!("{name}.b"), Frame::at([0.5 * length, 0.0, 0.0]));
}

fn hinge(spec: &mut Spec, how: In, joints: Joints, name: &str, a: &str, b: &str) {
    let joint = |a: &str, b: &str| if how == In::Plane { Joint::pin(a, b) } else { Joint::revolute(a, b) };
    spec.constraint(name, joint(a, b));
    if joints == Joints::Twice {
        spec.constraint(&format!("{name}_again"), joint(b, a));
    }
}

/// The double four-bar of IFToMM A02, in the plane or in space.
fn double_four_bar(how: In, joints: Joints) -> Model {
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0]);
    for i in 0..3 {
        let x = i as f64;
        rod(&mut spec, how, &format!("rocker{i}"), 1.0, [[x, 0.0], [x, 1.0]], [[0.0, 0.0], [1.0, 0.0]]);
        spec.marker(&format!("ground.{i}"), Frame::at([x, 0.0, 0.0]));
        hinge(&mut spec, how, joints, &format!("foot{i}"), &format!("ground.{i}"), &format!("rocker{i}.a"));
    }
    for i in 0..2 {
        let x = i as f64;
        rod(&mut spec, how, &format!("coupler{i}"), 1.0, [[x, 1.0], [x + 1.0, 1.0]], [[1.0, 0.0], [1.0, 0.0]]);
        let coupler = format!("coupler{i}");
        hinge(&mut spec, how, joints, &format!("left{i}"), &format!("rocker{i}.b"), &format!("{coupler}.a"));
        hinge(&mut spec, how, joints, &format!("right{i}"), &format!("rocker{}.b", i + 1), &format!("{coupler}.b"));
    }
    spec.build().unwrap()
}

/// Largest error of the first rocker's tip against the equation of the parallelogram, over outputs every 0.01 s.
fn parallelogram_error(s: &Solution) -> f64 {
    let truth = rk4(|_, [theta, rate]| [*rate, -7.0 / 6.0 * G * theta.cos()], [FRAC_PI_2, -1.0], 1e-4, 100_000, 100);
    let (x, y) = (s.column("rocker0.b.x").unwrap(), s.column("rocker0.b.y").unwrap());
    common::largest((0..s.len()).map(|i| {
        let (sin, cos) = truth[i][0].sin_cos();
        (x[i] - cos).hypot(y[i] - sin)
    }))
}

#[test]
fn double_four_bar_in_space_through_its_singular_poses() {
    // Seven revolutes in two loops: six redundant rows in every pose, eight in the flat ones.
    let model = double_four_bar(In::Space, Joints::Once);
    let found = rank(&model, &model.initial_state()).unwrap();
    assert_eq!((found.rows, found.rank, found.freedoms, found.redundant), (35, 29, 1, 6));
    assert_eq!(found.verdict, RowConsistency::Consistent);
    // Redundant and singular at once is the hardest case: round-off, not the tolerance, causes an error of 1e-7 m.
    for (tolerance, position, energy) in [(1e-6, 1e-3, 3e-3), (1e-8, 2e-5, 5e-4), (1e-10, 1e-6, 1e-6)] {
        let s = run(&model, &Transient::to(10.0).every(0.01).tolerance(tolerance, tolerance));
        below(&format!("in space, {tolerance:.0e}, position"), parallelogram_error(&s), position);
        below(&format!("in space, {tolerance:.0e}, energy"), worst(&s, "energy.balance"), energy);
        taut("in space", &s, 1e-12, 1e-11);
        for body in ["rocker0", "rocker1", "rocker2", "coupler0", "coupler1"] {
            below("out of plane", worst(&s, &format!("{body}.z")), 1e-12);
        }
    }
}

#[test]
fn doubled_joints_change_nothing() {
    let settings = Transient::to(3.0).every(0.05).tolerance(1e-12, 1e-12);
    for how in [In::Plane, In::Space] {
        let once = run(&four_bar(how, [1.0, 2.0, 1.5], Joints::Once), &settings);
        let model = four_bar(how, [1.0, 2.0, 1.5], Joints::Twice);
        let found = rank(&model, &model.initial_state()).unwrap();
        let (rows, redundant) = if how == In::Plane { (16, 8) } else { (40, 23) };
        assert_eq!((found.rows, found.freedoms, found.redundant), (rows, 1, redundant));
        assert_eq!(found.verdict, RowConsistency::Consistent);
        let twice = run(&model, &settings);
        for name in ["crank.b.x", "crank.b.y", "rocker.b.x", "rocker.b.y", "coupler.vx", "coupler.vy"] {
            let d = distance(once.column(name).unwrap(), twice.column(name).unwrap());
            below(&format!("{how:?} twice, {name}"), d, 1e-9);
        }
        below("twice, energy", worst(&twice, "energy.balance"), 1e-9);
        taut("twice", &twice, 1e-12, 1e-11);
    }
}

#[test]
fn doubled_joints_pass_the_singular_poses() {
    for how in [In::Plane, In::Space] {
        let model = double_four_bar(how, Joints::Twice);
        let found = rank(&model, &model.initial_state()).unwrap();
        assert_eq!((found.freedoms, found.verdict), (1, RowConsistency::Consistent));
        let s = run(&model, &Transient::to(10.0).every(0.01).tolerance(1e-11, 1e-11));
        below(&format!("{how:?} twice, position"), parallelogram_error(&s), 1e-6);
        below(&format!("{how:?} twice, energy"), worst(&s, "energy.balance"), 1e-6);
        taut("twice", &s, 1e-12, 1e-11);
    }
}

#[test]
fn doubled_joints_share_the_reaction() {
    // Same axes, same scale: each of two equal joints takes half, and the sum is what one takes alone.
    let pendulum = |joints: Joints| {
        let mut spec = Spec::new();
        spec.gravity([0.0, -G, 0.0]);
        rod(&mut spec, In::Space, "rod", 2.0, [[0.0, 0.0], [1.0, 0.0]], [[0.0; 2]; 2]);
        spec.constraint("hinge", Joint::revolute("ground", "rod.a"));
        if joints == Joints::Twice {
            spec.constraint("hinge_again", Joint::revolute("ground", "rod.a"));
        }
        spec.build().unwrap()
    };
    let settings = Transient::to(2.0).every(0.1).tolerance(1e-11, 1e-11);
    let (one, two) = (run(&pendulum(Joints::Once), &settings), run(&pendulum(Joints::Twice), &settings));
    for f in ["fx", "fy", "fz", "mx", "my"] {
        let c = |s: &Solution, joint: &str| s.column(&format!("{joint}.{f}")).unwrap().to_vec();
        let half: Vec<f64> = c(&one, "hinge").iter().map(|f| 0.5 * f).collect();
        let sum: Vec<f64> = c(&two, "hinge").iter().zip(c(&two, "hinge_again")).map(|(a, b)| a + b).collect();
        below(&format!("sum of {f}"), distance(&sum, &c(&one, "hinge")), 1e-9);
        below(&format!("half of {f}"), distance(&c(&two, "hinge"), &half), 1e-6);
        below(&format!("half of {f}, again"), distance(&c(&two, "hinge_again"), &half), 1e-6);
    }
}

/// Crank 1 m, coupler 2 m, rocker 1.5 m, ground 2 m; the crank upright and at rest.
fn four_bar(how: In, masses: [f64; 3], joints: Joints) -> Model {
    let (a, b, d) = ([0.0, 0.0], [0.0, 1.0], [2.0, 0.0]);
    // c is 2 from b and 1.5 from d, above.
    let gap: f64 = (5.0_f64).sqrt();
    let along = (4.0 - 2.25 + 5.0) / (2.0 * gap);
    let up = (4.0 - along * along).sqrt();
    let (ex, ey) = ((d[0] - b[0]) / gap, (d[1] - b[1]) / gap);
    let c = [b[0] + along * ex - up * ey, b[1] + along * ey + up * ex];
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0]);
    let rest = [[0.0; 2]; 2];
    rod(&mut spec, how, "crank", masses[0], [a, b], rest);
    rod(&mut spec, how, "coupler", masses[1], [b, c], rest);
    rod(&mut spec, how, "rocker", masses[2], [d, c], rest);
    spec.marker("ground.d", Frame::at([2.0, 0.0, 0.0]));
    hinge(&mut spec, how, joints, "left", "ground", "crank.a");
    hinge(&mut spec, how, joints, "elbow", "crank.b", "coupler.a");
    hinge(&mut spec, how, joints, "wrist", "coupler.b", "rocker.b");
    hinge(&mut spec, how, joints, "right", "ground.d", "rocker.a");
    spec.build().unwrap()
}

#[test]
fn planar_and_spatial_four_bars_agree() {
    let settings = Transient::to(3.0).every(0.05).tolerance(1e-12, 1e-12);
    let masses = [1.0, 2.0, 1.5];
    let plane = run(&four_bar(In::Plane, masses, Joints::Once), &settings);
    let space = run(&four_bar(In::Space, masses, Joints::Once), &settings);
    for name in ["crank.b.x", "crank.b.y", "rocker.b.x", "rocker.b.y", "coupler.vx", "coupler.vy"] {
        let d = distance(plane.column(name).unwrap(), space.column(name).unwrap());
        below(&format!("plane against space, {name}"), d, 1e-9);
    }
    // Planar reactions are unique in either model.
    for name in ["left.fx", "left.fy", "elbow.fx", "wrist.fy", "right.fx"] {
        let d = distance(plane.column(name).unwrap(), space.column(name).unwrap());
        below(&format!("plane against space, {name}"), d, 1e-7);
    }
    below("plane energy", worst(&plane, "energy.balance"), 1e-9);
    below("space energy", worst(&space, "energy.balance"), 1e-9);
    taut("plane", &plane, 1e-13, 1e-12);
    taut("space", &space, 1e-13, 1e-12);
}

#[test]
fn heavy_and_light_links_in_one_loop() {
    // A coupler r times heavier, then lighter, than the links that carry it, then a row of all three. The loop in
    // space is redundant as well, and has less room for round-off.
    let settings = Transient::to(2.0).every(0.05).tolerance(1e-11, 1e-11);
    for (how, r) in [(In::Plane, 1e6), (In::Space, 1e3)] {
        for masses in [[1.0, r, 1.0], [1.0, 1.0 / r, 1.0], [r, 1.0, 1.0 / r]] {
            let s = run(&four_bar(how, masses, Joints::Once), &settings);
            let scale = masses.iter().sum::<f64>() * G;
            below(&format!("{how:?} {masses:?} energy"), worst(&s, "energy.balance") / scale, 2e-9);
            taut(&format!("{how:?} {masses:?}"), &s, 1e-12, 1e-11);
            // Motion does not depend on the unit of mass.
            let tonnes = run(&four_bar(how, masses.map(|m| 1e-3 * m), Joints::Once), &settings);
            let d = distance(s.column("rocker.b.x").unwrap(), tonnes.column("rocker.b.x").unwrap());
            below(&format!("{how:?} {masses:?} in tonnes"), d, 1e-9);
        }
    }
}

#[test]
fn driven_four_bar_three_ways() {
    // A crank-rocker: the crank of 0.5 m can turn in full. Kinematics alone, dynamics with the driver, and dynamics
    // in space give the same motion and the same torque.
    let spec = |how: In| {
        let mut spec = Spec::new();
        spec.gravity([0.0, -G, 0.0]);
        rod(&mut spec, how, "crank", 1.0, [[0.0, 0.0], [0.0, 0.5]], [[0.0, 0.0], [-2.0, 0.0]]);
        rod(&mut spec, how, "coupler", 2.0, [[0.0, 0.5], [1.85, 1.26]], [[-2.0, 0.0], [-2.0, 0.0]]);
        rod(&mut spec, how, "rocker", 1.5, [[2.0, 0.0], [1.9, 1.49]], [[0.0, 0.0], [-1.0, 0.0]]);
        let turn = Prescription::Position(Signal::expression("pi/2 + 4*t + 0.3*sin(3*t)").unwrap());
        spec.marker("ground.d", Frame::at([2.0, 0.0, 0.0]));
        let motor =
            if how == In::Plane { Joint::pin("ground", "crank.a") } else { Joint::revolute("ground", "crank.a") };
        spec.constraint("motor", motor.prescribe_rotation(turn));
        hinge(&mut spec, how, Joints::Once, "elbow", "crank.b", "coupler.a");
        hinge(&mut spec, how, Joints::Once, "wrist", "coupler.b", "rocker.b");
        hinge(&mut spec, how, Joints::Once, "right", "ground.d", "rocker.a");
        spec.build().unwrap()
    };
    let model = spec(In::Plane);
    let start = assemble(&model, &model.initial_state(), &AssemblySettings::default()).unwrap().state;
    let found = rank(&model, &start).unwrap();
    assert_eq!((found.freedoms, found.redundant), (0, 0));
    let times: Vec<f64> = (0..=60).map(|i| 0.05 * f64::from(i)).collect();
    let settings = Transient::to(3.0).at(times.clone()).tolerance(1e-12, 1e-12);
    let kinematics = kinematic(&model, &start, &times).unwrap();
    let dynamics = simulate(&model, &start, &settings).unwrap();
    // In space, from the same rough pose, brought together by the engine.
    let spatial = spec(In::Space);
    let together = assemble(&spatial, &spatial.initial_state(), &AssemblySettings::default()).unwrap().state;
    let in_space = simulate(&spatial, &together, &settings).unwrap();
    for s in [&kinematics, &dynamics, &in_space] {
        assert_eq!(s.outcome, Outcome::Finished, "{}", s.outcome);
        taut("driven", s, 1e-12, 1e-11);
    }
    // Work integrated along the motion equals what the energy gained.
    below("driven energy", worst(&dynamics, "energy.balance"), 1e-9);
    below("driven energy in space", worst(&in_space, "energy.balance"), 1e-9);
    for (name, tolerance) in [("rocker.b.x", 1e-10), ("coupler.vy", 1e-10), ("rocker.ax", 1e-8), ("motor.mz", 1e-8)] {
        let truth = kinematics.column(name).unwrap();
        below(&format!("dynamics {name}"), distance(truth, dynamics.column(name).unwrap()), tolerance);
        below(&format!("in space {name}"), distance(truth, in_space.column(name).unwrap()), tolerance);
    }
    // The crank is at the prescribed angle.
    let angle = dynamics.column("motor.angle").unwrap();
    let said: Vec<f64> = times.iter().map(|t| FRAC_PI_2 + 4.0 * t + 0.3 * (3.0 * t).sin()).collect();
    close("driven angle", angle, &said, 1e-11);
}

#[test]
fn heavy_bob_on_a_doubled_pin() {
    // Dependent rows and unequal masses together, from rest, where nothing is loaded yet.
    let model = |copies: usize, mass: f64| {
        let mut spec = Spec::new();
        spec.gravity([0.0, -9.81, 0.0])
            .body("rod", PlanarBody::rod(1.0, 1.0).at([0.5, 0.0], 0.0))
            .body("bob", PlanarBody::rod(mass, 1.0).at([1.5, 0.0], 0.0))
            .marker("rod.a", Frame::at([-0.5, 0.0, 0.0]))
            .marker("rod.b", Frame::at([0.5, 0.0, 0.0]))
            .marker("bob.a", Frame::at([-0.5, 0.0, 0.0]))
            .constraint("hinge", Joint::pin("ground", "rod.a"));
        for k in 0..copies {
            spec.constraint(&format!("elbow{k}"), Joint::pin("rod.b", "bob.a"));
        }
        spec.build().unwrap()
    };
    for mass in [1e5, 1e6] {
        let settings = Transient::to(1.0).every(0.1).tolerance(1e-10, 1e-10);
        let (once, twice) = (run(&model(1, mass), &settings), run(&model(2, mass), &settings));
        for (name, scale) in [("rod.theta", 1.0), ("bob.x", 1.0), ("hinge.fx", mass * 9.81), ("hinge.fy", mass * 9.81)]
        {
            let (a, b) = (once.column(name).unwrap(), twice.column(name).unwrap());
            let apart = a.iter().zip(b).map(|(a, b)| (a - b).abs() / scale).fold(0.0, f64::max);
            assert!(apart < 1e-7, "{name}, {mass:e} kg: {apart:.2e}");
        }
        assert!(twice.warnings.iter().all(|w| !format!("{w:?}").contains("contradict")), "{:?}", twice.warnings);
    }
}

#[test]
fn bob_of_very_small_inertia() {
    // m l²/J = 1e9 within one pin: nine digits apart, and yet the pendulum of a particle (exact: elliptic functions).
    let mut spec = Spec::new();
    spec.gravity([0.0, -9.81, 0.0])
        .body("bob", PlanarBody::new(1.0, 1e-9).at([1.0, 0.0], 0.0))
        .marker("bob.arm", Frame::at([-1.0, 0.0, 0.0]))
        .constraint("pin", Joint::pin("ground", "bob.arm"));
    let model = spec.build().unwrap();
    let s = run(&model, &Transient::to(10.0).every(10.0).tolerance(1e-12, 1e-12));
    below("bob of hardly any inertia", (s.last("bob.x").unwrap() - 0.2750874625761169).abs(), 1e-7);
    assert!(s.statistics.evaluations < 10_000, "{:?}", s.statistics);
}
