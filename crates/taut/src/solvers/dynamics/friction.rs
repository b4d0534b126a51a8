//! Friction of slipping constraints: a force that depends on the reactions that it changes itself.
//!
//! Each slipping constraint j exerts s_j = α_j + β_j N_j along its slip direction, with N_j its normal force. The
//! equations are linear in the loads. With the responses (w_j, m_j) to a unit load of each constraint,
//!
//! ```text
//!  λ = λ₀ + Σ m_j s_j        N_j = P_j(λ)        v̇ = v̇₀ + Σ w_j s_j
//! ```
//!
//! is a small system in the N alone: linear for contacts, and solved by Newton's method for joints whose own reaction
//! is the normal force. It needs only solves from the formulation, so friction works with every formulation.

use super::Dynamics;
use crate::constraints::ElementInput;
use crate::formulations::SolveError;
use crate::laws::{self, FrictionBound, NormalForceSource};
use crate::model::{ConstraintEntry, Model};
use crate::motion::Wrench;
use crate::state::ConstraintMode;
use nalgebra::{DMatrix, DVector};

/// A constraint whose friction rows slip or are about to slip.
#[derive(Clone, Debug)]
pub(super) struct SlippingConstraint {
    /// The constraint.
    constraint: usize,
    /// First slipping row, within the constraint.
    first_row: usize,
    /// The direction of its mode.
    mode_direction: [f64; 3],
    /// The current direction of its slip.
    direction: [f64; 3],
    phase: SlipPhase,
    /// λ along the slip direction, as found last.
    multiplier: f64,
    /// Responses of v̇ and λ to a unit of it.
    vdot_response: Vec<f64>,
    lambda_response: Vec<f64>,
}

/// Whether the static or the kinetic bound applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SlipPhase {
    /// About to slip: the static bound.
    Verging,
    /// Slipping: the kinetic bound.
    Sliding,
}

/// Slip speeds below which the direction of the mode has a share in that of the force: relative to the tolerance of the
/// run, and their bounds, relative to L per second. The direction of a slip s changes at the rate of the friction divided by
/// |s|, so a step could not follow it where the slip vanishes. There s is less accurate than its direction needs, and an
/// error of the direction does no harm.
const SLOW_SLIP_TOLERANCES: f64 = 100.0;
const SLOW_SLIP_BOUNDS: [f64; 2] = [1e-12, 1e-5];
/// Multiple of that speed above which the direction is that of the slip alone.
const SLOW_SLIP_RANGE: f64 = 10.0;
/// Maximum number of Newton iterations for joints whose own reaction is the normal force.
const MAX_ITERATIONS: usize = 30;

/// The slipping constraints under these modes.
pub(super) fn slipping_constraints(model: &Model, modes: &[ConstraintMode]) -> Vec<SlippingConstraint> {
    let found = |(c, mode): (usize, &ConstraintMode)| {
        let moves = match mode {
            ConstraintMode::Active | ConstraintMode::Idle => return None,
            ConstraintMode::Sliding(_) => SlipPhase::Sliding,
            ConstraintMode::Verging(_) => SlipPhase::Verging,
        };
        let first = model.constraints[c].law.first_friction_row()?;
        let (along, w, m) = (mode.slip_direction()?, vec![0.0; model.sizes.v], vec![0.0; model.rows.len()]);
        (first < model.constraints[c].rows.len()).then_some(SlippingConstraint {
            constraint: c,
            first_row: first,
            mode_direction: along,
            direction: along,
            phase: moves,
            multiplier: 0.0,
            vdot_response: w,
            lambda_response: m,
        })
    };
    modes.iter().enumerate().filter_map(found).collect()
}

/// Rows that are inactive under these modes.
pub(crate) fn inactive_rows(model: &Model, modes: &[ConstraintMode]) -> Vec<usize> {
    let free = |(c, mode): (&ConstraintEntry, &ConstraintMode)| {
        let held = mode.active_rows(&c.law);
        c.rows.clone().enumerate().filter(move |(i, _)| !held.contains(*i)).map(|(_, row)| row)
    };
    model.constraints.iter().zip(modes).flat_map(free).collect()
}

impl SlippingConstraint {
    /// Updates the direction from the slip of several rows, unless it reverses: a reversal is an event.
    fn update_direction(&mut self, entry: &ConstraintEntry, rate: &[f64], slow: f64) {
        self.direction = self.mode_direction;
        if self.phase == SlipPhase::Sliding && entry.rows.len() - self.first_row > 1 {
            let slip = &rate[entry.rows.start + self.first_row..entry.rows.end];
            self.direction = updated_direction(self.mode_direction, slip, slow);
        }
    }

