//! `taut static`: the models of `models/statics` meet their expectations; output, files and errors.

use crate::common;

use common::{Folder, PENDULUM};
use std::path::PathBuf;

fn model(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name);
    path.to_string_lossy().into_owned()
}

#[test]
fn models_rest_as_they_say() {
    let folder = Folder::new("static-models");
    let cases: [(&str, &[&str]); 4] = [
        ("catenary", &[]),
        ("column", &["--arc-length", "--first", "0.3", "--branch", "0.05"]),
        ("four_bar", &["--load-steps", "3"]),
        ("elastica", &["--load-steps", "4"]),
    ];
    for (name, options) in cases {
        let (path, run) = (model(&format!("statics/{name}.toml")), format!("{name}.run"));
        let arguments = [&["static", &path, "-o", &run, "--expect"][..], options].concat();
        let answer = folder.done(&arguments);
        assert!(answer.out.contains("equilibrium found") && answer.out.contains("stable"), "{answer:?}");
        let table = String::from_utf8(folder.read(&format!("{run}/table.csv"))).unwrap();
        assert!(table.starts_with("t,load,softest,"), "{}", &table[..80]);
    }
}

#[test]
fn a_penalty_stands_beside_the_exact_answer() {
    let folder = Folder::new("static-penalty");
    let path = model("papers/newhart_static.toml");
    let json = folder.done(&["static", &path, "--penalty", "--json"]).json();
    // [Newhart2019] eq. (63): 1e4 times the largest stiffness.
    let mu = json["penalty"]["mu"].as_f64().unwrap();
    assert!((mu / (1e4 * 200e3 * 1200.0 / 4500.0) - 1.0).abs() < 1e-6, "{mu}");
    // (K + mu B^T B) q = F for (q1, q2, q5), by elimination: q5 = P / (k1 c/(k1 + c)/9 + 25 k2 c/(k2 + c)/36), c = mu.
    let (k1, k2, P) = (200e3 * 1200.0 / 4500.0, 70e3 * 900.0 / 3000.0, 30e3);
    let q5 = P / (k1 * mu / (k1 + mu) / 9.0 + 25.0 * k2 * mu / (k2 + mu) / 36.0);
    let found = json["penalty"]["state"]["q5.x"].as_f64().unwrap();
    assert!((found - q5).abs() < 1e-9, "{found} {q5}");
    let exact = json["state"]["q5.x"].as_f64().unwrap();
    assert!((exact - 1.4627539503386005).abs() < 1e-9, "{exact}");
    // Both files are solved; the second has its penalty as springs and no constraints.
    let springs = folder.done(&["static", &model("papers/newhart_static_penalty.toml"), "--json"]).json();
    assert!((springs["state"]["q5.x"].as_f64().unwrap() - 1.4629203837074896).abs() < 1e-9);
    let text = folder.done(&["static", &path, "--penalty", "1e12"]).out;
    assert!(text.contains("mu = 1") && text.contains("q5.x"), "{text}");
    for (wrong, says) in [("-3", "positive number"), ("nan", "positive number")] {
        let refused = folder.taut(&["static", &path, &format!("--penalty={wrong}")]);
        assert!(refused.code != 0 && refused.err.contains(says), "{refused:?}");
    }
    let refused = folder.taut(&["static", &model("statics/four_bar.toml"), "--penalty", "--load-steps", "3"]);
    assert!(refused.code != 0 && refused.err.contains("--penalty"), "{refused:?}");
}

#[test]
fn governor_goes_round() {
    let folder = Folder::new("static-governor");
    let path = model("watt_governor.toml");
    let arguments = ["static", &path, "--rotation", "0 0 1", "--speed", "16 rad/s", "--json"];
    let json = folder.done(&arguments).json();
    let z = json["state"]["sleeve.z"].as_f64().unwrap();
    // -2 g (m + M)/(m w^2)
    assert!((z + 0.2682421875).abs() < 1e-9, "{z}");
    let other = folder.taut(&["static", &path, "--rotation", "0 0 1", "--speed", "20 rad/s"]);
    assert!(other.code == 1 && other.err.contains("bearing"), "{other:?}");
}

#[test]
fn a_pendulum_hangs_and_is_written() {
    let folder = Folder::new("static-pendulum");
    folder.write("p.toml", PENDULUM);
    let text = folder.done(&["static", "p.toml", "--write", "down.toml"]).out;
    assert!(text.contains("rod") && text.contains("hinge"), "{text}");
    // The pose written is one of equilibrium.
    let again = folder.done(&["static", "down.toml", "--json"]).json();
    assert_eq!(again["iterations"], 0);
    assert_eq!(again["found"], "at_once");
}

/// A strip that sags by more than a tenth of its length, clamped.
const STRIP: &str = r#"
taut = 2
gravity = [0, 0, -9.81]
[beams.strip]
from = [0, 0, 0]
to = [1, 0.2, 0]
elements = 8
section = { shape = "rectangle", width = "20 mm", height = "2 mm", E = "70 GPa", nu = 0.3, density = "2700 kg/m^3", damping = "1 ms" }
[joints.clamp]
type = "fixed"
a = "ground"
b = "strip_0"
[settings]
duration = 1
method = "radau5"
rtol = 1e-10
atol = 1e-12
[outputs]
every = "0.1 s"
"#;

#[test]
fn a_sagging_beam_is_written_and_stays_where_it_is() {
    let folder = Folder::new("static-strip");
    folder.write("strip.toml", STRIP);
    folder.done(&["static", "strip.toml", "--write", "sagged.toml"]);
    folder.done(&["run", "sagged.toml", "-o", "sagged.run"]);
    let table = String::from_utf8(folder.read("sagged.run/table.csv")).unwrap();
    let mut rows = table.lines().map(|l| l.split(',').collect::<Vec<_>>());
    let head = rows.next().unwrap();
    let z = head.iter().position(|c| *c == "strip_8.z").unwrap();
    let heights: Vec<f64> = rows.map(|r| r[z].parse().unwrap()).collect();
    assert!(heights.len() > 5 && heights[0] < -0.1, "{heights:?}");
    let moved = heights.iter().fold(0.0_f64, |a, h| a.max((h - heights[0]).abs()));
    assert!(moved < 1e-9, "it moves by {moved}");
}

#[test]
fn what_is_refused() {
    let folder = Folder::new("static-refused");
    folder.write("p.toml", PENDULUM);
    let free = "taut = 2\ngravity = [0, 0, -9.81]\n[bodies.block]\ntype = \"point_mass\"\nmass = 1\n";
    folder.write("free.toml", free);
    let cases: [(&[&str], &str, i32); 8] = [
        (&["static", "free.toml"], "block.v", 1),
        (&["static", "p.toml", "--load-steps", "0"], "load-steps", 1),
        (&["static", "p.toml", "--rotation", "0 0 1"], "speed", 1),
        (&["static", "p.toml", "--rotation", "0 0 0", "--speed", "1"], "axis", 1),
        (&["static", "p.toml", "--rotation", "0 0 1", "--speed", "3 kg"], "rad/s", 1),
        (&["static", "p.toml", "--rotation", "1 0 0", "--speed", "3"], "rod", 1),
        (&["static", "p.toml", "--arc-length", "--first", "-1"], "first", 1),
        (&["static", "p.toml", "--write", "p.toml", "--force"], "model itself", 1),
    ];
    for (arguments, named, code) in cases {
        let answer = folder.taut(arguments);
        assert!(answer.code == code && answer.err.contains(named), "taut {arguments:?}: {answer:?}");
    }
}
