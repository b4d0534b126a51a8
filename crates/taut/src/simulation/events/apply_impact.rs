//! Applies the velocity jump of an impact and its energy balance.
//!
//! ```text
//!  T⁺ − T⁻ = ½ p·(u⁺ + u⁻) − p·φ_t − Λ·φ_t        p of gaps and friction, Λ of bilateral rows
//! ```
//!
//! The first term is the loss by the impact laws, recorded for each constraint. The others are the work of driven surfaces and
//! drivers. Both follow from the impulses, not from a difference of energies, so an error would show in `energy.balance`.

use super::delassus::DelassusOperator;
use super::impact::{ConstraintImpact, ImpactImpulses};
use super::transition_report::TransitionReport;
use super::{EventKind, EventRecord};
use crate::laws::ConstraintLaw;
use crate::model::Model;

/// Relative residual of the impact laws above round-off.
const MAX_IMPACT_RESIDUAL: f64 = 1e-9;

/// Applies the velocity jump and records its energy. Returns the gaps that rebound.
pub(super) fn apply_impact(
    delassus: &DelassusOperator,
    model: &Model,
    impulses: &ImpactImpulses,
    t: f64,
    v: &mut [f64],
    report: &mut TransitionReport,
) -> Vec<usize> {
    delassus.add_velocity_change(&impulses.p, v);
    report.restitution_factor = report.restitution_factor.or(impulses.restitution_factor);
    if impulses.residual > MAX_IMPACT_RESIDUAL {
        report.unsolved_residual = Some(report.unsolved_residual.unwrap_or(0.0).max(impulses.residual));
    }
    report.losses.extend(impulses.impacts.iter().map(|h| (h.c, h.lost)));
    report.work += delassus.driver_work(model, &impulses.p);
    report.events.extend(impulses.impacts.iter().map(|h| event_record(model, h, t)));
    let rebounds = |h: &&ConstraintImpact| {
        let elastic =
            matches!(model.constraints[h.c].law, ConstraintLaw::Unilateral(impact) if impact.restitution > 0.0);
        elastic && h.rests_after.is_none()
    };
    impulses.impacts.iter().filter(rebounds).map(|h| h.c).collect()
}

fn event_record(model: &Model, hit: &ConstraintImpact, t: f64) -> EventRecord {
    let name = &model.constraints[hit.c].name;
    let (t, what) = match hit.rests_after {
        Some(rest) => (t + rest, EventKind::Rests),
        None => (t, EventKind::Impact),
    };
    EventRecord { impulse: hit.impulse, lost: hit.lost, ..EventRecord::new(name, hit.c, t, what) }
}

#[cfg(test)]
mod tests;
