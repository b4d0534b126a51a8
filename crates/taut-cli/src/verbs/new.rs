//! `taut new`: writes a commented starter model that runs.

use crate::ending::{Ending, Failure, note};
use crate::options::stem;
use clap::Args;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

/// Arguments of `taut new`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  taut new crank            write crank.toml
  taut run crank.toml       simulate it")]
pub struct Arguments {
    /// Name of the model file; `.toml` is added if missing
    name: PathBuf,
}

/// Text of the starter model; `NAME` is replaced.
const STARTER: &str = include_str!("../starter.toml");

impl Arguments {
    /// Writes the starter model.
    pub fn run(self) -> Result<Ending, Failure> {
        let mut path = self.name;
        if path.extension().is_none_or(|e| e != "toml") {
            path.as_mut_os_string().push(".toml");
        }
        let title = stem(&path).replace(['"', '\\'], "'");
        let text = STARTER.replace("NAME.toml", &path.display().to_string()).replace("NAME", &title);
        let written = OpenOptions::new().write(true).create_new(true).open(&path);
        match written.and_then(|mut f| f.write_all(text.as_bytes())) {
            Ok(()) => {
                note(&format!("wrote {}; next: taut run {}", path.display(), path.display()));
                Ok(Ending::Done)
            }
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {
                Err(Failure::with_help(format!("{} already exists", path.display()), "choose another name"))
            }
            Err(e) => Err(Failure::file("write", &path, &e)),
        }
    }
}
