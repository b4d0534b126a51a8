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

/// A beam of 500 N and 4 m on three feet with springs k = 1e6 N/m at 0, 2 and 4 m.
fn beam(middle: &str) -> String {
    let foot = |name: &str, plane: &str, more: &str| {
        format!(
            "[constraints.{name}]\ntype = \"point_plane_contact\"\nplane = \"{plane}\"\npoint = \"beam.{name}\"\nshare_stiffness = 1e6\n{more}\n"
        )
    };
    "taut = 2\ngravity = [0, 0, -10]\n[bodies.beam]\ntype = \"rigid\"\nmass = 50\ninertia = [4, 70, 70]\nposition = [2, 0, 0]\n\
     markers = { left = [-2, 0, 0], middle = [0, 0, 0], right = [2, 0, 0] }\n[settings]\nduration = 0.01\nreactions = \"stiffness\"\n"
        .to_string()
        + &foot("left", "ground", "")
        + &foot("middle", "ground", middle)
        + &foot("right", "ground", "")
}

/// Compatibility: δ₀ − 2 δ₁ + δ₂ = 0 with δ = e − F/k. A middle foot that is 0.1 mm too low carries less; one that is 1 mm too low would have
/// to pull, and carries nothing. One that is too high may lift both others.
#[test]
fn feet_that_only_push_share_by_stiffness() {
    // F = 500/3 for all; the self-stress n (1, −2, 1) has n = −2 k e/6.
    for (e, middle) in [(0.0, 500.0 / 3.0), (-1e-4, 500.0 / 3.0 - 2.0e2 / 3.0), (-1e-3, 0.0), (1e-3, 500.0)] {
        let answer = at_rest("beam", &beam(&format!("misfit = {e}")));
        let side = 0.5 * (500.0 - middle);
        let expected = [("left.fz", side), ("middle.fz", middle), ("right.fz", side)];
        compare(&answer, "stiffness", &expected, 1e-6);
        // The table of reactions follows the rule of the file.
        for (name, x) in expected {
            let reactions = answer["reactions"].as_array().unwrap();
            let own = reactions.iter().find(|r| r["constraint"] == name.split('.').next().unwrap()).unwrap();
            assert!((own["force"][2].as_f64().unwrap() - x).abs() < 1e-6, "{e}: {own} instead of {x}");
        }
    }
}
