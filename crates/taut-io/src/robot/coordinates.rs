//! Measures of the coordinates of a chain of joints.

use super::chain::{JointMarker, MarkerBody, SAME, SortedJoints};
use super::pose::{Pose, axes, perpendicular, rotation_of_axis_angle};
use super::tree::Articulation;
use taut::motion::Vec3;

/// The measure of the coordinate of a joint.
#[derive(Clone, Debug)]
pub(crate) enum Coordinate {
    /// The angle between two markers.
    Angle { a: JointMarker, b: JointMarker },
    /// The angle of x of `b` above the xy plane of `a`.
    Elevation { a: JointMarker, b: JointMarker },
    /// The displacement along z of `a`.
    Slide { a: JointMarker, b: JointMarker },
    /// No scalar measure of the engine; why.
    Unmeasured(&'static str),
}

/// The coordinate of each joint; `point` stays where the hinges leave it.
pub(super) fn coordinates(joints: &[Articulation], sorted: &SortedJoints, point: &Vec3) -> Vec<Coordinate> {
    let mut coordinates = vec![Coordinate::Unmeasured("a ball has three of them"); joints.len()];
    turning(sorted, point, &mut coordinates);
    sliding(sorted, point, &mut coordinates);
    for (joint, coordinate) in joints.iter().zip(&mut coordinates) {
        coordinate.refer(joint.reference);
    }
    coordinates
}

fn turning(sorted: &SortedJoints, point: &Vec3, coordinates: &mut [Coordinate]) {
    // The angle about z of `a` between x of both.
    let angle = |a: MarkerBody, z: Vec3, x: Vec3| {
        let b = if a == MarkerBody::Parent { MarkerBody::Link } else { MarkerBody::Parent };
        let x = x - z * z.dot(&x);
        let frame = Pose { R: axes(&z, &x), p: *point };
        Coordinate::Angle { a: JointMarker { on: a, pose: frame }, b: JointMarker { on: b, pose: frame } }
    };
    // x of the far marker is the axis itself, not what is left of it across z.
    let toward = |a: MarkerBody, z: Vec3, x: Vec3| match angle(a, z, x) {
        Coordinate::Angle { a, mut b } => {
            b.pose.R = axes(&z.cross(&x).normalize(), &x);
            Coordinate::Angle { a, b }
        }
        other => other,
    };
    match sorted.hinges[..] {
        [(i, z, _)] => {
            let x = sorted.first.iter().chain(&sorted.last).map(|s| s.1).find(|x| x.cross(&z).norm() > SAME);
            coordinates[i] = angle(MarkerBody::Parent, z, x.unwrap_or_else(|| perpendicular(&z)));
        }
        // The second axis turns about the first; the first, seen from the link, back about the second.
        [(i, u, _), (j, w, _)] => {
            coordinates[i] = toward(MarkerBody::Parent, u, w);
            coordinates[j] = toward(MarkerBody::Link, -w, u);
        }
        [(i, u, _), (j, v, _), (k, w, _)] => {
            let square = u.dot(&v).abs() < SAME && v.dot(&w).abs() < SAME;
            let why = "it is one of three hinges that are not perpendicular";
            [i, j, k].into_iter().for_each(|n| coordinates[n] = Coordinate::Unmeasured(why));
            if square {
                coordinates[i] = toward(MarkerBody::Parent, u, w);
                coordinates[k] = toward(MarkerBody::Link, -w, u);
            }
            if square && u.dot(&w).abs() < SAME {
                // Turned about v the last axis rises above the plane across the first, or sinks below it.
                let rising = v.cross(&w).dot(&u).signum();
                let end = |on, R| JointMarker { on, pose: Pose { R, p: *point } };
                let (a, b) = (axes(&(u * rising), &w), axes(&u, &w));
                coordinates[j] = Coordinate::Elevation { a: end(MarkerBody::Parent, a), b: end(MarkerBody::Link, b) };
            }
        }
        _ => {}
    }
}

fn sliding(sorted: &SortedJoints, point: &Vec3, coordinates: &mut [Coordinate]) {
    let square = |list: &[(usize, Vec3)], i: usize| {
        list.iter().enumerate().all(|(k, s)| k == i || s.1.dot(&list[i].1).abs() < SAME)
    };
    for (list, carrier, mover, sign) in [
        (&sorted.first, MarkerBody::Parent, MarkerBody::Link, 1.0),
        (&sorted.last, MarkerBody::Link, MarkerBody::Parent, -1.0),
    ] {
        for (i, &(joint, axis)) in list.iter().enumerate() {
            let z = axis * sign;
            let frame = Pose { R: axes(&z, &perpendicular(&z)), p: *point };
            coordinates[joint] = match square(list, i) {
                true => Coordinate::Slide {
                    a: JointMarker { on: carrier, pose: frame },
                    b: JointMarker { on: mover, pose: frame },
                },
                false => Coordinate::Unmeasured("its slides are not perpendicular"),
            };
        }
    }
}

impl Coordinate {
    /// Sets the marker back so that the coordinate has its reference value in the pose of the file.
    fn refer(&mut self, reference: f64) {
        if reference == 0.0 {
            return;
        }
        match self {
            Coordinate::Angle { a, .. } => a.pose.R *= rotation_of_axis_angle(&Vec3::z(), -reference),
            Coordinate::Slide { a, .. } => a.pose.p -= a.pose.R.column(2) * reference,
            // The axis itself must stay where it is.
            Coordinate::Elevation { .. } => {
                *self =
                    Coordinate::Unmeasured("it is the middle one of three hinges and has a reference other than zero");
            }
            Coordinate::Unmeasured(_) => {}
        }
    }
}
