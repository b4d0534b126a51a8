//! Which gaps may have closed between two states that the search for events has evaluated.
//!
//! For each such state the monitor stores the gaps, and the motions of the markers that they depend on. `kinds` says how each gap is
//! followed; `follow` answers the questions of the search.

mod follow;
mod kinds;

use self::kinds::{Axes, Bodies, Kind, kind, solids};
use super::TOUCH;
use super::clearance::{Cubic, End, Stretch, least_of};
use crate::contacts::Ahead;
use crate::forces::ForceKind;
use crate::laws::QUIET;
use crate::model::Model;
use crate::motion::{Mat3, Motion, Vec3};
use crate::shapes::Solid;
use taut_ode::{Between, Noted};

/// Depth, relative to the thinner body, that may go undetected.
const SHALLOW: f64 = 1e-7;
/// The same for bodies with edges. Shallower contacts show in the gap and its rate.
const EDGED: f64 = 0.2;
/// Rotation, rad, beyond which the velocities at both ends say nothing about the motion between them.
const TURNED: f64 = 1.5;
/// Largest speed between two states, relative to that at both ends.
const FASTER: f64 = 1.5;

/// The stored states, by their slot numbers.
#[derive(Debug, Default)]
pub(crate) struct Lookout {
    kinds: Vec<Kind>,
    /// Markers whose motions are stored.
    markers: Vec<usize>,
    motions: Vec<Motion>,
    gaps: Vec<Ahead>,
}

impl Lookout {
    /// For the watched constraints with a law, then for the compliant contacts.
    pub fn new(model: &Model, watched: &[usize], soft: &[usize]) -> Lookout {
        let rigid = watched.iter().map(|c| kind(model, *c));
        let soft = soft.iter().map(|f| match &model.forces[*f].kind {
            ForceKind::Compliant(pair) => solids(model, &model.forces[*f].markers, &pair.solids[0], &pair.solids[1]),
            _ => Kind::Smooth,
        });
        let kinds: Vec<Kind> = rigid.chain(soft).collect();
        let mut markers: Vec<usize> = Vec::new();
        for kind in &kinds {
            match kind {
                Kind::Bodies(b) => markers.extend(b.markers.iter().chain(&b.owns)),
                Kind::Turning(own) => markers.extend(own),
                Kind::Smooth => {}
            }
        }
        markers.sort_unstable();
        markers.dedup();
        Lookout { kinds, markers, motions: Vec::new(), gaps: Vec::new() }
    }

    /// Stores motions and gaps.
    fn note(&mut self, slot: usize, motions: &[Motion], gaps: &[Ahead]) {
        let (m, n) = (self.markers.len(), self.kinds.len());
        self.motions.truncate(slot * m);
        self.gaps.truncate(slot * n);
        self.motions.extend(self.markers.iter().map(|k| motions[*k]));
        self.gaps.extend_from_slice(gaps);
        // If the equations could not be solved, nothing is known.
        self.gaps.resize((slot + 1) * n, Ahead::NOTHING);
    }

    fn motion(&self, at: Noted, marker: usize) -> &Motion {
        let k = self.markers.binary_search(&marker).unwrap_or(0);
        &self.motions[at.slot * self.markers.len() + k]
    }

    fn gap(&self, at: Noted, k: usize) -> Ahead {
        self.gaps[at.slot * self.kinds.len() + k]
    }

    /// Whether gap `k` may have closed between two states.
    fn between(&self, k: usize, from: Noted, to: Noted) -> Between {
        let h = (to.t - from.t).abs();
        let ends = [from, to];
        let gaps = ends.map(|end| self.gap(end, k));
        match &self.kinds[k] {
            Kind::Bodies(bodies) => self.bodies(bodies, ends, gaps, h),
            Kind::Turning(markers) => {
                let least = gaps[0].gap.min(gaps[1].gap);
                if least <= 0.0 {
                    return Between::Clear;
                }
                let fastest = |f: fn(&Motion) -> f64| {
                    let of = |m: &usize| ends.map(|end| f(self.motion(end, *m))).into_iter().fold(0.0, f64::max);
                    markers.iter().map(of).sum::<f64>()
                };
                let way = 2.0 * FASTER * h * fastest(|m| m.v.norm());
                if least > way + 2.0 * FASTER * h * fastest(|m| m.w.norm()) * self.span(markers, ends) {
                    return Between::Clear;
                }
                if h * fastest(|m| m.w.norm()) > TURNED { Between::Doubtful(0.5) } else { smooth(gaps, to.t - from.t) }
            }
            Kind::Smooth => smooth(gaps, to.t - from.t),
        }
    }

