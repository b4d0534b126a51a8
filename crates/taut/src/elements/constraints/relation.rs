//! A linear relation of measured coordinates: Σ kᵢ sᵢ = r(t).
//!
//! One term: a rod or a driver. Two terms: a gear, a rack, a screw. More terms: a differential.

use super::{Constraint, Dependence, ExtraStates, FrictionLaw, Hold, Level, NonSmooth, Reference, Row, Rows, View};
use crate::breaks::BreakList;
use crate::error::Fault;
use crate::measures::Measure;
use crate::signals::{Beyond, Signal};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// One term k·s of a relation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Term {
    /// Factor k.
    pub factor: f64,
    /// What is measured.
    #[serde(rename = "coordinate")]
    pub of: Measure,
}

/// Σ kᵢ sᵢ held at zero or driven.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Relation {
    /// The terms.
    pub terms: Vec<Term>,
    /// The condition on the sum; `held` means that it stays zero.
    pub follows: Hold,
}

impl Relation {
    /// Σ kᵢ sᵢ = 0.
    pub fn new(terms: Vec<(f64, Measure)>) -> Relation {
        let terms = terms.into_iter().map(|(factor, of)| Term { factor, of }).collect();
        Relation { terms, follows: Hold::Held }
    }

    /// The same relation with a right-hand side.
    pub fn follows(mut self, hold: Hold) -> Relation {
        self.follows = hold;
        self
    }

    /// A measured coordinate driven along a signal.
    pub fn driver(of: Measure, hold: Hold) -> Relation {
        Relation::new(vec![(1.0, of)]).follows(hold)
    }

    /// A massless rod: the distance of two points is `length`.
    pub fn rod(a: &str, b: &str, length: f64) -> Relation {
        Relation::driver(Measure::distance(a, b), Hold::Position(Signal::constant(length)))
    }

    /// A gear: angle 1 times `ratio` plus angle 2 is zero (external gear; a negative ratio is an internal gear). If the angles are
    /// not both zero in mesh, give the sum with [`Relation::follows`].
    pub fn gear(one: Measure, two: Measure, ratio: f64) -> Relation {
        Relation::new(vec![(ratio, one), (1.0, two)])
    }

    /// Rack and pinion: the slide is the angle times the pitch radius.
    pub fn rack_and_pinion(slide: Measure, turn: Measure, radius: f64) -> Relation {
        Relation::new(vec![(1.0, slide), (-radius, turn)])
    }

    /// A screw, in addition to a cylindrical joint of the same markers: one turn advances by `pitch`.
    pub fn screw(a: &str, b: &str, pitch: f64) -> Relation {
        Relation::new(vec![(1.0, Measure::slide(a, b)), (-pitch / TAU, Measure::angle(a, b))])
    }

    /// Calls `each` with the term's index, its factor, its measure, and the view of its own markers and states.
    fn walk(&self, at: &View, mut each: impl FnMut(usize, f64, &Measure, View)) {
        let (mut marker, mut state) = (0, 0);
        for term in &self.terms {
            each(marker, term.factor, &term.of, at.tail(marker, state));
            marker += term.of.width();
            state += term.of.states();
        }
    }
}

impl Constraint for Relation {
    fn markers(&self) -> Vec<Reference<'_>> {
        self.terms.iter().flat_map(|t| t.of.markers()).collect()
    }

    fn rows(&self) -> Vec<Row> {
        let level = match self.follows {
            Hold::Velocity(_) => Level::Velocity,
            Hold::Acceleration(_) => Level::Acceleration,
            _ => Level::Position,
        };
        let unit = self.terms.first().map_or("1", |t| t.of.unit());
        vec![Row { name: "relation", level, unit }]
    }

    fn check(&self) -> Result<(), Fault> {
        if self.terms.is_empty() {
            return Err(Fault::value("terms", "a relation needs at least one term"));
        }
        let factors: Vec<f64> = self.terms.iter().map(|t| t.factor).collect();
        Fault::finite("factor", &factors)?;
        if factors.iter().all(|k| *k == 0.0) {
            return Err(Fault::value("factor", "all factors are zero: the relation has no effect"));
        }
        if self.follows == Hold::Free {
            return Err(Fault::value("follows", "must be held or driven, not free"));
        }
        match self.follows.signal() {
            Some(s) => s.check().map_err(|e| Fault::value("follows", e.to_string())),
            None => Ok(()),
        }
    }

    fn place(&self, at: &View, rows: &mut Rows) {
        let [s, ds, _] = self.follows.motion(at.t);
        let mut phi = -s;
        self.walk(at, |marker, k, measure, seen| {
            let m = measure.place(&seen);
            phi += k * m.s;
            for i in 0..measure.width() {
                rows.D[marker + i] = m.D[i].scaled(k);
            }
        });
        rows.phi[0] = if self.rows_level_is_position() { phi } else { 0.0 };
        rows.phi_t[0] = -ds;
    }

    fn carry(&self, at: &View, rows: &mut Rows) {
        let mut c = -self.follows.motion(at.t)[2];
        self.walk(at, |_, k, measure, seen| c += k * measure.carry(&seen));
        rows.c[0] = c;
    }

    fn dependence(&self) -> Dependence {
        Dependence::Unknown
    }
}

impl ExtraStates for Relation {
    fn states(&self) -> usize {
        self.terms.iter().map(|t| t.of.states()).sum()
    }

    fn settle(&self, at: &View, z: &mut [f64]) {
        let mut angles = z.iter_mut();
        self.walk(at, |_, _, measure, seen| {
            if measure.states() == 1 {
                let bare = View { z: &[], ..seen };
                if let Some(z) = angles.next() {
                    *z = measure.place(&bare).s;
                }
            }
        });
    }

    fn states_rate(&self, at: &View, zdot: &mut [f64]) {
        let mut rates = zdot.iter_mut();
        self.walk(at, |_, _, measure, seen| {
            if measure.states() == 1 {
                let m = measure.place(&seen);
                if let Some(zdot) = rates.next() {
                    *zdot = measure.rate(&seen, &m);
                }
            }
        });
    }

    fn angles(&self) -> Vec<[usize; 2]> {
        let mut marker = 0;
        let mut found = Vec::new();
        for term in &self.terms {
            found.extend(term.of.turning().map(|pair| pair.map(|i| i + marker)));
            marker += term.of.width();
        }
        found
    }
}

impl NonSmooth for Relation {
    fn has_ends(&self) -> bool {
        self.follows.signal().is_some_and(Signal::has_ends)
    }

    fn beyond(&self, at: &View) -> Option<Beyond> {
        self.follows.signal().and_then(|s| s.beyond(at.t))
    }

    fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        self.follows.signal().into_iter().for_each(|s| s.breaks(from, to, list));
    }
}

impl FrictionLaw for Relation {}

impl Relation {
    fn rows_level_is_position(&self) -> bool {
        matches!(self.follows, Hold::Held | Hold::Position(_))
    }
}
