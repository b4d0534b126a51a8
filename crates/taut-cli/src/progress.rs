//! The progress bar of a run, shown on stderr if that is a terminal.

use crate::options::OutputStyle;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Instant;
use taut::Statistics;
use taut_papers::text;

/// Number of positions of the bar.
const BAR_RESOLUTION: u64 = 1000;

/// A bar that follows the simulated time.
pub struct Progress {
    bar: ProgressBar,
    clock: Instant,
    /// Simulated time when this process started (later than `start` for a resumed run), start and end of the run.
    resumed_at: f64,
    start: f64,
    end: f64,
}

impl Progress {
    /// A bar for a run from `start` to `finish` that has reached `resumed_at`.
    pub fn new(start: f64, from: f64, end: f64, style: OutputStyle) -> Progress {
        let target = match style {
            OutputStyle::Silent => ProgressDrawTarget::hidden(),
            _ => ProgressDrawTarget::stderr_with_hz(8),
        };
        let bar = ProgressBar::with_draw_target(Some(BAR_RESOLUTION), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:10} {wide_msg}") {
            bar.set_style(style);
        }
        Progress { bar, clock: Instant::now(), resumed_at: from, start, end }
    }

    /// Updates the bar.
    pub fn show(&self, t: f64, done: &Statistics, residual: Option<f64>) {
        if self.bar.is_hidden() {
            return;
        }
        let fraction = |from: f64| if self.end > from { ((t - from) / (self.end - from)).clamp(0.0, 1.0) } else { 1.0 };
        self.bar.set_position((fraction(self.start) * BAR_RESOLUTION as f64) as u64);
        let wall = self.clock.elapsed().as_secs_f64();
        let left = match fraction(self.resumed_at) {
            s if s > 1e-6 => text::clock(wall * (1.0 - s) / s),
            _ => "?".to_string(),
        };
        let residual = residual.map_or_else(String::new, |r| format!("  residual {}", text::size(r)));
        self.bar.set_message(format!(
            // A narrow terminal cuts off the end, so the least important numbers come last.
            "t = {} of {} s{residual}  {}, {left} left  steps {} ({} rejected)",
            text::number(t),
            text::number(self.end),
            text::clock(wall),
            done.steps,
            done.rejected
        ));
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
