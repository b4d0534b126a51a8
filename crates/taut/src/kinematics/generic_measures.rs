//! Measures over any scalar, for formulas that are differentiated.

use super::marker_pose::{MarkerPose, MarkerTwist};
use super::measures::Measure;
use crate::scalar::{Scalar, cross, dot, norm, sub};

impl Measure {
    /// s of the poses of its markers; an angle within one turn. A coordinate uses the first marker only.
    pub(crate) fn generic_value<S: Scalar>(&self, a: &MarkerPose<S>, b: &MarkerPose<S>) -> S {
        match self {
            Measure::Coordinate(_) => a.p[0],
            Measure::Distance { .. } => norm(sub(b.p, a.p)),
            Measure::Slide { axis, .. } => dot(a.axis(axis.index()), sub(b.p, a.p)),
            Measure::Angle { .. } => dot(b.axis(0), a.axis(1)).atan2(dot(b.axis(0), a.axis(0))),
            Measure::Elevation { .. } => {
                let (x, z) = (b.axis(0), a.axis(2));
                dot(x, z).atan2(norm(cross(x, z)))
            }
        }
    }

    /// ṡ of the poses and twists of its markers.
    pub(crate) fn generic_rate<S: Scalar>(&self, [a, b]: [&MarkerPose<S>; 2], [va, vb]: [&MarkerTwist<S>; 2]) -> S {
        match self {
            Measure::Coordinate(_) => va.v[0],
            Measure::Distance { .. } => {
                let d = sub(b.p, a.p);
                dot(d, sub(vb.v, va.v)) / norm(d)
            }
            Measure::Slide { axis, .. } => {
                let e = a.axis(axis.index());
                dot(e, sub(vb.v, va.v)) + dot(cross(va.w, e), sub(b.p, a.p))
            }
            Measure::Angle { .. } => {
                let (x, w) = (b.axis(0), sub(vb.w, va.w));
                let (s, c) = (dot(x, a.axis(1)), dot(x, a.axis(0)));
                let (ds, dc) = (dot(w, cross(x, a.axis(1))), dot(w, cross(x, a.axis(0))));
                (ds * c - dc * s) / (s * s + c * c)
            }
            Measure::Elevation { .. } => {
                let n = cross(b.axis(0), a.axis(2));
                dot(sub(vb.w, va.w), n) / norm(n)
            }
        }
    }
}
