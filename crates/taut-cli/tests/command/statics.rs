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
    // (K + mu B^T B) q = F for (q1, q2, q5), by elimination: q5 = load / (k1 c/(k1 + c)/9 + 25 k2 c/(k2 + c)/36), c = mu.
    let (k1, k2, load) = (200e3 * 1200.0 / 4500.0, 70e3 * 900.0 / 3000.0, 30e3);
    let q5 = load / (k1 * mu / (k1 + mu) / 9.0 + 25.0 * k2 * mu / (k2 + mu) / 36.0);
    let found = json["penalty"]["state"]["bar.q5"].as_f64().unwrap();
    assert!((found - q5).abs() < 1e-9, "{found} {q5}");
    let exact = json["state"]["bar.q5"].as_f64().unwrap();
    assert!((exact - 1.4627539503386005).abs() < 1e-9, "{exact}");
    // Both files are solved; the second has its penalty as springs and no constraints.
    let springs = folder.done(&["static", &model("papers/newhart_static_penalty.toml"), "--json"]).json();
    assert!((springs["state"]["bar.q5"].as_f64().unwrap() - 1.4629203837074896).abs() < 1e-9);
    let text = folder.done(&["static", &path, "--penalty", "1e12"]).out;
    assert!(text.contains("mu = 1") && text.contains("bar.q5"), "{text}");
    // Displacements without a unit were left out: "no displacement".
    assert!(text.contains("changed") && !text.contains("no displacement"), "{text}");
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
    let arguments = ["static", &path, "--rotating-about", "z", "--rate", "16 rad/s", "--json"];
    let json = folder.done(&arguments).json();
    let z = json["state"]["sleeve.z"].as_f64().unwrap();
    // -2 g (m + M)/(m w^2)
    assert!((z + 0.2682421875).abs() < 1e-9, "{z}");
    let other = folder.taut(&["static", &path, "--rotating-about", "0 0 1", "--rate", "20 rad/s"]);
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
    let cases: [(&[&str], &str, i32); 10] = [
        (&["static", "free.toml"], "block.v", 1),
        (&["static", "p.toml", "--load-steps", "0"], "load-steps", 1),
        (&["static", "p.toml", "--rotating-about", "0 0 1"], "--rate", 1),
        (&["static", "p.toml", "--rotation", "0 0 1", "--rate", "1"], "now called --rotating-about", 1),
        (&["static", "p.toml", "--rotating-about", "z", "--speed", "1"], "now called --rate", 1),
        (&["static", "p.toml", "--rotating-about", "0 0 0", "--rate", "1"], "axis", 1),
        (&["static", "p.toml", "--rotating-about", "0 0 1", "--rate", "3 kg"], "rad/s", 1),
        (&["static", "p.toml", "--rotating-about", "1 0 0", "--rate", "3"], "rod", 1),
        (&["static", "p.toml", "--arc-length", "--first", "-1"], "first", 1),
        (&["static", "p.toml", "--write", "p.toml", "--force"], "model itself", 1),
    ];
    for (arguments, named, code) in cases {
        let answer = folder.taut(arguments);
        assert!(answer.code == code && answer.err.contains(named), "taut {arguments:?}: {answer:?}");
    }
}

#[test]
fn constant_drivers_were_missing_in_the_tables() {
    let folder = Folder::new("static-drivers");
    let model = "taut = 2\ngravity = [0, 0, -9.81]\n[bodies.m]\ntype = \"point_mass\"\nmass = 2\n[joints.j]\ntype = \"joint\"\n\
                 a = \"ground\"\nb = \"m\"\ntranslation = [\"fixed\", \"fixed\", \"free\"]\nrotation = \"free\"\n\
                 [drivers.d]\ncoordinate = \"m.z\"\nposition = 0.2\n[settings]\nduration = 1\n[outputs]\nevery = 0.5\n";
    folder.write("m.toml", model);
    let text = folder.done(&["static", "m.toml"]).out;
    assert!(text.contains("driver forces") && text.contains("19.62"), "{text}");
    let json = folder.done(&["static", "m.toml", "--json"]).json();
    assert_eq!(json["drives"][0]["of"], "d");
    assert!((json["drives"][0]["force"]["N"].as_f64().unwrap() - 19.62).abs() < 1e-9, "{json}");
    let text = folder.done(&["kinematics", "m.toml"]).out;
    assert!(text.contains("driver forces") && text.contains("19.62"), "{text}");
}

