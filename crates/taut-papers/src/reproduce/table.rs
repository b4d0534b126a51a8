//! The results as text and as JSON.

use super::row::{ComparisonRow, RowVerdict};
use super::{PaperResults, VerdictCounts};
use crate::text::{Align, significant, table};
use serde_json::{Value, json};
use std::fmt::Write;

/// One table per example, with remarks below and a line of counts for each paper.
pub fn as_text(all: &[PaperResults]) -> String {
    let mut text = String::new();
    for reproduced in all {
        let _ = writeln!(text, "{}: {}", reproduced.paper.key, reproduced.paper.title);
        for (example, found) in reproduced.paper.examples.iter().zip(&reproduced.found) {
            let _ = writeln!(text, "\n  {}", example.title);
            let head = ["source", "quantity", "printed", "reference", "ours", "digits", "verdict"];
            let mut rows = vec![head.map(String::from).to_vec()];
            rows.extend(found.rows.iter().map(cells));
            use Align::{Left, Right};
            text.push_str(&table(&[Left, Left, Right, Right, Right, Right, Left], &rows, "  "));
            for row in &found.rows {
                let why = match &row.verdict {
                    RowVerdict::Pending(why) => Some(why),
                    _ => None,
                };
                for note in why.into_iter().chain(&row.remark) {
                    let _ = writeln!(text, "  * {}, {}: {note}", row.source, row.quantity);
                }
            }
        }
        let _ = writeln!(text, "\n{}: {}\n", reproduced.paper.key, counts_text(reproduced.count()));
    }
    if all.len() > 1 {
        let _ = writeln!(text, "all: {}", counts_text(total_counts(all)));
    }
    text
}

/// The counts as text.
pub fn counts_text(count: VerdictCounts) -> String {
    let VerdictCounts { met, missed, pending, information } = count;
    format!("{met} met, {missed} missed, {pending} pending, {information} for information")
}

/// Counts of all papers together.
pub fn total_counts(all: &[PaperResults]) -> VerdictCounts {
    all.iter().map(PaperResults::count).fold(VerdictCounts::default(), |a, b| VerdictCounts {
        met: a.met + b.met,
        missed: a.missed + b.missed,
        pending: a.pending + b.pending,
        information: a.information + b.information,
    })
}

fn cells(row: &ComparisonRow) -> Vec<String> {
    vec![
        row.source.clone(),
        with_unit(row),
        row.printed.clone().unwrap_or_default(),
        row.reference.as_ref().map(|r| r.text()).unwrap_or_default(),
        row.ours.map(|x| significant(x, 10)).unwrap_or_default(),
        row.digits().map(|d| d.to_string()).unwrap_or_default(),
        row.verdict.word().to_string(),
    ]
}

/// The quantity with its unit.
pub fn with_unit(row: &ComparisonRow) -> String {
    if row.unit.is_empty() { row.quantity.clone() } else { format!("{} [{}]", row.quantity, row.unit) }
}

/// The results as JSON.
pub fn as_json(all: &[PaperResults]) -> Value {
    let count = |c: VerdictCounts| json!({ "met": c.met, "missed": c.missed, "pending": c.pending, "information": c.information });
    let paper = |r: &PaperResults| {
        let examples: Vec<Value> = (r.paper.examples.iter().zip(&r.found))
            .map(|(e, f)| json!({ "title": e.title, "rows": f.rows.iter().map(ComparisonRow::json).collect::<Vec<_>>() }))
            .collect();
        json!({ "key": r.paper.key, "title": r.paper.title, "count": count(r.count()), "examples": examples })
    };
    json!({ "count": count(total_counts(all)), "papers": all.iter().map(paper).collect::<Vec<_>>() })
}
