//! Motion in time: consistent initial conditions, event-driven simulation, and time stepping for many contacts.

pub(crate) mod angle_rows;
mod assembly;
mod branches;
mod error;
pub mod events;
mod least_squares;
mod nearest_approach;
pub(crate) mod position_newton;
pub(crate) mod run;
mod soft_targets;
mod start_targets;
mod start_way;
pub mod stepping;
pub(crate) mod transient;
mod wound_angles;

pub use assembly::{
    Assembled, AssemblyReport, AssemblySettings, BodyDisplacement, Contradiction, RowResidual, assemble,
    body_displacements,
};
pub use branches::{Branch, BranchReport, BranchSearch, Completeness, GivenPose, branches};
pub use error::{AnalysisError, AssemblyFailure};
pub(crate) use error::{check_interruption, list_names};
pub use nearest_approach::{LengthChange, NearestApproach, nearest_approach};
pub use start_targets::{StartTarget, TargetPriority, TargetQuantity, TargetedStart, meet_targets};
pub use start_way::{MotionThrough, SingularKind, SingularPose, StartWay, WayEnd, way_to_targets};
pub(crate) use wound_angles::warn_wound_angles;

use crate::model::Model;
use crate::state::State;

/// Rejects a setting that is not a positive number.
pub(crate) fn check_positive(name: &'static str, found: f64) -> Result<(), AnalysisError> {
    if found.is_finite() && found > 0.0 { Ok(()) } else { Err(AnalysisError::Setting { name, found }) }
}

/// Rejects states of the wrong size and states with NaN or infinity.
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
