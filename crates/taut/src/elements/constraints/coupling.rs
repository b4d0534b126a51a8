//! A coupling: a rate that is constrained while its force is within bounds.

use super::rope::Sense;
use super::{
    Constraint, Dependence, ElementInput, ExtraStates, FrictionLaw, MarkerReference, NonSmooth, RowInfo, RowLevel,
    RowTerms, Term,
};
use crate::breaks::BreakList;
use crate::error::ParameterError;
use crate::laws::{ConstraintLaw, Friction, FrictionBound};
use crate::measures::Measure;
use crate::signals::{PassedEnd, Signal};
use serde::{Deserialize, Serialize};

/// Bounds of the force of a coupling, N or N m.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Bounds {
    /// The same in both directions; a negative capacity counts as zero.
    Capacity(Signal),
    /// Separate bounds; default: unbounded.
    Between {
        /// Lower bound of the force.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lower: Option<Signal>,
        /// Upper bound of the force.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        upper: Option<Signal>,
    },
}

impl Bounds {
    /// Lower and upper bound at a time.
    fn at(&self, t: f64) -> [f64; 2] {
        match self {
            Bounds::Capacity(c) => {
                let c = c.at(t).f.max(0.0);
                [-c, c]
            }
            Bounds::Between { lower, upper } => {
                let lower = lower.as_ref().map_or(f64::NEG_INFINITY, |s| s.at(t).f);
                // If the bounds cross, the interval is empty, not negative.
                [lower, upper.as_ref().map_or(f64::INFINITY, |s| s.at(t).f).max(lower)]
            }
        }
    }

    /// Distance between the bounds; negative if they cross.
    fn width(&self, t: f64) -> f64 {
        match self {
            Bounds::Capacity(c) => c.at(t).f,
            Bounds::Between { lower: Some(lower), upper: Some(upper) } => upper.at(t).f - lower.at(t).f,
            Bounds::Between { .. } => f64::INFINITY,
        }
    }

    fn signals(&self) -> impl Iterator<Item = &Signal> {
        let (one, two) = match self {
            Bounds::Capacity(c) => (Some(c), None),
            Bounds::Between { lower, upper } => (lower.as_ref(), upper.as_ref()),
        };
        one.into_iter().chain(two)
    }
}

/// A rate constrained with a bounded force: brake, clutch, one-way joint, limited actuator.
///
/// ```text
///  ψ = Σ kᵢ ṡᵢ − r(t) = 0     while lower(t) ≤ λ ≤ upper(t)
/// ```
///
/// λ acts on Σ k s. When it reaches a bound, it stays there (times the ratio of slipping to sticking bounds), and the rate
/// becomes free. One law for
///
/// ```text
///  brake               one term      |λ| ≤ capacity
///  clutch              two terms     |λ| ≤ capacity
///  one-way             one term      0 ≤ λ: prevents motion backwards only
///  limited actuator    r(t) given    lower ≤ λ ≤ upper: saturation is a mode of the constraint
/// ```
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// // A flywheel braked with 2 N m stops after J ω/M = 0.5 s.
/// let mut spec = Spec::new();
/// spec.body("wheel", PlanarBody::new(1.0, 0.1).moving([0.0, 0.0], 10.0))
///     .constraint("axle", Joint::pin("ground", "wheel"))
///     .constraint("brake", Coupling::brake(Measure::coordinate("wheel.theta"), 2.0));
/// let model = spec.build()?;
/// let run = simulate(&model, &model.initial_state(), &Transient::to(1.0))?;
/// assert!(run.events.iter().any(|e| e.what == EventKind::Sticks && (e.t - 0.5).abs() < 1e-8));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coupling {
    /// The terms k·s whose rates are summed.
    pub terms: Vec<Term>,
    /// Prescribed value of the sum of the rates, m/s or rad/s; default: zero.
    #[serde(default, skip_serializing_if = "Signal::is_zero")]
    pub follows: Signal,
    /// Bounds of the force.
    pub within: Bounds,
    /// Ratio of the bounds while it slips to those while it sticks, 0 to 1; default: 1.
    #[serde(default = "same", skip_serializing_if = "is_same")]
    pub kinetic_ratio: f64,
}

fn same() -> f64 {
    1.0
}

fn is_same(ratio: &f64) -> bool {
    *ratio == 1.0
}

impl Coupling {
    /// Σ kᵢ ṡᵢ = 0 within bounds.
    pub fn new(terms: Vec<(f64, Measure)>, within: Bounds) -> Coupling {
        let terms = terms.into_iter().map(|(factor, of)| Term { factor, coordinate: of }).collect();
        Coupling { terms, follows: Signal::constant(0.0), within, kinetic_ratio: 1.0 }
    }

    /// A brake: the coordinate stays at rest within ± the capacity.
    pub fn brake(of: Measure, capacity: impl Into<Signal>) -> Coupling {
        Coupling::new(vec![(1.0, of)], Bounds::Capacity(capacity.into()))
    }

