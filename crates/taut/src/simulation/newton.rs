//! Newton's method on φ with minimal corrections, robust far from the solution and with dependent rows.

use super::{AnalysisError, turning};
use crate::bodies::{Body, Manifold, Symmetry, each_body};
use crate::constraints::{ConstraintKind, Hold, Level, Turning};
use crate::drift::{Weight, largest, row_scale};
use crate::equations::{Equations, Scene, place};
use crate::error::did_you_mean;
use crate::kkt::{Policy, Projector};
use crate::model::Model;
use crate::state::{Mode, State};
use std::f64::consts::TAU;

/// |φ| and |φ̇| that count as round-off, relative to the size of q and v.
const ROUND_OFF: f64 = 4e-15;
/// Weight of a locked velocity, relative to a free one.
const HEAVY: f64 = 1e10;
/// Levenberg-Marquardt shifts, tried in turn if a full Newton step does not reduce |φ|.
const SHIFTS: [f64; 4] = [1e-8, 1e-3, 1e-1, 1e1];
/// Most halvings of a step.
const HALVINGS: usize = 6;
/// Largest rotation of a body in one step, rad: beyond it the linearisation of sines and cosines is useless.
const TURN: f64 = 1.0;
/// Most iterations on the velocities; rows that are linear in them need one or two.
const VELOCITY_ITERATIONS: usize = 30;
/// Most perturbations of a pose without progress.
const SHAKES: usize = 2;

/// Residuals of a placed state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    /// Largest |φ|.
    pub phi: f64,
    /// Largest |φ̇|.
    pub phidot: f64,
    /// 1 + largest |q|.
    pub size: f64,
    /// 1 + largest |v|.
    pub speed: f64,
}

impl Placed {
    /// Whether the positions meet the constraints, `slack` times round-off allowed.
    pub fn position_met(&self, slack: f64) -> bool {
        self.phi <= slack * ROUND_OFF * self.size
    }

    /// Whether the positions are as good as an iteration can make them.
    fn closed(&self) -> bool {
        self.phi <= 1e-11 * self.size
    }

    /// Whether the velocities meet the constraints.
    pub fn velocity_met(&self, slack: f64) -> bool {
        self.phidot <= slack * ROUND_OFF * self.size * self.speed
    }
}

/// The equations of one model, evaluated repeatedly.
#[derive(Debug)]
pub(crate) struct Newton<'m> {
    pub model: &'m Model,
    pub scene: Scene,
    pub eq: Equations,
    weight: Weight,
    /// Square root of the weight factor of each velocity.
    heavy: Vec<f64>,
    /// Which velocities are rotations.
    turns: Vec<bool>,
    /// Joints whose rows are replaced by angles while they are far from assembled.
    by_angle: Vec<usize>,
    x: Vec<f64>,
}

