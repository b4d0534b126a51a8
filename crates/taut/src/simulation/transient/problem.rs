//! The model as the integrator sees it, with the log of the run.
//!
//! One file per task: right-hand side (`system`), linear systems (`implicit`), event functions (`watch`), what follows a step
//! (`hook`), return to the constraints (`manifold`), events of the user (`jump`), laws of contact (`laws`), changes of the
//! equations (`restart`), rows of results (`row`), audit (`audit`, `switching`, `tables`).

mod audit;
mod hook;
mod implicit;
mod jump;
mod laws;
mod manifold;
mod restart;
mod row;
mod switching;
mod system;
mod tables;
mod watch;

use self::audit::Audited;
use self::laws::Decided;
use self::manifold::DOUBTFUL;
use self::restart::Guarding;
pub(super) use self::watch::Rest;
use crate::audit::Promise;
use crate::dynamics::{Choice, Dynamics};
use crate::equations::{Equations, Scene};
use crate::events::{Event, Order, Patience, Switches};
use crate::model::Model;
use crate::model::break_search::{BreakSearch, Guarded, RapidSearch};
use crate::results::Work;
use crate::simulation::run::RunLog;
use crate::solution::{Blame, Columns, Lost, Moment, Outcome, Peaks, Recorder, Table, worst};
use crate::state::State;
use taut_ode::System;

/// A model during a run, with everything that the run has recorded so far.
pub(crate) struct Problem<'m> {
    pub dynamics: Dynamics<'m>,
    pub log: RunLog,
    pub work: Work,
    pub events: Vec<Box<dyn Event>>,
    /// Events of the present moment whose functions still count as zero.
    pub resting: Vec<Rest>,
    pub resets: u64,
    pub solves: u64,
    /// The element behind the last failure.
    pub blame: Blame,
    /// The laws at work.
    pub switches: Switches,
    /// Energy lost in impacts so far, by constraint.
    pub impact_losses: Vec<f64>,
    /// Work done by jumps so far.
    pub jump_work: f64,
    /// Outcome of a run that an event or a law has ended.
    pub ending: Option<Outcome>,
    /// When the last jump was.
    jumped_at: Option<f64>,
    /// Changes that an event has requested and that are still to be carried out.
    orders: Vec<Order>,
    /// Constraints whose friction loss is integrated.
    rubbing: Vec<usize>,
    /// Whether the events of this moment have been decided.
    decided: Decided,
    pub patience: Patience,
    audited: Audited,
    /// Search for peaks between rows, and the rows recorded at them.
    pub peaks: Option<Peaks>,
    pub samples: Table,
    /// Tolerances that the audit checks the run against, and the end of the run.
    pub promise: Promise,
    pub t_end: f64,
    /// M v, for the audit.
    momenta: Vec<f64>,
    /// Residual of a gap after a step above which its features must have changed sides.
    leap: f64,
    /// Whether all steps are recorded, so that both sides of a jump are.
    pub both_sides: bool,
    /// End of the last step.
    pub t_step: f64,
    /// Work done up to its start and up to its end.
    work_of_step: [f64; 2],
    /// Its length.
    pub step: f64,
    /// Its start.
    t_begin: f64,
    /// Whether the last step ended on the manifold.
    pub on_manifold: bool,
    /// Longest step in which compliant contacts can be followed.
    longest: Option<f64>,
    /// |φ| left at the start: contradicting constraints keep it.
    pub held: f64,
    scene: Scene,
    eq: Equations,
    seen: Vec<f64>,
    last_output: Option<(f64, Vec<f64>)>,
    /// Search for breaks; it needs the end of the run.
    pub breaks: Option<BreakSearch>,
    /// Search for rapid changes; none with fixed steps.
    pub rapid: Option<RapidSearch>,
    guarding: Guarding,
    /// Elements whose tables the motion has not left yet.
    tabled: Vec<Guarded>,
    /// Real and imaginary part of σ, for the two factors of implicit methods.
    sigma: [[f64; 2]; 2],
}

