//! `taut floquet`: multipliers, exponents and modes of a periodic motion, at one value or over a parameter.

use super::floquet_passage;
use super::parameter_range::{ParameterRange, ParameterValues};
use super::periodic_point::PeriodicPoint;
use super::rotation_options::parse_axis;
use crate::exit::{CliError, ExitStatus, print_json, print_stderr, print_stdout};
use crate::file_format::DiagramFormat;
use crate::options::{FormerFileOption, JsonOption, ModelSource, OutputStyle, TableFormat};
use crate::overwrite;
use crate::run_folder::{self, UnfinishedRun};
use clap::Args;
use serde_json::{Value, json};
use std::f64::consts::TAU;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use taut::Model;
use taut::analyses::{
    FloquetBranch, FloquetKind, FloquetMode, FloquetModes, HarmonicShare, PeriodicMotion, floquet, track_floquet_modes,
};
use taut_io::model::{ModelFile, Override};
use taut_io::plot::{Figure, Panel, Series};
use taut_io::results::{NewRun, write_solution};
use taut_papers::text::{Align, number, table};

/// Harmonics shown in the table.
const SHOWN_HARMONICS: usize = 3;

/// Arguments of `taut floquet`.
#[derive(Debug, Args)]
#[command(after_help = "\
The multipliers are the eigenvalues of the small motions after one period, in the subspace that the constraints allow: exactly \
as many as `taut modes` has eigenvalues. The exponent is ln(multiplier)/period; its frequency is known up to multiples of the \
frequency of the motion, and the one with the largest share of the mode is listed. Real multipliers have fixed \
frequencies: positive ones a multiple of the frequency of the motion (locked), negative ones an odd multiple of half of it.

Examples:
  taut floquet mathieu.toml --period \"2*pi/w\"
  taut floquet rotor.toml --period \"2*pi/W\" --json
  # the motion of the second mode, for taut view
  taut floquet rotor.toml --period \"2*pi/W\" --mode 2 -o mode.run
  taut floquet rotor.toml --period \"2*pi/W\" --passage blade,link \\
      --rotating-about z
  taut floquet rotor.toml --period \"2*pi/W\" --parameter W --unit rpm \\
      --from 100 --to 400 --steps 31 -o rotor.svg")]
pub struct Arguments {
    #[command(flatten)]
    source: ModelSource,
    #[command(flatten)]
    point: PeriodicPoint,
    /// Identical parts that rotate once in the period, named as for --multiblade: one passage and a relabelling give the multipliers
    #[arg(
        long,
        value_name = "WORDS",
        value_delimiter = ',',
        requires = "rotating_about",
        conflicts_with = "parameter"
    )]
    passage: Vec<String>,
    /// Axis of the identical parts: x, y, z, or three numbers
    #[arg(long, value_name = "AXIS", value_parser = parse_axis, allow_hyphen_values = true, requires = "passage")]
    rotating_about: Option<[f64; 3]>,
    #[command(flatten)]
    range: ParameterRange,
    /// Number of a mode: its motion goes to the folder of --output, for taut view
    #[arg(long, value_name = "NUMBER", requires = "file", conflicts_with_all = ["parameter", "passage"])]
    mode: Option<usize>,
    /// Diagram (.svg) or table (.csv) over the parameter [default: the table on stdout]; with --mode a folder of results
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
    /// Computes the modes, then prints them or writes the diagram.
    pub fn run(self) -> Result<ExitStatus, CliError> {
        if self.file.is_some() && self.mode.is_none() && self.range.values()?.is_none() {
            let help = "give --parameter for a diagram, or --mode for the motion of one mode";
            return Err(CliError::with_help("--output has nothing to write", help));
        }
        if let Some(axis) = self.rotating_about {
            return floquet_passage::run(&self.source, &self.point, (&self.passage, axis), self.printing.style());
        }
        match self.range.values()? {
            Some(range) => self.over_parameter(&range),
            None => {
                let (file, model, period) = self.point.open(&self.source, &[], OutputStyle::Text)?;
                let motion = self.point.motion(&file, &model, period)?;
                let found = floquet(&motion)?;
                if let (Some(number), Some(folder)) = (self.mode, &self.file) {
                    write_motion(&file, &motion, &found, number, (folder, self.force))?;
                }
                match self.printing.style() {
                    OutputStyle::Json => print_json(&as_json(&model, &found, &file.title))?,
                    _ => print_stdout(&as_text(&model, &found))?,
                }
                Ok(ExitStatus::Success)
            }
        }
    }

    fn over_parameter(&self, range: &ParameterValues) -> Result<ExitStatus, CliError> {
        let format = DiagramFormat::of(self.file.as_deref(), "diagram")?;
        overwrite::check_optional_overwrite(self.file.as_deref(), &self.source.model, self.force.into())?;
        let (values, parameter) = (range.list(), range.name.as_str());
        let (mut lists, mut title, mut first_failure) = (Vec::new(), String::new(), None);
        for (i, value) in values.iter().enumerate() {
            let text = range.text(*value);
            let style = if i == 0 { OutputStyle::Text } else { OutputStyle::Silent };
            match self.modes_at(range.change(*value), style) {
                Ok((found, of)) => {
                    lists.push(found.modes);
                    title = of;
                }
                Err(CliError::BrokenPipe) => return Err(CliError::BrokenPipe),
                Err(failure) => {
                    print_stderr(&format!("warning: no modes at {parameter} = {text}: {}", failure.one_line()));
                    lists.push(Vec::new());
                    first_failure.get_or_insert(failure);
                }
            }
        }
        if let Some(failure) = first_failure.filter(|_| lists.iter().all(Vec::is_empty)) {
            return Err(failure);
        }
        let branches = track_floquet_modes(&lists);
        match (&self.file, format) {
            (Some(path), Some(format)) => {
                let text = match format {
                    DiagramFormat::Svg => figure(range, &title, &lists, &branches),
                    DiagramFormat::Csv => csv(parameter, &values, &lists, &branches),
                };
                std::fs::write(path, text).map_err(|e| CliError::file_error("write", path, &e))?;
                print_stderr(&format!("wrote {}", path.display()));
            }
            _ => print_stdout(&csv(parameter, &values, &lists, &branches))?,
        }
        Ok(ExitStatus::Success)
    }

    fn modes_at(&self, change: Override, style: OutputStyle) -> Result<(FloquetModes, String), CliError> {
        let (file, model, period) = self.point.open(&self.source, &[change], style)?;
        Ok((floquet(&self.point.motion(&file, &model, period)?)?, file.title))
    }
}

