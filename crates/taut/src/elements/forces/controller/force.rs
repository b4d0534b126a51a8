//! The controller as a force element: its extra states, breaks, guards, and the sampling event.

use super::bound::{Bound, MOST_VALUES};
use super::{Controller, Watched};
use crate::breaks::{BreakList, GuardKind};
use crate::constraints::{Reference, View};
use crate::elements::forces::motor::check_limits;
use crate::elements::forces::{ExtraStates, Force, NonSmooth};
use crate::error::Fault;
use crate::expressions::Expression;
use crate::measures::Measure;
use crate::motion::Wrench;
use crate::signals::{Beyond, Signal};

impl Force for Controller {
    fn markers(&self) -> Vec<Reference<'_>> {
        let read = self.bound.iter().flat_map(|b| b.markers());
        self.measures().flat_map(Measure::markers).chain(read).collect()
    }

    fn check(&self) -> Result<(), Fault> {
        check_limits(self.lower, self.upper)?;
        if let Some(T) = self.sample {
            Fault::positive("sample_time", T)?;
        }
        for input in &self.inputs {
            if let Watched::Signal(signal) = &input.of {
                signal.check().map_err(|e| Fault::value("inputs", format!("`{}`: {e}", input.name)))?;
            }
        }
        for state in &self.states {
            Fault::finite("initial", &[state.initial])?;
            let what = match (&state.rate, &state.next, self.sample) {
                (Some(_), Some(_), _) | (None, None, _) => "give either its `rate` or its `next` value",
                (None, Some(_), None) => {
                    "only a sampled controller has a `next` value; give its `rate`, or a `sample_time`"
                }
                _ => continue,
            };
            return Err(Fault::value("states", format!("`{}`: {what}", state.name)));
        }
        match &self.bound {
            Some(_) => Ok(()),
            None => {
                Err(Fault::value("output", "the names of the formulas are not resolved; build it as part of a model"))
            }
        }
    }

    fn apply(&self, at: &View, on: &mut [Wrench]) {
        on.fill(Wrench::ZERO);
        let Some(bound) = &self.bound else { return };
        let waiting = self.sample.is_some() && at.z[self.parts().next + 1] == 0.0;
        if waiting {
            return;
        }
        let output = self.values(bound, at)[bound.seen() + self.states.len()];
        let m = self.on.place(at);
        on.iter_mut().zip(&m.D).take(self.on.width()).for_each(|(on, D)| *on = D.scaled(output));
    }
}

impl ExtraStates for Controller {
    fn states(&self) -> usize {
        let parts = self.parts();
        match self.sample {
            None => parts.next,
            Some(_) => parts.held + self.bound.as_ref().map_or(0, Bound::seen),
        }
    }

    fn settle(&self, at: &View, z: &mut [f64]) {
        z.fill(0.0);
        let (mut marker, mut counter) = (0, 0);
        for measure in self.measures() {
            if measure.states() == 1 {
                z[counter] = measure.place(&View { z: &[], ..at.tail(marker, 0) }).s;
                counter += 1;
            }
            marker += measure.width();
        }
        z[counter..].iter_mut().zip(&self.states).for_each(|(z, state)| *z = state.initial);
        if self.sample.is_some() {
            z[self.parts().next] = at.t;
        }
    }

    fn states_rate(&self, at: &View, zdot: &mut [f64]) {
        zdot.fill(0.0);
        let (mut marker, mut counter) = (0, 0);
        for measure in self.measures() {
            if measure.states() == 1 {
                let own = at.tail(marker, counter);
                zdot[counter] = measure.rate(&own, &measure.place(&own));
                counter += 1;
            }
            marker += measure.width();
        }
        if let (Some(bound), None, false) = (&self.bound, self.sample, self.states.is_empty()) {
            let values = self.values(bound, at);
            (0..self.states.len()).for_each(|k| zdot[counter + k] = self.advance(bound, &values, k));
        }
    }

    fn angles(&self) -> Vec<[usize; 2]> {
        let mut marker = 0;
        let mut found = Vec::new();
        for measure in self.measures() {
            found.extend(measure.turning().map(|pair| pair.map(|i| i + marker)));
            marker += measure.width();
        }
        found
    }

    fn alarms(&self) -> usize {
        usize::from(self.sample.is_some())
    }

    fn alarm(&self, at: &View, _i: usize) -> f64 {
        at.z.get(self.parts().next).map_or(1.0, |next| next - at.t)
    }

    fn ring(&self, at: &View, _i: usize, z: &mut [f64]) {
        let (Some(T), Some(bound), parts) = (self.sample, &self.bound, self.parts()) else { return };
        // The states advance by one sample with the inputs held until now; at the first sample there are none yet.
        let first = z[parts.next + 1] == 0.0;
        if !first {
            let values = self.values(bound, &View { z: &*z, ..*at });
            (0..self.states.len()).for_each(|k| z[parts.states + k] = self.advance(bound, &values, k));
        }
        let mut seen = [0.0; MOST_VALUES];
        self.watch(bound, at, &mut seen[..bound.seen()]);
        z[parts.held..parts.held + bound.seen()].copy_from_slice(&seen[..bound.seen()]);
        // From the time of the due sample, so that the sampling times do not drift.
        let due = z[parts.next] + T;
        z[parts.next] = if first || due <= at.t { at.t + T } else { due };
        z[parts.next + 1] += 1.0;
    }
}

impl NonSmooth for Controller {
    // A sampled output is constant until the next sample, which is an event.
    fn has_ends(&self) -> bool {
        self.signals().any(Signal::has_ends)
    }

    fn beyond(&self, at: &View) -> Option<Beyond> {
        self.signals().find_map(|s| s.beyond(at.t))
    }

    fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        let (Some(bound), None) = (&self.bound, self.sample) else { return };
        bound.formulas().for_each(|f| f.breaks(from, to, list));
        self.signals().for_each(|s| s.breaks(from, to, list));
    }

    fn guards(&self) -> usize {
        let (Some(bound), None) = (&self.bound, self.sample) else { return 0 };
        bound.formulas().map(Expression::guards).sum::<usize>() + self.limits().count()
    }

    fn guard_kind(&self, i: usize) -> GuardKind {
        let formulas = self.bound.iter().flat_map(|bound| bound.formulas());
        let kinds = formulas.flat_map(|formula| (0..formula.guards()).map(|k| formula.guard_kind(k)));
        std::iter::repeat_n(GuardKind::Switch, self.limits().count()).chain(kinds).nth(i).unwrap_or(GuardKind::Switch)
    }

    fn guard(&self, at: &View, i: usize) -> f64 {
        let Some(bound) = &self.bound else { return f64::INFINITY };
        let values = self.values(bound, at);
        if let Some(limit) = self.limits().nth(i) {
            return values[bound.seen() + self.states.len() + 1] - limit;
        }
        let mut k = i - self.limits().count();
        for formula in bound.formulas() {
            if k < formula.guards() {
                return formula.guard(k, &values);
            }
            k -= formula.guards();
        }
        f64::INFINITY
    }
}
