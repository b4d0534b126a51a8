//! Which gaps may have closed between two looks at the motion.
//!
//! Every state that the search for events looks at is noted: the motions of the markers that gaps depend on, and the gaps.

use super::TOUCH;
use super::clearance::{Cubic, Enclosure, End, Stretch, least_of};
use super::switches::{Owner, PER_CONSTRAINT, Switches};
use crate::constraints::{ConstraintKind, Limit, View};
use crate::contacts::{Ahead, Features, GAP};
use crate::dynamics::Dynamics;
use crate::forces::ForceKind;
use crate::laws::{Law, QUIET};
use crate::measures::Measure;
use crate::model::{ForceEntry, Model};
use crate::motion::{Mat3, Motion, Vec3};
use crate::shapes::{Feature, Solid};
use crate::state::Mode;
use taut_ode::{Between, Follow, Noted};

/// Depth, relative to the thinner body, that is not looked for.
const SHALLOW: f64 = 1e-7;
/// The same of bodies with edges: no way may lead deeper unseen, and shallower touches show in the gap and its rate.
const EDGED: f64 = 0.2;
/// Angle, rad, beyond which velocities at both ends tell nothing of what is between them.
const TURNED: f64 = 1.5;
/// How many times as fast as at both ends a body may be between them.
const FASTER: f64 = 1.5;

/// In whose axes the way from one body to the other is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Axes {
    /// The world's: both are finite.
    World,
    /// Those of the first, which is a half-space or ground.
    First,
}

/// Two bodies that approach each other.
#[derive(Clone, Debug)]
struct Bodies {
    markers: [usize; 2],
    /// The frames of the bodies that carry them.
    owns: [usize; 2],
    /// Middles in the axes of the markers, and how far the bodies reach about them beyond their rounding.
    centre: [Vec3; 2],
    core: [f64; 2],
    axes: Axes,
    /// The least length across either of them.
    thickness: f64,
    /// Ground of triangles, the box about it, and what may touch it.
    ground: Option<(Enclosure, Solid, Solid)>,
}

/// How a gap is followed.
#[derive(Clone, Debug)]
enum Kind {
    /// Two bodies or points.
    Bodies(Bodies),
    /// A smooth function of the motion of these markers, which carry axes along.
    Turning(Vec<usize>),
    /// A smooth function of time.
    Smooth,
}

/// Looks at the motion, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Lookout {
    kinds: Vec<Kind>,
    /// Markers that are noted; the others are not needed.
    markers: Vec<usize>,
    motions: Vec<Motion>,
    gaps: Vec<Ahead>,
}

/// A solid as the bound sees it: its middle, how far it reaches about it beyond its rounding, and its least thickness.
fn ball(solid: &Solid) -> (Vec3, f64, f64) {
    let core = solid.core();
    (if core.is_finite() { solid.middle() } else { Vec3::zeros() }, core, solid.thickness())
}

fn own(model: &Model, marker: usize) -> usize {
    model.markers[marker].body.map_or(marker, |b| model.bodies[b].markers.start)
}

fn solids(model: &Model, markers: &[usize], a: &Solid, b: &Solid) -> Kind {
    let ((ca, ra, ta), (cb, rb, tb)) = (ball(a), ball(b));
    if !rb.is_finite() {
        return Kind::Smooth;
    }
    let first = !ra.is_finite() || a.is_ground();
    let ground = a.is_ground().then(|| {
        let (middle, half) = a.enclosure();
        (Enclosure { middle, half, radius: b.whole(), closed_below: ra.is_finite() }, a.clone(), b.clone())
    });
    Kind::Bodies(Bodies {
        markers: [markers[0], markers[1]],
        owns: [own(model, markers[0]), own(model, markers[1])],
        centre: [if first { Vec3::zeros() } else { ca }, cb],
        core: [if first { 0.0 } else { ra }, rb],
        axes: if first { Axes::First } else { Axes::World },
        thickness: ta.min(tb),
        ground,
    })
}

