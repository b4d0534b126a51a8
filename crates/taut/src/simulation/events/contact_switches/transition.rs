//! The transition at an event: impacts, then the modes that follow, then the events to report.

use super::{ContactSwitches, ParadoxResponse};
use crate::dynamics::Dynamics;
use crate::equations::StateView;
use crate::interruption;
use crate::laws::ConstraintLaw;
use crate::mathematics::magnitude::largest_magnitude;
use crate::model::Model;
use crate::simulation::events::apply_impact::apply_impact;
use crate::simulation::events::delassus::DelassusOperator;
use crate::simulation::events::impact::{ClosingImpulses, ImpactProblem};
use crate::simulation::events::mode_decision::{DecidedModes, ModeDecision};
use crate::simulation::events::stick_transition::StickTransition;
use crate::simulation::events::transition_report::TransitionReport;
use crate::simulation::events::{EventKind, EventRecord, ModeSelectionError};
use crate::state::ConstraintMode;

/// Most impacts at one moment.
const MAX_IMPACT_ROUNDS: usize = 100;

/// State of the impulse that helps where Coulomb's law has no solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ParadoxImpulse {
    Requested,
    Applied,
}

impl ContactSwitches {
    /// Decides all modes at a state. Velocities jump where gaps close with a speed; the modes follow from the new velocities.
    pub fn transition(
        &mut self,
        d: &mut Dynamics,
        t: f64,
        q: &[f64],
        v: &mut [f64],
        z: &[f64],
    ) -> Result<TransitionReport, ModeSelectionError> {
        let mut report = TransitionReport::default();
        let Some(mut delassus) = self.delassus.take() else { return Ok(report) };
        let result = self.decide_modes(&mut delassus, d, t, q, v, z, &mut report);
        self.delassus = Some(delassus);
        result?;
        Ok(report)
    }

    /// Impacts until no gap closes with a speed, then the modes.
    fn decide_modes(
        &mut self,
        delassus: &mut DelassusOperator,
        d: &mut Dynamics,
        t: f64,
        q: &[f64],
        v: &mut [f64],
        z: &[f64],
        report: &mut TransitionReport,
    ) -> Result<(), ModeSelectionError> {
        let model = d.model;
        let before = d.modes.clone();
        delassus.evaluate(model, StateView { t, q, v, z, modes: &before });
        let closed = |c: &usize| match model.constraints[*c].law {
            ConstraintLaw::Unilateral(_) => {
                before[*c] != ConstraintMode::Idle
                    || delassus.eq.inactive.phi[model.constraints[*c].rows.start] <= model.contact_scale.closed_gap()
            }
            _ => before[*c] != ConstraintMode::Idle,
        };
        let closed: Vec<usize> = self.watched.iter().copied().filter(closed).collect();
        delassus.assemble(model, t, z, &closed);
        let (mut jammed, mut rebound) = (None, Vec::new());
        for round in 0.. {
            let u = delassus.rates(model);
            let speed = largest_magnitude(v).0;
            let (free, held) = delassus.free_accelerations(model);
            let setting = ImpactProblem { model, delassus, t, z, speed, free: &free, effort: self.effort };
            let impulses = match jammed {
                Some((c, ParadoxImpulse::Requested)) => {
                    jammed = Some((c, ParadoxImpulse::Applied));
                    Some(setting.paradox_impulses(&u, c).ok_or(ModeSelectionError::Paradox(c))?)
                }
                _ => setting.is_due(&u).then(|| setting.impulses(&u)),
            };
            if let Some(impulses) = impulses {
                if round > MAX_IMPACT_ROUNDS || interruption::is_requested() {
                    return Err(ModeSelectionError::EndlessImpacts(closed));
                }
                rebound.extend(apply_impact(delassus, model, &impulses, t, v, report));
                delassus.evaluate(model, StateView { t, q, v, z, modes: &before });
                continue;
            }
            let (u, free, held) = match setting.closing_impulses(&u, &rebound) {
                None => (u, free, held),
                Some(ClosingImpulses { p, losses }) => {
                    delassus.add_velocity_change(&p, v);
                    report.work += delassus.driver_work(model, &p);
                    report.losses.extend(losses);
                    delassus.evaluate(model, StateView { t, q, v, z, modes: &before });
                    let (free, held) = delassus.free_accelerations(model);
                    (delassus.rates(model), free, held)
                }
            };
            let verdict = ModeDecision {
                model,
                delassus,
                t,
                z,
                u: u.clone(),
                free_accelerations: free,
                bilateral_multipliers: held,
                speed,
            }
            .solve_modes();
            match (verdict, jammed) {
                (Ok(verdict), _) => {
                    report.ambiguous_contact = verdict.ambiguous_contact.map(|c| model.constraints[c].name.clone());
                    let here = StickTransition { model, t, q, z, before: &before };
                    let DecidedModes { modes, .. } = here.end_slow_slips(delassus, &u, verdict, v, report);
                    let gaps = |c: &&usize| model.constraints[**c].law != ConstraintLaw::Frictional;
                    self.watched.iter().filter(gaps).for_each(|c| d.modes[*c] = ConstraintMode::Idle);
                    closed.iter().copied().zip(modes).for_each(|(c, mode)| d.modes[c] = mode);
                    self.verify_modes(d, t, q, v, z, delassus);
                    break;
                }
                (Err(ModeSelectionError::Paradox(c)), None) if self.paradox == ParadoxResponse::Impulse => {
                    jammed = Some((c, ParadoxImpulse::Requested));
                }
                (Err(trouble), _) => return Err(trouble),
            }
        }
        self.report_mode_changes(model, &before, &d.modes, t, report);
        self.set_offsets(d, t, q, v, z);
        Ok(())
    }

    /// Reports the events between the modes before and after.
    fn report_mode_changes(
        &self,
        model: &Model,
        before: &[ConstraintMode],
        after: &[ConstraintMode],
        t: f64,
        report: &mut TransitionReport,
    ) {
        let slides = |m: ConstraintMode| matches!(m, ConstraintMode::Sliding(_));
        for &c in &self.watched {
            let entry = &model.constraints[c];
            let (a, b) = (before[c], after[c]);
            let grips = entry.law.first_friction_row().is_some_and(|from| from < entry.rows.len());
            let rests = report.events.iter().any(|o| o.index == c && o.what == EventKind::Rests);
            let mut put = |what| report.events.push(EventRecord::new(&entry.name, c, t, what));
            match (a == ConstraintMode::Idle, b == ConstraintMode::Idle) {
                (true, false) if !rests => put(EventKind::Closes),
                (false, true) => put(EventKind::Opens),
                _ => {}
            }
            if grips && b != ConstraintMode::Idle {
                match (slides(a), slides(b)) {
                    (false, true) => put(EventKind::Slips),
                    (true, false) => put(EventKind::Sticks),
                    (true, true)
                        if a.slip_direction()
                            .zip(b.slip_direction())
                            .is_some_and(|(a, b)| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() < 0.0) =>
                    {
                        put(EventKind::Slips);
                    }
                    _ => {}
                }
            }
        }
    }
}
