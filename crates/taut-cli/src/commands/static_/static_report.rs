//! An equilibrium as text and as JSON.

use crate::exit::CliError;
use crate::summary::reaction_table;
use serde_json::json;
use std::fmt::Write;
use taut::analyses::{
    BodyDisplacement, ContactReport, ContactStatus, CriticalPointKind, DeterminacyReport, DriverRow, EquilibriumMethod,
    PenaltyComparison, Stability, StaticResult, driver_rows,
};
use taut::bodies::BodyKind;
use taut::{BodyEntry, Model, State};
use taut_papers::text::{self, Align, number, table};

/// Displacements below this, relative to the largest, are round-off.
const SHOWN_DISPLACEMENT: f64 = 1e-11;
/// Largest number of rows shown of a list.
const MAX_TABLE_ROWS: usize = 12;

/// The equilibrium with what is printed about it.
pub struct StaticReport<'a> {
    /// The equilibrium and the path to it.
    pub result: &'a StaticResult,
    /// How far the bodies moved.
    pub moved: Vec<BodyDisplacement>,
    /// Coordinates without a unit, and their changes.
    pub changed: Vec<(String, f64)>,
    /// Stability; `None` if it could not be determined.
    pub stability: Option<Stability>,
    /// Motions without stiffness or load.
    pub free_motions: Vec<String>,
    /// The same equilibrium with constraints as springs, if asked for.
    pub penalty: Option<&'a PenaltyComparison>,
}

/// The coordinates of generalised bodies without a unit that differ in two states, and by how much.
pub fn changed_numbers(model: &Model, from: &State, to: &State) -> Vec<(String, f64)> {
    let of_body = |b: &BodyEntry| {
        let names = b.kind.body().coordinates().into_iter().zip(b.q.clone());
        let plain = names.filter(|(coordinate, _)| coordinate.unit == "1");
        plain
            .map(|(coordinate, i)| (format!("{}.{}", b.name, coordinate.name), to.q[i] - from.q[i]))
            .collect::<Vec<_>>()
    };
    let generalised = model.bodies.iter().filter(|b| matches!(b.kind, BodyKind::Generalised(_)));
    generalised.flat_map(of_body).filter(|(_, by)| *by != 0.0).collect()
}