fn points(model: &Model, markers: &[usize], centre: [Vec3; 2], thickness: f64) -> Kind {
    Kind::Bodies(Bodies {
        markers: [markers[0], markers[1]],
        owns: [own(model, markers[0]), own(model, markers[1])],
        centre,
        core: [0.0; 2],
        axes: Axes::World,
        thickness,
        ground: None,
    })
}

fn kind(model: &Model, c: usize) -> Kind {
    let entry = &model.constraints[c];
    let markers = &entry.markers;
    let origins = [Vec3::zeros(); 2];
    match &entry.kind {
        ConstraintKind::Separator(s) => points(model, markers, origins, s.length.at(0.0).f.abs()),
        ConstraintKind::Stop(s) => match &s.of {
            Measure::Distance { .. } if s.side == Limit::Lower => points(model, markers, origins, s.at.at(0.0).f.abs()),
            Measure::Coordinate(_) | Measure::Angle { .. } => Kind::Smooth,
            _ => Kind::Turning(markers.clone()),
        },
        ConstraintKind::Ratchet(_) => Kind::Smooth,
        ConstraintKind::Contact(point) => match &point.features {
            Features::Nearest { a, b, .. } => solids(model, markers, a, b),
            Features::Fixed(pair) => match (pair.a, pair.b) {
                (Feature::Point { p, r }, Feature::Point { p: q, r: s }) => {
                    points(model, markers, [p, q], 2.0 * r.min(s))
                }
                _ => Kind::Turning(markers.clone()),
            },
        },
        _ => Kind::Turning(markers.clone()),
    }
}

impl Lookout {
    /// For the constraints with a law that are watched, and then for the surfaces that give way.
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

    /// Takes note of motions and gaps.
    fn note(&mut self, slot: usize, motions: &[Motion], gaps: &[Ahead]) {
        let (m, n) = (self.markers.len(), self.kinds.len());
        self.motions.truncate(slot * m);
        self.gaps.truncate(slot * n);
        self.motions.extend(self.markers.iter().map(|k| motions[*k]));
        self.gaps.extend_from_slice(gaps);
        // Where the equations had no answer nothing is known.
        self.gaps.resize((slot + 1) * n, Ahead::NOTHING);
    }

    fn motion(&self, at: Noted, marker: usize) -> &Motion {
        let k = self.markers.binary_search(&marker).unwrap_or(0);
        &self.motions[at.slot * self.markers.len() + k]
    }

    fn gap(&self, at: Noted, k: usize) -> Ahead {
        self.gaps[at.slot * self.kinds.len() + k]
    }

    /// Whether gap `k` may have closed between two looks.
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
        // However they turn: what the frames of both may move by, and what they carry about with them.
        // The gap to ground is that to what is near and in front.
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
            // A least distance may change with the time.
            let length = |i: usize| seen[i].way.norm() - gaps[i].gap;
            allowance += (length(1) - length(0)).abs();
        }
        if from <= 0.0 || to <= 0.0 {
            // Through a body and out again is more than a body's width.
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

/// Whether a body may meet one of the triangles of ground between two places of a stretch. It is beyond the plane of a triangle,
/// or so far from it that it cannot reach it; `turned` takes vectors of the ground into the axes of the body at both ends.
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
            // What lies wholly behind a triangle is not told how far it is from it.
            let told = height + body.support(&(turned[end] * n)) >= 0.0 && gaps[end] < QUIET;
            (over > -tolerance && over + stretch.falls(end, n, u, w) > -tolerance)
                || (told && gaps[end] - strays[end] - stretch.turns(end, u, w) > -tolerance)
                || distance(&middle) - body.whole() - strays[end] > -tolerance
        };
        met |= !clear(0) && !clear(1);
    });
    met
}

/// What one look shows of two bodies.
#[derive(Clone, Copy, Debug)]
struct Seen {
    way: Vec3,
    rate: Vec3,
    /// Fast as they may be wherever they are in their turns.
    speed: f64,
    /// What their turning may close, m/s.
    turning: f64,
    /// Angular velocity of the faster one.
    w: f64,
}

