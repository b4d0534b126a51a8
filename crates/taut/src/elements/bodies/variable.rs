//! A number that is constant until an event changes it: a set point, a counter, a switch.

use super::{Body, Energies, Jacobian, Manifold, MassMatrix, Quantities, Quantity, ReferenceFrame, Sizes};
use crate::error::ParameterError;
use crate::marker::MarkerPlacement;
use crate::motion::{Motion, Vec3, Wrench};
use serde::{Deserialize, Serialize};

/// A number that is constant until an event changes it: a set point, a counter, a switch. q = value, no velocities, q̇ = 0.
///
/// Only an event changes it; formulas and controllers read it as the coordinate `name.value`. It has no block of M, and a
/// constraint that reads it has no block of A there: the force on the number has no effect.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// // A set point that an event changes; formulas read it as `goal.value`.
/// let mut spec = Spec::new();
/// spec.body("goal", Variable::new(1.0))
///     .body("cart", PointMass::new(1.0, [0.0; 3]))
///     .force("pull", FormulaForce::new(Measure::coordinate("cart.x"), "10*(goal.value - s) - 2*rate")?)
///     .event("reverse", Trigger::at(2.0).then(Action::set("goal.value", "-1")));
/// let model = spec.build()?;
/// let run = simulate(&model, &model.initial_state(), &Transient::to(3.0))?;
/// assert_eq!(run.last("goal.value")?, -1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    /// Its value at the start.
    #[serde(default)]
    pub value: f64,
}

impl Variable {
    /// A variable with its value at the start.
    pub fn new(value: f64) -> Variable {
        Variable { value }
    }
}

impl Body for Variable {
    fn check(&self) -> Result<(), ParameterError> {
        ParameterError::check_finite("value", &[self.value])
    }
    fn initial_state(&self, q: &mut [f64], _v: &mut [f64], _z: &mut [f64]) {
        q[0] = self.value;
    }
    fn frame_pose(&self, _q: &[f64], _own: &mut Motion) {}
    fn marker_pose(&self, q: &[f64], _own: &Motion, _marker: &MarkerPlacement, seen: &mut Motion) {
        seen.p.x = q[0];
    }
    fn frame_twist(&self, _q: &[f64], _v: &[f64], _own: &mut Motion) {}
    fn marker_twist(&self, _q: &[f64], _v: &[f64], _own: &Motion, _marker: &MarkerPlacement, _seen: &mut Motion) {}
    fn mass_matrix(&self, _q: &[f64], _own: &Motion, _M: &mut [f64]) {}
    fn coordinate_rates(&self, _q: &[f64], _v: &[f64], qdot: &mut [f64]) {
        qdot[0] = 0.0;
    }
    fn internal_forces(
        &self,
        _t: f64,
        _q: &[f64],
        _v: &[f64],
        _z: &[f64],
        _own: &Motion,
        _f: &mut [f64],
        _zdot: &mut [f64],
    ) {
    }
    fn gravity_force(&self, _q: &[f64], _own: &Motion, _g: &Vec3, _f: &mut [f64]) {}
    fn displace(&self, _q: &mut [f64], _delta: &[f64]) {}
}

impl Quantities for Variable {
    fn sizes(&self) -> Sizes {
        Sizes { q: 1, v: 0, z: 0 }
    }
    fn coordinates(&self) -> Vec<Quantity> {
        vec![Quantity::new("value", "1")]
    }
    fn velocities(&self) -> Vec<Quantity> {
        Vec::new()
    }
    fn coordinate_index(&self, name: &str) -> Option<usize> {
        (name == "value").then_some(0)
    }
}

impl Jacobian for Variable {
    fn apply_transpose(
        &self,
        _q: &[f64],
        _own: &Motion,
        _marker: &MarkerPlacement,
        _seen: &Motion,
        _on: &Wrench,
        _f: &mut [f64],
    ) {
    }
}

impl Energies for Variable {
    fn potential(&self, _q: &[f64], _own: &Motion, _g: &Vec3) -> f64 {
        0.0
    }
    fn kinetic(&self, _q: &[f64], _v: &[f64], _own: &Motion) -> f64 {
        0.0
    }
}

impl MassMatrix for Variable {}
impl Manifold for Variable {}

impl ReferenceFrame for Variable {
    fn no_frame_reason(&self) -> Option<&'static str> {
        Some("a variable is a number without a frame; use its coordinate `value`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyses::{
        AssemblySettings, Statics, Transient, assemble, doctor, inverse, kinematic, simulate, statics,
    };
    use crate::drift::{DriftControl, ProjectionWeight};
    use crate::dynamics::{Dynamics, SolverSettings};
    use crate::formulations::Method;
    use crate::{Formula, FormulaForce, Joint, Measure, Outcome, PlanarBody, Spec};

