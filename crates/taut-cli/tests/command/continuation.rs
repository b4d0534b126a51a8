//! Periodic motions over a parameter, trim over a parameter, and one passage of identical parts.

use crate::common::Folder;
use crate::scenes::{WEIGHT_ON_SPRING, duffing, multipliers, number};
use serde_json::Value;

/// The forced oscillator, damping 0.1.
fn oscillator() -> String {
    duffing(1.0, 0.1)
}

/// (parameter, amplitude, unstable multipliers, fold before it) of every point.
fn points(found: &Value) -> Vec<(f64, f64, usize, Option<f64>)> {
    let one = |p: &Value| {
        let first = &p["harmonics"]["mass.z"]["harmonics"][0];
        let outside =
            p["multipliers"].as_array().unwrap().iter().filter(|m| number(&m[0]).hypot(number(&m[1])) > 1.0).count();
        (number(&p["parameter"]), number(&first[0]).hypot(number(&first[1])), outside, p["fold"].as_f64())
    };
    found["points"].as_array().unwrap().iter().map(one).collect()
}

fn curve(folder: &Folder, from: &str, to: &str) -> Value {
    let range = ["--parameter", "w", "--from", from, "--to", to, "--steps", "21"];
    let words = ["periodic", "d.toml", "--period", "2*pi/w", "--harmonics", "mass.z", "-n", "1", "--json"];
    folder.done(&[&words[..], &range].concat()).json()
}

/// x'' + 0.1 x' + x + x³ = 0.3 cos wt. Folds: SciPy, shooting with the variational equations by DOP853 to 1e-12 and det(Φ − I) = 0;
/// amplitudes of both stable motions at w = 1.6 by the same shooting.
#[test]
fn curves_pass_through_folds() {
    let folder = Folder::new("folds");
    folder.write("d.toml", &oscillator());
    let whole = curve(&folder, "1", "2.4");
    assert_eq!(whole["end"], "reached");
    let all = points(&whole);
    let folds: Vec<f64> = all.iter().filter_map(|p| p.3).collect();
    assert_eq!(folds.len(), 2, "{folds:?}");
    for (found, expected) in folds.iter().zip([1.77971952, 1.3242362]) {
        assert!((found - expected).abs() < 2e-4, "{folds:?}");
    }
    // Three motions between the folds; the middle one is unstable, with one multiplier outside.
    let passes = all.windows(2).filter(|p| (p[0].0 - 1.6) * (p[1].0 - 1.6) < 0.0).count();
    assert_eq!(passes, 3);
    let upper = all.iter().position(|p| p.3.is_some()).unwrap();
    let lower = all.iter().rposition(|p| p.3.is_some()).unwrap();
    for (i, p) in all.iter().enumerate() {
        // The points next to a fold may lie on either side of it.
        if i + 1 < upper || i > lower {
            assert_eq!(p.2, 0, "{i}: {p:?}");
        } else if i > upper && i + 1 < lower {
            assert_eq!(p.2, 1, "{i}: {p:?}");
        }
    }
    for (from, amplitude) in [("1", 1.475804704174009), ("2.4", 0.19482345939414306)] {
        let last = *points(&curve(&folder, from, "1.6")).last().unwrap();
        assert_eq!(last.0, 1.6);
        assert!((last.1 - amplitude).abs() < 1e-7, "{from}: {last:?}");
    }
    let range = ["--parameter", "w", "--from", "1", "--to", "2.4", "--steps", "11", "-o", "d.svg"];
    let run =
        folder.done(&[&["periodic", "d.toml", "--period", "2*pi/w", "--harmonics", "mass.z"], &range[..]].concat());
    assert!(run.err.contains("fold at w = 1.77"), "{run:?}");
    assert!(String::from_utf8(folder.read("d.svg")).unwrap().contains("unstable"));
}

#[test]
fn ranges_of_the_parameter_are_checked() {
    let folder = Folder::new("curve_input");
    folder.write("d.toml", &oscillator());
    let words = |more: &[&str]| folder.taut(&[&["periodic", "d.toml", "--period", "2*pi/w"], more].concat());
    let equal = words(&["--parameter", "w", "--from", "1", "--to", "1"]);
    assert!(equal.code != 0 && equal.err.contains("--from and --to"), "{equal:?}");
    let unknown = words(&["--parameter", "v", "--from", "1", "--to", "2"]);
    assert!(unknown.code != 0 && unknown.err.contains("`v`"), "{unknown:?}");
    let half = words(&["--parameter", "w", "--from", "1"]);
    assert!(half.code != 0 && half.err.contains("--to"), "{half:?}");
}

