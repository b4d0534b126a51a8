//! The audit of runs: verdicts, exit codes, and one test for each fault that was once not reported.

use crate::common;

use common::{Folder, PENDULUM};

/// A mass on a spring, 10 rad/s, in steps of a quarter of a second: Runge's method takes all its energy away.
const COARSE: &str = r#"taut = 2
[bodies.mass]
type = "point_mass"
mass = 1
position = [1, 0, 0]
[forces.spring]
type = "spring"
coordinate = "mass.x"
stiffness = 100
[settings]
duration = 10
method = "rk4"
step = 0.25
[outputs]
every = 1
"#;

fn cause(json: &serde_json::Value) -> String {
    json["cause"]["message"].as_str().unwrap_or_default().to_string()
}

#[test]
fn wrong_results_exit_with_code_3_and_are_kept() {
    let folder = Folder::new("trust-wrong");
    folder.write("m.toml", COARSE);
    let wrong = folder.taut(&["run", "m.toml"]);
    assert_eq!(wrong.code, 3, "{wrong:?}");
    let first = wrong.out.lines().next().unwrap();
    assert!(first.starts_with("m: wrong from t = ") && first.contains("`mass`"), "{wrong:?}");
    assert!(wrong.out.contains("\naudit      energy that nothing accounts for"), "{wrong:?}");
    assert!(wrong.err.contains("--accept wrong"), "{wrong:?}");
    let manifest: serde_json::Value = serde_json::from_slice(&folder.read("m.run/manifest.json")).unwrap();
    assert_eq!(manifest["verdict"], "wrong");
    assert_eq!(manifest["cause"]["severity"], "wrong");
    assert_eq!(manifest["cause"]["element"], "mass");
    assert!(manifest["cause"]["t"].as_f64().is_some_and(|t| t > 0.0 && t < 10.0), "{manifest}");
    assert_eq!(manifest["table"]["rows"], 11);
}

#[test]
fn wrong_results_can_be_accepted_and_nothing_else() {
    let folder = Folder::new("trust-accept");
    folder.write("m.toml", COARSE);
    let accepted = folder.done(&["run", "m.toml", "--accept", "wrong"]);
    assert!(accepted.out.starts_with("m: wrong from t = "), "{accepted:?}");
    let json = folder.done(&["run", "m.toml", "--accept", "wrong", "--json"]).json();
    assert_eq!((json["verdict"].as_str(), json["outcome"].as_str()), (Some("wrong"), Some("finished")));
    for bad in ["sound", "Wrong", "", "3"] {
        let refused = folder.taut(&["run", "m.toml", "--accept", bad]);
        assert!(refused.code == 1 && refused.err.contains("--accept"), "{bad}: {refused:?}");
    }
    assert_eq!(folder.taut(&["run", "m.toml", "--accept"]).code, 1);
}

#[test]
fn a_sound_run_says_so_and_other_analyses_do_not() {
    let folder = Folder::new("trust-sound");
    folder.write("p.toml", PENDULUM);
    let json = folder.done(&["run", "p.toml", "--json"]).json();
    assert_eq!(json["verdict"], "sound");
    assert!(json["cause"].is_null(), "{json}");
    folder.write("d.toml", &format!("{PENDULUM}[drivers.motor]\ncoordinate = \"hinge.angle\"\nposition = \"2*t^2\"\n"));
    let followed = folder.done(&["kinematics", "d.toml"]);
    assert!(!followed.out.contains("sound"), "{followed:?}");
    let manifest: serde_json::Value = serde_json::from_slice(&folder.read("d.kin/manifest.json")).unwrap();
    assert!(manifest["verdict"].is_null(), "{manifest}");
}

#[test]
fn steps_that_collapse_on_round_off_name_the_body_and_the_tolerance() {
    let folder = Folder::new("trust-light");
    let link = r#"taut = 2
gravity = [0, 0, -9.80665]
[bodies.link]
type = "rigid"
mass = 1e-9
inertia = [1e-9, 1e-9, 1e-9]
position = [1, 0, 0]
markers = { hinge = [-1, 0, 0], ball = [1, 0, 0] }
[bodies.bar]
type = "rigid"
mass = 1
inertia = [0.1, 0.04, 0.1]
position = [2, 2, 0]
markers = { ball = { at = [2, 0, 0], relative_to = "world" } }
[joints]
hinge = { type = "revolute", a = "ground", b = "link.hinge" }
ball = { type = "spherical", a = "link.ball", b = "bar.ball" }
[settings]
duration = "0.2 s"
rtol = 1e-12
atol = 1e-12
"#;
    folder.write("l.toml", link);
    let json = folder.done(&["run", "l.toml", "--json"]).json();
    assert_eq!(
        (json["verdict"].as_str(), json["cause"]["element"].as_str()),
        (Some("doubtful"), Some("link")),
        "{json}"
    );
    assert!(cause(&json).contains("round-off permits a tolerance of about"), "{json}");
    // With that tolerance it is sound, in a hundredth of the steps.
    let loose = folder.done(&["run", "l.toml", "--json", "--rtol", "1e-8", "--atol", "1e-8", "-o", "loose.run"]).json();
    assert_eq!(loose["verdict"], "sound", "{loose}");
    let steps = |json: &serde_json::Value| json["statistics"]["steps"].as_u64().unwrap();
    assert!(100 * steps(&loose) < steps(&json), "{} and {}", steps(&loose), steps(&json));
}

