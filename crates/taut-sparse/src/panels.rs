//! Sparse LU factorisation in panels: consecutive elimination steps with the same pattern, such as those of one node of a beam.
//!
//! ```text
//!  [D  R]      D = L_D U_D        below B L = B U_D⁻¹        right R U = L_D⁻¹ R        C ← C − L_B U_R
//!  [B  C]
//! ```
//!
//! Pivots, pattern and the target of each product are determined once; new values then need the arithmetic alone
//! \[DavisNatarajan2010\], as long as a search would find the same pivots. The result therefore does not depend on what was
//! factored before. Mechanisms and beams have little fill-in: there the search is most of the cost.

use crate::Number;
use crate::pivots::{ColumnMatrix, DIAGONAL_PREFERENCE, Pattern, PivotFailure, Pivots};

/// Largest width of a panel: a body in space has six degrees of freedom.
const MAX_WIDTH: usize = 6;

/// Elimination steps that are done together.
#[derive(Clone, Copy, Debug)]
struct Panel {
    /// The first of them, and how many.
    first: u32,
    width: u32,
    /// Rows below it and columns beside it, in the lists of all.
    rows: [usize; 2],
    columns: [usize; 2],
    /// Position of its values: D row by row with the inverses of the pivots, L row by row, U column by column.
    at: usize,
    /// The targets of its products, row by row.
    targets: usize,
}

impl Panel {
    fn value_count(&self) -> usize {
        let [rows, columns] = [self.rows, self.columns].map(|[from, to]| to - from);
        self.width as usize * (self.width as usize + rows + columns)
    }
}

/// The factors.
#[derive(Clone, Debug)]
pub struct Panels<T> {
    /// Q: which column is eliminated in each step.
    order: Vec<usize>,
    /// Most entries of the factors.
    max_entries: usize,
    step: Vec<u32>,
    panels: Vec<Panel>,
    rows: Vec<u32>,
    columns: Vec<u32>,
    targets: Vec<u32>,
    /// Position of each entry of A.
    positions: Vec<u32>,
    /// Bound on the entries of L in each step, below which a search would find the same pivot.
    pivot_bounds: Vec<f64>,
    /// Positions of the diagonal entries that were too small to be pivots.
    rejected_diagonals: Vec<u32>,
    values: Vec<T>,
    x: Vec<T>,
}

/// Calls a function with the width of a panel as a constant.
macro_rules! with_panel_width {
    ($panel:expr, $self:ident . $call:ident ( $($argument:expr),* )) => {
        match $panel.width {
            1 => $self.$call::<1>($($argument),*),
            2 => $self.$call::<2>($($argument),*),
            3 => $self.$call::<3>($($argument),*),
            4 => $self.$call::<4>($($argument),*),
            5 => $self.$call::<5>($($argument),*),
            _ => $self.$call::<MAX_WIDTH>($($argument),*),
        }
    };
}

impl<T: Number> Panels<T> {
    /// Without factors; `max_entries` is the largest number of entries of L and U.
    pub fn new(order: Vec<usize>, room: usize) -> Panels<T> {
        let x = vec![T::from_real(0.0); order.len()];
        Panels {
            order,
            max_entries: room,
            step: Vec::new(),
            panels: Vec::new(),
            rows: Vec::new(),
            columns: Vec::new(),
            targets: Vec::new(),
            positions: Vec::new(),
            pivot_bounds: Vec::new(),
            rejected_diagonals: Vec::new(),
            values: Vec::new(),
            x,
        }
    }

    /// Factors, with the present pivots if they are still valid.
    pub fn factor(&mut self, A: ColumnMatrix<T>) -> Result<(), PivotFailure> {
        if !self.panels.is_empty() && self.refactor(A.values).is_ok() && self.pivots_still_valid() {
            return Ok(());
        }
        self.panels.clear();
        let pivots = Pivots::search(&self.order, A, self.max_entries)?;
        self.build_layout(pivots, A);
        // The pivots are new. They are not checked again: sums in another order have other round-off.
        self.refactor(A.values)
    }

