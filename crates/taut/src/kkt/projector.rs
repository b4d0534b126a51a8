//! Factor and refinement together: solves [W Aᵀ; A 0] in the sense of least Gaussian.

use super::{Kkt, Pivots, Regularisation};
use crate::equations::Equations;
use crate::model::{Model, Topology};
use serde::{Deserialize, Serialize};

/// How rank deficiency is met.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Policy {
    /// ε of loops, relative to each row's scale.
    pub shift: f64,
    /// Proximal refinements λ ← λ + δλ with the same factor; they take ε → 0.
    pub refinements: usize,
    /// Least pivot of trees, relative to each row's scale.
    pub clamp: f64,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy { shift: 1e-8, refinements: 2, clamp: 1e-12 }
    }
}

/// A factor of [W Aᵀ; A −E] with the policy of its model.
#[derive(Clone, Debug)]
pub struct Projector {
    kkt: Kkt,
    refinements: usize,
    residual: Vec<f64>,
    step: Vec<f64>,
}

impl Projector {
    /// For a model, with the scale diag(A W⁻¹ Aᵀ) of its rows.
    pub fn new(model: &Model, scale: &[f64], policy: &Policy) -> Projector {
        let mut kkt = Kkt::new(model.symbolic.clone());
        let refinements = match model.topology {
            // Rows of a tree are independent in every pose: nothing to refine.
            Topology::Tree => {
                kkt.regularise(Regularisation::Clamp(policy.clamp), scale);
                0
            }
            Topology::Loops => {
                kkt.regularise(Regularisation::Shift(policy.shift), scale);
                policy.refinements
            }
        };
        let rows = model.rows.len();
        Projector { kkt, refinements, residual: vec![0.0; rows], step: vec![0.0; model.sizes.v + rows] }
    }

    /// Factors for the blocks of W and A.
    pub fn factor(&mut self, W: &[f64], A: &[f64]) {
        self.kkt.factor(W, A);
    }

    /// x = (v, μ) from the right-hand side (f, b) in place; `eq.A` may have moved a little since the factor was made.
    pub fn solve(&mut self, model: &Model, eq: &Equations, x: &mut [f64]) {
        let n = model.sizes.v;
        if self.refinements == 0 {
            return self.kkt.solve(x);
        }
        self.residual.copy_from_slice(&x[n..]);
        let b = &mut self.residual;
        self.kkt.solve(x);
        for _ in 0..self.refinements {
            let (top, bottom) = self.step.split_at_mut(n);
            eq.times(model, &x[..n], bottom);
            top.fill(0.0);
            bottom.iter_mut().zip(&*b).for_each(|(r, b)| *r = b - *r);
            self.kkt.solve(&mut self.step);
            x.iter_mut().zip(&self.step).for_each(|(x, d)| *x += d);
        }
    }

    /// The least correction δ (norm of W) with A δ = −residual, into `delta`.
    pub fn project(&mut self, model: &Model, eq: &Equations, residual: &[f64], x: &mut [f64]) {
        let (top, bottom) = x.split_at_mut(model.sizes.v);
        top.fill(0.0);
        bottom.iter_mut().zip(residual).for_each(|(b, r)| *b = -r);
        self.solve(model, eq, x);
    }

    /// What the pivots of the last factor say about the rank.
    pub fn pivots(&self) -> Pivots {
        self.kkt.pivots()
    }
}
