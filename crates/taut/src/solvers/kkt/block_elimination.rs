//! The elimination of one node by blocks, and the initial values of blocks.

use super::kernels;
use crate::model::elimination::{BlockInitialisation, BlockSource, EliminationEdge};

/// Copies a block of W, A or −E into the factor.
#[inline(always)]
pub(super) fn initialise_block(opening: &BlockInitialisation, W: &[f64], A: &[f64], shift: &[f64], values: &mut [f64]) {
    let (rows, columns, from) = (opening.rows as usize, opening.columns as usize, opening.from as usize);
    let to = &mut values[opening.to as usize..opening.to as usize + rows * columns];
    match opening.source {
        BlockSource::Mass => kernels::copy(&W[from..from + rows * columns], to),
        BlockSource::Copied => kernels::copy(&A[from..from + rows * columns], to),
        BlockSource::Transposed => kernels::transpose(rows, columns, &A[from..from + rows * columns], to),
        BlockSource::Zero => kernels::clear(to),
        BlockSource::Shift => {
            kernels::clear(to);
            let diagonal = to.iter_mut().step_by(rows + 1);
            diagonal.zip(&shift[from..from + rows]).for_each(|(x, shift)| *x = -shift);
        }
    }
}

/// One elimination: the pivot, the blocks below it, and their updates of later blocks.
pub(super) struct BlockElimination<'a> {
    pub edges: &'a [EliminationEdge],
    pub targets: &'a [u32],
    /// Start and end of the blocks below, among all values.
    pub first: usize,
    pub end: usize,
    pub sign: f64,
    pub least: &'a [f64],
}

impl BlockElimination<'_> {
    /// For a known size of the pivot.
    #[inline(always)]
    pub fn run<const N: usize, const FUSED: bool>(
        &self,
        P: &mut [f64],
        below: &mut [f64],
        behind: &mut [f64],
        d: &mut [f64],
        Y: &mut [f64],
    ) {
        let P = kernels::block_mut::<N, N>(P);
        let d = kernels::head_mut::<N>(d);
        kernels::ldl_columns::<N, FUSED>(P, d, self.sign, kernels::head(self.least));
        if let [e] = self.edges {
            // A leaf of the remaining graph: the most frequent case in a tree.
            let target = &mut behind[self.targets[0] as usize - self.end..];
            kernels::by_size!(e.size as usize, M => {
                let mut Y = [[0.0; M]; N];
                let B = kernels::block_mut::<N, M>(below);
                kernels::below_columns::<N, M, FUSED>(P, d, B, &mut Y);
                return kernels::update_columns::<N, M, M, FUSED>(B, &Y, kernels::block_mut(target));
            }, {});
        }
        let mut y = 0;
        for e in self.edges {
            let (m, at) = (e.size as usize, e.block as usize - self.first);
            let (B, Y) = (&mut below[at..at + m * N], &mut Y[y..y + m * N]);
            kernels::by_size!(m, M => {
                kernels::below_columns::<N, M, FUSED>(P, d, kernels::block_mut(B), kernels::block_mut(Y))
            }, kernels::below_any(N, m, P.as_flattened(), d, B, Y));
            y += m * N;
        }
        let mut target = 0;
        for (a, late) in self.edges.iter().enumerate() {
            let (m, at) = (late.size as usize, late.block as usize - self.first);
            let B = &below[at..at + m * N];
            let mut y = 0;
            for early in &self.edges[..=a] {
                let k = early.size as usize;
                let t = self.targets[target] as usize - self.end;
                kernels::update::<N, FUSED>(m, k, B, &Y[y..y + k * N], &mut behind[t..t + m * k]);
                y += k * N;
                target += 1;
            }
        }
    }

    /// For pivots of any size.
    pub fn run_any(
        &self,
        n: usize,
        P: &mut [f64],
        below: &mut [f64],
        behind: &mut [f64],
        d: &mut [f64],
        Y: &mut [f64],
    ) {
        kernels::ldl_any(n, P, d, self.sign, self.least);
        let mut y = 0;
        for e in self.edges {
            let (m, at) = (e.size as usize, e.block as usize - self.first);
            kernels::below_any(n, m, P, d, &mut below[at..at + m * n], &mut Y[y..y + m * n]);
            y += m * n;
        }
        let mut target = 0;
        for (a, late) in self.edges.iter().enumerate() {
            let (m, at) = (late.size as usize, late.block as usize - self.first);
            let mut y = 0;
            for early in &self.edges[..=a] {
                let k = early.size as usize;
                let t = self.targets[target] as usize - self.end;
                let (B, Y, T) = (&below[at..at + m * n], &Y[y..y + k * n], &mut behind[t..t + m * k]);
                kernels::update_any(n, m, k, B, Y, T);
                y += k * n;
                target += 1;
            }
        }
    }
}
