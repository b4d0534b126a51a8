//! `taut convert`: files of other programs as model files.

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
What the file says and the model does not is listed on stderr. A TOML file is written with all parameters, parts and \
repetitions resolved.

Examples:
  taut convert arm.urdf arm.toml
  taut convert humanoid.xml humanoid.toml
  taut convert chain.toml - --set n=50        to stdout")]
pub struct Arguments {
    /// The file: URDF, MJCF (.xml) or TOML
    input: PathBuf,
    /// The model file to write, or `-`
    output: PathBuf,
    #[command(flatten)]
    changes: Changes,
    /// Replace the output if it is there
    #[arg(long)]
    force: bool,
}

impl Arguments {
    /// Reads the one, writes the other.
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
                note(&format!("{} is written", self.output.display()));
                Ok(Ending::Done)
            }
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {
                let help = "name another file, or say --force";
                Err(Failure::with_help(format!("{} is there already", self.output.display()), help))
            }
            Err(e) => Err(Failure::file("write", &self.output, &e)),
        }
    }
}
