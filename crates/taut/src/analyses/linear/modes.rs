//! Modes: eigenvalues λ of the small motions, and their shapes.

use super::deflation::spectrum;
use super::free_motion_test::has_no_stiffness;
use super::pencil::Pencil;
use super::{LinearError, Linearised, repeated_modes, sparse_modes, undamped};
use nalgebra::{Complex, DVector};
use serde::Serialize;
use std::f64::consts::TAU;

/// Relative asymmetry of K that is attributed to differencing.
const SYMMETRY_TOLERANCE: f64 = 1e-9;
/// Relative damping that counts as zero; forces that do not depend on velocities give exactly zero.
const DAMPING_TOLERANCE: f64 = 1e-13;
/// Largest number of velocities for which full matrices are used.
const MAX_DENSE_SIZE: usize = 700;
/// Modes slower than this, relative to the fastest, are lost in the round-off of J, which contains squares of all frequencies.
const RESOLVED_BY_FULL_MATRIX: f64 = 1e-5;

/// Which modes to compute, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModeRequest {
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
pub enum ModeKind {
    /// Oscillation: a pair of complex eigenvalues.
    Vibration,
    /// Decay or growth without oscillation: a real eigenvalue.
    Aperiodic,
    /// Free motion: a zero eigenvalue.
    Free,
}

/// One mode ξ e^{λt}.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Eigenmode {
    /// λ, rad/s; of a complex pair the one above the real axis.
    pub lambda: Complex<f64>,
    /// Its kind.
    pub kind: ModeKind,
    /// Displacements ξ, of the size of v.
    pub xi: Vec<Complex<f64>>,
    /// Changes of velocity dv.
    pub dv: Vec<Complex<f64>>,
    /// Extra states.
    pub z: Vec<Complex<f64>>,
}

impl Eigenmode {
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
        if self.kind == ModeKind::Free { 0.0 } else { -self.lambda.re / self.lambda.norm() }
    }
}

/// The modes of a linearisation, the slowest first.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ModeSet {
    /// The modes; free motions first.
    pub modes: Vec<Eigenmode>,
    /// Number of zero eigenvalues with their algebraic multiplicity; `None` if only the lowest modes were computed.
    pub zeros: Option<usize>,
    /// Dimension of the subspace: number of all eigenvalues.
    pub dimension: Option<usize>,
    /// Relative distance of the subspace from invariance; round-off for a steady motion.
    pub invariance_error: f64,
}

/// The modes of a linearisation.
///
/// Three methods are used. Undamped systems at rest are symmetric, K x = ω² M x in the null space of A. Others use the general matrix J
/// of the subspace. For large systems, and in rotating frames with much faster modes, only the lowest modes are computed, from solves
/// with T(σ). In all cases Newton's method on T(λ) u = 0 then refines each requested mode, so that high frequencies do not spoil low
/// ones.
///
/// # Errors
/// If the matrices are singular at every frequency, or an iteration does not converge.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// let mut spec = Spec::new();
/// spec.body("mass", PlanarBody::new(2.0, 0.1).at([1.0, 0.0], 0.0))
///     .constraint("guide", Joint::slider("ground", "mass"))
///     .force("spring", Spring::linear("ground", "mass", 50.0, 2.0, 1.0));
/// let model = spec.build()?;
/// let found = modes(&linearise(&model, &model.initial_state(), None)?, ModeRequest::All)?;
/// assert!((found.modes[0].omega() - 5.0).abs() < 1e-9); // √(k/m)
/// assert!((found.modes[0].damping() - 0.1).abs() < 1e-9); // c/(2 √(k m))
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn modes(lin: &Linearised, request: ModeRequest) -> Result<ModeSet, LinearError> {
    let sparse = match request {
        ModeRequest::Lowest(_) => lin.n() > MAX_DENSE_SIZE,
        ModeRequest::Sparse(_) => true,
        ModeRequest::All => false,
    };
    let count = match request {
        ModeRequest::Lowest(n) | ModeRequest::Sparse(n) => n,
        ModeRequest::All => usize::MAX,
    };
    let mut found = if sparse {
        sparse_modes::lowest_modes(lin, count)?
    } else if lin.conservative() {
        undamped::undamped(lin)?
    } else {
        let found = general_modes(lin)?;
        match (found.too_slow_for_full_matrix(lin), request) {
            (false, _) => found,
            (true, ModeRequest::Lowest(_)) => sparse_modes::lowest_modes(lin, count)?,
            (true, _) => {
                return Err(LinearError::NoConvergence {
                    what: "the computation of all modes, the slowest of which are lost beside the fastest,",
                    left: RESOLVED_BY_FULL_MATRIX,
                    remedy: "request the lowest modes only, or reduce the stiffest elements",
                });
            }
        }
    };
    found.modes.sort_by(|a, b| sort_key(a).total_cmp(&sort_key(b)));
    found.modes.truncate(count);
    refine(lin, &mut found.modes)?;
    found.modes.sort_by(|a, b| sort_key(a).total_cmp(&sort_key(b)));
    // Neighbours in |λ| need not be equal, so equal eigenvalues are grouped.
    group_equal_eigenvalues(&mut found.modes);
    repeated_modes::separate_repeated(lin, &mut found.modes)?;
    Ok(found)
}

