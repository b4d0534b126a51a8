//! \[FumagalliMasarati2009\] appendix 2: a rigid body with Gibbs–Rodrigues parameters, free and with one point fixed.

use crate::common::{close, run};
use crate::fumagalli::solved;
use taut::analyses::Transient;
use taut::bodies::{BodyKind, Quantity, Subsystem, SubsystemBody, Symmetry};
use taut::constraints::{MarkerReference, UserConstraint, UserHolonomic, UserPlace};
use taut::forces::Applied;
use taut::motion::{Mat3, Vec3, quaternion_of_rotation};
use taut::scalar::Scalar;
use taut::{Model, Orientation, RigidBody, Signal, Solution, Spec};

const P: [f64; 3] = [0.4, -0.7, 0.3];
const PDOT: [f64; 3] = [1.1, 0.2, -0.5];
const FIXED: [f64; 3] = [0.5, 0.1, -0.2];

/// R(p) = I + 4/(4 + p·p) (p× + p×p×/2), p = 2 tan(φ/2) n.
fn gibbs<S: Scalar>(p: [S; 3], s: [f64; 3]) -> [S; 3] {
    let cross =
        |a: [S; 3], b: [S; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let s = s.map(S::from);
    let k = S::from(4.0) / (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + 4.0);
    let one = cross(p, s);
    let two = cross(p, one);
    [0, 1, 2].map(|i| s[i] + k * (one[i] + two[i] * 0.5))
}

fn turned(p: &[f64]) -> Mat3 {
    let p = [p[0], p[1], p[2]];
    let columns = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|e| Vec3::from(gibbs(p, e)));
    Mat3::from_columns(&columns)
}

/// Γ with ω = Γ ṗ, and Γ̇.
fn tangent(p: Vec3, rate: Vec3) -> (Mat3, Mat3) {
    let k = 4.0 / (4.0 + p.norm_squared());
    let dk = -0.5 * k * k * p.dot(&rate);
    let (plus, moving) = (Mat3::identity() + p.cross_matrix() * 0.5, rate.cross_matrix() * 0.5);
    (plus * k, plus * dk + moving * k)
}

/// Which equations of rotation are written down.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rows {
    /// Euler's: J Γ p̈ = …, a mass matrix without symmetry.
    Euler,
    /// Lagrange's: Γᵀ J Γ p̈ = Γᵀ ….
    Lagrange,
}

/// 2 kg, J diagonal in body axes, with a constant force and moment; q = (x, p).
#[derive(Debug)]
struct Gibbs(Rows, [f64; 3]);

impl Gibbs {
    fn inertia(&self, p: &[f64]) -> Mat3 {
        let R = turned(p);
        R * Mat3::from_diagonal(&Vec3::from(self.1)) * R.transpose()
    }
    /// What the rows of Euler's equations are multiplied with.
    fn left(&self, p: Vec3) -> Mat3 {
        if self.0 == Rows::Euler { Mat3::identity() } else { tangent(p, Vec3::zeros()).0.transpose() }
    }
}

impl Subsystem for Gibbs {
    fn coordinates(&self) -> Vec<Quantity> {
        let unit = |n: &&str| if n.starts_with('x') { "m" } else { "1" };
        ["x1", "x2", "x3", "p1", "p2", "p3"].iter().map(|n| Quantity::new(n, unit(n))).collect()
    }
    fn initial_state(&self, q: &mut [f64], v: &mut [f64], _z: &mut [f64]) {
        q[3..].copy_from_slice(&P);
        v[3..].copy_from_slice(&PDOT);
        let s = turned(&P) * Vec3::from(FIXED);
        q[..3].copy_from_slice((-s).as_slice());
        let w = tangent(Vec3::from(P), Vec3::zeros()).0 * Vec3::from(PDOT);
        v[..3].copy_from_slice((-w.cross(&s)).as_slice());
    }
    fn mass_matrix(&self, q: &[f64], M: &mut [f64]) {
        let p = Vec3::new(q[3], q[4], q[5]);
        let rotation = self.left(p) * self.inertia(&q[3..]) * tangent(p, Vec3::zeros()).0;
        M.fill(0.0);
        for i in 0..3 {
            M[7 * i] = 2.0;
            (0..3).for_each(|j| M[6 * (3 + j) + 3 + i] = rotation[(i, j)]);
        }
    }
    fn symmetry(&self) -> Symmetry {
        if self.0 == Rows::Euler { Symmetry::NonSymmetric } else { Symmetry::Symmetric }
    }
    fn reaction_row(&self, q: &[f64], row: &mut [f64]) {
        if self.0 == Rows::Euler {
            // ω = Γ ṗ: a row on ṗ is one on ω times Γ.
            let G = tangent(Vec3::new(q[3], q[4], q[5]), Vec3::zeros()).0;
            let on_rotation = G.transpose().try_inverse().unwrap() * Vec3::new(row[3], row[4], row[5]);
            row[3..].copy_from_slice(on_rotation.as_slice());
        }
    }
    fn forces(&self, _t: f64, q: &[f64], v: &[f64], _z: &[f64], f: &mut [f64], _zdot: &mut [f64]) {
        let (p, rate) = (Vec3::new(q[3], q[4], q[5]), Vec3::new(v[3], v[4], v[5]));
        let (G, dG) = tangent(p, rate);
        let J = self.inertia(&q[3..]);
        let w = G * rate;
        let m = Vec3::new(0.2, 0.4, -0.3) - w.cross(&(J * w)) - J * dG * rate;
        f[..3].copy_from_slice(&[1.0, -2.0, 0.5]);
        f[3..].copy_from_slice((self.left(p) * m).as_slice());
    }
    fn kinetic(&self, q: &[f64], v: &[f64]) -> Option<f64> {
        let w = tangent(Vec3::new(q[3], q[4], q[5]), Vec3::zeros()).0 * Vec3::new(v[3], v[4], v[5]);
        let x = Vec3::new(v[0], v[1], v[2]);
        Some(x.norm_squared() + 0.5 * w.dot(&(self.inertia(&q[3..]) * w)))
    }
}

