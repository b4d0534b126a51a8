//! Determinacy of reactions: which components the equations of motion determine, and what remains open where they do not.

mod display;
mod ignored_stiffness;
mod range;
mod report;
mod touching;

pub use report::{
    ComponentDeterminacy, DeterminacyReport, JointDeterminacy, JointReport, LoadTradingSet, UniqueCombination,
};

use super::friction_bounds::release_frictionless;
use super::inverse::reactions_at;
use super::{AnalysisError, Inverse, check_state};
use crate::dynamics::{Dynamics, SolverSettings};
use crate::equations::{Equations, MarkerKinematics, assemble_positions};
use crate::model::{Model, ReactionSharing};
use crate::solvers::determinacy::sharing::{ElasticSharing, OpenReactions, least_energy, least_norm, redistribute};
use crate::solvers::determinacy::{
    ComponentAxes, Echelon, ReactionComponent, StressGroup, change, reaction_components, self_stress, stress_matrix,
};
use crate::solvers::rank::SparseRow;
use crate::state::{ConstraintMode, State};
use ignored_stiffness::ignored_stiffness;
use nalgebra::DVector;
use range::AdmissibleSharing;
use std::collections::BTreeMap;
use touching::with_touching_gaps;

/// Most self-stresses of one group for which sets, combinations and ranges are computed.
const MAX_STRESSES: usize = 300;

/// Which components of the reactions are unique at a state, where `lambda` are the multipliers there.
///
/// A reaction is unique if no self-stress n, Aᵀn = 0, changes it. For the others the report names the components with which each
/// trades load, the combinations that are unique nevertheless (the sum over two hinges), the distribution of least norm, and the
/// range that gaps which only push leave.
///
/// # Errors
/// If the state does not fit the model, the multipliers are too few, a number is not finite, or a part of the model is too large.
///
/// # Examples
///
/// ```
/// use taut::analyses::determinacy;
/// use taut::prelude::*;
///
/// let mut spec = Spec::new();
/// spec.body("door", RigidBody::new(25.0, [1.0, 1.0, 1.0]).at([0.45, 0.0, 1.05]))
///     .marker("door.low", Frame::at([-0.45, 0.0, -0.75]))
///     .marker("door.high", Frame::at([-0.45, 0.0, 0.75]))
///     .marker("ground.low", Frame::at([0.0, 0.0, 0.3]))
///     .marker("ground.high", Frame::at([0.0, 0.0, 1.8]))
///     .constraint("low", Joint::spherical("ground.low", "door.low"))
///     .constraint("high", Joint::spherical("ground.high", "door.high"));
/// let model = spec.build()?;
/// let report = determinacy(&model, &model.initial_state(), &[0.0; 6])?;
/// assert_eq!(report.sets[0].components, ["low.fz", "high.fz"]);
/// assert_eq!(report.sets[0].combinations[0].terms.len(), 2); // their sum is unique
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn determinacy(model: &Model, state: &State, lambda: &[f64]) -> Result<DeterminacyReport, AnalysisError> {
    check_state(model, state)?;
    let mut able = with_touching_gaps(model, state);
    release_frictionless(model, &mut able);
    let state = &able;
    let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
    assemble_positions(model, state.into(), &mut scene, &mut eq);
    if lambda.len() != model.rows.len() {
        return Err(AnalysisError::Length { what: "λ", found: lambda.len(), needed: model.rows.len() });
    }
    if lambda.iter().any(|x| !x.is_finite()) {
        return Err(AnalysisError::NotFinite { what: "a multiplier".to_string() });
    }
    let groups = finite_self_stress(model, &eq, state)?;
    let mut report = DeterminacyReport { examined: true, ..DeterminacyReport::default() };
    let context = Context { model, state, scene: &scene, lambda };
    let mut group_of = vec![None; model.constraints.len()];
    for (i, group) in groups.iter().enumerate() {
        group.constraints.iter().for_each(|c| group_of[*c] = Some(i));
    }
    let mut examined: Vec<GroupReport> = groups.iter().map(|g| context.examine(g, &mut report)).collect();
    for (c, entry) in model.constraints.iter().enumerate().filter(|(c, _)| state.modes[*c] != ConstraintMode::Idle) {
        let components = context.components(c, ComponentAxes::World);
        if components.is_empty() {
            continue;
        }
        let found = match group_of[c] {
            Some(g) => examined[g].take(c),
            None => components.iter().map(|x| context.unique(x)).collect(),
        };
        let open = found.iter().filter(|x| x.set.is_some()).count();
        let label = JointDeterminacy::of(open, found.len());
        let (mut in_joint_axes, mut directions) = (Vec::new(), Vec::new());
        if let (true, Some(g)) = (open > 0, group_of[c]) {
            let own = context.components(c, ComponentAxes::Joint);
            let changes = stress_matrix(&own, &groups[g].loading(c));
            let open = own.iter().enumerate().filter(|(i, _)| changes.row(*i).amax() > 0.0);
            in_joint_axes = open.map(|(_, x)| x.name.clone()).collect();
            directions = unique_directions(&components, &groups[g].loading(c), &found);
        }
        report.components.extend(found);
        report.joints.push(JointReport {
            constraint: entry.name.clone(),
            label,
            not_unique_in_joint_axes: in_joint_axes,
            unique_directions: directions,
        });
    }
    report.notes.extend(ignored_stiffness(model, &report));
    Ok(report)
}

