//! `taut response`: magnitude and phase of an output per unit of an input.

use super::standpoint::{Standpoint, open};
use crate::ending::{Ending, Failure, note, say};
use crate::options::Source;
use clap::{Args, ValueEnum};
use nalgebra::Complex;
use std::fmt::Write;
use std::path::PathBuf;
use taut::analyses::linear::Output;
use taut_io::plot::{Figure, Panel, Scale, Series};

/// How frequencies are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Sweep {
    // Equal ratios.
    Log,
    // Equal steps.
    Linear,
}

/// Arguments of `taut response`.
#[derive(Debug, Args)]
#[command(after_help = "\
Inputs and outputs are those of `taut linearize`. No mode is left out: every frequency is a solve with the whole model.

Examples:
  taut response car.toml --static --input road --output body.ay --from 0.1 --to 30 -o car.svg
  taut response arm.toml --input arm.tip.fx --output arm.tip.x --from 1 --to 200 > arm.csv")]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
    /// The input
    #[arg(long, value_name = "NAME")]
    input: String,
    /// An output, the name of a column; may be repeated
    #[arg(long, value_name = "COLUMN", required = true)]
    output: Vec<String>,
    /// Lowest frequency, Hz
    #[arg(long, value_name = "HZ")]
    from: f64,
    /// Highest frequency, Hz
    #[arg(long, value_name = "HZ")]
    to: f64,
    /// Number of frequencies
    #[arg(long, value_name = "COUNT", default_value_t = 400)]
    steps: usize,
    /// How they are spread
    #[arg(long, value_enum, default_value = "log")]
    sweep: Sweep,
    #[command(flatten)]
    at: Standpoint,
    /// Picture, ending in .svg, or table, ending in .csv [default: the table on stdout]
    #[arg(short = 'o', long = "file", value_name = "FILE")]
    file: Option<PathBuf>,
}

impl Arguments {
    /// Sweeps, draws or writes.
    pub fn run(self) -> Result<Ending, Failure> {
        let frequencies = self.frequencies()?;
        let ending = self.file.as_ref().map(|f| f.extension().map(|e| e.to_string_lossy().to_lowercase()));
        if !matches!(ending.as_ref().map(|e| e.as_deref()), None | Some(Some("svg" | "csv"))) {
            return Err(Failure::with_help("a response of no known format", "end the file in .svg or .csv"));
        }
        let (file, model) = open(&self.source)?;
        let lin = self.at.linearised(&file, &model)?;
        let input = lin.input(&self.input)?;
        let names: Vec<&str> = self.output.iter().map(String::as_str).collect();
        let outputs = lin.outputs(&names)?;
        let found = lin.response(&input, &outputs, &frequencies)?;
        let csv = || table(&frequencies, &outputs, &found);
        match (&self.file, ending.flatten().as_deref()) {
            (Some(path), Some(ending)) => {
                let title = format!("{}: response to {} [{}]", file.title, input.name, input.unit);
                let text = if ending == "svg" { self.figure(&title, &frequencies, &outputs, &found) } else { csv() };
                std::fs::write(path, text).map_err(|e| Failure::file("write", path, &e))?;
                note(&format!("{} is written", path.display()));
            }
            _ => say(&csv())?,
        }
        Ok(Ending::Done)
    }

    fn frequencies(&self) -> Result<Vec<f64>, Failure> {
        let (a, b, n) = (self.from, self.to, self.steps);
        let low = if self.sweep == Sweep::Log { a > 0.0 } else { a >= 0.0 };
        if !(low && b > a && b.is_finite() && (2..=1_000_000).contains(&n)) {
            let help = "give --from above 0, --to above it, and 2 to 1000000 --steps";
            return Err(Failure::with_help("a sweep that is none", help));
        }
        let share = |i: usize| i as f64 / (n - 1) as f64;
        Ok((0..n)
            .map(|i| match self.sweep {
                Sweep::Log => a * (b / a).powf(share(i)),
                Sweep::Linear => a + (b - a) * share(i),
            })
            .collect())
    }

    fn figure(&self, title: &str, f: &[f64], outputs: &[Output], found: &[Vec<Complex<f64>>]) -> String {
        // Magnitudes as powers of ten: the panels of a figure share the kind of their axes.
        let line = |i: usize, of: fn(&Complex<f64>) -> f64| Series {
            label: format!("{} [{}]", outputs[i].name, outputs[i].unit),
            x: f.to_vec(),
            y: found.iter().map(|y| of(&y[i])).collect(),
        };
        let all = 0..outputs.len();
        let size = all.clone().map(|i| line(i, |y| y.norm().log10())).collect();
        let turn = all.map(|i| line(i, |y| y.arg().to_degrees())).collect();
        let panels = vec![
            Panel { label: "log10 of magnitude".to_string(), unit: "1".to_string(), series: size },
            Panel { label: "phase".to_string(), unit: "deg".to_string(), series: turn },
        ];
        let x = if self.sweep == Sweep::Log { Scale::Logarithmic } else { Scale::Linear };
        Figure::new("frequency", "Hz", panels).titled(title).scaled(x, Scale::Linear).sized(760.0, 230.0).to_svg()
    }
}

fn table(f: &[f64], outputs: &[Output], found: &[Vec<Complex<f64>>]) -> String {
    let mut text = "frequency [Hz]".to_string();
    for o in outputs {
        let _ = write!(text, ",\"{0} real [{1}]\",\"{0} imaginary [{1}]\"", o.name, o.unit);
    }
    text.push('\n');
    for (f, y) in f.iter().zip(found) {
        let _ = write!(text, "{f}");
        y.iter().for_each(|y| {
            let _ = write!(text, ",{:e},{:e}", y.re, y.im);
        });
        text.push('\n');
    }
    text
}
