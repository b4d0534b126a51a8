//! `taut schema`: a JSON Schema of the model file, for editors.

use crate::ending::{Ending, Failure, say_json};
use clap::Args;

/// Arguments of `taut schema`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  taut schema > taut.schema.json
and in the first line of a model, for editors with a TOML language server:
  #:schema ./taut.schema.json")]
pub struct Arguments {}

impl Arguments {
    /// Prints the schema.
    pub fn run(self) -> Result<Ending, Failure> {
        say_json(&taut_io::model::schema())?;
        Ok(Ending::Done)
    }
}
