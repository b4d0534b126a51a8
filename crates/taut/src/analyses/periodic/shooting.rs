//! Newton's method for the states at the starts of the segments, and for the period if it is free.
//!
//! With Φ_i from the small motions of segment i, r_i the difference between its end and the start of the next segment, and g_i the rate
//! of the state at its end,
//!
//! ```text
//!  Φ_i Δy_i − Δy_{i+1} + g_i ΔT/k = −r_i,      the last segment leads to the first
//!  g_0 · Δy_0 = 0   or   c Δy_0 = 0             phase condition, or columns that keep their values at the start
//! ```
//!
//! Nothing determines where a driver starts that prescribes a velocity, such as the azimuth of a shaft: with a given period it keeps its
//! place. The solution of least norm serves other directions that the motion leaves undetermined.

use super::chord::ShootingMatrix;
use super::error::PeriodicError;
use super::flow::{Flow, Sample, Segment, left_inverse, linearised};
use super::panels::Panels;
use super::{Period, PeriodicSettings};
use crate::analyses::driver_rows::{moving_driver_rows, velocity_driver_rows};
use crate::analyses::linear::reduced_system::NullSpaceBasis;
use crate::analyses::linear::state_difference::state_difference;
use crate::analyses::{AssemblySettings, assemble};
use crate::model::Model;
use crate::state::State;
use nalgebra::{DMatrix, DVector};

/// Singular values below this, relative to the largest, belong to directions that are not determined.
const RANK_TOLERANCE: f64 = 1e-8;
/// A row of which less than this part is new depends on the others.
const DEPENDENT: f64 = 1e-8;
/// A driver that is off by less than this after the period, m or rad, repeats.
const DRIVER_TOLERANCE: f64 = 1e-6;
/// Panels per period in the iteration; the tangents of curves through folds need their accuracy.
const PANELS: usize = 16;
/// Most halvings of a step that increases the difference.
const MAX_HALVINGS: usize = 6;
/// A step that leaves more than this part of the difference needs the linearised equations at its end.
const KEPT_MATRIX: f64 = 0.25;

/// The states at the starts of the segments, and the period.
#[derive(Clone, Debug)]
pub(super) struct Iterate {
    pub starts: Vec<State>,
    pub period: f64,
}

/// An iterate with its segments and differences.
pub(super) struct Evaluated {
    pub iterate: Iterate,
    pub segments: Vec<Segment>,
    /// r_i in reduced coordinates of the next start.
    pub differences: Vec<DVector<f64>>,
    pub size: f64,
}

/// The linear equations of a step: K a = r, and (Δy, ΔT) = allowed · a.
pub(super) struct StepEquations {
    pub K: DMatrix<f64>,
    pub r: DVector<f64>,
    /// Orthonormal columns: steps that change no held column and no phase.
    pub allowed: DMatrix<f64>,
}

/// What the iteration found.
pub(super) struct Found {
    pub iterate: Iterate,
    pub iterations: usize,
    pub difference: f64,
    /// The matrix that led to it.
    pub matrix: Option<ShootingMatrix>,
}

/// Iterates until every segment ends where the next one starts; `known` is the matrix of an earlier search nearby.
pub(super) fn solve(
    flow: &mut Flow,
    first: Iterate,
    settings: &PeriodicSettings,
    known: Option<&ShootingMatrix>,
) -> Result<Found, PeriodicError> {
    let (mut iterate, mut iteration) = (first, 0);
    if let Some(matrix) = known.filter(|m| m.fits(flow, settings)) {
        // A start from which the run fails gets its message below.
        if let Ok(tried) = matrix.run(flow, iterate.clone(), 0) {
            match matrix.improve(flow, tried, settings).found(settings, matrix) {
                Ok(found) => return Ok(found),
                Err(tried) => (iterate, iteration) = (tried.iterate, tried.iterations),
            }
        }
    }
    let mut now = evaluate(flow, iterate)?;
    if let (Period::Given(_), Some(e)) = (settings.period, displaced_driver(flow, &now)) {
        return Err(e);
    }
    loop {
        if now.size <= settings.tolerance {
            return Ok(Found { iterate: now.iterate, iterations: iteration, difference: now.size, matrix: None });
        }
        if iteration >= settings.iterations {
            return Err(no_convergence(flow, &now, settings.iterations));
        }
        let equations = step_equations(flow, &now, settings)?;
        let r = -&equations.r;
        let matrix = ShootingMatrix::new(flow, &now, equations, settings)?;
        let step = matrix.step(&r);
        iteration += 1;
        // The run alone, without linearised equations, as long as the same matrix serves.
        let tried = apply(flow, &now, &step, 1.0).and_then(|iterate| matrix.run(flow, iterate, iteration));
        if let Ok(tried) = tried
            && tried.size <= KEPT_MATRIX * now.size
        {
            match matrix.improve(flow, tried, settings).found(settings, &matrix) {
                Ok(found) => return Ok(found),
                Err(tried) => {
                    iteration = tried.iterations;
                    now = evaluate(flow, tried.iterate)?;
                    continue;
                }
            }
        }
        now = shortened_step(flow, &now, &step, iteration)?;
    }
}

