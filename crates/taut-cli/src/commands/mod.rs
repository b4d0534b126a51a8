//! The subcommands, one file each.

mod assemble;
mod bench;
#[cfg(any(feature = "docs", feature = "view"))]
mod browser;
mod campbell;
mod check;
mod claims;
mod compare;
mod completions;
mod convert;
#[cfg(feature = "docs")]
mod docs;
mod examples;
mod inverse;
mod kinematics;
mod lab;
#[cfg(not(all(feature = "docs", feature = "view")))]
mod left_out;
mod linearize;
mod modes;
mod new;
mod operating_point;
mod plot;
#[cfg(feature = "view")]
mod report;
mod reproduce;
mod response;
mod run;
mod schema;
mod static_;
#[cfg(feature = "view")]
mod strobe;
#[cfg(feature = "view")]
mod view;

#[cfg(not(feature = "docs"))]
use left_out::docs;
#[cfg(not(feature = "view"))]
use left_out::{report, strobe, view};

use crate::exit::{CliError, ExitStatus};
use clap::Subcommand;

/// The subcommands of `taut`.
#[derive(Debug, Subcommand)]
pub enum CliCommand {
    /// Simulate a model and write the results to a folder
    Run(Box<run::Arguments>),
    /// Check a model and count its degrees of freedom
    Check(check::Arguments),
    /// Assemble the initial pose and list the corrections
    Assemble(assemble::Arguments),
    /// Compute a motion that the drivers prescribe completely
    Kinematics(Box<kinematics::Arguments>),
    /// Find the static equilibrium, at rest or in a rotating frame
    Static(Box<static_::Arguments>),
    /// Compute the reactions and driving forces of a given motion
    Inverse(Box<inverse::Arguments>),
    /// Compute natural frequencies, damping and mode shapes
    Modes(Box<modes::Arguments>),
    /// Write the matrices of the linearised equations
    Linearize(Box<linearize::Arguments>),
    /// Track the modes over a parameter and draw a Campbell diagram
    Campbell(Box<campbell::Arguments>),
    /// Compute frequency responses from an input to outputs
    Response(Box<response::Arguments>),
    /// Compare formulations and drift controls on one model
    Lab(Box<lab::Arguments>),
    /// Plot columns of a run, or list them
    Plot(plot::Arguments),
    /// View a run in the browser: animation and plots
    View(view::Arguments),
    /// Write the page of `taut view` as one self-contained HTML file
    Report(report::Arguments),
    /// Draw several instants of a run in one picture
    Strobe(Box<strobe::Arguments>),
    /// Compare two runs, column by column
    Compare(compare::Arguments),
    /// Write a commented starter model
    New(new::Arguments),
    /// List, show or copy the example models
    Examples(examples::Arguments),
    /// Convert URDF and MJCF files to model files
    Convert(convert::Arguments),
    /// Print the JSON Schema of model files, for editors
    Schema(schema::Arguments),
    /// Measure how fast a model runs
    Bench(Box<bench::Arguments>),
    /// Reproduce the numerical examples of the papers behind Taut
    Reproduce(reproduce::Arguments),
    /// Measure the papers' claims about computing cost
    Claims(claims::Arguments),
    /// Open the documentation in the browser, or write it to a folder
    Docs(docs::Arguments),
    /// Print a shell completion script
    Completions(completions::Arguments),
}

impl CliCommand {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// An invalid model or usage, or a file that cannot be read or written.
    pub fn run(self) -> Result<ExitStatus, CliError> {
        match self {
            CliCommand::Run(a) => a.run(),
            CliCommand::Check(a) => a.run(),
            CliCommand::Assemble(a) => a.run(),
            CliCommand::Kinematics(a) => a.run(),
            CliCommand::Static(a) => a.run(),
            CliCommand::Inverse(a) => a.run(),
            CliCommand::Modes(a) => a.run(),
            CliCommand::Linearize(a) => a.run(),
            CliCommand::Campbell(a) => a.run(),
            CliCommand::Response(a) => a.run(),
            CliCommand::Lab(a) => a.run(),
            CliCommand::Plot(a) => a.run(),
            CliCommand::View(a) => a.run(),
            CliCommand::Report(a) => a.run(),
            CliCommand::Strobe(a) => a.run(),
            CliCommand::Compare(a) => a.run(),
            CliCommand::New(a) => a.run(),
            CliCommand::Examples(a) => a.run(),
            CliCommand::Convert(a) => a.run(),
            CliCommand::Schema(a) => a.run(),
            CliCommand::Bench(a) => a.run(),
            CliCommand::Reproduce(a) => a.run(),
            CliCommand::Claims(a) => a.run(),
            CliCommand::Docs(a) => a.run(),
            CliCommand::Completions(a) => a.run(),
        }
    }
}