impl<'m> Newton<'m> {
    /// For a model, with the norm and the bodies or velocities to lock.
    pub fn new(model: &'m Model, state: &State, weight: &Weight, held: &[String]) -> Result<Newton<'m>, AnalysisError> {
        let n = model.sizes.v;
        if let Weight::Diagonal(w) = weight
            && (w.len() != n || w.iter().any(|w| !w.is_finite() || *w <= 0.0))
        {
            return Err(AnalysisError::Weights { found: w.len(), needed: n });
        }
        let mut heavy = vec![1.0; n];
        let (_, velocities) = model.state_names();
        for name in held {
            if let Some(b) = model.body(name) {
                heavy[model.bodies[b].v.clone()].fill(HEAVY.sqrt());
            } else if let Some(i) = velocities.iter().position(|v| v.name == *name) {
                heavy[i] = HEAVY.sqrt();
            } else {
                let known =
                    model.bodies.iter().map(|b| b.name.as_str()).chain(velocities.iter().map(|v| v.name.as_str()));
                return Err(AnalysisError::UnknownHeld { name: name.clone(), hint: did_you_mean(name, known) });
            }
        }
        // A non-symmetric M is no norm.
        let weight = match (weight, model.symmetry()) {
            (Weight::Mass, Symmetry::NonSymmetric) => Weight::Identity,
            (w, _) => w.clone(),
        };
        let (mut scene, mut eq) = (Scene::new(model), Equations::new(model));
        place(model, state.into(), &mut scene, &mut eq);
        let turns = velocities.iter().map(|v| v.unit == "rad/s").collect();
        let x = vec![0.0; n + model.rows.len()];
        Ok(Newton { model, scene, eq, weight, heavy, turns, by_angle: Vec::new(), x })
    }

    /// Evaluates the equations at a state.
    pub fn place(&mut self, state: &State) -> Placed {
        place(self.model, state.into(), &mut self.scene, &mut self.eq);
        turning::measure(self.model, &self.scene, state, &self.by_angle, &mut self.eq);
        Placed {
            phi: largest(&self.eq.phi),
            phidot: largest(&self.eq.phidot),
            size: 1.0 + largest(&state.q),
            speed: 1.0 + largest(&state.v),
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
    pub fn choose_turns(&mut self, state: &mut State) {
        for c in &self.model.constraints {
            let ConstraintKind::Relation(relation) = &c.kind else { continue };
            let factor = relation.terms.iter().find(|t| t.of.states() == 1).map(|t| t.factor);
            if let (1, Some(k)) = (c.z.len(), factor)
                && k != 0.0
                && self.model.rows[c.rows.start].level == Level::Position
            {
                let turns = (self.eq.phi[c.rows.start] / (k * TAU)).round();
                if turns.is_finite() {
                    state.z[c.z.start] -= TAU * turns;
                }
            }
        }
        self.place(state);
    }

    /// Assembles the positions from any distance, each body by the shortest rotation. Returns the number of iterations.
    ///
    /// For joints far from assembled, the rows are replaced by angles first. If that does not assemble them, as when a loop closes
    /// only with opposed axes, the rows alone are used.
    pub fn close(&mut self, state: &mut State, most: usize) -> usize {
        self.place(state);
        let Some(joints) = turning::far(self.model, &self.scene, state, &self.eq) else {
            return self.solve(state, most);
        };
        let mut turned = state.clone();
        self.by_angle.clone_from(&joints);
        let mut iterations = self.solve(&mut turned, most);
        self.by_angle.clear();
        iterations += self.solve(&mut turned, most);
        let led = self.place(&turned);
        if led.closed() && turning::home(self.model, &self.scene, state.t, &joints) {
            state.clone_from(&turned);
            return iterations;
        }
        iterations = self.solve(state, most);
        if led.closed() && !self.place(state).closed() {
            state.clone_from(&turned);
        }
        self.place(state);
        iterations
    }

    /// Newton iterations until |φ| is round-off or there is no progress. Returns their number.
    pub fn solve(&mut self, state: &mut State, most: usize) -> usize {
        let mut trial = state.clone();
        let mut best = state.clone();
        let (mut shakes, mut best_phi, mut damped) = (0, f64::INFINITY, 0);
        for iteration in 0..most {
            let placed = self.place(state);
            if placed.phi < best_phi {
                best_phi = placed.phi;
                best.clone_from(state);
            }
            if placed.position_met(0.25) {
                return iteration;
            }
            let scale = row_scale(self.model, &self.weights(), &self.eq);
            let merit = self.merit(&scale);
            let eq = self.eq.clone();
            let mut moved = false;
            for (i, &shift) in SHIFTS.iter().enumerate().skip(damped) {
                self.direction(&eq, &scale, shift);
                if let Some(halvings) = self.search(state, &mut trial, &scale, merit) {
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
            if placed.phi <= 1e-12 * placed.size || shakes == SHAKES {
                break;
            }
            shakes += 1;
            self.shake(state, shakes);
        }
        if self.place(state).phi.is_nan() || best_phi < self.place(state).phi {
            state.clone_from(&best);
        }
        most
    }

    /// Velocities at the pose: v ← v + δ with A δ = −φ̇, repeated with the true residual.
    pub fn solve_velocity(&mut self, state: &mut State) {
        let placed = self.place(state);
        let scale = row_scale(self.model, &self.weights(), &self.eq);
        let mut projector = Projector::new(&self.eq.layout, &scale, &Policy::default());
        projector.factor(&self.weights(), &self.eq.A);
        let mut best = placed.phidot;
        let mut trial = state.clone();
        let mut factored = self.eq.A.clone();
        for _ in 0..VELOCITY_ITERATIONS {
            // Rows that are not linear in the velocities have another Jacobian at each of them.
            if factored != self.eq.A {
                projector.factor(&self.weights(), &self.eq.A);
                factored.clone_from(&self.eq.A);
            }
            projector.project(&self.eq, &self.eq.phidot.clone(), &mut self.x);
            trial.v.iter_mut().zip(&self.x).for_each(|(v, d)| *v += d);
            let found = self.place(&trial).phidot;
            if found.is_nan() || found >= best {
                break;
            }
            best = found;
            state.v.copy_from_slice(&trial.v);
        }
        self.place(state);
    }

    /// Blocks of W at the current pose.
    pub fn weights(&self) -> Vec<f64> {
        let mut W = self.eq.M.clone();
        for b in &self.model.bodies {
            let n = b.v.len();
            for (k, w) in W[b.mass.clone()].iter_mut().enumerate() {
                let (i, j) = (k % n, k / n);
                *w = match &self.weight {
                    Weight::Mass => *w,
                    _ if i != j => 0.0,
                    Weight::Identity => 1.0,
                    Weight::Diagonal(d) => d[b.v.start + i],
                };
                *w *= self.heavy[b.v.start + i] * self.heavy[b.v.start + j];
            }
        }
        W
    }

    /// ½ Σ φ²/scale, independent of units.
    fn merit(&self, scale: &[f64]) -> f64 {
        self.eq.phi.iter().zip(scale).map(|(p, s)| 0.5 * p * p / s).sum()
    }

    /// The correction δ of the current pose, in x.
    fn direction(&mut self, eq: &Equations, scale: &[f64], shift: f64) {
        self.eq.clone_from(eq);
        let policy = Policy { shift, refinements: if shift > 1e-6 { 0 } else { 2 }, ..Policy::default() };
        let mut projector = Projector::new(&self.eq.layout, scale, &policy);
        projector.factor(&self.weights(), &eq.A);
        projector.project(eq, &eq.phi, &mut self.x);
    }

    /// Halves the step until the merit decreases sufficiently. Without success the state is unchanged.
    fn search(&mut self, state: &mut State, trial: &mut State, scale: &[f64], merit: f64) -> Option<usize> {
        if self.x.iter().any(|x| !x.is_finite()) {
            return None;
        }
        // If revolutions are counted, many may be missing.
        let farthest = self.farthest_turn();
        let mut share = if farthest > TURN && !self.counted() { TURN / farthest } else { 1.0 };
        for halvings in 0..=HALVINGS {
            trial.clone_from(state);
            self.displace(trial, share);
            self.place(trial);
            let found = self.merit(scale);
            // Sufficient decrease; the merit of a full Newton step would vanish.
            if found <= merit * (1.0 - 1e-2 * share) {
                state.clone_from(trial);
                return Some(halvings);
            }
            share *= 0.5;
        }
        None
    }

    /// Largest rotation of a body by the correction, rad.
    fn farthest_turn(&self) -> f64 {
        let turn = |b: &crate::model::BodyEntry| {
            b.v.clone().filter(|i| self.turns[*i]).map(|i| self.x[i] * self.x[i]).sum::<f64>().sqrt()
        };
        self.model.bodies.iter().map(turn).fold(0.0, f64::max)
    }

    /// Whether a constraint other than a joint has a residual above one: it may count revolutions or prescribe an absolute angle.
    fn counted(&self) -> bool {
        let others = self.model.constraints.iter().filter(|c| !matches!(c.kind, ConstraintKind::Joint(_)));
        others.flat_map(|c| &self.eq.phi[c.rows.clone()]).any(|phi| phi.abs() > 1.0)
    }

    fn displace(&self, state: &mut State, share: f64) {
        for b in &self.model.bodies {
            let delta: Vec<f64> = self.x[b.v.clone()].iter().map(|d| d * share).collect();
            each_body!(&b.kind, body => body.displace(&mut state.q[b.q.clone()], &delta));
        }
    }

    /// Perturbs a symmetric pose by a small fixed pattern of displacements, smaller for locked velocities.
    fn shake(&mut self, state: &mut State, turn: usize) {
        for (i, x) in self.x[..self.model.sizes.v].iter_mut().enumerate() {
            let pattern = ((i * 7919 + turn * 104_729) % 17) as f64 / 8.0 - 1.0;
            *x = 0.05 * pattern / self.heavy[i];
        }
        self.displace(state, 1.0);
    }

    /// Joints assembled with opposed axes or angle: their rows vanish there too.
    pub fn flipped(&self, state: &State) -> Vec<String> {
        let mut names = Vec::new();
        // Inactive joints do not matter.
        let active = self.model.constraints.iter().zip(&state.modes).filter(|(_, mode)| **mode == Mode::Active);
        for (c, _) in active {
            let ConstraintKind::Joint(joint) = &c.kind else { continue };
            let (A, B) = (&self.scene.motions[c.markers[0]], &self.scene.motions[c.markers[1]]);
            let tilted =
                matches!(joint.turning, Turning::Parallel | Turning::Locked(_)) && A.axis(2).dot(&B.axis(2)) < 0.0;
            let angle = match &joint.turning {
                Turning::About(hold) | Turning::Locked(hold) => match hold {
                    Hold::Held => Some(0.0),
                    Hold::Position(signal) => Some(signal.at(state.t).f),
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
