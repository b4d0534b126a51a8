//! The verbs, one file each.

mod assemble;
mod bench;
mod campbell;
mod check;
mod claims;
mod compare;
mod completions;
mod convert;
mod docs;
mod examples;
mod inverse;
mod kinematics;
mod lab;
mod linearize;
mod modes;
mod new;
mod plot;
mod report;
mod reproduce;
mod response;
mod run;
mod schema;
mod standpoint;
mod static_;
mod strobe;
mod view;

use crate::ending::{Ending, Failure};
use clap::Subcommand;

/// What can be asked.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Compute the motion of a model into a folder of results
    Run(Box<run::Arguments>),
    /// Say what is wrong with a model, and what it can do
    Check(check::Arguments),
    /// Close the starting pose and say what was moved
    Assemble(assemble::Arguments),
    /// Follow a motion that the drivers prescribe in full
    Kinematics(Box<kinematics::Arguments>),
    /// Find the pose of equilibrium, at rest or going round
    Static(Box<static_::Arguments>),
    /// Reactions and efforts behind a motion
    Inverse(Box<inverse::Arguments>),
    /// Frequencies, damping and shapes of small motions
    Modes(Box<modes::Arguments>),
    /// Write the linearised equations as matrices
    Linearize(Box<linearize::Arguments>),
    /// Follow the modes over a parameter and draw them
    Campbell(Box<campbell::Arguments>),
    /// What an output does per unit of an input, over the frequency
    Response(Box<response::Arguments>),
    /// Compare the published ways to add the constraints of a model
    Lab(Box<lab::Arguments>),
    /// Draw columns of a run, or list them
    Plot(plot::Arguments),
    /// See a run move in the browser, with its plots
    View(view::Arguments),
    /// The same page as one file that can be mailed
    Report(report::Arguments),
    /// Draw several instants of a run in one picture
    Strobe(Box<strobe::Arguments>),
    /// Compare two runs, column by column
    Compare(compare::Arguments),
    /// Write a commented starter model
    New(new::Arguments),
    /// List, show or copy the models that come along
    Examples(examples::Arguments),
    /// Write files of other programs (URDF, MJCF) as model files
    Convert(convert::Arguments),
    /// Print a JSON Schema of the model file, for editors
    Schema(schema::Arguments),
    /// Time a model
    Bench(Box<bench::Arguments>),
    /// Compute the numerical examples of the papers behind Taut
    Reproduce(reproduce::Arguments),
    /// Measure what the papers claim about cost
    Claims(claims::Arguments),
    /// Open the documentation in the browser, or write it
    Docs(docs::Arguments),
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
            Verb::Run(a) => a.run(),
            Verb::Check(a) => a.run(),
            Verb::Assemble(a) => a.run(),
            Verb::Kinematics(a) => a.run(),
            Verb::Static(a) => a.run(),
            Verb::Inverse(a) => a.run(),
            Verb::Modes(a) => a.run(),
            Verb::Linearize(a) => a.run(),
            Verb::Campbell(a) => a.run(),
            Verb::Response(a) => a.run(),
            Verb::Lab(a) => a.run(),
            Verb::Plot(a) => a.run(),
            Verb::View(a) => a.run(),
            Verb::Report(a) => a.run(),
            Verb::Strobe(a) => a.run(),
            Verb::Compare(a) => a.run(),
            Verb::New(a) => a.run(),
            Verb::Examples(a) => a.run(),
            Verb::Convert(a) => a.run(),
            Verb::Schema(a) => a.run(),
            Verb::Bench(a) => a.run(),
            Verb::Reproduce(a) => a.run(),
            Verb::Claims(a) => a.run(),
            Verb::Docs(a) => a.run(),
            Verb::Completions(a) => a.run(),
        }
    }
}
