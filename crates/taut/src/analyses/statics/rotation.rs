//! Steady rotation of all bodies about an axis: p → v = Ω×(p − c), v̇ = Ω×(Ω×(p − c)), ω = Ω.
//!
//! Such a mechanism is at rest in the rotating frame: a relative equilibrium, M v̇ − f − Bᵀλ = 0 with v and v̇ functions of the
//! pose.

use super::StaticsError;
use crate::bodies::SteadyRotation;
use crate::model::Model;
use crate::motion::Vec3;
use crate::state::State;

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

    /// Sets v and v̇ of all bodies.
    pub(super) fn set_rates(&self, model: &Model, state: &mut State, vdot: &mut [f64]) {
        let (point, omega) = (Vec3::from(self.point), Vec3::from(self.omega));
        for b in &model.bodies {
            let (v, vdot) = (&mut state.v[b.v.clone()], &mut vdot[b.v.clone()]);
            b.kind.body().steady_rotation(&state.q[b.q.clone()], &point, &omega, v, vdot);
        }
    }

    /// ∂v/∂δ and ∂v̇/∂δ of a body whose first velocities are those of its reference point: Ω× and Ω×Ω× there, zero
    /// for its rotations.
    pub(super) fn rate_derivatives(&self, n: usize) -> [nalgebra::DMatrix<f64>; 2] {
        let cross = Vec3::from(self.omega).cross_matrix();
        let twice = cross * cross;
        // For a planar body the z row and column of Ω× are zero, which is where its angle is stored.
        let points = n.min(3);
        [cross, twice].map(|block| {
            nalgebra::DMatrix::from_fn(n, n, |i, j| if i < points && j < points { block[(i, j)] } else { 0.0 })
        })
    }
}
