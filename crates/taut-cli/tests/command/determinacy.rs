//! Determinacy of reactions: over-constrained machines with known self-stresses. Sets and values from exact rational null spaces and
//! from statics by hand (Wojtyra 2005; three-moment equation; table with four legs), independent of Taut.

use crate::common;

use common::Folder;
use serde_json::Value;

/// The determinacy that `taut static` reports for a model.
fn at_rest(name: &str, model: &str) -> Value {
    let folder = Folder::new(&format!("determinacy-{name}"));
    folder.write("model.toml", model);
    folder.done(&["static", "model.toml", "--json"]).json()["determinacy"].clone()
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|x| x.as_str().unwrap()).collect()
}

/// Components that trade load, set by set.
fn sets(report: &Value) -> Vec<Vec<&str>> {
    report["sets"].as_array().unwrap().iter().map(|s| names(&s["components"])).collect()
}

fn component<'a>(report: &'a Value, name: &str) -> &'a Value {
    let all = report["components"].as_array().unwrap();
    all.iter().find(|c| c["name"] == name).unwrap_or_else(|| panic!("{name} in {all:?}"))
}

/// Compares a field of components with values to 1e-8 relative to the largest.
#[track_caller]
fn compare(report: &Value, field: &str, expected: &[(&str, f64)]) {
    let largest = expected.iter().fold(0.0_f64, |a, (_, x)| a.max(x.abs()));
    for (name, x) in expected {
        let found = component(report, name)[field].as_f64().unwrap_or(f64::NAN);
        assert!((found - x).abs() <= 1e-8 * largest, "{name}.{field}: {found} instead of {x}");
    }
}

/// Value of the unique combination whose coefficients are multiples of these, if there is one.
fn combination(report: &Value, terms: &[(&str, f64)]) -> Option<f64> {
    let all = report["sets"].as_array().unwrap().iter().flat_map(|s| s["combinations"].as_array().unwrap());
    let matches = |c: &&Value| {
        let own = c["terms"].as_array().unwrap();
        let factor = |name: &str| own.iter().find(|t| t[0] == name).and_then(|t| t[1].as_f64());
        let ratio = factor(terms[0].0).map_or(f64::NAN, |x| x / terms[0].1);
        own.len() == terms.len()
            && terms.iter().all(|(n, x)| factor(n).is_some_and(|own| (own - ratio * x).abs() < 1e-9))
    };
    all.filter(|c| matches(c)).find_map(|c| c["value"].as_f64())
}

fn joints(report: &Value, label: &str) -> Vec<String> {
    let all = report["joints"].as_array().unwrap().iter().filter(|j| j["label"] == label);
    all.map(|j| j["constraint"].as_str().unwrap().to_string()).collect()
}

const DOOR: &str = include_str!("determinacy/door.toml");

#[test]
fn door_on_two_hinges() {
    let report = at_rest("door", &DOOR.replace("LOW", "revolute").replace("HIGH", "revolute"));
    let expected: [&[&str]; 3] = [
        &["low.fx", "low.my", "high.fx", "high.my"],
        &["low.fy", "low.mx", "high.fy", "high.mx"],
        &["low.fz", "high.fz"],
    ];
    let mut found = sets(&report);
    found.sort();
    let mut expected = expected.map(|s| s.to_vec());
    expected.sort();
    assert_eq!(found, expected);
    assert_eq!(joints(&report, "not_unique"), ["low", "high"]);
    compare(
        &report,
        "minimum_norm",
        &[("low.fx", 26.487), ("low.fz", 122.625), ("low.my", -35.316), ("high.fx", -26.487), ("high.my", -35.316)],
    );
    assert!((combination(&report, &[("low.fz", 1.0), ("high.fz", 1.0)]).unwrap() - 245.25).abs() < 1e-7);
    // The range of a bilateral joint has no bounds.
    assert!(component(&report, "low.fz")["least"].is_null());
}

