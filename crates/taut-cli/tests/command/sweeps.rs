//! `taut sweep`, `taut gather` and pictures of sweeps.

use crate::common;

use common::{CommandOutput, Folder, PENDULUM, TAUT, folder_exists};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A pendulum that runs for a short time, and a sweep of it.
const VARY: [&str; 8] =
    ["sweep", "p.toml", "-t", "0.2 s", "--vary", "l=400 mm:1200 mm:5", "--vary", "rod.mass=1 kg, 2 kg"];

fn with_pendulum(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("p.toml", PENDULUM);
    folder
}

fn sweep(folder: &Folder, more: &[&str]) -> CommandOutput {
    folder.taut(&[&VARY[..], more].concat())
}

/// The cells of the table.
fn table(folder: &Folder, name: &str) -> Vec<Vec<String>> {
    let text = String::from_utf8(folder.read(&format!("{name}/table.csv"))).unwrap();
    text.lines().map(|line| line.split(',').map(str::to_string).collect()).collect()
}

fn number(rows: &[Vec<String>], row: usize, name: &str) -> f64 {
    let at = rows[0].iter().position(|h| h == name).unwrap_or_else(|| panic!("{name} in {:?}", rows[0]));
    rows[row][at].parse().unwrap_or(f64::NAN)
}

#[test]
fn one_row_per_member_in_the_order_of_the_design() {
    let folder = with_pendulum("sweep-grid");
    let answer = sweep(&folder, &["-o", "s.sweep"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(answer.out.contains("10 of 10 members, 0 failed") && answer.out.contains("hinge.f.max"), "{}", answer.out);
    let rows = table(&folder, "s.sweep");
    assert_eq!(rows.len(), 11);
    assert_eq!(rows[0][..3], ["member", "l", "rod.mass"]);
    assert_eq!((number(&rows, 1, "l"), number(&rows, 1, "rod.mass")), (400.0, 1.0));
    assert_eq!((number(&rows, 4, "l"), number(&rows, 4, "rod.mass")), (600.0, 2.0));
    for row in 1..=5 {
        // Twice the mass, twice the force; the motion is the same.
        let ratio = number(&rows, 2 * row, "hinge.f.max") / number(&rows, 2 * row - 1, "hinge.f.max");
        assert!((ratio - 2.0).abs() < 1e-9, "{ratio}");
    }
    // A member is what `taut run` computes: the largest force of the summary.
    let run = ["run", "p.toml", "-t", "0.2 s", "--set", "l=600 mm", "--set", "rod.mass=2 kg", "--json"];
    let summary = folder.done(&run).json();
    let force = summary["reactions"][0]["force"]["N"].as_f64().unwrap();
    assert!((number(&rows, 4, "hinge.f.max") / force - 1.0).abs() < 1e-14, "{force}");
    assert!(folder_exists(&folder.path.join("s.sweep"), "table.parquet"));
    assert!(folder_exists(&folder.path.join("s.sweep"), "times.csv"));
}

#[test]
fn the_table_does_not_depend_on_the_number_of_jobs_or_on_shards() {
    let folder = with_pendulum("sweep-jobs");
    for (name, jobs) in [("a.sweep", "1"), ("b.sweep", "3")] {
        assert_eq!(sweep(&folder, &["-o", name, "-j", jobs, "-q"]).code, 0);
    }
    for shard in ["1/3", "2/3"] {
        assert_eq!(sweep(&folder, &["-o", "c.sweep", "--shard", shard, "-q"]).code, 0);
    }
    let early = folder.taut(&["gather", "c.sweep"]);
    assert!(early.code == 1 && early.err.contains("3 of 10 members are missing; shards 3 of 3"), "{early:?}");
    assert_eq!(sweep(&folder, &["-o", "c.sweep", "--shard", "3/3", "-q"]).code, 0);
    let ungathered = folder.taut(&["plot", "c.sweep"]);
    assert!(ungathered.code == 1 && ungathered.err.contains("taut gather"), "{ungathered:?}");
    folder.done(&["gather", "c.sweep"]);
    for file in ["table.csv", "table.parquet"] {
        let first = folder.read(&format!("a.sweep/{file}"));
        assert!(first == folder.read(&format!("b.sweep/{file}")), "{file} of 3 threads");
        assert!(first == folder.read(&format!("c.sweep/{file}")), "{file} of 3 shards");
    }
    let other =
        folder.taut(&["sweep", "p.toml", "-t", "0.3 s", "--vary", "l=1:2:4", "-o", "d.sweep", "--shard", "1/1", "-q"]);
    assert_eq!(other.code, 0, "{other:?}");
    let mixed = folder.taut(&["gather", "e.sweep", "c.sweep/shard-1-of-3", "d.sweep"]);
    assert!(mixed.code == 1 && mixed.err.contains("different sweeps"), "{mixed:?}");
}

#[test]
fn a_killed_sweep_is_resumed_with_the_same_table() {
    let folder = with_pendulum("sweep-killed");
    let long = ["sweep", "p.toml", "--vary", "l=400 mm:1200 mm:400", "--rtol", "1e-12", "-q"];
    folder.done(&[&long[..], &["-o", "whole.sweep"]].concat());
    let mut command = Command::new(TAUT);
    command.args(long).args(["-o", "s.sweep"]).current_dir(&folder.path);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let journal = folder.path.join("s.sweep/members.jsonl");
    let lines = || std::fs::read_to_string(&journal).map_or(0, |t| t.lines().count());
    let begun = Instant::now();
    while lines() < 20 && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(2));
    }
    // A second process is refused while the first one runs.
    let second = folder.taut(&["sweep", "--resume", "s.sweep"]);
    child.kill().unwrap();
    child.wait().unwrap();
    let done = lines();
    if done < 400 {
        assert!(second.code == 1 && second.err.contains("another process is writing"), "{second:?}");
        let again = folder.taut(&[&long[..], &["-o", "s.sweep"]].concat());
        assert!(again.code == 1 && again.err.contains("taut sweep --resume s.sweep"), "{again:?}");
    }
    // A line that was cut off.
    let mut text = std::fs::read(&journal).unwrap();
    text.extend_from_slice(b"{\"member\":39");
    std::fs::write(&journal, text).unwrap();
    folder.done(&["sweep", "--resume", "s.sweep", "-q"]);
    for file in ["table.csv", "table.parquet"] {
        assert!(folder.read(&format!("s.sweep/{file}")) == folder.read(&format!("whole.sweep/{file}")), "{file}");
    }
    assert_eq!(lines(), 400, "no member was computed twice");
    folder.write("p.toml", &PENDULUM.replace("2 kg", "3 kg"));
    let changed = folder.taut(&["sweep", "--resume", "s.sweep"]);
    assert!(changed.code == 1 && changed.err.contains("another model"), "{changed:?}");
}

