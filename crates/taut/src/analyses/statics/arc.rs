//! The cylindrical arc-length method: follows the path of equilibria through limit points.
//!
//! ```text
//!  r(q, λ) − s p = 0,  |U|_W = l          p: the full load; U: displacement since the last point     [Crisfield1981]
//!  δ = δ_r + Δs δ_p,  K δ_r = −r,  K δ_p = p,   |U + δ|_W = l: of the two roots, the one nearest to U is taken
//! ```
//!
//! The path passes a critical point where the stiffness of a motion changes its sign. The direction of K⁻¹p along the path shows the
//! kind. If the load has an extremum there, it is a limit point. Otherwise it is a bifurcation; on request the method switches to the
//! other branch by a displacement along the softest motion.

use super::balance::Balance;
use super::path::{Critical, CriticalPoint, Ended, Path, PathPoint, point};
use super::{AnalysisError, Point, Statics, StaticsError, newton, positive};
use nalgebra::DMatrix;

/// Iterations of a step at which its length is not changed.
const GOOD: f64 = 4.0;
/// Most iterations of a step.
const MOST: usize = 16;
/// Bounds of the length, relative to the first.
const SHORTEST: f64 = 1e-5;
const LONGEST: f64 = 32.0;
/// Halvings of the first displacement of a branch.
const SMALLER: i32 = 6;
/// Bisections of the load before a branch switch.
const BISECTIONS: usize = 8;
/// Number of softest motions that are tracked from point to point.
const FOLLOWED: usize = 4;
/// The iteration ends at a correction of this size.
const SHORT: f64 = 1e-10;

/// Settings of the arc-length method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArcLength {
    /// Load factor of the first step.
    pub first: f64,
    /// Largest displacement of a step, relative to the size of the mechanism, or rad.
    pub longest: f64,
    /// Largest number of points.
    pub points: usize,
    /// The path ends at this load factor or its negative.
    pub reach: f64,
    /// What to do at a bifurcation.
    pub branching: Branching,
}

impl Default for ArcLength {
    fn default() -> ArcLength {
        ArcLength { first: 0.05, longest: 0.1, points: 500, reach: 1.0, branching: Branching::Stay }
    }
}

/// What to do at a bifurcation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Branching {
    /// Stay on the same branch.
    Stay,
    /// Switch to the first branch, with a first displacement of this size along the softest motion; its sign chooses the side.
    Take(f64),
}

impl ArcLength {
    pub(super) fn check(&self) -> Result<(), AnalysisError> {
        positive("first", self.first)?;
        positive("longest", self.longest)?;
        positive("reach", self.reach)?;
        match self.branching {
            Branching::Take(size) => positive("branch", size.abs()),
            Branching::Stay => Ok(()),
        }
    }
}

/// Softest motions and direction of the path at a point.
struct Bearing {
    /// The softest motions, as columns, and their stiffness.
    motions: DMatrix<f64>,
    stiffness: Vec<f64>,
    /// +1 if the load grows along the path, else −1.
    sense: f64,
}

impl Bearing {
    /// At the current point, with its factor; `along` is the last displacement of the path.
    fn take(balance: &mut Balance, here: &mut Point, along: &[f64]) -> Result<Bearing, StaticsError> {
        let (motions, stiffness) = balance.softest_motions(FOLLOWED.min(along.len()))?;
        let p = balance.load(&mut here.state);
        let rows = vec![0.0; balance.model.rows.len()];
        let Ok((delta, _)) = balance.solve(&p, &rows) else { return Err(lost(balance, here)) };
        Ok(Bearing { motions, stiffness, sense: weighted(balance, &delta, along).signum() })
    }

    /// Whether the stiffness of a motion changes its sign between two points. Motions are identified by their shape, because the softest
    /// one may change too.
    fn crosses(&self, there: &Bearing) -> bool {
        let again = |from: &Bearing, to: &Bearing| {
            let x = from.motions.column(0);
            let overlap = |j: &usize| to.motions.column(*j).dot(&x).abs();
            let best = (0..to.motions.ncols()).max_by(|a, b| overlap(a).total_cmp(&overlap(b)));
            best.filter(|j| overlap(j) > 0.7).is_some_and(|j| from.stiffness[0] * to.stiffness[j] < 0.0)
        };
        !self.stiffness.is_empty() && (again(self, there) || again(there, self))
    }
}

/// The next step.
struct Step {
    /// Displacement of the last step.
    along: Vec<f64>,
    length: f64,
    /// Largest change of the load factor, which would be too large where the mechanism is stiff.
    most: f64,
}

