//! One joint with a condition per axis: all lower pairs, and each of them driven.

use super::joint_rows::{self, JointAxes, Tilt, UndrivenJoint};
use super::{
    Coincidence, Constraint, ElementInput, ExtraStates, FrictionLaw, MarkerReference, NonSmooth, RowInfo, RowLevel,
    RowTerms,
};
use crate::breaks::BreakList;
use crate::error::ParameterError;
use crate::signals::{PassedEnd, Signal};
use serde::{Deserialize, Serialize};

/// The condition on one axis of a joint, or on a relation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Prescription {
    /// No condition.
    #[default]
    Free,
    /// It stays zero.
    #[serde(rename = "fixed")]
    Fixed,
    /// It follows a position (m or rad).
    Position(Signal),
    /// It follows a velocity.
    Velocity(Signal),
    /// It follows an acceleration.
    Acceleration(Signal),
}

impl Prescription {
    #[inline(always)]
    fn level(&self) -> Option<RowLevel> {
        match self {
            Prescription::Free => None,
            Prescription::Fixed | Prescription::Position(_) => Some(RowLevel::Position),
            Prescription::Velocity(_) => Some(RowLevel::Velocity),
            Prescription::Acceleration(_) => Some(RowLevel::Acceleration),
        }
    }

    pub(crate) fn signal(&self) -> Option<&Signal> {
        match self {
            Prescription::Position(s) | Prescription::Velocity(s) | Prescription::Acceleration(s) => Some(s),
            Prescription::Free | Prescription::Fixed => None,
        }
    }

    /// Prescribed (s, ṡ, s̈), as far as the level determines them.
    #[inline(always)]
    pub(super) fn prescribed_motion(&self, t: f64) -> [f64; 3] {
        match self {
            Prescription::Free | Prescription::Fixed => [0.0; 3],
            Prescription::Position(s) => {
                let j = s.at(t);
                [j.f, j.df, j.ddf]
            }
            Prescription::Velocity(s) => {
                let j = s.at(t);
                [0.0, j.f, j.df]
            }
            Prescription::Acceleration(s) => [0.0, 0.0, s.at(t).f],
        }
    }
}

/// How B may rotate relative to A.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RotationMask {
    /// Freely.
    #[default]
    Free,
    /// x_A stays perpendicular to y_B: the cross of a universal joint.
    Perpendicular,
    /// Without relative spin about z: x_A·y_B = y_A·x_B, equal angles on both shafts.
    #[serde(rename = "constant_velocity")]
    ConstantVelocity,
    /// z_A ∥ z_B.
    Parallel,
    /// Only the rotation about z is held or driven (bodies in the plane).
    About(Prescription),
    /// z_A ∥ z_B, and the rotation about z is held or driven.
    Locked(Prescription),
}

/// A joint between the frames `a` and `b`.
///
/// Marker A carries the axes, marker B the moving end; d = p_B − p_A.
///
/// ```text
///  along an axis e of A     φ = e·d − s(t)                   D_B = (e, 0)   D_A = (−e, e×d)
///  rotation                 φ = u·w, u fixed in A, w in B    D_B = (0, n)   D_A = (0, −n),  n = w×u
/// ```
///
/// If all three axes are held, the rows are d = 0 along the world axes, D_A = (−e, 0).
/// A prescribed angle θ*(t) turns u with it, so that no angle is ever wrapped.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// // A slide along x of the ground, driven with 0.1 sin(5 t) m.
/// let drive = Prescription::Position(Signal::harmonic(0.1, 5.0, 0.0));
/// let mut spec = Spec::new();
/// spec.body("table", RigidBody::new(4.0, [1.0; 3]))
///     .constraint("guide", Joint::parallel_frames("ground", "table"))
///     .constraint("drive", Joint::spherical("ground", "table").prescribe_translation(0, drive));
/// let model = spec.build()?;
/// let motion = kinematic(&model, &model.initial_state(), &[0.0, 0.1, 0.2])?;
/// assert!((motion.last("table.x")? - 0.1 * 1.0_f64.sin()).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// The marker that carries the axes.
    pub a: String,
    /// The marker that moves along and about them.
    pub b: String,
    /// Along x, y, z of A.
    #[serde(rename = "translation", default)]
    pub translation: [Prescription; 3],
    /// The condition on rotation.
    #[serde(rename = "rotation", default)]
    pub rotation: RotationMask,
}

