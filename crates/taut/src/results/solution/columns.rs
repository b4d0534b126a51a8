//! Which columns a solution has.

use serde::{Deserialize, Serialize};

/// A family of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// Coordinates and velocities of the bodies: `rod.x`, `rod.vx`.
    State,
    /// Their accelerations: `rod.ax`.
    Accelerations,
    /// Position, velocity and acceleration of the declared frames: `rod.tip.x`, `rod.tip.vx`, `rod.tip.ax`.
    Markers,
    /// Declared measures with rate and acceleration: `reach`, `reach.rate`, `reach.acceleration`.
    Measures,
    /// What joints leave free or drive: `hinge.angle`, `guide.slide`, with rate and acceleration.
    Joints,
    /// What each constraint exerts on its last marker, world axes and axes of its first: `hinge.fx`, `hinge.fx_j`.
    Reactions,
    /// Multipliers row by row: `hinge.lambda_x`.
    Multipliers,
    /// Of constraints that come and go: `floor.mode`, `floor.gap`, `floor.slip`, `floor.lost`.
    Contacts,
    /// What each force exerts on its last marker, and its power: `spring.fx`, `spring.power`.
    Efforts,
    /// `energy.kinetic`, `energy.potential`, `energy.work`, `energy.balance`.
    Energy,
    /// `residual.position`, `residual.velocity`, `residual.acceleration`, each with the row of the worst.
    Residuals,
    /// `step`, `rank` where it is cheap, and `freedoms` where constraints come and go.
    Solver,
}

impl Family {
    /// All families, in the order of their columns.
    pub const ALL: [Family; 12] = [
        Family::State,
        Family::Accelerations,
        Family::Markers,
        Family::Measures,
        Family::Joints,
        Family::Reactions,
        Family::Multipliers,
        Family::Contacts,
        Family::Efforts,
        Family::Energy,
        Family::Residuals,
        Family::Solver,
    ];

    /// Name in model files and results.
    pub const fn name(self) -> &'static str {
        match self {
            Family::State => "state",
            Family::Accelerations => "accelerations",
            Family::Markers => "markers",
            Family::Measures => "measures",
            Family::Joints => "joints",
            Family::Reactions => "reactions",
            Family::Multipliers => "multipliers",
            Family::Contacts => "contacts",
            Family::Efforts => "efforts",
            Family::Energy => "energy",
            Family::Residuals => "residuals",
            Family::Solver => "solver",
        }
    }
}

/// Which families are recorded. The time is always there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Columns {
    /// All of them.
    #[default]
    All,
    /// Coordinates and velocities.
    State,
    /// Only these.
    Only(Vec<Family>),
    /// None.
    None,
}

impl Columns {
    /// Whether a family is recorded.
    pub fn shows(&self, family: Family) -> bool {
        match self {
            Columns::All => true,
            Columns::State => family == Family::State,
            Columns::Only(families) => families.contains(&family),
            Columns::None => false,
        }
    }
}
