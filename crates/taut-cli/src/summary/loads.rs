//! Largest reactions and driving forces, as text and as JSON.

use serde_json::{Value, json};
use taut::analyses::JointDeterminacy;
use taut::{ContactPeak, Coverage, DriverEffort, Extremes, Peak, ReactionPeak};
use taut_papers::text::{Align, number, table};

/// More rows without any force than this are only counted.
const MAX_UNLOADED_ROWS: usize = 5;

/// Whether a constraint exerted neither force nor moment during the whole run: a contact that was never closed.
fn is_unloaded(r: &ReactionPeak) -> bool {
    r.force.peak.value == 0.0 && r.moment.as_ref().is_none_or(|m| m.peak.value == 0.0)
}

/// A line for rows that are only counted.
fn counted(rows: usize, what: &str) -> String {
    if rows > 0 { format!("  {rows} more {what}\n") } else { String::new() }
}

/// Largest reactions and driving forces as a text table.
pub fn loads_text(of: &Extremes) -> String {
    let mut text = String::new();
    if !of.reactions.is_empty() {
        let what = match of.coverage {
            Coverage::Motion => "reactions",
            Coverage::Rows => "reactions (at output rows)",
        };
        let head = [what, "largest force [N]", "at [s]", "largest moment [N m]", "at [s]"];
        // Moments that are only round-off are left out.
        let arm = |r: &ReactionPeak| {
            r.moment.as_ref().map(|m| m.peak).filter(|m| m.value.is_nan() || m.value > 1e-9 * r.force.peak.value)
        };
        let width = if of.reactions.iter().any(|r| arm(r).is_some()) { 5 } else { 3 };
        let unloaded = of.reactions.iter().filter(|r| is_unloaded(r)).count();
        let hidden = if unloaded > MAX_UNLOADED_ROWS { unloaded } else { 0 };
        // What holds for all rows is said once.
        let remarks: Vec<Option<String>> = of.reactions.iter().map(|r| of.determinacy_remark(&r.force.name)).collect();
        let not_examined = Some(JointDeterminacy::NotExamined.to_string());
        let none_examined = remarks.iter().all(|remark| *remark == not_examined);
        let mut rows = vec![head[..width].iter().map(|h| h.to_string()).collect::<Vec<_>>()];
        for (r, remark) in of.reactions.iter().zip(remarks).filter(|(r, _)| hidden == 0 || !is_unloaded(r)) {
            let force = r.force.peak;
            let mut row = vec![format!("  {}", r.force.name), number(force.value), number(force.t)];
            row.extend(arm(r).iter().flat_map(|m| [number(m.value), number(m.t)]));
            if let Some(remark) = remark.filter(|_| !none_examined) {
                row.resize(width, String::new());
                row.push(remark);
            }
            rows.push(row);
        }
        use Align::{Left, Right};
        let align = [Left, Right, Right, Right, Right];
        text.push_str(&table(&[&align[..width], &[Left]].concat(), &rows, ""));
        text.push_str(&counted(hidden, "without any force"));
        if none_examined {
            text.push_str("  whether these reactions are unique was not examined\n");
        }
    }
    if of.rows > 0 && !of.contacts.is_empty() {
        let head = ["contacts", "impulse [N s]", "smallest gap", "at [s]"];
        let mut rows = vec![head.map(String::from).to_vec()];
        let open = of.contacts.iter().filter(|c| c.impulse == 0.0).count();
        let hidden = if open > MAX_UNLOADED_ROWS { open } else { 0 };
        for c in of.contacts.iter().filter(|c| hidden == 0 || c.impulse != 0.0) {
            // Surfaces that are far apart have no gap value.
            let gap =
                if c.largest_overlap.value.is_finite() { number(-c.largest_overlap.value) } else { "-".to_string() };
            rows.push(vec![format!("  {}", c.name), number(c.impulse), gap, number(c.largest_overlap.t)]);
        }
        use Align::{Left, Right};
        text.push_str(&table(&[Left, Right, Right, Right], &rows, ""));
        text.push_str(&counted(hidden, "that never closed"));
    }
    if of.rows > 0 && !of.driver_efforts.is_empty() {
        let what = match of.coverage {
            Coverage::Motion => "driver forces",
            Coverage::Rows => "driver forces (at output rows)",
        };
        let head = [what, "smallest", "at [s]", "largest", "at [s]", ""];
        let mut rows = vec![head.map(String::from).to_vec()];
        for d in &of.driver_efforts {
            let extremes = [d.minimum, d.maximum].into_iter().flat_map(|p| [number(p.value), number(p.t)]);
            let unit = format!("[{}]", d.unit);
            rows.push(std::iter::once(format!("  {}", d.name)).chain(extremes).chain([unit]).collect());
        }
        use Align::{Left, Right};
        text.push_str(&table(&[Left, Right, Right, Right, Right, Left], &rows, ""));
    }
    text
}

/// Impulses and smallest gaps of the contacts in a time-stepping run.
pub fn contacts_json(of: &Extremes) -> Value {
    let contact = |c: &ContactPeak| {
        json!({
            "of": c.name, "impulse": { "N s": finite_or_null(c.impulse), },
            "gap": { "least": finite_or_null(-c.largest_overlap.value), "t": c.largest_overlap.t },
        })
    };
    of.contacts.iter().map(contact).collect()
}

/// Reactions and driver forces as JSON.
pub fn loads_json(of: &Extremes) -> (Value, Value) {
    let reaction = |r: &ReactionPeak| {
        json!({
            "on": r.force.name, "force": peak_json(r.force.peak, "N"),
            "moment": r.moment.as_ref().map(|m| peak_json(m.peak, "N m")),
            "determinacy": of.determinacy_remark(&r.force.name).unwrap_or_else(|| "unique".to_string()),
        })
    };
    let drive = |d: &DriverEffort| json!({ "of": d.name, "least": peak_json(d.minimum, &d.unit), "largest": peak_json(d.maximum, &d.unit) });
    (of.reactions.iter().map(reaction).collect(), of.driver_efforts.iter().map(drive).collect())
}

/// A peak as JSON; the unit is the key of the value.
fn peak_json(peak: Peak, unit: &str) -> Value {
    json!({ unit: finite_or_null(peak.value), "t": peak.t })
}

/// The number, or null: JSON has no NaN and no infinity.
pub fn finite_or_null(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}
