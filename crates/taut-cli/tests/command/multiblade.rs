//! Multiblade coordinates, from model files.

use crate::common;

use common::Folder;
use serde_json::Value;

/// Hammond's rotor, which comes with the program.
fn rotor() -> String {
    format!("{}/../../models/modes/hammond_rotor.toml", env!("CARGO_MANIFEST_DIR"))
}

const ABOUT: [&str; 4] = ["--rotating-about", "z", "--multiblade", "blade"];

fn modes(folder: &Folder, more: &[&str]) -> Value {
    folder.done(&[&["modes", &rotor(), "--json", "-n", "20"], &ABOUT[..], more].concat()).json()
}

/// (real part, frequency, label) of all modes.
fn listed(found: &Value) -> Vec<(f64, f64, String)> {
    let number = |x: &Value| x.as_f64().unwrap();
    let one = |m: &Value| {
        (number(&m["eigenvalue"][0]), number(&m["eigenvalue"][1]), m["label"].as_str().unwrap().to_string())
    };
    found["modes"].as_array().unwrap().iter().map(one).collect()
}

/// Eigenvalues of cyclic lag and support in axes that do not turn [Hammond1974]; multiblade matrix of the linear equations, equal to
/// the monodromy of single blades to 1e-14. Rows: rpm, then real and imaginary parts.
const HAMMOND: [(&str, [[f64; 2]; 4]); 3] = [
    (
        "100",
        [
            [-2.06051941888662, 8.316649552877173],
            [-1.8707235414194623, 10.863687175869874],
            [-2.765508351198889, 13.140736783455722],
            [-3.904395003655084, 19.26186900161867],
        ],
    ),
    (
        "250",
        [
            [-3.0944374620710766, 11.782945834004108],
            [-4.438014495484871, 17.3492720579856],
            [-0.3295252430316711, 18.539244863651625],
            [-2.7391691145724435, 36.214738321490756],
        ],
    ),
    (
        "400",
        [
            [-3.050578515002455, 11.768402945070093],
            [-3.6332818690762183, 18.171803165259576],
            [-1.315024426528395, 28.711994692770247],
            [-2.6022615045529767, 57.60143542105354],
        ],
    ),
];

#[test]
fn hammonds_rotor_in_multiblade_coordinates() {
    let folder = Folder::new("multiblade");
    for (rpm, expected) in HAMMOND {
        let speed = format!("W={rpm} rpm");
        let found = modes(&folder, &["--set", &speed]);
        assert_eq!(found["eigenvalues"].as_u64(), Some(12));
        assert!(found["periodicity"].as_f64().unwrap() < 1e-7, "{found}");
        let all = listed(&found);
        for [re, im] in expected {
            let size = re.hypot(im);
            let near = all.iter().map(|m| (m.0 - re).hypot(m.1 - im)).fold(f64::INFINITY, f64::min);
            assert!(near < 1e-7 * size, "{rpm} rpm: {re} {im} in {all:?}");
        }
    }
    // The mode that a ground resonance would drive is regressive, the fastest one progressive; collective and differential lag have
    // equal eigenvalues.
    let all = listed(&modes(&folder, &[]));
    let labelled = |re: f64, im: f64| {
        &all.iter().min_by(|a, b| (a.0 - re).hypot(a.1 - im).total_cmp(&(b.0 - re).hypot(b.1 - im))).unwrap().2
    };
    assert_eq!(labelled(-0.3295252430316711, 18.539244863651625), "regressive 1");
    assert_eq!(labelled(-2.7391691145724435, 36.214738321490756), "progressive 1");
    let w = 250.0 * std::f64::consts::TAU / 60.0;
    let (re, square) = (-4067.5 / (2.0 * 1084.7), w * w * 0.3048 * 289.1 / 1084.7);
    let same: Vec<_> = all.iter().filter(|m| (m.0 - re).hypot(m.1 - (square - re * re).sqrt()) < 1e-6).collect();
    let mut labels: Vec<&str> = same.iter().map(|m| m.2.as_str()).collect();
    labels.sort_unstable();
    assert_eq!(labels, ["collective", "differential"], "{all:?}");
}

