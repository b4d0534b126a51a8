//! Audit of elements that may store or dissipate energy but must not create it: beams, bushings, cables, compliant
//! contacts, friction.
//!
//! The finite-volume formulation of a beam enforces equilibrium and has no potential: a strongly bent element returns
//! more or less energy than it stored. The energy balance of the run stays correct, because the difference counts as
//! work, but no real beam does this work. It is summed here over the steps by the trapezoidal rule, for every element.

use super::AuditScratch;
use crate::constraints::ElementInput;
use crate::dynamics::Dynamics;
use crate::forces::{Conservation, Force, ForceKind};
use crate::model::{ForceEntry, Model};
use crate::motion::Wrench;
use crate::solution::Severity;
use serde::{Deserialize, Serialize};

/// Fraction of the energy at work that elements may create through their own approximation.
const DOUBTFUL_FRACTION: f64 = 0.05;
const WRONG_FRACTION: f64 = 0.3;

/// Energy ledger of one element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct ElementEnergyLedger {
    /// Power at the last check, W.
    power: f64,
    /// Energy created so far, J; negative if dissipated.
    created: f64,
}

/// Energy ledgers of all audited elements.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ElementAudit {
    ledgers: Vec<ElementEnergyLedger>,
    /// Time of the last check.
    t: Option<f64>,
    reported: Severity,
    /// The wrenches of one element, and the powers of all.
    #[serde(skip)]
    scratch: AuditScratch<(Vec<Wrench>, Vec<f64>)>,
}

/// Elements that create energy.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EnergyCreation {
    pub severity: Severity,
    /// The element that creates most.
    pub element: String,
    /// Energy created by all elements, J, and its fraction of the energy at work.
    pub created: f64,
    pub fraction: f64,
}

/// Whether an element is elastic or dissipative by its kind, and can dissipate or create energy at all.
pub(crate) fn is_audited(f: &ForceEntry) -> bool {
    let passive =
        matches!(f.kind, ForceKind::Beam(_) | ForceKind::Bushing(_) | ForceKind::Cable(_) | ForceKind::Compliant(_));
    passive
        && (f.kind.force().conservation() == Conservation::NonConservative || matches!(f.kind, ForceKind::Compliant(_)))
}

impl ElementAudit {
    /// Whether a model has elements to audit.
    pub fn any_audited(d: &Dynamics) -> bool {
        d.model.forces.iter().any(is_audited)
    }

    /// Checks a step; the dynamics are evaluated at its end.
    pub fn check(&mut self, d: &Dynamics, t: f64, z: &[f64], at_work: f64) -> Option<EnergyCreation> {
        let (mut on, mut powers) = std::mem::take(&mut self.scratch.0);
        powers.clear();
        for f in d.model.forces.iter().filter(|f| is_audited(f)) {
            let view = ElementInput { t, motions: &d.kinematics.motions, markers: &f.markers, z: &z[f.z.clone()] };
            on.clear();
            on.resize(f.markers.len(), Wrench::ZERO);
            let force: &dyn Force = f.kind.force();
            force.apply(&view, &mut on);
            powers.push(force.nonconservative_power(&view, &on));
        }
        self.add_work_of_step(t, &powers);
        self.scratch.0 = (on, powers);
        let (created, severity) = self.assess(at_work)?;
        self.reported = severity;
        let most = self.ledgers.iter().enumerate().max_by(|a, b| a.1.created.total_cmp(&b.1.created))?.0;
        let element = d.model.forces.iter().filter(|f| is_audited(f)).nth(most)?.name.clone();
        Some(EnergyCreation { severity, element, created, fraction: created / at_work })
    }

    /// Adds energy, J, that a force of the model gained from no other element.
    pub fn add_created_energy(&mut self, model: &Model, force: usize, energy: f64) {
        let watched_before = |f: usize| model.forces[..f].iter().filter(|f| is_audited(f)).count();
        self.ledgers.resize(watched_before(model.forces.len()), ElementEnergyLedger::default());
        if let Some(account) = self.ledgers.get_mut(watched_before(force)) {
            account.created += energy;
        }
    }

    /// Adds the work of a step that ended with these powers.
    fn add_work_of_step(&mut self, t: f64, powers: &[f64]) {
        let h = self.t.map_or(0.0, |before| t - before);
        self.t = Some(t);
        self.ledgers.resize(powers.len(), ElementEnergyLedger::default());
        for (account, &power) in self.ledgers.iter_mut().zip(powers).filter(|(_, power)| power.is_finite()) {
            account.created += 0.5 * h * (account.power + power);
            account.power = power;
        }
    }

    /// The energy created by all elements and its severity, if it is worse than already reported.
    fn assess(&self, at_work: f64) -> Option<(f64, Severity)> {
        if !(at_work > 0.0) {
            return None;
        }
        // Errors of elements of one beam compensate each other: only the sum counts.
        let created: f64 = self.ledgers.iter().map(|a| a.created).sum();
        let severity = match created / at_work {
            fraction if fraction > WRONG_FRACTION => Severity::Wrong,
            fraction if fraction > DOUBTFUL_FRACTION => Severity::Doubtful,
            _ => return None,
        };
        (severity > self.reported).then_some((created, severity))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_elements_create_is_summed_over_the_steps() {
        let mut elements = ElementAudit::default();
        for k in 0..=10 {
            elements.add_work_of_step(0.1 * f64::from(k), &[2.0, -1.0]);
        }
        // 2 J and −1 J in a second.
        assert_eq!(elements.assess(100.0), None);
        let (created, severity) = elements.assess(10.0).unwrap();
        assert!((created - 1.0).abs() < 1e-12 && severity == Severity::Doubtful, "{created} {severity:?}");
        assert_eq!(elements.assess(2.0).map(|f| f.1), Some(Severity::Wrong));
    }

    #[test]
    fn what_is_spent_is_no_finding() {
        let mut elements = ElementAudit::default();
        for k in 0..=10 {
            elements.add_work_of_step(0.1 * f64::from(k), &[-5.0, 1.0]);
        }
        assert_eq!(elements.assess(1e-3), None);
    }
}
