//! Supports: hatched lines, pedestals of ground pins, guides of sliders, clamps.

use super::camera::{Sheet, SheetPoint, Vec3, length_and_direction, offset};
use super::instants::Instant;
use crate::scene::{Form, Glyph, JointFigure, LineStyle, Origin, Scene};
use taut_io::plot::drawing::{Colour, Fill, Pen, Shape};

/// Spacing and length of hatch lines, in pin radii.
const HATCH: (f64, f64) = (1.5, 1.5);
/// Largest number of hatch lines; more would be a grey band.
const MOST_HATCHES: f64 = 2000.0;

pub(super) fn line(points: Vec<SheetPoint>, colour: Colour, width: f64) -> Shape {
    Shape::Line { points, pen: Pen { colour, width, dash: None }, within: None }
}

/// A line from `a` to `b`, hatched on its left side, as seen on the sheet (y downwards).
pub(super) fn hatched(a: SheetPoint, b: SheetPoint, sheet: &Sheet, size: f64, out: &mut Vec<Shape>) {
    let colour = sheet.ink.ground;
    let (length, u) = length_and_direction((b.0 - a.0, b.1 - a.1));
    let count = (length / (HATCH.0 * size)).round().clamp(2.0, MOST_HATCHES);
    if !count.is_finite() || !length.is_finite() {
        return; // a body without a finite position has no guide
    }
    for k in 0..count as usize {
        let foot = offset(a, u, length * (k as f64 + 0.75) / count, 0.0);
        out.push(line(vec![foot, offset(foot, u, -0.75 * HATCH.1 * size, HATCH.1 * size)], colour, 0.8));
    }
    out.push(line(vec![a, b], colour, 1.4));
}

/// The ground symbols of all joints and links that end at the ground.
pub(super) fn supports(scene: &Scene, instants: &[Instant], sheet: &Sheet, out: &mut Vec<Shape>) {
    let Some(shown) = instants.last() else { return };
    let mut taken: Vec<SheetPoint> = Vec::new();
    let size = support_scale(scene, shown, sheet);
    for joint in &scene.joints {
        let Some(fixed) = joint.spots.iter().find(|s| s.figure == 0) else { continue };
        let Some(moving) = joint.spots.iter().find(|s| s.figure != 0) else { continue };
        let at = sheet.project(&shown.spot(fixed).0);
        let first = taken.iter().all(|p| (p.0 - at.0).hypot(p.1 - at.1) > 2.0);
        match joint.glyph {
            Glyph::Revolute | Glyph::Spherical | Glyph::Universal if first => {
                let centre = |i: &Instant| i.point(moving.figure, &scene.figures[moving.figure].centre);
                let hangs = instants.iter().map(|i| sheet.project_direction(&(centre(i) - i.spot(fixed).0)));
                let (x, y) = hangs.fold((0.0, 0.0), |s, d| (s.0 + d.0, s.1 + d.1));
                let sign = if y > 0.9 * x.abs() && y > 4.0 * size * instants.len() as f64 { -1.0 } else { 1.0 };
                pedestal(at, sign, size, sheet, out);
            }
            Glyph::PrismaticX | Glyph::PrismaticZ | Glyph::Cylindrical => {
                let side = half_width(scene, moving.figure).map_or(2.2 * size, |w| (w * sheet.scale).max(2.0));
                guide(joint, instants, sheet, (size, side), out)
            }
            Glyph::Fixed if first => {
                let next = clamped_direction(scene, moving.figure, shown);
                let (way, u) = length_and_direction({
                    let to = sheet.project(&next);
                    (to.0 - at.0, to.1 - at.1)
                });
                let u = if way > 0.5 { u } else { (0.0, -1.0) };
                let (a, b) = (offset(at, u, 0.0, 4.0 * size), offset(at, u, 0.0, -4.0 * size));
                hatched(b, a, sheet, size, out);
            }
            _ => continue,
        }
        taken.push(at);
    }
    for link in scene.links.iter().filter(|l| l.spots.len() > 1) {
        let n = link.spots.len();
        for (end, next) in [(0, 1), (n - 1, n - 2)] {
            let at = sheet.project(&shown.spot(&link.spots[end]).0);
            let free = taken.iter().all(|p| (p.0 - at.0).hypot(p.1 - at.1) > 2.0);
            if link.spots[end].figure != 0 || !free {
                continue;
            }
            let to = sheet.project(&shown.spot(&link.spots[next]).0);
            let (_, u) = length_and_direction((to.0 - at.0, to.1 - at.1));
            match link.line {
                LineStyle::Rod | LineStyle::Actuator => {
                    pedestal(at, if u.1 > 0.3 { -1.0 } else { 1.0 }, 0.8 * size, sheet, out)
                }
                _ => {
                    let (a, b) = (offset(at, u, 0.0, 3.0 * size), offset(at, u, 0.0, -3.0 * size));
                    hatched(b, a, sheet, size, out);
                }
            }
            taken.push(at);
        }
    }
}

