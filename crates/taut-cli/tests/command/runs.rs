//! `taut run` and what follows it: folders, stops, interrupts, comparisons, pictures.
#![cfg(unix)] // Ctrl-C is sent by `kill`

use crate::common;

use common::{CommandOutput, Folder, PENDULUM, TAUT, folder_exists};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn a_run_tells_and_keeps() {
    let folder = Folder::new("run");
    folder.write("p.toml", PENDULUM);
    let run = folder.done(&["run", "p.toml"]);
    for part in [
        "p: sound; finished at t = 1 s",
        "freedoms   1",
        "energy     balanced",
        "residuals  position",
        "  hinge",
        "p.run",
    ] {
        assert!(run.out.contains(part), "{part}: {run:?}");
    }
    assert_eq!(run.err, "");
    assert!(folder_exists(&folder.path, "p.run/manifest.json") && folder_exists(&folder.path, "p.run/model.toml"));
    let table = String::from_utf8(folder.read("p.run/table.csv")).unwrap();
    assert!(table.lines().count() > 100);

    let quiet = folder.done(&["run", "p.toml", "--quiet", "-o", "q.run"]);
    assert_eq!((quiet.out.as_str(), quiet.err.as_str()), ("", ""));
    assert_eq!(folder.read("q.run/table.csv"), folder.read("p.run/table.csv"));

    let json = folder.done(&["run", "p.toml", "--json", "-t", "500 ms", "--every", "0.1", "--rtol", "1e-10"]).json();
    assert_eq!((json["outcome"].as_str(), json["t"].as_f64()), (Some("finished"), Some(0.5)));
    assert_eq!((json["freedoms"].as_u64(), json["rows"].as_u64()), (Some(1), Some(6)));
    assert!(json["reactions"][0]["force"]["N"].as_f64().unwrap() > 1.0, "{json}");
}

#[test]
fn rough_rods_on_ground_of_triangles_use_time_stepping_unless_the_file_says_otherwise() {
    let folder = Folder::new("rods");
    let of = |shape: &str, contact_method: &str| {
        format!(
            "taut = 2\ngravity = [0, 0, -9.81]\n[bodies.it]\ntype = \"rigid\"\nmass = 1\ninertia = [0.01, 0.01, 0.01]\n\
             position = [0, 0, 1]\n[surfaces.it]\nmarker = \"it\"\n{shape}\n[surfaces.bowl]\nmarker = \"ground\"\n\
             shape = \"height_field\"\nsize = [2, 2]\nheights = [[0.1, 0.1], [0.1, 0.2]]\n[contacts.floor]\n\
             between = [\"it\", \"bowl\"]\nfriction = 0.3\n[settings]\nduration = 0.1\n{contact_method}\n[outputs]\nevery = 0.05\n"
        )
    };
    let (rod, ball) = ("shape = \"capsule\"\nradius = 0.1\nlength = 0.3", "shape = \"sphere\"\nradius = 0.1");
    folder.write("rod.toml", &of(rod, ""));
    let run = folder.done(&["run", "rod.toml"]);
    assert!(run.err.contains("using time stepping") && run.err.contains("`it` and `bowl`"), "{run:?}");
    folder.write("forced.toml", &of(rod, "contact_method = \"event_driven\""));
    assert_eq!(folder.done(&["run", "forced.toml"]).err, "");
    folder.write("ball.toml", &of(ball, ""));
    assert_eq!(folder.done(&["run", "ball.toml"]).err, "");
}

#[test]
fn settings_from_the_command_line_are_those_of_the_file() {
    let folder = Folder::new("settings");
    folder.write("p.toml", PENDULUM);
    folder.write(
        "q.toml",
        &PENDULUM.replace("duration = \"1 s\"", "duration = 0.5\nmethod = \"dormand_prince\"\nrtol = 1e-6"),
    );
    folder.done(&["run", "p.toml", "-t", "0.5 s", "--method", "dormand_prince", "--rtol", "1e-6"]);
    folder.done(&["run", "q.toml"]);
    assert_eq!(folder.read("p.run/table.csv"), folder.read("q.run/table.csv"));
    for format in ["parquet", "npz"] {
        folder.done(&["run", "q.toml", "--format", format, "-o", format]);
        folder.done(&["compare", "q.run", format]);
    }
}

