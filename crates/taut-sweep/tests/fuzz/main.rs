//! Every reader of sweeps on the files of `fuzz/corpus` and on mutations of these, the same in every run.
#![allow(missing_docs)]

#[path = "../../../taut-io/tests/fuzz/mutate.rs"]
mod mutate;
mod targets;

use mutate::Mutator;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Mutations of each target.
const MUTATIONS: u64 = 1000;
/// The longest time for one input; the slowest need some milliseconds.
const LONGEST: Duration = Duration::from_secs(10);

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus")
}

/// Runs one input. A failure keeps the input in a file.
fn attempt(target: &str, input: &[u8], what: &str) {
    let begun = Instant::now();
    let done = catch_unwind(AssertUnwindSafe(|| targets::run(target, input)));
    if done.is_err() || begun.elapsed() > LONGEST {
        let kept = std::env::temp_dir().join(format!("taut-fuzz-{target}-failure"));
        let _ = std::fs::write(&kept, input);
        let why = if done.is_err() { "panics".to_string() } else { format!("takes {:?}", begun.elapsed()) };
        panic!("the reader of {target} {why}: {what}, kept in {}", kept.display());
    }
}

fn try_all(target: &str) {
    let folder = corpus().join(target);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "the corpus of {target} is empty");
    let seeds: Vec<Vec<u8>> = files.iter().map(|path| std::fs::read(path).unwrap()).collect();
    for (path, seed) in files.iter().zip(&seeds) {
        attempt(target, seed, &path.display().to_string());
    }
    let all: Vec<&[u8]> = seeds.iter().map(Vec::as_slice).collect();
    let most = std::env::var("TAUT_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(MUTATIONS);
    for number in 0..most {
        attempt(target, &Mutator::new(number).mutation(&all), &format!("mutation {number}"));
    }
    let _ = std::fs::remove_dir_all(targets::folder(target));
}

#[test]
fn every_target_has_a_program() {
    let manifest = std::fs::read_to_string(corpus().join("../Cargo.toml")).unwrap();
    for (name, _) in targets::TARGETS {
        assert!(manifest.contains(&format!("name = \"{name}\"")), "fuzz/Cargo.toml has no program {name}");
        assert!(corpus().join(format!("../fuzz_targets/{name}.rs")).exists(), "{name}");
    }
}

#[test]
fn values_cases_and_measures() {
    ["sweep_values", "sweep_cases", "sweep_measures"].into_iter().for_each(try_all);
}

#[test]
fn stored_sweeps() {
    ["sweep_manifest", "sweep_journal"].into_iter().for_each(try_all);
}
