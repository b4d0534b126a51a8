//! Matrices that are not positive definite: the equations in the directions that the rows leave free.
//!
//! ```text
//!  v̇ = A⁺ b + Z s              A Z = 0
//!  (Yᵀ M Z) s = Yᵀ (f − M A⁺ b)        B Y = 0; B = A, Y = Z unless M is not symmetric
//!  λ = (Bᵀ)⁺ (M v̇ − f)
//! ```
//!
//! M may be singular (coordinates without mass) as long as Zᵀ M Z is not. The same equations as
//! [`formulations::null_space`](crate::formulations::null_space), without allocation.

use crate::error::ConstrainError;
use crate::kernels::{
    apply_q, apply_q_transposed, axpy, cholesky, dot, lu, lu_solve_in_place, qr, solve_lower, solve_lower_transposed,
    solve_upper, solve_upper_transposed,
};
use crate::pseudo_solve::RowWeighting;
use crate::sparse_rows::SparseRows;

/// The rows B of the reactions Bᵀλ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReactionRows {
    /// B = A.
    Transposed,
    /// B is given beside A.
    Separate,
}

/// A = C Q₁ᵀ with its kernel: C = D⁻¹ P Tᵀ = Q₂ R₂.
#[derive(Clone, Debug, Default)]
struct RowSpace {
    H: Vec<f64>,
    tau: Vec<f64>,
    pivots: Vec<usize>,
    C: Vec<f64>,
    tau2: Vec<f64>,
    d: Vec<f64>,
    rank: usize,
}

impl RowSpace {
    fn reserve(&mut self, n: usize, m: usize) {
        self.H.resize(n * m, 0.0);
        self.tau.resize(n.min(m), 0.0);
        self.pivots.resize(m, 0);
        self.C.resize(m * n.min(m), 0.0);
        self.tau2.resize(n.min(m), 0.0);
        self.d.resize(m, 0.0);
    }

    fn factor(&mut self, A: &SparseRows, weighting: RowWeighting, tolerance: f64) {
        let (m, n) = (A.rows(), A.cols());
        self.H.fill(0.0);
        for i in 0..m {
            let (columns, values) = A.row(i);
            let length = dot(values, values).sqrt();
            self.d[i] = if length > 0.0 { length.recip() } else { 1.0 };
            columns.iter().zip(values).for_each(|(j, x)| self.H[i * n + j] = x * self.d[i]);
        }
        self.rank = qr(&mut self.H, n, m, &mut self.tau, Some(&mut self.pivots), tolerance);
        self.C.fill(0.0);
        for j in 0..m {
            let row = self.pivots[j];
            let scale = if weighting == RowWeighting::Scaled { 1.0 } else { self.d[row].recip() };
            (0..self.rank.min(j + 1)).for_each(|k| self.C[k * m + row] = self.H[j * n + k] * scale);
        }
        let width = m * self.rank;
        qr(&mut self.C[..width], m, self.rank, &mut self.tau2, None, 0.0);
    }

    /// x = A⁺ b; `rows` is scratch memory.
    fn solve(&self, b: &[f64], weighting: RowWeighting, rows: &mut [f64], x: &mut [f64]) {
        rows.copy_from_slice(b);
        if weighting == RowWeighting::Scaled {
            rows.iter_mut().zip(&self.d).for_each(|(x, d)| *x *= d);
        }
        apply_q_transposed(&self.C, b.len(), &self.tau2, self.rank, rows);
        solve_upper(&self.C, b.len(), self.rank, rows);
        x.fill(0.0);
        x[..self.rank].copy_from_slice(&rows[..self.rank]);
        apply_q(&self.H, x.len(), &self.tau, self.rank, x);
    }

    /// y = (Aᵀ)⁺ r; r is overwritten.
    fn solve_transposed(&self, r: &mut [f64], weighting: RowWeighting, y: &mut [f64]) {
        apply_q_transposed(&self.H, r.len(), &self.tau, self.rank, r);
        y.fill(0.0);
        y[..self.rank].copy_from_slice(&r[..self.rank]);
        let m = y.len();
        solve_upper_transposed(&self.C, m, self.rank, y);
        apply_q(&self.C, m, &self.tau2, self.rank, y);
        if weighting == RowWeighting::Scaled {
            y.iter_mut().zip(&self.d).for_each(|(y, d)| *y *= d);
        }
    }

    /// Column k of the kernel.
    fn kernel(&self, k: usize, z: &mut [f64]) {
        z.fill(0.0);
        z[self.rank + k] = 1.0;
        apply_q(&self.H, z.len(), &self.tau, self.rank, z);
    }
}

