//! Mass matrices and weights: everything that the solver must know of M or W is how to solve with it.

use crate::envelope::Envelope;
use crate::error::{ConstrainError, check_finite, check_size};
use crate::kernels::{cholesky, solve_lower, solve_lower_transposed};
use crate::sparse_rows::SparseRows;
use nalgebra::DMatrix;
use std::fmt;

/// Pivots of M below this, relative to the diagonal, count as zero: round-off of a singular M can be larger than 1e-13. A
/// positive M taken for singular only costs time.
const LEAST_PIVOT: f64 = 1e-11;

/// Solves with M in place: the argument is r on entry and M⁻¹ r on return.
pub type MassSolve = Box<dyn FnMut(&mut [f64]) + Send>;

/// A mass matrix M, or a weight W, in the form in which the user has it.
pub enum Mass {
    /// The identity of this size.
    Identity(usize),
    /// The diagonal.
    Diagonal(Vec<f64>),
    /// Symmetric blocks along the diagonal, one after the other.
    Blocks {
        /// Size of each block.
        sizes: Vec<usize>,
        /// Entries of all blocks, each by columns.
        values: Vec<f64>,
    },
    /// A full symmetric matrix.
    Dense(DMatrix<f64>),
    /// A sparse symmetric matrix with both triangles.
    Sparse(SparseRows),
    /// Only a way to solve with it. M must be symmetric and positive definite.
    Solve {
        /// Size of M.
        n: usize,
        /// Replaces r by M⁻¹ r.
        solve: MassSolve,
    },
    /// A matrix that need not be symmetric (\[FumagalliMasarati2009\], appendix 2).
    NonSymmetric(DMatrix<f64>),
}

impl fmt::Debug for Mass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            Mass::Identity(_) => "identity",
            Mass::Diagonal(_) => "diagonal",
            Mass::Blocks { .. } => "blocks",
            Mass::Dense(_) => "dense",
            Mass::Sparse(_) => "sparse",
            Mass::Solve { .. } => "solve",
            Mass::NonSymmetric(_) => "non-symmetric",
        };
        write!(f, "Mass({kind}, {})", self.size())
    }
}

impl Mass {
    /// n.
    pub fn size(&self) -> usize {
        match self {
            Mass::Identity(n) | Mass::Solve { n, .. } => *n,
            Mass::Diagonal(values) => values.len(),
            Mass::Blocks { sizes, .. } => sizes.iter().sum(),
            Mass::Dense(M) | Mass::NonSymmetric(M) => M.nrows(),
            Mass::Sparse(M) => M.rows(),
        }
    }

    /// y = M x, where M is known.
    pub(crate) fn times(&self, x: &[f64], y: &mut [f64]) -> Result<(), ConstrainError> {
        match self {
            Mass::Identity(_) => y.copy_from_slice(x),
            Mass::Diagonal(m) => y.iter_mut().zip(x.iter().zip(m)).for_each(|(y, (x, m))| *y = x * m),
            Mass::Blocks { sizes, values } => {
                y.fill(0.0);
                let (mut at, mut from) = (0, 0);
                for size in sizes {
                    for j in 0..*size {
                        (0..*size).for_each(|i| y[at + i] += values[from + j * size + i] * x[at + j]);
                    }
                    (at, from) = (at + size, from + size * size);
                }
            }
            Mass::Dense(M) | Mass::NonSymmetric(M) => {
                y.fill(0.0);
                (0..M.ncols()).for_each(|j| crate::kernels::axpy(x[j], M.column(j).as_slice(), y));
            }
            Mass::Sparse(M) => M.times(x, y),
            Mass::Solve { .. } => {
                return Err(ConstrainError::Unsupported(
                    "M itself is needed here, but only a function that solves with it was given",
                ));
            }
        }
        Ok(())
    }

