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

use super::RunTolerances;
use crate::equations::Equations;
use crate::model::Model;
use crate::solution::Severity;
use serde::{Deserialize, Serialize};
use taut_ode::ErrorControl;

/// The balance is doubtful above this multiple of the permitted error: error estimates are only estimates, and the
/// integral of work does not control the steps.
const DOUBTFUL_FACTOR: f64 = 30.0;
/// The balance is wrong above this multiple of the permitted error, if it also exceeds this fraction of the energy at
/// work.
const WRONG_FACTOR: f64 = 1e3;
const WRONG_FRACTION: f64 = 1e-2;
/// Fraction of the energy at work that one step may always gain or lose, and the limit as a multiple of the relative
/// tolerance: impacts and contact changes that are not accounted for are jumps, not drift.
const JUMP_FRACTION: f64 = 1e-6;
const JUMP_RTOL_FACTOR: f64 = 1e3;
/// Permitted fractions of the energy at work for steps that are not controlled by a tolerance.
const UNCONTROLLED_DOUBTFUL_FRACTION: f64 = 2e-2;
const UNCONTROLLED_WRONG_FRACTION: f64 = 0.5;
/// If the energy at work grows by this factor within this fraction of the run, steps without tolerance control are
/// judged later: when a motion starts from nothing, the energy at work is soon much larger than now, and the balance is
/// small compared with it.
const ONSET_GROWTH: f64 = 2.0;
const ONSET_WINDOW_FRACTION: f64 = 0.02;
/// Additional permitted error of a row between two steps, as a multiple of that of one step: dense output is of lower
/// order.
const INTERPOLATION_FACTOR: f64 = 1e3;
/// Additional permitted error of the integral of work between two steps, as a fraction of the work of the step: nothing
/// else depends on it, and the ends of steps are checked by themselves.
const INTERPOLATED_WORK_FRACTION: f64 = 2e-2;
/// Permitted error of the integral of work, as a multiple of rtol times the energy turnover: the integral follows the
/// motion and does not control the steps.
const TURNOVER_RTOL_FACTOR: f64 = 10.0;
/// Relative round-off of one sum of energies.
const ROUND_OFF: f64 = 1e-13;

/// Energies at one time, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct EnergyLedger {
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
pub(crate) struct EnergyAudit {
    /// The potential energy at the first check.
    potential: Option<f64>,
    /// The largest energy that has been at work, J.
    at_work: f64,
    /// The energy at work at two earlier times, with these times; the second is at least [`ONSET_WINDOW_FRACTION`] of the run ago.
    earlier_at_work: [(f64, f64); 2],
    /// Sum of the permitted errors of the steps, J.
    permitted_error: f64,
    /// Permitted error of the last checked step, J.
    step_error: f64,
    /// Kinetic and potential energy, work and losses at the last check, J.
    last_energies: Option<[f64; 4]>,
    /// Round-off of the largest sums so far, J.
    round_off: f64,
    /// The balance at the last check, J.
    balance: f64,
    /// The worst severity reported.
    reported: Severity,
}

/// A violated energy balance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct EnergyImbalance {
    pub severity: Severity,
    /// B, and the permitted error, J.
    pub balance: f64,
    pub permitted: f64,
    /// |B| as a fraction of the energy at work.
    pub fraction: f64,
}

impl EnergyAudit {
    /// The largest energy that has been at work, J.
    pub fn at_work(&self) -> f64 {
        self.at_work
    }

    /// Permitted error of the last checked step, J.
    pub fn step_error(&self) -> f64 {
        self.step_error
    }

    /// Starts a run whose first step has the permitted error `step_error`.
    pub fn begin(&mut self, of_step: f64) {
        self.step_error = if of_step.is_finite() { of_step } else { 0.0 };
    }

