//! Whether a gap stays open between two evaluated states: conservative advancement along the interpolated motion.
//!
//! ```text
//!  gap(t) ≥ g₀ + n₀·(c(t) − c₀) − ρ |w| (t − t₀)     n₀ separates two convex bodies, c from one centre to the other,
//!                                                     ρ their radius about it without their rounding
//! ```
//!
//! Along a fixed separating direction, two convex bodies stay apart until their centres have approached by the
//! gap, less the effect of rotation. The same holds backwards from the later state. c(t) is the cubic with the values and
//! rates at both ends; their deviation from a constant acceleration bounds its error.

use crate::motion::Vec3;

/// Parts of the interval that are checked separately.
const PARTS: usize = 8;

/// Factor on the discrepancy between positions and velocities that bounds the interpolation error. For a circular motion the
/// discrepancy is 1/32 of its angle.
const INTERPOLATION_MARGIN: f64 = 0.25;

/// A cubic over 0..1, given by its Bézier control points.
#[derive(Clone, Copy, Debug)]
pub(super) struct BezierCubic<T>([T; 4]);

impl BezierCubic<Vec3> {
    /// With values, and rates times the length of the interval, at both ends.
    pub fn through(from: Vec3, rate: Vec3, to: Vec3, rate_to: Vec3) -> Self {
        BezierCubic([from, from + rate / 3.0, to - rate_to / 3.0, to])
    }

    /// Bound of its error.
    pub fn interpolation_error(from: Vec3, rate: Vec3, to: Vec3, rate_to: Vec3) -> f64 {
        INTERPOLATION_MARGIN * (to - from - (rate + rate_to) * 0.5).norm()
    }

    fn along(&self, n: &Vec3) -> BezierCubic<f64> {
        BezierCubic(self.0.map(|p| n.dot(&p)))
    }

    /// Control points between two parameters.
    fn part(&self, u: f64, w: f64) -> [Vec3; 4] {
        let axes = [0, 1, 2].map(|k| BezierCubic(self.0.map(|p| p[k])).part(u, w));
        [0, 1, 2, 3].map(|i| Vec3::new(axes[0][i], axes[1][i], axes[2][i]))
    }
}

impl BezierCubic<f64> {
    /// Control points between two parameters, by the blossom.
    fn part(&self, u: f64, w: f64) -> [f64; 4] {
        let [a, b, c, d] = self.0;
        let blossom = |x: f64, y: f64, z: f64| {
            let mix = |p: f64, q: f64, x: f64| p + (q - p) * x;
            let (p, q, r) = (mix(a, b, x), mix(b, c, x), mix(c, d, x));
            mix(mix(p, q, y), mix(q, r, y), z)
        };
        [blossom(u, u, u), blossom(u, u, w), blossom(u, w, w), blossom(w, w, w)]
    }

    /// A lower bound of the values between two parameters.
    fn least(&self, u: f64, w: f64) -> f64 {
        self.part(u, w).into_iter().fold(f64::INFINITY, f64::min)
    }
}

/// The relative motion of two bodies over an interval.
#[derive(Clone, Copy, Debug)]
pub(super) struct RelativePath {
    /// From one centre to the other.
    pub path: BezierCubic<Vec3>,
    /// Bound of its error, m.
    pub interpolation_error: f64,
    /// Largest closing by rotation over the whole interval, m.
    pub rotation_closing: f64,
}

/// The gap and the separating direction of two convex bodies at one end of an interval.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeparatedEnd {
    pub gap: f64,
    pub n: Vec3,
}

/// A bounding box, in whose axes the path is written, and the bounding radius of the other body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Enclosure {
    pub middle: Vec3,
    pub half: Vec3,
    pub radius: f64,
    /// Whether the box is closed from below.
    pub closed_below: bool,
}

