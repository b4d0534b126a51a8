//! The constraint doctor: degrees of freedom of a mechanism, redundant rows and whether they contradict each other, constraints that
//! the start does not satisfy, and unreferenced elements. All are reported by name.

mod beams;
mod dependence;
mod display;
mod findings;
mod free_motions;
mod nearby;

pub use findings::{
    ConstraintResidual, DependentSet, Determinacy, DoctorReport, ExaminedPose, FreeMotion, GivenVelocities,
    LeadingCoordinate, MobilityCount, NearDependence, Persistence, RowReaction, Unreferenced,
};

use super::{AnalysisError, RowConsistency, check_state};
use crate::constraints::{ConstraintKind, Term};
use crate::drift::ProjectionWeight;
use crate::equations::{Equations, assemble_rates, is_frame};
use crate::measures::Measure;
use crate::model::{ConstraintEntry, Model};
use crate::simulation::angle_rows;
use crate::simulation::position_newton::PositionNewton;
use crate::solvers::rank::{ConnectedPart, ScaledJacobian, connected_parts};
use crate::state::{ConstraintMode, State};
use dependence::{Circuit, dependent_sets, near_dependence};
use free_motions::FreeMotionFinder;
use nearby::nearby_pose;
use std::collections::HashMap;

/// A row whose remainder after elimination is below this counts as dependent.
const RANK_TOLERANCE: f64 = 1e-9;
/// Rows whose remainder after elimination is below this are nearly dependent.
const NEAR_TOLERANCE: f64 = 1e-4;
/// Most free motions of one part that are described one by one.
const MAX_LISTED_MOTIONS: usize = 60;
/// Number of nearby poses.
const NEARBY_POSE_COUNT: usize = 4;
/// Most Newton iterations of the assembly.
const MAX_NEWTON_ITERATIONS: usize = 50;
/// |φ| and |φ̇| that count as zero, relative to 1 + the size of the coordinates and velocities.
const CLOSURE_TOLERANCE: f64 = 1e-10;

