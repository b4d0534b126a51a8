//! The pattern of the factor: where each block lies and which updates each elimination makes.

use super::order::{Graph, order};
use crate::model::Block;

/// Which matrix a node came from; fixes the sign its pivots must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Body,
    Constraint,
}

/// A node in the order of elimination.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub size: u32,
    /// Start in the vector (v, μ).
    pub x: u32,
    /// Start of the pivot block.
    pub pivot: u32,
    pub edges: (u32, u32),
    pub updates: u32,
    pub kind: Kind,
}

/// A block below a pivot: `size` × (size of the pivot), column by column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub size: u32,
    pub x: u32,
    pub block: u32,
}

/// How a block of A enters the factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turned {
    /// The body comes later: Aᵀ by columns is A by rows, a plain copy.
    Copied,
    /// The constraint comes later.
    Transposed,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub from: u32,
    pub to: u32,
    pub rows: u32,
    pub columns: u32,
    pub turned: Turned,
}

/// Order and pattern of the factorisation of one model.
#[derive(Clone, Debug)]
pub struct Symbolic {
    pub(super) nodes: Vec<Node>,
    pub(super) edges: Vec<Edge>,
    /// Start of the target of each pair of neighbours, pivot by pivot: (0,0), (1,0), (1,1), (2,0), …
    pub(super) updates: Vec<u32>,
    /// (start in M, start of the pivot, count), body by body.
    pub(super) masses: Vec<(u32, u32, u32)>,
    pub(super) entries: Vec<Entry>,
    /// Blocks that start at zero: pivots of constraints and fill.
    pub(super) zeros: Vec<(u32, u32)>,
    /// Where the diagonal entry of each row lies.
    pub(super) diagonal: Vec<u32>,
    pub(super) values: usize,
    pub(super) velocities: usize,
    pub(super) rows: usize,
    pub(super) widest: usize,
}

impl Symbolic {
    /// Orders and analyses: sizes of the bodies, and per constraint (rows, blocks, whether it acts on the ground).
    pub fn new(bodies: &[usize], constraints: &[(usize, Vec<Block>, bool)]) -> Symbolic {
        let nb = bodies.len();
        let graph = Graph {
            sizes: bodies.iter().copied().chain(constraints.iter().map(|c| c.0)).collect(),
            bodies: nb,
            ends: constraints.iter().map(|c| c.1.iter().map(|b| b.body).collect()).collect(),
            grounded: constraints.iter().map(|c| c.2).collect(),
        };
        let (order, left) = order(&graph);
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

        // Blocks lie in the order in which they are used.
        let mut values = 0;
        let mut pivot = vec![0; n];
        let mut first_edge = vec![0; n];
        let mut edges: Vec<Edge> = Vec::new();
        let mut edge_node: Vec<usize> = Vec::new();
        for &node in &order {
            pivot[node] = values;
            values += graph.sizes[node] * graph.sizes[node];
            first_edge[node] = edges.len();
            for &k in &left[node] {
                edges.push(Edge { size: graph.sizes[k] as u32, x: x[k] as u32, block: values as u32 });
                edge_node.push(k);
                values += graph.sizes[k] * graph.sizes[node];
            }
        }
        let block = |early: usize, late: usize| -> Option<usize> {
            let first = first_edge[early];
            (first..first + left[early].len()).find(|e| edge_node[*e] == late).map(|e| edges[e].block as usize)
        };

        let mut nodes = Vec::with_capacity(n);
        let mut updates = Vec::new();
        let mut widest = 0;
        for &node in &order {
            let first = updates.len();
            for (a, &late) in left[node].iter().enumerate() {
                for &early in &left[node][..a] {
                    updates.push(block(early, late).expect("fill has been analysed") as u32);
                }
                updates.push(pivot[late] as u32);
            }
            let sum: usize = left[node].iter().map(|k| graph.sizes[*k]).sum();
            widest = widest.max(sum * graph.sizes[node]);
            nodes.push(Node {
                size: graph.sizes[node] as u32,
                x: x[node] as u32,
                pivot: pivot[node] as u32,
                edges: (first_edge[node] as u32, (first_edge[node] + left[node].len()) as u32),
                updates: first as u32,
                kind: if node < nb { Kind::Body } else { Kind::Constraint },
            });
        }

        let mut masses = Vec::with_capacity(nb);
        let mut at = 0;
        for (b, size) in bodies.iter().enumerate() {
            masses.push((at as u32, pivot[b] as u32, (size * size) as u32));
            at += size * size;
        }
        let mut entries = Vec::new();
        let mut original = std::collections::HashSet::new();
        let mut diagonal = Vec::new();
        for (c, (rows, blocks, _)) in constraints.iter().enumerate() {
            for b in blocks {
                let (to, turned) = match block(b.body, nb + c) {
                    Some(to) => (to, Turned::Transposed),
                    None => (block(nb + c, b.body).expect("an edge of the graph"), Turned::Copied),
                };
                original.insert(to);
                let (rows, columns) = (*rows as u32, bodies[b.body] as u32);
                entries.push(Entry { from: b.start as u32, to: to as u32, rows, columns, turned });
            }
            diagonal.extend((0..*rows).map(|r| (pivot[nb + c] + r * (rows + 1)) as u32));
        }
        let mut zeros: Vec<(u32, u32)> =
            constraints.iter().enumerate().map(|(c, k)| (pivot[nb + c] as u32, (k.0 * k.0) as u32)).collect();
        for &node in &order {
            let first = first_edge[node];
            for e in &edges[first..first + left[node].len()] {
                if !original.contains(&(e.block as usize)) {
                    zeros.push((e.block, e.size * graph.sizes[node] as u32));
                }
            }
        }
        let rows = constraints.iter().map(|c| c.0).sum();
        Symbolic { nodes, edges, updates, masses, entries, zeros, diagonal, values, velocities, rows, widest }
    }

    /// Number of values in the factor: its memory, and a measure of the fill.
    pub fn values(&self) -> usize {
        self.values
    }
}
