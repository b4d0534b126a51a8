//! Default shapes of bodies without a given one: rods from joint to joint, or a solid of the same inertia.

use super::RunScene;
use super::hull;
use super::size::ModelSize;
use crate::scene::{Form, Origin, Point, QuaternionWxyz, Role, Space, Visual};
use nalgebra::SymmetricEigen;
use taut::bodies::BodyKind;
use taut::constraints::ConstraintKind;
use taut::motion::{Mat3, Vec3, quaternion_of_rotation};

const ALIGNED: QuaternionWxyz = [1.0, 0.0, 0.0, 0.0];
/// Smallest and largest size of default solids, relative to the model.
const SOLID_SIZE_BOUNDS: [f64; 2] = [0.01, 0.35];

/// Default shapes for all figures without one, except beam nodes.
pub(super) fn default_visuals(stage: &RunScene, size: &ModelSize) -> Vec<(usize, Visual)> {
    let mut found = Vec::new();
    for (i, figure) in stage.scene.figures.iter().enumerate().skip(1) {
        let in_beam = stage.scene.beams.iter().any(|b| b.nodes.contains(&i));
        let frame = stage.scene.beams.iter().any(|b| b.name == figure.name);
        if !figure.visuals.is_empty() || in_beam || frame {
            continue;
        }
        let visuals = match figure.role {
            Role::Ground => continue,
            Role::Node | Role::Station => vec![at([0.0; 3], Form::Sphere { radius: 0.012 * size.whole })],
            Role::Body => body_visuals(stage, i, size),
        };
        found.extend(visuals.into_iter().map(|v| (i, v)));
    }
    found
}

fn at(p: Point, form: Form) -> Visual {
    Visual { form, p, q: ALIGNED, origin: Origin::Default, colour: None }
}

fn rod(from: Point, to: Point, size: &ModelSize) -> Visual {
    let radius = (0.012 * size.whole).min(0.06 * distance(&from, &to));
    at([0.0; 3], Form::Rod { from, to, radius })
}

