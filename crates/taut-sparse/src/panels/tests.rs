use super::*;
use faer::c64;

/// Columns of a matrix, without its zeros.
struct Matrix<T> {
    starts: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<T>,
}

impl<T: Number> Matrix<T> {
    fn new(dense: &[Vec<f64>], turn: T) -> Matrix<T> {
        let mut matrix = Matrix { starts: vec![0], rows: Vec::new(), values: Vec::new() };
        for column in 0..dense.len() {
            for row in (0..dense.len()).filter(|row| dense[*row][column] != 0.0) {
                matrix.rows.push(row);
                matrix.values.push(T::from_real(dense[row][column]) * turn);
            }
            matrix.starts.push(matrix.rows.len());
        }
        matrix
    }

    fn stored(&self) -> ColumnMatrix<'_, T> {
        ColumnMatrix { starts: &self.starts, rows: &self.rows, values: &self.values }
    }

    /// The largest entry of A x − b.
    fn residual(&self, x: &[T], b: &[T]) -> f64 {
        let mut r: Vec<T> = b.to_vec();
        for column in 0..x.len() {
            for e in self.starts[column]..self.starts[column + 1] {
                r[self.rows[e]] = r[self.rows[e]] - self.values[e] * x[column];
            }
        }
        r.iter().map(|r| r.magnitude()).fold(0.0, f64::max)
    }
}

/// A chain of nodes of some width, each coupled to the next, with two constraint rows whose diagonal almost vanishes.
fn chain(nodes: usize, width: usize, stiff: f64) -> Vec<Vec<f64>> {
    let n = nodes * width + 2;
    let mut dense = vec![vec![0.0; n]; n];
    for node in 0..nodes {
        for i in 0..width {
            for j in 0..width {
                let k = if node == 1 { stiff } else { 1.0 };
                let (a, b) = (node * width + i, node * width + j);
                let coupled = k * (if i == j { 2.0 } else { 0.3 } + 0.01 * (a as f64 - 2.0 * b as f64).sin());
                dense[a][b] += coupled + if i == j { 1.0 } else { 0.0 };
                if node + 1 < nodes {
                    dense[a + width][b + width] += coupled;
                    dense[a + width][b] -= coupled * 0.9;
                    dense[a][b + width] -= coupled;
                }
            }
        }
    }
    for (row, body) in [(n - 2, 0), (n - 1, nodes * width - 1)] {
        dense[row][body] = 1.0;
        dense[body][row] = -1.0;
        dense[row][row] = f64::MIN_POSITIVE;
    }
    dense
}

fn solved_for_every_stiffness<T: Number>(turn: T, width: usize, order: impl Fn(usize) -> Vec<usize>) {
    let n = 5 * width + 2;
    let mut panels = Panels::<T>::new(order(n), 10_000);
    let b: Vec<T> = (0..n).map(|i| T::from_real(1.0 + i as f64)).collect();
    for stiff in [1.0, 1.5, 1e8, 1e-8, 1.0] {
        let matrix = Matrix::new(&chain(5, width, stiff), turn);
        panels.factor(matrix.stored()).unwrap();
        let mut x = b.clone();
        panels.solve(&mut x);
        let size = x.iter().map(|x| x.magnitude()).fold(1.0, f64::max);
        let r = matrix.residual(&x, &b);
        assert!(r < 1e-13 * size * stiff.max(1.0), "width {width}, {stiff}: {r}");
    }
}

#[test]
fn every_stiffness_is_solved_with_pivots_kept_or_found_anew() {
    for width in 1..=7 {
        // The second is the worst one for the constraints: their diagonals come first.
        solved_for_every_stiffness(1.0, width, |n| (0..n).collect());
        solved_for_every_stiffness(1.0, width, |n| (0..n).rev().collect());
        solved_for_every_stiffness(c64::new(0.6, 0.8), width, |n| (0..n).rev().collect());
    }
}

#[test]
fn steps_of_one_node_are_one_panel() {
    let matrix = Matrix::new(&chain(4, 3, 1.0), 1.0);
    let mut panels = Panels::new((0..14).collect(), 10_000);
    panels.factor(matrix.stored()).unwrap();
    // The last node goes with the constraint on it.
    assert!(panels.panels.len() <= 6, "{:?}", panels.panels);
    assert!(panels.panels.iter().any(|p| p.width == 3), "{:?}", panels.panels);
}

