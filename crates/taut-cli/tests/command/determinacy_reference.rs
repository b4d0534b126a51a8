//! Every label, set and value of ten over-constrained machines, from `taut check`. `reference.json` holds exact rational null spaces,
//! values by pseudo-inverse and by bordered systems, and ranges by linear programmes, all independent of Taut.

use crate::common;

use common::Folder;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Values agree to this, relative to the largest of the model.
const TOLERANCE: f64 = 1e-8;

fn shipped(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name);
    std::fs::read_to_string(path).unwrap()
}

/// The model of a case.
fn model(case: &str, kind: &str) -> String {
    let legs = |kind: &str, which: &str| -> String {
        let one = |c: char| format!("[joints.{c}]\ntype = \"{kind}\"\na = \"ground.{c}\"\nb = \"table.{c}\"\n");
        include_str!("determinacy/table.toml").to_string() + &which.chars().map(one).collect::<String>()
    };
    let push = "[forces]\npush = { type = \"applied\", marker = \"table.top\", force = [30, 0, 0] }\n";
    let door = |low: &str, high: &str| include_str!("determinacy/door.toml").replace("LOW", low).replace("HIGH", high);
    let shaft = include_str!("determinacy/shaft.toml");
    let planetary = include_str!("determinacy/planetary.toml");
    match (kind, case.split(": ").nth(1).unwrap_or("")) {
        ("beam", _) => include_str!("determinacy/beam.toml").to_string(),
        ("crankshaft", _) => include_str!("determinacy/crankshaft.toml").to_string(),
        ("four_bar", _) => include_str!("determinacy/four_bar.toml").to_string(),
        ("three_cranks", _) => include_str!("determinacy/three_cranks.toml").to_string(),
        ("bricard", _) => shipped("iftomm_a04_bricard.toml"),
        ("delta", _) => delta(),
        ("door", "two_revolutes") => door("revolute", "revolute"),
        ("door", "two_sphericals") => door("spherical", "spherical"),
        ("door", "spherical_and_line") => door("spherical", "point_on_line"),
        ("door", "revolute_and_cylindrical") => door("revolute", "cylindrical"),
        ("planetary", "sun on a bearing") => planetary.to_string(),
        ("planetary", _) => planetary.lines().filter(|l| !l.starts_with("sun_pin")).map(|l| format!("{l}\n")).collect(),
        ("shaft", "two_fixed") => shaft.replace("RIGHT", "spherical"),
        ("shaft", _) => shaft.replace("RIGHT", "point_on_line"),
        ("table", "four legs, no friction") => legs("point_on_plane", "abcd"),
        ("table", "three legs a b d, no friction") => legs("point_on_plane", "abd"),
        ("table", _) => legs("spherical", "abcd") + push,
        _ => panic!("{case}"),
    }
}

/// The shipped delta robot in its symmetric pose, with motors in the hips.
fn delta() -> String {
    let text = shipped("delta_robot.toml").replace("position = [0, 0, -0.6]", "position = [0, 0, -0.6534741435344027]");
    let (mechanism, _) = text.split_once("[drivers]").unwrap();
    // Angles are counted from the level pose, downwards.
    let motor = |k: usize| format!("motor{k} = {{ coordinate = \"hip{k}.angle\", position = \"20 deg\" }}\n");
    format!("{mechanism}[drivers]\n{}", (1..=3).map(motor).collect::<String>())
}

/// Overrides that give every joint the stiffness of its components; free directions have that of the others. Markers of the shaft have
/// their x axis along world y.
fn stiffness(case: &Value, kind: &str) -> Vec<String> {
    let mut joints: BTreeMap<&str, [f64; 6]> = BTreeMap::new();
    let mut rows: BTreeMap<&str, f64> = BTreeMap::new();
    for (name, k) in case["stiffness"].as_object().into_iter().flatten() {
        let (joint, component) = name.split_once('.').unwrap();
        let axis = match kind {
            "shaft" => ["fy", "fz", "fx", "my", "mz", "mx"],
            _ => ["fx", "fy", "fz", "mx", "my", "mz"],
        };
        match axis.iter().position(|a| *a == component) {
            // Drivers stay rigid: their moments are unique.
            _ if ["motor", "drive", "carrier_hold"].contains(&joint) => {}
            Some(i) => joints.entry(joint).or_insert([0.0; 6])[i] = k.as_f64().unwrap(),
            None => _ = rows.insert(joint, k.as_f64().unwrap()),
        }
    }
    for own in joints.values_mut().flat_map(|k| k.chunks_mut(3)) {
        let largest = own.iter().fold(0.0_f64, |a, k| a.max(*k));
        own.iter_mut().filter(|k| **k == 0.0).for_each(|k| *k = if largest > 0.0 { largest } else { 1.0 });
    }
    let six = joints.iter().map(|(joint, k)| format!("{joint}.share_stiffness={k:?}"));
    six.chain(rows.iter().map(|(joint, k)| format!("{joint}.share_stiffness={k:?}"))).collect()
}

fn names(list: &Value) -> BTreeSet<&str> {
    list.as_array().unwrap().iter().map(|x| x.as_str().unwrap()).collect()
}

