//! The vocabulary as a page: every section, kind and field of the model file.

use super::scope::ExpectedQuantity;
use super::vocabulary::definitions::{Alternative, DEFINITIONS, TableContent};
use super::vocabulary::{ElementKind, Field, FieldType, Requirement};
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
            Alternative::Nothing => {}
            Alternative::Number => page.push_str("\nA number, or a table:\n"),
            Alternative::Text => page.push_str("\nA formula, or a table:\n"),
            Alternative::NumberOrText => page.push_str("\nA number, a formula, a name, or a table:\n"),
            Alternative::Vector => page.push_str("\nTwo or three numbers, the origin, or a table:\n"),
            Alternative::Words(words) => {
                let _ = write!(page, "\n{}, or a table:\n", list(words));
            }
        }
        let mut each = |heading: &dyn Fn(&ElementKind) -> String, kinds: &[ElementKind]| {
            for kind in kinds {
                let _ = write!(page, "\n### {}\n\n{}\n\n{}", heading(kind), kind.doc, table(kind.fields));
            }
        };
        match definition.content {
            TableContent::Fields(fields) => {
                let _ = write!(page, "\n{}", table(fields));
            }
            TableContent::Kinds { key, kinds } => each(&|k| format!("{key} = \"{}\"", k.name), kinds),
            TableContent::ByKey(kinds) | TableContent::Nested(kinds) => each(&|k| k.name.to_string(), kinds),
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
        let need = if f.requirement == Requirement::Required { " (required)" } else { "" };
        let doc = f.doc.replace('|', "\\|");
        let _ = writeln!(out, "| `{}`{need} | {} | {doc} |", f.name, type_description(f.field_type));
    }
    out
}

fn number(requested: ExpectedQuantity) -> String {
    if requested.example.is_empty() {
        requested.name.to_string()
    } else {
        format!("{}, as `\"3 {}\"`", requested.name, requested.example)
    }
}

fn list(words: &[&str]) -> String {
    words.iter().map(|word| format!("`\"{word}\"`")).collect::<Vec<_>>().join(", ")
}

fn type_description(what: FieldType) -> String {
    match what {
        FieldType::Number(requested) => number(requested),
        FieldType::Vector(counts, requested) => {
            let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
            format!("{} numbers: {}", counts.join(" or "), number(requested))
        }
        FieldType::Numbers(requested) | FieldType::Powers(requested, _) => format!("numbers: {}", number(requested)),
        FieldType::NumberLists(requested) => format!("lists of numbers: {}", number(requested)),
        FieldType::NumbersOrColumn(requested) => format!("numbers, or the name of a column: {}", number(requested)),
        FieldType::Coefficients(requested) => format!("six numbers or a 6×6 matrix: {}", number(requested)),
        FieldType::Signal(requested) => format!("a signal: {}", number(requested)),
        FieldType::Signals(requested) => format!("three signals: {}", number(requested)),
        FieldType::Choice(words) => format!("one of {}", list(words)),
        FieldType::Choices(words) => format!("one or several of {}", list(words)),
        FieldType::Kinds(key, kinds, _) => {
            let names: Vec<&str> = kinds.iter().map(|k| k.name).collect();
            format!("a table with `{key}`: {}", list(&names))
        }
        FieldType::Table(fields) => {
            let names: Vec<String> = fields.iter().map(|f| format!("`{}`", f.name)).collect();
            format!("a table: {}", names.join(", "))
        }
        FieldType::Formula([]) => "a formula of coordinates".to_string(),
        FieldType::Formula(names) => {
            format!(
                "a formula of coordinates and {}",
                names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
            )
        }
        FieldType::NumberOrFormula(requested, names) => {
            let names: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
            format!("a number, or a formula of {} and names of the model: {}", names.join(", "), number(requested))
        }
        FieldType::ThreeNumbersOrFormulas(requested, names) => {
            let names: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
            format!("three numbers or formulas of {}: {}", names.join(", "), number(requested))
        }
        FieldType::Distribution(requested) => {
            format!("a number, a formula of `x` (distance along the wing), or `{{ x, y }}`: {}", number(requested))
        }
        FieldType::NumbersOrLists(requested) => format!("numbers, or lists of numbers: {}", number(requested)),
        FieldType::Points(n) => format!("points with {n} components"),
        other => plain(other).to_string(),
    }
}

fn plain(what: FieldType) -> &'static str {
    match what {
        FieldType::String => "text",
        FieldType::Strings => "one text or several",
        FieldType::ElementName => "the name of an element",
        FieldType::ElementNames => "the name of an element, or several",
        FieldType::Integer => "a whole number",
        FieldType::Marker => "the name of a marker or body",
        FieldType::Coordinate => "a coordinate",
        FieldType::BodyCoordinate => "a coordinate of a body, `body.coordinate`",
        FieldType::Motion => "`position`, `velocity` or `acceleration` with a signal",
        FieldType::TranslationMask => "three of `\"free\"`, `\"fixed\"` or a motion",
        FieldType::RotationMask => "a word or a table",
        FieldType::Orientation => "a rotation",
        FieldType::Law => "a force law",
        FieldType::Shapes => "one shape or a list",
        FieldType::Visuals => "one visual or a list",
        FieldType::Wheel => "a wheel",
        FieldType::Terms => "terms of a relation",
        FieldType::Markers => "named frames",
        FieldType::Params => "named numbers",
        FieldType::Characteristic => "a curve",
        FieldType::Friction => "a number, or `{ static, kinetic }`",
        FieldType::JointFriction => "a number, or a table",
        FieldType::RopePath => "markers and pulleys",
        FieldType::SurfacePair => "two surfaces, or `\"all\"`",
        FieldType::Groups => "one group or two",
        FieldType::Triangles => "triples of whole numbers",
        FieldType::Inputs => "named coordinates or signals",
        FieldType::ControllerStates => "named states with `rate` or `next`, and `initial`",
        FieldType::EventExpression => "an expression of coordinates and measures",
        FieldType::EventExpressionOrNumber => "a number, or an expression of coordinates and measures",
        FieldType::Actions => "one action or a list",
        FieldType::ControllerFormula => "a formula of inputs and states",
        FieldType::BodyFormula => "a formula of its coordinates",
        FieldType::NamedFormulas | FieldType::Definitions(..) => "named formulas",
        FieldType::FormulaMatrix => "rows of formulas, or the diagonal",
        FieldType::GeneralisedCoordinates => "named units, or `{ unit, initial, velocity }`",
        FieldType::GeneralisedStates => "named states with `rate` and `initial`",
        _ => "a table",
    }
}