impl ModeSet {
    /// Whether the fastest modes hide those about as slow as the rate of a rotating frame: what J does not show looks like a free
    /// motion.
    fn too_slow_for_full_matrix(&self, lin: &Linearised) -> bool {
        let fastest = self.modes.iter().map(Eigenmode::omega).fold(0.0_f64, f64::max);
        lin.turning.is_some_and(|t| t.rate != 0.0 && t.rate.abs() < RESOLVED_BY_FULL_MATRIX * fastest)
    }
}

/// Groups modes with equal eigenvalues.
fn group_equal_eigenvalues(modes: &mut [Eigenmode]) {
    for k in 0..modes.len() {
        let given = modes[k].lambda;
        let mut next = k + 1;
        for j in k + 1..modes.len() {
            if modes[j].kind != ModeKind::Free && (modes[j].lambda - given).norm() <= 1e-9 * given.norm() {
                modes[next..=j].rotate_right(1);
                next += 1;
            }
        }
    }
}

/// Free motions first, then by |λ|.
fn sort_key(mode: &Eigenmode) -> f64 {
    if mode.kind == ModeKind::Free { -1.0 } else { mode.omega() }
}

impl Linearised<'_> {
    /// Whether the system has only mass and symmetric stiffness.
    pub(super) fn conservative(&self) -> bool {
        let largest = |x: &[f64]| x.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
        let (K, C, M) = (largest(&self.tangent.K), largest(&self.tangent.C), largest(&self.eq.M));
        let still = self.frame_terms.iter().all(|c| *c == super::rotating_frame::FrameTerms::Zero);
        let steady = self.unsteadiness < 1e-6 && largest(&self.state.v) == 0.0 && largest(&self.P) == 0.0;
        let holonomic = self.row_uses.iter().all(|r| r.position() || !r.any());
        let plain = self.eq.B.is_empty() && self.active_states.iter().all(|z| *z == super::Alive::No);
        still
            && steady
            && holonomic
            && plain
            && C <= DAMPING_TOLERANCE * (K * M).sqrt()
            && self.symmetric(SYMMETRY_TOLERANCE * K)
    }

    /// Whether K is symmetric on the motions that the constraints allow.
    fn symmetric(&self, tolerance: f64) -> bool {
        let pattern = &self.tangent.pattern;
        let size = |b: usize| self.model.bodies[b].v.len();
        let plainly = pattern.blocks.iter().all(|pair| {
            let Some(other) = pattern.start(pair.column, pair.row) else { return false };
            let (rows, columns) = (size(pair.row), size(pair.column));
            let K = &self.tangent.K;
            (0..rows).all(|i| {
                (0..columns).all(|j| (K[pair.start + j * rows + i] - K[other + i * columns + j]).abs() <= tolerance)
            })
        });
        if plainly || self.n() > MAX_DENSE_SIZE {
            return plainly;
        }
        // Rotations about fixed axes make K asymmetric under moments; at equilibrium the asymmetry cancels on the allowed motions.
        let N = self.position_null_space(&self.eq.dense_jacobian()).N;
        let K = N.tr_mul(&(self.tangent.dense_stiffness(self.model) * &N));
        (&K - K.transpose()).amax() <= tolerance
    }

    pub(super) fn make_mode(
        &self,
        lambda: Complex<f64>,
        kind: ModeKind,
        xi: Vec<Complex<f64>>,
        z: Vec<Complex<f64>>,
    ) -> Eigenmode {
        let none = vec![Complex::new(0.0, 0.0); self.n()];
        let dv = self.velocities(lambda, &none, &xi);
        Eigenmode { lambda, kind, xi, dv, z }
    }
}

