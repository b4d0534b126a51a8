//! Consistent initial conditions: the nearest pose and velocities, in a weighted norm, that meet the constraints.

use super::error::check_interruption;
use super::position_newton::{PositionNewton, Residuals};
use super::{AnalysisError, AssemblyFailure, angle_rows, check_positive, check_state};
use crate::constraints::RowLevel;
use crate::drift::ProjectionWeight;
use crate::dynamics::{Inconsistent, RowWeighting};
use crate::equations::assemble_rates;
use crate::laws::ConstraintLaw;
use crate::mathematics::magnitude::{largest_magnitude, max_abs};
use crate::model::Model;
use crate::motion::{Mat3, rotation_of_quaternion};
use crate::solvers::rank::analyse_rank;
use crate::state::{ConstraintMode, State};
use serde::{Deserialize, Serialize};

/// Settings of an assembly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AssemblySettings {
    /// The norm in which the corrections are minimal.
    pub weight: ProjectionWeight,
    /// Bodies (`rod`) or single velocities (`rod.vx`) that should hardly move.
    pub held: Vec<String>,
    /// Most Newton iterations.
    pub iterations: usize,
    /// |φ| and |φ̇| that count as met, relative to 1 + the size of the coordinates and of the velocities.
    pub tolerance: f64,
    /// What to do with constraints that contradict each other.
    pub inconsistent: Inconsistent,
    /// How the errors of contradictory rows are weighted.
    pub row_weighting: RowWeighting,
}

impl Default for AssemblySettings {
    fn default() -> AssemblySettings {
        AssemblySettings {
            weight: ProjectionWeight::Mass,
            held: Vec::new(),
            iterations: 50,
            tolerance: 1e-11,
            inconsistent: Inconsistent::Stop,
            row_weighting: RowWeighting::AsWritten,
        }
    }
}

impl AssemblySettings {
    /// The same with a body or one of its velocities held.
    pub fn hold(mut self, name: &str) -> AssemblySettings {
        self.held.push(name.to_string());
        self
    }

    /// The same in another norm.
    pub fn weight(mut self, weight: ProjectionWeight) -> AssemblySettings {
        self.weight = weight;
        self
    }
}

/// How an assembly moved a body.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BodyDisplacement {
    /// The body.
    pub body: String,
    /// Displacement of its reference point (or of its coordinates, if it has none), m.
    pub translation: f64,
    /// Rotation, rad.
    pub rotation: f64,
    /// Largest change of its velocities, in their own units.
    pub velocity: f64,
}

/// One row before and after an assembly.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RowResidual {
    /// `constraint.row`.
    pub row: String,
    /// Unit of φ (of φ̇ if the velocities failed).
    pub unit: &'static str,
    /// |φ| before (|φ̇| if the velocities failed).
    pub before: f64,
    /// |φ| after (|φ̇| if the velocities failed).
    pub after: f64,
}

/// What an assembly did.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AssemblyReport {
    /// Newton iterations.
    pub iterations: usize,
    /// Bodies that were moved or given another velocity, farthest first.
    pub moved: Vec<BodyDisplacement>,
    /// Rows with a residual before or after, largest before first.
    pub residuals: Vec<RowResidual>,
    /// Joints assembled with an opposed axis or angle.
    pub flipped: Vec<String>,
    /// The row with the largest residual that contradictory constraints keep, at position and at velocity level.
    pub contradictions: Vec<Contradiction>,
}

/// A residual that contradictory constraints keep in the least-squares solution.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contradiction {
    /// `"positions"` or `"velocities"`.
    pub level: &'static str,
    /// `constraint.row`.
    pub row: String,
    /// Its size.
    pub residual: f64,
    /// Its unit.
    pub unit: &'static str,
}

impl std::fmt::Display for Contradiction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Contradiction { level, row, residual, unit } = self;
        write!(
            f,
            "constraints contradict each other in their {level}: `{row}` keeps a residual of {residual:.3e} {unit}"
        )
    }
}

