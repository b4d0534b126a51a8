//! Elimination order: greedy in floating-point operations; a constraint is eliminated only when it is safe.
//!
//! When a constraint is eliminated, the bodies that remain act as if they were fixed. If it is eliminated too early
//! inside a loop, its pivot looks singular although the mechanism is not. A constraint may be eliminated
//!
//! - when one of its sides is an eliminated component that is attached neither to a remaining body nor to the ground;
//!   or
//! - when all its bodies are eliminated and none of their components is attached to a remaining body.
//!
//! Bodies may always be eliminated: their pivots are sums of positive definite matrices.

use crate::mathematics::union_find::UnionFind;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// The graph to be ordered: nodes `0..bodies` are bodies, the others are constraints.
#[derive(Clone, Debug)]
pub struct EliminationGraph {
    /// Size of every node.
    pub sizes: Vec<usize>,
    /// Number of bodies.
    pub bodies: usize,
    /// Bodies of each constraint.
    pub constraint_bodies: Vec<Vec<usize>>,
    /// Whether each constraint also acts on the ground.
    pub grounded: Vec<bool>,
}

/// The elimination order, and for each node its remaining neighbours at that point, sorted by their own position in the
/// order.
pub fn elimination_order(graph: &EliminationGraph) -> (Vec<usize>, Vec<Vec<usize>>) {
    let n = graph.sizes.len();
    let mut elimination = GreedyElimination::new(graph);
    let mut heap = BinaryHeap::new();
    let mut version = vec![0_u32; n];
    for node in 0..n {
        heap.push(Reverse((elimination.cost(node), node, 0)));
    }
    let mut order = Vec::with_capacity(n);
    let mut left: Vec<Vec<usize>> = vec![Vec::new(); n];
    while order.len() < n {
        let Some(Reverse((_, node, stamp))) = heap.pop() else {
            // Unreachable as long as bodies are always safe; it prevents an endless loop if this ever fails.
            let rest: Vec<usize> = (0..n).filter(|k| !elimination.eliminated[*k]).collect();
            for node in rest {
                left[node] = elimination.eliminate(node);
                order.push(node);
            }
            break;
        };
        if elimination.eliminated[node] || stamp != version[node] || !elimination.can_eliminate(node) {
            continue;
        }
        let neighbours = elimination.eliminate(node);
        for &k in &neighbours {
            version[k] += 1;
            heap.push(Reverse((elimination.cost(k), k, version[k])));
        }
        left[node] = neighbours;
        order.push(node);
    }
    let mut turn = vec![0; n];
    order.iter().enumerate().for_each(|(i, &node)| turn[node] = i);
    left.iter_mut().for_each(|l| l.sort_by_key(|k| turn[*k]));
    (order, left)
}

/// A connected component of eliminated nodes, stored at its root.
#[derive(Clone, Debug, Default)]
struct EliminatedComponent {
    /// Remaining bodies to which it is attached.
    attached_bodies: BTreeSet<usize>,
    grounded: bool,
}

struct GreedyElimination<'a> {
    graph: &'a EliminationGraph,
    /// Elimination graph: edges of the original and of the fill.
    edges: Vec<BTreeSet<usize>>,
    /// Constraints of each body.
    constraints_of_body: Vec<Vec<usize>>,
    eliminated: Vec<bool>,
    sets: UnionFind,
    component: Vec<EliminatedComponent>,
}

