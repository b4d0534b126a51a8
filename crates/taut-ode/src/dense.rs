//! Dense output of the Runge-Kutta methods.

use crate::attempt::{StageBase, weighted_stages};
use crate::checkpoint::{DenseOutputEnd, StepExtent, StepperState, Validity};
use crate::first_step::finite_rates;
use crate::runge_kutta::RungeKutta;
use crate::{Refusal, System};

/// Usual difference between stages and dense output at a tolerance of one, in its units; smooth problems stay below a tenth.
const USUAL_DEFECT: f64 = 1e3;

/// Largest error of the dense output, in units of the tolerance. Smooth problems mostly stay below ten.
const ALLOWED_INTERPOLATION_ERROR: f64 = 20.0;
/// Rows from which the error of the dense output is estimated, each with the largest value of its factor,
/// θ³(1 − θ)², θ³(1 − θ)³ and θ⁴(1 − θ)³.
const LOWER_ROW: (usize, f64) = (4, 0.03456);
const MIDDLE_ROW: (usize, f64) = (5, 0.015625);
const LAST_ROW: (usize, f64) = (6, 6912.0 / 823_543.0);
/// Ratio of the middle row to the lower one above which the rows do not decrease. Smooth problems stay below 0.3, powers of
/// the time since the start of the step are above 0.6.
const NO_DECREASE: f64 = 0.45;

/// Error of a step of fifth order in units of its last dense row, where its right-hand side begins like a square root; so it is for
/// powers from 1/2 to 3/4 of the time, also if the step begins up to one of its lengths later, if multiplied by the cube of the ratio of
/// the last two rows. On smooth motions the product is at most five times the error estimate.
const BEGINNING_ERROR: f64 = 0.036;
/// Largest error of such a step, in units of the tolerance.
const ALLOWED_BEGINNING_ERROR: f64 = 5.0;
/// The last two rows of the dense output of fourth order.
const CUBIC_ROW: usize = 2;
const QUARTIC_ROW: usize = 3;

/// Ratio of the lengths of two steps above which the estimated error of the second may be small by chance.
const MUCH_LONGER: f64 = 2.0;

/// Smallest relative tolerance at which longer steps are checked: below it dense output of seventh order cannot keep up with steps of
/// eighth order on smooth problems either.
const LEAST_CHECKED_RTOL: f64 = 1e-12;

/// Lengths of accepted steps before the first one, and the default for older checkpoints.
pub(crate) fn no_steps() -> Vec<f64> {
    vec![0.0; 2]
}

impl RungeKutta {
    /// Dense output at `t`; see `Stepper::interpolate`.
    pub(crate) fn dense_output(&mut self, system: &mut dyn System, t: f64, out: &mut [f64]) -> Result<(), Refusal> {
        if self.state.at_ends(t, out)? == StepLocation::Inside {
            self.prepare_dense_output(system)?;
            self.state.evaluate_inside(t, out);
        }
        Ok(())
    }

    /// Ends the last step at `t`; see `Stepper::truncate`.
    pub(crate) fn cut(&mut self, system: &mut dyn System, t: f64) -> Result<(), Refusal> {
        if t != self.state.t && self.state.span != StepExtent::Empty {
            self.prepare_dense_output(system)?;
        }
        self.state.truncate(t, &mut self.argument)
    }

    /// Computes the coefficients of the dense output and the stages that they need, if that is not done.
    fn prepare_dense_output(&mut self, system: &mut dyn System) -> Result<(), Refusal> {
        if self.state.rows_content == Validity::Fresh {
            return Ok(());
        }
        match self.state.tail {
            DenseOutputEnd::Joined => self.ensure_derivative(system)?,
            DenseOutputEnd::Parted => self.ensure_end_derivative(system)?,
        }
        self.fill_stages(system)?;
        self.fill_rows();
        self.state.rows_content = Validity::Fresh;
        Ok(())
    }

