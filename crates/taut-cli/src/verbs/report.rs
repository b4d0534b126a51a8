//! `taut report`: writes a run as one self-contained HTML file.

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
The file contains the scene, plots, events, extremes and the model. It opens from disk without a network. The data of long \
runs are reduced, keeping their extremes, so that the file stays below 10 MB.

Examples:
  taut report crank.run                                write crank.html
  taut report crank.run -o crank.html --compare heavy.run
  taut run crank.toml --report                         run the model and write the report")]
pub struct Arguments {
    /// Folder of results
    run: PathBuf,
    /// Output file [default: RUN.html]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// A second run to compare: transparent in the scene, dashed in the plots
    #[arg(long, alias = "ghost", value_name = "RUN")]
    compare: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

impl From<ViewError> for Failure {
    fn from(e: ViewError) -> Failure {
        match &e {
            ViewError::Serving { port, source } if source.kind() == ErrorKind::AddrInUse => Failure::with_help(
                format!("port {port} of 127.0.0.1 is in use"),
                "choose another port, or omit --port to use any free one",
            ),
            ViewError::Results(_) | ViewError::Model { .. } => {
                Failure::with_help(e.to_string(), "run the model again: taut run MODEL")
            }
            _ => Failure::new(e.to_string()),
        }
    }
}

/// Default path of the report of a folder: `crank.html` for `crank.run`, `v1.0.html` for `v1.0`.
pub fn beside(folder: &Path) -> PathBuf {
    if folder.extension().is_some_and(|e| e == "run") {
        return folder.with_extension("html");
    }
    // `.` and `..` have no file name.
    let whole =
        if folder.file_name().is_some() { folder.to_path_buf() } else { folder.canonicalize().unwrap_or_default() };
    let mut name = whole.file_name().unwrap_or("report".as_ref()).to_os_string();
    name.push(".html");
    whole.with_file_name(name)
}

/// Checks that a run or model exists.
///
/// # Errors
/// It does not exist.
pub fn present(path: &Path) -> Result<(), Failure> {
    if path.exists() {
        return Ok(());
    }
    let help = "give a folder of results, as written by taut run MODEL";
    Err(Failure::with_help(format!("{} does not exist", path.display()), help))
}

/// Checks that the folder of an output file exists.
///
/// # Errors
/// It does not exist.
pub fn folder_of(output: &Path) -> Result<(), Failure> {
    match output.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            let help = "create it first, or choose another file";
            Err(Failure::with_help(format!("folder {} does not exist", folder.display()), help))
        }
        _ => Ok(()),
    }
}

/// Checks that the path is a folder, not a file.
fn results(path: &Path) -> Result<(), Failure> {
    present(path)?;
    if path.is_dir() {
        return Ok(());
    }
    let help = match path.extension().is_some_and(|e| e == "toml") {
        true => format!("run the model and write its report with: taut run {} --report", path.display()),
        false => "give the folder written by taut run".to_string(),
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

/// Packs one of `runs` runs; together they fit the size limit of a report.
///
/// # Errors
/// The run cannot be shown.
pub fn packed(folder: &Path, runs: usize) -> Result<Vec<u8>, Failure> {
    Ok(pack(&Stage::open(folder)?, BUDGET / runs.max(1))?)
}

/// Writes the report of a run.
///
/// # Errors
/// The run cannot be shown, the program was built without its page, or the file cannot be written.
pub fn write(run: &Path, compare: Option<&Path>, output: &Path) -> Result<(), Failure> {
    let page = page::html()?;
    let runs = if compare.is_some() { 2 } else { 1 };
    let own = packed(run, runs)?;
    let ghost = compare.map(|other| packed(other, runs)).transpose()?;
    let text = page::report(page, &own, ghost.as_deref())?;
    std::fs::write(output, &text).map_err(|e| Failure::file("write", output, &e))?;
    note(&format!("wrote {} ({:.1} MB); open it in a browser", output.display(), text.len() as f64 / 1e6));
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
