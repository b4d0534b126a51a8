//! Separators: a mass that leaves a sphere, and two masses that meet without rebound. [MitiguyBanerjee2000]

use super::friction::rows;
use crate::reproduce::Findings;
use crate::reproduce::case::{Case, happened, just_after, steps};
use crate::reproduce::trouble::Trouble;
use taut::Happening;

/// Where the force falls to zero, and where the velocities become one.
pub fn compute(found: &mut Findings) -> Result<(), Trouble> {
    let case = Case::open("mitiguy_separator_sphere", &[])?;
    let motion = case.run_with(&steps(&case))?;
    let leave = happened(&motion, "sphere", Happening::Opens)?[0].t;
    let then = |column: &str| just_after(&motion, column, leave);
    let list = [
        ("sphere/theta_leave", "leaves at the angle", "rad", then("mass.x")?.atan2(then("mass.y")?)),
        ("sphere/t_leave", "leaves at", "s", leave),
        ("sphere/speed_leave", "leaves with", "m/s", then("mass.vx")?.hypot(then("mass.vy")?)),
    ];
    rows(found, "mitiguy-banerjee-2000/separator", "leaving a sphere", &list)?;
    let motion = Case::open("mitiguy_separator_masses", &[])?.run()?;
    let contact = happened(&motion, "strut", Happening::Impact)?[0];
    let list = [
        ("two_masses/t_contact", "contact at", "s", contact.t),
        ("two_masses/v_after_both", "common velocity after it", "m/s", motion.last("left.vx")?),
        ("two_masses/impulse", "impulse", "N s", contact.impulse),
    ];
    rows(found, "mitiguy-banerjee-2000/separator", "separator, plastic", &list)
}
