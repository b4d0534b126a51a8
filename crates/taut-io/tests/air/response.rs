//! Flapping of the standard rigid blade: periodic motion, from shooting and Fourier collocation of its equation of motion.

use super::{assert_close, model, run, text};
use std::f64::consts::TAU;

/// Mean, cosine and sine parts of the flap angle over the last revolution, which has 32 rows.
fn harmonics(text: &str, set: &[(&str, &str)]) -> (f64, Vec<[f64; 2]>) {
    let found = run(&model(text, set));
    let flap = found.column("flap.angle").unwrap();
    let last = &flap[flap.len() - 32..];
    // The last row is at azimuth zero.
    let part = |k: usize, wave: fn(f64) -> f64| {
        let sum: f64 = last.iter().enumerate().map(|(i, b)| b * wave(TAU * (k * (i + 1)) as f64 / 32.0)).sum();
        sum / 16.0
    };
    (part(0, f64::cos) / 2.0, (1..=4).map(|k| [part(k, f64::cos), part(k, f64::sin)]).collect())
}

fn check((mean, parts): (f64, Vec<[f64; 2]>), expected: f64, harmonics: [[f64; 2]; 4], tolerance: f64) {
    assert_close(mean, expected, tolerance);
    for (found, expected) in parts.iter().flatten().zip(harmonics.iter().flatten()) {
        assert_close(*found, *expected, tolerance);
    }
}

const CYCLIC: [(&str, &str); 2] = [("cyclic_c", "2 deg"), ("cyclic_s", "-3 deg")];

#[test]
fn a_collective_angle_gives_the_cone() {
    let (mean, parts) = harmonics(&text("flap.toml"), &[]);
    assert_close(mean, 0.07309799969385478, 1e-7);
    assert!(parts.iter().flatten().all(|x| x.abs() < 1e-7), "{parts:?}");
}

#[test]
fn cyclic_pitch_tilts_the_cone() {
    let expected = [
        [0.05266102217208522, 0.03526526055730253],
        [3.582659439388935e-05, -2.478603913281466e-05],
        [5.242271908988291e-06, -5.8999296568599985e-06],
        [-1.1311956525089708e-08, -9.505485146373206e-09],
    ];
    check(harmonics(&text("flap.toml"), &CYCLIC), 0.0734519036610603, expected, 1e-7);
}

#[test]
fn cyclic_pitch_tilts_the_cone_with_a_spring() {
    let set: Vec<_> = CYCLIC.into_iter().chain([("spring", "0.15")]).collect();
    let expected = [
        [0.056785769071891555, 0.02660431462038656],
        [4.4426067854044965e-05, -1.8987668793944812e-05],
        [3.0172062133636898e-06, -6.150036235968491e-06],
        [-9.849698878790395e-09, -6.321499428628636e-09],
    ];
    check(harmonics(&text("flap.toml"), &set), 0.06380371194635578, expected, 1e-7);
}

#[test]
fn delta_three_turns_flap_into_pitch() {
    let set: Vec<_> = CYCLIC.into_iter().chain([("delta3", "tan(30*pi/180)")]).collect();
    let expected = [
        [0.05470584743166493, 0.0034284855804908162],
        [5.32983531609934e-06, -2.9507707998454796e-05],
        [-4.203467382096179e-06, -3.4871704570267346e-06],
        [-3.0002749756099034e-09, 7.55896019815928e-09],
    ];
    check(harmonics(&text("flap.toml"), &set), 0.04649092587627862, expected, 1e-7);
}

const FORWARD: [(&str, &str); 4] = [("mu", "0.3"), ("pitch", "9 deg"), ("cyclic_s", "-5 deg"), ("lambda", "0.045")];

/// The sine polar ignores reversed flow, as classical theory does.
#[test]
fn forward_flight_without_reversed_flow() {
    let expected = [
        [-0.00027775989994755586, -0.030207037080606],
        [-0.005592021335924463, 0.0019896180781347147],
        [-0.0003314472248987927, -0.00022323762085021563],
        [-3.0118205506812995e-05, -2.0922881147541143e-05],
    ];
    let text = text("flap.toml").replace("type = \"linear\"", "type = \"sine\"");
    check(harmonics(&text, &FORWARD), 0.07609805126793655, expected, 1e-7);
}

#[test]
fn forward_flight_with_reversed_flow() {
    let expected = [
        [-0.0017897049976598007, -0.030029846160693936],
        [-0.00591849048196685, 0.0021321197428476255],
        [-0.0003517424244667465, -0.00017504437110866947],
        [-2.2294334503253656e-05, -1.8938479339202334e-05],
    ];
    let text = text("flap.toml")
        .replace("type = \"linear\"", "type = \"plate\"")
        .replace("stations = 16", "stations = 6\npanels = 4")
        .replace("rtol = 1e-10", "rtol = 1e-8");
    check(harmonics(&text, &FORWARD), 0.07511042246515919, expected, 1e-6);
}

const SLOW: [(&str, &str); 4] = [("mu", "0.15"), ("cyclic_s", "-2 deg"), ("lambda", "0.035"), ("pitch", "8 deg")];

#[test]
fn slow_flight_without_reversed_flow() {
    let expected = [
        [-0.009682534195406586, -0.017703001725170055],
        [-0.001568854323573962, 0.0005281942994900667],
        [-4.4627519092885665e-05, -2.7195555340291693e-05],
        [-2.0104838527413295e-06, -1.347269191930151e-06],
    ];
    let text = text("flap.toml").replace("type = \"linear\"", "type = \"sine\"");
    check(harmonics(&text, &SLOW), 0.0888431469243944, expected, 1e-7);
}

#[test]
fn slow_flight_with_reversed_flow() {
    let expected = [
        [-0.010075014250827812, -0.017637179524596685],
        [-0.0016054525613512225, 0.0005424830444347806],
        [-4.618301437010625e-05, -2.439259516797596e-05],
        [-1.471863561707934e-06, -1.2675806908278159e-06],
    ];
    let text = text("flap.toml")
        .replace("type = \"linear\"", "type = \"plate\"")
        .replace("stations = 16", "stations = 6\npanels = 4")
        .replace("rtol = 1e-10", "rtol = 1e-8");
    check(harmonics(&text, &SLOW), 0.08835756040575461, expected, 1e-6);
}
