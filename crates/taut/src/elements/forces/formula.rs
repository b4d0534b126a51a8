//! A force written as text over the names of the solution's columns.

use super::{ExtraStates, Force, ForceReport, NonSmooth, TangentAvailability};
use crate::breaks::{BreakList, GuardKind};
use crate::constraints::{
    BoundExpression, ElementInput, MarkerComponent, MarkerReference, NameSource, ReactionNames, Scope, check_syntax,
};
use crate::error::{BuildError, ParameterError};
use crate::expressions::ParseError;
use crate::measures::Measure;
use crate::motion::{Motion, Wrench};
use crate::scalar::Dual;
use crate::signals::PassedEnd;
use nalgebra::Matrix6;
use serde::{Deserialize, Serialize};

/// Built-in names of a force formula, besides the names with dots.
const BUILT_IN_NAMES: [&str; 3] = ["t", "s", "rate"];

/// A force along a measured coordinate, as text.
///
/// ```text
///  along = { coordinate = "cart.x" }     force = "-40*cart.x - 3*cart.vx*abs(arm.omega) + sin(t)"
/// ```
///
/// The force (a torque on an angle) acts on the measured coordinate s: wrenches D F, with ṡ = Σ D·twist. The other bodies and
/// markers that the formula reads get no force. `s` and `rate` are the coordinate itself and its rate. Coordinates of joints
/// (`hinge.angle`), measures (`reach`) and signals (`wind`) have their names too; the rate of each is `name.rate`. All its
/// power counts as nonconservative.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// // Quadratic drag: v = v₀/(1 + k v₀ t/m).
/// let mut spec = Spec::new();
/// spec.body("car", PointMass::new(1.0, [0.0; 3]).moving([10.0, 0.0, 0.0]))
///     .force("drag", FormulaForce::new(Measure::coordinate("car.x"), "-0.2*rate*abs(rate)")?);
/// let model = spec.build()?;
/// let run = simulate(&model, &model.initial_state(), &Transient::to(1.0).tolerance(1e-9, 1e-9))?;
/// assert!((run.last("car.vx")? - 10.0 / 3.0).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "FormulaForceText", into = "FormulaForceText")]
pub struct FormulaForce {
    coordinate: Measure,
    text: String,
    /// The expression with its names resolved; none before the model is built.
    bound_expression: Option<BoundExpression>,
}

/// A force formula as written in a model file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FormulaForceText {
    #[serde(rename = "coordinate")]
    coordinate: Measure,
    force: String,
}

impl TryFrom<FormulaForceText> for FormulaForce {
    type Error = String;
    fn try_from(text: FormulaForceText) -> Result<FormulaForce, String> {
        FormulaForce::new(text.coordinate, &text.force).map_err(|e| format!("force: {e}"))
    }
}

impl From<FormulaForce> for FormulaForceText {
    fn from(force: FormulaForce) -> FormulaForceText {
        FormulaForceText { coordinate: force.coordinate, force: force.text }
    }
}

impl PartialEq for FormulaForce {
    fn eq(&self, other: &FormulaForce) -> bool {
        self.coordinate == other.coordinate && self.text == other.text
    }
}

impl FormulaForce {
    /// The force on a measured coordinate, over `t`, `s`, `rate`, and names of the model.
    ///
    /// # Errors
    /// The text is not an expression; the error gives the position.
    pub fn new(along: Measure, force: &str) -> Result<FormulaForce, ParseError> {
        check_syntax(force)?;
        Ok(FormulaForce { coordinate: along, text: force.to_string(), bound_expression: None })
    }

