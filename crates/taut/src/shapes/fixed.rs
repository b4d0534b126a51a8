//! Pairs of shapes whose candidate feature pairs do not depend on the pose.

use super::feature::{Feature, Pair};
use super::solid::{Form, Solid};
use crate::motion::Vec3;

/// All pairs of features that can touch, if these are the same in every pose: for two spheres, two circles, and any bounded shape
/// against a half-space (in the plane: a line). `None` for other shapes.
pub fn fixed_pairs(a: &Solid, b: &Solid) -> Option<Vec<Pair>> {
    if a.dimension() != b.dimension() {
        return None;
    }
    match (a.form(), b.form()) {
        (Form::Swept(x), Form::Swept(y)) if x.vertices.len() == 1 && y.vertices.len() == 1 => Some(vec![Pair {
            a: Feature::Point { p: x.vertices[0], r: x.r },
            b: Feature::Point { p: y.vertices[0], r: y.r },
        }]),
        (Form::Half(n), form) => against(n, form),
        (form, Form::Half(n)) => Some(against(n, form)?.iter().map(Pair::swapped).collect()),
        _ => None,
    }
}

fn against(n: &Vec3, form: &Form) -> Option<Vec<Pair>> {
    let face = Feature::Face { n: *n, d: 0.0 };
    let points = |points: &[Vec3], r: f64| -> Vec<Pair> {
        points.iter().map(|p| Pair { a: face, b: Feature::Point { p: *p, r } }).collect()
    };
    match form {
        Form::Swept(core) => Some(points(&core.vertices, core.r)),
        Form::Terrain(terrain) if !terrain.bottomless() => Some(points(terrain.points(), 0.0)),
        Form::Cylinder { radius, half } => {
            let rim = |z: f64| Feature::Rim { centre: Vec3::z() * z, axis: Vec3::z(), radius: *radius };
            Some(vec![Pair { a: face, b: rim(*half) }, Pair { a: face, b: rim(-half) }])
        }
        _ => None,
    }
}
