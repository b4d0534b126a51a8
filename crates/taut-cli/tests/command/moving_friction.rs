//! Friction and brakes on mechanisms that move at the start, in all analyses: they do not change the given velocities.

use crate::common::Folder;

/// A body on an arm of 1 m that turns at 3 rad/s, with a brake of 0.5 N m.
const BRAKED_ARM: &str = r#"taut = 2
[bodies.p]
type = "planar"
mass = 1
inertia = 0.1
position = [1, 0]
velocity = [0, 3]
angular_velocity = 3
markers = { e = [-1, 0] }
[joints.h]
type = "pin"
a = "ground"
b = "p.e"
[constraints.k]
type = "brake"
coordinate = "h.angle"
capacity = 0.5
"#;

/// A body that a driver moves at 1 m/s against a brake of 3 N.
const DRIVEN: &str = r#"taut = 2
gravity = [0, -9.81, 0]
[bodies.a]
type = "planar"
mass = 1
inertia = 0.1
[joints.s]
type = "slider"
a = "ground"
b = "a"
translation = { PRESCRIBED }
[constraints.k]
type = "brake"
coordinate = "a.x"
capacity = 3
[settings]
duration = 1
[outputs]
every = 0.25
"#;

/// `assemble` stopped the arm, `modes` took it for standing still, and `inverse` left out the centripetal force.
#[test]
fn a_brake_stopped_a_moving_mechanism_at_the_start() {
    let folder = Folder::new("moving-friction-arm");
    folder.write("m.toml", BRAKED_ARM);
    let answer = folder.done(&["assemble", "m.toml"]);
    assert!(answer.out.contains("no corrections"), "{answer:?}");
    let refused = folder.taut(&["modes", "m.toml"]);
    assert!(refused.code == 1 && refused.err.contains("`k` slips"), "{refused:?}");
    let found = folder.done(&["inverse", "m.toml", "--accelerations", "p.ax=-9", "--json"]).json();
    let reaction = |name: &str| {
        let all = found["inverse"]["reactions"].as_array().unwrap();
        all.iter().find(|r| r["constraint"] == name).unwrap_or_else(|| panic!("{found}")).clone()
    };
    // m r ω², and the brake at its bound.
    assert!((reaction("h")["force"][0].as_f64().unwrap() + 9.0).abs() < 1e-9, "{found}");
    assert!((reaction("k")["moment"][2].as_f64().unwrap().abs() - 0.5).abs() < 1e-9, "{found}");
}

/// A velocity that a driver prescribes contradicted the brake, which slips: all analyses but `run` refused.
#[test]
fn a_driven_brake_was_a_contradiction_at_the_start() {
    let folder = Folder::new("moving-friction-driven");
    folder.write("m.toml", &DRIVEN.replace("PRESCRIBED", "velocity = 1"));
    let answer = folder.done(&["assemble", "m.toml"]);
    assert!(answer.out.contains("velocity changed by"), "{answer:?}");
    let refused = folder.taut(&["modes", "m.toml"]);
    assert!(refused.code == 1 && refused.err.contains("`k` slips"), "{refused:?}");
    let found = folder.done(&["inverse", "m.toml", "--json"]).json();
    // λ of the guide along x and y and about z, and of the brake.
    assert!((found["inverse"]["lambda"][3].as_f64().unwrap() + 3.0).abs() < 1e-9, "{found}");
}

/// The brake slips all along, so the reactions are unique and no row is redundant.
#[test]
fn a_slipping_brake_made_reactions_of_kinematics_redundant() {
    let folder = Folder::new("moving-friction-kinematics");
    folder.write("m.toml", &DRIVEN.replace("PRESCRIBED", "position = \"t\""));
    let answer = folder.done(&["kinematics", "m.toml"]);
    assert!(answer.out.contains("3 constraint rows)") && !answer.out.contains("unique"), "{answer:?}");
    assert!(answer.out.contains("  s.x                                  3 "), "{answer:?}");
}

/// `[start]` could not set the velocity of anything with a brake or joint friction, not even for `run`.
#[test]
fn a_brake_contradicted_a_rate_of_the_start() {
    let folder = Folder::new("moving-friction-start");
    folder.write(
        "m.toml",
        "taut = 2\n[bodies.p]\ntype = \"point_mass\"\nmass = 1\n[constraints.b]\ntype = \"brake\"\ncoordinate = \"p.x\"\ncapacity = 2\n\
         [start]\n\"p.x.rate\" = 1\n[settings]\nduration = 0.25\n[outputs]\nevery = 0.25\n\
         [[expect]]\ncolumn = \"p.vx\"\nstatistic = \"final\"\nvalue = 0.5\ntolerance = 1e-9\nsource = \"1 m/s - 0.25 s * 2 N / 1 kg\"\n",
    );
    let answer = folder.done(&["run", "m.toml"]);
    assert!(answer.out.contains("1 of 1 met"), "{answer:?}");
}
