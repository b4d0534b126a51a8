//! The lowest modes of a large model, from solves with T(σ) alone: Arnoldi's method on (J − σ)⁻¹.
//!
//! ```text
//!  undamped   (K + σ² M)⁻¹ M ξ = μ ξ      ω² = 1/μ − σ²      in the inner product of M
//!  else       (J − σ)⁻¹ x = μ x           λ = σ + 1/μ
//! ```
//!
//! σ is real, so the arithmetic is real. It is zero unless there is a free motion.

use super::free_motion_test::has_no_stiffness;
use super::modes::{Eigenmode, ModeKind, ModeSet};
use super::pencil::Pencil;
use super::{LinearError, Linearised};
use nalgebra::{Complex, DMatrix};
use taut_sparse::eigen;

/// Relative residual of a Ritz value that counts as converged; refinement follows.
const RITZ_TOLERANCE: f64 = 1e-7;
/// Start vectors of the Krylov space: this many modes with equal eigenvalues can be separated.
const START_VECTORS: usize = 3;

/// The operator of the iteration.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Undamped,
    General,
}

/// The modes of least |λ|, and some more.
pub(super) fn lowest_modes(lin: &Linearised, count: usize) -> Result<ModeSet, LinearError> {
    let operator = if lin.conservative() { Operator::Undamped } else { Operator::General };
    let mut pencil: Pencil<f64> = Pencil::new(lin)?;
    // The highest frequency estimated from diagonals, and a shift far below it that separates free motions.
    let fastest = highest_frequency_estimate(lin);
    // Modes of a rotating frame are compared with its rate, since stiff elements say nothing about them.
    let rate = lin.turning.map_or(0.0, |t| t.rate.abs());
    let apart = match fastest {
        _ if rate > 0.0 => rate,
        f if f > 0.0 => 1e-6 * f,
        _ => 1.0,
    };
    let mut shift = 0.0;
    if pencil.factor(0.0, String::new).is_err() || has_free_motion(lin, &mut pencil, operator, fastest) {
        shift = apart;
        pencil.factor(shift, || format!("the shift {shift:.3e}"))?;
    }
    let size = match operator {
        Operator::Undamped => lin.n(),
        Operator::General => 2 * lin.n() + lin.model.sizes.z,
    };
    if size == 0 {
        return Ok(ModeSet { modes: Vec::new(), zeros: None, dimension: None, invariance_error: 0.0 });
    }
    let count = count.min(size);
    let wanted = if operator == Operator::General { 2 * count } else { count };
    let mut m = (2 * wanted + 20).min(size);
    loop {
        let (values, vectors, residuals) = arnoldi(lin, &mut pencil, operator, size, m)?;
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|a, b| values[*b].norm().total_cmp(&values[*a].norm()));
        let enough = order.iter().take(wanted).filter(|i| residuals[**i] < RITZ_TOLERANCE * values[**i].norm()).count();
        if enough >= wanted.min(values.len()) || m >= size || m > 8 * (wanted + 20) {
            let good = order.into_iter().filter(|i| residuals[*i] < 1e-4 * values[*i].norm()).take(wanted + wanted / 2);
            let modes: Vec<Eigenmode> = good
                .flat_map(|i| modes_of_ritz_value(lin, operator, [shift, fastest], values[i], &vectors[i]))
                .collect();
            return Ok(ModeSet { modes, zeros: None, dimension: None, invariance_error: 0.0 });
        }
        m = (2 * m).min(size);
    }
}

/// The root of the largest K/M on the diagonals.
fn highest_frequency_estimate(lin: &Linearised) -> f64 {
    let pattern = &lin.tangent.pattern;
    let mut most = 0.0_f64;
    for (b, entry) in lin.model.bodies.iter().enumerate() {
        let Some(start) = pattern.start(b, b) else { continue };
        for i in 0..entry.v.len() {
            let at = i * entry.v.len() + i;
            let m = lin.eq.M[entry.mass.start + at];
            if m > 0.0 {
                most = most.max(lin.tangent.K[start + at].abs() / m);
            }
        }
    }
    most.sqrt()
}

