//! The vocabulary as a page: every section, kind and field of the model file.

use super::scope::Asked;
use super::vocabulary::{
    BEAM, BODIES, CONSTRAINTS, CONTACT, DEEDS, DRIVER, EVENT, EXPECT, FORCES, FRICTION, Field, JOINTS, Kind, LAWS,
    LIMITS, LOOKS, MEMORY, Need, OUTPUTS, PART, PULLEY, REPEAT, RUBBING, SETTINGS, SHAPES, SIGNALS, SURFACES, TOP,
    WHEELS, What,
};
use std::fmt::Write;

const HEAD: &str = "\
# Fields of the model file

This page is generated from the table that the reader checks against. [The model file](../model-file.md) explains how the \
parts fit together.

A number may be written with a unit, as in `\"25 mm\"`, or as an expression of parameters.
";

/// The page in Markdown.
pub fn reference() -> String {
    let mut page = HEAD.to_string();
    let mut tables = |title: &str, fields: &[Field]| {
        page.push_str(&format!("\n## {title}\n\n{}", table(fields)));
    };
    tables("Top of the file", TOP);
    tables("settings", SETTINGS);
    tables("outputs", OUTPUTS);
    tables("expect", EXPECT);
    tables("drivers", DRIVER);
    tables("beams", BEAM);
    tables("contacts", CONTACT);
    tables("events", EVENT);
    tables("parts", PART);
    tables("repeat", REPEAT);
    let families: [(&str, &str, &[Kind]); 12] = [
        ("bodies", "type", BODIES),
        ("Shapes of bodies", "type", SHAPES),
        ("joints", "type", JOINTS),
        ("constraints", "type", CONSTRAINTS),
        ("Wheels", "", WHEELS),
        ("forces", "type", FORCES),
        ("Laws of forces", "type", LAWS),
        ("signals", "type", SIGNALS),
        ("surfaces", "shape", SURFACES),
        ("Actions of events (`do`)", "", DEEDS),
        ("Looks", "type", LOOKS),
        ("Memory of controllers", "", &[Kind { name: "memory", doc: "A state of a controller.", fields: MEMORY }]),
    ];
    for (title, key, kinds) in families {
        page.push_str(&format!("\n## {title}\n"));
        for kind in kinds {
            // The kinds of some families are known by a key of their own, as in `{ lock = "brake" }`.
            let heading = if key.is_empty() { kind.name.to_string() } else { format!("{key} = \"{}\"", kind.name) };
            page.push_str(&format!("\n### {heading}\n\n{}\n\n{}", kind.doc, table(kind.fields)));
        }
    }
    for (title, fields) in
        [("Limits", LIMITS), ("Friction", FRICTION), ("Friction in joints", RUBBING), ("Pulleys", PULLEY)]
    {
        page.push_str(&format!("\n## {title}\n\n{}", table(fields)));
    }
    page
}

fn table(fields: &[Field]) -> String {
    if fields.is_empty() {
        return "No fields of its own.\n".to_string();
    }
    let mut out = "| field | holds | |\n|---|---|---|\n".to_string();
    for f in fields {
        let need = if f.need == Need::Required { " (required)" } else { "" };
        let doc = f.doc.replace('|', "\\|");
        let _ = writeln!(out, "| `{}`{need} | {} | {doc} |", f.name, holds(f.what));
    }
    out
}

fn number(asked: Asked) -> String {
    if asked.example.is_empty() {
        asked.name.to_string()
    } else {
        format!("{}, as `\"3 {}\"`", asked.name, asked.example)
    }
}

fn list(words: &[&str]) -> String {
    words.iter().map(|word| format!("`\"{word}\"`")).collect::<Vec<_>>().join(", ")
}

fn holds(what: What) -> String {
    match what {
        What::Number(asked) => number(asked),
        What::Vector(counts, asked) => {
            let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
            format!("{} numbers: {}", counts.join(" or "), number(asked))
        }
        What::Numbers(asked) | What::Powers(asked, _) => format!("numbers: {}", number(asked)),
        What::Lists(asked) => format!("lists of numbers: {}", number(asked)),
        What::NumbersOrColumn(asked) => format!("numbers, or the name of a column: {}", number(asked)),
        What::Coefficients(asked) => format!("six numbers or a 6×6 matrix: {}", number(asked)),
        What::Signal(asked) => format!("a signal: {}", number(asked)),
        What::Signals(asked) => format!("three signals: {}", number(asked)),
        What::Choice(words) => format!("one of {}", list(words)),
        What::Choices(words) => format!("one or several of {}", list(words)),
        What::Kinds(key, kinds, _) => {
            let names: Vec<&str> = kinds.iter().map(|k| k.name).collect();
            format!("a table with `{key}`: {}", list(&names))
        }
        What::Table(fields) => {
            let names: Vec<String> = fields.iter().map(|f| format!("`{}`", f.name)).collect();
            format!("a table: {}", names.join(", "))
        }
        What::Formula(names) if names.is_empty() => "a formula over coordinates".to_string(),
        What::Formula(names) => {
            format!(
                "a formula over coordinates and {}",
                names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
            )
        }
        What::Points(n) => format!("points with {n} components"),
        other => plain(other).to_string(),
    }
}

fn plain(what: What) -> &'static str {
    match what {
        What::Text => "text",
        What::Texts => "one text or several",
        What::Whole => "a whole number",
        What::Marker => "the name of a marker or body",
        What::Coordinate => "a measured coordinate",
        What::BodyCoordinate => "a coordinate of a body, `body.coordinate`",
        What::Motion => "`position`, `velocity` or `acceleration` with a signal",
        What::Holds => "three of `\"free\"`, `\"held\"` or a motion",
        What::Turning => "how the joint turns",
        What::Orientation => "a rotation",
        What::Law => "a force law",
        What::Shapes => "one shape or a list",
        What::Looks => "one look or a list",
        What::Wheel => "a wheel",
        What::Terms => "terms of a relation",
        What::Markers => "frames by name",
        What::Params => "names with numbers",
        What::Characteristic => "a curve",
        What::Friction => "a number, or `{ static, kinetic }`",
        What::Rubbing => "a number, or a table",
        What::Through => "markers and pulleys",
        What::Between => "two surfaces, or `\"all\"`",
        What::Groups => "one group or two",
        What::Triangles => "triples of whole numbers",
        What::Inputs => "names with coordinates or signals",
        What::Memories => "names with `rate` or `next`, and `initial`",
        What::Sensed => "an expression of measured quantities",
        What::SensedOrNumber => "a number, or an expression of measured quantities",
        What::Deeds => "one action or a list",
        What::ControlLaw => "a formula over inputs and memory",
        _ => "a table",
    }
}
