//! An elastic hingeless blade with lift along it, lengths by R and time by 1/Ω, against Ritz' method and complex shooting:
//!
//! ```text
//!  w⁗/Ô² − ((1 − x²)/2 w′)′ + (s² + s γ x/6) w = γ/6 (x² θ − x λ)
//! ```
//!
//! Beams have errors of even order in the size of their elements: four meshes are extrapolated.

use super::{assert_close, model, requested_eigenvalues, rotating, shipped, text};
use taut::analyses::linear::ModeRequest;
use taut::analyses::{Output, Transient, simulate};

const MESHES: [usize; 4] = [2, 4, 8, 16];

/// Romberg's extrapolation of values whose meshes are halved.
fn extrapolated(values: [f64; 4]) -> f64 {
    let mut list = values.to_vec();
    for order in [4.0, 16.0, 64.0] {
        list = list.windows(2).map(|pair| (order * pair[1] - pair[0]) / (order - 1.0)).collect();
    }
    list[0]
}

/// The two lowest damped flap modes per revolution, real parts and frequencies.
#[test]
fn flap_modes() {
    let expected: [[f64; 2]; 2] =
        [[-0.5256034275760841, 0.9924324311897068], [-0.41064388516094624, 3.3329814299690455]];
    let by_mesh = MESHES.map(|n| {
        let file = model(&text("beam.toml"), &[("n", &n.to_string())]);
        let found = requested_eigenvalues(&file, rotating(), ModeRequest::Lowest(12));
        expected.map(|[re, im]| {
            let off = |x: &&[f64; 2]| (x[0] / 35.0 - re).hypot(x[1] / 35.0 - im);
            *found.iter().min_by(|a, b| off(a).total_cmp(&off(b))).unwrap()
        })
    });
    for (k, tolerance) in [(0, 1e-5), (1, 4e-5)] {
        for i in 0..2 {
            assert_close(extrapolated(by_mesh.map(|modes| modes[k][i])) / 35.0, expected[k][i], tolerance);
        }
    }
}

/// Variational elements, whose errors begin with the fourth order: the third mode as well, relative to its size. With three-node elements
/// the third mode needs 32 elements for 1e-5.
#[test]
fn three_modes_of_variational_elements() {
    let expected: [[f64; 2]; 3] = [
        [-0.5256034275760841, 0.9924324311897068],
        [-0.41064388516094624, 3.3329814299690455],
        [-0.3601495500891308, 7.452719889218122],
    ];
    let text = text("beam.toml").replace("\"three_node\"", "\"variational\"");
    let by_mesh = [3, 6, 12].map(|n: usize| {
        let found = requested_eigenvalues(&model(&text, &[("n", &n.to_string())]), rotating(), ModeRequest::Lowest(14));
        expected.map(|[re, im]| {
            let off = |x: &&[f64; 2]| (x[0] / 35.0 - re).hypot(x[1] / 35.0 - im);
            *found.iter().min_by(|a, b| off(a).total_cmp(&off(b))).unwrap()
        })
    });
    for (k, [re, im]) in expected.into_iter().enumerate() {
        let value = |i: usize| {
            let mut list: Vec<f64> = by_mesh.iter().map(|modes| modes[k][i] / 35.0).collect();
            for order in [16.0, 64.0] {
                list = list.windows(2).map(|pair| (order * pair[1] - pair[0]) / (order - 1.0)).collect();
            }
            list[0]
        };
        assert_close(value(0), re, 1e-5 * re.hypot(im));
        assert_close(value(1), im, 1e-5 * re.hypot(im));
    }
}

/// Deflection of the tip by R, per radian of pitch and per unit of inflow ratio, in the small.
#[test]
fn tip_deflections() {
    let tip = |set: [(&str, &str); 1]| {
        let by_mesh = MESHES.map(|n| {
            let file = model(&text("beam.toml"), &[("n", &*n.to_string()), set[0]]);
            let model = file.build().unwrap();
            let (state, _) = rotating().state(&model, &model.initial_state(), &Transient::default()).unwrap();
            // The last of 2n + 1 nodes, after the hub.
            state.q[7 * (2 * n + 1) + 2]
        });
        extrapolated(by_mesh) / 6.0
    };
    assert_close(tip([("pitch", "1e-4")]) / 1e-4, 0.8999814238769919, 1e-5);
    assert_close(tip([("inflow", "1e-4*speed*R")]) / 1e-4, -1.1344630857731821, 1e-5);
}

/// A hingeless rotor in hover, with the elements that converge fastest: elastica in the flap plane with lift, weight and centrifugal force
/// as a boundary-value problem, and momentum theory (SciPy, solve_bvp).
#[test]
fn hingeless_rotor_in_hover() {
    let text = shipped("air/hingeless_rotor").replace("\"three_node\"", "\"variational\"");
    let found = |n: usize| {
        let file = model(&text, &[("elements", &n.to_string()), ("EA", "1e11")]);
        let model = file.build().unwrap_or_else(|d| panic!("{d}"));
        let (state, _) = rotating().state(&model, &model.initial_state(), &Transient::default()).unwrap();
        let settings = Transient { output: Output::Ends, ..Transient::to(state.t + 1e-9) };
        let table = simulate(&model, &state, &settings).unwrap().table;
        let value = |name: &str| table.get(name).unwrap().data[0];
        [value(&format!("blade0_{}.z", 2 * n)), value("main.thrust"), value("main.torque"), value("main.inflow")]
    };
    let expected = [0.40376647, 30344.555507668276, 12790.581535949746, 10.464805507747563];
    for (n, tolerance) in [(2, 1e-2), (4, 1e-3)] {
        for (found, expected) in found(n).into_iter().zip(expected) {
            assert_close(found / expected, 1.0, tolerance);
        }
    }
}
