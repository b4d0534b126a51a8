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

/// What is known of a claim before it is measured.
#[derive(Clone, Debug)]
pub struct Outline {
    /// Short title.
    pub title: &'static str,
    /// The claim with its source, and its assessment.
    pub statement: &'static str,
    /// Names of the columns.
    pub head: Vec<String>,
    /// The first cell of each row.
    pub row_names: Vec<String>,
}

/// A claim and its measurement.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The claim.
    pub outline: Outline,
    /// The measurement: the cells of each row after the first one.
    pub cells: Vec<Vec<String>>,
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

/// The outlines of all claims, in the order of [`measure`].
pub fn outlines() -> [Outline; 5] {
    [gauss::outline(), forces::outline(), penalty::outline(), steps::outline(), table_one::outline()]
}

/// A row of a table in Markdown.
fn markdown_row(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

impl Outline {
    /// The section of the page up to the head of its table.
    fn as_markdown(&self) -> String {
        format!("## {}\n\n{}\n\n{}", self.title, self.statement, markdown_row(&self.head))
    }
}

impl Claim {
    /// All cells of each row.
    fn rows(&self) -> Vec<Vec<String>> {
        let row = |(name, cells): (&String, &Vec<String>)| std::iter::once(name).chain(cells).cloned().collect();
        self.outline.row_names.iter().zip(&self.cells).map(row).collect()
    }

    /// For a terminal.
    fn as_text(&self) -> String {
        let Outline { title, statement, head, .. } = &self.outline;
        let lines: Vec<Vec<String>> = std::iter::once(head.clone()).chain(self.rows()).collect();
        let set = |k: usize| if k == 0 { Align::Left } else { Align::Right };
        let align: Vec<Align> = (0..head.len()).map(set).collect();
        format!("{title}\n{statement}\n\n{}", text::table(&align, &lines, ""))
    }

    /// For a page.
    fn as_markdown(&self) -> String {
        let rule = vec!["---".to_string(); self.outline.head.len()];
        let mut text = self.outline.as_markdown() + &markdown_row(&rule);
        self.rows().iter().for_each(|row| text += &markdown_row(row));
        if let Some((name, _)) = &self.figure {
            text += &format!("\n![{}]({name})\n", self.outline.title);
        }
        text
    }

    /// For programs.
    fn as_json(&self) -> Value {
        let Outline { title, statement, head, .. } = &self.outline;
        json!({ "title": title, "said": statement, "head": head, "rows": self.rows() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim() -> Claim {
        let texts = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        let (head, row_names) = (texts(&["method", "ms"]), texts(&["projection", "penalty"]));
        let outline = Outline { title: "Speed", statement: "Faster.", head, row_names };
        Claim { outline, cells: vec![texts(&["1.00"]), texts(&["12.50"])], figure: None }
    }

    /// Without measuring: sections, heads and the names of rows. The page once listed methods that were no longer measured.
    #[test]
    fn the_page_in_docs_belongs_to_the_program() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/papers/claims.md");
        let page = std::fs::read_to_string(page).unwrap();
        let mut rest = page.strip_prefix(PAGE_HEADER).expect("the head of the page");
        for outline in outlines() {
            let again = "run `taut claims --write docs/papers`";
            rest = rest
                .trim_start()
                .strip_prefix(&outline.as_markdown())
                .unwrap_or_else(|| panic!("{again}: {outline:#?}"));
            let rows: Vec<&str> = rest.lines().skip(1).map_while(|line| line.strip_prefix("| ")).collect();
            let names: Vec<&str> = rows.iter().map(|row| row.split(" | ").next().unwrap()).collect();
            assert_eq!(names, outline.row_names, "{again}");
            rest = &rest[rest.find("\n## ").unwrap_or(rest.len())..];
        }
        assert_eq!(rest, "", "a section that is not measured");
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
