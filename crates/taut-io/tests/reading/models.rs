//! Every model of the folder `models` is read, run to its end, and gives what the file itself expects.

use std::path::{Path, PathBuf};
use std::time::Instant;
use taut::analyses::simulate;
use taut::dynamics::Inconsistent;
use taut::{Outcome, Solution, Verdict};
use taut_io::diagnostic::Diagnostic;
use taut_io::model::{Expectation, ExpectedAt, ModelFile, read};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

/// All models, in the order of their names; `MODEL=crane` runs only those whose names begin so.
fn models() -> Vec<PathBuf> {
    let only = std::env::var("MODEL").unwrap_or_default();
    let of = |p: &PathBuf| p.file_stem().is_some_and(|s| s.to_string_lossy().starts_with(&only));
    let folders = ["", "air", "beams", "contact", "modal", "modes", "papers"].map(|name| folder().join(name));
    let entries = folders.iter().flat_map(|f| std::fs::read_dir(f).unwrap()).map(|e| e.unwrap().path());
    let mut list: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|e| e == "toml")).filter(of).collect();
    list.sort();
    assert!(!list.is_empty(), "no models in {}", folder().display());
    list
}

fn load(path: &Path) -> Result<ModelFile, String> {
    let said = |all: &[Diagnostic]| all.iter().map(|d| format!("  {d}")).collect::<Vec<String>>().join("\n");
    let file = read(path, &[]).map_err(|all| said(&all))?;
    if file.warnings.is_empty() { Ok(file) } else { Err(said(&file.warnings)) }
}

/// From reading to the last output; anything but a clean end is a failure.
fn solve(file: &ModelFile) -> Result<Solution, String> {
    let model = file.build().map_err(|d| format!("  {d}"))?;
    let mut start = model.initial_state();
    start.t = file.start_time;
    let solution = simulate(&model, &start, &file.transient).map_err(|e| format!("  {e}"))?;
    // Rough poses are part of the language: that they were closed is no fault. Nor are contradictions that a file permits.
    let contradictory = file.transient.choice.inconsistent == Inconsistent::LeastSquares;
    let warning = solution.warnings.iter().find(|w| {
        let permitted = contradictory && w.message.starts_with("constraints contradict each other");
        !permitted && !w.message.starts_with("the start did not meet")
    });
    if solution.verdict != Some(Verdict::Sound) {
        return Err(format!("  the audit finds it {:?}: {:?}", solution.verdict, solution.warnings));
    }
    match (&solution.outcome, warning) {
        (Outcome::Finished, None) => Ok(solution),
        (Outcome::Finished, Some(w)) => Err(format!("  warning at {} s: {}", w.t, w.message)),
        (other, _) => Err(format!("  {other}")),
    }
}

fn found(s: &Solution, e: &Expectation) -> Result<f64, String> {
    let column = s.column(&e.column).map_err(|unknown| format!("  {unknown}"))?;
    // NaN must not hide behind a maximum.
    let worst = |better: fn(f64, f64) -> f64| {
        column.iter().copied().reduce(|a, b| if a.is_nan() || b.is_nan() { f64::NAN } else { better(a, b) })
    };
    let value = match e.at {
        ExpectedAt::Max => worst(f64::max),
        ExpectedAt::Min => worst(f64::min),
        ExpectedAt::Final => column.last().copied(),
        ExpectedAt::Time(t) => s.t().iter().position(|x| (x - t).abs() < 1e-9).map(|i| column[i]),
    };
    value.ok_or_else(|| format!("  {}: there is no output at {:?}", e.column, e.at))
}

/// What is wrong with a model, or how near it comes: the largest fraction of a tolerance that is used.
fn check(path: &Path) -> Result<f64, Vec<String>> {
    let file = load(path).map_err(|e| vec![e])?;
    let solution = solve(&file).map_err(|e| vec![e])?;
    let (mut wrong, mut used) = (Vec::new(), 0.0_f64);
    if !file.expect.iter().any(|e| !e.source.starts_with("unchanged since")) {
        wrong.push("  it expects nothing that is known from elsewhere".to_string());
    }
    for e in &file.expect {
        match found(&solution, e) {
            Ok(x) if (x - e.value).abs() <= e.tolerance => used = used.max((x - e.value).abs() / e.tolerance),
            Ok(x) => wrong.push(format!(
                "  {} at {:?}: {x:.15} is {:.2e} from {:.15}, more than {:.0e} ({})",
                e.column,
                e.at,
                (x - e.value).abs(),
                e.value,
                e.tolerance,
                e.source
            )),
            Err(e) => wrong.push(e),
        }
    }
    if wrong.is_empty() { Ok(used) } else { Err(wrong) }
}

#[test]
fn models_do_as_they_say() {
    let mut failures = Vec::new();
    for path in models() {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let clock = Instant::now();
        match check(&path) {
            Ok(used) => println!("{name:28} {:6.2} s  {:5.1} %", clock.elapsed().as_secs_f64(), 100.0 * used),
            Err(wrong) => failures.push(format!("{name}\n{}", wrong.join("\n"))),
        }
    }
    assert!(failures.is_empty(), "{} models fail:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_model_has_a_header_and_a_line_in_the_readme() {
    let readme = std::fs::read_to_string(folder().join("README.md")).unwrap();
    for path in models() {
        let name = path.strip_prefix(folder()).unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let header: Vec<&str> = text.lines().take_while(|l| l.starts_with('#')).collect();
        for part in ["# Source:", "# Shows:", "# Expected:"] {
            assert!(header.iter().any(|l| l.starts_with(part)), "{name} has no line `{part}`");
        }
        assert!(readme.contains(&format!("[{name}]({name})")), "{name} is not in models/README.md");
    }
}
