//! Singular poses between the given pose and the targets of `[start]`, with the motions that cross there. Values by hand.

use crate::common;

use common::Folder;
use serde_json::Value;
use std::f64::consts::FRAC_PI_3;

/// A planar four-bar on a ground of 1 m, assembled with the crank at `angle` by the given rough poses.
fn four_bar(lengths: [f64; 3], rough: [[f64; 3]; 3], start: &str) -> String {
    let bar = |name: &str, length: f64, [x, y, theta]: [f64; 3], ends: [&str; 2]| {
        let h = 0.5 * length;
        format!(
            "{name} = {{ type = \"planar\", mass = 1, inertia = 1, position = [{x}, {y}], angle = {theta}, markers = {{ {} = [-{h}, 0], {} = [{h}, 0] }} }}\n",
            ends[0], ends[1]
        )
    };
    format!(
        "taut = 2\n[bodies]\n{}{}{}[markers]\n\"ground.right\" = [1, 0, 0]\n[joints]\n\
         motor = {{ type = \"pin\", a = \"ground\", b = \"crank.pivot\" }}\nelbow = {{ type = \"pin\", a = \"crank.tip\", b = \"coupler.left\" }}\n\
         wrist = {{ type = \"pin\", a = \"coupler.right\", b = \"rocker.head\" }}\nfoot = {{ type = \"pin\", a = \"ground.right\", b = \"rocker.foot\" }}\n\
         [start]\n{start}\n",
        bar("crank", lengths[0], rough[0], ["pivot", "tip"]),
        bar("coupler", lengths[1], rough[1], ["left", "right"]),
        bar("rocker", lengths[2], rough[2], ["foot", "head"]),
    )
}

fn assembled(name: &str, model: &str) -> (Value, String) {
    let folder = Folder::new(&format!("start-way-{name}"));
    folder.write("model.toml", model);
    let text = folder.done(&["assemble", "model.toml"]).out;
    (folder.done(&["assemble", "model.toml", "--json"]).json()["start"].clone(), text)
}

fn rate(motion: &Value, name: &str) -> f64 {
    let all = motion["rates"].as_array().unwrap();
    all.iter().find(|r| r[0] == name).and_then(|r| r[1].as_f64()).unwrap_or_else(|| panic!("{name} in {all:?}"))
}

/// Crank 0.6, coupler 0.7, rocker 0.5: coupler and rocker in line end the way of the crank at 93.8°.
fn beyond(priority: &str) -> String {
    let rough = [[0.3, 0.0, 0.0], [0.6, 0.4, 0.8], [1.0, 0.4, 1.6]];
    four_bar([0.6, 0.7, 0.5], rough, &format!("\"motor.angle\" = {{ value = \"100 deg\", priority = \"{priority}\" }}"))
}

#[test]
fn a_dead_point_has_two_ways_back() {
    let (start, text) = assembled("dead", &beyond("strong"));
    let target = &start["targets"][0];
    let (wanted, reached) = (100.0_f64.to_radians(), 1.637512475205122);
    assert!((target["reached"].as_f64().unwrap() - reached).abs() < 1e-8, "{target}");
    assert!((target["missed"].as_f64().unwrap() - (reached - wanted)).abs() < 1e-8, "{target}");
    let poses = start["way"]["singular"].as_array().unwrap();
    assert_eq!(poses.len(), 1, "{poses:?}");
    let pose = &poses[0];
    assert_eq!((pose["kind"].as_str(), pose["target"].as_str()), (Some("dead_point"), Some("motor.angle")));
    assert!((pose["value"].as_f64().unwrap() - reached).abs() < 1e-6, "{pose}");
    // The crank rests; coupler and rocker turn as their lengths demand: 0.7 ωc + 0.5 ωr = 0 across the common line.
    let motions = pose["motions"].as_array().unwrap();
    assert_eq!(motions.len(), 2);
    assert_eq!(motions.iter().filter(|m| m["goes_on"] == true).count(), 1);
    for motion in motions {
        // The crank is at the end of its way to second order only.
        assert!(rate(motion, "motor.angle").abs() < 1e-4, "{motion}");
        let (coupler, rocker) = (rate(motion, "elbow.angle"), rate(motion, "foot.angle"));
        assert!((0.7 * coupler + 0.5 * rocker).abs() < 1e-4, "{motion}");
    }
    assert!((rate(&motions[0], "wrist.angle") + rate(&motions[1], "wrist.angle")).abs() < 1e-6, "opposite ways");
    assert!(text.contains("`motor.angle` turns back at 1.6375"), "{text}");
    assert!(text.contains("missed by"), "{text}");
}

#[test]
fn a_hard_target_beyond_the_dead_point_names_it() {
    let folder = Folder::new("start-way-hard");
    folder.write("model.toml", &beyond("hard"));
    let answer = folder.taut(&["assemble", "model.toml"]);
    assert_eq!(answer.code, 1);
    for words in ["`motor.angle` comes to a dead point at 1.63751", "stays open by 52.34892 mm", "model.toml:"] {
        assert!(answer.err.contains(words), "{words} in {}", answer.err);
    }
}

/// A parallelogram passes its flat pose, where the antiparallelogram branches off: ω of the rocker is ω or −4 ω of the crank for bars of
/// 0.6 m and 1 m (from 0.6 ω₁² + ωc² = 0.6 ω₄², ωc = 0.6 (ω₄ − ω₁)).
#[test]
fn both_motions_through_a_flat_parallelogram() {
    let (c, s) = (0.5, 0.75_f64.sqrt());
    let rough = [[0.3 * c, 0.3 * s, FRAC_PI_3], [0.6 * c + 0.5, 0.6 * s, 0.0], [1.0 + 0.3 * c, 0.3 * s, FRAC_PI_3]];
    let (start, text) = assembled("flat", &four_bar([0.6, 1.0, 0.6], rough, "\"motor.angle\" = \"-60 deg\""));
    assert_eq!(start["way"]["end"], "reached");
    let poses = start["way"]["singular"].as_array().unwrap();
    assert_eq!(poses.len(), 1, "{poses:?}");
    let pose = &poses[0];
    assert_eq!(pose["kind"], "singular_pose");
    assert!(pose["value"].as_f64().unwrap().abs() < 1e-6, "{pose}");
    assert_eq!(pose["joints"].as_array().unwrap().len(), 4);
    let motions = pose["motions"].as_array().unwrap();
    assert_eq!(motions.len(), 2, "{pose}");
    for motion in motions {
        let (crank, rocker) = (rate(motion, "motor.angle"), rate(motion, "foot.angle"));
        let ratio = if motion["goes_on"] == true { 1.0 } else { -4.0 };
        assert!((rocker / crank - ratio).abs() < 1e-4, "{motion}");
        // Both in the sense of arrival: the crank turns to smaller angles.
        assert!(crank < 0.0, "{motion}");
    }
    for words in ["singular pose on the way: `motor.angle` = ", "two motions cross", "other branch:"] {
        assert!(text.contains(words), "{words} in {text}");
    }
    // The same linkage with other lengths passes without a singular pose.
    let (start, _) = assembled("open", &four_bar([0.6, 1.0, 0.7], rough, "\"motor.angle\" = \"50 deg\""));
    assert_eq!(
        (start["way"]["end"].as_str(), start["way"]["singular"].as_array().unwrap().len()),
        (Some("reached"), 0)
    );
    assert!(!start["moved"].as_array().unwrap().is_empty());
}
