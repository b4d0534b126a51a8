//! Bodies: shaded faces, outlines, and a mark that makes rotation visible.

use super::camera::{Quat, Sheet, SheetPoint, Vec3, convex_hull, length_and_direction, offset};
use super::instants::to_quaternion;
use super::mesh;
use super::palette::Tint;
use crate::scene::{Form, Origin, Space, Visual};
use nalgebra::Matrix3;
use std::f64::consts::TAU;
use taut_io::plot::drawing::{Fill, Pen, Shape};

/// A shape with its depth; the farthest shapes are drawn first.
#[derive(Clone, Debug)]
pub(super) struct DepthShape {
    pub depth: f64,
    pub shape: Shape,
}

/// Smallest and largest half width of a default bar.
const BAR_HALF_WIDTHS: (f64, f64) = (2.6, 9.0);
/// Width of outlines.
pub(super) const OUTLINE_WIDTH: f64 = 1.0;

/// Draws a shape attached to a figure.
pub(super) fn draw(visual: &Visual, (origin, q): (Vec3, Quat), sheet: &Sheet, tint: &Tint, out: &mut Vec<DepthShape>) {
    let (centre, axes) = (origin + q * Vec3::from(visual.p), q * to_quaternion(&visual.q));
    let place = |p: &[f64; 3]| centre + axes * Vec3::from(*p);
    let axis = axes * Vec3::z();
    match &visual.form {
        Form::Box { size } => cuboid(&centre, &axes, size, sheet, tint, out),
        Form::Sphere { radius } => ball(&centre, &axes, *radius, sheet, tint, out),
        Form::Cylinder { radius, length } => cylinder(&centre, &axes, *radius, *length, sheet, tint, out),
        Form::Capsule { radius, length } => {
            let half = axis * (0.5 * length);
            bar(&(centre - half), &(centre + half), radius * sheet.scale, sheet, tint, out);
        }
        Form::Ellipsoid { radii } => ellipsoid(&centre, &axes, radii, sheet, tint, out),
        Form::Rod { from, to, radius } => {
            let half = radius * sheet.scale;
            let half = if visual.origin == Origin::Default {
                half.clamp(BAR_HALF_WIDTHS.0, BAR_HALF_WIDTHS.1)
            } else {
                half.max(1.2)
            };
            bar(&place(from), &place(to), half, sheet, tint, out);
        }
        Form::Polygon { points } => {
            let corners = points.iter().map(|p| sheet.project(&place(&[p[0], p[1], 0.0]))).collect();
            let normal = if axis.dot(&sheet.camera.away) > 0.0 { -axis } else { axis };
            out.push(face(corners, &normal, sheet.depth(&centre), sheet, tint));
        }
        Form::Mesh { vertices, triangles } => mesh::draw(vertices, triangles, &centre, &axes, sheet, tint, out),
        // Drawn by `floor`.
        Form::HalfSpace | Form::HalfPlane => {}
    }
}

fn edge(tint: &Tint) -> Option<Pen> {
    Some(Pen { colour: tint.edge, width: OUTLINE_WIDTH, dash: None })
}

fn face(points: Vec<SheetPoint>, normal: &Vec3, depth: f64, sheet: &Sheet, tint: &Tint) -> DepthShape {
    let colour = match sheet.space {
        Space::Planar => tint.base,
        Space::Spatial => tint.shade(sheet.light(normal)),
    };
    DepthShape { depth, shape: Shape::Area { points, fill: Fill::Flat(colour), edge: edge(tint) } }
}

fn cuboid(centre: &Vec3, axes: &Quat, size: &[f64; 3], sheet: &Sheet, tint: &Tint, out: &mut Vec<DepthShape>) {
    for (k, side) in (0..3).flat_map(|k| [(k, -1.0), (k, 1.0)]) {
        let unit = |k: usize| axes * Vec3::ith(k % 3, 1.0);
        let normal = unit(k) * side;
        // Back faces are hidden; faces seen edge-on have no area.
        if normal.dot(&sheet.camera.away) > -1e-6 {
            continue;
        }
        let middle = centre + normal * (0.5 * size[k]);
        let (u, v) = (unit(k + 1) * (0.5 * size[(k + 1) % 3]), unit(k + 2) * (0.5 * size[(k + 2) % 3]));
        let corners = [-u - v, u - v, u + v, v - u].iter().map(|c| sheet.project(&(middle + c))).collect();
        out.push(face(corners, &normal, sheet.depth(&middle), sheet, tint));
    }
}

