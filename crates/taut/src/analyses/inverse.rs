//! Inverse dynamics: the forces required for given accelerations.

mod balancing;
mod joint_axes;

pub(super) use self::balancing::multipliers;
use self::joint_axes::free_axes;
use super::contact_problem::{ContactProblem, FrictionLimit};
use super::{AnalysisError, check_state};
use crate::bodies::Symmetry;
use crate::drift::row_scales;
use crate::equations::{Equations, MarkerKinematics, StateView, assemble_positions, assemble_rates, is_frame};
use crate::events::ZERO_RATE_TOLERANCE;
use crate::kkt::{Projector, RankPolicy};
use crate::laws::ConstraintLaw;
use crate::mathematics::magnitude::largest_magnitude;
use crate::model::Model;
use crate::motion::{Vec3, Wrench};
use crate::solvers::contact_features::bind_features;
use crate::solvers::massless::as_norm;
use crate::state::{ConstraintMode, State};
use nalgebra::{DMatrix, DVector};
use serde::Serialize;

/// Eigenvalues of the effort metric that count as zero, relative to the largest.
const RANK_TOLERANCE: f64 = 1e-10;
/// An axis counts as blocked if its constrained mobility is below this fraction of the unconstrained one.
const BLOCKED_AXIS_TOLERANCE: f64 = 1e-9;
/// Most joint axes for which efforts are computed.
const MAX_JOINT_AXES: usize = 800;

/// Force and moment of a constraint on its last marker.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reaction {
    /// The constraint.
    pub constraint: String,
    /// Force, world axes, N.
    pub force: [f64; 3],
    /// Moment about the marker, world axes, N m.
    pub moment: [f64; 3],
}

/// The generalised force that a body needs besides its reactions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BodyEffort {
    /// The body.
    pub body: String,
    /// One number per velocity of the body.
    pub needed: Vec<f64>,
}

/// An effort along or about a free axis of a joint.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JointEffort {
    /// The joint.
    pub joint: String,
    /// `along_x` … `along_z`, `about_x` … `about_z`: axes of its marker A.
    pub axis: &'static str,
    /// N or N m, on marker B.
    pub effort: f64,
}

/// The forces required for a given motion.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Inverse {
    /// Multipliers, row by row. The multiplier of a driven row is the effort of the driver.
    pub lambda: Vec<f64>,
    /// Reactions of the constraints that act on frames.
    pub reactions: Vec<Reaction>,
    /// Efforts along and about the free axes of the joints.
    pub joint_efforts: Vec<JointEffort>,
    /// Generalised force of every body besides its reactions: the efforts of its joints, and what no joint can exert.
    pub efforts: Vec<BodyEffort>,
    /// Largest of these generalised forces.
    pub needed: f64,
    /// Largest |A v̇ − b|; not zero if the accelerations contradict the constraints.
    pub violation: f64,
    /// The row with this violation, `constraint.row`.
    pub violated: Option<String>,
}

impl Inverse {
    /// The multiplier of a row, `constraint.row`.
    pub fn multiplier(&self, model: &Model, row: &str) -> Option<f64> {
        (0..self.lambda.len()).find(|&r| model.row_name(r) == row).map(|r| self.lambda[r])
    }
}

