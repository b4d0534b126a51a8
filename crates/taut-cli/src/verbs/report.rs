//! `taut report`: a run as one file for the browser.

use crate::ending::{Ending, Failure, note};
use crate::overwrite::{There, permit};
use clap::Args;
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
        Failure::new(e.to_string())
    }
}

impl Arguments {
    /// Writes the file.
    pub fn run(self) -> Result<Ending, Failure> {
        let output = self.output.clone().unwrap_or_else(|| self.run.with_extension("html"));
        let there = if self.force { There::Replaced } else { There::Kept };
        permit(&output, &self.run.join(MODEL), there)?;
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
