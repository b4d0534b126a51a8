//! The other way to march: time steps over all contacts at once, where there are many or the file says so.

use super::Job;
use crate::ending::{Ending, Failure, note};
use crate::interrupt;
use crate::options::Style;
use crate::progress::Progress;
use crate::summary::Extremes;
use std::time::Instant;
use taut::MOST_PAIRS;
use taut::analyses::{Limits, rank};
use taut::interruption::Interruption;
use taut::stepping::{March, Stepping};
use taut::{Model, Table};
use taut_io::model::{self, ModelFile};
use taut_io::results::{Ended, Go, MarchDrive, Pace, RunWriter, drive_march};

/// Step where the file gives none, s.
const STEP: f64 = 1e-3;

/// Settings of a march in time steps, if this model is to be marched so. Its limits are left to the drive, which stops at
/// them so that one can go on.
pub(super) fn chosen(model: &Model, file: &ModelFile) -> Option<Stepping> {
    let t = &file.transient;
    let settings = Stepping {
        output: t.output.clone(),
        start: t.start,
        limits: Limits::default(),
        columns: t.columns.clone(),
        ..Stepping::to(t.t_end, t.h_first.unwrap_or(STEP))
    };
    // Few contacts need no time steps: where time stepping refuses the model they are marched from event to event.
    let better = || model.toilsome_pair().is_some() && March::new(model, &file.state(model), &settings).is_ok();
    let steps = match file.march {
        model::March::Automatic => model.contact_pairs() > MOST_PAIRS || better(),
        model::March::Events => false,
        model::March::TimeStepping => true,
    };
    steps.then_some(settings)
}

/// Why it is marched so.
fn why(model: &Model, file: &ModelFile) -> String {
    match (file.march, model.toilsome_pair()) {
        (model::March::TimeStepping, _) => "as the file says".to_string(),
        (_, Some((a, b))) if model.contact_pairs() <= MOST_PAIRS => format!(
            "`{a}` and `{b}` are a body with edges or an axis and ground of triangles, which event by event may take very \
             long; contact_method = \"event_driven\" does it nevertheless"
        ),
        _ => format!("more than {MOST_PAIRS} pairs of surfaces can touch"),
    }
}

/// A march at its start.
pub(super) fn begin<'m>(model: &'m Model, file: &ModelFile, settings: &Stepping) -> Result<March<'m>, Failure> {
    Ok(March::new(model, &file.state(model), settings).map_err(|e| file.diagnose(&e))?)
}

impl Job<'_> {
    /// Says which way it goes.
    pub(super) fn announce(&self, settings: &Stepping) {
        if self.style != Style::Silent {
            let why = why(self.model, self.file);
            note(&format!("marching in time steps of {} s: {why}", settings.step));
        }
    }

    /// Marches to the end and tells.
    pub(super) fn step(self, mut march: March, writer: RunWriter, mut extremes: Extremes) -> Result<Ending, Failure> {
        interrupt::listen();
        let limits = self.limits();
        // A single step can take long: its inner loops look too.
        let deadline = limits.wall_clock.and_then(|most| Instant::now().checked_add(most));
        Interruption { deadline, flag: Some(interrupt::flag()) }.install();
        let rank = rank(self.model, march.state()).ok();
        let progress = Progress::new(self.file.start_time, march.t(), self.file.transient.t_end, self.style);
        let watch = |march: &March, rows: &Table| {
            extremes.see(rows);
            progress.show(march.t(), &march.statistics(), extremes.residual());
            if interrupt::asked() { Go::Stop } else { Go::On }
        };
        let how = MarchDrive { pace: Pace::default(), limits, watch: Box::new(watch) };
        let ended = drive_march(&mut march, writer, how);
        Interruption::default().install();
        progress.end();
        let outcome = match ended? {
            Ended::Run(outcome) => Some(outcome),
            Ended::Stopped => None,
        };
        self.tell(outcome, march.into_solution(), &extremes, rank)
    }
}
