//! `taut new`: writes a commented starter model that runs.

use crate::exit::{CliError, ExitStatus, print_stderr};
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
    pub fn run(self) -> Result<ExitStatus, CliError> {
        let mut path = self.name;
        if path.extension().is_none_or(|e| e != "toml") {
            path.as_mut_os_string().push(".toml");
        }
        let title = stem(&path).replace(['"', '\\'], "'");
        let text = STARTER.replace("NAME.toml", &path.display().to_string()).replace("NAME", &title);
        let written = OpenOptions::new().write(true).create_new(true).open(&path);
        match written.and_then(|mut f| f.write_all(text.as_bytes())) {
            Ok(()) => {
                print_stderr(&format!("wrote {}; next: taut run {}", path.display(), path.display()));
                Ok(ExitStatus::Success)
            }
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {
                Err(CliError::with_help(format!("{} already exists", path.display()), "choose another name"))
            }
            Err(e) => Err(CliError::file_error("write", &path, &e)),
        }
    }
}
