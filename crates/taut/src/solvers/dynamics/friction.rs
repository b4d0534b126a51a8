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
use crate::constraints::View;
use crate::formulations::SolveError;
use crate::laws::{Grip, Press, direction};
use crate::model::{ConstraintEntry, Model};
use crate::motion::Wrench;
use crate::state::Mode;
use nalgebra::{DMatrix, DVector};

/// A constraint whose friction rows slip or are about to slip.
#[derive(Clone, Debug)]
pub(super) struct Slip {
    /// The constraint.
    c: usize,
    /// First slipping row, within the constraint.
    first: usize,
    /// The direction of its mode.
    along: [f64; 3],
    /// The current direction of its slip.
    d: [f64; 3],
    moves: Moves,
    /// λ along the slip direction, as found last.
    s: f64,
    /// Responses of v̇ and λ to a unit of it.
    w: Vec<f64>,
    m: Vec<f64>,
}

/// Whether the static or the kinetic bound applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moves {
    /// About to slip: the static bound.
    Verging,
    /// Slipping: the kinetic bound.
    Sliding,
}

/// Below this slip velocity, m/s, the direction of the mode is used.
const SLOW: f64 = 1e-12;
/// Maximum number of Newton iterations for joints whose own reaction is the normal force.
const ITERATIONS: usize = 30;

/// The slipping constraints under these modes.
pub(super) fn slips(model: &Model, modes: &[Mode]) -> Vec<Slip> {
    let found = |(c, mode): (usize, &Mode)| {
        let moves = match mode {
            Mode::Active | Mode::Idle => return None,
            Mode::Sliding(_) => Moves::Sliding,
            Mode::Verging(_) => Moves::Verging,
        };
        let first = model.constraints[c].law.gripping_from()?;
        let (along, w, m) = (mode.slip()?, vec![0.0; model.sizes.v], vec![0.0; model.rows.len()]);
        (first < model.constraints[c].rows.len()).then_some(Slip { c, first, along, d: along, moves, s: 0.0, w, m })
    };
    modes.iter().enumerate().filter_map(found).collect()
}

/// Rows that are inactive under these modes.
pub(crate) fn masked(model: &Model, modes: &[Mode]) -> Vec<usize> {
    let free = |(c, mode): (&ConstraintEntry, &Mode)| {
        let held = mode.held(&c.law);
        c.rows.clone().enumerate().filter(move |(i, _)| !held.has(*i)).map(|(_, row)| row)
    };
    model.constraints.iter().zip(modes).flat_map(free).collect()
}

impl Slip {
    /// Updates the direction from the slip of several rows, unless it reverses: a reversal is an event.
    fn aim(&mut self, entry: &ConstraintEntry, rate: &[f64]) {
        self.d = self.along;
        if self.moves == Moves::Sliding && entry.rows.len() - self.first > 1 {
            self.d = aimed(self.along, &rate[entry.rows.start + self.first..entry.rows.end]);
        }
    }

    /// The factors of the slipping rows of the constraint.
    fn rows(&self, entry: &ConstraintEntry) -> Vec<(usize, f64)> {
        match entry.rows.len() - self.first {
            // The sign of a single row is in its bound.
            1 => vec![(self.first, 1.0)],
            n => (0..n).zip(self.d).map(|(i, d)| (self.first + i, d)).collect(),
        }
    }

    /// α and β of s = α + β N.
    fn law(&self, entry: &ConstraintEntry, grip: &Grip) -> (f64, f64) {
        let (bounds, mu) = match self.moves {
            Moves::Sliding => (grip.slipping, grip.friction.slip),
            Moves::Verging => (grip.holding, grip.friction.stick),
        };
        match entry.rows.len() - self.first {
            1 if self.d[0] > 0.0 => (bounds[0], -mu),
            1 => (bounds[1], mu),
            _ => (-bounds[1], -mu),
        }
    }
}

/// The direction of a slip, or the previous one if the slip is too slow or has reversed.
fn aimed(along: [f64; 3], slip: &[f64]) -> [f64; 3] {
    let (d, speed) = direction(slip);
    let ahead: f64 = d.iter().zip(along).map(|(d, a)| d * a).sum();
    if speed > SLOW && ahead > 0.0 { d } else { along }
}

