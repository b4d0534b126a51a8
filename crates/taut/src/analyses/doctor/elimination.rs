//! Gaussian elimination of sparse rows, with the combinations it makes of them.
//!
//! ```text
//!  T B = U          rows of U that vanish are combinations yᵀ B = 0; of what is left, U x = 0 gives the null space
//! ```
//!
//! A row that vanishes was combined with pivot rows only. Its combination is unique, so the rows in it are a *minimal*
//! dependent set: a circuit of the rows' matroid, fundamental to the basis of pivot rows.

/// Entries smaller than this are rounding, where rows begin with length one.
const DUST: f64 = 1e-15;
/// A pivot may be this much smaller than the largest, if its row is shorter.
const CHOICE: f64 = 0.3;

/// A sparse vector: index and value, by index.
pub(in crate::analyses) type Sparse = Vec<(usize, f64)>;

/// What elimination leaves.
#[derive(Debug)]
pub(in crate::analyses) struct Elimination {
    columns: usize,
    /// Pivots in order: column, and the row of U with it.
    pivots: Vec<(usize, Sparse)>,
    /// Rows that vanished, and the combination that made each vanish, its own factor being 1.
    pub circuits: Vec<(usize, Sparse)>,
}

/// One row on its way.
struct Row {
    index: usize,
    values: Sparse,
    combination: Sparse,
    /// Largest entry: size and column.
    largest: (f64, usize),
}

impl Row {
    fn new(index: usize, values: Sparse) -> Row {
        let largest = largest(&values);
        Row { index, values, combination: vec![(index, 1.0)], largest }
    }
}

fn largest(values: &Sparse) -> (f64, usize) {
    values.iter().fold((0.0, 0), |best, (k, x)| if x.abs() > best.0 { (x.abs(), *k) } else { best })
}

impl Elimination {
    /// Eliminates rows of unit length (or zero); what is then below `threshold` vanishes. Rows in `deferred` become
    /// pivots only when no other row is left.
    pub fn new(rows: &[Sparse], columns: usize, threshold: f64, deferred: &[usize]) -> Elimination {
        let mut left: Vec<Row> = rows.iter().enumerate().map(|(i, r)| Row::new(i, r.clone())).collect();
        let mut found = Elimination { columns, pivots: Vec::new(), circuits: Vec::new() };
        let mut scratch = Sparse::new();
        loop {
            let (vanished, others): (Vec<Row>, Vec<Row>) = left.into_iter().partition(|r| r.largest.0 <= threshold);
            found.circuits.extend(vanished.into_iter().map(|r| (r.index, r.combination)));
            left = others;
            let Some(k) = choose(&left, deferred) else { break };
            let pivot = left.swap_remove(k);
            let column = pivot.largest.1;
            let divisor = entry(&pivot.values, column);
            for row in &mut left {
                let factor = entry(&row.values, column) / divisor;
                if factor != 0.0 {
                    subtract(&mut row.values, factor, &pivot.values, Some(column), &mut scratch);
                    subtract(&mut row.combination, factor, &pivot.combination, None, &mut scratch);
                    row.largest = largest(&row.values);
                }
            }
            found.pivots.push((column, pivot.values));
        }
        found.circuits.sort_by_key(|(row, _)| *row);
        found
    }

    /// The rank.
    pub fn rank(&self) -> usize {
        self.pivots.len()
    }

    /// A basis of the null space: one vector for each column without a pivot.
    pub fn null_space(&self) -> Vec<Vec<f64>> {
        let mut free = vec![true; self.columns];
        self.pivots.iter().for_each(|(column, _)| free[*column] = false);
        let basis = (0..self.columns).filter(|c| free[*c]).map(|c| {
            let mut x = vec![0.0; self.columns];
            x[c] = 1.0;
            for (column, row) in self.pivots.iter().rev() {
                let sum: f64 = row.iter().filter(|(k, _)| k != column).map(|(k, u)| u * x[*k]).sum();
                x[*column] = -sum / entry(row, *column);
            }
            x
        });
        basis.collect()
    }
}

/// The shortest row whose largest entry is near the largest of all; of those not deferred, if there are any.
fn choose(left: &[Row], deferred: &[usize]) -> Option<usize> {
    let waits = |r: &Row| deferred.binary_search(&r.index).is_ok();
    let all_wait = left.iter().all(waits);
    let ready = || left.iter().enumerate().filter(|(_, r)| all_wait || !waits(r));
    let most = ready().fold(0.0_f64, |a, (_, r)| a.max(r.largest.0));
    let near = ready().filter(|(_, r)| r.largest.0 >= CHOICE * most);
    near.min_by_key(|(_, r)| (r.values.len(), r.index)).map(|(k, _)| k)
}

fn entry(values: &Sparse, column: usize) -> f64 {
    values.binary_search_by_key(&column, |(k, _)| *k).map_or(0.0, |i| values[i].1)
}

/// a ← a − factor·b, without rounding dust and without the column that is eliminated.
fn subtract(a: &mut Sparse, factor: f64, b: &Sparse, eliminated: Option<usize>, scratch: &mut Sparse) {
    scratch.clear();
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let at = |list: &Sparse, n: usize| list.get(n).map_or(usize::MAX, |(k, _)| *k);
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
        if x.abs() > DUST && Some(k) != eliminated {
            scratch.push((k, x));
        }
    }
    std::mem::swap(a, scratch);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sparse(rows: &[&[f64]]) -> Vec<Sparse> {
        let one = |r: &&[f64]| r.iter().copied().enumerate().filter(|(_, x)| *x != 0.0).collect();
        rows.iter().map(one).collect()
    }

    #[test]
    fn circuits_and_null_space_annihilate() {
        let rows =
            sparse(&[&[1.0, 0.0, 0.0, 0.5], &[0.0, 1.0, 0.0, 0.0], &[2.0, 0.0, 0.0, 1.0], &[0.0, 1.0, 1.0, 0.0]]);
        let found = Elimination::new(&rows, 4, 1e-9, &[]);
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
            let found = Elimination::new(&rows, 2, 1e-9, &[deferred]);
            assert_eq!(found.circuits[0].0, deferred);
        }
        assert_eq!(Elimination::new(&sparse(&[&[0.0; 3]]), 3, 1e-9, &[]).circuits, [(0, vec![(0, 1.0)])]);
    }
}
