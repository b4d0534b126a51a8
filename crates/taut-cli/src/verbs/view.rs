//! `taut view`: a run, or a model that is run first, in the browser.

use super::{report, run};
use crate::ending::{Ending, Failure, note, say};
use crate::interrupt;
use crate::options::Changes;
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use taut_view::page;
use taut_view::server::{Go, Resources, Server};

/// Arguments of `taut view`.
#[derive(Debug, Args)]
#[command(after_help = "\
Serves the page on 127.0.0.1 until Ctrl-C; other machines cannot see it. Nothing is written to the folder of the run. A \
model is run first, with all columns, into a folder for the time being, which is removed at the end.

Over SSH, forward the port: ssh -L 8080:127.0.0.1:8080 HOST taut view crank.run --port 8080

Examples:
  taut view crank.run
  taut view crank.toml --set l=0.4
  taut view crank.run --compare heavy.run")]
pub struct Arguments {
    /// Folder of results, or a model file
    run: PathBuf,
    #[command(flatten)]
    changes: Changes,
    /// A second run (or model, as it stands), shown as a ghost and dashed
    #[arg(long, alias = "ghost", value_name = "RUN")]
    compare: Option<PathBuf>,
    /// Port [default: any that is free]
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Open no browser, only print the link
    #[arg(long)]
    no_open: bool,
}

impl Arguments {
    /// Serves until Ctrl-C.
    pub fn run(self) -> Result<Ending, Failure> {
        let page = page::html()?;
        let runs = if self.compare.is_some() { 2 } else { 1 };
        let (own, held) = match shown(&self.run, &self.changes, "run")? {
            Shown::Folder(folder, held) => (report::packed(&folder, runs)?, held),
            Shown::Interrupted => return Ok(Ending::Interrupted),
        };
        drop(held);
        let ghost = match &self.compare {
            None => None,
            Some(other) => match shown(other, &Changes::default(), "ghost")? {
                Shown::Folder(folder, _held) => Some(report::packed(&folder, runs)?),
                Shown::Interrupted => return Ok(Ending::Interrupted),
            },
        };
        let both = if ghost.is_some() { page::Shown::Compared } else { page::Shown::Alone };
        let page = page::served(page, both).into_bytes();
        let server = Server::bind(self.port, Resources { page, run: own, ghost })?;
        interrupt::listen();
        say(&format!("{}\n", server.link()))?;
        note("Ctrl-C ends it");
        if !self.no_open {
            open(&server.link());
        }
        server.serve(|| if interrupt::asked() { Go::Stop } else { Go::On });
        Ok(Ending::Done)
    }
}

/// What is to be shown, and what must live until it has been read.
enum Shown {
    Folder(PathBuf, Option<Held>),
    Interrupted,
}

/// A folder for the time being, removed when it is dropped.
struct Held(PathBuf);

impl Drop for Held {
    fn drop(&mut self) {
        // What cannot be removed is in the system's folder for such things.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The folder of a run: as given, or of a model that is run now.
fn shown(path: &Path, changes: &Changes, name: &str) -> Result<Shown, Failure> {
    if path.is_dir() {
        return match changes.set.first() {
            Some(_) => Err(Failure::with_help("--set changes models, not results", "name the model file")),
            None => Ok(Shown::Folder(path.to_path_buf(), None)),
        };
    }
    if !path.exists() {
        let help = "name a folder of results, or a model file";
        return Err(Failure::with_help(format!("{} is not there", path.display()), help));
    }
    if path.extension().is_some_and(|e| matches!(e.to_string_lossy().to_lowercase().as_str(), "html" | "svg" | "png")) {
        let help =
            "taut view takes a folder of results or a model file; reports and pictures open in a browser as they are";
        return Err(Failure::with_help(format!("{} is neither", path.display()), help));
    }
    let folder = std::env::temp_dir().join(format!("taut-view-{}-{name}", std::process::id()));
    let held = Held(folder.clone());
    note(&format!("runs {}; its results are kept only while they are shown", path.display()));
    match run::Arguments::shown(path, changes, &folder, run::Rows::Smooth).run()? {
        Ending::Interrupted => Ok(Shown::Interrupted),
        // A run that stopped early, or missed what its model expects, is what one wants to look at.
        Ending::Done | Ending::Refused | Ending::Stopped | Ending::Wrong => Ok(Shown::Folder(folder, Some(held))),
    }
}

/// Opens the browser where there is one; where there is none the link is all.
pub(super) fn open(link: &str) {
    let seen = |name: &str| std::env::var_os(name).is_some_and(|x| !x.is_empty());
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else if seen("DISPLAY") || seen("WAYLAND_DISPLAY") {
        ("xdg-open", &[])
    } else {
        return;
    };
    let quiet = || Stdio::null();
    let _ = Command::new(program).args(arguments).arg(link).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn();
}