const HELD: Prescription = Prescription::Fixed;
const FREE: Prescription = Prescription::Free;

impl Joint {
    fn new(a: &str, b: &str, along: [Prescription; 3], turning: RotationMask) -> Joint {
        Joint { a: a.to_string(), b: b.to_string(), translation: along, rotation: turning }
    }
    /// Nothing moves.
    pub fn fixed(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [HELD, HELD, HELD], RotationMask::Locked(HELD))
    }
    /// Rotates about z.
    pub fn revolute(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [HELD, HELD, HELD], RotationMask::Parallel)
    }
    /// Slides along z.
    pub fn prismatic(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [HELD, HELD, FREE], RotationMask::Locked(HELD))
    }
    /// Rotates about z and slides along z.
    pub fn cylindrical(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [HELD, HELD, FREE], RotationMask::Parallel)
    }
    /// Rotates about a point.
    pub fn spherical(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [HELD, HELD, HELD], RotationMask::Free)
    }
    /// Rotates about x of A and y of B, which stay perpendicular.
    pub fn universal(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [HELD, HELD, HELD], RotationMask::Perpendicular)
    }
    /// Rotates about a point without spin about z.
    pub fn constant_velocity(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [HELD, HELD, HELD], RotationMask::ConstantVelocity)
    }
    /// Slides in the xy plane and rotates about z.
    pub fn planar(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [FREE, FREE, HELD], RotationMask::Parallel)
    }
    /// The origin of B stays on the line z of A.
    pub fn point_on_line(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [HELD, HELD, FREE], RotationMask::Free)
    }
    /// The origin of B stays in the plane xy of A.
    pub fn point_on_plane(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [FREE, FREE, HELD], RotationMask::Free)
    }
    /// z_A ∥ z_B.
    pub fn parallel_axes(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [FREE, FREE, FREE], RotationMask::Parallel)
    }
    /// x_A ⟂ y_B.
    pub fn perpendicular_axes(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [FREE, FREE, FREE], RotationMask::Perpendicular)
    }
    /// Slides along all axes without rotation.
    pub fn parallel_frames(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [FREE, FREE, FREE], RotationMask::Locked(HELD))
    }

    /// In the plane: rotates about a point.
    pub fn pin(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [HELD, HELD, FREE], RotationMask::Free)
    }
    /// In the plane: slides along x of A.
    pub fn slider(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [FREE, HELD, FREE], RotationMask::About(HELD))
    }
    /// In the plane: nothing moves.
    pub fn weld(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [HELD, HELD, FREE], RotationMask::About(HELD))
    }
    /// In the plane: the origin of B slides along x of A, and B rotates.
    pub fn slot(a: &str, b: &str) -> Joint {
        Joint::new(a, b, [FREE, HELD, FREE], RotationMask::Free)
    }

    /// The same joint with axis `i` of A held or driven.
    ///
    /// # Panics
    /// If `i` is not 0, 1 or 2.
    pub fn prescribe_translation(mut self, i: usize, hold: Prescription) -> Joint {
        self.translation[i] = hold;
        self
    }

    /// The same joint with its rotation about z held or driven. In a joint with other rotations (universal, constant velocity,
    /// spherical) this replaces all its conditions on rotation.
    pub fn prescribe_rotation(mut self, hold: Prescription) -> Joint {
        self.rotation = match self.rotation {
            RotationMask::Parallel | RotationMask::Locked(_) => RotationMask::Locked(hold),
            _ => RotationMask::About(hold),
        };
        self
    }

    /// The compact form of this joint, if it is not driven.
    pub(crate) fn undriven(&self) -> Option<UndrivenJoint> {
        let driven = self.translation.iter().chain(self.rotation_about_z()).any(|hold| hold.signal().is_some());
        (!driven).then(|| UndrivenJoint::of(self))
    }

    /// The condition on the rotation about z, if any.
    #[inline(always)]
    fn rotation_about_z(&self) -> Option<&Prescription> {
        match &self.rotation {
            RotationMask::About(h) | RotationMask::Locked(h) if *h != FREE => Some(h),
            _ => None,
        }
    }
}

