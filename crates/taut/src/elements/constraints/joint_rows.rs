//! The rows of a joint from the conditions on its axes. One version is for joints in general; the other is for joints that are
//! not driven, a few bytes that the assembly reads faster than the whole element.

use super::{Coincidence, ElementInput, RowLevel, RowTerms};
use crate::motion::{Motion, Vec3, Wrench};

/// How B may tilt against A.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tilt {
    /// Freely.
    Free,
    /// x_A ⟂ y_B.
    Perpendicular,
    /// x_A·y_B = y_A·x_B.
    Homokinetic,
    /// z_A ∥ z_B.
    Parallel,
}

/// The conditions on the axes of a joint.
pub(super) trait JointAxes {
    /// Whether the rows begin with the coincidence of both origins.
    fn coincidence(&self) -> Coincidence;
    /// The level at which the translation along axis `i` of A is constrained; none if it is free.
    fn translation_level(&self, i: usize) -> Option<RowLevel>;
    /// Prescribed (s, ṡ, s̈) along axis `i`.
    fn prescribed_translation(&self, i: usize, t: f64) -> [f64; 3];
    /// The condition on tilting.
    fn tilt(&self) -> Tilt;
    /// The level at which the rotation about z is constrained; none if it is free.
    fn rotation_level(&self) -> Option<RowLevel>;
    /// Prescribed (θ, θ̇, θ̈) about z.
    fn prescribed_rotation(&self, t: f64) -> [f64; 3];
}

/// Whether an axis is locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AxisState {
    Free,
    Locked,
}

impl AxisState {
    fn of(level: Option<RowLevel>) -> AxisState {
        if level.is_some() { AxisState::Locked } else { AxisState::Free }
    }

    #[inline(always)]
    fn level(self) -> Option<RowLevel> {
        match self {
            AxisState::Free => None,
            AxisState::Locked => Some(RowLevel::Position),
        }
    }
}

/// A joint that is not driven: every axis is free, or locked at zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UndrivenJoint {
    along: [AxisState; 3],
    tilt: Tilt,
    about: AxisState,
}

impl UndrivenJoint {
    pub(super) fn of(joint: &impl JointAxes) -> UndrivenJoint {
        let along = std::array::from_fn(|i| AxisState::of(joint.translation_level(i)));
        UndrivenJoint { along, tilt: joint.tilt(), about: AxisState::of(joint.rotation_level()) }
    }

    /// As [`Constraint::position_terms`](super::Constraint::position_terms).
    pub(crate) fn position_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        position_terms(self, at, rows);
    }

    /// As [`Constraint::velocity_terms`](super::Constraint::velocity_terms).
    pub(crate) fn velocity_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        velocity_terms(self, at, rows);
    }
}

impl JointAxes for UndrivenJoint {
    #[inline(always)]
    fn coincidence(&self) -> Coincidence {
        if self.along == [AxisState::Locked; 3] { Coincidence::Origins } else { Coincidence::None }
    }
    #[inline(always)]
    fn translation_level(&self, i: usize) -> Option<RowLevel> {
        self.along[i].level()
    }
    #[inline(always)]
    fn prescribed_translation(&self, _i: usize, _t: f64) -> [f64; 3] {
        [0.0; 3]
    }
    #[inline(always)]
    fn tilt(&self) -> Tilt {
        self.tilt
    }
    #[inline(always)]
    fn rotation_level(&self) -> Option<RowLevel> {
        self.about.level()
    }
    #[inline(always)]
    fn prescribed_rotation(&self, _t: f64) -> [f64; 3] {
        [0.0; 3]
    }
}

/// Derivatives of φ = u·w, u rotating with `wu`, w with `ww`: n = w×u and ṅ.
#[inline(always)]
fn dot_product_derivatives(u: &Vec3, wu: &Vec3, w: &Vec3, ww: &Vec3) -> (Vec3, Vec3) {
    (w.cross(u), ww.cross(w).cross(u) + w.cross(&wu.cross(u)))
}

/// y_A rotated about z_A by the prescribed angle.
#[inline(always)]
fn rotated_y_axis(A: &Motion, angle: f64) -> Vec3 {
    let (s, c) = angle.sin_cos();
    A.axis(1) * c - A.axis(0) * s
}

