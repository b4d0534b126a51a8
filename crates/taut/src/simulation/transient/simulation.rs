//! A transient analysis driven from outside: step by step, to a time, or to its end; saved and taken up again.

use super::diagnosis;
use super::problem::{Problem, Rest};
use super::stability;
use super::stiff::{BETWEEN, Finding, Held, Stiff};
use super::{Output, Start, Transient};
use crate::MOST_PAIRS;
use crate::audit::{Audit, Promise};
use crate::bodies::Symmetry;
use crate::drift::{Drift, Weight};
use crate::dynamics::Standing;
use crate::equations::{At, rechart};
use crate::events::{Armed, Occurrence, Patience};
use crate::interruption::Interruption;
use crate::laws::Law;
use crate::model::break_search::{BreakSearch, RapidSearch};
use crate::model::{ConstraintEntry, Model};
use crate::results::Work;
use crate::simulation::{
    AnalysisError, Assembled, Assembly, Ledger, Moved, assemble, check_state, events::Event, positive, wound,
};
use crate::solution::{Blame, Highest, Outcome, Peaks, Solution, Statistics, Table, Turns, Verdict, Warning};
use crate::solvers::PositionJump;
use crate::state::{Mode, State};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};
use taut_ode::{Hook, Loose, Pace, Plan, Record, Refusal, Settings, Steering, Stepper, System, Tolerance, integrate};

/// How much larger than that of the motion the tolerance of the integral of work is. It does not act on the motion, and is to
/// hold back only steps whose own errors happen to vanish.
const WORK_TIMES: f64 = 1e3;

/// Absolute tolerance of integrals of losses: so large that they never steer a step.
const UNGUIDED: f64 = 1e100;

/// The same of methods whose steps nothing else may hold back, in units of that of the motion.
const GUIDED: f64 = 100.0;

/// Whether a simulation can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It can.
    Underway,
    /// It has ended; the outcome says how.
    Ended,
}

/// Why a stretch of the run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Halt {
    /// As planned, or because the run can go no further.
    Planned,
    /// Somebody asked for it.
    Asked,
}

/// A simulation between two steps: everything needed to go on bit by bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The state.
    pub state: State,
    stepper: taut_ode::Checkpoint,
    #[serde(default)]
    before: taut_ode::Statistics,
    turns: Turns,
    standing: Standing,
    #[serde(default)]
    resting: Vec<Rest>,
    energy_at_start: f64,
    step: f64,
    held: f64,
    #[serde(default)]
    on_manifold: bool,
    offsets: Vec<f64>,
    #[serde(default)]
    lifted: Vec<usize>,
    #[serde(default)]
    patience: Patience,
    #[serde(default)]
    audit: Audit,
    #[serde(default)]
    peaks: Option<Highest>,
    impact_losses: Vec<f64>,
    #[serde(default)]
    jump_work: f64,
    #[serde(default)]
    memories: Vec<u64>,
    resets: u64,
    solves: u64,
    rows: usize,
    recorded: Option<f64>,
    events: usize,
    warnings: Vec<Warning>,
}

impl Checkpoint {
    /// Rows recorded from the very start of the run up to here, taken out or not.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Events that had happened up to here.
    pub fn events(&self) -> usize {
        self.events
    }
}

/// A run in progress.
pub struct Simulation<'m> {
    problem: Problem<'m>,
    stepper: Box<dyn Stepper>,
    /// How its steps are chosen.
    how: Settings,
    /// Work of another method before it.
    before: taut_ode::Statistics,
    /// Whether stability holds it back.
    held: Held,
    plan: Plan,
    settings: Transient,
    outcome: Outcome,
    elapsed: Duration,
    interruption: Interruption,
    /// Rows and events of this run that are no longer held here.
    rows_before: usize,
    events_before: usize,
}

