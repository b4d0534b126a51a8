//! Diagnosis of a failed relaxation: friction that keeps slipping, or an unrestrained motion.

use super::MAX_STEPS;
use super::step::{RelaxationStep, contact_forces, step_responses};
use crate::analyses::contact_problem::{ContactProblem, FrictionLimit};
use crate::analyses::friction_bounds::OverloadedConstraint;
use crate::analyses::statics::equilibrium_equations::EquilibriumEquations;
use crate::analyses::statics::{EquilibriumPoint, StaticsError};
use nalgebra::DVector;

/// The error for a mechanism that did not come to rest.
pub(super) fn diagnose_failure(
    balance: &mut EquilibriumEquations,
    here: &mut EquilibriumPoint,
    last: Option<RelaxationStep>,
) -> StaticsError {
    let Some(step) = last else {
        let (r, phi) = (balance.residual_forces(&here.lambda), balance.position_residuals());
        return balance.convergence_error(MAX_STEPS, &r, &phi);
    };
    let far = balance.displacement_norm(&step.delta);
    let slips: Vec<usize> = step
        .problem
        .candidates
        .iter()
        .zip(&step.contact_solution.status)
        .filter(|(k, _)| {
            let entry = &balance.model.constraints[k.c];
            let first = entry.law.first_friction_row().unwrap_or(0);
            let moved = k.rows.clone().skip(first).fold(0.0_f64, |a, r| a.max(step.contact_solution.u[r].abs()));
            let pressed = first == 0 || step.contact_solution.p[k.rows.start] > 0.0;
            pressed && moved > 1e-3 * far * balance.length_scale.min(1.0)
        })
        .map(|(k, _)| k.c)
        .collect();
    if far < 1e-6 {
        balance.evaluate(&mut here.state);
        let (r, phi) = (balance.residual_forces(&here.lambda), balance.position_residuals());
        return balance.convergence_error(MAX_STEPS, &r, &phi);
    }
    if slips.is_empty() {
        return balance.singular_error(&step.delta);
    }
    StaticsError::FrictionTooWeak { grips: required_friction(balance, here, &slips, &step) }
}

/// The error if the contact problems took too much work: names the constraint that moves most.
pub(super) fn work_exceeded(balance: &EquilibriumEquations, last: &RelaxationStep, steps: usize) -> StaticsError {
    let rate =
        |rows: &std::ops::Range<usize>| rows.clone().map(|r| last.contact_solution.u[r].abs()).fold(0.0, f64::max);
    let candidates = &last.problem.candidates;
    let most = candidates.iter().max_by(|a, b| rate(&a.rows).total_cmp(&rate(&b.rows)));
    let constraint = most.map_or_else(String::new, |k| balance.model.constraints[k.c].name.clone());
    StaticsError::ContactWorkExceeded { steps, constraint }
}

/// The friction forces required to stick, and those that are available.
fn required_friction(
    balance: &mut EquilibriumEquations,
    here: &mut EquilibriumPoint,
    slips: &[usize],
    step: &RelaxationStep,
) -> Vec<OverloadedConstraint> {
    balance.evaluate(&mut here.state);
    let chosen: Vec<usize> = step.problem.candidates.iter().map(|k| k.c).collect();
    let heaviest = balance.eq.M.iter().fold(f64::MIN_POSITIVE, |a, m| a.max(m.abs()));
    let own = balance.max_stiffness.max(balance.force_scale / balance.length_scale) / heaviest;
    let holding = balance.factor(here, own).ok().and_then(|()| step_responses(balance, here, &chosen).ok()).and_then(
        |responses| {
            let start = DVector::zeros(responses.problem.rows);
            contact_forces(balance, here, &responses, &start, FrictionLimit::Unlimited)
                .ok()
                .map(|found| (responses.problem, found))
        },
    );
    let strength = |p: &DVector<f64>, problem: &ContactProblem, c: usize| {
        let k = problem.candidates.iter().find(|k| k.c == c)?;
        let first = balance.model.constraints[c].law.first_friction_row().unwrap_or(0);
        Some(k.rows.clone().skip(first).map(|r| p[r] * p[r]).sum::<f64>().sqrt())
    };
    let one = |c: &usize| OverloadedConstraint {
        constraint: balance.model.constraints[*c].name.clone(),
        required: holding.as_ref().and_then(|(problem, found)| strength(&found.p, problem, *c)).unwrap_or(f64::NAN),
        available: strength(&step.contact_solution.p, &step.problem, *c).unwrap_or(f64::NAN),
    };
    let mut list: Vec<OverloadedConstraint> = slips.iter().map(one).collect();
    // Of many contact points, report those with the largest deficit.
    let lacks = |g: &OverloadedConstraint| g.required - g.available;
    list.sort_by(|a, b| lacks(b).total_cmp(&lacks(a)));
    let lacking = list.iter().filter(|g| lacks(g) > 0.0).count().clamp(1, 4);
    list.truncate(lacking);
    list
}
