//! The default and every published formulation on 1,000 random systems.

use super::small_systems::{forms, solve};
use nalgebra::{DMatrix, DVector};
use taut_constrain::formulations::{DenseEquations, FormulationParameters, Published};
use taut_constrain::{ConstraintSolver, Mass, Metric, RowWeighting, SolverOptions, SparseRows, Symmetry};

/// Numbers between −1 and 1 by a linear congruence.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
    fn matrix(&mut self, m: usize, n: usize) -> DMatrix<f64> {
        DMatrix::from_fn(m, n, |_, _| self.next())
    }
    fn below(&mut self, n: usize) -> usize {
        ((self.next() + 1.0) * 0.5 * n as f64) as usize
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Independent,
    Redundant,
    Contradictory,
    Massless,
    NonSymmetric,
}

const KINDS: [Kind; 5] = [Kind::Independent, Kind::Redundant, Kind::Contradictory, Kind::Massless, Kind::NonSymmetric];

/// A system with n = 3 … 12; every second M is diagonal, banded or dense in turn.
fn system(random: &mut Random, kind: Kind, number: usize) -> DenseEquations {
    let n = 3 + random.below(10);
    let rank = 1 + random.below(n - 1);
    let band = [0, 1, n][number % 3];
    let G = random.matrix(n, n);
    let banded = DMatrix::from_fn(n, n, |i, j| if i.abs_diff(j) <= band { G[(i, j)] } else { 0.0 });
    let mut M = &banded * banded.transpose() + DMatrix::identity(n, n) * 0.5;
    let base = random.matrix(rank, n);
    let extra = match kind {
        Kind::Redundant | Kind::Contradictory => 1 + random.below(3),
        _ => 0,
    };
    let mix = random.matrix(extra, rank);
    let A = DMatrix::from_fn(rank + extra, n, |i, j| {
        if i < rank { base[(i, j)] } else { mix.row(i - rank).dot(&base.column(j).transpose()) }
    });
    let x = random.matrix(n, 1);
    let mut b = (&A * x).column(0).into_owned();
    if kind == Kind::Contradictory {
        b[rank] += 1.0;
    }
    let f = DVector::from_fn(n, |_, _| random.next());
    let mut B = A.clone();
    let mut symmetry = Symmetry::Symmetric;
    match kind {
        Kind::Massless => {
            // As many directions without mass as rows could hold, at most two.
            let Z = random.matrix(n, n).qr().q();
            let without = rank.min(2);
            let D = DMatrix::from_fn(n, n, |i, j| if i == j && i >= without { 1.0 + i as f64 } else { 0.0 });
            M = &Z * D * Z.transpose();
            M = (&M + M.transpose()) * 0.5;
        }
        Kind::NonSymmetric => {
            M += random.matrix(n, n) * 0.3;
            B += random.matrix(rank, n) * 0.2;
            symmetry = Symmetry::NonSymmetric;
        }
        _ => {}
    }
    DenseEquations { B, symmetry, ..DenseEquations::symmetric(M, f, A, b) }
}

/// The largest eigenvalue ratio that matters; systems beyond it say nothing about the methods.
fn is_well_posed(full: &DenseEquations) -> bool {
    let (n, rank) = (full.n(), full.A.rank(1e-9));
    let (_, sigma, _) = taut_constrain::formulations::pseudo_inverse::singular_values(&full.A).unwrap();
    let mut sigma: Vec<f64> = sigma.iter().copied().collect();
    sigma.sort_by(|a, b| b.total_cmp(a));
    let mut K = DMatrix::zeros(n + full.m(), n + full.m());
    K.view_mut((0, 0), (n, n)).copy_from(&full.M);
    K.view_mut((0, n), (n, full.m())).copy_from(&full.B.transpose());
    K.view_mut((n, 0), (full.m(), n)).copy_from(&full.A);
    let (_, all, _) = taut_constrain::formulations::pseudo_inverse::singular_values(&K).unwrap();
    let mut all: Vec<f64> = all.iter().copied().collect();
    all.sort_by(|a, b| b.total_cmp(a));
    sigma[rank - 1] > 0.05 * sigma[0] && all[n + rank - 1] > 1e-3 * all[0]
}

fn far(x: &[f64], y: &DVector<f64>) -> f64 {
    x.iter().zip(y).fold(0.0_f64, |m, (x, y)| m.max((x - y).abs())) / y.amax().max(1.0)
}