impl Enclosure {
    /// Distance of a point beyond one of its sides; negative inside.
    pub fn distance_beyond(&self, x: &Vec3) -> f64 {
        let sides = (0..3).flat_map(|k| {
            let over = x[k] - self.middle[k] - self.half[k];
            let under = self.middle[k] - x[k] - self.half[k];
            [over, if k < 2 || self.closed_below { under } else { f64::NEG_INFINITY }]
        });
        sides.fold(f64::NEG_INFINITY, f64::max)
    }
}

impl RelativePath {
    /// The part of the interval, within 0..1, in which the gap of two convex bodies may fall below −tolerance; `None` if it cannot.
    pub fn doubtful(&self, ends: [SeparatedEnd; 2], tolerance: f64) -> Option<[f64; 2]> {
        self.doubtful_where(|u, w| {
            let bound = |i: usize| ends[i].gap + self.least_change(i, &ends[i].n, u, w);
            bound(0).max(bound(1)) <= -tolerance
        })
    }

    /// The part of the interval for which `doubt` cannot rule out a contact.
    pub fn doubtful_where(&self, mut doubt: impl FnMut(f64, f64) -> bool) -> Option<[f64; 2]> {
        let mut found: Option<[f64; 2]> = None;
        for k in 0..PARTS {
            let [u, w] = [k, k + 1].map(|k| k as f64 / PARTS as f64);
            if doubt(u, w) {
                found = Some([found.map_or(u, |f| f[0]), w]);
            }
        }
        found
    }

    /// A lower bound of the change, from one end, of the gap along a direction between two parameters.
    pub fn least_change(&self, end: usize, n: &Vec3, u: f64, w: f64) -> f64 {
        self.path.along(n).least(u, w)
            - n.dot(&self.end(end))
            - self.rotation_closing(end, u, w)
            - self.interpolation_error
    }

    /// Largest closing by rotation from one end to two parameters.
    pub fn rotation_closing(&self, end: usize, u: f64, w: f64) -> f64 {
        let at = end as f64;
        self.rotation_closing * (u - at).abs().max((w - at).abs())
    }

    /// The centre at one end.
    pub fn end(&self, end: usize) -> Vec3 {
        self.path.0[3 * end]
    }

    /// Largest distance of the centre from one end between two parameters.
    pub fn largest_travel(&self, end: usize, u: f64, w: f64) -> f64 {
        let start = self.end(end);
        self.path.part(u, w).iter().map(|p| (p - start).norm()).fold(0.0, f64::max) + self.interpolation_error
    }

    /// Smallest and largest coordinates of the centre between two parameters.
    pub fn extent(&self, u: f64, w: f64) -> [Vec3; 2] {
        let [a, b, c, d] = self.path.part(u, w);
        let more = Vec3::repeat(self.interpolation_error);
        [a.inf(&b).inf(&c).inf(&d) - more, a.sup(&b).sup(&c).sup(&d) + more]
    }

    /// Whether the bounding ball of the other body stays beyond one side of the box.
    pub fn outside(&self, b: &Enclosure, u: f64, w: f64) -> bool {
        let [lo, hi] = self.extent(u, w);
        (0..3).any(|k| {
            let over = lo[k] - b.middle[k] - b.half[k] > b.radius;
            let under = b.middle[k] - hi[k] - b.half[k] > b.radius;
            over || (under && (k < 2 || b.closed_below))
        })
    }
}

