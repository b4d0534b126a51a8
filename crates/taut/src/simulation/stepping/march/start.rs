//! The start of a time-stepping run: checks, assembly, the scheme, and the columns of the table.

use super::March;
use super::record::{COLUMNS, of_surface};
use crate::BreakSearch;
use crate::complementarity::sweep;
use crate::laws::Law;
use crate::model::Model;
use crate::simulation::run::{Run, RunLog};
use crate::simulation::stepping::Stepping;
use crate::simulation::stepping::detect::Detector;
use crate::simulation::stepping::losses::{Losses, beyond_forces, other_laws};
use crate::simulation::stepping::notices::Notices;
use crate::simulation::stepping::rows::of_surfaces;
use crate::simulation::stepping::scheme::Scheme;
use crate::simulation::transient::Start;
use crate::simulation::{AnalysisError, Assembly, assemble, check_state, wound};
use crate::solution::{Column, Family, Outcome, Recorder, Warning};
use crate::state::{Mode, State};

impl<'m> March<'m> {
    /// A run at its start. The first row is recorded if output is due.
    ///
    /// # Errors
    /// Invalid settings, a state that does not fit, joints that cannot be met at the start, too many pairs of compliant contacts.
    pub fn new(model: &'m Model, state: &State, settings: &Stepping) -> Result<March<'m>, AnalysisError> {
        check_state(model, state)?;
        let times = settings.times(state.t)?;
        if let Some(why) = Scheme::refuses(model).or_else(|| beyond_forces(model)) {
            return Err(AnalysisError::Inapplicable { method: "time stepping", why });
        }
        let mut state = state.clone();
        for (_, mode) in model.constraints.iter().zip(&mut state.modes).filter(|(c, _)| of_surfaces(c)) {
            *mode = Mode::Idle;
        }
        if settings.start == Start::Assemble {
            // The assembly ignores friction constraints: they do not brake the initial velocities.
            let given = state.modes.clone();
            let grips = model.constraints.iter().zip(&mut state.modes).filter(|(c, _)| c.law == Law::Gripping);
            grips.for_each(|(_, mode)| *mode = Mode::Idle);
            state = assemble(model, &state, &Assembly::default())?.state;
            state.modes = given;
        }
        let how = sweep::Settings {
            tolerance: settings.tolerance,
            sweeps: settings.max_sweeps,
            ..sweep::Settings::default()
        };
        let mut scheme = Scheme::new(model, &state, Detector::new(model), how, settings.step);
        scheme.foretell(settings.step.min((settings.t_end - state.t).max(f64::MIN_POSITIVE)));
        scheme.present();
        let (kinetic, potential) = scheme.dynamics.energy(&state.q, &state.v, &state.z, state.t);
        let energy_at_start = kinetic + potential;
        let losses = Losses::new(model);
        let moment = losses.moment(&state, &scheme.account, energy_at_start, 0.0);
        let mut recorder = Recorder::new(&scheme.dynamics, moment, &settings.columns);
        let more = COLUMNS.iter().map(|(name, unit, meaning)| Column {
            name: name.to_string(),
            unit: unit.to_string(),
            meaning: meaning.to_string(),
            data: Vec::new(),
        });
        // If contacts are not constraints, each surface has columns for their sums.
        let summed = settings.columns.shows(Family::Contacts) && !scheme.account.lists_pairs();
        let surfaces: Vec<usize> = (0..model.surfaces.len()).filter(|_| summed).collect();
        let sums = surfaces.iter().flat_map(|s| of_surface(&model.surfaces[*s].name));
        recorder.table = recorder.table.columns().iter().cloned().chain(sums).chain(more).collect();
        let warnings = other_laws(model, state.t)
            .into_iter()
            .chain(model.left_out_notice().map(|message| Warning::notice(state.t, message)))
            .chain(wound(model, &state))
            .collect();
        let mut march = March {
            scheme,
            settings: settings.clone(),
            log: RunLog { warnings, ..RunLog::new(recorder, energy_at_start) },
            times,
            next: 0,
            recorded: None,
            losses,
            notices: Notices::new(model),
            length: 0.0,
            steps: 0,
            t_start: state.t,
            breaks: BreakSearch::new(state.t, settings.t_end),
            interrupted: false,
            surfaces,
        };
        march.look_at_start();
        march.notice();
        march.output();
        if march.t() >= settings.t_end {
            march.log.outcome = Outcome::Finished;
        }
        Ok(march)
    }

    /// Warns of bodies that start inside each other: the first step pushes them apart.
    fn look_at_start(&mut self) {
        let detector = &self.scheme.detector;
        if let (deep, Some(contact)) = detector.deepest()
            && deep > 1e-4 * detector.size(detector.contacts[contact].pair)
        {
            let message = format!(
                "surfaces overlap by {deep:.3e} m at the start: {}; the first step separates them",
                detector.name(contact)
            );
            self.log.warnings.push(Warning::notice(self.t(), message));
        }
    }
}
