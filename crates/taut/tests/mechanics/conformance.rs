//! What every body promises, tried on every kind; and every formulation with every drift control on the same models.
#![allow(non_snake_case)]

use nalgebra::{DMatrix, DVector};
use taut::analyses::{Assembly, assemble};
use taut::beams::{Beam, Section, Space};
use taut::bodies::{
    Body, BodyKind, Chart, Damping, EulerAngles, EulerParameters, Held, Modal, Modes, Node, Quantity, Ritz, Rodrigues,
    Sequence, Stiffening, Symmetry,
};
use taut::drift::{Drift, Gain, Weight};
use taut::dynamics::{Choice, Dynamics};
use taut::forces::Spring;
use taut::formulations::{Exactness, Method};
use taut::motion::{Motion, Vec3, Wrench};
use taut::{
    Axes, Formula, FormulaForce, Frame, Hold, Joint, Measure, Model, Orientation, Place, PlanarBody, PointMass,
    Relation, RigidBody, Rolling, Signal, Spec, State, Subsystem,
};

// ------------------------------------------------------------------------------------------------------- bodies

/// Two coupled oscillators with M depending on q, and a first-order state that drives one of them.
#[derive(Debug)]
struct Pair;

impl Subsystem for Pair {
    fn coordinates(&self) -> Vec<Quantity> {
        vec![Quantity::new("s", "m"), Quantity::new("u", "rad")]
    }
    fn states(&self) -> usize {
        1
    }
    fn initial(&self, q: &mut [f64], v: &mut [f64], z: &mut [f64]) {
        q.copy_from_slice(&[0.4, -0.3]);
        v.copy_from_slice(&[0.7, 1.1]);
        z[0] = 0.2;
    }
    fn mass(&self, q: &[f64], M: &mut [f64]) {
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
    fn loss(&self, _t: f64, _q: &[f64], v: &[f64], z: &[f64]) -> f64 {
        z[0] * v[0]
    }
}

/// Every kind of body in an arbitrary pose and motion, with its name.
fn bodies() -> Vec<(&'static str, BodyKind)> {
    let turned = Orientation::RotationVector([0.4, -0.7, 0.5]);
    let mut full = RigidBody::new(1.7, [0.5, 0.6, 0.7])
        .com([0.1, -0.2, 0.15])
        .at([0.3, 0.1, -0.4])
        .turned(turned.clone())
        .moving([0.6, -0.2, 0.9], [1.1, 0.7, -0.8]);
    full.inertia[3..].copy_from_slice(&[0.05, -0.08, 0.03]);
    let plain = RigidBody::new(0.9, [0.2, 0.3, 0.4]).turned(turned).moving([0.1, 0.2, 0.3], [2.0, -1.0, 0.5]);
    let planar = PlanarBody::new(1.3, 0.4).com([0.2, -0.1]).at([0.5, -0.3], 0.8).moving([0.4, 1.2], -1.5);
    vec![
        ("point mass", PointMass::new(2.0, [0.1, 0.2, 0.3]).moving([0.5, -0.6, 0.7]).into()),
        ("planar", planar.into()),
        ("rigid", plain.into()),
        ("rigid with com and full inertia", full.clone().into()),
        ("Euler parameters", EulerParameters { rigid: full.clone() }.into()),
        ("Rodrigues", Rodrigues { rigid: full.clone() }.into()),
        ("z-x-z", EulerAngles::new(full.clone(), Sequence::Zxz).into()),
        ("x-y-z", EulerAngles::new(full.clone(), Sequence::Xyz).into()),
        ("z-y-x", EulerAngles::new(full, Sequence::Zyx).into()),
        ("subsystem", Pair.into()),
        ("reduced set", reduced()),
        ("modal", modal(Space::Spatial)),
        ("modal in the plane", modal(Space::Planar)),
        ("modal and stiffened", stiffened()),
    ]
}

/// A particle, a planar body and a subsystem moving in four shapes.
fn reduced() -> BodyKind {
    let shapes = (0..4).map(|s| (0..8).map(|i| ((3 * s + i) as f64).cos() + if s == i { 1.0 } else { 0.0 }).collect());
    let mut spec = Spec::new();
    spec.body("point", PointMass::new(2.0, [0.1, 0.2, 0.3]).moving([0.5, -0.6, 0.7]))
        .body("plate", PlanarBody::new(1.3, 0.4).com([0.2, -0.1]).at([0.5, -0.3], 0.8).moving([0.4, 1.2], -1.5))
        .body("pair", Pair)
        .body("set", Ritz::new(["point", "plate", "pair"], shapes.collect()));
    spec.build().unwrap().bodies[0].kind.clone()
}

/// Scattered nodes in generic shapes; in the plane the shapes stay there.
fn modal(space: Space) -> BodyKind {
    let flat = if space == Space::Planar { 0.0 } else { 1.0 };
    let wave = |i: usize, k: usize| (1.0 + 1.7 * i as f64 + 0.9 * k as f64 + 0.31 * (i * i + k) as f64).sin();
    let node = |i: usize| Node {
        at: [wave(i, 0), wave(i, 1), flat * wave(i, 2)],
        orientation: Orientation::RotationVector([0.2 * flat, 0.3 * flat, -0.3]),
        mass: 0.3 + 0.1 * i as f64,
        com: [0.02, -0.01, 0.03 * flat],
        inertia: [0.02, 0.03, 0.025, 0.002 * flat, -0.001 * flat, 0.003 * flat],
        phi: (0..3).map(|s| [wave(3 * i + s, 5), wave(3 * i + s, 6), flat * wave(3 * i + s, 7)]).collect(),
        psi: (0..3).map(|s| [flat * wave(2 * i + s, 3), flat * wave(i + 2 * s, 4), wave(i + s, 5)]).collect(),
    };
    let stiffness = vec![vec![30.0, 2.0, 1.0], vec![2.0, 40.0, -3.0], vec![1.0, -3.0, 50.0]];
    let mut body = Modal::of_nodes((0..5).map(node).collect(), stiffness);
    body.space = space;
    body.damping = Damping::Ratios(vec![0.1, 0.2, 0.05]);
    body.position = [0.3, 0.1, -0.4 * flat];
    body.orientation = Orientation::RotationVector([0.6 * flat, -0.3 * flat, 0.8]);
    (body.velocity, body.angular_velocity) = ([0.6, -0.2, 0.9 * flat], [1.1 * flat, 0.7 * flat, -0.8]);
    (body.amplitudes, body.rates) = (vec![0.2, -0.1, 0.15], vec![0.7, 0.4, -0.9]);
    built(body)
}

/// A beam in four shapes that its rotation stiffens.
fn stiffened() -> BodyKind {
    let section = Section::diagonal([900.0, 300.0, 400.0, 2.0, 3.0, 5.0], 0.7, [1.5, 0.9, 0.8]);
    let beam = Beam::straight([0.1, 0.2, -0.1], [0.9, 0.4, 0.3], section, 4);
    let mut body = Modal::of_beam(beam, Held::Interface(vec![0]), Modes::First(4));
    body.stiffening = Stiffening::Centrifugal;
    (body.velocity, body.angular_velocity) = ([0.6, -0.2, 0.9], [1.1, 0.7, -0.8]);
    (body.amplitudes, body.rates) = (vec![0.02, -0.01, 0.01, 0.01], vec![0.07, 0.04, -0.09, 0.02]);
    built(body)
}

/// With all that a model finds out about it.
fn built(body: Modal) -> BodyKind {
    let mut spec = Spec::new();
    spec.body("body", body);
    spec.build().unwrap().bodies[0].kind.clone()
}

/// A body with its state and one more marker, evaluated as the assembly does.
struct Probe<'a> {
    body: &'a dyn Body,
    place: Place,
}