/// Examines the constraints of a model at a state, which only needs to satisfy them approximately.
///
/// Freedoms and dependent rows are counted in the assembled pose and in nearby poses. This separates redundancy of the design from a
/// singular pose. Parts of a model that share no constraint are examined one by one.
///
/// # Errors
/// If the state does not fit the model, or the Jacobian is not finite.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// let mut spec = Spec::new();
/// spec.body("bar", PlanarBody::rod(1.0, 1.0).at([0.5, 0.0], 0.0))
///     .marker("bar.end", Frame::at([-0.5, 0.0, 0.0]))
///     .constraint("pin", Joint::pin("ground", "bar.end"))
///     .constraint("again", Joint::pin("ground", "bar.end"));
/// let model = spec.build()?;
/// let report = doctor(&model, &model.initial_state())?;
/// let count = report.here.expect("a small model");
/// assert_eq!((count.freedoms, count.redundant), (1, 2));
/// assert_eq!(report.dependent[0].constraints, ["pin", "again"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn doctor(model: &Model, given: &State) -> Result<DoctorReport, AnalysisError> {
    check_state(model, given)?;
    let mut newton = PositionNewton::new(model, given, &ProjectionWeight::Mass, &[])?;
    let shown = angle_rows::reported_residuals(model, &newton.scene, given, &newton.eq.phi);
    let residuals = constraint_residuals(model, &shown, &newton.eq.phidot);
    let parts = connected_parts(model, &given.modes);
    let (state, pose) = project_to_constraints(&mut newton, given, &parts);
    let size = newton.evaluate(&state).size;
    let opposed = newton.reversed_joints(&state);
    assemble_rates(model, (&state).into(), &mut newton.scene, &mut newton.eq);
    if newton.eq.A.iter().chain(&newton.eq.M).any(|x| !x.is_finite()) {
        return Err(AnalysisError::NotFinite { what: "the constraint Jacobian".to_string() });
    }
    let (scene, eq) = (newton.scene.clone(), newton.eq.clone());
    let mut around = NearbyPoses { newton, state: &state, pose, shared: None };
    let (scaled, stage) = (ScaledJacobian::new(model, &eq), FreeMotionFinder { model, state: &state, scene: &scene });
    let (mut here, mut near) = (Some(MobilityCount::default()), Some(MobilityCount::default()));
    let (mut circuits, mut motions, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    let mut judged = vec![true; model.rows.len()];
    let mut nearly = Vec::new();
    let mut rows = 0;
    for part in &parts {
        rows += part.rows.len();
        let (m, n) = (part.rows.len(), part.velocities.len());
        // Dependence cannot be decided to better accuracy than the constraints are satisfied.
        let misfit = part.largest(&eq.phi);
        let threshold = if misfit > CLOSURE_TOLERANCE * size {
            (10.0 * misfit / size).clamp(RANK_TOLERANCE, 1e-3)
        } else {
            RANK_TOLERANCE
        };
        let Some(mut found) = scaled.eliminate(part, threshold, &[]) else {
            notes.push(size_note(model, part));
            part.rows.iter().for_each(|r| judged[*r] = false);
            (here, near) = (None, None);
            continue;
        };
        let mut elsewhere = Some((found.rank(), Vec::new()));
        if !found.circuits.is_empty() {
            elsewhere = around.rank(part, threshold, 2.0 * misfit);
            // Rows that are redundant in every pose come last: any other dependence is then one of this pose only.
            if let Some((_, deferred)) = &elsewhere
                && let Some(again) = scaled.eliminate(part, threshold, deferred)
            {
                found = again;
            }
        }
        let count = |rank: usize| MobilityCount { rank, freedoms: n - rank, redundant: m - rank };
        here = here.map(|c| c.plus(count(found.rank())));
        near = near.zip(elsewhere.as_ref()).map(|(c, (rank, _))| c.plus(count(*rank)));
        let least = (30.0 * threshold).max(1e-7);
        for (row, combination) in &found.circuits {
            let persistence = match &elsewhere {
                None => Persistence::Unknown,
                Some((_, structural)) if structural.contains(row) => Persistence::Structural,
                Some(_) => Persistence::Pose,
            };
            circuits.push(Circuit::new(combination, part, &scaled, least, persistence));
        }
        if found.least < NEAR_TOLERANCE && threshold < NEAR_TOLERANCE {
            let exact: Vec<usize> = found.circuits.iter().map(|(row, _)| *row).collect();
            let all = scaled.eliminate(part, NEAR_TOLERANCE, &exact);
            let own = scaled.rows(part);
            let more = all.iter().flat_map(|all| &all.circuits).map(|(_, y)| near_dependence(part, model, &own, y));
            nearly.extend(more.flatten().filter(|near| near.misalignment > 10.0 * threshold));
        }
        let freedoms = n - found.rank();
        if freedoms > MAX_LISTED_MOTIONS && !part.rows.is_empty() {
            let first = &model.bodies[part.bodies[0]].name;
            notes.push(format!(
                "the {freedoms} free motions of `{first}` and its connected bodies are too many to list"
            ));
        } else if freedoms > 0 {
            motions.extend(stage.motions(part, &scaled, found.null_space().collect()));
        }
    }
    let mut dependent = dependent_sets(model, &eq, &circuits);
    dependent.sort_by_key(|s| matches!(s.verdict, RowConsistency::Consistent));
    Ok(DoctorReport {
        bodies: model.bodies.len(),
        coordinates: model.sizes.q,
        velocities: model.sizes.v,
        rows,
        pose,
        here,
        nearby: near,
        reactions: row_reactions(model, &state.modes, &judged, &dependent),
        dependent,
        nearly_dependent: nearly,
        motions: beams::join_nodes(model, motions),
        start: if given.v.iter().all(|v| *v == 0.0) { GivenVelocities::Zero } else { GivenVelocities::Nonzero },
        residuals,
        opposed,
        loose: unreferenced_elements(model),
        notes,
    })
}

/// Nearby poses, computed when first needed.
struct NearbyPoses<'m, 's> {
    newton: PositionNewton<'m>,
    state: &'s State,
    pose: ExaminedPose,
    /// Those of the whole model.
    shared: Option<Vec<(Equations, f64)>>,
}

