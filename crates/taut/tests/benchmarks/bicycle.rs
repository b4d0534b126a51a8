//! The Whipple bicycle of four rigid bodies, linearised numerically about upright straight running.
//!
//! Data, matrices and eigenvalues: Meijaard, Papadopoulos, Ruina and Schwab (2007), table 1 and table 2; the matrices
//! to 16 digits were recomputed from the formulas of the paper and reproduce all 44 published eigenvalues to 6e-13.
#![allow(non_snake_case)] // the theory's letter is the identifier

use crate::common;

use common::{below, close, taut, worst};
use nalgebra::{Matrix2, Matrix4, Vector2, Vector4};
use std::f64::consts::PI;
use taut::analyses::{Transient, rank, simulate};
use taut::motion::{Mat3, Vec3};
use taut::{Frame, Joint, Model, Orientation, RigidBody, Rolling, Solution, Spec, State};

const G: f64 = 9.81;
const WHEELBASE: f64 = 1.02;
const TRAIL: f64 = 0.08;
const TILT: f64 = PI / 10.0;
const REAR: f64 = 0.3;
const FRONT: f64 = 0.35;

/// M q̈ + v C1 q̇ + (g K0 + v² K2) q = 0 for q = (lean, steer).
const M: [[f64; 2]; 2] = [[80.81722, 2.3194133220870907], [2.3194133220870907, 0.2978418819968554]];
const C1: [[f64; 2]; 2] = [[0.0, 33.86641391492494], [-0.8503564145697845, 1.6854039739755957]];
const K0: [[f64; 2]; 2] = [[-80.94999999999999, -2.599516852498716], [-2.599516852498716, -0.8032948845861767]];
const K2: [[f64; 2]; 2] = [[0.0, 76.59734589573222], [0.0, 2.6543152379460397]];

/// The steering axis, down and forward: x forward, y right, z down.
fn steering() -> Vec3 {
    Vec3::new(TILT.sin(), 0.0, TILT.cos())
}

fn bicycle() -> Model {
    let rear = [0.0, 0.0, -REAR];
    let front = [WHEELBASE, 0.0, -FRONT];
    let y = [0.0, 1.0, 0.0];
    let s = steering();
    // Anywhere on the axis, which meets the ground in front of the contact by the trail.
    let head = Vec3::new(WHEELBASE + TRAIL, 0.0, 0.0) - s * 0.9;
    let head: [f64; 3] = head.into();
    let axis: [f64; 3] = s.into();
    let frame = RigidBody { mass: 85.0, inertia: [9.2, 11.0, 2.8, 0.0, 2.4, 0.0], ..RigidBody::default() };
    let fork = RigidBody { mass: 4.0, inertia: [0.05892, 0.06, 0.00708, 0.0, -0.00756, 0.0], ..RigidBody::default() };
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, G])
        .body("rear", RigidBody::new(2.0, [0.0603, 0.12, 0.0603]).at(rear))
        .body("frame", frame.at([0.3, 0.0, -0.9]))
        .body("fork", fork.at([0.9, 0.0, -0.7]))
        .body("front", RigidBody::new(3.0, [0.1405, 0.28, 0.1405]).at(front))
        .marker("ground.plane", Frame::at([0.0; 3]).with_orientation(Orientation::RotationVector([PI, 0.0, 0.0])))
        .marker("rear.axle", Frame::world(rear).axis(y))
        .marker("frame.axle", Frame::world(rear).axis(y))
        .marker("front.axle", Frame::world(front).axis(y))
        .marker("fork.axle", Frame::world(front).axis(y))
        .marker("frame.head", Frame::world(head).axis(axis))
        .marker("fork.head", Frame::world(head).axis(axis))
        .constraint("rear_axle", Joint::revolute("frame.axle", "rear.axle"))
        .constraint("steer", Joint::revolute("frame.head", "fork.head"))
        .constraint("front_axle", Joint::revolute("fork.axle", "front.axle"))
        .constraint("rear_rolls", Rolling::disc("ground.plane", "rear.axle", REAR))
        .constraint("front_rolls", Rolling::disc("ground.plane", "front.axle", FRONT));
    spec.build().unwrap()
}

