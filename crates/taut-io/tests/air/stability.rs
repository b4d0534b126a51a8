//! Eigenvalues of mechanisms in the air.

use super::{assert_close, eigenvalues, model, run, text};
use taut::analyses::linear::OperatingPoint;

fn check(found: &[[f64; 2]], expected: &[[f64; 2]], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (found, expected) in found.iter().zip(expected) {
        assert_close(found[0], expected[0], tolerance);
        assert_close(found[1], expected[1], tolerance);
    }
}

/// Whirl of a propeller on its mount by strip theory (Reed and Bland 1961), closed integrals.
#[test]
fn whirl_flutter() {
    let text = text("whirl.toml");
    let rows = [
        ("80", "200000", [[-1.3519021473413906, 50.89473804756213], [-7.642925439257382, 95.89473804756216]]),
        ("140", "200000", [[1.527078889587834, 48.73033205669795], [-10.57830687150889, 93.73033205669796]]),
        ("200", "200000", [[5.186370483435944, 44.89699309581067], [-14.45779553795866, 89.8969930958108]]),
        ("80", "400000", [[-2.3456235972596566, 79.38639022635776], [-6.942097208152559, 124.38639022635773]]),
        ("140", "400000", [[-0.339557432428939, 77.77237271174492], [-9.004563768305538, 122.77237271174491]]),
        ("200", "400000", [[2.046594405090115, 74.92245133052643], [-11.61091267842624, 119.92245133052643]]),
        ("80", "800000", [[-3.17793151456444, 120.24588339463664], [-6.524002853220869, 165.2458833946366]]),
        ("140", "800000", [[-1.7776950287565363, 119.07478289658205], [-7.98063973435103, 164.07478289658212]]),
        ("200", "800000", [[-0.18752499831250447, 117.018941853006], [-9.791006837396683, 162.01894185300588]]),
    ];
    let point = OperatingPoint::default();
    for (V, K, expected) in rows {
        check(&eigenvalues(&model(&text, &[("V", V), ("K", K)]), point), &expected, 1e-6 * 80.0);
    }
    // Boundaries: the speed at K = 4e5, and the stiffness for ratios of yaw to pitch at 140 m/s.
    let crossing = |name: &str, value: f64, more: &[(&str, &str)], sign: f64| {
        for side in [-1.0, 1.0] {
            let value = format!("{}", value * (1.0 + side * 1e-6));
            let set: Vec<_> = [(name, value.as_str())].into_iter().chain(more.iter().copied()).collect();
            assert!(sign * side * eigenvalues(&model(&text, &set), point)[0][0] > 0.0, "{name} {value}");
        }
    };
    crossing("V", 149.0116480353379, &[("K", "4e5")], 1.0);
    crossing("K", 347400.3461458507, &[("yaw_ratio", "1")], -1.0);
    crossing("K", 246536.10024073944, &[("yaw_ratio", "1.5")], -1.0);
    crossing("K", 177765.6740331611, &[("yaw_ratio", "2")], -1.0);
    crossing("K", 111325.19458493905, &[("yaw_ratio", "3")], -1.0);
}

/// The typical section with Wagner's lag: Theodorsen's loads with two exponentials, eigenvalues of the six-state system; its flutter
/// speed is that of Hodges and Pierce, 2.170.
#[test]
fn flutter_of_a_section() {
    let text = text("section.toml");
    let rows: [(&str, [[f64; 2]; 4]); 4] = [
        (
            "1",
            [
                [-0.03511930034124011, 0.4037209216010911],
                [-0.03922944402655254, 0.9604900951809955],
                [-0.044205554819392444, 0.0],
                [-0.27505106758407166, 0.0],
            ],
        ),
        (
            "1.5",
            [
                [-0.06287135819936204, 0.0],
                [-0.06498093853705748, 0.8814898529086902],
                [-0.07057433781837442, 0.42861860355619613],
                [-0.3679492557983482, 0.0],
            ],
        ),
        (
            "2",
            [
                [-0.0660515138910865, 0.7029860591939241],
                [-0.07268619117021888, 0.0],
                [-0.17273606335435784, 0.5214911134107169],
                [-0.3856468766169919, 0.0],
            ],
        ),
        (
            "2.5",
            [
                [0.08448006442288736, 0.6012187997578414],
                [-0.050697134440203365, 0.0],
                [-0.2748822279982056, 0.0],
                [-0.5066330221274953, 0.5518971114099244],
            ],
        ),
    ];
    let point = OperatingPoint::default();
    for (U, expected) in rows {
        check(&eigenvalues(&model(&text, &[("U", U)]), point), &expected, 1e-7);
    }
    let speeds =
        [("wagner", 2.1703618927621107, 0.6443335948854321), ("quasi_steady", 0.9376493120753752, 0.9411367576630255)];
    for (kind, speed, frequency) in speeds {
        let text = text.replace("\"wagner\"", &format!("\"{kind}\""));
        for side in [-1.0, 1.0] {
            let U = format!("{}", speed * (1.0 + side * 1e-6));
            let [re, im] = eigenvalues(&model(&text, &[("U", &U)]), point)[0];
            assert!(side * re > 0.0, "{kind} {U}");
            assert_close(im, frequency, 2e-6);
        }
    }
}

/// Divergence: the moment of the steady lift exceeds the spring, whatever the lag.
#[test]
fn divergence_of_a_section() {
    for side in [-1.0, 1.0] {
        let U = format!("{}", 8.0_f64.sqrt() * (1.0 + side * 1e-6));
        let found = eigenvalues(&model(&text("section.toml"), &[("U", &U)]), OperatingPoint::default());
        let real = found.iter().filter(|[_, im]| *im == 0.0).map(|[re, _]| *re).fold(f64::MIN, f64::max);
        assert!(side * real > 0.0, "{U}: {found:?}");
    }
}

/// The lift after a step of downwash, over the distance travelled in semi-chords: 1 − 0.165 e^(−0.0455 s) − 0.335 e^(−0.3 s), within
/// 1 % of Wagner's function.
#[test]
fn the_lift_after_a_step_follows_wagner() {
    // s, Wagner's function, its approximation by two exponentials.
    let rows = [
        (0.5, 0.5556638684052635, 0.5503742009581296),
        (1.0, 0.6006084057601381, 0.5941651616472521),
        (2.0, 0.6692895648483278, 0.6655001796101223),
        (5.0, 0.7882031666442199, 0.7938251968031897),
        (10.0, 0.8750408044192525, 0.8786374173853079),
        (20.0, 0.936646245244756, 0.9327531210552668),
    ];
    let found = run(&model(&text("wagner.toml"), &[]));
    let (t, lift) = (found.column("t").unwrap(), found.column("wing.s1.lift").unwrap());
    for (s, wagner, expected) in rows {
        let k = t.iter().position(|t| (t - s).abs() < 1e-9).unwrap();
        // The steady lift is πρcU² times the angle, 1e-4.
        assert_close(lift[k] / (2.0 * std::f64::consts::PI * 1e-4), expected, 2e-6);
        assert_close(expected, wagner, 0.01);
    }
}
