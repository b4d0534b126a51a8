//! What is tried on arbitrary bytes: one function per reader of sweeps. None may panic or hang.

use std::path::{Path, PathBuf};
use taut_io::model::ModelTemplate;
use taut_sweep::{Cases, MANIFEST, Plan, Request, Sample, SamplingMethod, StoredSweep};

/// A reader under its name, which is that of its folder in `fuzz/corpus`.
pub type Target = (&'static str, fn(&[u8]));

/// All readers.
pub const TARGETS: &[Target] = &[
    ("sweep_values", values),
    ("sweep_cases", cases),
    ("sweep_measures", measures),
    ("sweep_manifest", manifest),
    ("sweep_journal", journal),
];

/// Runs one reader.
pub fn run(name: &str, bytes: &[u8]) {
    match TARGETS.iter().find(|(n, _)| *n == name) {
        Some((_, target)) => target(bytes),
        None => panic!("there is no target `{name}`"),
    }
}

const MODEL: &str = "taut = 2\n[params]\nl = \"1 m\"\n[bodies.bob]\ntype = \"point_mass\"\nmass = \"2 kg\"\n\
    position = [\"l\", 0, 0]\n[settings]\nduration = 0.1\n[outputs]\nevery = 0.05\n";

fn request() -> Request {
    Request {
        model: "fuzz.toml".into(),
        set: Vec::new(),
        vary: vec!["l=1:2:3".to_string()],
        cases: None,
        sample: None,
        analysis: taut_sweep::Analysis::Run,
        keep: Vec::new(),
    }
}

/// Makes the design, and plans it for a small model.
fn plan(request: Request) {
    match request.design() {
        Ok(design) => drop(design.len()),
        Err(found) => return drop(found.to_string()),
    }
    if let Err(found) = Plan::with_template(request, ModelTemplate::parse(MODEL, Path::new("fuzz.toml"))) {
        found.iter().for_each(|d| drop(d.to_string()));
    }
}

/// Lines as for `--vary`, with and without a sampling method.
fn values(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let vary: Vec<String> = text.lines().map(str::to_string).collect();
    let sample = Some(Sample { method: SamplingMethod::Sobol, count: 8, seed: 1 });
    plan(Request { vary: vary.clone(), ..request() });
    plan(Request { vary, sample, ..request() });
}

/// A file of cases.
fn cases(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let cases = Some(Cases { path: "cases.csv".into(), text: text.to_string() });
    plan(Request { vary: Vec::new(), cases, ..request() });
}

/// Lines as for `--keep`.
fn measures(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    plan(Request { keep: text.lines().map(str::to_string).collect(), ..request() });
}

/// A file of a folder of results.
fn stored(target: &str, name: &str, bytes: &[u8]) {
    let folder = folder(target);
    if name != MANIFEST {
        let manifest = include_bytes!("../../../../fuzz/corpus/sweep_manifest/grid.json");
        std::fs::write(folder.join(MANIFEST), manifest).expect("the temporary directory can be written");
    }
    std::fs::write(folder.join(name), bytes).expect("the temporary directory can be written");
    match StoredSweep::open(&folder) {
        Ok(found) => {
            for column in found.columns() {
                let _ = found.numbers(&column.name).map_err(|e| e.to_string());
            }
        }
        Err(found) => drop(found.to_string()),
    }
}

fn manifest(bytes: &[u8]) {
    stored("sweep_manifest", MANIFEST, bytes);
}

fn journal(bytes: &[u8]) {
    stored("sweep_journal", "members.jsonl", bytes);
}

/// A folder of one target in the temporary directory.
pub fn folder(target: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("taut-fuzz-{}", std::process::id())).join(target);
    std::fs::create_dir_all(&path).expect("the temporary directory can be written");
    path
}
