//! `taut gather`: joins the shards of a sweep.

use crate::exit::{CliError, ExitStatus, print_stdout};
use clap::Args;
use std::path::PathBuf;

/// Arguments of `taut gather`.
#[derive(Debug, Args)]
#[command(after_help = "\
The table is the same, bit for bit, as that of the undivided sweep.

Examples:
  taut gather study.sweep  # shards that ran with -o study.sweep
  taut gather study.sweep node1/study.sweep node2/study.sweep")]
pub struct Arguments {
    /// Folder of the sweep
    folder: PathBuf,
    /// Folders with shards [default: those in FOLDER]
    shards: Vec<PathBuf>,
    /// Gather available members even if some are missing
    #[arg(long)]
    partial: bool,
}

impl Arguments {
    /// Joins the shards.
    pub fn run(self) -> Result<ExitStatus, CliError> {
        let found = taut_sweep::gather(&self.folder, &self.shards, self.partial)?;
        let shown = self.folder.display();
        print_stdout(&format!("{} of {} members, {} failed, in {shown}\n", found.done, found.total, found.failed))?;
        Ok(ExitStatus::Success)
    }
}
