//! Every body is consistent: coordinates, twists, wrenches, mass, energy and charts agree with each other.
#![allow(non_snake_case)]

use super::kinds::bodies;
use nalgebra::{DMatrix, DVector};
use taut::bodies::{AxisSequence, Body, BodyKind, ChartChange, EulerAngles, Symmetry};
use taut::motion::{Motion, Vec3, Wrench};
use taut::{MarkerAxes, MarkerPlacement, Orientation, RigidBody};

/// A body with its state and one more marker, evaluated as the assembly does.
struct Probe<'a> {
    body: &'a dyn Body,
    place: MarkerPlacement,
}

const G: Vec3 = Vec3::new(0.3, -9.81, 1.2);

impl<'a> Probe<'a> {
    fn all(body: &'a dyn Body) -> Vec<Probe<'a>> {
        let named = body.coordinates();
        let coordinates = named.iter().filter_map(|c| body.coordinate_index(&c.name)).map(MarkerPlacement::Coordinate);
        let R = Orientation::RotationVector([0.2, 0.9, -0.4]).matrix().unwrap();
        let p = Vec3::new(0.4, -0.25, 0.3);
        let frames =
            [MarkerPlacement::Frame(Vec3::zeros(), MarkerAxes::Aligned), MarkerPlacement::Frame(p, MarkerAxes::of(R))];
        // Frames of members, and their coordinates behind the set's own; an ordinary body treats such a frame as any other.
        let on = |m: usize| MarkerPlacement::Frame(p, MarkerAxes::OfMember(Box::new((m, R))));
        let set = body.coordinate_index("q1").is_some();
        let coordinates = coordinates.chain((4..12).filter(|_| set).map(MarkerPlacement::Coordinate));
        let frames = frames.into_iter().filter(|_| !set).chain([on(0), on(1)]);
        let frames = frames.filter(|_| set || body.no_frame_reason().is_none());
        frames.chain(coordinates).map(|place| Probe { body, place }).collect()
    }

    fn own(&self, q: &[f64], v: &[f64]) -> Motion {
        own(self.body, q, v)
    }

    fn seen(&self, q: &[f64], v: &[f64]) -> Motion {
        let own = self.own(q, v);
        let mut seen = Motion::REST;
        self.body.marker_pose(q, &own, &self.place, &mut seen);
        self.body.marker_twist(q, v, &own, &self.place, &mut seen);
        seen
    }
}

fn own(body: &dyn Body, q: &[f64], v: &[f64]) -> Motion {
    let mut own = Motion::REST;
    body.frame_pose(q, &mut own);
    body.frame_twist(q, v, &mut own);
    own
}

fn start(body: &dyn Body) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let s = body.sizes();
    let (mut q, mut v, mut z) = (vec![0.0; s.q], vec![0.0; s.v], vec![0.0; s.z]);
    body.initial_state(&mut q, &mut v, &mut z);
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
            if let Some(i) = body.coordinate_index(&c.name) {
                // After a quaternion, the index of a coordinate is one larger than that of its velocity.
                let shift = if i < 3 { 0 } else { s.q - s.v };
                assert!(i < s.v && body.coordinates()[i + shift].name == c.name, "{name}.{}", c.name);
            }
        }
        assert_eq!(body.coordinate_index("no such thing"), None);
    }
}

#[test]
fn coordinates_follow_the_velocities() {
    for (name, kind) in bodies() {
        let body = kind.body();
        let (q, v, _) = start(body);
        let mut qdot = vec![0.0; q.len()];
        body.coordinate_rates(&q, &v, &mut qdot);
        // q̇ = N v is the slope of displace at zero.
        for i in 0..q.len() {
            close(qdot[i], slope(|h| moved(body, &q, &v, h)[i]), &format!("{name}, q̇[{i}]"));
        }
        // N is linear in v, and where a marker may stand for a coordinate q̇ᵢ = vᵢ.
        let (mut twice, double) = (vec![0.0; q.len()], v.iter().map(|v| 2.0 * v).collect::<Vec<_>>());
        body.coordinate_rates(&q, &double, &mut twice);
        (0..q.len()).for_each(|i| close(twice[i], 2.0 * qdot[i], name));
        for (k, c) in body.coordinates().iter().enumerate() {
            body.coordinate_index(&c.name).iter().for_each(|i| assert_eq!(qdot[k], v[*i], "{name}"));
        }
        // Coordinates on the body's own manifold stay there.
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
            if matches!(probe.place, MarkerPlacement::Frame(..)) {
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
            body.apply_transpose(&q, &own, &probe.place, &seen, &w, &mut f);
            // f += Jᵀw: column by column, f·e = w·(twist of e).
            for k in 0..v.len() {
                let mut e = vec![0.0; v.len()];
                e[k] = 1.0;
                let unit = probe.seen(&q, &e);
                close(f[k] - 1.0, unit.power(&w), &format!("{name}, {:?}, column {k}", probe.place));
            }
            // A row of A is the same, whatever was there before.
            let mut row = vec![f64::NAN; v.len()];
            body.constraint_row(&q, &own, &probe.place, &seen, &w, &mut row);
            (0..v.len()).for_each(|k| close(row[k], f[k] - 1.0, name));
            let power: f64 = f.iter().zip(&v).map(|(f, v)| (f - 1.0) * v).sum();
            close(power, seen.power(&w), name);
        }
    }
}

