//! The constraint doctor: degrees of freedom of a mechanism, redundant rows and whether they contradict each other, constraints that
//! the start does not satisfy, and unreferenced elements. All are reported by name.
//!
//! Freedoms and dependent rows are counted in the assembled pose and in nearby poses. This separates redundancy of the design from a
//! singular pose. Parts of a model that share no constraint are examined one by one.

mod dependence;
mod findings;
mod freedoms;
mod nearby;
mod words;

pub use findings::{
    Count, DependentSet, Determinacy, Doctor, FreeMotion, Lead, Loose, Misfit, Persistence, Pose, RowReaction,
};

use super::{AnalysisError, Verdict, check_state};
use crate::constraints::{ConstraintKind, Term};
use crate::drift::Weight;
use crate::equations::{Equations, carry, is_frame};
use crate::measures::Measure;
use crate::model::{ConstraintEntry, Model};
use crate::simulation::newton::Newton;
use crate::simulation::turning;
use crate::solvers::rank::{Part, Scaled, parts};
use crate::state::{Mode, State};
use dependence::{Circuit, sets};
use freedoms::Stage;
use nearby::nearby;

/// A row whose remainder after elimination is below this counts as dependent.
const THRESHOLD: f64 = 1e-9;
/// Most free motions of one part that are described one by one.
const MOST_MOTIONS: usize = 60;
/// Number of nearby poses.
const TRIALS: usize = 4;
/// Most Newton iterations of the assembly.
const ITERATIONS: usize = 50;
/// |φ| and |φ̇| that count as zero, relative to 1 + the size of the coordinates and velocities.
const MET: f64 = 1e-10;

