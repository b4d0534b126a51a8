//! Every crate can be built from its package alone: the package contains what build scripts and sources include.

use super::{cargo, field, list};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// Files that a package must contain, beside its own sources.
const NEEDED: &[(&str, &[&str])] = &[
    ("taut", &["CONTRIBUTING.md"]),
    ("taut-c", &["include/taut.h", "examples/pitch_link.c", "examples/mechanisms.f90"]),
    ("taut-docs", &["build.rs", "docs/index.md", "docs/model-file.md", "docs/gallery/four_bar.svg"]),
    ("taut-papers", &["build.rs", "models/four_bar.toml", "models/papers/reference.json"]),
    (
        "taut-view",
        &["build.rs", "viewer/package.json", "viewer/package-lock.json", "viewer/.npmrc", "viewer/src/main.ts"],
    ),
];

/// The most that a package may weigh before compression; crates.io accepts 10 MB after it.
const LARGEST: u64 = 16_000_000;

/// The members of the workspace: names and folders.
fn members() -> Vec<(String, PathBuf)> {
    let printed = cargo(&["metadata", "--format-version", "1", "--no-deps"]).expect("cargo metadata");
    let metadata = serde_json::from_str(&printed).expect("cargo prints JSON");
    let folder = |p| Path::new(field(p, "manifest_path")).parent().expect("a folder").to_path_buf();
    list(&metadata, "packages").map(|p| (field(p, "name").to_string(), folder(p))).collect()
}

/// The files of a package.
fn packaged(name: &str) -> BTreeSet<String> {
    let printed = cargo(&["package", "--list", "--allow-dirty", "-p", name]).expect("cargo package --list");
    printed.lines().map(|line| line.replace('\\', "/")).collect()
}

/// A path without `.` and `..`; nothing if it leads out of the folder.
fn tidy(path: &Path) -> Option<String> {
    let mut parts = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => parts.push(name.to_str()?),
            Component::CurDir => {}
            Component::ParentDir => drop(parts.pop()?),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts.join("/"))
}

/// The quoted argument of every `include_str!`, `include_bytes!` and `include!` of a source.
fn included(source: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for call in ["include_str!(\"", "include_bytes!(\"", "include!(\""] {
        for after in source.split(call).skip(1) {
            found.extend(after.split('"').next());
        }
    }
    found
}

#[test]
fn every_package_contains_what_it_needs() {
    for (name, folder) in members() {
        let files = packaged(&name);
        for needed in ["Cargo.toml", "README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
            assert!(files.contains(needed), "{name}: {needed} is not in the package");
        }
        for needed in NEEDED.iter().filter(|(n, _)| *n == name).flat_map(|(_, files)| files.iter()) {
            assert!(files.contains(*needed), "{name}: {needed} is not in the package");
        }
        for made in ["node_modules/", "/dist/", "target/"] {
            let found = files.iter().find(|f| f.contains(made));
            assert_eq!(found, None, "{name}: build output is in the package");
        }
        let sizes = files.iter().filter_map(|f| std::fs::metadata(folder.join(f)).ok()).map(|m| m.len());
        let size: u64 = sizes.sum();
        assert!(size < LARGEST, "{name}: the package has {size} bytes");
    }
}

#[test]
fn sources_include_only_files_of_their_package() {
    for (name, folder) in members() {
        let files = packaged(&name);
        let sources = files.iter().filter(|f| f.ends_with(".rs") && (f.starts_with("src/") || *f == "build.rs"));
        let mut seen = 0;
        for file in sources {
            let source = std::fs::read_to_string(folder.join(file)).unwrap();
            seen += 1;
            for target in included(&source) {
                let path = Path::new(file).parent().unwrap_or(Path::new("")).join(target);
                let inside = tidy(&path).filter(|p| files.contains(p));
                assert!(inside.is_some(), "{name}: {file} includes `{target}`, which is not in the package");
            }
            if file == "build.rs" {
                assert!(!source.contains("\"../"), "{name}: build.rs reads files outside the crate");
            }
        }
        assert!(seen > 0, "{name} has no sources");
    }
}

#[test]
fn every_manifest_describes_its_crate() {
    let printed = cargo(&["metadata", "--format-version", "1", "--no-deps"]).expect("cargo metadata");
    let metadata: serde_json::Value = serde_json::from_str(&printed).expect("cargo prints JSON");
    for package in list(&metadata, "packages") {
        let name = field(package, "name");
        for key in ["description", "license", "repository", "readme", "rust_version"] {
            assert!(!field(package, key).is_empty(), "{name}: {key} is missing");
        }
        for (key, most) in [("keywords", 5), ("categories", 5)] {
            assert!((1..=most).contains(&list(package, key).count()), "{name}: 1 to {most} {key}");
        }
        assert!(list(package, "keywords").all(|k| k.as_str().is_some_and(|k| k.len() <= 20)), "{name}: keywords");
    }
}
