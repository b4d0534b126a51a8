//! All formulations that solve the same problem find the same accelerations: 1,100 random sets of equations, matrices and
//! mechanisms, with independent, repeated and contradicting rows.
//!
//! The condition limits the agreement. The matrices have cond M ≤ 1e3 and singular values of A between 1/3 and 3; mechanisms are
//! arbitrary. Let s be the ratio of the largest to the smallest nonzero singular value of A M^(−1/2). Some methods form A M⁻¹ Aᵀ with
//! condition s², so round-off alone gives differences of ε s². Up to s = 200 the tolerance is 1e-11, beyond it ε s².
#![allow(non_snake_case)]

use super::dice::Dice;
use nalgebra::{DMatrix, DVector, Vector3};
use taut::bodies::Symmetry;
use taut::constraints::RowLevel;
use taut::drift::DriftControl;
use taut::dynamics::{Dynamics, RowWeighting, SolverSettings};
use taut::equations::{Equations, MarkerKinematics, StateView, assemble_positions, assemble_rates};
use taut::formulations::pseudo_inverse::singular_values;
use taut::formulations::square_root::spectral;
use taut::formulations::{DenseEquations, DenseSolution, Exactness, FormulationParameters, Method, RANK_TOLERANCE};
use taut::{Frame, Joint, Model, Orientation, PlanarBody, RigidBody, Spec};

/// Largest difference, relative to the accelerations with and without rows.
const AGREEMENT: f64 = 1e-11;

/// Kind of the rows of a set of equations.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rows {
    Independent,
    Repeated,
    Contradicting,
}

/// A set of equations with cond M ≤ 1e3 and singular values of A between 1/3 and 3.
fn matrices(dice: &mut Dice, rows: Rows) -> DenseEquations {
    let n = 1 + dice.below(20);
    let rank = if rows == Rows::Independent { dice.below(n + 1) } else { 1 + dice.below(n) };
    // Blocks as bodies have them, or one that is full.
    let mut M = DMatrix::zeros(n, n);
    let block = [1, 3, 6, n][dice.below(4)];
    for start in (0..n).step_by(block) {
        let size = block.min(n - start);
        let V = dice.orthonormal(size, size);
        let D = dice.spread(size, 1e3_f64.sqrt());
        M.view_mut((start, start), (size, size)).copy_from(&(&V * D * V.transpose()));
    }
    let M = (&M + M.transpose()) * 0.5;
    let m = if rows == Rows::Independent { rank } else { rank + 1 + dice.below(4) };
    let A = dice.orthonormal(m, rank) * dice.spread(rank, 3.0) * dice.orthonormal(n, rank).transpose();
    let b = if rows == Rows::Contradicting { dice.vector(m) } else { &A * dice.vector(n) };
    DenseEquations::symmetric(M, dice.vector(n) * 10.0, A, b)
}

/// A mechanism of one to four bodies, its joints closed in the given pose, moving at random; in the plane or in space.
fn mechanism(dice: &mut Dice) -> Model {
    let (bodies, spatial) = (1 + dice.below(4), dice.below(2) == 0);
    let mut spec = Spec::new();
    spec.gravity([0.0, -9.81, 0.5]);
    for k in 0..bodies {
        let (p, v, w, mass) = (dice.triple(), dice.triple(), dice.triple(), 1.5 + dice.unit());
        let name = format!("b{k}");
        if spatial {
            let J = [1.0 + 0.2 * dice.unit(), 1.0 + 0.2 * dice.unit(), 1.1];
            let turned = Orientation::RotationVector(dice.triple());
            spec.body(&name, RigidBody::new(mass, J).at(p).oriented(turned).moving(v, w));
        } else {
            let J = 1.0 + 0.5 * dice.unit();
            spec.body(&name, PlanarBody::new(mass, J).at([p[0], p[1]], p[2]).moving([v[0], v[1]], w[2]));
        }
    }
    for k in 0..1 + dice.below(bodies + 2) {
        let (a, b) = (dice.below(bodies + 1), dice.below(bodies));
        let owner = |a: usize| if a < bodies && a != b { format!("b{a}") } else { "ground".to_string() };
        let (mut point, z) = (dice.triple(), Vector3::from(dice.triple()) + Vector3::z() * 1.5);
        if !spatial {
            point[2] = 0.0;
        }
        let axis = if spatial { z.into() } else { [0.0, 0.0, 1.0] };
        let (on_a, on_b) = (format!("{}.m{k}a", owner(a)), format!("b{b}.m{k}b"));
        for name in [&on_a, &on_b] {
            spec.marker(name, Frame::world(point).axis(axis));
        }
        let makers = [Joint::revolute, Joint::spherical, Joint::universal, Joint::cylindrical, Joint::fixed];
        let joint = if spatial { makers[dice.below(makers.len())] } else { Joint::pin };
        spec.constraint(&format!("c{k}"), joint(&on_a, &on_b));
        // Some rows are given twice.
        if dice.below(4) == 0 {
            spec.constraint(&format!("c{k}again"), if spatial { Joint::spherical } else { Joint::pin }(&on_a, &on_b));
        }
    }
    spec.build().expect("a mechanism that can be built")
}

