//! Names for numbers, and what a text means where a number stands.

use super::node::{Entry, Node, Table, Value};
use super::quantity::{Known, Quantity};
use super::units::{self, Dimension, NoUnit};
use crate::diagnostic::{Diagnostic, near};
use std::collections::BTreeMap;
use std::sync::Arc;
use taut::expressions::Expression;

/// What a place asks of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Asked {
    /// `a length`, for messages.
    pub name: &'static str,
    /// A unit to show as an example; empty for plain numbers.
    pub example: &'static str,
    /// The dimensions that fit.
    pub fits: &'static [Dimension],
}

/// The numbers that expressions of one file, or of one turn of a repetition, can name.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    names: BTreeMap<String, Quantity>,
    parent: Option<Arc<Scope>>,
}

impl Scope {
    /// The scope with one more name.
    pub fn with(parent: &Arc<Scope>, name: &str, value: f64) -> Scope {
        let names = BTreeMap::from([(name.to_string(), Quantity::from(value))]);
        Scope { names, parent: Some(parent.clone()) }
    }

    pub fn get(&self, name: &str) -> Option<Quantity> {
        self.names.get(name).copied().or_else(|| self.parent.as_ref()?.get(name))
    }

    fn all(&self) -> Vec<(&str, Quantity)> {
        let mut list: Vec<(&str, Quantity)> = self.names.iter().map(|(n, q)| (n.as_str(), *q)).collect();
        if let Some(parent) = &self.parent {
            list.extend(parent.all().into_iter().filter(|(n, _)| !self.names.contains_key(*n)));
        }
        list
    }

    /// The scope of a `[params]` table, whose entries may use each other in any order.
    pub fn of_params(params: &Table, findings: &mut Vec<Diagnostic>) -> Scope {
        let mut scope = Scope::default();
        for entry in &params.0 {
            if let Some(why) = bad_name(&entry.key) {
                findings.push(
                    Diagnostic::error(format!("`{}` cannot name a parameter: {why}", entry.key)).at(&entry.place),
                );
            }
        }
        // Each round resolves those whose parts are known; what is left uses itself, or something unknown.
        let mut left: Vec<&Entry> = params.0.iter().collect();
        loop {
            let before = left.len();
            let waiting: Vec<&str> = left.iter().map(|e| e.key.as_str()).collect();
            let (ready, rest): (Vec<&Entry>, Vec<&Entry>) = left.iter().copied().partition(|e| {
                let used = e.node.text().map(identifiers).unwrap_or_default();
                !used.iter().any(|name| waiting.contains(&name.as_str()))
            });
            for entry in ready {
                match scope.any(&entry.node) {
                    Ok(value) => drop(scope.names.insert(entry.key.clone(), value)),
                    Err(finding) => {
                        findings.push(finding);
                        // Those who use it are not to blame.
                        scope.names.insert(entry.key.clone(), Quantity::open(f64::NAN));
                    }
                }
            }
            left = rest;
            if left.is_empty() || left.len() == before {
                break;
            }
        }
        if let Some(first) = left.first() {
            let all: Vec<String> = left.iter().map(|e| format!("`{}`", e.key)).collect();
            let message = format!("the parameters {} are defined through each other in a circle", all.join(", "));
            findings.push(Diagnostic::error(message).at(&first.place).help("give one of them a number"));
        }
        for entry in left {
            scope.names.insert(entry.key.clone(), Quantity::open(f64::NAN));
        }
        scope
    }

    /// A number of any dimension.
    fn any(&self, node: &Node) -> Result<Quantity, Diagnostic> {
        match &node.value {
            Value::Number(x) => Ok(Quantity::open(*x)),
            Value::Text(text) => self.text(node, text),
            _ => Err(Diagnostic::error(format!("expected a number, found {}", node.kind()))
                .at(&node.place)
                .help("write a number, a quantity such as \"25 mm\", or an expression over [params]")),
        }
    }

    /// A number of the dimension asked for.
    pub fn number(&self, node: &Node, asked: &Asked) -> Result<f64, Diagnostic> {
        let found = self.any(node)?;
        let wrong = |what: String| {
            let example = match asked.example {
                "" => "a plain number belongs here".to_string(),
                unit => format!("write for instance \"3 {unit}\", or a plain number in SI units"),
            };
            Err(Diagnostic::error(format!("expected {}, found {what}", asked.name)).at(&node.place).help(example))
        };
        match found.known {
            Known::Clash(why) => {
                let help = "check the units of the parameters used here";
                Err(Diagnostic::error(format!("`{}`: {why}", node.text().unwrap_or_default()))
                    .at(&node.place)
                    .help(help))
            }
            Known::As(d) if !asked.fits.iter().any(|f| d.fits(*f)) => wrong(format!("a quantity in {}", d.spelt())),
            // A name that failed has been reported where it stands.
            _ if found.value.is_nan() => Ok(1.0),
            _ if found.value.is_infinite() => wrong("a number too large".to_string()),
            _ => Ok(found.value),
        }
    }

