//! Tests of the identities of a constraint along an arbitrary motion: φ̇ = Σ D·twist + φ_t and φ̈ = Σ D·acceleration + c, by
//! finite differences.
//!
//! The markers follow smooth paths that do not satisfy the constraint, so the identities are also tested off the constraint
//! manifold, where projection and Newton's method need them.

use super::*;
use crate::forces::{Conservation, Force};
use crate::measures::Measure;
use crate::motion::{Mat3, Motion, Vec3};
use crate::scalar::{Jet, Scalar};
use crate::signals::Signal;

/// The motion of a marker over time; `bv` and `bw` contain its whole acceleration.
pub(crate) type MarkerPath = Box<dyn Fn(f64) -> Motion>;

/// A frame on a smooth path with arbitrary rotation, different for every seed.
pub(crate) fn smooth_frame(seed: u32) -> MarkerPath {
    let k = f64::from(seed);
    Box::new(move |t| {
        let t = Jet::variable(t);
        let wave = |a: f64, w: f64, f: f64| (t * (w + 0.1 * k) + f * k).sin() * a;
        let p = [wave(0.7, 1.1, 0.4) + 1.5 * k, wave(0.5, 1.7, 1.3), wave(0.6, 0.8, 2.1) + 0.2];
        let [(sx, cx), (sy, cy), (sz, cz)] = [wave(0.6, 0.9, 0.7), wave(0.5, 1.3, 1.9), wave(0.8, 1.1, 0.2) + t * 0.3]
            .map(|angle| (angle.sin(), angle.cos()));
        let R = [
            [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
            [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
            [-sy, cy * sx, cy * cx],
        ];
        let matrix = |part: fn(&Jet) -> f64| Mat3::from_fn(|i, j| part(&R[i][j]));
        let vector = |part: fn(&Jet) -> f64| Vec3::from_fn(|i, _| part(&p[i]));
        let axial = |m: Mat3| Vec3::new(m[(2, 1)] - m[(1, 2)], m[(0, 2)] - m[(2, 0)], m[(1, 0)] - m[(0, 1)]) * 0.5;
        let (R, dR, ddR) = (matrix(|j| j.f), matrix(|j| j.df), matrix(|j| j.ddf));
        Motion {
            R,
            p: vector(|j| j.f),
            w: axial(dR * R.transpose()),
            v: vector(|j| j.df),
            bw: axial(ddR * R.transpose()),
            bv: vector(|j| j.ddf),
        }
    })
}

/// A coordinate that varies smoothly.
pub(crate) fn smooth_coordinate(seed: u32) -> MarkerPath {
    let frame = smooth_frame(seed);
    Box::new(move |t| {
        let m = frame(t);
        let x = |v: Vec3| Vec3::new(v.x, 0.0, 0.0);
        Motion { p: x(m.p), v: x(m.v), bv: x(m.bv), ..Motion::REST }
    })
}

/// The result of one evaluation of a constraint.
pub(crate) struct Evaluation {
    pub phi: Vec<f64>,
    /// Σ D·twist + φ_t.
    pub rates: Vec<f64>,
    /// Σ D·bias + c.
    pub accelerations: Vec<f64>,
    pub c: Vec<f64>,
    pub D: Vec<Wrench>,
}

/// Evaluates a constraint once, at t = 0.
pub(crate) fn evaluate(constraint: &dyn Constraint, motions: &[Motion]) -> Evaluation {
    evaluate_at(constraint, 0.0, motions, &[])
}

fn evaluate_at(constraint: &dyn Constraint, t: f64, motions: &[Motion], z: &[f64]) -> Evaluation {
    let (n, m) = (motions.len(), constraint.rows().len());
    let ids: Vec<usize> = (0..n).collect();
    let (mut phi, mut phi_t, mut c) = (vec![0.0; m], vec![0.0; m], vec![0.0; m]);
    let mut D = vec![Wrench::ZERO; n * m];
    let view = ElementInput::new(t, motions, &ids, z);
    let mut rows = RowTerms { phi: &mut phi, D: &mut D, phi_t: &mut phi_t, c: &mut c };
    constraint.position_terms(&view, &mut rows);
    let before = rows.phi_t.to_vec();
    constraint.velocity_terms(&view, &mut rows);
    for (r, before) in before.iter().enumerate() {
        assert!((before - phi_t[r]).abs() < 1e-12, "place and carry disagree on φ_t of row {r}");
    }
    let pair = |r: usize, with: fn(&Motion, &Wrench) -> f64| -> f64 {
        D[r * n..(r + 1) * n].iter().zip(motions).map(|(d, m)| with(m, d)).sum()
    };
    Evaluation {
        rates: (0..m).map(|r| pair(r, Motion::power) + phi_t[r]).collect(),
        accelerations: (0..m).map(|r| pair(r, Motion::bias) + c[r]).collect(),
        phi,
        c,
        D,
    }
}

/// Five-point derivative.
pub(crate) fn derivative(f: impl Fn(f64) -> f64, t: f64) -> f64 {
    let h = 1e-3;
    (8.0 * (f(t + h) - f(t - h)) - (f(t + 2.0 * h) - f(t - 2.0 * h))) / (12.0 * h)
}

/// Markers on their paths.
pub(crate) struct Rig {
    paths: Vec<MarkerPath>,
    /// The prescribed value of a row at acceleration level; the rate of the row does not contain it.
    prescribed: fn(f64) -> f64,
}

impl Rig {
    pub(crate) fn new(paths: Vec<MarkerPath>) -> Rig {
        Rig { paths, prescribed: |_| 0.0 }
    }

    pub(crate) fn two_frames() -> Rig {
        Rig::new(vec![smooth_frame(1), smooth_frame(2)])
    }

    fn prescribing(mut self, signal: fn(f64) -> f64) -> Rig {
        self.prescribed = signal;
        self
    }

    pub(crate) fn motions(&self, t: f64) -> Vec<Motion> {
        self.paths.iter().map(|path| path(t)).collect()
    }

    /// Checks the identities at several times.
    pub(crate) fn check_identities(&self, constraint: &dyn Constraint) {
        constraint.check().unwrap();
        assert_eq!(constraint.markers().len(), self.paths.len(), "markers of {constraint:?}");
        for step in 0..6 {
            let t = 0.13 + 0.71 * f64::from(step);
            let z = self.initial_states(constraint, t);
            let at = |t: f64| evaluate_at(constraint, t, &self.motions(t), &z);
            let here = at(t);
            for (r, row) in constraint.rows().iter().enumerate() {
                if row.level == RowLevel::Position {
                    let slope = derivative(|t| at(t).phi[r], t);
                    assert_close(here.rates[r], slope, constraint, row, "φ̇");
                } else {
                    assert_eq!(here.phi[r], 0.0, "{row:?} has no position");
                }
                let given = if row.level == RowLevel::Acceleration { (self.prescribed)(t) } else { 0.0 };
                let slope = derivative(|t| at(t).rates[r], t);
                assert_close(here.accelerations[r], slope - given, constraint, row, "φ̈");
            }
            self.check_state_rates(constraint, t, &z);
        }
    }

    fn initial_states(&self, constraint: &dyn Constraint, t: f64) -> Vec<f64> {
        let ids: Vec<usize> = (0..self.paths.len()).collect();
        let mut z = vec![0.0; constraint.state_count()];
        constraint.initialise_states(&ElementInput::new(t, &self.motions(t), &ids, &[]), &mut z);
        z
    }

    /// ż is the rate of the states that `initialise_states` sets.
    fn check_state_rates(&self, constraint: &dyn Constraint, t: f64, z: &[f64]) {
        let ids: Vec<usize> = (0..self.paths.len()).collect();
        let mut zdot = vec![0.0; z.len()];
        constraint.state_rates(&ElementInput::new(t, &self.motions(t), &ids, z), &mut zdot);
        for (k, zdot) in zdot.iter().enumerate() {
            let slope = derivative(|t| self.initial_states(constraint, t)[k], t);
            assert!((zdot - slope).abs() < 1e-7, "state {k} of {constraint:?}: {zdot} is not {slope}");
        }
    }
}

fn assert_close(found: f64, expected: f64, constraint: &dyn Constraint, row: &RowInfo, what: &str) {
    let bound = 1e-8 * (1.0 + expected.abs());
    assert!((found - expected).abs() < bound, "{what} of {} in {constraint:?}: {found}, not {expected}", row.name);
}

/// Locked, and driven at every level along 0.3 sin 1.7 t.
fn motion_conditions() -> [Prescription; 4] {
    let s = || Signal::harmonic(0.3, 1.7, 0.0);
    [Prescription::Fixed, Prescription::Position(s()), Prescription::Velocity(s()), Prescription::Acceleration(s())]
}

fn drive(t: f64) -> f64 {
    0.3 * (1.7 * t).sin()
}

#[test]
fn joints() {
    let makers: [fn(&str, &str) -> Joint; 17] = [
        Joint::fixed,
        Joint::revolute,
        Joint::prismatic,
        Joint::cylindrical,
        Joint::spherical,
        Joint::universal,
        Joint::constant_velocity,
        Joint::planar,
        Joint::point_on_line,
        Joint::point_on_plane,
        Joint::parallel_axes,
        Joint::perpendicular_axes,
        Joint::parallel_frames,
        Joint::pin,
        Joint::slider,
        Joint::weld,
        Joint::slot,
    ];
    for make in makers {
        Rig::two_frames().check_identities(&make("a", "b"));
    }
}

#[test]
fn driven_joints() {
    for hold in motion_conditions() {
        let rig = Rig::two_frames().prescribing(drive);
        for axis in 0..3 {
            rig.check_identities(&Joint::spherical("a", "b").prescribe_translation(axis, hold.clone()));
        }
        rig.check_identities(&Joint::revolute("a", "b").prescribe_rotation(hold.clone()));
        rig.check_identities(&Joint::pin("a", "b").prescribe_rotation(hold));
    }
}

#[test]
fn measures_and_relations() {
    for hold in motion_conditions() {
        let (elevation, angle) = (Measure::elevation("a", "b"), Measure::angle("a", "b"));
        for of in [Measure::distance("a", "b"), Measure::slide("a", "b"), angle, elevation] {
            Rig::two_frames().prescribing(drive).check_identities(&Relation::driver(of, hold.clone()));
        }
        let one = Rig::new(vec![smooth_coordinate(3)]).prescribing(drive);
        one.check_identities(&Relation::driver(Measure::coordinate("c"), hold));
    }
    Rig::two_frames().check_identities(&Relation::rod("a", "b", 1.0));
    let four = || Rig::new(vec![smooth_frame(1), smooth_frame(2), smooth_frame(3), smooth_frame(1)]);
    four().check_identities(&Relation::gear(Measure::angle("a", "b"), Measure::angle("c", "a"), 2.5));
    four().check_identities(&Relation::rack_and_pinion(Measure::slide("a", "b"), Measure::angle("c", "a"), 0.2));
    Rig::new(vec![smooth_frame(1), smooth_frame(2), smooth_frame(1), smooth_frame(2)])
        .check_identities(&Relation::screw("a", "b", 0.05));
    let mixed =
        vec![(1.0, Measure::coordinate("c")), (-0.5, Measure::distance("a", "b")), (2.0, Measure::angle("a", "b"))];
    Rig::new(vec![smooth_coordinate(3), smooth_frame(1), smooth_frame(2), smooth_frame(2), smooth_frame(3)])
        .check_identities(&Relation::new(mixed));
}

/// A universal joint's cross and a driven distance squared, written by a user.
#[derive(Debug)]
struct Cross;

impl UserHolonomic for Cross {
    fn rows(&self) -> usize {
        2
    }
    fn phi<S: Scalar>(&self, t: S, at: &[UserPlace<S>], out: &mut [S]) {
        use crate::scalar::{dot, sub};
        out[0] = dot(at[0].axis(0), at[1].axis(1));
        let d = sub(at[1].p, at[0].p);
        out[1] = dot(d, d) * at[2].p[0] - (t * 1.3).sin();
    }
}

/// A blade, and a prescribed squared speed, which is not linear in the twists.
#[derive(Debug)]
struct Skate;

impl UserNonholonomic for Skate {
    fn rows(&self) -> usize {
        2
    }
    fn psi<S: Scalar>(&self, t: S, at: &[UserPlace<S>], moving: &[UserTwist<S>], out: &mut [S]) {
        use crate::scalar::{cross, dot, sub};
        let d = sub(at[1].p, at[0].p);
        let over = sub(sub(moving[1].v, moving[0].v), cross(moving[0].w, d));
        out[0] = dot(at[1].axis(1), over);
        out[1] = dot(over, over) + moving[2].v[0] * moving[1].w[2] - t * t;
    }
}

#[test]
fn user_functions() {
    let markers = [MarkerReference::frame("a"), MarkerReference::frame("b"), MarkerReference::coordinate("c")];
    let rig = || Rig::new(vec![smooth_frame(1), smooth_frame(2), smooth_coordinate(3)]);
    rig().check_identities(&UserConstraint::holonomic(&markers, Cross));
    rig().check_identities(&UserConstraint::nonholonomic(&markers, Skate));
}

#[test]
fn a_user_function_equals_the_library_element() {
    let markers = [MarkerReference::frame("a"), MarkerReference::frame("b"), MarkerReference::coordinate("c")];
    let motions = Rig::new(vec![smooth_frame(1), smooth_frame(2), smooth_coordinate(3)]).motions(0.4);
    let same = |user: Evaluation, library: Evaluation, n: usize| {
        for k in 0..n {
            assert!((user.D[k].f - library.D[k].f).norm() < 1e-14);
            assert!((user.D[k].m - library.D[k].m).norm() < 1e-14);
        }
        assert!((user.phi[0] - library.phi[0]).abs() < 1e-14);
        assert!((user.c[0] - library.c[0]).abs() < 1e-13);
    };
    let cross = evaluate(&Joint::perpendicular_axes("a", "b"), &motions[..2]);
    same(evaluate(&UserConstraint::holonomic(&markers, Cross), &motions), cross, 2);
    let blade = evaluate(&KnifeEdge::new("a", "b"), &motions[..2]);
    same(evaluate(&UserConstraint::nonholonomic(&markers, Skate), &motions), blade, 2);
}

/// Sum of wrenches about the origin.
pub(crate) fn resultant(motions: &[Motion], on: &[Wrench]) -> Wrench {
    let mut sum = Wrench::ZERO;
    for (m, w) in motions.iter().zip(on) {
        sum.add_scaled(1.0, &Wrench { f: w.f, m: w.m + m.p.cross(&w.f) });
    }
    sum
}

/// Checks that the power of all wrenches is work_rate − V̇, the latter by differences, and the rates of the extra states.
pub(crate) fn check_power_balance(rig: &Rig, force: &dyn Force) {
    force.check().unwrap();
    let ids: Vec<usize> = (0..rig.paths.len()).collect();
    assert_eq!(force.markers().len(), ids.len(), "markers of {force:?}");
    let settled = |t: f64| {
        let mut z = vec![0.0; force.state_count()];
        force.initialise_states(&ElementInput::new(t, &rig.motions(t), &ids, &[]), &mut z);
        z
    };
    for step in 0..6 {
        let t = 0.13 + 0.71 * f64::from(step);
        let (z, motions) = (settled(t), rig.motions(t));
        let view = ElementInput::new(t, &motions, &ids, &z);
        let mut on = vec![Wrench::ZERO; ids.len()];
        force.apply(&view, &mut on);
        let power: f64 = motions.iter().zip(&on).map(|(m, w)| m.power(w)).sum();
        let stored = derivative(|t| force.potential(&ElementInput::new(t, &rig.motions(t), &ids, &z)), t);
        let spent = force.nonconservative_power(&view, &on);
        let error = power + stored - spent;
        assert!(error.abs() < 1e-8 * (1.0 + power.abs()), "{force:?}: {power} is not {spent} − {stored}");
        if force.conservation() == Conservation::Conservative {
            assert_eq!(spent, 0.0, "{force:?} conserves");
        }
        let mut zdot = vec![0.0; z.len()];
        force.state_rates(&view, &mut zdot);
        for (k, zdot) in zdot.iter().enumerate() {
            assert!((zdot - derivative(|t| settled(t)[k], t)).abs() < 1e-7, "state {k} of {force:?}");
        }
    }
}