/// The equations of a model in its first pose.
fn equations(model: &Model) -> DenseEquations {
    let (state, mut scene, mut eq) = (model.initial_state(), MarkerKinematics::new(model), Equations::new(model));
    assemble_positions(model, StateView::from(&state), &mut scene, &mut eq);
    assemble_rates(model, StateView::from(&state), &mut scene, &mut eq);
    DenseEquations::from(&eq)
}

/// Ratio of the largest to the least singular value of A M^(−1/2) that is not zero.
fn spread(full: &DenseEquations) -> f64 {
    let root = spectral(&full.M).expect("a mass matrix");
    let (_, sigma, _) = singular_values(&(&full.A * root.inverse)).expect("finite");
    let largest = sigma.iter().fold(0.0_f64, |a, s| a.max(*s));
    let least = sigma.iter().filter(|s| **s > RANK_TOLERANCE * largest).fold(largest, |a, s| a.min(*s));
    if largest > 0.0 { largest / least } else { 1.0 }
}

/// How far solutions may be apart.
fn tolerance(full: &DenseEquations) -> f64 {
    AGREEMENT.max(f64::EPSILON * spread(full).powi(2))
}

/// v̇ and λ of every exact method that accepts the equations.
fn solutions(full: &DenseEquations) -> Vec<(Method, DenseSolution)> {
    let ask = |method: &Method| {
        let mut dense = method.dense(&FormulationParameters::default())?;
        let takes = dense.exactness() == Exactness::Exact && dense.unsupported_reason(full).is_none();
        takes.then(|| (*method, dense.solve(full).unwrap_or_else(|e| panic!("{method}: {e}"))))
    };
    Method::ALL.iter().filter_map(ask).collect()
}

/// Compares all solutions with the first and each with the equations themselves; gives back how many there were.
fn compare(full: &DenseEquations, what: &str) -> usize {
    let tolerance = tolerance(full);
    let found = solutions(full);
    let first = &found[0].1;
    let free = full.M.clone().lu().solve(&full.f).expect("a mass matrix").norm();
    let size = first.vdot.norm().max(free);
    let force = full.f.norm().max((&full.M * &first.vdot).norm());
    for (method, answer) in &found {
        let far = (&answer.vdot - &first.vdot).norm() / size;
        assert!(far <= tolerance, "{what}, {method}: v̇ is off by {far:e}");
        // Of dependent rows all report the multipliers of least norm.
        let far = (&answer.lambda - &first.lambda).norm() / first.lambda.norm().max(force);
        assert!(far <= tolerance, "{what}, {method}: λ is off by {far:e}");
        // M v̇ = f + Aᵀ λ and Aᵀ (A v̇ − b) = 0: no other v̇ meets both.
        let far = (&full.M * &answer.vdot - &full.f - full.A.tr_mul(&answer.lambda)).norm() / force;
        assert!(far <= tolerance, "{what}, {method}: unbalanced by {far:e}");
        let residual = full.A.tr_mul(&(&full.A * &answer.vdot - &full.b)).norm();
        let far = residual / (size.max(full.b.norm()) * full.A.norm().max(1.0).powi(2));
        assert!(far <= tolerance, "{what}, {method}: |A v̇ − b| is not least by {far:e}");
    }
    found.len()
}

