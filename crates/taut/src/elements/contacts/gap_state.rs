//! Gap and gap rate of an open contact.

use crate::laws::NEVER_ZERO;
use crate::motion::{Motion, Vec3};
use crate::shapes::ContactGeometry;

/// The gap of an open contact point, its rate (positive: opening), and the normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GapState {
    pub gap: f64,
    pub rate: f64,
    /// From A to B; zero if not known.
    pub normal: Vec3,
}

impl GapState {
    /// Nothing is near.
    pub const NONE_NEAR: GapState = GapState { gap: NEVER_ZERO, rate: 1.0, normal: Vec3::new(0.0, 0.0, 0.0) };

    /// Gap and gap rate of two moving bodies at their touching or nearest points.
    pub fn at_touch(touch: &ContactGeometry, a: &Motion, b: &Motion) -> GapState {
        let p = (touch.point_a + touch.point_b) * 0.5;
        let carried = |m: &Motion| m.v + m.w.cross(&(p - m.p));
        GapState { gap: touch.gap, rate: touch.normal.dot(&(carried(b) - carried(a))), normal: touch.normal }
    }
}