fn distance(a: &Point, b: &Point) -> f64 {
    (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
}

/// Points of the figure at which elements are attached: joints first, then line elements, then unused markers.
fn attachment_points(stage: &RunScene, figure: usize, size: &ModelSize) -> Vec<Point> {
    let model = &stage.model;
    let joints = model.constraints.iter().filter(|c| matches!(c.kind, ConstraintKind::Joint(_)));
    let others = model.constraints.iter().filter(|c| {
        matches!(c.kind, ConstraintKind::Relation(_) | ConstraintKind::Rope(_) | ConstraintKind::MinimumDistance(_))
    });
    let lines = others.map(|c| &c.markers).chain(model.forces.iter().map(|f| &f.markers));
    let of = |markers: &[usize]| -> Vec<Point> {
        stage.spots(markers).iter().filter(|s| s.figure == figure).map(|s| s.p).collect()
    };
    let mut points: Vec<Point> = Vec::new();
    let mut add = |candidates: Vec<Point>| {
        for p in candidates {
            if points.iter().all(|other| distance(other, &p) > 1e-4 * size.whole) {
                points.push(p);
            }
        }
        points.len()
    };
    if add(joints.flat_map(|c| of(&c.markers)).collect()) < 2 {
        let more = add(lines.flat_map(|m| of(m)).collect());
        if more == 1 {
            // A pointer that extends beyond the model is not part of the body.
            let hold = first_attachment(stage, figure);
            let near = |p: &Point| hold.is_none_or(|h| distance(&h, p) <= size.whole);
            add(stage.scene.figures[figure].markers.iter().map(|m| m.p).filter(near).collect());
        }
    }
    points
}

/// The first attachment point.
fn first_attachment(stage: &RunScene, figure: usize) -> Option<Point> {
    let model = &stage.model;
    let all = model.constraints.iter().map(|c| &c.markers).chain(model.forces.iter().map(|f| &f.markers));
    all.flat_map(|m| stage.spots(m)).find(|s| s.figure == figure).map(|s| s.p)
}

fn body_visuals(stage: &RunScene, figure: usize, size: &ModelSize) -> Vec<Visual> {
    let kind = &stage.model.bodies[stage.graph.nodes[figure - 1].body].kind;
    let centre = stage.scene.figures[figure].centre;
    let points = attachment_points(stage, figure, size);
    match points.as_slice() {
        [] => vec![equivalent_solid(kind, centre, size)],
        [one] => single_joint_visuals(kind, *one, centre, size),
        [a, b] => vec![rod(*a, *b, size)],
        many => plate(stage, many, size),
    }
}

/// Three points or more: a plate in the plane, a star of rods in space, a single rod if they are collinear.
fn plate(stage: &RunScene, points: &[Point], size: &ModelSize) -> Vec<Visual> {
    let pairs = points.iter().enumerate().flat_map(|(i, a)| points[..i].iter().map(move |b| (*a, *b)));
    let Some((a, b)) = pairs.max_by(|x, y| distance(&x.0, &x.1).total_cmp(&distance(&y.0, &y.1))) else {
        return Vec::new();
    };
    let along = Vec3::from(b) - Vec3::from(a);
    let off = |p: &Point| (Vec3::from(*p) - Vec3::from(a)).cross(&along).norm() / along.norm();
    if points.iter().all(|p| off(p) < 0.02 * along.norm()) {
        return vec![rod(a, b, size)];
    }
    if stage.scene.space == Space::Planar {
        let corners: Vec<[f64; 2]> = points.iter().map(|p| [p[0], p[1]]).collect();
        return vec![at([0.0; 3], Form::Polygon { points: hull::convex_polygon(&corners) })];
    }
    let n = points.len() as f64;
    let middle: Point = [0, 1, 2].map(|i| points.iter().map(|p| p[i]).sum::<f64>() / n);
    points.iter().filter(|p| distance(p, &middle) > 1e-3 * size.whole).map(|p| rod(middle, *p, size)).collect()
}

/// One attachment point: a uniform rod if the inertia matches, otherwise a mass on a rod.
fn single_joint_visuals(kind: &BodyKind, hold: Point, centre: Point, size: &ModelSize) -> Vec<Visual> {
    let arm = distance(&hold, &centre);
    if arm < 1e-3 * size.whole {
        return vec![equivalent_solid(kind, centre, size)];
    }
    if let Some(gyration) = super::size::radius_of_gyration(kind) {
        // For a uniform rod of length 2 d, J/m = (2 d)²/12.
        let rod_like = arm / 3.0_f64.sqrt();
        if (gyration - rod_like).abs() < 0.02 * rod_like {
            let end = [0, 1, 2].map(|i| 2.0 * centre[i] - hold[i]);
            return vec![rod(hold, end, size)];
        }
    }
    vec![rod(hold, centre, size), equivalent_solid(kind, centre, size)]
}

/// A solid with the same inertia: an ellipsoid, in the plane a disc; a small sphere if the inertia is unknown.
fn equivalent_solid(kind: &BodyKind, centre: Point, size: &ModelSize) -> Visual {
    let [least, most] = SOLID_SIZE_BOUNDS.map(|b| b * size.whole);
    let ball = Form::Sphere { radius: 0.025 * size.whole };
    if let BodyKind::Planar(b) = kind {
        let radius = (2.0 * b.inertia / b.mass).sqrt();
        return at(centre, if radius.is_finite() { Form::Sphere { radius: radius.clamp(least, most) } } else { ball });
    }
    let Some(b) = kind.rigid() else { return at(centre, ball) };
    let found = SymmetricEigen::new(b.tensor());
    let mut axes: Mat3 = found.eigenvectors;
    if axes.determinant() < 0.0 {
        axes.set_column(2, &(-axes.column(2)));
    }
    let sum: f64 = found.eigenvalues.iter().sum();
    // J₁ = m (b² + c²) / 5, and cyclically.
    let radii = [0, 1, 2].map(|i| (2.5 * (sum - 2.0 * found.eigenvalues[i]) / b.mass).max(0.0).sqrt());
    let largest = radii.iter().copied().fold(0.0, f64::max);
    if largest <= 0.0 || !largest.is_finite() {
        return at(centre, ball);
    }
    let shrink = (most / largest).min(1.0);
    let radii = radii.map(|r| (r * shrink).max(least));
    let q = quaternion_of_rotation(&axes);
    Visual { q, ..at(centre, Form::Ellipsoid { radii }) }
}
