//! Repeated frequencies: independent shapes, effective masses that add up, continuous branches; and friction that is too weak.
#![allow(non_snake_case)] // the theory's letter is the identifier

use crate::common;

use common::{below, close};
use taut::analyses::linear::{
    Eigenmode, LinearError, ModeKind, ModeRequest, RotatingFrame, linearise, modes, track_modes,
};
use taut::forces::{Bushing, Spring};
use taut::laws::Friction;
use taut::nalgebra::{Complex, DMatrix};
use taut::signals::ForceLaw;
use taut::{
    Joint, JointFriction, Measure, Model, Orientation, PlanarBody, PointMass, Prescription, Relation, RigidBody,
    Signal, Spec,
};

/// Least over largest singular value of the shapes, each of unit length.
fn condition(list: &[Eigenmode]) -> f64 {
    let columns: Vec<_> = list
        .iter()
        .map(|m| {
            let x = taut::nalgebra::DVector::from_vec(m.xi.clone());
            let size = x.norm();
            x / Complex::new(size, 0.0)
        })
        .collect();
    let values = DMatrix::from_columns(&columns).svd(false, false).singular_values;
    values.min() / values.max()
}

/// Equal masses on separate slides along x.
fn oscillators(count: usize, damping: f64) -> Model {
    let mut spec = Spec::new();
    for i in 0..count {
        let (name, at) = (format!("m{i}"), [0.0, i as f64, 0.0]);
        spec.body(&name, PointMass::new(1.0, at)).force(
            &format!("k{i}"),
            Spring::new(Measure::coordinate(&format!("{name}.x")), ForceLaw::linear(100.0, damping, 0.0)),
        );
        for (axis, value) in [("y", i as f64), ("z", 0.0)] {
            let of = Measure::coordinate(&format!("{name}.{axis}"));
            spec.constraint(
                &format!("{name}_{axis}"),
                Relation::driver(of, Prescription::Position(Signal::constant(value))),
            );
        }
    }
    spec.build().unwrap()
}

#[test]
fn equal_oscillators_have_independent_shapes() {
    for damping in [0.0, 2.0, 50.0] {
        let model = oscillators(4, damping);
        let lin = linearise(&model, &model.initial_state(), None).unwrap();
        let all = modes(&lin, ModeRequest::All).unwrap();
        let exact = Complex::new(-damping / 2.0, 0.0) + Complex::new(damping * damping / 4.0 - 100.0, 0.0).sqrt();
        let moving: Vec<Eigenmode> = all.modes.iter().filter(|m| (m.lambda - exact).norm() < 1e-7).cloned().collect();
        assert_eq!(moving.len(), 4, "{:?}", all.modes.iter().map(|m| m.lambda).collect::<Vec<_>>());
        assert!(condition(&moving) > 0.9, "{}", condition(&moving));
        let mass: f64 = all.modes.iter().map(|m| lin.effective_mass(m)[0]).sum();
        close(&format!("mass with damping {damping}"), &[mass], &[4.0], 1e-6);
    }
}

/// Equal blades on a turning hub: pairs and more with one frequency, seen from the hub.
#[test]
fn equal_blades_have_independent_shapes_and_masses_that_add_up() {
    let (n, rate, m, r, e, k) = (6, 30.0, 3.0, 1.0, 0.2, 900.0);
    let mut spec = Spec::new();
    let mut hub = RigidBody::new(1.0, [1.0; 3]);
    hub.angular_velocity = [0.0, 0.0, rate];
    spec.body("hub", hub).constraint(
        "shaft",
        Joint::fixed("ground", "hub").prescribe_rotation(Prescription::Velocity(Signal::constant(rate))),
    );
    for i in 0..n {
        let angle = std::f64::consts::TAU * f64::from(i) / f64::from(n);
        let (s, c) = angle.sin_cos();
        let name = format!("blade{i}");
        let at = [(e + r) * c, (e + r) * s, 0.0];
        let velocity = [-rate * at[1], rate * at[0], 0.0];
        spec.body(&name, PointMass { velocity, ..PointMass::new(m, at) })
            .marker(&format!("hub.seat{i}"), taut::Frame::at(at))
            .force(
                &format!("root{i}"),
                Bushing::diagonal(&format!("hub.seat{i}"), &name, [1e6, 1e6, k, 0.0, 0.0, 0.0], [0.0; 6]),
            );
    }
    let model = spec.build().unwrap();
    let turning = Some(RotatingFrame::about([0.0, 0.0, 1.0], rate));
    let state = taut::analyses::linear::steady_state(&model, &model.initial_state(), turning).unwrap();
    let lin = linearise(&model, &state, turning).unwrap();
    let all = modes(&lin, ModeRequest::All).unwrap();
    let flap: Vec<Eigenmode> =
        all.modes.iter().filter(|x| (x.lambda.im - (k / m).sqrt()).abs() < 1e-6).cloned().collect();
    assert_eq!(flap.len(), n as usize);
    assert!(condition(&flap) > 0.9, "{}", condition(&flap));
    for axis in 0..3 {
        let mass: f64 = all.modes.iter().map(|x| lin.effective_mass(x)[axis]).sum();
        close(&format!("axis {axis}"), &[mass], &[m * f64::from(n)], 1e-5);
    }
}

