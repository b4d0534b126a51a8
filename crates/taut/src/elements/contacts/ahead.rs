//! What an open contact sees ahead.

use crate::laws::QUIET;
use crate::motion::{Motion, Vec3};
use crate::shapes::Touch;

/// What an open point of contact sees: the gap of what is left to it, and how fast that opens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ahead {
    pub gap: f64,
    pub rate: f64,
    /// From one to the other; zero where it is not known.
    pub normal: Vec3,
}

impl Ahead {
    /// Where nothing is near.
    pub const NOTHING: Ahead = Ahead { gap: QUIET, rate: 1.0, normal: Vec3::new(0.0, 0.0, 0.0) };

    /// What two bodies in motion show where they touch or come nearest.
    pub fn of(touch: &Touch, a: &Motion, b: &Motion) -> Ahead {
        let p = (touch.point_a + touch.point_b) * 0.5;
        let carried = |m: &Motion| m.v + m.w.cross(&(p - m.p));
        Ahead { gap: touch.gap, rate: touch.normal.dot(&(carried(b) - carried(a))), normal: touch.normal }
    }
}