impl Constraint for Joint {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        vec![MarkerReference::frame(&self.a), MarkerReference::frame(&self.b)]
    }

    fn rows(&self) -> Vec<RowInfo> {
        let mut rows = Vec::new();
        for (hold, name) in self.translation.iter().zip(["x", "y", "z"]) {
            rows.extend(hold.level().map(|level| RowInfo { name, level, unit: "m" }));
        }
        let one = |name| RowInfo { name, level: RowLevel::Position, unit: "rad" };
        match &self.rotation {
            RotationMask::Free | RotationMask::About(_) => {}
            RotationMask::Perpendicular => rows.push(one("cross")),
            RotationMask::ConstantVelocity => rows.push(one("spin")),
            RotationMask::Parallel | RotationMask::Locked(_) => rows.extend([one("tilt_x"), one("tilt_y")]),
        }
        if let Some(level) = self.rotation_about_z().and_then(Prescription::level) {
            rows.push(RowInfo { name: "angle", level, unit: "rad" });
        }
        rows
    }

    fn check(&self) -> Result<(), ParameterError> {
        if self.rows().is_empty() {
            return Err(ParameterError::invalid("translation", "the joint constrains nothing; fix at least one axis"));
        }
        for s in self.translation.iter().chain(self.rotation_about_z()).filter_map(Prescription::signal) {
            s.check().map_err(|e| ParameterError::invalid("signal", e.to_string()))?;
        }
        Ok(())
    }

    fn coincidence(&self) -> Coincidence {
        JointAxes::coincidence(self)
    }

    fn position_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        joint_rows::position_terms(self, at, rows);
    }

    fn velocity_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        joint_rows::velocity_terms(self, at, rows);
    }
}

impl ExtraStates for Joint {}

impl NonSmooth for Joint {
    fn has_bounded_tables(&self) -> bool {
        self.translation.iter().chain(self.rotation_about_z()).filter_map(Prescription::signal).any(Signal::has_ends)
    }

    fn exceeded_table(&self, at: &ElementInput) -> Option<PassedEnd> {
        self.translation
            .iter()
            .chain(self.rotation_about_z())
            .filter_map(Prescription::signal)
            .find_map(|s| s.passed_end(at.t))
    }

    fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        self.translation
            .iter()
            .chain(self.rotation_about_z())
            .filter_map(Prescription::signal)
            .for_each(|s| s.breaks(from, to, list));
    }
}

impl FrictionLaw for Joint {}

impl JointAxes for Joint {
    fn coincidence(&self) -> Coincidence {
        let together = matches!(self.translation, [Prescription::Fixed, Prescription::Fixed, Prescription::Fixed]);
        if together { Coincidence::Origins } else { Coincidence::None }
    }
    fn translation_level(&self, i: usize) -> Option<RowLevel> {
        self.translation[i].level()
    }
    fn prescribed_translation(&self, i: usize, t: f64) -> [f64; 3] {
        self.translation[i].prescribed_motion(t)
    }
    fn tilt(&self) -> Tilt {
        match self.rotation {
            RotationMask::Free | RotationMask::About(_) => Tilt::Free,
            RotationMask::Perpendicular => Tilt::Perpendicular,
            RotationMask::ConstantVelocity => Tilt::Homokinetic,
            RotationMask::Parallel | RotationMask::Locked(_) => Tilt::Parallel,
        }
    }
    fn rotation_level(&self) -> Option<RowLevel> {
        self.rotation_about_z().and_then(Prescription::level)
    }
    fn prescribed_rotation(&self, t: f64) -> [f64; 3] {
        self.rotation_about_z().map_or([0.0; 3], |axis| axis.prescribed_motion(t))
    }
}
