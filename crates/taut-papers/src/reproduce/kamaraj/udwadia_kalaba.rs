//! Eq. (15) as printed, which no method of the engine is: the Udwadia–Kalaba equation with the position error in both
//! rows, integrated by the classical Runge–Kutta method. [Kamaraj2021]

use crate::reproduce::ExampleResults;
use crate::reproduce::case::PaperModel;
use crate::reproduce::error::ReproductionError;
use crate::reproduce::reference_values::ReferenceValues;
use crate::reproduce::row::ComparisonRow;
use nalgebra::{DMatrix, DVector};
use taut::equations::{Equations, MarkerKinematics, StateView, assemble_positions, assemble_rates};
use taut::{Model, State};

/// The factor of h⁻¹ in the second row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Violation {
    /// φ, as printed.
    Position,
    /// φ̇, as [BraunGoldfarb2009] have it.
    Velocity,
    /// Nothing, and no correction of q̇ either: eq. (15) without its stabilisation.
    Nothing,
}

/// A step of eq. (15): h, and the singular values that count, relative to the largest.
#[derive(Clone, Copy, Debug)]
struct PrintedLaw {
    h: f64,
    rank_tolerance: f64,
    second: Violation,
}

/// Result of a run.
#[derive(Clone, Copy, Debug)]
struct RunResult {
    /// Time at which the energy error exceeded the total energy, if it did.
    diverged_at: Option<f64>,
    /// Largest energy drift before that time, J.
    drift: f64,
}

pub fn compute(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let case = PaperModel::open("kamaraj_four_bar_coordinates", &[])?;
    let known = ReferenceValues::of("kamaraj-2021/double_four_bar_runs")?;
    let printed = |rank_tolerance| PrintedLaw { h: 1e-3, rank_tolerance, second: Violation::Position };
    let remark = "Singular values below a tolerance (relative, in brackets) count as none in the pseudo-inverse.";
    let plain = PrintedLaw { h: 1e-3, rank_tolerance: 1e-15, second: Violation::Nothing };
    for (law, words, key) in [
        (printed(1e-15), "eq. (15) as printed diverges at [1e-15]", "printed"),
        (plain, "Udwadia–Kalaba without stabilisation diverges at [1e-15]", "plain"),
    ] {
        let went = run(&case.model, &case.start, law, 5.0);
        let row = ComparisonRow::new("(15)", words, "s").remark(
            "It diverges within a few steps of a flat pose, as printed at the fifth passage, without stabilisation at the fourth.",
        );
        let ours = went.diverged_at.unwrap_or(f64::NAN);
        found.push(row.compared_with(ours, known.absolute(&format!("runs/{key}/t_end"), 0.02)?));
    }
    let erratum = "h^-1 Phi_q in the row of the accelerations must be h^-1 dPhi_q/dt: the printed form has the wrong unit. Large \
                   tolerances hide that it diverges, and 1e-2 comes near the printed drift.";
    for (tolerance, key) in [(1e-3, "printed_pinv_1e-3"), (1e-2, "printed_pinv_1e-2")] {
        let went = run(&case.model, &case.start, printed(tolerance), 10.0);
        let row = ComparisonRow::new("(15)", format!("drift of eq. (15) as printed [{tolerance:e}]"), "J");
        let ours = if went.diverged_at.is_some() { f64::NAN } else { went.drift };
        let row = row.printed("0.0072").erratum(erratum).remark(remark);
        found.push(row.compared_with(ours, known.relative(&format!("runs/{key}/drift_J"), 0.05)?));
    }
    for (rank_tolerance, key) in [(1e-6, "bg_1e-3_pinv_1e-6"), (1e-3, "bg_1e-3_pinv_1e-3")] {
        let law = PrintedLaw { h: 1e-3, rank_tolerance, second: Violation::Velocity };
        let went = run(&case.model, &case.start, law, 10.0);
        let row = ComparisonRow::new("(15)", format!("drift with dPhi_q/dt in its place [{rank_tolerance:e}]"), "J");
        let ours = if went.diverged_at.is_some() { f64::NAN } else { went.drift };
        let row = row.printed("0.0072").erratum(erratum).remark(remark);
        found.push(row.compared_with(ours, known.relative(&format!("runs/{key}/drift_J"), 0.05)?));
    }
    Ok(())
}

fn run(model: &Model, start: &State, law: PrintedLaw, t_end: f64) -> RunResult {
    let (nq, mut scene, mut eq) = (start.q.len(), MarkerKinematics::new(model), Equations::new(model));
    let mut y = DVector::from_iterator(nq + start.v.len(), start.q.iter().chain(&start.v).copied());
    let before = energy(&y, nq);
    let (mut drift, steps) = (0.0_f64, (t_end / law.h).round() as usize);
    let mut rates = |y: &DVector<f64>, t: f64| right_hand_side(model, &mut scene, &mut eq, law, t, y, nq);
    for i in 0..steps {
        let (t, h) = (i as f64 * law.h, law.h);
        let k1 = rates(&y, t);
        let k2 = rates(&(&y + &k1 * (h / 2.0)), t + h / 2.0);
        let k3 = rates(&(&y + &k2 * (h / 2.0)), t + h / 2.0);
        let k4 = rates(&(&y + &k3 * h), t + h);
        y += (k1 + (k2 + k3) * 2.0 + k4) * (h / 6.0);
        let off = (energy(&y, nq) - before).abs();
        if off.is_nan() || off > before.abs() {
            return RunResult { diverged_at: Some(t + h), drift };
        }
        drift = drift.max(off);
    }
    RunResult { diverged_at: None, drift }
}

