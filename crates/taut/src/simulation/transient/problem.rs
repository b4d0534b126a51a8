//! The equations as the driver of the integration sees them: right-hand side, events, and what follows a step.

mod audit;
mod implicit;
mod jump;
mod laws;
mod restart;
mod switching;
mod tables;

use self::audit::Audited;
use self::laws::Decided;
use self::restart::Guarding;
use super::diagnosis;
use crate::Sight;
use crate::audit::{Audit, Promise};
use crate::bodies::Chart;
use crate::drift::Reset;
use crate::dynamics::{Choice, Dynamics};
use crate::equations::{At, Equations, Scene, place};
use crate::events::{Event, Look, Order};
use crate::events::{Happening, Occurrence, Patience, Switches};
use crate::formulations::{Exactness, SolveError};
use crate::interruption;
use crate::model::break_search::{BreakSearch, Guarded, RapidSearch};
use crate::model::{BodyEntry, Model, Topology};
use crate::results::Work;
use crate::solution::{Blame, Columns, Lost, Moment, Outcome, Peaks, Recorder, Table, Warning, worst};
use crate::state::State;
use taut_ode::{
    Action, Between, Break, Depend, Direction, Edit, Events, Follow, GuardKind, Hook, Linear, NearZero, Noted, Refusal,
    Restart, SecondOrder, System,
};

/// |φ| that a return to the manifold must reach, relative to 1 + the size of the coordinates.
const HELD: f64 = 1e-9;
/// What the return to the manifold may move a state by and still be amplified, relative to 1 + its size.
const LEAP: f64 = 1e-3;
const LEAP_OF_DEPENDENT_ROWS: f64 = 1e-2;
/// Numbers of a state beyond which no mechanism goes.
const BEYOND: f64 = 1e20;
/// |φ| worth a warning, relative likewise.
const DOUBTFUL: f64 = 1e-11;
/// |A v̇ − b| worth a warning, relative to 1 + |b|; near a singular pose some 1e-5 are nothing unusual.
const CONTRADICTED: f64 = 1e-3;

/// Parts of a step in which contacts are looked for that are held on features which change with the poses, and the longest
/// such step, s.
const CLOSELY: usize = 32;
const LONGEST: f64 = 0.1;

/// Where a state comes from that returns to the manifold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    /// It ends a step.
    Step,
    /// From interpolation or a jump.
    Elsewhere,
}

/// An event whose function counts as zero until its magnitude exceeds a threshold.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Rest {
    event: usize,
    t: f64,
    threshold: f64,
}

/// Everything the driver calls, and what is noted meanwhile.
pub(crate) struct Problem<'m> {
    pub dynamics: Dynamics<'m>,
    pub recorder: Recorder,
    pub work: Work,
    pub energy_at_start: f64,
    pub events: Vec<Box<dyn Event>>,
    pub occurrences: Vec<Occurrence>,
    /// Events of the present moment whose functions still count as zero.
    pub resting: Vec<Rest>,
    pub warnings: Vec<Warning>,
    pub resets: u64,
    pub solves: u64,
    /// What was last found wrong.
    pub blame: Blame,
    /// The laws at work.
    pub switches: Switches,
    /// Energy lost in impacts so far, by constraint.
    pub impact_losses: Vec<f64>,
    /// Work put in by jumps so far.
    pub jump_work: f64,
    /// How a run ends that its own events end.
    pub ending: Option<Outcome>,
    /// When the last jump was.
    jumped_at: Option<f64>,
    /// What an event asked for, while it is being met.
    orders: Vec<Order>,
    /// Constraints whose friction is integrated along.
    rubbing: Vec<usize>,
    /// Whether the events of this moment have been decided.
    decided: Decided,
    pub patience: Patience,
    pub audit: Audit,
    audited: Audited,
    /// Looks for peaks between rows, and what it saw there.
    pub peaks: Option<Peaks>,
    pub samples: Table,
    /// What the audit holds the run to, and when the run ends.
    pub promise: Promise,
    pub t_end: f64,
    /// M v, for the audit.
    momenta: Vec<f64>,
    /// Residual of a gap after a step that says its features have turned about.
    leap: f64,
    /// Whether all steps are recorded, so that both sides of a jump are.
    pub both_sides: bool,
    /// Time and length of the last step.
    pub t_step: f64,
    /// Work put in up to its two ends.
    work_of_step: [f64; 2],
    pub step: f64,
    /// When it began.
    t_begin: f64,
    /// Whether the last step ended on the manifold.
    pub on_manifold: bool,
    /// The longest step in which surfaces that give way can be followed.
    longest: Option<f64>,
    /// |φ| left at the start: contradicting constraints keep it.
    pub held: f64,
    scene: Scene,
    eq: Equations,
    seen: Vec<f64>,
    last_output: Option<(f64, Vec<f64>)>,
    /// The breaks of the run; none is looked for before its end is known.
    pub breaks: Option<BreakSearch>,
    /// Its rapid changes; not looked for where steps are fixed.
    pub rapid: Option<RapidSearch>,
    guarding: Guarding,
    /// Elements with tables that were not left yet.
    tabled: Vec<Guarded>,
    /// σ of the two factors of implicit methods.
    sigma: [[f64; 2]; 2],
}

