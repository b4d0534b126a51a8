//! Checks whether friction, brakes, contacts and stops can exert the forces that a state requires.

use super::contact_problem::FrictionRegime;
use crate::constraints::ElementInput;
use crate::dynamics::normal_force;
use crate::equations::{Equations, MarkerKinematics, assemble_positions};
use crate::laws::{ConstraintLaw, FrictionBound};
use crate::model::{ConstraintEntry, Model};
use crate::motion::Wrench;
use crate::state::{ConstraintMode, State};

/// Relative round-off of the solved forces.
const ROUND_OFF: f64 = 1e-9;
/// A bound below this, relative to the largest force, is zero.
const NO_FORCE: f64 = 1e-12;

/// A constraint that cannot exert the required force.
#[derive(Clone, Debug, PartialEq)]
pub struct OverloadedConstraint {
    /// The constraint.
    pub constraint: String,
    /// Required force of its rows, N or N m; negative for a gap that would have to pull.
    pub required: f64,
    /// Largest force that they can exert, N or N m.
    pub available: f64,
}

impl std::fmt::Display for OverloadedConstraint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let OverloadedConstraint { constraint, required: needed, available: most } = self;
        match *needed < 0.0 && *most == 0.0 {
            true => write!(f, "`{constraint}` would have to pull with {}", format_short(-needed)),
            _ if needed.is_nan() => write!(f, "`{constraint}` can exert only {}", format_short(*most)),
            false => write!(
                f,
                "`{constraint}` would have to exert {} and can exert {}",
                format_short(*needed),
                format_short(*most)
            ),
        }
    }
}

/// Formats a number with five digits, with an exponent only if it is very large or small.
fn format_short(x: f64) -> String {
    let plain = x == 0.0 || (1e-3..1e5).contains(&x.abs());
    if !plain {
        return format!("{x:.4e}");
    }
    let digits = if x == 0.0 { 0 } else { (4 - x.abs().log10().floor() as i32).max(0) as usize };
    format!("{x:.digits$}")
}

/// Active constraints whose multipliers exceed what they can exert, in the order of the model. Empty if all are within their
/// bounds.
///
/// Analyses that treat every closed gap and every sticking contact as a bilateral row (equilibrium, small motions, inverse dynamics)
/// find multipliers without regard to their limits. [`overloaded_constraints`] compares these multipliers with the laws:
///
/// ```text
///  gap        λ ≥ 0
///  friction   lower − μ N ≤ λ ≤ upper + μ N, or |λ| ≤ upper + μ N for two and three rows      μ: static coefficient
/// ```
pub fn overloaded_constraints(model: &Model, state: &State, lambda: &[f64]) -> Vec<OverloadedConstraint> {
    if model.constraints.iter().all(|c| c.law == ConstraintLaw::Bilateral) {
        return Vec::new();
    }
    let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
    assemble_positions(model, state.into(), &mut scene, &mut eq);
    let size = lambda.iter().fold(0.0_f64, |a, l| a.max(l.abs()));
    let mut found = Vec::new();
    for (c, entry) in model.constraints.iter().enumerate() {
        if entry.law == ConstraintLaw::Bilateral || state.modes[c] == ConstraintMode::Idle {
            continue;
        }
        let gap = lambda[entry.rows.start];
        if matches!(entry.law, ConstraintLaw::Unilateral(_)) && gap < -ROUND_OFF * size {
            found.push(OverloadedConstraint { constraint: entry.name.clone(), required: gap, available: 0.0 });
            continue;
        }
        let Some(bounds) = friction_bounds(model, state, &scene, c, lambda, FrictionRegime::Sticking)
            .filter(|_| state.modes[c] == ConstraintMode::Active)
        else {
            continue;
        };
        let first = entry.rows.start + entry.law.first_friction_row().unwrap_or(0);
        let own = &lambda[first..entry.rows.end];
        let (needed, most) = match own {
            [one] if *one < bounds[0] => (one.abs(), bounds[0].abs()),
            [one] => (one.abs(), if *one > bounds[1] { bounds[1].abs() } else { f64::INFINITY }),
            several => (several.iter().map(|l| l * l).sum::<f64>().sqrt(), bounds[1]),
        };
        if needed > most + ROUND_OFF * size {
            found.push(OverloadedConstraint { constraint: entry.name.clone(), required: needed, available: most });
        }
    }
    found
}

