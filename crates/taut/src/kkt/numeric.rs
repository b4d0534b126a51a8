//! Numbers of the factorisation: refactored in place, no allocation.

use super::kernels;
use super::symbolic::{Kind, Symbolic, Turned};
use std::sync::Arc;

/// What keeps the pivots of dependent rows away from zero; both are relative to each row's scale diag(A W⁻¹ Aᵀ).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Regularisation {
    /// Add nothing; only bound a pivot from below. Exact where rows are independent (trees).
    Clamp(f64),
    /// Put ε on the diagonal; proximal refinement then takes ε → 0, the limit that defines the pseudo-inverse
    /// ([FumagalliMasarati2009] eq. (39)).
    Shift(f64),
}

/// The factor of [W Aᵀ; A −E] for one set of values.
#[derive(Clone, Debug)]
pub struct Kkt {
    pattern: Arc<Symbolic>,
    values: Vec<f64>,
    /// 1/D, laid out like (v, μ).
    inverse: Vec<f64>,
    /// Smallest |pivot| allowed, laid out like (v, μ).
    least: Vec<f64>,
    /// ε of each row.
    shift: Vec<f64>,
    Y: Vec<f64>,
    /// 1/scale of each row, laid out like (v, μ).
    scale: Vec<f64>,
    softest: f64,
    pivots: Pivots,
}

/// What the pivots of the rows say about the rank; relative to each row's scale.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pivots {
    /// The smallest pivot that is not as small as the regularisation itself.
    pub smallest: f64,
    /// How many are: rows that depend on others.
    pub dependent: usize,
}

impl Kkt {
    /// Room for the factor.
    pub fn new(pattern: Arc<Symbolic>) -> Kkt {
        let n = pattern.velocities + pattern.rows;
        Kkt {
            values: vec![0.0; pattern.values],
            inverse: vec![0.0; n],
            least: vec![0.0; n],
            shift: vec![0.0; pattern.rows],
            Y: vec![0.0; pattern.widest],
            scale: vec![1.0; n],
            softest: f64::INFINITY,
            pivots: Pivots::default(),
            pattern,
        }
    }

    /// Sets the regularisation from the scale of each row.
    pub fn regularise(&mut self, how: Regularisation, scale: &[f64]) {
        let first = self.pattern.velocities;
        let (Regularisation::Clamp(e) | Regularisation::Shift(e)) = how;
        self.softest = 0.125 / e;
        for (r, s) in scale.iter().enumerate() {
            self.scale[first + r] = *s;
            (self.least[first + r], self.shift[r]) = match how {
                Regularisation::Clamp(e) => (e * s, 0.0),
                // A shifted pivot is never smaller than its shift except by round-off.
                Regularisation::Shift(e) => (0.5 * e * s, e * s),
            };
        }
    }