    /// A pinned rod and a bead whose position follows `level`, driven by `push`; the numbers are variables or literals.
    fn mechanism(level: &str, push: &str, variables: &[(&str, f64)]) -> Spec {
        let mut spec = Spec::new();
        spec.gravity([0.0, -9.81, 0.0]);
        // Before, between and after the bodies.
        let mut left = variables.iter();
        let mut next = |spec: &mut Spec| {
            if let Some((name, value)) = left.next() {
                spec.body(name, Variable::new(*value));
            }
        };
        next(&mut spec);
        spec.body("rod", PlanarBody::rod(1.0, 0.4));
        next(&mut spec);
        spec.body("bead", PlanarBody::new(0.5, 0.1).at([1.0, 0.3], 0.0));
        next(&mut spec);
        spec.constraint("pin", Joint::pin("ground", "rod"))
            .constraint("level", Formula::phi(&format!("bead.y - {level}*bead.x")).unwrap())
            .force(
                "push",
                FormulaForce::new(Measure::coordinate("rod.theta"), &format!("{push} - rod.omega")).unwrap(),
            );
        spec
    }

    #[test]
    fn a_mechanism_does_not_notice_where_its_numbers_live() {
        let with = mechanism("slope.value", "torque.value", &[("slope", 0.3), ("torque", 2.0), ("idle", 7.0)]);
        let (with, without) = (with.build().unwrap(), mechanism("0.3", "2", &[]).build().unwrap());
        assert_eq!((with.sizes.q, with.sizes.v), (9, 6));
        for method in Method::ALL {
            let choice = SolverSettings { method: *method, ..SolverSettings::default() };
            let found = [&with, &without].map(|model| {
                let s = model.initial_state();
                let mut dynamics = Dynamics::new(model, &choice);
                dynamics.solve_accelerations(s.t, &s.q, &s.v, &s.z).unwrap();
                dynamics.vdot
            });
            for (a, b) in found[0].iter().zip(&found[1]) {
                assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{}: {found:?}", method.name());
            }
        }
    }

    #[test]
    fn it_stays_as_it_is_along_a_motion_and_is_a_column() {
        let model = mechanism("slope.value", "torque.value", &[("slope", 0.3), ("torque", 2.0)]).build().unwrap();
        let bare = mechanism("0.3", "2", &[]).build().unwrap();
        for drift in [
            DriftControl::default(),
            DriftControl::None,
            DriftControl::Projection(ProjectionWeight::Identity),
            DriftControl::Energy(ProjectionWeight::Mass),
        ] {
            let choice = SolverSettings { drift, ..SolverSettings::default() };
            let settings = Transient::to(0.5).tolerance(1e-10, 1e-10).choice(choice);
            let [one, two] = [&model, &bare].map(|m| simulate(m, &m.initial_state(), &settings).unwrap());
            assert_eq!(one.outcome, Outcome::Finished);
            assert_eq!((one.last("slope.value").unwrap(), one.last("torque.value").unwrap()), (0.3, 2.0));
            for name in ["rod.theta", "bead.x", "bead.y"] {
                assert!((one.last(name).unwrap() - two.last(name).unwrap()).abs() < 1e-9, "{name}");
            }
        }
    }

    #[test]
    fn it_is_set_by_name_and_has_no_frame() {
        let mut spec = mechanism("slope.value", "torque.value", &[("slope", 0.3), ("torque", 2.0)]);
        let model = spec.build().unwrap();
        let mut state = model.initial_state();
        model.set(&mut state, "torque.value", -1.5).unwrap();
        assert_eq!(model.get(&state, "torque.value").unwrap(), -1.5);
        spec.constraint("hold", Joint::pin("ground", "slope"));
        assert!(spec.build().unwrap_err().to_string().contains("a number without a frame"));
        assert!(Variable::new(f64::NAN).check().is_err());
        let mut alone = Spec::new();
        alone.body("n", Variable::new(1.0)).constraint("n", Formula::phi("n.value - 1").unwrap());
        assert!(alone.build().is_err(), "nothing that moves is held");
    }

    #[test]
    fn every_analysis_bears_a_body_without_velocities() {
        let mut spec = mechanism("slope.value", "torque.value", &[("slope", 0.3), ("torque", 2.0)]);
        spec.measure("slope", Measure::coordinate("slope.value"));
        let model = spec.build().unwrap();
        let state = model.initial_state();
        assert!(assemble(&model, &state, &AssemblySettings::default()).is_ok());
        let held = assemble(&model, &state, &AssemblySettings::default().hold("slope.value"));
        assert!(held.is_err(), "nothing moves it anyway");
        assert!(doctor(&model, &state).is_ok());
        assert!(inverse(&model, &state, &[0.0; 6]).is_ok());
        let _ = statics(&model, &state, &Statics::default());
        assert!(kinematic(&model, &state, &[0.0, 0.1]).is_err(), "it has freedoms left");
        let s = simulate(&model, &state, &Transient::to(0.1)).unwrap();
        assert_eq!(s.last("slope").unwrap(), 0.3);
    }

    #[test]
    fn a_model_of_nothing_but_numbers_stands_still() {
        let mut spec = Spec::new();
        spec.body("n", Variable::new(3.0));
        let model = spec.build().unwrap();
        let state = model.initial_state();
        for method in Method::ALL {
            let choice = SolverSettings { method: *method, ..SolverSettings::default() };
            let s = simulate(&model, &state, &Transient::to(0.1).choice(choice));
            assert!(s.is_ok_and(|s| s.last("n.value").unwrap() == 3.0), "{}", method.name());
        }
        let _ = (doctor(&model, &state), statics(&model, &state, &Statics::default()), inverse(&model, &state, &[]));
        assert!(assemble(&model, &state, &AssemblySettings::default()).is_ok());
    }
}
