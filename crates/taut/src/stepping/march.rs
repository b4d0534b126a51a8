//! A march driven from outside: step by step, to a time, or to its end.

use super::Stepping;
use super::detect::Detector;
use super::losses::{Losses, beyond_forces, other_laws};
use super::notices::Notices;
use super::rows::of_surfaces;
use super::scheme::{Scheme, Stop};
use crate::analyses::{After, AnalysisError, Assembly, Look, Output, Progress, Start, assemble, check_state};
use crate::complementarity::sweep;
use crate::events::Occurrence;
use crate::laws::Law;
use crate::model::Model;
use crate::solution::{Column, Outcome, Recorder, Solution, Statistics, Table, Verdict, Warning};
use crate::state::{Mode, State};
use std::time::{Duration, Instant};

/// Share of a step by which a step may be longer to meet a time.
const STRETCH: f64 = 1e-6;

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

/// A run in progress.
#[derive(Debug)]
pub struct March<'m> {
    scheme: Scheme<'m>,
    settings: Stepping,
    recorder: Recorder,
    times: Vec<f64>,
    /// The next of these times.
    next: usize,
    recorded: Option<f64>,
    energy_at_start: f64,
    losses: Losses,
    notices: Notices,
    events: Vec<Occurrence>,
    length: f64,
    steps: u64,
    outcome: Outcome,
    warnings: Vec<Warning>,
    elapsed: Duration,
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
        scheme.present();
        let (kinetic, potential) = scheme.dynamics.energy(&state.q, &state.v, &state.z, state.t);
        let energy_at_start = kinetic + potential;
        let losses = Losses::new(model);
        let moment = losses.moment(&state, energy_at_start, 0.0);
        let mut recorder = Recorder::new(&scheme.dynamics, moment, &settings.columns);
        let more = COLUMNS.iter().map(|(name, unit, meaning)| Column {
            name: name.to_string(),
            unit: unit.to_string(),
            meaning: meaning.to_string(),
            data: Vec::new(),
        });
        recorder.table = recorder.table.columns().iter().cloned().chain(more).collect();
        let mut march = March {
            scheme,
            settings: settings.clone(),
            recorder,
            times,
            next: 0,
            recorded: None,
            energy_at_start,
            losses,
            notices: Notices::new(model),
            events: Vec::new(),
            length: 0.0,
            steps: 0,
            outcome: Outcome::Underway,
            warnings: other_laws(model, state.t)
                .into_iter()
                .chain(model.left_out_notice().map(|message| Warning::notice(state.t, message)))
                .collect(),
            elapsed: Duration::ZERO,
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
            left -= 1;
        }
        self.elapsed += clock.elapsed();
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
        let mut t_end = t + self.settings.step;
        if t + self.settings.step * (1.0 + STRETCH) >= target {
            t_end = target;
        }
        let h = t_end - t;
        let before = self.scheme.state.clone();
        if let Err(stop) = self.scheme.step(h, t_end) {
            // The last state that has values is the last of the run.
            self.scheme.state = before;
            self.scheme.present();
            self.outcome = match stop {
                Stop::NotFinite(blame) => Outcome::NotFinite { t, blame },
                Stop::ConstraintsLost(blame) => Outcome::ConstraintsLost { t, blame },
            };
            return;
        }
        self.steps += 1;
        self.length = h;
        self.look_at_step();
        if t_end >= self.settings.t_end {
            self.outcome = Outcome::Finished;
        }
        self.notice();
        self.output();
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
            // The worst of the run replaces what was told before.
            match self.warnings.iter_mut().find(|w| w.message.starts_with(kind)) {
                Some(told) => told.message = message,
                None => self.warnings.push(Warning::notice(self.scheme.state.t, message)),
            }
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
        self.losses.take(&self.scheme.tally);
        let moment = self.losses.moment(&self.scheme.state, self.energy_at_start, self.length);
        self.recorder.record(&self.scheme.dynamics, moment);
        let tally = &self.scheme.tally;
        let found = [tally.pressing as f64, tally.penetration, tally.lost, tally.lifted, tally.sweeps as f64];
        let columns = self.recorder.table.columns_mut();
        let first = columns.len() - COLUMNS.len();
        columns[first..].iter_mut().zip(found).for_each(|(column, x)| column.data.push(x));
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
        self.recorder.table.take()
    }

    /// Hands over the events met since the last call.
    pub fn take_events(&mut self) -> Vec<Occurrence> {
        std::mem::take(&mut self.events)
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
    pub fn into_solution(self) -> Solution {
        let verdict = self.verdict();
        Solution {
            statistics: self.statistics(),
            events: self.events,
            last: self.scheme.state,
            outcome: self.outcome,
            verdict,
            warnings: self.warnings,
            table: self.recorder.table,
            elapsed: self.elapsed,
        }
    }
}
