//! `taut periodic --parameter`: periodic motions over a parameter, through folds.

use super::parameter_range::{Failure, ParameterValues};
use super::periodic_point::PeriodicPoint;
use crate::exit::{CliError, ExitStatus, print_json, print_stderr, print_stdout};
use crate::file_format::DiagramFormat;
use crate::options::{ModelSource, OutputStyle};
use nalgebra::Complex;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;
use taut::analyses::{
    ColumnHarmonics, Continuation, ContinuationEnd, ModelAtValue, PeriodicMotion, continue_periodic, floquet,
};
use taut_io::plot::{Figure, Panel, Series};

/// Most points of a curve per requested step.
const POINTS_PER_STEP: usize = 20;

/// One motion of the curve.
struct Row {
    parameter: f64,
    fold: Option<f64>,
    period: f64,
    /// Multipliers, the largest first.
    multipliers: Vec<Complex<f64>>,
    harmonics: Vec<ColumnHarmonics>,
}

impl Row {
    fn largest(&self) -> f64 {
        self.multipliers.first().map_or(0.0, |m| m.norm())
    }
    /// Multipliers outside the unit circle. A free period has one at 1, known up to the root of its error.
    fn unstable(&self) -> usize {
        self.multipliers.iter().filter(|m| m.norm() > 1.0 + 1e-4).count()
    }
}

/// What a curve consists of.
pub struct CurveRequest<'a> {
    pub source: &'a ModelSource,
    pub point: &'a PeriodicPoint,
    pub values: ParameterValues,
    /// Columns whose harmonics are listed, up to this one.
    pub columns: &'a [String],
    pub highest: usize,
    pub file: Option<&'a Path>,
    pub style: OutputStyle,
}

