//! The switches of a run: what is watched, and the transition where something falls through zero.

use super::answers::Answers;
use super::decide::{Decision, Verdict};
use super::impact::{Lingering, Setting};
use super::lookout::Lookout;
use super::report::Report;
use super::seize::Here;
use super::strike::strike;
use super::{Happening, Occurrence, REST, TOUCH, Trouble};
use crate::complementarity::dense::Effort;
use crate::constraints::{Alert, View};
use crate::contacts::{Ahead, CompliantPair, GAP};
use crate::dynamics::Dynamics;
use crate::equations::At;
use crate::forces::ForceKind;
use crate::interruption;
use crate::laws::{Law, QUIET};
use crate::model::{ConstraintEntry, Model};
use crate::solution::worst;
use crate::state::Mode;

/// Functions watched per constraint with a law: its gap or what presses it, and its grip.
pub(super) const PER_CONSTRAINT: usize = 2;
/// Where a function is taken to stand, at least, right after a decision; of lengths, rates, and forces.
pub(super) const MARGIN: f64 = 1e-11;

/// Rate of a gap, m/s, that leaves zero at once; slower ones may turn about before they do.
const SWIFT: f64 = 3e-7;
/// Impacts that may follow from each other at one moment.
const MOST_ROUNDS: usize = 100;

/// An element that watches functions of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Constraint(usize),
    Force(usize),
}

/// Whether the alarms of a constraint are not watched while it is open.
fn sleeps(entry: &ConstraintEntry) -> bool {
    entry.law != Law::Bilateral && entry.kind.constraint().alert() == Alert::WhileHeld
}

/// Whether Coulomb's law may be helped by an impulse where it has no solution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Paradox {
    /// The run ends with the contact named.
    #[default]
    Stop,
    /// The velocities jump as in an impact without a collision.
    Impulse,
}

/// Whether an impulse has helped where Coulomb's law had no solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Help {
    Asked,
    Given,
}

/// The laws of a model at work.
#[derive(Debug)]
pub(crate) struct Switches {
    pub(super) watched: Vec<usize>,
    pub(super) alarms: Vec<(Owner, usize)>,
    /// Forces between surfaces that give way.
    pub(super) soft: Vec<usize>,
    pub(super) lookout: Lookout,
    /// What `values` saw last: gaps of all that is watched, then of the surfaces that give way.
    pub(super) gaps: Vec<Ahead>,
    /// Added to each watched function, so that it starts above zero.
    pub(super) offsets: Vec<f64>,
    /// Functions that were lifted since the last decision.
    pub(super) lifted: Vec<usize>,
    /// Added to the multiplier of each row where redundant ones share the load in another way than the equations do.
    pub(super) shares: Vec<f64>,
    answers: Option<Answers>,
    pub paradox: Paradox,
    /// How hard the impulses of impacts are looked for.
    effort: Effort,
}

impl Switches {
    pub fn new(model: &Model, scale: &[f64]) -> Switches {
        let watched: Vec<usize> =
            (0..model.constraints.len()).filter(|c| model.constraints[*c].law != Law::Bilateral).collect();
        let constraints = model.constraints.iter().map(|c| c.kind.constraint().alarms());
        let of_constraints = constraints.enumerate().map(|(c, n)| (Owner::Constraint(c), n));
        let forces = model.forces.iter().map(|f| f.kind.force().alarms());
        let of_forces = forces.enumerate().map(|(f, n)| (Owner::Force(f), n));
        let soft = (0..model.forces.len()).filter(|f| matches!(model.forces[*f].kind, ForceKind::Compliant(_)));
        let soft: Vec<usize> = soft.collect();
        Switches {
            lookout: Lookout::new(model, &watched, &soft),
            gaps: Vec::new(),
            soft,
            offsets: vec![0.0; PER_CONSTRAINT * watched.len()],
            lifted: Vec::new(),
            shares: vec![0.0; model.rows.len()],
            answers: (!watched.is_empty()).then(|| Answers::new(model, scale)),
            watched,
            alarms: of_constraints.chain(of_forces).flat_map(|(o, n)| (0..n).map(move |i| (o, i))).collect(),
            paradox: Paradox::Stop,
            effort: Effort::Thorough,
        }
    }

    /// The same with impulses looked for less hard.
    #[cfg(test)]
    pub(super) fn with_effort(self, effort: Effort) -> Switches {
        Switches { effort, ..self }
    }