const G: Vec3 = Vec3::new(0.3, -9.81, 1.2);

impl<'a> Probe<'a> {
    fn all(body: &'a dyn Body) -> Vec<Probe<'a>> {
        let named = body.coordinates();
        let coordinates = named.iter().filter_map(|c| body.coordinate(&c.name)).map(Place::Coordinate);
        let R = Orientation::RotationVector([0.2, 0.9, -0.4]).matrix().unwrap();
        let p = Vec3::new(0.4, -0.25, 0.3);
        let frames = [Place::Frame(Vec3::zeros(), Axes::Aligned), Place::Frame(p, Axes::of(R))];
        // Frames of members, and their coordinates behind the set's own; an ordinary body takes such a frame as any.
        let on = |m: usize| Place::Frame(p, Axes::OfMember(Box::new((m, R))));
        let set = body.coordinate("q1").is_some();
        let coordinates = coordinates.chain((4..12).filter(|_| set).map(Place::Coordinate));
        let frames = frames.into_iter().filter(|_| !set).chain([on(0), on(1)]);
        let frames = frames.filter(|_| set || body.frameless().is_none());
        frames.chain(coordinates).map(|place| Probe { body, place }).collect()
    }

    fn own(&self, q: &[f64], v: &[f64]) -> Motion {
        own(self.body, q, v)
    }

    fn seen(&self, q: &[f64], v: &[f64]) -> Motion {
        let own = self.own(q, v);
        let mut seen = Motion::REST;
        self.body.place(q, &own, &self.place, &mut seen);
        self.body.twist(q, v, &own, &self.place, &mut seen);
        seen
    }
}

fn own(body: &dyn Body, q: &[f64], v: &[f64]) -> Motion {
    let mut own = Motion::REST;
    body.reference(q, &mut own);
    body.reference_twist(q, v, &mut own);
    own
}

fn start(body: &dyn Body) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let s = body.sizes();
    let (mut q, mut v, mut z) = (vec![0.0; s.q], vec![0.0; s.v], vec![0.0; s.z]);
    body.initial(&mut q, &mut v, &mut z);
    // Away from the start, where parameters may have values that hide a term.
    let delta: Vec<f64> = (0..s.v).map(|i| 0.2 * v[i] + 0.1 * (i as f64).cos()).collect();
    body.displace(&mut q, &delta);
    (q, v, z)
}