    /// Evaluates the derivative before the jump if it is not known.
    fn ensure_end_derivative(&mut self, system: &mut dyn System) -> Result<(), Refusal> {
        let state = &mut self.state;
        if state.f_end_content == Validity::Stale {
            state.statistics.evaluations += 1;
            finite_rates(system, state.t, &state.y_end, &mut state.f_end)?;
            state.f_end_content = Validity::Fresh;
        }
        Ok(())
    }

    /// Computes the stage at the end of the step and the additional stages.
    ///
    /// A correction made after the stages does not change them: they describe the inside of the
    /// step, and the correction is added to it as a cubic.
    fn fill_stages(&mut self, system: &mut dyn System) -> Result<(), Refusal> {
        let tableau = self.tableau;
        let end = tableau.end();
        let state = &mut self.state;
        let n = state.y.len();
        if state.end_stage == Validity::Stale {
            let f = match state.tail {
                DenseOutputEnd::Joined => &state.f,
                DenseOutputEnd::Parted => &state.f_end,
            };
            state.k[end * n..(end + 1) * n].copy_from_slice(f);
            state.end_stage = Validity::Fresh;
        }
        if state.extra_stages == Validity::Stale {
            let (t, h) = (state.t_old, state.h);
            for i in end + 1..tableau.c.len() {
                self.combine(tableau.a[i], StageBase::Old, h);
                self.evaluate_stage(system, i, t + tableau.c[i] * h)?;
            }
            self.state.extra_stages = Validity::Fresh;
        }
        Ok(())
    }

    /// Norm of the difference between the derivative of the dense output and the later stages of the step. The dense output
    /// agrees exactly with its own additional stages, so a disturbance that only these contain shows at the others. Stages are
    /// of order 4 or 5, so a smooth right-hand side leaves about the tolerance to the power of 5/8, which in units of the
    /// tolerance is [`USUAL_DEFECT`] times `rtol^(-3/8)`. The result is relative to that.
    pub(crate) fn dense_defect(&mut self) -> f64 {
        let (tableau, n) = (self.tableau, self.state.y.len());
        let made = self.state.rows_content == Validity::Fresh && self.state.extra_stages == Validity::Fresh;
        let mut worst = 0.0_f64;
        if !made || self.state.span != StepExtent::Whole {
            return worst;
        }
        // The first stages are of low order.
        for i in tableau.end() / 2..tableau.end() - 1 {
            self.state.slope(tableau.c[i], &mut self.argument, &mut self.error);
            for (e, k) in self.error.iter_mut().zip(&self.state.k[i * n..]) {
                *e -= self.state.h * k;
            }
            let norm = self.tolerance.norm(&self.error, &self.state.y_old, &self.state.y);
            // Not f64::max: that would drop a NaN.
            worst = if norm > worst || norm.is_nan() { norm } else { worst };
        }
        worst / (USUAL_DEFECT * self.tolerance.rtol.max(f64::EPSILON).powf(-0.375))
    }

    /// Estimated error of the dense output inside a step that is much longer than the one before it, or that is the first after a
    /// restart and not smooth, relative to the allowed one; zero for other steps. Each row of its coefficients is one order of h smaller than the one before it. From the last row c_j and c_(j-2),
    /// the first omitted one is therefore about c_j (c_j / c_(j-2))^(1/2).
    ///
    /// A force such as x^(3/2) right after x = 0, where contact begins, has no such orders: its rows do not decrease. There the
    /// estimate of the step itself may vanish by chance while its error is a thousand times the tolerance. So it may at the end of a
    /// step that is much longer than the one before it.
    fn interpolation_error(&self) -> f64 {
        let state = &self.state;
        let longer = state.is_much_longer() && self.tolerance.rtol >= LEAST_CHECKED_RTOL;
        if !(longer || state.restarts.is_at(state.t_old)) {
            return 0.0;
        }
        let size = |(row, factor): (usize, f64)| factor * self.row_norm(row);
        let (lower, last) = (size(LOWER_ROW), size(LAST_ROW));
        if !longer && size(MIDDLE_ROW) < NO_DECREASE * lower {
            return 0.0;
        }
        // Round-off of rows that vanish is not to be enlarged.
        let decrease = if last < lower { (last / lower).sqrt() } else { 1.0 };
        last * decrease / ALLOWED_INTERPOLATION_ERROR
    }

