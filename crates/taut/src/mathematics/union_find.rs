//! Disjoint sets: which items are connected, directly or through others.

/// A partition of 0..n into disjoint sets, each represented by its root.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnionFind {
    parent: Vec<usize>,
}

impl UnionFind {
    /// n sets of one item each.
    pub fn new(n: usize) -> UnionFind {
        UnionFind { parent: (0..n).collect() }
    }

    /// The root of the set that contains item i.
    pub fn root(&mut self, mut i: usize) -> usize {
        while self.parent[i] != i {
            self.parent[i] = self.parent[self.parent[i]];
            i = self.parent[i];
        }
        i
    }

    /// Unites two sets. The smaller root remains, so that nothing depends on the order of the calls.
    pub fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b);
    }

    /// Puts the set with the root `from` under the root `to`.
    pub fn attach(&mut self, from: usize, to: usize) {
        self.parent[from] = to;
    }

    /// Takes over the sets of another partition of the same size.
    pub fn copy_from(&mut self, other: &UnionFind) {
        self.parent.copy_from_slice(&other.parent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_item_is_the_root_of_united_sets() {
        let mut sets = UnionFind::new(6);
        [(4, 5), (2, 4), (1, 3)].into_iter().for_each(|(a, b)| sets.unite(a, b));
        assert_eq!((0..6).map(|i| sets.root(i)).collect::<Vec<_>>(), [0, 1, 2, 1, 2, 2]);
        sets.attach(1, 2);
        assert_eq!(sets.root(3), 2);
    }
}