impl<'a> GreedyElimination<'a> {
    fn new(graph: &'a EliminationGraph) -> GreedyElimination<'a> {
        let n = graph.sizes.len();
        let mut edges = vec![BTreeSet::new(); n];
        let mut joints = vec![Vec::new(); graph.bodies];
        for (c, ends) in graph.constraint_bodies.iter().enumerate() {
            for &b in ends {
                edges[b].insert(graph.bodies + c);
                edges[graph.bodies + c].insert(b);
                joints[b].push(graph.bodies + c);
            }
        }
        let component = vec![EliminatedComponent::default(); n];
        GreedyElimination {
            graph,
            edges,
            constraints_of_body: joints,
            eliminated: vec![false; n],
            sets: UnionFind::new(n),
            component,
        }
    }

    /// Floating-point operations of one elimination, about n (n + Σm)².
    fn cost(&self, node: usize) -> usize {
        let n = self.graph.sizes[node];
        let s: usize = self.edges[node].iter().map(|k| self.graph.sizes[*k]).sum();
        n * (n + s) * (n + s)
    }

    fn can_eliminate(&mut self, node: usize) -> bool {
        let Some(c) = node.checked_sub(self.graph.bodies) else { return true };
        let mut all_loose = true;
        let graph = self.graph;
        for &b in &graph.constraint_bodies[c] {
            if !self.eliminated[b] {
                all_loose = false;
                continue;
            }
            let root = self.sets.root(b);
            let side = &self.component[root];
            if side.attached_bodies.is_empty() && !side.grounded {
                return true;
            }
            all_loose &= side.attached_bodies.is_empty();
        }
        all_loose
    }

    /// Eliminates a node and returns its neighbours.
    fn eliminate(&mut self, node: usize) -> Vec<usize> {
        self.eliminated[node] = true;
        let neighbours: Vec<usize> = std::mem::take(&mut self.edges[node]).into_iter().collect();
        for &k in &neighbours {
            self.edges[k].remove(&node);
        }
        for (i, &a) in neighbours.iter().enumerate() {
            for &b in &neighbours[..i] {
                if self.edges[a].insert(b) {
                    self.edges[b].insert(a);
                }
            }
        }
        let own: Vec<usize> = match node.checked_sub(self.graph.bodies) {
            Some(c) => self.graph.constraint_bodies[c].clone(),
            None => self.constraints_of_body[node].clone(),
        };
        let is_joint = node >= self.graph.bodies;
        if is_joint && self.graph.grounded[node - self.graph.bodies] {
            let r = self.sets.root(node);
            self.component[r].grounded = true;
        }
        for k in own {
            if self.eliminated[k] {
                self.merge(node, k);
            } else if is_joint {
                let r = self.sets.root(node);
                self.component[r].attached_bodies.insert(k);
            }
        }
        let r = self.sets.root(node);
        self.component[r].attached_bodies.remove(&node);
        neighbours
    }

    fn merge(&mut self, a: usize, b: usize) {
        let (a, b) = (self.sets.root(a), self.sets.root(b));
        if a == b {
            return;
        }
        // Merge the smaller set into the larger one, so that a hub with ten thousand leaves stays linear.
        let (from, to) = if self.component[a].attached_bodies.len() < self.component[b].attached_bodies.len() {
            (a, b)
        } else {
            (b, a)
        };
        let moved = std::mem::take(&mut self.component[from]);
        self.component[to].attached_bodies.extend(moved.attached_bodies);
        self.component[to].grounded |= moved.grounded;
        self.sets.attach(from, to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(n: usize, last_to_ground: bool) -> EliminationGraph {
        let mut ends: Vec<Vec<usize>> = vec![vec![0]];
        ends.extend((1..n).map(|i| vec![i - 1, i]));
        let mut grounded = vec![false; n];
        grounded[0] = true;
        if last_to_ground {
            ends.push(vec![n - 1]);
            grounded.push(true);
        }
        let sizes = std::iter::repeat_n(6, n).chain(std::iter::repeat_n(5, ends.len())).collect();
        EliminationGraph { sizes, bodies: n, constraint_bodies: ends, grounded }
    }

    #[test]
    fn a_chain_is_eliminated_from_leaf_to_root_without_fill() {
        let (order, left) = elimination_order(&chain(5, false));
        assert_eq!(order, vec![4, 9, 3, 8, 2, 7, 1, 6, 0, 5]);
        assert!(left.iter().all(|l| l.len() <= 1));
    }

    #[test]
    fn every_node_is_eliminated_once_and_fill_stays_bounded_in_a_loop() {
        let (order, left) = elimination_order(&chain(50, true));
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..101).collect::<Vec<_>>());
        assert!(left.iter().all(|l| l.len() <= 3), "{left:?}");
    }

    #[test]
    fn a_grounded_side_does_not_make_a_joint_safe() {
        // Two rockers on the ground and a coupler: pins to ground, then the two pins of the coupler.
        let graph = EliminationGraph {
            sizes: vec![3, 3, 3, 2, 2, 2, 2],
            bodies: 3,
            constraint_bodies: vec![vec![0], vec![1], vec![0, 2], vec![1, 2]],
            grounded: vec![true, true, false, false],
        };
        let (order, _) = elimination_order(&graph);
        let turn = |k: usize| order.iter().position(|n| *n == k).unwrap();
        // Pin 0–2 may follow the free body alone, but a grounded rocker only if the coupler is eliminated too.
        let pin = turn(5);
        assert!(turn(2) < pin || (turn(0) < pin && turn(3) > pin));
    }
}
