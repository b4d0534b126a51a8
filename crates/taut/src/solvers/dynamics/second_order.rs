//! The mechanism as second-order equations, for methods that enforce the constraints at position level:
//!
//! ```text
//!  r = M v̇ − f − Bᵀλ = 0        φ = 0, ψ = 0 or A v̇ = b, whichever level a row is given at
//!  [m M + c C + K   −m Bᵀ] (δ      )   (r  )
//!  [m A (m c A, m² A) E  ] (Δλ / m ) = (m g)
//! ```
//!
//! Multipliers and rows are scaled by m ~ 1/h², so that the matrix does not lose digits with small steps.
//!
//! δ and r are in the axes of the step ([`convected`](super::convected)); the matrix belongs to the state of its
//! derivatives, in world axes.

use super::convected::{compose_screws, screw_derivatives, screw_displacement};
use super::implicit::ImplicitWorkspace;
use super::{Dynamics, UpdateAxes};
use crate::bodies::{Body, BodyAxes, Manifold, ReferenceFrame, each_body};
use crate::constraints::RowLevel;
use crate::equations::{StateView, assemble, assemble_positions, assemble_rates};
use crate::model::Model;
use crate::tangent::{BorderedMatrix, Singular};
use taut_ode::Refusal;

/// The factor of second-order methods, and m.
#[derive(Debug)]
pub(crate) struct ScaledSystem {
    matrix: BorderedMatrix<f64>,
    mass_factor: f64,
    x: Vec<f64>,
}

