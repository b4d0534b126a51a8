//! A matrix stored by rows with only its nonzero entries (CSR).

use crate::error::{ConstrainError, check_finite, check_size};
use nalgebra::DMatrix;

/// A sparse matrix by rows. The pattern stays; the values may change between two calls.
///
/// ```
/// use taut_constrain::SparseRows;
///
/// // [1 0 2; 0 3 0]
/// let A = SparseRows::from_triplets(2, 3, &[(0, 0, 1.0), (0, 2, 2.0), (1, 1, 3.0)])?;
/// let mut y = [0.0; 2];
/// A.times(&[1.0, 1.0, 1.0], &mut y);
/// assert_eq!(y, [3.0, 3.0]);
/// # Ok::<(), taut_constrain::ConstrainError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SparseRows {
    cols: usize,
    offsets: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl SparseRows {
    /// From the three arrays of CSR: row i has the entries `offsets[i]..offsets[i + 1]`.
    pub fn new(
        rows: usize,
        cols: usize,
        offsets: Vec<usize>,
        columns: Vec<usize>,
        values: Vec<f64>,
    ) -> Result<SparseRows, ConstrainError> {
        check_size("the offsets of a sparse matrix", rows + 1, offsets.len())?;
        check_size("the values of a sparse matrix", columns.len(), values.len())?;
        check_size("the columns of a sparse matrix", offsets[rows], columns.len())?;
        let index = |index, limit| ConstrainError::Index { what: "the pattern of a sparse matrix", index, limit };
        if offsets[0] != 0 {
            return Err(index(offsets[0], 1));
        }
        if let Some(falls) = offsets.windows(2).find(|w| w[0] > w[1]) {
            return Err(index(falls[0], falls[1]));
        }
        for i in 0..rows {
            let mut row = columns[offsets[i]..offsets[i + 1]].to_vec();
            row.sort_unstable();
            if let Some(bad) = row.iter().find(|c| **c >= cols) {
                return Err(index(*bad, cols));
            }
            if let Some(twice) = row.windows(2).find(|w| w[0] == w[1]) {
                return Err(index(twice[0], cols));
            }
        }
        check_finite("a sparse matrix", &values)?;
        Ok(SparseRows { cols, offsets, columns, values })
    }

    /// From the three arrays of CSC, by columns.
    pub fn from_csc(
        rows: usize,
        cols: usize,
        offsets: &[usize],
        row_indices: &[usize],
        values: &[f64],
    ) -> Result<SparseRows, ConstrainError> {
        let by_columns = SparseRows::new(cols, rows, offsets.to_vec(), row_indices.to_vec(), values.to_vec())?;
        Ok(by_columns.transposed())
    }

    /// From (row, column, value); equal positions are added.
    pub fn from_triplets(
        rows: usize,
        cols: usize,
        entries: &[(usize, usize, f64)],
    ) -> Result<SparseRows, ConstrainError> {
        let index = |index, limit| ConstrainError::Index { what: "the pattern of a sparse matrix", index, limit };
        if let Some((i, ..)) = entries.iter().find(|(i, ..)| *i >= rows) {
            return Err(index(*i, rows));
        }
        let mut sorted = entries.to_vec();
        sorted.sort_by_key(|(i, j, _)| (*i, *j));
        let (mut offsets, mut columns, mut values) = (vec![0; rows + 1], Vec::new(), Vec::<f64>::new());
        let mut last = None;
        for (i, j, x) in sorted {
            if last == Some((i, j)) {
                if let Some(value) = values.last_mut() {
                    *value += x;
                }
            } else {
                columns.push(j);
                values.push(x);
                offsets[i + 1] += 1;
                last = Some((i, j));
            }
        }
        (0..rows).for_each(|i| offsets[i + 1] += offsets[i]);
        SparseRows::new(rows, cols, offsets, columns, values)
    }

    /// Every entry stored: a full matrix of zeros.
    pub fn full(rows: usize, cols: usize) -> SparseRows {
        SparseRows {
            cols,
            offsets: (0..=rows).map(|i| i * cols).collect(),
            columns: (0..rows).flat_map(|_| 0..cols).collect(),
            values: vec![0.0; rows * cols],
        }
    }

    /// A full matrix with these entries.
    pub fn from_dense(A: &DMatrix<f64>) -> SparseRows {
        let mut full = SparseRows::full(A.nrows(), A.ncols());
        (0..A.nrows()).for_each(|i| (0..A.ncols()).for_each(|j| full.values[i * A.ncols() + j] = A[(i, j)]));
        full
    }

    /// As a full matrix.
    pub fn to_dense(&self) -> DMatrix<f64> {
        let mut dense = DMatrix::zeros(self.rows(), self.cols);
        for i in 0..self.rows() {
            let (columns, values) = self.row(i);
            columns.iter().zip(values).for_each(|(j, x)| dense[(i, *j)] += x);
        }
        dense
    }

    /// The transpose.
    pub fn transposed(&self) -> SparseRows {
        let mut offsets = vec![0; self.cols + 1];
        self.columns.iter().for_each(|j| offsets[j + 1] += 1);
        (0..self.cols).for_each(|j| offsets[j + 1] += offsets[j]);
        let (mut next, mut columns, mut values) =
            (offsets.clone(), vec![0; self.columns.len()], vec![0.0; self.columns.len()]);
        for i in 0..self.rows() {
            for k in self.offsets[i]..self.offsets[i + 1] {
                let at = &mut next[self.columns[k]];
                (columns[*at], values[*at]) = (i, self.values[k]);
                *at += 1;
            }
        }
        SparseRows { cols: self.rows(), offsets, columns, values }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Columns and values of a row.
    pub fn row(&self, i: usize) -> (&[usize], &[f64]) {
        let range = self.offsets[i]..self.offsets[i + 1];
        (&self.columns[range.clone()], &self.values[range])
    }

    /// Where each row begins, as in CSR.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The column of every stored entry, row by row.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// All stored entries, row by row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The same, to be changed.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// y = A x.
    pub fn times(&self, x: &[f64], y: &mut [f64]) {
        for (i, y) in y.iter_mut().enumerate().take(self.rows()) {
            let (columns, values) = self.row(i);
            *y = columns.iter().zip(values).map(|(j, a)| a * x[*j]).sum();
        }
    }

    /// y += Aᵀ x.
    pub fn add_transposed_times(&self, x: &[f64], y: &mut [f64]) {
        for (i, x) in x.iter().enumerate().take(self.rows()) {
            let (columns, values) = self.row(i);
            columns.iter().zip(values).for_each(|(j, a)| y[*j] += a * x);
        }
    }

    /// Whether both store the same entries.
    pub fn same_pattern(&self, other: &SparseRows) -> bool {
        self.cols == other.cols && self.offsets == other.offsets && self.columns == other.columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_ways_in_agree() {
        let A = SparseRows::from_triplets(2, 3, &[(1, 1, 3.0), (0, 2, 1.5), (0, 0, 1.0), (0, 2, 0.5)]).unwrap();
        let csc = SparseRows::from_csc(2, 3, &[0, 1, 2, 3], &[0, 1, 0], &[1.0, 3.0, 2.0]).unwrap();
        assert!(A == csc && A.same_pattern(&csc) && A.transposed().transposed() == A);
        assert_eq!(SparseRows::from_dense(&A.to_dense()).to_dense(), A.to_dense());
        let mut x = [1.0, 0.0, 0.0];
        A.add_transposed_times(&[1.0, 2.0], &mut x);
        assert_eq!(x, [2.0, 6.0, 2.0]);
    }

    #[test]
    fn bad_patterns_are_refused() {
        assert!(SparseRows::from_triplets(1, 1, &[(1, 0, 1.0)]).is_err());
        assert!(SparseRows::from_triplets(1, 1, &[(0, 1, 1.0)]).is_err());
        assert!(SparseRows::from_triplets(1, 1, &[(0, 0, f64::NAN)]).is_err());
        assert!(SparseRows::new(1, 2, vec![0, 2], vec![1, 1], vec![1.0, 1.0]).is_err());
        assert!(SparseRows::new(2, 2, vec![0, 2, 1], vec![0], vec![1.0]).is_err());
        assert!(SparseRows::new(1, 2, vec![0], vec![], vec![]).is_err());
    }
}
