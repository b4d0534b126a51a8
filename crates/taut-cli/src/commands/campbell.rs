//! `taut campbell`: modes tracked over a parameter, as a table or a diagram.

use super::operating_point::{MultibladeOption, OperatingPoint};
use crate::exit::{CliError, ExitStatus, print_stderr, print_stdout};
use crate::file_format::DiagramFormat;
use crate::options::{FormerFileOption, ModelSource, OutputStyle};
use crate::overwrite;
use clap::{Args, ValueEnum};
use std::f64::consts::TAU;
use std::fmt::Write;
use std::path::PathBuf;
use taut::analyses::linear::{
    EXTRA_TRACKED_MODES, Eigenmode, ModeBranch, ModeRequest, modes, slowest_branches, track_modes,
};
use taut_io::model::Override;
use taut_io::plot::{Figure, Guide, Marks, Panel, Series};

/// A real part below this fraction of the imaginary part is drawn as zero.
const REAL_PART_ROUND_OFF: f64 = 1e-12;

/// Kind of diagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Diagram {
    // Frequency and real part over the parameter.
    Campbell,
    // Root locus: imaginary over real part.
    Locus,
}

/// Arguments of `taut campbell`.
#[derive(Debug, Args)]
#[command(after_help = "\
Modes are tracked by their shapes (modal assurance criterion, MAC), so curves may cross. The parameter is one of [params] or a \
field, as with --set; its values may have a unit. If it is a rotational speed (of the rotating frame, or in rad/s, deg/s, rpm \
or Hz), its multiples 1P, 2P ... are also drawn.

Examples:
  taut campbell rotor.toml --parameter speed --from 0 --to 900 --steps 40 \\
      -o rotor.svg
  taut campbell blade.toml --parameter omega --from 0 --to 30 --static \\
      --rotating-about z -o blade.svg
  taut campbell bicycle.toml --parameter v --from 0 --to 10 --diagram locus \\
      -o bicycle.svg")]
pub struct Arguments {
    #[command(flatten)]
    source: ModelSource,
    /// The parameter, named as for --set
    #[arg(long, value_name = "NAME")]
    parameter: String,
    /// First value of the parameter
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    from: f64,
    /// Last value of the parameter
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    to: f64,
    /// Number of values
    #[arg(long, value_name = "COUNT", default_value_t = 41)]
    steps: usize,
    /// Unit of the values, for example "rpm" [default: SI]
    #[arg(long, value_name = "UNIT")]
    unit: Option<String>,
    /// Number of modes, slowest first
    #[arg(short, long, value_name = "COUNT", default_value_t = 8)]
    number: usize,
    /// Kind of diagram: frequencies and real parts over the parameter, or root locus
    #[arg(long, value_enum, default_value = "campbell")]
    diagram: Diagram,
    #[command(flatten)]
    at: OperatingPoint,
    #[command(flatten)]
    group: MultibladeOption,
    /// Diagram (.svg) or table (.csv) [default: the table on stdout]
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    former: FormerFileOption,
    /// Replace the file if it exists
    #[arg(long, requires = "file")]
    force: bool,
    /// Largest number of lines 1P, 2P … if the parameter is a rotational speed; 0 for none
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    per_revolution: usize,
}