/// q after moving for the time h with the constant v.
fn moved(body: &dyn Body, q: &[f64], v: &[f64], h: f64) -> Vec<f64> {
    let mut q = q.to_vec();
    body.displace(&mut q, &v.iter().map(|v| v * h).collect::<Vec<_>>());
    q
}

/// Five-point derivative at zero.
fn slope(f: impl Fn(f64) -> f64) -> f64 {
    let h = 1e-3;
    (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)
}

fn close(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() < 1e-9 * (1.0 + expected.abs()), "{what}: {found}, not {expected}");
}

#[test]
fn sizes_and_names_agree() {
    for (name, kind) in bodies() {
        let body = kind.body();
        let s = body.sizes();
        body.check().unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!((body.coordinates().len(), body.velocities().len()), (s.q, s.v), "{name}");
        for c in body.coordinates() {
            if let Some(i) = body.coordinate(&c.name) {
                // Behind a quaternion a coordinate stands one place further than its velocity.
                let shift = if i < 3 { 0 } else { s.q - s.v };
                assert!(i < s.v && body.coordinates()[i + shift].name == c.name, "{name}.{}", c.name);
            }
        }
        assert_eq!(body.coordinate("no such thing"), None);
    }
}

#[test]
fn coordinates_follow_the_velocities() {
    for (name, kind) in bodies() {
        let body = kind.body();
        let (q, v, _) = start(body);
        let mut qdot = vec![0.0; q.len()];
        body.kinematics(&q, &v, &mut qdot);
        // q̇ = N v is the slope of displace at zero.
        for i in 0..q.len() {
            close(qdot[i], slope(|h| moved(body, &q, &v, h)[i]), &format!("{name}, q̇[{i}]"));
        }
        // N is linear in v, and where a marker may stand for a coordinate q̇ᵢ = vᵢ.
        let (mut twice, double) = (vec![0.0; q.len()], v.iter().map(|v| 2.0 * v).collect::<Vec<_>>());
        body.kinematics(&q, &double, &mut twice);
        (0..q.len()).for_each(|i| close(twice[i], 2.0 * qdot[i], name));
        for (k, c) in body.coordinates().iter().enumerate() {
            body.coordinate(&c.name).iter().for_each(|i| assert_eq!(qdot[k], v[*i], "{name}"));
        }
        // What lies on its own manifold stays there.
        let mut same = q.clone();
        body.displace(&mut same, &vec![0.0; v.len()]);
        (0..q.len()).for_each(|i| close(same[i], q[i], name));
        let far = moved(body, &q, &v, 3.0);
        let mut again = far.clone();
        body.normalise(&mut again);
        (0..q.len()).for_each(|i| close(again[i], far[i], name));
    }
}

