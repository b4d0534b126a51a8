//! What the published methods cost, over n velocities and m rows: `cargo bench -p taut --bench formulations`.
//!
//! Minimum of repeats; read the ratios, not the microseconds. Beside each measured ratio stands that of the operation
//! counts of [FumagalliMasarati2009] §6. Matrices are full, as the paper takes them.
#![allow(non_snake_case)]

use nalgebra::{DMatrix, DVector};
use std::hint::black_box;
use std::time::Instant;
use taut::formulations::square_root::denman_beavers;
use taut::formulations::{Full, Method, Setup};

fn main() {
    gauss();
    forces_first();
}

/// Operations of a method for n and m as the paper counts them.
type Count = fn(f64, f64) -> f64;

/// Singular values of an m × n matrix.
fn svd(n: f64, m: f64) -> f64 {
    4.0 * n * n * m + 8.0 * n * m * m + 9.0 * m * m * m
}

/// Gauss' principle: three square roots, Cholesky's factor, the pseudo-inverse of the multipliers, minimal sets.
fn gauss() {
    let methods: [(Method, &str, Option<Count>); 7] = [
        (Method::Cholesky, "eq. (23)", Some(|n, m| n.powi(3) / 3.0 + n * n * m + svd(n, m))),
        (Method::UdwadiaKalabaSpectral, "spectral", Some(|n, m| 12.0 * n.powi(3) + 2.0 * n * n * m + svd(n, m))),
        (Method::UdwadiaKalabaSchur, "Schur", Some(|n, m| 50.0 / 3.0 * n.powi(3) + 2.0 * n * n * m + svd(n, m))),
        (Method::UdwadiaKalabaDenmanBeavers, "Denman-Beavers", None),
        (Method::Regularised, "eq. (46)", Some(|n, m| n.powi(3) / 3.0 + n * n * m + n * m * m + 12.0 * m.powi(3))),
        (Method::NullSpace, "null space", None),
        (Method::Partitioning, "partitioning", None),
    ];
    println!("Gauss' principle: time relative to eq. (23), by Cholesky; in brackets by the paper's operation counts\n");
    print!("{:>5} {:>4} {:>10}", "n", "m", "(23), us");
    methods[1..].iter().for_each(|(_, name, _)| print!(" {name:>16}"));
    println!(" {:>6}", "steps");
    for (n, m) in [(10, 2), (15, 14), (30, 6), (30, 24), (100, 10), (100, 50), (100, 90), (300, 30)] {
        let full = equations(n, m);
        let reference = time(methods[0].0, &full);
        print!("{n:>5} {m:>4} {:>10.1}", reference * 1e6);
        for (method, _, count) in &methods[1..] {
            let of = |count: &Count| count(n as f64, m as f64);
            let paper = count.zip(methods[0].2).map(|(c, r)| format!("({:.1})", of(&c) / of(&r)));
            print!(" {:>8.2} {:>7}", time(*method, &full) / reference, paper.unwrap_or_default());
        }
        println!(" {:>6}", denman_beavers(&full.M).map_or(0, |(_, steps)| steps));
    }
}

/// All unknowns at once against forces first: the law of the cube behind "nearly 8 times" ([MitiguyBanerjee2000]).
fn forces_first() {
    println!("\nAll n + m unknowns at once, relative to forces first; and to the m forces alone, with ((n + m)/m)^3\n");
    println!("{:>5} {:>4} {:>10} {:>14} {:>14} {:>10}", "n", "m", "once, us", "forces first", "forces alone", "cube");
    for (n, m) in [(6, 2), (10, 10), (30, 30), (100, 100), (300, 300), (100, 50), (100, 10)] {
        let full = equations(n, m);
        let (once, first) = (time(Method::Lagrange, &full), time(Method::DenseConstraintForce, &full));
        // A M⁻¹ Aᵀ λ = …, by the same LU as the whole: what is left where M⁻¹ costs nothing, as it does body by body.
        let inverse = full.M.clone().try_inverse().expect("a mass matrix");
        let S = &full.A * inverse * full.A.transpose();
        let alone = least(|| _ = black_box(S.clone().lu().solve(&full.b)));
        let cube = ((n + m) as f64 / m as f64).powi(3);
        println!("{n:>5} {m:>4} {:>10.1} {:>14.2} {:>14.1} {cube:>10.1}", once * 1e6, once / first, once / alone);
    }
}

/// Full matrices with cond M about 10 and independent rows.
fn equations(n: usize, m: usize) -> Full {
    let entry = |i: usize, j: usize| (1e4 * ((1 + 37 * i + 101 * j) as f64).sin()).sin();
    let R = DMatrix::from_fn(n, n, entry) / (n as f64).sqrt();
    let M = R.tr_mul(&R) + DMatrix::identity(n, n) * 0.3;
    let A = DMatrix::from_fn(m, n, |i, j| entry(i + n, j));
    Full::symmetric(M, DVector::from_fn(n, |i, _| entry(i, 7)), A, DVector::from_fn(m, |i, _| entry(i, 9)))
}

/// Seconds of one solution.
fn time(method: Method, full: &Full) -> f64 {
    let mut dense = method.dense(&Setup::default()).expect("a method on full matrices");
    least(|| _ = black_box(dense.solve(black_box(full)).expect("regular")))
}

/// Seconds of one call: the least of some blocks of calls.
fn least(mut call: impl FnMut()) -> f64 {
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
