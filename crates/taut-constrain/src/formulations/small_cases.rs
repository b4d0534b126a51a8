//! Small systems with known solutions, with which every dense method is tested.

use super::{DenseEquations, DenseFormulation, DenseSolution, FormulationParameters, SolveError};
use crate::RowLevel;
use crate::Symmetry;
use nalgebra::{DMatrix, DVector, Matrix2, Matrix3, Vector2, Vector3};

/// Equations, v̇, λ.
pub type Case = (DenseEquations, DVector<f64>, DVector<f64>);

/// A vector of these entries.
pub fn vector(x: &[f64]) -> DVector<f64> {
    DVector::from_column_slice(x)
}

/// A generic matrix with entries between −1 and 1.
pub fn generic(m: usize, n: usize, seed: usize) -> DMatrix<f64> {
    DMatrix::from_fn(m, n, |i, j| (1e4 * ((1 + 37 * i + 101 * j + 1009 * seed) as f64).sin()).sin())
}

/// M = [4 1 0; 1 3 1; 0 1 2], f = (1, 2, 3) with rows; the solutions are rational, λ has least Euclidean norm.
fn three(rows: &[[f64; 3]], b: &[f64], vdot: [f64; 3], lambda: &[f64]) -> Case {
    let M = DMatrix::from_row_slice(3, 3, &[4.0, 1.0, 0.0, 1.0, 3.0, 1.0, 0.0, 1.0, 2.0]);
    let A = DMatrix::from_row_iterator(rows.len(), 3, rows.iter().flatten().copied());
    let full = DenseEquations::symmetric(M, vector(&[1.0, 2.0, 3.0]), A, vector(b));
    (full, vector(&vdot), vector(lambda))
}

pub fn no_rows() -> Case {
    three(&[], &[], [2.0 / 9.0, 1.0 / 9.0, 13.0 / 9.0], &[])
}

/// No bodies at all.
pub fn nothing() -> Case {
    (
        DenseEquations::symmetric(DMatrix::zeros(0, 0), vector(&[]), DMatrix::zeros(0, 0), vector(&[])),
        vector(&[]),
        vector(&[]),
    )
}

pub fn one_row() -> Case {
    three(&[[1.0, 1.0, 0.0]], &[1.0], [4.0 / 9.0, 5.0 / 9.0, 11.0 / 9.0], &[4.0 / 3.0])
}

pub fn doubled_row() -> Case {
    let rows = [[1.0, 1.0, 0.0], [2.0, 2.0, 0.0]];
    three(&rows, &[1.0, 2.0], [4.0 / 9.0, 5.0 / 9.0, 11.0 / 9.0], &[4.0 / 15.0, 8.0 / 15.0])
}

/// Equal rows that require 1 and 2: least squares give 1.5.
pub fn contradicting_rows() -> Case {
    let rows = [[1.0, 1.0, 0.0]; 2];
    three(&rows, &[1.0, 2.0], [11.0 / 18.0, 8.0 / 9.0, 19.0 / 18.0], &[7.0 / 6.0; 2])
}

const RANK_TWO: [[f64; 3]; 3] = [[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 2.0, 1.0]];

pub fn three_rows_of_rank_two() -> Case {
    three(&RANK_TWO, &[1.0, 2.0, 3.0], [0.4, 0.6, 1.4], &[2.0 / 3.0, -2.0 / 15.0, 8.0 / 15.0])
}

pub fn three_contradicting_rows_of_rank_two() -> Case {
    let lambda = [8.0 / 9.0, -2.0 / 45.0, 38.0 / 45.0];
    three(&RANK_TWO, &[1.0, 2.0, 4.0], [7.0 / 15.0, 13.0 / 15.0, 22.0 / 15.0], &lambda)
}

