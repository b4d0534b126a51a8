//! Assembly modes of standard loops, and the mode that a rough pose leads to. Closed forms, and Newton's method in 40 digits for the
//! platform (Dietmaier 1998), independent of Taut.

use crate::common;

use common::Folder;
use serde_json::Value;

/// Poses agree to this.
const TOLERANCE: f64 = 1e-10;

fn branches(name: &str, model: &str) -> Value {
    let folder = Folder::new(&format!("families-{name}"));
    folder.write("model.toml", model);
    folder.done(&["assemble", "model.toml", "--branches", "--json"]).json()
}

/// Every expected row is one of the branches, and there are no others. Angles count modulo full turns.
#[track_caller]
fn compare(report: &Value, of: &str, names: &[&str], expected: &[Vec<f64>]) {
    let one = |b: &Value| -> Vec<f64> {
        names.iter().map(|n| b[of][*n].as_f64().unwrap_or_else(|| panic!("{n} in {b}"))).collect()
    };
    let found: Vec<Vec<f64>> = report["branches"].as_array().unwrap().iter().map(one).collect();
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for row in expected {
        let near = |own: &&Vec<f64>| {
            let apart = |(a, b): (&f64, &f64)| {
                let d = (a - b).abs();
                d.min((d - std::f64::consts::TAU).abs())
            };
            own.iter().zip(row).map(apart).all(|d| d < TOLERANCE)
        };
        assert_eq!(found.iter().filter(near).count(), 1, "{row:?} in {found:?}");
    }
}

/// The state that a model with these changes is assembled in.
fn assembled(name: &str, model: &str, changes: &[String]) -> Value {
    let folder = Folder::new(&format!("families-rough-{name}"));
    folder.write("model.toml", model);
    let mut command = vec!["assemble", "model.toml", "--json"];
    changes.iter().for_each(|c| command.extend(["--set", c.as_str()]));
    folder.done(&command).json()["state"].clone()
}

#[track_caller]
fn reaches(state: &Value, expected: &[(&str, f64)], tolerance: f64) {
    for (name, x) in expected {
        let found = state[*name].as_f64().unwrap_or_else(|| panic!("{name} in {state}"));
        assert!((found - x).abs() < tolerance, "{name}: {found} instead of {x}");
    }
}

#[test]
fn an_offset_slider_crank_has_two() {
    let model = include_str!("branches/slider_crank.toml");
    let report = branches("slider-crank", model);
    assert_eq!((report["completeness"].as_str(), report["bound"].as_u64()), (Some("proven"), Some(2)));
    let expected = [vec![0.4096711999191052, -0.16244042480329612], vec![-0.28111367798179737, -2.9791522287864973]];
    compare(&report, "state", &["slider.x", "rod.theta"], &expected);
    reaches(&assembled("slider", model, &[]), &[("slider.x", 0.4096711999191052)], 1e-12);
    let behind = ["slider.position=[-0.2, 0.02]", "rod.position=[-0.07, 0.05]", "rod.angle=-3.0"].map(String::from);
    reaches(&assembled("slider-behind", model, &behind), &[("slider.x", -0.28111367798179737)], 1e-12);
}

#[test]
fn a_five_bar_has_two_forward_and_four_inverse() {
    let model = include_str!("branches/five_bar.toml");
    let report = branches("five-bar", &format!("{model}\"hip1.angle\" = \"a\"\n\"hip2.angle\" = \"b\"\n"));
    assert_eq!((report["completeness"].as_str(), report["bound"].as_u64()), (Some("proven"), Some(2)));
    let expected = [vec![0.18018691865185693, 0.31678937169820953], vec![0.16612433995321857, 0.034979561316770574]];
    compare(&report, "coordinates", &["x", "y"], &expected);

    let report = branches("five-bar-inverse", &format!("{model}x = 0.12\ny = 0.33\n"));
    let (left, right) = ([2.1437362646219036, 0.30031438180007586], [2.887214460643055, 1.2530716363069985]);
    let expected: Vec<Vec<f64>> = left.iter().flat_map(|a| right.iter().map(move |b| vec![*a, *b])).collect();
    compare(&report, "coordinates", &["hip1.angle", "hip2.angle"], &expected);
}

#[test]
fn a_spatial_four_bar_has_two() {
    let model = include_str!("branches/rssr.toml");
    let report = branches("rssr", model);
    compare(&report, "coordinates", &["rocker.angle"], &[vec![1.9114135365186566], vec![-1.0678669851927594]]);
    for (start, angle) in [("120", 1.9114135365186566_f64), ("-100", -1.0678669851927594)] {
        let state = assembled("rssr", &model.replace("\"120 deg\"", &format!("\"{start} deg\"")), &[]);
        let (w, x) = (state["output.qw"].as_f64().unwrap(), state["output.qx"].as_f64().unwrap());
        let found = 2.0 * x.atan2(w);
        let apart = (found - angle).rem_euclid(std::f64::consts::TAU);
        assert!(apart.min(std::f64::consts::TAU - apart) < TOLERANCE, "{start}: {found} instead of {angle}");
    }
}