    /// Factors anew for the blocks W (one after the other) and A (as the model lays them out).
    pub fn factor(&mut self, W: &[f64], A: &[f64]) {
        let p = &*self.pattern;
        let values = &mut self.values[..];
        for &(start, count) in &p.zeros {
            values[start as usize..(start + count) as usize].fill(0.0);
        }
        for &(from, to, count) in &p.masses {
            let (from, to, count) = (from as usize, to as usize, count as usize);
            values[to..to + count].copy_from_slice(&W[from..from + count]);
        }
        for e in &p.entries {
            let (rows, columns) = (e.rows as usize, e.columns as usize);
            let from = &A[e.from as usize..e.from as usize + rows * columns];
            let to = &mut values[e.to as usize..e.to as usize + rows * columns];
            match e.turned {
                Turned::Copied => to.copy_from_slice(from),
                Turned::Transposed => {
                    for (r, row) in from.chunks_exact(columns).enumerate() {
                        row.iter().enumerate().for_each(|(c, a)| to[c * rows + r] = *a);
                    }
                }
            }
        }
        for (at, shift) in p.diagonal.iter().zip(&self.shift) {
            values[*at as usize] = -shift;
        }
        let (mut softest, mut dependent) = (0.0_f64, 0);
        for node in &p.nodes {
            let (n, x) = (node.size as usize, node.x as usize);
            let sign = if node.kind == Kind::Body { 1.0 } else { -1.0 };
            // Everything this elimination reads lies from its pivot on; what it updates lies behind.
            let edges = &p.edges[node.edges.0 as usize..node.edges.1 as usize];
            let start = node.pivot as usize;
            let end = edges.last().map_or(start + n * n, |e| e.block as usize + e.size as usize * n);
            let (front, behind) = values.split_at_mut(end);
            let (pivot, below) = front[start..].split_at_mut(n * n);
            let inverse = &mut self.inverse[x..x + n];
            kernels::ldl(n, pivot, inverse, sign, &self.least[x..x + n]);
            if node.kind == Kind::Constraint {
                for (inverse, scale) in inverse.iter().zip(&self.scale[x..x + n]) {
                    let softness = -inverse * scale;
                    if softness < self.softest {
                        softest = softest.max(softness);
                    } else {
                        dependent += 1;
                    }
                }
            }
            let mut y = 0;
            for e in edges {
                let m = e.size as usize;
                let at = e.block as usize - start - n * n;
                let B = &mut below[at..at + m * n];
                kernels::below(n, m, pivot, inverse, B, &mut self.Y[y..y + m * n]);
                y += m * n;
            }
            let mut target = node.updates as usize;
            for (a, late) in edges.iter().enumerate() {
                let m = late.size as usize;
                let at = late.block as usize - start - n * n;
                let B = &below[at..at + m * n];
                let mut y = 0;
                for early in &edges[..=a] {
                    let k = early.size as usize;
                    let t = p.updates[target] as usize - end;
                    kernels::update(n, m, k, B, &self.Y[y..y + k * n], &mut behind[t..t + m * k]);
                    y += k * n;
                    target += 1;
                }
            }
        }
        self.pivots = Pivots { smallest: 1.0 / softest, dependent };
    }

    /// Solves for x = (v, μ) in place.
    pub fn solve(&self, x: &mut [f64]) {
        let p = &*self.pattern;
        let mut z = [0.0; 64];
        let mut long = Vec::new();
        for node in &p.nodes {
            let (n, at) = (node.size as usize, node.x as usize);
            kernels::forward(n, &self.values[node.pivot as usize..], &mut x[at..at + n]);
            let edges = &p.edges[node.edges.0 as usize..node.edges.1 as usize];
            let z = stack_copy(&mut z, &mut long, &x[at..at + n]);
            for e in edges {
                let (m, block) = (e.size as usize, e.block as usize);
                kernels::push(n, m, &self.values[block..block + m * n], z, &mut x[e.x as usize..e.x as usize + m]);
            }
        }
        for node in p.nodes.iter().rev() {
            let (n, at) = (node.size as usize, node.x as usize);
            for i in at..at + n {
                x[i] *= self.inverse[i];
            }
            let edges = &p.edges[node.edges.0 as usize..node.edges.1 as usize];
            let z = stack_copy(&mut z, &mut long, &x[at..at + n]);
            for e in edges {
                let (m, block) = (e.size as usize, e.block as usize);
                kernels::pull(n, m, &self.values[block..block + m * n], &x[e.x as usize..e.x as usize + m], z);
            }
            kernels::backward(n, &self.values[node.pivot as usize..], z);
            x[at..at + n].copy_from_slice(z);
        }
    }

    /// What the pivots of the last factorisation say about the rank.
    pub fn pivots(&self) -> Pivots {
        self.pivots
    }
}

/// A copy of a node's part of x: on the stack but for very large bodies.
#[inline(always)]
fn stack_copy<'a>(short: &'a mut [f64; 64], long: &'a mut Vec<f64>, x: &[f64]) -> &'a mut [f64] {
    if x.len() <= short.len() {
        short[..x.len()].copy_from_slice(x);
        &mut short[..x.len()]
    } else {
        long.clear();
        long.extend_from_slice(x);
        long
    }
}