    /// The coordinate it acts on.
    pub fn along(&self) -> &Measure {
        &self.coordinate
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The same with its names resolved in a model.
    pub(crate) fn bind(&self, name: &str, scope: &Scope) -> Result<FormulaForce, BuildError> {
        let scope = Scope { reactions: ReactionNames::Allowed, ..*scope };
        let bound = BoundExpression::new(&self.text, &BUILT_IN_NAMES, ("force", name, "force"), &scope)?;
        Ok(FormulaForce { bound_expression: Some(bound), ..self.clone() })
    }

    /// Whether it reads reactions of constraints.
    pub(crate) fn reads_reactions(&self) -> bool {
        self.bound_expression.as_ref().is_some_and(|bound| bound.names.reads_reactions())
    }

    /// The force.
    pub(crate) fn value(&self, at: &ElementInput) -> f64 {
        let Some(bound) = &self.bound_expression else { return f64::NAN };
        let (m, read) = (self.coordinate.position_terms(at), self.read_by_names(at));
        bound.evaluate([at.t, m.s, self.coordinate.rate(at, &m)], |k| bound.names.value(k, &read))
    }

    /// The wrenches of a unit force on the markers of the coordinate.
    pub(crate) fn unit_wrenches(&self, at: &ElementInput) -> impl Iterator<Item = Wrench> {
        self.coordinate.position_terms(at).D.into_iter().take(self.coordinate.marker_count())
    }

    /// The derivative of the force as the reactions change; `response` gives the change of a reaction by its marker.
    pub(crate) fn reaction_slope(&self, at: &ElementInput, response: impl Fn(usize) -> Option<Motion>) -> f64 {
        let Some(bound) = &self.bound_expression else { return f64::NAN };
        let (m, read) = (self.coordinate.position_terms(at), self.read_by_names(at));
        let given = [at.t, m.s, self.coordinate.rate(at, &m)].map(Dual::<1>::from);
        let name = |k: usize| {
            let value = bound.names.value(k, &read);
            let change = match &bound.names.sources()[k] {
                NameSource::Component(marker, component @ MarkerComponent::Reaction(..)) => {
                    response(read.markers[*marker]).map_or(0.0, |change| component.value(&change))
                }
                _ => 0.0,
            };
            Dual { re: value, eps: [change] }
        };
        bound.evaluate(given, name).eps[0]
    }

    /// What the names read: the markers and turn counters behind those of the coordinate.
    fn read_by_names<'a>(&self, at: &ElementInput<'a>) -> ElementInput<'a> {
        at.tail(self.coordinate.marker_count(), self.coordinate.extra_states())
    }
}

impl Force for FormulaForce {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        let read = self.bound_expression.iter().flat_map(|bound| bound.names.markers());
        self.coordinate.markers().into_iter().chain(read).collect()
    }

    fn check(&self) -> Result<(), ParameterError> {
        match &self.bound_expression {
            Some(_) => Ok(()),
            None => Err(ParameterError::invalid(
                "force",
                "the names of the formula are not resolved; build it as part of a model",
            )),
        }
    }

    fn apply(&self, at: &ElementInput, on: &mut [Wrench]) {
        on.fill(Wrench::ZERO);
        if self.bound_expression.is_none() {
            return;
        }
        let force = self.value(at);
        for (on, D) in on.iter_mut().zip(self.unit_wrenches(at)) {
            *on = D.scaled(force);
        }
    }

    // For a coordinate D is constant: only F varies.
    fn tangent(&self, at: &ElementInput, pose: &mut [Matrix6<f64>], twist: &mut [Matrix6<f64>]) -> TangentAvailability {
        let (Measure::Coordinate(_), Some(bound)) = (&self.coordinate, &self.bound_expression) else {
            return TangentAvailability::Unavailable;
        };
        if bound.names.sources().iter().any(|source| matches!(source, NameSource::Measure { .. })) {
            return TangentAvailability::Unavailable;
        }
        let (m, read) = (self.coordinate.position_terms(at), self.read_by_names(at));
        let given = [at.t, m.s, self.coordinate.rate(at, &m)];
        let slope = |which: usize| {
            let seed = |value: f64, k: usize| if k == which { Dual::<1>::variable(value, 0) } else { value.into() };
            let given: [Dual<1>; BUILT_IN_NAMES.len()] = std::array::from_fn(|k| seed(given[k], k));
            bound.evaluate(given, |k| seed(bound.names.value(k, &read), BUILT_IN_NAMES.len() + k)).eps[0]
        };
        pose[0][(0, 0)] += slope(1);
        twist[0][(0, 0)] += slope(2);
        for (k, source) in bound.names.sources().iter().enumerate() {
            let NameSource::Component(marker, component) = source else { continue };
            let slope = slope(BUILT_IN_NAMES.len() + k);
            match *component {
                MarkerComponent::Position(i) => pose[1 + marker][(0, i)] += slope,
                MarkerComponent::Velocity(i) => twist[1 + marker][(0, i)] += slope,
                MarkerComponent::AngularVelocity(i) => twist[1 + marker][(0, 3 + i)] += slope,
                // Reactions are no function of one marker.
                MarkerComponent::Reaction(..) => return TangentAvailability::Unavailable,
            }
        }
        // If a derivative is not finite, as that of a square root at zero, the caller uses finite differences.
        let finite = pose.iter().chain(twist.iter()).all(|block| block.iter().all(|x| x.is_finite()));
        if finite { TangentAvailability::Full } else { TangentAvailability::Unavailable }
    }
}

