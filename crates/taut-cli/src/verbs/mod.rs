//! The verbs, one file each.

mod assemble;
mod bench;
mod completions;
mod examples;
mod inverse;
mod kinematics;
mod new;

use crate::ending::{Ending, Failure};
use clap::Subcommand;

/// What can be asked.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Close the starting pose and say what was moved
    Assemble(assemble::Arguments),
    /// Reactions and efforts behind a motion
    Inverse(inverse::Arguments),
    /// Write a commented starter model
    New(new::Arguments),
    /// List, show or copy the models that come along
    Examples(examples::Arguments),
    /// Time a model
    Bench(bench::Arguments),
    /// Print a completion script for a shell
    Completions(completions::Arguments),
}

impl Verb {
    /// Does it.
    ///
    /// # Errors
    /// What is wrong with the model, the usage or the files.
    pub fn run(self) -> Result<Ending, Failure> {
        match self {
            Verb::Assemble(a) => a.run(),
            Verb::Inverse(a) => a.run(),
            Verb::New(a) => a.run(),
            Verb::Examples(a) => a.run(),
            Verb::Bench(a) => a.run(),
            Verb::Completions(a) => a.run(),
        }
    }
}
