//! `taut linearize`: writes the matrices of the linearised equations.

use super::operating_point::{MultibladeOption, OperatingPoint, open_model};
use crate::exit::{CliError, ExitStatus, print_stderr};
use crate::options::{FormerFileOption, ModelSource, output_file};
use crate::overwrite;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use taut::analyses::linear::LinearInput;
use taut_io::matrices::{MatrixContent, MatrixFormat, write};

/// Form of the equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    // Minimal state vector.
    State,
    // All displacements, velocities, accelerations and multipliers.
    Descriptor,
    // Mass, damping and stiffness.
    SecondOrder,
}

/// Arguments of `taut linearize`.
#[derive(Debug, Args)]
#[command(after_help = "\
Forms: state: x' = A x + B u, y = C x + D u with a minimal state x. descriptor: E x' = A x + B u, where x contains all \
displacements, velocities, accelerations and multipliers. second-order: M q'' + C q' + K q = 0; the displacements are N q.

Inputs: a force or moment at a marker (`arm.tip.fx`), a component of an applied force (`push.fx`), the command of a motor \
(`motor.command`), the drive of an actuator (`ram.drive`), a driver (`crank`; descriptor form only). Outputs: any column of a \
run.

With --multiblade: y' = A y averaged over one revolution; A_azimuth has the matrices of 32 azimuths below each other; the displacements, \
velocities and extra states named in coordinates are N y.

Examples:
  taut linearize arm.toml --static --input motor.command --column arm.theta \\
      -o arm.mat
  taut linearize frame.toml --form second-order -o frame.npz")]
pub struct Arguments {
    #[command(flatten)]
    source: ModelSource,
    /// Input; may be repeated
    #[arg(long, value_name = "NAME")]
    input: Vec<String>,
    /// Output: a column of the results; may be repeated
    #[arg(long, value_name = "COLUMN")]
    column: Vec<String>,
    /// Form of the equations
    #[arg(long, value_enum, default_value = "state")]
    form: Form,
    #[command(flatten)]
    at: OperatingPoint,
    #[command(flatten)]
    group: MultibladeOption,
    /// Output file (.csv, .npz or .mat)
    #[arg(short = 'o', long = "output", value_name = "FILE", overrides_with = "file", value_parser = output_file(&["csv", "npz", "mat"]))]
    file: PathBuf,
    #[command(flatten)]
    former: FormerFileOption,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
}

impl Arguments {
    /// Linearises the equations and writes the matrices.
    pub fn run(self) -> Result<ExitStatus, CliError> {
        let Some(format) = MatrixFormat::of(&self.file) else {
            let message = format!("{}: unknown matrix format", self.file.display());
            return Err(CliError::with_help(message, "use the extension .csv, .npz or .mat"));
        };
        let there = self.force.into();
        overwrite::check_overwrite(&self.file, &self.source.model, there)?;
        let (file, model) = open_model(&self.source)?;
        let mut all: Vec<(&str, MatrixContent)> = Vec::new();
        if self.group.requested() {
            if !(self.input.is_empty() && self.column.is_empty() && self.form == Form::State) {
                let help = "leave out --input, --column and --form";
                return Err(CliError::with_help("multiblade coordinates have the matrix A only", help));
            }
            let found = self.group.linearised(&self.at, &file, &model)?;
            let rows: Vec<_> = found.by_azimuth.iter().flat_map(|A| A.row_iter().map(|r| r.into_owned())).collect();
            let matrices = [("A", found.A), ("A_azimuth", nalgebra::DMatrix::from_rows(&rows)), ("N", found.basis)];
            all.extend(matrices.map(|(name, X)| (name, MatrixContent::Matrix(X))));
            all.push(("coordinates", MatrixContent::Names(found.names)));
            write(&self.file, format, &all).map_err(|e| CliError::file_error("write", &self.file, &e))?;
            print_stderr(&format!("wrote {}", self.file.display()));
            return Ok(ExitStatus::Success);
        }
        let lin = self.at.linearised(&file, &model)?;
        if self.form == Form::SecondOrder {
            let Some(found) = lin.second_order() else {
                let message = "the second-order form does not apply: the state moves, or the model has extra states or rows without a position level";
                return Err(CliError::with_help(message, "use --form state"));
            };
            let velocities = model.state_names().1.into_iter().map(|v| v.name).collect();
            all.extend(
                [("M", found.M), ("C", found.C), ("K", found.K), ("N", found.N)]
                    .map(|(n, X)| (n, MatrixContent::Matrix(X))),
            );
            all.push(("velocities", MatrixContent::Names(velocities)));
        } else {
            let inputs = self.input.iter().map(|name| lin.input(name)).collect::<Result<Vec<LinearInput>, _>>()?;
            let names: Vec<&str> = self.column.iter().map(String::as_str).collect();
            let outputs = lin.outputs(&names)?;
            let found = match self.form {
                Form::Descriptor => lin.descriptor(&inputs, &outputs),
                _ => lin.state_space(&inputs, &outputs)?,
            };
            all.extend(found.E.map(|E| ("E", MatrixContent::Matrix(E))));
            all.extend(
                [("A", found.A), ("B", found.B), ("C", found.C), ("D", found.D)]
                    .map(|(n, X)| (n, MatrixContent::Matrix(X))),
            );
            all.push(("states", MatrixContent::Names(found.states)));
            all.push(("inputs", MatrixContent::Names(found.inputs)));
            all.push(("outputs", MatrixContent::Names(found.outputs)));
        }
        write(&self.file, format, &all).map_err(|e| CliError::file_error("write", &self.file, &e))?;
        print_stderr(&format!("wrote {}", self.file.display()));
        Ok(ExitStatus::Success)
    }
}
