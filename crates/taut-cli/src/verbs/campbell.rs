//! `taut campbell`: modes followed over a parameter, as a table and a picture.

use super::standpoint::Standpoint;
use crate::ending::{Ending, Failure, note, say};
use crate::options::{Source, Style};
use clap::{Args, ValueEnum};
use std::fmt::Write;
use std::path::PathBuf;
use taut::analyses::linear::{Branch, Mode, Request, modes, track};
use taut_io::model::Override;
use taut_io::plot::{Figure, Marks, Panel, Series};

/// A real part smaller than this share of the imaginary one is drawn as none.
const ROUND_OFF: f64 = 1e-12;

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Diagram {
    // Frequency and damping over the parameter.
    Campbell,
    // Imaginary over real part.
    Locus,
}

/// Arguments of `taut campbell`.
#[derive(Debug, Args)]
#[command(after_help = "\
Modes are followed by their shapes (MAC), so that curves may cross. The parameter is one of [params] or a field, as with \
--set; its values may have a unit.

Examples:
  taut campbell rotor.toml --parameter speed --from 0 --to 900 --steps 40 -o rotor.svg
  taut campbell blade.toml --parameter omega --from 0 --to 30 --static --rotating-about z -o blade.svg
  taut campbell bicycle.toml --parameter v --from 0 --to 10 --diagram locus -o bicycle.svg")]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
    /// The parameter, as --set names it
    #[arg(long, value_name = "NAME")]
    parameter: String,
    /// Its first value
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    from: f64,
    /// Its last value
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    to: f64,
    /// Number of values
    #[arg(long, value_name = "COUNT", default_value_t = 41)]
    steps: usize,
    /// Unit of the values, as "rpm" [default: SI]
    #[arg(long, value_name = "UNIT")]
    unit: Option<String>,
    /// How many modes, the slowest first
    #[arg(short, long, value_name = "COUNT", default_value_t = 8)]
    number: usize,
    /// What is drawn
    #[arg(long, value_enum, default_value = "campbell")]
    diagram: Diagram,
    #[command(flatten)]
    at: Standpoint,
    /// Picture, ending in .svg, or table, ending in .csv [default: the table on stdout]
    #[arg(short = 'o', long = "file", value_name = "FILE")]
    file: Option<PathBuf>,
}

impl Arguments {
    /// Follows, draws or writes.
    pub fn run(self) -> Result<Ending, Failure> {
        if !(self.from.is_finite() && self.to.is_finite() && (2..=10_000).contains(&self.steps)) {
            return Err(Failure::with_help(
                "a range that is none",
                "give finite --from and --to, and 2 to 10000 --steps",
            ));
        }
        let ending = self.file.as_ref().map(|f| f.extension().map(|e| e.to_string_lossy().to_lowercase()));
        if !matches!(ending.as_ref().map(|e| e.as_deref()), None | Some(Some("svg" | "csv"))) {
            return Err(Failure::with_help("a diagram of no known format", "end the file in .svg or .csv"));
        }
        let share = |i: usize| i as f64 / (self.steps - 1) as f64;
        let values: Vec<f64> = (0..self.steps).map(|i| self.from + (self.to - self.from) * share(i)).collect();
        let mut lists: Vec<Vec<Mode>> = Vec::with_capacity(values.len());
        let mut title = String::new();
        for (i, value) in values.iter().enumerate() {
            let value = self.unit.as_ref().map_or_else(|| value.to_string(), |u| format!("{value} {u}"));
            let change = Override { path: self.parameter.clone(), value };
            // Warnings of the file are told once.
            let style = if i == 0 { Style::Text } else { Style::Silent };
            let (file, model) = self.source.open(&[change], style)?;
            let lin = self.at.linearised(&file, &model)?;
            lists.push(modes(&lin, Request::Lowest(self.number))?.modes);
            title = file.title;
        }
        let branches = track(&lists);
        match (&self.file, ending.flatten().as_deref()) {
            (Some(path), Some(ending)) => {
                let text = if ending == "svg" {
                    self.figure(&title, &values, &branches)
                } else {
                    self.csv(&values, &branches)
                };
                std::fs::write(path, text).map_err(|e| Failure::file("write", path, &e))?;
                note(&format!("{} is written", path.display()));
            }
            _ => say(&self.csv(&values, &branches))?,
        }
        Ok(Ending::Done)
    }

    fn figure(&self, title: &str, values: &[f64], branches: &[Branch]) -> String {
        let line = |k: usize, of: &dyn Fn(f64, f64) -> f64| Series {
            label: (k + 1).to_string(),
            x: values.to_vec(),
            y: branches[k].lambda.iter().map(|l| l.map_or(f64::NAN, |l| of(l.re, l.im))).collect(),
        };
        let lines = |of: &dyn Fn(f64, f64) -> f64| (0..branches.len()).map(|k| line(k, of)).collect::<Vec<_>>();
        let unit = self.unit.clone().unwrap_or_else(|| "1".to_string());
        match self.diagram {
            Diagram::Campbell => {
                let hertz = lines(&|_, im| im / std::f64::consts::TAU);
                // Of a mode that keeps its energy round-off is all there is.
                let real = lines(&|re, im| if re.abs() < ROUND_OFF * im.abs() { 0.0 } else { re });
                let panels = vec![
                    Panel { label: "frequency".to_string(), unit: "Hz".to_string(), series: hertz },
                    Panel { label: "real part".to_string(), unit: "1/s".to_string(), series: real },
                ];
                Figure::new(&self.parameter, &unit, panels).titled(title).sized(760.0, 260.0).to_svg()
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

    fn csv(&self, values: &[f64], branches: &[Branch]) -> String {
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
