//! Resolves the names used in events: first those in the file, then markers, constraints and variables of the model.

use super::names::Names;
use crate::bodies::BodyKind;
use crate::common::Named;
use crate::constraints::{Reading, Reference, known};
use crate::error::{BuildError, Fault, did_you_mean, element};
use crate::expressions::{Expression, names_in};
use crate::laws::Law;
use crate::model::events::{Act, Part, Sensed};
use crate::model::{BodyEntry, ConstraintEntry};
use crate::spec::Spec;
use crate::{Deed, EventEntry, Sight, Trigger};

impl EventEntry {
    /// Resolves the names in its expressions.
    pub(crate) fn bind(Named { name, item }: &Named<Trigger>, spec: &Spec) -> Result<EventEntry, BuildError> {
        let when = Sensed::bind(&item.when, name, "when", spec)?;
        let acts = item.then.iter().map(|deed| Act::bind(deed, name, spec)).collect::<Result<_, _>>()?;
        Ok(EventEntry { name: name.clone(), trigger: item.clone(), when, acts })
    }

    /// Finds markers, constraints and variables in the model.
    pub(crate) fn resolve(
        &mut self,
        names: &mut Names,
        bodies: &[BodyEntry],
        constraints: &[ConstraintEntry],
    ) -> Result<(), BuildError> {
        self.when.resolve(&self.name, names, bodies)?;
        self.acts.iter_mut().try_for_each(|act| act.resolve(&self.name, names, bodies, constraints))
    }
}

impl Act {
    /// Resolves the names in its expression.
    pub fn bind(deed: &Deed, event: &str, spec: &Spec) -> Result<Act, BuildError> {
        let refuse = |fault| element("event", event, fault);
        let to = match deed {
            Deed::Set { to, .. } => Some(Sensed::bind(to, event, "to", spec)?),
            Deed::Impulse { force, moment, .. } => {
                Fault::finite("force", force).and(Fault::finite("moment", moment)).map_err(refuse)?;
                None
            }
            Deed::Push { impulse, .. } => {
                Fault::finite("impulse", &[*impulse]).map_err(refuse)?;
                None
            }
            _ => None,
        };
        Ok(Act { deed: deed.clone(), to, index: 0 })
    }

    /// Finds its target in the model.
    pub fn resolve(
        &mut self,
        event: &str,
        names: &mut Names,
        bodies: &[BodyEntry],
        constraints: &[ConstraintEntry],
    ) -> Result<(), BuildError> {
        if let Some(to) = &mut self.to {
            to.resolve(event, names, bodies)?;
        }
        match &self.deed {
            Deed::Stop | Deed::Record => {}
            Deed::Lock { constraint } | Deed::Unlock { constraint } => {
                self.index = lockable(constraint, constraints).map_err(|fault| element("event", event, fault))?;
            }
            Deed::Set { variable, .. } => {
                self.index = settable(variable, bodies).map_err(|fault| element("event", event, fault))?;
            }
            Deed::Impulse { .. } | Deed::Push { .. } => {
                let wanted: Vec<Reference> = self.deed.reference().into_iter().collect();
                let found = names.resolve("event", event, &wanted, bodies)?;
                self.index = found.first().copied().unwrap_or(0);
            }
        }
        Ok(())
    }
}

impl Sensed {
    /// Resolves the names in the text of a field of an event.
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
            // Report the error with all names that might have been meant.
            let all: Vec<&str> = names.iter().copied().chain(spec.measures.iter().map(|m| m.name.as_str())).collect();
            let told = Expression::parse_dotted(text, &all).err().unwrap_or(found);
            element("event", event, Fault::value(field, told.to_string()))
        })?;
        let reading =
            Reading::new(&parsed, given.len(), ("event", event, field), &spec.scope()).map_err(|e| match e {
                BuildError::UnknownMarker { family, name, marker, .. } => {
                    let rates = spec.measures.iter().map(|m| format!("{}.rate", m.name));
                    let all: Vec<String> = known(&spec.scope()).into_iter().chain(rates).collect();
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

    /// Finds its markers in the model.
    pub fn resolve(&mut self, event: &str, names: &mut Names, bodies: &[BodyEntry]) -> Result<(), BuildError> {
        let wanted: Vec<Reference> = self.references().collect();
        self.markers = names.resolve("event", event, &wanted, bodies)?;
        Ok(())
    }
}

/// The constraint of that name, if events may lock and unlock it.
pub(crate) fn lockable(name: &str, constraints: &[ConstraintEntry]) -> Result<usize, Fault> {
    let Some(found) = constraints.iter().position(|c| c.name == name) else {
        let hint = did_you_mean(name, constraints.iter().map(|c| c.name.as_str()));
        return Err(Fault::value("constraint", format!("there is no constraint `{name}`{hint}")));
    };
    match constraints[found].law {
        Law::Unilateral(_) => {
            let what =
                format!("`{name}` is a gap, which opens and closes by itself; it can be neither locked nor unlocked");
            Err(Fault::value("constraint", what))
        }
        Law::Bilateral | Law::Gripping => Ok(found),
    }
}

/// Index in q of the coordinate of a variable.
fn settable(name: &str, bodies: &[BodyEntry]) -> Result<usize, Fault> {
    let variables = || bodies.iter().filter(|b| matches!(b.kind, BodyKind::Variable(_)));
    let full = |b: &BodyEntry| format!("{}.value", b.name);
    if let Some(b) = variables().find(|b| full(b) == name) {
        return Ok(b.q.start);
    }
    let moves = |b: &&BodyEntry| {
        let own = name.strip_prefix(&b.name).and_then(|rest| rest.strip_prefix('.'));
        own.is_some_and(|c| b.kind.body().coordinates().iter().any(|k| k.name == c))
    };
    if bodies.iter().any(|b| moves(&b)) {
        let what =
            format!("`{name}` is a coordinate of a moving body; only variables can be set: use an impulse instead");
        return Err(Fault::value("variable", what));
    }
    let known: Vec<String> = variables().map(full).collect();
    let hint = did_you_mean(name, known.iter().map(String::as_str));
    Err(Fault::value("variable", format!("there is no variable `{name}`{hint}; write `name.value`")))
}
