//! All poses in which mechanisms can be assembled. Counts and poses by closed forms, elimination and Newton's method in more digits,
//! independent of Taut.

use crate::common;

use common::Folder;
use serde_json::Value;

fn branches(name: &str, model: &str) -> Value {
    let folder = Folder::new(&format!("branches-{name}"));
    folder.write("model.toml", model);
    folder.done(&["assemble", "model.toml", "--branches", "--json"]).json()
}

/// The numbers of every branch, by name of coordinate.
fn numbers(report: &Value, of: &str, names: &[&str]) -> Vec<Vec<f64>> {
    let one = |b: &Value| names.iter().map(|n| b[of][*n].as_f64().unwrap_or_else(|| panic!("{n} in {b}"))).collect();
    report["branches"].as_array().unwrap().iter().map(one).collect()
}

/// Every expected row is one of the rows found, and there are no others.
#[track_caller]
fn same(found: &[Vec<f64>], expected: &[Vec<f64>], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for row in expected {
        let near = |own: &&Vec<f64>| {
            own.iter().zip(row).all(|(a, b)| {
                let turn = std::f64::consts::TAU;
                let d = (a - b).abs();
                d < tolerance || (d - turn).abs() < tolerance
            })
        };
        assert_eq!(found.iter().filter(near).count(), 1, "{row:?} in {found:?}");
    }
}

fn rows(text: &str) -> Vec<Vec<f64>> {
    text.lines().map(|l| l.split(',').map(|x| x.parse().unwrap()).collect()).collect()
}

