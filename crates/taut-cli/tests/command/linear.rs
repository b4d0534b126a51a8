//! Linear analyses: modes, linearize, campbell, response.

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
    // The start is not a steady state.
    let reported = folder.taut(&["modes", "p.toml"]);
    assert!(
        reported.code == 1 && reported.err.contains("neither an equilibrium") && reported.err.contains("--static"),
        "{reported:?}"
    );
    let reported = folder.done(&["modes", "p.toml", "--frozen"]);
    assert!(reported.err.contains("not steady"), "{reported:?}");
}

#[test]
fn matrices_and_responses() {
    let folder = Folder::new("linearize");
    folder.write("p.toml", PENDULUM);
    for file in ["a.csv", "a.npz", "a.mat"] {
        let words = ["linearize", "p.toml", "--static", "--input", "rod.tip.fx", "--column", "rod.tip.x", "-o", file];
        folder.done(&words);
        assert_eq!(folder.taut(&words).code, 1, "it already exists");
    }
    let text = String::from_utf8(folder.read("a.csv")).unwrap();
    assert!(text.starts_with("A,2,2\n") && text.contains("\"rod.tip.x\""), "{text}");
    folder.done(&["linearize", "p.toml", "--static", "--form", "second-order", "-o", "b.npz"]);
    let wrong = folder.taut(&["linearize", "p.toml", "--static", "--input", "rod.tpi.fx", "-o", "c.csv"]);
    assert!(wrong.code == 1 && wrong.err.contains("rod.tip.fx"), "{wrong:?}");

    let words = ["response", "p.toml", "--static", "--input", "rod.tip.fx", "--column", "rod.tip.x"];
    let table = folder.done(&[&words[..], &["--from", "0.1", "--to", "0.2", "--steps", "2"]].concat()).out;
    // x = l² F / (J (ω₀² − ω²)), J = m l² / 3.
    let first: Vec<f64> = table.lines().nth(1).unwrap().split(',').map(|x| x.parse().unwrap()).collect();
    let exact = 1.0 / (2.0 / 3.0 * (1.5 * 9.81 - (std::f64::consts::TAU * 0.1).powi(2)));
    assert!((first[1] - exact).abs() < 1e-9 * exact && first[2].abs() < 1e-12, "{table} {exact}");
    let drawn = [&words[..], &["--from", "0.1", "--to", "9", "-o", "r.svg"]].concat();
    folder.done(&drawn);
    let there = folder.taut(&drawn);
    assert!(there.code == 1 && there.err.contains("already exists"), "{there:?}");
    folder.done(&[&drawn[..], &["--force"]].concat());
    let picture = String::from_utf8(folder.read("r.svg")).unwrap();
    assert!(picture.contains("|rod.tip.x / rod.tip.fx| [m/N]"), "{picture}");
    folder.done(&["campbell", "p.toml", "--static", "--parameter", "l", "--from", "0.5", "--to", "2", "--steps", "4"]);
    assert_eq!(
        folder.taut(&["response", "p.toml", "--input", "x", "--column", "y", "--from", "0", "--to", "1"]).code,
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
    assert!(there.code == 1 && there.err.contains("already exists"), "{there:?}");
    folder.done(&["modes", "p.toml", "--static", "-o", "run"]);
    let there = folder.taut(&["modes", "p.toml", "--static", "-o", "run"]);
    assert!(there.code == 1 && there.err.contains("already exists"), "{there:?}");
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

const SHAFT: &str = r#"taut = 2
[params]
spin = 5.0
[bodies.hub]
type = "rigid"
mass = 1
inertia = [1, 1, 1]
angular_velocity = [0, 0, "spin"]
[joints.bearing]
type = "revolute"
a = "ground"
b = "hub"
rotation = { velocity = "spin" }
[bodies.disc]
type = "point_mass"
mass = 1
[constraints.level]
type = "formula"
phi = "disc.z"
[forces.soft]
type = "spring"
coordinate = { slide = { a = "hub", b = "disc", axis = "x" } }
stiffness = 100
[forces.stiff]
type = "spring"
coordinate = { slide = { a = "hub", b = "disc", axis = "y" } }
stiffness = 150
"#;

#[test]
fn an_anisotropic_shaft_is_not_linearised_in_the_wrong_frame() {
    let folder = Folder::new("anisotropic");
    folder.write("s.toml", SHAFT);
    let about = ["--input", "disc.fx", "--column", "disc.x"];
    for words in [
        vec!["modes", "s.toml"],
        [&["response", "s.toml", "--from", "1", "--to", "2"][..], &about].concat(),
        [&["linearize", "s.toml", "-o", "a.csv"][..], &about].concat(),
    ] {
        let reported = folder.taut(&words);
        assert!(reported.code == 1 && reported.err.contains("--rotating-about z --rate 5"), "{words:?}: {reported:?}");
        let reported = folder.taut(&[&words[..], &["--rotating-about", "z", "--rate", "3"]].concat());
        assert!(
            reported.code == 1 && reported.err.contains("rotates about its axis at 5 rad/s"),
            "{words:?}: {reported:?}"
        );
    }
    let json = folder.done(&["modes", "s.toml", "--rotating-about", "z", "--json"]).json();
    let mut found: Vec<f64> = json["modes"].as_array().unwrap().iter().map(|m| m["omega"].as_f64().unwrap()).collect();
    found.retain(|w| *w > 0.0);
    assert!((found[0] - 5.952_782).abs() < 1e-4 && (found[1] - 16.265_42).abs() < 1e-4, "{found:?}");
}

#[test]
fn campbell_goes_on_past_a_speed_that_fails_and_names_it() {
    let folder = Folder::new("campbell-gap");
    folder.write("s.toml", &SHAFT.replace("stiffness = 100", "stiffness = \"100*(spin - 5)^2/(spin - 5)^2\""));
    let words = ["campbell", "s.toml", "--parameter", "spin", "--from", "3", "--to", "7", "--steps", "5"];
    let reported = folder.taut(&[&words[..], &["--rotating-about", "z"]].concat());
    assert!(reported.code == 0 && reported.err.contains("spin = 5"), "{reported:?}");
    assert_eq!(reported.out.lines().count(), 6, "{reported:?}");
    // In the fixed frame none is right.
    let reported = folder.taut(&words);
    assert_eq!(reported.code, 1, "{reported:?}");
}

#[test]
fn a_sampled_controller_is_named() {
    let folder = Folder::new("sampled");
    folder.write(
        "c.toml",
        "taut = 2\n[bodies.m]\ntype = \"point_mass\"\nmass = 2\n[joints.g]\ntype = \"point_on_line\"\na = \"ground\"\nb = \"m\"\n\
         [forces.loop]\ntype = \"pid\"\ncoordinate = { coordinate = \"m.z\" }\nreference = 0\nkp = 10\nki = 3\nkd = 1\nsample_time = 0.01\n",
    );
    let reported = folder.done(&["modes", "c.toml"]);
    assert!(reported.err.contains("`loop`") && reported.err.contains("sampled"), "{reported:?}");
    let words =
        ["response", "c.toml", "--input", "m.fz", "--column", "m.z", "--from", "1", "--to", "2", "--steps", "2"];
    let reported = folder.done(&words);
    assert!(reported.err.contains("`loop`"), "{reported:?}");
}

#[test]
fn a_weak_brake_is_not_taken_as_infinitely_strong() {
    let folder = Folder::new("weak-brake");
    let model = |bound: &str| {
        format!(
            "taut = 2\ngravity = [0, 0, -9.81]\n[bodies.m]\ntype = \"point_mass\"\nmass = 1\n[joints.g]\ntype = \"point_on_line\"\na = \"ground\"\n\
             b = \"m\"\n[constraints.brake]\ntype = \"brake\"\ncoordinate = {{ coordinate = \"m.z\" }}\ncapacity = {bound}\n"
        )
    };
    folder.write("weak.toml", &model("5"));
    folder.write("strong.toml", &model("50"));
    let reported = folder.taut(&["modes", "weak.toml"]);
    assert!(
        reported.code == 1 && reported.err.contains("`brake` cannot hold") && reported.err.contains("9.81"),
        "{reported:?}"
    );
    let reported = folder.done(&["modes", "strong.toml"]);
    assert!(reported.err.contains("`brake`") && reported.err.contains("treated as holding"), "{reported:?}");
}

const ON_A_FLOOR: &str = r#"taut = 2
gravity = [0, -10, 0]
[params]
mu = 0
[bodies.b]
type = "planar"
mass = 1
inertia = 1
[markers]
"ground.floor" = { orientation = { axes = { z = [0, 1, 0], x = [1, 0, 0] } } }
[forces.k]
type = "spring"
coordinate = "b.x"
stiffness = 100
[constraints.f]
type = "point_plane_contact"
plane = "ground.floor"
point = "b"
friction = "mu"
"#;

const RELEASED_BRAKE: &str = r#"taut = 2
[bodies.b]
type = "point_mass"
mass = 1
[joints.g]
type = "point_on_line"
a = "ground"
b = "b"
[forces.k]
type = "spring"
coordinate = "b.z"
stiffness = 100
[constraints.brake]
type = "brake"
coordinate = "b.z"
capacity = 0
"#;

/// A smooth floor and a released brake held the spring: no vibration at all was reported.
#[test]
fn friction_without_a_bound_locked_the_modes() {
    let folder = Folder::new("linear-no-bound");
    folder.write("floor.toml", ON_A_FLOOR);
    folder.write("brake.toml", RELEASED_BRAKE);
    for model in ["floor.toml", "brake.toml"] {
        let answer = folder.done(&["modes", model]);
        assert!(answer.out.contains(" 10 ") && answer.out.contains("oscillates"), "{answer:?}");
        assert!(!answer.err.contains("treated as holding"), "{answer:?}");
    }
    let rough = folder.done(&["modes", "floor.toml", "--set", "mu=0.1"]);
    assert!(
        !rough.out.contains("oscillates") && rough.err.contains("within its bound, treated as holding"),
        "{rough:?}"
    );
}

/// A ladder against a smooth wall: the friction of the wall was a support, so `modes` refused it and `static` called the load shared.
#[test]
fn a_smooth_wall_supported_a_ladder() {
    let ladder = "taut = 2\ngravity = [0, -9.81, 0]\n[bodies.l]\ntype = \"planar\"\nmass = 10\ninertia = \"10/3\"\n\
                  position = [\"cos(1.2)\", \"sin(1.2)\"]\nangle = \"pi-1.2\"\nmarkers = { top = [1, 0], foot = [-1, 0] }\n[markers]\n\
                  \"ground.floor\" = { orientation = { axes = { z = [0, 1, 0], x = [1, 0, 0] } } }\n\
                  \"ground.wall\" = { orientation = { axes = { z = [1, 0, 0], x = [0, 1, 0] } } }\n\
                  [constraints]\nf = { type = \"point_plane_contact\", plane = \"ground.floor\", point = \"l.foot\", friction = 0.4 }\n\
                  w = { type = \"point_plane_contact\", plane = \"ground.wall\", point = \"l.top\", friction = 0 }\n";
    let folder = Folder::new("linear-ladder");
    folder.write("l.toml", ladder);
    let answer = folder.done(&["static", "l.toml"]);
    // m g / (2 tan 1.2)
    assert!(answer.out.contains("19.0696") && !answer.out.contains("not unique"), "{answer:?}");
    let answer = folder.done(&["modes", "l.toml"]);
    assert!(answer.err.contains("`f`: friction or brake within its bound"), "{answer:?}");
}

/// A pendulum on a ratchet has no freedom at all.
#[test]
fn modes_of_a_rigid_mechanism_panicked() {
    let folder = Folder::new("linear-rigid");
    folder.write(
        "r.toml",
        "taut = 2\ngravity = [0, -9.81, 0]\n[bodies.b]\ntype = \"planar\"\nmass = 1\ninertia = 0.1\nposition = [0.5, 0]\n\
         markers = { e = [-0.5, 0] }\n[joints.h]\ntype = \"pin\"\na = \"ground\"\nb = \"b.e\"\n\
         [constraints.r]\ntype = \"ratchet\"\ncoordinate = \"h.angle\"\npitch = \"10 deg\"\n",
    );
    let answer = folder.done(&["modes", "r.toml"]);
    assert!(answer.out.contains("0 eigenvalues in total"), "{answer:?}");
}

/// The clutch slips up to the pose at which its 2 N m carry the arm: from there it holds in one direction only.
#[test]
fn friction_at_its_bound_was_called_within_it() {
    let folder = Folder::new("linear-at-bound");
    folder.write(
        "c.toml",
        "taut = 2\ngravity = [0, -9.81, 0]\n[bodies]\n\
         b = { type = \"planar\", mass = 1, inertia = 0.1, position = [0.5, 0], markers = { e = [-0.5, 0] } }\n\
         c = { type = \"planar\", mass = 1, inertia = 0.1 }\n[joints]\nh = { type = \"pin\", a = \"ground\", b = \"b.e\" }\n\
         g = { type = \"pin\", a = \"ground\", b = \"c\" }\n[forces.k]\ntype = \"spring\"\ncoordinate = \"g.angle\"\nstiffness = 10\n\
         [constraints.cl]\ntype = \"clutch\"\nfirst = \"h.angle\"\nsecond = \"g.angle\"\ncapacity = 2\n",
    );
    let answer = folder.done(&["modes", "c.toml", "--static"]);
    assert!(answer.err.contains("`cl`: friction or brake at its bound"), "{answer:?}");
}

/// Two masses in a line on springs of 1e10 N/m: across the line only round-off held them, which was listed as a slow oscillation.
#[test]
fn round_off_beside_stiff_springs_oscillated() {
    let folder = Folder::new("linear-across");
    folder.write(
        "m.toml",
        "taut = 2\n[bodies]\nm1 = { type = \"point_mass\", mass = 1, position = [0.37, 0, 0] }\n\
         m2 = { type = \"point_mass\", mass = 1, position = [0.9, 0, 0] }\n[forces]\n\
         s1 = { type = \"spring\", a = \"ground\", b = \"m1\", stiffness = 1e10, free_length = 0.37 }\n\
         s2 = { type = \"spring\", a = \"m1\", b = \"m2\", stiffness = 1e10, free_length = 0.53 }\n\
         soft = { type = \"spring\", coordinate = \"m2.z\", stiffness = 1 }\n",
    );
    let answer = folder.done(&["modes", "m.toml"]);
    assert!(answer.out.contains("6 of them zero") && answer.out.contains("0.159155            1 "), "{answer:?}");
}

/// The advice was the option already given, and the rates of the crank and of the rod in turn.
#[test]
fn a_driven_mechanism_without_a_steady_state_was_sent_in_circles() {
    let folder = Folder::new("no-steady-state");
    folder.done(&["new", "crank"]);
    let error = |options: &[&str]| {
        let reported = folder.taut(&[&["modes", "crank.toml"][..], options].concat());
        assert_eq!(reported.code, 1, "{options:?}: {reported:?}");
        reported.err
    };
    let at_rest = error(&["--static"]);
    assert!(at_rest.contains("`motor.relation` moves at 62.83") && !at_rest.contains("--static finds"), "{at_rest}");
    let moving = error(&[]);
    assert!(!moving.contains("--static"), "{moving}");
    for options in [&[][..], &["--rotating-about", "z", "--rate", "62.83185307179586"]] {
        let reported = error(options);
        assert!(reported.contains("no rotating frame helps; use `taut floquet`"), "{options:?}: {reported}");
    }
    let rotating = error(&["--static", "--rotating-about", "z"]);
    assert!(rotating.contains("has no steady rotation at this rate about this axis"), "{rotating}");
}

/// The derivative across a corner is that of neither side, and across a jump it depends on the difference that is taken.
#[test]
fn small_motions_about_a_switch_gave_frequencies_without_a_word() {
    let folder = Folder::new("linear-switch");
    let model = |law: &str| {
        format!(
            "taut = 2\n[bodies.m]\ntype = \"point_mass\"\nmass = 2\n[joints.g]\ntype = \"point_on_line\"\na = \"ground\"\nb = \"m\"\n\
             [forces.k]\ntype = \"spring\"\ncoordinate = {{ coordinate = \"m.z\" }}\nlaw = {law}\n"
        )
    };
    let table = "{ type = \"table\", elastic = { x = [-1, 0, 1], force = [-50, 0, 150] } }";
    for law in [
        "\"-100*max(0, s) - 50*s\"",
        table,
        "\"-100*s + floor(s)\"",
        "\"-100*s - 0.1*sign(s)\"",
        "\"-100*s - sign(s)*sqrt(abs(s))\"",
        "\"-100*s - 5*max(0, rate)\"",
    ] {
        folder.write("m.toml", &model(law));
        let answer = folder.done(&["modes", "m.toml"]);
        assert!(answer.err.contains("`k`: switches at this state"), "{law}: {answer:?}");
    }
    // Conditions that do not matter, or lie elsewhere.
    for law in [
        "\"-100*s - 5*abs(rate)*sign(rate)\"",
        "\"-100*s - 1000*max(0, s)^2\"",
        "\"-100*s - if_pos(s - 0.01, 1000*(s - 0.01), 0)\"",
        "\"-100*s*if_pos(s, 1, 1)\"",
    ] {
        folder.write("m.toml", &model(law));
        let answer = folder.done(&["modes", "m.toml"]);
        assert!(!answer.err.contains("switches"), "{law}: {answer:?}");
    }
}
