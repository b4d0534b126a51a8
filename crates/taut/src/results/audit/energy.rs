//! Checks that the energy of a mechanism equals its initial energy, plus the work put in, minus the losses.
//!
//! B = T + V + losses − work − (T + V)₀ is constant along the exact motion from any start. A step therefore changes B
//! only by ∇B·e + ½ eᵀHe, where e is its local error, whatever the later motion makes of this error. A step that meets
//! the tolerances in the root-mean-square norm, Σ (eᵢ/(atol + rtol |yᵢ|))² ≤ n, satisfies
//!
//! ```text
//!  |∇B·e|  ≤ √n √Σ (∂B/∂yᵢ)² (atol + rtol |yᵢ|)²,    ∂B/∂v = M v,   ∂B/∂q = −f
//!  ½ δvᵀMδv ≤ ½ n atol² max tr M_b                    M_b the block of a body: its trace bounds its eigenvalues
//! ```
//!
//! The second line matters where nothing moves yet: at rest M v and f vanish, but a velocity may still have an error of
//! atol. (The part with rtol is at most n rtol² T, which is negligible beside the first line.) A potential needs no
//! such line: after a displacement δq, f = K δq at the end of the step, where the first line is evaluated.
//!
//! The permitted error of a run is the sum of both lines over its steps, plus ten times rtol of the energy turnover. No
//! assumption about the length or the stability of the motion is needed.

use super::Promise;
use crate::equations::Equations;
use crate::model::Model;
use crate::solution::Severity;
use serde::{Deserialize, Serialize};
use taut_ode::Steering;

/// The balance is doubtful above this multiple of the permitted error: error estimates are only estimates, and the
/// integral of work does not control the steps.
const DOUBTFUL: f64 = 30.0;
/// The balance is wrong above this multiple of the permitted error, if it also exceeds this fraction of the energy at
/// work.
const WRONG: f64 = 1e3;
const WRONG_SHARE: f64 = 1e-2;
/// Fraction of the energy at work that one step may always gain or lose, and the limit as a multiple of the relative
/// tolerance: impacts and contact changes that are not accounted for are jumps, not drift.
const JUMP: f64 = 1e-6;
const JUMP_TIMES: f64 = 1e3;
/// Permitted fractions of the energy at work for steps that are not controlled by a tolerance.
const LOOSE_DOUBTFUL: f64 = 2e-2;
const LOOSE_WRONG: f64 = 0.5;
/// If the energy at work grows by this factor within this fraction of the run, steps without tolerance control are
/// judged later: when a motion starts from nothing, the energy at work is soon much larger than now, and the balance is
/// small compared with it.
const SETS_IN: f64 = 2.0;
const WITHIN: f64 = 0.02;
/// Additional permitted error of a row between two steps, as a multiple of that of one step: dense output is of lower
/// order.
const BETWEEN_STEPS: f64 = 1e3;
/// Additional permitted error of the integral of work between two steps, as a fraction of the work of the step: nothing
/// else depends on it, and the ends of steps are checked by themselves.
const WORK_BETWEEN_STEPS: f64 = 2e-2;
/// Permitted error of the integral of work, as a multiple of rtol times the energy turnover: the integral follows the
/// motion and does not control the steps.
const TURNOVER: f64 = 10.0;
/// Relative round-off of one sum of energies.
const ROUND_OFF: f64 = 1e-13;

/// Energies at one time, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Books {
    /// The time, s.
    pub t: f64,
    pub kinetic: f64,
    pub potential: f64,
    /// Work put in, and energy lost.
    pub work: f64,
    pub lost: f64,
    /// Kinetic and potential energy less what was put in, plus what was lost, less those of the start.
    pub balance: f64,
}

/// Audit of the energy balance so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Energy {
    /// The potential energy at the first check.
    potential: Option<f64>,
    /// The largest energy that has been at work, J.
    at_work: f64,
    /// The energy at work at two earlier times, with these times; the second is at least [`WITHIN`] of the run ago.
    marks: [(f64, f64); 2],
    /// Sum of the permitted errors of the steps, J.
    permitted: f64,
    /// Permitted error of the last checked step, J.
    of_step: f64,
    /// Kinetic and potential energy, work and losses at the last check, J.
    last: Option<[f64; 4]>,
    /// Round-off of the largest sums so far, J.
    round_off: f64,
    /// The balance at the last check, J.
    balance: f64,
    /// The worst severity reported.
    told: Severity,
}

