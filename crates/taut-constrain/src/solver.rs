//! Accelerations, multipliers and corrections from M (or W), A and their right-hand sides.

use crate::envelope::Envelope;
use crate::error::{ConstrainError, check_finite, check_size};
use crate::kernel_solve::{KernelSolve, ReactionRows};
use crate::metric::{Definiteness, Mass, Metric};
use crate::pseudo_solve::PseudoSolve;
use crate::quality::{Quality, SolverOptions};
use crate::sparse_rows::SparseRows;

/// Pivots of the scaled A M⁻¹ Aᵀ above this are solved by Cholesky; smaller ones call for the rank-revealing factor.
const INDEPENDENT: f64 = 1e-10;
/// Eigenvalues of the scaled A M⁻¹ Aᵀ below this are round-off, if only M⁻¹ is known.
const ROUND_OFF: f64 = 1e-13;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Factor {
    None,
    /// Independent rows.
    Cholesky,
    /// Dependent rows.
    Pseudo,
    /// M is singular or not symmetric.
    Kernel,
}

/// The default method: robust, sparse where A and M are, and without allocation after set-up.
///
/// ```text
///  M v̇ = f + Aᵀ λ,   A v̇ = b          v̇ = a + M⁻¹ Aᵀ λ,  λ = (A M⁻¹ Aᵀ)⁺ (b − A a),  a = M⁻¹ f
///  δ = W⁻¹ Aᵀ μ,     A δ = −φ̇         μ = −(A W⁻¹ Aᵀ)⁺ φ̇
/// ```
///
/// \[FumagalliMasarati2009\] eq. (46); \[Masarati2010\] eqs. (11), (14), with the opposite sign of λ and μ: here Aᵀλ is the
/// force of the constraints. Three ways lead to the same solution:
///
/// | case | method | cost |
/// |---|---|---|
/// | independent rows | Cholesky of A M⁻¹ Aᵀ within its envelope, one refinement | linear for chains; m² n if dense |
/// | dependent rows | orthogonal factor of A R⁻¹ with pivots, M = RᵀR | m² n |
/// | M singular or not symmetric | directions that A leaves free, as Maggi and Kane | n³ |
///
/// Redundant rows share their load with least norm; contradictory rows are met in the sense of least squares, see
/// [`RowWeighting`](crate::RowWeighting). Memory for the last two cases is reserved at the first need, or by
/// [`reserve`](ConstraintSolver::reserve).
///
/// ```
/// use taut_constrain::{ConstraintSolver, Mass, Metric, SolverOptions, SparseRows};
///
/// // [FumagalliMasarati2009]: v̇ = (4/9, 5/9, 11/9), λ = 4/3.
/// let M = nalgebra::DMatrix::from_row_slice(3, 3, &[4.0, 1.0, 0.0, 1.0, 3.0, 1.0, 0.0, 1.0, 2.0]);
/// let mut M = Metric::new(Mass::Dense(M))?;
/// let A = SparseRows::from_triplets(1, 3, &[(0, 0, 1.0), (0, 1, 1.0)])?;
/// let mut solver = ConstraintSolver::new(&M, &A, SolverOptions::default())?;
/// let (mut vdot, mut lambda) = ([0.0; 3], [0.0; 1]);
/// solver.factor(&mut M, &A)?;
/// let quality = solver.accelerations(&mut M, &A, &[1.0, 2.0, 3.0], &[1.0], &mut vdot, &mut lambda)?;
/// assert!((vdot[2] - 11.0 / 9.0).abs() < 1e-15 && (lambda[0] - 4.0 / 3.0).abs() < 1e-15);
/// assert_eq!(quality.rank, 1);
/// # Ok::<(), taut_constrain::ConstrainError>(())
/// ```
#[derive(Debug)]
pub struct ConstraintSolver {
    options: SolverOptions,
    n: usize,
    m: usize,
    /// Columns of A with the position of each entry; coordinates that M⁻¹ reaches from each row.
    column_offsets: Vec<usize>,
    column_rows: Vec<usize>,
    column_entries: Vec<usize>,
    reach: Vec<Vec<usize>>,
    all: Vec<usize>,
    S: Envelope,
    d: Vec<f64>,
    pseudo: PseudoSolve,
    kernel: KernelSolve,
    factor: Factor,
    x: Vec<f64>,
    r: Vec<f64>,
    first: Vec<f64>,
    target: Vec<f64>,
}

