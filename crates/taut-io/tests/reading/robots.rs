//! Robots of our own against accelerations that Pinocchio and MuJoCo gave for them (`checks/references.py`).

use serde_json::Value;
use std::path::{Path, PathBuf};
use taut::analyses::{Transient, simulate};
use taut::dynamics::{Dynamics, SolverSettings};
use taut::motion::Vec3;
use taut_io::robot::{JointState, Robot};
use taut_io::{mjcf, robot, urdf};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(file(name)).unwrap()
}

fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// Accelerations of all joints, from those of all bodies.
fn accelerations(robot: &Robot, joints: &[JointState]) -> Vec<Vec<f64>> {
    let model = robot.spec.build().unwrap();
    let start = model.initial_state();
    let mut dynamics = Dynamics::new(&model, &SolverSettings::default());
    dynamics.solve_accelerations(start.t, &start.q, &start.v, &start.z).unwrap();
    for residual in [&dynamics.eq.phi[..], &dynamics.eq.phidot] {
        assert!(residual.iter().all(|r| r.abs() < 1e-14), "the start does not meet the constraints: {residual:?}");
    }
    let body = |i: usize| {
        let a = &dynamics.vdot[model.bodies[i].v.clone()];
        (Vec3::new(a[3], a[4], a[5]), Vec3::new(a[0], a[1], a[2]))
    };
    let links: Vec<(Vec3, Vec3)> = (0..robot.tree.links.len()).map(body).collect();
    robot.tree.joint_accelerations(joints, &links)
}

/// Compares all cases of a reference with the robot, started as each says.
fn agrees(mut robot: Robot, reference: &str, tolerance: f64) {
    let reference: Value = serde_json::from_str(&text(reference)).unwrap();
    let names: Vec<String> = robot.tree.joints().map(|(_, j)| j.name.clone()).collect();
    for case in reference["cases"].as_array().unwrap() {
        let mut joints = robot.tree.reference();
        if let Value::Object(start) = &case["start"] {
            assert_eq!(start.len(), names.len());
            for (name, state) in names.iter().zip(&mut joints) {
                *state = JointState { q: numbers(&start[name]["q"]), v: numbers(&start[name]["v"]) };
            }
            robot.start(&joints).unwrap();
        } else {
            joints.clone_from(&robot.poses[1].1);
        }
        let found = accelerations(&robot, &joints);
        let wanted: Vec<Vec<f64>> = names.iter().map(|n| numbers(&case["accelerations"][n])).collect();
        let size = wanted.iter().flatten().fold(0.0_f64, |a, x| a.max(x.abs()));
        for ((name, found), wanted) in names.iter().zip(&found).zip(&wanted) {
            for (f, w) in found.iter().zip(wanted) {
                assert!((f - w).abs() < tolerance * size, "{name}: {f} instead of {w}");
            }
        }
    }
}

fn listed(robot: &Robot, element: &str, what: &str) -> bool {
    robot.not_imported.iter().any(|n| n.element.contains(element) && n.what.contains(what))
}

#[test]
fn an_arm_on_a_massless_gantry() {
    let robot = urdf::read(&text("gantry_arm.urdf"), &file("gantry_arm.urdf")).unwrap();
    let bodies: Vec<&str> = robot.spec.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(bodies, ["turret", "upper_arm", "forearm", "left_jaw", "right_jaw"]);
    // What is fixed stays reachable, and the name with a blank is reported.
    for marker in
        ["ground.rail", "turret.motor", "forearm.tool", "forearm.tip", "upper_arm.shoulder", "turret.shoulder"]
    {
        assert!(robot.spec.markers.iter().any(|m| m.name == marker), "{marker}");
    }
    assert!(robot.notes.iter().any(|n| n.contains("`upper arm` is called `upper_arm`")));
    assert_eq!((robot.visuals.len(), robot.spec.surfaces.len()), (1, 1));
    assert!(listed(&robot, "friction of joints", "along") && listed(&robot, "safety_controller", "shoulder"));
    assert!(
        listed(&robot, "limits of velocity and effort", "6: ")
            && listed(&robot, "limits of joints that mimic", "right")
    );
    let stops = robot.spec.constraints.iter().filter(|c| c.name.contains("-limit.")).count();
    assert_eq!(stops, 2 * 5);
    assert!(listed(&robot, "transmission", "drive"));
    agrees(robot, "gantry_arm.json", 1e-12);
}