#[test]
fn a_delta_robot_has_two_forward_and_eight_inverse() {
    let model = include_str!("branches/delta.toml");
    let angles = "\"hip1.angle\" = \"20 deg\"\n\"hip2.angle\" = \"35 deg\"\n\"hip3.angle\" = \"10 deg\"\n";
    let forward = format!("{model}{angles}");
    let expected = [
        [-0.051095366228525216, -0.03636169549333715, 0.43997073282152677],
        [0.0943907968420619, 0.07326030638592823, -0.6532564543045938],
    ];
    let places = ["platform.x", "platform.y", "platform.z"];
    let report = branches("delta", &forward);
    compare(&report, "state", &places, &expected.map(|p| p.to_vec()));
    for (z, goal) in [("-0.6", expected[1]), ("0.5", expected[0])] {
        let state = assembled("delta", &forward, &[format!("platform.position=[0, 0, {z}]")]);
        reaches(&state, &[(places[0], goal[0]), (places[1], goal[1]), (places[2], goal[2])], TOLERANCE);
    }

    let goal = "\"platform.x\" = 0.1\n\"platform.y\" = -0.05\n\"platform.z\" = -0.6\n";
    let report = branches("delta-inverse", &format!("{model}{goal}"));
    let arms = [
        [-2.815568278419901, 0.4444567526009684],
        [-2.8780969634936033, 0.24742142932934197],
        [-2.9614128063212526, -0.013897383491658477],
    ];
    let expected: Vec<Vec<f64>> =
        (0..8).map(|k| vec![arms[0][k & 1], arms[1][(k >> 1) & 1], arms[2][k >> 2]]).collect();
    compare(&report, "coordinates", &["hip1.angle", "hip2.angle", "hip3.angle"], &expected);
}

/// Rough poses whose nearest solution is clearly nearer than the next.
#[test]
fn rough_poses_lead_to_the_nearest_pose() {
    let platform = include_str!("branches/stewart.toml");
    let rough: [([f64; 3], [f64; 4], [f64; 3]); 3] = [
        ([0.5, 0.8, 0.3], [0.3, 0.9, -0.4, 0.0], [0.5218476674591482, 0.810720215654127, 0.26534457578245707]),
        ([0.9, -0.3, 0.4], [0.1, 0.6, -0.1, -0.8], [0.8557655786024768, -0.3346791574137073, 0.3945315400218581]),
        ([1.0, 0.2, -0.1], [0.5, 0.6, -0.1, 0.7], [0.9680942754887673, 0.2367734161932143, -0.08204768826770056]),
    ];
    for (k, (at, quaternion, goal)) in rough.iter().enumerate() {
        let length = quaternion.iter().map(|x| x * x).sum::<f64>().sqrt();
        let changes = [
            format!("platform.position={at:?}"),
            format!("platform.orientation={{ quaternion = {:?} }}", quaternion.map(|x| x / length)),
        ];
        let expected = [("platform.x", goal[0]), ("platform.y", goal[1]), ("platform.z", goal[2])];
        if k != 1 {
            reaches(&assembled("stewart", platform, &changes), &expected, 1e-8);
            continue;
        }
        // Newton's method passes the nearest pose; the list of all poses says so, with the distance.
        let folder = Folder::new("families-nearest");
        folder.write("model.toml", platform);
        let command = ["assemble", "model.toml", "--branches", "--json", "--set", &changes[0], "--set", &changes[1]];
        let report = folder.done(&command).json();
        assert_ne!(report["nearest"], 0);
        let nearest = &report["branches"][report["nearest"].as_u64().unwrap() as usize];
        reaches(&nearest["state"], &expected, 1e-8);
        assert!((nearest["distance_m"].as_f64().unwrap() - 0.07632057946890161).abs() < 1e-8, "{nearest}");
    }

    let legs = include_str!("branches/three_legs.toml");
    for (at, goal) in [
        (["13", "1", "0.8"], [14.9201332471544, -1.3379177430462275, 1.0020385399022498]),
        (["-5", "14", "-1"], [-8.726595331862908, 12.175669752170043, -0.9869742378454451]),
    ] {
        let changes = [format!("platform.position=[{}, {}]", at[0], at[1]), format!("platform.angle={}", at[2])];
        let expected = [("platform.x", goal[0]), ("platform.y", goal[1]), ("platform.theta", goal[2])];
        reaches(&assembled("three-legs", legs, &changes), &expected, 1e-8);
    }
}
