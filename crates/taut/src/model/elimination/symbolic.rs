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
    /// Number of the hinge with which a body can be eliminated.
    pub hinge: Option<u32>,
}

/// A rigid body whose only remaining neighbour is a hinge: both are eliminated together, and the node of the hinge follows
/// that of the body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hinge {
    /// Start of the pivot block of the body, which the block below it follows, and their end.
    pub pivot: u32,
    pub end: u32,
    /// Start of its block in W, if nothing has changed its pivot before.
    pub first_mass: Option<u32>,
    /// Start of the body in (v, μ), and of the rows.
    pub vector: u32,
    pub row_vector: u32,
    /// Start of the block of the body in A.
    pub jacobian: u32,
    /// The other body, unless the hinge is on the ground.
    pub other: Option<OtherBody>,
}

/// The body on the other side of a hinge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OtherBody {
    pub pivot: u32,
    /// As in [`Hinge`].
    pub first_mass: Option<u32>,
    pub vector: u32,
    pub jacobian: u32,
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
    pub(crate) hinges: Vec<Hinge>,
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
    /// whether it acts on the ground; and which constraints are hinges of rigid bodies.
    pub fn new(
        bodies: &[usize],
        constraints: &[(usize, Vec<JacobianBlock>, bool)],
        is_hinge: &dyn Fn(usize) -> bool,
    ) -> SymbolicFactor {
        let nb = bodies.len();
        let graph = EliminationGraph {
            sizes: bodies.iter().copied().chain(constraints.iter().map(|c| c.0)).collect(),
            bodies: nb,
            constraint_bodies: constraints.iter().map(|c| c.1.iter().map(|b| b.body).collect()).collect(),
            grounded: constraints.iter().map(|c| c.2).collect(),
        };
        let (order, left) = elimination_order(&graph);
        let hinge_of = hinges_of_bodies(&graph, &left, is_hinge);
        let order = hinges_after_bodies(&order, &hinge_of);
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
        let mut hinges = Vec::new();
        for &node in &order {
            let first = updates.len();
            // The start of a mass matrix in W, if its block is not yet initialised.
            let mass = |body: usize, opened: &HashSet<(usize, usize)>| {
                let block = (pivot[body], graph.sizes[body] * graph.sizes[body]);
                (!opened.contains(&block)).then(|| sources[&block].from)
            };
            let own_mass = mass(node, &opened);
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
                hinge: hinge_of[node].map(|_| hinges.len() as u32),
            });
            if let Some(joint) = hinge_of[node] {
                let block_of = |body: usize| {
                    let blocks = &constraints[joint - nb].1;
                    blocks.iter().find(|b| b.body == body).expect("a body of the hinge").start as u32
                };
                let other = |body: &usize| OtherBody {
                    pivot: pivot[*body] as u32,
                    first_mass: mass(*body, &opened),
                    vector: x[*body] as u32,
                    jacobian: block_of(*body),
                };
                hinges.push(Hinge {
                    pivot: pivot[node] as u32,
                    end: edges[first_edge[node]].block + 30,
                    first_mass: own_mass,
                    vector: x[node] as u32,
                    row_vector: x[joint] as u32,
                    jacobian: block_of(node),
                    other: left[joint].first().map(other),
                });
            }
        }
        let rows = constraints.iter().map(|c| c.0).sum();
        SymbolicFactor {
            nodes,
            edges,
            hinges,
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

/// The hinge of each body that can be eliminated together with it.
fn hinges_of_bodies(
    graph: &EliminationGraph,
    left: &[Vec<usize>],
    is_hinge: &dyn Fn(usize) -> bool,
) -> Vec<Option<usize>> {
    let hinge = |node: usize| match left[node][..] {
        // Nothing but its two bodies touches the rows of the hinge.
        [joint] if node < graph.bodies && joint >= graph.bodies => {
            let bodies = &graph.constraint_bodies[joint - graph.bodies];
            let is_plain = left[joint].len() + 1 == bodies.len() && left[joint].iter().all(|n| bodies.contains(n));
            (is_hinge(joint - graph.bodies) && is_plain).then_some(joint)
        }
        _ => None,
    };
    (0..graph.sizes.len()).map(hinge).collect()
}

/// The order with each such hinge right after its body: nothing else comes before it.
fn hinges_after_bodies(order: &[usize], hinge_of: &[Option<usize>]) -> Vec<usize> {
    let follows: HashSet<usize> = hinge_of.iter().copied().flatten().collect();
    let first = order.iter().filter(|node| !follows.contains(*node));
    first.flat_map(|node| [*node].into_iter().chain(hinge_of[*node])).collect()
}