/// A consistent state and how it was reached.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Assembled {
    /// The state.
    pub state: State,
    /// What was done.
    pub ledger: AssemblyReport,
}

/// Finds the nearest state that meets the constraints.
///
/// Positions follow from Newton's method with the projection of \[Masarati2010\] eqs. (16)–(17), with backtracking far from the
/// solution. Velocities follow from one more projection at that pose. A state that already meets the constraints is
/// returned unchanged, bit by bit. Friction, brakes, clutches and servos do not act on the given velocities: whether they hold is
/// decided afterwards.
///
/// # Errors
/// A state that does not fit, and constraints that cannot be met, by name.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// let mut spec = Spec::new();
/// spec.body("rod", PlanarBody::rod(1.0, 1.0).at([0.6, 0.1], 0.0)) // a rough start
///     .marker("rod.end", Frame::at([-0.5, 0.0, 0.0]))
///     .constraint("hinge", Joint::pin("ground", "rod.end"));
/// let model = spec.build()?;
/// let start = assemble(&model, &model.initial_state(), &AssemblySettings::default())?.state;
/// assert!((start.q[0].hypot(start.q[1]) - 0.5).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn assemble(model: &Model, given: &State, settings: &AssemblySettings) -> Result<Assembled, AnalysisError> {
    check_state(model, given)?;
    check_positive("tolerance", settings.tolerance)?;
    let mut state = given.clone();
    for (mode, _) in state.modes.iter_mut().zip(&model.constraints).filter(|(_, c)| c.law == ConstraintLaw::Frictional)
    {
        *mode = ConstraintMode::Idle;
    }
    let mut newton = PositionNewton::new(model, &state, &settings.weight, &settings.held)?;
    let first = newton.evaluate(&state);
    let before = angle_rows::reported_residuals(model, &newton.scene, &state, &newton.eq.phi);
    // Quaternions with unit length to round-off are left alone.
    newton.normalise(&mut state);
    let mut iterations = 0;
    if !first.position_met(1.0) {
        newton.choose_revolutions(&mut state);
        iterations = newton.solve_from_far(&mut state, settings.iterations);
    }
    let mut placed = newton.evaluate(&state);
    let mut contradictions = Vec::new();
    if placed.phi.is_nan() || placed.phi > settings.tolerance * placed.size {
        let found = match settings.inconsistent {
            Inconsistent::Stop => None,
            Inconsistent::LeastSquares => newton.least_squares_positions(given, &state, settings),
        };
        let Some(nearest) = found else {
            check_interruption()?;
            return Err(failure(model, &mut newton, &state, RowLevel::Position, &before));
        };
        state = nearest;
        placed = newton.evaluate(&state);
        contradictions.push(contradiction(model, &newton.eq.phi, RowLevel::Position));
    }
    let rates_before = newton.eq.phidot.to_vec();
    if !placed.velocity_met(1.0) {
        newton.solve_velocity(&mut state);
        let Residuals { phidot, speed, .. } = newton.evaluate(&state);
        let most = 10.0 * settings.tolerance * speed;
        if phidot.is_nan() || phidot > most {
            let least_squares = settings.inconsistent == Inconsistent::LeastSquares;
            if !least_squares || !newton.least_squares_velocities(&mut state, settings.row_weighting, most) {
                return Err(failure(model, &mut newton, &state, RowLevel::Velocity, &rates_before));
            }
            contradictions.push(contradiction(model, &newton.eq.phidot, RowLevel::Velocity));
        }
    }
    newton.evaluate(&state);
    state.modes.clone_from(&given.modes);
    let ledger = AssemblyReport {
        iterations,
        moved: body_displacements(model, given, &state),
        residuals: residuals(model, &before, &newton.eq.phi),
        flipped: newton.reversed_joints(&state),
        contradictions,
    };
    Ok(Assembled { state, ledger })
}

