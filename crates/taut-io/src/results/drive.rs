//! Runs a simulation and writes its results into a folder, in short batches of steps with regular checkpoints.

use super::error::ResultsError;
use super::writer::RunWriter;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use taut::analyses::{Limits, Run, RunStatus};
use taut::interruption::Interruption;
use taut::{Outcome, Table};

/// A step that takes longer is followed by a checkpoint, so that interrupting the next one loses nothing.
const SLOW: Duration = Duration::from_millis(500);

/// Wall-clock intervals of the tasks of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteIntervals {
    /// Between two calls of the observer; zero calls it after every step.
    pub batch: Duration,
    /// Between two updates of the manifest and the text files.
    pub refresh: Duration,
    /// Between two checkpoints; each ends a part of the table.
    pub checkpoint: Duration,
    /// Approximate number of values kept in memory before they are written.
    pub max_buffered_numbers: usize,
}

impl Default for WriteIntervals {
    fn default() -> WriteIntervals {
        WriteIntervals {
            batch: Duration::from_millis(50),
            refresh: Duration::from_secs(1),
            checkpoint: Duration::from_secs(20),
            max_buffered_numbers: 1 << 18,
        }
    }
}

impl WriteIntervals {
    /// Number of steps of the next batch, from the steps, the time and the values of the last one.
    pub(super) fn next(&self, steps: u64, took: Duration, held: usize) -> u64 {
        if took > 2 * self.batch || held > self.max_buffered_numbers {
            (steps / 2).max(1)
        } else if took < self.batch / 2 && held < self.max_buffered_numbers / 4 {
            steps.saturating_mul(2)
        } else {
            steps
        }
    }
}

/// Whether to continue; the observer decides after every batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    /// Continue.
    On,
    /// Stop here, with a checkpoint.
    Stop,
}

/// Called after every batch with its rows: shows progress, decides when to stop.
pub type Observer<'a> = dyn FnMut(&mut dyn Run, &Table) -> Go + 'a;

/// Options of [`drive`].
pub struct DriveOptions<'a> {
    /// Intervals of its tasks.
    pub intervals: WriteIntervals,
    /// Limits at which to stop with a checkpoint, counted from the call. The simulation itself should have no limits,
    /// because they would stop it without a checkpoint.
    pub limits: Limits,
    /// Set by another thread: long computations are interrupted, and the observer is called soon.
    pub flag: Option<&'static AtomicBool>,
    /// Called after every batch with its rows.
    pub observer: Box<Observer<'a>>,
}

impl Default for DriveOptions<'_> {
    fn default() -> Self {
        DriveOptions {
            intervals: WriteIntervals::default(),
            limits: Limits::default(),
            flag: None,
            observer: Box::new(|_, _| Go::On),
        }
    }
}

/// How a drive ended.
#[derive(Clone, Debug, PartialEq)]
pub enum DriveOutcome {
    /// The run ended, and the manifest records how. A run that reached a limit can be resumed.
    Run(Outcome),
    /// The caller stopped it; the folder can be resumed.
    Stopped,
}

/// Runs to the end or a limit and writes the results meanwhile. The simulation may be new or restored; the writer must have
/// been created or reopened for it. A stop records no extra row, so a resumed run has the same rows as an uninterrupted one.
///
/// # Errors
/// An error of the file system; what was written before stays readable.
pub fn drive(run: &mut dyn Run, mut writer: RunWriter, drive: DriveOptions) -> Result<DriveOutcome, ResultsError> {
    let DriveOptions { mut intervals, limits, flag, mut observer } = drive;
    if let Some(most) = limits.wall_clock {
        intervals.batch = intervals.batch.min(most / 4);
    }
    let width = run.table().columns().len().max(1);
    let (begun, first) = (Instant::now(), run.statistics().steps);
    let (mut refreshed, mut saved, mut steps) = (begun, begun, 1);
    let deadline = limits.wall_clock.and_then(|most| begun.checked_add(most));
    run.interrupt(Interruption { deadline, flag, ..Interruption::default() });
    let mut rows = Table::default();
    take(run, &mut writer, &mut rows)?;
    if !rows.is_empty() {
        observer(run, &rows);
    }
    save(run, &mut writer)?;
    loop {
        let used = run.statistics().steps.saturating_sub(first);
        let left = limits.max_steps.map(|most| most.saturating_sub(used));
        let clock = Instant::now();
        let progress = run.steps(left.map_or(steps, |left| steps.min(left)));
        let took = clock.elapsed();
        take(run, &mut writer, &mut rows)?;
        let go = observer(run, &rows);
        if progress == RunStatus::Ended {
            let outcome = run.outcome().clone();
            writer.set_verdict(run.verdict());
            writer.finish(&outcome, &run.statistics(), run.warnings())?;
            return Ok(DriveOutcome::Run(outcome));
        }
        let each = took.div_f64(steps as f64);
        steps = intervals.next(steps, took, rows.len() * width);
        let limit = limit_reached(&limits, run, first, begun);
        let stop = go == Go::Stop || limit.is_some();
        if stop || saved.elapsed() >= intervals.checkpoint || each >= SLOW {
            save(run, &mut writer)?;
            saved = Instant::now();
        }
        if stop || refreshed.elapsed() >= intervals.refresh {
            writer.set_verdict(run.verdict());
            writer.refresh(&run.statistics(), run.warnings())?;
            refreshed = Instant::now();
        }
        match (go, limit) {
            (Go::Stop, _) => return Ok(DriveOutcome::Stopped),
            (Go::On, Some(outcome)) => {
                writer.set_verdict(run.verdict());
                writer.finish(&outcome, &run.statistics(), run.warnings())?;
                return Ok(DriveOutcome::Run(outcome));
            }
            (Go::On, None) => {}
        }
    }
}

/// Appends the new rows and events to the files.
fn take(run: &mut dyn Run, writer: &mut RunWriter, rows: &mut Table) -> Result<(), ResultsError> {
    run.take_rows_into(rows);
    writer.append(rows)?;
    writer.append_events(&run.take_events())
}

/// The limit that was reached, if any.
fn limit_reached(limits: &Limits, run: &dyn Run, first: u64, begun: Instant) -> Option<Outcome> {
    let (t, used) = (run.t(), run.statistics().steps.saturating_sub(first));
    if limits.max_steps.is_some_and(|most| used >= most) {
        Some(Outcome::MaxSteps { t })
    } else if limits.wall_clock.is_some_and(|most| begun.elapsed() >= most) {
        Some(Outcome::WallClock { t })
    } else {
        None
    }
}

/// Writes everything to disk, with a checkpoint if the state is finite.
fn save(run: &dyn Run, writer: &mut RunWriter) -> Result<(), ResultsError> {
    match writer.checkpoint(run.checkpoint()) {
        // The run itself will report the error; the last good checkpoint is kept.
        Err(ResultsError::NotFinite { .. }) => Ok(()),
        other => other,
    }
}
