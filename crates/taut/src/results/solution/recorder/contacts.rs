//! Columns of constraints with a law: mode, gap, slip, impulse and losses.

use super::recorded_state::RecordedState;
use super::sink::{ColumnSink, rate_unit};
use crate::contacts::SearchRange;
use crate::dynamics::Dynamics;
use crate::laws::{ConstraintLaw, NEVER_ZERO};
use crate::results::solution::label::ColumnLabel;
use crate::solvers::contact_features::for_each_open_contact;
use crate::state::ConstraintMode;

/// Mode, gap, slip, impulse and losses of every constraint with a law.
pub(super) fn contact_columns(d: &Dynamics, now: RecordedState, sink: &mut ColumnSink) {
    let model = d.model;
    let mut open: Vec<(usize, f64)> = Vec::new();
    for_each_open_contact(model, now.t, &d.kinematics.motions, &d.modes, now.z, SearchRange::Unlimited, |c, seen| {
        open.push((c, seen.gap))
    });
    for (c, entry) in model.constraints.iter().enumerate().filter(|(_, c)| c.law != ConstraintLaw::Bilateral) {
        let label = |short: &str, what: &str| {
            ColumnLabel::new(format!("{}.{short}", entry.name), format!("{what} of `{}`", entry.name))
        };
        let (mode, first) = (now.stepping_contacts.map_or(d.modes[c], |s| s.modes[c]), entry.rows.start);
        let code = match mode {
            ConstraintMode::Idle => 0.0,
            ConstraintMode::Active => 1.0,
            ConstraintMode::Sliding(_) => 2.0,
            ConstraintMode::Verging(_) => 3.0,
        };
        sink.put("contact", "1", code, || label("mode", "mode (0 open, 1 holding, 2 slipping, 3 about to slip)"));
        let held = d.modes[c].active_rows(&entry.law);
        let bound = now.stepping_contacts.is_some_and(|s| s.bound[c]);
        if let ConstraintLaw::Unilateral(_) = entry.law {
            let gap = match d.modes[c] {
                ConstraintMode::Idle if bound => d.eq.inactive.phi[first],
                ConstraintMode::Idle => {
                    open.iter().find(|(k, _)| *k == c).map_or(d.eq.inactive.phi[first], |(_, gap)| *gap)
                }
                _ => d.eq.phi[first],
            };
            // If nothing is near, the gap is NaN.
            let gap = if gap < NEVER_ZERO { gap } else { f64::NAN };
            sink.put("contact", model.rows[first].unit, gap, || label("gap", "gap"));
        }
        if let Some(from) = entry.law.first_friction_row().filter(|from| *from < entry.rows.len()) {
            let rate =
                |i: usize| if held.contains(i) { d.eq.phidot.last()[first + i] } else { d.eq.inactive.rate[first + i] };
            let rates = from..entry.rows.len();
            let slip = if rates.len() == 1 { rate(from) } else { rates.map(|i| rate(i).powi(2)).sum::<f64>().sqrt() };
            sink.put("contact", rate_unit(model.rows[first + from].unit), slip, || label("slip", "slip velocity"));
        }
        let rubbed = now.lost.friction_constraints.iter().position(|r| *r == c).map_or(0.0, |i| now.lost.friction[i]);
        let lost = rubbed + now.lost.impacts.get(c).copied().unwrap_or(0.0);
        if let (Some(stepped), ConstraintLaw::Unilateral(_)) = (now.stepping_contacts, entry.law) {
            let unit = if model.rows[first].unit == "rad" { "N m s" } else { "N s" };
            sink.put("contact", unit, stepped.impulses[c], || label("impulse", "impulse of the gap since the start"));
        }
        sink.put("contact", "J", lost, || label("lost", "energy lost by friction and impacts"));
    }
}
