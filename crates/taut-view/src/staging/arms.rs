//! Bars to frames that no element uses: points of a link that are there to be looked at, as that of a coupler.

use super::size::Size;
use crate::scene::{Form, Origin, Point, Role, Scene, Visual};
use taut::motion::Vec3;

/// Most such points: with more of them nobody knows which is meant.
const MOST: usize = 2;
/// How far from where a body is held such a point may lie, against how far that spreads: pointers, by which one reads a
/// small turn, lie farther away and would set the scale of the picture.
const FAR: f64 = 1.5;

fn apart(a: &Point, b: &Point) -> f64 {
    (Vec3::from(*a) - Vec3::from(*b)).norm()
}

/// Where joints hold a figure, each place once.
fn joints(scene: &Scene, figure: usize) -> Vec<Point> {
    let mut found: Vec<Point> = Vec::new();
    for spot in scene.joints.iter().flat_map(|j| &j.spots).filter(|s| s.figure == figure) {
        if found.iter().all(|p| apart(p, &spot.p) > 1e-6) {
            found.push(spot.p);
        }
    }
    found
}

/// Whether a frame lies within the size of what its figure is held by.
pub(crate) fn within(scene: &Scene, figure: usize, p: &Point) -> bool {
    let links = scene.links.iter().flat_map(|l| &l.spots).filter(|s| s.figure == figure).map(|s| s.p);
    let mut places = joints(scene, figure);
    places.extend(links);
    places.push(scene.figures[figure].centre);
    let pairs = places.iter().flat_map(|a| places.iter().map(move |b| apart(a, b)));
    let spread = pairs.fold(0.0, f64::max);
    places.iter().any(|q| apart(p, q) <= FAR * spread)
}

/// Whether nothing holds a figure there, and nothing else is drawn there.
pub(crate) fn free(scene: &Scene, figure: usize, p: &Point) -> bool {
    let f = &scene.figures[figure];
    let near = |q: &Point| apart(p, q) < 1e-6;
    let spots = scene.joints.iter().flat_map(|j| &j.spots).chain(scene.links.iter().flat_map(|l| &l.spots));
    let ends = f.visuals.iter().any(|v| match &v.form {
        Form::Rod { from, to, .. } => near(from) || near(to),
        Form::Polygon { .. } => false,
        _ => near(&v.p),
    });
    !ends && !near(&f.centre) && !spots.into_iter().any(|s| s.figure == figure && near(&s.p))
}

/// Whether arms lead to this point: two bars that end there.
pub(crate) fn has_arms(scene: &Scene, figure: usize, p: &Point) -> bool {
    let ends =
        |v: &&Visual| matches!(&v.form, Form::Rod { to, .. } if apart(to, p) < 1e-6) && v.origin == Origin::Default;
    scene.figures[figure].visuals.iter().filter(ends).count() > 1
}

/// Bars from the first two joints of a figure to its free frames, where no look but a slender one is given.
pub(super) fn arms(scene: &Scene, size: &Size) -> Vec<(usize, Visual)> {
    let mut found: Vec<(usize, Point)> = Vec::new();
    for (i, figure) in scene.figures.iter().enumerate().skip(1).filter(|(_, f)| f.role == Role::Body) {
        let slender = |form: &Form| matches!(form, Form::Rod { .. } | Form::Cylinder { .. } | Form::Capsule { .. });
        let plain = figure.visuals.iter().all(|v| v.origin == Origin::Default || slender(&v.form));
        if !plain || joints(scene, i).len() < 2 {
            continue;
        }
        for marker in figure.markers.iter().filter(|m| free(scene, i, &m.p) && within(scene, i, &m.p)) {
            if !found.iter().any(|(f, p)| *f == i && apart(p, &marker.p) < 1e-6) {
                found.push((i, marker.p));
            }
        }
    }
    if found.len() > MOST {
        return Vec::new();
    }
    let mut bars = Vec::new();
    for (figure, to) in found {
        for from in joints(scene, figure).into_iter().take(2) {
            let radius = (0.006 * size.whole).min(0.03 * apart(&from, &to));
            let form = Form::Rod { from, to, radius };
            let q = [1.0, 0.0, 0.0, 0.0];
            bars.push((figure, Visual { form, p: [0.0; 3], q, origin: Origin::Default, colour: None }));
        }
    }
    bars
}
