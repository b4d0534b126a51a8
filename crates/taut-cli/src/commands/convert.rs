//! `taut convert`: converts files of other programs and of older formats to model files.

use crate::exit::{CliError, ExitStatus, print_diagnostics, print_stderr, print_stdout};
use crate::options::ModelOverrides;
use crate::overwrite;
use clap::Args;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use taut_io::model;

/// Arguments of `taut convert`.
#[derive(Debug, Args)]
#[command(after_help = "\
Content that a model file cannot express is listed on stderr. A model file of format 1 is upgraded: keywords are renamed; \
comments, layout and numbers stay. Convert the files that it includes one by one. A model file of the current format is \
written with all parameters, parts and repetitions expanded.

Examples:
  taut convert arm.urdf arm.toml
  taut convert old.toml -o new.toml     # upgrade a file of format 1
  taut convert humanoid.xml humanoid.toml
  taut convert chain.toml - --set n=50  # to stdout")]
pub struct Arguments {
    /// Input file: URDF, MJCF (.xml) or TOML
    input: PathBuf,
    /// Model file to write, or `-` for stdout
    #[arg(required_unless_present = "to")]
    output: Option<PathBuf>,
    /// Model file to write, instead of the argument OUTPUT
    #[arg(short = 'o', long = "output", value_name = "FILE", conflicts_with = "output")]
    to: Option<PathBuf>,
    #[command(flatten)]
    changes: ModelOverrides,
    /// Replace the output if it exists
    #[arg(long)]
    force: bool,
}

impl Arguments {
    /// Reads the input and writes the model file.
    pub fn run(mut self) -> Result<ExitStatus, CliError> {
        let Some(output) = self.to.take().or(self.output.take()) else {
            return Err(CliError::new("no output file given"));
        };
        let text = match self.outdated() {
            Some(text) => self.upgraded(&text)?,
            None => {
                let file = model::read(&self.input, &self.changes.set)?;
                print_diagnostics(&file.warnings);
                file.build()?;
                file.write()?
            }
        };
        if output.as_os_str() == "-" {
            print_stdout(&text)?;
            return Ok(ExitStatus::Success);
        }
        let there = self.force.into();
        overwrite::check_overwrite(&output, &self.input, there)?;
        let mut options = OpenOptions::new();
        options.write(true);
        if self.force {
            options.create(true).truncate(true)
        } else {
            options.create_new(true)
        };
        match options.open(&output).and_then(|mut f| f.write_all(text.as_bytes())) {
            Ok(()) => {
                print_stderr(&format!("wrote {}", output.display()));
                Ok(ExitStatus::Success)
            }
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {
                let help = "choose another file, or replace it with --force";
                Err(CliError::with_help(format!("{} already exists", output.display()), help))
            }
            Err(e) => Err(CliError::file_error("write", &output, &e)),
        }
    }

    /// The text of the input if it is a model file of an older format.
    fn outdated(&self) -> Option<String> {
        let toml = self.input.extension().is_some_and(|e| e == "toml");
        let text = std::fs::read_to_string(&self.input).ok().filter(|_| toml)?;
        model::format_of(&text).is_some_and(|format| format < model::FORMAT).then_some(text)
    }

    fn upgraded(&self, text: &str) -> Result<String, CliError> {
        if !self.changes.set.is_empty() {
            return Err(CliError::with_help(
                format!("{} has an older format; --set needs the current one", self.input.display()),
                "convert it first without --set",
            ));
        }
        let model::Upgraded { text, renamed } = model::upgrade(text, &self.input)?;
        let mut words: Vec<String> = renamed.into_iter().map(|(old, new)| format!("{old} → {new}")).collect();
        words.sort();
        words.dedup();
        let words = if words.is_empty() { "no keyword".to_string() } else { words.join(", ") };
        print_stderr(&format!("upgraded to format {}; renamed: {words}", model::FORMAT));
        Ok(text)
    }
}
