//! Shapes given in the model: looks, contact surfaces, wheels, pulleys, planes.

use super::RunScene;
use super::hull;
use super::size::ModelSize;
use crate::scene::{Form, Origin, Point, QuaternionWxyz, Space, Spot, Visual};
use taut::constraints::{ConstraintKind, Via, Wheel};
use taut::motion::{Mat3, Vec3, quaternion_of_rotation, rotation_of_quaternion};
use taut::shapes::Shape;
use taut_io::model::{self, VisualShape};

/// The given shapes, by figure.
pub(super) fn model_visuals(stage: &RunScene, size: &ModelSize) -> Vec<(usize, Visual)> {
    let model = &stage.model;
    let looks = stage.file.visuals.iter();
    let mut found: Vec<(usize, Visual)> = looks.filter_map(|l| look_visual(stage, &l.name, &l.item)).collect();
    // A shape given for drawing hides the contact surfaces of the body. On the ground it hides those of robots only: floors stay.
    let seen: Vec<usize> = found.iter().map(|(figure, _)| *figure).collect();
    for surface in &model.surfaces {
        let Some(spot) = stage.graph.spot(model, surface.marker) else { continue };
        let stays = surface.body.is_none() && !surface.groups.iter().any(|g| g == "collision");
        if let Some(form) = form(&surface.shape).filter(|_| stays || !seen.contains(&spot.figure)) {
            found.push(visual_at(stage, form, &spot));
        }
    }
    let thin = 0.01 * size.whole;
    for c in &model.constraints {
        let spot = |k: usize| c.markers.get(k).and_then(|m| stage.graph.spot(model, *m));
        match &c.kind {
            ConstraintKind::Rolling(r) => {
                let wheel = match r.shape {
                    Wheel::Sphere { radius } | Wheel::Circle { radius } => Form::Sphere { radius },
                    Wheel::Ellipsoid { radii } => Form::Ellipsoid { radii },
                    Wheel::Disc { radius } => Form::Cylinder { radius, length: thin.min(0.2 * radius) },
                    Wheel::Torus { radius, tube_radius: tube } => {
                        Form::Cylinder { radius: radius + tube, length: 2.0 * tube }
                    }
                };
                let ground = match r.shape {
                    Wheel::Circle { .. } => Form::HalfPlane,
                    _ => Form::HalfSpace,
                };
                found.extend(spot(1).map(|s| visual_at(stage, wheel, &s)));
                found.extend(spot(0).map(|s| visual_at(stage, ground, &s)));
            }
            ConstraintKind::PointPlaneContact(_) => {
                found.extend(spot(0).map(|s| visual_at(stage, Form::HalfSpace, &s)))
            }
            ConstraintKind::Rope(rope) => {
                for (k, via) in rope.through.iter().enumerate() {
                    if let Via::Pulley { radius, .. } = via {
                        let form = match stage.scene.space {
                            Space::Planar => Form::Sphere { radius: *radius },
                            Space::Spatial => Form::Cylinder { radius: *radius, length: thin.min(0.5 * radius) },
                        };
                        found.extend(spot(k).map(|s| visual_at(stage, form, &s)));
                    }
                }
            }
            _ => {}
        }
    }
    // Several contact rules may use the same plane.
    let mut kept: Vec<(usize, Visual)> = Vec::with_capacity(found.len());
    for one in found {
        if !kept.contains(&one) {
            kept.push(one);
        }
    }
    kept
}

/// A look, attached to the figure of its body.
fn look_visual(stage: &RunScene, body: &str, look: &model::Visual) -> Option<(usize, Visual)> {
    let form = match look.shape.clone() {
        VisualShape::Box { size } => Form::Box { size },
        VisualShape::Sphere { radius } => Form::Sphere { radius },
        VisualShape::Cylinder { radius, length } => Form::Cylinder { radius, length },
        VisualShape::Capsule { radius, length } => Form::Capsule { radius, length },
        VisualShape::Ellipsoid { radii } => Form::Ellipsoid { radii },
        VisualShape::Polygon { points } => Form::Polygon { points },
        VisualShape::Mesh { points, triangles } => mesh(&points, &triangles),
    };
    let q = quaternion_of_rotation(&look.orientation.matrix().ok()?);
    let visual = Visual { form, p: look.at, q, origin: Origin::Given, colour: look.colour.clone() };
    Some((stage.graph.figure(body)?, visual))
}

