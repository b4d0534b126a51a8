//! Numerical factorisation: refactorised in place, without allocation.

use super::block_elimination::{BlockElimination, initialise_block};
use super::{hinge, kernels};
use crate::model::elimination::{EliminationEdge, EliminationNode, NodeKind, SymbolicFactor};
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
    /// Whether hinges may be eliminated together with their bodies: no row is inactive or regularised.
    allows_hinges: bool,
    /// Whether the last factorisation did so.
    has_hinges: bool,
    /// Right-hand side, in case a hinge turns out to be singular.
    given: Vec<f64>,
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
            allows_hinges: false,
            has_hinges: false,
            given: vec![0.0; if pattern.hinges.is_empty() { 0 } else { n }],
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
        self.allows_hinges =
            !self.pattern.hinges.is_empty() && masked.is_empty() && matches!(how, Regularisation::Clamp(_));
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
        self.has_hinges = self.allows_hinges;
        if let (Some(x), true) = (&x, self.has_hinges) {
            self.given.copy_from_slice(x);
        }
        // Without hinges it always succeeds.
        while !self.eliminate_all::<FUSED>(W, A, x.as_deref_mut()) {
            self.has_hinges = false;
            if let Some(x) = x.as_deref_mut() {
                x.copy_from_slice(&self.given);
            }
        }
        if let Some(x) = x {
            self.backward_substitute::<FUSED>(x);
        }
    }

    /// The elimination, with the forward substitution of x; false if it cannot be finished because of a hinge.
    #[inline(always)]
    fn eliminate_all<const FUSED: bool>(&mut self, W: &[f64], A: &[f64], mut x: Option<&mut [f64]>) -> bool {
        let p = &*self.pattern;
        let (mut softest, mut dependent) = (0.0_f64, 0);
        let mut opened = 0;
        let mut nodes = p.nodes.iter();
        while let Some(node) = nodes.next() {
            if let (Some(number), true) = (node.hinge, self.has_hinges) {
                let joint = nodes.next().expect("the hinge follows its body");
                opened = joint.initialisations as usize;
                let hinge = &p.hinges[number as usize];
                if !hinge::eliminate::<FUSED>(hinge, W, A, &mut self.values) {
                    return false;
                }
                if let Some(x) = x.as_deref_mut() {
                    hinge::forward_substitute::<FUSED>(hinge, &self.values, x);
                }
                continue;
            }
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
        true
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
        let mut nodes = p.nodes.iter();
        while let Some(node) = nodes.next() {
            if let (Some(number), true) = (node.hinge, self.has_hinges) {
                hinge::forward_substitute::<FUSED>(&p.hinges[number as usize], &self.values, x);
                nodes.next();
                continue;
            }
            forward_substitute::<FUSED>(node, &p.edges[node.edges.0 as usize..node.edges.1 as usize], &self.values, x);
        }
        self.backward_substitute::<FUSED>(x);
    }

    /// Backward substitution: D⁻¹ and L⁻ᵀ.
    #[inline(always)]
    fn backward_substitute<const FUSED: bool>(&self, x: &mut [f64]) {
        let p = &*self.pattern;
        let mut nodes = p.nodes.iter().rev().peekable();
        while let Some(mut node) = nodes.next() {
            // From behind, the hinge comes before its body.
            if let (Some(body), true) = (nodes.peek(), self.has_hinges)
                && body.hinge.is_some()
            {
                node = nodes.next().expect("looked at");
            }
            if let (Some(number), true) = (node.hinge, self.has_hinges) {
                hinge::backward_substitute::<FUSED>(&p.hinges[number as usize], &self.values, x);
                continue;
            }
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
