//! A placed part moves like the part alone, relative to its placement.

use std::fs;
use std::path::PathBuf;
use taut::analyses::simulate;
use taut_io::diagnostic::Diagnostic;
use taut_io::model::{ModelFile, read};

const ARM: &str = r#"
taut = 2
[params]
l = "300 mm"
[bodies.arm]
type = "rigid"
mass = 2
shape = { type = "box", size = ["l", "4 cm", "2 cm"] }
position = ["l/2", 0, 0]
angular_velocity = [0, 0, 3]
velocity = [0, "[0.45 m/s]", 0]
[bodies.bob]
type = "point_mass"
mass = "0.5 kg"
position = ["l", 0, "-10 cm"]
[markers]
"ground.pivot" = { at = [0, 0, 0] }
"arm.pivot" = { at = [0, 0, 0], relative_to = "world" }
"arm.tip" = ["l/2", 0, 0]
[joints.hinge]
type = "revolute"
a = "ground.pivot"
b = "arm.pivot"
[joints.rope]
type = "rod"
a = "arm.tip"
b = "bob"
length = "10 cm"
[forces.spring]
type = "spring"
a = "ground"
b = "bob"
stiffness = 40
damping = 0.3
free_length = 0.2
"#;

/// A folder with a part, and a model that takes it in.
fn model(name: &str, part: &str, whole: &str) -> Result<ModelFile, Vec<Diagnostic>> {
    let folder: PathBuf = std::env::temp_dir().join(format!("taut-parts-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("arm.toml"), part).unwrap();
    fs::write(folder.join("whole.toml"), whole).unwrap();
    let found = read(&folder.join("whole.toml"), &[]);
    fs::remove_dir_all(&folder).unwrap();
    found
}

fn column(file: &ModelFile, name: &str) -> Vec<f64> {
    let model = file.build().unwrap();
    let run = simulate(&model, &file.state(&model), &file.transient).unwrap();
    run.column(name).unwrap().to_vec()
}

const RUN: &str = "[settings]\nduration = 1\nrtol = 1e-11\n[outputs]\nevery = 0.1\n";

#[test]
fn a_placed_part_moves_as_the_part_alone() {
    let alone = model("alone", ARM, &format!("taut = 2\n[parts.p]\nfile = \"arm.toml\"\n{RUN}")).unwrap();
    let placed = "position = [1, 2, 3]\norientation = { rotations = [[\"x\", \"90 deg\"], [\"z\", \"180 deg\"]] }";
    let placed = model("placed", ARM, &format!("taut = 2\n[parts.p]\nfile = \"arm.toml\"\n{placed}\n{RUN}")).unwrap();
    // R = Rx(90°) Rz(180°) takes (x, y, z) to (−x, −z, −y).
    let [x, y, z] = ["x", "y", "z"].map(|c| column(&alone, &format!("p_bob.{c}")));
    let [u, v, w] = ["x", "y", "z"].map(|c| column(&placed, &format!("p_bob.{c}")));
    for i in 0..x.len() {
        let expected = [1.0 - x[i], 2.0 - z[i], 3.0 - y[i]];
        for (found, expected) in [u[i], v[i], w[i]].iter().zip(expected) {
            assert!((found - expected).abs() < 1e-8, "{found} {expected}");
        }
    }
    assert!((x[0] - x[10]).abs() > 0.01, "it must move for this to say anything");
}

/// A ball that hits a floor, a rotor between stops with friction, a rope, a controller, an event that counts.
const LOOSE: &str = r#"
taut = 2
[variables]
count = 0
[bodies.ball]
type = "rigid"
mass = 1
shape = { type = "sphere", radius = 0.1 }
position = [0, 0, 0.5]
velocity = [0.3, 0, -1]
[bodies.rotor]
type = "rigid"
mass = 1
shape = { type = "cylinder", radius = 0.2, length = 0.1 }
position = [3, 0, 0]
angular_velocity = [0, 0, 4]
[markers]
"ground.axle" = [3, 0, 0]
[joints.axle]
type = "revolute"
a = "ground.axle"
b = "rotor"
limits = { lower = -1, upper = 1, restitution = 0.5 }
friction = { kinetic = 0.2, radius = 0.01, preload = "20 N" }
[constraints.rope]
type = "rope"
through = ["ground", "ball"]
length = "80 cm"
[forces.control]
type = "controller"
coordinate = "axle.angle"
inputs = { aim = { signal = "0.1*t" }, far = { distance = { a = "ground", b = "ball" } } }
output = "aim.rate - 0.1*rate + 0.2*far"
[surfaces.ball]
marker = "ball"
shape = "sphere"
radius = 0.1
[surfaces.floor]
marker = "ground"
shape = "half_space"
[contacts.floor]
between = ["ball", "floor"]
restitution = 0.7
friction = 0.3
[measures]
far = { distance = { a = "ground", b = "ball" } }
[events.near]
when = "far - 0.3"
direction = "falling"
actions = { set = "count", to = "COUNT" }
"#;

#[test]
fn what_comes_and_goes_does_so_in_a_placed_part_too() {
    let whole = |place: &str| format!("taut = 2\n[parts.p]\nfile = \"arm.toml\"\n{place}\n{RUN}");
    let place = "position = [1, 2, 3]\norientation = { rotations = [[\"x\", \"90 deg\"], [\"z\", \"30 deg\"]] }";
    let alone = model("loose", &LOOSE.replace("COUNT", "far + 2"), &whole("")).unwrap();
    let placed = model("loose-placed", &LOOSE.replace("COUNT", "far + 2"), &whole(place)).unwrap();
    for name in ["p_far", "p_far.rate", "p_axle.angle", "p_count.value", "p_rope.lambda_slack", "p_floor.lambda_gap"] {
        let (a, b) = (column(&alone, name), column(&placed, name));
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-8), "{name}: {a:?} {b:?}");
    }
    // It came within 0.3 m once, and the rope held it back.
    assert!((column(&placed, "p_count.value").last().unwrap() - 2.3).abs() < 1e-9);
    assert!(column(&placed, "p_far").iter().all(|far| *far < 0.8 + 1e-9));
    let twice =
        model("twice", &LOOSE.replace("COUNT", "count.value + 1"), &whole("[parts.q]\nfile = \"arm.toml\"")).unwrap();
    assert!((column(&twice, "q_count.value").last().unwrap() - 1.0).abs() < 1e-15);
    // A coordinate in the axes of the world has no place there.
    let world = LOOSE.replace("far - 0.3", "ball.z - 0.3");
    assert!(model("loose-world", &world, &whole(place)).unwrap_err()[0].to_string().contains("relative to the world"));
}

