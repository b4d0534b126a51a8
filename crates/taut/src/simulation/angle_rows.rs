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

use crate::constraints::{ConstraintKind, Joint, Prescription, RotationMask};
use crate::equations::{Equations, MarkerKinematics};
use crate::model::{ConstraintEntry, Model};
use crate::motion::{Mat3, Motion, Vec3, Wrench};
use crate::state::{ConstraintMode, State};
use nalgebra::{Rotation3, UnitQuaternion};
use std::f64::consts::{FRAC_PI_2, PI};

/// Rotations beyond this are far from assembled, rad: the linearisation is poor there.
const FAR_ANGLE: f64 = 0.8;
/// Rows met to this tolerance at more than a quarter turn were reversed on purpose.
const REVERSED_ON_PURPOSE_TOLERANCE: f64 = 1e-3;
/// Lower bound of the sine that divides the slope of a tilt: near half a turn all directions are equally good.
const MIN_SINE: f64 = 0.2;

/// What a joint prescribes about the rotation between its frames, at position level.
enum PrescribedOrientation {
    /// z_A ∥ z_B.
    Axes,
    /// The same frame, rotated about z by this angle.
    Frames(f64),
    /// The angle about z alone.
    About(f64),
}

/// The rotation from the prescribed to the actual orientation.
struct JointRotation {
    /// First of the rows, counted in the constraint.
    first: usize,
    /// Per row φ and n.
    rows: Vec<(f64, Vec3)>,
    /// Its angle.
    angle: f64,
}

/// Joints whose rows should be replaced by angles, if any of them is far from assembled. Joints reversed on purpose stay so.
pub(crate) fn joints_far_from_assembled(
    model: &Model,
    scene: &MarkerKinematics,
    state: &State,
    eq: &Equations,
) -> Option<Vec<usize>> {
    let mut any = false;
    let mut list = Vec::new();
    for (i, c) in model.constraints.iter().enumerate() {
        let Some(turn) = joint_rotation(c, scene, state.t).filter(|_| state.modes[i] == ConstraintMode::Active) else {
            continue;
        };
        let rows = &eq.phi[c.rows.clone()][turn.first..turn.first + turn.rows.len()];
        if turn.angle < FRAC_PI_2 || rows.iter().any(|x| x.abs() > REVERSED_ON_PURPOSE_TOLERANCE) {
            any |= turn.angle > FAR_ANGLE;
            list.push(i);
        }
    }
    any.then_some(list)
}

/// Whether all of these joints are near their assembled orientation.
pub(crate) fn are_near_assembled(model: &Model, scene: &MarkerKinematics, t: f64, joints: &[usize]) -> bool {
    let angle = |i: &usize| joint_rotation(&model.constraints[*i], scene, t).map_or(0.0, |turn| turn.angle);
    joints.iter().all(|i| angle(i) < FAR_ANGLE)
}

/// Replaces the rows of these joints by their angles and slopes.
pub(crate) fn replace_rows_by_angles(
    model: &Model,
    scene: &MarkerKinematics,
    state: &State,
    joints: &[usize],
    eq: &mut Equations,
) {
    for c in joints.iter().map(|i| &model.constraints[*i]) {
        let Some(turn) = joint_rotation(c, scene, state.t) else { continue };
        for (k, (phi, n)) in turn.rows.iter().enumerate() {
            eq.phi[c.rows.start + turn.first + k] = *phi;
            write_moment_row(model, c, scene, state, turn.first + k, n, &mut eq.A);
        }
    }
}

/// φ for reports: angles instead of sines if a joint is far from assembled.
pub(crate) fn reported_residuals(model: &Model, scene: &MarkerKinematics, state: &State, phi: &[f64]) -> Vec<f64> {
    let mut reported = phi.to_vec();
    for (c, mode) in model.constraints.iter().zip(&state.modes) {
        let Some(turn) = joint_rotation(c, scene, state.t).filter(|_| *mode == ConstraintMode::Active) else {
            continue;
        };
        let rows = &mut reported[c.rows.clone()][turn.first..turn.first + turn.rows.len()];
        if rows.iter().any(|x| x.abs() > REVERSED_ON_PURPOSE_TOLERANCE) {
            rows.iter_mut().zip(&turn.rows).for_each(|(x, (phi, _))| *x = *phi);
        }
    }
    reported
}

