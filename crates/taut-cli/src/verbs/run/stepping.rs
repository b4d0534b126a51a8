//! The other way to march: time steps over all contacts at once, where there are many or the file says so.

use super::{Job, Kept};
use crate::ending::{Ending, Failure, note};
use crate::interrupt;
use crate::options::Style;
use crate::progress::Progress;
use crate::summary::Extremes;
use std::time::{Duration, Instant};
use taut::Model;
use taut::analyses::{self, rank};
use taut::contacts::MOST_PAIRS;
use taut::stepping::{March, Stepping};
use taut_io::model::{self, ModelFile};
use taut_io::results::{NewRun, RunWriter};

/// Step where the file gives none, s.
const STEP: f64 = 1e-3;
/// Between two looks at the clock.
const STRETCH: Duration = Duration::from_millis(50);

/// Settings of a march in time steps, if this model is to be marched so.
pub(super) fn chosen(model: &Model, file: &ModelFile) -> Option<Stepping> {
    let t = &file.transient;
    let settings = Stepping {
        output: t.output.clone(),
        start: t.start,
        limits: t.limits,
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
             long; march = \"events\" does it nevertheless"
        ),
        _ => format!("more than {MOST_PAIRS} pairs of surfaces can touch"),
    }
}

impl Job<'_> {
    /// Marches to the end and tells. There are no checkpoints: what is interrupted cannot be resumed.
    pub(super) fn step(self, settings: &Stepping, about: &NewRun) -> Result<Ending, Failure> {
        interrupt::listen();
        if self.style != Style::Silent {
            let why = why(self.model, self.file);
            note(&format!("marching in time steps of {} s: {why}", settings.step));
        }
        let state = self.file.state(self.model);
        let mut march = March::new(self.model, &state, settings)?;
        let mut writer = RunWriter::create(&self.folder, about, march.table())?;
        let mut extremes = Extremes::of(self.model, march.table());
        let rank = rank(self.model, march.state()).ok();
        let progress = Progress::new(self.file.start_time, march.t(), settings.t_end, self.style);
        let mut steps = 1;
        let stopped = loop {
            let clock = Instant::now();
            let went = march.steps(steps);
            let took = clock.elapsed();
            let rows = march.take_rows();
            extremes.see(&rows);
            writer.append(&rows)?;
            writer.append_events(&march.take_events())?;
            progress.show(march.t(), &march.statistics(), extremes.residual());
            if went == analyses::Progress::Ended {
                break false;
            }
            if interrupt::asked() {
                break true;
            }
            steps = if took > 2 * STRETCH { (steps / 2).max(1) } else { steps * 2 };
        };
        progress.end();
        let outcome = march.outcome().clone();
        writer.judge(march.verdict());
        writer.finish(&outcome, &march.statistics(), march.warnings())?;
        self.tell((!stopped).then_some(outcome), Kept::Rows, march.into_solution(), &extremes, rank)
    }
}