    /// A clutch: both coordinates move at the same rate within ± the capacity.
    pub fn clutch(one: Measure, two: Measure, capacity: impl Into<Signal>) -> Coupling {
        Coupling::new(vec![(1.0, one), (-1.0, two)], Bounds::Capacity(capacity.into()))
    }

    /// A one-way joint (freewheel, sprag clutch): the coordinate moves in one direction only.
    pub fn one_way(of: Measure, sense: Sense) -> Coupling {
        let (lower, upper) = match sense {
            Sense::Positive => (Some(Signal::constant(0.0)), None),
            Sense::Negative => (None, Some(Signal::constant(0.0))),
        };
        Coupling::new(vec![(1.0, of)], Bounds::Between { lower, upper })
    }

    /// An actuator that keeps a rate as long as its force is within its bounds.
    pub fn actuator(of: Measure, rate: impl Into<Signal>, lower: f64, upper: f64) -> Coupling {
        let (lower, upper) = (Some(Signal::constant(lower)), Some(Signal::constant(upper)));
        Coupling { follows: rate.into(), ..Coupling::new(vec![(1.0, of)], Bounds::Between { lower, upper }) }
    }

    /// The same with another ratio of the bounds while it slips to those while it sticks.
    pub fn kinetic_ratio(mut self, ratio: f64) -> Coupling {
        self.kinetic_ratio = ratio;
        self
    }

    /// Calls `each` with the index of the term's first marker, its factor, its measure, and the view of its markers.
    fn for_each_term(&self, at: &ElementInput, mut each: impl FnMut(usize, f64, &Measure, ElementInput)) {
        let mut marker = 0;
        for term in &self.terms {
            // Rates do not depend on the turn count of an angle: no states.
            each(marker, term.factor, &term.coordinate, ElementInput { z: &[], ..at.tail(marker, 0) });
            marker += term.coordinate.marker_count();
        }
    }
}

impl Constraint for Coupling {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        self.terms.iter().flat_map(|t| t.coordinate.markers()).collect()
    }

    fn rows(&self) -> Vec<RowInfo> {
        let unit = self.terms.first().map_or("1", |t| t.coordinate.unit());
        vec![RowInfo { name: "rate", level: RowLevel::Velocity, unit }]
    }

    fn check(&self) -> Result<(), ParameterError> {
        let factors: Vec<f64> = self.terms.iter().map(|t| t.factor).collect();
        ParameterError::check_finite("factor", &factors)?;
        if factors.iter().all(|k| *k == 0.0) {
            return Err(ParameterError::invalid(
                "terms",
                "nothing is coupled; give at least one term with a nonzero factor",
            ));
        }
        self.follows.check().map_err(|e| ParameterError::invalid("follows", e.to_string()))?;
        for signal in self.within.signals() {
            signal.check().map_err(|e| ParameterError::invalid("within", e.to_string()))?;
        }
        let crossed = match &self.within {
            Bounds::Capacity(c) => c.is_constant() && c.at(0.0).f < 0.0,
            Bounds::Between { lower: Some(lower), upper: Some(upper) } => {
                lower.is_constant() && upper.is_constant() && lower.at(0.0).f > upper.at(0.0).f
            }
            Bounds::Between { lower, upper } => lower.is_none() && upper.is_none(),
        };
        if crossed {
            let what = "give a capacity of at least zero, or a lower bound that is not above the upper one; without \
                        bounds use a relation";
            return Err(ParameterError::invalid("within", what));
        }
        if !(0.0..=1.0).contains(&self.kinetic_ratio) {
            return Err(ParameterError::invalid(
                "kinetic_ratio",
                format!("it is {}; it must lie between 0 and 1", self.kinetic_ratio),
            ));
        }
        Ok(())
    }

    fn position_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        self.for_each_term(at, |marker, k, measure, seen| {
            let m = measure.position_terms(&seen);
            for i in 0..measure.marker_count() {
                rows.D[marker + i] = m.D[i].scaled(k);
            }
        });
        rows.phi_t[0] = -self.follows.at(at.t).f;
    }

    fn velocity_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        let mut c = -self.follows.at(at.t).df;
        self.for_each_term(at, |_, k, measure, seen| c += k * measure.convective_term(&seen));
        rows.c[0] = c;
    }

    fn law(&self) -> ConstraintLaw {
        ConstraintLaw::Frictional
    }

    fn dependence(&self) -> Dependence {
        Dependence::Unknown
    }
}

impl ExtraStates for Coupling {}

impl NonSmooth for Coupling {
    fn has_bounded_tables(&self) -> bool {
        self.within.signals().chain([&self.follows]).any(Signal::has_ends)
    }

    fn exceeded_table(&self, at: &ElementInput) -> Option<PassedEnd> {
        self.within.signals().chain([&self.follows]).find_map(|s| s.passed_end(at.t))
    }

    fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        self.within.signals().chain([&self.follows]).for_each(|s| s.breaks(from, to, list));
    }

    fn guard_count(&self) -> usize {
        usize::from(self.within.signals().any(|s| !s.is_constant()))
    }

    fn guard(&self, at: &ElementInput, _i: usize) -> f64 {
        let width = self.within.width(at.t);
        // A capacity such as exp(-t²) vanishes by underflow long before its pulse. That is no change of form.
        if width >= 0.0 { width.max(f64::MIN_POSITIVE) } else { width }
    }
}

