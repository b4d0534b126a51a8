//! Gaussian elimination of sparse rows that keeps the row combinations.
//!
//! ```text
//!  T B = U          rows of U that vanish are combinations yᵀ B = 0; the other rows give the null space U x = 0
//! ```
//!
//! A row that vanishes was combined with pivot rows only. Its combination is unique, so its rows form a *minimal*
//! dependent set: a circuit of the row matroid, fundamental with respect to the basis of pivot rows.

use std::collections::BTreeSet;

/// Entries smaller than this are round-off, for rows of initial length one.
const ROUND_OFF: f64 = 1e-15;
/// A pivot may be smaller than the largest by this factor, if its row or column is shorter.
const PIVOT_THRESHOLD: f64 = 0.5;
/// Maximum number of products in one elimination, a few seconds of work; beyond it the rows are too many or too densely
/// coupled.
const MAX_PRODUCTS: usize = 300_000_000;

/// A sparse vector: index and value, sorted by index.
pub(crate) type SparseRow = Vec<(usize, f64)>;

/// The result of an elimination.
#[derive(Debug)]
pub(crate) struct RowElimination {
    columns: usize,
    /// Pivots in order: column, and its row of U.
    pivots: Vec<(usize, SparseRow)>,
    /// Rows that vanished, each with the combination that made it vanish; its own factor is 1.
    pub circuits: Vec<(usize, SparseRow)>,
    /// The smallest remainder of a row that did not vanish.
    pub least: f64,
}

/// One row during the elimination.
struct RowInProgress {
    values: SparseRow,
    combination: SparseRow,
    /// Magnitude of its largest entry.
    largest: f64,
    /// Whether it becomes a pivot only when no other row is left.
    deferred: bool,
}

impl RowInProgress {
    /// Its place in the queue: rows that wait last, then by magnitude to a factor of two, then the shortest.
    fn rank(&self, i: usize) -> (bool, i32, usize, usize) {
        (self.deferred, -(self.largest.log2().ceil() as i32), self.values.len(), i)
    }
}

/// Rows that may become pivots, the next one first.
#[derive(Default)]
struct PivotQueue(BTreeSet<(bool, i32, usize, usize)>);

impl PivotQueue {
    fn insert(&mut self, i: usize, row: &RowInProgress) {
        self.0.insert(row.rank(i));
    }

    fn remove(&mut self, i: usize, row: &RowInProgress) {
        self.0.remove(&row.rank(i));
    }

    fn pop(&mut self) -> Option<usize> {
        self.0.pop_first().map(|(_, _, _, i)| i)
    }
}

fn largest(values: &SparseRow) -> f64 {
    values.iter().fold(0.0, |most, (_, x)| x.abs().max(most))
}

impl RowElimination {
    /// Eliminates rows of unit length (or zero); rows whose remainder is below `threshold` vanish. Rows in `deferred`
    /// become pivots only when no other row is left. None if that takes too much work.
    pub fn new(rows: &[SparseRow], columns: usize, threshold: f64, deferred: &[usize]) -> Option<RowElimination> {
        let one = |(i, r): (usize, &SparseRow)| RowInProgress {
            values: r.clone(),
            combination: vec![(i, 1.0)],
            largest: largest(r),
            deferred: false,
        };
        let mut rows: Vec<RowInProgress> = rows.iter().enumerate().map(one).collect();
        // Rows with an entry in each column; some may have lost it meanwhile.
        let mut touching: Vec<Vec<usize>> = vec![Vec::new(); columns];
        let mut queue = PivotQueue::default();
        let mut found = RowElimination { columns, pivots: Vec::new(), circuits: Vec::new(), least: f64::INFINITY };
        for (i, row) in rows.iter_mut().enumerate() {
            row.values.iter().for_each(|(k, _)| touching[*k].push(i));
            row.deferred = deferred.binary_search(&i).is_ok();
            found.enqueue(i, row, threshold, &mut queue);
        }
        let (mut scratch, mut work) = (SparseRow::new(), 0);
        while let Some(i) = queue.pop() {
            let values = std::mem::take(&mut rows[i].values);
            let combination = std::mem::take(&mut rows[i].combination);
            let near = values.iter().filter(|(_, x)| x.abs() >= PIVOT_THRESHOLD * rows[i].largest);
            let Some(&(column, divisor)) = near.min_by_key(|(k, _)| touching[*k].len()) else { break };
            found.least = found.least.min(rows[i].largest);
            for k in std::mem::take(&mut touching[column]) {
                let factor = entry(&rows[k].values, column) / divisor;
                if factor == 0.0 {
                    continue;
                }
                queue.remove(k, &rows[k]);
                let row = &mut rows[k];
                subtract(&mut row.values, factor, &values, Some(column), &mut scratch, |k_new| {
                    touching[k_new].push(k);
                });
                subtract(&mut row.combination, factor, &combination, None, &mut scratch, |_| {});
                row.largest = largest(&row.values);
                work += row.values.len() + row.combination.len();
                found.enqueue(k, row, threshold, &mut queue);
            }
            if work > MAX_PRODUCTS {
                return None;
            }
            found.pivots.push((column, values));
        }
        found.circuits.sort_by_key(|(row, _)| *row);
        Some(found)
    }

