//! The pattern of the factor: the position of each block, and the updates made by each elimination.

use super::order::{EliminationGraph, elimination_order};
use crate::model::JacobianBlock;
use std::collections::{HashMap, HashSet};

/// The kind of a node, which fixes the sign of its pivots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeKind {
    Body,
    Constraint,
}

/// A node, in elimination order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EliminationNode {
    pub size: u32,
    /// Start in the vector (v, μ).
    pub vector_start: u32,
    /// Start of the pivot block.
    pub pivot: u32,
    pub edges: (u32, u32),
    pub updates: u32,
    /// End of its block initialisations; they start where those of the previous node end.
    pub initialisations: u32,
    pub kind: NodeKind,
}

/// A block below a pivot: `size` × (size of the pivot), stored column by column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EliminationEdge {
    pub size: u32,
    pub vector_start: u32,
    pub block: u32,
}

/// Initial values of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockSource {
    /// A block of W.
    Mass,
    /// A block of A whose body is eliminated later: Aᵀ by columns is A by rows, a plain copy.
    Copied,
    /// A block of A whose constraint is eliminated later.
    Transposed,
    /// −E, the pivot of a constraint.
    Shift,
    /// Nothing: fill.
    Zero,
}

/// Initialisation of a block. It is done by the first elimination that uses the block, so that the block is in the
/// cache when it is needed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockInitialisation {
    pub to: u32,
    /// Start in W, A or E.
    pub from: u32,
    /// Shape of the source, stored row by row.
    pub rows: u32,
    pub columns: u32,
    pub source: BlockSource,
}

/// Order and pattern of the factorisation of one model.
#[derive(Clone, Debug)]
pub struct SymbolicFactor {
    pub(crate) nodes: Vec<EliminationNode>,
    pub(crate) edges: Vec<EliminationEdge>,
    /// Start of the target block of each pair of neighbours, pivot by pivot: (0,0), (1,0), (1,1), (2,0), …
    pub(crate) updates: Vec<u32>,
    /// Block initialisations of each elimination, in elimination order.
    pub(crate) initialisations: Vec<BlockInitialisation>,
    pub(crate) values: usize,
    pub(crate) velocities: usize,
    pub(crate) rows: usize,
    pub(crate) max_update_values: usize,
}

impl SymbolicFactor {
    /// Orders and analyses a system. Input: the sizes of the bodies, and per constraint its rows, its blocks and
    /// whether it acts on the ground.
    pub fn new(bodies: &[usize], constraints: &[(usize, Vec<JacobianBlock>, bool)]) -> SymbolicFactor {
        let nb = bodies.len();
        let graph = EliminationGraph {
            sizes: bodies.iter().copied().chain(constraints.iter().map(|c| c.0)).collect(),
            bodies: nb,
            constraint_bodies: constraints.iter().map(|c| c.1.iter().map(|b| b.body).collect()).collect(),
            grounded: constraints.iter().map(|c| c.2).collect(),
        };
        let (order, left) = elimination_order(&graph);
        let n = graph.sizes.len();
        let velocities: usize = bodies.iter().sum();
        let x: Vec<usize> = graph
            .sizes
            .iter()
            .scan(0, |at, s| {
                *at += s;
                Some(*at - s)
            })
            .collect();

        // Blocks are stored in the order in which they are used.
        let mut values = 0;
        let mut pivot = vec![0; n];
        let mut first_edge = vec![0; n];
        let mut edges: Vec<EliminationEdge> = Vec::new();
        let mut edge_node: Vec<usize> = Vec::new();
        for &node in &order {
            pivot[node] = values;
            values += graph.sizes[node] * graph.sizes[node];
            first_edge[node] = edges.len();
            for &k in &left[node] {
                edges.push(EliminationEdge {
                    size: graph.sizes[k] as u32,
                    vector_start: x[k] as u32,
                    block: values as u32,
                });
                edge_node.push(k);
                values += graph.sizes[k] * graph.sizes[node];
            }
        }
        let block = |early: usize, late: usize| -> Option<usize> {
            let first = first_edge[early];
            (first..first + left[early].len()).find(|e| edge_node[*e] == late).map(|e| edges[e].block as usize)
        };

        // Sources of the blocks; every other block is fill. The key is start and count, since an empty block starts
        // where the next one does.
        let mut sources: HashMap<(usize, usize), BlockInitialisation> = HashMap::new();
        let mut source = |to: usize, from: usize, rows: usize, columns: usize, source: BlockSource| {
            let opening = BlockInitialisation {
                to: to as u32,
                from: from as u32,
                rows: rows as u32,
                columns: columns as u32,
                source,
            };
            sources.insert((to, rows * columns), opening);
        };
        let mut at = 0;
        for (b, &size) in bodies.iter().enumerate() {
            source(pivot[b], at, size, size, BlockSource::Mass);
            at += size * size;
        }
        at = 0;
        for (c, &(rows, ref blocks, _)) in constraints.iter().enumerate() {
            for b in blocks {
                let (to, how) = match block(b.body, nb + c) {
                    Some(to) => (to, BlockSource::Transposed),
                    None => (block(nb + c, b.body).expect("an edge of the graph"), BlockSource::Copied),
                };
                source(to, b.start, rows, bodies[b.body], how);
            }
            source(pivot[nb + c], at, rows, rows, BlockSource::Shift);
            at += rows;
        }

        let mut nodes = Vec::with_capacity(n);
        let (mut updates, mut openings) = (Vec::new(), Vec::new());
        let mut opened = HashSet::new();
        let mut widest = 0;
        for &node in &order {
            let first = updates.len();
            let mut open = |to: usize, rows: usize, columns: usize| {
                let block = (to, rows * columns);
                if opened.insert(block) {
                    let (to, rows, columns) = (to as u32, rows as u32, columns as u32);
                    let fill = BlockInitialisation { to, from: 0, rows, columns, source: BlockSource::Zero };
                    openings.push(sources.get(&block).copied().unwrap_or(fill));
                }
            };
            let size = |k: usize| graph.sizes[k];
            open(pivot[node], size(node), size(node));
            for (e, &late) in left[node].iter().enumerate() {
                open(edges[first_edge[node] + e].block as usize, size(late), size(node));
            }
            for (a, &late) in left[node].iter().enumerate() {
                for &early in &left[node][..a] {
                    let target = block(early, late).expect("fill has been analysed");
                    updates.push(target as u32);
                    open(target, size(late), size(early));
                }
                updates.push(pivot[late] as u32);
                open(pivot[late], size(late), size(late));
            }
            let sum: usize = left[node].iter().map(|k| size(*k)).sum();
            widest = widest.max(sum * size(node));
            nodes.push(EliminationNode {
                size: size(node) as u32,
                vector_start: x[node] as u32,
                pivot: pivot[node] as u32,
                edges: (first_edge[node] as u32, (first_edge[node] + left[node].len()) as u32),
                updates: first as u32,
                initialisations: openings.len() as u32,
                kind: if node < nb { NodeKind::Body } else { NodeKind::Constraint },
            });
        }
        let rows = constraints.iter().map(|c| c.0).sum();
        SymbolicFactor {
            nodes,
            edges,
            updates,
            initialisations: openings,
            values,
            velocities,
            rows,
            max_update_values: widest,
        }
    }

    /// Number of values in the factor: its memory, and a measure of the fill.
    pub fn factor_values(&self) -> usize {
        self.values
    }
}
