//! Convex hulls for drawing, by simple algorithms for few points.

use crate::scene::Point;
use taut::motion::Vec3;

/// Largest number of points; the brute-force search over triangles takes too long beyond.
const MAX_POINTS: usize = 120;

/// Vertices of the convex hull of points in the plane, counter-clockwise.
pub(super) fn convex_polygon(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut sorted: Vec<[f64; 2]> = points.iter().copied().filter(|p| p.iter().all(|x| x.is_finite())).collect();
    sorted.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    sorted.dedup();
    if sorted.len() < 3 {
        return sorted;
    }
    let left = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let chain = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut half: Vec<[f64; 2]> = Vec::new();
        for p in points {
            while half.len() > 1 && left(half[half.len() - 2], half[half.len() - 1], p) <= 0.0 {
                half.pop();
            }
            half.push(p);
        }
        half.pop();
        half
    };
    let mut hull = chain(&mut sorted.iter().copied());
    hull.extend(chain(&mut sorted.iter().rev().copied()));
    hull
}

/// Triangles of the convex hull of points in space, counter-clockwise seen from outside: all triples with the other points on
/// one side. Flat faces give overlapping triangles, which is harmless for drawing. `None` for too many or coplanar points.
pub(super) fn convex_hull(points: &[Point]) -> Option<Vec<[usize; 3]>> {
    let n = points.len();
    if !(4..=MAX_POINTS).contains(&n) {
        return None;
    }
    let at: Vec<Vec3> = points.iter().map(|p| Vec3::from(*p)).collect();
    let across = at.iter().map(|p| (p - at[0]).norm()).fold(0.0, f64::max);
    let slack = 1e-9 * across;
    let mut triangles = Vec::new();
    for i in 0..n {
        for j in i + 1..n {
            for k in j + 1..n {
                let normal = (at[j] - at[i]).cross(&(at[k] - at[i]));
                if normal.norm() <= slack * across {
                    continue;
                }
                let normal = normal.normalize();
                let heights = at.iter().map(|p| normal.dot(&(p - at[i])));
                let (low, high) = heights.fold((0.0_f64, 0.0_f64), |(l, h), x| (l.min(x), h.max(x)));
                match (low < -slack, high > slack) {
                    (true, false) => triangles.push([i, j, k]),
                    (false, true) => triangles.push([i, k, j]),
                    _ => {}
                }
            }
        }
    }
    (!triangles.is_empty()).then_some(triangles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_with_a_point_inside() {
        let hull = convex_polygon(&[[0.0, 0.0], [1.0, 1.0], [0.5, 0.4], [1.0, 0.0], [0.0, 1.0], [0.5, 0.0]]);
        assert_eq!(hull, [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
    }

    #[test]
    fn triangles_of_a_tetrahedron_look_outwards() {
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.1, 0.1, 0.1]];
        let triangles = convex_hull(&points).unwrap();
        assert_eq!(triangles.len(), 4);
        for [a, b, c] in triangles {
            let at = [a, b, c].map(|k| Vec3::from(points[k]));
            let normal = (at[1] - at[0]).cross(&(at[2] - at[0]));
            assert!(normal.dot(&(at[0] - Vec3::repeat(0.1))) > 0.0);
        }
        assert!(convex_hull(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]).is_none());
    }
}
