//! Constraints as functions of the user, and their derivatives by dual numbers.

use crate::error::{ConstrainError, check_size};
use crate::scalar::{Dual, Jet, Scalar};
use crate::sparse_rows::SparseRows;

/// Columns of A that one evaluation gives.
const LANES: usize = 8;

/// Constraints with all that the solver needs. Rows are those of φ first, then those of ψ.
///
/// ```text
///  φ(t, q) = 0        A = ∂φ/∂q,   φ̇ = A v + φ_t,   φ̈ = A v̇ − b
///  ψ(t, q, v) = 0     A = ∂ψ/∂v,   ψ̇ = A v̇ − b
/// ```
///
/// Along the line (t + s, q + s v) the first derivative of φ is φ̇ and the second is −b: one evaluation with a
/// [`Jet`] gives both. Eight columns of A take one evaluation with [`Dual`] numbers; columns that share no row are
/// evaluated together (Curtis, Powell and Reid), so that the number of evaluations for a long chain does not grow with
/// its length.
///
/// Implement it to provide your own derivatives; otherwise use [`Differentiated`] (formulas in Rust) or
/// [`NumericalConstraints`](crate::NumericalConstraints) (functions without derivatives).
pub trait ConstraintFunctions {
    /// Number of coordinates q.
    fn coordinates(&self) -> usize;
    /// Number of rows of φ.
    fn position_rows(&self) -> usize;
    /// Number of rows of ψ.
    fn velocity_rows(&self) -> usize;
    /// A with its pattern, values arbitrary; default: a full matrix.
    fn pattern(&self) -> SparseRows {
        SparseRows::full(self.position_rows() + self.velocity_rows(), self.coordinates())
    }
    /// φ.
    fn position(&mut self, t: f64, q: &[f64], phi: &mut [f64]) -> Result<(), ConstrainError>;
    /// The values of A, in the pattern given.
    fn jacobian(&mut self, t: f64, q: &[f64], v: &[f64], A: &mut SparseRows) -> Result<(), ConstrainError>;
    /// φ̇ and ψ.
    fn velocity(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        A: &SparseRows,
        rate: &mut [f64],
    ) -> Result<(), ConstrainError>;
    /// b.
    fn acceleration(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        A: &SparseRows,
        b: &mut [f64],
    ) -> Result<(), ConstrainError>;
}

/// Constraints as formulas, written once over [`Scalar`].
///
/// ```
/// use taut_constrain::ConstraintFormulas;
/// use taut_constrain::scalar::Scalar;
///
/// /// A point on a circle of radius 1.
/// struct Circle;
///
/// impl ConstraintFormulas for Circle {
///     fn position_rows(&self) -> usize {
///         1
///     }
///     fn phi<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
///         phi[0] = (q[0] * q[0] + q[1] * q[1] - 1.0) * 0.5;
///     }
/// }
/// ```
pub trait ConstraintFormulas {
    /// Number of rows of φ.
    fn position_rows(&self) -> usize;
    /// Number of rows of ψ; default: none.
    fn velocity_rows(&self) -> usize {
        0
    }
    /// φ(t, q).
    fn phi<S: Scalar>(&self, t: S, q: &[S], phi: &mut [S]);
    /// ψ(t, q, v); default: nothing.
    fn psi<S: Scalar>(&self, _t: S, _q: &[S], _v: &[S], _psi: &mut [S]) {}
    /// The (row, column) pairs at which A can differ from zero; default: all.
    fn nonzeros(&self) -> Option<Vec<(usize, usize)>> {
        None
    }
}

/// Groups of columns that share no row.
#[derive(Clone, Debug)]
pub(crate) struct ColumnGroups {
    /// Group of each column.
    pub group: Vec<usize>,
    /// Number of groups.
    pub count: usize,
}

impl ColumnGroups {
    /// Greedy colouring of the columns.
    pub fn new(A: &SparseRows) -> ColumnGroups {
        let columns = A.transposed();
        let mut group = vec![usize::MAX; A.cols()];
        let mut count = 0;
        let mut taken = vec![usize::MAX; A.cols() + 1];
        for j in 0..A.cols() {
            for i in columns.row(j).0 {
                for k in A.row(*i).0 {
                    if group[*k] != usize::MAX {
                        taken[group[*k]] = j;
                    }
                }
            }
            let free = taken.iter().position(|by| *by != j).unwrap_or(count);
            group[j] = free;
            count = count.max(free + 1);
        }
        ColumnGroups { group, count }
    }
}

/// [`ConstraintFormulas`] with exact derivatives.
#[derive(Clone, Debug)]
pub struct Differentiated<F> {
    formulas: F,
    n: usize,
    pattern: SparseRows,
    groups: ColumnGroups,
    dual_q: Vec<Dual<LANES>>,
    dual_v: Vec<Dual<LANES>>,
    dual_out: Vec<Dual<LANES>>,
    jet_q: Vec<Jet>,
    jet_out: Vec<Jet>,
    line_q: Vec<Dual<1>>,
    line_v: Vec<Dual<1>>,
    line_out: Vec<Dual<1>>,
}

