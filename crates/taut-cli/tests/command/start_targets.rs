//! Initial values by priority: least squares on the constraint manifold. Values from minimisation in 30 digits and by the root of the
//! gradient, independent of Taut.

use crate::common;

use common::Folder;
use serde_json::Value;

/// The state that `taut assemble` reports.
fn assembled(name: &str, model: &str) -> Value {
    let folder = Folder::new(&format!("targets-{name}"));
    folder.write("model.toml", model);
    folder.done(&["assemble", "model.toml", "--json"]).json()["state"].clone()
}

#[track_caller]
fn compare(state: &Value, expected: &[(&str, f64)]) {
    for (name, x) in expected {
        let found = state[*name].as_f64().unwrap_or_else(|| panic!("{name} in {state}"));
        assert!((found - x).abs() < 1e-8, "{name}: {found} instead of {x}");
    }
}

/// Two links of 1 m and 0.7 m; the shoulder starts at 0.3 rad, the elbow at 0.4 rad.
fn arm(start: &str) -> String {
    let (c1, s1, c2, s2) = (0.3_f64.cos(), 0.3_f64.sin(), 0.7_f64.cos(), 0.7_f64.sin());
    format!(
        "taut = 2\n[bodies]\nupper = {{ type = \"planar\", mass = 1, inertia = 0.1, position = [{}, {}], angle = 0.3, markers = {{ near = [-0.5, 0], far = [0.5, 0] }} }}\n\
         fore = {{ type = \"planar\", mass = 1, inertia = 0.1, position = [{}, {}], angle = 0.7, markers = {{ near = [-0.35, 0], tip = [0.35, 0] }} }}\n\
         [joints]\nshoulder = {{ type = \"pin\", a = \"ground\", b = \"upper.near\" }}\nelbow = {{ type = \"pin\", a = \"upper.far\", b = \"fore.near\" }}\n\
         [measures]\ntip_x = {{ slide = {{ a = \"ground\", b = \"fore.tip\", axis = \"x\" }} }}\ntip_y = {{ slide = {{ a = \"ground\", b = \"fore.tip\", axis = \"y\" }} }}\n[start]\n{start}",
        0.5 * c1,
        0.5 * s1,
        c1 + 0.35 * c2,
        s1 + 0.35 * s2
    )
}

fn targets(tip: [f64; 2], strong: &str, weight: f64) -> String {
    let one = |name: &str, value: f64, priority: &str, weight: f64| {
        format!("\"{name}\" = {{ value = {value}, priority = \"{priority}\", weight = {weight} }}\n")
    };
    let tips = one("tip_x", tip[0], strong, weight) + &one("tip_y", tip[1], strong, weight);
    tips + &one("shoulder.angle", 0.2, "weak", 1.0) + &one("elbow.angle", 0.5, "weak", 1.0)
}

#[test]
fn an_arm_reaches_as_far_as_it_can() {
    let of = |tip, strong: &str, weight| assembled("arm", &arm(&targets(tip, strong, weight)));
    let angles = |a: f64, b: f64| [("upper.theta", a), ("fore.theta", a + b)];
    compare(&of([1.5, 1.2], "strong", 1.0), &angles(0.6747409422235526, 0.0));
    compare(&of([1.5, 1.2], "weak", 100.0), &angles(0.6456081993154036, 0.06744050949208473));
    compare(&of([1.0, 0.9], "strong", 1.0), &angles(0.20165734877341202, 1.3401863155087832));
    compare(&of([1.0, 0.9], "weak", 100.0), &angles(0.21322328552893224, 1.3079294681486593));
    compare(&of([1.0, 0.9], "weak", 1e4), &angles(0.20177475378819504, 1.3398591305017626));
}

/// The shipped four-bar without its motor.
fn four_bar(start: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/four_bar.toml");
    let text = std::fs::read_to_string(path).unwrap();
    let free = text.replace(", rotation = { position = \"2*t\" }", "");
    format!("{}\n[start]\n{start}", free.split("[[expect]]").next().unwrap())
}

#[test]
fn a_four_bar_compromises_between_two_targets() {
    let of = |w: f64| {
        let start = format!(
            "\"motor.angle\" = {{ value = \"60 deg\", priority = \"weak\" }}\n\"foot.angle\" = {{ value = \"100 deg\", priority = \"weak\", weight = {w} }}\n"
        );
        assembled("four-bar", &four_bar(&start))
    };
    compare(&of(0.01), &[("crank.theta", 1.0475306391159251), ("rocker.theta", 1.5814015953614997)]);
    compare(&of(1.0), &[("crank.theta", 1.0812106109017867), ("rocker.theta", 1.5884768965988765)]);
    let start = "\"motor.angle\" = { value = \"60 deg\", priority = \"strong\" }\n\"foot.angle\" = { value = \"100 deg\", priority = \"weak\" }\n";
    compare(
        &assembled("four-bar", &four_bar(start)),
        &[("crank.theta", 1.0471975511965976), ("rocker.theta", 1.581333937590354)],
    );
}