    /// The largest distance between these markers.
    fn span(&self, markers: &[usize], ends: [Noted; 2]) -> f64 {
        let first = |end: Noted| markers.first().map_or(Vec3::zeros(), |m| self.motion(end, *m).p);
        let far = |end: Noted| markers.iter().map(|m| (self.motion(end, *m).p - first(end)).norm()).fold(0.0, f64::max);
        far(ends[0]).max(far(ends[1]))
    }

    fn bodies(&self, b: &Bodies, ends: [Noted; 2], gaps: [Ahead; 2], h: f64) -> Between {
        let [from, to] = gaps.map(|g| g.gap);
        if from <= 0.0 && to <= 0.0 {
            return Between::Clear;
        }
        let edged = b.core != [0.0; 2] && b.thickness.is_finite();
        if edged && let Between::Doubtful(share) = smooth(gaps, ends[1].t - ends[0].t) {
            return Between::Doubtful(share);
        }
        let shallow = if edged { EDGED } else { SHALLOW };
        let tolerance = TOUCH + if b.thickness.is_finite() { shallow * b.thickness } else { 0.0 };
        let seen = ends.map(|end| self.seen(b, end));
        let fastest = |f: fn(&Seen) -> f64| f(&seen[0]).max(f(&seen[1]));
        let turning = h * fastest(|s| s.turning);
        // For any rotation: the gap exceeds what both frames can move, plus what they carry about with them.
        // The gap to ground only counts triangles that are near and in front.
        let far = if b.ground.is_some() { 0.0 } else { from.max(to) };
        if far > FASTER * h * fastest(|s| s.speed) + turning.min(2.0 * (b.core[0] + b.core[1])) {
            return Between::Clear;
        }
        if let Some((about, ..)) = &b.ground
            && seen.iter().any(|s| about.beyond(&s.way) > about.radius + FASTER * h * fastest(|s| s.speed))
        {
            return Between::Clear;
        }
        if h * fastest(|s| s.w) > TURNED {
            return Between::Doubtful(0.5);
        }
        let (rate, rate_to) = (seen[0].rate * h, seen[1].rate * h);
        let (rate, rate_to) = if ends[1].t < ends[0].t { (-rate, -rate_to) } else { (rate, rate_to) };
        let way = Cubic::through(seen[0].way, rate, seen[1].way, rate_to);
        let mut allowance = Cubic::allowance(seen[0].way, rate, seen[1].way, rate_to);
        if b.core == [0.0; 2] && b.axes == Axes::World {
            // The least distance may itself change with time.
            let length = |i: usize| seen[i].way.norm() - gaps[i].gap;
            allowance += (length(1) - length(0)).abs();
        }
        if from <= 0.0 || to <= 0.0 {
            // Passing through a body takes at least its width; half of it is already doubtful.
            let travel = (seen[1].way - seen[0].way).norm() + allowance + turning;
            return if travel > 0.5 * b.thickness { Between::Doubtful(0.5) } else { Between::Clear };
        }
        let stretch = Stretch { way, allowance, turning };
        let part = match &b.ground {
            Some((about, ground, body)) => {
                let turned = ends.map(|end| {
                    let [A, B] = b.markers.map(|m| self.motion(end, m).R);
                    B.tr_mul(&A)
                });
                stretch.doubtful_where(|u, w| {
                    !stretch.outside(about, u, w)
                        && meets(&stretch, [ground, body], &turned, [from, to], [u, w], tolerance)
                })
            }
            None => {
                let end = |i: usize| {
                    let Ahead { gap, normal: n, .. } = gaps[i];
                    let n = match b.axes {
                        Axes::World if n == Vec3::zeros() => seen[i].way.try_normalize(0.0).unwrap_or(n),
                        Axes::World => n,
                        Axes::First => self.motion(ends[i], b.markers[0]).R.tr_mul(&n),
                    };
                    End { gap, n }
                };
                stretch.doubtful([end(0), end(1)], tolerance)
            }
        };
        part.map_or(Between::Clear, |[u, w]| Between::Doubtful(0.5 * (u + w)))
    }

