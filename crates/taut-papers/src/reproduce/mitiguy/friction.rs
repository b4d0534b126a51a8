//! Dry friction: a block on an incline, on a plane that is tilted, and on a spring. [MitiguyBanerjee2000]

use crate::reproduce::ExampleResults;
use crate::reproduce::case::{PaperModel, events_of_kind, every_step, just_after};
use crate::reproduce::error::ReproductionError;
use crate::reproduce::reference_values::ReferenceValues;
use crate::reproduce::row::ComparisonRow;
use taut::EventKind;
use taut::analyses::EventFunction;

/// Tolerance of times and states of events.
pub const EVENT_TOLERANCE: f64 = 1e-9;

/// Our value: path of the reference value, description, unit, value.
pub type NamedValue = (&'static str, &'static str, &'static str, f64);

/// Rows of one example.
pub fn push_rows(
    found: &mut ExampleResults,
    entry: &'static str,
    about: &str,
    list: &[NamedValue],
) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of(entry)?;
    for (path, words, unit, ours) in list {
        found
            .push(ComparisonRow::new(about, *words, unit).compared_with(*ours, known.absolute(path, EVENT_TOLERANCE)?));
    }
    Ok(())
}

/// Sticking for ever, sliding back, and slipping under a slow tilt; stick-slip with its period.
pub fn compute(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    incline(found)?;
    let case = PaperModel::open("mitiguy_stick_slip", &[])?;
    let motion = case.run_with(&every_step(&case))?;
    let slips = events_of_kind(&motion, "floor", EventKind::Slips)?;
    let stick = events_of_kind(&motion, "floor", EventKind::Sticks)?.into_iter().find(|e| e.t > slips[0].t);
    let stick = stick.ok_or_else(|| ReproductionError::new("the block never sticks again"))?.t;
    let second =
        slips.iter().find(|e| e.t > stick).ok_or_else(|| ReproductionError::new("the block slips once only"))?;
    let list = [
        ("t_slip", "first slip", "s", slips[0].t),
        ("t_stick", "sticks again at", "s", stick),
        ("x_stick", "sticks again after", "m", just_after(&motion, "block.x", stick)?),
        ("period", "period", "s", second.t - slips[0].t),
    ];
    push_rows(found, "mitiguy-banerjee-2000/stick_slip", "stick-slip", &list)
}

fn incline(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let stuck = PaperModel::open("mitiguy_incline", &[])?;
    let motion = stuck.run_with(&every_step(&stuck))?;
    let stop = events_of_kind(&motion, "floor", EventKind::Sticks)?[0].t;
    let back = PaperModel::open("mitiguy_incline", &[("alpha", "35 deg")])?;
    let home = EventFunction::new("back", |seen| seen.marker("block").map_or(f64::NAN, |m| m.p.y)).falling().stop();
    let sliding = back.run_with_events(&every_step(&back), vec![Box::new(home)])?;
    let top = events_of_kind(&sliding, "floor", EventKind::Slips)?;
    let top = top
        .iter()
        .map(|e| e.t)
        .find(|t| *t > 0.0)
        .ok_or_else(|| ReproductionError::new("the block does not turn back"))?;
    let tilt = PaperModel::open("mitiguy_tilting_plane", &[])?;
    let tilting = tilt.run_with(&every_step(&tilt))?;
    let slip = events_of_kind(&tilting, "floor", EventKind::Slips)?[0].t;
    let list = [
        ("stick/t_stop", "25 deg: stops at", "s", stop),
        ("stick/x_stop", "25 deg: stops after", "m", motion.last("way")?),
        ("stick/friction_while_stuck_N", "25 deg: friction that holds it", "N", motion.last("floor.lambda_slip_x")?),
        ("slide_back/t_top", "35 deg: turns back at", "s", top),
        ("slide_back/x_top", "35 deg: turns back after", "m", just_after(&sliding, "way", top)?),
        ("slide_back/t_back_at_start", "35 deg: is back at", "s", sliding.last("t")?),
        ("slide_back/v_back", "35 deg: comes back with", "m/s", sliding.last("way.rate")?),
        ("slow_tilt/t_slip_s", "slow tilt: slips at", "s", slip),
        (
            "slow_tilt/acc_just_after_slip",
            "slow tilt: acceleration after slipping",
            "m/s²",
            -just_after(&tilting, "way.acceleration", slip)?,
        ),
    ];
    push_rows(found, "mitiguy-banerjee-2000/incline", "incline", &list)
}