/// Whether two inverse iterations at zero find a motion without stiffness.
fn has_free_motion(lin: &Linearised, pencil: &mut Pencil<f64>, operator: Operator, fastest: f64) -> bool {
    let mut x = start_vector(lin.n(), 0);
    let mut slowest = 0.0;
    for _ in 0..2 {
        let Ok(y) = apply_operator(lin, pencil, Operator::Undamped, &x) else { return true };
        let inner = |a: &[f64]| a.iter().zip(lin.times_mass(a)).map(|(a, b)| a * b).sum::<f64>().sqrt();
        // ω² where one motion is by far the slowest.
        slowest = inner(&x) / inner(&y);
        if !(slowest > 0.0 && slowest.is_finite()) {
            return true;
        }
        let largest = y.iter().fold(0.0_f64, |a, y| a.max(y.abs()));
        x = y.iter().map(|y| y / largest).collect();
    }
    match operator {
        Operator::Undamped => has_no_stiffness(lin, &x, fastest * fastest),
        Operator::General => slowest < 1e-16 * fastest * fastest && has_no_stiffness(lin, &x, fastest * fastest),
    }
}

/// Reproducible pseudo-random start vectors.
fn start_vector(n: usize, which: usize) -> Vec<f64> {
    (0..n).map(|i| ((i as f64 + 1.0) * (2.399_963_229 + 0.618_033_989 * which as f64)).sin()).collect()
}

/// One application of the operator.
fn apply_operator(
    lin: &Linearised,
    pencil: &mut Pencil<f64>,
    operator: Operator,
    x: &[f64],
) -> Result<Vec<f64>, LinearError> {
    let (n, places) = (lin.n(), lin.unknown_ranges());
    match operator {
        Operator::Undamped => {
            let mut u = lin.times_mass(x);
            u.resize(places.z.end, 0.0);
            pencil.solve(&mut u)?;
            u.truncate(n);
            Ok(u)
        }
        Operator::General => {
            let (a, rest) = x.split_at(n);
            let (b, c) = rest.split_at(n);
            let mut u = lin.pencil_load(pencil.at, a, b, c);
            pencil.solve(&mut u)?;
            let mut out = u[..n].to_vec();
            out.extend(lin.velocities(pencil.at, a, &u[..n]));
            out.extend_from_slice(&u[places.z]);
            Ok(out)
        }
    }
}

type RitzPairs = (Vec<Complex<f64>>, Vec<Vec<Complex<f64>>>, Vec<f64>);

