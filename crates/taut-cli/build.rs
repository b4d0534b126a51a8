//! Lists the models of the folder `models`, so that the command carries them along as examples.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let models = root.join("../../models");
    println!("cargo::rerun-if-changed=build.rs");
    // A folder that is not there yet would make cargo build anew each time; its parent's entries tell of it too.
    if models.is_dir() {
        println!("cargo::rerun-if-changed={}", models.display());
    }
    let mut files: Vec<PathBuf> = Vec::new();
    if let Ok(entries) = fs::read_dir(&models) {
        files.extend(entries.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "toml")));
    }
    files.sort();
    let mut text = String::from("/// Names and texts of the models.\npub const ALL: &[(&str, &str)] = &[\n");
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let path = file.canonicalize().unwrap_or(file);
        let _ = writeln!(text, "    ({name:?}, include_str!({:?})),", path.display().to_string());
    }
    text.push_str("];\n");
    let out = env::var_os("OUT_DIR").unwrap_or_default();
    if let Err(e) = fs::write(Path::new(&out).join("examples.rs"), text) {
        println!("cargo::error=the list of examples cannot be written: {e}");
    }
}
