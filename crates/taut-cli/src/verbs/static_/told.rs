//! An equilibrium for people and for programs.

use super::outcome::Outcome;
use crate::ending::Failure;
use serde_json::json;
use std::fmt::Write;
use taut::Model;
use taut::analyses::{Critical, Found, HeldBy, Holding, Moved, Stability};
use taut_papers::text::{self, Align, number, table};

/// Most rows that are shown of a list.
const SHOWN: usize = 12;

/// What is told of it.
pub struct Told<'a> {
    /// The equilibrium and the path to it.
    pub found: &'a Outcome,
    /// How far the bodies moved.
    pub moved: Vec<Moved>,
    /// Whether it is stable; none where it could not be told.
    pub stability: Option<Stability>,
    /// Motions that nothing holds.
    pub free: Vec<String>,
}

impl Told<'_> {
    fn way(&self) -> String {
        let iterations = text::count(self.found.equilibrium.iterations, "iteration", "iterations");
        match self.found.equilibrium.found {
            Found::AtOnce => format!("equilibrium found in {iterations}"),
            Found::Loaded(n) => {
                format!("equilibrium found along {}, in {iterations}", text::count(n, "load", "loads"))
            }
            Found::Relaxed(n) => format!(
                "equilibrium found by creeping to rest in {}: Newton's method failed, with load steps too",
                text::count(n, "step", "steps")
            ),
        }
    }

    fn stable(&self) -> String {
        match self.stability {
            Some(Stability::Stable(k)) => format!("stable: the least stiffness is {}", number(k)),
            Some(Stability::Unstable(k)) => format!("not stable: the least stiffness is {}", number(k)),
            Some(Stability::Neutral { least, .. }) => {
                let others = if least.is_finite() {
                    format!("; the least stiffness of the others is {}", number(least))
                } else {
                    String::new()
                };
                format!(
                    "neutral: nothing holds or pushes `{}`, which stay where they are{others}",
                    self.free.join("`, `")
                )
            }
            Some(Stability::Rigid) => "rigid: the constraints leave no motion".to_string(),
            Some(Stability::Unknown(k)) => {
                format!("whether it is stable was not counted; the stiffness nearest to zero is {}", number(k))
            }
            None => "whether it is stable could not be told".to_string(),
        }
    }

    /// For people.
    pub fn text(&self, under: &Model) -> Result<String, Failure> {
        let mut text = String::new();
        let _ = writeln!(text, "{}", self.way());
        let share = self.found.share();
        if share != 1.0 {
            let _ = writeln!(text, "the path ends at {} of the load", number(share));
        }
        for critical in &self.found.path.critical {
            let what = match critical.kind {
                Critical::Limit => "limit point: the load turns about",
                Critical::Branch => "bifurcation: other branches cross",
            };
            let _ = writeln!(text, "{what} near {} of the load (point {})", number(critical.share), critical.point);
        }
        if let Some(i) = self.found.path.branched {
            let _ = writeln!(text, "the path branches at {} of the load", number(self.found.path.points[i].share));
        }
        let _ = writeln!(text, "{}", self.stable());
        let mut rows = vec![["moved, farthest first", "by [m]", "turned by [rad]"].map(String::from).to_vec()];
        for m in self.moved.iter().take(SHOWN) {
            rows.push(vec![format!("  {}", m.body), number(m.translation), number(m.rotation)]);
        }
        if rows.len() > 1 {
            text.push_str(&table(&[Align::Left, Align::Right, Align::Right], &rows, ""));
        } else {
            text.push_str("nothing moves: the pose given is one of equilibrium\n");
        }
        if self.moved.len() > SHOWN {
            let _ = writeln!(text, "  and {} bodies more", self.moved.len() - SHOWN);
        }
        let e = &self.found.equilibrium;
        let forces = e.reactions(under);
        let held = e.held_by(under);
        if !held.is_empty() {
            let head = ["held by", "", "gap", "force", "grip", "at most"].map(String::from).to_vec();
            let told = |x: Option<f64>| x.map_or_else(String::new, number);
            let row = |h: &HeldBy| {
                let what = match h.holding {
                    Holding::Open => "open",
                    Holding::Pressing => "presses",
                    Holding::Holding => "holds",
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
            let _ = writeln!(text, "  and {} joints more", forces.len() - 2 * SHOWN);
        }
        Ok(text)
    }

    /// For programs.
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
