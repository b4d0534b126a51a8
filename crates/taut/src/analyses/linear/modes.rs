//! Modes: eigenvalues λ of the small motions, and their shapes.
//!
//! Three methods are used. Undamped systems at rest are symmetric, K x = ω² M x in the null space of A. Others use the general matrix J
//! of the subspace. For large systems only the lowest modes are computed, from solves with T(σ). In all cases Newton's method on
//! T(λ) u = 0 then refines each requested mode, so that high frequencies do not spoil low ones.

use super::deflate::spectrum;
use super::grain::stiffless;
use super::pencil::Pencil;
use super::{LinearError, Linearised, lowest, repeated, undamped};
use nalgebra::{Complex, DVector};
use serde::Serialize;
use std::f64::consts::TAU;

/// Relative asymmetry of K that is attributed to differencing.
const ROUND: f64 = 1e-9;
/// Relative damping that counts as zero; forces that do not depend on velocities give exactly zero.
const UNDAMPED: f64 = 1e-13;
/// Largest number of velocities for which full matrices are used.
const FULL: usize = 700;

/// Which modes to compute, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// The lowest ones; the method depends on the size.
    Lowest(usize),
    /// The lowest ones by sparse solves.
    Sparse(usize),
    /// All of them.
    All,
}

/// Kind of a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Oscillation: a pair of complex eigenvalues.
    Vibration,
    /// Decay or growth without oscillation: a real eigenvalue.
    Aperiodic,
    /// Free motion: a zero eigenvalue.
    Free,
}

/// One mode ξ e^{λt}.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// λ, rad/s; of a complex pair the one above the real axis.
    pub lambda: Complex<f64>,
    /// Its kind.
    pub kind: Kind,
    /// Displacements ξ, of the size of v.
    pub xi: Vec<Complex<f64>>,
    /// Changes of velocity dv.
    pub dv: Vec<Complex<f64>>,
    /// Extra states.
    pub z: Vec<Complex<f64>>,
}

impl Mode {
    /// |λ|, rad/s: for a damped mode its undamped frequency.
    pub fn omega(&self) -> f64 {
        self.lambda.norm()
    }

    /// Frequency of oscillation, Im λ / 2π, Hz.
    pub fn frequency(&self) -> f64 {
        self.lambda.im / TAU
    }

    /// Damping ratio −Re λ / |λ|; 0 for free motions.
    pub fn damping(&self) -> f64 {
        if self.kind == Kind::Free { 0.0 } else { -self.lambda.re / self.lambda.norm() }
    }
}

/// The modes of a linearisation, the slowest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Modes {
    /// The modes; free motions first.
    pub modes: Vec<Mode>,
    /// Number of zero eigenvalues with their algebraic multiplicity; `None` if only the lowest modes were computed.
    pub zeros: Option<usize>,
    /// Dimension of the subspace: number of all eigenvalues.
    pub dimension: Option<usize>,
    /// Relative distance of the subspace from invariance; round-off for a steady motion.
    pub leaving: f64,
}

/// The modes of a linearisation.
///
/// # Errors
/// If the matrices are singular at every frequency, or an iteration does not converge.
pub fn modes(lin: &Linearised, request: Request) -> Result<Modes, LinearError> {
    let sparse = match request {
        Request::Lowest(_) => lin.n() > FULL,
        Request::Sparse(_) => true,
        Request::All => false,
    };
    let count = match request {
        Request::Lowest(n) | Request::Sparse(n) => n,
        Request::All => usize::MAX,
    };
    let mut found = if sparse {
        lowest::lowest(lin, count)?
    } else if lin.conservative() {
        undamped::undamped(lin)?
    } else {
        general(lin)?
    };
    found.modes.sort_by(|a, b| order(a).total_cmp(&order(b)));
    found.modes.truncate(count);
    refine(lin, &mut found.modes)?;
    found.modes.sort_by(|a, b| order(a).total_cmp(&order(b)));
    // Neighbours in |λ| need not be equal, so equal eigenvalues are grouped.
    gather(&mut found.modes);
    repeated::separate(lin, &mut found.modes)?;
    Ok(found)
}

