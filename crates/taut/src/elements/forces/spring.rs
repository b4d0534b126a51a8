//! A law along a measured coordinate s: spring, damper and actuator, translational or torsional.

use super::{Conservation, ExtraStates, Force, ForceReport, NonSmooth};
use crate::breaks::{BreakList, GuardKind};
use crate::constraints::{ElementInput, MarkerReference};
use crate::error::ParameterError;
use crate::measures::Measure;
use crate::motion::Wrench;
use crate::signals::{ForceLaw, PassedEnd, Signal};
use serde::{Deserialize, Serialize};

/// A force law along a measured coordinate.
///
/// ```text
///  F = law(s, ṡ, t) + drive(t)          wrenches D F, with ṡ = Σ D·twist
/// ```
///
/// F acts on s: between two points a positive force pushes them apart. Since ṡ = Σ D·twist, the total power of the wrenches is
/// exactly F ṡ.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// // 2 kg on a spring of 50 N/m: 5 rad/s.
/// let mut spec = Spec::new();
/// spec.body("mass", PointMass::new(2.0, [1.1, 0.0, 0.0])).force("spring", Spring::linear("ground", "mass", 50.0, 0.0, 1.0));
/// let model = spec.build()?;
/// let run = simulate(&model, &model.initial_state(), &Transient::to(1.0).tolerance(1e-9, 1e-9))?;
/// assert!((run.last("mass.x")? - (1.0 + 0.1 * 5.0_f64.cos())).abs() < 1e-7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spring {
    /// The coordinate s: a distance, a slide, an angle, a coordinate of a body.
    pub along: Measure,
    /// Spring and damper: the force on s (N, or N m on an angle) as a function of s, its rate and time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub law: Option<ForceLaw>,
    /// Actuator: a force on s as a function of time, added to the law.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drive: Option<Signal>,
}

impl Spring {
    /// Any law along any measure.
    pub fn new(along: Measure, law: ForceLaw) -> Spring {
        Spring { along, law: Some(law), drive: None }
    }

    /// Spring and damper between two points: stiffness N/m, damping N s/m, free length m.
    pub fn linear(a: &str, b: &str, stiffness: f64, damping: f64, free_length: f64) -> Spring {
        Spring::new(Measure::distance(a, b), ForceLaw::linear(stiffness, damping, free_length))
    }

    /// Spring and damper about z of `a`: stiffness N m/rad, damping N m s/rad, free angle rad.
    pub fn torsional(a: &str, b: &str, stiffness: f64, damping: f64, free_angle: f64) -> Spring {
        Spring::new(Measure::angle(a, b), ForceLaw::linear(stiffness, damping, free_angle))
    }

    /// An actuator whose force (positive pushes apart) or torque is a signal.
    pub fn actuator(along: Measure, drive: Signal) -> Spring {
        Spring { along, law: None, drive: Some(drive) }
    }

    /// The same spring with an actuator in parallel.
    pub fn driven(mut self, drive: Signal) -> Spring {
        self.drive = Some(drive);
        self
    }

    fn drive_force(&self, t: f64) -> f64 {
        self.drive.as_ref().map_or(0.0, |s| s.at(t).f)
    }
}

