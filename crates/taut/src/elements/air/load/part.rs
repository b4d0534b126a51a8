//! The part of an air load that a change affects: finite differences visit no other stations.

use super::super::formula_field::{BoundField, FieldFormula};
use super::super::inflow::Inflow;
use super::super::line::Line;
use super::AirLoad;
use crate::constraints::ElementInput;
use crate::forces::Change;

/// The stations that a sweep visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Part<'a> {
    Whole,
    /// The lines that markers with `true` carry or control.
    Moved(&'a [bool]),
    /// The station that owns a state.
    State(usize),
}

impl Part<'_> {
    /// Whether it contains a line with its control.
    pub fn has_line(self, line: &Line, control: Option<&FieldFormula>) -> bool {
        let Part::Moved(moved) = self else { return true };
        let carried = line.first_marker..line.first_marker + line.markers.len();
        moved[carried].iter().any(|m| *m) || control.is_some_and(|c| reads(c, moved))
    }

    /// Whether it contains a station, whose states begin at `state`.
    pub fn has_station(self, state: usize, count: usize) -> bool {
        let Part::State(changed) = self else { return true };
        (state..state + count).contains(&changed)
    }
}

fn reads(formula: &FieldFormula, moved: &[bool]) -> bool {
    let first = formula.first_marker();
    moved[first..first + formula.expression.names.marker_count()].iter().any(|m| *m)
}

impl AirLoad {
    /// The part that a change affects. A moved hub and states of the inflow affect all stations; so does any change if the momentum
    /// of the whole disc is solved at every instant, or if its rates are not linear in the loads.
    pub(super) fn affected<'a>(&self, at: &ElementInput, change: Change<'a>) -> Part<'a> {
        let Some(bound) = &self.bound else { return Part::Whole };
        let coupled = match self.disc.as_ref().map(|d| &d.inflow) {
            Some(Inflow::Uniform { time_constant: None } | Inflow::Linear { .. }) => true,
            // Before the air moves, the rate has the root of the thrust.
            Some(Inflow::Uniform { time_constant: Some(_) }) => at.z.get(bound.counters).is_none_or(|v| *v == 0.0),
            _ => false,
        };
        if coupled {
            return Part::Whole;
        }
        match change {
            Change::Markers(moved) => {
                let hub = self.disc.is_some() && moved[self.carrier_count()];
                let prescribed = bound.prescribed.as_ref().and_then(BoundField::formula);
                if hub || prescribed.is_some_and(|f| reads(f, moved)) { Part::Whole } else { Part::Moved(moved) }
            }
            Change::State(i) if i < bound.counters + self.inflow_states() => Part::Whole,
            Change::State(i) => Part::State(i),
        }
    }
}
