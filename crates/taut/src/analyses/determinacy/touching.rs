//! Gaps that touch without a load.
//!
//! The modes of a state show one distribution of load: a table on four feet may stand on three of them. The fourth touches, and equilibrium
//! allows it to carry load as well.

use crate::dynamics::{Dynamics, SolverSettings};
use crate::equations::{Equations, MarkerKinematics, assemble_positions, assemble_rates};
use crate::events::ZERO_RATE_TOLERANCE;
use crate::laws::{ConstraintLaw, slip_direction};
use crate::mathematics::magnitude::largest_magnitude;
use crate::model::Model;
use crate::solvers::contact_features::bind_features;
use crate::state::{ConstraintMode, State};

/// The state with all gaps closed that touch and stay closed in the motion that follows.
pub(super) fn with_touching_gaps(model: &Model, state: &State) -> State {
    let mut at = state.clone();
    let is_open = |c: usize, modes: &[ConstraintMode]| {
        matches!(model.constraints[c].law, ConstraintLaw::Unilateral(_)) && modes[c] == ConstraintMode::Idle
    };
    if !(0..model.constraints.len()).any(|c| is_open(c, &at.modes)) {
        return at;
    }
    let mut dynamics = Dynamics::at(model, state, &SolverSettings::default());
    let mut y = vec![0.0; dynamics.dimension()];
    dynamics.pack(state, &mut y);
    let mut rates = y.clone();
    if dynamics.rates(state.t, &y, &mut rates).is_err() {
        return at;
    }
    let vdot = &dynamics.vdot;
    let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
    assemble_positions(model, (&at).into(), &mut scene, &mut eq);
    bind_features(model, at.t, &scene, &mut at.modes, &mut at.z);
    assemble_positions(model, (&at).into(), &mut scene, &mut eq);
    assemble_rates(model, (&at).into(), &mut scene, &mut eq);
    let speed = model.contact_scale.length() + largest_magnitude(&state.v).0;
    let loose = &eq.inactive;
    for (c, entry) in model.constraints.iter().enumerate() {
        let gap = entry.rows.start;
        if !is_open(c, &at.modes) || loose.phi[gap].abs() > model.contact_scale.closed_gap() {
            continue;
        }
        let acceleration = eq.inactive_row_times(entry, 0, vdot) - loose.b[gap];
        if loose.rate[gap].abs() > ZERO_RATE_TOLERANCE * speed
            || acceleration.abs() > ZERO_RATE_TOLERANCE * (speed + largest_magnitude(vdot).0)
        {
            continue;
        }
        let (direction, slip) = slip_direction(&loose.rate[gap + 1..entry.rows.end]);
        let slides = slip > ZERO_RATE_TOLERANCE * speed;
        at.modes[c] = if slides { ConstraintMode::Sliding(direction) } else { ConstraintMode::Active };
    }
    at
}
