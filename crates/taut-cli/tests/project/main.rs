//! Checks of the project itself: recipes for new kinds, files to read first, plain words, short files, dependencies, packages. They
//! need the whole repository.

mod dependencies;
mod packaging;
mod reading;
mod recipes;
mod sizes;
mod validation;
mod words;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The text of a file.
fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A Rust source without its modules of tests, whether they are declared (`mod tests;`) or follow in braces.
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

/// All files below a folder, in a fixed order; without build output.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    let mut found = Vec::new();
    for path in entries {
        let name = path.file_name().unwrap().to_string_lossy().to_string();
        if name.starts_with('.')
            || ["target", "node_modules", "dist"].contains(&name.as_str())
            || name.ends_with(".run")
        {
            continue;
        }
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

/// What a cargo command prints, without the network.
fn cargo(arguments: &[&str]) -> Result<String, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let run = Command::new(cargo).args(arguments).arg("--offline").current_dir(root()).output();
    let run = run.map_err(|e| e.to_string())?;
    match run.status.success() {
        true => String::from_utf8(run.stdout).map_err(|e| e.to_string()),
        false => Err(String::from_utf8_lossy(&run.stderr).into_owned()),
    }
}

/// A list within a value of JSON.
fn list<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value[key].as_array().into_iter().flatten()
}

/// A text within a value of JSON; empty if it is not there.
fn field<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}
