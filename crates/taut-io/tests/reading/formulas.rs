//! Names in formulas, measures by formula, and initial values of coordinates, from model files.

use std::path::Path;
use taut::analyses::{Transient, simulate};
use taut_io::model::{ModelFile, parse};

fn file(text: &str) -> ModelFile {
    let found = parse(text, Path::new("model.toml"), &[]);
    found.unwrap_or_else(|e| panic!("{}", e.iter().map(|d| format!("{d}\n")).collect::<String>()))
}

/// A slider-crank: crank of 0.1 m, rod of 0.3 m.
const SLIDER_CRANK: &str = r#"
taut = 2
[params]
r = "100 mm"
l = "300 mm"
[bodies.crank]
type = "planar"
mass = 1
inertia = 0.01
markers = { tip = ["r", 0] }
[bodies.rod]
type = "planar"
mass = 1
inertia = 0.01
position = ["r", 0]
markers = { end = ["l", 0] }
[bodies.piston]
type = "planar"
mass = 1
inertia = 0.01
position = ["r + l", 0]
[joints.main]
type = "pin"
a = "ground"
b = "crank"
[joints.knee]
type = "pin"
a = "crank.tip"
b = "rod"
[joints.wrist]
type = "pin"
a = "rod.end"
b = "piston"
[joints.guide]
type = "slider"
a = "ground"
b = "piston"
"#;

fn last(file: &ModelFile, column: &str, t: f64) -> f64 {
    let model = file.build().unwrap_or_else(|d| panic!("{d}"));
    let run = simulate(&model, &file.state(&model), &Transient::to(t).tolerance(1e-9, 1e-9)).unwrap();
    run.last(column).unwrap()
}

#[test]
fn hard_initial_values_are_met_exactly() {
    let start = "[start]\n\"main.angle\" = \"60 deg\"\n\"main.angle.rate\" = \"2 rad/s\"\n";
    let file = file(&format!("{SLIDER_CRANK}{start}"));
    let model = file.build().unwrap();
    let state = model.initial_state();
    let angle = std::f64::consts::FRAC_PI_3;
    assert!((state.q[2] - angle).abs() < 1e-12 && (state.v[2] - 2.0).abs() < 1e-12, "{state:?}");
    // The piston follows: x = r cos a + sqrt(l² − r² sin² a).
    let x = 0.1 * angle.cos() + (0.09 - 0.01 * angle.sin().powi(2)).sqrt();
    assert!((state.q[6] - x).abs() < 1e-12, "{} {x}", state.q[6]);
    assert!(file.missed_targets().is_empty());
    // Dotted keys without quotes are the same, and the resolved file gives the same start.
    let dotted = self::file(&format!("{SLIDER_CRANK}[start]\nmain.angle = \"60 deg\"\n"));
    assert!((dotted.build().unwrap().initial_state().q[2] - angle).abs() < 1e-12);
    let again = self::file(&file.write().unwrap());
    assert_eq!(again.build().unwrap().initial_state(), state);
}

#[test]
fn a_weak_initial_value_out_of_reach_is_met_as_nearly_as_possible() {
    let start = "[start]\nmain.angle = { value = \"60 deg\", priority = \"strong\" }\n\"guide.slide\" = { value = 0.35, priority = \"weak\" }\n";
    let file = file(&format!("{SLIDER_CRANK}{start}"));
    // The strong value determines the pose, so the weak one is missed.
    let state = file.build().unwrap().initial_state();
    assert!((state.q[2] - std::f64::consts::FRAC_PI_3).abs() < 1e-9, "{state:?}");
    let missed: Vec<String> = file.missed_targets().iter().map(|d| d.to_string()).collect();
    assert!(missed.len() == 1 && missed[0].contains("guide.slide"), "{missed:?}");
    // Beyond the stretched pose.
    let far = self::file(&format!("{SLIDER_CRANK}[start]\n\"guide.slide\" = {{ value = 0.6, priority = \"weak\" }}\n"));
    assert!((far.build().unwrap().initial_state().q[6] - 0.4).abs() < 1e-10);
}

