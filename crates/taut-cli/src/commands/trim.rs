//! `taut trim`: parameters for which means or harmonics of columns take given values.

use super::parameter_range::{Failure, ParameterRange, ParameterValues};
use super::periodic_point::{Nearby, PeriodicPoint};
use crate::exit::{CliError, ExitStatus, print_json, print_stderr, print_stdout};
use crate::file_format::DiagramFormat;
use crate::options::{FormerFileOption, JsonOption, ModelSource, OutputStyle};
use crate::overwrite;
use clap::Args;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use taut::analyses::{
    ColumnHarmonics, HarmonicStatistic, Output, SmallMotions, Statics, Transient, TrimParameter, TrimTarget, Trimmed,
    simulate, statics, trim,
};
use taut_io::model::{Override, TrimResult, TrimVariable};
use taut_io::plot::{Figure, Panel, Series};
use taut_papers::text::{Align, number, table};

/// Permitted difference, relative to the size of a result.
const TOLERANCE: f64 = 1e-7;
/// Most iterations.
const ITERATIONS: usize = 30;

/// Arguments of `taut trim`.
#[derive(Debug, Args)]
#[command(after_help = "\
With --period or --free-period the results are those of the periodic motion: COLUMN:mean, COLUMN:cos1, COLUMN:sin2, \
COLUMN:amplitude4. Without them they are those of the static equilibrium, and a target is COLUMN=VALUE. Values are in SI units; \
cos and sin count from the start of the motion.

[trim] in the model file gives the same: period, [[trim.vary]] and [[trim.target]]. An option replaces the entry of the same name, or \
adds one.

Examples:
  taut trim shaker.toml --period \"2*pi/w\" --vary force=0:1:10 \\
      --target mass.z:amplitude1=0.01
  taut trim rotor.toml --period \"2*pi/W\" --vary theta0=0:0.1:0.3 \\
      --vary theta1=-0.2:0:0.2 --target shaft.fz:mean=36000 \\
      --target flap1.angle:cos1=0
  taut trim rotor.toml --period \"2*pi/W\" --vary theta0=0:0.1:0.3 \\
      --target shaft.fz:mean=36000 --parameter mu --from 0 --to 0.3
  taut trim rotor.toml --target shaft.fz:mean=30000
  taut trim crane.toml --vary counterweight=0:500:2000 --target mast.my=0")]
pub struct Arguments {
    #[command(flatten)]
    source: ModelSource,
    #[command(flatten)]
    point: PeriodicPoint,
    /// Parameter to be found, with lowest, first and highest value; may be repeated
    #[arg(long, value_name = "NAME=LOW:FIRST:HIGH", value_parser = parse_vary, allow_hyphen_values = true)]
    vary: Vec<Varied>,
    /// Target: a result and its value; give as many targets as parameters
    #[arg(long, value_name = "COLUMN:STATISTIC=VALUE", value_parser = parse_target, allow_hyphen_values = true)]
    target: Vec<Target>,
    #[command(flatten)]
    range: ParameterRange,
    /// With --parameter: diagram (.svg) or table (.csv) over it [default: the table on stdout]
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

/// Where a trim starts: values of the parameters, and the last motion.
#[derive(Clone, Default)]
struct Start {
    parameters: Vec<f64>,
    nearby: Nearby,
}

/// A parameter of the model.
#[derive(Clone, Debug)]
struct Varied {
    name: String,
    low: f64,
    first: f64,
    high: f64,
}

/// A result and its value.
#[derive(Clone, Debug)]
struct Target {
    column: String,
    /// None for the value in equilibrium.
    statistic: Option<HarmonicStatistic>,
    value: f64,
    text: String,
}

fn parse_vary(text: &str) -> Result<Varied, String> {
    let wrong = || "write NAME=LOW:FIRST:HIGH, for example theta=0:0.1:0.3".to_string();
    let (name, range) = text.split_once('=').ok_or_else(wrong)?;
    let numbers: Vec<f64> =
        range.split(':').map(|x| x.trim().parse().map_err(|_| wrong())).collect::<Result<_, _>>()?;
    match numbers[..] {
        [low, first, high] if low < high && (low..=high).contains(&first) && low.is_finite() && high.is_finite() => {
            Ok(Varied { name: name.trim().to_string(), low, first, high })
        }
        _ => Err(format!("{}; LOW must be below HIGH, and FIRST between them", wrong())),
    }
}

fn parse_target(text: &str) -> Result<Target, String> {
    let wrong = || "write COLUMN:STATISTIC=VALUE, for example hub.fz:mean=5000 or flap.angle:cos1=0".to_string();
    let (left, value) = text.rsplit_once('=').ok_or_else(wrong)?;
    let value: f64 = value.trim().parse().map_err(|_| wrong())?;
    if !value.is_finite() {
        return Err(wrong());
    }
    let (column, statistic) = match left.rsplit_once(':') {
        None => (left, None),
        Some((column, word)) => (column, Some(word.trim().parse()?)),
    };
    Ok(Target { column: column.trim().to_string(), statistic, value, text: left.trim().to_string() })
}

impl Arguments {
    /// Finds the parameters and prints them.
    pub fn run(self) -> Result<ExitStatus, CliError> {
        self.with_table()?.find()
    }

