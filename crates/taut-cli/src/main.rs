//! The command `taut`: one verb per thing one asks of a model file.
//!
//! Results go to stdout, progress and messages to stderr. Exit codes: 0 done, 1 wrong model or usage, 2 the numbers
//! stopped, 3 the audit finds the results wrong, 130 interrupted.

#![allow(non_snake_case)] // the theory's letter is the identifier

mod ending;
mod expect;
mod folder;
mod interrupt;
mod options;
mod overwrite;
mod progress;
mod summary;
mod verbs;

use clap::{CommandFactory, Parser};
use ending::{Ending, Failure};
use std::process::ExitCode;

/// Constrained multibody dynamics from a model file.
#[derive(Debug, Parser)]
#[command(name = "taut", version, propagate_version = true, arg_required_else_help = true)]
#[command(after_help = "\
First steps:
  taut new crank            write a commented starter, crank.toml
  taut check crank.toml     say what is wrong with it, count its freedoms
  taut run crank.toml       compute its motion into the folder crank.run
  taut view crank.run       see it move, in the browser
  taut plot crank.run       list what can be plotted
  taut examples             list the models that come along

Exit codes: 0 done, 1 wrong model or usage, 2 the computation stopped early, 3 the audit of a run finds
its results wrong (they are kept), 130 interrupted.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    verb: verbs::Verb,
}

impl Cli {
    /// The command as data, for completions.
    pub(crate) fn command_tree() -> clap::Command {
        Cli::command()
    }
}

fn main() -> ExitCode {
    let ending = match Cli::try_parse() {
        Ok(cli) => cli.verb.run(),
        Err(e) => {
            // Help and version are answers; a reader that went away is not our concern.
            let _ = e.print();
            Ok(if e.use_stderr() { Ending::Refused } else { Ending::Done })
        }
    };
    let ending = ending.unwrap_or_else(|failure| match failure {
        Failure::Findings(findings) => {
            ending::report(&findings);
            Ending::Refused
        }
        Failure::ReaderGone => Ending::Done,
    });
    ExitCode::from(ending.code())
}