impl<'m> Problem<'m> {
    /// At a state, which is solved once for its energy and its residuals.
    pub fn new(model: &'m Model, state: &State, choice: &Choice, columns: &Columns, work: Work) -> Problem<'m> {
        let mut dynamics = Dynamics::at(model, state, choice);
        // A failure shows again with the first step, and is told there.
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
            recorder,
            work,
            energy_at_start,
            events: Vec::new(),
            occurrences: Vec::new(),
            resting: Vec::new(),
            warnings: Vec::new(),
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
            audit: Audit::default(),
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

    fn warn(&mut self, t: f64, kind: &str, message: impl FnOnce() -> String) {
        if !self.warnings.iter().any(|w| w.message.starts_with(kind)) {
            self.warnings.push(Warning::notice(t, format!("{kind}{}", message())));
        }
    }

    /// Tells once what makes the results doubtful, and the element behind it.
    fn doubt(&mut self, t: f64, kind: &str, element: &str, message: impl FnOnce() -> String) {
        if !self.warnings.iter().any(|w| w.message.starts_with(kind)) {
            self.warnings.push(Warning::doubtful(t, format!("{kind}{}", message())).about(element));
        }
    }

    /// Gives back what was done; the dynamics are then placed at the result.
    fn return_to_manifold(&mut self, t: f64, y: &mut [f64], from: From) -> Result<Option<Reset>, Refusal> {
        let report = match from {
            From::Step => self.dynamics.end_step(t, y),
            From::Elsewhere => self.dynamics.show(t, y),
        };
        let Some(report) = report else { return Ok(None) };
        self.resets += 1;
        let size = 1.0 + worst(&y[..self.dynamics.model.sizes.q]).0;
        let (phi, row) = worst(&self.dynamics.eq.phi);
        if !size.is_finite() {
            self.blame = diagnosis::not_finite(&self.dynamics, t, y);
            return Err(Refusal::NotFinite);
        }
        if phi.is_nan() || report.phidot.is_nan() || phi > HELD * size + 2.0 * self.held {
            self.blame = Blame::Constraint { row: self.dynamics.model.row_name(row), residual: phi };
            return Err(Refusal::NotConverged);
        }
        self.held = self.held.min(phi);
        if from == From::Step && self.dynamics.holds_energy() {
            let friction = y[y.len() - self.rubbing.len()..].iter().sum::<f64>();
            let lost = friction + self.impact_losses.iter().sum::<f64>();
            self.dynamics.hold_energy(t, y, self.energy_at_start + self.work_at(y) - lost);
        }
        if phi > DOUBTFUL * size {
            let model = self.dynamics.model;
            self.warn(t, "constraints are not met to round-off", || {
                let row = model.row_name(row);
                format!(": `{row}` keeps a residual of {phi:.2e}; assemble the start, or look for contradicting rows")
            });
        }
        Ok(Some(report))
    }

    /// The next step begins at y.
    pub fn start_step_at(&mut self, y: &[f64]) {
        self.work_of_step = [self.work_at(y); 2];
    }

    /// Work put in since the start, as far as it is known.
    fn work_at(&self, y: &[f64]) -> f64 {
        let integrated = match self.work {
            Work::Integrated => y.get(self.dynamics.dimension()).copied().unwrap_or(0.0),
            Work::Zero | Work::Unknown => 0.0,
        };
        integrated + self.jump_work
    }

    /// Whether the constraints are met to round-off where the dynamics stand, at y.
    fn is_met(&self, y: &[f64]) -> bool {
        worst(&self.dynamics.eq.phi).0 <= DOUBTFUL * (1.0 + worst(&y[..self.dynamics.model.sizes.q]).0)
    }

    /// Whether the return to y may have amplified what it corrected, as it does near a pose of lower rank: the state had
    /// met each row within the tolerance of the run, or was moved by no leap.
    fn is_amplified(&mut self, reset: &Reset, y: &[f64]) -> bool {
        let (q, v, _) = parts(self.dynamics.model, y);
        let Promise { rtol, atol, .. } = self.promise;
        if [q, v].iter().zip(reset.apart).all(|(x, apart)| apart <= atol + rtol * worst(x).0) {
            return true;
        }
        // Where rows depend on each other, such poses are not foreseen.
        let leap = if self.dynamics.rows_are_dependent() { LEAP_OF_DEPENDENT_ROWS } else { LEAP };
        self.seen.iter().zip(y).all(|(a, b)| (a - b).abs() <= leap * (1.0 + b.abs()))
    }

    /// The body with the largest number in its coordinates or velocities.
    fn furthest(&self, y: &[f64]) -> Blame {
        let model = self.dynamics.model;
        let (q, v) = y.split_at(model.sizes.q);
        let size = |b: &BodyEntry| worst(&q[b.q.clone()]).0.max(worst(&v[b.v.clone()]).0);
        let most = model.bodies.iter().max_by(|a, b| size(a).total_cmp(&size(b)));
        most.map_or(Blame::Nobody, |b| Blame::Body(b.name.clone()))
    }

    /// What the integrator is told; the element behind it is noted.
    fn refusal(&mut self, error: SolveError, t: f64, y: &[f64]) -> Refusal {
        match error {
            SolveError::Singular => {
                self.blame = Blame::Formulation(error.to_string());
                Refusal::NotFinite
            }
            SolveError::NotFinite => {
                self.blame = diagnosis::not_finite(&self.dynamics, t, y);
                Refusal::NotFinite
            }
        }
    }

    /// Whether an event looks at more than the time.
    fn looks(&self) -> bool {
        self.events.iter().any(|e| e.sight() == Sight::Motions)
    }

    /// How long a step may be with surfaces that give way as they are.
    pub fn follow_depths(&mut self, t: f64, y: &[f64]) {
        if self.switches.soft().is_empty() {
            return;
        }
        self.place_for_events(t, y);
        let (_, _, z) = parts(self.dynamics.model, y);
        self.longest = self.switches.longest(self.dynamics.model, t, &self.scene.motions, z);
    }

    fn place_for_events(&mut self, t: f64, y: &[f64]) {
        let s = self.dynamics.model.sizes;
        let (q, v) = (&y[..s.q], &y[s.q..s.q + s.v]);
        let z = &y[s.q + s.v..s.q + s.v + s.z];
        let at = At { t, q, v, z, modes: &self.dynamics.modes };
        place(self.dynamics.model, at, &mut self.scene, &mut self.eq);
    }
}

/// A look at the y of a model.
fn look<'a>(model: &'a Model, scene: &'a Scene, recorder: &'a Recorder, t: f64, y: &'a [f64]) -> Look<'a> {
    let s = model.sizes;
    let (q, rest) = y.split_at(s.q);
    let (v, rest) = rest.split_at(s.v);
    Look { t, q, v, z: &rest[..s.z], model, motions: &scene.motions, recorder }
}

impl System for Problem<'_> {
    fn dimension(&self) -> usize {
        self.dynamics.dimension() + usize::from(self.work == Work::Integrated) + self.rubbing.len()
    }

    fn attempt(&mut self, t: f64, h: f64) {
        self.audit.steps.attempted += 1;
        self.blame = Blame::Nobody;
        self.peaks.iter_mut().for_each(|p| p.begin(t));
        self.dynamics.attempt(h);
    }

    fn rates(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Refusal> {
        // A run that its own laws have ended goes nowhere.
        if self.ending.is_some() || interruption::is_asked() {
            return Err(Refusal::OutsideDomain);
        }
        self.dynamics.rates(t, y, dydt).map_err(|e| self.refusal(e, t, y))?;
        self.peaks.iter_mut().for_each(|p| p.stage(t, &self.dynamics.lambda));
        if self.work == Work::Integrated {
            let s = self.dynamics.model.sizes;
            let n = s.q + s.v + s.z;
            dydt[n] = self.dynamics.power(t, &y[..s.q], &y[s.q..s.q + s.v], &y[s.q + s.v..n]);
        }
        let first = dydt.len() - self.rubbing.len();
        for (c, lost) in self.rubbing.iter().zip(&mut dydt[first..]) {
            *lost = self.dynamics.friction_power(*c);
        }
        Ok(())
    }

    fn next_break(&mut self, t: f64, t_end: f64) -> Option<Break> {
        if t_end < t { None } else { self.find_break(t) }
    }

    // Those of the model, and where the values of events may have narrow peaks.
    fn guards(&self) -> usize {
        self.guarding.count() + self.events.iter().map(|e| e.peaks()).sum::<usize>()
    }

    fn guard_kind(&self, i: usize) -> GuardKind {
        if i < self.guarding.count() { self.guarding.kind(self.dynamics.model, i) } else { GuardKind::Peak }
    }

    fn guard_values(&mut self, t: f64, y: &[f64], g: &mut [f64]) {
        self.place_for_events(t, y);
        let (_, _, z) = parts(self.dynamics.model, y);
        let (own, peaks) = g.split_at_mut(self.guarding.count());
        self.guarding.values(self.dynamics.model, &self.scene, t, z, own);
        if !peaks.is_empty() {
            let seen = look(self.dynamics.model, &self.scene, &self.recorder, t, y);
            let each = self.events.iter().flat_map(|e| (0..e.peaks()).map(|i| e.peak(&seen, i)));
            peaks.iter_mut().zip(each).for_each(|(g, peak)| *g = peak);
        }
    }

    fn linear(&mut self) -> Option<&mut dyn Linear> {
        Some(self)
    }

    fn second_order(&mut self) -> Option<&mut dyn SecondOrder> {
        Some(self)
    }
}

impl Events for Problem<'_> {
    fn count(&self) -> usize {
        self.events.len() + self.switches.count()
    }

    fn direction(&self, i: usize) -> Direction {
        self.events.get(i).map_or(Direction::Falling, |e| e.direction())
    }

    fn depend(&self) -> Depend {
        if self.looks() || !self.switches.is_empty() {
            Depend::OnState
        } else if self.events.iter().all(|e| e.sight() == Sight::Straight) {
            Depend::Straight
        } else {
            Depend::OnTime
        }
    }

    fn near_zero(&self, i: usize) -> NearZero {
        if i < self.events.len() { NearZero::Rests } else { NearZero::Watched }
    }

    fn values(&mut self, t: f64, y: &[f64], g: &mut [f64]) {
        if interruption::is_asked() {
            return g.fill(f64::NAN);
        }
        let (own, laws) = g.split_at_mut(self.events.len());
        if !own.is_empty() {
            if self.looks() {
                self.place_for_events(t, y);
            }
            let seen = look(self.dynamics.model, &self.scene, &self.recorder, t, y);
            self.events.iter().zip(own).for_each(|(e, g)| *g = e.value(&seen));
        }
        if self.switches.is_empty() {
            return;
        }
        // Features that touch are told apart by less than interpolation errs: they are looked at where they are held.
        let held = !self.dynamics.model.meetings.is_empty() && self.switches.needs_forces(&self.dynamics.modes);
        if held {
            self.seen.copy_from_slice(y);
            self.dynamics.show(t, &mut self.seen);
        }
        let (q, v, z) = parts(self.dynamics.model, if held { &self.seen } else { y });
        if self.switches.needs_forces(&self.dynamics.modes) {
            self.solves += 1;
            if self.dynamics.accelerate(t, q, v, z).is_err() {
                laws.fill(f64::NAN);
                return;
            }
        } else {
            self.dynamics.place(t, q, v, z);
        }
        self.switches.values(&self.dynamics, t, z, laws);
    }

    fn follow(&self, i: usize) -> Follow {
        match i.checked_sub(self.events.len()) {
            None => Follow::Values,
            Some(i) => self.switches.follow(&self.dynamics, i),
        }
    }

    fn parts(&self) -> Option<usize> {
        self.switches.meets(&self.dynamics).then_some(CLOSELY)
    }

    fn note(&mut self, at: Noted) {
        if !self.switches.is_empty() {
            self.switches.note(&self.dynamics, at);
        }
    }

    fn between(&mut self, i: usize, from: Noted, to: Noted) -> Between {
        match i.checked_sub(self.events.len()) {
            None => Between::Clear,
            Some(i) => self.switches.between(&self.dynamics, i, from, to),
        }
    }

    fn lost_sight(&mut self, i: usize, from: f64, to: f64) {
        let name = match i.checked_sub(self.events.len()) {
            None => self.events[i].name().to_string(),
            Some(i) => self.switches.name_of(self.dynamics.model, i).to_string(),
        };
        self.doubt(from, &format!("`{name}` could not be followed closely enough"), &name, || {
            format!(" between {from:.9e} s and {to:.9e} s: it may have crossed zero unseen; a shorter `max_step` helps")
        });
    }

    fn rests(&mut self, i: usize, t: f64, threshold: f64) {
        self.resting.retain(|rest| rest.t == t && rest.event != i);
        self.resting.push(Rest { event: i, t, threshold });
    }

    fn resting(&self, i: usize, t: f64) -> Option<f64> {
        self.resting.iter().find(|rest| rest.event == i && rest.t == t).map(|rest| rest.threshold)
    }

    fn touched(&mut self, i: usize, t: f64, _: &[f64]) {
        if let Some(event) = self.events.get(i) {
            self.occurrences.push(Occurrence::new(event.name(), i, t, Happening::Touches));
        }
    }

    fn fired(&mut self, i: usize, t: f64, y: &mut [f64]) -> Action {
        if i < self.events.len() { self.triggered(i, t, y) } else { self.switched(i - self.events.len(), t, y) }
    }
}

/// Constraints that can rub.
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

impl Hook for Problem<'_> {
    fn after_step(&mut self, t: f64, y: &mut [f64]) -> Result<Edit, Refusal> {
        // A motion that has left every scale goes nowhere, though its numbers may stay finite for long.
        let near = y[..self.dynamics.dimension()].iter().fold(true, |all, x| all & (x.abs() <= BEYOND));
        if !near {
            self.blame = match diagnosis::not_finite(&self.dynamics, t, y) {
                Blame::Nobody => self.furthest(y),
                found => found,
            };
            return Err(Refusal::NotFinite);
        }
        self.seen.copy_from_slice(y);
        let returned = self.return_to_manifold(t, y, From::Step)?;
        if returned.is_some_and(|reset| reset.phi_before > self.leap) {
            // What was bent so far tells nothing of the way there, nor of the events on it.
            let (q, v, z) = parts(self.dynamics.model, &self.seen);
            self.dynamics.place(t, q, v, z);
            if let Some(row) = self.dynamics.model.leapt(&self.dynamics.eq.phi) {
                let residual = self.dynamics.eq.phi[row].abs();
                self.blame = Blame::Constraint { row: self.dynamics.model.row_name(row), residual };
                return Err(Refusal::NotConverged);
            }
            let (q, v, z) = parts(self.dynamics.model, y);
            self.dynamics.place(t, q, v, z);
        }
        let Recorder { turns, gauges, .. } = &mut self.recorder;
        match returned {
            _ if gauges.is_empty() => {}
            Some(_) => turns.advance(t, gauges, &self.dynamics.scene.motions),
            None => {
                self.place_for_events(t, y);
                self.recorder.turns.advance(t, &self.recorder.gauges, &self.scene.motions);
            }
        }
        // A step that was taken back ended later than its repetition does; both began at the same time.
        if t > self.t_step {
            self.t_begin = self.t_step;
            self.work_of_step[0] = self.work_of_step[1];
        }
        self.step = t - self.t_begin;
        self.t_step = t;
        self.work_of_step[1] = self.work_at(y);
        self.watch_tables(t, y);
        self.follow_depths(t, y);
        self.audit.stepped();
        let kept = self.seen.iter().zip(&*y).all(|(a, b)| a.to_bits() == b.to_bits());
        let met = self.dynamics.projects() && self.is_met(y);
        let began = std::mem::replace(&mut self.on_manifold, met);
        let held = began && self.on_manifold;
        Ok(match returned {
            _ if kept => Edit::Kept,
            Some(reset) if held && self.is_amplified(&reset, y) => Edit::Amplified,
            _ if held => Edit::Projected,
            _ => Edit::Corrected,
        })
    }