/// The self-stresses of equations whose numbers are finite.
fn finite_self_stress(model: &Model, eq: &Equations, state: &State) -> Result<Vec<StressGroup>, AnalysisError> {
    if eq.A.iter().chain(&eq.M).any(|x| !x.is_finite()) {
        return Err(AnalysisError::NotFinite { what: "the constraint Jacobian".to_string() });
    }
    self_stress(model, eq, &state.modes).ok_or_else(|| AnalysisError::Inapplicable {
        method: "determinacy",
        why: "the model is too large to decide which reactions are unique".to_string(),
    })
}

/// The labels of all constraints that take part in a self-stress at a state; all others are unique.
///
/// # Errors
/// If the state does not fit the model, a number is not finite, or a part of the model is too large.
pub fn joint_determinacy(model: &Model, state: &State) -> Result<Vec<(String, JointDeterminacy)>, AnalysisError> {
    check_state(model, state)?;
    let mut able = with_touching_gaps(model, state);
    release_frictionless(model, &mut able);
    let state = &able;
    let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
    assemble_positions(model, state.into(), &mut scene, &mut eq);
    let groups = finite_self_stress(model, &eq, state)?;
    let mut labels = Vec::new();
    for (group, c) in groups.iter().flat_map(|g| g.constraints.iter().map(move |c| (g, *c))) {
        let components = reaction_components(model, &scene, &state.modes, c, ComponentAxes::World);
        let changes = stress_matrix(&components, &group.loading(c));
        let open = (0..components.len()).filter(|i| changes.row(*i).amax() > 0.0).count();
        labels.push((model.constraints[c].name.clone(), JointDeterminacy::of(open, components.len())));
    }
    Ok(labels)
}

/// Multipliers of the same motion, with the load of redundant joints shared by a rule.
///
/// # Errors
/// As [`determinacy`]; and if a gap would have to pull.
pub fn share_reactions(
    model: &Model,
    state: &State,
    lambda: &[f64],
    rule: ReactionSharing,
) -> Result<Vec<f64>, AnalysisError> {
    check_state(model, state)?;
    let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
    assemble_positions(model, state.into(), &mut scene, &mut eq);
    let mut shared = lambda.to_vec();
    if rule != ReactionSharing::Solver {
        let groups = finite_self_stress(model, &eq, state)?;
        if let Some(failure) = redistribute(model, &scene, &state.modes, &groups, rule, &mut shared) {
            let why = format!("with this rule {}", failure.words(model));
            return Err(AnalysisError::Inapplicable { method: "reactions", why });
        }
    }
    Ok(shared)
}

impl Inverse {
    /// Shares the load of redundant joints by a rule; the motion and the driving forces stay.
    ///
    /// # Errors
    /// As [`share_reactions`].
    pub fn share(&mut self, model: &Model, state: &State, rule: ReactionSharing) -> Result<(), AnalysisError> {
        self.lambda = share_reactions(model, state, &self.lambda, rule)?;
        self.reactions = reactions_at(model, state, &self.lambda);
        Ok(())
    }
}