    /// The factors of the slipping rows of the constraint.
    fn row_factors(&self, entry: &ConstraintEntry) -> Vec<(usize, f64)> {
        match entry.rows.len() - self.first_row {
            // The sign of a single row is in its bound.
            1 => vec![(self.first_row, 1.0)],
            n => (0..n).zip(self.direction).map(|(i, d)| (self.first_row + i, d)).collect(),
        }
    }

    /// α and β of s = α + β N.
    fn bound_coefficients(&self, entry: &ConstraintEntry, grip: &FrictionBound) -> (f64, f64) {
        let (bounds, mu) = match self.phase {
            SlipPhase::Sliding => (grip.slipping, grip.friction.slip),
            SlipPhase::Verging => (grip.sticking, grip.friction.stick),
        };
        match entry.rows.len() - self.first_row {
            1 if self.direction[0] > 0.0 => (bounds[0], -mu),
            1 => (bounds[1], mu),
            _ => (-bounds[1], -mu),
        }
    }
}

/// The direction of a slip; the previous one if it has reversed. A slow slip s has the direction of s + w along, where w
/// decreases from `slow` to zero as |s| increases.
fn updated_direction(along: [f64; 3], slip: &[f64], slow: f64) -> [f64; 3] {
    let (d, speed) = laws::slip_direction(slip);
    let ahead: f64 = d.iter().zip(along).map(|(d, a)| d * a).sum();
    if ahead <= 0.0 {
        return along;
    }
    let ratio = speed / (SLOW_SLIP_RANGE * slow);
    if ratio >= 1.0 {
        return d;
    }
    let w = slow * (1.0 - ratio * ratio).powi(2);
    laws::slip_direction(&[0, 1, 2].map(|i| speed * d[i] + w * along[i])).0
}

/// Normal force N of a constraint for given multipliers, and its gradient with respect to them.
pub(crate) fn normal_force(
    model: &Model,
    c: usize,
    view: &ElementInput,
    wrenches: impl Fn(usize) -> Vec<Wrench>,
    lambda: &[f64],
) -> (f64, Vec<(usize, f64)>) {
    let entry = &model.constraints[c];
    match (entry.kind.constraint().normal_force_source(), entry.normal_force_constraint) {
        (NormalForceSource::OwnGap, _) => (lambda[entry.rows.start], vec![(entry.rows.start, 1.0)]),
        (NormalForceSource::GapOf(_), Some(by)) => {
            let row = model.constraints[by].rows.start;
            (lambda[row], vec![(row, 1.0)])
        }
        (NormalForceSource::Reaction(_), Some(by)) => {
            let rows = model.constraints[by].rows.clone();
            let D = wrenches(by);
            let mut on = Wrench::ZERO;
            rows.clone().zip(&D).for_each(|(r, D)| on.add_scaled(lambda[r], D));
            let (N, gradient) = entry.kind.constraint().normal_force(view, &on);
            let slope = |D: &Wrench| gradient.f.dot(&D.f) + gradient.m.dot(&D.m);
            (N, rows.zip(&D).map(|(r, D)| (r, slope(D))).collect())
        }
        _ => (0.0, Vec::new()),
    }
}

