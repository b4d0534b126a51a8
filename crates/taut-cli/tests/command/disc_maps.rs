//! Quantities over a rotor disc: `taut plot RUN --disc`.

use crate::common::Folder;
use crate::scenes::shipped;

/// The flapping blade with a disc and columns of its stations.
fn blade(columns: &str, every: &str) -> String {
    let text = std::fs::read_to_string(shipped("air/flapping_blade_in_air")).unwrap();
    let disc = "[discs.main]\ntype = \"none\"\nat = \"ground\"\nradius = 9.3\n[wings.wing]";
    let text = text.replace("[wings.wing]", disc).replace("duration = \"3 s\"", "duration = \"0.6 s\"");
    let text =
        text.replace("control = \"collective\"", &format!("control = \"collective\"\ndisc = \"main\"\n{columns}"));
    let text = text.replace("every = \"0.05 s\"", &format!("every = \"{every}\""));
    text[..text.find("[[expect]]").unwrap()].to_string()
}

#[test]
fn maps_of_the_last_turn_are_drawn() {
    let folder = Folder::new("disc_maps");
    folder.write("b.toml", &blade("columns = \"stations\"", "5 ms"));
    folder.done(&["run", "b.toml"]);
    folder.done(&["plot", "b.run", "--disc", "main", "alpha", "lift", "-o", "map.svg"]);
    let picture = String::from_utf8(folder.read("map.svg")).unwrap();
    for part in ["alpha [rad], last turn of wing", "lift [N/m]", "0° downwind", "270°"] {
        assert!(picture.contains(part), "{part}");
    }
    folder.done(&["plot", "b.run", "--disc", "main", "mach", "-o", "map.png"]);
    assert!(folder.read("map.png").len() > 10_000);
    let wrong = |words: &[&str], parts: &[&str]| {
        let run = folder.taut(&[&["plot", "b.run", "-o", "no.svg"], words].concat());
        assert!(run.code == 1 && parts.iter().all(|part| run.err.contains(part)), "{run:?}");
    };
    wrong(&["--disc", "tail", "alpha"], &["no disc `tail`", "main"]);
    wrong(&["--disc", "main", "alhpa"], &["no column `alhpa`", "alpha, cl, mach"]);
    wrong(&["--disc", "main"], &["which quantity"]);
}

/// A map needs a whole turn, enough rows, and columns of stations.
#[test]
fn runs_without_the_data_of_a_map_are_named() {
    let folder = Folder::new("no_maps");
    let wrong = |columns: &str, every: &str, duration: &str, part: &str| {
        folder.write("b.toml", &blade(columns, every));
        folder.done(&["run", "b.toml", "--force", "--set", &format!("settings.duration={duration}")]);
        let run = folder.taut(&["plot", "b.run", "--disc", "main", "alpha", "-o", "map.svg"]);
        assert!(run.code == 1 && run.err.contains(part), "{run:?}");
    };
    wrong("", "5 ms", "0.4", "columns = \"stations\"");
    wrong("columns = \"stations\"", "0.1 s", "0.6", "only 3 rows");
    wrong("columns = \"stations\"", "5 ms", "0.1", "has made only 0.35 turns");
}

/// The vectors at the stations: their forces add up to that of the wing, and the wind is that of the model.
#[test]
fn vectors_along_a_blade() {
    let folder = Folder::new("air_vectors");
    folder.write("b.toml", &blade("columns = \"vectors\"", "0.1 s"));
    folder.done(&["run", "b.toml"]);
    let table = String::from_utf8(folder.read("b.run/table.csv")).unwrap();
    let names: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    let last: Vec<f64> = table.lines().last().unwrap().split(',').map(|x| x.parse().unwrap()).collect();
    let value = |name: &str| last[names.iter().position(|n| *n == name).unwrap_or_else(|| panic!("{name}"))];
    for axis in ["x", "y", "z"] {
        let sum: f64 = (1..=16).map(|k| value(&format!("wing.s{k}.f{axis}"))).sum();
        let whole = value(&format!("wing.f{axis}"));
        assert!((sum - whole).abs() < 1e-9 * whole.abs().max(1.0), "{axis} {sum} {whole}");
    }
    let wind = ["wx", "wy", "wz"].map(|w| value(&format!("wing.s3.{w}")));
    for (found, given) in wind.into_iter().zip([30.0, 0.0, -4.0]) {
        assert!((found - given).abs() < 1e-12, "{wind:?}");
    }
    let [x, y] = ["x", "y"].map(|c| value(&format!("wing.s3.{c}")));
    assert!((x.hypot(y) - value("wing.s3.radius")).abs() < 1e-9);
    assert!((y.atan2(x) - value("wing.s3.azimuth")).abs() < 1e-9);
}