/// Releases friction that cannot exert any force, whatever the load: of a released brake or a smooth floor. It would be taken for
/// holding otherwise, because at rest it does hold, without a force. Says which constraints these are.
pub(crate) fn release_frictionless(model: &Model, state: &mut State) -> Vec<bool> {
    release_friction(model, state, &vec![1.0; model.rows.len()], 0.0)
}

/// The same for all friction whose bound is zero under these multipliers.
pub(crate) fn release_unloaded_friction(model: &Model, state: &mut State, lambda: &[f64]) -> Vec<bool> {
    let size = lambda.iter().fold(0.0_f64, |a, l| a.max(l.abs()));
    release_friction(model, state, lambda, NO_FORCE * size)
}

fn release_friction(model: &Model, state: &mut State, lambda: &[f64], least: f64) -> Vec<bool> {
    let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
    if model.constraints.iter().any(ConstraintEntry::has_friction_rows) {
        assemble_positions(model, (&*state).into(), &mut scene, &mut eq);
    }
    let release = |(c, entry): (usize, &ConstraintEntry)| {
        if state.modes[c] == ConstraintMode::Idle || !entry.has_friction_rows() {
            return false;
        }
        let bounds = friction_bounds(model, state, &scene, c, lambda, FrictionRegime::Sticking);
        bounds.is_some_and(|[lower, upper]| lower.abs().max(upper.abs()) <= least)
    };
    let released: Vec<bool> = model.constraints.iter().enumerate().map(release).collect();
    for (c, _) in released.iter().enumerate().filter(|(_, released)| **released) {
        // A gap stays closed; the direction does not matter for a force that is zero.
        state.modes[c] = match model.constraints[c].law {
            ConstraintLaw::Unilateral(_) => ConstraintMode::Sliding([1.0, 0.0, 0.0]),
            _ => ConstraintMode::Idle,
        };
    }
    released
}

/// Friction force of a constraint, and the bound that applies to it; `None` if it has no friction row.
pub(crate) fn friction_and_bound(
    model: &Model,
    state: &State,
    scene: &MarkerKinematics,
    c: usize,
    lambda: &[f64],
) -> Option<[f64; 2]> {
    let entry = &model.constraints[c];
    let [lower, upper] = friction_bounds(model, state, scene, c, lambda, FrictionRegime::Sticking)?;
    let first = entry.rows.start + entry.law.first_friction_row()?;
    Some(match &lambda[first..entry.rows.end] {
        [one] => [one.abs(), if *one < 0.0 { lower.abs() } else { upper.abs() }],
        several => [several.iter().map(|l| l * l).sum::<f64>().sqrt(), upper],
    })
}

/// Lower and upper bound of the friction rows of a constraint, with the normal force that follows from these multipliers; `None` if
/// the constraint has no friction row.
pub(crate) fn friction_bounds(
    model: &Model,
    state: &State,
    scene: &MarkerKinematics,
    c: usize,
    lambda: &[f64],
    grips: FrictionRegime,
) -> Option<[f64; 2]> {
    let entry = &model.constraints[c];
    entry.law.first_friction_row().filter(|from| *from < entry.rows.len())?;
    let view =
        ElementInput { t: state.t, motions: &scene.motions, markers: &entry.markers, z: &state.z[entry.z.clone()] };
    let wrenches = |by: usize| -> Vec<Wrench> {
        let of = &model.constraints[by];
        scene.wrenches(of, of.markers.len() - 1).copied().collect()
    };
    let (N, _) = normal_force(model, c, &view, wrenches, lambda);
    let FrictionBound { sticking: holding, slipping, friction } = entry.kind.constraint().friction_bound(&view);
    let ([lower, upper], mu) = match grips {
        FrictionRegime::Sticking => (holding, friction.stick),
        FrictionRegime::Slipping => (slipping, friction.slip),
    };
    let N = N.max(0.0);
    Some([lower - mu * N, upper + mu * N])
}
