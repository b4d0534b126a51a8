//! `taut static`: static equilibrium, at rest or in a rotating frame, and the load path that leads to it.

mod outcome;
mod told;

use crate::ending::{Ending, Failure, note, say, say_json};
use crate::expect::{self, Checked};
use crate::folder::{self, Unfinished};
use crate::options::{Printing, Source, Style, TableFormat, stem};
use crate::overwrite::{self, There};
use clap::Args;
use outcome::Outcome;
use std::path::PathBuf;
use taut::Model;
use taut::analyses::{
    ArcLength, Branching, Ended, Loading, Path, Rotation, Statics, StaticsError, load_path, loaded, moved, statics,
};
use taut_io::model::ModelFile;
use taut_io::results::{Run, write_solution};
use taut_papers::text::number;
use told::Told;

/// Arguments of `taut static`.
#[derive(Debug, Args)]
#[command(after_help = "\
The load consists of weight, applied forces and motors; springs, beams and constraints carry it. The time is fixed at its \
start. With -o the equilibria under increasing load are written to a folder like that of a run: `t` numbers the points, \
`load` is the load factor (1 = full load).

Examples:
  taut static crane.toml                                 pose, reactions and stability
  taut static column.toml --arc-length --branch 0.05     past limit points, onto the buckled branch
  taut static governor.toml --rotation \"0 0 1\" --speed \"16 rad/s\"
  taut static crane.toml --write sagged.toml             also write the model in the equilibrium pose")]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
    /// Apply the load in this many steps
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    load_steps: Option<u32>,
    /// Follow the equilibrium path by arc length, past limit points
    #[arg(long, conflicts_with = "load_steps")]
    arc_length: bool,
    /// Load factor of the first arc-length step
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, requires = "arc_length", allow_hyphen_values = true)]
    first: f64,
    /// Longest arc-length step, relative to the size of the mechanism, or in rad
    #[arg(long, value_name = "NUMBER", default_value_t = 0.1, requires = "arc_length", allow_hyphen_values = true)]
    longest: f64,
    /// Largest number of points on the path [default: 500]; exit code 2 if the path does not end within them
    #[arg(long, value_name = "COUNT", requires = "arc_length", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    points: Option<u32>,
    /// Switch to the other branch at a bifurcation, with a first step of this size; its sign selects the side
    #[arg(long, value_name = "NUMBER", requires = "arc_length", allow_hyphen_values = true)]
    branch: Option<f64>,
    /// Rotate the whole mechanism about this axis, for example "0 0 1"
    #[arg(long, value_name = "AXIS", value_parser = vector, requires = "speed", allow_hyphen_values = true)]
    rotation: Option<[f64; 3]>,
    /// Angular velocity of that rotation, for example "16 rad/s", "150 rpm", or a number in rad/s
    #[arg(long, value_name = "SPEED", value_parser = speed, requires = "rotation", allow_hyphen_values = true)]
    speed: Option<f64>,
    /// A point on the axis in m, for example "0.1 0 0" [default: the origin]
    #[arg(long, value_name = "POINT", value_parser = vector, requires = "rotation", allow_hyphen_values = true)]
    through: Option<[f64; 3]>,
    /// Folder for the load path
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Format of its table: text (csv), compressed columns (parquet) or NumPy (npz)
    #[arg(long, value_enum, default_value_t)]
    format: TableFormat,
    /// Write the model in the equilibrium pose to this file, with all numbers in SI units
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Replace that file if it exists; never the model itself
    #[arg(long, requires = "write")]
    force: bool,
    /// Check the path against the `[[expect]]` entries of the model; needs -o
    #[arg(long, requires = "output")]
    expect: bool,
    #[command(flatten)]
    printing: Printing,
}

fn vector(text: &str) -> Result<[f64; 3], String> {
    let parts =
        text.split([' ', ',']).filter(|p| !p.is_empty()).map(|p| p.parse::<f64>().ok().filter(|x| x.is_finite()));
    match parts.collect::<Option<Vec<f64>>>().as_deref() {
        Some([x, y, z]) => Ok([*x, *y, *z]),
        _ => Err("write three numbers, for example \"0 0 1\"".to_string()),
    }
}

fn speed(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let split = text.find(|c: char| c.is_alphabetic() && c != 'e' && c != 'E').unwrap_or(text.len());
    let (value, unit) = (text[..split].trim(), text[split..].trim());
    let factor = match unit {
        "" | "rad/s" => 1.0,
        "deg/s" => std::f64::consts::PI / 180.0,
        "rpm" => std::f64::consts::PI / 30.0,
        "Hz" => std::f64::consts::TAU,
        _ => return Err("write a number with rad/s, deg/s, rpm or Hz, for example \"16 rad/s\"".to_string()),
    };
    match value.parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x * factor),
        _ => Err("write a number with rad/s, deg/s, rpm or Hz, for example \"16 rad/s\"".to_string()),
    }
}

