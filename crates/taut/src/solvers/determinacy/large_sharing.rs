//! Load sharing with many self-stresses: the same rules as in [`super::sharing`], with sparse matrices and conjugate gradients.

use super::{CANCELLATION_TOLERANCE, ReactionComponent, StressGroup};
use crate::solvers::rank::{RowElimination, SparseRow};
use nalgebra::{DMatrix, DVector};
use std::collections::BTreeMap;

/// Remainder of the gradient, relative to its first value, at which the iteration ends.
const CONVERGED: f64 = 1e-14;
/// Remainder of the gradient, relative to its largest terms, that is accepted.
const ACCEPTED: f64 = 1e-9;
/// Most iterations per self-stress.
const ITERATIONS_PER_STRESS: usize = 4;
/// Rows of length one that depend on others to within this have no energy of their own.
const DEPENDENT: f64 = 1e-9;

/// Reactions that depend on z, x₀ + N z, with N by columns.
pub(crate) struct SparseReactions {
    pub x: DVector<f64>,
    columns: Vec<SparseRow>,
}

/// Compliances and misfits of joints: blocks on the diagonal, with the first component of each.
pub(crate) struct Compliances<'a> {
    pub blocks: &'a [(usize, DMatrix<f64>)],
    pub misfit: &'a DVector<f64>,
}

impl SparseReactions {
    /// Of these components under these multipliers.
    pub fn new(components: &[ReactionComponent], group: &StressGroup, lambda: &[f64]) -> SparseReactions {
        let mut of_row: BTreeMap<usize, Vec<(usize, f64)>> = BTreeMap::new();
        for (j, stress) in group.stresses.iter().enumerate() {
            stress.iter().for_each(|(r, n)| of_row.entry(*r).or_default().push((j, *n)));
        }
        let mut columns = vec![SparseRow::new(); group.stresses.len()];
        for (i, component) in components.iter().enumerate() {
            let mut sums: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
            for (r, c) in &component.rows {
                for (j, n) in of_row.get(r).into_iter().flatten() {
                    let (sum, size) = sums.entry(*j).or_default();
                    *sum += c * n;
                    *size += (c * n).abs();
                }
            }
            for (j, (sum, size)) in sums {
                if sum.abs() > CANCELLATION_TOLERANCE * size {
                    columns[j].push((i, sum));
                }
            }
        }
        let x = DVector::from_iterator(components.len(), components.iter().map(|c| c.value(lambda)));
        SparseReactions { x, columns }
    }

    /// x at z.
    pub fn at(&self, z: &DVector<f64>) -> DVector<f64> {
        let mut x = self.x.clone();
        for (column, z) in self.columns.iter().zip(z) {
            column.iter().for_each(|(i, n)| x[*i] += n * z);
        }
        x
    }

    fn transpose_times(&self, y: &DVector<f64>) -> DVector<f64> {
        let one = |column: &SparseRow| column.iter().map(|(i, n)| n * y[*i]).sum::<f64>();
        DVector::from_iterator(self.columns.len(), self.columns.iter().map(one))
    }

    /// z of the least Σ xᵢ²; none if the iteration does not converge.
    pub fn minimum_norm(&self) -> Option<DVector<f64>> {
        let norms: Vec<f64> = self.columns.iter().map(|c| c.iter().map(|(_, n)| n * n).sum()).collect();
        self.least(&norms, |x| x.clone())
    }

    /// z of the least elastic energy; where it leaves z open, of the least norm of `all`. None if the iteration does not converge.
    pub fn least_energy(&self, joints: &Compliances, all: &SparseReactions) -> Option<DVector<f64>> {
        let soften = |x: &DVector<f64>| {
            let mut y = DVector::zeros(x.len());
            for (first, C) in joints.blocks {
                y.rows_mut(*first, C.nrows()).copy_from(&(C * x.rows(*first, C.nrows())));
            }
            y
        };
        let norm = |column: &SparseRow| {
            let mut x = DVector::zeros(self.x.len());
            column.iter().for_each(|(i, n)| x[*i] = *n);
            x.dot(&soften(&x))
        };
        let norms: Vec<f64> = self.columns.iter().map(norm).collect();
        let z = self.least(&norms, |x| soften(x) - joints.misfit)?;
        let stiff = |i: usize| {
            let at = joints.blocks.partition_point(|(first, _)| *first <= i) - 1;
            let (first, C) = &joints.blocks[at];
            C[(i - first, i - first)] == 0.0
        };
        let rest = all.along_kernel(&z, self, stiff)?;
        Some(z + rest)
    }

