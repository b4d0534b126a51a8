//! `taut view`: shows a run in the browser; a model file is run first.

mod sweep;

use super::browser::open_browser;
use super::{report, run};
use crate::exit::{CliError, ExitStatus, print_stderr, print_stdout};
use crate::interrupt;
use crate::options::ModelOverrides;
use clap::Args;
use std::path::{Path, PathBuf};
use taut_sweep::StoredSweep;
use taut_view::page;
use taut_view::server::{Resources, Server, ServerControl};

/// Arguments of `taut view`.
#[derive(Debug, Args)]
#[command(after_help = "\
Serves the page on 127.0.0.1 until Ctrl-C; other machines cannot access it. Nothing is written to the folder of the run. If \
you give a model file, it is run first, with all columns, into a temporary folder; its results are not kept.

Over SSH, forward the port: ssh -L 8080:127.0.0.1:8080 HOST taut view crank.run --port 8080

Examples:
  taut view crank.run
  taut view crank.toml --set l=0.4
  # compare: all but the first are transparent, and dashed in the plots
  taut view crank.run heavy.run light.run
  # the members of a sweep; a click opens the motion of one
  taut view study.sweep")]
pub struct Arguments {
    /// Folder of results, of a run or a sweep, or a model file to run first; further ones (without --set) are compared
    /// with the first: transparent in the scene, dashed in the plots
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    #[command(flatten)]
    changes: ModelOverrides,
    /// The same as a further run; may be repeated
    #[arg(long, alias = "ghost", value_name = "RUN")]
    compare: Vec<PathBuf>,
    /// Port [default: any free port]
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Do not open a browser; only print the link
    #[arg(long)]
    no_open: bool,
}

impl Arguments {
    /// Serves until Ctrl-C.
    pub fn run(self) -> Result<ExitStatus, CliError> {
        let page = page::html()?;
        let mut others = self.runs.iter().chain(&self.compare);
        let Some(first) = others.next() else { return Err(CliError::new("give a run")) };
        let count = 1 + others.clone().count();
        if let Some(sweep) = std::iter::once(first).chain(others.clone()).find(|run| StoredSweep::is_sweep(run)) {
            if count > 1 {
                let help = "give it alone, or runs of members that `--keep run` has kept";
                return Err(CliError::with_help(format!("{} is a sweep, not a run", sweep.display()), help));
            }
            let server = Server::bind(self.port, sweep::resources(first)?)?;
            return self.serve(&server);
        }
        let Some(own) = packed(first, &self.changes, "run", count)? else { return Ok(ExitStatus::Interrupted) };
        let mut ghosts = Vec::new();
        for (k, other) in others.enumerate() {
            match packed(other, &ModelOverrides::default(), &format!("ghost{k}"), count)? {
                Some(ghost) => ghosts.push(ghost),
                None => return Ok(ExitStatus::Interrupted),
            }
        }
        let page = page::served(page, ghosts.len()).into_bytes();
        let server = Server::bind(self.port, Resources { page, run: own, ghosts, on_demand: None })?;
        self.serve(&server)
    }

    /// Serves until Ctrl-C.
    fn serve(&self, server: &Server) -> Result<ExitStatus, CliError> {
        interrupt::install_handler();
        print_stdout(&format!("{}\n", server.link()))?;
        print_stderr("press Ctrl-C to stop");
        if !self.no_open {
            open_browser(&server.link());
        }
        server.serve(|| if interrupt::stop_requested() { ServerControl::Stop } else { ServerControl::On });
        Ok(ExitStatus::Success)
    }
}

/// One of `count` runs for the page, run first if it is a model; none if that was interrupted.
fn packed(path: &Path, changes: &ModelOverrides, name: &str, count: usize) -> Result<Option<Vec<u8>>, CliError> {
    match resolve_source(path, changes, name)? {
        ViewSource::Folder(folder, _held) => report::pack_folder(&folder, count).map(Some),
        ViewSource::Interrupted => Ok(None),
    }
}

/// The folder to show, with its guard if it is temporary.
enum ViewSource {
    Folder(PathBuf, Option<TemporaryFolder>),
    Interrupted,
}

/// A temporary folder, removed on drop.
struct TemporaryFolder(PathBuf);

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // A folder that cannot be removed is left in the temporary directory.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The folder of a run: as given, or a temporary one into which the model is run now.
fn resolve_source(path: &Path, changes: &ModelOverrides, name: &str) -> Result<ViewSource, CliError> {
    if path.is_dir() {
        return match changes.set.first() {
            Some(_) => {
                Err(CliError::with_help("--set applies to models, not to results", "give the model file instead"))
            }
            None => Ok(ViewSource::Folder(path.to_path_buf(), None)),
        };
    }
    if !path.exists() {
        let help = "give a folder of results or a model file";
        return Err(CliError::with_help(format!("{} does not exist", path.display()), help));
    }
    if path.extension().is_some_and(|e| matches!(e.to_string_lossy().to_lowercase().as_str(), "html" | "svg" | "png")) {
        let help = "give a folder of results or a model file; open reports and pictures directly in a browser";
        return Err(CliError::with_help(
            format!("{} is neither a folder of results nor a model file", path.display()),
            help,
        ));
    }
    let folder = std::env::temp_dir().join(format!("taut-view-{}-{name}", std::process::id()));
    let held = TemporaryFolder(folder.clone());
    print_stderr(&format!("running {}; its results are not kept", path.display()));
    match run::Arguments::for_display(path, changes, &folder, run::RowDensity::Smooth).run()? {
        ExitStatus::Interrupted => Ok(ViewSource::Interrupted),
        // A run that stopped early or missed an expectation is worth looking at.
        ExitStatus::Success | ExitStatus::Failed | ExitStatus::Stopped | ExitStatus::AuditFailed => {
            Ok(ViewSource::Folder(folder, Some(held)))
        }
    }
}