impl Dynamics<'_> {
    /// The wrenches of a unit of each multiplier of constraint `constraint` on its last marker, at the last state.
    fn wrenches_of(&self, c: usize) -> Vec<Wrench> {
        let entry = &self.model.constraints[c];
        self.kinematics.wrenches(entry, entry.markers.len() - 1).copied().collect()
    }

    fn view_of<'a>(&'a self, c: usize, t: f64, z: &'a [f64]) -> ElementInput<'a> {
        let entry = &self.model.constraints[c];
        ElementInput { t, motions: &self.kinematics.motions, markers: &entry.markers, z: &z[entry.z.clone()] }
    }

    /// Normal force and friction bounds of a constraint at the last state.
    pub(crate) fn normal_force_and_bound(&self, c: usize, t: f64, z: &[f64]) -> (f64, FrictionBound) {
        let view = self.view_of(c, t, z);
        let (N, _) = normal_force(self.model, c, &view, |by| self.wrenches_of(by), &self.lambda);
        (N, self.model.constraints[c].kind.constraint().friction_bound(&view))
    }

    /// Adds the friction of slipping constraints to v̇ and λ, which were computed without it; the factor must be
    /// available.
    pub(super) fn add_friction(&mut self, t: f64, z: &[f64]) -> Result<(), SolveError> {
        if self.slipping.is_empty() {
            return Ok(());
        }
        let model = self.model;
        let (mut slips, slow) = (std::mem::take(&mut self.slipping), self.slow_slip());
        let rate = &self.eq.inactive.rate;
        slips.iter_mut().for_each(|slip| slip.update_direction(&model.constraints[slip.constraint], rate, slow));
        let result = self.unit_load_responses(&mut slips);
        if result.is_ok() {
            let n = slips.len();
            let view = |c: usize| self.view_of(c, t, z);
            let laws: Vec<(f64, f64)> = slips
                .iter()
                .map(|s| {
                    s.bound_coefficients(
                        &model.constraints[s.constraint],
                        &model.constraints[s.constraint].kind.constraint().friction_bound(&view(s.constraint)),
                    )
                })
                .collect();
            let mut N: DVector<f64> = DVector::zeros(n);
            let mut lambda = self.lambda.clone();
            for _ in 0..MAX_ITERATIONS {
                lambda.copy_from_slice(&self.lambda);
                for ((slip, (alpha, beta)), N) in slips.iter().zip(&laws).zip(&N) {
                    let s = alpha + beta * N;
                    lambda.iter_mut().zip(&slip.lambda_response).for_each(|(l, m)| *l += s * m);
                }
                let mut F = N.clone();
                let mut J = DMatrix::identity(n, n);
                for (i, slip) in slips.iter().enumerate() {
                    let (P, gradient) = normal_force(
                        model,
                        slip.constraint,
                        &view(slip.constraint),
                        |by| self.wrenches_of(by),
                        &lambda,
                    );
                    F[i] -= P;
                    for (k, other) in slips.iter().enumerate() {
                        J[(i, k)] -=
                            laws[k].1 * gradient.iter().map(|(r, g)| g * other.lambda_response[*r]).sum::<f64>();
                    }
                }
                let size = N.amax().max(F.amax());
                let Some(step) = J.lu().solve(&F) else { break };
                N -= &step;
                if step.amax() <= 1e-14 * size || !step.amax().is_finite() {
                    break;
                }
            }
            for ((slip, (alpha, beta)), N) in slips.iter_mut().zip(&laws).zip(&N) {
                slip.multiplier = alpha + beta * N;
                self.vdot.iter_mut().zip(&slip.vdot_response).for_each(|(a, w)| *a += slip.multiplier * w);
                self.lambda.iter_mut().zip(&slip.lambda_response).for_each(|(l, m)| *l += slip.multiplier * m);
            }
        }
        self.slipping = slips;
        self.write_friction_multipliers();
        if self.vdot.iter().all(|a| a.is_finite()) { result } else { Err(SolveError::NotFinite) }
    }

    /// Responses of v̇ and λ to a unit load on each slipping constraint. They are computed as differences, because
    /// penalty methods react to more than the loads.
    fn unit_load_responses(&mut self, slips: &mut [SlippingConstraint]) -> Result<(), SolveError> {
        let (f, vdot, lambda) = (self.eq.f.clone(), self.vdot.clone(), self.lambda.clone());
        let mut result = Ok(());
        for slip in slips.iter_mut() {
            let entry = &self.model.constraints[slip.constraint];
            let mut load = f.clone();
            for (i, k) in slip.row_factors(entry) {
                self.eq.add_inactive_row(entry, i, k, &mut load);
            }
            self.eq.f.copy_from_slice(&load);
            result = self.formulation.solve(&self.eq, &mut slip.vdot_response, &mut slip.lambda_response);
            if result.is_err() {
                break;
            }
            slip.vdot_response.iter_mut().zip(&vdot).for_each(|(w, v)| *w -= v);
            slip.lambda_response.iter_mut().zip(&lambda).for_each(|(m, l)| *m -= l);
        }
        self.eq.f.copy_from_slice(&f);
        result
    }

    /// Writes the friction forces of slipping rows into the multipliers, from which reactions are computed.
    pub(super) fn write_friction_multipliers(&mut self) {
        for slip in &self.slipping {
            let entry = &self.model.constraints[slip.constraint];
            for (i, k) in slip.row_factors(entry) {
                self.lambda[entry.rows.start + i] = slip.multiplier * k;
            }
        }
    }

    /// Power dissipated in the slipping rows of a constraint, at the last state.
    pub(crate) fn friction_power(&self, c: usize) -> f64 {
        let entry = &self.model.constraints[c];
        let Some(slip) = self.slipping.iter().find(|s| s.constraint == c) else { return 0.0 };
        let lost = |(i, _): (usize, f64)| {
            let row = entry.rows.start + i;
            -self.lambda[row] * self.eq.inactive.rate[row]
        };
        slip.row_factors(entry).into_iter().map(lost).sum()
    }

    /// Power put in by the drives of slipping rows; the rest of their power is dissipated.
    pub(super) fn slip_drive_power(&self) -> f64 {
        let power = |slip: &SlippingConstraint| {
            let entry = &self.model.constraints[slip.constraint];
            let of = |(i, _): (usize, f64)| {
                let row = entry.rows.start + i;
                -self.lambda[row] * self.eq.inactive.phi_t[row]
            };
            slip.row_factors(entry).into_iter().map(of).sum::<f64>()
        };
        self.slipping.iter().map(power).sum()
    }

    /// The slip speed below which the direction of the mode has a share.
    fn slow_slip(&self) -> f64 {
        let [least, most] = SLOW_SLIP_BOUNDS;
        (SLOW_SLIP_TOLERANCES * self.rtol()).clamp(least, most) * self.model.contact_scale.length()
    }

    /// After a step: updates the slip directions of constraints with several slipping rows.
    pub(crate) fn update_slip_directions(&mut self) {
        let slow = self.slow_slip();
        for slip in self.slipping.iter_mut().filter(|s| s.phase == SlipPhase::Sliding) {
            let entry = &self.model.constraints[slip.constraint];
            if entry.rows.len() - slip.first_row > 1 {
                let rate = &self.eq.inactive.rate[entry.rows.start + slip.first_row..entry.rows.end];
                slip.mode_direction = updated_direction(slip.mode_direction, rate, slow);
                self.modes[slip.constraint] = ConstraintMode::Sliding(slip.mode_direction);
            }
        }
    }

    /// Prevents bodies held at rest by friction from creeping because of round-off: if a body has no velocity and its
    /// acceleration is within round-off, the acceleration is set to zero.
    pub(super) fn suppress_round_off_acceleration(&mut self, v: &[f64]) {
        if self.friction == FrictionPresence::None {
            return;
        }
        for b in &self.model.bodies {
            let at = b.v.clone();
            if v[at.clone()].iter().any(|v| v.abs() > ZERO_VELOCITY) {
                continue;
            }
            let (M, n) = (&self.eq.M[b.mass.clone()], at.len());
            let rate = |(i, r): (usize, usize)| (self.eq.f[r] / M[i * n + i]).abs();
            // Directions without mass have no such acceleration.
            let free = at.clone().enumerate().filter(|(i, _)| M[i * n + i] > 0.0).map(rate).fold(0.0, f64::max);
            if self.vdot[at.clone()].iter().all(|a| a.abs() <= ROUND_OFF_FRACTION * free) {
                self.vdot[at].fill(0.0);
            }
        }
    }
}

