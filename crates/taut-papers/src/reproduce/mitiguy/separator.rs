//! Separators: a mass that leaves a sphere, and two masses that meet without rebound. [MitiguyBanerjee2000]

use super::friction::push_rows;
use crate::reproduce::ExampleResults;
use crate::reproduce::case::{PaperModel, events_of_kind, every_step, just_after};
use crate::reproduce::error::ReproductionError;
use taut::EventKind;

/// Where the force falls to zero, and where the velocities become one.
pub fn compute(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let case = PaperModel::open("mitiguy_separator_sphere", &[])?;
    let motion = case.run_with(&every_step(&case))?;
    let leave = events_of_kind(&motion, "sphere", EventKind::Opens)?[0].t;
    let then = |column: &str| just_after(&motion, column, leave);
    let list = [
        ("sphere/theta_leave", "leaves at the angle", "rad", then("mass.x")?.atan2(then("mass.y")?)),
        ("sphere/t_leave", "leaves at", "s", leave),
        ("sphere/speed_leave", "leaves with", "m/s", then("mass.vx")?.hypot(then("mass.vy")?)),
    ];
    push_rows(found, "mitiguy-banerjee-2000/separator", "leaving a sphere", &list)?;
    let motion = PaperModel::open("mitiguy_separator_masses", &[])?.run()?;
    let contact = events_of_kind(&motion, "strut", EventKind::Impact)?[0];
    let list = [
        ("two_masses/t_contact", "contact at", "s", contact.t),
        ("two_masses/v_after_both", "common velocity after it", "m/s", motion.last("left.vx")?),
        ("two_masses/impulse", "impulse", "N s", contact.impulse),
    ];
    push_rows(found, "mitiguy-banerjee-2000/separator", "separator, plastic", &list)
}
