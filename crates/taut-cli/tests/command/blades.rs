//! Blades and their controls without air, from model files: closed forms of rotor dynamics.

use crate::common::Folder;
use crate::scenes::{FLAP_AXES, HINGE, accurate_run, hub, shaft};

/// A uniform thin rod hinged at radius r, hub speed held: `AXIS` of the hinge, `TURN` of the start.
/// I b'' + W² sin b (I cos b + r S) + k b = 0 in flap, I z'' + W² r S sin z + k z = 0 in lag (Johnson, Helicopter theory).
fn hinged(lag: bool, degrees: f64, duration: f64) -> String {
    let (hinge, turn) = match lag {
        false => (FLAP_AXES, "[\"y\", \"-b\"]"),
        true => ("{ z = [0, 0, 1], x = [1, 0, 0] }", "[\"z\", \"b\"]"),
    };
    let (x, y, z) = match lag {
        false => ("r + L/2*cos(b)", "0*b", "L/2*sin(b)"),
        true => ("r + L/2*cos(b)", "L/2*sin(b)", "0*b"),
    };
    format!(
        r#"taut = 2
[params]
m = 80
L = 6
r = 0.3
k = 4000
W = 30
b = {}
I = "m*L^2/12"
{}[bodies.blade]
type = "rigid"
mass = "m"
inertia = [1e-9, "I", "I"]
position = ["{x}", "{y}", "{z}"]
orientation = {{ rotations = [{turn}] }}
velocity = ["-W*({y})", "W*({x})", 0]
angular_velocity = [0, 0, "W"]
markers = {{ hinge = {{ at = ["-L/2", 0, 0], orientation = {{ axes = {hinge} }} }} }}
{}{HINGE}[forces.spring]
type = "spring"
coordinate = "hinge.angle"
stiffness = "k"
rest = 0
{}"#,
        degrees.to_radians(),
        hub("\"r\"", hinge),
        shaft("ground"),
        accurate_run(duration)
    )
}

/// The value of a column in the last row of a run.
fn last(folder: &Folder, file: &str, column: &str) -> f64 {
    folder.done(&["run", file, "-o", "out", "--force"]);
    let text = String::from_utf8(folder.read("out/table.csv")).unwrap();
    let names = text.lines().find(|l| !l.starts_with('#')).unwrap();
    let at = names.split(',').position(|c| c.trim_matches('"').split(' ').next() == Some(column));
    let at = at.unwrap_or_else(|| panic!("no {column} in {names}"));
    text.lines().last().unwrap().split(',').nth(at).unwrap().parse().unwrap()
}

/// After one period by energy quadrature (11 digits) the blade is at rest again, at its start.
#[test]
fn hinged_blades_have_their_periods() {
    let folder = Folder::new("hinged");
    for (lag, degrees, period, omega) in [
        (false, 10.0, 0.2030255905873443, 31.1715682420161_f64),
        (false, 30.0, 0.2154036440698275, 31.1715682420161),
        (true, 30.0, 0.7543505203094596, 8.465616732800196),
    ] {
        folder.write("b.toml", &hinged(lag, degrees, period));
        let rate = last(&folder, "b.toml", "hinge.angle.rate");
        // At the turning point the rate is −b'' δT, and b'' is at least a half of ω² b.
        let late = rate / (0.5 * omega * omega * degrees.to_radians());
        assert!(late.abs() < 1e-9 * period, "{lag} {degrees}: {late}");
        folder.write("b.toml", &hinged(lag, 0.0, period));
        let found = folder.done(&["modes", "b.toml", "--rotating-about", "z", "--json"]).json();
        let modes = found["modes"].as_array().unwrap();
        let near = modes.iter().map(|m| (m["omega"].as_f64().unwrap() - omega).abs()).fold(f64::INFINITY, f64::min);
        assert!(near < 1e-9 * omega, "{found}");
    }
}

