//! Numerical factorisation: refactorised in place, without allocation.

use super::kernels;
use crate::model::elimination::{
    BlockInitialisation, BlockSource, EliminationEdge, EliminationNode, NodeKind, SymbolicFactor,
};
use std::sync::Arc;

/// How the pivots of dependent rows are kept away from zero; both values are relative to the scale diag(A W⁻¹ Aᵀ) of
/// each row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Regularisation {
    /// Adds nothing and only bounds a pivot from below. Exact where rows are independent (trees).
    Clamp(f64),
    /// Adds ε to the diagonal; proximal refinement then takes ε → 0, the limit that defines the pseudo-inverse
    /// (\[FumagalliMasarati2009\] eq. (39)).
    Shift(f64),
}

/// The factor of [W Aᵀ; A −E] for one set of values.
#[derive(Clone, Debug)]
pub struct KktFactor {
    pattern: Arc<SymbolicFactor>,
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
    inverse_pivot_limit: f64,
    pivots: Pivots,
    arithmetic: Arithmetic,
}

/// The instruction set of the processor. Fused products round once, so results agree to the bit only between machines
/// of the same kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arithmetic {
    /// Four numbers at a time, fused products.
    #[cfg(target_arch = "x86_64")]
    Avx2Fma,
    /// The baseline of the processor family.
    Plain,
}

impl Arithmetic {
    fn available() -> Arithmetic {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
            return Arithmetic::Avx2Fma;
        }
        Arithmetic::Plain
    }
}

/// What the pivots of the rows say about the rank, relative to the scale of each row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pivots {
    /// The smallest pivot above the level of the regularisation.
    pub smallest: f64,
    /// Number of pivots at that level: rows that depend on others.
    pub dependent: usize,
}

impl KktFactor {
    /// Allocates the factor.
    pub fn new(pattern: Arc<SymbolicFactor>) -> KktFactor {
        let n = pattern.velocities + pattern.rows;
        KktFactor {
            values: vec![0.0; pattern.values],
            inverse: vec![0.0; n],
            least: vec![0.0; n],
            shift: vec![0.0; pattern.rows],
            Y: vec![0.0; pattern.max_update_values],
            scale: vec![1.0; n],
            inverse_pivot_limit: f64::INFINITY,
            pivots: Pivots::default(),
            arithmetic: Arithmetic::available(),
            pattern,
        }
    }

    /// Sets the regularisation from the scale of each row. Inactive rows, which are zero, get a pivot of their own:
    /// they exert nothing and say nothing about the rank.
    pub fn regularise(&mut self, how: Regularisation, scale: &[f64], masked: &[usize]) {
        let first = self.pattern.velocities;
        let (Regularisation::Clamp(e) | Regularisation::Shift(e)) = how;
        self.inverse_pivot_limit = 0.125 / e;
        for (r, s) in scale.iter().enumerate() {
            self.scale[first + r] = *s;
            (self.least[first + r], self.shift[r]) = match how {
                Regularisation::Clamp(e) => (e * s, 0.0),
                // A shifted pivot is never smaller than its shift except by round-off.
                Regularisation::Shift(e) => (0.5 * e * s, e * s),
            };
        }
        for r in masked {
            self.shift[*r] = scale[*r];
        }
    }

    /// Factorises the blocks W (one after the other) and A (as laid out by the model).
    pub fn factor(&mut self, W: &[f64], A: &[f64]) {
        match self.arithmetic {
            #[cfg(target_arch = "x86_64")]
            // Safety: the processor features have been checked.
            #[allow(unsafe_code)]
            Arithmetic::Avx2Fma => unsafe { self.factor_wide(W, A, None) },
            _ => self.factor_with::<false>(W, A, None),
        }
    }

