//! A motor on the straight line between its stall force and its no-load speed.

use super::{ExtraStates, Force, ForceReport, NonSmooth};
use crate::breaks::BreakList;
use crate::constraints::{ElementInput, MarkerReference};
use crate::error::ParameterError;
use crate::measures::Measure;
use crate::motion::Wrench;
use crate::signals::{PassedEnd, Signal};
use serde::{Deserialize, Serialize};

/// What the command of a motor does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MotorCommand {
    /// It is the voltage divided by the nominal voltage, and shifts the line.
    #[default]
    Voltage,
    /// It scales the line.
    Throttle,
}

/// A motor that acts on a measured coordinate: N and m/s, or N m and rad/s on an angle.
///
/// With ω = ṡ the rate of the coordinate, F₀ the force at rest, ω₀ the rate without load and u the command,
///
/// ```text
///  voltage    F = F₀ (u − ω/ω₀)                   a direct-current motor: u = 0 brakes, u = −1 runs backwards
///  throttle   F = u F₀ (1 − sign(u) ω/ω₀)         u scales the whole line: u = 0 runs idle
/// ```
///
/// F is then limited. u = 1 gives the line itself in both cases, and the line continues beyond both ends: driven faster than
/// ω₀, the motor brakes.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// // A motor with 4 N m at rest and 100 rad/s without load starts a flywheel: ω = ω₀ (1 − exp(−t F₀/(J ω₀))).
/// let mut spec = Spec::new();
/// spec.body("wheel", PlanarBody::new(1.0, 0.02))
///     .constraint("axle", Joint::pin("ground", "wheel"))
///     .force("motor", Motor::new(Measure::coordinate("wheel.theta"), 4.0, 100.0));
/// let model = spec.build()?;
/// let run = simulate(&model, &model.initial_state(), &Transient::to(1.0).tolerance(1e-9, 1e-9))?;
/// assert!((run.last("wheel.omega")? - 100.0 * (1.0 - (-2.0_f64).exp())).abs() < 1e-5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Motor {
    /// The coordinate it drives.
    #[serde(rename = "coordinate")]
    pub coordinate: Measure,
    /// Force at rest, F₀.
    #[serde(rename = "stall_force")]
    pub stall_force: f64,
    /// Rate without load, ω₀.
    #[serde(rename = "no_load_speed")]
    pub no_load_speed: f64,
    /// Command u, 1 at full voltage; default: 1.
    #[serde(default = "full")]
    pub command: Signal,
    /// What the command does.
    #[serde(rename = "command_type", default)]
    pub command_type: MotorCommand,
    /// Lower limit of the force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower: Option<f64>,
    /// Upper limit of the force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper: Option<f64>,
}

fn full() -> Signal {
    Signal::constant(1.0)
}

impl Motor {
    /// A motor at full voltage, without limits.
    pub fn new(on: Measure, stall: f64, no_load: f64) -> Motor {
        Motor {
            coordinate: on,
            stall_force: stall,
            no_load_speed: no_load,
            command: full(),
            command_type: MotorCommand::Voltage,
            lower: None,
            upper: None,
        }
    }

    /// The same with a command.
    pub fn command(mut self, command: impl Into<Signal>, by: MotorCommand) -> Motor {
        (self.command, self.command_type) = (command.into(), by);
        self
    }

    /// The same with limits on its force.
    pub fn within(mut self, lower: f64, upper: f64) -> Motor {
        (self.lower, self.upper) = (Some(lower), Some(upper));
        self
    }

    fn force(&self, t: f64, rate: f64) -> f64 {
        clamp_to_limits(self.unlimited_force(t, rate), self.lower, self.upper)
    }

    fn unlimited_force(&self, t: f64, rate: f64) -> f64 {
        let u = self.command.at(t).f;
        match self.command_type {
            MotorCommand::Voltage => self.stall_force * (u - rate / self.no_load_speed),
            MotorCommand::Throttle => self.stall_force * (u - u.abs() * rate / self.no_load_speed),
        }
    }

    /// Limits at which the form of the force changes.
    fn limits(&self) -> impl Iterator<Item = f64> {
        self.lower.into_iter().chain(self.upper)
    }
}

/// Rejects limits that are not finite, or a lower limit above the upper one.
pub(super) fn check_limits(lower: Option<f64>, upper: Option<f64>) -> Result<(), ParameterError> {
    for (field, limit) in [("lower", lower), ("upper", upper)] {
        ParameterError::check_finite(field, limit.as_slice())?;
    }
    match (lower, upper) {
        (Some(l), Some(u)) if l > u => {
            Err(ParameterError::invalid("lower", format!("is {l}, above the upper limit {u}")))
        }
        _ => Ok(()),
    }
}

/// F clamped to the limits.
pub(super) fn clamp_to_limits(F: f64, lower: Option<f64>, upper: Option<f64>) -> f64 {
    let F = upper.map_or(F, |u| F.min(u));
    lower.map_or(F, |l| F.max(l))
}

