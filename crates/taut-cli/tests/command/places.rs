//! Errors of every analysis name the file, the line and the column, in the words of the user.

use crate::common::Folder;

/// A rod without mass in the middle of a chain of springs.
const MASSLESS: &str = r#"taut = 2
[bodies.rod]
type = "planar"
mass = 1
inertia = 0.1
[bodies.hook]
type = "planar"
position = [1, 0]
mass = 0
[joints.pivot]
type = "pin"
a = "ground"
b = "rod"
[forces.spring]
type = "spring"
a = "rod"
b = "hook"
stiffness = 10
[settings]
duration = 1
"#;

#[test]
fn a_body_without_mass_is_named_with_its_line() {
    let folder = Folder::new("massless-place");
    folder.write("m.toml", MASSLESS);
    for command in ["run", "modes"] {
        let found = folder.taut(&[command, "m.toml"]);
        let named = found.err.contains("body `hook` has no mass") && found.err.contains("--> m.toml:9:8");
        assert!(found.code == 1 && named, "{command}: {found:?}");
    }
    // Statics need no mass, so this is no error of the model.
    let check = folder.done(&["check", "m.toml"]);
    assert!(
        check.err.contains("warning: body `hook` has no mass") && check.err.contains("--> m.toml:9:8"),
        "{check:?}"
    );
}

/// Three rods of 0.1 m, 0.2 m and 0.2 m between points 1 m apart, all along x.
const OPEN_LOOP: &str = r#"taut = 2
[bodies.crank]
type = "planar"
mass = 1
inertia = 0.1
markers = { tip = [0.1, 0] }
[bodies.coupler]
type = "planar"
mass = 1
inertia = 0.1
position = [0.1, 0]
markers = { tip = [0.2, 0] }
[bodies.rocker]
type = "planar"
mass = 1
inertia = 0.1
position = [1, 0]
markers = { tip = [0.2, 0] }
[markers]
"ground.far" = [1, 0]
[joints]
a = { type = "pin", a = "ground", b = "crank" }
b = { type = "pin", a = "crank.tip", b = "coupler" }
c = { type = "pin", a = "coupler.tip", b = "rocker.tip" }
d = { type = "pin", a = "ground.far", b = "rocker" }
[settings]
duration = 1
"#;

#[test]
fn all_analyses_report_an_open_loop_alike() {
    let folder = Folder::new("open-loop");
    folder.write("m.toml", OPEN_LOOP);
    let messages: Vec<String> = ["check", "run", "static", "modes", "assemble", "kinematics", "inverse"]
        .iter()
        .map(|command| {
            let found = folder.taut(&[command, "m.toml"]);
            assert_eq!(found.code, 1, "{command}: {found:?}");
            found.err
        })
        .collect();
    // The chain reaches 0.5 m; stretched the wrong way, as given, the gap is 0.9 m.
    assert!(messages[0].contains("--> m.toml:24:1") && messages[0].contains("stays open by 500 mm"), "{}", messages[0]);
    for other in &messages {
        assert_eq!(*other, messages[0]);
    }
}

#[test]
fn a_wrong_period_is_named_by_its_option() {
    let folder = Folder::new("period-words");
    folder.write("m.toml", &crate::scenes::duffing(1.4, 0.2));
    for (command, option, value) in
        [("floquet", "--period", "0"), ("periodic", "--period", "-1"), ("periodic", "--free-period", "0")]
    {
        let found = folder.taut(&[command, "m.toml", &format!("{option}={value}")]);
        let named = found.err.contains(&format!("error: {option} is {value}; it must be greater than zero"))
            && found.err.contains(&format!("| {option} {value}"));
        assert!(found.code == 1 && named && !found.err.contains("duration"), "{found:?}");
    }
    let unknown = folder.taut(&["periodic", "m.toml", "--period", "2*pi/q"]);
    assert!(unknown.err.contains("| --period 2*pi/q") && !unknown.err.contains("duration"), "{unknown:?}");
}

#[test]
fn a_trust_sheet_that_cannot_be_written_is_refused_before_the_run() {
    let folder = Folder::new("trust-place");
    folder.write("m.toml", crate::common::PENDULUM);
    let found = folder.taut(&["run", "m.toml", "--trust=nowhere/sheet.html"]);
    assert!(found.code != 0 && found.err.contains("cannot write nowhere/sheet.html"), "{found:?}");
    assert!(found.out.is_empty() && !crate::common::folder_exists(&folder.path, "m.run"), "{found:?}");
    // The check leaves no file behind.
    folder.write("n.toml", &crate::common::PENDULUM.replace("duration = \"1 s\"", "duration = -1"));
    folder.taut(&["run", "n.toml", "--trust=sheet.html"]);
    assert!(!crate::common::folder_exists(&folder.path, "sheet.html"));
}
