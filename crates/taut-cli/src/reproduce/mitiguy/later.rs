//! What the manuscript names and the engine cannot do yet: rows with their right values, waiting. [MitiguyBanerjee2000]

use crate::reproduce::Findings;
use crate::reproduce::known::Known;
use crate::reproduce::row::Row;
use crate::reproduce::trouble::Trouble;

const WHY: &str = "contact and friction";

/// Entry of the right values, what it is about, and its numbers: path, words, unit.
type Case = (&'static str, &'static str, &'static [(&'static str, &'static str, &'static str)]);

const CASES: [Case; 8] = [
    (
        "mitiguy-banerjee-2000/incline",
        "incline",
        &[
            ("stick/t_stop", "25 deg: stops at", "s"),
            ("stick/x_stop", "25 deg: stops after", "m"),
            ("stick/friction_while_stuck_N", "25 deg: friction that holds it", "N"),
            ("slide_back/t_top", "35 deg: turns back at", "s"),
            ("slide_back/x_top", "35 deg: turns back after", "m"),
            ("slide_back/t_back_at_start", "35 deg: is back at", "s"),
            ("slide_back/v_back", "35 deg: comes back with", "m/s"),
            ("slow_tilt/t_slip_s", "slow tilt: slips at", "s"),
            ("slow_tilt/acc_just_after_slip", "slow tilt: acceleration after slipping", "m/s²"),
        ],
    ),
    (
        "mitiguy-banerjee-2000/stick_slip",
        "stick-slip",
        &[
            ("t_slip", "first slip", "s"),
            ("t_stick", "sticks again at", "s"),
            ("x_stick", "sticks again after", "m"),
            ("period", "period", "s"),
        ],
    ),
    (
        "mitiguy-banerjee-2000/bouncing_ball",
        "bouncing ball",
        &[
            ("impact_times/0", "first impact", "s"),
            ("impact_times/1", "second impact", "s"),
            ("impact_times/2", "third impact", "s"),
            ("zeno_time", "comes to rest at", "s"),
            ("path", "whole path", "m"),
        ],
    ),
    (
        "mitiguy-banerjee-2000/collisions",
        "collision",
        &[
            ("head_on/v1", "head-on: first after it", "m/s"),
            ("head_on/v2", "head-on: second after it", "m/s"),
            ("head_on/energy_loss", "head-on: energy lost", "J"),
            ("on_rod/J", "on a free rod: impulse", "N s"),
            ("on_rod/v_particle", "on a free rod: particle after it", "m/s"),
            ("on_rod/V_rod", "on a free rod: centre after it", "m/s"),
            ("on_rod/omega_rod", "on a free rod: rate after it", "rad/s"),
            ("on_rod/energy_loss", "on a free rod: energy lost", "J"),
        ],
    ),
    (
        "mitiguy-banerjee-2000/rope_goes_taut",
        "rope goes taut",
        &[
            ("t_taut", "taut at", "s"),
            ("impulse_per_mass", "impulse per mass", "m/s"),
            ("velocity_after/0", "x velocity after it", "m/s"),
            ("velocity_after/1", "y velocity after it", "m/s"),
            ("omega0", "rate of the swing after it", "rad/s"),
            ("tension_per_mass_after", "tension per mass after it", "m/s²"),
            ("max_swing_angle", "largest angle", "rad"),
        ],
    ),
    (
        "mitiguy-banerjee-2000/rope_slack",
        "rope goes slack",
        &[
            ("t_slack", "slack at", "s"),
            ("theta_slack", "slack at the angle", "rad"),
            ("flight_time", "flight until taut again", "s"),
        ],
    ),
    (
        "mitiguy-banerjee-2000/separator",
        "leaving a sphere",
        &[
            ("sphere/theta_leave", "leaves at the angle", "rad"),
            ("sphere/t_leave", "leaves at", "s"),
            ("sphere/speed_leave", "leaves with", "m/s"),
        ],
    ),
    (
        "mitiguy-banerjee-2000/separator",
        "separator, plastic",
        &[
            ("two_masses/t_contact", "contact at", "s"),
            ("two_masses/v_after_both", "common velocity after it", "m/s"),
            ("two_masses/impulse", "impulse", "N s"),
        ],
    ),
];

/// One row per number; the tolerance is what a converged event must meet.
pub fn compute(found: &mut Findings) -> Result<(), Trouble> {
    for (entry, about, numbers) in CASES {
        let known = Known::of(entry)?;
        for (path, words, unit) in numbers {
            let row = Row::new(about, *words, unit).pending(WHY);
            found.push(Row { reference: Some(known.absolute(path, 1e-8)?), ..row });
        }
    }
    Ok(())
}
