//! The stations of a wing, on one marker or between the nodes of a beam.
//!
//! ```text
//!  p = Σ Nₖ pₖ + Rₖ oₖ      v = Σ Nₖ vₖ + wₖ × Rₖ oₖ      on node k: Nₖ f and Rₖ oₖ × f + nₖ m
//! ```
//!
//! On a marker there is one term with N = 1. Between two nodes of a beam N and o are those of the cubic through both ends with the
//! tangents of both sections; the weights nₖ of rotations are linear. Loads and velocities use the same weights, so their power is
//! that of the nodes.

use super::quadrature::gauss_points;
use super::wing::Wing;
use super::{StationColumns, Unsteady};
use crate::beams::Beam;
use crate::constraints::ElementInput;
use crate::error::ParameterError;
use crate::motion::{Mat3, Vec3, Wrench};

/// The part of a station that one marker carries.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Arm {
    /// Among the markers of the line.
    marker: usize,
    /// N and n.
    weight: f64,
    turn: f64,
    /// o, axes of the marker.
    offset: Vec3,
    /// Span, leading edge and normal at zero pitch, axes of the marker.
    axes: Mat3,
}

/// A station: a piece of a wing.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Station {
    arms: Vec<Arm>,
    /// Distance from the first point of the wing.
    pub x: f64,
    /// Length of wing it stands for.
    pub length: f64,
    pub chord: f64,
    pub twist: f64,
    pub polar: usize,
}

/// The motion of a station, at its quarter-chord point and zero pitch.
#[derive(Clone, Copy, Debug)]
pub(super) struct StationMotion {
    pub p: Vec3,
    pub v: Vec3,
    pub w: Vec3,
    pub span: Vec3,
    pub leading: Vec3,
    pub normal: Vec3,
}

/// A change of the motion of a station.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StationChange {
    pub p: Vec3,
    pub v: Vec3,
    pub w: Vec3,
    /// Rotation of its axes.
    pub turn: Vec3,
}

/// A wing with its stations.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub name: String,
    pub markers: Vec<String>,
    /// Its first marker among those of the force.
    pub first_marker: usize,
    pub stations: Vec<Station>,
    pub unsteady: Unsteady,
    pub control: Option<String>,
    pub columns: StationColumns,
}

impl Line {
    /// The stations of a wing; `polars` translates the wing's own numbers of polars.
    pub fn new(name: &str, wing: &Wing, beam: Option<&Beam>, polars: &[usize]) -> Result<Line, ParameterError> {
        let (markers, mut stations) = match (&wing.beam, beam) {
            (Some(on), Some(beam)) => along_beam(wing, on, beam)?,
            _ => on_marker(wing)?,
        };
        stations.iter_mut().for_each(|s| s.polar = polars[wing.polar_at(s.x)]);
        let (unsteady, control, columns) = (wing.unsteady, wing.control.clone(), wing.columns);
        Ok(Line { name: name.to_string(), markers, first_marker: 0, stations, unsteady, control, columns })
    }

    /// Where a station is and how it moves.
    #[inline]
    pub fn motion(&self, at: &ElementInput, station: &Station) -> StationMotion {
        let (mut p, mut v, mut w, mut axes) = (Vec3::zeros(), Vec3::zeros(), Vec3::zeros(), Mat3::zeros());
        for arm in &station.arms {
            let node = &at[self.first_marker + arm.marker];
            let offset = node.R * arm.offset;
            p += node.p * arm.weight + offset;
            v += node.v * arm.weight + node.w.cross(&offset);
            w += node.w * arm.turn;
            axes += node.R * arm.axes * arm.turn;
        }
        let [mut span, mut leading, mut normal] = [0, 1, 2].map(|i| axes.column(i).into_owned());
        if station.arms.len() > 1 {
            span.normalize_mut();
            leading = (leading - span * span.dot(&leading)).normalize();
            normal = span.cross(&leading);
        }
        StationMotion { p, v, w, span, leading, normal }
    }

    /// The change of a station as the marker of one of its arms moves along direction i: 0–2 displacement, 3–5 rotation, 6–8
    /// velocity, 9–11 angular velocity.
    pub fn change(
        &self,
        at: &ElementInput,
        station: &Station,
        motion: &StationMotion,
        (arm, i): (usize, usize),
    ) -> StationChange {
        let arm = &station.arms[arm];
        let (node, e) = (&at[self.first_marker + arm.marker], Vec3::ith(i % 3, 1.0));
        let offset = node.R * arm.offset;
        match i / 3 {
            0 => StationChange { p: e * arm.weight, ..StationChange::default() },
            1 => {
                let p = e.cross(&offset);
                let turn = if station.arms.len() > 1 { self.turn(at, station, motion, (arm, e)) } else { e };
                StationChange { p, v: node.w.cross(&p), w: Vec3::zeros(), turn }
            }
            2 => StationChange { v: e * arm.weight, ..StationChange::default() },
            _ => StationChange { v: e.cross(&offset), w: e * arm.turn, ..StationChange::default() },
        }
    }

