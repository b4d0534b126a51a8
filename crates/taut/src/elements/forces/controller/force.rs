//! The controller as a force element: its extra states, breaks, guards, and the sampling event.

use super::bound_controller::BoundController;
use super::{Controller, InputSource};
use crate::breaks::{BreakList, GuardKind};
use crate::constraints::{ElementInput, MarkerReference};
use crate::elements::forces::motor::check_limits;
use crate::elements::forces::{ExtraStates, Force, ForceReport, NonSmooth};
use crate::error::ParameterError;
use crate::expressions::Expression;
use crate::mathematics::scratch::{with_list, with_scratch};
use crate::measures::Measure;
use crate::motion::Wrench;
use crate::signals::{PassedEnd, Signal};

impl Force for Controller {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        let read = self.bound.iter().flat_map(|b| b.names.markers());
        self.measures().flat_map(Measure::markers).chain(read).collect()
    }

    fn check(&self) -> Result<(), ParameterError> {
        check_limits(self.lower, self.upper)?;
        if let Some(T) = self.sample_time {
            ParameterError::check_positive("sample_time", T)?;
        }
        for input in &self.inputs {
            if let InputSource::Signal(signal) = &input.of {
                signal.check().map_err(|e| ParameterError::invalid("inputs", format!("`{}`: {e}", input.name)))?;
            }
        }
        for state in &self.states {
            ParameterError::check_finite("initial", &[state.initial])?;
            let what = match (&state.rate, &state.next, self.sample_time) {
                (Some(_), Some(_), _) | (None, None, _) => "give either its `rate` or its `next` value",
                (None, Some(_), None) => {
                    "only a sampled controller has a `next` value; give its `rate`, or a `sample_time`"
                }
                _ => continue,
            };
            return Err(ParameterError::invalid("states", format!("`{}`: {what}", state.name)));
        }
        match &self.bound {
            Some(_) => Ok(()),
            None => Err(ParameterError::invalid(
                "output",
                "the names of the formulas are not resolved; build it as part of a model",
            )),
        }
    }

    fn apply(&self, at: &ElementInput, on: &mut [Wrench]) {
        on.fill(Wrench::ZERO);
        let Some(bound) = &self.bound else { return };
        let waiting = self.sample_time.is_some() && at.z[self.state_layout().next_sample + 1] == 0.0;
        if waiting {
            return;
        }
        let output = self.with_values(bound, at, |values| values[bound.input_count() + self.states.len()]);
        let m = self.coordinate.position_terms(at);
        on.iter_mut().zip(&m.D).take(self.coordinate.marker_count()).for_each(|(on, D)| *on = D.scaled(output));
    }
}

impl ExtraStates for Controller {
    fn state_count(&self) -> usize {
        let parts = self.state_layout();
        match self.sample_time {
            None => parts.next_sample,
            Some(_) => parts.held_inputs + self.bound.as_ref().map_or(0, BoundController::input_count),
        }
    }

    fn initialise_states(&self, at: &ElementInput, z: &mut [f64]) {
        z.fill(0.0);
        let (mut marker, mut counter) = (0, 0);
        for measure in self.measures() {
            if measure.extra_states() == 1 {
                z[counter] = measure.position_terms(&ElementInput { z: &[], ..at.tail(marker, 0) }).s;
                counter += 1;
            }
            marker += measure.marker_count();
        }
        if let Some(bound) = &self.bound {
            bound.names.initialise_counters(&at.tail(marker, counter), &mut z[counter..]);
            counter += bound.names.counter_count();
        }
        z[counter..].iter_mut().zip(&self.states).for_each(|(z, state)| *z = state.initial);
        if self.sample_time.is_some() {
            z[self.state_layout().next_sample] = at.t;
        }
    }

    fn state_rates(&self, at: &ElementInput, zdot: &mut [f64]) {
        zdot.fill(0.0);
        let (mut marker, mut counter) = (0, 0);
        for measure in self.measures() {
            if measure.extra_states() == 1 {
                let own = at.tail(marker, counter);
                zdot[counter] = measure.rate(&own, &measure.position_terms(&own));
                counter += 1;
            }
            marker += measure.marker_count();
        }
        if let Some(bound) = &self.bound {
            bound.names.counter_rates(&at.tail(marker, counter), &mut zdot[counter..]);
            counter += bound.names.counter_count();
        }
        if let (Some(bound), None, false) = (&self.bound, self.sample_time, self.states.is_empty()) {
            self.with_values(bound, at, |values| {
                (0..self.states.len()).for_each(|k| zdot[counter + k] = self.advance(bound, values, k));
            });
        }
    }

