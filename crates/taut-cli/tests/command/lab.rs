//! `taut lab`: table, files, errors.

use crate::common;

use common::{Folder, PENDULUM, folder_exists};
use serde_json::Value;

/// Options that make a quick table.
const QUICK: [&str; 6] = ["-t", "0.2 s", "--rtol", "1e-6", "--wall-clock", "1 s"];

fn lab<'a>(model: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["lab", model], &QUICK[..], more].concat()
}

fn trials(answer: &Value) -> &Vec<Value> {
    answer["trials"].as_array().unwrap()
}

#[test]
fn a_table_and_its_files() {
    let folder = Folder::new("lab-table");
    folder.write("p.toml", PENDULUM);
    let answer = folder.done(&lab("p.toml", &[]));
    for word in ["formulation", "constraint_force", "lagrange", "static_penalty", "baumgarte", "error:", "time:"] {
        assert!(answer.out.contains(word), "{word} in {}", answer.out);
    }
    for name in ["table.csv", "table.json", "work_precision.svg"] {
        assert!(folder_exists(&folder.path.join("p.lab"), name), "{name}");
    }
    let json: Value = serde_json::from_slice(&folder.read("p.lab/table.json")).unwrap();
    let csv = String::from_utf8(folder.read("p.lab/table.csv")).unwrap();
    let mut lines = csv.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert_eq!(lines.count(), trials(&json).len());
    for trial in trials(&json) {
        let keys: Vec<&String> = trial.as_object().unwrap().keys().collect();
        assert!(head.iter().all(|h| keys.iter().any(|k| k == h)) && keys.len() == head.len(), "{head:?} {keys:?}");
    }
    // The first line: the model's own choice, whose numbers are read back as they are.
    let first: Vec<&str> = csv.lines().nth(1).unwrap().split(',').collect();
    let cell = |name: &str| first[head.iter().position(|h| *h == name).unwrap()];
    assert_eq!((cell("formulation"), cell("drift"), cell("outcome")), ("constraint_force", "projection", "finished"));
    assert_eq!(cell("rtol").parse::<f64>().unwrap(), 1e-6);
    assert_eq!(Some(cell("error_largest").parse::<f64>().unwrap()), trials(&json)[0]["error_largest"].as_f64());
    // Again: replaced.
    folder.done(&lab("p.toml", &["--formulations", "lagrange", "-q"]));
    let json: Value = serde_json::from_slice(&folder.read("p.lab/table.json")).unwrap();
    assert_eq!(trials(&json).len(), 1);
}

#[test]
fn names_restrict_and_tolerances_extend() {
    let folder = Folder::new("lab-names");
    folder.write("p.toml", PENDULUM);
    let more = ["--formulations", "lagrange,null_space", "--drifts", "none,projection", "--json", "-o", "a.lab"];
    let found = folder.done(
        &["lab", "p.toml", "-t", "0.2", "--rtol", "1e-4,1e-6,1e-8"].iter().chain(&more).copied().collect::<Vec<_>>(),
    );
    let found = found.json();
    assert_eq!(trials(&found).len(), 2 * 2 * 3);
    assert!(trials(&found).iter().all(|t| t["outcome"] == "finished"), "{found}");
    let error = |i: usize| trials(&found)[i]["error_largest"].as_f64().unwrap();
    assert!(error(2) < error(0), "{} {}", error(2), error(0));
    let rk4 = ["--integrators", "rk4", "--drifts", "all", "--step", "1 ms", "--json", "-o", "b.lab", "--jobs", "1"];
    let found = folder.done(&lab("p.toml", &rk4)).json();
    assert_eq!(
        (trials(&found).len(), &found["trials_at_once"]),
        (taut::drift::DriftControl::NAMES.len(), &serde_json::json!(1))
    );
    assert!(trials(&found).iter().all(|t| t["step_s"] == 0.001 && t["rtol"].is_null()), "{found}");
    let sorted = folder.done(&lab("p.toml", &["--formulations", "lagrange,cholesky", "--sort", "name", "-o", "c.lab"]));
    let place = |name: &str| sorted.out.find(&format!("\n{name}")).unwrap_or_else(|| panic!("{name}: {}", sorted.out));
    assert!(place("cholesky") < place("lagrange"));
}

#[test]
fn run_with_every_method_is_the_laboratory() {
    let folder = Folder::new("lab-run");
    folder.write("p.toml", PENDULUM);
    let found = folder
        .done(&["run", "p.toml", "--method", "all", "-t", "0.1", "--rtol", "1e-6", "--wall-clock", "1 s", "--json"])
        .json();
    assert!(trials(&found).len() > 10 && found["taut_lab"] == 1);
    assert!(folder_exists(&folder.path.join("p.lab"), "table.csv") && !folder.path.join("p.run").exists());
}

#[test]
fn what_is_wrong_is_reported() {
    let folder = Folder::new("lab-wrong");
    folder.write("p.toml", PENDULUM);
    folder.write("bad.toml", &PENDULUM.replace("rod.top\"\n", "rod.topp\"\n"));
    folder.write("occupied.lab", "something else");
    std::fs::create_dir(folder.path.join("kept.lab")).unwrap();
    folder.write("kept.lab/thesis.txt", "years of work");
    let cases: [(&[&str], &[&str]); 8] = [
        (&["lab"], &["Usage"]),
        (&["lab", "p.toml", "--formulations", "lagrang"], &["lagrang", "similar", "lagrange"]),
        (&["lab", "p.toml", "--drifts", "none,baumgart"], &["baumgart", "similar", "baumgarte"]),
        (&["lab", "p.toml", "--integrators", "rk5"], &["rk5", "rk4"]),
        (&["lab", "p.toml", "--rtol", "1e-4,small"], &["small", "commas"]),
        (&["lab", "bad.toml"], &["rod.topp", "did you mean `rod.top`"]),
        (&["lab", "p.toml", "-o", "occupied.lab"], &["occupied.lab", "-o"]),
        (&["lab", "p.toml", "-o", "kept.lab"], &["kept.lab", "-o"]),
    ];
    for (arguments, named) in cases {
        let answer = folder.taut(arguments);
        assert_eq!(answer.code, 1, "{arguments:?}: {answer:?}");
        assert!(named.iter().all(|n| answer.err.contains(n)) && answer.out.is_empty(), "{arguments:?}: {answer:?}");
    }
    assert_eq!(folder.read("kept.lab/thesis.txt"), b"years of work");
}

#[test]
fn a_table_of_nothing_that_finished_has_exit_code_two() {
    let folder = Folder::new("lab-failed");
    folder.write("p.toml", PENDULUM);
    // A fixed step that nobody gives.
    let answer = folder.taut(&lab("p.toml", &["--integrators", "rk4", "--drifts", "projection"]));
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(answer.out.contains("without result") && answer.out.contains("is fixed"), "{answer:?}");
    // The default is not among these, and one of them runs.
    folder.done(&lab("p.toml", &["--formulations", "null_space"]));
}
