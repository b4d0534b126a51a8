//! Whether the components of reactions are unique: one column for each column of a reaction.

use super::loads::{axes_of_first_marker, reaction_markers, reaction_name};
use super::sink::ColumnSink;
use crate::dynamics::Dynamics;
use crate::model::ConstraintEntry;
use crate::motion::Wrench;
use crate::results::solution::label::ColumnLabel;
use crate::solvers::determinacy::{ROUND_OFF, StressGroup, change, self_stress};
use crate::solvers::rank::SparseRow;

/// 1 where no self-stress changes a component, 0 where one does, NaN where it is not known. Independent rows have no self-stress.
pub(super) fn determinacy_columns(d: &Dynamics, independent_rows: bool, sink: &mut ColumnSink) {
    let model = d.model;
    let finite = d.eq.A.iter().chain(&d.eq.M).chain(&d.lambda).all(|x| x.is_finite());
    let groups = match (finite, independent_rows) {
        (false, _) => None,
        (true, true) => Some(Vec::new()),
        (true, false) => self_stress(model, &d.eq, &d.modes),
    };
    let loading = |c: usize| -> Option<Vec<&SparseRow>> {
        let own = |g: &&StressGroup| g.constraints.binary_search(&c).is_ok();
        Some(groups.as_ref()?.iter().find(own).map_or(Vec::new(), |g| g.loading(c)))
    };
    for (i, c) in model.constraints.iter().enumerate() {
        let stresses = loading(i);
        let unique = |component: &SparseRow| match &stresses {
            None => f64::NAN,
            Some(stresses) => f64::from(stresses.iter().all(|n| change(component, n) == 0.0)),
        };
        // Components matter only where there are self-stresses.
        let is_loaded = stresses.as_ref().is_some_and(|s| !s.is_empty());
        let mut shown = false;
        for m in reaction_markers(model, c) {
            shown = true;
            let found = if is_loaded { components(d, c, m) } else { Vec::new() };
            for (k, column) in COMPONENTS.iter().enumerate() {
                let x = found.get(k).map_or_else(|| unique(&SparseRow::new()), unique);
                put(sink, x, || format!("{}.{column}", reaction_name(model, c, m)));
            }
        }
        if !shown {
            for r in c.rows.clone() {
                put(sink, unique(&vec![(r, 1.0)]), || format!("{}.lambda_{}", c.name, model.rows[r].name));
            }
        }
    }
}

/// Components of a reaction: in world axes, then in those of the first marker.
const COMPONENTS: [&str; 12] = ["fx", "fy", "fz", "mx", "my", "mz", "fx_j", "fy_j", "fz_j", "mx_j", "my_j", "mz_j"];

fn put(sink: &mut ColumnSink, x: f64, column: impl FnOnce() -> String) {
    sink.put("constraint", "1", x, || {
        let column = column();
        let meaning = format!("1 if `{column}` is unique, 0 if it is not");
        ColumnLabel::new(format!("{column}.unique"), meaning)
    });
}

/// Force and moment on a marker as functions of the multipliers, in the order of [`COMPONENTS`].
fn components(d: &Dynamics, c: &ConstraintEntry, marker: usize) -> Vec<SparseRow> {
    let mut on = vec![Wrench::ZERO; c.rows.len()];
    for (j, _) in c.markers.iter().enumerate().filter(|(_, m)| **m == marker) {
        on.iter_mut().zip(d.kinematics.wrenches(c, j)).for_each(|(w, D)| w.add_scaled(1.0, D));
    }
    let R_WA = axes_of_first_marker(d, c);
    let mut found = Vec::new();
    for in_joint_axes in [false, true] {
        for part in ["f", "m"] {
            let vectors = on.iter().map(|w| if part == "f" { w.f } else { w.m });
            let vectors: Vec<_> = vectors.map(|x| if in_joint_axes { R_WA.tr_mul(&x) } else { x }).collect();
            let least = ROUND_OFF * vectors.iter().fold(0.0_f64, |a, x| a.max(x.amax()));
            for i in 0..3 {
                let rows = c.rows.clone().zip(&vectors).map(|(r, x)| (r, x[i])).filter(|(_, x)| x.abs() > least);
                found.push(rows.collect());
            }
        }
    }
    found
}
