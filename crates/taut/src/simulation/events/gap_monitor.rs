//! Which gaps may have closed between two states that the search for events has evaluated.
//!
//! For each such state the monitor stores the gaps, and the motions of the markers that they depend on. `gap_kinds` says how each gap is
//! followed; `queries` answers the questions of the search.

mod gap_kinds;
mod queries;

use self::gap_kinds::{ApproachingBodies, GapKind, OffsetAxes, gap_kind, solids};
use super::conservative_advancement::{BezierCubic, RelativePath, SeparatedEnd, lower_bound_between};
use crate::contacts::GapState;
use crate::forces::ForceKind;
use crate::laws::NEVER_ZERO;
use crate::model::Model;
use crate::motion::{Mat3, Motion, Vec3};
use crate::shapes::Solid;
use taut_ode::{IntervalCheck, SampleId};

/// Depth, relative to the thinner body, that may go undetected.
const UNDETECTED_DEPTH: f64 = 1e-7;
/// The same for bodies with edges. Shallower contacts show in the gap and its rate.
const UNDETECTED_DEPTH_OF_EDGES: f64 = 0.2;
/// Rotation, rad, beyond which the velocities at both ends say nothing about the motion between them.
const MAX_INTERPOLATED_ROTATION: f64 = 1.5;
/// Largest speed between two states, relative to that at both ends.
const SPEED_MARGIN: f64 = 1.5;

/// The stored states, by their slot numbers.
#[derive(Debug, Default)]
pub(crate) struct GapMonitor {
    kinds: Vec<GapKind>,
    /// Markers whose motions are stored.
    markers: Vec<usize>,
    motions: Vec<Motion>,
    gaps: Vec<GapState>,
    /// Gaps below this count as closed, m.
    closed_gap: f64,
}

impl GapMonitor {
    /// For the watched constraints with a law, then for the compliant contacts.
    pub fn new(model: &Model, watched: &[usize], soft: &[usize]) -> GapMonitor {
        let rigid = watched.iter().map(|c| gap_kind(model, *c));
        let soft = soft.iter().map(|f| match &model.forces[*f].kind {
            ForceKind::Compliant(pair) => solids(model, &model.forces[*f].markers, &pair.solids[0], &pair.solids[1]),
            _ => GapKind::Smooth,
        });
        let kinds: Vec<GapKind> = rigid.chain(soft).collect();
        let mut markers: Vec<usize> = Vec::new();
        for kind in &kinds {
            match kind {
                GapKind::Bodies(b) => markers.extend(b.markers.iter().chain(&b.body_frames)),
                GapKind::Turning(own) => markers.extend(own),
                GapKind::Smooth => {}
            }
        }
        markers.sort_unstable();
        markers.dedup();
        let closed_gap = model.contact_scale.closed_gap();
        GapMonitor { kinds, markers, motions: Vec::new(), gaps: Vec::new(), closed_gap }
    }

    /// Stores motions and gaps.
    fn store(&mut self, slot: usize, motions: &[Motion], gaps: &[GapState]) {
        let (m, n) = (self.markers.len(), self.kinds.len());
        self.motions.truncate(slot * m);
        self.gaps.truncate(slot * n);
        self.motions.extend(self.markers.iter().map(|k| motions[*k]));
        self.gaps.extend_from_slice(gaps);
        // If the equations could not be solved, nothing is known.
        self.gaps.resize((slot + 1) * n, GapState::NONE_NEAR);
    }

    fn motion(&self, at: SampleId, marker: usize) -> &Motion {
        let k = self.markers.binary_search(&marker).unwrap_or(0);
        &self.motions[at.slot * self.markers.len() + k]
    }

    fn gap(&self, at: SampleId, k: usize) -> GapState {
        self.gaps[at.slot * self.kinds.len() + k]
    }

    /// Whether gap `k` may have closed between two states.
    fn between(&self, k: usize, from: SampleId, to: SampleId) -> IntervalCheck {
        let h = (to.t - from.t).abs();
        let ends = [from, to];
        let gaps = ends.map(|end| self.gap(end, k));
        match &self.kinds[k] {
            GapKind::Bodies(bodies) => self.between_bodies(bodies, ends, gaps, h),
            GapKind::Turning(markers) => {
                let least = gaps[0].gap.min(gaps[1].gap);
                if least <= 0.0 {
                    return IntervalCheck::NoHiddenZero;
                }
                let fastest = |f: fn(&Motion) -> f64| {
                    let of = |m: &usize| ends.map(|end| f(self.motion(end, *m))).into_iter().fold(0.0, f64::max);
                    markers.iter().map(of).sum::<f64>()
                };
                let way = 2.0 * SPEED_MARGIN * h * fastest(|m| m.v.norm());
                if least > way + 2.0 * SPEED_MARGIN * h * fastest(|m| m.w.norm()) * self.largest_distance(markers, ends)
                {
                    return IntervalCheck::NoHiddenZero;
                }
                if h * fastest(|m| m.w.norm()) > MAX_INTERPOLATED_ROTATION {
                    IntervalCheck::MayHideZero(0.5)
                } else {
                    smooth_may_close(gaps, to.t - from.t, self.closed_gap)
                }
            }
            GapKind::Smooth => smooth_may_close(gaps, to.t - from.t, self.closed_gap),
        }
    }

