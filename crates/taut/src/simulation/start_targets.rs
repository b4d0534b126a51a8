//! Initial values of measured coordinates and their rates.
//!
//! Hard targets are constraints of the assembly: it meets them exactly, or names those that contradict each other. Strong targets are
//! met as nearly as these allow, with the least sum of weighted squares; weak targets as nearly as the strong ones leave freedom. Bodies
//! move as little as possible in the norm of the masses.

use super::soft_targets::SoftTargets;
use super::{AnalysisError, AssemblySettings, assemble};
use crate::constraints::{Prescription, Relation};
use crate::dynamics::{Dynamics, SolverSettings};
use crate::equations::initialise_turn_counters;
use crate::measures::Measure;
use crate::model::Model;
use crate::signals::Signal;
use crate::spec::Spec;
use crate::state::State;

/// What a target prescribes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetQuantity {
    /// The coordinate.
    Value,
    /// Its rate.
    Rate,
}

/// Whether a target must be met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TargetPriority {
    /// Exactly.
    #[default]
    Hard,
    /// As nearly as hard targets allow.
    Strong,
    /// As nearly as hard and strong targets allow.
    Weak,
}

/// An initial value of a measured coordinate, or of its rate.
#[derive(Clone, Debug, PartialEq)]
pub struct StartTarget {
    /// Name, for messages: `elbow.angle`.
    pub name: String,
    /// The coordinate.
    pub coordinate: Measure,
    /// Itself, or its rate.
    pub quantity: TargetQuantity,
    /// The value in SI units.
    pub value: f64,
    /// Whether it must be met.
    pub priority: TargetPriority,
    /// Its weight among targets of its priority.
    pub weight: f64,
}

/// The state that meets the targets, and the values reached, in the order of the targets.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetedStart {
    /// The state.
    pub state: State,
    /// The values.
    pub reached: Vec<f64>,
}

/// Moves the start of a mechanism to its targets: positions first, then velocities at that pose.
///
/// # Errors
/// Hard targets that contradict each other or the constraints, by name.
///
/// # Examples
///
/// ```
/// use taut::analyses::{StartTarget, TargetPriority, TargetQuantity, meet_targets};
/// use taut::prelude::*;
///
/// let mut spec = Spec::new();
/// spec.body("rod", PlanarBody::rod(1.0, 1.0).at([0.5, 0.0], 0.0))
///     .marker("rod.end", Frame::at([-0.5, 0.0, 0.0]))
///     .constraint("hinge", Joint::pin("ground", "rod.end"));
/// let mut model = spec.build()?;
/// let target = StartTarget {
///     name: "hinge.angle".to_string(),
///     coordinate: Measure::angle("ground", "rod.end"),
///     quantity: TargetQuantity::Value,
///     value: 0.3,
///     priority: TargetPriority::Hard,
///     weight: 1.0,
/// };
/// let found = meet_targets(&spec, &model, 0.0, &[target])?;
/// model.set_initial_state(found.state)?;
/// assert!((model.initial_state().q[2] - 0.3).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn meet_targets(
    spec: &Spec,
    model: &Model,
    t: f64,
    targets: &[StartTarget],
) -> Result<TargetedStart, AnalysisError> {
    let mut state = State { t, ..model.initial_state() };
    let mut reached = vec![f64::NAN; targets.len()];
    for quantity in [TargetQuantity::Value, TargetQuantity::Rate] {
        let of = |priority: TargetPriority| {
            let own = targets.iter().enumerate();
            own.filter(move |(_, target)| target.quantity == quantity && target.priority == priority)
        };
        let mut held: Vec<(&StartTarget, f64)> = of(TargetPriority::Hard).map(|(_, t)| (t, t.value)).collect();
        of(TargetPriority::Hard).for_each(|(i, target)| reached[i] = target.value);
        if !held.is_empty() {
            let given = state.clone();
            assemble_with(spec, &held, quantity, &mut state)
                .map_err(|e| contradiction(e, spec, &held, quantity, &given))?;
        }
        let soft = |priority| of(priority).map(|(_, t)| t).collect::<Vec<&StartTarget>>();
        let (strong, weak) = (soft(TargetPriority::Strong), soft(TargetPriority::Weak));
        let meets = SoftLevel::new(spec, &held, &strong, quantity, &mut state)?;
        let then = SoftLevel::new(spec, &held, &weak, quantity, &mut state)?;
        match (strong.is_empty(), weak.is_empty()) {
            (false, _) => meets.targets().meet(quantity, &mut state),
            (true, false) => then.targets().meet(quantity, &mut state),
            (true, true) => {}
        }
        if !strong.is_empty() && !weak.is_empty() && meets.targets().leaves_freedom(quantity, &state, &then.targets()) {
            // What the strong targets reached is held from now on.
            for target in strong {
                held.push((target, measured(spec, target, &state)?));
            }
            SoftLevel::new(spec, &held, &weak, quantity, &mut state)?.targets().meet(quantity, &mut state);
        }
        for (i, target) in targets.iter().enumerate().filter(|(_, t)| t.quantity == quantity) {
            if target.priority != TargetPriority::Hard {
                reached[i] = measured(spec, target, &state)?;
            }
        }
    }
    initialise_turn_counters(model, &mut state);
    Ok(TargetedStart { state, reached })
}

