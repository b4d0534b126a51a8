//! What the doctor can find, as plain data.

use crate::analyses::Verdict;
use serde::Serialize;

/// Rank and freedoms in one pose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Count {
    /// Rank of A.
    pub rank: usize,
    /// Degrees of freedom: velocities − rank.
    pub freedoms: usize,
    /// Rows too many: rows − rank.
    pub redundant: usize,
}

/// The pose in which freedoms and dependences were looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pose {
    /// As given: it meets the constraints.
    Given,
    /// The given one, brought to the constraints.
    Assembled,
    /// The nearest found; the constraints cannot be met.
    Open,
}

/// Whether rows depend on each other by design or by chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Persistence {
    /// In poses nearby too.
    Structural,
    /// In this pose only.
    Pose,
    /// No pose nearby was found.
    Unknown,
}

/// Rows that depend on each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DependentSet {
    /// Names of the constraints that take part.
    pub constraints: Vec<String>,
    /// Names of the rows that take part.
    pub rows: Vec<String>,
    /// Unit of all the rows, or `m or rad` where they differ.
    pub unit: &'static str,
    /// How many rows are too many.
    pub redundant: usize,
    /// As many minimal dependent sets of rows: leave out any row of one, and the others are independent.
    pub circuits: Vec<Vec<String>>,
    /// By design or in this pose only.
    pub persistence: Persistence,
    /// Harmless, or contradictory and by how much: in the units of the row with the largest share.
    pub verdict: Verdict,
}

/// The coordinate that leads a free motion.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Lead {
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
    /// All velocities of a body that nothing holds.
    Body {
        /// The body.
        body: String,
    },
}

/// One free motion; that of a loose body stands for all its freedoms.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FreeMotion {
    /// What leads it.
    pub lead: Lead,
    /// Other bodies that move with it.
    pub followers: Vec<String>,
    /// How many freedoms it stands for.
    pub freedoms: usize,
    /// In words.
    pub words: String,
    /// The velocities of the whole model in it; none for a body that nothing holds, which moves any way.
    #[serde(skip)]
    pub rates: Vec<f64>,
}

/// Whether the multiplier of a row is determined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Determinacy {
    /// By the equations of motion.
    Unique,
    /// Only together with others: sets in which it may be traded, by index.
    Traded(Vec<usize>),
}

/// A row and whether its reaction is determined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RowReaction {
    /// `constraint.row`.
    pub row: String,
    /// Whether it is.
    pub determinacy: Determinacy,
}

/// How far a constraint is from being met by the state as given.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Misfit {
    /// The row of the constraint that is farthest off, `constraint.row`.
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
pub struct Loose {
    /// Bodies without a constraint and without a force.
    pub bodies: Vec<String>,
    /// Frames that no constraint, force or measure refers to.
    pub markers: Vec<String>,
    /// Measures that are the same as an earlier one: (this, earlier).
    pub measures: Vec<(String, String)>,
}

/// What the doctor found. [`Display`](std::fmt::Display) says it in words.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Doctor {
    /// Bodies, the ground not counted.
    pub bodies: usize,
    /// Coordinates.
    pub coordinates: usize,
    /// Velocities.
    pub velocities: usize,
    /// Rows of A, those of idle constraints left out.
    pub rows: usize,
    /// The pose that was looked at.
    pub pose: Pose,
    /// In that pose; none if a part is too large, which `notes` then say.
    pub here: Option<Count>,
    /// In poses nearby; none if there was none to be had.
    pub nearby: Option<Count>,
    /// Rows that depend on each other: sets that have nothing to do with each other, contradictory ones first.
    pub dependent: Vec<DependentSet>,
    /// The free motions in that pose.
    pub motions: Vec<FreeMotion>,
    /// Of every row whether its reaction is determined.
    pub reactions: Vec<RowReaction>,
    /// Constraints that the state as given does not meet, farthest off first.
    pub residuals: Vec<Misfit>,
    /// Joints that come together with an axis or an angle the wrong way round.
    pub opposed: Vec<String>,
    /// What nothing refers to.
    pub loose: Loose,
    /// What could not be found out, and why.
    pub notes: Vec<String>,
}

impl Count {
    /// Both together.
    pub(super) fn plus(self, other: Count) -> Count {
        Count {
            rank: self.rank + other.rank,
            freedoms: self.freedoms + other.freedoms,
            redundant: self.redundant + other.redundant,
        }
    }
}
