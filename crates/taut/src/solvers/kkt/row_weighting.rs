//! Contradictory and redundant rows: the part of a vector of rows that no motion can change.
//!
//! The factor with its shift E = ε D, D the scales of the rows, gives in the limit ε → 0 an oblique projection:
//!
//! ```text
//!  Π = (S + E)⁻¹ S        S = A W⁻¹ Aᵀ;   Π n = 0 for all n of null(Aᵀ)
//!  Q = I − Π              onto null(Aᵀ);  Q D⁻¹ is symmetric
//! ```
//!
//! Least squares of scaled rows follow from Q alone. Rows as written need the orthogonal projection onto null(Aᵀ), the
//! minimum of |g − n|² over n. Conjugate gradients with Q D⁻¹ as preconditioner find it with the available factor: in one
//! iteration if one row is redundant or the scales are equal, otherwise in a few. This is the pseudo-inverse of
//! \[FumagalliMasarati2009\] eq. (46) on sparse matrices.

use super::projector::{Projector, RowRank};
use crate::equations::Equations;
use crate::mathematics::magnitude::max_abs;
use taut_constrain::RowWeighting;

/// |A v̇ − b| above this, relative to |b|, is weighted as written; states off the manifold have smaller ones.
const CONTRADICTION: f64 = 1e-6;
/// Largest part of a contradiction that may lie in the range of A; more is a row that is nearly dependent.
const RANGE_PART: f64 = 1e-3;
/// Component of null(Aᵀ) that counts as round-off, relative to the vector.
const ROUND_OFF: f64 = 1e-12;
/// Iterations without progress after which round-off is reached: more of them would amplify it.
const MAX_STAGNATION: usize = 3;
/// Most iterations.
const MAX_ITERATIONS: usize = 60;

/// Vectors of the iteration, one number per row.
#[derive(Clone, Debug)]
pub(super) struct NullSpaceMemory {
    g: Vec<f64>,
    z: Vec<f64>,
    p: Vec<f64>,
    rest: Vec<f64>,
    best: Vec<f64>,
    /// (f, b).
    rhs: Vec<f64>,
}

impl NullSpaceMemory {
    pub fn new(velocities: usize, rows: usize) -> NullSpaceMemory {
        let zero = || vec![0.0; rows];
        NullSpaceMemory {
            g: zero(),
            z: zero(),
            p: zero(),
            rest: zero(),
            best: zero(),
            rhs: vec![0.0; velocities + rows],
        }
    }
}

impl Projector {
    /// Removes from a residual the part that contradictory rows keep in the least-squares solution.
    pub fn remove_contradiction(&mut self, eq: &Equations, residual: &mut [f64]) {
        match (self.rank, self.weighting) {
            (RowRank::Full, _) => {}
            (_, RowWeighting::AsWritten) => self.remove_null_part(eq, residual),
            (_, RowWeighting::Scaled) => {
                // D Π D⁻¹: least squares in the metric of D⁻¹.
                residual.iter_mut().zip(&self.scale).for_each(|(r, d)| *r /= d);
                self.keep_range_part(eq, residual);
                residual.iter_mut().zip(&self.scale).for_each(|(r, d)| *r *= d);
            }
        }
    }

    /// Removes from μ the part by which dependent rows only act on each other: multipliers of contradictory rows grow
    /// without limit against each other. The rest has least norm in the weighting of the rows.
    pub fn remove_internal_multipliers(&mut self, eq: &Equations, mu: &mut [f64]) {
        self.keep_range_part(eq, mu);
        if self.weighting == RowWeighting::AsWritten {
            self.remove_null_part(eq, mu);
        }
    }

    pub(super) fn keep_right_hand_side(&mut self, x: &[f64]) {
        self.null.rhs.copy_from_slice(x);
    }

