//! The jump of the velocities, and its books.
//!
//! ```text
//!  T⁺ − T⁻ = ½ p·(u⁺ + u⁻) − p·φ_t − Λ·φ_t        p of the gaps and grips, Λ of what holds
//! ```
//!
//! The first is what the laws of impact take, booked at each constraint; the others are the work of surfaces and drives
//! that move by themselves. Both are found from the impulses, not as what is left of the energies: an error would show
//! in `energy.balance`.

use super::answers::Answers;
use super::impact::{Hit, Impulses};
use super::report::Report;
use super::{Happening, Occurrence};
use crate::laws::Law;
use crate::model::Model;

/// Residual of the laws of an impact, relative, that is no round-off.
const STALLED: f64 = 1e-9;

/// Lets the velocities jump and books it; the gaps that rebound.
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
