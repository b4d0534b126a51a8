//! The narrow phase: contact points of two solids.

use super::contact_reduction::reduce_contact_points;
use super::cylinder;
use super::cylinder_pair;
use super::feature::{Feature, FeaturePair};
use super::polytope::Polytope;
use super::polytope_contact::polytope_contact;
use super::separating_axes::RelativePose;
use super::shape::Dimension;
use super::solid::{Pose, Solid, SolidGeometry};
use crate::motion::Vec3;

/// One contact point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactGeometry {
    /// Unit normal from A to B, world axes.
    pub normal: Vec3,
    /// On the surface of A, world coordinates.
    pub point_a: Vec3,
    /// On the surface of B: `point_a` + `gap` · `normal`.
    pub point_b: Vec3,
    /// Gap; negative is the depth of penetration.
    pub gap: f64,
    /// The features in contact. At these poses their gap is `gap`.
    pub pair: FeaturePair,
}

impl ContactGeometry {
    /// The contact of a pair of features in two poses.
    pub fn from_pair(pair: FeaturePair, A: &Pose, B: &Pose) -> ContactGeometry {
        let g = pair.gap(&A.to_marker_pose(), &B.to_marker_pose());
        let (normal, point) = (Vec3::from(g.normal), Vec3::from(g.point));
        let half = normal * (0.5 * g.gap);
        ContactGeometry { normal, point_a: point - half, point_b: point + half, gap: g.gap, pair }
    }
}

/// Collects the feature pairs found, as contact points without duplicates.
pub(super) struct ContactCollector<'a> {
    A: &'a Pose,
    B: &'a Pose,
    margin: f64,
    /// Two points nearer than this with almost the same normal are merged.
    coincidence_distance: f64,
    start: usize,
    out: &'a mut Vec<ContactGeometry>,
}

impl ContactCollector<'_> {
    pub(super) fn add(&mut self, pair: FeaturePair) {
        let new = ContactGeometry::from_pair(pair, self.A, self.B);
        // NaN: the pair has no gap.
        if new.gap.is_nan() || new.gap >= self.margin {
            return;
        }
        let twin = |old: &&mut ContactGeometry| {
            (old.point_a - new.point_a).amax() <= self.coincidence_distance && old.normal.dot(&new.normal) > 0.999
        };
        match self.out[self.start..].iter_mut().find(twin) {
            Some(old) if new.gap < old.gap => *old = new,
            Some(_) => {}
            None => self.out.push(new),
        }
    }
}

/// Appends the contact points of two solids with a gap below `margin`, reduced to four well-spread points for each flat contact (two in
/// the plane). A planar solid never touches a spatial one; half-spaces do not touch each other, nor do terrains.
pub fn contact_points(a: &Solid, A: &Pose, b: &Solid, B: &Pose, margin: f64, out: &mut Vec<ContactGeometry>) {
    let start = out.len();
    all_contact_points(a, A, b, B, margin, out);
    reduce_contact_points(out, start, max_contact_points(a.dimension()));
}

/// Maximum number of points of one flat contact.
pub(crate) fn max_contact_points(dimension: Dimension) -> usize {
    if dimension == Dimension::Two { 2 } else { 4 }
}

/// The same without reduction.
pub(crate) fn all_contact_points(
    a: &Solid,
    A: &Pose,
    b: &Solid,
    B: &Pose,
    margin: f64,
    out: &mut Vec<ContactGeometry>,
) {
    if a.dimension() != b.dimension() || a.is_clear_of(A, b, B, margin) {
        return;
    }
    if let (SolidGeometry::Swept(x), SolidGeometry::Swept(y)) = (a.geometry(), b.geometry())
        && x.vertices.len() == 1
        && y.vertices.len() == 1
    {
        let ball = |core: &Polytope| Feature::Point { p: core.vertices[0], r: core.r };
        let found = ContactGeometry::from_pair(FeaturePair { a: ball(x), b: ball(y) }, A, B);
        if found.gap < margin {
            out.push(found);
        }
        return;
    }
    let start = out.len();
    let same = 1e-7 * a.radius_about_marker().min(b.radius_about_marker());
    let mut found = ContactCollector { A, B, margin, coincidence_distance: same, start, out };
    let rel = RelativePose { R: A.R.tr_mul(&B.R), p: A.R.tr_mul(&(B.p - A.p)) };
    if !find_pairs(a.geometry(), b.geometry(), &rel, margin, &mut |pair| found.add(pair)) {
        find_pairs(b.geometry(), a.geometry(), &rel.inverse(), margin, &mut |pair| found.add(pair.swapped()));
    }
}

