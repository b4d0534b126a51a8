//! Elements that a state takes beyond what they are made for, for analyses that look at one state alone.

use crate::audit::axial::axial_loads;
use crate::dynamics::{Choice, Dynamics};
use crate::model::Model;
use crate::solution::Warning;
use crate::state::State;

/// What small motions about a state leave out: loads along modal bodies, which do not feel them. A run finds the same by itself.
pub fn beyond_limits(model: &Model, state: &State) -> Vec<Warning> {
    let mut dynamics = Dynamics::at(model, state, &Choice::default());
    match dynamics.accelerate(state.t, &state.q, &state.v, &state.z) {
        Ok(()) => axial_loads(&dynamics, state.t, &state.q, &state.v, &state.z),
        // What cannot be solved is refused by the analysis itself.
        Err(_) => Vec::new(),
    }
}
