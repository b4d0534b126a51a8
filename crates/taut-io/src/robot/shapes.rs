//! Shapes of links: how they look, and with what they touch.

use super::pose::Pose;
use super::writer::axes_of;
use taut::Orientation;
use taut::shapes::Shape;

/// The group of the imported surfaces, for contact rules.
pub(crate) const COLLISION_GROUP: &str = "collision";

/// What a shape is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShapePurpose {
    /// It is drawn.
    Visual,
    /// It touches other shapes.
    Collision,
}

/// A shape of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkShape {
    /// The link of the file that it belongs to, also after that has become part of another.
    pub link: String,
    /// What it is for.
    pub purpose: ShapePurpose,
    /// The shape.
    pub shape: Shape,
    /// Its pose in the link, or in the body that the link has become part of.
    pub pose: Pose,
    /// `#rrggbb`.
    pub colour: Option<String>,
}

impl LinkShape {
    /// The same in the frame in which its link has the pose `pose`.
    pub(super) fn in_frame(mut self, pose: &Pose) -> LinkShape {
        self.pose = pose.compose(&self.pose);
        self
    }

    /// Its axes in the form of the model file.
    pub(crate) fn orientation(&self) -> Orientation {
        axes_of(&self.pose.R)
    }
}
