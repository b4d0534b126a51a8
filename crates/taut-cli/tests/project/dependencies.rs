//! Licences, duplicates and sources of all dependencies. `deny.toml` says the same to `cargo deny check`.

use super::{cargo, field, list, root};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Packages that Cargo.lock contains in more than one version, and why.
const DUPLICATES: &[(&str, &str)] = &[
    ("equator", "faer 0.24 and nano-gemm, which it uses, require different versions"),
    ("equator-macro", "as equator"),
    ("getrandom", "three versions: ahash and const-random (used by parquet), and rand (used by proptest in tests)"),
    ("glam", "optional conversions of nalgebra; only one version is compiled, in tests"),
    ("num-bigint", "parquet requires 0.5; 0.4 is an optional part of num-rational and never compiled"),
    ("r-efi", "getrandom on UEFI only"),
    ("syn", "at build time only: macros of faer, of windows-core and of serde require different versions"),
    ("thiserror", "sysctl (used by gemm on macOS) requires version 1"),
    ("thiserror-impl", "as thiserror"),
];

/// The licences in deny.toml.
fn allowed() -> BTreeSet<String> {
    let deny: toml::Table = std::fs::read_to_string(root().join("deny.toml")).unwrap().parse().unwrap();
    deny["licenses"]["allow"].as_array().unwrap().iter().map(|l| l.as_str().unwrap().to_string()).collect()
}

/// Whether an SPDX expression can be satisfied with allowed licences. OR binds weaker than AND, AND weaker than WITH.
fn permits(expression: &str, allowed: &BTreeSet<String>) -> bool {
    // The old form `MIT/Apache-2.0` means OR.
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let fits = any(&words, &mut at, allowed);
    at == words.len() && fits
}

fn any(words: &[&str], at: &mut usize, allowed: &BTreeSet<String>) -> bool {
    let mut fits = all(words, at, allowed);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        fits |= all(words, at, allowed);
    }
    fits
}

fn all(words: &[&str], at: &mut usize, allowed: &BTreeSet<String>) -> bool {
    let mut fits = one(words, at, allowed);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        fits &= one(words, at, allowed);
    }
    fits
}

fn one(words: &[&str], at: &mut usize, allowed: &BTreeSet<String>) -> bool {
    let Some(word) = words.get(*at) else { return false };
    *at += 1;
    if *word == "(" {
        let fits = any(words, at, allowed);
        let closed = words.get(*at) == Some(&")");
        *at += 1;
        return fits && closed;
    }
    if words.get(*at) == Some(&"WITH") {
        let exception = words.get(*at + 1).unwrap_or(&"");
        *at += 2;
        return allowed.contains(&format!("{word} WITH {exception}")) || allowed.contains(*word);
    }
    allowed.contains(*word)
}

/// All packages on all platforms if they have been downloaded, otherwise those of this platform.
fn metadata() -> Value {
    let arguments = ["metadata", "--format-version", "1", "--locked"];
    let printed = cargo(&arguments).or_else(|_| {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let version = std::process::Command::new(rustc).arg("-vV").output().expect("rustc is installed");
        let version = String::from_utf8_lossy(&version.stdout).into_owned();
        let host = version.lines().find_map(|l| l.strip_prefix("host: ")).expect("rustc names its host");
        cargo(&[&arguments[..], &["--filter-platform", host]].concat())
    });
    serde_json::from_str(&printed.expect("cargo metadata")).expect("cargo prints JSON")
}

/// The packages in Cargo.lock: names, versions, sources.
fn locked() -> Vec<(String, String, Option<String>)> {
    let lock: toml::Table = std::fs::read_to_string(root().join("Cargo.lock")).unwrap().parse().unwrap();
    let field = |p: &toml::Value, key: &str| p.get(key).and_then(|x| x.as_str()).map(str::to_string);
    let package = |p: &toml::Value| (field(p, "name").unwrap(), field(p, "version").unwrap(), field(p, "source"));
    lock["package"].as_array().unwrap().iter().map(package).collect()
}

#[test]
fn every_licence_is_permissive() {
    let (metadata, allowed) = (metadata(), allowed());
    let mut found = 0;
    let mut refused = Vec::new();
    for package in list(&metadata, "packages") {
        found += 1;
        let licence = field(package, "license");
        if !permits(licence, &allowed) {
            refused.push(format!("{} {}: `{licence}`", field(package, "name"), field(package, "version")));
        }
    }
    assert!(found > 50, "only {found} packages");
    assert!(refused.is_empty(), "licences not allowed by deny.toml:\n{}", refused.join("\n"));
}

#[test]
fn expressions_of_licences() {
    let allowed: BTreeSet<String> = ["MIT", "Zlib", "Apache-2.0"].map(str::to_string).into();
    for good in ["MIT", "GPL-3.0 OR MIT", "MIT/GPL-2.0", "Zlib AND (MIT OR GPL-3.0)", "Apache-2.0 WITH LLVM-exception"]
    {
        assert!(permits(good, &allowed), "{good}");
    }
    for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT", "MIT AND", "MIT)", "GPL-3.0 OR MPL-2.0 AND MIT"] {
        assert!(!permits(bad, &allowed), "{bad}");
    }
}

#[test]
fn every_duplicate_has_a_reason() {
    let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, version, _) in locked() {
        versions.entry(name).or_default().push(version);
    }
    versions.retain(|_, v| v.len() > 1);
    let known = |name: &str| DUPLICATES.iter().any(|(n, _)| *n == name);
    let new: Vec<_> = versions.iter().filter(|(name, _)| !known(name)).collect();
    assert!(new.is_empty(), "several versions of one package; unify them, or give the reason in DUPLICATES: {new:?}");
    let old: Vec<_> = DUPLICATES.iter().filter(|(name, _)| !versions.contains_key(*name)).collect();
    assert!(old.is_empty(), "no longer duplicates; remove them from DUPLICATES: {old:?}");
}

#[test]
fn every_source_is_the_workspace_or_the_registry() {
    let members: BTreeSet<String> = std::fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    for (name, version, source) in locked() {
        match source.as_deref() {
            None => assert!(members.contains(&name), "{name} {version} is a path outside the workspace"),
            Some(source) => {
                let registry = "registry+https://github.com/rust-lang/crates.io-index";
                assert_eq!(source, registry, "{name} {version} does not come from crates.io");
            }
        }
    }
}
