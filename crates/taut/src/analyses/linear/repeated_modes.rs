//! Modes with equal eigenvalues: a basis of their eigenspace instead of vectors that may be nearly parallel.
//!
//! ```text
//!  X ← (J − σ)⁻¹ X     σ near λ, as many vectors as there are equal eigenvalues, orthonormal after each step
//!  ⟨a, b⟩ = |λ|² ξ_a* M ξ_b + ξ_a* K ξ_b          twice the energy where that is positive, else ξ_a* M ξ_b
//! ```
//!
//! With this product the effective masses of the set add up. Within the eigenspace the first vector has all participation along x, the
//! next the remaining participation along y, then z, so that the basis does not depend on round-off.

use super::modes::{Eigenmode, ModeKind};
use super::pencil::Pencil;
use super::{LinearError, Linearised};
use crate::motion::Vec3;
use nalgebra::{Complex, DMatrix, DVector};

/// Relative distance of eigenvalues that count as equal.
const EQUAL_EIGENVALUE_TOLERANCE: f64 = 1e-9;
/// Relative distance of σ from them.
const SHIFT_OFFSET: f64 = 1e-6;
/// Most steps of the iteration.
const MAX_STEPS: usize = 12;

type Vector = DVector<Complex<f64>>;

/// Replaces modes with equal eigenvalues, which are adjacent in the list, by bases of their eigenspaces.
pub(super) fn separate_repeated(lin: &Linearised, modes: &mut [Eigenmode]) -> Result<(), LinearError> {
    let free = modes.iter().take_while(|m| m.kind == ModeKind::Free).count();
    if free > 1 {
        let vectors: Vec<Vector> = modes[..free].iter().map(pack).collect();
        let product = |a: &Vector, b: &Vector| lin.energy_product(0.0, a, b);
        if let Some(basis) = orthonormal(vectors, &product) {
            for (mode, x) in modes[..free].iter_mut().zip(align_with_axes(lin, basis, 0.0)) {
                unpack(lin, &x, mode);
            }
        }
    }
    let mut first = free;
    while first < modes.len() {
        let given = modes[first].lambda;
        let same = |m: &Eigenmode| (m.lambda - given).norm() <= EQUAL_EIGENVALUE_TOLERANCE * given.norm();
        let count = modes[first..].iter().take_while(|m| same(m)).count();
        if count > 1
            && let Some((lambda, basis)) = eigenspace(lin, &modes[first..first + count])?
        {
            for (mode, x) in modes[first..first + count].iter_mut().zip(basis) {
                unpack(lin, &x, mode);
                mode.lambda = lambda;
            }
        }
        first += count.max(1);
    }
    Ok(())
}

/// ξ, dv and z of a mode as one vector.
fn pack(mode: &Eigenmode) -> Vector {
    DVector::from_iterator(
        mode.xi.len() + mode.dv.len() + mode.z.len(),
        mode.xi.iter().chain(&mode.dv).chain(&mode.z).copied(),
    )
}

fn unpack(lin: &Linearised, x: &Vector, mode: &mut Eigenmode) {
    let (n, all) = (lin.n(), x.as_slice());
    mode.xi.copy_from_slice(&all[..n]);
    mode.dv.copy_from_slice(&all[n..2 * n]);
    mode.z.copy_from_slice(&all[2 * n..]);
}

/// An eigenvalue and a basis of its eigenspace.
type Eigenspace = (Complex<f64>, Vec<Vector>);

