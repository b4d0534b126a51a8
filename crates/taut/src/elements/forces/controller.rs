//! A controller: a force along a measured coordinate that follows from what it watches and what it remembers.
//!
//! ```text
//!  wanted = output(t, s, rate, inputs, states)         output = wanted within [lower, upper]
//!  continuous   ẋ = rate(…, output, wanted)
//!  sampled      at t_k: the inputs are read and held; the output stays until t_{k+1} = t_k + T
//!               x_{k+1} = next(…, output, wanted), or x_k + T rate(…)
//! ```
//!
//! `s` and `rate` stand for the coordinate it acts on, an input is known by its name and its rate as `name.rate`, and
//! every coordinate and velocity of the model by the name of its column: `crank.omega`, `mode.value`. What it reads
//! feels nothing. `output` and `wanted` tell a state whether the force is at its limit, so that it need not wind up.
//!
//! A sampled controller waits: its first sample is due where the run starts, and before it the force is zero. Held inputs
//! and states are extra states that only its alarm changes, so that a checkpoint holds them too.

mod bound;

use super::motor::{check_limits, limited};
use super::{ExtraStates, Force, NonSmooth};
use crate::breaks::{BreakList, GuardKind};
use crate::constraints::{Reference, Scope, View};
use crate::error::{BuildError, Fault};
use crate::expressions::Expression;
use crate::measures::Measure;
use crate::motion::Wrench;
use crate::signals::{Beyond, Signal};
use bound::{Bound, MOST_VALUES};
use serde::{Deserialize, Serialize};

/// What a controller watches under a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Watched {
    /// A measured coordinate and its rate.
    Measure(Measure),
    /// A function of time and its rate: a reference, a disturbance.
    Signal(Signal),
}

/// An input with its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Its name in the formulas; its rate is `name.rate`.
    pub name: String,
    /// What it is.
    pub of: Watched,
}

/// A state of a controller.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// Its name in the formulas.
    pub name: String,
    /// Its rate as text. Sampled, it advances by T times this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<String>,
    /// Its value after the next sample as text; sampled controllers only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Its value at the start.
    #[serde(default)]
    pub initial: f64,
}

/// A control law as text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Controller {
    /// The coordinate along which the force acts.
    pub on: Measure,
    /// What it watches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<Input>,
    /// What it remembers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<Memory>,
    /// The force as text, N or N m.
    pub output: String,
    /// Least force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower: Option<f64>,
    /// Greatest force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper: Option<f64>,
    /// Time from sample to sample, s; continuous if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<f64>,
    /// What the names turned out to be in the model; none before it is built.
    #[serde(skip)]
    bound: Option<Bound>,
}

impl Controller {
    /// A force along a coordinate, over `t`, `s`, `rate`, and what is added below.
    pub fn new(on: Measure, output: &str) -> Controller {
        let (inputs, states, output) = (Vec::new(), Vec::new(), output.to_string());
        Controller { on, inputs, states, output, lower: None, upper: None, sample: None, bound: None }
    }

    /// Watches a measured coordinate.
    pub fn input(mut self, name: &str, of: Measure) -> Controller {
        self.inputs.push(Input { name: name.to_string(), of: Watched::Measure(of) });
        self
    }

    /// Watches a function of time.
    pub fn signal(mut self, name: &str, of: impl Into<Signal>) -> Controller {
        self.inputs.push(Input { name: name.to_string(), of: Watched::Signal(of.into()) });
        self
    }

    /// Remembers a state with this rate.
    pub fn state(mut self, name: &str, rate: &str, initial: f64) -> Controller {
        self.states.push(Memory { name: name.to_string(), rate: Some(rate.to_string()), next: None, initial });
        self
    }

    /// Remembers a state that becomes this at every sample.
    pub fn memory(mut self, name: &str, next: &str, initial: f64) -> Controller {
        self.states.push(Memory { name: name.to_string(), rate: None, next: Some(next.to_string()), initial });
        self
    }

    /// Keeps the force within limits.
    pub fn within(mut self, lower: f64, upper: f64) -> Controller {
        (self.lower, self.upper) = (Some(lower), Some(upper));
        self
    }

    /// Samples in this interval, s.
    pub fn sampled(mut self, interval: f64) -> Controller {
        self.sample = Some(interval);
        self
    }

    /// A PID controller that leads a coordinate along a reference r: F = kp e + ki ∫e + kd ė, e = r − s.
    ///
    /// At a limit the integral stops growing and runs back to it within the reset time kp/ki (within 1 s where there is
    /// none).
    pub fn pid(
        on: Measure,
        reference: impl Into<Signal>,
        [kp, ki, kd]: [f64; 3],
        limits: Option<[f64; 2]>,
    ) -> Controller {
        let error = "(reference - s)";
        let integral = if ki == 0.0 { String::new() } else { format!(" + ({ki:?})*integral") };
        let output = format!("({kp:?})*{error}{integral} + ({kd:?})*(reference.rate - rate)");
        let mut pid = Controller::new(on, &output).signal("reference", reference);
        if ki != 0.0 {
            let back = if kp / ki > 0.0 { kp } else { ki };
            let rate = match limits {
                Some(_) => format!("{error} + (output - wanted)/({back:?})"),
                None => error.to_string(),
            };
            pid = pid.state("integral", &rate, 0.0);
        }
        (pid.lower, pid.upper) = (limits.map(|l| l[0]), limits.map(|l| l[1]));
        pid
    }