#[test]
fn markers_move_as_their_twists_say() {
    for (name, kind) in bodies() {
        let body = kind.body();
        let (q, v, _) = start(body);
        for probe in Probe::all(body) {
            let here = probe.seen(&q, &v);
            let what = |x: &str| format!("{name}, {:?}, {x}", probe.place);
            let along = |h: f64| probe.seen(&moved(body, &q, &v, h), &v);
            for i in 0..3 {
                // With constant v the whole acceleration is the bias.
                close(here.v[i], slope(|h| along(h).p[i]), &what("velocity"));
                close(here.bv[i], slope(|h| along(h).v[i]), &what("bias"));
                close(here.bw[i], slope(|h| along(h).w[i]), &what("angular bias"));
            }
            if matches!(probe.place, Place::Frame(..)) {
                assert!((here.R.transpose() * here.R - taut::motion::Mat3::identity()).norm() < 1e-14);
                for j in 0..3 {
                    let dr = here.w.cross(&here.axis(j));
                    (0..3).for_each(|i| close(dr[i], slope(|h| along(h).axis(j)[i]), &what("axes")));
                }
            }
        }
    }
}

#[test]
fn wrenches_and_twists_are_dual() {
    let w = Wrench { f: Vec3::new(0.7, -1.3, 0.4), m: Vec3::new(-0.6, 0.2, 1.1) };
    for (name, kind) in bodies() {
        let body = kind.body();
        let (q, v, _) = start(body);
        for probe in Probe::all(body) {
            let (own, seen) = (probe.own(&q, &v), probe.seen(&q, &v));
            let mut f = vec![1.0; v.len()];
            body.pull(&q, &own, &probe.place, &seen, &w, &mut f);
            // f += Jᵀw: column by column, f·e = w·(twist of e).
            for k in 0..v.len() {
                let mut e = vec![0.0; v.len()];
                e[k] = 1.0;
                let unit = probe.seen(&q, &e);
                close(f[k] - 1.0, unit.power(&w), &format!("{name}, {:?}, column {k}", probe.place));
            }
            // A row of A is the same, whatever was there before.
            let mut row = vec![f64::NAN; v.len()];
            body.spread(&q, &own, &probe.place, &seen, &w, &mut row);
            (0..v.len()).for_each(|k| close(row[k], f[k] - 1.0, name));
            let power: f64 = f.iter().zip(&v).map(|(f, v)| (f - 1.0) * v).sum();
            close(power, seen.power(&w), name);
        }
    }
}

/// Xᵀ of the equations of motion: they live in the space of Xv, and `react` is X⁻ᵀ. The identity where M is symmetric.
fn test_space(body: &dyn Body, q: &[f64]) -> DMatrix<f64> {
    let n = body.sizes().v;
    let mut inverse = DMatrix::identity(n, n);
    if body.symmetry() == Symmetry::NonSymmetric {
        inverse.column_iter_mut().for_each(|mut c| body.react(q, c.as_mut_slice()));
    }
    inverse.try_inverse().unwrap()
}

#[test]
fn mass_is_symmetric_and_positive() {
    for (name, kind) in bodies() {
        let body = kind.body();
        let (q, v, _) = start(body);
        let n = v.len();
        let own = own(body, &q, &v);
        // Whatever was there before is overwritten.
        let mut values = vec![f64::NAN; n * n];
        body.mass(&q, &own, &mut values);
        let M = DMatrix::from_column_slice(n, n, &values);
        let skew = (&M - M.transpose()).amax();
        assert_eq!(skew > 1e-3, body.symmetry() == Symmetry::NonSymmetric, "{name}: {skew:e}");
        let M = test_space(body, &q) * M;
        assert!((&M - M.transpose()).amax() < 1e-14, "{name}");
        assert!(M.clone().symmetric_eigenvalues().min() > 0.0, "{name}");
        let v = DVector::from_vec(v);
        close(body.kinetic(&q, v.as_slice(), &own), 0.5 * v.dot(&(&M * &v)), &format!("{name}, T = ½ vᵀMv"));
    }
}

