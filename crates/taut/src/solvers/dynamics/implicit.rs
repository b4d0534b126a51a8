//! Linear systems with the derivative of F, for implicit methods: [`JacobianSolver`] of y' = F(t, y), F with its constraints solved.
//!
//! q̇ = N v, and a change of q is δq = N ξ. With T = 1/σ, or for rotations T = (σ I + ½ ω×) / (σ² + ¼ |ω|²) from ė = ½
//! ω ∘ e, (σ I − ∂F/∂y) x = r is, with ξ = T (x_v + N⁺ r_q),
//!
//! ```text
//!  [σ M + C + K T   −Bᵀ   ∂r/∂z] (x_v)   (M r_v − K T N⁺ r_q)
//!  [σ A + H + G T    E      0  ] (δλ ) = (A r_v − G T N⁺ r_q)
//!  [−∂g/∂v − ∂g/∂δ T 0  σ − ∂g/∂z] (x_z)   (r_z + ∂g/∂δ T N⁺ r_q)
//! ```
//!
//! with the size of v, λ and z, and as sparse as the mechanism. The derivative neglects the friction of slipping
//! constraints: this costs iterations, not accuracy.

mod displacement_factor;

use self::displacement_factor::DisplacementFactor;
use super::Dynamics;
use super::second_order::ScaledSystem;
use crate::bodies::{Body, Manifold, RateJacobian, each_body};
use crate::equations::StateView;
use crate::kkt::RowRank;
use crate::model::Model;
use crate::tangent::{BorderedMatrix, DifferenceAccuracy, Number, Singular, TangentMatrices};
use taut_ode::{JacobianSolver, Refusal};
use taut_sparse::c64;

/// E of independent and of dependent rows, relative to diag(A M⁻¹ Aᵀ).
const INDEPENDENT_SHIFT: f64 = 1e-14;
const DEPENDENT_SHIFT: f64 = 1e-9;

/// Derivatives and factors of implicit methods, at the state of the last call of `linearise`.
#[derive(Debug)]
pub(crate) struct ImplicitWorkspace {
    pub tangent: TangentMatrices,
    pub q: Vec<f64>,
    /// v and v̇ there, for steps in convected axes.
    pub v: Vec<f64>,
    pub vdot: Vec<f64>,
    rate_jacobians: Vec<RateJacobian>,
    /// E row by row, for λ in its own units.
    pub shift: Vec<f64>,
    factors: [ImplicitFactor; 2],
    pub second_order: Option<ScaledSystem>,
}

#[derive(Debug, Default)]
enum ImplicitFactor {
    #[default]
    None,
    Real(Box<BorderedMatrix<f64>>, f64),
    Complex(Box<BorderedMatrix<c64>>, c64),
}

impl ImplicitWorkspace {
    pub fn new(model: &Model) -> ImplicitWorkspace {
        ImplicitWorkspace {
            tangent: TangentMatrices::new(model),
            q: vec![0.0; model.sizes.q],
            v: Vec::new(),
            vdot: Vec::new(),
            rate_jacobians: vec![RateJacobian::Zero; model.bodies.len()],
            shift: vec![1.0; model.rows.len()],
            factors: [ImplicitFactor::None, ImplicitFactor::None],
            second_order: None,
        }
    }