/// The multipliers at a state: those of the motion that starts there.
///
/// # Errors
/// If the state does not fit the model, or the accelerations cannot be computed.
pub fn multipliers(model: &Model, state: &State) -> Result<Vec<f64>, AnalysisError> {
    check_state(model, state)?;
    let mut dynamics = Dynamics::at(model, state, &SolverSettings::default());
    let mut y = vec![0.0; dynamics.dimension()];
    dynamics.pack(state, &mut y);
    let mut rates = y.clone();
    if let Err(why) = dynamics.rates(state.t, &y, &mut rates) {
        return Err(AnalysisError::Inapplicable { method: "reactions", why: why.to_string() });
    }
    if dynamics.lambda.iter().any(|l| !l.is_finite()) {
        return Err(AnalysisError::NotFinite { what: "a reaction at this state".to_string() });
    }
    Ok(dynamics.lambda)
}

/// What the examination of a group refers to.
struct Context<'a> {
    model: &'a Model,
    state: &'a State,
    scene: &'a MarkerKinematics,
    lambda: &'a [f64],
}

/// The components of a group by constraint.
#[derive(Default)]
struct GroupReport {
    components: BTreeMap<usize, Vec<ComponentDeterminacy>>,
}

impl GroupReport {
    /// Takes out the components of a constraint.
    fn take(&mut self, constraint: usize) -> Vec<ComponentDeterminacy> {
        self.components.remove(&constraint).unwrap_or_default()
    }
}

impl Context<'_> {
    fn components(&self, constraint: usize, axes: ComponentAxes) -> Vec<ReactionComponent> {
        reaction_components(self.model, self.scene, &self.state.modes, constraint, axes)
    }

    /// A component of a joint without self-stress.
    fn unique(&self, x: &ReactionComponent) -> ComponentDeterminacy {
        let value = x.value(self.lambda);
        ComponentDeterminacy {
            name: x.name.clone(),
            constraint: self.model.constraints[x.constraint].name.clone(),
            unit: x.unit,
            set: None,
            value,
            minimum_norm: value,
            stiffness: Some(value),
            range_computed: true,
            least: Some(value),
            most: Some(value),
        }
    }

    /// Labels the components of a group; its sets are added to the report.
    fn examine(&self, group: &StressGroup, report: &mut DeterminacyReport) -> GroupReport {
        if group.stresses.len() > MAX_STRESSES {
            return self.examine_large(group, report);
        }
        let components: Vec<ReactionComponent> =
            group.constraints.iter().flat_map(|c| self.components(*c, ComponentAxes::World)).collect();
        let open = OpenReactions::new(&components, group, self.lambda);
        let (changes, values) = (&open.N, &open.x);
        let mut set_of = vec![None; components.len()];
        let form = Echelon::new(changes.transpose());
        let named = |terms: &[(usize, f64)]| {
            terms.iter().map(|(k, c)| (components[*k].name.clone(), *c)).collect::<Vec<(String, f64)>>()
        };
        for set in form.sets() {
            set.iter().for_each(|k| set_of[*k] = Some(report.sets.len()));
            let of_set = |i: &usize| set.contains(&form.pivots[*i]);
            let stress = |i: usize| -> Vec<(usize, f64)> {
                set.iter().map(|k| (*k, form.rows[(i, *k)])).filter(|(_, x)| *x != 0.0).collect()
            };
            let combination = |terms: Vec<(usize, f64)>| UniqueCombination {
                value: terms.iter().map(|(k, c)| c * values[*k]).sum(),
                terms: named(&terms),
            };
            report.sets.push(LoadTradingSet {
                components: set.iter().map(|k| components[*k].name.clone()).collect(),
                stresses: (0..form.pivots.len()).filter(of_set).map(|i| named(&stress(i))).collect(),
                combinations: form.unique_combinations(&set).into_iter().map(combination).collect(),
            });
        }
        let [least, stiffness] = self.shares(&components, group);
        let mut admissible = AdmissibleSharing::new(self, group);
        let mut one = |(i, x): (usize, &ReactionComponent)| {
            let (range_computed, bounds) = match (set_of[i], &mut admissible) {
                (None, _) => (true, [Some(values[i]); 2]),
                (Some(_), Ok(Some(sharing))) => match sharing.range(values[i], changes.row(i).transpose().as_slice()) {
                    Some(bounds) => (true, bounds),
                    None => (false, [None; 2]),
                },
                (Some(_), Ok(None)) => (true, [None; 2]),
                (Some(_), Err(_)) => (false, [None; 2]),
            };
            let shared = match set_of[i] {
                None => Some(values[i]),
                Some(_) => stiffness.as_ref().map(|s| s[i]),
            };
            let found = ComponentDeterminacy {
                set: set_of[i],
                minimum_norm: least.as_ref().map_or(f64::NAN, |x| x[i]),
                stiffness: shared,
                range_computed,
                least: bounds[0],
                most: bounds[1],
                ..self.unique(x)
            };
            (x.constraint, found)
        };
        let mut all = GroupReport::default();
        for (constraint, found) in components.iter().enumerate().map(&mut one) {
            all.components.entry(constraint).or_default().push(found);
        }
        match admissible {
            Err(why) => report.notes.push(why),
            Ok(_) if all.components.values().flatten().any(|c| !c.range_computed) => {
                report.notes.push("some ranges are too ill-conditioned to compute".to_string());
            }
            Ok(_) => {}
        }
        all
    }

    /// Labels the components of a group with many self-stresses, as one set; how they may share load is not computed.
    fn examine_large(&self, group: &StressGroup, report: &mut DeterminacyReport) -> GroupReport {
        let names = |i: &usize| self.model.constraints[*i].name.clone();
        let some: Vec<String> = group.constraints.iter().take(3).map(names).collect();
        report.notes.push(format!(
            "`{}` and {} more joints share {} self-stresses, too many to list the groups",
            some.join("`, `"),
            group.constraints.len() - some.len(),
            group.stresses.len()
        ));
        let set = report.sets.len();
        let (mut all, mut members) = (GroupReport::default(), Vec::new());
        let components: Vec<ReactionComponent> =
            group.constraints.iter().flat_map(|c| self.components(*c, ComponentAxes::World)).collect();
        let [least, stiffness] = self.shares(&components, group);
        if least.is_none() {
            report.notes.push("the distribution of least norm is too ill-conditioned to compute".to_string());
        }
        for (i, x) in components.iter().enumerate() {
            let is_open = group.loading(x.constraint).into_iter().any(|n| change(&x.rows, n) != 0.0);
            let found = match is_open {
                true => ComponentDeterminacy {
                    set: Some(set),
                    minimum_norm: least.as_ref().map_or(f64::NAN, |x| x[i]),
                    stiffness: stiffness.as_ref().map(|x| x[i]),
                    range_computed: false,
                    least: None,
                    most: None,
                    ..self.unique(x)
                },
                false => self.unique(x),
            };
            members.extend(is_open.then(|| x.name.clone()));
            all.components.entry(x.constraint).or_default().push(found);
        }
        report.sets.push(LoadTradingSet { components: members, stresses: Vec::new(), combinations: Vec::new() });
        all
    }

    /// The components of a group in the distributions of least norm and by stiffness.
    fn shares(&self, components: &[ReactionComponent], group: &StressGroup) -> [Option<DVector<f64>>; 2] {
        let least = least_norm(self.model, components, group, self.lambda).map(|s| s.x);
        let elastic = ElasticSharing::new(self.model, self.scene, &self.state.modes, group);
        let stiffness = elastic.and_then(|e| least_energy(self.model, &e, components, group, self.lambda)).map(|s| s.x);
        [least, stiffness]
    }
}

