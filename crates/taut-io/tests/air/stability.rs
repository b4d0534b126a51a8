//! Eigenvalues of mechanisms in the air.

use super::{assert_close, eigenvalues, model, rotating, text};
use taut::analyses::linear::OperatingPoint;

fn check(found: &[[f64; 2]], expected: &[[f64; 2]], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (found, expected) in found.iter().zip(expected) {
        assert_close(found[0], expected[0], tolerance);
        assert_close(found[1], expected[1], tolerance);
    }
}

/// Flap and lag in hover after Ormiston and Hodges (1972) with the full section law; eigenvalues by complex steps.
#[test]
fn flap_and_lag_in_hover() {
    let text = text("flap_lag.toml");
    let rows = [
        (
            "1.15",
            "1.15",
            "10 deg",
            [[-0.000104523422746583, 1.1514199656629305], [-0.31429062084594483, 1.107018347373574]],
        ),
        (
            "1.15",
            "1.15",
            "25 deg",
            [[0.006652029419820404, 1.1613507641369845], [-0.319563478243283, 1.1129879594474565]],
        ),
        (
            "1.15",
            "1.4",
            "15 deg",
            [[-0.001998126508555742, 1.4001226879412936], [-0.31225527424615407, 1.1127706990537403]],
        ),
        (
            "1.1",
            "0.7",
            "15 deg",
            [[-0.005528559341649142, 0.7069530449832108], [-0.30851658265016396, 1.0507907108364118]],
        ),
        (
            "1.2",
            "1.3",
            "20 deg",
            [[0.0019364454361905092, 1.3024895744879705], [-0.3160311929381858, 1.1666563827121683]],
        ),
    ];
    for (p, lag, pitch, expected) in rows {
        let file = model(&text, &[("p", p), ("omega_lag", lag), ("pitch", pitch)]);
        check(&eigenvalues(&file, rotating()), &expected, 1e-6);
    }
    // The least collective with an unstable pair, at p = ω_ζ = √(4/3).
    for (pitch, sign) in [(0.18259948886082553 - 1e-5, -1.0), (0.18259948886082553 + 1e-5, 1.0)] {
        let pitch = format!("{pitch}");
        let file = model(&text, &[("p", "sqrt(4/3)"), ("omega_lag", "sqrt(4/3)"), ("pitch", &pitch)]);
        assert!(sign * eigenvalues(&file, rotating())[0][0] > 0.0, "{pitch}");
    }
}

/// Whirl of a propeller on its mount by strip theory (Reed and Bland 1961), closed integrals.
#[test]
fn whirl_flutter() {
    let text = text("whirl.toml");
    let rows = [
        ("80", "2e5", [[-1.3519021473413906, 50.89473804756213], [-7.642925439257382, 95.89473804756216]]),
        ("140", "4e5", [[-0.339557432428939, 77.77237271174492], [-9.004563768305538, 122.77237271174491]]),
        ("200", "4e5", [[2.046594405090115, 74.92245133052643], [-11.61091267842624, 119.92245133052643]]),
    ];
    let point = OperatingPoint::default();
    for (V, K, expected) in rows {
        check(&eigenvalues(&model(&text, &[("V", V), ("K", K)]), point), &expected, 1e-6 * 80.0);
    }
    // Boundaries: the speed at K = 4e5, and the stiffness for two ratios of yaw to pitch at 140 m/s.
    let crossing = |name: &str, value: f64, more: &[(&str, &str)], sign: f64| {
        for side in [-1.0, 1.0] {
            let value = format!("{}", value * (1.0 + side * 1e-6));
            let set: Vec<_> = [(name, value.as_str())].into_iter().chain(more.iter().copied()).collect();
            assert!(sign * side * eigenvalues(&model(&text, &set), point)[0][0] > 0.0, "{name} {value}");
        }
    };
    crossing("V", 149.0116480353379, &[("K", "4e5")], 1.0);
    crossing("K", 347400.3461458507, &[], -1.0);
    crossing("K", 177765.6740331611, &[("yaw_ratio", "2")], -1.0);
}

/// The typical section with Wagner's lag: Theodorsen's loads with two exponentials, eigenvalues of the six-state system; its flutter
/// speed is that of Hodges and Pierce, 2.170.
#[test]
fn flutter_of_a_section() {
    let text = text("section.toml");
    let rows: [(&str, [[f64; 2]; 4]); 2] = [
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

/// An elastic blade: Ritz and shooting on its equation; two extrapolations in the size of the elements.
#[test]
fn an_elastic_blade_in_the_air() {
    let text = text("beam.toml");
    let at = |n: &str| {
        let found = eigenvalues(&model(&text, &[("n", n)]), rotating());
        // The first flap mode: the least frequency above zero with strong damping.
        let first = found.iter().filter(|[re, im]| *im > 1.0 && -re / re.hypot(*im) > 0.3);
        first.copied().min_by(|a, b| a[1].total_cmp(&b[1])).unwrap()
    };
    let [a, b, c] = [at("2"), at("4"), at("8")];
    for (i, expected) in [(0, -0.5256034275760841), (1, 0.9924324311897068)] {
        let once = [(4.0 * b[i] - a[i]) / 3.0, (4.0 * c[i] - b[i]) / 3.0];
        let twice = (16.0 * once[1] - once[0]) / 15.0;
        assert_close(twice / 35.0, expected, 2e-4);
    }
}
