//! A controller: a force along a measured coordinate, computed from inputs and states by formulas.

mod bound_controller;
mod force;

use super::motor::clamp_to_limits;
use crate::constraints::{ElementInput, Scope};
use crate::error::BuildError;
use crate::mathematics::scratch::with_scratch;
use crate::measures::Measure;
use crate::signals::Signal;
use bound_controller::BoundController;
use serde::{Deserialize, Serialize};

/// What an input of a controller is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum InputSource {
    /// A measured coordinate and its rate.
    Measure(Measure),
    /// A function of time and its rate: a reference, a disturbance.
    Signal(Signal),
}

/// An input with its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ControllerInput {
    /// Its name in the formulas; its rate is `name.rate`.
    pub name: String,
    /// What it is.
    pub of: InputSource,
}

/// A state of a controller.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ControllerState {
    /// Its name in the formulas.
    pub name: String,
    /// Its rate as text. In a sampled controller it advances by T times this rate.
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
///
/// ```text
///  wanted = output(t, s, rate, inputs, states)         output = wanted within [lower, upper]
///  continuous   ẋ = rate(…, output, wanted)
///  sampled      at t_k: the inputs are read and held; the output stays until t_{k+1} = t_k + T
///               x_{k+1} = next(…, output, wanted), or x_k + T rate(…)
/// ```
///
/// `s` and `rate` are the coordinate it acts on and its rate. An input has its name, its rate is `name.rate`. Every coordinate and
/// velocity of the model has the name of its column: `crank.omega`, `mode.value`, `hinge.angle.rate`; so have measures and signals.
/// Reading exerts no force. With `output` and `wanted`
/// the rate of a state can depend on whether the force is at its limit, which prevents windup.
///
/// The first sample of a sampled controller is due at the start of the run; before it the force is zero. Held inputs and states are
/// extra states that only the sampling event changes, so that a checkpoint contains them.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// // A position control with integral action, which removes the offset of a constant load.
/// let control = Controller::new(Measure::coordinate("cart.x"), "-40*(s - 1) - 10*rate - 30*i").state("i", "s - 1", 0.0);
/// let load = [Signal::constant(-5.0), Signal::constant(0.0), Signal::constant(0.0)];
/// let mut spec = Spec::new();
/// spec.body("cart", PointMass::new(1.0, [0.0; 3])).force("control", control).force("load", Applied::force("cart", load));
/// let model = spec.build()?;
/// let run = simulate(&model, &model.initial_state(), &Transient::to(20.0))?;
/// assert!((run.last("cart.x")? - 1.0).abs() < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Controller {
    /// The coordinate along which the force acts.
    #[serde(rename = "coordinate")]
    pub coordinate: Measure,
    /// Its inputs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<ControllerInput>,
    /// Its states.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<ControllerState>,
    /// The force as text, N or N m.
    pub output: String,
    /// Lower limit of the force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower: Option<f64>,
    /// Upper limit of the force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper: Option<f64>,
    /// Sampling interval, s; default: continuous.
    #[serde(rename = "sample_time", default, skip_serializing_if = "Option::is_none")]
    pub sample_time: Option<f64>,
    /// The formulas with their names resolved; none before the model is built.
    #[serde(skip)]
    bound: Option<BoundController>,
}

impl Controller {
    /// A force along a coordinate, a formula of `t`, `s`, `rate`, and of the inputs and states added below.
    pub fn new(on: Measure, output: &str) -> Controller {
        let (inputs, states, output) = (Vec::new(), Vec::new(), output.to_string());
        Controller { coordinate: on, inputs, states, output, lower: None, upper: None, sample_time: None, bound: None }
    }

    /// Adds a measured coordinate as input.
    pub fn input(mut self, name: &str, of: Measure) -> Controller {
        self.inputs.push(ControllerInput { name: name.to_string(), of: InputSource::Measure(of) });
        self
    }

    /// Adds a function of time as input.
    pub fn signal(mut self, name: &str, of: impl Into<Signal>) -> Controller {
        self.inputs.push(ControllerInput { name: name.to_string(), of: InputSource::Signal(of.into()) });
        self
    }

    /// Adds a state with this rate.
    pub fn state(mut self, name: &str, rate: &str, initial: f64) -> Controller {
        self.states.push(ControllerState { name: name.to_string(), rate: Some(rate.to_string()), next: None, initial });
        self
    }

    /// Adds a state that takes this value at every sample.
    pub fn sampled_state(mut self, name: &str, next: &str, initial: f64) -> Controller {
        self.states.push(ControllerState { name: name.to_string(), rate: None, next: Some(next.to_string()), initial });
        self
    }

    /// Keeps the force within limits.
    pub fn within(mut self, lower: f64, upper: f64) -> Controller {
        (self.lower, self.upper) = (Some(lower), Some(upper));
        self
    }