#[test]
fn free_motion_keeps_energy() {
    for (name, kind) in bodies() {
        let body = kind.body();
        let (q, v, z) = start(body);
        let n = v.len();
        let here = own(body, &q, &v);
        let (mut M, mut f, mut zdot) = (vec![0.0; n * n], vec![0.0; n], vec![0.0; z.len()]);
        body.mass(&q, &here, &mut M);
        body.inner(0.0, &q, &v, &z, &here, &mut f, &mut zdot);
        body.weight(&q, &here, &G, &mut f);
        let f = DVector::from_vec(f);
        let vdot = DMatrix::from_column_slice(n, n, &M).lu().solve(&f).unwrap();
        // d/dt (T + V) along q̇ = N v, M v̇ = f is what no potential accounts for.
        let energy = |h: f64| {
            let step: Vec<f64> = (0..n).map(|i| v[i] + 0.5 * h * vdot[i]).collect();
            let (q, v) = (moved(body, &q, &step, h), (0..n).map(|i| v[i] + h * vdot[i]).collect::<Vec<_>>());
            let own = own(body, &q, &v);
            body.kinetic(&q, &v, &own) + body.potential(&q, &own, &G)
        };
        close(slope(energy), body.loss(0.0, &q, &v, &z), &format!("{name}, power"));
        // And the weight alone is minus the slope of its potential in every direction.
        let mut weight = vec![0.0; n];
        body.weight(&q, &here, &G, &mut weight);
        let weight = test_space(body, &q) * DVector::from_vec(weight);
        for k in 0..n {
            let mut e = vec![0.0; n];
            e[k] = 1.0;
            let V = |h: f64| {
                let q = moved(body, &q, &e, h);
                let own = own(body, &q, &v);
                body.potential(&q, &own, &G) - body.potential(&q, &own, &Vec3::zeros())
            };
            close(weight[k], -slope(V), &format!("{name}, weight {k}"));
        }
    }
}

#[test]
fn another_chart_says_the_same() {
    let turned = |angle: f64| Orientation::RotationVector([0.3 * angle, 0.2 * angle, angle]);
    for (name, kind) in bodies() {
        let body = kind.body();
        let (q, v, _) = start(body);
        let mut changed = 0;
        for i in 0..200 {
            // Through all orientations, with the motion kept.
            let way: Vec<f64> = (0..v.len()).map(|k| (k as f64 + 0.3 * i as f64).sin()).collect();
            let at = moved(body, &q, &way, 0.02 * i as f64);
            let (mut p, mut u) = (at.clone(), v.clone());
            changed += usize::from(body.rechart(&mut p, &mut u) == Chart::Changed);
            let (one, two) = (own(body, &at, &v), own(body, &p, &u));
            assert!((one.R - two.R).norm() < 1e-12 && (one.w - two.w).norm() < 1e-12, "{name}, {i}");
            assert!((one.p - two.p).norm() < 1e-15 && (one.v - two.v).norm() < 1e-15, "{name}, {i}");
            let (one, two) = (body.attitude(&at), body.attitude(&p));
            assert!((0..4).all(|k| (one[k] - two[k]).abs() < 1e-12), "{name}: {one:?}, {two:?}");
            // And it is far from being changed again.
            assert_eq!(body.rechart(&mut p, &mut u), Chart::Kept, "{name}");
        }
        let charts = matches!(kind, BodyKind::Rodrigues(_) | BodyKind::EulerAngles(_));
        assert_eq!(changed > 0, charts, "{name}: {changed} changes");
    }
    // Every orientation at the start, the singular ones too.
    for s in [Sequence::Zxz, Sequence::Xyz, Sequence::Zyx] {
        for i in 0..100 {
            let rigid = RigidBody::new(1.0, [1.0, 1.0, 1.0]).turned(turned(0.1 * i as f64));
            let body = EulerAngles::new(rigid.clone(), s);
            let (mut q, mut v) = ([0.0; 7], [0.0; 6]);
            body.initial(&mut q, &mut v, &mut []);
            let found = own(&body, &q, &v).R;
            assert!((found - rigid.orientation.matrix().unwrap()).norm() < 1e-14, "{s:?}, {i}");
        }
    }
}