    /// The value of a node, with its dimension, as a text that means the same in any scope.
    pub fn spelt(&self, node: &Node) -> Result<Value, Diagnostic> {
        let found = self.any(node)?;
        Ok(match found.known {
            Known::As(d) => Value::Text(format!("{:?} {}", found.value, d.unit())),
            _ => Value::Number(found.value),
        })
    }

    /// A whole number.
    pub fn whole(&self, node: &Node) -> Result<i64, Diagnostic> {
        const PLAIN: Asked = Asked { name: "a whole number", example: "", fits: &[Dimension::NONE] };
        let x = self.number(node, &PLAIN)?;
        if x.fract() == 0.0 && x.abs() < 1e9 {
            return Ok(x as i64);
        }
        Err(Diagnostic::error(format!("expected a whole number, found {x}")).at(&node.place))
    }

    /// A quantity, or an expression over the names.
    fn text(&self, node: &Node, text: &str) -> Result<Quantity, Diagnostic> {
        match quantity(text) {
            Some(Ok(q)) => return Ok(q),
            Some(Err(no)) if !self.reads_as_expression(text) => return Err(not_a_unit(node, no)),
            _ => {}
        }
        let (plain, quantities) = self.without_brackets(node, text)?;
        let known = self.all();
        let bracketed: Vec<String> = (0..quantities.len()).map(|i| format!("_{i}")).collect();
        let names: Vec<&str> = known.iter().map(|(n, _)| *n).chain(bracketed.iter().map(String::as_str)).collect();
        let values: Vec<Quantity> = known.iter().map(|(_, q)| *q).chain(quantities).collect();
        let expression = Expression::parse(&plain, &names).map_err(|e| no_expression(node, text, &e, &names))?;
        let found: Quantity = expression.evaluate(&values);
        let broken = found.value.is_nan() && !values.iter().any(|q| q.value.is_nan());
        if broken {
            let help = "look for a root of a negative number or zero divided by zero";
            return Err(Diagnostic::error(format!("`{text}` has no value")).at(&node.place).help(help));
        }
        Ok(found)
    }

    fn reads_as_expression(&self, text: &str) -> bool {
        let names: Vec<&str> = self.all().into_iter().map(|(n, _)| n).collect();
        Expression::parse(text, &names).is_ok()
    }

    /// Replaces `[25 mm]` by a name of at most the same length, so that positions stay.
    fn without_brackets(&self, node: &Node, text: &str) -> Result<(String, Vec<Quantity>), Diagnostic> {
        let (mut plain, mut found) = (String::with_capacity(text.len()), Vec::new());
        let mut rest = text;
        while let Some(open) = rest.find('[') {
            let offset = text.len() - rest.len() + open;
            let Some(close) = rest[open..].find(']') else {
                return Err(Diagnostic::error("`[` is never closed").at(&node.inside(offset)));
            };
            let inner = &rest[open + 1..open + close];
            match quantity(inner) {
                Some(Ok(q)) => found.push(q),
                Some(Err(no)) => return Err(not_a_unit(node, no)),
                None => {
                    let message = format!("`[{inner}]` is no quantity");
                    let help = "brackets hold a number and a unit: [25 mm]";
                    return Err(Diagnostic::error(message).at(&node.inside(offset)).help(help));
                }
            }
            plain.push_str(&rest[..open]);
            let name = format!("_{}", found.len() - 1);
            plain.push_str(&format!("{name:width$}", width = close + 1));
            rest = &rest[open + close + 1..];
        }
        plain.push_str(rest);
        Ok((plain, found))
    }

    /// A formula in `variables`, with every parameter replaced by its number: what the engine can read.
    ///
    /// `variables` with a dot in them are taken as they are; where `names` is open, any dotted name is.
    pub fn formula(&self, node: &Node, variables: &[&str]) -> Result<String, Diagnostic> {
        let Some(text) = node.text() else {
            return Err(Diagnostic::error(format!("expected a formula, found {}", node.kind())).at(&node.place));
        };
        let (plain, quantities) = self.without_brackets(node, text)?;
        let mut spelt = String::with_capacity(plain.len());
        walk(&plain, |piece| match piece {
            Piece::Other(s) => spelt.push_str(s),
            Piece::Name(name) if variables.contains(&name) => spelt.push_str(name),
            Piece::Name(name) => {
                let bracketed = name.strip_prefix('_').and_then(|n| n.parse::<usize>().ok());
                match bracketed.and_then(|i| quantities.get(i)).copied().or_else(|| self.get(name)) {
                    Some(q) if q.value < 0.0 => spelt.push_str(&format!("({:?})", q.value)),
                    Some(q) => spelt.push_str(&format!("{:?}", q.value)),
                    // Left for the parser, which says so in its place.
                    None => spelt.push_str(name),
                }
            }
        });
        Ok(spelt)
    }

    /// Names that a formula could have meant.
    pub fn names(&self) -> Vec<String> {
        self.all().into_iter().map(|(n, _)| n.to_string()).collect()
    }
}

