//! What the papers claim about cost, measured: one file per claim, all ratios within one run.

mod forces;
mod gauss;
mod penalty;
mod steps;
mod table_one;
mod timing;

use crate::reproduce::Trouble;
use serde_json::{Value, json};
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

/// A head and rows of texts.
fn table(head: &[&str], rows: Vec<Vec<String>>) -> Table {
    Table { head: head.iter().map(ToString::to_string).collect(), rows }
}

impl Claim {
    /// For a terminal.
    pub fn as_text(&self) -> String {
        let lines: Vec<&Vec<String>> = std::iter::once(&self.table.head).chain(&self.table.rows).collect();
        let width = |i: usize| lines.iter().map(|l| l[i].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.table.head.len()).map(width).collect();
        let mut text = format!("{}\n{}\n\n", self.title, self.said);
        for line in lines {
            let cells = line.iter().zip(&widths).enumerate();
            let cells = cells.map(|(i, (cell, w))| if i == 0 { format!("{cell:<w$}") } else { format!("{cell:>w$}") });
            text += &format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end());
        }
        text
    }

    /// For a page.
    pub fn as_markdown(&self) -> String {
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
    pub fn as_json(&self) -> Value {
        json!({ "title": self.title, "said": self.said, "head": self.table.head, "rows": self.table.rows })
    }
}