#[test]
fn door_on_two_ball_joints_and_without_redundancy() {
    let report = at_rest("door-balls", &DOOR.replace("LOW", "spherical").replace("HIGH", "spherical"));
    assert_eq!(sets(&report), [["low.fz", "high.fz"]]);
    assert_eq!(joints(&report, "partly"), ["low", "high"]);
    compare(&report, "minimum_norm", &[("low.fx", 73.575), ("high.fx", -73.575), ("low.fz", 122.625)]);
    let report = at_rest("door-free", &DOOR.replace("LOW", "spherical").replace("HIGH", "point_on_line"));
    assert!(sets(&report).is_empty());
    assert_eq!(joints(&report, "unique"), ["low", "high"]);
    let report = at_rest("door-cylindrical", &DOOR.replace("LOW", "revolute").replace("HIGH", "cylindrical"));
    assert_eq!((joints(&report, "partly"), joints(&report, "not_unique")), (vec!["low".into()], vec!["high".into()]));
    assert!(component(&report, "low.fz")["set"].is_null());
}

#[test]
fn beam_on_three_supports() {
    let report = at_rest("beam", include_str!("determinacy/beam.toml"));
    assert_eq!(sets(&report), [["left.fy", "middle.fy", "right.fy"]]);
    assert_eq!(joints(&report, "unique"), ["hook"]);
    assert_eq!(joints(&report, "partly"), ["left"]);
    compare(
        &report,
        "minimum_norm",
        &[("left.fy", 189.7460526316), ("middle.fy", 223.3065789474), ("right.fy", 273.6473684211), ("hook.fy", 196.2)],
    );
}

#[test]
fn bar_on_three_cranks_is_unique_across_them() {
    let report = at_rest("cranks", include_str!("determinacy/three_cranks.toml"));
    assert_eq!(sets(&report).len(), 1);
    assert_eq!(sets(&report)[0].len(), 12);
    assert_eq!(joints(&report, "unique"), ["motor"]);
    compare(
        &report,
        "minimum_norm",
        &[
            ("foot1.fx", -22.8043776316),
            ("foot1.fy", 28.4541631579),
            ("head2.fx", 7.8415460526),
            ("head3.fy", 15.0454421053),
            ("motor.mz", 16.1865),
        ],
    );
    let head = report["joints"].as_array().unwrap().iter().find(|j| j["constraint"] == "head1").unwrap();
    let d: Vec<f64> = head["unique_directions"][0].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    assert!((d[0] - 0.8).abs() < 1e-9 && (d[1] + 0.6).abs() < 1e-9 && d[2] == 0.0, "{d:?}");
}

#[test]
fn table_on_four_legs() {
    let base = include_str!("determinacy/table.toml");
    let legs = |kind: &str, which: &str| -> String {
        let one = |c: char| format!("[joints.{c}]\ntype = \"{kind}\"\na = \"ground.{c}\"\nb = \"table.{c}\"\n");
        which.chars().map(one).collect()
    };
    let report = at_rest("table", &format!("{base}{}", legs("point_on_plane", "abcd")));
    assert_eq!(sets(&report), [["a.fz", "b.fz", "c.fz", "d.fz"]]);
    compare(&report, "minimum_norm", &[("a.fz", 68.75), ("b.fz", 43.75), ("c.fz", 31.25), ("d.fz", 56.25)]);
    let three = at_rest("table-three", &format!("{base}{}", legs("point_on_plane", "abd")));
    assert!(sets(&three).is_empty());
    compare(&three, "value", &[("a.fz", 37.5), ("b.fz", 75.0), ("d.fz", 87.5)]);
    let push = "[forces]\npush = { type = \"applied\", marker = \"table.top\", force = [30, 0, 0] }\n";
    let stuck = at_rest("table-stuck", &format!("{base}{}{push}", legs("spherical", "abcd")));
    assert_eq!(sets(&stuck).iter().map(Vec::len).collect::<Vec<_>>(), [8, 4]);
    compare(&stuck, "minimum_norm", &[("a.fx", -7.5), ("a.fz", 78.125), ("c.fz", 21.875), ("d.fz", 65.625)]);
}

