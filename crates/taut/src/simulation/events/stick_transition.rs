//! The transition to sticking.
//!
//! In three dimensions a decaying slip seldom passes through zero: its direction rotates ever faster, and the steps that follow it
//! shrink. If friction can stop the slip within [`ZENO_TIME`], and it then sticks, it is stopped here by an
//! impulse. The energy loss is recorded.

use super::ZENO_TIME;
use super::delassus::{CandidateConstraint, DelassusOperator};
use super::impact::ClosingImpulses;
use super::mode_decision::{DecidedModes, ModeDecision};
use super::transition_report::TransitionReport;
use crate::equations::StateView;
use crate::formulations::CompleteOrthogonalDecomposition;
use crate::laws::ConstraintLaw;
use crate::mathematics::magnitude::largest_magnitude;
use crate::model::Model;
use crate::state::ConstraintMode;
use nalgebra::DVector;

/// The state at which modes are decided.
#[derive(Clone, Copy)]
pub(super) struct StickTransition<'a> {
    pub model: &'a Model,
    pub t: f64,
    pub q: &'a [f64],
    pub z: &'a [f64],
    /// Modes before the decision.
    pub before: &'a [ConstraintMode],
}

impl StickTransition<'_> {
    /// Stops the slips that can be stopped and decides the modes again. If there are none, returns the given modes.
    pub fn end_slow_slips(
        &self,
        delassus: &mut DelassusOperator,
        u: &DVector<f64>,
        verdict: DecidedModes,
        v: &mut [f64],
        report: &mut TransitionReport,
    ) -> DecidedModes {
        let mut slow = self.slow_slips(delassus, u, &verdict);
        while !slow.is_empty() {
            let Some(ClosingImpulses { p, losses }) = self.stopping_impulses(delassus, u, &verdict, &slow) else {
                break;
            };
            let mut after = v.to_vec();
            delassus.add_velocity_change(&p, &mut after);
            let Some(found) = self.decide_again(delassus, &after) else { break };
            let stays = |k: &usize| found.modes[*k] == ConstraintMode::Active;
            if slow.iter().all(stays) {
                report.work += delassus.driver_work(self.model, &p);
                report.losses.extend(losses);
                v.copy_from_slice(&after);
                return found;
            }
            slow.retain(stays);
        }
        verdict
    }

    fn decide_again(&self, delassus: &mut DelassusOperator, v: &[f64]) -> Option<DecidedModes> {
        let StickTransition { model, t, q, z, before } = *self;
        delassus.evaluate(model, StateView { t, q, v, z, modes: before });
        let (free, held) = delassus.free_accelerations(model);
        let speed = largest_magnitude(v).0;
        ModeDecision {
            model,
            delassus,
            t,
            z,
            u: delassus.rates(model),
            free_accelerations: free,
            bilateral_multipliers: held,
            speed,
        }
        .solve_modes()
        .ok()
    }

    fn has_gap(&self, k: &CandidateConstraint) -> bool {
        matches!(self.model.constraints[k.c].law, ConstraintLaw::Unilateral(_))
    }

    /// The candidates that slide so slowly that their friction can stop them within [`ZENO_TIME`].
    fn slow_slips(&self, delassus: &DelassusOperator, u: &DVector<f64>, verdict: &DecidedModes) -> Vec<usize> {
        let ends = |i: &usize| {
            let k = &delassus.candidates[*i];
            let slips = k.rows.start + 1..k.rows.end;
            let pressed = verdict.p[k.rows.start];
            if !matches!(verdict.modes[*i], ConstraintMode::Sliding(_))
                || !self.has_gap(k)
                || slips.is_empty()
                || pressed <= 0.0
            {
                return false;
            }
            let speed = slips.clone().map(|r| u[r] * u[r]).sum::<f64>().sqrt();
            let ease = slips.clone().map(|r| delassus.G[(r, r)]).sum::<f64>() / slips.len() as f64;
            speed > 0.0 && speed <= ZENO_TIME * k.friction_bound.friction.slip * pressed * ease
        };
        (0..delassus.candidates.len()).filter(ends).collect()
    }

    /// The impulses that stop these slips while all closed and sticking contacts stay so.
    fn stopping_impulses(
        &self,
        delassus: &DelassusOperator,
        u: &DVector<f64>,
        verdict: &DecidedModes,
        slow: &[usize],
    ) -> Option<ClosingImpulses> {
        let candidates = &delassus.candidates;
        let taken = |(i, k): (usize, &CandidateConstraint)| match verdict.modes[i] {
            ConstraintMode::Idle => k.rows.start..k.rows.start,
            ConstraintMode::Sliding(_) if slow.contains(&i) => k.rows.clone(),
            ConstraintMode::Sliding(_) => k.rows.start..k.rows.start + usize::from(self.has_gap(k)),
            _ => k.rows.clone(),
        };
        let rows: Vec<usize> = candidates.iter().enumerate().flat_map(taken).collect();
        let G = delassus.G.select_rows(&rows).select_columns(&rows);
        let due = DVector::from_iterator(rows.len(), rows.iter().map(|r| -u[*r]));
        let own = CompleteOrthogonalDecomposition::new(&G, 1e-12)?.solve(&due)?;
        let mut p = DVector::zeros(u.len());
        rows.iter().zip(&own).for_each(|(r, x)| p[*r] = *x);
        let sum = u * 2.0 + &delassus.G * &p;
        let lost = |k: &CandidateConstraint| (k.c, -0.5 * k.rows.clone().map(|r| p[r] * sum[r]).sum::<f64>());
        Some(ClosingImpulses { losses: candidates.iter().map(lost).collect(), p })
    }
}
