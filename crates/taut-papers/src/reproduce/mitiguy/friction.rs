//! Dry friction: a block on an incline, on a plane that is tilted, and on a spring. [MitiguyBanerjee2000]

use crate::reproduce::Findings;
use crate::reproduce::case::{Case, happened, just_after, steps};
use crate::reproduce::known::Known;
use crate::reproduce::row::Row;
use crate::reproduce::trouble::Trouble;
use taut::Happening;
use taut::analyses::When;

/// Tolerance of times and states of events.
pub const NEAR: f64 = 1e-9;

/// Our value: path of the reference value, description, unit, value.
pub type Found = (&'static str, &'static str, &'static str, f64);

/// Rows of one example.
pub fn rows(found: &mut Findings, entry: &'static str, about: &str, list: &[Found]) -> Result<(), Trouble> {
    let known = Known::of(entry)?;
    for (path, words, unit, ours) in list {
        found.push(Row::new(about, *words, unit).against(*ours, known.absolute(path, NEAR)?));
    }
    Ok(())
}

/// Sticking for ever, sliding back, and slipping under a slow tilt; stick-slip with its period.
pub fn compute(found: &mut Findings) -> Result<(), Trouble> {
    incline(found)?;
    let case = Case::open("mitiguy_stick_slip", &[])?;
    let motion = case.run_with(&steps(&case))?;
    let slips = happened(&motion, "floor", Happening::Slips)?;
    let stick = happened(&motion, "floor", Happening::Sticks)?.into_iter().find(|e| e.t > slips[0].t);
    let stick = stick.ok_or_else(|| Trouble::new("the block never sticks again"))?.t;
    let second = slips.iter().find(|e| e.t > stick).ok_or_else(|| Trouble::new("the block slips once only"))?;
    let list = [
        ("t_slip", "first slip", "s", slips[0].t),
        ("t_stick", "sticks again at", "s", stick),
        ("x_stick", "sticks again after", "m", just_after(&motion, "block.x", stick)?),
        ("period", "period", "s", second.t - slips[0].t),
    ];
    rows(found, "mitiguy-banerjee-2000/stick_slip", "stick-slip", &list)
}

fn incline(found: &mut Findings) -> Result<(), Trouble> {
    let stuck = Case::open("mitiguy_incline", &[])?;
    let motion = stuck.run_with(&steps(&stuck))?;
    let stop = happened(&motion, "floor", Happening::Sticks)?[0].t;
    let back = Case::open("mitiguy_incline", &[("alpha", "35 deg")])?;
    let home = When::new("back", |seen| seen.marker("block").map_or(f64::NAN, |m| m.p.y)).falling().stop();
    let sliding = back.watch(&steps(&back), vec![Box::new(home)])?;
    let top = happened(&sliding, "floor", Happening::Slips)?;
    let top = top.iter().map(|e| e.t).find(|t| *t > 0.0).ok_or_else(|| Trouble::new("the block does not turn back"))?;
    let tilt = Case::open("mitiguy_tilting_plane", &[])?;
    let tilting = tilt.run_with(&steps(&tilt))?;
    let slip = happened(&tilting, "floor", Happening::Slips)?[0].t;
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
    rows(found, "mitiguy-banerjee-2000/incline", "incline", &list)
}
