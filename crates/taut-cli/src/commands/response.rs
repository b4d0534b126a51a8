//! `taut response`: frequency responses, as magnitude and phase of outputs per unit of an input.

use super::operating_point::{OperatingPoint, open_model};
use crate::exit::{CliError, ExitStatus, print_stderr, print_stdout};
use crate::file_format::DiagramFormat;
use crate::options::{FormerFileOption, ModelSource, output_file};
use crate::overwrite;
use clap::{Args, ValueEnum};
use nalgebra::Complex;
use std::fmt::Write;
use std::path::PathBuf;
use taut::analyses::linear::{LinearInput, LinearOutput};
use taut_io::plot::{Figure, Panel, Scale, Series};

/// Spacing of the frequencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FrequencySpacing {
    // Equal ratios.
    Log,
    // Equal steps.
    Linear,
}

/// Arguments of `taut response`.
#[derive(Debug, Args)]
#[command(after_help = "\
Inputs and outputs are those of `taut linearize`. Every frequency is solved with the full model, without modal truncation.

Examples:
  taut response car.toml --static --input road --column body.ay --from 0.1 \\
      --to 30 -o car.svg
  taut response arm.toml --input arm.tip.fx --column arm.tip.x --from 1 \\
      --to 200 > arm.csv")]
pub struct Arguments {
    #[command(flatten)]
    source: ModelSource,
    /// Input
    #[arg(long, value_name = "NAME")]
    input: String,
    /// Output: a column of the results; may be repeated
    #[arg(long, value_name = "COLUMN", required = true)]
    column: Vec<String>,
    /// Lowest frequency, Hz
    #[arg(long, value_name = "HZ")]
    from: f64,
    /// Highest frequency, Hz
    #[arg(long, value_name = "HZ")]
    to: f64,
    /// Number of frequencies
    #[arg(long, value_name = "COUNT", default_value_t = 400)]
    steps: usize,
    /// Spacing of the frequencies
    #[arg(long, value_enum, default_value = "log")]
    sweep: FrequencySpacing,
    #[command(flatten)]
    at: OperatingPoint,
    /// Diagram (.svg) or table (.csv) [default: the table on stdout]
    #[arg(short = 'o', long = "output", value_name = "FILE", overrides_with = "file", value_parser = output_file(&["svg", "csv"]))]
    file: Option<PathBuf>,
    #[command(flatten)]
    former: FormerFileOption,
    /// Replace the file if it exists
    #[arg(long, requires = "file")]
    force: bool,
}

impl Arguments {
    /// Computes the responses, then draws the diagram or writes the table.
    pub fn run(self) -> Result<ExitStatus, CliError> {
        let frequencies = self.frequencies()?;
        let format = DiagramFormat::of(self.file.as_deref(), "response")?;
        overwrite::check_optional_overwrite(self.file.as_deref(), &self.source.model, self.force.into())?;
        let (file, model) = open_model(&self.source)?;
        let lin = self.at.linearised(&file, &model)?;
        let input = lin.input(&self.input)?;
        let names: Vec<&str> = self.column.iter().map(String::as_str).collect();
        let outputs = lin.outputs(&names)?;
        let found = lin.response(&input, &outputs, &frequencies)?;
        let csv = || csv_table(&frequencies, &outputs, &found);
        match (&self.file, format) {
            (Some(path), Some(format)) => {
                let title = format!("{}: response to {} [{}]", file.title, input.name, input.unit);
                let text = if format == DiagramFormat::Svg {
                    self.figure(&title, &frequencies, &input, &outputs, &found)
                } else {
                    csv()
                };
                std::fs::write(path, text).map_err(|e| CliError::file_error("write", path, &e))?;
                print_stderr(&format!("wrote {}", path.display()));
            }
            _ => print_stdout(&csv())?,
        }
        Ok(ExitStatus::Success)
    }