    /// Rotation of the axes between two nodes as one of them turns by dθ = e.
    ///
    /// ```text
    ///  ds = (1 − s sᵀ) da₁/|a₁|      dφ = s × ds + s (n·da₂ − (s·a₂) n·ds)/|a₂ − s s·a₂|      daᵢ = n (dθ × R bᵢ)
    /// ```
    fn turn(&self, at: &ElementInput, station: &Station, motion: &StationMotion, (arm, e): (&Arm, Vec3)) -> Vec3 {
        let column = |arm: &Arm, i: usize| at[self.first_marker + arm.marker].R * arm.axes.column(i) * arm.turn;
        let sum = |i: usize| station.arms.iter().fold(Vec3::zeros(), |sum, arm| sum + column(arm, i));
        let (a1, a2, s, n) = (sum(0), sum(1), &motion.span, &motion.normal);
        let [da1, da2] = [0, 1].map(|i| e.cross(&column(arm, i)));
        let ds = (da1 - s * s.dot(&da1)) / a1.norm();
        let along = s.dot(&a2);
        s.cross(&ds) + s * ((n.dot(&da2) - along * n.dot(&ds)) / (a2 - s * along).norm())
    }

    /// Calls `call` with each arm and its marker.
    pub fn for_each_arm(&self, station: &Station, mut call: impl FnMut(usize, usize)) {
        station.arms.iter().enumerate().for_each(|(k, arm)| call(k, self.first_marker + arm.marker));
    }

    /// The wrench of a force and a moment at a station on the marker of an arm.
    pub fn arm_wrench(&self, at: &ElementInput, station: &Station, arm: usize, f: &Vec3, m: &Vec3) -> Wrench {
        let arm = &station.arms[arm];
        let offset = at[self.first_marker + arm.marker].R * arm.offset;
        Wrench { f: f * arm.weight, m: offset.cross(f) + m * arm.turn }
    }

    /// The change of this wrench as the arm turns by dθ = e.
    pub fn turned_arm(&self, at: &ElementInput, station: &Station, (arm, e): (usize, Vec3), f: &Vec3) -> Vec3 {
        let arm = &station.arms[arm];
        e.cross(&(at[self.first_marker + arm.marker].R * arm.offset)).cross(f)
    }

    /// Adds a force at the quarter-chord point of a station and a moment.
    #[inline]
    pub fn apply(&self, at: &ElementInput, station: &Station, f: &Vec3, m: &Vec3, on: &mut [Wrench]) {
        self.for_each_arm(station, |arm, k| {
            let w = self.arm_wrench(at, station, arm, f, m);
            on[k].f += w.f;
            on[k].m += w.m;
        });
    }
}

/// Places and lengths of all stations on a line.
fn places(wing: &Wing, length: f64) -> Vec<(f64, f64)> {
    let points = gauss_points(wing.stations);
    let mut ends = vec![0.0];
    match wing.panel_ends.as_slice() {
        [] => ends.extend((1..wing.panels).map(|k| length * k as f64 / wing.panels as f64)),
        given => ends.extend(given),
    }
    ends.push(length);
    let of_panel = |end: &[f64]| {
        let (from, panel) = (end[0], end[1] - end[0]);
        points.iter().map(move |(x, w)| (from + x * panel, w * panel)).collect::<Vec<_>>()
    };
    ends.windows(2).flat_map(of_panel).collect()
}

fn station(wing: &Wing, (x, length): (f64, f64), arms: Vec<Arm>) -> Result<Station, ParameterError> {
    let (chord, twist) = (wing.chord.at(x), wing.twist.at(x));
    ParameterError::check_positive("chord", chord)?;
    ParameterError::check_finite("twist", &[twist])?;
    ParameterError::check_finite("offset", &[wing.offset.at(x)])?;
    Ok(Station { arms, x, length, chord, twist, polar: 0 })
}

fn on_marker(wing: &Wing) -> Result<(Vec<String>, Vec<Station>), ParameterError> {
    let (on, from, to) = wing.straight_line()?;
    let length = (to - from).norm();
    wing.check(length)?;
    let span = (to - from) / length;
    let leading = wing.leading_direction(&span)?;
    let axes = Mat3::from_columns(&[span, leading, span.cross(&leading)]);
    let one = |place: (f64, f64)| {
        let offset = from + span * place.0 + leading * wing.offset.at(place.0);
        station(wing, place, vec![Arm { marker: 0, weight: 1.0, turn: 1.0, offset, axes }])
    };
    Ok((vec![on.to_string()], places(wing, length).into_iter().map(one).collect::<Result<_, _>>()?))
}