/// Of a function that its values and rates tell.
fn smooth([a, b]: [Ahead; 2], h: f64) -> Between {
    if a.gap <= 0.0 || b.gap <= 0.0 || a.gap >= QUIET || b.gap >= QUIET {
        return Between::Clear;
    }
    let (least, place) = least_of([a.gap, b.gap], [a.rate * h, b.rate * h]);
    if least > -TOUCH { Between::Clear } else { Between::Doubtful(place.clamp(0.1, 0.9)) }
}

impl Switches {
    /// How closely function `i` is followed.
    pub fn follow(&self, d: &Dynamics, i: usize) -> Follow {
        if let Some((owner, _)) = i.checked_sub(self.offsets.len()).map(|i| self.alarms[i]) {
            return match owner {
                Owner::Force(f) if self.soft.contains(&f) => Follow::Bounds,
                _ => Follow::Parts,
            };
        }
        let c = self.watched[i / PER_CONSTRAINT];
        let gap = i.is_multiple_of(PER_CONSTRAINT) && matches!(d.model.constraints[c].law, Law::Unilateral(_));
        // What features are left to a pair that touches already is no measure of its distance.
        let flies = || match d.model.meetings.iter().find(|m| m.slots.contains(&c)) {
            Some(meeting) => meeting.slots.iter().all(|c| d.modes[*c] == Mode::Idle),
            None => d.modes[c] == Mode::Idle,
        };
        if gap && flies() { Follow::Bounds } else { Follow::Parts }
    }

    /// Whether points of contact are held whose features change with the poses.
    pub fn meets(&self, d: &Dynamics) -> bool {
        d.model.meetings.iter().any(|m| m.slots.iter().any(|c| d.modes[*c] != Mode::Idle))
    }

    /// Forces between surfaces that give way.
    pub fn soft(&self) -> &[usize] {
        &self.soft
    }

    /// The longest step, s, in which all of them can be followed.
    pub fn longest(&self, model: &Model, t: f64, motions: &[Motion], z: &[f64]) -> Option<f64> {
        let each = self.soft.iter().filter_map(|f| match &model.forces[*f] {
            ForceEntry { kind: ForceKind::Compliant(pair), markers, z: own, .. } => {
                pair.longest(&View { t, motions, ids: markers, z: &z[own.clone()] })
            }
            _ => None,
        });
        each.reduce(f64::min)
    }

    /// The element behind function `i`.
    pub fn name_of<'m>(&self, model: &'m Model, i: usize) -> &'m str {
        match i.checked_sub(self.offsets.len()).map(|i| self.alarms[i].0) {
            Some(Owner::Force(f)) => &model.forces[f].name,
            Some(Owner::Constraint(c)) => &model.constraints[c].name,
            None => &model.constraints[self.watched[i / PER_CONSTRAINT]].name,
        }
    }

    /// Takes note of the state whose values were asked for last.
    pub fn note(&mut self, d: &Dynamics, at: Noted) {
        let gaps = std::mem::take(&mut self.gaps);
        self.lookout.note(at.slot, &d.scene.motions, &gaps);
        self.gaps = gaps;
    }

    /// Whether function `i` may have fallen to zero between two states.
    pub fn between(&self, d: &Dynamics, i: usize, from: Noted, to: Noted) -> Between {
        let k = match i.checked_sub(self.offsets.len()).map(|i| self.alarms[i]) {
            Some((Owner::Force(f), GAP)) => match self.soft.iter().position(|s| *s == f) {
                Some(k) => self.watched.len() + k,
                None => return Between::Clear,
            },
            Some(_) => return Between::Clear,
            None => i / PER_CONSTRAINT,
        };
        // The nearest features of a pair stand for all its points.
        let first = |c: &usize| d.model.meetings.iter().all(|m| !m.slots.contains(c) || m.slots.first() == Some(c));
        if self.watched.get(k).is_none_or(first) { self.lookout.between(k, from, to) } else { Between::Clear }
    }
}
