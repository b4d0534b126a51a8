//! The joints between a link and its parent as constraints of the engine.
//!
//! A file may put several joints between two links. In redundant coordinates there is no massless body in between, so
//! the chain becomes what it leaves free:
//!
//! ```text
//!  turning   no hinge: locked · one: axes stay parallel · two, perpendicular: universal · three, or a ball: free
//!  moving    the common point of the hinges stays in the span of the slides: on axes of the parent where the slides
//!            come first, on axes of the link where they come last
//!            two perpendicular hinges may also pass each other at a distance
//! ```

use super::coordinates::{Coordinate, coordinates};
use super::pose::{Pose, axes, perpendicular};
use super::tree::{Articulation, Freedom};
use taut::motion::{Mat3, Vec3};
use taut::{Prescription, RotationMask};

/// Directions closer than this are the same, points too (relative to their size).
pub(super) const SAME: f64 = 1e-9;

/// The body of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkerBody {
    Parent,
    Link,
}

/// A marker of a joint: its pose in the frame of the link in the pose of the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct JointMarker {
    pub on: MarkerBody,
    pub pose: Pose,
}

/// One constraint.
#[derive(Clone, Debug)]
pub(crate) struct ChainConstraint {
    pub part: ConstraintPart,
    pub a: JointMarker,
    pub b: JointMarker,
    pub translation: [Prescription; 3],
    pub rotation: RotationMask,
}

/// Which part of the chain a constraint describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConstraintPart {
    /// All of it, or its rotation.
    Joint,
    /// The translation of its point, if it needs other axes.
    Path,
}

/// Constraints and coordinates of a chain of joints.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pub constraints: Vec<ChainConstraint>,
    /// Points that keep their distance.
    pub rods: Vec<(JointMarker, JointMarker, f64)>,
    /// One for each joint.
    pub coordinates: Vec<Coordinate>,
}

/// The joints sorted by kind.
pub(super) struct SortedJoints {
    /// Index, axis, point.
    pub hinges: Vec<(usize, Vec3, Vec3)>,
    /// Index, axis; before the hinges.
    pub first: Vec<(usize, Vec3)>,
    /// Index, axis; after them.
    pub last: Vec<(usize, Vec3)>,
    pub ball: Option<Vec3>,
}

/// The constraints for the joints of one link, or why there are none.
pub(crate) fn chain(joints: &[Articulation]) -> Result<Chain, String> {
    if let [Articulation { freedom: Freedom::Free, .. }] = joints {
        let coordinates = vec![Coordinate::Unmeasured("a free joint has six of them")];
        return Ok(Chain { constraints: Vec::new(), rods: Vec::new(), coordinates });
    }
    let sorted = sort(joints)?;
    let rotation = ChainRotation::of(&sorted)?;
    let point = match common_point(&sorted) {
        Some(point) => point,
        None => {
            return offset_perpendicular_hinges(joints, &sorted)
                .ok_or_else(|| "its hinges do not meet in one point".to_string());
        }
    };
    let slides: Vec<Vec3> = sorted.first.iter().chain(&sorted.last).map(|(_, axis)| *axis).collect();
    let span = SlideSpan::of(&slides)?;
    let held = make_constraints(&rotation, &span, &sorted, point);
    Ok(Chain { constraints: held, rods: Vec::new(), coordinates: coordinates(joints, &sorted, &point) })
}

fn sort(joints: &[Articulation]) -> Result<SortedJoints, String> {
    let mut sorted = SortedJoints { hinges: Vec::new(), first: Vec::new(), last: Vec::new(), ball: None };
    let mut turning_done = false;
    for (i, joint) in joints.iter().enumerate() {
        let turned = !sorted.hinges.is_empty() || sorted.ball.is_some();
        match joint.freedom {
            Freedom::Slide { axis } if !turned => sorted.first.push((i, axis)),
            Freedom::Slide { axis } => {
                turning_done = true;
                sorted.last.push((i, axis));
            }
            Freedom::Hinge { .. } | Freedom::Ball { .. } if turning_done => {
                return Err("a slide lies between two hinges".to_string());
            }
            Freedom::Hinge { axis, at } if sorted.ball.is_none() => sorted.hinges.push((i, axis, at)),
            Freedom::Ball { at } if !turned => sorted.ball = Some(at),
            Freedom::Hinge { .. } | Freedom::Ball { .. } => {
                return Err("a ball joint is combined with other rotating joints".to_string());
            }
            Freedom::Free => return Err("a free joint is combined with others".to_string()),
        }
    }
    // A slide along the only hinge commutes with it.
    if let [(_, axis, _)] = sorted.hinges[..] {
        let along = |s: &(usize, Vec3)| s.1.cross(&axis).norm() < SAME;
        let (moved, rest): (Vec<_>, Vec<_>) = sorted.last.iter().partition(|s| along(s));
        if rest.is_empty() || !sorted.first.is_empty() {
            sorted.first.extend(moved);
            sorted.last = rest;
        }
    }
    match sorted.first.is_empty() || sorted.last.is_empty() {
        true => Ok(sorted),
        false => Err("slides lie before and after the hinges".to_string()),
    }
}