impl Dynamics<'_> {
    /// q of y displaced by δ.
    pub fn displace(&self, q: &mut [f64], delta: &[f64]) {
        for b in &self.model.bodies {
            each_body!(&b.kind, body => {
                let (q, delta) = (&mut q[b.q.clone()], &delta[b.v.clone()]);
                match self.update {
                    UpdateAxes::Spatial => body.displace(q, delta),
                    UpdateAxes::Convected => match body.body_axes(q) {
                        BodyAxes::None => body.displace(q, delta),
                        axes => {
                            let mut world = [0.0; 6];
                            let world = &mut world[..delta.len()];
                            screw_displacement(&axes, delta, world);
                            body.displace(q, world);
                        }
                    },
                }
            });
        }
    }

    /// q̇ = N(q) v.
    pub fn coordinate_rates(&self, q: &[f64], v: &[f64], qdot: &mut [f64]) {
        for b in &self.model.bodies {
            let qdot = &mut qdot[b.q.clone()];
            each_body!(&b.kind, body => body.coordinate_rates(&q[b.q.clone()], &v[b.v.clone()], qdot));
        }
    }

    /// The rate of the displacement δ that led to a pose, for the velocity v.
    pub fn displacement_rate(&self, q: &[f64], delta: &[f64], v: &[f64], rate: &mut [f64]) {
        for b in &self.model.bodies {
            let (delta, v, rate) = (&delta[b.v.clone()], &v[b.v.clone()], &mut rate[b.v.clone()]);
            each_body!(&b.kind, body => match self.update {
                UpdateAxes::Spatial => body.displacement_rate(delta, v, rate),
                UpdateAxes::Convected => match body.body_axes(&q[b.q.clone()]) {
                    BodyAxes::None => body.displacement_rate(delta, v, rate),
                    axes => compose_screws(&axes, delta, v, rate),
                },
            });
        }
    }

    /// r and g at a state with given accelerations and multipliers; ż remains in the equations.
    pub fn residual(&mut self, t: f64, y: &[f64], vdot: &[f64], lambda: &[f64], r: &mut [f64], g: &mut [f64]) {
        let s = self.model.sizes;
        let (q, rest) = y.split_at(s.q);
        let at = StateView { t, q, v: &rest[..s.v], z: &rest[s.v..s.v + s.z], modes: &self.modes };
        if self.model.constraints.is_empty() {
            assemble(self.model, at, &mut self.kinematics, &mut self.eq);
        } else {
            assemble_positions(self.model, at, &mut self.kinematics, &mut self.eq);
            assemble_rates(self.model, at, &mut self.kinematics, &mut self.eq);
        }
        self.eq.mass_times(vdot, r);
        r.iter_mut().zip(&self.eq.f).for_each(|(r, f)| *r -= f);
        self.eq.subtract_reactions(lambda, r);
        self.rotate_to_step_axes(q, r);
        for (row, g) in g.iter_mut().enumerate() {
            *g = match self.model.rows[row].level {
                RowLevel::Position => self.eq.phi[row],
                RowLevel::Velocity => self.eq.phidot[row],
                RowLevel::Acceleration => 0.0,
            };
        }
        for (c, entry) in self.model.constraints.iter().enumerate() {
            for (i, row) in entry.rows.clone().enumerate() {
                let held = self.modes[c].active_rows(&entry.law).contains(i);
                if held && self.model.rows[row].level == RowLevel::Acceleration {
                    g[row] = self.eq.row_times(entry, i, vdot) - self.eq.b[row];
                }
            }
        }
    }

    /// Evaluates the derivatives of r there.
    pub fn derive_residual(&mut self, t: f64, y: &[f64], vdot: &[f64], lambda: &[f64]) {
        let s = self.model.sizes;
        let (q, rest) = y.split_at(s.q);
        let modes = self.modes.clone();
        self.differentiate_at(
            StateView { t, q, v: &rest[..s.v], z: &rest[s.v..s.v + s.z], modes: &modes },
            vdot,
            lambda,
        );
        if let (UpdateAxes::Convected, Some(kept)) = (self.update, &mut self.implicit) {
            kept.v.clear();
            kept.v.extend_from_slice(&rest[..s.v]);
            kept.vdot.clear();
            kept.vdot.extend_from_slice(vdot);
        }
    }

    /// Factors the scaled matrix.
    pub fn factor_residual(&mut self, mass: f64, damping: f64) -> Result<(), Refusal> {
        let model = self.model;
        let kept = self.implicit.as_mut().ok_or(Refusal::OutsideDomain)?;
        let refused = |_: Singular| Refusal::NotConverged;
        let (mut matrix, x) = match kept.second_order.take() {
            Some(scaled) => (scaled.matrix, scaled.x),
            None => {
                let room = model.sizes.v + model.rows.len() + model.sizes.z;
                (BorderedMatrix::new(model, &kept.tangent.pattern).map_err(refused)?, vec![0.0; room])
            }
        };
        let t = &kept.tangent;
        let body = matrix.bodies_by_bodies();
        body.iter_mut().zip(t.K.iter().zip(&t.C)).for_each(|(x, (K, C))| *x = K + damping * C);
        for (b, entry) in model.bodies.iter().enumerate() {
            let Some(start) = t.pattern.start(b, b) else { continue };
            let M = &t.M[entry.mass.clone()];
            body[start..].iter_mut().zip(M).for_each(|(x, M)| *x += mass * M);
        }
        if self.update == UpdateAxes::Convected {
            kept.add_convective_terms(model, body, damping);
        }
        let rows = matrix.rows_by_bodies();
        for c in &model.constraints {
            for block in &c.blocks {
                let n = model.bodies[block.body].v.len();
                for (r, row) in c.rows.clone().enumerate() {
                    let factor = match model.rows[row].level {
                        RowLevel::Position => mass,
                        RowLevel::Velocity => mass * damping,
                        RowLevel::Acceleration => mass * mass,
                    };
                    let values = block.start + r * n..block.start + (r + 1) * n;
                    rows[values.clone()].iter_mut().zip(&t.A[values]).for_each(|(x, a)| *x = factor * a);
                }
            }
        }
        matrix.reactions().iter_mut().zip(&t.B).for_each(|(x, b)| *x = -mass * b);
        // The augmented Lagrangian: Δλ = −α (φ + A δ), which is a row with E = 1/α. Empty rows keep their own.
        let augmented = self.augmented_penalty.map(|alpha| mass * mass / alpha);
        for (x, e) in matrix.shift().iter_mut().zip(&kept.shift) {
            *x = augmented.filter(|_| *e < 1.0).unwrap_or(mass * e);
        }
        // Extra states are integrated separately.
        matrix.z_diagonal().fill(1.0);
        matrix.sparse.factor().map_err(refused)?;
        kept.second_order = Some(ScaledSystem { matrix, mass_factor: mass, x });
        Ok(())
    }

    /// (r, g) → (δ, Δλ).
    pub fn solve_residual(&mut self, r: &mut [f64], g: &mut [f64]) -> Result<(), Refusal> {
        let (n, m) = (r.len(), g.len());
        let mut kept = self.implicit.take().ok_or(Refusal::OutsideDomain)?;
        let solved = kept.second_order.as_mut().map(|ScaledSystem { matrix, mass_factor: mass, x }| {
            self.rotate_to_world_axes(&kept.q, r);
            x.fill(0.0);
            x[..n].copy_from_slice(r);
            x[n..n + m].iter_mut().zip(g.iter()).for_each(|(x, g)| *x = *mass * g);
            matrix.sparse.solve(x)?;
            r.copy_from_slice(&x[..n]);
            self.rotate_to_step_axes(&kept.q, r);
            g.iter_mut().zip(&x[n..]).for_each(|(g, x)| *g = *mass * x);
            Ok::<(), Singular>(())
        });
        self.implicit = Some(kept);
        solved.ok_or(Refusal::OutsideDomain)?.map_err(|_| Refusal::NotConverged)
    }
}

impl ImplicitWorkspace {
    /// Adds the changes of v and v̇ caused by displacements in convected axes.
    fn add_convective_terms(&self, model: &Model, body: &mut [f64], damping: f64) {
        for pair in &self.tangent.pattern.blocks {
            let (row, column) = (&model.bodies[pair.row], &model.bodies[pair.column]);
            let axes = each_body!(&column.kind, b => b.body_axes(&self.q[column.q.clone()]));
            let (v, vdot) = (&self.v[column.v.clone()], &self.vdot[column.v.clone()]);
            let Some([S, X]) = screw_derivatives(&axes, v, vdot, damping) else { continue };
            let (n, columns) = (row.v.len(), column.v.len());
            let M = &self.tangent.M[row.mass.clone()];
            for j in 0..columns {
                for l in 0..columns {
                    for i in 0..n {
                        let mut sum = self.tangent.C[pair.start + l * n + i] * S[j][l];
                        if pair.row == pair.column {
                            sum += M[l * n + i] * X[j][l];
                        }
                        body[pair.start + j * n + i] += sum;
                    }
                }
            }
        }
    }
}