    /// How many functions are watched.
    pub fn count(&self) -> usize {
        self.offsets.len() + self.alarms.len()
    }

    /// Whether nothing ever switches.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Whether function `i` belongs to an element's own memory.
    pub fn is_alarm(&self, i: usize) -> bool {
        i >= self.offsets.len()
    }

    /// Constraints with a law.
    pub fn watched(&self) -> &[usize] {
        &self.watched
    }

    /// Whether multipliers are needed to tell the values.
    pub fn needs_forces(&self, modes: &[Mode]) -> bool {
        self.watched.iter().any(|c| modes[*c] != Mode::Idle)
    }

    /// All functions at the state the dynamics stand at; all fall where something happens.
    pub fn values(&mut self, d: &Dynamics, t: f64, z: &[f64], g: &mut [f64]) {
        let mut gaps = self.open_gaps(d, t, z);
        for (k, &c) in self.watched.iter().enumerate() {
            let pair = self.functions(d, c, t, z, gaps[k]);
            for (i, value) in pair.into_iter().enumerate() {
                let at = PER_CONSTRAINT * k + i;
                g[at] = (value + self.offsets[at]).min(QUIET);
            }
        }
        for ((owner, i), g) in self.alarms.iter().zip(&mut g[self.offsets.len()..]) {
            *g = match *owner {
                // What is open has nothing to lose.
                Owner::Constraint(c) if d.modes[c] == Mode::Idle && sleeps(&d.model.constraints[c]) => QUIET,
                Owner::Constraint(c) => {
                    let entry = &d.model.constraints[c];
                    let view = View { t, motions: &d.scene.motions, ids: &entry.markers, z: &z[entry.z.clone()] };
                    entry.kind.constraint().alarm(&view, *i)
                }
                Owner::Force(f) => {
                    let entry = &d.model.forces[f];
                    let view = View { t, motions: &d.scene.motions, ids: &entry.markers, z: &z[entry.z.clone()] };
                    match &entry.kind {
                        ForceKind::Compliant(pair) if *i == GAP => {
                            let seen = pair.ahead(&view);
                            gaps.push(seen);
                            pair.alarm_of(&seen, view.z)
                        }
                        kind => kind.force().alarm(&view, *i),
                    }
                }
            };
        }
        self.gaps = gaps;
    }

    /// Gap or pressure, and reserve of the grip or slip, of one constraint.
    fn functions(&self, d: &Dynamics, c: usize, t: f64, z: &[f64], open: Ahead) -> [f64; 2] {
        let entry = &d.model.constraints[c];
        let (mode, first) = (d.modes[c], entry.rows.start);
        let gap = match (entry.law, mode) {
            (Law::Unilateral(_), Mode::Idle) => open.gap,
            (Law::Unilateral(_), _) => d.lambda[first] + self.shares[first],
            _ => QUIET,
        };
        let Some(from) = entry.law.gripping_from().filter(|from| *from < entry.rows.len()) else { return [gap, QUIET] };
        let rows = first + from..entry.rows.end;
        let grip = match mode {
            Mode::Idle => QUIET,
            Mode::Active => self.reserve(d, c, t, z),
            Mode::Sliding(s) => rows.zip(s).map(|(r, s)| s * d.eq.loose.rate[r]).sum(),
            // Held by others: any slip at all.
            Mode::Verging(_) => {
                let slip = rows.map(|r| d.eq.loose.rate[r].powi(2)).sum::<f64>().sqrt();
                1e3 * REST * (1.0 + slip) - slip
            }
        };
        [gap, grip]
    }

    /// The alarms that are due at the state the dynamics stand at.
    pub fn due(&mut self, d: &Dynamics, t: f64, z: &[f64]) -> Vec<usize> {
        let mut g = vec![QUIET; self.count()];
        self.values(d, t, z, &mut g);
        (self.offsets.len()..g.len()).filter(|i| g[*i] <= 0.0).collect()
    }

    /// The force between surfaces that give way behind function `i`, if it is one.
    pub fn force_of(&self, i: usize) -> Option<usize> {
        match i.checked_sub(self.offsets.len()).map(|i| self.alarms[i].0) {
            Some(Owner::Force(f)) if self.soft.contains(&f) => Some(f),
            _ => None,
        }
    }

