//! Paths of selected points, or of the most informative ones.

use super::camera::{Sheet, SheetPoint, Vec3};
use super::instants::to_quaternion;
use super::{StrobeError, TrailSelection};
use crate::film::Film;
use crate::scene::{FrameTriad, Point, Role, Scene};
use crate::scene_graph::marker_bars::{has_marker_bars, is_near_joints, is_unused_point};
use taut_io::plot::drawing::{Pen, Shape};

/// A point of a figure whose path is drawn.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tracer {
    pub name: String,
    pub figure: usize,
    pub p: Point,
    /// Whether nothing else is drawn at the point, so that a bar must connect it to its body.
    pub needs_bar: bool,
}

/// Largest number of trails that are selected automatically.
const MAX_AUTOMATIC_TRAILS: usize = 2;
/// The path has a corner if the cosine of the change of direction from row to row is below this.
const CORNER_COSINE: f64 = 0.2;
/// Changes of direction whose cosines differ by less than this are equal.
const EVEN_TURN_TOLERANCE: f64 = 0.3;
/// Below this cosine there is a corner, whatever the neighbouring changes of direction are.
const REVERSAL_COSINE: f64 = -0.6;

/// The points whose trails are drawn.
pub(super) fn select_trails(scene: &Scene, film: &Film, wish: &TrailSelection) -> Result<Vec<Tracer>, StrobeError> {
    match wish {
        TrailSelection::None => Ok(Vec::new()),
        TrailSelection::Named(names) => names.iter().map(|name| named(scene, name)).collect(),
        TrailSelection::Automatic => {
            let mut found: Vec<Tracer> = (1..scene.figures.len()).flat_map(|i| unused_markers(scene, i)).collect();
            if found.is_empty() || found.len() > MAX_AUTOMATIC_TRAILS {
                found = longest_path(scene, film).into_iter().collect();
            }
            Ok(found)
        }
    }
}

fn named(scene: &Scene, name: &str) -> Result<Tracer, StrobeError> {
    for (figure, f) in scene.figures.iter().enumerate() {
        if f.name == name {
            return Ok(Tracer { name: name.to_string(), figure, p: f.centre, needs_bar: false });
        }
        if let Some(marker) = f.markers.iter().find(|m| m.name == name) {
            let apart = is_unused_point(scene, figure, &marker.p);
            return Ok(Tracer { name: name.to_string(), figure, p: marker.p, needs_bar: apart });
        }
    }
    let figures = scene.figures.iter().skip(1);
    let known = figures.flat_map(|f| std::iter::once(&f.name).chain(f.markers.iter().map(|m| &m.name)));
    Err(StrobeError::UnknownTrail { name: name.to_string(), known: known.cloned().collect() })
}

/// Markers of a body that no element uses, unless they are far away.
fn unused_markers(scene: &Scene, figure: usize) -> Vec<Tracer> {
    let f = &scene.figures[figure];
    if f.role != Role::Body {
        return Vec::new();
    }
    let shown = |p: &Point| {
        has_marker_bars(scene, figure, p) || (is_unused_point(scene, figure, p) && is_near_joints(scene, figure, p))
    };
    let telling = f.markers.iter().filter(|m| shown(&m.p));
    let tracer = |m: &FrameTriad| Tracer {
        name: m.name.clone(),
        figure,
        p: m.p,
        needs_bar: !has_marker_bars(scene, figure, &m.p),
    };
    telling.map(tracer).collect()
}

/// The mass centre with the longest path.
fn longest_path(scene: &Scene, film: &Film) -> Option<Tracer> {
    let way = |i: usize| -> f64 {
        path(film, i, &scene.figures[i].centre, f64::NEG_INFINITY, f64::INFINITY)
            .windows(2)
            .map(|w| (w[1] - w[0]).norm())
            .sum()
    };
    let moving = (1..scene.figures.len().min(film.tracks.len())).map(|i| (i, way(i)));
    let (figure, longest) = moving.fold((0, 0.0), |best, next| if next.1 > best.1 * 1.001 { next } else { best });
    let f = scene.figures.get(figure)?;
    (longest > 0.0).then(|| Tracer { name: f.name.clone(), figure, p: f.centre, needs_bar: false })
}

