//! Selection of the instants, and the poses at them.

use super::camera::{Quat, Vec3};
use super::{InstantSelection, StrobeError, StrobeOptions};
use crate::film::Film;
use crate::scene::{Point, QuaternionWxyz, Role, Scene, Spot};
use nalgebra::Quaternion;
use std::f64::consts::TAU;

/// Poses of all figures at one time.
#[derive(Clone, Debug)]
pub(super) struct Instant {
    pub t: f64,
    poses: Vec<(Vec3, Quat)>,
}

impl Instant {
    /// Interpolates between rows of the film: positions linearly, orientations along the shorter arc.
    pub fn of(film: &Film, t: f64) -> Instant {
        let next = film.t.partition_point(|u| *u <= t).min(film.t.len() - 1);
        let last = next.saturating_sub(1);
        let gap = film.t[next] - film.t[last];
        let s = if gap > 0.0 { ((t - film.t[last]) / gap).clamp(0.0, 1.0) } else { 1.0 };
        let pose = |figure: usize| {
            let ((p0, q0), (p1, q1)) = (film.pose(figure, last), film.pose(figure, next));
            let (p0, p1) = (Vec3::from(p0), Vec3::from(p1));
            let (q0, mut q1) = (to_quaternion(&q0), to_quaternion(&q1));
            if q0.coords.dot(&q1.coords) < 0.0 {
                q1 = Quat::new_unchecked(-q1.into_inner());
            }
            (p0 + (p1 - p0) * s, q0.nlerp(&q1, s))
        };
        Instant { t, poses: (0..film.tracks.len()).map(pose).collect() }
    }

    pub fn pose(&self, figure: usize) -> (Vec3, Quat) {
        self.poses.get(figure).copied().unwrap_or((Vec3::zeros(), Quat::identity()))
    }

    pub fn point(&self, figure: usize, p: &Point) -> Vec3 {
        let (origin, q) = self.pose(figure);
        origin + q * Vec3::from(*p)
    }

    /// Position and orientation of a spot.
    pub fn spot(&self, spot: &Spot) -> (Vec3, Quat) {
        let (_, q) = self.pose(spot.figure);
        (self.point(spot.figure, &spot.p), q * to_quaternion(&spot.q))
    }
}

pub(super) fn to_quaternion(q: &QuaternionWxyz) -> Quat {
    let q = Quaternion::new(q[0], q[1], q[2], q[3]);
    Quat::try_new(q, 1e-12).unwrap_or_else(Quat::identity)
}

/// The times of the instants in ascending order, and the index of the solid one.
pub(super) fn select_instants(
    scene: &Scene,
    film: &Film,
    wish: &StrobeOptions,
) -> Result<(Vec<f64>, usize), StrobeError> {
    let (Some(first), Some(last)) = (film.t.first(), film.t.last()) else { return Err(StrobeError::Empty) };
    let (first, last) = (*first, *last);
    let within = |t: f64| match t >= first - 1e-9 * last.abs() && t <= last + 1e-9 * last.abs() {
        true => Ok(t.clamp(first, last)),
        false => Err(StrobeError::Time { t, first, last }),
    };
    let mut times = match &wish.instants {
        InstantSelection::Times(times) => times.iter().map(|t| within(*t)).collect::<Result<Vec<f64>, _>>()?,
        InstantSelection::Count(n) => {
            let from = wish.from.map_or(Ok(first), within)?;
            let to = wish.to.map_or_else(|| Ok(automatic_end(scene, film, from)), within)?;
            if to < from {
                return Err(StrobeError::Backwards { from, to });
            }
            match *n {
                1 => vec![to],
                // Use recorded rows, without interpolation.
                n => (0..n).map(|i| nearest(film, from + (to - from) * i as f64 / (n - 1) as f64)).collect(),
            }
        }
    };
    if let Some(at) = wish.at {
        times.push(within(at)?);
    }
    times.sort_by(f64::total_cmp);
    times.dedup();
    let last = times.len().checked_sub(1).ok_or(StrobeError::Empty)?;
    let solid = wish.at.and_then(|at| times.iter().position(|t| (t - at).abs() <= 1e-9 * at.abs())).unwrap_or(last);
    Ok((times, solid))
}

/// The recorded time nearest to this one.
fn nearest(film: &Film, t: f64) -> f64 {
    let next = film.t.partition_point(|u| *u < t).min(film.t.len() - 1);
    let last = next.saturating_sub(1);
    if t - film.t[last] < film.t[next] - t { film.t[last] } else { film.t[next] }
}

/// Default last time: when a body hinged to the ground has completed one revolution or one swing to and fro, or when a body has
/// crossed the picture twice.
fn automatic_end(scene: &Scene, film: &Film, from: f64) -> f64 {
    let rows: Vec<usize> = (0..film.t.len()).filter(|row| film.t[*row] >= from).collect();
    let end = film.t.last().copied().unwrap_or(from);
    let bodies: Vec<usize> = (0..film.tracks.len().min(scene.figures.len()))
        .filter(|i| matches!(scene.figures[*i].role, Role::Body | Role::Node))
        .collect();
    let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    for (figure, row) in bodies.iter().flat_map(|f| rows.iter().map(move |r| (*f, *r))) {
        let p = Vec3::from(film.pose(figure, row).0);
        (low, high) = (low.inf(&p), high.sup(&p));
    }
    let size = (high - low).norm();
    let hinged = |figure: usize| {
        let holds = |of: usize| move |s: &Spot| s.figure == of;
        scene.joints.iter().any(|j| j.spots.iter().any(holds(0)) && j.spots.iter().any(holds(figure)))
    };
    let mut until = end;
    for &figure in &bodies {
        let turns = hinged(figure);
        let (mut way, mut angle) = (0.0, 0.0);
        for pair in rows.windows(2) {
            let ((p0, q0), (p1, q1)) = (film.pose(figure, pair[0]), film.pose(figure, pair[1]));
            way += (Vec3::from(p1) - Vec3::from(p0)).norm();
            angle += if turns { to_quaternion(&q0).angle_to(&to_quaternion(&q1)) } else { 0.0 };
            if way > 2.0 * size || angle >= TAU * (1.0 - 1e-6) {
                until = f64::min(until, film.t[pair[1]]);
                break;
            }
        }
    }
    until
}
