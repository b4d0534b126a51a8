//! Inputs, outputs, frequency response and matrix forms against closed forms, and modes followed over a parameter.
#![allow(non_snake_case)] // the theory's letter is the identifier

use crate::common;

use common::{below, close};
use std::f64::consts::TAU;
use taut::analyses::linear::{
    LinearError, ModeKind, ModeRequest, RotatingFrame, input_names, linearise, linearise_frozen, modes, track_modes,
};
use taut::forces::{Applied, Bushing, Spring};
use taut::nalgebra::{Complex, DMatrix, Matrix2, Vector2};
use taut::{Frame, Joint, Measure, Model, PlanarBody, PointMass, Prescription, Relation, RigidBody, Signal, Spec};

const M: [f64; 2] = [2.0, 3.0];
const K: [f64; 2] = [800.0, 500.0];
const C: [f64; 2] = [1.5, 0.7];

/// Two masses on slides along x, a spring and damper to the ground and one between them.
fn chain() -> Model {
    let mut spec = Spec::new();
    let x = [1.0, 0.0, 0.0];
    spec.marker("ground.rail", Frame::at([0.0; 3]).axis(x));
    for (name, m, at) in [("one", M[0], 1.0), ("two", M[1], 2.0)] {
        spec.body(name, RigidBody::new(m, [0.1; 3]).at([at, 0.0, 0.0]))
            .marker(&format!("{name}.rail"), Frame::at([0.0; 3]).axis(x))
            .constraint(&format!("guide_{name}"), Joint::prismatic("ground.rail", &format!("{name}.rail")));
    }
    spec.force("first", Spring::linear("ground", "one", K[0], C[0], 1.0))
        .force("second", Spring::linear("one", "two", K[1], C[1], 1.0))
        .force("push", Applied::force("two", [0.0, 0.0, 0.0].map(Signal::constant)))
        .measure("gap", Measure::distance("one", "two"));
    spec.build().unwrap()
}

/// X of (−ω² M + iω C + K) X = F.
fn exact(omega: f64, F: [f64; 2]) -> [Complex<f64>; 2] {
    let s = Complex::new(0.0, omega);
    let d = |k: f64, c: f64| Complex::new(k, 0.0) + s * c;
    let (a, b) = (d(K[0], C[0]), d(K[1], C[1]));
    let Z = Matrix2::new(s * s * M[0] + a + b, -b, -b, s * s * M[1] + b);
    let X = Z.try_inverse().unwrap() * Vector2::new(F[0], F[1]).map(|f| Complex::new(f, 0.0));
    [X[0], X[1]]
}

#[track_caller]
fn same(what: &str, found: Complex<f64>, expected: Complex<f64>) {
    below(what, (found - expected).norm(), 1e-9 * expected.norm());
}

#[test]
fn response_of_a_chain() {
    let model = chain();
    let lin = linearise(&model, &model.initial_state(), None).unwrap();
    let frequencies = [0.1, 1.3, 1.9, 2.6, 4.3, 20.0];
    let outputs = lin.outputs(&["one.x", "two.x", "two.vx", "two.ax", "gap", "guide_two.fx", "second.fx"]).unwrap();
    for input in ["push.fx", "two.fx"] {
        let input = lin.input(input).unwrap();
        let found = lin.response(&input, &outputs, &frequencies).unwrap();
        for (f, y) in frequencies.iter().zip(found) {
            let s = Complex::new(0.0, TAU * f);
            let [one, two] = exact(TAU * f, [0.0, 1.0]);
            same("one", y[0], one);
            same("two", y[1], two);
            same("velocity", y[2], s * two);
            same("acceleration", y[3], s * s * two);
            same("gap", y[4], two - one);
            below("a guide takes nothing along x", y[5].norm(), 1e-9);
            same("spring", y[6], -(s * C[1] + K[1]) * (two - one));
        }
    }
}