/// Writes the motion of one mode about the periodic motion as a folder of results.
fn write_motion(
    file: &ModelFile,
    motion: &PeriodicMotion,
    found: &FloquetModes,
    number: usize,
    (folder, force): (&Path, bool),
) -> Result<(), CliError> {
    let Some(mode) = number.checked_sub(1).and_then(|k| found.modes.get(k)) else {
        return Err(CliError::new(format!("there is no mode {number}; the list has {}", found.modes.len())));
    };
    let unfinished = if force { UnfinishedRun::Replace } else { UnfinishedRun::Keep };
    run_folder::check_replaceable(folder, unfinished, OutputStyle::Text)?;
    let title = format!("{}, mode {number} about the periodic motion", file.title);
    // The viewer needs all coordinates.
    let run = NewRun { title, only: Vec::new(), ..run_folder::new_run(file, &file.title, TableFormat::default())? };
    write_solution(folder, &run, &motion.with_mode(mode, &file.transient)?)?;
    print_stderr(&format!("wrote {}; taut view {} shows it", folder.display(), folder.display()));
    Ok(())
}

/// Frequencies and real parts over the parameter.
fn figure(range: &ParameterValues, title: &str, lists: &[Vec<FloquetMode>], branches: &[FloquetBranch]) -> String {
    let lines = |of: &dyn Fn(&FloquetMode) -> f64| -> Vec<Series> {
        let line = |(k, b): (usize, &FloquetBranch)| Series {
            label: (k + 1).to_string(),
            x: range.list(),
            y: b.modes.iter().enumerate().map(|(i, m)| m.map_or(f64::NAN, |m| of(&lists[i][m]))).collect(),
        };
        branches.iter().enumerate().map(line).collect()
    };
    let panel = |label: &str, unit: &str, series| Panel { label: label.to_string(), unit: unit.to_string(), series };
    let panels = vec![
        panel("frequency", "Hz", lines(&|m| m.exponent.im / TAU)),
        panel("real part", "1/s", lines(&|m| m.exponent.re)),
    ];
    Figure::new(&range.name, range.axis_unit(), panels).titled(title).sized(760.0, 260.0).to_svg()
}

