//! Systems with rational solutions ([FumagalliMasarati2009]), every kind of M.

use nalgebra::DMatrix;
use taut_constrain::{
    ConstrainError, ConstraintSolver, Mass, Metric, Quality, RowWeighting, SolverOptions, SparseRows,
};

const MASS: [f64; 9] = [4.0, 1.0, 0.0, 1.0, 3.0, 1.0, 0.0, 1.0, 2.0];
const F: [f64; 3] = [1.0, 2.0, 3.0];

pub fn solve(
    mass: Mass,
    A: &SparseRows,
    f: &[f64],
    b: &[f64],
    weighting: RowWeighting,
) -> Result<(Vec<f64>, Vec<f64>, Quality), ConstrainError> {
    let mut metric = Metric::new(mass)?;
    let mut solver = ConstraintSolver::new(&metric, A, SolverOptions { weighting, ..SolverOptions::default() })?;
    solver.factor(&mut metric, A)?;
    let (mut vdot, mut lambda) = (vec![0.0; f.len()], vec![0.0; b.len()]);
    let quality = solver.accelerations(&mut metric, A, f, b, &mut vdot, &mut lambda)?;
    Ok((vdot, lambda, quality))
}

/// The same matrix in every form.
pub fn forms(M: &DMatrix<f64>) -> Vec<Mass> {
    let n = M.nrows();
    let positive = M.clone().symmetric_eigenvalues().min() > 1e-8;
    let factor = M.clone().cholesky().filter(|_| positive);
    let mut all = vec![
        Mass::Dense(M.clone()),
        Mass::Sparse(SparseRows::from_dense(M)),
        Mass::Blocks { sizes: vec![n], values: M.as_slice().to_vec() },
    ];
    if let Some(factor) = factor {
        let solve = move |x: &mut [f64]| {
            let y = factor.solve(&nalgebra::DVector::from_column_slice(x));
            x.copy_from_slice(y.as_slice());
        };
        all.push(Mass::Solve { n, solve: Box::new(solve) });
    }
    all.push(Mass::NonSymmetric(M.clone()));
    all
}

fn near(found: &[f64], known: &[f64]) -> bool {
    found.len() == known.len() && found.iter().zip(known).all(|(x, y)| (x - y).abs() < 1e-13)
}

#[test]
fn published_cases_with_every_form_of_the_mass_matrix() {
    type Case = (Vec<f64>, Vec<f64>, [f64; 3], Vec<f64>, usize);
    let one = [1.0, 1.0, 0.0];
    let cases: Vec<Case> = vec![
        (one.to_vec(), vec![1.0], [4.0 / 9.0, 5.0 / 9.0, 11.0 / 9.0], vec![4.0 / 3.0], 1),
        (
            [one, [2.0, 2.0, 0.0]].concat(),
            vec![1.0, 2.0],
            [4.0 / 9.0, 5.0 / 9.0, 11.0 / 9.0],
            vec![4.0 / 15.0, 8.0 / 15.0],
            1,
        ),
        ([one, one].concat(), vec![1.0, 2.0], [11.0 / 18.0, 8.0 / 9.0, 19.0 / 18.0], vec![7.0 / 6.0; 2], 1),
        (
            [one, [0.0, 1.0, 1.0], [1.0, 2.0, 1.0]].concat(),
            vec![1.0, 2.0, 3.0],
            [0.4, 0.6, 1.4],
            vec![2.0 / 3.0, -2.0 / 15.0, 8.0 / 15.0],
            2,
        ),
    ];
    for (rows, b, vdot, lambda, rank) in cases {
        let A = SparseRows::from_dense(&DMatrix::from_row_slice(b.len(), 3, &rows));
        for mass in forms(&DMatrix::from_row_slice(3, 3, &MASS)) {
            let name = format!("{mass:?}, {b:?}");
            let (a, l, quality) = solve(mass, &A, &F, &b, RowWeighting::AsWritten).unwrap();
            assert!(near(&a, &vdot) && near(&l, &lambda), "{name}: {a:?}, {l:?}");
            assert_eq!(quality.rank, rank, "{name}");
            // Gauss' function, by its definition.
            if let Some(gaussian) = quality.gaussian {
                let free = [2.0 / 9.0, 1.0 / 9.0, 13.0 / 9.0];
                let e: Vec<f64> = (0..3).map(|i| vdot[i] - free[i]).collect();
                let exact: f64 = 0.5 * (0..9).map(|k| e[k / 3] * MASS[k] * e[k % 3]).sum::<f64>();
                assert!((gaussian - exact).abs() < 1e-13, "{name}: {gaussian} {exact}");
            }
        }
    }
}

