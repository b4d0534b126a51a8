//! The names of a formula, bound to markers, measures and signals.

use super::scope::{MarkerComponent, MeasureComponent, NameMeaning, Scope};
use crate::breaks::BreakList;
use crate::constraints::{ElementInput, MarkerKind, MarkerReference, UserPlace, UserTwist};
use crate::error::BuildError;
use crate::measures::Measure;
use crate::scalar::Scalar;
use crate::signals::{PassedEnd, Signal};
use std::f64::consts::TAU;

/// Where the value of a name comes from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NameSource {
    /// A component of the motion of a marker.
    Component(usize, MarkerComponent),
    /// A measure between two markers (a coordinate: twice the same); an angle has a turn counter.
    Measure { measure: Measure, markers: [usize; 2], counter: Option<usize>, part: MeasureComponent },
    /// A function of time.
    Signal(Signal, MeasureComponent),
}

/// The sources of all names, and the markers they need. Angles count full turns in extra states, the turn counters.
///
/// Inputs begin with the markers and the turn counters of the names; see [`ElementInput::tail`].
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct BoundNames {
    markers: Vec<(String, MarkerKind)>,
    sources: Vec<NameSource>,
    /// The angles whose turns are counted, and their markers.
    angles: Vec<(Measure, [usize; 2])>,
}

impl BoundNames {
    /// Binds names that an element (family, name) uses.
    pub fn new<'n>(
        names: impl IntoIterator<Item = &'n str>,
        element: (&'static str, &str),
        scope: &Scope,
    ) -> Result<BoundNames, BuildError> {
        let mut bound = BoundNames::default();
        for name in names {
            let source = match scope.resolve(name, element)? {
                NameMeaning::Component(marker, kind, component) => {
                    NameSource::Component(bound.marker(marker, kind), component)
                }
                NameMeaning::Signal(signal, part) => NameSource::Signal(signal, part),
                NameMeaning::Measure(measure, part) => {
                    let own = measure.markers().into_iter().map(|r| (r.name.to_string(), r.kind)).collect::<Vec<_>>();
                    let own: Vec<usize> = own.into_iter().map(|(name, kind)| bound.marker(name, kind)).collect();
                    let markers = [own[0], own[own.len() - 1]];
                    let counter = (measure.extra_states() == 1).then(|| bound.counter(&measure, markers));
                    NameSource::Measure { measure, markers, counter, part }
                }
            };
            bound.sources.push(source);
        }
        Ok(bound)
    }

    fn marker(&mut self, name: String, kind: MarkerKind) -> usize {
        let wanted = (name, kind);
        self.markers.iter().position(|m| *m == wanted).unwrap_or_else(|| {
            self.markers.push(wanted);
            self.markers.len() - 1
        })
    }

    fn counter(&mut self, angle: &Measure, markers: [usize; 2]) -> usize {
        self.angles.iter().position(|(known, _)| known == angle).unwrap_or_else(|| {
            self.angles.push((angle.clone(), markers));
            self.angles.len() - 1
        })
    }