    fn fill_matrix<T: Number>(&self, model: &Model, into: &mut BorderedMatrix<T>, sigma: T) {
        let turned: Vec<DisplacementFactor<T>> =
            self.rate_jacobians.iter().map(|s| DisplacementFactor::new(s, sigma)).collect();
        let t = &self.tangent;
        let pattern = t.pattern.clone();
        let body = into.bodies_by_bodies();
        for pair in &pattern.blocks {
            let (rows, columns) = (model.bodies[pair.row].v.len(), model.bodies[pair.column].v.len());
            let M = &self.tangent.M[model.bodies[pair.row].mass.clone()];
            for j in 0..columns {
                for i in 0..rows {
                    let place = pair.start + j * rows + i;
                    let stiff = turned[pair.column].row_entry(|l| t.K[pair.start + l * rows + i], j);
                    let mass = if pair.row == pair.column { M[j * rows + i] } else { 0.0 };
                    body[place] = sigma * T::from_real(mass) + T::from_real(t.C[place]) + stiff;
                }
            }
        }
        for c in &model.constraints {
            for block in &c.blocks {
                let n = model.bodies[block.body].v.len();
                for first in (0..c.rows.len()).map(|r| block.start + r * n) {
                    for k in 0..n {
                        let bent = turned[block.body].row_entry(|l| t.G[first + l], k);
                        into.rows_by_bodies()[first + k] =
                            sigma * T::from_real(self.tangent.A[first + k]) + T::from_real(t.H[first + k]) + bent;
                    }
                }
            }
        }
        into.reactions().iter_mut().zip(&self.tangent.B).for_each(|(r, b)| *r = T::from_real(-b));
        into.shift().iter_mut().zip(&self.shift).for_each(|(s, e)| *s = T::from_real(*e));
        into.r_by_z().iter_mut().zip(&t.r_by_z).for_each(|(r, x)| *r = T::from_real(*x));
        into.z_by_z().iter_mut().zip(&t.z_by_z).for_each(|(z, x)| *z = T::from_real(-x));
        into.z_diagonal().fill(sigma);
        for e in 0..pattern.z_by_v.len() {
            let (body, k) = model.body_of_velocity(pattern.z_by_v[e].1);
            let slope = |l: usize| t.z_by_delta[e + l * pattern.stride[e] - k * pattern.stride[e]];
            let bent = turned[body].row_entry(slope, k);
            into.z_by_v()[e] = T::from_real(-t.z_by_v[e]) - bent;
        }
    }

