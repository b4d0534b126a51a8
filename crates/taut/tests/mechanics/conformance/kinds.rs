//! Every kind of body in an arbitrary pose and motion.
#![allow(non_snake_case)]

use taut::beams::{Beam, MotionSpace, Section};
use taut::bodies::{
    AxisSequence, BeamSupport, BodyKind, CoordinateUnit, EulerAngles, EulerParameters, Generalised,
    GeneralisedCoordinate, Modal, ModalDamping, ModalNode, ModeSelection, Quantity, RitzReduction, Rodrigues,
    Stiffening,
};
use taut::{Orientation, PlanarBody, PointMass, RigidBody, Spec, Subsystem};

/// Two coupled oscillators with M depending on q, and a first-order state that drives one of them.
#[derive(Debug)]
struct Pair;

impl Subsystem for Pair {
    fn coordinates(&self) -> Vec<Quantity> {
        vec![Quantity::new("s", "m"), Quantity::new("u", "rad")]
    }
    fn state_count(&self) -> usize {
        1
    }
    fn initial_state(&self, q: &mut [f64], v: &mut [f64], z: &mut [f64]) {
        q.copy_from_slice(&[0.4, -0.3]);
        v.copy_from_slice(&[0.7, 1.1]);
        z[0] = 0.2;
    }
    fn mass_matrix(&self, q: &[f64], M: &mut [f64]) {
        let c = 0.5 * q[1].cos();
        M.copy_from_slice(&[2.0, c, c, 1.0]);
    }
    fn forces(&self, _t: f64, q: &[f64], v: &[f64], z: &[f64], f: &mut [f64], zdot: &mut [f64]) {
        // Lagrange: L = ½ vᵀM v − V, and a motor z on s.
        f[0] = 0.5 * q[1].sin() * v[1] * v[1] - 3.0 * q[0] + z[0];
        f[1] = -2.0 * q[1];
        zdot[0] = v[0] - z[0];
    }
    fn potential(&self, q: &[f64]) -> f64 {
        1.5 * q[0] * q[0] + q[1] * q[1]
    }
    fn nonconservative_power(&self, _t: f64, _q: &[f64], v: &[f64], z: &[f64]) -> f64 {
        z[0] * v[0]
    }
}

/// Every kind of body in an arbitrary pose and motion, with its name.
pub(super) fn bodies() -> Vec<(&'static str, BodyKind)> {
    let turned = Orientation::RotationVector([0.4, -0.7, 0.5]);
    let mut full = RigidBody::new(1.7, [0.5, 0.6, 0.7])
        .com([0.1, -0.2, 0.15])
        .at([0.3, 0.1, -0.4])
        .oriented(turned.clone())
        .moving([0.6, -0.2, 0.9], [1.1, 0.7, -0.8]);
    full.inertia[3..].copy_from_slice(&[0.05, -0.08, 0.03]);
    let plain = RigidBody::new(0.9, [0.2, 0.3, 0.4]).oriented(turned).moving([0.1, 0.2, 0.3], [2.0, -1.0, 0.5]);
    let planar = PlanarBody::new(1.3, 0.4).com([0.2, -0.1]).at([0.5, -0.3], 0.8).moving([0.4, 1.2], -1.5);
    vec![
        ("point mass", PointMass::new(2.0, [0.1, 0.2, 0.3]).moving([0.5, -0.6, 0.7]).into()),
        ("planar", planar.into()),
        ("rigid", plain.into()),
        ("rigid with com and full inertia", full.clone().into()),
        ("Euler parameters", EulerParameters { rigid: full.clone() }.into()),
        ("Rodrigues", Rodrigues { rigid: full.clone() }.into()),
        ("z-x-z", EulerAngles::new(full.clone(), AxisSequence::Zxz).into()),
        ("x-y-z", EulerAngles::new(full.clone(), AxisSequence::Xyz).into()),
        ("z-y-x", EulerAngles::new(full, AxisSequence::Zyx).into()),
        ("subsystem", Pair.into()),
        ("generalised", parsed(generalised())),
        ("generalised by its mass matrix", parsed(by_mass_matrix())),
        ("reduced set", reduced()),
        ("modal", modal(MotionSpace::Spatial)),
        ("modal in the plane", modal(MotionSpace::Planar)),
        ("modal and stiffened", stiffened()),
    ]
}

/// The body as the model has it, with its text parsed.
fn parsed(body: Generalised) -> BodyKind {
    let mut spec = Spec::new();
    spec.body("body", body);
    spec.build().unwrap().bodies[0].kind.clone()
}