impl<'m> Problem<'m> {
    /// At a state. Solves it once for its energy and its residuals.
    pub fn new(model: &'m Model, state: &State, choice: &Choice, columns: &Columns, work: Work) -> Problem<'m> {
        let mut dynamics = Dynamics::at(model, state, choice);
        // A failure comes back in the first step, which reports it.
        let _ = dynamics.accelerate(state.t, &state.q, &state.v, &state.z);
        let (kinetic, potential) = dynamics.energy(&state.q, &state.v, &state.z, state.t);
        let State { t, q, v, z, .. } = state;
        let energy_at_start = kinetic + potential;
        let known = (work != Work::Unknown).then_some(0.0);
        let (rubbing, none) = (rubbing(model).collect::<Vec<_>>(), vec![0.0; model.constraints.len()]);
        let lost = Lost { rubbing: &rubbing, friction: &none[..rubbing.len()], impacts: &none };
        let moment = Moment { t: *t, q, v, z, work: known, lost, energy_at_start, step: 0.0, stepped: None };
        let recorder = Recorder::new(&dynamics, moment, columns);
        let held = worst(&dynamics.eq.phi).0;
        let switches = Switches::new(model, &dynamics.scale);
        let length = dynamics.dimension() + usize::from(work == Work::Integrated) + rubbing.len();
        Problem {
            scene: dynamics.scene.clone(),
            eq: dynamics.eq.clone(),
            dynamics,
            log: RunLog::new(recorder, energy_at_start),
            work,
            events: Vec::new(),
            resting: Vec::new(),
            resets: 0,
            solves: 1,
            blame: Blame::Nobody,
            switches,
            impact_losses: vec![0.0; model.constraints.len()],
            jump_work: 0.0,
            ending: None,
            jumped_at: None,
            orders: Vec::new(),
            rubbing,
            decided: Decided::NotYet,
            patience: Patience::default(),
            audited: Audited::default(),
            peaks: None,
            samples: Table::default(),
            promise: Promise::default(),
            t_end: state.t,
            momenta: vec![0.0; model.sizes.v],
            leap: model.leap(),
            both_sides: false,
            t_step: state.t,
            work_of_step: [0.0; 2],
            step: 0.0,
            t_begin: state.t,
            on_manifold: held <= DOUBTFUL * (1.0 + worst(&state.q).0),
            longest: None,
            held: if held.is_finite() { held } else { 0.0 },
            seen: vec![0.0; length],
            last_output: None,
            breaks: None,
            rapid: None,
            guarding: Guarding::new(model),
            tabled: model.tabled(),
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
        self.last_output = last;
    }

    /// When a state was last recorded.
    pub fn recorded(&self) -> Option<f64> {
        self.last_output.as_ref().map(|(t, _)| *t)
    }

    /// The next step begins at y.
    pub fn start_step_at(&mut self, y: &[f64]) {
        self.work_of_step = [self.work_at(y); 2];
    }

    /// Work done since the start. If the power of an element is unknown, only the work of jumps counts.
    fn work_at(&self, y: &[f64]) -> f64 {
        let integrated = match self.work {
            Work::Integrated => y.get(self.dynamics.dimension()).copied().unwrap_or(0.0),
            Work::Zero | Work::Unknown => 0.0,
        };
        integrated + self.jump_work
    }
}

/// Constraints with friction.
fn rubbing(model: &Model) -> impl Iterator<Item = usize> {
    (0..model.constraints.len()).filter(|c| model.constraints[*c].rubs())
}

/// q, v and z in y.
fn parts<'a>(model: &Model, y: &'a [f64]) -> (&'a [f64], &'a [f64], &'a [f64]) {
    let s = model.sizes;
    let (q, rest) = y.split_at(s.q);
    let (v, rest) = rest.split_at(s.v);
    (q, v, &rest[..s.z])
}
