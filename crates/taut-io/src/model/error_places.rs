//! Finds the place in the file that an error of the engine refers to.
//!
//! Errors of the engine name an element and possibly a field.

use super::expand::Section;
use super::node::{Node, Value};
use super::{ElementSource, ModelFile};
use crate::diagnostic::{Diagnostic, Place};
use std::collections::HashMap;
use taut::analyses::AnalysisError;
use taut::dynamics::Inconsistent;
use taut::{BuildError, Outcome, ParameterError, UndeterminedMotion};

/// The name of an element's family in the engine's errors.
pub(super) fn family(section: Section) -> &'static str {
    match section {
        Section::Joints | Section::Drivers | Section::Constraints => "constraint",
        Section::Variables => "body",
        other => other.singular(),
    }
}

/// The place of an element in the file.
pub(super) fn family_place(
    written: &HashMap<(&'static str, String), ElementSource>,
    family: &'static str,
    name: &str,
) -> Option<Place> {
    written.get(&(family, name.to_string())).map(|w| w.place.clone())
}

/// The place of a field within an element, also in tables within it.
fn find_field<'n>(node: &'n Node, field: &str) -> Option<&'n Place> {
    let table = node.table()?;
    let own = table.get(field).map(|n| &n.place);
    own.or_else(|| table.0.iter().find_map(|e| find_field(&e.node, field)))
}

/// The place of a text within an element.
fn find_text<'n>(node: &'n Node, is_it: &dyn Fn(&str) -> bool) -> Option<&'n Place> {
    match &node.value {
        Value::String(t) if is_it(t) => Some(&node.place),
        Value::List(list) => list.iter().find_map(|n| find_text(n, is_it)),
        Value::Table(table) => table.0.iter().find_map(|e| find_text(&e.node, is_it)),
        _ => None,
    }
}

impl ModelFile {
    /// Replaces the engine's word `constraint` by that of the file: joint, driver or constraint.
    pub(super) fn with_file_keywords(&self, message: &str) -> String {
        let Some(rest) = message.strip_prefix("constraint `") else { return message.to_string() };
        let name = rest.split('`').next().unwrap_or_default();
        let word = self.element_source("constraint", name).map_or("constraint", |w| w.section_word);
        format!("{word} `{rest}")
    }

    /// The place of an element: `family` is `body`, `marker`, `constraint`, `force`, `measure`, `surface`, `contact`,
    /// `event` or `beam`.
    pub fn place(&self, family: &str, name: &str) -> Option<&Place> {
        self.element_source(family, name).map(|w| &w.place)
    }

    fn element_source(&self, family: &str, name: &str) -> Option<&ElementSource> {
        const FAMILIES: [&str; 13] = [
            "body",
            "marker",
            "constraint",
            "force",
            "measure",
            "surface",
            "contact",
            "event",
            "beam",
            "air",
            "polar",
            "wing",
            "disc",
        ];
        let family = FAMILIES.into_iter().find(|f| *f == family)?;
        if let Some(found) = self.element_sources.get(&(family, name.to_string())) {
            return Some(found);
        }
        // Discs and wings become forces.
        let of_air = || ["disc", "wing"].into_iter().find_map(|f| self.element_sources.get(&(f, name.to_string())));
        if let Some(found) = of_air().filter(|_| family == "force") {
            return Some(found);
        }
        // The forces of a generalised body are written with the body.
        if let Some(body) = name.strip_suffix(".forces").filter(|_| family == "force") {
            return self.element_sources.get(&("body", body.to_string()));
        }
        // The thread of a screw, limits and friction are written with their joint; points of contact with their contact.
        let (stem, _) = name.split_once('.').filter(|_| matches!(family, "constraint" | "contact"))?;
        let outer = || self.element_sources.get(&("contact", stem.to_string())).filter(|_| family == "constraint");
        self.element_sources.get(&(family, stem.to_string())).or_else(outer)
    }

    /// The field of an element, or the element itself where the field is not written.
    fn field(&self, family: &str, name: &str, field: &str) -> Option<&Place> {
        let one = self.element_source(family, name)?;
        // Some fields have another name in the file than in the engine.
        let other = match field {
            "between" => "groups",
            "follows" => "velocity",
            "within" => "capacity",
            "tangents" => "friction_axes",
            _ => field,
        };
        let found = find_field(&one.node, field).or_else(|| find_field(&one.node, other));
        Some(found.unwrap_or(&one.place))
    }

