//! Selects the rows that hold, and their levels; dependent rows are left out.

use crate::constraints::RowLevel;
use crate::equations::Equations;
use crate::model::{Model, Topology};
use nalgebra::DMatrix;

/// A row of unit length whose remainder after elimination is below this counts as dependent.
const RANK_TOLERANCE: f64 = 1e-9;
/// Most operations for the elimination; beyond it all rows are used.
const MAX_ELIMINATION_WORK: usize = 40_000_000_000;

/// How a row is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowUse {
    /// It holds at this level.
    At(RowLevel),
    /// It is redundant or inactive.
    None,
}

impl RowUse {
    /// Whether it holds at position level.
    pub fn position(self) -> bool {
        self == RowUse::At(RowLevel::Position)
    }
    /// Whether it holds at velocity or position level.
    pub fn velocity(self) -> bool {
        matches!(self, RowUse::At(RowLevel::Position | RowLevel::Velocity))
    }
    /// Whether it holds at all.
    pub fn any(self) -> bool {
        self != RowUse::None
    }
}

/// The use of every row, position level first, because rows of higher levels may repeat them. `scales` are the displacement scales.
pub(super) fn row_uses(model: &Model, eq: &Equations, scales: &[f64]) -> Vec<RowUse> {
    let (m, n) = (model.rows.len(), model.sizes.v);
    let mut uses = vec![RowUse::None; m];
    if model.topology == Topology::Tree || m.saturating_mul(m).saturating_mul(n) > MAX_ELIMINATION_WORK {
        for c in &model.constraints {
            for (r, row) in c.rows.clone().enumerate() {
                let of_block = |b: &crate::model::JacobianBlock| {
                    let n = model.bodies[b.body].v.len();
                    eq.A[b.start + r * n..b.start + (r + 1) * n].iter().any(|a| *a != 0.0)
                };
                if c.blocks.iter().any(of_block) {
                    uses[row] = RowUse::At(model.rows[row].level);
                }
            }
        }
        return uses;
    }
    // Rows as columns of unit length; displacements are scaled by the lengths of the mechanism, so units do not matter.
    let mut rest: DMatrix<f64> = eq.dense_jacobian().transpose();
    rest.row_iter_mut().zip(scales).for_each(|(mut row, scale)| row *= *scale);
    let mut left: Vec<usize> = Vec::new();
    // Lengths of the rests; a row changes only if it shares bodies with those taken before.
    let mut lengths = vec![0.0; m];
    for r in 0..m {
        let length = rest.column(r).norm();
        if length > 0.0 {
            rest.column_mut(r).scale_mut(1.0 / length);
            lengths[r] = rest.column(r).norm();
            left.push(r);
        }
    }
    for level in [RowLevel::Position, RowLevel::Velocity, RowLevel::Acceleration] {
        loop {
            let of_level = left.iter().filter(|r| model.rows[**r].level == level);
            let Some(&best) = of_level.max_by(|a, b| lengths[**a].total_cmp(&lengths[**b])) else { break };
            let length = rest.column(best).norm();
            if length < RANK_TOLERANCE {
                break;
            }
            uses[best] = RowUse::At(level);
            left.retain(|r| *r != best);
            let taken = rest.column(best) / length;
            for &r in &left {
                let component = taken.dot(&rest.column(r));
                if component != 0.0 {
                    rest.column_mut(r).axpy(-component, &taken, 1.0);
                    lengths[r] = rest.column(r).norm();
                }
            }
        }
        left.retain(|r| model.rows[*r].level != level);
    }
    uses
}