#[test]
fn a_member_that_fails_is_a_row_with_its_reason() {
    let folder = with_pendulum("sweep-fails");
    let answer =
        folder.done(&["sweep", "p.toml", "-t", "0.1 s", "--vary", "rod.mass=-1:2:4", "-o", "s.sweep", "--json"]);
    let lines: Vec<serde_json::Value> =
        answer.out.lines().filter(|l| l.starts_with("{\"")).map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines.len(), 4, "{}", answer.out);
    let failed = lines.iter().find(|l| l["member"] == 0).unwrap();
    assert_eq!((failed["status"].as_str(), failed["parameters"]["rod.mass"].as_f64()), (Some("failed"), Some(-1.0)));
    assert!(failed["message"].as_str().unwrap().contains("mass"), "{failed}");
    let rows = table(&folder, "s.sweep");
    assert!(number(&rows, 1, "hinge.f.max").is_nan() && number(&rows, 4, "hinge.f.max") > 1.0);
    let none =
        folder.taut(&["sweep", "p.toml", "-t", "1 s", "--vary", "l=1:2:2", "--max-steps", "2", "-o", "n.sweep", "-q"]);
    assert_eq!(none.code, 2, "{none:?}");
}

#[test]
fn measures_samples_and_cases() {
    let folder = with_pendulum("sweep-measures");
    folder.done(&[
        "sweep",
        "p.toml",
        "-t",
        "0.5 s",
        "--vary",
        "l=normal(1 m, 10 mm)",
        "--vary",
        "rod.mass=1 kg:3 kg",
        "--sample",
        "sobol",
        "--count",
        "16",
        "--seed",
        "3",
        "--keep",
        "low = min(rod.tip.y)",
        "--keep",
        "at(rod.tip.y, 0.25 s)",
        "--keep",
        "final(rod.tip.y)/final(rod.tip.x)",
        "--keep",
        "run",
        "-o",
        "s.sweep",
        "-q",
    ]);
    let rows = table(&folder, "s.sweep");
    assert_eq!(rows.len(), 17);
    assert_eq!(rows[0][3], "low");
    assert!(number(&rows, 1, "low") < -0.5, "{rows:?}");
    let masses: Vec<f64> = (1..17).map(|r| number(&rows, r, "rod.mass")).collect();
    assert!(masses.iter().all(|m| (1.0..3.0).contains(m)) && masses.iter().any(|m| *m < 1.5));
    assert!(folder_exists(&folder.path.join("s.sweep/runs"), "0000007.run"));
    folder.done(&["plot", "s.sweep/runs/0000007.run", "s.sweep/runs/0000008.run", "rod.tip.y", "-o", "both.svg"]);
    let picture = String::from_utf8(folder.read("both.svg")).unwrap();
    assert!(picture.contains("0000007.run") && picture.contains("(largest)"), "{picture}");
    folder.write("cases.csv", "l [mm],rod.mass\n500,1 kg\n900,500 g\n");
    folder.done(&["sweep", "p.toml", "-t", "0.1 s", "--cases", "cases.csv", "-o", "c.sweep", "-q"]);
    let rows = table(&folder, "c.sweep");
    assert_eq!((number(&rows, 2, "l"), number(&rows, 2, "rod.mass")), (900.0, 0.5));
}

