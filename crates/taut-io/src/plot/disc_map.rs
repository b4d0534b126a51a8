//! A quantity over a rotor disc: colours by radius and azimuth, seen from above. Azimuth zero is at the bottom and counts anticlockwise.

use super::colour_scale::{scale_colour, short_number};
use super::drawing::{Anchor, Colour, Direction, Drawing, Fill, Pen, Shape, WHITE};
use std::f64::consts::{PI, TAU};

const INK: Colour = [0x22, 0x22, 0x22];
const EDGE: Pen = Pen { colour: [0x55, 0x55, 0x55], width: 1.0, dash: None };
const FAINT: Pen = Pen { colour: [0xff, 0xff, 0xff], width: 0.6, dash: Some([3.0, 3.0]) };
const TITLE: f64 = 15.0;
const LABEL: f64 = 12.5;
const TICK: f64 = 11.5;
const MARGIN: f64 = 14.0;
/// Radius of the disc on the sheet.
const RADIUS: f64 = 190.0;
/// Width of one map with its bar of colours.
const WIDTH: f64 = 540.0;
/// Room above the disc for its labels.
const ABOVE: f64 = 44.0;
const BELOW: f64 = 34.0;
/// Sectors and annuli of a map.
const SECTORS: usize = 120;
const ANNULI: usize = 36;

/// A station over one turn.
#[derive(Clone, Debug, PartialEq)]
pub struct DiscSample {
    /// Radius, m: its mean over the turn.
    pub radius: f64,
    /// Azimuths, rad, in any order and beyond a turn.
    pub azimuth: Vec<f64>,
    /// As many values.
    pub values: Vec<f64>,
}

impl DiscSample {
    /// The value at an azimuth, linear between its neighbours around the turn.
    fn at(&self, order: &[(f64, f64)], azimuth: f64) -> f64 {
        let n = order.len();
        let place = azimuth.rem_euclid(TAU);
        let k = order.partition_point(|(a, _)| *a <= place);
        let (before, after) = (order[(k + n - 1) % n], order[k % n]);
        let gap = (after.0 - before.0).rem_euclid(TAU);
        let fraction = if gap > 0.0 { (place - before.0).rem_euclid(TAU) / gap } else { 0.0 };
        before.1 + fraction.min(1.0) * (after.1 - before.1)
    }

    /// Azimuths within one turn, sorted, with their values.
    fn sorted(&self) -> Vec<(f64, f64)> {
        let mut all: Vec<(f64, f64)> =
            self.azimuth.iter().zip(&self.values).map(|(a, v)| (a.rem_euclid(TAU), *v)).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        all
    }
}

/// One quantity over the disc.
#[derive(Clone, Debug, PartialEq)]
pub struct DiscMap {
    /// Quantity and unit.
    pub label: String,
    /// The stations.
    pub stations: Vec<DiscSample>,
}

impl DiscMap {
    /// Values by annulus and sector, and the radii of their edges. Between stations they are linear over the radius.
    fn grid(&self) -> (Vec<f64>, Vec<Vec<f64>>) {
        let mut order: Vec<usize> = (0..self.stations.len()).collect();
        order.sort_by(|a, b| self.stations[*a].radius.total_cmp(&self.stations[*b].radius));
        let stations: Vec<&DiscSample> = order.iter().map(|i| &self.stations[*i]).collect();
        let sorted: Vec<Vec<(f64, f64)>> = stations.iter().map(|s| s.sorted()).collect();
        let (first, last) = (stations[0].radius, stations[stations.len() - 1].radius);
        // A single station is a ring of its own.
        let half = if last > first { 0.0 } else { 0.05 * last };
        let edges: Vec<f64> =
            (0..=ANNULI).map(|i| first - half + (last - first + 2.0 * half) * i as f64 / ANNULI as f64).collect();
        let ring = |i: usize| {
            let r = 0.5 * (edges[i] + edges[i + 1]);
            let k = stations.partition_point(|s| s.radius <= r).clamp(1, stations.len().max(2) - 1) - 1;
            let next = (k + 1).min(stations.len() - 1);
            let gap = stations[next].radius - stations[k].radius;
            let fraction = if gap > 0.0 { ((r - stations[k].radius) / gap).clamp(0.0, 1.0) } else { 0.0 };
            let value = |s: usize| {
                let azimuth = TAU * (s as f64 + 0.5) / SECTORS as f64;
                let [a, b] = [k, next].map(|i| stations[i].at(&sorted[i], azimuth));
                a + fraction * (b - a)
            };
            (0..SECTORS).map(value).collect()
        };
        let values = (0..ANNULI).map(ring).collect();
        (edges, values)
    }

    /// Several maps side by side, under a title.
    pub fn draw(maps: &[DiscMap], title: &str) -> Drawing {
        let columns = maps.len().clamp(1, 2);
        let mut out = Drawing {
            width: WIDTH * columns as f64,
            height: 0.0,
            title: title.to_string(),
            paper: WHITE,
            shapes: Vec::new(),
        };
        let mut top = MARGIN;
        if !title.is_empty() {
            let middle = 0.5 * out.width;
            put(&mut out, (middle, top + TITLE), title, TITLE, Anchor::Middle);
            top += TITLE + 12.0;
        }
        for (k, map) in maps.iter().enumerate() {
            let corner = (WIDTH * (k % columns) as f64, top + (ABOVE + 2.0 * RADIUS + BELOW) * (k / columns) as f64);
            map.draw_one(&mut out, corner);
        }
        out.height = (top + (ABOVE + 2.0 * RADIUS + BELOW) * maps.len().div_ceil(columns) as f64 + MARGIN).ceil();
        out
    }