    /// Factorises and solves for x = (v, μ) in place. Forward substitution runs along with the elimination, while each
    /// block is in the cache.
    pub fn factor_and_solve(&mut self, W: &[f64], A: &[f64], x: &mut [f64]) {
        match self.arithmetic {
            #[cfg(target_arch = "x86_64")]
            // Safety: the processor features have been checked.
            #[allow(unsafe_code)]
            Arithmetic::Avx2Fma => unsafe { self.factor_wide(W, A, Some(x)) },
            _ => self.factor_with::<false>(W, A, Some(x)),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn factor_wide(&mut self, W: &[f64], A: &[f64], x: Option<&mut [f64]>) {
        self.factor_with::<true>(W, A, x);
    }

    #[inline(always)]
    fn factor_with<const FUSED: bool>(&mut self, W: &[f64], A: &[f64], mut x: Option<&mut [f64]>) {
        let p = &*self.pattern;
        let (mut softest, mut dependent) = (0.0_f64, 0);
        let mut opened = 0;
        for node in &p.nodes {
            for opening in &p.initialisations[opened..node.initialisations as usize] {
                initialise_block(opening, W, A, &self.shift, &mut self.values);
            }
            opened = node.initialisations as usize;
            let (n, first) = (node.size as usize, node.vector_start as usize);
            let edges = &p.edges[node.edges.0 as usize..node.edges.1 as usize];
            // All data that an elimination reads start at its pivot; the blocks that it updates come later.
            let start = node.pivot as usize;
            let end = edges.last().map_or(start + n * n, |e| e.block as usize + e.size as usize * n);
            let (front, behind) = self.values.split_at_mut(end);
            let (pivot, below) = front[start..].split_at_mut(n * n);
            let sign = if node.kind == NodeKind::Body { 1.0 } else { -1.0 };
            let inverse = &mut self.inverse[first..first + n];
            let targets = &p.updates[node.updates as usize..];
            let job = BlockElimination {
                edges,
                targets,
                first: start + n * n,
                end,
                sign,
                least: &self.least[first..first + n],
            };
            kernels::by_size!(n, N => job.run::<N, FUSED>(pivot, below, behind, inverse, &mut self.Y), {
                job.run_any(n, pivot, below, behind, inverse, &mut self.Y)
            });
            if let Some(x) = x.as_deref_mut() {
                forward_substitute::<FUSED>(node, edges, &self.values, x);
            }
            if node.kind == NodeKind::Constraint {
                let (inverse, scale) = (&self.inverse[first..first + n], &self.scale[first..first + n]);
                if let Some(worst) = kernels::largest_inverse_pivot(inverse, scale, self.inverse_pivot_limit) {
                    softest = softest.max(worst);
                    continue;
                }
                for (inverse, scale) in inverse.iter().zip(scale) {
                    let softness = -inverse * scale;
                    if softness < self.inverse_pivot_limit {
                        softest = softest.max(softness);
                    } else {
                        dependent += 1;
                    }
                }
            }
        }
        self.pivots = Pivots { smallest: 1.0 / softest, dependent };
        if let Some(x) = x {
            self.backward_substitute::<FUSED>(x);
        }
    }

    /// Solves for x = (v, μ) in place.
    pub fn solve(&self, x: &mut [f64]) {
        match self.arithmetic {
            #[cfg(target_arch = "x86_64")]
            // Safety: the processor features have been checked.
            #[allow(unsafe_code)]
            Arithmetic::Avx2Fma => unsafe { self.solve_wide(x) },
            _ => self.solve_with::<false>(x),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn solve_wide(&self, x: &mut [f64]) {
        self.solve_with::<true>(x);
    }

    #[inline(always)]
    fn solve_with<const FUSED: bool>(&self, x: &mut [f64]) {
        let p = &*self.pattern;
        for node in &p.nodes {
            forward_substitute::<FUSED>(node, &p.edges[node.edges.0 as usize..node.edges.1 as usize], &self.values, x);
        }
        self.backward_substitute::<FUSED>(x);
    }

    /// Backward substitution: D⁻¹ and L⁻ᵀ.
    #[inline(always)]
    fn backward_substitute<const FUSED: bool>(&self, x: &mut [f64]) {
        let p = &*self.pattern;
        for node in p.nodes.iter().rev() {
            let edges = &p.edges[node.edges.0 as usize..node.edges.1 as usize];
            let (n, at) = (node.size as usize, node.vector_start as usize);
            kernels::by_size!(n, N => {
                let (d, own) = (kernels::head::<N>(&self.inverse[at..]), kernels::head::<N>(&x[at..]));
                let mut z: [f64; N] = std::array::from_fn(|i| own[i] * d[i]);
                for e in edges {
                    let (m, block) = (e.size as usize, e.block as usize);
                    kernels::subtract_transposed_product::<N, FUSED>(m, &self.values[block..block + m * N], &x[e.vector_start as usize..e.vector_start as usize + m], &mut z);
                }
                kernels::backward_columns::<N, FUSED>(kernels::block(&self.values[node.pivot as usize..]), &mut z);
                *kernels::head_mut::<N>(&mut x[at..]) = z;
            }, {
                (at..at + n).for_each(|i| x[i] *= self.inverse[i]);
                for e in edges {
                    let (m, block) = (e.size as usize, e.block as usize);
                    kernels::subtract_transposed_product_any(n, m, &self.values[block..block + m * n], at, e.vector_start as usize, x);
                }
                kernels::backward_any(n, &self.values[node.pivot as usize..], &mut x[at..at + n]);
            });
        }
    }

    /// What the pivots of the last factorisation say about the rank.
    pub fn pivots(&self) -> Pivots {
        self.pivots
    }
}

/// Copies a block of W, A or −E into the factor.
#[inline(always)]
fn initialise_block(opening: &BlockInitialisation, W: &[f64], A: &[f64], shift: &[f64], values: &mut [f64]) {
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

/// Forward substitution of one node: L⁻¹, and its contribution to later nodes.
#[inline(always)]
fn forward_substitute<const FUSED: bool>(
    node: &EliminationNode,
    edges: &[EliminationEdge],
    values: &[f64],
    x: &mut [f64],
) {
    let (n, at) = (node.size as usize, node.vector_start as usize);
    kernels::by_size!(n, N => {
        let L = kernels::block::<N, N>(&values[node.pivot as usize..]);
        let z = kernels::forward_columns::<N, FUSED>(L, kernels::head_mut::<N>(&mut x[at..]));
        for e in edges {
            let (m, block) = (e.size as usize, e.block as usize);
            kernels::subtract_product::<N, FUSED>(m, &values[block..block + m * N], &z, &mut x[e.vector_start as usize..e.vector_start as usize + m]);
        }
    }, {
        kernels::forward_any(n, &values[node.pivot as usize..], &mut x[at..at + n]);
        for e in edges {
            let (m, block) = (e.size as usize, e.block as usize);
            kernels::subtract_product_any(n, m, &values[block..block + m * n], at, e.vector_start as usize, x);
        }
    });
}

/// One elimination: the pivot, the blocks below it, and their updates of later blocks.
struct BlockElimination<'a> {
    edges: &'a [EliminationEdge],
    targets: &'a [u32],
    /// Start and end of the blocks below, among all values.
    first: usize,
    end: usize,
    sign: f64,
    least: &'a [f64],
}

impl BlockElimination<'_> {
    /// For a known size of the pivot.
    #[inline(always)]
    fn run<const N: usize, const FUSED: bool>(
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
    fn run_any(&self, n: usize, P: &mut [f64], below: &mut [f64], behind: &mut [f64], d: &mut [f64], Y: &mut [f64]) {
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