    /// Sizes and finite numbers; symmetry where it is required.
    fn check(&self) -> Result<(), ConstrainError> {
        let symmetric = |entry: &dyn Fn(usize, usize) -> f64, n: usize| {
            (0..n)
                .all(|i| {
                    (0..i).all(|j| {
                        let (x, y) = (entry(i, j), entry(j, i));
                        (x - y).abs() <= 1e-8 * (entry(i, i) * entry(j, j)).abs().sqrt().max(x.abs().min(y.abs()))
                    })
                })
                .then_some(())
                .ok_or(ConstrainError::Unsupported(
                    "M is not symmetric; give both triangles, or pass it as a non-symmetric matrix",
                ))
        };
        match self {
            Mass::Identity(_) | Mass::Solve { .. } => Ok(()),
            Mass::Diagonal(m) => check_finite("M", m),
            Mass::Blocks { sizes, values } => {
                check_size("the blocks of M", sizes.iter().map(|n| n * n).sum(), values.len())?;
                check_finite("M", values)?;
                let mut from = 0;
                for n in sizes {
                    symmetric(&|i, j| values[from + j * n + i], *n)?;
                    from += n * n;
                }
                Ok(())
            }
            Mass::Dense(M) => {
                check_size("the columns of M", M.nrows(), M.ncols())?;
                check_finite("M", M.as_slice())?;
                symmetric(&|i, j| M[(i, j)], M.nrows())
            }
            Mass::NonSymmetric(M) => {
                check_size("the columns of M", M.nrows(), M.ncols())?;
                check_finite("M", M.as_slice())
            }
            Mass::Sparse(M) => {
                check_size("the columns of M", M.rows(), M.cols())?;
                check_finite("M", M.values())
            }
        }
    }
}

/// What the factorisation found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Definiteness {
    Positive,
    /// Singular, indefinite or not symmetric: solved in the directions that the rows leave free.
    Other,
}

/// A mass matrix or weight with its factor.
///
/// ```text
///  M = Rᵀ R        R = Lᵀ P, by blocks, within an envelope or dense
/// ```
///
/// Change the matrix through [`mass_mut`](Metric::mass_mut); the next use factorises it again, without allocation.
#[derive(Debug)]
pub struct Metric {
    mass: Mass,
    factor: Vec<f64>,
    envelope: Option<Envelope>,
    state: Option<Definiteness>,
}

impl Metric {
    /// Checks the matrix and reserves memory for its factor.
    pub fn new(mass: Mass) -> Result<Metric, ConstrainError> {
        mass.check()?;
        let factor = match &mass {
            Mass::Blocks { values, .. } => vec![0.0; values.len()],
            Mass::Dense(M) => vec![0.0; M.len()],
            _ => Vec::new(),
        };
        let envelope = match &mass {
            Mass::Sparse(M) => {
                let mut neighbours: Vec<Vec<usize>> = (0..M.rows()).map(|i| M.row(i).0.to_vec()).collect();
                for i in 0..M.rows() {
                    M.row(i).0.iter().filter(|j| **j != i).for_each(|j| neighbours[*j].push(i));
                }
                neighbours.iter_mut().for_each(|list| {
                    list.sort_unstable();
                    list.dedup();
                });
                Some(Envelope::new(&neighbours))
            }
            _ => None,
        };
        Ok(Metric { mass, factor, envelope, state: None })
    }

    /// The matrix.
    pub fn mass(&self) -> &Mass {
        &self.mass
    }

    /// The matrix, to change its values; its kind, size and pattern must stay.
    pub fn mass_mut(&mut self) -> &mut Mass {
        self.state = None;
        &mut self.mass
    }

    /// n.
    pub fn size(&self) -> usize {
        self.mass.size()
    }

    /// Factorises the matrix if it changed since the last call.
    pub(crate) fn factorise(&mut self) -> Result<Definiteness, ConstrainError> {
        if let Some(known) = self.state {
            return Ok(known);
        }
        self.mass.check()?;
        let found = match &self.mass {
            Mass::Identity(_) | Mass::Solve { .. } => true,
            Mass::NonSymmetric(_) => false,
            Mass::Diagonal(m) => m.iter().all(|m| *m > 0.0),
            Mass::Blocks { sizes, values } => {
                self.factor.copy_from_slice(values);
                let mut from = 0;
                sizes.iter().all(|n| {
                    let block = &mut self.factor[from..from + n * n];
                    from += n * n;
                    cholesky(block, *n, LEAST_PIVOT).is_ok()
                })
            }
            Mass::Dense(M) => {
                self.factor.copy_from_slice(M.as_slice());
                cholesky(&mut self.factor, M.nrows(), LEAST_PIVOT).is_ok()
            }
            Mass::Sparse(M) => self.envelope.as_mut().is_some_and(|envelope| {
                envelope.clear();
                for i in 0..M.rows() {
                    let (columns, values) = M.row(i);
                    columns.iter().zip(values).for_each(|(j, x)| envelope.add(i, *j, *x));
                }
                envelope.factor(LEAST_PIVOT).is_ok()
            }),
        };
        let found = if found { Definiteness::Positive } else { Definiteness::Other };
        self.state = Some(found);
        Ok(found)
    }

