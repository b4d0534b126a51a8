//! The table of reactions at one state, with the determinacy of each joint.

use std::fmt::Write;
use taut::analyses::{DeterminacyReport, JointDeterminacy, Reaction};
use taut_papers::text::{Align, number, table};

/// Reactions on the last markers of the constraints; joints that do not determine them are marked, and explained below the table.
pub fn reaction_table(reactions: &[Reaction], determinacy: &DeterminacyReport, most: usize) -> String {
    if reactions.is_empty() {
        return String::new();
    }
    let head = ["reaction on", "fx [N]", "fy [N]", "fz [N]", "mx [N m]", "my [N m]", "mz [N m]", ""];
    let mut rows = vec![head.map(String::from).to_vec()];
    let remark = |name: &str| match determinacy.label(name) {
        JointDeterminacy::Unique => String::new(),
        label => label.to_string(),
    };
    for r in reactions.iter().take(most) {
        let numbers = r.force.iter().chain(&r.moment).map(|x| number(*x));
        let name = std::iter::once(format!("  {}", r.constraint));
        rows.push(name.chain(numbers).chain([remark(&r.constraint)]).collect());
    }
    let mut align = [Align::Right; 8];
    (align[0], align[7]) = (Align::Left, Align::Left);
    let mut text = table(&align, &rows, "");
    if reactions.len() > most {
        let _ = writeln!(text, "  and {} more joints", reactions.len() - most);
    }
    if !determinacy.all_unique() {
        let _ = writeln!(text, "{determinacy}");
    }
    text
}
