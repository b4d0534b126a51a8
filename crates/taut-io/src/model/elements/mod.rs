//! From resolved values to the elements of a [`Spec`].

mod air;
mod beams;
mod bodies;
mod constraints;
mod contacts;
mod control;
mod events;
mod forces;
mod generalised;
mod measures;
mod modal;
mod placement;
mod sharing;
mod unilateral;

pub(crate) use air::air;
pub(crate) use constraints::named_joint;
pub(crate) use placement::{rotate_vector, transform_frame, transform_point, transform_rigid};

use super::expand::{Item, Section};
use super::resolve::Context;
use crate::diagnostic::{Diagnostic, Place};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};
use taut::{Measure, Spec};

/// Adds an element to the mechanism; errors are reported to the context.
pub(crate) fn add(item: &Item, c: &mut Context, spec: &mut Spec) {
    match item.section {
        Section::Bodies => bodies::body(item, c, spec),
        Section::Markers => bodies::marker(item, c, spec),
        Section::Joints => constraints::joint(item, c, spec),
        Section::Drivers => constraints::driver(item, c, spec),
        Section::Constraints => constraints::constraint(item, c, spec),
        Section::Forces => forces::force(item, c, spec),
        Section::Beams => beams::beam(item, c, spec),
        Section::Polars => air::polar(item, c, spec),
        Section::Wings => air::wing(item, c, spec),
        Section::Discs => air::disc(item, c, spec),
        Section::Variables => bodies::variable(item, c, spec),
        Section::Surfaces => contacts::surface(item, c, spec),
        Section::Contacts => contacts::contact(item, c, spec),
        Section::Events => events::event(item, c, spec),
        Section::Measures if item.node.table().is_some_and(|t| t.get("formula").is_some()) => {
            measures::formula_measure(item, c, spec);
        }
        Section::Measures => {
            if let Some(measure) = c.coordinate(&item.node).and_then(|m| deserialize::<Measure>(m, &item.place, c)) {
                spec.measure(&item.name, measure);
            }
        }
        // Named signals are read where they are used.
        Section::Signals => drop(c.signal(&item.node, &super::vocabulary::ANY_QUANTITY, 0)),
    }
}

/// Deserialises a value that was checked against the vocabulary.
fn deserialize<T: DeserializeOwned>(value: Json, place: &Place, c: &mut Context) -> Option<T> {
    match serde_json::from_value(value) {
        Ok(found) => Some(found),
        Err(e) => {
            c.diagnostics.push(Diagnostic::error(format!("{}: {e}", c.element)).at(place));
            None
        }
    }
}

fn report_error(c: &mut Context, place: &Place, message: &str, help: &str) {
    c.diagnostics.push(Diagnostic::error(format!("{}: {message}", c.element)).at(place).help(help));
}

fn string_field(fields: &Map<String, Json>, key: &str) -> String {
    fields.get(key).and_then(Json::as_str).unwrap_or_default().to_string()
}