/// The eigenvalue and a basis of its eigenspace; none if the eigenvalue is defective.
fn eigenspace(lin: &Linearised, modes: &[Eigenmode]) -> Result<Option<Eigenspace>, LinearError> {
    let (n, nz, count) = (lin.n(), lin.model.sizes.z, modes.len());
    let given = modes[0].lambda;
    // Close to the eigenvalue, and on the imaginary axis if the eigenvalue is, so that real shapes stay real.
    let sigma = given * (1.0 + SHIFT_OFFSET);
    let mut pencil: Pencil<Complex<f64>> = Pencil::new(lin)?;
    if pencil.factor(sigma, String::new).is_err() {
        return Ok(None);
    }
    let product = |a: &Vector, b: &Vector| lin.energy_product(given.norm(), a, b);
    let positive = modes.iter().all(|m| product(&pack(m), &pack(m)).re > 0.0);
    let weight = if positive { given.norm() } else { 0.0 };
    let product = |a: &Vector, b: &Vector| lin.energy_product(weight, a, b);
    let start = |k: usize| {
        let of = |i: usize| ((i as f64 + 1.0) * (2.399_963_229 + 0.618_033_989 * k as f64)).sin();
        DVector::from_fn(2 * n + nz, |i, _| Complex::new(of(i), 0.0))
    };
    let mut X: Vec<Vector> = (0..count).map(start).collect();
    let mut last = f64::INFINITY;
    for step in 0..MAX_STEPS {
        let mut Y = Vec::with_capacity(count);
        for x in &X {
            let (a, rest) = x.as_slice().split_at(n);
            let (b, c) = rest.split_at(n);
            let mut u = lin.pencil_load(sigma, a, b, c);
            if pencil.solve(&mut u).is_err() {
                return Ok(None);
            }
            let dv = lin.velocities(sigma, a, &u[..n]);
            let z = &u[lin.unknown_ranges().z];
            Y.push(DVector::from_iterator(2 * n + nz, u[..n].iter().chain(&dv).chain(z).copied()));
        }
        if step > 0 {
            // (J − σ)⁻¹ X = X B: the eigenvalues of B are 1/(λ − σ).
            let B = DMatrix::from_fn(count, count, |i, j| product(&X[i], &Y[j]));
            let left = Y.iter().enumerate().map(|(j, y)| {
                let inside = X.iter().enumerate().fold(y * Complex::new(0.0, 0.0), |sum, (i, x)| sum + x * B[(i, j)]);
                (y - inside).norm() / y.norm()
            });
            let left = left.fold(0.0_f64, f64::max);
            if left < 1e-11 || left > 0.5 * last && left < 1e-7 {
                let mean = B.trace() / count as f64;
                let spread = (&B - DMatrix::identity(count, count) * mean).norm() / mean.norm();
                // Above this they are close but not equal, or the eigenvalue is defective.
                if spread * SHIFT_OFFSET > 1e-8 {
                    return Ok(None);
                }
                let lambda = snap_to_axis(lin, modes[0].kind, given, sigma + 1.0 / mean);
                return Ok(Some((lambda, align_with_axes(lin, X, weight))));
            }
            last = left;
        }
        match orthonormal(Y, &product) {
            Some(basis) => X = basis,
            None => return Ok(None),
        }
    }
    Ok(None)
}

/// Moves the eigenvalue onto the real or imaginary axis if it belongs there.
fn snap_to_axis(lin: &Linearised, kind: ModeKind, given: Complex<f64>, mut lambda: Complex<f64>) -> Complex<f64> {
    if kind == ModeKind::Aperiodic {
        lambda.im = 0.0;
    }
    if (given.re == 0.0 || lin.conservative()) && kind == ModeKind::Vibration && lambda.re.abs() < 1e-9 * lambda.norm()
    {
        lambda.re = 0.0;
    }
    lambda
}

/// What is left of a vector without its components along an orthonormal basis, and its norm. Applied twice, against round-off.
fn orthogonal_part(
    mut x: Vector,
    basis: &[Vector],
    product: &impl Fn(&Vector, &Vector) -> Complex<f64>,
) -> (Vector, f64) {
    for _ in 0..2 {
        for b in basis {
            let component = product(b, &x);
            x -= b * component;
        }
    }
    let left = product(&x, &x).re.max(0.0).sqrt();
    (x, left)
}

/// Gram–Schmidt; `None` if the vectors are dependent.
fn orthonormal(vectors: Vec<Vector>, product: &impl Fn(&Vector, &Vector) -> Complex<f64>) -> Option<Vec<Vector>> {
    let mut basis: Vec<Vector> = Vec::with_capacity(vectors.len());
    for x in vectors {
        let whole = product(&x, &x).re.max(0.0).sqrt();
        let (x, left) = orthogonal_part(x, &basis, product);
        if left.is_nan() || left <= 1e-9 * whole {
            return None;
        }
        basis.push(x / Complex::new(left, 0.0));
    }
    Some(basis)
}

/// Another basis of the same space: the first vector has all participation along x, the next the remainder along y, then z.
fn align_with_axes(lin: &Linearised, basis: Vec<Vector>, weight: f64) -> Vec<Vector> {
    let (n, count) = (lin.n(), basis.len());
    let product = |a: &Vector, b: &Vector| lin.energy_product(weight, a, b);
    let mut chosen: Vec<Vector> = Vec::with_capacity(count);
    for e in [Vec3::x(), Vec3::y(), Vec3::z()] {
        let w = lin.translation_inertia(&e);
        let part = |x: &Vector| x.iter().take(n).zip(&w).fold(Complex::new(0.0, 0.0), |s, (x, w)| s + x * *w);
        let x = basis.iter().fold(&basis[0] * Complex::new(0.0, 0.0), |sum, b| sum + b * part(b).conj());
        // Upper bound, from the whole mass along e.
        let most = w.iter().map(|w| w.abs()).sum::<f64>() / if weight > 0.0 { 2.0 * weight * weight } else { 1.0 };
        let (x, left) = orthogonal_part(x, &chosen, &product);
        if chosen.len() < count && left * left > 1e-12 * most {
            chosen.push(x / Complex::new(left, 0.0));
        }
    }
    // Without participation along the axes: repeatedly take the vector with the largest remainder.
    while chosen.len() < count {
        let rest = basis.iter().map(|x| orthogonal_part(x.clone(), &chosen, &product));
        let Some((x, left)) = rest.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|x| x.1 > 0.0) else { break };
        chosen.push(x / Complex::new(left, 0.0));
    }
    chosen
}
