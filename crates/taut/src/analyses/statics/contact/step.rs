//! One relaxation step: the complementarity problem for the forces p of gaps and friction, and the resulting displacement.

use crate::analyses::contact_problem::{ContactProblem, ContactSolution, FrictionLimit, UnsolvedContact};
use crate::analyses::statics::equilibrium_equations::EquilibriumEquations;
use crate::analyses::statics::{EquilibriumPoint, StaticsError};
use crate::laws::ConstraintLaw;
use nalgebra::{DMatrix, DVector};

/// Longest step, relative to `EquilibriumEquations::scale`.
pub(super) const MAX_STEP: f64 = 0.2;
/// Factor by which the damping increases if a step would be too long.
const DAMPING_INCREASE: f64 = 4.0;
/// Relative curvature along a step that is round-off.
const CURVATURE_TOLERANCE: f64 = 1e-9;
/// Most rounds in which gaps that the step would overlap are added to the problem.
const MAX_ROUNDS: usize = 50;

/// Linear systems and sweeps of all contact problems of a relaxation. An ordinary one needs a few thousand. A problem
/// without a solution alone may take tens of thousands, and each is tried with many values of the damping.
const MAX_WORK: usize = 400_000;

/// The work that is left for the contact problems of a relaxation.
pub(super) struct ContactWork(usize);

impl ContactWork {
    pub fn new() -> ContactWork {
        ContactWork(MAX_WORK)
    }

    pub fn is_used_up(&self) -> bool {
        self.0 == 0
    }

    fn spend(&mut self, work: usize) {
        self.0 = self.0.saturating_sub(work);
    }
}

/// A solved step.
pub(super) struct RelaxationStep {
    pub delta: Vec<f64>,
    /// Multipliers of all rows after it.
    pub lambda: Vec<f64>,
    pub problem: ContactProblem,
    pub contact_solution: ContactSolution,
    /// δᵀ(M/h + K)δ relative to the size of its terms. If it is negative, the damping is too small and the step increases the potential.
    pub curvature: f64,
}

/// The complementarity problem of a step for p, and the responses it is made of.
pub(super) struct StepResponses {
    pub problem: ContactProblem,
    /// Residual forces without p.
    pub residual_force: Vec<f64>,
    /// Step and change of the multipliers without p, and for a unit of each p.
    pub without_contact_forces: (Vec<f64>, Vec<f64>),
    pub per_unit_force: Vec<(Vec<f64>, Vec<f64>)>,
    pub G: DMatrix<f64>,
    pub c: DVector<f64>,
}

/// A step of bounded length, and the damping it needs.
pub(super) fn bounded_step(
    balance: &mut EquilibriumEquations,
    here: &EquilibriumPoint,
    mut viscous: f64,
    work: &mut ContactWork,
) -> Result<(RelaxationStep, f64), StaticsError> {
    let mut failure = None;
    for _ in 0..120 {
        if work.is_used_up() {
            break;
        }
        match solve(balance, here, viscous, work) {
            Ok(step) if balance.displacement_norm(&step.delta) <= MAX_STEP && step.curvature > -CURVATURE_TOLERANCE => {
                return Ok((step, viscous));
            }
            Ok(_) => {}
            Err(e) => failure = Some(e),
        }
        viscous *= DAMPING_INCREASE;
    }
    let (r, phi) = (balance.residual_forces(&here.lambda), balance.position_residuals());
    Err(failure.unwrap_or_else(|| balance.convergence_error(0, &r, &phi)))
}

/// One step with a given damping. Gaps that would overlap join the problem, which is then solved again.
fn solve(
    balance: &mut EquilibriumEquations,
    here: &EquilibriumPoint,
    viscous: f64,
    work: &mut ContactWork,
) -> Result<RelaxationStep, StaticsError> {
    balance.factor(here, viscous)?;
    let possible = ContactProblem::candidate_constraints(&balance.model, &here.state, &balance.eq);
    let (gaps, mut chosen): (Vec<usize>, Vec<usize>) =
        possible.into_iter().partition(|c| matches!(balance.model.constraints[*c].law, ConstraintLaw::Unilateral(_)));
    let first = |balance: &EquilibriumEquations, c: usize| balance.model.constraints[c].rows.start;
    chosen.extend(gaps.iter().copied().filter(|c| here.lambda[first(balance, *c)] > 0.0));
    for _ in 0..MAX_ROUNDS {
        chosen.sort_unstable();
        let responses = step_responses(balance, here, &chosen)?;
        let start: Vec<f64> = responses.problem.model_rows(&balance.model).iter().map(|r| here.lambda[*r]).collect();
        let start = DVector::from_vec(start);
        let found = contact_forces(balance, here, &responses, &start, FrictionLimit::Actual).map_err(|unsolved| {
            work.spend(unsolved.work);
            let constraint = balance.model.constraints[unsolved.constraint].name.clone();
            StaticsError::NoContactForces { constraint }
        })?;
        work.spend(found.work);
        let step = responses.step(balance, here, found);
        let overlaps = |c: &usize| {
            let entry = &balance.model.constraints[*c];
            let after =
                balance.eq.inactive.phi[entry.rows.start] + balance.eq.inactive_row_times(entry, 0, &step.delta);
            !chosen.contains(c) && after < 0.0
        };
        let more: Vec<usize> = gaps.iter().copied().filter(overlaps).collect();
        if more.is_empty() || work.is_used_up() {
            return Ok(step);
        }
        chosen.extend(more);
    }
    let (r, phi) = (balance.residual_forces(&here.lambda), balance.position_residuals());
    Err(balance.convergence_error(MAX_ROUNDS, &r, &phi))
}

