//! Coordinates, forces and states of generalised bodies by name, in their order, which a map of JSON would not keep.

use super::{inline, key};
use serde_json::{Value as Json, json};
use std::fmt::Write;
use taut::Generalised;

/// Writes the named entries of a body below its other fields.
pub(super) fn named_entries(body: &Generalised, out: &mut String) {
    let coordinates = body.coordinates.iter().map(|c| {
        (&c.name, json!({ "unit": c.unit, "initial": c.initial, "velocity": c.velocity }))
    });
    let forces = body.forces.iter().map(|f| (&f.coordinate, json!(f.force)));
    let states = body.states.iter().map(|s| (&s.name, json!({ "rate": s.rate, "initial": s.initial })));
    let all: [(&str, Vec<(&String, Json)>); 3] =
        [("coordinates", coordinates.collect()), ("forces", forces.collect()), ("states", states.collect())];
    for (field, entries) in all.into_iter().filter(|(_, entries)| !entries.is_empty()) {
        let entries: Vec<String> = entries.iter().map(|(name, value)| format!("{} = {}", key(name), inline(value))).collect();
        let _ = writeln!(out, "{field} = {{ {} }}", entries.join(", "));
    }
}