/// Directions in which the force of a joint is unique, besides world axes.
fn unique_directions(
    components: &[ReactionComponent],
    stresses: &[&SparseRow],
    found: &[ComponentDeterminacy],
) -> Vec<[f64; 3]> {
    let forces: Vec<usize> =
        (0..components.len()).filter(|i| components[*i].force_axis.is_some() && found[*i].set.is_some()).collect();
    if forces.len() < 2 {
        return Vec::new();
    }
    let own: Vec<ReactionComponent> = forces.iter().map(|i| components[*i].clone()).collect();
    let changes = stress_matrix(&own, stresses);
    let eigen = (&changes * changes.transpose()).symmetric_eigen();
    let largest = eigen.eigenvalues.amax();
    let direction = |k: usize| {
        let mut d = [0.0; 3];
        for (i, x) in own.iter().enumerate() {
            if let Some(at) = x.force_axis {
                d[at] = eigen.eigenvectors[(i, k)];
            }
        }
        // The largest component is positive.
        let lead = d.iter().fold(0.0_f64, |a, x| if x.abs() > a.abs() + 1e-9 { *x } else { a });
        d.map(|x| if x.abs() < 1e-12 { 0.0 } else { x * lead.signum() })
    };
    (0..own.len()).filter(|k| eigen.eigenvalues[*k] <= 1e-14 * largest).map(direction).collect()
}
