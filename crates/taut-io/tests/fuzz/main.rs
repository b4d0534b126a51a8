//! Every reader on the files of `fuzz/corpus` and on mutations of these, the same in every run.
//!
//! `TAUT_MUTATIONS=100000 cargo test -p taut-io --test fuzz` runs longer. A file that once made a reader fail belongs in the
//! corpus. `fuzz/README.md` says how to search for more with libFuzzer.
#![allow(missing_docs, unsafe_code)] // an allocator that measures

mod mutate;
mod targets;

use mutate::Mutator;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Mutations of each target.
const MUTATIONS: u64 = 1000;
/// The longest time for one input; the slowest need some milliseconds.
const LONGEST: Duration = Duration::from_secs(10);
/// The largest single allocation for one input: no input is larger than some kilobytes.
const LARGEST: usize = 64 << 20;

thread_local! {
    static LARGEST_REQUEST: Cell<usize> = const { Cell::new(0) };
}

struct Measuring;

fn note(size: usize) {
    let _ = LARGEST_REQUEST.try_with(|largest| largest.set(largest.get().max(size)));
}

unsafe impl GlobalAlloc for Measuring {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Measuring = Measuring;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus")
}

/// The files of a target, in the order of their names.
fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = corpus().join(target);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    files.sort();
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    files.iter().map(|path| (name(path), std::fs::read(path).unwrap())).collect()
}

/// Runs one input. A failure keeps the input in a file.
fn attempt(target: &str, input: &[u8], what: &str) {
    LARGEST_REQUEST.set(0);
    let begun = Instant::now();
    let done = catch_unwind(AssertUnwindSafe(|| targets::run(target, input)));
    let (took, largest) = (begun.elapsed(), LARGEST_REQUEST.get());
    let why = match done {
        Err(_) => "panics".to_string(),
        Ok(()) if took > LONGEST => format!("takes {took:?}"),
        Ok(()) if largest > LARGEST => format!("asks for {largest} bytes at once"),
        Ok(()) => return,
    };
    let kept = std::env::temp_dir().join(format!("taut-fuzz-{target}-failure"));
    let _ = std::fs::write(&kept, input);
    panic!("the reader of {target} {why}: {what}, kept in {}", kept.display());
}

fn try_all(target: &str) {
    let seeds = seeds(target);
    assert!(!seeds.is_empty(), "the corpus of {target} is empty");
    for (name, seed) in &seeds {
        attempt(target, seed, name);
    }
    let all: Vec<&[u8]> = seeds.iter().map(|(_, bytes)| bytes.as_slice()).collect();
    let most = std::env::var("TAUT_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(MUTATIONS);
    for number in 0..most {
        attempt(target, &Mutator::new(number).mutation(&all), &format!("mutation {number}"));
    }
    let _ = std::fs::remove_dir_all(targets::folder(target));
}

/// One test per target, so that they run in parallel.
macro_rules! tests {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            try_all(stringify!($name));
        })*

        #[test]
        fn every_target_is_tested_and_has_a_program() {
            let tested = [$(stringify!($name)),*];
            let targets: Vec<&str> = targets::TARGETS.iter().map(|(name, _)| *name).collect();
            assert_eq!(tested[..], targets[..]);
            let manifest = std::fs::read_to_string(corpus().join("../Cargo.toml")).unwrap();
            for name in tested {
                assert!(manifest.contains(&format!("name = \"{name}\"")), "fuzz/Cargo.toml has no program {name}");
                assert!(corpus().join(format!("../fuzz_targets/{name}.rs")).exists(), "{name}");
            }
        }
    };
}

tests! {
    model upgrade overrides quantity expression urdf mjcf stl obj gltf modal signal_csv signal_parquet table_csv table_parquet
    table_npz manifest events checkpoint c81
}

/// Writes the files of results of the corpus again.
#[test]
#[ignore = "changes the corpus"]
fn write_the_corpus_of_results() {
    use taut_io::results::Format;
    let folder = targets::folder("corpus");
    let copy = |from: &Path, to: &str| assert!(std::fs::copy(from, corpus().join(to)).is_ok());
    for format in Format::ALL {
        let results = folder.join(format.name());
        targets::write_results(&results, format);
        match format {
            Format::Csv => {
                copy(&results.join("table.csv"), "table_csv/pendulum.csv");
                copy(&results.join("manifest.json"), "manifest/csv.json");
                copy(&results.join("checkpoint.json"), "checkpoint/pendulum.json");
            }
            Format::Parquet => {
                copy(&results.join("table.parquet/part-00000.parquet"), "table_parquet/pendulum.parquet");
                copy(&results.join("table.parquet/part-00000.parquet"), "signal_parquet/pendulum.parquet");
                copy(&results.join("manifest.json"), "manifest/parquet.json");
            }
            Format::Npz => copy(&results.join("table.npz/part-00000.npz"), "table_npz/pendulum.npz"),
        }
    }
    let _ = std::fs::remove_dir_all(folder);
}