/// Xᵀ of the equations of motion: they live in the space of Xv, and `reaction_row` is X⁻ᵀ. The identity where M is symmetric.
fn test_space(body: &dyn Body, q: &[f64]) -> DMatrix<f64> {
    let n = body.sizes().v;
    let mut inverse = DMatrix::identity(n, n);
    if body.symmetry() == Symmetry::NonSymmetric {
        inverse.column_iter_mut().for_each(|mut c| body.reaction_row(q, c.as_mut_slice()));
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
        body.mass_matrix(&q, &own, &mut values);
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
        body.mass_matrix(&q, &here, &mut M);
        body.internal_forces(0.0, &q, &v, &z, &here, &mut f, &mut zdot);
        body.gravity_force(&q, &here, &G, &mut f);
        let f = DVector::from_vec(f);
        let vdot = DMatrix::from_column_slice(n, n, &M).lu().solve(&f).unwrap();
        // d/dt (T + V) along q̇ = N v, M v̇ = f is what no potential accounts for.
        let energy = |h: f64| {
            let step: Vec<f64> = (0..n).map(|i| v[i] + 0.5 * h * vdot[i]).collect();
            let (q, v) = (moved(body, &q, &step, h), (0..n).map(|i| v[i] + h * vdot[i]).collect::<Vec<_>>());
            let own = own(body, &q, &v);
            body.kinetic(&q, &v, &own) + body.potential(&q, &own, &G)
        };
        close(slope(energy), body.nonconservative_power(0.0, &q, &v, &z), &format!("{name}, power"));
        // And the weight alone is minus the slope of its potential in every direction.
        let mut weight = vec![0.0; n];
        body.gravity_force(&q, &here, &G, &mut weight);
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
fn another_chart_gives_the_same_motion() {
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
            changed += usize::from(body.change_chart(&mut p, &mut u) == ChartChange::Changed);
            let (one, two) = (own(body, &at, &v), own(body, &p, &u));
            assert!((one.R - two.R).norm() < 1e-12 && (one.w - two.w).norm() < 1e-12, "{name}, {i}");
            assert!((one.p - two.p).norm() < 1e-15 && (one.v - two.v).norm() < 1e-15, "{name}, {i}");
            let (one, two) = (body.attitude(&at), body.attitude(&p));
            assert!((0..4).all(|k| (one[k] - two[k]).abs() < 1e-12), "{name}: {one:?}, {two:?}");
            // And the chart does not change again soon.
            assert_eq!(body.change_chart(&mut p, &mut u), ChartChange::Kept, "{name}");
        }
        let charts = matches!(kind, BodyKind::Rodrigues(_) | BodyKind::EulerAngles(_));
        assert_eq!(changed > 0, charts, "{name}: {changed} changes");
    }
    // Every orientation at the start, the singular ones too.
    for s in [AxisSequence::Zxz, AxisSequence::Xyz, AxisSequence::Zyx] {
        for i in 0..100 {
            let rigid = RigidBody::new(1.0, [1.0, 1.0, 1.0]).oriented(turned(0.1 * i as f64));
            let body = EulerAngles::new(rigid.clone(), s);
            let (mut q, mut v) = ([0.0; 7], [0.0; 6]);
            body.initial_state(&mut q, &mut v, &mut []);
            let found = own(&body, &q, &v).R;
            assert!((found - rigid.orientation.matrix().unwrap()).norm() < 1e-14, "{s:?}, {i}");
        }
    }
}
