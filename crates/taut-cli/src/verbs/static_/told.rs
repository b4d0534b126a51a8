//! An equilibrium as text and as JSON.

use super::outcome::Outcome;
use crate::ending::Failure;
use serde_json::json;
use std::fmt::Write;
use taut::Model;
use taut::analyses::{Critical, Found, HeldBy, Holding, Moved, Stability};
use taut_papers::text::{self, Align, number, table};

/// Largest number of rows shown of a list.
const SHOWN: usize = 12;

/// The equilibrium with what is printed about it.
pub struct Told<'a> {
    /// The equilibrium and the path to it.
    pub found: &'a Outcome,
    /// How far the bodies moved.
    pub moved: Vec<Moved>,
    /// Stability; `None` if it could not be determined.
    pub stability: Option<Stability>,
    /// Motions without stiffness or load.
    pub free: Vec<String>,
}

impl Told<'_> {
    fn way(&self) -> String {
        let iterations = text::count(self.found.equilibrium.iterations, "iteration", "iterations");
        match self.found.equilibrium.found {
            Found::AtOnce => format!("equilibrium found in {iterations}"),
            Found::Loaded(n) => {
                format!("equilibrium found in {} and {iterations}", text::count(n, "load step", "load steps"))
            }
            Found::Relaxed(n) => format!(
                "equilibrium found by dynamic relaxation in {}, after Newton's method failed, also with load steps",
                text::count(n, "step", "steps")
            ),
        }
    }

    fn stable(&self) -> String {
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
                    self.free.join("`, `")
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
    pub fn text(&self, under: &Model) -> Result<String, Failure> {
        let mut text = String::new();
        let _ = writeln!(text, "{}", self.way());
        let share = self.found.share();
        if share != 1.0 {
            let _ = writeln!(text, "the path ends at load factor {}", number(share));
        }
        for critical in &self.found.path.critical {
            let what = match critical.kind {
                Critical::Limit => "limit point",
                Critical::Branch => "bifurcation point",
            };
            let _ = writeln!(text, "{what} near load factor {} (point {})", number(critical.share), critical.point);
        }
        if let Some(i) = self.found.path.branched {
            let _ = writeln!(
                text,
                "the path changes to another branch at load factor {}",
                number(self.found.path.points[i].share)
            );
        }
        let _ = writeln!(text, "{}", self.stable());
        let mut rows = vec![["displaced, largest first", "by [m]", "rotated by [rad]"].map(String::from).to_vec()];
        for m in self.moved.iter().take(SHOWN) {
            rows.push(vec![format!("  {}", m.body), number(m.translation), number(m.rotation)]);
        }
        if rows.len() > 1 {
            text.push_str(&table(&[Align::Left, Align::Right, Align::Right], &rows, ""));
        } else {
            text.push_str("no displacement: the given pose is in equilibrium\n");
        }
        if self.moved.len() > SHOWN {
            let _ = writeln!(text, "  and {} more bodies", self.moved.len() - SHOWN);
        }
        let e = &self.found.equilibrium;
        let forces = e.reactions(under);
        let held = e.held_by(under);
        if !held.is_empty() {
            let head = ["supported by", "", "gap", "normal force", "bounded force", "bound"].map(String::from).to_vec();
            let told = |x: Option<f64>| x.map_or_else(String::new, number);
            let row = |h: &HeldBy| {
                let what = match h.holding {
                    Holding::Open => "open",
                    Holding::Pressing => "closed",
                    Holding::Holding => "holding",
                    Holding::AtBound => "at its bound",
                    Holding::Released => "released",
                };
                let (grip, most) = (told(h.grip.map(|g| g[0])), told(h.grip.map(|g| g[1])));
                vec![format!("  {}", h.constraint), what.to_string(), told(h.gap), told(h.force), grip, most]
            };
            let rows: Vec<Vec<String>> = std::iter::once(head).chain(held.iter().take(2 * SHOWN).map(row)).collect();
            let align = [Align::Left, Align::Left, Align::Right, Align::Right, Align::Right, Align::Right];
            text.push_str(&table(&align, &rows, ""));
            if held.len() > 2 * SHOWN {
                let _ = writeln!(text, "  and {} more", held.len() - 2 * SHOWN);
            }
        }
        let head = ["reaction on", "fx [N]", "fy [N]", "fz [N]", "mx [N m]", "my [N m]", "mz [N m]"];
        let mut rows = vec![head.map(String::from).to_vec()];
        for r in forces.iter().take(2 * SHOWN) {
            let numbers = r.force.iter().chain(&r.moment).map(|x| number(*x));
            rows.push(std::iter::once(format!("  {}", r.constraint)).chain(numbers).collect());
        }
        if rows.len() > 1 {
            let mut align = [Align::Right; 7];
            align[0] = Align::Left;
            text.push_str(&table(&align, &rows, ""));
        }
        if forces.len() > 2 * SHOWN {
            let _ = writeln!(text, "  and {} more joints", forces.len() - 2 * SHOWN);
        }
        Ok(text)
    }

    /// The equilibrium as JSON.
    pub fn json(&self, under: &Model) -> Result<serde_json::Value, Failure> {
        let e = &self.found.equilibrium;
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
        let (how, count) = match e.found {
            Found::AtOnce => ("at_once", 1),
            Found::Loaded(n) => ("loaded", n),
            Found::Relaxed(n) => ("relaxed", n),
        };
        Ok(json!({
            "state": numbers, "moved": self.moved, "reactions": e.reactions(under),
            "iterations": e.iterations, "found": how, "loads": count, "share": self.found.share(),
            "branched": self.found.path.branched, "stable": stable, "least_stiffness": least, "free_motions": self.free, "held_by": e.held_by(under),
            "critical_points": self.found.path.critical, "ended": self.found.path.ended, "notes": e.notes,
        }))
    }
}
