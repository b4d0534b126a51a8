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
    let drawn = [&words[..], &["--from", "0.1", "--to", "9", "-o", "r.svg"]].concat();
    folder.done(&drawn);
    let there = folder.taut(&drawn);
    assert!(there.code == 1 && there.err.contains("there already"), "{there:?}");
    folder.done(&[&drawn[..], &["--force"]].concat());
    let picture = String::from_utf8(folder.read("r.svg")).unwrap();
    assert!(picture.contains("|rod.tip.x / rod.tip.fx| [m/N]"), "{picture}");
    folder.done(&["campbell", "p.toml", "--static", "--parameter", "l", "--from", "0.5", "--to", "2", "--steps", "4"]);
    assert_eq!(
        folder.taut(&["response", "p.toml", "--input", "x", "--output", "y", "--from", "0", "--to", "1"]).code,
        1
    );
}

#[test]
fn campbell_draws_multiples_of_a_speed() {
    let folder = Folder::new("campbell");
    folder.write("p.toml", PENDULUM);
    let words = ["campbell", "p.toml", "--static", "--steps", "4", "--from", "0.5", "--to", "2", "--parameter", "l"];
    let drawn = |more: &[&str]| {
        folder.done(&[&words[..], &["-o", "c.svg", "--force"], more].concat());
        String::from_utf8(folder.read("c.svg")).unwrap()
    };
    // A length is no speed.
    assert!(!drawn(&[]).contains(">1P<"));
    // The same numbers in rpm would be one, but a length in rpm is refused: only what a speed is can be given so.
    let wrong = folder.taut(&[&words[..], &["--unit", "rpm", "-o", "d.svg"]].concat());
    assert_eq!(wrong.code, 1, "{wrong:?}");
    let there = folder.taut(&[&words[..], &["-o", "c.svg"]].concat());
    assert!(there.code == 1 && there.err.contains("there already"), "{there:?}");
    folder.done(&["modes", "p.toml", "--static", "-o", "run"]);
    let there = folder.taut(&["modes", "p.toml", "--static", "-o", "run"]);
    assert!(there.code == 1 && there.err.contains("there already"), "{there:?}");
    folder.done(&["modes", "p.toml", "--static", "-o", "run", "--force"]);

    let blade = format!("{}/../../models/modes/rotating_cantilever.toml", env!("CARGO_MANIFEST_DIR"));
    let about = ["campbell", &blade, "--parameter", "omega", "--from", "0", "--to", "12", "--steps", "4", "-n", "4"];
    let about = [&about[..], &["--unit", "rad/s", "--static", "--rotating-about", "z", "-o"]].concat();
    folder.done(&[&about[..], &["lines.svg"]].concat());
    folder.done(&[&about[..], &["plain.svg", "--per-revolution", "0"]].concat());
    let [lines, plain] = ["lines.svg", "plain.svg"].map(|f| String::from_utf8(folder.read(f)).unwrap());
    assert!(lines.contains(">1P<") && lines.contains(">3P<"), "{lines}");
    assert!(!plain.contains(">1P<"));
}
