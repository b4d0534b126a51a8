//! Ropes: one that goes taut with a jerk, and one that goes slack. [MitiguyBanerjee2000]

use super::friction::push_rows;
use crate::reproduce::ExampleResults;
use crate::reproduce::case::{PaperModel, events_of_kind, every_step, just_after};
use crate::reproduce::error::ReproductionError;
use taut::EventKind;
use taut::analyses::EventFunction;
use taut::motion::Motion;

/// The jerk and the swing after it; the flight between two swings.
pub fn compute(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let case = PaperModel::open("mitiguy_rope_goes_taut", &[("settings.duration", "2")])?;
    // Where the swing turns: no speed across the rope.
    let across = |m: &Motion| m.p.x * m.v.y - m.p.y * m.v.x;
    let turn = EventFunction::new("turn", move |seen| seen.marker("mass").map_or(f64::NAN, across)).rising().stop();
    let motion = case.run_with_events(&every_step(&case), vec![Box::new(turn)])?;
    let jerk = events_of_kind(&motion, "rope", EventKind::Impact)?[0];
    let after = |column: &str| just_after(&motion, column, jerk.t);
    let (x, y, vx, vy) = (after("mass.x")?, after("mass.y")?, after("mass.vx")?, after("mass.vy")?);
    let angle = motion.last("mass.x")?.atan2(-motion.last("mass.y")?);
    let list = [
        ("t_taut", "taut at", "s", jerk.t),
        ("impulse_per_mass", "impulse per mass", "m/s", jerk.impulse),
        ("velocity_after/0", "x velocity after it", "m/s", vx),
        ("velocity_after/1", "y velocity after it", "m/s", vy),
        ("omega0", "rate of the swing after it", "rad/s", (x * vy - y * vx) / (x * x + y * y)),
        ("tension_per_mass_after", "tension per mass after it", "m/s²", after("rope.lambda_slack")?),
        ("max_swing_angle", "largest angle", "rad", angle.abs()),
    ];
    push_rows(found, "mitiguy-banerjee-2000/rope_goes_taut", "rope goes taut", &list)?;

    let case = PaperModel::open("mitiguy_rope_goes_slack", &[("settings.duration", "1.5")])?;
    let motion = case.run_with(&every_step(&case))?;
    let slack = events_of_kind(&motion, "rope", EventKind::Opens)?[0].t;
    let taut = events_of_kind(&motion, "rope", EventKind::Impact)?[0].t;
    let angle = just_after(&motion, "mass.x", slack)?.atan2(-just_after(&motion, "mass.y", slack)?);
    let list = [
        ("t_slack", "slack at", "s", slack),
        ("theta_slack", "slack at the angle", "rad", angle),
        ("flight_time", "flight until taut again", "s", taut - slack),
    ];
    push_rows(found, "mitiguy-banerjee-2000/rope_slack", "rope goes slack", &list)
}
