//! The event functions of contacts and guards, and their values.
//!
//! `transition` decides what follows when one falls through zero; `alarms` are the guards that elements define themselves.

mod alarms;
mod transition;

use super::REST;
use super::answers::Answers;
use super::lookout::Lookout;
use crate::complementarity::dense::Effort;
use crate::constraints::{Alert, View};
use crate::contacts::{Ahead, GAP};
use crate::dynamics::Dynamics;
use crate::forces::ForceKind;
use crate::laws::{Law, QUIET};
use crate::model::{ConstraintEntry, Model};
use crate::solution::worst;
use crate::state::Mode;

/// Functions per constraint with a law: its gap or normal force, and its friction reserve or slip.
pub(super) const PER_CONSTRAINT: usize = 2;
/// Smallest value of a function right after a decision; for lengths, rates and forces.
pub(super) const MARGIN: f64 = 1e-11;

/// Rate, m/s, above which a gap leaves zero at once; a slower one may reverse first.
const SWIFT: f64 = 3e-7;

/// An element with guards of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Constraint(usize),
    Force(usize),
}

/// Whether the guards of a constraint are ignored while it is open.
fn sleeps(entry: &ConstraintEntry) -> bool {
    entry.law != Law::Bilateral && entry.kind.constraint().alert() == Alert::WhileHeld
}

/// What happens where Coulomb's law has no solution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Paradox {
    /// The run stops; the outcome names the contact.
    #[default]
    Stop,
    /// The velocities jump as in an impact without a collision.
    Impulse,
}

/// The contact laws and guards of a model in a run.
#[derive(Debug)]
pub(crate) struct Switches {
    pub(super) watched: Vec<usize>,
    pub(super) alarms: Vec<(Owner, usize)>,
    /// Forces of compliant contacts.
    pub(super) soft: Vec<usize>,
    pub(super) lookout: Lookout,
    /// Gaps at the last call of `values`: of the watched constraints, then of compliant contacts.
    pub(super) gaps: Vec<Ahead>,
    /// Added to each watched function, so that it starts above zero.
    pub(super) offsets: Vec<f64>,
    /// Functions lifted above zero since the last decision.
    pub(super) lifted: Vec<usize>,
    /// Added to the multiplier of each row if redundant rows share the load differently from the equations.
    pub(super) shares: Vec<f64>,
    answers: Option<Answers>,
    pub paradox: Paradox,
    /// Effort in the search for the impulses of impacts.
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

    /// The same with less effort in the search for impulses.
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

    /// Whether function `i` is one that an element watches itself.
    pub fn is_alarm(&self, i: usize) -> bool {
        i >= self.offsets.len()
    }

    /// Constraints with a law.
    pub fn watched(&self) -> &[usize] {
        &self.watched
    }

    /// Whether the values depend on multipliers.
    pub fn needs_forces(&self, modes: &[Mode]) -> bool {
        self.watched.iter().any(|c| modes[*c] != Mode::Idle)
    }

    /// All functions at the state of the dynamics. An event is where one of them falls through zero.
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
                // An open constraint has no guard.
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

    /// Gap or normal force, and friction reserve or slip, of one constraint.
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

    /// Lifts every function above zero, except those that rise by themselves.
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
                // A gap that starts below zero must fire when it returns to its start value.
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

    /// Offsets of the functions and sharing of the load, for a checkpoint.
    pub fn offsets(&self) -> Vec<f64> {
        [&self.offsets[..], &self.shares[..]].concat()
    }

    /// Functions lifted since the last decision.
    pub fn lifted(&self) -> &[usize] {
        &self.lifted
    }

    /// Restores both from a checkpoint.
    pub fn recall(&mut self, offsets: &[f64], lifted: &[usize]) {
        self.lifted = lifted.to_vec();
        if offsets.len() == self.offsets.len() + self.shares.len() {
            let (own, shares) = offsets.split_at(self.offsets.len());
            self.offsets.copy_from_slice(own);
            self.shares.copy_from_slice(shares);
        }
    }
}
