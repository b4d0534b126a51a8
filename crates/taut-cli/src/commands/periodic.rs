//! `taut periodic`: a periodic motion, its harmonics and its stability.

use super::parameter_range::ParameterRange;
use super::periodic_curve::CurveRequest;
use super::periodic_point::PeriodicPoint;
use crate::exit::{CliError, ExitStatus, print_json, print_stderr, print_stdout};
use crate::options::{FormerFileOption, JsonOption, ModelSource, OutputStyle};
use crate::overwrite;
use clap::Args;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use taut::analyses::{ColumnHarmonics, FloquetModes, PeriodicMotion, floquet};
use taut_papers::text::{Align, number, table};

/// Multipliers that differ from 1 by less than this count as neutral: an error of 1e-9 scatters a double one by its root.
const NEUTRAL: f64 = 1e-4;

/// Arguments of `taut periodic`.
#[derive(Debug, Args)]
#[command(after_help = "\
Newton's method finds a state that returns after one period (shooting), on the constraint manifold. Angles may have made whole \
turns. The multipliers say whether nearby motions approach it; `taut floquet` lists them all. Impacts, slipping friction and \
sampled controllers within the period are rejected. With --parameter, motions are followed over the parameter, also where it turns \
back at a fold; stable and unstable ones are listed.

Examples:
  taut periodic shaker.toml --period \"2*pi/w\" --harmonics mass.z
  taut periodic pendulum.toml --free-period 2 --hold hinge.angle \\
      --hold hinge.angle.rate
  taut periodic duffing.toml --period \"2*pi/w\" --parameter w --from 0.8 --to 2 \\
      --harmonics mass.z -n 1 -o duffing.svg
  taut periodic rotor.toml --period \"2*pi/W\" --at 3 --harmonics hub.fz -n 8 \\
      -o one_turn.csv")]
pub struct Arguments {
    #[command(flatten)]
    source: ModelSource,
    #[command(flatten)]
    point: PeriodicPoint,
    /// Column whose mean and harmonics are listed; may be repeated
    #[arg(long, value_name = "COLUMN")]
    harmonics: Vec<String>,
    /// Highest harmonic
    #[arg(short, long, value_name = "COUNT", default_value_t = 6, value_parser = clap::value_parser!(u64).range(1..=1000))]
    number: u64,
    #[command(flatten)]
    range: ParameterRange,
    /// Table of one period, all columns (.csv); with --parameter the curve (.csv, .svg)
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    former: FormerFileOption,
    /// Replace the file if it exists
    #[arg(long, requires = "file")]
    force: bool,
    #[command(flatten)]
    printing: JsonOption,
}

impl Arguments {
    /// Finds the motion and prints it.
    pub fn run(self) -> Result<ExitStatus, CliError> {
        overwrite::check_optional_overwrite(self.file.as_deref(), &self.source.model, self.force.into())?;
        if let Some(values) = self.range.values()? {
            let (source, point, columns) = (&self.source, &self.point, self.harmonics.as_slice());
            let (highest, file, style) = (self.number as usize, self.file.as_deref(), self.printing.style());
            return CurveRequest { source, point, values, columns, highest, file, style }.run();
        }
        let (file, model, period) = self.point.open(&self.source, &[], OutputStyle::Text)?;
        let motion = self.point.motion(&file, &model, period)?;
        let modes = floquet(&motion)?;
        let names: Vec<&str> = self.harmonics.iter().map(String::as_str).collect();
        let harmonics = match names.is_empty() {
            true => Vec::new(),
            false => motion.harmonics(&names, self.number as usize, &file.transient)?,
        };
        match self.printing.style() {
            OutputStyle::Json => print_json(&as_json(&motion, &modes, &harmonics, &file.title))?,
            _ => print_stdout(&as_text(&motion, &modes, &harmonics))?,
        }
        if let Some(path) = &self.file {
            let rows = motion.table(360, &file.transient)?;
            let columns: Vec<&[f64]> = rows.columns().iter().map(|c| c.data.as_slice()).collect();
            let names: Vec<&str> = rows.columns().iter().map(|c| c.name.as_str()).collect();
            let mut text = names.join(",") + "\n";
            for i in 0..rows.len() {
                text += &(columns.iter().map(|c| format!("{:e}", c[i])).collect::<Vec<_>>().join(",") + "\n");
            }
            std::fs::write(path, text).map_err(|e| CliError::file_error("write", path, &e))?;
            print_stderr(&format!("wrote {}", path.display()));
        }
        Ok(ExitStatus::Success)
    }
}

/// Whether nearby motions approach the motion.
fn stability(modes: &FloquetModes) -> (f64, &'static str) {
    let largest = modes.modes.iter().fold(0.0_f64, |a, m| a.max(m.multiplier.norm()));
    let word = match largest {
        r if r > 1.0 + NEUTRAL => "unstable",
        r if r < 1.0 - NEUTRAL => "stable",
        _ => "neutral",
    };
    (largest, word)
}

fn as_text(motion: &PeriodicMotion, modes: &FloquetModes, harmonics: &[ColumnHarmonics]) -> String {
    let (largest, word) = stability(modes);
    let mut text = String::new();
    let _ = writeln!(text, "period {:.12} s, found in {} iterations", motion.period, motion.iterations);
    let _ = writeln!(text, "{word}: the largest of {} multipliers is {}", modes.dimension, number(largest));
    if harmonics.is_empty() {
        return text;
    }
    let mut rows = vec![vec![String::new(), "cos".to_string(), "sin".to_string(), "amplitude".to_string()]];
    for h in harmonics {
        let turns = if h.turns == 0 { String::new() } else { format!(" (and {} turns)", h.turns) };
        rows.push(vec![format!("{} [{}]{turns}, mean", h.name, h.unit), number(h.mean), String::new(), String::new()]);
        for (k, [c, s]) in h.harmonics.iter().enumerate() {
            rows.push(vec![format!("{}", k + 1), number(*c), number(*s), number(c.hypot(*s))]);
        }
    }
    text + &table(&[Align::Right; 4], &rows, "")
}

fn as_json(motion: &PeriodicMotion, modes: &FloquetModes, harmonics: &[ColumnHarmonics], title: &str) -> Value {
    let (largest, word) = stability(modes);
    let column = |h: &ColumnHarmonics| {
        let values = json!({ "unit": h.unit, "turns": h.turns, "mean": h.mean, "harmonics": h.harmonics });
        (h.name.clone(), values)
    };
    json!({
        "title": title,
        "period": motion.period,
        "iterations": motion.iterations,
        "difference": motion.difference,
        "stability": word,
        "largest_multiplier": largest,
        "multipliers": modes.modes.iter().map(|m| [m.multiplier.re, m.multiplier.im]).collect::<Vec<_>>(),
        "dimension": modes.dimension,
        "start": { "t": motion.start().t, "q": motion.start().q, "v": motion.start().v, "z": motion.start().z },
        "harmonics": harmonics.iter().map(column).collect::<serde_json::Map<_, _>>(),
    })
}