/// A violated energy balance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Imbalance {
    pub severity: Severity,
    /// B, and the permitted error, J.
    pub balance: f64,
    pub permitted: f64,
    /// |B| as a fraction of the energy at work.
    pub share: f64,
}

impl Energy {
    /// The largest energy that has been at work, J.
    pub fn at_work(&self) -> f64 {
        self.at_work
    }

    /// Permitted error of the last checked step, J.
    pub fn of_step(&self) -> f64 {
        self.of_step
    }

    /// Starts a run whose first step has the permitted error `of_step`.
    pub fn begin(&mut self, of_step: f64) {
        self.of_step = if of_step.is_finite() { of_step } else { 0.0 };
    }

    /// Checks after `steps` steps; the last has the permitted error `of_step`. Reports each severity once.
    pub fn look(&mut self, now: Books, steps: u32, of_step: f64, promise: &Promise) -> Option<Imbalance> {
        if of_step.is_finite() {
            self.of_step = of_step;
            self.permitted += f64::from(steps) * of_step + TURNOVER * promise.rtol * self.turnover(&now);
        }
        let jump = (now.balance - self.balance).abs();
        if now.balance.is_finite() {
            self.balance = now.balance;
        }
        let found = self.weigh(now, 0.0, promise);
        self.mark(now.t, promise);
        let of_steps = JUMP.max(JUMP_TIMES * promise.rtol) * self.at_work + DOUBTFUL * self.of_step;
        let least = f64::from(steps.max(1)) * of_steps + DOUBTFUL * self.round_off;
        let jumps = promise.steering == Steering::Close && jump > least;
        if found.is_some() || !jumps || self.told >= Severity::Doubtful {
            return found;
        }
        self.told = Severity::Doubtful;
        Some(Imbalance { severity: self.told, balance: now.balance, permitted: of_steps, share: jump / self.at_work })
    }

    /// Checks the end of a run, including a motion that has only just started.
    pub fn close(&mut self, now: Books, promise: &Promise) -> Option<Imbalance> {
        if !self.see(&now) {
            return None;
        }
        self.marks = [(now.t, self.at_work); 2];
        self.weigh(now, 0.0, promise)
    }

    /// Stores the energy at work for later comparison.
    fn mark(&mut self, t: f64, promise: &Promise) {
        if (t - self.marks[0].0).abs() > WITHIN * promise.span {
            self.marks = [(t, self.at_work), self.marks[0]];
        }
    }

    /// Checks an output row within a step; `work` is the work at both ends of the step.
    pub fn look_at_row(&mut self, now: Books, work: [f64; 2], promise: &Promise) -> Option<Imbalance> {
        let work = WORK_BETWEEN_STEPS * (work[1] - work[0]).abs();
        self.weigh(now, BETWEEN_STEPS * self.of_step + work, promise)
    }

    /// Energy turnover since the last check, J.
    fn turnover(&mut self, now: &Books) -> f64 {
        let now = [now.kinetic, now.potential, now.work, now.lost];
        let before = self.last.replace(now).unwrap_or(now);
        let sum: f64 = now.iter().zip(&before).map(|(a, b)| (a - b).abs()).sum();
        if sum.is_finite() { sum } else { 0.0 }
    }

    /// Updates the extremes with new energies; returns whether they are finite.
    fn see(&mut self, now: &Books) -> bool {
        let sum = now.kinetic + now.potential.abs() + now.work.abs() + now.lost.abs();
        if !sum.is_finite() || !now.balance.is_finite() {
            return false;
        }
        let first = *self.potential.get_or_insert(now.potential);
        let moved = (now.potential - first).abs() + now.work.abs() + now.lost.abs();
        self.at_work = self.at_work.max(now.kinetic + moved);
        self.round_off = self.round_off.max(ROUND_OFF * (sum + first.abs()));
        true
    }