impl ConstraintSolver {
    /// For matrices of this kind and pattern.
    pub fn new(metric: &Metric, A: &SparseRows, options: SolverOptions) -> Result<ConstraintSolver, ConstrainError> {
        let (m, n) = (A.rows(), A.cols());
        check_size("M", n, metric.size())?;
        if !(options.rank_tolerance > 0.0 && options.rank_tolerance < 1.0) {
            return Err(ConstrainError::Option { what: "the rank tolerance", value: options.rank_tolerance });
        }
        // The columns of A.
        let mut column_offsets = vec![0; n + 1];
        A.columns().iter().for_each(|j| column_offsets[j + 1] += 1);
        (0..n).for_each(|j| column_offsets[j + 1] += column_offsets[j]);
        let (mut column_rows, mut column_entries) = (vec![0; A.columns().len()], vec![0; A.columns().len()]);
        let mut next = column_offsets.clone();
        for i in 0..m {
            for k in A.offsets()[i]..A.offsets()[i + 1] {
                let at = &mut next[A.columns()[k]];
                (column_rows[*at], column_entries[*at]) = (i, k);
                *at += 1;
            }
        }
        let all: Vec<usize> = (0..n).collect();
        let full = A.columns().len() == m * n || !metric.is_local();
        let reach: Vec<Vec<usize>> = if full { Vec::new() } else { (0..m).map(|i| metric.reach(A.row(i).0)).collect() };
        let S = if full {
            Envelope::full(m)
        } else {
            let neighbours = |i: usize| {
                let rows = |k: &usize| column_rows[column_offsets[*k]..column_offsets[k + 1]].iter().copied();
                let mut list: Vec<usize> = reach[i].iter().flat_map(rows).collect();
                list.sort_unstable();
                list.dedup();
                list
            };
            Envelope::new(&(0..m).map(neighbours).collect::<Vec<_>>())
        };
        Ok(ConstraintSolver {
            options,
            n,
            m,
            column_offsets,
            column_rows,
            column_entries,
            reach,
            all,
            S,
            d: vec![0.0; m],
            pseudo: PseudoSolve::default(),
            kernel: KernelSolve::default(),
            factor: Factor::None,
            x: vec![0.0; n],
            r: vec![0.0; m],
            first: vec![0.0; m],
            target: vec![0.0; m],
        })
    }

    /// Reserves the memory for dependent rows, and for a singular or non-symmetric M, so that no later call allocates.
    pub fn reserve(&mut self, metric: &Metric, reactions: ReactionRows) {
        self.pseudo.reserve(self.height(metric), self.m);
        if !matches!(metric.mass(), Mass::Solve { .. } | Mass::Identity(_)) {
            self.kernel.reserve(self.n, self.m, reactions);
        }
    }

    /// Rows of the matrix that the rank-revealing factor works on.
    fn height(&self, metric: &Metric) -> usize {
        if matches!(metric.mass(), Mass::Solve { .. }) { self.m } else { self.n }
    }

    /// Factorises for these values of M and A.
    pub fn factor(&mut self, metric: &mut Metric, A: &SparseRows) -> Result<(), ConstrainError> {
        self.factor_with_reactions(metric, A, None)
    }

    /// The same where the reactions are Bᵀλ instead of Aᵀλ, as for coordinates that differ from the test space
    /// (\[FumagalliMasarati2009\] appendix 2). M v̇ = f + Bᵀλ, A v̇ = b.
    pub fn factor_with_reactions(
        &mut self,
        metric: &mut Metric,
        A: &SparseRows,
        B: Option<&SparseRows>,
    ) -> Result<(), ConstrainError> {
        self.factor = Factor::None;
        check_size("M", self.n, metric.size())?;
        check_size("the rows of A", self.m, A.rows())?;
        check_size("the columns of A", self.n, A.cols())?;
        check_size("the entries of A", self.column_entries.len(), A.values().len())?;
        check_finite("A", A.values())?;
        let definite = metric.factorise()?;
        if definite == Definiteness::Other || B.is_some() {
            if let Some(B) = B {
                check_size("the rows of B", self.m, B.rows())?;
                check_size("the columns of B", self.n, B.cols())?;
                check_finite("B", B.values())?;
            }
            let reactions = if B.is_some() { ReactionRows::Separate } else { ReactionRows::Transposed };
            self.kernel.reserve(self.n, self.m, reactions);
            metric.fill_dense(&mut self.kernel.M)?;
            let symmetric = !matches!(metric.mass(), Mass::NonSymmetric(_));
            self.kernel.factor(A, B, symmetric, self.options.weighting, self.options.rank_tolerance)?;
            self.factor = Factor::Kernel;
            return Ok(());
        }
        self.fill_delassus(metric, A)?;
        self.S.scale(&self.d);
        (0..self.m).filter(|i| self.d[*i] == 0.0).for_each(|i| self.S.add(i, i, 1.0));
        if self.S.factor(INDEPENDENT).is_ok() {
            self.factor = Factor::Cholesky;
            return Ok(());
        }
        self.factor_dependent(metric, A)?;
        self.factor = Factor::Pseudo;
        Ok(())
    }

