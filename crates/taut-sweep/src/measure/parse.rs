//! From the text of a measure to its terms.

use super::{Instant, Measure, Reduction, Term};
use std::path::PathBuf;
use std::sync::Arc;
use taut::expressions::Expression;
use taut_io::diagnostic::{Diagnostic, Place, Source};
use taut_io::model::WrittenQuantity;

const HELP: &str = "write a formula such as max(elbow.fx), final(rocker.theta) or at(rocker.theta, 0.5 s); \
    `peak = max(elbow.fx)` gives it a name";

/// Reads `FORMULA` or `NAME = FORMULA`.
pub(super) fn measure(text: &str) -> Result<Measure, Diagnostic> {
    let (name, formula) = match text.split_once('=') {
        Some((name, formula)) => (name.trim(), formula.trim()),
        None => (text.trim(), text.trim()),
    };
    let error = |message: String| {
        let text = format!("--keep {text}");
        let span = "--keep ".len()..text.len();
        let source = Arc::new(Source { path: PathBuf::from("command line"), text });
        Diagnostic::error(message).at(&Place { source, span }).help(HELP)
    };
    if name.is_empty() || formula.is_empty() {
        return Err(error("a measure is empty".to_string()));
    }
    let mut terms = Vec::new();
    let outer = outer(formula, &mut terms).map_err(error)?;
    if terms.is_empty() {
        return Err(error(format!("`{formula}` uses no column")));
    }
    let variables: Vec<String> = (0..terms.len()).map(|k| format!("_{k}")).collect();
    let variables: Vec<&str> = variables.iter().map(String::as_str).collect();
    let outer = Expression::parse(&outer, &variables).map_err(|e| error(format!("`{formula}`: {e}")))?;
    Ok(Measure { name: name.to_string(), text: formula.to_string(), terms, outer })
}

/// Replaces calls of reductions and bare columns by `_0`, `_1`, ….
fn outer(formula: &str, terms: &mut Vec<Term>) -> Result<String, String> {
    let (mut out, mut rest) = (String::new(), formula);
    while let Some(c) = rest.chars().next() {
        if !(c.is_alphabetic() || c == '_') {
            let end = plain_end(rest);
            out.push_str(&rest[..end]);
            rest = &rest[end..];
            continue;
        }
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let (arguments, behind) = match after.trim_start().strip_prefix('(') {
            Some(inner) => {
                let close = closing(inner).ok_or_else(|| format!("`{formula}`: a parenthesis is not closed"))?;
                (Some(&inner[..close]), &inner[close + 1..])
            }
            None => (None, after),
        };
        match arguments {
            None if matches!(name, "pi" | "e") => out.push_str(name),
            None => add(terms, Term::Reduced(Reduction::Final, expression(name)?), &mut out),
            Some(inner) => match term(name, inner)? {
                Some(term) => add(terms, term, &mut out),
                // Any other function: its arguments may contain reductions.
                None => {
                    let inner = outer(inner, terms)?;
                    out.push_str(&format!("{name}({inner})"));
                }
            },
        }
        rest = behind;
    }
    Ok(out)
}

/// Length of a beginning without names: numbers with their exponents, or one character.
fn plain_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count();
    let mut end = digits(0);
    if end == 0 {
        return text.chars().next().map_or(1, char::len_utf8);
    }
    if let [b'e' | b'E', rest @ ..] = &bytes[end..] {
        let sign = usize::from(matches!(rest.first(), Some(b'+' | b'-')));
        let exponent = rest[sign..].iter().take_while(|b| b.is_ascii_digit()).count();
        end += if exponent > 0 { 1 + sign + exponent } else { 0 };
    }
    end
}

fn add(terms: &mut Vec<Term>, term: Term, out: &mut String) {
    let known = terms.iter().position(|t| *t == term);
    let k = known.unwrap_or_else(|| {
        terms.push(term);
        terms.len() - 1
    });
    out.push_str(&format!("_{k}"));
}