impl StaticReport<'_> {
    fn solution_text(&self) -> String {
        let iterations = text::count(self.result.equilibrium.iterations, "iteration", "iterations");
        match self.result.equilibrium.method {
            EquilibriumMethod::Direct => format!("equilibrium found in {iterations}"),
            EquilibriumMethod::LoadSteps(n) => {
                format!("equilibrium found in {} and {iterations}", text::count(n, "load step", "load steps"))
            }
            EquilibriumMethod::Relaxation(n) => format!(
                "equilibrium found by dynamic relaxation in {}, after Newton's method failed, also with load steps",
                text::count(n, "step", "steps")
            ),
        }
    }

    fn stability_text(&self) -> String {
        match self.stability {
            Some(Stability::Stable(k)) => format!("stable: the smallest stiffness is {}", number(k)),
            Some(Stability::Unstable(k)) => format!("unstable: the smallest stiffness is {}", number(k)),
            Some(Stability::Neutral { least, .. }) => {
                let others = if least.is_finite() {
                    format!("; the smallest stiffness of the other motions is {}", number(least))
                } else {
                    String::new()
                };
                format!(
                    "neutral: `{}` have neither stiffness nor load and stay as given{others}",
                    self.free_motions.join("`, `")
                )
            }
            Some(Stability::Rigid) => "rigid: the constraints leave no degree of freedom".to_string(),
            Some(Stability::Unknown(k)) => {
                format!("stability was not determined; the stiffness nearest to zero is {}", number(k))
            }
            None => "stability could not be determined".to_string(),
        }
    }

    /// The equilibrium as text.
    pub fn text(&self, under: &Model) -> Result<String, CliError> {
        let mut text = String::new();
        let _ = writeln!(text, "{}", self.solution_text());
        let load_factor = self.result.load_factor();
        if load_factor != 1.0 {
            let _ = writeln!(text, "the path ends at load factor {}", number(load_factor));
        }
        for critical in &self.result.path.critical {
            let what = match critical.kind {
                CriticalPointKind::Limit => "limit point",
                CriticalPointKind::Branch => "bifurcation point",
            };
            let _ =
                writeln!(text, "{what} near load factor {} (point {})", number(critical.load_factor), critical.point);
        }
        if let Some(i) = self.result.path.branched {
            let _ = writeln!(
                text,
                "the path changes to another branch at load factor {}",
                number(self.result.path.points[i].load_factor)
            );
        }
        let _ = writeln!(text, "{}", self.stability_text());
        let mut rows = vec![["displaced, largest first", "by [m]", "rotated by [rad]"].map(String::from).to_vec()];
        for m in self.moved.iter().take(MAX_TABLE_ROWS) {
            rows.push(vec![format!("  {}", m.body), number(m.translation), number(m.rotation)]);
        }
        if rows.len() > 1 {
            text.push_str(&table(&[Align::Left, Align::Right, Align::Right], &rows, ""));
        } else if self.changed.is_empty() {
            text.push_str("no displacement: the given pose is in equilibrium\n");
        }
        if !self.changed.is_empty() {
            let mut rows = vec![["changed", "by"].map(String::from).to_vec()];
            rows.extend(
                self.changed.iter().take(MAX_TABLE_ROWS).map(|(name, by)| vec![format!("  {name}"), number(*by)]),
            );
            text.push_str(&table(&[Align::Left, Align::Right], &rows, ""));
        }
        if self.moved.len() > MAX_TABLE_ROWS {
            let _ = writeln!(text, "  and {} more bodies", self.moved.len() - MAX_TABLE_ROWS);
        }
        let e = &self.result.equilibrium;
        let held = e.contact_reports(under);
        if !held.is_empty() {
            let head = ["supported by", "", "gap", "normal force", "bounded force", "bound"].map(String::from).to_vec();
            let reported = |x: Option<f64>| x.map_or_else(String::new, number);
            let row = |h: &ContactReport| {
                let what = match h.holding {
                    ContactStatus::Open => "open",
                    ContactStatus::Pressing => "closed",
                    ContactStatus::Holding => "holding",
                    ContactStatus::AtBound => "at its bound",
                    ContactStatus::Released => "released",
                };
                let (grip, most) = (reported(h.grip.map(|g| g[0])), reported(h.grip.map(|g| g[1])));
                vec![format!("  {}", h.constraint), what.to_string(), reported(h.gap), reported(h.force), grip, most]
            };
            let rows: Vec<Vec<String>> =
                std::iter::once(head).chain(held.iter().take(2 * MAX_TABLE_ROWS).map(row)).collect();
            let align = [Align::Left, Align::Left, Align::Right, Align::Right, Align::Right, Align::Right];
            text.push_str(&table(&align, &rows, ""));
            if held.len() > 2 * MAX_TABLE_ROWS {
                let _ = writeln!(text, "  and {} more", held.len() - 2 * MAX_TABLE_ROWS);
            }
        }
        let shared = DeterminacyReport::at(under, &e.state, &e.lambda);
        text.push_str(&reaction_table(&e.reactions(under), &shared, 2 * MAX_TABLE_ROWS));
        if let Some(both) = self.penalty {
            text.push_str(&penalty_text(both, under));
        }
        let drivers = self.drivers(under);
        if !drivers.is_empty() {
            let mut rows = vec![vec!["driver forces".to_string(), String::new(), String::new()]];
            let row = |d: &DriverRow| vec![format!("  {}", d.name), number(e.lambda[d.row]), format!("[{}]", d.unit)];
            rows.extend(drivers.iter().take(2 * MAX_TABLE_ROWS).map(row));
            text.push_str(&table(&[Align::Left, Align::Right, Align::Left], &rows, ""));
            if drivers.len() > 2 * MAX_TABLE_ROWS {
                let _ = writeln!(text, "  and {} more drivers", drivers.len() - 2 * MAX_TABLE_ROWS);
            }
        }
        Ok(text)
    }

    /// The driven rows.
    fn drivers(&self, under: &Model) -> Vec<DriverRow> {
        let reactions = self.result.equilibrium.reactions(under);
        driver_rows(under, |name| reactions.iter().any(|r| r.constraint == name))
    }

    /// The equilibrium as JSON.
    pub fn json(&self, under: &Model) -> Result<serde_json::Value, CliError> {
        let e = &self.result.equilibrium;
        let (q, v) = under.state_names();
        let named = q.iter().zip(&e.state.q).chain(v.iter().zip(&e.state.v));
        let numbers: serde_json::Map<_, _> = named.map(|(n, x)| (n.name.clone(), json!(x))).collect();
        let (stable, least) = match self.stability {
            Some(Stability::Stable(k)) => (json!(true), json!(k)),
            Some(Stability::Unstable(k)) => (json!(false), json!(k)),
            Some(Stability::Neutral { least, .. }) => (json!("neutral"), json!(least)),
            Some(Stability::Rigid) => (json!(true), json!(null)),
            Some(Stability::Unknown(k)) => (json!(null), json!(k)),
            None => (json!(null), json!(null)),
        };
        let (how, count) = match e.method {
            EquilibriumMethod::Direct => ("at_once", 1),
            EquilibriumMethod::LoadSteps(n) => ("loaded", n),
            EquilibriumMethod::Relaxation(n) => ("relaxed", n),
        };
        let drivers = self.drivers(under);
        let drives: Vec<_> =
            drivers.iter().map(|d| json!({ "of": d.name, "force": { d.unit: e.lambda[d.row] } })).collect();
        Ok(json!({
            "state": numbers, "moved": self.moved, "reactions": e.reactions(under), "drives": drives,
            "iterations": e.iterations, "found": how, "loads": count, "share": self.result.load_factor(),
            "branched": self.result.path.branched, "stable": stable, "least_stiffness": least, "free_motions": self.free_motions, "held_by": e.contact_reports(under),
            "determinacy": DeterminacyReport::at(under, &e.state, &e.lambda),
            "penalty": self.penalty.map(|both| penalty_json(both, under)),
            "critical_points": self.result.path.critical, "ended": self.result.path.end, "notes": e.notes,
        }))
    }
}

