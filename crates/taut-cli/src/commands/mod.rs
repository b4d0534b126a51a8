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
mod floquet;
mod floquet_passage;
mod gather;
mod inverse;
mod kinematics;
mod lab;
#[cfg(not(all(feature = "docs", feature = "view")))]
mod left_out;
mod linearize;
mod modes;
mod new;
mod operating_point;
mod parameter_range;
mod periodic;
mod periodic_curve;
mod periodic_point;
mod plot;
#[cfg(feature = "view")]
mod report;
mod reproduce;
mod response;
mod rotation_options;
mod run;
mod schema;
mod static_;
#[cfg(feature = "view")]
mod strobe;
mod sweep;
mod trim;
#[cfg(feature = "view")]
mod view;

#[cfg(not(feature = "docs"))]
use left_out::docs;
#[cfg(not(feature = "view"))]
use left_out::{report, strobe, view};

use crate::exit::{CliError, ExitStatus};
use clap::Subcommand;

/// The subcommands: variant, file and the line of `taut --help`.
macro_rules! subcommands {
    ($($Name:ident in $file:ident: $what:literal;)*) => {
        /// The subcommands of `taut`.
        #[derive(Debug, Subcommand)]
        pub enum CliCommand {
            $(#[doc = $what] $Name(Box<$file::Arguments>),)*
        }

        impl CliCommand {
            /// Runs the subcommand.
            ///
            /// # Errors
            /// An invalid model or usage, or a file that cannot be read or written.
            pub fn run(self) -> Result<ExitStatus, CliError> {
                match self {
                    $(CliCommand::$Name(a) => a.run(),)*
                }
            }
        }
    };
}

subcommands! {
    Run in run: "Simulate a model and write the results to a folder";
    Check in check: "Check a model and count its degrees of freedom";
    Assemble in assemble: "Assemble the initial pose and list the corrections";
    Kinematics in kinematics: "Compute a motion that the drivers prescribe completely";
    Static in static_: "Find the static equilibrium, at rest or in a rotating frame";
    Inverse in inverse: "Compute the reactions and driving forces required by a motion or by given accelerations";
    Modes in modes: "Compute natural frequencies, damping and mode shapes";
    Linearize in linearize: "Write the matrices of the linearised equations";
    Periodic in periodic: "Find a periodic motion, its harmonics and its stability";
    Floquet in floquet: "Compute the multipliers, exponents and modes of a periodic motion";
    Trim in trim: "Find parameters that give prescribed means, harmonics or equilibrium values";
    Campbell in campbell: "Track the modes over a parameter and draw a Campbell diagram";
    Response in response: "Compute frequency responses from an input to outputs";
    Sweep in sweep: "Vary parameters of a model: one table of results, on all cores";
    Gather in gather: "Join the shards of a sweep";
    Lab in lab: "Compare formulations and drift controls on one model";
    Plot in plot: "Plot columns of a run, or list them";
    View in view: "View a run in the browser: animation and plots";
    Report in report: "Write the page of `taut view` as one self-contained HTML file";
    Strobe in strobe: "Draw several instants of a run in one picture";
    Compare in compare: "Compare two runs, column by column";
    New in new: "Write a commented starter model";
    Examples in examples: "List, show or copy the example models";
    Convert in convert: "Convert URDF or MJCF to a model file, or upgrade an old model file";
    Schema in schema: "Print the JSON Schema of model files, for editors";
    Bench in bench: "Measure how fast a model runs";
    Reproduce in reproduce: "Reproduce the numerical examples of the papers behind Taut";
    Claims in claims: "Measure the papers' claims about computing cost";
    Docs in docs: "Open the documentation in the browser, or write it to a folder";
    Completions in completions: "Print a shell completion script";
}