    /// The place that a build error refers to.
    pub(super) fn place_of_build_error(&self, e: &BuildError) -> Option<&Place> {
        match e {
            BuildError::Element { family, name, fault } => {
                let field = fault.field();
                // If one of several names is wrong, its own place is more precise than that of the field.
                let named = match fault {
                    ParameterError::Value { what, .. } => what.split('`').nth(1),
                    _ => None,
                };
                let one = self.element_source(family, name).filter(|_| matches!(*family, "event" | "contact"));
                let value = named.map(|n| n.strip_suffix(".value").unwrap_or(n));
                let text = one.zip(named).and_then(|(w, n)| find_text(&w.node, &|t| t == n || Some(t) == value));
                text.or_else(|| self.field(family, name, field))
            }
            BuildError::UnknownMarker { family, name, marker, .. }
            | BuildError::WrongMarker { family, name, marker, .. } => {
                // A point of contact has its markers from the surfaces that meet in it.
                let on = || {
                    let surfaces = self.element_sources.iter().filter(|((f, _), _)| *f == "surface");
                    let named = surfaces.filter_map(|(key, w)| Some((key, find_text(&w.node, &|t| t == marker)?)));
                    named.min_by_key(|(key, _)| *key).map(|(_, place)| place)
                };
                let Some(one) = self.element_source(family, name) else { return on() };
                let found =
                    find_text(&one.node, &|t| t == marker).or_else(|| find_text(&one.node, &|t| t.contains(marker)));
                Some(found.or_else(on).unwrap_or(&one.place))
            }
            BuildError::DuplicateName { name, family } => {
                let one = match *family {
                    "bodies" => "body",
                    "markers" => "marker",
                    "constraints" => "constraint",
                    "forces" => "force",
                    "surfaces" => "surface",
                    "contacts" => "contact",
                    "events" => "event",
                    "beams" => "beam",
                    "polars" => "polar",
                    "wings and discs" => "wing",
                    _ => "measure",
                };
                self.place(one, name)
            }
            BuildError::BadName { name, .. } => self.place("body", name).or_else(|| self.place("marker", name)),
            BuildError::UnknownBody { marker, .. } => self.place("marker", marker),
            BuildError::SelfJoint { name, .. } => self.place("constraint", name),
            _ => None,
        }
    }

    /// The error of an analysis, with the place of the constraint or body that causes it.
    pub fn diagnose(&self, e: &AnalysisError) -> Diagnostic {
        let constraint = match e {
            AnalysisError::CannotAssemble(found) => {
                found.worst.first().and_then(|r| r.row.rsplit_once('.')).map(|r| r.0)
            }
            AnalysisError::Overlap { constraint, .. } | AnalysisError::PositionJump { constraint, .. } => {
                Some(constraint.as_str())
            }
            AnalysisError::Paradox { contact } => Some(contact.as_str()),
            AnalysisError::Endless { names } => names.first().map(String::as_str),
            AnalysisError::Massless(found) => return self.diagnose_massless(found),
            _ => None,
        };
        let place = constraint.and_then(|c| self.place_of_constraint(c));
        let help = self.contradiction_help(e).or_else(|| self.nearest_approach(e));
        Diagnostic { place, help, ..Diagnostic::error(e.to_string()) }
    }

    /// A file that accepts contradictory constraints, in an analysis that does not.
    fn contradiction_help(&self, e: &AnalysisError) -> Option<String> {
        let accepted = self.transient.choice.inconsistent == Inconsistent::LeastSquares;
        (accepted && matches!(e, AnalysisError::CannotAssemble(_))).then(|| {
            "`inconsistent = \"least_squares\"` applies to `run`, `assemble` and `lab`; other analyses need constraints that \
             agree"
                .to_string()
        })
    }

    /// A body without mass whose motion is not determined, with the place of its mass.
    pub fn diagnose_massless(&self, found: &UndeterminedMotion) -> Diagnostic {
        Diagnostic { place: self.field("body", &found.body, "mass").cloned(), ..Diagnostic::error(found.to_string()) }
    }

    /// How a run ended, with the place of the contact that ended it.
    pub fn diagnose_ending(&self, outcome: &Outcome) -> Diagnostic {
        let contact = match outcome {
            Outcome::Overlap { contact, .. } | Outcome::Paradox { contact, .. } => Some(contact),
            Outcome::DrivenInto { constraint, .. } => Some(constraint),
            Outcome::Chatter { names, .. } | Outcome::Creep { names, .. } => names.first(),
            _ => None,
        };
        Diagnostic {
            place: contact.and_then(|c| self.place_of_constraint(c)),
            ..Diagnostic::error(outcome.to_string())
        }
    }

    /// Where a constraint, or the contact it is a point of, is written.
    fn place_of_constraint(&self, name: &str) -> Option<Place> {
        self.place("constraint", name).or_else(|| self.place("contact", name)).cloned()
    }
}