    /// x ← M⁻¹ x, where x is zero outside `touched`; M must be positive definite.
    pub(crate) fn solve_touched(&mut self, touched: &[usize], x: &mut [f64]) {
        match &mut self.mass {
            Mass::Identity(_) | Mass::NonSymmetric(_) => {}
            Mass::Diagonal(m) => touched.iter().for_each(|k| x[*k] /= m[*k]),
            Mass::Blocks { sizes, .. } => {
                let (mut at, mut from, mut k) = (0, 0, 0);
                for n in sizes.iter() {
                    // `touched` is sorted and contains whole blocks.
                    if touched.get(k) == Some(&at) {
                        let (block, x) = (&self.factor[from..from + n * n], &mut x[at..at + n]);
                        solve_lower(block, *n, x);
                        solve_lower_transposed(block, *n, x);
                        k += n;
                    }
                    (at, from) = (at + n, from + n * n);
                }
            }
            Mass::Dense(M) => {
                solve_lower(&self.factor, M.nrows(), x);
                solve_lower_transposed(&self.factor, M.nrows(), x);
            }
            Mass::Sparse(_) => {
                if let Some(envelope) = self.envelope.as_mut() {
                    envelope.solve(x);
                }
            }
            Mass::Solve { solve, .. } => solve(x),
        }
    }

    /// x ← R⁻ᵀ x, up to the order of its entries. Not for [`Mass::Solve`].
    pub(crate) fn half_solve(&mut self, x: &mut [f64]) {
        match &self.mass {
            Mass::Diagonal(m) => x.iter_mut().zip(m).for_each(|(x, m)| *x /= m.sqrt()),
            Mass::Blocks { sizes, .. } => {
                let (mut at, mut from) = (0, 0);
                for n in sizes {
                    solve_lower(&self.factor[from..from + n * n], *n, &mut x[at..at + n]);
                    (at, from) = (at + n, from + n * n);
                }
            }
            Mass::Dense(M) => solve_lower(&self.factor, M.nrows(), x),
            Mass::Sparse(_) => {
                if let Some(envelope) = self.envelope.as_mut() {
                    envelope.solve_lower(x);
                }
            }
            Mass::Identity(_) | Mass::NonSymmetric(_) | Mass::Solve { .. } => {}
        }
    }

    /// The coordinates that M⁻¹ Aᵀ can reach from these columns of a row.
    pub(crate) fn reach(&self, columns: &[usize]) -> Vec<usize> {
        let mut found = match &self.mass {
            Mass::Identity(_) | Mass::Diagonal(_) => columns.to_vec(),
            Mass::Blocks { sizes, .. } => {
                let mut at = 0;
                let mut all = Vec::new();
                for n in sizes {
                    if columns.iter().any(|k| (at..at + n).contains(k)) {
                        all.extend(at..at + n);
                    }
                    at += n;
                }
                all
            }
            _ => (0..self.size()).collect(),
        };
        found.sort_unstable();
        found
    }

    /// Whether M⁻¹ Aᵀ reaches only a few coordinates, so that A M⁻¹ Aᵀ is sparse where A is.
    pub(crate) fn is_local(&self) -> bool {
        matches!(self.mass, Mass::Identity(_) | Mass::Diagonal(_) | Mass::Blocks { .. })
    }

    /// All entries of M by columns, where M is known.
    pub(crate) fn fill_dense(&self, full: &mut [f64]) -> Result<(), ConstrainError> {
        let n = self.size();
        full.fill(0.0);
        match &self.mass {
            Mass::Identity(_) => (0..n).for_each(|i| full[i * n + i] = 1.0),
            Mass::Diagonal(m) => (0..n).for_each(|i| full[i * n + i] = m[i]),
            Mass::Blocks { sizes, values } => {
                let (mut at, mut from) = (0, 0);
                for size in sizes {
                    for j in 0..*size {
                        let column = (at + j) * n + at;
                        full[column..column + size].copy_from_slice(&values[from + j * size..from + (j + 1) * size]);
                    }
                    (at, from) = (at + size, from + size * size);
                }
            }
            Mass::Dense(M) | Mass::NonSymmetric(M) => full.copy_from_slice(M.as_slice()),
            Mass::Sparse(M) => {
                for i in 0..n {
                    let (columns, values) = M.row(i);
                    columns.iter().zip(values).for_each(|(j, x)| full[j * n + i] = *x);
                }
            }
            Mass::Solve { .. } => {
                return Err(ConstrainError::Unsupported("M itself is not known, only how to solve with it"));
            }
        }
        Ok(())
    }
}
