//! Cost of an evaluation and of a projection against the bare code, for chains of 10, 100 and 1,000 coordinates.

use std::hint::black_box;
use std::time::Instant;
use taut_constrain::scalar::Scalar;
use taut_constrain::{ConstrainError, ConstrainedOde, ConstraintFormulas, Differentiated, Mass, StateMap};

/// Particles in the plane joined by rods; with or without the pattern of A.
struct Chain {
    particles: usize,
    sparse: bool,
}

impl ConstraintFormulas for Chain {
    fn position_rows(&self) -> usize {
        self.particles
    }
    fn phi<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        for k in 0..self.particles {
            let (dx, dy) = match k {
                0 => (q[0], q[1]),
                _ => (q[2 * k] - q[2 * k - 2], q[2 * k + 1] - q[2 * k - 1]),
            };
            phi[k] = (dx * dx + dy * dy - 1.0) * 0.5;
        }
    }
    fn nonzeros(&self) -> Option<Vec<(usize, usize)>> {
        let row = |k: usize| (2 * k).saturating_sub(2)..2 * k + 2;
        self.sparse.then(|| (0..self.particles).flat_map(|k| row(k).map(move |j| (k, j))).collect())
    }
}

/// The bare code: springs between neighbours, drag, gravity.
fn code(_t: f64, y: &[f64], ydot: &mut [f64]) {
    let n = y.len() / 2;
    ydot[..n].copy_from_slice(&y[n..]);
    for i in 0..n {
        let before = if i >= 2 { y[i - 2] } else { 0.0 };
        let after = if i + 2 < n { y[i + 2] } else { y[i] };
        let weight = if i % 2 == 1 { -9.81 } else { 0.0 };
        ydot[n + i] = weight + 10.0 * (before + after - 2.0 * y[i]) - 0.1 * y[n + i] * y[n + i].abs();
    }
}

/// The shortest time of one call, in microseconds.
fn time(mut call: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..200 {
        let start = Instant::now();
        call();
        best = best.min(start.elapsed().as_secs_f64() * 1e6);
    }
    best
}

fn main() -> Result<(), ConstrainError> {
    println!("| n | rows | A | bare, µs | evaluation, µs | projection, µs |\n|---|---|---|---|---|---|");
    for n in [10, 100, 1000] {
        for sparse in [true, false] {
            let particles = n / 2;
            let chain = Differentiated::new(Chain { particles, sparse }, n)?;
            let mut ode = ConstrainedOde::new(StateMap::positions_then_rates(n), chain, Mass::Identity(n))?;
            let (mut y, mut ydot) = (vec![0.0; 2 * n], vec![0.0; 2 * n]);
            for k in 0..particles {
                let angle = 0.3 * (k as f64).sin();
                let (x, z) = if k == 0 { (0.0, 0.0) } else { (y[2 * k - 2], y[2 * k - 1]) };
                (y[2 * k], y[2 * k + 1]) = (x + angle.cos(), z + angle.sin());
            }
            let bare = time(|| code(0.0, black_box(&y), black_box(&mut ydot)));
            let evaluation = time(|| drop(ode.rates(0.0, black_box(&y), &mut ydot, code)));
            let start = y.clone();
            let projection = time(|| {
                y.copy_from_slice(&start);
                (0..n).for_each(|i| y[i] += 1e-6 * (i as f64).cos());
                drop(ode.project(0.0, &mut y));
            });
            let kind = if sparse { "sparse" } else { "full" };
            println!("| {n} | {particles} | {kind} | {bare:.2} | {evaluation:.1} | {projection:.1} |");
        }
    }
    Ok(())
}
