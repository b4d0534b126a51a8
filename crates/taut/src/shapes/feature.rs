//! Features of surfaces and the exact gap between two of them, over any scalar.

use super::ellipsoid::{common_normal, lowest_point, nearest_point};
use crate::kinematics::UserPlace as MarkerPose;
use crate::motion::Vec3;
use crate::scalar::{Scalar, add, cross, dot, matrix_vector, norm, scale, sub};

/// A piece of a surface, in the coordinates of the marker of the shape, m.
///
/// ```text
///  point–point   g = |p_B − p_A| − r_A − r_B                       n along p_B − p_A
///  point–edge    the same with the foot of the point on the line
///  point–face    g = n·p − d − r                                   n of the face
///  edge–edge     g = n·(p_B − p_A) − r_A − r_B,                    n = u_A×u_B / |u_A×u_B|
///  rim–face      g = n·c − d − ρ |n − (n·a) a|                     lowest point of the circle
///  point–rim     point–point with the nearest point of the circle
///  ellipsoid     with a face: its lowest point; with a point: its nearest point; with another: their common normal
/// ```
///
/// Every g is smooth wherever its normal is defined, so that a [`Jet`](crate::scalar::Jet) along a motion gives gap,
/// gap rate and gap acceleration at once. The gap of a point and a face, of two edges, and of a rim and a face is signed: it passes
/// smoothly through zero and is minus the penetration depth beyond.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Feature {
    /// A point with a sphere around it: a vertex (r = 0), the centre of a sphere, the end of a capsule.
    Point {
        /// The point.
        p: Vec3,
        /// Radius of the sphere around it.
        r: f64,
    },
    /// A straight line with a cylinder around it: an edge (r = 0), the axis of a capsule or a cylinder.
    Edge {
        /// A point on the line.
        p: Vec3,
        /// Unit vector along it. Between two edges, u_A×u_B points from A to B.
        u: Vec3,
        /// Radius of the cylinder around it.
        r: f64,
    },
    /// A plane n·x = d, solid behind it.
    Face {
        /// Unit normal, outwards.
        n: Vec3,
        /// Distance of the plane from the origin of the marker along n.
        d: f64,
    },
    /// An ellipsoid about the origin of the marker, along its axes.
    Ellipsoid {
        /// Semi-axes.
        radii: Vec3,
    },
    /// A circle: where the cap of a cylinder meets its side.
    Rim {
        /// Centre.
        centre: Vec3,
        /// Unit vector normal to its plane.
        axis: Vec3,
        /// Radius.
        radius: f64,
    },
}

/// Two features, one on each shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeaturePair {
    /// On A.
    pub a: Feature,
    /// On B.
    pub b: Feature,
}

/// The gap between two features.
#[derive(Clone, Copy, Debug)]
pub struct Gap<S> {
    /// Gap; negative is the depth of penetration.
    pub gap: S,
    /// Unit normal from A to B, world axes.
    pub normal: [S; 3],
    /// The contact point, midway between the two surfaces, world coordinates.
    pub point: [S; 3],
}

impl<S: Scalar> Gap<S> {
    /// From the point on the surface of A; the contact point is half the gap along the normal.
    fn from_a(gap: S, normal: [S; 3], on_a: [S; 3]) -> Gap<S> {
        Gap { gap, normal, point: add(on_a, scale(normal, gap * 0.5)) }
    }

    fn flipped(self) -> Gap<S> {
        Gap { gap: self.gap, normal: self.normal.map(|n| -n), point: self.point }
    }
}

/// A feature in world coordinates.
enum WorldFeature<S> {
    Point {
        p: [S; 3],
        r: f64,
    },
    Edge {
        p: [S; 3],
        u: [S; 3],
        r: f64,
    },
    /// d is measured from the origin of the marker, to avoid cancellation far from the world origin.
    Face {
        n: [S; 3],
        origin: [S; 3],
        d: f64,
    },
    Rim {
        c: [S; 3],
        a: [S; 3],
        radius: f64,
    },
    Ellipsoid {
        c: [S; 3],
        R: [[S; 3]; 3],
        radii: Vec3,
    },
}

impl Feature {
    fn in_world<S: Scalar>(&self, M: &MarkerPose<S>) -> WorldFeature<S> {
        let turned = |v: &Vec3| matrix_vector(M.R, [S::from(v.x), S::from(v.y), S::from(v.z)]);
        let placed = |v: &Vec3| add(M.p, turned(v));
        match self {
            Feature::Point { p, r } => WorldFeature::Point { p: placed(p), r: *r },
            Feature::Edge { p, u, r } => WorldFeature::Edge { p: placed(p), u: turned(u), r: *r },
            Feature::Face { n, d } => WorldFeature::Face { n: turned(n), origin: M.p, d: *d },
            Feature::Ellipsoid { radii } => WorldFeature::Ellipsoid { c: M.p, R: M.R, radii: *radii },
            Feature::Rim { centre, axis, radius } => {
                WorldFeature::Rim { c: placed(centre), a: turned(axis), radius: *radius }
            }
        }
    }

