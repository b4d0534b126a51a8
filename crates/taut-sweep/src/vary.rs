//! What `--vary NAME=VALUES` says: a grid `80 mm:120 mm:41`, a list `1 kg, 2 kg`, a range or a distribution.

use crate::design::{Axis, Parameter, Values};
use crate::distribution::Distribution;
use std::path::PathBuf;
use std::sync::Arc;
use taut_io::diagnostic::{Diagnostic, Place, Source};
use taut_io::model::WrittenQuantity;

/// Largest number of values of one grid.
const MAX_GRID: usize = 100_000_000;

/// The values of one parameter.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Variation {
    /// Its values.
    Values(Axis),
    /// Values drawn by a sampling method.
    Sampled(Parameter, Distribution),
}

/// An option of the command line, for messages.
struct VaryOption<'a> {
    text: &'a str,
    name: &'a str,
}

impl VaryOption<'_> {
    /// An error at a piece of the text; at the whole text if the piece is not part of it.
    fn error(&self, piece: &str, message: impl Into<String>) -> Diagnostic {
        let text = format!("--vary {}", self.text);
        let own = self.text.as_ptr() as usize;
        let start = (piece.as_ptr() as usize).checked_sub(own).filter(|s| s + piece.len() <= self.text.len());
        let start = start.unwrap_or(0) + "--vary ".len();
        let span = start..(start + piece.len()).min(text.len());
        let source = Arc::new(Source { path: PathBuf::from("command line"), text });
        let message = format!("--vary {}: {}", self.name, message.into());
        Diagnostic::error(message).at(&Place { source, span })
    }
}

/// Reads one option.
///
/// # Errors
/// A text that describes no values.
pub(crate) fn parse(text: &str) -> Result<Variation, Diagnostic> {
    let forms = "write NAME=FIRST:LAST:COUNT, NAME=\"A, B, C\", NAME=LOW:HIGH or NAME=normal(MEAN, DEVIATION)";
    let Some((name, spec)) = text.split_once('=') else {
        return Err(Diagnostic::error(format!("--vary `{text}` has no `=`")).help(forms));
    };
    let (name, spec) = (name.trim(), spec.trim());
    let option = VaryOption { text, name };
    if name.is_empty() {
        return Err(Diagnostic::error(format!("--vary `{text}` names no parameter")).help(forms));
    }
    if spec.is_empty() {
        return Err(option.error(text, "there are no values").help(forms));
    }
    if let Some(call) = call(spec) {
        return distribution(&option, call);
    }
    let parts = split(spec, ':');
    match parts.as_slice() {
        [_] => list(&option, &split(spec, ',')),
        [low, high] => range(&option, low, high),
        [first, last, count] => grid(&option, first, last, count, Spacing::Linear),
        [first, last, count, spacing] if spacing.trim() == "log" => {
            grid(&option, first, last, count, Spacing::Logarithmic)
        }
        _ => Err(option.error(spec, "a grid has three parts, FIRST:LAST:COUNT, or FIRST:LAST:COUNT:log").help(forms)),
    }
}

/// Distances between the values of a grid.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spacing {
    Linear,
    Logarithmic,
}

/// Pieces between separators outside of brackets, parentheses, braces and quotes, without blanks around them.
fn split(text: &str, separator: char) -> Vec<&str> {
    let (mut depth, mut quoted, mut start, mut pieces) = (0, false, 0, Vec::new());
    for (i, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth -= 1,
            c if c == separator && depth == 0 && !quoted => {
                pieces.push(text[start..i].trim());
                start = i + c.len_utf8();
            }
            _ => {}
        }
    }
    pieces.push(text[start..].trim());
    pieces
}

/// Name and arguments of `name(…)`.
fn call(spec: &str) -> Option<(&str, &str)> {
    let (name, rest) = spec.split_once('(')?;
    let word = !name.is_empty() && name.trim().chars().all(|c| c.is_ascii_alphabetic() || c == '_');
    rest.strip_suffix(')').filter(|inner| word && !inner.contains('(')).map(|inner| (name.trim(), inner))
}

