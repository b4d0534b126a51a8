//! Drives a simulation in short stretches: rows go to the writer, the bar moves, Ctrl-C is heard.

use crate::ending::Failure;
use crate::interrupt;
use crate::progress::Progress;
use crate::summary::Extremes;
use std::time::{Duration, Instant};
use taut::Table;
use taut::analyses::{self, Simulation};

/// How long a stretch should take.
const STRETCH: Duration = Duration::from_millis(50);
/// Most rows of a stretch, so that memory stays bounded whatever the outputs.
const ROWS: usize = 20_000;
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

/// Where the rows of a run go.
pub trait Sink {
    /// Takes rows.
    fn rows(&mut self, rows: &Table) -> Result<(), Failure>;
    /// Saves everything needed to go on from here.
    fn save(&mut self, simulation: &Simulation) -> Result<(), Failure>;
}

/// Drives to the end, or until it is asked to stop.
pub fn drive(
    simulation: &mut Simulation,
    sink: &mut dyn Sink,
    extremes: &mut Extremes,
    progress: &Progress,
) -> Result<Course, Failure> {
    let mut steps = 1;
    let mut saved = Instant::now();
    loop {
        if interrupt::asked() {
            return Ok(Course::Interrupted);
        }
        let clock = Instant::now();
        let state = simulation.steps(steps);
        let (took, rows) = (clock.elapsed(), simulation.take_rows());
        extremes.see(&rows);
        sink.rows(&rows)?;
        progress.show(simulation.t(), &simulation.statistics(), extremes.residual());
        if state == analyses::Progress::Ended {
            return Ok(Course::Ended);
        }
        if took > 2 * STRETCH || rows.len() > ROWS {
            steps = (steps / 2).max(1);
        } else if took < STRETCH / 2 && rows.len() < ROWS / 4 {
            steps = steps.saturating_mul(2);
        }
        if saved.elapsed() > SAVED {
            sink.save(simulation)?;
            saved = Instant::now();
        }
    }
}
