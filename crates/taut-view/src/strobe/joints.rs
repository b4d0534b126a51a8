//! Joint symbols: pins, balls, blocks on guides, crosses.

use super::camera::{Sheet, SheetPoint, Vec3, length_and_direction, offset};
use super::forms::{DepthShape, cylinder};
use super::instants::Instant;
use crate::scene::{Form, Glyph, JointFigure, Role, Scene, Space};
use taut_io::plot::drawing::{Fill, Shape};

/// Draws the moving part of a joint.
pub(super) fn draw(joint: &JointFigure, scene: &Scene, instant: &Instant, sheet: &Sheet, out: &mut Vec<DepthShape>) {
    let (Some(first), Some(last)) = (joint.spots.first(), joint.spots.last()) else { return };
    let ((p, q), (p_last, q_last)) = (instant.spot(first), instant.spot(last));
    let at = sheet.project(&p);
    // Slightly nearer than the connected bodies.
    let depth = sheet.depth(&p) - 4.0 * sheet.pin;
    let mut put = |shape: Shape| out.push(DepthShape { depth, shape });
    match (joint.glyph, sheet.space) {
        (Glyph::Revolute, Space::Planar) | (Glyph::Universal | Glyph::Spherical, Space::Planar) => put(pin(at, sheet)),
        (Glyph::Revolute, Space::Spatial) => {
            let mut pieces = Vec::new();
            let (r, l) = (1.1 * sheet.pin / sheet.scale, 4.0 * sheet.pin / sheet.scale);
            cylinder(&p, &q, r, l, sheet, &sheet.ink.metal, &mut pieces);
            out.extend(pieces.into_iter().map(|piece| DepthShape { depth: piece.depth - 4.0 * sheet.pin, ..piece }));
        }
        (Glyph::Spherical, Space::Spatial) => put(ball(at, 1.25 * sheet.pin, sheet)),
        (Glyph::Universal, Space::Spatial) => {
            for axis in [q * Vec3::x(), q_last * Vec3::y()] {
                let d = axis * (2.6 * sheet.pin / sheet.scale);
                let points = vec![sheet.project(&(p - d)), sheet.project(&(p + d))];
                put(Shape::Line { points, pen: sheet.ink.pen(1.8), within: None });
            }
            put(ball(at, sheet.pin, sheet));
        }
        (Glyph::PrismaticX | Glyph::PrismaticZ | Glyph::Cylindrical, _) => {
            // The other spot slides along the axis of the first one.
            let moving = if last.figure == 0 { first } else { last };
            let solid = |f: &Form| !matches!(f, Form::Rod { .. } | Form::Sphere { .. });
            let figure = &scene.figures[moving.figure];
            // A body with its own shape serves as the block, except a pin in a slot.
            if joint.kind != "slot" && figure.role == Role::Body && figure.visuals.iter().any(|v| solid(&v.form)) {
                return;
            }
            let axis = q * if joint.glyph == Glyph::PrismaticX { Vec3::x() } else { Vec3::z() };
            let place = if last.figure == 0 { p } else { p_last };
            put(block(sheet.project(&place), &axis, sheet));
        }
        (Glyph::Plane, _) => put(block(at, &(q * Vec3::x()), sheet)),
        (Glyph::Fixed, _) if joint.spots.iter().all(|s| s.figure != 0) => {
            put(Shape::Circle { at, radius: 0.5 * sheet.pin, fill: Fill::Flat(sheet.ink.line), edge: None })
        }
        _ => {}
    }
}

fn pin(at: SheetPoint, sheet: &Sheet) -> Shape {
    let fill = Fill::Flat(sheet.ink.paper);
    Shape::Circle { at, radius: sheet.pin, fill, edge: Some(sheet.ink.pen(1.3)) }
}

fn ball(at: SheetPoint, radius: f64, sheet: &Sheet) -> Shape {
    let fill = Fill::Ball { light: sheet.ink.metal.light, dark: sheet.ink.metal.dark };
    Shape::Circle { at, radius, fill, edge: Some(sheet.ink.pen(0.9)) }
}

/// A block that slides along an axis.
fn block(at: SheetPoint, axis: &Vec3, sheet: &Sheet) -> Shape {
    let (long, u) = length_and_direction(sheet.project_direction(axis));
    let (half, side) = (4.0 * sheet.pin * (long / sheet.scale).clamp(0.5, 1.0), 2.2 * sheet.pin);
    let points = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let points = points.iter().map(|(s, r)| offset(at, u, s * half, r * side)).collect();
    Shape::Area { points, fill: Fill::Flat(sheet.ink.metal.light), edge: Some(sheet.ink.pen(1.1)) }
}