    fn angle_markers(&self) -> Vec<[usize; 2]> {
        let mut marker = 0;
        let mut found = Vec::new();
        for measure in self.measures() {
            found.extend(measure.angle_markers().map(|pair| pair.map(|i| i + marker)));
            marker += measure.marker_count();
        }
        found.extend(self.bound.iter().flat_map(|bound| bound.names.angle_markers(marker)));
        found
    }

    fn reset_guard_count(&self) -> usize {
        usize::from(self.sample_time.is_some())
    }

    fn reset_guard(&self, at: &ElementInput, _i: usize) -> f64 {
        at.z.get(self.state_layout().next_sample).map_or(1.0, |next| next - at.t)
    }

    fn reset_states(&self, at: &ElementInput, _i: usize, z: &mut [f64]) {
        let (Some(T), Some(bound), parts) = (self.sample_time, &self.bound, self.state_layout()) else { return };
        // The states advance by one sample with the inputs held until now; at the first sample there are none yet.
        let first = z[parts.next_sample + 1] == 0.0;
        if !first {
            with_list(|next: &mut Vec<f64>| {
                self.with_values(bound, &ElementInput { z: &*z, ..*at }, |values| {
                    next.extend((0..self.states.len()).map(|k| self.advance(bound, values, k)));
                });
                z[parts.states..parts.next_sample].copy_from_slice(next);
            });
        }
        with_scratch(bound.input_count(), |seen: &mut [f64]| {
            self.read_inputs(bound, at, seen);
            z[parts.held_inputs..parts.held_inputs + seen.len()].copy_from_slice(seen);
        });
        // From the time of the due sample, so that the sampling times do not drift.
        let due = z[parts.next_sample] + T;
        z[parts.next_sample] = if first || due <= at.t { at.t + T } else { due };
        z[parts.next_sample + 1] += 1.0;
    }
}

impl ForceReport for Controller {}

impl NonSmooth for Controller {
    // A sampled output is constant until the next sample, which is an event.
    fn has_bounded_tables(&self) -> bool {
        self.signals().any(Signal::has_ends) || self.bound.as_ref().is_some_and(|b| b.names.has_bounded_tables())
    }

    fn exceeded_table(&self, at: &ElementInput) -> Option<PassedEnd> {
        let own = self.signals().find_map(|s| s.passed_end(at.t));
        own.or_else(|| self.bound.as_ref()?.names.exceeded_table(at.t))
    }

    fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        let (Some(bound), None) = (&self.bound, self.sample_time) else { return };
        bound.formulas().for_each(|f| f.breaks(from, to, list));
        bound.names.breaks(from, to, list);
        self.signals().for_each(|s| s.breaks(from, to, list));
    }

    fn guard_count(&self) -> usize {
        let (Some(bound), None) = (&self.bound, self.sample_time) else { return 0 };
        bound.formulas().map(Expression::guards).sum::<usize>() + self.limits().count()
    }

    fn guard_kind(&self, i: usize) -> GuardKind {
        let formulas = self.bound.iter().flat_map(|bound| bound.formulas());
        let kinds = formulas.flat_map(|formula| (0..formula.guards()).map(|k| formula.guard_kind(k)));
        std::iter::repeat_n(GuardKind::Switch, self.limits().count()).chain(kinds).nth(i).unwrap_or(GuardKind::Switch)
    }

    fn guard(&self, at: &ElementInput, i: usize) -> f64 {
        let Some(bound) = &self.bound else { return f64::INFINITY };
        self.with_values(bound, at, |values| {
            if let Some(limit) = self.limits().nth(i) {
                return values[bound.input_count() + self.states.len() + 1] - limit;
            }
            let mut k = i - self.limits().count();
            for formula in bound.formulas() {
                if k < formula.guards() {
                    return formula.guard(k, values);
                }
                k -= formula.guards();
            }
            f64::INFINITY
        })
    }
}
