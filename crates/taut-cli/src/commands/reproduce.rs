//! `taut reproduce`: computes the numerical examples of the papers behind Taut.

use crate::exit::{CliError, ExitStatus, print_json, print_stderr, print_stdout};
use crate::options::{JsonOption, OutputStyle};
use clap::Args;
use std::path::PathBuf;
use taut_papers::reproduce::{PaperResults, as_json, as_text, draw, reproduce, select_papers, write};

/// Arguments of `taut reproduce`.
#[derive(Debug, Args)]
#[command(after_help = "\
Each row gives the value printed in the paper, the reference value, the value computed here, and a verdict: it agrees with print, \
contradicts print (with the erratum), is not printed and checked against an independent value, or is a formula only. One-sided \
bounds are counted separately. A part of a paper's name is enough. The exit code is 2 if a row misses what it is compared with.

Examples:
  taut reproduce                     # all papers
  taut reproduce newhart kamaraj     # two of them
  taut reproduce --json              # as JSON
  taut reproduce --write docs        # also write docs/papers.md
  taut reproduce --figures pictures  # only draw the figures of the papers")]
pub struct Arguments {
    /// Papers, or parts of their names [default: all]
    #[arg(value_name = "PAPER")]
    papers: Vec<String>,
    /// Also write the page papers.md to this folder
    #[arg(long, value_name = "FOLDER")]
    write: Option<PathBuf>,
    /// Draw the figures of the papers as SVG into this folder; without --write, do nothing else
    #[arg(long, value_name = "FOLDER")]
    figures: Option<PathBuf>,
    #[command(flatten)]
    printing: JsonOption,
}

impl Arguments {
    /// Computes and prints the examples.
    pub fn run(self) -> Result<ExitStatus, CliError> {
        let papers = select_papers(&self.papers)
            .map_err(|e| CliError::with_help(e.to_string(), format!("the papers are: {}", e.keys.join(", "))))?;
        if self.write.is_some() && !self.papers.is_empty() {
            let help = "omit the names of papers";
            return Err(CliError::with_help("--write always writes the page of all papers", help));
        }
        if let Some(folder) = &self.figures {
            let count = draw(&papers, folder).map_err(|e| CliError::new(e.to_string()))?;
            print_stderr(&format!("wrote {count} figures to {}", folder.display()));
            if self.write.is_none() {
                return Ok(ExitStatus::Success);
            }
        }
        let all = reproduce(&papers);
        if let Some(folder) = &self.write {
            write(&all, folder)?;
            print_stderr(&format!("wrote {}", folder.join("papers.md").display()));
        }
        match self.printing.style() {
            OutputStyle::Json => print_json(&as_json(&all))?,
            _ => print_stdout(&as_text(&all))?,
        }
        let missed: usize = all.iter().map(PaperResults::count).map(|c| c.missed()).sum();
        Ok(if missed == 0 { ExitStatus::Success } else { ExitStatus::Stopped })
    }
}