    /// The z with the least norm of x at `z` and changes that `elastic` does not feel; components with `rigid` have no energy.
    fn along_kernel(
        &self,
        z: &DVector<f64>,
        elastic: &SparseReactions,
        rigid: impl Fn(usize) -> bool,
    ) -> Option<DVector<f64>> {
        let mut lengths = Vec::with_capacity(elastic.columns.len());
        let mut rows = Vec::with_capacity(elastic.columns.len());
        for column in &elastic.columns {
            let felt: SparseRow = column.iter().copied().filter(|(i, _)| !rigid(*i)).collect();
            let length = felt.iter().map(|(_, n)| n * n).sum::<f64>().sqrt();
            let scale = if length > 0.0 { 1.0 / length } else { 1.0 };
            lengths.push(scale);
            rows.push(felt.into_iter().map(|(i, n)| (i, n * scale)).collect::<SparseRow>());
        }
        let kernel = RowElimination::new(&rows, elastic.x.len(), DEPENDENT, &[])?.circuits;
        if kernel.is_empty() {
            return Some(DVector::zeros(z.len()));
        }
        let combined = |(_, combination): &(usize, SparseRow)| {
            let mut sum: BTreeMap<usize, f64> = BTreeMap::new();
            for (j, y) in combination {
                self.columns[*j].iter().for_each(|(i, n)| *sum.entry(*i).or_default() += y * lengths[*j] * n);
            }
            sum.into_iter().collect::<SparseRow>()
        };
        let open = SparseReactions { x: self.at(z), columns: kernel.iter().map(combined).collect() };
        let y = open.minimum_norm()?;
        let mut rest = DVector::zeros(z.len());
        for ((_, combination), y) in kernel.iter().zip(&y) {
            combination.iter().for_each(|(j, c)| rest[*j] += y * c * lengths[*j]);
        }
        Some(rest)
    }

    /// z of the least E(x₀ + N z) for a quadratic E with this gradient, by conjugate gradients; `norms` are the diagonal of its second
    /// derivatives in z.
    fn least(&self, norms: &[f64], gradient: impl Fn(&DVector<f64>) -> DVector<f64>) -> Option<DVector<f64>> {
        let mut z = DVector::zeros(norms.len());
        let scale = DVector::from_iterator(norms.len(), norms.iter().map(|n| if *n > 0.0 { 1.0 / n } else { 0.0 }));
        // Columns of unit energy make the parts of the gradient comparable.
        let size = |r: &DVector<f64>| r.component_mul(r).dot(&scale).sqrt();
        let terms = |x: &DVector<f64>| {
            let g = gradient(x).abs();
            let one = |c: &SparseRow| c.iter().map(|(i, n)| n.abs() * g[*i]).sum::<f64>();
            size(&DVector::from_iterator(self.columns.len(), self.columns.iter().map(one)))
        };
        let mut r = -self.transpose_times(&gradient(&self.x));
        let mut d = r.component_mul(&scale);
        let mut rho = r.dot(&d);
        let first = rho.sqrt();
        let constant = gradient(&DVector::zeros(self.x.len()));
        for _ in 0..ITERATIONS_PER_STRESS * norms.len() {
            if !(rho.sqrt() > CONVERGED * first) {
                break;
            }
            let mut along = DVector::zeros(self.x.len());
            for (column, d) in self.columns.iter().zip(&d) {
                column.iter().for_each(|(i, n)| along[*i] += n * d);
            }
            let q = self.transpose_times(&(gradient(&along) - &constant));
            let curvature = d.dot(&q);
            if !(curvature > 0.0) {
                break;
            }
            let step = rho / curvature;
            z += &d * step;
            r -= q * step;
            let s = r.component_mul(&scale);
            let next = r.dot(&s);
            d = s + &d * (next / rho);
            rho = next;
        }
        let x = self.at(&z);
        let left = size(&self.transpose_times(&gradient(&x)));
        (left <= ACCEPTED * terms(&x).max(terms(&self.x))).then_some(z)
    }
}
