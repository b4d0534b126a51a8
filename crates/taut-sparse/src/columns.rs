//! LU of a sparse matrix, column by column.
//!
//! ```text
//!  P A Q = L U        Q: least degree of A + Aᵀ        P: the diagonal wherever it is not too small
//! ```
//!
//! Pivots and pattern are found once, \[GilbertPeierls1988\]; as long as the pivots stay good, other numbers in the same
//! pattern need the arithmetic alone, \[DavisNatarajan2010\]. Mechanisms and beams fill in little: there that is most of
//! the cost of a factor.

use crate::{Number, Singular};

/// The diagonal is taken for the pivot down to this share of the largest entry below it.
const DIAGONAL: f64 = 0.1;

/// A pivot found for other numbers stays down to this share.
const KEPT: f64 = 1e-3;

/// A row or column that has no place yet.
const NONE: u32 = u32::MAX;

/// L or U: entries column by column, without the diagonal.
#[derive(Clone, Debug)]
struct Triangle<T> {
    starts: Vec<u32>,
    /// Ascending in each column.
    rows: Vec<u32>,
    values: Vec<T>,
}

impl<T: Number> Triangle<T> {
    fn new() -> Triangle<T> {
        Triangle { starts: Vec::new(), rows: Vec::new(), values: Vec::new() }
    }
    fn column(&self, k: usize) -> (&[u32], &[T]) {
        let range = self.starts[k] as usize..self.starts[k + 1] as usize;
        (&self.rows[range.clone()], &self.values[range])
    }
    fn column_mut(&mut self, k: usize) -> (&[u32], &mut [T]) {
        let range = self.starts[k] as usize..self.starts[k + 1] as usize;
        (&self.rows[range.clone()], &mut self.values[range])
    }
    /// The entries so far are those of one more column.
    fn close(&mut self) {
        self.starts.push(self.rows.len() as u32);
    }
    fn clear(&mut self) {
        self.starts.clear();
        self.rows.clear();
        self.values.clear();
        self.starts.push(0);
    }
}

/// The columns of the matrix, as they are stored.
#[derive(Clone, Copy)]
pub struct Stored<'a, T> {
    pub starts: &'a [usize],
    pub rows: &'a [usize],
    pub values: &'a [T],
}

/// The factors.
#[derive(Clone, Debug)]
pub struct Columns<T> {
    /// Q: which column is eliminated in each step.
    order: Vec<usize>,
    /// P: in which step each row is.
    step: Vec<u32>,
    /// The entries of A in their steps: row by P, and where the value is stored.
    a_starts: Vec<u32>,
    a: Vec<(u32, u32)>,
    L: Triangle<T>,
    U: Triangle<T>,
    /// Inverses of the pivots.
    inverse: Vec<T>,
    x: Vec<T>,
    pivots: Pivots,
}

/// Whether there are pivots to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pivots {
    None,
    Found,
}

impl<T: Number> Columns<T> {
    /// Nothing is factored yet.
    pub fn new(order: Vec<usize>) -> Columns<T> {
        let n = order.len();
        Columns {
            order,
            step: vec![NONE; n],
            a_starts: Vec::new(),
            a: Vec::new(),
            L: Triangle::new(),
            U: Triangle::new(),
            inverse: vec![T::real(0.0); n],
            x: vec![T::real(0.0); n],
            pivots: Pivots::None,
        }
    }

    /// Factors, with the pivots there are if they still serve.
    pub fn factor(&mut self, stored: Stored<T>) -> Result<(), Singular> {
        if self.pivots == Pivots::Found && self.refactor(stored.values).is_ok() {
            return Ok(());
        }
        self.pivots = Pivots::None;
        self.x.fill(T::real(0.0));
        self.search(stored)?;
        self.settle(stored);
        self.pivots = Pivots::Found;
        Ok(())
    }

    /// Finds pivots, and with them the pattern. Rows of L are rows of A until all have their place.
    fn search(&mut self, stored: Stored<T>) -> Result<(), Singular> {
        let n = self.order.len();
        self.step.fill(NONE);
        self.L.clear();
        self.U.clear();
        let mut reach = Reach::new(n);
        let mut pivot_row = vec![0_u32; n];
        for k in 0..n {
            let column = self.order[k];
            let entries = stored.starts[column]..stored.starts[column + 1];
            reach.find(k as u32, &stored.rows[entries.clone()], &self.step, &self.L);
            for e in entries {
                self.x[stored.rows[e]] = stored.values[e];
            }
            // In the order of the steps: what is eliminated acts on what follows.
            reach.above.sort_unstable();
            for &j in &reach.above {
                let row = pivot_row[j as usize] as usize;
                let u = std::mem::replace(&mut self.x[row], T::real(0.0));
                self.U.rows.push(j);
                self.U.values.push(u);
                let (rows, l) = self.L.column(j as usize);
                for (i, l) in rows.iter().zip(l) {
                    self.x[*i as usize] = self.x[*i as usize] - *l * u;
                }
            }
            let size = |row: &u32| self.x[*row as usize].size();
            let most = reach.below.iter().map(size).fold(0.0, f64::max);
            let mut pivot = *reach.below.iter().max_by(|a, b| size(a).total_cmp(&size(b))).ok_or(Singular)?;
            let own = column as u32;
            if reach.below.contains(&own) && size(&own) >= DIAGONAL * most {
                pivot = own;
            }
            let value = std::mem::replace(&mut self.x[pivot as usize], T::real(0.0));
            if !(most > 0.0 && most.is_finite() && value.size() > 0.0) {
                return Err(Singular);
            }
            self.inverse[k] = T::real(1.0) / value;
            for &row in reach.below.iter().filter(|row| **row != pivot) {
                self.L.rows.push(row);
                self.L.values.push(std::mem::replace(&mut self.x[row as usize], T::real(0.0)) * self.inverse[k]);
            }
            self.step[pivot as usize] = k as u32;
            pivot_row[k] = pivot;
            self.L.close();
            self.U.close();
        }
        Ok(())
    }