/// A number with its unit.
fn quantity(option: &VaryOption, text: &str) -> Result<WrittenQuantity, Diagnostic> {
    match WrittenQuantity::parse(text) {
        Ok(Some(found)) => Ok(found),
        Ok(None) => Err(option.error(text, format!("`{text}` is not a number with a unit"))),
        Err(why) => Err(option.error(text, why)),
    }
}

/// Numbers in the unit of the first.
fn in_one_unit(option: &VaryOption, texts: &[&str]) -> Result<(String, Vec<f64>), Diagnostic> {
    let found = texts.iter().map(|t| quantity(option, t)).collect::<Result<Vec<_>, _>>()?;
    let Some(first) = found.first() else { return Ok((String::new(), Vec::new())) };
    let mut numbers = Vec::with_capacity(found.len());
    for (q, text) in found.iter().zip(texts) {
        match q.number_in_unit_of(first) {
            Some(x) => numbers.push(x),
            None => {
                let message = format!("`{text}` does not fit `{}`: their units differ", texts[0]);
                return Err(option.error(text, message).help("give both the same unit"));
            }
        }
    }
    Ok((first.unit.clone(), numbers))
}

fn grid(option: &VaryOption, first: &str, last: &str, count: &str, by: Spacing) -> Result<Variation, Diagnostic> {
    let n: usize = match count.trim().parse() {
        Ok(n) if (1..=MAX_GRID).contains(&n) => n,
        Ok(0) => return Err(option.error(count, "the range is empty: it has 0 values")),
        _ => return Err(option.error(count, format!("`{count}` is not a number of values"))),
    };
    let (unit, ends) = in_one_unit(option, &[first, last])?;
    let (a, b) = (ends[0], ends[1]);
    if a == b && n > 1 {
        return Err(option.error(first, format!("the range is empty: it begins and ends at {first}")));
    }
    if a != b && n == 1 {
        return Err(option.error(count, "one value cannot span a range; give at least 2, or a single value"));
    }
    if by == Spacing::Logarithmic && !(a > 0.0 && b > 0.0) {
        return Err(option.error(first, "a logarithmic range must be positive"));
    }
    let value = |i: usize| {
        let fraction = i as f64 / (n - 1).max(1) as f64;
        match by {
            // Both ends exactly.
            _ if i + 1 == n && n > 1 => b,
            Spacing::Linear => a + (b - a) * fraction,
            Spacing::Logarithmic => a * (b / a).powf(fraction),
        }
    };
    Ok(values(option, unit, Values::Numbers((0..n).map(value).collect())))
}

fn list(option: &VaryOption, pieces: &[&str]) -> Result<Variation, Diagnostic> {
    if let Some(empty) = pieces.iter().find(|p| p.is_empty()) {
        return Err(option.error(empty, "the list has an empty entry"));
    }
    let read = pieces.iter().map(|p| WrittenQuantity::parse(p)).collect::<Result<Vec<_>, _>>();
    match read {
        Err(why) => Err(option.error(option.text, why)),
        Ok(found) if found.iter().all(Option::is_some) => {
            let (unit, numbers) = in_one_unit(option, pieces)?;
            Ok(values(option, unit, Values::Numbers(numbers)))
        }
        Ok(_) => {
            let texts = pieces.iter().map(|p| p.to_string()).collect();
            Ok(values(option, String::new(), Values::Texts(texts)))
        }
    }
}

fn range(option: &VaryOption, low: &str, high: &str) -> Result<Variation, Diagnostic> {
    let (unit, ends) = in_one_unit(option, &[low, high])?;
    let uniform = Distribution::new("uniform", &ends).map_err(|why| option.error(low, why))?;
    Ok(Variation::Sampled(Parameter { name: option.name.to_string(), unit }, uniform))
}