    /// Estimated error of a step of fifth order that begins at most its own length after a restart, relative to the allowed one; zero for
    /// other steps. A force such as x^(1/2) right after x = 0 deceives the estimate of the step itself, which is up to 37 times too
    /// small there; the rows of the dense output do not decrease.
    fn beginning_error(&self) -> f64 {
        let state = &self.state;
        if !state.restarts.is_within(state.h, state.t_old) {
            return 0.0;
        }
        let (lower, last) = (self.row_norm(CUBIC_ROW), self.row_norm(QUARTIC_ROW));
        let ratio = if last < lower { last / lower } else { 1.0 };
        BEGINNING_ERROR * last * ratio.powi(3) / ALLOWED_BEGINNING_ERROR
    }

    /// Norm of a row of coefficients.
    fn row_norm(&self, row: usize) -> f64 {
        let (state, n) = (&self.state, self.state.y.len());
        self.tolerance.norm(&state.rows[row * n..(row + 1) * n], &state.y_old, &state.y)
    }

    /// Error of the last step and of its dense output, as far as its coefficients show what the estimate of the step misses, relative to
    /// the allowed one.
    pub(crate) fn unestimated_error(&self) -> f64 {
        if self.state.rows_content != Validity::Fresh || self.state.span != StepExtent::Whole {
            return 0.0;
        }
        match self.tableau.dense.len() {
            4 => self.interpolation_error(),
            1 => self.beginning_error(),
            _ => 0.0,
        }
    }

    /// Whether the coefficients of the dense output must be known for that.
    pub(crate) fn needs_dense_output(&self) -> bool {
        match self.tableau.dense.len() {
            4 => self.state.is_much_longer(),
            // They cost no evaluation.
            1 => self.state.restarts.is_within(self.state.h, self.state.t_old),
            _ => false,
        }
    }

    // [HairerNorsettWanner1993] II.6, coefficients of `contd5` and `contd8`
    fn fill_rows(&mut self) {
        let state = &mut self.state;
        let n = state.y.len();
        if n == 0 {
            return;
        }
        let h = state.h;
        let (y_end, f_end) = match state.tail {
            DenseOutputEnd::Joined => (&state.y, &state.f),
            DenseOutputEnd::Parted => (&state.y_end, &state.f_end),
        };
        let (cubic, higher) = state.rows.split_at_mut(3 * n);
        for i in 0..n {
            let difference = y_end[i] - state.y_old[i];
            let bow = h * state.k[i] - difference;
            cubic[i] = difference;
            cubic[n + i] = bow;
            cubic[2 * n + i] = difference - h * f_end[i] - bow;
        }
        for (weights, row) in self.tableau.dense.iter().zip(higher.chunks_exact_mut(n)) {
            weighted_stages(weights, &state.k, row);
            for x in row {
                *x *= h;
            }
        }
    }
}

/// Where in the last step a time lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepLocation {
    Start,
    Inside,
    End,
}

impl StepperState {
    /// Whether the last step is much longer than the one before it.
    pub fn is_much_longer(&self) -> bool {
        let before = self.accepted_lengths[1].abs();
        before > 0.0 && self.h.abs() > MUCH_LONGER * before
    }