impl Arguments {
    /// Finds the equilibrium, prints it and writes the requested files.
    pub fn run(self) -> Result<Ending, Failure> {
        let style = self.printing.style();
        if let Some(path) = &self.write {
            let there = if self.force { There::Replaced } else { There::Kept };
            overwrite::permit(path, &self.source.model, there)?;
        }
        if let Some(folder) = &self.output {
            folder::clear(folder, Unfinished::Replaced, style)?;
        }
        let (mut file, model) = self.source.open(&[], style)?;
        let settings = self.settings()?;
        let given = file.state(&model);
        let path = match settings.loading {
            Loading::AtOnce => statics(&model, &given, &settings).map(Outcome::alone),
            _ => load_path(&model, &given, &settings).and_then(|path| Outcome::of(path, &model, &given)),
        };
        let mut found = match path {
            Ok(found) => found,
            Err(e) => return failed(e),
        };
        let under = loaded(&model, found.share());
        let judged = found.equilibrium.judge(&under, &settings).ok();
        let (stability, free) = judged.map_or((None, Vec::new()), |j| (Some(j.stability), j.free));
        found.judge(stability);
        let mut still = given.clone();
        still.v.clone_from(&found.equilibrium.state.v);
        let told = Told { found: &found, moved: moved(&model, &still, &found.equilibrium.state), stability, free };
        if style != Style::Silent {
            found.equilibrium.notes.iter().for_each(|n| note(&format!("warning: {n}")));
        }
        match style {
            Style::Json => say_json(&told.json(&under)?)?,
            Style::Text => say(&told.text(&under)?)?,
            Style::Silent => {}
        }
        let ending = match &self.output {
            Some(folder) => self.record(folder, &file, &model, &found.path)?,
            None => Ending::Done,
        };
        if let Some(path) = &self.write {
            super::assemble::settle(&mut file.spec, &model, &found.equilibrium.state);
            std::fs::write(path, file.write()?).map_err(|e| Failure::file("write", path, &e))?;
            note(&format!("wrote {}", path.display()));
        }
        if found.path.ended == Ended::AtMostPoints {
            let (points, share) = (found.path.points.len(), number(found.share()));
            note(&format!(
                "warning: the path was cut off after {points} points, at load factor {share}; increase --points or --longest"
            ));
            return Ok(Ending::Stopped);
        }
        Ok(ending)
    }

    fn settings(&self) -> Result<Statics, Failure> {
        let branching = self.branch.map_or(Branching::Stay, Branching::Take);
        let points = self.points.unwrap_or(ArcLength::default().points as u32) as usize;
        let arc = ArcLength { first: self.first, longest: self.longest, branching, points, ..ArcLength::default() };
        let loading = match (self.load_steps, self.arc_length) {
            (_, true) => Loading::ArcLength(arc),
            (Some(steps), _) => Loading::Steps(steps as usize),
            _ => Loading::AtOnce,
        };
        let rotation = match (self.rotation, self.speed) {
            (Some([0.0, 0.0, 0.0]), _) => {
                return Err(Failure::with_help(
                    "--rotation: the axis must not be zero",
                    "for example --rotation \"0 0 1\"",
                ));
            }
            (Some(axis), Some(speed)) => Some(Rotation::about(axis, speed).through(self.through.unwrap_or_default())),
            _ => None,
        };
        Ok(Statics { loading, rotation, ..Statics::default() })
    }

    /// Writes the load path and checks the expectations.
    fn record(
        &self,
        folder: &std::path::Path,
        file: &ModelFile,
        model: &Model,
        path: &Path,
    ) -> Result<Ending, Failure> {
        let name = stem(&self.source.model);
        write_solution(folder, &folder::describe(file, &name, self.format)?, &path.solution(model))?;
        note(&format!("wrote {}", folder.display()));
        if !self.expect {
            return Ok(Ending::Done);
        }
        let checked = expect::check(&Run::open(folder)?, &file.expect)?;
        let missed: Vec<&Checked> = checked.iter().filter(|e| !e.is_met()).collect();
        missed.iter().for_each(|e| note(&format!("error: expectation not met: {}", e.text())));
        Ok(if missed.is_empty() { Ending::Done } else { Ending::Refused })
    }
}

/// A search that fails is a numerical stop (exit code 2); any other error is an invalid model or usage (exit code 1).
fn failed(error: StaticsError) -> Result<Ending, Failure> {
    match error {
        StaticsError::NoConvergence { .. }
        | StaticsError::PathEnds { .. }
        | StaticsError::Slips { .. }
        | StaticsError::NoForces { .. } => {
            note(&format!("error: {error}"));
            Ok(Ending::Stopped)
        }
        e => Err(Failure::new(e.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_and_axes() {
        assert_eq!(speed("16 rad/s"), Ok(16.0));
        assert_eq!(speed("-2.5e1"), Ok(-25.0));
        assert!((speed("30 rpm").unwrap_or(0.0) - std::f64::consts::PI).abs() < 1e-15);
        assert!(speed("16 m/s").is_err() && speed("rad/s").is_err() && speed("").is_err());
        assert_eq!(vector("0, 0 -1"), Ok([0.0, 0.0, -1.0]));
        assert!(vector("0 1").is_err() && vector("a b c").is_err() && vector("0 0 nan").is_err());
    }
}
