//! A linear relation of measured coordinates.

use super::{
    Constraint, Dependence, ElementInput, ExtraStates, FrictionLaw, MarkerReference, NonSmooth, Prescription, RowInfo,
    RowLevel, RowTerms,
};
use crate::breaks::BreakList;
use crate::error::ParameterError;
use crate::measures::Measure;
use crate::signals::{PassedEnd, Signal};
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
    pub coordinate: Measure,
}

/// A linear relation of measured coordinates, held or driven: Σ kᵢ sᵢ = r(t).
///
/// One term: a rod or a driver. Two terms: a gear, a rack, a screw. More terms: a differential.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// // Two wheels that mesh: θ₁ + 2 θ₂ = 0.
/// let mut spec = Spec::new();
/// spec.body("small", PlanarBody::new(1.0, 0.01).moving([0.0, 0.0], 6.0))
///     .body("large", PlanarBody::new(4.0, 0.16).at([0.3, 0.0], 0.0).moving([0.0, 0.0], -3.0))
///     .marker("ground.right", Frame::at([0.3, 0.0, 0.0]))
///     .constraint("a", Joint::pin("ground", "small"))
///     .constraint("b", Joint::pin("ground.right", "large"))
///     .constraint("mesh", Relation::new(vec![
///         (1.0, Measure::coordinate("small.theta")),
///         (2.0, Measure::coordinate("large.theta")),
///     ]));
/// let model = spec.build()?;
/// assert_eq!(rank(&model, &model.initial_state())?.freedoms, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Relation {
    /// The terms.
    pub terms: Vec<Term>,
    /// The condition on the sum; `held` means that it stays zero.
    pub follows: Prescription,
}

impl Relation {
    /// Σ kᵢ sᵢ = 0.
    pub fn new(terms: Vec<(f64, Measure)>) -> Relation {
        let terms = terms.into_iter().map(|(factor, of)| Term { factor, coordinate: of }).collect();
        Relation { terms, follows: Prescription::Fixed }
    }

    /// The same relation with a right-hand side.
    pub fn follows(mut self, hold: Prescription) -> Relation {
        self.follows = hold;
        self
    }

    /// A measured coordinate driven along a signal.
    pub fn driver(of: Measure, hold: Prescription) -> Relation {
        Relation::new(vec![(1.0, of)]).follows(hold)
    }

    /// A massless rod: the distance of two points is `length`.
    pub fn rod(a: &str, b: &str, length: f64) -> Relation {
        Relation::driver(Measure::distance(a, b), Prescription::Position(Signal::constant(length)))
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
    fn for_each_term(&self, at: &ElementInput, mut each: impl FnMut(usize, f64, &Measure, ElementInput)) {
        let (mut marker, mut state) = (0, 0);
        for term in &self.terms {
            each(marker, term.factor, &term.coordinate, at.tail(marker, state));
            marker += term.coordinate.marker_count();
            state += term.coordinate.extra_states();
        }
    }
}

impl Constraint for Relation {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        self.terms.iter().flat_map(|t| t.coordinate.markers()).collect()
    }

    fn rows(&self) -> Vec<RowInfo> {
        let level = match self.follows {
            Prescription::Velocity(_) => RowLevel::Velocity,
            Prescription::Acceleration(_) => RowLevel::Acceleration,
            _ => RowLevel::Position,
        };
        let unit = self.terms.first().map_or("1", |t| t.coordinate.unit());
        vec![RowInfo { name: "relation", level, unit }]
    }

    fn check(&self) -> Result<(), ParameterError> {
        if self.terms.is_empty() {
            return Err(ParameterError::invalid("terms", "a relation needs at least one term"));
        }
        let factors: Vec<f64> = self.terms.iter().map(|t| t.factor).collect();
        ParameterError::check_finite("factor", &factors)?;
        if factors.iter().all(|k| *k == 0.0) {
            return Err(ParameterError::invalid("factor", "all factors are zero: the relation has no effect"));
        }
        if self.follows == Prescription::Free {
            return Err(ParameterError::invalid("follows", "must be fixed or driven, not free"));
        }
        match self.follows.signal() {
            Some(s) => s.check().map_err(|e| ParameterError::invalid("follows", e.to_string())),
            None => Ok(()),
        }
    }

    fn position_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        let [s, ds, _] = self.follows.prescribed_motion(at.t);
        let mut phi = -s;
        self.for_each_term(at, |marker, k, measure, seen| {
            let m = measure.position_terms(&seen);
            phi += k * m.s;
            for i in 0..measure.marker_count() {
                rows.D[marker + i] = m.D[i].scaled(k);
            }
        });
        rows.phi[0] = if self.is_position_level() { phi } else { 0.0 };
        rows.phi_t[0] = -ds;
    }

    fn velocity_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        let mut c = -self.follows.prescribed_motion(at.t)[2];
        self.for_each_term(at, |_, k, measure, seen| c += k * measure.convective_term(&seen));
        rows.c[0] = c;
    }

    fn dependence(&self) -> Dependence {
        Dependence::Unknown
    }
}

impl ExtraStates for Relation {
    fn state_count(&self) -> usize {
        self.terms.iter().map(|t| t.coordinate.extra_states()).sum()
    }

    fn initialise_states(&self, at: &ElementInput, z: &mut [f64]) {
        let mut angles = z.iter_mut();
        self.for_each_term(at, |_, _, measure, seen| {
            if measure.extra_states() == 1 {
                let bare = ElementInput { z: &[], ..seen };
                if let Some(z) = angles.next() {
                    *z = measure.position_terms(&bare).s;
                }
            }
        });
    }

    fn state_rates(&self, at: &ElementInput, zdot: &mut [f64]) {
        let mut rates = zdot.iter_mut();
        self.for_each_term(at, |_, _, measure, seen| {
            if measure.extra_states() == 1 {
                let m = measure.position_terms(&seen);
                if let Some(zdot) = rates.next() {
                    *zdot = measure.rate(&seen, &m);
                }
            }
        });
    }

    fn angle_markers(&self) -> Vec<[usize; 2]> {
        let mut marker = 0;
        let mut found = Vec::new();
        for term in &self.terms {
            found.extend(term.coordinate.angle_markers().map(|pair| pair.map(|i| i + marker)));
            marker += term.coordinate.marker_count();
        }
        found
    }
}

impl NonSmooth for Relation {
    fn has_bounded_tables(&self) -> bool {
        self.follows.signal().is_some_and(Signal::has_ends)
    }

    fn exceeded_table(&self, at: &ElementInput) -> Option<PassedEnd> {
        self.follows.signal().and_then(|s| s.passed_end(at.t))
    }

    fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        self.follows.signal().into_iter().for_each(|s| s.breaks(from, to, list));
    }
}

impl FrictionLaw for Relation {}

impl Relation {
    fn is_position_level(&self) -> bool {
        matches!(self.follows, Prescription::Fixed | Prescription::Position(_))
    }
}
