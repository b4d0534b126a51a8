//! Packing: the decoded data equal those of the run.

use crate::common::{TemporaryFolder, load, run, run_scene};
use serde_json::Value;
use taut_io::results::{ExistingResults, Format, NewRun, RunWriter, StoredRun};
use taut_view::pack::{BUDGET, decode, pack};
use taut_view::page;
use taut_view::scene_graph::{FilmRows, RunScene};

fn array(arrays: &[Vec<f64>], component: &Value, n: usize) -> Vec<f64> {
    match component.as_u64() {
        Some(i) => arrays[i as usize].clone(),
        None => vec![component["constant"].as_f64().unwrap(); n],
    }
}

fn column<'a>(header: &'a Value, name: &str) -> &'a Value {
    header["table"]["columns"].as_array().unwrap().iter().find(|c| c["name"] == name).unwrap()
}

#[test]
fn decoded_it_equals_the_run() {
    let scratch = TemporaryFolder::new("decoded");
    let stage = run_scene(&scratch, "contact/bouncing_ball.toml", &[]);
    let (header, arrays) = decode(&pack(&stage, BUDGET).unwrap()).unwrap();
    assert_eq!(header["version"], 1);
    assert_eq!(header["scene"], serde_json::to_value(&stage.scene).unwrap());
    assert_eq!(header["table"]["thinned"], "none");
    let film = stage.film(FilmRows::All);
    assert_eq!(arrays[header["film"]["t"].as_u64().unwrap() as usize], film.t);
    for (track, info) in film.tracks.iter().zip(header["film"]["tracks"].as_array().unwrap()) {
        for i in 0..3 {
            let found = array(&arrays, &info["p"][i], film.t.len());
            let given = track.p.iter().map(|p| p[i]);
            assert!(found.iter().zip(given).all(|(a, b)| (a - b).abs() <= 1e-7 * b.abs()));
        }
        for i in 0..4 {
            let found = array(&arrays, &info["q"][i], film.t.len());
            assert!(found.iter().zip(&track.q).all(|(a, q)| (a - q[i]).abs() < 1e-7));
        }
    }
    for c in stage.run.columns().iter().filter(|c| c.name != "t") {
        let found = &arrays[column(&header, &c.name)["array"].as_u64().unwrap() as usize];
        let given = stage.run.column(&c.name).unwrap();
        let same = |(a, b): (&f64, &f64)| (*a as f32).to_bits() == (*b as f32).to_bits();
        assert!(found.len() == given.len() && found.iter().zip(&given).all(same), "{}", c.name);
    }
    // What is where: families and elements by name.
    for (name, family, element) in [("ball.z", "state", "ball"), ("ball.az", "accelerations", "ball")] {
        assert_eq!(
            (&column(&header, name)["family"], &column(&header, name)["element"]),
            (&family.into(), &element.into())
        );
    }
    assert_eq!(column(&header, "energy.balance")["family"], "energy");
    assert_eq!(column(&header, "energy.balance")["element"], Value::Null);
    assert_eq!(column(&header, "residual.position")["family"], "residuals");
    assert_eq!(header["health"]["balance"], "energy.balance");
    assert_eq!(header["health"]["trouble"], Value::Null);
    assert_eq!(header["summary"]["outcome"], "finished");
    assert_eq!(header["summary"]["model"], stage.run.model().unwrap());
    let events = header["events"].as_array().unwrap();
    assert_eq!(events.len(), stage.run.events().unwrap().len());
    assert!(events.iter().any(|e| e["what"] == "impact" && e["impulse"].as_f64().unwrap() > 0.0));
}