    fn weigh(&mut self, now: Books, besides: f64, promise: &Promise) -> Option<Imbalance> {
        if !self.see(&now) {
            return None;
        }
        let (permitted, wrong) = match promise.steering {
            Steering::Close => {
                let permitted = self.permitted + besides + self.round_off;
                (DOUBTFUL * permitted, (WRONG * permitted).max(WRONG_SHARE * self.at_work))
            }
            Steering::Loose => {
                // A motion that has hardly started is compared with the tolerances.
                let small = DOUBTFUL * (self.permitted + besides) + self.round_off;
                (LOOSE_DOUBTFUL * self.at_work + small, LOOSE_WRONG * self.at_work + small)
            }
        };
        let balance = now.balance.abs();
        let severity = match () {
            () if balance > wrong => Severity::Wrong,
            () if balance > permitted => Severity::Doubtful,
            () => Severity::Notice,
        };
        let sets_in = promise.steering == Steering::Loose && self.at_work > SETS_IN * self.marks[1].1;
        if severity <= self.told || sets_in {
            return None;
        }
        self.told = severity;
        Some(Imbalance {
            severity,
            balance: now.balance,
            permitted,
            share: balance / self.at_work.max(f64::MIN_POSITIVE),
        })
    }
}

/// Permitted energy error of a step to this state that meets the tolerances, with the current M and f.
pub(crate) fn permitted(
    model: &Model,
    eq: &Equations,
    q: &[f64],
    v: &[f64],
    momenta: &mut [f64],
    promise: &Promise,
) -> f64 {
    eq.mass_times(v, momenta);
    let (mut sum, mut heaviest) = (0.0, 0.0_f64);
    for b in &model.bodies {
        let inertia = &eq.M[b.mass.clone()];
        heaviest = heaviest.max(inertia.iter().step_by(b.v.len() + 1).sum());
        let far = q[b.q.clone()].iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        for i in b.v.clone() {
            let by_rate = momenta[i] * (promise.atol + promise.rtol * v[i].abs());
            let by_place = eq.f[i] * (promise.atol + promise.rtol * far);
            sum += by_rate * by_rate + by_place * by_place;
        }
    }
    let n = (q.len() + v.len()) as f64;
    (n * sum).sqrt() + at_rest(n, heaviest, promise)
}