/// A piece of a formula.
pub(crate) enum Piece<'a> {
    /// A name that is not called as a function; it may hold dots.
    Name(&'a str),
    /// Anything else, numbers and functions among it.
    Other(&'a str),
}

/// Cuts a formula into names and the rest.
pub(crate) fn walk<'a>(text: &'a str, mut each: impl FnMut(Piece<'a>)) {
    let bytes = text.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        let start = i;
        if bytes[i].is_ascii_alphabetic() || bytes[i] == b'_' {
            let inside = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'.';
            i += bytes[i..].iter().take_while(|b| inside(**b)).count();
            let called = bytes[i..].iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'(');
            each(if called { Piece::Other(&text[start..i]) } else { Piece::Name(&text[start..i]) });
        } else if bytes[i].is_ascii_digit() || bytes[i] == b'.' {
            // The e of 1e-3 is no name; that of 2*e is.
            i += bytes[i..].iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count();
            if let [b'e' | b'E', rest @ ..] = &bytes[i..] {
                let sign = usize::from(matches!(rest.first(), Some(b'+' | b'-')));
                let digits = rest[sign..].iter().take_while(|b| b.is_ascii_digit()).count();
                i += if digits > 0 { 1 + sign + digits } else { 0 };
            }
            each(Piece::Other(&text[start..i]));
        } else {
            let plain = |b: &u8| !(b.is_ascii_alphanumeric() || *b == b'_' || *b == b'.');
            i += bytes[i..].iter().take_while(|b| plain(b)).count();
            each(Piece::Other(&text[start..i]));
        }
    }
}

/// The names used in a text, those in brackets (units) left out.
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
    walk(&outside, |piece| {
        if let Piece::Name(name) = piece {
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
fn quantity(text: &str) -> Option<Result<Quantity, NoUnit>> {
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

fn not_a_unit(node: &Node, no: NoUnit) -> Diagnostic {
    match no {
        NoUnit::Unknown { name, at } => {
            let hint = near(&name, units::names());
            let place = node.inside(at);
            let place = crate::diagnostic::Place { span: place.span.start..place.span.start + name.len(), ..place };
            Diagnostic::error(format!("unknown unit `{name}`{hint}"))
                .at(&place)
                .help("units are written as in \"25 mm\", \"1200 rpm\", \"2 N*m/rad\"; docs/model-file.md lists them")
        }
        NoUnit::Garbled { at } => {
            let sum = node.text().and_then(|t| t.get(at..)).is_some_and(|rest| rest.starts_with(['+', '-']));
            let help = match sum {
                true => "within an expression a quantity stands in brackets, as in \"l + [25 mm]\"",
                false => "combine units with *, / and ^, as in \"kg*m^2\" or \"N/(m/s)\"",
            };
            Diagnostic::error("the unit cannot be read from here on").at(&node.inside(at)).help(help)
        }
    }
}

/// A parse error of the engine's expressions, in its place.
pub(crate) fn no_expression(node: &Node, text: &str, e: &taut::expressions::ParseError, names: &[&str]) -> Diagnostic {
    use taut::expressions::ParseError;
    let place = node.inside(e.position());
    match e {
        ParseError::UnknownName { name, suggestion, .. } => {
            let hint = match (near(name, names.iter().copied()), suggestion) {
                (hint, Some(other)) if hint.is_empty() => format!(" (did you mean {}?)", other.replace('\'', "`")),
                (hint, _) => hint,
            };
            let place = crate::diagnostic::Place { span: place.span.start..place.span.start + name.len(), ..place };
            let given: Vec<&str> = names.iter().copied().filter(|n| !n.starts_with('_')).take(12).collect();
            let help = match given.is_empty() {
                true => "there are no [params] here; a quantity is written as in \"25 mm\"".to_string(),
                false => format!("known here: {}", given.join(", ")),
            };
            Diagnostic::error(format!("`{text}` uses the unknown name `{name}`{hint}")).at(&place).help(help)
        }
        other => {
            let said = other.to_string();
            // The place is shown, a count of bytes would say it again.
            let said =
                said.split_once(": ").filter(|(head, _)| head.starts_with("at byte")).map_or(said.as_str(), |(_, s)| s);
            let mut shown: String = text.chars().take(60).collect();
            if shown.len() < text.len() {
                shown.push('…');
            }
            let finding = Diagnostic::error(format!("the expression `{shown}` cannot be read: {said}")).at(&place);
            let next = text.get(e.position()..).unwrap_or("");
            let word = next.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
            match units::names().any(|u| u == word) {
                true => finding.help("within an expression a quantity stands in brackets, as in \"l + [25 mm]\""),
                false => finding,
            }
        }
    }
}

/// Why a text cannot be a name, if it cannot.
pub(crate) fn bad_name(name: &str) -> Option<&'static str> {
    let first = name.chars().next();
    if first.is_none() {
        return Some("it is empty");
    }
    if first.is_some_and(|c| !(c.is_alphabetic() || c == '_')) {
        return Some("names begin with a letter");
    }
    match name {
        "t" => return Some("it is the time"),
        "pi" | "e" => return Some("it is a constant of expressions"),
        "s" | "rate" => return Some("in force laws it is the coordinate or its rate"),
        "ground" => return Some("it is the ground"),
        _ => {}
    }
    match name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        true => None,
        false => Some("names consist of letters, digits and `_`"),
    }
}
