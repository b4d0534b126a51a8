//! The page `papers.md`.

use super::row::ComparisonRow;
use super::table::{counts_text, total_counts, with_unit};
use super::{Paper, PaperResults};
use crate::files::{WriteError, create_folder, write_file};
use crate::models::FILES;
use crate::text::significant;
use std::fmt::Write;
use std::path::Path;

/// Digits shown of our values; more would differ between machines.
const SHOWN_DIGITS: usize = 7;

/// Writes `papers.md` to a folder. Its figures are in the folder `papers` beside it, written by [`draw`](super::draw).
///
/// # Errors
/// The file cannot be written.
pub fn write(all: &[PaperResults], folder: &Path) -> Result<(), WriteError> {
    create_folder(folder)?;
    write_file(&folder.join("papers.md"), &markdown(all))
}

/// The page as Markdown.
fn markdown(all: &[PaperResults]) -> String {
    let mut page = String::from(
        "# The papers, reproduced\n\n\
         `taut reproduce` computes the numerical examples of the papers behind Taut, and draws their figures. This page is \
         written by `taut reproduce --write docs --figures docs/papers`; a test compares it with the program. The models \
         are in `models/papers`, the reference values in `models/papers/reference.json`. The programs in `checks/papers` \
         compute these values. They are written in Python from the equations of the papers and share nothing with Taut; \
         `python3 checks/paper_values.py` runs them all.\n\n\
         The line below a heading names the models of the example, if it has any: open one with `taut view`, or run it with other values (`--set`).\n\n\
         *Printed* is the value in the paper. *Reference* is the value with which ours is compared, with its tolerance; its \
         source is below each table. Every row can fail, and has one of these verdicts:\n\n\
         - *agrees with print*: ours is the printed value, to its last digit.\n\
         - *contradicts print*: ours is the independent value, and the print is something else. The note has the erratum.\n\
         - *checked*: nothing is printed; ours is the independent value.\n\
         - *formula only*: a formula of the paper, evaluated without a model.\n\
         - *bound held*: a one-sided bound, such as one of round-off. This does not count as a reproduction.\n\n",
    );
    let _ = writeln!(page, "All papers: {}.\n", counts_text(total_counts(all)));
    for reproduced in all {
        let Paper { cite, title, about, figures, .. } = reproduced.paper;
        let _ = writeln!(page, "## {title} \\[{cite}\\]\n\n{about}\n");
        let _ = writeln!(page, "{}.", upper(&counts_text(reproduced.count())));
        for (example, found) in reproduced.paper.examples.iter().zip(&reproduced.found) {
            let _ = writeln!(page, "\n### {}\n", example.title);
            if !found.models.is_empty() {
                let _ = writeln!(page, "{}\n", links(found.models.iter().map(String::as_str)));
            }
            rows(&mut page, &found.rows);
        }
        let others = other_models(reproduced);
        if !others.is_empty() {
            let _ = writeln!(page, "\n### Other models of this paper\n\n{}", links(others.into_iter()));
        }
        if !figures.is_empty() {
            page.push_str("\n### Figures\n");
        }
        for figure in *figures {
            let _ = writeln!(page, "\n![{0}](papers/{1}.svg)\n\n*{0}*", figure.caption, figure.name);
        }
        misprints(&mut page, reproduced.paper);
    }
    while page.ends_with("\n\n") {
        page.pop();
    }
    page
}

/// Links to models of `models/papers`.
fn links<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|m| format!("[{m}.toml](../models/papers/{m}.toml)")).collect::<Vec<_>>().join(" · ")
}

/// Models whose names begin with the first author, and which no example has opened: figures, and variants for the reader.
fn other_models(reproduced: &PaperResults) -> Vec<&'static str> {
    let author = reproduced.paper.key.split('-').next().unwrap_or_default();
    let names = FILES.iter().filter_map(|(path, _)| path.strip_prefix("papers/")?.strip_suffix(".toml"));
    let own = names.filter(|name| name.split('_').next() == Some(author));
    own.filter(|name| !reproduced.found.iter().any(|found| found.models.contains(*name))).collect()
}

fn rows(page: &mut String, rows: &[ComparisonRow]) {
    page.push_str("| source | quantity | printed | reference | ours | difference | |\n|---|---|---|---|---|---|---|\n");
    let mut notes: Vec<String> = Vec::new();
    let mut sources: Vec<&str> = Vec::new();
    for row in rows {
        let mark = note_mark(&mut notes, row.note());
        if let Some(reference) = row.reference.as_ref().filter(|r| !sources.contains(&r.source.as_str())) {
            sources.push(&reference.source);
        }
        let cells = [
            row.source.clone(),
            format!("{}{mark}", with_unit(row)),
            row.printed.as_ref().map(|p| p.text.clone()).unwrap_or_default(),
            row.reference.as_ref().map(|r| r.text()).unwrap_or_default(),
            row.ours.map(|x| significant(x, SHOWN_DIGITS)).unwrap_or_default(),
            row.difference().map(|x| significant(x, 1)).unwrap_or_default(),
            row.verdict().word().to_string(),
        ];
        let _ = writeln!(page, "| {} |", cells.map(|c| c.replace('|', "\\|")).join(" | "));
    }
    if !sources.is_empty() {
        let _ = writeln!(page, "\nReference values: {}.", sources.join("; "));
    }
    if !notes.is_empty() {
        page.push('\n');
    }
    for (i, note) in notes.iter().enumerate() {
        let _ = writeln!(page, "{}. {note}", i + 1);
    }
}

/// The number of a note; rows with the same note share it.
fn note_mark(notes: &mut Vec<String>, note: String) -> String {
    if note.is_empty() {
        return String::new();
    }
    let known = notes.iter().position(|n| *n == note);
    let i = known.unwrap_or_else(|| {
        notes.push(note);
        notes.len() - 1
    });
    format!(" ({})", i + 1)
}

fn misprints(page: &mut String, paper: &Paper) {
    page.push('\n');
    if paper.misprints.is_empty() {
        return;
    }
    page.push_str("### Misprints and errors\n\n| where | printed | correct |\n|---|---|---|\n");
    for m in paper.misprints {
        let cells = [m.place, m.printed, m.correct].map(|c| c.replace('|', "\\|"));
        let _ = writeln!(page, "| {} |", cells.join(" | "));
    }
    page.push('\n');
}

fn upper(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_shared() {
        let mut page = String::new();
        let reported = [
            ComparisonRow::new("1", "x", "m").printed("1.5").ours(1.5).remark("as printed"),
            ComparisonRow::new("2", "|y|", "").printed("2.5").ours(2.5).remark("as printed"),
        ];
        rows(&mut page, &reported);
        assert!(page.contains("| 1 | x [m] (1) | 1.5 |  | 1.5 |  | agrees with print |"), "{page}");
        assert!(page.contains("| 2 | \\|y\\| (1) |"), "{page}");
        assert!(page.ends_with("\n1. as printed\n"), "{page}");
    }
}
