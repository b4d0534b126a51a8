//! Looks that suit a still: made-up solids do not cover the mechanism, sliders are blocks, stars of rods are plates.

use super::camera::{Quat, Vec3};
use super::instants::Instant;
use crate::scene::{Form, Glyph, Origin, Point, Scene, Space, Spot, Visual};
use nalgebra::{Matrix3, Rotation3};

/// Largest radius of a made-up solid as a share of the mechanism, and of a disc that turns about its own centre.
const SHARES: (f64, f64) = (0.06, 0.22);

/// The scene as a still shows it.
pub(super) fn dressed(scene: &Scene, instants: &[Instant]) -> Scene {
    let mut scene = scene.clone();
    let whole = across(&scene, instants);
    for i in 1..scene.figures.len() {
        let solid = |v: &Visual| matches!(v.form, Form::Sphere { .. } | Form::Ellipsoid { .. });
        let made_up = |v: &Visual| v.origin == Origin::Default;
        let holds: Vec<(Glyph, Spot)> = holds(&scene, i);
        let linked = scene.links.iter().flat_map(|l| &l.spots).any(|s| s.figure == i);
        let figure = &mut scene.figures[i];
        let slides = holds.iter().any(|(g, _)| matches!(g, Glyph::PrismaticX | Glyph::PrismaticZ));
        if slides {
            // The block is drawn with its joint.
            figure.visuals.retain(|v| !(made_up(v) && solid(v)));
        }
        if (linked || !holds.is_empty()) && whole > 0.0 {
            let centre = Vec3::from(figure.centre);
            let turns =
                holds.iter().any(|(g, s)| *g == Glyph::Revolute && (Vec3::from(s.p) - centre).norm() < 1e-3 * whole);
            for visual in figure.visuals.iter_mut().filter(|v| made_up(v)) {
                // A disc that turns about its centre is a wheel or gear: those are large.
                let share = if turns && matches!(visual.form, Form::Sphere { .. }) { SHARES.1 } else { SHARES.0 };
                shrink(&mut visual.form, whole * share);
            }
        }
        if scene.space == Space::Spatial
            && let Some(plate) = plate(&figure.visuals)
        {
            figure.visuals.retain(|v| !made_up(v));
            figure.visuals.push(plate);
        }
    }
    scene
}

/// Joints that hold a figure, and where.
fn holds(scene: &Scene, figure: usize) -> Vec<(Glyph, Spot)> {
    let each = scene.joints.iter().flat_map(|j| j.spots.iter().map(|s| (j.glyph, *s)));
    each.filter(|(_, s)| s.figure == figure).collect()
}

/// Across the places of bodies, joints and links at all instants.
fn across(scene: &Scene, instants: &[Instant]) -> f64 {
    let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    for instant in instants {
        let spots = scene.joints.iter().flat_map(|j| &j.spots).chain(scene.links.iter().flat_map(|l| &l.spots));
        let centres = (1..scene.figures.len()).map(|i| instant.point(i, &scene.figures[i].centre));
        for p in spots.map(|s| instant.spot(s).0).chain(centres) {
            (low, high) = (low.inf(&p), high.sup(&p));
        }
    }
    let size = (high - low).norm();
    if size.is_finite() { size } else { 0.0 }
}

fn shrink(form: &mut Form, most: f64) {
    match form {
        Form::Sphere { radius } => *radius = radius.min(most),
        Form::Ellipsoid { radii } => {
            let largest = radii.iter().copied().fold(0.0, f64::max);
            let share = (most / largest).min(1.0);
            radii.iter_mut().for_each(|r| *r *= share);
        }
        _ => {}
    }
}

/// Three rods or more from one middle in one plane, as the plate between their ends.
fn plate(visuals: &[Visual]) -> Option<Visual> {
    let rods = visuals.iter().map(|v| match (&v.form, v.origin) {
        (Form::Rod { from, to, .. }, Origin::Default) => Some((*from, *to)),
        _ => None,
    });
    let rods: Vec<(Point, Point)> = rods.collect::<Option<_>>()?;
    let (middle, _) = rods.first().filter(|(m, _)| rods.len() > 2 && rods.iter().all(|(from, _)| from == m))?;
    let origin = Vec3::from(*middle);
    let ends: Vec<Vec3> = rods.iter().map(|(_, to)| Vec3::from(*to) - origin).collect();
    let x = ends[0].try_normalize(1e-12)?;
    let others = ends.iter().map(|e| x.cross(e));
    let z = others.max_by(|a, b| a.norm().total_cmp(&b.norm()))?.try_normalize(1e-9)?;
    let reach = ends.iter().map(|e| e.norm()).fold(0.0, f64::max);
    if ends.iter().any(|e| e.dot(&z).abs() > 0.05 * reach) {
        return None;
    }
    let y = z.cross(&x);
    let mut points: Vec<[f64; 2]> = ends.iter().map(|e| [e.dot(&x), e.dot(&y)]).collect();
    points.sort_by(|a, b| a[1].atan2(a[0]).total_cmp(&b[1].atan2(b[0])));
    let q = Quat::from_rotation_matrix(&Rotation3::from_matrix_unchecked(Matrix3::from_columns(&[x, y, z])));
    let q = [q.w, q.i, q.j, q.k];
    Some(Visual { form: Form::Polygon { points }, p: *middle, q, origin: Origin::Default, colour: None })
}