fn contradiction(model: &Model, residual: &[f64], level: RowLevel) -> Contradiction {
    let (size, row) = largest_magnitude(residual);
    let (level, unit) = match level {
        RowLevel::Position => ("positions", model.rows[row].unit),
        _ => ("velocities", unit_of_rate(model.rows[row].unit)),
    };
    Contradiction { level, row: model.row_name(row), residual: size, unit }
}

fn failure(
    model: &Model,
    newton: &mut PositionNewton,
    state: &State,
    level: RowLevel,
    before: &[f64],
) -> AnalysisError {
    newton.evaluate(state);
    assemble_rates(model, state.into(), &mut newton.scene, &mut newton.eq);
    let after = match level {
        RowLevel::Position => angle_rows::reported_residuals(model, &newton.scene, state, &newton.eq.phi),
        _ => newton.eq.phidot.to_vec(),
    };
    let mut worst = residuals(model, before, &after);
    if level != RowLevel::Position {
        worst.iter_mut().for_each(|r| r.unit = unit_of_rate(r.unit));
    }
    // Values equal up to round-off count as equal: the order must not depend on the last bit.
    let coarse = |r: &RowResidual| format!("{:.8e}", r.after).parse().unwrap_or(r.after);
    worst.sort_by(|a, b| f64::total_cmp(&coarse(b), &coarse(a)));
    let rank = analyse_rank(model, &newton.eq, &state.modes).ok();
    AnalysisError::CannotAssemble(Box::new(AssemblyFailure { level, t: state.t, worst, rank }))
}

/// Unit of φ̇ of a row whose φ has this unit.
fn unit_of_rate(unit: &'static str) -> &'static str {
    match unit {
        "m" => "m/s",
        "rad" => "rad/s",
        "" | "1" => "1/s",
        other => other,
    }
}

fn residuals(model: &Model, before: &[f64], after: &[f64]) -> Vec<RowResidual> {
    let one = |(r, (b, a)): (usize, (&f64, &f64))| RowResidual {
        row: model.row_name(r),
        unit: model.rows[r].unit,
        before: b.abs(),
        after: a.abs(),
    };
    let mut rows: Vec<RowResidual> = before.iter().zip(after).enumerate().map(one).collect();
    rows.retain(|r| r.before != 0.0 || r.after != 0.0);
    rows.sort_by(|a, b| b.before.total_cmp(&a.before));
    rows
}

/// How bodies moved from one state to another, farthest first.
pub fn body_displacements(model: &Model, from: &State, to: &State) -> Vec<BodyDisplacement> {
    let mut list = Vec::new();
    for b in &model.bodies {
        let names = b.kind.body().coordinates();
        let (p, q) = (&from.q[b.q.clone()], &to.q[b.q.clone()]);
        let (mut translation, mut rotation) = (0.0_f64, 0.0_f64);
        for (i, name) in names.iter().enumerate() {
            match name.unit {
                "rad" => rotation = rotation.max((q[i] - p[i]).abs()),
                "1" if name.name == "qw" && i + 4 <= p.len() => rotation = rotation_angle(&p[i..i + 4], &q[i..i + 4]),
                "m" => translation = translation.hypot(q[i] - p[i]),
                _ => {}
            }
        }
        let (u, v) = (&from.v[b.v.clone()], &to.v[b.v.clone()]);
        let change: Vec<f64> = u.iter().zip(v).map(|(u, v)| v - u).collect();
        let velocity = max_abs(&change);
        if translation > 0.0 || rotation > 0.0 || velocity > 0.0 {
            list.push(BodyDisplacement { body: b.name.clone(), translation, rotation, velocity });
        }
    }
    let far = |m: &BodyDisplacement| m.translation.max(m.rotation).max(m.velocity);
    list.sort_by(|a, b| far(b).total_cmp(&far(a)));
    list
}

/// Angle between two orientations.
fn rotation_angle(p: &[f64], q: &[f64]) -> f64 {
    let R = |q: &[f64]| -> Mat3 { rotation_of_quaternion(&[q[0], q[1], q[2], q[3]]) };
    nalgebra::Rotation3::from_matrix_unchecked(R(p).tr_mul(&R(q))).angle()
}
