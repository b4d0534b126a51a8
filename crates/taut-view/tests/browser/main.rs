//! Reports opened in a real browser and used like by a person: played, scrubbed, selected, plotted. The drawing is compared
//! with the data, and every external request is a failure. The checks are in `viewer/tests/browser`.
//!
//! They need Node and Chromium, which `./test.sh` installs. `TAUT_BROWSER=none` leaves them out and says so.

#[path = "../viewing/common.rs"]
#[allow(dead_code)]
mod common;

use common::{TemporaryFolder, load, run};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use taut::{Column, Outcome, Statistics, Table};
use taut_io::results::{Format, NewRun, RunWriter, StoredRun};
use taut_view::pack::{BUDGET, pack};
use taut_view::page;
use taut_view::scene_graph::RunScene;
use taut_view::server::{HTML, OnDemand, RUN, Resources, Server, ServerControl};

/// Model, changes as `--set` takes them.
type Shown = (&'static str, &'static [(&'static str, &'static str)]);

/// Planar, spatial, impacts, sticking, a beam, a rotor, a robot.
const MODELS: [Shown; 7] = [
    ("four_bar.toml", &[]),
    ("iftomm_a04_bricard.toml", &[("settings.duration", "2")]),
    ("contact/bouncing_ball.toml", &[]),
    ("contact/incline.toml", &[]),
    ("papers/masarati_swing_4.toml", &[("settings.duration", "0.2")]),
    ("rotor.toml", &[]),
    ("robot_arm.toml", &[]),
];

/// Whether browsers are wanted; anything but a plain no is a yes.
fn wanted() -> bool {
    let none = std::env::var("TAUT_BROWSER").is_ok_and(|x| x == "none");
    if none {
        eprintln!("left out: TAUT_BROWSER=none");
    }
    !none
}

fn chromium() -> PathBuf {
    let named = std::env::var_os("TAUT_CHROMIUM").map(PathBuf::from);
    let usual = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].map(PathBuf::from);
    let found = named.into_iter().chain(usual).find(|path| path.exists());
    found.expect("a browser: ./test.sh installs Chromium, TAUT_CHROMIUM names another, TAUT_BROWSER=none does without")
}

/// Runs the browser checks on reports or addresses.
fn check(what: &[&Path], more: &[&str]) {
    run_script("run.mjs", what, more);
}

fn run_script(name: &str, what: &[&Path], more: &[&str]) {
    let viewer = Path::new(env!("TAUT_VIEWER"));
    let done = Command::new("node")
        .current_dir(viewer)
        .arg(format!("tests/browser/{name}"))
        .args(what)
        .args(more)
        .arg("--chromium")
        .arg(chromium())
        .output()
        .expect("node, with which the page was built");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(done.status.success(), "{}\n{}", text(&done.stdout), text(&done.stderr));
}

fn packed(scratch: &TemporaryFolder, (model, changes): Shown) -> Vec<u8> {
    let folder = scratch.join("run");
    run(&load(model, changes), &folder, Format::Csv);
    pack(&RunScene::open(&folder).unwrap(), BUDGET).unwrap()
}

/// A run whose title, column, unit and meaning would do harm as HTML; the checks look for it.
fn hostile(scratch: &TemporaryFolder) -> Vec<u8> {
    let nasty = "</script><img src=x onerror=\"window.hurt=1\"><script>window.hurt=1</script>\u{202e}";
    let file = load("four_bar.toml", &[]);
    run(&file, &scratch.join("plain"), Format::Csv);
    let source = StoredRun::open(&scratch.join("plain")).unwrap();
    let names: Vec<&str> = source.columns().iter().map(|c| c.name.as_str()).collect();
    let plain = source.table(&names).unwrap();
    let text = nasty.to_string();
    let own = Column { name: text.clone(), unit: text.clone(), meaning: text.clone(), ..plain.columns()[1].clone() };
    let table: Table = plain.columns().iter().cloned().chain([own]).collect();
    let about = NewRun { title: text, model: source.model().unwrap(), ..NewRun::default() };
    let mut writer = RunWriter::create(&scratch.join("hostile"), &about, &table).unwrap();
    writer.append(&table).unwrap();
    writer.finish(&Outcome::Finished, &Statistics::default(), &[]).unwrap();
    pack(&RunScene::open(&scratch.join("hostile")).unwrap(), BUDGET).unwrap()
}

