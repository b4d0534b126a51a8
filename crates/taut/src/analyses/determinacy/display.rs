//! Text output of the determinacy of reactions.

use super::{ComponentDeterminacy, DeterminacyReport, JointDeterminacy, LoadTradingSet, UniqueCombination};
use nalgebra::Vector3;
use std::fmt;

/// Most components, self-stresses and combinations of one set in the text; JSON has all.
const MAX_LISTED: usize = 12;

fn direction([x, y, z]: [f64; 3]) -> String {
    format!("({x:.4}, {y:.4}, {z:.4})")
}

/// A sum such as `low.fz + 1.5 high.fz`.
fn sum(terms: &[(String, f64)]) -> String {
    let mut text = String::new();
    for (i, (name, c)) in terms.iter().enumerate() {
        let sign = match (i, *c < 0.0) {
            (0, false) => "",
            (0, true) => "−",
            (_, false) => " + ",
            (_, true) => " − ",
        };
        let factor = format!("{:.4}", c.abs());
        let factor = factor.trim_end_matches('0').trim_end_matches('.');
        text.push_str(sign);
        if factor != "1" {
            text.push_str(factor);
            text.push(' ');
        }
        text.push_str(name);
    }
    text
}

/// Least size of the largest value that is written with six decimals.
const LEAST_DECIMAL: f64 = 1e-2;
/// A value below this is round-off, relative to the largest.
const ROUND_OFF: f64 = 1e-12;

/// A number with six decimals, or with an exponent if the largest is small; without the sign of a zero.
fn decimals(x: f64, largest: f64) -> String {
    match largest {
        _ if x.abs() <= ROUND_OFF * largest => format!("{:.6}", 0.0),
        l if l < LEAST_DECIMAL => format!("{x:.6e}"),
        _ => {
            let text = format!("{x:.6}");
            if text == "-0.000000" { "0.000000".to_string() } else { text }
        }
    }
}

/// A component with its value in each distribution that is known.
fn values(c: &ComponentDeterminacy, largest: f64) -> String {
    let decimals = |x: f64| decimals(x, largest);
    let mut text = format!("{} [{}]: minimum norm {}", c.name, c.unit, decimals(c.minimum_norm));
    if let Some(x) = c.stiffness {
        text.push_str(&format!(", by stiffness {}", decimals(x)));
    }
    match (c.least.map(decimals), c.most.map(decimals)) {
        (Some(least), Some(most)) => text.push_str(&format!(", from {least} to {most}")),
        (Some(least), None) => text.push_str(&format!(", at least {least}")),
        (None, Some(most)) => text.push_str(&format!(", at most {most}")),
        (None, None) => {}
    }
    text
}

impl fmt::Display for UniqueCombination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&sum(&self.terms))
    }
}

impl fmt::Display for LoadTradingSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let some = |n: usize| if n > MAX_LISTED { format!(" and {} more", n - MAX_LISTED) } else { String::new() };
        let names: Vec<&str> = self.components.iter().take(MAX_LISTED).map(String::as_str).collect();
        write!(f, "not unique: {}{}", names.join(", "), some(self.components.len()))?;
        let short = |c: &&UniqueCombination| c.terms.len() <= MAX_LISTED;
        let listed: Vec<String> =
            self.combinations.iter().filter(short).take(MAX_LISTED).map(UniqueCombination::to_string).collect();
        if !listed.is_empty() {
            write!(f, "\n  unique: {}{}", listed.join("; "), some(self.combinations.len()))?;
        }
        Ok(())
    }
}

impl fmt::Display for DeterminacyReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.examined {
            return write!(f, "reactions: not examined whether they are unique: {}", self.notes.join("; "));
        }
        if self.joints.is_empty() {
            return Ok(());
        }
        if self.all_unique() {
            f.write_str("reactions: all unique")?;
            return self.notes.iter().try_for_each(|note| write!(f, "\nnote: {note}"));
        }
        let count = |label: JointDeterminacy| self.joints.iter().filter(|j| j.label == label).count();
        write!(
            f,
            "reactions: {} of {} joints unique, {} partly, {} not",
            count(JointDeterminacy::Unique),
            self.joints.len(),
            count(JointDeterminacy::Partly),
            count(JointDeterminacy::NotUnique)
        )?;
        let sizes = self.components.iter().flat_map(|c| [Some(c.value), c.stiffness, c.least, c.most]).flatten();
        let largest = sizes.fold(0.0_f64, |a, x| a.max(x.abs()));
        for (i, set) in self.sets.iter().take(MAX_LISTED).enumerate() {
            write!(f, "\n{set}")?;
            let known = |c: &&ComponentDeterminacy| c.set == Some(i) && c.minimum_norm.is_finite();
            for c in self.components.iter().filter(known).take(MAX_LISTED) {
                write!(f, "\n  {}", values(c, largest))?;
            }
        }
        if self.sets.len() > MAX_LISTED {
            write!(f, "\nand {} more sets", self.sets.len() - MAX_LISTED)?;
        }
        for joint in self.joints.iter().filter(|j| !j.unique_directions.is_empty()).take(MAX_LISTED) {
            match joint.unique_directions[..] {
                [] => {}
                [d] => write!(f, "\n  the force of `{}` along {} is unique", joint.constraint, direction(d))?,
                [a, b, ..] => {
                    let across = Vector3::from(a).cross(&Vector3::from(b)).into();
                    write!(f, "\n  the force of `{}` across {} is unique", joint.constraint, direction(across))?;
                }
            }
        }
        for note in &self.notes {
            write!(f, "\nnote: {note}")?;
        }
        Ok(())
    }
}
