//! Lists the files of the folder `models`, so that the crate can embed them.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// File extensions of models and the files they include.
const KINDS: [&str; 4] = ["toml", "urdf", "xml", "csv"];

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let models = linked_folder(root.join("models"));
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", models.display());
    let reference = models.join("papers/reference.json");
    println!("cargo::rerun-if-changed={}", reference.display());
    let mut files = Vec::new();
    collect(&models, &mut files);
    files.sort();
    let mut text =
        String::from("/// Paths within the folder of models, and texts.\npub const FILES: &[(&str, &str)] = &[\n");
    for file in files {
        let Ok(within) = file.strip_prefix(&models) else { continue };
        let name = within.components().map(|c| c.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
        let path = file.canonicalize().unwrap_or(file);
        let _ = writeln!(text, "    ({name:?}, include_str!({:?})),", path.display().to_string());
    }
    text.push_str("];\n");
    let path = reference.canonicalize().unwrap_or(reference);
    let _ = writeln!(text, "/// `papers/reference.json`.");
    let _ = writeln!(text, "pub(crate) const REFERENCE_JSON: &str = include_str!({:?});", path.display().to_string());
    let out = env::var_os("OUT_DIR").unwrap_or_default();
    if let Err(e) = fs::write(Path::new(&out).join("models.rs"), text) {
        println!("cargo::error=cannot write the list of models: {e}");
    }
}

/// The folder that the link `models` in this crate stands for. Packages contain the folder itself; where Git cannot make links
/// (Windows), the link is a text file with the target.
fn linked_folder(link: PathBuf) -> PathBuf {
    match fs::read_to_string(&link) {
        Ok(target) => link.with_file_name(target.trim()),
        Err(_) => link,
    }
}

/// All files with these extensions, in subfolders too.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|e| e.path()) {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| KINDS.iter().any(|k| e == *k)) {
            files.push(path);
        }
    }
}
