//! A stop: a measured coordinate s cannot pass a limit.

use super::{
    Constraint, Dependence, ElementInput, ExtraStates, FrictionLaw, MarkerReference, NonSmooth, RowInfo, RowLevel,
    RowTerms,
};
use crate::breaks::BreakList;
use crate::error::ParameterError;
use crate::laws::{ConstraintLaw, Impact};
use crate::measures::Measure;
use crate::signals::{PassedEnd, Signal};
use serde::{Deserialize, Serialize};

/// The side of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// The coordinate stays above.
    Lower,
    /// The coordinate stays below.
    Upper,
}

impl Limit {
    /// φ̇ / ṡ.
    pub(super) fn sign(self) -> f64 {
        match self {
            Limit::Lower => 1.0,
            Limit::Upper => -1.0,
        }
    }
}

/// A limit of a measured coordinate.
///
/// ```text
///  lower   φ = s − l(t) ≥ 0          upper   φ = l(t) − s ≥ 0          λ ≥ 0 pushes s back
/// ```
///
/// One stop is one row; a joint with two limits has two stops ([`Spec::limits`](crate::Spec::limits)). The measure may be an
/// angle counted through turns, so limits may be several turns apart.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// // A mass that falls onto a stop at z = 0 and stays there.
/// let mut spec = Spec::new();
/// spec.gravity([0.0, 0.0, -9.81])
///     .body("mass", PointMass::new(1.0, [0.0, 0.0, 0.5]))
///     .constraint("floor", Stop::lower(Measure::coordinate("mass.z"), 0.0));
/// let model = spec.build()?;
/// let run = simulate(&model, &model.initial_state(), &Transient::to(1.0))?;
/// assert!(run.last("mass.z")?.abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// The coordinate: a slide, an angle, a distance, a coordinate of a body.
    pub of: Measure,
    /// Whether it is a lower or an upper limit.
    pub side: Limit,
    /// The limit (m or rad); a signal moves it.
    pub at: Signal,
    /// Impact when the limit is reached; default: plastic.
    #[serde(default = "plastic")]
    pub impact: Impact,
}

/// No rebound.
pub(super) fn plastic() -> Impact {
    Impact::PLASTIC
}

impl Stop {
    /// s ≥ at.
    pub fn lower(of: Measure, at: impl Into<Signal>) -> Stop {
        Stop { of, side: Limit::Lower, at: at.into(), impact: Impact::PLASTIC }
    }

    /// s ≤ at.
    pub fn upper(of: Measure, at: impl Into<Signal>) -> Stop {
        Stop { of, side: Limit::Upper, at: at.into(), impact: Impact::PLASTIC }
    }

    /// The same with another impact law.
    pub fn impact(mut self, impact: Impact) -> Stop {
        self.impact = impact;
        self
    }
}

impl Constraint for Stop {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        self.of.markers()
    }

    fn rows(&self) -> Vec<RowInfo> {
        vec![RowInfo { name: "gap", level: RowLevel::Position, unit: self.of.unit() }]
    }

    fn check(&self) -> Result<(), ParameterError> {
        self.at.check().map_err(|e| ParameterError::invalid("at", e.to_string()))?;
        self.impact.check()
    }

    fn position_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        let (m, limit, sign) = (self.of.position_terms(at), self.at.at(at.t), self.side.sign());
        rows.phi[0] = sign * (m.s - limit.f);
        rows.phi_t[0] = -sign * limit.df;
        for k in 0..self.of.marker_count() {
            rows.D[k] = m.D[k].scaled(sign);
        }
    }

    fn velocity_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        rows.c[0] = self.side.sign() * (self.of.convective_term(at) - self.at.at(at.t).ddf);
    }

    fn law(&self) -> ConstraintLaw {
        ConstraintLaw::Unilateral(self.impact)
    }

    fn dependence(&self) -> Dependence {
        Dependence::Unknown
    }
}

impl ExtraStates for Stop {
    fn state_count(&self) -> usize {
        self.of.extra_states()
    }

    fn initialise_states(&self, at: &ElementInput, z: &mut [f64]) {
        if let Some(turn) = z.first_mut() {
            *turn = self.of.position_terms(&ElementInput { z: &[], ..*at }).s;
        }
    }

    fn state_rates(&self, at: &ElementInput, zdot: &mut [f64]) {
        if let Some(turning) = zdot.first_mut() {
            *turning = self.of.rate(at, &self.of.position_terms(at));
        }
    }

