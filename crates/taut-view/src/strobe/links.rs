//! Line elements: springs, dashpots, ropes, rods, actuators.

use super::camera::{Sheet, SheetPoint, Vec3, length_and_direction, offset};
use super::forms::{DepthShape, bar};
use super::instants::Instant;
use crate::scene::{Form, LineStyle, Link, Scene, Spot};
use taut_io::plot::drawing::{Fill, Pen, Shape};

/// Half the width of a coil or dashpot, in pin radii.
const HALF_WIDTH: f64 = 1.7;

/// Draws a link at an instant.
pub(super) fn draw(link: &Link, scene: &Scene, instant: &Instant, sheet: &Sheet, out: &mut Vec<DepthShape>) {
    let gravity = &Vec3::from(scene.gravity);
    let points: Vec<Vec3> = link.spots.iter().map(|s| instant.spot(s).0).collect();
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return };
    let depth = points.iter().map(|p| sheet.depth(p)).sum::<f64>() / points.len() as f64;
    let (a, b) = (sheet.project(first), sheet.project(last));
    let pen = sheet.ink.pen(1.3);
    let mut put = |shape: Shape| out.push(DepthShape { depth, shape });
    let line = |points: Vec<SheetPoint>, pen: Pen| Shape::Line { points, pen, within: None };
    let half = HALF_WIDTH * sheet.pin;
    match link.line {
        LineStyle::Spring => put(line(coil(a, b, half), pen)),
        LineStyle::Damper => dashpot(a, b, half, sheet).into_iter().for_each(put),
        LineStyle::SpringDamper => {
            let (length, u) = length_and_direction((b.0 - a.0, b.1 - a.1));
            if length < 6.0 * half {
                return put(line(coil(a, b, half), pen));
            }
            // Spring and dashpot side by side between two cross bars.
            let (from, to) = (offset(a, u, 0.1 * length, 0.0), offset(b, u, -0.1 * length, 0.0));
            for (end, foot) in [(a, from), (b, to)] {
                put(line(vec![end, foot], pen));
                put(line(vec![offset(foot, u, 0.0, -half), offset(foot, u, 0.0, half)], pen));
            }
            put(line(coil(offset(from, u, 0.0, -half), offset(to, u, 0.0, -half), 0.75 * half), pen));
            dashpot(offset(from, u, 0.0, half), offset(to, u, 0.0, half), 0.6 * half, sheet).into_iter().for_each(put);
        }
        LineStyle::Rope | LineStyle::Cable => {
            let course: Vec<SheetPoint> = match points.as_slice() {
                [_, _] => sagging_rope(&points, link.length, gravity).iter().map(|p| sheet.project(p)).collect(),
                _ => rope_over_pulleys(link, &points, scene, sheet),
            };
            put(line(course, sheet.ink.pen(1.6)));
        }
        LineStyle::Separator => {
            put(line(vec![a, b], Pen { dash: Some([5.0, 4.0]), width: 1.0, ..pen }));
        }
        LineStyle::Rod => {
            bar(first, last, 0.55 * sheet.pin, sheet, &sheet.ink.metal, out);
            end_pins(first, last, sheet, out);
        }
        LineStyle::Actuator => {
            let middle = first + (last - first) * 0.55;
            bar(&middle, last, 0.45 * sheet.pin, sheet, &sheet.ink.metal, out);
            bar(first, &middle, 0.9 * sheet.pin, sheet, &sheet.ink.metal, out);
            end_pins(first, last, sheet, out);
        }
        LineStyle::Bushing => {
            let at = (0.5 * (a.0 + b.0), 0.5 * (a.1 + b.1));
            let fill = Fill::Flat(sheet.ink.metal.base);
            put(Shape::Circle { at, radius: 1.8 * sheet.pin, fill, edge: Some(pen) });
        }
    }
}

/// Small pins at both ends: the element transmits no moment.
fn end_pins(first: &Vec3, last: &Vec3, sheet: &Sheet, out: &mut Vec<DepthShape>) {
    for end in [first, last] {
        let fill = Fill::Flat(sheet.ink.paper);
        let (at, edge) = (sheet.project(end), Some(sheet.ink.pen(1.0)));
        let shape = Shape::Circle { at, radius: 0.65 * sheet.pin, fill, edge };
        out.push(DepthShape { depth: sheet.depth(end) - 2.0 * sheet.pin, shape });
    }
}

