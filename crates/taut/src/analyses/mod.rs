//! Analyses of a model: assembly of a consistent start, transient simulation, kinematics, inverse dynamics, statics, small motions.

mod doctor;
mod grips;
mod inverse;
mod kinematic;
pub mod laboratory;
mod limits;
pub mod linear;
mod one_sided;
mod rank;
mod statics;

pub use doctor::{
    Count, DependentSet, Determinacy, Doctor, FreeMotion, Lead, Loose, Misfit, Persistence, Pose, RowReaction, doctor,
};
pub use grips::{BeyondStrength, beyond_strength};
pub use inverse::{Effort, Inverse, JointEffort, Reaction, inverse};
pub use kinematic::kinematic;
pub use limits::beyond_limits;
pub use rank::rank;
pub use statics::{
    ArcLength, Branching, Comparison, Critical, CriticalPoint, Ended, Equilibrium, Found, HeldBy, Holding, Judgement,
    Loading, Path, PathPoint, Resort, Rotation, Stability, Statics, StaticsError, Way, load_path, loaded, statics,
    statics_compared,
};
pub use taut_ode::{Direction, Limits, Method as Integrator, Pace};

pub use crate::model::events::Sight;
pub use crate::simulation::events::{After, Change, Event, Look, When};
pub use crate::simulation::run::{Checkpoint, Progress, Run, RunLog, RunMethod, StartedRun, start_run};
pub use crate::simulation::transient::{Output, Simulation, Start, Stiff, Transient, simulate, simulate_with};
pub use crate::simulation::{
    AnalysisError, Assembled, Assembly, Ledger, Moved, Residual, Unassembled, assemble, moved,
};
pub(crate) use crate::simulation::{check_state, positive};
pub use crate::solvers::rank::{Rank, Verdict};
