//! A shape prepared for queries, its pose, and its bounding box.

use super::polytope::Polytope;
use super::shape::{Dimension, Shape};
use super::terrain::{PlaneVisitor, Terrain};
use crate::error::ParameterError;
use crate::kinematics::UserPlace;
use crate::motion::{Mat3, Motion, Vec3};
use std::sync::Arc;

/// Pose of a marker: x_W = R x_M + p.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// R_WM.
    pub R: Mat3,
    /// p_WM.
    pub p: Vec3,
}

impl Pose {
    /// The world frame.
    pub fn identity() -> Pose {
        Pose { R: Mat3::identity(), p: Vec3::zeros() }
    }

    /// The same pose as the argument of the gap functions.
    pub fn to_marker_pose(&self) -> UserPlace<f64> {
        let row = |i: usize| [self.R[(i, 0)], self.R[(i, 1)], self.R[(i, 2)]];
        UserPlace { R: [row(0), row(1), row(2)], p: [self.p.x, self.p.y, self.p.z] }
    }
}

impl From<&Motion> for Pose {
    fn from(m: &Motion) -> Pose {
        Pose { R: m.R, p: m.p }
    }
}

/// A bounding box aligned with the world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Least coordinates.
    pub lo: Vec3,
    /// Greatest coordinates.
    pub hi: Vec3,
}

/// The geometry of a shape in the form used by queries.
#[derive(Debug)]
pub(super) enum SolidGeometry {
    /// A polytope swept by a sphere: sphere, capsule, box, hull, circle, rectangle, polygon.
    Swept(Polytope),
    /// A half-space or half-plane, with its normal.
    HalfSpace(Vec3),
    /// About z.
    Cylinder { radius: f64, half: f64 },
    /// Semi-axes.
    Ellipsoid(Vec3),
    /// Mesh or height field.
    Terrain(Terrain),
}

/// A prepared shape: checked, with hull, neighbourhood relations and search tree. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Solid {
    inner: Arc<SolidData>,
}

#[derive(Debug)]
struct SolidData {
    geometry: SolidGeometry,
    dimension: Dimension,
    /// Centre and half lengths of the bounding box in the axes of the shape, and the radius of the bounding sphere about that centre.
    centre: Vec3,
    half_size: Vec3,
    radius: f64,
}

impl Solid {
    /// Checks and prepares a shape.
    pub fn new(shape: &Shape) -> Result<Solid, ParameterError> {
        shape.check_numbers()?;
        let vectors = |points: &[[f64; 3]]| points.iter().map(|p| Vec3::from(*p)).collect::<Vec<_>>();
        let form = match shape {
            Shape::Sphere { radius } | Shape::Circle { radius } => SolidGeometry::Swept(Polytope::point(*radius)),
            Shape::Capsule { radius, length } => SolidGeometry::Swept(Polytope::segment(*length, *radius)),
            Shape::Box { size } => SolidGeometry::Swept(Polytope::cuboid(size)?),
            Shape::Convex { points } => SolidGeometry::Swept(Polytope::hull("points", &vectors(points))?),
            Shape::Rectangle { size: [x, y] } => {
                let (x, y) = (0.5 * x, 0.5 * y);
                SolidGeometry::Swept(Polytope::polygon("size", &[[-x, -y], [x, -y], [x, y], [-x, y]])?)
            }
            Shape::Polygon { points } => SolidGeometry::Swept(Polytope::polygon("points", points)?),
            Shape::Cylinder { radius, length } => SolidGeometry::Cylinder { radius: *radius, half: 0.5 * length },
            Shape::Ellipsoid { radii } => SolidGeometry::Ellipsoid(Vec3::from(*radii)),
            Shape::HalfSpace {} => SolidGeometry::HalfSpace(Vec3::z()),
            Shape::HalfPlane {} => SolidGeometry::HalfSpace(Vec3::y()),
            Shape::Mesh { points, triangles } => SolidGeometry::Terrain(Terrain::mesh(vectors(points), triangles)?),
            Shape::HeightField { size, heights } => SolidGeometry::Terrain(Terrain::height_field(size, heights)?),
        };
        let (lo, hi, radius) = local_bounds(&form);
        let (middle, half) = ((lo + hi) * 0.5, (hi - lo) * 0.5);
        let (middle, half) =
            if radius.is_finite() { (middle, half) } else { (Vec3::zeros(), Vec3::repeat(f64::INFINITY)) };
        Ok(Solid {
            inner: Arc::new(SolidData {
                geometry: form,
                dimension: shape.dimension(),
                centre: middle,
                half_size: half,
                radius,
            }),
        })
    }

