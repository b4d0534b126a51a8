//! Periodic motions and Floquet analysis, from model files.

use crate::common::Folder;
use crate::scenes::{WEIGHT_ON_SPRING, duffing, multipliers, number};
use serde_json::Value;

/// A model that comes with the program.
fn model(name: &str) -> String {
    format!("{}/../../models/modes/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

/// The modes of `taut floquet --json`.
fn floquet(folder: &Folder, words: &[&str]) -> Value {
    folder.done(&[&["floquet", "--json"], words].concat()).json()
}

/// Real parts of all exponents, in order.
fn real_parts(found: &Value) -> Vec<f64> {
    let period = number(&found["period"]);
    let mut all: Vec<f64> = multipliers(found).iter().map(|[re, im]| re.hypot(*im).ln() / period).collect();
    all.sort_by(f64::total_cmp);
    all
}

/// The pendulum with a shaken support. Multipliers of th'' + 2 d th' + (g − Z w² cos wt)/l th = 0 by DOP853, equal to Hill's matrix to
/// 1e-14; edges of the first region of instability from the characteristic numbers a1, b1 of SciPy.
#[test]
fn mathieu_pendulum_has_the_multipliers_of_hills_equation() {
    let folder = Folder::new("mathieu");
    let file = model("mathieu_pendulum");
    let cases: [(&[&str], [[f64; 2]; 2]); 4] = [
        (&["--set", "w=8"], [[-0.950294013886132, 0.31135395801592636], [-0.950294013886132, -0.31135395801592636]]),
        (&["--set", "w=8.9"], [[-1.1333381992431757, 0.0], [-0.882349152854623, 0.0]]),
        (&["--set", "w=8.9", "--set", "d=0.3"], [[-0.9162667195491457, 0.0], [-0.7145246745622489, 0.0]]),
        (&["--set", "w=9.5", "--set", "Z=0.05"], [[-1.2865349529518761, 0.0], [-0.7772816414397132, 0.0]]),
    ];
    for (changes, expected) in cases {
        let found = multipliers(&floquet(&folder, &[&[&file, "--period", "2*pi/w"], changes].concat()));
        assert_eq!(found.len(), 2);
        for e in expected {
            let near = found.iter().map(|m| (m[0] - e[0]).hypot(m[1] - e[1])).fold(f64::INFINITY, f64::min);
            assert!(near < 1e-8, "{changes:?}: {found:?}");
        }
    }
    // At both edges of the region the multipliers meet at −1, so that their sum is −2.
    for w in ["8.527665245081973", "9.240013505498048"] {
        let found = multipliers(&floquet(&folder, &[&file, "--period", "2*pi/w", "--set", &format!("w={w}")]));
        let sum: f64 = found.iter().map(|m| m[0]).sum();
        assert!((sum + 2.0).abs() < 1e-8, "{found:?}");
    }
    // Kapitza: upside down it is stable above 104.48510774575739 rad/s with Z = 30 mm.
    for (w, stable) in [("104.4", false), ("104.6", true)] {
        let words = [&file, "--period", "2*pi/w", "--set", "swing=pi", "--set", "Z=0.03", "--set", &format!("w={w}")];
        let words: Vec<&str> = words.iter().map(|w| w.as_ref()).collect();
        let largest = real_parts(&floquet(&folder, &words)).pop().unwrap();
        assert_eq!(largest < 1e-6, stable, "{w}: {largest}");
    }
}

/// The frequency is that of the largest harmonic: below the first region, ω of the hanging pendulum, not its alias.
#[test]
fn the_frequency_is_that_of_the_largest_harmonic() {
    let folder = Folder::new("harmonic");
    let file = model("mathieu_pendulum");
    // w = 3 rad/s is below the frequency √(g/l) = 4.4294 rad/s, so the exponent alone gives 4.43 − 3 or so.
    let found = floquet(&folder, &[&file, "--period", "2*pi/w", "--set", "w=3", "--set", "Z=0.001"]);
    let mode = &found["modes"][0];
    let (omega, alias) = (number(&mode["exponent"][1]), number(&mode["principal_frequency"]));
    assert!((omega - (9.81_f64 / 0.5).sqrt()).abs() < 1e-3 && alias < 1.5, "{mode}");
    assert!(number(&mode["harmonics"][0]["share"]) > 0.99, "{mode}");
}

/// Hammond's rotor, speed held. References: multiblade matrix of the linear equations (all dampers), DOP853 monodromy against Hill's
/// matrix to 2e-12 (first damper inoperative).
#[test]
fn hammonds_rotor_on_the_ground() {
    let folder = Folder::new("hammond");
    let file = model("hammond_rotor");
    let at = |rpm: &str, more: &[&str]| {
        let speed = format!("W={rpm} rpm");
        floquet(&folder, &[&[file.as_str(), "--period", "2*pi/W", "--set", &speed], more].concat())
    };
    // Eigenvalues do not depend on the frame in their real parts; collective and differential lag are Ib s² + cb s + W² r Sb.
    let free = -4067.5 / (2.0 * 1084.7);
    let expected = [
        -4.438014495484871,
        -4.438014495484871,
        -3.0944374620710766,
        -3.0944374620710766,
        -2.7391691145724435,
        -2.7391691145724435,
        free,
        free,
        free,
        free,
        -0.3295252430316711,
        -0.3295252430316711,
    ];
    for (found, e) in real_parts(&at("250", &[])).iter().zip(expected) {
        assert!((found - e).abs() < 1e-7 * e.abs(), "{found} {e}");
    }
    let expected = [
        -4.350362425260532,
        -4.350362425260532,
        -3.09401198168145,
        -3.09401198168145,
        -2.2972875302465603,
        -2.2972875302465603,
        free,
        free,
        -1.1521771113676822,
        -1.1521771113676822,
        0.3220311308324085,
        0.3220311308324085,
    ];
    let one_inoperative = at("250", &["--set", "c0=0"]);
    for (found, e) in real_parts(&one_inoperative).iter().zip(expected) {
        assert!((found - e).abs() < 1e-6, "{found} {e}");
    }
    let [re, im] = [0, 1].map(|k| number(&one_inoperative["modes"][0]["multiplier"][k]));
    assert!((re + 0.32668331587267085).abs() < 1e-6 && (im.abs() - 1.0297765564815953).abs() < 1e-6, "{re} {im}");
    // The edges of the unstable range, to 1e-3 rpm.
    for (rpm, stable) in [("210.370", true), ("210.372", false), ("307.0745", false), ("307.0765", true)] {
        let largest = real_parts(&at(rpm, &["--set", "c0=0"])).pop().unwrap();
        assert_eq!(largest < 0.0, stable, "{rpm}: {largest}");
    }
}

/// Tracked over the parameter, both modes of the locked range are there, and the picture is drawn.
#[test]
fn locked_modes_keep_their_branches() {
    let folder = Folder::new("locked");
    let file = model("mathieu_pendulum");
    let words =
        ["floquet", &file, "--period", "2*pi/w", "--parameter", "w", "--from", "8", "--to", "10", "--steps", "9"];
    let table = folder.done(&words).out;
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|l| l.split(',').collect()).collect();
    assert_eq!(rows.len(), 9);
    // At w = 9 the real parts are opposite; a branch that exists never ends.
    let [a, b] = [1, 5].map(|k| rows[4][k].parse::<f64>().unwrap());
    assert!((a + b).abs() < 1e-9 && a.abs() > 0.1, "{table}");
    let last = rows.last().unwrap();
    assert!(!last[1].is_empty() && !last[5].is_empty(), "{table}");
    folder.done(&[&words[..], &["-o", "m.svg"]].concat());
    assert!(String::from_utf8(folder.read("m.svg")).unwrap().contains("real part"));
}

/// The forced oscillator, damping 0.2.
fn oscillator() -> String {
    duffing(1.4, 0.2)
}

/// A forced oscillator: harmonics of 70 periods of Runge-Kutta steps of T/1024, and the motion returns.
#[test]
fn forced_oscillator_repeats() {
    let folder = Folder::new("duffing");
    folder.write("d.toml", &oscillator());
    let words = ["periodic", "d.toml", "--period", "2*pi/w", "--harmonics", "mass.z", "-n", "3", "--json"];
    let json = folder.done(&words).json();
    let z = &json["harmonics"]["mass.z"];
    let c1 = number(&z["harmonics"][0][0]);
    let [cos3, sin3] = [0, 1].map(|k| number(&z["harmonics"][2][k]));
    let s1 = number(&z["harmonics"][0][1]);
    let expected = DUFFING_HARMONICS;
    for (found, e) in [c1, s1, cos3, sin3].iter().zip(expected) {
        assert!((found - e).abs() < 1e-7, "{z}");
    }
    assert_eq!(json["stability"], "stable");
    folder.done(&["periodic", "d.toml", "--period", "2*pi/w", "-o", "one.csv"]);
    let rows = String::from_utf8(folder.read("one.csv")).unwrap();
    let column = rows.lines().next().unwrap().split(',').position(|c| c == "mass.z").unwrap();
    let value = |line: &str| line.split(',').nth(column).unwrap().parse::<f64>().unwrap();
    let (first, last) = (value(rows.lines().nth(1).unwrap()), value(rows.lines().last().unwrap()));
    assert!((first - last).abs() < 1e-7, "{first} {last}");
}

/// c₁, s₁, c₃, s₃ of the forced oscillator.
const DUFFING_HARMONICS: [f64; 4] =
    [-0.3093193192859244, 0.09832551124368243, -0.0002909868710226762, 0.0004285018779528368];

const PENDULUM_2D: &str = r#"taut = 2
gravity = [0, -9.81, 0]
[params]
start = "60 deg"
[bodies.rod]
type = "planar"
mass = 2
inertia = "2/12"
position = ["0.5*sin(start)", "-0.5*cos(start)"]
angle = "start"
markers = { top = [0, 0.5] }
[joints]
hinge = { type = "pin", a = "ground", b = "rod.top" }
[settings]
duration = 1
"#;

/// A free period: 4 K(sin²(θ₀/2))/ω of a pendulum released at 60 degrees, with K from SciPy.
#[test]
fn the_period_of_a_pendulum_is_found() {
    let folder = Folder::new("free_period");
    folder.write("p.toml", PENDULUM_2D);
    // Angle and rate at the start select one motion of the family.
    let held = ["--hold", "hinge.angle", "--hold", "hinge.angle.rate"];
    let json = folder.done(&[&["periodic", "p.toml", "--free-period", "1.7", "--json"], &held[..]].concat()).json();
    // ω² = 3g/2l; K(1/4) = 1.685750354812596.
    let exact = 4.0 * 1.685750354812596 / (1.5 * 9.81_f64).sqrt();
    assert!((number(&json["period"]) - exact).abs() < 1e-8 * exact, "{json}");
    assert_eq!(json["stability"], "neutral");
}

#[test]
fn wrong_periods_and_jumps_are_named() {
    let folder = Folder::new("wrong_period");
    folder.write("d.toml", &oscillator());
    let wrong = folder.taut(&["periodic", "d.toml", "--period", "3*pi/w"]);
    assert!(wrong.code == 1 && wrong.err.contains("`spring` does not repeat after"), "{wrong:?}");
    let wrong = folder.taut(&["periodic", "d.toml", "--period", "-1"]);
    assert!(wrong.code != 0, "{wrong:?}");
    let wrong = folder.taut(&["periodic", "d.toml", "--free-period", "2"]);
    assert!(wrong.code == 1 && wrong.err.contains("`spring` depends on time"), "{wrong:?}");
    let wrong = folder.taut(&["periodic", "d.toml", "--period", "2*pi/w", "--harmonics", "mass.zz"]);
    assert!(wrong.code == 1 && wrong.err.contains("mass.z"), "{wrong:?}");
    let neither = folder.taut(&["floquet", "d.toml"]);
    assert!(neither.code != 0 && neither.err.contains("--period"), "{neither:?}");
    // A ball that bounces within the period.
    folder.write("ball.toml", BALL);
    let jump = folder.taut(&["periodic", "ball.toml", "--period", "1"]);
    assert!(jump.code == 1 && jump.err.contains("within the period"), "{jump:?}");
}

const BALL: &str = r#"taut = 2
gravity = [0, 0, -9.81]
[bodies.ball]
type = "point_mass"
mass = 1
position = [0, 0, 0.5]
[constraints.floor]
type = "point_plane_contact"
plane = "ground"
point = "ball"
[settings]
duration = 1
"#;

/// Trim: the amplitude of a mass on a shaker in closed form, and a static one.
#[test]
fn parameters_are_found_for_given_results() {
    let folder = Folder::new("trim");
    folder.write("d.toml", &oscillator());
    // The harmonics of the forced oscillator belong to F = 0.3.
    let goal = format!("mass.z:amplitude1={}", DUFFING_HARMONICS[0].hypot(DUFFING_HARMONICS[1]));
    let words = ["trim", "d.toml", "--period", "2*pi/w", "--vary", "F=0.1:0.2:0.5", "--target", &goal, "--json"];
    let json = folder.done(&words).json();
    assert!((number(&json["parameters"]["F"]) - 0.3).abs() < 1e-6, "{json}");
    let far = ["trim", "d.toml", "--period", "2*pi/w", "--vary", "F=0.1:0.2:0.25", "--target", &goal];
    let reported = folder.taut(&far);
    assert!(
        reported.code == 1 && reported.err.contains("cannot be met") && reported.err.contains("`F`"),
        "{reported:?}"
    );
    let unlike = folder.taut(&["trim", "d.toml", "--vary", "F=0.1:0.2:0.5", "--target", "mass.z:mean=0"]);
    assert!(unlike.code == 1 && unlike.err.contains("--period"), "{unlike:?}");
    // A spring that carries a weight: k = m g / 0.02 m.
    folder.write("s.toml", WEIGHT_ON_SPRING);
    let json =
        folder.done(&["trim", "s.toml", "--vary", "k=100:300:2000", "--target", "mass.z=-0.02", "--json"]).json();
    assert!((number(&json["parameters"]["k"]) - 490.5).abs() < 1e-4, "{json}");
}

/// `[trim]` needs no options; an option replaces the entry of the same name.
#[test]
fn the_model_file_describes_a_trim() {
    let folder = Folder::new("trim_table");
    let vary = "[[trim.vary]]\nparameter = \"k\"\nlow = 100\nfirst = 300\nhigh = 2000\n";
    let target = "[[trim.target]]\ncolumn = \"mass.z\"\nvalue = \"-20 mm\"\n";
    folder.write("s.toml", &format!("{WEIGHT_ON_SPRING}{vary}{target}"));
    let stiffness = |words: &[&str]| {
        number(&folder.done(&[&["trim", "s.toml", "--json"], words].concat()).json()["parameters"]["k"])
    };
    assert!((stiffness(&[]) - 490.5).abs() < 1e-4);
    assert!((stiffness(&["--target", "mass.z=-0.04"]) - 245.25).abs() < 1e-4);
    let bounded = folder.taut(&["trim", "s.toml", "--vary", "k=100:300:400"]);
    assert!(bounded.code == 1 && bounded.err.contains("cannot be met"), "{bounded:?}");
    // A periodic one, whose period follows the parameters.
    let amplitude = DUFFING_HARMONICS[0].hypot(DUFFING_HARMONICS[1]);
    let vary = "[trim]\nperiod = \"2*pi/w\"\n[[trim.vary]]\nparameter = \"F\"\nlow = 0.1\nfirst = 0.2\nhigh = 0.5\n";
    let target = format!("[[trim.target]]\ncolumn = \"mass.z\"\nstatistic = \"amplitude1\"\nvalue = {amplitude}\n");
    folder.write("d.toml", &format!("{}{vary}{target}", oscillator()));
    let json = folder.done(&["trim", "d.toml", "--json"]).json();
    assert!((number(&json["parameters"]["F"]) - 0.3).abs() < 1e-6, "{json}");
    // The derivative belongs to the parameters found: that of a run beside them.
    let target = format!("mass.z:amplitude1={}", amplitude * 1.001);
    let beside = folder.done(&["trim", "d.toml", "--target", &target, "--json"]).json();
    let slope = 0.001 * amplitude / (number(&beside["parameters"]["F"]) - number(&json["parameters"]["F"]));
    assert!((number(&json["derivatives"][0][0]) / slope - 1.0).abs() < 1e-2, "{json} {slope}");
    // The command line needs something to vary.
    folder.write("plain.toml", WEIGHT_ON_SPRING);
    let missing = folder.taut(&["trim", "plain.toml", "--target", "mass.z=-0.02"]);
    assert!(missing.code == 1 && missing.err.contains("--vary") && missing.err.contains("[trim]"), "{missing:?}");
    folder.write(
        "bad.toml",
        &format!("{WEIGHT_ON_SPRING}[[trim.vary]]\nparameter = \"kk\"\nlow = 1\nfirst = 2\nhigh = 3\n"),
    );
    let bad = folder.taut(&["trim", "bad.toml"]);
    assert!(bad.code == 1 && bad.err.contains("bad.toml:20") && bad.err.contains("`kk`"), "{bad:?}");
}

/// Coefficients that switch in time: products of the exponentials of both parts (SciPy, expm). A stiffness that lasts for a seven-hundredth
/// of the period is not missed; a force that jumps with the motion is rejected by name.
#[test]
fn switches_within_the_period_count_or_are_named() {
    let folder = Folder::new("switches");
    let largest = |force: &str| {
        folder.write(
            "s.toml",
            &WEIGHT_ON_SPRING
                .replace("gravity = [0, 0, -9.81]", "")
                .replace(
                    "rest = 0",
                    "rest = 0\n[forces.f]\ntype = \"formula\"\ncoordinate = \"mass.z\"\nforce = \"FORCE\"",
                )
                .replace("FORCE", force)
                .replace("k = 300", "k = 3"),
        );
        folder.taut(&["periodic", "s.toml", "--period", "pi", "--json"])
    };
    // Meissner's equation: k = 4.5 and 1.5, each for half of the period.
    let found = largest("-1.5*(2*if_pos(sin(2*t), 1, 0) - 1)*s - 0.1*rate").json();
    let expected = 0.463_630_69_f64.hypot(0.717_947_96);
    assert!((number(&found["largest_multiplier"]) - expected).abs() < 1e-7, "{found}");
    let found = largest("cos(2*t) - 0.3*rate - 3000*s*if_pos(sin(2*t) - 0.99999, 1, 0)").json();
    assert!((number(&found["largest_multiplier"]) - 4.371_668_62).abs() < 1e-6, "{found}");
    let jump = largest("cos(2*t) - 0.3*rate - 0.5*if_pos(s, 1, 0)");
    assert!(jump.code == 1 && jump.err.contains("`f` switches at"), "{jump:?}");
}