impl CurveRequest<'_> {
    /// Follows the curve, then prints or draws it.
    pub fn run(&self) -> Result<ExitStatus, CliError> {
        let format = DiagramFormat::of(self.file, "diagram")?;
        let names: Vec<&str> = self.columns.iter().map(String::as_str).collect();
        let (file, _, period) =
            self.point.open(self.source, &[self.values.change(self.values.from)], OutputStyle::Text)?;
        let settings = self.point.settings(&file, period);
        let (mut rows, mut started) = (Vec::<Row>::new(), false);
        let at = |value: f64| -> Result<ModelAtValue, Failure> {
            let (file, model, period) =
                self.point.open(self.source, &[self.values.change(value)], OutputStyle::Silent)?;
            let state = if started { file.state(&model) } else { self.point.start(&file, &model)? };
            started = true;
            Ok(ModelAtValue { model, state, period })
        };
        let failed = |e: &dyn std::fmt::Display| Failure(e.to_string());
        let range = Continuation {
            from: self.values.from,
            to: self.values.to,
            steps: self.values.count - 1,
            max_points: POINTS_PER_STEP * self.values.count,
        };
        let end = continue_periodic(&settings, range, at, |point, motion: &PeriodicMotion| {
            let modes = floquet(motion).map_err(|e| failed(&e))?;
            let mut multipliers: Vec<Complex<f64>> = modes.modes.iter().map(|m| m.multiplier).collect();
            multipliers.sort_by(|a, b| b.norm().total_cmp(&a.norm()));
            let harmonics = match names.is_empty() {
                true => Vec::new(),
                false => motion.harmonics(&names, self.highest, &file.transient).map_err(|e| failed(&e))?,
            };
            let (parameter, fold, period) = (point.parameter, point.fold, motion.period);
            rows.push(Row { parameter, fold, period, multipliers, harmonics });
            Ok(())
        });
        let end = end.map_err(|e| CliError::new(e.to_string()))?;
        match (self.file, format) {
            (Some(path), Some(format)) => {
                let text = match format {
                    DiagramFormat::Svg => self.figure(&rows, &file.title),
                    DiagramFormat::Csv => self.csv(&rows),
                };
                std::fs::write(path, text).map_err(|e| CliError::file_error("write", path, &e))?;
                print_stderr(&format!("wrote {}", path.display()));
            }
            _ if self.style == OutputStyle::Json => print_json(&self.json(&rows, &end, &file.title))?,
            _ => print_stdout(&self.csv(&rows))?,
        }
        self.findings(&rows).iter().for_each(|line| print_stderr(line));
        Ok(self.ending(&end))
    }

    /// Says where the curve ends.
    fn ending(&self, end: &ContinuationEnd) -> ExitStatus {
        let name = &self.values.name;
        match end {
            ContinuationEnd::Reached => ExitStatus::Success,
            ContinuationEnd::TurnedBack => {
                print_stderr(&format!("note: behind a fold the curve returns to {name} = {}", self.values.from));
                ExitStatus::Success
            }
            ContinuationEnd::Stalled { parameter, cause } => {
                print_stderr(&format!("error: the curve ends at {name} = {parameter}: {cause}"));
                ExitStatus::Stopped
            }
            _ => {
                let help = "use more --steps";
                print_stderr(&format!("error: the curve is not finished after its largest number of points; {help}"));
                ExitStatus::Stopped
            }
        }
    }

    /// Folds and changes of stability.
    fn findings(&self, rows: &[Row]) -> Vec<String> {
        let name = &self.values.name;
        let mut all = Vec::new();
        for pair in rows.windows(2) {
            let [a, b] = pair else { continue };
            if let Some(fold) = b.fold {
                all.push(format!("note: fold at {name} = {fold:.6}"));
            }
            if let (Some(what), None) = (change_of_stability(a, b), b.fold) {
                all.push(format!("note: between {name} = {:.6} and {:.6} {what}", a.parameter, b.parameter));
            }
        }
        all
    }

    fn csv(&self, rows: &[Row]) -> String {
        let mut text = format!("{},period,largest multiplier,unstable multipliers", self.values.name);
        for column in self.columns {
            let _ = write!(text, ",{column} mean");
            (1..=self.highest).for_each(|n| {
                let _ = write!(text, ",{column} amplitude{n}");
            });
        }
        text.push('\n');
        for row in rows {
            let _ = write!(text, "{},{:e},{:e},{}", row.parameter, row.period, row.largest(), row.unstable());
            for h in &row.harmonics {
                (0..=self.highest).for_each(|n| {
                    let _ = write!(text, ",{:e}", h.amplitude(n));
                });
            }
            text.push('\n');
        }
        text
    }

    fn json(&self, rows: &[Row], end: &ContinuationEnd, title: &str) -> Value {
        let one = |row: &Row| {
            let columns = row
                .harmonics
                .iter()
                .map(|h| (h.name.clone(), json!({ "unit": h.unit, "mean": h.mean, "harmonics": h.harmonics })));
            json!({
                "parameter": row.parameter,
                "fold": row.fold,
                "period": row.period,
                "multipliers": row.multipliers.iter().map(|m| [m.re, m.im]).collect::<Vec<_>>(),
                "harmonics": columns.collect::<serde_json::Map<_, _>>(),
            })
        };
        let end = match end {
            ContinuationEnd::Reached => "reached",
            ContinuationEnd::TurnedBack => "turned_back",
            ContinuationEnd::Stalled { .. } => "stalled",
            _ => "max_points",
        };
        json!({
            "title": title,
            "parameter": self.values.name,
            "end": end,
            "points": rows.iter().map(one).collect::<Vec<_>>(),
        })
    }

    /// Amplitudes and the largest multiplier; stable and unstable motions are separate lines.
    fn figure(&self, rows: &[Row], title: &str) -> String {
        let x: Vec<f64> = rows.iter().map(|r| r.parameter).collect();
        let lines = |label: &str, of: &dyn Fn(&Row) -> f64| -> Vec<Series> {
            let part = |stable: bool| {
                // The point where a part begins or ends belongs to both.
                let shown = |i: usize| (rows[i].unstable() == 0) == stable;
                let seen =
                    |i: usize| shown(i) || (!stable && (i > 0 && shown(i - 1) || i + 1 < rows.len() && shown(i + 1)));
                let y = (0..rows.len()).map(|i| if seen(i) { of(&rows[i]) } else { f64::NAN }).collect();
                let word = if stable { "stable" } else { "unstable" };
                Series { label: format!("{label}{word}"), x: x.clone(), y }
            };
            [true, false].map(part).into_iter().filter(|s| s.y.iter().any(|y| y.is_finite())).collect()
        };
        let mut panels = Vec::new();
        for (k, column) in self.columns.iter().enumerate() {
            let unit = rows.first().map_or_else(String::new, |r| r.harmonics[k].unit.clone());
            let label = format!("{column}, amplitude");
            panels.push(Panel { label, unit, series: lines("", &|r| r.harmonics[k].amplitude(1)) });
        }
        panels.push(Panel {
            label: "largest multiplier".to_string(),
            unit: "1".to_string(),
            series: lines("", &|r| r.largest()),
        });
        Figure::new(&self.values.name, self.values.axis_unit(), panels).titled(title).sized(760.0, 260.0).to_svg()
    }
}

/// How the number of unstable multipliers changes.
fn change_of_stability(a: &Row, b: &Row) -> Option<String> {
    let (before, after) = (a.unstable(), b.unstable());
    if before == after {
        return None;
    }
    let (stable, other) = if before < after { (b, before) } else { (a, after) };
    // The first of the multipliers that crossed.
    let crossed = stable.multipliers[other];
    let place = match crossed {
        m if m.im.abs() > 1e-6 => "as a pair, a motion with a second frequency branches off",
        m if m.re < 0.0 => "at −1, a motion of twice the period branches off",
        _ => "at +1, another motion of the same period branches off",
    };
    let verb = if before < after { "leaves" } else { "enters" };
    Some(format!("a multiplier {verb} the unit circle {place}"))
}
