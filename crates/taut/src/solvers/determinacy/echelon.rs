//! The reduced row echelon form of the self-stresses of a group, in terms of components of reactions.

use crate::mathematics::union_find::UnionFind;
use nalgebra::DMatrix;

/// Entries below this are round-off, for columns of largest entry one.
const ROUND_OFF: f64 = 1e-9;

/// A basis of self-stresses in which each has one component, its pivot, to itself with value 1.
#[derive(Clone, Debug)]
pub(crate) struct Echelon {
    /// Pivot of each row.
    pub pivots: Vec<usize>,
    /// Self-stresses, row by row; columns are components.
    pub rows: DMatrix<f64>,
}

impl Echelon {
    /// From self-stresses as rows; columns that vanish must be exactly zero. Components are pivots in their order.
    pub fn new(mut rows: DMatrix<f64>) -> Echelon {
        let columns = rows.ncols();
        // Columns are scaled, so that newtons and newton metres count alike.
        let size: Vec<f64> = (0..columns).map(|j| rows.column(j).amax()).collect();
        for j in (0..columns).filter(|j| size[*j] > 0.0) {
            rows.column_mut(j).scale_mut(1.0 / size[j]);
        }
        let mut pivots = Vec::new();
        for j in 0..columns {
            let first = pivots.len();
            if first == rows.nrows() {
                break;
            }
            let (offset, largest) = rows
                .column(j)
                .rows_range(first..)
                .iter()
                .enumerate()
                .fold((0, 0.0_f64), |best, (i, x)| if x.abs() > best.1 { (i, x.abs()) } else { best });
            if largest <= ROUND_OFF {
                rows.column_mut(j).rows_range_mut(first..).fill(0.0);
                continue;
            }
            rows.swap_rows(first, first + offset);
            let divisor = rows[(first, j)];
            rows.row_mut(first).scale_mut(1.0 / divisor);
            let pivot_row = rows.row(first).clone_owned();
            for i in (0..rows.nrows()).filter(|i| *i != first) {
                let factor = rows[(i, j)];
                if factor != 0.0 {
                    rows.row_mut(i).iter_mut().zip(pivot_row.iter()).for_each(|(x, p)| *x -= factor * p);
                    rows[(i, j)] = 0.0;
                }
            }
            pivots.push(j);
        }
        let mut rows = rows.rows(0, pivots.len()).into_owned();
        for (i, p) in pivots.iter().enumerate() {
            for j in 0..columns {
                let x = rows[(i, j)];
                rows[(i, j)] = if x.abs() <= ROUND_OFF { 0.0 } else { x * size[j] / size[*p] };
            }
        }
        Echelon { pivots, rows }
    }

    /// Sets of components that trade load, in the order of their first components; unique components are in none. The sets do not
    /// depend on the choice of pivots.
    pub fn sets(&self) -> Vec<Vec<usize>> {
        let columns = self.rows.ncols();
        let mut joined = UnionFind::new(columns);
        for (i, p) in self.pivots.iter().enumerate() {
            (0..columns).filter(|j| self.rows[(i, *j)] != 0.0).for_each(|j| joined.unite(*p, j));
        }
        let mut sets: Vec<(usize, Vec<usize>)> = Vec::new();
        for j in (0..columns).filter(|j| self.rows.column(*j).iter().any(|x| *x != 0.0)) {
            let root = joined.root(j);
            match sets.iter_mut().find(|(r, _)| *r == root) {
                Some((_, set)) => set.push(j),
                None => sets.push((root, vec![j])),
            }
        }
        sets.into_iter().map(|(_, set)| set).collect()
    }

    /// Combinations of the components of a set that no self-stress changes: one for each component that is not a pivot.
    pub fn unique_combinations(&self, set: &[usize]) -> Vec<Vec<(usize, f64)>> {
        let one = |j: &usize| {
            let balance = |(i, p): (usize, &usize)| (*p, -self.rows[(i, *j)]);
            let mut terms: Vec<(usize, f64)> =
                self.pivots.iter().enumerate().map(balance).filter(|(_, c)| *c != 0.0).collect();
            terms.push((*j, 1.0));
            terms.sort_by_key(|(k, _)| *k);
            terms
        };
        set.iter().filter(|j| !self.pivots.contains(j)).map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A door on two hinges: forces trade among forces of the same axis, with moments about the other.
    #[test]
    fn sets_and_combinations_of_a_door() {
        // low.fx, low.fz, low.my, high.fx, high.fz, high.my; hinges 1.5 m apart
        let stresses =
            [[1.0, 0.0, 0.0, -1.0, 0.0, 1.5], [2.0, 1.0, 0.0, -2.0, -1.0, 3.0], [0.0, 0.0, 4.0, 0.0, 0.0, -4.0]];
        let rows = DMatrix::from_fn(3, 6, |i, j| stresses[i][j]);
        let form = Echelon::new(rows);
        assert_eq!(form.pivots, [0, 1, 2]);
        assert_eq!(form.sets(), [vec![0, 2, 3, 5], vec![1, 4]]);
        assert_eq!(form.unique_combinations(&[1, 4]), [[(1, 1.0), (4, 1.0)]]);
        let combinations = form.unique_combinations(&[0, 2, 3, 5]);
        assert_eq!(combinations, [vec![(0, 1.0), (3, 1.0)], vec![(0, -1.5), (2, 1.0), (5, 1.0)]]);
    }
}