/// The averaged equations call the rotor with an inoperative damper stable, and a warning says that they are averaged. Reference for
/// 250 rpm: the linear equations with the mean damper.
#[test]
fn averaging_is_said_to_be_averaging() {
    let folder = Folder::new("averaged");
    let file = rotor();
    let words = [&["modes", &file, "--json", "-n", "20", "--set", "c0=0"], &ABOUT[..]].concat();
    let run = folder.done(&words);
    assert!(run.err.contains("still vary") && run.err.contains("taut floquet"), "{run:?}");
    let largest = listed(&run.json()).iter().fold(f64::NEG_INFINITY, |a, m| a.max(m.0));
    assert!((largest + 0.023022432086323222).abs() < 1e-6, "{largest}");
}

/// Classical ground resonance [ColemanFeingold1958]: roots of the quartic in the whirl frequency at 45 rad/s. The frame has a mass of a
/// millionth of a kilogram, because the model has one body per direction.
#[test]
fn colemans_rotor_has_the_roots_of_the_quartic() {
    let folder = Folder::new("coleman");
    let values = ["N=3", "mb=30", "Sb=75", "Ib=250", "r=0.2", "kb=1500", "cb=0", "c0=0", "mx=1200.000001", "my=1200"];
    let more = ["cx=0", "cy=0", "kx=1.2e6", "ky=1.2e6", "W=45"];
    let set: Vec<&str> = values.iter().chain(&more).flat_map(|v| ["--set", v]).collect();
    let all = listed(&modes(&folder, &set));
    let own = ((1500.0 + 45.0 * 45.0 * 0.2 * 75.0) / 250.0_f64).sqrt();
    let expected = [
        [0.0, 30.56670591906864],
        [3.4989019859982684, 30.97002626019617],
        [-3.4989019859982684, 30.97002626019617],
        [0.0, 61.044563846437505],
        [0.0, own],
    ];
    assert_eq!(all.len(), 5, "{all:?}");
    for [re, im] in expected {
        let near = all.iter().map(|m| (m.0 - re).hypot(m.1 - im)).fold(f64::INFINITY, f64::min);
        assert!(near < 1e-8 * im, "{re} {im} in {all:?}");
    }
}

#[test]
fn over_speed_and_as_matrices() {
    let folder = Folder::new("multiblade_files");
    let file = rotor();
    let over = ["campbell", &file, "--parameter", "W", "--unit", "rpm", "--from", "100", "--to", "400", "--steps", "3"];
    folder.done(&[&over[..], &ABOUT[..], &["-o", "h.svg"]].concat());
    assert!(String::from_utf8(folder.read("h.svg")).unwrap().contains(">1P<"));
    folder.done(&[&["linearize", &file, "-o", "h.csv"], &ABOUT[..]].concat());
    let text = String::from_utf8(folder.read("h.csv")).unwrap();
    assert!(text.starts_with("A,12,12\n") && text.contains("cosine1 xi(blade0.omega)"), "{text}");
}

#[test]
fn unequal_parts_are_named() {
    let folder = Folder::new("unequal");
    let wrong = |more: &[&str], message: &str| {
        let run = folder.taut(&[&["modes", &rotor()], more].concat());
        assert!(run.code != 0 && run.err.contains(message), "{run:?}");
    };
    let about = ["--rotating-about", "z", "--multiblade"];
    wrong(&[&about[..], &["blad"]].concat(), "no body is called `blad` with a number");
    wrong(&[&about[..], &["blade", "--set", "blade2.mass=95"]].concat(), "`blade2` is not like `blade0`");
    wrong(&[&about[..], &["blade", "--set", "blade2.mass=95"]].concat(), "hammond_rotor.toml:");
    wrong(&["--multiblade", "blade"], "--rotating-about");
    wrong(&[&about[..], &["blade", "--rate", "20"]].concat(), "after one revolution");
}