    /// The same with its names looked up in a model.
    pub(crate) fn bind(&self, name: &str, scope: &Scope) -> Result<Controller, BuildError> {
        Ok(Controller { bound: Some(Bound::new(self, name, scope)?), ..self.clone() })
    }

    /// All that is measured: the coordinate it acts on, then the inputs that are no signals.
    fn measures(&self) -> impl Iterator<Item = &Measure> {
        let inputs = self.inputs.iter().filter_map(|i| match &i.of {
            Watched::Measure(m) => Some(m),
            Watched::Signal(_) => None,
        });
        std::iter::once(&self.on).chain(inputs)
    }

    /// Number of counters of turns; they are the first of the extra states.
    fn counters(&self) -> usize {
        self.measures().map(Measure::states).sum()
    }

    /// Where the extra states lie.
    fn parts(&self) -> Parts {
        let states = self.counters();
        let next = states + self.states.len();
        Parts { states, next, held: next + 2 }
    }

    /// Values of all names, `output` and `wanted` among them.
    fn values(&self, bound: &Bound, at: &View) -> [f64; MOST_VALUES] {
        let (mut values, parts) = ([0.0; MOST_VALUES], self.parts());
        let seen = bound.seen();
        match self.sample {
            None => self.watch(bound, at, &mut values[..seen]),
            Some(_) => values[..seen].copy_from_slice(&at.z[parts.held..parts.held + seen]),
        }
        values[seen..seen + self.states.len()].copy_from_slice(&at.z[parts.states..parts.next]);
        let wanted = bound.output.evaluate(&values);
        let end = seen + self.states.len();
        (values[end], values[end + 1]) = (limited(wanted, self.lower, self.upper), wanted);
        values
    }

    /// What it sees now: t, s, rate, inputs with their rates, and the names with dots.
    fn watch(&self, bound: &Bound, at: &View, seen: &mut [f64]) {
        let (mut marker, mut counter, mut k) = (0, 0, 1);
        seen[0] = at.t;
        let mut measure = |measure: &Measure| {
            let own = at.tail(marker, counter);
            let m = measure.place(&own);
            (marker, counter) = (marker + measure.width(), counter + measure.states());
            [m.s, measure.rate(&own, &m)]
        };
        let inputs = self.inputs.iter().map(|i| &i.of);
        let all = std::iter::once(measure(&self.on)).chain(inputs.map(|of| match of {
            Watched::Measure(of) => measure(of),
            Watched::Signal(of) => {
                let value = of.at(at.t);
                [value.f, value.df]
            }
        }));
        for pair in all {
            seen[k..k + 2].copy_from_slice(&pair);
            k += 2;
        }
        let reads = self.measures().map(Measure::width).sum();
        bound.read(&at.tail(reads, 0), &mut seen[k..]);
    }

    /// Inputs that are functions of time.
    fn signals(&self) -> impl Iterator<Item = &Signal> {
        self.inputs.iter().filter_map(|input| match &input.of {
            Watched::Signal(signal) => Some(signal),
            Watched::Measure(_) => None,
        })
    }

    /// Limits whose reaching changes the form of the force.
    fn limits(&self) -> impl Iterator<Item = f64> {
        self.lower.into_iter().chain(self.upper)
    }

    /// x after T, or its rate.
    fn advance(&self, bound: &Bound, values: &[f64], k: usize) -> f64 {
        let formula = bound.states[k].evaluate(values);
        match (self.sample, &self.states[k].next) {
            (Some(T), None) => values[bound.seen() + k] + T * formula,
            _ => formula,
        }
    }
}

/// Where the extra states lie behind the counters of turns.
struct Parts {
    states: usize,
    /// The time of the next sample, and behind it how many there were.
    next: usize,
    /// What was seen at the last one.
    held: usize,
}

impl Force for Controller {
    fn markers(&self) -> Vec<Reference<'_>> {
        let read = self.bound.iter().flat_map(|b| b.markers());
        self.measures().flat_map(Measure::markers).chain(read).collect()
    }

    fn check(&self) -> Result<(), Fault> {
        check_limits(self.lower, self.upper)?;
        if let Some(T) = self.sample {
            Fault::positive("sample", T)?;
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
                (None, Some(_), None) => "only a sampled controller has a `next` value; give its `rate`, or a `sample`",
                _ => continue,
            };
            return Err(Fault::value("states", format!("`{}`: {what}", state.name)));
        }
        match &self.bound {
            Some(_) => Ok(()),
            None => {
                Err(Fault::value("output", "the names of the formulas belong to no model yet; build it as part of one"))
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
        // What was held until now takes the states one sample on; at the first there is nothing yet.
        let first = z[parts.next + 1] == 0.0;
        if !first {
            let values = self.values(bound, &View { z: &*z, ..*at });
            (0..self.states.len()).for_each(|k| z[parts.states + k] = self.advance(bound, &values, k));
        }
        let mut seen = [0.0; MOST_VALUES];
        self.watch(bound, at, &mut seen[..bound.seen()]);
        z[parts.held..parts.held + bound.seen()].copy_from_slice(&seen[..bound.seen()]);
        // Counted on from the time that was due, so that the clock does not drift.
        let due = z[parts.next] + T;
        z[parts.next] = if first || due <= at.t { at.t + T } else { due };
        z[parts.next + 1] += 1.0;
    }
}

impl NonSmooth for Controller {
    // What is sampled is constant until the next sample, which is an event.
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

#[cfg(test)]
mod tests;
