//! A shaft in three bearings that bends: its stiffness shares the load. Values by the three-moment equation and the force method,
//! independent of Taut. Loads are small, so that the linear theory holds to the last digits compared.

use crate::common;

use common::Folder;
use serde_json::Value;

/// Loads of 4000 N, 1000 N, 1500 N and 200 N are scaled by this.
const SCALE: f64 = 1e-4;

const SHAFT: &str = include_str!("determinacy/flexible_crankshaft.toml");

fn at_rest(name: &str, model: &str) -> Value {
    let folder = Folder::new(&format!("flexible-{name}"));
    folder.write("model.toml", model);
    folder.done(&["static", "model.toml", "--json"]).json()
}

/// The force of a joint or of a force element.
fn force(answer: &Value, joint: &str) -> [f64; 3] {
    let all = answer["reactions"].as_array().unwrap();
    let own = all.iter().find(|r| r["constraint"] == joint).unwrap_or_else(|| panic!("{joint} in {all:?}"));
    [0, 1, 2].map(|i| own["force"][i].as_f64().unwrap())
}

#[test]
fn a_crankshaft_in_rigid_bearings() {
    let answer = at_rest("rigid", SHAFT);
    for (joint, fx, fy) in
        [("front", 138.54166666666666, 1531.25), ("middle", -993.75, 3437.5), ("rear", -644.7916666666666, 31.25)]
    {
        let [x, y, _] = force(&answer, joint);
        for (found, expected) in [(x, fx * SCALE), (y, fy * SCALE)] {
            assert!((found - expected).abs() < 2e-8 * 3437.5 * SCALE, "{joint}: {found} instead of {expected}");
        }
    }
    // The deformation decides: every force is unique.
    assert!(answer["determinacy"]["sets"].as_array().unwrap().is_empty());
}

/// A bearing that is bored 0.1 mm off bends the shaft: 48 E I e / l³ in the middle, half of it at both ends.
#[test]
fn a_bearing_off_its_line_preloads_the_shaft() {
    let model = SHAFT.replace("\"ground.middle\" = [0, 0, 0.3]", "\"ground.middle\" = [1e-4, 0, 0.3]");
    let unloaded =
        model.split("[forces]").next().unwrap().replace("1e16, 1e16, 1e6, 1e6, 1e6", "1e14, 1e14, 6.4e4, 6.4e4, 6.4e4");
    let answer = at_rest("misfit", &unloaded);
    let preload = 48.0 * 6.4e4 * 1e-4 / 0.6_f64.powi(3);
    for (joint, share) in [("front", -0.5), ("middle", 1.0), ("rear", -0.5)] {
        let found = force(&answer, joint)[0] / preload;
        assert!((found - share).abs() < 1e-6, "{joint}: {found}");
    }
}

/// Bearings with a stiffness of their own are bushings; the middle force follows from the force method.
#[test]
fn a_shaft_that_bends_in_elastic_bearings() {
    let (k_front, k_middle, k_rear, ei, l) = (1e8, 5e7, 1e8, 6.4e4, 0.6_f64);
    let (first, second) = (4000.0 * SCALE, 1000.0 * SCALE);
    let bushing = |name: &str, a: &str, node: usize, k: f64| {
        format!(
            "{name} = {{ type = \"bushing\", a = \"{a}\", b = \"shaft_{node}\", stiffness = [{k}, {k}, 0, 0, 0, 0] }}\n"
        )
    };
    let kept = |line: &&str| !["front", "middle", "rear"].iter().any(|j| line.starts_with(&format!("{j} = ")));
    let model: String = SHAFT.lines().filter(kept).map(|l| format!("{l}\n")).collect();
    let model = model.replace("1e16, 1e16, 1e6, 1e6, 1e6", "1e14, 1e14, 6.4e4, 6.4e4, 6.4e4")
        + &bushing("front", "ground", 0, k_front)
        + &bushing("middle", "ground.middle", 2, k_middle)
        + &bushing("rear", "ground.rear", 4, k_rear);
    let answer = at_rest("elastic", &model);
    let found = -k_middle * answer["state"]["shaft_2.y"].as_f64().unwrap();
    // Without the middle bearing: bending, and the ends give way.
    let a = l / 4.0;
    let bending = (first + second) * a * (3.0 * l * l - 4.0 * a * a) / (48.0 * ei);
    let (front, rear) = (0.75 * first + 0.25 * second, 0.25 * first + 0.75 * second);
    let ends = 0.5 * (front / k_front + rear / k_rear);
    let give = l.powi(3) / (48.0 * ei) + 1.0 / k_middle + 0.25 * (1.0 / k_front + 1.0 / k_rear);
    let expected = (bending + ends) / give;
    assert!((found / expected - 1.0).abs() < 1e-6, "{found} instead of {expected}");
}

/// A stiffness for sharing cannot change a unique reaction; it is not ignored in silence.
#[test]
fn a_share_stiffness_on_a_beam_is_named() {
    let shares = "b = \"shaft_2\", share_stiffness = [1e8, 1e8, 1e8, 1, 1, 1]";
    let answer = at_rest("ignored", &SHAFT.replace("b = \"shaft_2\"", shares));
    let notes = answer["determinacy"]["notes"].to_string();
    for words in ["`middle`", "share_stiffness", "bushing"] {
        assert!(notes.contains(words), "{words} is missing in {notes}");
    }
    let folder = Folder::new("flexible-note");
    folder.write("model.toml", &SHAFT.replace("b = \"shaft_2\"", shares));
    let text = folder.done(&["check", "model.toml"]).out;
    assert!(text.contains("`share_stiffness` of `middle` has no effect"), "{text}");
    assert!(at_rest("silent", SHAFT)["determinacy"]["notes"].as_array().unwrap().is_empty());
}
