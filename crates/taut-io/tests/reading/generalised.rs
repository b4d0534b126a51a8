//! Generalised bodies in files: they move like the same mechanism of bodies and joints.
#![allow(non_snake_case)]

use std::path::{Path, PathBuf};
use taut::analyses::linear::{ModeRequest, linearise, modes};
use taut::analyses::{Statics, Transient, simulate, statics};
use taut::{Outcome, Solution};
use taut_io::model::{ModelFile, parse as parse_at, read};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

fn parse(text: &str) -> ModelFile {
    parse_at(text, Path::new("model.toml"), &[]).unwrap_or_else(|all| panic!("{}", all[0]))
}

fn shipped(name: &str) -> ModelFile {
    read(&folder().join(name), &[]).unwrap()
}

/// A run to `end` with a row every 50 ms.
fn run(file: &ModelFile, end: f64) -> Solution {
    let model = file.build().unwrap();
    let settings = Transient::to(end).tolerance(1e-13, 1e-13).every(0.05);
    let found = simulate(&model, &model.initial_state(), &settings).unwrap();
    assert_eq!(found.outcome, Outcome::Finished);
    found
}

/// Compares functions of the rows of two runs, relative to the largest value.
fn compare(name: &str, [a, b]: [&Solution; 2], of_a: impl Fn(usize) -> f64, of_b: impl Fn(usize) -> f64) {
    assert_eq!(a.t().len(), b.t().len());
    let size = (0..a.t().len()).map(|i| of_b(i).abs()).fold(1.0, f64::max);
    for i in 0..a.t().len() {
        let difference = (of_a(i) - of_b(i)).abs() / size;
        assert!(difference < 1e-10, "{name} at {} s: {} and {}", a.t()[i], of_a(i), of_b(i));
    }
}

#[test]
fn a_double_pendulum_moves_like_two_pinned_rods() {
    let bodies = parse(
        r#"taut = 2
gravity = [0, -9.81, 0]
[params]
a = 1.2
b = -0.3
[bodies.one]
type = "planar"
mass = 1.2
shape = { type = "rod", length = 1 }
position = ["sin(a)/2", "-cos(a)/2"]
angle = "a - pi/2"
markers = { top = [-0.5, 0], end = [0.5, 0] }
[bodies.two]
type = "planar"
mass = 0.8
shape = { type = "rod", length = 0.7 }
position = ["sin(a) + 0.35*sin(b)", "-cos(a) - 0.35*cos(b)"]
angle = "b - pi/2"
markers = { top = [-0.35, 0] }
[joints]
upper = { type = "pin", a = "ground", b = "one.top" }
lower = { type = "pin", a = "one.end", b = "two.top" }
"#,
    );
    let (energies, bodies) = (run(&shipped("generalised_double_pendulum.toml"), 1.0), run(&bodies, 1.0));
    let column = |s: &Solution, name: &str| s.column(name).unwrap().to_vec();
    for (own, other, shift) in [
        ("rods.a", "one.theta", std::f64::consts::FRAC_PI_2),
        ("rods.b", "two.theta", std::f64::consts::FRAC_PI_2),
        ("rods.a'", "one.omega", 0.0),
        ("rods.b'", "two.omega", 0.0),
        ("rods.a''", "one.alpha", 0.0),
        ("rods.b''", "two.alpha", 0.0),
        ("energy.kinetic", "energy.kinetic", 0.0),
        ("energy.potential", "energy.potential", 0.0),
    ] {
        let (x, y) = (column(&energies, own), column(&bodies, other));
        compare(own, [&energies, &bodies], |i| x[i], |i| y[i] + shift);
    }
}

#[test]
fn a_cart_pole_moves_like_a_slider_and_a_pinned_rod() {
    let bodies = parse(
        r#"taut = 2
gravity = [0, -9.81, 0]
[bodies.cart]
type = "planar"
mass = 2
inertia = 1
[bodies.rod]
type = "planar"
mass = 0.5
shape = { type = "rod", length = 1.2 }
position = ["0.6*sin(0.3)", "0.6*cos(0.3)"]
angle = "pi/2 - 0.3"
markers = { foot = [-0.6, 0] }
[joints]
guide = { type = "slider", a = "ground", b = "cart" }
hinge = { type = "pin", a = "cart", b = "rod.foot" }
[forces.rail]
type = "formula"
coordinate = "cart.x"
force = "-0.3*rate"
[forces.pivot]
type = "formula"
coordinate = "hinge.angle"
force = "-0.05*rate"
"#,
    );
    let (energies, bodies) = (run(&shipped("generalised_cart_pole.toml"), 2.0), run(&bodies, 2.0));
    for (own, other, sign, shift) in [
        ("pole.x", "cart.x", 1.0, 0.0),
        ("pole.theta", "rod.theta", -1.0, std::f64::consts::FRAC_PI_2),
        ("pole.x''", "cart.ax", 1.0, 0.0),
        ("energy.work", "energy.work", 1.0, 0.0),
    ] {
        let (x, y) = (energies.column(own).unwrap(), bodies.column(other).unwrap());
        compare(own, [&energies, &bodies], |i| x[i], |i| sign * y[i] + shift);
    }
    let force = energies.column("pole.forces.x").unwrap();
    let rail = bodies.column("rail.effort").unwrap();
    compare("rail", [&energies, &bodies], |i| force[i], |i| rail[i]);
}