#[test]
fn folders_of_others_are_left_alone() {
    let folder = Folder::new("folders");
    folder.write("p.toml", PENDULUM);
    std::fs::create_dir(folder.path.join("p.run")).unwrap();
    folder.write("p.run/thesis.tex", "years of work");
    for force in [&[][..], &["--force"]] {
        let refused = folder.taut(&[&["run", "p.toml"][..], force].concat());
        assert!(refused.code == 1 && refused.err.contains("p.run"), "{refused:?}");
    }
    assert_eq!(folder.read("p.run/thesis.tex"), b"years of work");
    // Other programs have a manifest.json too.
    for foreign in ["{ \"name\": \"an extension\" }", "no JSON"] {
        folder.write("p.run/manifest.json", foreign);
        folder.write("p.run/model.toml", "mine");
        for force in [&[][..], &["--force"]] {
            let refused = folder.taut(&[&["run", "p.toml"][..], force].concat());
            assert!(refused.code == 1 && refused.err.contains("does not contain a run of taut"), "{refused:?}");
        }
        assert_eq!(folder.read("p.run/manifest.json"), foreign.as_bytes());
        assert_eq!(folder.read("p.run/model.toml"), b"mine");
    }
    std::fs::remove_dir_all(folder.path.join("p.run")).unwrap();
    // An earlier run of one's own is replaced, with a notice.
    folder.done(&["run", "p.toml"]);
    let again = folder.done(&["run", "p.toml", "-t", "0.5"]);
    assert!(again.err.contains("replaced"), "{again:?}");
}

#[test]
fn a_numerical_stop_keeps_the_results_and_names_the_element() {
    let folder = Folder::new("stop");
    let force = "[forces.gale]\ntype = \"generalised_force\"\ncoordinate = \"rod.theta\"\nforce = \"sqrt(0.5-t)\"\n";
    folder.write("p.toml", &format!("{PENDULUM}{force}"));
    let stopped = folder.taut(&["run", "p.toml"]);
    assert_eq!(stopped.code, 2, "{stopped:?}");
    assert!(stopped.err.contains("`rod`") || stopped.err.contains("`gale`"), "{stopped:?}");
    let table = String::from_utf8(folder.read("p.run/table.csv")).unwrap();
    assert!(table.lines().count() > 20);
    let limited = folder.taut(&["run", "p.toml", "--max-steps", "3", "-o", "l.run"]);
    assert!(limited.code == 2 && limited.err.contains("steps"), "{limited:?}");
}

/// Starts a run and interrupts it once it has written enough.
fn interrupted(folder: &Folder, arguments: &[&str], table: &str) -> CommandOutput {
    let mut command = Command::new(TAUT);
    command.args(arguments).current_dir(&folder.path).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let clock = Instant::now();
    let written = || std::fs::metadata(folder.path.join(table)).map_or(0, |m| m.len());
    while written() < 20_000 && clock.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    CommandOutput::of(&child.wait_with_output().unwrap())
}

#[test]
fn ctrl_c_keeps_everything_and_a_resumed_run_has_the_same_bytes() {
    let folder = Folder::new("interrupt");
    folder.write("p.toml", PENDULUM);
    let settings = ["-t", "3000", "--every", "0.5", "--rtol", "1e-12"];
    let arguments = [&["run", "p.toml", "-o", "cut.run"][..], &settings].concat();
    let cut = interrupted(&folder, &arguments, "cut.run/table.csv");
    assert_eq!(cut.code, 130, "{cut:?}");
    assert!(cut.err.contains("taut run --resume cut.run"), "{cut:?}");
    assert!(cut.out.contains("interrupted at t ="), "{cut:?}");

    // What was computed is not thrown away by running again.
    let again = folder.taut(&arguments);
    assert!(again.code == 1 && again.err.contains("--resume"), "{again:?}");

    let resumed = folder.done(&["run", "--resume", "cut.run"]);
    assert!(resumed.out.contains("finished at t = 3000 s"), "{resumed:?}");
    folder.done(&[&["run", "p.toml", "-o", "whole.run"][..], &settings].concat());
    assert_eq!(folder.read("cut.run/table.csv"), folder.read("whole.run/table.csv"));
    assert_eq!(folder.read("cut.run/model.toml"), folder.read("whole.run/model.toml"));

    let finished = folder.taut(&["run", "--resume", "whole.run"]);
    assert_eq!(finished.code, 1, "{finished:?}");
    assert_eq!(folder.taut(&["run", "--resume", "cut.run", "--rtol", "1e-3"]).code, 1);
}

