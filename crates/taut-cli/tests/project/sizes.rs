//! Short files, and one definition for each name of a type.

use super::{files, root, text, without_test_modules};
use std::collections::BTreeMap;
use std::path::Path;

/// Longest source file and longest file of tests, checks or benchmarks, in lines.
const LONGEST: [usize; 2] = [400, 500];

/// Type names that a crate defines more than once, and why.
const REPEATED_NAMES: &[(&str, &str)] = &[
    ("Arguments", "of each command: the table of commands names them by their file"),
    ("Control", "of each drift control: the table of controls names them by their file"),
];

/// Whether a file belongs to tests, checks or benchmarks.
fn is_test(path: &Path) -> bool {
    path.iter().any(|part| ["tests", "tests.rs", "test", "checks", "bench"].iter().any(|name| part == *name))
}

#[test]
fn source_files_have_at_most_400_lines_and_tests_500() {
    let root = root();
    let mut long = Vec::new();
    let mut read = 0;
    for path in files(&root) {
        let name = path.strip_prefix(&root).unwrap();
        let language = name.extension().and_then(|e| e.to_str()).unwrap_or_default();
        if !["rs", "ts", "js", "mjs", "css", "py", "c", "h", "cpp", "hpp", "f90"].contains(&language) {
            continue;
        }
        read += 1;
        let (lines, most) = (text(&path).lines().count(), LONGEST[usize::from(is_test(name))]);
        if lines > most {
            long.push(format!("{}: {lines} lines, at most {most}", name.display()));
        }
    }
    assert!(read > 1000, "only {read} files were read");
    assert!(long.is_empty(), "split these files:\n{}", long.join("\n"));
}

/// The names of the types that a text defines at the top of a module.
fn defined_types(text: &str) -> Vec<&str> {
    let name = |line: &'_ str| -> Option<usize> {
        let keyword = ["struct ", "enum ", "trait ", "union "].iter().find_map(|word| {
            let at = line.find(word)?;
            let before = line[..at].trim();
            (before.is_empty() || before.starts_with("pub") || before == "unsafe").then_some(at + word.len())
        })?;
        (!line.starts_with(' ')).then_some(keyword)
    };
    let end = |rest: &str| rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    text.lines().filter_map(|line| name(line).map(|at| &line[at..at + end(&line[at..])])).collect()
}

#[test]
fn a_crate_defines_each_type_name_once() {
    let mut types = 0;
    for folder in std::fs::read_dir(root().join("crates")).unwrap() {
        let folder = folder.unwrap().path();
        let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for path in files(&folder.join("src")) {
            if path.extension().is_none_or(|e| e != "rs") || is_test(path.strip_prefix(&folder).unwrap()) {
                continue;
            }
            let content = without_test_modules(&text(&path));
            for name in defined_types(&content) {
                types += 1;
                let place = path.strip_prefix(&folder).unwrap().display().to_string();
                places.entry(name.to_string()).or_default().push(place);
            }
        }
        places.retain(|name, at| at.len() > 1 && !REPEATED_NAMES.iter().any(|(allowed, _)| allowed == name));
        assert!(places.is_empty(), "{}: {places:#?}", folder.display());
    }
    assert!(types > 1000, "only {types} types were found");
}

#[test]
fn definitions_of_types_are_recognised() {
    let source = "pub(crate) struct A<T>(T);\n/// struct B\nenum C {\n    D,\n}\nimpl A {}\nfn f() {\n    struct E;\n}\n\
                  pub trait F: A {\n}\n#[cfg(test)]\nmod tests {\nstruct G;\n}\n";
    assert_eq!(defined_types(&without_test_modules(source)), ["A", "C", "F"]);
}

#[test]
fn code_after_the_declaration_of_a_test_module_is_read() {
    let source = "use a;\n#[cfg(test)]\nmod tests;\nstruct A;\n#[cfg(test)]\npub(crate) mod rig {\n    struct B;\n}\nstruct C;\n\
                  #[cfg(test)]\nmod tests {\n    struct D;\n}\n";
    assert_eq!(without_test_modules(source), "use a;\nstruct A;\nstruct C;\n");
}
