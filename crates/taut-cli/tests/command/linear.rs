//! Verbs about small motions: modes, linearize, campbell, response.

use crate::common;

use common::{Folder, PENDULUM};

#[test]
fn modes_of_a_pendulum() {
    let folder = Folder::new("modes");
    folder.write("p.toml", PENDULUM);
    let json = folder.done(&["modes", "p.toml", "--static", "--json", "-o", "run"]).json();
    // A rod hung at its end: ω² = 3 g / 2 l.
    let omega = json["modes"][0]["omega"].as_f64().unwrap();
    assert!((omega - (1.5 * 9.81_f64).sqrt()).abs() < 1e-9, "{omega}");
    assert_eq!((json["eigenvalues"].as_u64(), json["zeros"].as_u64()), (Some(2), Some(0)));
    let shapes = &json["modes"][0]["shapes"]["rod.tip"]["translation"];
    assert!((shapes[0][0].as_f64().unwrap() - 1.0).abs() < 1e-9, "{shapes}");
    assert!(String::from_utf8_lossy(&folder.read("run/modes.json")).contains("frequency_hz"));
    // The start itself does not last.
    let told = folder.done(&["modes", "p.toml"]);
    assert!(told.err.contains("does not last"), "{told:?}");
}

#[test]
fn matrices_and_responses() {
    let folder = Folder::new("linearize");
    folder.write("p.toml", PENDULUM);
    for file in ["a.csv", "a.npz", "a.mat"] {
        let words = ["linearize", "p.toml", "--static", "--input", "rod.tip.fx", "--output", "rod.tip.x", "-o", file];
        folder.done(&words);
        assert_eq!(folder.taut(&words).code, 1, "it is there already");
    }
    let text = String::from_utf8(folder.read("a.csv")).unwrap();
    assert!(text.starts_with("A,2,2\n") && text.contains("\"rod.tip.x\""), "{text}");
    folder.done(&["linearize", "p.toml", "--static", "--form", "second-order", "-o", "b.npz"]);
    let wrong = folder.taut(&["linearize", "p.toml", "--input", "rod.tpi.fx", "-o", "c.csv"]);
    assert!(wrong.code == 1 && wrong.err.contains("rod.tip.fx"), "{wrong:?}");

    let words = ["response", "p.toml", "--static", "--input", "rod.tip.fx", "--output", "rod.tip.x"];
    let table = folder.done(&[&words[..], &["--from", "0.1", "--to", "0.2", "--steps", "2"]].concat()).out;
    // x = l² F / (J (ω₀² − ω²)), J = m l² / 3.
    let first: Vec<f64> = table.lines().nth(1).unwrap().split(',').map(|x| x.parse().unwrap()).collect();
    let exact = 1.0 / (2.0 / 3.0 * (1.5 * 9.81 - (std::f64::consts::TAU * 0.1).powi(2)));
    assert!((first[1] - exact).abs() < 1e-9 * exact && first[2].abs() < 1e-12, "{table} {exact}");
    folder.done(&[&words[..], &["--from", "0.1", "--to", "9", "-o", "r.svg"]].concat());
    folder.done(&["campbell", "p.toml", "--static", "--parameter", "l", "--from", "0.5", "--to", "2", "--steps", "4"]);
    assert_eq!(
        folder.taut(&["response", "p.toml", "--input", "x", "--output", "y", "--from", "0", "--to", "1"]).code,
        1
    );
}
