//! Properties of the whole model: tree or loops, symmetric mass matrices or not, the order of the assembly, jointed bodies, contact
//! points that belong together.

use crate::bodies::Symmetry;
use crate::constraints::{ConstraintKind, Dependence};
use crate::contacts::Features;
use crate::laws::ConstraintLaw;
use crate::marker::{Marker, MarkerPlacement};
use crate::mathematics::union_find::UnionFind;
use crate::model::{AssemblyItem, BodyEntry, ConstraintEntry, ContactSlots, Topology};

/// Tree or loops. In a forest every component (the ground is one node) has one constraint fewer than nodes.
pub(super) fn topology(entries: &[BodyEntry], constraints: &[ConstraintEntry], markers: &[Marker]) -> Topology {
    let bodies = entries.len();
    // The norm of the parameters of a body is independent of all constraints on frames, because no motion of a frame
    // changes it.
    let norm = |c: &ConstraintEntry| matches!(c.kind, ConstraintKind::UnitNorm(_));
    let mut by_coordinate = vec![false; bodies];
    for m in constraints.iter().filter(|c| !norm(c)).flat_map(|c| &c.markers) {
        if let Marker { body: Some(b), placement: MarkerPlacement::Coordinate(_), .. } = markers[*m] {
            by_coordinate[b] = true;
        }
    }
    let mut sets = UnionFind::new(bodies + 1);
    for c in constraints.iter().filter(|c| !norm(c) || by_coordinate[c.blocks[0].body]) {
        // In a reduced set, the shapes may leave a row without a motion of its own.
        let set = c.blocks.iter().any(|b| !entries[b.body].kind.members().is_empty());
        let unknown = c.law != ConstraintLaw::Bilateral || c.kind.constraint().dependence() == Dependence::Unknown;
        if set || unknown || c.blocks.len() > 2 {
            return Topology::Loops;
        }
        let a = c.blocks[0].body;
        let b = c.blocks.get(1).map_or(bodies, |b| b.body);
        if sets.root(a) == sets.root(b) {
            return Topology::Loops;
        }
        sets.unite(a, b);
    }
    Topology::Tree
}

/// Whether all mass matrices are symmetric.
pub(super) fn symmetry(bodies: &[BodyEntry]) -> Symmetry {
    let non_symmetric = |b: &BodyEntry| b.kind.body().symmetry() == Symmetry::NonSymmetric;
    if bodies.iter().any(non_symmetric) { Symmetry::NonSymmetric } else { Symmetry::Symmetric }
}

/// The order of the assembly: each constraint right after its last body.
pub(super) fn assembly_order(bodies: usize, constraints: &[ConstraintEntry]) -> Vec<AssemblyItem> {
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); bodies];
    for (c, entry) in constraints.iter().enumerate() {
        let last = entry.blocks.iter().map(|b| b.body).max();
        last.iter().for_each(|b| after[*b].push(c));
    }
    let turns = |(b, after): (usize, Vec<usize>)| {
        std::iter::once(AssemblyItem::Body(b)).chain(after.into_iter().map(AssemblyItem::Constraint))
    };
    after.into_iter().enumerate().flat_map(turns).collect()
}

/// Pairs of bodies connected by joints.
pub(super) fn jointed_bodies(
    constraints: &[ConstraintEntry],
    markers: &[Marker],
) -> Vec<(Option<usize>, Option<usize>)> {
    let joints = constraints.iter().filter(|c| matches!(c.kind, ConstraintKind::Joint(_)));
    joints.filter_map(|c| Some((markers[*c.markers.first()?].body, markers[*c.markers.get(1)?].body))).collect()
}

/// The contact points whose features change; those of one pair are adjacent.
pub(super) fn contact_slots(constraints: &[ConstraintEntry]) -> Vec<ContactSlots> {
    let mut found: Vec<ContactSlots> = Vec::new();
    for (c, entry) in constraints.iter().enumerate() {
        let ConstraintKind::Contact(point) = &entry.kind else { continue };
        match &point.features {
            Features::Fixed(_) => {}
            Features::Nearest { slot: 0, .. } => found.push(ContactSlots { slots: vec![c] }),
            Features::Nearest { .. } => found.iter_mut().rev().take(1).for_each(|m| m.slots.push(c)),
        }
    }
    found
}
