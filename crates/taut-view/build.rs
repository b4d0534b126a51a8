//! Builds the page from `viewer/` if Node is installed, and embeds it, compressed.
//!
//! npm runs on a copy in OUT_DIR. Without Node, without a network, or with `TAUT_PAGE=none`, an empty page is embedded
//! together with the reason; everything else still works.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// Generated folders of `viewer`, which are not copied.
const MADE: [&str; 3] = ["node_modules", "dist", ".git"];

fn main() {
    println!("cargo:rerun-if-env-changed=TAUT_PAGE");
    println!("cargo:rerun-if-env-changed=PATH");
    println!("cargo:rerun-if-changed=build.rs");
    let var = |name: &str| env::var_os(name).map(PathBuf::from).unwrap_or_default();
    let (out, viewer) = (var("OUT_DIR"), linked_folder(var("CARGO_MANIFEST_DIR").join("viewer")));
    let target = out.join("page.html.gz");
    let (page, missing) = match build(&viewer, &out) {
        Ok(page) => (page, String::new()),
        Err(why) => (Vec::new(), why),
    };
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    if let Err(e) =
        encoder.write_all(&page).and_then(|()| encoder.finish()).and_then(|packed| fs::write(&target, packed))
    {
        println!("cargo:warning=cannot write the page: {e}");
    }
    println!("cargo:rustc-env=TAUT_NO_PAGE={missing}");
    // The browser tests find their npm packages here.
    println!("cargo:rustc-env=TAUT_VIEWER={}", out.join("viewer").display());
}

/// The folder that the link `viewer` in this crate stands for. Packages contain the folder itself; where Git cannot make links
/// (Windows), the link is a text file with the target.
fn linked_folder(link: PathBuf) -> PathBuf {
    match fs::read_to_string(&link) {
        Ok(target) => link.with_file_name(target.trim()),
        Err(_) => link,
    }
}

/// The page, or the reason why it was not built.
fn build(viewer: &Path, out: &Path) -> Result<Vec<u8>, String> {
    if env::var("TAUT_PAGE").is_ok_and(|x| x == "none") {
        return Err("TAUT_PAGE=none was set".to_string());
    }
    if !viewer.join("package.json").exists() {
        return Err("the folder `viewer` does not exist".to_string());
    }
    let copy = out.join("viewer");
    let lock = |folder: &Path| fs::read(folder.join("package-lock.json")).unwrap_or_default();
    let same = copy.join("node_modules").exists() && lock(&copy) == lock(viewer);
    renew(viewer, &copy).map_err(|e| format!("cannot copy `viewer`: {e}"))?;
    if !same {
        let done = npm(&copy, &["ci", "--no-audit", "--no-fund", "--fetch-retries=1"]);
        if let Err(why) = done {
            // Remove an incomplete folder, so that the next build does not use it.
            let _ = fs::remove_dir_all(copy.join("node_modules"));
            return Err(why);
        }
    }
    npm(&copy, &["run", "build"])?;
    fs::read(copy.join("dist/index.html")).map_err(|e| warned(format!("npm produced no page: {e}")))
}

/// Updates the copy: copies source files, removes deleted ones, and tells Cargo to watch them.
fn renew(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    let made = |name: &std::ffi::OsStr| MADE.iter().any(|m| name == *m);
    for old in fs::read_dir(to)? {
        let old = old?;
        if !made(&old.file_name()) && !from.join(old.file_name()).exists() {
            if old.file_type()?.is_dir() { fs::remove_dir_all(old.path())? } else { fs::remove_file(old.path())? }
        }
    }
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (name, path) = (entry.file_name(), entry.path());
        if made(&name) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            println!("cargo:rerun-if-changed={}", path.display());
            renew(&path, &to.join(name))?;
        } else {
            println!("cargo:rerun-if-changed={}", path.display());
            fs::write(to.join(name), fs::read(&path)?)?;
        }
    }
    Ok(())
}

fn npm(folder: &Path, arguments: &[&str]) -> Result<(), String> {
    let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let ran = match Command::new(program).args(arguments).current_dir(folder).output() {
        Ok(ran) => ran,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Err("Node is not installed".to_string()),
        Err(e) => return Err(warned(format!("cannot start npm: {e}"))),
    };
    if ran.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&ran.stderr);
    let last = said.lines().find(|l| l.contains("error") || l.contains("ERR")).unwrap_or("no error message");
    Err(warned(format!("`npm {}` failed: {}", arguments.join(" "), last.trim())))
}

/// Prints the reason as a build warning and returns it.
fn warned(why: String) -> String {
    let why = why.replace(['\n', '\r'], " ");
    println!("cargo:warning=building taut without its viewer page: {why}");
    why
}