/// Examines the constraints of a model at a state, which only needs to satisfy them approximately.
///
/// # Errors
/// If the state does not fit the model, or the Jacobian is not finite.
pub fn doctor(model: &Model, given: &State) -> Result<Doctor, AnalysisError> {
    check_state(model, given)?;
    let mut newton = Newton::new(model, given, &Weight::Mass, &[])?;
    let told = turning::told(model, &newton.scene, given, &newton.eq.phi);
    let residuals = misfits(model, &told, &newton.eq.phidot);
    let parts = parts(model, &given.modes);
    let (state, pose) = close(&mut newton, given, &parts);
    let size = newton.place(&state).size;
    let opposed = newton.flipped(&state);
    carry(model, (&state).into(), &mut newton.scene, &mut newton.eq);
    if newton.eq.A.iter().chain(&newton.eq.M).any(|x| !x.is_finite()) {
        return Err(AnalysisError::NotFinite { what: "the constraint Jacobian".to_string() });
    }
    let (scene, eq) = (newton.scene.clone(), newton.eq.clone());
    let mut around = Around { newton, state: &state, pose, shared: None };
    let (scaled, stage) = (Scaled::new(model, &eq), Stage { model, state: &state, scene: &scene });
    let (mut here, mut near) = (Some(Count::default()), Some(Count::default()));
    let (mut circuits, mut motions, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    let mut judged = vec![true; model.rows.len()];
    let mut rows = 0;
    for part in &parts {
        rows += part.rows.len();
        let (m, n) = (part.rows.len(), part.velocities.len());
        // Dependence cannot be decided to better accuracy than the constraints are satisfied.
        let misfit = part.largest(&eq.phi);
        let threshold = if misfit > MET * size { (10.0 * misfit / size).clamp(THRESHOLD, 1e-3) } else { THRESHOLD };
        let Some(mut found) = scaled.eliminate(part, threshold, &[]) else {
            notes.push(too_large(model, part));
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
        let count = |rank: usize| Count { rank, freedoms: n - rank, redundant: m - rank };
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
        let freedoms = n - found.rank();
        if freedoms > MOST_MOTIONS && !part.rows.is_empty() {
            let first = &model.bodies[part.bodies[0]].name;
            notes.push(format!(
                "the {freedoms} free motions of `{first}` and its connected bodies are too many to list"
            ));
        } else if freedoms > 0 {
            motions.extend(stage.motions(part, &scaled, found.null_space().collect()));
        }
    }
    let mut dependent = sets(model, &eq, &circuits);
    dependent.sort_by_key(|s| matches!(s.verdict, Verdict::Consistent));
    Ok(Doctor {
        bodies: model.bodies.len(),
        coordinates: model.sizes.q,
        velocities: model.sizes.v,
        rows,
        pose,
        here,
        nearby: near,
        reactions: reactions(model, &state.modes, &judged, &dependent),
        dependent,
        motions,
        residuals,
        opposed,
        loose: loose(model),
        notes,
    })
}

/// Nearby poses, computed when first needed.
struct Around<'m, 's> {
    newton: Newton<'m>,
    state: &'s State,
    pose: Pose,
    /// Those of the whole model.
    shared: Option<Vec<(Equations, f64)>>,
}

impl Around<'_, '_> {
    /// The largest rank of a part in any nearby pose with residuals up to `bound`, and the rows of the part that are redundant there.
    fn rank(&mut self, part: &Part, threshold: f64, bound: f64) -> Option<(usize, Vec<usize>)> {
        // Parts that cannot be assembled would disturb the others.
        let own = (self.pose == Pose::Open).then(|| {
            let alone = State { modes: part.alone(&self.state.modes), ..self.state.clone() };
            poses(&mut self.newton, &alone)
        });
        let (newton, state) = (&mut self.newton, self.state);
        let list = match &own {
            Some(own) => own,
            None => self.shared.get_or_insert_with(|| poses(newton, state)),
        };
        let closed = list.iter().filter(|(eq, size)| part.largest(&eq.phi) <= bound.max(1e-11 * size));
        let ranks = closed.filter_map(|(eq, _)| {
            let found = Scaled::new(newton.model, eq).eliminate(part, threshold, &[])?;
            Some((found.rank(), found.circuits.iter().map(|(row, _)| *row).collect::<Vec<_>>()))
        });
        // The first of equals, so that the result does not depend on the number of poses.
        ranks.reduce(|best, other| if other.0 > best.0 { other } else { best })
    }
}

/// Equations of nearby poses, and the size of their coordinates.
fn poses(newton: &mut Newton, state: &State) -> Vec<(Equations, f64)> {
    let one = |trial| {
        let placed = nearby(newton, state, trial);
        newton.eq.A.iter().all(|x| x.is_finite()).then(|| (newton.eq.clone(), placed.size))
    };
    (0..TRIALS).filter_map(one).collect()
}

/// Projects positions and velocities of a state onto the constraints as far as possible.
fn close(newton: &mut Newton, given: &State, parts: &[Part]) -> (State, Pose) {
    let mut state = given.clone();
    newton.normalise(&mut state);
    let off = |phi: f64, size: f64| phi.is_nan() || phi > MET * size;
    let placed = newton.place(&state);
    let mut pose = Pose::Given;
    if off(placed.phi, placed.size) {
        newton.choose_turns(&mut state);
        newton.close(&mut state, ITERATIONS);
        let placed = newton.place(&state);
        pose = if off(placed.phi, placed.size) { Pose::Open } else { Pose::Assembled };
    }
    if pose == Pose::Open {
        // Parts that cannot be assembled must not disturb the others.
        for part in parts.iter().filter(|p| !p.rows.is_empty()) {
            let mut alone = State { modes: part.alone(&given.modes), ..given.clone() };
            newton.normalise(&mut alone);
            newton.place(&alone);
            newton.choose_turns(&mut alone);
            newton.close(&mut alone, ITERATIONS);
            for b in part.bodies.iter().map(|b| &newton.model.bodies[*b]) {
                state.q[b.q.clone()].copy_from_slice(&alone.q[b.q.clone()]);
            }
            for c in part.constraints.iter().map(|c| &newton.model.constraints[*c]) {
                state.z[c.z.clone()].copy_from_slice(&alone.z[c.z.clone()]);
            }
        }
    }
    let placed = newton.place(&state);
    if off(placed.phidot, placed.speed) {
        newton.solve_velocity(&mut state);
    }
    (state, pose)
}

fn too_large(model: &Model, part: &Part) -> String {
    format!(
        "`{}` and its connected bodies have {} rows and {} velocities, which is too large to be decomposed; freedoms \
         and dependent rows are not counted there",
        model.bodies[part.bodies[0]].name,
        part.rows.len(),
        part.velocities.len()
    )
}

fn misfits(model: &Model, phi: &[f64], phidot: &[f64]) -> Vec<Misfit> {
    let mut list = Vec::new();
    for c in &model.constraints {
        let far = |r: usize| phi[r].abs().max(phidot[r].abs());
        let Some(worst) = c.rows.clone().max_by(|a, b| far(*a).total_cmp(&far(*b))) else { continue };
        let most = |x: &[f64]| x[c.rows.clone()].iter().fold(0.0, |a: f64, x| a.max(x.abs()));
        if far(worst) > 0.0 {
            let (row, unit) = (model.row_name(worst), unit(model, c, worst));
            list.push(Misfit { row, unit, position: most(phi), velocity: most(phidot) });
        }
    }
    let far = |m: &Misfit| m.position.max(m.velocity);
    list.sort_by(|a, b| far(b).total_cmp(&far(a)));
    list
}

/// Unit of a row; for a driven coordinate, the unit of the coordinate.
fn unit(model: &Model, c: &ConstraintEntry, row: usize) -> &'static str {
    match &c.kind {
        ConstraintKind::Relation(r) if matches!(r.terms[..], [Term { of: Measure::Coordinate(_), .. }]) => {
            model.coordinate_unit(c.markers[0])
        }
        _ => model.rows[row].unit,
    }
}

fn reactions(model: &Model, modes: &[Mode], judged: &[bool], sets: &[DependentSet]) -> Vec<RowReaction> {
    let held = |(c, mode): (&ConstraintEntry, &Mode)| {
        let held = mode.held(&c.law);
        c.rows.clone().enumerate().filter(move |(i, _)| held.has(*i)).map(|(_, row)| row)
    };
    let rows = model.constraints.iter().zip(modes).flat_map(held).filter(|r| judged[*r]);
    let one = |r: usize| {
        let row = model.row_name(r);
        let within: Vec<usize> = (0..sets.len()).filter(|i| sets[*i].rows.contains(&row)).collect();
        let determinacy = if within.is_empty() { Determinacy::Unique } else { Determinacy::Traded(within) };
        RowReaction { row, determinacy }
    };
    rows.map(one).collect()
}

fn loose(model: &Model) -> Loose {
    // The unit-norm constraint of a body's own coordinates does not act on it.
    let acts = |c: &&crate::model::ConstraintEntry| !matches!(c.kind, ConstraintKind::UnitNorm(_));
    let constraints = || model.constraints.iter().filter(acts).map(|c| &c.markers);
    let elements = || constraints().chain(model.forces.iter().map(|f| &f.markers));
    let mut acted = vec![false; model.bodies.len()];
    let mut named = vec![false; model.markers.len()];
    for &m in elements().flatten() {
        named[m] = true;
        model.markers[m].body.iter().for_each(|b| acted[*b] = true);
    }
    // If there are too many surface pairs for constraints, the contact rules act.
    let touched = |i: usize| (0..model.surfaces.len()).any(|j| model.contact_between(i, j).is_some());
    for (i, surface) in model.surfaces.iter().enumerate() {
        named[surface.marker] = true;
        if let Some(b) = surface.body.filter(|b| !acted[*b]) {
            acted[b] = touched(i);
        }
    }
    model.measures.iter().flat_map(|m| &m.markers).for_each(|m| named[*m] = true);
    let frame = |i: usize| {
        let own = model.markers[i].body.map_or(0, |b| model.bodies[b].markers.start);
        // Members of a reduced set have their own frames, too.
        i != own && is_frame(model, i) && model.markers[i].name.contains('.')
    };
    let again = |(i, m): (usize, &crate::model::MeasureEntry)| {
        let earlier = model.measures[..i].iter().find(|other| other.measure == m.measure)?;
        Some((m.name.clone(), earlier.name.clone()))
    };
    Loose {
        bodies: model.bodies.iter().zip(&acted).filter(|(_, a)| !**a).map(|(b, _)| b.name.clone()).collect(),
        markers: (0..named.len()).filter(|i| !named[*i] && frame(*i)).map(|i| model.markers[i].name.clone()).collect(),
        measures: model.measures.iter().enumerate().filter_map(again).collect(),
    }
}
