//! Energy losses of time stepping, and contacts that it cannot treat as given.

use super::block_assembly::is_surface_contact;
use super::contact_ledger::{ConstraintLedger, ContactLedger};
use super::scheme::StepCounts;
use crate::MAX_CONTACT_PAIRS;
use crate::constraints::ConstraintKind;
use crate::contacts::ContactKind;
use crate::forces::ForceKind;
use crate::laws::{ConstraintLaw, Impact, ImpactLaw};
use crate::model::Model;
use crate::results::WorkTracking;
use crate::solution::{EnergyLosses, RecordedState, SteppingContacts, Warning};
use crate::state::State;

/// Energy lost since the start, for the columns of energy. Contacts of surfaces belong to no constraint.
#[derive(Clone, Debug)]
pub(super) struct StepLosses {
    /// Constraints, then one entry for surface contacts that are not constraints.
    rubbing: Vec<usize>,
    friction: Vec<f64>,
    impacts: Vec<f64>,
    /// Work of forces, drivers and corrections; `None` if a body does not report its energy.
    work: Option<f64>,
}

impl StepLosses {
    pub fn new(model: &Model) -> StepLosses {
        let known = WorkTracking::excluding(model, is_surface_contact) != WorkTracking::Unknown;
        let n = model.constraints.len();
        let (rubbing, none) = ((0..n).chain([usize::MAX]).collect(), vec![0.0; n + 1]);
        StepLosses { rubbing, friction: none.clone(), impacts: none, work: known.then_some(0.0) }
    }

    /// Whether all work is known.
    pub fn knows_work(&self) -> bool {
        self.work.is_some()
    }

    /// Takes over the losses so far.
    pub fn update(&mut self, tally: &StepCounts, entries: &[ConstraintLedger]) {
        let mut left = [tally.friction_loss, tally.contact_loss - tally.friction_loss];
        for ((entry, friction), impacts) in entries.iter().zip(&mut self.friction).zip(&mut self.impacts) {
            (*friction, *impacts) = (entry.friction_loss, entry.impact_loss);
            left = [left[0] - entry.friction_loss, left[1] - entry.impact_loss];
        }
        // Losses that no constraint reports.
        let others = self.friction.last_mut().into_iter().chain(self.impacts.last_mut());
        others.zip(left).for_each(|(sum, left)| *sum = left);
        self.work = self.work.map(|_| tally.correction_work + tally.driver_work);
    }

    /// The state for the recorder, with the losses.
    pub fn moment<'a>(
        &'a self,
        state: &'a State,
        account: &'a ContactLedger,
        energy_at_start: f64,
        step: f64,
    ) -> RecordedState<'a> {
        let lost =
            EnergyLosses { friction_constraints: &self.rubbing, friction: &self.friction, impacts: &self.impacts };
        let ContactLedger { modes, bound, impulses, .. } = account;
        let stepped = Some(SteppingContacts { modes, bound, impulses });
        let State { t, q, v, z, .. } = state;
        RecordedState {
            t: *t,
            q,
            v,
            z,
            work: self.work,
            lost,
            energy_at_start,
            step,
            stepping_contacts: stepped,
            independent_rows: false,
        }
    }
}

/// Warns of impact laws that time stepping does not support.
pub(super) fn warn_other_impact_laws(model: &Model, t: f64) -> Option<Warning> {
    let other = |i: &Impact| match i.law {
        ImpactLaw::Newton => false,
        ImpactLaw::Poisson => i.restitution > 0.0,
        ImpactLaw::Sequential => true,
    };
    let rule = model.contacts.iter().find(|c| matches!(&c.item.kind, ContactKind::Rigid(r) if other(&r.impact)));
    let stop = || {
        let stops = model.constraints.iter().filter(|c| !is_surface_contact(c));
        stops.map(|c| (&c.name, c.law)).find(|(_, law)| matches!(law, ConstraintLaw::Unilateral(i) if other(i)))
    };
    let name = rule.map(|r| &r.name).or_else(|| stop().map(|(name, _)| name))?;
    let message = format!(
        "`{name}` requests an impact law other than Newton's, but time stepping uses Newton's law for all contacts; use contact_method = \"event_driven\" \
         if the difference matters"
    );
    Some(Warning::notice(t, message))
}

/// Why compliant contacts cannot be computed, if they cannot.
pub(super) fn excess_compliant_contacts(model: &Model) -> Option<String> {
    let soft = |rule: usize| matches!(model.contacts[rule].item.kind, ContactKind::Compliant(_));
    let listed = model.constraints.iter().any(|c| matches!(c.kind, ConstraintKind::Contact(_)))
        || model.forces.iter().any(|f| matches!(f.kind, ForceKind::Compliant(_)));
    if listed || !(0..model.contacts.len()).any(soft) {
        return None;
    }
    let n = model.surfaces.len();
    let mut pairs = (0..n).flat_map(|b| (0..b).map(move |a| (a, b)));
    let rule = pairs.find_map(|(a, b)| model.contact_rule_between(a, b).filter(|rule| soft(*rule)))?;
    Some(format!(
        "contact `{}` is compliant, but with more than {MAX_CONTACT_PAIRS} pairs of surfaces in all, compliant contacts are not \
         computed; make it rigid, or name fewer pairs",
        model.contacts[rule].name
    ))
}
