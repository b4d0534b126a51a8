//! Computes the numerical examples of the five papers: one folder per paper, one function per example.
//!
//! A new paper needs one folder with a `PAPER` and one line in [`PAPERS`].

mod case;
mod curve;
mod decade;
mod error;
mod figures;
mod fumagalli;
mod kamaraj;
mod masarati;
mod mitiguy;
mod newhart;
mod page;
mod print;
mod reference_values;
mod row;
mod table;

pub(crate) use case::{PaperModel, at};
pub(crate) use curve::exact_pendulum;
pub use error::ReproductionError;
pub use figures::draw;
pub(crate) use fumagalli::cost as operations;
pub(crate) use kamaraj::table as table_one;
pub(crate) use masarati::control;
pub use page::write;
pub use table::{as_json, as_text};

use case::take_opened_models;
use row::{ComparisonRow, RowVerdict};
use std::collections::BTreeSet;
use taut::analyses::laboratory::in_parallel;
use taut_io::plot::Sheet;

/// All papers, in the order of the output.
pub const PAPERS: &[Paper] = &[masarati::PAPER, fumagalli::PAPER, newhart::PAPER, kamaraj::PAPER, mitiguy::PAPER];

/// A paper.
#[derive(Clone, Copy, Debug)]
pub struct Paper {
    /// Short name: `newhart-2019`.
    pub key: &'static str,
    /// Key in `docs/references.bib`.
    pub cite: &'static str,
    /// Author, title, year.
    pub title: &'static str,
    /// What is reproduced and how: a paragraph of the page.
    pub about: &'static str,
    /// Its examples.
    pub(crate) examples: &'static [Example],
    /// Its figures that show data.
    pub(crate) figures: &'static [PaperFigure],
    /// Misprints and errors in the paper.
    pub(crate) misprints: &'static [Misprint],
}

/// An example of a paper.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Example {
    /// Section and title: `2.4.1 Pendulum`.
    pub title: &'static str,
    /// Computes its rows. An error becomes a missed row.
    pub compute: fn(&mut ExampleResults) -> Result<(), ReproductionError>,
}

/// A misprint or error in a paper.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Misprint {
    /// Equation, table or section.
    pub place: &'static str,
    /// What is printed.
    pub printed: &'static str,
    /// What is correct, and why.
    pub correct: &'static str,
}

/// Results of an example.
#[derive(Debug, Default)]
pub(crate) struct ExampleResults {
    /// Its rows.
    pub rows: Vec<ComparisonRow>,
    /// Names of its models.
    pub models: BTreeSet<String>,
}

/// A figure of a paper, drawn from runs of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PaperFigure {
    /// File name without extension: `newhart_fig17`.
    pub name: &'static str,
    /// Caption, with the number in the paper.
    pub caption: &'static str,
    /// Computes and draws it.
    pub draw: fn() -> Result<Sheet, ReproductionError>,
}

impl ExampleResults {
    /// Adds a row.
    pub fn push(&mut self, row: ComparisonRow) {
        self.rows.push(row);
    }
}

/// A paper with the results of its examples.
#[derive(Debug)]
pub struct PaperResults {
    /// The paper.
    pub paper: &'static Paper,
    /// One for each example.
    pub(crate) found: Vec<ExampleResults>,
}

/// Number of rows by verdict, in the order of all verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VerdictCounts([usize; RowVerdict::ALL.len()]);

impl VerdictCounts {
    /// Rows with a verdict.
    pub(crate) fn of(&self, verdict: RowVerdict) -> usize {
        self.0[verdict as usize]
    }

    /// Rows that miss what they are compared with.
    pub fn missed(&self) -> usize {
        self.of(RowVerdict::Missed)
    }
}

impl PaperResults {
    /// Counts its rows.
    pub fn count(&self) -> VerdictCounts {
        let mut count = VerdictCounts::default();
        for row in self.found.iter().flat_map(|f| &f.rows) {
            count.0[row.verdict() as usize] += 1;
        }
        count
    }
}

/// A word that matches no paper, or more than one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` does not identify one paper")]
pub struct AmbiguousPaper {
    /// The word.
    pub word: String,
    /// The keys that match; all keys if none matches.
    pub keys: Vec<&'static str>,
}

/// The papers that match these words, in the order of [`PAPERS`]; all papers without a word.
///
/// # Errors
/// The first word that matches none, or more than one.
pub fn select_papers(words: &[String]) -> Result<Vec<&'static Paper>, AmbiguousPaper> {
    let mut wanted = Vec::new();
    for word in words {
        let exact: Vec<&str> = PAPERS.iter().map(|p| p.key).filter(|k| k == word).collect();
        let begin: Vec<&str> = PAPERS.iter().map(|p| p.key).filter(|k| k.contains(word.as_str())).collect();
        let unclear = |keys| AmbiguousPaper { word: word.clone(), keys };
        match (exact.as_slice(), begin.as_slice()) {
            ([key], _) | ([], [key]) => wanted.push(*key),
            ([], []) => return Err(unclear(PAPERS.iter().map(|p| p.key).collect())),
            _ => return Err(unclear(begin)),
        }
    }
    Ok(PAPERS.iter().filter(|p| words.is_empty() || wanted.contains(&p.key)).collect())
}

/// Computes all examples of these papers in parallel; the results keep their order.
pub fn reproduce(papers: &[&'static Paper]) -> Vec<PaperResults> {
    let jobs: Vec<&Example> = papers.iter().flat_map(|p| p.examples).collect();
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut done = in_parallel(threads, jobs.len(), |i| jobs[i].findings()).into_iter();
    papers
        .iter()
        .map(|paper| PaperResults { paper, found: done.by_ref().take(paper.examples.len()).collect() })
        .collect()
}

impl Example {
    fn findings(&self) -> ExampleResults {
        let mut found = ExampleResults::default();
        take_opened_models();
        if let Err(trouble) = (self.compute)(&mut found) {
            found.push(ComparisonRow::new(self.title, "the rest of this example", "").remark(trouble.message));
        }
        found.models = take_opened_models();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn papers_by_a_part_of_their_names() {
        let keys = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            select_papers(&words).map(|papers| papers.iter().map(|p| p.key).collect::<Vec<_>>())
        };
        assert_eq!(keys(&["newh"]), Ok(vec!["newhart-2019"]));
        assert_eq!(keys(&[]), Ok(PAPERS.iter().map(|p| p.key).collect()));
        assert!(keys(&["kepler"]).is_err_and(|e| e.word == "kepler" && e.keys.len() == PAPERS.len()));
    }

    #[test]
    fn an_example_that_fails_is_missed() {
        let broken = Example {
            title: "1 Broken",
            compute: |found| {
                found.push(ComparisonRow::new("1", "one", "").printed("1").ours(1.0));
                Err(ReproductionError::new("it broke"))
            },
        };
        let rows = broken.findings().rows;
        let verdicts: Vec<RowVerdict> = rows.iter().map(ComparisonRow::verdict).collect();
        assert_eq!(verdicts, [RowVerdict::Agrees, RowVerdict::Missed]);
    }
}
