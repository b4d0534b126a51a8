//! Suggestions for misspelt names.

/// ` (did you mean …?)` with the closest known name, or an empty string.
pub(crate) fn did_you_mean<'a>(found: &str, known: impl Iterator<Item = &'a str>) -> String {
    let near = known.map(|k| (edit_distance(found, k), k)).min();
    match near {
        Some((d, k)) if d <= 1 + found.chars().count() / 4 => format!(" (did you mean `{k}`?)"),
        _ => String::new(),
    }
}

/// Least number of insertions, deletions, replacements and swaps of neighbours that turn one text into the other.
#[must_use]
pub fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_name() {
        assert_eq!(did_you_mean("crnak", ["rod", "crank"].into_iter()), " (did you mean `crank`?)");
        assert_eq!(did_you_mean("zebra", ["rod", "crank"].into_iter()), "");
    }

    #[test]
    fn distances_of_known_pairs() {
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("sin", "sin"), 0);
        assert_eq!(edit_distance("sqr", "sqrt"), 1);
        assert_eq!(edit_distance("lenght", "length"), 1);
    }
}
