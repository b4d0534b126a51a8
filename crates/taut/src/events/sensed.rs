//! An expression of what is measured: `t`, coordinates and velocities of bodies and markers under the names of the
//! solution's columns, and the declared measures as `name` and `name.rate`. Angles are counted through turns.

use crate::analyses::{Look, Sight};
use crate::constraints::{MOST_VARIABLES, Reading, Reference, Source, known};
use crate::error::{BuildError, Fault, did_you_mean};
use crate::expressions::{Expression, names_in};
use crate::model::BodyEntry;
use crate::names::{Names, element};
use crate::spec::Spec;

/// What a name shows of a declared measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Value,
    Rate,
}

/// An expression with its names looked up.
#[derive(Clone, Debug)]
pub(crate) struct Sensed {
    reading: Reading,
    /// Declared measures that it reads, behind `t`.
    measures: Vec<(usize, Part)>,
    /// The markers of the model that the reading names; empty before they are resolved.
    markers: Vec<usize>,
    /// What it looks at.
    pub sight: Sight,
}

impl Sensed {
    /// Looks up the names of a text for a field of an event.
    pub fn bind(text: &str, event: &str, field: &'static str, spec: &Spec) -> Result<Sensed, BuildError> {
        let used = names_in(text);
        let mut measures = Vec::new();
        let mut given = vec!["t".to_string()];
        for (i, m) in spec.measures.iter().enumerate() {
            let names = [(m.name.clone(), Part::Value), (format!("{}.rate", m.name), Part::Rate)];
            for (name, part) in names.into_iter().filter(|(name, _)| used.contains(&name.as_str())) {
                measures.push((i, part));
                given.push(name);
            }
        }
        let names: Vec<&str> = given.iter().map(String::as_str).collect();
        let parsed = Expression::parse_dotted(text, &names).map_err(|found| {
            // With all names that might have been meant.
            let all: Vec<&str> = names.iter().copied().chain(spec.measures.iter().map(|m| m.name.as_str())).collect();
            let told = Expression::parse_dotted(text, &all).err().unwrap_or(found);
            element("event", event, Fault::value(field, told.to_string()))
        })?;
        let reading = Reading::new(&parsed, given.len(), ("event", event, field), spec).map_err(|e| match e {
            BuildError::UnknownMarker { family, name, marker, .. } => {
                let rates = spec.measures.iter().map(|m| format!("{}.rate", m.name));
                let all: Vec<String> = known(spec).into_iter().chain(rates).collect();
                let hint = did_you_mean(&marker, all.iter().map(String::as_str));
                BuildError::UnknownMarker { family, name, marker, hint }
            }
            other => other,
        })?;
        let sight = match (measures.is_empty() && reading.markers().is_empty(), parsed.is_straight()) {
            (false, _) => Sight::Motions,
            (true, false) => Sight::Time,
            (true, true) => Sight::Straight,
        };
        Ok(Sensed { reading, measures, markers: Vec::new(), sight })
    }

    /// The markers it reads, by their names.
    pub fn references(&self) -> impl Iterator<Item = Reference<'_>> {
        self.reading.markers().iter().map(|(name, needs)| Reference { name, needs: *needs })
    }

    /// Finds its markers in the model.
    pub fn resolve(&mut self, event: &str, names: &mut Names, bodies: &[BodyEntry]) -> Result<(), BuildError> {
        let wanted: Vec<Reference> = self.references().collect();
        self.markers = names.resolve("event", event, &wanted, bodies)?;
        Ok(())
    }

    /// The value; not a number where something has none.
    pub fn value(&self, seen: &Look) -> f64 {
        let (given, read) = self.inputs(seen);
        self.reading.evaluate(given, read)
    }

    /// How many functions tell where the expression may have a narrow peak, and one of them.
    pub fn peaks(&self) -> usize {
        self.reading.peaks().count()
    }

    pub fn peak(&self, seen: &Look, i: usize) -> f64 {
        let (given, read) = self.inputs(seen);
        self.reading.peaks().nth(i).map_or(f64::INFINITY, |i| self.reading.guard(i, given, read))
    }

    /// What the expression reads.
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