    fn restate(&mut self, t: f64, y: &mut [f64]) -> Edit {
        self.audit_step(t, y);
        let model = self.dynamics.model;
        if !self.switches.watched().is_empty() {
            let (q, v, z) = parts(model, y);
            self.dynamics.place(t, q, v, z);
            self.dynamics.follow_slips();
            self.mind(t);
            // A gap that closed unseen, as from a start in touch.
            if self.switches.missed(&self.dynamics, t, z) {
                match self.jump(t, y) {
                    Action::Jump | Action::JumpAndStop => return Edit::Jumped,
                    _ => return Edit::Kept,
                }
            }
            if let Some(overlap) = self.overlaps(t, y) {
                self.ending = Some(overlap);
            }
        }
        let edit = if self.rewrite(t, y) == Chart::Changed { Edit::Jumped } else { Edit::Kept };
        // What was recorded at this time is the same state.
        if let (Edit::Jumped, Some((last, seen))) = (edit, &mut self.last_output)
            && *last == t
        {
            seen.copy_from_slice(y);
        }
        edit
    }

    fn restart(&mut self, at: Restart, y: &mut [f64]) -> Result<Edit, Refusal> {
        match at {
            Restart::Break { from, to } => Ok(self.pass_break(from, to, y)),
            Restart::Guard { index, t } => Ok(self.pass_guard(index, t, y)),
        }
    }

