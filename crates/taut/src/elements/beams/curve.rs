//! The line of a beam in its given shape, and the axes of the section along it.

use super::rotation::RotationVector;
use crate::error::ParameterError;
use crate::motion::{Mat3, Vec3, rotation_vector};
use crate::scalar::Jet;
use crate::signals::{Extrapolation, Interpolant, Interpolation, SplineEnds};
use serde::{Deserialize, Serialize};

/// The line of a beam.
///
/// Nodes are equally spaced in arc length. The x axis of the section is the tangent. The y axis starts as the component of the
/// given direction perpendicular to the tangent, is transported along the line without rotation about the tangent (on an
/// arc: rotated with the arc), and is then rotated by the twist, which grows linearly along the beam.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Curve {
    /// From one point to another.
    Straight {
        /// First point, m.
        from: [f64; 3],
        /// Last point, m.
        to: [f64; 3],
    },
    /// Around an axis, with a rise along it: an arc, a ring, a helix.
    Arc {
        /// First point, m.
        from: [f64; 3],
        /// A point of the axis, m.
        centre: [f64; 3],
        /// Direction of the axis.
        axis: [f64; 3],
        /// Angle from the first point to the last, rad.
        angle: f64,
        /// Distance along the axis from the first point to the last, m.
        #[serde(default)]
        rise: f64,
    },
    /// A smooth curve (cubic spline over the chord lengths) through points, m.
    Points(Vec<[f64; 3]>),
}

/// Pose of a node in the given shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NodePose {
    pub p: Vec3,
    pub R: Mat3,
}

/// Number of intervals between two nodes for the arc length of a spline.
const SPLINE_SUBDIVISIONS: usize = 64;

impl Curve {
    /// Positions and axes of `count` nodes.
    pub(super) fn node_poses(
        &self,
        count: usize,
        y: Option<[f64; 3]>,
        twist: f64,
    ) -> Result<Vec<NodePose>, ParameterError> {
        ParameterError::check_finite("twist", &[twist])?;
        let fraction = |k: usize| k as f64 / (count - 1) as f64;
        let mut found = match self {
            Curve::Straight { from, to } => {
                ParameterError::check_finite("from", from)?;
                ParameterError::check_finite("to", to)?;
                let (from, to) = (Vec3::from(*from), Vec3::from(*to));
                let R = section_axes(&(to - from), y)?;
                (0..count).map(|k| NodePose { p: from + (to - from) * fraction(k), R }).collect()
            }
            Curve::Arc { from, centre, axis, angle, rise } => {
                for (field, x) in [("from", from), ("centre", centre), ("axis", axis)] {
                    ParameterError::check_finite(field, x)?;
                }
                ParameterError::check_finite("angle", &[*angle])?;
                ParameterError::check_finite("rise", &[*rise])?;
                let (from, centre, axis) = (Vec3::from(*from), Vec3::from(*centre), Vec3::from(*axis));
                let along =
                    axis.try_normalize(1e-12).ok_or_else(|| ParameterError::invalid("axis", "it has no direction"))?;
                // The foot of the perpendicular from the first point to the axis.
                let middle = centre + along * along.dot(&(from - centre));
                let first = section_axes(&(along.cross(&(from - middle)) * *angle + along * *rise), y)?;
                let station = |k: usize| {
                    let turn = RotationVector::new(along * (angle * fraction(k) % std::f64::consts::TAU)).exp();
                    NodePose { p: middle + turn * (from - middle) + along * (rise * fraction(k)), R: turn * first }
                };
                (0..count).map(station).collect()
            }
            Curve::Points(points) => spline_node_poses(points, count, y)?,
        };
        for (k, station) in found.iter_mut().enumerate() {
            station.R *= RotationVector::new(Vec3::x() * (twist * fraction(k) % std::f64::consts::TAU)).exp();
        }
        Ok(found)
    }
}

/// x along `tangent`, y nearest to the given direction; default: y parallel to the world's xy plane.
fn section_axes(tangent: &Vec3, y: Option<[f64; 3]>) -> Result<Mat3, ParameterError> {
    let x = tangent.try_normalize(1e-300).filter(|x| x.norm().is_finite());
    let x = x.ok_or_else(|| ParameterError::invalid("to", "the line of the beam has no length"))?;
    let level = Vec3::z().cross(&x);
    let wanted = match y {
        Some(y) => Vec3::from(y),
        None if level.norm() > 1e-6 => level,
        None => Vec3::y(),
    };
    let y = (wanted - x * x.dot(&wanted)).try_normalize(1e-9 * wanted.norm());
    let y = y.filter(|y| y.iter().all(|c| c.is_finite()));
    let y =
        y.ok_or_else(|| ParameterError::invalid("section_y", "the y axis of the section must not lie along the beam"))?;
    Ok(Mat3::from_columns(&[x, y, x.cross(&y)]))
}

