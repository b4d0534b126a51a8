//! Adjusts default shapes to the mechanism: solids are small enough not to cover it, sliders become blocks, stars of rods
//! become plates, ropes run over discs, and unused markers are connected to their links.
//!
//! The scene itself is changed, so the page and the stroboscopic pictures look the same.

use super::size::ModelSize;
use super::{RunScene, marker_bars};
use crate::scene::{Form, Glyph, JointFigure, Origin, Point, Role, Scene, Space, Spot, Visual};
use taut::constraints::{ConstraintKind, Via};
use taut::motion::{Mat3, Vec3, quaternion_of_rotation, rotation_of_quaternion};

/// Largest radius, relative to the mechanism, of a default solid, of a disc that rotates about its own centre, and of a body in
/// a slot.
const RADIUS_SHARES: (f64, f64, f64) = (0.06, 0.22, 0.02);
/// Length and width of the block of a slider, relative to the mechanism.
const BLOCK_SHARES: (f64, f64) = (0.075, 0.042);
/// If the mechanism is smaller than this fraction of the radius of gyration of its bodies, it does not limit their size.
const SMALLEST_MECHANISM_SHARE: f64 = 0.5;

/// Poses of all figures.
type Poses = [(Point, Mat3)];

/// Adjusts the default shapes. The poses are those of the first row.
pub(super) fn adjust_defaults(stage: &mut RunScene, size: &ModelSize, poses: &Poses) {
    let pulleys = pulleys(stage, size);
    let scene = &mut stage.scene;
    let found = overall_size(scene, poses);
    let whole = if found > SMALLEST_MECHANISM_SHARE * size.bodies { found } else { 0.0 };
    for i in 1..scene.figures.len() {
        let holds: Vec<(Glyph, Spot)> = joints_of(scene, i);
        let linked = scene.links.iter().flat_map(|l| &l.spots).any(|s| s.figure == i);
        let slider = scene.joints.iter().find(|j| is_slider(j) && sliding_side(j).is_some_and(|s| s.figure == i));
        let block = slider.filter(|j| whole > 0.0 && j.kind != "slot").and_then(|j| block(j, poses, whole));
        let figure = &mut scene.figures[i];
        if figure.role == Role::Body
            && let Some(block) = block
            && figure.visuals.iter().any(|v| is_default(v) && is_solid(v))
        {
            figure.visuals.retain(|v| !(is_default(v) && is_solid(v)));
            figure.visuals.push(block);
        }
        if (linked || !holds.is_empty()) && whole > 0.0 {
            let centre = Vec3::from(figure.centre);
            let turns =
                holds.iter().any(|(g, s)| *g == Glyph::Revolute && (Vec3::from(s.p) - centre).norm() < 1e-3 * whole);
            let in_slot = holds.iter().any(|(g, _)| matches!(g, Glyph::PrismaticX | Glyph::PrismaticZ));
            for visual in figure.visuals.iter_mut().filter(|v| is_default(v)) {
                // A disc that rotates about its centre is a wheel or gear and may be larger.
                let fraction = match visual.form {
                    _ if in_slot => RADIUS_SHARES.2,
                    Form::Sphere { .. } if turns => RADIUS_SHARES.1,
                    _ => RADIUS_SHARES.0,
                };
                shrink(&mut visual.form, whole * fraction);
            }
        }
        if scene.space == Space::Spatial
            && let Some(plate) = plate(&figure.visuals)
        {
            figure.visuals.retain(|v| !is_default(v));
            figure.visuals.push(plate);
        }
    }
    let threads: Vec<(usize, Visual)> = (1..scene.figures.len()).filter_map(|i| hanging_rod(scene, i, size)).collect();
    for (figure, visual) in threads.into_iter().chain(marker_bars::marker_bars(scene, size)).chain(pulleys) {
        scene.figures[figure].visuals.push(visual);
    }
}

/// A rod from a body with a given shape to its single joint, if the joint is outside the shape.
fn hanging_rod(scene: &Scene, figure: usize, size: &ModelSize) -> Option<(usize, Visual)> {
    let [visual] = scene.figures[figure].visuals.as_slice() else { return None };
    let Form::Sphere { radius } = visual.form else { return None };
    let holds = joints_of(scene, figure);
    let hung = |g: &Glyph| matches!(g, Glyph::Revolute | Glyph::Spherical | Glyph::Universal);
    let [(_, spot)] = holds.as_slice() else { return None };
    let away = (Vec3::from(spot.p) - Vec3::from(visual.p)).norm();
    if is_default(visual) || away <= radius || !hung(&holds[0].0) {
        return None;
    }
    let form = Form::Rod { from: spot.p, to: visual.p, radius: (0.006 * size.whole).min(0.03 * away) };
    let q = [1.0, 0.0, 0.0, 0.0];
    Some((figure, Visual { form, p: [0.0; 3], q, origin: Origin::Default, colour: None }))
}

