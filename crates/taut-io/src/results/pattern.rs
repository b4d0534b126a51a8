//! Names with `*` for anything, by which `outputs.only` chooses columns.

/// Whether a name fits a pattern.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        // The earliest place leaves most for what follows.
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// The patterns that fit no column: most likely misspelt.
pub fn unmatched<'p>(only: &'p [String], table: &taut::Table) -> Vec<&'p str> {
    let fits_none = |p: &&String| !table.columns().iter().any(|c| matches(p, &c.name));
    only.iter().filter(fits_none).map(String::as_str).collect()
}

/// Which of these names are kept: the first (the time) always, all if there are no patterns.
pub(crate) fn matching_columns<'a>(only: &[String], names: impl Iterator<Item = &'a str>) -> Vec<usize> {
    let keep = |i: usize, name: &str| i == 0 || only.is_empty() || only.iter().any(|p| matches(p, name));
    names.enumerate().filter(|(i, name)| keep(*i, name)).map(|(i, _)| i).collect()
}

#[cfg(test)]
mod tests {
    use super::{matches, matching_columns};

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, name) in [("hinge.f*", "hinge.fx_j"), ("*", ""), ("a*b*c", "a-b-b-c"), ("rod.x", "rod.x")] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("hinge.f", "hinge.fx"), ("a*b", "ab-"), ("ab*ba", "aba"), ("", "x")] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
        let only = ["b*".to_string()];
        assert_eq!(matching_columns(&only, ["t", "a", "b", "bc"].into_iter()), [0, 2, 3]);
        assert_eq!(matching_columns(&[], ["t", "a"].into_iter()), [0, 1]);
    }
}