    /// S = A M⁻¹ Aᵀ and d = 1/√Sᵢᵢ.
    fn fill_delassus(&mut self, metric: &mut Metric, A: &SparseRows) -> Result<(), ConstrainError> {
        self.S.clear();
        for i in 0..self.m {
            let reach = self.reach.get(i).unwrap_or(&self.all);
            let (columns, values) = A.row(i);
            reach.iter().for_each(|k| self.x[*k] = 0.0);
            columns.iter().zip(values).for_each(|(j, a)| self.x[*j] = *a);
            metric.solve_touched(reach, &mut self.x);
            for k in reach {
                let xk = self.x[*k];
                if xk != 0.0 {
                    for at in self.column_offsets[*k]..self.column_offsets[k + 1] {
                        self.S.add(i, self.column_rows[at], xk * A.values()[self.column_entries[at]]);
                    }
                }
            }
            let square = self.S.get(i, i);
            if !square.is_finite() {
                return Err(ConstrainError::NotFinite { what: "M⁻¹ Aᵀ", index: i });
            }
            // A row of zeros restricts nothing; its multiplier is zero.
            self.d[i] = if square > 0.0 { square.sqrt().recip() } else { 0.0 };
        }
        Ok(())
    }

    /// The rank-revealing factor.
    fn factor_dependent(&mut self, metric: &mut Metric, A: &SparseRows) -> Result<(), ConstrainError> {
        let (n, m, options) = (self.n, self.m, self.options);
        self.pseudo.reserve(self.height(metric), m);
        if matches!(metric.mass(), Mass::Solve { .. }) {
            self.fill_delassus(metric, A)?;
            for j in 0..m {
                (0..m).for_each(|i| self.pseudo.H[j * m + i] = self.S.get(i, j) * self.d[i] * self.d[j]);
            }
            let tolerance = options.rank_tolerance.powi(2).max(ROUND_OFF);
            self.pseudo.factor_symmetric(m, &self.d, options.weighting, tolerance);
        } else {
            for i in 0..m {
                let (columns, values) = A.row(i);
                let column = &mut self.pseudo.H[i * n..(i + 1) * n];
                column.fill(0.0);
                columns.iter().zip(values).for_each(|(j, a)| column[*j] = a * self.d[i]);
                metric.half_solve(column);
            }
            self.pseudo.factor(n, m, &self.d, options.weighting, options.rank_tolerance);
        }
        Ok(())
    }

    /// Number of independent rows of the last factor.
    pub fn rank(&self) -> usize {
        match self.factor {
            Factor::None => 0,
            Factor::Cholesky => self.d.iter().filter(|d| **d > 0.0).count(),
            Factor::Pseudo => self.pseudo.rank(),
            Factor::Kernel => self.kernel.rank(),
        }
    }

    /// r ← S⁺ r.
    fn solve_rows(&mut self) {
        match self.factor {
            Factor::Cholesky => {
                self.r.iter_mut().zip(&self.d).for_each(|(r, d)| *r *= d);
                self.S.solve(&mut self.r);
                self.r.iter_mut().zip(&self.d).for_each(|(r, d)| *r *= d);
            }
            _ => self.pseudo.solve(self.m, &self.d, self.options.weighting, &mut self.r),
        }
    }

