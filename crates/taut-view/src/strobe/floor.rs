//! Floors, ramps and walls: a hatched line if seen edge-on, otherwise a grid.

use super::annotations::round_down;
use super::camera::{Camera, Sheet, SheetPoint, Vec3, length_and_direction, offset};
use super::ground::{hatched, line};
use super::instants::{Instant, to_quaternion};
use super::palette::mix;
use crate::scene::{Form, Scene, Visual};
use taut_io::plot::drawing::{Fill, Shape};

/// A plane is edge-on if the component of its normal towards the viewer is below this.
const EDGE_ON: f64 = 0.05;

/// A point on an unbounded surface, and its normal.
fn plane(visual: &Visual, figure: usize, instant: &Instant) -> Option<(Vec3, Vec3)> {
    let (origin, q) = instant.pose(figure);
    let axes = q * to_quaternion(&visual.q);
    let normal = match visual.form {
        Form::HalfSpace => axes * Vec3::z(),
        Form::HalfPlane => axes * Vec3::y(),
        _ => return None,
    };
    Some((origin + q * Vec3::from(visual.p), normal))
}

/// The part of a plane shown below a motion.
struct FloorPatch {
    centre: Vec3,
    /// Half its sides.
    sides: [Vec3; 2],
    /// Width of a grid cell.
    square: f64,
}

impl FloorPatch {
    fn of(at: &Vec3, normal: &Vec3, scene: &Scene, instants: &[Instant], camera: &Camera) -> FloorPatch {
        let first = (camera.right - normal * normal.dot(&camera.right)).try_normalize(1e-9);
        let first = first.unwrap_or_else(|| normal.cross(&camera.up).normalize());
        let second = normal.cross(&first);
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for (i, instant) in (1..scene.figures.len()).flat_map(|i| instants.iter().map(move |n| (i, n))) {
            let p = instant.point(i, &scene.figures[i].centre) - at;
            // Bodies high above the plane need a larger patch.
            let room = 0.35 * normal.dot(&p).abs() + 2.0 * largest_radius(scene, i);
            for (k, s) in [first.dot(&p), second.dot(&p)].into_iter().enumerate() {
                (low[k], high[k]) = (low[k].min(s - room), high[k].max(s + room));
            }
        }
        if low[0] > high[0] {
            (low, high) = ([-0.5; 2], [0.5; 2]);
        }
        let half = |k: usize| 0.5 * (high[k] - low[k]);
        // A minimum width, so that it is recognised as a floor.
        let least = 0.3 * half(0).max(half(1));
        let centre = at + first * (0.5 * (low[0] + high[0])) + second * (0.5 * (low[1] + high[1]));
        let sides = [first * half(0).max(least), second * half(1).max(least)];
        let square = round_down(0.4 * half(0).max(half(1)));
        FloorPatch { centre, sides, square }
    }

    fn corner(&self, s: f64, r: f64) -> Vec3 {
        self.centre + self.sides[0] * s + self.sides[1] * r
    }
}

/// Largest radius of the shapes of a figure.
fn largest_radius(scene: &Scene, figure: usize) -> f64 {
    let radius = |v: &Visual| match &v.form {
        Form::Sphere { radius } | Form::Cylinder { radius, .. } | Form::Capsule { radius, .. } => *radius,
        Form::Box { size } => 0.5 * Vec3::from(*size).norm(),
        Form::Ellipsoid { radii } => radii.iter().copied().fold(0.0, f64::max),
        _ => 0.0,
    };
    scene.figures[figure].visuals.iter().map(radius).fold(0.0, f64::max)
}

/// All unbounded surfaces at an instant, with their figures.
fn planes<'s>(scene: &'s Scene, instant: &'s Instant) -> impl Iterator<Item = (usize, Vec3, Vec3)> + 's {
    let all = scene.figures.iter().enumerate().flat_map(|(i, f)| f.visuals.iter().map(move |v| (i, v)));
    all.filter_map(move |(i, visual)| plane(visual, i, instant).map(|(at, normal)| (i, at, normal)))
}

fn edge_on(normal: &Vec3, camera: &Camera) -> bool {
    normal.dot(&camera.away).abs() <= EDGE_ON
}

/// Corners of all floors drawn as grids; the picture must contain them.
pub(super) fn corners(scene: &Scene, instants: &[Instant], shown: &Instant, camera: &Camera) -> Vec<Vec3> {
    let mut all = Vec::new();
    for (_, at, normal) in planes(scene, shown).filter(|(_, _, n)| !edge_on(n, camera)) {
        let patch = FloorPatch::of(&at, &normal, scene, instants, camera);
        all.extend([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(s, r)| patch.corner(s, r)));
    }
    all
}

/// Which surfaces are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SurfaceOwner {
    /// Surfaces of the ground.
    Ground,
    /// Surfaces of bodies.
    Bodies,
}

/// Draws surfaces seen edge-on as lines to the edge of the picture.
pub(super) fn draw_edge_on(of: SurfaceOwner, scene: &Scene, instant: &Instant, sheet: &Sheet, out: &mut Vec<Shape>) {
    let wanted = |i: usize| (i == 0) == (of == SurfaceOwner::Ground);
    let seen = planes(scene, instant).filter(|(i, _, n)| wanted(*i) && edge_on(n, &sheet.camera));
    for (_, at, normal) in seen {
        let (_, n) = length_and_direction(sheet.project_direction(&normal));
        // Direction along the surface for which the hatched side is the solid one.
        if let Some((a, b)) = clip(sheet.project(&at), (-n.1, n.0), sheet.inner) {
            hatched(a, b, sheet, sheet.pin, out);
        }
    }
}

/// Draws the other surfaces as grids below the whole motion.
pub(super) fn draw_grids(scene: &Scene, instants: &[Instant], shown: &Instant, sheet: &Sheet, out: &mut Vec<Shape>) {
    for (_, at, normal) in planes(scene, shown).filter(|(_, _, n)| !edge_on(n, &sheet.camera)) {
        let patch = FloorPatch::of(&at, &normal, scene, instants, &sheet.camera);
        let corner = |s: f64, r: f64| sheet.project(&patch.corner(s, r));
        let points = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
        let fill = Fill::Flat(mix(sheet.ink.paper, sheet.ink.faint, 0.35));
        out.push(Shape::Area { points, fill, edge: None });
        for (k, side) in patch.sides.iter().enumerate() {
            let step = patch.square / side.norm().max(1e-12);
            let count = (1.0 / step).floor().min(40.0) as i32;
            for s in (-count..=count).map(|i| f64::from(i) * step) {
                let ends = if k == 0 { [(s, -1.0), (s, 1.0)] } else { [(-1.0, s), (1.0, s)] };
                out.push(line(ends.map(|(s, r)| corner(s, r)).to_vec(), sheet.ink.faint, 0.7));
            }
        }
    }
}

/// The part of a line inside a rectangle.
fn clip(at: SheetPoint, u: SheetPoint, (l, t, r, b): (f64, f64, f64, f64)) -> Option<(SheetPoint, SheetPoint)> {
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    for (p, d, least, most) in [(at.0, u.0, l, r), (at.1, u.1, t, b)] {
        if d.abs() < 1e-9 {
            // A surface at the edge of the motion is still drawn.
            if p < least - 1.0 || p > most + 1.0 {
                return None;
            }
            continue;
        }
        let (s0, s1) = ((least - p) / d, (most - p) / d);
        (low, high) = (low.max(s0.min(s1)), high.min(s0.max(s1)));
    }
    (low < high && low.is_finite()).then(|| (offset(at, u, low, 0.0), offset(at, u, high, 0.0)))
}
