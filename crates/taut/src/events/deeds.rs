//! What an event does: deeds as data, and the same with their names looked up.
//!
//! Deeds follow each other in their order. The velocities jump under the constraints that hold at that point,
//!
//! ```text
//!  M (v⁺ − v⁻) = Jᵀ p + Aᵀ Λ        A v⁺ = −φ_t
//! ```
//!
//! with p the impulse given, and p = 0 where a constraint is locked: a plastic impact. Positions do not jump.

use super::sensed::Sensed;
use crate::analyses::{After, Change, Look};
use crate::bodies::BodyKind;
use crate::constraints::Reference;
use crate::error::{BuildError, Fault, did_you_mean};
use crate::laws::Law;
use crate::model::{BodyEntry, ConstraintEntry};
use crate::motion::{Vec3, Wrench};
use crate::names::{Names, element};
use crate::spec::Spec;
use serde::{Deserialize, Serialize};

/// One thing that an event does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Deed {
    /// Ends the run, after all other deeds of the event.
    Stop,
    /// Adds a row to the table whatever the times of output; one for each side if the event makes a jump.
    Record,
    /// Makes a constraint hold. The velocities are brought onto its rows by a plastic impact, whose energy counts as
    /// lost; a constraint that grips is engaged, and grips within its bounds. Positions do not jump: a constraint whose
    /// position is off by more than 1e-6 ends the run with its name. To hold a joint wherever it is, lock a
    /// [`Relation`](crate::Relation) that holds its velocity at zero.
    Lock {
        /// The constraint.
        constraint: String,
    },
    /// Takes a constraint out; its reaction vanishes at once.
    Unlock {
        /// The constraint.
        constraint: String,
    },
    /// Gives a [`Variable`](crate::bodies::Variable) another value. What the expression reads is what was there before the
    /// event.
    Set {
        /// Its coordinate, `name.value`.
        variable: String,
        /// The new value, an expression.
        to: String,
    },
    /// Hits a frame, under the constraints that hold.
    Impulse {
        /// The frame.
        marker: String,
        /// Impulse through its origin, N s.
        #[serde(default)]
        force: [f64; 3],
        /// Impulse of a moment, N m s.
        #[serde(default)]
        moment: [f64; 3],
        /// Whose axes they are written in.
        #[serde(default)]
        axes: ImpulseAxes,
    },
    /// Hits a coordinate of a body: N s, or N m s on an angle.
    Push {
        /// The coordinate, `body.coordinate`.
        coordinate: String,
        /// The impulse.
        impulse: f64,
    },
}

/// The axes of an impulse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImpulseAxes {
    /// Those of the world.
    #[default]
    World,
    /// Those of the marker at that moment.
    Marker,
}

impl Deed {
    /// Locks a constraint.
    pub fn lock(constraint: &str) -> Deed {
        Deed::Lock { constraint: constraint.to_string() }
    }

    /// Unlocks a constraint.
    pub fn unlock(constraint: &str) -> Deed {
        Deed::Unlock { constraint: constraint.to_string() }
    }

    /// Sets a variable to an expression.
    pub fn set(variable: &str, to: &str) -> Deed {
        Deed::Set { variable: variable.to_string(), to: to.to_string() }
    }

    /// Hits a frame with an impulse in the world's axes.
    pub fn impulse(marker: &str, force: [f64; 3]) -> Deed {
        Deed::Impulse { marker: marker.to_string(), force, moment: [0.0; 3], axes: ImpulseAxes::World }
    }

    /// Hits a coordinate.
    pub fn push(coordinate: &str, impulse: f64) -> Deed {
        Deed::Push { coordinate: coordinate.to_string(), impulse }
    }

    fn reference(&self) -> Option<Reference<'_>> {
        match self {
            Deed::Impulse { marker, .. } => Some(Reference::frame(marker)),
            Deed::Push { coordinate, .. } => Some(Reference::coordinate(coordinate)),
            _ => None,
        }
    }
}

/// A deed with its names looked up.
#[derive(Clone, Debug)]
pub(crate) struct Act {
    deed: Deed,
    to: Option<Sensed>,
    /// The constraint, the coordinate in q, or the marker that it is about.
    index: usize,
}

impl Act {
    /// Looks up the names of its expression.
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

    /// The markers it asks for.
    pub fn references(&self) -> impl Iterator<Item = Reference<'_>> {
        self.to.iter().flat_map(Sensed::references).chain(self.deed.reference())
    }

    /// Finds what it is about in the model.
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

    /// Does it.
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

/// The constraint of that name, if events may take it in and out.
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

/// The place in q of a variable's coordinate.
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
        let what = format!("`{name}` is a coordinate of a body that moves; only variables can be set, use an impulse");
        return Err(Fault::value("variable", what));
    }
    let known: Vec<String> = variables().map(full).collect();
    let hint = did_you_mean(name, known.iter().map(String::as_str));
    Err(Fault::value("variable", format!("there is no variable `{name}`{hint}; write `name.value`")))
}
