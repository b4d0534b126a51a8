//! The cylindrical arc-length method: follows the path of equilibria through limit points.

use super::equilibrium_equations::EquilibriumEquations;
use super::path::{CriticalPoint, CriticalPointKind, LoadPath, PathEnd, PathPoint, path_point};
use super::{AnalysisError, EquilibriumPoint, Statics, StaticsError, check_positive, newton};
use crate::simulation::check_interruption;
use nalgebra::DMatrix;

/// Iterations of a step at which its length is not changed.
const TARGET_ITERATIONS: f64 = 4.0;
/// Most iterations of a step.
const MAX_ITERATIONS: usize = 16;
/// Bounds of the length, relative to the first.
const MIN_LENGTH_RATIO: f64 = 1e-5;
const MAX_LENGTH_RATIO: f64 = 32.0;
/// Halvings of the first displacement of a branch.
const BRANCH_HALVINGS: i32 = 6;
/// Bisections of the load before a branch switch.
const BISECTIONS: usize = 8;
/// Number of softest motions that are tracked from point to point.
const TRACKED_MOTIONS: usize = 4;
/// The iteration ends at a correction of this size.
const CORRECTION_TOLERANCE: f64 = 1e-10;

/// Settings of the arc-length method.
///
/// ```text
///  r(q, λ) − s p = 0,  |U|_W = l          p: the full load; U: displacement since the last point     [Crisfield1981]
///  δ = δ_r + Δs δ_p,  K δ_r = −r,  K δ_p = p,   |U + δ|_W = l: of the two roots, the one nearest to U is taken
/// ```
///
/// The path passes a critical point where the stiffness of a motion changes its sign. The direction of K⁻¹p along the path shows the
/// kind. If the load has an extremum there, it is a limit point. Otherwise it is a bifurcation; on request the method switches to the
/// other branch by a displacement along the softest motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArcLength {
    /// Load factor of the first step.
    pub first_step: f64,
    /// Largest displacement of a step, relative to the size of the mechanism, or rad.
    pub max_displacement: f64,
    /// Largest number of points.
    pub max_points: usize,
    /// The path ends at this load factor or its negative.
    pub target_load: f64,
    /// What to do at a bifurcation.
    pub branching: BranchSwitching,
}

impl Default for ArcLength {
    fn default() -> ArcLength {
        ArcLength {
            first_step: 0.05,
            max_displacement: 0.1,
            max_points: 500,
            target_load: 1.0,
            branching: BranchSwitching::Stay,
        }
    }
}

/// What to do at a bifurcation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BranchSwitching {
    /// Stay on the same branch.
    Stay,
    /// Switch to the first branch, with a first displacement of this size along the softest motion; its sign chooses the side.
    Switch(f64),
}

impl ArcLength {
    pub(super) fn check(&self) -> Result<(), AnalysisError> {
        check_positive("first", self.first_step)?;
        check_positive("longest", self.max_displacement)?;
        check_positive("reach", self.target_load)?;
        match self.branching {
            BranchSwitching::Switch(size) => check_positive("branch", size.abs()),
            BranchSwitching::Stay => Ok(()),
        }
    }
}

/// Softest motions and direction of the path at a point.
struct PathTangent {
    /// The softest motions, as columns, and their stiffness.
    motions: DMatrix<f64>,
    stiffness: Vec<f64>,
    /// +1 if the load grows along the path, else −1.
    sense: f64,
}

impl PathTangent {
    /// At the current point, with its factor; `along` is the last displacement of the path.
    fn at(
        balance: &mut EquilibriumEquations,
        here: &mut EquilibriumPoint,
        along: &[f64],
    ) -> Result<PathTangent, StaticsError> {
        let (motions, stiffness) = balance.softest_motions(TRACKED_MOTIONS.min(along.len()))?;
        let p = balance.load_vector(&mut here.state);
        let rows = vec![0.0; balance.model.rows.len()];
        let Ok((delta, _)) = balance.solve(&p, &rows) else { return Err(convergence_error(balance, here)) };
        Ok(PathTangent { motions, stiffness, sense: inner_product(balance, &delta, along).signum() })
    }

