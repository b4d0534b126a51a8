//! The mechanism as equations of second order, for methods that take the constraints at position level:
//!
//! ```text
//!  r = M v̇ − f − Bᵀλ = 0        φ = 0, ψ = 0 or A v̇ = b, whichever level a row is given at
//!  [m M + c C + K   −m Bᵀ] (δ      )   (r  )
//!  [m A (m c A, m² A) E  ] (Δλ / m ) = (m g)
//! ```
//!
//! Multipliers and rows are scaled by m ~ 1/h², so that the matrix does not lose its digits with small steps.

use super::Dynamics;
use crate::bodies::{Body, each_body};
use crate::constraints::Level;
use crate::equations::{At, carry, place};
use crate::tangent::{Bordered, Singular};
use taut_ode::Refusal;

/// The factor of second-order methods, and m.
#[derive(Debug)]
pub(crate) struct Scaled {
    matrix: Bordered<f64>,
    mass: f64,
}

impl Dynamics<'_> {
    /// q of y displaced by δ.
    pub fn displace(&self, q: &mut [f64], delta: &[f64]) {
        for b in &self.model.bodies {
            each_body!(&b.kind, body => body.displace(&mut q[b.q.clone()], &delta[b.v.clone()]));
        }
    }

    /// The rate of the displacement δ that led to a pose, where the velocity is v.
    pub fn unroll(&self, delta: &[f64], v: &[f64], rate: &mut [f64]) {
        for b in &self.model.bodies {
            let v_b = b.v.clone();
            each_body!(&b.kind, body => body.unroll(&delta[v_b.clone()], &v[v_b.clone()], &mut rate[v_b]));
        }
    }

    /// r and g at a state with given accelerations and multipliers; ż is left in the equations.
    pub fn residual(&mut self, t: f64, y: &[f64], vdot: &[f64], lambda: &[f64], r: &mut [f64], g: &mut [f64]) {
        let s = self.model.sizes;
        let (q, rest) = y.split_at(s.q);
        let at = At { t, q, v: &rest[..s.v], z: &rest[s.v..s.v + s.z], modes: &self.modes };
        place(self.model, at, &mut self.scene, &mut self.eq);
        carry(self.model, at, &mut self.scene, &mut self.eq);
        self.eq.mass_times(vdot, r);
        r.iter_mut().zip(&self.eq.f).for_each(|(r, f)| *r -= f);
        self.eq.subtract_reactions(lambda, r);
        for (row, g) in g.iter_mut().enumerate() {
            *g = match self.model.rows[row].level {
                Level::Position => self.eq.phi[row],
                Level::Velocity => self.eq.phidot[row],
                Level::Acceleration => 0.0,
            };
        }
        for (c, entry) in self.model.constraints.iter().enumerate() {
            for (i, row) in entry.rows.clone().enumerate() {
                let held = self.modes[c].held(&entry.law).has(i);
                if held && self.model.rows[row].level == Level::Acceleration {
                    g[row] = self.eq.row_times(entry, i, vdot) - self.eq.b[row];
                }
            }
        }
    }

    /// Takes the derivatives of r there.
    pub fn derive_residual(&mut self, t: f64, y: &[f64], vdot: &[f64], lambda: &[f64]) {
        let s = self.model.sizes;
        let (q, rest) = y.split_at(s.q);
        let modes = self.modes.clone();
        self.derive_at(At { t, q, v: &rest[..s.v], z: &rest[s.v..s.v + s.z], modes: &modes }, vdot, lambda);
    }

    /// Factors the scaled matrix.
    pub fn factor_residual(&mut self, mass: f64, damping: f64) -> Result<(), Refusal> {
        let model = self.model;
        let kept = self.implicit.as_mut().ok_or(Refusal::OutsideDomain)?;
        let refused = |_: Singular| Refusal::NotConverged;
        let mut matrix = match kept.second.take() {
            Some(scaled) => scaled.matrix,
            None => Bordered::new(model, &kept.tangent.pattern).map_err(refused)?,
        };
        let t = &kept.tangent;
        let body = matrix.body();
        body.iter_mut().zip(t.K.iter().zip(&t.C)).for_each(|(x, (K, C))| *x = K + damping * C);
        for (b, entry) in model.bodies.iter().enumerate() {
            let Some(start) = t.pattern.start(b, b) else { continue };
            let M = &kept.M[entry.mass.clone()];
            body[start..].iter_mut().zip(M).for_each(|(x, M)| *x += mass * M);
        }
        let rows = matrix.rows();
        for c in &model.constraints {
            for block in &c.blocks {
                let n = model.bodies[block.body].v.len();
                for (r, row) in c.rows.clone().enumerate() {
                    let factor = match model.rows[row].level {
                        Level::Position => mass,
                        Level::Velocity => mass * damping,
                        Level::Acceleration => mass * mass,
                    };
                    let values = block.start + r * n..block.start + (r + 1) * n;
                    rows[values.clone()].iter_mut().zip(&kept.A[values]).for_each(|(x, a)| *x = factor * a);
                }
            }
        }
        matrix.reactions().iter_mut().zip(&kept.B).for_each(|(x, b)| *x = -mass * b);
        matrix.shift().iter_mut().zip(&kept.shift).for_each(|(x, e)| *x = mass * e);
        // Extra states follow by themselves.
        matrix.z_own().fill(1.0);
        matrix.sparse.factor().map_err(refused)?;
        kept.second = Some(Scaled { matrix, mass });
        Ok(())
    }

    /// (r, g) → (δ, Δλ).
    pub fn solve_residual(&mut self, r: &mut [f64], g: &mut [f64]) -> Result<(), Refusal> {
        let (n, m) = (r.len(), g.len());
        let kept = self.implicit.as_mut().ok_or(Refusal::OutsideDomain)?;
        let Some(Scaled { matrix, mass }) = &mut kept.second else { return Err(Refusal::OutsideDomain) };
        let mut x = vec![0.0; n + m + self.model.sizes.z];
        x[..n].copy_from_slice(r);
        x[n..n + m].iter_mut().zip(g.iter()).for_each(|(x, g)| *x = *mass * g);
        matrix.sparse.solve(&mut x).map_err(|_| Refusal::NotConverged)?;
        r.copy_from_slice(&x[..n]);
        g.iter_mut().zip(&x[n..]).for_each(|(g, x)| *g = *mass * x);
        Ok(())
    }
}
