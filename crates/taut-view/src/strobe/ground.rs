//! What is fixed: hatched lines, pedestals under pins, guides of sliders, clamps, floors.

use super::camera::{Dot, Sheet, Vec3, polar, shift};
use super::instants::{Instant, turn};
use crate::scene::{Form, Glyph, JointFigure, Scene, Visual};
use taut_io::plot::drawing::{Colour, Fill, Pen, Shape};

/// Spacing and length of hatches, in radii of a pin.
const HATCH: (f64, f64) = (1.5, 1.5);

fn line(points: Vec<Dot>, colour: Colour, width: f64) -> Shape {
    Shape::Line { points, pen: Pen { colour, width, dash: None }, within: None }
}

/// A line from `a` to `b` that is solid on its left, seen along it on the paper (y downwards).
pub(super) fn hatched(a: Dot, b: Dot, sheet: &Sheet, size: f64, out: &mut Vec<Shape>) {
    let colour = sheet.ink.ground;
    let (length, u) = polar((b.0 - a.0, b.1 - a.1));
    let count = (length / (HATCH.0 * size)).round().max(2.0);
    for k in 0..count as usize {
        let foot = shift(a, u, length * (k as f64 + 0.75) / count, 0.0);
        out.push(line(vec![foot, shift(foot, u, -0.75 * HATCH.1 * size, HATCH.1 * size)], colour, 0.8));
    }
    out.push(line(vec![a, b], colour, 1.4));
}

/// The ground's part of every joint and link that ends there.
pub(super) fn supports(scene: &Scene, instants: &[Instant], sheet: &Sheet, out: &mut Vec<Shape>) {
    let Some(shown) = instants.last() else { return };
    let mut taken: Vec<Dot> = Vec::new();
    let size = crowd(scene, shown, sheet);
    for joint in &scene.joints {
        let Some(fixed) = joint.spots.iter().find(|s| s.figure == 0) else { continue };
        let Some(moving) = joint.spots.iter().find(|s| s.figure != 0) else { continue };
        let at = sheet.at(&shown.spot(fixed).0);
        let first = taken.iter().all(|p| (p.0 - at.0).hypot(p.1 - at.1) > 2.0);
        match joint.glyph {
            Glyph::Revolute | Glyph::Spherical | Glyph::Universal if first => {
                let centre = |i: &Instant| i.point(moving.figure, &scene.figures[moving.figure].centre);
                let hangs = instants.iter().map(|i| sheet.along(&(centre(i) - i.spot(fixed).0)));
                let (x, y) = hangs.fold((0.0, 0.0), |s, d| (s.0 + d.0, s.1 + d.1));
                let sign = if y > 0.9 * x.abs() && y > 4.0 * size * instants.len() as f64 { -1.0 } else { 1.0 };
                pedestal(at, sign, size, sheet, out);
            }
            Glyph::PrismaticX | Glyph::PrismaticZ | Glyph::Cylindrical => guide(joint, instants, sheet, size, out),
            Glyph::Fixed if first => {
                let next = beyond(scene, moving.figure, shown);
                let (way, u) = polar({
                    let to = sheet.at(&next);
                    (to.0 - at.0, to.1 - at.1)
                });
                let u = if way > 0.5 { u } else { (0.0, -1.0) };
                let (a, b) = (shift(at, u, 0.0, 4.0 * size), shift(at, u, 0.0, -4.0 * size));
                hatched(b, a, sheet, size, out);
            }
            _ => continue,
        }
        taken.push(at);
    }
    for link in scene.links.iter().filter(|l| l.spots.len() > 1) {
        let n = link.spots.len();
        for (end, next) in [(0, 1), (n - 1, n - 2)] {
            let at = sheet.at(&shown.spot(&link.spots[end]).0);
            let free = taken.iter().all(|p| (p.0 - at.0).hypot(p.1 - at.1) > 2.0);
            if link.spots[end].figure != 0 || !free {
                continue;
            }
            let to = sheet.at(&shown.spot(&link.spots[next]).0);
            let (_, u) = polar((to.0 - at.0, to.1 - at.1));
            let (a, b) = (shift(at, u, 0.0, 3.0 * size), shift(at, u, 0.0, -3.0 * size));
            hatched(b, a, sheet, size, out);
            taken.push(at);
        }
    }
}

/// Where what is clamped goes on: the next node of its beam, else its mass centre.
fn beyond(scene: &Scene, figure: usize, shown: &Instant) -> Vec3 {
    for beam in &scene.beams {
        match beam.nodes.as_slice() {
            [first, next, ..] if *first == figure => return shown.pose(*next).0,
            [.., next, last] if *last == figure => return shown.pose(*next).0,
            _ => {}
        }
    }
    shown.point(figure, &scene.figures[figure].centre)
}

/// Size of the signs: smaller where ground pins stand close.
fn crowd(scene: &Scene, shown: &Instant, sheet: &Sheet) -> f64 {
    let spots = scene.joints.iter().flat_map(|j| &j.spots).filter(|s| s.figure == 0);
    let at: Vec<Dot> = spots.map(|s| sheet.at(&shown.spot(s).0)).collect();
    let gap = |a: &Dot, b: &Dot| (a.0 - b.0).hypot(a.1 - b.1);
    let pairs = at.iter().enumerate().flat_map(|(i, a)| at[..i].iter().map(move |b| gap(a, b)));
    let nearest = pairs.filter(|d| *d > 2.0).fold(f64::INFINITY, f64::min);
    sheet.pin * (nearest / (8.0 * sheet.pin)).clamp(0.45, 1.0)
}