/// Whether any constraint of a model has friction rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrictionPresence {
    None,
    Some,
}

impl FrictionPresence {
    pub(super) fn of(model: &Model) -> FrictionPresence {
        let grips = |c: &ConstraintEntry| c.law.first_friction_row().is_some_and(|from| from < c.rows.len());
        if model.constraints.iter().any(grips) { FrictionPresence::Some } else { FrictionPresence::None }
    }
}

/// Velocities below this count as zero, m/s or rad/s.
const ZERO_VELOCITY: f64 = 1e-14;
/// Accelerations below this fraction of what the loads alone would cause are round-off of the solve.
const ROUND_OFF_FRACTION: f64 = 64.0 * f64::EPSILON;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_direction_of_a_vanishing_slip_is_that_of_its_mode() {
        let (x, slow) = ([1.0, 0.0, 0.0], 1e-6);
        assert_eq!(updated_direction(x, &[0.0, 0.0], slow), x);
        assert_eq!(updated_direction(x, &[-1.0, 0.3], slow), x, "reversed");
        assert_eq!(updated_direction(x, &[3e-5, 4e-5], slow), [3e-5 / 5e-5, 4e-5 / 5e-5, 0.0]);
        // Its derivative by the slip is at most 1/slow, and continuous at the ends of the range.
        let across = |s: f64| updated_direction(x, &[1e-7, s], slow)[1];
        let (mut before, step) = (across(0.0), 1e-9);
        for i in 1..=20_000 {
            let now = across(f64::from(i) * step);
            assert!((now - before) / step <= 1.0 / slow, "at {i}");
            before = now;
        }
    }
}