impl ExtraStates for FormulaForce {
    fn state_count(&self) -> usize {
        self.coordinate.extra_states() + self.bound_expression.as_ref().map_or(0, |bound| bound.names.counter_count())
    }

    fn initialise_states(&self, at: &ElementInput, z: &mut [f64]) {
        let (own, others) = z.split_at_mut(self.coordinate.extra_states());
        if let Some(turn) = own.first_mut() {
            *turn = self.coordinate.position_terms(&ElementInput { z: &[], ..*at }).s;
        }
        if let Some(bound) = &self.bound_expression {
            bound.names.initialise_counters(&self.read_by_names(at), others);
        }
    }

    fn angle_markers(&self) -> Vec<[usize; 2]> {
        let read = self.bound_expression.iter();
        let read = read.flat_map(|bound| bound.names.angle_markers(self.coordinate.marker_count()));
        self.coordinate.angle_markers().into_iter().chain(read).collect()
    }

    fn state_rates(&self, at: &ElementInput, zdot: &mut [f64]) {
        let (own, others) = zdot.split_at_mut(self.coordinate.extra_states());
        if let Some(turning) = own.first_mut() {
            *turning = self.coordinate.rate(at, &self.coordinate.position_terms(at));
        }
        if let Some(bound) = &self.bound_expression {
            bound.names.counter_rates(&self.read_by_names(at), others);
        }
    }
}

impl ForceReport for FormulaForce {}

