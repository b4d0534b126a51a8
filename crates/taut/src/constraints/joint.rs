//! One joint with masks: every lower pair, and each of them driven.
//!
//! Marker A carries the axes, marker B the moving end; d = p_B − p_A.
//!
//! ```text
//!  along an axis e of A     φ = e·d − s(t)                   D_B = (e, 0)   D_A = (−e, e×d)
//!  turning                  φ = u·w, u fixed in A, w in B    D_B = (0, n)   D_A = (0, −n),  n = w×u
//! ```
//!
//! Where all three axes are held the rows are d = 0 along the axes of the world, D_A = (−e, 0).
//! A prescribed angle θ*(t) turns u with it, so that no angle is ever wrapped.

use super::{Constraint, Level, Reference, Row, Rows, View};
use crate::error::Fault;
use crate::motion::{Motion, Vec3, Wrench};
use crate::signals::Signal;
use serde::{Deserialize, Serialize};

/// What is asked of one axis of a joint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hold {
    /// Nothing.
    #[default]
    Free,
    /// To stay zero.
    Held,
    /// To follow a position (m or rad).
    Position(Signal),
    /// To follow a velocity.
    Velocity(Signal),
    /// To follow an acceleration.
    Acceleration(Signal),
}

impl Hold {
    fn level(&self) -> Option<Level> {
        match self {
            Hold::Free => None,
            Hold::Held | Hold::Position(_) => Some(Level::Position),
            Hold::Velocity(_) => Some(Level::Velocity),
            Hold::Acceleration(_) => Some(Level::Acceleration),
        }
    }

    pub(super) fn signal(&self) -> Option<&Signal> {
        match self {
            Hold::Position(s) | Hold::Velocity(s) | Hold::Acceleration(s) => Some(s),
            Hold::Free | Hold::Held => None,
        }
    }

    /// Prescribed (s, ṡ, s̈) as far as the level gives them.
    #[inline(always)]
    pub(super) fn motion(&self, t: f64) -> [f64; 3] {
        match self {
            Hold::Free | Hold::Held => [0.0; 3],
            Hold::Position(s) => {
                let j = s.at(t);
                [j.f, j.df, j.ddf]
            }
            Hold::Velocity(s) => {
                let j = s.at(t);
                [0.0, j.f, j.df]
            }
            Hold::Acceleration(s) => [0.0, 0.0, s.at(t).f],
        }
    }
}

/// How B may turn against A.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Turning {
    /// Freely.
    #[default]
    Free,
    /// x_A stays perpendicular to y_B: the cross of a universal joint.
    Perpendicular,
    /// Without spin about z: x_A·y_B = y_A·x_B, equal angles on both shafts.
    Homokinetic,
    /// z_A ∥ z_B.
    Parallel,
    /// Only the turn about z is held or driven (bodies in the plane).
    About(Hold),
    /// z_A ∥ z_B and the turn about z held or driven.
    Locked(Hold),
}

/// A joint between the frames `a` and `b`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// The marker that carries the axes.
    pub a: String,
    /// The marker that moves along and about them.
    pub b: String,
    /// Along x, y, z of A.
    #[serde(default)]
    pub along: [Hold; 3],
    /// Turning.
    #[serde(default)]
    pub turning: Turning,
}

const HELD: Hold = Hold::Held;
const FREE: Hold = Hold::Free;