/// A cart, a pendulum on it and a bead on the pendulum, seen from a turntable: T has all three degrees in the velocities.
fn generalised() -> Generalised {
    let bead = "(x' + r'*sin(u) + r*u'*cos(u) - 0.3*r*cos(u))^2 + (r'*cos(u) - r*u'*sin(u) + 0.3*(x + r*sin(u)))^2";
    Generalised::new([
        GeneralisedCoordinate::new("x", CoordinateUnit::Metre).starting(0.4, 0.7),
        GeneralisedCoordinate::new("u", CoordinateUnit::Radian).starting(-0.3, 1.1),
        GeneralisedCoordinate::new("r", CoordinateUnit::Metre).starting(1.2, -0.4),
    ])
    .kinetic_energy(&format!("0.5*1.5*x'^2 + 0.1*u'^2 + 0.4*({bead})"))
}

/// M depends on q; without forces, its power ½ vᵀṀv is not zero.
fn by_mass_matrix() -> Generalised {
    Generalised::new([
        GeneralisedCoordinate::new("s", CoordinateUnit::Metre).starting(0.4, 0.7),
        GeneralisedCoordinate::new("u", CoordinateUnit::One).starting(-0.3, 1.1),
    ])
    .mass_matrix(&[&["2 + s^2", "0.5*cos(u)"], &["0.5*cos(u)", "1"]])
}

/// A particle, a planar body and a subsystem moving in four shapes.
fn reduced() -> BodyKind {
    let shapes = (0..4).map(|s| (0..8).map(|i| ((3 * s + i) as f64).cos() + if s == i { 1.0 } else { 0.0 }).collect());
    let mut spec = Spec::new();
    spec.body("point", PointMass::new(2.0, [0.1, 0.2, 0.3]).moving([0.5, -0.6, 0.7]))
        .body("plate", PlanarBody::new(1.3, 0.4).com([0.2, -0.1]).at([0.5, -0.3], 0.8).moving([0.4, 1.2], -1.5))
        .body("pair", Pair)
        .body("set", RitzReduction::new(["point", "plate", "pair"], shapes.collect()));
    spec.build().unwrap().bodies[0].kind.clone()
}

/// Scattered nodes in generic shapes; in the plane the shapes stay there.
fn modal(space: MotionSpace) -> BodyKind {
    let flat = if space == MotionSpace::Planar { 0.0 } else { 1.0 };
    let wave = |i: usize, k: usize| (1.0 + 1.7 * i as f64 + 0.9 * k as f64 + 0.31 * (i * i + k) as f64).sin();
    let node = |i: usize| ModalNode {
        at: [wave(i, 0), wave(i, 1), flat * wave(i, 2)],
        orientation: Orientation::RotationVector([0.2 * flat, 0.3 * flat, -0.3]),
        mass: 0.3 + 0.1 * i as f64,
        com: [0.02, -0.01, 0.03 * flat],
        inertia: [0.02, 0.03, 0.025, 0.002 * flat, -0.001 * flat, 0.003 * flat],
        phi: (0..3).map(|s| [wave(3 * i + s, 5), wave(3 * i + s, 6), flat * wave(3 * i + s, 7)]).collect(),
        psi: (0..3).map(|s| [flat * wave(2 * i + s, 3), flat * wave(i + 2 * s, 4), wave(i + s, 5)]).collect(),
    };
    let stiffness = vec![vec![30.0, 2.0, 1.0], vec![2.0, 40.0, -3.0], vec![1.0, -3.0, 50.0]];
    let mut body = Modal::from_nodes((0..5).map(node).collect(), stiffness);
    body.space = space;
    body.damping = ModalDamping::Ratios(vec![0.1, 0.2, 0.05]);
    body.position = [0.3, 0.1, -0.4 * flat];
    body.orientation = Orientation::RotationVector([0.6 * flat, -0.3 * flat, 0.8]);
    (body.velocity, body.angular_velocity) = ([0.6, -0.2, 0.9 * flat], [1.1 * flat, 0.7 * flat, -0.8]);
    (body.amplitudes, body.amplitude_rates) = (vec![0.2, -0.1, 0.15], vec![0.7, 0.4, -0.9]);
    built(body)
}

/// A beam in four shapes that its rotation stiffens.
fn stiffened() -> BodyKind {
    let section = Section::diagonal([900.0, 300.0, 400.0, 2.0, 3.0, 5.0], 0.7, [1.5, 0.9, 0.8]);
    let beam = Beam::straight([0.1, 0.2, -0.1], [0.9, 0.4, 0.3], section, 4);
    let mut body = Modal::from_beam(beam, BeamSupport::Interface(vec![0]), ModeSelection::First(4));
    body.stiffening = Stiffening::Centrifugal;
    (body.velocity, body.angular_velocity) = ([0.6, -0.2, 0.9], [1.1, 0.7, -0.8]);
    (body.amplitudes, body.amplitude_rates) = (vec![0.02, -0.01, 0.01, 0.01], vec![0.07, 0.04, -0.09, 0.02]);
    built(body)
}

/// The body as completed by a model.
fn built(body: Modal) -> BodyKind {
    let mut spec = Spec::new();
    spec.body("body", body);
    spec.build().unwrap().bodies[0].kind.clone()
}