/// Gravity is inclined by 30 degrees; neither the floor nor the lower box can hold with a coefficient of 0.2.
#[test]
fn crossed_boxes_that_must_slip_get_an_answer() {
    let folder = Folder::new("static-crossed");
    let size = "[0.6, 0.1, 0.1]";
    let body = |name: &str, place: &str| {
        format!(
            "[bodies.{name}]\ntype = \"rigid\"\nmass = 1\nshape = {{ type = \"box\", size = {size} }}\n{place}\n\
             [surfaces.{name}]\nmarker = \"{name}\"\nshape = \"box\"\nsize = {size}\n"
        )
    };
    let model = format!(
        "taut = 2\ngravity = [4.905, 0, -8.4957]\n[surfaces.floor]\nmarker = \"ground\"\nshape = \"half_space\"\n{}{}{}\
         [contacts.c]\nbetween = \"all\"\nfriction = 0.2\n",
        body("a", "position = [0, 0, 0.05]"),
        body("b", "position = [0.02, 0.03, 0.15]\norientation = { rotation_vector = [0, 0, 1.2] }"),
        body("c", "position = [0, 0.01, 0.25]\norientation = { rotation_vector = [0, 0, -0.4] }"),
    );
    folder.write("boxes.toml", &model);
    let begun = std::time::Instant::now();
    let answer = folder.taut(&["static", "boxes.toml"]);
    let is_clear = ["friction is too weak", "too hard to find"].iter().any(|what| answer.err.contains(what));
    assert!(answer.code == 2 && is_clear, "{answer:?}");
    // Two seconds on a quiet machine, in a build for tests.
    assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
}

/// Three masses on springs of 1e10, 1 and 1e10 N/m, pulled along a rough floor: the motion of two of them against the spring of 1 N/m
/// was called neutral, "neither stiffness nor load".
#[test]
fn soft_springs_beside_stiff_ones_had_no_stiffness() {
    let folder = Folder::new("static-soft-and-stiff");
    let mut model = "taut = 2\ngravity = [0, 0, -10]\n".to_string();
    for (i, friction) in [(1, 0.0), (2, 0.3), (3, 0.3)] {
        model += &format!(
            "[bodies.m{i}]\ntype = \"point_mass\"\nmass = 1\nposition = [{i}, 0, 0]\n\
             [constraints.f{i}]\ntype = \"point_plane_contact\"\nplane = \"ground\"\npoint = \"m{i}\"\nfriction = {friction}\n"
        );
    }
    let spring = |name: &str, a: &str, b: &str| {
        format!("{name} = {{ type = \"spring\", a = \"{a}\", b = \"{b}\", stiffness = \"{name}\", free_length = 1 }}\n")
    };
    model += &format!(
        "[params]\ns1 = 1e10\ns2 = 1\ns3 = 1e10\n[forces]\n{}{}{}pull = {{ type = \"applied\", marker = \"m3\", force = [7, 0, 0] }}\n",
        spring("s1", "ground", "m1"),
        spring("s2", "m1", "m2"),
        spring("s3", "m2", "m3")
    );
    folder.write("m.toml", &model);
    let answer = folder.done(&["static", "m.toml"]).out;
    // xᵀ K x = 1/2 for x = (1, 1)/√2.
    assert!(!answer.contains("vx") && answer.contains("is 0.5\n"), "{answer}");
}
