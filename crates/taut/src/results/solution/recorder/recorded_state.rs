//! The input of the recorder for one row: a state, and further data of the run.

use crate::state::ConstraintMode;

/// A state whose equations have just been solved, and further data of the run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordedState<'a> {
    pub t: f64,
    pub q: &'a [f64],
    pub v: &'a [f64],
    pub z: &'a [f64],
    /// Work put in since the start, if it is known.
    pub work: Option<f64>,
    /// Energy lost since the start.
    pub lost: EnergyLosses<'a>,
    /// T + V at the start.
    pub energy_at_start: f64,
    /// Length of the last step.
    pub step: f64,
    /// Contact data of time stepping.
    pub stepping_contacts: Option<SteppingContacts<'a>>,
    /// Whether the solution of the equations shows that no active row is near to depending on others.
    pub independent_rows: bool,
}

/// Contacts of time stepping, whose rows are never active in the equations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SteppingContacts<'a> {
    /// Modes in which the last step left the constraints.
    pub modes: &'a [ConstraintMode],
    /// Constraints whose gap and slip are those of the last step.
    pub bound: &'a [bool],
    /// Impulse of the gap of every constraint since the start.
    pub impulses: &'a [f64],
}

/// Energy lost since the start, J.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EnergyLosses<'a> {
    /// Constraints with friction.
    pub friction_constraints: &'a [usize],
    /// Energy lost to friction in each of these.
    pub friction: &'a [f64],
    /// Energy lost in impacts of every constraint; empty if there are none.
    pub impacts: &'a [f64],
}
