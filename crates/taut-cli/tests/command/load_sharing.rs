//! Joints that share load by their stiffness: rigid bodies on elastic joints, by statics (Wojtyra and Frączek 2013). Values from exact
//! null spaces with the weights below, in two independent ways.

use crate::common;

use common::Folder;
use serde_json::Value;

/// The model with a stiffness for joints written in one line.
fn elastic(model: &str, joints: &[(&str, &str)]) -> String {
    joints.iter().fold(model.to_string(), |text, (name, stiffness)| {
        let (from, to) = (format!("\n{name} = {{ "), format!("\n{name} = {{ share_stiffness = {stiffness}, "));
        assert!(text.contains(&from), "{name}");
        text.replace(&from, &to)
    })
}

fn at_rest(name: &str, model: &str) -> Value {
    let folder = Folder::new(&format!("sharing-{name}"));
    folder.write("model.toml", model);
    folder.done(&["static", "model.toml", "--json"]).json()
}

#[track_caller]
fn compare(answer: &Value, expected: &[(&str, f64)]) {
    let largest = expected.iter().fold(0.0_f64, |a, (_, x)| a.max(x.abs()));
    let all = answer["determinacy"]["components"].as_array().unwrap();
    for (name, x) in expected {
        let own = all.iter().find(|c| c["name"] == *name).unwrap_or_else(|| panic!("{name} in {all:?}"));
        let found = own["stiffness"].as_f64().unwrap_or(f64::NAN);
        assert!((found - x).abs() <= 1e-8 * largest, "{name}: {found} instead of {x}");
    }
}

const BEAM: &str = include_str!("determinacy/beam.toml");
const SOFT: &str = "[1e7, 1e7, 1e7, 1e4, 1e4, 1e4]";
const HALF: &str = "[5e6, 5e6, 5e6, 1e4, 1e4, 1e4]";
const BEAM_STIFFNESS: [(&str, &str); 4] = [("left", SOFT), ("middle", HALF), ("right", SOFT), ("hook", SOFT)];
const BEAM_SHARES: [(&str, f64); 4] =
    [("left.fy", 242.9142857143), ("middle.fy", 134.6928571429), ("right.fy", 309.0928571429), ("hook.fy", 196.2)];

#[test]
fn beams_shafts_and_cranks() {
    compare(&at_rest("beam", &elastic(BEAM, &BEAM_STIFFNESS)), &BEAM_SHARES);

    let bearing = |k: &str| format!("[{k}, {k}, 2e7, 1e5, 1e5, 1e5]");
    let (stiff, soft) = (bearing("1e8"), bearing("5e7"));
    let shaft = include_str!("determinacy/crankshaft.toml");
    let joints = [("front", stiff.as_str()), ("middle", &soft), ("rear", &stiff), ("thrust", &stiff)];
    compare(
        &at_rest("crankshaft", &elastic(shaft, &joints)),
        &[("front.fx", -208.3333333333), ("front.fy", 2750.0), ("middle.fx", -300.0), ("middle.fy", 1000.0)],
    );

    let cranks = include_str!("determinacy/three_cranks.toml");
    let twice = "[2e7, 2e7, 2e7, 1e4, 1e4, 1e4]";
    let joints =
        [("foot1", SOFT), ("foot2", twice), ("foot3", SOFT), ("head1", SOFT), ("head2", SOFT), ("head3", SOFT)];
    compare(
        &at_rest("cranks", &elastic(cranks, &joints)),
        &[
            ("foot1.fx", -24.0086232283),
            ("foot2.fy", 18.036496063),
            ("head1.fy", 17.0385023622),
            ("head3.fx", 14.1600011811),
        ],
    );

    let four_bar = include_str!("determinacy/four_bar.toml");
    compare(
        &at_rest("four-bar", &elastic(four_bar, &[("a", SOFT), ("b", SOFT), ("c", SOFT), ("d", SOFT)])),
        &[
            ("a.fx", 8.2404),
            ("a.fz", -6.5745415892),
            ("b.mx", -0.6643635397),
            ("c.my", -1.1436353973),
            ("d.fz", -3.4254584108),
        ],
    );
}

#[test]
fn a_door_on_two_hinges() {
    let door = include_str!("determinacy/door.toml").replace("LOW", "revolute").replace("HIGH", "revolute");
    let door = door
        .replace("[joints.low]\n", "[joints.low]\nshare_stiffness = [1e7, 1e7, 5e6, 1e4, 1e4, 1e4]\n")
        .replace("[joints.high]\n", "[joints.high]\nshare_stiffness = [2e7, 2e7, 1e7, 1e4, 1e4, 1e4]\n");
    compare(
        &at_rest("door", &door),
        &[("low.fx", 73.4770306258), ("low.fz", 81.75), ("low.my", -0.0734770306), ("high.fz", 163.5)],
    );
}

#[test]
fn meshes_of_a_planetary_gear() {
    let pin = "[1e8, 1e8, 1e8, 1e6, 1e6, 1e6]";
    let pins = ["sun_pin", "carrier_pin", "pin1", "pin2", "pin3"].map(|name| (name, pin));
    let meshes = ["sun_mesh1", "sun_mesh2", "ring_mesh1", "ring_mesh2", "ring_mesh3"].map(|name| (name, "1e8"));
    let model = elastic(include_str!("determinacy/planetary.toml"), &pins);
    let model = elastic(&elastic(&model, &meshes), &[("sun_mesh3", "2e8")]);
    compare(
        &at_rest("planetary", &model),
        &[
            ("sun_pin.fx", 2.5316455696),
            ("carrier_pin.fy", -8.7698775067),
            ("pin1.fx", 263.2911392405),
            ("pin3.fy", -236.7866926803),
        ],
    );
}

