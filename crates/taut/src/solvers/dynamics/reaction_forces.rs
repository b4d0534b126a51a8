//! Forces that read reactions: laws of friction and creep whose value depends on reactions that they change themselves.
//!
//! Force i acts with F_i along its coordinate. The equations are linear in the loads: with the responses (w_i, m_i) of v̇ and λ to
//! a unit of F_i,
//!
//! ```text
//!  λ = λ₀ + Σ m_i F_i        F_i = Φ_i(t, q, v, λ)        v̇ = v̇₀ + Σ w_i F_i
//! ```
//!
//! is a small system in F. Newton's method solves it; the slopes of Φ are exact (dual numbers). It needs only solves from the
//! formulation. Where the determinant of I − ∂Φ/∂F is not positive, at the solution or far from it, there is no solution or more
//! than one: the mechanism jams or locks itself (Painlevé's paradox).

use super::Dynamics;
use crate::constraints::ElementInput;
use crate::equations::MarkerKinematics;
use crate::forces::{ForceKind, FormulaForce};
use crate::formulations::SolveError;
use crate::model::{ForceEntry, Model};
use crate::motion::{Mat3, Motion, Wrench};
use nalgebra::{DMatrix, DVector};

/// Most iterations of Newton's method. A law with kinks needs about one for each.
const MAX_ITERATIONS: usize = 50;
/// Relative change of F at which the iteration ends.
const TOLERANCE: f64 = 1e-13;
/// Relative residual accepted after the iteration.
const ACCEPTED: f64 = 1e-9;
/// Distance, in multiples of the reactions, at which the slopes are checked far from the solution.
const FAR: f64 = 10.0;

/// Responses to a unit of one force.
struct UnitResponse {
    load: Vec<f64>,
    vdot: Vec<f64>,
    lambda: Vec<f64>,
}

/// The reaction of a constraint as the motion of its marker: force in p, moment in v, in world axes; in the axes of the first
/// marker in w and bv; multipliers in R.
fn reaction_motion(model: &Model, scene: &MarkerKinematics, c: usize, lambda: &[f64]) -> Motion {
    let c = &model.constraints[c];
    let lambda = &lambda[c.rows.clone()];
    let mut on = Wrench::ZERO;
    if let Some(last) = c.markers.last() {
        for (k, _) in c.markers.iter().enumerate().filter(|(_, m)| *m == last) {
            lambda.iter().zip(scene.wrenches(c, k)).for_each(|(l, D)| on.add_scaled(*l, D));
        }
    }
    let R_WA = c.markers.first().map_or(Mat3::identity(), |m| scene.motions[*m].R);
    let mut R = Mat3::zeros();
    R.iter_mut().zip(lambda).for_each(|(R, l)| *R = *l);
    Motion { p: on.f, v: on.m, w: R_WA.tr_mul(&on.f), bv: R_WA.tr_mul(&on.m), R, ..Motion::REST }
}