    /// Whether the stiffness of a motion changes its sign between two points. Motions are identified by their shape, because the softest
    /// one may change too.
    fn stiffness_changes_sign(&self, there: &PathTangent) -> bool {
        let again = |from: &PathTangent, to: &PathTangent| {
            let x = from.motions.column(0);
            let overlap = |j: &usize| to.motions.column(*j).dot(&x).abs();
            let best = (0..to.motions.ncols()).max_by(|a, b| overlap(a).total_cmp(&overlap(b)));
            best.filter(|j| overlap(j) > 0.7).is_some_and(|j| from.stiffness[0] * to.stiffness[j] < 0.0)
        };
        !self.stiffness.is_empty() && (again(self, there) || again(there, self))
    }
}

/// The next step.
struct ArcStep {
    /// Displacement of the last step.
    along: Vec<f64>,
    length: f64,
    /// Largest change of the load factor, which would be too large where the mechanism is stiff.
    max_load_change: f64,
}

pub(super) fn follow_arc(
    balance: &mut EquilibriumEquations,
    mut here: EquilibriumPoint,
    arc: &ArcLength,
    settings: &Statics,
) -> Result<LoadPath, StaticsError> {
    let mut path = LoadPath { points: Vec::new(), branched: None, critical: Vec::new(), end: PathEnd::Whole };
    // The first point is computed by load control.
    balance.set_load_factor(arc.first_step);
    here.lambda.iter_mut().for_each(|l| *l *= arc.first_step);
    let start = here.state.clone();
    let iterations = newton::solve_equilibrium(balance, &mut here, settings)?;
    path.points.push(path_point(balance, &mut here, iterations)?);
    let mut before = displacement_between(balance, &start, &here);
    let mut bearing = PathTangent::at(balance, &mut here, &before)?;
    let mut length = inner_product(balance, &before, &before).sqrt().max(f64::MIN_POSITIVE).min(arc.max_displacement);
    let mut first = length;
    let mut failures = 0;
    loop {
        check_interruption()?;
        let last = path.points[path.points.len() - 1].clone();
        if last.load_factor.abs() >= arc.target_load {
            break;
        }
        if path.points.len() >= arc.max_points {
            path.end = PathEnd::AtMostPoints;
            break;
        }
        let from = here.clone();
        let step = ArcStep { along: before.clone(), length, max_load_change: 2.0 * arc.first_step };
        match predict_and_correct(balance, &mut here, step, last.load_factor) {
            Ok((iterations, along)) => {
                let mut found = path_point(balance, &mut here, iterations)?;
                failures = 0;
                let there = PathTangent::at(balance, &mut here, &along)?;
                let kind = match (bearing.sense != there.sense, bearing.stiffness_changes_sign(&there)) {
                    (true, _) => Some(CriticalPointKind::Limit),
                    (false, true) => Some(CriticalPointKind::Branch),
                    (false, false) => None,
                };
                if let (BranchSwitching::Switch(size), None, Some(CriticalPointKind::Branch)) =
                    (arc.branching, path.branched, kind)
                {
                    let (beside, load_factor) = bisect_to_branch(balance, from.clone(), &last, &found, settings);
                    // Some first displacements do not converge; smaller ones serve as well.
                    let taken = (0..BRANCH_HALVINGS).find_map(|k| {
                        let mut other = beside.clone();
                        let step =
                            switch_branch(balance, &mut other, size * 0.5_f64.powi(k), load_factor).ok().flatten();
                        step.map(|(iterations, along)| (other, iterations, along))
                    });
                    if let Some((other, iterations, along)) = taken {
                        here = other;
                        found = path_point(balance, &mut here, iterations)?;
                        path.branched = Some(path.points.len());
                        length = inner_product(balance, &along, &along).sqrt();
                        first = length;
                        path.critical.push(CriticalPoint {
                            kind: CriticalPointKind::Branch,
                            load_factor,
                            point: path.points.len(),
                        });
                        bearing = PathTangent::at(balance, &mut here, &along)?;
                        before = along;
                        path.points.push(found);
                        continue;
                    }
                }
                if let Some(kind) = kind {
                    let load_factor = if kind == CriticalPointKind::Limit {
                        limit_load(&path.points, &found)
                    } else {
                        0.5 * (last.load_factor + found.load_factor)
                    };
                    path.critical.push(CriticalPoint { kind, load_factor, point: path.points.len() });
                }
                bearing = there;
                if found.load_factor.abs() > arc.target_load {
                    // Compute the end exactly; if that fails, the last point lies beyond it.
                    let mut end = here.clone();
                    balance.set_load_factor(arc.target_load.copysign(found.load_factor));
                    if let Ok(iterations) = newton::solve_equilibrium(balance, &mut end, settings) {
                        found = path_point(balance, &mut end, iterations)?;
                    }
                    path.points.push(found);
                    break;
                }
                before = along;
                length = (length * (TARGET_ITERATIONS / iterations.max(1) as f64).sqrt())
                    .clamp(MIN_LENGTH_RATIO * first, MAX_LENGTH_RATIO * first);
                length = length.min(arc.max_displacement);
                path.points.push(found);
            }
            Err(why) => {
                here = from;
                balance.set_load_factor(last.load_factor);
                length *= 0.5;
                failures += 1;
                if failures > 12 || length < MIN_LENGTH_RATIO * first {
                    let (load_factor, points) = (last.load_factor, path.points.len());
                    return Err(StaticsError::PathEnds { load_factor, points, why: why.to_string() });
                }
            }
        }
    }
    Ok(path)
}

