//! Factor and refinement together: solves [W Aᵀ; A 0] in the sense of Gauss' least constraint.

use super::{Kkt, Pivots, Regularisation};
use crate::equations::{Equations, Layout};
use crate::model::Topology;
use serde::{Deserialize, Serialize};

/// How rank deficiency is handled.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Policy {
    /// Smallest pivot if rows are independent, relative to the scale of each row.
    pub clamp: f64,
    /// ε if they are not, relative to the scale of each row.
    pub shift: f64,
    /// Proximal refinements λ ← λ + δλ with the same factor; they take ε → 0.
    pub refinements: usize,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy { clamp: 1e-12, shift: 1e-7, refinements: 2 }
    }
}

/// Whether the rows are independent except in isolated poses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowRank {
    /// Independent: the factor is exact, without regularisation and refinement.
    Full,
    /// Dependent: regularised and refined. At a distance d from the manifold a redundant row gains an eigenvalue of
    /// order d²; a larger ε keeps the mechanism from locking.
    Deficient,
}

/// Pivots below this fraction of the scale of the row indicate dependent rows, on the manifold.
const DEPENDENT: f64 = 1e-10;

/// A factor of [W Aᵀ; A −E] with the policy of its model.
#[derive(Clone, Debug)]
pub struct Projector {
    kkt: Kkt,
    policy: Policy,
    scale: Vec<f64>,
    /// Inactive rows.
    masked: Vec<usize>,
    rank: RowRank,
    /// Refinements for independent rows.
    spare: usize,
    refinements: usize,
    residual: Vec<f64>,
    step: Vec<f64>,
}

impl Projector {
    /// For the blocks of a layout, with the scale diag(A W⁻¹ Aᵀ) of its rows.
    pub fn new(layout: &Layout, scale: &[f64], policy: &Policy) -> Projector {
        let rows = layout.rows();
        let mut projector = Projector {
            kkt: Kkt::new(layout.symbolic.clone()),
            policy: *policy,
            scale: scale.to_vec(),
            masked: Vec::new(),
            rank: RowRank::Full,
            spare: 0,
            refinements: 0,
            residual: vec![0.0; rows],
            step: vec![0.0; layout.velocities + rows],
        };
        // Rows of a tree are independent in every pose; for other models nothing is known yet.
        projector.assume(match layout.topology {
            Topology::Tree => RowRank::Full,
            Topology::Loops => RowRank::Deficient,
        });
        projector
    }

    /// Treats the rows as independent or dependent.
    pub fn assume(&mut self, rank: RowRank) {
        self.rank = rank;
        self.refinements = match rank {
            RowRank::Full => {
                self.kkt.regularise(Regularisation::Clamp(self.policy.clamp), &self.scale, &self.masked);
                self.spare
            }
            RowRank::Deficient => {
                self.kkt.regularise(Regularisation::Shift(self.policy.shift), &self.scale, &self.masked);
                self.policy.refinements
            }
        };
    }

    /// Sets the rows that are inactive from now on.
    pub fn mask(&mut self, masked: &[usize]) {
        self.masked.clear();
        self.masked.extend_from_slice(masked);
        self.assume(self.rank);
    }

    /// Determines whether the rows are independent in a pose on the manifold, and treats them accordingly from then on:
    /// rows that are independent in one pose are so except in isolated ones.
    pub fn examine(&mut self, W: &[f64], A: &[f64]) {
        // The count of dependent rows starts at eight times the bound.
        self.kkt.regularise(Regularisation::Clamp(DEPENDENT / 8.0), &self.scale, &self.masked);
        self.kkt.factor(W, A);
        self.assume(if self.kkt.pivots().dependent == 0 { RowRank::Full } else { RowRank::Deficient });
    }

    /// Uses a smaller ε with more refinements, for tight tolerances at which a larger ε would be noticeable.
    pub fn tighten(&mut self, shift: f64, refinements: usize) {
        let (shift, refinements) = (self.policy.shift.min(shift), self.policy.refinements.max(refinements));
        self.follow(Policy { shift, refinements, ..self.policy });
    }

