//! Frames and their motions: the kinematic input of the elements.

pub mod marker;
pub mod measures;
pub mod motion;
mod user_pose;
mod view;

pub use user_pose::{Place as UserPlace, Twist as UserTwist};
pub use view::{Needs, Reference, View};
