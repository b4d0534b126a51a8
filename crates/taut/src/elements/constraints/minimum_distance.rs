//! A separator: a minimum distance of two points.

use super::stop::plastic;
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

/// A minimum distance of two points.
///
/// ```text
///  φ = |d| − L(t) ≥ 0,   d = p_B − p_A          D_B = (u, 0)   D_A = (−u, 0),   u = d/|d|
/// ```
///
/// A massless strut that pushes and never pulls, or two spheres in contact: the opposite of a rope.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// // Two equal balls of radius 0.1 m that collide elastically exchange their velocities.
/// let elastic = Impact { restitution: 1.0, ..Impact::PLASTIC };
/// let mut spec = Spec::new();
/// spec.body("a", PointMass::new(1.0, [0.0; 3]).moving([1.0, 0.0, 0.0]))
///     .body("b", PointMass::new(1.0, [0.5, 0.0, 0.0]))
///     .constraint("touch", MinimumDistance::new("a", "b", 0.2).impact(elastic));
/// let model = spec.build()?;
/// let run = simulate(&model, &model.initial_state(), &Transient::to(1.0))?;
/// assert!(run.last("a.vx")?.abs() < 1e-9 && (run.last("b.vx")? - 1.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MinimumDistance {
    /// One point.
    pub a: String,
    /// The other.
    pub b: String,
    /// The minimum distance, m.
    pub length: Signal,
    /// Impact when the distance is reached; default: plastic.
    #[serde(default = "plastic")]
    pub impact: Impact,
}

impl MinimumDistance {
    /// The points `a` and `b` stay at least `check_length` apart.
    pub fn new(a: &str, b: &str, length: impl Into<Signal>) -> MinimumDistance {
        MinimumDistance { a: a.to_string(), b: b.to_string(), length: length.into(), impact: Impact::PLASTIC }
    }

    /// The same with another impact law.
    pub fn impact(mut self, impact: Impact) -> MinimumDistance {
        self.impact = impact;
        self
    }
}

/// The measure of a distance, without marker names.
const DISTANCE: Measure = Measure::Distance { a: String::new(), b: String::new() };

impl Constraint for MinimumDistance {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        vec![MarkerReference::frame(&self.a), MarkerReference::frame(&self.b)]
    }

    fn rows(&self) -> Vec<RowInfo> {
        vec![RowInfo { name: "gap", level: RowLevel::Position, unit: "m" }]
    }

    fn check(&self) -> Result<(), ParameterError> {
        check_length(&self.length)?;
        self.impact.check()
    }

    fn position_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        let (m, length) = (DISTANCE.position_terms(at), self.length.at(at.t));
        rows.phi[0] = m.s - length.f;
        rows.phi_t[0] = -length.df;
        rows.D[..2].copy_from_slice(&m.D);
    }

    fn velocity_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        rows.c[0] = DISTANCE.convective_term(at) - self.length.at(at.t).ddf;
    }

    fn law(&self) -> ConstraintLaw {
        ConstraintLaw::Unilateral(self.impact)
    }

    fn dependence(&self) -> Dependence {
        Dependence::Unknown
    }
}

impl ExtraStates for MinimumDistance {}

impl NonSmooth for MinimumDistance {
    fn has_bounded_tables(&self) -> bool {
        self.length.has_ends()
    }

    fn exceeded_table(&self, at: &ElementInput) -> Option<PassedEnd> {
        self.length.passed_end(at.t)
    }

    fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        self.length.breaks(from, to, list);
    }
}

impl FrictionLaw for MinimumDistance {}

/// Rejects a length that is not positive; a variable length is not checked.
pub(super) fn check_length(length: &Signal) -> Result<(), ParameterError> {
    length.check().map_err(|e| ParameterError::invalid("length", e.to_string()))?;
    if length.is_constant() { ParameterError::check_positive("length", length.at(0.0).f) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::super::conformance::{Rig, evaluate};
    use super::super::{ConstraintKind, Relation};
    use super::*;

    #[test]
    fn rates_follow_the_motion() {
        Rig::two_frames().check_identities(&MinimumDistance::new("a", "b", 0.7));
        Rig::two_frames().check_identities(&MinimumDistance::new("a", "b", Signal::harmonic(0.3, 2.0, 1.0)));
    }

    #[test]
    fn while_it_touches_it_is_a_rod() {
        let motions = Rig::two_frames().motions(0.7);
        let (one, two) = (
            evaluate(&MinimumDistance::new("a", "b", 0.6), &motions),
            evaluate(&Relation::rod("a", "b", 0.6), &motions),
        );
        assert_eq!((one.phi, one.rates, one.c, one.D), (two.phi, two.rates, two.c, two.D));
    }

    #[test]
    fn it_passes_through_a_file() {
        let text = r#"{"type": "minimum_distance", "a": "one", "b": "two", "length": 0.2}"#;
        let ConstraintKind::MinimumDistance(found) = serde_json::from_str(text).unwrap() else { panic!("{text}") };
        assert_eq!(found, MinimumDistance::new("one", "two", 0.2));
        assert_eq!(found.law(), ConstraintLaw::Unilateral(Impact::PLASTIC));
        for bad in [0.0, -1.0, f64::NAN] {
            assert!(MinimumDistance::new("a", "b", bad).check().is_err());
        }
    }
}
