//! Rotation rows of joints as angles.
//!
//! Rows of a joint are products of unit vectors, that is, sines of the angles they constrain: exact at the solution, but with zero slope
//! at a quarter turn, and also zero at half a turn. Far from the solution the angle itself converges. With w the rotation vector from
//! the frame that A prescribes to B, and e an axis of A,
//!
//! ```text
//!  frames held      φ = e·w     D_B = n = J_l⁻ᵀ(w) e
//!  axes parallel    φ = e·w     n = a (a·e) + θ/sin θ (z_B×a) ((z_A×a)·e),   w = θ a ⟂ z_A
//!  turn about z     φ = θ       n = z_A
//! ```
//!
//! These rows replace the original ones and approach them as w vanishes.

use crate::constraints::{ConstraintKind, Hold, Joint, Turning};
use crate::equations::{Equations, Scene};
use crate::model::{ConstraintEntry, Model};
use crate::motion::{Mat3, Motion, Vec3, Wrench};
use crate::state::{Mode, State};
use nalgebra::{Rotation3, UnitQuaternion};
use std::f64::consts::{FRAC_PI_2, PI};

/// Rotations beyond this are far from assembled, rad: the linearisation is poor there.
const FAR: f64 = 0.8;
/// Rows met to this tolerance at more than a quarter turn were reversed on purpose.
const MEANT: f64 = 1e-3;
/// Lower bound of the sine that divides the slope of a tilt: near half a turn all directions are equally good.
const LEAST_SINE: f64 = 0.2;

/// What a joint prescribes about the rotation between its frames, at position level.
enum Ask {
    /// z_A ∥ z_B.
    Axes,
    /// The same frame, rotated about z by this angle.
    Frames(f64),
    /// The angle about z alone.
    About(f64),
}

/// The rotation from the prescribed to the actual orientation.
struct Turn {
    /// First of the rows, counted in the constraint.
    first: usize,
    /// Per row φ and n.
    rows: Vec<(f64, Vec3)>,
    /// Its angle.
    angle: f64,
}

/// Joints whose rows should be replaced by angles, if any of them is far from assembled. Joints reversed on purpose stay so.
pub(crate) fn far(model: &Model, scene: &Scene, state: &State, eq: &Equations) -> Option<Vec<usize>> {
    let mut any = false;
    let mut list = Vec::new();
    for (i, c) in model.constraints.iter().enumerate() {
        let Some(turn) = turn(c, scene, state.t).filter(|_| state.modes[i] == Mode::Active) else { continue };
        let rows = &eq.phi[c.rows.clone()][turn.first..turn.first + turn.rows.len()];
        if turn.angle < FRAC_PI_2 || rows.iter().any(|x| x.abs() > MEANT) {
            any |= turn.angle > FAR;
            list.push(i);
        }
    }
    any.then_some(list)
}

/// Whether all of these joints are near their assembled orientation.
pub(crate) fn home(model: &Model, scene: &Scene, t: f64, joints: &[usize]) -> bool {
    let angle = |i: &usize| turn(&model.constraints[*i], scene, t).map_or(0.0, |turn| turn.angle);
    joints.iter().all(|i| angle(i) < FAR)
}

/// Replaces the rows of these joints by their angles and slopes.
pub(crate) fn measure(model: &Model, scene: &Scene, state: &State, joints: &[usize], eq: &mut Equations) {
    for c in joints.iter().map(|i| &model.constraints[*i]) {
        let Some(turn) = turn(c, scene, state.t) else { continue };
        for (k, (phi, n)) in turn.rows.iter().enumerate() {
            eq.phi[c.rows.start + turn.first + k] = *phi;
            spread(model, c, scene, state, turn.first + k, n, &mut eq.A);
        }
    }
}

/// φ for reports: angles instead of sines if a joint is far from assembled.
pub(crate) fn told(model: &Model, scene: &Scene, state: &State, phi: &[f64]) -> Vec<f64> {
    let mut told = phi.to_vec();
    for (c, mode) in model.constraints.iter().zip(&state.modes) {
        let Some(turn) = turn(c, scene, state.t).filter(|_| *mode == Mode::Active) else { continue };
        let rows = &mut told[c.rows.clone()][turn.first..turn.first + turn.rows.len()];
        if rows.iter().any(|x| x.abs() > MEANT) {
            rows.iter_mut().zip(&turn.rows).for_each(|(x, (phi, _))| *x = *phi);
        }
    }
    told
}

