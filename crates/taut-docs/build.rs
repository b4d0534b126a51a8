//! Lists the files of `docs/`, so that the program can embed them.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = linked_folder(Path::new(&env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("docs"));
    let root = root.canonicalize().expect("the folder docs");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    list(&root, &mut files);
    files.sort();
    let mut code = String::from("&[\n");
    for file in files {
        println!("cargo::rerun-if-changed={}", file.display());
        let name = file.strip_prefix(&root).expect("below docs").to_string_lossy().replace('\\', "/");
        writeln!(code, "    ({name:?}, include_bytes!({:?})),", file.display().to_string()).expect("memory");
    }
    code.push(']');
    let out = PathBuf::from(env::var("OUT_DIR").expect("set by cargo"));
    fs::write(out.join("files.rs"), code).expect("OUT_DIR can be written");
}

/// The folder that the link `docs` in this crate stands for. Packages contain the folder itself; where Git cannot make links
/// (Windows), the link is a text file with the target.
fn linked_folder(link: PathBuf) -> PathBuf {
    match fs::read_to_string(&link) {
        Ok(target) => link.with_file_name(target.trim()),
        Err(_) => link,
    }
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            list(&path, files);
        } else {
            files.push(path);
        }
    }
}
