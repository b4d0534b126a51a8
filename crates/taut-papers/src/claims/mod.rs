//! What the papers claim about cost, measured: one file per claim, all ratios within one run.

mod forces;
mod gauss;
mod penalty;
mod steps;
mod table_one;
mod timing;

use crate::reproduce::Trouble;
use crate::text::{self, Align};
use crate::writing::{WriteError, make, put};
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

/// What was claimed, and what was found.
#[derive(Clone, Debug)]
pub struct Claim {
    /// In a few words.
    pub title: &'static str,
    /// Who said what, and what to make of it.
    pub said: &'static str,
    /// What was measured.
    pub table: Table,
    /// A picture of it, with the name of its file.
    pub figure: Option<(&'static str, Figure)>,
}

/// Measures all of them, one after the other.
///
/// # Errors
/// A model that does not run.
pub fn measure() -> Result<Vec<Claim>, Trouble> {
    Ok(vec![gauss::measure(), forces::measure(), penalty::measure()?, steps::measure()?, table_one::measure()?])
}

/// Head of the written page.
const HEAD: &str = "# What the papers claim about cost, measured\n\nWritten by `taut claims --write`; all figures of one run on \
                    one core, so that the ratios can be compared.\n";

/// Writes `claims.md` and its pictures into a folder.
///
/// # Errors
/// The file or folder that cannot be written.
pub fn write(claims: &[Claim], folder: &Path) -> Result<(), WriteError> {
    make(folder)?;
    let mut page = HEAD.to_string();
    for claim in claims {
        page += &format!("\n{}", claim.as_markdown());
        if let Some((name, figure)) = &claim.figure {
            put(&folder.join(name), &figure.to_svg())?;
        }
    }
    put(&folder.join("claims.md"), &page)
}

/// For a terminal, with a blank line between one claim and the next.
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
        format!("{}\n{}\n\n{}", self.title, self.said, text::table(&align, &lines, ""))
    }

    /// For a page.
    fn as_markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let rule = vec!["---".to_string(); self.table.head.len()];
        let mut text = format!("## {}\n\n{}\n\n{}{}", self.title, self.said, line(&self.table.head), line(&rule));
        self.table.rows.iter().for_each(|row| text += &line(row));
        if let Some((name, _)) = &self.figure {
            text += &format!("\n![{}]({name})\n", self.title);
        }
        text
    }

    /// For programs.
    fn as_json(&self) -> Value {
        json!({ "title": self.title, "said": self.said, "head": self.table.head, "rows": self.table.rows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim() -> Claim {
        let rows = [["projection", "1.00"], ["penalty", "12.50"]].map(|row| row.map(String::from).to_vec());
        Claim { title: "Speed", said: "Faster.", table: table(&["method", "ms"], rows.to_vec()), figure: None }
    }

    #[test]
    fn words_stand_left_and_numbers_right() {
        let told = as_text(&[claim(), claim()]);
        let one = "Speed\nFaster.\n\nmethod         ms\nprojection   1.00\npenalty     12.50\n";
        assert_eq!(told, format!("{one}\n{one}"));
    }

    #[test]
    fn a_section_of_the_page() {
        let rows = "| method | ms |\n| --- | --- |\n| projection | 1.00 |\n| penalty | 12.50 |\n";
        assert_eq!(claim().as_markdown(), format!("## Speed\n\nFaster.\n\n{rows}"));
    }
}