#[test]
fn feet_that_only_push_bound_the_range() {
    let base = include_str!("determinacy/table.toml");
    let foot = |c: char| {
        format!("[constraints.{c}]\ntype = \"point_plane_contact\"\nplane = \"ground\"\npoint = \"table.{c}\"\n")
    };
    let report = at_rest("table-feet", &format!("{base}{}", "abcd".chars().map(foot).collect::<String>()));
    compare(&report, "least", &[("a.fz", 37.5), ("b.fz", 0.0), ("c.fz", 0.0), ("d.fz", 12.5)]);
    compare(&report, "most", &[("a.fz", 112.5), ("b.fz", 75.0), ("c.fz", 75.0), ("d.fz", 87.5)]);
}

#[test]
fn crankshaft_in_three_bearings() {
    let report = at_rest("crankshaft", include_str!("determinacy/crankshaft.toml"));
    let mut found = sets(&report);
    found.sort();
    assert_eq!(found, [["front.fx", "middle.fx", "rear.fx"], ["front.fy", "middle.fy", "rear.fy"]]);
    compare(
        &report,
        "minimum_norm",
        &[
            ("front.fx", -108.3333333333),
            ("front.fy", 2416.6666666667),
            ("middle.fx", -500.0),
            ("rear.fy", 916.6666666667),
            ("thrust.fz", -200.0),
            ("drive.mz", 150.0),
        ],
    );
}

#[test]
fn shaft_in_two_fixed_bearings() {
    let shaft = include_str!("determinacy/shaft.toml");
    let report = at_rest("shaft", &shaft.replace("RIGHT", "spherical"));
    assert_eq!(sets(&report), [["left.fx", "right.fx"]]);
    compare(
        &report,
        "minimum_norm",
        &[("left.fx", -350.0), ("left.fy", 180.0), ("right.fz", -40.0), ("drive.mx", -25.0)],
    );
    let floating = at_rest("shaft-floating", &shaft.replace("RIGHT", "point_on_line"));
    assert!(sets(&floating).is_empty());
    compare(&floating, "value", &[("left.fx", -700.0), ("right.fy", 120.0)]);
}

#[test]
fn planar_four_bar_of_spatial_hinges() {
    let report = at_rest("four-bar", include_str!("determinacy/four_bar.toml"));
    assert_eq!(sets(&report).len(), 1);
    assert_eq!(joints(&report, "unique"), ["motor"]);
    assert_eq!(joints(&report, "partly"), ["a", "b", "c", "d"]);
    compare(
        &report,
        "minimum_norm",
        &[
            ("a.fx", 8.2404),
            ("a.fz", -5.5040408337),
            ("b.mx", -0.6376010208),
            ("c.my", -0.8760102084),
            ("motor.mz", -2.47212),
        ],
    );
}

#[test]
fn planetary_gear_shares_its_torque() {
    let model = include_str!("determinacy/planetary.toml");
    let report = at_rest("planetary", model);
    assert_eq!((sets(&report).len(), sets(&report)[0].len()), (1, 15));
    assert_eq!(
        (joints(&report, "unique"), joints(&report, "partly")),
        (vec!["carrier_hold".into()], vec!["pin1".into()])
    );
    assert!(component(&report, "pin1.fy")["set"].is_null());
    compare(&report, "minimum_norm", &[("pin1.fx", 266.6666666667), ("carrier_hold.mz", -40.0)]);
    let floating: String = model.lines().filter(|l| !l.starts_with("sun_pin")).map(|l| format!("{l}\n")).collect();
    let report = at_rest("planetary-floating", &floating);
    assert!(sets(&report).is_empty());
}

