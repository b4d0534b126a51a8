//! Timing of calls, and test equations.

use nalgebra::{DMatrix, DVector};
use std::hint::black_box;
use std::time::Instant;
use taut::formulations::{DenseEquations, FormulationParameters, Method};

/// Full matrices with cond(M) of about 10 and independent rows.
pub fn test_equations(n: usize, m: usize) -> DenseEquations {
    let entry = |i: usize, j: usize| (1e4 * ((1 + 37 * i + 101 * j) as f64).sin()).sin();
    let R = DMatrix::from_fn(n, n, entry) / (n as f64).sqrt();
    let M = R.tr_mul(&R) + DMatrix::identity(n, n) * 0.3;
    let A = DMatrix::from_fn(m, n, |i, j| entry(i + n, j));
    DenseEquations::symmetric(M, DVector::from_fn(n, |i, _| entry(i, 7)), A, DVector::from_fn(m, |i, _| entry(i, 9)))
}

/// Time of one solution, s; `None` if it fails, and for the default method, which does not use full matrices.
pub fn solution_time(method: Method, full: &DenseEquations) -> Option<f64> {
    let mut dense = method.dense(&FormulationParameters::default())?;
    dense.solve(full).ok()?;
    Some(least_time(|| drop(black_box(dense.solve(black_box(full))))))
}

/// Time of one call, s: the minimum over several blocks of calls.
pub fn least_time(mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    call();
    let count = (5e-3 / start.elapsed().as_secs_f64()).clamp(1.0, 1e4) as usize;
    let block = |_| {
        let start = Instant::now();
        (0..count).for_each(|_| call());
        start.elapsed().as_secs_f64() / count as f64
    };
    (0..7).map(block).fold(f64::INFINITY, f64::min)
}