#[test]
fn extremes_are_those_of_all_rows_and_survive_thinning() {
    let scratch = TemporaryFolder::new("extremes");
    let changes = [("settings.duration", "4 s"), ("outputs.every", "1 ms")];
    let stage = run_scene(&scratch, "slider_crank.toml", &changes);
    let packed = pack(&stage, 60_000).unwrap();
    assert!(packed.len() <= 60_000, "{}", packed.len());
    let (header, arrays) = decode(&packed).unwrap();
    assert_eq!(header["table"]["thinned"], "extremes");
    assert_eq!(header["table"]["of"], stage.rows());
    assert!(header["table"]["rows"].as_u64().unwrap() < stage.rows() as u64 / 2);
    let bounds = |x: &[f64]| x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(*x), h.max(*x)));
    for c in stage.run.columns().iter().filter(|c| c.name != "t") {
        let given: Vec<f64> = stage.run.column(&c.name).unwrap().iter().map(|x| f64::from(*x as f32)).collect();
        let thin = &arrays[column(&header, &c.name)["array"].as_u64().unwrap() as usize];
        assert_eq!(bounds(thin), bounds(&given), "{}", c.name);
    }
    // Least and largest make no vectors: what arrows are made of is there as it was at the instants of the film.
    let instants = &arrays[header["film"]["t"].as_u64().unwrap() as usize];
    let mut vectors = 0;
    for name in stage.scene.arrows.iter().flat_map(|a| a.columns()).filter(|n| n.contains(".f")) {
        let (given, film) = (stage.run.column(name).unwrap(), column(&header, name)["film"].as_u64().unwrap());
        for (t, found) in instants.iter().zip(&arrays[film as usize]) {
            let row = stage.t.iter().position(|x| x == t).unwrap();
            assert_eq!(*found as f32, given[row] as f32, "{name} at {t}");
        }
        vectors += 1;
    }
    assert!(vectors > 6);
    let t = &arrays[header["table"]["t"].as_u64().unwrap() as usize];
    assert!(t.is_sorted() && (t[0], t[t.len() - 1]) == (stage.t[0], stage.t[stage.rows() - 1]));
    let extremes = header["extremes"].as_array().unwrap();
    let forces: Vec<&Value> = extremes.iter().filter(|e| e["quantity"] == "force" && e["kind"] == "reaction").collect();
    assert!(forces.len() > 2);
    for e in forces {
        let name = e["name"].as_str().unwrap();
        let part = |x: &str| stage.run.column(&format!("{name}.f{x}")).unwrap();
        let [x, y, z] = [part("x"), part("y"), part("z")];
        let size = |k: usize| (x[k] * x[k] + y[k] * y[k] + z[k] * z[k]).sqrt();
        let largest = (0..x.len()).max_by(|a, b| size(*a).total_cmp(&size(*b))).unwrap();
        assert_eq!(e["largest"].as_f64().unwrap(), size(largest));
        assert!(
            (size(stage.t.iter().position(|t| Some(*t) == e["largest_at"].as_f64()).unwrap()) - size(largest)).abs()
                < 1e-300
        );
    }
}

#[test]
fn free_motions_and_modes_are_there() {
    let scratch = TemporaryFolder::new("free");
    let stage = run_scene(&scratch, "iftomm_a02_double_four_bar.toml", &[("settings.duration", "0.1 s")]);
    let (header, _) = decode(&pack(&stage, BUDGET).unwrap()).unwrap();
    let modes = header["modes"].as_array().unwrap();
    assert_eq!(modes.len(), 1, "it has one freedom");
    assert_eq!(modes[0]["kind"], "free");
    // The pins stay together in the free motion: v + ω × r is the same from both sides.
    let shape = |figure: u64| modes[0]["shapes"].as_array().unwrap().iter().find(|s| s["figure"] == figure).cloned();
    let film = stage.film(FilmRows::Chosen(&[0]));
    let mut compared = 0;
    for joint in stage.scene.joints.iter().filter(|j| j.spots.len() == 2 && j.kind == "pin") {
        let velocity = |k: usize| {
            let spot = &joint.spots[k];
            let Some(s) = shape(spot.figure as u64) else { return [0.0; 2] };
            let (_, q) = film.pose(spot.figure, 0);
            let r = taut::motion::rotation_of_quaternion(&q) * taut::motion::Vec3::from(spot.p);
            let w = s["rotation"][2][0].as_f64().unwrap();
            let v = |i: usize| s["translation"][i][0].as_f64().unwrap();
            [v(0) - w * r.y, v(1) + w * r.x]
        };
        let (a, b) = (velocity(0), velocity(1));
        assert!((a[0] - b[0]).abs() + (a[1] - b[1]).abs() < 1e-9, "{}: {a:?} {b:?}", joint.name);
        compared += 1;
    }
    assert_eq!(compared, 7);
    let mode = serde_json::json!({ "modes": [{ "frequency_hz": 2.0, "kind": "vibration", "eigenvalue": [-0.1, 12.6],
        "damping_ratio": 0.01, "shapes": { "rocker0": { "translation": [[1, 0], [0, 0.5], [0, 0]], "rotation": [[0, 0], [0, 0], [1, 0]] } } }] });
    std::fs::write(stage.run.folder().join("modes.json"), mode.to_string()).unwrap();
    let (header, _) = decode(&pack(&stage, BUDGET).unwrap()).unwrap();
    let first = &header["modes"][0];
    assert_eq!((first["frequency"].as_f64(), first["growth"].as_f64()), (Some(2.0), Some(-0.1)));
    assert_eq!((&first["kind"], &first["shapes"][0]["translation"][1][1]), (&"swings".into(), &0.5.into()));
}