#[test]
fn the_weighting_decides_between_contradictory_rows() {
    // x¨ = 1 written as 1·x¨ = 1, and x¨ = 2 as 2·x¨ = 4: as written (1 + 2·4)/(1 + 4) = 1.8, scaled 1.5.
    let A = SparseRows::from_triplets(2, 1, &[(0, 0, 1.0), (1, 0, 2.0)]).unwrap();
    for (weighting, known) in [(RowWeighting::AsWritten, 1.8), (RowWeighting::Scaled, 1.5)] {
        for mass in forms(&DMatrix::from_element(1, 1, 3.0)) {
            let (a, l, quality) = solve(mass, &A, &[0.0], &[1.0, 4.0], weighting).unwrap();
            assert!((a[0] - known).abs() < 1e-13 && quality.rank == 1, "{weighting:?}: {a:?}");
            assert!((l[0] + 2.0 * l[1] - 3.0 * known).abs() < 1e-12);
            assert!(quality.residual > 0.1);
        }
    }
}

#[test]
fn coordinates_without_mass_follow_the_rows() {
    // x₂ has no mass and is tied to x₁: 2 x¨₁ = 3 + 1.
    let A = SparseRows::from_triplets(1, 2, &[(0, 0, 1.0), (0, 1, -1.0)]).unwrap();
    let (a, l, _) = solve(Mass::Diagonal(vec![2.0, 0.0]), &A, &[3.0, 1.0], &[0.0], RowWeighting::AsWritten).unwrap();
    assert!(near(&a, &[2.0, 2.0]) && near(&l, &[1.0]));
    // Nothing determines x₃.
    let A = SparseRows::from_triplets(1, 3, &[(0, 0, 1.0), (0, 1, -1.0)]).unwrap();
    let found = solve(Mass::Diagonal(vec![2.0, 0.0, 0.0]), &A, &[3.0, 1.0, 0.0], &[0.0], RowWeighting::AsWritten);
    assert!(matches!(found, Err(ConstrainError::Mass { coordinate: 2 })), "{found:?}");
}

#[test]
fn velocity_corrections_with_every_weight() {
    // A δ = −φ̇, least δᵀ W δ: δ = −W⁻¹ Aᵀ φ̇ / (A W⁻¹ Aᵀ); [Masarati2010] eqs. (11a), (14a).
    let A = SparseRows::from_triplets(1, 2, &[(0, 0, 3.0), (0, 1, 4.0)]).unwrap();
    for (weight, inverse) in [
        (Mass::Identity(2), [1.0, 1.0]),
        (Mass::Diagonal(vec![2.0, 4.0]), [0.5, 0.25]),
        (Mass::Dense(DMatrix::from_row_slice(2, 2, &[2.0, 0.0, 0.0, 4.0])), [0.5, 0.25]),
    ] {
        let mut weight = Metric::new(weight).unwrap();
        let mut solver = ConstraintSolver::new(&weight, &A, SolverOptions::default()).unwrap();
        solver.factor(&mut weight, &A).unwrap();
        let (mut delta, mut mu) = ([9.0; 2], [9.0; 1]);
        let quality = solver.correction(&mut weight, &A, &[0.5], &mut delta, &mut mu).unwrap();
        let s = 9.0 * inverse[0] + 16.0 * inverse[1];
        assert!(near(&mu, &[-0.5 / s]) && near(&delta, &[-1.5 * inverse[0] / s, -2.0 * inverse[1] / s]));
        assert!((quality.gaussian.unwrap() - 0.125 / s).abs() < 1e-15 && quality.residual < 1e-15);
    }
}
