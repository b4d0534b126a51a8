//! Energy of the current state: kinetic and potential energy, power, and the control of the energy balance.

use super::Dynamics;
use crate::constraints::{ElementInput, RowLevel};
use crate::drift::{DriftControl, energy_scale_factor};
use crate::equations::{Equations, MarkerKinematics, StateView, assemble_residual_rates, assemble_twists};
use crate::forces::Conservation;
use crate::model::{BodyEntry, Model};
use crate::motion::Motion;

impl Dynamics<'_> {
    /// Restores the required energy by scaling the motion along the manifold; y lies on the manifold, and the equations
    /// belong to y.
    pub fn restore_energy(&mut self, t: f64, y: &mut [f64], due: f64) {
        let Some(projection) = &mut self.projection else { return };
        let s = self.model.sizes;
        let (q, rest) = y.split_at_mut(s.q);
        let (v, rest) = rest.split_at_mut(s.v);
        let z = &rest[..s.z];
        self.formulation.prepare(&self.eq);
        projection.prepare(&self.eq);
        // v₀, the smallest velocity that satisfies the moving constraints.
        let given = projection.project(&mut *self.formulation, &self.eq, &self.eq.phi_t);
        self.v.copy_from_slice(given);
        let modes = &self.modes;
        let kinetic = |v: &[f64], scene: &mut MarkerKinematics, eq: &mut Equations| {
            assemble_twists(self.model, StateView { t, q, v, z, modes }, scene, eq);
            let own = |b: &BodyEntry| {
                b.kind.body().kinetic(&q[b.q.clone()], &v[b.v.clone()], &scene.motions[b.markers.start])
            };
            self.model.bodies.iter().map(own).sum::<f64>()
        };
        // T = T₀ + c s + T₁ s², where c vanishes if v₀ is smallest in the norm of M.
        let least = kinetic(&self.v, &mut self.kinematics, &mut self.eq);
        v.iter_mut().zip(&self.v).for_each(|(v, v0)| *v -= v0);
        let own = kinetic(v, &mut self.kinematics, &mut self.eq);
        v.iter_mut().zip(&self.v).for_each(|(v, v0)| *v += v0);
        let cross = kinetic(v, &mut self.kinematics, &mut self.eq) - least - own;
        let (_, potential) = self.energy(q, v, z, t);
        if let Some(factor) = energy_scale_factor(own, cross, due - potential - least) {
            v.iter_mut().zip(&self.v).for_each(|(v, v0)| *v = v0 + factor * (*v - v0));
            let at = StateView { t, q, v, z, modes: &self.modes };
            assemble_twists(self.model, at, &mut self.kinematics, &mut self.eq);
        }
        assemble_residual_rates(self.model, StateView { t, q, v, z, modes: &self.modes }, &mut self.eq);
    }

    /// Whether the drift control enforces the energy balance.
    pub fn controls_energy(&self) -> bool {
        matches!(self.drift, DriftControl::Energy(_))
    }

    /// Kinetic and potential energy at the last state.
    pub fn energy(&self, q: &[f64], v: &[f64], z: &[f64], t: f64) -> (f64, f64) {
        energy(self.model, &self.kinematics.motions, StateView { t, q, v, z, modes: &self.modes })
    }

    /// Power that enters through open forces and moving constraints at the last state.
    pub fn power(&mut self, t: f64, q: &[f64], v: &[f64], z: &[f64]) -> f64 {
        let mut power = 0.0;
        for b in &self.model.bodies {
            power += b.kind.body().nonconservative_power(t, &q[b.q.clone()], &v[b.v.clone()], &z[b.z.clone()]);
        }
        for f in self.model.forces.iter().filter(|f| f.kind.force().conservation() == Conservation::NonConservative) {
            let view = ElementInput { t, motions: &self.kinematics.motions, markers: &f.markers, z: &z[f.z.clone()] };
            let on = &mut self.wrenches[..f.markers.len()];
            f.kind.force().apply(&view, on);
            power += f.kind.force().nonconservative_power(&view, on);
        }
        // λᵀ A v with A v = −φ_t: only moving constraints do work. Rows given as accelerations have no φ_t.
        for c in &self.model.constraints {
            for (i, r) in c.rows.clone().enumerate() {
                let rate = match self.model.rows[r].level {
                    RowLevel::Acceleration => self.eq.row_times(c, i, v),
                    RowLevel::Position | RowLevel::Velocity => -self.eq.phi_t[r],
                };
                power += self.lambda[r] * rate;
            }
        }
        power + self.slip_drive_power()
    }
}

/// Kinetic and potential energy of a model whose marker motions belong to the state.
pub(crate) fn energy(model: &Model, motions: &[Motion], at: StateView) -> (f64, f64) {
    let StateView { t, q, v, z, .. } = at;
    let (mut kinetic, mut potential) = (0.0, 0.0);
    for b in &model.bodies {
        let own = &motions[b.markers.start];
        kinetic += b.kind.body().kinetic(&q[b.q.clone()], &v[b.v.clone()], own);
        potential += b.kind.body().potential(&q[b.q.clone()], own, &model.gravity);
    }
    for f in &model.forces {
        let view = ElementInput { t, motions, markers: &f.markers, z: &z[f.z.clone()] };
        potential += f.kind.force().potential(&view);
    }
    (kinetic, potential)
}
