//! `taut bench`: measures how fast a model runs.

use crate::exit::{CliError, ExitStatus, print_json, print_stderr, print_stdout};
use crate::options::{JsonOption, ModelSource, OutputStyle, RunSettings, require_fixed_step};
use clap::Args;
use serde_json::json;
use std::time::Instant;
use taut::Columns;
use taut::analyses::{Output, simulate};
use taut_papers::text;

/// Arguments of `taut bench`.
#[derive(Debug, Args)]
#[command(after_help = "\
Only the first and the last state are recorded, so that writing output does not affect the time.

Examples:
  taut bench crank.toml
  taut bench crank.toml -n 20 --rtol 1e-6")]
pub struct Arguments {
    #[command(flatten)]
    source: ModelSource,
    /// Number of runs
    #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    #[command(flatten)]
    printing: JsonOption,
    #[command(flatten)]
    settings: RunSettings,
}

impl Arguments {
    /// Reads the model, runs it repeatedly and prints the times.
    pub fn run(self) -> Result<ExitStatus, CliError> {
        let clock = Instant::now();
        let (file, model) = self.source.open_model_file(&self.settings.overrides(), OutputStyle::Text)?;
        let reading = clock.elapsed().as_secs_f64();
        require_fixed_step(&file.transient)?;
        let mut settings = file.transient.clone();
        (settings.output, settings.columns) = (Output::Ends, Columns::None);
        let state = file.state(&model);
        let (mut seconds, mut last) = (Vec::new(), None);
        for _ in 0..self.runs {
            let found = simulate(&model, &state, &settings)?;
            seconds.push(found.elapsed.as_secs_f64());
            last = Some(found);
        }
        let Some(found) = last else { return Ok(ExitStatus::Success) };
        seconds.sort_by(f64::total_cmp);
        let median = seconds[seconds.len() / 2];
        let (work, simulated) = (found.statistics, found.final_state().t - state.t);
        let rate = |n: u64| if median > 0.0 { n as f64 / median } else { 0.0 };
        match self.printing.style() {
            OutputStyle::Json => print_json(&json!({
                "runs": seconds.len(), "reading_s": reading, "median_s": median, "least_s": seconds[0],
                "evaluations": work.evaluations, "evaluations_per_s": rate(work.evaluations),
                "steps": work.steps, "simulated_s": simulated, "outcome": found.outcome.to_string(),
            }))?,
            _ => print_stdout(&format!(
                "median of {}  {} (minimum {}), {} times real time\nevaluations  {} at {:.0} per second\nsteps        {} at \
                 {:.0} per second\nreading      {}\n",
                text::count(seconds.len(), "run", "runs"),
                text::clock(median),
                text::clock(seconds[0]),
                text::number(simulated / median.max(1e-9)),
                work.evaluations,
                rate(work.evaluations),
                work.steps,
                rate(work.steps),
                text::clock(reading)
            ))?,
        }
        if found.outcome.is_success() {
            return Ok(ExitStatus::Success);
        }
        print_stderr(&format!("warning: the run {}", found.outcome));
        Ok(ExitStatus::Stopped)
    }
}