    pub(super) fn geometry(&self) -> &SolidGeometry {
        &self.inner.geometry
    }

    /// In the plane or in space.
    pub fn dimension(&self) -> Dimension {
        self.inner.dimension
    }

    /// Radius of the bounding sphere about the origin of the marker; infinite for half-spaces.
    pub fn radius_about_marker(&self) -> f64 {
        self.inner.centre.norm() + self.inner.radius
    }

    /// Centre of the bounding box, in the axes of the shape.
    pub(crate) fn centre(&self) -> Vec3 {
        self.inner.centre
    }

    /// Radius of the bounding sphere about that centre, without the rounding radius; infinite for half-spaces and height fields.
    pub(crate) fn core_radius(&self) -> f64 {
        match &self.inner.geometry {
            SolidGeometry::Swept(core) => self.inner.radius - core.r,
            // A rotation by a small angle moves the support function by at most this times the angle.
            SolidGeometry::Ellipsoid(radii) => radii.max() - radii.min(),
            _ => self.inner.radius,
        }
    }

    /// Radius of the bounding sphere about that centre.
    pub(crate) fn bounding_radius(&self) -> f64 {
        self.inner.radius
    }

    /// The smallest width of the shape; infinite for half-spaces and terrains, so that only the thickness of the other body counts.
    pub(crate) fn thickness(&self) -> f64 {
        match &self.inner.geometry {
            SolidGeometry::Terrain(ground) if !ground.is_bottomless() => f64::INFINITY,
            _ if self.dimension() == Dimension::Two => 2.0 * self.inner.half_size.x.min(self.inner.half_size.y),
            _ => 2.0 * self.inner.half_size.min(),
        }
    }

    /// Support function about the centre: the extent along a unit vector in the axes of the shape; infinite for unbounded shapes.
    pub(crate) fn support_distance(&self, n: &Vec3) -> f64 {
        match &self.inner.geometry {
            SolidGeometry::Swept(core) => {
                let along = core.vertices.iter().map(|p| n.dot(&(p - self.inner.centre)));
                along.fold(f64::NEG_INFINITY, f64::max) + core.r
            }
            SolidGeometry::Cylinder { radius, half } => super::cylinder::support(*radius, *half, n),
            SolidGeometry::Ellipsoid(radii) => super::ellipsoid::support(radii, n),
            SolidGeometry::HalfSpace(_) | SolidGeometry::Terrain(_) => self.inner.radius,
        }
    }

    /// For a terrain: the planes n·x = d of the triangles near a box (in the axes of the shape), and the distance of a point from
    /// each triangle.
    pub(crate) fn terrain_planes(&self, lo: Vec3, hi: Vec3, found: &mut PlaneVisitor<'_>) {
        if let SolidGeometry::Terrain(ground) = &self.inner.geometry {
            ground.planes_near(lo, hi, found);
        }
    }

    /// Centre and half lengths of the bounding box of all its points, in the axes of the shape.
    pub(crate) fn local_box(&self) -> (Vec3, Vec3) {
        let (lo, hi, _) = local_bounds(&self.inner.geometry);
        ((lo + hi) * 0.5, (hi - lo) * 0.5)
    }

    /// Distance of a point from a terrain, on either side of the surface, at most `most`; `None` for other solids.
    pub(crate) fn terrain_distance(&self, at: &Pose, x: &Vec3, most: f64) -> Option<f64> {
        match &self.inner.geometry {
            SolidGeometry::Terrain(ground) => Some(ground.distance(&at.R.tr_mul(&(x - at.p)), most)),
            _ => None,
        }
    }