const FOUR_BAR: &str = "taut = 2
[bodies]
crank = { type = \"planar\", mass = 1, inertia = 1, position = [0.15, 0], markers = { pivot = [-0.15, 0], tip = [0.15, 0] } }
coupler = { type = \"planar\", mass = 1, inertia = 1, position = [0.6, 0.4], angle = 0.8, markers = { left = [-0.5, 0], right = [0.5, 0] } }
rocker = { type = \"planar\", mass = 1, inertia = 1, position = [1, 0.4], angle = 1.6, markers = { foot = [-0.4, 0], head = [0.4, 0] } }
[markers]
\"ground.right\" = [1, 0, 0]
[joints]
motor = { type = \"pin\", a = \"ground\", b = \"crank.pivot\" }
elbow = { type = \"pin\", a = \"crank.tip\", b = \"coupler.left\" }
wrist = { type = \"pin\", a = \"coupler.right\", b = \"rocker.head\" }
foot = { type = \"pin\", a = \"ground.right\", b = \"rocker.foot\" }
[start]
\"motor.angle\" = \"60 deg\"
";

#[test]
fn a_four_bar_has_two_and_a_file_selects_one() {
    let report = branches("four-bar", FOUR_BAR);
    assert_eq!((report["completeness"].as_str(), report["bound"].as_u64()), (Some("proven"), Some(2)));
    let expected = [vec![0.5706129170220393, 1.581333937590354], vec![-1.1638883101352955, -2.17460933070361]];
    same(&numbers(&report, "state", &["coupler.theta", "rocker.theta"]), &expected, 1e-10);

    let folder = Folder::new("branch-chosen");
    for (sign, coupler) in [("positive", 0.5706129170220393), ("negative", -1.1638883101352955)] {
        let model = FOUR_BAR.replace("taut = 2\n", &format!("taut = 2\nbranch = {{ \"wrist.angle\" = \"{sign}\" }}\n"));
        folder.write("model.toml", &model);
        let state = folder.done(&["assemble", "model.toml", "--json"]).json()["state"].clone();
        assert!((state["coupler.theta"].as_f64().unwrap() - coupler).abs() < 1e-10, "{sign}: {state}");
    }
}

#[test]
fn branches_are_drawn_beside_each_other() {
    let folder = Folder::new("branches-picture");
    folder.write("m.toml", include_str!("branches/three_legs.toml"));
    folder.done(&["assemble", "m.toml", "--branches", "--picture", "b.svg"]);
    let picture = String::from_utf8(folder.read("b.svg")).unwrap();
    // Three in a row; each has its number.
    assert!(picture.contains("width=\"960\"") && picture.contains("height=\"640\""), "{}", &picture[..300]);
    (1..=6).for_each(|k| assert!(picture.contains(&format!(">{k}</text>")), "{k}"));
    let refused = folder.taut(&["assemble", "m.toml", "--branches", "--picture", "b.pdf"]);
    assert!(refused.code == 1 && refused.err.contains(".svg or .png"), "{refused:?}");
    let there = folder.taut(&["assemble", "m.toml", "--branches", "--picture", "b.svg"]);
    assert!(there.code == 1 && there.err.contains("--force"), "{there:?}");
}

#[test]
fn a_branch_that_does_not_exist_is_named() {
    let folder = Folder::new("branch-broken");
    for (request, words) in [
        ("\"wrist.angle\" = \"upwards\"", "a sign is"),
        ("\"wrist.angel\" = \"positive\"", "there is no coordinate `wrist.angel`"),
        ("\"motor.angle\" = \"negative\"", "none of the 2 poses"),
    ] {
        folder.write("model.toml", &FOUR_BAR.replace("taut = 2\n", &format!("taut = 2\nbranch = {{ {request} }}\n")));
        let answer = folder.taut(&["run", "model.toml"]);
        assert_eq!(answer.code, 1, "{request}");
        assert!(answer.err.contains(words) && answer.err.contains("model.toml:"), "{request}: {}", answer.err);
    }
    // Freedoms make a continuum of poses.
    folder.write("model.toml", FOUR_BAR.split("[start]").next().unwrap());
    let answer = folder.taut(&["assemble", "model.toml", "--branches"]);
    assert!(answer.code == 1 && answer.err.contains("1 freedom"), "{}", answer.err);
}

#[test]
fn a_planar_platform_on_three_legs_has_six() {
    let report = branches("three-legs", include_str!("branches/three_legs.toml"));
    assert_eq!(report["completeness"], "proven");
    let expected = [
        [-8.726595331862908, 12.175669752170043, -0.9869742378454451],
        [-5.495660815452861, -13.935498276039361, -0.04733136936691778],
        [-14.896128100172763, 1.5829616619626055, 0.24530953099162633],
        [-13.419939013974378, -6.6562479567101756, 0.5856727832585528],
        [14.9201332471544, -1.3379177430462275, 1.0020385399022498],
        [14.673943655735037, -3.0126031249259295, 2.132904365129089],
    ]
    .map(|row| row.to_vec());
    let found = numbers(&report, "state", &["platform.x", "platform.y", "platform.theta"]);
    let wrapped: Vec<Vec<f64>> = found
        .iter()
        .map(|r| vec![r[0], r[1], r[2] - std::f64::consts::TAU * (r[2] / std::f64::consts::TAU).round()])
        .collect();
    same(&wrapped, &expected, 1e-8);
}

#[test]
fn a_stewart_platform_has_forty() {
    let report = branches("stewart", include_str!("branches/stewart.toml"));
    assert_eq!((report["completeness"].as_str(), report["bound"].as_u64()), (Some("proven"), Some(40)));
    let found = numbers(&report, "state", &["platform.x", "platform.y", "platform.z"]);
    same(&found, &rows(include_str!("branches/stewart.csv")), 1e-8);
}

#[test]
fn an_arm_with_six_hinges_has_sixteen() {
    let report = branches("arm", include_str!("branches/arm.toml"));
    let found =
        numbers(&report, "coordinates", &["j1.angle", "j2.angle", "j3.angle", "j4.angle", "j5.angle", "j6.angle"]);
    same(&found, &rows(include_str!("branches/arm.csv")), 1e-7);
}

/// Crank 0.6, coupler 0.7, rocker 0.5, ground 1, crank at 100°: |BD| − b − c = 52.34891831322974 mm are missing.
#[test]
fn a_linkage_that_cannot_close_says_what_is_missing() {
    let long = FOUR_BAR
        .replace(
            "position = [0.15, 0], markers = { pivot = [-0.15, 0], tip = [0.15, 0] }",
            "position = [0.3, 0], markers = { pivot = [-0.3, 0], tip = [0.3, 0] }",
        )
        .replace("left = [-0.5, 0], right = [0.5, 0]", "left = [-0.35, 0], right = [0.35, 0]")
        .replace("foot = [-0.4, 0], head = [0.4, 0]", "foot = [-0.25, 0], head = [0.25, 0]")
        .replace("60 deg", "100 deg");
    let folder = Folder::new("branch-open");
    folder.write("model.toml", &long);
    for command in
        [vec!["assemble", "model.toml"], vec!["run", "model.toml"], vec!["assemble", "model.toml", "--branches"]]
    {
        let answer = folder.taut(&command);
        assert_eq!(answer.code, 1, "{command:?}");
        for words in [
            "stays open by 52.34892 mm",
            "`motor`, `elbow`, `wrist`, `foot`",
            "(700 mm) is 52.34892 mm longer",
            "(500 mm) is 52.34892 mm longer",
            "model.toml:",
            "motor.angle",
        ] {
            assert!(answer.err.contains(words), "{command:?}: {words} in {}", answer.err);
        }
    }
}

/// A rod that is too long, without targets: the joints alone cannot be closed.
#[test]
fn joints_that_cannot_close_name_the_length() {
    let model = "taut = 2
[bodies]
rod = { type = \"planar\", mass = 1, inertia = 1, position = [0.5, 0], markers = { left = [-0.5, 0], right = [0.5, 0] } }
[markers]
\"ground.right\" = [1.01, 0, 0]
[joints]
left = { type = \"pin\", a = \"ground\", b = \"rod.left\" }
right = { type = \"pin\", a = \"ground.right\", b = \"rod.right\" }
";
    let folder = Folder::new("branch-long");
    folder.write("model.toml", model);
    let answer = folder.taut(&["assemble", "model.toml"]);
    assert_eq!(answer.code, 1);
    for words in ["stays open by 10 mm", "`left`, `right`", "is 10 mm longer", "is 10 mm shorter"] {
        assert!(answer.err.contains(words), "{words} in {}", answer.err);
    }
}
