//! The transition to sticking.
//!
//! In three dimensions a decaying slip seldom passes through zero: its direction rotates ever faster, and the steps that follow it
//! shrink. If friction can stop the slip within [`ZENO`], and it then sticks, it is stopped here by an
//! impulse. The energy loss is recorded.

use super::ZENO;
use super::answers::{Answers, Candidate};
use super::decide::{Decision, Verdict};
use super::impact::Lingering;
use super::report::Report;
use crate::equations::At;
use crate::formulations::RankRevealing;
use crate::laws::Law;
use crate::model::Model;
use crate::state::Mode;
use nalgebra::DVector;

/// The state at which modes are decided.
#[derive(Clone, Copy)]
pub(super) struct Here<'a> {
    pub model: &'a Model,
    pub t: f64,
    pub q: &'a [f64],
    pub z: &'a [f64],
    /// Modes before the decision.
    pub before: &'a [Mode],
}

impl Here<'_> {
    /// Stops the slips that can be stopped and decides the modes again. If there are none, returns the given modes.
    pub fn seize(
        &self,
        answers: &mut Answers,
        u: &DVector<f64>,
        verdict: Verdict,
        v: &mut [f64],
        report: &mut Report,
    ) -> Verdict {
        let mut slow = self.slow(answers, u, &verdict);
        while !slow.is_empty() {
            let Some(Lingering { p, losses }) = self.stop(answers, u, &verdict, &slow) else { break };
            let mut after = v.to_vec();
            answers.add_motion(&p, &mut after);
            let Some(found) = self.decided(answers, &after) else { break };
            let stays = |k: &usize| found.modes[*k] == Mode::Active;
            if slow.iter().all(stays) {
                report.work += answers.driven(self.model, &p);
                report.losses.extend(losses);
                v.copy_from_slice(&after);
                return found;
            }
            slow.retain(stays);
        }
        verdict
    }

    fn decided(&self, answers: &mut Answers, v: &[f64]) -> Option<Verdict> {
        let Here { model, t, q, z, before } = *self;
        answers.place(model, At { t, q, v, z, modes: before });
        let (free, held) = answers.free_accelerations(model);
        let speed = crate::solution::worst(v).0;
        Decision { model, answers, t, z, u: answers.rates(model), free, held, speed }.verdict().ok()
    }

    fn has_gap(&self, k: &Candidate) -> bool {
        matches!(self.model.constraints[k.c].law, Law::Unilateral(_))
    }

    /// The candidates that slide so slowly that their friction can stop them within [`ZENO`].
    fn slow(&self, answers: &Answers, u: &DVector<f64>, verdict: &Verdict) -> Vec<usize> {
        let ends = |i: &usize| {
            let k = &answers.candidates[*i];
            let slips = k.rows.start + 1..k.rows.end;
            let pressed = verdict.p[k.rows.start];
            if !matches!(verdict.modes[*i], Mode::Sliding(_)) || !self.has_gap(k) || slips.is_empty() || pressed <= 0.0
            {
                return false;
            }
            let speed = slips.clone().map(|r| u[r] * u[r]).sum::<f64>().sqrt();
            let ease = slips.clone().map(|r| answers.G[(r, r)]).sum::<f64>() / slips.len() as f64;
            speed > 0.0 && speed <= ZENO * k.grip.friction.slip * pressed * ease
        };
        (0..answers.candidates.len()).filter(ends).collect()
    }

    /// The impulses that stop these slips while all closed and sticking contacts stay so.
    fn stop(&self, answers: &Answers, u: &DVector<f64>, verdict: &Verdict, slow: &[usize]) -> Option<Lingering> {
        let candidates = &answers.candidates;
        let taken = |(i, k): (usize, &Candidate)| match verdict.modes[i] {
            Mode::Idle => k.rows.start..k.rows.start,
            Mode::Sliding(_) if slow.contains(&i) => k.rows.clone(),
            Mode::Sliding(_) => k.rows.start..k.rows.start + usize::from(self.has_gap(k)),
            _ => k.rows.clone(),
        };
        let rows: Vec<usize> = candidates.iter().enumerate().flat_map(taken).collect();
        let G = answers.G.select_rows(&rows).select_columns(&rows);
        let due = DVector::from_iterator(rows.len(), rows.iter().map(|r| -u[*r]));
        let own = RankRevealing::new(&G, 1e-12)?.solve(&due)?;
        let mut p = DVector::zeros(u.len());
        rows.iter().zip(&own).for_each(|(r, x)| p[*r] = *x);
        let sum = u * 2.0 + &answers.G * &p;
        let lost = |k: &Candidate| (k.c, -0.5 * k.rows.clone().map(|r| p[r] * sum[r]).sum::<f64>());
        Some(Lingering { losses: candidates.iter().map(lost).collect(), p })
    }
}