pub(super) fn follow(
    balance: &mut Balance,
    mut here: Point,
    arc: &ArcLength,
    settings: &Statics,
) -> Result<Path, StaticsError> {
    let mut path = Path { points: Vec::new(), branched: None, critical: Vec::new(), ended: Ended::Whole };
    // The first point is computed by load control.
    balance.bring_on(arc.first);
    here.lambda.iter_mut().for_each(|l| *l *= arc.first);
    let start = here.state.clone();
    let iterations = newton::rest(balance, &mut here, settings)?;
    path.points.push(point(balance, &mut here, iterations)?);
    let mut before = between(balance, &start, &here);
    let mut bearing = Bearing::take(balance, &mut here, &before)?;
    let mut length = weighted(balance, &before, &before).sqrt().max(f64::MIN_POSITIVE).min(arc.longest);
    let mut first = length;
    let mut failures = 0;
    loop {
        let last = path.points[path.points.len() - 1].clone();
        if last.share.abs() >= arc.reach {
            break;
        }
        if path.points.len() >= arc.points {
            path.ended = Ended::AtMostPoints;
            break;
        }
        let from = here.clone();
        let step = Step { along: before.clone(), length, most: 2.0 * arc.first };
        match march(balance, &mut here, step, last.share) {
            Ok((iterations, along)) => {
                let mut found = point(balance, &mut here, iterations)?;
                failures = 0;
                let there = Bearing::take(balance, &mut here, &along)?;
                let kind = match (bearing.sense != there.sense, bearing.crosses(&there)) {
                    (true, _) => Some(Critical::Limit),
                    (false, true) => Some(Critical::Branch),
                    (false, false) => None,
                };
                if let (Branching::Take(size), None, Some(Critical::Branch)) = (arc.branching, path.branched, kind) {
                    let (beside, share) = approach(balance, from.clone(), &last, &found, settings);
                    // Some first displacements do not converge; smaller ones serve as well.
                    let taken = (0..SMALLER).find_map(|k| {
                        let mut other = beside.clone();
                        let step = branch(balance, &mut other, size * 0.5_f64.powi(k), share).ok().flatten();
                        step.map(|(iterations, along)| (other, iterations, along))
                    });
                    if let Some((other, iterations, along)) = taken {
                        here = other;
                        found = point(balance, &mut here, iterations)?;
                        path.branched = Some(path.points.len());
                        length = weighted(balance, &along, &along).sqrt();
                        first = length;
                        path.critical.push(CriticalPoint { kind: Critical::Branch, share, point: path.points.len() });
                        bearing = Bearing::take(balance, &mut here, &along)?;
                        before = along;
                        path.points.push(found);
                        continue;
                    }
                }
                if let Some(kind) = kind {
                    let share = if kind == Critical::Limit {
                        extreme(&path.points, &found)
                    } else {
                        0.5 * (last.share + found.share)
                    };
                    path.critical.push(CriticalPoint { kind, share, point: path.points.len() });
                }
                bearing = there;
                if found.share.abs() > arc.reach {
                    // Compute the end exactly; if that fails, the last point lies beyond it.
                    let mut end = here.clone();
                    balance.bring_on(arc.reach.copysign(found.share));
                    if let Ok(iterations) = newton::rest(balance, &mut end, settings) {
                        found = point(balance, &mut end, iterations)?;
                    }
                    path.points.push(found);
                    break;
                }
                before = along;
                length = (length * (GOOD / iterations.max(1) as f64).sqrt()).clamp(SHORTEST * first, LONGEST * first);
                length = length.min(arc.longest);
                path.points.push(found);
            }
            Err(why) => {
                here = from;
                balance.bring_on(last.share);
                length *= 0.5;
                failures += 1;
                if failures > 12 || length < SHORTEST * first {
                    let (share, points) = (last.share, path.points.len());
                    return Err(StaticsError::PathEnds { share, points, why: why.to_string() });
                }
            }
        }
    }
    Ok(path)
}

/// The load factor at a limit point: the extreme of the last two points and this one.
fn extreme(points: &[PathPoint], found: &PathPoint) -> f64 {
    let [.., before, last] = points else { return found.share };
    let outer = |a: f64, b: f64| if (last.share - before.share) >= 0.0 { a.max(b) } else { a.min(b) };
    outer(last.share, found.share)
}

/// The last equilibrium before the bifurcation, by bisection of the load, and its load factor.
fn approach(
    balance: &mut Balance,
    mut here: Point,
    last: &PathPoint,
    found: &PathPoint,
    settings: &Statics,
) -> (Point, f64) {
    let (mut low, mut high) = (last.share, found.share);
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (low + high);
        balance.bring_on(middle);
        let mut trial = here.clone();
        let softest = newton::rest(balance, &mut trial, settings).and_then(|_| balance.softest());
        match softest {
            Ok(s) if s.stiffness * last.softest > 0.0 => (low, here) = (middle, trial),
            _ => high = middle,
        }
    }
    (here, low)
}

/// The first point of the branch: a given displacement along the softest motion, with the load as unknown.
fn branch(
    balance: &mut Balance,
    here: &mut Point,
    size: f64,
    share: f64,
) -> Result<Option<(usize, Vec<f64>)>, StaticsError> {
    balance.bring_on(share);
    balance.place(&mut here.state);
    balance.factor(here, 0.0)?;
    let softest = balance.softest()?.delta;
    let largest = balance.norm(&softest);
    // The largest entry gets the sign, so that the side does not depend on the iteration.
    let lead = softest
        .iter()
        .zip(&balance.scale)
        .map(|(d, s)| d / s)
        .fold(0.0_f64, |a, d| if d.abs() > 1.000_001 * a.abs() { d } else { a });
    let along: Vec<f64> = softest.iter().map(|d| d * size / largest * lead.signum()).collect();
    here.state = balance.moved(&here.state, &along, 1.0);
    let length = weighted(balance, &along, &along).sqrt();
    Ok(correct(balance, here, along, length, share).ok())
}

