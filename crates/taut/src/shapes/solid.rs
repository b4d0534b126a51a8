//! A shape made ready for queries, the pose it is in, and the box about it.

use super::hull::Polytope;
use super::shape::{Dimension, Shape};
use super::terrain::Terrain;
use crate::error::Fault;
use crate::kinematics::UserPlace;
use crate::motion::{Mat3, Motion, Vec3};
use std::sync::Arc;

/// Where a marker is: x_W = R x_M + p.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// R_WM.
    pub R: Mat3,
    /// p_WM.
    pub p: Vec3,
}

impl Pose {
    /// The origin of the world, axes along the world's.
    pub fn identity() -> Pose {
        Pose { R: Mat3::identity(), p: Vec3::zeros() }
    }

    /// The same for the functions of features.
    pub fn place(&self) -> UserPlace<f64> {
        let row = |i: usize| [self.R[(i, 0)], self.R[(i, 1)], self.R[(i, 2)]];
        UserPlace { R: [row(0), row(1), row(2)], p: [self.p.x, self.p.y, self.p.z] }
    }
}

impl From<&Motion> for Pose {
    fn from(m: &Motion) -> Pose {
        Pose { R: m.R, p: m.p }
    }
}

/// A box along the world's axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Least coordinates.
    pub lo: Vec3,
    /// Greatest coordinates.
    pub hi: Vec3,
}

/// How a shape is held for queries.
#[derive(Debug)]
pub(super) enum Form {
    /// A polytope swept by a sphere: sphere, capsule, box, hull, circle, rectangle, polygon.
    Swept(Polytope),
    /// Half of space or of the plane, with its normal.
    Half(Vec3),
    /// About z.
    Cylinder { radius: f64, half: f64 },
    /// Mesh or height field.
    Terrain(Terrain),
}

/// A shape made ready: checked, with its hull, its neighbours, its tree. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Solid {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    form: Form,
    dimension: Dimension,
    /// Middle and half lengths of the box about the shape in its own axes, and the sphere about that middle.
    middle: Vec3,
    half: Vec3,
    radius: f64,
}

impl Solid {
    /// Checks and prepares a shape.
    pub fn new(shape: &Shape) -> Result<Solid, Fault> {
        shape.check_numbers()?;
        let vectors = |points: &[[f64; 3]]| points.iter().map(|p| Vec3::from(*p)).collect::<Vec<_>>();
        let form = match shape {
            Shape::Sphere { radius } | Shape::Circle { radius } => Form::Swept(Polytope::point(*radius)),
            Shape::Capsule { radius, length } => Form::Swept(Polytope::segment(*length, *radius)),
            Shape::Box { size } => Form::Swept(Polytope::cuboid(size)?),
            Shape::Convex { points } => Form::Swept(Polytope::hull("points", &vectors(points))?),
            Shape::Rectangle { size: [x, y] } => {
                let (x, y) = (0.5 * x, 0.5 * y);
                Form::Swept(Polytope::polygon("size", &[[-x, -y], [x, -y], [x, y], [-x, y]])?)
            }
            Shape::Polygon { points } => Form::Swept(Polytope::polygon("points", points)?),
            Shape::Cylinder { radius, length } => Form::Cylinder { radius: *radius, half: 0.5 * length },
            Shape::HalfSpace {} => Form::Half(Vec3::z()),
            Shape::Line {} => Form::Half(Vec3::y()),
            Shape::Mesh { points, triangles } => Form::Terrain(Terrain::mesh(vectors(points), triangles)?),
            Shape::HeightField { size, heights } => Form::Terrain(Terrain::heights(size, heights)?),
        };
        let (lo, hi, radius) = extent(&form);
        let (middle, half) = ((lo + hi) * 0.5, (hi - lo) * 0.5);
        let (middle, half) =
            if radius.is_finite() { (middle, half) } else { (Vec3::zeros(), Vec3::repeat(f64::INFINITY)) };
        Ok(Solid { inner: Arc::new(Inner { form, dimension: shape.dimension(), middle, half, radius }) })
    }

    pub(super) fn form(&self) -> &Form {
        &self.inner.form
    }

    /// In the plane or in space.
    pub fn dimension(&self) -> Dimension {
        self.inner.dimension
    }

    /// The radius of a sphere about the marker that holds the shape; infinite for half-spaces.
    pub fn reach(&self) -> f64 {
        self.inner.middle.norm() + self.inner.radius
    }

    /// Middle of the box about the shape, in its own axes.
    pub(crate) fn middle(&self) -> Vec3 {
        self.inner.middle
    }

    /// How far the shape reaches about that middle, without its rounding; infinite for half-spaces and bottomless ground.
    pub(crate) fn core(&self) -> f64 {
        match &self.inner.form {
            Form::Swept(core) => self.inner.radius - core.r,
            _ => self.inner.radius,
        }
    }

    /// How far a sphere about the middle reaches that holds the shape.
    pub(crate) fn whole(&self) -> f64 {
        self.inner.radius
    }

