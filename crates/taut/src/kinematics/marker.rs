//! Markers: frames and coordinates through which bodies are connected with all other elements.

use crate::motion::{Mat3, Orientation, Vec3};
use serde::{Deserialize, Serialize};

/// The frame in which the numbers of a [`Frame`] are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seen {
    /// The reference frame of the body.
    #[default]
    #[serde(rename = "body")]
    FromBody,
    /// The world frame, with the body in the pose given in the model.
    #[serde(rename = "world")]
    FromWorld,
}

/// A frame on a body, as given in the model.
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
    pub seen: Seen,
}

impl Frame {
    /// A frame at the body-fixed point `at`, with the axes of the body.
    pub fn at(at: [f64; 3]) -> Frame {
        Frame { at, ..Frame::default() }
    }

    /// A frame at the world point `at` (in the pose given in the model), with the axes of the world.
    pub fn world(at: [f64; 3]) -> Frame {
        Frame { at, seen: Seen::FromWorld, ..Frame::default() }
    }

    /// The same origin with other axes.
    pub fn turned(mut self, orientation: Orientation) -> Frame {
        self.orientation = orientation;
        self
    }

    /// The same origin with the third axis along `z`: the axis of a hinge, of a slide.
    pub fn axis(self, z: [f64; 3]) -> Frame {
        self.turned(Orientation::z(z))
    }
}

/// Orientation of a marker in its body. Most markers are aligned with the body and need no matrix product.
#[derive(Clone, Debug, PartialEq)]
pub enum Axes {
    /// R_BM = I.
    Aligned,
    /// R_BM; boxed, because there are many markers and most are aligned.
    Turned(Box<Mat3>),
    /// On a member of a reduced set: the index of the member, and R_BM relative to it.
    OfMember(Box<(usize, Mat3)>),
}

impl Axes {
    /// From R_BM.
    pub fn of(R_BM: Mat3) -> Axes {
        if R_BM == Mat3::identity() { Axes::Aligned } else { Axes::Turned(Box::new(R_BM)) }
    }

    /// From R_BM, on a body or on a member of a reduced set.
    pub(crate) fn on(member: Option<usize>, R_BM: Mat3) -> Axes {
        match member {
            Some(member) => Axes::OfMember(Box::new((member, R_BM))),
            None => Axes::of(R_BM),
        }
    }

    /// R_WM from R_WB.
    #[inline(always)]
    pub fn carry(&self, R_WB: &Mat3) -> Mat3 {
        match self {
            Axes::Aligned => *R_WB,
            Axes::Turned(R_BM) => R_WB * **R_BM,
            Axes::OfMember(at) => R_WB * at.1,
        }
    }
}

/// Where a marker is on its body.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// A frame fixed to the body: p_BM in body axes, and the axes.
    Frame(Vec3, Axes),
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
    pub place: Place,
}
