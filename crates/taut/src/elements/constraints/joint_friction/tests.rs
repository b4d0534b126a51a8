use super::super::conformance::{Rig, derivative, evaluate};
use super::super::{ConstraintKind, Joint};
use super::*;
use crate::motion::Motion;
use crate::{PlanarBody, Spec};

const MU: Friction = Friction { stick: 0.3, slip: 0.2 };

fn all() -> [JointFriction; 7] {
    [
        FrictionGeometry::Revolute { radius: 0.1, axial_radius: 0.15, arm: Some(0.4) },
        FrictionGeometry::Prismatic { axis: Axis::Z, arm: Some(0.5) },
        FrictionGeometry::Prismatic { axis: Axis::Z, arm: None },
        FrictionGeometry::Prismatic { axis: Axis::X, arm: None },
        FrictionGeometry::Cylindrical { radius: 0.1, arm: Some(0.4) },
        FrictionGeometry::Planar,
        FrictionGeometry::Spherical { radius: 0.1 },
    ]
    .map(|rubbing| JointFriction::new("joint", "a", "b", rubbing, MU))
}

#[test]
fn rates_follow_the_motion() {
    all().iter().for_each(|f| Rig::two_frames().check_identities(f));
}

#[test]
fn free_rates_of_each_joint() {
    let b = Motion { v: Vec3::new(1.0, 2.0, 3.0), w: Vec3::new(0.5, 0.6, 0.7), ..Motion::REST };
    let rates = all().map(|f| evaluate(&f, &[Motion::REST, b]).rates);
    let expected =
        [vec![0.7], vec![3.0], vec![3.0], vec![1.0], vec![3.0, 0.1 * 0.7], vec![1.0, 2.0], vec![0.5, 0.6, 0.7]];
    assert_eq!(rates, expected);
}

#[test]
fn the_pressing_force_in_numbers() {
    let reaction = Wrench { f: Vec3::new(3.0, -4.0, 2.0), m: Vec3::new(0.6, 0.8, 2.4) };
    let motions = [Motion::REST; 2];
    let view = ElementInput::new(0.0, &motions, &[0, 1], &[]);
    let found = all().map(|f| f.normal_force(&view, &reaction).0);
    let across_x = 20.0_f64.sqrt();
    let pin = 0.1 * 5.0 + 0.15 * 2.0 + 0.1 * 1.0 / 0.4;
    let expected = [pin, 5.0 + 2.6 / 0.5, 5.0, across_x, 5.0 + 1.0 / 0.4, 2.0, 0.1 * 29.0_f64.sqrt()];
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() < 1e-14, "{found:?}");
    }
    for f in all() {
        assert_eq!(f.normal_force(&view, &Wrench::ZERO), (0.0, Wrench::ZERO));
    }
}

#[test]
fn the_gradient_is_that_of_the_pressing_force() {
    let motions = Rig::two_frames().motions(0.8);
    let view = ElementInput::new(0.0, &motions, &[0, 1], &[]);
    let reaction = Wrench { f: Vec3::new(3.0, -4.0, 2.0), m: Vec3::new(0.6, 0.8, 2.4) };
    let other = Wrench { f: Vec3::new(-1.0, 0.7, 0.4), m: Vec3::new(0.3, -0.9, 0.5) };
    for f in all() {
        let N = |s: f64| {
            let mut moved = reaction;
            moved.add_scaled(s, &other);
            f.normal_force(&view, &moved).0
        };
        let (_, gradient) = f.normal_force(&view, &reaction);
        let slope = gradient.f.dot(&other.f) + gradient.m.dot(&other.m);
        assert!((slope - derivative(N, 0.0)).abs() < 1e-9, "{f:?}");
    }
}

#[test]
fn a_preload_holds_without_a_load() {
    let motions = [Motion::REST; 2];
    let view = ElementInput::new(0.0, &motions, &[0, 1], &[]);
    let pin = JointFriction::revolute("pin", "a", "b", 0.05, MU).preload(200.0);
    let grip = pin.friction_bound(&view);
    assert!((grip.sticking[1] - 0.3 * 0.05 * 200.0).abs() < 1e-15 && grip.sticking[0] == -grip.sticking[1]);
    assert!((grip.slipping[1] - 0.2 * 0.05 * 200.0).abs() < 1e-15);
    let slide = JointFriction::prismatic("rail", "a", "b", MU).preload(10.0).friction_bound(&view);
    assert_eq!((slide.sticking, slide.friction), ([-3.0, 3.0], MU));
}

#[test]
fn it_finds_its_joint() {
    let mut spec = Spec::new();
    spec.body("rod", PlanarBody::rod(1.0, 0.4))
        .constraint("dry", JointFriction::revolute("pin", "ground", "rod", 0.02, MU))
        .constraint("pin", Joint::pin("ground", "rod"));
    assert_eq!(spec.build().unwrap().constraints[0].normal_force_constraint, Some(1));
    spec.constraints[1].name = "pim".to_string();
    assert!(spec.build().unwrap_err().to_string().contains("did you mean `pim`?"));
}

#[test]
fn it_passes_through_a_file() {
    let text = r#"{"type": "joint_friction", "joint": "pin", "a": "ground", "b": "rod",
        "rubbing": {"revolute": {"radius": 0.02}}, "friction": {"stick": 0.3, "slip": 0.2}}"#;
    let ConstraintKind::JointFriction(found) = serde_json::from_str(text).unwrap() else { panic!("{text}") };
    assert_eq!(found, JointFriction::revolute("pin", "ground", "rod", 0.02, MU));
    assert_eq!(serde_json::from_str::<JointFriction>(&serde_json::to_string(&found).unwrap()).unwrap(), found);
    let refused = |rubbing| JointFriction { rubbing, ..found.clone() }.check().is_err();
    assert!(refused(FrictionGeometry::Revolute { radius: 0.0, axial_radius: 0.0, arm: None }));
    assert!(refused(FrictionGeometry::Revolute { radius: 0.1, axial_radius: -0.1, arm: None }));
    assert!(refused(FrictionGeometry::Prismatic { axis: Axis::Z, arm: Some(0.0) }));
    assert!(found.clone().preload(-1.0).check().is_err() && found.preload(f64::NAN).check().is_err());
}
