//! Diagnosis of a failed relaxation: friction that keeps slipping, or an unrestrained motion.

use super::STEPS;
use super::step::{Step, forces, respond};
use crate::analyses::grips::BeyondStrength;
use crate::analyses::one_sided::{OneSided, Strength};
use crate::analyses::statics::balance::Balance;
use crate::analyses::statics::{Point, StaticsError};
use nalgebra::DVector;

/// The error for a mechanism that did not come to rest.
pub(super) fn why(balance: &mut Balance, here: &mut Point, last: Option<Step>) -> StaticsError {
    let Some(step) = last else {
        let (r, phi) = (balance.left(&here.lambda), balance.phi());
        return balance.stuck(STEPS, &r, &phi);
    };
    let far = balance.norm(&step.delta);
    let slips: Vec<usize> = step
        .problem
        .list
        .iter()
        .zip(&step.found.status)
        .filter(|(k, _)| {
            let entry = &balance.model.constraints[k.c];
            let first = entry.law.gripping_from().unwrap_or(0);
            let moved = k.rows.clone().skip(first).fold(0.0_f64, |a, r| a.max(step.found.u[r].abs()));
            let pressed = first == 0 || step.found.p[k.rows.start] > 0.0;
            pressed && moved > 1e-3 * far * balance.length.min(1.0)
        })
        .map(|(k, _)| k.c)
        .collect();
    if far < 1e-6 {
        balance.place(&mut here.state);
        let (r, phi) = (balance.left(&here.lambda), balance.phi());
        return balance.stuck(STEPS, &r, &phi);
    }
    if slips.is_empty() {
        return balance.named(&step.delta);
    }
    StaticsError::Slips { grips: needed(balance, here, &slips, &step) }
}

/// The friction forces required to stick, and those that are available.
fn needed(balance: &mut Balance, here: &mut Point, slips: &[usize], step: &Step) -> Vec<BeyondStrength> {
    balance.place(&mut here.state);
    let chosen: Vec<usize> = step.problem.list.iter().map(|k| k.c).collect();
    let heaviest = balance.eq.M.iter().fold(f64::MIN_POSITIVE, |a, m| a.max(m.abs()));
    let own = balance.stiffest.max(balance.force / balance.length) / heaviest;
    let holding =
        balance.factor(here, own).ok().and_then(|()| respond(balance, here, &chosen).ok()).and_then(|responses| {
            let start = DVector::zeros(responses.problem.rows);
            forces(balance, here, &responses, &start, Strength::Unlimited).ok().map(|found| (responses.problem, found))
        });
    let strength = |p: &DVector<f64>, problem: &OneSided, c: usize| {
        let k = problem.list.iter().find(|k| k.c == c)?;
        let first = balance.model.constraints[c].law.gripping_from().unwrap_or(0);
        Some(k.rows.clone().skip(first).map(|r| p[r] * p[r]).sum::<f64>().sqrt())
    };
    let one = |c: &usize| BeyondStrength {
        constraint: balance.model.constraints[*c].name.clone(),
        needed: holding.as_ref().and_then(|(problem, found)| strength(&found.p, problem, *c)).unwrap_or(f64::NAN),
        most: strength(&step.found.p, &step.problem, *c).unwrap_or(f64::NAN),
    };
    let mut list: Vec<BeyondStrength> = slips.iter().map(one).collect();
    // Of many contact points, report those with the largest deficit.
    let lacks = |g: &BeyondStrength| g.needed - g.most;
    list.sort_by(|a, b| lacks(b).total_cmp(&lacks(a)));
    let lacking = list.iter().filter(|g| lacks(g) > 0.0).count().clamp(1, 4);
    list.truncate(lacking);
    list
}