    /// The largest distance between these markers.
    fn largest_distance(&self, markers: &[usize], ends: [SampleId; 2]) -> f64 {
        let first = |end: SampleId| markers.first().map_or(Vec3::zeros(), |m| self.motion(end, *m).p);
        let far =
            |end: SampleId| markers.iter().map(|m| (self.motion(end, *m).p - first(end)).norm()).fold(0.0, f64::max);
        far(ends[0]).max(far(ends[1]))
    }

    fn between_bodies(&self, b: &ApproachingBodies, ends: [SampleId; 2], gaps: [GapState; 2], h: f64) -> IntervalCheck {
        let [from, to] = gaps.map(|g| g.gap);
        if from <= 0.0 && to <= 0.0 {
            return IntervalCheck::NoHiddenZero;
        }
        let edged = b.core_radius != [0.0; 2] && b.thickness.is_finite();
        if edged
            && let IntervalCheck::MayHideZero(fraction) = smooth_may_close(gaps, ends[1].t - ends[0].t, self.closed_gap)
        {
            return IntervalCheck::MayHideZero(fraction);
        }
        let shallow = if edged { UNDETECTED_DEPTH_OF_EDGES } else { UNDETECTED_DEPTH };
        let tolerance = self.closed_gap + if b.thickness.is_finite() { shallow * b.thickness } else { 0.0 };
        let seen = ends.map(|end| self.relative_motion(b, end));
        let fastest = |f: fn(&RelativeMotion) -> f64| f(&seen[0]).max(f(&seen[1]));
        let turning = h * fastest(|s| s.rotation_closing_rate);
        // For any rotation: the gap exceeds what both frames can move, plus what they carry about with them.
        // The gap to ground only counts triangles that are near and in front.
        let far = if b.ground.is_some() { 0.0 } else { from.max(to) };
        if far > SPEED_MARGIN * h * fastest(|s| s.speed) + turning.min(2.0 * (b.core_radius[0] + b.core_radius[1])) {
            return IntervalCheck::NoHiddenZero;
        }
        if let Some((about, ..)) = &b.ground
            && seen
                .iter()
                .any(|s| about.distance_beyond(&s.offset) > about.radius + SPEED_MARGIN * h * fastest(|s| s.speed))
        {
            return IntervalCheck::NoHiddenZero;
        }
        if h * fastest(|s| s.w) > MAX_INTERPOLATED_ROTATION {
            return IntervalCheck::MayHideZero(0.5);
        }
        let (rate, rate_to) = (seen[0].rate * h, seen[1].rate * h);
        let (rate, rate_to) = if ends[1].t < ends[0].t { (-rate, -rate_to) } else { (rate, rate_to) };
        let way = BezierCubic::through(seen[0].offset, rate, seen[1].offset, rate_to);
        let mut allowance = BezierCubic::interpolation_error(seen[0].offset, rate, seen[1].offset, rate_to);
        if b.core_radius == [0.0; 2] && b.axes == OffsetAxes::World {
            // The least distance may itself change with time.
            let length = |i: usize| seen[i].offset.norm() - gaps[i].gap;
            allowance += (length(1) - length(0)).abs();
        }
        if from <= 0.0 || to <= 0.0 {
            // Passing through a body takes at least its width; half of it is already doubtful.
            let travel = (seen[1].offset - seen[0].offset).norm() + allowance + turning;
            return if travel > 0.5 * b.thickness {
                IntervalCheck::MayHideZero(0.5)
            } else {
                IntervalCheck::NoHiddenZero
            };
        }
        let stretch = RelativePath { path: way, interpolation_error: allowance, rotation_closing: turning };
        let part = match &b.ground {
            Some((about, ground, body)) => {
                let turned = ends.map(|end| {
                    let [A, B] = b.markers.map(|m| self.motion(end, m).R);
                    B.tr_mul(&A)
                });
                stretch.doubtful_where(|u, w| {
                    !stretch.outside(about, u, w)
                        && may_meet_ground(&stretch, [ground, body], &turned, [from, to], [u, w], tolerance)
                })
            }
            None => {
                let end = |i: usize| {
                    let GapState { gap, normal: n, .. } = gaps[i];
                    let n = match b.axes {
                        OffsetAxes::World if n == Vec3::zeros() => seen[i].offset.try_normalize(0.0).unwrap_or(n),
                        OffsetAxes::World => n,
                        OffsetAxes::First => self.motion(ends[i], b.markers[0]).R.tr_mul(&n),
                    };
                    SeparatedEnd { gap, n }
                };
                stretch.doubtful([end(0), end(1)], tolerance)
            }
        };
        part.map_or(IntervalCheck::NoHiddenZero, |[u, w]| IntervalCheck::MayHideZero(0.5 * (u + w)))
    }