    /// The same with what `[trim]` of the model file gives and the command line leaves open.
    fn with_table(mut self) -> Result<Arguments, CliError> {
        let (file, _) = self.source.open_model_file(&[], OutputStyle::Silent)?;
        if let Some(table) = &file.trim {
            self.point = self.point.or_table(table);
            let mut vary: Vec<Varied> = table.vary.iter().map(Varied::from).collect();
            for given in std::mem::take(&mut self.vary) {
                match vary.iter_mut().find(|v| v.name == given.name) {
                    Some(same) => *same = given,
                    None => vary.push(given),
                }
            }
            let mut target: Vec<Target> = table.targets.iter().map(Target::from).collect();
            for given in std::mem::take(&mut self.target) {
                match target.iter_mut().find(|t| t.text == given.text) {
                    Some(same) => *same = given,
                    None => target.push(given),
                }
            }
            (self.vary, self.target) = (vary, target);
        }
        if self.vary.is_empty() || self.target.is_empty() {
            let missing = if self.vary.is_empty() { "--vary" } else { "--target" };
            let help = "give --vary and --target, or [trim] in the model file";
            return Err(CliError::with_help(format!("{missing} is missing"), help));
        }
        Ok(self)
    }

    fn find(self) -> Result<ExitStatus, CliError> {
        let static_ = !self.point.requested();
        if let Some(t) = self.target.iter().find(|t| t.statistic.is_none() != static_) {
            let help = match static_ {
                true => "give --period for means and harmonics, or write COLUMN=VALUE for the equilibrium",
                false => "write COLUMN:mean=VALUE, or cos1, sin1, amplitude1 …",
            };
            return Err(CliError::with_help(format!("target `{}` does not fit the analysis", t.text), help));
        }
        if let Some(range) = self.range.values()? {
            return self.over_parameter(&range);
        }
        if self.file.is_some() {
            let help = "give --parameter, --from and --to, or leave out -o: one trim is printed";
            return Err(CliError::with_help("-o writes trims over a parameter, and none is given", help));
        }
        let mut start = Start { parameters: self.vary.iter().map(|v| v.first).collect(), nearby: Nearby::default() };
        let (found, title) = self.trimmed(&[], &mut start, OutputStyle::Text)?;
        match self.printing.style() {
            OutputStyle::Json => print_json(&self.as_json(&found, &title))?,
            _ => print_stdout(&self.as_text(&found))?,
        }
        Ok(ExitStatus::Success)
    }