fn distribution(option: &VaryOption, (name, inner): (&str, &str)) -> Result<Variation, Diagnostic> {
    let forms: Vec<&str> = Distribution::KINDS.iter().map(|(.., form)| *form).collect();
    let Some((kind, count, form)) = Distribution::KINDS.iter().find(|(kind, ..)| *kind == name) else {
        let message = format!("unknown distribution `{name}`");
        return Err(option.error(name, message).help(format!("known: {}", forms.join(", "))));
    };
    let arguments = split(inner, ',');
    if arguments.len() != *count {
        return Err(option.error(inner, format!("`{name}` needs {count} numbers: {form}")));
    }
    let (unit, numbers) = match (*kind, arguments.as_slice()) {
        // The deviation of a logarithm has no unit.
        ("log_normal", [median, deviation]) => {
            let median = quantity(option, median)?;
            let deviation = quantity(option, deviation)?;
            if !deviation.unit.is_empty() {
                return Err(option.error(arguments[1], "the deviation of the logarithm has no unit"));
            }
            (median.unit, vec![median.number, deviation.number])
        }
        (_, all) => in_one_unit(option, all)?,
    };
    let found = Distribution::new(kind, &numbers).map_err(|why| option.error(inner, why))?;
    Ok(Variation::Sampled(Parameter { name: option.name.to_string(), unit }, found))
}

fn values(option: &VaryOption, unit: String, values: Values) -> Variation {
    let parameter = Parameter { name: option.name.to_string(), unit };
    Variation::Values(Axis { parameters: vec![parameter], values: vec![values] })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> (String, Vec<f64>) {
        match parse(text).unwrap_or_else(|e| panic!("{e}")) {
            Variation::Values(Axis { parameters, values }) => match &values[0] {
                Values::Numbers(x) => (parameters[0].unit.clone(), x.clone()),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn grids_and_lists() {
        assert_eq!(numbers("crank=80 mm:120 mm:5"), ("mm".to_string(), vec![80.0, 90.0, 100.0, 110.0, 120.0]));
        assert_eq!(numbers("a=8 cm:120 mm:2"), ("cm".to_string(), vec![8.0, 12.0]));
        assert_eq!(numbers("rocker.mass=1 kg, 2 kg"), ("kg".to_string(), vec![1.0, 2.0]));
        assert_eq!(numbers("k=1:100:3:log"), (String::new(), vec![1.0, 10.0, 100.0]));
        assert_eq!(numbers("a=-1:1:3").1, [-1.0, 0.0, 1.0]);
        assert_eq!(numbers("a=0.1:0.7:7").1[6], 0.7);
        let texts = parse("gravity=[0, 0, -9.81], [0, 0, -1.6]").unwrap();
        let Variation::Values(Axis { values, .. }) = texts else { panic!() };
        assert_eq!(values[0], Values::Texts(vec!["[0, 0, -9.81]".to_string(), "[0, 0, -1.6]".to_string()]));
    }

    #[test]
    fn ranges_and_distributions_are_sampled() {
        let Ok(Variation::Sampled(p, d)) = parse("a=normal(100 mm, 0.01 cm)") else { panic!() };
        assert_eq!((p.unit.as_str(), d), ("mm", Distribution::Normal { mean: 100.0, deviation: 0.1 }));
        assert!(matches!(parse("a=1:2"), Ok(Variation::Sampled(_, Distribution::Uniform { low: 1.0, high: 2.0 }))));
    }

    #[test]
    fn messages() {
        let said = |text: &str| parse(text).unwrap_err().to_string();
        assert!(said("crank").contains("has no `=`"));
        assert!(said("a=").contains("no values"));
        assert!(said("a=1:2:0").contains("the range is empty"));
        assert!(said("a=2:2:5").contains("the range is empty"));
        assert!(said("a=2:1").contains("the range is empty"));
        assert!(said("a=80 mm:120 kg:5").contains("their units differ"));
        assert!(said("a=80:120 mm:5").contains("their units differ"));
        assert!(said("a=80 mn:120 mm:5").contains("unknown unit `mn`"));
        assert!(said("a=1:2:x").contains("not a number of values"));
        assert!(said("a=1,,2").contains("empty entry"));
        assert!(said("a=gauss(1, 2)").contains("unknown distribution `gauss`"));
        assert!(said("a=normal(1)").contains("needs 2 numbers"));
        let caret = said("a=80 mm:120 kg:5");
        assert!(caret.contains("command line:1:16"), "{caret}");
    }
}