// ------------------------------------------------------------------------- formulations and drift controls

/// Four bars of the given lengths from the origin, in a plane but of bodies in space if asked.
fn four_bar(spatial: bool) -> Spec {
    let points = [[0.0, 0.0, 0.0], [0.1, 1.0, 0.0], [2.0, 1.5, 0.0], [2.2, 0.0, 0.0]];
    let mut spec = Spec::new();
    spec.gravity([0.0, -9.81, 0.0]).marker("ground.b", Frame::at(points[3]));
    for k in 0..3 {
        let middle: [f64; 3] = std::array::from_fn(|i| 0.5 * (points[k][i] + points[k + 1][i]));
        let body: BodyKind = match spatial {
            true => RigidBody::new(1.0 + k as f64, [0.1, 0.2, 0.25]).at(middle).into(),
            false => PlanarBody::new(1.0 + k as f64, 0.25).at([middle[0], middle[1]], 0.0).into(),
        };
        spec.body(&format!("b{k}"), body)
            .marker(&format!("b{k}.a"), Frame::world(points[k]))
            .marker(&format!("b{k}.b"), Frame::world(points[k + 1]));
    }
    let joint = if spatial { Joint::revolute } else { Joint::pin };
    spec.constraint("h0", joint("ground", "b0.a"))
        .constraint("h1", joint("b0.b", "b1.a"))
        .constraint("h2", joint("b1.b", "b2.a"))
        .constraint("h3", joint("ground.b", "b2.b"));
    spec
}

/// Mechanisms with what each must show: tree, loop, redundant loop, driven, nonholonomic, with states.
fn mechanisms() -> Vec<(&'static str, Model, State)> {
    let mut chain = Spec::new();
    chain
        .gravity([0.0, 0.0, -9.81])
        .body("one", RigidBody::new(1.0, [0.1, 0.2, 0.2]).com([0.1, 0.0, 0.0]).at([0.5, 0.0, 0.0]))
        .body("two", RigidBody::new(2.0, [0.3, 0.3, 0.1]).at([1.5, 0.0, 0.0]))
        .body("bob", PointMass::new(0.5, [2.0, 0.0, -1.0]))
        .marker("one.a", Frame::world([0.0; 3]).axis([0.0, 1.0, 0.0]))
        .marker("ground.a", Frame::world([0.0; 3]).axis([0.0, 1.0, 0.0]))
        .constraint("hinge", Joint::revolute("ground.a", "one.a"))
        .marker("one.b", Frame::world([1.0, 0.0, 0.0]))
        .marker("two.b", Frame::world([1.0, 0.0, 0.0]))
        .constraint("ball", Joint::spherical("one.b", "two.b"))
        .constraint("rope", Relation::rod("two", "bob", (0.25_f64 + 1.0).sqrt()));
    let mut driven = four_bar(false);
    let turn = Hold::Position(Signal::polynomial([0.0, 2.0, 0.5]));
    driven
        .constraint("motor", Relation::driver(Measure::angle("ground", "b0"), turn))
        .force("spring", Spring::torsional("ground.b", "b2.b", 3.0, 0.2, 0.1));
    let mut wheel = Spec::new();
    let upright = Orientation::RotationVector([1.3, 0.0, 0.0]);
    wheel
        .gravity([0.0, 0.0, -9.81])
        .body("disc", RigidBody::new(1.0, [0.02, 0.02, 0.04]).at([0.0, 0.0, 0.29]).turned(upright))
        .constraint("road", Rolling::disc("ground", "disc", 0.3));
    let mut twice = four_bar(true);
    twice.constraint("again", Joint::revolute("ground", "b0.a"));

    let mut formulas = Spec::new();
    let pull =
        FormulaForce::new(Measure::distance("sled", "bead"), "-3*s - 0.4*rate - bead.vx*cos(sled.theta)").unwrap();
    formulas
        .gravity([0.0, -9.81, 0.0])
        .body("bead", PointMass::new(1.0, [0.5, 0.25, 0.3]))
        .body("sled", PlanarBody::new(2.0, 0.3).at([-0.4, 0.1], 0.6))
        .constraint("wire", Formula::phi("bead.y - bead.x^2 - 0.1*sin(t)").unwrap())
        .constraint("blade", Formula::psi("sled.vy*cos(sled.theta) - sled.vx*sin(sled.theta)").unwrap())
        .force("pull", pull);

    // The same bodies with Euler parameters, whose norms are rows; and a set reduced to two shapes beside them.
    let mut described = chain.clone();
    for b in &mut described.bodies {
        if let BodyKind::Rigid(rigid) = &b.item {
            b.item = EulerParameters { rigid: rigid.clone() }.into();
        }
    }
    described
        .body("plate", PlanarBody::new(1.0, 0.2).at([2.5, 0.0], 0.3))
        .body("mass", PointMass::new(0.4, [2.5, 0.0, -1.0]))
        .body(
            "set",
            Ritz::new(["plate", "mass"], vec![vec![1.0, 0.0, 0.2, 0.0, 1.0, 0.0], vec![0.0, 1.0, 0.0, 1.0, 0.0, 0.5]]),
        )
        .constraint("link", Relation::rod("bob", "mass", 0.5));
    let list = [
        ("Euler parameters and a reduced set", described),
        ("formulas", formulas),
        ("chain and rope", chain),
        ("planar four-bar", four_bar(false)),
        ("four-bar with redundant rows", four_bar(true)),
        ("one joint given twice", twice),
        ("driven four-bar", driven),
        ("rolling disc", wheel),
    ];
    let ready = list.into_iter().map(|(name, spec)| {
        let model = spec.build().unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut state = model.initial_state();
        state.v.iter_mut().enumerate().for_each(|(i, v)| *v = 0.4 + 0.3 * (i as f64).sin());
        let state = assemble(&model, &state, &Assembly::default()).unwrap_or_else(|e| panic!("{name}: {e}")).state;
        (name, model, state)
    });
    ready.collect()
}

