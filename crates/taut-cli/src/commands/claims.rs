//! `taut claims`: the papers' claims about computing cost, measured on this machine.

use crate::exit::{CliError, ExitStatus, print_json, print_stderr, print_stdout};
use crate::options::{JsonOption, OutputStyle};
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
  taut claims --write docs/papers  # write claims.md and its pictures")]
pub struct Arguments {
    /// Also write claims.md and its pictures to this folder
    #[arg(long, value_name = "FOLDER")]
    write: Option<PathBuf>,
    #[command(flatten)]
    printing: JsonOption,
}

impl Arguments {
    /// Measures and prints the claims.
    pub fn run(self) -> Result<ExitStatus, CliError> {
        let claims = measure().map_err(|trouble| CliError::new(trouble.message))?;
        if let Some(folder) = &self.write {
            write(&claims, folder)?;
            print_stderr(&format!("wrote {}", folder.join("claims.md").display()));
        }
        match self.printing.style() {
            OutputStyle::Json => print_json(&as_json(&claims))?,
            _ => print_stdout(&as_text(&claims))?,
        }
        Ok(ExitStatus::Success)
    }
}