/// A triangle from the pin to a hatched line; below it for a sign of 1, above for −1.
fn pedestal(at: Dot, sign: f64, size: f64, sheet: &Sheet, out: &mut Vec<Shape>) {
    let (x, y) = at;
    let foot = y + sign * 4.2 * size;
    let edge = Some(Pen { colour: sheet.ink.ground, width: 1.2, dash: None });
    let fill = Fill::Flat(sheet.ink.paper);
    out.push(Shape::Area { points: vec![at, (x + 2.4 * size, foot), (x - 2.4 * size, foot)], fill, edge });
    let (left, right) = ((x - 3.8 * size, foot), (x + 3.8 * size, foot));
    if sign > 0.0 { hatched(left, right, sheet, size, out) } else { hatched(right, left, sheet, size, out) }
}

/// The line along which a joint slides, as far as it is used.
fn guide(joint: &JointFigure, instants: &[Instant], sheet: &Sheet, size: f64, out: &mut Vec<Shape>) {
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
    let (long, u) = polar(sheet.along(&direction));
    if long < 0.05 * sheet.scale {
        return;
    }
    let at = sheet.at(&origin);
    let along = instants.iter().map(|i| direction.dot(&(i.spot(moving).0 - origin)) * long);
    let (low, high) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), s| (l.min(s), h.max(s)));
    let more = 7.0 * size;
    // The hatched side is the lower one, or the right one.
    let u = if u.0 > 0.01 || (u.0.abs() <= 0.01 && u.1 < 0.0) { (u, low, high) } else { ((-u.0, -u.1), -high, -low) };
    let (u, low, high) = u;
    let side = if joint.glyph == Glyph::Cylindrical { 0.0 } else { 2.2 * size };
    let (a, b) = (shift(at, u, low - more, side), shift(at, u, high + more, side));
    match joint.glyph {
        Glyph::Cylindrical => out.push(line(vec![a, b], sheet.ink.ground, 1.6)),
        _ => hatched(a, b, sheet, size, out),
    }
}

/// A floor, ramp or wall; endless ones reach to the edge of the picture.
pub(super) fn surface(visual: &Visual, figure: usize, shown: &Instant, sheet: &Sheet, out: &mut Vec<Shape>) {
    let (origin, q) = shown.pose(figure);
    let (at, axes) = (origin + q * Vec3::from(visual.p), q * turn(&visual.q));
    let normal = match visual.form {
        Form::HalfSpace => axes * Vec3::z(),
        Form::HalfPlane => axes * Vec3::y(),
        _ => return,
    };
    let facing = normal.dot(&sheet.camera.away);
    if facing.abs() < 0.05 {
        let (_, n) = polar(sheet.along(&normal));
        // Along the surface so that what is solid lies on the hatched side.
        let u = (-n.1, n.0);
        if let Some((a, b)) = clip(sheet.at(&at), u, sheet.inner) {
            hatched(a, b, sheet, sheet.pin, out);
        }
        return;
    }
    let (l, t, r, b) = sheet.inner;
    let (right, up) = (sheet.camera.right, sheet.camera.up);
    // Back from the corners of the picture to the plane, along the look.
    let middle = (0.5 * (l + r), 0.5 * (t + b));
    let world = |(x, y): Dot| {
        let p = right * ((x - sheet.origin.0) / sheet.scale) - up * ((y - sheet.origin.1) / sheet.scale);
        p + sheet.camera.away * (normal.dot(&(at - p)) / facing)
    };
    let centre = world(middle);
    let first = (right - normal * normal.dot(&right)).try_normalize(1e-9).unwrap_or(right);
    let second = normal.cross(&first);
    let half = 0.5 * (r - l) / sheet.scale;
    // Foreshortened, the depth of the floor must not leave the picture.
    let (_, rise) = sheet.along(&second);
    let deep = (0.5 * (b - t) / rise.abs().max(1e-9)).min(half);
    let corner = |s: f64, d: f64| sheet.at(&(centre + first * (s * half) + second * (d * deep)));
    let points = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    let fill = Fill::Flat(super::ink::mix(sheet.ink.paper, sheet.ink.faint, 0.35));
    out.push(Shape::Area { points, fill, edge: None });
    for k in 0..=8 {
        let s = f64::from(k) / 4.0 - 1.0;
        out.push(line(vec![corner(s, -1.0), corner(s, 1.0)], sheet.ink.faint, 0.7));
        out.push(line(vec![corner(-1.0, s), corner(1.0, s)], sheet.ink.faint, 0.7));
    }
}

/// The part of a line within a rectangle.
fn clip(at: Dot, u: Dot, (l, t, r, b): (f64, f64, f64, f64)) -> Option<(Dot, Dot)> {
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    for (p, d, least, most) in [(at.0, u.0, l, r), (at.1, u.1, t, b)] {
        if d.abs() < 1e-9 {
            // A surface at the very edge of the motion is still drawn.
            if p < least - 1.0 || p > most + 1.0 {
                return None;
            }
            continue;
        }
        let (s0, s1) = ((least - p) / d, (most - p) / d);
        (low, high) = (low.max(s0.min(s1)), high.min(s0.max(s1)));
    }
    (low < high && low.is_finite()).then(|| (shift(at, u, low, 0.0), shift(at, u, high, 0.0)))
}