/// Normal force N of a constraint for given multipliers, and its gradient with respect to them.
pub(crate) fn pressing(
    model: &Model,
    c: usize,
    view: &View,
    wrenches: impl Fn(usize) -> Vec<Wrench>,
    lambda: &[f64],
) -> (f64, Vec<(usize, f64)>) {
    let entry = &model.constraints[c];
    match (entry.kind.constraint().press(), entry.pressed_by) {
        (Press::OwnGap, _) => (lambda[entry.rows.start], vec![(entry.rows.start, 1.0)]),
        (Press::GapOf(_), Some(by)) => {
            let row = model.constraints[by].rows.start;
            (lambda[row], vec![(row, 1.0)])
        }
        (Press::Reaction(_), Some(by)) => {
            let rows = model.constraints[by].rows.clone();
            let D = wrenches(by);
            let mut on = Wrench::ZERO;
            rows.clone().zip(&D).for_each(|(r, D)| on.add(lambda[r], D));
            let (N, gradient) = entry.kind.constraint().pressed(view, &on);
            let slope = |D: &Wrench| gradient.f.dot(&D.f) + gradient.m.dot(&D.m);
            (N, rows.zip(&D).map(|(r, D)| (r, slope(D))).collect())
        }
        _ => (0.0, Vec::new()),
    }
}