/// One step: prediction along the tangent, correction on the cylinder |U| = l.
fn march(balance: &mut Balance, here: &mut Point, step: Step, share: f64) -> Result<(usize, Vec<f64>), StaticsError> {
    balance.bring_on(share);
    let p = balance.load(&mut here.state);
    balance.factor(here, 0.0)?;
    let rows = vec![0.0; balance.model.rows.len()];
    let Ok((delta, dlambda)) = balance.solve(&p, &rows) else { return Err(lost(balance, here)) };
    let size = weighted(balance, &delta, &delta).sqrt();
    if size == 0.0 || !size.is_finite() {
        return Err(lost(balance, here));
    }
    let sense = if weighted(balance, &delta, &step.along) < 0.0 { -1.0 } else { 1.0 };
    let length = step.length.min(step.most * size);
    let ds = sense * length / size;
    let along: Vec<f64> = delta.iter().map(|d| ds * d).collect();
    here.state = balance.moved(&here.state, &along, 1.0);
    here.lambda.iter_mut().zip(&dlambda).for_each(|(l, d)| *l += ds * d);
    correct(balance, here, along, length, share + ds)
}

/// Newton's method with |U| = l.
fn correct(
    balance: &mut Balance,
    here: &mut Point,
    mut U: Vec<f64>,
    length: f64,
    mut share: f64,
) -> Result<(usize, Vec<f64>), StaticsError> {
    for iteration in 1..=MOST {
        balance.bring_on(share);
        let p = balance.load(&mut here.state);
        let (r, phi) = (balance.left(&here.lambda), balance.phi());
        balance.factor(here, 0.0)?;
        let minus = |x: &[f64]| x.iter().map(|x| -x).collect::<Vec<f64>>();
        let rows = vec![0.0; phi.len()];
        let (Ok(by_r), Ok(by_p)) = (balance.solve(&minus(&r), &minus(&phi)), balance.solve(&p, &rows)) else {
            return Err(lost(balance, here));
        };
        let V: Vec<f64> = U.iter().zip(&by_r.0).map(|(u, d)| u + d).collect();
        let a = weighted(balance, &by_p.0, &by_p.0);
        let b = weighted(balance, &by_p.0, &V);
        let c = weighted(balance, &V, &V) - length * length;
        let root = b * b - a * c;
        if a == 0.0 || root.is_nan() || root < 0.0 {
            return Err(lost(balance, here));
        }
        let roots = [(-b + root.sqrt()) / a, (-b - root.sqrt()) / a];
        let near = |ds: f64| weighted(balance, &U, &V) + ds * weighted(balance, &U, &by_p.0);
        let ds = if near(roots[0]) >= near(roots[1]) { roots[0] } else { roots[1] };
        let delta: Vec<f64> = by_r.0.iter().zip(&by_p.0).map(|(r, p)| r + ds * p).collect();
        let size = balance.norm(&delta);
        if !size.is_finite() || size > 4.0 {
            return Err(lost(balance, here));
        }
        here.state = balance.moved(&here.state, &delta, 1.0);
        for (l, (r, p)) in here.lambda.iter_mut().zip(by_r.1.iter().zip(&by_p.1)) {
            *l += r + ds * p;
        }
        U.iter_mut().zip(&delta).for_each(|(u, d)| *u += d);
        share += ds;
        balance.bring_on(share);
        newton::settle(balance, here)?;
        if size <= SHORT {
            balance.place(&mut here.state);
            balance.factor(here, 0.0)?;
            balance.goes_round()?;
            return Ok((iteration, U));
        }
    }
    Err(lost(balance, here))
}

/// Inner product of displacements scaled by `Balance::scale`, divided by their number.
fn weighted(balance: &Balance, x: &[f64], y: &[f64]) -> f64 {
    let sum = x.iter().zip(y).zip(&balance.scale).map(|((x, y), s)| x * y / (s * s)).sum::<f64>();
    sum / x.len().max(1) as f64
}

/// The displacement from the start to the first point, in the tangent space of the start.
fn between(balance: &mut Balance, start: &crate::state::State, here: &Point) -> Vec<f64> {
    let mut along = vec![0.0; balance.model.sizes.v];
    for b in &balance.model.bodies {
        let dq: Vec<f64> = here.state.q[b.q.clone()].iter().zip(&start.q[b.q.clone()]).map(|(a, b)| a - b).collect();
        b.kind.body().displacement(&start.q[b.q.clone()], &dq, &mut along[b.v.clone()]);
    }
    along
}

fn lost(balance: &mut Balance, here: &mut Point) -> StaticsError {
    balance.place(&mut here.state);
    let (r, phi) = (balance.left(&here.lambda), balance.phi());
    balance.stuck(MOST, &r, &phi)
}