/// The point that the hinges do not move.
fn common_point(sorted: &SortedJoints) -> Option<Vec3> {
    if let Some(at) = sorted.ball {
        return Some(at);
    }
    let Some((_, _, first)) = sorted.hinges.first() else { return Some(Vec3::zeros()) };
    let off = |p: &Vec3, axis: &Vec3, at: &Vec3| (p - at) - axis * axis.dot(&(p - at));
    let far = |p: &Vec3| sorted.hinges.iter().map(|(_, axis, at)| off(p, axis, at).norm()).fold(0.0, f64::max);
    let size = sorted.hinges.iter().map(|(_, _, at)| at.norm()).fold(1.0, f64::max);
    if far(first) <= SAME * size {
        return Some(*first);
    }
    // The point nearest to all axes: Σ (I − n nᵀ)(p − at) = 0.
    let (mut N, mut r) = (Mat3::zeros(), Vec3::zeros());
    for (_, axis, at) in &sorted.hinges {
        let P = Mat3::identity() - axis * axis.transpose();
        N += P;
        r += P * at;
    }
    N.try_inverse().map(|inverse| inverse * r).filter(|p| far(p) <= SAME * size)
}

/// Two perpendicular hinges that pass each other: the feet of their common normal stay across either axis, at its
/// length.
fn offset_perpendicular_hinges(joints: &[Articulation], sorted: &SortedJoints) -> Option<Chain> {
    let [(_, u, p), (_, w, q)] = sorted.hinges[..] else { return None };
    if u.dot(&w).abs() > SAME || !sorted.first.is_empty() || !sorted.last.is_empty() {
        return None;
    }
    let (foot_u, foot_w) = (p + u * u.dot(&(q - p)), q + w * w.dot(&(p - q)));
    let R = Mat3::from_columns(&[u, w, u.cross(&w)]);
    let end = |on, p| JointMarker { on, pose: Pose { R, p } };
    let (a, b) = (end(MarkerBody::Parent, foot_u), end(MarkerBody::Link, foot_w));
    let along = |i: usize| [0, 1, 2].map(|k| if k == i { Prescription::Fixed } else { Prescription::Free });
    let across_u = ChainConstraint {
        part: ConstraintPart::Joint,
        a,
        b,
        translation: along(0),
        rotation: RotationMask::Perpendicular,
    };
    let across_w =
        ChainConstraint { part: ConstraintPart::Path, a: b, b: a, translation: along(1), rotation: RotationMask::Free };
    let rods = vec![(a, b, (foot_w - foot_u).norm())];
    Some(Chain { constraints: vec![across_u, across_w], rods, coordinates: coordinates(joints, sorted, &foot_u) })
}

/// Rotation of the chain, and the axes of the engine's joint.
struct ChainRotation {
    turning: RotationMask,
    /// Axes requested, if any; with one hinge only z is.
    axes: Option<Mat3>,
    z: Option<Vec3>,
}

impl ChainRotation {
    fn of(sorted: &SortedJoints) -> Result<ChainRotation, String> {
        let axis: Vec<Vec3> = sorted.hinges.iter().map(|h| h.1).collect();
        let none = ChainRotation { turning: RotationMask::Free, axes: None, z: None };
        match axis[..] {
            [] if sorted.ball.is_some() => Ok(none),
            [] => Ok(ChainRotation { turning: RotationMask::Locked(Prescription::Fixed), ..none }),
            [z] => Ok(ChainRotation { turning: RotationMask::Parallel, z: Some(z), ..none }),
            [x, y] if x.dot(&y).abs() < SAME => {
                let axes = Mat3::from_columns(&[x, y, x.cross(&y)]);
                Ok(ChainRotation { turning: RotationMask::Perpendicular, axes: Some(axes), ..none })
            }
            [_, _] => Err("its two hinges are not perpendicular".to_string()),
            [x, y, z] if x.dot(&y.cross(&z)).abs() > SAME => Ok(none),
            [_, _, _] => Err("its three hinges lie in one plane".to_string()),
            _ => Err("it has more than three hinges".to_string()),
        }
    }
}

