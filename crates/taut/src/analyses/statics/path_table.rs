//! A path of equilibria as a table: one row per point, with the columns of a run.

use super::loads::apply_load_factor;
use super::path::LoadPath;
use crate::dynamics::SolverSettings;
use crate::model::Model;
use crate::results::WorkTracking;
use crate::simulation::transient::problem::TransientProblem;
use crate::solution::{Column, ColumnFamily, Columns, Outcome, Solution, Statistics, Table};
use crate::state::State;
use std::time::Duration;
use taut_ode::Hook;

/// The model with gravity, applied forces and motors scaled by a load factor.
pub fn with_load_factor(model: &Model, factor: f64) -> Model {
    let mut under = model.clone();
    apply_load_factor(model, &mut under, factor, &[], 0.0);
    under
}

impl LoadPath {
    /// The path as a solution: `t` counts the points, `load` is the load factor, `softest` the stiffness of the softest motion; all
    /// other columns are named as in a run.
    pub fn solution(&self, model: &Model) -> Solution {
        let mut columns: Vec<Column> = Vec::new();
        let families = ColumnFamily::of_the_motion()
            .filter(|family| !matches!(family, ColumnFamily::Accelerations | ColumnFamily::Contacts));
        let families = Columns::Only(families.collect());
        for (i, p) in self.points.iter().enumerate() {
            let under = with_load_factor(model, p.load_factor);
            let choice = SolverSettings::default();
            let mut problem = TransientProblem::new(&under, &p.state, &choice, &families, WorkTracking::Unknown);
            let y = problem.pack(&p.state);
            problem.output(p.state.t, &y);
            let row = std::mem::take(&mut problem.log.recorder.table);
            let named = |name: &str, unit: &str, meaning: &str, x: f64| Column {
                name: name.to_string(),
                unit: unit.to_string(),
                meaning: meaning.to_string(),
                data: vec![x],
            };
            let own = [
                named("t", "1", "number of the point along the path", (i + 1) as f64),
                named("load", "1", "load factor", p.load_factor),
                named(
                    "softest",
                    "1",
                    "stiffness of the softest motion, in the units of its velocities",
                    p.min_stiffness,
                ),
            ];
            let row = own.into_iter().chain(row.columns().iter().skip(1).cloned());
            if columns.is_empty() {
                columns = row.collect();
            } else {
                columns.iter_mut().zip(row).for_each(|(all, one)| all.data.extend(one.data));
            }
        }
        let iterations = self.points.iter().map(|p| p.iterations as u64).sum();
        Solution {
            outcome: Outcome::Finished,
            statistics: Statistics {
                steps: self.points.len() as u64,
                factorisations: iterations,
                ..Statistics::default()
            },
            events: Vec::new(),
            warnings: Vec::new(),
            verdict: None,
            table: columns.into_iter().collect::<Table>(),
            elapsed: Duration::ZERO,
            last: self.points.last().map_or_else(|| model.initial_state(), |p| State::clone(&p.state)),
        }
    }
}