/// φ, D and φ_t.
#[inline(always)]
pub(super) fn position_terms(joint: &impl JointAxes, at: &ElementInput, rows: &mut RowTerms) {
    let (A, B) = (&at[0], &at[1]);
    let d = B.p - A.p;
    let mut r = 0;
    if joint.coincidence() == Coincidence::Origins {
        // d = 0 holds in any axes: the world axes do not rotate and need no products.
        for (r, e) in [Vec3::x(), Vec3::y(), Vec3::z()].into_iter().enumerate() {
            rows.phi[r] = d[r];
            rows.phi_t[r] = 0.0;
            rows.D[2 * r] = Wrench::force(-e);
            rows.D[2 * r + 1] = Wrench::force(e);
        }
        r = 3;
    } else {
        for i in 0..3 {
            let Some(level) = joint.translation_level(i) else { continue };
            let e = A.axis(i);
            let s = joint.prescribed_translation(i, at.t);
            if level == RowLevel::Position {
                rows.phi[r] = e.dot(&d) - s[0];
            }
            rows.D[2 * r] = Wrench { f: -e, m: e.cross(&d) };
            rows.D[2 * r + 1] = Wrench::force(e);
            rows.phi_t[r] = -s[1];
            r += 1;
        }
    }
    let mut moment = |n: Vec3, r: usize| {
        rows.D[2 * r] = Wrench::moment(-n);
        rows.D[2 * r + 1] = Wrench::moment(n);
    };
    match joint.tilt() {
        Tilt::Free => {}
        Tilt::Perpendicular => {
            let (u, w) = (A.axis(0), B.axis(1));
            rows.phi[r] = u.dot(&w);
            moment(w.cross(&u), r);
            r += 1;
        }
        Tilt::Homokinetic => {
            rows.phi[r] = A.axis(0).dot(&B.axis(1)) - A.axis(1).dot(&B.axis(0));
            moment(B.axis(1).cross(&A.axis(0)) - B.axis(0).cross(&A.axis(1)), r);
            r += 1;
        }
        Tilt::Parallel => {
            let z = B.axis(2);
            for u in [A.axis(1), A.axis(0)] {
                rows.phi[r] = u.dot(&z);
                moment(z.cross(&u), r);
                r += 1;
            }
        }
    }
    if let Some(level) = joint.rotation_level() {
        let s = joint.prescribed_rotation(at.t);
        let n = if level == RowLevel::Position {
            let u = rotated_y_axis(A, s[0]);
            rows.phi[r] = u.dot(&B.axis(0));
            B.axis(0).cross(&u)
        } else {
            A.axis(2)
        };
        moment(n, r);
        rows.phi_t[r] = -s[1] * A.axis(2).dot(&n);
    }
}

/// c.
#[inline(always)]
pub(super) fn velocity_terms(joint: &impl JointAxes, at: &ElementInput, rows: &mut RowTerms) {
    let (A, B) = (&at[0], &at[1]);
    let w_AB = B.w - A.w;
    let mut r = 0;
    if joint.coincidence() == Coincidence::Origins {
        (rows.c[0], rows.c[1], rows.c[2]) = (0.0, 0.0, 0.0);
        r = 3;
    } else {
        // φ̈ = e·(a_B − a_A) + α_A·(e×d) + 2 ė·ḋ + w_A·(ė×d) − s̈ with ė = w_A×e: the same vector for every axis.
        let along = ((B.v - A.v) * 2.0 + (B.p - A.p).cross(&A.w)).cross(&A.w);
        for i in 0..3 {
            if joint.translation_level(i).is_some() {
                rows.c[r] = A.axis(i).dot(&along) - joint.prescribed_translation(i, at.t)[2];
                r += 1;
            }
        }
    }
    match joint.tilt() {
        Tilt::Free => {}
        Tilt::Perpendicular => {
            rows.c[r] = w_AB.dot(&dot_product_derivatives(&A.axis(0), &A.w, &B.axis(1), &B.w).1);
            r += 1;
        }
        Tilt::Homokinetic => {
            let one = dot_product_derivatives(&A.axis(0), &A.w, &B.axis(1), &B.w).1;
            let two = dot_product_derivatives(&A.axis(1), &A.w, &B.axis(0), &B.w).1;
            rows.c[r] = w_AB.dot(&(one - two));
            r += 1;
        }
        Tilt::Parallel => {
            // w_AB·ṅ = w_AB·(ż×u) + (w_AB×z)·u̇ with ż = w_B×z and u̇ = w_A×u: the same vector for both.
            let z = B.axis(2);
            let along = w_AB.cross(&B.w.cross(&z)) + w_AB.cross(&z).cross(&A.w);
            rows.c[r] = along.dot(&A.axis(1));
            rows.c[r + 1] = along.dot(&A.axis(0));
            r += 2;
        }
    }
    if let Some(level) = joint.rotation_level() {
        let [s, ds, dds] = joint.prescribed_rotation(at.t);
        let z = A.axis(2);
        let dz = A.w.cross(&z);
        rows.c[r] = if level == RowLevel::Position {
            // φ̇ = (w_AB − θ̇* z_A)·n with u rotating by w_A + θ̇* z_A
            let (n, dn) = dot_product_derivatives(&rotated_y_axis(A, s), &(A.w + z * ds), &B.axis(0), &B.w);
            (w_AB - z * ds).dot(&dn) - dds * z.dot(&n) - ds * dz.dot(&n)
        } else {
            w_AB.dot(&dz) - dds
        };
    }
}
