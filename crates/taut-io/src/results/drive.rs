//! Runs a simulation into a folder, with a checkpoint every so often.

use super::error::ResultsError;
use super::writer::RunWriter;
use std::time::{Duration, Instant};
use taut::Outcome;
use taut::analyses::{Progress, Simulation};

/// How often what is done, by the clock on the wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Between two refreshes of manifest and lines.
    pub refresh: Duration,
    /// Between two checkpoints; parts of a table end at each.
    pub checkpoint: Duration,
    /// Numbers held in memory before they are handed on.
    pub held: usize,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace { refresh: Duration::from_secs(1), checkpoint: Duration::from_secs(20), held: 1 << 17 }
    }
}

/// Whether to go on, as the caller says after every step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    /// On.
    On,
    /// Stop here, with a checkpoint.
    Stop,
}

/// What is asked of a drive.
pub struct Drive<'a> {
    /// How often what is done.
    pub pace: Pace,
    /// Called after every step: shows progress, says when to stop.
    pub watch: Box<dyn FnMut(&Simulation) -> Go + 'a>,
}

impl Default for Drive<'_> {
    fn default() -> Self {
        Drive { pace: Pace::default(), watch: Box::new(|_| Go::On) }
    }
}

/// How a drive ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// The run came to an end of its own, and the folder is finished.
    Run(Outcome),
    /// The caller stopped it; the folder can be resumed.
    Stopped,
}

/// Runs to the end, writing as it goes. The simulation may just have been made or restored; the writer is the one
/// created or reopened for it.
///
/// # Errors
/// A refusal of the file system; what was written until then stays readable.
pub fn drive(simulation: &mut Simulation, mut writer: RunWriter, mut drive: Drive) -> Result<Ended, ResultsError> {
    let pace = drive.pace;
    let width = simulation.table().columns().len().max(1);
    let (mut refreshed, mut saved) = (Instant::now(), Instant::now());
    save(simulation, &mut writer)?;
    while simulation.progress() == Progress::Underway {
        let progress = simulation.step();
        if simulation.table().len() * width >= pace.held {
            writer.take(simulation)?;
        }
        if progress == Progress::Ended {
            break;
        }
        let stop = (drive.watch)(simulation) == Go::Stop;
        let now = Instant::now();
        if stop || now - saved >= pace.checkpoint {
            save(simulation, &mut writer)?;
            saved = now;
        }
        if stop || now - refreshed >= pace.refresh {
            writer.take(simulation)?;
            writer.refresh(&simulation.statistics(), simulation.warnings())?;
            refreshed = now;
        }
        if stop {
            return Ok(Ended::Stopped);
        }
    }
    writer.take(simulation)?;
    let outcome = simulation.outcome().clone();
    writer.finish(&outcome, &simulation.statistics(), simulation.warnings())?;
    Ok(Ended::Run(outcome))
}

/// Everything to disk, with a checkpoint if the state can be saved.
fn save(simulation: &mut Simulation, writer: &mut RunWriter) -> Result<(), ResultsError> {
    writer.take(simulation)?;
    match writer.checkpoint(&simulation.checkpoint()) {
        // The run itself will say what is wrong; the last good checkpoint is kept.
        Err(ResultsError::NotFinite { .. }) => Ok(()),
        other => other,
    }
}