/// A rigid blade free to pitch: Ixx th'' + (Izz − Iyy) W² sin th cos th = 0, period 4 K(sin² th₀)/(ν W), and the moment that holds it.
fn feathering(degrees: f64, pitch: &str, duration: f64) -> String {
    format!(
        r#"taut = 2
[params]
W = 40
b = {}
[bodies.hub]
type = "rigid"
mass = 1
inertia = [1, 1, 1]
angular_velocity = [0, 0, "W"]
markers = {{ bearing = {{ orientation = {{ axes = {{ z = [1, 0, 0], x = [0, 1, 0] }} }} }} }}
[bodies.blade]
type = "rigid"
mass = 1
inertia = [0.6, 0.05, 0.63]
orientation = {{ rotations = [["x", "b"]] }}
angular_velocity = [0, 0, "W"]
markers = {{ bearing = {{ orientation = {{ axes = {{ z = [1, 0, 0], x = [0, 1, 0] }} }} }} }}
{}[joints.pitch]
type = "revolute"
a = "hub.bearing"
b = "blade.bearing"
{pitch}
{}"#,
        f64::to_radians(degrees),
        shaft("ground"),
        accurate_run(duration)
    )
}

#[test]
fn a_blade_free_to_pitch_swings_about_flat() {
    let folder = Folder::new("feather");
    let (nu, speed) = ((0.58_f64 / 0.6).sqrt(), 40.0);
    for (degrees, period) in [(1.0, 0.1597771167692401), (20.0, 0.16477206556749166)] {
        folder.write("f.toml", &feathering(degrees, "", period));
        let rate = last(&folder, "f.toml", "pitch.angle.rate");
        let late = rate / (0.5 * (nu * speed).powi(2) * f64::to_radians(degrees));
        assert!(late.abs() < 1e-9 * period, "{degrees}: {late}");
    }
    folder.write("f.toml", &feathering(15.0, "rotation = { position = \"b\" }", 0.01));
    let moment = last(&folder, "f.toml", "pitch.mz_j");
    assert!((moment.abs() - 0.58 * 1600.0 * 0.25).abs() < 1e-7, "{moment}");
}

/// Swashplate, pitch link, pitch horn: pitch by exact geometry (root finding against a closed form, 12 digits). The plate's orientation
/// exp(tilt) Rz(psi) is prescribed by a constant-velocity coupling.
fn swashplate(collective: f64, tilt: [f64; 2], flap: f64) -> String {
    format!(
        r#"taut = 2
[params]
xh = 0.25
yh = 0.22
xb = 0.15
l = 0.4
W = 1
coll = {collective}
flap = {flap}
[markers]
"ground.plate" = {{ at = [0, 0, "coll - l"], orientation = {{ rotation_vector = [{}, {}, 0] }} }}
[bodies.hub]
type = "rigid"
mass = 1
inertia = [1, 1, 1]
angular_velocity = [0, 0, "W"]
markers = {{ hinge = {{ at = ["xb", 0, 0], orientation = {{ axes = {{ z = [0, -1, 0], x = [1, 0, 0] }} }} }} }}
[bodies.grip]
type = "rigid"
mass = 1
inertia = [1, 1, 1]
position = ["xb", 0, 0]
markers = {{ hinge = {{ orientation = {{ axes = {{ z = [0, -1, 0], x = [1, 0, 0] }} }} }}, bearing = {{ orientation = {{ axes = {{ z = [1, 0, 0], x = [0, 1, 0] }} }} }} }}
[bodies.blade]
type = "rigid"
mass = 1
inertia = [1, 1, 1]
position = ["xb", 0, 0]
markers = {{ bearing = {{ orientation = {{ axes = {{ z = [1, 0, 0], x = [0, 1, 0] }} }} }}, horn = ["xh - xb", "yh", 0] }}
[bodies.plate]
type = "rigid"
mass = 1
inertia = [1, 1, 1]
position = [0, 0, "coll - l"]
markers = {{ ball = ["xh", "yh", 0] }}
[joints.shaft]
type = "revolute"
a = "ground"
b = "hub"
rotation = {{ position = "W*t" }}
[joints.bearing]
type = "revolute"
a = "ground.plate"
b = "plate"
rotation = {{ position = "W*t" }}
[joints.flap]
type = "revolute"
a = "hub.hinge"
b = "grip.hinge"
rotation = {{ position = "flap" }}
[joints.pitch]
type = "revolute"
a = "grip.bearing"
b = "blade.bearing"
[joints.link]
type = "rod"
a = "plate.ball"
b = "blade.horn"
length = "l"
[settings]
duration = "2*pi/W"
rtol = 1e-11
atol = 1e-11
"#,
        tilt[0], tilt[1]
    )
}

