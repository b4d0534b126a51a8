//! Constants, and suggestions for unknown names.

use super::ParseError;
use super::functions::Function;
use crate::common::spelling::edit_distance;

/// The named constants.
const CONSTANTS: [(&str, f64); 2] = [("pi", std::f64::consts::PI), ("e", std::f64::consts::E)];

/// Names from other languages that are too far from ours for the edit distance.
const NAMES_OF_OTHER_LANGUAGES: [(&str, &str); 4] =
    [("log", "'ln' (natural) or 'log10'"), ("pow", "'^', as in x^2"), ("fabs", "'abs'"), ("if", "'if_pos'")];

pub(super) fn constant(name: &str) -> Option<f64> {
    let (_, value) = CONSTANTS.iter().find(|(known, _)| *known == name)?;
    Some(*value)
}

/// The error for an unknown name, with the closest known one.
pub(super) fn unknown_name_error(name: &str, position: usize, variables: &[&str]) -> ParseError {
    let listed: Vec<String> = variables.iter().map(|v| format!("'{v}'")).collect();
    let expected = match listed.as_slice() {
        [] => "a number, a constant or a function".to_string(),
        [one] => format!("the variable {one}, a constant or a function"),
        many => format!("a variable ({}), a constant or a function", many.join(", ")),
    };
    ParseError::UnknownName { position, name: name.to_string(), expected, suggestion: suggestion(name, variables) }
}

fn suggestion(name: &str, variables: &[&str]) -> Option<String> {
    let lower = name.to_lowercase();
    let known = variables.iter().copied();
    let known = known.chain(CONSTANTS.iter().map(|(constant, _)| *constant));
    let known = known.chain(Function::ALL.iter().map(|function| function.name()));
    // In a short name one wrong letter is already a large part.
    let tolerance = match lower.chars().count() {
        0..=1 => 0,
        2..=3 => 1,
        _ => 2,
    };
    let close = known
        .map(|candidate| (edit_distance(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= tolerance)
        .min_by_key(|(distance, _)| *distance);
    let foreign = NAMES_OF_OTHER_LANGUAGES.iter().find(|(foreign, _)| *foreign == lower);
    match (foreign, close) {
        (_, Some((0, candidate))) => Some(format!("'{candidate}'")),
        (Some((_, ours)), _) => Some(ours.to_string()),
        (None, Some((_, candidate))) => Some(format!("'{candidate}'")),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_and_foreign_names_are_suggested() {
        let suggest = |name| suggestion(name, &["t"]);
        assert_eq!(suggest("sinn").as_deref(), Some("'sin'"));
        assert_eq!(suggest("PI").as_deref(), Some("'pi'"));
        assert_eq!(suggest("T").as_deref(), Some("'t'"));
        assert_eq!(suggest("arctan").as_deref(), Some("'atan'"));
        assert_eq!(suggest("log").as_deref(), Some("'ln' (natural) or 'log10'"));
        assert_eq!(suggest("velocity"), None);
    }
}
