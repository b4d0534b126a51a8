//! The start of a simulation: checks the settings, assembles the state, and prepares problem, integrator and plan.

use super::Simulation;
use crate::MAX_CONTACT_PAIRS;
use crate::audit::RunTolerances;
use crate::audit::switching::StepErrors;
use crate::bodies::Symmetry;
use crate::drift::{DriftControl, ProjectionWeight};
use crate::dynamics::{Inconsistent, SolverSettings};
use crate::equations::change_charts;
use crate::events::ModelEvent;
use crate::laws::ConstraintLaw;
use crate::model::break_search::{BreakSearch, RapidChangeSearch};
use crate::model::{ConstraintEntry, Model};
use crate::results::WorkTracking;
use crate::simulation::events::Event;
use crate::simulation::transient::problem::TransientProblem;
use crate::simulation::transient::stiffness_check::StiffnessCheck;
use crate::simulation::transient::vibration_check::VibrationCheck;
use crate::simulation::transient::{ErrorPer, InitialConditions, Output, Transient, stability};
use crate::simulation::{
    AnalysisError, Assembled, AssemblyReport, AssemblySettings, BodyDisplacement, assemble, check_positive,
    check_state, warn_wound_angles,
};
use crate::solution::Warning;
use crate::solvers::PositionJump;
use crate::state::State;
use taut_ode::{ErrorControl, LooseComponents, OutputMode, Plan, Settings, StepControl, System, Tolerance};

/// Tolerance of the integral of work, relative to that of the motion. The integral does not act on the motion; it only limits steps
/// whose own error estimate happens to vanish.
const WORK_TOLERANCE_FACTOR: f64 = 1e3;
/// Absolute tolerance of integrals of losses: so large that they never limit a step.
const UNLIMITED_TOLERANCE: f64 = 1e100;
/// The same for methods whose steps may have no other limit, relative to the tolerance of the motion.
const FOLLOWER_TOLERANCE_FACTOR: f64 = 100.0;

