//! `taut report`: a run as one file for the browser.

use crate::ending::{Ending, Failure, note};
use crate::overwrite::{There, permit};
use clap::Args;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use taut_io::results::MODEL;
use taut_view::pack::{BUDGET, pack};
use taut_view::staging::Stage;
use taut_view::{ViewError, page};

/// Arguments of `taut report`.
#[derive(Debug, Args)]
#[command(after_help = "\
One file with everything in it: scene, plots, events, extremes, the model. It opens from disk, asks for no network, and \
can be mailed; long runs are thinned with their extremes kept, so that it stays below 10 MB.

Examples:
  taut report crank.run                                write crank.html
  taut report crank.run -o crank.html --compare heavy.run
  taut run crank.toml --report                         run and report at once")]
pub struct Arguments {
    /// Folder of the results
    run: PathBuf,
    /// File to be written [default: RUN.html]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// A second run, shown as a ghost and dashed
    #[arg(long, alias = "ghost", value_name = "RUN")]
    compare: Option<PathBuf>,
    /// Replace a file that is there
    #[arg(long)]
    force: bool,
}

impl From<ViewError> for Failure {
    fn from(e: ViewError) -> Failure {
        match &e {
            ViewError::Serving { port, source } if source.kind() == ErrorKind::AddrInUse => Failure::with_help(
                format!("port {port} of 127.0.0.1 is in use"),
                "name another one, or leave --port out for any that is free",
            ),
            ViewError::Results(_) | ViewError::Model { .. } => {
                Failure::with_help(e.to_string(), "run the model again: taut run MODEL")
            }
            _ => Failure::new(e.to_string()),
        }
    }
}

/// Where the report of a folder goes unless told otherwise: `crank.html` for `crank.run`, `v1.0.html` for `v1.0`.
pub fn beside(folder: &Path) -> PathBuf {
    if folder.extension().is_some_and(|e| e == "run") {
        return folder.with_extension("html");
    }
    // `.` and `..` have no name of their own.
    let whole =
        if folder.file_name().is_some() { folder.to_path_buf() } else { folder.canonicalize().unwrap_or_default() };
    let mut name = whole.file_name().unwrap_or("report".as_ref()).to_os_string();
    name.push(".html");
    whole.with_file_name(name)
}

/// Refuses a run or model that is not there.
///
/// # Errors
/// Nothing of that name.
pub fn present(path: &Path) -> Result<(), Failure> {
    if path.exists() {
        return Ok(());
    }
    let help = "name a folder of results, as taut run MODEL makes it";
    Err(Failure::with_help(format!("{} is not there", path.display()), help))
}

/// Refuses an output whose folder is not there.
///
/// # Errors
/// The folder, by its name.
pub fn folder_of(output: &Path) -> Result<(), Failure> {
    match output.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            let help = "make it first, or name another file";
            Err(Failure::with_help(format!("folder {} does not exist", folder.display()), help))
        }
        _ => Ok(()),
    }
}

/// Refuses a file where only a folder of results will do.
fn results(path: &Path) -> Result<(), Failure> {
    present(path)?;
    if path.is_dir() {
        return Ok(());
    }
    let help = match path.extension().is_some_and(|e| e == "toml") {
        true => format!("run it and report at once: taut run {} --report", path.display()),
        false => "name the folder that taut run made".to_string(),
    };
    Err(Failure::with_help(format!("{} is a file, not a folder of results", path.display()), help))
}

impl Arguments {
    /// Writes the file.
    pub fn run(self) -> Result<Ending, Failure> {
        for run in std::iter::once(&self.run).chain(&self.compare) {
            results(run)?;
        }
        let output = self.output.clone().unwrap_or_else(|| beside(&self.run));
        let there = if self.force { There::Replaced } else { There::Kept };
        permit(&output, &self.run.join(MODEL), there)?;
        folder_of(&output)?;
        write(&self.run, self.compare.as_deref(), &output)?;
        Ok(Ending::Done)
    }
}

/// Packs one run; two share the room that a report has.
///
/// # Errors
/// A run that cannot be shown.
pub fn packed(folder: &Path, runs: usize) -> Result<Vec<u8>, Failure> {
    Ok(pack(&Stage::open(folder)?, BUDGET / runs.max(1))?)
}

/// Writes the report of a run.
///
/// # Errors
/// A run that cannot be shown, a program without its page, a file that cannot be written.
pub fn write(run: &Path, compare: Option<&Path>, output: &Path) -> Result<(), Failure> {
    let page = page::html()?;
    let runs = if compare.is_some() { 2 } else { 1 };
    let own = packed(run, runs)?;
    let ghost = compare.map(|other| packed(other, runs)).transpose()?;
    let text = page::report(page, &own, ghost.as_deref())?;
    std::fs::write(output, &text).map_err(|e| Failure::file("write", output, &e))?;
    note(&format!("{} is written ({:.1} MB); open it in a browser", output.display(), text.len() as f64 / 1e6));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_of_different_folders_have_different_names() {
        let name = |folder: &str| beside(Path::new(folder)).display().to_string();
        assert_eq!(
            (name("a/crank.run"), name("v1.0"), name("v1.1")),
            ("a/crank.html".into(), "v1.0.html".into(), "v1.1.html".into())
        );
        assert!(name(".").ends_with(".html") && !name(".").starts_with('.'));
    }
}
