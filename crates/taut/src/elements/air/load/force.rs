//! The air load as a force.

use super::super::momentum::Validity;
use super::super::polar::Polar;
use super::AirLoad;
use super::part::Part;
use crate::breaks::{BreakList, GuardKind};
use crate::constraints::{ElementInput, MarkerReference};
use crate::error::ParameterError;
use crate::forces::{
    Change, CoupledRates, CoupledTangent, ExtraStates, Force, ForceOutput, ForceReport, NonSmooth, TangentAvailability,
};
use crate::motion::Wrench;
use crate::signals::PassedEnd;

impl Force for AirLoad {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        let carriers = self.lines.iter().flat_map(|line| line.markers.iter());
        let own = carriers.chain(self.disc.iter().map(|d| &d.at)).map(|name| MarkerReference::frame(name));
        let read = self.bound.iter().flat_map(|bound| bound.formulas().flat_map(|f| f.expression.names.markers()));
        own.chain(read).collect()
    }

    fn check(&self) -> Result<(), ParameterError> {
        match &self.bound {
            Some(_) => Ok(()),
            None => {
                Err(ParameterError::invalid("control", "its formulas are not resolved; build it as part of a model"))
            }
        }
    }

    fn apply(&self, at: &ElementInput, on: &mut [Wrench]) {
        on.fill(Wrench::ZERO);
        self.sweep(at, Part::Whole, Some(on), None, |_| {});
    }

    fn coupled_rates(&self) -> Option<&dyn CoupledRates> {
        Some(self)
    }
}

impl CoupledRates for AirLoad {
    fn apply_with_rates(&self, at: &ElementInput, on: &mut [Wrench], zdot: &mut [f64]) {
        on.fill(Wrench::ZERO);
        self.counter_rates(at, zdot);
        self.sweep(at, Part::Whole, Some(on), Some(zdot), |_| {});
    }

    fn coupled_tangent(&self, at: &ElementInput, tangent: &mut CoupledTangent) -> TangentAvailability {
        self.add_tangent(at, tangent)
    }

    fn apply_changed(&self, at: &ElementInput, change: Change, on: &mut [Wrench], zdot: &mut [f64]) {
        on.fill(Wrench::ZERO);
        self.counter_rates(at, zdot);
        self.sweep(at, self.affected(at, change), Some(on), Some(zdot), |_| {});
    }
}

impl ForceReport for AirLoad {
    fn output_count(&self) -> usize {
        self.outputs.len()
    }

    fn output(&self, i: usize) -> ForceOutput<'_> {
        self.outputs[i].describe()
    }

    fn output_values(&self, at: &ElementInput, values: &mut [f64]) {
        self.fill_outputs(at, values);
    }

    fn doubt(&self, at: &ElementInput) -> Option<&'static str> {
        let linear = |polar: usize| matches!(self.polars[polar], Polar::Linear(_));
        if self.disc.is_none() && !self.lines.iter().flat_map(|line| &line.stations).any(|s| linear(s.polar)) {
            return None;
        }
        let mut from_behind = false;
        let sums = self.sweep(at, Part::Whole, None, None, |result| {
            from_behind |=
                linear(result.station.polar) && result.loads.dynamic != 0.0 && result.loads.alpha.cos() < 0.0;
        })?;
        if from_behind {
            return Some(
                "the air meets some sections from behind, where a linear polar has no meaning and jumps at 180 degrees; \
                 use a polar for all angles: plate, sine, or a table",
            );
        }
        (sums.validity == Validity::VortexRing).then_some(
            "its disc descends into its own wake (vortex-ring state), where momentum theory does not hold; the \
             induced velocity continues that of hover",
        )
    }
}

impl AirLoad {
    fn counter_rates(&self, at: &ElementInput, zdot: &mut [f64]) {
        let bound = self.bound.iter();
        bound.flat_map(|b| b.formulas()).for_each(|formula| formula.counter_rates(at, zdot));
    }
}

impl ExtraStates for AirLoad {
    fn state_count(&self) -> usize {
        let lags = |line: &super::Line| line.stations.len() * line.unsteady.state_count();
        let counters = self.bound.as_ref().map_or(0, |bound| bound.counters);
        counters + self.inflow_states() + self.lines.iter().map(lags).sum::<usize>()
    }

    fn initialise_states(&self, at: &ElementInput, z: &mut [f64]) {
        let Some(bound) = &self.bound else { return };
        let unknown = ElementInput { z: &[], ..*at };
        bound.formulas().for_each(|formula| formula.initialise_counters(&unknown, z));
        self.steady_states(&unknown, z);
    }

    fn state_rates(&self, at: &ElementInput, zdot: &mut [f64]) {
        self.counter_rates(at, zdot);
        if zdot.len() > self.bound.as_ref().map_or(0, |bound| bound.counters) {
            self.sweep(at, Part::Whole, None, Some(zdot), |_| {});
        }
    }

    fn angle_markers(&self) -> Vec<[usize; 2]> {
        let bound = self.bound.iter();
        bound.flat_map(|b| b.formulas()).flat_map(|f| f.expression.names.angle_markers(f.first_marker())).collect()
    }
}

impl NonSmooth for AirLoad {
    fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        let Some(bound) = &self.bound else { return };
        bound.formulas().for_each(|formula| formula.expression.breaks(from, to, list));
        bound.air.components().iter().for_each(|wind| wind.breaks(from, to, list));
    }

    fn guard_count(&self) -> usize {
        let controls = self.bound.iter().flat_map(|bound| bound.controls.iter().flatten());
        controls.map(|c| c.expression.guard_count()).sum()
    }

    fn guard_kind(&self, i: usize) -> GuardKind {
        self.guarded_control(i).map_or(GuardKind::Switch, |(control, i)| control.guard_kind(i))
    }

    fn guard(&self, at: &ElementInput, i: usize) -> f64 {
        self.guarded_control(i).map_or(f64::INFINITY, |(control, i)| control.guard(at, i, &[at.t]))
    }

    fn has_bounded_tables(&self) -> bool {
        let names = || self.bound.iter().flat_map(|bound| bound.formulas());
        self.lines.iter().flat_map(|line| &line.stations).any(|s| self.polars[s.polar].has_ends())
            || names().any(|formula| formula.expression.names.has_bounded_tables())
    }

    fn exceeded_table(&self, at: &ElementInput) -> Option<PassedEnd> {
        let mut found =
            self.bound.iter().flat_map(|b| b.formulas()).find_map(|f| f.expression.names.exceeded_table(at.t));
        self.sweep(at, Part::Whole, None, None, |result| {
            let polar = &self.polars[result.station.polar];
            found = found.or_else(|| polar.passed_end(result.loads.alpha, result.loads.mach));
        });
        found
    }
}

impl AirLoad {
    /// The control formula of guard `i`, and the number of the guard within it.
    fn guarded_control(&self, mut i: usize) -> Option<(&super::FieldFormula, usize)> {
        for control in self.bound.as_ref()?.controls.iter().flatten() {
            let count = control.expression.guard_count();
            if i < count {
                return Some((control, i));
            }
            i -= count;
        }
        None
    }
}