impl<'m> Simulation<'m> {
    /// At its start, nothing recorded yet.
    ///
    /// # Errors
    /// Settings that make no sense, a state that does not fit, constraints that cannot be met at the start.
    pub fn new(model: &'m Model, state: &State, settings: &Transient) -> Result<Simulation<'m>, AnalysisError> {
        check_state(model, state)?;
        if model.symmetry() == Symmetry::NonSymmetric && model.constraints.iter().any(|c| c.law != Law::Bilateral) {
            let why =
                "contacts, ropes and friction need bodies with a symmetric mass matrix; describe rotations otherwise";
            return Err(AnalysisError::Inapplicable { method: "event-driven march", why: why.to_string() });
        }
        if settings.integrator == taut_ode::Method::GeneralisedAlpha
            && model.constraints.iter().any(ConstraintEntry::rubs)
        {
            let why =
                "it takes the reactions along, and friction that depends on them is not in its equations; use radau5";
            return Err(AnalysisError::Inapplicable { method: "generalised_alpha", why: why.to_string() });
        }
        if model.contact_pairs() > MOST_PAIRS {
            return Err(AnalysisError::ManyPairs { most: MOST_PAIRS });
        }
        if !settings.t_end.is_finite() || settings.t_end < state.t {
            return Err(AnalysisError::EndTime { t_end: settings.t_end, t: state.t });
        }
        if let Some(PositionJump { constraint, t, by }) = model.position_jump(state, settings.t_end) {
            return Err(AnalysisError::PositionJump { constraint, t, by });
        }
        let times = settings.times(state.t)?;
        check_drift(model, &settings.choice.drift)?;
        if let Some(why) = settings.choice.setup.fault() {
            return Err(AnalysisError::Inapplicable { method: settings.choice.method.name(), why });
        }
        positive("policy.shift", settings.choice.policy.shift)?;
        positive("policy.clamp", settings.choice.policy.clamp)?;
        let (state, warnings) = match settings.start {
            Start::Assemble => {
                // What grips does not brake the velocities of the start; whether it holds them is decided there.
                let mut loose = state.clone();
                let grips = model.constraints.iter().map(|c| c.law == Law::Gripping);
                let modes = loose.modes.iter_mut().zip(grips).filter(|(_, grips)| *grips);
                modes.for_each(|(mode, _)| *mode = Mode::Idle);
                let Assembled { state: mut closed, ledger } = assemble(model, &loose, &Assembly::default())?;
                closed.modes.clone_from(&state.modes);
                let warnings = warnings(&ledger, state);
                (closed, warnings)
            }
            Start::AsGiven => (state.clone(), Vec::new()),
        };
        // The assembly may have turned a body to where its coordinates are singular.
        let mut state = state;
        rechart(model, &mut state.q, &mut state.v, |_, _| {});
        let mut problem = Problem::new(model, &state, &settings.choice, &settings.columns, Work::of(model));
        problem.dynamics.update = settings.update;
        let steering = match settings.pace {
            Pace::Fixed => Steering::Loose,
            Pace::Varying => settings.integrator.steering(),
        };
        let (rtol, atol, span) = (settings.rtol, settings.atol, settings.t_end - state.t);
        let order = settings.integrator.order();
        let varying = settings.pace == Pace::Varying;
        let least_part = settings.integrator.least_part(rtol).filter(|_| varying).unwrap_or(0.0);
        problem.begin_audit(Promise { rtol, atol, steering, order, span, least_part }, &state, settings.t_end);
        if settings.integrator != taut_ode::Method::Rk4 {
            problem.dynamics.expect(settings.rtol);
        }
        if let Some(why) = problem.dynamics.refuses() {
            return Err(AnalysisError::Inapplicable { method: settings.choice.method.name(), why });
        }
        problem.warnings = warnings;
        problem.warnings.extend(wound(model, &state));
        problem.warnings.extend(model.left_out_notice().map(|message| Warning::notice(state.t, message)));
        problem.events.extend(model.events.iter().map(|e| Box::new(Armed::new(e)) as Box<dyn Event>));
        problem.switches.paradox = settings.paradox;
        let mut y = problem.pack(&state);
        problem.begin(state.t, &mut y)?;
        problem.warnings.extend(stability::foresee(&mut problem.dynamics, settings, state.t));
        problem.breaks = Some(BreakSearch::new(state.t, settings.t_end));
        let fixed = settings.pace == Pace::Fixed || settings.integrator == taut_ode::Method::Rk4;
        problem.rapid = (!fixed).then(|| RapidSearch::new(state.t, settings.t_end));
        problem.both_sides = settings.output == Output::Steps;
        // More than this is taken away in time, or grows by itself.
        problem.recorder.table.reserve(times.len().min(1 << 16));
        let tolerance = if problem.dimension() > problem.dynamics.dimension() {
            let own = problem.dynamics.dimension();
            let mut each = vec![settings.atol; problem.dimension()];
            each[own..].fill(UNGUIDED);
            let mut loose = None;
            if problem.work == Work::Integrated {
                each[own] = problem.audit.energy.of_step();
                loose = Some(Loose { from: own, times: WORK_TIMES });
            }
            if settings.integrator == taut_ode::Method::GeneralisedAlpha {
                // Its steps may be long where nothing but the constraints moves, and the power still changes.
                each[own..].fill(GUIDED * settings.atol);
                loose = None;
            }
            Tolerance { loose, ..Tolerance::with_each(settings.rtol, each) }
        } else {
            Tolerance::new(settings.rtol, settings.atol)
        };
        let (h_first, h_max, pace) = (settings.h_first, settings.h_max, settings.pace);
        let how = Settings {
            tolerance,
            h_first,
            h_max,
            pace,
            spectral_radius: settings.spectral_radius,
            span: Some((settings.t_end - state.t).max(0.0)),
            ..Settings::default()
        };
        let stepper = settings.integrator.stepper(state.t, &y, &how)?;
        let mut plan = Plan::to(settings.t_end).at(times);
        if settings.output == Output::Steps {
            plan.record = Record::EveryStep;
        }
        let settings = settings.clone();
        let (outcome, elapsed) = (Outcome::Underway, Duration::ZERO);
        let (before, held) = (taut_ode::Statistics::default(), Held::default());
        Ok(Simulation {
            problem,
            stepper,
            how,
            before,
            held,
            plan,
            settings,
            outcome,
            elapsed,
            interruption: Interruption::default(),
            rows_before: 0,
            events_before: 0,
        })
    }

    /// Lets steps that take long be broken off: the simulation then goes back to where it stood before the call, which
    /// reports progress as if nothing had been asked of it.
    pub fn interrupt(&mut self, interruption: Interruption) {
        self.interruption = interruption;
    }

    /// Watches for an event from now on, besides those of the model, which come first.
    pub fn watch(&mut self, event: Box<dyn Event>) {
        self.problem.events.push(event);
    }

    /// One step of the integrator.
    pub fn step(&mut self) -> Progress {
        self.drive(self.settings.t_end, Some(1))
    }

    /// At most so many steps: the same run as one by one, at less expense.
    pub fn steps(&mut self, most: u64) -> Progress {
        self.drive(self.settings.t_end, Some(most.max(1)))
    }

    /// To a time, which is met exactly; not beyond the end.
    pub fn advance(&mut self, t: f64) -> Progress {
        if t <= self.t() || t.is_nan() {
            return self.progress();
        }
        self.drive(t.min(self.settings.t_end), None)
    }

    /// To the end.
    pub fn run(&mut self) -> Progress {
        self.drive(self.settings.t_end, None)
    }

    /// The present time.
    pub fn t(&self) -> f64 {
        self.stepper.t()
    }

    /// The present state.
    pub fn state(&self) -> State {
        self.problem.dynamics.unpack(self.stepper.t(), self.stepper.y())
    }

    /// How it ended, or that it has not.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Whether it can go on.
    pub fn progress(&self) -> Progress {
        if self.outcome == Outcome::Underway { Progress::Underway } else { Progress::Ended }
    }

    /// The rows recorded and not yet taken.
    pub fn table(&self) -> &Table {
        &self.problem.recorder.table
    }

    /// The events that happened and were not yet taken.
    pub fn events(&self) -> &[Occurrence] {
        &self.problem.occurrences
    }

    /// What deserves a look, up to now.
    pub fn warnings(&self) -> &[Warning] {
        &self.problem.warnings
    }

    /// Looks for peaks of reactions and efforts between the rows from now on, at about three hundredths of the cost of the run.
    /// [`take_samples`](Simulation::take_samples) hands over what is seen there.
    pub fn look_between_rows(&mut self) {
        if self.problem.peaks.is_none() {
            self.problem.peaks = Some(Peaks::of(self.problem.dynamics.model));
            self.problem.samples = self.problem.recorder.table.clone();
            self.problem.samples.truncate(0);
        }
    }

    /// Rows at the peaks that were found between those of the output since the last call.
    /// They replace those in `samples`.
    pub fn take_samples(&mut self, samples: &mut Table) {
        self.problem.samples.take_into(samples);
    }

    /// Whether all peaks between rows that are higher than any before were looked at.
    pub fn saw_all_peaks(&self) -> bool {
        self.problem.peaks.as_ref().is_some_and(|p| !p.missed())
    }

    /// What the audit says of the results up to now.
    pub fn verdict(&self) -> Option<Verdict> {
        Some(Verdict::of(&self.problem.warnings))
    }

    /// Hands over the rows recorded since the last call, so that a long run needs no more memory than a short one. They
    /// are the caller's then: the solution no longer holds them, and a [`restore`](Simulation::restore) to a checkpoint
    /// before them leaves it to the caller to cut them off at [`Checkpoint::rows`].
    pub fn take_rows(&mut self) -> Table {
        let rows = self.problem.recorder.table.take();
        self.rows_before += rows.len();
        rows
    }

    /// The same into a table of an earlier call, whose rows are replaced.
    pub fn take_rows_into(&mut self, rows: &mut Table) {
        self.problem.recorder.table.take_into(rows);
        self.rows_before += rows.len();
    }

    /// Hands over the events since the last call, on the same terms.
    pub fn take_events(&mut self) -> Vec<Occurrence> {
        let events = std::mem::take(&mut self.problem.occurrences);
        self.events_before += events.len();
        events
    }

    /// What was found up to now, and not taken.
    pub fn solution(&self) -> Solution {
        Solution {
            outcome: self.outcome.clone(),
            statistics: self.statistics(),
            events: self.problem.occurrences.clone(),
            verdict: self.verdict(),
            warnings: self.problem.warnings.clone(),
            table: self.problem.recorder.table.clone(),
            elapsed: self.elapsed,
            last: self.state(),
        }
    }

    /// What was found and not taken, without a copy.
    pub fn into_solution(mut self) -> Solution {
        let (statistics, last, verdict) = (self.statistics(), self.state(), self.verdict());
        Solution {
            outcome: self.outcome,
            statistics,
            events: self.problem.occurrences,
            verdict,
            warnings: self.problem.warnings,
            table: std::mem::take(&mut self.problem.recorder.table),
            elapsed: self.elapsed,
            last,
        }
    }

    /// Everything needed to go on from here, in this or another simulation of the same model and settings.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            state: self.state(),
            stepper: self.stepper.save(),
            before: self.before,
            turns: self.problem.recorder.turns.clone(),
            standing: self.problem.dynamics.standing(),
            energy_at_start: self.problem.energy_at_start,
            step: self.problem.step,
            held: self.problem.held,
            on_manifold: self.problem.on_manifold,
            offsets: self.problem.switches.offsets(),
            lifted: self.problem.switches.lifted().to_vec(),
            patience: self.problem.patience,
            audit: self.problem.audit.clone(),
            peaks: self.problem.peaks.as_ref().map(|p| p.highest.clone()),
            impact_losses: self.problem.impact_losses.clone(),
            jump_work: self.problem.jump_work,
            memories: self.problem.events.iter().map(|e| e.memory()).collect(),
            resting: self.problem.resting.clone(),
            resets: self.problem.resets,
            solves: self.problem.solves,
            rows: self.rows_before + self.problem.recorder.table.len(),
            recorded: self.problem.recorded(),
            events: self.events_before + self.problem.occurrences.len(),
            warnings: self.problem.warnings.clone(),
        }
    }

    /// Goes back, or on, to a checkpoint; rows recorded after it are dropped, those taken already excepted.
    ///
    /// # Errors
    /// A checkpoint of another model or integrator.
    pub fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), AnalysisError> {
        check_state(self.problem.dynamics.model, &checkpoint.state)?;
        if checkpoint.stepper.method() != self.stepper.save().method() && self.settings.stiff == Stiff::Switch {
            // The run had gone over to another method.
            self.stepper = checkpoint.stepper.method().stepper(self.t(), self.stepper.y(), &self.how)?;
        }
        let untouched = self.stepper.statistics().accepted == 0 && self.before == taut_ode::Statistics::default();
        self.stepper.restore(&checkpoint.stepper)?;
        self.before = checkpoint.before;
        let problem = &mut self.problem;
        problem.dynamics.modes.clone_from(&checkpoint.state.modes);
        problem.dynamics.engage(At::from(&checkpoint.state));
        problem.switches.recall(&checkpoint.offsets, &checkpoint.lifted);
        (problem.patience, problem.audit) = (checkpoint.patience, checkpoint.audit.clone());
        if let (Some(peaks), Some(highest)) = (&mut problem.peaks, &checkpoint.peaks) {
            peaks.highest.clone_from(highest);
        }
        problem.ending = None;
        problem.impact_losses.clone_from(&checkpoint.impact_losses);
        problem.jump_work = checkpoint.jump_work;
        problem.events.iter_mut().zip(&checkpoint.memories).for_each(|(e, memory)| e.recall(*memory));
        problem.recorder.turns.clone_from(&checkpoint.turns);
        problem.dynamics.resume(&checkpoint.standing);
        problem.energy_at_start = checkpoint.energy_at_start;
        problem.step = checkpoint.step;
        problem.t_step = checkpoint.state.t;
        problem.start_step_at(self.stepper.y());
        problem.resting.clone_from(&checkpoint.resting);
        (problem.held, problem.on_manifold) = (checkpoint.held, checkpoint.on_manifold);
        problem.follow_depths(checkpoint.state.t, self.stepper.y());
        (problem.resets, problem.solves) = (checkpoint.resets, checkpoint.solves);
        problem.warnings.clone_from(&checkpoint.warnings);
        // Rows are counted from the start of the run, wherever they are now.
        let table = &mut problem.recorder.table;
        table.truncate(checkpoint.rows.saturating_sub(self.rows_before));
        self.rows_before = checkpoint.rows - table.len();
        // What happened at the start was told by the run that is taken up.
        if untouched {
            problem.occurrences.clear();
        }
        problem.occurrences.truncate(checkpoint.events.saturating_sub(self.events_before));
        self.events_before = checkpoint.events - problem.occurrences.len();
        // What was recorded at this very time need not be again.
        problem.set_recorded(checkpoint.recorded.map(|t| (t, self.stepper.y().to_vec())));
        self.outcome = Outcome::Underway;
        Ok(())
    }

    /// Looks now and then whether stability holds the steps back.
    fn drive(&mut self, t_stop: f64, steps: Option<u64>) -> Progress {
        let explicit = taut_ode::Method::EXPLICIT.iter().any(|m| m.name() == self.stepper.name());
        if !explicit || self.settings.stiff == Stiff::Ignore {
            self.stretch(t_stop, steps);
            return self.progress();
        }
        let mut left = steps;
        loop {
            // Counted from the start of the run, so that it does not matter in how many parts it is made.
            let ahead = BETWEEN - self.work().accepted % BETWEEN;
            let now = left.map_or(ahead, |left| left.min(ahead));
            let (halt, t) = (self.stretch(t_stop, Some(now)), self.t());
            left = left.map(|left| left - now);
            let is_due = self.work().accepted.is_multiple_of(BETWEEN);
            let ends = self.progress() == Progress::Ended || t >= t_stop || halt == Halt::Asked;
            if ends || (left == Some(0) && !is_due) {
                return self.progress();
            }
            if !is_due {
                continue;
            }
            let model = self.problem.dynamics.model;
            match self.held.look(model, &*self.stepper, &self.settings) {
                Finding::Fine => {}
                Finding::Propose(warning) => self.problem.warnings.push(warning),
                Finding::Switch(warning, method) => {
                    let how = Settings { h_first: None, ..self.how.clone() };
                    if let Ok(stepper) = method.stepper(t, self.stepper.y(), &how) {
                        self.problem.warnings.push(warning);
                        self.before = self.work();
                        self.stepper = stepper;
                        return self.drive(t_stop, left);
                    }
                }
            }
            if left == Some(0) {
                return self.progress();
            }
        }
    }

    /// Work of all methods so far.
    fn work(&self) -> taut_ode::Statistics {
        let (a, b) = (self.before, self.stepper.statistics());
        taut_ode::Statistics {
            evaluations: a.evaluations + b.evaluations,
            accepted: a.accepted + b.accepted,
            rejected: a.rejected + b.rejected,
            refused: a.refused + b.refused,
        }
    }

    fn stretch(&mut self, t_stop: f64, steps: Option<u64>) -> Halt {
        if self.progress() == Progress::Ended {
            return Halt::Asked;
        }
        let clock = Instant::now();
        let used = self.work().accepted;
        let left = self.settings.limits.max_steps.map(|most| most.saturating_sub(used));
        self.plan.t_end = t_stop;
        self.plan.limits.max_steps = match (left, steps) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        self.plan.limits.wall_clock = self.settings.limits.wall_clock.map(|most| most.saturating_sub(self.elapsed));
        let interruption = self.interruption_of(clock);
        let before = (!interruption.is_none()).then(|| self.checkpoint());
        let (run, broken_off) = interruption.within(|| integrate(&mut *self.stepper, &mut self.problem, &self.plan));
        self.elapsed += clock.elapsed();
        if let (true, Some(before)) = (broken_off, before) {
            return self.go_back(&before);
        }
        let t = self.stepper.t();
        let own = self.problem.ending.take();
        let halt = match &run {
            Ok(r) if matches!(r.outcome, taut_ode::Outcome::Stopped { .. }) => Halt::Asked,
            _ => Halt::Planned,
        };
        self.outcome = match run.map(|r| r.outcome) {
            Ok(_) if own.is_some() => own.unwrap_or(Outcome::Underway),
            Ok(taut_ode::Outcome::Finished) if t < self.settings.t_end => Outcome::Underway,
            Ok(taut_ode::Outcome::Finished) => Outcome::Finished,
            Ok(taut_ode::Outcome::Stopped { .. }) => Outcome::Underway,
            Ok(taut_ode::Outcome::MaxSteps) if left.is_some_and(|l| l <= steps.unwrap_or(u64::MAX)) => {
                Outcome::MaxSteps { t }
            }
            Ok(taut_ode::Outcome::MaxSteps) => Outcome::Underway,
            Ok(taut_ode::Outcome::WallClock) => Outcome::WallClock { t },
            Ok(taut_ode::Outcome::Event { index, t }) => match self.problem.events.get(index) {
                Some(event) => Outcome::Event { name: event.name().to_string(), t },
                None => Outcome::Underway,
            },
            Ok(taut_ode::Outcome::StepTooSmall { t, h }) => self.too_small(t, h),
            // Not the constraints, but the iteration of an implicit method: something changes too fast for it.
            Ok(taut_ode::Outcome::Refused { t, refusal: Refusal::NotConverged })
                if !matches!(self.problem.blame, Blame::Constraint { .. }) =>
            {
                self.too_small(t, f64::EPSILON * (1.0 + t.abs()))
            }
            Ok(taut_ode::Outcome::Refused { t, refusal: Refusal::NotConverged }) => {
                Outcome::ConstraintsLost { t, blame: self.problem.blame.clone() }
            }
            Ok(taut_ode::Outcome::Refused { t, .. }) => Outcome::NotFinite { t, blame: self.problem.blame.clone() },
            // The plan was checked with the settings; an end in the past is no motion.
            Err(_) => Outcome::StepTooSmall { t, h: 0.0, blame: Blame::Nobody },
        };
        if self.outcome != Outcome::Underway {
            let steps = self.work().accepted;
            self.problem.end_audit(t, self.stepper.y(), steps);
        }
        let cut_short = !matches!(self.outcome, Outcome::Underway | Outcome::Finished);
        if cut_short && self.problem.recorded() != Some(t) {
            let y = self.stepper.y().to_vec();
            self.problem.output(t, &y);
        }
        halt
    }

    /// What may break off a stretch that begins now. Steps without contacts are short, and end by themselves.
    fn interruption_of(&self, clock: Instant) -> Interruption {
        let mut interruption = self.interruption;
        if self.problem.switches.watched().is_empty() {
            return Interruption::default();
        }
        if let Some(deadline) = self.plan.limits.wall_clock.and_then(|left| clock.checked_add(left)) {
            interruption.deadline = Some(interruption.deadline.map_or(deadline, |given| given.min(deadline)));
        }
        interruption
    }

    /// After a computation that was broken off.
    fn go_back(&mut self, before: &Checkpoint) -> Halt {
        self.problem.ending = None;
        let restored = self.restore(before);
        let out_of_time = self.settings.limits.wall_clock.is_some_and(|most| self.elapsed >= most);
        if out_of_time || restored.is_err() {
            self.outcome = Outcome::WallClock { t: self.t() };
        }
        Halt::Asked
    }

    fn too_small(&mut self, t: f64, h: f64) -> Outcome {
        let y = self.stepper.y().to_vec();
        let tolerance = (self.settings.rtol, self.settings.atol);
        Outcome::StepTooSmall { t, h, blame: diagnosis::fastest(&mut self.problem, t, &y, h, tolerance) }
    }

    /// What it took up to now.
    pub fn statistics(&self) -> Statistics {
        let s = self.work();
        Statistics {
            steps: s.accepted,
            rejected: s.rejected,
            refused: s.refused,
            evaluations: s.evaluations,
            resets: self.problem.resets,
            factorisations: s.evaluations + self.problem.resets + self.problem.solves,
        }
    }
}

