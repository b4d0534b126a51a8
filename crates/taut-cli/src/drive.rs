//! Drives a simulation in short stretches: rows go to the folder, the bar moves, Ctrl-C is heard.

use crate::ending::Failure;
use crate::interrupt;
use crate::progress::Progress;
use crate::summary::Extremes;
use std::time::{Duration, Instant};
use taut::analyses::{self, Simulation};
use taut_io::results::{ResultsError, RunWriter};

/// How long a stretch should take.
const STRETCH: Duration = Duration::from_millis(50);
/// Numbers held in memory, so that it stays bounded whatever the outputs.
const HELD: usize = 1 << 18;
/// How often the manifest is brought up to date.
const REFRESHED: Duration = Duration::from_secs(1);
/// How often everything needed to go on is saved.
const SAVED: Duration = Duration::from_secs(20);

/// How a drive ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// The simulation ended by itself.
    Ended,
    /// It was asked to stop and can go on.
    Interrupted,
}

/// Drives to the end, or until it is asked to stop; the folder is finished then, or can be resumed.
///
/// # Errors
/// A refusal of the file system; what was written until then stays readable.
pub fn drive(
    simulation: &mut Simulation,
    mut writer: RunWriter,
    extremes: &mut Extremes,
    progress: &Progress,
) -> Result<Course, Failure> {
    let width = simulation.table().columns().len().max(1);
    let mut steps = 1;
    let (mut refreshed, mut saved) = (Instant::now(), Instant::now());
    save(simulation, &mut writer)?;
    loop {
        let clock = Instant::now();
        let state = simulation.steps(steps);
        let took = clock.elapsed();
        let rows = simulation.take_rows();
        extremes.see(&rows);
        writer.append(&rows)?;
        writer.append_events(&simulation.take_events())?;
        progress.show(simulation.t(), &simulation.statistics(), extremes.residual());
        if state == analyses::Progress::Ended {
            writer.finish(simulation.outcome(), &simulation.statistics(), simulation.warnings())?;
            return Ok(Course::Ended);
        }
        let held = rows.len() * width;
        if took > 2 * STRETCH || held > HELD {
            steps = (steps / 2).max(1);
        } else if took < STRETCH / 2 && held < HELD / 4 {
            steps *= 2;
        }
        let asked = interrupt::asked();
        if asked || saved.elapsed() > SAVED {
            save(simulation, &mut writer)?;
            saved = Instant::now();
        }
        if asked || refreshed.elapsed() > REFRESHED {
            writer.refresh(&simulation.statistics(), simulation.warnings())?;
            refreshed = Instant::now();
        }
        if asked {
            return Ok(Course::Interrupted);
        }
    }
}

fn save(simulation: &Simulation, writer: &mut RunWriter) -> Result<(), ResultsError> {
    match writer.checkpoint(&simulation.checkpoint()) {
        // The run itself will say what is wrong; the last good checkpoint is kept.
        Err(ResultsError::NotFinite { .. }) => Ok(()),
        other => other,
    }
}
