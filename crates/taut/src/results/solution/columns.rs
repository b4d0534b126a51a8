//! The selection of columns of a solution.

use serde::{Deserialize, Serialize};

/// A family of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ColumnFamily {
    /// Coordinates and velocities of the bodies: `rod.x`, `rod.vx`.
    State,
    /// Their accelerations: `rod.ax`.
    Accelerations,
    /// Position, velocity and acceleration of the declared frames: `rod.tip.x`, `rod.tip.vx`, `rod.tip.ax`.
    Markers,
    /// Declared measures with rate and acceleration: `reach`, `reach.rate`, `reach.acceleration`.
    Measures,
    /// Free or driven coordinates of joints: `hinge.angle`, `guide.slide`, with rate and acceleration.
    Joints,
    /// Force and moment of each constraint on its last marker, in world axes and in the axes of its first marker:
    /// `hinge.fx`, `hinge.fx_j`.
    Reactions,
    /// Multipliers row by row: `hinge.lambda_x`.
    Multipliers,
    /// Quantities of constraints that can become inactive: `floor.mode`, `floor.gap`, `floor.slip`, `floor.lost`.
    Contacts,
    /// Force and moment of each force element on its last marker, and its power: `spring.fx`, `spring.power`.
    Efforts,
    /// `energy.kinetic`, `energy.potential`, `energy.work`, `energy.balance`.
    Energy,
    /// `residual.position`, `residual.velocity`, `residual.acceleration`, each with the row of the largest residual.
    Residuals,
    /// Multipliers of the projections row by row, `hinge.mu_x` of the velocities and `hinge.nu_x` of the positions, and
    /// Gauss' function, `gaussian` and `gaussian.velocity`. Recorded only if named.
    Corrections,
    /// Whether each component of a reaction is unique, 1 or 0: `hinge.fx.unique`, `hinge.fx_j.unique`; NaN where the model is too
    /// large to decide it. Recorded only if named.
    Determinacy,
    /// `step`, `rank` where it is cheap to compute, and `freedoms` if constraints can become inactive.
    Solver,
}

impl ColumnFamily {
    /// All families, in column order.
    pub const ALL: [ColumnFamily; 14] = [
        ColumnFamily::State,
        ColumnFamily::Accelerations,
        ColumnFamily::Markers,
        ColumnFamily::Measures,
        ColumnFamily::Joints,
        ColumnFamily::Reactions,
        ColumnFamily::Multipliers,
        ColumnFamily::Contacts,
        ColumnFamily::Efforts,
        ColumnFamily::Energy,
        ColumnFamily::Residuals,
        ColumnFamily::Corrections,
        ColumnFamily::Determinacy,
        ColumnFamily::Solver,
    ];

    /// Name in model files and results.
    pub const fn name(self) -> &'static str {
        match self {
            ColumnFamily::State => "state",
            ColumnFamily::Accelerations => "accelerations",
            ColumnFamily::Markers => "markers",
            ColumnFamily::Measures => "measures",
            ColumnFamily::Joints => "joints",
            ColumnFamily::Reactions => "reactions",
            ColumnFamily::Multipliers => "multipliers",
            ColumnFamily::Contacts => "contacts",
            ColumnFamily::Efforts => "efforts",
            ColumnFamily::Energy => "energy",
            ColumnFamily::Residuals => "residuals",
            ColumnFamily::Corrections => "corrections",
            ColumnFamily::Determinacy => "determinacy",
            ColumnFamily::Solver => "solver",
        }
    }

    /// Whether [`Columns::All`] includes it; the other families are recorded only if they are named.
    pub fn is_default(self) -> bool {
        !matches!(self, ColumnFamily::Corrections | ColumnFamily::Determinacy)
    }
}

/// The recorded families. The time is always recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Columns {
    /// All but corrections and determinacy.
    #[default]
    All,
    /// Coordinates and velocities.
    State,
    /// Only the given families.
    Only(Vec<ColumnFamily>),
    /// None.
    None,
}

impl Columns {
    /// Whether a family is recorded.
    pub fn includes(&self, family: ColumnFamily) -> bool {
        match self {
            Columns::All => family.is_default(),
            Columns::State => family == ColumnFamily::State,
            Columns::Only(families) => families.contains(&family),
            Columns::None => false,
        }
    }
}