/// The bicycle near upright running at speed v: lean, steer and their rates as given to first order.
fn leaning(model: &Model, v: f64, [lean, steer, lean_rate, steer_rate]: [f64; 4]) -> State {
    let mut state = model.initial_state();
    let turn = |axis: Vec3, angle: f64| -> Mat3 { nalgebra::Rotation3::new(axis * angle).into_inner() };
    let leant = turn(Vec3::x(), lean);
    let steered = leant * turn(steering(), steer);
    let foot = Vec3::new(WHEELBASE + TRAIL, 0.0, 0.0);
    let w_frame = Vec3::x() * lean_rate;
    let w_fork = w_frame + leant * steering() * steer_rate;
    for (b, (R, w, spin, about)) in [
        (leant, w_frame, -v / REAR, Vec3::zeros()),
        (leant, w_frame, 0.0, Vec3::zeros()),
        (steered, w_fork, 0.0, foot),
        (steered, w_fork, -v / FRONT, foot),
    ]
    .into_iter()
    .enumerate()
    {
        let (q, w_of) = (&mut state.q[7 * b..7 * b + 7], &mut state.v[6 * b..6 * b + 6]);
        let p = leant * about + R * (Vec3::new(q[0], q[1], q[2]) - about);
        q[..3].copy_from_slice(p.as_slice());
        q[3..].copy_from_slice(&taut::motion::quaternion_of_rotation(&R));
        let velocity = Vec3::x() * v + w_frame.cross(&(leant * about)) + w.cross(&(p - leant * about));
        w_of[..3].copy_from_slice(velocity.as_slice());
        w_of[3..].copy_from_slice((w + R * Vec3::y() * spin).as_slice());
    }
    state
}

/// Lean, steer, their rates and accelerations of the assembled state: what is measured, not what was requested.
fn measured(model: &Model, v: f64, x: [f64; 4]) -> [f64; 6] {
    let settings = Transient::to(1e-9).at(vec![0.0]).tolerance(1e-6, 1e-6);
    let s: Solution = simulate(model, &leaning(model, v, x), &settings).unwrap();
    let c = |n: &str| s.column(n).unwrap()[0];
    // Yaw, lean, pitch: the frame's y axis sinks by sin(lean) cos(pitch = 0) to first order.
    let q = [c("frame.qw"), c("frame.qx"), c("frame.qy"), c("frame.qz")];
    let lean = taut::motion::rotation_of_quaternion(&q)[(2, 1)].asin();
    [lean, c("steer.angle"), c("frame.wx"), c("steer.angle.rate"), c("frame.alpha_x"), c("steer.angle.acceleration")]
}

/// d(lean, steer, rates)/dt = A (lean, steer, rates): central differences of the mechanism, extrapolated.
fn linearised(model: &Model, v: f64) -> Matrix4<f64> {
    let slope = |h: f64| {
        let (mut X, mut Y) = (Matrix4::zeros(), Matrix4::zeros());
        for k in 0..4 {
            let mut x = [0.0; 4];
            x[k] = h;
            let (plus, minus) = (measured(model, v, x), measured(model, v, x.map(|x| -x)));
            let d: [f64; 6] = std::array::from_fn(|i| (plus[i] - minus[i]) / (2.0 * h));
            X.set_column(k, &Vector4::new(d[0], d[1], d[2], d[3]));
            Y.set_column(k, &Vector4::new(d[2], d[3], d[4], d[5]));
        }
        Y * X.try_inverse().unwrap()
    };
    let h = 1e-3;
    // The motion is odd in the perturbation: what is left is of second order in h, then of fourth.
    (slope(h) * 4.0 - slope(2.0 * h)) / 3.0
}

fn published(v: f64) -> Matrix4<f64> {
    let m = |x: [[f64; 2]; 2]| Matrix2::new(x[0][0], x[0][1], x[1][0], x[1][1]);
    let inverse = m(M).try_inverse().unwrap();
    let (K, C) = (-inverse * (m(K0) * G + m(K2) * (v * v)), -inverse * m(C1) * v);
    let mut A = Matrix4::zeros();
    A.view_mut((0, 2), (2, 2)).copy_from(&Matrix2::identity());
    A.view_mut((2, 0), (2, 2)).copy_from(&K);
    A.view_mut((2, 2), (2, 2)).copy_from(&C);
    A
}

/// Real and imaginary parts, sorted.
fn eigenvalues(A: &Matrix4<f64>) -> Vec<[f64; 2]> {
    let mut list: Vec<[f64; 2]> = A.complex_eigenvalues().iter().map(|z| [z.re, z.im]).collect();
    list.sort_by(|a, b| (a[0] + 1e-4 * a[1]).total_cmp(&(b[0] + 1e-4 * b[1])));
    list
}