#[test]
fn rates_compromise_too() {
    for (w, crank, rocker) in
        [(0.01, 2.0052648239456206, 0.4071764214851016), (1.0, 2.505843149279009, 0.5088206974671657)]
    {
        let start = format!(
            "\"motor.angle\" = \"60 deg\"\n\"motor.angle.rate\" = {{ value = 2, priority = \"weak\" }}\n\"foot.angle.rate\" = {{ value = 3, priority = \"weak\", weight = {w} }}\n"
        );
        compare(&assembled("rates", &four_bar(&start)), &[("crank.omega", crank), ("rocker.omega", rocker)]);
    }
}

/// Crank 0.6, coupler 0.7, rocker 0.5, ground 1: the crank cannot pass 93.82255372927436°.
#[test]
fn a_target_beyond_the_dead_point_ends_there() {
    let start = "\"motor.angle\" = { value = \"100 deg\", priority = \"strong\" }\n";
    let model = four_bar(start)
        .replace("\na = 0.3 ", "\na = 0.6 ")
        .replace("\nb = 1\n", "\nb = 0.7\n")
        .replace("\nc = 0.8\n", "\nc = 0.5\n");
    compare(&assembled("dead-point", &model), &[("crank.theta", 1.637512475205122)]);
}

/// The mechanism with the hard values has more constraints than the mechanism itself: the command panicked.
#[test]
fn weak_values_beside_hard_ones_did_not_panic() {
    // With the elbow fixed, the tip moves on a circle about the shoulder.
    let (x, y) = (1.0 + 0.7 * 0.5_f64.cos(), 0.7 * 0.5_f64.sin());
    let shoulder = (1.2 / x.hypot(y)).acos() - y.atan2(x);
    let start = "\"elbow.angle\" = 0.5\ntip_x = { value = 1.2, priority = \"weak\" }\n";
    compare(&assembled("hard-weak", &arm(start)), &[("upper.theta", shoulder), ("fore.theta", shoulder + 0.5)]);
    // A preferred value of a coordinate that a hard value determines.
    let start = "\"shoulder.angle\" = 0.2\n\"upper.theta\" = { value = 1, priority = \"weak\" }\n";
    compare(&assembled("hard-only", &arm(start)), &[("upper.theta", 0.2)]);
}

#[test]
fn an_unknown_name_is_shown_in_its_own_line() {
    let folder = Folder::new("targets-unknown");
    folder.write("model.toml", &arm("\"elbow.angle\" = 0.5\n\"elbo.angle\" = 0.2\n"));
    let answer = folder.taut(&["assemble", "model.toml"]);
    assert!(answer.code != 0 && answer.err.contains("\"elbo.angle\" = 0.2"), "{answer:?}");
}

#[test]
fn a_weight_that_is_not_positive_is_named() {
    let folder = Folder::new("targets-broken");
    folder.write("model.toml", &four_bar("\"motor.angle\" = { value = 1, priority = \"weak\", weight = 0 }\n"));
    let answer = folder.taut(&["assemble", "model.toml"]);
    assert_eq!(answer.code, 1);
    assert!(
        answer.err.contains("motor.angle")
            && answer.err.contains("greater than zero")
            && answer.err.contains("model.toml:"),
        "{}",
        answer.err
    );
}

#[test]
fn the_command_line_sets_targets() {
    let folder = Folder::new("targets-command-line");
    let free = four_bar("");
    folder.write("free.toml", free.split("[start]").next().unwrap());
    folder.write("quoted.toml", &four_bar("\"motor.angle\" = \"20 deg\"\n"));
    folder.write("nested.toml", &four_bar("motor.angle = \"20 deg\"\n"));
    for file in ["free.toml", "quoted.toml", "nested.toml"] {
        let command = ["assemble", file, "--json", "--set", "start.motor.angle=\"60 deg\""];
        compare(&folder.done(&command).json()["state"], &[("crank.theta", 1.0471975511965976)]);
    }
}

#[test]
fn contradictory_hard_targets_are_named_with_their_place() {
    let folder = Folder::new("targets-contradict");
    // Each can be met alone: the rocker stands at 90.6° where the crank is at 60°.
    folder.write("model.toml", &four_bar("\"motor.angle\" = \"60 deg\"\n\"foot.angle\" = \"100 deg\"\n"));
    for command in [["assemble", "model.toml"], ["run", "model.toml"], ["check", "model.toml"]] {
        let answer = folder.taut(&command);
        assert_eq!(answer.code, 1, "{command:?}");
        for words in ["`motor.angle`, `foot.angle` cannot be met", "model.toml:"] {
            assert!(answer.err.contains(words), "{command:?}: `{words}` is missing in\n{}", answer.err);
        }
    }
}
