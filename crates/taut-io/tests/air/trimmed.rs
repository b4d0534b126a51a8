//! Trim of a rotor in a wind tunnel, its flap motion and the loads on its hub: Fourier collocation and shooting of the equations of
//! motion, hub forces again from accelerations in inertial axes.

use super::{assert_close, model, text};
use std::f64::consts::TAU;
use taut::analyses::{PeriodicSettings, SmallMotions, TrimParameter, TrimTarget, periodic, trim};

const CONTROLS: [f64; 3] = [0.13196665979519792, 0.020861937379342572, -0.05453246840944424];
const THRUST: f64 = 36658.804851767796;

/// Mean and harmonics of columns with these controls.
fn harmonics(controls: &[f64], columns: &[&str]) -> Vec<taut::analyses::ColumnHarmonics> {
    let values: Vec<String> = controls.iter().map(|x| format!("{x:?}")).collect();
    let set = [("theta0", &*values[0]), ("theta1c", &*values[1]), ("theta1s", &*values[2])];
    let file = model(&text("trim.toml"), &set);
    let model = file.build().unwrap_or_else(|d| panic!("{d}"));
    let settings = PeriodicSettings {
        transient: file.transient.clone(),
        tolerance: 1e-10,
        small_motions: SmallMotions::Omitted,
        ..PeriodicSettings::with_period(TAU / 35.0)
    };
    let motion = periodic(&model, &model.initial_state(), &settings).unwrap();
    motion.harmonics(columns, 8, &file.transient).unwrap()
}

#[test]
fn loads_of_the_trimmed_rotor() {
    let found = harmonics(&CONTROLS, &["shaft.fx", "shaft.fy", "shaft.fz", "shaft.mz", "flap0.angle", "main.inflow"]);
    // Mean, 4 and 8 per revolution; the shaft holds the hub with the opposite force.
    let hub: [[f64; 3]; 4] = [
        [135.5784288360993, 43.60269890163232, 0.00852492768339905],
        [-400.52040732990497, 43.2780157866841, 0.010186145268082192],
        [36658.804851769295, 5.800288316290035, 0.0027909712998692706],
        [-11229.824313120569, 79.96259539690351, 0.009831230378111898],
    ];
    for (column, [mean, four, eight]) in found.iter().zip(hub) {
        assert_close(-column.mean, mean, 1e-5 * mean.abs());
        assert_close(column.amplitude(4), four, 1e-3 * four);
        // 1e-8 of the thrust, the error of the run.
        assert_close(column.amplitude(8), eight, 3e-4);
        for n in [1, 2, 3, 5, 6, 7] {
            assert!(column.amplitude(n) < 1e-4, "{} {n}: {}", column.name, column.amplitude(n));
        }
    }
    let flap = [
        [0.0, 0.0],
        [-0.0025371689000691197, 0.0008610924262545524],
        [-9.504642794220047e-05, -4.9603630211148694e-05],
        [-5.458417313863626e-06, -3.485511763908837e-06],
        [-1.439853273398078e-07, -1.5176936505303272e-07],
        [-2.171379220317334e-09, -7.957662338488849e-09],
    ];
    assert_close(found[4].mean, 0.0795413518604686, 1e-7);
    for (found, expected) in found[4].harmonics.iter().zip(flap) {
        assert_close(found[0], expected[0], 1e-7);
        assert_close(found[1], expected[1], 1e-7);
    }
    assert_close(found[5].mean, 3.1096927852481797, 1e-5);
}

#[test]
fn controls_for_thrust_without_first_harmonic_of_flap() {
    let unknown =
        |name: &str, start: f64| TrimParameter { name: name.to_string(), start, bounds: [-0.3, 0.3], size: 0.1 };
    let target = |name: &str, value: f64, tolerance: f64| TrimTarget { name: name.to_string(), value, tolerance };
    let found = trim(
        &[unknown("theta0", 0.13), unknown("theta1c", 0.02), unknown("theta1s", -0.05)],
        &[target("thrust", THRUST, 1e-3), target("cosine", 0.0, 1e-9), target("sine", 0.0, 1e-9)],
        10,
        |controls| {
            let found = harmonics(controls, &["main.thrust", "flap0.angle"]);
            Ok::<_, std::fmt::Error>(vec![found[0].mean, found[1].harmonics[0][0], found[1].harmonics[0][1]])
        },
    )
    .unwrap();
    for (found, expected) in found.parameters.iter().zip(CONTROLS) {
        assert_close(*found, expected, 1e-7);
    }
}
