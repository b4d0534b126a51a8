//! `taut schema`: prints the JSON Schema of model files, for editors.

use crate::exit::{CliError, ExitStatus, print_json};
use clap::Args;

/// Arguments of `taut schema`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  taut schema > taut.schema.json
Editors with a TOML language server use it if the first line of the model is:
  #:schema ./taut.schema.json")]
pub struct Arguments {}

impl Arguments {
    /// Prints the schema.
    pub fn run(self) -> Result<ExitStatus, CliError> {
        print_json(&taut_io::model::schema())?;
        Ok(ExitStatus::Success)
    }
}