    /// Solves (σ I − J) x = r through a system of the size of the mechanism.
    fn solve_shifted<T: Number>(
        &self,
        model: &Model,
        with: &mut BorderedMatrix<T>,
        sigma: T,
        x: &mut [T],
        parts: impl Fn(T) -> [f64; 2],
        whole: impl Fn([f64; 2]) -> T,
    ) -> Result<(), Singular> {
        let (s, m) = (model.sizes, model.rows.len());
        let zero = T::from_real(0.0);
        let (x_q, rest) = x.split_at_mut(s.q);
        let (x_v, x_z) = rest.split_at_mut(s.v);
        // N⁺ r_q, and the part of r_q normal to the manifold of q.
        let mut rho = vec![zero; s.v];
        for b in &model.bodies {
            let q = &self.q[b.q.clone()];
            let mut both = [vec![0.0; b.v.len()], vec![0.0; b.v.len()]];
            for (part, delta) in both.iter_mut().enumerate() {
                let dq: Vec<f64> = x_q[b.q.clone()].iter().map(|x| parts(*x)[part]).collect();
                let mut back = vec![0.0; dq.len()];
                each_body!(&b.kind, body => {
                    body.displacement(q, &dq, delta);
                    body.coordinate_rates(q, delta, &mut back);
                });
                for (x, back) in x_q[b.q.clone()].iter_mut().zip(back) {
                    *x = *x - whole(if part == 0 { [back, 0.0] } else { [0.0, back] });
                }
            }
            rho[b.v.clone()].iter_mut().enumerate().for_each(|(i, r)| *r = whole([both[0][i], both[1][i]]));
        }
        // A quaternion that is too long rotates too fast.
        for (b, swirl) in model.bodies.iter().zip(&self.rate_jacobians) {
            let RateJacobian::Quaternion(w) = swirl else { continue };
            let e = &self.q[b.q.start + 3..b.q.start + 7];
            let long =
                e.iter().zip(&x_q[b.q.start + 3..b.q.start + 7]).fold(zero, |sum, (e, x)| sum + T::from_real(*e) * *x);
            (0..3).for_each(|i| rho[b.v.start + 3 + i] += T::from_real(w[i]) * long / sigma);
        }
        let turned: Vec<DisplacementFactor<T>> =
            self.rate_jacobians.iter().map(|s| DisplacementFactor::new(s, sigma)).collect();
        let mut bent = rho.clone();
        model.bodies.iter().zip(&turned).for_each(|(b, t)| t.apply(&mut bent[b.v.clone()]));
        let mut rhs = vec![zero; s.v + m + s.z];
        let t = &self.tangent;
        for pair in &t.pattern.blocks {
            let (rows, columns) = (model.bodies[pair.row].v.clone(), model.bodies[pair.column].v.clone());
            let M = &self.tangent.M[model.bodies[pair.row].mass.clone()];
            for (j, column) in columns.enumerate() {
                for (i, row) in rows.clone().enumerate() {
                    rhs[row] = rhs[row] - T::from_real(t.K[pair.start + j * rows.len() + i]) * bent[column];
                    if pair.row == pair.column {
                        rhs[row] += T::from_real(M[j * rows.len() + i]) * x_v[column];
                    }
                }
            }
        }
        for c in &model.constraints {
            for block in &c.blocks {
                let v = &model.bodies[block.body].v;
                for (r, row) in c.rows.clone().enumerate() {
                    for (k, column) in v.clone().enumerate() {
                        let place = block.start + r * v.len() + k;
                        let part =
                            T::from_real(self.tangent.A[place]) * x_v[column] - T::from_real(t.G[place]) * bent[column];
                        rhs[s.v + row] += part;
                    }
                }
            }
        }
        rhs[s.v + m..].iter_mut().zip(x_z.iter()).for_each(|(r, x)| *r = *x);
        for ((z, v), slope) in t.pattern.z_by_v.iter().zip(&t.z_by_delta) {
            rhs[s.v + m + z] += T::from_real(*slope) * bent[*v];
        }
        with.sparse.solve(&mut rhs)?;
        x_v.copy_from_slice(&rhs[..s.v]);
        x_z.copy_from_slice(&rhs[s.v + m..]);
        rho.iter_mut().zip(x_v.iter()).for_each(|(r, v)| *r += *v);
        model.bodies.iter().zip(&turned).for_each(|(b, t)| t.apply(&mut rho[b.v.clone()]));
        for (b, swirl) in model.bodies.iter().zip(&self.rate_jacobians) {
            let q = &self.q[b.q.clone()];
            let both: [Vec<f64>; 2] = std::array::from_fn(|part| {
                let xi: Vec<f64> = rho[b.v.clone()].iter().map(|x| parts(*x)[part]).collect();
                let mut dq = vec![0.0; b.q.len()];
                each_body!(&b.kind, body => body.coordinate_rates(q, &xi, &mut dq));
                dq
            });
            for (i, x) in x_q[b.q.clone()].iter_mut().enumerate() {
                *x = *x / sigma + whole([both[0][i], both[1][i]]);
            }
            if let RateJacobian::Quaternion(w) = swirl {
                let across =
                    (0..3).fold(zero, |sum, i| sum + T::from_real(0.25 * w[i]) * rho[b.v.start + 3 + i]) / sigma;
                let long = x_q[b.q.start + 3..b.q.start + 7].iter_mut().zip(&q[3..7]);
                long.for_each(|(x, e)| *x = *x - across * T::from_real(*e));
            }
        }
        Ok(())
    }
}

impl Dynamics<'_> {
    /// E of each row. It is needed for dependent and inactive rows.
    pub(super) fn row_shifts(&mut self, A: &[f64], shift: &mut [f64]) {
        let deficient = self.formulation.projector().is_none_or(|p| p.rank() == RowRank::Deficient);
        let relative = if deficient && self.model.topology == crate::model::Topology::Loops {
            DEPENDENT_SHIFT
        } else {
            INDEPENDENT_SHIFT
        };
        shift.iter_mut().zip(&self.row_scales).for_each(|(e, s)| *e = relative * s);
        for c in &self.model.constraints {
            for (r, row) in c.rows.clone().enumerate() {
                let n = |b: &crate::model::JacobianBlock| self.model.bodies[b.body].v.len();
                let empty = c.blocks.iter().all(|b| {
                    let n = n(b);
                    A[b.start + r * n..b.start + (r + 1) * n].iter().all(|a| *a == 0.0)
                });
                if empty {
                    shift[row] = 1.0;
                }
            }
        }
    }

    /// Evaluates the derivatives at a state with given accelerations and multipliers.
    pub(super) fn differentiate_at(&mut self, at: StateView, vdot: &[f64], lambda: &[f64]) {
        let mut kept = self.implicit.take().unwrap_or_else(|| Box::new(ImplicitWorkspace::new(self.model)));
        kept.tangent.evaluate(self.model, at, vdot, lambda, DifferenceAccuracy::SecondOrder);
        kept.q.copy_from_slice(at.q);
        for (swirl, b) in kept.rate_jacobians.iter_mut().zip(&self.model.bodies) {
            *swirl = each_body!(&b.kind, body => body.rate_jacobian(&at.v[b.v.clone()]));
        }
        self.row_shifts(&kept.tangent.A, &mut kept.shift);
        self.implicit = Some(kept);
    }
}