/// (q̇, v̇) of eq. (15).
fn right_hand_side(
    model: &Model,
    scene: &mut MarkerKinematics,
    eq: &mut Equations,
    law: PrintedLaw,
    t: f64,
    y: &DVector<f64>,
    nq: usize,
) -> DVector<f64> {
    let state = state(model, t, y, nq);
    assemble_positions(model, StateView::from(&state), scene, eq);
    assemble_rates(model, StateView::from(&state), scene, eq);
    // Planar bodies with their frames at the mass centres have a diagonal M, and N = 1.
    let root = eq.dense_mass().diagonal().map(|m| 1.0 / m.sqrt());
    let (A, v) = (eq.dense_jacobian(), DVector::from_column_slice(&state.v));
    let scaled = &A * DMatrix::from_diagonal(&root);
    let svd = scaled.svd(true, true);
    let floor = law.rank_tolerance * svd.singular_values.max();
    let inverse =
        svd.pseudo_inverse(floor).unwrap_or_else(|_| DMatrix::from_element(y.len() - nq, A.nrows(), f64::NAN));
    let correct = |r: DVector<f64>| root.component_mul(&(&inverse * r));
    let (phi, b) = (DVector::from_column_slice(&eq.phi), DVector::from_column_slice(&eq.b));
    let a = DVector::from_column_slice(&eq.f).component_mul(&root.map(|r| r * r));
    let second = match law.second {
        Violation::Position => &phi / law.h,
        Violation::Velocity => DVector::from_column_slice(&eq.phidot) / law.h,
        Violation::Nothing => DVector::zeros(phi.len()),
    };
    let qdot = match law.second {
        Violation::Nothing => v.clone(),
        _ => &v + correct(-&A * &v - &phi / law.h),
    };
    let vdot = &a + correct(b - &A * &a - second);
    DVector::from_iterator(y.len(), qdot.iter().chain(vdot.iter()).copied())
}

fn state(model: &Model, t: f64, y: &DVector<f64>, nq: usize) -> State {
    State { t, q: y.as_slice()[..nq].to_vec(), v: y.as_slice()[nq..].to_vec(), ..model.initial_state() }
}

/// T + V of five rods of 1 m and 1 kg.
fn energy(y: &DVector<f64>, nq: usize) -> f64 {
    let (q, v) = (&y.as_slice()[..nq], &y.as_slice()[nq..]);
    let one = |q: &[f64], v: &[f64]| 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] / 12.0) + 9.81 * q[1];
    q.chunks(3).zip(v.chunks(3)).map(|(q, v)| one(q, v)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use taut::drift::{DriftControl, Gain};
    use taut::dynamics::{Dynamics, SolverSettings};
    use taut::formulations::Method;

    #[test]
    fn the_law_of_braun_and_goldfarb_takes_the_rates_of_the_state_at_hand() {
        let case = PaperModel::open("kamaraj_four_bar_coordinates", &[]).expect("a model");
        let (model, mut state) = (&case.model, case.start.clone());
        // Off the constraints at both levels.
        state.q.iter_mut().enumerate().for_each(|(i, q)| *q += 1e-3 * ((7 * i % 5) as f64 - 2.0));
        state.v.iter_mut().enumerate().for_each(|(i, v)| *v += 1e-2 * ((3 * i % 7) as f64 - 3.0));
        let y = DVector::from_iterator(30, state.q.iter().chain(&state.v).copied());
        let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
        let law = PrintedLaw { h: 1e-3, rank_tolerance: 1e-15, second: Violation::Velocity };
        let expected = right_hand_side(model, &mut scene, &mut eq, law, 0.0, &y, 15);
        for method in ["constraint_force", "lagrange", "udwadia_kalaba_spectral"] {
            let method = Method::from_name(method).expect("a method");
            let choice = SolverSettings {
                drift: DriftControl::BraunGoldfarb(Gain::PerStep),
                method,
                ..SolverSettings::default()
            };
            let mut dynamics = Dynamics::at(model, &case.start, &choice);
            dynamics.set_step(law.h);
            let mut found = DVector::zeros(30);
            dynamics.rates(0.0, y.as_slice(), found.as_mut_slice()).expect("rates");
            assert!((&found - &expected).amax() < 1e-8 * expected.amax(), "{method}: {}", (&found - &expected).amax());
        }
    }
}