/// The evaluated iterate after the longest step that reduces the difference.
fn shortened_step(
    flow: &mut Flow,
    now: &Evaluated,
    step: &DVector<f64>,
    iteration: usize,
) -> Result<Evaluated, PeriodicError> {
    let mut fraction = 1.0;
    for _ in 0..=MAX_HALVINGS {
        let tried = apply(flow, now, step, fraction).and_then(|iterate| evaluate(flow, iterate));
        match tried {
            Ok(found) if found.size < now.size => return Ok(found),
            Ok(_) => fraction *= 0.5,
            // A start that cannot be assembled, or a run that ends: a shorter step may avoid it.
            Err(e @ PeriodicError::Linear(_)) => return Err(e),
            Err(_) => fraction *= 0.5,
        }
    }
    Err(no_convergence(flow, now, iteration))
}

/// Runs all segments. If an extra state joins, all are run again.
pub(super) fn evaluate(flow: &mut Flow, iterate: Iterate) -> Result<Evaluated, PeriodicError> {
    let count = iterate.starts.len();
    let (duration, panels) = (iterate.period / count as f64, Panels::new(PANELS.div_ceil(count).max(4)));
    loop {
        let known = flow.states.clone();
        let run = |start: &State| flow.segment(start, duration, panels);
        let segments: Vec<Segment> = iterate.starts.iter().map(run).collect::<Result<_, _>>()?;
        if flow.states != known && count > 1 {
            continue;
        }
        let mut differences = Vec::with_capacity(count);
        for (i, segment) in segments.iter().enumerate() {
            let next = segments[(i + 1) % count].start();
            let apart = state_difference(flow.model, &next.state, &segment.end().sample.state, &flow.states);
            differences.push(flow.reduce(next, &apart).ok_or_else(|| singular(next))?);
        }
        let size = differences.iter().fold(0.0_f64, |a, r| a.max(r.amax()));
        let size = if size.is_nan() { f64::INFINITY } else { size };
        return Ok(Evaluated { iterate, segments, differences, size });
    }
}

pub(in crate::analyses) fn singular(at: &Sample) -> PeriodicError {
    PeriodicError::SingularPose { t: at.state.t, found: 0, expected: at.flow.basis.ncols() }
}

/// Φ_i in reduced coordinates of its own start and the next one.
fn transition(segment: &Segment, next: &Sample) -> Result<DMatrix<f64>, PeriodicError> {
    let L = left_inverse(&next.flow.basis).ok_or_else(|| singular(next))?;
    Ok(L * &segment.end().X)
}

/// The inverse of least norm; directions that K does not determine stay out of it.
pub(super) fn pseudo_inverse(K: DMatrix<f64>) -> Option<DMatrix<f64>> {
    let svd = K.svd(true, true);
    let limit = RANK_TOLERANCE * svd.singular_values.max();
    svd.pseudo_inverse(limit).ok()
}

/// The solution of least norm; directions that K does not determine stay out of it.
pub(in crate::analyses) fn least_norm(K: DMatrix<f64>, r: &DVector<f64>) -> Option<DVector<f64>> {
    let svd = K.svd(true, true);
    let limit = RANK_TOLERANCE * svd.singular_values.max();
    svd.solve(r, limit).ok()
}

