//! Extent of everything that is drawn.

use super::camera::{Camera, Quat, SheetPoint, Vec3};
use super::instants::{Instant, to_quaternion};
use crate::scene::{Form, Scene, Visual};

/// Left, bottom, right and top on the picture plane, metres.
pub(super) type PlaneBounds = (f64, f64, f64, f64);

/// Bounds of everything at these instants, and of additional points.
pub(super) fn drawing_bounds(scene: &Scene, instants: &[Instant], camera: &Camera, more: &[Vec3]) -> PlaneBounds {
    let mut all: Vec<SheetPoint> = more.iter().map(|p| camera.picture_plane_point(p)).collect();
    for instant in instants {
        for (i, figure) in scene.figures.iter().enumerate() {
            for visual in &figure.visuals {
                points(visual, instant.pose(i), camera, &mut all);
            }
        }
        let spots = scene.joints.iter().flat_map(|j| &j.spots).chain(scene.links.iter().flat_map(|l| &l.spots));
        all.extend(spots.map(|s| camera.picture_plane_point(&instant.spot(s).0)));
        let nodes = scene.beams.iter().flat_map(|b| &b.nodes);
        all.extend(nodes.map(|n| camera.picture_plane_point(&instant.pose(*n).0)));
    }
    let all = all.into_iter().filter(|(x, y)| x.is_finite() && y.is_finite());
    let nowhere = (f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY);
    let (l, b, r, t) = all.fold(nowhere, |(l, b, r, t), (x, y)| (l.min(x), b.min(y), r.max(x), t.max(y)));
    if l > r { (-0.5, -0.5, 0.5, 0.5) } else { (l, b, r, t) }
}

/// Extreme points of a shape.
fn points(visual: &Visual, (origin, q): (Vec3, Quat), camera: &Camera, out: &mut Vec<SheetPoint>) {
    let centre = origin + q * Vec3::from(visual.p);
    let axes = q * to_quaternion(&visual.q);
    let mut put = |local: Vec3| out.push(camera.picture_plane_point(&(centre + axes * local)));
    let (round, along) = match &visual.form {
        Form::Box { size } => {
            for k in 0..8 {
                let sign = |bit: usize| if k >> bit & 1 == 0 { -0.5 } else { 0.5 };
                put(Vec3::new(sign(0) * size[0], sign(1) * size[1], sign(2) * size[2]));
            }
            return;
        }
        Form::Polygon { points } => return points.iter().for_each(|p| put(Vec3::new(p[0], p[1], 0.0))),
        Form::Mesh { vertices, .. } => {
            let each = vertices.chunks_exact(3).map(|v| Vec3::new(v[0].into(), v[1].into(), v[2].into()));
            return each.for_each(put);
        }
        Form::Cylinder { radius, length } => {
            for (end, k) in [-0.5, 0.5].into_iter().flat_map(|end| (0..16).map(move |k| (end, f64::from(k)))) {
                let (sin, cos) = (k * std::f64::consts::TAU / 16.0).sin_cos();
                put(Vec3::new(radius * cos, radius * sin, end * length));
            }
            return;
        }
        Form::Rod { from, to, .. } => {
            put(Vec3::from(*from));
            put(Vec3::from(*to));
            return;
        }
        Form::Sphere { radius } => (*radius, 0.0),
        Form::Capsule { radius, length } => (*radius, *length),
        Form::Ellipsoid { radii } => (radii.iter().copied().fold(0.0, f64::max), 0.0),
        // Unbounded: drawn within the bounds of the other shapes.
        Form::HalfSpace | Form::HalfPlane => return,
    };
    for end in [-0.5, 0.5] {
        let (x, y) = camera.picture_plane_point(&(centre + axes * Vec3::new(0.0, 0.0, end * along)));
        out.extend([(x - round, y - round), (x + round, y + round)]);
    }
}
