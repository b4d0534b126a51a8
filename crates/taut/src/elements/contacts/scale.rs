//! Tolerances of rigid contacts, relative to the size of the model.
//!
//! A tolerance in metres is too coarse for a watch and too fine for a ship. Each tolerance is therefore a multiple of one
//! length L, a power of ten near the size of the bodies that touch. Speeds are multiples of L per second. For bodies of about
//! 3 mm to 300 m L is exactly 1 m: there the multiples below are metres and metres per second.

/// Powers of ten that count as ordinary size.
const ORDINARY_EXPONENT: i32 = 2;

/// A gap cannot be more accurate than the positions it is computed from. So far from the origin, relative to L, round-off
/// of positions stays below [`ContactScale::lift_height`].
const LARGEST_DISTANCE: f64 = 100.0;

/// The length L, m, that scales the tolerances of all rigid contacts of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ContactScale(f64);

impl Default for ContactScale {
    fn default() -> ContactScale {
        ContactScale(1.0)
    }
}

impl ContactScale {
    /// From the size of the largest body and the largest distance of a body from the origin, m; 0 if unknown.
    pub fn new(size: f64, distance: f64) -> ContactScale {
        let length = size.max(distance / LARGEST_DISTANCE);
        if size <= 0.0 || !length.is_finite() {
            return ContactScale::default();
        }
        let exponent = length.log10().round() as i32;
        if exponent.abs() <= ORDINARY_EXPONENT { ContactScale::default() } else { ContactScale(10_f64.powi(exponent)) }
    }

    /// L, m; also the speed L per second, the least speed to which tolerances of rates are relative.
    pub fn length(self) -> f64 {
        self.0
    }

    /// Gaps below this count as closed when the laws decide: above the error of a located event, far below any clearance.
    pub fn closed_gap(self) -> f64 {
        1e-10 * self.0
    }

    /// Features nearer than this belong to one contact: above the error of the integrated positions.
    pub fn touching_gap(self) -> f64 {
        1e-6 * self.0
    }

    /// Distance of the current features from the actually touching ones at which the features are selected again.
    pub fn feature_mismatch(self) -> f64 {
        1e-9 * self.0
    }

    /// How far a body may move beyond its current features: so little that the approach speed to the next feature is too
    /// small for a rebound.
    pub fn feature_overrun(self) -> f64 {
        1e-7 * self.0
    }

    /// How deep a body with edges may penetrate the next feature: above the round-off of gaps.
    pub fn feature_penetration(self) -> f64 {
        1e-11 * self.0
    }

    /// Smallest gap right after a decision: above the round-off of gaps, below [`closed_gap`](Self::closed_gap).
    pub fn least_gap(self) -> f64 {
        1e-11 * self.0
    }

    /// Offset of an opening gap above its round-off; a fall from this height does not rebound.
    pub fn lift_height(self) -> f64 {
        3e-14 * self.0
    }

    /// Rebounds lower than this are below the round-off of positions and end in contact.
    pub fn least_rebound(self) -> f64 {
        1e-13 * self.0
    }

    /// Overlap of an open gap that shows a missed contact: far above the error of a located event.
    pub fn missed_overlap(self) -> f64 {
        1e-6 * self.0
    }

    /// Overlap at the start that is more than the round-off of data written with seven digits.
    pub fn initial_overlap(self) -> f64 {
        1e-7 * self.0
    }

    /// Penetration that time stepping leaves at constraints with a gap, so that they stay in contact.
    pub fn permitted_penetration(self) -> f64 {
        1e-10 * self.0
    }

    /// Gaps that close slower than this, per second, do not rebound: otherwise many colliding bodies would never come to rest.
    pub fn capture_speed(self) -> f64 {
        1e-5 * self.0
    }

    /// Slips slower than this, per second, creep: friction rotates their direction faster than they decay.
    pub fn creep_speed(self) -> f64 {
        1e-4 * self.0
    }

    /// Rate, per second, above which a gap leaves zero at once; a slower one may reverse first.
    pub fn fast_opening(self) -> f64 {
        3e-7 * self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_of_ordinary_size_have_the_scale_of_one_metre() {
        for size in [0.004, 0.05, 1.0, 20.0, 300.0] {
            assert_eq!(ContactScale::new(size, 0.0), ContactScale::default());
        }
        assert_eq!(ContactScale::default().closed_gap(), 1e-10);
        assert_eq!(ContactScale::default().capture_speed(), 1e-5);
    }

    #[test]
    fn others_have_a_power_of_ten() {
        assert_eq!(ContactScale::new(0.002, 0.0).length(), 1e-3);
        assert_eq!(ContactScale::new(0.5e-6, 0.0).length(), 1e-6);
        assert_eq!(ContactScale::new(2000.0, 0.0).length(), 1e3);
    }

    #[test]
    fn a_small_body_far_away_is_as_inaccurate_as_a_large_one() {
        assert_eq!(ContactScale::new(1e-6, 0.0).length(), 1e-6);
        assert_eq!(ContactScale::new(1e-6, 0.1).length(), 1e-3);
        assert_eq!(ContactScale::new(1e-6, 10.0).length(), 1.0);
        assert_eq!(ContactScale::new(0.0, 1e9), ContactScale::default());
        assert_eq!(ContactScale::new(f64::INFINITY, 0.0), ContactScale::default());
    }
}
