//! A ratchet: a measured coordinate moves in one direction, tooth by tooth, and can fall back only to the last tooth.

use super::rope::Sense;
use super::stop::plastic;
use super::{
    Constraint, Dependence, ElementInput, ExtraStates, FrictionLaw, MarkerReference, NonSmooth, ResetGuardActivity,
    RowInfo, RowLevel, RowTerms,
};
use crate::error::ParameterError;
use crate::laws::{ConstraintLaw, Impact};
use crate::measures::Measure;
use serde::{Deserialize, Serialize};

/// Distance before a tooth, in pitches, at which it counts as passed: an event is located only to round-off.
const TOOTH_TOLERANCE: f64 = 1e-6;

/// A coordinate that cannot move back beyond the last tooth.
///
/// An angle starts between −π and π. If a full turn is not a multiple of the pitch, teeth are counted from there.
///
/// With x = ±s, the pitch p and the number n of the last tooth that was passed,
///
/// ```text
///  φ = x − n p ≥ 0          reset guard (n + 1) p − x: where it falls through zero, n increases
/// ```
///
/// n is an extra state that only the reset guard changes. The teeth are at multiples of the pitch.
///
/// # Examples
///
/// ```
/// use taut::constraints::Sense;
/// use taut::prelude::*;
///
/// // A mass on a spring moves by 0.2 m, and the ratchet keeps the last of its teeth, 0.03 m apart.
/// let mut spec = Spec::new();
/// spec.body("mass", PointMass::new(1.0, [0.0; 3]))
///     .force("spring", FormulaForce::new(Measure::coordinate("mass.x"), "100*(0.1 - s)")?)
///     .constraint("pawl", Ratchet::new(Measure::coordinate("mass.x"), 0.03, Sense::Positive));
/// let model = spec.build()?;
/// let run = simulate(&model, &model.initial_state(), &Transient::to(2.0))?;
/// assert!((run.last("mass.x")? - 0.18).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ratchet {
    /// The coordinate: an angle, a slide, a coordinate of a body.
    #[serde(rename = "coordinate")]
    pub coordinate: Measure,
    /// Distance between teeth, m or rad.
    pub pitch: f64,
    /// The direction of free motion.
    pub sense: Sense,
    /// Impact when it falls back on a tooth; default: plastic.
    #[serde(default = "plastic")]
    pub impact: Impact,
}

impl Ratchet {
    /// A ratchet that rotates or slides freely in one direction.
    pub fn new(of: Measure, pitch: f64, sense: Sense) -> Ratchet {
        Ratchet { coordinate: of, pitch, sense, impact: Impact::PLASTIC }
    }

    /// The same with another impact law.
    pub fn impact(mut self, impact: Impact) -> Ratchet {
        self.impact = impact;
        self
    }

    /// x of a pose.
    fn signed_coordinate(&self, at: &ElementInput) -> f64 {
        self.sense.sign() * self.coordinate.position_terms(at).s
    }

    /// The number of the last tooth passed.
    fn last_tooth(&self, z: &[f64]) -> f64 {
        z.get(self.coordinate.extra_states()).copied().unwrap_or(0.0)
    }
}

impl Constraint for Ratchet {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        self.coordinate.markers()
    }

    fn rows(&self) -> Vec<RowInfo> {
        vec![RowInfo { name: "gap", level: RowLevel::Position, unit: self.coordinate.unit() }]
    }

    fn check(&self) -> Result<(), ParameterError> {
        ParameterError::check_positive("pitch", self.pitch)?;
        self.impact.check()
    }

    fn position_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        let (m, sign) = (self.coordinate.position_terms(at), self.sense.sign());
        rows.phi[0] = sign * m.s - self.pitch * self.last_tooth(at.z);
        rows.phi_t[0] = 0.0;
        for k in 0..self.coordinate.marker_count() {
            rows.D[k] = m.D[k].scaled(sign);
        }
    }

    fn velocity_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        rows.c[0] = self.sense.sign() * self.coordinate.convective_term(at);
    }

    // `angles` keeps its default although an angle has a turn counter: the model would reset the counter to the turn of the
    // coordinates, and the tooth number would no longer fit.

    fn law(&self) -> ConstraintLaw {
        ConstraintLaw::Unilateral(self.impact)
    }

    fn reset_guard_activity(&self) -> ResetGuardActivity {
        ResetGuardActivity::Always
    }

    fn dependence(&self) -> Dependence {
        Dependence::Unknown
    }
}

impl ExtraStates for Ratchet {
    fn state_count(&self) -> usize {
        self.coordinate.extra_states() + 1
    }

    fn initialise_states(&self, at: &ElementInput, z: &mut [f64]) {
        let (turn, tooth) = z.split_at_mut(self.coordinate.extra_states());
        let bare = ElementInput { z: &[], ..*at };
        if let Some(turn) = turn.first_mut() {
            *turn = self.coordinate.position_terms(&bare).s;
        }
        if let Some(tooth) = tooth.first_mut() {
            *tooth = (self.signed_coordinate(&bare) / self.pitch + TOOTH_TOLERANCE).floor();
        }
    }

