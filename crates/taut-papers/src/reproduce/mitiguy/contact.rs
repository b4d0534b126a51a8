//! Collisions: a ball that bounces until it rests, two spheres, a particle on a rod. [MitiguyBanerjee2000]

use super::friction::push_rows;
use crate::reproduce::ExampleResults;
use crate::reproduce::case::{PaperModel, events_of_kind};
use crate::reproduce::error::ReproductionError;
use taut::EventKind;

/// Impacts, rest, and what is kept and lost.
pub fn compute(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let ball = PaperModel::open("mitiguy_bouncing_ball", &[])?.run()?;
    let impacts = events_of_kind(&ball, "floor", EventKind::Impact)?;
    // Without a rest the row is missed, not the others with it.
    let rest = events_of_kind(&ball, "floor", EventKind::Rests).map_or(f64::NAN, |rests| rests[0].t);
    let time = |i: usize| impacts.get(i).map_or(f64::NAN, |e| e.t);
    // An impulse is m (1 + e) times the speed before it; the ball then rises by the square of e times that over 2 g.
    let (m, e, h, g) = (1.0, 0.8, 1.0, 9.81);
    let rises = impacts.iter().map(|i| (e * i.impulse / (m * (1.0 + e))).powi(2) / (2.0 * g));
    let list = [
        ("impact_times/0", "first impact", "s", time(0)),
        ("impact_times/1", "second impact", "s", time(1)),
        ("impact_times/2", "third impact", "s", time(2)),
        ("zeno_time", "comes to rest at", "s", rest),
        ("path", "whole path", "m", h + 2.0 * rises.sum::<f64>()),
    ];
    push_rows(found, "mitiguy-banerjee-2000/bouncing_ball", "bouncing ball", &list)?;

    let spheres = PaperModel::open("mitiguy_head_on", &[])?.run()?;
    let rod = PaperModel::open("mitiguy_particle_on_rod", &[])?.run()?;
    let [meeting, blow] =
        [(&spheres, "meeting"), (&rod, "blow")].map(|(s, name)| events_of_kind(s, name, EventKind::Impact));
    let (meeting, blow) = (meeting?, blow?);
    let list = [
        ("head_on/v1", "head-on: first after it", "m/s", spheres.last("left.vx")?),
        ("head_on/v2", "head-on: second after it", "m/s", spheres.last("right.vx")?),
        ("head_on/energy_loss", "head-on: energy lost", "J", meeting[0].lost),
        ("on_rod/J", "on a free rod: impulse", "N s", blow[0].impulse),
        ("on_rod/v_particle", "on a free rod: particle after it", "m/s", rod.last("particle.vx")?),
        ("on_rod/V_rod", "on a free rod: centre after it", "m/s", rod.last("rod.vx")?),
        ("on_rod/omega_rod", "on a free rod: rate after it", "rad/s", rod.last("rod.omega")?),
        ("on_rod/energy_loss", "on a free rod: energy lost", "J", blow[0].lost),
    ];
    push_rows(found, "mitiguy-banerjee-2000/collisions", "collision", &list)
}