impl Joint {
    fn new(a: &str, b: &str, along: [Hold; 3], turning: Turning) -> Joint {
        Joint { a: a.to_string(), b: b.to_string(), along, turning }
    }
    /// Nothing moves.
    pub fn fixed(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [HELD, HELD, HELD], Turning::Locked(HELD))
    }
    /// Turns about z.
    pub fn revolute(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [HELD, HELD, HELD], Turning::Parallel)
    }
    /// Slides along z.
    pub fn prismatic(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [HELD, HELD, FREE], Turning::Locked(HELD))
    }
    /// Turns about z and slides along z.
    pub fn cylindrical(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [HELD, HELD, FREE], Turning::Parallel)
    }
    /// Turns about a point.
    pub fn spherical(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [HELD, HELD, HELD], Turning::Free)
    }
    /// Turns about x of A and y of B, which stay perpendicular.
    pub fn universal(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [HELD, HELD, HELD], Turning::Perpendicular)
    }
    /// Turns about a point without spin about z.
    pub fn constant_velocity(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [HELD, HELD, HELD], Turning::Homokinetic)
    }
    /// Slides in the xy plane and turns about z.
    pub fn planar(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [FREE, FREE, HELD], Turning::Parallel)
    }
    /// The origin of B stays on the line z of A.
    pub fn point_on_line(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [HELD, HELD, FREE], Turning::Free)
    }
    /// The origin of B stays in the plane xy of A.
    pub fn point_on_plane(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [FREE, FREE, HELD], Turning::Free)
    }
    /// z_A ∥ z_B.
    pub fn parallel_axes(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [FREE, FREE, FREE], Turning::Parallel)
    }
    /// x_A ⟂ y_B.
    pub fn perpendicular_axes(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [FREE, FREE, FREE], Turning::Perpendicular)
    }
    /// Nothing turns, everything slides.
    pub fn parallel_frames(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [FREE, FREE, FREE], Turning::Locked(HELD))
    }

    /// In the plane: turns about a point.
    pub fn pin(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [HELD, HELD, FREE], Turning::Free)
    }
    /// In the plane: slides along x of A.
    pub fn slider(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [FREE, HELD, FREE], Turning::About(HELD))
    }
    /// In the plane: nothing moves.
    pub fn weld(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [HELD, HELD, FREE], Turning::About(HELD))
    }
    /// In the plane: the origin of B slides along x of A, and turns.
    pub fn slot(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [FREE, HELD, FREE], Turning::Free)
    }

    /// The same joint with axis `i` of A held or driven.
    ///
    /// # Panics
    /// If `i` is not 0, 1 or 2.
    pub fn drive(mut self, i: usize, hold: Hold) -> Joint {
        self.along[i] = hold;
        self
    }

    /// The same joint with its turn about z held or driven. A joint that does not turn about z alone (universal, constant
    /// velocity, spherical) keeps only this of its turning.
    pub fn turn(mut self, hold: Hold) -> Joint {
        self.turning = match self.turning {
            Turning::Parallel | Turning::Locked(_) => Turning::Locked(hold),
            _ => Turning::About(hold),
        };
        self
    }

    /// Whether both origins coincide.
    #[inline(always)]
    fn holds_point(&self) -> bool {
        matches!(self.along, [Hold::Held, Hold::Held, Hold::Held])
    }

    /// What is asked of the turn about z, if anything.
    fn spin(&self) -> Option<&Hold> {
        match &self.turning {
            Turning::About(h) | Turning::Locked(h) if *h != FREE => Some(h),
            _ => None,
        }
    }
}

/// Derivatives of φ = u·w, u turning with `wu`, w with `ww`: n = w×u and ṅ.
#[inline(always)]
fn carried(u: &Vec3, wu: &Vec3, w: &Vec3, ww: &Vec3) -> (Vec3, Vec3) {
    (w.cross(u), ww.cross(w).cross(u) + w.cross(&wu.cross(u)))
}

/// y_A turned about z_A by the prescribed angle.
#[inline(always)]
fn turned(A: &Motion, angle: f64) -> Vec3 {
    let (s, c) = angle.sin_cos();
    A.axis(1) * c - A.axis(0) * s
}