/// Nodes on the spline through points.
fn spline_node_poses(points: &[[f64; 3]], count: usize, y: Option<[f64; 3]>) -> Result<Vec<NodePose>, ParameterError> {
    let mut chords = vec![0.0];
    for pair in points.windows(2) {
        let last = chords.last().copied().unwrap_or(0.0);
        chords.push(last + (Vec3::from(pair[1]) - Vec3::from(pair[0])).norm());
    }
    let spline = |i: usize| {
        let values = points.iter().map(|p| p[i]).collect();
        Interpolant::new(
            "points",
            chords.clone(),
            values,
            Interpolation::Spline(SplineEnds::Natural),
            Extrapolation::Linear,
        )
        .map_err(|e| ParameterError::invalid("points", e.to_string()))
    };
    let splines = [spline(0)?, spline(1)?, spline(2)?];
    let total = chords.last().copied().unwrap_or(0.0);
    let at = |s: f64| splines.each_ref().map(|c| c.at(Jet::variable(s)));
    let place = |s: f64| Vec3::from(at(s).map(|j| j.f));
    let tangent = |s: f64| Vec3::from(at(s).map(|j| j.df));
    // Arc length by Simpson's rule on a fine grid, inverted by linear interpolation and one Newton step.
    let cells = SPLINE_SUBDIVISIONS * (count - 1);
    let h = total / cells as f64;
    let mut arc = vec![0.0; cells + 1];
    for i in 0..cells {
        let s = i as f64 * h;
        let speed = |s: f64| tangent(s).norm();
        arc[i + 1] = arc[i] + h / 6.0 * (speed(s) + 4.0 * speed(s + 0.5 * h) + speed(s + h));
    }
    let parameter = |length: f64| {
        let i = arc.partition_point(|a| *a <= length).clamp(1, cells) - 1;
        h * (i as f64 + (length - arc[i]) / (arc[i + 1] - arc[i]))
    };
    let mut R = section_axes(&tangent(0.0), y)?;
    let mut found = Vec::with_capacity(count);
    for k in 0..count {
        let to = parameter(arc[cells] * k as f64 / (count - 1) as f64);
        if k > 0 {
            let from = parameter(arc[cells] * (k - 1) as f64 / (count - 1) as f64);
            // The smallest rotation from tangent to tangent, in many small steps: no rotation about the tangent.
            for i in 1..=SPLINE_SUBDIVISIONS {
                let x = tangent(from + (to - from) * i as f64 / SPLINE_SUBDIVISIONS as f64).normalize();
                let old = R.column(0).into_owned();
                let (axis, cosine) = (old.cross(&x), old.dot(&x));
                let turn = Mat3::identity() + axis.cross_matrix() + axis.cross_matrix().pow(2) / (1.0 + cosine);
                R = turn * R;
            }
            R = RotationVector::new(rotation_vector(&R)).exp();
        }
        found.push(NodePose { p: place(to), R });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn straight() -> Curve {
        Curve::Straight { from: [1.0, 2.0, 3.0], to: [1.0, 6.0, 3.0] }
    }

    #[test]
    fn a_line_with_twist() {
        let s = straight().node_poses(5, Some([0.0, 1.0, 1.0]), 0.8).unwrap();
        assert!((s[2].p - Vec3::new(1.0, 4.0, 3.0)).norm() < 1e-15);
        assert!((s[0].R.column(1) - Vec3::z()).norm() < 1e-15);
        let end = s[0].R.tr_mul(&s[4].R);
        assert!((rotation_vector(&end) - Vec3::new(0.8, 0.0, 0.0)).norm() < 1e-14);
        assert!(straight().node_poses(2, Some([0.0, 1.0, 0.0]), 0.0).is_err());
        assert!(Curve::Straight { from: [0.0; 3], to: [0.0; 3] }.node_poses(2, None, 0.0).is_err());
    }

    fn quarter() -> Curve {
        Curve::Arc { from: [2.0, 0.0, 0.0], centre: [0.0; 3], axis: [0.0, 0.0, 3.0], angle: 1.5, rise: 0.0 }
    }

    #[test]
    fn an_arc() {
        let s = quarter().node_poses(4, None, 0.0).unwrap();
        for (k, s) in s.iter().enumerate() {
            let (sin, cos) = (0.5 * k as f64).sin_cos();
            assert!((s.p - Vec3::new(2.0 * cos, 2.0 * sin, 0.0)).norm() < 1e-14);
            assert!((s.R.column(0) - Vec3::new(-sin, cos, 0.0)).norm() < 1e-14);
            assert!((s.R.column(2) - Vec3::z()).norm() < 1e-14);
        }
    }

    /// Points on a circle reproduce the circle, up to the error of the spline.
    #[test]
    fn points_on_an_arc() {
        let points = (0..=40).map(|k| (1.5 * f64::from(k) / 40.0).sin_cos()).map(|(s, c)| [2.0 * c, 2.0 * s, 0.0]);
        let (exact, found) = (
            quarter().node_poses(4, None, 0.3).unwrap(),
            Curve::Points(points.collect()).node_poses(4, None, 0.3).unwrap(),
        );
        for (a, b) in exact.iter().zip(found) {
            assert!((a.p - b.p).norm() < 1e-4 && (a.R - b.R).amax() < 2e-2, "{a:?} {b:?}");
        }
        assert!(Curve::Points(vec![[0.0; 3]]).node_poses(3, None, 0.0).is_err());
        assert!(Curve::Points(vec![[0.0; 3]; 3]).node_poses(3, None, 0.0).is_err());
    }

    /// A helix rises evenly, and its tangents have constant slope.
    #[test]
    fn a_coil() {
        let coil = Curve::Arc {
            from: [1.0, 0.0, 0.0],
            centre: [0.0, 0.0, 7.0],
            axis: [0.0, 0.0, 1.0],
            angle: 20.0,
            rise: 2.0,
        };
        for (k, s) in coil.node_poses(11, None, 0.0).unwrap().iter().enumerate() {
            assert!((s.p.z - 0.2 * k as f64).abs() < 1e-14);
            assert!((s.R[(2, 0)] - 2.0 / (404.0_f64).sqrt()).abs() < 1e-14);
        }
    }
}
