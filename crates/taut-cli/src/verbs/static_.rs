//! `taut static`: the pose of equilibrium, at rest or going round, and the path of the load that leads there.

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
Weight, given forces and motors are the load; springs, beams and constraints carry it. Time stands at its start. With -o the \
equilibria under the growing load go to a folder like that of a run: `t` counts them, `load` is the share of the load.

Examples:
  taut static crane.toml                                 poses, reactions, whether it is stable
  taut static column.toml --arc-length --branch 0.05     through limit points, into the branch of buckling
  taut static governor.toml --rotation \"0 0 1\" --speed \"16 rad/s\"
  taut static crane.toml --write sagged.toml             the model with the pose of equilibrium")]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
    /// Bring the load on in so many steps
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    load_steps: Option<u32>,
    /// Follow the path of equilibria by its arc, through limit points
    #[arg(long, conflicts_with = "load_steps")]
    arc_length: bool,
    /// Share of the load in the first step of the arc
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, requires = "arc_length", allow_hyphen_values = true)]
    first: f64,
    /// Longest step of the arc, relative to the size of the mechanism or rad
    #[arg(long, value_name = "NUMBER", default_value_t = 0.1, requires = "arc_length", allow_hyphen_values = true)]
    longest: f64,
    /// Most points of the arc [default: 500]; a path that goes on beyond them ends with exit code 2
    #[arg(long, value_name = "COUNT", requires = "arc_length", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    points: Option<u32>,
    /// Take the branch at a bifurcation, with a first step of this size; its sign chooses the side
    #[arg(long, value_name = "NUMBER", requires = "arc_length", allow_hyphen_values = true)]
    branch: Option<f64>,
    /// Axis about which the mechanism is carried round, as "0 0 1"
    #[arg(long, value_name = "AXIS", value_parser = vector, requires = "speed", allow_hyphen_values = true)]
    rotation: Option<[f64; 3]>,
    /// Speed of that rotation, as "16 rad/s", "150 rpm" or plain rad/s
    #[arg(long, value_name = "SPEED", value_parser = speed, requires = "rotation", allow_hyphen_values = true)]
    speed: Option<f64>,
    /// A point of the axis, as "0.1 0 0", m
    #[arg(long, value_name = "POINT", value_parser = vector, requires = "rotation", allow_hyphen_values = true)]
    through: Option<[f64; 3]>,
    /// Folder for the path of the load
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Format of its table: text, compressed columns, or for NumPy
    #[arg(long, value_enum, default_value_t)]
    format: TableFormat,
    /// File for the model in the pose of equilibrium, all numbers plain SI
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Replace that file if it is there; never the model itself
    #[arg(long, requires = "write")]
    force: bool,
    /// Hold the path against what the model expects; needs -o
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
    /// Finds the equilibrium, tells, writes.
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
            note(&format!("{} is written", path.display()));
        }
        if found.path.ended == Ended::AtMostPoints {
            let (points, share) = (found.path.points.len(), number(found.share()));
            note(&format!(
                "warning: the path stops after {points} points at {share} of the load and goes on; raise --points, or --longest"
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
                return Err(Failure::with_help("--rotation: an axis needs a direction", "write it as \"0 0 1\""));
            }
            (Some(axis), Some(speed)) => Some(Rotation::about(axis, speed).through(self.through.unwrap_or_default())),
            _ => None,
        };
        Ok(Statics { loading, rotation, ..Statics::default() })
    }

    /// Writes the path, and holds it against what is expected.
    fn record(
        &self,
        folder: &std::path::Path,
        file: &ModelFile,
        model: &Model,
        path: &Path,
    ) -> Result<Ending, Failure> {
        let name = stem(&self.source.model);
        write_solution(folder, &folder::describe(file, &name, self.format)?, &path.solution(model))?;
        note(&format!("{} is written", folder.display()));
        if !self.expect {
            return Ok(Ending::Done);
        }
        let checked = expect::check(&Run::open(folder)?, &file.expect)?;
        let missed: Vec<&Checked> = checked.iter().filter(|e| !e.is_met()).collect();
        missed.iter().for_each(|e| note(&format!("error: an expectation is not met: {}", e.text())));
        Ok(if missed.is_empty() { Ending::Done } else { Ending::Refused })
    }
}

/// What cannot be found is a stop of the numbers; all else is the model's or the usage's fault.
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