    fn part(&self) -> f64 {
        self.audit.switching.part()
    }

    fn obstacle(&self) -> Option<f64> {
        self.dynamics.obstacle()
    }

    fn longest(&mut self, t: f64) -> Option<f64> {
        let held = self.switches.meets(&self.dynamics).then_some(LONGEST);
        let model = self.dynamics.model;
        let rapid = self.rapid.as_mut().and_then(|search| search.longest(model, t));
        [held, self.longest, rapid].into_iter().flatten().reduce(f64::min)
    }

    fn refine(&mut self, t: f64, y: &mut [f64]) -> Result<(), Refusal> {
        self.decided = Decided::NotYet;
        self.return_to_manifold(t, y, From::Elsewhere).map(|_| ())
    }

    fn output(&mut self, t: f64, y: &[f64]) {
        match &mut self.last_output {
            // A driver that is called again begins with the state it ended with.
            Some((last, seen)) if *last == t && (!self.both_sides || seen == y) => return,
            Some((last, seen)) => {
                *last = t;
                seen.copy_from_slice(y);
            }
            None => self.last_output = Some((t, y.to_vec())),
        }
        self.write_row(t, y);
    }

    fn wants(&mut self, t_old: f64, t: f64) -> Option<f64> {
        self.peaks.as_mut()?.next(t_old, t)
    }