impl Constraint for Joint {
    fn markers(&self) -> Vec<Reference<'_>> {
        vec![Reference::frame(&self.a), Reference::frame(&self.b)]
    }

    fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        for (hold, name) in self.along.iter().zip(["x", "y", "z"]) {
            rows.extend(hold.level().map(|level| Row { name, level, unit: "m" }));
        }
        let one = |name| Row { name, level: Level::Position, unit: "rad" };
        match &self.turning {
            Turning::Free | Turning::About(_) => {}
            Turning::Perpendicular => rows.push(one("cross")),
            Turning::Homokinetic => rows.push(one("spin")),
            Turning::Parallel | Turning::Locked(_) => rows.extend([one("tilt_x"), one("tilt_y")]),
        }
        if let Some(level) = self.spin().and_then(Hold::level) {
            rows.push(Row { name: "angle", level, unit: "rad" });
        }
        rows
    }

    fn check(&self) -> Result<(), Fault> {
        if self.rows().is_empty() {
            return Err(Fault::value("along", "the joint holds nothing; hold at least one axis"));
        }
        for s in self.along.iter().chain(self.spin()).filter_map(Hold::signal) {
            s.check().map_err(|e| Fault::value("signal", e.to_string()))?;
        }
        Ok(())
    }

    fn place(&self, at: &View, rows: &mut Rows) {
        let (A, B) = (&at[0], &at[1]);
        let d = B.p - A.p;
        let mut r = 0;
        if self.holds_point() {
            // d = 0 in any axes: those of the world do not turn, and cost nothing.
            for (r, e) in [Vec3::x(), Vec3::y(), Vec3::z()].into_iter().enumerate() {
                rows.phi[r] = d[r];
                rows.phi_t[r] = 0.0;
                rows.D[2 * r] = Wrench::force(-e);
                rows.D[2 * r + 1] = Wrench::force(e);
            }
            r = 3;
        }
        for (i, hold) in self.along.iter().enumerate().skip(r) {
            let Some(level) = hold.level() else { continue };
            let e = A.axis(i);
            let s = hold.motion(at.t);
            if level == Level::Position {
                rows.phi[r] = e.dot(&d) - s[0];
            }
            rows.D[2 * r] = Wrench { f: -e, m: e.cross(&d) };
            rows.D[2 * r + 1] = Wrench::force(e);
            rows.phi_t[r] = -s[1];
            r += 1;
        }
        let mut pair = |u: Vec3, w: Vec3, r: usize| {
            rows.phi[r] = u.dot(&w);
            let n = w.cross(&u);
            rows.D[2 * r] = Wrench::moment(-n);
            rows.D[2 * r + 1] = Wrench::moment(n);
        };
        match &self.turning {
            Turning::Free | Turning::About(_) => {}
            Turning::Perpendicular => {
                pair(A.axis(0), B.axis(1), r);
                r += 1;
            }
            Turning::Homokinetic => {
                let n = B.axis(1).cross(&A.axis(0)) - B.axis(0).cross(&A.axis(1));
                rows.phi[r] = A.axis(0).dot(&B.axis(1)) - A.axis(1).dot(&B.axis(0));
                rows.D[2 * r] = Wrench::moment(-n);
                rows.D[2 * r + 1] = Wrench::moment(n);
                r += 1;
            }
            Turning::Parallel | Turning::Locked(_) => {
                let z = B.axis(2);
                pair(A.axis(1), z, r);
                pair(A.axis(0), z, r + 1);
                r += 2;
            }
        }
        if let Some(hold) = self.spin() {
            let s = hold.motion(at.t);
            let n = if hold.level() == Some(Level::Position) {
                let u = turned(A, s[0]);
                rows.phi[r] = u.dot(&B.axis(0));
                B.axis(0).cross(&u)
            } else {
                A.axis(2)
            };
            rows.D[2 * r] = Wrench::moment(-n);
            rows.D[2 * r + 1] = Wrench::moment(n);
            rows.phi_t[r] = -s[1] * A.axis(2).dot(&n);
        }
    }

    fn carry(&self, at: &View, rows: &mut Rows) {
        let (A, B) = (&at[0], &at[1]);
        let (d, v) = (B.p - A.p, B.v - A.v);
        let w_AB = B.w - A.w;
        let mut r = 0;
        if self.holds_point() {
            (rows.c[0], rows.c[1], rows.c[2]) = (0.0, 0.0, 0.0);
            r = 3;
        }
        for (i, hold) in self.along.iter().enumerate().skip(r) {
            if hold.level().is_none() {
                continue;
            }
            // φ̈ = e·(a_B − a_A) + α_A·(e×d) + 2 ė·ḋ + w_A·(ė×d) − s̈,  ė = w_A×e
            let de = A.w.cross(&A.axis(i));
            rows.c[r] = 2.0 * de.dot(&v) + A.w.dot(&de.cross(&d)) - hold.motion(at.t)[2];
            r += 1;
        }
        let mut pair = |u: Vec3, w: Vec3, r: usize| {
            rows.c[r] = w_AB.dot(&carried(&u, &A.w, &w, &B.w).1);
        };
        match &self.turning {
            Turning::Free | Turning::About(_) => {}
            Turning::Perpendicular => pair(A.axis(0), B.axis(1), r),
            Turning::Homokinetic => {
                let one = carried(&A.axis(0), &A.w, &B.axis(1), &B.w).1;
                let two = carried(&A.axis(1), &A.w, &B.axis(0), &B.w).1;
                rows.c[r] = w_AB.dot(&(one - two));
            }
            Turning::Parallel | Turning::Locked(_) => {
                // w_AB·ṅ = w_AB·(ż×u) + (w_AB×z)·u̇ with ż = w_B×z and u̇ = w_A×u.
                let z = B.axis(2);
                let (dz, zw) = (B.w.cross(&z), w_AB.cross(&z));
                let row = |u: Vec3| w_AB.dot(&dz.cross(&u)) + zw.dot(&A.w.cross(&u));
                rows.c[r] = row(A.axis(1));
                rows.c[r + 1] = row(A.axis(0));
            }
        }
        r += match self.turning {
            Turning::Free | Turning::About(_) => 0,
            Turning::Perpendicular | Turning::Homokinetic => 1,
            Turning::Parallel | Turning::Locked(_) => 2,
        };
        if let Some(hold) = self.spin() {
            let [s, ds, dds] = hold.motion(at.t);
            let z = A.axis(2);
            let dz = A.w.cross(&z);
            rows.c[r] = if hold.level() == Some(Level::Position) {
                // φ̇ = (w_AB − θ̇* z_A)·n with u turning by w_A + θ̇* z_A
                let (n, dn) = carried(&turned(A, s), &(A.w + z * ds), &B.axis(0), &B.w);
                (w_AB - z * ds).dot(&dn) - dds * z.dot(&n) - ds * dz.dot(&n)
            } else {
                w_AB.dot(&dz) - dds
            };
        }
    }
}