/// What the assembly of the start did beyond round-off.
fn warnings(ledger: &Ledger, given: &State) -> Vec<Warning> {
    const NOTICED: f64 = 1e-6;
    let (t, mut list) = (given.t, Vec::new());
    // Bodies given at rest are expected to take the velocities that drivers ask for.
    let velocities_given = given.v.iter().any(|v| *v != 0.0);
    let far = |m: &Moved| m.translation.max(m.rotation).max(if velocities_given { m.velocity } else { 0.0 });
    if let Some(m) = ledger.moved.iter().max_by(|a, b| far(a).total_cmp(&far(b)))
        && far(m) > NOTICED
    {
        let parts = [(m.translation, " m"), (m.rotation, " rad"), (m.velocity, " in its velocities")];
        let told = parts.iter().filter(|(x, _)| *x > NOTICED).map(|(x, unit)| format!("{x:.3e}{unit}"));
        let message = format!(
            "the start did not meet the constraints: body `{}` was moved most, by {}; `assemble` tells the rest",
            m.body,
            told.collect::<Vec<_>>().join(", ")
        );
        list.push(Warning::notice(t, message));
    }
    for joint in &ledger.flipped {
        let message = format!("joint `{joint}` came together with its axes opposed; give a start turned the other way");
        list.push(Warning::notice(t, message));
    }
    list
}

fn check_drift(model: &Model, drift: &Drift) -> Result<(), AnalysisError> {
    for (name, found) in drift.numbers() {
        if !found.is_finite() || found < 0.0 {
            return Err(AnalysisError::Setting { name, found });
        }
    }
    if let (Drift::Energy(_), Work::Unknown) = (drift, Work::of(model)) {
        let why = "the energy balance of this model is not known: some of its forces or bodies do not tell their power";
        return Err(AnalysisError::Inapplicable { method: drift.name(), why: why.to_string() });
    }
    match drift.weight() {
        Some(Weight::Diagonal(w)) => {
            let good = w.len() == model.sizes.v && w.iter().all(|w| w.is_finite() && *w > 0.0);
            if good { Ok(()) } else { Err(AnalysisError::Weights { found: w.len(), needed: model.sizes.v }) }
        }
        _ => Ok(()),
    }
}
