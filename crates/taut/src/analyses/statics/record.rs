//! A path of equilibria as a table: one row per point, with the columns of a run.

use super::loads::bring_on;
use super::path::Path;
use crate::dynamics::Choice;
use crate::model::Model;
use crate::results::Work;
use crate::simulation::transient::problem::Problem;
use crate::solution::{Column, Columns, Family, Outcome, Solution, Statistics, Table};
use crate::state::State;
use std::time::Duration;
use taut_ode::Hook;

/// Column families of every point.
const FAMILIES: [Family; 7] = [
    Family::State,
    Family::Markers,
    Family::Measures,
    Family::Joints,
    Family::Reactions,
    Family::Multipliers,
    Family::Efforts,
];

/// The model with gravity, applied forces and motors scaled by a load factor.
pub fn loaded(model: &Model, share: f64) -> Model {
    let mut under = model.clone();
    bring_on(model, &mut under, share, &[], 0.0);
    under
}

impl Path {
    /// The path as a solution: `t` counts the points, `load` is the load factor, `softest` the stiffness of the softest motion; all
    /// other columns are named as in a run.
    pub fn solution(&self, model: &Model) -> Solution {
        let mut columns: Vec<Column> = Vec::new();
        for (i, p) in self.points.iter().enumerate() {
            let under = loaded(model, p.share);
            let choice = Choice::default();
            let mut problem = Problem::new(&under, &p.state, &choice, &Columns::Only(FAMILIES.to_vec()), Work::Unknown);
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
                named("load", "1", "load factor", p.share),
                named("softest", "1", "stiffness of the softest motion, in the units of its velocities", p.softest),
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