/// Ritz values, vectors and residuals of a Krylov space of m vectors with several start vectors: a single one would find only one
/// of several modes with equal eigenvalues.
fn arnoldi(
    lin: &Linearised,
    pencil: &mut Pencil<f64>,
    operator: Operator,
    size: usize,
    m: usize,
) -> Result<RitzPairs, LinearError> {
    let weigh = |x: &[f64]| match operator {
        Operator::Undamped => lin.times_mass(x),
        Operator::General => x.to_vec(),
    };
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (mut basis, mut weighed): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
    // Orthogonalises a vector against the basis, appends the remainder, and records the coefficients.
    let mut take = |basis: &mut Vec<Vec<f64>>, mut y: Vec<f64>, mut reported: Option<&mut [f64]>| {
        let whole = dot(&y, &weigh(&y)).max(0.0).sqrt();
        // Twice is enough.
        for _ in 0..2 {
            for (j, (b, w)) in basis.iter().zip(&weighed).enumerate() {
                let component = dot(w, &y);
                reported.iter_mut().for_each(|reported| reported[j] += component);
                y.iter_mut().zip(b).for_each(|(y, b)| *y -= component * b);
            }
        }
        let w = weigh(&y);
        let left = dot(&y, &w).max(0.0).sqrt();
        if left.is_nan() || left <= 1e-13 * whole {
            return;
        }
        reported.iter_mut().for_each(|reported| reported[basis.len()] = left);
        y.iter_mut().for_each(|y| *y /= left);
        weighed.push(w.iter().map(|w| w / left).collect());
        basis.push(y);
    };
    for which in 0..START_VECTORS.min(size) {
        // Apply the operator once, so that the start satisfies the constraints.
        let x = apply_operator(lin, pencil, operator, &start_vector(size, which))?;
        take(&mut basis, x, None);
    }
    let mut H = DMatrix::<f64>::zeros(m + START_VECTORS + 1, m);
    let mut used = 0;
    while used < m.min(basis.len()) {
        let y = apply_operator(lin, pencil, operator, &basis[used])?;
        take(&mut basis, y, Some(H.column_mut(used).as_mut_slice()));
        used += 1;
    }
    let square = H.view((0, 0), (used, used)).into_owned();
    let found = eigen(used, square.as_slice()).map_err(LinearError::singular("the shift"))?;
    let mut vectors = Vec::with_capacity(used);
    let mut residuals = Vec::with_capacity(used);
    for s in &found.vectors {
        let mut x = vec![Complex::new(0.0, 0.0); size];
        for (b, s) in basis.iter().zip(s) {
            x.iter_mut().zip(b).for_each(|(x, b)| *x += *s * *b);
        }
        let size_of = |list: &[Complex<f64>]| list.iter().map(|s| s.norm_sqr()).sum::<f64>().sqrt();
        let beyond =
            |row: usize| s.iter().zip(H.row(row).iter()).fold(Complex::new(0.0, 0.0), |sum, (s, h)| sum + s * *h);
        let out: Vec<Complex<f64>> = (used..basis.len()).map(beyond).collect();
        residuals.push(size_of(&out) / size_of(s));
        vectors.push(x);
    }
    Ok((found.values, vectors, residuals))
}

/// The modes of a Ritz value: of a complex pair the one above the real axis; for negative ω² the growing and the decaying one.
fn modes_of_ritz_value(
    lin: &Linearised,
    operator: Operator,
    [shift, fastest]: [f64; 2],
    mu: Complex<f64>,
    x: &[Complex<f64>],
) -> Vec<Eigenmode> {
    let n = lin.n();
    let none = vec![Complex::new(0.0, 0.0); n];
    let make = |lambda: Complex<f64>, kind: ModeKind, z: &[Complex<f64>]| {
        let xi = x[..n].to_vec();
        let dv = lin.velocities(lambda, &none, &xi);
        Eigenmode { lambda, kind, xi, dv, z: z.to_vec() }
    };
    let zero = Complex::new(0.0, 0.0);
    match operator {
        Operator::Undamped => {
            let square = 1.0 / mu.re - shift * shift;
            let z = vec![zero; lin.model.sizes.z];
            let xi: Vec<f64> = x[..n].iter().map(|x| x.re).collect();
            let root = square.abs().sqrt();
            if root < shift && has_no_stiffness(lin, &xi, fastest * fastest) {
                vec![make(zero, ModeKind::Free, &z)]
            } else if square > 0.0 {
                vec![make(Complex::new(0.0, root), ModeKind::Vibration, &z)]
            } else {
                [root, -root].map(|rate| make(Complex::new(rate, 0.0), ModeKind::Aperiodic, &z)).to_vec()
            }
        }
        Operator::General => {
            let lambda = shift + 1.0 / mu;
            let z = &x[2 * n..];
            if lambda.norm() < 1e-3 * shift {
                return vec![make(zero, ModeKind::Free, z)];
            }
            let kind = if lambda.im.abs() > 1e-9 * lambda.norm() { ModeKind::Vibration } else { ModeKind::Aperiodic };
            let above = lambda.im >= 0.0 || kind == ModeKind::Aperiodic;
            if above { vec![make(lambda, kind, z)] } else { Vec::new() }
        }
    }
}