    /// Renames the rows by their steps.
    fn settle(&mut self, stored: Stored<T>) {
        let mut sorted: Vec<(u32, T)> = Vec::new();
        for k in 0..self.order.len() {
            let range = self.L.starts[k] as usize..self.L.starts[k + 1] as usize;
            let step = |row: &u32| self.step[*row as usize];
            sorted.clear();
            sorted.extend(self.L.rows[range.clone()].iter().map(step).zip(self.L.values[range.clone()].iter().copied()));
            sorted.sort_unstable_by_key(|(row, _)| *row);
            for (place, (row, value)) in range.zip(&sorted) {
                (self.L.rows[place], self.L.values[place]) = (*row, *value);
            }
        }
        self.a_starts.clear();
        self.a_starts.push(0);
        self.a.clear();
        for &column in &self.order {
            let entries = stored.starts[column]..stored.starts[column + 1];
            self.a.extend(entries.map(|e| (self.step[stored.rows[e]], e as u32)));
            self.a_starts.push(self.a.len() as u32);
        }
    }

    /// The arithmetic alone; refused where a pivot has become too small beside the entries below it.
    fn refactor(&mut self, values: &[T]) -> Result<(), Singular> {
        let x = &mut self.x[..];
        for k in 0..self.order.len() {
            for (row, e) in &self.a[self.a_starts[k] as usize..self.a_starts[k + 1] as usize] {
                x[*row as usize] = values[*e as usize];
            }
            let (steps, us) = self.U.column_mut(k);
            for (j, u) in steps.iter().zip(us) {
                *u = std::mem::replace(&mut x[*j as usize], T::real(0.0));
                let (rows, l) = self.L.column(*j as usize);
                for (i, l) in rows.iter().zip(l) {
                    x[*i as usize] = x[*i as usize] - *l * *u;
                }
            }
            let pivot = std::mem::replace(&mut x[k], T::real(0.0));
            let inverse = T::real(1.0) / pivot;
            let mut most = 0.0_f64;
            let (rows, l) = self.L.column_mut(k);
            for (i, l) in rows.iter().zip(l) {
                let value = std::mem::replace(&mut x[*i as usize], T::real(0.0));
                most = most.max(value.size());
                *l = value * inverse;
            }
            let size = pivot.size();
            if !(size > 0.0 && size.is_finite() && size >= KEPT * most) {
                return Err(Singular);
            }
            self.inverse[k] = inverse;
        }
        Ok(())
    }

    /// Solves in place.
    pub fn solve(&mut self, b: &mut [T]) {
        let (x, n) = (&mut self.x[..], self.order.len());
        for (step, b) in self.step.iter().zip(b.iter()) {
            x[*step as usize] = *b;
        }
        for k in 0..n {
            let (rows, l) = self.L.column(k);
            let xk = x[k];
            for (i, l) in rows.iter().zip(l) {
                x[*i as usize] = x[*i as usize] - *l * xk;
            }
        }
        for k in (0..n).rev() {
            let (rows, u) = self.U.column(k);
            let xk = x[k] * self.inverse[k];
            b[self.order[k]] = xk;
            for (i, u) in rows.iter().zip(u) {
                x[*i as usize] = x[*i as usize] - *u * xk;
            }
        }
        x.fill(T::real(0.0));
    }
}

/// Which rows a column of A touches once the steps before have acted on it.
struct Reach {
    /// Steps that act on it.
    above: Vec<u32>,
    /// Rows that have no step yet.
    below: Vec<u32>,
    /// For which column each row was found last.
    found: Vec<u32>,
    stack: Vec<u32>,
}

impl Reach {
    fn new(n: usize) -> Reach {
        Reach { above: Vec::new(), below: Vec::new(), found: vec![NONE; n], stack: Vec::new() }
    }