impl Dynamics<'_> {
    /// Adds the forces that read reactions to v̇, λ and f, which were computed without them; the factor must be available.
    pub(super) fn add_reaction_forces(&mut self, t: f64, q: &[f64], z: &[f64]) -> Result<(), SolveError> {
        if self.model.reaction_forces.is_empty() {
            return Ok(());
        }
        self.failed_reaction_force = None;
        let responses = self.reaction_force_responses(t, q, z)?;
        let lambda = self.lambda.clone();
        let F = self.solve_reaction_laws(t, z, &lambda, &responses)?;
        for (F, response) in F.iter().zip(&responses) {
            let add = |to: &mut [f64], of: &[f64]| to.iter_mut().zip(of).for_each(|(x, y)| *x += F * y);
            add(&mut self.vdot, &response.vdot);
            add(&mut self.eq.f, &response.load);
        }
        if self.vdot.iter().all(|a| a.is_finite()) { Ok(()) } else { Err(SolveError::NotFinite) }
    }

    fn reaction_force(&self, i: usize) -> (&ForceEntry, Option<&FormulaForce>) {
        let entry = &self.model.forces[self.model.reaction_forces[i]];
        let ForceKind::Formula(force) = &entry.kind else { return (entry, None) };
        (entry, Some(force))
    }

    /// Responses of v̇ and λ to a unit of each force.
    fn reaction_force_responses(&mut self, t: f64, q: &[f64], z: &[f64]) -> Result<Vec<UnitResponse>, SolveError> {
        let f = self.eq.f.clone();
        let mut responses = Vec::with_capacity(self.model.reaction_forces.len());
        let mut result = Ok(());
        for i in 0..self.model.reaction_forces.len() {
            let mut load = vec![0.0; f.len()];
            let (entry, force) = self.reaction_force(i);
            let view = force_input(entry, t, &self.kinematics.motions, z);
            for (marker, D) in entry.markers.iter().zip(force.iter().flat_map(|force| force.unit_wrenches(&view))) {
                self.kinematics.add_generalised_force(self.model, q, *marker, &D, &mut load);
            }
            self.eq.f.iter_mut().zip(f.iter().zip(&load)).for_each(|(to, (f, load))| *to = f + load);
            let (mut vdot, mut lambda) = (vec![0.0; self.vdot.len()], vec![0.0; self.lambda.len()]);
            result = self.formulation.solve(&self.eq, &mut vdot, &mut lambda);
            vdot.iter_mut().zip(&self.vdot).for_each(|(w, v)| *w -= v);
            lambda.iter_mut().zip(&self.lambda).for_each(|(m, l)| *m -= l);
            responses.push(UnitResponse { load, vdot, lambda });
            if result.is_err() {
                break;
            }
        }
        self.eq.f.copy_from_slice(&f);
        result.map(|()| responses)
    }

    /// F with F = Φ(λ₀ + Σ m F). Afterwards λ and the motions of the reaction markers belong to F.
    fn solve_reaction_laws(
        &mut self,
        t: f64,
        z: &[f64],
        lambda: &[f64],
        responses: &[UnitResponse],
    ) -> Result<DVector<f64>, SolveError> {
        let mut F: DVector<f64> = DVector::zeros(responses.len());
        for _ in 0..MAX_ITERATIONS {
            let (residual, slopes) = self.reaction_laws_at(t, z, &F, lambda, responses);
            let Some(step) = slopes.lu().solve(&residual) else { break };
            F -= &step;
            let size = F.amax().max(residual.amax());
            if step.amax().is_nan() || step.amax() <= TOLERANCE * size {
                break;
            }
        }
        let (residual, slopes) = self.reaction_laws_at(t, z, &F, lambda, responses);
        let largest = self.lambda.iter().fold(0.0, |a: f64, l| a.max(l.abs()));
        let met = residual.amax() <= ACCEPTED * (F.amax() + f64::MIN_POSITIVE);
        let mut worst = (!met).then(|| residual.iamax());
        if worst.is_none() && slopes.determinant() <= 0.0 {
            worst = Some(0);
        }
        for (i, response) in responses.iter().enumerate() {
            let reach = response.lambda.iter().fold(0.0, |a: f64, m| a.max(m.abs()));
            for side in [-1.0, 1.0] {
                if worst.is_some() || reach == 0.0 {
                    break;
                }
                let mut far = F.clone();
                far[i] += side * FAR * largest / reach;
                if self.reaction_laws_at(t, z, &far, lambda, responses).1.determinant() <= 0.0 {
                    worst = Some(i);
                }
            }
        }
        self.set_reactions(&F, lambda, responses);
        match worst {
            None => Ok(F),
            Some(i) => {
                self.failed_reaction_force = Some(self.model.reaction_forces[i]);
                Err(SolveError::NotFinite)
            }
        }
    }

    /// F − Φ and its derivatives by F.
    fn reaction_laws_at(
        &mut self,
        t: f64,
        z: &[f64],
        F: &DVector<f64>,
        lambda: &[f64],
        responses: &[UnitResponse],
    ) -> (DVector<f64>, DMatrix<f64>) {
        self.set_reactions(F, lambda, responses);
        let n = F.len();
        let (mut residual, mut slopes) = (F.clone(), DMatrix::identity(n, n));
        for i in 0..n {
            let (entry, Some(force)) = self.reaction_force(i) else { continue };
            let view = force_input(entry, t, &self.kinematics.motions, z);
            residual[i] -= force.value(&view);
            for (j, response) in responses.iter().enumerate() {
                // The reactions to a unit of force j.
                let response_of = |marker: usize| {
                    let c = self.model.reactions.iter().find(|(m, _)| *m == marker).map(|(_, c)| *c);
                    c.map(|c| reaction_motion(self.model, &self.kinematics, c, &response.lambda))
                };
                slopes[(i, j)] -= force.reaction_slope(&view, response_of);
            }
        }
        (residual, slopes)
    }

    /// Sets λ and the motions of the reaction markers to those of F.
    fn set_reactions(&mut self, F: &DVector<f64>, lambda: &[f64], responses: &[UnitResponse]) {
        self.lambda.copy_from_slice(lambda);
        for (F, response) in F.iter().zip(responses) {
            self.lambda.iter_mut().zip(&response.lambda).for_each(|(l, m)| *l += F * m);
        }
        for &(marker, c) in &self.model.reactions {
            self.kinematics.motions[marker] = reaction_motion(self.model, &self.kinematics, c, &self.lambda);
        }
    }
}

fn force_input<'a>(entry: &'a ForceEntry, t: f64, motions: &'a [Motion], z: &'a [f64]) -> ElementInput<'a> {
    ElementInput { t, motions, markers: &entry.markers, z: &z[entry.z.clone()] }
}