/// The load factor at a limit point: the extreme of the last two points and this one.
fn limit_load(points: &[PathPoint], found: &PathPoint) -> f64 {
    let [.., before, last] = points else { return found.load_factor };
    let outer = |a: f64, b: f64| if (last.load_factor - before.load_factor) >= 0.0 { a.max(b) } else { a.min(b) };
    outer(last.load_factor, found.load_factor)
}

/// The last equilibrium before the bifurcation, by bisection of the load, and its load factor.
fn bisect_to_branch(
    balance: &mut EquilibriumEquations,
    mut here: EquilibriumPoint,
    last: &PathPoint,
    found: &PathPoint,
    settings: &Statics,
) -> (EquilibriumPoint, f64) {
    let (mut low, mut high) = (last.load_factor, found.load_factor);
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (low + high);
        balance.set_load_factor(middle);
        let mut trial = here.clone();
        let softest = newton::solve_equilibrium(balance, &mut trial, settings).and_then(|_| balance.softest_motion());
        match softest {
            Ok(s) if s.stiffness * last.min_stiffness > 0.0 => (low, here) = (middle, trial),
            _ => high = middle,
        }
    }
    (here, low)
}

/// The first point of the branch: a given displacement along the softest motion, with the load as unknown.
fn switch_branch(
    balance: &mut EquilibriumEquations,
    here: &mut EquilibriumPoint,
    size: f64,
    load_factor: f64,
) -> Result<Option<(usize, Vec<f64>)>, StaticsError> {
    balance.set_load_factor(load_factor);
    balance.evaluate(&mut here.state);
    balance.factor(here, 0.0)?;
    let softest = balance.softest_motion()?.delta;
    let largest = balance.displacement_norm(&softest);
    // The largest entry gets the sign, so that the side does not depend on the iteration.
    let lead = softest
        .iter()
        .zip(&balance.displacement_scale)
        .map(|(d, s)| d / s)
        .fold(0.0_f64, |a, d| if d.abs() > 1.000_001 * a.abs() { d } else { a });
    let along: Vec<f64> = softest.iter().map(|d| d * size / largest * lead.signum()).collect();
    here.state = balance.displaced(&here.state, &along, 1.0);
    let length = inner_product(balance, &along, &along).sqrt();
    Ok(correct(balance, here, along, length, load_factor).ok())
}

/// One step: prediction along the tangent, correction on the cylinder |U| = l.
fn predict_and_correct(
    balance: &mut EquilibriumEquations,
    here: &mut EquilibriumPoint,
    step: ArcStep,
    load_factor: f64,
) -> Result<(usize, Vec<f64>), StaticsError> {
    balance.set_load_factor(load_factor);
    let p = balance.load_vector(&mut here.state);
    balance.factor(here, 0.0)?;
    let rows = vec![0.0; balance.model.rows.len()];
    let Ok((delta, dlambda)) = balance.solve(&p, &rows) else { return Err(convergence_error(balance, here)) };
    let size = inner_product(balance, &delta, &delta).sqrt();
    if size == 0.0 || !size.is_finite() {
        return Err(convergence_error(balance, here));
    }
    let sense = if inner_product(balance, &delta, &step.along) < 0.0 { -1.0 } else { 1.0 };
    let length = step.length.min(step.max_load_change * size);
    let ds = sense * length / size;
    let along: Vec<f64> = delta.iter().map(|d| ds * d).collect();
    here.state = balance.displaced(&here.state, &along, 1.0);
    here.lambda.iter_mut().zip(&dlambda).for_each(|(l, d)| *l += ds * d);
    correct(balance, here, along, length, load_factor + ds)
}

