//! `taut trim`: parameters for which means or harmonics of columns take given values.

use super::periodic_point::PeriodicPoint;
use crate::exit::{CliError, ExitStatus, print_json, print_stdout};
use crate::options::{JsonOption, ModelSource, OutputStyle};
use clap::Args;
use serde_json::{Value, json};
use std::fmt;
use taut::State;
use taut::analyses::{
    ColumnHarmonics, Output, SmallMotions, Statics, Transient, TrimParameter, TrimTarget, Trimmed, simulate, statics,
    trim,
};
use taut_io::model::Override;
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

Examples:
  taut trim shaker.toml --period \"2*pi/w\" --vary force=0:1:10 --target mass.z:amplitude1=0.01
  taut trim rotor.toml --period \"2*pi/W\" --vary theta0=0:0.1:0.3 --vary theta1=-0.2:0:0.2 --target shaft.fz:mean=36000 \\
      --target flap1.angle:cos1=0
  taut trim crane.toml --vary counterweight=0:500:2000 --target mast.my=0")]
pub struct Arguments {
    #[command(flatten)]
    source: ModelSource,
    #[command(flatten)]
    point: PeriodicPoint,
    /// Parameter to be found, with lowest, first and highest value; may be repeated
    #[arg(long, value_name = "NAME=LOW:FIRST:HIGH", required = true, value_parser = parse_vary, allow_hyphen_values = true)]
    vary: Vec<Varied>,
    /// Result that must take a value; as many as parameters
    #[arg(long, value_name = "COLUMN:STATISTIC=VALUE", required = true, value_parser = parse_target, allow_hyphen_values = true)]
    target: Vec<Target>,
    #[command(flatten)]
    printing: JsonOption,
}

/// A parameter of the model.
#[derive(Clone, Debug)]
struct Varied {
    name: String,
    low: f64,
    first: f64,
    high: f64,
}

/// What of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Statistic {
    Equilibrium,
    Mean,
    Cosine(usize),
    Sine(usize),
    Amplitude(usize),
}

/// A result and its value.
#[derive(Clone, Debug)]
struct Target {
    column: String,
    statistic: Statistic,
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
        None => (left, Statistic::Equilibrium),
        Some((column, "mean")) => (column, Statistic::Mean),
        Some((column, word)) => {
            let order = |name: &str| {
                word.strip_prefix(name).and_then(|n| n.parse::<usize>().ok()).filter(|n| (1..=200).contains(n))
            };
            let found = order("cos").map(Statistic::Cosine);
            let found = found.or_else(|| order("sin").map(Statistic::Sine));
            let found = found.or_else(|| order("amplitude").map(Statistic::Amplitude));
            (column, found.ok_or("statistics are mean, cos1 …, sin1 …, amplitude1 …")?)
        }
    };
    Ok(Target { column: column.trim().to_string(), statistic, value, text: left.trim().to_string() })
}

/// An error of an evaluation, as text.
#[derive(Debug)]
struct Failure(String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}

