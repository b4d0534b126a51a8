//! A periodic motion with one of its modes added, for pictures that move.
//!
//! ```text
//!  q(t) = q_p(t) ⊕ a Re Σ Z cₙ e^(i ωₙ t)        cₙ: shape of the mode by harmonics, in axes Z that move with each body
//! ```
//!
//! The size a makes the mode visible. Growth and decay are left out, as in pictures of the modes of an equilibrium. The poses then
//! move onto the constraints.

use super::FloquetMode;
use crate::analyses::linear::local_axes::{AxesChoice, local_axes};
use crate::analyses::linear::velocity_blocks::recentre_rodrigues;
use crate::analyses::periodic::shooting::displaced;
use crate::analyses::{AssemblySettings, PeriodicError, PeriodicMotion, Transient, assemble};
use crate::bodies::DisplacementKind;
use crate::solution::{Column, Columns, Outcome, Solution, Statistics, Table};
use crate::state::State;
use nalgebra::{Complex, DVector};
use std::f64::consts::TAU;
use std::time::Duration;

/// Rows per period of the motion.
const ROWS: usize = 60;
/// Most periods of the motion.
const MAX_PERIODS: f64 = 20.0;
/// Periods of the mode, seen in axes that move with the bodies.
const CYCLES: f64 = 2.0;
/// Largest rotation, rad, and largest displacement relative to the size of the mechanism.
const VISIBLE: [f64; 2] = [0.2, 0.1];
/// A coordinate that changes by more than this within a period counts turns.
const LEAST_TURN: f64 = 3.0;

impl PeriodicMotion<'_> {
    /// The coordinates over some periods, with a mode added.
    ///
    /// # Errors
    /// A run that ends within the period.
    pub fn with_mode(&self, mode: &FloquetMode, settings: &Transient) -> Result<Solution, PeriodicError> {
        let model = self.model;
        let base = self.recorded(ROWS, settings, &Columns::State)?;
        let names = model.state_names().0;
        let rows = base.len() - 1;
        let column = |name: &str| base.get(name).map(|c| c.data.as_slice()).unwrap_or_default();
        let all: Vec<&[f64]> = names.iter().map(|quantity| column(&quantity.name)).collect();
        let at = |k: usize| -> Vec<f64> { all.iter().map(|data| data[k]).collect() };
        let periods = (CYCLES * TAU / (mode.principal_frequency * self.period)).ceil().clamp(2.0, MAX_PERIODS) as usize;
        let size = self.visible_size(mode);
        let mut columns: Vec<Column> = base.columns()[..1].to_vec();
        columns.extend(names.iter().filter_map(|quantity| base.get(&quantity.name).ok().cloned()));
        columns.iter_mut().for_each(|column| column.data.clear());
        let start = self.start();
        let mut last = start.clone();
        for row in 0..=periods * rows {
            let (period, k) = (row / rows, row % rows);
            let since = (period as f64 + k as f64 / rows as f64) * self.period;
            let base = State { t: start.t + k as f64 / rows as f64 * self.period, q: at(k), ..start.clone() };
            last = self.moved_along(&base, mode, (since, size));
            let turned = after_periods(&last.q, [&at(0), &at(rows)], period);
            let values = std::iter::once(start.t + since).chain(turned);
            columns.iter_mut().zip(values).for_each(|(column, value)| column.data.push(value));
        }
        Ok(Solution {
            outcome: Outcome::Finished,
            statistics: Statistics { steps: columns[0].data.len() as u64, ..Statistics::default() },
            events: Vec::new(),
            warnings: Vec::new(),
            verdict: None,
            table: columns.into_iter().collect::<Table>(),
            elapsed: Duration::ZERO,
            last,
        })
    }

    /// A state with the displacement of a mode after some time, on the constraints if they can be met nearby.
    fn moved_along(&self, base: &State, mode: &FloquetMode, (since, size): (f64, f64)) -> State {
        let model = self.model;
        let mut state = base.clone();
        recentre_rodrigues(&model.bodies, &mut state, &mut vec![0.0; model.sizes.v]);
        let axes = local_axes(model, &state, &vec![AxesChoice::Body; model.bodies.len()]);
        let mut x = DVector::zeros(2 * model.sizes.v);
        for harmonic in &mode.harmonics {
            let phase = Complex::from_polar(size, harmonic.frequency * since);
            harmonic.xi.iter().enumerate().for_each(|(i, c)| x[i] += (c * phase).re);
        }
        for (b, axes) in model.bodies.iter().zip(&axes) {
            let turned = &axes.Z * x.rows(b.v.start, b.v.len());
            x.rows_mut(b.v.start, b.v.len()).copy_from(&turned);
        }
        let moved = displaced(model, &state, &x, &vec![false; model.sizes.z]);
        assemble(model, &moved, &AssemblySettings::default()).map_or(moved, |found| found.state)
    }

    /// The factor at which the largest displacement of a mode is well visible.
    fn visible_size(&self, mode: &FloquetMode) -> f64 {
        let model = self.model;
        let lengths = self.flow.scales.rows(0, model.sizes.v);
        let mechanism = lengths.iter().fold(0.0_f64, |a, l| a.max(*l));
        let kinds =
            model.bodies.iter().flat_map(|b| b.v.clone().map(|i| (i, b.kind.body().displacement_kind(i - b.v.start))));
        let mut size = f64::INFINITY;
        for (i, kind) in kinds {
            let most = mode.harmonics.iter().map(|h| h.xi[i].norm()).sum::<f64>();
            let visible = match kind {
                DisplacementKind::Length => VISIBLE[1] * mechanism,
                DisplacementKind::Other => VISIBLE[0],
            };
            if most > 0.0 {
                size = size.min(visible / most);
            }
        }
        if size.is_finite() { size } else { 0.0 }
    }
}

/// Coordinates after whole periods, with the turns counted on.
fn after_periods(q: &[f64], [start, end]: [&[f64]; 2], periods: usize) -> Vec<f64> {
    let turned = |change: f64| if change.abs() > LEAST_TURN { periods as f64 * change } else { 0.0 };
    q.iter().zip(start.iter().zip(end)).map(|(q, (a, b))| q + turned(b - a)).collect()
}