/// One row of A for the moment n between both markers.
fn write_moment_row(
    model: &Model,
    c: &ConstraintEntry,
    scene: &MarkerKinematics,
    state: &State,
    row: usize,
    n: &Vec3,
    A: &mut [f64],
) {
    for block in &c.blocks {
        let b = &model.bodies[block.body];
        let nv = b.v.len();
        let a = &mut A[block.start + row * nv..block.start + (row + 1) * nv];
        a.fill(0.0);
        for (&m, sense) in
            c.markers.iter().zip([-1.0, 1.0]).filter(|(m, _)| model.markers[**m].body == Some(block.body))
        {
            scene.apply_transpose(model, &state.q, m, &Wrench::moment(*n * sense), a);
        }
    }
}

fn prescribed_orientation(joint: &Joint, t: f64) -> Option<PrescribedOrientation> {
    let angle = |hold: &Prescription| match hold {
        Prescription::Fixed => Some(0.0),
        Prescription::Position(signal) => Some(signal.at(t).f),
        _ => None,
    };
    match &joint.rotation {
        RotationMask::Parallel => Some(PrescribedOrientation::Axes),
        RotationMask::Locked(hold) => {
            Some(angle(hold).map_or(PrescribedOrientation::Axes, PrescribedOrientation::Frames))
        }
        RotationMask::About(hold) => angle(hold).map(PrescribedOrientation::About),
        _ => None,
    }
}

fn joint_rotation(c: &ConstraintEntry, scene: &MarkerKinematics, t: f64) -> Option<JointRotation> {
    let ConstraintKind::Joint(joint) = &c.kind else { return None };
    let ask = prescribed_orientation(joint, t)?;
    let first = joint.translation.iter().filter(|hold| **hold != Prescription::Free).count();
    let (A, B) = (&scene.motions[c.markers[0]], &scene.motions[c.markers[1]]);
    // To first order, the rows tilt_x, tilt_y and angle are rotations about these axes.
    let axes = [-A.axis(0), A.axis(1), A.axis(2)];
    let (rows, angle) = match ask {
        PrescribedOrientation::Axes => {
            let (w, slope) = tilt_rotation_vector(A, B);
            (axes[..2].iter().map(|e| (e.dot(&w), slope(e))).collect(), w.norm())
        }
        PrescribedOrientation::Frames(angle) => {
            let w = rotation_vector(&(A.R * Rotation3::from_axis_angle(&Vec3::z_axis(), angle)), &B.R);
            (axes.iter().map(|e| (e.dot(&w), rotation_vector_slope(&w, e))).collect(), w.norm())
        }
        PrescribedOrientation::About(angle) => {
            let (s, c) = angle.sin_cos();
            let (x, y) = (A.axis(0) * c + A.axis(1) * s, A.axis(1) * c - A.axis(0) * s);
            let found = y.dot(&B.axis(0)).atan2(x.dot(&B.axis(0)));
            (vec![(found, A.axis(2))], found.abs())
        }
    };
    Some(JointRotation { first, rows, angle })
}

/// Rotation vector from one frame to another.
fn rotation_vector(from: &Mat3, to: &Mat3) -> Vec3 {
    let R = Rotation3::from_matrix_unchecked(to * from.transpose());
    UnitQuaternion::from_rotation_matrix(&R).scaled_axis()
}

/// J_l⁻ᵀ(w) e.
fn rotation_vector_slope(w: &Vec3, e: &Vec3) -> Vec3 {
    let half = 0.5 * w.norm();
    let k = if half < 1e-3 { 1.0 / 12.0 } else { (1.0 - half / half.tan()) / (4.0 * half * half) };
    let we = w.cross(e);
    e + we * 0.5 + w.cross(&we) * k
}

/// The shortest rotation vector from z_A to z_B, and the slope of its components.
fn tilt_rotation_vector(A: &Motion, B: &Motion) -> (Vec3, impl Fn(&Vec3) -> Vec3) {
    let (za, zb) = (A.axis(2), B.axis(2));
    let cross = za.cross(&zb);
    let (sine, cosine) = (cross.norm(), za.dot(&zb));
    let opposed = sine < 1e-12 && cosine < 0.0;
    let angle = if opposed { PI } else { sine.atan2(cosine) };
    // If the axes are collinear, any perpendicular axis will do.
    let a = if sine < 1e-12 { A.axis(0) } else { cross / sine };
    let stretch = if angle < 1e-6 { 1.0 } else { angle / sine.max(MIN_SINE * f64::from(angle > FRAC_PI_2)) };
    let across = za.cross(&a);
    (a * angle, move |e: &Vec3| a * a.dot(e) + zb.cross(&a) * (stretch * across.dot(e)))
}