impl Dynamics<'_> {
    /// The wrenches of a unit of each multiplier of constraint `c` on its last marker, at the last state.
    fn wrenches_of(&self, c: usize) -> Vec<Wrench> {
        let entry = &self.model.constraints[c];
        self.scene.wrenches(entry, entry.markers.len() - 1).copied().collect()
    }

    fn view_of<'a>(&'a self, c: usize, t: f64, z: &'a [f64]) -> View<'a> {
        let entry = &self.model.constraints[c];
        View { t, motions: &self.scene.motions, ids: &entry.markers, z: &z[entry.z.clone()] }
    }

    /// Normal force and friction bounds of a constraint at the last state.
    pub(crate) fn gripped(&self, c: usize, t: f64, z: &[f64]) -> (f64, Grip) {
        let view = self.view_of(c, t, z);
        let (N, _) = pressing(self.model, c, &view, |by| self.wrenches_of(by), &self.lambda);
        (N, self.model.constraints[c].kind.constraint().grip(&view))
    }

    /// Adds the friction of slipping constraints to v̇ and λ, which were computed without it; the factor must be
    /// available.
    pub(super) fn rub(&mut self, t: f64, z: &[f64]) -> Result<(), SolveError> {
        if self.slips.is_empty() {
            return Ok(());
        }
        let model = self.model;
        let mut slips = std::mem::take(&mut self.slips);
        slips.iter_mut().for_each(|slip| slip.aim(&model.constraints[slip.c], &self.eq.loose.rate));
        let result = self.answers(&mut slips);
        if result.is_ok() {
            let n = slips.len();
            let view = |c: usize| self.view_of(c, t, z);
            let laws: Vec<(f64, f64)> = slips
                .iter()
                .map(|s| s.law(&model.constraints[s.c], &model.constraints[s.c].kind.constraint().grip(&view(s.c))))
                .collect();
            let mut N: DVector<f64> = DVector::zeros(n);
            let mut lambda = self.lambda.clone();
            for _ in 0..ITERATIONS {
                lambda.copy_from_slice(&self.lambda);
                for ((slip, (alpha, beta)), N) in slips.iter().zip(&laws).zip(&N) {
                    let s = alpha + beta * N;
                    lambda.iter_mut().zip(&slip.m).for_each(|(l, m)| *l += s * m);
                }
                let mut F = N.clone();
                let mut J = DMatrix::identity(n, n);
                for (i, slip) in slips.iter().enumerate() {
                    let (P, gradient) = pressing(model, slip.c, &view(slip.c), |by| self.wrenches_of(by), &lambda);
                    F[i] -= P;
                    for (k, other) in slips.iter().enumerate() {
                        J[(i, k)] -= laws[k].1 * gradient.iter().map(|(r, g)| g * other.m[*r]).sum::<f64>();
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
                slip.s = alpha + beta * N;
                self.vdot.iter_mut().zip(&slip.w).for_each(|(a, w)| *a += slip.s * w);
                self.lambda.iter_mut().zip(&slip.m).for_each(|(l, m)| *l += slip.s * m);
            }
        }
        self.slips = slips;
        self.show_friction();
        if self.vdot.iter().all(|a| a.is_finite()) { result } else { Err(SolveError::NotFinite) }
    }

    /// Responses of v̇ and λ to a unit load on each slipping constraint. They are computed as differences, because
    /// penalty methods react to more than the loads.
    fn answers(&mut self, slips: &mut [Slip]) -> Result<(), SolveError> {
        let (f, vdot, lambda) = (self.eq.f.clone(), self.vdot.clone(), self.lambda.clone());
        let mut result = Ok(());
        for slip in slips.iter_mut() {
            let entry = &self.model.constraints[slip.c];
            let mut load = f.clone();
            for (i, k) in slip.rows(entry) {
                self.eq.add_loose(entry, i, k, &mut load);
            }
            self.eq.f.copy_from_slice(&load);
            result = self.formulation.solve(&self.eq, &mut slip.w, &mut slip.m);
            if result.is_err() {
                break;
            }
            slip.w.iter_mut().zip(&vdot).for_each(|(w, v)| *w -= v);
            slip.m.iter_mut().zip(&lambda).for_each(|(m, l)| *m -= l);
        }
        self.eq.f.copy_from_slice(&f);
        result
    }

    /// Writes the friction forces of slipping rows into the multipliers, from which reactions are computed.
    pub(super) fn show_friction(&mut self) {
        for slip in &self.slips {
            let entry = &self.model.constraints[slip.c];
            for (i, k) in slip.rows(entry) {
                self.lambda[entry.rows.start + i] = slip.s * k;
            }
        }
    }

    /// Power dissipated in the slipping rows of a constraint, at the last state.
    pub(crate) fn friction_power(&self, c: usize) -> f64 {
        let entry = &self.model.constraints[c];
        let Some(slip) = self.slips.iter().find(|s| s.c == c) else { return 0.0 };
        let lost = |(i, _): (usize, f64)| {
            let row = entry.rows.start + i;
            -self.lambda[row] * self.eq.loose.rate[row]
        };
        slip.rows(entry).into_iter().map(lost).sum()
    }

    /// Power put in by the drives of slipping rows; the rest of their power is dissipated.
    pub(super) fn driving_power(&self) -> f64 {
        let power = |slip: &Slip| {
            let entry = &self.model.constraints[slip.c];
            let of = |(i, _): (usize, f64)| {
                let row = entry.rows.start + i;
                -self.lambda[row] * self.eq.loose.phi_t[row]
            };
            slip.rows(entry).into_iter().map(of).sum::<f64>()
        };
        self.slips.iter().map(power).sum()
    }

    /// After a step: updates the slip directions of constraints with several slipping rows.
    pub(crate) fn follow_slips(&mut self) {
        for slip in self.slips.iter_mut().filter(|s| s.moves == Moves::Sliding) {
            let entry = &self.model.constraints[slip.c];
            if entry.rows.len() - slip.first > 1 {
                let rate = &self.eq.loose.rate[entry.rows.start + slip.first..entry.rows.end];
                slip.along = aimed(slip.along, rate);
                self.modes[slip.c] = Mode::Sliding(slip.along);
            }
        }
    }

    /// Prevents bodies held at rest by friction from creeping because of round-off: if a body has no velocity and its
    /// acceleration is within round-off, the acceleration is set to zero.
    pub(super) fn calm(&mut self, v: &[f64]) {
        if self.grips == Grips::None {
            return;
        }
        for b in &self.model.bodies {
            let at = b.v.clone();
            if v[at.clone()].iter().any(|v| v.abs() > STILL) {
                continue;
            }
            let (M, n) = (&self.eq.M[b.mass.clone()], at.len());
            let free = at.clone().enumerate().map(|(i, r)| (self.eq.f[r] / M[i * n + i]).abs()).fold(0.0, f64::max);
            if self.vdot[at.clone()].iter().all(|a| a.abs() <= CALM * free) {
                self.vdot[at].fill(0.0);
            }
        }
    }
}

/// Whether any constraint of a model has friction rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grips {
    None,
    Some,
}

impl Grips {
    pub(super) fn of(model: &Model) -> Grips {
        let grips = |c: &ConstraintEntry| c.law.gripping_from().is_some_and(|from| from < c.rows.len());
        if model.constraints.iter().any(grips) { Grips::Some } else { Grips::None }
    }
}

/// Velocities below this count as zero, m/s or rad/s.
const STILL: f64 = 1e-14;
/// Accelerations below this fraction of what the loads alone would cause are round-off of the solve.
const CALM: f64 = 64.0 * f64::EPSILON;