/// The space that the slides span.
struct SlideSpan {
    basis: Vec<Vec3>,
}

impl SlideSpan {
    fn of(slides: &[Vec3]) -> Result<SlideSpan, String> {
        let mut basis: Vec<Vec3> = Vec::new();
        for slide in slides {
            let rest = basis.iter().fold(*slide, |r, b| r - b * b.dot(&r));
            if rest.norm() < SAME {
                return Err("its slides are not independent".to_string());
            }
            basis.push(rest.normalize());
        }
        Ok(SlideSpan { basis })
    }

    /// Axes along the slides; the rest is completed arbitrarily.
    fn axes(&self) -> Mat3 {
        match self.basis[..] {
            [] => Mat3::identity(),
            // The one slide of a prismatic joint is z.
            [z] => axes(&z, &perpendicular(&z)),
            [x, y] => Mat3::from_columns(&[x, y, x.cross(&y)]),
            [x, y, ..] => Mat3::from_columns(&[x, y, x.cross(&y)]),
        }
    }

    /// Which of these axes are free, if each is either free or fixed.
    fn mask(&self, axes: &Mat3) -> Option<[Prescription; 3]> {
        let inside = |i: usize| self.basis.iter().map(|b| b.dot(&axes.column(i)).powi(2)).sum::<f64>().sqrt();
        let mut mask = [Prescription::Fixed, Prescription::Fixed, Prescription::Fixed];
        for i in 0..3 {
            match inside(i) {
                s if s > 1.0 - SAME => mask[i] = Prescription::Free,
                s if s < SAME => {}
                _ => return None,
            }
        }
        Some(mask)
    }
}

/// The constraints: one joint if translation and rotation can use the same axes, otherwise two.
fn make_constraints(
    rotation: &ChainRotation,
    span: &SlideSpan,
    sorted: &SortedJoints,
    point: Vec3,
) -> Vec<ChainConstraint> {
    let end = |on, R| JointMarker { on, pose: Pose { R, p: point } };
    let one = |part, R, along: [Prescription; 3], turning: &RotationMask, a: MarkerBody, b: MarkerBody| {
        ChainConstraint { part, a: end(a, R), b: end(b, R), translation: along, rotation: turning.clone() }
    };
    let slid = span.basis.iter().map(|b| rotation.z.map_or(*b, |z| b - z * z.dot(b)));
    let x: Vec<Vec3> = slid.filter(|x| x.norm() > SAME).collect();
    let candidates: Vec<Mat3> = match (&rotation.axes, rotation.z) {
        (Some(R), _) => vec![*R],
        (None, Some(z)) => x.iter().copied().chain([perpendicular(&z)]).map(|x| axes(&z, &x)).collect(),
        (None, None) => vec![span.axes()],
    };
    // Slides after a rotation move along axes of the link.
    let turns = rotation.turning != RotationMask::Locked(Prescription::Fixed);
    let apart = !sorted.last.is_empty() && turns;
    if !apart && let Some((R, along)) = candidates.iter().find_map(|R| span.mask(R).map(|mask| (*R, mask))) {
        let held = one(ConstraintPart::Joint, R, along, &rotation.turning, MarkerBody::Parent, MarkerBody::Link);
        return if constrains_nothing(&held) { Vec::new() } else { vec![held] };
    }
    let R = candidates.first().copied().unwrap_or_else(Mat3::identity);
    let free = [Prescription::Free, Prescription::Free, Prescription::Free];
    let turning = one(ConstraintPart::Joint, R, free, &rotation.turning, MarkerBody::Parent, MarkerBody::Link);
    let (a, b) = if apart { (MarkerBody::Link, MarkerBody::Parent) } else { (MarkerBody::Parent, MarkerBody::Link) };
    let R = span.axes();
    let along = span.mask(&R).unwrap_or([Prescription::Fixed, Prescription::Fixed, Prescription::Fixed]);
    let path = one(ConstraintPart::Path, R, along, &RotationMask::Free, a, b);
    [turning, path].into_iter().filter(|h| !constrains_nothing(h)).collect()
}

fn constrains_nothing(held: &ChainConstraint) -> bool {
    held.rotation == RotationMask::Free && held.translation.iter().all(|h| *h == Prescription::Free)
}