#[test]
fn what_was_factored_before_leaves_no_trace() {
    for order in [(0..17).collect::<Vec<usize>>(), (0..17).rev().collect(), (0..17).map(|i| i * 5 % 17).collect()] {
        let mut kept = Panels::new(order.clone(), 10_000);
        let mut searches = 0;
        for k in 0..60 {
            let stiff = 10.0_f64.powf(4.0 * (0.37 * f64::from(k)).sin());
            let matrix = Matrix::new(&chain(5, 3, stiff), 1.0);
            searches += usize::from(
                kept.panels.is_empty() || kept.refactor(&matrix.values).is_err() || !kept.pivots_still_valid(),
            );
            kept.factor(matrix.stored()).unwrap();
            let mut new = Panels::new(order.clone(), 10_000);
            new.factor(matrix.stored()).unwrap();
            let (mut x, mut y) = ([1.0; 17], [1.0; 17]);
            kept.solve(&mut x);
            new.solve(&mut y);
            assert_eq!(x.map(f64::to_bits), y.map(f64::to_bits), "{stiff}");
        }
        assert!(searches < 40, "{searches} of 60 pivots found anew");
    }
}

#[test]
fn a_pivot_that_vanishes_is_replaced_and_a_singular_matrix_refused() {
    // [a 1; 1 b]
    let (starts, rows) = ([0, 2, 4], [0, 1, 0, 1]);
    let stored = |values| ColumnMatrix { starts: &starts, rows: &rows, values };
    let mut panels = Panels::new(vec![0, 1], 10);
    panels.factor(stored(&[4.0, 1.0, 1.0, 2.0])).unwrap();
    let mut x = [5.0, 3.0];
    panels.solve(&mut x);
    assert!((x[0] - 1.0).abs() + (x[1] - 1.0).abs() < 1e-15, "{x:?}");
    panels.refactor(&[1e-9, 1.0, 1.0, 2.0]).unwrap();
    assert!(!panels.pivots_still_valid());
    panels.factor(stored(&[0.0, 1.0, 1.0, 2.0])).unwrap();
    x = [1.0, 3.0];
    panels.solve(&mut x);
    assert!((x[0] - 1.0).abs() + (x[1] - 1.0).abs() < 1e-15, "{x:?}");
    assert_eq!(panels.factor(stored(&[1.0, 1.0, 1.0, 1.0])), Err(PivotFailure::Singular));
    assert_eq!(panels.factor(stored(&[0.0, 0.0, 1.0, 1.0])), Err(PivotFailure::Singular));
}

/// A net of planar bodies pinned to their neighbours: rows that close many loops make the order useless, and blocks are used.
#[test]
fn nets_of_many_loops_are_left_to_blocks() {
    let (wide, high) = (40, 40);
    let body = |i: usize, j: usize| 3 * (i * high + j);
    let (mut entries, mut values) = (Vec::new(), Vec::new());
    for b in (0..wide * high).map(|b| 3 * b) {
        for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
            entries.push((b + i, b + j));
            values.push(if i == j { 4.0 } else { 0.1 });
        }
    }
    let mut row = 3 * wide * high;
    for (i, j) in (0..wide).flat_map(|i| (0..high).map(move |j| (i, j))) {
        let across = (i + 1 < wide).then(|| body(i + 1, j));
        let up = (j + 1 < high && (i + j) % 2 == 0).then(|| body(i, j + 1));
        for other in [across, up].into_iter().flatten() {
            for k in 0..2 {
                for (b, sign) in [(body(i, j), 1.0), (other, -1.0)] {
                    for (column, value) in [(b + k, sign), (b + 2, 0.3 * sign * (1.0 + k as f64 + (b as f64).sin()))] {
                        entries.extend([(row, column), (column, row)]);
                        values.extend([value, -value]);
                    }
                }
                entries.push((row, row));
                values.push(1e-14);
                row += 1;
            }
        }
    }
    let mut net = crate::SparseLu::<f64>::new(row, &entries).unwrap();
    net.values.copy_from_slice(&values);
    net.factor().unwrap();
    assert!(net.in_blocks(), "no order is spoilt here");
    let b: Vec<f64> = (0..row).map(|i| (i as f64).cos()).collect();
    let (mut x, mut r) = (b.clone(), b);
    net.solve(&mut x).unwrap();
    entries.iter().zip(&values).for_each(|((i, j), value)| r[*i] -= value * x[*j]);
    let size = x.iter().fold(1.0_f64, |a, x| a.max(x.abs()));
    assert!(r.iter().all(|r| r.abs() < 1e-12 * size), "{:?}", r.iter().fold(0.0_f64, |a, r| a.max(r.abs())));
}
