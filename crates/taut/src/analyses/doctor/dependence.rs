//! Groups circuits (minimal dependent sets of rows) into sets, and decides whether a set is consistent.

use super::{DependentSet, NearDependence, Persistence, row_unit};
use crate::analyses::RowConsistency;
use crate::constraints::RowLevel;
use crate::equations::Equations;
use crate::mathematics::union_find::UnionFind;
use crate::model::Model;
use crate::solvers::rank::{ConnectedPart, ScaledJacobian, SparseRow};
use std::collections::BTreeMap;

/// Contradictions above this are not round-off, relative to 1 + the size of the compared values.
const CONTRADICTION_TOLERANCE: f64 = 1e-8;

/// One circuit: rows by index with their factors in the units of A, the largest being 1.
#[derive(Clone, Debug)]
pub(super) struct Circuit {
    rows: SparseRow,
    /// Constraints of the rows, by index, in order.
    constraints: Vec<usize>,
    persistence: Persistence,
}

impl Circuit {
    /// From the combination of a part's scaled rows; factors below `least` are round-off.
    pub fn new(
        combination: &SparseRow,
        part: &ConnectedPart,
        scaled: &ScaledJacobian,
        least: f64,
        persistence: Persistence,
    ) -> Circuit {
        let (rows, scale) = (&part.rows, &scaled.scale);
        let biggest = combination.iter().fold(0.0, |a: f64, (_, y)| a.max(y.abs()));
        let taking_part = combination.iter().filter(|(_, y)| y.abs() > least * biggest);
        let mut found: SparseRow = taking_part.map(|(k, y)| (rows[*k], y * scale[rows[*k]])).collect();
        let unit = found.iter().fold(0.0, |a: f64, (_, y)| a.max(y.abs()));
        found.iter_mut().for_each(|(_, y)| *y /= unit.max(f64::MIN_POSITIVE));
        let owner = |(r, _): &(usize, f64)| scaled.model.constraints.partition_point(|c| c.rows.end <= *r);
        let mut constraints: Vec<usize> = found.iter().map(owner).collect();
        constraints.dedup();
        Circuit { rows: found, constraints, persistence }
    }

    /// |y·x|, if all rows hold at that level.
    fn inconsistency(&self, model: &Model, x: &[f64], level: RowLevel) -> f64 {
        if !self.rows.iter().all(|(r, _)| model.row_holds_at_level(*r, level)) {
            return 0.0;
        }
        self.rows.iter().map(|(r, y)| y * x[*r]).sum::<f64>().abs()
    }
}

/// Rows that depend on each other up to a small misalignment, from a combination of the scaled rows of a part.
pub(super) fn near_dependence(
    part: &ConnectedPart,
    model: &Model,
    rows: &[SparseRow],
    combination: &SparseRow,
) -> Option<NearDependence> {
    let biggest = combination.iter().fold(0.0, |a: f64, (_, y)| a.max(y.abs()));
    let taking_part: Vec<&(usize, f64)> = combination.iter().filter(|(_, y)| y.abs() > 1e-3 * biggest).collect();
    let mut rest: BTreeMap<usize, f64> = BTreeMap::new();
    for (k, y) in combination {
        rows[*k].iter().for_each(|(column, a)| *rest.entry(*column).or_default() += y / biggest * a);
    }
    let misalignment = rest.values().map(|x| x * x).sum::<f64>().sqrt();
    let mut constraints: Vec<String> =
        taking_part.iter().map(|(k, _)| model.constraint_of_row(part.rows[*k]).name.clone()).collect();
    constraints.dedup();
    let rows = taking_part.iter().map(|(k, _)| model.row_name(part.rows[*k])).collect();
    (misalignment > 0.0).then_some(NearDependence { constraints, rows, misalignment })
}

/// Sets of circuits that share rows or constraints.
pub(super) fn dependent_sets(model: &Model, eq: &Equations, circuits: &[Circuit]) -> Vec<DependentSet> {
    let related = |a: &Circuit, b: &Circuit| {
        let shared = || a.rows.iter().any(|(r, _)| b.rows.binary_search_by_key(r, |(s, _)| *s).is_ok());
        let within = |a: &Circuit, b: &Circuit| a.constraints.iter().all(|c| b.constraints.binary_search(c).is_ok());
        // A row without effect is unrelated to the others.
        let empty = |c: &Circuit| c.rows.len() == 1;
        a.persistence == b.persistence && empty(a) == empty(b) && (within(a, b) || within(b, a) || shared())
    };
    // Only circuits that have a constraint in common can be related.
    let mut concerning: Vec<Vec<usize>> = vec![Vec::new(); model.constraints.len()];
    for (i, circuit) in circuits.iter().enumerate() {
        circuit.constraints.iter().for_each(|c| concerning[*c].push(i));
    }
    let mut joined = UnionFind::new(circuits.len());
    for list in &concerning {
        for (n, &i) in list.iter().enumerate() {
            for &j in &list[..n] {
                if joined.root(i) != joined.root(j) && related(&circuits[i], &circuits[j]) {
                    joined.unite(i, j);
                }
            }
        }
    }
    // The root of a set is its first circuit.
    let mut sets: BTreeMap<usize, Vec<&Circuit>> = BTreeMap::new();
    for (i, circuit) in circuits.iter().enumerate() {
        sets.entry(joined.root(i)).or_default().push(circuit);
    }
    sets.values().map(|members| dependent_set(model, eq, members)).collect()
}

fn dependent_set(model: &Model, eq: &Equations, members: &[&Circuit]) -> DependentSet {
    let mut rows: Vec<usize> = members.iter().flat_map(|c| c.rows.iter().map(|(r, _)| *r)).collect();
    rows.sort_unstable();
    rows.dedup();
    let mut constraints: Vec<String> = rows.iter().map(|r| model.constraint_of_row(*r).name.clone()).collect();
    constraints.dedup();
    let circuits = members.iter().map(|c| c.rows.iter().map(|(r, _)| model.row_name(*r)).collect()).collect();
    let size = |x: &[f64]| 1.0 + rows.iter().fold(0.0, |a: f64, r| a.max(x[*r].abs()));
    let levels =
        [(&eq.phi[..], RowLevel::Position), (&eq.phidot[..], RowLevel::Velocity), (&eq.b[..], RowLevel::Acceleration)];
    let worst = levels.map(|(x, level)| members.iter().fold(0.0, |a: f64, c| a.max(c.inconsistency(model, x, level))));
    let excess = (0..3).any(|i| worst[i] > CONTRADICTION_TOLERANCE * size(levels[i].0));
    let verdict = match worst {
        [position, velocity, acceleration] if excess => {
            RowConsistency::Contradictory { position, velocity, acceleration }
        }
        _ => RowConsistency::Consistent,
    };
    let units: Vec<&'static str> = rows.iter().map(|r| row_unit(model, model.constraint_of_row(*r), *r)).collect();
    let unit = if units.iter().all(|u| *u == units[0]) { units[0] } else { "m or rad" };
    DependentSet {
        constraints,
        unit,
        rows: rows.iter().map(|r| model.row_name(*r)).collect(),
        redundant: members.len(),
        circuits,
        persistence: members.first().map_or(Persistence::Unknown, |c| c.persistence),
        verdict,
    }
}