fn ball(centre: &Vec3, axes: &Quat, radius: f64, sheet: &Sheet, tint: &Tint, out: &mut Vec<DepthShape>) {
    let (at, r, depth) = (sheet.project(centre), radius * sheet.scale, sheet.depth(centre));
    let fill = match sheet.space {
        Space::Planar => Fill::Flat(tint.base),
        Space::Spatial => Fill::Ball { light: tint.light, dark: tint.dark },
    };
    out.push(DepthShape { depth, shape: Shape::Circle { at, radius: r.max(1.5), fill, edge: edge(tint) } });
    if r < 7.0 {
        return;
    }
    match sheet.space {
        Space::Planar => spoke(centre, axes, radius, depth, sheet, tint, out),
        Space::Spatial => {
            // The visible half of a great circle.
            let seen = |k: i32| {
                let (sin, cos) = (f64::from(k) * TAU / 32.0).sin_cos();
                let p = axes * Vec3::new(radius * cos, 0.0, radius * sin);
                (p.dot(&sheet.camera.away) <= 0.0).then(|| sheet.project(&(centre + p)))
            };
            let start = (0..32).find(|k| seen(*k).is_some() && seen(k - 1).is_none()).unwrap_or(0);
            let points: Vec<SheetPoint> = (start..start + 32).map_while(seen).collect();
            let pen = Pen { colour: tint.edge, width: 0.7, dash: None };
            out.push(DepthShape { depth: depth - 1e-6, shape: Shape::Line { points, pen, within: None } });
        }
    }
}

/// A radius line on a round shape, to make its rotation visible.
fn spoke(centre: &Vec3, axes: &Quat, radius: f64, depth: f64, sheet: &Sheet, tint: &Tint, out: &mut Vec<DepthShape>) {
    let rim = centre + axes * Vec3::new(radius, 0.0, 0.0);
    let points = vec![sheet.project(centre), sheet.project(&rim)];
    let pen = Pen { colour: tint.edge, width: OUTLINE_WIDTH, dash: None };
    out.push(DepthShape { depth: depth - 1e-6, shape: Shape::Line { points, pen, within: None } });
}

/// A cylinder about z of its axes.
pub(super) fn cylinder(
    centre: &Vec3,
    axes: &Quat,
    radius: f64,
    length: f64,
    sheet: &Sheet,
    tint: &Tint,
    out: &mut Vec<DepthShape>,
) {
    let mut axis = axes * Vec3::z();
    if axis.dot(&sheet.camera.away) > 0.0 {
        axis = -axis;
    }
    let (r, depth) = (radius * sheet.scale, sheet.depth(centre));
    let front = centre + axis * (0.5 * length);
    let round = |middle: &Vec3| -> Vec<SheetPoint> {
        let corner = |k: i32| {
            let (sin, cos) = (f64::from(k) * TAU / 32.0).sin_cos();
            sheet.project(&(middle + axes * Vec3::new(radius * cos, radius * sin, 0.0)))
        };
        (0..32).map(corner).collect()
    };
    let (tall, u) = length_and_direction(sheet.project_direction(&axis));
    // Seen along its axis, it is a circle.
    if tall < 1e-3 * sheet.scale {
        let light = if sheet.space == Space::Planar { tint.base } else { tint.shade(sheet.light(&axis)) };
        let at = sheet.project(&front);
        let shape = Shape::Circle { at, radius: r.max(1.0), fill: Fill::Flat(light), edge: edge(tint) };
        out.push(DepthShape { depth, shape });
    } else {
        let mut outline = round(&(centre - axis * (0.5 * length)));
        outline.extend(round(&front));
        out.push(DepthShape { depth, shape: tube(convex_hull(&outline), sheet.project(centre), u, r, sheet, tint) });
        let facing = -axis.dot(&sheet.camera.away);
        if facing > 1e-3 {
            out.push(face(round(&front), &axis, depth - 1e-6, sheet, tint));
        }
        if facing < 0.2 {
            return;
        }
    }
    if r > 7.0 {
        spoke(&front, axes, radius, depth - 1e-6, sheet, tint, out);
    }
}