    /// Sets the policy.
    pub fn follow(&mut self, policy: Policy) {
        self.policy = policy;
        self.assume(self.rank);
    }

    /// The current policy.
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// Also refines independent rows, for bodies so slender or so unequal that the factor alone loses digits.
    pub fn refine(&mut self, refinements: usize) {
        self.spare = refinements;
        self.assume(self.rank);
    }

    /// How the rows are treated.
    pub fn rank(&self) -> RowRank {
        self.rank
    }

    /// Factorises the blocks of W and A.
    pub fn factor(&mut self, W: &[f64], A: &[f64]) {
        self.kkt.factor(W, A);
    }

    /// Factorises and solves at once.
    pub fn factor_and_solve(&mut self, eq: &Equations, x: &mut [f64]) {
        if self.refinements == 0 {
            return self.kkt.factor_and_solve(&eq.M, &eq.A, x);
        }
        self.factor(&eq.M, &eq.A);
        self.solve(eq, x);
    }

    /// x = (v, μ) from the right-hand side (f, b) in place; `eq.A` may have changed slightly since the factorisation.
    pub fn solve(&mut self, eq: &Equations, x: &mut [f64]) {
        let n = eq.layout.velocities;
        if self.refinements == 0 {
            return self.kkt.solve(x);
        }
        self.residual.copy_from_slice(&x[n..]);
        let b = &mut self.residual;
        self.kkt.solve(x);
        for _ in 0..self.refinements {
            let (top, bottom) = self.step.split_at_mut(n);
            eq.times(&x[..n], bottom);
            top.fill(0.0);
            bottom.iter_mut().zip(&*b).for_each(|(r, b)| *r = b - *r);
            self.kkt.solve(&mut self.step);
            x.iter_mut().zip(&self.step).for_each(|(x, d)| *x += d);
        }
    }

    /// The smallest correction δ (norm of W) with A δ = −residual up to a fraction of order ε, without refinement:
    /// enough if the residual is already small.
    pub fn nudge(&mut self, residual: &[f64], x: &mut [f64]) {
        let (top, bottom) = x.split_at_mut(x.len() - residual.len());
        top.fill(0.0);
        bottom.iter_mut().zip(residual).for_each(|(b, r)| *b = -r);
        self.kkt.solve(x);
    }

    /// The smallest correction δ (norm of W) with A δ = −residual, in the first entries of `x`.
    pub fn project(&mut self, eq: &Equations, residual: &[f64], x: &mut [f64]) {
        let (top, bottom) = x.split_at_mut(eq.layout.velocities);
        top.fill(0.0);
        bottom.iter_mut().zip(residual).for_each(|(b, r)| *b = -r);
        self.solve(eq, x);
    }

    /// The part of μ in the range of A, S⁺ S μ with S = A W⁻¹ Aᵀ. Multipliers of contradicting rows grow without limit
    /// against each other; this part is what they actually exert.
    pub fn settle(&mut self, eq: &Equations, mu: &mut [f64]) {
        let n = eq.layout.velocities;
        let rest = &mut self.residual;
        rest.copy_from_slice(mu);
        mu.fill(0.0);
        // (S + E)⁻¹ S takes all of this part except for a fraction of order ε, and nothing of the rest.
        for _ in 0..=self.refinements {
            let (top, bottom) = self.step.split_at_mut(n);
            top.fill(0.0);
            bottom.fill(0.0);
            eq.add_transposed(rest, top);
            self.kkt.solve(&mut self.step);
            for ((mu, rest), part) in mu.iter_mut().zip(rest.iter_mut()).zip(&self.step[n..]) {
                *mu += part;
                *rest -= part;
            }
        }
    }

    /// What the pivots of the last factorisation say about the rank.
    pub fn pivots(&self) -> Pivots {
        self.kkt.pivots()
    }
}