/// A point in the direction of the clamped body: the next node of its beam, else its mass centre.
fn clamped_direction(scene: &Scene, figure: usize, shown: &Instant) -> Vec3 {
    for beam in &scene.beams {
        match beam.nodes.as_slice() {
            [first, next, ..] if *first == figure => return shown.pose(*next).0,
            [.., next, last] if *last == figure => return shown.pose(*next).0,
            _ => {}
        }
    }
    shown.point(figure, &scene.figures[figure].centre)
}

/// Size of the support symbols; smaller if ground pins are close together.
fn support_scale(scene: &Scene, shown: &Instant, sheet: &Sheet) -> f64 {
    let spots = scene.joints.iter().flat_map(|j| &j.spots).filter(|s| s.figure == 0);
    let at: Vec<SheetPoint> = spots.map(|s| sheet.project(&shown.spot(s).0)).collect();
    let gap = |a: &SheetPoint, b: &SheetPoint| (a.0 - b.0).hypot(a.1 - b.1);
    let pairs = at.iter().enumerate().flat_map(|(i, a)| at[..i].iter().map(move |b| gap(a, b)));
    let nearest = pairs.filter(|d| *d > 2.0).fold(f64::INFINITY, f64::min);
    sheet.pin * (nearest / (8.0 * sheet.pin)).clamp(0.45, 1.0)
}

/// A triangle from the pin to a hatched line, below the pin for `sign` 1, above for −1.
fn pedestal(at: SheetPoint, sign: f64, size: f64, sheet: &Sheet, out: &mut Vec<Shape>) {
    let (x, y) = at;
    let foot = y + sign * 4.8 * size;
    let edge = Some(Pen { colour: sheet.ink.ground, width: 1.2, dash: None });
    let fill = Fill::Flat(sheet.ink.paper);
    out.push(Shape::Area { points: vec![at, (x + 2.7 * size, foot), (x - 2.7 * size, foot)], fill, edge });
    let (left, right) = ((x - 4.4 * size, foot), (x + 4.4 * size, foot));
    if sign > 0.0 { hatched(left, right, sheet, size, out) } else { hatched(right, left, sheet, size, out) }
}

/// Half the width of the default block of a slider.
fn half_width(scene: &Scene, figure: usize) -> Option<f64> {
    scene.figures[figure].visuals.iter().find_map(|v| match (&v.form, v.origin) {
        (Form::Box { size }, Origin::Default) => Some(0.5 * size[1]),
        _ => None,
    })
}

/// The guide of a sliding joint, over the range that is used.
fn guide(joint: &JointFigure, instants: &[Instant], sheet: &Sheet, (size, side): (f64, f64), out: &mut Vec<Shape>) {
    let Some(first) = joint.spots.first() else { return };
    let local = if joint.glyph == Glyph::PrismaticX { Vec3::x() } else { Vec3::z() };
    let (Some(fixed), Some(moving)) =
        (joint.spots.iter().find(|s| s.figure == 0), joint.spots.iter().find(|s| s.figure != 0))
    else {
        return;
    };
    let Some(shown) = instants.last() else { return };
    let (origin, _) = shown.spot(fixed);
    let direction = shown.spot(first).1 * local;
    let (long, u) = length_and_direction(sheet.project_direction(&direction));
    if long < 0.05 * sheet.scale {
        return;
    }
    let at = sheet.project(&origin);
    let along = instants.iter().map(|i| direction.dot(&(i.spot(moving).0 - origin)) * long);
    let (low, high) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), s| (l.min(s), h.max(s)));
    let more = 7.0 * size;
    // The lower side is hatched; for vertical guides, the right one.
    let u = if u.0 > 0.01 || (u.0.abs() <= 0.01 && u.1 < 0.0) { (u, low, high) } else { ((-u.0, -u.1), -high, -low) };
    let (u, low, high) = u;
    let side = if joint.glyph == Glyph::Cylindrical { 0.0 } else { side };
    let (a, b) = (offset(at, u, low - more, side), offset(at, u, high + more, side));
    match joint.glyph {
        Glyph::Cylindrical => out.push(line(vec![a, b], sheet.ink.ground, 1.6)),
        _ => hatched(a, b, sheet, size, out),
    }
}