/// Positions of a point of a figure between two times.
pub(super) fn path(film: &Film, figure: usize, p: &Point, from: f64, to: f64) -> Vec<Vec3> {
    let at = |row: usize| {
        let (origin, q) = film.pose(figure, row);
        Vec3::from(origin) + to_quaternion(&q) * Vec3::from(*p)
    };
    let between = |t0: f64, t1: f64, t: f64| if t1 > t0 { (t - t0) / (t1 - t0) } else { 0.0 };
    let rows: Vec<usize> = (0..film.t.len()).filter(|r| film.t[*r] >= from && film.t[*r] <= to).collect();
    let mut points: Vec<Vec3> = rows.iter().map(|r| at(*r)).collect();
    // The ends may lie between rows.
    if let (Some(first), true) = (rows.first(), from.is_finite())
        && *first > 0
    {
        let (a, b) = (at(first - 1), at(*first));
        points.insert(0, a + (b - a) * between(film.t[first - 1], film.t[*first], from));
    }
    if let (Some(last), true) = (rows.last(), to.is_finite())
        && last + 1 < film.t.len()
    {
        let (a, b) = (at(*last), at(last + 1));
        points.push(a + (b - a) * between(film.t[*last], film.t[last + 1], to));
    }
    points
}

/// The trail on the sheet: a smooth curve with corners, with no more points than are visible.
pub(super) fn draw(path: &[Vec3], number: usize, sheet: &Sheet) -> Shape {
    let mut points: Vec<Vec3> = Vec::with_capacity(path.len());
    for p in path.iter().filter(|p| p.iter().all(|x| x.is_finite())) {
        if points.last().is_none_or(|l| sheet_distance(l, p, sheet) > 1.2) {
            points.push(*p);
        }
    }
    let pen = Pen { colour: sheet.ink.trail(number), width: 1.3, dash: None };
    Shape::Line { points: smoothed(&points, sheet), pen, within: None }
}

/// Distance of two points on the sheet.
fn sheet_distance(a: &Vec3, b: &Vec3, sheet: &Sheet) -> f64 {
    let (a, b) = (sheet.project(a), sheet.project(b));
    (a.0 - b.0).hypot(a.1 - b.1)
}

/// A Catmull–Rom spline. At corners and ends the slope is that of the parabola through the next points on that side, so that
/// no piece of a smooth path becomes straight. Corners are detected in space, because a circle seen edge-on has none.
fn smoothed(points: &[Vec3], sheet: &Sheet) -> Vec<SheetPoint> {
    let cosine = |k: usize| {
        let (Some(a), Some(b), Some(c)) = (points.get(k.wrapping_sub(1)), points.get(k), points.get(k + 1)) else {
            return None;
        };
        let (u, v) = (b - a, c - b);
        Some(u.dot(&v) / (u.norm() * v.norm()).max(f64::MIN_POSITIVE))
    };
    let corner = |k: usize| {
        let Some(own) = cosine(k) else { return true };
        // Coarse rows of a smooth curve form a polygon with equal corners.
        let even =
            [k.wrapping_sub(1), k + 1].into_iter().filter_map(cosine).any(|c| (c - own).abs() < EVEN_TURN_TOLERANCE);
        own <= REVERSAL_COSINE || (own <= CORNER_COSINE && !even)
    };
    // Slope at the end of a piece: from its neighbours, or at a corner such that the piece is a parabola.
    let slope = |k: usize, piece: Vec3, other: Option<Vec3>| match (corner(k), other) {
        (false, _) => (points[k + 1] - points[k - 1]) * 0.5,
        (true, Some(m)) => piece * 2.0 - m,
        (true, None) => piece,
    };
    let mut all = Vec::with_capacity(points.len());
    for k in 0..points.len().saturating_sub(1) {
        let (b, c) = (points[k], points[k + 1]);
        all.push(sheet.project(&b));
        let piece = c - b;
        let length = sheet_distance(&b, &c, sheet);
        if length < 5.0 {
            continue;
        }
        let far = (!corner(k + 1)).then(|| slope(k + 1, piece, None));
        let near = (!corner(k)).then(|| slope(k, piece, None));
        let (m0, m1) = (slope(k, piece, far), slope(k + 1, piece, near));
        let pieces = (length / 4.0).ceil().min(32.0);
        for j in 1..pieces as usize {
            let s = j as f64 / pieces;
            let bent = m0 + (piece * 3.0 - m0 * 2.0 - m1 + (m0 + m1 - piece * 2.0) * s) * s;
            all.push(sheet.project(&(b + bent * s)));
        }
    }
    all.extend(points.last().map(|p| sheet.project(p)));
    all
}
