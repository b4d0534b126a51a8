//! Elements used outside their range of validity, for analyses of a single state.

use crate::audit::axial_loads;
use crate::dynamics::{Dynamics, SolverSettings};
use crate::model::Model;
use crate::solution::Warning;
use crate::state::State;

/// Warns of axial loads on modal bodies, which linear modes ignore. A transient run checks the same by itself.
pub fn axial_load_warnings(model: &Model, state: &State) -> Vec<Warning> {
    let mut dynamics = Dynamics::at(model, state, &SolverSettings::default());
    match dynamics.solve_accelerations(state.t, &state.q, &state.v, &state.z) {
        Ok(()) => axial_loads::axial_load_warnings(&dynamics, state.t, &state.q, &state.v, &state.z),
        // The analysis itself reports states that cannot be solved.
        Err(_) => Vec::new(),
    }
}