/// The four eigenvalues at v = 0 … 10 m/s, table 2 of the paper in full digits.
const EIGENVALUES: [[[f64; 2]; 4]; 11] = [
    [[-5.530943717653938, 0.0], [-3.1316432479065552, 0.0], [3.131643247906552, 0.0], [5.530943717653935, 0.0]],
    [
        [-7.110080146374409, 0.0],
        [-3.134231250665784, 0.0],
        [3.5269617099006956, -0.8077402751993111],
        [3.5269617099006956, 0.8077402751993111],
    ],
    [
        [-8.673879848317371, 0.0],
        [-3.0715864564151394, 0.0],
        [2.6823451751274554, -1.6806629659067591],
        [2.6823451751274554, 1.6806629659067591],
    ],
    [
        [-10.351014672459224, 0.0],
        [-2.6336613725366536, 0.0],
        [1.7067560566397355, -2.315824473843247],
        [1.7067560566397355, 2.315824473843247],
    ],
    [
        [-12.15861426576443, 0.0],
        [-1.4294442736132569, 0.0],
        [0.41325331521124103, -3.07910818603206],
        [0.41325331521124103, 3.07910818603206],
    ],
    [
        [-14.078389692798236, 0.0],
        [-0.7753418821958389, -4.464867713788224],
        [-0.7753418821958389, 4.464867713788224],
        [-0.32286642900408935, 0.0],
    ],
    [
        [-16.085371230980275, 0.0],
        [-1.5264448658414205, -5.876730605987088],
        [-1.5264448658414205, 5.876730605987088],
        [-0.004066900769706243, 0.0],
    ],
    [
        [-18.157884661252012, 0.0],
        [-2.1387564425836247, -7.195259133298043],
        [-2.1387564425836247, 7.195259133298043],
        [0.10268170574766229, 0.0],
    ],
    [
        [-20.279408943945636, 0.0],
        [-2.6934868358109547, -8.460379713969342],
        [-2.6934868358109547, 8.460379713969342],
        [0.14327879765712842, 0.0],
    ],
    [
        [-22.437885590408563, 0.0],
        [-3.21675402252491, -9.693773515317824],
        [-3.21675402252491, 9.693773515317824],
        [0.1579018403091715, 0.0],
    ],
    [
        [-24.624596350173974, 0.0],
        [-3.7201684043728775, -10.90681139476288],
        [-3.7201684043728775, 10.90681139476288],
        [0.16105338653171383, 0.0],
    ],
];

#[test]
fn freedoms_of_the_bicycle() {
    // 24 velocities, 15 rows of hinges, 2 of contact, 4 of rolling: lean, steer, and running.
    let model = bicycle();
    let found = rank(&model, &model.initial_state()).unwrap();
    assert_eq!((found.rows, found.rank, found.freedoms, found.redundant), (21, 21, 3, 0));
}

#[test]
fn bicycle_linearised_about_upright_running() {
    let model = bicycle();
    for (v, expected) in EIGENVALUES.iter().enumerate() {
        let v = v as f64;
        let A = linearised(&model, v);
        let reference = published(v);
        close(&format!("A at {v} m/s"), A.as_slice(), reference.as_slice(), 2e-8);
        let found = eigenvalues(&A);
        close(&format!("eigenvalues at {v} m/s"), found.as_flattened(), expected.as_flattened(), 1e-9);
    }
}

#[test]
fn bicycle_at_its_critical_speeds() {
    let model = bicycle();
    // Weave: a pair on the imaginary axis. Capsize: a root at zero. Below them a double root.
    let weave = eigenvalues(&linearised(&model, 4.29238253634111));
    let pair: Vec<[f64; 2]> = weave.into_iter().filter(|z| z[1].abs() > 1.0).collect();
    close("weave speed", pair.as_flattened(), &[0.0, -3.43503384866144, 0.0, 3.43503384866144], 1e-9);
    let capsize = eigenvalues(&linearised(&model, 6.02426201538837));
    below("capsize speed", capsize.iter().map(|z| z[0].abs()).fold(f64::MAX, f64::min), 1e-9);
    // A double root moves with the square root of any error.
    let double = eigenvalues(&linearised(&model, 0.68428307889246));
    for z in &double[2..] {
        close("double root", z, &[3.7829040512932, 0.0], 2e-5);
    }
    // Its mean does not.
    close("double root, mean", &[0.5 * (double[2][0] + double[3][0])], &[3.7829040512932], 1e-10);
}

#[test]
fn accelerations_of_a_small_lean_follow_the_linear_equations() {
    let model = bicycle();
    for v in [0.0, 3.0, 5.0, 8.0] {
        let [lean, steer, lean_rate, steer_rate, a, b] = measured(&model, v, [2e-5, -3e-5, 1e-5, 4e-5]);
        let expected = published(v) * Vector4::new(lean, steer, lean_rate, steer_rate);
        let size = Vector2::new(expected[2], expected[3]).amax();
        close(
            &format!("accelerations at {v} m/s"),
            &[a / size, b / size],
            &[expected[2] / size, expected[3] / size],
            2e-8,
        );
    }
}

#[test]
fn bicycle_runs_by_itself_between_weave_and_capsize() {
    let model = bicycle();
    let start = leaning(&model, 5.0, [0.0, 0.0, 0.3, 0.0]);
    let s = simulate(&model, &start, &Transient::to(8.0).every(0.01).tolerance(1e-11, 1e-11)).unwrap();
    assert_eq!(s.outcome, taut::Outcome::Finished);
    below("bicycle energy", worst(&s, "energy.balance"), 1e-8);
    taut("bicycle", &s, 1e-12, 1e-11);
    let rate = s.column("frame.wx").unwrap();
    assert!(rate[..100].iter().any(|w| w.abs() > 0.05), "it was kicked");
    assert!(s.last("steer.angle").unwrap().abs() < 0.02, "it rights itself: {}", s.last("steer.angle").unwrap());
}