/// The equations of a step from an iterate.
pub(super) fn step_equations(
    flow: &Flow,
    now: &Evaluated,
    settings: &PeriodicSettings,
) -> Result<StepEquations, PeriodicError> {
    let (count, d) = (now.segments.len(), now.differences[0].len());
    let free = matches!(settings.period, Period::Free(_));
    let held = held_rows(flow, &now.segments[0], settings)?;
    let phase = free && settings.hold.is_empty();
    let columns = count * d + usize::from(free);
    let mut K = DMatrix::zeros(count * d, columns);
    let mut r = DVector::zeros(count * d);
    for (i, segment) in now.segments.iter().enumerate() {
        let j = (i + 1) % count;
        let next = now.segments[j].start();
        let mut block = K.view_mut((i * d, i * d), (d, d));
        block += transition(segment, next)?;
        let mut block = K.view_mut((i * d, j * d), (d, d));
        block -= DMatrix::identity(d, d);
        r.rows_mut(i * d, d).copy_from(&-&now.differences[i]);
        if free {
            let rate = flow_direction(flow, &segment.end().sample, next)?;
            K.view_mut((i * d, count * d), (d, 1)).copy_from(&(rate / count as f64));
        }
    }
    // Steps that change no held column and no phase: conditions hold exactly, whatever the residual.
    let mut conditions = DMatrix::zeros(held.nrows() + usize::from(phase), columns);
    conditions.view_mut((0, 0), (held.nrows(), d)).copy_from(&held);
    if phase {
        let start = now.segments[0].start();
        let rate = flow_direction(flow, start, start)?;
        conditions.view_mut((held.nrows(), 0), (1, d)).copy_from(&rate.normalize().transpose());
    }
    let allowed = NullSpaceBasis::of(&conditions).N;
    Ok(StepEquations { K: K * &allowed, r, allowed })
}

/// The rate of the state at a sample, in reduced coordinates of another sample of the same state.
fn flow_direction(flow: &Flow, at: &Sample, of: &Sample) -> Result<DVector<f64>, PeriodicError> {
    let extra = at.zdot.iter().zip(&flow.states).filter(|(_, on)| **on).map(|(z, _)| *z);
    let all: Vec<f64> = at.state.v.iter().copied().chain(at.vdot.iter().copied()).chain(extra).collect();
    flow.reduce(of, &DVector::from_vec(all)).ok_or_else(|| singular(of))
}

/// Derivatives by the reduced coordinates of the start: of columns that keep their values, and of the places of drivers that prescribe a
/// velocity. Orthonormal rows.
fn held_rows(flow: &Flow, segment: &Segment, settings: &PeriodicSettings) -> Result<DMatrix<f64>, PeriodicError> {
    let start = segment.start();
    let n = flow.model.sizes.v;
    let names: Vec<&str> = settings.hold.iter().map(String::as_str).collect();
    let drivers =
        if matches!(settings.period, Period::Given(_)) { velocity_driver_rows(flow.model) } else { Vec::new() };
    if names.is_empty() && drivers.is_empty() {
        return Ok(DMatrix::zeros(0, start.flow.basis.ncols()));
    }
    let lin = linearised(flow.model, &start.state)?;
    let A = lin.eq.dense_jacobian();
    let outputs = lin.outputs(&names)?;
    let of_columns = outputs.iter().map(|o| DVector::from_iterator(2 * n, o.by_xi.iter().chain(&o.by_dv).copied()));
    let of_driver = |row: usize| DVector::from_fn(2 * n, |k, _| if k < n { A[(row, k)] } else { 0.0 });
    let all = of_columns.chain(drivers.into_iter().map(of_driver));
    let by_start = all.map(|c| {
        let along = |j: usize| c.dot(&flow.to_world(start, &start.flow.basis.column(j).into_owned()).rows(0, 2 * n));
        let row = DVector::from_iterator(start.flow.basis.ncols(), (0..start.flow.basis.ncols()).map(along));
        (row, c.norm() * flow.scales.amax())
    });
    let mut rows: Vec<DVector<f64>> = Vec::new();
    for (mut row, size) in by_start {
        let length = row.norm();
        // Nothing to hold: loops determine it.
        if length <= DEPENDENT * size {
            continue;
        }
        for known in &rows {
            row -= known * known.dot(&row);
        }
        // A column and a driver may say the same.
        if row.norm() > DEPENDENT * length {
            rows.push(row.normalize());
        }
    }
    Ok(DMatrix::from_fn(rows.len(), start.flow.basis.ncols(), |i, j| rows[i][j]))
}