    /// Where `t` lies, and the state there if it is an end of the step: the polynomial would meet them up to rounding
    /// only.
    pub fn at_ends(&self, t: f64, out: &mut [f64]) -> Result<StepLocation, Refusal> {
        let (t_old, t_end) = (self.t_old, self.t);
        let inside = (t >= t_old && t <= t_end) || (t <= t_old && t >= t_end);
        if !inside || out.len() != self.y.len() {
            return Err(Refusal::OutsideDomain);
        }
        if t == t_end {
            out.copy_from_slice(self.end());
            return Ok(StepLocation::End);
        }
        if t == t_old {
            out.copy_from_slice(&self.y_old);
            return Ok(StepLocation::Start);
        }
        Ok(StepLocation::Inside)
    }

    /// The dense output at a time inside the step; needs its coefficients.
    pub fn evaluate_inside(&self, t: f64, out: &mut [f64]) {
        self.evaluate_rows(t, out);
        self.blend_correction(t, out);
    }

    /// Truncates the step at `t`; needs the coefficients of the dense output. `y` is workspace.
    pub fn truncate(&mut self, t: f64, y: &mut [f64]) -> Result<(), Refusal> {
        if t == self.t {
            // A jump made there is discarded, as for any other time of the step.
            if self.tail == DenseOutputEnd::Parted {
                self.y.copy_from_slice(&self.y_end);
                self.f.copy_from_slice(&self.f_end);
                self.f_content = self.f_end_content;
                self.tail = DenseOutputEnd::Joined;
            }
            return Ok(());
        }
        if self.at_ends(t, y)? == StepLocation::Inside {
            self.evaluate_inside(t, y);
        }
        // Moved out because the call borrows the rest.
        let mut cut = std::mem::take(&mut self.y_cut);
        self.evaluate_rows(t, &mut cut);
        self.y_cut = cut;
        self.y.copy_from_slice(y);
        self.f_content = Validity::Stale;
        self.t = t;
        self.span = StepExtent::Truncated;
        self.tail = DenseOutputEnd::Joined;
        if t == self.t_old {
            self.forget_step();
        }
        Ok(())
    }

    /// Where the dense output ends.
    fn end(&self) -> &[f64] {
        match self.tail {
            DenseOutputEnd::Joined => &self.y,
            DenseOutputEnd::Parted => &self.y_end,
        }
    }

    /// The polynomial of the last step as a whole.
    pub fn evaluate_rows(&self, t: f64, out: &mut [f64]) {
        let n = out.len();
        if n == 0 {
            return;
        }
        let theta = (t - self.t_old) / self.h;
        let rest = 1.0 - theta;
        out.fill(0.0);
        for (j, row) in self.rows.chunks_exact(n).enumerate().rev() {
            let factor = if j % 2 == 0 { theta } else { rest };
            for (x, r) in out.iter_mut().zip(row) {
                *x = (*x + r) * factor;
            }
        }
        for (x, y) in out.iter_mut().zip(&self.y_old) {
            *x += y;
        }
    }

    /// h times the derivative of the polynomial of the whole step; `y` is workspace.
    fn slope(&self, theta: f64, y: &mut [f64], out: &mut [f64]) {
        let n = out.len();
        y.fill(0.0);
        out.fill(0.0);
        if n == 0 {
            return;
        }
        for (j, row) in self.rows.chunks_exact(n).enumerate().rev() {
            let (factor, sign) = if j % 2 == 0 { (theta, 1.0) } else { (1.0 - theta, -1.0) };
            for ((x, d), r) in y.iter_mut().zip(out.iter_mut()).zip(row) {
                *d = *d * factor + sign * (*x + r);
                *x = (*x + r) * factor;
            }
        }
    }

    /// Adds the correction of the end of a truncated step to the dense output.
    pub fn blend_correction(&self, t: f64, out: &mut [f64]) {
        if self.span != StepExtent::Truncated {
            return;
        }
        let s = (t - self.t_old) / (self.t - self.t_old);
        // With zero slope at both ends, so that the derivatives there do not change.
        let weight = s * s * (3.0 - 2.0 * s);
        for ((x, end), cut) in out.iter_mut().zip(self.end()).zip(&self.y_cut) {
            *x += weight * (end - cut);
        }
    }
}