impl<'m> Simulation<'m> {
    /// A run at its start, with nothing recorded yet.
    ///
    /// # Errors
    /// Invalid settings, a state that does not fit, constraints that cannot be met at the start.
    pub fn new(model: &'m Model, state: &State, settings: &Transient) -> Result<Simulation<'m>, AnalysisError> {
        check(model, state, settings)?;
        let times = settings.times(state.t)?;
        check_drift(model, &settings.choice.drift)?;
        if let Some(why) = settings.choice.setup.invalid_reason() {
            return Err(AnalysisError::Inapplicable { method: settings.choice.method.name(), why });
        }
        check_positive("policy.shift", settings.choice.policy.shift)?;
        check_positive("policy.clamp", settings.choice.policy.clamp)?;
        let (mut state, warnings) = assemble_start(model, state, settings)?;
        // The assembly may have turned a body to where its coordinates are singular.
        change_charts(model, &mut state.q, &mut state.v, |_, _| {});
        let mut problem =
            TransientProblem::new(model, &state, &settings.choice, &settings.columns, WorkTracking::of(model));
        problem.dynamics.update = settings.update;
        let steering = match settings.step_control {
            StepControl::Fixed => ErrorControl::Unreliable,
            StepControl::Varying => settings.integrator.error_control(),
        };
        let (rtol, atol, span) = (settings.rtol, settings.atol, settings.t_end - state.t);
        let order = settings.integrator.order();
        let shared = settings.step_control == StepControl::Varying && settings.error_per == ErrorPer::Automatic;
        let least_part = settings.integrator.least_tolerance_factor(rtol).filter(|_| shared).unwrap_or(0.0);
        let errors = StepErrors::of(settings.integrator);
        let follows_growth = shared && errors.are_followed();
        problem.begin_audit(
            RunTolerances {
                rtol,
                atol,
                steering,
                order,
                span,
                min_tolerance_fraction: least_part,
                errors,
                follows_growth,
            },
            &state,
            settings.t_end,
        );
        if settings.integrator != taut_ode::Method::Rk4 {
            problem.dynamics.set_tolerance(settings.rtol);
        }
        if let Some(found) = problem.dynamics.undetermined_motion() {
            return Err(AnalysisError::Massless(found.clone()));
        }
        if let Some(why) = problem.dynamics.unsupported_reason() {
            return Err(AnalysisError::Inapplicable { method: settings.choice.method.name(), why });
        }
        let second_order = taut_ode::Method::SECOND_ORDER.contains(&settings.integrator);
        if let Some(force) = model.force_reading_reactions().filter(|_| second_order) {
            let why = format!("the force `{force}` reads reactions, which this method does not solve for; use radau5");
            return Err(AnalysisError::Inapplicable { method: settings.integrator.name(), why });
        }
        problem.log.warnings = warnings;
        problem.log.warnings.extend(warn_wound_angles(model, &state));
        problem.log.warnings.extend(model.excluded_pairs_notice().map(|message| Warning::notice(state.t, message)));
        problem.events.extend(model.events.iter().map(|e| Box::new(ModelEvent::new(e)) as Box<dyn Event>));
        problem.contact_switches.paradox = settings.paradox;
        problem.reaction_sharing = settings.reactions;
        let mut y = problem.pack(&state);
        problem.decide_start(state.t, &mut y)?;
        problem.log.warnings.extend(stability::warn_artificial_stiffness(&mut problem.dynamics, settings, state.t));
        problem.breaks = Some(BreakSearch::new(state.t, settings.t_end));
        let fixed = settings.step_control == StepControl::Fixed || settings.integrator == taut_ode::Method::Rk4;
        problem.rapid = (!fixed).then(|| RapidChangeSearch::new(state.t, settings.t_end));
        problem.both_sides = settings.output == Output::Steps;
        // Longer tables grow as needed, or the caller takes rows away before.
        problem.log.recorder.table.reserve(times.len().min(1 << 16));
        let tolerance = tolerance(&problem, settings);
        let (h_first, h_max, step_control) = (settings.h_first, settings.h_max, settings.step_control);
        let how = Settings {
            tolerance,
            h_first,
            h_max,
            step_control,
            spectral_radius: settings.spectral_radius,
            span: (settings.error_per == ErrorPer::Automatic).then(|| (settings.t_end - state.t).max(0.0)),
            ..Settings::default()
        };
        let stepper = settings.integrator.stepper(state.t, &y, &how)?;
        let mut plan = Plan::to(settings.t_end).at(times);
        if settings.output == Output::Steps {
            plan.record = OutputMode::EveryStep;
        }
        let settings = settings.clone();
        let (before, held) = (taut_ode::Statistics::default(), StiffnessCheck::default());
        Ok(Simulation {
            problem,
            stepper,
            stepper_settings: how,
            earlier_statistics: before,
            stiffness_check: held,
            vibration_check: VibrationCheck::default(),
            plan,
            settings,
        })
    }
}

/// Rejects settings and states that a run cannot start with.
fn check(model: &Model, state: &State, settings: &Transient) -> Result<(), AnalysisError> {
    check_state(model, state)?;
    if model.symmetry() == Symmetry::NonSymmetric && model.constraints.iter().any(|c| c.law != ConstraintLaw::Bilateral)
    {
        let why =
            "contacts, ropes and friction need bodies with a symmetric mass matrix; use other rotation coordinates";
        return Err(AnalysisError::Inapplicable { method: "event-driven simulation", why: why.to_string() });
    }
    if let Some(why) = massless_refusal(model) {
        return Err(AnalysisError::Inapplicable { method: "event-driven simulation", why });
    }
    if taut_ode::Method::SECOND_ORDER.contains(&settings.integrator)
        && model.constraints.iter().any(ConstraintEntry::has_friction_rows)
    {
        let why = "its equations do not contain friction that depends on the reactions; use radau5";
        return Err(AnalysisError::Inapplicable { method: settings.integrator.name(), why: why.to_string() });
    }
    if taut_ode::Method::SECOND_ORDER.contains(&settings.integrator)
        && settings.choice.inconsistent == Inconsistent::LeastSquares
    {
        let why = "its steps satisfy all constraints, which contradictory ones do not allow; use radau5, or inconsistent = \
                   \"stop\"";
        return Err(AnalysisError::Inapplicable { method: settings.integrator.name(), why: why.to_string() });
    }
    if model.count_contact_pairs() > MAX_CONTACT_PAIRS {
        return Err(AnalysisError::ManyPairs { most: MAX_CONTACT_PAIRS });
    }
    if !settings.t_end.is_finite() || settings.t_end < state.t {
        return Err(AnalysisError::EndTime { t_end: settings.t_end, t: state.t });
    }
    if let Some(PositionJump { constraint, t, size: by }) = model.position_jump(state, settings.t_end) {
        return Err(AnalysisError::PositionJump { constraint, t, by });
    }
    Ok(())
}

/// Contacts, ropes, stops and friction beside a body without mass, which impacts and changes of modes cannot treat.
fn massless_refusal(model: &Model) -> Option<String> {
    let body = model.massless_body()?;
    let law = model.constraints.iter().find(|c| c.law != ConstraintLaw::Bilateral)?;
    Some(format!(
        "body `{body}` has no mass, and `{}` can open, close or slip: its impacts need M⁻¹; give `{body}` a small mass and \
         inertia",
        law.name
    ))
}

/// The state at the start, with warnings about what the assembly changed.
fn assemble_start(model: &Model, given: &State, settings: &Transient) -> Result<(State, Vec<Warning>), AnalysisError> {
    match settings.start {
        InitialConditions::Assemble => {
            let SolverSettings { inconsistent, row_weighting, .. } = settings.choice;
            let how = AssemblySettings { inconsistent, row_weighting, ..AssemblySettings::default() };
            let Assembled { state: closed, ledger } = assemble(model, given, &how)?;
            let warnings = assembly_warnings(&ledger, given);
            Ok((closed, warnings))
        }
        InitialConditions::AsGiven => Ok((given.clone(), Vec::new())),
    }
}

/// Tolerances of the motion, and of the integrals of work and losses that follow it.
fn tolerance(problem: &TransientProblem, settings: &Transient) -> Tolerance {
    let norm = settings.error_norm;
    if problem.dimension() > problem.dynamics.dimension() {
        let own = problem.dynamics.dimension();
        let mut each = vec![settings.atol; problem.dimension()];
        each[own..].fill(UNLIMITED_TOLERANCE);
        let mut loose = None;
        if problem.work == WorkTracking::Integrated {
            each[own] = problem.log.audit.energy.step_error();
            loose = Some(LooseComponents { from: own, times: WORK_TOLERANCE_FACTOR });
        }
        if taut_ode::Method::SECOND_ORDER.contains(&settings.integrator) {
            // Its steps may be long where nothing but the constraints moves, and the power still changes.
            each[own..].fill(FOLLOWER_TOLERANCE_FACTOR * settings.atol);
            loose = None;
        }
        Tolerance { norm, loose, ..Tolerance::with_each(settings.rtol, each) }
    } else {
        Tolerance { norm, ..Tolerance::new(settings.rtol, settings.atol) }
    }
}

/// Warnings about what the assembly changed beyond round-off.
fn assembly_warnings(ledger: &AssemblyReport, given: &State) -> Vec<Warning> {
    const NOTICED: f64 = 1e-6;
    let (t, mut list) = (given.t, Vec::new());
    // A body given at rest is expected to take the velocity that its driver prescribes: no warning.
    let velocities_given = given.v.iter().any(|v| *v != 0.0);
    let velocity = |m: &BodyDisplacement| if velocities_given { m.velocity } else { 0.0 };
    let far = |m: &BodyDisplacement| m.translation.max(m.rotation).max(velocity(m));
    if let Some(m) = ledger.moved.iter().max_by(|a, b| far(a).total_cmp(&far(b)))
        && far(m) > NOTICED
    {
        let parts = [(m.translation, " m"), (m.rotation, " rad"), (velocity(m), " in its velocities")];
        let reported = parts.iter().filter(|(x, _)| *x > NOTICED).map(|(x, unit)| format!("{x:.3e}{unit}"));
        let message = format!(
            "the start did not meet the constraints: body `{}` was moved most, by {}; `assemble` lists all changes",
            m.body,
            reported.collect::<Vec<_>>().join(", ")
        );
        list.push(Warning::notice(t, message));
    }
    for c in &ledger.contradictions {
        let message = format!("{c}; inconsistent = \"least_squares\" continues with the least-squares solution");
        list.push(Warning::notice(t, message).with_element(c.row.clone()));
    }
    for joint in &ledger.flipped {
        let message = format!("joint `{joint}` was assembled with opposed axes; rotate its initial pose the other way");
        list.push(Warning::notice(t, message));
    }
    list
}

/// Rejects drift controls that the model does not support.
fn check_drift(model: &Model, drift: &DriftControl) -> Result<(), AnalysisError> {
    for (name, found) in drift.parameters() {
        if !found.is_finite() || found < 0.0 {
            return Err(AnalysisError::Setting { name, found });
        }
    }
    if let (DriftControl::Energy(_), WorkTracking::Unknown) = (drift, WorkTracking::of(model)) {
        let why =
            "the energy balance of this model is not known: some of its forces or bodies do not report their power";
        return Err(AnalysisError::Inapplicable { method: drift.name(), why: why.to_string() });
    }
    match drift.weight() {
        Some(ProjectionWeight::Diagonal(w)) => {
            let good = w.len() == model.sizes.v && w.iter().all(|w| w.is_finite() && *w > 0.0);
            if good { Ok(()) } else { Err(AnalysisError::Weights { found: w.len(), needed: model.sizes.v }) }
        }
        _ => Ok(()),
    }
}
