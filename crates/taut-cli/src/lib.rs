//! The command `taut`: one subcommand per analysis or task on a model file. [`run_command`] is the whole of it, so that other
//! programs, such as the Python package, can offer the same command.
//!
//! Results go to stdout, progress and messages to stderr. Exit codes: 0 success, 1 invalid model or usage, 2 the
//! computation stopped early, 3 the audit finds the results wrong, 130 interrupted.

#![allow(non_snake_case)] // the theory's letter is the identifier
// What only the left-out subcommands use.
#![cfg_attr(not(feature = "view"), allow(dead_code))]

mod commands;
mod exit;
mod expectations;
mod file_format;
mod interrupt;
mod options;
mod overwrite;
mod progress;
mod run_folder;
mod summary;

use clap::{CommandFactory, Parser};
use exit::{CliError, ExitStatus};
use std::ffi::OsString;

/// Constrained multibody dynamics from a model file.
#[derive(Debug, Parser)]
#[command(name = "taut", version, propagate_version = true, arg_required_else_help = true)]
#[command(after_help = "\
First steps:
  taut new crank            write a commented starter model, crank.toml
  taut check crank.toml     check the model and count its degrees of freedom
  taut run crank.toml       simulate it; results go to the folder crank.run
  taut view crank.run       view the motion in the browser
  taut plot crank.run       list the columns that can be plotted
  taut examples             list the example models

Exit codes: 0 success, 1 invalid model or usage, 2 the computation stopped early, 3 the audit finds the \
results of a run wrong (they are kept), 130 interrupted.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: commands::CliCommand,
}

impl Cli {
    /// The definition of the command line, for completions and documentation.
    pub(crate) fn command_tree() -> clap::Command {
        Cli::command()
    }
}

/// Runs the command with these arguments, of which the first is the name of the program, and returns its exit code.
///
/// ```
/// assert_eq!(taut_cli::run_command(["taut", "no-such-subcommand"]), 1);
/// ```
pub fn run_command<I, A>(arguments: I) -> u8
where
    I: IntoIterator<Item = A>,
    A: Into<OsString> + Clone,
{
    let ending = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli.command.run(),
        Err(e) => {
            // Help and version are not errors. A closed stdout or stderr is ignored.
            let _ = e.print();
            Ok(if e.use_stderr() { ExitStatus::Failed } else { ExitStatus::Success })
        }
    };
    let ending = ending.unwrap_or_else(|failure| match failure {
        CliError::Diagnostics(findings) => {
            exit::print_diagnostics(&findings);
            ExitStatus::Failed
        }
        CliError::BrokenPipe => ExitStatus::Success,
    });
    ending.code()
}