/// Reactions and efforts at a state with prescribed accelerations v̇.
///
/// The constraints supply as much as possible of g = M v̇ − f: M x + Aᵀλ = g, A x = 0 is the least-squares solution in the norm of M⁻¹,
/// with λ of least norm if rows depend on each other (\[FumagalliMasarati2009\] eq. (39)). Closed contacts, stops, taut ropes, friction
/// and brakes supply what their laws allow, in the same norm.
///
/// The remainder is first assigned to the joints, as efforts τ along and about their free axes:
///
/// ```text
///  Aᵀλ + Fᵀτ = g        τ of least norm in the metric of diag(F P M⁻¹ Fᵀ), P the projection on the null space of the rows
/// ```
///
/// The reactions are then those of joints with a motor in each free axis. Newtons and newton metres are never added; each is weighted by
/// the acceleration it would cause. Forces that no joint can exert, as on a floating body, are assigned to the body itself, in the norm
/// of M⁻¹.
///
/// # Errors
/// If the state or the vector does not fit the model, or no forces satisfy the laws of contact and friction.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// let mut spec = Spec::new();
/// spec.gravity([0.0, -9.81, 0.0])
///     .body("arm", PlanarBody::rod(2.0, 1.0).at([0.5, 0.0], 0.0))
///     .marker("arm.end", Frame::at([-0.5, 0.0, 0.0]))
///     .constraint("shoulder", Joint::pin("ground", "arm.end"));
/// let model = spec.build()?;
/// let held = inverse(&model, &model.initial_state(), &[0.0; 3])?; // at rest
/// assert!((held.joint_efforts[0].effort - 2.0 * 9.81 * 0.5).abs() < 1e-9); // the torque that holds it
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn inverse(model: &Model, state: &State, vdot: &[f64]) -> Result<Inverse, AnalysisError> {
    super::refuse_reaction_forces(model, "inverse dynamics")?;
    let mut requested = InverseProblem::new(model, state, vdot, Laws::Apply)?;
    let p = requested.contact_forces(vdot)?;
    let joint_efforts = requested.joint_efforts();
    let (mut lambda, _) = requested.solve_constrained(&requested.residual_force.clone());
    for (row, p) in p {
        lambda[row] = p;
    }
    // The remainder of g.
    let mut rest = requested.residual_force.clone();
    requested.reaction_equations.add_jacobian_transpose_times(&lambda, &mut requested.scratch);
    rest.iter_mut().zip(&requested.scratch).for_each(|(r, s)| *r -= s);
    rest.iter_mut().zip(&requested.joint_force).for_each(|(r, j)| *r += j);
    let one = |b: &crate::model::BodyEntry| BodyEffort { body: b.name.clone(), needed: rest[b.v.clone()].to_vec() };
    let efforts = model.bodies.iter().map(one).collect();
    let (violation, violated) = requested.violation(vdot);
    let reactions = reactions(model, &requested.scene, &lambda);
    Ok(Inverse { lambda, reactions, joint_efforts, efforts, needed: largest_magnitude(&rest).0, violation, violated })
}

/// Whether contacts and friction follow their laws or keep the modes of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Laws {
    Apply,
    AsGiven,
}

/// The equations of inverse dynamics at a state.
struct InverseProblem<'m> {
    model: &'m Model,
    state: State,
    scene: MarkerKinematics,
    eq: Equations,
    /// The same with B in the place of A, if the equations are in another space than v.
    reaction_equations: Equations,
    projector: Projector,
    /// The part of g = M v̇ − f that is not yet supplied.
    residual_force: Vec<f64>,
    /// The part that joint efforts supply.
    joint_force: Vec<f64>,
    scratch: Vec<f64>,
}