/// A hinge of a planar four-bar is tilted by an angle: the mechanism then has no freedom, and binds.
#[test]
fn a_misalignment_that_will_bind_is_named_with_its_size() {
    let four_bar = include_str!("determinacy/four_bar.toml");
    let free = four_bar.split("[drivers]").next().unwrap();
    let tilted = |angle: &str| {
        let axes = format!("orientation = {{ axes = {{ z = [{angle}, 0, 1] }} }}");
        free.replace("d = [0.3, -0.4, 0]", &format!("d = {{ at = [0.3, -0.4, 0], {axes} }}"))
            .replace("\"ground.d\" = [1.4, 0.1, 0]", &format!("\"ground.d\" = {{ at = [1.4, 0.1, 0], {axes} }}"))
    };
    let folder = Folder::new("determinacy-near");
    let near = |model: &str| -> Vec<f64> {
        folder.write("model.toml", model);
        let report = folder.done(&["check", "model.toml", "--json"]).json();
        let all = report["doctor"]["nearly_dependent"].as_array().unwrap().clone();
        all.iter().map(|n| n["misalignment"].as_f64().unwrap()).collect()
    };
    assert!(near(free).is_empty());
    // The size is proportional to the angle.
    let (small, large) = (near(&tilted("1e-6")), near(&tilted("1e-5")));
    assert!(small.len() == 1 && large.len() == 1, "{small:?}, {large:?}");
    assert!(small[0] > 1e-7 && small[0] < 1e-5 && (large[0] / small[0] - 10.0).abs() < 0.01, "{small:?}, {large:?}");
    folder.write("model.toml", &tilted("1e-6"));
    let text = folder.done(&["check", "model.toml"]).out;
    assert!(text.contains("nearly dependent: `a`, `b`, `c`, `d`") && text.contains("will bind"), "{text}");
    // A tilt that is meant is no near-dependence.
    assert!(near(&tilted("0.1")).is_empty());
}

/// Every summary says which reactions are not unique; that of `kinematics` did not, and its JSON said `unique`.
#[test]
fn prescribed_motions_mark_reactions_too() {
    let folder = Folder::new("determinacy-kinematics");
    let settings = "[settings]\nduration = 0.1\n[outputs]\nevery = 0.05\n";
    folder.write("m.toml", &format!("{}{settings}", include_str!("determinacy/four_bar.toml")));
    let text = folder.done(&["kinematics", "m.toml"]).out;
    let line = text.lines().find(|l| l.trim_start().starts_with("b ")).unwrap_or_else(|| panic!("{text}"));
    assert!(line.contains("unique"), "{text}");
    let summary = folder.done(&["kinematics", "m.toml", "--json"]).json();
    let all = summary["reactions"].as_array().unwrap();
    let own = all.iter().find(|r| r["on"] == "b").unwrap_or_else(|| panic!("{summary}"));
    assert!(own["determinacy"] == "not unique" || own["determinacy"] == "partly unique", "{own}");
}

/// A frame of 100 kg with little inertia on three fixed feet 2 m below: the search for its equilibrium ended with a residual of 1e-12.
#[test]
fn long_levers_do_not_cost_the_equilibrium() {
    let mut model =
        "taut = 2\ngravity = [0, 0, -10]\n[bodies.frame]\ntype = \"rigid\"\nmass = 100\ninertia = [0.1, 0.12, 0.15]\n\
                     position = [0, 0, 2]\n[bodies.frame.markers]\n"
            .to_string();
    let feet = [("a", [-1.5, 0.0, 0.0]), ("b", [1.5, 0.0, 0.0]), ("c", [0.0, 1.0, 0.3])];
    feet.iter().for_each(|(name, p)| model += &format!("{name} = {{ at = {p:?}, relative_to = \"world\" }}\n"));
    model += "[markers]\n";
    feet.iter().for_each(|(name, p)| model += &format!("\"ground.{name}\" = {p:?}\n"));
    feet.iter().for_each(|(name, _)| {
        model += &format!("[joints.{name}]\ntype = \"fixed\"\na = \"ground.{name}\"\nb = \"frame.{name}\"\n");
    });
    let report = at_rest("levers", &model);
    let whole: f64 = ["a.fz", "b.fz", "c.fz"].iter().map(|n| component(&report, n)["value"].as_f64().unwrap()).sum();
    assert!((whole - 1000.0).abs() < 1e-8, "{whole}");
}

/// Forces of micrometre mechanisms were shown as 0.000000.
#[test]
fn small_forces_are_not_shown_as_zero() {
    let folder = Folder::new("determinacy-small");
    folder.write("m.toml", &include_str!("determinacy/beam.toml").replace("-9.81", "-9.81e-9"));
    let text = folder.done(&["check", "m.toml"]).out;
    assert!(text.contains("middle.fy [N]: minimum norm 2.233066e-7"), "{text}");
}