fn csv(parameter: &str, values: &[f64], lists: &[Vec<FloquetMode>], branches: &[FloquetBranch]) -> String {
    let mut text = parameter.to_string();
    (1..=branches.len()).for_each(|k| {
        let _ = write!(text, ",real {k},imaginary {k},share {k},mac {k}");
    });
    text.push('\n');
    for (i, value) in values.iter().enumerate() {
        let _ = write!(text, "{value}");
        for b in branches {
            let _ = match b.modes[i].map(|m| &lists[i][m]) {
                Some(m) => {
                    let share = m.harmonics.first().map_or(0.0, |h| h.share);
                    write!(text, ",{:e},{:e},{share:.4},{:.4}", m.exponent.re, m.exponent.im, b.mac[i])
                }
                None => write!(text, ",,,,"),
            };
        }
        text.push('\n');
    }
    text
}

/// What a mode does, in a few words.
fn motion_label(m: &FloquetMode) -> &'static str {
    let grows = m.multiplier.norm() > 1.0 + 1e-9;
    match (m.kind, grows) {
        (FloquetKind::Vanishing, _) => "vanishes",
        (FloquetKind::Pair, true) => "grows",
        (FloquetKind::Pair, false) => "",
        (FloquetKind::Locked, true) => "locked, grows",
        (FloquetKind::Locked, false) => "locked",
        (FloquetKind::HalfLocked, true) => "locked at half, grows",
        (FloquetKind::HalfLocked, false) => "locked at half",
    }
}

fn as_text(model: &Model, found: &FloquetModes) -> String {
    let heads =
        ["", "real part [1/s]", "f [Hz]", "damping", "|multiplier|", "", "harmonics (frequency/2π, share)", "moves"];
    let mut rows = vec![heads.map(String::from).to_vec()];
    for (i, m) in found.modes.iter().enumerate() {
        let harmonic = |h: &HarmonicShare| format!("{} Hz {:.1} %", number(h.frequency.abs() / TAU), 100.0 * h.share);
        let harmonics: Vec<String> = m.harmonics.iter().take(SHOWN_HARMONICS).map(harmonic).collect();
        rows.push(vec![
            (i + 1).to_string(),
            number(m.exponent.re),
            number(m.frequency()),
            number(m.damping()),
            number(m.multiplier.norm()),
            motion_label(m).to_string(),
            harmonics.join(", "),
            largest_velocity(model, m),
        ]);
    }
    use Align::{Left, Right};
    let mut text = table(&[Right, Right, Right, Right, Right, Left, Left, Left], &rows, "");
    let _ = writeln!(text, "{} multipliers; period {:.12} s", found.dimension, found.period);
    text
}

/// The body that moves most in the largest harmonic.
fn largest_velocity(model: &Model, m: &FloquetMode) -> String {
    let Some(h) = m.harmonics.first() else { return String::new() };
    let size = |v: &std::ops::Range<usize>| h.xi[v.clone()].iter().fold(0.0_f64, |a, x| a.max(x.norm()));
    let most = model.bodies.iter().max_by(|a, b| size(&a.v).total_cmp(&size(&b.v)));
    most.map_or_else(String::new, |b| b.name.clone())
}

fn as_json(model: &Model, found: &FloquetModes, title: &str) -> Value {
    let names: Vec<String> = model.state_names().1.into_iter().map(|v| v.name).collect();
    let harmonic = |h: &HarmonicShare| {
        let largest = h.xi.iter().fold(0.0_f64, |a, x| a.max(x.norm()));
        let part = |(name, x): (&String, &nalgebra::Complex<f64>)| {
            (x.norm() > 1e-9 * largest).then(|| (name.clone(), json!([x.re, x.im])))
        };
        let shape: serde_json::Map<_, _> = names.iter().zip(&h.xi).filter_map(part).collect();
        json!({ "n": h.n, "frequency": h.frequency, "share": h.share, "shape": shape })
    };
    let one = |m: &FloquetMode| {
        json!({
            "multiplier": [m.multiplier.re, m.multiplier.im],
            "exponent": [m.exponent.re, m.exponent.im],
            "principal_frequency": m.principal_frequency,
            "frequency_hz": m.frequency(),
            "damping_ratio": m.damping(),
            "kind": m.kind,
            "harmonics": m.harmonics.iter().map(harmonic).collect::<Vec<_>>(),
        })
    };
    json!({
        "title": title,
        "period": found.period,
        "multipliers": found.dimension,
        "modes": found.modes.iter().map(one).collect::<Vec<_>>(),
    })
}