impl Arguments {
    /// Tracks the modes, then draws the diagram or writes the table.
    pub fn run(self) -> Result<ExitStatus, CliError> {
        if !(self.from.is_finite() && self.to.is_finite() && (2..=10_000).contains(&self.steps)) {
            return Err(CliError::with_help(
                "invalid range of the parameter",
                "--from and --to must be finite, --steps between 2 and 10000",
            ));
        }
        let format = DiagramFormat::of(self.file.as_deref(), "diagram")?;
        overwrite::check_optional_overwrite(self.file.as_deref(), &self.source.model, self.force.into())?;
        let fraction = |i: usize| i as f64 / (self.steps - 1) as f64;
        let values: Vec<f64> = (0..self.steps).map(|i| self.from + (self.to - self.from) * fraction(i)).collect();
        let mut lists: Vec<Vec<Eigenmode>> = Vec::with_capacity(values.len());
        let (mut title, mut rates) = (String::new(), Vec::with_capacity(values.len()));
        let mut failures: Vec<(String, CliError)> = Vec::new();
        for (i, value) in values.iter().enumerate() {
            let value = self.unit.as_ref().map_or_else(|| value.to_string(), |u| format!("{value} {u}"));
            // Warnings about the file are printed once.
            let style = if i == 0 { OutputStyle::Text } else { OutputStyle::Silent };
            match self.modes_at(&value, style) {
                Ok((found, rate, of)) => {
                    lists.push(found);
                    rates.push(rate);
                    title = of;
                }
                Err(CliError::BrokenPipe) => return Err(CliError::BrokenPipe),
                Err(failure) => {
                    lists.push(Vec::new());
                    rates.push(None);
                    failures.push((value, failure));
                }
            }
        }
        if failures.len() == values.len() {
            return Err(failures.swap_remove(0).1);
        }
        self.warn_of_failures(&failures);
        let branches = slowest_branches(track_modes(&lists), self.number);
        match (&self.file, format) {
            (Some(path), Some(format)) => {
                let text = if format == DiagramFormat::Svg {
                    self.figure(&title, &values, &branches, &self.revolutions(&values, &rates))
                } else {
                    self.csv(&values, &branches)
                };
                std::fs::write(path, text).map_err(|e| CliError::file_error("write", path, &e))?;
                print_stderr(&format!("wrote {}", path.display()));
            }
            _ => print_stdout(&self.csv(&values, &branches))?,
        }
        Ok(ExitStatus::Success)
    }

    /// Prints each distinct failure once, with the values at which it occurred.
    fn warn_of_failures(&self, failures: &[(String, CliError)]) {
        let mut causes: Vec<(String, Vec<&str>)> = Vec::new();
        for (value, failure) in failures {
            let cause = failure.one_line();
            match causes.iter_mut().find(|(known, _)| *known == cause) {
                Some((_, values)) => values.push(value),
                None => causes.push((cause, vec![value])),
            }
        }
        for (cause, values) in causes {
            let at = values.join(", ");
            print_stderr(&format!("warning: no modes at {} = {at}: {cause}", self.parameter));
        }
    }

    /// The modes at one value, the angular velocity of the frame, and the title of the file. More modes than are shown are
    /// computed, because curves cross.
    fn modes_at(&self, value: &str, style: OutputStyle) -> Result<(Vec<Eigenmode>, Option<f64>, String), CliError> {
        let change = Override { path: self.parameter.clone(), value: value.to_string() };
        let (file, model) = self.source.open_model_file(&[change], style)?;
        if self.group.requested() {
            let found = self.group.linearised(&self.at, &file, &model)?;
            let modes = found.modes()?.into_iter().map(|m| m.mode);
            return Ok((modes.take(self.number + EXTRA_TRACKED_MODES).collect(), Some(found.rate), file.title));
        }
        let lin = self.at.linearised(&file, &model)?;
        let found = modes(&lin, ModeRequest::Lowest(self.number + EXTRA_TRACKED_MODES))?.modes;
        Ok((found, lin.turning.map(|t| t.rate), file.title))
    }

    /// Revolutions per second at every value: of the rotating frame, or of a parameter whose unit is a rotational speed.
    fn revolutions(&self, values: &[f64], rates: &[Option<f64>]) -> Vec<f64> {
        let of_unit = match self.unit.as_deref() {
            Some("rad/s") => Some(1.0 / TAU),
            Some("deg/s") => Some(1.0 / 360.0),
            Some("rpm") => Some(1.0 / 60.0),
            Some("Hz") => Some(1.0),
            _ => None,
        };
        let turned = || rates.iter().map(|r| r.map_or(f64::NAN, |r| (r / TAU).abs())).collect();
        match (rates.iter().flatten().next().map(|_| turned()), of_unit) {
            (Some(found), _) => found,
            (None, Some(factor)) => values.iter().map(|v| (factor * v).abs()).collect(),
            (None, None) => Vec::new(),
        }
    }