/// Memory and factors; empty until such a matrix is met.
#[derive(Clone, Debug, Default)]
pub(crate) struct KernelSolve {
    of_A: RowSpace,
    of_B: RowSpace,
    separate: bool,
    symmetric: bool,
    /// M and Z by columns.
    pub M: Vec<f64>,
    Z: Vec<f64>,
    Y: Vec<f64>,
    K: Vec<f64>,
    exchanges: Vec<usize>,
    scratch: Vec<f64>,
    reduced: Vec<f64>,
    rows: Vec<f64>,
}

impl KernelSolve {
    pub fn reserve(&mut self, n: usize, m: usize, reactions: ReactionRows) {
        self.of_A.reserve(n, m);
        if reactions == ReactionRows::Separate {
            self.of_B.reserve(n, m);
            self.Y.resize(n * n, 0.0);
        }
        for x in [&mut self.M, &mut self.Z, &mut self.K] {
            x.resize(n * n, 0.0);
        }
        self.exchanges.resize(n, 0);
        self.scratch.resize(n, 0.0);
        self.reduced.resize(n, 0.0);
        self.rows.resize(m, 0.0);
        self.separate = reactions == ReactionRows::Separate;
    }

    pub fn rank(&self) -> usize {
        self.of_A.rank
    }

    /// Factorises for the M that the caller has filled in; `B` if the reactions are not along A.
    pub fn factor(
        &mut self,
        A: &SparseRows,
        B: Option<&SparseRows>,
        symmetric: bool,
        weighting: RowWeighting,
        tolerance: f64,
    ) -> Result<(), ConstrainError> {
        let n = A.cols();
        self.symmetric = symmetric && B.is_none();
        self.of_A.factor(A, weighting, tolerance);
        let free = n - self.of_A.rank;
        (0..free).for_each(|k| self.of_A.kernel(k, &mut self.Z[k * n..(k + 1) * n]));
        if let Some(B) = B {
            self.of_B.factor(B, weighting, tolerance);
            if self.of_B.rank != self.of_A.rank {
                return Err(ConstrainError::Unsupported(
                    "A and B have different ranks: the reactions cannot enforce the rows",
                ));
            }
            (0..free).for_each(|k| self.of_B.kernel(k, &mut self.Y[k * n..(k + 1) * n]));
        }
        let Y = if B.is_some() { &self.Y } else { &self.Z };
        for j in 0..free {
            multiply(&self.M, &self.Z[j * n..(j + 1) * n], &mut self.scratch);
            (0..free).for_each(|i| self.K[j * free + i] = dot(&Y[i * n..(i + 1) * n], &self.scratch));
        }
        let K = &mut self.K[..free * free];
        let failed = if self.symmetric { cholesky(K, free, 1e-13) } else { lu(K, free, &mut self.exchanges) };
        failed.map_err(|k| {
            let z = &self.Z[k * n..(k + 1) * n];
            let mut coordinate = 0;
            (0..n).for_each(|i| coordinate = if z[i].abs() > z[coordinate].abs() { i } else { coordinate });
            ConstrainError::Mass { coordinate }
        })
    }

    /// v̇ and λ.
    pub fn solve(&mut self, f: &[f64], b: &[f64], weighting: RowWeighting, vdot: &mut [f64], lambda: &mut [f64]) {
        let n = f.len();
        let free = n - self.of_A.rank;
        self.of_A.solve(b, weighting, &mut self.rows, vdot);
        // Yᵀ (f − M A⁺ b).
        multiply(&self.M, vdot, &mut self.scratch);
        self.scratch.iter_mut().zip(f).for_each(|(x, f)| *x = f - *x);
        let Y = if self.separate { &self.Y } else { &self.Z };
        let x = &mut self.reduced;
        (0..free).for_each(|i| x[i] = dot(&Y[i * n..(i + 1) * n], &self.scratch));
        let K = &self.K[..free * free];
        if self.symmetric {
            solve_lower(K, free, &mut x[..free]);
            solve_lower_transposed(K, free, &mut x[..free]);
        } else {
            lu_solve_in_place(K, free, &self.exchanges, &mut x[..free]);
        }
        (0..free).for_each(|k| axpy(x[k], &self.Z[k * n..(k + 1) * n], vdot));
        multiply(&self.M, vdot, x);
        x.iter_mut().zip(f).for_each(|(x, f)| *x -= f);
        let of_B = if self.separate { &self.of_B } else { &self.of_A };
        of_B.solve_transposed(x, weighting, lambda);
    }
}

/// y = M x, M by columns.
fn multiply(M: &[f64], x: &[f64], y: &mut [f64]) {
    let n = x.len();
    y.fill(0.0);
    (0..n).for_each(|j| axpy(x[j], &M[j * n..(j + 1) * n], y));
}
