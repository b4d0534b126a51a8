//! Whether the components of reactions are unique: one column for each column of a reaction.

use super::loads::{axes_of_first_marker, reaction_markers, reaction_name};
use super::sink::ColumnSink;
use crate::dynamics::Dynamics;
use crate::model::ConstraintEntry;
use crate::motion::Wrench;
use crate::results::solution::label::ColumnLabel;
use crate::solvers::determinacy::{ROUND_OFF, StressGroup, change, self_stress};
use crate::solvers::rank::SparseRow;

/// 1 where no self-stress changes a component, 0 where one does, NaN where it is not known.
pub(super) fn determinacy_columns(d: &Dynamics, sink: &mut ColumnSink) {
    let model = d.model;
    let finite = d.eq.A.iter().chain(&d.eq.M).chain(&d.lambda).all(|x| x.is_finite());
    let groups = if finite { self_stress(model, &d.eq, &d.modes) } else { None };
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
        let mut put = |column: String, component: &SparseRow| {
            sink.put("constraint", "1", unique(component), || {
                let meaning = format!("1 if `{column}` is unique, 0 if it is not");
                ColumnLabel::new(format!("{column}.unique"), meaning)
            });
        };
        let mut shown = false;
        for m in reaction_markers(model, c) {
            shown = true;
            let name = reaction_name(model, c, m);
            for (column, component) in components(d, c, m) {
                put(format!("{name}.{column}"), &component);
            }
        }
        if !shown {
            c.rows.clone().for_each(|r| put(format!("{}.lambda_{}", c.name, model.rows[r].name), &vec![(r, 1.0)]));
        }
    }
}

/// Force and moment on a marker as functions of the multipliers, in world axes and in those of the first marker.
fn components(d: &Dynamics, c: &ConstraintEntry, marker: usize) -> Vec<(String, SparseRow)> {
    let mut on = vec![Wrench::ZERO; c.rows.len()];
    for (j, _) in c.markers.iter().enumerate().filter(|(_, m)| **m == marker) {
        on.iter_mut().zip(d.kinematics.wrenches(c, j)).for_each(|(w, D)| w.add_scaled(1.0, D));
    }
    let R_WA = axes_of_first_marker(d, c);
    let mut found = Vec::new();
    for tail in ["", "_j"] {
        for part in ["f", "m"] {
            let vectors = on.iter().map(|w| if part == "f" { w.f } else { w.m });
            let vectors: Vec<_> = vectors.map(|x| if tail.is_empty() { x } else { R_WA.tr_mul(&x) }).collect();
            let least = ROUND_OFF * vectors.iter().fold(0.0_f64, |a, x| a.max(x.amax()));
            for (i, axis) in ["x", "y", "z"].iter().enumerate() {
                let rows = c.rows.clone().zip(&vectors).map(|(r, x)| (r, x[i])).filter(|(_, x)| x.abs() > least);
                found.push((format!("{part}{axis}{tail}"), rows.collect()));
            }
        }
    }
    found
}
