//! Checks of the project itself: dependencies, packages, documents. They need the whole repository.

mod dependencies;
mod packaging;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
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
fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}