/// A driver that is not where it started after the period. The differences of the motion are those of the free directions: they do not show
/// it.
fn displaced_driver(flow: &Flow, now: &Evaluated) -> Option<PeriodicError> {
    let A = linearised(flow.model, &now.segments[0].start().state).ok()?.eq.dense_jacobian();
    let n = flow.model.sizes.v;
    let mut sum = DVector::zeros(n);
    for (i, segment) in now.segments.iter().enumerate() {
        let next = now.segments[(i + 1) % now.segments.len()].start();
        sum += state_difference(flow.model, &next.state, &segment.end().sample.state, &flow.states).rows(0, n);
    }
    moving_driver_rows(flow.model).into_iter().find_map(|row| {
        let moved = A.row(row).transpose().dot(&sum);
        let owner = flow.model.constraint_of_row(row).name.clone();
        let unit = flow.model.rows[row].unit;
        (moved.abs() > DRIVER_TOLERANCE).then(|| PeriodicError::DisplacedDriver {
            constraint: owner,
            moved,
            unit: unit.trim_end_matches("/s").to_string(),
            period: now.iterate.period,
        })
    })
}

/// The iterate after a fraction of the step, on the constraint manifold.
fn apply(flow: &Flow, now: &Evaluated, step: &DVector<f64>, fraction: f64) -> Result<Iterate, PeriodicError> {
    placed(flow, moved(flow, now, &(step * fraction)))
}

/// The iterate on the constraint manifold, each start at its time.
pub(super) fn placed(flow: &Flow, moved: Iterate) -> Result<Iterate, PeriodicError> {
    let (count, t0) = (moved.starts.len(), moved.starts[0].t);
    let place = |start: &State| Ok(assemble(flow.model, start, &AssemblySettings::default())?.state);
    let mut starts = moved.starts.iter().map(place).collect::<Result<Vec<State>, PeriodicError>>()?;
    for (i, start) in starts.iter_mut().enumerate() {
        start.t = t0 + moved.period * i as f64 / count as f64;
    }
    Ok(Iterate { starts, period: moved.period })
}

/// The iterate after a step (Δy, ΔT), before its starts are assembled.
pub(super) fn moved(flow: &Flow, now: &Evaluated, step: &DVector<f64>) -> Iterate {
    let (count, d) = (now.segments.len(), now.differences[0].len());
    let mut starts = Vec::with_capacity(count);
    for (i, segment) in now.segments.iter().enumerate() {
        let start = segment.start();
        let local = &start.flow.basis * step.rows(i * d, d);
        let x = flow.to_world(start, &local);
        starts.push(displaced(flow.model, &start.state, &x, &flow.states));
    }
    let change = if step.len() > count * d { step[count * d] } else { 0.0 };
    // A step that would end the period shortens it by half instead.
    let period = (now.iterate.period + change).max(0.5 * now.iterate.period);
    Iterate { starts, period }
}

/// A state after a small motion (ξ, dv, z).
pub(in crate::analyses) fn displaced(model: &Model, state: &State, x: &DVector<f64>, states: &[bool]) -> State {
    let n = model.sizes.v;
    let mut moved = state.clone();
    for b in &model.bodies {
        b.kind.body().displace(&mut moved.q[b.q.clone()], &x.as_slice()[b.v.clone()]);
    }
    moved.v.iter_mut().enumerate().for_each(|(i, v)| *v += x[n + i]);
    let chosen = (0..model.sizes.z).filter(|z| states[*z]);
    chosen.enumerate().for_each(|(k, z)| moved.z[z] += x[2 * n + k]);
    moved
}

/// The error that names the coordinate with the largest difference.
pub(super) fn no_convergence(flow: &Flow, now: &Evaluated, iterations: usize) -> PeriodicError {
    let n = flow.model.sizes.v;
    let (mut worst, mut most) = ((0, 0.0), -1.0);
    for (i, segment) in now.segments.iter().enumerate() {
        let next = now.segments[(i + 1) % now.segments.len()].start();
        let apart = state_difference(flow.model, &next.state, &segment.end().sample.state, &flow.states);
        for (k, x) in apart.iter().enumerate().take(2 * n) {
            if (x / flow.scales[k]).abs() > most {
                (most, worst) = ((x / flow.scales[k]).abs(), (k, *x));
            }
        }
    }
    let (k, difference) = worst;
    let v = &flow.model.state_names().1[k % n];
    // A displacement has the name of its velocity, and the unit of its integral.
    let (coordinate, unit) = match k < n {
        true => (format!("displacement along {}", v.name), v.unit.trim_end_matches("/s").to_string()),
        false => (v.name.clone(), v.unit.to_string()),
    };
    let remedy = match now.segments.len() {
        1 => "start nearer to it (a settled state, a better guess of the period), or divide the period with --segments",
        _ => "start nearer to it, or use more --segments",
    };
    PeriodicError::NoConvergence { iterations, coordinate, difference, unit, remedy }
}