#[test]
fn on_random_matrices() {
    let mut dice = Dice(1);
    for (rows, methods) in [(Rows::Independent, 10), (Rows::Repeated, 7), (Rows::Contradicting, 7)] {
        for which in 0..200 {
            let found = compare(&matrices(&mut dice, rows), &format!("{rows:?} {which}"));
            assert_eq!(found, methods, "{rows:?} {which}: a method refused what it can treat");
        }
    }
}

#[test]
fn on_random_mechanisms() {
    let mut dice = Dice(2);
    let (mut dependent, mut contradicting, mut worst, mut same) = (0, 0, 0.0_f64, 0);
    for which in 0..1000 {
        let model = mechanism(&mut dice);
        let full = equations(&model);
        compare(&full, &format!("mechanism {which}"));
        let exact = Method::Cholesky
            .dense(&FormulationParameters::default())
            .and_then(|mut m| m.solve(&full).ok())
            .expect("solved");
        let contradicts = (&full.A * &exact.vdot - &full.b).norm() > 1e-8;
        dependent += usize::from(full.dependent_rows(RANK_TOLERANCE) > 0);
        contradicting += usize::from(contradicts);
        // The default on the blocks and a published method, in both weightings of the rows.
        for (row_weighting, expected) in [(RowWeighting::AsWritten, exact), (RowWeighting::Scaled, scaled(&full))] {
            for method in [Method::ConstraintForce, Method::Regularised] {
                let plain =
                    SolverSettings { method, row_weighting, drift: DriftControl::None, ..SolverSettings::default() };
                let state = model.initial_state();
                let mut dynamics = Dynamics::at(&model, &state, &plain);
                // As for a run at a tolerance that would notice.
                dynamics.set_tolerance(1e-11);
                dynamics.solve_accelerations(state.t, &state.q, &state.v, &state.z).expect("regular");
                let far = (DVector::from_column_slice(&dynamics.vdot) - &expected.vdot).norm() / expected.vdot.norm();
                let bound = if contradicts { 1e-7 } else { tolerance(&full) };
                assert!(far <= bound, "mechanism {which}, {method}, {row_weighting:?}: off by {far:e}");
                let rows = DVector::from_column_slice(&dynamics.lambda);
                let off = full.A.tr_mul(&(&rows - &expected.lambda)).norm() / expected.lambda.norm().max(1.0);
                worst = worst.max(off);
                // Multipliers of nearly dependent rows are amplified round-off.
                let lambda = (&rows - &expected.lambda).norm() / expected.lambda.norm().max(1.0);
                same += usize::from(lambda < 1e-6);
            }
        }
    }
    // The forces of the rows, and the multipliers themselves.
    assert!(worst < 1e-6 && same >= 3900, "{worst:?} {same}");
    // Enough cases must have been compared.
    assert!(dependent > 200 && contradicting > 200 && dependent < 800, "{dependent} {contradicting}");
}

/// The answer when every row is divided by the root of its scale.
fn scaled(full: &DenseEquations) -> DenseSolution {
    let inverse = full.M.clone().try_inverse().expect("a mass matrix");
    let scale = (&full.A * inverse * full.A.transpose()).diagonal().map(|s| s.sqrt().recip());
    let mut full = full.clone();
    full.A = DMatrix::from_diagonal(&scale) * full.A;
    (full.B, full.b) = (full.A.clone(), full.b.component_mul(&scale));
    let found = Method::Cholesky.dense(&FormulationParameters::default()).and_then(|mut m| m.solve(&full).ok());
    let DenseSolution { vdot, lambda } = found.expect("solved");
    DenseSolution { vdot, lambda: lambda.component_mul(&scale) }
}