/// v̇ of Gauss' principle by dense algebra: M v̇ = f + Aᵀλ, λ = (A M⁻¹ Aᵀ)⁺ (b − A M⁻¹ f).
// [FumagalliMasarati2009] eq. (39)
fn reference(d: &Dynamics) -> DVector<f64> {
    let (M, A) = (d.eq.dense_mass(), d.eq.dense_jacobian());
    let (f, b) = (DVector::from_column_slice(&d.eq.f), DVector::from_column_slice(&d.eq.b));
    let inverse = M.try_inverse().unwrap();
    let S = &A * &inverse * A.transpose();
    let lambda = S.pseudo_inverse(1e-9).unwrap() * (b - &A * &inverse * &f);
    inverse * (f + A.transpose() * lambda)
}

#[test]
fn every_formulation_and_drift_control_gives_the_same_accelerations() {
    for (name, model, state) in mechanisms() {
        let ones = vec![2.0; model.sizes.v];
        let drifts = [
            Drift::None,
            Drift::Projection(Weight::Mass),
            Drift::Projection(Weight::Identity),
            Drift::Projection(Weight::Diagonal(ones)),
            Drift::RatesOnly(Weight::Mass),
            Drift::Threshold { weight: Weight::Identity, above: 1e-9 },
            Drift::Baumgarte { alpha: 5.0, beta: 4.0 },
            Drift::BraunGoldfarb(Gain::Fixed(10.0)),
            Drift::GearGuptaLeimkuhler(Weight::Identity),
            Drift::Energy(Weight::Mass),
            Drift::Thorough(Weight::Mass),
        ];
        for &method in Method::ALL {
            for drift in &drifts {
                let choice = Choice { method, drift: drift.clone(), ..Choice::default() };
                let mut d = Dynamics::at(&model, &state, &choice);
                if d.refuses().is_some() || d.exactness() == Exactness::Penalised {
                    continue;
                }
                d.accelerate(state.t, &state.q, &state.v, &state.z).unwrap();
                let expected = reference(&d);
                let error = (0..model.sizes.v).fold(0.0_f64, |e, i| e.max((d.vdot[i] - expected[i]).abs()));
                let size = 1.0 + expected.amax();
                assert!(error < 1e-8 * size, "{name}, {method:?}, {drift:?}: v̇ is off by {error:e}");
                // λ balances the motion: M v̇ = f + Aᵀλ.
                let (mut left, mut right) = (vec![0.0; model.sizes.v], d.eq.f.clone());
                d.eq.mass_times(&d.vdot, &mut left);
                d.eq.add_transposed(&d.lambda, &mut right);
                let unbalanced = left.iter().zip(&right).fold(0.0_f64, |e, (l, r)| e.max((l - r).abs()));
                assert!(unbalanced < 1e-9 * size, "{name}, {method:?}, {drift:?}: unbalanced by {unbalanced:e}");
            }
        }
    }
}

