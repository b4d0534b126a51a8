//! Events of the model in a run: evaluates their functions and carries out their actions.

use super::event::{After, Change, Event, Look};
use crate::constraints::{MOST_VARIABLES, Source};
use crate::model::events::{Act, Part, Sensed};
use crate::motion::{Vec3, Wrench};
use crate::{Deed, EventEntry, ImpulseAxes, Sight, Times};
use taut_ode::Direction;

/// An event of the model, with its count.
#[derive(Debug)]
pub(crate) struct Armed {
    entry: EventEntry,
    /// How often it has fired.
    fired: u64,
}

impl Armed {
    pub fn new(entry: &EventEntry) -> Armed {
        Armed { entry: entry.clone(), fired: 0 }
    }
}

impl Event for Armed {
    fn sight(&self) -> Sight {
        self.entry.when.sight
    }

    fn name(&self) -> &str {
        &self.entry.name
    }

    fn direction(&self) -> Direction {
        self.entry.trigger.direction
    }

    fn value(&self, seen: &Look) -> f64 {
        match self.entry.trigger.times {
            Times::Once if self.fired > 0 => f64::NAN,
            _ => self.entry.when.value(seen),
        }
    }

    fn peaks(&self) -> usize {
        self.entry.when.peaks()
    }

    fn peak(&self, seen: &Look, i: usize) -> f64 {
        self.entry.when.peak(seen, i)
    }

    fn action(&mut self, seen: &Look, change: &mut Change) -> After {
        self.fired += 1;
        let mut after = After::Continue;
        for act in &self.entry.acts {
            if act.perform(seen, change) == After::Stop {
                after = After::Stop;
            }
        }
        after
    }

    fn memory(&self) -> u64 {
        self.fired
    }

    fn recall(&mut self, memory: u64) {
        self.fired = memory;
    }
}

impl Act {
    /// Carries out the action.
    pub fn perform(&self, seen: &Look, change: &mut Change) -> After {
        match &self.deed {
            Deed::Stop => return After::Stop,
            Deed::Record => change.record(),
            Deed::Lock { .. } => change.lock(self.index),
            Deed::Unlock { .. } => change.unlock(self.index),
            Deed::Set { .. } => {
                let to = self.to.as_ref().map_or(f64::NAN, |to| to.value(seen));
                change.set(self.index, to);
            }
            Deed::Impulse { force, moment, axes, .. } => {
                let (f, m) = (Vec3::from(*force), Vec3::from(*moment));
                let on = match (axes, seen.motion(self.index)) {
                    (ImpulseAxes::Marker, Some(motion)) => Wrench { f: motion.R * f, m: motion.R * m },
                    _ => Wrench { f, m },
                };
                change.hit(self.index, on);
            }
            Deed::Push { impulse, .. } => change.hit(self.index, Wrench::force(Vec3::x() * *impulse)),
        }
        After::Continue
    }
}

impl Sensed {
    /// The value; NaN if an input has none.
    pub fn value(&self, seen: &Look) -> f64 {
        let (given, read) = self.inputs(seen);
        self.reading.evaluate(given, read)
    }

    /// Number of functions that show where the expression may have a narrow peak.
    pub fn peaks(&self) -> usize {
        self.reading.peaks().count()
    }

    pub fn peak(&self, seen: &Look, i: usize) -> f64 {
        let (given, read) = self.inputs(seen);
        self.reading.peaks().nth(i).map_or(f64::INFINITY, |i| self.reading.guard(i, given, read))
    }

    /// The inputs of the expression.
    fn inputs<'a>(&'a self, seen: &'a Look) -> ([f64; MOST_VARIABLES], impl Fn(usize, Source) -> f64 + 'a) {
        let measured = |(i, part): &(usize, Part)| {
            let [s, rate] = seen.measured(*i).unwrap_or([f64::NAN; 2]);
            if *part == Part::Value { s } else { rate }
        };
        let mut given = [f64::NAN; MOST_VARIABLES];
        given[0] = seen.t;
        given[1..].iter_mut().zip(&self.measures).for_each(|(x, m)| *x = measured(m));
        (given, move |marker: usize, source: Source| {
            let motion = self.markers.get(marker).and_then(|m| seen.motion(*m));
            motion.map_or(f64::NAN, |motion| source.of(motion))
        })
    }
}