/// A shape that is round about a direction, shaded with light from above.
fn tube(points: Vec<SheetPoint>, at: SheetPoint, u: SheetPoint, r: f64, sheet: &Sheet, tint: &Tint) -> Shape {
    let fill = match sheet.space {
        Space::Planar => Fill::Flat(tint.base),
        Space::Spatial => {
            let (mut from, mut to) = (offset(at, u, 0.0, -r), offset(at, u, 0.0, r));
            // The upper side is lit; for upright shapes, the left side.
            if 0.75 * from.1 + 0.45 * from.0 > 0.75 * to.1 + 0.45 * to.0 {
                std::mem::swap(&mut from, &mut to);
            }
            Fill::Across { from, to, colours: [tint.base, tint.light, tint.dark] }
        }
    };
    Shape::Area { points, fill, edge: edge(tint) }
}

/// A bar with round ends between two points, with half width `half` in drawing units.
pub(super) fn bar(a: &Vec3, b: &Vec3, half: f64, sheet: &Sheet, tint: &Tint, out: &mut Vec<DepthShape>) {
    let (from, to) = (sheet.project(a), sheet.project(b));
    let (_, u) = length_and_direction((to.0 - from.0, to.1 - from.1));
    let depth = 0.5 * (sheet.depth(a) + sheet.depth(b));
    let cap = |at: SheetPoint, sign: f64| {
        (0..=8).map(move |k| {
            let (sin, cos) = (std::f64::consts::PI * f64::from(k) / 8.0).sin_cos();
            offset(at, u, sign * half * sin, -sign * half * cos)
        })
    };
    let points: Vec<SheetPoint> = cap(to, 1.0).chain(cap(from, -1.0)).collect();
    let middle = (0.5 * (from.0 + to.0), 0.5 * (from.1 + to.1));
    out.push(DepthShape { depth, shape: tube(points, middle, u, half, sheet, tint) });
}

/// The outline of an ellipsoid is an ellipse, whose matrix is the projection of that of the ellipsoid to the sheet.
fn ellipsoid(centre: &Vec3, axes: &Quat, radii: &[f64; 3], sheet: &Sheet, tint: &Tint, out: &mut Vec<DepthShape>) {
    let R = axes.to_rotation_matrix();
    let spread = R * Matrix3::from_diagonal(&Vec3::from(*radii).map(|r| r * r)) * R.transpose();
    let (right, up) = (sheet.camera.right, sheet.camera.up);
    let xx = right.dot(&(spread * right)).max(1e-18);
    let (xy, yy) = (right.dot(&(spread * up)), up.dot(&(spread * up)));
    // The Cholesky factor of the 2 × 2 matrix maps the unit circle to the ellipse.
    let (a, b) = (xx.sqrt(), xy / xx.sqrt());
    let c = (yy - b * b).max(0.0).sqrt();
    let at = sheet.project(centre);
    let corner = |k: i32| {
        let (sin, cos) = (f64::from(k) * TAU / 64.0).sin_cos();
        (at.0 + sheet.scale * a * cos, at.1 - sheet.scale * (b * cos + c * sin))
    };
    let fill = match sheet.space {
        Space::Planar => Fill::Flat(tint.base),
        Space::Spatial => Fill::Ball { light: tint.light, dark: tint.dark },
    };
    let shape = Shape::Area { points: (0..64).map(corner).collect(), fill, edge: edge(tint) };
    out.push(DepthShape { depth: sheet.depth(centre), shape });
}
