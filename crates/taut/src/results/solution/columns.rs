//! The selection of columns of a solution.

use serde::{Deserialize, Serialize};

/// The families: variant and name in model files and results, in the order of the columns.
macro_rules! families {
    ($($(#[$doc:meta])* $Family:ident $name:literal;)*) => {
        /// A family of columns.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum ColumnFamily {
            $($(#[$doc])* #[serde(rename = $name)] $Family,)*
        }

        impl ColumnFamily {
            /// All families, in column order.
            pub const ALL: [ColumnFamily; 14] = [$(ColumnFamily::$Family),*];

            /// Name in model files and results.
            pub const fn name(self) -> &'static str {
                match self {
                    $(ColumnFamily::$Family => $name,)*
                }
            }
        }
    };
}

families! {
    /// Coordinates and velocities of the bodies: `rod.x`, `rod.vx`.
    State "state";
    /// Their accelerations: `rod.ax`.
    Accelerations "accelerations";
    /// Position, velocity and acceleration of the declared frames: `rod.tip.x`, `rod.tip.vx`, `rod.tip.ax`.
    Markers "markers";
    /// Declared measures with rate and acceleration: `reach`, `reach.rate`, `reach.acceleration`.
    Measures "measures";
    /// Free or driven coordinates of joints: `hinge.angle`, `guide.slide`, with rate and acceleration.
    Joints "joints";
    /// Force and moment of each constraint on its last marker, in world axes and in the axes of its first marker:
    /// `hinge.fx`, `hinge.fx_j`.
    Reactions "reactions";
    /// Multipliers row by row: `hinge.lambda_x`.
    Multipliers "multipliers";
    /// Quantities of constraints that can become inactive: `floor.mode`, `floor.gap`, `floor.slip`, `floor.lost`.
    Contacts "contacts";
    /// Force and moment of each force element on its last marker, and its power: `spring.fx`, `spring.power`.
    Efforts "efforts";
    /// `energy.kinetic`, `energy.potential`, `energy.work`, `energy.balance`.
    Energy "energy";
    /// `residual.position`, `residual.velocity`, `residual.acceleration`, each with the row of the largest residual.
    Residuals "residuals";
    /// Multipliers of the projections row by row, `hinge.mu_x` of the velocities and `hinge.nu_x` of the positions, and
    /// Gauss' function, `gaussian` and `gaussian.velocity`. Recorded only if named.
    Corrections "corrections";
    /// Whether each component of a reaction is unique, 1 or 0: `hinge.fx.unique`, `hinge.fx_j.unique`; NaN where the model is too
    /// large to decide it. Recorded only if named.
    Determinacy "determinacy";
    /// `step`, `rank` where it is cheap to compute, and `freedoms` if constraints can become inactive.
    Solver "solver";
}

impl ColumnFamily {
    /// The families that describe the motion and its forces; the others describe the computation.
    pub fn of_the_motion() -> impl Iterator<Item = ColumnFamily> {
        use ColumnFamily::{Corrections, Determinacy, Energy, Residuals, Solver};
        ColumnFamily::ALL.into_iter().filter(|f| !matches!(f, Energy | Residuals | Corrections | Determinacy | Solver))
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