    /// Trims at every value of another parameter; each search starts from the last one.
    fn over_parameter(&self, range: &ParameterValues) -> Result<ExitStatus, CliError> {
        let format = DiagramFormat::of(self.file.as_deref(), "diagram")?;
        overwrite::check_optional_overwrite(self.file.as_deref(), &self.source.model, self.force.into())?;
        let mut start = Start { parameters: self.vary.iter().map(|v| v.first).collect(), nearby: Nearby::default() };
        let (mut rows, mut title, mut first_failure) = (Vec::new(), String::new(), None);
        for (i, value) in range.list().into_iter().enumerate() {
            let style = if i == 0 { OutputStyle::Text } else { OutputStyle::Silent };
            match self.trimmed(&[range.change(value)], &mut start, style) {
                Ok((found, of)) => {
                    start.parameters.clone_from(&found.parameters);
                    rows.push((value, found));
                    title = of;
                }
                Err(CliError::BrokenPipe) => return Err(CliError::BrokenPipe),
                Err(failure) => {
                    let at = format!("{} = {}", range.name, range.text(value));
                    print_stderr(&format!("warning: no trim at {at}: {}", failure.one_line()));
                    first_failure.get_or_insert(failure);
                }
            }
        }
        if let Some(failure) = first_failure.filter(|_| rows.is_empty()) {
            return Err(failure);
        }
        match (&self.file, format) {
            (Some(path), Some(format)) => {
                let text = match format {
                    DiagramFormat::Svg => self.figure(range, &rows, &title),
                    DiagramFormat::Csv => self.csv(range, &rows),
                };
                std::fs::write(path, text).map_err(|e| CliError::file_error("write", path, &e))?;
                print_stderr(&format!("wrote {}", path.display()));
            }
            _ => print_stdout(&self.csv(range, &rows))?,
        }
        // Values without a trim are missing from the table.
        Ok(if rows.len() == range.count { ExitStatus::Success } else { ExitStatus::Stopped })
    }

    fn csv(&self, range: &ParameterValues, rows: &[(f64, Trimmed)]) -> String {
        let names = self.vary.iter().map(|v| v.name.as_str()).chain(self.target.iter().map(|t| t.text.as_str()));
        let mut text = format!("{},{}\n", range.name, names.collect::<Vec<_>>().join(","));
        for (value, found) in rows {
            let _ = write!(text, "{value}");
            for x in found.parameters.iter().chain(&found.results) {
                let _ = write!(text, ",{x:e}");
            }
            text.push('\n');
        }
        text
    }

    fn figure(&self, range: &ParameterValues, rows: &[(f64, Trimmed)], title: &str) -> String {
        let panel = |(k, v): (usize, &Varied)| Panel {
            label: v.name.clone(),
            unit: "1".to_string(),
            series: vec![Series {
                label: v.name.clone(),
                x: rows.iter().map(|(x, _)| *x).collect(),
                y: rows.iter().map(|(_, found)| found.parameters[k]).collect(),
            }],
        };
        let panels = self.vary.iter().enumerate().map(panel).collect();
        Figure::new(&range.name, range.axis_unit(), panels).titled(title).to_svg()
    }

    /// The trim of one model, and its title.
    fn trimmed(
        &self,
        changes: &[Override],
        start: &mut Start,
        style: OutputStyle,
    ) -> Result<(Trimmed, String), CliError> {
        let size = |v: &Varied| v.high - v.low;
        let first = start.parameters.clone();
        let parameters: Vec<TrimParameter> = self
            .vary
            .iter()
            .zip(&first)
            .map(|(v, x)| TrimParameter { name: v.name.clone(), start: *x, bounds: [v.low, v.high], size: size(v) })
            .collect();
        // The sizes of the results at first give the tolerances.
        let (at_first, sizes, title) = self.evaluate(changes, &first, &mut start.nearby, style)?;
        let targets: Vec<TrimTarget> = self
            .target
            .iter()
            .zip(&sizes)
            .map(|(t, size)| {
                let tolerance = TOLERANCE * t.value.abs().max(*size).max(f64::MIN_POSITIVE);
                TrimTarget { name: t.text.clone(), value: t.value, tolerance }
            })
            .collect();
        let mut known = Some(at_first);
        let found = trim(&parameters, &targets, ITERATIONS, |p| {
            // The first evaluation is done already.
            if let Some(results) = known.take().filter(|_| p == first.as_slice()) {
                return Ok(results);
            }
            let done = self.evaluate(changes, p, &mut start.nearby, OutputStyle::Silent);
            done.map(|(results, ..)| results).map_err(Failure::from)
        });
        Ok((found.map_err(|e| CliError::new(e.to_string()))?, title))
    }