impl NearbyPoses<'_, '_> {
    /// The largest rank of a part in any nearby pose with residuals up to `bound`, and the rows of the part that are redundant there.
    fn rank(&mut self, part: &ConnectedPart, threshold: f64, bound: f64) -> Option<(usize, Vec<usize>)> {
        // Parts that cannot be assembled would disturb the others.
        let own = (self.pose == ExaminedPose::Open).then(|| {
            let alone = State { modes: part.modes_of_part(&self.state.modes), ..self.state.clone() };
            nearby_equations(&mut self.newton, &alone)
        });
        let (newton, state) = (&mut self.newton, self.state);
        let list = match &own {
            Some(own) => own,
            None => self.shared.get_or_insert_with(|| nearby_equations(newton, state)),
        };
        let closed = list.iter().filter(|(eq, size)| part.largest(&eq.phi) <= bound.max(1e-11 * size));
        let ranks = closed.filter_map(|(eq, _)| {
            let found = ScaledJacobian::new(newton.model, eq).eliminate(part, threshold, &[])?;
            Some((found.rank(), found.circuits.iter().map(|(row, _)| *row).collect::<Vec<_>>()))
        });
        // The first of equals, so that the result does not depend on the number of poses.
        ranks.reduce(|best, other| if other.0 > best.0 { other } else { best })
    }
}

/// Equations of nearby poses, and the size of their coordinates.
fn nearby_equations(newton: &mut PositionNewton, state: &State) -> Vec<(Equations, f64)> {
    let one = |trial| {
        let placed = nearby_pose(newton, state, trial);
        newton.eq.A.iter().all(|x| x.is_finite()).then(|| (newton.eq.clone(), placed.size))
    };
    (0..NEARBY_POSE_COUNT).filter_map(one).collect()
}

/// Projects positions and velocities of a state onto the constraints as far as possible.
fn project_to_constraints(
    newton: &mut PositionNewton,
    given: &State,
    parts: &[ConnectedPart],
) -> (State, ExaminedPose) {
    let mut state = given.clone();
    newton.normalise(&mut state);
    let off = |phi: f64, size: f64| phi.is_nan() || phi > CLOSURE_TOLERANCE * size;
    let placed = newton.evaluate(&state);
    let mut pose = ExaminedPose::Given;
    if off(placed.phi, placed.size) {
        newton.choose_revolutions(&mut state);
        newton.solve_from_far(&mut state, MAX_NEWTON_ITERATIONS);
        let placed = newton.evaluate(&state);
        pose = if off(placed.phi, placed.size) { ExaminedPose::Open } else { ExaminedPose::Assembled };
    }
    if pose == ExaminedPose::Open {
        // Parts that cannot be assembled must not disturb the others.
        for part in parts.iter().filter(|p| !p.rows.is_empty()) {
            let mut alone = State { modes: part.modes_of_part(&given.modes), ..given.clone() };
            newton.normalise(&mut alone);
            newton.evaluate(&alone);
            newton.choose_revolutions(&mut alone);
            newton.solve_from_far(&mut alone, MAX_NEWTON_ITERATIONS);
            for b in part.bodies.iter().map(|b| &newton.model.bodies[*b]) {
                state.q[b.q.clone()].copy_from_slice(&alone.q[b.q.clone()]);
            }
            for c in part.constraints.iter().map(|c| &newton.model.constraints[*c]) {
                state.z[c.z.clone()].copy_from_slice(&alone.z[c.z.clone()]);
            }
        }
    }
    let placed = newton.evaluate(&state);
    if off(placed.phidot, placed.speed) {
        newton.solve_velocity(&mut state);
    }
    (state, pose)
}

fn size_note(model: &Model, part: &ConnectedPart) -> String {
    format!(
        "`{}` and its connected bodies have {} rows and {} velocities, which is too large to be decomposed; freedoms \
         and dependent rows are not counted there",
        model.bodies[part.bodies[0]].name,
        part.rows.len(),
        part.velocities.len()
    )
}

