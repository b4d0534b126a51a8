//! Measures the papers' claims about computing cost: one file per claim; all ratios come from one run.

mod forces;
mod gauss;
mod penalty;
mod steps;
mod table_one;
mod timing;

use crate::files::{WriteError, create_folder, write_file};
use crate::reproduce::ReproductionError;
use crate::text::{self, Align};
use serde_json::{Value, json};
use std::path::Path;
use taut_io::plot::Figure;

/// Head and rows.
#[derive(Clone, Debug)]
pub struct Table {
    /// Names of the columns.
    pub head: Vec<String>,
    /// As many texts each.
    pub rows: Vec<Vec<String>>,
}

/// A claim and its measurement.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Short title.
    pub title: &'static str,
    /// The claim with its source, and its assessment.
    pub statement: &'static str,
    /// The measurement.
    pub table: Table,
    /// A picture of it, with its file name.
    pub figure: Option<(&'static str, Figure)>,
}

/// Measures all claims in sequence.
///
/// # Errors
/// A model does not run.
pub fn measure() -> Result<Vec<Claim>, ReproductionError> {
    Ok(vec![gauss::measure(), forces::measure(), penalty::measure()?, steps::measure()?, table_one::measure()?])
}

/// Head of the written page.
const PAGE_HEADER: &str = "# What the papers claim about cost, measured\n\nThis page is written by `taut claims --write`. All figures are \
                    from one run on one core, so that their ratios can be compared.\n";

/// Writes `claims.md` and its pictures to a folder.
///
/// # Errors
/// The file or folder that cannot be written.
pub fn write(claims: &[Claim], folder: &Path) -> Result<(), WriteError> {
    create_folder(folder)?;
    let mut page = PAGE_HEADER.to_string();
    for claim in claims {
        page += &format!("\n{}", claim.as_markdown());
        if let Some((name, figure)) = &claim.figure {
            write_file(&folder.join(name), &figure.to_svg())?;
        }
    }
    write_file(&folder.join("claims.md"), &page)
}

/// All claims as text for a terminal, separated by blank lines.
pub fn as_text(claims: &[Claim]) -> String {
    claims.iter().map(Claim::as_text).collect::<Vec<_>>().join("\n")
}

/// For programs.
pub fn as_json(claims: &[Claim]) -> Value {
    claims.iter().map(Claim::as_json).collect()
}

/// A head and rows of texts.
fn table(head: &[&str], rows: Vec<Vec<String>>) -> Table {
    Table { head: head.iter().map(ToString::to_string).collect(), rows }
}

impl Claim {
    /// For a terminal.
    fn as_text(&self) -> String {
        let lines: Vec<Vec<String>> = std::iter::once(&self.table.head).chain(&self.table.rows).cloned().collect();
        let set = |k: usize| if k == 0 { Align::Left } else { Align::Right };
        let align: Vec<Align> = (0..self.table.head.len()).map(set).collect();
        format!("{}\n{}\n\n{}", self.title, self.statement, text::table(&align, &lines, ""))
    }

    /// For a page.
    fn as_markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let rule = vec!["---".to_string(); self.table.head.len()];
        let mut text = format!("## {}\n\n{}\n\n{}{}", self.title, self.statement, line(&self.table.head), line(&rule));
        self.table.rows.iter().for_each(|row| text += &line(row));
        if let Some((name, _)) = &self.figure {
            text += &format!("\n![{}]({name})\n", self.title);
        }
        text
    }

    /// For programs.
    fn as_json(&self) -> Value {
        json!({ "title": self.title, "said": self.statement, "head": self.table.head, "rows": self.table.rows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim() -> Claim {
        let rows = [["projection", "1.00"], ["penalty", "12.50"]].map(|row| row.map(String::from).to_vec());
        Claim { title: "Speed", statement: "Faster.", table: table(&["method", "ms"], rows.to_vec()), figure: None }
    }

    #[test]
    fn words_stand_left_and_numbers_right() {
        let reported = as_text(&[claim(), claim()]);
        let one = "Speed\nFaster.\n\nmethod         ms\nprojection   1.00\npenalty     12.50\n";
        assert_eq!(reported, format!("{one}\n{one}"));
    }

    #[test]
    fn a_section_of_the_page() {
        let rows = "| method | ms |\n| --- | --- |\n| projection | 1.00 |\n| penalty | 12.50 |\n";
        assert_eq!(claim().as_markdown(), format!("## Speed\n\nFaster.\n\n{rows}"));
    }
}