/// Groups modes with equal eigenvalues.
fn gather(modes: &mut [Mode]) {
    for k in 0..modes.len() {
        let given = modes[k].lambda;
        let mut next = k + 1;
        for j in k + 1..modes.len() {
            if modes[j].kind != Kind::Free && (modes[j].lambda - given).norm() <= 1e-9 * given.norm() {
                modes[next..=j].rotate_right(1);
                next += 1;
            }
        }
    }
}

/// Free motions first, then by |λ|.
fn order(mode: &Mode) -> f64 {
    if mode.kind == Kind::Free { -1.0 } else { mode.omega() }
}

impl Linearised<'_> {
    /// Whether the system has only mass and symmetric stiffness.
    pub(super) fn conservative(&self) -> bool {
        let largest = |x: &[f64]| x.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
        let (K, C, M) = (largest(&self.tangent.K), largest(&self.tangent.C), largest(&self.eq.M));
        let still = self.carried.iter().all(|c| *c == super::frame::Carried::Still);
        let steady = self.unsteady < 1e-6 && largest(&self.state.v) == 0.0 && largest(&self.P) == 0.0;
        let holonomic = self.rows.iter().all(|r| r.position() || !r.any());
        let plain = self.eq.B.is_empty() && self.states.iter().all(|z| *z == super::Alive::No);
        still && steady && holonomic && plain && C <= UNDAMPED * (K * M).sqrt() && self.symmetric(ROUND * K)
    }

    /// Whether K is symmetric on the motions that the constraints allow.
    fn symmetric(&self, tolerance: f64) -> bool {
        let pattern = &self.tangent.pattern;
        let size = |b: usize| self.model.bodies[b].v.len();
        let plainly = pattern.pairs.iter().all(|pair| {
            let Some(other) = pattern.start(pair.column, pair.row) else { return false };
            let (rows, columns) = (size(pair.row), size(pair.column));
            let K = &self.tangent.K;
            (0..rows).all(|i| {
                (0..columns).all(|j| (K[pair.start + j * rows + i] - K[other + i * columns + j]).abs() <= tolerance)
            })
        });
        if plainly || self.n() > FULL {
            return plainly;
        }
        // Rotations about fixed axes make K asymmetric under moments; at equilibrium the asymmetry cancels on the allowed motions.
        let N = self.position_null(&self.eq.dense_jacobian()).N;
        let K = N.tr_mul(&(self.tangent.dense_stiffness(self.model) * &N));
        (&K - K.transpose()).amax() <= tolerance
    }

    pub(super) fn mode(&self, lambda: Complex<f64>, kind: Kind, xi: Vec<Complex<f64>>, z: Vec<Complex<f64>>) -> Mode {
        let none = vec![Complex::new(0.0, 0.0); self.n()];
        let dv = self.velocities(lambda, &none, &xi);
        Mode { lambda, kind, xi, dv, z }
    }
}

/// J x = λ x.
fn general(lin: &Linearised) -> Result<Modes, LinearError> {
    let dense = lin.dense()?;
    let nz = lin.model.sizes.z;
    // About a state of rest with holonomic rows, a pure displacement is free if it has no stiffness.
    let still = lin.carried.iter().all(|c| *c == super::frame::Carried::Still)
        && lin.rows.iter().all(|r| r.position() || !r.any());
    let free = |y: &DVector<f64>| {
        let [xi, dv, z] = dense.spread(y, nz);
        let plain = still && dv.amax().max(z.amax()) <= 1e-6 * xi.amax();
        !plain || stiffless(lin, xi.as_slice(), 0.0)
    };
    let found = spectrum(&dense.J, free).map_err(LinearError::singular("its own frequencies"))?;
    let complex = |re: &DVector<f64>, im: &DVector<f64>| -> Vec<Complex<f64>> {
        re.iter().zip(im.iter()).map(|(re, im)| Complex::new(*re, *im)).collect()
    };
    let spread = |y: &DVector<Complex<f64>>| {
        let [re, im] = [y.map(|y| y.re), y.map(|y| y.im)].map(|y| dense.spread(&y, nz));
        [0, 1, 2].map(|k| complex(&re[k], &im[k]))
    };
    let mut modes = Vec::new();
    for x in &found.kernel {
        let [xi, dv, z] = spread(&x.map(|x| Complex::new(x, 0.0)));
        modes.push(Mode { lambda: Complex::new(0.0, 0.0), kind: Kind::Free, xi, dv, z });
    }
    for (lambda, y) in found.values.iter().zip(&found.vectors).filter(|(l, _)| l.im >= 0.0) {
        let [xi, dv, z] = spread(y);
        let kind = if lambda.im > 0.0 { Kind::Vibration } else { Kind::Aperiodic };
        modes.push(Mode { lambda: *lambda, kind, xi, dv, z });
    }
    let dimension = Some(dense.J.nrows());
    Ok(Modes { modes, zeros: Some(found.zeros), dimension, leaving: dense.leaving })
}