#[test]
fn all_formulations_agree_on_a_thousand_random_systems() {
    let mut random = Random(20_100_917);
    let (mut used, mut compared) = (0, 0);
    for number in 0.. {
        if used == 1000 {
            break;
        }
        let kind = KINDS[number % 5];
        let full = system(&mut random, kind, number / 5);
        if !is_well_posed(&full) {
            continue;
        }
        used += 1;
        let A = SparseRows::from_dense(&full.A);
        // The reference: the published null-space method, which covers every kind.
        let known = Published::NullSpace.create(&FormulationParameters::default()).solve(&full).unwrap();
        // The others of them need M⁻¹.
        let singular_mass = [Published::NullSpace, Published::Lagrange, Published::Partitioning];
        let usable = |m: &&Published| m.is_exact() && (kind != Kind::Massless || singular_mass.contains(m));
        for method in Published::ALL.iter().filter(|m| kind == Kind::Massless && m.is_exact() && !usable(m)) {
            let reason = method.create(&FormulationParameters::default()).unsupported_reason(&full);
            let able = *method == Published::AugmentedLagrangian;
            assert_eq!(reason.is_some_and(|why| why.contains("M⁻¹")), !able, "{number}: {method:?}");
        }
        for method in Published::ALL.iter().filter(usable) {
            let mut method = method.create(&FormulationParameters::default());
            if method.unsupported_reason(&full).is_some() {
                continue;
            }
            let found = method.solve(&full).unwrap();
            compared += 1;
            let distance = far(found.vdot.as_slice(), &known.vdot);
            assert!(distance < 1e-9, "{kind:?} {number}: {method:?} {distance:e}");
        }
        // The penalty method approaches it.
        let setup = FormulationParameters { penalty: Some(1e8), ..FormulationParameters::default() };
        let found = Published::StaticPenalty.create(&setup).solve(&full).unwrap();
        assert!(far(found.vdot.as_slice(), &known.vdot) < 1e-3, "{kind:?} {number}");
        // The default, with every form of M.
        if kind == Kind::NonSymmetric {
            let mut M = Metric::new(Mass::NonSymmetric(full.M.clone())).unwrap();
            let mut solver = ConstraintSolver::new(&M, &A, SolverOptions::default()).unwrap();
            solver.factor_with_reactions(&mut M, &A, Some(&SparseRows::from_dense(&full.B))).unwrap();
            let (mut vdot, mut lambda) = (vec![0.0; full.n()], vec![0.0; full.m()]);
            solver.accelerations(&mut M, &A, full.f.as_slice(), full.b.as_slice(), &mut vdot, &mut lambda).unwrap();
            assert!(far(&vdot, &known.vdot) < 1e-10 && far(&lambda, &known.lambda) < 1e-9, "{number}");
            continue;
        }
        for mass in forms(&full.M) {
            let name = format!("{kind:?} {number}: {mass:?}");
            let (vdot, lambda, quality) =
                solve(mass, &A, full.f.as_slice(), full.b.as_slice(), RowWeighting::AsWritten).unwrap();
            assert!(far(&vdot, &known.vdot) < 1e-9, "{name}: {:e}", far(&vdot, &known.vdot));
            assert!(far(&lambda, &known.lambda) < 1e-8, "{name}: {:e}", far(&lambda, &known.lambda));
            assert_eq!(quality.rank, full.A.rank(1e-9), "{name}");
            assert!(kind == Kind::Contradictory || quality.residual < 1e-11, "{name}");
        }
        // Scaled rows: the same as rows that were written with unit length in the norm of M⁻¹.
        if kind == Kind::Contradictory {
            let inverse = full.M.clone().try_inverse().unwrap();
            let d = DVector::from_fn(full.m(), |i, _| {
                (full.A.row(i) * &inverse * full.A.row(i).transpose())[0].sqrt().recip()
            });
            let D = DMatrix::from_diagonal(&d);
            let scaled = DenseEquations::symmetric(full.M.clone(), full.f.clone(), &D * &full.A, &D * &full.b);
            let known = Published::Cholesky.create(&FormulationParameters::default()).solve(&scaled).unwrap();
            for mass in forms(&full.M).into_iter().take(4) {
                let (vdot, lambda, _) =
                    solve(mass, &A, full.f.as_slice(), full.b.as_slice(), RowWeighting::Scaled).unwrap();
                assert!(far(&vdot, &known.vdot) < 1e-9, "{number}");
                assert!(far(&lambda, &(&D * &known.lambda)) < 1e-8, "{number}");
            }
        }
    }
    assert!(compared > 5000, "{compared}");
}
