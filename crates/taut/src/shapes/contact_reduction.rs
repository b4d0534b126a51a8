//! Reduction of a flat contact to a few points: the deepest, the one farthest from it, and on either side of the line between
//! these two the point farthest from that line.

use super::contact_points::ContactGeometry;
use crate::motion::Vec3;

/// Points belong to one flat contact if the cosine between their normals exceeds this.
const ALIGNED_COSINE: f64 = 0.98;

/// Reduces the points from `start` on to at most `most` (2 or 4) for each normal.
pub(crate) fn reduce_contact_points(out: &mut Vec<ContactGeometry>, start: usize, most: usize) {
    if out.len() - start <= most {
        return;
    }
    // Groups are collected at the front and reduced in place.
    let mut from = start;
    let mut end = start;
    while from < out.len() {
        // The deepest point defines the normal of its group.
        let lead = (from..out.len()).fold(from, |i, j| if out[j].gap < out[i].gap { j } else { i });
        out.swap(from, lead);
        let n = out[from].normal;
        let mut to = from + 1;
        for i in from + 1..out.len() {
            if out[i].normal.dot(&n) > ALIGNED_COSINE {
                out.swap(i, to);
                to += 1;
            }
        }
        let kept = reduce_group(&mut out[from..to], &n, most);
        for i in 0..kept {
            out.swap(end + i, from + i);
        }
        end += kept;
        from = to;
    }
    out.truncate(end);
}

/// Moves the selected points to the front and returns their number.
fn reduce_group(group: &mut [ContactGeometry], n: &Vec3, most: usize) -> usize {
    if group.len() <= most {
        return group.len();
    }
    // Of the points as deep as the deepest (within round-off), take the one farthest from the centre.
    let middle = group.iter().map(|t| t.point_a).sum::<Vec3>() / group.len() as f64;
    let size = group.iter().map(|t| (t.point_a - middle).amax()).fold(0.0, f64::max);
    let deep = group[0].gap + 1e-9 * size;
    swap_largest_to(group, 0, |t| if t.gap <= deep { (t.point_a - middle).norm_squared() } else { -1.0 });
    let o = group[0].point_a;
    swap_largest_to(group, 1, |t| (t.point_a - o).norm_squared());
    if most == 2 {
        return 2;
    }
    let side = n.cross(&(group[1].point_a - o));
    swap_largest_to(group, 2, |t| side.dot(&(t.point_a - o)));
    swap_largest_to(group, 3, |t| -side.dot(&(t.point_a - o)));
    4
}

/// Swaps the point with the greatest measure into position k.
fn swap_largest_to(group: &mut [ContactGeometry], k: usize, measure: impl Fn(&ContactGeometry) -> f64) {
    let best = (k..group.len()).fold(k, |i, j| if measure(&group[j]) > measure(&group[i]) { j } else { i });
    group.swap(k, best);
}
