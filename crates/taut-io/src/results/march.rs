//! Runs a time-stepping simulation and writes its results into a folder, with regular checkpoints.

use super::drive::{Ended, Go, Pace};
use super::error::ResultsError;
use super::writer::RunWriter;
use std::time::{Duration, Instant};
use taut::analyses::{Limits, Progress};
use taut::stepping::March;
use taut::{Outcome, Table};

/// A step that takes longer than this is followed by a checkpoint, so that interrupting the next one loses nothing.
const SLOW: Duration = Duration::from_millis(500);

/// Options of [`drive_march`].
pub struct MarchDrive<'a> {
    /// Intervals of its tasks.
    pub pace: Pace,
    /// Limits at which to stop with a checkpoint, counted from the call. The simulation itself should have no limits.
    pub limits: Limits,
    /// Called after every batch with its rows.
    pub watch: Box<dyn FnMut(&March, &Table) -> Go + 'a>,
}

/// Runs to the end or a limit and writes the results meanwhile, like [`drive`](super::drive()).
///
/// # Errors
/// An error of the file system; what was written before stays readable.
pub fn drive_march(march: &mut March, mut writer: RunWriter, drive: MarchDrive) -> Result<Ended, ResultsError> {
    let MarchDrive { mut pace, limits, mut watch } = drive;
    if let Some(most) = limits.wall_clock {
        pace.stretch = pace.stretch.min(most / 4);
    }
    let width = march.table().columns().len().max(1);
    let (begun, first) = (Instant::now(), march.statistics().steps);
    let (mut refreshed, mut saved, mut steps) = (begun, begun, 1);
    let begun_with = take(march, &mut writer)?;
    watch(march, &begun_with);
    save(march, &mut writer)?;
    loop {
        let used = march.statistics().steps.saturating_sub(first);
        let left = limits.max_steps.map(|most| most.saturating_sub(used));
        let clock = Instant::now();
        let progress = march.steps(left.map_or(steps, |left| steps.min(left)));
        let took = clock.elapsed();
        let rows = take(march, &mut writer)?;
        let go = watch(march, &rows);
        if progress == Progress::Ended {
            let outcome = march.outcome().clone();
            writer.judge(march.verdict());
            writer.finish(&outcome, &march.statistics(), march.warnings())?;
            return Ok(Ended::Run(outcome));
        }
        let each = took.div_f64(steps as f64);
        steps = pace.next(steps, took, rows.len() * width);
        let limit = reached(&limits, march, first, begun);
        let stop = go == Go::Stop || limit.is_some();
        if stop || saved.elapsed() >= pace.checkpoint || each >= SLOW {
            save(march, &mut writer)?;
            saved = Instant::now();
        }
        if stop || refreshed.elapsed() >= pace.refresh {
            writer.judge(march.verdict());
            writer.refresh(&march.statistics(), march.warnings())?;
            refreshed = Instant::now();
        }
        match (go, limit) {
            (Go::Stop, _) => return Ok(Ended::Stopped),
            (Go::On, Some(outcome)) => {
                writer.judge(march.verdict());
                writer.finish(&outcome, &march.statistics(), march.warnings())?;
                return Ok(Ended::Run(outcome));
            }
            (Go::On, None) => {}
        }
    }
}

fn take(march: &mut March, writer: &mut RunWriter) -> Result<Table, ResultsError> {
    let rows = march.take_rows();
    writer.append(&rows)?;
    writer.append_events(&march.take_events())?;
    Ok(rows)
}

/// The limit that was reached, if any.
fn reached(limits: &Limits, march: &March, first: u64, begun: Instant) -> Option<Outcome> {
    let (t, used) = (march.t(), march.statistics().steps.saturating_sub(first));
    if limits.max_steps.is_some_and(|most| used >= most) {
        Some(Outcome::MaxSteps { t })
    } else if limits.wall_clock.is_some_and(|most| begun.elapsed() >= most) {
        Some(Outcome::WallClock { t })
    } else {
        None
    }
}

/// Writes everything to disk, with a checkpoint if the state is finite.
fn save(march: &March, writer: &mut RunWriter) -> Result<(), ResultsError> {
    match writer.checkpoint(march.checkpoint()) {
        // The run itself will report the error; the last good checkpoint is kept.
        Err(ResultsError::NotFinite { .. }) => Ok(()),
        other => other,
    }
}