    /// Whether contact between the two shapes is implemented. Shapes of different dimension never touch.
    pub(crate) fn can_touch(&self, other: &Solid) -> bool {
        let only_some = |a: &Solid, b: &Solid| match (&a.inner.geometry, &b.inner.geometry) {
            (SolidGeometry::Ellipsoid(_), SolidGeometry::HalfSpace(_) | SolidGeometry::Ellipsoid(_)) => true,
            (SolidGeometry::Ellipsoid(_), _) => b.is_ball(),
            _ => true,
        };
        only_some(self, other) && only_some(other, self)
    }

    /// Whether it is a mesh or a height field.
    pub(crate) fn is_terrain(&self) -> bool {
        matches!(self.inner.geometry, SolidGeometry::Terrain(_))
    }

    /// Whether it is a sphere or a circle.
    pub(crate) fn is_ball(&self) -> bool {
        matches!(&self.inner.geometry, SolidGeometry::Swept(core) if core.vertices.len() == 1)
    }

    /// Whether it is a sphere, a circle or a capsule.
    pub(crate) fn is_round(&self) -> bool {
        matches!(&self.inner.geometry, SolidGeometry::Swept(core) if core.vertices.len() <= 2)
    }

    /// The bounding box of the shape in a pose; infinite for half-spaces.
    pub fn aabb(&self, at: &Pose) -> Aabb {
        let SolidData { centre: middle, half_size: half, radius, geometry: form, .. } = &*self.inner;
        let c = at.p + at.R * middle;
        // A half-space is unbounded in all directions; the product below would give ∞·0 = NaN.
        let half = match form {
            SolidGeometry::HalfSpace(_) => *half,
            SolidGeometry::Terrain(_) if !radius.is_finite() => *half,
            SolidGeometry::Swept(core) if core.vertices.len() == 1 => Vec3::repeat(*radius),
            SolidGeometry::Ellipsoid(radii) => {
                Vec3::from_fn(|i, _| super::ellipsoid::support(radii, &at.R.row(i).transpose()))
            }
            _ => at.R.abs() * half,
        };
        Aabb { lo: c - half, hi: c + half }
    }

    /// Whether the bounding spheres are farther apart than `margin`, so that no further test is needed.
    pub(super) fn is_clear_of(&self, A: &Pose, other: &Solid, B: &Pose, margin: f64) -> bool {
        let (a, b) = (&*self.inner, &*other.inner);
        let reach = a.radius + b.radius + margin;
        let d = (B.p + B.R * b.centre) - (A.p + A.R * a.centre);
        reach.is_finite() && d.norm_squared() > reach * reach.abs()
    }
}

/// Least and greatest coordinates, and the bounding radius about their centre.
fn local_bounds(form: &SolidGeometry) -> (Vec3, Vec3, f64) {
    let about = |points: &[Vec3], r: f64| {
        let lo = points.iter().fold(Vec3::repeat(f64::INFINITY), |lo, p| lo.inf(p));
        let hi = points.iter().fold(Vec3::repeat(f64::NEG_INFINITY), |hi, p| hi.sup(p));
        let middle = (lo + hi) * 0.5;
        let radius = points.iter().map(|p| (p - middle).norm()).fold(0.0, f64::max) + r;
        (lo - Vec3::repeat(r), hi + Vec3::repeat(r), radius)
    };
    match form {
        SolidGeometry::Swept(core) => about(&core.vertices, core.r),
        SolidGeometry::HalfSpace(_) => (Vec3::zeros(), Vec3::zeros(), f64::INFINITY),
        SolidGeometry::Cylinder { radius, half } => {
            let hi = Vec3::new(*radius, *radius, *half);
            (-hi, hi, radius.hypot(*half))
        }
        SolidGeometry::Ellipsoid(radii) => (-radii, *radii, radii.max()),
        SolidGeometry::Terrain(terrain) => {
            let (lo, hi, radius) = about(terrain.points(), 0.0);
            (lo, hi, if terrain.is_bottomless() { f64::INFINITY } else { radius })
        }
    }
}