/// M = diag(1, 25), A = [1 1], a = (0, 1), b = 0.
pub fn norm_claim() -> DenseEquations {
    let (M, A) = (DMatrix::from_diagonal(&vector(&[1.0, 25.0])), DMatrix::from_element(1, 2, 1.0));
    DenseEquations::symmetric(M, vector(&[0.0, 25.0]), A, vector(&[0.0]))
}

/// Two planar bodies and a pin; checked with the complete Newton–Euler system to 6e-16.
pub fn pin() -> Case {
    let turned = |x: f64, y: f64, t: f64| Vector2::new(x * t.cos() - y * t.sin(), x * t.sin() + y * t.cos());
    let (pa, pb) = (turned(0.8, 0.1, 0.3), turned(-0.6, 0.2, -0.7));
    let mut A = DMatrix::zeros(2, 6);
    A.view_mut((0, 0), (2, 2)).copy_from(&-Matrix2::identity());
    A.view_mut((0, 2), (2, 1)).copy_from(&Vector2::new(pa.y, -pa.x));
    A.view_mut((0, 3), (2, 2)).copy_from(&Matrix2::identity());
    A.view_mut((0, 5), (2, 1)).copy_from(&Vector2::new(-pb.y, pb.x));
    let b = pb * 4.0 - pa * 1.44;
    let M = DMatrix::from_diagonal(&vector(&[2.0, 2.0, 0.5, 1.5, 1.5, 0.3]));
    let f = vector(&[0.5, -19.62, 0.7, -1.0, -14.715, -0.2]);
    let vdot = vector(&[
        0.7572023038467245,
        -10.307400846733485,
        -0.735258613312014,
        -1.3429364051289658,
        -9.146798871022023,
        0.06308103106865137,
    ]);
    let full = DenseEquations::symmetric(M, f, A, vector(b.as_slice()));
    (full, vdot, vector(&[-1.014404607693449, 0.9948016934669668]))
}

/// [FumagalliMasarati2009] appendix 2: Newton–Euler equations of a body whose point s is fixed, with Gibbs–Rodrigues
/// parameters p as coordinates: ω = Γ ṗ, M = [m 0; 0 J Γ], and the reaction along B = [I −s×], not A = [I −s× Γ].
pub fn rotation_parameters() -> Case {
    let (p, pdot) = (Vector3::new(0.4, -0.7, 0.3), Vector3::new(1.1, 0.2, -0.5));
    let k = 4.0 / (4.0 + p.norm_squared());
    let half: Matrix3<f64> = Matrix3::identity() + p.cross_matrix() * 0.5;
    let (G, dG) = (half * k, pdot.cross_matrix() * (0.5 * k) - half * (0.5 * k * k * p.dot(&pdot)));
    let R: Matrix3<f64> = Matrix3::identity() + (p.cross_matrix() + p.cross_matrix() * p.cross_matrix() * 0.5) * k;
    let J = R * Matrix3::from_diagonal(&Vector3::new(0.3, 0.5, 0.9)) * R.transpose();
    let (s, w, c) = (R * Vector3::new(0.5, 0.1, -0.2), G * pdot, dG * pdot);
    let mut M = DMatrix::from_diagonal_element(6, 6, 2.0);
    M.view_mut((3, 3), (3, 3)).copy_from(&(J * G));
    let mut B = DMatrix::identity(3, 6);
    B.view_mut((0, 3), (3, 3)).copy_from(&-s.cross_matrix());
    let mut A = B.clone();
    A.view_mut((0, 3), (3, 3)).copy_from(&(-s.cross_matrix() * G));
    let moment = Vector3::new(0.2, 0.4, -0.3) - w.cross(&(J * w)) - J * c;
    let b = -w.cross(&w.cross(&s)) - c.cross(&s);
    let mut full =
        DenseEquations::symmetric(M, vector(&[1.0, -2.0, 0.5, moment.x, moment.y, moment.z]), A, vector(b.as_slice()));
    (full.B, full.symmetry) = (B, Symmetry::NonSymmetric);
    // α is known to 1e-15, p̈ = Γ⁻¹ (α − Γ̇ ṗ).
    let alpha = Vector3::new(0.4446259267165733, 0.09169137228312034, 0.9077172558145771);
    let pddot = G.try_inverse().unwrap_or_default() * (alpha - c);
    let vdot = vector(&[0.18580481510538072, -0.22964498029760994, 0.22137287102298592, pddot.x, pddot.y, pddot.z]);
    (full, vdot, vector(&[-0.6283903697892386, 1.5407100394047801, -0.05725425795402816]))
}