    fn frequencies(&self) -> Result<Vec<f64>, CliError> {
        let (a, b, n) = (self.from, self.to, self.steps);
        let low = if self.sweep == FrequencySpacing::Log { a > 0.0 } else { a >= 0.0 };
        if !(low && b > a && b.is_finite() && (2..=1_000_000).contains(&n)) {
            let help = "--from must be above 0, --to above --from, and --steps between 2 and 1000000";
            return Err(CliError::with_help("invalid range of frequencies", help));
        }
        let fraction = |i: usize| i as f64 / (n - 1) as f64;
        Ok((0..n)
            .map(|i| match self.sweep {
                FrequencySpacing::Log => a * (b / a).powf(fraction(i)),
                FrequencySpacing::Linear => a + (b - a) * fraction(i),
            })
            .collect())
    }

    fn figure(
        &self,
        title: &str,
        f: &[f64],
        of: &LinearInput,
        outputs: &[LinearOutput],
        found: &[Vec<Complex<f64>>],
    ) -> String {
        let line = |label: String, y: Vec<f64>| Series { label, x: f.to_vec(), y };
        let measured = |o: &LinearOutput| format!("{} [{}]", o.name, ratio_unit(&o.unit, of.unit));
        let all = 0..outputs.len();
        // Zero cannot be drawn on a logarithmic axis and has no phase.
        let size = |y: &Complex<f64>| if y.norm() > 0.0 { y.norm() } else { f64::NAN };
        let sizes =
            all.clone().map(|i| line(measured(&outputs[i]), found.iter().map(|y| size(&y[i])).collect())).collect();
        let turns = all.map(|i| line(outputs[i].name.clone(), unwrapped_phase(found.iter().map(|y| y[i])))).collect();
        // A single line needs no legend: the axis label names it.
        let (name, unit) = match outputs {
            [one] => (format!("|{} / {}|", one.name, of.name), ratio_unit(&one.unit, of.unit)),
            _ => ("magnitude".to_string(), "1".to_string()),
        };
        let panels = vec![
            Panel { label: name, unit, series: sizes },
            Panel { label: "phase".to_string(), unit: "deg".to_string(), series: turns },
        ];
        let x = if self.sweep == FrequencySpacing::Log { Scale::Logarithmic } else { Scale::Linear };
        let figure = Figure::new("frequency", "Hz", panels).titled(title).scaled(x, Scale::Linear).sized(760.0, 230.0);
        figure.panels_scaled(vec![Scale::Logarithmic, Scale::Linear]).to_svg()
    }
}

/// The unit of an output per unit of an input.
fn ratio_unit(output: &str, input: &str) -> String {
    match (output, input) {
        (output, input) if output == input => "1".to_string(),
        (output, "1") => output.to_string(),
        (output, input) => {
            let [output, input] = [output, input].map(|unit| match unit.contains([' ', '/']) {
                true => format!("({unit})"),
                false => unit.to_string(),
            });
            format!("{output}/{input}")
        }
    }
}

/// Unwrapped phases in degrees; the first one is between −180 and 180.
fn unwrapped_phase(values: impl Iterator<Item = Complex<f64>>) -> Vec<f64> {
    let (mut before, mut found) = (None, Vec::new());
    for y in values {
        let phase = if y.norm() > 0.0 { y.arg().to_degrees() } else { f64::NAN };
        let turns = before.map_or(0.0, |b: f64| ((b - phase) / 360.0).round());
        let phase = if turns.is_finite() { phase + 360.0 * turns } else { phase };
        if phase.is_finite() {
            before = Some(phase);
        }
        found.push(phase);
    }
    found
}

fn csv_table(f: &[f64], outputs: &[LinearOutput], found: &[Vec<Complex<f64>>]) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_go_on_beyond_half_a_turn() {
        let turning = (0..50).map(|i| Complex::from_polar(1.0, -0.3 * f64::from(i)));
        for (i, phase) in unwrapped_phase(turning).iter().enumerate() {
            assert!((phase + (0.3 * i as f64).to_degrees()).abs() < 1e-9, "{i}: {phase}");
        }
        assert!(unwrapped_phase([Complex::new(0.0, 0.0)].into_iter())[0].is_nan());
    }

    #[test]
    fn units_of_a_ratio() {
        assert_eq!(
            [
                ratio_unit("m", "N"),
                ratio_unit("m", "m"),
                ratio_unit("rad", "N m"),
                ratio_unit("m/s²", "1"),
                ratio_unit("m/s²", "m")
            ],
            ["m/N", "1", "rad/(N m)", "m/s²", "(m/s²)/m"]
        );
    }
}