fn is_default(visual: &Visual) -> bool {
    visual.origin == Origin::Default
}

fn is_solid(visual: &Visual) -> bool {
    matches!(visual.form, Form::Sphere { .. } | Form::Ellipsoid { .. })
}

/// Joints of a figure and their spots on it.
fn joints_of(scene: &Scene, figure: usize) -> Vec<(Glyph, Spot)> {
    let each = scene.joints.iter().flat_map(|j| j.spots.iter().map(|s| (j.glyph, *s)));
    each.filter(|(_, s)| s.figure == figure).collect()
}

fn is_slider(joint: &JointFigure) -> bool {
    matches!(joint.glyph, Glyph::PrismaticX | Glyph::PrismaticZ)
}

/// The spot that slides along the axis of the first spot.
fn sliding_side(joint: &JointFigure) -> Option<&Spot> {
    let last = joint.spots.last()?;
    if last.figure == 0 { joint.spots.first() } else { Some(last) }
}

/// A block at the sliding spot, along the axis of the first spot.
fn block(joint: &JointFigure, poses: &Poses, whole: f64) -> Option<Visual> {
    let (first, moving) = (joint.spots.first()?, sliding_side(joint)?);
    let axes = poses[moving.figure].1.transpose() * poses[first.figure].1 * rotation_of_quaternion(&first.q);
    let (length, width) = (BLOCK_SHARES.0 * whole, BLOCK_SHARES.1 * whole);
    let size = if joint.glyph == Glyph::PrismaticX { [length, width, width] } else { [width, width, length] };
    let q = quaternion_of_rotation(&axes);
    Some(Visual { form: Form::Box { size }, p: moving.p, q, origin: Origin::Default, colour: None })
}

/// Pulley discs, on their figures.
fn pulleys(stage: &RunScene, size: &ModelSize) -> Vec<(usize, Visual)> {
    let model = &stage.model;
    let mut found: Vec<(usize, Visual)> = Vec::new();
    for c in &model.constraints {
        let ConstraintKind::Rope(rope) = &c.kind else { continue };
        for (via, marker) in rope.through.iter().zip(&c.markers) {
            if let (Via::Pulley { radius, .. }, Some(spot)) = (via, stage.graph.spot(model, *marker)) {
                let form = Form::Cylinder { radius: *radius, length: (0.2 * radius).min(0.02 * size.whole) };
                let disc = Visual { form, p: spot.p, q: spot.q, origin: Origin::Default, colour: None };
                if !found.iter().any(|(figure, other)| *figure == spot.figure && *other == disc) {
                    found.push((spot.figure, disc));
                }
            }
        }
    }
    found
}

/// Extent of the positions of bodies, joints and links, at least that of the largest given shape of a body.
fn overall_size(scene: &Scene, poses: &Poses) -> f64 {
    let place = |figure: usize, p: &Point| Vec3::from(poses[figure].0) + poses[figure].1 * Vec3::from(*p);
    let spots = scene.joints.iter().flat_map(|j| &j.spots).chain(scene.links.iter().flat_map(|l| &l.spots));
    let centres = (1..scene.figures.len()).map(|i| place(i, &scene.figures[i].centre));
    let given = scene.figures.iter().skip(1).flat_map(|f| &f.visuals).filter(|v| !is_default(v));
    let largest = given.map(|v| extent(&v.form)).fold(0.0, f64::max);
    super::size::bounding_diagonal(spots.map(|s| place(s.figure, &s.p)).chain(centres)).max(largest)
}

/// Largest dimension of a bounded shape; polygons and meshes are not considered, as they surround the other points.
fn extent(form: &Form) -> f64 {
    match form {
        Form::Box { size } => size.iter().copied().fold(0.0, f64::max),
        Form::Sphere { radius } => 2.0 * radius,
        Form::Cylinder { radius, length } => (2.0 * radius).max(*length),
        Form::Capsule { radius, length } => 2.0 * radius + length,
        Form::Ellipsoid { radii } => 2.0 * radii.iter().copied().fold(0.0, f64::max),
        Form::Rod { from, to, .. } => (Vec3::from(*from) - Vec3::from(*to)).norm(),
        Form::Polygon { .. } | Form::Mesh { .. } | Form::HalfSpace | Form::HalfPlane => 0.0,
    }
}

fn shrink(form: &mut Form, most: f64) {
    match form {
        Form::Sphere { radius } => *radius = radius.min(most),
        Form::Ellipsoid { radii } => {
            let largest = radii.iter().copied().fold(0.0, f64::max);
            let fraction = (most / largest).min(1.0);
            radii.iter_mut().for_each(|r| *r *= fraction);
        }
        _ => {}
    }
}

/// Replaces three or more coplanar rods from one point by the plate between their ends.
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
    let q = quaternion_of_rotation(&Mat3::from_columns(&[x, y, z]));
    Some(Visual { form: Form::Polygon { points }, p: *middle, q, origin: Origin::Default, colour: None })
}
