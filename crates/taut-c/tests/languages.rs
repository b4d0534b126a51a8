//! The examples in C, C++ and Fortran, compiled against the header and the static library, and run.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The static library that Cargo built for these tests: the newest of its names.
fn library() -> PathBuf {
    let deps = std::env::current_exe().unwrap().parent().unwrap().to_path_buf();
    let folders = [deps.clone(), deps.parent().unwrap().to_path_buf()];
    let files = folders.iter().flat_map(|f| std::fs::read_dir(f).unwrap()).map(|e| e.unwrap().path());
    let is_library = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().to_string();
        name.starts_with("libtaut_c") && name.ends_with(".a")
    };
    let newest = files.filter(is_library).max_by_key(|path| path.metadata().and_then(|m| m.modified()).ok());
    newest.expect("cargo builds the static library with the tests")
}

/// Compiles and runs an example; its output. Nothing, with a note, if the compiler is missing.
fn run(compiler: &str, source: &str, flags: &[&str]) -> Option<String> {
    if Command::new(compiler).arg("--version").output().is_err() {
        eprintln!("SKIPPED: {source}, because {compiler} is not installed (./test.sh installs it)");
        return None;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(source.replace('.', "_"));
    let built = Command::new(compiler)
        .args(flags)
        .arg(format!("-I{}", root.join("include").display()))
        .args(["-O1", "-o"])
        .arg(&program)
        .arg(root.join("examples").join(source))
        .arg(library())
        .args(["-lm", "-lpthread", "-ldl"])
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(&program).output().unwrap();
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.status.success() && !text.contains("FAIL"), "{source}:\n{text}");
    println!("{source}\n{text}");
    Some(text)
}

#[test]
fn mechanisms_in_c() {
    run("gcc", "mechanisms.c", &["-std=c99", "-D_DEFAULT_SOURCE", "-Wall"]);
}

#[test]
fn the_tutorial_in_c() {
    if let Some(text) = run("gcc", "pitch_link.c", &["-std=c99"]) {
        assert!(text.starts_with("flap -0.0224505619"), "{text}");
    }
}

#[test]
fn mechanisms_in_cpp() {
    run("g++", "mechanisms.cpp", &["-std=c++17", "-Wall"]);
}

#[test]
fn mechanisms_in_fortran() {
    // -J: where the module file goes.
    run("gfortran", "mechanisms.f90", &["-std=f2018", concat!("-J", env!("CARGO_TARGET_TMPDIR"))]);
}