#[test]
fn a_top_moves_like_a_rigid_body_on_a_ball_joint() {
    let bodies = parse(
        r#"taut = 2
gravity = [0, 0, -9.81]
[bodies.top]
type = "rigid"
mass = 1.5
com = [0, 0, 0.5]
inertia = ["0.6 - 1.5*0.25", "0.6 - 1.5*0.25", 0.2]
orientation = { rotations = [["x", 0.5]] }
angular_velocity = [0, "-30*sin(0.5)", "30*cos(0.5)"]
markers = { centre = [0, 0, 0.5] }
[joints.tip]
type = "spherical"
a = "ground"
b = "top"
"#,
    );
    let (energies, bodies) = (run(&shipped("generalised_top.toml"), 1.0), run(&bodies, 1.0));
    let [precession, nutation] = ["top.precession", "top.nutation"].map(|name| energies.column(name).unwrap());
    let [x, y, z] = ["x", "y", "z"].map(|axis| bodies.column(&format!("top.centre.{axis}")).unwrap());
    let both = [&energies, &bodies];
    compare("x", both, |i| 0.5 * nutation[i].sin() * precession[i].sin(), |i| x[i]);
    compare("y", both, |i| -0.5 * nutation[i].sin() * precession[i].cos(), |i| y[i]);
    compare("z", both, |i| 0.5 * nutation[i].cos(), |i| z[i]);
    let [T, other] = both.map(|s| s.column("energy.kinetic").unwrap());
    compare("T", both, |i| T[i], |i| other[i]);
}

#[test]
fn a_blade_moves_like_hub_blade_and_hinge() {
    let (energies, bodies) =
        (run(&shipped("generalised_blade.toml"), 1.0), run(&shipped("papers/kamaraj_flapping_blade.toml"), 1.0));
    let both = [&energies, &bodies];
    for (own, other) in [
        ("rotor.flap", "flap.angle"),
        ("rotor.flap'", "flap.angle.rate"),
        ("shaft.lambda_relation", "shaft.lambda_angle"),
    ] {
        let (x, y) = (energies.column(own).unwrap(), bodies.column(other).unwrap());
        compare(own, both, |i| x[i], |i| y[i]);
    }
}

#[test]
fn a_written_file_gives_the_same_motion() {
    for name in ["generalised_double_pendulum.toml", "generalised_motor.toml"] {
        let file = shipped(name);
        let again = parse(&file.write().unwrap());
        let [a, b] = [&file, &again].map(|file| run(file, 0.2));
        for (a, b) in a.table.columns().iter().zip(b.table.columns()) {
            assert_eq!((&a.name, &a.data), (&b.name, &b.data), "{name}");
        }
    }
}

#[test]
fn modes_and_equilibrium_are_those_of_any_body() {
    // A pendulum of one rod: ω² = 3 g/(2 l), and it hangs down.
    let file = parse(
        r#"taut = 2
[bodies.rod]
type = "generalised"
coordinates = { a = { unit = "rad", initial = 0.4 } }
kinetic_energy = "a'^2/6"
potential_energy = "-9.81/2*cos(a)"
"#,
    );
    let model = file.build().unwrap();
    let state = model.initial_state();
    let rest = statics(&model, &state, &Statics::default()).unwrap();
    assert!(rest.state.q[0].abs() < 1e-10, "{}", rest.state.q[0]);
    let found = modes(&linearise(&model, &rest.state, None).unwrap(), ModeRequest::All).unwrap();
    let omega = found.modes[0].omega();
    assert!((omega - (1.5 * 9.81_f64).sqrt()).abs() < 1e-9, "{omega}");
}

#[test]
fn a_mass_matrix_that_becomes_singular_stops_the_run_and_is_named() {
    // ½ x² ẋ² is constant: x² = 0.25 − t, so x vanishes at 0.25 s with its inertia.
    let file = parse(
        r#"
taut = 2
[bodies.p]
type = "generalised"
coordinates = { x = { unit = "m", initial = 0.5, velocity = -1 } }
kinetic_energy = "0.5*x^2*x'^2"
"#,
    );
    let model = file.spec.build().unwrap();
    let run = simulate(&model, &model.initial_state(), &Transient::to(3.0)).unwrap();
    let said = run.outcome.to_string();
    assert!((run.outcome.time().unwrap() - 0.25).abs() < 1e-6, "{said}");
    assert!(said.contains("mass matrix of body `p`") && said.contains("`x` loses its inertia"), "{said}");
    assert!(!said.contains("changes fastest"), "{said}");
}
