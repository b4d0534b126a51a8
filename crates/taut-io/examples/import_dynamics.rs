//! Accelerations of imported robots, for `checks/imports.py`: JSON on standard input, JSON on standard output.
//!
//! ```text
//!  in   {"file": "arm.urdf", "base": "fixed" | "free", "states": [{"joint": {"q": [0.1], "v": [0.2]}, …}, …]}
//!  out  {"bodies", "rotors", "joints", "not_carried", "notes", "states": [{"joint": [a], …}, …], "drift": φ, φ̇ met}
//! ```
//!
//! Without states it only tells what was read.
#![allow(non_snake_case)]

use serde_json::{Map, Value, json};
use std::error::Error;
use std::io::Read;
use std::path::Path;
use taut::dynamics::{Dynamics, SolverSettings};
use taut::motion::Vec3;
use taut_io::robot::{JointState, Robot};
use taut_io::{mjcf, urdf};

fn main() -> Result<(), Box<dyn Error>> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let requested: Value = serde_json::from_str(&text)?;
    let answer = answer(&requested).unwrap_or_else(|e| json!({ "error": e.to_string() }));
    serde_json::to_writer(std::io::stdout(), &answer)?;
    Ok(())
}

fn answer(requested: &Value) -> Result<Value, Box<dyn Error>> {
    let path = Path::new(requested["file"].as_str().ok_or("no file")?);
    let text = std::fs::read_to_string(path)?;
    let base = if requested["base"] == "free" { urdf::Base::Free } else { urdf::Base::Fixed };
    let options = urdf::UrdfOptions { base, ..urdf::UrdfOptions::default() };
    let read = match path.extension().is_some_and(|e| e == "urdf") {
        true => urdf::read_with(&text, path, &options),
        false => mjcf::read(&text, path),
    };
    let mut robot = read.map_err(|e| e.to_string())?;
    let none = Vec::new();
    let states = requested["states"].as_array().unwrap_or(&none);
    let found: Result<Vec<Value>, _> = states.iter().map(|s| accelerations(&mut robot, s)).collect();
    let joint = |(i, j): (usize, &taut_io::robot::Articulation)| {
        json!({"name": j.name, "link": robot.tree.links[i].name, "q": j.freedom.coordinates(), "v": j.freedom.velocities(),
            "damping": j.damping, "measured": robot.coordinates.contains_key(&j.name)})
    };
    let listed = |n: &taut_io::robot::NotImported| json!([n.element, n.what]);
    Ok(json!({
        "bodies": robot.tree.links.len(),
        "rotors": robot.spec.bodies.len() - robot.tree.links.len(),
        "joints": robot.tree.joints().map(joint).collect::<Vec<_>>(),
        "not_carried": robot.not_imported.iter().map(listed).collect::<Vec<_>>(),
        "notes": robot.notes,
        "states": found?,
    }))
}

/// Sets the joints, solves M v̇ = f + Aᵀλ, A v̇ = b for all bodies, and reads the joints' accelerations off v̇.
fn accelerations(robot: &mut Robot, state: &Value) -> Result<Value, Box<dyn Error>> {
    let mut joints = robot.tree.reference();
    let names: Vec<String> = robot.tree.joints().map(|(_, j)| j.name.clone()).collect();
    for (name, joint) in names.iter().zip(&mut joints) {
        let list = |v: &Value| v.as_array().map(|l| l.iter().filter_map(Value::as_f64).collect::<Vec<_>>());
        if let (Some(q), Some(v)) = (list(&state[name]["q"]), list(&state[name]["v"])) {
            *joint = JointState { q, v };
        }
    }
    robot.start(&joints)?;
    let model = robot.spec.build()?;
    let start = model.initial_state();
    let mut dynamics = Dynamics::new(&model, &SolverSettings::default());
    dynamics.solve_accelerations(start.t, &start.q, &start.v, &start.z).map_err(|e| format!("{e:?}"))?;
    let links: Vec<(Vec3, Vec3)> = (model.bodies[..robot.tree.links.len()].iter())
        .map(|b| {
            let a = &dynamics.vdot[b.v.clone()];
            (Vec3::new(a[3], a[4], a[5]), Vec3::new(a[0], a[1], a[2]))
        })
        .collect();
    let found = robot.tree.joint_accelerations(&joints, &links);
    let mut out: Map<String, Value> = names.into_iter().zip(found).map(|(n, a)| (n, json!(a))).collect();
    let largest = |x: &[f64]| x.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
    out.insert("#phi".to_string(), json!(largest(&dynamics.eq.phi)));
    out.insert("#phidot".to_string(), json!(largest(&dynamics.eq.phidot)));
    Ok(Value::Object(out))
}
