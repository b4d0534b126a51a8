//! The model as the integrator sees it, with the log of the run.
//!
//! One file per task: right-hand side (`system`), linear systems (`implicit`), event functions (`event_functions`), what follows a step
//! (`hook`), return to the constraints (`manifold`), events of the user (`event_actions`), laws of contact (`contact_laws`), changes of the
//! equations (`restart`, `prescribed`), rows of results (`row`), audit (`audit`, `guard_audit`, `tables`).

mod audit;
mod contact_laws;
mod event_actions;
mod event_functions;
mod followed_errors;
mod guard_audit;
mod hook;
mod implicit;
mod manifold;
mod prescribed;
mod restart;
mod row;
mod smoothness;
mod system;
mod tables;

use self::audit::AuditScope;
use self::contact_laws::DecisionState;
pub(super) use self::event_functions::RestingEvent;
use self::manifold::ROUND_OFF_TOLERANCE;
use self::restart::ModelGuards;
use self::row::LastRow;
use crate::audit::RunTolerances;
use crate::dynamics::{Dynamics, SolverSettings};
use crate::equations::{Equations, MarkerKinematics};
use crate::events::{ContactSwitches, Event, EventRequest, ProgressGuard};
use crate::mathematics::magnitude::largest_magnitude;
use crate::model::break_search::{BreakSearch, GuardedElement, RapidChangeSearch};
use crate::model::{Model, ReactionSharing};
use crate::results::WorkTracking;
use crate::simulation::run::RunLog;
use crate::solution::{
    Cause, Columns, EnergyLosses, MeasureInput, Outcome, PeakMonitor, RecordedState, Recorder, Table,
};
use crate::state::State;
use taut_ode::System;

/// A model during a run, with everything that the run has recorded so far.
pub(crate) struct TransientProblem<'m> {
    pub dynamics: Dynamics<'m>,
    pub log: RunLog,
    pub work: WorkTracking,
    pub events: Vec<Box<dyn Event>>,
    /// Events of the present moment whose functions still count as zero.
    pub resting_events: Vec<RestingEvent>,
    pub resets: u64,
    pub solves: u64,
    /// The element behind the last failure.
    pub cause: Cause,
    /// The laws at work.
    pub contact_switches: ContactSwitches,
    /// Energy lost in impacts so far, by constraint.
    pub impact_losses: Vec<f64>,
    /// Work done by jumps so far.
    pub jump_work: f64,
    /// Outcome of a run that an event or a law has ended.
    pub own_outcome: Option<Outcome>,
    /// When the last jump was.
    jumped_at: Option<f64>,
    /// Changes that an event has requested and that are still to be carried out.
    requests: Vec<EventRequest>,
    /// Constraints whose friction loss is integrated.
    friction_constraints: Vec<usize>,
    /// Whether the events of this moment have been decided.
    decided: DecisionState,
    pub progress_guard: ProgressGuard,
    audit_scope: AuditScope,
    /// How redundant joints share their load in the rows.
    pub reaction_sharing: ReactionSharing,
    /// Whether the next evaluation is at the end of a step.
    pub ends_step: bool,
    /// Search for peaks between rows, and the rows recorded at them.
    pub peaks: Option<PeakMonitor>,
    pub samples: Table,
    /// Tolerances that the audit checks the run against, and the end of the run.
    pub tolerances: RunTolerances,
    pub t_end: f64,
    /// M v, for the audit.
    momentum: Vec<f64>,
    /// Residual of a gap after a step above which its features must have changed sides.
    feature_change_residual: f64,
    /// Whether all steps are recorded, so that both sides of a jump are.
    pub both_sides: bool,
    /// End of the last step.
    t_step_end: f64,
    /// Work done up to its start and up to its end.
    work_of_step: [f64; 2],
    /// Its length.
    pub step: f64,
    /// Start of the step attempted last.
    t_step_start: f64,
    /// Whether the last step ended on the manifold.
    pub on_manifold: bool,
    /// Longest step in which compliant contacts can be followed.
    longest_compliant_step: Option<f64>,
    /// |φ| left at the start: contradicting constraints keep it.
    pub initial_residual: f64,
    /// |φ̇| left at the start.
    pub initial_velocity_residual: f64,
    /// |φ| and |φ̇| that contradictory constraints kept last.
    pub contradictions: [f64; 2],
    scene: MarkerKinematics,
    eq: Equations,
    work_state: Vec<f64>,
    last_output: Option<LastRow>,
    /// Search for breaks; it needs the end of the run.
    pub breaks: Option<BreakSearch>,
    /// Search for rapid changes; none with fixed steps.
    pub rapid: Option<RapidChangeSearch>,
    guarding: ModelGuards,
    /// Elements whose tables the motion has not left yet.
    watched_tables: Vec<GuardedElement>,
    /// Real and imaginary part of σ, for the two factors of implicit methods.
    sigma: [[f64; 2]; 2],
}

