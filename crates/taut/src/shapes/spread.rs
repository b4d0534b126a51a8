//! Of many points of one flat contact the few that hold it: the deepest, the farthest from it, and the two that
//! span the largest area to either side of the line between them.

use super::touch::Touch;
use crate::motion::Vec3;

/// Points whose normals differ by less than this cosine belong to one flat contact.
const ALIGNED: f64 = 0.98;

/// Thins out what was appended from `start` on: at most `most` (2 or 4) points for each normal, in the order they came.
pub(crate) fn spread(out: &mut Vec<Touch>, start: usize, most: usize) {
    if out.len() - start <= most {
        return;
    }
    // Groups are gathered at the front, each thinned out in its place.
    let mut from = start;
    let mut end = start;
    while from < out.len() {
        // The deepest leads its group.
        let lead = (from..out.len()).fold(from, |i, j| if out[j].gap < out[i].gap { j } else { i });
        out.swap(from, lead);
        let n = out[from].normal;
        let mut to = from + 1;
        for i in from + 1..out.len() {
            if out[i].normal.dot(&n) > ALIGNED {
                out.swap(i, to);
                to += 1;
            }
        }
        let kept = thin(&mut out[from..to], &n, most);
        for i in 0..kept {
            out.swap(end + i, from + i);
        }
        end += kept;
        from = to;
    }
    out.truncate(end);
}

/// Brings the chosen ones to the front; how many.
fn thin(group: &mut [Touch], n: &Vec3, most: usize) -> usize {
    if group.len() <= most {
        return group.len();
    }
    // Of those as deep as the deepest, but for round-off, the one farthest out.
    let middle = group.iter().map(|t| t.point_a).sum::<Vec3>() / group.len() as f64;
    let size = group.iter().map(|t| (t.point_a - middle).amax()).fold(0.0, f64::max);
    let deep = group[0].gap + 1e-9 * size;
    bring(group, 0, |t| if t.gap <= deep { (t.point_a - middle).norm_squared() } else { -1.0 });
    let o = group[0].point_a;
    bring(group, 1, |t| (t.point_a - o).norm_squared());
    if most == 2 {
        return 2;
    }
    let side = n.cross(&(group[1].point_a - o));
    bring(group, 2, |t| side.dot(&(t.point_a - o)));
    bring(group, 3, |t| -side.dot(&(t.point_a - o)));
    4
}

/// Swaps the greatest by some measure into place k.
fn bring(group: &mut [Touch], k: usize, measure: impl Fn(&Touch) -> f64) {
    let best = (k..group.len()).fold(k, |i, j| if measure(&group[j]) > measure(&group[i]) { j } else { i });
    group.swap(k, best);
}
