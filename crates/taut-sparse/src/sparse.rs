//! A square sparse matrix with a constant pattern: analysed once, factored whenever its values change.

use crate::number::{Factors, Number};
use faer::sparse::SymbolicSparseColMat;
use std::fmt;

/// The matrix has no inverse, or has entries that are not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Singular;

/// A square sparse matrix with its LU factors.
pub struct SparseLu<T: Number> {
    pattern: SymbolicSparseColMat<usize>,
    factors: Factors<T>,
    /// Value of each entry, in the order given to [`new`](Self::new).
    pub values: Vec<T>,
    /// Position to which each entry is added.
    positions: Vec<usize>,
    columns: Vec<T>,
    state: FactorState,
}

/// Whether there are factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FactorState {
    NotFactored,
    Factored,
}

impl<T: Number> fmt::Debug for SparseLu<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sparse {{ size: {}, entries: {} }}", self.pattern.nrows(), self.positions.len())
    }
}

impl<T: Number> SparseLu<T> {
    /// A matrix of size n with entries at these rows and columns; repeated entries are added.
    ///
    /// # Errors
    /// [`Singular`] if an entry lies outside the matrix, or the factors cannot be allocated.
    pub fn new(n: usize, entries: &[(usize, usize)]) -> Result<SparseLu<T>, Singular> {
        let mut order: Vec<usize> = (0..entries.len()).collect();
        order.sort_by_key(|&e| (entries[e].1, entries[e].0));
        let (mut starts, mut rows, mut places) = (vec![0; n + 1], Vec::new(), vec![0; entries.len()]);
        let mut last = None;
        for e in order {
            let (row, column) = entries[e];
            if row >= n || column >= n {
                return Err(Singular);
            }
            if last != Some((row, column)) {
                rows.push(row);
                starts[column + 1] += 1;
                last = Some((row, column));
            }
            places[e] = rows.len() - 1;
        }
        for column in 0..n {
            starts[column + 1] += starts[column];
        }
        let columns = vec![T::from_real(0.0); rows.len()];
        let pattern = SymbolicSparseColMat::new_checked(n, n, starts, None, rows);
        let factors = T::analyse(&pattern)?;
        let values = vec![T::from_real(0.0); entries.len()];
        Ok(SparseLu { pattern, factors, values, positions: places, columns, state: FactorState::NotFactored })
    }

    #[cfg(test)]
    pub(crate) fn in_blocks(&self) -> bool {
        matches!(self.factors, Factors::Blocks(_))
    }

    /// Factors the matrix of the present values.
    ///
    /// # Errors
    /// [`Singular`].
    pub fn factor(&mut self) -> Result<(), Singular> {
        self.state = FactorState::NotFactored;
        self.columns.fill(T::from_real(0.0));
        for (place, value) in self.positions.iter().zip(&self.values) {
            if !value.is_number() {
                return Err(Singular);
            }
            self.columns[*place] += *value;
        }
        T::factor(&mut self.factors, &self.pattern, &self.columns)?;
        self.state = FactorState::Factored;
        Ok(())
    }

    /// Solves with the factors, in place.
    ///
    /// # Errors
    /// [`Singular`] if there are no factors, or the result is not finite.
    pub fn solve(&mut self, x: &mut [T]) -> Result<(), Singular> {
        if self.state == FactorState::NotFactored || x.len() != self.pattern.nrows() {
            return Err(Singular);
        }
        T::solve(&mut self.factors, x);
        if x.iter().all(|x| x.is_number()) { Ok(()) } else { Err(Singular) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c64;

    #[test]
    fn it_solves_what_was_named_in_any_order_and_twice() {
        let entries = [(1, 1), (0, 0), (0, 1), (1, 0), (0, 0), (2, 2)];
        let mut matrix: SparseLu<f64> = SparseLu::new(3, &entries).unwrap();
        for scale in [1.0, 2.0] {
            matrix.values.copy_from_slice(&[3.0, 1.0, 2.0, -1.0, 1.0, 4.0]);
            matrix.values.iter_mut().for_each(|x| *x *= scale);
            matrix.factor().unwrap();
            // [2 2 0; -1 3 0; 0 0 4] x = (6, 5, 8)
            let mut x = [6.0 * scale, 5.0 * scale, 8.0 * scale];
            matrix.solve(&mut x).unwrap();
            assert!((x[0] - 1.0).abs() + (x[1] - 2.0).abs() + (x[2] - 2.0).abs() < 1e-14, "{x:?}");
        }
        matrix.values.fill(0.0);
        assert!(matrix.factor().is_err() || matrix.solve(&mut [1.0, 1.0, 1.0]).is_err());
        assert!(SparseLu::<f64>::new(1, &[(1, 0)]).is_err());
    }

    #[test]
    fn complex_numbers_likewise() {
        let mut matrix: SparseLu<c64> = SparseLu::new(2, &[(0, 0), (0, 1), (1, 0), (1, 1)]).unwrap();
        let c = c64::new;
        matrix.values.copy_from_slice(&[c(1.0, 1.0), c(0.0, 1.0), c(2.0, 0.0), c(0.0, -1.0)]);
        matrix.factor().unwrap();
        // x = (i, 1): rows give (i - 1 + i, 2i - i).
        let mut x = [c(-1.0, 2.0), c(0.0, 1.0)];
        matrix.solve(&mut x).unwrap();
        assert!((x[0] - c(0.0, 1.0)).norm() + (x[1] - c(1.0, 0.0)).norm() < 1e-14, "{x:?}");
    }
}