#[test]
fn matrix_forms_give_the_same_response() {
    let model = chain();
    let lin = linearise(&model, &model.initial_state(), None).unwrap();
    let inputs = [lin.input("push.fx").unwrap(), lin.input("one.fx").unwrap()];
    let outputs = lin.outputs(&["one.x", "two.ax", "guide_one.lambda_tilt_x", "second.fx"]).unwrap();
    let forms = [lin.state_space(&inputs, &outputs).unwrap(), lin.descriptor(&inputs, &outputs)];
    assert_eq!(forms[0].A.nrows(), 4);
    assert_eq!(forms[1].A.nrows(), forms[1].states.len());
    for f in [0.3, 2.0, 7.0] {
        let s = Complex::new(0.0, TAU * f);
        let complex = |X: &DMatrix<f64>| X.map(|x| Complex::new(x, 0.0));
        for form in &forms {
            let n = form.A.nrows();
            let E = form.E.clone().unwrap_or_else(|| DMatrix::identity(n, n));
            let X = (complex(&E) * s - complex(&form.A)).lu().solve(&complex(&form.B)).unwrap();
            let H = complex(&form.C) * X + complex(&form.D);
            for (j, input) in inputs.iter().enumerate() {
                let found = &lin.response(input, &outputs, &[f]).unwrap()[0];
                for (i, y) in found.iter().enumerate() {
                    below("forms", (H[(i, j)] - y).norm(), 1e-9 * (1.0 + y.norm()));
                }
            }
        }
    }
    let second = lin.second_order().unwrap();
    assert_eq!(second.M.nrows(), 2);
    close("determinant", &[second.M.determinant()], &[M[0] * M[1]], 1e-12);
    close("stiffness", &[second.K.determinant()], &[K[0] * K[1]], 1e-6);
    close("damping", &[second.C.determinant()], &[C[0] * C[1]], 1e-9);
}

/// A base that is driven along: its motion is the input, not its acceleration.
#[test]
fn response_to_a_driver() {
    let (m, k, c) = (2.0, 300.0, 4.0);
    let mut spec = Spec::new();
    let y = |name: &str| Measure::coordinate(&format!("{name}.y"));
    spec.body("base", PlanarBody::new(1.0, 1.0))
        .body("mass", PlanarBody::new(m, 1.0).at([0.0, 1.0], 0.0))
        .marker("ground.rail", Frame::at([0.0; 3]))
        .constraint("shaker", Relation::driver(y("base"), Prescription::Position(Signal::constant(0.0))));
    for (axis, body) in [("x", "base"), ("theta", "base"), ("x", "mass"), ("theta", "mass")] {
        let of = Measure::coordinate(&format!("{body}.{axis}"));
        spec.constraint(&format!("{body}_{axis}"), Relation::driver(of, Prescription::Fixed));
    }
    spec.force("mount", Spring::linear("base", "mass", k, c, 1.0));
    let model = spec.build().unwrap();
    let lin = linearise(&model, &model.initial_state(), None).unwrap();
    let outputs = lin.outputs(&["mass.y", "base.y", "mass.ay", "shaker.lambda_relation"]).unwrap();
    let input = lin.input("shaker").unwrap();
    for f in [0.5, 1.9, 6.0] {
        let found = lin.response(&input, &outputs, &[f]).unwrap().remove(0);
        let s = Complex::new(0.0, TAU * f);
        let through = (s * c + k) / (s * s * m + s * c + k);
        same("mass", found[0], through);
        same("base", found[1], Complex::new(1.0, 0.0));
        same("acceleration", found[2], s * s * through);
        // Force of the shaker: its own inertia and the force through the mount.
        same("force", found[3], s * s * (Complex::new(1.0, 0.0) + through * m));
    }
    assert!(lin.state_space(&[input], &outputs).is_err());
}

#[test]
fn unknown_names_are_rejected() {
    let model = chain();
    let lin = linearise(&model, &model.initial_state(), None).unwrap();
    let Err(LinearError::UnknownName { hint, .. }) = lin.input("push.fa") else { panic!("it is none") };
    assert!(hint.contains("push.f"), "{hint}");
    assert!(lin.outputs(&["two.xx"]).is_err());
    assert!(input_names(&model).iter().any(|n| n == "first.drive"));
}