impl<'m> InverseProblem<'m> {
    fn new(model: &'m Model, state: &State, vdot: &[f64], laws: Laws) -> Result<InverseProblem<'m>, AnalysisError> {
        check_state(model, state)?;
        let n = model.sizes.v;
        if vdot.len() != n {
            return Err(AnalysisError::Length { what: "the acceleration", found: vdot.len(), needed: n });
        }
        if vdot.iter().any(|a| !a.is_finite()) {
            return Err(AnalysisError::NotFinite { what: "the acceleration".to_string() });
        }
        let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
        let mut state = state.clone();
        let switches = laws == Laws::Apply && model.constraints.iter().any(|c| c.law != ConstraintLaw::Bilateral);
        let mut modes = state.modes.clone();
        if switches {
            let gaps = modes.iter_mut().zip(&model.constraints).filter(|(_, c)| c.law != ConstraintLaw::Bilateral);
            gaps.for_each(|(mode, _)| *mode = ConstraintMode::Idle);
            if !model.contact_slots.is_empty() {
                assemble_positions(model, StateView { modes: &modes, ..(&state).into() }, &mut scene, &mut eq);
                bind_features(model, state.t, &scene, &mut modes.clone(), &mut state.z);
            }
        }
        let at = StateView { modes: &modes, ..(&state).into() };
        assemble_positions(model, at, &mut scene, &mut eq);
        assemble_rates(model, at, &mut scene, &mut eq);

        // g = M v̇ − f
        let mut left = vec![0.0; n];
        eq.mass_times(vdot, &mut left);
        left.iter_mut().zip(&eq.f).for_each(|(g, f)| *g -= f);
        if left.iter().any(|g| !g.is_finite()) {
            return Err(AnalysisError::NotFinite { what: "a force at this state".to_string() });
        }
        let symmetric = model.symmetry() == Symmetry::Symmetric;
        let W = if symmetric { as_norm(&model.layout, &eq.M) } else { identity_weight(model, eq.M.len()) };
        // Reactions act through B instead of A if the equations are in another space than v.
        let mut exerted = eq.clone();
        if !symmetric {
            exerted.A.copy_from_slice(&eq.B);
        }
        let mut projector = Projector::new(&model.layout, &row_scales(model, &W, &exerted), &RankPolicy::default());
        projector.factor(&W, &exerted.A);
        let zeros = vec![0.0; n];
        Ok(InverseProblem {
            model,
            state,
            scene,
            eq,
            reaction_equations: exerted,
            projector,
            residual_force: left,
            joint_force: zeros.clone(),
            scratch: zeros,
        })
    }

    /// Solves M x + Aᵀλ = g, A x = 0 for λ and x.
    fn solve_constrained(&mut self, g: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let n = g.len();
        let mut x = vec![0.0; n + self.model.rows.len()];
        x[..n].copy_from_slice(g);
        self.projector.solve(&self.reaction_equations, &mut x);
        let lambda = x.split_off(n);
        (lambda, x)
    }

    /// Forces of contacts, stops, ropes, friction and brakes; they are subtracted from the remainder.
    fn contact_forces(&mut self, vdot: &[f64]) -> Result<Vec<(usize, f64)>, AnalysisError> {
        let model = self.model;
        let speed = model.contact_scale.length() + largest_magnitude(&self.state.v).0;
        let loose = &self.eq.inactive;
        let closed = |c: &usize| {
            let entry = &model.constraints[*c];
            let first = entry.rows.start;
            if !matches!(entry.law, ConstraintLaw::Unilateral(_)) {
                return true;
            }
            // Closed, and not about to open.
            let opens = loose.rate[first] > ZERO_RATE_TOLERANCE * speed
                || self.eq.inactive_row_times(entry, 0, vdot) - loose.b[first]
                    > ZERO_RATE_TOLERANCE * (speed + largest_magnitude(vdot).0);
            loose.phi[first] <= model.contact_scale.closed_gap() && !opens
        };
        let mut possible = ContactProblem::candidate_constraints(model, &self.state, &self.eq);
        possible.retain(closed);
        if possible.is_empty() {
            return Ok(Vec::new());
        }
        let mut problem = ContactProblem::new(model, &self.eq, possible);
        problem.detect_slip(model, &self.eq, ZERO_RATE_TOLERANCE * speed);
        let (held, free) = self.solve_constrained(&self.residual_force.clone());
        let (mut w, mut m) = (Vec::new(), Vec::new());
        let units: Vec<(usize, usize)> =
            problem.candidates.iter().flat_map(|k| (0..k.rows.len()).map(move |i| (k.c, i))).collect();
        for (c, i) in units {
            let mut unit = vec![0.0; model.sizes.v];
            self.eq.add_inactive_row(&model.constraints[c], i, 1.0, &mut unit);
            let (lambda, x) = self.solve_constrained(&unit);
            w.push(x);
            m.push(lambda);
        }
        // The missing accelerations: without the forces the constraints would accelerate the opposite way.
        let G = problem.delassus(model, &self.eq, &w);
        let G = (&G + G.transpose()) * 0.5;
        let mut c = DVector::zeros(problem.rows);
        for k in &problem.candidates {
            let entry = &model.constraints[k.c];
            k.rows.clone().enumerate().for_each(|(i, r)| c[r] = -self.eq.inactive_row_times(entry, i, &free));
        }
        problem.impose_slip_acceleration(&mut c);
        let rows = problem.model_rows(model);
        let all = |p: &DVector<f64>| {
            let mut lambda = held.clone();
            for (p, m) in p.iter().zip(&m) {
                lambda.iter_mut().zip(m).for_each(|(l, m)| *l -= p * m);
            }
            rows.iter().zip(p.iter()).for_each(|(r, p)| lambda[*r] = *p);
            lambda
        };
        let found = problem
            .solve(model, &self.state, &self.scene, &G, &c, None, FrictionLimit::Actual, all)
            .map_err(|found| AnalysisError::Paradox { contact: model.constraints[found.constraint].name.clone() })?;
        let mut supplied = vec![0.0; model.sizes.v];
        for (k, candidate) in problem.candidates.iter().map(|k| (k, &model.constraints[k.c])) {
            for (i, r) in k.rows.clone().enumerate() {
                self.eq.add_inactive_row(candidate, i, found.p[r], &mut supplied);
            }
        }
        self.residual_force.iter_mut().zip(&supplied).for_each(|(g, s)| *g -= s);
        Ok(rows.into_iter().zip(found.p.iter().copied()).collect())
    }

    /// Efforts along the free axes of the joints; they are subtracted from the remainder.
    fn joint_efforts(&mut self) -> Vec<JointEffort> {
        if self.model.symmetry() == Symmetry::NonSymmetric {
            return Vec::new();
        }
        let axes = free_axes(self.model, &self.state, &self.scene);
        if axes.is_empty() || axes.len() > MAX_JOINT_AXES {
            return Vec::new();
        }
        let (_, x) = self.solve_constrained(&self.residual_force.clone());
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let w: Vec<Vec<f64>> = axes.iter().map(|a| self.solve_constrained(&a.force).1).collect();
        // Blocked axes add nothing that the constraints do not already exert.
        let able: Vec<usize> = (0..axes.len())
            .filter(|&i| {
                dot(&axes[i].force, &w[i]) > BLOCKED_AXIS_TOLERANCE * self.unconstrained_mobility(&axes[i].force)
            })
            .collect();
        let k = able.len();
        let scale: Vec<f64> = able.iter().map(|&i| dot(&axes[i].force, &w[i]).sqrt()).collect();
        let H = DMatrix::from_fn(k, k, |i, j| dot(&axes[able[i]].force, &w[able[j]]) / (scale[i] * scale[j]));
        let h = DVector::from_fn(k, |i, _| dot(&axes[able[i]].force, &x) / scale[i]);
        if k == 0 || H.iter().any(|h| !h.is_finite()) {
            return Vec::new();
        }
        let eigen = ((&H + H.transpose()) * 0.5).symmetric_eigen();
        let largest = eigen.eigenvalues.amax();
        let mut tau = DVector::zeros(k);
        for (value, vector) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
            if *value > RANK_TOLERANCE * largest {
                tau += vector * (vector.dot(&h) / value);
            }
        }
        let mut found = Vec::new();
        for (i, &axis) in able.iter().enumerate() {
            let effort = tau[i] / scale[i];
            let force = &axes[axis].force;
            self.joint_force.iter_mut().zip(force).for_each(|(b, f)| *b += effort * f);
            found.push(JointEffort { joint: axes[axis].joint.clone(), axis: axes[axis].name, effort });
        }
        self.residual_force.iter_mut().zip(&self.joint_force).for_each(|(g, j)| *g -= j);
        found
    }