#[test]
fn a_folder_has_one_writer() {
    let folder = Folder::new("writers");
    folder.write("p.toml", PENDULUM);
    let mut command = Command::new(TAUT);
    command.args(["run", "p.toml", "-t", "100000", "--rtol", "1e-12", "-q"]).current_dir(&folder.path);
    let mut live = command.spawn().unwrap();
    let clock = Instant::now();
    while !folder_exists(&folder.path, "p.run/checkpoint.json") && clock.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let model = folder.read("p.run/model.toml");
    for arguments in [&["run", "p.toml", "--force", "-t", "1"][..], &["run", "--resume", "p.run"]] {
        let refused = folder.taut(arguments);
        assert!(refused.code == 1 && refused.err.contains("another process is writing"), "{refused:?}");
        assert!(!refused.err.contains("replaced"), "{refused:?}");
    }
    assert_eq!(folder.read("p.run/model.toml"), model);
    // A lock does not outlive its process.
    live.kill().unwrap();
    live.wait().unwrap();
    folder.done(&["run", "p.toml", "--force", "-t", "1"]);
    assert!(!folder_exists(&folder.path, "p.run/.taut.lock"));
}

#[test]
fn a_limited_run_is_resumed_to_the_same_bytes() {
    let folder = Folder::new("limits");
    folder.write("p.toml", PENDULUM);
    for (limit, much, settings) in [
        ("--wall-clock", "100 ms", ["-t", "1500", "--every", "0.37", "--rtol", "1e-12"]),
        ("--max-steps", "40", ["-t", "10", "--every", "0.37", "--rtol", "1e-10"]),
    ] {
        folder.done(&[&["run", "p.toml", "-o", "whole.run"][..], &settings].concat());
        let arguments = [&["run", "p.toml", "-o", "cut.run", limit, much, "--force"][..], &settings].concat();
        let mut part = folder.taut(&arguments);
        assert!(part.code == 2 && part.err.contains("taut run --resume cut.run"), "{part:?}");
        assert_eq!(folder.taut(&["run", "p.toml", "-o", "cut.run"]).code, 1, "thrown away without --force");
        let mut resumed = 0;
        while part.code == 2 && resumed < 200 {
            part = folder.taut(&["run", "--resume", "cut.run"]);
            resumed += 1;
        }
        assert!(part.code == 0 && resumed > 1, "{resumed}: {part:?}");
        assert_eq!(folder.read("cut.run/table.csv"), folder.read("whole.run/table.csv"), "{limit}");
        assert_eq!(folder.read("cut.run/events.csv"), folder.read("whole.run/events.csv"));
    }
}

#[test]
fn the_clock_on_the_wall_runs_from_the_start_of_the_command() {
    let folder = Folder::new("clock");
    // Ten boxes on each other: 55 pairs of surfaces, which take long to make ready and much longer to run.
    let model = "taut = 2\ngravity = [0, 0, -9.81]\n[[repeat]]\nfor = \"i\"\nfrom = 0\nto = 9\n\
        [repeat.bodies.\"b{i}\"]\ntype = \"rigid\"\nmass = 1\nshape = { type = \"box\", size = [0.2, 0.2, 0.2] }\n\
        position = [\"0.01*mod(i,2)\", 0, \"0.1 + 0.2*i\"]\n[repeat.surfaces.\"s{i}\"]\nmarker = \"b{i}\"\nshape = \"box\"\n\
        size = [0.2, 0.2, 0.2]\n[surfaces.floor]\nmarker = \"ground\"\nshape = \"half_space\"\n\
        [contacts.all]\nbetween = \"all\"\nfriction = 0.5\n[settings]\ncontact_method = \"event_driven\"\nduration = 100\n";
    folder.write("stack.toml", model);
    // Of three, since other tests may keep the machine from running it.
    let took = (0..3).map(|_| {
        let clock = Instant::now();
        let part = folder.taut(&["run", "stack.toml", "--wall-clock", "3 s", "--force"]);
        assert!(part.code == 2 && part.err.contains("--resume"), "{part:?}");
        clock.elapsed()
    });
    let took: Vec<Duration> = took.collect();
    assert!(took.iter().any(|t| *t < Duration::from_secs(4)), "{took:?}");
}

