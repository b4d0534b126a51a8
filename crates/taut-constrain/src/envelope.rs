//! Cholesky factor of a sparse symmetric matrix within its envelope, in the order of reverse Cuthill–McKee.
//!
//! ```text
//!  P S Pᵀ = L Lᵀ        row i of L is stored from its first nonzero entry to the diagonal
//! ```
//!
//! A chain of any length has an envelope of constant width; the cost is then linear in its length.

use crate::kernels::{axpy, dot};

/// Storage and factor of one matrix.
#[derive(Clone, Debug)]
pub(crate) struct Envelope {
    /// Old number of each new row, and the reverse.
    order: Vec<usize>,
    position: Vec<usize>,
    /// First stored column of each row, and where the row begins.
    first: Vec<usize>,
    start: Vec<usize>,
    values: Vec<f64>,
    scratch: Vec<f64>,
}

impl Envelope {
    /// For a symmetric pattern: the neighbours of each row (both triangles, the diagonal need not be listed).
    pub fn new(neighbours: &[Vec<usize>]) -> Envelope {
        let n = neighbours.len();
        let order = reverse_cuthill_mckee(neighbours);
        let mut position = vec![0; n];
        order.iter().enumerate().for_each(|(new, old)| position[*old] = new);
        let mut first: Vec<usize> = (0..n).collect();
        for (old, list) in neighbours.iter().enumerate() {
            let i = position[old];
            list.iter().for_each(|j| first[i] = first[i].min(position[*j]));
        }
        let mut start = vec![0; n + 1];
        (0..n).for_each(|i| start[i + 1] = start[i] + i + 1 - first[i]);
        let values = vec![0.0; start[n]];
        Envelope { order, position, first, start, values, scratch: vec![0.0; n] }
    }

    /// For a full matrix.
    pub fn full(n: usize) -> Envelope {
        let start: Vec<usize> = (0..=n).map(|i| i * (i + 1) / 2).collect();
        let values = vec![0.0; start[n]];
        let order: Vec<usize> = (0..n).collect();
        Envelope { position: order.clone(), order, first: vec![0; n], start, values, scratch: vec![0.0; n] }
    }

    /// Sets all entries to zero.
    pub fn clear(&mut self) {
        self.values.fill(0.0);
    }

    fn at(&self, i: usize, j: usize) -> Option<usize> {
        let (i, j) = (self.position[i], self.position[j]);
        (j <= i && j >= self.first[i]).then(|| self.start[i] + j - self.first[i])
    }

    /// S_ij += x, if i follows j in the order of the factor; the other triangle is ignored.
    pub fn add(&mut self, i: usize, j: usize, x: f64) {
        if let Some(at) = self.at(i, j) {
            self.values[at] += x;
        }
    }

    /// S_ij, one triangle only.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        self.at(i, j).or_else(|| self.at(j, i)).map_or(0.0, |at| self.values[at])
    }

    /// S ← D S D.
    pub fn scale(&mut self, d: &[f64]) {
        for i in 0..self.order.len() {
            let (begin, end, first) = (self.start[i], self.start[i + 1], self.first[i]);
            let di = d[self.order[i]];
            for (k, x) in self.values[begin..end].iter_mut().enumerate() {
                *x *= di * d[self.order[first + k]];
            }
        }
    }

    /// L replaces S. Fails with the row whose pivot falls below `least` times its diagonal entry.
    pub fn factor(&mut self, least: f64) -> Result<(), usize> {
        for i in 0..self.order.len() {
            let (head, tail) = self.values.split_at_mut(self.start[i]);
            let row = &mut tail[..i + 1 - self.first[i]];
            let fi = self.first[i];
            for j in fi..i {
                let fj = self.first[j];
                let from = fi.max(fj);
                let other = &head[self.start[j]..self.start[j + 1]];
                let sum = dot(&row[from - fi..j - fi], &other[from - fj..j - fj]);
                row[j - fi] = (row[j - fi] - sum) / other[j - fj];
            }
            let (before, diagonal) = row.split_at_mut(i - fi);
            let pivot = diagonal[0] - dot(before, before);
            if !(pivot > least * diagonal[0] && pivot > 0.0 && pivot.is_finite()) {
                return Err(self.order[i]);
            }
            diagonal[0] = pivot.sqrt();
        }
        Ok(())
    }

    /// x ← L⁻¹ P x, in the order of the factor.
    pub fn solve_lower(&mut self, x: &mut [f64]) {
        self.order.iter().zip(self.scratch.iter_mut()).for_each(|(old, s)| *s = x[*old]);
        for i in 0..self.order.len() {
            let row = &self.values[self.start[i]..self.start[i + 1]];
            let (done, rest) = self.scratch.split_at_mut(i);
            let last = row.len() - 1;
            rest[0] = (rest[0] - dot(&row[..last], &done[self.first[i]..])) / row[last];
        }
        x.copy_from_slice(&self.scratch);
    }

    /// x ← S⁻¹ x.
    pub fn solve(&mut self, x: &mut [f64]) {
        self.solve_lower(x);
        for i in (0..self.order.len()).rev() {
            let row = &self.values[self.start[i]..self.start[i + 1]];
            let (done, rest) = x.split_at_mut(i);
            let last = row.len() - 1;
            rest[0] /= row[last];
            axpy(-rest[0], &row[..last], &mut done[self.first[i]..]);
        }
        self.scratch.copy_from_slice(x);
        self.order.iter().zip(&self.scratch).for_each(|(old, s)| x[*old] = *s);
    }
}