/// Where a parenthesis closes that opened before the text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1;
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(i);
        }
    }
    None
}

/// Arguments between commas outside of parentheses.
fn arguments(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                found.push(text[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
    }
    found.push(text[start..].trim());
    found
}

/// The term that a call stands for; none for functions of numbers, such as `max` of two.
fn term(name: &str, inner: &str) -> Result<Option<Term>, String> {
    let reduction = Reduction::ALL.iter().find(|(n, _)| *n == name);
    let all = arguments(inner);
    if let (Some((_, reduction)), [x]) = (reduction, all.as_slice()) {
        return Ok(Some(Term::Reduced(*reduction, expression(x)?)));
    }
    Ok(match (name, all.as_slice()) {
        ("at", [x, when]) => {
            let instant = match WrittenQuantity::parse(when)? {
                Some(time) => Instant::Time(time.seconds().ok_or_else(|| format!("`{when}` is not a time"))?),
                None => Instant::Event(when.to_string()),
            };
            Some(Term::At(expression(x)?, instant))
        }
        ("time", [event]) => Some(Term::EventTime(event.to_string())),
        ("count", [event]) => Some(Term::EventCount(event.to_string())),
        ("at", _) => return Err("`at` needs a formula and a time or an event: at(rocker.theta, 0.5 s)".to_string()),
        (_, all) if reduction.is_some() && !matches!((name, all.len()), ("max" | "min", 2)) => {
            return Err(format!("`{name}` needs one formula"));
        }
        _ => None,
    })
}

/// A formula in columns: every name in it that is no function or constant is one.
fn expression(text: &str) -> Result<Expression, String> {
    let mut names: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if !(c.is_alphabetic() || c == '_') {
            rest = &rest[plain_end(rest)..];
            continue;
        }
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let called = after.trim_start().starts_with('(');
        let reduction = Reduction::ALL.iter().any(|(n, _)| *n == name) && !matches!(name, "max" | "min");
        if called && (reduction || matches!(name, "at" | "time" | "count")) {
            return Err(format!("`{name}` cannot be inside of another reduction"));
        }
        if !called && !matches!(name, "pi" | "e") && !names.contains(&name) {
            names.push(name);
        }
        rest = after;
    }
    Expression::parse(text, &names).map_err(|e| format!("`{text}`: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> (String, usize) {
        let found = measure(text).unwrap_or_else(|e| panic!("{e}"));
        (found.outer.text().to_string(), found.terms.len())
    }

    #[test]
    fn formulas_inside_and_outside() {
        assert_eq!(terms("max(elbow.fx)"), ("_0".to_string(), 1));
        assert_eq!(terms("p = max(sqrt(a.x^2 + a.y^2))/1e3 - min(t)*2"), ("_0/1e3 - _1*2".to_string(), 2));
        assert_eq!(terms("max(max(a.x), max(b.x))"), ("max(_0, _1)".to_string(), 2));
        assert_eq!(terms("max(max(a.x, b.x))"), ("_0".to_string(), 1));
        assert_eq!(terms("a.x + pi*a.x"), ("_0 + pi*_0".to_string(), 1));
        assert_eq!(terms("at(a.x, 5 ms) - at(a.x, touch) + time(touch)/count(touch)").1, 4);
        let named = measure("peak = max(a.x)").unwrap();
        assert_eq!((named.name.as_str(), named.text.as_str()), ("peak", "max(a.x)"));
    }

    #[test]
    fn messages() {
        let said = |text: &str| measure(text).unwrap_err().to_string();
        assert!(said("max(a.x").contains("not closed"));
        assert!(said("").contains("empty"));
        assert!(said("2*pi").contains("uses no column"));
        assert!(said("mean(a.x, b.x)").contains("needs one formula"));
        assert!(said("max(mean(a.x))").contains("inside of another"));
        assert!(said("at(a.x, 5 kg)").contains("not a time"));
        assert!(said("max(a.x +)").contains("a.x +"));
    }
}
