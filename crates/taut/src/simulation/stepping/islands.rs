//! Islands: bodies connected by blocks and joints. Islands do not interact within a step.

use super::law_blocks::LawBlocks;
use crate::mathematics::union_find::UnionFind;
use crate::model::Model;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Whether an island contains joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IslandKind {
    /// Only free bodies.
    Free,
    /// Joints too, or blocks of more than two bodies.
    Jointed,
}

/// Whether an island takes part in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum IslandActivity {
    /// It does.
    Awake,
    /// It does, and is solved.
    Solved,
    /// It rests under the impulses of the step before.
    Asleep,
}

/// One island.
#[derive(Clone, Debug)]
pub(super) struct Island {
    pub kind: IslandKind,
    pub activity: IslandActivity,
    /// Its blocks in [`Islands::order`], in ascending order.
    pub blocks: Range<usize>,
}

/// The partition of one step.
#[derive(Clone, Debug)]
pub(super) struct Islands {
    pub list: Vec<Island>,
    /// Blocks, island by island.
    pub order: Vec<usize>,
    /// Bodies as the joints alone connect them.
    joint_sets: UnionFind,
    body_kinds: Vec<IslandKind>,
    sets: UnionFind,
    number: Vec<usize>,
}

impl Islands {
    /// For a model; `holds` says which of its constraints are active joints.
    pub fn new(model: &Model, holds: impl Fn(usize) -> bool) -> Islands {
        let n = model.bodies.len();
        let mut joined = UnionFind::new(n);
        let mut jointed = vec![IslandKind::Free; n];
        for (_, c) in model.constraints.iter().enumerate().filter(|(i, _)| holds(*i)) {
            for block in &c.blocks {
                jointed[block.body] = IslandKind::Jointed;
                joined.unite(c.blocks[0].body, block.body);
            }
        }
        Islands {
            list: Vec::new(),
            order: Vec::new(),
            sets: joined.clone(),
            joint_sets: joined,
            body_kinds: jointed,
            number: vec![0; n],
        }
    }

    /// Whether any joint is active.
    pub fn has_joints(&self) -> bool {
        self.body_kinds.contains(&IslandKind::Jointed)
    }

    /// Whether a body is connected to joints, and the number of its island.
    pub fn of_body(&mut self, body: usize) -> (IslandKind, usize) {
        (self.body_kinds[body], self.sets.root(body))
    }

    /// Finds the islands of these blocks. Their order is that of their first blocks.
    pub fn partition(&mut self, blocks: &LawBlocks) {
        self.sets.copy_from(&self.joint_sets);
        for block in &blocks.list {
            let ties = &blocks.bodies[block.bodies.clone()];
            ties.iter().skip(1).for_each(|t| self.sets.unite(ties[0].body, t.body));
        }
        const NONE: usize = usize::MAX;
        self.number.fill(NONE);
        self.list.clear();
        let mut of = Vec::with_capacity(blocks.list.len());
        for block in &blocks.list {
            let ties = &blocks.bodies[block.bodies.clone()];
            let Some(first) = ties.first() else {
                of.push(NONE);
                continue;
            };
            let root = self.sets.root(first.body);
            if self.number[root] == NONE {
                self.number[root] = self.list.len();
                self.list.push(Island { kind: IslandKind::Free, activity: IslandActivity::Awake, blocks: 0..0 });
            }
            let island = &mut self.list[self.number[root]];
            island.blocks.end += 1;
            if ties.len() > 2 || ties.iter().any(|t| self.body_kinds[t.body] == IslandKind::Jointed) {
                island.kind = IslandKind::Jointed;
            }
            of.push(self.number[root]);
        }
        let mut start = 0;
        for island in &mut self.list {
            let count = island.blocks.end;
            island.blocks = start..start;
            start += count;
        }
        self.order.clear();
        self.order.resize(start, 0);
        for (block, &island) in of.iter().enumerate().filter(|(_, i)| **i != NONE) {
            let blocks = &mut self.list[island].blocks;
            self.order[blocks.end] = block;
            blocks.end += 1;
        }
    }
}
