//! Markers: the hinge between bodies and everything else.

use crate::motion::{Mat3, Orientation, Vec3};
use serde::{Deserialize, Serialize};

/// Where the numbers of a [`Frame`] are counted from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seen {
    /// From the body's own reference frame.
    #[default]
    #[serde(rename = "body")]
    FromBody,
    /// From the world, in the pose the body is given in the model.
    #[serde(rename = "world")]
    FromWorld,
}

/// A frame on a body, as the model says it.
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
    /// A frame in the point `at` of the body, axes along the body's.
    pub fn at(at: [f64; 3]) -> Frame {
        Frame { at, ..Frame::default() }
    }

    /// A frame on the body where the world point `at` meets it in the given pose, axes along the world's.
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

/// How the axes of a marker stand in its body; most stand aligned, and cost no product of matrices.
#[derive(Clone, Debug, PartialEq)]
pub enum Axes {
    /// R_BM = I.
    Aligned,
    /// R_BM; apart, since markers are many and most stand aligned.
    Turned(Box<Mat3>),
    /// On a member of a reduced set: which one, and R_BM from there.
    OfMember(Box<(usize, Mat3)>),
}

impl Axes {
    /// From R_BM.
    pub fn of(R_BM: Mat3) -> Axes {
        if R_BM == Mat3::identity() { Axes::Aligned } else { Axes::Turned(Box::new(R_BM)) }
    }

    /// The same on a body, or on a member of a reduced set.
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

/// What a marker is on its body.
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
    /// What it is there.
    pub place: Place,
}