    /// Groups steps into panels and determines all positions.
    fn build_layout(&mut self, Pivots { step, L, U }: Pivots, A: ColumnMatrix<T>) {
        let (n, U) = (self.order.len(), U.transposed());
        self.step = step;
        for list in [&mut self.rows, &mut self.columns, &mut self.targets] {
            list.clear();
        }
        // Which panel each step is in.
        let mut of = vec![0_u32; n];
        let mut numbers = 0;
        let mut first = 0;
        while first < n {
            let joined = |k: usize| k < n && k - first < MAX_WIDTH && shares_pattern(&L, k) && shares_pattern(&U, k);
            let end = (first + 1..).find(|k| !joined(*k)).unwrap_or(n);
            let begin = [self.rows.len(), self.columns.len()];
            self.rows.extend(L.column(end - 1));
            self.columns.extend(U.column(end - 1));
            let (rows, columns) = ([begin[0], self.rows.len()], [begin[1], self.columns.len()]);
            of[first..end].fill(self.panels.len() as u32);
            let (from, width) = (first as u32, (end - first) as u32);
            self.panels.push(Panel { first: from, width, rows, columns, at: numbers, targets: 0 });
            numbers += self.panels[self.panels.len() - 1].value_count();
            first = end;
        }
        for p in 0..self.panels.len() {
            self.panels[p].targets = self.targets.len();
            let Panel { rows: [r0, r1], columns: [c0, c1], .. } = self.panels[p];
            for r in r0..r1 {
                for c in c0..c1 {
                    let target = self.position_of(&of, self.rows[r], self.columns[c]);
                    self.targets.push(target);
                }
            }
        }
        let mut places = vec![0; A.rows.len()];
        for (k, &column) in self.order.iter().enumerate() {
            for e in A.starts[column]..A.starts[column + 1] {
                places[e] = self.position_of(&of, self.step[A.rows[e]], k as u32);
            }
        }
        self.positions = places;
        self.values = vec![T::from_real(0.0); numbers];
        self.pivot_bounds.clear();
        self.rejected_diagonals.clear();
        for (k, &column) in self.order.iter().enumerate() {
            let own = self.step[column];
            self.pivot_bounds.push(if own as usize == k { 1.0 / DIAGONAL_PREFERENCE } else { 1.0 });
            if L.column(k).binary_search(&own).is_ok() {
                self.rejected_diagonals.push(self.position_of(&of, own, k as u32));
            }
        }
    }

    /// Whether a search would find the pivots of the present factors.
    fn pivots_still_valid(&self) -> bool {
        self.rejected_diagonals.iter().all(|place| self.values[*place as usize].magnitude() < DIAGONAL_PREFERENCE)
            && self.panels.iter().all(|panel| with_panel_width!(panel, self.within_bounds(panel)))
    }

    fn within_bounds<const W: usize>(&self, panel: &Panel) -> bool {
        let rows = panel.rows[1] - panel.rows[0];
        let numbers = self.values[panel.at..panel.at + W * (W + rows)].as_chunks::<W>().0;
        let most = &self.pivot_bounds[panel.first as usize..];
        let within = (0..W).all(|i| (0..i).all(|j| numbers[i][j].magnitude() <= most[j]));
        within && numbers[W..].iter().all(|l| (0..W).all(|j| l[j].magnitude() <= most[j]))
    }

    /// Position of the entry of two steps.
    fn position_of(&self, of: &[u32], row: u32, column: u32) -> u32 {
        let panel = &self.panels[of[row as usize].min(of[column as usize]) as usize];
        let (w, end) = (panel.width as usize, panel.first + panel.width);
        let [rows, columns] =
            [(&self.rows, panel.rows), (&self.columns, panel.columns)].map(|(list, [a, b])| &list[a..b]);
        // The pattern is closed under elimination: it contains every entry requested.
        let rank = |list: &[u32], step: u32| list.partition_point(|other| *other < step);
        let within = match (row < end, column < end) {
            (true, true) => (row - panel.first) as usize * w + (column - panel.first) as usize,
            (false, _) => w * (w + rank(rows, row)) + (column - panel.first) as usize,
            (true, false) => w * (w + rows.len() + rank(columns, column)) + (row - panel.first) as usize,
        };
        (panel.at + within) as u32
    }

    /// The arithmetic alone; fails at a pivot that is zero or not finite.
    fn refactor(&mut self, values: &[T]) -> Result<(), PivotFailure> {
        self.values.fill(T::from_real(0.0));
        for (place, value) in self.positions.iter().zip(values) {
            self.values[*place as usize] = *value;
        }
        for p in 0..self.panels.len() {
            let panel = self.panels[p];
            with_panel_width!(panel, self.eliminate(&panel))?;
        }
        Ok(())
    }

