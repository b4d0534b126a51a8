//! The start of a time-stepping run: checks, assembly, the scheme, and the columns of the table.

use super::TimeSteppingSimulation;
use super::record::{CONTACT_COLUMNS, surface_columns};
use crate::BreakSearch;
use crate::complementarity::sweep;
use crate::laws::ConstraintLaw;
use crate::model::Model;
use crate::simulation::run::{Run, RunLog};
use crate::simulation::stepping::TimeSteppingSettings;
use crate::simulation::stepping::block_assembly::is_surface_contact;
use crate::simulation::stepping::contact_detection::ContactDetector;
use crate::simulation::stepping::losses::{StepLosses, excess_compliant_contacts, warn_other_impact_laws};
use crate::simulation::stepping::scheme::MoreauScheme;
use crate::simulation::stepping::step_events::StepEvents;
use crate::simulation::transient::InitialConditions;
use crate::simulation::{AnalysisError, AssemblySettings, assemble, check_state, warn_wound_angles};
use crate::solution::{Column, ColumnFamily, Outcome, Recorder, Warning};
use crate::state::{ConstraintMode, State};

impl<'m> TimeSteppingSimulation<'m> {
    /// A run at its start. The first row is recorded if output is due.
    ///
    /// # Errors
    /// Invalid settings, a state that does not fit, joints that cannot be met at the start, too many pairs of compliant contacts.
    pub fn new(
        model: &'m Model,
        state: &State,
        settings: &TimeSteppingSettings,
    ) -> Result<TimeSteppingSimulation<'m>, AnalysisError> {
        check_state(model, state)?;
        let times = settings.times(state.t)?;
        if let Some(why) = MoreauScheme::rejection_reason(model).or_else(|| excess_compliant_contacts(model)) {
            return Err(AnalysisError::Inapplicable { method: "time stepping", why });
        }
        let mut state = state.clone();
        for (_, mode) in model.constraints.iter().zip(&mut state.modes).filter(|(c, _)| is_surface_contact(c)) {
            *mode = ConstraintMode::Idle;
        }
        if settings.start == InitialConditions::Assemble {
            // The assembly ignores friction constraints: they do not brake the initial velocities.
            let given = state.modes.clone();
            let grips =
                model.constraints.iter().zip(&mut state.modes).filter(|(c, _)| c.law == ConstraintLaw::Frictional);
            grips.for_each(|(_, mode)| *mode = ConstraintMode::Idle);
            state = assemble(model, &state, &AssemblySettings::default())?.state;
            state.modes = given;
        }
        let how = sweep::SweepSettings {
            tolerance: settings.tolerance,
            max_sweeps: settings.max_sweeps,
            ..sweep::SweepSettings::default()
        };
        let detector = ContactDetector::new(model, settings.penetration);
        let mut scheme = MoreauScheme::new(model, &state, detector, how, settings.step);
        scheme.predict_start_forces(settings.step.min((settings.t_end - state.t).max(f64::MIN_POSITIVE)));
        scheme.evaluate_for_recorder();
        let (kinetic, potential) = scheme.dynamics.energy(&state.q, &state.v, &state.z, state.t);
        let energy_at_start = kinetic + potential;
        let losses = StepLosses::new(model);
        let moment = losses.moment(&state, &scheme.contact_ledger, energy_at_start, 0.0);
        let mut recorder = Recorder::new(&scheme.dynamics, moment, &settings.columns);
        let more = CONTACT_COLUMNS.iter().map(|(name, unit, meaning)| Column {
            name: name.to_string(),
            unit: unit.to_string(),
            meaning: meaning.to_string(),
            data: Vec::new(),
        });
        // If contacts are not constraints, each surface has columns for their sums.
        let summed = settings.columns.includes(ColumnFamily::Contacts) && !scheme.contact_ledger.has_pair_constraints();
        let surfaces: Vec<usize> = (0..model.surfaces.len()).filter(|_| summed).collect();
        let sums = surfaces.iter().flat_map(|s| surface_columns(&model.surfaces[*s].name));
        recorder.table = recorder.table.columns().iter().cloned().chain(sums).chain(more).collect();
        let warnings = warn_other_impact_laws(model, state.t)
            .into_iter()
            .chain(model.excluded_pairs_notice().map(|message| Warning::notice(state.t, message)))
            .chain(warn_wound_angles(model, &state))
            .collect();
        let mut simulation = TimeSteppingSimulation {
            scheme,
            settings: settings.clone(),
            log: RunLog { warnings, ..RunLog::new(recorder, energy_at_start) },
            times,
            next_output: 0,
            last_recorded: None,
            losses,
            events: StepEvents::new(model),
            last_step: 0.0,
            steps: 0,
            t_start: state.t,
            breaks: BreakSearch::new(state.t, settings.t_end),
            interrupted: false,
            surfaces,
        };
        simulation.warn_of_overlap();
        simulation.find_events();
        simulation.output();
        if simulation.t() >= settings.t_end {
            simulation.log.outcome = Outcome::Finished;
        }
        Ok(simulation)
    }

    /// Warns of bodies that start inside each other: the first step pushes them apart.
    fn warn_of_overlap(&mut self) {
        let detector = &self.scheme.detector;
        if let (deep, Some(contact)) = detector.deepest()
            && deep > 1e-4 * detector.smaller_radius(detector.contacts[contact].pair)
        {
            let message = format!(
                "surfaces overlap by {deep:.3e} m at the start: {}; the first step separates them",
                detector.surface_names(contact)
            );
            self.log.warnings.push(Warning::notice(self.t(), message));
        }
    }
}