    /// v̇ and λ from the forces f.
    pub fn accelerations(
        &mut self,
        metric: &mut Metric,
        A: &SparseRows,
        f: &[f64],
        b: &[f64],
        vdot: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<Quality, ConstrainError> {
        check_size("f", self.n, f.len())?;
        check_finite("f", f)?;
        check_size("v̇", self.n, vdot.len())?;
        if self.factor == Factor::Kernel {
            check_size("b", self.m, b.len())?;
            check_size("λ", self.m, lambda.len())?;
            check_finite("b", b)?;
            self.kernel.solve(f, b, self.options.weighting, vdot, lambda);
            return self.quality(A, b, vdot, None);
        }
        vdot.copy_from_slice(f);
        metric.solve_touched(&self.all, vdot);
        self.constrain(metric, A, b, vdot, lambda)
    }

    /// v̇ and λ from the accelerations a = M⁻¹ f without constraints, which `vdot` holds on entry.
    pub fn constrain(
        &mut self,
        metric: &mut Metric,
        A: &SparseRows,
        b: &[f64],
        vdot: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<Quality, ConstrainError> {
        check_size("b", self.m, b.len())?;
        check_size("the accelerations", self.n, vdot.len())?;
        check_size("λ", self.m, lambda.len())?;
        check_finite("b", b)?;
        check_finite("the accelerations", vdot)?;
        match self.factor {
            Factor::None => return Err(ConstrainError::Unsupported("call `factor` first, and check its result")),
            Factor::Kernel => {
                let mut f = std::mem::take(&mut self.x);
                let known = metric.mass().times(vdot, &mut f);
                self.kernel.solve(&f, b, self.options.weighting, vdot, lambda);
                self.x = f;
                known?;
                return self.quality(A, b, vdot, None);
            }
            Factor::Cholesky | Factor::Pseudo => {}
        }
        lambda.fill(0.0);
        let mut gaussian = 0.0;
        // The second pass removes the round-off of the first.
        for pass in 0..2 {
            A.times(vdot, &mut self.r);
            self.r.iter_mut().zip(b).for_each(|(r, b)| *r = b - *r);
            if pass == 0 {
                self.first.copy_from_slice(&self.r);
            }
            self.solve_rows();
            lambda.iter_mut().zip(&self.r).for_each(|(l, r)| *l += r);
            self.x.fill(0.0);
            A.add_transposed_times(&self.r, &mut self.x);
            metric.solve_touched(&self.all, &mut self.x);
            vdot.iter_mut().zip(&self.x).for_each(|(v, x)| *v += x);
        }
        A.times(vdot, &mut self.r);
        for i in 0..self.m {
            gaussian += 0.5 * lambda[i] * (self.first[i] - (b[i] - self.r[i]));
        }
        self.quality(A, b, vdot, Some(gaussian))
    }

    /// The correction δ with A δ = −φ̇ (or −φ) of least ½ δᵀ W δ, and its multipliers; W is the metric of the last factor.
    ///
    /// \[Masarati2010\] eqs. (11a), (14a), (17b), with δ = + W⁻¹ Aᵀ μ.
    pub fn correction(
        &mut self,
        weight: &mut Metric,
        A: &SparseRows,
        residual: &[f64],
        delta: &mut [f64],
        mu: &mut [f64],
    ) -> Result<Quality, ConstrainError> {
        check_size("the residual", self.m, residual.len())?;
        check_finite("the residual", residual)?;
        check_size("μ", self.m, mu.len())?;
        delta.fill(0.0);
        let mut target = std::mem::take(&mut self.target);
        target.iter_mut().zip(residual).for_each(|(b, r)| *b = -r);
        let found = self.constrain(weight, A, &target, delta, mu);
        self.target = target;
        found
    }

    /// Residuals of a solution.
    fn quality(
        &mut self,
        A: &SparseRows,
        b: &[f64],
        vdot: &[f64],
        gaussian: Option<f64>,
    ) -> Result<Quality, ConstrainError> {
        check_finite("the solution", vdot)?;
        A.times(vdot, &mut self.r);
        let (mut row, mut residual) = (0, 0.0);
        for i in 0..self.m {
            let found = (self.r[i] - b[i]).abs();
            if found > residual {
                (row, residual) = (i, found);
            }
        }
        Ok(Quality { rank: self.rank(), residual, row, gaussian })
    }
}