/// Appends the points where two solids touch or are nearest, at any distance. For a terrain, which has many faces, the margin is
/// widened step by step, so that only faces near the nearest one are tested.
pub(crate) fn nearest_contact_points(a: &Solid, A: &Pose, b: &Solid, B: &Pose, out: &mut Vec<ContactGeometry>) {
    let start = out.len();
    if a.is_terrain() || b.is_terrain() {
        let mut margin = 0.1 * a.radius_about_marker().min(b.radius_about_marker());
        for _ in 0..MAX_WIDENINGS {
            all_contact_points(a, A, b, B, margin, out);
            if out.len() > start {
                return;
            }
            margin *= 4.0;
        }
    }
    all_contact_points(a, A, b, B, f64::INFINITY, out);
}

/// How often the margin is widened for a terrain before all faces are tested.
const MAX_WIDENINGS: usize = 8;

/// Finds the feature pairs; false if only the reverse order of the two shapes is implemented.
fn find_pairs(
    a: &SolidGeometry,
    b: &SolidGeometry,
    rel: &RelativePose,
    margin: f64,
    put: &mut dyn FnMut(FeaturePair),
) -> bool {
    match (a, b) {
        (SolidGeometry::Swept(a), SolidGeometry::Swept(b)) => {
            polytope_contact(&a.view(), &b.view(), rel, margin, &mut |pair| put(pair))
        }
        (SolidGeometry::HalfSpace(n), SolidGeometry::Swept(b)) => {
            for p in &b.vertices {
                put(FeaturePair { a: Feature::Face { n: *n, d: 0.0 }, b: Feature::Point { p: *p, r: b.r } });
            }
        }
        (SolidGeometry::HalfSpace(n), SolidGeometry::Cylinder { radius, half }) => {
            cylinder::contact_with_plane(n, *radius, *half, rel, put)
        }
        (SolidGeometry::HalfSpace(n), SolidGeometry::Ellipsoid(radii)) => {
            put(FeaturePair { a: Feature::Face { n: *n, d: 0.0 }, b: Feature::Ellipsoid { radii: *radii } })
        }
        (SolidGeometry::Ellipsoid(radii), SolidGeometry::Swept(b)) if b.vertices.len() == 1 => {
            let ball = Feature::Point { p: b.vertices[0], r: b.r };
            put(FeaturePair { a: Feature::Ellipsoid { radii: *radii }, b: ball })
        }
        (SolidGeometry::Ellipsoid(radii), SolidGeometry::Ellipsoid(other)) => {
            put(FeaturePair { a: Feature::Ellipsoid { radii: *radii }, b: Feature::Ellipsoid { radii: *other } })
        }
        // Refused when a model is built (`Solid::can_touch`).
        (SolidGeometry::Ellipsoid(_), SolidGeometry::Terrain(_) | SolidGeometry::Cylinder { .. })
        | (SolidGeometry::Cylinder { .. } | SolidGeometry::Terrain(_), SolidGeometry::Ellipsoid(_)) => {}
        (SolidGeometry::Ellipsoid(_), SolidGeometry::Swept(_)) => {}
        (SolidGeometry::HalfSpace(n), SolidGeometry::Terrain(b)) => {
            for p in b.points() {
                put(FeaturePair { a: Feature::Face { n: *n, d: 0.0 }, b: Feature::Point { p: *p, r: 0.0 } });
            }
        }
        (SolidGeometry::Cylinder { radius, half }, SolidGeometry::Swept(b)) => {
            cylinder::contact_with_polytope(*radius, *half, b, rel, margin, put)
        }
        (SolidGeometry::Cylinder { radius, half }, SolidGeometry::Cylinder { radius: r, half: h }) => {
            cylinder_pair::contact([*radius, *half], [*r, *h], rel, margin, put);
        }
        (SolidGeometry::Terrain(a), SolidGeometry::Swept(b)) => a.contact_with_polytope(b, rel, margin, put),
        (SolidGeometry::Terrain(a), SolidGeometry::Cylinder { radius, half }) => {
            a.contact_with_cylinder(*radius, *half, rel, margin, put)
        }
        (SolidGeometry::HalfSpace(_), SolidGeometry::HalfSpace(_))
        | (SolidGeometry::Terrain(_), SolidGeometry::Terrain(_)) => {}
        _ => return false,
    }
    true
}