    fn eliminate<const W: usize>(&mut self, panel: &Panel) -> Result<(), PivotFailure> {
        let (own, later) = self.values[panel.at..].split_at_mut(panel.value_count());
        let rows = panel.rows[1] - panel.rows[0];
        let (D, rest) = own.split_at_mut(W * W);
        let (below, right) = rest.split_at_mut(W * rows);
        let [D, below, right] = [D, below, right].map(|x| x.as_chunks_mut::<W>().0);
        for p in 0..W {
            let size = D[p][p].magnitude();
            if !(size > 0.0 && size.is_finite()) {
                return Err(PivotFailure::Singular);
            }
            D[p][p] = T::from_real(1.0) / D[p][p];
            for i in p + 1..W {
                let l = D[i][p] * D[p][p];
                D[i][p] = l;
                for j in p + 1..W {
                    D[i][j] = D[i][j] - l * D[p][j];
                }
            }
        }
        for l in below.iter_mut() {
            for p in 0..W {
                for j in 0..p {
                    l[p] = l[p] - l[j] * D[j][p];
                }
                l[p] = l[p] * D[p][p];
            }
        }
        for u in right.iter_mut() {
            for p in 1..W {
                for j in 0..p {
                    u[p] = u[p] - D[p][j] * u[j];
                }
            }
        }
        let targets = &self.targets[panel.targets..panel.targets + rows * right.len()];
        let behind = panel.at + panel.value_count();
        for (l, targets) in below.iter().zip(targets.chunks_exact(right.len().max(1))) {
            for (u, target) in right.iter().zip(targets) {
                let target = &mut later[*target as usize - behind];
                *target = *target - dot(l, u);
            }
        }
        Ok(())
    }

    /// Solves in place.
    pub fn solve(&mut self, b: &mut [T]) {
        for (step, b) in self.step.iter().zip(b.iter()) {
            self.x[*step as usize] = *b;
        }
        for p in 0..self.panels.len() {
            let panel = self.panels[p];
            with_panel_width!(panel, self.forward(&panel));
        }
        for p in (0..self.panels.len()).rev() {
            let panel = self.panels[p];
            with_panel_width!(panel, self.backward(&panel));
        }
        for (column, x) in self.order.iter().zip(&self.x) {
            b[*column] = *x;
        }
    }

    fn forward<const W: usize>(&mut self, panel: &Panel) {
        let [from, to] = panel.rows;
        let numbers = &self.values[panel.at..panel.at + W * (W + to - from)];
        let (D, below) = numbers.as_chunks::<W>().0.split_at(W);
        let x = &mut self.x[..];
        let first = panel.first as usize;
        let mut y: [T; W] = std::array::from_fn(|p| x[first + p]);
        for p in 1..W {
            for j in 0..p {
                y[p] = y[p] - D[p][j] * y[j];
            }
        }
        x[first..first + W].copy_from_slice(&y);
        for (row, l) in self.rows[from..to].iter().zip(below) {
            let x = &mut x[*row as usize];
            *x = *x - dot(l, &y);
        }
    }

    fn backward<const W: usize>(&mut self, panel: &Panel) {
        let [from, to] = panel.columns;
        let numbers = self.values[panel.at..panel.at + panel.value_count()].as_chunks::<W>().0;
        let (D, right) = (&numbers[..W], &numbers[numbers.len() - (to - from)..]);
        let first = panel.first as usize;
        let mut y: [T; W] = std::array::from_fn(|p| self.x[first + p]);
        for (column, u) in self.columns[from..to].iter().zip(right) {
            let x = self.x[*column as usize];
            (0..W).for_each(|p| y[p] = y[p] - u[p] * x);
        }
        for p in (0..W).rev() {
            for j in p + 1..W {
                y[p] = y[p] - D[p][j] * y[j];
            }
            y[p] = y[p] * D[p][p];
        }
        self.x[first..first + W].copy_from_slice(&y);
    }
}

/// Whether a step has the pattern of the previous one, except for its own entry.
fn shares_pattern(pattern: &Pattern, k: usize) -> bool {
    pattern.column(k - 1).split_first().is_some_and(|(first, rest)| *first == k as u32 && rest == pattern.column(k))
}

fn dot<T: Number, const W: usize>(a: &[T; W], b: &[T; W]) -> T {
    let mut sum = a[0] * b[0];
    for p in 1..W {
        sum += a[p] * b[p];
    }
    sum
}

#[cfg(test)]
mod tests;
