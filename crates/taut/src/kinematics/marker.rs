//! Markers: frames and coordinates through which bodies are connected with all other elements.

use crate::motion::{Mat3, Orientation, Vec3};
use serde::{Deserialize, Serialize};

/// The frame in which the numbers of a [`Frame`] are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FrameReference {
    /// The reference frame of the body.
    #[default]
    #[serde(rename = "body")]
    Body,
    /// The world frame, with the body in the pose given in the model.
    #[serde(rename = "world")]
    World,
}

/// A frame on a body, as given in the model.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// let mut spec = Spec::new();
/// spec.body("rod", PlanarBody::rod(1.0, 2.0).at([1.0, 0.0], 0.0))
///     .marker("rod.end", Frame::at([1.0, 0.0, 0.0])) // in the axes of the rod
///     .marker("rod.start", Frame::world([0.0, 0.0, 0.0])) // where it is in the start pose
///     .marker("ground.slope", Frame::at([0.0; 3]).axis([0.6, 0.0, 0.8])); // z along this direction
/// assert_eq!(spec.build()?.markers.iter().filter(|m| m.name.starts_with("rod.")).count(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frame {
    /// Origin, m.
    #[serde(default)]
    pub at: [f64; 3],
    /// Axes.
    #[serde(default)]
    pub orientation: Orientation,
    /// Which frame `at` and `orientation` refer to.
    #[serde(rename = "relative_to", default)]
    pub relative_to: FrameReference,
}

impl Frame {
    /// A frame at the body-fixed point `at`, with the axes of the body.
    pub fn at(at: [f64; 3]) -> Frame {
        Frame { at, ..Frame::default() }
    }

    /// A frame at the world point `at` (in the pose given in the model), with the axes of the world.
    pub fn world(at: [f64; 3]) -> Frame {
        Frame { at, relative_to: FrameReference::World, ..Frame::default() }
    }

    /// The same origin with other axes.
    pub fn with_orientation(mut self, orientation: Orientation) -> Frame {
        self.orientation = orientation;
        self
    }

    /// The same origin with the third axis along `z`: the axis of a hinge, of a slide.
    pub fn axis(self, z: [f64; 3]) -> Frame {
        self.with_orientation(Orientation::z(z))
    }
}

/// Orientation of a marker in its body. Most markers are aligned with the body and need no matrix product.
#[derive(Clone, Debug, PartialEq)]
pub enum MarkerAxes {
    /// R_BM = I.
    Aligned,
    /// R_BM; boxed, because there are many markers and most are aligned.
    Rotated(Box<Mat3>),
    /// On a member of a reduced set: the index of the member, and R_BM relative to it.
    OfMember(Box<(usize, Mat3)>),
}

impl MarkerAxes {
    /// From R_BM.
    pub fn of(R_BM: Mat3) -> MarkerAxes {
        if R_BM == Mat3::identity() { MarkerAxes::Aligned } else { MarkerAxes::Rotated(Box::new(R_BM)) }
    }

    /// From R_BM, on a body or on a member of a reduced set.
    pub(crate) fn on_body_or_member(member: Option<usize>, R_BM: Mat3) -> MarkerAxes {
        match member {
            Some(member) => MarkerAxes::OfMember(Box::new((member, R_BM))),
            None => MarkerAxes::of(R_BM),
        }
    }

    /// R_WM from R_WB.
    #[inline(always)]
    pub fn world_orientation(&self, R_WB: &Mat3) -> Mat3 {
        match self {
            MarkerAxes::Aligned => *R_WB,
            MarkerAxes::Rotated(R_BM) => R_WB * **R_BM,
            MarkerAxes::OfMember(at) => R_WB * at.1,
        }
    }
}

/// Where a marker is on its body.
#[derive(Clone, Debug, PartialEq)]
pub enum MarkerPlacement {
    /// A frame fixed to the body: p_BM in body axes, and the axes.
    Frame(Vec3, MarkerAxes),
    /// One scalar coordinate of the body (its index among v).
    Coordinate(usize),
}

/// A marker of the model.
#[derive(Clone, Debug)]
pub struct Marker {
    /// Its name, `body.marker` or `body.coordinate`.
    pub name: String,
    /// The body it belongs to; `None` is the ground.
    pub body: Option<usize>,
    /// Frame or coordinate of that body.
    pub placement: MarkerPlacement,
}