    /// The lines 1P, 2P …: those that stay below the highest frequency at the highest speed, and one more.
    fn revolution_guides(&self, values: &[f64], turns: &[f64], top: f64) -> Vec<Guide> {
        let fastest = turns.iter().fold(0.0_f64, |a, f| a.max(*f));
        // No lines if the speed is constant, because another parameter is varied.
        let slowest = turns.iter().fold(fastest, |a, f| a.min(*f));
        if slowest >= fastest || !(top > 0.0 && top.is_finite()) {
            return Vec::new();
        }
        let count = ((top / fastest).floor() as usize + 1).min(self.per_revolution);
        let line = |n: usize| Series {
            label: format!("{n}P"),
            x: values.to_vec(),
            y: turns.iter().map(|f| n as f64 * f).collect(),
        };
        (1..=count).map(|n| Guide { panel: 0, series: line(n) }).collect()
    }

    fn figure(&self, title: &str, values: &[f64], branches: &[ModeBranch], turns: &[f64]) -> String {
        let line = |k: usize, of: &dyn Fn(f64, f64) -> f64| Series {
            label: (k + 1).to_string(),
            x: values.to_vec(),
            y: branches[k].lambda.iter().map(|l| l.map_or(f64::NAN, |l| of(l.re, l.im))).collect(),
        };
        let lines = |of: &dyn Fn(f64, f64) -> f64| (0..branches.len()).map(|k| line(k, of)).collect::<Vec<_>>();
        let unit = self.unit.clone().unwrap_or_else(|| "1".to_string());
        match self.diagram {
            Diagram::Campbell => {
                let hertz = lines(&|_, im| im / TAU);
                // The real part of a conservative mode is only round-off.
                let real = lines(&|re, im| if re.abs() < REAL_PART_ROUND_OFF * im.abs() { 0.0 } else { re });
                let all = hertz.iter().flat_map(|s| &s.y).filter(|f| f.is_finite());
                let guides = self.revolution_guides(values, turns, all.fold(0.0_f64, |a, f| a.max(*f)));
                let panels = vec![
                    Panel { label: "frequency".to_string(), unit: "Hz".to_string(), series: hertz },
                    Panel { label: "real part".to_string(), unit: "1/s".to_string(), series: real },
                ];
                let figure = Figure::new(&self.parameter, &unit, panels).titled(title).sized(760.0, 260.0);
                figure.guided(guides).to_svg()
            }
            Diagram::Locus => {
                let series = lines(&|_, im| im).into_iter().zip(lines(&|re, _| re));
                let series = series.map(|(im, re)| Series { x: re.y, ..im }).collect();
                let panel = Panel { label: "imaginary part".to_string(), unit: "rad/s".to_string(), series };
                let figure = Figure::new("real part", "1/s", vec![panel]).titled(title).sized(760.0, 480.0);
                figure.marked(Marks::Points).to_svg()
            }
        }
    }

    fn csv(&self, values: &[f64], branches: &[ModeBranch]) -> String {
        let mut text = self.parameter.clone();
        (1..=branches.len()).for_each(|k| {
            let _ = write!(text, ",real {k},imaginary {k},mac {k}");
        });
        text.push('\n');
        for (i, value) in values.iter().enumerate() {
            let _ = write!(text, "{value}");
            for b in branches {
                let _ = match b.lambda[i] {
                    Some(l) => write!(text, ",{:e},{:e},{:.4}", l.re, l.im, b.mac[i]),
                    None => write!(text, ",,,"),
                };
            }
            text.push('\n');
        }
        text
    }
}