    fn state_rates(&self, at: &ElementInput, zdot: &mut [f64]) {
        zdot.fill(0.0);
        if self.coordinate.extra_states() == 1 {
            zdot[0] = self.coordinate.rate(at, &self.coordinate.position_terms(at));
        }
    }

    fn reset_guard_count(&self) -> usize {
        1
    }

    fn reset_guard(&self, at: &ElementInput, _i: usize) -> f64 {
        self.pitch * (self.last_tooth(at.z) + 1.0) - self.signed_coordinate(at)
    }

    fn reset_states(&self, at: &ElementInput, _i: usize, z: &mut [f64]) {
        // At least one: the event may be located slightly before the tooth, by round-off.
        let passed = (self.signed_coordinate(at) / self.pitch - self.last_tooth(z) + TOOTH_TOLERANCE).floor().max(1.0);
        if let Some(tooth) = z.get_mut(self.coordinate.extra_states()) {
            *tooth += passed;
        }
    }
}

impl NonSmooth for Ratchet {}
impl FrictionLaw for Ratchet {}

#[cfg(test)]
mod tests {
    use super::super::ConstraintKind;
    use super::super::conformance::{Rig, smooth_coordinate};
    use super::*;
    use crate::motion::{Motion, Vec3, Wrench};

    #[test]
    fn rates_follow_the_motion() {
        for sense in [Sense::Positive, Sense::Negative] {
            for of in [Measure::angle("a", "b"), Measure::slide("a", "b")] {
                Rig::two_frames().check_identities(&Ratchet::new(of, 0.4, sense));
            }
            Rig::new(vec![smooth_coordinate(3)]).check_identities(&Ratchet::new(Measure::coordinate("c"), 0.3, sense));
        }
    }

    fn at(x: f64) -> [Motion; 1] {
        [Motion { p: Vec3::x() * x, ..Motion::REST }]
    }

    fn gap(ratchet: &Ratchet, x: f64, z: &[f64]) -> f64 {
        let (mut phi, mut phi_t, mut c, mut D) = ([0.0], [0.0], [0.0], [Wrench::ZERO]);
        let mut rows = RowTerms { phi: &mut phi, D: &mut D, phi_t: &mut phi_t, c: &mut c };
        ratchet.position_terms(&ElementInput::new(0.0, &at(x), &[0], z), &mut rows);
        phi[0]
    }

    #[test]
    fn teeth_are_passed_one_way() {
        let ratchet = Ratchet::new(Measure::coordinate("c"), 0.25, Sense::Positive);
        let mut z = [0.0];
        ratchet.initialise_states(&ElementInput::new(0.0, &at(0.6), &[0], &[]), &mut z);
        assert_eq!((z, gap(&ratchet, 0.6, &z)), ([2.0], 0.6 - 0.5));
        let pass = |x: f64, z: &mut [f64; 1]| {
            let before = *z;
            ratchet.reset_states(&ElementInput::new(0.0, &at(x), &[0], &before), 0, z);
        };
        let guard = |x: f64, z: &[f64; 1]| ratchet.reset_guard(&ElementInput::new(0.0, &at(x), &[0], z), 0);
        assert!(guard(0.7, &z) > 0.0 && guard(0.8, &z) < 0.0);
        // Located before or after the tooth by round-off, and never twice.
        for x in [0.75 - 1e-12, 0.75 + 1e-12] {
            let mut z = z;
            pass(x, &mut z);
            assert_eq!(z, [3.0]);
            assert!(guard(x, &z) > 0.2 && gap(&ratchet, x, &z).abs() < 1e-11);
        }
        pass(1.3, &mut z);
        assert_eq!(z, [5.0], "three at once where a jump passed them");
        // Moving back closes the gap and passes no tooth.
        assert!(gap(&ratchet, 1.2, &z) < 0.0 && guard(1.2, &z) > 0.0);
    }

    #[test]
    fn the_other_sense_mirrors_it() {
        let ratchet = Ratchet::new(Measure::coordinate("c"), 0.25, Sense::Negative);
        let mut z = [0.0];
        ratchet.initialise_states(&ElementInput::new(0.0, &at(-0.6), &[0], &[]), &mut z);
        assert_eq!((z, gap(&ratchet, -0.6, &z)), ([2.0], 0.6 - 0.5));
        assert!(gap(&ratchet, -0.4, &z) < 0.0);
    }

    #[test]
    fn it_passes_through_a_file() {
        let text =
            r#"{"type": "ratchet", "coordinate": {"angle": {"a": "x", "b": "y"}}, "pitch": 0.1, "sense": "positive"}"#;
        let ConstraintKind::Ratchet(found) = serde_json::from_str(text).unwrap() else { panic!("{text}") };
        assert_eq!(found, Ratchet::new(Measure::angle("x", "y"), 0.1, Sense::Positive));
        assert_eq!((found.state_count(), found.reset_guard_count()), (2, 1));
        assert!(Ratchet { pitch: 0.0, ..found }.check().is_err());
    }
}
