//! Bars to markers that no element uses, such as the coupler point of a linkage.

use super::size::ModelSize;
use crate::scene::{Form, Origin, Point, Role, Scene, Visual};
use taut::motion::Vec3;

/// Largest number of such points on a body; with more, none of them is special.
const MAX_MARKER_BARS: usize = 2;
/// Largest distance of such a point from the joints, relative to the spread of the joints. Pointers that indicate small
/// rotations lie farther away and would determine the scale of the picture.
const MAX_RELATIVE_DISTANCE: f64 = 1.5;

fn distance(a: &Point, b: &Point) -> f64 {
    (Vec3::from(*a) - Vec3::from(*b)).norm()
}

/// Joint positions on a figure, without duplicates.
fn joint_points(scene: &Scene, figure: usize) -> Vec<Point> {
    let mut found: Vec<Point> = Vec::new();
    for spot in scene.joints.iter().flat_map(|j| &j.spots).filter(|s| s.figure == figure) {
        if found.iter().all(|p| distance(p, &spot.p) > 1e-6) {
            found.push(spot.p);
        }
    }
    found
}

/// Whether a point is near enough to the joints of its figure.
pub(crate) fn is_near_joints(scene: &Scene, figure: usize, p: &Point) -> bool {
    let links = scene.links.iter().flat_map(|l| &l.spots).filter(|s| s.figure == figure).map(|s| s.p);
    let mut places = joint_points(scene, figure);
    places.extend(links);
    places.push(scene.figures[figure].centre);
    let pairs = places.iter().flat_map(|a| places.iter().map(move |b| distance(a, b)));
    let spread = pairs.fold(0.0, f64::max);
    places.iter().any(|q| distance(p, q) <= MAX_RELATIVE_DISTANCE * spread)
}

/// Whether no joint and no other drawn element is at this point of a figure.
pub(crate) fn is_unused_point(scene: &Scene, figure: usize, p: &Point) -> bool {
    let f = &scene.figures[figure];
    let near = |q: &Point| distance(p, q) < 1e-6;
    let spots = scene.joints.iter().flat_map(|j| &j.spots).chain(scene.links.iter().flat_map(|l| &l.spots));
    let ends = f.visuals.iter().any(|v| match &v.form {
        Form::Rod { from, to, .. } => near(from) || near(to),
        Form::Polygon { .. } => false,
        _ => near(&v.p),
    });
    !ends && !near(&f.centre) && !spots.into_iter().any(|s| s.figure == figure && near(&s.p))
}

/// Whether two bars end at this point.
pub(crate) fn has_marker_bars(scene: &Scene, figure: usize, p: &Point) -> bool {
    let ends =
        |v: &&Visual| matches!(&v.form, Form::Rod { to, .. } if distance(to, p) < 1e-6) && v.origin == Origin::Default;
    scene.figures[figure].visuals.iter().filter(ends).count() > 1
}

/// Bars from the first two joints of a figure to its unused markers, unless a shape other than a slender one is given.
pub(super) fn marker_bars(scene: &Scene, size: &ModelSize) -> Vec<(usize, Visual)> {
    let mut found: Vec<(usize, Point)> = Vec::new();
    for (i, figure) in scene.figures.iter().enumerate().skip(1).filter(|(_, f)| f.role == Role::Body) {
        let slender = |form: &Form| matches!(form, Form::Rod { .. } | Form::Cylinder { .. } | Form::Capsule { .. });
        let plain = figure.visuals.iter().all(|v| v.origin == Origin::Default || slender(&v.form));
        if !plain || joint_points(scene, i).len() < 2 {
            continue;
        }
        for marker in
            figure.markers.iter().filter(|m| is_unused_point(scene, i, &m.p) && is_near_joints(scene, i, &m.p))
        {
            if !found.iter().any(|(f, p)| *f == i && distance(p, &marker.p) < 1e-6) {
                found.push((i, marker.p));
            }
        }
    }
    if found.len() > MAX_MARKER_BARS {
        return Vec::new();
    }
    let mut bars = Vec::new();
    for (figure, to) in found {
        for from in joint_points(scene, figure).into_iter().take(2) {
            let radius = (0.006 * size.whole).min(0.03 * distance(&from, &to));
            let form = Form::Rod { from, to, radius };
            let q = [1.0, 0.0, 0.0, 0.0];
            bars.push((figure, Visual { form, p: [0.0; 3], q, origin: Origin::Default, colour: None }));
        }
    }
    bars
}
