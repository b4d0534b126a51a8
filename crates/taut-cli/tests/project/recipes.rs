//! The recipes of CONTRIBUTING.md, applied to a copy of the source.
//!
//! A recipe is a block with the new file and the lines it needs elsewhere; the next block is the new file. Every recipe needs
//! exactly two lines. All of them together must compile.

use super::{files, root, text};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The tables, each with the text after which a line is inserted.
const TABLES: &[(&str, &str)] = &[
    ("crates/taut/src/elements/bodies/kind.rs", "\nbody_kinds! { $\n"),
    ("crates/taut/src/elements/constraints/mod.rs", "\nconstraint_kinds! {\n    model_file {\n"),
    ("crates/taut/src/elements/forces/mod.rs", "\nforce_kinds! {\n    model_file {\n"),
    ("crates/taut/src/solvers/formulations/mod.rs", "\nformulations! {\n"),
    ("crates/taut/src/solvers/drift/mod.rs", "\ndrift_controls! {\n"),
    ("crates/taut-ode/src/method.rs", "\nmethods! {\n    explicit {\n"),
    ("crates/taut-cli/src/commands/mod.rs", "\nsubcommands! {\n"),
];

/// A recipe of CONTRIBUTING.md.
#[derive(Debug)]
struct Recipe {
    section: String,
    file: String,
    code: String,
    /// File and line, for each line elsewhere.
    lines: Vec<(String, String)>,
}

/// The blocks of code of a section.
fn blocks(section: &str) -> Vec<&str> {
    let inside = section.split("```").skip(1).step_by(2);
    inside.map(|block| block.split_once('\n').unwrap().1).collect()
}

/// The new file: the declarations of an example, with paths of the crate itself. An example ends with its use.
fn file_of(example: &str) -> String {
    let uses = ["\nlet ", "\n// A unit mass"];
    let end = uses.iter().filter_map(|mark| example.find(mark)).min().unwrap_or(example.len());
    let code = example[..end].replace("use taut::", "use crate::").replace("\nstruct ", "\npub struct ");
    code.replace("#[derive(Clone, Debug)]", "#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]")
}

fn recipes() -> Vec<Recipe> {
    let page = text(&root().join("CONTRIBUTING.md"));
    let mut found = Vec::new();
    for section in page.split("\n## ").filter(|s| s.starts_with("Add ") && !s.starts_with("Add a kind of")) {
        let blocks = blocks(section);
        let Some(at) = blocks.iter().position(|block| block.starts_with("file  ")) else { continue };
        let (mut file, mut lines) = (String::new(), Vec::new());
        for line in blocks[at].lines() {
            let (what, rest) = line.split_once("  ").unwrap();
            let (path, rest) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
            match what {
                "file" => file = path.to_string(),
                "line" => lines.push((path.to_string(), rest.trim().to_string())),
                _ => panic!("neither a file nor a line: {line}"),
            }
        }
        let title = section.lines().next().unwrap().to_string();
        found.push(Recipe { section: title, file, code: file_of(blocks[at + 1]), lines });
    }
    found
}

/// A source with one more line: declarations of modules before the first one, other lines at the head of the table.
fn with_line(path: &str, source: &str, line: &str) -> String {
    let at = if line.ends_with(';') && (line.starts_with("mod ") || line.starts_with("pub mod ")) {
        ["\nmod ", "\npub mod "].iter().filter_map(|m| source.find(m)).min().expect("a list of modules") + 1
    } else {
        let (_, head) = TABLES.iter().find(|(file, _)| *file == path).unwrap_or_else(|| panic!("no table in {path}"));
        source.find(head).unwrap_or_else(|| panic!("{path} has no `{}`", head.trim())) + head.len()
    };
    format!("{}{line}\n{}", &source[..at], &source[at..])
}

/// Everything that the command is built from, without its tests.
fn sources() -> BTreeMap<String, PathBuf> {
    let root = root();
    let mut all: Vec<PathBuf> =
        ["Cargo.toml", "Cargo.lock", "README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md"]
            .iter()
            .map(|name| root.join(name))
            .collect();
    all.extend(["crates", "models", "docs"].iter().flat_map(|folder| files(&root.join(folder))));
    let name = |path: &Path| path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
    all.into_iter().map(|path| (name(&path), path)).filter(|(name, _)| !name.contains("/tests/broken/")).collect()
}

/// Writes a file only if it changes, so that a second run compiles little.
fn put(path: &Path, content: &[u8]) {
    if fs::read(path).is_ok_and(|old| old == content) {
        return;
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

#[test]
fn a_new_kind_is_one_file_and_two_lines_elsewhere() {
    let recipes = recipes();
    let titles: Vec<&str> = recipes.iter().map(|r| r.section.as_str()).collect();
    for kind in ["body", "joint", "force", "formulation", "drift control", "integrator", "command"] {
        assert!(titles.iter().any(|title| title.contains(kind)), "no recipe for a {kind}: {titles:?}");
    }
    for recipe in &recipes {
        assert_eq!(recipe.lines.len(), 2, "{recipe:?}");
        assert!(!root().join(&recipe.file).exists(), "{} is no new file", recipe.file);
        for (path, line) in &recipe.lines {
            let new = with_line(path, &text(&root().join(path)), line);
            assert_eq!(new.lines().count(), text(&root().join(path)).lines().count() + 1);
        }
    }
}

/// `TAUT_RECIPES=none` leaves it out.
#[test]
fn the_recipes_compile() {
    if std::env::var("TAUT_RECIPES").is_ok_and(|value| value == "none") {
        return;
    }
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recipes");
    let (sources, recipes) = (sources(), recipes());
    let touched = |name: &str| recipes.iter().any(|r| r.lines.iter().any(|(path, _)| path == name));
    for (name, path) in sources.iter().filter(|(name, _)| !touched(name)) {
        put(&copy.join(name), &fs::read(path).unwrap());
    }
    for name in sources.keys().filter(|name| touched(name)) {
        let mut source = text(&sources[name]);
        for (_, line) in recipes.iter().flat_map(|r| &r.lines).filter(|(path, _)| path == name) {
            source = with_line(name, &source, line);
        }
        put(&copy.join(name), source.as_bytes());
    }
    for recipe in &recipes {
        put(&copy.join(&recipe.file), recipe.code.as_bytes());
    }
    // What was deleted since the last run must not stay in the copy.
    let kept = |name: &str| sources.contains_key(name) || recipes.iter().any(|r| r.file == name);
    for path in files(&copy) {
        let name = path.strip_prefix(&copy).unwrap().to_string_lossy().replace('\\', "/");
        if !kept(&name) {
            fs::remove_file(&path).unwrap();
        }
    }
    // A folder of its own: cargo would take the copy's packages for those of the project, whose paths are the same.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recipes-target");
    let checked = Command::new(env!("CARGO"))
        .args(["check", "--offline", "--quiet", "-p", "taut-cli"])
        .current_dir(&copy)
        .env("CARGO_TARGET_DIR", target)
        .env("TAUT_PAGE", "none")
        .output()
        .unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}