/// An order in which neighbours are close together.
fn reverse_cuthill_mckee(neighbours: &[Vec<usize>]) -> Vec<usize> {
    let n = neighbours.len();
    let degree = |i: usize| neighbours[i].len();
    let mut placed = vec![false; n];
    let mut order = Vec::with_capacity(n);
    let mut seeds: Vec<usize> = (0..n).collect();
    seeds.sort_by_key(|i| degree(*i));
    for seed in seeds {
        if placed[seed] {
            continue;
        }
        // A search from the seed ends at a node far away, the better start.
        let mut seen = vec![seed];
        placed[seed] = true;
        let mut at = 0;
        while at < seen.len() {
            for j in &neighbours[seen[at]] {
                if !std::mem::replace(&mut placed[*j], true) {
                    seen.push(*j);
                }
            }
            at += 1;
        }
        seen.iter().for_each(|i| placed[*i] = false);
        let mut at = order.len();
        let start = seen.last().copied().unwrap_or(seed);
        placed[start] = true;
        order.push(start);
        while at < order.len() {
            let mut next: Vec<usize> = neighbours[order[at]].iter().copied().filter(|j| !placed[*j]).collect();
            next.sort_by_key(|j| degree(*j));
            for j in next {
                if !std::mem::replace(&mut placed[j], true) {
                    order.push(j);
                }
            }
            at += 1;
        }
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    #[test]
    fn solves_a_shuffled_chain_within_a_narrow_envelope() {
        let n = 40;
        let shuffled = |k: usize| (k * 17) % n;
        let mut neighbours = vec![Vec::new(); n];
        let mut S = DMatrix::identity(n, n) * 3.0;
        for k in 0..n - 1 {
            let (i, j) = (shuffled(k), shuffled(k + 1));
            neighbours[i].push(j);
            neighbours[j].push(i);
            (S[(i, j)], S[(j, i)]) = (-1.0, -1.0);
        }
        for mut factor in [Envelope::new(&neighbours), Envelope::full(n)] {
            factor.clear();
            (0..n).for_each(|i| (0..n).for_each(|j| factor.add(i, j, S[(i, j)])));
            assert_eq!(factor.get(shuffled(3), shuffled(4)), -1.0);
            let d: Vec<f64> = (0..n).map(|i| 1.0 + 0.1 * i as f64).collect();
            factor.scale(&d);
            factor.factor(1e-12).unwrap();
            let x = DVector::from_fn(n, |i, _| (i as f64).sin());
            let D = DMatrix::from_diagonal(&DVector::from_column_slice(&d));
            let mut y = &D * &S * &D * &x;
            factor.solve(y.as_mut_slice());
            assert!((y - x).norm() < 1e-13);
        }
        assert!(Envelope::new(&neighbours).values.len() <= 3 * n);
    }

    #[test]
    fn a_dependent_row_is_named() {
        let mut factor = Envelope::full(2);
        (0..2).for_each(|i| (0..2).for_each(|j| factor.add(i, j, 1.0)));
        assert_eq!(factor.factor(1e-10), Err(1));
    }
}