#[test]
fn contradictory_hard_values_are_named() {
    let start = "[start]\n\"main.angle\" = \"60 deg\"\n\"guide.slide\" = 0.6\n";
    let error = file(&format!("{SLIDER_CRANK}{start}")).build().unwrap_err().to_string();
    assert!(
        error.contains("the initial values of `guide.slide` cannot be met") && error.contains("model.toml:"),
        "{error}"
    );
    // Each can be met alone.
    let start = "[start]\n\"main.angle\" = \"60 deg\"\n\"guide.slide\" = 0.35\n";
    let error = file(&format!("{SLIDER_CRANK}{start}")).build().unwrap_err().to_string();
    assert!(error.contains("of `main.angle`, `guide.slide` cannot be met"), "{error}");
}

#[test]
fn definitions_signals_and_joint_coordinates_act_as_the_written_out_formula() {
    let long = r#"
[forces.drive]
type = "formula"
coordinate = "main.angle"
force = "0.5*sin(3*t) - 0.2*(crank.omega - 0.1*sin(3*t))*abs(crank.omega - 0.1*sin(3*t))"
"#;
    let short = r#"
[signals]
wave = "sin(3*t)"
[forces.drive]
type = "formula"
coordinate = "main.angle"
force = "0.5*wave - 0.2*drag"
definitions = { drag = "slip*abs(slip)", slip = "main.angle.rate - gain*wave", gain = 0.1 }
"#;
    let at = |text: &str| last(&file(&format!("{SLIDER_CRANK}{text}")), "crank.theta", 1.0);
    assert!((at(long) - at(short)).abs() < 1e-9);
}

#[test]
fn formulas_of_time_use_signals_and_definitions() {
    let text = r#"
[signals]
ramp = { type = "smooth_step", t0 = 0, t1 = 1, y0 = 0, y1 = 2 }
[drivers.motor]
coordinate = "main.angle"
position = "half*ramp + [0.1 rad]*t"
definitions = { half = 0.5 }
"#;
    assert!((last(&file(&format!("{SLIDER_CRANK}{text}")), "crank.theta", 1.0) - 1.1).abs() < 1e-9);
}

#[test]
fn measures_by_formula_have_units_and_rates() {
    let text = r#"
[measures]
gap = { distance = { a = "ground", b = "rod.end" } }
lift = { formula = "gap - shortest", unit = "mm", definitions = { shortest = "l - r" } }
twice = { formula = "2*lift", unit = "cm" }
lean = { formula = "main.angle", unit = "deg" }
[drivers.motor]
coordinate = "main.angle"
position = "t"
"#;
    let file = file(&format!("{SLIDER_CRANK}{text}"));
    let angle = 0.5_f64;
    let x = 0.1 * angle.cos() + (0.09 - 0.01 * angle.sin().powi(2)).sqrt();
    assert!((last(&file, "lift", 0.5) - 1e3 * (x - 0.2)).abs() < 1e-6);
    assert!((last(&file, "twice", 0.5) - 2e2 * (x - 0.2)).abs() < 1e-6);
    assert!((last(&file, "lean", 0.5) - angle.to_degrees()).abs() < 1e-6);
    assert!((last(&file, "lean.rate", 0.5) - 1f64.to_degrees()).abs() < 1e-6);
    let rate = -0.1 * angle.sin() - 0.01 * angle.sin() * angle.cos() / (0.09 - 0.01 * angle.sin().powi(2)).sqrt();
    assert!((last(&file, "lift.rate", 0.5) - 1e3 * rate).abs() < 1e-5);
    let again = self::file(&file.write().unwrap());
    assert_eq!(last(&again, "lift", 0.5), last(&file, "lift", 0.5));
}