fn constraint_residuals(model: &Model, phi: &[f64], phidot: &[f64]) -> Vec<ConstraintResidual> {
    let mut list = Vec::new();
    for c in &model.constraints {
        let far = |r: usize| phi[r].abs().max(phidot[r].abs());
        let Some(worst) = c.rows.clone().max_by(|a, b| far(*a).total_cmp(&far(*b))) else { continue };
        let most = |x: &[f64]| x[c.rows.clone()].iter().fold(0.0, |a: f64, x| a.max(x.abs()));
        if far(worst) > 0.0 {
            let (row, unit) = (model.row_name(worst), row_unit(model, c, worst));
            list.push(ConstraintResidual { row, unit, position: most(phi), velocity: most(phidot) });
        }
    }
    let far = |m: &ConstraintResidual| m.position.max(m.velocity);
    list.sort_by(|a, b| far(b).total_cmp(&far(a)));
    list
}

/// Unit of a row; for a driven coordinate, the unit of the coordinate.
fn row_unit(model: &Model, c: &ConstraintEntry, row: usize) -> &'static str {
    match &c.kind {
        ConstraintKind::Relation(r) if matches!(r.terms[..], [Term { coordinate: Measure::Coordinate(_), .. }]) => {
            model.coordinate_unit(c.markers[0])
        }
        _ => model.rows[row].unit,
    }
}

fn row_reactions(model: &Model, modes: &[ConstraintMode], judged: &[bool], sets: &[DependentSet]) -> Vec<RowReaction> {
    let held = |(c, mode): (&ConstraintEntry, &ConstraintMode)| {
        let held = mode.active_rows(&c.law);
        c.rows.clone().enumerate().filter(move |(i, _)| held.contains(*i)).map(|(_, row)| row)
    };
    let rows = model.constraints.iter().zip(modes).flat_map(held).filter(|r| judged[*r]);
    let mut sets_of: HashMap<&str, Vec<usize>> = HashMap::new();
    for (i, set) in sets.iter().enumerate() {
        set.rows.iter().for_each(|row| sets_of.entry(row).or_default().push(i));
    }
    let one = |r: usize| {
        let row = model.row_name(r);
        let within = sets_of.get(row.as_str()).cloned().unwrap_or_default();
        let determinacy = if within.is_empty() { Determinacy::Unique } else { Determinacy::Traded(within) };
        RowReaction { row, determinacy }
    };
    rows.map(one).collect()
}

fn unreferenced_elements(model: &Model) -> Unreferenced {
    // The unit-norm constraint of a body's own coordinates does not act on it.
    let acts = |c: &&crate::model::ConstraintEntry| {
        !matches!(c.kind, ConstraintKind::UnitNorm(_) | ConstraintKind::ForceBalance(_))
    };
    let constraints = || model.constraints.iter().filter(acts).map(|c| &c.markers);
    let elements = || constraints().chain(model.forces.iter().map(|f| &f.markers));
    let mut acted = vec![false; model.bodies.len()];
    let mut named = vec![false; model.markers.len()];
    for &m in elements().flatten() {
        named[m] = true;
        model.markers[m].body.iter().for_each(|b| acted[*b] = true);
    }
    // If there are too many surface pairs for constraints, the contact rules act.
    let touched = |i: usize| (0..model.surfaces.len()).any(|j| model.contact_rule_between(i, j).is_some());
    for (i, surface) in model.surfaces.iter().enumerate() {
        named[surface.marker] = true;
        if let Some(b) = surface.body.filter(|b| !acted[*b]) {
            acted[b] = touched(i);
        }
    }
    let by_formula = model.formula_measures.iter().flat_map(|m| &m.expression.markers);
    model.measures.iter().flat_map(|m| &m.markers).chain(by_formula).for_each(|m| named[*m] = true);
    let frame = |i: usize| {
        let own = model.markers[i].body.map_or(0, |b| model.bodies[b].markers.start);
        // Members of a reduced set have their own frames, too.
        i != own && is_frame(model, i) && model.markers[i].name.contains('.')
    };
    let again = |(i, m): (usize, &crate::model::MeasureEntry)| {
        let earlier = model.measures[..i].iter().find(|other| other.measure == m.measure)?;
        Some((m.name.clone(), earlier.name.clone()))
    };
    Unreferenced {
        bodies: model.bodies.iter().zip(&acted).filter(|(_, a)| !**a).map(|(b, _)| b.name.clone()).collect(),
        markers: (0..named.len()).filter(|i| !named[*i] && frame(*i)).map(|i| model.markers[i].name.clone()).collect(),
        measures: model.measures.iter().enumerate().filter_map(again).collect(),
    }
}
