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
            for row in found.rows.iter().filter(|r| !r.note().is_empty()) {
                let _ = writeln!(text, "  * {}, {}: {}", row.source, row.quantity, row.note());
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
    let of = |verdict| count.of(verdict);
    format!(
        "{} agree with print, {} contradict print, {} not printed and checked against an independent value, {} formula only; {} \
         bounds held; {} missed",
        of(RowVerdict::Agrees),
        of(RowVerdict::Contradicts),
        of(RowVerdict::Checked),
        of(RowVerdict::Formula),
        of(RowVerdict::Bound),
        of(RowVerdict::Missed),
    )
}

/// Counts of all papers together.
pub fn total_counts(all: &[PaperResults]) -> VerdictCounts {
    all.iter()
        .map(PaperResults::count)
        .fold(VerdictCounts::default(), |a, b| VerdictCounts(std::array::from_fn(|i| a.0[i] + b.0[i])))
}

fn cells(row: &ComparisonRow) -> Vec<String> {
    vec![
        row.source.clone(),
        with_unit(row),
        row.printed.as_ref().map(|p| p.text.clone()).unwrap_or_default(),
        row.reference.as_ref().map(|r| r.text()).unwrap_or_default(),
        row.ours.map(|x| significant(x, 10)).unwrap_or_default(),
        row.digits().map(|d| d.to_string()).unwrap_or_default(),
        row.verdict().word().to_string(),
    ]
}

/// The quantity with its unit.
pub fn with_unit(row: &ComparisonRow) -> String {
    if row.unit.is_empty() { row.quantity.clone() } else { format!("{} [{}]", row.quantity, row.unit) }
}

/// The results as JSON.
pub fn as_json(all: &[PaperResults]) -> Value {
    let count = |c: VerdictCounts| -> Value {
        RowVerdict::ALL.iter().map(|v| (v.key().to_string(), json!(c.of(*v)))).collect::<serde_json::Map<_, _>>().into()
    };
    let paper = |r: &PaperResults| {
        let examples: Vec<Value> = (r.paper.examples.iter().zip(&r.found))
            .map(|(e, f)| json!({ "title": e.title, "rows": f.rows.iter().map(ComparisonRow::json).collect::<Vec<_>>() }))
            .collect();
        json!({ "key": r.paper.key, "title": r.paper.title, "count": count(r.count()), "examples": examples })
    };
    json!({ "count": count(total_counts(all)), "papers": all.iter().map(paper).collect::<Vec<_>>() })
}
