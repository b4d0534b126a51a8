//! The vocabulary as a JSON Schema, for editors that complete and check TOML.

use super::expand::Section;
use super::scope::Asked;
use super::vocabulary::{
    BEAM, BODIES, CHARACTERISTIC, CONSTRAINTS, CONTACT, DEEDS, DRIVER, EVENT, EXPECT, FORCES, FRICTION, Field, JOINTS,
    Kind, LAWS, LOOKS, MEMORY, Need, ORIENTATION, OUTPUTS, PART, PULLEY, REPEAT, RUBBING, SETTINGS, SHAPES, SIGNALS,
    SURFACES, TOP, WHEELS, WORDS, What,
};
use serde_json::{Map, Value as Json, json};

/// The schema of model files (JSON Schema, draft 2020-12).
pub fn schema() -> Json {
    let mut top = table(TOP);
    top["properties"]["taut"] = json!({ "const": 1, "description": "Version of the format." });
    top["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    top["title"] = json!("Taut model file");
    top["$defs"] = json!({
        "body": kinds(BODIES),
        "joint": kinds(JOINTS),
        "constraint": kinds(CONSTRAINTS),
        "force": kinds(FORCES),
        "beam": table(BEAM),
        "variable": json!({ "type": ["number", "string"] }),
        "surface": kinds_by("shape", SURFACES),
        "contact": table(CONTACT),
        "event": table(EVENT),
        "deed": deed(),
        "friction": json!({ "anyOf": [{ "type": ["number", "string"] }, table(FRICTION)] }),
        "rubbing": json!({ "anyOf": [{ "type": ["number", "string"] }, table(RUBBING)] }),
        "pulley": table(PULLEY),
        "memory": table(MEMORY),
        "driver": table(DRIVER),
        "shape": kinds(SHAPES),
        "look": kinds(LOOKS),
        "frame": frame(),
        "signal": json!({ "anyOf": [{ "type": "number" }, { "type": "string" }, kinds(SIGNALS)] }),
        "law": json!({ "anyOf": [{ "type": "string" }, kinds(LAWS)] }),
        "characteristic": table(CHARACTERISTIC),
        "wheel": one_of(WHEELS),
        "orientation": orientation(),
        "coordinate": coordinate(),
        "motion": motion(),
        "part": table(PART),
        "repeat": table(REPEAT),
        "settings": table(SETTINGS),
        "outputs": table(OUTPUTS),
        "expectation": table(EXPECT),
    });
    top
}

fn table(fields: &[Field]) -> Json {
    let properties: Map<String, Json> = fields.iter().map(|f| (f.name.to_string(), field(f))).collect();
    let required: Vec<&str> = fields.iter().filter(|f| f.need == Need::Required).map(|f| f.name).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn kinds(kinds: &[Kind]) -> Json {
    kinds_by("type", kinds)
}

fn kinds_by(word: &str, kinds: &[Kind]) -> Json {
    let one = |k: &Kind| {
        let mut found = table(k.fields);
        found["description"] = json!(k.doc);
        found["properties"][word] = json!({ "const": k.name, "description": k.doc });
        if let Some(Json::Array(required)) = found.get_mut("required") {
            required.insert(0, json!(word));
        }
        found
    };
    json!({ "oneOf": kinds.iter().map(one).collect::<Vec<_>>() })
}

fn deed() -> Json {
    let tables = DEEDS.iter().map(|k| {
        let mut found = table(k.fields);
        found["description"] = json!(k.doc);
        found
    });
    json!({ "anyOf": std::iter::once(json!({ "enum": WORDS })).chain(tables).collect::<Vec<_>>() })
}

fn one_of(kinds: &[Kind]) -> Json {
    let one = |k: &Kind| json!({ "type": "object", "properties": { k.name: table(k.fields) }, "required": [k.name], "additionalProperties": false });
    json!({ "oneOf": kinds.iter().map(one).collect::<Vec<_>>() })
}

fn field(f: &Field) -> Json {
    let mut found = match section(f.name) {
        Some(found) if matches!(f.what, What::Section) => found,
        _ => what(f.what),
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
        (Some(s), _) => named(s.one()),
        (None, "parts") => named("part"),
        (None, "repeat") => json!({ "type": "array", "items": { "$ref": "#/$defs/repeat" } }),
        (None, "expect") => json!({ "type": "array", "items": { "$ref": "#/$defs/expectation" } }),
        (None, "settings" | "outputs") => json!({ "$ref": format!("#/$defs/{name}") }),
        _ => return None,
    })
}

fn number(asked: &Asked) -> Json {
    let unit = if asked.example.is_empty() { String::new() } else { format!(", as in \"3 {}\"", asked.example) };
    json!({ "type": ["number", "string"], "title": format!("{}{unit}", asked.name) })
}

fn what(what: What) -> Json {
    let reference = |def: &str| json!({ "$ref": format!("#/$defs/{def}") });
    match what {
        What::Number(asked) => number(&asked),
        What::Vector(counts, asked) => {
            let (least, most) = (counts.iter().min(), counts.iter().max());
            json!({ "type": "array", "items": number(&asked), "minItems": least, "maxItems": most })
        }
        What::Numbers(asked) | What::Powers(asked, _) => json!({ "type": "array", "items": number(&asked) }),
        What::NumbersOrColumn(asked) => {
            json!({ "anyOf": [{ "type": "string" }, json!({ "type": "array", "items": number(&asked) })] })
        }
        What::Lists(asked) => json!({ "type": "array", "items": { "type": "array", "items": number(&asked) } }),
        What::Text | What::Marker | What::BodyCoordinate | What::Formula(_) => json!({ "type": "string" }),
        What::Texts => json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] }),
        What::Choice(words) => json!({ "enum": words }),
        What::Choices(words) => {
            json!({ "anyOf": [{ "enum": words }, { "type": "array", "items": { "enum": words } }] })
        }
        What::Whole => json!({ "type": ["integer", "string"] }),
        What::Coordinate => reference("coordinate"),
        What::Signal(_) => reference("signal"),
        What::Signals(_) => json!({ "type": "array", "items": reference("signal"), "minItems": 3, "maxItems": 3 }),
        What::Motion => reference("motion"),
        What::Holds => {
            let hold = json!({ "anyOf": [{ "enum": ["free", "held"] }, reference("motion")] });
            json!({ "type": "array", "items": hold, "minItems": 3, "maxItems": 3 })
        }
        What::Turning => {
            let words = json!({ "enum": ["free", "perpendicular", "homokinetic", "parallel"] });
            json!({ "anyOf": [words, { "type": "object" }] })
        }
        What::Orientation => reference("orientation"),
        What::Law => reference("law"),
        What::Shapes => json!({ "anyOf": [reference("shape"), { "type": "array", "items": reference("shape") }] }),
        What::Looks => json!({ "anyOf": [reference("look"), { "type": "array", "items": reference("look") }] }),
        What::Wheel => reference("wheel"),
        What::Coefficients(asked) => {
            let entry = json!({ "anyOf": [number(&asked), { "type": "array", "items": number(&asked) }] });
            json!({ "type": "array", "items": entry, "minItems": 6, "maxItems": 6 })
        }
        What::Terms => {
            let term = json!({
                "type": "object", "properties": { "factor": { "type": ["number", "string"] }, "of": reference("coordinate") },
                "required": ["factor", "of"], "additionalProperties": false,
            });
            json!({ "type": "array", "items": term })
        }
        What::Markers => json!({ "type": "object", "additionalProperties": reference("frame") }),
        What::Params => json!({ "type": "object", "additionalProperties": { "type": ["number", "string"] } }),
        What::Characteristic => reference("characteristic"),
        What::Table(fields) => table(fields),
        What::Kinds(word, kinds, _) => kinds_by(word, kinds),
        What::Friction => reference("friction"),
        What::Rubbing => reference("rubbing"),
        What::Through => {
            json!({ "type": "array", "minItems": 2, "items": { "anyOf": [{ "type": "string" }, reference("pulley")] } })
        }
        What::Between => {
            let pair = json!({ "type": "array", "items": { "type": "string" }, "minItems": 2, "maxItems": 2 });
            json!({ "anyOf": [{ "const": "all" }, pair] })
        }
        What::Groups => {
            let some = json!({ "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": 2 });
            json!({ "anyOf": [{ "type": "string" }, some] })
        }
        What::Points(count) => {
            let point = json!({ "type": "array", "items": { "type": ["number", "string"] }, "minItems": count, "maxItems": count });
            json!({ "type": "array", "items": point })
        }
        What::Triangles => {
            let three = json!({ "type": "array", "items": { "type": "integer" }, "minItems": 3, "maxItems": 3 });
            json!({ "type": "array", "items": three })
        }
        What::Inputs => {
            let signal =
                json!({ "type": "object", "properties": { "signal": reference("signal") }, "required": ["signal"] });
            json!({ "type": "object", "additionalProperties": { "anyOf": [reference("coordinate"), signal] } })
        }
        What::Memories => json!({ "type": "object", "additionalProperties": reference("memory") }),
        What::ControlLaw | What::Sensed => json!({ "type": "string" }),
        What::SensedOrNumber => json!({ "type": ["string", "number"] }),
        What::Deeds => json!({ "anyOf": [reference("deed"), { "type": "array", "items": reference("deed") }] }),
        What::Section => json!({}),
    }
}

fn frame() -> Json {
    let numbers = json!({ "type": "array", "items": { "type": ["number", "string"] }, "minItems": 2, "maxItems": 3 });
    json!({ "anyOf": [numbers, {
        "type": "object",
        "properties": { "at": numbers, "orientation": { "$ref": "#/$defs/orientation" }, "seen": { "enum": ["from_body", "from_world"] } },
        "additionalProperties": false,
    }] })
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
