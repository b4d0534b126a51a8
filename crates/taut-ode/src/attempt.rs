//! A single attempt at a step of an explicit method: stages, error, size and acceptance.

use crate::checkpoint::{AMPLIFIED_ROUNDOFF, DenseOutputEnd, StepExtent, StepGrowth, StepSizeSource, Validity};
use crate::first_step::{FirstStep, finite_rates};
use crate::runge_kutta::RungeKutta;
use crate::tableau::{EndStage, ErrorEstimate};
use crate::{Refusal, System};

/// Relative tolerance below which the stages keep the larger distance from a singular time.
const TIGHT_RTOL: f64 = 2e-9;

/// A singular time closer than this fraction of a step is already being left.
const LEAVING_SHARE: f64 = 1e-3;

/// An approach shorter than this fraction of a step is omitted; the singular time still lies well within the gap.
const NEGLIGIBLE_APPROACH: f64 = 0.04;

/// A first approach ends this fraction of a step early.
const APPROACH_MARGIN: f64 = 0.15;

/// A remainder below this fraction of a step is round-off.
const ROUNDING_REMAINDER: f64 = 1e-6;

/// Weight of the last step in the estimate of stiffness.
const STIFFNESS_WEIGHT: f64 = 0.2;

/// Whether a step is shortened.
#[derive(Debug, Clone, Copy)]
pub(crate) enum StepCut {
    No,
    /// By the stopping time.
    ByStoppingTime {
        planned: f64,
    },
    /// So that this step or the next crosses a singular time between its stages.
    BeforeSingularity {
        planned: f64,
    },
}

impl StepCut {
    /// The length that the stopping time removed from a step, which now has this size.
    pub fn remainder(self, size: f64) -> Option<f64> {
        match self {
            Self::ByStoppingTime { planned } => {
                Some(planned - size).filter(|left| *left > ROUNDING_REMAINDER * planned)
            }
            Self::No | Self::BeforeSingularity { .. } => None,
        }
    }
}

/// The state to which a combination of stages is added.
#[derive(Debug, Clone, Copy)]
pub(crate) enum StageBase {
    Present,
    Old,
}

/// `sum_j weights_j k_j`, in the order of the stages.
pub(crate) fn weighted_stages(weights: &[f64], k: &[f64], sum: &mut [f64]) {
    sum.fill(0.0);
    if sum.is_empty() {
        return;
    }
    for (w, k) in weights.iter().zip(k.chunks_exact(sum.len())) {
        if *w != 0.0 {
            for (s, k) in sum.iter_mut().zip(k) {
                *s += w * k;
            }
        }
    }
}

impl RungeKutta {
    /// `argument = y + h sum_j weights_j k_j`
    pub(crate) fn combine(&mut self, weights: &[f64], y: StageBase, h: f64) {
        weighted_stages(weights, &self.state.k, &mut self.argument);
        let y = match y {
            StageBase::Present => &self.state.y,
            StageBase::Old => &self.state.y_old,
        };
        for (x, y) in self.argument.iter_mut().zip(y) {
            *x = y + h * *x;
        }
    }

    /// Evaluates stage `i` at the argument.
    pub(crate) fn evaluate_stage(&mut self, system: &mut dyn System, i: usize, t: f64) -> Result<(), Refusal> {
        let n = self.argument.len();
        self.state.statistics.evaluations += 1;
        let k = &mut self.state.k[i * n..(i + 1) * n];
        finite_rates(system, t, &self.argument, k)
    }

    /// Computes `y_new` for the step from the present state to `t_new`; returns its error.
    // [HairerNorsettWanner1993] II.1 eq. (1.8)
    pub(crate) fn attempt(&mut self, system: &mut dyn System, t_new: f64, h: f64) -> Result<f64, Refusal> {
        let tableau = self.tableau;
        let t = self.state.t;
        system.attempt(t, h);
        for i in 1..tableau.end() {
            self.combine(tableau.a[i], StageBase::Present, h);
            // At c = 1 exactly the end time, which may be the stopping time.
            let c = tableau.c[i];
            let t_stage = if c == 1.0 { t_new } else { t + c * h };
            self.evaluate_stage(system, i, t_stage)?;
        }
        self.combine(tableau.b, StageBase::Present, h);
        if !self.argument.iter().all(|x| x.is_finite()) {
            return Err(Refusal::NotFinite);
        }
        self.y_new.copy_from_slice(&self.argument);
        if tableau.end_stage == EndStage::WithAttempt {
            self.evaluate_stage(system, tableau.end(), t_new)?;
        }
        Ok(self.estimate(h))
    }

