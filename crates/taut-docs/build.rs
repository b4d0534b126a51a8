//! Lists the files of `docs/`, so that the program can embed them: the pages and what they show or link to. Texts and drawings are
//! compressed, which saves 3 MB; PNG and GIF files are compressed already.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = linked_folder(Path::new(&env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("docs"));
    let root = root.canonicalize().expect("the folder docs");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    list(&root, &mut files);
    files.sort();
    let pages: Vec<String> =
        files.iter().filter(|file| is_page(file)).filter_map(|page| fs::read_to_string(page).ok()).collect();
    files.retain(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        is_page(file) || pages.iter().any(|page| page.contains(&*name))
    });
    let out = PathBuf::from(env::var("OUT_DIR").expect("set by cargo"));
    let mut code = String::from("&[\n");
    for (k, file) in files.iter().enumerate() {
        println!("cargo::rerun-if-changed={}", file.display());
        let name = file.strip_prefix(&root).expect("below docs").to_string_lossy().replace('\\', "/");
        let is_picture = name.ends_with(".png") || name.ends_with(".gif");
        let (kind, embedded) = if is_picture { ("Plain", file.clone()) } else { ("Gzip", compressed(file, &out, k)) };
        writeln!(code, "    ({name:?}, Embedded::{kind}(include_bytes!({:?}))),", embedded.display().to_string())
            .expect("memory");
    }
    code.push(']');
    fs::write(out.join("files.rs"), code).expect("OUT_DIR can be written");
}

fn is_page(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "md")
}

/// A compressed copy of a file.
fn compressed(file: &Path, out: &Path, number: usize) -> PathBuf {
    let path = out.join(format!("{number}.gz"));
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&fs::read(file).expect("a file of docs")).expect("memory");
    fs::write(&path, encoder.finish().expect("memory")).expect("OUT_DIR can be written");
    path
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