fn along_beam(wing: &Wing, name: &str, beam: &Beam) -> Result<(Vec<String>, Vec<Station>), ParameterError> {
    if wing.on.is_some() || wing.from.is_some() || wing.to.is_some() || wing.leading_edge.is_some() {
        let what = "the beam carries the wing; leave out `on`, `from`, `to` and `leading_edge`";
        return Err(ParameterError::invalid("beam", what));
    }
    let nodes = beam.given_nodes()?;
    let mut ends = vec![0.0];
    for pair in nodes.windows(2) {
        ends.push(ends[ends.len() - 1] + (pair[1].0 - pair[0].0).norm());
    }
    let length = ends[ends.len() - 1];
    wing.check(length)?;
    let one = |place: (f64, f64)| {
        let k = ends.partition_point(|end| *end <= place.0).clamp(1, nodes.len() - 1) - 1;
        let h = ends[k + 1] - ends[k];
        let xi = (place.0 - ends[k]) / h;
        // The cubic of Hermite: N of the ends, and its share of the tangents.
        let N = [1.0 - xi * xi * (3.0 - 2.0 * xi), xi * xi * (3.0 - 2.0 * xi)];
        let tangents = [h * xi * (1.0 - xi) * (1.0 - xi), -h * xi * xi * (1.0 - xi)];
        let arm = |i: usize| {
            let turn = if i == 0 { 1.0 - xi } else { xi };
            let offset = Vec3::x() * tangents[i] + Vec3::y() * (turn * wing.offset.at(place.0));
            Arm { marker: k + i, weight: N[i], turn, offset, axes: Mat3::identity() }
        };
        station(wing, place, vec![arm(0), arm(1)])
    };
    let names = (0..nodes.len()).map(|k| Beam::node_name(name, k)).collect();
    Ok((names, places(wing, length).into_iter().map(one).collect::<Result<_, _>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::beams::Section;
    use crate::constraints::conformance::{Rig, smooth_frame};

    fn check_power(line: &Line, markers: usize) {
        let rig = Rig::new((0..markers).map(|k| smooth_frame(k as u32 + 1)).collect());
        let motions = rig.motions(0.4);
        let ids: Vec<usize> = (0..markers).collect();
        let at = ElementInput::new(0.4, &motions, &ids, &[]);
        for s in &line.stations {
            let (f, m) = (Vec3::new(1.0, -2.0, 0.5), Vec3::new(0.3, 0.1, -0.2));
            let mut on = vec![Wrench::ZERO; markers];
            line.apply(&at, s, &f, &m, &mut on);
            let seen = line.motion(&at, s);
            let power: f64 = on.iter().zip(&motions).map(|(w, motion)| motion.power(w)).sum();
            assert!((power - f.dot(&seen.v) - m.dot(&seen.w)).abs() < 1e-12);
            assert!((seen.span.cross(&seen.leading) - seen.normal).norm() < 1e-14);
        }
    }

    #[test]
    fn loads_have_the_power_of_the_station() {
        let wing = Wing { stations: 3, panels: 2, ..Wing::new("blade", [1.0, 0.0, 0.0], [4.0, 0.0, 0.0], 0.4, "thin") };
        let line = Line::new("wing", &wing, None, &[0]).unwrap();
        assert!((line.stations.iter().map(|s| s.length).sum::<f64>() - 3.0).abs() < 1e-14);
        check_power(&line, 1);
        let section = Section::diagonal([1e6, 1e6, 1e6, 1e2, 1e2, 1e2], 1.0, [1e-3; 3]);
        let beam = Beam::straight([0.0; 3], [3.0, 0.0, 0.0], section, 3);
        let wing = Wing { beam: Some("b".into()), on: None, from: None, to: None, stations: 7, ..wing };
        let line = Line::new("wing", &wing, Some(&beam), &[0]).unwrap();
        assert_eq!(line.markers, ["b_0", "b_1", "b_2", "b_3"]);
        check_power(&line, 4);
    }

    #[test]
    fn bad_wings_are_named() {
        let good = Wing::new("blade", [0.0; 3], [4.0, 0.0, 0.0], 0.4, "thin");
        let message = |wing: Wing| Line::new("w", &wing, None, &[0]).unwrap_err().to_string();
        assert!(message(Wing { to: Some([0.0; 3]), ..good.clone() }).contains("no length"));
        assert!(message(Wing { leading_edge: Some([1.0, 0.0, 0.0]), ..good.clone() }).contains("parallel to the span"));
        assert!(message(Wing { stations: 0, ..good.clone() }).contains("1 to 100000"));
        assert!(message(Wing::new("b", [0.0; 3], [1.0, 0.0, 0.0], -0.4, "p")).contains("greater than zero"));
        assert!(message(Wing { polar: vec!["a".into(), "b".into()], ..good.clone() }).contains("need 1 starts"));
        assert!(message(Wing { on: None, ..good }).contains("`on`, `from` and `to`"));
    }
}