#[test]
fn a_bushing_past_half_a_turn_warns() {
    let folder = Folder::new("trust-bushing");
    let model = |speed: f64| {
        format!(
            "taut = 2\n[bodies.b]\ntype = \"rigid\"\nmass = 1\ninertia = [1, 1, 1]\nangular_velocity = [0, 0, {speed}]\n\
             [joints.r]\ntype = \"revolute\"\na = \"ground\"\nb = \"b\"\n\
             [forces.k]\ntype = \"bushing\"\na = \"ground\"\nb = \"b\"\nstiffness = [0, 0, 0, 3, 4, 5]\n\
             [settings]\nduration = 2\nrtol = 1e-10\natol = 1e-10\n[outputs]\nevery = 0.1\n"
        )
    };
    // ½ J ω² against ½ k π²: 20 rad/s goes past half a turn, 6 rad/s turns back at 2.68 rad.
    folder.write("fast.toml", &model(20.0));
    let fast = folder.taut(&["run", "fast.toml", "--json"]).json();
    let warning = fast["warnings"].as_array().unwrap().iter().find(|w| w["element"] == "k").unwrap();
    assert!(warning["message"].as_str().unwrap().contains("more than half a turn"), "{warning}");
    // π rad at 20 rad/s, slowed down by the spring.
    let t = warning["t"].as_f64().unwrap();
    assert!(t > 0.157 && t < 0.25, "{warning}");
    folder.write("slow.toml", &model(6.0));
    let slow = folder.done(&["run", "slow.toml", "--json"]).json();
    assert_eq!(slow["verdict"], "sound", "{slow}");
}

#[test]
fn a_modal_body_under_a_load_along_it_warns() {
    let folder = Folder::new("trust-column");
    let column = |load: f64| {
        format!(
            "taut = 2\n[bodies.w]\ntype = \"modal\"\nboundary_conditions = \"cantilever\"\nmodes = 3\n\
             beam = {{ from = [0, 0, 0], to = [1, 0, 0], elements = 8, section = {{ shape = \"rectangle\", width = 0.02, \
             height = 0.03, E = 70e9, nu = 0.3, density = 2700 }} }}\n\
             [joints.r]\ntype = \"fixed\"\na = \"ground\"\nb = \"w_0\"\n\
             [forces.P]\ntype = \"applied\"\nmarker = \"w_8\"\nforce = [{load}, 0, 0]\n[settings]\nduration = 0.1\n"
        )
    };
    // Euler's load is π² E I / (4 l²) = 3454 N about the weak axis: I = 0.03·0.02³/12.
    folder.write("twice.toml", &column(-6908.72));
    let run = folder.done(&["run", "twice.toml", "--json"]).json();
    assert_eq!((run["verdict"].as_str(), run["cause"]["element"].as_str()), (Some("doubtful"), Some("w")), "{run}");
    assert!(cause(&run).contains("use a beam instead"), "{run}");
    let modes = folder.done(&["modes", "twice.toml", "--static"]);
    assert!(modes.err.contains("axial loads on modal body `w`"), "{modes:?}");
    // A hundredth of it does not matter.
    folder.write("little.toml", &column(-35.0));
    assert_eq!(folder.done(&["run", "little.toml", "--json"]).json()["verdict"], "sound");
    assert!(!folder.done(&["modes", "little.toml", "--static"]).err.contains("axial loads"));
}

#[test]
fn momentum_of_what_floats_freely_is_audited_and_kept() {
    let folder = Folder::new("trust-free");
    let pair = r#"taut = 2
gravity = [0, 0, -9.81]
[bodies.a]
type = "rigid"
mass = 2
inertia = [0.3, 0.2, 0.1]
angular_velocity = [1, 5, 2]
markers = { end = [0.5, 0, 0] }
[bodies.b]
type = "rigid"
mass = 1
inertia = [0.1, 0.1, 0.05]
position = [1, 0, 0]
velocity = [0, 2, 1]
markers = { end = [-0.5, 0, 0] }
[joints]
ball = { type = "spherical", a = "a.end", b = "b.end" }
[settings]
duration = 3
"#;
    folder.write("f.toml", pair);
    for (method, rtol) in
        [("dop853", "1e-8"), ("dormand_prince", "1e-8"), ("radau5", "1e-8"), ("generalised_alpha", "1e-6")]
    {
        let json = folder.done(&["run", "f.toml", "--method", method, "--rtol", rtol, "--json", "--force"]).json();
        assert_eq!(json["verdict"], "sound", "{method}: {json}");
    }
}

#[test]
fn extremes_are_those_of_the_motion_though_rows_are_far_apart() {
    let folder = Folder::new("trust-extremes");
    // A slide driven as 0.1 sin(6π t): the effort of the driver is −0.1 (6π)² sin(6π t) of 2 kg, and zero at every row.
    let slide = r#"taut = 2
[bodies.b]
type = "rigid"
mass = 2
inertia = [1, 1, 1]
[joints.guide]
type = "prismatic"
a = "ground"
b = "b"
[drivers.shaker]
coordinate = "guide.slide"
position = "0.1*sin(6*pi*t)"
[settings]
duration = 5
[outputs]
every = 1
"#;
    folder.write("s.toml", slide);
    let json = folder.done(&["run", "s.toml", "--json"]).json();
    assert_eq!(json["extremes_of"], "motion", "{json}");
    let drive = &json["drives"][0];
    let exact = 0.2 * (6.0 * std::f64::consts::PI).powi(2);
    for (side, sign) in [("least", -1.0), ("largest", 1.0)] {
        let (found, t) = (drive[side]["N"].as_f64().unwrap(), drive[side]["t"].as_f64().unwrap());
        assert!((found / (sign * exact) - 1.0).abs() < 1e-3, "{side}: {found} beside {exact}");
        let there = -exact * (6.0 * std::f64::consts::PI * t).sin();
        assert!((there / (sign * exact) - 1.0).abs() < 1e-3, "{side} at {t}: {there}");
    }
}