impl FrictionLaw for Coupling {
    fn friction_bound(&self, at: &ElementInput) -> FrictionBound {
        let holding = self.within.at(at.t);
        let slipping = holding.map(|b| if b.is_finite() { b * self.kinetic_ratio } else { b });
        FrictionBound { sticking: holding, slipping, friction: Friction::NONE }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ConstraintKind;
    use super::super::conformance::{Rig, evaluate, smooth_coordinate, smooth_frame};
    use super::*;
    use crate::motion::{Motion, Vec3};

    #[test]
    fn rates_follow_the_motion() {
        let (angle, slide) = (|| Measure::angle("a", "b"), || Measure::slide("a", "b"));
        Rig::two_frames().check_identities(&Coupling::brake(angle(), 3.0));
        Rig::two_frames().check_identities(&Coupling::one_way(slide(), Sense::Negative));
        Rig::two_frames().check_identities(&Coupling::actuator(
            Measure::distance("a", "b"),
            Signal::harmonic(0.4, 2.0, 0.1),
            -1.0,
            2.0,
        ));
        let four = || Rig::new(vec![smooth_frame(1), smooth_frame(2), smooth_frame(3), smooth_frame(1)]);
        four().check_identities(&Coupling::clutch(angle(), Measure::angle("c", "a"), 5.0));
        let mixed = vec![(2.0, Measure::coordinate("c")), (-0.5, angle())];
        Rig::new(vec![smooth_coordinate(3), smooth_frame(1), smooth_frame(2)])
            .check_identities(&Coupling::new(mixed, Bounds::Capacity(1.0.into())));
    }

    fn grip(coupling: &Coupling, t: f64) -> FrictionBound {
        coupling.friction_bound(&ElementInput::new(t, &[], &[], &[]))
    }

    #[test]
    fn bounds_of_each_kind() {
        let of = || Measure::coordinate("c");
        let brake = grip(&Coupling::brake(of(), Signal::polynomial([4.0, -2.0])).kinetic_ratio(0.5), 1.0);
        assert_eq!((brake.sticking, brake.slipping), ([-2.0, 2.0], [-1.0, 1.0]));
        let released = grip(&Coupling::brake(of(), Signal::polynomial([4.0, -2.0])), 3.0);
        assert_eq!(released.sticking.map(f64::abs), [0.0; 2]);
        let free = f64::INFINITY;
        assert_eq!(grip(&Coupling::one_way(of(), Sense::Positive).kinetic_ratio(0.0), 0.0).slipping, [0.0, free]);
        assert_eq!(grip(&Coupling::one_way(of(), Sense::Negative), 0.0).sticking, [-free, 0.0]);
        assert_eq!(grip(&Coupling::actuator(of(), 1.0, -3.0, 7.0), 0.0).sticking, [-3.0, 7.0]);
        assert_eq!(Coupling::brake(of(), 1.0).law(), ConstraintLaw::Frictional);
    }

    #[test]
    fn an_actuator_is_slow_by_what_is_missing() {
        let cart = Motion { v: Vec3::x() * 0.8, ..Motion::REST };
        let seen = evaluate(&Coupling::actuator(Measure::coordinate("c"), 1.0, -3.0, 7.0), &[cart]);
        assert!((seen.rates[0] + 0.2).abs() < 1e-15);
    }

    #[test]
    fn it_passes_through_a_file() {
        let text = r#"{"type": "coupling", "terms": [{"factor": 1, "coordinate": {"coordinate": "shaft.theta"}}],
            "within": {"between": {"lower": 0}}}"#;
        let ConstraintKind::Coupling(found) = serde_json::from_str(text).unwrap() else { panic!("{text}") };
        assert_eq!(found, Coupling::one_way(Measure::coordinate("shaft.theta"), Sense::Positive));
        assert_eq!(serde_json::from_str::<Coupling>(&serde_json::to_string(&found).unwrap()).unwrap(), found);
    }

    #[test]
    fn senseless_bounds_are_refused() {
        let of = || Measure::coordinate("c");
        assert!(Coupling::brake(of(), -1.0).check().is_err());
        assert!(Coupling::brake(of(), f64::NAN).check().is_err());
        assert!(Coupling::actuator(of(), 1.0, 2.0, -2.0).check().is_err());
        assert!(Coupling::new(vec![(1.0, of())], Bounds::Between { lower: None, upper: None }).check().is_err());
        assert!(Coupling::new(vec![], Bounds::Capacity(1.0.into())).check().is_err());
        assert!(Coupling::new(vec![(0.0, of())], Bounds::Capacity(1.0.into())).check().is_err());
        assert!(Coupling::brake(of(), 1.0).kinetic_ratio(1.5).check().is_err());
        assert!(Coupling::brake(of(), 1.0).kinetic_ratio(0.8).check().is_ok());
    }
}
