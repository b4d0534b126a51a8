//! A march driven from outside: step by step, to a time, or to its end.

use super::Stepping;
use super::detect::Detector;
use super::losses::{Losses, beyond_forces, other_laws};
use super::notices::Notices;
use super::rows::of_surfaces;
use super::scheme::{Scheme, Stop};
use crate::BreakSearch;
use crate::audit::Audit;
use crate::complementarity::sweep;
use crate::events::{After, Look};
use crate::events::{Happening, Occurrence};
use crate::laws::Law;
use crate::model::Model;
use crate::simulation::transient::{Output, Progress, Start};
use crate::simulation::{AnalysisError, Assembly, assemble, check_state, wound};
use crate::solution::{Column, Family, Outcome, Recorder, Severity, Solution, Statistics, Table, Verdict, Warning};
use crate::state::{Mode, State};
use std::time::{Duration, Instant};

/// Share of a step by which a step may be longer to meet a time.
const STRETCH: f64 = 1e-6;
/// Residual of the laws of contact, relative, from which on the forces of a step are doubtful.
const UNMET: f64 = 1e-4;

/// Energy that contacts may give in a step without a word, relative to that of the run. A body that leaves a contact slower
/// than its weight lets it come back in the same step can gain m (g h)²/8.
const GAINED: f64 = 1e-5;

/// Columns of contact: name, unit, meaning.
const COLUMNS: [(&str, &str, &str); 5] = [
    ("contact.count", "1", "number of contacts that press"),
    ("contact.penetration", "m", "largest penetration"),
    ("contact.lost", "J", "energy that contacts and grips have taken since the start"),
    ("contact.lifted", "J", "energy that corrections of penetration have put in since the start"),
    ("contact.sweeps", "1", "sweeps of the last step"),
];

/// Columns of a surface whose contacts are no constraints: what follows its name, unit, meaning.
const SUMS: [(&str, &str, &str); 4] = [
    ("contact_fx", "N", "x force of all contacts on surface"),
    ("contact_fy", "N", "y force of all contacts on surface"),
    ("contact_fz", "N", "z force of all contacts on surface"),
    ("contact_impulse", "N s", "impulse along the normals since the start of all contacts of surface"),
];

fn of_surface(name: &str) -> impl Iterator<Item = Column> {
    SUMS.iter().map(move |(short, unit, meaning)| Column {
        name: format!("{name}.{short}"),
        unit: unit.to_string(),
        meaning: format!("{meaning} `{name}`"),
        data: Vec::new(),
    })
}

/// A run in progress.
#[derive(Debug)]
pub struct March<'m> {
    pub(super) scheme: Scheme<'m>,
    pub(super) settings: Stepping,
    pub(super) recorder: Recorder,
    pub(super) times: Vec<f64>,
    /// The next of these times.
    pub(super) next: usize,
    pub(super) recorded: Option<f64>,
    pub(super) energy_at_start: f64,
    pub(super) losses: Losses,
    pub(super) audit: Audit,
    pub(super) notices: Notices,
    pub(super) events: Vec<Occurrence>,
    pub(super) length: f64,
    pub(super) steps: u64,
    pub(super) outcome: Outcome,
    pub(super) warnings: Vec<Warning>,
    elapsed: Duration,
    pub(super) t_start: f64,
    /// Times at which forces and drivers are not smooth: no step crosses one.
    breaks: BreakSearch,
    /// Whether the last step was given up because the caller asked for it.
    interrupted: bool,
    /// Surfaces whose sums are columns.
    surfaces: Vec<usize>,
    /// Rows and events of this run that are no longer held here.
    pub(super) rows_before: usize,
    pub(super) events_before: usize,
}

