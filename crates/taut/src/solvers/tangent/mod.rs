//! Derivatives of the equations with respect to the state: K, C, and those of rows and extra states.
//!
//! ```text
//!  r = M v̇ − f − Bᵀλ           K = ∂r/∂δ   C = ∂r/∂v   at fixed v̇, λ;  q moves by the displacement δ
//!  s = A v̇ − b                 G = ∂s/∂δ   H = ∂s/∂v   P = ∂φ̇/∂δ
//!  ż = g(t, q, v, z)           ∂r/∂z, ∂g/∂δ, ∂g/∂v, ∂g/∂z of the elements that own the states
//! ```
//!
//! Each element is treated separately: one body after the other is displaced in each of its directions, and its
//! elements are differenced. The cost grows with the number of elements, and any element takes part without further
//! code. A force that provides its derivatives ([`Force::tangent`](crate::forces::Force::tangent)) is not differenced.
//! Sixth-order differences are accurate to about 1e-13 of the largest entry, second-order ones to 1e-9.

mod analytic;
mod bordered;
mod differences;
mod pattern;
mod switches;

pub use bordered::BorderedMatrix;
pub use pattern::{TangentBlock, TangentPattern};
pub use taut_sparse::{Number, Singular, SparseLu};

use crate::equations::{Equations, MarkerKinematics, StateView, assemble_positions};
use crate::model::Model;
use nalgebra::DMatrix;
use std::sync::Arc;

/// Accuracy of the finite differences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceAccuracy {
    /// Two points, second order: for Newton's method.
    SecondOrder,
    /// Six points, sixth order: for results shown to the user.
    SixthOrder,
}

/// The derivatives at one state. Blocks are laid out as in the [`TangentPattern`].
#[derive(Clone, Debug)]
pub struct TangentMatrices {
    /// Positions of the blocks.
    pub pattern: Arc<TangentPattern>,
    /// ∂r/∂δ, block by block, each column by column.
    pub K: Vec<f64>,
    /// ∂r/∂v, laid out like K.
    pub C: Vec<f64>,
    /// ∂s/∂δ, laid out like A.
    pub G: Vec<f64>,
    /// ∂s/∂v, laid out like A.
    pub H: Vec<f64>,
    /// ∂φ̇/∂δ at fixed velocities, laid out like A. For constraints that are not linear in the velocities, φ̇ is ψ(t, q, v) itself.
    pub P: Vec<f64>,
    /// ∂r/∂z: values of [`TangentPattern::r_by_z`].
    pub r_by_z: Vec<f64>,
    /// ∂ż/∂δ and ∂ż/∂v: values of [`TangentPattern::z_by_v`].
    pub z_by_delta: Vec<f64>,
    /// See [`z_by_delta`](TangentMatrices::z_by_delta).
    pub z_by_v: Vec<f64>,
    /// ∂ż/∂z: values of [`TangentPattern::z_by_z`].
    pub z_by_z: Vec<f64>,
    /// M, body by body.
    pub M: Vec<f64>,
    /// A.
    pub A: Vec<f64>,
    /// Generalised forces of the multipliers, laid out like A.
    pub B: Vec<f64>,
    kinematics: MarkerKinematics,
    eq: Equations,
    q: Vec<f64>,
    v: Vec<f64>,
    z: Vec<f64>,
    scratch: analytic::AnalyticScratch,
}

impl TangentMatrices {
    /// Allocates the derivatives of a model.
    pub fn new(model: &Model) -> TangentMatrices {
        let pattern = Arc::new(TangentPattern::new(model));
        let zeros = |n: usize| vec![0.0; n];
        TangentMatrices {
            K: zeros(pattern.values),
            C: zeros(pattern.values),
            G: zeros(model.jacobian_values),
            H: zeros(model.jacobian_values),
            P: zeros(model.jacobian_values),
            r_by_z: zeros(pattern.r_by_z.len()),
            z_by_delta: zeros(pattern.z_by_v.len()),
            z_by_v: zeros(pattern.z_by_v.len()),
            z_by_z: zeros(pattern.z_by_z.len()),
            M: Vec::new(),
            A: Vec::new(),
            B: Vec::new(),
            kinematics: MarkerKinematics::new(model),
            eq: Equations::new(model),
            q: zeros(model.sizes.q),
            v: zeros(model.sizes.v),
            z: zeros(model.sizes.z),
            scratch: analytic::AnalyticScratch::default(),
            pattern,
        }
    }

    /// Evaluates all derivatives at a state, with the accelerations and multipliers that belong to it.
    pub fn evaluate(
        &mut self,
        model: &Model,
        at: StateView,
        vdot: &[f64],
        lambda: &[f64],
        closeness: DifferenceAccuracy,
    ) {
        for values in [&mut self.K, &mut self.C, &mut self.G, &mut self.H, &mut self.P] {
            values.fill(0.0);
        }
        for values in [&mut self.r_by_z, &mut self.z_by_delta, &mut self.z_by_v, &mut self.z_by_z] {
            values.fill(0.0);
        }
        self.q.copy_from_slice(at.q);
        self.v.copy_from_slice(at.v);
        self.z.copy_from_slice(at.z);
        assemble_positions(model, at, &mut self.kinematics, &mut self.eq);
        self.M.clone_from(&self.eq.M);
        self.A.clone_from(&self.eq.A);
        self.B.clone_from(if self.eq.B.is_empty() { &self.eq.A } else { &self.eq.B });
        self.add_analytic_derivatives(model, at, closeness);
        let knowing = std::mem::take(&mut self.scratch.tangent_availability);
        self.add_differences(model, at, vdot, lambda, closeness, &knowing);
        self.scratch.tangent_availability = knowing;
    }

    /// K as a dense matrix.
    pub fn dense_stiffness(&self, model: &Model) -> DMatrix<f64> {
        self.pattern.dense(model, &self.K)
    }

    /// C as a dense matrix.
    pub fn dense_damping(&self, model: &Model) -> DMatrix<f64> {
        self.pattern.dense(model, &self.C)
    }

    /// G and H as dense matrices.
    pub fn dense_rows(&self) -> [DMatrix<f64>; 2] {
        [&self.G, &self.H].map(|values| self.eq.dense_rows(values))
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use tests::mechanism;
