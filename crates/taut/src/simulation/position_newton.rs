//! Newton's method on φ with minimal corrections, robust far from the solution and with dependent rows.

use super::{AnalysisError, angle_rows};
use crate::bodies::{Body, Manifold, Symmetry, each_body};
use crate::common::spelling::did_you_mean;
use crate::constraints::{ConstraintKind, Prescription, RotationMask, RowLevel};
use crate::drift::{ProjectionWeight, row_scales};
use crate::equations::{Equations, MarkerKinematics, assemble_positions};
use crate::interruption;
use crate::kkt::{Projector, RankPolicy};
use crate::mathematics::magnitude::max_abs;
use crate::model::Model;
use crate::solvers::massless::as_norm;
use crate::state::{ConstraintMode, State};
use std::f64::consts::TAU;

/// |φ| and |φ̇| that count as round-off, relative to the size of q and v.
const ROUND_OFF: f64 = 4e-15;
/// Weight of a locked velocity, relative to a free one.
const LOCKED_WEIGHT: f64 = 1e10;
/// Levenberg-Marquardt shifts, tried in turn if a full Newton step does not reduce |φ|.
const LEVENBERG_MARQUARDT_SHIFTS: [f64; 4] = [1e-8, 1e-3, 1e-1, 1e1];
/// Most halvings of a step.
const MAX_STEP_HALVINGS: usize = 6;
/// Largest rotation of a body in one step, rad: beyond it the linearisation of sines and cosines is useless.
const MAX_ROTATION_PER_STEP: f64 = 1.0;
/// Most iterations on the velocities; rows that are linear in them need one or two.
const MAX_VELOCITY_ITERATIONS: usize = 30;
/// Most perturbations of a pose without progress.
const MAX_PERTURBATIONS: usize = 2;

/// Residuals of a placed state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Residuals {
    /// Largest |φ|.
    pub phi: f64,
    /// Largest |φ̇|.
    pub phidot: f64,
    /// 1 + largest |q|.
    pub size: f64,
    /// 1 + largest |v|.
    pub speed: f64,
}

impl Residuals {
    /// Whether the positions meet the constraints, `slack` times round-off allowed.
    pub fn position_met(&self, slack: f64) -> bool {
        self.phi <= slack * ROUND_OFF * self.size
    }

    /// Whether the positions are as good as an iteration can make them.
    fn is_converged(&self) -> bool {
        self.phi <= 1e-11 * self.size
    }

    /// Whether the velocities meet the constraints.
    pub fn velocity_met(&self, slack: f64) -> bool {
        self.phidot <= slack * ROUND_OFF * self.size * self.speed
    }
}

/// The equations of one model, evaluated repeatedly.
#[derive(Debug)]
pub(crate) struct PositionNewton<'m> {
    pub model: &'m Model,
    pub scene: MarkerKinematics,
    pub eq: Equations,
    weight: ProjectionWeight,
    /// Square root of the weight factor of each velocity.
    weight_factors: Vec<f64>,
    /// Which velocities are rotations.
    is_rotation: Vec<bool>,
    /// Joints whose rows are replaced by angles while they are far from assembled.
    joints_by_angle: Vec<usize>,
    pub(super) x: Vec<f64>,
}

