//! Contacts that settle: slips and openings so slow that they end before they matter.
//!
//! - In three dimensions a decaying slip seldom passes through zero: its direction rotates ever faster, and the steps that follow
//!   it shrink. What is left when it reverses is an error of the steps, and a friction force against it would have an arbitrary
//!   direction. A slip that friction can stop within [`ZENO_TIME`] is therefore stopped. Then it sticks, or slips in the direction
//!   of its acceleration.
//! - The impact of one contact opens its neighbours a little. Their impacts open it again, and with friction such a sequence need
//!   not decay (\[ChampneysVarkonyi2016\]). A gap that opens at less than the speed at which impacts are captured,
//!   and that presses if it is closed, stays closed.
//!
//! Both are done by an impulse. The energy loss is recorded.

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

/// Cosine of the angle between two directions of slip that are the same.
const SAME_DIRECTION: f64 = 0.9;

/// The state at which modes are decided.
#[derive(Clone, Copy)]
pub(super) struct SettlingContacts<'a> {
    pub model: &'a Model,
    pub t: f64,
    pub q: &'a [f64],
    pub z: &'a [f64],
    /// Modes before the decision.
    pub before: &'a [ConstraintMode],
    /// Constraints that have just rebounded by their own law.
    pub rebound: &'a [usize],
}

impl SettlingContacts<'_> {
    /// Ends slow slips and openings and decides the modes again. If there are none, returns the given modes.
    pub fn settle(
        &self,
        answers: &mut DelassusOperator,
        u: &DVector<f64>,
        verdict: DecidedModes,
        v: &mut [f64],
        report: &mut TransitionReport,
    ) -> DecidedModes {
        let mut slow = self.slow_slips(answers, u, &verdict);
        slow.extend(self.slow_openings(answers, u, &verdict));
        while !slow.is_empty() {
            let Some(ClosingImpulses { p, losses }) = self.stopping_impulses(answers, u, &verdict, &slow) else {
                break;
            };
            let mut after = v.to_vec();
            answers.add_velocity_change(&p, &mut after);
            let Some(found) = self.decide_again(answers, &after, &verdict.p) else { break };
            let settles = |k: &usize| match (found.modes[*k], verdict.modes[*k]) {
                (ConstraintMode::Idle, _) => false,
                // It would go on as it does now.
                (ConstraintMode::Sliding(d), ConstraintMode::Sliding(now)) => dot(d, now) < SAME_DIRECTION,
                _ => true,
            };
            if slow.iter().all(settles) {
                report.work += answers.driver_work(self.model, &p);
                report.losses.extend(losses);
                v.copy_from_slice(&after);
                return found;
            }
            slow.retain(settles);
        }
        verdict
    }

    fn decide_again(&self, answers: &mut DelassusOperator, v: &[f64], p: &DVector<f64>) -> Option<DecidedModes> {
        let SettlingContacts { model, t, q, z, before, .. } = *self;
        answers.evaluate(model, StateView { t, q, v, z, modes: before });
        let (free, held) = answers.free_accelerations(model);
        let speed = largest_magnitude(v).0;
        ModeDecision {
            model,
            answers,
            t,
            z,
            u: answers.rates(model),
            free_accelerations: free,
            bilateral_multipliers: held,
            present_forces: p.clone(),
            speed,
        }
        .solve_modes()
        .ok()
    }

    fn has_gap(&self, k: &CandidateConstraint) -> bool {
        matches!(self.model.constraints[k.c].law, ConstraintLaw::Unilateral(_))
    }

    /// The candidates that slide so slowly that their friction can stop them within [`ZENO_TIME`].
    fn slow_slips(&self, answers: &DelassusOperator, u: &DVector<f64>, verdict: &DecidedModes) -> Vec<usize> {
        let ends = |i: &usize| {
            let k = &answers.candidates[*i];
            let first = usize::from(self.has_gap(k));
            let slips = k.rows.start + first..k.rows.end;
            // The slip of a single row without a gap passes through zero.
            if !matches!(verdict.modes[*i], ConstraintMode::Sliding(_)) || k.rows.len() < 2 || slips.is_empty() {
                return false;
            }
            let size = |of: &DVector<f64>| slips.clone().map(|r| of[r] * of[r]).sum::<f64>().sqrt();
            let ease = slips.clone().map(|r| answers.G[(r, r)]).sum::<f64>() / slips.len() as f64;
            let speed = size(u);
            speed > 0.0 && speed <= ZENO_TIME * size(&verdict.p) * ease
        };
        (0..answers.candidates.len()).filter(ends).collect()
    }

    /// The gaps that open slowly, unless by their own rebound.
    fn slow_openings(&self, answers: &DelassusOperator, u: &DVector<f64>, verdict: &DecidedModes) -> Vec<usize> {
        let opens = |i: &usize| {
            let k = &answers.candidates[*i];
            let (idle, rate) = (verdict.modes[*i] == ConstraintMode::Idle, u[k.rows.start]);
            let slow = rate > 0.0 && rate <= self.model.contact_scale.capture_speed();
            self.has_gap(k) && idle && slow && !self.rebound.contains(&k.c)
        };
        (0..answers.candidates.len()).filter(opens).collect()
    }

    /// The impulses that stop these slips and openings while all closed and sticking contacts stay so.
    fn stopping_impulses(
        &self,
        answers: &DelassusOperator,
        u: &DVector<f64>,
        verdict: &DecidedModes,
        slow: &[usize],
    ) -> Option<ClosingImpulses> {
        let candidates = &answers.candidates;
        let taken = |(i, k): (usize, &CandidateConstraint)| match verdict.modes[i] {
            ConstraintMode::Idle => k.rows.start..k.rows.start + usize::from(slow.contains(&i)),
            ConstraintMode::Sliding(_) if slow.contains(&i) => k.rows.clone(),
            ConstraintMode::Sliding(_) => k.rows.start..k.rows.start + usize::from(self.has_gap(k)),
            _ => k.rows.clone(),
        };
        let rows: Vec<usize> = candidates.iter().enumerate().flat_map(taken).collect();
        let G = answers.G.select_rows(&rows).select_columns(&rows);
        let due = DVector::from_iterator(rows.len(), rows.iter().map(|r| -u[*r]));
        let own = CompleteOrthogonalDecomposition::new(&G, 1e-12)?.solve(&due)?;
        let mut p = DVector::zeros(u.len());
        rows.iter().zip(&own).for_each(|(r, x)| p[*r] = *x);
        let sum = u * 2.0 + &answers.G * &p;
        let lost = |k: &CandidateConstraint| (k.c, -0.5 * k.rows.clone().map(|r| p[r] * sum[r]).sum::<f64>());
        Some(ClosingImpulses { losses: candidates.iter().map(lost).collect(), p })
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