fn visual_at(stage: &RunScene, form: Form, spot: &Spot) -> (usize, Visual) {
    let (form, q) = match (form, stage.scene.space) {
        // In a planar scene the ground is a line: y is its normal, z that of the plane.
        (Form::HalfSpace, Space::Planar) => {
            planar_axes(&spot.q).map_or((Form::HalfSpace, spot.q), |q| (Form::HalfPlane, q))
        }
        (form, _) => (form, spot.q),
    };
    (spot.figure, Visual { form, p: spot.p, q, origin: Origin::Contact, colour: None })
}

/// Axes in the plane whose y axis is z of the given ones; `None` if that is normal to the plane.
fn planar_axes(q: &QuaternionWxyz) -> Option<QuaternionWxyz> {
    let R = rotation_of_quaternion(q);
    let (y, z) = (R.column(2).into_owned(), Vec3::z());
    let x = y.cross(&z);
    (x.norm() > 0.5).then(|| quaternion_of_rotation(&Mat3::from_columns(&[x, y, z])))
}

/// The drawable form of a shape, if it has one.
pub(super) fn form(shape: &Shape) -> Option<Form> {
    Some(match shape {
        Shape::Sphere { radius } | Shape::Circle { radius } => Form::Sphere { radius: *radius },
        Shape::Capsule { radius, length } => Form::Capsule { radius: *radius, length: *length },
        Shape::Cylinder { radius, length } => Form::Cylinder { radius: *radius, length: *length },
        Shape::Ellipsoid { radii } => Form::Ellipsoid { radii: *radii },
        Shape::Box { size } => Form::Box { size: *size },
        Shape::HalfSpace {} => Form::HalfSpace,
        Shape::HalfPlane {} => Form::HalfPlane,
        Shape::Convex { points } => {
            let triangles = hull::convex_hull(points)?;
            mesh(points, &triangles)
        }
        Shape::Mesh { points, triangles } => mesh(points, triangles),
        Shape::HeightField { size, heights } => terrain(*size, heights)?,
        Shape::Rectangle { size: [x, y] } => {
            let (x, y) = (0.5 * x, 0.5 * y);
            Form::Polygon { points: vec![[-x, -y], [x, -y], [x, y], [-x, y]] }
        }
        Shape::Polygon { points } => Form::Polygon { points: hull::convex_polygon(points) },
    })
}

pub(super) fn mesh(points: &[Point], triangles: &[[usize; 3]]) -> Form {
    Form::Mesh {
        vertices: points.iter().flatten().map(|x| *x as f32).collect(),
        triangles: triangles.iter().flatten().map(|k| *k as u32).collect(),
    }
}

/// A height field, two triangles per cell.
fn terrain([width, depth]: [f64; 2], heights: &[Vec<f64>]) -> Option<Form> {
    let (rows, columns) = (heights.len(), heights.first().map_or(0, Vec::len));
    if rows < 2 || columns < 2 {
        return None;
    }
    let at = |k: usize, n: usize, whole: f64| whole * (k as f64 / (n - 1) as f64 - 0.5);
    let points: Vec<Point> = (0..rows * columns)
        .map(|k| [at(k % columns, columns, width), at(k / columns, rows, depth), heights[k / columns][k % columns]])
        .collect();
    let fields = (0..rows - 1).flat_map(|j| (0..columns - 1).map(move |i| j * columns + i));
    let triangles: Vec<[usize; 3]> =
        fields.flat_map(|k| [[k, k + 1, k + columns], [k + 1, k + columns + 1, k + columns]]).collect();
    Some(mesh(&points, &triangles))
}
