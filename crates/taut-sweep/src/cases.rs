//! Cases from a CSV file: a column per parameter, a line per case.

use crate::csv;
use crate::design::{Axis, Parameter, Values};
use crate::request::Cases;
use std::sync::Arc;
use taut_io::diagnostic::{Diagnostic, Place, Source};
use taut_io::model::WrittenQuantity;

/// The axis of a file of cases. The first line has the names; a unit may follow in brackets, `crank [mm]`.
///
/// # Errors
/// Lines without the right number of values, or values that cannot be read.
pub(crate) fn axis(cases: &Cases) -> Result<Axis, Diagnostic> {
    let source = Arc::new(Source { path: cases.path.clone(), text: cases.text.clone() });
    let at = |start: usize, length: usize| Place { source: source.clone(), span: start..start + length.max(1) };
    let mut lines = Vec::new();
    let mut start = 0;
    for line in cases.text.split_inclusive('\n') {
        let bare = line.trim_end_matches(['\n', '\r']);
        if !bare.trim().is_empty() && !bare.starts_with('#') {
            let Some(fields) = csv::fields(bare) else {
                return Err(Diagnostic::error("a quoted value does not end").at(&at(start, bare.len())));
            };
            let trimmed = |(o, f): (usize, String)| (start + o, f.trim().to_string());
            lines.push((start, bare.len(), fields.into_iter().map(trimmed).collect::<Vec<_>>()));
        }
        start += line.len();
    }
    let mut lines = lines.into_iter();
    let Some((_, _, head)) = lines.next() else {
        let message = format!("{} has no cases: it is empty", cases.path.display());
        return Err(Diagnostic::error(message).help("the first line has the names of the parameters"));
    };
    let mut parameters = Vec::with_capacity(head.len());
    for (offset, name) in &head {
        let (name, unit) = match name.split_once('[') {
            Some((name, unit)) => (name.trim(), unit.trim_end_matches(']').trim()),
            None => (name.as_str(), ""),
        };
        if name.is_empty() {
            let help = "the first line has the names of the parameters";
            return Err(Diagnostic::error("a column has no name").at(&at(*offset, 1)).help(help));
        }
        parameters.push(Parameter { name: name.to_string(), unit: unit.to_string() });
    }
    let mut columns: Vec<Vec<String>> = vec![Vec::new(); head.len()];
    for (start, length, line) in lines {
        if line.len() != head.len() {
            let missing = head.get(line.len()).map(|(_, name)| format!("; column `{name}` is missing"));
            let message = format!("this line has {} values, but there are {} columns", line.len(), head.len())
                + &missing.unwrap_or_default();
            return Err(Diagnostic::error(message).at(&at(start, length)));
        }
        for ((column, (offset, value)), (_, name)) in columns.iter_mut().zip(line).zip(&head) {
            if value.is_empty() {
                return Err(Diagnostic::error(format!("column `{name}` has no value here")).at(&at(offset, 1)));
            }
            if let Err(why) = WrittenQuantity::parse(&value) {
                return Err(Diagnostic::error(why).at(&at(offset, value.len())));
            }
            column.push(value);
        }
    }
    if columns.iter().all(Vec::is_empty) {
        let message = format!("{} has no cases, only the names of its columns", cases.path.display());
        return Err(Diagnostic::error(message));
    }
    let values = parameters.iter_mut().zip(columns).map(|(p, column)| values(p, column)).collect();
    Ok(Axis { parameters, values })
}

/// Numbers if all values fit one unit, otherwise texts.
fn values(parameter: &mut Parameter, column: Vec<String>) -> Values {
    let unit =
        |text: &String| if parameter.unit.is_empty() { text.clone() } else { format!("{text} {}", parameter.unit) };
    let read = |text: &String| WrittenQuantity::parse(text).ok().flatten();
    let found: Option<Vec<WrittenQuantity>> = column
        .iter()
        .map(|text| match read(text) {
            // A value may have a unit of its own.
            Some(q) if q.unit.is_empty() => read(&unit(text)),
            other => other,
        })
        .collect();
    let in_unit = found.as_ref().and_then(|found| {
        let first = found.first()?;
        Some((first.unit.clone(), found.iter().map(|q| q.number_in_unit_of(first)).collect::<Option<Vec<f64>>>()?))
    });
    match in_unit {
        Some((unit, numbers)) => {
            parameter.unit = unit;
            Values::Numbers(numbers)
        }
        None => {
            let texts =
                column.iter().map(|t| if read(t).is_some_and(|q| q.unit.is_empty()) { unit(t) } else { t.clone() });
            let texts = texts.collect();
            parameter.unit.clear();
            Values::Texts(texts)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Axis, Diagnostic> {
        axis(&Cases { path: "cases.csv".into(), text: text.to_string() })
    }

    #[test]
    fn columns_are_parameters() {
        let axis =
            of("crank [mm], rocker.mass,settings.method\n80,1 kg,dop853\r\n# comment\n\n120, 500 g ,rk4\n").unwrap();
        let names: Vec<&str> = axis.parameters.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["crank", "rocker.mass", "settings.method"]);
        assert_eq!(axis.parameters[1].unit, "kg");
        assert_eq!(axis.values[0], Values::Numbers(vec![80.0, 120.0]));
        assert_eq!(axis.values[1], Values::Numbers(vec![1.0, 0.5]));
        assert_eq!(axis.values[2], Values::Texts(vec!["dop853".to_string(), "rk4".to_string()]));
    }

    #[test]
    fn errors_have_their_line() {
        let said = |text: &str| of(text).unwrap_err().to_string();
        let missing = said("a,b\n1,2\n3\n");
        assert!(missing.contains("column `b` is missing") && missing.contains("cases.csv:3:1"), "{missing}");
        assert!(said("a,b\n1,\n").contains("cases.csv:2:3"));
        assert!(said("a,,b\n1,2,3\n").contains("has no name"));
        assert!(said("a\n1 mn\n").contains("unknown unit"));
        assert!(said("").contains("empty"));
        assert!(said("a\n").contains("no cases"));
        assert!(said("a\n\"1\n").contains("does not end"));
    }
}