impl<'m> March<'m> {
    /// At its start, nothing recorded yet.
    ///
    /// # Errors
    /// Settings that make no sense, a state that does not fit, joints that cannot be met at the start, compliant contacts
    /// of more pairs than become forces.
    pub fn new(model: &'m Model, state: &State, settings: &Stepping) -> Result<March<'m>, AnalysisError> {
        check_state(model, state)?;
        let times = settings.times(state.t)?;
        if let Some(why) = Scheme::refuses(model).or_else(|| beyond_forces(model)) {
            return Err(AnalysisError::Inapplicable { method: "time stepping", why });
        }
        let mut state = state.clone();
        for (_, mode) in model.constraints.iter().zip(&mut state.modes).filter(|(c, _)| of_surfaces(c)) {
            *mode = Mode::Idle;
        }
        if settings.start == Start::Assemble {
            // What grips does not brake the velocities of the start.
            let given = state.modes.clone();
            let grips = model.constraints.iter().zip(&mut state.modes).filter(|(c, _)| c.law == Law::Gripping);
            grips.for_each(|(_, mode)| *mode = Mode::Idle);
            state = assemble(model, &state, &Assembly::default())?.state;
            state.modes = given;
        }
        let how = sweep::Settings {
            tolerance: settings.tolerance,
            sweeps: settings.max_sweeps,
            ..sweep::Settings::default()
        };
        let mut scheme = Scheme::new(model, &state, Detector::new(model), how, settings.step);
        scheme.foretell(settings.step.min((settings.t_end - state.t).max(f64::MIN_POSITIVE)));
        scheme.present();
        let (kinetic, potential) = scheme.dynamics.energy(&state.q, &state.v, &state.z, state.t);
        let energy_at_start = kinetic + potential;
        let losses = Losses::new(model);
        let moment = losses.moment(&state, &scheme.account, energy_at_start, 0.0);
        let mut recorder = Recorder::new(&scheme.dynamics, moment, &settings.columns);
        let more = COLUMNS.iter().map(|(name, unit, meaning)| Column {
            name: name.to_string(),
            unit: unit.to_string(),
            meaning: meaning.to_string(),
            data: Vec::new(),
        });
        // Where contacts are no constraints, their sums are told surface by surface.
        let summed = settings.columns.shows(Family::Contacts) && !scheme.account.lists_pairs();
        let surfaces: Vec<usize> = (0..model.surfaces.len()).filter(|_| summed).collect();
        let sums = surfaces.iter().flat_map(|s| of_surface(&model.surfaces[*s].name));
        recorder.table = recorder.table.columns().iter().cloned().chain(sums).chain(more).collect();
        let mut march = March {
            scheme,
            settings: settings.clone(),
            recorder,
            times,
            next: 0,
            recorded: None,
            energy_at_start,
            losses,
            audit: Audit::default(),
            notices: Notices::new(model),
            events: Vec::new(),
            length: 0.0,
            steps: 0,
            outcome: Outcome::Underway,
            warnings: other_laws(model, state.t)
                .into_iter()
                .chain(model.left_out_notice().map(|message| Warning::notice(state.t, message)))
                .chain(wound(model, &state))
                .collect(),
            elapsed: Duration::ZERO,
            t_start: state.t,
            breaks: BreakSearch::new(state.t, settings.t_end),
            interrupted: false,
            surfaces,
            rows_before: 0,
            events_before: 0,
        };
        march.look_at_start();
        march.notice();
        march.output();
        if march.t() >= settings.t_end {
            march.outcome = Outcome::Finished;
        }
        Ok(march)
    }

    /// Bodies that begin inside each other are pushed apart by the first step, and the reader should know.
    fn look_at_start(&mut self) {
        let detector = &self.scheme.detector;
        if let (deep, Some(contact)) = detector.deepest()
            && deep > 1e-4 * detector.size(detector.contacts[contact].pair)
        {
            let message = format!(
                "surfaces begin {deep:.3e} m inside each other: {}; the first step moves them apart",
                detector.name(contact)
            );
            self.warnings.push(Warning::notice(self.t(), message));
        }
    }

    /// One step.
    pub fn step(&mut self) -> Progress {
        self.drive(self.settings.t_end, Some(1))
    }

    /// At most so many steps.
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

    fn drive(&mut self, t_stop: f64, steps: Option<u64>) -> Progress {
        let clock = Instant::now();
        self.interrupted = false;
        let mut left = steps.unwrap_or(u64::MAX);
        while self.outcome == Outcome::Underway && left > 0 && self.t() < t_stop {
            if self.settings.limits.max_steps.is_some_and(|most| self.steps >= most) {
                self.outcome = Outcome::MaxSteps { t: self.t() };
                break;
            }
            if self.settings.limits.wall_clock.is_some_and(|most| self.elapsed + clock.elapsed() >= most) {
                self.outcome = Outcome::WallClock { t: self.t() };
                break;
            }
            self.take_step(t_stop);
            if self.interrupted {
                break;
            }
            left -= 1;
        }
        self.elapsed += clock.elapsed();
        if self.outcome != Outcome::Underway && !self.interrupted {
            self.end_audit();
        }
        let cut_short = !matches!(self.outcome, Outcome::Underway | Outcome::Finished);
        if cut_short && self.recorded != Some(self.t()) {
            self.record();
        }
        self.progress()
    }

    fn take_step(&mut self, t_stop: f64) {
        let t = self.t();
        let output = self.times[self.next..].first().map_or(f64::INFINITY, |x| *x);
        let target = t_stop.min(self.settings.t_end).min(output);
        let saved = self.scheme.save();
        let (start, target, mut went) = match self.breaks.next(self.scheme.model, t) {
            // What comes after a break begins there.
            Some(at) if t >= at.before => {
                let next = self.breaks.next(self.scheme.model, at.after).map_or(target, |next| target.min(next.before));
                (at.after, next, self.scheme.pass_break(at.after))
            }
            Some(at) => (t, target.min(at.before), Ok(())),
            None => (t, target, Ok(())),
        };
        if went.is_ok() && start < target {
            let full = self.scheme.stride(self.settings.step);
            let t_end = if start + full * (1.0 + STRETCH) >= target { target } else { start + full };
            self.length = t_end - start;
            went = self.scheme.step(self.length, t_end);
        }
        if let Err(stop) = went {
            // The last state that has values is the last of the run.
            self.scheme.restore(&saved);
            self.scheme.present();
            self.outcome = match stop {
                Stop::NotFinite(blame) => Outcome::NotFinite { t, blame },
                Stop::ConstraintsLost(blame) => Outcome::ConstraintsLost { t, blame },
                Stop::PositionJump(blame) => Outcome::PositionJump { t, blame },
                Stop::Interrupted => {
                    self.interrupted = true;
                    return;
                }
            };
            return;
        }
        for (c, impulse) in std::mem::take(&mut self.scheme.jumps) {
            let name = &self.scheme.model.constraints[c].name;
            self.events.push(Occurrence { impulse, ..Occurrence::new(name, c, start, Happening::VelocityJump) });
        }
        let t_end = self.t();
        self.steps += 1;
        self.look_at_step();
        self.audit_step();
        if t_end >= self.settings.t_end {
            self.outcome = Outcome::Finished;
        }
        self.notice();
        self.output();
    }

    /// Brings the search for breaks to the present time as a march from the start does, so that both find the same bits.
    pub(super) fn replay_breaks(&mut self) {
        let (model, t) = (self.scheme.model, self.t());
        self.breaks = BreakSearch::new(self.t_start, self.settings.t_end);
        let mut at = self.t_start;
        while let Some(found) = self.breaks.next(model, at).filter(|found| found.before < t) {
            at = found.after;
        }
    }

    /// Counts angles through their turns, and looks for events that the step has crossed.
    fn notice(&mut self) {
        if self.notices.is_empty() && self.recorder.gauges.is_empty() {
            return;
        }
        self.scheme.present();
        let motions = &self.scheme.dynamics.scene.motions;
        self.recorder.turns.advance(self.scheme.state.t, &self.recorder.gauges, motions);
        let State { t, q, v, z, .. } = &self.scheme.state;
        let seen = Look { t: *t, q, v, z, model: self.scheme.dynamics.model, motions, recorder: &self.recorder };
        for notice in self.notices.look(&seen) {
            if notice.after == After::Stop && !matches!(self.outcome, Outcome::Event { .. }) {
                self.outcome = Outcome::Event { name: notice.told.name.clone(), t: self.scheme.state.t };
            }
            if notice.records && self.recorded != Some(self.t()) {
                self.record();
            }
            self.events.push(notice.told);
        }
    }

    /// What a step left that the reader should know; each is told once.
    fn look_at_step(&mut self) {
        if let Some((residual, name)) = &self.scheme.worst {
            let kind = "the laws of contact were not met to the tolerance";
            let message = format!(
                "{kind}: {name} was worst, with a residual of {residual:.2e}; allow more sweeps or take a shorter step"
            );
            let severity = if *residual > UNMET { Severity::Doubtful } else { Severity::Notice };
            // The worst of the run replaces what was told before.
            match self.warnings.iter_mut().find(|w| w.message.starts_with(kind)) {
                Some(told) => (told.message, told.severity) = (message, severity),
                None => {
                    let told = Warning::notice(self.scheme.state.t, message);
                    self.warnings.push(Warning { severity, ..told });
                }
            }
        }
        if let Some(name) = self.breaks.incomplete().first().cloned() {
            self.warn("not all times were found at which forces or drivers are not smooth", || {
                format!(": `{name}` has too many of them; take a shorter step")
            });
        }
        let gained = self.scheme.tally.gained;
        if gained > GAINED * (self.energy_at_start.abs() + self.scheme.tally.lost.abs()) {
            self.warn("contacts gave energy in a step", || {
                format!(
                    ": {gained:.2e} J; Newton's law of impact can, where friction or several contacts take part with \
                     unequal restitution"
                )
            });
        }
    }

    fn warn(&mut self, kind: &str, message: impl FnOnce() -> String) {
        if !self.warnings.iter().any(|w| w.message.starts_with(kind)) {
            self.warnings.push(Warning::notice(self.t(), format!("{kind}{}", message())));
        }
    }

    /// Records the present state if it is to be recorded.
    fn output(&mut self) {
        let t = self.t();
        let mut due = self.settings.output == Output::Steps;
        while self.times[self.next..].first().is_some_and(|x| *x <= t) {
            due |= self.times[self.next] == t;
            self.next += 1;
        }
        if due && self.recorded != Some(t) {
            self.record();
        }
    }

    fn record(&mut self) {
        self.recorded = Some(self.t());
        self.scheme.present();
        self.losses.take(&self.scheme.tally, &self.scheme.account.entries);
        let Scheme { state, account, .. } = &self.scheme;
        let moment = self.losses.moment(state, account, self.energy_at_start, self.length);
        self.recorder.record(&self.scheme.dynamics, moment);
        let tally = &self.scheme.tally;
        let found = [tally.pressing as f64, tally.penetration, tally.lost, tally.lifted, tally.sweeps as f64];
        let loads = self.surfaces.iter().map(|s| &self.scheme.account.loads[*s]);
        let sums = loads.flat_map(|load| load.force.into_iter().chain([load.impulse]));
        let columns = self.recorder.table.columns_mut();
        let first = columns.len() - COLUMNS.len() - SUMS.len() * self.surfaces.len();
        columns[first..].iter_mut().zip(sums.chain(found)).for_each(|(column, x)| column.data.push(x));
    }

    /// The present time.
    pub fn t(&self) -> f64 {
        self.scheme.state.t
    }

    /// The present state.
    pub fn state(&self) -> &State {
        &self.scheme.state
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
        &self.recorder.table
    }

    /// What deserves a look, up to now.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// What the audit says of the results up to now.
    pub fn verdict(&self) -> Option<Verdict> {
        Some(Verdict::of(&self.warnings))
    }

    /// Hands over the rows recorded since the last call, so that a long run needs no more memory than a short one.
    pub fn take_rows(&mut self) -> Table {
        let rows = self.recorder.table.take();
        self.rows_before += rows.len();
        rows
    }

    /// Hands over the events met since the last call.
    pub fn take_events(&mut self) -> Vec<Occurrence> {
        let events = std::mem::take(&mut self.events);
        self.events_before += events.len();
        events
    }

    /// Sweeps of the last step over the largest island.
    pub fn sweeps(&self) -> usize {
        self.scheme.tally.sweeps
    }

    /// Largest penetration after the last step, m.
    pub fn penetration(&self) -> f64 {
        self.scheme.tally.penetration
    }

    /// Number of bodies at rest that are left alone until something reaches them.
    pub fn sleeping(&self) -> usize {
        self.scheme.sleep.sleeping()
    }

    /// Number of contacts that pressed in the last step.
    pub fn pressing(&self) -> usize {
        self.scheme.tally.pressing
    }

    /// Largest energy that contacts gave in one step; zero but for round-off where the laws dissipate.
    pub fn gained(&self) -> f64 {
        self.scheme.tally.gained
    }

    /// What it took up to now.
    pub fn statistics(&self) -> Statistics {
        let tally = &self.scheme.tally;
        Statistics {
            steps: self.steps,
            evaluations: tally.evaluations,
            resets: tally.resets,
            factorisations: tally.factorisations,
            ..Statistics::default()
        }
    }

    /// What was found up to now, and not taken.
    pub fn into_solution(mut self) -> Solution {
        self.scheme.present();
        let mut last = self.scheme.state.clone();
        // Rows with a law are left as they were found; those that were switched off stay so.
        let model = self.scheme.model;
        for (c, mode) in last.modes.iter_mut().enumerate() {
            if *mode != Mode::Idle || matches!(model.constraints[c].law, Law::Unilateral(_)) {
                *mode = self.scheme.account.modes[c];
            }
        }
        let verdict = self.verdict();
        Solution {
            statistics: self.statistics(),
            events: self.events,
            last,
            outcome: self.outcome,
            verdict,
            warnings: self.warnings,
            table: self.recorder.table,
            elapsed: self.elapsed,
        }
    }
}