    /// Energy, J, in the surfaces that give way behind function `i`; of all else zero.
    pub fn stored(&self, d: &Dynamics, i: usize, t: f64, z: &[f64]) -> f64 {
        self.force_of(i).map_or(0.0, |f| {
            let entry = &d.model.forces[f];
            let view = View { t, motions: &d.scene.motions, ids: &entry.markers, z: &z[entry.z.clone()] };
            entry.kind.force().potential(&view)
        })
    }

    /// Rings the alarm of function `i`: the element changes its own states.
    pub fn ring(&self, d: &Dynamics, i: usize, t: f64, z: &mut [f64]) -> Option<Occurrence> {
        let (owner, i) = self.alarms.get(i.checked_sub(self.offsets.len())?)?;
        let before = z.to_vec();
        let model = d.model;
        let (name, index) = match *owner {
            Owner::Constraint(c) => {
                let entry = &model.constraints[c];
                let view = View { t, motions: &d.scene.motions, ids: &entry.markers, z: &before[entry.z.clone()] };
                entry.kind.constraint().ring(&view, *i, &mut z[entry.z.clone()]);
                (&entry.name, c)
            }
            Owner::Force(f) => {
                let entry = &model.forces[f];
                let view = View { t, motions: &d.scene.motions, ids: &entry.markers, z: &before[entry.z.clone()] };
                entry.kind.force().ring(&view, *i, &mut z[entry.z.clone()]);
                (&entry.name, f)
            }
        };
        let what = match owner {
            Owner::Force(f) if self.soft.contains(f) => {
                let own = model.forces[*f].z.clone();
                if CompliantPair::closes(&before[own.clone()], &z[own])? { Happening::Closes } else { Happening::Opens }
            }
            _ => Happening::Rings,
        };
        Some(Occurrence::new(name, index, t, what))
    }

    /// Decides everything anew at a state: velocities jump where gaps close with a speed, and the modes follow.
    pub fn transition(
        &mut self,
        d: &mut Dynamics,
        t: f64,
        q: &[f64],
        v: &mut [f64],
        z: &[f64],
    ) -> Result<Report, Trouble> {
        let mut report = Report::default();
        let Some(mut answers) = self.answers.take() else { return Ok(report) };
        let result = self.decide(&mut answers, d, t, q, v, z, &mut report);
        self.answers = Some(answers);
        result?;
        Ok(report)
    }

    fn decide(
        &mut self,
        answers: &mut Answers,
        d: &mut Dynamics,
        t: f64,
        q: &[f64],
        v: &mut [f64],
        z: &[f64],
        report: &mut Report,
    ) -> Result<(), Trouble> {
        let model = d.model;
        let before = d.modes.clone();
        answers.place(model, At { t, q, v, z, modes: &before });
        let closed = |c: &usize| match model.constraints[*c].law {
            Law::Unilateral(_) => {
                before[*c] != Mode::Idle || answers.eq.loose.phi[model.constraints[*c].rows.start] <= TOUCH
            }
            _ => before[*c] != Mode::Idle,
        };
        let closed: Vec<usize> = self.watched.iter().copied().filter(closed).collect();
        answers.respond(model, t, z, &closed);
        let (mut jammed, mut rebound) = (None, Vec::new());
        for round in 0.. {
            let u = answers.rates(model);
            let speed = worst(v).0;
            let (free, held) = answers.free_accelerations(model);
            let setting = Setting { model, answers, t, z, speed, free: &free, effort: self.effort };
            let impulses = match jammed {
                Some((c, Help::Asked)) => {
                    jammed = Some((c, Help::Given));
                    Some(setting.jammed(&u, c).ok_or(Trouble::Paradox(c))?)
                }
                _ => setting.is_due(&u).then(|| setting.impulses(&u)),
            };
            if let Some(impulses) = impulses {
                if round > MOST_ROUNDS || interruption::is_asked() {
                    return Err(Trouble::Endless(closed));
                }
                rebound.extend(strike(answers, model, &impulses, t, v, report));
                answers.place(model, At { t, q, v, z, modes: &before });
                continue;
            }
            let (u, free, held) = match setting.lingering(&u, &rebound) {
                None => (u, free, held),
                Some(Lingering { p, losses }) => {
                    answers.add_motion(&p, v);
                    report.work += answers.driven(model, &p);
                    report.losses.extend(losses);
                    answers.place(model, At { t, q, v, z, modes: &before });
                    let (free, held) = answers.free_accelerations(model);
                    (answers.rates(model), free, held)
                }
            };
            let verdict = Decision { model, answers, t, z, u: u.clone(), free, held, speed }.verdict();
            match (verdict, jammed) {
                (Ok(verdict), _) => {
                    report.several = verdict.several.map(|c| model.constraints[c].name.clone());
                    let here = Here { model, t, q, z, before: &before };
                    let Verdict { modes, .. } = here.seize(answers, &u, verdict, v, report);
                    let gaps = |c: &&usize| model.constraints[**c].law != Law::Gripping;
                    self.watched.iter().filter(gaps).for_each(|c| d.modes[*c] = Mode::Idle);
                    closed.iter().copied().zip(modes).for_each(|(c, mode)| d.modes[c] = mode);
                    self.verify(d, t, q, v, z, answers);
                    break;
                }
                (Err(Trouble::Paradox(c)), None) if self.paradox == Paradox::Impulse => {
                    jammed = Some((c, Help::Asked));
                }
                (Err(trouble), _) => return Err(trouble),
            }
        }
        self.tell(model, &before, &d.modes, t, report);
        self.arm(d, t, q, v, z);
        Ok(())
    }

