//! Private words that readers would have to guess must not occur in names, messages, help or pages.
//!
//! The glossary (`docs/glossary.md`) has the words to use instead.

use super::{files, root, text, without_test_modules};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Words and phrases that do not occur anywhere, with the usual term.
const BANNED: &[(&str, &str)] = &[
    ("deed", "action"),
    ("deeds", "actions"),
    ("happening", "event"),
    ("happenings", "events"),
    ("outlook", "prediction"),
    ("patience", "limit"),
    ("seize", "stick, lock"),
    ("seizes", "sticks, locks"),
    ("seized", "stuck, locked"),
    ("astray", "off, mismatch"),
    ("toilsome", "slow, costly"),
    ("rings", "fires; ring buffers for storage"),
    ("march", "contact method, time stepping"),
    ("goes nowhere", "has no effect, makes no progress"),
    ("by the clock on the wall", "wall-clock time"),
];

/// Words that do not occur in messages and pages; the code may use them for local names.
const BANNED_IN_TEXT: &[(&str, &str)] = &[("told", "reported, named, given")];

/// Words that are no names of types, functions and variables; comments may use them.
const BANNED_NAMES: &[(&str, &str)] = &[
    ("told", "notified, causes, note"),
    ("asked", "requested, named, wanted"),
    ("grain", "resolution"),
    ("steers", "coordinate velocity"),
    ("pace", "step control, batch of steps, frame rate"),
    ("actor", "node of the scene graph"),
    ("answers", "solutions; the Delassus operator"),
    ("alarm", "guard"),
];

/// Where a word may stay, and why.
const ALLOWED: &[(&str, &str, &str)] = &[
    ("CONTRIBUTING.md", "told", "an example of what to avoid"),
    ("CONTRIBUTING.md", "rings", "an example of what to avoid"),
    ("CONTRIBUTING.md", "by the clock on the wall", "an example of what to avoid"),
    ("crates/taut-io/src/model/upgrade.rs", "march", "a keyword of format 1"),
    ("crates/taut-io/src/model/upgrade/tests.rs", "march", "a keyword of format 1"),
    ("crates/taut-io/tests/reading/upgrade.rs", "march", "a keyword of format 1"),
    ("crates/taut-cli/tests/command/models.rs", "pace", "a keyword of format 1"),
    ("crates/taut-io/tests/reading/upgrade.rs", "pace", "a keyword of format 1"),
    ("viewer/src/math/tube.ts", "rings", "the rings of a tube"),
    ("viewer/src/scene/coils.ts", "rings", "the rings of a coil"),
    ("viewer/src/scene/places.ts", "rings", "rings of points about a click"),
    ("viewer/tests/unit/tube.test.ts", "rings", "the rings of a tube"),
    ("crates/taut-io/src/results/timestamp.rs", "march", "the month"),
    ("bench/peers.py", "march", "an option of the C++ compiler"),
];

/// The words of a text, in lower case; `camelCase` and `snake_case` names are taken apart.
fn words(text: &str) -> BTreeSet<String> {
    let (mut found, mut word, mut last) = (BTreeSet::new(), String::new(), ' ');
    for c in text.chars().chain([' ']) {
        if !c.is_alphabetic() || (c.is_uppercase() && last.is_lowercase()) {
            found.insert(std::mem::take(&mut word));
        }
        if c.is_alphabetic() {
            word.extend(c.to_lowercase());
        }
        last = c;
    }
    found
}

/// The banned words in a text. Line breaks and comment marks do not hide a phrase.
fn banned(text: &str, list: &[(&'static str, &'static str)]) -> Vec<(&'static str, &'static str)> {
    let words = words(text);
    let flat = text.to_lowercase().replace('/', " ").split_whitespace().collect::<Vec<_>>().join(" ");
    let occurs = |word: &str| if word.contains(' ') { flat.contains(word) } else { words.contains(word) };
    list.iter().copied().filter(|(word, _)| occurs(word)).collect()
}

/// The string literals of a Rust source without its tests; doc comments too, which are the help of the command.
fn messages(source: &str) -> String {
    let code = without_test_modules(source);
    let mut found = String::new();
    for line in code.lines() {
        match line.trim_start().strip_prefix("///") {
            Some(comment) => found.push_str(comment),
            None => line.split('"').skip(1).step_by(2).for_each(|literal| found.push_str(literal)),
        }
        found.push('\n');
    }
    // A literal over several lines: a line without quotation marks that ends in a backslash.
    let inside = code.lines().filter(|line| line.ends_with('\\') && line.matches('"').count() != 2);
    inside.for_each(|line| found.push_str(line));
    found
}

