//! Self-stresses: multipliers that load joints against each other and no body.

use crate::equations::Equations;
use crate::mathematics::union_find::UnionFind;
use crate::model::Model;
use crate::solvers::rank::{ScaledJacobian, SparseRow, connected_parts};
use crate::state::ConstraintMode;

/// A row whose remainder after elimination is below this counts as dependent.
const DEPENDENCE_THRESHOLD: f64 = 1e-9;
/// Entries of a self-stress below this are round-off, relative to its largest.
const PARTICIPATION_THRESHOLD: f64 = 1e-7;

/// Constraints that share self-stresses.
#[derive(Clone, Debug)]
pub(crate) struct StressGroup {
    /// The constraints that take part, by index, in order.
    pub constraints: Vec<usize>,
    /// A basis of the self-stresses: rows of the model with their multipliers.
    pub stresses: Vec<SparseRow>,
    /// The stresses that load each constraint, in the order of `constraints`.
    loading: Vec<Vec<usize>>,
}

impl StressGroup {
    /// The stresses that load a constraint.
    pub fn loading(&self, constraint: usize) -> Vec<&SparseRow> {
        let at = self.constraints.binary_search(&constraint);
        at.map_or(Vec::new(), |i| self.loading[i].iter().map(|k| &self.stresses[*k]).collect())
    }
}

/// The self-stresses of assembled equations, in groups that have no constraint in common. `None` if a part of the model is too
/// large to be decomposed.
pub(crate) fn self_stress(model: &Model, eq: &Equations, modes: &[ConstraintMode]) -> Option<Vec<StressGroup>> {
    let scaled = ScaledJacobian::new(model, eq);
    let mut stresses: Vec<SparseRow> = Vec::new();
    for part in connected_parts(model, modes) {
        for (_, combination) in scaled.eliminate(&part, DEPENDENCE_THRESHOLD, &[])?.circuits {
            let largest = combination.iter().fold(0.0_f64, |a, (_, y)| a.max(y.abs()));
            let taking_part = combination.iter().filter(|(_, y)| y.abs() > PARTICIPATION_THRESHOLD * largest);
            let mut stress: SparseRow =
                taking_part.map(|(k, y)| (part.rows[*k], y * scaled.scale[part.rows[*k]])).collect();
            stress.sort_by_key(|(r, _)| *r);
            stresses.push(stress);
        }
    }
    let owner = |r: usize| model.constraints.partition_point(|c| c.rows.end <= r);
    let mut sets = UnionFind::new(model.constraints.len());
    for stress in &stresses {
        stress.windows(2).for_each(|pair| sets.unite(owner(pair[0].0), owner(pair[1].0)));
    }
    let mut group_of = vec![usize::MAX; model.constraints.len()];
    let mut groups: Vec<StressGroup> = Vec::new();
    for stress in stresses {
        let root = sets.root(owner(stress[0].0));
        if group_of[root] == usize::MAX {
            group_of[root] = groups.len();
            groups.push(StressGroup { constraints: Vec::new(), stresses: Vec::new(), loading: Vec::new() });
        }
        let group = &mut groups[group_of[root]];
        group.constraints.extend(stress.iter().map(|(r, _)| owner(*r)));
        group.stresses.push(stress);
    }
    for group in &mut groups {
        group.constraints.sort_unstable();
        group.constraints.dedup();
        group.loading = vec![Vec::new(); group.constraints.len()];
        for (k, stress) in group.stresses.iter().enumerate() {
            for (r, _) in stress {
                let Ok(i) = group.constraints.binary_search(&owner(*r)) else { continue };
                if group.loading[i].last() != Some(&k) {
                    group.loading[i].push(k);
                }
            }
        }
    }
    Some(groups)
}