/// Permitted energy error of a step at rest: ½ n atol² times the largest trace of a block of M.
fn at_rest(n: f64, heaviest: f64, promise: &Promise) -> f64 {
    0.5 * n * heaviest * promise.atol * promise.atol
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOSE: Promise =
        Promise { rtol: 1e-8, atol: 1e-8, steering: Steering::Close, order: 8, span: 1.0, least_part: 0.0 };
    const LOOSE: Promise = Promise { steering: Steering::Loose, ..CLOSE };

    fn books(kinetic: f64, balance: f64) -> Books {
        Books { kinetic, potential: 10.0 - kinetic, balance, ..Books::default() }
    }

    #[test]
    fn what_steps_may_err_by_adds_up() {
        let mut energy = Energy::default();
        // A hundred steps of 1e-8 J each, without energy turnover, permit 1e-6 J; thirty times that is still no
        // finding.
        for k in 1..=100 {
            assert_eq!(energy.look(books(4.0, 2.9e-7 * f64::from(k)), 1, 1e-8, &CLOSE), None);
        }
        // A jump within one step is reported earlier.
        let mut drift = energy;
        assert_eq!(energy.look(books(4.0, 1e-3), 1, 1e-8, &CLOSE).unwrap().severity, Severity::Doubtful);
        let found = drift.look(books(4.0, 3.2e-5), 1, 1e-8, &CLOSE).unwrap();
        assert_eq!(found.severity, Severity::Doubtful);
        assert!((found.permitted / 3.03e-5 - 1.0).abs() < 1e-3, "{found:?}");
        assert_eq!(drift.look(books(4.0, 3.3e-5), 1, 1e-8, &CLOSE), None, "it is reported once");
    }

    #[test]
    fn a_hundredth_of_the_energy_at_work_is_wrong() {
        let mut energy = Energy::default();
        assert_eq!(energy.look(books(4.0, 0.0), 1, 1e-8, &CLOSE), None);
        assert_eq!(energy.look(books(4.0, 0.03), 1, 1e-8, &CLOSE).unwrap().severity, Severity::Doubtful);
        let found = energy.look(books(4.0, 0.05), 1, 1e-8, &CLOSE).unwrap();
        assert_eq!(found.severity, Severity::Wrong);
        assert!((found.share - 0.0125).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn steps_of_fixed_length_are_measured_by_the_energy_at_work() {
        let mut energy = Energy::default();
        let mut look = |t: f64, balance: f64| energy.look(Books { t, ..books(4.0, balance) }, 1, 1e-8, &LOOSE);
        assert_eq!([look(0.1, 0.0), look(0.2, 0.0), look(0.3, 0.05)], [None; 3]);
        assert_eq!(look(0.4, 0.1).unwrap().severity, Severity::Doubtful);
        assert_eq!(look(0.5, 2.5).unwrap().severity, Severity::Wrong);
    }

    #[test]
    fn what_sets_in_is_judged_when_it_is_there_or_at_the_end() {
        let grown = |t: f64, kinetic: f64, balance: f64| Books { t, kinetic, balance, ..Books::default() };
        let mut energy = Energy::default();
        for k in 0..20 {
            let now = 1e-6 * 4.0_f64.powi(k);
            assert_eq!(energy.look(grown(0.05 * f64::from(k), now, 0.9 * now), 1, 0.0, &LOOSE), None);
        }
        // The growth continues until the end of the run, shortly after the last check.
        let last = 1e-6 * 4.0_f64.powi(21);
        assert_eq!(energy.close(grown(1.0, last, 0.9 * last), &LOOSE).unwrap().severity, Severity::Wrong);
        // The growth stops, and the balance is small compared with the energy reached.
        let mut energy = Energy::default();
        for (t, now, balance) in
            [(0.5, 1e-6, 0.0), (0.51, 1e-3, 9e-4), (0.52, 1.0, 1e-3), (0.55, 1.1, 1e-3), (0.6, 1.1, 1e-3)]
        {
            assert_eq!(energy.look(grown(t, now, balance), 1, 0.0, &LOOSE), None);
        }
        // The growth stops, and the balance is not small.
        assert_eq!(energy.look(grown(0.7, 1.2, 0.7), 1, 0.0, &LOOSE).unwrap().severity, Severity::Wrong);
    }

    #[test]
    fn round_off_of_a_large_potential_is_nothing() {
        let mut energy = Energy::default();
        for balance in [0.0, 3e-7] {
            let now = Books { kinetic: 1e-3, potential: 1e6, balance, ..Books::default() };
            assert_eq!(energy.look(now, 1, 1e-20, &CLOSE), None);
        }
    }

    #[test]
    fn where_nothing_moves_velocities_may_err_by_atol() {
        use crate::dynamics::{Choice, Dynamics};
        use crate::{PointMass, Spec};
        let mut spec = Spec::new();
        spec.body("light", PointMass::new(0.5, [0.0; 3])).body("heavy", PointMass::new(2.0, [1.0, 0.0, 0.0]));
        let model = spec.build().unwrap();
        let state = model.initial_state();
        let d = Dynamics::at(&model, &state, &Choice::default());
        // ½ n atol² of 3·2 kg, n = 6 + 6. The whole error in the heavy body would be ½·2·12·1e-16 J, a third of it.
        let found = permitted(&model, &d.eq, &state.q, &state.v, &mut [0.0; 6], &CLOSE);
        assert!((found / (0.5 * 12.0 * 6.0 * 1e-16) - 1.0).abs() < 1e-12, "{found:e}");
        let strict = Promise { atol: 0.0, ..CLOSE };
        assert_eq!(permitted(&model, &d.eq, &state.q, &state.v, &mut [0.0; 6], &strict), 0.0);
        // Thirty times as much in one step is still doubtful.
        let mut energy = Energy::default();
        let at_rest = |balance: f64| Books { kinetic: balance, balance, ..Books::default() };
        assert_eq!(energy.look(at_rest(29.0 * found), 1, found, &CLOSE), None);
        assert_eq!(energy.look(at_rest(2000.0 * found), 1, found, &CLOSE).unwrap().severity, Severity::Doubtful);
    }

    #[test]
    fn a_row_may_err_as_its_interpolation_does() {
        let mut energy = Energy::default();
        assert_eq!(energy.look(books(4.0, 0.0), 1, 1e-8, &CLOSE), None);
        assert_eq!(energy.look_at_row(books(4.0, 1e-4), [0.0; 2], &CLOSE), None);
        assert_eq!(energy.look_at_row(books(4.0, 1.0), [0.0; 2], &CLOSE).unwrap().severity, Severity::Wrong);
    }
}
