//! `taut claims`: what the papers say about cost, measured on this machine.

use crate::ending::{Ending, Failure, note, say, say_json};
use crate::options::{AsJson, Style};
use clap::Args;
use std::path::PathBuf;
use taut_papers::claims::{as_json, as_text, measure, write};

/// Arguments of `taut claims`.
#[derive(Debug, Args)]
#[command(after_help = "\
All times are of one run on one core, the least of repeats: read the ratios. It takes about half a minute on an idle \
machine.

Examples:
  taut claims
  taut claims --write docs/papers      write claims.md and its picture")]
pub struct Arguments {
    /// Also write claims.md and its pictures into this folder
    #[arg(long, value_name = "FOLDER")]
    write: Option<PathBuf>,
    #[command(flatten)]
    printing: AsJson,
}

impl Arguments {
    /// Measures and tells.
    pub fn run(self) -> Result<Ending, Failure> {
        let claims = measure().map_err(|trouble| Failure::new(trouble.why))?;
        if let Some(folder) = &self.write {
            write(&claims, folder)?;
            note(&format!("{} is written", folder.join("claims.md").display()));
        }
        match self.printing.style() {
            Style::Json => say_json(&as_json(&claims))?,
            _ => say(&as_text(&claims))?,
        }
        Ok(Ending::Done)
    }
}
