//! Bodies: shaded faces, outlines, and a mark that makes rotation visible.

use super::camera::{Dot, Quat, Sheet, Vec3, hull, polar, shift};
use super::ink::Tint;
use super::instants::turn;
use super::mesh;
use crate::scene::{Form, Origin, Space, Visual};
use nalgebra::Matrix3;
use std::f64::consts::TAU;
use taut_io::plot::drawing::{Fill, Pen, Shape};

/// A shape with its depth; the farthest shapes are drawn first.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub depth: f64,
    pub shape: Shape,
}

/// Smallest and largest half width of a default bar.
const BAR: (f64, f64) = (2.6, 9.0);
/// Width of outlines.
pub(super) const EDGE: f64 = 1.0;

/// Draws a shape attached to a figure.
pub(super) fn draw(visual: &Visual, (origin, q): (Vec3, Quat), sheet: &Sheet, tint: &Tint, out: &mut Vec<Piece>) {
    let (centre, axes) = (origin + q * Vec3::from(visual.p), q * turn(&visual.q));
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
            let half = if visual.origin == Origin::Default { half.clamp(BAR.0, BAR.1) } else { half.max(1.2) };
            bar(&place(from), &place(to), half, sheet, tint, out);
        }
        Form::Polygon { points } => {
            let corners = points.iter().map(|p| sheet.at(&place(&[p[0], p[1], 0.0]))).collect();
            let normal = if axis.dot(&sheet.camera.away) > 0.0 { -axis } else { axis };
            out.push(face(corners, &normal, sheet.depth(&centre), sheet, tint));
        }
        Form::Mesh { vertices, triangles } => mesh::draw(vertices, triangles, &centre, &axes, sheet, tint, out),
        // Drawn by `floor`.
        Form::HalfSpace | Form::HalfPlane => {}
    }
}

fn edge(tint: &Tint) -> Option<Pen> {
    Some(Pen { colour: tint.edge, width: EDGE, dash: None })
}

fn face(points: Vec<Dot>, normal: &Vec3, depth: f64, sheet: &Sheet, tint: &Tint) -> Piece {
    let colour = match sheet.space {
        Space::Planar => tint.base,
        Space::Spatial => tint.shade(sheet.light(normal)),
    };
    Piece { depth, shape: Shape::Area { points, fill: Fill::Flat(colour), edge: edge(tint) } }
}

fn cuboid(centre: &Vec3, axes: &Quat, size: &[f64; 3], sheet: &Sheet, tint: &Tint, out: &mut Vec<Piece>) {
    for (k, side) in (0..3).flat_map(|k| [(k, -1.0), (k, 1.0)]) {
        let unit = |k: usize| axes * Vec3::ith(k % 3, 1.0);
        let normal = unit(k) * side;
        // Back faces are hidden; faces seen edge-on have no area.
        if normal.dot(&sheet.camera.away) > -1e-6 {
            continue;
        }
        let middle = centre + normal * (0.5 * size[k]);
        let (u, v) = (unit(k + 1) * (0.5 * size[(k + 1) % 3]), unit(k + 2) * (0.5 * size[(k + 2) % 3]));
        let corners = [-u - v, u - v, u + v, v - u].iter().map(|c| sheet.at(&(middle + c))).collect();
        out.push(face(corners, &normal, sheet.depth(&middle), sheet, tint));
    }
}

fn ball(centre: &Vec3, axes: &Quat, radius: f64, sheet: &Sheet, tint: &Tint, out: &mut Vec<Piece>) {
    let (at, r, depth) = (sheet.at(centre), radius * sheet.scale, sheet.depth(centre));
    let fill = match sheet.space {
        Space::Planar => Fill::Flat(tint.base),
        Space::Spatial => Fill::Ball { light: tint.light, dark: tint.dark },
    };
    out.push(Piece { depth, shape: Shape::Circle { at, radius: r.max(1.5), fill, edge: edge(tint) } });
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
                (p.dot(&sheet.camera.away) <= 0.0).then(|| sheet.at(&(centre + p)))
            };
            let start = (0..32).find(|k| seen(*k).is_some() && seen(k - 1).is_none()).unwrap_or(0);
            let points: Vec<Dot> = (start..start + 32).map_while(seen).collect();
            let pen = Pen { colour: tint.edge, width: 0.7, dash: None };
            out.push(Piece { depth: depth - 1e-6, shape: Shape::Line { points, pen, within: None } });
        }
    }
}

/// A radius line on a round shape, to make its rotation visible.
fn spoke(centre: &Vec3, axes: &Quat, radius: f64, depth: f64, sheet: &Sheet, tint: &Tint, out: &mut Vec<Piece>) {
    let rim = centre + axes * Vec3::new(radius, 0.0, 0.0);
    let points = vec![sheet.at(centre), sheet.at(&rim)];
    let pen = Pen { colour: tint.edge, width: EDGE, dash: None };
    out.push(Piece { depth: depth - 1e-6, shape: Shape::Line { points, pen, within: None } });
}

