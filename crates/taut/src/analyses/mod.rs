//! What one asks of the equations: a consistent start, a motion in time, a prescribed motion, the forces behind one.

mod assembly;
mod diagnosis;
mod doctor;
mod error;
mod event;
mod grips;
mod inverse;
mod kinematic;
pub mod laboratory;
mod limits;
pub mod linear;
mod newton;
mod one_sided;
mod problem;
pub(crate) mod rank;
mod simulation;
mod stability;
mod statics;
mod stiff;
mod transient;
mod turning;
mod work;
mod wound;

pub use assembly::{Assembled, Assembly, Ledger, Moved, Residual, assemble, moved};
pub use doctor::{
    Count, DependentSet, Determinacy, Doctor, FreeMotion, Lead, Loose, Misfit, Persistence, Pose, RowReaction, doctor,
};
pub use error::{AnalysisError, Unassembled};
pub use event::{After, Change, Event, Look, Sight, When};
pub use grips::{BeyondStrength, beyond_strength};
pub use inverse::{Effort, Inverse, JointEffort, Reaction, inverse};
pub use kinematic::kinematic;
pub use limits::beyond_limits;
pub use rank::{Rank, Verdict, rank};
pub use simulation::{Checkpoint, Progress, Simulation};
pub use statics::{
    ArcLength, Branching, Comparison, Critical, CriticalPoint, Ended, Equilibrium, Found, HeldBy, Holding, Judgement,
    Loading, Path, PathPoint, Resort, Rotation, Stability, Statics, StaticsError, Way, load_path, loaded, statics,
    statics_compared,
};
pub use stiff::Stiff;
pub use taut_ode::{Direction, Limits, Method as Integrator, Pace};
pub use transient::{Output, Start, Transient, simulate, simulate_with};
pub(crate) use work::Work;
pub(crate) use wound::wound;

use crate::model::Model;
use crate::state::State;

/// Refuses a setting that is not a positive number.
pub(crate) fn positive(name: &'static str, found: f64) -> Result<(), AnalysisError> {
    if found.is_finite() && found > 0.0 { Ok(()) } else { Err(AnalysisError::Setting { name, found }) }
}

/// Refuses states of the wrong size and states with NaN or infinity.
pub(crate) fn check_state(model: &Model, state: &State) -> Result<(), AnalysisError> {
    model.check_state(state)?;
    if !state.t.is_finite() {
        return Err(AnalysisError::NotFinite { what: "the time of the state".to_string() });
    }
    if let Some(i) = state.q.iter().chain(&state.v).position(|x| !x.is_finite()) {
        let (q, v) = model.state_names();
        let name = q.iter().chain(&v).nth(i).map_or("?", |n| n.name.as_str());
        return Err(AnalysisError::NotFinite { what: format!("`{name}` of the state") });
    }
    match state.z.iter().position(|z| !z.is_finite()) {
        Some(i) => Err(AnalysisError::NotFinite { what: format!("extra state {i}") }),
        None => Ok(()),
    }
}