    /// Puts a row into the queue, or takes it out as a circuit if it has vanished.
    fn enqueue(&mut self, i: usize, row: &mut RowInProgress, threshold: f64, queue: &mut PivotQueue) {
        if row.largest > threshold {
            queue.insert(i, row);
        } else {
            self.circuits.push((i, std::mem::take(&mut row.combination)));
            row.values.clear();
        }
    }

    /// The rank.
    pub fn rank(&self) -> usize {
        self.pivots.len()
    }

    /// A basis of the null space: one vector for each column without a pivot.
    pub fn null_space(&self) -> impl Iterator<Item = Vec<f64>> + '_ {
        let mut free = vec![true; self.columns];
        self.pivots.iter().for_each(|(column, _)| free[*column] = false);
        (0..self.columns).filter(move |c| free[*c]).map(|c| {
            let mut x = vec![0.0; self.columns];
            x[c] = 1.0;
            for (column, row) in self.pivots.iter().rev() {
                let sum: f64 = row.iter().filter(|(k, _)| k != column).map(|(k, u)| u * x[*k]).sum();
                x[*column] = -sum / entry(row, *column);
            }
            x
        })
    }
}

fn entry(values: &SparseRow, column: usize) -> f64 {
    values.binary_search_by_key(&column, |(k, _)| *k).map_or(0.0, |i| values[i].1)
}

/// a ← a − factor·b, without round-off entries and without the eliminated column; calls `new` for new entries of a.
fn subtract(
    a: &mut SparseRow,
    factor: f64,
    b: &SparseRow,
    eliminated: Option<usize>,
    scratch: &mut SparseRow,
    mut new: impl FnMut(usize),
) {
    scratch.clear();
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let at = |list: &SparseRow, n: usize| list.get(n).map_or(usize::MAX, |(k, _)| *k);
        let (p, q) = (at(a, i), at(b, j));
        let k = p.min(q);
        let mut x = 0.0;
        if p == k {
            x += a[i].1;
            i += 1;
        }
        if q == k {
            x -= factor * b[j].1;
            j += 1;
        }
        if x.abs() > ROUND_OFF && Some(k) != eliminated {
            scratch.push((k, x));
            if p != k {
                new(k);
            }
        }
    }
    std::mem::swap(a, scratch);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sparse(rows: &[&[f64]]) -> Vec<SparseRow> {
        let one = |r: &&[f64]| r.iter().copied().enumerate().filter(|(_, x)| *x != 0.0).collect();
        rows.iter().map(one).collect()
    }

    #[test]
    fn circuits_and_null_space_annihilate() {
        let rows =
            sparse(&[&[1.0, 0.0, 0.0, 0.5], &[0.0, 1.0, 0.0, 0.0], &[2.0, 0.0, 0.0, 1.0], &[0.0, 1.0, 1.0, 0.0]]);
        let found = RowElimination::new(&rows, 4, 1e-9, &[]).unwrap();
        assert_eq!((found.rank(), found.circuits.len()), (3, 1));
        let (_, circuit) = &found.circuits[0];
        assert_eq!(circuit.iter().map(|(r, _)| *r).collect::<Vec<_>>(), [0, 2]);
        for x in found.null_space() {
            for r in &rows {
                assert!(r.iter().map(|(k, a)| a * x[*k]).sum::<f64>().abs() < 1e-15);
            }
        }
    }

    #[test]
    fn deferred_rows_are_the_dependent_ones() {
        let rows = sparse(&[&[0.6, 0.8], &[0.6, 0.8], &[1.0, 0.0]]);
        for deferred in 0..2 {
            let found = RowElimination::new(&rows, 2, 1e-9, &[deferred]).unwrap();
            assert_eq!(found.circuits[0].0, deferred);
        }
        assert_eq!(RowElimination::new(&sparse(&[&[0.0; 3]]), 3, 1e-9, &[]).unwrap().circuits, [(0, vec![(0, 1.0)])]);
    }
}