/// A cylinder about z of its axes.
pub(super) fn cylinder(
    centre: &Vec3,
    axes: &Quat,
    radius: f64,
    length: f64,
    sheet: &Sheet,
    tint: &Tint,
    out: &mut Vec<Piece>,
) {
    let mut axis = axes * Vec3::z();
    if axis.dot(&sheet.camera.away) > 0.0 {
        axis = -axis;
    }
    let (r, depth) = (radius * sheet.scale, sheet.depth(centre));
    let front = centre + axis * (0.5 * length);
    let round = |middle: &Vec3| -> Vec<Dot> {
        let corner = |k: i32| {
            let (sin, cos) = (f64::from(k) * TAU / 32.0).sin_cos();
            sheet.at(&(middle + axes * Vec3::new(radius * cos, radius * sin, 0.0)))
        };
        (0..32).map(corner).collect()
    };
    let (tall, u) = polar(sheet.along(&axis));
    // Seen along its axis, it is a circle.
    if tall < 1e-3 * sheet.scale {
        let light = if sheet.space == Space::Planar { tint.base } else { tint.shade(sheet.light(&axis)) };
        let at = sheet.at(&front);
        let shape = Shape::Circle { at, radius: r.max(1.0), fill: Fill::Flat(light), edge: edge(tint) };
        out.push(Piece { depth, shape });
    } else {
        let mut outline = round(&(centre - axis * (0.5 * length)));
        outline.extend(round(&front));
        out.push(Piece { depth, shape: tube(hull(&outline), sheet.at(centre), u, r, sheet, tint) });
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
fn tube(points: Vec<Dot>, at: Dot, u: Dot, r: f64, sheet: &Sheet, tint: &Tint) -> Shape {
    let fill = match sheet.space {
        Space::Planar => Fill::Flat(tint.base),
        Space::Spatial => {
            let (mut from, mut to) = (shift(at, u, 0.0, -r), shift(at, u, 0.0, r));
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
pub(super) fn bar(a: &Vec3, b: &Vec3, half: f64, sheet: &Sheet, tint: &Tint, out: &mut Vec<Piece>) {
    let (from, to) = (sheet.at(a), sheet.at(b));
    let (_, u) = polar((to.0 - from.0, to.1 - from.1));
    let depth = 0.5 * (sheet.depth(a) + sheet.depth(b));
    let cap = |at: Dot, sign: f64| {
        (0..=8).map(move |k| {
            let (sin, cos) = (std::f64::consts::PI * f64::from(k) / 8.0).sin_cos();
            shift(at, u, sign * half * sin, -sign * half * cos)
        })
    };
    let points: Vec<Dot> = cap(to, 1.0).chain(cap(from, -1.0)).collect();
    let middle = (0.5 * (from.0 + to.0), 0.5 * (from.1 + to.1));
    out.push(Piece { depth, shape: tube(points, middle, u, half, sheet, tint) });
}

/// The outline of an ellipsoid is an ellipse, whose matrix is the projection of that of the ellipsoid to the sheet.
fn ellipsoid(centre: &Vec3, axes: &Quat, radii: &[f64; 3], sheet: &Sheet, tint: &Tint, out: &mut Vec<Piece>) {
    let R = axes.to_rotation_matrix();
    let spread = R * Matrix3::from_diagonal(&Vec3::from(*radii).map(|r| r * r)) * R.transpose();
    let (right, up) = (sheet.camera.right, sheet.camera.up);
    let xx = right.dot(&(spread * right)).max(1e-18);
    let (xy, yy) = (right.dot(&(spread * up)), up.dot(&(spread * up)));
    // The Cholesky factor of the 2 × 2 matrix maps the unit circle to the ellipse.
    let (a, b) = (xx.sqrt(), xy / xx.sqrt());
    let c = (yy - b * b).max(0.0).sqrt();
    let at = sheet.at(centre);
    let corner = |k: i32| {
        let (sin, cos) = (f64::from(k) * TAU / 64.0).sin_cos();
        (at.0 + sheet.scale * a * cos, at.1 - sheet.scale * (b * cos + c * sin))
    };
    let fill = match sheet.space {
        Space::Planar => Fill::Flat(tint.base),
        Space::Spatial => Fill::Ball { light: tint.light, dark: tint.dark },
    };
    let shape = Shape::Area { points: (0..64).map(corner).collect(), fill, edge: edge(tint) };
    out.push(Piece { depth: sheet.depth(centre), shape });
}
