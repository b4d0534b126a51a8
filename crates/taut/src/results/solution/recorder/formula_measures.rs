//! Columns of measures by formula: the value, and its rate along the motion by dual numbers.

use super::Recorder;
use super::recorded_state::RecordedState;
use super::sink::ColumnSink;
use crate::constraints::{ElementInput, MarkerComponent, MeasureComponent, NameSource};
use crate::dynamics::Dynamics;
use crate::mathematics::scratch::with_list;
use crate::model::FormulaMeasureEntry;
use crate::results::solution::label::ColumnLabel;
use crate::results::solution::output_measures::MeasureInput;
use crate::scalar::Dual;

impl Recorder {
    pub(super) fn formula_measure_columns(&self, d: &Dynamics, now: RecordedState, sink: &mut ColumnSink) {
        for entry in &d.model.formula_measures {
            let Dual { re, eps: [rate] } = self.formula_value(entry, d, now);
            let label = |short: &str, what: &str| {
                ColumnLabel::new(
                    format!("{}{short}", entry.name),
                    format!("{what}measure `{}`, by formula", entry.name),
                )
            };
            sink.put("measure", &entry.unit, re * entry.factor, || label("", ""));
            let unit = if entry.unit == "1" { "1/s".to_string() } else { format!("{}/s", entry.unit) };
            sink.put("measure", &unit, rate * entry.factor, || label(".rate", "rate of the "));
        }
    }

    /// The value and its rate, in SI units.
    fn formula_value(&self, entry: &FormulaMeasureEntry, d: &Dynamics, now: RecordedState) -> Dual<1> {
        let motions = &d.kinematics.motions;
        let at = MeasureInput { model: d.model, q: now.q, motions };
        let expression = &entry.expression;
        let measured = |(i, part): &(usize, MeasureComponent)| {
            let [s, rate] = self.measure_value_and_rate(*i, now.t, at).unwrap_or([f64::NAN; 2]);
            match part {
                MeasureComponent::Value => Dual { re: s, eps: [rate] },
                MeasureComponent::Rate => {
                    let measure = self.tracked_measure(*i, d.model);
                    let change = measure.map_or(f64::NAN, |(_, g)| g.acceleration(now.t, motions, &self.accelerations));
                    Dual { re: rate, eps: [change] }
                }
            }
        };
        let names = &expression.reading.names;
        let input = ElementInput::new(now.t, motions, &expression.markers, &[]);
        let read = |k: usize| {
            let change = match &names.sources()[k] {
                NameSource::Component(marker, component) => {
                    let m = expression.markers[*marker];
                    match *component {
                        MarkerComponent::Position(i) => motions[m].v[i],
                        MarkerComponent::Velocity(i) => self.accelerations[m].a[i],
                        MarkerComponent::AngularVelocity(i) => self.accelerations[m].alpha[i],
                        MarkerComponent::Reaction(..) => f64::NAN,
                    }
                }
                NameSource::Signal(signal, MeasureComponent::Value) => signal.at(now.t).df,
                NameSource::Signal(signal, MeasureComponent::Rate) => signal.at(now.t).ddf,
                NameSource::Measure { .. } => f64::NAN,
            };
            Dual { re: names.value(k, &input), eps: [change] }
        };
        with_list(|given: &mut Vec<Dual<1>>| {
            given.push(Dual { re: now.t, eps: [1.0] });
            given.extend(expression.measures.iter().map(measured));
            expression.reading.evaluate(given.as_slice(), read)
        })
    }
}