    /// Norm of the local error of the attempted step.
    fn estimate(&mut self, h: f64) -> f64 {
        let h = h.abs();
        match self.tableau.error {
            ErrorEstimate::None => 0.0,
            ErrorEstimate::Embedded(weights) => h * self.error_norm(weights),
            ErrorEstimate::Combined { fifth, third } => {
                // [HairerNorsettWanner1993] II.10 eq. (10.17)
                let fifth = self.error_norm(fifth).powi(2);
                let third = self.error_norm(third).powi(2);
                if fifth == 0.0 && third == 0.0 {
                    return 0.0;
                }
                h * fifth / (fifth + 0.01 * third).sqrt()
            }
        }
    }

    fn error_norm(&mut self, weights: &[f64]) -> f64 {
        weighted_stages(weights, &self.state.k, &mut self.error);
        self.tolerance.norm(&self.error, &self.state.y, &self.y_new)
    }

    /// Size of the first attempt.
    pub(crate) fn initial_step_size(&mut self, system: &mut dyn System, t_stop: f64) -> f64 {
        let distance = (t_stop - self.state.t).abs();
        let h = match (self.state.h_next, self.state.opening) {
            (Some(h), StepSizeSource::Known) => h,
            (plan, _) => {
                let first = FirstStep {
                    tolerance: &self.tolerance,
                    exponent: f64::from(self.tableau.error_exponent),
                    plan,
                    h_most: distance.min(self.bounds.h_max),
                    direction: (t_stop - self.state.t).signum(),
                };
                let s = &mut self.state;
                let (h, evaluations) = first.choose(system, s.t, &s.y, &s.f, &mut self.y_new, &mut self.argument);
                s.statistics.evaluations += evaluations;
                h
            }
        };
        h.min(self.bounds.h_max)
    }

    /// End time of a step of size `h`: the stopping time if the step (almost) reaches it.
    pub(crate) fn end_of_step(&self, h: f64, t_stop: f64) -> (f64, StepCut) {
        let stride = self.step_around_singularity(h, t_stop);
        match self.bounds.end_of_step(self.state.t, stride, t_stop) {
            (t_new, StepCut::No) if stride < h => (t_new, StepCut::BeforeSingularity { planned: h }),
            end => end,
        }
    }

    /// Size of a step of at most `h` that keeps its stages and its end away from the singular time.
    fn step_around_singularity(&self, h: f64, t_stop: f64) -> f64 {
        let direction = (t_stop - self.state.t).signum();
        let Some(ahead) = self.state.obstacle.map(|t| (t - self.state.t) * direction) else { return h };
        if self.bounds.h_fixed.is_some() || ahead < LEAVING_SHARE * h {
            return h;
        }
        // A loose tolerance needs less distance.
        let (clear, behind) = if self.tolerance.rtol < TIGHT_RTOL { (0.12, 0.6) } else { (0.05, 0.2) };
        let well = if ahead < h { self.tableau.clearance(ahead / h) >= clear } else { ahead >= (1.0 + behind) * h };
        if well {
            return h;
        }
        let gap = self.tableau.widest_gap();
        if ahead <= gap * h {
            return ahead / gap;
        }
        // Approach it so that the next step, of the planned size, crosses it in the gap. First with a margin, since the
        // prediction of the singular time improves with the distance.
        let approach = ahead - gap * h;
        if approach < NEGLIGIBLE_APPROACH * h {
            h
        } else if approach < 3.0 * APPROACH_MARGIN * h {
            approach
        } else {
            (approach - APPROACH_MARGIN * h).min(h)
        }
    }