    fn seen(&self, b: &Bodies, at: Noted) -> Seen {
        let [A, B] = b.markers.map(|m| self.motion(at, m));
        let owns = b.owns.map(|m| self.motion(at, m));
        let [ca, cb] = [A.R * b.centre[0], B.R * b.centre[1]];
        let (p, v) = (B.p + cb - A.p - ca, B.v + B.w.cross(&cb) - A.v - A.w.cross(&ca));
        let carried = |own: &Motion, m: &Motion, c: Vec3| {
            own.v.norm().max((m.v + m.w.cross(&c)).norm()) + m.w.norm() * (m.p + c - own.p).norm()
        };
        let speed = carried(owns[0], A, ca) + carried(owns[1], B, cb);
        match b.axes {
            Axes::World => Seen {
                way: p,
                rate: v,
                speed,
                turning: b.core[0] * A.w.norm() + b.core[1] * B.w.norm(),
                w: A.w.norm().max(B.w.norm()),
            },
            Axes::First => Seen {
                way: A.R.tr_mul(&p),
                rate: A.R.tr_mul(&(v - A.w.cross(&p))),
                speed: speed + A.w.norm() * p.norm(),
                turning: b.core[1] * (B.w - A.w).norm(),
                w: A.w.norm().max(B.w.norm()),
            },
        }
    }
}

/// Whether a body may meet one of the triangles of ground between two places of a stretch. It cannot if it stays above the plane of the
/// triangle, or too far from it. `turned` takes vectors of the ground into the axes of the body at both ends.
fn meets(
    stretch: &Stretch,
    [ground, body]: [&Solid; 2],
    turned: &[Mat3; 2],
    gaps: [f64; 2],
    [u, w]: [f64; 2],
    tolerance: f64,
) -> bool {
    let [lo, hi] = stretch.extent(u, w);
    let reach = Vec3::repeat(body.whole());
    let strays = [stretch.strays(0, u, w), stretch.strays(1, u, w)];
    let mut met = false;
    ground.planes(lo - reach, hi + reach, &mut |n, d, distance| {
        let clear = |end: usize| {
            let middle = stretch.end(end);
            let height = n.dot(&middle) - d;
            let over = height - body.support(&-(turned[end] * n));
            // The gap says nothing about a triangle that the body lies wholly behind.
            let told = height + body.support(&(turned[end] * n)) >= 0.0 && gaps[end] < QUIET;
            (over > -tolerance && over + stretch.falls(end, n, u, w) > -tolerance)
                || (told && gaps[end] - strays[end] - stretch.turns(end, u, w) > -tolerance)
                || distance(&middle) - body.whole() - strays[end] > -tolerance
        };
        met |= !clear(0) && !clear(1);
    });
    met
}

/// The relative motion of two bodies in one state.
#[derive(Clone, Copy, Debug)]
struct Seen {
    way: Vec3,
    rate: Vec3,
    /// Bound of their relative speed for any rotation.
    speed: f64,
    /// Rate, m/s, at which their rotation may close the gap.
    turning: f64,
    /// Angular velocity of the faster one.
    w: f64,
}

/// Whether a smooth function may have fallen to zero, from its values and rates at both ends.
fn smooth([a, b]: [Ahead; 2], h: f64) -> Between {
    if a.gap <= 0.0 || b.gap <= 0.0 || a.gap >= QUIET || b.gap >= QUIET {
        return Between::Clear;
    }
    let (least, place) = least_of([a.gap, b.gap], [a.rate * h, b.rate * h]);
    if least > -TOUCH { Between::Clear } else { Between::Doubtful(place.clamp(0.1, 0.9)) }
}