#[test]
fn a_fixed_step_must_be_given() {
    let folder = Folder::new("fixed");
    folder.write("p.toml", PENDULUM);
    folder.done(&["run", "p.toml"]);
    let refused = folder.taut(&["run", "p.toml", "--method", "rk4"]);
    assert!(refused.code == 1 && refused.err.contains("rk4 needs --step (settings.step)"), "{refused:?}");
    assert!(!refused.err.contains("replaced"), "{refused:?}");
}

#[test]
fn runs_are_compared() {
    let folder = Folder::new("compare");
    folder.write("p.toml", PENDULUM);
    folder.done(&["run", "p.toml", "-o", "a"]);
    folder.done(&["run", "p.toml", "-o", "b", "--rtol", "1e-10"]);
    folder.done(&["run", "p.toml", "-o", "c", "--set", "l=1.5"]);
    folder.done(&["compare", "a", "b", "--tol", "1e-5"]);
    let equal = folder.done(&["compare", "a", "a"]);
    assert!(equal.out.starts_with("equal") && equal.out.contains("tolerance"), "{equal:?}");
    folder.done(&["run", "p.toml", "-o", "d", "--every", "0.0101"]);
    let few = folder.taut(&["compare", "a", "d"]);
    assert!(few.code == 1 && few.out.starts_with("not comparable"), "{few:?}");
    let differ = folder.taut(&["compare", "a", "c", "--tol", "1e-5"]);
    assert!(differ.code == 1 && differ.out.contains("rod."), "{differ:?}");
}

#[test]
fn runs_are_plotted() {
    let folder = Folder::new("plot");
    folder.write("p.toml", PENDULUM);
    folder.done(&["run", "p.toml"]);
    let list = folder.done(&["plot", "p.run"]).out;
    assert!(list.contains("hinge.fx") && list.contains("energy.kinetic"), "{list}");
    folder.done(&["plot", "p.run", "hinge.fx", "hinge.fy", "rod.theta", "/", "rod.x", "-o", "p.svg"]);
    assert!(String::from_utf8(folder.read("p.svg")).unwrap().contains("<svg"));
    folder.done(&["plot", "p.run", "hinge.f*", "-o", "p.png"]);
    assert_eq!(&folder.read("p.png")[1..4], b"PNG");
    let unknown = folder.taut(&["plot", "p.run", "hinge.fq", "-o", "q.svg"]);
    assert!(unknown.code == 1 && unknown.err.contains("hinge.fq"), "{unknown:?}");
}

#[test]
fn a_bench_gives_a_rate() {
    let folder = Folder::new("bench");
    folder.write("p.toml", PENDULUM);
    let json = folder.done(&["bench", "p.toml", "-n", "2", "--json"]).json();
    assert!(json["evaluations_per_s"].as_f64().unwrap() > 100.0, "{json}");
    assert!(folder.done(&["bench", "p.toml", "-n", "1"]).out.contains("per second"));
}

#[test]
fn expectations_are_checked() {
    let folder = Folder::new("expect");
    // A rod falls from level: theta'' = -3 g/(2 l).
    let rule = |value: &str| {
        format!(
            "[[expect]]\ncolumn = \"rod.alpha\"\ntime = 0\nvalue = {value}\ntolerance = 1e-9\nsource = \"closed form\"\n"
        )
    };
    folder.write("p.toml", &format!("{PENDULUM}{}", rule("-14.715")));
    folder.write("q.toml", &format!("{PENDULUM}{}", rule("-14.7")));
    assert!(folder.done(&["run", "p.toml"]).out.contains("1 of 1 met"));
    let missed = folder.taut(&["run", "q.toml"]);
    assert!(missed.code == 1 && missed.err.contains("rod.alpha") && missed.err.contains("closed form"), "{missed:?}");
}