    /// Results at values of the parameters, their sizes, and the title of the file.
    fn evaluate(
        &self,
        others: &[Override],
        p: &[f64],
        last: &mut Nearby,
        style: OutputStyle,
    ) -> Result<(Vec<f64>, Vec<f64>, String), CliError> {
        let change = |(v, x): (&Varied, &f64)| Override { path: v.name.clone(), value: format!("{x:?}") };
        let changes: Vec<Override> = others.iter().cloned().chain(self.vary.iter().zip(p).map(change)).collect();
        let names: Vec<&str> = self.target.iter().map(|t| t.column.as_str()).collect();
        if !self.point.requested() {
            let (file, model) = self.source.open_model_file(&changes, style)?;
            let near = last.state.clone().unwrap_or_else(|| file.state(&model));
            let found = statics(&model, &near, &Statics::default()).map_err(|e| CliError::new(e.to_string()))?;
            let settings = Transient { output: Output::Ends, ..Transient::to(found.state.t + 1e-6) };
            let row = simulate(&model, &found.state, &settings)?;
            let read = |name: &&str| row.column(name).map(|c| c[0]).map_err(|e| CliError::new(e.to_string()));
            let values = names.iter().map(read).collect::<Result<Vec<f64>, _>>()?;
            last.state = Some(found.state);
            let sizes = values.iter().map(|x| x.abs()).collect();
            return Ok((values, sizes, file.title));
        }
        let (file, model, period) = self.point.open(&self.source, &changes, style)?;
        let motion = self.point.motion_near(&file, &model, period, last, SmallMotions::Omitted)?;
        let orders = self.target.iter().filter_map(|t| t.statistic).map(HarmonicStatistic::order);
        let highest = orders.max().unwrap_or(1).max(1);
        let columns = motion.harmonics(&names, highest, &file.transient)?;
        last.keep(motion);
        let value = |(t, c): (&Target, &ColumnHarmonics)| t.statistic.map_or(c.mean, |s| s.of(c));
        let values = self.target.iter().zip(&columns).map(value).collect();
        let size = |c: &ColumnHarmonics| (1..=highest).fold(c.mean.abs(), |a, n| a.max(c.amplitude(n)));
        Ok((values, columns.iter().map(size).collect(), file.title))
    }

    fn as_text(&self, found: &Trimmed) -> String {
        let mut rows = vec![vec!["parameter".to_string(), "value".to_string()]];
        rows.extend(self.vary.iter().zip(&found.parameters).map(|(v, x)| vec![v.name.clone(), format!("{x:.10}")]));
        let mut text = table(&[Align::Left, Align::Right], &rows, "");
        let mut rows = vec![vec!["target".to_string(), "value".to_string(), "wanted".to_string()]];
        let one = |(t, x): (&Target, &f64)| vec![t.text.clone(), number(*x), number(t.value)];
        rows.extend(self.target.iter().zip(&found.results).map(one));
        text += &table(&[Align::Left, Align::Right, Align::Right], &rows, "");
        let _ = writeln!(text, "{} iterations", found.iterations);
        let options = self.vary.iter().zip(&found.parameters).map(|(v, x)| format!("--set {}={x}", v.name));
        text + &format!("for other commands: {}\n", options.collect::<Vec<_>>().join(" "))
    }

    fn as_json(&self, found: &Trimmed, title: &str) -> Value {
        let parameters = self.vary.iter().zip(&found.parameters).map(|(v, x)| (v.name.clone(), json!(x)));
        let results = self.target.iter().zip(&found.results);
        let results = results.map(|(t, x)| json!({ "target": t.text, "value": x, "wanted": t.value }));
        let rows: Vec<Vec<f64>> = found.derivatives.row_iter().map(|r| r.iter().copied().collect()).collect();
        json!({
            "title": title,
            "parameters": parameters.collect::<serde_json::Map<_, _>>(),
            "targets": results.collect::<Vec<_>>(),
            "derivatives": rows,
            "iterations": found.iterations,
        })
    }
}

impl From<&TrimVariable> for Varied {
    fn from(v: &TrimVariable) -> Varied {
        Varied { name: v.parameter.clone(), low: v.low, first: v.first, high: v.high }
    }
}

impl From<&TrimResult> for Target {
    fn from(t: &TrimResult) -> Target {
        let text = t.statistic.map_or_else(|| t.column.clone(), |s| format!("{}:{s}", t.column));
        Target { column: t.column.clone(), statistic: t.statistic, value: t.value, text }
    }
}
