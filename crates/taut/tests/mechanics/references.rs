//! Every citation `[NameYYYY]` in the sources and documents leads to an entry of `docs/references.bib`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Keys in square brackets, escaped or not: letters, four digits, perhaps one small letter.
fn citations(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (i, _) in text.match_indices('[') {
        let Some(end) = text[i + 1..].find(']') else { continue };
        let key = text[i + 1..i + 1 + end].trim_end_matches('\\');
        let bare = key.strip_suffix(|c: char| c.is_ascii_lowercase()).unwrap_or(key);
        let Some(name) = bare.len().checked_sub(4).and_then(|n| bare.get(..n)) else { continue };
        let year = &bare[name.len()..];
        let proper = name.len() > 1
            && name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.chars().all(|c| c.is_ascii_alphabetic())
            && name.contains(|c: char| c.is_ascii_lowercase())
            && (year.starts_with("19") || year.starts_with("20"))
            && year.chars().all(|c| c.is_ascii_digit());
        if proper {
            found.push(key.to_string());
        }
    }
    found
}

/// Keys of the entries, in their order.
fn entries(bib: &str) -> Vec<String> {
    let entry = |line: &str| {
        let (kind, rest) = line.strip_prefix('@')?.split_once('{')?;
        let key = rest.strip_suffix(',')?;
        kind.chars().all(|c| c.is_ascii_alphabetic()).then(|| key.trim().to_string())
    };
    bib.lines().filter_map(entry).collect()
}

/// All sources and documents of the workspace.
fn files(folder: &Path, list: &mut Vec<PathBuf>) {
    let mut inside: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    inside.sort();
    for path in inside {
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("");
        if path.is_dir() {
            if !name.starts_with('.') && name != "target" && name != "node_modules" {
                files(&path, list);
            }
        } else if path.extension().is_some_and(|e| ["rs", "md", "py", "toml"].iter().any(|x| e == *x)) {
            list.push(path);
        }
    }
}

#[test]
fn every_citation_has_an_entry() {
    let bib = std::fs::read_to_string(root().join("docs/references.bib")).unwrap();
    let known: BTreeSet<String> = entries(&bib).into_iter().collect();
    let mut list = Vec::new();
    files(&root(), &mut list);
    let mut unknown: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut cited = BTreeSet::new();
    for path in &list {
        for key in citations(&std::fs::read_to_string(path).unwrap_or_default()) {
            if !known.contains(&key) {
                unknown.entry(key.clone()).or_default().push(path.display().to_string());
            }
            cited.insert(key);
        }
    }
    assert!(unknown.is_empty(), "not in docs/references.bib: {unknown:#?}");
    assert!(cited.contains("Masarati2010") && cited.len() >= 5, "the sources were not found: {cited:?}");
}

#[test]
fn entries_are_unique_and_whole() {
    let bib = std::fs::read_to_string(root().join("docs/references.bib")).unwrap();
    let keys = entries(&bib);
    let unique: BTreeSet<&String> = keys.iter().collect();
    assert_eq!(unique.len(), keys.len(), "a key is given twice: {keys:?}");
    for (key, entry) in keys.iter().zip(bib.split("\n@").skip(1)) {
        assert!(citations(&format!("[{key}]")) == [key.as_str()], "`{key}` is no key: NameYYYY");
        for field in ["author", "title", "year"] {
            assert!(entry.contains(&format!("\n  {field} ")), "{key} has no {field}");
        }
        let braces = |c: char| entry.chars().filter(|x| *x == c).count();
        assert_eq!(braces('{'), braces('}'), "braces of {key}");
    }
}

#[test]
fn what_counts_as_a_citation() {
    // Split in two, so that this file does not cite a key that does not exist.
    let text =
        ["// see [", "Masarati2010] eq. (8), \\[", "Bauchau2011\\], [f64; 3], [A], [Mode1234], [HAIRER1993], [x]"]
            .concat();
    assert_eq!(citations(&text), ["Masarati2010", "Bauchau2011"]);
}
