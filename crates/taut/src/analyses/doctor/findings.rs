//! The findings of the constraint doctor, as plain data.

use crate::analyses::RowConsistency;
use serde::Serialize;

/// Rank and freedoms in one pose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MobilityCount {
    /// Rank of A.
    pub rank: usize,
    /// Degrees of freedom: velocities − rank.
    pub freedoms: usize,
    /// Redundant rows: rows − rank.
    pub redundant: usize,
}

/// The pose in which freedoms and dependences were examined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ExaminedPose {
    /// As given: it satisfies the constraints.
    Given,
    /// The given pose, assembled.
    Assembled,
    /// The nearest pose found; the constraints cannot be satisfied.
    Open,
}

/// Whether rows depend on each other by design or in this pose only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Persistence {
    /// In nearby poses too.
    Structural,
    /// In this pose only.
    Pose,
    /// No nearby pose was found.
    Unknown,
}

/// Rows that depend on each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DependentSet {
    /// Names of the constraints that take part.
    pub constraints: Vec<String>,
    /// Names of the rows that take part.
    pub rows: Vec<String>,
    /// Unit of all the rows, or `m or rad` if they differ.
    pub unit: &'static str,
    /// Number of redundant rows.
    pub redundant: usize,
    /// Minimal dependent sets of rows, one per redundant row: without any one of its rows a set is independent.
    pub circuits: Vec<Vec<String>>,
    /// By design or in this pose only.
    pub persistence: Persistence,
    /// Consistent, or contradictory and by how much, in the unit of the row with the largest factor.
    pub verdict: RowConsistency,
}

/// Rows that would depend on each other if they were aligned exactly.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NearDependence {
    /// Names of the constraints that take part.
    pub constraints: Vec<String>,
    /// Names of the rows that take part.
    pub rows: Vec<String>,
    /// How far they are from dependence: length of what is left of the combination, rows of unit length, largest factor 1. A
    /// misaligned axis has the order of its angle in rad.
    pub misalignment: f64,
}

/// The coordinate that leads a free motion.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LeadingCoordinate {
    /// A body turns in a joint.
    Turn {
        /// The body.
        body: String,
        /// The joint.
        joint: String,
        /// Axis in the world.
        axis: [f64; 3],
        /// The body on the other side; none for the ground.
        against: Option<String>,
    },
    /// A body slides in a joint.
    Slide {
        /// The body.
        body: String,
        /// The joint.
        joint: String,
        /// Axis in the world.
        axis: [f64; 3],
        /// The body on the other side; none for the ground.
        against: Option<String>,
    },
    /// One velocity of a body.
    Velocity {
        /// The body.
        body: String,
        /// Its velocity: `vx`, `wz`.
        velocity: String,
    },
    /// All velocities of an unconstrained body.
    Body {
        /// The body.
        body: String,
    },
}

/// One free motion; that of an unconstrained body stands for all its freedoms.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FreeMotion {
    /// The leading coordinate.
    pub lead: LeadingCoordinate,
    /// Other bodies that move with it.
    pub followers: Vec<String>,
    /// Number of freedoms it stands for.
    pub freedoms: usize,
    /// Description.
    pub words: String,
    /// The velocities of the whole model in this motion; empty for an unconstrained body.
    #[serde(skip)]
    pub rates: Vec<f64>,
}

/// Whether the multiplier of a row is determined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Determinacy {
    /// Determined by the equations of motion.
    Unique,
    /// Not unique: member of these dependent sets, by index.
    Traded(Vec<usize>),
}

/// A row and whether its reaction is determined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RowReaction {
    /// `constraint.row`.
    pub row: String,
    /// Whether its reaction is unique.
    pub determinacy: Determinacy,
}

/// Residual of a constraint at the given state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConstraintResidual {
    /// The row with the largest residual, `constraint.row`.
    pub row: String,
    /// Its unit.
    pub unit: &'static str,
    /// Largest |φ|.
    pub position: f64,
    /// Largest |φ̇|.
    pub velocity: f64,
}

/// What nothing refers to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Unreferenced {
    /// Bodies without a constraint and without a force.
    pub bodies: Vec<String>,
    /// Frames that no constraint, force or measure refers to.
    pub markers: Vec<String>,
    /// Measures that are the same as an earlier one: (this, earlier).
    pub measures: Vec<(String, String)>,
}

/// Whether the given state has velocities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GivenVelocities {
    /// All are zero: bodies take the velocities that drivers prescribe, as intended. The text does not mention velocity residuals.
    Zero,
    /// Some differ from zero.
    Nonzero,
}

/// The report of the doctor. [`Display`](std::fmt::Display) formats it as text.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DoctorReport {
    /// Bodies, the ground not counted.
    pub bodies: usize,
    /// Coordinates.
    pub coordinates: usize,
    /// Velocities.
    pub velocities: usize,
    /// Rows of A without those of idle constraints.
    pub rows: usize,
    /// The pose that was examined.
    pub pose: ExaminedPose,
    /// Rank and freedoms in that pose; `None` if a part is too large (see `notes`).
    pub here: Option<MobilityCount>,
    /// Rank and freedoms in nearby poses; `None` if no such pose was found.
    pub nearby: Option<MobilityCount>,
    /// Unrelated sets of dependent rows, contradictory ones first.
    pub dependent: Vec<DependentSet>,
    /// Rows that are independent only by a small misalignment.
    pub nearly_dependent: Vec<NearDependence>,
    /// The free motions in that pose.
    pub motions: Vec<FreeMotion>,
    /// For every row, whether its reaction is unique.
    pub reactions: Vec<RowReaction>,
    /// Whether velocities are given.
    pub start: GivenVelocities,
    /// Constraints that the given state does not satisfy, largest residual first.
    pub residuals: Vec<ConstraintResidual>,
    /// Joints that assemble with an axis or an angle in the opposite direction.
    pub opposed: Vec<String>,
    /// What nothing refers to.
    pub loose: Unreferenced,
    /// What could not be determined, and why.
    pub notes: Vec<String>,
}

impl MobilityCount {
    /// Sum of both.
    pub(super) fn plus(self, other: MobilityCount) -> MobilityCount {
        MobilityCount {
            rank: self.rank + other.rank,
            freedoms: self.freedoms + other.freedoms,
            redundant: self.redundant + other.redundant,
        }
    }
}