/// The middle support stands 1 mm too high. With springs k = 1e7, 5e6, 1e7 N/m at 0, 2 and 5 m the three ends lie on a line:
/// the self-stress (3, −5, 2) n has 3 δ₀ − 5 δ₁ + 2 δ₂ = 0, so n = −5 e/(9/k₀ + 25/k₁ + 4/k₂).
#[test]
fn a_misfit_preloads() {
    let joints = [BEAM_STIFFNESS[0], BEAM_STIFFNESS[1], BEAM_STIFFNESS[2], BEAM_STIFFNESS[3]];
    let model = elastic(BEAM, &joints).replace("\nmiddle = { ", "\nmiddle = { misfit = [0, \"1 mm\", 0, 0, 0, 0], ");
    let n = -5.0 * 1e-3 / (9.0 / 1e7 + 25.0 / 5e6 + 4.0 / 1e7);
    let loads: Vec<(&str, f64)> =
        BEAM_SHARES[..3].iter().zip([3.0, -5.0, 2.0]).map(|((name, x), s)| (*name, x + s * n)).collect();
    compare(&at_rest("misfit", &model), &loads);
}

/// Bushings instead of joints, in the same proportions, have the same forces. The beam on its slot is linear in sin θ, so the
/// bushings need not be stiff.
#[test]
fn bushings_have_the_same_shares() {
    for factor in [1e-3, 1.0] {
        let bushing = |name: &str, a: &str, k: f64| {
            format!(
                "{name} = {{ type = \"bushing\", a = \"{a}\", b = \"beam.{name}\", stiffness = [0, {}, 0, 0, 0, 0] }}\n",
                k * factor
            )
        };
        let (joints, hook) = BEAM.split_once("[joints]\n").unwrap();
        let hook = hook.lines().find(|l| l.starts_with("hook")).unwrap();
        let slot = "slot = { type = \"joint\", a = \"ground\", b = \"beam.left\", translation = [\"fixed\", \"free\", \"free\"], rotation = \"free\" }";
        let model = format!(
            "{joints}[joints]\n{hook}\n{slot}\n[forces]\n{}{}{}",
            bushing("left", "ground", 1e7),
            bushing("middle", "ground.middle", 5e6),
            bushing("right", "ground.right", 1e7)
        );
        let state = at_rest("bushing", &model)["state"].clone();
        let (y, theta) = (state["beam.y"].as_f64().unwrap(), state["beam.theta"].as_f64().unwrap());
        let force = -5e6 * factor * (y - 0.5 * theta.sin());
        assert!((force / BEAM_SHARES[1].1 - 1.0).abs() < 1e-9, "{factor}: {force}");
    }
}

#[test]
fn results_follow_the_rule_that_is_chosen() {
    let folder = Folder::new("sharing-rule");
    let model = elastic(BEAM, &BEAM_STIFFNESS);
    let with = |rule: &str| format!("{model}[settings]\nduration = 0.1\nreactions = \"{rule}\"\n");
    let mut ends = Vec::new();
    for (rule, middle) in [("minimum_norm", 223.3065789474), ("stiffness", 134.6928571429)] {
        folder.write("model.toml", &with(rule));
        let answer = folder.done(&["static", "model.toml", "--json"]).json();
        let own = answer["reactions"].as_array().unwrap().iter().find(|r| r["constraint"] == "middle").unwrap().clone();
        assert!((own["force"][1].as_f64().unwrap() - middle).abs() < 1e-6, "{rule}: {own}");
        folder.done(&["run", "model.toml", "-o", "out", "--force"]);
        let table = String::from_utf8(folder.read("out/table.csv")).unwrap();
        let (head, last) = (table.lines().next().unwrap(), table.lines().last().unwrap());
        let at = |name: &str| -> f64 {
            let k = head.split(',').position(|h| h == name).unwrap_or_else(|| panic!("{name} in {head}"));
            last.split(',').nth(k).unwrap().parse().unwrap()
        };
        assert!((at("middle.fy") - middle).abs() < 1e-6, "{rule}: {}", at("middle.fy"));
        ends.push((at("beam.y"), at("pendulum.theta")));
    }
    assert_eq!(ends[0], ends[1], "the motion does not depend on the rule");
}

#[test]
fn what_is_no_stiffness_is_named() {
    let folder = Folder::new("sharing-broken");
    let refused = |line: &str, words: &[&str]| {
        folder.write("model.toml", &BEAM.replace("\nmiddle = { ", &format!("\nmiddle = {{ {line}, ")));
        let answer = folder.taut(&["check", "model.toml"]);
        assert_eq!(answer.code, 1, "{line}");
        words.iter().for_each(|w| assert!(answer.err.contains(w), "`{w}` is missing in\n{}", answer.err));
    };
    refused("share_stiffness = [1, 1, 0, 1, 1, 1]", &["middle", "share_stiffness", "greater than zero", "model.toml:"]);
    refused("share_stiffness = [1, -1, 1, 1, 1, 1]", &["middle", "greater than zero"]);
    refused("share_stiffness = [1, 1]", &["share_stiffness", "model.toml:"]);
    refused("share_stiffness = \"60 kN\"", &["share_stiffness", "model.toml:"]);
    refused("misfit = [0, 1, 0, 0, 0, 0]", &["`misfit` without `share_stiffness`", "model.toml:"]);
}
