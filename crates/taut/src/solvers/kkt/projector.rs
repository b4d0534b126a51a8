//! Factor and refinement together: solves [W Aᵀ; A 0] in the sense of Gauss' least constraint.

use super::row_weighting::NullSpaceMemory;
use super::{KktFactor, Pivots, Regularisation};
use crate::equations::{Equations, Layout};
use crate::model::Topology;
use serde::{Deserialize, Serialize};
use taut_constrain::RowWeighting;

/// How rank deficiency is handled.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankPolicy {
    /// Smallest pivot if rows are independent, relative to the scale of each row.
    pub clamp: f64,
    /// ε if they are not, relative to the scale of each row.
    pub shift: f64,
    /// Proximal refinements λ ← λ + δλ with the same factor; they take ε → 0.
    pub refinements: usize,
}

impl Default for RankPolicy {
    fn default() -> RankPolicy {
        RankPolicy { clamp: 1e-12, shift: 1e-7, refinements: 2 }
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
const DEPENDENT_PIVOT: f64 = 1e-10;

/// If no pivot is below this fraction of the scale of its row, the rows are far from depending on each other.
const CLEAR_PIVOT: f64 = 1e-6;

/// A factor of [W Aᵀ; A −E] with the policy of its model.
#[derive(Clone, Debug)]
pub struct Projector {
    pub(super) kkt: KktFactor,
    policy: RankPolicy,
    pub(super) scale: Vec<f64>,
    pub(super) weighting: RowWeighting,
    /// Inactive rows.
    inactive_rows: Vec<usize>,
    pub(super) rank: RowRank,
    /// Refinements for independent rows.
    full_rank_refinements: usize,
    pub(super) refinements: usize,
    pub(super) residual: Vec<f64>,
    pub(super) step: Vec<f64>,
    pub(super) null: NullSpaceMemory,
}

impl Projector {
    /// For the blocks of a layout, with the scale diag(A W⁻¹ Aᵀ) of its rows.
    pub fn new(layout: &Layout, scale: &[f64], policy: &RankPolicy) -> Projector {
        let rows = layout.rows();
        let mut projector = Projector {
            kkt: KktFactor::new(layout.symbolic.clone()),
            policy: *policy,
            scale: scale.to_vec(),
            weighting: RowWeighting::Scaled,
            inactive_rows: Vec::new(),
            rank: RowRank::Full,
            full_rank_refinements: 0,
            refinements: 0,
            residual: vec![0.0; rows],
            step: vec![0.0; layout.velocities + rows],
            null: NullSpaceMemory::new(layout.velocities, rows),
        };
        // Rows of a tree are independent in every pose; for other models nothing is known yet.
        projector.set_rank(match layout.topology {
            Topology::Tree => RowRank::Full,
            Topology::Loops => RowRank::Deficient,
        });
        projector
    }

    /// The same with another weighting of contradictory and redundant rows; scaled rows need no extra work.
    pub fn with_weighting(mut self, weighting: RowWeighting) -> Projector {
        self.weighting = weighting;
        self
    }

    /// Treats the rows as independent or dependent.
    pub fn set_rank(&mut self, rank: RowRank) {
        self.rank = rank;
        self.refinements = match rank {
            RowRank::Full => {
                self.kkt.regularise(Regularisation::Clamp(self.policy.clamp), &self.scale, &self.inactive_rows);
                self.full_rank_refinements
            }
            RowRank::Deficient => {
                self.kkt.regularise(Regularisation::Shift(self.policy.shift), &self.scale, &self.inactive_rows);
                self.policy.refinements
            }
        };
    }

    /// Sets the rows that are inactive from now on.
    pub fn set_inactive_rows(&mut self, masked: &[usize]) {
        self.inactive_rows.clear();
        self.inactive_rows.extend_from_slice(masked);
        self.set_rank(self.rank);
    }

    /// Determines whether the rows are independent in a pose on the manifold, and treats them accordingly from then on:
    /// rows that are independent in one pose are so except in isolated ones.
    pub fn detect_rank(&mut self, W: &[f64], A: &[f64]) {
        // The count of dependent rows starts at eight times the bound.
        self.kkt.regularise(Regularisation::Clamp(DEPENDENT_PIVOT / 8.0), &self.scale, &self.inactive_rows);
        self.kkt.factor(W, A);
        self.set_rank(if self.kkt.pivots().dependent == 0 { RowRank::Full } else { RowRank::Deficient });
    }

    /// Uses a smaller ε with more refinements, for tight tolerances at which a larger ε would be noticeable.
    pub fn tighten(&mut self, shift: f64, refinements: usize) {
        let (shift, refinements) = (self.policy.shift.min(shift), self.policy.refinements.max(refinements));
        self.set_policy(RankPolicy { shift, refinements, ..self.policy });
    }

    /// Sets the policy.
    pub fn set_policy(&mut self, policy: RankPolicy) {
        self.policy = policy;
        self.set_rank(self.rank);
    }

    /// The current policy.
    pub fn policy(&self) -> RankPolicy {
        self.policy
    }

    /// Also refines independent rows, for bodies so slender or so unequal that the factor alone loses digits.
    pub fn set_full_rank_refinements(&mut self, refinements: usize) {
        self.full_rank_refinements = refinements;
        self.set_rank(self.rank);
    }

    /// Whether the last factor shows that no row is near to depending on others.
    pub fn has_clearly_independent_rows(&self) -> bool {
        let pivots = self.kkt.pivots();
        self.rank == RowRank::Full && pivots.dependent == 0 && pivots.smallest > CLEAR_PIVOT
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
        if self.refinements == 0 {
            return self.kkt.solve(x);
        }
        self.residual.copy_from_slice(&x[eq.layout.velocities..]);
        let as_written = self.rank == RowRank::Deficient && self.weighting == RowWeighting::AsWritten;
        if as_written {
            self.keep_right_hand_side(x);
        }
        self.solve_refined(eq, x);
        if as_written {
            self.weight_rows_as_written(eq, x);
        }
    }

    /// The solution in the metric of the row scales; `residual` holds b.
    pub(super) fn solve_refined(&mut self, eq: &Equations, x: &mut [f64]) {
        let (n, b) = (eq.layout.velocities, &self.residual);
        self.kkt.solve(x);
        for _ in 0..self.refinements {
            let (top, bottom) = self.step.split_at_mut(n);
            eq.jacobian_times(&x[..n], bottom);
            top.fill(0.0);
            bottom.iter_mut().zip(b).for_each(|(r, b)| *r = b - *r);
            self.kkt.solve(&mut self.step);
            x.iter_mut().zip(&self.step).for_each(|(x, d)| *x += d);
        }
    }

    /// The smallest correction δ (norm of W) with A δ = −residual up to a fraction of order ε, without refinement:
    /// enough if the residual is already small.
    pub fn project_unrefined(&mut self, residual: &[f64], x: &mut [f64]) {
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

    /// What the pivots of the last factorisation say about the rank.
    pub fn pivots(&self) -> Pivots {
        self.kkt.pivots()
    }
}
