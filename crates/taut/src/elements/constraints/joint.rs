//! One joint with a condition per axis: all lower pairs, and each of them driven.
//!
//! Marker A carries the axes, marker B the moving end; d = p_B − p_A.
//!
//! ```text
//!  along an axis e of A     φ = e·d − s(t)                   D_B = (e, 0)   D_A = (−e, e×d)
//!  rotation                 φ = u·w, u fixed in A, w in B    D_B = (0, n)   D_A = (0, −n),  n = w×u
//! ```
//!
//! If all three axes are held, the rows are d = 0 along the world axes, D_A = (−e, 0).
//! A prescribed angle θ*(t) turns u with it, so that no angle is ever wrapped.

use super::asked::{self, Asked, Still, Tilt};
use super::{Constraint, ExtraStates, FrictionLaw, Level, Meeting, NonSmooth, Reference, Row, Rows, View};
use crate::breaks::BreakList;
use crate::error::Fault;
use crate::signals::{Beyond, Signal};
use serde::{Deserialize, Serialize};

/// The condition on one axis of a joint, or on a relation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hold {
    /// No condition.
    #[default]
    Free,
    /// It stays zero.
    #[serde(rename = "fixed")]
    Held,
    /// It follows a position (m or rad).
    Position(Signal),
    /// It follows a velocity.
    Velocity(Signal),
    /// It follows an acceleration.
    Acceleration(Signal),
}

impl Hold {
    #[inline(always)]
    fn level(&self) -> Option<Level> {
        match self {
            Hold::Free => None,
            Hold::Held | Hold::Position(_) => Some(Level::Position),
            Hold::Velocity(_) => Some(Level::Velocity),
            Hold::Acceleration(_) => Some(Level::Acceleration),
        }
    }

    pub(crate) fn signal(&self) -> Option<&Signal> {
        match self {
            Hold::Position(s) | Hold::Velocity(s) | Hold::Acceleration(s) => Some(s),
            Hold::Free | Hold::Held => None,
        }
    }

    /// Prescribed (s, ṡ, s̈), as far as the level determines them.
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

/// How B may rotate relative to A.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Turning {
    /// Freely.
    #[default]
    Free,
    /// x_A stays perpendicular to y_B: the cross of a universal joint.
    Perpendicular,
    /// Without relative spin about z: x_A·y_B = y_A·x_B, equal angles on both shafts.
    #[serde(rename = "constant_velocity")]
    Homokinetic,
    /// z_A ∥ z_B.
    Parallel,
    /// Only the rotation about z is held or driven (bodies in the plane).
    About(Hold),
    /// z_A ∥ z_B, and the rotation about z is held or driven.
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
    #[serde(rename = "translation", default)]
    pub along: [Hold; 3],
    /// The condition on rotation.
    #[serde(rename = "rotation", default)]
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
    /// Rotates about z.
    pub fn revolute(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [HELD, HELD, HELD], Turning::Parallel)
    }
    /// Slides along z.
    pub fn prismatic(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [HELD, HELD, FREE], Turning::Locked(HELD))
    }
    /// Rotates about z and slides along z.
    pub fn cylindrical(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [HELD, HELD, FREE], Turning::Parallel)
    }
    /// Rotates about a point.
    pub fn spherical(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [HELD, HELD, HELD], Turning::Free)
    }
    /// Rotates about x of A and y of B, which stay perpendicular.
    pub fn universal(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [HELD, HELD, HELD], Turning::Perpendicular)
    }
    /// Rotates about a point without spin about z.
    pub fn constant_velocity(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [HELD, HELD, HELD], Turning::Homokinetic)
    }
    /// Slides in the xy plane and rotates about z.
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
    /// Slides along all axes without rotation.
    pub fn parallel_frames(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [FREE, FREE, FREE], Turning::Locked(HELD))
    }

    /// In the plane: rotates about a point.
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
    /// In the plane: the origin of B slides along x of A, and B rotates.
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

    /// The same joint with its rotation about z held or driven. In a joint with other rotations (universal, constant velocity,
    /// spherical) this replaces all its conditions on rotation.
    pub fn turn(mut self, hold: Hold) -> Joint {
        self.turning = match self.turning {
            Turning::Parallel | Turning::Locked(_) => Turning::Locked(hold),
            _ => Turning::About(hold),
        };
        self
    }

    /// The compact form of this joint, if it is not driven.
    pub(crate) fn still(&self) -> Option<Still> {
        let driven = self.along.iter().chain(self.spin()).any(|hold| hold.signal().is_some());
        (!driven).then(|| Still::of(self))
    }

    /// The condition on the rotation about z, if any.
    #[inline(always)]
    fn spin(&self) -> Option<&Hold> {
        match &self.turning {
            Turning::About(h) | Turning::Locked(h) if *h != FREE => Some(h),
            _ => None,
        }
    }
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
            return Err(Fault::value("translation", "the joint constrains nothing; fix at least one axis"));
        }
        for s in self.along.iter().chain(self.spin()).filter_map(Hold::signal) {
            s.check().map_err(|e| Fault::value("signal", e.to_string()))?;
        }
        Ok(())
    }

    fn meeting(&self) -> Meeting {
        Asked::meeting(self)
    }

    fn place(&self, at: &View, rows: &mut Rows) {
        asked::place(self, at, rows);
    }

    fn carry(&self, at: &View, rows: &mut Rows) {
        asked::carry(self, at, rows);
    }
}

impl ExtraStates for Joint {}

impl NonSmooth for Joint {
    fn has_ends(&self) -> bool {
        self.along.iter().chain(self.spin()).filter_map(Hold::signal).any(Signal::has_ends)
    }

    fn beyond(&self, at: &View) -> Option<Beyond> {
        self.along.iter().chain(self.spin()).filter_map(Hold::signal).find_map(|s| s.beyond(at.t))
    }

    fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        self.along.iter().chain(self.spin()).filter_map(Hold::signal).for_each(|s| s.breaks(from, to, list));
    }
}

impl FrictionLaw for Joint {}

impl Asked for Joint {
    fn meeting(&self) -> Meeting {
        let together = matches!(self.along, [Hold::Held, Hold::Held, Hold::Held]);
        if together { Meeting::InPoint } else { Meeting::Apart }
    }
    fn along(&self, i: usize) -> Option<Level> {
        self.along[i].level()
    }
    fn slide(&self, i: usize, t: f64) -> [f64; 3] {
        self.along[i].motion(t)
    }
    fn tilt(&self) -> Tilt {
        match self.turning {
            Turning::Free | Turning::About(_) => Tilt::Free,
            Turning::Perpendicular => Tilt::Perpendicular,
            Turning::Homokinetic => Tilt::Homokinetic,
            Turning::Parallel | Turning::Locked(_) => Tilt::Parallel,
        }
    }
    fn about(&self) -> Option<Level> {
        self.spin().and_then(Hold::level)
    }
    fn turn(&self, t: f64) -> [f64; 3] {
        self.spin().map_or([0.0; 3], |hold| hold.motion(t))
    }
}