    /// Checks after `steps` steps; the last has the permitted error `step_error`. Reports each severity once.
    pub fn check_step(
        &mut self,
        now: EnergyLedger,
        steps: u32,
        of_step: f64,
        promise: &RunTolerances,
    ) -> Option<EnergyImbalance> {
        if of_step.is_finite() {
            self.step_error = of_step;
            self.permitted_error +=
                f64::from(steps) * of_step + TURNOVER_RTOL_FACTOR * promise.rtol * self.turnover(&now);
        }
        let jump = (now.balance - self.balance).abs();
        if now.balance.is_finite() {
            self.balance = now.balance;
        }
        let found = self.assess(now, 0.0, promise);
        self.record_at_work(now.t, promise);
        let of_steps =
            JUMP_FRACTION.max(JUMP_RTOL_FACTOR * promise.rtol) * self.at_work + DOUBTFUL_FACTOR * self.step_error;
        let least = f64::from(steps.max(1)) * of_steps + DOUBTFUL_FACTOR * self.round_off;
        let jumps = promise.steering == ErrorControl::Reliable && jump > least;
        if found.is_some() || !jumps || self.reported >= Severity::Doubtful {
            return found;
        }
        self.reported = Severity::Doubtful;
        Some(EnergyImbalance {
            severity: self.reported,
            balance: now.balance,
            permitted: of_steps,
            fraction: jump / self.at_work,
        })
    }

    /// Checks the end of a run, including a motion that has only just started.
    pub fn check_end(&mut self, now: EnergyLedger, promise: &RunTolerances) -> Option<EnergyImbalance> {
        if !self.update_extremes(&now) {
            return None;
        }
        self.earlier_at_work = [(now.t, self.at_work); 2];
        self.assess(now, 0.0, promise)
    }

    /// Stores the energy at work for later comparison.
    fn record_at_work(&mut self, t: f64, promise: &RunTolerances) {
        if (t - self.earlier_at_work[0].0).abs() > ONSET_WINDOW_FRACTION * promise.span {
            self.earlier_at_work = [(t, self.at_work), self.earlier_at_work[0]];
        }
    }

    /// Checks an output row within a step; `work` is the work at both ends of the step.
    pub fn check_row(&mut self, now: EnergyLedger, work: [f64; 2], promise: &RunTolerances) -> Option<EnergyImbalance> {
        let work = INTERPOLATED_WORK_FRACTION * (work[1] - work[0]).abs();
        self.assess(now, INTERPOLATION_FACTOR * self.step_error + work, promise)
    }

    /// Energy turnover since the last check, J.
    fn turnover(&mut self, now: &EnergyLedger) -> f64 {
        let now = [now.kinetic, now.potential, now.work, now.lost];
        let before = self.last_energies.replace(now).unwrap_or(now);
        let sum: f64 = now.iter().zip(&before).map(|(a, b)| (a - b).abs()).sum();
        if sum.is_finite() { sum } else { 0.0 }
    }

