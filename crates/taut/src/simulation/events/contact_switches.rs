//! The event functions of contacts and guards, and their values.
//!
//! `transition` decides what follows when one falls through zero; `alarms` are the guards that elements define themselves.

mod guards;
mod transition;

use super::ZERO_RATE_TOLERANCE;
use super::delassus::DelassusOperator;
use super::gap_monitor::GapMonitor;
use crate::complementarity::dense::SolverEffort;
use crate::constraints::{ElementInput, ResetGuardActivity};
use crate::contacts::{GAP_GUARD, GapState};
use crate::dynamics::Dynamics;
use crate::forces::ForceKind;
use crate::laws::{ConstraintLaw, NEVER_ZERO};
use crate::mathematics::magnitude::largest_magnitude;
use crate::model::{ConstraintEntry, Model};
use crate::state::ConstraintMode;

/// Functions per constraint with a law: its gap or normal force, and its friction reserve or slip.
pub(super) const FUNCTIONS_PER_CONSTRAINT: usize = 2;
/// Smallest value of a force function right after a decision, relative to the largest force.
pub(super) const MIN_FUNCTION_VALUE: f64 = 1e-11;

/// An element with guards of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SwitchOwner {
    Constraint(usize),
    Force(usize),
}

/// Whether the guards of a constraint are ignored while it is open.
fn is_guarded_only_while_held(entry: &ConstraintEntry) -> bool {
    entry.law != ConstraintLaw::Bilateral
        && entry.kind.constraint().reset_guard_activity() == ResetGuardActivity::WhileClosed
}

/// What happens where Coulomb's law has no solution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParadoxResponse {
    /// The run stops; the outcome names the contact.
    #[default]
    Stop,
    /// The velocities jump as in an impact without a collision.
    Impulse,
}

/// The contact laws and guards of a model in a run.
#[derive(Debug)]
pub(crate) struct ContactSwitches {
    pub(super) watched: Vec<usize>,
    pub(super) guards: Vec<(SwitchOwner, usize)>,
    /// Forces of compliant contacts.
    pub(super) compliant: Vec<usize>,
    pub(super) gap_monitor: GapMonitor,
    /// Gaps at the last call of `values`: of the watched constraints, then of compliant contacts.
    pub(super) gaps: Vec<GapState>,
    /// Added to each watched function, so that it starts above zero.
    pub(super) offsets: Vec<f64>,
    /// Functions lifted above zero since the last decision.
    pub(super) lifted: Vec<usize>,
    /// Added to the multiplier of each row if redundant rows share the load differently from the equations.
    pub(super) load_sharing: Vec<f64>,
    delassus: Option<DelassusOperator>,
    pub paradox: ParadoxResponse,
    /// Effort in the search for the impulses of impacts.
    effort: SolverEffort,
}

impl ContactSwitches {
    pub fn new(model: &Model, scale: &[f64]) -> ContactSwitches {
        let watched: Vec<usize> =
            (0..model.constraints.len()).filter(|c| model.constraints[*c].law != ConstraintLaw::Bilateral).collect();
        let constraints = model.constraints.iter().map(|c| c.kind.constraint().reset_guard_count());
        let of_constraints = constraints.enumerate().map(|(c, n)| (SwitchOwner::Constraint(c), n));
        let forces = model.forces.iter().map(|f| f.kind.force().reset_guard_count());
        let of_forces = forces.enumerate().map(|(f, n)| (SwitchOwner::Force(f), n));
        let soft = (0..model.forces.len()).filter(|f| matches!(model.forces[*f].kind, ForceKind::Compliant(_)));
        let soft: Vec<usize> = soft.collect();
        ContactSwitches {
            gap_monitor: GapMonitor::new(model, &watched, &soft),
            gaps: Vec::new(),
            compliant: soft,
            offsets: vec![0.0; FUNCTIONS_PER_CONSTRAINT * watched.len()],
            lifted: Vec::new(),
            load_sharing: vec![0.0; model.rows.len()],
            delassus: (!watched.is_empty()).then(|| DelassusOperator::new(model, scale)),
            watched,
            guards: of_constraints.chain(of_forces).flat_map(|(o, n)| (0..n).map(move |i| (o, i))).collect(),
            paradox: ParadoxResponse::Stop,
            effort: SolverEffort::Thorough,
        }
    }

    /// The same with less effort in the search for impulses.
    #[cfg(test)]
    pub(super) fn with_effort(self, effort: SolverEffort) -> ContactSwitches {
        ContactSwitches { effort, ..self }
    }

    /// How many functions are watched.
    pub fn count(&self) -> usize {
        self.offsets.len() + self.guards.len()
    }

    /// Whether nothing ever switches.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Whether function `i` is one that an element watches itself.
    pub fn is_guard(&self, i: usize) -> bool {
        i >= self.offsets.len()
    }

    /// Constraints with a law.
    pub fn watched(&self) -> &[usize] {
        &self.watched
    }

    /// Whether the values depend on multipliers.
    pub fn needs_forces(&self, modes: &[ConstraintMode]) -> bool {
        self.watched.iter().any(|c| modes[*c] != ConstraintMode::Idle)
    }

