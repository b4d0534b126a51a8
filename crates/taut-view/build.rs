//! Builds the page from `viewer/` where Node is at hand, and embeds it.
//!
//! All that npm does happens on a copy within OUT_DIR. Without Node, without a network, or with `TAUT_PAGE=none`, an empty
//! page is embedded with the reason, and all else works as ever.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// Folders of `viewer` that are made, not written.
const MADE: [&str; 3] = ["node_modules", "dist", ".git"];

fn main() {
    println!("cargo:rerun-if-env-changed=TAUT_PAGE");
    println!("cargo:rerun-if-env-changed=PATH");
    println!("cargo:rerun-if-changed=build.rs");
    let var = |name: &str| env::var_os(name).map(PathBuf::from).unwrap_or_default();
    let (out, viewer) = (var("OUT_DIR"), var("CARGO_MANIFEST_DIR").join("../../viewer"));
    let target = out.join("page.html");
    let (page, missing) = match build(&viewer, &out) {
        Ok(page) => (page, String::new()),
        Err(why) => (Vec::new(), why),
    };
    if let Err(e) = fs::write(&target, page) {
        println!("cargo:warning=the page cannot be written: {e}");
    }
    println!("cargo:rustc-env=TAUT_NO_PAGE={missing}");
    // Where the tests in a browser find their own packages.
    println!("cargo:rustc-env=TAUT_VIEWER={}", out.join("viewer").display());
}

/// The page, or why there is none.
fn build(viewer: &Path, out: &Path) -> Result<Vec<u8>, String> {
    if env::var("TAUT_PAGE").is_ok_and(|x| x == "none") {
        return Err("TAUT_PAGE=none was set".to_string());
    }
    if !viewer.join("package.json").exists() {
        return Err("the folder `viewer` was not there".to_string());
    }
    let copy = out.join("viewer");
    let lock = |folder: &Path| fs::read(folder.join("package-lock.json")).unwrap_or_default();
    let same = copy.join("node_modules").exists() && lock(&copy) == lock(viewer);
    renew(viewer, &copy).map_err(|e| format!("`viewer` could not be copied: {e}"))?;
    if !same {
        let done = npm(&copy, &["ci", "--no-audit", "--no-fund", "--fetch-retries=1"]);
        if let Err(why) = done {
            // A half-made folder must not pass for a whole one next time.
            let _ = fs::remove_dir_all(copy.join("node_modules"));
            return Err(why);
        }
    }
    npm(&copy, &["run", "build"])?;
    fs::read(copy.join("dist/index.html")).map_err(|e| warned(format!("npm made no page: {e}")))
}

/// Copies what is written, removes what is no longer, and lets Cargo watch it.
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
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Err("Node was not there".to_string()),
        Err(e) => return Err(warned(format!("npm cannot be started: {e}"))),
    };
    if ran.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&ran.stderr);
    let last = said.lines().find(|l| l.contains("error") || l.contains("ERR")).unwrap_or("it does not say why");
    Err(warned(format!("`npm {}` failed: {}", arguments.join(" "), last.trim())))
}

/// A reason that whoever builds should see too.
fn warned(why: String) -> String {
    let why = why.replace(['\n', '\r'], " ");
    println!("cargo:warning=taut is built without its page: {why}");
    why
}
