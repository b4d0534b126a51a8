//! The narrow phase: contact points of two solids.

use super::cylinder;
use super::cylinders;
use super::feature::{Feature, Pair};
use super::hull::Polytope;
use super::meet::meet;
use super::sat::Rel;
use super::shape::Dimension;
use super::solid::{Form, Pose, Solid};
use super::spread::spread;
use crate::motion::Vec3;

/// One contact point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Unit normal from A to B, world axes.
    pub normal: Vec3,
    /// On the surface of A, world coordinates.
    pub point_a: Vec3,
    /// On the surface of B: `point_a` + `gap` · `normal`.
    pub point_b: Vec3,
    /// Gap; negative is the depth of penetration.
    pub gap: f64,
    /// The features in contact. At these poses their gap is `gap`.
    pub pair: Pair,
}

impl Touch {
    /// The contact of a pair of features in two poses.
    pub fn of(pair: Pair, A: &Pose, B: &Pose) -> Touch {
        let g = pair.gap(&A.place(), &B.place());
        let (normal, point) = (Vec3::from(g.normal), Vec3::from(g.point));
        let half = normal * (0.5 * g.gap);
        Touch { normal, point_a: point - half, point_b: point + half, gap: g.gap, pair }
    }
}

/// Collects the feature pairs found, as contact points without duplicates.
pub(super) struct Found<'a> {
    A: &'a Pose,
    B: &'a Pose,
    margin: f64,
    /// Two points nearer than this with almost the same normal are merged.
    same: f64,
    start: usize,
    out: &'a mut Vec<Touch>,
}

impl Found<'_> {
    pub(super) fn put(&mut self, pair: Pair) {
        let new = Touch::of(pair, self.A, self.B);
        // NaN: the pair has no gap.
        if new.gap.is_nan() || new.gap >= self.margin {
            return;
        }
        let twin =
            |old: &&mut Touch| (old.point_a - new.point_a).amax() <= self.same && old.normal.dot(&new.normal) > 0.999;
        match self.out[self.start..].iter_mut().find(twin) {
            Some(old) if new.gap < old.gap => *old = new,
            Some(_) => {}
            None => self.out.push(new),
        }
    }
}

/// Appends the contact points of two solids with a gap below `margin`, reduced to four well-spread points for each flat contact (two in
/// the plane). A planar solid never touches a spatial one; half-spaces do not touch each other, nor do terrains.
pub fn touch(a: &Solid, A: &Pose, b: &Solid, B: &Pose, margin: f64, out: &mut Vec<Touch>) {
    let start = out.len();
    touch_all(a, A, b, B, margin, out);
    spread(out, start, most_of(a.dimension()));
}

/// Maximum number of points of one flat contact.
pub(crate) fn most_of(dimension: Dimension) -> usize {
    if dimension == Dimension::Two { 2 } else { 4 }
}

/// The same without reduction.
pub(crate) fn touch_all(a: &Solid, A: &Pose, b: &Solid, B: &Pose, margin: f64, out: &mut Vec<Touch>) {
    if a.dimension() != b.dimension() {
        return;
    }
    if let (Form::Swept(x), Form::Swept(y)) = (a.form(), b.form())
        && x.vertices.len() == 1
        && y.vertices.len() == 1
    {
        let ball = |core: &Polytope| Feature::Point { p: core.vertices[0], r: core.r };
        let found = Touch::of(Pair { a: ball(x), b: ball(y) }, A, B);
        if found.gap < margin {
            out.push(found);
        }
        return;
    }
    if a.clear(A, b, B, margin) {
        return;
    }
    let start = out.len();
    let same = 1e-7 * a.reach().min(b.reach());
    let mut found = Found { A, B, margin, same, start, out };
    let rel = Rel { R: A.R.tr_mul(&B.R), p: A.R.tr_mul(&(B.p - A.p)) };
    if !search(a.form(), b.form(), &rel, margin, &mut |pair| found.put(pair)) {
        search(b.form(), a.form(), &rel.inverse(), margin, &mut |pair| found.put(pair.swapped()));
    }
}

/// Appends the points where two solids touch or are nearest, at any distance. For a terrain, which has many faces, the margin is
/// widened step by step, so that only faces near the nearest one are tested.
pub(crate) fn touch_nearest(a: &Solid, A: &Pose, b: &Solid, B: &Pose, out: &mut Vec<Touch>) {
    let start = out.len();
    if a.is_ground() || b.is_ground() {
        let mut margin = 0.1 * a.reach().min(b.reach());
        for _ in 0..WIDENINGS {
            touch_all(a, A, b, B, margin, out);
            if out.len() > start {
                return;
            }
            margin *= 4.0;
        }
    }
    touch_all(a, A, b, B, f64::INFINITY, out);
}

/// How often the margin is widened for a terrain before all faces are tested.
const WIDENINGS: usize = 8;

/// Finds the feature pairs; false if only the reverse order of the two shapes is implemented.
fn search(a: &Form, b: &Form, rel: &Rel, margin: f64, put: &mut dyn FnMut(Pair)) -> bool {
    match (a, b) {
        (Form::Swept(a), Form::Swept(b)) => meet(&a.view(), &b.view(), rel, margin, &mut |pair| put(pair)),
        (Form::Half(n), Form::Swept(b)) => {
            for p in &b.vertices {
                put(Pair { a: Feature::Face { n: *n, d: 0.0 }, b: Feature::Point { p: *p, r: b.r } });
            }
        }
        (Form::Half(n), Form::Cylinder { radius, half }) => cylinder::on_plane(n, *radius, *half, rel, put),
        (Form::Half(n), Form::Terrain(b)) => {
            for p in b.points() {
                put(Pair { a: Feature::Face { n: *n, d: 0.0 }, b: Feature::Point { p: *p, r: 0.0 } });
            }
        }
        (Form::Cylinder { radius, half }, Form::Swept(b)) => cylinder::meet(*radius, *half, b, rel, margin, put),
        (Form::Cylinder { radius, half }, Form::Cylinder { radius: r, half: h }) => {
            cylinders::meet([*radius, *half], [*r, *h], rel, margin, put);
        }
        (Form::Terrain(a), Form::Swept(b)) => a.meet(b, rel, margin, put),
        (Form::Terrain(a), Form::Cylinder { radius, half }) => a.meet_cylinder(*radius, *half, rel, margin, put),
        (Form::Half(_), Form::Half(_)) | (Form::Terrain(_), Form::Terrain(_)) => {}
        _ => return false,
    }
    true
}
