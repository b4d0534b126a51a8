//! Size of the model, to which default sizes are relative.

use super::RunScene;
use super::graph::SceneGraph;
use crate::scene::{Point, Space};
use taut::Model;
use taut::beams::MotionSpace as BeamSpace;
use taut::bodies::BodyKind;
use taut::motion::{Mat3, Vec3};
use taut::shapes::Shape;

/// Number of rows checked for particles that leave the plane.
const PLANARITY_SAMPLES: usize = 64;

/// Sizes that determine default shapes, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ModelSize {
    /// Extent of the whole model at the start.
    pub whole: f64,
    /// The largest radius of gyration.
    pub bodies: f64,
}

impl ModelSize {
    /// From the positions of bodies and used markers in the first row; for unconnected bodies from their radius of gyration.
    pub fn of(stage: &RunScene, poses: &[(Point, Mat3)]) -> ModelSize {
        let (model, graph) = (&stage.model, &stage.graph);
        let used =
            model.constraints.iter().flat_map(|c| &c.markers).chain(model.forces.iter().flat_map(|f| &f.markers));
        let spots = used.filter_map(|m| graph.spot(model, *m));
        let of_spots = spots.map(|s| Vec3::from(poses[s.figure].0) + poses[s.figure].1 * Vec3::from(s.p));
        let of_figures = poses.iter().skip(1).map(|(p, _)| Vec3::from(*p));
        let across = bounding_diagonal(of_spots.chain(of_figures));
        let of_bodies = model.bodies.iter().filter_map(|b| radius_of_gyration(&b.kind)).fold(0.0, f64::max);
        let of_surfaces = model.surfaces.iter().map(|s| extent(&s.shape)).fold(0.0, f64::max);
        let mut whole = across.max(4.0 * of_bodies).max(of_surfaces);
        if whole.is_nan() || whole <= 0.0 {
            // Particles that start at one point: a tenth of their path.
            let way = stage.q.iter().map(|c| c.iter().fold(0.0_f64, |most, x| most.max((x - c[0]).abs())));
            whole = 0.1 * way.filter(|x| x.is_finite()).fold(0.0, f64::max);
        }
        ModelSize { whole: if whole > 0.0 && whole.is_finite() { whole } else { 1.0 }, bodies: of_bodies }
    }
}

pub(super) fn bounding_diagonal(points: impl Iterator<Item = Vec3>) -> f64 {
    let finite = points.filter(|p| p.iter().all(|x| x.is_finite()));
    let bounds = finite
        .fold(None, |found: Option<(Vec3, Vec3)>, p| Some(found.map_or((p, p), |(lo, hi)| (lo.inf(&p), hi.sup(&p)))));
    bounds.map_or(0.0, |(lo, hi)| (hi - lo).norm())
}

/// Largest radius of gyration.
pub(crate) fn radius_of_gyration(kind: &BodyKind) -> Option<f64> {
    let (mass, inertia) = match kind {
        BodyKind::Planar(b) => (b.mass, b.inertia),
        other => {
            let body = other.rigid()?;
            (body.mass, body.inertia[0].max(body.inertia[1]).max(body.inertia[2]))
        }
    };
    let radius = (inertia / mass).sqrt();
    radius.is_finite().then_some(radius)
}

/// Largest dimension of a shape; zero for unbounded ground.
fn extent(shape: &Shape) -> f64 {
    match shape {
        Shape::Sphere { radius } | Shape::Circle { radius } => 2.0 * radius,
        Shape::Capsule { radius, length } => 2.0 * radius + length,
        Shape::Cylinder { radius, length } => (2.0 * radius).max(*length),
        Shape::Ellipsoid { radii } => 2.0 * radii.iter().copied().fold(0.0, f64::max),
        Shape::Box { size } => size.iter().copied().fold(0.0, f64::max),
        Shape::Rectangle { size } => size[0].max(size[1]),
        Shape::Convex { points } => bounding_diagonal(points.iter().map(|p| Vec3::from(*p))),
        Shape::Polygon { points } => bounding_diagonal(points.iter().map(|p| Vec3::new(p[0], p[1], 0.0))),
        Shape::HalfSpace {} | Shape::HalfPlane {} | Shape::Mesh { .. } | Shape::HeightField { .. } => 0.0,
    }
}

/// Planar if all bodies are planar and particles stay at z = 0.
pub(crate) fn detect_space(model: &Model, graph: &SceneGraph, q: &[Vec<f64>]) -> Space {
    let mut particles = Vec::new();
    for node in &graph.nodes {
        let entry = &model.bodies[node.body];
        let flat = match &entry.kind {
            BodyKind::Planar(_) => true,
            BodyKind::Modal(m) => m.space == BeamSpace::Planar,
            BodyKind::PointMass(_) => {
                particles.push(entry.q.start);
                true
            }
            BodyKind::BeamNodes(_) | BodyKind::Ritz(_) => {
                let members = model.markers[entry.markers.clone()].iter();
                let names: Vec<&str> = members.map(|m| m.name.as_str()).filter(|n| !n.contains('.')).collect();
                let columns = entry.kind.body().coordinates();
                // Spatial nodes have a z coordinate.
                !names.iter().any(|n| columns.iter().any(|c| c.name == format!("{n}.z")))
                    && !matches!(entry.kind, BodyKind::Ritz(_))
            }
            _ => false,
        };
        if !flat {
            return Space::Spatial;
        }
    }
    let rows = q.first().map_or(0, Vec::len);
    let step = (rows / PLANARITY_SAMPLES).max(1);
    let largest = |column: &[f64]| column.iter().step_by(step).fold(0.0_f64, |most, x| most.max(x.abs()));
    let (mut across, mut off) = (0.0_f64, 0.0_f64);
    for first in particles {
        across = across.max(largest(&q[first])).max(largest(&q[first + 1]));
        off = off.max(largest(&q[first + 2]));
    }
    if graph.nodes.is_empty() || off > 1e-9 * across { Space::Spatial } else { Space::Planar }
}