    fn find<T: Number>(&mut self, k: u32, rows: &[usize], step: &[u32], L: &Triangle<T>) {
        self.above.clear();
        self.below.clear();
        self.stack.extend(rows.iter().map(|row| *row as u32));
        while let Some(row) = self.stack.pop() {
            if self.found[row as usize] == k {
                continue;
            }
            self.found[row as usize] = k;
            match step[row as usize] {
                NONE => self.below.push(row),
                j => {
                    self.above.push(j);
                    self.stack.extend(L.column(j as usize).0);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::c64;

    /// A row of masses and springs with two rows of constraints, whose diagonal is zero; `stiff` is a spring.
    fn chain<T: Number>(n: usize, stiff: f64) -> (Vec<usize>, Vec<usize>, Vec<T>) {
        let mut dense = vec![vec![0.0; n]; n];
        for i in 0..n - 2 {
            dense[i][i] = 2.0 + 0.1 * i as f64;
            if i + 1 < n - 2 {
                let k = if i == 1 { stiff } else { 1.0 };
                dense[i][i] += k;
                dense[i + 1][i + 1] += k;
                dense[i][i + 1] = -k * 1.1;
                dense[i + 1][i] = -k;
            }
        }
        for (row, body) in [(n - 2, 0), (n - 1, n - 3)] {
            dense[row][body] = 1.0;
            dense[body][row] = -1.0;
            dense[row][row] = f64::MIN_POSITIVE;
        }
        let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
        for column in 0..n {
            for row in (0..n).filter(|row| dense[*row][column] != 0.0) {
                rows.push(row);
                values.push(T::real(dense[row][column]));
            }
            starts.push(rows.len());
        }
        (starts, rows, values)
    }

    /// The largest entry of A x − b.
    fn residual<T: Number>(starts: &[usize], rows: &[usize], values: &[T], x: &[T], b: &[T]) -> f64 {
        let mut r: Vec<T> = b.to_vec();
        for column in 0..x.len() {
            for e in starts[column]..starts[column + 1] {
                r[rows[e]] = r[rows[e]] - values[e] * x[column];
            }
        }
        r.iter().map(|r| r.size()).fold(0.0, f64::max)
    }

    fn solved_for_every_stiffness<T: Number>(rotate: T) {
        let n = 12;
        // The worst order for the constraints: their zero diagonals come first.
        let order: Vec<usize> = (0..n).rev().collect();
        let mut columns = Columns::<T>::new(order);
        let b: Vec<T> = (0..n).map(|i| T::real(1.0 + i as f64)).collect();
        for stiff in [1.0, 1.5, 1e8, 1e-8, 1.0] {
            let (starts, rows, values) = chain::<T>(n, stiff);
            let values: Vec<T> = values.into_iter().map(|v| v * rotate).collect();
            columns.factor(Stored { starts: &starts, rows: &rows, values: &values }).unwrap();
            let mut x = b.clone();
            columns.solve(&mut x);
            let r = residual(&starts, &rows, &values, &x, &b);
            assert!(r < 1e-13 * 12.0 * stiff.max(1.0), "{stiff}: {r}");
        }
    }

    #[test]
    fn every_stiffness_is_solved_with_pivots_kept_or_found_anew() {
        solved_for_every_stiffness(1.0);
        solved_for_every_stiffness(c64::new(0.6, 0.8));
    }

    #[test]
    fn kept_pivots_give_the_numbers_of_new_ones() {
        let (starts, rows, values) = chain::<f64>(9, 1.0);
        let mut kept = Columns::new((0..9).collect());
        kept.factor(Stored { starts: &starts, rows: &rows, values: &values }).unwrap();
        let (_, _, values) = chain::<f64>(9, 1.7);
        kept.refactor(&values).unwrap();
        let mut new = Columns::new((0..9).collect());
        new.factor(Stored { starts: &starts, rows: &rows, values: &values }).unwrap();
        let (mut x, mut y) = ([1.0; 9], [1.0; 9]);
        kept.solve(&mut x);
        new.solve(&mut y);
        assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-14), "{x:?} {y:?}");
    }

    #[test]
    fn a_pivot_that_vanishes_is_replaced_and_a_singular_matrix_refused() {
        // [a 1; 1 b]
        let (starts, rows) = ([0, 2, 4], [0, 1, 0, 1]);
        let mut columns = Columns::new(vec![0, 1]);
        columns.factor(Stored { starts: &starts, rows: &rows, values: &[4.0, 1.0, 1.0, 2.0] }).unwrap();
        let mut x = [5.0, 3.0];
        columns.solve(&mut x);
        assert!((x[0] - 1.0).abs() + (x[1] - 1.0).abs() < 1e-15, "{x:?}");
        assert!(columns.refactor(&[1e-9, 1.0, 1.0, 2.0]).is_err());
        columns.factor(Stored { starts: &starts, rows: &rows, values: &[0.0, 1.0, 1.0, 2.0] }).unwrap();
        x = [1.0, 3.0];
        columns.solve(&mut x);
        assert!((x[0] - 1.0).abs() + (x[1] - 1.0).abs() < 1e-15, "{x:?}");
        let singular = Stored { starts: &starts, rows: &rows, values: &[1.0, 1.0, 1.0, 1.0] };
        assert_eq!(columns.factor(singular), Err(Singular));
        let none = Stored { starts: &starts, rows: &rows, values: &[0.0, 0.0, 1.0, 1.0] };
        assert_eq!(columns.factor(none), Err(Singular));
    }
}
