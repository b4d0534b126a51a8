//! The broad phase: pairs of bounding boxes that come near each other.
//!
//! Boxes of similar size are sorted into a uniform grid whose cells are at least as large as the largest of them, so that only
//! neighbouring cells are compared. The few large or infinite boxes are compared with all others. The cost is linear in the number of
//! boxes unless many share a cell.

use super::solid::Aabb;
use crate::motion::Vec3;

/// All pairs i < j of boxes that come nearer than `margin`, sorted.
pub fn candidates(boxes: &[Aabb], margin: f64) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    BroadPhase::default().candidates(boxes, margin, &mut pairs);
    pairs
}

/// The broad phase with reusable working memory.
#[derive(Clone, Debug, Default)]
pub struct BroadPhase {
    large: Vec<u32>,
    small: Vec<u32>,
    extents: Vec<f64>,
    cells: Vec<u32>,
    /// Boxes sorted by cell: those of cell c are `sorted[start[c]..start[c + 1]]`.
    sorted: Vec<(u32, Aabb)>,
    start: Vec<u32>,
}

/// Boxes larger than this multiple of the median size are treated separately.
const LARGE_BOX_RATIO: f64 = 4.0;
/// Offsets to half of the 26 neighbouring cells, so that each pair of cells is visited once.
const FORWARD_NEIGHBOURS: [[i64; 3]; 13] = [
    [1, 0, 0],
    [-1, 1, 0],
    [0, 1, 0],
    [1, 1, 0],
    [-1, -1, 1],
    [0, -1, 1],
    [1, -1, 1],
    [-1, 0, 1],
    [0, 0, 1],
    [1, 0, 1],
    [-1, 1, 1],
    [0, 1, 1],
    [1, 1, 1],
];

fn come_near(a: &Aabb, b: &Aabb, margin: f64) -> bool {
    (0..3).all(|k| a.lo[k] < b.hi[k] + margin && b.lo[k] < a.hi[k] + margin)
}

impl BroadPhase {
    /// Fills `pairs` with all i < j whose boxes come nearer than `margin`, sorted. A box with a NaN has no neighbours.
    pub fn candidates(&mut self, boxes: &[Aabb], margin: f64, pairs: &mut Vec<(usize, usize)>) {
        pairs.clear();
        self.split_by_size(boxes);
        for (k, &i) in self.large.iter().enumerate() {
            let a = &boxes[i as usize];
            for &j in self.large[k + 1..].iter().chain(&self.small) {
                if come_near(a, &boxes[j as usize], margin) {
                    pairs.push((i.min(j) as usize, i.max(j) as usize));
                }
            }
        }
        self.search_grid(boxes, margin, pairs);
        pairs.sort_unstable();
    }

    /// Separates the large boxes from the others.
    fn split_by_size(&mut self, boxes: &[Aabb]) {
        let extent = |b: &Aabb| (b.hi - b.lo).max();
        self.large.clear();
        self.small.clear();
        self.extents.clear();
        self.extents.extend(boxes.iter().map(extent).filter(|e| e.is_finite()));
        let middle = self.extents.len() / 2;
        let median =
            if self.extents.is_empty() { 0.0 } else { *self.extents.select_nth_unstable_by(middle, f64::total_cmp).1 };
        for (i, b) in (0..).zip(boxes) {
            let small = extent(b) <= LARGE_BOX_RATIO * median && b.lo.iter().all(|x| x.is_finite());
            if small { self.small.push(i) } else { self.large.push(i) }
        }
    }

    fn search_grid(&mut self, boxes: &[Aabb], margin: f64, pairs: &mut Vec<(usize, usize)>) {
        let n = self.small.len();
        if n < 2 {
            return;
        }
        let (mut lo, mut hi) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
        let mut largest: f64 = 0.0;
        for &i in &self.small {
            let b = &boxes[i as usize];
            lo = lo.inf(&b.lo);
            hi = hi.sup(&b.lo);
            largest = largest.max((b.hi - b.lo).max());
        }
        // Cells as small as allowed, but at most eight per box.
        let mut cell = (largest + margin.max(0.0)).max(f64::MIN_POSITIVE) * (1.0 + 1e-9);
        let counts = |cell: f64| (hi - lo).map(|l| (l / cell).floor() + 1.0);
        while counts(cell).product() > 8.0 * n as f64 {
            cell *= 1.25;
        }
        let count = counts(cell).map(|x| x as i64);
        let total = (count.x * count.y * count.z) as usize;
        let place = |b: &Aabb| ((b.lo - lo) / cell).map(|x| x as i64);

        // Counting sort.
        self.start.clear();
        self.start.resize(total + 2, 0);
        self.cells.clear();
        for &i in &self.small {
            let p = place(&boxes[i as usize]);
            let c = ((p.z * count.y + p.y) * count.x + p.x) as u32;
            self.cells.push(c);
            self.start[c as usize + 2] += 1;
        }
        for c in 2..total + 2 {
            self.start[c] += self.start[c - 1];
        }
        self.sorted.clear();
        self.sorted.resize(n, (0, boxes[0]));
        for (&i, &c) in self.small.iter().zip(&self.cells) {
            let next = &mut self.start[c as usize + 1];
            self.sorted[*next as usize] = (i, boxes[i as usize]);
            *next += 1;
        }

        let within = |c: usize| self.start[c] as usize..self.start[c + 1] as usize;
        let mut compare = |(i, a): &(u32, Aabb), others: &[(u32, Aabb)]| {
            for (j, b) in others {
                if come_near(a, b, margin) {
                    pairs.push((*i.min(j) as usize, *i.max(j) as usize));
                }
            }
        };
        for c in 0..total {
            let own = &self.sorted[within(c)];
            if own.is_empty() {
                continue;
            }
            let ci = c as i64;
            let at = [ci % count.x, ci / count.x % count.y, ci / (count.x * count.y)];
            for (k, a) in own.iter().enumerate() {
                compare(a, &own[k + 1..]);
            }
            for step in FORWARD_NEIGHBOURS {
                let q = [at[0] + step[0], at[1] + step[1], at[2] + step[2]];
                if (0..3).all(|k| q[k] >= 0 && q[k] < count[k]) {
                    let others = &self.sorted[within(((q[2] * count.y + q[1]) * count.x + q[0]) as usize)];
                    if !others.is_empty() {
                        own.iter().for_each(|a| compare(a, others));
                    }
                }
            }
        }
    }
}