    fn relative_motion(&self, b: &ApproachingBodies, at: SampleId) -> RelativeMotion {
        let [A, B] = b.markers.map(|m| self.motion(at, m));
        let owns = b.body_frames.map(|m| self.motion(at, m));
        let [ca, cb] = [A.R * b.centre[0], B.R * b.centre[1]];
        let (p, v) = (B.p + cb - A.p - ca, B.v + B.w.cross(&cb) - A.v - A.w.cross(&ca));
        let carried = |own: &Motion, m: &Motion, c: Vec3| {
            own.v.norm().max((m.v + m.w.cross(&c)).norm()) + m.w.norm() * (m.p + c - own.p).norm()
        };
        let speed = carried(owns[0], A, ca) + carried(owns[1], B, cb);
        match b.axes {
            OffsetAxes::World => RelativeMotion {
                offset: p,
                rate: v,
                speed,
                rotation_closing_rate: b.core_radius[0] * A.w.norm() + b.core_radius[1] * B.w.norm(),
                w: A.w.norm().max(B.w.norm()),
            },
            OffsetAxes::First => RelativeMotion {
                offset: A.R.tr_mul(&p),
                rate: A.R.tr_mul(&(v - A.w.cross(&p))),
                speed: speed + A.w.norm() * p.norm(),
                rotation_closing_rate: b.core_radius[1] * (B.w - A.w).norm(),
                w: A.w.norm().max(B.w.norm()),
            },
        }
    }
}

/// Whether a body may meet one of the triangles of ground between two places of a stretch. It cannot if it stays above the plane of the
/// triangle, or too far from it. `turned` takes vectors of the ground into the axes of the body at both ends.
fn may_meet_ground(
    stretch: &RelativePath,
    [ground, body]: [&Solid; 2],
    turned: &[Mat3; 2],
    gaps: [f64; 2],
    [u, w]: [f64; 2],
    tolerance: f64,
) -> bool {
    let [lo, hi] = stretch.extent(u, w);
    let reach = Vec3::repeat(body.bounding_radius());
    let strays = [stretch.largest_travel(0, u, w), stretch.largest_travel(1, u, w)];
    let mut met = false;
    ground.terrain_planes(lo - reach, hi + reach, &mut |n, d, distance| {
        let clear = |end: usize| {
            let middle = stretch.end(end);
            let height = n.dot(&middle) - d;
            let over = height - body.support_distance(&-(turned[end] * n));
            // The gap says nothing about a triangle that the body lies wholly behind.
            let reported = height + body.support_distance(&(turned[end] * n)) >= 0.0 && gaps[end] < NEVER_ZERO;
            (over > -tolerance && over + stretch.least_change(end, n, u, w) > -tolerance)
                || (reported && gaps[end] - strays[end] - stretch.rotation_closing(end, u, w) > -tolerance)
                || distance(&middle) - body.bounding_radius() - strays[end] > -tolerance
        };
        met |= !clear(0) && !clear(1);
    });
    met
}

/// The relative motion of two bodies in one state.
#[derive(Clone, Copy, Debug)]
struct RelativeMotion {
    offset: Vec3,
    rate: Vec3,
    /// Bound of their relative speed for any rotation.
    speed: f64,
    /// Rate, m/s, at which their rotation may close the gap.
    rotation_closing_rate: f64,
    /// Angular velocity of the faster one.
    w: f64,
}

/// Whether a smooth function may have fallen to zero, from its values and rates at both ends.
fn smooth_may_close([a, b]: [GapState; 2], h: f64, closed_gap: f64) -> IntervalCheck {
    if a.gap <= 0.0 || b.gap <= 0.0 || a.gap >= NEVER_ZERO || b.gap >= NEVER_ZERO {
        return IntervalCheck::NoHiddenZero;
    }
    let (least, place) = lower_bound_between([a.gap, b.gap], [a.rate * h, b.rate * h]);
    if least > -closed_gap { IntervalCheck::NoHiddenZero } else { IntervalCheck::MayHideZero(place.clamp(0.1, 0.9)) }
}
