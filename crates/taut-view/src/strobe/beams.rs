//! Beams: smooth bands through their nodes, as wide as the projected section.

use super::camera::{Sheet, SheetPoint, Vec3, length_and_direction, offset};
use super::forms::{DepthShape, OUTLINE_WIDTH};
use super::instants::{Instant, to_quaternion};
use super::palette::Tint;
use crate::scene::{BeamFigure, SectionOutline};
use taut_io::plot::drawing::{Fill, Pen, Shape};

/// Smallest half width of a band.
const MIN_HALF_WIDTH: f64 = 1.6;
/// Number of curve pieces in total, and the minimum between two nodes.
const CURVE_PIECES: (usize, usize) = (40, 3);

pub(super) fn draw(beam: &BeamFigure, instant: &Instant, sheet: &Sheet, tint: &Tint, out: &mut Vec<DepthShape>) {
    let nodes: Vec<(Vec3, Vec3)> = tangents(beam, instant);
    let fine = (CURVE_PIECES.0 / (nodes.len().max(2) - 1)).max(CURVE_PIECES.1);
    let mut curve: Vec<SheetPoint> = Vec::new();
    for w in nodes.windows(2) {
        let ((p0, d0), (p1, d1)) = (w[0], w[1]);
        let l = (p1 - p0).norm();
        curve
            .extend((0..fine).map(|k| sheet.project(&hermite(&p0, &(d0 * l), &p1, &(d1 * l), k as f64 / fine as f64))));
    }
    curve.extend(nodes.last().map(|(p, _)| sheet.project(p)));
    if curve.len() < 2 {
        return;
    }
    let half = half_width(beam, instant, sheet).max(MIN_HALF_WIDTH);
    let side = |sign: f64| {
        let curve = &curve;
        (0..curve.len()).map(move |k| {
            let (a, b) = (curve[k.saturating_sub(1)], curve[(k + 1).min(curve.len() - 1)]);
            let (_, u) = length_and_direction((b.0 - a.0, b.1 - a.1));
            offset(curve[k], u, 0.0, sign * half)
        })
    };
    let mut points: Vec<SheetPoint> = side(1.0).collect();
    points.extend(side(-1.0).rev());
    let depth = nodes.iter().map(|(p, _)| sheet.depth(p)).sum::<f64>() / nodes.len() as f64;
    let edge = Some(Pen { colour: tint.edge, width: OUTLINE_WIDTH, dash: None });
    out.push(DepthShape { depth, shape: Shape::Area { points, fill: Fill::Flat(tint.base), edge } });
}

/// Node positions and tangents of the beam axis. Apart from shear, x of a node is the tangent; if it points elsewhere (nodes
/// without orientation), the neighbouring nodes define it.
fn tangents(beam: &BeamFigure, instant: &Instant) -> Vec<(Vec3, Vec3)> {
    let at: Vec<Vec3> = beam.nodes.iter().map(|n| instant.pose(*n).0).collect();
    let direction = |k: usize| {
        let chord = (at[(k + 1).min(at.len() - 1)] - at[k.saturating_sub(1)]).try_normalize(1e-12);
        let axes = instant.pose(beam.nodes[k]).1 * beam.q.get(k).map_or_else(Default::default, to_quaternion);
        let own = axes * Vec3::x();
        match chord {
            Some(chord) if chord.dot(&own) < 0.7 => chord,
            _ => own,
        }
    };
    (0..at.len()).map(|k| (at[k], direction(k))).collect()
}

fn hermite(p0: &Vec3, d0: &Vec3, p1: &Vec3, d1: &Vec3, s: f64) -> Vec3 {
    let (s2, s3) = (s * s, s * s * s);
    p0 * (2.0 * s3 - 3.0 * s2 + 1.0) + d0 * (s3 - 2.0 * s2 + s) + p1 * (3.0 * s2 - 2.0 * s3) + d1 * (s3 - s2)
}

/// Half the projected width, averaged over the nodes.
fn half_width(beam: &BeamFigure, instant: &Instant, sheet: &Sheet) -> f64 {
    match beam.section {
        SectionOutline::Circle { radius } => radius * sheet.scale,
        SectionOutline::Rectangle { width, height } => {
            let seen = |k: usize, n: &usize| {
                let axes = instant.pose(*n).1 * beam.q.get(k).map_or_else(Default::default, to_quaternion);
                let across = (axes * Vec3::x()).cross(&sheet.camera.away).try_normalize(1e-6);
                let across = across.unwrap_or_else(|| axes * Vec3::y());
                width * (axes * Vec3::y()).dot(&across).abs() + height * (axes * Vec3::z()).dot(&across).abs()
            };
            let all: f64 = beam.nodes.iter().enumerate().map(|(k, n)| seen(k, n)).sum();
            0.5 * sheet.scale * all / beam.nodes.len().max(1) as f64
        }
    }
}