    /// Code of the kind, followed by up to seven numbers.
    fn encode(&self, out: &mut [f64]) {
        let mut numbers = [0.0; FeaturePair::ENCODED_LENGTH / 2];
        let mut put = |kind: f64, v: &[f64]| {
            numbers[0] = kind;
            numbers[1..=v.len()].copy_from_slice(v);
        };
        match self {
            Feature::Point { p, r } => put(0.0, &[p.x, p.y, p.z, *r]),
            Feature::Edge { p, u, r } => put(1.0, &[p.x, p.y, p.z, u.x, u.y, u.z, *r]),
            Feature::Ellipsoid { radii: s } => put(4.0, &[s.x, s.y, s.z]),
            Feature::Face { n, d } => put(2.0, &[n.x, n.y, n.z, *d]),
            Feature::Rim { centre: c, axis: a, radius } => put(3.0, &[c.x, c.y, c.z, a.x, a.y, a.z, *radius]),
        }
        out.copy_from_slice(&numbers);
    }

    fn decode(x: &[f64]) -> Option<Feature> {
        let first = Vec3::new(x[1], x[2], x[3]);
        let second = Vec3::new(x[4], x[5], x[6]);
        match x[0] {
            0.0 => Some(Feature::Point { p: first, r: x[4] }),
            1.0 => Some(Feature::Edge { p: first, u: second, r: x[7] }),
            2.0 => Some(Feature::Face { n: first, d: x[4] }),
            4.0 => Some(Feature::Ellipsoid { radii: first }),
            3.0 => Some(Feature::Rim { centre: first, axis: second, radius: x[7] }),
            _ => None,
        }
    }
}

impl FeaturePair {
    /// Number of values that [`encode`](FeaturePair::encode) writes.
    pub const ENCODED_LENGTH: usize = 16;

    /// The same pair with the shapes exchanged; for two edges the normal u_A×u_B changes sign with it.
    pub fn swapped(&self) -> FeaturePair {
        FeaturePair { a: self.b, b: self.a }
    }

    /// Writes the pair as [`ENCODED_LENGTH`](FeaturePair::ENCODED_LENGTH) numbers; a slice of another length is left unchanged.
    pub fn encode(&self, out: &mut [f64]) {
        if out.len() == FeaturePair::ENCODED_LENGTH {
            let (a, b) = out.split_at_mut(FeaturePair::ENCODED_LENGTH / 2);
            self.a.encode(a);
            self.b.encode(b);
        }
    }

    /// Reads what [`encode`](FeaturePair::encode) wrote; `None` for invalid data.
    pub fn decode(x: &[f64]) -> Option<FeaturePair> {
        if x.len() != FeaturePair::ENCODED_LENGTH {
            return None;
        }
        let (a, b) = x.split_at(FeaturePair::ENCODED_LENGTH / 2);
        Some(FeaturePair { a: Feature::decode(a)?, b: Feature::decode(b)? })
    }

    /// Gap, normal and contact point with the markers at A and B.
    ///
    /// The gap is NaN for two faces, two rims, an edge with a face or a rim, and an ellipsoid with an edge or a rim:
    /// these pairs are not supported. Where the normal is
    /// undefined (coincident points, parallel edges, a rim parallel to the face), a substitute without derivatives is used: the z axis
    /// of A, the point of the other edge, the centre of the rim.
    pub fn gap<S: Scalar>(&self, A: &MarkerPose<S>, B: &MarkerPose<S>) -> Gap<S> {
        use WorldFeature::{Edge, Ellipsoid, Face, Point, Rim};
        match (self.a.in_world(A), self.b.in_world(B)) {
            (Point { p, r }, Point { p: q, r: s }) => point_point(p, r, q, s, A.axis(2)),
            (Point { p, r }, Edge { p: q, u, r: s }) => point_point(p, r, foot_on_line(p, q, u), s, A.axis(2)),
            (Edge { p: q, u, r: s }, Point { p, r }) => point_point(foot_on_line(p, q, u), s, p, r, A.axis(2)),
            (Face { n, origin, d }, Point { p, r }) => face_point(n, origin, d, p, r),
            (Point { p, r }, Face { n, origin, d }) => face_point(n, origin, d, p, r).flipped(),
            (Edge { p, u, r }, Edge { p: q, u: w, r: s }) => edge_edge(p, u, r, q, w, s, A.axis(2)),
            (Face { n, origin, d }, Rim { c, a, radius }) => {
                face_point(n, origin, d, lowest_point_of_rim(n, c, a, radius), 0.0)
            }
            (Rim { c, a, radius }, Face { n, origin, d }) => {
                face_point(n, origin, d, lowest_point_of_rim(n, c, a, radius), 0.0).flipped()
            }
            (Point { p, r }, Rim { c, a, radius }) => {
                point_point(p, r, nearest_point_of_rim(p, c, a, radius), 0.0, A.axis(2))
            }
            (Rim { c, a, radius }, Point { p, r }) => {
                point_point(nearest_point_of_rim(p, c, a, radius), 0.0, p, r, A.axis(2))
            }
            (Face { n, origin, d }, Ellipsoid { c, R, radii }) => {
                face_point(n, origin, d, lowest_point(n, c, R, &radii), 0.0)
            }
            (Ellipsoid { c, R, radii }, Face { n, origin, d }) => {
                face_point(n, origin, d, lowest_point(n, c, R, &radii), 0.0).flipped()
            }
            (Ellipsoid { c, R, radii }, Point { p, r }) => ellipsoid_point(c, R, &radii, p, r),
            (Point { p, r }, Ellipsoid { c, R, radii }) => ellipsoid_point(c, R, &radii, p, r).flipped(),
            (Ellipsoid { c, R, radii }, Ellipsoid { c: e, R: T, radii: other }) => {
                let (on_a, normal, gap) = common_normal([c, e], [R, T], [&radii, &other]);
                Gap::from_a(gap, normal, on_a)
            }
            _ => Gap { gap: S::from(f64::NAN), normal: [S::from(f64::NAN); 3], point: [S::from(f64::NAN); 3] },
        }
    }
}

