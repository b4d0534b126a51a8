//! The vocabulary as a page: every section, kind and field of the model file.

use super::scope::Asked;
use super::vocabulary::definitions::{Content, DEFINITIONS, Or};
use super::vocabulary::{Field, Kind, Need, What};
use std::fmt::Write;

const HEAD: &str = "\
# Fields of the model file

This page is generated from the tables that the reader uses. [The model file](../model-file.md) explains how the parts fit \
together.

A number may be written with a unit, as in `\"25 mm\"`, or as an expression of parameters.
";

/// The page in Markdown.
pub fn reference() -> String {
    let mut page = HEAD.to_string();
    for definition in DEFINITIONS {
        let _ = write!(page, "\n## {}\n", definition.title);
        match definition.or {
            Or::Nothing => {}
            Or::Number => page.push_str("\nA number, or a table:\n"),
            Or::Text => page.push_str("\nA formula, or a table:\n"),
            Or::NumberOrText => page.push_str("\nA number, a formula, a name, or a table:\n"),
            Or::Vector => page.push_str("\nTwo or three numbers, the origin, or a table:\n"),
            Or::Words(words) => {
                let _ = write!(page, "\n{}, or a table:\n", list(words));
            }
        }
        let mut each = |heading: &dyn Fn(&Kind) -> String, kinds: &[Kind]| {
            for kind in kinds {
                let _ = write!(page, "\n### {}\n\n{}\n\n{}", heading(kind), kind.doc, table(kind.fields));
            }
        };
        match definition.content {
            Content::Fields(fields) => {
                let _ = write!(page, "\n{}", table(fields));
            }
            Content::Kinds { key, kinds } => each(&|k| format!("{key} = \"{}\"", k.name), kinds),
            Content::ByKey(kinds) | Content::Nested(kinds) => each(&|k| k.name.to_string(), kinds),
        }
    }
    page
}

fn table(fields: &[Field]) -> String {
    if fields.is_empty() {
        return "No fields of its own.\n".to_string();
    }
    let mut out = "| field | value | |\n|---|---|---|\n".to_string();
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
        What::Formula(names) if names.is_empty() => "a formula of coordinates".to_string(),
        What::Formula(names) => {
            format!(
                "a formula of coordinates and {}",
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
        What::Coordinate => "a coordinate",
        What::BodyCoordinate => "a coordinate of a body, `body.coordinate`",
        What::Motion => "`position`, `velocity` or `acceleration` with a signal",
        What::Holds => "three of `\"free\"`, `\"fixed\"` or a motion",
        What::Turning => "a word or a table",
        What::Orientation => "a rotation",
        What::Law => "a force law",
        What::Shapes => "one shape or a list",
        What::Looks => "one visual or a list",
        What::Wheel => "a wheel",
        What::Terms => "terms of a relation",
        What::Markers => "named frames",
        What::Params => "named numbers",
        What::Characteristic => "a curve",
        What::Friction => "a number, or `{ static, kinetic }`",
        What::Rubbing => "a number, or a table",
        What::Through => "markers and pulleys",
        What::Between => "two surfaces, or `\"all\"`",
        What::Groups => "one group or two",
        What::Triangles => "triples of whole numbers",
        What::Inputs => "named coordinates or signals",
        What::Memories => "named states with `rate` or `next`, and `initial`",
        What::Sensed => "an expression of coordinates and measures",
        What::SensedOrNumber => "a number, or an expression of coordinates and measures",
        What::Deeds => "one action or a list",
        What::ControlLaw => "a formula of inputs and states",
        _ => "a table",
    }
}