    /// Updates the extremes with new energies; returns whether they are finite.
    fn update_extremes(&mut self, now: &EnergyLedger) -> bool {
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

    fn assess(&mut self, now: EnergyLedger, besides: f64, promise: &RunTolerances) -> Option<EnergyImbalance> {
        if !self.update_extremes(&now) {
            return None;
        }
        let (permitted, wrong) = match promise.steering {
            ErrorControl::Reliable => {
                let permitted = self.permitted_error + besides + self.round_off;
                (DOUBTFUL_FACTOR * permitted, (WRONG_FACTOR * permitted).max(WRONG_FRACTION * self.at_work))
            }
            ErrorControl::Unreliable => {
                // A motion that has hardly started is compared with the tolerances.
                let small = DOUBTFUL_FACTOR * (self.permitted_error + besides) + self.round_off;
                (
                    UNCONTROLLED_DOUBTFUL_FRACTION * self.at_work + small,
                    UNCONTROLLED_WRONG_FRACTION * self.at_work + small,
                )
            }
        };
        let balance = now.balance.abs();
        let severity = match () {
            () if balance > wrong => Severity::Wrong,
            () if balance > permitted => Severity::Doubtful,
            () => Severity::Notice,
        };
        let sets_in =
            promise.steering == ErrorControl::Unreliable && self.at_work > ONSET_GROWTH * self.earlier_at_work[1].1;
        if severity <= self.reported || sets_in {
            return None;
        }
        self.reported = severity;
        Some(EnergyImbalance {
            severity,
            balance: now.balance,
            permitted,
            fraction: balance / self.at_work.max(f64::MIN_POSITIVE),
        })
    }
}

/// Permitted energy error of a step to this state that meets the tolerances, with the current M and f.
pub(crate) fn permitted_step_error(
    model: &Model,
    eq: &Equations,
    q: &[f64],
    v: &[f64],
    momenta: &mut [f64],
    promise: &RunTolerances,
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
    (n * sum).sqrt() + permitted_error_at_rest(n, heaviest, promise)
}

/// Permitted energy error of a step at rest: ½ n atol² times the largest trace of a block of M.
fn permitted_error_at_rest(n: f64, heaviest: f64, promise: &RunTolerances) -> f64 {
    0.5 * n * heaviest * promise.atol * promise.atol
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::switching::StepErrors;

    const CLOSE: RunTolerances = RunTolerances {
        rtol: 1e-8,
        atol: 1e-8,
        steering: ErrorControl::Reliable,
        order: 8,
        span: 1.0,
        min_tolerance_fraction: 0.0,
        errors: StepErrors::NONE,
        follows_growth: false,
    };
    const LOOSE: RunTolerances = RunTolerances { steering: ErrorControl::Unreliable, ..CLOSE };

    fn ledger(kinetic: f64, balance: f64) -> EnergyLedger {
        EnergyLedger { kinetic, potential: 10.0 - kinetic, balance, ..EnergyLedger::default() }
    }

    #[test]
    fn permitted_errors_of_steps_add_up() {
        let mut energy = EnergyAudit::default();
        // A hundred steps of 1e-8 J each, without energy turnover, permit 1e-6 J; thirty times that is still no
        // finding.
        for k in 1..=100 {
            assert_eq!(energy.check_step(ledger(4.0, 2.9e-7 * f64::from(k)), 1, 1e-8, &CLOSE), None);
        }
        // A jump within one step is reported earlier.
        let mut drift = energy;
        assert_eq!(energy.check_step(ledger(4.0, 1e-3), 1, 1e-8, &CLOSE).unwrap().severity, Severity::Doubtful);
        let found = drift.check_step(ledger(4.0, 3.2e-5), 1, 1e-8, &CLOSE).unwrap();
        assert_eq!(found.severity, Severity::Doubtful);
        assert!((found.permitted / 3.03e-5 - 1.0).abs() < 1e-3, "{found:?}");
        assert_eq!(drift.check_step(ledger(4.0, 3.3e-5), 1, 1e-8, &CLOSE), None, "it is reported once");
    }

    #[test]
    fn a_hundredth_of_the_energy_at_work_is_wrong() {
        let mut energy = EnergyAudit::default();
        assert_eq!(energy.check_step(ledger(4.0, 0.0), 1, 1e-8, &CLOSE), None);
        assert_eq!(energy.check_step(ledger(4.0, 0.03), 1, 1e-8, &CLOSE).unwrap().severity, Severity::Doubtful);
        let found = energy.check_step(ledger(4.0, 0.05), 1, 1e-8, &CLOSE).unwrap();
        assert_eq!(found.severity, Severity::Wrong);
        assert!((found.fraction - 0.0125).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn steps_of_fixed_length_are_measured_by_the_energy_at_work() {
        let mut energy = EnergyAudit::default();
        let mut look =
            |t: f64, balance: f64| energy.check_step(EnergyLedger { t, ..ledger(4.0, balance) }, 1, 1e-8, &LOOSE);
        assert_eq!([look(0.1, 0.0), look(0.2, 0.0), look(0.3, 0.05)], [None; 3]);
        assert_eq!(look(0.4, 0.1).unwrap().severity, Severity::Doubtful);
        assert_eq!(look(0.5, 2.5).unwrap().severity, Severity::Wrong);
    }

    #[test]
    fn an_onset_is_judged_after_it_or_at_the_end() {
        let grown =
            |t: f64, kinetic: f64, balance: f64| EnergyLedger { t, kinetic, balance, ..EnergyLedger::default() };
        let mut energy = EnergyAudit::default();
        for k in 0..20 {
            let now = 1e-6 * 4.0_f64.powi(k);
            assert_eq!(energy.check_step(grown(0.05 * f64::from(k), now, 0.9 * now), 1, 0.0, &LOOSE), None);
        }
        // The growth continues until the end of the run, shortly after the last check.
        let last = 1e-6 * 4.0_f64.powi(21);
        assert_eq!(energy.check_end(grown(1.0, last, 0.9 * last), &LOOSE).unwrap().severity, Severity::Wrong);
        // The growth stops, and the balance is small compared with the energy reached.
        let mut energy = EnergyAudit::default();
        for (t, now, balance) in
            [(0.5, 1e-6, 0.0), (0.51, 1e-3, 9e-4), (0.52, 1.0, 1e-3), (0.55, 1.1, 1e-3), (0.6, 1.1, 1e-3)]
        {
            assert_eq!(energy.check_step(grown(t, now, balance), 1, 0.0, &LOOSE), None);
        }
        // The growth stops, and the balance is not small.
        assert_eq!(energy.check_step(grown(0.7, 1.2, 0.7), 1, 0.0, &LOOSE).unwrap().severity, Severity::Wrong);
    }

    #[test]
    fn round_off_of_a_large_potential_is_nothing() {
        let mut energy = EnergyAudit::default();
        for balance in [0.0, 3e-7] {
            let now = EnergyLedger { kinetic: 1e-3, potential: 1e6, balance, ..EnergyLedger::default() };
            assert_eq!(energy.check_step(now, 1, 1e-20, &CLOSE), None);
        }
    }

    #[test]
    fn where_nothing_moves_velocities_may_err_by_atol() {
        use crate::dynamics::{Dynamics, SolverSettings};
        use crate::{PointMass, Spec};
        let mut spec = Spec::new();
        spec.body("light", PointMass::new(0.5, [0.0; 3])).body("heavy", PointMass::new(2.0, [1.0, 0.0, 0.0]));
        let model = spec.build().unwrap();
        let state = model.initial_state();
        let d = Dynamics::at(&model, &state, &SolverSettings::default());
        // ½ n atol² of 3·2 kg, n = 6 + 6. The whole error in the heavy body would be ½·2·12·1e-16 J, a third of it.
        let found = permitted_step_error(&model, &d.eq, &state.q, &state.v, &mut [0.0; 6], &CLOSE);
        assert!((found / (0.5 * 12.0 * 6.0 * 1e-16) - 1.0).abs() < 1e-12, "{found:e}");
        let strict = RunTolerances { atol: 0.0, ..CLOSE };
        assert_eq!(permitted_step_error(&model, &d.eq, &state.q, &state.v, &mut [0.0; 6], &strict), 0.0);
        // Thirty times as much in one step is still doubtful.
        let mut energy = EnergyAudit::default();
        let at_rest = |balance: f64| EnergyLedger { kinetic: balance, balance, ..EnergyLedger::default() };
        assert_eq!(energy.check_step(at_rest(29.0 * found), 1, found, &CLOSE), None);
        assert_eq!(energy.check_step(at_rest(2000.0 * found), 1, found, &CLOSE).unwrap().severity, Severity::Doubtful);
    }

    #[test]
    fn a_row_may_err_as_its_interpolation_does() {
        let mut energy = EnergyAudit::default();
        assert_eq!(energy.check_step(ledger(4.0, 0.0), 1, 1e-8, &CLOSE), None);
        assert_eq!(energy.check_row(ledger(4.0, 1e-4), [0.0; 2], &CLOSE), None);
        assert_eq!(energy.check_row(ledger(4.0, 1.0), [0.0; 2], &CLOSE).unwrap().severity, Severity::Wrong);
    }
}