fn point_point<S: Scalar>(p: [S; 3], r: f64, q: [S; 3], s: f64, otherwise: [S; 3]) -> Gap<S> {
    let d = sub(q, p);
    let square = dot(d, d);
    if square == 0.0 {
        return Gap::from_a(S::from(-r - s), otherwise, add(p, scale(otherwise, S::from(r))));
    }
    let length = square.sqrt();
    let n = scale(d, S::one() / length);
    Gap::from_a(length - r - s, n, add(p, scale(n, S::from(r))))
}

/// Where several points are nearest, the end of the shortest axis is used, without derivatives.
fn ellipsoid_point<S: Scalar>(c: [S; 3], R: [[S; 3]; 3], radii: &Vec3, p: [S; 3], r: f64) -> Gap<S> {
    let (on_a, normal, distance) = nearest_point(p, c, R, radii).unwrap_or_else(|| {
        let axis = radii.imin();
        let n = [0, 1, 2].map(|i| S::from(R[i][axis].value()));
        (add(c, scale(n, S::from(radii[axis]))), n, S::from(-radii[axis]))
    });
    Gap::from_a(distance - r, normal, on_a)
}

/// The foot of p on the line through q along u.
fn foot_on_line<S: Scalar>(p: [S; 3], q: [S; 3], u: [S; 3]) -> [S; 3] {
    add(q, scale(u, dot(u, sub(p, q))))
}

fn face_point<S: Scalar>(n: [S; 3], origin: [S; 3], d: f64, p: [S; 3], r: f64) -> Gap<S> {
    let height = dot(n, sub(p, origin)) - d;
    Gap::from_a(height - r, n, sub(p, scale(n, height)))
}

fn edge_edge<S: Scalar>(p: [S; 3], u: [S; 3], r: f64, q: [S; 3], w: [S; 3], s: f64, otherwise: [S; 3]) -> Gap<S> {
    let c = cross(u, w);
    let square = dot(c, c);
    if square < 1e-24 {
        return point_point(foot_on_line(q, p, u), r, q, s, otherwise);
    }
    let n = scale(c, S::one() / square.sqrt());
    let d = sub(q, p);
    // The point on line A nearest to line B.
    let along = dot(cross(d, w), c) / square;
    let on_a = add(add(p, scale(u, along)), scale(n, S::from(r)));
    Gap::from_a(dot(n, d) - r - s, n, on_a)
}

/// The lowest point of a circle along n; its centre if the circle is perpendicular to n.
fn lowest_point_of_rim<S: Scalar>(n: [S; 3], c: [S; 3], a: [S; 3], radius: f64) -> [S; 3] {
    let w = sub(n, scale(a, dot(n, a)));
    if dot(w, w) < 1e-24 {
        return c;
    }
    sub(c, scale(w, S::from(radius) / norm(w)))
}

/// The point of a circle nearest to p; its centre if p is on the axis, where all points are equally near.
fn nearest_point_of_rim<S: Scalar>(p: [S; 3], c: [S; 3], a: [S; 3], radius: f64) -> [S; 3] {
    let d = sub(p, c);
    let w = sub(d, scale(a, dot(d, a)));
    if dot(w, w) == 0.0 {
        return c;
    }
    add(c, scale(w, S::from(radius) / norm(w)))
}