/// The response of the step to the forces of these constraints.
pub(super) fn step_responses(
    balance: &mut EquilibriumEquations,
    here: &EquilibriumPoint,
    chosen: &[usize],
) -> Result<StepResponses, StaticsError> {
    let problem = ContactProblem::new(&balance.model, &balance.eq, chosen.iter().copied());
    let mut bare = here.lambda.clone();
    for c in balance.model.constraints.iter().filter(|c| c.law != ConstraintLaw::Bilateral) {
        bare[c.rows.clone()].fill(0.0);
    }
    let minus = |x: &[f64]| x.iter().map(|x| -x).collect::<Vec<f64>>();
    let (r, phi) = (balance.residual_forces(&bare), balance.position_residuals());
    let lost = |balance: &EquilibriumEquations| balance.convergence_error(0, &r, &phi);
    let Ok(free) = balance.solve(&minus(&r), &minus(&phi)) else { return Err(lost(balance)) };
    let none = vec![0.0; phi.len()];
    let mut each = Vec::with_capacity(problem.rows);
    for k in &problem.candidates {
        for i in 0..k.rows.len() {
            let mut unit = vec![0.0; r.len()];
            balance.eq.add_inactive_row(&balance.model.constraints[k.c], i, 1.0, &mut unit);
            let Ok(answer) = balance.solve(&unit, &none) else { return Err(lost(balance)) };
            each.push(answer);
        }
    }
    let w: Vec<Vec<f64>> = each.iter().map(|(w, _)| w.clone()).collect();
    let G = problem.delassus(&balance.model, &balance.eq, &w);
    let mut c = DVector::zeros(problem.rows);
    for k in &problem.candidates {
        let entry = &balance.model.constraints[k.c];
        for (i, r) in k.rows.clone().enumerate() {
            c[r] = balance.eq.inactive_row_times(entry, i, &free.0);
        }
        if let ConstraintLaw::Unilateral(_) = entry.law {
            c[k.rows.start] += balance.eq.inactive.phi[entry.rows.start];
        }
    }
    Ok(StepResponses { problem, residual_force: r, without_contact_forces: free, per_unit_force: each, G, c })
}

/// Solves for p under the laws of contact and friction.
pub(super) fn contact_forces(
    balance: &EquilibriumEquations,
    here: &EquilibriumPoint,
    responses: &StepResponses,
    start: &DVector<f64>,
    strength: FrictionLimit,
) -> Result<ContactSolution, UnsolvedContact> {
    let StepResponses { problem, G, c, .. } = responses;
    if problem.rows == 0 {
        return Ok(ContactSolution { p: DVector::zeros(0), u: DVector::zeros(0), status: Vec::new(), work: 0 });
    }
    let all = |p: &DVector<f64>| responses.multipliers(balance, here, p);
    let from = Some(start).filter(|_| strength == FrictionLimit::Actual);
    problem.solve(&balance.model, &here.state, &balance.scene, G, c, from, strength, all)
}

impl StepResponses {
    /// Multipliers of all rows after the step with these forces.
    fn multipliers(&self, balance: &EquilibriumEquations, here: &EquilibriumPoint, p: &DVector<f64>) -> Vec<f64> {
        let mut lambda = here.lambda.clone();
        for c in balance.model.constraints.iter().filter(|c| c.law != ConstraintLaw::Bilateral) {
            lambda[c.rows.clone()].fill(0.0);
        }
        lambda.iter_mut().zip(&self.without_contact_forces.1).for_each(|(l, d)| *l += d);
        for (p, (_, m)) in p.iter().zip(&self.per_unit_force).filter(|(p, _)| **p != 0.0) {
            lambda.iter_mut().zip(m).for_each(|(l, m)| *l += p * m);
        }
        self.problem.model_rows(&balance.model).iter().zip(p.iter()).for_each(|(r, p)| lambda[*r] = *p);
        lambda
    }

    fn step(self, balance: &EquilibriumEquations, here: &EquilibriumPoint, found: ContactSolution) -> RelaxationStep {
        let lambda = self.multipliers(balance, here, &found.p);
        let mut delta = self.without_contact_forces.0;
        for (p, (w, _)) in found.p.iter().zip(&self.per_unit_force).filter(|(p, _)| **p != 0.0) {
            delta.iter_mut().zip(w).for_each(|(d, w)| *d += p * w);
        }
        // The work of the residual forces, which damping and stiffness take up.
        let mut pushed: Vec<f64> = self.residual_force.iter().map(|r| -r).collect();
        for k in &self.problem.candidates {
            let entry = &balance.model.constraints[k.c];
            for (i, r) in k.rows.clone().enumerate() {
                balance.eq.add_inactive_row(entry, i, found.p[r], &mut pushed);
            }
        }
        let work = pushed.iter().zip(&delta).map(|(f, d)| f * d);
        let (sum, size) = work.fold((0.0, 0.0), |(sum, size), w: f64| (sum + w, size + w.abs()));
        let curvature = if size > 0.0 { sum / size } else { 0.0 };
        RelaxationStep { delta, lambda, problem: self.problem, contact_solution: found, curvature }
    }
}