    fn draw_one(&self, out: &mut Drawing, (left, top): (f64, f64)) {
        let (edges, values) = self.grid();
        let all = || values.iter().flatten().copied().filter(|v| v.is_finite());
        let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
        let outer = edges[ANNULI];
        let centre = (left + MARGIN + 34.0 + RADIUS, top + ABOVE + RADIUS);
        let place = |r: f64, azimuth: f64| {
            (centre.0 + RADIUS * r / outer * azimuth.sin(), centre.1 + RADIUS * r / outer * azimuth.cos())
        };
        for (i, ring) in values.iter().enumerate() {
            for (s, value) in ring.iter().enumerate().filter(|(_, v)| v.is_finite()) {
                let fraction = if high > low { (value - low) / (high - low) } else { 0.5 };
                // A little wider, so that no paper shows between cells.
                let (a, b) = (TAU * s as f64 / SECTORS as f64 - 0.002, TAU * (s + 1) as f64 / SECTORS as f64 + 0.002);
                let (r, R) = (edges[i], edges[i + 1] + 0.002 * outer);
                let points = vec![place(r, a), place(R, a), place(R, b), place(r, b)];
                out.shapes.push(Shape::Area { points, fill: Fill::Flat(scale_colour(fraction)), edge: None });
            }
        }
        for r in [edges[0], outer] {
            let points = (0..=SECTORS).map(|s| place(r, TAU * s as f64 / SECTORS as f64)).collect();
            out.shapes.push(Shape::Line { points, pen: EDGE, within: None });
        }
        for (k, anchor) in [(0, Anchor::Middle), (1, Anchor::Start), (2, Anchor::Middle), (3, Anchor::End)] {
            let azimuth = 0.5 * PI * f64::from(k);
            out.shapes.push(Shape::Line {
                points: vec![place(edges[0], azimuth), place(outer, azimuth)],
                pen: FAINT,
                within: None,
            });
            let (x, y) = place(1.03 * outer, azimuth);
            let lower = [TICK, 0.36 * TICK, -2.0, 0.36 * TICK][k as usize];
            let text = if k == 0 { "0° downwind".to_string() } else { format!("{}°", 90 * k) };
            put(out, (x, y + lower), &text, TICK, anchor);
        }
        let at = (left + MARGIN, top + TICK + 2.0);
        put(
            out,
            at,
            &format!("{}, radius {} … {} m", self.label, short_number(edges[0]), short_number(outer)),
            LABEL,
            Anchor::Start,
        );
        self.colour_bar(out, (centre.0 + RADIUS + 46.0, centre.1 + RADIUS), [low, high]);
    }

    /// The bar of colours above its lower left corner.
    fn colour_bar(&self, out: &mut Drawing, (x, bottom): (f64, f64), [low, high]: [f64; 2]) {
        let (height, steps) = (2.0 * RADIUS, 100);
        for k in 0..steps {
            let step = height / f64::from(steps);
            let y = bottom - step * f64::from(k + 1);
            let points = vec![(x, y), (x + 16.0, y), (x + 16.0, y + step + 0.4), (x, y + step + 0.4)];
            let fill = Fill::Flat(scale_colour(f64::from(k) / f64::from(steps - 1)));
            out.shapes.push(Shape::Area { points, fill, edge: None });
        }
        for fraction in [0.0, 0.25, 0.5, 0.75, 1.0] {
            let at = (x + 22.0, bottom - fraction * height + 0.36 * TICK);
            put(out, at, &short_number(low + fraction * (high - low)), TICK, Anchor::Start);
        }
    }
}

fn put(out: &mut Drawing, at: (f64, f64), text: &str, size: f64, anchor: Anchor) {
    let (text, direction) = (text.to_string(), Direction::Across);
    out.shapes.push(Shape::Text { at, text, size, anchor, direction, colour: INK });
}

#[cfg(test)]
mod tests {
    use super::{ANNULI, DiscMap, DiscSample, SECTORS};
    use std::f64::consts::TAU;

    /// r (1 + cos ψ), whose samples lie at odd places and span more than one turn.
    #[test]
    fn maps_interpolate_over_radius_and_azimuth() {
        let station = |radius: f64| {
            let azimuth: Vec<f64> = (0..200).map(|k| 0.3 - 0.04 * f64::from(k)).collect();
            let values = azimuth.iter().map(|a| radius * (1.0 + a.cos())).collect();
            DiscSample { radius, azimuth, values }
        };
        let map = DiscMap { label: "f".into(), stations: [3.0, 1.0, 2.0].map(station).to_vec() };
        let (edges, values) = map.grid();
        assert_eq!((edges[0], edges[ANNULI]), (1.0, 3.0));
        for (i, ring) in values.iter().enumerate() {
            for (s, value) in ring.iter().enumerate() {
                let (r, a) = (0.5 * (edges[i] + edges[i + 1]), TAU * (s as f64 + 0.5) / SECTORS as f64);
                assert!((value - r * (1.0 + a.cos())).abs() < 1e-3, "{i} {s} {value}");
            }
        }
        let picture = DiscMap::draw(&[map.clone(), map], "both");
        assert!(picture.shapes.len() > 2 * ANNULI * SECTORS && picture.width == 1080.0);
    }

    #[test]
    fn one_station_is_a_ring() {
        let one = DiscSample { radius: 2.0, azimuth: vec![0.0, 2.0, 4.0], values: vec![1.0; 3] };
        let (edges, values) = DiscMap { label: String::new(), stations: vec![one] }.grid();
        assert!(edges[0] < 2.0 && edges[ANNULI] > 2.0 && values.iter().flatten().all(|v| *v == 1.0));
    }
}