    /// Fᵀ M⁻¹ F of a generalised force.
    fn unconstrained_mobility(&self, force: &[f64]) -> f64 {
        let W = as_norm(&self.model.layout, &self.eq.M);
        let one = |b: &crate::model::BodyEntry| {
            let n = b.v.len();
            let f = DVector::from_column_slice(&force[b.v.clone()]);
            if f.amax() == 0.0 {
                return 0.0;
            }
            let M = DMatrix::from_column_slice(n, n, &W[b.mass.clone()]);
            M.lu().solve(&f).map_or(0.0, |a| a.dot(&f))
        };
        self.model.bodies.iter().map(one).sum()
    }

    /// Largest |A v̇ − b|, and its row.
    fn violation(&self, vdot: &[f64]) -> (f64, Option<String>) {
        let mut left = vec![0.0; self.model.rows.len()];
        self.eq.jacobian_times(vdot, &mut left);
        left.iter_mut().zip(&self.eq.b).for_each(|(a, b)| *a -= b);
        let (violation, row) = largest_magnitude(&left);
        (violation, (violation > 0.0).then(|| self.model.row_name(row)))
    }
}

/// Reactions of all constraints that act on frames, at a state with these multipliers.
pub(super) fn reactions_at(model: &Model, state: &State, lambda: &[f64]) -> Vec<Reaction> {
    let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
    assemble_positions(model, state.into(), &mut scene, &mut eq);
    reactions(model, &scene, lambda)
}

fn reactions(model: &Model, scene: &MarkerKinematics, lambda: &[f64]) -> Vec<Reaction> {
    let mut list = Vec::new();
    for c in &model.constraints {
        let Some(last) = c.markers.len().checked_sub(1).filter(|&k| is_frame(model, c.markers[k])) else { continue };
        let mut on = Wrench::ZERO;
        lambda[c.rows.clone()].iter().zip(scene.wrenches(c, last)).for_each(|(l, D)| on.add_scaled(*l, D));
        let plain = |v: Vec3| [v.x, v.y, v.z];
        list.push(Reaction { constraint: c.name.clone(), force: plain(on.f), moment: plain(on.m) });
    }
    list
}

fn identity_weight(model: &Model, values: usize) -> Vec<f64> {
    let mut W = vec![0.0; values];
    for b in &model.bodies {
        let n = b.v.len();
        (0..n).for_each(|i| W[b.mass.start + i * (n + 1)] = 1.0);
    }
    W
}