/// J x = λ x.
fn general_modes(lin: &Linearised) -> Result<ModeSet, LinearError> {
    let dense = lin.reduced_system()?;
    let nz = lin.model.sizes.z;
    // About a state of rest with holonomic rows, a pure displacement is free if it has no stiffness.
    let still = lin.frame_terms.iter().all(|c| *c == super::rotating_frame::FrameTerms::Zero)
        && lin.row_uses.iter().all(|r| r.position() || !r.any());
    let free = |y: &DVector<f64>| {
        let [xi, dv, z] = dense.expand(y, nz);
        let plain = still && dv.amax().max(z.amax()) <= 1e-6 * xi.amax();
        !plain || has_no_stiffness(lin, xi.as_slice(), 0.0)
    };
    let found = spectrum(&dense.J, free).map_err(LinearError::singular("its own frequencies"))?;
    let complex = |re: &DVector<f64>, im: &DVector<f64>| -> Vec<Complex<f64>> {
        re.iter().zip(im.iter()).map(|(re, im)| Complex::new(*re, *im)).collect()
    };
    let spread = |y: &DVector<Complex<f64>>| {
        let [re, im] = [y.map(|y| y.re), y.map(|y| y.im)].map(|y| dense.expand(&y, nz));
        [0, 1, 2].map(|k| complex(&re[k], &im[k]))
    };
    let mut modes = Vec::new();
    for x in &found.kernel {
        let [xi, dv, z] = spread(&x.map(|x| Complex::new(x, 0.0)));
        modes.push(Eigenmode { lambda: Complex::new(0.0, 0.0), kind: ModeKind::Free, xi, dv, z });
    }
    for (lambda, y) in found.values.iter().zip(&found.vectors).filter(|(l, _)| l.im >= 0.0) {
        let [xi, dv, z] = spread(y);
        let kind = if lambda.im > 0.0 { ModeKind::Vibration } else { ModeKind::Aperiodic };
        modes.push(Eigenmode { lambda: *lambda, kind, xi, dv, z });
    }
    let dimension = Some(dense.J.nrows());
    Ok(ModeSet { modes, zeros: Some(found.zeros), dimension, invariance_error: dense.invariance_error })
}

/// Newton's method on T(λ) u = 0: u ← T(λ)⁻¹ T'(λ) u, λ ← λ − (c·u)/(c·u⁺).
fn refine(lin: &Linearised, modes: &mut [Eigenmode]) -> Result<(), LinearError> {
    let mut pencil: Pencil<Complex<f64>> = Pencil::new(lin)?;
    let places = lin.unknown_ranges();
    let none = vec![Complex::new(0.0, 0.0); lin.n()];
    for k in 0..modes.len() {
        if modes[k].kind == ModeKind::Free {
            continue;
        }
        let (given, mut last) = (modes[k].lambda, f64::INFINITY);
        let (mut lambda, mut xi, mut dv, mut z) = (given, modes[k].xi.clone(), modes[k].dv.clone(), modes[k].z.clone());
        for _ in 0..8 {
            // (J − λ)⁻¹ x, with T at λ: the load of x equals T' u.
            if pencil.factor(lambda, String::new).is_err() {
                break;
            }
            let mut u = lin.pencil_load(lambda, &xi, &dv, &z);
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
            if modes[k].kind == ModeKind::Aperiodic {
                lambda.im = 0.0;
            }
            if given.re == 0.0 && lambda.re.abs() < 1e-9 * lambda.norm() {
                lambda.re = 0.0;
            }
            modes[k] = Eigenmode { lambda, kind: modes[k].kind, xi, dv, z };
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
