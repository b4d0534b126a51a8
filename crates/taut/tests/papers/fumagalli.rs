//! \[FumagalliMasarati2009\] §2: small systems with independent, repeated and contradicting rows.

use crate::common::{below, close};
use taut::analyses::{RowConsistency, rank};
use taut::bodies::{BodyKind, Quantity, Subsystem, SubsystemBody};
use taut::dynamics::{Dynamics, SolverSettings};
use taut::{Frame, Measure, Model, Prescription, Relation, Signal, Spec};

/// M = [4 1 0; 1 3 1; 0 1 2], f = (1, 2, 3).
#[derive(Debug)]
struct Three;

impl Subsystem for Three {
    fn coordinates(&self) -> Vec<Quantity> {
        ["a", "b", "c"].map(|n| Quantity::new(n, "m")).to_vec()
    }
    fn initial_state(&self, _q: &mut [f64], _v: &mut [f64], _z: &mut [f64]) {}
    fn mass_matrix(&self, _q: &[f64], M: &mut [f64]) {
        M.copy_from_slice(&[4.0, 1.0, 0.0, 1.0, 3.0, 1.0, 0.0, 1.0, 2.0]);
    }
    fn forces(&self, _t: f64, _q: &[f64], _v: &[f64], _z: &[f64], f: &mut [f64], _zdot: &mut [f64]) {
        f.copy_from_slice(&[1.0, 2.0, 3.0]);
    }
}

/// The rows A v̇ = b as relations given at acceleration level.
fn three(rows: &[([f64; 3], f64)]) -> Model {
    let mut spec = Spec::new();
    spec.body("x", BodyKind::Subsystem(SubsystemBody::new(Three))).marker("ground.far", Frame::at([1.0, 0.0, 0.0]));
    for (i, (row, b)) in rows.iter().enumerate() {
        let mut terms: Vec<(f64, Measure)> =
            row.iter().zip(["x.a", "x.b", "x.c"]).map(|(k, name)| (*k, Measure::coordinate(name))).collect();
        terms.retain(|(k, _)| *k != 0.0);
        // A relation of one body's own coordinates is built as one with the ground.
        terms.push((0.0, Measure::distance("ground", "ground.far")));
        spec.constraint(
            &format!("row{i}"),
            Relation::new(terms).follows(Prescription::Acceleration(Signal::constant(*b))),
        );
    }
    spec.build().unwrap()
}

/// v̇, λ, the largest |A v̇ − b|.
pub fn solved(model: &Model) -> (Vec<f64>, Vec<f64>, f64) {
    let mut d = Dynamics::new(model, &SolverSettings::default());
    let s = model.initial_state();
    d.solve_accelerations(0.0, &s.q, &s.v, &s.z).unwrap();
    (d.vdot.clone(), d.lambda.clone(), d.acceleration_residual().0)
}

const SUM: [f64; 3] = [1.0, 1.0, 0.0];

#[test]
fn full_rank() {
    let model = three(&[(SUM, 1.0)]);
    let (a, lambda, left) = solved(&model);
    close("accelerations", &a, &[4.0 / 9.0, 5.0 / 9.0, 11.0 / 9.0], 1e-12);
    // M v̇ = f + Aᵀλ here, M v̇ + Aᵀλ = f in the paper.
    close("multiplier", &lambda, &[4.0 / 3.0], 1e-10);
    below("left over", left, 1e-12);
    assert_eq!(rank(&model, &model.initial_state()).unwrap().verdict, RowConsistency::Independent);
}

#[test]
fn doubled_row() {
    let model = three(&[(SUM, 1.0), ([2.0, 2.0, 0.0], 2.0)]);
    let (a, lambda, left) = solved(&model);
    close("accelerations", &a, &[4.0 / 9.0, 5.0 / 9.0, 11.0 / 9.0], 1e-10);
    below("left over", left, 1e-10);
    // The force Aᵀλ = 4/3 (1, 1, 0) is one; how the rows share it is a matter of the norm. Least in Euclid's norm, as in the paper.
    close("force", &[lambda[0] + 2.0 * lambda[1]], &[4.0 / 3.0], 1e-10);
    close("multipliers", &lambda, &[4.0 / 15.0, 8.0 / 15.0], 1e-8);
    let found = rank(&model, &model.initial_state()).unwrap();
    assert_eq!((found.rank, found.redundant, found.verdict), (1, 1, RowConsistency::Consistent));
}

#[test]
fn contradicting_rows() {
    // Least squares of A v̇ = b, then least Gaussian: A v̇ = 1.5 for rows that ask for 1 and 2.
    let model = three(&[(SUM, 1.0), (SUM, 2.0)]);
    let (a, lambda, left) = solved(&model);
    close("accelerations", &a, &[11.0 / 18.0, 8.0 / 9.0, 19.0 / 18.0], 1e-8);
    close("left over", &[left], &[0.5], 1e-8);
    // Both rows push along (1, 1, 0): together 7/3.
    close("force", &[lambda[0] + lambda[1]], &[7.0 / 3.0], 1e-6);
    let found = rank(&model, &model.initial_state()).unwrap();
    let RowConsistency::Contradictory { acceleration, position, velocity } = found.verdict else { panic!("{found:?}") };
    assert!(acceleration > 0.1 && position == 0.0 && velocity == 0.0);
    assert_eq!(found.dependent, ["row0.relation", "row1.relation"]);
}

#[test]
fn three_rows_of_rank_two() {
    let rows = [(SUM, 1.0), ([0.0, 1.0, 1.0], 2.0), ([1.0, 2.0, 1.0], 3.0)];
    let model = three(&rows);
    let (a, lambda, left) = solved(&model);
    close("accelerations", &a, &[2.0 / 5.0, 3.0 / 5.0, 7.0 / 5.0], 1e-10);
    below("left over", left, 1e-10);
    // Aᵀλ = M v̇ − f is unique.
    let force: Vec<f64> = (0..3).map(|j| (0..3).map(|i| rows[i].0[j] * lambda[i]).sum()).collect();
    close("force", &force, &[1.2, 1.6, 0.4], 1e-9);
    // Of all λ + t (1, 1, −1) the least in Euclid's norm, as in the paper: λ ⟂ (1, 1, −1).
    close("multipliers", &lambda, &[2.0 / 3.0, -2.0 / 15.0, 8.0 / 15.0], 1e-8);
    let found = rank(&model, &model.initial_state()).unwrap();
    assert_eq!((found.rank, found.redundant, found.verdict), (2, 1, RowConsistency::Consistent));
}
