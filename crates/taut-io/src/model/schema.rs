//! The vocabulary as a JSON Schema, for editors that complete and check TOML files.

use super::expand::Section;
use super::scope::ExpectedQuantity;
use super::upgrade::FORMAT;
use super::vocabulary::definitions::{Alternative, DEFINITIONS, Definition, FILE, TableContent};
use super::vocabulary::{ElementKind, Field, FieldType, ORIENTATION, ROTATIONS, Requirement, TRANSLATIONS};
use serde_json::{Map, Value as Json, json};

/// The schema of model files (JSON Schema, draft 2020-12).
pub fn schema() -> Json {
    let mut all: Map<String, Json> = DEFINITIONS.iter().map(|d| (d.name.to_string(), definition(d))).collect();
    for (name, schema) in [
        ("variable", json!({ "type": ["number", "string"] })),
        ("orientation", orientation()),
        ("coordinate", coordinate()),
        ("motion", motion()),
    ] {
        all.insert(name.to_string(), schema);
    }
    let mut top = all.remove(FILE).unwrap_or_default();
    top["properties"]["taut"] = json!({ "const": FORMAT, "description": "Number of the format." });
    top["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    top["title"] = json!("Taut model file");
    top["$defs"] = Json::Object(all);
    top
}

fn definition(d: &Definition) -> Json {
    let own = match d.content {
        TableContent::Fields(fields) => vec![table(fields)],
        TableContent::Kinds { key, kinds } => vec![kinds_by(key, kinds)],
        TableContent::ByKey(kinds) => kinds.iter().map(described).collect(),
        TableContent::Nested(kinds) => vec![nested(kinds)],
    };
    let vector = || json!({ "type": "array", "items": { "type": ["number", "string"] }, "minItems": 2, "maxItems": 3 });
    let other = match d.or {
        Alternative::Nothing => None,
        Alternative::Number | Alternative::NumberOrText => Some(json!({ "type": ["number", "string"] })),
        Alternative::Text => Some(json!({ "type": "string" })),
        Alternative::Vector => Some(vector()),
        Alternative::Words(words) => Some(json!({ "enum": words })),
    };
    let mut all: Vec<Json> = other.into_iter().chain(own).collect();
    if all.len() == 1 { all.remove(0) } else { json!({ "anyOf": all }) }
}

fn described(kind: &ElementKind) -> Json {
    let mut found = table(kind.fields);
    found["description"] = json!(kind.doc);
    found
}

fn table(fields: &[Field]) -> Json {
    let properties: Map<String, Json> = fields.iter().map(|f| (f.name.to_string(), field(f))).collect();
    let required: Vec<&str> =
        fields.iter().filter(|f| f.requirement == Requirement::Required).map(|f| f.name).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn kinds_by(word: &str, kinds: &[ElementKind]) -> Json {
    let one = |k: &ElementKind| {
        let mut found = described(k);
        found["properties"][word] = json!({ "const": k.name, "description": k.doc });
        if let Some(Json::Array(required)) = found.get_mut("required") {
            required.insert(0, json!(word));
        }
        found
    };
    json!({ "oneOf": kinds.iter().map(one).collect::<Vec<_>>() })
}

fn nested(kinds: &[ElementKind]) -> Json {
    let one = |k: &ElementKind| json!({ "type": "object", "properties": { k.name: table(k.fields) }, "required": [k.name], "additionalProperties": false });
    json!({ "oneOf": kinds.iter().map(one).collect::<Vec<_>>() })
}

fn field(f: &Field) -> Json {
    let mut found = match section(f.name) {
        Some(found) if matches!(f.field_type, FieldType::Section) => found,
        _ => what(f.field_type),
    };
    found["description"] = json!(f.doc);
    found
}

/// The sections whose entries have a definition.
fn section(name: &str) -> Option<Json> {
    let named = |def: &str| json!({ "type": "object", "additionalProperties": { "$ref": format!("#/$defs/{def}") } });
    let section = Section::ALL.into_iter().find(|s| s.key() == name);
    Some(match (section, name) {
        (Some(Section::Measures), _) => named("coordinate"),
        (Some(Section::Markers), _) => named("frame"),
        (Some(s), _) => named(s.singular()),
        (None, "parts") => named("part"),
        (None, "nodes") => json!({ "type": "array", "items": { "$ref": "#/$defs/node" } }),
        (None, "repeat") => json!({ "type": "array", "items": { "$ref": "#/$defs/repeat" } }),
        (None, "expect") => json!({ "type": "array", "items": { "$ref": "#/$defs/expectation" } }),
        (None, "vary") => json!({ "type": "array", "items": { "$ref": "#/$defs/trim_parameter" } }),
        (None, "target") => json!({ "type": "array", "items": { "$ref": "#/$defs/trim_target" } }),
        (None, "settings" | "outputs" | "ground" | "trim") => json!({ "$ref": format!("#/$defs/{name}") }),
        _ => return None,
    })
}

fn number(requested: &ExpectedQuantity) -> Json {
    let unit =
        if requested.example.is_empty() { String::new() } else { format!(", as in \"3 {}\"", requested.example) };
    json!({ "type": ["number", "string"], "title": format!("{}{unit}", requested.name) })
}

fn what(what: FieldType) -> Json {
    let reference = |def: &str| json!({ "$ref": format!("#/$defs/{def}") });
    match what {
        FieldType::Number(requested) => number(&requested),
        FieldType::Vector(counts, requested) => {
            let (least, most) = (counts.iter().min(), counts.iter().max());
            json!({ "type": "array", "items": number(&requested), "minItems": least, "maxItems": most })
        }
        FieldType::Numbers(requested) | FieldType::Powers(requested, _) => {
            json!({ "type": "array", "items": number(&requested) })
        }
        FieldType::NumbersOrColumn(requested) => {
            json!({ "anyOf": [{ "type": "string" }, json!({ "type": "array", "items": number(&requested) })] })
        }
        FieldType::NumberLists(requested) => {
            json!({ "type": "array", "items": { "type": "array", "items": number(&requested) } })
        }
        FieldType::String
        | FieldType::ElementName
        | FieldType::Marker
        | FieldType::BodyCoordinate
        | FieldType::Formula(_) => {
            json!({ "type": "string" })
        }
        FieldType::Strings | FieldType::ElementNames => {
            json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] })
        }
        FieldType::Choice(words) => json!({ "enum": words }),
        FieldType::Choices(words) => {
            json!({ "anyOf": [{ "enum": words }, { "type": "array", "items": { "enum": words } }] })
        }
        FieldType::Integer => json!({ "type": ["integer", "string"] }),
        FieldType::Coordinate => reference("coordinate"),
        FieldType::Signal(_) => reference("signal"),
        FieldType::Signals(_) => json!({ "type": "array", "items": reference("signal"), "minItems": 3, "maxItems": 3 }),
        FieldType::Motion => reference("motion"),
        FieldType::TranslationMask => {
            let hold = json!({ "anyOf": [{ "enum": TRANSLATIONS }, reference("motion")] });
            json!({ "type": "array", "items": hold, "minItems": 3, "maxItems": 3 })
        }
        FieldType::RotationMask => {
            let words = json!({ "enum": ROTATIONS });
            json!({ "anyOf": [words, { "type": "object" }] })
        }
        FieldType::Orientation => reference("orientation"),
        FieldType::Law => reference("law"),
        FieldType::Shapes => json!({ "anyOf": [reference("shape"), { "type": "array", "items": reference("shape") }] }),
        FieldType::Visuals => {
            json!({ "anyOf": [reference("visual"), { "type": "array", "items": reference("visual") }] })
        }
        FieldType::Wheel => reference("wheel"),
        FieldType::Coefficients(requested) => {
            let entry = json!({ "anyOf": [number(&requested), { "type": "array", "items": number(&requested) }] });
            json!({ "type": "array", "items": entry, "minItems": 6, "maxItems": 6 })
        }
        FieldType::Terms => json!({ "type": "array", "items": reference("term") }),
        FieldType::Markers => json!({ "type": "object", "additionalProperties": reference("frame") }),
        FieldType::Params => json!({ "type": "object", "additionalProperties": { "type": ["number", "string"] } }),
        FieldType::Characteristic => reference("characteristic"),
        FieldType::Table(fields) => table(fields),
        FieldType::Kinds(word, kinds, _) => kinds_by(word, kinds),
        FieldType::Friction => reference("friction"),
        FieldType::JointFriction => reference("joint_friction"),
        FieldType::RopePath => {
            json!({ "type": "array", "minItems": 2, "items": { "anyOf": [{ "type": "string" }, reference("pulley")] } })
        }
        FieldType::SurfacePair => {
            let pair = json!({ "type": "array", "items": { "type": "string" }, "minItems": 2, "maxItems": 2 });
            json!({ "anyOf": [{ "const": "all" }, pair] })
        }
        FieldType::Groups => {
            let some = json!({ "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": 2 });
            json!({ "anyOf": [{ "type": "string" }, some] })
        }
        FieldType::Points(count) => {
            let point = json!({ "type": "array", "items": { "type": ["number", "string"] }, "minItems": count, "maxItems": count });
            json!({ "type": "array", "items": point })
        }
        FieldType::Triangles => {
            let three = json!({ "type": "array", "items": { "type": "integer" }, "minItems": 3, "maxItems": 3 });
            json!({ "type": "array", "items": three })
        }
        FieldType::Inputs => {
            let signal =
                json!({ "type": "object", "properties": { "signal": reference("signal") }, "required": ["signal"] });
            json!({ "type": "object", "additionalProperties": { "anyOf": [reference("coordinate"), signal] } })
        }
        FieldType::ControllerStates => json!({ "type": "object", "additionalProperties": reference("state") }),
        FieldType::ControllerFormula | FieldType::EventExpression => json!({ "type": "string" }),
        FieldType::BodyFormula => json!({ "type": ["string", "number"] }),
        FieldType::NamedFormulas | FieldType::Definitions(..) => {
            json!({ "type": "object", "additionalProperties": { "type": ["string", "number"] } })
        }
        FieldType::FormulaMatrix => {
            let row = json!({ "type": "array", "items": { "type": ["string", "number"] } });
            json!({ "type": "array", "items": { "anyOf": [{ "type": ["string", "number"] }, row] } })
        }
        FieldType::GeneralisedCoordinates => {
            json!({ "type": "object", "additionalProperties": reference("generalised_coordinate") })
        }
        FieldType::GeneralisedStates => {
            json!({ "type": "object", "additionalProperties": reference("generalised_state") })
        }
        FieldType::EventExpressionOrNumber => json!({ "type": ["string", "number"] }),
        FieldType::Actions => {
            json!({ "anyOf": [reference("action"), { "type": "array", "items": reference("action") }] })
        }
        FieldType::NumberOrFormula(requested, _) => number(&requested),
        FieldType::ThreeNumbersOrFormulas(requested, _) => {
            json!({ "type": "array", "items": number(&requested), "minItems": 3, "maxItems": 3 })
        }
        FieldType::Distribution(requested) => {
            let list = json!({ "type": "array", "items": number(&requested) });
            let points = json!({ "type": "object", "properties": { "x": list, "y": list }, "required": ["x", "y"], "additionalProperties": false });
            json!({ "anyOf": [number(&requested), points] })
        }
        FieldType::NumbersOrLists(requested) => {
            let list = json!({ "type": "array", "items": number(&requested) });
            json!({ "type": "array", "items": { "anyOf": [number(&requested), list] } })
        }
        FieldType::Section => json!({}),
    }
}

fn orientation() -> Json {
    let names: Vec<&str> = ORIENTATION.iter().map(|f| f.name).collect();
    let each = ORIENTATION.iter().map(|f| (f.name.to_string(), json!({ "description": f.doc })));
    let properties: Map<String, Json> = each.collect();
    let table = json!({
        "type": "object", "properties": properties, "minProperties": 1, "maxProperties": 1,
        "propertyNames": { "enum": names },
    });
    json!({ "anyOf": [{ "const": "aligned" }, table] })
}

fn coordinate() -> Json {
    let ends = json!({
        "type": "object", "properties": { "a": { "type": "string" }, "b": { "type": "string" }, "axis": { "enum": ["x", "y", "z"] } },
        "required": ["a", "b"], "additionalProperties": false,
    });
    json!({ "anyOf": [{ "type": "string" }, {
        "type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": false,
        "properties": { "distance": ends, "slide": ends, "angle": ends, "elevation": ends, "coordinate": { "type": "string" } },
    }] })
}

fn motion() -> Json {
    let signal = json!({ "$ref": "#/$defs/signal" });
    json!({
        "type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": false,
        "properties": { "position": signal, "velocity": signal, "acceleration": signal },
    })
}