impl JacobianSolver for Dynamics<'_> {
    fn linearise(&mut self, t: f64, y: &[f64]) -> Result<(), Refusal> {
        let s = self.model.sizes;
        let (q, rest) = y.split_at(s.q);
        let (v, z) = (&rest[..s.v], &rest[s.v..s.v + s.z]);
        self.solve(t, q, v, z).map_err(|_| Refusal::NotFinite)?;
        let (vdot, lambda, modes) = (self.vdot.clone(), self.lambda.clone(), self.modes.clone());
        self.differentiate_at(StateView { t, q, v, z, modes: &modes }, &vdot, &lambda);
        Ok(())
    }

    fn factor(&mut self, place: usize, re: f64, im: f64) -> Result<(), Refusal> {
        let model = self.model;
        let kept = self.implicit.as_mut().ok_or(Refusal::OutsideDomain)?;
        let refused = |_: Singular| Refusal::NotConverged;
        let slot = kept.factors.get_mut(place).ok_or(Refusal::OutsideDomain)?;
        let old = std::mem::take(slot);
        let new = if im == 0.0 {
            let mut matrix = match old {
                ImplicitFactor::Real(matrix, _) => matrix,
                _ => Box::new(BorderedMatrix::new(model, &kept.tangent.pattern).map_err(refused)?),
            };
            kept.fill_matrix(model, &mut matrix, re);
            matrix.sparse.factor().map_err(refused)?;
            ImplicitFactor::Real(matrix, re)
        } else {
            let mut matrix = match old {
                ImplicitFactor::Complex(matrix, _) => matrix,
                _ => Box::new(BorderedMatrix::new(model, &kept.tangent.pattern).map_err(refused)?),
            };
            kept.fill_matrix(model, &mut matrix, c64::new(re, im));
            matrix.sparse.factor().map_err(refused)?;
            ImplicitFactor::Complex(matrix, c64::new(re, im))
        };
        kept.factors[place] = new;
        Ok(())
    }

    fn solve(&mut self, place: usize, re: &mut [f64], im: &mut [f64]) -> Result<(), Refusal> {
        let model = self.model;
        let kept = self.implicit.as_mut().ok_or(Refusal::OutsideDomain)?;
        let mut factor = std::mem::take(kept.factors.get_mut(place).ok_or(Refusal::OutsideDomain)?);
        let solved = match &mut factor {
            ImplicitFactor::None => Err(Singular),
            ImplicitFactor::Real(matrix, sigma) => {
                kept.solve_shifted(model, matrix, *sigma, re, |x| [x, 0.0], |x| x[0])
            }
            ImplicitFactor::Complex(matrix, sigma) => {
                let mut x: Vec<c64> = re.iter().zip(im.iter()).map(|(re, im)| c64::new(*re, *im)).collect();
                let done =
                    kept.solve_shifted(model, matrix, *sigma, &mut x, |x| [x.re, x.im], |x| c64::new(x[0], x[1]));
                re.iter_mut().zip(&x).for_each(|(re, x)| *re = x.re);
                im.iter_mut().zip(&x).for_each(|(im, x)| *im = x.im);
                done
            }
        };
        kept.factors[place] = factor;
        solved.map_err(|_| Refusal::NotConverged)
    }
}

#[cfg(test)]
mod tests;
