//! Hostile names are never interpreted. Names in model files are restricted, but titles are not, and a folder of results
//! may come from elsewhere.

use crate::common::{TemporaryFolder, run};
use std::path::Path;
use taut::{Column, Outcome, Statistics, Table};
use taut_io::model::parse;
use taut_io::results::{Format, NewRun, RunWriter, StoredRun};
use taut_view::pack::{BUDGET, decode, pack};
use taut_view::page;
use taut_view::scene_graph::RunScene;

const NASTY: [&str; 4] =
    ["</script><script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>", "\u{202e}עברית\u{0}", "a`b.c ` d"];

fn model(name: &str, title: &str) -> String {
    let title = serde_json::Value::String(title.to_string());
    format!(
        "taut = 2\ntitle = {title}\ngravity = [0, -9.81, 0]\n[bodies.{name}]\ntype = \"planar\"\nmass = 1\n\
         inertia = 0.1\n[bodies.{name}.markers]\nroot = [-0.5, 0]\n[joints.{name}]\ntype = \"pin\"\n\
         a = \"ground\"\nb = \"{name}.root\"\n[settings]\nduration = 0.1\n[outputs]\nevery = 0.01\n"
    )
}

/// Only what the page itself brings is an element.
fn harmless(packed: &[u8]) {
    let report =
        page::report("<html data-mode=\"server\"><!--taut-data--></html>", packed, &[packed.to_vec()]).unwrap();
    assert_eq!(report.matches('<').count(), 6);
}

#[test]
fn titles_and_columns() {
    for nasty in NASTY {
        let file =
            parse(&model("body", nasty), Path::new("hostile.toml"), &[]).unwrap_or_else(|all| panic!("{}", all[0]));
        let scratch = TemporaryFolder::new("hostile");
        run(&file, &scratch.join("run"), Format::Csv);
        let source = StoredRun::open(&scratch.join("run")).unwrap();
        let names: Vec<&str> = source.columns().iter().map(|c| c.name.as_str()).collect();
        let plain = source.table(&names).unwrap();
        let own = |c: &Column| Column {
            name: nasty.to_string(),
            unit: nasty.to_string(),
            meaning: nasty.to_string(),
            ..c.clone()
        };
        let table: Table = plain.columns().iter().cloned().chain([own(&plain.columns()[1])]).collect();
        let about = NewRun { title: nasty.to_string(), model: source.model().unwrap(), ..NewRun::default() };
        let mut writer = RunWriter::create(&scratch.join("foreign"), &about, &table).unwrap();
        writer.append(&table).unwrap();
        writer.finish(&Outcome::Finished, &Statistics::default(), &[]).unwrap();
        let packed = pack(&RunScene::open(&scratch.join("foreign")).unwrap(), BUDGET).unwrap();
        let (header, _) = decode(&packed).unwrap();
        assert_eq!((&header["summary"]["title"], &header["scene"]["title"]), (&nasty.into(), &nasty.into()));
        let columns = header["table"]["columns"].as_array().unwrap();
        assert!(columns.iter().any(|c| c["name"] == nasty && c["unit"] == nasty && c["meaning"] == nasty));
        harmless(&packed);
    }
}

#[test]
fn names_of_ten_thousand_letters() {
    let long = "x".repeat(10_000);
    let file = parse(&model(&long, "long"), Path::new("hostile.toml"), &[]).unwrap_or_else(|all| panic!("{}", all[0]));
    let scratch = TemporaryFolder::new("long");
    run(&file, &scratch.join("run"), Format::Csv);
    let packed = pack(&RunScene::open(&scratch.join("run")).unwrap(), BUDGET).unwrap();
    let (header, _) = decode(&packed).unwrap();
    assert_eq!(header["scene"]["figures"][1]["name"], long);
    let columns = header["table"]["columns"].as_array().unwrap();
    let own = columns.iter().find(|c| c["name"] == format!("{long}.theta")).unwrap();
    assert_eq!((&own["element"], &own["family"]), (&long.as_str().into(), &"state".into()));
    harmless(&packed);
}
