//! Periodic motions whose equations change their form within the period, and drivers that prescribe a velocity.

use crate::common::Folder;
use crate::scenes::{WEIGHT_ON_SPRING, number, shipped};
use serde_json::Value;

/// The weight on a spring with a force, without gravity.
fn forced(stiffness: &str, force: &str) -> String {
    let force = format!("rest = 0\n[forces.f]\ntype = \"formula\"\ncoordinate = \"mass.z\"\nforce = \"{force}\"");
    let text = WEIGHT_ON_SPRING.replace("gravity = [0, 0, -9.81]", "").replace("rest = 0", &force);
    text.replace("k = 300", stiffness)
}

fn harmonics(found: &Value, column: &str) -> (f64, Vec<[f64; 2]>) {
    let of = &found["harmonics"][column];
    let list = of["harmonics"].as_array().unwrap_or_else(|| panic!("{found}"));
    (number(&of["mean"]), list.iter().map(|h| [number(&h[0]), number(&h[1])]).collect())
}

/// A square wave: mean 1/2 and sines 2/(n pi) of odd order, also if it jumps where the period begins.
#[test]
fn harmonics_of_columns_that_jump() {
    let folder = Folder::new("jumps");
    for shift in [0.0, 1.0] {
        folder.write("s.toml", &forced("k = 3", &format!("if_pos(sin(2*t + {shift}), 1, 0)")));
        let found =
            folder.done(&["periodic", "s.toml", "--period", "pi", "--harmonics", "f.effort", "-n", "5", "--json"]);
        let (mean, list) = harmonics(&found.json(), "f.effort");
        assert!((mean - 0.5).abs() < 1e-9, "{shift} {mean}");
        for (i, [c, s]) in list.iter().enumerate() {
            let n = i as f64 + 1.0;
            let size = if i % 2 == 0 { 2.0 / (n * std::f64::consts::PI) } else { 0.0 };
            let [cosine, sine] = [size * (n * shift).sin(), size * (n * shift).cos()];
            assert!((c - cosine).abs() < 1e-8 && (s - sine).abs() < 1e-8, "{shift} {n} {c} {s}");
        }
    }
}

/// Shares of the harmonics of Meissner's equation, whose stiffness switches: exponentials of both parts (SciPy).
#[test]
fn shares_of_harmonics_across_switches() {
    let folder = Folder::new("shares");
    folder.write("s.toml", &forced("k = 3", "-1.5*(2*if_pos(sin(2*t), 1, 0) - 1)*s - 0.1*rate"));
    let found = folder.done(&["floquet", "s.toml", "--period", "pi", "--json"]).json();
    let listed = found["modes"][0]["harmonics"].as_array().unwrap_or_else(|| panic!("{found}"));
    let expected = [
        (1.6825180109586833, 0.9014636634588342),
        (0.31748198904131675, 0.0720525557633518),
        (2.3174819890413167, 0.017490128119607415),
        (3.6825180109586677, 0.008170988995132718),
    ];
    for (h, (frequency, share)) in listed.iter().zip(expected) {
        let (f, s) = (number(&h["frequency"]).abs(), number(&h["share"]));
        assert!((f - frequency).abs() < 1e-7 && (s - share).abs() < 1e-6, "{f} {s}: {frequency} {share}");
    }
}

fn blade(rotation: &str) -> String {
    let text = std::fs::read_to_string(shipped("air/flapping_blade_in_air")).unwrap();
    assert!(text.contains("{ position = \"speed*t\" }"));
    text.replace("{ position = \"speed*t\" }", rotation)
}

/// A shaft whose velocity is prescribed keeps its azimuth: the harmonics are those of a prescribed angle.
#[test]
fn the_azimuth_of_a_velocity_driver_stays() {
    let folder = Folder::new("azimuth");
    let [angle, rate] = ["{ position = \"speed*t\" }", "{ velocity = \"speed\" }"].map(|rotation| {
        folder.write("b.toml", &blade(rotation));
        let words = ["periodic", "b.toml", "--period", "2*pi/speed", "--harmonics", "flap.angle", "--json"];
        harmonics(&folder.done(&words).json(), "flap.angle")
    });
    assert!((angle.0 - rate.0).abs() < 1e-9, "{angle:?} {rate:?}");
    for (a, b) in angle.1.iter().zip(&rate.1) {
        assert!((a[0] - b[0]).abs() < 1e-9 && (a[1] - b[1]).abs() < 1e-9, "{angle:?} {rate:?}");
    }
}

/// Half a turn of the shaft is no period, although the flap angle may repeat: the driver is named with its place.
#[test]
fn a_shaft_that_has_made_half_a_turn_is_named() {
    let folder = Folder::new("half_turn");
    for rotation in ["{ position = \"speed*t\" }", "{ velocity = \"speed\" }"] {
        folder.write("b.toml", &blade(rotation));
        let wrong = folder.taut(&["periodic", "b.toml", "--period", "pi/speed"]);
        assert!(wrong.code == 1 && wrong.err.contains("`shaft`") && wrong.err.contains("b.toml:48"), "{wrong:?}");
    }
}
