//! Audit of elements that may store or dissipate energy but must not create it: beams, bushings, cables, compliant
//! contacts, friction.
//!
//! The finite-volume formulation of a beam enforces equilibrium and has no potential: a strongly bent element returns
//! more or less energy than it stored. The energy balance of the run stays correct, because the difference counts as
//! work, but no real beam does this work. It is summed here over the steps by the trapezoidal rule, for every element.

use super::Scratch;
use crate::constraints::View;
use crate::dynamics::Dynamics;
use crate::forces::{Conservation, Force, ForceKind};
use crate::model::{ForceEntry, Model};
use crate::motion::Wrench;
use crate::solution::Severity;
use serde::{Deserialize, Serialize};

/// Fraction of the energy at work that elements may create through their own approximation.
const DOUBTFUL: f64 = 0.05;
const WRONG: f64 = 0.3;

/// Energy ledger of one element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Account {
    /// Power at the last check, W.
    power: f64,
    /// Energy created so far, J; negative if dissipated.
    created: f64,
}

/// Energy ledgers of all audited elements.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Elements {
    accounts: Vec<Account>,
    /// Time of the last check.
    t: Option<f64>,
    told: Severity,
    /// The wrenches of one element, and the powers of all.
    #[serde(skip)]
    scratch: Scratch<(Vec<Wrench>, Vec<f64>)>,
}

/// Elements that create energy.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Creation {
    pub severity: Severity,
    /// The element that creates most.
    pub element: String,
    /// Energy created by all elements, J, and its fraction of the energy at work.
    pub created: f64,
    pub share: f64,
}

/// Whether an element is elastic or dissipative by its kind, and can dissipate or create energy at all.
pub(crate) fn watched(f: &ForceEntry) -> bool {
    let passive =
        matches!(f.kind, ForceKind::Beam(_) | ForceKind::Bushing(_) | ForceKind::Cable(_) | ForceKind::Compliant(_));
    passive && (f.kind.force().conserves() == Conservation::Open || matches!(f.kind, ForceKind::Compliant(_)))
}

impl Elements {
    /// Whether a model has elements to audit.
    pub fn are_watched(d: &Dynamics) -> bool {
        d.model.forces.iter().any(watched)
    }

    /// Checks a step; the dynamics are evaluated at its end.
    pub fn look(&mut self, d: &Dynamics, t: f64, z: &[f64], at_work: f64) -> Option<Creation> {
        let (mut on, mut powers) = std::mem::take(&mut self.scratch.0);
        powers.clear();
        for f in d.model.forces.iter().filter(|f| watched(f)) {
            let view = View { t, motions: &d.scene.motions, ids: &f.markers, z: &z[f.z.clone()] };
            on.clear();
            on.resize(f.markers.len(), Wrench::ZERO);
            let force: &dyn Force = f.kind.force();
            force.apply(&view, &mut on);
            powers.push(force.work_rate(&view, &on));
        }
        self.book(t, &powers);
        self.scratch.0 = (on, powers);
        let (created, severity) = self.judge(at_work)?;
        self.told = severity;
        let most = self.accounts.iter().enumerate().max_by(|a, b| a.1.created.total_cmp(&b.1.created))?.0;
        let element = d.model.forces.iter().filter(|f| watched(f)).nth(most)?.name.clone();
        Some(Creation { severity, element, created, share: created / at_work })
    }

    /// Adds energy, J, that a force of the model gained from no other element.
    pub fn credit(&mut self, model: &Model, force: usize, energy: f64) {
        let watched_before = |f: usize| model.forces[..f].iter().filter(|f| watched(f)).count();
        self.accounts.resize(watched_before(model.forces.len()), Account::default());
        if let Some(account) = self.accounts.get_mut(watched_before(force)) {
            account.created += energy;
        }
    }

    /// Adds the work of a step that ended with these powers.
    fn book(&mut self, t: f64, powers: &[f64]) {
        let h = self.t.map_or(0.0, |before| t - before);
        self.t = Some(t);
        self.accounts.resize(powers.len(), Account::default());
        for (account, &power) in self.accounts.iter_mut().zip(powers).filter(|(_, power)| power.is_finite()) {
            account.created += 0.5 * h * (account.power + power);
            account.power = power;
        }
    }

    /// The energy created by all elements and its severity, if it is worse than already reported.
    fn judge(&self, at_work: f64) -> Option<(f64, Severity)> {
        if !(at_work > 0.0) {
            return None;
        }
        // Errors of elements of one beam compensate each other: only the sum counts.
        let created: f64 = self.accounts.iter().map(|a| a.created).sum();
        let severity = match created / at_work {
            share if share > WRONG => Severity::Wrong,
            share if share > DOUBTFUL => Severity::Doubtful,
            _ => return None,
        };
        (severity > self.told).then_some((created, severity))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_elements_create_is_summed_over_the_steps() {
        let mut elements = Elements::default();
        for k in 0..=10 {
            elements.book(0.1 * f64::from(k), &[2.0, -1.0]);
        }
        // 2 J and −1 J in a second.
        assert_eq!(elements.judge(100.0), None);
        let (created, severity) = elements.judge(10.0).unwrap();
        assert!((created - 1.0).abs() < 1e-12 && severity == Severity::Doubtful, "{created} {severity:?}");
        assert_eq!(elements.judge(2.0).map(|f| f.1), Some(Severity::Wrong));
    }

    #[test]
    fn what_is_spent_is_no_finding() {
        let mut elements = Elements::default();
        for k in 0..=10 {
            elements.book(0.1 * f64::from(k), &[-5.0, 1.0]);
        }
        assert_eq!(elements.judge(1e-3), None);
    }
}