/// The error of hard targets with their names: one that cannot be met alone, or all.
fn contradiction(
    error: AnalysisError,
    spec: &Spec,
    held: &[(&StartTarget, f64)],
    quantity: TargetQuantity,
    state: &State,
) -> AnalysisError {
    let AnalysisError::CannotAssemble(why) = error else { return error };
    let alone = held.iter().find_map(|one| match assemble_with(spec, &[*one], quantity, &mut state.clone()) {
        Err(AnalysisError::CannotAssemble(why)) => Some((vec![one.0.name.clone()], why)),
        _ => None,
    });
    let (names, why) = alone.unwrap_or_else(|| (held.iter().map(|(t, _)| t.name.clone()).collect(), why));
    AnalysisError::Targets { names, why }
}

/// Soft targets of one priority with the models that they need.
struct SoftLevel {
    hard: Model,
    full: Model,
    rows: Vec<usize>,
    weights: Vec<f64>,
}

impl SoftLevel {
    fn new(
        spec: &Spec,
        held: &[(&StartTarget, f64)],
        own: &[&StartTarget],
        quantity: TargetQuantity,
        state: &mut State,
    ) -> Result<SoftLevel, AnalysisError> {
        let (hard, _) = with_targets(spec, held, quantity, state)?;
        if !own.is_empty() {
            // The search begins on the manifold.
            assemble_with(spec, held, quantity, state)?;
        }
        let soft: Vec<(&StartTarget, f64)> = own.iter().map(|t| (*t, t.value)).collect();
        let (full, _) = with_targets(spec, &soft, quantity, state)?;
        let row =
            |t: &&StartTarget| full.constraints.iter().find(|c| c.name == constraint_name(t)).map(|c| c.rows.start);
        let rows = own.iter().filter_map(row).collect();
        Ok(SoftLevel { rows, weights: own.iter().map(|t| t.weight).collect(), hard, full })
    }

    fn targets(&self) -> SoftTargets<'_> {
        SoftTargets { hard: &self.hard, full: &self.full, rows: self.rows.clone(), weights: self.weights.clone() }
    }
}

/// The constraint that stands for a target.
pub(super) fn constraint_name(target: &StartTarget) -> String {
    format!("start.{}", target.name)
}

/// The mechanism with targets as constraints, at the coordinates and velocities of a state.
pub(super) fn with_targets(
    spec: &Spec,
    held: &[(&StartTarget, f64)],
    quantity: TargetQuantity,
    state: &State,
) -> Result<(Model, State), AnalysisError> {
    let mut all = spec.clone();
    for (target, value) in held {
        let value = Signal::constant(*value);
        let hold = match quantity {
            TargetQuantity::Value => Prescription::Position(value),
            TargetQuantity::Rate => Prescription::Velocity(value),
        };
        all.constraint(&constraint_name(target), Relation::driver(target.coordinate.clone(), hold));
    }
    let model = all.build()?;
    let mut own = model.initial_state();
    (own.t, own.q, own.v) = (state.t, state.q.clone(), state.v.clone());
    initialise_turn_counters(&model, &mut own);
    Ok((model, own))
}

/// Assembles with targets; positions only move for targets of coordinates, velocities only for those of rates.
fn assemble_with(
    spec: &Spec,
    held: &[(&StartTarget, f64)],
    quantity: TargetQuantity,
    state: &mut State,
) -> Result<(), AnalysisError> {
    let (model, own) = with_targets(spec, held, quantity, state)?;
    let found = assemble(&model, &own, &AssemblySettings::default())?.state;
    match quantity {
        TargetQuantity::Value => state.q = found.q,
        TargetQuantity::Rate => (state.q, state.v) = (found.q, found.v),
    }
    Ok(())
}

/// The value of a target's coordinate or rate at a state.
fn measured(spec: &Spec, target: &StartTarget, state: &State) -> Result<f64, AnalysisError> {
    // Its row, with the value zero prescribed, is the coordinate itself.
    let (model, own) = with_targets(spec, &[(target, 0.0)], target.quantity, state)?;
    let mut dynamics = Dynamics::at(&model, &own, &SolverSettings::default());
    dynamics.assemble_positions(own.t, &own.q, &own.v, &own.z);
    let entry = model.constraints.iter().find(|c| c.name == constraint_name(target));
    let row = entry.map_or(0, |c| c.rows.start);
    Ok(match target.quantity {
        TargetQuantity::Value => dynamics.eq.phi[row],
        TargetQuantity::Rate => dynamics.eq.phidot.last()[row],
    })
}