    /// All functions at the state of the dynamics. An event is where one of them falls through zero.
    pub fn values(&mut self, d: &Dynamics, t: f64, z: &[f64], g: &mut [f64]) {
        let mut gaps = self.open_gaps(d, t, z);
        for (k, &c) in self.watched.iter().enumerate() {
            let pair = self.function_pair(d, c, t, z, gaps[k]);
            for (i, value) in pair.into_iter().enumerate() {
                let at = FUNCTIONS_PER_CONSTRAINT * k + i;
                g[at] = (value + self.offsets[at]).min(NEVER_ZERO);
            }
        }
        for ((owner, i), g) in self.guards.iter().zip(&mut g[self.offsets.len()..]) {
            *g = match *owner {
                // An open constraint has no guard.
                SwitchOwner::Constraint(c)
                    if d.modes[c] == ConstraintMode::Idle && is_guarded_only_while_held(&d.model.constraints[c]) =>
                {
                    NEVER_ZERO
                }
                SwitchOwner::Constraint(c) => {
                    let entry = &d.model.constraints[c];
                    let view = ElementInput {
                        t,
                        motions: &d.kinematics.motions,
                        markers: &entry.markers,
                        z: &z[entry.z.clone()],
                    };
                    entry.kind.constraint().reset_guard(&view, *i)
                }
                SwitchOwner::Force(f) => {
                    let entry = &d.model.forces[f];
                    let view = ElementInput {
                        t,
                        motions: &d.kinematics.motions,
                        markers: &entry.markers,
                        z: &z[entry.z.clone()],
                    };
                    match &entry.kind {
                        ForceKind::Compliant(pair) if *i == GAP_GUARD => {
                            let seen = pair.gap_state(&view);
                            gaps.push(seen);
                            pair.gap_guard(&seen, view.z)
                        }
                        kind => kind.force().reset_guard(&view, *i),
                    }
                }
            };
        }
        self.gaps = gaps;
    }

    /// Gap or normal force, and friction reserve or slip, of one constraint.
    fn function_pair(&self, d: &Dynamics, c: usize, t: f64, z: &[f64], open: GapState) -> [f64; 2] {
        let entry = &d.model.constraints[c];
        let (mode, first) = (d.modes[c], entry.rows.start);
        let gap = match (entry.law, mode) {
            (ConstraintLaw::Unilateral(_), ConstraintMode::Idle) => open.gap,
            (ConstraintLaw::Unilateral(_), _) => d.lambda[first] + self.load_sharing[first],
            _ => NEVER_ZERO,
        };
        let Some(from) = entry.law.first_friction_row().filter(|from| *from < entry.rows.len()) else {
            return [gap, NEVER_ZERO];
        };
        let rows = first + from..entry.rows.end;
        let grip = match mode {
            ConstraintMode::Idle => NEVER_ZERO,
            ConstraintMode::Active => self.friction_reserve(d, c, t, z),
            ConstraintMode::Sliding(s) => rows.zip(s).map(|(r, s)| s * d.eq.inactive.rate[r]).sum(),
            // Held by others: any slip at all.
            ConstraintMode::Verging(_) => {
                let slip = rows.map(|r| d.eq.inactive.rate[r].powi(2)).sum::<f64>().sqrt();
                1e3 * ZERO_RATE_TOLERANCE * (d.model.contact_scale.length() + slip) - slip
            }
        };
        [gap, grip]
    }

    /// Lifts every function above zero, except those that rise by themselves.
    pub fn set_offsets(&mut self, d: &mut Dynamics, t: f64, q: &[f64], v: &[f64], z: &[f64]) {
        if d.solve_accelerations(t, q, v, z).is_err() {
            return;
        }
        let size = 1.0 + largest_magnitude(&d.lambda).0;
        self.lifted.clear();
        let gaps = self.open_gaps(d, t, z);
        for k in 0..self.watched.len() {
            let c = self.watched[k];
            let entry = &d.model.constraints[c];
            let [gap, grip] = self.function_pair(d, c, t, z, gaps[k]);
            let rises = d.modes[c] == ConstraintMode::Idle && gaps[k].rate > d.model.contact_scale.fast_opening();
            let least = match (d.modes[c], entry.law) {
                // A gap that starts below zero must fire when it returns to its start value.
                (ConstraintMode::Idle, ConstraintLaw::Unilateral(_)) if rises => 0.0,
                (ConstraintMode::Idle, _) => d.model.contact_scale.least_gap(),
                _ => MIN_FUNCTION_VALUE * size,
            };
            self.offsets[FUNCTIONS_PER_CONSTRAINT * k] = (least - gap).max(0.0);
            let least = match d.modes[c] {
                ConstraintMode::Active => MIN_FUNCTION_VALUE * size,
                _ => f64::NEG_INFINITY,
            };
            self.offsets[FUNCTIONS_PER_CONSTRAINT * k + 1] = (least - grip).max(0.0);
        }
    }

    /// Offsets of the functions and sharing of the load, for a checkpoint.
    pub fn offsets(&self) -> Vec<f64> {
        [&self.offsets[..], &self.load_sharing[..]].concat()
    }

    /// Functions lifted since the last decision.
    pub fn lifted(&self) -> &[usize] {
        &self.lifted
    }

    /// Restores both from a checkpoint.
    pub fn restore_offsets(&mut self, offsets: &[f64], lifted: &[usize]) {
        self.lifted = lifted.to_vec();
        if offsets.len() == self.offsets.len() + self.load_sharing.len() {
            let (own, shares) = offsets.split_at(self.offsets.len());
            self.offsets.copy_from_slice(own);
            self.load_sharing.copy_from_slice(shares);
        }
    }
}