/// The effective masses of gyroscopic whirls add up to the total mass.
#[test]
fn effective_masses_of_whirls_add_up() {
    let (m, spin) = (2.0, 40.0);
    let mut disc = RigidBody::new(m, [0.05, 0.05, 0.09]).at([0.0, 0.0, 0.3]);
    disc.angular_velocity = [0.0, 0.0, spin];
    let mut spec = Spec::new();
    spec.body("disc", disc)
        .marker("disc.foot", taut::Frame::at([0.0, 0.0, -0.3]))
        .force("mount", Bushing::diagonal("ground", "disc.foot", [900.0, 900.0, 500.0, 0.0, 0.0, 0.0], [0.0; 6]))
        .force("hold", Bushing::diagonal("ground", "disc", [2000.0, 2000.0, 0.0, 0.0, 0.0, 0.0], [0.0; 6]));
    let model = spec.build().unwrap();
    let lin = linearise(&model, &model.initial_state(), None).unwrap();
    let all = modes(&lin, ModeRequest::All).unwrap();
    for axis in 0..3 {
        let mass: f64 =
            all.modes.iter().filter(|x| x.kind == ModeKind::Vibration).map(|x| lin.effective_mass(x)[axis]).sum();
        close(&format!("axis {axis}"), &[mass], &[m], 1e-6);
    }
}

/// Two equal oscillators whose frequencies meet in the middle of the range: each goes on through the crossing.
#[test]
fn branches_go_on_through_equal_frequencies() {
    let values: Vec<f64> = (0..=20).map(|i| 50.0 + 5.0 * f64::from(i)).collect();
    let lists: Vec<Vec<Eigenmode>> = values
        .iter()
        .map(|k| {
            let mut spec = Spec::new();
            spec.body("m", PlanarBody::new(1.0, 1.0))
                .force("mount", Bushing::diagonal("ground", "m", [100.0, *k, 0.0, 0.0, 0.0, 300.0], [0.0; 6]));
            let model = spec.build().unwrap();
            let lin = linearise(&model, &model.initial_state(), None).unwrap();
            modes(&lin, ModeRequest::All).unwrap().modes
        })
        .collect();
    let branches = track_modes(&lists);
    assert_eq!(branches.len(), 3);
    for b in &branches {
        let first = b.lambda[0].unwrap().im.powi(2);
        for (k, (found, like)) in values.iter().zip(b.lambda.iter().zip(&b.mac)) {
            let expected = if (first - 50.0).abs() < 1e-6 { *k } else { first };
            close("branch", &[found.unwrap().im.powi(2)], &[expected], 1e-6);
            assert!(*like > 0.99, "{like} at {k}");
        }
    }
}

#[test]
fn insufficient_friction_is_rejected_with_the_required_force() {
    let incline = |mu: f64| {
        let down = -std::f64::consts::FRAC_PI_4;
        let mut spec = Spec::new();
        spec.gravity([0.0, -9.81, 0.0])
            .body("block", PlanarBody::new(1.0, 1.0).at([0.0, 0.0], down))
            .marker(
                "ground.slope",
                taut::Frame::at([0.0; 3]).with_orientation(Orientation::RotationVector([0.0, 0.0, down])),
            )
            .constraint("slide", Joint::slider("ground.slope", "block"))
            .constraint("rub", JointFriction::slider("slide", "ground.slope", "block", Friction::same(mu)));
        spec.build().unwrap()
    };
    let model = incline(0.1);
    let error = linearise(&model, &model.initial_state(), None).unwrap_err();
    let LinearError::FrictionTooWeak { constraint, needed, bound, .. } = &error else { panic!("{error}") };
    assert_eq!(constraint, "rub");
    let side = 9.81 / 2.0_f64.sqrt();
    close("needed and bound", &[*needed, *bound], &[side, 0.1 * side], 1e-6);
    // Stronger friction holds, which is reported.
    let model = incline(1.5);
    let lin = linearise(&model, &model.initial_state(), None).unwrap();
    assert_eq!(lin.assumptions.sticking, ["rub"]);
}

/// The same mechanism in metres and in micrometres, kilograms and micrograms: the same classification.
#[test]
fn classification_does_not_depend_on_units() {
    for (length, mass) in [(1.0, 1.0), (1e-6, 1e-9), (1e3, 1e6)] {
        let k = mass;
        let mut spec = Spec::new();
        spec.body("a", PointMass::new(mass, [0.0; 3]))
            .body("b", RigidBody::new(mass, [mass * length * length; 3]).at([length, 0.0, 0.0]))
            .marker("b.end", taut::Frame::at([-length, 0.0, 0.0]))
            .constraint("pin", Joint::spherical("a", "b.end"))
            .force("soft", Bushing::diagonal("ground", "a", [k, 1e10 * k, 2.0 * k, 0.0, 0.0, 0.0], [0.0; 6]));
        let model = spec.build().unwrap();
        let lin = linearise(&model, &model.initial_state(), None).unwrap();
        let all = modes(&lin, ModeRequest::All).unwrap();
        let found: Vec<f64> = all.modes.iter().filter(|m| m.kind == ModeKind::Vibration).map(|m| m.lambda.im).collect();
        // Along x both move together; along z and y the rod turns about its middle of percussion: M = [2 m, m l; m l, 2 m l²].
        let z = (2.0_f64 * 2.0 / 3.0).sqrt();
        assert_eq!((all.dimension, all.zeros), (Some(12), Some(6)), "{length} m: {found:?}");
        close(&format!("{length} m"), &found[..2], &[0.5_f64.sqrt(), z], 1e-7);
        below("the stiff one", (found[2] / (1e10_f64 * 2.0 / 3.0).sqrt() - 1.0).abs(), 1e-7);
    }
}