#[test]
fn reports_work_from_disk() {
    if !wanted() {
        return;
    }
    let page = page::html().expect("the page, which is built where Node is at hand");
    let scratch = TemporaryFolder::new("reports");
    let reports = scratch.join("reports");
    std::fs::create_dir(&reports).unwrap();
    for shown in MODELS {
        let data = packed(&scratch, shown);
        let name = shown.0.replace('/', "_").replace(".toml", ".html");
        std::fs::write(reports.join(name), page::report(page, &data, &[]).unwrap()).unwrap();
    }
    std::fs::write(reports.join("hostile.html"), page::report(page, &hostile(&scratch), &[]).unwrap()).unwrap();
    let light = packed(&scratch, ("four_bar.toml", &[]));
    let other = packed(&scratch, ("four_bar.toml", &[("settings.duration", "1")]));
    let both = page::report(page, &light, &[other]).unwrap();
    std::fs::write(reports.join("compared.html"), both).unwrap();
    check(&[&reports], &["--frames", "200"]);
}

/// The page's own unit tests and the check of its types.
#[test]
fn the_parts_of_the_page_work() {
    page::html().expect("the page, which is built where Node is at hand");
    for arguments in [["run", "check"], ["run", "test"]] {
        let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
        let done = Command::new(npm).current_dir(env!("TAUT_VIEWER")).args(arguments).output().expect("npm");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(done.status.success(), "{}\n{}", text(&done.stdout), text(&done.stderr));
    }
}

#[test]
fn the_served_page_works() {
    if !wanted() {
        return;
    }
    let page = page::html().expect("the page, which is built where Node is at hand");
    let scratch = TemporaryFolder::new("served");
    let own = packed(&scratch, MODELS[0]);
    let resources =
        Resources { page: page::served(page, 0).into_bytes(), run: own, ghosts: Vec::new(), on_demand: None };
    served(resources, |link| check(&[Path::new(link)], &["--frames", "200"]));
}

/// Serves while `act` uses the address.
fn served(resources: Resources, act: impl FnOnce(&str) + std::panic::UnwindSafe) {
    let server = Server::bind(0, resources).unwrap();
    let (link, over) = (server.link(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            server.serve(|| if over.load(Ordering::Relaxed) { ServerControl::Stop } else { ServerControl::On })
        });
        let outcome = std::panic::catch_unwind(|| act(&link));
        over.store(true, Ordering::Relaxed);
        if let Err(failure) = outcome {
            std::panic::resume_unwind(failure);
        }
    });
}

#[test]
fn a_click_on_a_member_of_a_sweep_opens_its_motion() {
    if !wanted() {
        return;
    }
    let page = page::html().expect("the page, which is built where Node is at hand");
    let scratch = TemporaryFolder::new("sweep");
    let (own, viewer) = (packed(&scratch, MODELS[0]), page::served(page, 0).into_bytes());
    let make = move |path: &str| match path {
        "/member/2/" => Some((HTML, viewer.clone())),
        "/member/2/run.taut" => Some((RUN, own.clone())),
        _ => None,
    };
    let rows: Vec<_> = (0..3)
        .map(
            |k| serde_json::json!({ "member": k, "values": [k, 2 * k], "ok": true, "verdict": "sound", "message": "" }),
        )
        .collect();
    let data = serde_json::json!({
        "title": "Sweep", "members": 3, "parameters": 1, "names": ["l", "peak"], "units": ["m", "N"], "rows": rows,
    });
    let page = page::sweep(&data).into_bytes();
    let resources = Resources { page, on_demand: Some(OnDemand(Arc::new(make))), ..Resources::default() };
    served(resources, |link| run_script("sweep.mjs", &[Path::new(link), Path::new("2")], &[]));
}
