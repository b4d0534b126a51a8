//! A bounding-box tree over the triangles of a mesh; each node is split along its longest side.

use crate::motion::Vec3;

/// An axis-aligned box.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoundingBox {
    pub lo: Vec3,
    pub hi: Vec3,
}

impl BoundingBox {
    pub(super) const EMPTY: BoundingBox = BoundingBox {
        lo: Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        hi: Vec3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    pub(super) fn include(&mut self, p: &Vec3) {
        self.lo = self.lo.inf(p);
        self.hi = self.hi.sup(p);
    }

    pub(super) fn around<'a>(points: impl Iterator<Item = &'a Vec3>) -> BoundingBox {
        let mut all = BoundingBox::EMPTY;
        points.for_each(|p| all.include(p));
        all
    }

    pub(super) fn expanded(&self, by: f64) -> BoundingBox {
        BoundingBox { lo: self.lo.add_scalar(-by), hi: self.hi.add_scalar(by) }
    }

    fn overlaps(&self, other: &BoundingBox) -> bool {
        (0..3).all(|k| self.lo[k] <= other.hi[k] && other.lo[k] <= self.hi[k])
    }
}

#[derive(Clone, Copy, Debug)]
struct TreeNode {
    bounds: BoundingBox,
    /// Leaf: index of the first item, and the number of items. Inner node: index of the second child, and zero; the first child is the
    /// next node.
    at: u32,
    count: u32,
}

/// The tree; items are identified by their index.
#[derive(Debug)]
pub(super) struct BoundingTree {
    nodes: Vec<TreeNode>,
    items: Vec<(u32, BoundingBox)>,
}

/// Maximum number of triangles in a leaf.
const LEAF_SIZE: usize = 4;
/// Bound on the depth of the tree: item indices have 32 bits.
const MAX_DEPTH: usize = 40;

impl BoundingTree {
    pub(super) fn new(boxes: Vec<BoundingBox>) -> BoundingTree {
        let mut tree = BoundingTree { nodes: Vec::new(), items: (0..).zip(boxes).collect() };
        tree.split(0, tree.items.len());
        tree
    }

    fn split(&mut self, from: usize, to: usize) {
        let items = &mut self.items[from..to];
        let mut all = BoundingBox::EMPTY;
        let mut middles = BoundingBox::EMPTY;
        for (_, b) in items.iter() {
            all.include(&b.lo);
            all.include(&b.hi);
            middles.include(&((b.lo + b.hi) * 0.5));
        }
        let node = self.nodes.len();
        self.nodes.push(TreeNode { bounds: all, at: from as u32, count: (to - from) as u32 });
        if to - from <= LEAF_SIZE {
            return;
        }
        let axis = (middles.hi - middles.lo).imax();
        let middle = |b: &BoundingBox| b.lo[axis] + b.hi[axis];
        items.sort_by(|(i, a), (j, b)| middle(a).total_cmp(&middle(b)).then(i.cmp(j)));
        let half = (from + to) / 2;
        self.split(from, half);
        self.nodes[node].at = self.nodes.len() as u32;
        self.nodes[node].count = 0;
        self.split(half, to);
    }

    /// All items whose box meets the given one, always in the same order.
    pub(super) fn query(&self, about: &BoundingBox, found: &mut impl FnMut(usize)) {
        let mut waiting = [0_u32; MAX_DEPTH];
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let i = waiting[height] as usize;
            let Some(node) = self.nodes.get(i).filter(|n| n.bounds.overlaps(about)) else { continue };
            if node.count > 0 {
                let leaf = &self.items[node.at as usize..(node.at + node.count) as usize];
                leaf.iter().filter(|(_, b)| b.overlaps(about)).for_each(|(i, _)| found(*i as usize));
            } else {
                waiting[height] = node.at;
                waiting[height + 1] = i as u32 + 1;
                height += 2;
            }
        }
    }
}