/// The displacements of both methods, largest first.
fn penalty_text(both: &PenaltyComparison, under: &Model) -> String {
    let mut text = format!(
        "penalty method with mu = {}: relative error of the displacements {}\n",
        number(both.mu),
        number(both.error)
    );
    let names = under.state_names().0;
    let mut order: Vec<usize> = (0..names.len()).collect();
    let size = |i: &usize| both.exact.displacement[*i].abs().max(both.penalty.displacement[*i].abs());
    let largest = order.iter().map(&size).fold(0.0, f64::max);
    order.retain(|i| size(i) > SHOWN_DISPLACEMENT * largest);
    order.sort_by(|a, b| size(b).total_cmp(&size(a)));
    let mut rows = vec![["displacement", "exact", "penalty", "difference"].map(String::from).to_vec()];
    for i in order.iter().take(2 * MAX_TABLE_ROWS) {
        let (exact, springs) = (both.exact.displacement[*i], both.penalty.displacement[*i]);
        rows.push(vec![format!("  {}", names[*i].name), number(exact), number(springs), number(springs - exact)]);
    }
    text.push_str(&table(&[Align::Left, Align::Right, Align::Right, Align::Right], &rows, ""));
    if order.len() > 2 * MAX_TABLE_ROWS {
        let _ = writeln!(text, "  and {} more coordinates", order.len() - 2 * MAX_TABLE_ROWS);
    }
    text
}

fn penalty_json(both: &PenaltyComparison, under: &Model) -> serde_json::Value {
    let names = under.state_names().0;
    let named = names.iter().zip(&both.penalty.state.q).map(|(n, x)| (n.name.clone(), json!(x)));
    let state: serde_json::Map<_, _> = named.collect();
    json!({ "mu": both.mu, "error": both.error, "iterations": both.penalty.iterations, "state": state })
}
