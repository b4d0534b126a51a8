//! Largest reactions and efforts, for people and for programs.

use super::extremes::{Coverage, Extremes};
use super::parts::{Contact, Drive, Reaction, finite};
use serde_json::{Value, json};
use taut_papers::text::{Align, number, table};

impl Extremes {
    /// Largest reactions and efforts as lines of a table.
    pub fn loads(&self) -> String {
        let mut text = String::new();
        if !self.reactions.is_empty() {
            let of = match self.coverage {
                Coverage::Motion => "reactions",
                Coverage::Rows => "reactions (of the rows)",
            };
            let head = [of, "largest force [N]", "at [s]", "largest moment [N m]", "at [s]"];
            // Moments of nothing but round-off are none.
            let arm = |r: &Reaction| {
                r.moment.as_ref().map(|m| m.peak).filter(|m| m.value.is_nan() || m.value > 1e-9 * r.force.peak.value)
            };
            let width = if self.reactions.iter().any(|r| arm(r).is_some()) { 5 } else { 3 };
            let mut rows = vec![head[..width].iter().map(|h| h.to_string()).collect::<Vec<_>>()];
            for r in &self.reactions {
                let force = r.force.peak;
                let mut row = vec![format!("  {}", r.force.name), number(force.value), number(force.t)];
                row.extend(arm(r).iter().flat_map(|m| [number(m.value), number(m.t)]));
                rows.push(row);
            }
            use Align::{Left, Right};
            text.push_str(&table(&[Left, Right, Right, Right, Right], &rows, ""));
        }
        if self.rows > 0 && !self.contacts.is_empty() {
            let head = ["contacts", "impulse [N s]", "least gap", "at [s]"];
            let mut rows = vec![head.map(String::from).to_vec()];
            for c in &self.contacts {
                // Far from each other, features have no gap.
                let gap = if c.deepest.value.is_finite() { number(-c.deepest.value) } else { "-".to_string() };
                rows.push(vec![format!("  {}", c.name), number(c.impulse), gap, number(c.deepest.t)]);
            }
            use Align::{Left, Right};
            text.push_str(&table(&[Left, Right, Right, Right], &rows, ""));
        }
        if self.rows > 0 && !self.drives.is_empty() {
            let of = match self.coverage {
                Coverage::Motion => "efforts of drives",
                Coverage::Rows => "efforts of drives (of the rows)",
            };
            let head = [of, "least", "at [s]", "largest", "at [s]", ""];
            let mut rows = vec![head.map(String::from).to_vec()];
            for d in &self.drives {
                let extremes = [d.least, d.most].into_iter().flat_map(|p| [number(p.value), number(p.t)]);
                let unit = format!("[{}]", d.unit);
                rows.push(std::iter::once(format!("  {}", d.name)).chain(extremes).chain([unit]).collect());
            }
            use Align::{Left, Right};
            text.push_str(&table(&[Left, Right, Right, Right, Right, Left], &rows, ""));
        }
        text
    }

    /// Impulses and least gaps of the contacts of a march in time steps.
    pub fn contacts_json(&self) -> Value {
        let contact = |c: &Contact| {
            json!({
                "of": c.name, "impulse": { "N s": finite(c.impulse), },
                "gap": { "least": finite(-c.deepest.value), "t": c.deepest.t },
            })
        };
        self.contacts.iter().map(contact).collect()
    }

    /// The same as data.
    pub fn loads_json(&self) -> (Value, Value) {
        let reaction = |r: &Reaction| {
            json!({
                "on": r.force.name, "force": r.force.peak.json("N"),
                "moment": r.moment.as_ref().map(|m| m.peak.json("N m")),
            })
        };
        let drive =
            |d: &Drive| json!({ "of": d.name, "least": d.least.json(&d.unit), "largest": d.most.json(&d.unit) });
        (self.reactions.iter().map(reaction).collect(), self.drives.iter().map(drive).collect())
    }
}