impl Force for Motor {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        self.coordinate.markers()
    }

    fn check(&self) -> Result<(), ParameterError> {
        ParameterError::check_positive("stall_force", self.stall_force)?;
        ParameterError::check_positive("no_load_speed", self.no_load_speed)?;
        self.command.check().map_err(|e| ParameterError::invalid("command", e.to_string()))?;
        check_limits(self.lower, self.upper)
    }

    fn apply(&self, at: &ElementInput, on: &mut [Wrench]) {
        // Only the rate is used: an angle needs no turn counter.
        let m = self.coordinate.position_terms(at);
        let F = self.force(at.t, self.coordinate.rate(at, &m));
        on.iter_mut().zip(&m.D).for_each(|(on, D)| *on = D.scaled(F));
    }
}

impl ExtraStates for Motor {}

impl ForceReport for Motor {}

impl NonSmooth for Motor {
    fn has_bounded_tables(&self) -> bool {
        self.command.has_ends()
    }

    fn exceeded_table(&self, at: &ElementInput) -> Option<PassedEnd> {
        self.command.passed_end(at.t)
    }

    fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        self.command.breaks(from, to, list);
    }

    fn guard_count(&self) -> usize {
        let reversal = self.command_type == MotorCommand::Throttle && !self.command.is_constant();
        self.limits().count() + usize::from(reversal)
    }

    fn guard(&self, at: &ElementInput, i: usize) -> f64 {
        match self.limits().nth(i) {
            Some(limit) => {
                let m = self.coordinate.position_terms(at);
                self.unlimited_force(at.t, self.coordinate.rate(at, &m)) - limit
            }
            None => self.command.at(at.t).f,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyses::{Transient, simulate};
    use crate::constraints::conformance::{Rig, check_power_balance, smooth_coordinate};
    use crate::forces::ForceKind;
    use crate::{Joint, PlanarBody, Spec};

    #[test]
    fn power_balances() {
        let drive = || Signal::harmonic(1.0, 2.0, 0.3);
        for by in [MotorCommand::Voltage, MotorCommand::Throttle] {
            check_power_balance(
                &Rig::two_frames(),
                &Motor::new(Measure::angle("a", "b"), 3.0, 20.0).command(drive(), by),
            );
            let one = Rig::new(vec![smooth_coordinate(3)]);
            check_power_balance(
                &one,
                &Motor::new(Measure::coordinate("c"), 3.0, 20.0).command(drive(), by).within(-1.0, 2.0),
            );
        }
    }

    #[test]
    fn the_line_and_its_limits() {
        let motor = Motor::new(Measure::coordinate("c"), 4.0, 10.0);
        let forces = |m: &Motor| [0.0, 5.0, 10.0, 15.0].map(|rate| m.force(0.0, rate));
        assert_eq!(forces(&motor), [4.0, 2.0, 0.0, -2.0]);
        assert_eq!(forces(&motor.clone().within(-1.0, 3.0)), [3.0, 2.0, 0.0, -1.0]);
        let half = |u: f64, by| forces(&motor.clone().command(u, by));
        assert_eq!(half(0.5, MotorCommand::Voltage), [2.0, 0.0, -2.0, -4.0]);
        assert_eq!(half(0.5, MotorCommand::Throttle), [2.0, 1.0, 0.0, -1.0]);
        assert_eq!(half(0.0, MotorCommand::Throttle), [0.0; 4]);
        // Backwards it is symmetric.
        let back = motor.clone().command(-1.0, MotorCommand::Throttle);
        assert_eq!([0.0, -5.0, -10.0].map(|rate| back.force(0.0, rate)), [-4.0, -2.0, 0.0]);
    }

    #[test]
    fn a_flywheel_comes_up_to_speed_exponentially() {
        let (J, stall, no_load, t) = (0.02_f64, 0.5, 30.0, 0.7);
        let mut spec = Spec::new();
        spec.body("wheel", PlanarBody::new(1.0, J))
            .constraint("axle", Joint::pin("ground", "wheel"))
            .force("motor", Motor::new(Measure::angle("ground", "wheel"), stall, no_load));
        let model = spec.build().unwrap();
        let s = simulate(&model, &model.initial_state(), &Transient::to(t).tolerance(1e-11, 1e-11)).unwrap();
        let expected = no_load * (1.0 - (-t * stall / (no_load * J)).exp());
        assert!((s.last("wheel.omega").unwrap() - expected).abs() < 1e-8);
        assert!(s.last("energy.balance").unwrap().abs() < 1e-8);
    }

    #[test]
    fn it_passes_through_a_file() {
        let text = r#"{"type": "motor", "coordinate": {"coordinate": "shaft.theta"}, "stall_force": 2, "no_load_speed": 100, "upper": 1.5}"#;
        let ForceKind::Motor(motor) = serde_json::from_str(text).unwrap() else { panic!("{text}") };
        let made = Motor::new(Measure::coordinate("shaft.theta"), 2.0, 100.0);
        assert_eq!(motor, Motor { upper: Some(1.5), ..made.clone() });
        assert_eq!(serde_json::from_str::<Motor>(&serde_json::to_string(&motor).unwrap()).unwrap(), motor);
        assert!(made.clone().within(2.0, 1.0).check().is_err());
        assert!(made.clone().within(f64::NAN, 1.0).check().is_err());
        assert!(Motor { stall_force: 0.0, ..made.clone() }.check().is_err());
        assert!(Motor { no_load_speed: -1.0, ..made }.check().is_err());
    }
}