    fn sample(&mut self, t: f64, y: &[f64]) {
        std::mem::swap(&mut self.recorder.table, &mut self.samples);
        self.write_row(t, y);
        std::mem::swap(&mut self.recorder.table, &mut self.samples);
    }
}

impl Problem<'_> {
    /// Solves the equations of y and writes a row of the table.
    fn write_row(&mut self, t: f64, y: &[f64]) {
        self.seen.copy_from_slice(y);
        if self.dynamics.shows_otherwise() {
            self.dynamics.show(t, &mut self.seen);
        }
        let s = self.dynamics.model.sizes;
        let (q, rest) = self.seen.split_at(s.q);
        let (v, rest) = rest.split_at(s.v);
        let z = &rest[..s.z];
        self.solves += 1;
        if self.dynamics.accelerate(t, q, v, z).is_err() {
            // The row tells the state; what has no value is no number.
            self.dynamics.vdot.fill(f64::NAN);
            self.dynamics.lambda.fill(f64::NAN);
        }
        let Dynamics { modes, model, lambda, .. } = &mut self.dynamics;
        self.switches.complete(modes, model, lambda);
        let work = match self.work {
            Work::Unknown => None,
            _ => Some(self.work_at(&self.seen)),
        };
        let energy_at_start = self.energy_at_start;
        let first = self.seen.len() - self.rubbing.len();
        let lost = Lost { rubbing: &self.rubbing, friction: &self.seen[first..], impacts: &self.impact_losses };
        let moment = Moment { t, q, v, z, work, lost, energy_at_start, step: self.step, stepped: None };
        self.recorder.record(&self.dynamics, moment);
        self.peaks.iter_mut().for_each(|p| p.see(t, &self.dynamics.lambda));
        self.audit_row(t);
        if self.dynamics.model.topology == Topology::Loops && self.dynamics.claims() == Exactness::Exact {
            let (left, row) = self.dynamics.acceleration_residual();
            if left > CONTRADICTED * (1.0 + worst(&self.dynamics.eq.b).0) {
                let row = self.dynamics.model.row_name(row);
                self.doubt(t, "constraints contradict each other in their accelerations", &row, || {
                    format!(
                        ": `{row}` keeps a residual of {left:.2e}; see the rank of the model for the rows concerned"
                    )
                });
            }
        }
    }
}