/// A zigzag with straight ends; its width does not depend on its length.
fn coil(a: SheetPoint, b: SheetPoint, half: f64) -> Vec<SheetPoint> {
    const TURNS: usize = 7;
    let (length, u) = length_and_direction((b.0 - a.0, b.1 - a.1));
    let (start, end) = (0.14 * length, 0.86 * length);
    let corner = |k: usize| {
        let side = if k.is_multiple_of(2) { 1.0 } else { -1.0 };
        offset(a, u, start + (end - start) * (k as f64 + 0.5) / (2 * TURNS) as f64, side * half)
    };
    let mut points = vec![a, offset(a, u, start, 0.0)];
    points.extend((0..2 * TURNS).map(corner));
    points.extend([offset(a, u, end, 0.0), b]);
    points
}

/// A dashpot: cylinder and piston.
fn dashpot(a: SheetPoint, b: SheetPoint, half: f64, sheet: &Sheet) -> Vec<Shape> {
    let (length, u) = length_and_direction((b.0 - a.0, b.1 - a.1));
    let pen = sheet.ink.pen(1.3);
    let line = |points: Vec<SheetPoint>| Shape::Line { points, pen, within: None };
    let (bottom, rim, piston) = (0.3 * length, 0.7 * length, 0.52 * length);
    let wall = |side: f64, s: f64| offset(a, u, s, side * half);
    vec![
        line(vec![a, offset(a, u, bottom, 0.0)]),
        line(vec![wall(-1.0, rim), wall(-1.0, bottom), wall(1.0, bottom), wall(1.0, rim)]),
        line(vec![wall(-0.75, piston), wall(0.75, piston)]),
        line(vec![offset(a, u, piston, 0.0), b]),
    ]
}

/// A rope through its points. Excess length is drawn as sag, approximately by a parabola of the same length.
fn sagging_rope(points: &[Vec3], length: Option<f64>, gravity: &Vec3) -> Vec<Vec3> {
    let straight: f64 = points.windows(2).map(|w| (w[1] - w[0]).norm()).sum();
    let slack = length.map_or(0.0, |l| l / straight.max(1e-12) - 1.0);
    let Some(down) = gravity.try_normalize(1e-9).filter(|_| slack > 2e-3) else { return points.to_vec() };
    let mut hung = Vec::with_capacity(16 * points.len());
    for w in points.windows(2) {
        // l ≈ d (1 + 8/3 (s/d)²).
        let sag = (w[1] - w[0]).norm() * (0.375 * slack.min(4.0)).sqrt();
        hung.extend((0..16).map(|k| {
            let s = f64::from(k) / 16.0;
            w[0] + (w[1] - w[0]) * s + down * (4.0 * sag * s * (1.0 - s))
        }));
    }
    hung.extend(points.last());
    hung
}

/// A rope over eyes and pulleys: straight between them, wrapped around pulleys on the side on which it presses.
fn rope_over_pulleys(link: &Link, points: &[Vec3], scene: &Scene, sheet: &Sheet) -> Vec<SheetPoint> {
    let at: Vec<SheetPoint> = points.iter().map(|p| sheet.project(p)).collect();
    let mut course = vec![at[0]];
    for k in 1..at.len() - 1 {
        let (c, r) = (at[k], sheet.scale * pulley(scene, &link.spots[k]));
        let middle = (0.5 * (at[k - 1].0 + at[k + 1].0), 0.5 * (at[k - 1].1 + at[k + 1].1));
        let (_, out) = length_and_direction((c.0 - middle.0, c.1 - middle.1));
        // Tangent points of both strands, as angles from the direction in which the rope presses on the pulley.
        let touch = |from: SheetPoint| {
            let (d, u) = length_and_direction((from.0 - c.0, from.1 - c.1));
            let along = (out.0 * u.1 - out.1 * u.0).atan2(out.0 * u.0 + out.1 * u.1);
            along - along.signum() * (r / d.max(r)).acos()
        };
        if r < 0.5 {
            course.push(c);
            continue;
        }
        let (a, b) = (touch(at[k - 1]), touch(at[k + 1]));
        course.extend((0..=12).map(|i| {
            let (sin, cos) = (a + (b - a) * f64::from(i) / 12.0).sin_cos();
            offset(c, out, r * cos, r * sin)
        }));
    }
    course.extend(at.last());
    course
}

/// Radius of the pulley at a spot; zero if there is none.
fn pulley(scene: &Scene, spot: &Spot) -> f64 {
    let round = scene.figures[spot.figure].visuals.iter().filter(|v| v.p == spot.p).map(|v| match v.form {
        Form::Sphere { radius } | Form::Cylinder { radius, .. } => radius,
        _ => 0.0,
    });
    round.fold(0.0, f64::max)
}