impl Arguments {
    /// Finds the parameters and prints them.
    pub fn run(self) -> Result<ExitStatus, CliError> {
        let static_ = !self.point.requested();
        if let Some(t) = self.target.iter().find(|t| (t.statistic == Statistic::Equilibrium) != static_) {
            let help = match static_ {
                true => "give --period for means and harmonics, or write COLUMN=VALUE for the equilibrium",
                false => "write COLUMN:mean=VALUE, or cos1, sin1, amplitude1 …",
            };
            return Err(CliError::with_help(format!("target `{}` does not fit the analysis", t.text), help));
        }
        let size = |v: &Varied| v.high - v.low;
        let parameters: Vec<TrimParameter> = self
            .vary
            .iter()
            .map(|v| TrimParameter { name: v.name.clone(), start: v.first, bounds: [v.low, v.high], size: size(v) })
            .collect();
        let mut last: Option<State> = None;
        let first: Vec<f64> = self.vary.iter().map(|v| v.first).collect();
        // The sizes of the results at first give the tolerances.
        let (start, sizes, title) = self.evaluate(&first, &mut last, OutputStyle::Text)?;
        let targets: Vec<TrimTarget> = self
            .target
            .iter()
            .zip(&sizes)
            .map(|(t, size)| {
                let tolerance = TOLERANCE * t.value.abs().max(*size).max(f64::MIN_POSITIVE);
                TrimTarget { name: t.text.clone(), value: t.value, tolerance }
            })
            .collect();
        let mut known = Some(start);
        let found = trim(&parameters, &targets, ITERATIONS, |p| {
            // The first evaluation is done already.
            if let Some(results) = known.take().filter(|_| p == first.as_slice()) {
                return Ok(results);
            }
            let done = self.evaluate(p, &mut last, OutputStyle::Silent);
            done.map(|(results, ..)| results).map_err(|e| Failure(e.one_line()))
        });
        let found = found.map_err(|e| CliError::new(e.to_string()))?;
        match self.printing.style() {
            OutputStyle::Json => print_json(&self.as_json(&found, &title))?,
            _ => print_stdout(&self.as_text(&found))?,
        }
        Ok(ExitStatus::Success)
    }

    /// Results at values of the parameters, their sizes, and the title of the file.
    fn evaluate(
        &self,
        p: &[f64],
        last: &mut Option<State>,
        style: OutputStyle,
    ) -> Result<(Vec<f64>, Vec<f64>, String), CliError> {
        let change = |(v, x): (&Varied, &f64)| Override { path: v.name.clone(), value: format!("{x:?}") };
        let changes: Vec<Override> = self.vary.iter().zip(p).map(change).collect();
        let names: Vec<&str> = self.target.iter().map(|t| t.column.as_str()).collect();
        if !self.point.requested() {
            let (file, model) = self.source.open_model_file(&changes, style)?;
            let near = last.clone().unwrap_or_else(|| file.state(&model));
            let found = statics(&model, &near, &Statics::default()).map_err(|e| CliError::new(e.to_string()))?;
            let settings = Transient { output: Output::Ends, ..Transient::to(found.state.t + 1e-6) };
            let row = simulate(&model, &found.state, &settings)?;
            let read = |name: &&str| row.column(name).map(|c| c[0]).map_err(|e| CliError::new(e.to_string()));
            let values = names.iter().map(read).collect::<Result<Vec<f64>, _>>()?;
            *last = Some(found.state);
            let sizes = values.iter().map(|x| x.abs()).collect();
            return Ok((values, sizes, file.title));
        }
        let (file, model, period) = self.point.open(&self.source, &changes, style)?;
        let motion = self.point.motion_near(&file, &model, period, last.as_ref(), SmallMotions::Omitted)?;
        let highest = self.target.iter().map(|t| t.statistic.order()).max().unwrap_or(1).max(1);
        let columns = motion.harmonics(&names, highest, &file.transient)?;
        *last = Some(motion.start().clone());
        let values = self.target.iter().zip(&columns).map(|(t, c)| t.statistic.of(c)).collect();
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
        text + &format!("{} iterations\n", found.iterations)
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

impl Statistic {
    /// The harmonic it needs.
    fn order(self) -> usize {
        match self {
            Statistic::Equilibrium | Statistic::Mean => 0,
            Statistic::Cosine(n) | Statistic::Sine(n) | Statistic::Amplitude(n) => n,
        }
    }

    /// Its value.
    fn of(self, column: &ColumnHarmonics) -> f64 {
        match self {
            Statistic::Equilibrium | Statistic::Mean => column.mean,
            Statistic::Cosine(n) => column.harmonics[n - 1][0],
            Statistic::Sine(n) => column.harmonics[n - 1][1],
            Statistic::Amplitude(n) => column.amplitude(n),
        }
    }
}