/// Newton's method with |U| = l.
fn correct(
    balance: &mut EquilibriumEquations,
    here: &mut EquilibriumPoint,
    mut U: Vec<f64>,
    length: f64,
    mut load_factor: f64,
) -> Result<(usize, Vec<f64>), StaticsError> {
    for iteration in 1..=MAX_ITERATIONS {
        balance.set_load_factor(load_factor);
        let p = balance.load_vector(&mut here.state);
        let (r, phi) = (balance.residual_forces(&here.lambda), balance.position_residuals());
        balance.factor(here, 0.0)?;
        let minus = |x: &[f64]| x.iter().map(|x| -x).collect::<Vec<f64>>();
        let rows = vec![0.0; phi.len()];
        let (Ok(by_r), Ok(by_p)) = (balance.solve(&minus(&r), &minus(&phi)), balance.solve(&p, &rows)) else {
            return Err(convergence_error(balance, here));
        };
        let V: Vec<f64> = U.iter().zip(&by_r.0).map(|(u, d)| u + d).collect();
        let a = inner_product(balance, &by_p.0, &by_p.0);
        let b = inner_product(balance, &by_p.0, &V);
        let c = inner_product(balance, &V, &V) - length * length;
        let root = b * b - a * c;
        if a == 0.0 || root.is_nan() || root < 0.0 {
            return Err(convergence_error(balance, here));
        }
        let roots = [(-b + root.sqrt()) / a, (-b - root.sqrt()) / a];
        let near = |ds: f64| inner_product(balance, &U, &V) + ds * inner_product(balance, &U, &by_p.0);
        let ds = if near(roots[0]) >= near(roots[1]) { roots[0] } else { roots[1] };
        let delta: Vec<f64> = by_r.0.iter().zip(&by_p.0).map(|(r, p)| r + ds * p).collect();
        let size = balance.displacement_norm(&delta);
        if !size.is_finite() || size > 4.0 {
            return Err(convergence_error(balance, here));
        }
        here.state = balance.displaced(&here.state, &delta, 1.0);
        for (l, (r, p)) in here.lambda.iter_mut().zip(by_r.1.iter().zip(&by_p.1)) {
            *l += r + ds * p;
        }
        U.iter_mut().zip(&delta).for_each(|(u, d)| *u += d);
        load_factor += ds;
        balance.set_load_factor(load_factor);
        newton::recompute_multipliers(balance, here)?;
        if size <= CORRECTION_TOLERANCE {
            balance.evaluate(&mut here.state);
            balance.factor(here, 0.0)?;
            balance.check_rotation()?;
            return Ok((iteration, U));
        }
    }
    Err(convergence_error(balance, here))
}

/// Inner product of displacements scaled by `EquilibriumEquations::displacement_scale`, divided by their number.
fn inner_product(balance: &EquilibriumEquations, x: &[f64], y: &[f64]) -> f64 {
    let sum = x.iter().zip(y).zip(&balance.displacement_scale).map(|((x, y), s)| x * y / (s * s)).sum::<f64>();
    sum / x.len().max(1) as f64
}

/// The displacement from the start to the first point, in the tangent space of the start.
fn displacement_between(
    balance: &mut EquilibriumEquations,
    start: &crate::state::State,
    here: &EquilibriumPoint,
) -> Vec<f64> {
    let mut along = vec![0.0; balance.model.sizes.v];
    for b in &balance.model.bodies {
        let dq: Vec<f64> = here.state.q[b.q.clone()].iter().zip(&start.q[b.q.clone()]).map(|(a, b)| a - b).collect();
        b.kind.body().displacement(&start.q[b.q.clone()], &dq, &mut along[b.v.clone()]);
    }
    along
}

fn convergence_error(balance: &mut EquilibriumEquations, here: &mut EquilibriumPoint) -> StaticsError {
    balance.evaluate(&mut here.state);
    let (r, phi) = (balance.residual_forces(&here.lambda), balance.position_residuals());
    balance.convergence_error(MAX_ITERATIONS, &r, &phi)
}