#[test]
fn other_analyses() {
    let folder = with_pendulum("sweep-analyses");
    let hanging = ["--set", "rod.position=[0, \"-l/2\"]", "--set", "rod.angle=-90 deg"];
    let command = ["sweep", "p.toml", "--analysis", "modes", "-n", "1", "--vary", "l=0.5:2:4", "-o", "m.sweep", "-q"];
    folder.done(&[&command[..], &hanging].concat());
    let rows = table(&folder, "m.sweep");
    for row in 1..=4 {
        // A rod on a hinge: ω² = 3 g/(2 l).
        let (l, f) = (number(&rows, row, "l"), number(&rows, row, "frequency_1"));
        let expected = (1.5 * 9.81 / l).sqrt() / std::f64::consts::TAU;
        assert!((f / expected - 1.0).abs() < 1e-9, "{l}: {f}, not {expected}");
    }
    folder.done(&["sweep", "p.toml", "--analysis", "static", "--vary", "l=1:2:2", "-o", "s.sweep", "-q"]);
    let rows = table(&folder, "s.sweep");
    assert!((number(&rows, 1, "hinge.f.max") - 2.0 * 9.81).abs() < 1e-6, "{rows:?}");
}

#[test]
fn pictures() {
    let folder = with_pendulum("sweep-pictures");
    assert_eq!(sweep(&folder, &["-o", "s.sweep", "-q"]).code, 0);
    let listed = folder.done(&["plot", "s.sweep"]);
    assert!(listed.out.contains("hinge.f.max") && listed.out.contains("varied parameter"), "{listed:?}");
    for kind in ["response", "heat_map", "scatter_matrix", "parallel", "tornado"] {
        let file = format!("{kind}.svg");
        folder.done(&["plot", "s.sweep", "hinge.f.max", "--kind", kind, "-o", &file]);
        let text = String::from_utf8(folder.read(&file)).unwrap();
        assert!(text.contains("hinge.f.max") && !text.contains("NaN"), "{kind}");
        assert!(kind == "tornado" || text.contains("member 1: l = 400 mm"), "{kind}: the worst member is named");
    }
    let unknown = folder.taut(&["plot", "s.sweep", "hinge.f.mx"]);
    assert!(unknown.code == 1 && unknown.err.contains("did you mean `hinge.f.max`?"), "{unknown:?}");
}

#[test]
fn messages_for_bad_input() {
    let folder = with_pendulum("sweep-bad");
    folder.write("cases.csv", "l,rod.mass\n1,2\n3\n");
    let cases: &[(&[&str], &[&str])] = &[
        (&["--vary", "ll=1:2:3"], &["no parameter `ll`", "did you mean `l`?"]),
        (&["--vary", "rood.mass=1:2:3"], &["no element `rood`", "did you mean `rod`?"]),
        (&["--vary", "l=1:2:0"], &["the range is empty", "command line:1"]),
        (&["--vary", "l=80 kg:120 kg:3"], &["kg"]),
        (&["--vary", "l=80 mm:120 kg:3"], &["their units differ"]),
        (&["--vary", "l"], &["has no `=`"]),
        (&["--vary", "l=1:2"], &["--sample"]),
        (&["--vary", "l=1:2:3", "--vary", "l=1:2:3"], &["varied twice"]),
        (&[], &["no parameter is varied"]),
        (&["--cases", "cases.csv"], &["column `rod.mass` is missing", "cases.csv:3:1"]),
        (&["--vary", "l=1:2:3", "--keep", "max(rod.tip.z1)"], &["rod.tip.z"]),
        (&["--vary", "l=1:2:3", "--keep", "max(rod.tip.x"], &["not closed"]),
        (&["--vary", "l=1:2:3", "--shard", "4/3"], &["out of range"]),
        (&["--vary", "l=1:2:3", "--shard", "5/5"], &["has no members"]),
        (&["--vary", "l=1:2:3", "--analysis", "campbell"], &["needs --over"]),
        (&["--vary", "l=1:2:3", "--analysis", "modes", "--keep", "run"], &["no motion"]),
    ];
    for (arguments, expected) in cases {
        let answer = folder.taut(&[&["sweep", "p.toml", "-o", "bad.sweep"], *arguments].concat());
        assert_eq!(answer.code, 1, "{arguments:?}: {answer:?}");
        for word in *expected {
            assert!(answer.err.contains(word), "{arguments:?}: no `{word}` in {}", answer.err);
        }
        assert!(!folder_exists(&folder.path, "bad.sweep/members.jsonl"), "{arguments:?}");
    }
    folder.write("full.sweep", "a file");
    assert_eq!(sweep(&folder, &["-o", "full.sweep"]).code, 1);
    std::fs::create_dir(folder.path.join("mine")).unwrap();
    folder.write("mine/notes.txt", "keep");
    let foreign = sweep(&folder, &["-o", "mine"]);
    assert!(foreign.code == 1 && foreign.err.contains("does not contain a sweep"), "{foreign:?}");
    assert!(Path::new(&folder.path.join("mine/notes.txt")).exists());
    let nothing = folder.taut(&["sweep", "--resume", "mine"]);
    assert!(nothing.code == 1 && nothing.err.contains("contains no sweep"), "{nothing:?}");
}