impl<'m> TransientProblem<'m> {
    /// At a state. Solves it once for its energy and its residuals.
    pub fn new(
        model: &'m Model,
        state: &State,
        choice: &SolverSettings,
        columns: &Columns,
        work: WorkTracking,
    ) -> TransientProblem<'m> {
        let mut dynamics = Dynamics::at(model, state, choice);
        // A failure comes back in the first step, which reports it.
        let _ = dynamics.solve_accelerations(state.t, &state.q, &state.v, &state.z);
        let (kinetic, potential) = dynamics.energy(&state.q, &state.v, &state.z, state.t);
        let State { t, q, v, z, .. } = state;
        let energy_at_start = kinetic + potential;
        let known = (work != WorkTracking::Unknown).then_some(0.0);
        let (rubbing, none) = (friction_constraints(model).collect::<Vec<_>>(), vec![0.0; model.constraints.len()]);
        let lost = EnergyLosses { friction_constraints: &rubbing, friction: &none[..rubbing.len()], impacts: &none };
        let moment = RecordedState {
            t: *t,
            q,
            v,
            z,
            work: known,
            lost,
            energy_at_start,
            step: 0.0,
            stepping_contacts: None,
            independent_rows: false,
        };
        let recorder = Recorder::new(&dynamics, moment, columns);
        let held = largest_magnitude(&dynamics.eq.phi).0;
        let kept_rate = largest_magnitude(dynamics.eq.phidot.last()).0;
        let switches = ContactSwitches::new(model, &dynamics.row_scales);
        let length = dynamics.dimension() + usize::from(work == WorkTracking::Integrated) + rubbing.len();
        TransientProblem {
            scene: dynamics.kinematics.clone(),
            eq: dynamics.eq.clone(),
            dynamics,
            log: RunLog::new(recorder, energy_at_start),
            work,
            events: Vec::new(),
            resting_events: Vec::new(),
            resets: 0,
            solves: 1,
            cause: Cause::Nobody,
            contact_switches: switches,
            impact_losses: vec![0.0; model.constraints.len()],
            jump_work: 0.0,
            own_outcome: None,
            jumped_at: None,
            requests: Vec::new(),
            friction_constraints: rubbing,
            decided: DecisionState::NotYet,
            progress_guard: ProgressGuard::default(),
            audit_scope: AuditScope::default(),
            reaction_sharing: ReactionSharing::default(),
            ends_step: false,
            peaks: None,
            samples: Table::default(),
            tolerances: RunTolerances::default(),
            t_end: state.t,
            momentum: vec![0.0; model.sizes.v],
            feature_change_residual: model.gap_jump_threshold(),
            both_sides: false,
            t_step_end: state.t,
            work_of_step: [0.0; 2],
            step: 0.0,
            t_step_start: state.t,
            on_manifold: held <= ROUND_OFF_TOLERANCE * (1.0 + largest_magnitude(&state.q).0),
            longest_compliant_step: None,
            initial_residual: if held.is_finite() { held } else { 0.0 },
            initial_velocity_residual: if kept_rate.is_finite() { kept_rate } else { 0.0 },
            contradictions: [0.0; 2],
            work_state: vec![0.0; length],
            last_output: None,
            breaks: None,
            rapid: None,
            guarding: ModelGuards::new(model),
            watched_tables: model.elements_with_finite_tables(),
            sigma: [[1.0, 0.0]; 2],
        }
    }

    /// y of a state, with no work done yet.
    pub fn pack(&self, state: &State) -> Vec<f64> {
        let mut y = vec![0.0; self.dimension()];
        self.dynamics.pack(state, &mut y);
        y
    }

    /// Sets what was recorded last, after a restored checkpoint.
    pub fn set_recorded(&mut self, last: Option<(f64, Vec<f64>)>) {
        self.last_output = last.map(|(t, y)| LastRow { t, y, modes: self.dynamics.modes.clone() });
    }

    /// When a state was last recorded.
    pub fn recorded(&self) -> Option<f64> {
        self.last_output.as_ref().map(|row| row.t)
    }

    /// The next step begins at `t` and y.
    pub fn start_step_at(&mut self, t: f64, y: &[f64]) {
        (self.t_step_end, self.t_step_start) = (t, t);
        self.work_of_step = [self.work_done(y); 2];
    }

    /// The last step ends at `t` and y.
    fn end_step_at(&mut self, t: f64, y: &[f64]) {
        self.t_step_end = t;
        self.work_of_step[1] = self.work_done(y);
    }

    /// Tracks angles up to `t` and y, where an event ends the last step.
    fn truncate_angle_step(&mut self, t: f64, y: &[f64]) {
        self.evaluate_for_events(t, y);
        let at = MeasureInput { model: self.dynamics.model, q: y, motions: &self.scene.motions };
        self.log.recorder.angle_tracker.truncate_step(t, &self.log.recorder.measures, at);
    }

    /// Work done since the start. If the power of an element is unknown, only the work of jumps counts.
    fn work_done(&self, y: &[f64]) -> f64 {
        let integrated = match self.work {
            WorkTracking::Integrated => y.get(self.dynamics.dimension()).copied().unwrap_or(0.0),
            WorkTracking::Zero | WorkTracking::Unknown => 0.0,
        };
        integrated + self.jump_work
    }
}

/// Constraints with friction.
fn friction_constraints(model: &Model) -> impl Iterator<Item = usize> {
    (0..model.constraints.len()).filter(|c| model.constraints[*c].has_friction_rows())
}

/// q, v and z in y.
fn split_state<'a>(model: &Model, y: &'a [f64]) -> (&'a [f64], &'a [f64], &'a [f64]) {
    let s = model.sizes;
    let (q, rest) = y.split_at(s.q);
    let (v, rest) = rest.split_at(s.v);
    (q, v, &rest[..s.z])
}
