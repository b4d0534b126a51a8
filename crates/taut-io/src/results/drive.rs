//! Runs a simulation into a folder, in short stretches, with a checkpoint every so often.

use super::error::ResultsError;
use super::writer::RunWriter;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use taut::analyses::{Limits, Progress, Run};
use taut::interruption::Interruption;
use taut::{Outcome, Table};

/// A step that takes longer is followed by a checkpoint, so that interrupting the next one loses nothing.
const SLOW: Duration = Duration::from_millis(500);

/// How often what is done, by the clock on the wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Between two looks of the caller; zero for one at every step.
    pub stretch: Duration,
    /// Between two refreshes of manifest and lines.
    pub refresh: Duration,
    /// Between two checkpoints; parts of a table end at each.
    pub checkpoint: Duration,
    /// Numbers held in memory before they are handed on, about.
    pub held: usize,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace {
            stretch: Duration::from_millis(50),
            refresh: Duration::from_secs(1),
            checkpoint: Duration::from_secs(20),
            held: 1 << 18,
        }
    }
}

impl Pace {
    /// Steps of the next stretch, after one of so many that took so long and left so many numbers.
    pub(super) fn next(&self, steps: u64, took: Duration, held: usize) -> u64 {
        if took > 2 * self.stretch || held > self.held {
            (steps / 2).max(1)
        } else if took < self.stretch / 2 && held < self.held / 4 {
            steps.saturating_mul(2)
        } else {
            steps
        }
    }
}

/// Whether to go on, as the caller says after every stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    /// On.
    On,
    /// Stop here, with a checkpoint.
    Stop,
}

/// Sees every stretch and its rows: shows progress, says when to stop.
pub type Watch<'a> = dyn FnMut(&mut dyn Run, &Table) -> Go + 'a;

/// What is asked of a drive.
pub struct Drive<'a> {
    /// How often what is done.
    pub pace: Pace,
    /// Where to stop with a checkpoint, counted from here on. Limits of the simulation itself leave none: it should have
    /// none.
    pub limits: Limits,
    /// Set from outside: what takes long is broken off, and the next look of the caller comes soon.
    pub flag: Option<&'static AtomicBool>,
    /// Called after every stretch with its rows.
    pub watch: Box<Watch<'a>>,
}

impl Default for Drive<'_> {
    fn default() -> Self {
        Drive { pace: Pace::default(), limits: Limits::default(), flag: None, watch: Box::new(|_, _| Go::On) }
    }
}

/// How a drive ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// The run came to an end, and the folder says so. From one at a limit it can be resumed.
    Run(Outcome),
    /// The caller stopped it; the folder can be resumed.
    Stopped,
}

/// Runs to the end or a limit, writing as it goes. The simulation may just have been made or restored; the writer is the
/// one created or reopened for it. A stop records no row of its own, so that a resumed run has those of one that went
/// through.
///
/// # Errors
/// A refusal of the file system; what was written until then stays readable.
pub fn drive(run: &mut dyn Run, mut writer: RunWriter, drive: Drive) -> Result<Ended, ResultsError> {
    let Drive { mut pace, limits, flag, mut watch } = drive;
    if let Some(most) = limits.wall_clock {
        pace.stretch = pace.stretch.min(most / 4);
    }
    let width = run.table().columns().len().max(1);
    let (begun, first) = (Instant::now(), run.statistics().steps);
    let (mut refreshed, mut saved, mut steps) = (begun, begun, 1);
    let deadline = limits.wall_clock.and_then(|most| begun.checked_add(most));
    run.interrupt(Interruption { deadline, flag });
    let mut rows = Table::default();
    take(run, &mut writer, &mut rows)?;
    if !rows.is_empty() {
        watch(run, &rows);
    }
    save(run, &mut writer)?;
    loop {
        let used = run.statistics().steps.saturating_sub(first);
        let left = limits.max_steps.map(|most| most.saturating_sub(used));
        let clock = Instant::now();
        let progress = run.steps(left.map_or(steps, |left| steps.min(left)));
        let took = clock.elapsed();
        take(run, &mut writer, &mut rows)?;
        let go = watch(run, &rows);
        if progress == Progress::Ended {
            let outcome = run.outcome().clone();
            writer.judge(run.verdict());
            writer.finish(&outcome, &run.statistics(), run.warnings())?;
            return Ok(Ended::Run(outcome));
        }
        let each = took.div_f64(steps as f64);
        steps = pace.next(steps, took, rows.len() * width);
        let limit = reached(&limits, run, first, begun);
        let stop = go == Go::Stop || limit.is_some();
        if stop || saved.elapsed() >= pace.checkpoint || each >= SLOW {
            save(run, &mut writer)?;
            saved = Instant::now();
        }
        if stop || refreshed.elapsed() >= pace.refresh {
            writer.judge(run.verdict());
            writer.refresh(&run.statistics(), run.warnings())?;
            refreshed = Instant::now();
        }
        match (go, limit) {
            (Go::Stop, _) => return Ok(Ended::Stopped),
            (Go::On, Some(outcome)) => {
                writer.judge(run.verdict());
                writer.finish(&outcome, &run.statistics(), run.warnings())?;
                return Ok(Ended::Run(outcome));
            }
            (Go::On, None) => {}
        }
    }
}

/// Hands the new rows and events to the writer.
fn take(run: &mut dyn Run, writer: &mut RunWriter, rows: &mut Table) -> Result<(), ResultsError> {
    run.take_rows_into(rows);
    writer.append(rows)?;
    writer.append_events(&run.take_events())
}

/// The limit that was reached, if any was.
fn reached(limits: &Limits, run: &dyn Run, first: u64, begun: Instant) -> Option<Outcome> {
    let (t, used) = (run.t(), run.statistics().steps.saturating_sub(first));
    if limits.max_steps.is_some_and(|most| used >= most) {
        Some(Outcome::MaxSteps { t })
    } else if limits.wall_clock.is_some_and(|most| begun.elapsed() >= most) {
        Some(Outcome::WallClock { t })
    } else {
        None
    }
}

/// Everything to disk, with a checkpoint if the state can be saved.
fn save(run: &dyn Run, writer: &mut RunWriter) -> Result<(), ResultsError> {
    match writer.checkpoint(run.checkpoint()) {
        // The run itself will say what is wrong; the last good checkpoint is kept.
        Err(ResultsError::NotFinite { .. }) => Ok(()),
        other => other,
    }
}