#[test]
fn a_floating_trunk() {
    let options = urdf::UrdfOptions { base: urdf::Base::Free, ..urdf::UrdfOptions::default() };
    let robot = urdf::read_with(&text("hopper.urdf"), &file("hopper.urdf"), &options).unwrap();
    // Three joints, and two stops of each of the two that are limited.
    assert_eq!((robot.spec.bodies.len(), robot.spec.constraints.len()), (4, 3 + 4));
    agrees(robot, "hopper.json", 1e-12);
}

#[test]
fn one_of_everything_of_mjcf() {
    let robot = mjcf::read(&text("menagerie.xml"), &file("menagerie.xml")).unwrap();
    assert_eq!((robot.name.as_str(), robot.timestep), ("menagerie", Some(0.001)));
    assert_eq!(robot.spec.gravity, [0.5, -0.3, -9.7]);
    for force in ["drive", "steer", "thrust", "cord", "both-1", "both-2", "shoulder_2-spring", "lamp-gravcomp"] {
        assert!(robot.spec.forces.iter().any(|f| f.name == force), "{force}");
    }
    assert!(listed(&robot, "sensor", "1 elements"));
    assert!(listed(&robot, "shape of a geom", "only meshes in files"));
    assert_eq!(robot.not_imported.len(), 3, "sensor; camera, light; a mesh: {:?}", robot.not_imported);
    agrees(robot, "menagerie.json", 1e-11);
}

#[test]
fn a_key_gives_pose_and_controls() {
    let start = mjcf::Start::Key("home".to_string());
    let read = |start| mjcf::read_with(&text("menagerie.xml"), &file("menagerie.xml"), &mjcf::MjcfOptions { start });
    agrees(read(start).unwrap(), "menagerie_home.json", 1e-11);
    assert!(read(mjcf::Start::Key("away".to_string())).is_err());
    assert_eq!(read(mjcf::Start::FirstKey).unwrap().poses[0].0, "park");
}

#[test]
fn loops_hold_exactly() {
    let robot = robot::read(&file("linkage.xml")).unwrap();
    assert!(robot.notes.iter().any(|n| n.contains("3 equality constraints")));
    agrees(robot.clone(), "linkage.json", 1e-8);
    let model = robot.spec.build().unwrap();
    let run = simulate(&model, &model.initial_state(), &Transient::to(0.5)).unwrap();
    let last = |name: &str| run.last(name).unwrap();
    let gear = last("wheel.angle") - 0.2 + 2.5 * last("crank.angle");
    assert!(gear.abs() < 1e-9 && last("crank.angle").abs() > 0.1, "{gear}");
}

#[test]
fn joints_keep_their_names_in_the_solution() {
    let robot = robot::read(&file("gantry_arm.urdf")).unwrap();
    let model = robot.spec.build().unwrap();
    let run = simulate(&model, &model.initial_state(), &Transient::to(0.2)).unwrap();
    for name in ["shoulder.angle", "elbow.angle", "left.slide", "along.slide", "turn.angle"] {
        assert!(run.last(name).is_ok(), "{name}");
    }
    let jaws = run.last("right.slide").unwrap() - 0.8 * run.last("left.slide").unwrap();
    assert!((jaws - 0.01).abs() < 1e-9);
}

#[test]
fn an_import_can_be_written_and_read_as_data() {
    for name in ["gantry_arm.urdf", "menagerie.xml", "linkage.xml"] {
        let robot = robot::read(&file(name)).unwrap();
        let written = serde_json::to_string(&robot.spec).unwrap();
        let back: taut::Spec = serde_json::from_str(&written).unwrap();
        assert_eq!(serde_json::to_string(&back).unwrap(), written);
        back.build().unwrap();
    }
}
