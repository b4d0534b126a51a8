//! Writes beams with the keywords of the file.

use super::{object, plain_coefficients};
use serde_json::{Map, Value as Json, json};
use taut::beams::{Beam, Curve};

/// A beam with the keywords of the file and a general section.
pub(super) fn beam(beam: &Beam) -> Map<String, Json> {
    let mut found = object(json!(beam));
    found.remove("curve");
    match &beam.curve {
        Curve::Straight { from, to } => found.extend(object(json!({ "from": from, "to": to }))),
        Curve::Arc { .. } => found.extend(object(json!({ "arc": json!(beam.curve)["arc"] }))),
        Curve::Points(points) => found.extend(object(json!({ "points": points }))),
    }
    let mut section = plain_coefficients(object(json!(beam.section)));
    section.insert("shape".to_string(), json!("general"));
    found.insert("section".to_string(), Json::Object(section));
    found
}