    /// Factor on the tolerance of a step to `t_new`. Across a singular time round-off is amplified, the more the shorter the
    /// step, and no smaller error can be demanded.
    pub(crate) fn error_allowance(&self, t: f64, t_new: f64) -> f64 {
        match self.state.obstacle {
            Some(o) if (o - t) * (o - t_new) < 0.0 => {
                // The round-off of the largest component may reach any other.
                let size = self.state.y.iter().fold(1.0_f64, |size, y| size.max(y.abs()));
                (AMPLIFIED_ROUNDOFF * size / self.tolerance.rtol).max(1.0)
            }
            _ => 1.0,
        }
    }

    /// Accepts the attempted step.
    pub(crate) fn accept(&mut self, t_new: f64, h: f64, cut: StepCut, error: f64) {
        let fsal = self.tableau.end_stage == EndStage::WithAttempt;
        let state = &mut self.state;
        self.controller.last_error = state.last_error;
        state.last_error_old = state.last_error;
        let size = h.abs();
        let h_next = if let Some(h) = self.bounds.h_fixed {
            h
        } else if let StepCut::ByStoppingTime { planned } = cut {
            // The error of a shortened step says little: plan and controller do not change, unless it shows that the planned
            // size is too large.
            planned.min(size * self.controller.allowance(error.min(1.0)))
        } else if let StepCut::BeforeSingularity { planned } = cut {
            // The approach was made for a next step of the planned size.
            planned
        } else {
            // An error above the tolerance was accepted across a singular time: it says nothing about the step size.
            let factor = self.controller.accepted(error.min(1.0));
            match state.growth {
                StepGrowth::Free => size * factor,
                StepGrowth::Held => size * factor.min(1.0),
            }
        };
        state.last_error = self.controller.last_error;
        state.h_next = Some(h_next.min(self.bounds.h_max));
        (state.growth, state.opening) = (StepGrowth::Free, StepSizeSource::Known);
        state.remainder = cut.remainder(size);
        std::mem::swap(&mut state.y, &mut state.y_old);
        state.y.copy_from_slice(&self.y_new);
        state.t_old = state.t;
        state.t = t_new;
        (state.accepted_lengths[1], state.accepted_lengths[0]) = (state.accepted_lengths[0], h);
        state.h = h;
        state.span = StepExtent::Whole;
        state.tail = DenseOutputEnd::Joined;
        state.extra_stages = Validity::Stale;
        state.rows_content = Validity::Stale;
        if fsal {
            let n = state.y.len();
            let end = self.tableau.end() * n;
            state.f.copy_from_slice(&state.k[end..end + n]);
            state.f_content = Validity::Fresh;
            state.end_stage = Validity::Fresh;
        } else {
            state.f_content = Validity::Stale;
            state.end_stage = Validity::Stale;
        }
        state.statistics.accepted += 1;
    }

    /// Estimates `h |lambda|` of the last step from two states near its end, which differ mostly in stiff components, and their
    /// derivatives. To be called while the stages of the step are still stored.
    // [HairerWanner1996] IV.2, "Stiffness Detection", eq. (2.37)
    pub(crate) fn estimate_stiffness(&mut self) {
        let (tableau, n) = (self.tableau, self.state.y.len());
        if self.state.span != StepExtent::Whole || self.state.tail != DenseOutputEnd::Joined || n == 0 {
            return;
        }
        let last = tableau.end() - 1;
        self.combine(tableau.a[last], StageBase::Old, self.state.h);
        let state = &mut self.state;
        for i in 0..n {
            self.argument[i] = state.y[i] - self.argument[i];
            self.error[i] = state.f[i] - state.k[last * n + i];
        }
        let below = self.tolerance.norm(&self.argument, &state.y, &state.y_old);
        let above = self.tolerance.norm(&self.error, &state.y, &state.y_old);
        let ratio = state.h.abs() * above / below / tableau.decay;
        if ratio.is_finite() {
            let before = state.stiffness.unwrap_or(ratio);
            state.stiffness = Some(before + STIFFNESS_WEIGHT * (ratio - before));
        }
    }
}