#[test]
fn every_drift_control_that_resets_brings_back_what_strays() {
    for (name, model, state) in mechanisms() {
        let ones = vec![2.0; model.sizes.v];
        for weight in [Weight::Mass, Weight::Identity, Weight::Diagonal(ones)] {
            let choice = Choice { drift: Drift::Projection(weight.clone()), ..Choice::default() };
            let mut d = Dynamics::new(&model, &choice);
            let mut y = vec![0.0; d.dimension()];
            d.pack(&state, &mut y);
            y.iter_mut()
                .take(model.sizes.q + model.sizes.v)
                .enumerate()
                .for_each(|(i, y)| *y += 1e-5 * (i as f64).cos());
            let reset = d.show(state.t, &mut y).unwrap();
            assert!(reset.phi_before > 1e-7, "{name}: it did not stray");
            assert!(reset.phi < 1e-12 && reset.phidot < 1e-10, "{name}, {weight:?}: {reset:?}");
        }
        // Without one nothing is touched.
        let mut d = Dynamics::new(&model, &Choice { drift: Drift::None, ..Choice::default() });
        let mut y = vec![0.0; d.dimension()];
        d.pack(&state, &mut y);
        let before = y.clone();
        assert!(d.end_step(state.t, &mut y).is_none() && y == before, "{name}");
    }
}

/// The pendulum of [Masarati2010] §4.1 as a non-symmetric subsystem and as a particle on a rod.
#[derive(Debug)]
struct Skewed;

impl Subsystem for Skewed {
    fn coordinates(&self) -> Vec<Quantity> {
        vec![Quantity::new("x", "m"), Quantity::new("y", "m")]
    }
    fn initial(&self, q: &mut [f64], _v: &mut [f64], _z: &mut [f64]) {
        q[0] = 1.0;
    }
    // Rows of m q̈ = f combined: (row 1) + 0.3 (row 2).
    fn mass(&self, _q: &[f64], M: &mut [f64]) {
        M.copy_from_slice(&[1.0, 0.0, 0.3, 1.0]);
    }
    fn symmetry(&self) -> Symmetry {
        Symmetry::NonSymmetric
    }
    fn forces(&self, _t: f64, _q: &[f64], _v: &[f64], _z: &[f64], f: &mut [f64], _zdot: &mut [f64]) {
        f.copy_from_slice(&[-0.3 * 9.81, -9.81]);
    }
}

#[test]
fn non_symmetric_bodies_solve_their_own_equations() {
    let mut spec = Spec::new();
    spec.body("odd", Skewed)
        .constraint("fix", Relation::driver(Measure::coordinate("odd.x"), Hold::Position(Signal::constant(1.0))));
    let model = spec.build().unwrap();
    for drift in [Drift::None, Drift::Projection(Weight::Mass), Drift::Projection(Weight::Identity)] {
        let mut d = Dynamics::new(&model, &Choice { drift, ..Choice::default() });
        let s = model.initial_state();
        d.accelerate(0.0, &s.q, &s.v, &s.z).unwrap();
        assert!(d.vdot[0].abs() < 1e-12 && (d.vdot[1] + 9.81).abs() < 1e-12, "{:?}", d.vdot);
    }
}