    /// The markers of the names.
    pub fn markers(&self) -> impl Iterator<Item = MarkerReference<'_>> {
        self.markers.iter().map(|(name, kind)| MarkerReference { name, kind: *kind })
    }

    /// Number of these markers.
    pub fn marker_count(&self) -> usize {
        self.markers.len()
    }

    /// Whether a name is a reaction.
    pub fn reads_reactions(&self) -> bool {
        self.markers.iter().any(|(_, kind)| *kind == MarkerKind::Reaction)
    }

    /// Where the values come from.
    pub fn sources(&self) -> &[NameSource] {
        &self.sources
    }

    /// Whether name `k` is a velocity.
    pub fn is_velocity(&self, k: usize) -> bool {
        match &self.sources[k] {
            NameSource::Component(_, component) => !matches!(component, MarkerComponent::Position(_)),
            NameSource::Measure { part, .. } => *part == MeasureComponent::Rate,
            NameSource::Signal(..) => false,
        }
    }

    /// The value of name `k`.
    pub fn value(&self, k: usize, at: &ElementInput) -> f64 {
        match &self.sources[k] {
            NameSource::Component(marker, component) => component.value(&at[*marker]),
            NameSource::Measure { measure, markers, counter, part } => {
                let ids = markers.map(|m| at.markers[m]);
                let z = counter.and_then(|c| at.z.get(c..)).unwrap_or_default();
                let own = ElementInput { markers: &ids, z, ..*at };
                let m = measure.position_terms(&own);
                if *part == MeasureComponent::Value { m.s } else { measure.rate(&own, &m) }
            }
            NameSource::Signal(signal, part) => {
                let value = signal.at(at.t);
                if *part == MeasureComponent::Value { value.f } else { value.df }
            }
        }
    }

    /// The same over any scalar; `z` are the turn counters.
    pub fn generic_value<S: Scalar>(
        &self,
        k: usize,
        t: S,
        at: &[UserPlace<S>],
        moving: &[UserTwist<S>],
        z: &[f64],
    ) -> S {
        match &self.sources[k] {
            NameSource::Component(marker, MarkerComponent::Position(i)) => at[*marker].p[*i],
            NameSource::Component(marker, MarkerComponent::Velocity(i)) => moving[*marker].v[*i],
            NameSource::Component(marker, MarkerComponent::AngularVelocity(i)) => moving[*marker].w[*i],
            // Only forces read reactions.
            NameSource::Component(_, MarkerComponent::Reaction(..)) => S::from(f64::NAN),
            NameSource::Measure { measure, markers: [a, b], part: MeasureComponent::Rate, .. } => {
                measure.generic_rate([&at[*a], &at[*b]], [&moving[*a], &moving[*b]])
            }
            NameSource::Measure { measure, markers: [a, b], counter, .. } => {
                let s = measure.generic_value(&at[*a], &at[*b]);
                match counter.and_then(|c| z.get(c)) {
                    Some(z) => s + S::from(TAU * ((z - s.value()) / TAU).round()),
                    None => s,
                }
            }
            // Its Taylor series about the present time carries the derivatives by time, exact to second order.
            NameSource::Signal(signal, part) => {
                let (at, dt) = (signal.at(t.value()), t - t.value());
                match part {
                    MeasureComponent::Value => dt * (dt * (0.5 * at.ddf) + at.df) + at.f,
                    MeasureComponent::Rate => dt * at.ddf + at.df,
                }
            }
        }
    }

    /// Number of turn counters.
    pub fn counter_count(&self) -> usize {
        self.angles.len()
    }

    /// Sets the turn counters that belong to a pose.
    pub fn initialise_counters(&self, at: &ElementInput, z: &mut [f64]) {
        for (z, (angle, markers)) in z.iter_mut().zip(&self.angles) {
            let ids = markers.map(|m| at.markers[m]);
            *z = angle.position_terms(&ElementInput { markers: &ids, z: &[], ..*at }).s;
        }
    }

    /// Rates of the turn counters.
    pub fn counter_rates(&self, at: &ElementInput, zdot: &mut [f64]) {
        for (zdot, (angle, markers)) in zdot.iter_mut().zip(&self.angles) {
            let ids = markers.map(|m| at.markers[m]);
            let own = ElementInput { markers: &ids, z: &[], ..*at };
            *zdot = angle.rate(&own, &angle.position_terms(&own));
        }
    }

    /// Rates of the turn counters over any scalar.
    pub fn generic_counter_rates<S: Scalar>(
        &self,
        at: &[UserPlace<S>],
        moving: &[UserTwist<S>],
    ) -> impl Iterator<Item = S> {
        let rate = |(angle, [a, b]): &(Measure, [usize; 2])| {
            angle.generic_rate([&at[*a], &at[*b]], [&moving[*a], &moving[*b]])
        };
        self.angles.iter().map(rate)
    }

    /// The markers of each counted angle, with `first` markers of the element before them.
    pub fn angle_markers(&self, first: usize) -> impl Iterator<Item = [usize; 2]> {
        self.angles.iter().map(move |(_, markers)| markers.map(|m| m + first))
    }

    fn signals(&self) -> impl Iterator<Item = &Signal> {
        self.sources.iter().filter_map(|source| match source {
            NameSource::Signal(signal, _) => Some(signal),
            _ => None,
        })
    }

    /// Adds the times at which its signals are not smooth.
    pub fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        self.signals().for_each(|s| s.breaks(from, to, list));
    }

    /// Whether a signal is a table of limited range.
    pub fn has_bounded_tables(&self) -> bool {
        self.signals().any(Signal::has_ends)
    }

    /// The table whose range the time has left.
    pub fn exceeded_table(&self, t: f64) -> Option<PassedEnd> {
        self.signals().find_map(|s| s.passed_end(t))
    }
}