/// The stiffness k = m g/z that lets a weight sink by z, over the mass; beyond the bounds the value is missing and named.
#[test]
fn trim_over_a_parameter() {
    let folder = Folder::new("trim_curve");
    folder.write("s.toml", WEIGHT_ON_SPRING);
    let words = ["trim", "s.toml", "--vary", "k=100:300:2000", "--target", "mass.z=-0.02", "--parameter", "m"];
    let run = folder.done(&[&words[..], &["--from", "1", "--to", "4", "--steps", "4"]].concat());
    let rows: Vec<Vec<f64>> =
        run.out.lines().skip(1).map(|l| l.split(',').map(|x| x.parse().unwrap()).collect()).collect();
    assert_eq!(rows.len(), 4, "{run:?}");
    for row in &rows {
        assert!((row[1] - row[0] * 9.81 / 0.02).abs() < 1e-3, "{rows:?}");
    }
    let far = folder.taut(&[&words[..], &["--from", "3", "--to", "5", "--steps", "3"]].concat());
    assert!(far.code == 2 && far.err.contains("no trim at m = 5") && far.err.contains("`k`"), "{far:?}");
    assert_eq!(far.out.lines().count(), 3, "{far:?}");
}

/// Each of one list has its own partner in the other.
fn same(a: &[[f64; 2]], b: &[[f64; 2]], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    let mut left = b.to_vec();
    for x in a {
        let near = (0..left.len()).min_by(|i, j| {
            let far = |k: usize| (left[k][0] - x[0]).hypot(left[k][1] - x[1]);
            far(*i).total_cmp(&far(*j))
        });
        let y = left.swap_remove(near.unwrap());
        assert!((y[0] - x[0]).hypot(y[1] - x[1]) < tolerance, "{x:?} in {b:?}");
    }
}

/// Three blades with lag hinges on a rotor whose axis is horizontal: gravity moves each of them, once per revolution.
const WHEEL: &str = r#"taut = 2
gravity = [0, -9.81, 0]
[params]
W = 12
c2 = 0.4
[bodies.hub]
type = "rigid"
mass = 1
inertia = [1, 1, 1]
angular_velocity = [0, 0, "W"]
[bodies.support]
type = "rigid"
mass = 6
inertia = [1, 1, 1]
[joints.rail]
type = "prismatic"
a = "ground.across"
b = "support.across"
[markers]
"ground.across" = { orientation = { rotations = [["y", "90 deg"]] } }
"support.across" = { orientation = { rotations = [["y", "90 deg"]] } }
[joints.shaft]
type = "revolute"
a = "support"
b = "hub"
rotation = { position = "W*t" }
[forces.mount]
type = "spring"
coordinate = "support.x"
stiffness = 900
damping = 6
rest = 0
[[repeat]]
for = "i"
from = 0
to = 2
[repeat.bodies."blade{i}"]
type = "rigid"
mass = 1
inertia = [0.001, 0.03, 0.03]
position = ["0.5*cos(2*pi*i/3)", "0.5*sin(2*pi*i/3)", 0]
orientation = { rotations = [["z", "2*pi*i/3"]] }
velocity = ["-W*0.5*sin(2*pi*i/3)", "W*0.5*cos(2*pi*i/3)", 0]
angular_velocity = [0, 0, "W"]
markers = { root = [-0.3, 0, 0] }
[repeat.markers."hub.hinge{i}"]
at = ["0.2*cos(2*pi*i/3)", "0.2*sin(2*pi*i/3)", 0]
orientation = { rotations = [["z", "2*pi*i/3"]] }
[repeat.joints."lag{i}"]
type = "revolute"
a = "hub.hinge{i}"
b = "blade{i}.root"
[repeat.forces."spring{i}"]
type = "spring"
coordinate = "lag{i}.angle"
stiffness = 20
damping = "0.4 + (c2 - 0.4)*i*(i - 1)/2"
rest = 0
[settings]
duration = 1
"#;

/// One passage and a relabelling give the multipliers of the whole period; parts that are not alike are named.
#[test]
fn one_passage_gives_the_multipliers() {
    let folder = Folder::new("passage");
    folder.write("wheel.toml", WHEEL);
    let hammond = format!("{}/../../models/modes/hammond_rotor.toml", env!("CARGO_MANIFEST_DIR"));
    for file in ["wheel.toml", &hammond] {
        let words = ["floquet", file, "--period", "2*pi/W", "--json"];
        let whole = folder.done(&words).json();
        let passage = folder.done(&[&words[..], &["--passage", "blade", "--rotating-about", "z"]].concat()).json();
        let list = |name: &str| -> Vec<[f64; 2]> {
            passage[name].as_array().unwrap().iter().map(|m| [0, 1].map(|k| number(&m[k]))).collect()
        };
        same(&multipliers(&whole), &list("multipliers"), 1e-7);
        // ρ = μᴺ exactly.
        let count = passage["parts"].as_u64().unwrap() as i32;
        for (mu, rho) in list("passage_multipliers").iter().zip(list("multipliers")) {
            let size = mu[0].hypot(mu[1]).powi(count);
            assert!((size - rho[0].hypot(rho[1])).abs() < 1e-12 * size.max(1.0));
        }
    }
    let unlike = ["floquet", "wheel.toml", "--period", "2*pi/W", "--passage", "blade", "--rotating-about", "z"];
    let run = folder.taut(&[&unlike[..], &["--set", "c2=0.1"]].concat());
    assert!(run.code == 1 && run.err.contains("not alike"), "{run:?}");
    let half = folder.taut(&[&unlike[..3], &["4*pi/W"], &unlike[4..]].concat());
    assert!(half.code == 1 && half.err.contains("2.000000 revolutions"), "{half:?}");
}