impl NonSmooth for FormulaForce {
    fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        self.bound_expression.iter().for_each(|bound| bound.breaks(from, to, list));
    }

    fn guard_count(&self) -> usize {
        self.bound_expression.as_ref().map_or(0, BoundExpression::guard_count)
    }

    fn guard_kind(&self, i: usize) -> GuardKind {
        self.bound_expression.as_ref().map_or(GuardKind::Switch, |bound| bound.guard_kind(i))
    }

    fn guard(&self, at: &ElementInput, i: usize) -> f64 {
        let Some(bound) = &self.bound_expression else { return f64::INFINITY };
        let (m, read) = (self.coordinate.position_terms(at), self.read_by_names(at));
        let given = [at.t, m.s, self.coordinate.rate(at, &m)];
        bound.guard(i, given, |k| bound.names.value(k, &read))
    }

    fn has_bounded_tables(&self) -> bool {
        self.bound_expression.as_ref().is_some_and(|bound| bound.names.has_bounded_tables())
    }

    fn exceeded_table(&self, at: &ElementInput) -> Option<PassedEnd> {
        self.bound_expression.as_ref()?.names.exceeded_table(at.t)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraints::conformance::{Rig, check_power_balance, smooth_coordinate, smooth_frame};
    use crate::forces::ForceKind;
    use crate::{Frame, Joint, PlanarBody, PointMass, RigidBody, Spec};

    fn spec() -> Spec {
        let mut spec = Spec::new();
        spec.body("crank", PlanarBody::rod(1.0, 0.4))
            .body("rod", RigidBody::new(1.0, [1.0; 3]))
            .body("bob", PointMass::new(1.0, [0.0; 3]))
            .marker("rod.tip", Frame::at([0.2, 0.0, 0.0]))
            .constraint("pivot", Joint::pin("ground", "crank"));
        spec
    }

    #[test]
    fn power_balances() {
        let text = "-3*s - 2*rate + rod.tip.x*crank.omega - bob.vy^2 + sin(2*t) + rod.wz";
        let measures =
            [Measure::distance("crank", "rod"), Measure::slide("crank", "rod"), Measure::angle("crank", "rod")];
        for along in measures {
            let force = FormulaForce::new(along, text).unwrap().bind("push", &spec().scope()).unwrap();
            // Ends of the measure, rod.tip, crank.theta, bob, rod.
            let paths = vec![
                smooth_frame(1),
                smooth_frame(2),
                smooth_frame(3),
                smooth_coordinate(4),
                smooth_frame(5),
                smooth_frame(2),
            ];
            check_power_balance(&Rig::new(paths), &force);
        }
    }

    #[test]
    fn it_is_its_text() {
        let json = r#"{"type":"formula","coordinate":{"coordinate":"crank.theta"},"force":" -2 * crank.omega"}"#;
        let force: ForceKind = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_string(&force).unwrap(), json);
        let bad = json.replace("-2 *", "-2 **");
        let error = serde_json::from_str::<ForceKind>(&bad).unwrap_err().to_string();
        assert!(error.contains("force: at byte 4"), "{error}");
    }

    #[test]
    fn unknown_names_are_refused_with_the_nearest() {
        let mut spec = spec();
        spec.force("push", FormulaForce::new(Measure::coordinate("crank.theta"), "-crank.omego").unwrap());
        let error = spec.build().unwrap_err().to_string();
        assert!(error.contains("force `push`") && error.contains("did you mean `crank.omega`?"), "{error}");
    }

    #[test]
    fn a_law_of_the_user_acts_where_it_should() {
        let mut spec = spec();
        let force = FormulaForce::new(Measure::coordinate("crank.theta"), "2 + 3*bob.x + t").unwrap();
        spec.force("push", force);
        let model = spec.build().unwrap();
        let mut state = model.initial_state();
        (state.q[10], state.t) = (0.5, 0.25);
        let mut dynamics = crate::dynamics::Dynamics::new(&model, &Default::default());
        dynamics.solve_accelerations(state.t, &state.q, &state.v, &state.z).unwrap();
        // M = 3.75 N m on a rod pinned in its middle: J = 0.16/12.
        assert!((dynamics.vdot[2] - 3.75 / (0.16 / 12.0)).abs() < 1e-9, "{:?}", dynamics.vdot);
        assert_eq!(dynamics.vdot[9..], [0.0; 3]);
    }

    /// A square root has no finite derivative at zero; a run that starts there must still work.
    #[test]
    fn a_slope_that_is_none_stops_no_run() {
        use crate::analyses::{Integrator, Transient, simulate};
        let mut spec = Spec::new();
        spec.gravity([0.0, 0.0, -9.81]).body("p", PointMass::new(1.0, [0.0; 3]));
        let law = "100*sqrt(max(-s, 0)) - 0.1*rate";
        spec.force("bed", FormulaForce::new(Measure::coordinate("p.z"), law).unwrap());
        let model = spec.build().unwrap();
        let at_end = |integrator: Integrator| {
            let settings = Transient::to(0.2).integrator(integrator).tolerance(1e-8, 1e-10);
            let run = simulate(&model, &model.initial_state(), &settings).unwrap();
            assert_eq!(run.outcome, crate::Outcome::Finished, "{integrator:?}");
            run.final_state().q[2]
        };
        let explicit = at_end(Integrator::Dop853);
        for integrator in [Integrator::RadauIia5, Integrator::Trapezoidal] {
            assert!((at_end(integrator) - explicit).abs() < 1e-5, "{integrator:?}");
        }
    }
}