#[track_caller]
fn compare(case: &str, report: &Value, field: &str, expected: &Value) {
    let components = report["components"].as_array().unwrap();
    let expected = expected.as_object().unwrap();
    assert_eq!(components.len(), expected.len(), "{case}: {:?}", components);
    let largest = expected.values().fold(0.0_f64, |a, x| a.max(x.as_f64().unwrap().abs()));
    for (name, x) in expected {
        let own = components.iter().find(|c| c["name"] == *name).unwrap_or_else(|| panic!("{case}: {name}"));
        let (found, x) = (own[field].as_f64().unwrap_or(f64::NAN), x.as_f64().unwrap());
        assert!((found - x).abs() <= TOLERANCE * largest, "{case}: {name}.{field} is {found} instead of {x}");
    }
}

/// A combination is unique if no self-stress changes it.
fn check_combination(case: &str, report: &Value, terms: &Value, value: &Value) {
    let terms: Vec<(&str, f64)> =
        terms.as_array().unwrap().iter().map(|t| (t[0].as_str().unwrap(), t[1].as_f64().unwrap())).collect();
    let stresses = report["sets"].as_array().unwrap().iter().flat_map(|s| s["stresses"].as_array().unwrap());
    let change = |stress: &Value| -> f64 {
        let own = stress.as_array().unwrap();
        let of = |name: &str| own.iter().find(|t| t[0] == name).map_or(0.0, |t| t[1].as_f64().unwrap());
        terms.iter().map(|(name, c)| c * of(name)).sum()
    };
    let largest = stresses.map(change).fold(0.0_f64, |a, x| a.max(x.abs()));
    assert_eq!(largest < 1e-9, !value.is_null(), "{case}: {terms:?} changes by {largest}");
    if let Some(x) = value.as_f64() {
        let components = report["components"].as_array().unwrap();
        let of = |name: &str, field: &str| {
            let own = components.iter().find(|c| c["name"] == name);
            own.unwrap_or_else(|| panic!("{case}: {name}"))[field].as_f64().unwrap()
        };
        for field in ["value", "minimum_norm"] {
            let found: f64 = terms.iter().map(|(name, c)| c * of(name, field)).sum();
            let size: f64 = terms.iter().map(|(name, c)| (c * of(name, field)).abs()).sum::<f64>().max(1.0);
            assert!((found - x).abs() <= TOLERANCE * size, "{case}: {terms:?} is {found} instead of {x}");
        }
    }
}

#[test]
fn every_label_set_and_value() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("determinacy/reference.json")).unwrap();
    let folder = Folder::new("determinacy-reference");
    for case in &cases {
        let (name, kind) = (case["name"].as_str().unwrap(), case["model"].as_str().unwrap());
        folder.write("model.toml", &model(name, kind));
        let mut command = vec!["check".to_string(), "model.toml".to_string(), "--json".to_string()];
        stiffness(case, kind).into_iter().for_each(|k| command.extend(["--set".to_string(), k]));
        let answer = folder.done(&command.iter().map(String::as_str).collect::<Vec<_>>()).json();
        let (doctor, report) = (&answer["doctor"], &answer["determinacy"]);

        let counts = [
            &doctor["velocities"],
            &doctor["rows"],
            &doctor["here"]["rank"],
            &doctor["here"]["redundant"],
            &doctor["here"]["freedoms"],
        ];
        assert_eq!(counts.map(|n| n.as_u64().unwrap()).to_vec(), numbers(&case["counts"]), "{name}");

        let found = |unique: bool| -> BTreeSet<&str> {
            let all = report["components"].as_array().unwrap().iter().filter(|c| c["set"].is_null() == unique);
            all.map(|c| c["name"].as_str().unwrap()).collect()
        };
        assert_eq!(found(true), names(&case["unique"]), "{name}");
        assert_eq!(found(false), names(&case["not_unique"]), "{name}");
        for (label, key) in
            [("unique", "joints_unique"), ("partly", "joints_partly"), ("not_unique", "joints_not_unique")]
        {
            let own = report["joints"].as_array().unwrap().iter().filter(|j| j["label"] == label);
            let own: BTreeSet<&str> = own.map(|j| j["constraint"].as_str().unwrap()).collect();
            assert_eq!(own, names(&case[key]), "{name}: {label}");
        }
        let sets: BTreeSet<BTreeSet<&str>> =
            report["sets"].as_array().unwrap().iter().map(|s| names(&s["components"])).collect();
        let expected: BTreeSet<BTreeSet<&str>> =
            case["sets_that_trade_load"].as_array().unwrap().iter().map(names).collect();
        assert_eq!(sets, expected, "{name}");

        compare(name, report, "minimum_norm", &case["minimum_norm"]);
        if !case["stiffness_weighted"].is_null() {
            compare(name, report, "stiffness", &case["stiffness_weighted"]);
        }
        for one in case["combinations"].as_array().into_iter().flatten() {
            check_combination(name, report, &one[0], &one[1]);
        }
    }
    assert_eq!(cases.len(), 17);
}

fn numbers(list: &Value) -> Vec<u64> {
    list.as_array().unwrap().iter().map(|x| x.as_u64().unwrap()).collect()
}
