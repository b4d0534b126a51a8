//! Applies the velocity jump of an impact and its energy balance.
//!
//! ```text
//!  T⁺ − T⁻ = ½ p·(u⁺ + u⁻) − p·φ_t − Λ·φ_t        p of gaps and friction, Λ of bilateral rows
//! ```
//!
//! The first term is the loss by the impact laws, recorded for each constraint. The others are the work of driven surfaces and
//! drivers. Both follow from the impulses, not from a difference of energies, so an error would show in `energy.balance`.

use super::answers::Answers;
use super::impact::{Hit, Impulses};
use super::report::Report;
use super::{Happening, Occurrence};
use crate::laws::Law;
use crate::model::Model;

/// Relative residual of the impact laws above round-off.
const STALLED: f64 = 1e-9;

/// Applies the velocity jump and records its energy. Returns the gaps that rebound.
pub(super) fn strike(
    answers: &Answers,
    model: &Model,
    impulses: &Impulses,
    t: f64,
    v: &mut [f64],
    report: &mut Report,
) -> Vec<usize> {
    answers.add_motion(&impulses.p, v);
    report.tamed = report.tamed.or(impulses.tamed);
    if impulses.residual > STALLED {
        report.stalled = Some(report.stalled.unwrap_or(0.0).max(impulses.residual));
    }
    report.losses.extend(impulses.hits.iter().map(|h| (h.c, h.lost)));
    report.work += answers.driven(model, &impulses.p);
    report.occurrences.extend(impulses.hits.iter().map(|h| occurrence(model, h, t)));
    let rebounds = |h: &&Hit| {
        let elastic = matches!(model.constraints[h.c].law, Law::Unilateral(impact) if impact.restitution > 0.0);
        elastic && h.rests_after.is_none()
    };
    impulses.hits.iter().filter(rebounds).map(|h| h.c).collect()
}

fn occurrence(model: &Model, hit: &Hit, t: f64) -> Occurrence {
    let name = &model.constraints[hit.c].name;
    let (t, what) = match hit.rests_after {
        Some(rest) => (t + rest, Happening::Rests),
        None => (t, Happening::Impact),
    };
    Occurrence { impulse: hit.impulse, lost: hit.lost, ..Occurrence::new(name, hit.c, t, what) }
}

#[cfg(test)]
mod tests;
