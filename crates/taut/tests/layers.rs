//! The folders of the engine are layers: what a file uses lies in its own layer or below.
//!
//! The order of the layers is the list in `src/lib.rs`; this test reads the rest from the source.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// All source files below a folder, without those of tests.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().to_string();
        if path.is_dir() && name != "tests" {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") && name != "tests" && name != "conformance" {
            found.push(path);
        }
    }
}

/// A source without its modules of tests, whether they are declared (`mod tests;`) or follow in braces.
fn without_test_modules(source: &str) -> String {
    let (mut kept, mut lines) = (String::new(), source.lines().peekable());
    while let Some(line) = lines.next() {
        let is_module = |next: &&str| next.starts_with("mod ") || next.starts_with("pub(crate) mod ");
        match lines.next_if(|next| line == "#[cfg(test)]" && is_module(next)) {
            Some(module) if module.ends_with(';') => {}
            Some(_) => lines.by_ref().take_while(|line| *line != "}").for_each(drop),
            None => kept.extend([line, "\n"]),
        }
    }
    kept
}

/// A file without comments and without its modules of tests.
fn code(path: &Path) -> String {
    let text = without_test_modules(&fs::read_to_string(path).unwrap());
    text.lines().map(|line| line.split("//").next().unwrap()).collect::<Vec<_>>().join("\n")
}

/// The first names of a list such as `a::{b, c}, d`, with the whole path of each leaf.
fn leaves(tree: &str, prefix: &str, found: &mut Vec<String>) {
    let mut depth = 0;
    let mut start = 0;
    let mut parts = Vec::new();
    for (i, c) in tree.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&tree[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(&tree[start..]);
    for part in parts.into_iter().map(str::trim).filter(|part| !part.is_empty()) {
        match part.split_once('{') {
            Some((head, inner)) => leaves(inner.trim_end().trim_end_matches('}'), &format!("{prefix}{head}"), found),
            None => found.push(format!("{prefix}{part}")),
        }
    }
}

/// The re-exports in the `use` declarations of a text: last and first name of each path.
fn exports(text: &str) -> BTreeMap<String, String> {
    let mut all = Vec::new();
    for statement in text.split(';').map(str::trim) {
        let Some((_, tree)) = statement.split_once("use ").filter(|(head, _)| head.contains("pub")) else { continue };
        leaves(tree, "", &mut all);
    }
    let last = |path: &str| path.rsplit("::").next().unwrap().rsplit(" as ").next().unwrap().trim().to_string();
    all.iter().map(|path| (last(path), path.split("::").next().unwrap().trim().to_string())).collect()
}

/// The first names behind every `crate::` of a text.
fn uses(text: &str) -> BTreeSet<String> {
    let mut found = Vec::new();
    for (at, word) in text.match_indices("crate::") {
        let rest = &text[at + word.len()..];
        if rest.starts_with('{') {
            let end = rest.find(';').unwrap_or(rest.len());
            leaves(rest[..end].trim_start_matches('{').trim_end().trim_end_matches('}'), "", &mut found);
        } else {
            found.push(rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap().to_string());
        }
    }
    let first = |path: String| path.split("::").next().unwrap().split(" as ").next().unwrap().trim().to_string();
    found.into_iter().map(first).filter(|name| !name.is_empty()).collect()
}

#[test]
fn every_layer_uses_only_those_below() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let library = fs::read_to_string(source.join("lib.rs")).unwrap();
    let list = library.lines().find_map(|line| line.strip_prefix("//! Layers, bottom up: ")).expect("a list of layers");
    let layers: Vec<&str> = list.trim_end_matches('.').split(" · ").collect();
    let rank = |name: &str| layers.iter().position(|layer| *layer == name);
    let folders: BTreeSet<String> = fs::read_dir(&source)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().to_string())
        .filter(|name| name != "lib")
        .collect();
    assert_eq!(folders, layers.iter().map(|layer| layer.to_string()).collect(), "the list in lib.rs and the folders");

    let exported = exports(&code(&source.join("lib.rs")));
    let layer_of = |name: &str| {
        let mut name = name.to_string();
        for _ in 0..4 {
            if rank(&name).is_some() {
                break;
            }
            name = exported.get(&name).cloned().unwrap_or(name);
        }
        rank(&name)
    };
    let mut files = Vec::new();
    sources(&source, &mut files);
    let (mut upward, mut downward) = (Vec::new(), 0);
    for file in files.iter().filter(|file| !file.ends_with("src/lib.rs")) {
        let path = file.strip_prefix(&source).unwrap();
        let own = rank(path.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs")).unwrap();
        for name in uses(&code(file)) {
            let Some(used) = layer_of(&name) else { panic!("{}: crate::{name} is in no layer", path.display()) };
            if used > own {
                upward.push(format!("{} uses {name} of {}", path.display(), layers[used]));
            }
            downward += usize::from(used < own);
        }
    }
    assert!(upward.is_empty(), "upward dependencies:\n{}", upward.join("\n"));
    assert!(downward > 300, "only {downward} dependencies found: the test no longer reads the source");
}

#[test]
fn code_after_the_declaration_of_a_test_module_is_read() {
    let source = "#[cfg(test)]\nmod tests;\nuse a;\n#[cfg(test)]\nmod more {\n    use b;\n}\nuse c;\n";
    assert_eq!(without_test_modules(source), "use a;\nuse c;\n");
}