impl<'m> PositionNewton<'m> {
    /// For a model, with the norm and the bodies or velocities to lock.
    pub fn new(
        model: &'m Model,
        state: &State,
        weight: &ProjectionWeight,
        held: &[String],
    ) -> Result<PositionNewton<'m>, AnalysisError> {
        let n = model.sizes.v;
        if let ProjectionWeight::Diagonal(w) = weight
            && (w.len() != n || w.iter().any(|w| !w.is_finite() || *w <= 0.0))
        {
            return Err(AnalysisError::Weights { found: w.len(), needed: n });
        }
        let mut heavy = vec![1.0; n];
        let (_, velocities) = model.state_names();
        for name in held {
            if let Some(b) = model.body(name) {
                heavy[model.bodies[b].v.clone()].fill(LOCKED_WEIGHT.sqrt());
            } else if let Some(i) = velocities.iter().position(|v| v.name == *name) {
                heavy[i] = LOCKED_WEIGHT.sqrt();
            } else {
                let known =
                    model.bodies.iter().map(|b| b.name.as_str()).chain(velocities.iter().map(|v| v.name.as_str()));
                return Err(AnalysisError::UnknownHeld { name: name.clone(), hint: did_you_mean(name, known) });
            }
        }
        // A non-symmetric M is no norm; a singular one is completed to one.
        let weight = match (weight, model.symmetry()) {
            (ProjectionWeight::Mass, Symmetry::NonSymmetric) => ProjectionWeight::Identity,
            (w, _) => w.clone(),
        };
        let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
        assemble_positions(model, state.into(), &mut scene, &mut eq);
        let turns = velocities.iter().map(|v| v.unit == "rad/s").collect();
        let x = vec![0.0; n + model.rows.len()];
        Ok(PositionNewton {
            model,
            scene,
            eq,
            weight,
            weight_factors: heavy,
            is_rotation: turns,
            joints_by_angle: Vec::new(),
            x,
        })
    }

    /// Evaluates the equations at a state.
    pub fn evaluate(&mut self, state: &State) -> Residuals {
        assemble_positions(self.model, state.into(), &mut self.scene, &mut self.eq);
        angle_rows::replace_rows_by_angles(self.model, &self.scene, state, &self.joints_by_angle, &mut self.eq);
        Residuals {
            phi: max_abs(&self.eq.phi),
            phidot: max_abs(&self.eq.phidot),
            size: 1.0 + max_abs(&state.q),
            speed: 1.0 + max_abs(&state.v),
        }
    }

    /// Normalises coordinates, unless they are normalised to round-off.
    pub fn normalise(&self, state: &mut State) {
        for b in &self.model.bodies {
            let mut q = state.q[b.q.clone()].to_vec();
            each_body!(&b.kind, body => body.normalise(&mut q));
            let off = |(a, b): (&f64, &f64)| (a - b).abs() > 1e-15;
            if q.iter().zip(&state.q[b.q.clone()]).any(off) {
                state.q[b.q.clone()].copy_from_slice(&q);
            }
        }
    }

    /// If a relation counts revolutions, chooses the revolution with the smallest |φ|.
    pub fn choose_revolutions(&mut self, state: &mut State) {
        for c in &self.model.constraints {
            let ConstraintKind::Relation(relation) = &c.kind else { continue };
            let factor = relation.terms.iter().find(|t| t.coordinate.extra_states() == 1).map(|t| t.factor);
            if let (1, Some(k)) = (c.z.len(), factor)
                && k != 0.0
                && self.model.rows[c.rows.start].level == RowLevel::Position
            {
                let turns = (self.eq.phi[c.rows.start] / (k * TAU)).round();
                if turns.is_finite() {
                    state.z[c.z.start] -= TAU * turns;
                }
            }
        }
        self.evaluate(state);
    }

    /// Assembles the positions from any distance, each body by the shortest rotation. Returns the number of iterations.
    ///
    /// For joints far from assembled, the rows are replaced by angles first. If that does not assemble them, as when a loop closes
    /// only with opposed axes, the rows alone are used.
    pub fn solve_from_far(&mut self, state: &mut State, most: usize) -> usize {
        self.evaluate(state);
        let Some(joints) = angle_rows::joints_far_from_assembled(self.model, &self.scene, state, &self.eq) else {
            return self.solve(state, most);
        };
        let mut turned = state.clone();
        self.joints_by_angle.clone_from(&joints);
        let mut iterations = self.solve(&mut turned, most);
        self.joints_by_angle.clear();
        iterations += self.solve(&mut turned, most);
        let led = self.evaluate(&turned);
        if led.is_converged() && angle_rows::are_near_assembled(self.model, &self.scene, state.t, &joints) {
            state.clone_from(&turned);
            return iterations;
        }
        iterations = self.solve(state, most);
        if led.is_converged() && !self.evaluate(state).is_converged() {
            state.clone_from(&turned);
        }
        self.evaluate(state);
        iterations
    }

    /// Newton iterations until |φ| is round-off or there is no progress. Returns their number.
    pub fn solve(&mut self, state: &mut State, most: usize) -> usize {
        let mut trial = state.clone();
        let mut best = state.clone();
        let (mut shakes, mut best_phi, mut damped) = (0, f64::INFINITY, 0);
        for iteration in 0..most {
            if interruption::is_requested() {
                break;
            }
            let placed = self.evaluate(state);
            if placed.phi < best_phi {
                best_phi = placed.phi;
                best.clone_from(state);
            }
            if placed.position_met(0.25) {
                return iteration;
            }
            let scale = row_scales(self.model, &self.weights(), &self.eq);
            let merit = self.merit(&scale);
            let eq = self.eq.clone();
            let mut moved = false;
            for (i, &shift) in LEVENBERG_MARQUARDT_SHIFTS.iter().enumerate().skip(damped) {
                self.newton_direction(&eq, &scale, shift);
                if let Some(halvings) = self.line_search(state, &mut trial, &scale, merit) {
                    // Start the next search near the damping that worked, but come back to none.
                    damped = if halvings == 0 { i.saturating_sub(1) } else { i };
                    moved = true;
                    break;
                }
            }
            if moved {
                continue;
            }
            if damped > 0 {
                damped = 0;
                continue;
            }
            // Within round-off of the best that can be had, or a pose without a way out: shake it.
            if placed.phi <= 1e-12 * placed.size || shakes == MAX_PERTURBATIONS {
                break;
            }
            shakes += 1;
            self.perturb(state, shakes);
        }
        if self.evaluate(state).phi.is_nan() || best_phi < self.evaluate(state).phi {
            state.clone_from(&best);
        }
        most
    }

    /// Velocities at the pose: v ← v + δ with A δ = −φ̇, repeated with the true residual.
    pub fn solve_velocity(&mut self, state: &mut State) {
        let placed = self.evaluate(state);
        let scale = row_scales(self.model, &self.weights(), &self.eq);
        let mut projector = Projector::new(&self.eq.layout, &scale, &RankPolicy::default());
        projector.factor(&self.weights(), &self.eq.A);
        let mut best = placed.phidot;
        let mut trial = state.clone();
        let mut factored = self.eq.A.clone();
        for _ in 0..MAX_VELOCITY_ITERATIONS {
            // Rows that are not linear in the velocities have another Jacobian at each of them.
            if factored != self.eq.A {
                projector.factor(&self.weights(), &self.eq.A);
                factored.clone_from(&self.eq.A);
            }
            projector.project(&self.eq, &self.eq.phidot.clone(), &mut self.x);
            trial.v.iter_mut().zip(&self.x).for_each(|(v, d)| *v += d);
            let found = self.evaluate(&trial).phidot;
            if found.is_nan() || found >= best {
                break;
            }
            best = found;
            state.v.copy_from_slice(&trial.v);
        }
        self.evaluate(state);
    }

    /// Blocks of W at the current pose.
    pub fn weights(&self) -> Vec<f64> {
        let mut W = as_norm(&self.model.layout, &self.eq.M);
        for b in &self.model.bodies {
            let n = b.v.len();
            for (k, w) in W[b.mass.clone()].iter_mut().enumerate() {
                let (i, j) = (k % n, k / n);
                *w = match &self.weight {
                    ProjectionWeight::Mass => *w,
                    _ if i != j => 0.0,
                    ProjectionWeight::Identity => 1.0,
                    ProjectionWeight::Diagonal(d) => d[b.v.start + i],
                };
                *w *= self.weight_factors[b.v.start + i] * self.weight_factors[b.v.start + j];
            }
        }
        W
    }

    /// ½ Σ φ²/scale, independent of units.
    pub(super) fn merit(&self, scale: &[f64]) -> f64 {
        self.eq.phi.iter().zip(scale).map(|(p, s)| 0.5 * p * p / s).sum()
    }

    /// The correction δ of the current pose, in x.
    fn newton_direction(&mut self, eq: &Equations, scale: &[f64], shift: f64) {
        self.eq.clone_from(eq);
        let policy = RankPolicy { shift, refinements: if shift > 1e-6 { 0 } else { 2 }, ..RankPolicy::default() };
        let mut projector = Projector::new(&self.eq.layout, scale, &policy);
        projector.factor(&self.weights(), &eq.A);
        projector.project(eq, &eq.phi, &mut self.x);
    }

    /// Halves the step until the merit decreases sufficiently. Without success the state is unchanged.
    fn line_search(&mut self, state: &mut State, trial: &mut State, scale: &[f64], merit: f64) -> Option<usize> {
        if self.x.iter().any(|x| !x.is_finite()) {
            return None;
        }
        // If revolutions are counted, many may be missing.
        let farthest = self.largest_rotation();
        let mut fraction = if farthest > MAX_ROTATION_PER_STEP && !self.has_large_other_residuals() {
            MAX_ROTATION_PER_STEP / farthest
        } else {
            1.0
        };
        for halvings in 0..=MAX_STEP_HALVINGS {
            trial.clone_from(state);
            self.displace(trial, fraction);
            self.evaluate(trial);
            let found = self.merit(scale);
            // Sufficient decrease; the merit of a full Newton step would vanish.
            if found <= merit * (1.0 - 1e-2 * fraction) {
                state.clone_from(trial);
                return Some(halvings);
            }
            fraction *= 0.5;
        }
        None
    }

    /// Largest rotation of a body by the correction, rad.
    fn largest_rotation(&self) -> f64 {
        let turn = |b: &crate::model::BodyEntry| {
            b.v.clone().filter(|i| self.is_rotation[*i]).map(|i| self.x[i] * self.x[i]).sum::<f64>().sqrt()
        };
        self.model.bodies.iter().map(turn).fold(0.0, f64::max)
    }

    /// Whether a constraint other than a joint has a residual above one: it may count revolutions or prescribe an absolute angle.
    fn has_large_other_residuals(&self) -> bool {
        let others = self.model.constraints.iter().filter(|c| !matches!(c.kind, ConstraintKind::Joint(_)));
        others.flat_map(|c| &self.eq.phi[c.rows.clone()]).any(|phi| phi.abs() > 1.0)
    }

    pub(super) fn displace(&self, state: &mut State, fraction: f64) {
        for b in &self.model.bodies {
            let delta: Vec<f64> = self.x[b.v.clone()].iter().map(|d| d * fraction).collect();
            each_body!(&b.kind, body => body.displace(&mut state.q[b.q.clone()], &delta));
        }
    }

    /// Perturbs a symmetric pose by a small fixed pattern of displacements, smaller for locked velocities.
    fn perturb(&mut self, state: &mut State, turn: usize) {
        for (i, x) in self.x[..self.model.sizes.v].iter_mut().enumerate() {
            let pattern = ((i * 7919 + turn * 104_729) % 17) as f64 / 8.0 - 1.0;
            *x = 0.05 * pattern / self.weight_factors[i];
        }
        self.displace(state, 1.0);
    }

    /// Joints assembled with opposed axes or angle: their rows vanish there too.
    pub fn reversed_joints(&self, state: &State) -> Vec<String> {
        let mut names = Vec::new();
        // Inactive joints do not matter.
        let active =
            self.model.constraints.iter().zip(&state.modes).filter(|(_, mode)| **mode == ConstraintMode::Active);
        for (c, _) in active {
            let ConstraintKind::Joint(joint) = &c.kind else { continue };
            let (A, B) = (&self.scene.motions[c.markers[0]], &self.scene.motions[c.markers[1]]);
            let tilted = matches!(joint.rotation, RotationMask::Parallel | RotationMask::Locked(_))
                && A.axis(2).dot(&B.axis(2)) < 0.0;
            let angle = match &joint.rotation {
                RotationMask::About(hold) | RotationMask::Locked(hold) => match hold {
                    Prescription::Fixed => Some(0.0),
                    Prescription::Position(signal) => Some(signal.at(state.t).f),
                    _ => None,
                },
                _ => None,
            };
            let turned = angle.is_some_and(|angle| {
                let (s, c) = angle.sin_cos();
                (A.axis(0) * c + A.axis(1) * s).dot(&B.axis(0)) < 0.0
            });
            if tilted || turned {
                names.push(c.name.clone());
            }
        }
        names
    }
}