/// A lower bound of a smooth function with these values and rates (times the length of the interval) at both ends, and its location.
pub(super) fn lower_bound_between([a, b]: [f64; 2], [rate_a, rate_b]: [f64; 2]) -> (f64, f64) {
    let contradiction = (b - a - 0.5 * (rate_a + rate_b)).abs();
    let points = [a, a + rate_a / 3.0, b - rate_b / 3.0, b];
    let (mut place, mut least) = (0.0, a);
    for (k, p) in points.into_iter().enumerate() {
        if p < least {
            (place, least) = (k as f64 / 3.0, p);
        }
    }
    // If both tangents point inwards, the minimum may be as sharp as their intersection.
    if rate_a < 0.0 && rate_b > 0.0 {
        let meet = ((b - rate_b - a) / (rate_a - rate_b)).clamp(0.0, 1.0);
        let below = (a + rate_a * meet).max(b - rate_b * (1.0 - meet));
        if below < least {
            (place, least) = (meet, below);
        }
    }
    (least - contradiction, place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn straight(from: Vec3, to: Vec3) -> RelativePath {
        let rate = to - from;
        RelativePath {
            path: BezierCubic::through(from, rate, to, rate),
            interpolation_error: 0.0,
            rotation_closing: 0.0,
        }
    }

    fn apart(at: Vec3, r: f64) -> SeparatedEnd {
        SeparatedEnd { gap: at.norm() - r, n: at.normalize() }
    }

    #[test]
    fn balls_that_miss_are_clear_and_those_that_hit_are_not() {
        for (miss, hits) in [(0.3, false), (0.1 + 1e-3, false), (0.1 - 1e-3, true), (0.0, true)] {
            // Halving what is doubtful, as a search does.
            let at = |u: f64| Vec3::new(-50.0 + 100.0 * u, miss, 0.0);
            let (mut waiting, mut looks, mut hit) = (vec![[0.0, 1.0]], 0, false);
            while let Some([u, w]) = waiting.pop() {
                looks += 1;
                let stretch = straight(at(u), at(w));
                let Some(part) = stretch.doubtful([apart(at(u), 0.1), apart(at(w), 0.1)], 1e-10) else { continue };
                let middle = u + 0.5 * (part[0] + part[1]) * (w - u);
                if at(middle).norm() < 0.1 {
                    hit = true;
                    break;
                }
                waiting.extend([[u, middle], [middle, w]]);
            }
            assert!(hit == hits && looks < 100, "{miss}: {hit} after {looks}");
        }
    }

    #[test]
    fn turning_bodies_reach_farther() {
        let mut stretch = straight(Vec3::z(), Vec3::z());
        let ends = [SeparatedEnd { gap: 0.1, n: Vec3::z() }; 2];
        assert_eq!(stretch.doubtful(ends, 0.0), None);
        stretch.rotation_closing = 0.15;
        assert_eq!(stretch.doubtful(ends, 0.0), None);
        stretch.rotation_closing = 0.25;
        assert!(stretch.doubtful(ends, 0.0).is_some_and(|[u, w]| u > 0.2 && w < 0.8));
    }

    #[test]
    fn beyond_a_side_of_the_box_nothing_is_met() {
        let half = Vec3::new(5.0, 5.0, 1.0);
        let about = |closed_below| Enclosure { middle: Vec3::zeros(), half, radius: 0.5, closed_below };
        let level = |z: f64| straight(Vec3::new(-9.0, 0.0, z), Vec3::new(9.0, 0.0, z));
        assert!(level(1.6).outside(&about(false), 0.0, 1.0));
        assert!(!level(1.4).outside(&about(false), 0.0, 1.0) && level(1.4).outside(&about(false), 0.0, 0.1));
        assert!(!level(-2.0).outside(&about(false), 0.0, 1.0) && level(-2.0).outside(&about(true), 0.0, 1.0));
    }

    #[test]
    fn the_least_of_a_smooth_function_is_not_overlooked() {
        // A parabola, a line, and a corner.
        let (least, place) = lower_bound_between([1.0, 1.0], [-4.0, 4.0]);
        assert!(least <= -1.0 + 1e-15 && (place - 0.5).abs() < 1e-15);
        assert_eq!(lower_bound_between([2.0, 1.0], [-1.0, -1.0]), (1.0, 1.0));
        assert!(lower_bound_between([1.0, 3.0], [0.0, 0.0]).0 <= -1.0, "what rates do not tell may go either way");
    }
}
