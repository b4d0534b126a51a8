//! Columns of constraints with a law: mode, gap, slip, impulse and losses.

use super::moment::Moment;
use super::sink::{Sink, per_second};
use crate::contacts::Range;
use crate::dynamics::Dynamics;
use crate::laws::{Law, QUIET};
use crate::results::solution::label::Label;
use crate::solvers::contact_features::ahead;
use crate::state::Mode;

/// Mode, gap, slip, impulse and losses of every constraint with a law.
pub(super) fn contacts(d: &Dynamics, now: Moment, sink: &mut Sink) {
    let model = d.model;
    let mut open: Vec<(usize, f64)> = Vec::new();
    ahead(model, now.t, &d.scene.motions, &d.modes, now.z, Range::All, |c, seen| open.push((c, seen.gap)));
    for (c, entry) in model.constraints.iter().enumerate().filter(|(_, c)| c.law != Law::Bilateral) {
        let label = |short: &str, what: &str| {
            Label::new(format!("{}.{short}", entry.name), format!("{what} of `{}`", entry.name))
        };
        let (mode, first) = (now.stepped.map_or(d.modes[c], |s| s.modes[c]), entry.rows.start);
        let code = match mode {
            Mode::Idle => 0.0,
            Mode::Active => 1.0,
            Mode::Sliding(_) => 2.0,
            Mode::Verging(_) => 3.0,
        };
        sink.put("contact", "1", code, || label("mode", "mode (0 open, 1 held, 2 slipping, 3 about to slip)"));
        let held = d.modes[c].held(&entry.law);
        let bound = now.stepped.is_some_and(|s| s.bound[c]);
        if let Law::Unilateral(_) = entry.law {
            let gap = match d.modes[c] {
                Mode::Idle if bound => d.eq.loose.phi[first],
                Mode::Idle => open.iter().find(|(k, _)| *k == c).map_or(d.eq.loose.phi[first], |(_, gap)| *gap),
                _ => d.eq.phi[first],
            };
            // If nothing is near, the gap is NaN.
            let gap = if gap < QUIET { gap } else { f64::NAN };
            sink.put("contact", model.rows[first].unit, gap, || label("gap", "gap"));
        }
        if let Some(from) = entry.law.gripping_from().filter(|from| *from < entry.rows.len()) {
            let rate = |i: usize| if held.has(i) { d.eq.phidot.last()[first + i] } else { d.eq.loose.rate[first + i] };
            let rates = from..entry.rows.len();
            let slip = if rates.len() == 1 { rate(from) } else { rates.map(|i| rate(i).powi(2)).sum::<f64>().sqrt() };
            sink.put("contact", per_second(model.rows[first + from].unit), slip, || label("slip", "slip velocity"));
        }
        let rubbed = now.lost.rubbing.iter().position(|r| *r == c).map_or(0.0, |i| now.lost.friction[i]);
        let lost = rubbed + now.lost.impacts.get(c).copied().unwrap_or(0.0);
        if let (Some(stepped), Law::Unilateral(_)) = (now.stepped, entry.law) {
            let unit = if model.rows[first].unit == "rad" { "N m s" } else { "N s" };
            sink.put("contact", unit, stepped.impulses[c], || label("impulse", "impulse of the gap since the start"));
        }
        sink.put("contact", "J", lost, || label("lost", "energy lost by friction and impacts"));
    }
}