    /// Replaces the least squares of scaled rows in `x` by those of rows as written, if rows contradict each other;
    /// `residual` holds b.
    pub(super) fn weight_rows_as_written(&mut self, eq: &Equations, x: &mut [f64]) {
        let n = eq.layout.velocities;
        let mut g = std::mem::take(&mut self.null.g);
        eq.jacobian_times(&x[..n], &mut g);
        let size = max_abs(&g).max(max_abs(&self.residual));
        g.iter_mut().zip(&self.residual).for_each(|(g, b)| *g = b - *g);
        if max_abs(&g) > CONTRADICTION * size && self.is_contradiction(eq, &g) {
            // Solved again without the part of b that no motion can satisfy, which is that of b − A v̇. It would cost digits,
            // as the multipliers of contradictory rows grow with 1/ε.
            self.residual.iter_mut().zip(&g).for_each(|(b, r)| *b -= r);
            self.remove_null_part(eq, &mut g);
            self.residual.iter_mut().zip(&g).for_each(|(b, r)| *b += r);
            x.copy_from_slice(&self.null.rhs);
            x[n..].copy_from_slice(&self.residual);
            self.solve_refined(eq, x);
        }
        self.null.g = g;
    }

    /// Whether A v̇ − b is the residual of contradictory rows, D times a vector of null(Aᵀ), and not that of a row which is
    /// only nearly dependent.
    fn is_contradiction(&mut self, eq: &Equations, residual: &[f64]) -> bool {
        let mut z = std::mem::take(&mut self.null.z);
        z.iter_mut().zip(residual).zip(&self.scale).for_each(|((z, r), d)| *z = r / d);
        let norm = |x: &[f64], D: &[f64]| x.iter().zip(D).map(|(x, d)| x * x * d).sum::<f64>();
        let all = norm(&z, &self.scale);
        self.keep_range_part(eq, &mut z);
        let range = norm(&z, &self.scale);
        self.null.z = z;
        range <= RANGE_PART * RANGE_PART * all
    }

    /// x ← Π x.
    fn keep_range_part(&mut self, eq: &Equations, x: &mut [f64]) {
        let n = eq.layout.velocities;
        let rest = &mut self.null.rest;
        rest.copy_from_slice(x);
        x.fill(0.0);
        // (S + E)⁻¹ S takes all of this part except for a fraction of order ε, and nothing of the rest.
        for _ in 0..=self.refinements {
            let (top, bottom) = self.step.split_at_mut(n);
            top.fill(0.0);
            bottom.fill(0.0);
            eq.add_jacobian_transpose_times(rest, top);
            self.kkt.solve(&mut self.step);
            for ((x, rest), part) in x.iter_mut().zip(rest.iter_mut()).zip(&self.step[n..]) {
                *x += part;
                *rest -= part;
            }
        }
    }

    /// g ← g − n, n the orthogonal projection of g onto null(Aᵀ).
    fn remove_null_part(&mut self, eq: &Equations, g: &mut [f64]) {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let (mut z, mut p) = (std::mem::take(&mut self.null.z), std::mem::take(&mut self.null.p));
        p.fill(0.0);
        let (mut before, mut least, mut stagnation) = (f64::INFINITY, f64::INFINITY, 0);
        for _ in 0..MAX_ITERATIONS {
            // z = Q D⁻¹ g.
            z.iter_mut().zip(&*g).zip(&self.scale).for_each(|((z, g), d)| *z = g / d);
            let whole = dot(&z, g);
            self.keep_range_part(eq, &mut z);
            z.iter_mut().zip(&*g).zip(&self.scale).for_each(|((z, g), d)| *z = g / d - *z);
            // z·g, written as a square so that round-off does not spoil it: z = Q D⁻¹ g.
            let rho = z.iter().zip(&self.scale).map(|(z, d)| z * z * d).sum::<f64>();
            if rho < least {
                (least, stagnation) = (rho, 0);
                self.null.best.copy_from_slice(g);
            } else {
                stagnation += 1;
            }
            // Converged, or round-off is reached.
            if !(rho > ROUND_OFF * ROUND_OFF * whole) || stagnation == MAX_STAGNATION {
                break;
            }
            let beta = if before.is_finite() { rho / before } else { 0.0 };
            before = rho;
            p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + beta * *p);
            let alpha = rho / dot(&p, &p);
            g.iter_mut().zip(&p).for_each(|(g, p)| *g -= alpha * p);
        }
        if least.is_finite() {
            g.copy_from_slice(&self.null.best);
        }
        (self.null.z, self.null.p) = (z, p);
    }
}