#[test]
fn pitch_follows_the_swashplate() {
    let folder = Folder::new("swashplate");
    let degree = 1.0_f64.to_radians();
    let cases: [(f64, [f64; 2], [f64; 5]); 3] = [
        (0.04, [0.0, 0.0], [0.18275757272315968, 0.0, 0.0, 0.0, 0.0]),
        (
            0.0,
            [6.0 * degree, 0.0],
            [
                -1.1679516085693096e-05,
                0.10485869428603604,
                0.11915761269543304,
                1.6502866024096005e-05,
                0.00016741829767760323,
            ],
        ),
        (
            0.03,
            [4.0 * degree, -3.0 * degree],
            [
                0.13731504560847657,
                0.13054263130892302,
                0.027218411231866184,
                0.0005508987587114521,
                9.154981244366469e-05,
            ],
        ),
    ];
    for (collective, tilt, [mean, cos1, sin1, amp2, amp3]) in cases {
        folder.write("s.toml", &swashplate(collective, tilt, 0.0));
        let words = ["periodic", "s.toml", "--period", "2*pi/W", "--harmonics", "pitch.angle", "-n", "3", "--json"];
        let found = folder.done(&words).json();
        let pitch = &found["harmonics"]["pitch.angle"];
        let at = |n: usize, k: usize| pitch["harmonics"][n - 1][k].as_f64().unwrap();
        let amplitude = |n: usize| at(n, 0).hypot(at(n, 1));
        let values = [pitch["mean"].as_f64().unwrap(), at(1, 0), at(1, 1), amplitude(2), amplitude(3)];
        for (found, expected) in values.iter().zip([mean, cos1, sin1, amp2, amp3]) {
            assert!((found - expected).abs() < 1e-9, "{values:?}");
        }
        // A mechanism without freedom has no multipliers.
        assert_eq!(found["dimension"].as_u64(), Some(0));
    }
    // Flap of 8 degrees pitches the blade down, by delta3.
    folder.write("s.toml", &swashplate(0.0, [0.0, 0.0], 8.0 * degree));
    let pitch = last(&folder, "s.toml", "pitch.angle");
    assert!((pitch + 0.06393244404274738).abs() < 1e-9, "{pitch}");
}

/// Flap of a rotating cantilever with unit mass, stiffness and length, hub radius 0 and 1: Ritz with 22 polynomials against shooting, 9
/// digits; \[WrightSmithThresherWang1982\] print 13.1702, 37.6031, 79.6145. Lag frequencies follow from ω² − Ω². Stretching, shear and
/// rotations of the sections are a hundred million times faster than the flap, which must not hide it.
#[test]
fn rotating_cantilevers_have_their_flap_frequencies() {
    let folder = Folder::new("cantilever");
    for (radius, speed, expected) in [
        (0, 2, [4.137319573025403, 22.614921956507082, 62.27318410567166]),
        (0, 6, [7.360373019309721, 26.809081678498266, 66.683914381503]),
        (0, 12, [13.170150487506024, 37.60311233119176, 79.61447848942534]),
        (1, 3, [6.081749684998377, 24.92774523113631, 64.73380200988848]),
        (1, 12, [19.721541935252784, 51.07013401426164, 98.5267971614398]),
    ] {
        let text = format!(
            r#"taut = 2
[params]
h = {radius}
[beams.blade]
from = ["h", 0, 0]
to = ["h + 1", 0, 0]
elements = 16
element_type = "variational"
section = {{ shape = "general", stiffness = [1e8, 1e8, 1e8, 1e4, 1, 1e5], mass = 1, inertia = [1e-9, 1e-9, 1e-9] }}
[markers."blade_0.axis"]
at = ["-h", 0, 0]
[joints.hub]
type = "revolute"
a = "ground"
b = "blade_0.axis"
rotation = {{ velocity = {speed} }}
[settings]
duration = 0.01
method = "radau5"
"#
        );
        folder.write("c.toml", &text);
        let rate = speed.to_string();
        let words = ["modes", "c.toml", "--static", "--rotating-about", "z", "--rate", &rate, "-n", "6", "--json"];
        let found = folder.done(&words).json();
        let modes = found["modes"].as_array().unwrap();
        for e in expected {
            let apart = |m: &serde_json::Value| (m["omega"].as_f64().unwrap() - e).abs();
            let near = modes.iter().map(apart).fold(f64::INFINITY, f64::min);
            assert!(near < 1e-4 * e, "{radius} {speed} {e}: {modes:?}");
        }
    }
}