/// x + R(p) s = 0.
#[derive(Debug)]
struct FixedPoint;

impl UserHolonomic for FixedPoint {
    fn rows(&self) -> usize {
        3
    }
    fn phi<S: Scalar>(&self, _t: S, at: &[UserPlace<S>], out: &mut [S]) {
        let s = gibbs([at[3].p[0], at[4].p[0], at[5].p[0]], FIXED);
        (0..3).for_each(|i| out[i] = at[i].p[0] + s[i]);
    }
}

/// The paper's inertia is no rigid body's (0.3 + 0.5 < 0.9), which a fixed point does not mind.
const PAPER: [f64; 3] = [0.3, 0.5, 0.9];

fn gibbs_body(rows: Rows, inertia: [f64; 3], fixed: bool) -> Model {
    let mut spec = Spec::new();
    spec.body("body", BodyKind::Subsystem(SubsystemBody::new(Gibbs(rows, inertia))));
    if fixed {
        let seen = ["body.x1", "body.x2", "body.x3", "body.p1", "body.p2", "body.p3"].map(MarkerReference::coordinate);
        spec.constraint("point", UserConstraint::holonomic(&seen, FixedPoint));
    }
    spec.build().unwrap()
}

#[test]
fn fixed_point_with_rotation_parameters() {
    for rows in [Rows::Lagrange, Rows::Euler] {
        let model = gibbs_body(rows, PAPER, true);
        let (a, lambda, _) = solved(&model);
        let expected = [0.18580481510538072, -0.22964498029760994, 0.22137287102298592];
        close("acceleration of the centre", &a[..3], &expected, 1e-10);
        let (G, dG) = tangent(Vec3::from(P), Vec3::from(PDOT));
        let alpha = G * Vec3::new(a[3], a[4], a[5]) + dG * Vec3::from(PDOT);
        close(
            "angular acceleration",
            alpha.as_slice(),
            &[0.4446259267165733, 0.09169137228312034, 0.9077172558145771],
            1e-10,
        );
        close("p̈", &a[3..], &[0.8842990839002182, 0.15165238460798666, 0.7310629564011848], 1e-10);
        // The other sign than in the paper.
        close("reaction", &lambda, &[-0.6283903697892386, 1.5407100394047801, -0.05725425795402816], 1e-9);
    }
}

#[test]
fn non_symmetric_mass_matrix_moves_a_free_body() {
    // Euler's and Lagrange's rows, and the rigid body of the engine, are the same body.
    let inertia = [0.3, 0.5, 0.7];
    let R = turned(&P);
    let w0 = tangent(Vec3::from(P), Vec3::zeros()).0 * Vec3::from(PDOT);
    let start = gibbs_body(Rows::Euler, inertia, false).initial_state();
    let rigid = RigidBody::new(2.0, inertia)
        .at([start.q[0], start.q[1], start.q[2]])
        .oriented(Orientation::Quaternion(quaternion_of_rotation(&R)))
        .moving([start.v[0], start.v[1], start.v[2]], w0.into());
    let mut spec = Spec::new();
    spec.body("body", rigid).force(
        "load",
        Applied {
            torque: [0.2, 0.4, -0.3].map(Signal::constant),
            ..Applied::force("body", [1.0, -2.0, 0.5].map(Signal::constant))
        },
    );
    let settings = Transient::to(1.0).every(0.25).tolerance(1e-12, 1e-12);
    let truth = run(&spec.build().unwrap(), &settings);
    for rows in [Rows::Euler, Rows::Lagrange] {
        let s = run(&gibbs_body(rows, inertia, false), &settings);
        for i in 0..s.len() {
            let c = |s: &Solution, n: &str| s.column(&format!("body.{n}")).unwrap()[i];
            let q = ["qw", "qx", "qy", "qz"].map(|n| c(&truth, n));
            let found = turned(&["p1", "p2", "p3"].map(|n| c(&s, n)));
            close("attitude", found.as_slice(), taut::motion::rotation_of_quaternion(&q).as_slice(), 1e-10);
            let x = ["x1", "x2", "x3"].map(|n| c(&s, n));
            close("centre", &x, &["x", "y", "z"].map(|n| c(&truth, n)), 1e-10);
        }
    }
}