impl<F: ConstraintFormulas> Differentiated<F> {
    /// For n coordinates.
    pub fn new(formulas: F, n: usize) -> Result<Differentiated<F>, ConstrainError> {
        let m = formulas.position_rows() + formulas.velocity_rows();
        let pattern = match formulas.nonzeros() {
            None => SparseRows::full(m, n),
            Some(places) => {
                let entries: Vec<_> = places.into_iter().map(|(i, j)| (i, j, 0.0)).collect();
                SparseRows::from_triplets(m, n, &entries)?
            }
        };
        Ok(Differentiated {
            groups: ColumnGroups::new(&pattern),
            dual_q: vec![Dual::default(); n],
            dual_v: vec![Dual::default(); n],
            dual_out: vec![Dual::default(); m],
            jet_q: vec![Jet::default(); n],
            jet_out: vec![Jet::default(); m],
            line_q: vec![Dual::default(); n],
            line_v: vec![Dual::default(); n],
            line_out: vec![Dual::default(); m],
            formulas,
            n,
            pattern,
        })
    }

    /// φ, φ̇ and −b of the position rows.
    fn along_the_line(&mut self, t: f64, q: &[f64], v: &[f64]) {
        self.jet_q.iter_mut().zip(q.iter().zip(v)).for_each(|(jet, (q, v))| *jet = Jet::new(*q, *v, 0.0));
        let rows = self.formulas.position_rows();
        self.formulas.phi(Jet::variable(t), &self.jet_q, &mut self.jet_out[..rows]);
    }
}

impl<F: ConstraintFormulas> ConstraintFunctions for Differentiated<F> {
    fn coordinates(&self) -> usize {
        self.n
    }
    fn position_rows(&self) -> usize {
        self.formulas.position_rows()
    }
    fn velocity_rows(&self) -> usize {
        self.formulas.velocity_rows()
    }
    fn pattern(&self) -> SparseRows {
        self.pattern.clone()
    }

    fn position(&mut self, t: f64, q: &[f64], phi: &mut [f64]) -> Result<(), ConstrainError> {
        self.formulas.phi(t, q, phi);
        Ok(())
    }

    fn jacobian(&mut self, t: f64, q: &[f64], v: &[f64], A: &mut SparseRows) -> Result<(), ConstrainError> {
        check_size("the entries of A", self.pattern.values().len(), A.values().len())?;
        let (of_phi, rows) = (self.formulas.position_rows(), self.pattern.rows());
        for batch in 0..self.groups.count.div_ceil(LANES) {
            let lane = |j: usize| self.groups.group[j].checked_sub(batch * LANES).unwrap_or(LANES);
            for j in 0..self.n {
                self.dual_q[j] = Dual::variable(q[j], lane(j));
                self.dual_v[j] = Dual::variable(v[j], lane(j));
            }
            let (phi, psi) = self.dual_out.split_at_mut(of_phi);
            self.formulas.phi(Dual::constant(t), &self.dual_q, phi);
            if rows > of_phi {
                self.dual_q.iter_mut().zip(q).for_each(|(dual, q)| *dual = Dual::constant(*q));
                self.formulas.psi(Dual::constant(t), &self.dual_q, &self.dual_v, psi);
            }
            for i in 0..rows {
                for k in A.offsets()[i]..A.offsets()[i + 1] {
                    let lane = lane(A.columns()[k]);
                    if lane < LANES {
                        A.values_mut()[k] = self.dual_out[i].eps[lane];
                    }
                }
            }
        }
        Ok(())
    }

    fn velocity(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        _A: &SparseRows,
        rate: &mut [f64],
    ) -> Result<(), ConstrainError> {
        self.along_the_line(t, q, v);
        let (phi, psi) = rate.split_at_mut(self.formulas.position_rows());
        phi.iter_mut().zip(&self.jet_out).for_each(|(rate, jet)| *rate = jet.df);
        if !psi.is_empty() {
            self.formulas.psi(t, q, v, psi);
        }
        Ok(())
    }

    fn acceleration(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        _A: &SparseRows,
        b: &mut [f64],
    ) -> Result<(), ConstrainError> {
        self.along_the_line(t, q, v);
        let of_phi = self.formulas.position_rows();
        let (phi, psi) = b.split_at_mut(of_phi);
        phi.iter_mut().zip(&self.jet_out).for_each(|(b, jet)| *b = -jet.ddf);
        if !psi.is_empty() {
            for j in 0..self.n {
                self.line_q[j] = Dual { re: q[j], eps: [v[j]] };
                self.line_v[j] = Dual::constant(v[j]);
            }
            let out = &mut self.line_out[of_phi..];
            self.formulas.psi(Dual::variable(t, 0), &self.line_q, &self.line_v, out);
            psi.iter_mut().zip(out).for_each(|(b, out)| *b = -out.eps[0]);
        }
        Ok(())
    }
}
