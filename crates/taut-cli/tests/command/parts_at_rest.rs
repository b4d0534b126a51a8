//! Steady rotation with parts that do not rotate: fuselage, swashplate, seats of bearings.

use crate::common::Folder;
use crate::scenes::{FLAP_AXES, HINGE, hub, shaft};

/// A blade with a flap hinge on a hub that turns; `REST` are the parts around it.
fn rotor(rest: &str) -> String {
    format!(
        r#"taut = 2
[params]
W = 30
{}[bodies.blade]
type = "rigid"
mass = 80
inertia = [1e-9, 240, 240]
position = [3.3, 0, 0]
velocity = [0, "W*3.3", 0]
angular_velocity = [0, 0, "W"]
markers = {{ hinge = {{ at = [-3, 0, 0], orientation = {{ axes = {FLAP_AXES} }} }} }}
{HINGE}[settings]
duration = 0.01
{rest}"#,
        hub("0.3", FLAP_AXES)
    )
}

/// A fuselage that moves up and down on a spring, its centre at this distance from the shaft.
fn on_fuselage(beside: f64) -> String {
    rotor(&format!(
        r#"
[markers]
"ground.rail" = {{ at = [{beside}, 0, -1] }}
[bodies.fuselage]
type = "rigid"
mass = 500
inertia = [100, 130, 200]
position = [{beside}, 0, -1]
markers = {{ top = [{}, 0, 1] }}
{}[joints.guide]
type = "prismatic"
a = "ground.rail"
b = "fuselage"
[forces.spring]
type = "spring"
coordinate = "fuselage.z"
stiffness = 1e5
rest = -1
"#,
        -beside,
        shaft("fuselage.top")
    ))
}

const SWASHPLATE: &str = r#"
[bodies.lower]
type = "rigid"
mass = 5
inertia = [1, 1, 2]
position = [0, 0, -0.4]
[bodies.upper]
type = "rigid"
mass = 7
inertia = [1, 1, 2]
position = [0, 0, -0.4]
angular_velocity = [0, 0, "W"]
[bodies.actuator]
type = "rigid"
mass = 2
inertia = [1, 1, 1]
position = [0.5, 0, -0.4]
markers = { rod = [-0.5, 0, 0] }
[markers]
"ground.rail" = { at = [0.5, 0, -0.4] }
[joints.slide]
type = "prismatic"
a = "ground.rail"
b = "actuator"
[joints.bolt]
type = "fixed"
a = "actuator.rod"
b = "lower"
[joints.bearing]
type = "revolute"
a = "lower"
b = "upper"
rotation = { velocity = "W" }
[forces.spring]
type = "spring"
coordinate = "lower.z"
stiffness = 3.5e4
rest = -0.4
"#;

fn frequencies(folder: &Folder, more: &[&str]) -> Vec<f64> {
    let words = [&["modes", "r.toml", "--rotating-about", "z", "--rate", "30", "--json"], more].concat();
    let found = folder.done(&words).json();
    let mut all: Vec<f64> = found["modes"].as_array().unwrap().iter().map(|m| m["omega"].as_f64().unwrap()).collect();
    all.retain(|w| *w > 1e-6);
    all
}

/// Closed form: (590 z'' + 240 b'' + 1e5 z, 240 z'' + 960 b'' + W² (960 + 0.3·240) b) = 0, wherever the centre of the fuselage is.
#[test]
fn a_fuselage_on_springs_may_stand_beside_the_axis() {
    let folder = Folder::new("fuselage");
    let (m, s, i, k, f) = (590.0, 240.0, 960.0, 1e5, 900.0 * (960.0 + 0.3 * 240.0));
    let (a, b, c): (f64, f64, f64) = (m * i - s * s, -(m * f + k * i), k * f);
    let root = (b * b - 4.0 * a * c).sqrt();
    let expected = [(-b - root) / (2.0 * a), (-b + root) / (2.0 * a)].map(f64::sqrt);
    for beside in [0.0, 0.3] {
        folder.write("r.toml", &on_fuselage(beside));
        for more in [&[][..], &["--static"]] {
            let found = frequencies(&folder, more);
            assert_eq!(found.len(), 2, "{beside} {more:?}: {found:?}");
            for (found, e) in found.iter().zip(expected) {
                assert!((found - e).abs() < 1e-7 * e, "{beside} {more:?}: {found} {e}");
            }
        }
    }
}

/// The plates move up and down together, beside the flap at W √(1 + 0.3·240/960).
#[test]
fn a_swashplate_turns_above_and_rests_below() {
    let folder = Folder::new("swashplate_modes");
    folder.write("r.toml", &rotor(&(shaft("ground") + SWASHPLATE)));
    let expected = [30.0 * 1.075_f64.sqrt(), (3.5e4_f64 / 14.0).sqrt()];
    for more in [&[][..], &["--static"]] {
        let found = frequencies(&folder, more);
        assert_eq!(found.len(), 2, "{more:?}: {found:?}");
        for (found, e) in found.iter().zip(expected) {
            assert!((found - e).abs() < 1e-7 * e, "{more:?}: {found} {e}");
        }
    }
}

/// A support that yields along x only has no constant coefficients in the rotating frame.
#[test]
fn anisotropic_supports_are_refused() {
    let folder = Folder::new("anisotropic");
    let rest = r#"
[markers]
"ground.across" = { orientation = { rotations = [["y", "90 deg"]] } }
"fuselage.across" = { orientation = { rotations = [["y", "90 deg"]] } }
"hub.arm" = { at = [-3.3, 0, 0] }
[bodies.fuselage]
type = "rigid"
mass = 500
inertia = [100, 130, 200]
[joints.guide]
type = "prismatic"
a = "ground.across"
b = "fuselage.across"
[forces.spring]
type = "spring"
coordinate = "fuselage.x"
stiffness = 1e5
rest = 0
[bodies.other]
type = "rigid"
mass = 80
inertia = [1e-9, 240, 240]
position = [-3.3, 0, 0]
velocity = [0, "-W*3.3", 0]
angular_velocity = [0, 0, "W"]
[joints.counterweight]
type = "fixed"
a = "hub.arm"
b = "other"
"#;
    folder.write("r.toml", &rotor(&(shaft("fuselage") + rest)));
    let run = folder.taut(&["modes", "r.toml", "--rotating-about", "z", "--rate", "30"]);
    assert!(run.code == 1 && run.err.contains("anisotropic"), "{run:?}");
}