#[test]
fn trouble_is_named() {
    let scratch = TemporaryFolder::new("trouble");
    let file = load("four_bar.toml", &[("settings.duration", "0.5 s")]);
    run(&file, &scratch.join("run"), Format::Csv);
    // The same run with a residual that jumps in the middle.
    let source = StoredRun::open(&scratch.join("run")).unwrap();
    let names: Vec<&str> = source.columns().iter().map(|c| c.name.as_str()).collect();
    let table = source.table(&names).unwrap();
    let middle = table.len() / 2;
    let spoilt: taut::Table = table
        .columns()
        .iter()
        .cloned()
        .map(|mut c| {
            if c.name == "residual.position" {
                c.data[middle] = 0.5;
            }
            if c.name == "residual.position.row" {
                c.data[middle] = 3.0;
            }
            c
        })
        .collect();
    let about = NewRun { model: source.model().unwrap(), existing: ExistingResults::Keep, ..NewRun::default() };
    let mut writer = RunWriter::create(&scratch.join("spoilt"), &about, &spoilt).unwrap();
    writer.append(&spoilt).unwrap();
    writer.finish(&taut::Outcome::Finished, &taut::Statistics::default(), &[]).unwrap();
    let stage = RunScene::open(&scratch.join("spoilt")).unwrap();
    let (header, _) = decode(&pack(&stage, BUDGET).unwrap()).unwrap();
    let trouble = &header["health"]["trouble"];
    assert_eq!(trouble["t"].as_f64().unwrap(), stage.t[middle]);
    assert_eq!(trouble["element"], stage.model.constraint_of_row(3).name);
}

#[test]
fn the_report_of_time_stepping_does_not_name_an_integrator() {
    let scratch = TemporaryFolder::new("time-stepping");
    let file = load("contact/bouncing_ball.toml", &[]);
    run(&file, &scratch.join("events"), Format::Csv);
    let events = StoredRun::open(&scratch.join("events")).unwrap();
    let names: Vec<&str> = events.columns().iter().map(|c| c.name.as_str()).collect();
    let table = events.table(&names).unwrap();
    let settings = serde_json::to_value(&file.transient).unwrap();
    let about = NewRun { model: events.model().unwrap(), settings, time_step: Some(1e-3), ..NewRun::default() };
    let mut writer = RunWriter::create(&scratch.join("steps"), &about, &table).unwrap();
    writer.append(&table).unwrap();
    writer.finish(&taut::Outcome::Finished, &taut::Statistics::default(), &[]).unwrap();
    let summary = |name: &str| taut_view::pack::summary(&RunScene::open(&scratch.join(name)).unwrap()).unwrap();
    let (events, steps) = (summary("events"), summary("steps"));
    assert!(events.method.contains("dop853") && events.settings.iter().any(|(name, _)| name == "rtol"));
    assert_eq!(steps.method, "time stepping, steps of 0.001 s");
    assert!(!steps.settings.iter().any(|(name, _)| name == "integrator" || name == "rtol"), "{:?}", steps.settings);
}

/// A hundred bodies, ten seconds, a thousand rows a second: real columns of a chain, a real shape of their motion.
#[test]
fn ten_seconds_of_a_hundred_bodies_fit_a_letter() {
    let scratch = TemporaryFolder::new("budget");
    let file = load("chain.toml", &[("n", "100"), ("settings.duration", "0.2 s"), ("outputs.every", "0.01 s")]);
    run(&file, &scratch.join("short"), Format::Npz);
    let short = StoredRun::open(&scratch.join("short")).unwrap();
    let names: Vec<&str> = short.columns().iter().map(|c| c.name.as_str()).collect();
    let table = short.table(&names).unwrap();
    assert!(table.columns().len() > 1500, "{} columns", table.columns().len());
    // Stretched to ten seconds, each column swinging about its values in its own way.
    const ROWS: usize = 10_001;
    let about = NewRun { model: short.model().unwrap(), format: Format::Npz, ..NewRun::default() };
    let mut writer = RunWriter::create(&scratch.join("long"), &about, &table).unwrap();
    for first in (0..ROWS).step_by(1000) {
        let rows = first..(first + 1000).min(ROWS);
        let stretched = table.columns().iter().enumerate().map(|(k, c)| {
            let (from, to) = (c.data[0], *c.data.last().unwrap());
            let rate = 3.0 + (k % 97) as f64 * 0.37;
            let value = |row: usize| {
                let t = row as f64 * 1e-3;
                if c.name == "t" { t } else { from + (to - from) * (rate * t).sin() + 1e-6 * (911.0 * rate * t).sin() }
            };
            taut::Column { data: rows.clone().map(value).collect(), ..c.clone() }
        });
        writer.append(&stretched.collect()).unwrap();
    }
    writer.finish(&taut::Outcome::Finished, &taut::Statistics::default(), &[]).unwrap();
    let stage = RunScene::open(&scratch.join("long")).unwrap();
    assert_eq!(stage.rows(), ROWS);
    let packed = pack(&stage, BUDGET).unwrap();
    assert!(packed.len() <= BUDGET, "{}", packed.len());
    let (header, _) = decode(&packed).unwrap();
    let pictures = header["arrays"][header["film"]["t"].as_u64().unwrap() as usize]["length"].as_u64().unwrap();
    assert!(pictures >= 250, "{pictures} pictures of 10 s");
    assert!(header["table"]["rows"].as_u64().unwrap() >= 100);
    // With a page of a megabyte and a half, still a letter.
    let page = format!("<html data-mode=\"server\"><!--taut-data-->{}</html>", " ".repeat(1_500_000));
    let report = page::report(&page, &packed, &[]).unwrap();
    assert!(report.len() < 10_000_000, "{}", report.len());
}
