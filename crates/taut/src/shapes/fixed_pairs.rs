//! Pairs of shapes whose candidate feature pairs do not depend on the pose.

use super::feature::{Feature, FeaturePair};
use super::solid::{Solid, SolidGeometry};
use crate::motion::Vec3;

/// All pairs of features that can touch, if these are the same in every pose: for two spheres, two circles, two ellipsoids, an ellipsoid and a sphere, and any
/// bounded shape against a half-space (in the plane: a line). `None` for other shapes.
pub fn fixed_pairs(a: &Solid, b: &Solid) -> Option<Vec<FeaturePair>> {
    if a.dimension() != b.dimension() {
        return None;
    }
    match (a.geometry(), b.geometry()) {
        (SolidGeometry::Swept(x), SolidGeometry::Swept(y)) if x.vertices.len() == 1 && y.vertices.len() == 1 => {
            Some(vec![FeaturePair {
                a: Feature::Point { p: x.vertices[0], r: x.r },
                b: Feature::Point { p: y.vertices[0], r: y.r },
            }])
        }
        (SolidGeometry::HalfSpace(n), form) => half_space_pairs(n, form),
        (form, SolidGeometry::HalfSpace(n)) => {
            Some(half_space_pairs(n, form)?.iter().map(FeaturePair::swapped).collect())
        }
        (SolidGeometry::Ellipsoid(radii), _) => Some(vec![ellipsoid_ball(radii, b)?]),
        (_, SolidGeometry::Ellipsoid(radii)) => Some(vec![ellipsoid_ball(radii, a)?.swapped()]),
        _ => None,
    }
}

/// With a sphere or another ellipsoid.
fn ellipsoid_ball(radii: &Vec3, ball: &Solid) -> Option<FeaturePair> {
    match ball.geometry() {
        SolidGeometry::Swept(core) if core.vertices.len() == 1 => Some(FeaturePair {
            a: Feature::Ellipsoid { radii: *radii },
            b: Feature::Point { p: core.vertices[0], r: core.r },
        }),
        SolidGeometry::Ellipsoid(other) => {
            Some(FeaturePair { a: Feature::Ellipsoid { radii: *radii }, b: Feature::Ellipsoid { radii: *other } })
        }
        _ => None,
    }
}

fn half_space_pairs(n: &Vec3, form: &SolidGeometry) -> Option<Vec<FeaturePair>> {
    let face = Feature::Face { n: *n, d: 0.0 };
    let points = |points: &[Vec3], r: f64| -> Vec<FeaturePair> {
        points.iter().map(|p| FeaturePair { a: face, b: Feature::Point { p: *p, r } }).collect()
    };
    match form {
        SolidGeometry::Swept(core) => Some(points(&core.vertices, core.r)),
        SolidGeometry::Terrain(terrain) if !terrain.is_bottomless() => Some(points(terrain.points(), 0.0)),
        SolidGeometry::Ellipsoid(radii) => Some(vec![FeaturePair { a: face, b: Feature::Ellipsoid { radii: *radii } }]),
        SolidGeometry::Cylinder { radius, half } => {
            let rim = |z: f64| Feature::Rim { centre: Vec3::z() * z, axis: Vec3::z(), radius: *radius };
            Some(vec![FeaturePair { a: face, b: rim(*half) }, FeaturePair { a: face, b: rim(-half) }])
        }
        _ => None,
    }
}
