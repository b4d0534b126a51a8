//! The coordinates that a joint leaves free or prescribes, by name: `hinge.angle`, `guide.slide`.

use super::{Joint, Prescription, RotationMask};
use crate::measures::{Axis, Measure};

/// Whether both bodies of a joint move in the plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JointSpace {
    Plane,
    Space,
}

/// The coordinates of a joint: the ending of their names, and the measures.
pub(crate) fn joint_coordinates(joint: &Joint, space: JointSpace) -> Vec<(&'static str, Measure)> {
    const AXES: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];
    const NAMES: [&str; 3] = ["slide_x", "slide_y", "slide_z"];
    let slides = free_slide_axes(joint, space);
    let name = |axis: usize| if slides.len() == 1 { "slide" } else { NAMES[axis] };
    let slide = |axis: &usize| (name(*axis), Measure::slide_along(&joint.a, &joint.b, AXES[*axis]));
    let mut found: Vec<(&'static str, Measure)> = slides.iter().map(slide).collect();
    if has_free_rotation(joint, space) {
        found.push(("angle", Measure::angle(&joint.a, &joint.b)));
    }
    found
}

/// Axes of A along which the joint slides, if it constrains at least one other axis.
fn free_slide_axes(joint: &Joint, space: JointSpace) -> Vec<usize> {
    let axes = if space == JointSpace::Plane { 2 } else { 3 };
    let held = joint.translation.iter().filter(|h| **h == Prescription::Fixed).count();
    let moves = |i: &usize| joint.translation[*i] != Prescription::Fixed;
    if held == 0 { Vec::new() } else { (0..axes).filter(moves).collect() }
}

fn has_free_rotation(joint: &Joint, space: JointSpace) -> bool {
    match &joint.rotation {
        RotationMask::Parallel => true,
        RotationMask::About(hold) | RotationMask::Locked(hold) => *hold != Prescription::Fixed,
        RotationMask::Free => space == JointSpace::Plane,
        RotationMask::Perpendicular | RotationMask::ConstantVelocity => false,
    }
}