/// Newton's method on T(λ) u = 0: u ← T(λ)⁻¹ T'(λ) u, λ ← λ − (c·u)/(c·u⁺).
fn refine(lin: &Linearised, modes: &mut [Mode]) -> Result<(), LinearError> {
    let mut pencil: Pencil<Complex<f64>> = Pencil::new(lin)?;
    let places = lin.places();
    let none = vec![Complex::new(0.0, 0.0); lin.n()];
    for k in 0..modes.len() {
        if modes[k].kind == Kind::Free {
            continue;
        }
        let (given, mut last) = (modes[k].lambda, f64::INFINITY);
        let (mut lambda, mut xi, mut dv, mut z) = (given, modes[k].xi.clone(), modes[k].dv.clone(), modes[k].z.clone());
        for _ in 0..8 {
            // (J − λ)⁻¹ x, with T at λ: the load of x equals T' u.
            if pencil.factor(lambda, String::new).is_err() {
                break;
            }
            let mut u = lin.load(lambda, &xi, &dv, &z);
            if pencil.solve(&mut u).is_err() {
                break;
            }
            let next = &u[places.xi.clone()];
            let largest = (0..next.len()).max_by(|a, b| next[*a].norm().total_cmp(&next[*b].norm()));
            let Some(c) = largest.filter(|c| next[*c].norm() > 0.0) else { break };
            let step = xi[c] / next[c];
            let by = next[c];
            xi = next.iter().map(|x| *x / by).collect();
            z = u[places.z.clone()].iter().map(|x| *x / by).collect();
            // x = (J − λ)⁻¹ x₀ and J x = λ⁺ x: λ⁺ = λ + x₀ / x.
            let size = step.norm() / lambda.norm();
            if size > last && last < 1e-10 {
                break;
            }
            lambda += step;
            dv = lin.velocities(lambda, &none, &xi);
            last = size;
            if size < 1e-15 {
                break;
            }
        }
        let near = (lambda - given).norm() < 1e-2 * given.norm() && last < 1e-8;
        // Shapes of equal eigenvalues are separated afterwards; for close ones the iteration may have converged to the other mode.
        let twin = (0..k).any(|j| {
            (modes[j].lambda - lambda).norm() < 1e-9 * lambda.norm()
                && (given - lambda).norm() > 1e-6 * lambda.norm()
                && mac(&modes[j].xi, &xi) > 0.99
                && mac(&modes[j].xi, &modes[k].xi) < 0.9
        });
        if near && !twin {
            if modes[k].kind == Kind::Aperiodic {
                lambda.im = 0.0;
            }
            if given.re == 0.0 && lambda.re.abs() < 1e-9 * lambda.norm() {
                lambda.re = 0.0;
            }
            modes[k] = Mode { lambda, kind: modes[k].kind, xi, dv, z };
        }
    }
    Ok(())
}

/// Modal assurance criterion of two shapes: 1 if they are equal up to a factor.
pub(super) fn mac(a: &[Complex<f64>], b: &[Complex<f64>]) -> f64 {
    let dot = a.iter().zip(b).fold(Complex::new(0.0, 0.0), |s, (a, b)| s + a.conj() * b);
    let square = |x: &[Complex<f64>]| x.iter().map(|x| x.norm_sqr()).sum::<f64>();
    let whole = square(a) * square(b);
    if whole > 0.0 { dot.norm_sqr() / whole } else { 0.0 }
}
