//! `taut report`: writes a run as one self-contained HTML file.

use crate::exit::{CliError, ExitStatus, print_stderr};
use crate::overwrite::check_overwrite;
use clap::Args;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use taut_io::results::MODEL;
use taut_view::pack::{BUDGET, pack};
use taut_view::scene_graph::RunScene;
use taut_view::{ViewError, page};

/// Arguments of `taut report`.
#[derive(Debug, Args)]
#[command(after_help = "\
The file contains the scene, plots, events, extremes and the model. It opens from disk without a network. The data of long \
runs are reduced, keeping their extremes, so that the file stays below 10 MB.

Examples:
  taut report crank.run         # write crank.html
  taut report crank.run -o crank.html --compare heavy.run
  taut run crank.toml --report  # run the model and write the report")]
pub struct Arguments {
    /// Folder of results
    run: PathBuf,
    /// Output file [default: RUN.html]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Another run to compare: transparent in the scene, dashed in the plots; may be repeated
    #[arg(long, alias = "ghost", value_name = "RUN")]
    compare: Vec<PathBuf>,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

impl From<ViewError> for CliError {
    fn from(e: ViewError) -> CliError {
        match &e {
            ViewError::Serving { port, source } if source.kind() == ErrorKind::AddrInUse => CliError::with_help(
                format!("port {port} of 127.0.0.1 is in use"),
                "choose another port, or omit --port to use any free one",
            ),
            ViewError::Results(_) | ViewError::Model { .. } => {
                CliError::with_help(e.to_string(), "run the model again: taut run MODEL")
            }
            _ => CliError::new(e.to_string()),
        }
    }
}

/// Default path of the report of a folder: `crank.html` for `crank.run`, `v1.0.html` for `v1.0`.
pub fn default_report_path(folder: &Path) -> PathBuf {
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
pub fn require_exists(path: &Path) -> Result<(), CliError> {
    if path.exists() {
        return Ok(());
    }
    let help = "give a folder of results, as written by taut run MODEL";
    Err(CliError::with_help(format!("{} does not exist", path.display()), help))
}

/// Checks that the folder of an output file exists.
///
/// # Errors
/// It does not exist.
pub fn require_parent_folder(output: &Path) -> Result<(), CliError> {
    match output.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            let help = "create it first, or choose another file";
            Err(CliError::with_help(format!("folder {} does not exist", folder.display()), help))
        }
        _ => Ok(()),
    }
}

/// Checks that the path is a folder, not a file.
fn require_results_folder(path: &Path) -> Result<(), CliError> {
    require_exists(path)?;
    if path.is_dir() {
        return Ok(());
    }
    let help = match path.extension().is_some_and(|e| e == "toml") {
        true => format!("run the model and write its report with: taut run {} --report", path.display()),
        false => "give the folder written by taut run".to_string(),
    };
    Err(CliError::with_help(format!("{} is a file, not a folder of results", path.display()), help))
}

impl Arguments {
    /// Writes the file.
    pub fn run(self) -> Result<ExitStatus, CliError> {
        for run in std::iter::once(&self.run).chain(&self.compare) {
            require_results_folder(run)?;
        }
        let output = self.output.clone().unwrap_or_else(|| default_report_path(&self.run));
        let there = self.force.into();
        check_overwrite(&output, &self.run.join(MODEL), there)?;
        require_parent_folder(&output)?;
        write_report(&self.run, &self.compare, &output)?;
        Ok(ExitStatus::Success)
    }
}

/// Packs one of `runs` runs; together they fit the size limit of a report.
///
/// # Errors
/// The run cannot be shown.
pub fn pack_folder(folder: &Path, runs: usize) -> Result<Vec<u8>, CliError> {
    Ok(pack(&RunScene::open(folder)?, BUDGET / runs.max(1))?)
}

/// Writes the report of a run.
///
/// # Errors
/// The run cannot be shown, the program was built without its page, or the file cannot be written.
pub fn write_report(run: &Path, compare: &[PathBuf], output: &Path) -> Result<(), CliError> {
    let page = page::html()?;
    let runs = 1 + compare.len();
    let own = pack_folder(run, runs)?;
    let ghosts = compare.iter().map(|other| pack_folder(other, runs)).collect::<Result<Vec<_>, _>>()?;
    let text = page::report(page, &own, &ghosts)?;
    std::fs::write(output, &text).map_err(|e| CliError::file_error("write", output, &e))?;
    print_stderr(&format!("wrote {} ({:.1} MB); open it in a browser", output.display(), text.len() as f64 / 1e6));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_of_different_folders_have_different_names() {
        let name = |folder: &str| default_report_path(Path::new(folder)).display().to_string();
        assert_eq!(
            (name("a/crank.run"), name("v1.0"), name("v1.1")),
            ("a/crank.html".into(), "v1.0.html".into(), "v1.1.html".into())
        );
        assert!(name(".").ends_with(".html") && !name(".").starts_with('.'));
    }
}