    /// Samples at this interval, s.
    pub fn sampled(mut self, interval: f64) -> Controller {
        self.sample_time = Some(interval);
        self
    }

    /// A PID controller that makes a coordinate follow a reference r: F = kp e + ki ∫e + kd ė, e = r − s.
    ///
    /// At a limit the integral is reset with the time constant kp/ki, or 1 s if kp/ki is not positive (anti-windup).
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

    /// The same with its names resolved in a model.
    pub(crate) fn bind(&self, name: &str, scope: &Scope) -> Result<Controller, BuildError> {
        Ok(Controller { bound: Some(BoundController::new(self, name, scope)?), ..self.clone() })
    }

    /// All measures: the coordinate it acts on, then the measured inputs.
    fn measures(&self) -> impl Iterator<Item = &Measure> {
        let inputs = self.inputs.iter().filter_map(|i| match &i.of {
            InputSource::Measure(m) => Some(m),
            InputSource::Signal(_) => None,
        });
        std::iter::once(&self.coordinate).chain(inputs)
    }

    /// Numbers of markers and turn counters of the coordinate and the inputs; those of other names follow.
    fn own_markers_and_counters(&self) -> (usize, usize) {
        self.measures().fold((0, 0), |(m, z), measure| (m + measure.marker_count(), z + measure.extra_states()))
    }

    /// Number of turn counters, which are the first extra states.
    fn turn_counter_count(&self) -> usize {
        self.own_markers_and_counters().1 + self.bound.as_ref().map_or(0, |bound| bound.names.counter_count())
    }

    /// Positions of the extra states.
    fn state_layout(&self) -> StateLayout {
        let states = self.turn_counter_count();
        let next = states + self.states.len();
        StateLayout { states, next_sample: next, held_inputs: next + 2 }
    }

    /// Calls `f` with the values of all names, `output` and `wanted` among them.
    fn with_values<T>(&self, bound: &BoundController, at: &ElementInput, f: impl FnOnce(&[f64]) -> T) -> T {
        let (seen, parts) = (bound.input_count(), self.state_layout());
        let end = seen + self.states.len();
        with_scratch(end + 2, |values: &mut [f64]| {
            match self.sample_time {
                None => self.read_inputs(bound, at, &mut values[..seen]),
                Some(_) => values[..seen].copy_from_slice(&at.z[parts.held_inputs..parts.held_inputs + seen]),
            }
            values[seen..end].copy_from_slice(&at.z[parts.states..parts.next_sample]);
            let wanted = bound.output.evaluate(values);
            (values[end], values[end + 1]) = (clamp_to_limits(wanted, self.lower, self.upper), wanted);
            f(values)
        })
    }

    /// Present values of t, s, rate, the inputs with their rates, and the columns of the model.
    fn read_inputs(&self, bound: &BoundController, at: &ElementInput, seen: &mut [f64]) {
        let (mut marker, mut counter, mut k) = (0, 0, 1);
        seen[0] = at.t;
        let mut measure = |measure: &Measure| {
            let own = at.tail(marker, counter);
            let m = measure.position_terms(&own);
            (marker, counter) = (marker + measure.marker_count(), counter + measure.extra_states());
            [m.s, measure.rate(&own, &m)]
        };
        let inputs = self.inputs.iter().map(|i| &i.of);
        let all = std::iter::once(measure(&self.coordinate)).chain(inputs.map(|of| match of {
            InputSource::Measure(of) => measure(of),
            InputSource::Signal(of) => {
                let value = of.at(at.t);
                [value.f, value.df]
            }
        }));
        for pair in all {
            seen[k..k + 2].copy_from_slice(&pair);
            k += 2;
        }
        bound.read_model(&at.tail(marker, counter), &mut seen[k..]);
    }

    /// Inputs that are functions of time.
    fn signals(&self) -> impl Iterator<Item = &Signal> {
        self.inputs.iter().filter_map(|input| match &input.of {
            InputSource::Signal(signal) => Some(signal),
            InputSource::Measure(_) => None,
        })
    }

    /// Limits at which the form of the force changes.
    fn limits(&self) -> impl Iterator<Item = f64> {
        self.lower.into_iter().chain(self.upper)
    }

    /// x after T, or its rate.
    fn advance(&self, bound: &BoundController, values: &[f64], k: usize) -> f64 {
        let formula = bound.states[k].evaluate(values);
        match (self.sample_time, &self.states[k].next) {
            (Some(T), None) => values[bound.input_count() + k] + T * formula,
            _ => formula,
        }
    }
}

/// Positions of the extra states behind the turn counters.
struct StateLayout {
    states: usize,
    /// The time of the next sample, followed by the number of samples so far.
    next_sample: usize,
    /// Inputs at the last sample.
    held_inputs: usize,
}

#[cfg(test)]
mod tests;