    fn angle_markers(&self) -> Vec<[usize; 2]> {
        self.of.angle_markers().into_iter().collect()
    }
}

impl NonSmooth for Stop {
    fn has_bounded_tables(&self) -> bool {
        self.at.has_ends()
    }

    fn exceeded_table(&self, at: &ElementInput) -> Option<PassedEnd> {
        self.at.passed_end(at.t)
    }

    fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        self.at.breaks(from, to, list);
    }
}

impl FrictionLaw for Stop {}

#[cfg(test)]
mod tests {
    use super::super::ConstraintKind;
    use super::super::conformance::{Rig, evaluate, smooth_coordinate};
    use super::*;
    use crate::laws::ImpactLaw;
    use crate::motion::{Motion, Vec3};
    use crate::state::ConstraintMode;
    use crate::{PointMass, Spec};
    use std::f64::consts::TAU;

    #[test]
    fn rates_follow_the_motion() {
        let moving = || Signal::harmonic(0.2, 1.3, 0.4);
        for of in [
            Measure::distance("a", "b"),
            Measure::slide("a", "b"),
            Measure::angle("a", "b"),
            Measure::elevation("a", "b"),
        ] {
            Rig::two_frames().check_identities(&Stop::lower(of.clone(), moving()));
            Rig::two_frames().check_identities(&Stop::upper(of, 0.3));
        }
        Rig::new(vec![smooth_coordinate(3)]).check_identities(&Stop::upper(Measure::coordinate("c"), moving()));
    }

    #[test]
    fn it_pushes_back_from_either_side() {
        let b = Motion { p: Vec3::new(0.0, 0.0, 2.0), v: Vec3::z() * 3.0, ..Motion::REST };
        let slide = Measure::slide("a", "b");
        let low = evaluate(&Stop::lower(slide.clone(), 0.5), &[Motion::REST, b]);
        assert_eq!((low.phi[0], low.rates[0], low.D[1].f.z), (1.5, 3.0, 1.0));
        let high = evaluate(&Stop::upper(slide, 5.0), &[Motion::REST, b]);
        assert_eq!((high.phi[0], high.rates[0], high.D[1].f.z), (3.0, -3.0, -1.0));
    }

    #[test]
    fn a_stop_may_lie_turns_away() {
        let stop = Stop::upper(Measure::angle("a", "b"), 3.0 * TAU);
        let motions = [Motion::REST, Motion::REST];
        let (mut phi, mut phi_t, mut c) = ([0.0], [0.0], [0.0]);
        let mut D = [crate::motion::Wrench::ZERO; 2];
        let mut rows = RowTerms { phi: &mut phi, D: &mut D, phi_t: &mut phi_t, c: &mut c };
        stop.position_terms(&ElementInput::new(0.0, &motions, &[0, 1], &[2.0 * TAU + 0.1]), &mut rows);
        assert!((rows.phi[0] - TAU).abs() < 1e-14);
    }

    #[test]
    fn limits_are_two_stops_that_start_open() {
        let mut spec = Spec::new();
        let x = Measure::coordinate("bead.x");
        spec.body("bead", PointMass::new(1.0, [0.2, 0.0, 0.0]))
            .limits("range", x.clone(), Some(-1.0), Some(1.0), Impact::PLASTIC)
            .limits("floor", x.clone(), Some(-2.0), None, Impact::PLASTIC)
            .limits("none", x, None, None, Impact::PLASTIC);
        let model = spec.build().unwrap();
        let names: Vec<&str> = model.constraints.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["range.lower", "range.upper", "floor.lower"]);
        assert!(model.initial_state().modes.iter().all(|m| *m == ConstraintMode::Idle));
    }

    #[test]
    fn it_passes_through_a_file() {
        let text = r#"{"type": "stop", "of": {"coordinate": "cart.x"}, "side": "upper", "at": 2.5}"#;
        let ConstraintKind::Stop(stop) = serde_json::from_str(text).unwrap() else { panic!("{text}") };
        assert_eq!(stop, Stop::upper(Measure::coordinate("cart.x"), 2.5));
        let bouncy = stop.impact(Impact { law: ImpactLaw::Poisson, restitution: 0.4 });
        let again = serde_json::to_string(&bouncy).unwrap();
        assert_eq!(serde_json::from_str::<Stop>(&again).unwrap(), bouncy);
        assert!(bouncy.impact(Impact { law: ImpactLaw::Newton, restitution: 1.1 }).check().is_err());
        assert!(Stop::lower(Measure::slide("a", "b"), f64::NAN).check().is_err());
    }
}
