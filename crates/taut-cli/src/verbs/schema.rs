//! `taut schema`: prints the JSON Schema of model files, for editors.

use crate::ending::{Ending, Failure, say_json};
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
    pub fn run(self) -> Result<Ending, Failure> {
        say_json(&taut_io::model::schema())?;
        Ok(Ending::Done)
    }
}
