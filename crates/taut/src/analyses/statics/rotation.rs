//! Steady rotation of all bodies about an axis: p → v = Ω×(p − c), v̇ = Ω×(Ω×(p − c)), ω = Ω.
//!
//! Such a mechanism is at rest in the rotating frame: a relative equilibrium, M v̇ − f − Bᵀλ = 0 with v and v̇ functions of the
//! pose. Bodies that rows hold against the rotation (a fuselage, a swashplate, the seat of a bearing) are at rest instead.

use super::StaticsError;
use crate::analyses::linear::rotating_frame::frame_motion;
use crate::bodies::SteadyRotation;
use crate::equations::{Equations, MarkerKinematics, StateView, assemble_positions, assemble_rates};
use crate::model::Model;
use crate::motion::Vec3;
use crate::state::State;

/// Rates of rows above this, relative to those of the rotation, contradict it.
const RATE_TOLERANCE: f64 = 1e-6;

/// A rotation about an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UniformRotation {
    /// A point of the axis, m.
    pub point: [f64; 3],
    /// Ω: direction of the axis times the speed, rad/s.
    pub omega: [f64; 3],
}

impl UniformRotation {
    /// About an axis through the origin.
    pub fn about(axis: [f64; 3], speed: f64) -> UniformRotation {
        let axis = Vec3::from(axis);
        let length = axis.norm();
        let omega = if length > 0.0 { axis * (speed / length) } else { Vec3::repeat(f64::NAN) };
        UniformRotation { point: [0.0; 3], omega: omega.into() }
    }

    /// The same about an axis through another point.
    pub fn through(mut self, point: [f64; 3]) -> UniformRotation {
        self.point = point;
        self
    }

    /// Checks that the numbers are finite and every body supports the rotation.
    pub(super) fn check(&self, model: &Model) -> Result<(), StaticsError> {
        if let Some(found) = self.omega.iter().chain(&self.point).find(|x| !x.is_finite()) {
            return Err(super::AnalysisError::Setting { name: "rotation", found: *found }.into());
        }
        let state = model.initial_state();
        for b in &model.bodies {
            let (mut v, mut vdot) = (vec![0.0; b.v.len()], vec![0.0; b.v.len()]);
            let (point, omega) = (Vec3::from(self.point), Vec3::from(self.omega));
            let how = b.kind.body().steady_rotation(&state.q[b.q.clone()], &point, &omega, &mut v, &mut vdot);
            if let SteadyRotation::Unsupported(why) = how {
                return Err(StaticsError::RotationUnsupported { body: b.name.clone(), why });
            }
        }
        Ok(())
    }
}

/// A rotation, and the bodies that do not take part in it.
#[derive(Clone, Debug)]
pub(super) struct BodyRotation {
    pub rotation: UniformRotation,
    at_rest: Vec<bool>,
}

impl BodyRotation {
    /// The rotation of an assembled pose. Where rows contradict it, bodies are put to rest one by one: of those that satisfy a row, the
    /// one with the fewest contradictions, then the one that rotates least in the given state. If contradictions are left, all rotate.
    pub fn of(rotation: UniformRotation, model: &Model, pose: &State, given: &State) -> BodyRotation {
        let omega = Vec3::from(rotation.omega);
        let spin = |b: usize| {
            let own = frame_motion(&model.bodies[b], given);
            let round = omega.cross(&(own.p - Vec3::from(rotation.point)));
            own.w.dot(&omega).abs().max(own.v.dot(&round).abs() / round.norm_squared().max(f64::MIN_POSITIVE))
        };
        let mut found = BodyRotation { rotation, at_rest: vec![false; model.bodies.len()] };
        for _ in 0..=model.bodies.len() {
            let contradicting = found.contradictions(model, pose);
            let Some(first) = contradicting.first() else { return found };
            let mut best: Option<(usize, f64, usize)> = None;
            let mut held: Vec<usize> = model.constraints[*first].blocks.iter().map(|block| block.body).collect();
            held.dedup();
            for b in held.into_iter().filter(|b| !found.at_rest[*b]) {
                let mut tried = found.clone();
                tried.at_rest[b] = true;
                let left = tried.contradictions(model, pose);
                let better = |(count, least, _): &(usize, f64, usize)| {
                    left.len() < *count || (left.len() == *count && spin(b) < *least)
                };
                if !left.contains(first) && best.as_ref().is_none_or(better) {
                    best = Some((left.len(), spin(b), b));
                }
            }
            let Some((_, _, b)) = best else { break };
            found.at_rest[b] = true;
        }
        BodyRotation { rotation, at_rest: vec![false; model.bodies.len()] }
    }

    /// Constraints whose rates contradict the rotation.
    fn contradictions(&self, model: &Model, pose: &State) -> Vec<usize> {
        let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
        let (mut state, mut vdot) = (pose.clone(), vec![0.0; model.sizes.v]);
        self.set_rates(model, &mut state, &mut vdot);
        let at = StateView::from(&state);
        assemble_positions(model, at, &mut scene, &mut eq);
        assemble_rates(model, at, &mut scene, &mut eq);
        let fastest = state.v.iter().fold(Vec3::from(self.rotation.omega).norm(), |a, v| a.max(v.abs()));
        let off = |c: &usize| {
            eq.phidot[model.constraints[*c].rows.clone()].iter().any(|r| r.abs() > RATE_TOLERANCE * fastest)
        };
        (0..model.constraints.len()).filter(off).collect()
    }

    /// Sets v and v̇ of all bodies.
    pub fn set_rates(&self, model: &Model, state: &mut State, vdot: &mut [f64]) {
        let (point, omega) = (Vec3::from(self.rotation.point), Vec3::from(self.rotation.omega));
        for (b, at_rest) in model.bodies.iter().zip(&self.at_rest) {
            let (v, vdot) = (&mut state.v[b.v.clone()], &mut vdot[b.v.clone()]);
            if *at_rest {
                v.fill(0.0);
                vdot.fill(0.0);
            } else {
                b.kind.body().steady_rotation(&state.q[b.q.clone()], &point, &omega, v, vdot);
            }
        }
    }

    /// ∂v/∂δ and ∂v̇/∂δ of a body with `n` velocities, the first of which are those of its reference point: Ω× and Ω×Ω× there, zero
    /// for its rotations and for a body at rest.
    pub fn rate_derivatives(&self, body: usize, n: usize) -> [nalgebra::DMatrix<f64>; 2] {
        let cross = Vec3::from(self.rotation.omega).cross_matrix();
        let twice = cross * cross;
        // For a planar body the z row and column of Ω× are zero, which is where its angle is stored.
        let points = if self.at_rest[body] { 0 } else { n.min(3) };
        [cross, twice].map(|block| {
            nalgebra::DMatrix::from_fn(n, n, |i, j| if i < points && j < points { block[(i, j)] } else { 0.0 })
        })
    }
}