/// A source without comments and literals: names and keywords.
fn names(source: &str) -> String {
    let quote = |c: char| ['"', '`'].contains(&c);
    let code = |line: &str| {
        let line = if line.trim_start().starts_with('*') { "" } else { line.split("//").next().unwrap_or_default() };
        line.split(quote).step_by(2).collect::<Vec<_>>().join(" ")
    };
    source.lines().map(|line| code(line) + "\n").collect()
}

/// One line per banned word in a file.
fn report(name: &str, found: Vec<(&'static str, &'static str)>, all: &mut Vec<String>) {
    for (word, instead) in found {
        if !ALLOWED.iter().any(|(file, allowed, _)| *file == name && *allowed == word) {
            all.push(format!("{name}: `{word}`; usual: {instead}"));
        }
    }
}

#[test]
fn no_private_words_in_code_models_and_pages() {
    let root = root();
    let mut all = Vec::new();
    // Packages link to files of the project, which are read where they are.
    let own = |path: &std::path::PathBuf| !path.ancestors().any(std::path::Path::is_symlink);
    for path in files(&root).into_iter().filter(own) {
        let name = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
        let kind = path.extension().unwrap_or_default().to_string_lossy().to_string();
        // This list itself, and files in the keywords of format 1.
        if path.ends_with("project/words.rs") || name.contains("/format_1/") {
            continue;
        }
        match kind.as_str() {
            "rs" => {
                let source = text(&path);
                report(&name, banned(&source, BANNED), &mut all);
                report(&name, banned(&names(&source), BANNED_NAMES), &mut all);
                if name.contains("/src/") && !name.contains("/tests") {
                    report(&name, banned(&messages(&source), BANNED_IN_TEXT), &mut all);
                }
            }
            "ts" | "mjs" => {
                let source = text(&path);
                report(&name, banned(&source, BANNED), &mut all);
                report(&name, banned(&names(&source), BANNED_NAMES), &mut all);
            }
            "py" | "sh" => report(&name, banned(&text(&path), BANNED), &mut all),
            "md" | "toml" | "txt" => {
                report(&name, banned(&text(&path), &[BANNED, BANNED_IN_TEXT].concat()), &mut all);
            }
            _ => {}
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn no_private_words_in_help() {
    let help = |words: &[&str]| {
        let out = Command::new(env!("CARGO_BIN_EXE_taut")).args(words).arg("--help").output().unwrap();
        String::from_utf8(out.stdout).unwrap()
    };
    let top = help(&[]);
    let list = top.split("Commands:\n").nth(1).unwrap().lines().take_while(|line| !line.is_empty());
    let commands: Vec<&str> = list.filter_map(|line| line.split_whitespace().next()).filter(|c| *c != "help").collect();
    assert!(commands.len() > 20, "{top}");
    let mut all = Vec::new();
    report("taut --help", banned(&top, &[BANNED, BANNED_IN_TEXT].concat()), &mut all);
    for command in commands {
        let name = format!("taut {command} --help");
        report(&name, banned(&help(&[command]), &[BANNED, BANNED_IN_TEXT].concat()), &mut all);
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn words_are_taken_apart() {
    let found = words("fn what_is_told(x: SlowMarch) { \"rings\" }");
    assert!(["told", "march", "rings", "slow"].iter().all(|w| found.contains(*w)), "{found:?}");
    assert!(!words("strings, marching").contains("rings"));
    assert_eq!(banned("measured by the clock\n/// on the wall", BANNED).len(), 1);
    let found = words(&names("/** was asked */\n * told\nlet old_pace = \"grain\"; // alarm\nwhatIsAsked()"));
    assert!(["pace", "asked"].iter().all(|w| found.contains(*w)), "{found:?}");
    assert!(!["told", "grain", "alarm"].iter().any(|w| found.contains(*w)), "{found:?}");
    assert!(ALLOWED.iter().all(|(file, _, reason)| Path::new(&root().join(file)).exists() && !reason.is_empty()));
}
