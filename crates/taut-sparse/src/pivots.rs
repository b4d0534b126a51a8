//! Pivots of a sparse matrix, and the pattern of its factors.
//!
//! ```text
//!  P A Q = L U        Q: minimum degree of A + Aᵀ        P: the diagonal wherever it is not too small
//! ```
//!
//! Column by column, in time proportional to the arithmetic \[GilbertPeierls1988\].

use crate::Number;

/// The diagonal entry is the pivot if it is at least this share of the largest entry of its column.
pub const DIAGONAL_PREFERENCE: f64 = 0.1;

/// A row that has no step yet.
const UNASSIGNED: u32 = u32::MAX;

/// Entries column by column, without the diagonal.
#[derive(Clone, Debug, Default)]
pub struct Pattern {
    starts: Vec<usize>,
    rows: Vec<u32>,
}

impl Pattern {
    fn new() -> Pattern {
        Pattern { starts: vec![0], rows: Vec::new() }
    }

    /// The rows of a column.
    pub fn column(&self, k: usize) -> &[u32] {
        &self.rows[self.starts[k]..self.starts[k + 1]]
    }

    /// Ends the present column.
    fn finish_column(&mut self) {
        self.starts.push(self.rows.len());
    }

    /// Row by row, each in ascending order.
    pub fn transposed(&self) -> Pattern {
        let n = self.starts.len() - 1;
        let mut starts = vec![0; n + 1];
        self.rows.iter().for_each(|row| starts[*row as usize + 1] += 1);
        (0..n).for_each(|k| starts[k + 1] += starts[k]);
        let (mut next, mut rows) = (starts.clone(), vec![0; self.rows.len()]);
        for k in 0..n {
            for row in self.column(k) {
                rows[next[*row as usize]] = k as u32;
                next[*row as usize] += 1;
            }
        }
        Pattern { starts, rows }
    }
}

/// The columns of a matrix.
#[derive(Clone, Copy)]
pub struct ColumnMatrix<'a, T> {
    pub starts: &'a [usize],
    pub rows: &'a [usize],
    pub values: &'a [T],
}

/// Why there are no pivots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PivotFailure {
    Singular,
    /// More entries than allowed: the elimination order assumed pivots on the diagonal.
    TooMuchFill,
}

/// The result of a search for pivots.
#[derive(Clone, Debug)]
pub struct Pivots {
    /// P: the step in which each row of A is eliminated.
    pub step: Vec<u32>,
    /// L, rows as steps, ascending.
    pub L: Pattern,
    /// U, likewise.
    pub U: Pattern,
}

impl Pivots {
    /// Finds pivots for the columns in this order; L and U may have at most `most` entries.
    pub fn search<T: Number>(order: &[usize], A: ColumnMatrix<T>, most: usize) -> Result<Pivots, PivotFailure> {
        let (n, zero) = (order.len(), T::from_real(0.0));
        let mut found = Pivots { step: vec![UNASSIGNED; n], L: Pattern::new(), U: Pattern::new() };
        let (mut reach, mut pivot_rows) = (Reach::new(n), vec![0_u32; n]);
        let (mut x, mut l): (Vec<T>, Vec<T>) = (vec![zero; n], Vec::new());
        for (k, &column) in order.iter().enumerate() {
            let entries = A.starts[column]..A.starts[column + 1];
            // Until all rows have a step, the rows of L are those of A.
            reach.find(k as u32, &A.rows[entries.clone()], &found);
            entries.for_each(|e| x[A.rows[e]] = A.values[e]);
            for &j in &reach.above {
                let u = std::mem::replace(&mut x[pivot_rows[j as usize] as usize], zero);
                found.U.rows.push(j);
                let first = found.L.starts[j as usize];
                for (i, l) in found.L.column(j as usize).iter().zip(&l[first..]) {
                    x[*i as usize] = x[*i as usize] - *l * u;
                }
            }
            let size = |row: &u32| x[*row as usize].magnitude();
            let largest = reach.below.iter().max_by(|a, b| size(a).total_cmp(&size(b)));
            let (mut pivot, own) = (*largest.ok_or(PivotFailure::Singular)?, column as u32);
            let longest = size(&pivot);
            if !(longest > 0.0 && longest.is_finite()) {
                return Err(PivotFailure::Singular);
            }
            if reach.below.contains(&own) && size(&own) >= DIAGONAL_PREFERENCE * longest {
                pivot = own;
            }
            let inverse = T::from_real(1.0) / std::mem::replace(&mut x[pivot as usize], zero);
            for &row in reach.below.iter().filter(|row| **row != pivot) {
                found.L.rows.push(row);
                l.push(std::mem::replace(&mut x[row as usize], zero) * inverse);
            }
            found.step[pivot as usize] = k as u32;
            pivot_rows[k] = pivot;
            found.L.finish_column();
            found.U.finish_column();
            if found.L.rows.len() + found.U.rows.len() > most {
                return Err(PivotFailure::TooMuchFill);
            }
        }
        let Pivots { step, L, .. } = &mut found;
        L.rows.iter_mut().for_each(|row| *row = step[*row as usize]);
        for k in 0..n {
            L.rows[L.starts[k]..L.starts[k + 1]].sort_unstable();
        }
        Ok(found)
    }
}

/// The rows of a column of A that are not zero after the previous elimination steps.
struct Reach {
    /// Steps that act on the column, in order.
    above: Vec<u32>,
    /// Rows that have no step yet.
    below: Vec<u32>,
    /// The last column for which each row was found.
    last: Vec<u32>,
    stack: Vec<u32>,
}

impl Reach {
    fn new(n: usize) -> Reach {
        Reach { above: Vec::new(), below: Vec::new(), last: vec![UNASSIGNED; n], stack: Vec::new() }
    }

    fn find(&mut self, k: u32, rows: &[usize], found: &Pivots) {
        self.above.clear();
        self.below.clear();
        self.stack.extend(rows.iter().map(|row| *row as u32));
        while let Some(row) = self.stack.pop() {
            if std::mem::replace(&mut self.last[row as usize], k) == k {
                continue;
            }
            match found.step[row as usize] {
                UNASSIGNED => self.below.push(row),
                j => {
                    self.above.push(j);
                    self.stack.extend(found.L.column(j as usize));
                }
            }
        }
        self.above.sort_unstable();
    }
}
