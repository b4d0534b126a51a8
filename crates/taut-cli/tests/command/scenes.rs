//! Parts of models and ways to read results that several tests share.

use serde_json::Value;

/// A number of a result.
pub fn number(x: &Value) -> f64 {
    x.as_f64().unwrap_or_else(|| panic!("{x} is no number"))
}

/// All multipliers of `floquet --json` as (re, im), with both of each pair.
pub fn multipliers(found: &Value) -> Vec<[f64; 2]> {
    let mut all = Vec::new();
    for m in found["modes"].as_array().unwrap() {
        let [re, im] = [0, 1].map(|k| number(&m["multiplier"][k]));
        all.push([re, im]);
        if im != 0.0 {
            all.push([re, -im]);
        }
    }
    assert_eq!(all.len() as u64, found["multipliers"].as_u64().unwrap(), "no multiplier is lost or invented");
    all
}

/// z'' + damping z' + z + z³ = F cos wt with F = 0.3.
pub fn duffing(w: f64, damping: f64) -> String {
    format!(
        r#"taut = 2
[params]
w = {w}
F = 0.3
[bodies.mass]
type = "point_mass"
mass = 1
[joints.guide]
type = "point_on_line"
a = "ground"
b = "mass"
[forces.spring]
type = "formula"
coordinate = "mass.z"
force = "-{damping}*mass.vz - mass.z - mass.z^3 + F*cos(w*t)"
[settings]
duration = 1
"#
    )
}

/// A weight m on a spring k along z.
pub const WEIGHT_ON_SPRING: &str = r#"taut = 2
gravity = [0, 0, -9.81]
[params]
k = 300
m = 1
[bodies.mass]
type = "point_mass"
mass = "m"
[joints.guide]
type = "point_on_line"
a = "ground"
b = "mass"
[forces.spring]
type = "spring"
coordinate = "mass.z"
stiffness = "k"
rest = 0
[settings]
duration = 1
"#;

/// A joint that lets the point mass `m` move along x only.
pub const GUIDE_ALONG_X: &str = r#"[joints.guide]
type = "joint"
a = "ground"
b = "m"
translation = ["free", "fixed", "fixed"]
rotation = "free"
"#;

/// Axes of a hinge whose positive angle lifts a blade that points along x.
pub const FLAP_AXES: &str = "{ z = [0, -1, 0], x = [1, 0, 0] }";

/// The hub of a rotor that turns about z with the parameter W, with a hinge at this radius.
pub fn hub(radius: &str, hinge_axes: &str) -> String {
    format!(
        r#"[bodies.hub]
type = "rigid"
mass = 10
inertia = [1, 1, 1]
angular_velocity = [0, 0, "W"]
markers = {{ hinge = {{ at = [{radius}, 0, 0], orientation = {{ axes = {hinge_axes} }} }} }}
"#
    )
}

/// The hinge between this hub and a blade.
pub const HINGE: &str = r#"[joints.hinge]
type = "revolute"
a = "hub.hinge"
b = "blade.hinge"
"#;

/// A shaft in a body or `ground` that turns the hub with the parameter W.
pub fn shaft(base: &str) -> String {
    format!(
        r#"[joints.shaft]
type = "revolute"
a = "{base}"
b = "hub"
rotation = {{ velocity = "W" }}
"#
    )
}

/// Tolerances and output of a run whose last row is compared with a closed form.
pub fn accurate_run(duration: f64) -> String {
    format!(
        r#"[settings]
duration = {duration:?}
rtol = 1e-12
atol = 1e-12
[outputs]
every = {duration:?}
"#
    )
}

/// A model that comes with the program, by its path in `models`.
pub fn shipped(name: &str) -> String {
    format!("{}/../../models/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}