/// One row of A for the moment n between both markers.
fn spread(model: &Model, c: &ConstraintEntry, scene: &Scene, state: &State, row: usize, n: &Vec3, A: &mut [f64]) {
    for block in &c.blocks {
        let b = &model.bodies[block.body];
        let nv = b.v.len();
        let a = &mut A[block.start + row * nv..block.start + (row + 1) * nv];
        a.fill(0.0);
        for (&m, sense) in
            c.markers.iter().zip([-1.0, 1.0]).filter(|(m, _)| model.markers[**m].body == Some(block.body))
        {
            let (own, seen) = (&scene.motions[b.markers.start], &scene.motions[m]);
            let on = Wrench::moment(*n * sense);
            b.kind.body().pull(&state.q[b.q.clone()], own, &model.markers[m].place, seen, &on, a);
        }
    }
}

fn asked(joint: &Joint, t: f64) -> Option<Ask> {
    let angle = |hold: &Hold| match hold {
        Hold::Held => Some(0.0),
        Hold::Position(signal) => Some(signal.at(t).f),
        _ => None,
    };
    match &joint.turning {
        Turning::Parallel => Some(Ask::Axes),
        Turning::Locked(hold) => Some(angle(hold).map_or(Ask::Axes, Ask::Frames)),
        Turning::About(hold) => angle(hold).map(Ask::About),
        _ => None,
    }
}

fn turn(c: &ConstraintEntry, scene: &Scene, t: f64) -> Option<Turn> {
    let ConstraintKind::Joint(joint) = &c.kind else { return None };
    let ask = asked(joint, t)?;
    let first = joint.along.iter().filter(|hold| **hold != Hold::Free).count();
    let (A, B) = (&scene.motions[c.markers[0]], &scene.motions[c.markers[1]]);
    // To first order, the rows tilt_x, tilt_y and angle are rotations about these axes.
    let axes = [-A.axis(0), A.axis(1), A.axis(2)];
    let (rows, angle) = match ask {
        Ask::Axes => {
            let (w, slope) = tilt(A, B);
            (axes[..2].iter().map(|e| (e.dot(&w), slope(e))).collect(), w.norm())
        }
        Ask::Frames(angle) => {
            let w = rotation(&(A.R * Rotation3::from_axis_angle(&Vec3::z_axis(), angle)), &B.R);
            (axes.iter().map(|e| (e.dot(&w), slope(&w, e))).collect(), w.norm())
        }
        Ask::About(angle) => {
            let (s, c) = angle.sin_cos();
            let (x, y) = (A.axis(0) * c + A.axis(1) * s, A.axis(1) * c - A.axis(0) * s);
            let found = y.dot(&B.axis(0)).atan2(x.dot(&B.axis(0)));
            (vec![(found, A.axis(2))], found.abs())
        }
    };
    Some(Turn { first, rows, angle })
}

/// Rotation vector from one frame to another.
fn rotation(from: &Mat3, to: &Mat3) -> Vec3 {
    let R = Rotation3::from_matrix_unchecked(to * from.transpose());
    UnitQuaternion::from_rotation_matrix(&R).scaled_axis()
}

/// J_l⁻ᵀ(w) e.
fn slope(w: &Vec3, e: &Vec3) -> Vec3 {
    let half = 0.5 * w.norm();
    let k = if half < 1e-3 { 1.0 / 12.0 } else { (1.0 - half / half.tan()) / (4.0 * half * half) };
    let we = w.cross(e);
    e + we * 0.5 + w.cross(&we) * k
}

/// The shortest rotation vector from z_A to z_B, and the slope of its components.
fn tilt(A: &Motion, B: &Motion) -> (Vec3, impl Fn(&Vec3) -> Vec3) {
    let (za, zb) = (A.axis(2), B.axis(2));
    let cross = za.cross(&zb);
    let (sine, cosine) = (cross.norm(), za.dot(&zb));
    let opposed = sine < 1e-12 && cosine < 0.0;
    let angle = if opposed { PI } else { sine.atan2(cosine) };
    // If the axes are collinear, any perpendicular axis will do.
    let a = if sine < 1e-12 { A.axis(0) } else { cross / sine };
    let stretch = if angle < 1e-6 { 1.0 } else { angle / sine.max(LEAST_SINE * f64::from(angle > FRAC_PI_2)) };
    let across = za.cross(&a);
    (a * angle, move |e: &Vec3| a * a.dot(e) + zb.cross(&a) * (stretch * across.dot(e)))
}
