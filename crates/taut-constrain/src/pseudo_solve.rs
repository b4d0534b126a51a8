//! S⁺ for dependent rows, S = A M⁻¹ Aᵀ, from one triangular factor.
//!
//! ```text
//!  R⁻ᵀ Aᵀ D P = Q T         Householder QR with column pivots; D scales every row to unit length, T is r × m
//!  C = D⁻¹ P Tᵀ = Q₂ R₂     QR of an m × r matrix of full rank (C = P Tᵀ for scaled rows)
//!  S = C Cᵀ                 S⁺ = Q₂ R₂⁻ᵀ R₂⁻¹ Q₂ᵀ
//! ```
//!
//! The rank is decided on rows of unit length, so that units do not matter. C then decides how contradictory rows share
//! their errors: as written (\[FumagalliMasarati2009\] eqs. (6), (46)), or as rows of unit length. Q is not needed, since
//! v̇ − a = M⁻¹ Aᵀ λ.

use crate::kernels::{apply_q, apply_q_transposed, qr, solve_upper, solve_upper_transposed};

/// How the errors of contradictory rows are weighted, and how redundant rows share their load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum RowWeighting {
    /// Rows as the user wrote them: least squares and least norm are Euclidean, as published.
    #[default]
    AsWritten,
    /// Rows divided by the square root of (A M⁻¹ Aᵀ)ᵢᵢ: the result does not depend on the units of a row.
    Scaled,
}

/// Memory and factors; empty until dependent rows are met.
#[derive(Clone, Debug, Default)]
pub(crate) struct PseudoSolve {
    /// R⁻ᵀ Aᵀ D, p × m, by columns; then Q and T.
    pub H: Vec<f64>,
    tau: Vec<f64>,
    pivots: Vec<usize>,
    /// C, m × r; then Q₂ and R₂.
    C: Vec<f64>,
    tau2: Vec<f64>,
    rank: usize,
}

impl PseudoSolve {
    /// Reserves memory for p × m matrices.
    pub fn reserve(&mut self, p: usize, m: usize) {
        self.H.resize(p * m, 0.0);
        self.tau.resize(p.min(m), 0.0);
        self.pivots.resize(m, 0);
        self.C.resize(m * p.min(m), 0.0);
        self.tau2.resize(p.min(m), 0.0);
    }

    /// Factorises H, p × m, which the caller has filled with rows scaled by d.
    pub fn factor(&mut self, p: usize, m: usize, d: &[f64], weighting: RowWeighting, tolerance: f64) {
        self.rank = qr(&mut self.H, p, m, &mut self.tau, Some(&mut self.pivots), tolerance);
        self.finish(p, m, d, weighting);
    }

    /// The same from a symmetric matrix D S D, m × m, which the caller has put into H: T = Lᵀ, by Cholesky with pivots.
    pub fn factor_symmetric(&mut self, m: usize, d: &[f64], weighting: RowWeighting, tolerance: f64) {
        let H = &mut self.H;
        self.pivots.iter_mut().enumerate().for_each(|(j, at)| *at = j);
        self.rank = m;
        for k in 0..m {
            let mut best = k;
            (k..m).for_each(|i| best = if H[i * m + i] > H[best * m + best] { i } else { best });
            if !(H[best * m + best] > tolerance) {
                self.rank = k;
                break;
            }
            (0..m).for_each(|c| H.swap(c * m + k, c * m + best));
            (0..m).for_each(|r| H.swap(k * m + r, best * m + r));
            self.pivots.swap(k, best);
            let root = H[k * m + k].sqrt();
            // Row k of T; the rest of the matrix loses its product.
            (k..m).for_each(|j| H[j * m + k] /= root);
            for j in k + 1..m {
                let factor = H[j * m + k];
                (k + 1..m).for_each(|i| H[j * m + i] -= factor * H[i * m + k]);
            }
        }
        self.finish(m, m, d, weighting);
    }

    fn finish(&mut self, p: usize, m: usize, d: &[f64], weighting: RowWeighting) {
        self.C.fill(0.0);
        for j in 0..m {
            let row = self.pivots[j];
            let scale = match weighting {
                RowWeighting::AsWritten if d[row] > 0.0 => d[row].recip(),
                _ => 1.0,
            };
            (0..self.rank.min(j + 1)).for_each(|k| self.C[k * m + row] = self.H[j * p + k] * scale);
        }
        let width = m * self.rank;
        qr(&mut self.C[..width], m, self.rank, &mut self.tau2, None, 0.0);
    }

    /// r.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// x ← S⁺ x, in the weighting of the factor.
    pub fn solve(&self, m: usize, d: &[f64], weighting: RowWeighting, x: &mut [f64]) {
        let scaled = weighting == RowWeighting::Scaled;
        if scaled {
            x.iter_mut().zip(d).for_each(|(x, d)| *x *= d);
        }
        apply_q_transposed(&self.C, m, &self.tau2, self.rank, x);
        solve_upper(&self.C, m, self.rank, x);
        solve_upper_transposed(&self.C, m, self.rank, x);
        x[self.rank..].fill(0.0);
        apply_q(&self.C, m, &self.tau2, self.rank, x);
        if scaled {
            x.iter_mut().zip(d).for_each(|(x, d)| *x *= d);
        }
    }
}
