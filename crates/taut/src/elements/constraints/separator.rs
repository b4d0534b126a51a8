//! A separator: a minimum distance of two points.
//!
//! ```text
//!  φ = |d| − L(t) ≥ 0,   d = p_B − p_A          D_B = (u, 0)   D_A = (−u, 0),   u = d/|d|
//! ```
//!
//! A massless strut that pushes and never pulls, or two spheres in contact: the opposite of a rope.

use super::stop::plastic;
use super::{Constraint, Dependence, ExtraStates, FrictionLaw, Level, NonSmooth, Reference, Row, Rows, View};
use crate::breaks::BreakList;
use crate::error::Fault;
use crate::laws::{Impact, Law};
use crate::measures::Measure;
use crate::signals::{Beyond, Signal};
use serde::{Deserialize, Serialize};

/// A minimum distance of two points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Separator {
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

impl Separator {
    /// The points `a` and `b` stay at least `length` apart.
    pub fn new(a: &str, b: &str, length: impl Into<Signal>) -> Separator {
        Separator { a: a.to_string(), b: b.to_string(), length: length.into(), impact: Impact::PLASTIC }
    }

    /// The same with another impact law.
    pub fn impact(mut self, impact: Impact) -> Separator {
        self.impact = impact;
        self
    }
}

/// The measure of a distance, without marker names.
const DISTANCE: Measure = Measure::Distance { a: String::new(), b: String::new() };

impl Constraint for Separator {
    fn markers(&self) -> Vec<Reference<'_>> {
        vec![Reference::frame(&self.a), Reference::frame(&self.b)]
    }

    fn rows(&self) -> Vec<Row> {
        vec![Row { name: "gap", level: Level::Position, unit: "m" }]
    }

    fn check(&self) -> Result<(), Fault> {
        length(&self.length)?;
        self.impact.check()
    }

    fn place(&self, at: &View, rows: &mut Rows) {
        let (m, length) = (DISTANCE.place(at), self.length.at(at.t));
        rows.phi[0] = m.s - length.f;
        rows.phi_t[0] = -length.df;
        rows.D[..2].copy_from_slice(&m.D);
    }

    fn carry(&self, at: &View, rows: &mut Rows) {
        rows.c[0] = DISTANCE.carry(at) - self.length.at(at.t).ddf;
    }

    fn law(&self) -> Law {
        Law::Unilateral(self.impact)
    }

    fn dependence(&self) -> Dependence {
        Dependence::Unknown
    }
}

impl ExtraStates for Separator {}

impl NonSmooth for Separator {
    fn has_ends(&self) -> bool {
        self.length.has_ends()
    }

    fn beyond(&self, at: &View) -> Option<Beyond> {
        self.length.beyond(at.t)
    }

    fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        self.length.breaks(from, to, list);
    }
}

impl FrictionLaw for Separator {}

/// Rejects a length that is not positive; a variable length is not checked.
pub(super) fn length(length: &Signal) -> Result<(), Fault> {
    length.check().map_err(|e| Fault::value("length", e.to_string()))?;
    if length.is_constant() { Fault::positive("length", length.at(0.0).f) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::super::conformance::{Rig, probe};
    use super::super::{ConstraintKind, Relation};
    use super::*;

    #[test]
    fn rates_follow_the_motion() {
        Rig::two().conforms(&Separator::new("a", "b", 0.7));
        Rig::two().conforms(&Separator::new("a", "b", Signal::harmonic(0.3, 2.0, 1.0)));
    }

    #[test]
    fn while_it_touches_it_is_a_rod() {
        let motions = Rig::two().motions(0.7);
        let (one, two) =
            (probe(&Separator::new("a", "b", 0.6), &motions), probe(&Relation::rod("a", "b", 0.6), &motions));
        assert_eq!((one.phi, one.rates, one.c, one.D), (two.phi, two.rates, two.c, two.D));
    }

    #[test]
    fn it_passes_through_a_file() {
        let text = r#"{"type": "minimum_distance", "a": "one", "b": "two", "length": 0.2}"#;
        let ConstraintKind::Separator(found) = serde_json::from_str(text).unwrap() else { panic!("{text}") };
        assert_eq!(found, Separator::new("one", "two", 0.2));
        assert_eq!(found.law(), Law::Unilateral(Impact::PLASTIC));
        for bad in [0.0, -1.0, f64::NAN] {
            assert!(Separator::new("a", "b", bad).check().is_err());
        }
    }
}