#[test]
fn parameters_of_parts_are_those_of_who_takes_them_in() {
    let whole = "taut = 2\n[params]\nlong = \"2 ft\"\n[parts.p]\nfile = \"arm.toml\"\nparams = { l = \"long/2\" }\n";
    let file = model("params", ARM, whole).unwrap();
    assert_eq!(column(&file, "p_bob.x")[0], 0.3048);
    let wrong = "taut = 2\n[parts.p]\nfile = \"arm.toml\"\nparams = { length = 1 }\n";
    let said = model("wrong", ARM, wrong).unwrap_err()[0].to_string();
    assert!(said.contains("no parameter `length`"), "{said}");
    let clash = "taut = 2\n[params]\nx = \"[3 m] + [2 kg]\"\n[parts.p]\nfile = \"arm.toml\"\nparams = { l = \"x\" }\n";
    let said = model("clash", ARM, clash).unwrap_err()[0].to_string();
    assert!(said.contains("different dimensions"), "{said}");
}

#[test]
fn what_counts_from_the_world_is_refused_in_a_placed_part() {
    let turned = "taut = 2\n[parts.p]\nfile = \"arm.toml\"\norientation = { rotations = [[\"z\", \"90 deg\"]] }\n";
    for (extra, said) in [
        ("[forces.push]\ntype = \"applied\"\nmarker = \"bob\"\nforce = [1, 0, 0]\n", "world axes would not rotate"),
        ("[forces.push]\ntype = \"generalised_force\"\ncoordinate = \"bob.x\"\nforce = 1\n", "relative to the world"),
        ("[drivers.d]\ncoordinate = \"bob.x\"\nposition = \"t\"\n", "relative to the world"),
        ("[constraints.c]\ntype = \"formula\"\nphi = \"bob.x - 0.3\"\n", "relative to the world"),
    ] {
        let found = model("world", &format!("{ARM}{extra}"), turned).unwrap_err();
        assert!(found[0].to_string().contains(said), "{}", found[0]);
    }
}

#[test]
fn parts_within_parts_do_not_multiply_without_end() {
    let part = "taut = 2\n[parts.a]\nfile = \"whole.toml\"\n";
    let found = model("circle", part, "taut = 2\n[parts.a]\nfile = \"arm.toml\"\n").unwrap_err();
    assert!(found[0].to_string().contains("includes itself"), "{}", found[0]);
    let repeat = "taut = 2\n[bodies.b]\ntype = \"point_mass\"\nmass = 1\n[[repeat]]\nfor = \"i\"\nto = 900000\n[[repeat.repeat]]\nfor = \"j\"\nto = 900000\n";
    let found = model("repeat", part, repeat).unwrap_err();
    assert!(found[0].to_string().contains("more than"), "{}", found[0]);
}

#[test]
fn four_thousand_parameters_in_reverse_take_no_time() {
    let mut text = String::from("taut = 2\n[params]\n");
    for i in 0..4000 {
        text += &format!("p{i} = \"p{} + 1\"\n", i + 1);
    }
    text += "p4000 = 1\n[bodies.b]\ntype = \"point_mass\"\nmass = \"p0\"\n";
    let file = taut_io::model::parse(&text, &PathBuf::from("many.toml"), &[]).unwrap();
    assert_eq!(column(&file, "energy.kinetic")[0], 0.0);
}
