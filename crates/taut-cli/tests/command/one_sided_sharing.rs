//! Supports that only push, with and without friction: what each can carry, and how they share by stiffness.

use crate::common;

use common::Folder;
use serde_json::Value;

fn at_rest(name: &str, model: &str) -> Value {
    let folder = Folder::new(&format!("one-sided-{name}"));
    folder.write("model.toml", model);
    folder.done(&["static", "model.toml", "--json"]).json()
}

#[track_caller]
fn compare(answer: &Value, field: &str, expected: &[(&str, f64)], tolerance: f64) {
    for (name, x) in expected {
        let all = answer["determinacy"]["components"].as_array().unwrap();
        let own = all.iter().find(|c| c["name"] == *name).unwrap_or_else(|| panic!("{name} in {all:?}"));
        let found = own[field].as_f64().unwrap_or(f64::NAN);
        assert!((found - x).abs() <= tolerance, "{name}.{field}: {found} instead of {x}");
    }
}

/// Four feet that stick, on the axes at 1 m, under 100 N in the middle. With the self-stress t (1, −1, 1, −1) of the normal forces, two
/// opposite feet carry up to 50 N each and then hold 0.4 · 50 N against each other. Across, a foot is held by all others:
/// 20 (2 − √2) N, also from a conic programme (Clarabel).
#[test]
fn friction_cones_limit_the_range() {
    let mut model = "taut = 2\ngravity = [0, 0, -10]\n[bodies.table]\ntype = \"rigid\"\nmass = 10\n\
                     inertia = [4, 4, 4]\nposition = [0, 0, 0.5]\n[bodies.table.markers]\n"
        .to_string();
    let feet = [("a", [1, 0]), ("b", [0, 1]), ("c", [-1, 0]), ("d", [0, -1])];
    for (name, [x, y]) in feet {
        model += &format!("{name} = {{ at = [{x}, {y}, 0], relative_to = \"world\" }}\n");
    }
    for (name, _) in feet {
        model += &format!(
            "[constraints.{name}]\ntype = \"point_plane_contact\"\nplane = \"ground\"\npoint = \"table.{name}\"\nfriction = 0.4\n"
        );
    }
    let answer = at_rest("cones", &model);
    let across = 20.0 * (2.0 - 2.0_f64.sqrt());
    let most = [("a.fx", 20.0), ("a.fy", across), ("a.fz", 50.0), ("b.fx", across), ("d.fy", 20.0), ("d.fz", 50.0)];
    compare(&answer, "most", &most, 1e-7);
    compare(&answer, "least", &most.map(|(name, x)| (name, if name.ends_with('z') { 0.0 } else { -x })), 1e-7);
}

/// A beam of 500 N and 4 m on springs of 1e6 N/m at both ends, which stand too high by `e`, and on a rigid foot in the middle, which only
/// pushes.
fn beam(e: f64) -> String {
    let end = |name: &str, marker: &str| {
        format!(
            "[joints.{name}]\ntype = \"point_on_plane\"\na = \"{marker}\"\nb = \"beam.{name}\"\n\
             share_stiffness = [1e6, 1e6, 1e6, 1e6, 1e6, 1e6]\nmisfit = [0, 0, {e}, 0, 0, 0]\n"
        )
    };
    "taut = 2\ngravity = [0, 0, -10]\n[bodies.beam]\ntype = \"rigid\"\nmass = 50\ninertia = [4, 70, 70]\nposition = [2, 0, 0]\n\
     markers = { left = [-2, 0, 0], middle = [0, 0, 0], right = [2, 0, 0] }\n[markers]\n\"ground.right\" = [4, 0, 0]\n\
     [constraints.middle]\ntype = \"point_plane_contact\"\nplane = \"ground\"\npoint = \"beam.middle\"\n\
     [settings]\nduration = 0.01\nreactions = \"stiffness\"\n"
        .to_string()
        + &end("left", "ground")
        + &end("right", "ground.right")
}

/// Each end carries k e as long as the foot pushes with 500 N − 2 k e; beyond, the ends carry the whole load.
#[test]
fn a_foot_that_would_have_to_pull_carries_nothing() {
    for (e, side) in [(0.0, 0.0), (1e-4, 100.0), (3e-4, 250.0)] {
        let answer = at_rest("beam", &beam(e));
        let expected = [("left.fz", side), ("middle.fz", 500.0 - 2.0 * side), ("right.fz", side)];
        compare(&answer, "stiffness", &expected, 1e-6);
        // The table of reactions follows the rule of the file.
        for (name, x) in expected {
            let reactions = answer["reactions"].as_array().unwrap();
            let own = reactions.iter().find(|r| r["constraint"] == name.split('.').next().unwrap()).unwrap();
            assert!((own["force"][2].as_f64().unwrap() - x).abs() < 1e-6, "{e}: {own} instead of {x}");
        }
    }
}

/// The run may begin with a table on three of its four feet, because equilibrium allows it; the fourth touches and may carry load as well:
/// with t (1, −1, 1, −1), 65 ≤ a ≤ 80, b and c from 0 to 15, 5 ≤ d ≤ 20. By least squares c would have to pull with 7.5 N.
#[test]
fn feet_that_touch_are_supports() {
    let feet = [("a", [0.6, 0.4]), ("b", [-0.6, 0.4]), ("c", [-0.6, -0.4]), ("d", [0.6, -0.4])];
    let mut model = include_str!("determinacy/table.toml")
        .replace("mass = 20", "mass = 10")
        .replace("position = [0.15, 0.05, 0.75]", "position = [0.42, 0.24, 0.75]");
    for (name, _) in feet {
        model += &format!(
            "[constraints.{name}]\ntype = \"point_plane_contact\"\nplane = \"ground\"\npoint = \"table.{name}\"\n"
        );
    }
    let folder = Folder::new("one-sided-touching");
    folder.write("model.toml", &model);
    for command in ["check", "static"] {
        let answer = folder.done(&[command, "model.toml", "--json"]).json();
        compare(&answer, "least", &[("a.fz", 65.0), ("b.fz", 0.0), ("c.fz", 0.0), ("d.fz", 5.0)], 1e-6);
        compare(&answer, "most", &[("a.fz", 80.0), ("b.fz", 15.0), ("c.fz", 15.0), ("d.fz", 20.0)], 1e-6);
        compare(&answer, "minimum_norm", &[("a.fz", 65.0), ("b.fz", 15.0), ("c.fz", 0.0), ("d.fz", 20.0)], 1e-6);
    }
}
