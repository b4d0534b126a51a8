//! Loads files and the files they include.

use super::super::imports;
use super::super::node::{self, Entry, Node, Table, Value};
use super::super::upgrade::{self, FORMAT};
use super::super::vocabulary::TOP;
use super::Section;
use crate::diagnostic::{Diagnostic, Place, Source, did_you_mean};
use crate::regular_file;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How deeply files may include each other.
const MAX_INCLUDE_DEPTH: usize = 32;

pub(super) fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// A file as a tree, merged with the files that it includes; its own entries take precedence.
pub(super) fn load(
    text: &str,
    path: &Path,
    stack: &mut Vec<PathBuf>,
    findings: &mut Vec<Diagnostic>,
) -> Option<(Table, Vec<imports::ImportedRobot>)> {
    let source = Arc::new(Source { path: path.to_path_buf(), text: text.to_string() });
    let mut root = match node::parse(&source) {
        Ok(root) => root,
        Err(mut errors) => {
            findings.append(&mut errors);
            return None;
        }
    };
    if let Some(mut outdated) = outdated(&root) {
        findings.append(&mut outdated);
        return None;
    }
    let mut imported = Vec::new();
    let Some(Entry { node: list, .. }) = root.take("include") else { return Some((root, imported)) };
    let files = match &list.value {
        Value::List(files) => files.clone(),
        _ => vec![list],
    };
    let own: Vec<String> = root
        .get("params")
        .and_then(Node::table)
        .map(|t| t.0.iter().map(|e| e.key.clone()).collect())
        .unwrap_or_default();
    for file in files {
        let Some(name) = file.text() else {
            findings.push(Diagnostic::error("expected the name of a file to include").at(&file.place));
            continue;
        };
        let Some((text, full)) = open(name, path, &file.place, stack, findings) else { continue };
        if let Some(read) = imports::reader(&full) {
            match read(&text, &full) {
                Ok(found) => imported.push(found),
                Err(finding) => findings.push(finding),
            }
            continue;
        }
        stack.push(canonical(&full));
        if let Some((other, mut more)) = load(&text, &full, stack, findings) {
            check_top(&other, findings);
            merge(&mut root, other, &own, findings);
            imported.append(&mut more);
        }
        stack.pop();
    }
    Some((root, imported))
}

/// What is wrong with a file of format 1, or with keywords of that format in a later one.
fn outdated(root: &Table) -> Option<Vec<Diagnostic>> {
    let version = root.get("taut").filter(|n| matches!(n.value, Value::Number(1.0)));
    let version = version.map(|n| {
        let message = format!("this file has format 1; this program reads format {FORMAT}");
        Diagnostic::error(message).at(&n.place).help(upgrade::convert(&n.place))
    });
    let found: Vec<Diagnostic> = version.into_iter().chain(upgrade::old_keywords(root)).collect();
    (!found.is_empty()).then_some(found)
}

/// The text of a file named in `from`.
pub(super) fn open(
    name: &str,
    from: &Path,
    place: &Place,
    stack: &[PathBuf],
    findings: &mut Vec<Diagnostic>,
) -> Option<(String, PathBuf)> {
    let full = from.parent().unwrap_or(Path::new("")).join(name);
    if stack.contains(&canonical(&full)) {
        let chain: Vec<String> =
            stack.iter().map(|p| p.file_name().unwrap_or_default().to_string_lossy().into_owned()).collect();
        let message = format!("`{name}` includes itself: {} → {name}", chain.join(" → "));
        findings.push(Diagnostic::error(message).at(place));
        return None;
    }
    if stack.len() > MAX_INCLUDE_DEPTH {
        findings
            .push(Diagnostic::error(format!("files include each other more than {MAX_INCLUDE_DEPTH} deep")).at(place));
        return None;
    }
    match regular_file::read(&full).map(String::from_utf8) {
        Ok(Ok(text)) => Some((text, full)),
        Ok(Err(_)) => {
            findings.push(Diagnostic::error(format!("`{name}` is not UTF-8 text")).at(place));
            None
        }
        Err(e) => {
            let help = "paths are relative to the folder of the including file";
            findings.push(Diagnostic::error(format!("cannot read `{name}`: {e}")).at(place).help(help));
            None
        }
    }
}

/// Merges the sections of an included file. A parameter may be redefined, an element may not.
fn merge(root: &mut Table, other: Table, own: &[String], findings: &mut Vec<Diagnostic>) {
    for Entry { key, place, node } in other.0 {
        let sections = Section::ALL.iter().any(|s| s.key() == key) || key == "params" || key == "parts";
        match (root.0.iter_mut().find(|e| e.key == key), node.value) {
            (None, value) if sections || key == "repeat" || key == "gravity" => {
                root.0.push(Entry { key, place: place.clone(), node: Node { value, place: node.place } });
            }
            (Some(Entry { node: Node { value: Value::Table(ours), .. }, .. }), Value::Table(theirs)) if sections => {
                let mut before = Vec::new();
                for entry in theirs.0 {
                    match ours.get(&entry.key) {
                        None => before.push(entry),
                        Some(_) if key == "params" && own.contains(&entry.key) => {}
                        Some(_) if key == "params" => {
                            let message = format!("two included files give the parameter `{}`", entry.key);
                            let help = "give it in the including file, which applies to both";
                            findings.push(Diagnostic::error(message).at(&entry.place).help(help));
                        }
                        Some(node) => {
                            let message = format!("`{}` of [{key}] is also in an included file", entry.key);
                            findings.push(Diagnostic::error(message).at(&node.place).help("names must be unique"));
                        }
                    }
                }
                before.append(&mut ours.0);
                ours.0 = before;
            }
            (Some(Entry { node: Node { value: Value::List(ours), .. }, .. }), Value::List(mut theirs))
                if key == "repeat" =>
            {
                theirs.append(ours);
                *ours = theirs;
            }
            // Title, settings, outputs, expectations, trim, gravity and the looks of the ground are those of the file itself.
            _ => {}
        }
    }
}

pub(super) fn check_top(root: &Table, findings: &mut Vec<Diagnostic>) {
    for Entry { key, place, .. } in &root.0 {
        if !TOP.iter().any(|f| f.name == key) {
            let hint = did_you_mean(key, TOP.iter().map(|f| f.name));
            let names: Vec<&str> = TOP.iter().map(|f| f.name).collect();
            let help = format!("a model file has {}", names.join(", "));
            findings.push(Diagnostic::error(format!("unknown section `{key}`{hint}")).at(place).help(help));
        }
    }
    match root.get("taut") {
        Some(Node { value: Value::Number(x), .. }) if *x == f64::from(FORMAT) => {}
        Some(version) => {
            let message = format!("unknown format; this program reads format {FORMAT}");
            let help = format!("begin the file with taut = {FORMAT}");
            findings.push(Diagnostic::error(message).at(&version.place).help(help));
        }
        None => {
            let first = root.0.first().map(|e| e.place.clone());
            let help = format!("begin the file with taut = {FORMAT}");
            let finding = Diagnostic::error("`taut`, the number of the format, is missing").help(help);
            findings.push(Diagnostic { place: first, ..finding });
        }
    }
}
