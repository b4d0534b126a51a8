//! Formulas and quantities in the file: their names, units and errors.

use super::node::Node;
use super::quantity::Quantity;
use super::units::{self, NoUnit};
use crate::diagnostic::{Diagnostic, Place, did_you_mean};
use taut::expressions::ParseError;

/// A piece of a formula.
pub(crate) enum Token<'a> {
    /// A name that is not called as a function; it may contain dots, and end with `'`.
    Name(&'a str),
    /// Anything else, including numbers and functions.
    Other(&'a str),
}

/// Splits a formula into names and the rest.
pub(crate) fn for_each_token<'a>(text: &'a str, mut each: impl FnMut(Token<'a>)) {
    let bytes = text.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        let start = i;
        if bytes[i].is_ascii_alphabetic() || bytes[i] == b'_' {
            let inside = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'.';
            i += bytes[i..].iter().take_while(|b| inside(**b)).count();
            // The rate of a coordinate: `theta'`.
            i += usize::from(bytes.get(i) == Some(&b'\''));
            let called = bytes[i..].iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'(');
            each(if called { Token::Other(&text[start..i]) } else { Token::Name(&text[start..i]) });
        } else if bytes[i].is_ascii_digit() || bytes[i] == b'.' {
            // The e of 1e-3 is not a name; that of 2*e is.
            i += bytes[i..].iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count();
            if let [b'e' | b'E', rest @ ..] = &bytes[i..] {
                let sign = usize::from(matches!(rest.first(), Some(b'+' | b'-')));
                let digits = rest[sign..].iter().take_while(|b| b.is_ascii_digit()).count();
                i += if digits > 0 { 1 + sign + digits } else { 0 };
            }
            each(Token::Other(&text[start..i]));
        } else {
            let plain = |b: &u8| !(b.is_ascii_alphanumeric() || *b == b'_' || *b == b'.');
            i += bytes[i..].iter().take_while(|b| plain(b)).count();
            each(Token::Other(&text[start..i]));
        }
    }
}

/// The names used in a text, without those in brackets (units).
pub(crate) fn identifiers(text: &str) -> Vec<String> {
    if let Some(Ok(_)) = quantity(text) {
        return Vec::new();
    }
    let mut outside = String::new();
    let mut depth = 0;
    for c in text.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            c if depth <= 0 => outside.push(c),
            _ => {}
        }
    }
    let mut names = Vec::new();
    for_each_token(&outside, |piece| {
        if let Token::Name(name) = piece {
            names.push(name.to_string());
        }
    });
    names
}

/// Whether a text is a number with a unit.
pub(crate) fn is_quantity(text: &str) -> bool {
    matches!(quantity(text), Some(Ok(_)))
}

/// A number with a unit, if the text has the form of one.
pub(crate) fn quantity(text: &str) -> Option<Result<Quantity, NoUnit>> {
    let trimmed = text.trim();
    let offset = text.len() - text.trim_start().len();
    let bytes = trimmed.as_bytes();
    let mut length = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count();
    length += digits(length);
    if let [b'e' | b'E', rest @ ..] = &bytes[length..] {
        let sign = usize::from(matches!(rest.first(), Some(b'+' | b'-')));
        let exponent = rest[sign..].iter().take_while(|b| b.is_ascii_digit()).count();
        length += if exponent > 0 { 1 + sign + exponent } else { 0 };
    }
    let number: f64 = trimmed[..length].parse().ok()?;
    let rest = trimmed[length..].trim();
    if rest.is_empty() || !rest.starts_with(|c: char| c.is_alphabetic() || c == '1' || c == '(') {
        return None;
    }
    let before = offset + trimmed.len() - rest.len();
    Some(match units::unit(rest) {
        Ok(u) => Ok(Quantity::new(number * u.numerator / u.denominator, u.dimension)),
        Err(NoUnit::Unknown { name, at }) => Err(NoUnit::Unknown { name, at: at + before }),
        Err(NoUnit::Garbled { at }) => Err(NoUnit::Garbled { at: at + before }),
    })
}

pub(crate) fn not_a_unit(node: &Node, no: NoUnit) -> Diagnostic {
    match no {
        NoUnit::Unknown { name, at } => {
            let hint = did_you_mean(&name, units::names());
            let place = node.place_within(at);
            let place = Place { span: place.span.start..place.span.start + name.len(), ..place };
            Diagnostic::error(format!("unknown unit `{name}`{hint}"))
                .at(&place)
                .help("units are written as in \"25 mm\", \"1200 rpm\", \"2 N*m/rad\"; docs/model-file.md lists them")
        }
        NoUnit::Garbled { at } => {
            let sum = node.text().and_then(|t| t.get(at..)).is_some_and(|rest| rest.starts_with(['+', '-']));
            let help = match sum {
                true => "within an expression, write a quantity in brackets, as in \"l + [25 mm]\"",
                false => "combine units with *, / and ^, as in \"kg*m^2\" or \"N/(m/s)\"",
            };
            Diagnostic::error("the unit cannot be parsed from here on").at(&node.place_within(at)).help(help)
        }
    }
}

/// A parse error of the engine's expressions, with its place in the file.
pub(crate) fn parse_error(node: &Node, text: &str, e: &ParseError, names: &[&str]) -> Diagnostic {
    let place = node.place_within(e.position());
    match e {
        ParseError::UnknownName { name, suggestion, .. } => {
            let hint = match (did_you_mean(name, names.iter().copied()), suggestion) {
                (hint, Some(other)) if hint.is_empty() => format!(" (did you mean {}?)", other.replace('\'', "`")),
                (hint, _) => hint,
            };
            let place = Place { span: place.span.start..place.span.start + name.len(), ..place };
            let given: Vec<&str> = names.iter().copied().filter(|n| !n.starts_with('_')).take(12).collect();
            let help = match given.is_empty() {
                true => "there are no [params] here; a quantity is written as in \"25 mm\"".to_string(),
                false => format!("known here: {}", given.join(", ")),
            };
            Diagnostic::error(format!("`{text}` uses the unknown name `{name}`{hint}")).at(&place).help(help)
        }
        other => {
            let said = other.to_string();
            // The place is shown, so the byte position is not repeated.
            let said =
                said.split_once(": ").filter(|(head, _)| head.starts_with("at byte")).map_or(said.as_str(), |(_, s)| s);
            let mut shown: String = text.chars().take(60).collect();
            if shown.len() < text.len() {
                shown.push('…');
            }
            let finding = Diagnostic::error(format!("the expression `{shown}` cannot be parsed: {said}")).at(&place);
            let next = text.get(e.position()..).unwrap_or("");
            let word = next.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
            match units::names().any(|u| u == word) {
                true => finding.help("within an expression, write a quantity in brackets, as in \"l + [25 mm]\""),
                false => finding,
            }
        }
    }
}

/// Why a text is not a valid name, if it is not.
pub(crate) fn invalid_name_reason(name: &str) -> Option<&'static str> {
    let first = name.chars().next();
    if first.is_none() {
        return Some("it is empty");
    }
    if first.is_some_and(|c| !(c.is_ascii_alphabetic() || c == '_')) {
        return Some("names begin with a letter (a to z, A to Z)");
    }
    match name {
        "t" => return Some("it is the time"),
        "pi" | "e" => return Some("it is a constant of expressions"),
        "s" | "rate" => return Some("in force laws it is the coordinate or its rate"),
        "ground" => return Some("it is the ground"),
        _ => {}
    }
    match name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        true => None,
        false => Some("names consist of the letters a to z, A to Z, digits and `_`"),
    }
}