/// Two pendulums whose frequencies cross: each keeps its own shape, and its own branch.
#[test]
fn branches_cross() {
    let values: Vec<f64> = (0..9).map(|i| 0.6 + 0.1 * f64::from(i)).collect();
    let lists = values.iter().map(|length| {
        let mut spec = Spec::new();
        spec.gravity([0.0, -9.81, 0.0]);
        for (name, l, x) in [("fixed", 1.03, 0.0), ("varied", *length, 1.0)] {
            let top = format!("ground.{name}");
            spec.marker(&top, Frame::at([x, 0.0, 0.0]))
                .body(name, PlanarBody::new(1.0, 0.1).at([x, -l], 0.0))
                .marker(&format!("{name}.top"), Frame::at([0.0, l, 0.0]))
                .constraint(&format!("pin_{name}"), Joint::pin(&top, &format!("{name}.top")));
        }
        let model = spec.build().unwrap();
        let lin = linearise(&model, &model.initial_state(), None).unwrap();
        modes(&lin, ModeRequest::All).unwrap().modes
    });
    let branches = track_modes(&lists.collect::<Vec<_>>());
    assert_eq!(branches.len(), 2);
    let omega = |l: f64| (9.81 * l / (l * l + 0.1)).sqrt();
    for b in &branches {
        let first = b.lambda[0].unwrap().im;
        for (l, found) in values.iter().zip(&b.lambda) {
            let constant = (first - omega(1.03)).abs() < 1e-6;
            close("branch", &[found.unwrap().im], &[omega(if constant { 1.03 } else { *l })], 1e-9);
        }
    }
}

/// A rotor on a soft isotropic mount, seen from the world and from the frame that turns with it: whirls shift by the speed.
#[test]
fn whirl_in_two_frames() {
    let (m, k, omega) = (2.0, 800.0, 7.0);
    let mut disc = RigidBody::new(m, [0.3, 0.3, 0.5]);
    disc.angular_velocity = [0.0, 0.0, omega];
    let mut spec = Spec::new();
    spec.body("disc", disc).force("mount", Bushing::diagonal("ground", "disc", [k, k, k, 0.0, 0.0, 0.0], [0.0; 6]));
    let model = spec.build().unwrap();
    let state = model.initial_state();
    let natural = (k / m).sqrt();
    let found = |turning: Option<RotatingFrame>| -> Vec<f64> {
        let lin = linearise(&model, &state, turning).unwrap();
        below("unsteady", lin.unsteadiness, 1e-9);
        let all = modes(&lin, ModeRequest::All).unwrap();
        let mut f: Vec<f64> = all.modes.iter().filter(|m| m.kind == ModeKind::Vibration).map(|m| m.lambda.im).collect();
        f.sort_by(f64::total_cmp);
        f
    };
    let nutation = 0.5 / 0.3 * omega;
    let mut world = vec![natural; 3];
    world.push(nutation);
    world.sort_by(f64::total_cmp);
    close("world", &found(None), &world, 1e-8);
    // In the frame of the disc forward whirl is slower, backward whirl faster, and static motions rotate.
    let mut turning = vec![omega, nutation - omega, natural - omega, natural, natural + omega];
    turning.sort_by(f64::total_cmp);
    close("frame", &found(Some(RotatingFrame::about([0.0, 0.0, 1.0], omega))), &turning, 1e-7);
    // The wrong speed is detected if something revolves.
    let mut spec = Spec::new();
    spec.body("bob", PointMass { velocity: [0.0, 2.0, 0.0], ..PointMass::new(1.0, [1.0, 0.0, 0.0]) })
        .constraint("rod", Relation::rod("ground", "bob", 1.0));
    let model = spec.build().unwrap();
    let unsteady = |rate: f64| {
        linearise_frozen(&model, &model.initial_state(), Some(RotatingFrame::about([0.0, 0.0, 1.0], rate)))
            .unwrap()
            .unsteadiness
    };
    below("right", unsteady(2.0), 1e-9);
    assert!(unsteady(2.5) > 0.1);
    let wrong = linearise(&model, &model.initial_state(), Some(RotatingFrame::about([0.0, 0.0, 1.0], 2.5)));
    assert!(matches!(wrong, Err(LinearError::Unsteady { .. })));
}
