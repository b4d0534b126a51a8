//! Frames and their motions: the kinematic input of the elements.

mod generic_measures;
pub mod marker;
mod marker_pose;
pub mod measures;
pub mod motion;
mod view;

pub use marker_pose::{MarkerPose as UserPlace, MarkerTwist as UserTwist};
pub use view::{ElementInput, MarkerKind, MarkerReference};
