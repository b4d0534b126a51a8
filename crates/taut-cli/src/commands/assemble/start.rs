//! The ledger of `[start]`: targets met and missed, bodies moved, singular poses on the way.

use super::append_displacements;
use std::fmt::Write;
use taut::analyses::{MotionThrough, SingularKind, SingularPose, WayEnd};
use taut_io::model::StartLedger;
use taut_papers::text::{Align, number, table};

/// Most rates of a motion that are shown.
const MAX_RATES: usize = 6;

pub fn as_text(ledger: &StartLedger) -> String {
    let mut text = String::from("targets of [start], SI units:\n");
    let mut rows = vec![["target", "priority", "wanted", "reached", "missed by"].map(String::from).to_vec()];
    for t in &ledger.targets {
        let missed = if t.missed == 0.0 { "met".to_string() } else { number(t.missed) };
        rows.push(vec![t.target.clone(), t.priority.to_string(), number(t.wanted), number(t.reached), missed]);
    }
    let align = [Align::Left, Align::Left, Align::Right, Align::Right, Align::Right];
    text.push_str(&table(&align, &rows, "  "));
    if !ledger.moved.is_empty() {
        text.push_str("moved from the pose in the file, largest first:\n");
        append_displacements(&mut text, &ledger.moved);
    }
    let Some(way) = &ledger.way else { return text };
    for pose in &way.singular {
        append_pose(&mut text, pose);
    }
    if way.end == WayEnd::OtherBranch {
        text.push_str("the start lies on another branch than the given pose: no motion without a singular pose was found between them\n");
    }
    text
}

fn append_pose(text: &mut String, pose: &SingularPose) {
    let joints: Vec<String> = pose.joints.iter().map(|j| format!("`{j}`")).collect();
    let (joints, value) = (joints.join(", "), number(pose.value));
    let target = &pose.target;
    let _ = match (pose.kind, pose.motions.is_empty()) {
        (SingularKind::DeadPoint, true) => writeln!(text, "dead point on the way: `{target}` = {value} ({joints})"),
        (SingularKind::DeadPoint, false) => {
            writeln!(
                text,
                "dead point: `{target}` turns back at {value} ({joints}), whichever way the mechanism moves:"
            )
        }
        (SingularKind::SingularPose, true) => {
            writeln!(text, "singular pose on the way: `{target}` = {value}, rows of {joints} are dependent there")
        }
        (SingularKind::SingularPose, false) => {
            writeln!(
                text,
                "singular pose on the way: `{target}` = {value}, rows of {joints} are dependent there; two motions cross:"
            )
        }
    };
    for motion in &pose.motions {
        let word = match (motion.goes_on, pose.kind) {
            (true, _) => "as it came",
            (false, SingularKind::DeadPoint) => "back",
            (false, SingularKind::SingularPose) => "other branch",
        };
        let _ = writeln!(text, "  {word}: {}", rates(motion));
    }
}

fn rates(motion: &MotionThrough) -> String {
    let moving = motion.rates.iter().filter(|(_, x)| *x != 0.0);
    let shown: Vec<String> = moving.clone().take(MAX_RATES).map(|(n, x)| format!("{n} {x:+.4}")).collect();
    let more = moving.count().saturating_sub(MAX_RATES);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", shown.join(", "))
}