impl Force for Spring {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        self.along.markers()
    }

    fn check(&self) -> Result<(), ParameterError> {
        if self.law.is_none() && self.drive.is_none() {
            return Err(ParameterError::invalid("law", "the spring exerts no force; give a `law`, a `drive`, or both"));
        }
        if let Some(law) = &self.law {
            law.check().map_err(|e| ParameterError::invalid("law", e.to_string()))?;
        }
        match &self.drive {
            Some(drive) => drive.check().map_err(|e| ParameterError::invalid("drive", e.to_string())),
            None => Ok(()),
        }
    }

    fn apply(&self, at: &ElementInput, on: &mut [Wrench]) {
        let m = self.along.position_terms(at);
        let law = self.law.as_ref().map_or(0.0, |law| law.force(m.s, self.along.rate(at, &m), at.t));
        let force = law + self.drive_force(at.t);
        for (on, D) in on.iter_mut().zip(&m.D) {
            *on = D.scaled(force);
        }
    }

    fn potential(&self, at: &ElementInput) -> f64 {
        let stored = |law: &ForceLaw| law.stored_energy(self.along.position_terms(at).s);
        self.law.as_ref().and_then(stored).unwrap_or(0.0)
    }

    fn nonconservative_power(&self, at: &ElementInput, _on: &[Wrench]) -> f64 {
        let m = self.along.position_terms(at);
        let rate = self.along.rate(at, &m);
        let spent = |law: &ForceLaw| law.nonconservative_force(m.s, rate, at.t);
        (self.law.as_ref().map_or(0.0, spent) + self.drive_force(at.t)) * rate
    }

    fn conservation(&self) -> Conservation {
        let elastic = match &self.law {
            None => true,
            Some(ForceLaw::Linear(law)) => law.damping == 0.0,
            Some(ForceLaw::Polynomial(law)) => law.damping.iter().all(|c| *c == 0.0),
            Some(ForceLaw::Table(law)) => law.viscous.is_none(),
            Some(ForceLaw::Expression { .. } | ForceLaw::Custom(_)) => false,
        };
        match elastic && self.drive.as_ref().is_none_or(Signal::is_zero) {
            true => Conservation::Conservative,
            false => Conservation::NonConservative,
        }
    }
}

impl ExtraStates for Spring {
    fn state_count(&self) -> usize {
        self.along.extra_states()
    }

    fn initialise_states(&self, at: &ElementInput, z: &mut [f64]) {
        if let Some(turn) = z.first_mut() {
            // Without a turn counter, the angle is that of the pose.
            *turn = self.along.position_terms(&ElementInput { z: &[], ..*at }).s;
        }
    }

    fn angle_markers(&self) -> Vec<[usize; 2]> {
        self.along.angle_markers().into_iter().collect()
    }

    fn state_rates(&self, at: &ElementInput, zdot: &mut [f64]) {
        if let Some(turning) = zdot.first_mut() {
            *turning = self.along.rate(at, &self.along.position_terms(at));
        }
    }
}

impl ForceReport for Spring {}

impl NonSmooth for Spring {
    fn has_bounded_tables(&self) -> bool {
        self.law.as_ref().is_some_and(ForceLaw::has_ends) || self.drive.as_ref().is_some_and(Signal::has_ends)
    }

    fn exceeded_table(&self, at: &ElementInput) -> Option<PassedEnd> {
        let m = self.along.position_terms(at);
        let law = self.law.as_ref().and_then(|law| law.passed_end(m.s, self.along.rate(at, &m)));
        law.or_else(|| self.drive.as_ref()?.passed_end(at.t))
    }

    fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        self.law.iter().for_each(|law| law.breaks(from, to, list));
        self.drive.iter().for_each(|drive| drive.breaks(from, to, list));
    }

    fn guard_count(&self) -> usize {
        self.law.as_ref().map_or(0, ForceLaw::guards)
    }

    fn guard_kind(&self, i: usize) -> GuardKind {
        self.law.as_ref().map_or(GuardKind::Switch, |law| law.guard_kind(i))
    }

    fn guard(&self, at: &ElementInput, i: usize) -> f64 {
        let m = self.along.position_terms(at);
        self.law.as_ref().map_or(f64::INFINITY, |law| law.guard(i, m.s, self.along.rate(at, &m), at.t))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraints::conformance::{Rig, check_power_balance, resultant, smooth_coordinate};
    use crate::forces::ForceKind;
    use crate::motion::{Motion, Vec3};

    #[test]
    fn stored_and_spent_power_make_up_the_whole() {
        check_power_balance(&Rig::two_frames(), &Spring::linear("a", "b", 40.0, 3.0, 0.8));
        check_power_balance(
            &Rig::two_frames(),
            &Spring::torsional("a", "b", 5.0, 0.4, 0.2).driven(Signal::harmonic(1.0, 2.0, 0.0)),
        );
        check_power_balance(
            &Rig::two_frames(),
            &Spring::new(Measure::slide("a", "b"), ForceLaw::expression("-9*s^3 - rate").unwrap()),
        );
        let one = Rig::new(vec![smooth_coordinate(3)]);
        check_power_balance(&one, &Spring::new(Measure::coordinate("c"), ForceLaw::linear(7.0, 0.5, 0.1)));
        check_power_balance(&Rig::two_frames(), &Spring::actuator(Measure::distance("a", "b"), Signal::constant(4.0)));
    }

    #[test]
    fn a_stretched_spring_pulls_and_an_actuator_pushes() {
        let b = Motion { p: Vec3::new(0.0, 0.0, 2.0), v: Vec3::new(1.0, 0.0, 0.5), ..Motion::REST };
        let motions = [Motion::REST, b];
        let view = ElementInput::new(0.0, &motions, &[0, 1], &[]);
        let mut on = [Wrench::ZERO; 2];
        Spring::linear("a", "b", 10.0, 4.0, 1.5).apply(&view, &mut on);
        assert_eq!((on[0].f.z, on[1].f.z), (7.0, -7.0));
        Spring::actuator(Measure::distance("a", "b"), Signal::constant(3.0)).apply(&view, &mut on);
        assert_eq!((on[0].f.z, on[1].f.z), (-3.0, 3.0));
        let motions = Rig::two_frames().motions(0.3);
        let view = ElementInput::new(0.3, &motions, &[0, 1], &[]);
        for spring in [Spring::linear("a", "b", 1.0, 1.0, 1.0), Spring::torsional("a", "b", 1.0, 1.0, 1.0)] {
            spring.apply(&view, &mut on);
            let sum = resultant(&motions, &on);
            assert!(sum.f.norm() + sum.m.norm() < 1e-14);
        }
    }

    #[test]
    fn a_torsion_spring_counts_full_turns() {
        let spring = Spring::torsional("a", "b", 2.0, 0.0, 0.0);
        let motions = [Motion::REST, Motion::REST];
        let turns = std::f64::consts::TAU * 3.0;
        let mut on = [Wrench::ZERO; 2];
        spring.apply(&ElementInput::new(0.0, &motions, &[0, 1], &[turns + 0.1]), &mut on);
        assert!((on[1].m.z + 2.0 * turns).abs() < 1e-13);
        let mut z = [1.0];
        spring.initialise_states(&ElementInput::new(0.0, &motions, &[0, 1], &[turns]), &mut z);
        assert_eq!(z, [0.0]);
    }

    #[test]
    fn it_passes_through_a_model_file() {
        let spring = Spring::torsional("hinge.a", "hinge.b", 2.0, 0.1, 0.3).driven(Signal::harmonic(1.0, 2.0, 0.0));
        let text = serde_json::to_string(&ForceKind::from(spring.clone())).unwrap();
        assert!(text.starts_with(r#"{"type":"spring","along":{"angle":"#), "{text}");
        let ForceKind::Spring(back) = serde_json::from_str(&text).unwrap() else { panic!("{text}") };
        assert_eq!(back, spring);
    }

    #[test]
    fn an_empty_or_senseless_spring_is_refused() {
        let text = r#"{"along": {"distance": {"a": "x", "b": "y"}}, "law": {"type": "linear", "stiffness": 3}}"#;
        let spring: Spring = serde_json::from_str(text).unwrap();
        assert_eq!(spring.conservation(), Conservation::Conservative);
        assert!(Spring { law: None, ..spring }.check().is_err());
        assert!(Spring::linear("x", "y", f64::NAN, 0.0, 0.0).check().is_err());
        assert_eq!(Spring::linear("x", "y", 1.0, 1.0, 0.0).conservation(), Conservation::NonConservative);
    }
}