#[test]
fn without_symmetry() {
    // v = X⁻¹ u of a symmetric set in u̇ = X v̇: the same motion, M X in the place of M and A X in that of A.
    let mut dice = Dice(3);
    let mut worst = 0.0_f64;
    for _ in 0..200 {
        let rows = [Rows::Independent, Rows::Repeated, Rows::Contradicting][dice.below(3)];
        let plain = matrices(&mut dice, rows);
        let n = plain.n();
        let X = dice.orthonormal(n, n) * dice.spread(n, 3.0) * dice.orthonormal(n, n);
        let mut full = plain.clone();
        (full.M, full.A, full.symmetry) = (&plain.M * &X, &plain.A * &X, Symmetry::NonSymmetric);
        let expected = &solutions(&plain)[0].1;
        let found = solutions(&full);
        let methods = if rows == Rows::Independent { 4 } else { 2 };
        assert_eq!(found.len(), methods, "{rows:?}: {found:?}");
        for (_, answer) in found {
            let off = (&X * &answer.vdot - &expected.vdot).norm() / expected.vdot.norm();
            let lambda = (&answer.lambda - &expected.lambda).norm() / expected.lambda.norm().max(plain.f.norm());
            worst = worst.max(off).max(lambda);
        }
    }
    assert!(worst < AGREEMENT, "{worst:e}");
}

#[test]
fn penalty_errors_agree_with_theory() {
    // λ_μ = (S + 1/μ)⁻¹ (b − A a) for S = A M⁻¹ Aᵀ, so that λ − λ_μ = (1/μ) (S + 1/μ)⁻¹ λ and |λ − λ_μ| ≤ |λ|/(μ s_min).
    let mut dice = Dice(4);
    for _ in 0..100 {
        let full = matrices(&mut dice, Rows::Independent);
        if full.m() == 0 {
            continue;
        }
        let exact = &solutions(&full)[0].1;
        let inverse = full.M.clone().try_inverse().expect("a mass matrix");
        let S = (&full.A * &inverse * full.A.transpose()).symmetric_eigenvalues();
        let mut dense = Method::StaticPenalty
            .dense(&FormulationParameters { penalty: Some(1e4), ..FormulationParameters::default() })
            .expect("dense");
        let found = dense.solve(&full).expect("regular");
        let bound = exact.lambda.norm() / (1e4 * S.min());
        let (force, gain) = ((&found.lambda - &exact.lambda).norm(), (&inverse * full.A.transpose()).norm());
        assert!(force <= bound * (1.0 + 1e-6), "{force:e} > {bound:e}");
        assert!((&found.vdot - &exact.vdot).norm() <= bound * gain * (1.0 + 1e-6));
        assert!(force >= exact.lambda.norm() / (1e4 * S.max() + 1.0) * 0.999, "it cannot be that good");
    }
}

#[test]
fn non_finite_numbers_neither_panic_nor_hang() {
    let odd = [0.0, 1e300, -1e300, 1e155, 1e-300, 5e-324, f64::MAX, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    let mut dice = Dice(5);
    let (mut answered, mut reported) = (0, 0);
    for _ in 0..1000 {
        let rows = [Rows::Independent, Rows::Repeated, Rows::Contradicting][dice.below(3)];
        let mut full = matrices(&mut dice, rows);
        full.levels.fill(RowLevel::Position);
        for _ in 0..1 + dice.below(3) {
            let value = odd[dice.below(odd.len())];
            let part = dice.below(8);
            let entries = match part {
                0 | 1 => full.M.as_mut_slice(),
                2 => full.f.as_mut_slice(),
                3 | 4 => full.A.as_mut_slice(),
                5 => full.b.as_mut_slice(),
                6 => full.phi.as_mut_slice(),
                _ => full.phidot.as_mut_slice(),
            };
            if !entries.is_empty() {
                let at = dice.below(entries.len());
                entries[at] = value;
            }
        }
        full.B = full.A.clone();
        for method in Method::ALL {
            let Some(mut dense) = method.dense(&FormulationParameters::default()) else { continue };
            let _ = (dense.unsupported_reason(&full), dense.stiffness(&full));
            match dense.solve(&full) {
                Ok(answer) => {
                    answered += 1;
                    assert!(answer.vdot.iter().chain(answer.lambda.iter()).all(|x| x.is_finite()), "{method}");
                }
                Err(e) => {
                    reported += 1;
                    assert!(!e.to_string().is_empty());
                }
            }
            dense.correct_coordinate_velocity(&full, &mut DVector::zeros(full.n()));
        }
    }
    assert!(answered > 1000 && reported > 1000, "{answered} {reported}");
}
