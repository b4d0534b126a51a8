//! `taut convert`: converts files of other programs to model files.

use crate::ending::{Ending, Failure, note, report, say};
use crate::options::Changes;
use crate::overwrite::{self, There};
use clap::Args;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use taut_io::model;

/// Arguments of `taut convert`.
#[derive(Debug, Args)]
#[command(after_help = "\
Content that a model file cannot express is listed on stderr. A TOML model is written with all parameters, parts and \
repetitions expanded.

Examples:
  taut convert arm.urdf arm.toml
  taut convert humanoid.xml humanoid.toml
  taut convert chain.toml - --set n=50        to stdout")]
pub struct Arguments {
    /// Input file: URDF, MJCF (.xml) or TOML
    input: PathBuf,
    /// Model file to write, or `-` for stdout
    output: PathBuf,
    #[command(flatten)]
    changes: Changes,
    /// Replace the output if it exists
    #[arg(long)]
    force: bool,
}

impl Arguments {
    /// Reads the input and writes the model file.
    pub fn run(self) -> Result<Ending, Failure> {
        let file = model::read(&self.input, &self.changes.set)?;
        report(&file.warnings);
        file.build()?;
        let text = file.write()?;
        if self.output.as_os_str() == "-" {
            say(&text)?;
            return Ok(Ending::Done);
        }
        let there = if self.force { There::Replaced } else { There::Kept };
        overwrite::permit(&self.output, &self.input, there)?;
        let mut options = OpenOptions::new();
        options.write(true);
        if self.force {
            options.create(true).truncate(true)
        } else {
            options.create_new(true)
        };
        match options.open(&self.output).and_then(|mut f| f.write_all(text.as_bytes())) {
            Ok(()) => {
                note(&format!("wrote {}", self.output.display()));
                Ok(Ending::Done)
            }
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {
                let help = "choose another file, or replace it with --force";
                Err(Failure::with_help(format!("{} already exists", self.output.display()), help))
            }
            Err(e) => Err(Failure::file("write", &self.output, &e)),
        }
    }
}
