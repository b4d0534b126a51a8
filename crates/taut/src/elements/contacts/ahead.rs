//! Gap and gap rate of an open contact.

use crate::laws::QUIET;
use crate::motion::{Motion, Vec3};
use crate::shapes::Touch;

/// The gap of an open contact point, its rate (positive: opening), and the normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ahead {
    pub gap: f64,
    pub rate: f64,
    /// From A to B; zero if not known.
    pub normal: Vec3,
}

impl Ahead {
    /// Nothing is near.
    pub const NOTHING: Ahead = Ahead { gap: QUIET, rate: 1.0, normal: Vec3::new(0.0, 0.0, 0.0) };

    /// Gap and gap rate of two moving bodies at their touching or nearest points.
    pub fn of(touch: &Touch, a: &Motion, b: &Motion) -> Ahead {
        let p = (touch.point_a + touch.point_b) * 0.5;
        let carried = |m: &Motion| m.v + m.w.cross(&(p - m.p));
        Ahead { gap: touch.gap, rate: touch.normal.dot(&(carried(b) - carried(a))), normal: touch.normal }
    }
}