    /// The least length across the shape; infinite for half-spaces and
    /// surfaces of triangles, which only the other body is thinner than.
    pub(crate) fn thickness(&self) -> f64 {
        match &self.inner.form {
            Form::Terrain(ground) if !ground.bottomless() => f64::INFINITY,
            _ if self.dimension() == Dimension::Two => 2.0 * self.inner.half.x.min(self.inner.half.y),
            _ => 2.0 * self.inner.half.min(),
        }
    }

    /// How far the shape reaches from its middle along a unit vector of its own axes; infinite where it has no end.
    pub(crate) fn support(&self, n: &Vec3) -> f64 {
        match &self.inner.form {
            Form::Swept(core) => {
                let along = core.vertices.iter().map(|p| n.dot(&(p - self.inner.middle)));
                along.fold(f64::NEG_INFINITY, f64::max) + core.r
            }
            Form::Cylinder { radius, half } => super::cylinder::reach(*radius, *half, n),
            Form::Half(_) | Form::Terrain(_) => self.inner.radius,
        }
    }

    /// Of ground the planes n·x = d of the triangles that come near a box in its own axes, and the distance of a point from
    /// each.
    pub(crate) fn planes(&self, lo: Vec3, hi: Vec3, found: &mut dyn FnMut(&Vec3, f64, &dyn Fn(&Vec3) -> f64)) {
        if let Form::Terrain(ground) = &self.inner.form {
            ground.planes(lo, hi, found);
        }
    }

    /// Middle and half lengths of the box about all its points, in its own axes.
    pub(crate) fn enclosure(&self) -> (Vec3, Vec3) {
        let (lo, hi, _) = extent(&self.inner.form);
        ((lo + hi) * 0.5, (hi - lo) * 0.5)
    }

    /// Distance of a point from ground of triangles, on either side of it, up to `most`; nothing of other solids.
    pub(crate) fn ground_distance(&self, at: &Pose, x: &Vec3, most: f64) -> Option<f64> {
        match &self.inner.form {
            Form::Terrain(ground) => Some(ground.distance(&at.R.tr_mul(&(x - at.p)), most)),
            _ => None,
        }
    }

    /// Whether it is ground of triangles.
    pub(crate) fn is_ground(&self) -> bool {
        matches!(self.inner.form, Form::Terrain(_))
    }

    /// Whether it is one point with a sphere about it.
    pub(crate) fn is_ball(&self) -> bool {
        matches!(&self.inner.form, Form::Swept(core) if core.vertices.len() == 1)
    }

    /// Whether it is a ball or a rod with round ends.
    pub(crate) fn is_round(&self) -> bool {
        matches!(&self.inner.form, Form::Swept(core) if core.vertices.len() <= 2)
    }

    /// The box about the shape in a pose; infinite for half-spaces.
    pub fn aabb(&self, at: &Pose) -> Aabb {
        let Inner { middle, half, radius, form, .. } = &*self.inner;
        let c = at.p + at.R * middle;
        // A half-space is infinite every way, and ∞·0 is not.
        let half = match form {
            Form::Half(_) => *half,
            Form::Terrain(_) if !radius.is_finite() => *half,
            Form::Swept(core) if core.vertices.len() == 1 => Vec3::repeat(*radius),
            _ => at.R.abs() * half,
        };
        Aabb { lo: c - half, hi: c + half }
    }

    /// Whether two solids are so far apart that nothing else need be looked at.
    pub(super) fn clear(&self, A: &Pose, other: &Solid, B: &Pose, margin: f64) -> bool {
        let (a, b) = (&*self.inner, &*other.inner);
        let reach = a.radius + b.radius + margin;
        let d = (B.p + B.R * b.middle) - (A.p + A.R * a.middle);
        reach.is_finite() && d.norm_squared() > reach * reach.abs()
    }
}

/// Least and greatest coordinates, and the radius about their middle.
fn extent(form: &Form) -> (Vec3, Vec3, f64) {
    let about = |points: &[Vec3], r: f64| {
        let lo = points.iter().fold(Vec3::repeat(f64::INFINITY), |lo, p| lo.inf(p));
        let hi = points.iter().fold(Vec3::repeat(f64::NEG_INFINITY), |hi, p| hi.sup(p));
        let middle = (lo + hi) * 0.5;
        let radius = points.iter().map(|p| (p - middle).norm()).fold(0.0, f64::max) + r;
        (lo - Vec3::repeat(r), hi + Vec3::repeat(r), radius)
    };
    match form {
        Form::Swept(core) => about(&core.vertices, core.r),
        Form::Half(_) => (Vec3::zeros(), Vec3::zeros(), f64::INFINITY),
        Form::Cylinder { radius, half } => {
            let hi = Vec3::new(*radius, *radius, *half);
            (-hi, hi, radius.hypot(*half))
        }
        Form::Terrain(terrain) => {
            let (lo, hi, radius) = about(terrain.points(), 0.0);
            (lo, hi, if terrain.bottomless() { f64::INFINITY } else { radius })
        }
    }
}