/// All cases with M = Mᵀ.
pub fn symmetric() -> Vec<Case> {
    vec![
        nothing(),
        no_rows(),
        one_row(),
        doubled_row(),
        contradicting_rows(),
        three_rows_of_rank_two(),
        three_contradicting_rows_of_rank_two(),
        pin(),
    ]
}

/// Asserts that the method accepts all cases and reproduces their accelerations and multipliers.
pub fn assert_solves<D: DenseFormulation>(cases: &[Case], tolerance: f64) {
    for (i, (full, vdot, lambda)) in cases.iter().enumerate() {
        let mut method = D::new(&FormulationParameters::default());
        assert_eq!(method.unsupported_reason(full), None, "case {i}");
        let DenseSolution { vdot: a, lambda: l } = method.solve(full).unwrap();
        let far = |x: &DVector<f64>, y: &DVector<f64>| x.iter().zip(y).fold(0.0_f64, |m, (x, y)| m.max((x - y).abs()));
        assert!(
            a.len() == vdot.len() && far(&a, vdot) <= tolerance * vdot.iter().fold(0.0, |m, x| x.abs().max(m)),
            "case {i}: v̇ = {a}"
        );
        assert!(l.len() == lambda.len() && far(&l, lambda) <= 10.0 * tolerance, "case {i}: λ = {l}");
    }
}

pub fn refuses_dependent_rows<D: DenseFormulation>() {
    let mut method = D::new(&FormulationParameters::default());
    for ((full, ..), words) in [
        (doubled_row(), "1 of 2 is not"),
        (contradicting_rows(), "1 of 2 is not"),
        (three_rows_of_rank_two(), "1 of 3 is not"),
    ] {
        assert!(
            method.unsupported_reason(&full).is_some_and(|s| s.contains(words)),
            "{:?}",
            method.unsupported_reason(&full)
        );
        // Also without that question.
        assert_eq!(method.solve(&full).err(), Some(SolveError::Singular), "{words}");
    }
}

pub fn refuses_without_symmetry<D: DenseFormulation>() {
    let method = D::new(&FormulationParameters::default());
    assert_eq!(method.unsupported_reason(&rotation_parameters().0).as_deref(), Some("M is not symmetric"));
}

/// Asserts that NaN and infinity anywhere, and a singular mass matrix, give an error, neither a panic nor an endless
/// loop.
pub fn reports_non_finite_numbers<D: DenseFormulation>() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for part in 0..5 {
            for (mut full, ..) in [one_row(), doubled_row(), pin()] {
                full.levels.fill(RowLevel::Position);
                match part {
                    0 => full.M[(1, 1)] = bad,
                    1 => full.f[1] = bad,
                    2 => full.A[(0, 1)] = bad,
                    3 => full.B[(0, 1)] = bad,
                    _ => full.b[0] = bad,
                }
                let mut method = D::new(&FormulationParameters::default());
                let _ = (method.unsupported_reason(&full), method.stiffness(&full));
                method.correct_coordinate_velocity(&full, &mut DVector::zeros(full.n()));
                assert_eq!(method.solve(&full), Err(SolveError::NotFinite), "part {part}");
            }
        }
    }
    for (mut full, ..) in [no_rows(), one_row(), pin()] {
        full.M.fill(0.0);
        full.levels.fill(RowLevel::Position);
        assert!(D::new(&FormulationParameters::default()).solve(&full).is_err());
    }
}
