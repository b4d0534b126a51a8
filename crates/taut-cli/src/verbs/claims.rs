//! `taut claims`: the papers' claims about computing cost, measured on this machine.

use crate::ending::{Ending, Failure, note, say, say_json};
use crate::options::{AsJson, Style};
use clap::Args;
use std::path::PathBuf;
use taut_papers::claims::{as_json, as_text, measure, write};

/// Arguments of `taut claims`.
#[derive(Debug, Args)]
#[command(after_help = "\
Each time is the minimum of repeated runs on one core; compare the ratios, not the times. The measurement takes about half a \
minute on an idle machine.

Examples:
  taut claims
  taut claims --write docs/papers      write claims.md and its pictures")]
pub struct Arguments {
    /// Also write claims.md and its pictures to this folder
    #[arg(long, value_name = "FOLDER")]
    write: Option<PathBuf>,
    #[command(flatten)]
    printing: AsJson,
}

impl Arguments {
    /// Measures and prints the claims.
    pub fn run(self) -> Result<Ending, Failure> {
        let claims = measure().map_err(|trouble| Failure::new(trouble.why))?;
        if let Some(folder) = &self.write {
            write(&claims, folder)?;
            note(&format!("wrote {}", folder.join("claims.md").display()));
        }
        match self.printing.style() {
            Style::Json => say_json(&as_json(&claims))?,
            _ => say(&as_text(&claims))?,
        }
        Ok(Ending::Done)
    }
}
