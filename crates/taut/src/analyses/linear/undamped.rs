//! Undamped systems at rest: K x = ω² M x in the null space of A.
//!
//! A dense solver has an error of ε ω²_max in every ω², which may exceed the lowest of them. Therefore the slow modes are refined by
//! subspace iteration with K + σ² M. This removes the parts of fast modes and reveals motions without stiffness.

use super::free_motion_test::has_no_stiffness;
use super::modes::{ModeKind, ModeSet};
use super::pencil::Pencil;
use super::{LinearError, Linearised};
use crate::tangent::Singular;
use nalgebra::{Cholesky, Complex, DMatrix, DVector};
use taut_sparse::symmetric_eigen;

/// Modes with ω² below this, relative to the largest, are refined, at most `MAX_SLOW_MODES`.
const SLOW_MODE_RATIO: f64 = 1e-8;
const MAX_SLOW_MODES: usize = 60;
/// If all ω² are below this, relative to that of the stiffest velocity alone, they are round-off.
const NO_STIFFNESS: f64 = 1e-18;
/// σ² relative to the largest ω²: above the error of a dense solver, below the relevant modes.
const SHIFT_RATIO: f64 = 1e-12;

/// All modes.
pub(super) fn undamped(lin: &Linearised) -> Result<ModeSet, LinearError> {
    let N = lin.position_null_space(&lin.eq.dense_jacobian()).N;
    let n = N.ncols();
    let (whole_M, whole_K) = (lin.eq.dense_mass(), lin.tangent.dense_stiffness(lin.model));
    // ω² of each velocity alone. If no motion that the constraints allow has a stiffness, only this tells what round-off is.
    let alone = whole_M.diagonal().zip_map(&whole_K.diagonal(), |m, k| if m > 0.0 { k.abs() / m } else { 0.0 });
    let M = N.tr_mul(&(whole_M * &N));
    let K = N.tr_mul(&(whole_K * &N));
    let massless = || LinearError::singular("high frequencies")(Singular);
    let (mut values, mut vectors) = generalised_eigenpairs(&K, &M).ok_or_else(massless)?;
    vectors = N * vectors;
    let fastest = values.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
    let fastest = if fastest <= NO_STIFFNESS * alone.amax() { alone.amax() } else { fastest };
    let slow = values.iter().take(MAX_SLOW_MODES).filter(|x| x.abs() <= SLOW_MODE_RATIO * fastest).count();
    if let Some((sharp, with)) = refine_slow_modes(lin, &vectors.columns(0, slow).into_owned(), SHIFT_RATIO * fastest) {
        values[..slow].copy_from_slice(&sharp);
        vectors.columns_mut(0, slow).copy_from(&with);
    }
    let (mut modes, mut zeros) = (Vec::with_capacity(n), 0);
    for (k, value) in values.iter().enumerate() {
        let xi: Vec<f64> = vectors.column(k).iter().copied().collect();
        let z = vec![Complex::new(0.0, 0.0); lin.model.sizes.z];
        let shape: Vec<Complex<f64>> = xi.iter().map(|x| Complex::new(*x, 0.0)).collect();
        if value.abs() <= SLOW_MODE_RATIO * fastest && has_no_stiffness(lin, &xi, fastest) {
            zeros += 2;
            modes.push(lin.make_mode(Complex::new(0.0, 0.0), ModeKind::Free, shape, z));
        } else if *value > 0.0 {
            modes.push(lin.make_mode(Complex::new(0.0, value.sqrt()), ModeKind::Vibration, shape, z));
        } else {
            for rate in [(-value).sqrt(), -(-value).sqrt()] {
                modes.push(lin.make_mode(Complex::new(rate, 0.0), ModeKind::Aperiodic, shape.clone(), z.clone()));
            }
        }
    }
    Ok(ModeSet { modes, zeros: Some(zeros), dimension: Some(2 * n), invariance_error: 0.0 })
}

/// Solves K x = μ M x, the smallest μ first, xᵀ M x = 1.
fn generalised_eigenpairs(K: &DMatrix<f64>, M: &DMatrix<f64>) -> Option<(Vec<f64>, DMatrix<f64>)> {
    let L = Cholesky::new(0.5 * (M + M.transpose()))?.l();
    let half = L.solve_lower_triangular(&(0.5 * (K + K.transpose())))?;
    let whole = L.solve_lower_triangular(&half.transpose())?;
    let whole = 0.5 * (&whole + whole.transpose());
    let (values, vectors) = symmetric_eigen(K.nrows(), whole.as_slice()).ok()?;
    let vectors: Vec<DVector<f64>> = vectors.into_iter().map(DVector::from_vec).collect();
    let Y = if vectors.is_empty() { DMatrix::zeros(K.nrows(), 0) } else { DMatrix::from_columns(&vectors) };
    Some((values, L.tr_solve_lower_triangular(&Y)?))
}

/// Slow modes after two steps of subspace iteration with K + σ² M; `None` if that is singular.
fn refine_slow_modes(lin: &Linearised, X: &DMatrix<f64>, shift: f64) -> Option<(Vec<f64>, DMatrix<f64>)> {
    if X.ncols() == 0 {
        return None;
    }
    let mut near: Pencil<f64> = Pencil::new(lin).ok()?;
    near.factor(shift.sqrt(), String::new).ok()?;
    let (mut X, mut values) = (X.clone(), Vec::new());
    for _ in 0..2 {
        for mut x in X.column_iter_mut() {
            let mut u = lin.times_mass(x.as_slice());
            u.resize(lin.unknown_ranges().z.end, 0.0);
            near.solve(&mut u).ok()?;
            let y = DVector::from_column_slice(&u[..lin.n()]);
            x.copy_from(&(&y / y.amax()));
        }
        let product = |by: &dyn Fn(&[f64]) -> Vec<f64>| {
            let columns: Vec<DVector<f64>> = X.column_iter().map(|x| DVector::from_vec(by(x.as_slice()))).collect();
            X.tr_mul(&DMatrix::from_columns(&columns))
        };
        let M = product(&|x| lin.times_mass(x));
        let K = product(&|x| lin.times_pattern(&lin.tangent.K, x));
        let (found, Y) = generalised_eigenpairs(&K, &M)?;
        (values, X) = (found, &X * Y);
    }
    Some((values, X))
}