    fn tell(&self, model: &Model, before: &[Mode], after: &[Mode], t: f64, report: &mut Report) {
        let slides = |m: Mode| matches!(m, Mode::Sliding(_));
        for &c in &self.watched {
            let entry = &model.constraints[c];
            let (a, b) = (before[c], after[c]);
            let grips = entry.law.gripping_from().is_some_and(|from| from < entry.rows.len());
            let rests = report.occurrences.iter().any(|o| o.index == c && o.what == Happening::Rests);
            let mut put = |what| report.occurrences.push(Occurrence::new(&entry.name, c, t, what));
            match (a == Mode::Idle, b == Mode::Idle) {
                (true, false) if !rests => put(Happening::Closes),
                (false, true) => put(Happening::Opens),
                _ => {}
            }
            if grips && b != Mode::Idle {
                match (slides(a), slides(b)) {
                    (false, true) => put(Happening::Slips),
                    (true, false) => put(Happening::Sticks),
                    (true, true)
                        if a.slip()
                            .zip(b.slip())
                            .is_some_and(|(a, b)| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() < 0.0) =>
                    {
                        put(Happening::Slips);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Lets every function start above zero, but for those that rise from it by themselves.
    pub fn arm(&mut self, d: &mut Dynamics, t: f64, q: &[f64], v: &[f64], z: &[f64]) {
        if d.accelerate(t, q, v, z).is_err() {
            return;
        }
        let size = 1.0 + worst(&d.lambda).0;
        self.lifted.clear();
        let gaps = self.open_gaps(d, t, z);
        for k in 0..self.watched.len() {
            let c = self.watched[k];
            let entry = &d.model.constraints[c];
            let [gap, grip] = self.functions(d, c, t, z, gaps[k]);
            let rises = d.modes[c] == Mode::Idle && gaps[k].rate > SWIFT;
            let least = match (d.modes[c], entry.law) {
                // What begins below zero comes back where it began.
                (Mode::Idle, Law::Unilateral(_)) if rises => 0.0,
                (Mode::Idle, _) => MARGIN,
                _ => MARGIN * size,
            };
            self.offsets[PER_CONSTRAINT * k] = (least - gap).max(0.0);
            let least = match d.modes[c] {
                Mode::Active => MARGIN * size,
                _ => f64::NEG_INFINITY,
            };
            self.offsets[PER_CONSTRAINT * k + 1] = (least - grip).max(0.0);
        }
    }

    /// What the functions are offset by, and how the load is shared, for a checkpoint.
    pub fn offsets(&self) -> Vec<f64> {
        [&self.offsets[..], &self.shares[..]].concat()
    }

    /// The functions that were lifted since the last decision.
    pub fn lifted(&self) -> &[usize] {
        &self.lifted
    }

    /// Takes up those of a checkpoint.
    pub fn recall(&mut self, offsets: &[f64], lifted: &[usize]) {
        self.lifted = lifted.to_vec();
        if offsets.len() == self.offsets.len() + self.shares.len() {
            let (own, shares) = offsets.split_at(self.offsets.len());
            self.offsets.copy_from_slice(own);
            self.shares.copy_from_slice(shares);
        }
    }
}
